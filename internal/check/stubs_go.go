package check

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// stubFile is the name of Go's file with stubs; it sorts last and cannot be a module's.
const stubFile = "zz_jacquard_stub.go"

// goStubs is what Go's file with stubs is made for.
type goStubs struct {
	pkg   string
	files map[string][]byte // the package's sources and tests: they show how packages are imported
	no    map[string]bool   // packages that are not to be imported
}

var receiverType = re.New(`^func \(\s*\w*\s*\*?(\w+)`)

// golang writes one file with all exports that are missing, or have another signature, into the package. A package
// without any source gets the file in any case: without one the tests would not even be compiled.
func (s *stubber) golang(tests []string) error {
	have := map[string]bool{}
	present, files := map[string][]byte{}, map[string][]byte{}
	g, text := goStubs{files: map[string][]byte{}, no: map[string]bool{}}, &stubText{}
	text.Name = path.Join(s.m.Dir, stubFile)
	list, err := os.ReadDir(s.p.full(s.m.Dir))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range list {
		name := path.Join(s.m.Dir, e.Name())
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		present[name] = s.p.read(name)
		files[name], g.files[name] = present[name], present[name]
		f := source.Parse(name, present[name])
		g.pkg = f.Package
		for _, x := range f.Exports {
			have[strings.TrimPrefix(x.Owner+"."+x.Name, ".")] = true
		}
	}
	for _, t := range tests {
		g.files[t] = s.p.read(t)
		if path.Dir(t) == path.Clean(s.m.Dir) { // the package of the tests beside it
			g.pkg = cmp.Or(g.pkg, strings.TrimSuffix(source.Parse(t, g.files[t]).Package, "_test"))
		}
	}
	for _, e := range s.m.Exports {
		sym := goSymbol(e)
		key := strings.TrimPrefix(sym.Owner+"."+sym.Name, ".")
		stub := s.stub(sym)
		if !have[key] || stub != "" && resign(files, sym, stub) {
			have[key] = true
			if stub != "" {
				text.add(stub)
			}
		}
	}
	for _, e := range s.m.Exports { // an error is one, whether its spec lists the method or not
		if sym := goSymbol(e); sym.Owner == "" && strings.HasSuffix(sym.Name, "Error") && strings.Contains(e.Signature, "struct") && !have[sym.Name+".Error"] {
			have[sym.Name+".Error"] = true
			text.add(s.stub(toolchain.Symbol{Name: "Error", Kind: "method", Owner: sym.Name, Signature: "Error() string"}))
		}
	}
	if g.pkg == "" || len(text.Parts) == 0 && len(present) > 0 {
		return nil
	}
	for name, b := range files {
		if !bytes.Equal(b, present[name]) {
			if err := s.put(name, b); err != nil {
				return err
			}
		}
	}
	s.golib, s.texts = g, []*stubText{text}
	return s.writeGo()
}

// goSymbol is an export of a Go spec; a receiver in its signature says that it is a method.
func goSymbol(e step.Export) toolchain.Symbol {
	sym := symbol(e)
	if r := receiverType().FindStringSubmatch(e.Signature); r != nil {
		sym.Kind, sym.Owner = "method", r[1]
	}
	return sym
}

// writeGo writes the file, with the imports that its parts need.
func (s *stubber) writeGo() error {
	t, all := s.texts[0], ""
	for i, p := range t.Parts {
		all += strings.Join(p[t.takes[i]:], "")
	}
	if t.Tail = ""; strings.Contains(all, "stubError(") {
		t.Tail = toolchain.GoStubSupport
	}
	t.Head = "package " + s.golib.pkg + "\n\n"
	for _, q := range qualifiers(all + t.Tail) {
		if from := s.importOf(q); from != "" && !s.golib.no[from] {
			t.Head += fmt.Sprintf("import %s %q\n", q, from)
		}
	}
	t.Head += "\n"
	return s.writeTexts()
}

var unusedImport = re.New(`"([^"]+)" imported (?:as \w+ )?and not used`)

// mendGo takes the complaints of the compiler about the file with stubs: a type that signatures name and nothing declares
// is declared without contents, any other part that does not compile is left out. It reports whether that changed
// anything.
func (s *stubber) mendGo(list []complaint) (bool, error) {
	changed := false
	list = without(list, func(c complaint) bool {
		if path.Base(c.file) != stubFile {
			return true
		}
		if m := unusedImport().FindStringSubmatch(c.text); m != nil && !s.golib.no[m[1]] {
			s.golib.no[m[1]], changed = true, true
			return true
		}
		m := undefinedName().FindStringSubmatch(c.text)
		missing := m != nil && !s.invented[m[1]] && s.importOf(m[1]) == ""
		if missing {
			s.invented[m[1]], changed = true, true
			s.texts[0].add("type " + m[1] + " struct{}\n")
		}
		return missing
	})
	if other, err := s.mendTexts(list); err != nil || !other && !changed {
		return false, err
	}
	return true, s.writeGo()
}

// qualifiers are the names before a dot in declarations that can be packages.
func qualifiers(decls string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "stub.go", "package p\n"+decls, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && ast.IsExported(sel.Sel.Name) {
				out = addNew(out, id.Name)
			}
		}
		return true
	})
	slices.Sort(out)
	return out
}

// importOf finds the package that a qualifier in a stub means: as the module's tests and sources import it, else a package
// of the project with that name, else a module that go.mod declares, else one of the standard library.
func (s *stubber) importOf(q string) string {
	own := func(from string) bool {
		return slices.Contains(importTargets(s.m.Chain, "", from, s.p.root), path.Clean(s.m.Dir))
	}
	for _, name := range slices.Sorted(maps.Keys(s.golib.files)) {
		for _, imp := range source.Parse(name, s.golib.files[name]).Imports {
			if packageName(imp.From) == q && !own(imp.From) {
				return imp.From
			}
		}
	}
	if from := s.projectPackage(q); from != "" {
		return from
	}
	named := func(from string) bool { return packageName(from) == q }
	known := append(those(s.m.Chain.Declared, named), toolchain.GoStubImports("var _ = "+q+".X\n")...)
	return append(known, "")[0]
}

var packageClause = re.New(`(?m)^package (\w+)`)

var majorVersion = re.New(`^v\d+$`)

// packageName is the usual name of the package behind an import path.
func packageName(from string) string {
	base := path.Base(from)
	if majorVersion().MatchString(base) && path.Dir(from) != "." {
		base = path.Base(path.Dir(from))
	}
	base, _, _ = strings.Cut(base, ".v")
	return strings.TrimSuffix(strings.TrimPrefix(base, "go-"), "-go")
}

// projectPackage finds the package of the project with a name, the nearest one where there are several.
func (s *stubber) projectPackage(q string) string {
	best, shared := "", -1
	dirs := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.p.entries)) {
		dir := path.Dir(name)
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || dirs[dir] || !s.p.ours(name) || dir == path.Clean(s.m.Dir) {
			continue
		}
		dirs[dir] = true
		if m := packageClause().FindSubmatch(s.p.read(name)); m == nil || string(m[1]) != q {
			continue
		}
		if n := common(dir, s.m.Dir); n > shared {
			best, shared = dir, n
		}
	}
	if best == "" || s.m.Chain.Module == "" {
		return ""
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(best, path.Clean(s.m.Chain.Root)), "/")
	return path.Join(s.m.Chain.Module, rel)
}

// common counts the leading parts that two paths share.
func common(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}
