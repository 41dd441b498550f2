package flowtest

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// tables are written one at a time: a document may have several.
var tables sync.Mutex

// Ways are the ways of a table of transitions (from, when, to), each once, as "from → to".
func Ways(rows [][]string) []string {
	var out []string
	for _, r := range rows {
		if w := r[0] + " → " + r[2]; !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Table holds a document to a table, whose first row is its head: what stands between the marks of a name is the table, or
// is written there with update.
func Table(t *testing.T, file, name string, rows [][]string, update bool) {
	t.Helper()
	tables.Lock()
	defer tables.Unlock()
	begin, end := "<!-- "+name+" -->\n", "<!-- end -->\n"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, r := range rows {
		b.WriteString("| " + strings.Join(r, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(r)) + "|\n")
		}
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	old, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s has no place for the table %s", file, name)
	case old == b.String():
	case !update:
		t.Fatalf("the table %s in %s is not that of the code; run the test with -update", name, file)
	default:
		if err := os.WriteFile(file, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
