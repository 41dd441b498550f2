package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
)

func TestCut(t *testing.T) {
	t.Parallel()
	goFile := "package p\n\nimport (\n\t\"strings\"\n\t\"testing\"\n)\n\n// TestA says why.\n// In two lines.\nfunc TestA(t *testing.T) {\n\tif strings.ToUpper(\"a\") != A() {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestB(t *testing.T) {\n\tif B() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"
	js := "import { a, b } from './p';\n\ndescribe('p', () => {\n  it('one', () => {\n    expect(a()).toBe(1);\n  });\n\n  it('two', () => {\n    expect(b()).toBe(2);\n  });\n});\n"
	py := "from p import a, b\n\n\nclass TestP:\n    @mark.slow\n    def test_one(self):\n        assert a() == 1\n\n    def test_two(self):\n        assert b() == 2\n\n\ndef test_three():\n    assert a() == 3\n"
	rust := "use p::p::{a, b};\n\n#[test]\n#[should_panic]\nfn one() {\n    a().unwrap();\n}\n\nmod inner {\n    use super::*;\n\n    #[test]\n    fn two() {\n        assert_eq!(b() + a(), 2);\n    }\n\n    #[test]\n    fn three() {\n        assert_eq!(b() + b(), 3);\n    }\n}\n"
	java := "package p;\n\nclass PTest {\n    @Test\n    @Slow\n    void one() {\n        assertEquals(1, P.a());\n    }\n\n    @Test\n    public void two() {\n        assertEquals(2, P.b());\n    }\n}\n"
	kotlin := "package p\n\nclass PTest {\n    @Test\n    fun `one thing`() {\n        assertEquals(1, a())\n    }\n\n    @Test\n    fun two() {\n        assertEquals(2, b())\n    }\n}\n"
	for name, c := range map[string]struct {
		file, src string
		cut       []string
		want      string // "" = no file is left
		no        bool
	}{
		"go, with its import": {file: "p_test.go", src: goFile, cut: []string{"TestA"}, want: "package p\n\nimport (\n\t\"testing\"\n)\n\nfunc TestB(t *testing.T) {\n\tif B() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"},
		"go, the last":        {file: "p_test.go", src: goFile, cut: []string{"TestB"}, want: goFile[:len(goFile)-len("\nfunc TestB(t *testing.T) {\n\tif B() != 1 {\n\t\tt.Fatal()\n\t}\n}\n")]},
		"go, all":             {file: "p_test.go", src: goFile, cut: []string{"TestA", "TestB"}},
		"go, none of them":    {file: "p_test.go", src: goFile, cut: []string{"TestC"}, no: true},
		"go, helpers stay": {
			file: "p_test.go", src: goFile + "\nfunc help() int { return 1 }\n", cut: []string{"TestA", "TestB"},
			want: "package p\n\nfunc help() int { return 1 }\n",
		},
		"go, an import of another name": {
			file: "p_test.go", no: true, cut: []string{"TestA"},
			src: "package p\n\nimport (\n\t\"testing\"\n\n\t\"example.com/odd\"\n)\n\nfunc TestA(t *testing.T) { even.Do(t) }\n\nfunc TestB(t *testing.T) { t.Fatal() }\n",
		},
		"typescript":                         {file: "p.test.ts", src: js, cut: []string{"p > one"}, no: true}, // the import of a would be left over
		"javascript":                         {file: "p.test.js", src: js, cut: []string{"p > one"}, want: "import { a, b } from './p';\n\ndescribe('p', () => {\n  it('two', () => {\n    expect(b()).toBe(2);\n  });\n});\n"},
		"javascript, all":                    {file: "p.test.js", src: js, cut: []string{"p > one", "p > two"}},
		"javascript, a group would be empty": {file: "p.test.js", src: js + "it('alone', () => { expect(a()).toBe(1); });\n", cut: []string{"p > one", "p > two"}, no: true},
		"javascript, two on a line": {
			file: "p.test.js", src: "it('x', () => { expect(a()).toBe(1); }); it('y', () => { expect(a()).toBe(1); });\n",
			cut: []string{"x"}, no: true,
		},
		"python": {
			file: "test_p.py", src: py, cut: []string{"TestP::test_one"},
			want: "from p import a, b\n\n\nclass TestP:\n    def test_two(self):\n        assert b() == 2\n\n\ndef test_three():\n    assert a() == 3\n",
		},
		"python, a class would be empty": {file: "test_p.py", src: py, cut: []string{"TestP::test_one", "TestP::test_two"}, no: true},
		"rust":                           {file: "tests/p_test.rs", src: rust, cut: []string{"one"}, want: "use p::p::{a, b};\n\n" + rust[strings.Index(rust, "mod inner"):]},
		"rust, in a module":              {file: "tests/p_test.rs", src: rust, cut: []string{"inner::three"}, want: strings.Replace(rust, "\n    #[test]\n    fn three() {\n        assert_eq!(b() + b(), 3);\n    }\n", "", 1)},
		"rust, an import is left over":   {file: "tests/p_test.rs", src: strings.Replace(rust, "b() + a()", "b()", 1), cut: []string{"one"}, no: true},
		"java":                           {file: "PTest.java", src: java, cut: []string{"PTest.one"}, want: "package p;\n\nclass PTest {\n    @Test\n    public void two() {\n        assertEquals(2, P.b());\n    }\n}\n"},
		"kotlin":                         {file: "PTest.kt", src: kotlin, cut: []string{"PTest.two"}, want: strings.Replace(kotlin, "\n    @Test\n    fun two() {\n        assertEquals(2, b())\n    }\n", "", 1)},
		"python, a function":             {file: "test_p.py", src: py, cut: []string{"test_three"}, want: py[:len(py)-len("\n\ndef test_three():\n    assert a() == 3\n")]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rest, gone, ok := check.Cut(c.file, []byte(c.src), c.cut)
			if ok == c.no {
				t.Fatalf("cut: %v, want %v:\n%s", ok, !c.no, rest)
			}
			if !ok {
				return
			}
			slices.Sort(gone)
			if want := slices.Sorted(slices.Values(c.cut)); !slices.Equal(gone, want) || string(rest) != c.want {
				t.Errorf("gone %q, left:\n%s\nwant:\n%s", gone, rest, c.want)
			}
		})
	}
}
