package auto_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/auto"
)

var update = flag.Bool("update", false, "write the table of docs/internals/pdca.md")

// taken are the ways that a run took, from the notes of its phases in their order.
func taken(r played) []string {
	if r.Err != nil || r.out.End.Reason == "" {
		return nil
	}
	at, out := "estimate", []string(nil)
	for _, key := range r.Order {
		if i := strings.LastIndex(key, "enter-"); i >= 0 {
			var n step.PhaseNote
			if json.Unmarshal([]byte(r.Notes[key]), &n) == nil && (n.Phase != "report" || r.out.Verified) {
				out = append(out, at+" → "+n.Phase)
				at = n.Phase
			}
		}
	}
	if r.out.End.Reason != "passed" {
		out = append(out, at+" → "+r.out.End.Reason)
	}
	return out
}

// ways are those of the table.
func ways() []string { return flowtest.Ways(rows()) }

func rows() [][]string {
	var out [][]string
	for _, x := range auto.Transitions {
		out = append(out, []string{x.From, x.When, x.To})
	}
	return out
}

// TestTable: docs/internals/pdca.md has the table of the code.
func TestTable(t *testing.T) {
	t.Parallel()
	flowtest.Table(t, "../../../docs/internals/pdca.md", "transitions", append([][]string{{"from", "when", "to"}}, rows()...), *update)
}
