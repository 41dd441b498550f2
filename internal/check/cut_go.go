package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
)

// goCutter cuts declarations out of tests of Go.
type goCutter struct {
	*cutter

	gone    map[string]cutTest // names that were declared in what was cut
	changed map[string]bool    // files that something was cut out of
}

// mend mends the stubs. Where present code does not compile beside them, all of it stays as it is.
func (c *goCutter) mend(list []complaint) (bool, error) {
	if !c.r.stubs || !slices.ContainsFunc(list, func(x complaint) bool { // setting present code aside broke it
		return !strings.HasSuffix(x.file, "_test.go") && path.Base(x.file) != stubFile && c.s.before[x.file] != nil || strings.Contains(x.full, asideMark)
	}) {
		return c.s.mendGo(list)
	}
	c.s.golib, c.s.texts = goStubs{}, nil
	c.gone, c.changed = map[string]cutTest{}, map[string]bool{}
	c.run.cut, c.run.mistakes, c.run.unread = map[string]cutTest{}, nil, nil
	c.r.stubs = false
	return true, c.s.undo()
}

// cutFile gives the file without the declarations that do not compile. Where that cannot be told nothing is left of it.
func (c *goCutter) cutFile(file string, src []byte, list []complaint) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		c.run.unread = append(c.run.unread, file)
		c.mistake(list[0], "", cannotCompile(list[0]))
		return c.cutAll(file, src, cutTest{true, list[0].full})
	}
	out := slices.Clone(src)
	var unused []int
	for _, x := range list {
		if unusedImport().MatchString(x.text) {
			if !c.changed[file] {
				c.mistake(x, "", cannotCompile(x))
			}
			unused = append(unused, x.line)
			continue
		}
		var d ast.Decl
		if i := slices.IndexFunc(f.Decls, func(d ast.Decl) bool {
			return fset.Position(d.Pos()).Line <= x.line && x.line <= fset.Position(d.End()).Line
		}); i >= 0 {
			d = f.Decls[i]
		}
		if g, ok := d.(*ast.GenDecl); d == nil || ok && g.Tok == token.IMPORT {
			why := c.judge(x)
			if why.mistake {
				c.mistake(x, "", why.text)
			}
			return c.cutAll(file, src, cutTest{why.mistake, x.full})
		}
		why, names := c.judge(x), declared(d)
		test := ""
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			test = fn.Name.Name
		}
		m := undefinedName().FindStringSubmatch(x.text)
		if dragged := m != nil && c.gone[m[1]].text != ""; why.mistake && !dragged { // else what is missing was cut out for a mistake of its own
			c.mistake(x, test, why.text)
		}
		for _, n := range names {
			c.gone[n] = cutTest{why.mistake, x.full}
		}
		c.run.note(file+"::"+test, cutTest{why.mistake, x.full})
		blank(out, fset.Position(d.Pos()).Offset, fset.Position(d.End()).Offset)
	}
	c.changed[file] = true
	return withoutNames(fset, f, out, unused)
}

func cannotCompile(x complaint) string {
	return "The test file cannot be compiled: " + firstLines(x.full, 4)
}

// cutAll leaves nothing but the package clause.
func (c *goCutter) cutAll(file string, src []byte, why cutTest) []byte {
	f := source.Parse(file, c.r.original(file))
	for _, t := range testsIn(f) {
		c.run.note(t.ID, why)
	}
	pkg := f.Package
	if m := packageClause().FindSubmatch(src); pkg == "" && m != nil {
		pkg = string(m[1])
	}
	if pkg == "" {
		return src
	}
	for _, m := range topLevel().FindAllSubmatch(src, -1) {
		c.gone[string(m[1])] = why
	}
	return []byte("package " + pkg + "\n")
}

// topLevel finds names that a file declares, also in one that cannot be parsed.
var topLevel = re.New(`(?m)^(?:func|var|const|type) (\w+)`)

// judge tells a mistake of the tests from what only waits for the implementation.
func (c *goCutter) judge(x complaint) cutTest {
	for _, m := range undefinedName().FindAllStringSubmatch(x.text, -1) {
		if why, cut := c.gone[m[1]]; cut {
			return why
		}
	}
	if m := ofType().FindStringSubmatch(x.text); m != nil && c.s.invented[m[1]] {
		return cutTest{false, x.full}
	}
	if why := c.r.unrelated(test{File: x.file}, x.full, true); why != "" {
		return cutTest{true, why}
	}
	return cutTest{false, x.full}
}

var (
	undefinedName = re.New(`undefined: (\w+)$`)
	ofType        = re.New(`(?:type|struct literal of type) \*?(?:\w+\.)?(\w+)`)
)

// declared are the names that a declaration declares.
func declared(d ast.Decl) (out []string) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			out = append(out, n.Name.Name)
			return false
		case *ast.TypeSpec:
			out = append(out, n.Name.Name)
			return false
		case *ast.ValueSpec:
			out = append(out, each(n.Names, func(id *ast.Ident) string { return id.Name })...)
			return false
		}
		return true
	})
	return out
}

// withoutNames imports the packages on some lines for their effects only. Nothing before them may have another length
// than in the file that was parsed.
func withoutNames(fset *token.FileSet, f *ast.File, src []byte, lines []int) []byte {
	for _, imp := range slices.Backward(f.Imports) {
		if !slices.Contains(lines, fset.Position(imp.Pos()).Line) || imp.Name != nil && imp.Name.Name == "_" {
			continue
		}
		from, to := fset.Position(imp.Pos()).Offset, fset.Position(imp.Path.Pos()).Offset
		src = slices.Concat(src[:from], []byte("_ "), src[to:])
	}
	return src
}
