package source_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestMutantsOfTreeLanguages has the changes that are made to code of Rust, Java and Kotlin. Code of tests is left alone.
func TestMutantsOfTreeLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, src string
		want      []string // function: what
	}{
		{
			"a.rs", "const LIMIT: u64 = 10;\n\npub fn f(a: u64, t: (u8, u8)) -> u64 {\n    if a > LIMIT && t.0 == 1u8 {\n        return a + 2;\n    }\n    if let Some(x) = None {\n        return x;\n    }\n    log(a);\n    0\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {\n        assert_eq!(1 + 1, 2);\n    }\n}\n",
			[]string{"f: negate condition", "f: > to >=", "f: && to ||", "f: == to !=", "f: change constant 1u8", "f: + to -", "f: change constant 2", "f: drop statement", "f: change constant 0", "LIMIT: change constant 10"},
		},
		{
			"A.java", "class A {\n    private static final int LIMIT = 10;\n\n    long f(long a) {\n        if (a < LIMIT || a == 5L) {\n            throw new IllegalStateException();\n        }\n        return a * 2;\n    }\n}\n",
			[]string{"A.f: negate condition", "A.f: < to <=", "A.f: || to &&", "A.f: == to !=", "A.f: change constant 5L", "A.f: drop statement", "A.f: return another value", "A.f: * to /", "A.f: change constant 2", "LIMIT: change constant 10"},
		},
		{
			"a.kt", "const val LIMIT = 10\n\nfun f(a: Long): Boolean {\n    if (a >= LIMIT) {\n        return true\n    }\n    return a != 3L\n}\n",
			[]string{"f: negate condition", "f: >= to >", "f: true to false", "f: return another value", "f: != to ==", "f: change constant 3L", "LIMIT: change constant 10"},
		},
	} {
		f := source.Parse(c.file, []byte(c.src))
		var got []string
		for _, m := range f.Mutants() {
			got = append(got, m.Func+": "+m.What)
			if p := source.Parse(c.file, m.Apply([]byte(c.src))); len(p.Funcs) != len(f.Funcs) {
				t.Errorf("%s: %s gives what cannot be read: %s", c.file, m.What, m.Apply([]byte(c.src)))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: mutants %q\nwant %q", c.file, got, c.want)
		}
	}
}

// TestOtherValuesOfTheJVM has what is given instead of a value, by the type that the function declares, and what fails whenever it is called.
func TestOtherValuesOfTheJVM(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, src, want, crash string }{
		{"A.java", "long f() {\n        return a.size();\n    }", "return (a.size()) + 1;", "if (true) throw new Error(\"mutant\");"},
		{"A.java", "byte f() {\n        return (byte) n;\n    }", "return (byte) (((byte) n) + 1);", "throw"},
		{"A.java", "boolean f() {\n        return a\n            && b;\n    }", "return !(a\n            && b);", "throw"},
		{"A.java", "static String f() {\n        return a.trim();\n    }", "return (a.trim()).replaceAll(\"(?s).\", \"?\") + \"?\";", "throw"},
		{"A.java", "<K> Map<K, V> f() {\n        return m;\n    }", "return null;", "throw"},
		{"A.java", "String[] f() {\n        return a.split(\n            b);\n    }", "return null;", "throw"},
		{"A.java", "void f() {\n        a.map(x -> { return y(x); });\n        return;\n    }", "", "throw"},
		{"A.java", "Object f() {\n        return this;\n    }", "", "throw"},
		{"A.kt", "fun f(x: Int): Int {\n        return x + n\n    }", "return (x + n) + 1\n", "throw Error(\"mutant\");"},
		{"A.kt", "fun f(): String {\n        return s +\n            n\n    }", "return (s +\n            n).replace(Regex(\"(?s).\"), \"?\") + \"?\"\n", "throw"},
		{"A.kt", "fun f(): Map<String, Int>? {\n        return m\n    }", "return null\n", "throw"},
		{"A.kt", "fun f(): List<Int> {\n        return m\n    }", "", "throw"},
		{"A.kt", "fun f(): Int = n * m", "", "fun f(): Int = throw Error(\"mutant\")\n}"},
	} {
		src := []byte("class A {\n    " + c.src + "\n}\n")
		f, got := source.Parse(c.file, src), ""
		for _, m := range f.Mutants() {
			if m.Value() {
				got = string(m.Apply(src))
			}
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s: another value: %s", c.file, c.src, got)
		}
		if m, ok := f.Crash("A.f"); !ok || !strings.Contains(string(m.Apply(src)), c.crash) {
			t.Errorf("%s: %s: crash: %s", c.file, c.src, m.Apply(src))
		}
	}
}

// TestKotlinAssertionsWithATypeAndABlock are taken for comparisons by the grammar.
func TestKotlinAssertionsWithATypeAndABlock(t *testing.T) {
	t.Parallel()
	f := source.Parse("ATest.kt", []byte("import kotlin.test.*\n\nclass ATest {\n    @Test\n    fun fails() {\n        assertFailsWith<Exception> { f() }\n    }\n\n    @Test\n    fun nothing() {\n        val x = a < b\n    }\n}\n"))
	if len(f.Tests) != 2 || f.Tests[0].Asserts != 1 || f.Tests[1].Asserts != 0 {
		t.Errorf("tests = %+v", f.Tests)
	}
}

// TestMovedMutants: a mutant of code is one of the same code with other tests beside it, wherever those stand.
func TestMovedMutants(t *testing.T) {
	t.Parallel()
	const tests, code = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {}\n}\n", "fn f() -> u8 {\n    1\n}\n"
	const longer = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { assert_eq!(super::f(), 1); }\n}\n"
	for name, c := range map[string]struct {
		was, is, want string
	}{
		"behind":     {code + tests, code + longer, "fn f() -> u8 {\n    2\n}\n" + longer},
		"before":     {tests + code, longer + code, longer + "fn f() -> u8 {\n    2\n}\n"},
		"other code": {code + tests, "fn f() -> u8 {\n    3\n}\n" + tests, ""},
	} {
		f := source.Parse("a.rs", []byte(c.was))
		got := ""
		if m, ok := f.Moved(f.Mutants()[0], source.Parse("a.rs", []byte(c.is))); ok {
			got = string(m.Apply([]byte(c.is)))
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
