package inspect_test

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

// TestChangesOfDecompiledCode: decompile describes code, somebody changes the code, and validate tells what differs.
func TestChangesOfDecompiledCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, old, changed string
		others             map[string]string
		want               string // type and symbol of each finding, in order
	}{
		"a barrel, a function":        {"m/sub.ts", "export function sub(a: number): number { return a; }\n", "export function sub(a: string): void {}\n", map[string]string{"m/index.ts": "export { sub } from './sub';\n"}, "MISMATCH sub"},
		"a barrel, a class":           {"m/sub.ts", "export class Cls { constructor(a: number) {} }\n", "export class Cls { constructor(a: string) {} }\n", map[string]string{"m/index.ts": "export { Cls } from './sub';\n"}, "MISMATCH Cls"},
		"a package of Python":         {"m/core.py", "def load(p: str) -> int:\n    return 1\n", "def load(p: int, q: int) -> str:\n    return ''\n", map[string]string{"m/__init__.py": "from .core import load\n"}, "MISMATCH load"},
		"pub use":                     {"src/store.rs", "pub fn open(p: &str) -> u8 { 1 }\n", "pub fn open(p: u64, q: u8) -> String { String::new() }\n", map[string]string{"src/lib.rs": "mod store;\npub use store::open;\n", "Cargo.toml": "[package]\nname = \"x\"\n"}, "MISMATCH open"},
		"braces in fields, Go":        {"m/m.go", "package m\n\ntype Msg struct {\n\tID   string\n\tData interface{}\n\tDone chan struct{}\n}\n", "package m\n\ntype Msg struct {\n\tID   int\n\tData interface{}\n\tDone chan struct{}\n}\n", nil, "MISMATCH Msg"},
		"braces in fields, TS":        {"m/m.ts", "export interface S<T = {}> {\n  id: string;\n  tags: Array<{ a: number, b: string }>;\n}\n", "export interface S<T = {}> {\n  id: number;\n  tags: Array<{ a: number, b: string }>;\n}\n", nil, "MISMATCH S"},
		"a new method":                {"m/m.go", "package m\n\ntype Card struct{}\n\nfunc (c *Card) Pay() {}\n", "package m\n\ntype Card struct{}\n\nfunc (c *Card) Pay() {}\n\nfunc (c *Card) Void(why string) error { return nil }\n", nil, "MISSING Card.Void"},
		"a new method, Python":        {"m/m.py", "class K:\n    def a(self) -> int:\n        return 1\n", "class K:\n    def __init__(self, x: int):\n        pass\n\n    def a(self) -> int:\n        return 1\n\n    def b(self) -> int:\n        return 1\n", nil, "MISMATCH K MISSING K.b"},
		"components of a record":      {"m/Money.java", "public record Money(long cents, String currency) { public Money(long cents) { this(cents, \"\"); } }\n", "public record Money(long cents, int currency, boolean vat) { public Money(long cents) { this(cents, 1, true); } }\n", nil, "MISMATCH Money"},
		"an optional field":           {"m/m.ts", "export interface O { id: string }\n", "export interface O { id?: number }\n", nil, "MISMATCH O"},
		"a field that is missing":     {"m/m.ts", "export interface O { id: string }\n", "export interface O { id?: string }\n", nil, "MISMATCH O"},
		"one of many":                 {"m/m.ts", "export function v(...xs: string[]): void {}\n", "export function v(xs: number): void {}\n", nil, "MISMATCH v"},
		"a type of functions":         {"m/m.ts", "export type On = (a: number) => void;\n", "export type On = (a: string) => void;\n", nil, "MISMATCH On"},
		"a default":                   {"m/m.ts", "export default function (token: string): number { return 1; }\n", "export default function (token: number): number { return 1; }\n", nil, "MISMATCH default"},
		"an arrow":                    {"m/m.ts", "export default (token: string): number => 1;\n", "export default (a: number, b: Date): string => '';\n", nil, "MISMATCH default"},
		"a Kotlin name in back-ticks": {"m/m.kt", "fun `with spaces`(a: Int): Int = a\n\nfun g(a: Int): Int = a\n", "fun `with spaces`(a: Int): Int = a\n\nfun g(a: Long): Int = 1\n", nil, "MISMATCH g"},
		"a type with a mark":          {"m/m.ts", "export type Id = string & { readonly __brand: 'id' };\n", "export type Id = number & { readonly __brand: 'id' };\n", nil, "MISMATCH Id"},
		"one type of two more":        {"m/m.ts", "export interface A { a: number }\nexport type Both = A & { c: number };\n", "export interface A { a: number }\nexport type Both = A & { c: string };\n", nil, "MISMATCH Both"},
		"one of two types":            {"m/m.ts", "export type Un = { a: 1 } | string;\n", "export type Un = { a: 1 } | number;\n", nil, "MISMATCH Un"},
		"a list no more":              {"m/m.ts", "export type Arr = { a: number }[];\n", "export type Arr = { a: number };\n", nil, "MISMATCH Arr"},
		"a default is gone, Python":   {"m/m.py", "from typing import Optional\n\n\ndef f(a: int, b: Optional[int] = None) -> int:\n    return 1\n", "from typing import Optional\n\n\ndef f(a: int, b: Optional[int]) -> int:\n    return 1\n", nil, "MISMATCH f"},
		"a default is gone, Kotlin":   {"m/m.kt", "fun f(a: Int, b: Int? = null): Int { return a }\n", "fun f(a: Int, b: Int?): Int { return a }\n", nil, "MISMATCH f"},
		"fields of a data class":      {"m/m.py", "from dataclasses import dataclass, field\n\n\n@dataclass(frozen=True)\nclass C:\n    sub: str\n    exp: int = 0\n    roles: list[str] = field(default_factory=list)\n", "from dataclasses import dataclass, field\n\n\n@dataclass(frozen=True)\nclass C:\n    sub: str\n    exp: str\n    roles: list[str] = field(default_factory=list)\n", nil, "MISMATCH C"},
		"a new field":                 {"m/m.py", "from typing import NamedTuple\n\n\nclass P(NamedTuple):\n    x: int\n", "from typing import NamedTuple\n\n\nclass P(NamedTuple):\n    x: int\n    y: int\n", nil, "MISMATCH P"},
		"many in one":                 {"m/m.go", "package m\n\nfunc F(a int, b ...string) {}\n", "package m\n\nfunc F(a int, b []string) {}\n", nil, "MISMATCH F"},
		"one of many, Go":             {"m/m.go", "package m\n\nfunc V(xs ...string) {}\n", "package m\n\nfunc V(xs int) {}\n", nil, "MISMATCH V"},
	} {
		files := map[string][]byte{c.file: []byte(c.old), "go.mod": []byte("module example.com/p\n\ngo 1.24\n")}
		for f, text := range c.others {
			files[f] = []byte(text)
		}
		specs := roundTrip(t, files)
		files[c.file] = []byte(c.changed)
		var list, got []string
		for f := range maps.Keys(files) {
			list = append(list, f)
		}
		for _, m := range inspect.New("/p", list, func(f string) []byte { return files[f] }).Validate(".").Modules {
			for _, d := range m.Issues {
				got = append(got, d.Type+" "+d.Symbol)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q\n%v", name, got, c.want, specs)
		}
	}
}

// TestConstructorsThatAreNotSeen are not said to be empty.
func TestConstructorsThatAreNotSeen(t *testing.T) {
	t.Parallel()
	specs := roundTrip(t, map[string][]byte{
		"m/m.py":   []byte("from dataclasses import dataclass\n\n\n@dataclass\nclass Item:\n    id: str\n\n\nclass Sub(Item):\n    pass\n\n\nclass Own:\n    pass\n"),
		"n/n.ts":   []byte("import { Base } from 'base';\nexport class Sub extends Base<string> {}\nexport class Own {}\n"),
		"j/J.java": []byte("public class J extends Base {}\n"),
	})
	for dir, want := range map[string]string{"m": "- `Item(id: str)`\n- `Own()`\n- `Sub(…) extends Item`\n", "n": "- `Own()`\n- `Sub(…) extends Base`\n", "j": "- `J() extends Base`\n"} {
		if !strings.Contains(specs[dir], want) {
			t.Errorf("%s lacks %q:\n%s", dir, want, specs[dir])
		}
	}
}

// TestUseOfAModuleOfRust is none of what lies around that module.
func TestUseOfAModuleOfRust(t *testing.T) {
	t.Parallel()
	specs := roundTrip(t, map[string][]byte{
		"Cargo.toml":       []byte("[package]\nname = \"x\"\n"),
		"src/lib.rs":       []byte("pub mod store;\npub mod order;\n"),
		"src/store/mod.rs": []byte("pub fn put(n: u8) -> u8 { n }\n"),
		"src/order/mod.rs": []byte("use crate::store;\n\npub fn take(n: u8) -> u8 { store::put(n) }\n"),
	})
	if text := specs["src/order"]; !strings.Contains(text, "`src/store/CLAUDE.md`") || strings.Contains(text, "`src/CLAUDE.md`") {
		t.Error(text)
	}
}

// TestMembersBehindColons: a spec may name members as Rust does.
func TestMembersBehindColons(t *testing.T) {
	t.Parallel()
	v := project(map[string]string{
		"m/CLAUDE.md": spec1("- `Claims::valid(&self) -> bool`\n\n### Types\n\n- `Claims { }`", "None", ""),
		"m/m.rs":      "pub struct Claims {}\n\nimpl Claims {\n    pub fn valid(&self) -> bool { true }\n}\n",
	}).Validate("m")
	if issues := v.Modules[0].Issues; len(issues) > 0 {
		t.Errorf("%+v", issues)
	}
}

// TestPathsOfRust: a root that only declares its modules depends on none of them, and a path in the
// middle of the code is a dependency.
func TestPathsOfRust(t *testing.T) {
	t.Parallel()
	for lib, want := range map[string]string{
		"pub mod store;\npub mod order;\n\npub struct Error;\n":                                             "order: store; store: root",
		"mod store;\npub mod order;\n\npub struct Error;\n\npub fn put(n: u8) { let _ = store::put(n); }\n": "order: store; root: store",
	} {
		specs := roundTrip(t, map[string][]byte{
			"Cargo.toml": []byte("[package]\nname = \"x\"\n"), "src/lib.rs": []byte(lib),
			"src/store/mod.rs": []byte("use crate::Error;\n\npub fn put(n: u8) -> Result<u8, Error> { Ok(n) }\n"),
			"src/order/mod.rs": []byte("pub fn take(n: u8) -> u8 { crate::store::put(n).unwrap_or(0) }\n"),
		})
		var got []string
		for _, dir := range []string{"src/order", "src", "src/store"} {
			for _, on := range []string{"src", "src/order", "src/store"} {
				if strings.Contains(specs[dir], "- `"+on+"/CLAUDE.md`") {
					name := func(dir string) string { return strings.Replace(path.Base(dir), "src", "root", 1) }
					got = append(got, name(dir)+": "+name(on))
				}
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s\n%v, want %s", lib, got, want)
		}
	}
}

// TestCirclesWithTheModuleAround: a face that offers what is in its modules, which use what it has itself, is no circle: the
// modules in it come first.
func TestCirclesWithTheModuleAround(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"typescript": {"m/index.ts": "export * from './b';\nexport interface Shared { id: string }\n", "m/b/index.ts": "import type { Shared } from '..';\nexport function f(s: Shared): string { return s.id; }\n"},
		"python":     {"m/__init__.py": "from .b import go\n\n__all__ = [\"go\"]\n", "m/errors.py": "class Base(Exception):\n    pass\n", "m/b/__init__.py": "from ..errors import Base\n\n\ndef go(x: int) -> int:\n    raise Base()\n"},
		"java":       {"src/main/java/m/M.java": "package m;\n\nimport m.b.B;\n\npublic class M { public B b() { return new B(); } }\n", "src/main/java/m/b/B.java": "package m.b;\n\nimport m.M;\n\npublic class B { public M m() { return null; } }\n"},
		"through":    {"m/index.ts": "export * from './b';\nexport const N = 1;\n", "m/b/index.ts": "export { g } from './c';\n", "m/b/c/index.ts": "import { N } from '../..';\nexport function g(): number { return N; }\n"},
	} {
		all := map[string][]byte{}
		for f, text := range files {
			all[f] = []byte(text)
		}
		specs := roundTrip(t, all)
		x := inspect.New("/p", slices.Collect(maps.Keys(all)), func(f string) []byte { return all[f] })
		if g := x.Graph(); len(g.Cycles) > 0 || len(g.Order) != len(specs) {
			t.Errorf("%s: %v, %v\n%v", name, g.Cycles, g.Order, specs)
		}
		notes := 0
		for _, m := range x.Validate(".").Modules {
			for _, n := range m.Notes {
				if strings.Contains(n.Message, "which depends on this module") {
					notes++
				}
			}
		}
		if notes != 1 {
			t.Errorf("%s: said %d times", name, notes)
		}
	}
}

// TestFieldsOfDataClasses: a spec may list the fields of a data class as those of a type.
func TestFieldsOfDataClasses(t *testing.T) {
	t.Parallel()
	const code = "from dataclasses import dataclass\n\n\n@dataclass\nclass C:\n    a: int\n    b: str = ''\n\n    @property\n    def long(self) -> bool:\n        return len(self.b) > 9\n"
	for line, want := range map[string]string{
		"C { a: int, b: str }": "", "C { a: number, b: string }": "", "C { a: int, b: str, long: bool }": "", "C { a: int, … }": "", "C": "",
		"C { a: int }":         "C: has the field b, the spec does not list it",
		"C { a: str }":         "C: has the field a of type int, the spec says str",
		"C { a: int, c: int }": "C: has no field c, the spec lists it",
	} {
		v := project(map[string]string{"m/CLAUDE.md": spec1("### Types\n\n- `"+line+"`", "None", ""), "m/m.py": code}).Validate("m")
		got := ""
		for _, d := range v.Modules[0].Issues {
			got += d.Message
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
