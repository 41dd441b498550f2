package example

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// literal evaluates an expression that is one. of is the type of one that has none of its own, as a row of a table.
func (g *goReader) literal(e, of ast.Expr) (Value, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, err := strconv.Unquote(e.Value)
			return Value{Kind: String, Text: s}, err == nil
		}
		p := &parser{s: e.Value}
		v, ok := p.number()
		return v, ok && p.end() && (e.Kind == token.INT || e.Kind == token.FLOAT)
	case *ast.UnaryExpr:
		v, ok := g.literal(e.X, of)
		switch {
		case e.Op == token.AND:
			return v, ok
		case e.Op == token.SUB && v.Kind == Number:
			v.Text = strings.TrimPrefix("-"+v.Text, "--")
			return v, ok
		}
	case *ast.ParenExpr:
		return g.literal(e.X, of)
	case *ast.Ident:
		if v, ok := words[e.Name]; ok && e.Name != "None" && e.Name != "undefined" {
			return v, true
		}
		v, ok := g.env[e.Name]
		return v, ok
	case *ast.SelectorExpr:
		v, ok := g.literal(e.X, nil)
		i := slices.IndexFunc(v.Fields, func(f Field) bool { return f.Name == e.Sel.Name })
		if !ok || i < 0 {
			return Value{}, false
		}
		return v.Fields[i].Value, true
	case *ast.CompositeLit:
		return g.composite(e, of)
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Clone" && len(e.Args) == 1 && (lastOf(f.X) == "slices" || lastOf(f.X) == "maps") {
			return g.literal(e.Args[0], of)
		}
	}
	return Value{}, false
}

func (g *goReader) composite(lit *ast.CompositeLit, of ast.Expr) (Value, bool) {
	if lit.Type != nil {
		of = lit.Type
	}
	switch t := of.(type) {
	case *ast.ArrayType:
		return g.values(lit.Elts, t.Elt)
	case *ast.MapType:
		out := Value{Kind: Object, Fields: []Field{}}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				return Value{}, false
			}
			k, okKey := g.literal(kv.Key, t.Key)
			v, okValue := g.literal(kv.Value, t.Value)
			if !okKey || !okValue || k.Kind != String && k.Kind != Number {
				return Value{}, false
			}
			out.Fields = append(out.Fields, Field{Name: k.Text, Value: v})
		}
		return out, true
	case *ast.StructType:
		return g.row(lit, t)
	}
	if len(lit.Elts) > 0 && !slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool { _, named := e.(*ast.KeyValueExpr); return named }) {
		return g.values(lit.Elts, nil) // of a type of the code, by the order of its fields
	}
	out := Value{Kind: Object, Fields: []Field{}} // or by their names
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return Value{}, false
		}
		v, ok := g.literal(kv.Value, nil)
		if !ok {
			return Value{}, false
		}
		name := lastOf(kv.Key)
		if k, ok := g.literal(kv.Key, nil); ok { // a map that has a name
			name = k.Text
		}
		if name == "" {
			return Value{}, false
		}
		out.Fields = append(out.Fields, Field{Name: name, Value: v})
	}
	return out, true
}

// values are those of a list.
func (g *goReader) values(list []ast.Expr, of ast.Expr) (Value, bool) {
	out := Value{Kind: List, List: []Value{}}
	for _, e := range list {
		v, ok := g.literal(e, of)
		if !ok {
			return Value{}, false
		}
		out.List = append(out.List, v)
	}
	return out, true
}

// row is a row of a table, with what it does not say.
func (g *goReader) row(lit *ast.CompositeLit, t *ast.StructType) (Value, bool) {
	given := map[string]Value{}
	at := 0
	for _, f := range t.Fields.List {
		for _, n := range f.Names {
			v, ok := zero(f.Type)
			if at < len(lit.Elts) {
				if _, named := lit.Elts[at].(*ast.KeyValueExpr); !named {
					v, ok = g.literal(lit.Elts[at], f.Type)
				}
			}
			at++
			for _, e := range lit.Elts {
				if kv, named := e.(*ast.KeyValueExpr); named && lastOf(kv.Key) == n.Name {
					v, ok = g.literal(kv.Value, f.Type)
				}
			}
			if ok { // what cannot be read may not be asked for
				given[n.Name] = v
			}
		}
	}
	out := Value{Kind: Object}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		out.Fields = append(out.Fields, Field{Name: name, Value: given[name]})
	}
	return out, true
}

// zero is what a field of a row has that is not given.
func zero(t ast.Expr) (Value, bool) {
	switch t := t.(type) {
	case *ast.Ident:
		switch t.Name {
		case "string":
			return Value{Kind: String}, true
		case "bool":
			return Value{Kind: Bool, Text: "false"}, true
		case "error":
			return Value{Kind: Null}, true
		case "int", "int64", "int32", "int16", "int8", "uint", "uint64", "uint32", "uint16", "uint8", "float64", "float32", "byte", "rune":
			return Value{Kind: Number, Text: "0"}, true
		}
	case *ast.ArrayType, *ast.MapType, *ast.StarExpr:
		return Value{Kind: Null}, true
	}
	return Value{}, false
}
