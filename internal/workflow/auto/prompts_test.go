package auto_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// How large the original is, the process that pdca comes from: the agents that it calls when all goes well (two explorers, planner,
// critic, writer of the design, manager, architect, runner of checks, verifier, gap checker, code reviewer, reporter), and
// the bytes of the document that its lead reads to run it.
var original = map[pdca.Mode]int{pdca.Light: 7, pdca.Standard: 12, pdca.Heavy: 13}

const originalBytes = 56_059

// TestPromptBytes: docs/internals/pdca.md has what a run reads and calls when all goes well, beside the original's.
func TestPromptBytes(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"mode", "turns", "bytes of instructions, all turns", "the longest", "turns of the original", "bytes that its lead reads"}}
	for _, mode := range []pdca.Mode{pdca.Light, pdca.Standard, pdca.Heavy} {
		turns, bytes, most := 0, 0, 0
		tale{mode: mode, end: "passed", seen: func(in step.Turn) {
			turns++
			bytes += len(in.Instructions)
			most = max(most, len(in.Instructions))
		}}.play(t, 0)
		rows = append(rows, []string{string(mode), fmt.Sprint(turns), fmt.Sprint(bytes), fmt.Sprint(most), fmt.Sprint(original[mode]), fmt.Sprint(originalBytes)})
	}
	flowtest.Table(t, "../../../docs/internals/pdca.md", "prompts", rows, *update)
}

// TestNobodyBeginsWithoutWhatWasFound: whoever goes on with what is there, or judges it again, is told what was found in it.
func TestNobodyBeginsWithoutWhatWasFound(t *testing.T) {
	t.Parallel()
	severe := map[string]any{"findings": []step.ReviewFinding{{Severity: "HIGH", Message: "line ends are lost"}}}
	for name, c := range map[string]struct {
		tale
		role  string
		turn  int
		words string
	}{
		"a design after attempts":    {tale{mode: pdca.Light, say: proofs(2, other)}, "design", 1, "did not pass"},
		"an author after a design":   {tale{mode: pdca.Light, say: proofs(2, other)}, "implement", 3, "a_test.go::TestA"},
		"an architect hears authors": {tale{mode: pdca.Light}, "architect", 1, "The author said"},
		"an architect after a fix":   {tale{mode: pdca.Standard, say: times("reviewer", 1, severe)}, "architect", 2, "line ends are lost"},
		"a reviewer after a fix":     {tale{mode: pdca.Standard, say: times("reviewer", 1, severe)}, "reviewer", 2, "line ends are lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, task := 0, ""
			c.seen = func(in step.Turn) {
				if in.Role == c.role {
					if n++; n == c.turn {
						task = in.Task
					}
				}
			}
			c.end = "passed"
			c.play(t, 0)
			if !strings.Contains(task, c.words) {
				t.Errorf("turn %d of %s has no %q:\n%s", c.turn, c.role, c.words, task)
			}
		})
	}
}
