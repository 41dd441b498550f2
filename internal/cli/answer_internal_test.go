package cli

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// TestNamed: the first word of an answer names a run where it is its id, or a prefix that more words follow.
func TestNamed(t *testing.T) {
	t.Parallel()
	runs := []flow.Run{{ID: "2kdoabcd", Gates: []flow.Gate{{Key: "plan"}}}, {ID: "notabcde", Gates: []flow.Gate{{Key: "plan"}}}, {ID: "34abcdef"}, {ID: "yesabcde", Gates: []flow.Gate{{Key: "plan"}}}}
	for _, c := range []struct {
		word string
		more bool
		want bool
	}{
		{"2k", true, true},
		{"no", true, false}, // the beginning of an answer
		{"yes", true, false},
		{"not", true, true},
		{"2kdoabcd", false, true},
		{"34abcdef", true, true},
		{"34a", true, true},
		{"2k", false, false}, // the whole answer
		{"no", false, false},
		{"34", true, false}, // it asks nothing
		{"2", true, false},
		{"3", true, false},
		{"", true, false},
		{"per", true, false},
	} {
		if got := named(runs, c.word, c.more); got != c.want {
			t.Errorf("%q with more words: %t; it names a run: %t", c.word, c.more, got)
		}
	}
}
