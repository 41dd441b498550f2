package source_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestSameShape: brackets that only group, and what parts words, are layout; what they group is code.
func TestSameShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"a.ts", "x > 2 && f(),\n  (i += 1);\n", "(x > 2 && f(), (i += 1));\n", true},
		{"a.js", "const f = a => a + 1\n", "const f = (a) => (a + 1); // more\n", false}, // how a parameter stands is another form of it
		{"a.js", "f(a, b)\n", "f(\n  a,\n  b,\n);\n", true},
		{"a.ts", "a - (b - c);\n", "a - b - c;\n", false},
		{"a.py", "x = a + b\n", "x = (\n    a + b\n)\n", true},
		{"a.py", "x = (a)\n", "x = (a,)\n", false},
		{"a.py", "f(a)\n", "f(b)\n", false},
		{"a.go", "package a", "package a", false},
		{"a.py", "x = f('a')\n", "x = f(\"a\")\n", true},
		{"a.py", "x = 'a\"'\n", "x = \"a'\"\n", false},
		{"a.py", "def f():\n    \"Gives 1.\"\n    return 1\n", "def f():\n    \"Gives one.\"\n    return 1\n", true},
		{"a.js", "f('a');\n", "f(\"a\");\n", true},
	} {
		if got := source.SameShape(c.name, []byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s: %q and %q have the same shape: %v, want %v", c.name, c.a, c.b, got, c.want)
		}
	}
}
