package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// merging is a specification on its way into a spec that is there.
type merging struct {
	d     *document
	e     *editor
	m     *SpecifiedModule
	x     Specified
	wrong []spec.Problem
	gone  map[string]bool // states that go
}

func (g *merging) note(format string, a ...any) {
	g.x.Changes = append(g.x.Changes, fmt.Sprintf(format, a...))
}

func (g *merging) refuse(what string) {
	hint := "write it differently, or leave it out"
	if strings.HasPrefix(what, "exports: ") {
		hint = exportForms
	}
	g.send(0, what, hint)
}

// exportForms tells in which forms exports are written.
const exportForms = "write it as `name(param: type): result` (also `name(param type) result` or `-> result`), `Type.method(param: type): result`, " +
	"`Name { field: type }`, `Name(param: type)` for a class or an error type, `Name: A | B`, `Name = type` for another name or a type of functions, `NAME = value` or `NAME: type`"

// merge brings a specification into a spec that is there. What is said of an export, of a scenario with the same
// input, of a constraint with the same name, or of a function's contract takes the place of what was said of it; the
// rest is added where it belongs, and nothing else changes. Exports, states and scenarios go only where the
// specification says so by name, and with an export its contract and its scenarios.
func (d *document) merge(m *SpecifiedModule, assumed [][2]string) (Specified, []spec.Problem) {
	g := &merging{d: d, e: newEditor(d), m: m, x: Specified{Dir: d.Dir(), Path: d.Path}, gone: map[string]bool{}}
	if p := oneLine(m.Purpose); p != "" && !sameSentence(p, d.Purpose) {
		if g.e.rewrite("Purpose", []string{p}) {
			g.note("purpose")
		}
	}
	for _, n := range m.Exports {
		g.export(n)
	}
	for _, name := range m.Remove {
		g.remove(name)
	}
	for i := range m.Dependencies {
		g.dependency(m.Dependencies[i])
	}
	for _, category := range []string{"success", "error"} { // what succeeds stands before the heading of errors
		for _, s := range m.Behaviors {
			if (s.Category == "error") == (category == "error") {
				g.scenario(s)
			}
		}
	}
	for i := range m.Contracts {
		g.contract(&m.Contracts[i])
	}
	decisions := m.Decisions
	if len(g.x.Changes) > 0 {
		decisions = m.decided(assumed)
	}
	g.statements("Decision Rationale", decisions)
	g.statements("Constraints", m.Constraints)
	g.statements("Compatibility", m.Compat)
	g.machine(m)
	g.e.settle()
	if len(g.x.Changes) > 0 {
		g.x.Text = g.e.bytes()
	}
	return g.x, g.wrong
}

// dependency adds a module that is used, or says anew what is used of it.
func (g *merging) dependency(u SpecifiedUse) {
	for _, have := range g.d.Dependencies.Internal {
		if !isUse(have, u.Module) {
			continue
		}
		if len(u.Symbols) == 0 || slices.Equal(slices.Sorted(slices.Values(u.Symbols)), slices.Sorted(slices.Values(have.Symbols))) {
			return
		}
		if !g.e.replaceUse(have, u.names()) {
			g.refuse("dependencies: the uses of " + u.Module + " are in the document in a form that cannot be replaced")
		}
		g.note("uses of %s", u.Module)
		return
	}
	if _, ok := g.e.addDependency(u.Module, u.names()); !ok {
		g.refuse("the dependency " + u.Module + " has no place in the document")
	}
	g.note("dependency %s", u.Module)
}

func (g *merging) export(n SpecifiedExport) {
	group, sig, ok := n.read()
	name := exportName(group, sig)
	if !ok || name == "" {
		g.refuse("exports: " + sig + " cannot be read")
		return
	}
	switch i := slices.IndexFunc(g.d.Exports, func(e spec.Export) bool { return e.Name == name }); {
	case i < 0:
		if d := oneLine(n.Description); d != "" {
			_, ok = g.e.addExportDescribed(name, group, sig, d)
		} else {
			_, ok = g.e.apply(Drift{Symbol: name, mend: edit{what: addExport, group: group, text: sig}})
		}
		g.note("export %s", name)
	case oneLine(g.d.Exports[i].Signature) == sig:
		d := oneLine(n.Description)
		if n.Signature = sig; d == "" || sameSentence(d, g.d.Exports[i].Description) || !g.e.single(g.d.Exports[i].Line) || !g.e.replaceItem(g.d.Exports[i].Line, n.line()) {
			return
		}
		ok = true
		g.note("description of %s", name)
	default:
		old := g.d.Exports[i]
		g.outdated(name, oneLine(old.Signature), sig)
		n.Signature = sig
		if ok = oneLine(n.Description) != "" && g.e.single(old.Line) && g.e.replaceItem(old.Line, n.line()); !ok {
			_, ok = g.e.apply(Drift{Symbol: name, mend: edit{what: replaceSignature, line: old.Line, old: old.Signature, text: sig}})
		}
		g.note("signature of %s", name)
	}
	if !ok {
		g.refuse("the export " + sig + " has no place in the document")
	}
}

// outdated sends back what was written for a signature that changes, unless it is given again or goes.
func (g *merging) outdated(name, before, after string) {
	for _, c := range g.d.Context.Constraints {
		if named(c.Text) == name && !g.removes(name) && !slices.ContainsFunc(g.m.Constraints, func(s string) bool { return named(s) == name }) {
			g.send(c.Line, "the constraint "+c.Text+" was written for the old "+name, "give it again, changed or unchanged, or name "+name+" in `remove`")
		}
	}
	if !strings.Contains(before, "(") || !strings.Contains(after, "(") {
		return
	}
	for _, b := range g.d.Behaviors {
		same := func(input string) bool { return sameValue(input, b.Input) }
		if g.calls(b.Input, name) && !slices.ContainsFunc(g.m.Remove, same) && !slices.ContainsFunc(g.m.Behaviors, func(s spec.Behavior) bool { return same(s.Input) }) {
			g.send(b.Line, "the scenario "+b.Input+" → "+b.Output+" was written for the old signature of "+name, "give it again if it is still right, or name its input in `remove` and give a new one")
		}
	}
}

// gives reports whether the specification gives an export of that name.
func (g *merging) gives(name string) bool {
	return slices.ContainsFunc(g.m.Exports, func(n SpecifiedExport) bool {
		group, sig, ok := n.read()
		return ok && exportName(group, sig) == name
	})
}

func (g *merging) removes(name string) bool {
	return slices.ContainsFunc(g.m.Remove, func(r string) bool { return bareName(r) == name })
}

func bareName(s string) string { return strings.Trim(strings.TrimSpace(s), "`") }

// send is what the author has to settle.
func (g *merging) send(line int, what, hint string) {
	g.wrong = append(g.wrong, spec.Problem{Path: g.d.Path, Line: line, Severity: spec.Error, Text: what, Hint: hint})
}

// calls reports whether an input calls an export. Two methods of one name are told apart by their types.
func (g *merging) calls(input, export string) bool {
	name := lastPart(export)
	for _, e := range g.d.Exports {
		if e.Name != export && lastPart(e.Name) == name {
			name = export
		}
	}
	for end := range wordEnds(input, name) {
		if strings.HasPrefix(input[end:], "(") {
			return true
		}
	}
	return false
}

func (g *merging) remove(name string) {
	name = bareName(name)
	if g.givenAnew(name) { // what is given takes the place of what was there
		return
	}
	found, exported := false, false
	for _, e := range g.d.Exports {
		if e.Name != name || g.gives(name) { // given anew, it is a constraint of its name that goes
			continue
		}
		found, exported = true, true
		if _, ok := g.e.apply(Drift{mend: edit{what: removeExport, line: e.Line}}); ok {
			g.note("without export %s", name)
		}
		for _, c := range g.d.Contracts {
			if c.Function == name {
				g.e.remove(c.Line)
			}
		}
		break
	}
	for _, s := range g.d.Protocol.States {
		if !found && s.Text == name {
			g.gone[name], found = true, true
		}
	}
	if g.gone[name] {
		g.enums(name)
	}
	for _, c := range g.d.Context.Constraints {
		if named(c.Text) == name && g.drop(c.Line, "constraint "+name) {
			found = true
		}
	}
	for _, s := range slices.Concat(g.d.Context.Rationale, g.d.Context.Constraints, g.d.Context.Compatibility) {
		if !found && sameSentence(s.Text, name) && g.drop(s.Line, "statement: "+s.Text) {
			found = true
		}
	}
	for _, u := range g.d.Dependencies.Internal {
		if !found && isUse(u, name) && g.drop(u.Line, "dependency "+name) {
			found = true
		}
	}
	for _, b := range g.d.Behaviors {
		if exported && g.calls(b.Input, name) || !found && sameValue(b.Input, name) {
			g.drop(b.Line, "scenario of "+b.Input)
			found = found || sameValue(b.Input, name)
		}
	}
	if !found {
		g.refuse("remove: " + name + " is not an export, state, scenario input, constraint name, domain context sentence or dependency of the module")
	}
}

// givenAnew reports whether what a name in remove stands for is also given: a scenario, a constraint, a statement, or a
// dependency. Of exports see remove.
func (g *merging) givenAnew(name string) bool {
	if slices.ContainsFunc(g.d.Exports, func(e spec.Export) bool { return e.Name == name }) {
		return false
	}
	return slices.ContainsFunc(g.m.Behaviors, func(s spec.Behavior) bool { return sameValue(value(s.Input), name) }) ||
		slices.ContainsFunc(g.m.Constraints, func(s string) bool { return named(s) == name }) ||
		slices.ContainsFunc(slices.Concat(g.m.Decisions, g.m.Constraints, g.m.Compat), func(s string) bool { return sameSentence(s, name) }) ||
		slices.ContainsFunc(g.m.Dependencies, func(u SpecifiedUse) bool {
			return slices.ContainsFunc(g.d.Dependencies.Internal, func(have spec.Internal) bool { return isUse(have, name) && isUse(have, u.Module) })
		})
}

// drop takes out what stands at a line, once.
func (g *merging) drop(line int, what string) bool {
	_, ok := g.e.remove(line)
	if ok {
		g.note("without %s", what)
	}
	return ok
}

// enums sends back enumerations that still list a state that goes.
func (g *merging) enums(state string) {
	for _, e := range g.d.Exports {
		if slices.Contains(e.Variants, state) && !g.gives(e.Name) && !g.removes(e.Name) {
			g.send(e.Line, e.Name+" still lists the state "+state, "give "+e.Name+" without it")
		}
	}
}

// isUse reports whether a dependency is on a module, named by its directory or its document.
func isUse(have spec.Internal, module string) bool {
	dir, _ := spec.Dir(module)
	return have.Path == dir || have.Ref == module
}

// scenario replaces the one with the same input, or adds one under the heading of its category.
func (g *merging) scenario(s spec.Behavior) {
	for _, b := range g.d.Behaviors {
		if !sameValue(b.Input, value(s.Input)) {
			continue
		}
		if sameValue(b.Output, value(s.Output)) && (b.Category == "" || b.Category == s.Category) {
			return
		}
		if b.Category != "" && b.Category != s.Category {
			if _, ok := g.e.remove(b.Line); ok {
				break // it goes to the others of its category
			}
		}
		if !g.e.replaceItem(b.Line, scenarioLine(s)) {
			g.refuse("behaviors: " + value(s.Input) + " has another outcome in the document, which cannot be replaced")
			return
		}
		g.note("scenario of %s", value(s.Input))
		return
	}
	if at := g.beside(s); at >= 0 {
		g.e.put(at, scenarioLine(s))
		g.note("scenario of %s", value(s.Input))
		return
	}
	title, keys := success, []string{"success", "정상", "normal", "성공"}
	if s.Category == "error" {
		title, keys = failure, []string{"error", "에러", "failure", "오류", "실패", "예외"}
	}
	// A document that has no scenarios yet, and gets errors, has a heading for each.
	grouped := len(g.d.Behaviors) == 0 && slices.ContainsFunc(g.m.Behaviors, func(s spec.Behavior) bool { return s.Category == "error" })
	if !g.e.under("Behavior", title, keys, []string{scenarioLine(s)}, s.Category == "error" || grouped) {
		g.refuse("the section Behavior is missing")
		return
	}
	g.note("scenario of %s", value(s.Input))
}

// beside is the line behind which a new scenario stands: the last one of its category that calls the same function; -1
// without one.
func (g *merging) beside(s spec.Behavior) int {
	at := -1
	for _, b := range g.d.Behaviors {
		i := b.Line - 1
		indent, ok := g.e.bullet(i)
		if b.Category != s.Category || !ok || indent != "" || g.e.gone[i] && len(g.e.stead[i]) == 0 || called(b.Input) == "" || called(b.Input) != called(value(s.Input)) {
			continue
		}
		at = max(at, g.e.item(i)-1)
	}
	return at
}

// called is what stands before the first parenthesis of an input.
func called(input string) string {
	name, _, ok := strings.Cut(strings.Trim(input, "` "), "(")
	if !ok || strings.ContainsAny(name, " \t") {
		return ""
	}
	return name
}

func (g *merging) contract(c *SpecifiedContract) {
	name := oneLine(c.Function)
	lines := strings.Split(strings.Trim(c.text(), "\n"), "\n")
	for _, have := range g.d.Contracts {
		if have.Function != name {
			continue
		}
		if !g.e.replaceSection("Contract", name, lines[2:]) {
			g.refuse("contracts: the contract of " + name + " is in the document in a form that cannot be replaced")
			return
		}
		g.note("contract of %s", name)
		return
	}
	if !g.e.extend("Contract", []string{"\n" + strings.Join(lines, "\n")}) {
		g.refuse("the section Contract is missing")
		return
	}
	g.note("contract of %s", name)
}

// statements adds what is new under a heading of Domain Context. A constraint with a name takes the place of the one
// that has it.
func (g *merging) statements(title string, list []string) {
	var fresh []string
	c := g.d.Context
	have := slices.Concat(c.Rationale, c.Constraints, c.Compatibility)
next:
	for _, l := range bullets(list) {
		if title == "Constraints" && g.onlyOne(l) {
			continue
		}
		for _, h := range have {
			if sameSentence(h.Text, l) {
				continue next
			}
		}
		if name := named(l); name != "" && title == "Constraints" {
			for _, h := range c.Constraints {
				if named(h.Text) == name && g.e.replaceItem(h.Line, l) {
					g.note("constraint %s", name)
					continue next
				}
			}
		}
		fresh = append(fresh, l)
	}
	if len(fresh) == 0 {
		return
	}
	keys := map[string][]string{
		"Decision Rationale": {"decision", "rationale", "결정"}, "Constraints": {"constraint", "제약"}, "Compatibility": {"compatib", "호환"},
	}[title]
	if !g.e.under("Domain Context", title, keys, fresh, true) {
		g.refuse("the section Domain Context is missing")
		return
	}
	g.note("%d of %s", len(fresh), title)
}

// onlyOne puts a constraint in the place of several that have its name.
func (g *merging) onlyOne(line string) bool {
	var same []int
	for _, h := range g.d.Context.Constraints {
		if name := named(line); name != "" && named(h.Text) == name {
			same = append(same, h.Line)
		}
	}
	if len(same) < 2 || !g.e.replaceItem(same[0], line) {
		return false
	}
	for _, at := range same[1:] {
		g.e.remove(at)
	}
	g.note("constraint %s", named(line))
	return true
}

// named is the name of a constraint NAME: value, "" for a sentence.
func named(constraint string) string {
	name, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(constraint), "- "), ":")
	if name = strings.Trim(name, "`*"); !ok || strings.ContainsAny(name, " \t") {
		return ""
	}
	return name
}
