package source

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// publicFields takes fields that others cannot see, and tags, out of the structs of a type.
func publicFields(t ast.Expr) {
	ast.Inspect(t, func(n ast.Node) bool {
		s, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		var keep []*ast.Field
		for _, f := range s.Fields.List {
			var names []*ast.Ident
			for _, n := range f.Names {
				if n.IsExported() {
					names = append(names, n)
				}
			}
			if len(f.Names) > 0 && len(names) == 0 || len(f.Names) == 0 && !ast.IsExported(embedded(f.Type)) {
				continue
			}
			f.Names, f.Tag, f.Doc, f.Comment = names, nil, nil, nil
			keep = append(keep, f)
		}
		s.Fields.List = keep
		return true
	})
}

// embedded is the name of a type without its package and arguments: of an embedded field, of a receiver.
func embedded(t ast.Expr) string {
	switch x := t.(type) {
	case *ast.StarExpr:
		return embedded(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return embedded(x.X)
	case *ast.IndexListExpr:
		return embedded(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// embeds are the types that a struct or interface embeds.
func (g *goFile) embeds(t ast.Expr) []string {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return nil
	}
	var out []string
	for _, f := range list.List {
		if len(f.Names) == 0 && embedded(f.Type) != "" {
			out = append(out, g.flat(f.Type))
		}
	}
	return out
}

// flat is an expression on one line.
func (g *goFile) flat(n ast.Node) string { return strings.Join(strings.Fields(g.source(n)), " ") }

// contract reads the documentation and the guards of a function.
func (g *goFile) contract(name string, d *ast.FuncDecl) {
	params := map[string]bool{}
	for _, l := range []*ast.FieldList{d.Recv, d.Type.Params} {
		if l == nil {
			continue
		}
		for _, f := range l.List {
			for _, n := range f.Names {
				params[n.Name] = true
			}
		}
	}
	doc := ""
	if d.Doc != nil {
		var lines []string
		for _, c := range d.Doc.List {
			lines = append(lines, cleanComment(c.Text))
		}
		doc = strings.Join(lines, "\n")
	}
	g.fallible = false
	if r := d.Type.Results; r != nil && len(r.List) > 0 {
		last := g.flat(r.List[len(r.List)-1].Type)
		g.fallible = last == "error" || strings.HasSuffix(last, "Error")
	}
	g.f.contract(name, doc, g.guards(d.Body, params), g.line(d.Pos()))
}

// guards reads the leading statements of a body.
func (g *goFile) guards(body *ast.BlockStmt, params map[string]bool) guards {
	var out guards
	if body == nil {
		return out
	}
	for _, s := range body.List {
		cond, throws, passes := g.leading(s)
		if a, ok := s.(*ast.AssignStmt); ok { // it has another value from here on
			for _, l := range a.Lhs {
				delete(params, g.flat(l))
			}
		}
		switch {
		case cond != nil && mentioned(cond, params):
			out.pre = append(out.pre, g.negate(cond))
			out.throws = append(out.throws, throws+" when "+g.flat(ast.Unparen(cond)))
		case cond == nil && !passes:
			return out
		}
	}
	return out
}

// leading reads a statement: a guard with what it ends in, a declaration, or another.
func (g *goFile) leading(s ast.Stmt) (cond ast.Expr, throws string, passes bool) {
	switch s := s.(type) {
	case *ast.DeclStmt, *ast.EmptyStmt:
		return nil, "", true
	case *ast.AssignStmt:
		return nil, "", s.Tok == token.DEFINE
	case *ast.IfStmt:
		if s.Else != nil || len(s.Body.List) != 1 {
			return nil, "", false
		}
		what := g.fails(s.Body.List[0])
		if what == "" {
			return nil, "", false
		}
		if s.Init != nil { // if err := f(); err != nil
			return nil, "", true
		}
		return s.Cond, what, true
	}
	return nil, "", false
}

// fails is the error that a statement ends a function with, "" for another statement.
func (g *goFile) fails(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok && g.flat(c.Fun) == "panic" {
			return "panic"
		}
	case *ast.ReturnStmt:
		if len(s.Results) > 0 && g.fallible {
			return g.failure(s.Results[len(s.Results)-1])
		}
	}
	return ""
}

func (g *goFile) failure(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		if strings.HasPrefix(strings.ToLower(x.Name), "err") {
			return x.Name
		}
	case *ast.SelectorExpr:
		if strings.HasPrefix(strings.ToLower(x.Sel.Name), "err") {
			return g.flat(x)
		}
	case *ast.UnaryExpr:
		if c, ok := x.X.(*ast.CompositeLit); ok && x.Op == token.AND && strings.HasSuffix(g.flat(c.Type), "Error") {
			return g.flat(c.Type)
		}
	case *ast.CompositeLit:
		if strings.HasSuffix(g.flat(x.Type), "Error") {
			return g.flat(x.Type)
		}
	case *ast.CallExpr:
		switch g.flat(x.Fun) {
		case "errors.New":
			return "error"
		case "fmt.Errorf":
			if len(x.Args) > 1 && strings.Contains(g.flat(x.Args[0]), "%w") {
				for _, a := range x.Args[1:] {
					if name := g.failure(a); name != "" {
						return name
					}
				}
			}
			return "error"
		}
	}
	return ""
}

func mentioned(e ast.Expr, names map[string]bool) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			found = found || mentioned(s.X, names)
			return false
		}
		if id, ok := n.(*ast.Ident); ok {
			found = found || names[id.Name]
		}
		return !found
	})
	return found
}

// negate is the opposite of a condition, as code.
func (g *goFile) negate(e ast.Expr) string {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return g.flat(ast.Unparen(x.X))
		}
	case *ast.BinaryExpr:
		if against, ok := opposite[x.Op.String()]; ok {
			return g.flat(x.X) + " " + against + " " + g.flat(x.Y)
		}
	case *ast.Ident, *ast.CallExpr, *ast.SelectorExpr, *ast.IndexExpr:
		return "!" + g.flat(e)
	}
	return "!(" + g.flat(e) + ")"
}

// states finds groups of constants of one exported type whose name says that it is a state.
func (g *goFile) states() {
	for _, d := range g.ast.Decls {
		gen, ok := d.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		typ, iota := "", false
		for _, s := range gen.Specs {
			v, ok := s.(*ast.ValueSpec)
			if !ok {
				continue
			}
			if id, named := v.Type.(*ast.Ident); named {
				typ, iota = id.Name, true
			} else if len(v.Values) > 0 {
				typ, iota = "", false
				if c, ok := v.Values[0].(*ast.CallExpr); ok && len(c.Args) == 1 { // Idle = State("idle")
					typ = g.flat(c.Fun)
				}
			} else if !iota {
				typ = ""
			}
			if !isState(typ) || !ast.IsExported(typ) {
				continue
			}
			for _, n := range v.Names {
				if n.Name != "_" {
					g.addState(typ, n.Name)
				}
			}
		}
	}
}

func (g *goFile) addState(typ, value string) {
	i := slices.IndexFunc(g.f.States, func(s States) bool { return s.Name == typ })
	if i < 0 {
		i, g.f.States = len(g.f.States), append(g.f.States, States{Name: typ})
	}
	g.f.States[i].Values = append(g.f.States[i].Values, value)
}

func (g *goFile) isValue(e ast.Expr) (string, bool) {
	id, ok := e.(*ast.Ident)
	if !ok || !slices.ContainsFunc(g.f.States, func(s States) bool { return slices.Contains(s.Values, id.Name) }) {
		return "", false
	}
	return id.Name, true
}

// transitions finds changes of state that methods of exported types allow from one state alone.
func (g *goFile) transitions() {
	if len(g.f.States) == 0 {
		return
	}
	for _, d := range g.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || receiver(fn) == "" || !fn.Name.IsExported() || len(fn.Recv.List[0].Names) == 0 {
			continue
		}
		self := fn.Recv.List[0].Names[0].Name + "."
		add := func(from, to string) {
			g.f.Transitions = append(g.f.Transitions, Transition{from, fn.Name.Name, to})
		}
		from, field := g.refuses(fn.Body, self)
		if from != "" {
			if to, n := g.sets(fn.Body, field); n == 1 {
				add(from, to)
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			sw, ok := n.(*ast.SwitchStmt)
			if !ok || sw.Tag == nil || !strings.HasPrefix(g.flat(sw.Tag), self) {
				return true
			}
			for _, c := range sw.Body.List {
				cc, ok := c.(*ast.CaseClause)
				if !ok || len(cc.List) != 1 {
					continue
				}
				v, ok := g.isValue(cc.List[0])
				to, all := g.sets(&ast.BlockStmt{List: cc.Body}, g.flat(sw.Tag))
				direct := 0
				for _, s := range cc.Body {
					if a, is := s.(*ast.AssignStmt); is && len(a.Lhs) == 1 && g.flat(a.Lhs[0]) == g.flat(sw.Tag) {
						direct++
					}
				}
				if ok && all == 1 && direct == 1 {
					add(v, to)
				}
			}
			return true
		})
	}
}

// refuses is the one state that the guards of a method let through, and the field that holds it.
func (g *goFile) refuses(body *ast.BlockStmt, self string) (from, field string) {
	for _, s := range body.List {
		cond, _, passes := g.leading(s)
		if cond == nil && !passes {
			break
		}
		b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
		if cond == nil || !ok || b.Op != token.NEQ {
			continue
		}
		x, y := b.X, b.Y
		if _, swapped := g.isValue(x); swapped {
			x, y = y, x
		}
		if v, ok := g.isValue(y); ok && strings.HasPrefix(g.flat(x), self) {
			from, field = v, g.flat(x)
		}
	}
	return from, field
}

// sets counts the assignments of states to a field, and gives the last one.
func (g *goFile) sets(body *ast.BlockStmt, field string) (to string, n int) {
	ast.Inspect(body, func(x ast.Node) bool {
		a, ok := x.(*ast.AssignStmt)
		if ok && len(a.Lhs) == 1 && g.flat(a.Lhs[0]) == field {
			if v, ok := g.isValue(a.Rhs[0]); ok {
				to = v
			}
			n++
		}
		return true
	})
	return to, n
}
