package inspect_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

// TestContractsInCode: guards and errors of what decompile wrote are facts; a parameter that is called otherwise changes nothing
// where names do not count.
func TestContractsInCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, old, changed, want string }{
		"another limit":       {"m/m.py", "def f(n: int) -> int:\n    if n < 0:\n        raise ValueError\n    return n\n", "def f(n: int) -> int:\n    if n <= 0:\n        raise ValueError\n    return n\n", "CONTRACT"},
		"another error":       {"m/m.ts", "export function f(n: number): number {\n  if (n < 0) throw new RangeError('x');\n  return n;\n}\n", "export function f(n: number): number {\n  if (n < 0) throw new TypeError('x');\n  return n;\n}\n", "CONTRACT"},
		"no guard":            {"m/m.go", "package m\n\nimport \"errors\"\n\nfunc F(n int) error {\n\tif n < 0 {\n\t\treturn errors.New(\"x\")\n\t}\n\treturn nil\n}\n", "package m\n\nfunc F(n int) error {\n\treturn nil\n}\n", "CONTRACT"},
		"a parameter renamed": {"m/m.go", "package m\n\nimport \"errors\"\n\nfunc F(n int) error {\n\tif n < 0 {\n\t\treturn errors.New(\"x\")\n\t}\n\treturn nil\n}\n", "package m\n\nimport \"errors\"\n\nfunc F(count int) error {\n\tif count < 0 {\n\t\treturn errors.New(\"x\")\n\t}\n\treturn nil\n}\n", ""},
	} {
		files := map[string][]byte{c.file: []byte(c.old), "go.mod": []byte("module x\n")}
		roundTrip(t, files)
		files[c.file] = []byte(c.changed)
		v := inspect.New("/p", slices.Collect(maps.Keys(files)), func(f string) []byte { return files[f] }).Validate(".")
		got := ""
		for _, n := range v.Modules[0].Notes {
			got = n.Type
		}
		if got != c.want || (v.Modules[0].Status == "good") != (c.want == "") || strings.Contains(v.Modules[0].Status, "poor") {
			t.Errorf("%s: %q, want %q: %+v", name, got, c.want, v.Modules[0])
		}
	}
}
