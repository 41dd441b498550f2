package act_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/target"
)

// TestRenamed: an item keeps its tests under another heading only where it is certain to be the same: the same words once before and once
// now, as the same kind of clause, and no export is the heading, came or went.
func TestRenamed(t *testing.T) {
	t.Parallel()
	const exports = "# a\n\n## Purpose\n\nAdds.\n\n## Exports\n\n- `Add(n int) int`\n- `Sub(n int) int`\n\n## Behavior\n\n### Success\n\n- `Add(2)` → 4\n\n## Contract\n\n"
	read := func(text string) *spec.Document {
		doc, _ := spec.Parse("a/CLAUDE.md", []byte(text))
		return doc
	}
	for name, c := range map[string]struct {
		before, now string
		kept        bool
	}{
		"a heading of words":         {"#### Rounding\n\n- **Preconditions**: n is even\n", "#### How it rounds\n\n- **Preconditions**: n is even\n", true},
		"another clause":             {"#### Rounding\n\n- **Preconditions**: n is even\n", "#### How it rounds\n\n- **Postconditions**: n is even\n", false},
		"other words":                {"#### Rounding\n\n- **Preconditions**: n is even\n", "#### How it rounds\n\n- **Preconditions**: n is odd\n", false},
		"of an export to another":    {"#### Add\n\n- **Preconditions**: n is even\n", "#### Sub\n\n- **Preconditions**: n is even\n", false},
		"of an export to words":      {"#### Add\n\n- **Preconditions**: n is even\n", "#### Rounding\n\n- **Preconditions**: n is even\n", false},
		"the same words under two":   {"#### Rounding\n\n- **Preconditions**: n is even\n", "#### One\n\n- **Preconditions**: n is even\n\n#### Two\n\n- **Preconditions**: n is even\n", false},
		"one of two is the same now": {"#### One\n\n- **Preconditions**: n is even\n\n#### Two\n\n- **Preconditions**: n is even\n", "#### One\n\n- **Preconditions**: n is even\n\n#### Three\n\n- **Preconditions**: n is even\n", true},
	} {
		old := target.Entry{Items: map[string]string{}, Covers: map[string][]string{}}
		var clause string
		for _, it := range spec.Items(read(exports + c.before)) {
			old.Items[it.ID] = it.Hash
			if it.Kind == spec.ItemContract {
				clause = it.ID // the last
			}
		}
		if clause == "" {
			t.Fatalf("%s: the document has no clause", name)
		}
		old.Covers["a_test.go::TestEven"] = []string{clause}
		doc := read(exports + c.now)
		got := act.Renamed(old, doc)
		id := got.Covers["a_test.go::TestEven"][0]
		there := slices.ContainsFunc(spec.Items(doc), func(it spec.Item) bool { return it.ID == id && got.Items[id] == it.Hash })
		if there != c.kept {
			t.Errorf("%s: the test covers %s of %v, which is there: %v", name, id, slices.Sorted(maps.Keys(got.Items)), there)
		}
		if old.Covers["a_test.go::TestEven"][0] != clause {
			t.Errorf("%s: the record itself was changed", name)
		}
	}
}
