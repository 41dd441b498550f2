package spec_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/cputime"
)

// TestLargeFilesAreLinear: sixteen times as much text takes about sixteen times the work.
func TestLargeFilesAreLinear(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"exports": "- `f(a: string): number` — text\n", "nested": "- a\n  - b\n    - c → d\n", "headings": "### x\n#### y\ntext\n", "fences": "```\n# x\n",
		"comments": "<!-- x\n", "table": "| a | b |\n", "paragraph": "word ", "ticks": "`", "quotes": "> a\n", "deps": "- `a/CLAUDE.md`: A\n", "brackets": "- f((((\n",
		"arrows": "- `a -> ", "anchors": "x/CLAUDE.md#y ", "deep": " -", "states": "A | ",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			head := "<!-- schema: 2.0 -->\n# m\n## Purpose\nx\n## Behavior\n- a → b\n## Contract\n### f\n- Pre: x\n## Protocol\nStates: A | B\n## Dependencies\n### Internal\n" + unit + "\n## Exports\n"
			took := func(size int) time.Duration {
				src := []byte(head + strings.Repeat(unit, size/len(unit)))
				began := cputime.Thread(t)
				check(t, src)
				return cputime.Thread(t) - began
			}
			small, large := took(1<<16), took(1<<20)
			for range 5 { // what else the machine does may slow one down
				if large <= 100*small { // 16 times the size; quadratic would be 256 times
					return
				}
				small, large = min(small, took(1<<16)), min(large, took(1<<20))
			}
			t.Errorf("64 KB took %v, 1 MB took %v", small, large)
		})
	}
}
