package flowtest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Ways are the ways of a table of transitions (from, when, to), each once, as "from → to".
func Ways(rows [][3]string) []string {
	var out []string
	for _, r := range rows {
		if w := r[0] + " → " + r[2]; !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Table holds a document to a table of transitions: what stands between its marks is the table, or is written there with
// update.
func Table(t *testing.T, file string, rows [][3]string, update bool) {
	t.Helper()
	const begin, end = "<!-- transitions -->\n", "<!-- end -->\n"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| from | when | to |\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r[0], r[1], r[2])
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	old, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s has no place for the table", file)
	case old == b.String():
	case !update:
		t.Fatalf("the table in %s is not that of the code; run the test with -update", file)
	default:
		if err := os.WriteFile(file, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
