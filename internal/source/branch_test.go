package source_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

func TestBranches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, src, fails, taken string }{
		{
			"a.go", "package a\n\nfunc F(a int) int {\n\tif n := g(a); n > 4 {\n\t\treturn 1\n\t}\n\treturn 0\n}\n",
			`if n := g(a); (n > 4) && func() bool { panic("mutant") }() {`, "if n := g(a); (n > 4) || true {",
		},
		{"a.rs", "fn f(a: u8) -> u8 {\n    if a > 4 { return 1; }\n    0\n}\n", `if (a > 4) && panic!("mutant") { return`, "if (a > 4) || true { return"},
		{"a.js", "function f(a) {\n\tif (a > 4) {\n\t\ta++;\n\t}\n\treturn a;\n}\n", `if ((a > 4) && (() => { throw new Error("mutant"); })()) {`, "if ((a > 4) || true) {"},
		{"a.ts", "export const f = (a: number) => {\n  if (g(a)) return 1;\n  return 0;\n};\n", `if ((g(a)) && (() => { throw new Error("mutant"); })()) return`, "if ((g(a)) || true) return"},
		{
			"a.py", "def f(a):\n    if (n := len(a)) > 4:\n        a += 1\n    return a\n",
			`if ((n := len(a)) > 4) and (_ for _ in ()).throw(BaseException("mutant")):`, "if ((n := len(a)) > 4) or True:",
		},
		{"a.py", "class C:\n    def f(self, a): return 1 if a else 2\n", "", ""},
		{"a.rs", "fn f(a: Option<u8>) -> u8 {\n    if let Some(b) = a { return b; }\n    0\n}\n", "", ""},
	} {
		list := source.Parse(c.path, []byte(c.src)).Branches()
		if c.fails == "" {
			if len(list) > 0 {
				t.Errorf("%s: %v", c.src, list)
			}
			continue
		}
		if len(list) != 1 {
			t.Fatalf("%s: %d branches", c.src, len(list))
		}
		for want, m := range map[string]source.Mutant{c.fails: list[0].Fails(), c.taken: list[0].Taken(), strings.NewReplacer("|| true", "&& false", "or True", "and False").Replace(c.taken): list[0].Left()} {
			if got := string(m.Apply([]byte(c.src))); !strings.Contains(got, want) {
				t.Errorf("%s\nwant in it\n%s", got, want)
			}
		}
	}
}

// What a branch holds ends with it, also where branches lie within each other.
func TestBranchesEnd(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{
		"a.go": "package a\n\nfunc F(a int) int {\n\tif a > 1 {\n\t\tif a > 2 {\n\t\t\ta = 5\n\t\t}\n\t\ta = 6\n\t}\n\treturn a\n}\n",
		"a.py": "def f(a):\n    if a > 1:\n        if a > 2:\n            a = 5\n        a = 6\n    return a\n",
		"a.js": "function f(a) {\n  if (a > 1) {\n    if (a > 2) a = 5;\n    a = 6;\n  }\n  return a;\n}\n",
	} {
		list := source.Parse(path, []byte(src)).Branches()
		if len(list) != 2 {
			t.Fatalf("%s: %d branches", path, len(list))
		}
		outer, inner := src[list[0].Body:list[0].Stop], src[list[1].Body:list[1].Stop]
		if !strings.Contains(outer, "5") || !strings.Contains(outer, "6") || strings.Contains(outer, "return") || !strings.Contains(inner, "5") || strings.Contains(inner, "6") {
			t.Errorf("%s: %q, %q", path, outer, inner)
		}
	}
}
