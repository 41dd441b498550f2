package toolchain

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// StubMark is in the message of every stub, so that a failure can be told to come from one.
const StubMark = "jacquard: not implemented: "

// Symbol is one export of a spec, as far as a stub needs it.
type Symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`             // function, method, type, interface, class, enum, variable, constant
	Owner     string `json:"owner"`            // of a method: its type or class
	Signature string `json:"signature"`        // as the spec gives it
	Raised    bool   `json:"raised,omitempty"` // as an error, by what the spec says
}

// FailingStub is source code that declares s in the language and fails when it is used; "" when the signature says too
// little. It has neither package clause nor imports.
func FailingStub(language string, s Symbol) string { return stub(language, s, true) }

// EmptyStub is like FailingStub, but what it declares does nothing and returns the zero value. A test that passes with
// both stubs does not depend on the implementation.
func EmptyStub(language string, s Symbol) string { return stub(language, s, false) }

func stub(language string, s Symbol, fails bool) string {
	e, ok := rowOf(EcosystemOf(language))
	if !ok {
		return ""
	}
	return e.stub(s, fails)
}

// stubGo makes a declaration that go/parser accepts, or nothing.
func stubGo(s Symbol, fails bool) string {
	sig := strings.TrimSpace(strings.Trim(strings.TrimSpace(s.Signature), "`"))
	var out string
	switch s.Kind {
	case "function", "method":
		out = goFuncStub(s, sig, fails)
	case "variable", "constant":
		out = goValueStub(s, sig)
	default:
		if sig == s.Name && goErrorValue().MatchString(s.Name) { // a name alone
			return goValueStub(s, sig)
		}
		out = goTypeStub(s, sig)
		if !parsesAsGo(out) {
			out = opaqueGo(s, sig)
		}
	}
	if out == "" || !parsesAsGo(out) {
		return ""
	}
	return out
}

// goErrorValue is what values of errors are named; types end in Error.
var goErrorValue = re.New(`^Err[A-Z]`)

// opaqueGo declares a type of which the signature says no more than that it exists.
func opaqueGo(s Symbol, sig string) string {
	if !token.IsIdentifier(s.Name) {
		return ""
	}
	what := "struct{}"
	if s.Kind == "interface" || strings.Contains(sig, "interface") && !strings.Contains(sig, "struct") {
		what = "interface{}"
	}
	return "type " + s.Name + " " + what + "\n"
}

func goFuncStub(s Symbol, sig string, fails bool) string {
	if !strings.HasPrefix(sig, "func") {
		sig = "func " + sig
	}
	sig = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(sig, ";"), "{"))
	// A signature may come without a name: func(a int) error.
	if rest, ok := strings.CutPrefix(sig, "func("); ok && s.Owner == "" {
		sig = "func " + s.Name + "(" + rest
	}
	if s.Owner != "" && !strings.HasPrefix(sig, "func (") {
		star := "*"
		if s.Name == "Error" { // an error as a value, and behind a pointer
			star = ""
		}
		sig = "func (" + star + s.Owner + ") " + strings.TrimPrefix(strings.TrimPrefix(sig, "func "), s.Owner+".")
	}
	if fails {
		return sig + " { panic(\"" + StubMark + s.Name + "\") }\n"
	}
	return goEmptyFunc(sig)
}

// goEmptyFunc gives the results names, so that a bare return gives zero values whatever their types are.
func goEmptyFunc(sig string) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "stub.go", "package p\n"+sig+" { return }\n", parser.SkipObjectResolution)
	if err != nil || len(file.Decls) != 1 {
		return ""
	}
	fn, ok := file.Decls[0].(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if fn.Type.Results != nil {
		for i, r := range fn.Type.Results.List {
			if len(r.Names) == 0 {
				r.Names = []*ast.Ident{ast.NewIdent("result" + strconv.Itoa(i))}
			}
		}
		fn.Type.Results.Opening = fn.Type.Results.Pos()
	}
	var out bytes.Buffer
	if err := printer.Fprint(&out, fset, fn); err != nil {
		return ""
	}
	return out.String() + "\n"
}

// goValueStub declares a value of another content than the spec says: a test that passes with it does not depend on it.
func goValueStub(s Symbol, sig string) string {
	if left, value, ok := strings.Cut(sig, "="); ok {
		sig = strings.TrimSpace(left) + " = " + otherValue(strings.TrimSpace(value))
	}
	for _, key := range []string{"const ", "var "} {
		if strings.HasPrefix(sig, key) {
			return sig + "\n"
		}
	}
	typ := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(sig, s.Name)), ":"))
	switch {
	case typ == "" && strings.HasPrefix(s.Name, "Err"), typ == "error":
		return "var " + s.Name + " = error(stubError(\"" + s.Name + "\"))\n"
	case typ == "":
		return ""
	}
	return "var " + s.Name + " " + typ + "\n"
}

// otherValue is the zero value of a literal's kind; what is no literal stays.
func otherValue(v string) string {
	x, err := parser.ParseExpr(v)
	if err != nil {
		return v
	}
	if lit, ok := x.(*ast.BasicLit); ok {
		if zero := map[token.Token]string{token.INT: "0", token.FLOAT: "0.0", token.STRING: `""`}[lit.Kind]; zero != "" {
			return zero
		}
	}
	if v == "true" {
		return "false"
	}
	return v
}

// GoStubSupport is the declaration that stubs of errors use; a file with stubs holds it once.
const GoStubSupport = "type stubError string\n\nfunc (e stubError) Error() string { return string(e) }\n"

func goTypeStub(s Symbol, sig string) string {
	if strings.HasPrefix(sig, "type ") {
		return sig + "\n"
	}
	rest := strings.TrimSpace(strings.TrimPrefix(sig, s.Name))
	switch {
	case strings.HasPrefix(rest, "struct"), strings.HasPrefix(rest, "interface"), strings.HasPrefix(rest, "="):
		return "type " + s.Name + " " + rest + "\n"
	case strings.HasPrefix(rest, "{") && s.Kind == "interface":
		return "type " + s.Name + " interface " + rest + "\n"
	case strings.HasPrefix(rest, "{"):
		return "type " + s.Name + " struct " + goFields(rest) + "\n"
	case rest == "", strings.HasPrefix(sig, "class "):
		return opaqueGo(s, sig)
	}
	return "type " + s.Name + " " + rest + "\n"
}

// goFields accepts "{ A string, B int }" and "{ A: string }" as people write them in specs.
func goFields(body string) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(body), "{"), "}")
	var fields []string
	for _, f := range strings.FieldsFunc(inner, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		if f = strings.TrimSpace(strings.Replace(f, ":", " ", 1)); f != "" {
			fields = append(fields, f)
		}
	}
	return "{ " + strings.Join(fields, "; ") + " }"
}

func parsesAsGo(decl string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "stub.go", "package p\n"+decl, parser.SkipObjectResolution)
	return err == nil
}

// GoStubImports lists the packages that stub declarations need, out of those known by their usual names.
func GoStubImports(decls string) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "stub.go", "package p\n"+decls, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	known := map[string]string{
		"context": "context", "time": "time", "io": "io", "http": "net/http", "sql": "database/sql", "fs": "io/fs",
		"os": "os", "json": "encoding/json", "big": "math/big", "url": "net/url", "sync": "sync", "errors": "errors",
		"bytes": "bytes", "strings": "strings", "slog": "log/slog", "iter": "iter", "reflect": "reflect", "regexp": "regexp",
		"bufio": "bufio", "net": "net", "template": "text/template", "fmt": "fmt", "log": "log", "rand": "math/rand",
		"netip": "net/netip", "atomic": "sync/atomic", "ast": "go/ast", "token": "go/token", "hash": "hash", "sort": "sort",
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				out = addOnce(out, known[id.Name])
			}
		}
		return true
	})
	return out
}

var tsName = re.New(`^[\pL_$][\pL\pM\w$]*`)

// stubTypeScript declares s for the tests' run. Types need no stub: they vanish before a test runs. What a spec names without saying more
// may be a class.
func stubTypeScript(s Symbol, fails bool) string {
	name := tsName().FindString(s.Name)
	if name == "" {
		return ""
	}
	fail := ""
	if fails {
		fail = `throw new Error("` + StubMark + name + `");`
	}
	switch s.Kind {
	case "function":
		return "export function " + name + "(..._args) { " + fail + " }\n"
	case "class", "type":
		switch {
		case s.Kind == "type" && strings.Trim(strings.TrimSpace(s.Signature), "`") != s.Name:
		case s.Raised, strings.HasSuffix(name, "Error"), strings.HasSuffix(s.Signature, "Error") && strings.Contains(s.Signature, " extends "):
			return "export class " + name + " extends Error {}\n"
		default:
			return "export class " + name + " { constructor(..._args) { " + fail + " } }\n"
		}
	case "enum":
		return "export const " + name + " = {};\n"
	case "variable", "constant":
		return "export const " + name + " = undefined;\n"
	}
	return ""
}

// pyErrorBase is a base class that makes a class an exception.
var pyErrorBase = re.New(`(\(|\) extends)\s*[\w.]*(Error|Exception)\b`)

// pyEnum is the signature of an enum: its name, and names with strokes or commas between them.
var pyEnum = re.New(`^\W*\w+\s*[:=]\s*(?:(?i:enum)\s*)?[({]?\s*([A-Za-z_]\w*(?:\s*[|,]\s*[A-Za-z_]\w*)+)\s*[)}]?\W*$`)

// pyMembers is the stub of an enum with its members, "" for what is none or names none: tests use them before they call anything. What is
// asked of the enum itself is not there.
func pyMembers(s Symbol, fails bool) string {
	m := pyEnum().FindStringSubmatch(s.Signature)
	if s.Kind != "enum" || m == nil {
		return ""
	}
	name, none := pyName().FindString(s.Name), "return iter(())"
	if fails {
		none = `raise NotImplementedError("` + StubMark + name + `")`
	}
	members := strings.Join(strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" |,\t", r) }), " ")
	return "class _" + name + "Stub(type):\n    def __iter__(cls):\n        " + none + "\n\n" +
		"    def __getattr__(cls, name):\n        return getattr(cls._enum, name)\n\n\n" +
		"class " + name + "(metaclass=_" + name + "Stub):\n    _enum = __import__(\"enum\").Enum(\"" + name + "\", \"" + members + "\")\n"
}

var pyName = re.New(`^[\pL_][\pL\pM\w]*`)

func stubPython(s Symbol, fails bool) string {
	name := pyName().FindString(s.Name)
	if name == "" {
		return ""
	}
	fail := "pass"
	if fails {
		fail = `raise NotImplementedError("` + StubMark + name + `")`
	}
	switch s.Kind {
	case "function":
		return "def " + name + "(*args, **kwargs):\n    " + fail + "\n"
	case "class", "type", "interface", "enum":
		if members := pyMembers(s, fails); members != "" {
			return members
		}
		if s.Raised || strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || pyErrorBase().MatchString(s.Signature) {
			return "class " + name + "(Exception):\n    pass\n"
		}
		return "class " + name + ":\n    def __init__(self, *args, **kwargs):\n        " + fail + "\n"
	case "variable", "constant":
		return name + " = None\n"
	}
	return ""
}
