package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Specification is a request as modules with what their specs say.
type Specification struct {
	Questions []SpecQuestion `json:"questions"`
	Modules   []SpecifiedModule
}

// SpecQuestion is what a request leaves open.
type SpecQuestion struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Default  string   `json:"default"`
}

// SpecifiedModule is one module of a specification, new or changed.
type SpecifiedModule struct {
	Dir          string              `json:"dir"`
	Name         string              `json:"name"`
	Purpose      string              `json:"purpose"`
	Exports      []SpecifiedExport   `json:"exports"`
	Dependencies []SpecifiedUse      `json:"dependencies"`
	Packages     []string            `json:"packages"`
	Behaviors    []SpecifiedBehavior `json:"behaviors"`
	Contracts    []SpecifiedContract `json:"contracts"`
	States       []string            `json:"states"`
	Transitions  []SpecifiedMove     `json:"transitions"`
	Decisions    []string            `json:"decisions"`
	Constraints  []string            `json:"constraints"`
	Compat       []string            `json:"compatibility"`
	Approach     []string            `json:"approach"`
	Rejected     []SpecifiedChoice   `json:"rejected"`
	Technologies []SpecifiedChoice   `json:"technologies"`
}

// SpecifiedExport is a promise of a module. Kind is function, type, class, enum or variable.
type SpecifiedExport struct {
	Kind        string `json:"kind"`
	Signature   string `json:"signature"`
	Description string `json:"description"`
}

// SpecifiedUse is another module with the names that are used of it.
type SpecifiedUse struct {
	Module  string   `json:"module"`
	Symbols []string `json:"symbols"`
}

// SpecifiedBehavior is a scenario. Category is success or error.
type SpecifiedBehavior struct {
	Input    string `json:"input"`
	Output   string `json:"output"`
	Category string `json:"category"`
}

// SpecifiedContract is what a function asks and promises.
type SpecifiedContract struct {
	Function       string   `json:"function"`
	Preconditions  []string `json:"preconditions"`
	Postconditions []string `json:"postconditions"`
	Throws         []string `json:"throws"`
	Invariants     []string `json:"invariants"`
}

// SpecifiedMove is a transition of a state machine.
type SpecifiedMove struct {
	From    string `json:"from"`
	Trigger string `json:"trigger"`
	To      string `json:"to"`
}

// SpecifiedChoice is something chosen or rejected, and why.
type SpecifiedChoice struct {
	Choice      string `json:"choice"`
	Alternative string `json:"alternative"`
	Reason      string `json:"reason"`
}

// ReadSpecification reads an agent's answer.
func ReadSpecification(raw []byte) (Specification, error) {
	var s struct {
		Questions []SpecQuestion    `json:"questions"`
		Modules   []SpecifiedModule `json:"modules"`
	}
	err := json.Unmarshal(raw, &s)
	return Specification{s.Questions, s.Modules}, err
}

// Specified is a document that a specification makes.
type Specified struct {
	Dir     string
	Path    string
	Created bool
	Changes []string // what came to a document that was there
	Text    []byte
}

// Specify renders a specification into documents, merges them into those that there are, and says what is wrong with
// the project as it would be then: each spec by itself, and what they say of each other. within bounds where modules
// may lie, "" for anywhere. Nothing is ever taken out of a document.
func (p *Project) Specify(s Specification, within string, assumed [][2]string) ([]Specified, []spec.Problem) {
	var out []Specified
	var wrong []spec.Problem
	problem := func(dir, text, hint string) {
		wrong = append(wrong, spec.Problem{Path: path.Join(dir, specFile), Severity: spec.Error, Text: text, Hint: hint})
	}
	changed := map[string][]byte{}
	seen := map[string]bool{}
	for i := range s.Modules {
		m := &s.Modules[i]
		dir := path.Clean(strings.TrimSuffix(strings.TrimSpace(m.Dir), "/"+specFile))
		if dir == "" || path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") || foreign(dir+"/x") || strings.ContainsAny(dir, "\\\x00\n`") {
			problem(".", fmt.Sprintf("module %q: this is no directory of the project", m.Dir), "give directories relative to the project's root, with slashes")
			continue
		}
		if within != "" && dir != within && !strings.HasPrefix(dir, within+"/") {
			problem(dir, "this module lies outside of "+within, "put it into "+within+" or below")
			continue
		}
		if seen[dir] {
			problem(dir, "this module is there twice", "give each directory once")
			continue
		}
		seen[dir] = true
		m.Dir = dir
		var x Specified
		if d := p.docs[dir]; d != nil {
			var ps []spec.Problem
			x, ps = d.merge(m)
			wrong = append(wrong, ps...)
		} else {
			x = Specified{Dir: dir, Path: path.Join(dir, specFile), Created: true, Text: m.render(assumed)}
			plan := path.Join(dir, "IMPLEMENTS.md")
			if !p.Has(plan) {
				out = append(out, Specified{Dir: dir, Path: plan, Created: true, Text: m.plan(x)})
			}
		}
		if len(x.Text) > 0 {
			out = append(out, x)
			changed[x.Path] = x.Text
		}
	}
	files := slices.Clone(p.files)
	for f := range changed {
		if !p.Has(f) {
			files = append(files, f)
		}
	}
	read := p.read
	after := New(p.root, files, func(f string) []byte {
		if b, ok := changed[f]; ok {
			return b
		}
		return read(f)
	})
	for _, dir := range after.dirs {
		if seen[dir] {
			wrong = append(wrong, after.unsound(dir)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Specified) int {
		return cmp.Or(strings.Compare(a.Dir, b.Dir), strings.Compare(a.Path, b.Path))
	})
	return out, wrong
}

// unsound is what is wrong with one spec in its project: by itself, in what it uses of others, and cycles.
func (p *Project) unsound(dir string) []spec.Problem {
	d := p.docs[dir]
	var out []spec.Problem
	for _, pr := range append(slices.Clone(d.problems), spec.Check(d.Document)...) {
		if pr.Severity == spec.Error || strings.Contains(pr.Text, "cannot be read") {
			pr.Severity = spec.Error
			out = append(out, pr)
		}
	}
	add := func(line int, text, hint string) {
		out = append(out, spec.Problem{Path: d.Path, Line: line, Severity: spec.Error, Text: text, Hint: hint})
	}
	for _, dep := range d.Dependencies.Internal {
		if _, ok := p.index.Locate(dir, dep.Path); !ok {
			add(dep.Line, "it depends on "+dep.Ref+", and there is no such module", "name a module that exists, or specify it as well")
		}
	}
	for _, r := range p.references(dir) {
		if !r.Valid && r.Section == "Dependencies" {
			if to, _, _ := strings.Cut(r.Anchor, "#"); p.docs[path.Dir(to)] != nil {
				add(r.Line, "it uses "+r.Symbol+" of "+to+", which does not export it", "use what the module exports, or add it to its exports")
			}
		}
	}
	for _, c := range p.Graph().Cycles {
		if slices.Contains(c, shown(dir)) {
			add(0, "modules depend on each other in a circle: "+strings.Join(c, " → "), "take one of these dependencies out")
		}
	}
	return out
}

var specGroups = map[string]string{"function": "Functions", "type": "Types", "class": "Classes", "enum": "Enums", "variable": "Variables", "constant": "Variables"}

// render writes a new CLAUDE.md.
func (m *SpecifiedModule) render(assumed [][2]string) []byte {
	var b strings.Builder
	section := func(name, text string) {
		if text = strings.TrimRight(text, "\n"); text == "" {
			text = "None"
		}
		b.WriteString("\n## " + name + "\n\n" + text + "\n")
	}
	name := oneLine(m.Name)
	if name == "" {
		name = path.Base(m.Dir)
	}
	b.WriteString("# " + name + "\n")
	section("Purpose", oneLine(m.Purpose))
	groups := map[string][]string{}
	for _, e := range m.Exports {
		g := specGroups[e.Kind]
		if g == "" {
			g = "Functions"
		}
		groups[g] = append(groups[g], e.line())
	}
	var exports strings.Builder
	for _, g := range exportGroups {
		if len(groups[g]) > 0 {
			if exports.Len() > 0 {
				exports.WriteString("\n")
			}
			exports.WriteString("### " + g + "\n\n" + strings.Join(groups[g], ""))
		}
	}
	section("Exports", exports.String())
	section("Dependencies", m.dependencies())
	var good, bad []string
	for _, s := range m.Behaviors {
		if s.Category == "error" {
			bad = append(bad, s.line())
		} else {
			good = append(good, s.line())
		}
	}
	behavior := strings.Join(good, "")
	if len(bad) > 0 {
		behavior = headed("Success", good) + headed("Error", bad)
	}
	section("Behavior", behavior)
	var contract strings.Builder
	for i := range m.Contracts {
		contract.WriteString(m.Contracts[i].text())
	}
	section("Contract", contract.String())
	section("Protocol", m.protocol())
	var domain strings.Builder
	decisions := slices.Clone(m.Decisions)
	for _, qa := range assumed {
		decisions = append(decisions, "Assumed, nobody was asked: "+qa[0]+" "+qa[1])
	}
	for _, part := range []struct {
		name string
		list []string
	}{{"Decision Rationale", decisions}, {"Constraints", m.Constraints}, {"Compatibility", m.Compat}} {
		domain.WriteString(headed(part.name, bullets(part.list)))
	}
	section("Domain Context", domain.String())
	return []byte(b.String())
}

func headed(title string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "### " + title + "\n\n" + strings.Join(lines, "") + "\n"
}

func bullets(list []string) []string {
	var out []string
	for _, s := range list {
		if s = oneLine(s); s != "" {
			out = append(out, "- "+s+"\n")
		}
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (e SpecifiedExport) line() string {
	out := "- `" + strings.Trim(oneLine(e.Signature), "`") + "`"
	if d := oneLine(e.Description); d != "" {
		out += ": " + d
	}
	return out + "\n"
}

func (s SpecifiedBehavior) line() string {
	return "- " + oneLine(s.Input) + " → " + oneLine(s.Output) + "\n"
}

func (c *SpecifiedContract) text() string {
	var b strings.Builder
	b.WriteString("### " + oneLine(c.Function) + "\n\n")
	for _, part := range []struct {
		name string
		list []string
	}{{"Preconditions", c.Preconditions}, {"Postconditions", c.Postconditions}, {"Throws", c.Throws}, {"Invariants", c.Invariants}} {
		lines := bullets(part.list)
		if len(lines) == 0 {
			continue
		}
		b.WriteString("- **" + part.name + "**:\n")
		for _, l := range lines {
			b.WriteString("  " + l)
		}
	}
	return b.String() + "\n"
}

func (m *SpecifiedModule) dependencies() string {
	var b strings.Builder
	if len(m.Packages) > 0 {
		b.WriteString("- external:\n")
		for _, p := range m.Packages {
			b.WriteString("  - `" + oneLine(p) + "`\n")
		}
	}
	if len(m.Dependencies) > 0 {
		b.WriteString("- internal:\n")
		for _, d := range m.Dependencies {
			b.WriteString("  - `" + d.ref() + "`" + d.names() + "\n")
		}
	}
	return b.String()
}

func (d SpecifiedUse) ref() string {
	return path.Join(path.Clean(strings.TrimSuffix(strings.TrimSpace(d.Module), specFile)), specFile)
}

func (d SpecifiedUse) names() string {
	if len(d.Symbols) == 0 {
		return ""
	}
	return ": " + strings.Join(d.Symbols, ", ")
}

func (m *SpecifiedModule) protocol() string {
	if len(m.States) == 0 {
		return ""
	}
	p := AnalysisProtocol{States: m.States}
	for _, t := range m.Transitions {
		p.Transitions = append(p.Transitions, AnalysisTransition{From: oneLine(t.From), To: oneLine(t.To), Trigger: strings.TrimSuffix(oneLine(t.Trigger), "()")})
	}
	return protocolText(p)
}

// plan is the planning half of a new IMPLEMENTS.md.
func (m *SpecifiedModule) plan(x Specified) []byte {
	d, _ := spec.Parse(x.Path, x.Text)
	text := string(spec.DefaultImplements(d))
	fill := func(heading, body string) {
		if body = strings.TrimRight(body, "\n"); body == "" {
			return
		}
		at := strings.Index(text, "\n## "+heading+"\n")
		if at < 0 {
			return
		}
		from := at + len("\n## "+heading+"\n")
		to := len(text)
		for _, stop := range []string{"\n## ", "\n<!--"} {
			if i := strings.Index(text[from:], stop); i >= 0 && from+i < to {
				to = from + i
			}
		}
		text = text[:from] + "\n" + body + "\n" + text[to:]
	}
	approach := ""
	if lines := bullets(m.Approach); len(lines) > 0 {
		approach = headed("Strategy", lines)
	}
	var rejected []string
	for _, r := range m.Rejected {
		rejected = append(rejected, oneLine(cmp.Or(r.Alternative, r.Choice))+": "+oneLine(r.Reason))
	}
	approach += headed("Rejected alternatives", bullets(rejected))
	fill("Implementation Approach", approach)
	if len(m.Technologies) > 0 {
		table := "| Choice | Alternative | Reason |\n|---|---|---|\n"
		for _, t := range m.Technologies {
			table += "| " + cell(t.Choice) + " | " + cell(t.Alternative) + " | " + cell(t.Reason) + " |\n"
		}
		fill("Technology Choices", table)
	}
	return []byte(text)
}

func cell(s string) string { return strings.ReplaceAll(oneLine(s), "|", "\\|") }

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
	g.wrong = append(g.wrong, spec.Problem{Path: g.d.Path, Severity: spec.Error, Text: what, Hint: "say it otherwise, or leave it out"})
}

// merge brings a specification into a spec that is there: exports and contracts by name, scenarios, dependencies and
// statements that are not there yet. What is there stays, but for signatures of exports, which are replaced.
func (d *document) merge(m *SpecifiedModule) (Specified, []spec.Problem) {
	g := &merging{d: d, e: newEditor(d), x: Specified{Dir: d.Dir(), Path: d.Path}}
	for _, n := range m.Exports {
		g.export(n)
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
	var have, lines []string
	for _, s := range d.Behaviors {
		have = append(have, s.Input+" → "+s.Output)
	}
	for _, s := range m.Behaviors {
		lines = append(lines, s.line())
	}
	g.extend("Behavior", have, lines)
	have, lines = nil, nil
	for _, c := range d.Contracts {
		have = append(have, c.Function)
	}
	for i := range m.Contracts {
		if !slices.Contains(have, oneLine(m.Contracts[i].Function)) {
			lines = append(lines, "\n"+m.Contracts[i].text())
		}
	}
	g.extend("Contract", nil, lines)
	have = nil
	for _, list := range [][]spec.Clause{d.Context.Rationale, d.Context.Constraints, d.Context.Compatibility} {
		for _, c := range list {
			have = append(have, c.Text)
		}
	}
	g.extend("Domain Context", have, slices.Concat(bullets(m.Decisions), bullets(m.Constraints), bullets(m.Compat)))
	if len(m.States) > 0 && len(d.Protocol.States) == 0 {
		g.extend("Protocol", nil, []string{m.protocol()})
	}
	g.e.settle()
	if len(g.x.Changes) > 0 {
		g.x.Text = g.e.bytes()
	}
	return g.x, g.wrong
}

func (g *merging) export(n SpecifiedExport) {
	group := cmp.Or(specGroups[n.Kind], "Functions")
	sig := strings.Trim(oneLine(n.Signature), "`")
	name := exportName(group, sig)
	if name == "" {
		g.refuse("the export cannot be read: " + sig)
		return
	}
	var ok bool
	switch i := slices.IndexFunc(g.d.Exports, func(e spec.Export) bool { return e.Name == name }); {
	case i < 0:
		_, ok = g.e.apply(Drift{Symbol: name, mend: edit{what: addExport, group: group, text: sig}})
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

// extend puts lines that say something new at the end of a section.
func (g *merging) extend(section string, have, lines []string) {
	var fresh []string
	for _, l := range lines {
		if !slices.ContainsFunc(have, func(h string) bool { return sameSentence(h, l) }) {
			fresh = append(fresh, strings.TrimRight(l, "\n"))
		}
	}
	if len(fresh) == 0 {
		return
	}
	if !g.e.extend(section, fresh) {
		g.refuse("the section " + section + " is missing")
		return
	}
	g.note("%d in %s", len(fresh), section)
}

// exportName is the name under which a line of Exports is read.
func exportName(group, sig string) string {
	doc, _ := spec.Parse("m/CLAUDE.md", []byte("# m\n\n## Exports\n\n### "+group+"\n\n- `"+sig+"`\n"))
	if len(doc.Exports) != 1 {
		return ""
	}
	return doc.Exports[0].Name
}

func sameSentence(a, b string) bool {
	fold := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\n-*`.→>", r) {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	return fold(a) == fold(b)
}

// Describe puts what an agent read out of code into a draft that decompile made.
func Describe(draft []byte, purpose string, decisions, constraints, compatibility []string) []byte {
	text := string(draft)
	if purpose = oneLine(purpose); purpose != "" {
		text = strings.Replace(text, spec.Placeholder, purpose, 1)
	}
	domain := headed("Decision Rationale", bullets(decisions)) + headed("Constraints", bullets(constraints)) + headed("Compatibility", bullets(compatibility))
	if domain != "" {
		text = strings.Replace(text, "\n## Domain Context\n\nNone\n", "\n## Domain Context\n\n"+strings.TrimRight(domain, "\n")+"\n", 1)
	}
	return []byte(text)
}
