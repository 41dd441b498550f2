// Package index puts all specs of a project together: which modules there are, what they export,
// who depends on whom, and in which order they can be built. It is a value computed from the
// modules alone; the same modules in any order give the same index.
//
// A module's dependencies are what its spec declares. They decide the order and must not
// form a cycle. Two more relations decide the order only as long as they close no cycle: a parent
// directory follows the modules in it, and a cross reference in the text follows what it names.
package index

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Module is what the index needs to know of one spec. It can come from a document ([Of]) or from
// a record of one that has not changed since.
type Module struct {
	Dir     string            // from the project's root, "/" separators; "." is the root
	Path    string            // of the spec, from the root
	Uses    []Use             // dependencies as declared, and cross references
	Symbols map[string]string // exported names and the hashes of what others see of them
	Exports []spec.Export     // nil where the document was not read
}

// Use is a dependency before it is resolved. A soft one is a cross reference in the text.
type Use struct {
	spec.Internal

	Soft bool
}

// Of makes the module of a document.
func Of(d *spec.Document) Module {
	m := Module{Dir: d.Dir(), Path: d.Path, Symbols: spec.SymbolHashes(d), Exports: d.Exports}
	for _, dep := range d.Dependencies.Internal {
		m.Uses = append(m.Uses, Use{Internal: dep})
	}
	for _, ref := range d.CrossRefs {
		i := slices.IndexFunc(m.Uses, func(u Use) bool { return u.Path == ref.Path })
		switch {
		case i < 0:
			m.Uses = append(m.Uses, Use{Soft: true, Internal: spec.Internal{
				Path: ref.Path, Ref: ref.File, Symbols: []string{ref.Symbol}, IsSpec: true, Line: ref.Line,
			}})
		case len(m.Uses[i].Symbols) > 0 && !slices.Contains(m.Uses[i].Symbols, ref.Symbol):
			m.Uses[i].Symbols = append(slices.Clone(m.Uses[i].Symbols), ref.Symbol)
		}
	}
	return m
}

// Need is a resolved dependency.
type Need struct {
	Dir     string   // the module that is used
	Path    string   // as declared, from the root
	Symbols []string // what is used of it; nil means all, also when none of the declared names exists
	Soft    bool     // a cross reference
	Line    int
}

// Symbol is an exported name and where it is.
type Symbol struct {
	Dir, Name string
	Kind      spec.Kind // "" where the document was not read
	Signature string
}

// Dirs numbers the modules by their directories.
type Dirs map[string]int

// Add gives the module of a directory a number.
func (d Dirs) Add(dir string, i int) { d[key(dir)] = i }

// Get is the number of the module of a directory.
func (d Dirs) Get(dir string) (int, bool) {
	i, ok := d[key(dir)]
	return i, ok
}

// Locate finds the module of a reference in the spec of the module from: the directory itself,
// counted from the root or from that module; else, unless the reference names a spec, the
// nearest ancestor.
func (d Dirs) Locate(from string, dep spec.Internal) (int, bool) {
	if j, ok := d[key(dep.Path)]; ok {
		return j, true
	}
	if j, ok := d[key(path.Join(from, dep.Path))]; ok {
		return j, true
	}
	if dep.IsSpec {
		return 0, false
	}
	for dir := path.Dir(dep.Path); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if j, ok := d[key(dir)]; ok {
			return j, true
		}
	}
	return 0, false
}

// Index is all modules together. It is not changed after [Build].
type Index struct {
	mods    []Module // sorted by Dir
	ids     Dirs
	byName  map[string][]int // modules that export a name, sorted
	needs   [][]Need
	users   [][]int // who needs module i, sorted
	cycles  [][]string
	refused map[int]string // a cycle through the module
	after   [][]int        // all that decides the order, without cycles
}

// Build puts the modules together. Problems are unresolved dependencies, names that a dependency
// does not export, cycles, and directories that differ only in case.
func Build(mods []Module) (*Index, []spec.Problem) {
	x := &Index{mods: slices.Clone(mods), ids: make(Dirs, len(mods)), byName: map[string][]int{}}
	slices.SortFunc(x.mods, func(a, b Module) int { return strings.Compare(a.Dir, b.Dir) })
	x.mods = slices.CompactFunc(x.mods, func(a, b Module) bool { return a.Dir == b.Dir })
	ps := x.collisions()
	for i := range x.mods {
		x.ids.Add(x.mods[i].Dir, i)
	}
	x.needs, x.users = make([][]Need, len(x.mods)), make([][]int, len(x.mods))
	for i := range x.mods {
		ps = append(ps, x.link(i)...)
		for name := range x.mods[i].Symbols {
			x.byName[name] = append(x.byName[name], i)
		}
	}
	ps = append(ps, x.order()...)
	return x, spec.SortProblems(ps)
}

// key is the form in which directories are compared.
func key(dir string) string { return norm.NFC.String(dir) }

// collisions names directories that are one and the same on a file system that ignores case.
func (x *Index) collisions() []spec.Problem {
	var ps []spec.Problem
	seen := make(map[string]string, len(x.mods))
	for i := range x.mods {
		dir := x.mods[i].Dir
		folded := strings.ToLower(key(dir))
		if other, ok := seen[folded]; ok {
			ps = append(ps, spec.Problem{
				Path: x.mods[i].Path, Severity: spec.Error,
				Text: "directory " + dir + " and " + other + " differ only in case",
				Hint: "they are one directory on macOS and Windows; rename one",
			})
			continue
		}
		seen[folded] = dir
	}
	return ps
}

// link resolves the dependencies of module i.
func (x *Index) link(i int) []spec.Problem {
	var ps []spec.Problem
	m := &x.mods[i]
	for _, u := range m.Uses {
		j, ok := x.ids.Locate(m.Dir, u.Internal)
		if !ok {
			p := spec.Problem{
				Path: m.Path, Line: u.Line, Col: 1, Severity: spec.Warning,
				Text: "dependency " + u.Ref + " is not a module", Hint: "there is no spec with Exports there or above",
			}
			if u.IsSpec && !u.Soft {
				p.Severity, p.Hint = spec.Error, "there is no such spec; write its path from the project's root"
			}
			ps = append(ps, p)
			continue
		}
		if j == i {
			continue
		}
		n := Need{Dir: x.mods[j].Dir, Path: u.Path, Symbols: u.Symbols, Soft: u.Soft, Line: u.Line}
		known := 0
		for _, s := range u.Symbols {
			if x.mods[j].Symbols[s] != "" {
				known++
				continue
			}
			ps = append(ps, spec.Problem{
				Path: m.Path, Line: u.Line, Col: 1, Severity: spec.Warning,
				Text: n.Dir + " does not export " + s, Hint: "add it to the Exports of " + x.mods[j].Path + ", or fix the name",
			})
		}
		if known == 0 {
			n.Symbols = nil
		}
		x.need(i, j, n)
	}
	return ps
}

// need adds a dependency, joined with one on the same module that was declared in another way.
func (x *Index) need(i, j int, n Need) {
	for k := range x.needs[i] {
		have := &x.needs[i][k]
		if have.Dir != n.Dir {
			continue
		}
		have.Soft = have.Soft && n.Soft
		if have.Symbols == nil || n.Symbols == nil {
			have.Symbols = nil
		} else {
			have.Symbols = append(slices.Clone(have.Symbols), n.Symbols...)
		}
		return
	}
	x.needs[i] = append(x.needs[i], n)
	x.users[j] = append(x.users[j], i)
}

// Dirs lists all modules, sorted.
func (x *Index) Dirs() []string {
	out := make([]string, len(x.mods))
	for i := range x.mods {
		out[i] = x.mods[i].Dir
	}
	return out
}

// Module returns the module of a directory.
func (x *Index) Module(dir string) (Module, bool) {
	i, ok := x.ids[key(dir)]
	if !ok {
		return Module{}, false
	}
	return x.mods[i], true
}

// Find lists the exports with this name, sorted by directory.
func (x *Index) Find(name string) []Symbol {
	out := make([]Symbol, 0, len(x.byName[name]))
	for _, i := range x.byName[name] {
		out = append(out, x.symbol(i, name))
	}
	return out
}

func (x *Index) symbol(i int, name string) Symbol {
	s := Symbol{Dir: x.mods[i].Dir, Name: name}
	for k := range x.mods[i].Exports {
		if e := &x.mods[i].Exports[k]; e.Name == name {
			s.Kind, s.Signature = e.Kind, e.Signature
			break
		}
	}
	return s
}

// Resolve finds what a cross reference names.
func (x *Index) Resolve(ref spec.CrossRef) (Symbol, bool) {
	i, ok := x.ids[key(ref.Path)]
	if !ok || x.mods[i].Symbols[ref.Symbol] == "" {
		return Symbol{}, false
	}
	return x.symbol(i, ref.Symbol), true
}

// Needs lists what a module depends on, in the order of its spec.
func (x *Index) Needs(dir string) []Need {
	if i, ok := x.ids[key(dir)]; ok {
		return slices.Clone(x.needs[i])
	}
	return nil
}

// Dependents lists the modules that depend on a module directly, sorted.
func (x *Index) Dependents(dir string) []string {
	i, ok := x.ids[key(dir)]
	if !ok {
		return nil
	}
	return x.dirsOf(x.users[i])
}

func (x *Index) dirsOf(ids []int) []string {
	out := make([]string, 0, len(ids))
	for _, i := range ids {
		out = append(out, x.mods[i].Dir)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Locate finds the module of a reference in the spec of the module from: a directory, or the path
// of a spec by either name, counted from the root.
func (x *Index) Locate(from, ref string) (string, bool) {
	var dep spec.Internal
	dep.Path, dep.IsSpec = spec.Dir(ref)
	j, ok := x.ids.Locate(from, dep)
	if !ok {
		return "", false
	}
	return x.mods[j].Dir, true
}
