package turn

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
)

// TestSameAgain: numbers that change from run to run make no other failure, those of a call do.
func TestSameAgain(t *testing.T) {
	t.Parallel()
	sent := func(rule, message string) Sent {
		return Sent{Findings: []step.Finding{{Rule: rule, Severity: step.Rejects, Message: message}}}
	}
	for _, c := range []struct {
		rule, was, is string
		same          bool
	}{
		{"build-failed", "line 3 is wrong", "line 5 is wrong", true},
		{"held-out-failed", "mean(40) → 2. It gives: 1.", "mean(40) → 2. It gives: 1.", true},
		{"held-out-failed", "mean(40) → 2. It gives: 1.", "mean(35) → 2. It gives: 1.", false},
		{"example-failed", "mean(40) is 2", "mean(40) is 3", false},
	} {
		if got := sent(c.rule, c.is).as(sent(c.rule, c.was)); got != c.same {
			t.Errorf("%s after %s: the same = %v", c.is, c.was, got)
		}
	}
}
