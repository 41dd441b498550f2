package inspect_test

import (
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// TestUseCasesThatDoNotFit: ids twice and targets that are not there are errors of the second schema, under the names that
// scripts know.
func TestUseCasesThatDoNotFit(t *testing.T) {
	t.Parallel()
	behavior := "### Actors\n\n- User: somebody\n\n### UC-1: One\n\n- Actor: User\n- Includes: UC-98\n- Extends: UC-99\n\n- a → 1\n\n### UC-1: Again\n\n- Actor: User\n\n- b → 2"
	text := spec1("#### a\n\n`a(): number`", behavior, "")
	var kinds []string
	for _, e := range project(map[string]string{"m/CLAUDE.md": "<!-- schema: 2.0 -->\n" + text}).Check("m/CLAUDE.md", false).Errors {
		kinds = append(kinds, e.Type)
	}
	slices.Sort(kinds)
	if want := []string{"DuplicateUseCaseId", "InvalidExtendTarget", "InvalidIncludeTarget"}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

// TestStrictSaysError: what strict makes an error is called one wherever it is shown.
func TestStrictSaysError(t *testing.T) {
	t.Parallel()
	x := project(map[string]string{"m/CLAUDE.md": spec1("None", "None", "")})
	for _, strict := range []bool{false, true} {
		v := x.Check("m/CLAUDE.md", strict)
		if v.Valid == strict || len(v.Problems) == 0 {
			t.Errorf("strict %v: %+v", strict, v)
		}
		for _, p := range v.Problems {
			if (p.Severity == spec.Error) != strict {
				t.Errorf("strict %v: %v", strict, p)
			}
		}
	}
}

// TestModulesAreComparedAlone: what is said of a module is the same whatever else is compared.
func TestModulesAreComparedAlone(t *testing.T) {
	t.Parallel()
	x := project(map[string]string{
		"m/CLAUDE.md": spec1("- `gone(): void`", "None", "## Structure\n\n- `sub/`\n- `lost.ts`\n"), "m/index.ts": "export const a = 1;\n", "m/deep/more.ts": "import { b } from '../sub';\nexport const c = b;\n",
		"m/sub/CLAUDE.md": spec1("- `b = 1`", "None", ""), "m/sub/index.ts": "export const b = 1;\nexport const d = 2;\n",
	})
	all := x.Validate(".").Modules
	if len(all) != 2 || len(all[0].Issues) < 3 || len(all[1].Issues) != 1 {
		t.Fatalf("%+v", all)
	}
	for _, m := range all {
		alone := x.ValidateModules(func(dir string) bool { return dir == m.Directory }).Modules
		if len(alone) != 1 || !reflect.DeepEqual(alone[0], m) {
			t.Errorf("%s alone is %+v, with others %+v", m.Directory, alone, m)
		}
	}
}

// TestParentReferencesAreForbidden: a way out of the directory is an error of the kind that scripts know.
func TestParentReferencesAreForbidden(t *testing.T) {
	t.Parallel()
	x := project(map[string]string{
		"m/CLAUDE.md": spec1("None", "None", "## Dependencies\n\n- internal:\n  - `../other/CLAUDE.md`\n"), "m/IMPLEMENTS.md": "", "other/CLAUDE.md": spec1("None", "None", ""),
	})
	v := x.Check("m/CLAUDE.md", false)
	if len(v.Errors) != 1 || v.Errors[0].Type != "ForbiddenReference" || v.Errors[0].Section != "Dependencies" || v.Errors[0].Line == 0 || v.Valid {
		t.Errorf("%+v", v)
	}
}

// TestNoModuleDependsOnTheOneAround: but on those in it, and beside it.
func TestNoModuleDependsOnTheOneAround(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dir, on string
		want    bool
	}{{"a/b", "a", true}, {"a/b", ".", true}, {"a", "a/b", false}, {"a/b", "a/c", false}, {"a/b", "ab", false}, {"ab", "a", false}, {".", "a", false}} {
		files := map[string]string{}
		for _, d := range []string{".", "a", "a/b", "a/c", "ab"} {
			files[path.Join(d, "CLAUDE.md")] = spec1("None", "None", "")
		}
		files[path.Join(c.dir, "CLAUDE.md")] = spec1("None", "None", "## Dependencies\n\n- internal:\n  - `"+path.Join(c.on, "CLAUDE.md")+"`\n")
		files[path.Join(c.dir, "x.ts")] = "export {};\n"
		x := project(files)
		g := x.Graph()
		said := []bool{len(x.Boundary(c.dir).Violations) > 0, len(g.Violations) > 0, g.Summary.Valid == 0, len(x.Validate(c.dir).Modules[0].Notes) > 0}
		if !slices.Equal(said, []bool{c.want, c.want, c.want, c.want}) {
			t.Errorf("%s on %s: boundary, graph, edge, validate say %v, want %v", c.dir, c.on, said, c.want)
		}
	}
}

// TestCodeThatIsGone: of a module that has been compiled; what was compiled to elsewhere is no module without code, and
// what never was has nothing to miss.
func TestCodeThatIsGone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, exports string
		compiled      []string
		want          string
	}{
		{"gone", "- `a(): void`\n- `B { x: number }`", []string{"src/m/a.rs"}, "STALE a STALE B"},
		{"elsewhere", "- `a(): void`", []string{"src/m/a.rs", "src/m.rs"}, ""},
		{"never there", "- `a(): void`", nil, ""},
		{"nothing was promised", "None", []string{"src/m/a.rs"}, ""},
	} {
		x := project(map[string]string{"src/m/CLAUDE.md": spec1(c.exports, "None", ""), "src/m.rs": "pub fn a() {}\n"})
		x.Built(map[string]inspect.Built{"src/m": {Files: c.compiled}})
		v := x.Validate(".")
		got := ""
		for _, m := range v.Modules {
			for _, d := range m.Issues {
				got += " " + d.Type + " " + d.Symbol
			}
		}
		if strings.TrimSpace(got) != c.want || v.Clean() != (c.want == "") || len(x.Mend(v)) > 0 {
			t.Errorf("%s: %q, want %q; %+v", c.name, got, c.want, v.Summary)
		}
	}
}

// TestOtherSpec: code that was built from another spec, or from one that is gone, is not called good.
func TestOtherSpec(t *testing.T) {
	t.Parallel()
	text := spec1("- `Add(a int, b int) int`", "None", "")
	doc, _ := spec.Parse("m/CLAUDE.md", []byte(text))
	hash := spec.ContentHash(doc)
	for _, c := range []struct {
		name, built string
		gone, left  bool
		want        string
	}{
		{name: "as it was built", built: hash, want: "good"},
		{name: "changed", built: "another", want: "partial UNBUILT"},
		{name: "never built", want: "good"},
		{name: "its code is there", built: hash, gone: true, want: "m/CLAUDE.md"},
		{name: "its code went with it", built: hash, gone: true, left: true},
	} {
		files := map[string]string{"m/CLAUDE.md": text, "m/m.go": "package m\n\nfunc Add(a int, b int) int { return a + b }\n"}
		if c.gone {
			delete(files, "m/CLAUDE.md")
		}
		if c.left {
			delete(files, "m/m.go")
		}
		x := project(files)
		x.Built(map[string]inspect.Built{"m": {Files: []string{"m/m.go"}, Content: c.built, Gone: c.gone && !c.left}})
		v := x.Validate(".")
		var got []string
		for _, m := range v.Modules {
			got = append(got, m.Status)
			for _, d := range m.Notes {
				got = append(got, d.Type)
			}
		}
		for _, u := range v.Unreadable {
			got = append(got, u.File)
		}
		if strings.Join(got, " ") != c.want || v.Clean() != (len(v.Unreadable) == 0) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestStale: a name that only a comment or a text speaks of is gone, and so is what its module
// has for itself; what is made at run time, or for others of the crate, is not.
func TestStale(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, code, export, want string }{
		"a comment":            {"m.go", "package m\n\n// Gone was here.\nfunc kept() {}\n", "Gone() error", "STALE Gone"},
		"a text":               {"m.ts", "export {};\nthrow new Error(`gone is no more`);\n", "gone(): void", "STALE gone"},
		"a docstring":          {"m.py", "\"\"\"It had gone() once.\"\"\"\n", "gone() -> int", "STALE gone"},
		"a comment of Rust":    {"lib.rs", "/* fn gone */\n", "gone(): u8", "STALE gone"},
		"a name in a registry": {"m.py", "globals()[\"made\"] = len\n", "made(x: str) -> int", ""},
		"a macro":              {"lib.rs", "make! { fn made(); }\n", "made()", ""},
		"a method":             {"m.go", "package m\n\ntype T struct{}\n\nfunc (t T) close() {}\n\nfunc (t T) Done() { t.close() }\n", "close()", "STALE close MISSING T"},
		"not exported":         {"m.ts", "function own(a: number): number { return a; }\nexport const one = own(1);\n", "own(a: number): number", "STALE own MISSING one"},
		"no module":            {"m.ts", "function own(a: number): number { return a; }\nown(1);\n", "own(a: number): number", ""},
		"handed out":           {"m.ts", "function own(a: number): number { return a; }\nexport const api = { own };\n", "own(a: number): number", "MISSING api"},
		"returned":             {"m.ts", "export function make() { function own(): void {}; return { own }; }\n", "own(): void", "MISSING make"},
		"behind a value":       {"m.ts", "class S { get(k: string): string { return k; } }\nexport const s = new S();\n", "S.get(k: string): string", "MISSING s"},
		"a type in a comment":  {"m.js", "/** @typedef {{ id: string }} Item */\nexport const a = 1;\n", "Item()", "MISSING a"},
		"main":                 {"main.rs", "fn main() {}\n", "main()", ""},
		"a trait of a type":    {"lib.rs", "pub struct V;\nimpl Default for V { fn default() -> Self { V } }\n", "V.default() -> V", ""},
		"with an attribute":    {"lib.rs", "#[pyfunction]\nfn own() -> u8 { 1 }\n", "own() -> u8", ""},
		"one is of the crate":  {"lib.rs", "mod a { fn own() -> u8 { 1 } }\npub(crate) fn own() -> u8 { 1 }\n", "pub(crate) own() -> u8", ""},
		"made of a text":       {"m.py", "from collections import namedtuple\n\n_P = namedtuple(\"_P\", \"x yy\")\n", "yy()", ""},
		"in a hole":            {"m.py", "def _f(o):\n    return f\"it is {o.total} now\"\n", "total()", ""},
		"a private method":     {"M.java", "public class M {\n  private int own() { return 1; }\n}\n", "M.own(): int", "STALE M.own"},
		"private in Kotlin":    {"m.kt", "private fun own(): Int { return 1 }\n", "own(): Int", "STALE own"},
		"internal in Kotlin":   {"m.kt", "internal fun own(): Int { return 1 }\n", "own(): Int", "MISMATCH own"},
		"said to be internal":  {"m.kt", "internal fun own(): Int { return 1 }\n", "internal own(): Int", ""},
		"private in Rust":      {"lib.rs", "fn own() -> u8 { 1 }\n", "own() -> u8", "STALE own"},
		"of the crate":         {"lib.rs", "pub(crate) fn own() -> u8 { 1 }\n", "own() -> u8", "MISMATCH own"},
		"of a trait":           {"lib.rs", "pub struct M;\nimpl Close for M { fn close(&self) {} }\n", "M.close(&self)", ""},
		"CommonJS":             {"m.js", "function own(a) { return a; }\nexports[pick()] = own;\n", "own(a)", ""},
		"a default":            {"m.js", "function own(a) { return a; }\nexport default own;\n", "own(a)", ""},
	} {
		x := project(map[string]string{"m/CLAUDE.md": spec1("- `"+c.export+"`", "None", ""), "m/" + c.file: c.code})
		got := []string{}
		for _, d := range x.Validate(".").Modules[0].Issues {
			got = append(got, d.Type, d.Symbol)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// TestFits: what specs may say of code without being wrong.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, code, line string }{
		{"m.kt", "fun name() = \"x\"\n\nsuspend fun load() = name()\n", "name(): String`\n- `suspend load(): String"},
		{"m.js", "export function greet(name, opts) { opts = opts || {}; return name; }\n", "greet(name: string, opts?: object): string"},
		{"M.java", "public class M {\n  public static String join(String... xs) { return \"\"; }\n}\n", "M.join(String[] xs): String"},
		{"m.ts", "const COLORS = ['red', 'green'] as const;\nexport type Color = (typeof COLORS)[number];\n", "Color = 'red' | 'green'"},
		{"m.ts", "const R = { admin: 1 };\nexport type Role = keyof typeof R;\n", "Role = 'admin'"},
		{"m.ts", "export type Pt = { x: number; y: number };\n", "Pt { y: number, x: number }"},
		{"m.ts", "export type Dict = { [key: string]: unknown };\n", "Dict = Record<string, unknown>"},
		{"m.ts", "interface B { at: number }\nexport type Ev = { type: 'a' } & B;\n", "Ev = { type: 'a'; at: number }"},
		{"m.ts", "export type St = { s: 'idle' } | { s: 'done'; v: number };\n", "St = { v: number; s: 'done' } | { s: 'idle' }"},
		{"m.ts", "export type M<A, B> = A & B;\n", "M<X, Y> = X & Y"},
		{"m.ts", "export type Guard = (x: unknown) => x is string;\n", "Guard = (x: unknown) => boolean"},
		{"m.ts", "export type Ob = { run(x: number): string };\n", "Ob = { run: (x: number) => string }"},
	} {
		v := project(map[string]string{"m/CLAUDE.md": spec1("- `"+c.line+"`", "None", ""), "m/" + c.file: c.code}).Validate("m")
		for _, d := range v.Modules[0].Issues {
			if d.Type != "MISSING" {
				t.Errorf("%s: %s", c.line, d.Message)
			}
		}
	}
}

// TestMendingMakesNoCircle: of a face and a module in it, whose specs name neither, only the face gets a dependency.
func TestMendingMakesNoCircle(t *testing.T) {
	t.Parallel()
	x := project(map[string]string{
		"pkg/CLAUDE.md": spec1("None", "None", ""), "pkg/__init__.py": "from .core import _run\n", "pkg/version.py": "_V = 1\n",
		"pkg/core/CLAUDE.md": spec1("None", "None", ""), "pkg/core/__init__.py": "from ..version import _V\n\n\ndef _run():\n    return _V\n",
	})
	var got []string
	for _, m := range x.Mend(x.Validate(".")) {
		got = append(got, m.File)
	}
	if strings.Join(got, " ") != "pkg/CLAUDE.md" {
		t.Errorf("mended: %v", got)
	}
}
