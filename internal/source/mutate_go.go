package source

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

type goMutator struct {
	g            *goFile
	fn, receiver string
}

func (m *goMutator) add(from, to token.Pos, what, text string) {
	m.g.f.mutants = append(m.g.f.mutants, Mutant{
		Func: m.fn, Line: m.g.line(from), What: what, Off: m.g.off(from), End: m.g.off(to), New: text,
	})
}

// run finds the mutations of a body of a function that gives some results.
func (m *goMutator) run(body *ast.BlockStmt, results *ast.FieldList) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.IfStmt:
			if b, ok := x.Cond.(*ast.BinaryExpr); !ok || b.Op != token.EQL && b.Op != token.NEQ { // which are negated as operators
				m.add(x.Cond.Pos(), x.Cond.End(), "negate condition", "!("+m.g.source(x.Cond)+")")
			}
		case *ast.BinaryExpr:
			m.binary(x)
		case *ast.BasicLit:
			m.number(x)
		case *ast.ReturnStmt:
			m.results(x)
			if failing(x) { // what is returned beside an error means nothing
				return false
			}
			m.value(x, results)
		case *ast.ExprStmt:
			m.add(x.Pos(), x.End(), "drop statement", "_ = 0")
		case *ast.IncDecStmt:
			m.add(x.Pos(), x.End(), "drop statement", "_ = 0")
		case *ast.AssignStmt:
			if to, ok := swaps[x.Tok.String()]; ok && !isStringLit(x.Rhs[0]) {
				m.add(x.TokPos, x.TokPos+token.Pos(len(to)), x.Tok.String()+" to "+to, to)
			}
			if x.Tok != token.DEFINE && m.g.source(x.Lhs[0]) != "_" {
				m.add(x.Pos(), x.End(), "drop statement", "_ = 0")
			}
		case *ast.FuncLit:
			m.run(x.Body, x.Type.Results)
			return false
		}
		return true
	})
}

// value returns something else of its type instead of the first result, or its zero value where that is not known. What is
// returned is computed all the same, so that what it uses stays used.
func (m *goMutator) value(x *ast.ReturnStmt, results *ast.FieldList) {
	if results == nil || len(x.Results) == 0 {
		return
	}
	if len(x.Results) != results.NumFields() {
		m.passedOn(x.Results[0], results)
		return
	}
	switch v := x.Results[0].(type) {
	case *ast.BasicLit, *ast.FuncLit:
		return
	case *ast.CompositeLit:
		if len(v.Elts) == 0 {
			return
		}
	case *ast.Ident:
		if list, ok := results.List[0].Type.(*ast.ArrayType); ok && list.Len == nil && v.Name == "nil" && len(x.Results) == 1 {
			m.add(v.Pos(), v.End(), ReturnOther, "make([]"+m.g.source(list.Elt)+", 1)")
		}
		if v.Name == "nil" || v.Name == "true" || v.Name == "false" || v.Name == m.receiver { // the last is there for chains
			return
		}
	}
	first, t := x.Results[0], m.g.source(results.List[0].Type)
	what, text := m.instead(results.List[0].Type)
	m.add(first.Pos(), first.End(), what, "func(v "+t+") "+t+" { "+text+" }("+m.g.source(first)+")")
}

// passedOn returns something else instead of the first of the results of a call that are returned as they are.
func (m *goMutator) passedOn(call ast.Expr, results *ast.FieldList) {
	var types, rest []string
	params := ""
	for _, field := range results.List {
		for range max(1, len(field.Names)) {
			name := "v" + strconv.Itoa(len(types))
			types, rest = append(types, m.g.source(field.Type)), append(rest, name)
			params += name + " " + m.g.source(field.Type) + ", "
		}
	}
	what, text := m.instead(results.List[0].Type)
	rest[0] = "func(v " + types[0] + ") " + types[0] + " { " + text + " }(v0)"
	m.add(call.Pos(), call.End(), what, "func("+strings.TrimSuffix(params, ", ")+") ("+strings.Join(types, ", ")+") { return "+strings.Join(rest, ", ")+" }("+m.g.source(call)+")")
}

// instead are statements that give another value of a type than v, or its zero value, and which of the two they give.
func (m *goMutator) instead(t ast.Expr) (what, text string) {
	if other := m.other(t); other != "" {
		return ReturnOther, other
	}
	return ReturnNothing, "_ = v; return *new(" + m.g.source(t) + ")"
}

// other are statements that give another value of the type of v than v: of a text or a list one that has nothing in common with
// it, so that tests which look at a part notice as well. "" where the type is not known.
func (m *goMutator) other(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		switch t.Name {
		case "string":
			return `if v == "" { return "?" }; return string(make([]byte, len(v)))`
		case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "rune", "float32", "float64":
			return "return v + 1"
		case "bool":
			return "return !v"
		}
	case *ast.ArrayType:
		if item := m.g.source(t.Elt); t.Len == nil {
			return "return make([]" + item + ", len(v)+1)"
		}
	}
	return ""
}

func (m *goMutator) binary(x *ast.BinaryExpr) {
	op := x.Op.String()
	to, ok := swaps[op]
	if !ok || isStringLit(x.X) || isStringLit(x.Y) && op == "+" {
		return
	}
	end := x.OpPos + token.Pos(len(op))
	m.add(x.OpPos, end, op+" to "+to, to)
}

// failing reports whether a return gives an error. One that passes on err gives a value as well.
func failing(x *ast.ReturnStmt) bool {
	if len(x.Results) < 2 {
		return false
	}
	last, ok := x.Results[len(x.Results)-1].(*ast.Ident)
	return !ok || last.Name != "nil" && last.Name != "true" && last.Name != "false" && last.Name != "err"
}

// number adds one to a number.
func (m *goMutator) number(lit *ast.BasicLit) {
	other := ""
	if v, err := strconv.ParseInt(lit.Value, 0, 32); lit.Kind == token.INT && err == nil {
		other = strconv.FormatInt(v+1, 10)
	} else if lit.Kind == token.FLOAT {
		other = otherNumber(lit.Value)
	}
	if other != "" {
		m.add(lit.Pos(), lit.End(), "change constant "+lit.Value, other)
	}
}

// constants changes the numbers that constants and variables of the package are declared with.
func (m *goMutator) constants(d *ast.GenDecl) {
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, value := range v.Values {
			if i >= len(v.Names) {
				break
			}
			m.fn = v.Names[i].Name
			if lit, ok := firstNumber(value); ok {
				m.number(lit)
			}
		}
	}
}

// firstNumber finds the number in an expression such as 20 or 5 * time.Second.
func firstNumber(e ast.Expr) (*ast.BasicLit, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		return x, x.Kind == token.INT || x.Kind == token.FLOAT
	case *ast.BinaryExpr:
		if lit, ok := firstNumber(x.X); ok {
			return lit, true
		}
		return firstNumber(x.Y)
	}
	return nil, false
}

func isStringLit(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}

func (m *goMutator) results(x *ast.ReturnStmt) {
	for _, r := range x.Results {
		switch v := r.(type) {
		case *ast.Ident:
			switch v.Name {
			case "true":
				m.add(v.Pos(), v.End(), "true to false", "false")
			case "false":
				m.add(v.Pos(), v.End(), "false to true", "true")
			}
		case *ast.BasicLit:
			if v.Kind == token.STRING {
				m.add(v.Pos(), v.End(), ReturnText, strconv.Quote("mutant"))
			}
		}
	}
}
