package toolchain

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
	"github.com/jacquard-build/jacquard/internal/re"
)

// foreign reports whether a file is data of tests, or comes from elsewhere: manifests beside it are none of the project's.
func (p *Project) foreign(f string) bool {
	parts := strings.Split(path.Dir(f), "/")
	for i, part := range parts {
		switch part {
		case "testdata", "node_modules", ".venv", "venv", "__fixtures__":
			return true
		case "vendor": // of Go; the word has other meanings, too
			if _, ok := p.has(strings.Join(parts[:i+1], "/"), "modules.txt"); ok {
				return true
			}
		}
	}
	return false
}

// rustMark marks a test in a source of Rust.
var rustMark = re.New(`#\[(?:cfg\(test\)|(?:\w+::)*test\b)`)

// tested reports whether a toolchain has tests of its own. Those of Rust stand in its sources as well, of a member of a workspace too: there the
// run of the workspace has them.
func (p *Project) tested(f Found, all []Found) bool {
	switch around := func(o Found) bool { return o.Ecosystem == f.Ecosystem && o.Root != f.Root && under(f.Root, o.Root) }; {
	case p.anyTest(f.Ecosystem, f.Root):
		return true
	case f.Ecosystem != Rust || slices.ContainsFunc(all, around):
		return false
	}
	return slices.ContainsFunc(p.files, func(file string) bool {
		return under(file, f.Root) && LanguageOf(file) == LangRust && !ignoredDir(file) && rustMark().Match(p.read(file))
	})
}

// All are the toolchains of a project, one for each manifest that sources are below, each with the members that it is built
// with; and what the project says for what none of them is for.
func (p *Project) All() []Found {
	dirs := map[string]bool{".": true}
	for _, f := range p.files {
		if LanguageOf(f) != "" && !p.foreign(f) {
			dirs[path.Dir(f)] = true
		}
	}
	seen := map[string]bool{}
	var all []Found
	for _, d := range sortedKeys(dirs) {
		f, ok := p.Detect(d)
		if ok && f.Ecosystem == JVM && f.Workspace != "" && f.Workspace != f.Root { // Maven builds and tests all modules at once
			f, ok = p.DetectAs(f.Workspace, f.Language)
		}
		if key := f.Ecosystem + " " + f.Root; ok && !seen[key] {
			seen[key] = true
			all = append(all, f)
		}
	}
	for i, f := range all {
		all[i].Untested = !p.tested(f, all)
	}
	all = slices.DeleteFunc(all, func(f Found) bool { return f.Untested && slices.Contains(strings.Split(f.Root, "/"), "fixtures") }) // data of tests
	parts := slices.Clone(all)
	all = slices.DeleteFunc(all, func(f Found) bool { // the folder around members, without code of its own
		return f.Manifest == "" && len(parts) > 1 && !slices.ContainsFunc(p.files, func(file string) bool {
			return EcosystemOf(LanguageOf(file)) == f.Ecosystem && owner(parts, f, file)
		})
	})
	for i, f := range all {
		covered := slices.ContainsFunc(all, func(o Found) bool {
			return o.Ecosystem == f.Ecosystem && o.Root != f.Root && under(f.Root, o.Root) && p.covers(o)
		})
		if covered && !slices.ContainsFunc(f.Own.Test, inCI) || f.guessed && len(f.Own.Test) == 0 && p.testsElsewhere(&f) {
			all[i].Own.Elsewhere = true
		}
		for _, other := range all {
			if p.builtWith(all[i], other) {
				all[i].Members = append(all[i].Members, other.Root)
			}
		}
	}
	if f, ok := p.DetectOther(); ok && (p.ofOthers(f) || !slices.ContainsFunc(all, func(c Found) bool { return c.Root == "." && c.Manifest != "" && (len(f.Own.Test) == 0 || !c.Untested) })) {
		if len(f.Own.Test) > 0 { // sources that no manifest and no command is for are its data
			all = slices.DeleteFunc(all, func(c Found) bool { return c.Manifest == "" && len(c.Own.Test) == 0 })
		}
		all = append(all, f)
	}
	return all
}

// ofOthers reports whether the tests of a toolchain without a row are those of sources in a language that no row is for.
func (p *Project) ofOthers(f Found) bool {
	return slices.ContainsFunc(f.Own.Test, func(c commands.Command) bool {
		return slices.ContainsFunc(otherRunners[c.Program()], p.holds)
	})
}

// otherRunners says of runners that no row is for with which extensions the sources end that they test.
var otherRunners = map[string][]string{
	"rspec": {".rb"}, "rake": {".rb"}, "phpunit": {".php"}, "pest": {".php"}, "mix": {".exs"}, "ctest": {".c", ".cc", ".cpp", ".cxx"},
}

func inCI(c commands.Command) bool { return c.CI }

// covers reports whether the tests of a toolchain are those of the packages below it as well, as its runner's settings say:
// projects or a workspace of vitest, projects of jest.
func (p *Project) covers(f Found) bool {
	if len(f.Own.Test) == 0 || f.Runner != "vitest" && f.Runner != "jest" {
		return false
	}
	files := p.match(f.Root, "vitest.config.*", "vite.config.*", "jest.config.*")
	return len(p.match(f.Root, "vitest.workspace.*")) > 0 || slices.ContainsFunc(append(files, f.Manifest), func(file string) bool {
		return projects().Match(p.read(file))
	})
}

// projects is a setting of vitest or jest that lists where tests are.
var projects = re.New(`["']?\b(?:projects|workspace)["']?\s*:\s*\[`)

// builtWith reports whether a member of the project is built with the sources of another one: it declares the other's package.
// A module of Go gets a published version of it unless go.work or a replace directive says otherwise.
func (p *Project) builtWith(f, other Found) bool {
	if f.Ecosystem != other.Ecosystem || f.Root == other.Root || other.Module == "" {
		return false
	}
	named := slices.ContainsFunc(f.Declared, func(name string) bool {
		return packageName(f.Ecosystem, name) == packageName(f.Ecosystem, other.Module)
	})
	if f.Ecosystem != Go || !named {
		return named
	}
	return f.Workspace != "" && f.Workspace == other.Workspace || slices.ContainsFunc(strings.Split(string(p.read(f.Manifest)), "\n"), func(line string) bool {
		_, target, replaced := strings.Cut(line, "=>")
		return replaced && path.Join(f.Root, strings.TrimSpace(target)) == other.Root
	})
}

// Same reports whether another one is the same toolchain, of another tree perhaps.
func (f Found) Same(o Found) bool { return o.Ecosystem == f.Ecosystem && o.Root == f.Root }

// BuiltWith are the toolchains whose sources one is built with, however far away.
func BuiltWith(all []Found, f Found) []Found {
	var out []Found
	roots := slices.Clone(f.Members)
	for i := 0; i < len(roots); i++ { // roots grows
		for _, o := range all {
			if o.Ecosystem != f.Ecosystem || o.Root != roots[i] || o.Root == f.Root {
				continue
			}
			out = append(out, o)
			roots = addOnce(roots, o.Members...)
		}
	}
	return out
}

// packageName is a package's name as tools compare it: Cargo's library has _ where its package has -, and Python's names
// differ in neither case nor separators.
func packageName(ecosystem, name string) string {
	switch ecosystem {
	case Rust:
		return strings.ReplaceAll(name, "-", "_")
	case Python:
		return plainName(name)
	}
	return name
}

// NearestFirst has the members first that some work is about, the innermost before those around them: where there is room for the environment
// of one only, it is that of the first.
func NearestFirst(all []Found, about func(Found) bool) []Found {
	depth := func(f Found) int {
		if f.Root == "." || !about(f) {
			return 0
		}
		return 1 + strings.Count(f.Root, "/")
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b Found) int { return depth(b) - depth(a) })
}

// Affected are the toolchains that the changed files can matter to: what they lie in, also of nested ones, and what is built
// with the members that they are of, however far away.
func Affected(all []Found, changed []string) []Found {
	var out, moved []Found // moved: what others are built with is another than before
	for _, f := range all {
		if slices.ContainsFunc(changed, func(file string) bool { return under(file, f.Root) }) {
			out = append(out, f)
		}
		if slices.ContainsFunc(changed, func(file string) bool { return owner(all, f, file) }) {
			moved = append(moved, f)
		}
	}
	for i := 0; i < len(moved); i++ { // moved grows
		for _, f := range all {
			if f.Ecosystem != moved[i].Ecosystem || !slices.Contains(f.Members, moved[i].Root) || slices.ContainsFunc(moved, f.Same) {
				continue
			}
			moved = append(moved, f)
			if !slices.ContainsFunc(out, f.Same) {
				out = append(out, f)
			}
		}
	}
	return out
}

// owner reports whether a file is of the member f, and not of one below it or of another ecosystem.
func owner(all []Found, f Found, file string) bool {
	eco := EcosystemOf(LanguageOf(file))
	return under(file, f.Root) && (eco == "" || eco == f.Ecosystem) && !slices.ContainsFunc(all, func(o Found) bool {
		return o.Ecosystem == f.Ecosystem && o.Root != f.Root && under(o.Root, f.Root) && under(file, o.Root)
	})
}
