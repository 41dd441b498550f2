package source

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"strconv"
	"strings"
)

// goFile is a Go file while it is being read.
type goFile struct {
	f    *File
	src  []byte
	fset *token.FileSet
	ast  *ast.File
	// fallible: the function that is read gives an error as its last result.
	fallible bool
}

func parseGo(f *File, src []byte) {
	f.Tokens = lexGo(src)
	for _, t := range f.Tokens {
		if t.Kind == Comment && strings.HasPrefix(t.Text, "//go:build ") {
			f.Constraint = strings.TrimSpace(strings.TrimPrefix(t.Text, "//go:build "))
			break
		}
	}
	g := &goFile{f: f, src: src, fset: token.NewFileSet()}
	var err error
	g.ast, err = parser.ParseFile(g.fset, f.Path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		f.Problem = err.Error()
	}
	if g.ast == nil || g.ast.Name == nil {
		return
	}
	f.Package, f.Doc = g.ast.Name.Name, summary(g.ast.Doc.Text())
	for _, imp := range g.ast.Imports {
		from, err := strconv.Unquote(imp.Path.Value)
		if err == nil {
			f.Imports = append(f.Imports, Import{From: from, Line: g.line(imp.Pos())})
		}
	}
	isTest := strings.HasSuffix(f.Path, "_test.go")
	for _, d := range g.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			g.function(d, isTest)
		case *ast.GenDecl:
			if !isTest {
				g.general(d)
				(&goMutator{g: g}).constants(d)
				g.bound(d)
			}
		}
	}
	if isTest {
		g.tests()
		return
	}
	g.states()
	g.transitions()
}

func (g *goFile) line(p token.Pos) int { return g.fset.Position(p).Line }

func (g *goFile) off(p token.Pos) int {
	return min(max(g.fset.Position(p).Offset, 0), len(g.src))
}

func (g *goFile) text(n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, g.fset, n); err != nil {
		return ""
	}
	return render(scanGo(b.Bytes(), true))
}

// source is the text of a node. In a file with mistakes a node may have no end.
func (g *goFile) source(n ast.Node) string {
	from, to := g.off(n.Pos()), g.off(n.End())
	return string(g.src[from:max(from, to)])
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	return embedded(d.Recv.List[0].Type)
}

func (g *goFile) function(d *ast.FuncDecl, isTest bool) {
	owner := receiver(d)
	name := d.Name.Name
	if owner != "" {
		name = owner + "." + name
	}
	if d.Body != nil {
		g.note(name, d, d.Type.Results, d.Body, isTest)
	}
	if isTest || !d.Name.IsExported() || owner != "" && !ast.IsExported(owner) {
		return
	}
	sig := *d
	sig.Body, sig.Doc = nil, nil
	e := Export{Name: d.Name.Name, Kind: "function", Owner: owner, Signature: g.text(&sig), Line: g.line(d.Pos()), Doc: summary(d.Doc.Text())}
	if owner != "" {
		e.Kind = "method"
	}
	e.Text = e.Signature
	if out := gofmt(e.Signature + " {}"); out != "" { // a body may be put on a line of its own
		e.Text = strings.TrimSpace(out[:strings.LastIndex(out, "{")])
	}
	g.f.Exports = append(g.f.Exports, e)
	g.contract(name, d)
}

// note adds a function and, but of tests, its mutants.
func (g *goFile) note(name string, at ast.Node, results *ast.FieldList, body *ast.BlockStmt, isTest bool) {
	g.f.Funcs = append(g.f.Funcs, Func{
		Name: name, Line: g.line(at.Pos()), End: g.line(at.End()),
		Off: g.off(at.Pos()), Stop: g.off(at.End()), Body: g.off(body.Lbrace) + 1, zero: g.zero(results),
	})
	if isTest {
		return
	}
	m := &goMutator{g: g, fn: name}
	if d, ok := at.(*ast.FuncDecl); ok && d.Recv != nil && len(d.Recv.List[0].Names) > 0 {
		m.receiver = d.Recv.List[0].Names[0].Name
	}
	m.run(body, results)
}

// bound notes the functions that variables of the package hold: by themselves, in a field as rootCmd.RunE, or in a table by their keys.
func (g *goFile) bound(d *ast.GenDecl) {
	for _, s := range d.Specs {
		if v, ok := s.(*ast.ValueSpec); ok {
			for i, value := range v.Values {
				g.within(v.Names[min(i, len(v.Names)-1)].Name, value)
			}
		}
	}
}

func (g *goFile) within(name string, e ast.Expr) {
	switch e := e.(type) {
	case *ast.FuncLit:
		g.note(name, e, e.Type.Results, e.Body, false)
	case *ast.ParenExpr:
		g.within(name, e.X)
	case *ast.UnaryExpr:
		g.within(name, e.X)
	case *ast.CallExpr: // sync.OnceValue(func() …)
		for _, arg := range e.Args {
			g.within(name, arg)
		}
	case *ast.KeyValueExpr:
		g.within(name+"."+strings.Trim(g.source(e.Key), "\"`"), e.Value)
	case *ast.CompositeLit:
		for _, elt := range e.Elts {
			g.within(name, elt)
		}
	}
}

// gofmt lays a declaration out as the tools of Go do, "" when it cannot.
func gofmt(decl string) string {
	out, err := format.Source([]byte("package p\n" + decl + "\n"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), "package p"))
}

func (g *goFile) general(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			kind := "type"
			switch s.Type.(type) {
			case *ast.InterfaceType:
				kind = "interface"
			case *ast.StructType:
				kind = "struct"
			}
			if s.Assign.IsValid() {
				kind = "type"
			}
			above := g.embeds(s.Type)
			publicFields(s.Type)
			clean := *s
			clean.Doc, clean.Comment = nil, nil
			e := Export{Name: s.Name.Name, Kind: kind, Signature: "type " + g.text(&clean), Line: g.line(s.Pos()), Doc: summary(cmp.Or(s.Doc.Text(), d.Doc.Text()))}
			e.Text, e.Above = cmp.Or(gofmt(e.Signature), e.Signature), above
			g.f.Exports = append(g.f.Exports, e)
		case *ast.ValueSpec:
			kind := "variable"
			if d.Tok == token.CONST {
				kind = "constant"
			}
			for i, n := range s.Names {
				if i < len(s.Values) && d.Tok == token.CONST {
					if lit, ok := s.Values[i].(*ast.BasicLit); ok {
						g.f.stands(n.Name, lit.Value)
					}
				}
				if !n.IsExported() {
					continue
				}
				sig := d.Tok.String() + " " + n.Name
				if s.Type != nil {
					sig += " " + g.text(s.Type)
				}
				g.f.Exports = append(g.f.Exports, Export{Name: n.Name, Kind: kind, Signature: sig, Text: sig, Line: g.line(n.Pos()), Doc: summary(s.Doc.Text())})
			}
		}
	}
}

// zero is the statement that returns the zero values of results.
func (g *goFile) zero(results *ast.FieldList) string {
	var values []string
	if results != nil {
		for _, r := range results.List {
			for range max(1, len(r.Names)) {
				values = append(values, "*new("+g.source(r.Type)+")")
			}
		}
	}
	return strings.TrimSpace("return "+strings.Join(values, ", ")) + ";"
}
