package inspect

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// packageOf is the package of others that an import means, as the manifest of the file's toolchain names it; false where no
// manifest says it.
func (p *Project) packageOf(file string, imp source.Import) (toolchain.Dependency, bool) {
	if len(p.targets(file, imp)) > 0 {
		return toolchain.Dependency{}, false
	}
	return p.chain(file).Package(imp.From)
}

// chain is the toolchain of a file.
func (p *Project) chain(file string) toolchain.Found {
	if p.chains == nil {
		p.chains = toolchain.NewProject(p.files, p.listed)
	}
	chain, _ := p.chains.DetectAs(path.Dir(file), toolchain.LanguageOf(file))
	return chain
}

// packages are the packages of others that a module's files import, sorted, as the manifest names them, and in the version
// that it says. What no manifest declares is left out: it may be of the language itself, and a name that is no package's
// would be asked for at a registry.
func (p *Project) packages(names []string, files map[string]source.File) []string {
	found := map[string]bool{}
	for _, f := range names {
		for _, imp := range files[f].Imports {
			if d, ok := p.packageOf(f, imp); ok {
				found[strings.TrimSuffix(d.Name+"@"+d.Version, "@")] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// externals compares the packages of others that the code imports with those that the spec names, where it names any as the
// manifest does. That the code does without one is known of Go alone: elsewhere packages are used that nothing imports.
func (m *module) externals() {
	listed := m.doc.Dependencies.External
	used := map[string]bool{}
	for _, f := range slices.Concat(m.names, m.tests[m.dir]) {
		x, isSource := m.files[f]
		if !isSource {
			x = m.parse(f, m.read(f))
		}
		chain := m.chain(f)
		if x.Problem != "" || !slices.ContainsFunc(listed, func(e spec.External) bool { return chain.Has(e.Name) }) {
			return
		}
		for _, imp := range x.Imports {
			d, ok := m.packageOf(f, imp)
			known := used[d.Name] || !isSource || slices.ContainsFunc(listed, func(e spec.External) bool { return alike(e.Name, d.Name) })
			if ok && !known {
				m.issue(Drift{
					Type: "ORPHAN", Section: "Dependencies", File: f, Line: imp.Line, Symbol: d.Name,
					Message: "The code imports the package " + d.Name + ", which Dependencies does not name",
				})
			}
			used[d.Name] = true
		}
	}
	chain := m.chain(m.names[0])
	for _, e := range listed {
		if chain.Ecosystem == toolchain.Go && chain.Has(e.Name) && !used[e.Name] {
			m.issue(Drift{
				Type: "STALE", Section: "Dependencies", File: m.doc.Path, Line: e.Line, Symbol: e.Name,
				Message: "The spec depends on the package " + e.Name + ", but no file of the module imports it",
			})
		}
	}
}

// alike reports whether two names may be of one package: a spec may leave out where it comes from, or say what of it is used.
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}
