package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/index"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// reportedExport is an export with the list that it stands in.
type reportedExport struct {
	AnalysisExport

	category string
}

// today brings an analysis to the form that [Project.Analyze] gives it: earlier tools wrote texts as objects, and objects as
// texts. What is missing stays empty, and what no summary says is left out.
func today(a map[string]any) {
	delete(a, "tests")
	delete(a, "problems")
	uses, _ := a["dependencies"].(map[string]any)
	for u := range objects(uses["internal"]) {
		tagged, _ := u["resolution"].(map[string]any)
		if _, word := u["resolution"].(string); word {
			continue
		}
		u["resolution"] = "Unresolved"
		if ancestor, ok := tagged["Ancestor"].(map[string]any); ok {
			u["resolution"], u["distance"] = "Ancestor", ancestor["distance"]
		}
	}
	behaviors, _ := a["behaviors"].([]any)
	for i, b := range behaviors {
		if text, ok := b.(string); ok {
			in, out, _ := strings.Cut(text, "→")
			behaviors[i] = map[string]any{"input": strings.TrimSpace(in), "output": strings.TrimSpace(out)}
		}
	}
	for b := range objects(a["behaviors"]) {
		words(b, "input", "output")
	}
	for c := range objects(a["contracts"]) {
		if c["contract"] == nil {
			c["contract"] = maps.Clone(c)
		}
		if clauses, ok := c["contract"].(map[string]any); ok {
			words(clauses, "preconditions", "postconditions", "invariants", "throws")
		}
	}
	p, _ := a["protocol"].(map[string]any)
	words(p, "states", "lifecycle")
	for m := range objects(p["machines"]) {
		words(m, "states")
	}
	for t := range objects(p["transitions"]) {
		words(t, "from", "trigger", "to")
	}
	stages, _ := p["lifecycle"].([]any)
	for i, method := range stages {
		stages[i] = map[string]any{"method": method}
	}
}

// objects are those of a list.
func objects(list any) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		all, _ := list.([]any)
		for _, x := range all {
			if o, ok := x.(map[string]any); ok && !yield(o) {
				return
			}
		}
	}
}

// words puts texts where fields, or what their lists hold, are objects that have the text: in the first of the usual fields.
func words(of map[string]any, fields ...string) {
	text := func(x any) any {
		o, ok := x.(map[string]any)
		if !ok {
			return x
		}
		for _, name := range []string{"name", "method", "text", "description", "condition"} {
			if s, ok := o[name].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	for _, f := range fields {
		list, ok := of[f].([]any)
		for i, x := range list {
			list[i] = text(x)
		}
		if !ok && of[f] != nil {
			of[f] = text(of[f])
		}
	}
}

// ReadReports reads the JSON of an analysis, or of the analyses of a project: of [Project.Analyze], or of an earlier tool.
func ReadReports(raw []byte) ([]Analysis, error) {
	var one map[string]any
	if err := json.Unmarshal(bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("\xef\xbb\xbf")), &one); err != nil {
		return nil, err
	}
	all := []any{one}
	if dirs, ok := one["directories"].([]any); ok {
		all = []any{}
		for d := range objects(dirs) {
			all = append(all, cmp.Or[any](d["analysis"], map[string]any{}))
		}
	} else if one["exports"] == nil && one["analyzed_files"] == nil {
		return nil, errors.New("it has neither exports nor analyzed_files, so it is not an analysis")
	}
	for a := range objects(all) {
		today(a)
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	var out []Analysis
	return out, json.Unmarshal(raw, &out)
}

// ExportsText is the Exports of a spec for what was analysed: None, a flat list where there
// is one kind of exports, else a list under a heading for each. What is sorted by name, and
// each line reads as that export.
func (a Analysis) ExportsText() string {
	x := &a.Exports
	var all []reportedExport
	for i, list := range [][]AnalysisExport{x.Functions, x.Types, x.Classes, x.Enums, x.Variables} {
		for _, e := range list {
			all = append(all, reportedExport{e, []string{"function", "type", "class", "enum", "variable"}[i]})
		}
	}
	slices.SortStableFunc(all, func(x, y reportedExport) int { // of several with one name the code's first counts
		return cmp.Or(strings.Compare(x.File, y.File), x.Line-y.Line)
	})
	offers := make([]found, len(all))
	for i, e := range all {
		offers[i] = e.found()
	}
	groups, seen := exportList{}, map[string]bool{}
	for i, e := range all {
		own := ""
		if e.Signature == "" && e.Definition != "" {
			own = e.Name + " { " + strings.Trim(e.Definition, "{} ") + " }"
		}
		groups.add(offers, offers[i], own, "", seen)
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
func (a Analysis) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Analysis Summary: %s\n", root(a.Path))
	if text := a.ExportsText(); text != "None\n" {
		b.WriteString("\n## Exports\n\n" + text)
	}
	a.behaviors(&b)
	a.uses(&b)
	a.contracts(&b)
	a.protocol(&b)
	if len(a.Files) > 0 {
		b.WriteString("\n## Analyzed Files\n\n" + strings.Join(a.Files, ", ") + "\n")
	}
	return b.String()
}

func (a Analysis) behaviors(b *strings.Builder) {
	if len(a.Behaviors) == 0 {
		return
	}
	lists := map[bool][]string{}
	for _, x := range a.Behaviors {
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

func (a Analysis) uses(b *strings.Builder) {
	if len(a.Dependencies.External)+len(a.Dependencies.Internal) == 0 {
		return
	}
	b.WriteString("\n## Dependencies\n")
	if external := slices.Sorted(slices.Values(a.Dependencies.External)); len(external) > 0 {
		b.WriteString("\n### External\n\n- " + strings.Join(external, "\n- ") + "\n")
	}
	lines := map[string][]string{}
	for _, u := range a.Dependencies.Internal {
		switch how := u.Resolution; how {
		case "Exact":
			lines[how] = append(lines[how], "- "+root(u.Dir))
		case "Ancestor":
			lines[how] = append(lines[how], fmt.Sprintf("- %s (Ancestor, distance=%d)", root(u.Dir), u.Distance))
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

func (a Analysis) contracts(b *strings.Builder) {
	if len(a.Contracts) == 0 {
		return
	}
	list := slices.Clone(a.Contracts)
	slices.SortStableFunc(list, func(x, y AnalysisContract) int { return strings.Compare(x.Function, y.Function) })
	b.WriteString("\n## Contracts\n")
	for _, c := range list {
		x := c.Contract
		fmt.Fprintf(b, "\n### %s\n\n", c.Function)
		for _, part := range []struct {
			label string
			list  []string
		}{{"Pre", x.Preconditions}, {"Post", x.Postconditions}, {"Invariant", x.Invariants}, {"Throws", x.Throws}} {
			for _, w := range part.list {
				fmt.Fprintf(b, "- %s: %s\n", part.label, w)
			}
		}
	}
}

func (a Analysis) protocol(b *strings.Builder) {
	p := a.Protocol
	if len(p.States)+len(p.Transitions)+len(p.Lifecycle) == 0 {
		return
	}
	b.WriteString("\n## Protocol\n")
	states := func(list []string) { b.WriteString(strings.Join(list, " → ") + "\n") }
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
			fmt.Fprintf(b, "%d. %s\n", i+1, s.Method)
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
