package source

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/scanner"
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

func lexGo(src []byte) []Token { return scanGo(src, false) }

// scanGo cuts Go into tokens, on demand with the semicolons that line ends stand for where something follows them.
func scanGo(src []byte, lines bool) []Token {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	var out []Token
	ended := false
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok == token.SEMICOLON && lit != ";" {
			ended = true
			continue
		}
		if lines && ended && tok != token.RBRACE && tok != token.RPAREN {
			out = append(out, Token{Kind: Punct, Text: ";", Indent: -1})
		}
		ended = false
		t := Token{Kind: Punct, Text: lit, Line: file.Line(pos), Off: file.Offset(pos), Indent: -1}
		if t.Text == "" {
			t.Text = tok.String()
		}
		switch {
		case tok == token.COMMENT:
			t.Kind = Comment
		case tok == token.IDENT || tok.IsKeyword():
			t.Kind = Ident
		case tok == token.INT || tok == token.FLOAT || tok == token.IMAG:
			t.Kind = Number
		case tok == token.STRING || tok == token.CHAR:
			t.Kind = String
		}
		t.End = min(t.Off+len(t.Text), len(src))
		out = append(out, t)
	}
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
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
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
	if !isTest {
		(&goMutator{g: g, fn: name}).run(body, results)
	}
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
			doc := s.Doc.Text()
			if doc == "" {
				doc = d.Doc.Text()
			}
			clean := *s
			clean.Doc, clean.Comment = nil, nil
			e := Export{Name: s.Name.Name, Kind: kind, Signature: "type " + g.text(&clean), Line: g.line(s.Pos()), Doc: summary(doc)}
			if e.Text = gofmt(e.Signature); e.Text == "" {
				e.Text = e.Signature
			}
			e.Above = above
			g.f.Exports = append(g.f.Exports, e)
		case *ast.ValueSpec:
			kind := "variable"
			if d.Tok == token.CONST {
				kind = "constant"
			}
			for _, n := range s.Names {
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

// goTests reads the tests of a file.
type goTests struct {
	*goFile
	names   map[string]bool // parameters of type *testing.T and the like
	helpers map[string]bool // functions of this file: do they assert anything?
	cur     *Test
}

func (g *goFile) tests() {
	ts := &goTests{goFile: g, names: map[string]bool{}, helpers: map[string]bool{}}
	ast.Inspect(g.ast, func(n ast.Node) bool {
		if ft, ok := n.(*ast.FuncType); ok && ft.Params != nil {
			for _, p := range ft.Params.List {
				if strings.Contains(g.source(p.Type), "testing.") {
					for _, id := range p.Names {
						ts.names[id.Name] = true
					}
				}
			}
		}
		return true
	})
	// Helpers may call helpers: twice is enough for what people write.
	for range 2 {
		for _, d := range g.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				ts.cur = &Test{}
				ts.stmts(fn.Body.List, false)
				ts.helpers[fn.Name.Name] = ts.cur.Asserts > 0
			}
		}
	}
	for _, d := range g.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || fn.Body == nil || !isGoTest(fn) {
			continue
		}
		t := Test{
			Name: fn.Name.Name, Line: g.line(fn.Pos()), End: g.line(fn.End()),
			Off: g.off(fn.Body.Pos()), Stop: g.off(fn.Body.End()),
		}
		ts.cur = &t
		ts.stmts(fn.Body.List, false)
		if strings.HasPrefix(t.Name, "Example") {
			if !bytes.Contains(bytes.ToLower(g.src[t.Off:t.Stop]), []byte("output:")) {
				continue
			}
			t.Asserts++
		}
		g.f.Tests = append(g.f.Tests, t)
	}
}

func isGoTest(fn *ast.FuncDecl) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Example"} {
		rest, ok := strings.CutPrefix(fn.Name.Name, prefix)
		if !ok || rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
			continue
		}
		params := fn.Type.Params.NumFields()
		return prefix == "Example" && params == 0 || prefix != "Example" && params == 1 && fn.Name.Name != "TestMain"
	}
	return false
}

// stmts walks a list of statements. trivial says that what is asserted here can never fail.
func (ts *goTests) stmts(list []ast.Stmt, trivial bool) {
	before := ""
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			ts.expr(s, trivial)
			return
		case *ast.ExprStmt:
			if line := ts.skipCall(s.X); line > 0 {
				ts.skip(line)
				return
			}
			ts.expr(s, trivial)
		case *ast.IfStmt:
			ts.ifStmt(s, trivial, before)
		case *ast.BlockStmt:
			ts.stmts(s.List, trivial)
		case *ast.ForStmt:
			ts.expr(s.Cond, trivial)
			ts.stmts(s.Body.List, trivial)
		case *ast.RangeStmt:
			ts.stmts(s.Body.List, trivial)
		case *ast.SwitchStmt:
			ts.clauses(s.Body, trivial)
		case *ast.TypeSwitchStmt:
			ts.clauses(s.Body, trivial)
		case *ast.SelectStmt:
			ts.clauses(s.Body, trivial)
		case *ast.LabeledStmt:
			ts.stmts([]ast.Stmt{s.Stmt}, trivial)
		default:
			ts.expr(s, trivial)
		}
		before = ts.source(s)
	}
}

func (ts *goTests) clauses(b *ast.BlockStmt, trivial bool) {
	for _, c := range b.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			ts.stmts(c.Body, trivial)
		case *ast.CommClause:
			ts.stmts(c.Body, trivial)
		}
	}
}

func (ts *goTests) skip(line int) {
	ts.cur.Skipped = true
	if ts.cur.SkipLine == 0 {
		ts.cur.SkipLine = line
	}
}

// skipCall gives the line of a call that skips the test, 0 for anything else.
func (ts *goTests) skipCall(e ast.Expr) int {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return 0
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return 0
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || !ts.names[id.Name] {
		return 0
	}
	switch sel.Sel.Name {
	case "Skip", "Skipf", "SkipNow":
		return ts.line(call.Pos())
	}
	return 0
}

// environmental conditions are those under which skipping is honest: the machine cannot run the test.
func environmental(text string) bool {
	for _, ok := range []string{
		"testing.Short(", "runtime.GOOS", "runtime.GOARCH", "LookPath(", "Getuid(", "Geteuid(", "NumCPU(", "GOMAXPROCS(",
	} {
		if strings.Contains(text, ok) {
			return true
		}
	}
	return false
}

func (ts *goTests) ifStmt(s *ast.IfStmt, trivial bool, before string) {
	if s.Init != nil {
		ts.expr(s.Init, trivial)
	}
	cond := ts.source(s.Cond)
	fixed := ts.constant(s.Cond)
	honest := environmental(cond) || s.Init != nil && environmental(ts.source(s.Init)) || environmental(before)
	if len(s.Body.List) > 0 && honest {
		if e, ok := s.Body.List[0].(*ast.ExprStmt); ok && ts.skipCall(e.X) > 0 {
			ts.cur.MaySkip = true
			return
		}
	}
	ts.expr(s.Cond, trivial)
	ts.stmts(s.Body.List, trivial || fixed)
	if s.Else != nil {
		ts.stmts([]ast.Stmt{s.Else}, trivial || fixed)
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

// constant reports whether a condition has the same value in every run: literals only, or a comparison with itself.
func (ts *goTests) constant(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return ts.constant(x.X)
	case *ast.UnaryExpr:
		return ts.constant(x.X)
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return x.Name == "true" || x.Name == "false" || x.Name == "nil"
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			l, r := ts.constant(x.X), ts.constant(x.Y)
			return l && r || l && ts.source(x.X) == "false" && x.Op == token.LAND || r && ts.source(x.Y) == "false" && x.Op == token.LAND
		}
		return ts.constant(x.X) && ts.constant(x.Y) || ts.source(x.X) == ts.source(x.Y) && !hasCall(x.X)
	}
	return false
}

func hasCall(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if _, ok := n.(*ast.CallExpr); ok {
			found = true
		}
		return !found
	})
	return found
}

// expr looks for assertions in an expression or a simple statement; function literals are walked as statements.
func (ts *goTests) expr(n ast.Node, trivial bool) {
	if e, ok := n.(ast.Expr); n == nil || ok && e == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncLit:
			ts.stmts(x.Body.List, trivial)
			return false
		case *ast.CallExpr:
			if line := ts.skipCall(x); line > 0 {
				ts.skip(line)
			}
			if real, is := ts.assertion(x); is {
				if real && !trivial {
					ts.cur.Asserts++
				} else {
					ts.cur.Trivial++
				}
			}
		}
		return true
	})
}

// assertion reports whether a call asserts something, and whether that can fail.
func (ts *goTests) assertion(c *ast.CallExpr) (real, is bool) {
	switch fun := c.Fun.(type) {
	case *ast.Ident:
		if fun.Name == "panic" {
			return true, true
		}
		if asserts, local := ts.helpers[fun.Name]; local {
			return true, asserts
		}
		return true, ts.passesT(c) || checkerName().MatchString(fun.Name)
	case *ast.SelectorExpr:
		if id, ok := fun.X.(*ast.Ident); ok {
			if ts.names[id.Name] {
				switch fun.Sel.Name {
				case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
					return true, true
				}
				return false, false
			}
			switch id.Name {
			case "assert", "require", "is", "qt", "must", "td", "check", "test", "then":
				return !ts.trivialArgs(c), true
			}
		}
		return true, checkerName().MatchString(fun.Sel.Name) || ts.passesT(c)
	}
	return false, false
}

func (ts *goTests) passesT(c *ast.CallExpr) bool {
	for _, a := range c.Args {
		if id, ok := a.(*ast.Ident); ok && ts.names[id.Name] {
			return true
		}
	}
	return false
}

func (ts *goTests) trivialArgs(c *ast.CallExpr) bool {
	var args []ast.Expr
	for _, a := range c.Args {
		if id, ok := a.(*ast.Ident); ok && ts.names[id.Name] {
			continue
		}
		args = append(args, a)
	}
	if len(args) == 0 {
		return false
	}
	if len(args) >= 2 && ts.source(args[0]) == ts.source(args[1]) && !hasCall(args[0]) {
		return true
	}
	if !ts.constant(args[0]) {
		return false
	}
	return len(args) == 1 || ts.constant(args[1])
}
