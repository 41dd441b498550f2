package source_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestLogsHaveNoMutants: what a function logs is no result of it.
func TestLogsHaveNoMutants(t *testing.T) {
	t.Parallel()
	for file, src := range map[string]string{
		"a.py": "def f(n):\n    self.log.debug(\"%d\", n + 1)\n    logging.warning(n - 1)\n    return n * 2\n",
		"a.js": "export function f(n) {\n  console.log(n + 1, g(n - 1));\n  this.logger.info(n + 3);\n  return n * 2;\n}\n",
		"a.go": "package a\n\nfunc f(n int) int {\n\tlog.Printf(\"%d\", n+1)\n\tslog.Info(\"a\", \"n\", n-1)\n\treturn n * 2\n}\n",
	} {
		lines := map[int]bool{}
		for _, m := range source.Parse(file, []byte(src)).Mutants() {
			lines[m.Line] = true
		}
		want := 1 + strings.Count(src[:strings.Index(src, "return")], "\n")
		if len(lines) != 1 || !lines[want] {
			t.Errorf("%s: mutants of lines %v, want of line %d alone", file, lines, want)
		}
	}
}
