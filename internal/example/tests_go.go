package example

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
)

// inGoTests is InTests for Go.
func inGoTests(file string, src []byte, f source.File) []Example {
	fset := token.NewFileSet()
	tree, err := goparser.ParseFile(fset, file, src, goparser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	imports := map[string]bool{}
	for _, i := range tree.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		if i.Name != nil {
			p = i.Name.Name
		}
		imports[path.Base(p)] = true
	}
	var out []Example
	before := ""
	for _, d := range tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && (fn.Name.Name == "TestMain" || fn.Name.Name == "init") {
			before += strings.Join(strings.Fields(string(src[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset])), " ")
		}
	}
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Recv != nil || len(fn.Type.Params.List) != 1 {
			continue
		}
		i := slices.IndexFunc(f.Tests, func(t source.Test) bool { return t.Name == fn.Name.Name })
		if i < 0 || f.Tests[i].Skipped {
			continue
		}
		g := &goReader{
			reader: &reader{file: file, src: src, lang: source.Go, local: map[string]bool{}, after: before, test: f.Tests[i], env: map[string]Value{}, calls: map[string][]Link{}}, fset: fset, imports: imports,
			tables: map[string]*ast.CompositeLit{}, results: map[string]goResult{},
		}
		g.stands(tree)
		g.block(fn.Body.List)
		out = append(out, g.settled()...)
	}
	return out
}

// stands reads the literals that names at the top of a file stand for.
func (g *goReader) stands(tree *ast.File) {
	for _, d := range tree.Decls {
		decl, _ := d.(*ast.GenDecl)
		if decl == nil {
			continue
		}
		for _, s := range decl.Specs {
			v, _ := s.(*ast.ValueSpec)
			if v == nil || len(v.Names) != 1 || len(v.Values) != 1 {
				continue
			}
			switch v.Values[0].(type) {
			case *ast.BasicLit, *ast.CompositeLit:
				g.assign(&ast.AssignStmt{Lhs: []ast.Expr{v.Names[0]}, Tok: token.DEFINE, Rhs: v.Values})
			}
		}
	}
}

// goResult is what a variable holds: a result of a call, by its number, and whether it is the last of several.
type goResult struct {
	call []Link
	i, n int
	name string // of the variable
}

// isError reports whether it is the error that a call gives.
func (r goResult) isError() bool {
	return r.i == r.n-1 && (r.n > 1 || strings.HasPrefix(r.name, "err"))
}

type goReader struct {
	*reader

	fset    *token.FileSet
	imports map[string]bool
	tables  map[string]*ast.CompositeLit
	results map[string]goResult
	left    bool     // a row, or the function, has been left
	silent  [][]Link // calls of which nothing is said
}

// block reads statements.
func (g *goReader) block(list []ast.Stmt) {
	for _, s := range list {
		if g.left {
			return
		}
		if !g.statement(s) {
			g.pass(s)
		}
	}
}

// pass goes over what is not understood. What it gives to variables is not known; and where it asks for the error of a call, what the call
// gives besides is no result of its own.
func (g *goReader) pass(s ast.Stmt) {
	ast.Inspect(s, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if r, ok := g.results[id.Name]; ok && r.isError() {
				g.out = slices.DeleteFunc(g.out, func(x Example) bool { return !x.Want.Error && &x.Call[0] == &r.call[0] })
			}
			delete(g.env, id.Name)
			delete(g.results, id.Name)
			delete(g.tables, id.Name)
		}
		return true
	})
	g.later(strings.Join(strings.Fields(string(g.src[g.fset.Position(s.Pos()).Offset:g.fset.Position(s.End()).Offset])), " "))
}

func (g *goReader) statement(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		c, ok := s.X.(*ast.CallExpr)
		return ok && g.expression(c)
	case *ast.AssignStmt:
		return g.assign(s)
	case *ast.RangeStmt:
		return g.loop(s)
	case *ast.ReturnStmt:
		g.left = true
		return true
	case *ast.BranchStmt:
		g.left = s.Tok == token.CONTINUE
		return g.left
	case *ast.IfStmt:
		if s.Else != nil {
			return false
		}
		if v, ok := g.literal(s.Cond, nil); ok && s.Init == nil && v.Kind == Bool { // if tt.wantErr { … }
			if v.Text == "true" {
				g.block(s.Body.List)
			}
			return true
		}
		if s.Init != nil {
			a, ok := s.Init.(*ast.AssignStmt)
			if !ok || !g.assign(a) {
				return false
			}
		}
		return fails(s.Body) && g.condition(s.Cond)
	}
	return false
}

// fails reports whether a block does nothing but tell that a test has failed.
func fails(b *ast.BlockStmt) bool {
	told := false
	for _, s := range b.List {
		x, ok := s.(*ast.ExprStmt)
		if !ok {
			_, ends := s.(*ast.ReturnStmt)
			if !ends {
				return false
			}
			continue
		}
		c, ok := x.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		switch method(c) {
		case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
			told = true
		case "Log", "Logf":
		default:
			return false
		}
	}
	return told
}

func method(c *ast.CallExpr) string {
	if s, ok := c.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// expression reads a statement that is a call: t.Parallel(), t.Run with a function, an assertion of testify.
func (g *goReader) expression(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	on, ok := s.X.(*ast.Ident)
	if !ok {
		return false
	}
	switch {
	case s.Sel.Name == "Parallel" || s.Sel.Name == "Helper" || s.Sel.Name == "Logf" || s.Sel.Name == "Log":
		return true
	case s.Sel.Name == "Run" && len(c.Args) == 2:
		fn, ok := c.Args[1].(*ast.FuncLit)
		if ok {
			g.block(fn.Body.List)
			g.left = false
		}
		return ok
	case (on.Name == "assert" || on.Name == "require") && g.imports[on.Name]:
		return g.testify(s.Sel.Name, c.Args)
	}
	return false
}

func (g *goReader) testify(name string, args []ast.Expr) bool {
	if len(args) == 0 || lastOf(args[0]) != "t" {
		return false
	}
	switch {
	case name == "Equal" && len(args) >= 3:
		return g.compare(args[2], args[1])
	case (name == "NoError" || name == "Nil") && len(args) >= 2:
		return g.succeeds(args[1], true)
	case name == "Error" && len(args) >= 2:
		return g.failed(args[1], "", true)
	case name == "ErrorIs" && len(args) >= 3:
		return g.failsAs(args[1], args[2])
	}
	return false
}

func lastOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// assign reads got := f(1), got, err := f(1), want := 4, tests := []struct{…}{…}, tt := tt.
func (g *goReader) assign(s *ast.AssignStmt) bool {
	if len(s.Rhs) != 1 || s.Tok != token.DEFINE && s.Tok != token.ASSIGN {
		return false
	}
	if call, ok := g.chain(s.Rhs[0]); ok {
		for i, l := range s.Lhs {
			id, ok := l.(*ast.Ident)
			if !ok {
				return false
			}
			delete(g.env, id.Name)
			g.results[id.Name] = goResult{call, i, len(s.Lhs), id.Name}
		}
		return true
	}
	id, ok := s.Lhs[0].(*ast.Ident)
	if !ok || len(s.Lhs) != 1 {
		return false
	}
	if from, is := s.Rhs[0].(*ast.Ident); is && from.Name == id.Name {
		return true
	}
	if lit, is := s.Rhs[0].(*ast.CompositeLit); is && rowType(lit) != nil {
		g.tables[id.Name] = lit
		return true
	}
	v, ok := g.literal(s.Rhs[0], nil)
	if ok {
		delete(g.results, id.Name)
		g.env[id.Name] = v
	}
	return ok
}

// rowType is the type of the rows of a table of structs, nil for another literal.
func rowType(lit *ast.CompositeLit) *ast.StructType {
	s, _ := elementType(lit).(*ast.StructType)
	return s
}

// loop reads for _, tt := range table.
func (g *goReader) loop(s *ast.RangeStmt) bool {
	lit, ok := s.X.(*ast.CompositeLit)
	if id, is := s.X.(*ast.Ident); is {
		lit, ok = g.tables[id.Name], g.tables[id.Name] != nil
	}
	if !ok || len(lit.Elts) > maxRows {
		return false
	}
	_, isMap := lit.Type.(*ast.MapType)
	for _, e := range lit.Elts {
		var key ast.Expr
		if kv, is := e.(*ast.KeyValueExpr); is {
			key, e = kv.Key, kv.Value
		}
		if isMap && s.Key != nil && lastOf(s.Key) != "_" {
			k, ok := g.literal(key, nil)
			if !ok {
				return false
			}
			g.env[lastOf(s.Key)] = k
		}
		if s.Value != nil {
			v, ok := g.literal(e, elementType(lit))
			if !ok {
				return false
			}
			g.env[lastOf(s.Value)] = v
		}
		g.block(s.Body.List)
		g.left = false
	}
	return true
}

func elementType(lit *ast.CompositeLit) ast.Expr {
	switch t := lit.Type.(type) {
	case *ast.ArrayType:
		return t.Elt
	case *ast.MapType:
		return t.Value
	}
	return nil
}

// condition reads what a test fails by: got != want, !reflect.DeepEqual(got, want), err == nil, !errors.Is(err, ErrX), and what is
// joined by ||. err != nil asks for no error, which what is compared afterwards says as well.
func (g *goReader) condition(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return g.condition(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.LOR {
			return g.condition(e.X) && g.condition(e.Y)
		}
		if e.Op == token.NEQ {
			if isNil(e.Y) {
				return g.succeeds(e.X, false)
			}
			if ok, is := g.fails(e); is {
				return ok
			}
			return g.compare(e.X, e.Y)
		}
		return e.Op == token.EQL && isNil(e.Y) && g.failed(e.X, "", false)
	case *ast.UnaryExpr:
		if e.Op != token.NOT {
			return false
		}
		if c, ok := e.X.(*ast.CallExpr); ok && len(c.Args) == 2 {
			switch s, _ := c.Fun.(*ast.SelectorExpr); {
			case s == nil:
			case lastOf(s.X) == "reflect" && s.Sel.Name == "DeepEqual", (lastOf(s.X) == "slices" || lastOf(s.X) == "maps") && s.Sel.Name == "Equal":
				return g.compare(c.Args[0], c.Args[1])
			case lastOf(s.X) == "errors" && s.Sel.Name == "Is":
				return g.failsAs(c.Args[0], c.Args[1])
			}
		}
		return g.says(e.X, Value{Kind: Bool, Text: "true"})
	case *ast.CallExpr, *ast.Ident:
		return g.says(e, Value{Kind: Bool, Text: "false"})
	}
	return false
}

// fails reads (err != nil) != tt.wantErr, if it is that.
func (g *goReader) fails(e *ast.BinaryExpr) (ok, is bool) {
	p, _ := e.X.(*ast.ParenExpr)
	if p == nil {
		return false, false
	}
	x, _ := p.X.(*ast.BinaryExpr)
	v, known := g.literal(e.Y, nil)
	if x == nil || x.Op != token.NEQ || !isNil(x.Y) || !known {
		return false, false
	}
	if v.Text == "true" {
		return g.failed(x.X, "", false), true
	}
	return g.succeeds(x.X, false), true
}

// succeeds reads that a call is to give no error, which it may be sure of giving. That it was made is kept: it may change what the next one gives.
func (g *goReader) succeeds(e ast.Expr, sure bool) bool {
	r, ok := g.result(e)
	if !ok || !r.isError() && (!sure || r.i != r.n-1) {
		return false
	}
	g.made(r.call)
	return true
}

// made notes a call of which nothing is said, unless the test has said something of it already.
func (g *goReader) made(call []Link) {
	if !slices.ContainsFunc(g.out, func(x Example) bool { return &x.Call[0] == &call[0] }) {
		g.silent = append(g.silent, call)
	}
}

// failsAs reads that a call is to give a certain error.
func (g *goReader) failsAs(e, as ast.Expr) bool {
	if v, ok := g.literal(as, nil); ok {
		return v.Kind == Null && g.succeeds(e, true)
	}
	switch x := as.(type) {
	case *ast.Ident:
		name := ""
		if strings.HasPrefix(x.Name, "Err") {
			name = x.Name
		}
		return g.failed(e, name, true)
	case *ast.SelectorExpr:
		if on := lastOf(x.X); !g.imports[on] {
			return false // of a row
		} else if strings.HasPrefix(x.Sel.Name, "Err") && !standard[on] && on != "io" && on != "fs" && on != "os" {
			return g.failed(e, x.Sel.Name, true)
		}
		return g.failed(e, "", true)
	}
	return false
}

func isNil(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "nil"
}

// compare reads a call and a literal, in any order.
func (g *goReader) compare(x, y ast.Expr) bool {
	if v, ok := g.literal(y, nil); ok {
		return g.says(x, v)
	}
	v, ok := g.literal(x, nil)
	return ok && g.says(y, v)
}

func (g *goReader) says(e ast.Expr, v Value) bool {
	r, ok := g.result(e)
	if !ok || r.i != 0 || v.Kind == Null { // of which there are several in Go
		return false
	}
	g.forget(r.call)
	return g.add(g.fset.Position(e.Pos()).Line, r.call, Want{Value: v, Raw: v.String()})
}

// failed reads that the last result of a call is to be an error.
func (g *goReader) failed(e ast.Expr, name string, sure bool) bool {
	r, ok := g.result(e)
	if !ok || !r.isError() && (!sure || r.i != r.n-1) {
		return false
	}
	g.forget(r.call)
	return g.add(g.fset.Position(e.Pos()).Line, r.call, Want{Error: true, Type: name})
}

// forget takes a call from the silent ones: now something is said of it. The others may change what it gives.
func (g *goReader) forget(call []Link) {
	for _, s := range g.silent {
		if &s[0] != &call[0] {
			g.later(Example{Call: s}.Calls())
		}
	}
	g.silent = nil
}

// result is a call, or the variable that holds a result of one.
func (g *goReader) result(e ast.Expr) (goResult, bool) {
	if id, ok := e.(*ast.Ident); ok {
		r, ok := g.results[id.Name]
		return r, ok
	}
	c, ok := g.chain(e)
	return goResult{c, 0, 1, ""}, ok
}

// chain reads f(1), pkg.F(1), f(1).G(2).
func (g *goReader) chain(e ast.Expr) ([]Link, bool) {
	c, ok := e.(*ast.CallExpr)
	if !ok || c.Ellipsis != token.NoPos {
		return nil, false
	}
	args, ok := g.values(c.Args, nil)
	if !ok {
		return nil, false
	}
	l := Link{Args: args.List}
	switch fn := c.Fun.(type) {
	case *ast.Ident:
		l.Name = fn.Name
		return []Link{l}, !conversion[fn.Name]
	case *ast.SelectorExpr:
		l.Name = fn.Sel.Name
		if id, ok := fn.X.(*ast.Ident); ok {
			return []Link{l}, g.imports[id.Name] && !standard[id.Name]
		}
		on, ok := g.chain(fn.X)
		return append(on, l), ok
	}
	return nil, false
}

// conversion are names that are called and are no functions of the code under test.
var conversion = map[string]bool{
	"len": true, "cap": true, "append": true, "make": true, "new": true, "string": true, "int": true, "int64": true, "int32": true, "uint": true, "uint8": true,
	"float64": true, "float32": true, "byte": true, "rune": true, "min": true, "max": true, "copy": true,
}

// standard are packages that tests use on what the code gives.
var standard = map[string]bool{"strings": true, "fmt": true, "errors": true, "reflect": true, "slices": true, "maps": true, "sort": true, "time": true, "math": true, "bytes": true, "strconv": true}
