package check

import (
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// reached are the test files that a change can matter to, by how they come to it: Near are those beside what has changed and
// those that import it, Far those that come by way of other files, the nearest first. Imports are read by their texts: what is
// computed, or goes by a path that only a bundler knows, is not seen; so all tests come far to a source to which none is seen to come
// (require('..'), the package's own name, another process). In Go all imports are seen; in
// Rust, where paths stand in the code as well, all tests come far.
type reached struct{ near, far []string }

// reach finds them. files are all sources and tests of a toolchain with their texts, isTest those of them that hold tests, and
// changed all paths that differ, data of tests among them. with are toolchains that the first is built with, if files are theirs as well.
func reach(chain toolchain.Found, files map[string][]byte, isTest func(string) bool, changed []string, with ...toolchain.Found) reached {
	g := newGraph(chain, files, with...)
	tests := map[string][]string{} // by what they import or lie beside
	all := those(slices.Sorted(maps.Keys(files)), isTest)
	for _, file := range all {
		for _, to := range append(g.imports(file), g.beside(file)) {
			tests[to] = append(tests[to], file)
		}
	}
	var r reached
	seen := map[string]bool{}
	add := func(list *[]string, files ...string) {
		for _, f := range files {
			if !seen[f] {
				seen[f] = true
				*list = append(*list, f)
			}
		}
	}
	var units []string
	for _, file := range changed {
		if isTest(file) {
			add(&r.near, file)
		}
		switch {
		case toolchain.IsSource(file):
			units = append(units, g.unit(file))
		case isTest(file):
		case path.Base(file) == "conftest.py":
			add(&r.near, those(all, func(f string) bool { return below(path.Dir(file), f) })...)
		case toolchain.IsTest(file): // helpers of tests
			units = append(units, g.unit(file), g.beside(file))
		default:
			add(&r.near, around(all, file)...)
		}
	}
	for _, u := range units {
		add(&r.near, tests[u]...)
	}
	for _, u := range g.above(units...) {
		add(&r.far, tests[u]...)
	}
	unseen := func(file string) bool {
		return toolchain.IsSource(file) && !slices.ContainsFunc(g.above(g.unit(file)), func(u string) bool { return len(tests[u]) > 0 })
	}
	if chain.Ecosystem == toolchain.Rust || chain.Ecosystem != toolchain.Go && (len(seen) == 0 || slices.ContainsFunc(changed, unseen)) {
		add(&r.far, all...)
	}
	return r
}

// above are units and all that import them, however far away, the nearest first.
func (g *graph) above(units ...string) (out []string) {
	known := map[string]bool{}
	for len(units) > 0 {
		u := units[0]
		units = units[1:]
		if known[u] {
			continue
		}
		known[u] = true
		out = append(out, u)
		units = append(units, g.importers[u]...)
	}
	return out
}

// around are the tests beside data: of the nearest directory upwards that has some.
func around(tests []string, file string) []string {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		out := those(tests, func(t string) bool { return path.Dir(t) == dir })
		if len(out) > 0 || dir == "." || dir == "/" {
			return out
		}
	}
}

// graph is which unit imports which: a package of Go is a directory, a package of Rust one with its tests, elsewhere each file is a unit.
type graph struct {
	chain     toolchain.Found
	with      []toolchain.Found // that it is built with
	files     map[string][]byte
	byEnd     map[string][]string // the last part of a unit -> units
	importers map[string][]string // of a unit: the units whose sources import it
	packages  map[string]string   // of the JVM, by file
	declared  map[string][]string // of the JVM: what stands at the top of a file -> files
}

func newGraph(chain toolchain.Found, files map[string][]byte, with ...toolchain.Found) *graph {
	g := &graph{chain: chain, with: with, files: files, byEnd: map[string][]string{}, importers: map[string][]string{}, packages: map[string]string{}, declared: map[string][]string{}}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if chain.Ecosystem == toolchain.JVM {
			if m := jvmPackage().FindSubmatch(files[file]); m != nil {
				g.packages[file] = string(m[1])
			}
			for _, m := range jvmDeclares().FindAllSubmatch(files[file], -1) {
				g.declared[string(m[1])] = append(g.declared[string(m[1])], file)
			}
		}
		u := g.unit(file)
		g.byEnd[path.Base(u)] = addNew(g.byEnd[path.Base(u)], u)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(file, "_test.go") { // which nobody can import
			continue
		}
		for _, to := range g.imports(file) {
			if u := g.unit(file); u != to {
				g.importers[to] = addNew(g.importers[to], u)
			}
		}
	}
	return g
}

// unit is what others import when they import a file.
func (g *graph) unit(file string) string {
	switch path.Ext(file) {
	case ".go":
		return path.Dir(file)
	case ".rs":
		return packageOf(file)
	}
	return wholeOf(stem(file))
}

// wholeOf is the directory that a file stands for by its name, or the file.
func wholeOf(u string) string {
	if base := path.Base(u); base == "index" || base == "__init__" {
		return path.Dir(u)
	}
	return u
}

// packageOf is the directory of the package of Rust that a file belongs to, by the folders that Cargo gives a meaning.
func packageOf(file string) string {
	dir := path.Dir(file)
	for _, names := range [][]string{{"src"}, {"tests", "examples", "benches"}} {
		for d := dir; d != "." && d != "/"; d = path.Dir(d) {
			if slices.Contains(names, path.Base(d)) {
				return path.Dir(d)
			}
		}
	}
	return dir
}

// beside is the unit that a test lies beside without importing it by name: in Go its package, elsewhere the file it is named after.
func (g *graph) beside(test string) string {
	if ext := path.Ext(test); ext == ".go" || ext == ".rs" {
		return g.unit(test)
	}
	name := strings.TrimPrefix(strings.TrimSuffix(stem(path.Base(test)), "_test"), "test_")
	return path.Join(path.Dir(test), strings.TrimSuffix(strings.TrimSuffix(name, ".test"), ".spec"))
}

var (
	rustImport   = re.New(`(?m)^[ \t]*(?:pub[ \t]+)?(?:use|extern crate)[ \t]+(?:::)?(\w+)`)
	scriptImport = re.New(`(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\(|\bmock\s*\()\s*["'` + "`" + `]([^"'` + "`" + `\n]+)["'` + "`" + `]`)
	jvmPackage   = re.New(`(?m)^package[ \t]+([\w.]+)`)
	jvmDeclares  = re.New(`(?m)^(?:[\w@-]+[ \t]+)*?(?:class|interface|@interface|enum|record|object|fun|val|var|typealias)[ \t]+(?:<[^>\n]*>[ \t]*)?(?:[\w<>?, ]+\.)?(\w+)`)
	pythonImport = re.New(`(?m)^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([\w \t,*]*)|import[ \t]+([\w., \t]+))`)
)

// imports are the units of the project that a file imports.
func (g *graph) imports(file string) []string {
	var out []string
	add := func(list ...string) { out = addNew(out, list...) }
	src := g.files[file]
	switch g.chain.Ecosystem {
	case toolchain.Go:
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly)
		if f == nil || err != nil && len(f.Imports) == 0 {
			return nil
		}
		for _, i := range f.Imports {
			name, _ := strconv.Unquote(i.Path.Value)
			var in toolchain.Found // the module that it is of: one may lie in another
			for _, c := range append([]toolchain.Found{g.chain}, g.with...) {
				if len(c.Module) > len(in.Module) && strings.HasPrefix(name+"/", c.Module+"/") {
					in = c
				}
			}
			if in.Module != "" {
				add(path.Join(in.Root, strings.TrimPrefix(name, in.Module)))
			}
		}
	case toolchain.Rust:
		for _, m := range rustImport().FindAllSubmatch(src, -1) {
			add(g.byEnd[string(m[1])]...)
			add(g.byEnd[strings.ReplaceAll(string(m[1]), "_", "-")]...)
		}
	case toolchain.JVM:
		add(g.jvm(file)...)
	case toolchain.Node:
		for _, m := range scriptImport().FindAllSubmatch(src, -1) {
			add(g.script(path.Dir(file), string(m[1]))...)
		}
	case toolchain.Python:
		for _, m := range pythonImport().FindAllSubmatch(src, -1) {
			if len(m[1]) > 0 {
				add(g.python(path.Dir(file), string(m[1]), strings.Split(string(m[2]), ","))...)
				continue
			}
			for name := range strings.SplitSeq(string(m[3]), ",") {
				if words := strings.Fields(name); len(words) > 0 {
					add(g.python(path.Dir(file), words[0], nil)...)
				}
			}
		}
	}
	return out
}

// jvm are the units of which a file of Java or Kotlin names something, and whose package it is in or names: what is in the own package needs no import.
func (g *graph) jvm(file string) (out []string) {
	src, seen := string(g.files[file]), map[string]bool{}
	for _, name := range word().FindAllString(src, -1) {
		if seen[name] {
			continue
		}
		seen[name] = true
		for _, other := range g.declared[name] {
			if pkg := g.packages[other]; other != file && (pkg == g.packages[file] || strings.Contains(src, pkg+".")) {
				out = append(out, g.unit(other))
			}
		}
	}
	return out
}

// script are the units that a specifier of JavaScript can name: a path from here, or an alias for a directory of the project.
func (g *graph) script(dir, name string) []string {
	if name = strings.TrimSuffix(name, "/"); ecosystemOf(name) == toolchain.Node {
		name = stem(name)
	}
	if strings.HasPrefix(name, ".") {
		return []string{wholeOf(path.Join(dir, name))}
	}
	_, rest, ok := strings.Cut(name, "/") // @/lib/tax, ~/lib/tax, src/lib/tax
	if !ok {
		return nil
	}
	return g.ending(wholeOf(rest))
}

// python are the units that a dotted name can mean: a module, or one of a package.
func (g *graph) python(dir, name string, names []string) []string {
	rest, find := strings.ReplaceAll(name, ".", "/"), g.ending
	if strings.HasPrefix(name, ".") {
		rest, find = pythonUp(dir, name), func(rest string) []string { return []string{rest} }
	}
	out := find(rest)
	for _, n := range names {
		if words := strings.Fields(n); len(words) > 0 && words[0] != "*" {
			out = append(out, find(path.Join(rest, words[0]))...)
		}
	}
	return out
}

// ending are the units whose paths end so.
func (g *graph) ending(rest string) []string {
	if rest == "" || rest == "." {
		return nil
	}
	return those(g.byEnd[path.Base(rest)], func(u string) bool { return u == rest || strings.HasSuffix(u, "/"+rest) })
}
