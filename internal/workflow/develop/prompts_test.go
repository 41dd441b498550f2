package develop_test

import (
	"fmt"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestPromptBytes: docs/internals/develop.md has what a run reads and calls when all goes well.
func TestPromptBytes(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"run", "turns", "bytes of instructions, all turns", "the longest"}}
	for _, x := range []struct {
		name  string
		parts int
		panel []string
	}{{"one checkpoint", 1, nil}, {"four checkpoints", 4, nil}, {"four checkpoints, a panel of three", 4, []string{"a", "b", "c"}}} {
		turns, bytes, most := 0, 0, 0
		tale{parts: x.parts, panel: x.panel, end: "passed", seen: func(in step.Turn) {
			turns++
			bytes += len(in.Instructions)
			most = max(most, len(in.Instructions))
		}}.play(t, 0)
		rows = append(rows, []string{x.name, fmt.Sprint(turns), fmt.Sprint(bytes), fmt.Sprint(most)})
	}
	flowtest.Table(t, "../../../docs/internals/develop.md", "prompts", rows, *update)
}
