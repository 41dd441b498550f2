package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/index"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Report is an analysis that was read back from JSON: that of [Project.Analyze], or of an
// earlier tool. What is missing in it is empty, and what is not known is left out.
type Report struct {
	Path         string          `json:"path"`
	Exports      AnalysisExports `json:"exports"`
	Dependencies struct {
		External []string      `json:"external"`
		Internal []reportedUse `json:"internal"`
	} `json:"dependencies"`
	Behaviors []reportedBehavior `json:"behaviors"`
	Contracts []reportedContract `json:"contracts"`
	Protocol  *reportedProtocol  `json:"protocol"`
	Files     []string           `json:"analyzed_files"`
}

// reportedExport is an export with the list that it stands in.
type reportedExport struct {
	AnalysisExport

	category string
}

type reportedUse struct {
	Raw        string          `json:"raw_import"`
	Dir        string          `json:"resolved_dir"`
	Resolution json.RawMessage `json:"resolution"`
	Distance   int             `json:"distance"`
}

// resolved is Exact, Ancestor with its distance, or Unresolved.
func (u reportedUse) resolved() (string, int) {
	var word string
	if json.Unmarshal(u.Resolution, &word) == nil {
		return word, u.Distance
	}
	var tagged struct {
		Ancestor *struct {
			Distance int `json:"distance"`
		}
	}
	if json.Unmarshal(u.Resolution, &tagged) == nil && tagged.Ancestor != nil {
		return "Ancestor", tagged.Ancestor.Distance
	}
	return "Unresolved", 0
}

type reportedBehavior struct {
	Input    words `json:"input"`
	Output   words `json:"output"`
	Category string
}

// UnmarshalJSON takes a sentence as well.
func (b *reportedBehavior) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		in, out, _ := strings.Cut(text, "→")
		b.Input, b.Output = words(strings.TrimSpace(in)), words(strings.TrimSpace(out))
		return nil
	}
	type plain reportedBehavior
	return json.Unmarshal(raw, (*plain)(b))
}

type reportedClauses struct {
	Preconditions  []words `json:"preconditions"`
	Postconditions []words `json:"postconditions"`
	Invariants     []words `json:"invariants"`
	Throws         []words `json:"throws"`
}

type reportedContract struct {
	reportedClauses

	Function string           `json:"function_name"`
	Contract *reportedClauses `json:"contract"`
}

type reportedProtocol struct {
	States   []words `json:"states"`
	Machines []struct {
		Name   string  `json:"name"`
		States []words `json:"states"`
	} `json:"machines"`
	Transitions []struct {
		From    words `json:"from"`
		Trigger words `json:"trigger"`
		To      words `json:"to"`
	} `json:"transitions"`
	Lifecycle []words `json:"lifecycle"`
}

// words is a text, or the text in an object.
type words string

// UnmarshalJSON takes the first of the usual fields of an object.
func (w *words) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*w = words(text)
		return nil
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return err
	}
	for _, name := range []string{"name", "method", "text", "description", "condition"} {
		if s, ok := fields[name].(string); ok && s != "" {
			*w = words(s)
			return nil
		}
	}
	return nil
}

// ReadReports reads the JSON of an analysis, or of the analyses of a project.
func ReadReports(raw []byte) ([]Report, error) {
	var all struct {
		Directories []struct {
			Path     string `json:"path"`
			Analysis Report `json:"analysis"`
		} `json:"directories"`
		Files   json.RawMessage `json:"analyzed_files"`
		Exports json.RawMessage `json:"exports"`
	}
	raw = bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("\xef\xbb\xbf"))
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	if all.Directories != nil {
		out := make([]Report, 0, len(all.Directories))
		for _, d := range all.Directories {
			out = append(out, d.Analysis)
		}
		return out, nil
	}
	if all.Exports == nil && all.Files == nil {
		return nil, errors.New("it has neither exports nor analyzed_files, so it is not an analysis")
	}
	var r Report
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	return []Report{r}, nil
}

// Report is the analysis as others read it.
func (a Analysis) Report() (Report, error) {
	raw, err := json.Marshal(a)
	if err != nil {
		return Report{}, err
	}
	list, err := ReadReports(raw)
	if err != nil {
		return Report{}, err
	}
	return list[0], nil
}

// ExportsText is the Exports of a spec for what was analysed: None, a flat list where there
// is one kind of exports, else a list under a heading for each. What is sorted by name, and
// each line reads as that export.
func (r Report) ExportsText() string {
	x := &r.Exports
	var all []reportedExport
	for i, list := range [][]AnalysisExport{x.Functions, x.Types, x.Classes, x.Enums, x.Variables} {
		for _, e := range list {
			all = append(all, reportedExport{e, []string{"function", "type", "class", "enum", "variable"}[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b reportedExport) int { // of several with one name the code's first counts
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	offers := make([]found, len(all))
	for i, e := range all {
		offers[i] = e.found()
	}
	groups := exportList{}
	seen := map[string]bool{}
	for i, e := range all {
		o := offers[i]
		if e.Name == "*" || e.Name == "" || strings.HasPrefix(o.Name, "_") || isConstructor(o.Export, source.LangOf(o.file)) {
			continue
		}
		for _, of := range constructorsOf(offers, o) {
			group, line := "Types", e.Name+" { "+strings.Trim(e.Definition, "{} ")+" }"
			if e.Signature != "" || e.Definition == "" || !readsAs(group, line, e.Name) {
				group, line = exportLine(o.Export, e.Name, of)
			}
			if role := roleOf(group, e.Name, line); line != "" && !seen[role] {
				seen[role] = true
				groups[group] = append(groups[group], [2]string{e.Name, "- `" + line + "`\n"})
			}
		}
	}
	for _, e := range x.ReExports {
		line := [2]string{e.Name, "- `" + e.Name + "` (from `" + e.Source + "`)\n"}
		if e.Name != "*" && !slices.Contains(groups[reExports], line) { // no spec can list what is not known
			groups[reExports] = append(groups[reExports], line)
		}
	}
	return groups.text(false)
}

// found is an export as the code had it, as far as the report says.
func (e reportedExport) found() found {
	x := found{Export: source.Export{Name: e.Name, Kind: e.category, Signature: e.Signature, Text: e.Signature, Variants: e.Variants, Cases: e.Cases, Value: e.Value, Bases: e.Bases, Static: e.Static, Literal: e.VarType}, file: e.File}
	if x.Static && e.category == "variable" && strings.Contains(e.Name, ".") {
		x.Kind = "property"
	}
	if e.category == "class" && e.Kind == "" && !strings.HasPrefix(e.Signature, "class ") && strings.Contains(e.Signature, "(") { // it says how it is made
		x.Made = e.Signature
	}
	if e.Kind != "" && e.Signature != "" {
		x.Kind = e.Kind
	}
	if i := strings.LastIndexByte(e.Name, '.'); i >= 0 {
		x.Owner, x.Name = e.Name[:i], e.Name[i+1:]
		if e.category == "function" {
			x.Kind = "method"
		}
	}
	return x
}

// Summary is the analysis in Markdown, without what is empty.
func (r Report) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Analysis Summary: %s\n", root(r.Path))
	if text := r.ExportsText(); text != "None\n" {
		b.WriteString("\n## Exports\n\n" + text)
	}
	r.behaviors(&b)
	r.uses(&b)
	r.contracts(&b)
	r.protocol(&b)
	if len(r.Files) > 0 {
		b.WriteString("\n## Analyzed Files\n\n" + strings.Join(r.Files, ", ") + "\n")
	}
	return b.String()
}

func (r Report) behaviors(b *strings.Builder) {
	if len(r.Behaviors) == 0 {
		return
	}
	lists := map[bool][]string{}
	for _, x := range r.Behaviors {
		isError := strings.EqualFold(x.Category, "error")
		lists[isError] = append(lists[isError], fmt.Sprintf("- %s → %s\n", x.Input, x.Output))
	}
	b.WriteString("\n## Behaviors\n")
	for _, isError := range []bool{false, true} {
		if len(lists[isError]) == 0 {
			continue
		}
		b.WriteString("\n")
		if len(lists) == 2 {
			b.WriteString(map[bool]string{false: "### Success\n\n", true: "### Error\n\n"}[isError])
		}
		b.WriteString(strings.Join(lists[isError], ""))
	}
}

func (r Report) uses(b *strings.Builder) {
	if len(r.Dependencies.External)+len(r.Dependencies.Internal) == 0 {
		return
	}
	b.WriteString("\n## Dependencies\n")
	if external := slices.Sorted(slices.Values(r.Dependencies.External)); len(external) > 0 {
		b.WriteString("\n### External\n\n- " + strings.Join(external, "\n- ") + "\n")
	}
	lines := map[string][]string{}
	for _, u := range r.Dependencies.Internal {
		how, distance := u.resolved()
		switch how {
		case "Exact":
			lines[how] = append(lines[how], "- "+root(u.Dir))
		case "Ancestor":
			lines[how] = append(lines[how], fmt.Sprintf("- %s (Ancestor, distance=%d)", root(u.Dir), distance))
		default:
			lines["Unresolved"] = append(lines["Unresolved"], "- "+u.Raw+" (Unresolved)")
		}
	}
	var all []string
	for _, how := range []string{"Exact", "Ancestor", "Unresolved"} {
		slices.Sort(lines[how])
		all = append(all, slices.Compact(lines[how])...)
	}
	if len(all) > 0 {
		b.WriteString("\n### Internal\n\n" + strings.Join(all, "\n") + "\n")
	}
}

func (r Report) contracts(b *strings.Builder) {
	if len(r.Contracts) == 0 {
		return
	}
	list := slices.Clone(r.Contracts)
	slices.SortStableFunc(list, func(x, y reportedContract) int { return strings.Compare(x.Function, y.Function) })
	b.WriteString("\n## Contracts\n")
	for _, c := range list {
		x := c.reportedClauses
		if c.Contract != nil {
			x = *c.Contract
		}
		fmt.Fprintf(b, "\n### %s\n\n", c.Function)
		for _, part := range []struct {
			label string
			list  []words
		}{{"Pre", x.Preconditions}, {"Post", x.Postconditions}, {"Invariant", x.Invariants}, {"Throws", x.Throws}} {
			for _, w := range part.list {
				fmt.Fprintf(b, "- %s: %s\n", part.label, w)
			}
		}
	}
}

func (r Report) protocol(b *strings.Builder) {
	p := r.Protocol
	if p == nil || len(p.States)+len(p.Transitions)+len(p.Lifecycle) == 0 {
		return
	}
	b.WriteString("\n## Protocol\n")
	states := func(list []words) {
		for i, s := range list {
			if i > 0 {
				b.WriteString(" → ")
			}
			b.WriteString(string(s))
		}
		b.WriteString("\n")
	}
	if len(p.States) > 0 {
		b.WriteString("\n### States\n")
	}
	for _, m := range p.Machines {
		b.WriteString("\n" + m.Name + ": ")
		states(m.States)
	}
	if len(p.States) > 0 && len(p.Machines) == 0 {
		b.WriteString("\n")
		states(p.States)
	}
	if len(p.Transitions) > 0 {
		b.WriteString("\n### Transitions\n\n")
		for _, t := range p.Transitions {
			fmt.Fprintf(b, "- %s → %s (%s)\n", t.From, t.To, t.Trigger)
		}
	}
	if len(p.Lifecycle) > 0 {
		b.WriteString("\n### Lifecycle\n\n")
		for i, s := range p.Lifecycle {
			fmt.Fprintf(b, "%d. %s\n", i+1, s)
		}
	}
}

// ReadTree reads the directories that need a spec from the JSON of a [Tree].
func ReadTree(raw []byte) ([]string, error) {
	var tree struct {
		Needs []struct {
			Path string `json:"path"`
		} `json:"needs_claude_md"`
	}
	if err := json.Unmarshal(bytes.TrimSpace(raw), &tree); err != nil {
		return nil, err
	}
	if tree.Needs == nil {
		return nil, errors.New("it has no needs_claude_md, so it is not a tree")
	}
	out := []string{}
	for _, n := range tree.Needs {
		out = append(out, root(n.Path))
	}
	return out, nil
}

func root(dir string) string {
	if dir = strings.TrimSuffix(dir, "/"); dir == "" {
		return "."
	}
	return path.Clean(dir)
}

// ResolveIn resolves the imports of an analysis against the directories of a tree: Exact
// when the directory is one of them, Ancestor when one above it is, else Unresolved.
func (p *Project) ResolveIn(a *Analysis, tree []string) {
	in := setOf(tree)
	dir := root(a.Path)
	a.Dependencies.Internal = []AnalysisUse{}
	for _, name := range a.Files {
		file := path.Join(dir, name)
		for _, imp := range p.parse(file, p.read(file)).Imports {
			if targets := p.targets(file, imp); len(targets) > 0 {
				at, _ := p.dirOf(targets[0])
				a.Dependencies.Internal = append(a.Dependencies.Internal, p.resolved(dir, imp.From, at, in))
			}
		}
	}
	slices.SortFunc(a.Dependencies.Internal, func(x, y AnalysisUse) int { return strings.Compare(x.Raw, y.Raw) })
	a.Dependencies.Internal = slices.Compact(a.Dependencies.Internal)
}

// resolved is an import in a directory that leads to another, as the modules are.
func (p *Project) resolved(dir, raw, at string, modules map[string]bool) AnalysisUse {
	u := AnalysisUse{Raw: raw, Dir: at, Resolution: "Unresolved", IsChild: dir == "." || strings.HasPrefix(at, dir+"/")}
	for d := range upwards(at) {
		if modules[d] {
			u.Dir, u.Spec, u.Resolution = d, p.SpecPath(d), "Exact"
			if d != at {
				u.Resolution, u.Distance = "Ancestor", index.Depth(at)-index.Depth(d)
			}
			return u
		}
		if strings.HasPrefix(d, "..") {
			return u
		}
	}
	return u
}

// dirOf is the directory that an import leads to: itself, or that of the file that it names. There says that the project
// has it.
func (p *Project) dirOf(target string) (dir string, there bool) {
	if p.hasDir(target) || target == "." {
		return target, true
	}
	for _, ext := range append([]string{""}, sourceExtensions()...) {
		if p.Has(target+ext) || ext != "" && p.Has(strings.TrimSuffix(target, path.Ext(target))+ext) { // "./a.js" may be a.ts
			return path.Dir(target), true
		}
	}
	return target, false
}

func sourceExtensions() []string {
	var out []string
	for _, l := range toolchain.Languages() {
		out = append(out, toolchain.Extensions(l)...)
	}
	return out
}
