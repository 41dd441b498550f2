package source_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

func TestDisabled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, path, src, raises, returns string }{
		{
			"go", "a.go", "package a\n\nfunc F() (a, b int, err error) { return }\n",
			"package a\n\nfunc F() (a, b int, err error) {panic(\"mutant\"); return }\n", "package a\n\nfunc F() (a, b int, err error) {return *new(int), *new(int), *new(error); return }\n",
		},
		{"go without results", "a.go", "package a\n\nfunc F() { g() }\n", "package a\n\nfunc F() {panic(\"mutant\"); g() }\n", "package a\n\nfunc F() {return; g() }\n"},
		{
			"python", "a.py", "def f(a):  # adds\n\n    # one\n    \"\"\"Doc.\"\"\"\n    return a\n",
			"def f(a):  # adds\n\n    # one\n    raise RuntimeError(\"mutant\")\n    \"\"\"Doc.\"\"\"\n    return a\n", "def f(a):  # adds\n\n    # one\n    return None\n    \"\"\"Doc.\"\"\"\n    return a\n",
		},
		{"python in a line", "a.py", "def f(a): return a\n", "", ""},
		{
			"typescript", "a.ts", "export function f(a: number) {\n  return a;\n}\n",
			"export function f(a: number) {throw new Error(\"mutant\");\n  return a;\n}\n", "export function f(a: number) {return undefined;\n  return a;\n}\n",
		},
		{"an expression", "a.js", "export const f = (a) => a;\n", "", ""},
		{"rust", "a.rs", "pub fn f() -> u8 { 1 }\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := source.Parse(c.path, []byte(c.src))
			if len(f.Funcs) != 1 {
				t.Fatalf("functions: %+v", f.Funcs)
			}
			got := []string{"", ""}
			for i, m := range f.Disabled(f.Funcs[0], []byte(c.src)) {
				got[i] = string(m.Apply([]byte(c.src)))
			}
			if got[0] != c.raises || got[1] != c.returns {
				t.Errorf("%q, want %q and %q", got, c.raises, c.returns)
			}
		})
	}
}
