package inspect

import (
	"maps"
	"math"
	"path"
	"slices"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Validation is how far specs and code say the same.
type Validation struct {
	Root        string            `json:"root"`
	Modules     []ModuleDrift     `json:"modules"`
	Conventions []Drift           `json:"conventions"` // sections of conventions that lack a part
	Unreadable  []Unreadable      `json:"unreadable"`
	Summary     ValidationSummary `json:"summary"`
}

// Clean reports whether there is nothing to mend.
func (v Validation) Clean() bool {
	return v.Summary.Good+v.Summary.Partial+v.Summary.Fixed == v.Summary.Modules && len(v.Conventions) == 0 && len(v.Unreadable) == 0
}

// ModuleDrift is one module. Coverage is in percent, as earlier tools counted it: the
// documented exports without the stale ones, of the documented ones and the missing ones.
// Status is good (valid, no drift, all facts agree, coverage at least 90), partial (the same, but for facts that could not
// be compared or of which a note speaks, or for a spec that changed since the build), fixed (good or partial, and was not before it was mended), improve (one or two drifts, or 70 to 89) or poor. Notes are no drift.
type ModuleDrift struct {
	Directory string  `json:"directory"`
	Status    string  `json:"status"`
	Valid     bool    `json:"schema_valid"`
	Coverage  int     `json:"export_coverage"`
	Issues    []Drift `json:"issues"`
	Notes     []Drift `json:"notes"`
	Facts     Facts   `json:"facts"`

	file string // the spec
}

// ValidationSummary counts modules by status, and drifts. ConventionScore is 100 without 5
// for each part of a convention that is missing.
type ValidationSummary struct {
	Modules         int `json:"modules"`
	Good            int `json:"good"`
	Partial         int `json:"partial"`
	Fixed           int `json:"fixed"`
	Improve         int `json:"improve"`
	Poor            int `json:"poor"`
	Issues          int `json:"issues"`
	Notes           int `json:"notes"`
	ConventionScore int `json:"convention_score"`
}

// Validate compares the specs in a directory and below it with the code beside them.
func (p *Project) Validate(dir string) Validation { return p.ValidateModules(Below(dir)) }

// Owner is the directory of the module that a file belongs to, false when it belongs to none.
func (p *Project) Owner(file string) (string, bool) {
	dir, ok := p.owner(path.Dir(file))
	return dir, ok && p.docs[dir].IsSpec()
}

// ValidateModules compares the specs of the directories that are wanted with the code
// beside them. Modules without code in a language that is read are left out: there is
// nothing to compare, unless they were compiled once and all of it is gone.
func (p *Project) ValidateModules(wanted func(dir string) bool) Validation {
	v := Validation{Root: p.root, Modules: []ModuleDrift{}, Conventions: []Drift{}, Unreadable: []Unreadable{}}
	w := p.survey()
	for _, d := range p.dirs {
		switch {
		case !wanted(d) || !p.docs[d].IsSpec():
		case len(w.sources[d]) > 0:
			v.Modules = append(v.Modules, w.drift(d))
		case len(p.built[d].Files) > 0 && len(p.docs[d].Exports) > 0 && !slices.ContainsFunc(p.built[d].Files, p.Has):
			v.Modules = append(v.Modules, p.gone(d))
		}
	}
	for _, d := range slices.Sorted(maps.Keys(p.built)) {
		if wanted(d) && p.built[d].Gone {
			v.Unreadable = append(v.Unreadable, Unreadable{path.Join(d, spec.Name), "The spec is gone, but the code built from it is still there"})
		}
	}
	v.Conventions = append(v.Conventions, p.conventionDrift(wanted)...)
	v.count()
	return v
}

// Uncoded are the directories of specs without any code, which have nothing to be compared with, and whether all of these specs are valid.
func (p *Project) Uncoded(wanted func(dir string) bool) (dirs []string, valid bool) {
	valid = true
	w := p.survey()
	for _, d := range p.dirs {
		if wanted(d) && p.docs[d].IsSpec() && len(w.sources[d])+len(p.built[d].Files) == 0 {
			dirs, valid = append(dirs, d), valid && p.docs[d].valid()
		}
	}
	return dirs, valid
}

// gone is a module of which there was code. Its spec is not to be mended after what is not there.
func (p *Project) gone(dir string) ModuleDrift {
	d := p.docs[dir]
	out := ModuleDrift{Directory: dir, file: d.Path, Status: "poor", Issues: []Drift{}, Notes: []Drift{}, Valid: d.valid(), Facts: Facts{Stated: len(d.Exports), Open: []OpenFact{}}}
	for i := range d.Exports {
		e := &d.Exports[i]
		out.Issues = append(out.Issues, Drift{
			Type: "STALE", Section: "Exports", File: d.Path, Line: e.Line, Symbol: e.Name,
			Message: "The spec exports " + e.Name + ", but none of the files built for the module exists anymore",
		})
	}
	return out
}

// valid reports whether a document has no errors.
func (d *document) valid() bool {
	return !spec.HasErrors(append(slices.Clone(d.problems), spec.Check(d.Document)...))
}

// count makes the summary.
func (v *Validation) count() {
	v.Summary = ValidationSummary{Modules: len(v.Modules), ConventionScore: max(0, 100-5*len(v.Conventions))}
	for _, m := range v.Modules {
		v.Summary.Issues += len(m.Issues)
		v.Summary.Notes += len(m.Notes)
		switch m.Status {
		case "good":
			v.Summary.Good++
		case "partial":
			v.Summary.Partial++
		case "fixed":
			v.Summary.Fixed++
		case "improve":
			v.Summary.Improve++
		default:
			v.Summary.Poor++
		}
	}
}

// survey is what validating many modules needs to know of the project, found once.
type survey struct {
	*Project

	sources map[string][]string        // source files of each module, sorted
	tests   map[string][]string        // test files of each module
	there   map[string]bool            // all files and directories
	inside  map[string]map[string]bool // the modules directly below a directory
	aliases map[string]bool            // names that a file gives to something else; made when asked for
}

func (p *Project) survey() *survey {
	w := &survey{Project: p, sources: map[string][]string{}, tests: map[string][]string{}, there: map[string]bool{}, inside: map[string]map[string]bool{}}
	owners := map[string]string{}
	for _, f := range p.files {
		if foreign(f) {
			continue
		}
		for at := f; at != "." && !w.there[at]; at = path.Dir(at) {
			w.there[at] = true
		}
		class := toolchain.Classify(f)
		if class != toolchain.Source && class != toolchain.Test {
			continue
		}
		dir := path.Dir(f)
		owner, known := owners[dir]
		if !known {
			owner, _ = p.owner(dir)
			owners[dir] = owner
		}
		if class == toolchain.Test {
			w.tests[owner] = append(w.tests[owner], f)
		} else {
			w.sources[owner] = append(w.sources[owner], f)
		}
	}
	for _, d := range p.dirs {
		if d != "." && p.docs[d].IsSpec() {
			up := path.Dir(d)
			if w.inside[up] == nil {
				w.inside[up] = map[string]bool{}
			}
			w.inside[up][path.Base(d)] = true
		}
	}
	return w
}

// module is one module while it is compared.
type module struct {
	*survey

	dir   string
	doc   *document
	files map[string]source.File
	// declared are the types of each file, by name, with what they stand for.
	declared map[string]map[string]string
	names    []string // of files
	lang     string
	drift    *ModuleDrift
	words    map[string]bool       // all words of the code; made when asked for
	funcs    map[string][]function // by name; made when asked for
	types    map[string]meaning
	offered  *offered
	fixed    []spec.Constant // what the spec fixes beside its exports
}

func (w *survey) drift(dir string) ModuleDrift {
	d := w.docs[dir]
	out := ModuleDrift{Directory: dir, file: d.Path, Issues: []Drift{}, Notes: []Drift{}, Valid: d.valid(), Facts: Facts{Open: []OpenFact{}}}
	m := &module{survey: w, dir: dir, doc: d, files: map[string]source.File{}, declared: map[string]map[string]string{}, names: w.sources[dir], lang: w.language(dir, nil), drift: &out}
	for _, f := range m.names {
		src := w.read(f)
		x := w.typed(f, src)
		m.files[f], m.declared[f] = x.File, x.Declared
		cannot := illegible(src) // without it nothing can be said of the module, and nothing mended
		switch why := x.Problem; {
		case cannot != "":
		case x.Failed:
			cannot = "Cannot read file: " + why
		case why != "":
			m.remark(Drift{Type: "UNREAD", Section: "Exports", File: f, Symbol: f, Message: f + ": " + why})
		}
		if cannot != "" {
			m.issue(Drift{Type: "UNREADABLE", Section: "Exports", File: f, Symbol: f, Message: cannot})
		}
	}
	if len(out.Issues) > 0 {
		out.Status = "poor"
		return out
	}
	m.fixed = spec.Constants(d.Document)
	stale, missing := m.exports()
	m.constants()
	m.contracts()
	m.dependencies()
	m.externals()
	m.structure()
	m.references()
	m.integration()
	m.behavior()
	was := w.built[dir].Content
	unbuilt := was != "" && was != spec.ContentHash(d.Document)
	if unbuilt {
		m.remark(Drift{Type: "UNBUILT", File: d.Path, Message: "The spec changed since the code was built from it: behavior is not compared"})
	}
	out.Coverage = 100
	if all := len(d.Exports) + missing; all > 0 {
		out.Coverage = int(math.Round(100 * float64(len(d.Exports)-stale) / float64(all)))
	}
	switch n := len(out.Issues); {
	case out.Valid && n == 0 && out.Coverage >= 90 && out.Facts.Agreed == out.Facts.Stated && !unbuilt:
		out.Status = "good"
	case out.Valid && n == 0 && out.Coverage >= 90:
		out.Status = "partial"
	case out.Valid && n <= 2 && out.Coverage >= 70:
		out.Status = "improve"
	default:
		out.Status = "poor"
	}
	return out
}

func (m *module) issue(d Drift) { m.drift.Issues = append(m.drift.Issues, d) }

// remark adds a note, which is no drift.
func (m *module) remark(d Drift) { m.drift.Notes = append(m.drift.Notes, d) }
