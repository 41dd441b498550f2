package inspect

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// merging is a specification on its way into a spec that is there.
type merging struct {
	d     *document
	e     *editor
	x     Specified
	wrong []spec.Problem
}

func (g *merging) note(format string, a ...any) {
	g.x.Changes = append(g.x.Changes, fmt.Sprintf(format, a...))
}

func (g *merging) refuse(what string) {
	hint := "say it otherwise, or leave it out"
	if strings.HasPrefix(what, "exports: ") {
		hint = exportForms
	}
	g.wrong = append(g.wrong, spec.Problem{Path: g.d.Path, Severity: spec.Error, Text: what, Hint: hint})
}

// exportForms tells in which forms exports are written.
const exportForms = "write it as `name(param: type): result` (also `name(param type) result` or `-> result`), `Type.method(param: type): result`, " +
	"`Name { field: type }`, `Name(param: type)` for a class or an error type, `Name: A | B`, `NAME = value` or `NAME: type`"

// merge brings a specification into a spec that is there. What is said of an export, of a scenario with the same
// input, or of a function's contract takes the place of what was said of it; the rest is added where it belongs, and
// nothing else changes. Exports go only where the specification says so by name.
func (d *document) merge(m *SpecifiedModule) (Specified, []spec.Problem) {
	g := &merging{d: d, e: newEditor(d), x: Specified{Dir: d.Dir(), Path: d.Path}}
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
	for _, u := range m.Dependencies {
		if slices.ContainsFunc(d.Dependencies.Internal, func(i spec.Internal) bool { return path.Join(i.Path, specFile) == u.ref() || i.Ref == u.ref() }) {
			continue
		}
		if _, ok := g.e.addDependency(u.ref(), u.names()); !ok {
			g.refuse("the dependency " + u.ref() + " has no place in the document")
		}
		g.note("dependency %s", u.ref())
	}
	for _, s := range m.Behaviors {
		g.scenario(s)
	}
	for i := range m.Contracts {
		g.contract(&m.Contracts[i])
	}
	var have []string
	for _, list := range [][]spec.Clause{d.Context.Rationale, d.Context.Constraints, d.Context.Compatibility} {
		for _, c := range list {
			have = append(have, c.Text)
		}
	}
	g.statements("Decision Rationale", have, m.Decisions)
	g.statements("Constraints", have, m.Constraints)
	g.statements("Compatibility", have, m.Compat)
	g.machine(m)
	g.e.settle()
	if len(g.x.Changes) > 0 {
		g.x.Text = g.e.bytes()
	}
	return g.x, g.wrong
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
		return
	default:
		old := g.d.Exports[i]
		_, ok = g.e.apply(Drift{Symbol: name, mend: edit{what: replaceSignature, line: old.Line, old: old.Signature, text: sig}})
		g.note("signature of %s", name)
	}
	if !ok {
		g.refuse("the export " + sig + " has no place in the document")
	}
}

func (g *merging) remove(name string) {
	i := slices.IndexFunc(g.d.Exports, func(e spec.Export) bool { return e.Name == strings.TrimSpace(name) })
	if i < 0 {
		g.refuse("remove: " + name + " is no export of the module")
		return
	}
	if _, ok := g.e.apply(Drift{mend: edit{what: removeExport, line: g.d.Exports[i].Line}}); ok {
		g.note("without export %s", name)
	}
	for _, c := range g.d.Contracts {
		if c.Function == strings.TrimSpace(name) {
			g.e.remove(c.Line)
		}
	}
}

// scenario replaces the one with the same input, or adds one under the heading of its category.
func (g *merging) scenario(s SpecifiedBehavior) {
	for _, b := range g.d.Behaviors {
		if !sameSentence(b.Input, value(s.Input)) {
			continue
		}
		if sameSentence(b.Output, value(s.Output)) {
			return
		}
		if b.Category != "" && b.Category != s.Category {
			if _, ok := g.e.remove(b.Line); ok {
				break // it goes to the others of its category
			}
		}
		if !g.e.replaceItem(b.Line, strings.TrimSuffix(s.line(), "\n")) {
			g.refuse("behaviors: " + value(s.Input) + " stands in the document with another outcome that cannot be replaced")
			return
		}
		g.note("scenario of %s", value(s.Input))
		return
	}
	title, keys := success, []string{"success", "정상", "normal", "성공"}
	if s.Category == "error" {
		title, keys = failure, []string{"error", "에러", "failure", "오류", "실패", "예외"}
	}
	if !g.e.under("Behavior", title, keys, []string{strings.TrimSuffix(s.line(), "\n")}, s.Category == "error") {
		g.refuse("the section Behavior is missing")
		return
	}
	g.note("scenario of %s", value(s.Input))
}

func (g *merging) contract(c *SpecifiedContract) {
	name := oneLine(c.Function)
	lines := strings.Split(strings.Trim(c.text(), "\n"), "\n")
	for _, have := range g.d.Contracts {
		if have.Function != name {
			continue
		}
		if !g.e.replaceSection("Contract", name, lines[2:]) {
			g.refuse("contracts: the contract of " + name + " stands in the document in a form that cannot be replaced")
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

// statements adds what is new under a heading of Domain Context.
func (g *merging) statements(title string, have, list []string) {
	var fresh []string
	for _, l := range bullets(list) {
		if !slices.ContainsFunc(have, func(h string) bool { return sameSentence(h, l) }) {
			fresh = append(fresh, strings.TrimRight(l, "\n"))
		}
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

// machine joins the states and transitions that there are with those of the specification.
func (g *merging) machine(m *SpecifiedModule) {
	if len(m.States)+len(m.Transitions) == 0 {
		return
	}
	var have AnalysisProtocol
	for _, s := range g.d.Protocol.States {
		have.States = append(have.States, s.Text)
	}
	for _, t := range g.d.Protocol.Transitions {
		trigger, _, _ := strings.Cut(t.Trigger, "(")
		have.Transitions = append(have.Transitions, AnalysisTransition{From: t.From, To: t.To, Trigger: trigger})
	}
	for _, l := range g.d.Protocol.Lifecycle {
		have.Lifecycle = append(have.Lifecycle, AnalysisStage{Order: l.Order, Method: strings.TrimSuffix(l.Method, "()"), Description: l.Description})
	}
	now := m.machine(AnalysisProtocol{States: slices.Clone(have.States), Transitions: slices.Clone(have.Transitions), Lifecycle: have.Lifecycle})
	if len(now.States) == len(have.States) && len(now.Transitions) == len(have.Transitions) {
		return
	}
	if !g.e.rewrite("Protocol", strings.Split(strings.TrimRight(protocolText(now), "\n"), "\n")) {
		g.refuse("the section Protocol is missing")
		return
	}
	g.note("states")
}
