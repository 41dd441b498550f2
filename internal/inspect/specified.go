package inspect

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Specification is a request as modules with what their specs say, as an agent answers it in JSON.
type Specification struct {
	Questions []SpecQuestion    `json:"questions"`
	Modules   []SpecifiedModule `json:"modules"`
}

// SpecQuestion is what a request leaves open.
type SpecQuestion struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Default  string   `json:"default"`
}

// SpecifiedModule is one module of a specification, new or changed.
type SpecifiedModule struct {
	Dir          string               `json:"dir"`
	Name         string               `json:"name"`
	Purpose      string               `json:"purpose"`
	Exports      []SpecifiedExport    `json:"exports"`
	Remove       []string             `json:"remove"` // exports that go, of a module that is there
	Dependencies []SpecifiedUse       `json:"dependencies"`
	Packages     []string             `json:"packages"`
	Behaviors    []spec.Behavior      `json:"behaviors"`
	Contracts    []SpecifiedContract  `json:"contracts"`
	States       []string             `json:"states"`
	Transitions  []AnalysisTransition `json:"transitions"`
	Decisions    []string             `json:"decisions"`
	Constraints  []string             `json:"constraints"`
	Compat       []string             `json:"compatibility"`
	Approach     []string             `json:"approach"`
	Rejected     []SpecifiedChoice    `json:"rejected"`
	Technologies []SpecifiedChoice    `json:"technologies"`
}

// SpecifiedExport is a promise of a module. Kind is function, type, class, enum or variable.
type SpecifiedExport struct {
	Kind        string `json:"kind"`
	Signature   string `json:"signature"`
	Description string `json:"description"`
}

// SpecifiedUse is another module with the names that are used of it.
type SpecifiedUse struct {
	Module  string   `json:"module"` // its directory or spec; the spec once it is looked up
	Symbols []string `json:"symbols"`
}

// SpecifiedContract is what a function asks and promises.
type SpecifiedContract struct {
	Function       string   `json:"function"`
	Preconditions  []string `json:"preconditions"`
	Postconditions []string `json:"postconditions"`
	Throws         []string `json:"throws"`
	Invariants     []string `json:"invariants"`
}

// SpecifiedChoice is something chosen or rejected, and why.
type SpecifiedChoice struct {
	Choice      string `json:"choice"`
	Alternative string `json:"alternative"`
	Reason      string `json:"reason"`
}

// Specified is a document that a specification makes.
type Specified struct {
	Dir     string
	Path    string
	Created bool
	Changes []string // what came to a document that was there
	Text    []byte
}

// place puts the spec of a module before its plan.
func (x *Specified) place() int {
	if spec.IsName(x.Path) {
		return 0
	}
	return 1
}

// Headings of scenarios.

var (
	goMethod   = re.New(`^(?:func\s+)?\(\s*(?:\w+\s+)?\*?(\w+)(?:\[[^\]]*\])?\s*\)\.?\s*(\w.*)$`)
	goType     = re.New(`^(?:type\s+)?(\w+)\s+(?:struct|interface)\s*(\{.*\})$`)
	goSentinel = re.New(`^(?:var\s+)?((?:Err|err)\w*)\s*(?:\s+error|=\s*(?:errors\.New|fmt\.Errorf)\(.*\))$`)
	goFunc     = re.New(`^(?:type\s+)?(\w+)\s*=?\s+(func\(.*)$`)
	leadWords  = re.New(`^(?:export\s+|default\s+|public\s+|pub\s+|func\s+|function\s+|def\s+|fn\s+|class\s+|interface\s+|type\s+|const\s+|var\s+|val\s+|enum\s+)+`)
	extending  = re.New(`^(\w+)\s+(?:extends|implements)\s+.*$`)
)

// read finds the group of an export and the signature in the form of a spec: the kind that was said, else the one as
// which the signature reads. ok is false when it reads as none.
func (e SpecifiedExport) read() (group, sig string, ok bool) {
	sig = strings.Trim(oneLine(e.Signature), "`")
	forms := []string{sig}
	if m := goMethod().FindStringSubmatch(sig); m != nil {
		forms = append([]string{m[1] + "." + m[2]}, forms...)
	} else if m := goType().FindStringSubmatch(sig); m != nil {
		forms = append([]string{m[1] + " " + m[2]}, forms...)
	} else if m := goFunc().FindStringSubmatch(sig); m != nil {
		return "Types", m[1] + " = " + m[2], exportName("Types", m[1]+" = "+m[2]) == m[1]
	} else if m := goSentinel().FindStringSubmatch(sig); m != nil {
		forms = append([]string{m[1] + ": error"}, forms...)
	} else if bare := leadWords().ReplaceAllString(sig, ""); bare != sig {
		forms = append([]string{bare}, forms...)
		sig = bare
	}
	if m := extending().FindStringSubmatch(sig); m != nil {
		forms = append([]string{m[1] + "()"}, forms...)
	}
	for _, f := range forms {
		order := append([]string{specGroups[e.Kind], looksLike(f, e.Signature)}, exportGroups...)
		for _, g := range order {
			if exportName(g, f) != "" && kindFits(g, f) {
				return g, f, true
			}
		}
	}
	return cmp.Or(specGroups[e.Kind], "Functions"), sig, false
}

// kindFits reports whether a signature can stand under a heading.
func kindFits(group, sig string) bool {
	call := strings.Contains(sig, "(")
	switch group {
	case "Functions":
		return call
	case "Classes":
		return call && !strings.Contains(sig, "->") && !strings.Contains(sig, "):")
	case "Variables":
		return !call && !strings.Contains(sig, "{")
	case "Enums":
		return strings.Contains(sig, "|")
	}
	return group != ""
}

// looksLike is the group of a signature of which nobody said what it is.
func looksLike(sig, written string) string {
	brace, paren := strings.IndexByte(sig, '{'), strings.IndexByte(sig, '(')
	switch {
	case brace >= 0 && (paren < 0 || brace < paren):
		return "Types"
	case paren >= 0 && strings.Contains(written, "class "):
		return "Classes"
	case paren >= 0:
		return "Functions"
	case strings.Contains(sig, "|"):
		return "Enums"
	}
	return "Variables"
}

var specGroups = map[string]string{"function": "Functions", "type": "Types", "class": "Classes", "enum": "Enums", "variable": "Variables", "constant": "Variables"}

// render writes a new spec.
func (m *SpecifiedModule) render(assumed [][2]string) []byte {
	var b strings.Builder
	section := func(name, text string) {
		b.WriteString("\n## " + name + "\n\n" + cmp.Or(strings.TrimRight(text, "\n"), "None") + "\n")
	}
	b.WriteString("# " + cmp.Or(oneLine(m.Name), path.Base(m.Dir)) + "\n")
	section("Purpose", oneLine(m.Purpose))
	groups := map[string][]string{}
	for _, e := range m.Exports {
		g, sig, _ := e.read()
		e.Signature = sig
		groups[g] = append(groups[g], e.line())
	}
	var exports strings.Builder
	for _, g := range exportGroups {
		exports.WriteString(headed(g, groups[g]))
	}
	section("Exports", exports.String())
	section("Dependencies", m.dependencies())
	var good, bad []string
	for _, s := range m.Behaviors {
		if s.Category == "error" {
			bad = append(bad, scenarioLine(s))
		} else {
			good = append(good, scenarioLine(s))
		}
	}
	behavior := strings.Join(good, "\n")
	if len(bad) > 0 {
		behavior = headed(success, good) + headed(failure, bad)
	}
	section("Behavior", behavior)
	var contract strings.Builder
	for i := range m.Contracts {
		contract.WriteString(m.Contracts[i].text())
	}
	section("Contract", contract.String())
	section("Protocol", protocolText(m.machine(AnalysisProtocol{})))
	var domain strings.Builder
	for _, part := range []struct {
		name string
		list []string
	}{{"Decision Rationale", m.decided(assumed)}, {"Constraints", m.Constraints}, {"Compatibility", m.Compat}} {
		domain.WriteString(headed(part.name, bullets(part.list)))
	}
	section("Domain Context", domain.String())
	return []byte(b.String())
}

// decided are the decisions with what was assumed because nobody could be asked.
func (m *SpecifiedModule) decided(assumed [][2]string) []string {
	out := slices.Clone(m.Decisions)
	for _, qa := range assumed {
		out = append(out, "Assumed without asking: "+qa[0]+" "+qa[1])
	}
	return out
}

func (e SpecifiedExport) line() string {
	out := "- `" + strings.Trim(oneLine(e.Signature), "`") + "`"
	if d := oneLine(e.Description); d != "" {
		out += ": " + d
	}
	return out
}

// scenarioLine is a scenario as a spec writes it.
func scenarioLine(s spec.Behavior) string { return "- " + value(s.Input) + " → " + value(s.Output) }

// value keeps what a value has of white space as people write it.
func value(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(strings.Trim(s, " "))
}

// sameValue compares inputs and outcomes: every character counts, but for back-ticks around code.
func sameValue(a, b string) bool {
	fold := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "`", "")) }
	return fold(a) == fold(b)
}

func (c *SpecifiedContract) text() string {
	return "### " + oneLine(c.Function) + "\n\n" + clausesText(said(c.Preconditions), said(c.Postconditions), said(c.Throws), said(c.Invariants)) + "\n"
}

// clausesText are the clauses of a contract as a spec writes them.
func clausesText(pre, post, throws, invariants []string) string {
	var b strings.Builder
	for i, list := range [][]string{pre, post, throws, invariants} {
		if len(list) > 0 {
			b.WriteString("- **" + []string{"Preconditions", "Postconditions", "Throws", "Invariants"}[i] + "**:\n  - " + strings.Join(list, "\n  - ") + "\n")
		}
	}
	return b.String()
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
			b.WriteString("  - `" + d.Module + "`" + d.names() + "\n")
		}
	}
	return b.String()
}

func (d SpecifiedUse) names() string {
	if len(d.Symbols) == 0 {
		return ""
	}
	return ": " + strings.Join(d.Symbols, ", ")
}

// machine is the state machine of a specification, added to one that is there.
func (m *SpecifiedModule) machine(p AnalysisProtocol) AnalysisProtocol {
	state := func(s string) {
		if s = oneLine(s); s != "" && !slices.Contains(p.States, s) {
			p.States = append(p.States, s)
		}
	}
	for _, s := range m.States {
		state(s)
	}
	for _, t := range m.Transitions {
		trigger, _, _ := strings.Cut(oneLine(t.Trigger), "(")
		x := AnalysisTransition{From: oneLine(t.From), To: oneLine(t.To), Trigger: trigger}
		state(x.From)
		state(x.To)
		if !slices.Contains(p.Transitions, x) {
			p.Transitions = append(p.Transitions, x)
		}
	}
	return p
}

// plan is the planning half of a new IMPLEMENTS.md.
func (m *SpecifiedModule) plan(x Specified) []byte {
	d, _ := spec.Parse(x.Path, x.Text)
	e, rest := planEditor(spec.DefaultImplements(d))
	if approach := headed("Strategy", bullets(m.Approach)) + headed("Alternatives Considered", bullets(m.rejections())); approach != "" {
		e.rewrite("Implementation Approach", strings.Split(strings.TrimRight(approach, "\n"), "\n"))
	}
	e.technologies(m.Technologies)
	return append(e.bytes(), rest...)
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
	const from, to = "\n## Purpose\n\n", "\n\n## Exports\n"
	if i, j := strings.Index(text, from), strings.Index(text, to); oneLine(purpose) != "" && i >= 0 && j > i {
		text = text[:i+len(from)] + oneLine(purpose) + text[j:]
	}
	domain := headed("Decision Rationale", bullets(decisions)) + headed("Constraints", bullets(constraints)) + headed("Compatibility", bullets(compatibility))
	if domain != "" {
		text = strings.Replace(text, "\n## Domain Context\n\nNone\n", "\n## Domain Context\n\n"+strings.TrimRight(domain, "\n")+"\n", 1)
	}
	return []byte(text)
}
