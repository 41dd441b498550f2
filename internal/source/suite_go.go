package source

import (
	"bytes"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// goTests reads the tests of a file.
type goTests struct {
	*goFile
	names    map[string]bool // parameters and fields of type *testing.T and the like, and fixtures
	fixtures map[string]bool // types that have one, and functions that give one of these
	helpers  map[string]Test // functions of this file: what they assert
	methods  map[string]Test // those of fixtures
	cur      *Test
}

func (g *goFile) tests() {
	ts := &goTests{goFile: g, names: map[string]bool{}, fixtures: map[string]bool{}, helpers: map[string]Test{}, methods: map[string]Test{}}
	ts.given()
	// Helpers may call helpers: twice is enough for what people write.
	for range 2 {
		for _, d := range g.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				ts.cur = &Test{}
				ts.stmts(fn.Body.List, false)
				switch {
				case fn.Recv == nil:
					ts.helpers[fn.Name.Name] = *ts.cur
				case ts.fixtures[ts.typeName(fn.Recv.List[0].Type)]:
					ts.methods[fn.Name.Name] = *ts.cur
				}
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
	g.f.hollow(ts.helpers)
}

// typeName is the name of a type, without what it points to.
func (ts *goTests) typeName(t ast.Expr) string { return strings.TrimPrefix(ts.source(t), "*") }

// given finds what has a *testing.T: parameters, and fixtures, which are of types that have one.
func (ts *goTests) given() {
	isT := func(t ast.Expr) bool {
		return slices.Contains([]string{"testing.T", "testing.B", "testing.F", "testing.TB"}, ts.typeName(t))
	}
	ast.Inspect(ts.ast, func(n ast.Node) bool {
		x, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := x.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				if isT(f.Type) {
					ts.fixtures[x.Name.Name] = true
					for _, id := range f.Names {
						ts.names[id.Name] = true
					}
				}
			}
		}
		return true
	})
	params := func(list *ast.FieldList) {
		for _, p := range list.List {
			if strings.Contains(ts.source(p.Type), "testing.") || ts.fixtures[ts.typeName(p.Type)] {
				for _, id := range p.Names {
					ts.names[id.Name] = true
				}
			}
		}
	}
	var made []*ast.AssignStmt
	ast.Inspect(ts.ast, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.FuncType:
			params(x.Params)
		case *ast.FuncDecl:
			if x.Recv != nil {
				params(x.Recv)
			} else if x.Type.Results.NumFields() > 0 && ts.fixtures[ts.typeName(x.Type.Results.List[0].Type)] {
				ts.fixtures[x.Name.Name] = true
			}
		case *ast.AssignStmt:
			made = append(made, x)
		}
		return true
	})
	for _, a := range made {
		if id, ok := a.Lhs[0].(*ast.Ident); ok && ts.fixture(a.Rhs[0]) {
			ts.names[id.Name] = true
		}
	}
}

// fixture reports whether an expression makes a fixture: bench{t}, newBench(t).
func (ts *goTests) fixture(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.UnaryExpr:
		return ts.fixture(x.X)
	case *ast.ParenExpr:
		return ts.fixture(x.X)
	case *ast.CompositeLit:
		return x.Type != nil && ts.fixtures[ts.source(x.Type)]
	case *ast.CallExpr:
		return ts.fixtures[ts.source(x.Fun)]
	}
	return false
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
				ts.cur.skip(line)
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

// skipCall gives the line of a call that skips the test, 0 for anything else.
func (ts *goTests) skipCall(e ast.Expr) int {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return 0
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !ts.isT(sel.X) {
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
	return slices.ContainsFunc([]string{
		"testing.Short(", "runtime.GOOS", "runtime.GOARCH", "LookPath(", "Getuid(", "Geteuid(", "NumCPU(", "GOMAXPROCS(",
	}, func(ok string) bool { return strings.Contains(text, ok) })
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
				ts.cur.skip(line)
			}
			if real, is := ts.assertion(x); is {
				ts.cur.count(real && !trivial)
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
		if helper, local := ts.helpers[fun.Name]; local {
			return true, helper.Asserts > 0
		}
		return true, ts.passesT(c) || checkerName().MatchString(fun.Name)
	case *ast.SelectorExpr:
		if ts.isT(fun.X) || ts.fixture(fun.X) {
			switch fun.Sel.Name {
			case "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow":
				return true, true
			}
			return true, checkerName().MatchString(fun.Sel.Name) || ts.methods[fun.Sel.Name].Asserts > 0
		}
		if id, ok := fun.X.(*ast.Ident); ok {
			switch id.Name {
			case "assert", "require", "is", "qt", "must", "td", "check", "test", "then":
				return !ts.trivialArgs(c), true
			}
		}
		return true, checkerName().MatchString(fun.Sel.Name) || ts.passesT(c)
	}
	return false, false
}

// isT reports whether an expression is what a test is given: t, a fixture, or t of one.
func (ts *goTests) isT(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Ident:
		return ts.names[x.Name]
	case *ast.SelectorExpr:
		return ts.names[x.Sel.Name]
	}
	return false
}

func (ts *goTests) passesT(c *ast.CallExpr) bool { return slices.ContainsFunc(c.Args, ts.isT) }

func (ts *goTests) trivialArgs(c *ast.CallExpr) bool {
	args := slices.DeleteFunc(slices.Clone(c.Args), ts.isT)
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
