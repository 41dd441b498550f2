package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestVerdictText: the first line of a good verdict does not hide what was seen or not looked at.
func TestVerdictText(t *testing.T) {
	t.Parallel()
	lesser := []check.Fact{{Finding: step.Finding{Rule: "test-weakened", Severity: step.Fix}}}
	late := []string{"tests that the change reaches by way of others: 3 files"}
	proved := "proved: 1 new test fails without the change and passes with it"
	for name, c := range map[string]struct {
		j    check.Judgement
		want string
	}{
		"all was run":        {check.Judgement{Verdict: check.VerdictProved}, proved},
		"some was not":       {check.Judgement{Verdict: check.VerdictProved, NotRun: late}, proved + "; not everything was tried"},
		"tests show less":    {check.Judgement{Verdict: check.VerdictProved, Findings: lesser}, proved + "; but 1 test may check too little"},
		"both":               {check.Judgement{Verdict: check.VerdictProved, Findings: lesser, NotRun: late}, proved + "; but 1 test may check too little; not everything was tried"},
		"a bad one is clear": {check.Judgement{Verdict: check.VerdictUnproved, NotRun: late}, "unproved: no test shows that the change works"},
	} {
		c.j.Red = []check.RedTest{{}}
		if got := verdictText(report.English, act.Judged{Judgement: c.j}); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// TestWorkflowCommands: a text cannot end its annotation and begin another one, or say where it is.
func TestWorkflowCommands(t *testing.T) {
	t.Parallel()
	const evil = "100%\r\n::error file=a,line=1::b"
	if got, want := data(evil), "100%25%0D%0A::error file=a,line=1::b"; got != want {
		t.Errorf("data = %q, want %q", got, want)
	}
	if got, want := property(evil), "100%25%0D%0A%3A%3Aerror file=a%2Cline=1%3A%3Ab"; got != want {
		t.Errorf("property = %q, want %q", got, want)
	}
}

// TestSARIFOfFindingsWithoutAPlace: code scanners refuse all results where one has no place in a file.
func TestSARIFOfFindingsWithoutAPlace(t *testing.T) {
	t.Parallel()
	j := act.Judged{Judgement: check.Judgement{Verdict: check.VerdictUnproved, Findings: []check.Fact{
		{Finding: step.Finding{Rule: "no-test", Message: "No test covers the change."}},
		{Finding: step.Finding{Rule: "lockfile-changed", Path: "go.sum", Message: "The lock file was changed."}},
	}}}
	var b bytes.Buffer
	if err := judgedSARIF(nil, &b, &project{repo: &git.Repo{}}, j); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Contains(text, "no-test") || !strings.Contains(text, `"uri": "go.sum"`) {
		t.Errorf("%s", text)
	}
}

// TestProofsFitInCells: a text of wide characters is broken by the cells that it takes.
func TestProofsFitInCells(t *testing.T) {
	t.Parallel()
	b := folding{width: 11}
	b.columns("✗ ", "  ", "한국어 문장도 나눈다")
	if want := "✗ 한국어\n  문장도\n  나눈다\n"; b.String() != want {
		t.Errorf("it is\n%s\nwant\n%s", b.String(), want)
	}
}
