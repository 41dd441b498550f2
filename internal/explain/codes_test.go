package explain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/explain"
)

// This file finds all codes of the program in its source, by following where each comes from: the field Rule of a finding may
// be a literal, a constant, a local variable, what a function returns, or a parameter, and then the callers are followed. What
// cannot be followed is an error, so that no code can be missed.

// code is the program without its tests.
type code struct {
	t     *testing.T
	fset  *token.FileSet
	pkgs  map[string]*pkg // by path below internal
	found map[string]string
	asked map[string]bool
	known map[string][]string // what expressions give that only their authors know
}

type pkg struct {
	path   string
	files  []*ast.File
	consts map[string]string   // values by name
	typed  map[string][]string // values of constants by the name of their type
	funcs  map[string][]*ast.FuncDecl
}

// load parses all packages below internal but those that are there for tests.
func load(t *testing.T) *code {
	t.Helper()
	c := &code{t: t, fset: token.NewFileSet(), pkgs: map[string]*pkg{}}
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		p = filepath.ToSlash(p)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"testdata", "lies", "bench", "flowtest", "explain"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(c.fset, p, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(path.Dir(p), "../")
		if c.pkgs[name] == nil {
			c.pkgs[name] = &pkg{path: name, consts: map[string]string{}, typed: map[string][]string{}, funcs: map[string][]*ast.FuncDecl{}}
		}
		c.pkgs[name].add(f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (p *pkg) add(f *ast.File) {
	p.files = append(p.files, f)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p.funcs[d.Name.Name] = append(p.funcs[d.Name.Name], d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok || d.Tok != token.CONST {
					continue
				}
				for i, name := range v.Names {
					if i >= len(v.Values) {
						continue
					}
					if text, ok := literal(v.Values[i]); ok {
						p.consts[name.Name] = text
						if typ, ok := v.Type.(*ast.Ident); ok {
							p.typed[typ.Name] = append(p.typed[typ.Name], text)
						}
					}
				}
			}
		}
	}
}

// literal is the value of a text or a number.
func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING && lit.Kind != token.INT {
		return "", false
	}
	if s, err := strconv.Unquote(lit.Value); err == nil {
		return s, true
	}
	return lit.Value, lit.Kind == token.INT
}

// walk visits all nodes of the packages below some paths, with what is around each.
func (c *code) walk(below []string, visit func(p *pkg, around []ast.Node, n ast.Node)) {
	for _, name := range slices.Sorted(maps.Keys(c.pkgs)) {
		if !slices.ContainsFunc(below, func(b string) bool { return b == "" || name == b || strings.HasPrefix(name, b+"/") }) {
			continue
		}
		p := c.pkgs[name]
		for _, f := range p.files {
			around := []ast.Node{}
			ast.Inspect(f, func(n ast.Node) bool {
				if n == nil {
					around = around[:len(around)-1]
					return true
				}
				visit(p, around, n)
				around = append(around, n)
				return true
			})
		}
	}
}

// fields are the codes that a field of some types gets, in literals and, if assigned says so, in assignments to any field of its
// name.
func (c *code) fields(field string, types, below []string, assigned bool) map[string]string {
	c.found, c.asked = map[string]string{}, map[string]bool{}
	c.walk(below, func(p *pkg, around []ast.Node, n ast.Node) {
		around = slices.Clone(around)
		switch n := n.(type) {
		case *ast.CompositeLit:
			if !slices.Contains(types, typeName(n.Type)) {
				return
			}
			for i, e := range n.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				switch {
				case ok && isNamed(kv.Key, field):
					c.follow(p, around, kv.Value)
				case !ok && i == 0 && n.Type != nil && len(n.Elts) > 1: // without names of fields, of which the first counts
					c.follow(p, around, e)
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if sel, ok := left.(*ast.SelectorExpr); ok && assigned && sel.Sel.Name == field && len(n.Rhs) == len(n.Lhs) {
					c.follow(p, around, n.Rhs[i])
				}
			}
		}
	})
	return c.found
}

// typeName is the last word of a type: Finding of step.Finding, "" of an elided one.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr: // of a generic type
		return typeName(e.X)
	case nil:
		return ""
	}
	return "?"
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// add notes a code. What begins with one and goes on with other words is that code; what ends in a dash begins many.
func (c *code) add(e ast.Expr, text string) {
	if strings.HasSuffix(text, "-") {
		text += "*"
	}
	text, _, _ = strings.Cut(text, ":")
	text = strings.TrimSpace(text)
	if text != "" {
		c.found[text] = c.fset.Position(e.Pos()).String()
	}
}

// follow finds the codes that an expression may be.
func (c *code) follow(p *pkg, around []ast.Node, e ast.Expr) {
	at := c.fset.Position(e.Pos()).String() + " " + c.fset.Position(e.End()).String()
	if c.asked[at] {
		return
	}
	c.asked[at] = true
	if text, ok := literal(e); ok {
		c.add(e, text)
		return
	}
	if list, ok := c.known[p.path+" "+render(e)]; ok {
		for _, text := range list {
			c.add(e, text)
		}
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		c.follow(p, around, e.X)
	case *ast.BinaryExpr: // the beginning is the code
		c.follow(p, around, e.X)
	case *ast.IndexExpr:
		c.follow(p, around, e.X)
	case *ast.CompositeLit: // a table of codes
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				c.follow(p, around, kv.Value)
			}
		}
	case *ast.CallExpr:
		c.call(p, around, e, 0)
	case *ast.Ident:
		c.ident(p, around, e)
	case *ast.SelectorExpr:
		c.selector(p, e)
	default:
		c.lost(p, e)
	}
}

func (c *code) lost(p *pkg, e ast.Expr) {
	c.t.Errorf("%s: cannot tell which codes %q may be: write it as a literal or a constant, or name its values in the test under %q", c.fset.Position(e.Pos()), render(e), p.path+" "+render(e))
}

// selector is a constant of another package, or a copy of a field that is looked at elsewhere.
func (c *code) selector(p *pkg, e *ast.SelectorExpr) {
	if x, ok := e.X.(*ast.Ident); ok {
		for name, other := range c.pkgs {
			if text, is := other.consts[e.Sel.Name]; is && path.Base(name) == x.Name {
				c.add(e, text)
				return
			}
		}
	}
	if !slices.Contains([]string{"Rule", "Reason", "Type", "Status"}, e.Sel.Name) {
		c.lost(p, e)
	}
}

// call is what the nth result of a call may be.
func (c *code) call(p *pkg, around []ast.Node, e *ast.CallExpr, nth int) {
	name := typeName(e.Fun)
	if name == "string" || p.typed[name] != nil || name == "Or" { // a conversion, or the first of two that is not empty
		for _, arg := range e.Args {
			c.follow(p, around, arg)
		}
		return
	}
	if name == "Sprintf" {
		c.follow(p, around, e.Args[0])
		return
	}
	decls := p.funcs[name]
	if len(decls) == 0 { // a method of another package
		for _, path := range slices.Sorted(maps.Keys(c.pkgs)) {
			for _, d := range c.pkgs[path].funcs[name] {
				if ast.IsExported(name) && givesText(d, nth) {
					p, decls = c.pkgs[path], append(decls, d)
				}
			}
		}
	}
	if len(decls) != 1 && !slices.ContainsFunc(decls, func(d *ast.FuncDecl) bool { return givesText(d, nth) }) {
		c.lost(p, e)
	}
	for _, d := range decls {
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if _, other := n.(*ast.FuncLit); other {
				return false
			}
			if r, ok := n.(*ast.ReturnStmt); ok && nth < len(r.Results) {
				c.follow(p, []ast.Node{d}, r.Results[nth])
			} else if ok && len(r.Results) == 1 {
				if inner, is := r.Results[0].(*ast.CallExpr); is {
					c.call(p, []ast.Node{d}, inner, nth)
				}
			}
			return true
		})
	}
}

// givesText reports whether the nth result of a function is a text.
func givesText(d *ast.FuncDecl, nth int) bool {
	return d.Type.Results != nil && nth < len(d.Type.Results.List) && typeName(d.Type.Results.List[nth].Type) == "string"
}

// ident is a constant, a parameter of a function around, or a variable of one.
func (c *code) ident(p *pkg, around []ast.Node, e *ast.Ident) {
	if e.Name == "nil" {
		return
	}
	for i := len(around) - 1; i >= 0; i-- {
		switch f := around[i].(type) {
		case *ast.FuncLit:
			if n := parameter(f.Type, e.Name); n >= 0 {
				c.callersOf(p, around[:i], f, n)
				return
			}
		case *ast.FuncDecl:
			if n := parameter(f.Type, e.Name); n >= 0 {
				c.callers(p, f.Name.Name, n)
				return
			}
			if c.assigned(p, f, e.Name) {
				return
			}
		}
	}
	if text, ok := p.consts[e.Name]; ok {
		c.add(e, text)
		return
	}
	c.lost(p, e)
}

// parameter is which parameter of a function has a name, -1 for none.
func parameter(f *ast.FuncType, name string) int {
	n := 0
	for _, field := range f.Params.List {
		for _, id := range field.Names {
			if id.Name == name {
				return n
			}
			n++
		}
		if len(field.Names) == 0 {
			n++
		}
	}
	return -1
}

// assigned follows what a variable of a function gets, false if it has none of that name.
func (c *code) assigned(p *pkg, f *ast.FuncDecl, name string) bool {
	found := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if !isNamed(left, name) {
					continue
				}
				found = true
				if len(n.Rhs) == len(n.Lhs) {
					c.follow(p, []ast.Node{f}, n.Rhs[i])
				} else if call, ok := n.Rhs[0].(*ast.CallExpr); ok {
					c.call(p, []ast.Node{f}, call, i)
				} else {
					c.lost(p, n.Rhs[0])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if id.Name == name {
					found = true
					if i < len(n.Values) {
						c.follow(p, []ast.Node{f}, n.Values[i])
					}
				}
			}
		}
		return true
	})
	return found
}

// callers follows the nth argument of all calls of a function or method of a package.
func (c *code) callers(p *pkg, name string, nth int) {
	mark := p.path + "." + name + " " + strconv.Itoa(nth)
	if c.asked[mark] {
		return
	}
	c.asked[mark] = true
	c.walk([]string{""}, func(from *pkg, around []ast.Node, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || typeName(call.Fun) != name || nth >= len(call.Args) {
			return
		}
		sel, qualified := call.Fun.(*ast.SelectorExpr)
		if from == p || qualified && isNamed(sel.X, path.Base(p.path)) {
			c.follow(from, slices.Clone(around), call.Args[nth])
		}
	})
}

// callersOf follows the nth argument of all calls of a function that a variable holds.
func (c *code) callersOf(p *pkg, around []ast.Node, f *ast.FuncLit, nth int) {
	name := ""
	if a, ok := around[len(around)-1].(*ast.AssignStmt); ok && a.Rhs[0] == f {
		name = typeName(a.Lhs[0])
	}
	for i, n := range around {
		d, ok := n.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isNamed(call.Fun, name) && nth < len(call.Args) {
				c.follow(p, around[:i+1], call.Args[nth])
			}
			return true
		})
	}
	if name == "" {
		c.t.Errorf("%s: a function without a name gets codes", c.fset.Position(f.Pos()))
	}
}

// render is an expression as it is written, without its arguments.
func render(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return render(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		args := []string{}
		for _, a := range e.Args {
			args = append(args, render(a))
		}
		return render(e.Fun) + "(" + strings.Join(args, ", ") + ")"
	case *ast.IndexExpr:
		return render(e.X) + "[" + render(e.Index) + "]"
	case *ast.BasicLit:
		return e.Value
	case *ast.BinaryExpr:
		return render(e.X) + " " + e.Op.String() + " " + render(e.Y)
	}
	return "…"
}

// constants are the values of all constants of a type.
func (c *code) constants(where, typ string) map[string]string {
	out := map[string]string{}
	for _, text := range c.pkgs[where].typed[typ] {
		out[text] = where + "." + typ
	}
	return out
}

// list are the values of a variable that is a list of constants.
func (p *pkg) list(name string) (out []string) {
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == name && len(v.Values) == 1 {
				for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
					out = append(out, p.consts[render(e)])
				}
			}
			return true
		})
	}
	return out
}

// words are the explained words that messages have.
func (c *code) words() map[string]string {
	c.t.Helper()
	groups, err := explain.Groups("")
	if err != nil {
		c.t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range c.pkgs {
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					for _, e := range groups[len(groups)-1].Codes {
						if strings.Contains(text.Value, e.Code) {
							out[e.Code] = p.path
						}
					}
				}
				return true
			})
		}
	}
	return out
}

// all are the codes of the program by group, each with a place.
func all(t *testing.T) map[string]map[string]string {
	t.Helper()
	c := load(t)
	gates := []string{}
	for name, text := range c.pkgs["pdca"].consts {
		if strings.HasPrefix(name, "Gate") {
			gates = append(gates, text)
		}
	}
	c.known = map[string][]string{
		"workflow/auto p.Gate": gates, // the gates of code that a plan and a design pass
		// Only these values of an answer are taken.
		"workflow/develop a.Answer.Blocked": c.pkgs["workflow/develop"].list("immediate"),
		"workflow/turn a.Stop":              c.pkgs["workflow/develop"].list("immediate"),
		// Who makes attempts says it; the style pdca when it begins some.
		"workflow/turn r.Phase": {"do", "check", "act"},
		// The name of another document, which comes before the kind.
		"inspect path.Base(pr.Path)": {},
		"inspect e.is.Type":          {}, // of a table, whose rows are found by themselves
		"workflow/auto p.id":         {}, // the name of a part, which is none
		// The class of a failure, which is in a group of its own.
		"workflow/work res.Failed": {},
	}
	out := map[string]map[string]string{
		"finding": c.fields("Rule", []string{"Finding", ""}, []string{"check", "act", "step", "workflow", "cli", "report"}, true),
		"drift":   c.fields("Type", []string{"Drift"}, []string{"inspect", "cli"}, true),
		"spec":    c.fields("Type", []string{"SchemaError", "Violation", "BoundaryBreach"}, []string{"inspect"}, false),
		"end":     c.fields("Reason", []string{"End"}, []string{"workflow"}, true),
		"phase":   c.fields("Phase", []string{"AttemptNote", "Attempts"}, []string{"workflow"}, false),
		"state":   c.constants("flow", "RunState"),
		"class":   c.constants("flow", "Class"),
		"level":   c.constants("step", "Level"),
		"stale":   c.constants("target", "Reason"),
		"verify":  c.constants("act", "Standing"),
		"prove":   c.constants("check", "Verdict"),
		"test":    c.constants("step", "TestStatus"),
		"exit":    {},
		"word":    c.words(),
	}
	maps.Copy(out["end"], c.constants("step", "Status"))
	maps.Copy(out["spec"], c.fields("Status", []string{"ModuleDrift"}, []string{"inspect"}, true))
	for name, text := range c.pkgs["cli"].consts {
		if strings.HasPrefix(name, "exit") && strings.Trim(text, "0123456789") == "" {
			out["exit"][text] = "cli." + name
		}
	}
	return out
}
