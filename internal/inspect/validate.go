package inspect

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Validation is how far specs and code say the same.
type Validation struct {
	Root    string            `json:"root"`
	Modules []ModuleDrift     `json:"modules"`
	Summary ValidationSummary `json:"summary"`
}

// ModuleDrift is one module. Coverage is the original's formula, in percent: the
// documented exports without the stale ones, of the documented ones and the missing ones.
// Status is good (valid, no drift, coverage at least 90), improve (one or two drifts, or
// 70 to 89) or poor.
type ModuleDrift struct {
	Directory string  `json:"directory"`
	Status    string  `json:"status"`
	Valid     bool    `json:"schema_valid"`
	Coverage  int     `json:"export_coverage"`
	Issues    []Drift `json:"issues"`
}

// Drift is one difference. Type is STALE (specified, not in the code), MISSING (in the
// code, not specified), MISMATCH (another signature), ORPHAN (in Structure, not on disk)
// or UNCOVERED (on disk, not in Structure); Section is Exports or Structure.
type Drift struct {
	Type    string `json:"type"`
	Section string `json:"section"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Symbol  string `json:"symbol"`
	Message string `json:"message"`
}

// ValidationSummary counts modules by status, and drifts.
type ValidationSummary struct {
	Modules int `json:"modules"`
	Good    int `json:"good"`
	Improve int `json:"improve"`
	Poor    int `json:"poor"`
	Issues  int `json:"issues"`
}

// Validate compares the specs below a directory with the code beside them. Modules
// without code in a language that is read (Go, TypeScript, JavaScript, Python) are left
// out: there is nothing to compare.
func (p *Project) Validate(dir string) Validation {
	v := Validation{Root: p.root, Modules: []ModuleDrift{}}
	for _, d := range p.dirs {
		if dir != "." && d != dir && !strings.HasPrefix(d, dir+"/") || !p.docs[d].IsSpec() {
			continue
		}
		files := p.sources(d)
		if len(files) == 0 {
			continue
		}
		m := p.drift(d, files)
		v.Modules = append(v.Modules, m)
		v.Summary.Modules++
		v.Summary.Issues += len(m.Issues)
		switch m.Status {
		case "good":
			v.Summary.Good++
		case "improve":
			v.Summary.Improve++
		default:
			v.Summary.Poor++
		}
	}
	return v
}

// sources are the source files of a module, not those of modules below it.
func (p *Project) sources(dir string) map[string]source.File {
	out := map[string]source.File{}
	for _, f := range p.files {
		if _, in := below(dir, f); !in || foreign(f) || toolchain.Classify(f) != toolchain.Source {
			continue
		}
		if owner, ok := p.owner(path.Dir(f)); ok && owner == dir {
			out[f] = source.Parse(f, p.read(f))
		}
	}
	return out
}

func (p *Project) drift(dir string, files map[string]source.File) ModuleDrift {
	d := p.docs[dir]
	m := ModuleDrift{Directory: dir, Issues: []Drift{}, Valid: !spec.HasErrors(append(slices.Clone(d.problems), spec.Check(d.Document)...))}
	stale, missing := p.exportDrift(&m, d, dir, files)
	p.structureDrift(&m, d, dir)
	m.Coverage = 100
	if all := len(d.Exports) + missing; all > 0 {
		m.Coverage = int(math.Round(100 * float64(len(d.Exports)-stale) / float64(all)))
	}
	switch n := len(m.Issues); {
	case m.Valid && n == 0 && m.Coverage >= 90:
		m.Status = "good"
	case m.Valid && n <= 2 && m.Coverage >= 70:
		m.Status = "improve"
	default:
		m.Status = "poor"
	}
	return m
}

// exportDrift compares what the spec exports with what the code does.
func (p *Project) exportDrift(m *ModuleDrift, d *document, dir string, files map[string]source.File) (stale, missing int) {
	type at struct {
		source.Export

		file string
	}
	have := map[string]at{}
	names := slices.Sorted(keys(files))
	for _, name := range names {
		for _, e := range files[name].Exports {
			key := strings.TrimPrefix(e.Owner+"."+e.Name, ".")
			if _, twice := have[key]; !twice {
				have[key] = at{e, name}
			}
		}
	}
	_, starred := have["*"] // what it re-exports cannot be told
	specified := map[string]bool{}
	for _, e := range d.Exports {
		specified[e.Name] = true
		x, ok := have[e.Name]
		switch {
		case !ok && !starred && !p.mentions(files, e.Name):
			stale++
			m.Issues = append(m.Issues, Drift{"STALE", "Exports", d.Path, e.Line, e.Name, "The spec exports " + e.Name + ", and no source file of the module has it"})
		case ok && e.Kind == spec.Function && x.Kind == "function":
			want, is := parameters(e.Signature, e.Name), parameters(x.Signature, e.Name)
			if want >= 0 && is >= 0 && want != is {
				m.Issues = append(m.Issues, Drift{
					"MISMATCH", "Exports", x.file, x.Line, e.Name,
					fmt.Sprintf("%s takes %d parameters, the spec gives it %d: `%s`", e.Name, is, want, e.Signature),
				})
			}
		}
	}
	given := map[string]bool{}
	for _, n := range spec.Names(d.Document) {
		given[n] = true
	}
	for _, name := range names {
		if !face(dir, name, names) || files[name].Package == "main" {
			continue
		}
		for _, e := range files[name].Exports {
			if e.Owner != "" || e.Name == "*" || e.Name == "default" || specified[e.Name] || given[e.Name] || strings.HasPrefix(e.Name, "_") {
				continue
			}
			missing++
			m.Issues = append(m.Issues, Drift{"MISSING", "Exports", name, e.Line, e.Name, "The code exports " + e.Name + ", which the spec does not list"})
		}
	}
	return stale, missing
}

func keys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// mentions reports whether a name stands in the code at all: a method, a field, something
// made at run time.
func (p *Project) mentions(files map[string]source.File, name string) bool {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name[strings.LastIndexByte(name, '.')+1:]) + `\b`)
	for f := range files {
		if word.Match(p.read(f)) {
			return true
		}
	}
	return false
}

// face reports whether others see what a file of a module exports: in Go every file of
// the directory, elsewhere its index file or __init__.py, or every file directly in it
// when there is none.
func face(dir, name string, all []string) bool {
	if path.Dir(name) != dir {
		return false
	}
	if strings.HasSuffix(name, ".go") {
		return true
	}
	isIndex := func(n string) bool {
		base := path.Base(n)
		stem := strings.TrimSuffix(base, path.Ext(base))
		return path.Dir(n) == dir && (stem == "index" || base == "__init__.py")
	}
	return isIndex(name) || !slices.ContainsFunc(all, isIndex)
}

// parameters counts those of a signature, -1 when that cannot be told.
func parameters(sig, name string) int {
	name = name[strings.LastIndexByte(name, '.')+1:]
	at := strings.Index(sig, name)
	if at < 0 {
		return -1
	}
	rest := strings.TrimLeft(sig[at+len(name):], " ")
	if strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, "[") { // type parameters
		depth, end := 0, -1
		for i, r := range rest {
			switch r {
			case '<', '[':
				depth++
			case '>', ']':
				depth--
			}
			if depth == 0 {
				end = i
				break
			}
		}
		if end < 0 {
			return -1
		}
		rest = strings.TrimLeft(rest[end+1:], " ")
	}
	if !strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "(…") {
		return -1
	}
	depth, n, any := 0, 0, false
	part := ""
	count := func() {
		p := strings.TrimSpace(part)
		if p != "" && p != "self" && p != "cls" && p != "*" && p != "/" && p != "void" {
			n++
		}
		part = ""
	}
	for i, r := range rest {
		switch {
		case strings.ContainsRune("([{", r) || r == '<':
			depth++
		case r == '>' && i > 0 && (rest[i-1] == '=' || rest[i-1] == '-'): // an arrow
		case strings.ContainsRune(")]}", r) || r == '>':
			depth--
		}
		if depth == 0 {
			any = true
			break
		}
		if depth == 1 && r == ',' {
			count()
			continue
		}
		if i > 0 {
			part += string(r)
		}
	}
	if !any {
		return -1
	}
	count()
	return n
}

var plainPath = re.New(`^[\w./@-]+$`)

// structureDrift compares the Structure section with what is on disk, where there is one.
func (p *Project) structureDrift(m *ModuleDrift, d *document, dir string) {
	if len(d.Structure) == 0 {
		return
	}
	here := map[string]bool{}
	listed := map[string]bool{}
	for _, f := range p.files {
		if rest, ok := below(dir, f); ok && !foreign(f) {
			for at := rest; at != "."; at = path.Dir(at) {
				here[at] = true
			}
		}
	}
	for _, s := range d.Structure {
		name := strings.TrimPrefix(path.Clean(s.Path), "./")
		listed[name] = true
		if first, _, nested := strings.Cut(name, "/"); nested {
			listed[first] = true
		}
		if plainPath().MatchString(name) && !here[name] && !strings.HasPrefix(name, "..") {
			m.Issues = append(m.Issues, Drift{"ORPHAN", "Structure", d.Path, s.Line, name, "Structure lists " + name + ", which is not there"})
		}
	}
	for _, c := range slices.Sorted(keys(here)) {
		sub := path.Join(dir, c)
		if !strings.Contains(c, "/") && p.docs[sub] != nil && p.docs[sub].IsSpec() && !listed[c] {
			m.Issues = append(m.Issues, Drift{"UNCOVERED", "Structure", d.Path, 0, c, "Structure does not list " + c + ", which is a module"})
		}
	}
}
