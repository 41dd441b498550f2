package turn_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"APPROVE": "APPROVE", " **approve** ": "APPROVE", "VERDICT: REJECT": "REJECT", "## VERDICT： APPROVE\nDOMAIN: test": "APPROVE", "REJECT.": "REJECT",
		"VERDICT: APPROVE or VERDICT: REJECT": "", "VERDICT: APPROVE 또는 REJECT": "", "VERDICT: APPROVE\nVERDICT: REJECT": "", "I approve": "", "": "", "APPROVED": "APPROVE", "rejected": "REJECT", "DISAPPROVE": "",
		"VERDICT: APPROVE | REJECT": "", "VERDICT: maybe\nVERDICT: APPROVE": "", "VERDICT: APPROVE\nVERDICT: APPROVE": "APPROVE",
	} {
		got, ok := turn.Verdict(text, "APPROVE", "REJECT")
		if got != want || ok != (want != "") {
			t.Errorf("Verdict(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}
