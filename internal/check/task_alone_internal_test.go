package check

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestCallsIn: a call counts where somebody looks at what it gives; what is called of an object has a dot.
func TestCallsIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, src, want string }{
		{"a.test.js", "add(1); const b = add(2);", "add"},
		{"a.test.js", "set(1)\nprogram\n  .option('-a')\n  .parse(args)\nexpect(sum(1)).toBe(2)", "sum"},
		{"a.test.js", "const p = make().option('-a')", ".option make"},
		{"a.test.js", "await save(x); const y = await load(x)", "load"},
		{"test_a.py", "import price\nx.append(1)\nassert price.net(1) == 2\nassert cart.total() == 2\nfill(\n    sum(1))\n", ".total net sum"},
		{"a_test.go", "package a\n\nimport \"b\"\n\nfunc f() { c.Add(1); if b.Sum(1) != 2 || c.Len() != 1 { t.Error(got(1)) } }\n", ".Len Sum got"},
	} {
		f := source.Parse(c.path, []byte(c.src))
		got := slices.Sorted(maps.Keys(callsIn(f, importedBy(f), strings.Index(c.src, "f()")+len("f()"), len(c.src))))
		if text := strings.Join(slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, ".to") && s != ".total" }), " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.src, text, c.want)
		}
	}
}
