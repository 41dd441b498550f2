package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Analysis is what the code directly in a directory offers and uses. Behaviours and
// contracts are never guessed: the lists are there for scripts that read them.
type Analysis struct {
	Path         string          `json:"path"`
	Exports      AnalysisExports `json:"exports"`
	Dependencies AnalysisUses    `json:"dependencies"`
	Behaviors    []string        `json:"behaviors"`
	Contracts    []string        `json:"contracts"`
	Files        []string        `json:"analyzed_files"`
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

// AnalysisExport is one export.
type AnalysisExport struct {
	Name      string   `json:"name"`
	Signature string   `json:"signature,omitempty"`
	Kind      string   `json:"kind,omitempty"`
	Variants  []string `json:"variants,omitempty"`
	Source    string   `json:"source,omitempty"`
	File      string   `json:"file"`
	Line      int      `json:"line"`
}

// AnalysisUses are imports: packages of others, and modules of the project.
type AnalysisUses struct {
	External []string      `json:"external"`
	Internal []AnalysisUse `json:"internal"`
}

// AnalysisUse is an import of the project's own code. Resolution is Exact when the
// directory has a spec, Ancestor when one above it has, else Unresolved.
type AnalysisUse struct {
	Raw        string `json:"raw_import"`
	Dir        string `json:"resolved_dir"`
	Spec       string `json:"claude_md_path"`
	Resolution string `json:"resolution"`
	IsChild    bool   `json:"is_child"`
}

// Analyze reads the source files directly in a directory, or of them those that are
// named. Tests are no part of what a module offers.
func (p *Project) Analyze(dir string, only []string) Analysis {
	a := Analysis{Path: shown(dir), Behaviors: []string{}, Contracts: []string{}, Files: []string{}}
	a.Exports = AnalysisExports{
		Functions: []AnalysisExport{}, Types: []AnalysisExport{}, Classes: []AnalysisExport{},
		Enums: []AnalysisExport{}, Variables: []AnalysisExport{}, ReExports: []AnalysisExport{},
	}
	a.Dependencies = AnalysisUses{External: []string{}, Internal: []AnalysisUse{}}
	for _, f := range p.files {
		if path.Dir(f) != dir || !toolchain.IsSource(f) || len(only) > 0 && !slices.Contains(only, path.Base(f)) {
			continue
		}
		a.Files = append(a.Files, path.Base(f))
		parsed := source.Parse(f, p.read(f))
		for _, e := range parsed.Exports {
			a.Exports.add(f, e)
		}
		for _, imp := range parsed.Imports {
			p.use(&a.Dependencies, dir, f, imp.From)
		}
	}
	for _, list := range []*[]AnalysisExport{&a.Exports.Functions, &a.Exports.Types, &a.Exports.Classes, &a.Exports.Enums, &a.Exports.Variables, &a.Exports.ReExports} {
		slices.SortStableFunc(*list, func(x, y AnalysisExport) int { return strings.Compare(x.Name, y.Name) })
	}
	slices.Sort(a.Dependencies.External)
	a.Dependencies.External = slices.Compact(a.Dependencies.External)
	slices.SortFunc(a.Dependencies.Internal, func(x, y AnalysisUse) int { return strings.Compare(x.Raw, y.Raw) })
	a.Dependencies.Internal = slices.Compact(a.Dependencies.Internal)
	return a
}

func (x *AnalysisExports) add(file string, e source.Export) {
	out := AnalysisExport{Name: strings.TrimPrefix(e.Owner+"."+e.Name, "."), Signature: spaced(e), File: path.Base(file), Line: e.Line}
	_, from, reExport := strings.Cut(e.Signature, "from ")
	switch {
	case e.Kind == "variable" && reExport:
		out.Signature, out.Source = "", from
		x.ReExports = append(x.ReExports, out)
	case e.Kind == "function" || e.Kind == "method":
		x.Functions = append(x.Functions, out)
	case e.Kind == "type" || e.Kind == "interface":
		out.Kind = e.Kind
		x.Types = append(x.Types, out)
	case e.Kind == "class":
		x.Classes = append(x.Classes, out)
	case e.Kind == "enum":
		if v := variants(e.Signature); v != "" {
			out.Variants = strings.Split(v, " | ")
		}
		x.Enums = append(x.Enums, out)
	default:
		x.Variables = append(x.Variables, out)
	}
}

// use sorts one import.
func (p *Project) use(d *AnalysisUses, dir, file, from string) {
	targets := p.targets(file, from)
	if len(targets) == 0 {
		d.External = append(d.External, from)
		return
	}
	u := AnalysisUse{Raw: from, Dir: targets[0], Resolution: "Unresolved", IsChild: dir == "." || strings.HasPrefix(targets[0], dir+"/")}
	if owner, ok := p.owner(targets[0]); ok {
		u.Spec, u.Resolution = path.Join(owner, specFile), "Exact"
		if owner != targets[0] && owner != path.Dir(targets[0]) {
			u.Resolution = "Ancestor"
		}
		u.Dir = owner
	}
	d.Internal = append(d.Internal, u)
}

// ExportsText is the Exports section that the code in a directory asks for.
func (p *Project) ExportsText(dir string) string {
	files := map[string]source.File{}
	for _, f := range p.files {
		if path.Dir(f) == dir && toolchain.IsSource(f) {
			files[f] = source.Parse(f, p.read(f))
		}
	}
	text, _ := exportsOf(dir, slices.Sorted(keys(files)), files)
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
		dir := n.Path
		if dir == "" {
			dir = "."
		}
		out.Directories = append(out.Directories, AnalyzedDir{n.Path, n.Depth, p.Analyze(dir, nil)})
	}
	return out
}
