package inspect_test

import (
	"path"
	"strings"
	"testing"
)

// TestMismatchOfEachKind: what both sides state and differs is found; what only one states, or what is the same in other
// words, is not. A line is what the spec exports, the code beside it, and what differs.
func TestMismatchOfEachKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, exports, code, want string }{
		{"m.go", "### Variables\n\n- `W: string`\n- `C: int`\n- `V: map[string]string`", "package m\n\nvar W int\n\nconst C string = \"x\"\n\nvar V map[string]int\n", "W C V"},
		{"m.go", "- `W: int`\n- `C: string`\n- `V: map[string]int`\n- `N: number`\n- `S: a long story`\n- `L: 3`\n- `X`\n- `Y = 3`", "package m\n\nvar W, N, S, L, X, Y int\n\nconst C string = \"x\"\n\nvar V map[string]int\n", ""},
		{"m.go", "### Types\n\n- `I { Get(a string) string }`\n- `H = func(a string) error`\n- `M = map[string]string`\n- `S { Name: string }`\n- `G { A: string }`", "package m\n\ntype I interface {\n\tGet(a string) int\n\tPut()\n}\n\ntype H func(a int) error\n\ntype M map[string]int\n\ntype S struct {\n\tI\n\tName int\n}\n\ntype G struct{ A, B int }\n", "I H M S G"},
		{"m.go", "### Types\n\n- `I { Get(a string) int }`\n- `H = func(b string) error`\n- `M = map[string]int`\n- `S { Name: int, Other: string }`\n- `J { Get(a: string): number }`\n- `Set[T comparable] = map[T]bool`", "package m\n\ntype I interface {\n\tGet(a string) int\n}\n\ntype J interface{ Get(a string) int }\n\ntype H func(a string) error\n\ntype M map[string]int\n\ntype S struct {\n\tI\n\tName int\n}\n\ntype Set[T comparable] map[T]bool\n", ""},
		{"m.ts", "### Variables\n\n- `LIMIT: string`\n\n### Types\n\n- `T = number`\n- `R { get(a: string): string, x: number }`\n- `E { own: string }`", "export const LIMIT: number = 1;\nexport type T = string;\nexport interface R { get(a: string): number; x: number }\nexport interface E extends R { own: number }\n", "LIMIT T R E"},
		{"m.ts", "- `LIMIT: number`\n- `T = string`\n- `U = 'b' | 'a'`\n- `LEVEL: low | high`\n- `R { get(b: string): number }`", "export const LIMIT: number = 1;\nexport type T = string;\nexport type U = 'a' | 'b';\nexport const LEVEL: string = 'low';\nexport interface R { [k: string]: unknown; get(a: string): number; x: number }\n", "R"},
		{"m.rs", "### Variables\n\n- `MAX: String`\n\n### Types\n\n- `R = String`\n- `P { x: u8 }`", "pub const MAX: usize = 3;\npub type R = u64;\npub struct P { pub x: f64 }\n", "MAX R P"},
		{"m.rs", "- `MAX: usize`\n- `NAME: String`\n- `R = Result<String, Error>`\n\n### Types\n\n- `P { x: f64, y: number }`", "pub const MAX: usize = 3;\npub const NAME: &'static str = \"\";\npub type R = std::io::Result<String>;\npub struct P { pub x: f64, pub y: u8 }\n", ""},
		{"A.java", "### Classes\n\n- `A()`\n- `A.In(String x)`\n- `A.P(String a)`\n\n### Variables\n\n- `A.MAX: String`\n\n### Functions\n\n- `A.f(String a): int`", "public class A {\n  public static final int MAX = 1;\n  public static class In { public In(int x) {} public In(long x) {} }\n  public record P(int a) {}\n  public int f(int a) { return a; }\n}\n", "A.In A.P A.MAX A.f"},
		{"A.java", "- `A()`\n- `A.In(String x)`\n- `A.P(int a)`\n- `A.MAX: int`\n- `A.f(int b): int`", "public class A {\n  public static final int MAX = 1;\n  public static class In { public In(int x) {} public In(String x) {} }\n  public record P(int a) {}\n  public int f(int a) { return a; }\n}\n", ""},
		{"N.kt", "### Classes\n\n- `N.Q(z: String, y: Int)`\n- `N.B(z: String)`\n\n### Variables\n\n- `w: String`\n- `x: Long`", "class N {\n    data class Q(val z: Long)\n    class B : Base(1)\n}\nval w: Int = 1\nval x: Int = 1\n", "N.Q N.B w x"},
		{"N.kt", "- `N.Q(z: Long)`\n- `N.B()`\n- `N.C(a: String)`\n- `w: Int`\n- `f(a: Int): Int`", "class N {\n    data class Q(val z: Long)\n    class B : Base(1)\n    class C(a: Int) {\n        constructor(a: String) : this(1)\n    }\n}\nval w: Int = 1\nfun f(a: Int): Int = a\n", ""},
		{"m.py", "- `f(a: int) -> int`\n- `async g(a: int) -> int`\n- `h(a)`\n- `async i(a: int)`\n- `MAX: str`", "async def f(a: int) -> int:\n    pass\n\n\ndef g(a: int) -> int:\n    pass\n\n\nasync def h(a: int) -> int:\n    pass\n\n\nasync def i(a: int) -> int:\n    pass\n\n\nMAX: int = 3\n", "f g MAX"},
		{"m.kt", "- `f(a: Int): Int`\n- `suspend g(a: Int): Int`\n- `suspend h(a: Int): Int`", "suspend fun f(a: Int): Int = a\nfun g(a: Int): Int = a\nsuspend fun h(a: Int): Int = a\n", "f g"},
		{"m.rs", "- `f(a: u8) -> u8`\n- `async g(a: u8) -> u8`\n- `async h(a: u8) -> u8`\n- `async i(a: u8) -> u8`", "pub async fn f(a: u8) -> u8 { a }\npub fn g(a: u8) -> u8 { a }\npub async fn h(a: u8) -> u8 { a }\npub fn i(a: u8) -> impl Future<Output = u8> { a }\n", "f g"},
		{"m.py", "### Variables\n\n- `MAX: str`\n- `RATE: float`\n- `NAME: int`\n- `ANY: Any`\n- `MADE: str`", "MAX = 3\nRATE = 1\nNAME = 'x'\nANY = 1\nMADE = make()\n", "MAX NAME"},
		{"m.go", "### Variables\n\n- `C: int`\n- `D: int64`", "package m\n\nconst C = \"x\"\n\nconst D = 3\n", "C"},
		{"m.kt", "- `shout(times: Int): Int`\n- `String.quiet(times: Int): Int`\n\n### Types\n\n- `I { name: Int, get(a: Int): Int }`", "fun String.shout(times: Int): String = this\nfun String.quiet(times: Int): String = this\ninterface I { val name: String }\n", "shout String.quiet I"},
		{"m.rs", "### Types\n\n- `Res<T> = Option<T>`\n- `A(u8, _)`\n- `B(String)`\n- `C(String)`\n- `D(x: u8, Hidden)`", "pub type Res<T> = Result<T, String>;\npub struct A(pub u8, String);\npub struct B(pub u8);\npub struct C(pub String, pub String);\npub struct D(pub u8, String);\n", "Res B C D"},
	} {
		v := project(map[string]string{"m/CLAUDE.md": spec1(c.exports, "None", ""), path.Join("m", c.file): c.code}).Validate("m")
		var got []string
		for _, d := range v.Modules[0].Issues {
			switch {
			case d.Type == "MISMATCH":
				got = append(got, d.Symbol)
			case d.Type != "MISSING":
				t.Errorf("%s: %+v", c.file, d)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s:\n%s\n%s\ngot  %q\nwant %q\n%+v", c.file, c.exports, c.code, got, c.want, v.Modules[0].Issues)
		}
	}
}
