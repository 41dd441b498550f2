package cli

import (
	"encoding/json"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// TestCommandOf: a run is called by the command that began it.
func TestCommandOf(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]flow.Run{
		"bug":             {Def: workDef, In: json.RawMessage(`{"request": "x", "tests_first": true}`)},
		"do":              {Def: workDef, In: json.RawMessage(`{"request": "x"}`)},
		"build":           {Def: compileDef, In: json.RawMessage(`{}`)},
		"do --style pdca": {Def: autoDef},
	} {
		if got := commandOf(r); got != want {
			t.Errorf("%s was begun with %q, want %q", r.Def, got, want)
		}
	}
}
