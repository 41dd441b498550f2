package act_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/act"
)

// TestPointsTo: a document that is nothing but the name of another one that is there says nothing.
func TestPointsTo(t *testing.T) {
	t.Parallel()
	there := map[string]string{"CLAUDE.md": "@AGENTS.md", "AGENTS.md": "Use tabs."}
	for text, want := range map[string]bool{"AGENTS.md": true, "@AGENTS.md": true, "@./AGENTS.md\n": true, "@OTHER.md": false, "See AGENTS.md, and use spaces.": false, "Use tabs.": false} {
		if got := act.PointsTo(text, there); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
