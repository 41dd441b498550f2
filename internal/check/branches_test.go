package check_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
)

// A branch that no test takes is told where it changes what the code gives, and not where it changes nothing, or where a test waits for
// the failure that it leads to.
func TestBranchesThatNoTestTakes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := nodeSample(t)
	base := l.tree(l.tree("", s.base), map[string]string{"src/calc/index.test.js": "import { it } from 'node:test';\nimport assert from 'node:assert/strict';\nimport { div } from './index.js';\n\n" +
		"it('divides', () => {\n  assert.equal(div(6, 3), 2);\n});\n\nit('throws', () => {\n  assert.throws(() => div(1, 0));\n});\n"})
	m := l.module(base, s.dir, s.exports...)
	frozen := frozenOf(t, l, base, []step.File{{Path: "src/calc/index.test.js"}})
	for _, c := range []struct {
		body  string
		rules []string
	}{
		{"  if (a > 50) {\n    a += b;\n  }\n", []string{"low-coverage"}},
		{"  if (a === 50) {\n    b = b + 0;\n  }\n", nil},
		{"  let left = a;\n  if (b === 0) {\n    left = null;\n  }\n", nil},
	} {
		code := "export class ZeroError extends Error {}\n\nexport function div(a, b) {\n" + c.body + "  if (b === 0) throw new ZeroError('zero');\n  return a / b;\n}\n"
		if strings.Contains(c.body, "left") {
			code = strings.Replace(code, "  if (b === 0) throw", "  if (!left) throw", 1)
		}
		p, err := l.checker.Mutants(t.Context(), m, base, l.tree(base, map[string]string{"src/calc/index.js": code}), frozen)
		want(t, c.body, p, err, true, c.rules...)
		if len(c.rules) > 0 {
			if f := p.Findings[0]; f.Severity != step.Fix || f.Line != 4 || !strings.Contains(f.Message, "a > 50") {
				t.Errorf("finding = %+v", f)
			}
		}
	}
}
