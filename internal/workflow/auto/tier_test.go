package auto_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// noted keeps the mode that the run has said it is in.
func (w *world) noted(n flow.NoteRec) {
	var p step.PhaseNote
	if json.Unmarshal(n.Fact, &p) == nil && p.Mode != "" {
		w.mode = p.Mode
	}
}

// judgeTier looks at the tier that a turn is asked for with.
func (w *world) judgeTier(in step.Turn) {
	w.t.Helper()
	if tier := tierOf(in.Role, w.mode, w.in.Opus); in.Model != tier || !slices.Contains(step.Roles(), in.Role) {
		w.fatalf("%s gets the tier %q in %s, want %q", in.Role, in.Model, w.mode, tier)
	}
	w.asked[in.Role] = true
}

// tierOf is the table of tiers in docs/guides/costs.md, written down once more (A20 25, see TestEveryContradictionHasATest).
func tierOf(role string, m pdca.Mode, opus bool) string {
	switch {
	case role == "estimate", role == "plan" && m == pdca.Light:
		return "low"
	case opus && m == pdca.Heavy && slices.Contains([]string{"design", "implement", "architect", "reviewer"}, role):
		return "high"
	}
	return ""
}

// judgeRoles looks at the account of the roles.
func (w *world) judgeRoles(o step.AutoOut) {
	w.t.Helper()
	calls := 0
	for _, r := range o.Roles {
		calls += r.Calls
		if !w.asked[r.Role] || r.Agent != "dice" || r.Usage.Requests != r.Calls {
			w.fatalf("the account of a role: %+v", r)
		}
	}
	if calls != o.Sessions {
		w.fatalf("%d sessions, and %d of the roles", o.Sessions, calls)
	}
	if warned := slices.ContainsFunc(o.Warnings, func(s string) bool { return strings.HasPrefix(s, "--opus") }); warned != (w.in.Opus && o.Mode != pdca.Heavy) {
		w.fatalf("--opus %v in %s, warnings %v", w.in.Opus, o.Mode, o.Warnings)
	}
}
