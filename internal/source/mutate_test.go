package source_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestArrowMutants: a function that is nothing but a value has a mutant, if it would have none.
func TestArrowMutants(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]int{
		"export const escape = (s) => s.replace(/&/g, '&amp;');\n": 1,
		"export const same = (s) => s;\n":                          1,
		"export const more = (n) => n + 1;\n":                      2, // + and 1
		"export const none = () => null;\n":                        0,
		"export const log = (m) => sink.write(m);\n":               0,
		"export default (s) => s.trim();\n":                        1,
		"export const self = () => this;\n":                        0,
		"export const body = (s) => { log(s); };\n":                1, // the statement
	} {
		f := source.Parse("a.js", []byte(src))
		if got := f.Mutants(); len(got) != want {
			t.Errorf("%s: %d mutants, want %d: %v", src, len(got), want, got)
		} else if want == 1 {
			if text := string(got[0].Apply([]byte(src))); len(source.Parse("a.js", []byte(text)).Funcs) == 0 || text == src {
				t.Errorf("%s became %s", src, text)
			}
		}
	}
}

func TestCrash(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, name, src, want string }{
		{"a.go", "F", "package a\n\nfunc F() int { return 1 }\n", "package a\n\nfunc F() int { panic(\"mutant\");  return 1 }\n"},
		{"a.rs", "f", "fn f() -> u8 { 1 }\n", "fn f() -> u8 { panic!(\"mutant\");  1 }\n"},
		{"a.js", "f", "function f() {\n\treturn 1;\n}\n", "function f() { throw new Error(\"mutant\"); \n\treturn 1;\n}\n"},
		{"a.ts", "g", "export const g = (a: number) => a + 1;\nh();\n", "export const g = (a: number) => (() => { throw new Error(\"mutant\"); })();\nh();\n"},
		{"a.py", "f", "def f(a):  # one\n    # two\n    return a\n", "def f(a):  # one\n    # two\n    raise BaseException(\"mutant\")\n    return a\n"},
		{"a.py", "C.m", "class C:\n    def m(self): return 1\n", "class C:\n    def m(self): raise BaseException(\"mutant\"); return 1\n"},
	} {
		m, ok := source.Parse(c.path, []byte(c.src)).Crash(c.name)
		if got := string(m.Apply([]byte(c.src))); !ok || got != c.want {
			t.Errorf("%s of %s:\n%s\nwant\n%s", c.name, c.path, got, c.want)
		}
	}
	if _, ok := source.Parse("a.go", []byte("package a\n")).Crash("F"); ok {
		t.Error("a function that is not there")
	}
	for path, src := range map[string]string{
		"a.py": "def f(a):\n    log(a)\n    return a\n", "a.js": "function f(a) {\n\tlog(a);\n\treturn a;\n}\n", "a.go": "package a\n\nfunc F(a int) {\n\tg(a)\n}\n",
	} {
		f, crashed := source.Parse(path, []byte(src)), 0
		for _, m := range f.Mutants() {
			if crash, ok := f.CrashAt(m); ok {
				crashed++
				if text := string(crash.Apply([]byte(src))); !strings.Contains(text, "mutant") || len(source.Parse(path, []byte(text)).Funcs) != 1 {
					t.Errorf("%s: %s", path, text)
				}
			}
		}
		if want := map[string]int{"a.py": 2, "a.js": 2, "a.go": 1}[path]; crashed != want {
			t.Errorf("%s: %d mutants crash, want %d", path, crashed, want)
		}
	}
}

func TestCrashBefore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, src, want string }{
		{"a.go", "package a\n\nfunc F() int {\n\treturn 1\n}\n", "\tpanic(\"mutant\"); return 1\n"},
		{"a.py", "def f(a):\n    return a + 1\n", "    raise BaseException(\"mutant\"); return a + 1\n"},
		{"a.py", "def f(a):\n    if a: return a + 1\n", ""},
		{"a.js", "function f(a) {\n\treturn a + 1;\n}\n", "\tthrow new Error(\"mutant\"); return a + 1;\n"},
		{"a.js", "function f(a) {\n\tif (a) return a + 1;\n}\n", ""},
		{"A.java", "class A {\n\tint f(int a) {\n\t\treturn a + 1;\n\t}\n}\n", "\t\tif (true) throw new Error(\"mutant\"); return a + 1;\n"},
		{"src/lib.rs", "fn f() -> u8 { 1 }\n", "fn f() -> u8 { panic!(\"mutant\");  1 }\n"},
	} {
		f := source.Parse(c.path, []byte(c.src))
		got := ""
		for _, m := range f.Mutants() {
			if crash, ok := f.CrashBefore(m); ok {
				got = string(crash.Apply([]byte(c.src)))
			}
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s\nbecomes\n%s\nwant\n%s", c.src, got, c.want)
		}
	}
}

func TestCrashAtEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, src, want string }{
		{"a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Fatal()\n\t}\n}\n", "\t}\npanic(\"mutant\");}\n"},
		{"a.test.js", "it('a', () => {\n\texpect(f()).toBe(1);\n});\n", "toBe(1);\nthrow new Error(\"mutant\");});\n"},
		{"test_a.py", "@mark\ndef test_a(x):\n    # one\n    for i in x:\n        assert i\n\n\nf()\n", "        assert i\n    raise BaseException(\"mutant\")\n\n\nf()\n"},
		{"test_a.py", "class TestA:\n    def test_m(self):\n        assert f(\n            1)\n    x = 1\n", "            1)\n        raise BaseException(\"mutant\")\n    x = 1\n"},
		{"src/lib.rs", "#[test]\nfn a() {\n    assert_eq!(f(), 1);\n}\n", "1);\npanic!(\"mutant\");}\n"},
	} {
		f := source.Parse(c.path, []byte(c.src))
		if len(f.Tests) != 1 {
			t.Fatalf("%s: %d tests", c.path, len(f.Tests))
		}
		m, ok := f.CrashAtEnd(f.Tests[0])
		if got := string(m.Apply([]byte(c.src))); !ok || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s:\n%s\nwant at its end\n%s", c.path, got, c.want)
		}
	}
}

// What a method returns of itself is there for chains of calls: a test that does not go on with it is as good.
func TestChainsAreNotMutated(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{
		"a.go": "package a\n\nfunc (b *B) Set(n int) *B {\n\tb.n = n\n\treturn b\n}\n",
		"a.js": "class B {\n\tset(n) {\n\t\tlog(n);\n\t\treturn this;\n\t}\n}\n",
		"a.py": "class B:\n    def set(self, n):\n        log(n)\n        return self\n",
	} {
		f := source.Parse(path, []byte(src))
		if len(f.Mutants()) == 0 {
			t.Errorf("%s: no mutants", path)
		}
		for _, m := range f.Mutants() {
			if m.Value() {
				t.Errorf("%s: %s", path, m.Apply([]byte(src)))
			}
		}
	}
}

// TestValues: what a row of a table holds has mutants outside of functions, and only in the lines that are asked for.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, src, want string }{
		{"a.go", "package a\n\nvar t = map[string]int{\n\t\"a\": 1,\n\t\"b\": 2,\n}\n\nfunc F() int { return 3 }\n", "4 change constant 1 to 2, 5 change constant 2 to 3"},
		{"a.py", "T = {\n    'a': 1,\n    'b': True,\n    'c': 2.5,\n}\n\n\ndef f():\n    return 3\n", "3 True to False to False, 4 change constant 2.5 to 3.5"},
		{"a.ts", "export const T = {\n  a: 1,\n  b: 0x10,\n  c: false,\n};\nexport function f() { return 3; }\n", "4 false to true to true"},
		{"b.go", "package a\n\nvar t = []float64{\n\t0.19,\n\t1e-9,\n}\n", "4 change constant 0.19 to 1.19"},
		{"b.rs", "pub const T: [f64; 2] = [\n\n    1.5f64,\n    2.0,\n];\n", "3 change constant 1.5f64 to 2.5f64, 4 change constant 2.0 to 3.0"},
		{"a.rs", "pub const T: [u8; 2] = [\n    1,\n    2u8,\n];\n\npub fn f() -> u8 {\n    3\n}\n", "3 change constant 2u8 to 3u8"},
	} {
		var got []string
		for _, m := range source.Parse(c.path, []byte(c.src)).Values(func(line int) bool { return line > 2 }) {
			got = append(got, fmt.Sprintf("%d %s to %s", m.Line, m.What, m.New))
			if !bytes.Contains(m.Apply([]byte(c.src)), []byte(m.New)) {
				t.Errorf("%s: %q is not in the mutant", c.path, m.New)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
}

// TestNoMutantsOfHints: how much room is kept changes no result.
func TestNoMutantsOfHints(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{
		"a.go": "package a\n\nfunc F(n int) []int {\n\tvar b strings.Builder\n\tb.Grow(n + 7)\n\tout := make([]int, 0, 2*n)\n\treturn out\n}\n",
		"a.rs": "pub fn f(n: usize) -> String {\n    let mut out = String::with_capacity(n + 7 * 2);\n    out\n}\n",
	} {
		for _, m := range source.Parse(path, []byte(src)).Mutants() {
			if at := src[m.Off:m.End]; at == "+" || at == "*" || at == "7" || at == "2" {
				t.Errorf("%s: %s is a mutant", path, m.What)
			}
		}
	}
	if len(source.Parse("a.py", []byte("def book(n):\n    return store.reserve(n * 2 + 7)\n")).Mutants()) < 3 {
		t.Error("what is called alike elsewhere has no mutants")
	}
}

// TestMutantsOfResultsOfRust: what a body of Rust comes to is mutated by its type, where nothing leaves it before.
func TestMutantsOfResultsOfRust(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"pub fn f(a: &str) -> String {\n    a.to_owned()\n}\n":              "pub fn f(a: &str) -> String { let mutant: String = {\n    a.to_owned()\n}; mutant + \"?\" }\n",
		"pub fn f(a: u8) -> u8 {\n    a\n}\n":                               "pub fn f(a: u8) -> u8 { let mutant: u8 = {\n    a\n}; mutant.wrapping_add(1) }\n",
		"pub fn f(a: u8) -> bool {\n    a.is_power_of_two()\n}\n":           "pub fn f(a: u8) -> bool { let mutant: bool = {\n    a.is_power_of_two()\n}; !mutant }\n",
		"pub fn f(a: u8) -> u8 {\n    return g(a);\n}\n":                    "",
		"pub fn f(a: &str) -> Option<u8> {\n    Some(a.parse().ok()?)\n}\n": "",
	} {
		got := ""
		for _, m := range source.Parse("src/a.rs", []byte(src)).Mutants() {
			if m.Value() {
				got = string(m.Apply([]byte(src)))
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}
