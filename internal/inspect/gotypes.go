package inspect

import (
	"crypto/sha256"
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
)

// goTypes knows the types of variables and constants of Go whose declarations do not say them, as go/types infers them.
// A package is checked by its declarations alone, and of what it imports only what its initial values name: of the
// project, or of the Go that is installed. What else they name stays unknown.
type goTypes struct {
	p     *Project
	files map[string][]string              // by directory
	known map[string]map[[2]string]goTyped // by directory: the types by file and name
	fset  *token.FileSet
}

// inferTypes puts inferred types into the exports of a Go file.
func (p *Project) inferTypes(f *source.File) {
	for i := range f.Exports {
		e := &f.Exports[i]
		bare := e.Text == "var "+e.Name || e.Text == "const "+e.Name
		if !bare && e.Kind != "constant" {
			continue
		}
		t := p.goTypes().of(path.Dir(f.Path))[[2]string{f.Path, e.Name}]
		e.Value = t.Value
		switch {
		case !bare:
		case t.Untyped:
			e.Literal = t.Text
		case t.Text != "":
			e.Text += " " + t.Text
			e.Signature = e.Text
		}
	}
}

// goTyped is a type as the package itself writes it; of an untyped constant the one that it has by default.
type goTyped struct {
	Text    string
	Untyped bool
	Value   string // of a constant, as Go writes it
}

func (p *Project) goTypes() *goTypes {
	if p.inferred == nil {
		g := &goTypes{p: p, files: map[string][]string{}, known: map[string]map[[2]string]goTyped{}, fset: token.NewFileSet()}
		for _, f := range p.files {
			if strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go") {
				g.files[path.Dir(f)] = append(g.files[path.Dir(f)], f)
			}
		}
		p.inferred = g
	}
	return p.inferred
}

// of gives the types of a package's variables and constants, where they are known.
func (g *goTypes) of(dir string) map[[2]string]goTyped {
	if known, ok := g.known[dir]; ok {
		return known
	}
	out := map[[2]string]goTyped{}
	g.known[dir] = out
	read := func(f string) []byte {
		if b := g.p.read(f); len(b) <= 1<<20 {
			return b
		}
		return nil
	}
	if g.p.kept != nil {
		key := g.key(dir, read)
		if known, ok := recall[map[[2]string]goTyped](g.p.kept, key); ok {
			g.known[dir] = known
			return known
		}
		defer func() { g.p.kept.keep(key, out) }()
	}
	pkg := g.check(dir, g.files[dir], read, true)
	if pkg == nil {
		return out
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if _, isType := o.(*types.TypeName); isType || o.Type() == nil {
			continue
		}
		at := [2]string{g.fset.Position(o.Pos()).Filename, name}
		value := ""
		if c, ok := o.(*types.Const); ok {
			if value = c.Val().ExactString(); c.Val().Kind() == constant.Float {
				value = c.Val().String()
			}
			if len(value) > 120 || strings.Contains(value, "  ") || strings.Contains(value, "`") || c.Val().Kind() == constant.Unknown {
				value = ""
			}
		}
		if b, ok := o.Type().(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			if _, constant := o.(*types.Const); constant && b.Kind() != types.UntypedNil {
				out[at] = goTyped{Text: types.Default(b).String(), Untyped: true, Value: value}
			}
			continue
		}
		text := types.TypeString(o.Type(), func(other *types.Package) string {
			if other == pkg {
				return ""
			}
			return other.Name()
		})
		if !strings.Contains(text, "invalid type") && !strings.Contains(text, "{") && len(text) <= 120 {
			out[at] = goTyped{Text: text, Value: value}
		}
	}
	return out
}

// key is made of all that the types of a package depend on within the project: its own files, and those of the packages
// that they import.
func (g *goTypes) key(dir string, read func(string) []byte) string {
	parts := [][]byte{[]byte("types of " + dir)}
	seen := map[string]bool{dir: true}
	dirs := []string{dir}
	for _, f := range g.files[dir] {
		for _, imp := range g.p.parse(f, read(f)).Imports {
			for _, t := range g.p.goTargets(f, imp.From) {
				if !seen[t] {
					seen[t] = true
					dirs = append(dirs, t)
				}
			}
		}
	}
	for _, d := range dirs {
		for _, f := range g.files[d] {
			sum := sha256.Sum256(read(f))
			parts = append(parts, []byte(f), sum[:])
		}
	}
	return g.p.kept.key(parts...)
}

// check reads the declarations of a package. Files for other systems than Linux are left out, on each machine the same.
// deep says whether what its initial values name is imported.
func (g *goTypes) check(dir string, list []string, read func(string) []byte, deep bool) (pkg *types.Package) {
	defer func() {
		if recover() != nil { // go/types on code that is no Go
			pkg = nil
		}
	}()
	system := build.Context{
		GOOS: "linux", GOARCH: "amd64", Compiler: "gc", ReleaseTags: build.Default.ReleaseTags, CgoEnabled: true,
		JoinPath: path.Join,
		OpenFile: func(f string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(string(read(f)))), nil },
	}
	var files []*ast.File
	for _, f := range list {
		if ok, err := system.MatchFile(path.Dir(f), path.Base(f)); !ok || err != nil {
			continue
		}
		x, _ := parser.ParseFile(g.fset, f, read(f), parser.SkipObjectResolution) // what could be read is enough
		if x != nil && x.Name != nil && (len(files) == 0 || x.Name.Name == files[0].Name.Name) {
			files = append(files, x)
		}
	}
	if len(files) == 0 {
		return nil
	}
	im := goImports{g: g, dir: dir, wanted: map[string]bool{}}
	if deep {
		for _, x := range files {
			im.want(x)
		}
	}
	config := types.Config{Importer: im, IgnoreFuncBodies: true, FakeImportC: true, DisableUnusedImportCheck: true, Error: func(error) {}}
	pkg, _ = config.Check(dir, g.fset, files, nil) // with errors: the rest has its types
	return pkg
}

// goImports gives a package what it imports.
type goImports struct {
	g      *goTypes
	dir    string
	wanted map[string]bool // import paths
}

// want notes the imports that initial values of a file name.
func (im goImports) want(x *ast.File) {
	names := map[string]bool{}
	for _, d := range x.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR && d.Tok != token.CONST {
			continue
		}
		for _, s := range d.Specs {
			s, ok := s.(*ast.ValueSpec)
			if !ok || s.Type != nil {
				continue
			}
			for _, v := range s.Values {
				ast.Inspect(v, func(n ast.Node) bool {
					if sel, ok := n.(*ast.SelectorExpr); ok {
						if id, ok := sel.X.(*ast.Ident); ok {
							names[id.Name] = true
						}
					}
					_, body := n.(*ast.FuncLit)
					return !body
				})
			}
		}
	}
	for _, s := range x.Imports {
		from := strings.Trim(s.Path.Value, "`\"")
		if s.Name != nil && names[s.Name.Name] || s.Name == nil && slices.ContainsFunc(strings.Split(from, "/"), func(part string) bool { return names[part] }) {
			im.wanted[from] = true
		}
	}
}

// goDeclared stands for packages that nearly all code names in initial values, so that these need no Go.
var goDeclared = map[string]string{
	"errors": "package errors\nfunc New(text string) error\nfunc Join(errs ...error) error\n",
	"fmt":    "package fmt\nfunc Errorf(format string, a ...any) error\nfunc Sprintf(format string, a ...any) string\nfunc Sprint(a ...any) string\n",
}

// Import gives the declarations of a wanted package, or a package without any.
func (im goImports) Import(from string) (*types.Package, error) {
	if from == "unsafe" {
		return types.Unsafe, nil
	}
	var pkg *types.Package
	if im.wanted[from] {
		switch targets := im.g.p.goTargets(im.dir+"/x.go", from); {
		case len(targets) > 0:
			pkg = im.g.check(targets[0], im.g.files[targets[0]], im.g.p.read, false)
		case goDeclared[from] != "":
			pkg = im.g.check(from, []string{"x.go"}, func(string) []byte { return []byte(goDeclared[from]) }, false)
		case im.g.p.library != nil && fs.ValidPath(from) && !strings.Contains(strings.SplitN(from, "/", 2)[0], "."):
			pkg = im.g.library(from)
		}
	}
	if pkg == nil {
		pkg = types.NewPackage(from, path.Base(from))
	}
	pkg.MarkComplete()
	return pkg, nil
}

// library reads a package of the installed Go.
func (g *goTypes) library(from string) *types.Package {
	entries, err := fs.ReadDir(g.p.library, from)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if n := e.Name(); e.Type().IsRegular() && strings.HasSuffix(n, ".go") && !strings.HasSuffix(n, "_test.go") {
			list = append(list, path.Join(from, n))
		}
	}
	return g.check(from, list, func(f string) []byte {
		b, err := fs.ReadFile(g.p.library, f)
		if err != nil {
			return nil
		}
		return b
	}, false)
}
