package source_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestRecorded: calls of f by its name or that of its module are written down; declarations, methods and what is made are left alone.
func TestRecorded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, text, want string }{
		{"a_test.go", "package a\n\nimport \"x/b\"\n\nfunc f() {}\n\nfunc TestA(t *testing.T) { f(); b.f(g(f(1))); c.f(2); b.c.f(3) }\n", `mutantRecord0("f", f)(); mutantRecord0("f", b.f)(g(mutantRecord0("f", f)(1))); c.f(2); b.c.f(3) }`},
		{"test_a.py", "import b\n\ndef help(x):\n    return f(x) + b.f(1) + self.f(2)\n\ndef f(x):\n    pass\n", `return mutantRecord0("f", f)(x) + mutantRecord0("f", b.f)(1) + self.f(2)`},
		{"a.test.js", "import { f } from './a.js';\nconst o = { f(x) { return 1; } };\ntest('a', () => { equal(f(1), new f(2), o.f(3)); });\n", `equal(mutantRecord0("f", f)(1), new f(2), o.f(3));`},
		{"a.test.js", "test('a', () => { g(1); });\n", ""},
		{"tests/a.rs", "#[test]\nfn a() {\n    f(1);\n}\n", ""},
	} {
		got, ok := source.Parse(c.path, []byte(c.text)).Recorded(map[string]bool{"f": true}, "/tmp/calls", "0")
		if ok != (c.want != "") || !strings.Contains(string(got), c.want) || ok && source.Parse(c.path, got).Problem != "" {
			t.Errorf("%s: %v\n%s", c.path, ok, got)
		}
	}
}
