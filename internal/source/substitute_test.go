package source_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestSubstitutions: the lines of a test are found with calls of f whose result is used, with what the first is called on, and the file with another
// value has the same tests.
func TestSubstitutions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, body string
		want       []string
	}{
		"go: results that are used": {"a_test.go", "if f(1) != 2 {\n\t\tt.Fatal()\n\t}\n\tgot, err := p.f(3)\n\tt.Log(got)\n\tif _, err = New(4).f(5); err != nil {\n\t\tt.Fatal()\n\t}\n\tg(f(6), list[0].f(7))\n\treturn", []string{"3 f", "6 p.f", "8 New(4).f", "11 f", "11 f"}},
		"go: results that are not":  {"a_test.go", "f(1)\n\tdefer f(2)\n\tgo f(3)\n\t_ = f(4)\n\t_, _ = f(5)\n\tx := f(6)\n\tf := func() {}\n\tfor {\n\t\tf()\n\t}", nil},
		"python: results that are used": {"test_a.py", "assert f(1) == 2\n    got = a.b.f(3)\n    assert got\n    assert (1 + 2).f(4) and x[0].f(5) and \"x\".f(6)\n    return A(1).f(7)", []string{
			"2 f", "3 a.b.f", "5 (1 + 2).f", "5 (1 + 2).f", "6 A(1).f",
		}},
		"python: results that are not":                 {"test_a.py", "f(1)\n    got = f(2)\n    with raises(E):\n        f(3)\n    assert f(x := 4)\n    @f(5)\n    def f(x):\n        f(6)", nil},
		"python: one line, and what has the same name": {"test_a.py", "for k in ks: f(1)\n    s = g(); f(2); f(3)\n    out = f(4)\n    assert cap.out\n    n: int = f(5)\n    assert n\n    create_task(f(6))", []string{"6 f"}},
		"go: a chain":                         {"a_test.go", "if b.f(1).f(2) {\n\t}", []string{"3 b.f", "3 b.f"}},
		"rust: a type and a value of its own": {"tests/a.rs", "let n: i32 = f(1);\n    assert!(n > 0);", []string{"3 f"}},
		"python: what is waited for":          {"test_a.py", "await f(1)\n    assert await f(2)\n    assert f(await g())", []string{"3 f"}},
		"javascript: results that are used":   {"a.test.js", "expect(f(1)).toBe(2);\n  const got = await a?.f(3);\n  use(got);\n  throws(() => f(4));\n  ok(new A(5).f(6));\n  const {x} = f(7)", []string{"2 f", "3 a?.f", "5 f", "6 new A(5).f", "7 f"}},
		"javascript: results that are not":    {"a.test.js", "f(1);\n  await f(2)\n  f(3)\n  new f(4).x;\n  const got = f(5);\n  throws(() => { f(6) });\n  const o = { f(x) { return 1; } };\n  function f(x) {}", nil},
		"rust: results that are used":         {"tests/a.rs", "assert_eq!(f(1), 2);\n    let got = a::b::f(3);\n    assert!(got.is_ok() && vec![1].f(4));\n    let r = catch_unwind(|| { f(5) });\n    r.unwrap()", []string{"3 f", "4 a::b::f", "5 vec![1].f", "6 f"}},
		"rust: results that are not":          {"tests/a.rs", "f(1);\n    let _ = f(2);\n    let got = f(3);\n    fn f(x: u8) {}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := map[string]string{
				"a_test.go": "package a; import \"testing\"\nfunc TestA(t *testing.T) {\n\t%s\n}\n", "test_a.py": "def test_a():\n    %s\n",
				"a.test.js": "test(\"a\", async () => {\n  %s\n});\n", "tests/a.rs": "#[test]\nfn a() {\n    %s\n}\n",
			}[c.path]
			f := source.Parse(c.path, fmt.Appendf(nil, src, c.body))
			if len(f.Tests) != 1 {
				t.Fatalf("tests: %+v", f.Tests)
			}
			var got []string
			for _, s := range f.Substitutions(f.Tests[0], map[string]bool{"f": true}) {
				got = append(got, fmt.Sprint(s.Line, " ", s.Call))
				other := source.Parse(c.path, f.Substituted([]source.Substitution{s}))
				if len(other.Tests) != 1 || other.Tests[0].Name != f.Tests[0].Name || other.Problem != "" {
					t.Errorf("with %s: %+v, %s\n%s", s.Call, other.Tests, other.Problem, other.Source())
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
