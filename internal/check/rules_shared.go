package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

var (
	// together is what people say of code that several may use at once, alone that it is not for that.
	together = re.New(`(?i)\bsafe\b[^.\n]{0,30}\b(concurren|goroutine|thread|parallel|at the same time|at once)|\b(concurrency|thread|goroutine)-safe|\b(several|many|multiple|different)\b[^.\n]{0,20}\b(goroutines|threads|callers)\b|동시[^.\n]{0,20}안전|스레드[^.\n]{0,8}안전|여러 (고루틴|스레드)`)
	alone    = re.New(`(?i)\b(not|never|unsafe|callers? (must|has|have|should|synchroni\w*))\b|n't\b|않|없|아니`)
	sentence = re.New(`[.;](?:\s+|$)|\n`)
	wrapped  = re.New(`\n[ \t]*([a-z가-힣])`) // a line that goes on with the sentence before
)

// sentencesOf are the sentences of a text that say something and do not take it back.
func sentencesOf(text string, says, back re.Regexp) []string {
	return slices.DeleteFunc(sentence().Split(text, -1), func(s string) bool { return !says().MatchString(s) || back().MatchString(s) })
}

// unguarded finds types of Go that may be used by several at once, by the words of the spec or the request, and whose exported methods use
// what other methods change without a lock, an atomic or a channel.
func (a Audit) unguarded(files []*file) []step.Finding {
	promises := sentencesOf(wrapped().ReplaceAllString(a.Said, " $1"), together, alone)
	found := a.unguardedPython(files, promises)
	if len(promises) == 0 || len(found) > 0 {
		return found
	}
	byDir := groups(those(files, func(f *file) bool { return f.class == toolchain.Source && f.new.Lang == source.Go && f.Status != 'D' }), func(f *file) string { return path.Dir(f.Path) })
	var out []step.Finding
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		types := map[string]*guarded{}
		for _, f := range byDir[dir] {
			readGuarded(f, types)
		}
		names := slices.Sorted(maps.Keys(types))
		named := those(names, func(name string) bool {
			return slices.ContainsFunc(promises, func(s string) bool { return types[name].namedIn(s, name) })
		})
		if a.Spec != "" && len(named) == 0 { // else it is about those
			named = those(names, ast.IsExported)
		}
		for _, name := range named {
			out = append(out, types[name].findings(name)...)
		}
	}
	return out
}

// unguardedPython finds the same in Python, where a method reads a field and changes it and nothing in the file is a lock; and locks that
// nobody else can wait for.
func (a Audit) unguardedPython(files []*file, promises []string) (out []step.Finding) {
	for _, f := range files {
		if f.class != toolchain.Source || f.new.Lang != source.Python || f.Status == 'D' {
			continue
		}
		text := func(i int) string {
			if i < 0 || i >= len(f.code) {
				return ""
			}
			return f.code[i].Text
		}
		guards := false
		for i, t := range f.code {
			guards = guards || t.Kind == source.Ident && pythonGuard().MatchString(t.Text)
			inline := text(i-1) == "with" || text(i-1) == "." && text(i-3) == "with"
			if f.added[t.Line] && inline && (t.Text == "Lock" || t.Text == "RLock") && text(i+1) == "(" && text(i+2) == ")" && text(i+3) == ":" {
				return append(out, reject("unguarded-state", f.Path, t.Line, "This lock is made anew for each call, so it guards nothing. Make it once, beside what it guards."))
			}
		}
		for _, fn := range f.new.Funcs {
			owner, method, ok := strings.Cut(fn.Name, ".")
			about := func(s string) bool { return hasWord(s, owner) || hasWord(s, method) }
			if guards || !ok || strings.HasPrefix(method, "__") || len(promises) == 0 || a.Spec == "" && !slices.ContainsFunc(promises, about) {
				continue
			}
			uses, changed := map[string]int{}, map[string]bool{}
			for i, t := range f.code {
				if t.Off < fn.Off || t.End > fn.Stop || t.Text != "self" || text(i+1) != "." {
					continue
				}
				field, then := text(i+2), text(i+3)
				uses[field]++
				switch then {
				case "=":
					changed[field] = true
				case "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=": // it is read, too
					changed[field] = true
					uses[field]++
				}
			}
			for _, field := range slices.Sorted(maps.Keys(changed)) {
				if uses[field] > 1 {
					return append(out, reject("unguarded-state", f.Path, fn.Line, fmt.Sprintf("%s must be safe for concurrent use, but %s reads and changes %s without a lock. Guard every use.", owner, fn.Name, "self."+field)))
				}
			}
		}
	}
	return out
}

// pythonGuard is a name of what orders the work of several threads, or gives each its own.
var pythonGuard = re.New(`(?i)lock|mutex|semaphore|synchron|^(Condition|Event|Barrier|SimpleQueue|Queue|local|itertools|acquire|to_thread|asyncio|await)$`)

// guarded is a type of Go with what its methods do to its fields.
type guarded struct {
	changed map[string]bool // fields that methods change
	methods []guardedMethod
}

type guardedMethod struct {
	name, path string
	uses       map[string]int // fields, with the line
	guarded    bool           // it locks, or uses atomics or channels
}

// namedIn reports whether a sentence names the type or one of its methods.
func (g *guarded) namedIn(s, name string) bool {
	return hasWord(s, name) || slices.ContainsFunc(g.methods, func(m guardedMethod) bool { return ast.IsExported(m.name) && hasWord(s, m.name) })
}

func (g *guarded) findings(name string) []step.Finding {
	for _, m := range g.methods {
		if m.guarded || !ast.IsExported(m.name) {
			continue
		}
		for _, field := range slices.Sorted(maps.Keys(m.uses)) {
			if g.changed[field] {
				return []step.Finding{reject("unguarded-state", m.path, m.uses[field], fmt.Sprintf(
					"%s must be safe for concurrent use, but %s.%s uses %s, which methods change, without a lock. Guard every use.", name, name, m.name, field))}
			}
		}
	}
	return nil
}

// guards are the calls that order what several do.
var guards = []string{"Lock", "RLock", "TryLock", "Do", "Load", "Store", "Swap", "CompareAndSwap", "Acquire", "Wait", "lock", "rlock", "acquire"}

// readGuarded reads the methods of a file's types.
func readGuarded(f *file, types map[string]*guarded) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.Path, f.New, parser.SkipObjectResolution)
	if err != nil {
		return // the build says so
	}
	of := func(name string) *guarded {
		if types[name] == nil {
			types[name] = &guarded{changed: map[string]bool{}}
		}
		return types[name]
	}
	for _, d := range parsed.Decls {
		if decl, ok := d.(*ast.GenDecl); ok {
			for _, s := range decl.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					of(t.Name.Name)
				}
			}
			continue
		}
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || len(fn.Recv.List) == 0 || len(fn.Recv.List[0].Names) == 0 || fn.Body == nil {
			continue
		}
		self := fn.Recv.List[0].Names[0].Name
		at, _ := f.new.FuncAt(fset.Position(fn.Name.Pos()).Line)
		owner, _, _ := strings.Cut(at.Name, ".")
		g := of(owner)
		_, shared := fn.Recv.List[0].Type.(*ast.StarExpr) // else it changes a copy
		change := func(field string) {
			if field != "" && shared {
				g.changed[field] = true
			}
		}
		m := guardedMethod{name: fn.Name.Name, path: f.Path, uses: map[string]int{}}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit: // who calls it may hold the lock
				return false
			case *ast.SendStmt, *ast.SelectStmt:
				m.guarded = true
			case *ast.UnaryExpr:
				m.guarded = m.guarded || n.Op == token.ARROW
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					if n.Tok != token.DEFINE {
						change(fieldOf(left, self))
					}
				}
			case *ast.IncDecStmt:
				change(fieldOf(n.X, self))
			case *ast.RangeStmt: // it may be a channel
				m.guarded = m.guarded || n.Value == nil && fieldOf(n.X, self) != ""
			case *ast.CallExpr:
				if called, ok := n.Fun.(*ast.Ident); ok && (called.Name == "delete" || called.Name == "clear") && len(n.Args) > 0 {
					change(fieldOf(n.Args[0], self))
				}
			case *ast.SelectorExpr:
				m.guarded = m.guarded || slices.Contains(guards, n.Sel.Name)
				if field := fieldOf(n, self); field != "" && m.uses[field] == 0 {
					m.uses[field] = fset.Position(n.Pos()).Line
				}
			}
			return true
		})
		g.methods = append(g.methods, m)
	}
}

// fieldOf is the field of a method's receiver that an expression is, or is within.
func fieldOf(e ast.Expr, self string) string {
	for {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if id.Name == self {
					return x.Sel.Name
				}
				return ""
			}
			e = x.X
		default:
			return ""
		}
	}
}
