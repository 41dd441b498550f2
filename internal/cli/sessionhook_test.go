package cli_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/cli"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestReason: however long findings are, and whatever they quote, the fence around them is closed, no secret is in it, and what to do follows.
func TestReason(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2hunter2"
	var j act.Judged
	j.Verdict = check.VerdictBroken
	for range 7 {
		message := strings.Repeat("장바구니의 합계가 다릅니다 ``` ", 30)
		j.Findings = append(j.Findings, check.Fact{Blocks: true, Finding: step.Finding{
			Rule: "test-broken", Path: "장바구니/" + strings.Repeat("합계", 20) + "_test.go", Line: 4, Message: strings.Repeat("x", 270) + secret + message,
		}})
	}
	for n := range len(j.Findings) + 1 {
		of := j
		of.Findings = j.Findings[:n]
		got := cli.Reason(map[string]string{"SHOP_TOKEN": secret}, of)
		if n == 0 {
			if got != "" {
				t.Errorf("nothing blocks: %q", got)
			}
			continue
		}
		if len(got) > cli.MostReason || !utf8.ValidString(got) || strings.Count(got, "```") != 2 || strings.Contains(got, "hunter2") {
			t.Errorf("%d findings: %d bytes: %s", n, len(got), got)
		}
		if _, after, _ := strings.Cut(got, "\n```\nFix them, or tell the user why they should stay."); !strings.HasSuffix(after, "jacquard prove --quick shows all.") || (n > 5) != strings.Contains(after, "2 more") && n == 7 {
			t.Errorf("%d findings end with: %q", n, after)
		}
	}
}
