package check

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// asideMark begins the name that a set-aside function gets.
const asideMark = "jacquardBefore"

// resign makes room for the stub of a function or method whose signature is not what the spec says any more: tests of the
// new signature would not compile against the present code, and would not fail one by one. A function is renamed with its
// uses in the package; a method is taken out. It reports whether there was something to make room for.
func resign(files map[string][]byte, sym toolchain.Symbol, stub string) bool {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+stub, parser.SkipObjectResolution)
	if err != nil || funcOf(parsed, sym) == nil {
		return false
	}
	want := funcOf(parsed, sym)
	for name, src := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		have := funcOf(file, sym)
		if have == nil || shape(have.Type) == shape(want.Type) {
			continue
		}
		if sym.Owner != "" {
			from, to := fset.Position(have.Pos()).Offset, fset.Position(have.End()).Offset
			files[name] = slices.Concat(src[:from], []byte(strings.Repeat("\n", strings.Count(string(src[from:to]), "\n"))), src[to:])
			return true
		}
		for other, text := range files {
			files[other] = renamed(other, text, sym.Name)
		}
		return true
	}
	return false
}

// funcOf is the declaration of sym in a file.
func funcOf(file *ast.File, sym toolchain.Symbol) *ast.FuncDecl {
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Name.Name == sym.Name && owner(fn) == sym.Owner {
			return fn
		}
	}
	return nil
}

// owner is the type that a method belongs to, "" for a function.
func owner(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	typ := fn.Recv.List[0].Type
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = p.X
	}
	if g, ok := typ.(*ast.IndexExpr); ok {
		typ = g.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// shape is a signature without the names of parameters and results.
func shape(fn *ast.FuncType) string {
	var b strings.Builder
	for _, list := range []*ast.FieldList{fn.TypeParams, fn.Params, fn.Results} {
		b.WriteByte('(')
		if list != nil {
			for _, f := range list.List {
				for range max(1, len(f.Names)) {
					var t strings.Builder
					if err := printer.Fprint(&t, token.NewFileSet(), f.Type); err != nil {
						return ""
					}
					b.WriteString(strings.ReplaceAll(t.String(), "interface{}", "any") + ";")
				}
			}
		}
		b.WriteByte(')')
	}
	return b.String()
}

// renamed gives a package-level function another name in one file. Names of fields, parameters, methods and other packages
// are left alone; should the result not compile, the stubs are taken away again.
func renamed(name string, src []byte, fn string) []byte {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return src
	}
	skip := map[*ast.Ident]bool{}
	var at []int
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			skip[x.Sel] = true
		case *ast.Field:
			for _, id := range x.Names {
				skip[id] = true
			}
		case *ast.KeyValueExpr:
			if id, ok := x.Key.(*ast.Ident); ok {
				skip[id] = true
			}
		case *ast.FuncDecl:
			if x.Recv != nil {
				skip[x.Name] = true
			}
		case *ast.Ident:
			if x.Name == fn && !skip[x] {
				at = append(at, fset.Position(x.Pos()).Offset)
			}
		}
		return true
	})
	out := slices.Clone(src)
	for _, off := range slices.Backward(at) {
		out = slices.Insert(out, off, []byte(asideMark)...)
	}
	return out
}
