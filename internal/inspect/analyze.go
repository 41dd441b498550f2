package inspect

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Analysis is what the code directly in a directory offers, uses, asks and promises. Nothing is guessed: behaviours
// are those that tests or documentation write as "input → output".
type Analysis struct {
	Path         string             `json:"path"`
	Exports      AnalysisExports    `json:"exports"`
	Dependencies AnalysisUses       `json:"dependencies"`
	Behaviors    []spec.Behavior    `json:"behaviors"`
	Contracts    []AnalysisContract `json:"contracts"`
	Protocol     AnalysisProtocol   `json:"protocol"`
	Tests        []string           `json:"tests"`
	Files        []string           `json:"analyzed_files"`
	// Problems are files that could not be read as code.
	Problems []AnalysisProblem `json:"problems"`
}

// AnalysisProblem is a file that could not be read as code, and why.
type AnalysisProblem struct {
	File    string `json:"file"`
	Message string `json:"message"`
}

// AnalysisExports are exports by kind, sorted by name.
type AnalysisExports struct {
	Functions []AnalysisExport `json:"functions"`
	Types     []AnalysisExport `json:"types"`
	Classes   []AnalysisExport `json:"classes"`
	Enums     []AnalysisExport `json:"enums"`
	Variables []AnalysisExport `json:"variables"`
	ReExports []AnalysisExport `json:"re_exports"`
}

// AnalysisExport is one export. Definition is set for types, VarType for variables, Variants for enums and Source for
// names that are exported again.
type AnalysisExport struct {
	Name        string   `json:"name"`
	Signature   string   `json:"signature,omitempty"`
	Kind        string   `json:"kind,omitempty"`
	Definition  string   `json:"definition,omitempty"`
	VarType     string   `json:"var_type,omitempty"`
	Variants    []string `json:"variants,omitempty"`
	Cases       []string `json:"cases,omitempty"` // variants with what they carry or are set to, where they do
	Value       string   `json:"value,omitempty"` // of a constant that is set to a literal
	Bases       []string `json:"bases,omitempty"` // of a class
	Static      bool     `json:"static,omitempty"`
	Source      string   `json:"source,omitempty"`
	Description string   `json:"description,omitempty"`
	File        string   `json:"file"`
	Line        int      `json:"line"`
}

// AnalysisContract is what a function asks and promises.
type AnalysisContract struct {
	Function string          `json:"function_name"`
	Contract AnalysisClauses `json:"contract"`
}

// AnalysisClauses are the parts of a contract.
type AnalysisClauses struct {
	Preconditions  []string `json:"preconditions"`
	Postconditions []string `json:"postconditions"`
	Invariants     []string `json:"invariants"`
	Throws         []string `json:"throws"`
}

// AnalysisProtocol is the state machine and the life cycle of a module. Where the code has several enumerations of
// states, it is the one that has transitions, if one alone has; else the states of all stand there, and Machines says
// which are whose.
type AnalysisProtocol struct {
	States      []string             `json:"states"`
	Machines    []AnalysisMachine    `json:"machines,omitempty"`
	Transitions []AnalysisTransition `json:"transitions"`
	Lifecycle   []spec.Stage         `json:"lifecycle"`
}

// AnalysisMachine is one of several enumerations of states.
type AnalysisMachine struct {
	Name   string   `json:"name"`
	States []string `json:"states"`

	transitions []AnalysisTransition // that a spec says are its own; of code, states tell
}

// AnalysisTransition is a change of state.
type AnalysisTransition struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Trigger string `json:"trigger"`
}

// AnalysisUses are imports: packages of others, and modules of the project.
type AnalysisUses struct {
	External []string      `json:"external"`
	Internal []AnalysisUse `json:"internal"`
}

// AnalysisUse is an import of the project's own code. Resolution is Exact when the
// directory has a spec or needs one, Ancestor when one above it does, else Unresolved.
type AnalysisUse struct {
	Raw        string `json:"raw_import"`
	Dir        string `json:"resolved_dir"`
	Spec       string `json:"claude_md_path"`
	Resolution string `json:"resolution"`
	Distance   int    `json:"distance,omitempty"` // of an Ancestor
	IsChild    bool   `json:"is_child"`
}

// Analyze reads the source files directly in a directory, or of them those that are
// named. Tests are no part of what a module offers; their names are listed.
func (p *Project) Analyze(dir string, only []string) Analysis {
	a := Analysis{
		Path: shown(dir), Behaviors: []spec.Behavior{}, Contracts: []AnalysisContract{}, Tests: []string{}, Files: []string{}, Problems: []AnalysisProblem{},
		Exports: AnalysisExports{
			Functions: []AnalysisExport{}, Types: []AnalysisExport{}, Classes: []AnalysisExport{},
			Enums: []AnalysisExport{}, Variables: []AnalysisExport{}, ReExports: []AnalysisExport{},
		},
		Dependencies: AnalysisUses{External: []string{}, Internal: []AnalysisUse{}},
	}
	var files []source.File
	for _, f := range p.files {
		if path.Dir(f) != dir || source.LangOf(f) == "" || len(only) > 0 && !slices.Contains(only, path.Base(f)) {
			continue
		}
		isSource := toolchain.IsSource(f)
		if !isSource && !toolchain.IsTest(f) {
			continue
		}
		src := p.read(f)
		if why := illegible(src); why != "" {
			a.Problems = append(a.Problems, AnalysisProblem{path.Base(f), f + ": " + why})
			continue
		}
		parsed := p.typed(f, src).File
		if parsed.Problem != "" {
			a.Problems = append(a.Problems, AnalysisProblem{path.Base(f), parsed.Problem})
		}
		for _, t := range parsed.Tests {
			a.Tests = append(a.Tests, t.Name)
			a.Behaviors = append(a.Behaviors, behaviorOf(t.Name)...)
		}
		if !isSource {
			continue
		}
		a.Files = append(a.Files, path.Base(f))
		if strings.Contains(parsed.Constraint, "ignore") { // no part of the package
			continue
		}
		files = append(files, parsed)
		var exports []found
		for _, e := range slices.Concat(parsed.Exports, parsed.Fields) {
			if unlisted(found{Export: e}) {
				continue
			}
			exports = append(exports, found{Export: e, file: f})
		}
		exports = withDefaults(exports)
		for _, e := range exports {
			a.Exports.add(e)
		}
		for _, imp := range parsed.Imports {
			p.use(&a.Dependencies, dir, f, imp)
		}
		for _, c := range parsed.Contracts {
			if i := slices.IndexFunc(exports, func(x found) bool { return x.byDefault }); i >= 0 && c.Function == "default" {
				c.Function = exports[i].Name
			}
			a.Contracts = append(a.Contracts, AnalysisContract{c.Function, AnalysisClauses{
				list(c.Preconditions), list(c.Postconditions), list(c.Invariants), list(c.Throws),
			}})
		}
	}
	a.Protocol = protocolOf(files)
	for _, l := range []*[]AnalysisExport{&a.Exports.Functions, &a.Exports.Types, &a.Exports.Classes, &a.Exports.Enums, &a.Exports.Variables, &a.Exports.ReExports} {
		slices.SortStableFunc(*l, func(x, y AnalysisExport) int { return strings.Compare(x.Name, y.Name) })
	}
	slices.SortStableFunc(a.Contracts, func(x, y AnalysisContract) int { return strings.Compare(x.Function, y.Function) })
	slices.Sort(a.Dependencies.External)
	a.Dependencies.External = slices.Compact(a.Dependencies.External)
	slices.SortFunc(a.Dependencies.Internal, func(x, y AnalysisUse) int { return strings.Compare(x.Raw, y.Raw) })
	a.Dependencies.Internal = slices.Compact(a.Dependencies.Internal)
	return a
}

// behaviorOf reads a test that is named after what it shows: "expired token → error".
func behaviorOf(name string) []spec.Behavior {
	if i := strings.LastIndex(name, " > "); i >= 0 {
		name = name[i+3:]
	}
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	for _, arrow := range []string{" → ", " -> ", " => "} {
		in, out, ok := strings.Cut(name, arrow)
		if !ok || strings.TrimSpace(in) == "" || strings.TrimSpace(out) == "" {
			continue
		}
		b := spec.Behavior{Input: strings.TrimSpace(in), Output: strings.TrimSpace(out), Category: "success"}
		if failing().MatchString(out) {
			b.Category = "error"
		}
		return []spec.Behavior{b}
	}
	return nil
}

var failing = re.New(`(?i)error|exception|\b(err|fails?|throws?|rejects?|refuses?|panics?)\b`)

// protocolOf joins what the files of a module say of states and life cycles.
func protocolOf(files []source.File) AnalysisProtocol {
	out := AnalysisProtocol{States: []string{}, Transitions: []AnalysisTransition{}, Lifecycle: []spec.Stage{}}
	moving := map[string]bool{}
	var all, moved []source.States
	for _, f := range files {
		for _, t := range f.Transitions {
			out.Transitions = append(out.Transitions, AnalysisTransition{t.From, t.To, t.Trigger})
			moving[t.From], moving[t.To] = true, true
		}
		for _, l := range f.Lifecycle {
			s := spec.Stage{Order: l.Order, Method: l.Method}
			for _, e := range f.Exports {
				if e.Line == l.Line && e.Name == l.Method {
					s.Description = e.Doc
				}
			}
			out.Lifecycle = append(out.Lifecycle, s)
		}
	}
	for _, f := range files {
		for _, s := range f.States {
			all = append(all, s)
			if slices.ContainsFunc(s.Values, func(v string) bool { return moving[v] }) {
				moved = append(moved, s)
			}
		}
	}
	if len(moved) == 1 {
		all = moved
	}
	for _, s := range all {
		out.States = append(out.States, s.Values...)
		if len(all) > 1 {
			out.Machines = append(out.Machines, AnalysisMachine{Name: s.Name, States: s.Values})
		}
	}
	slices.SortStableFunc(out.Lifecycle, func(a, b spec.Stage) int { return a.Order - b.Order })
	return out
}

func (x *AnalysisExports) add(e found) {
	out := AnalysisExport{Name: e.full(), Signature: e.Text, Description: e.Doc, File: path.Base(e.file), Line: e.Line, Static: e.Static, Bases: e.Bases, Value: e.Value}
	switch e.Kind {
	case "reexport":
		out.Signature = ""
		_, out.Source, _ = strings.Cut(e.Text, " from ")
		x.ReExports = append(x.ReExports, out)
	case "function", "method":
		x.Functions = append(x.Functions, out)
	case "type", "interface", "struct", "trait", "dataclass", "record":
		out.Kind, out.Definition = e.Kind, e.Text
		x.Types = append(x.Types, out)
	case "class", "object":
		out.Kind = e.Kind
		x.Classes = append(x.Classes, out)
	case "enum":
		out.Variants = e.Variants
		if !slices.Equal(e.Cases, e.Variants) {
			out.Cases = e.Cases
		}
		x.Enums = append(x.Enums, out)
	default:
		out.VarType = valueType(e.Export)
		x.Variables = append(x.Variables, out)
	}
}

// use sorts one import.
func (p *Project) use(d *AnalysisUses, dir, file string, imp source.Import) {
	from := imp.From
	targets := p.targets(file, imp)
	if len(targets) == 0 {
		d.External = append(d.External, from)
		return
	}
	if p.fileIn(dir, targets[0]) { // of the module itself
		return
	}
	at, there := p.dirOf(targets[0])
	if !there && source.LangOf(file) == source.Rust { // of a type
		at, there = p.dirOf(path.Dir(targets[0]))
	}
	if at == dir {
		return
	}
	modules := p.modules()
	if !there { // it may lie in a module all the same; a directory that only needs a spec says nothing of it
		modules = setOf(p.dirs)
	}
	d.Internal = append(d.Internal, p.resolved(dir, from, at, modules))
}

// modules are the directories that have a spec, or need one.
func (p *Project) modules() map[string]bool {
	if p.needed == nil {
		p.needed = setOf(p.dirs)
		for _, n := range p.Tree().Needs {
			p.needed[root(n.Path)] = true
		}
	}
	return p.needed
}

// fileIn reports whether a target is a file directly in a directory.
func (p *Project) fileIn(dir, target string) bool {
	if path.Dir(target) != dir {
		return false
	}
	i, _ := slices.BinarySearch(p.files, target)
	for ; i < len(p.files) && strings.HasPrefix(p.files[i], target); i++ {
		if rest := p.files[i][len(target):]; rest == "" || rest[0] == '.' && !strings.Contains(rest, "/") {
			return true
		}
	}
	return false
}

// ExportsText is the Exports section that the code in a directory asks for.
func (p *Project) ExportsText(dir string) string {
	files := map[string]source.File{}
	for _, f := range p.files {
		if path.Dir(f) == dir && toolchain.IsSource(f) {
			files[f] = p.typed(f, p.read(f)).File
		}
	}
	text, _ := exportsText(p.offers(dir, slices.Sorted(maps.Keys(files)), files), false)
	return text
}

// Analyses are the analyses of all directories that need a spec.
type Analyses struct {
	Root        string        `json:"root"`
	Directories []AnalyzedDir `json:"directories"`
	Excluded    []string      `json:"excluded"`
}

// AnalyzedDir is one of them.
type AnalyzedDir struct {
	Path     string   `json:"path"`
	Depth    int      `json:"depth"`
	Analysis Analysis `json:"analysis"`
}

// AnalyzeAll analyses every directory that needs a spec, sorted by path.
func (p *Project) AnalyzeAll() Analyses {
	tree := p.Tree()
	out := Analyses{Root: p.root, Directories: []AnalyzedDir{}, Excluded: tree.Excluded}
	for _, n := range tree.Needs {
		out.Directories = append(out.Directories, AnalyzedDir{n.Path, n.Depth, p.Analyze(root(n.Path), nil)})
	}
	return out
}
