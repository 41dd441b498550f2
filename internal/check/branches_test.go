package check_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
)

// A branch that no test takes is told where it changes what the code gives, and not where it changes nothing.
func TestBranchesThatNoTestTakes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := nodeSample(t)
	base := l.tree(l.tree("", s.base), s.test)
	m := l.module(base, s.dir, s.exports...)
	frozen := frozenOf(t, l, base, []step.File{{Path: "src/calc/index.test.js"}})
	for more, line := range map[string]int{
		"  if (a > 50) {\n    a += b;\n  }\n":     7,
		"  if (a === 50) {\n    b = b + 0;\n  }\n": 0,
	} {
		code := map[string]string{}
		for file, text := range s.right {
			code[file] = strings.Replace(text, "  return Math", more+"  return Math", 1)
		}
		p, err := l.checker.Mutants(t.Context(), m, base, l.tree(base, code), frozen)
		if line == 0 {
			want(t, more, p, err, true)
			continue
		}
		want(t, more, p, err, true, "low-coverage")
		if f := p.Findings[0]; f.Severity != step.Fix || f.Line != line || !strings.Contains(f.Message, "a > 50") {
			t.Errorf("finding = %+v", f)
		}
	}
}
