package auto_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/auto"
)

var update = flag.Bool("update", false, "write the table of docs/auto.md")

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
func ways() []string {
	var out []string
	for _, t := range auto.Transitions {
		if w := t.From + " → " + t.To; !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// TestTable: docs/auto.md has the table of the code.
func TestTable(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../../docs/auto.md", "<!-- transitions -->\n", "<!-- end -->\n"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| from | when | to |\n|---|---|---|\n")
	for _, x := range auto.Transitions {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", x.From, x.When, x.To)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	if old == b.String() {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is not that of the code; go test ./internal/workflow/auto -run TestTable -update", file)
	}
	if err := os.WriteFile(file, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
