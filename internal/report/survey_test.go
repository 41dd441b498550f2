package report_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestStanding: a sentence of a tool ends before the time is said, and no time is said that is none.
func TestStanding(t *testing.T) {
	t.Parallel()
	s := step.Standing{Dir: ".", Command: "go test ./...", Purpose: "test", State: step.Useless, Text: "the test runner ran no test.", Millis: 3}
	if got, want := report.Standing(report.English, s), "go test ./...: the test runner ran no test"; got != want {
		t.Errorf("Standing = %q, want %q", got, want)
	}
	s.Millis = 1200
	if got, want := report.Standing(report.English, s), "go test ./...: the test runner ran no test, 1.2s"; got != want {
		t.Errorf("Standing = %q, want %q", got, want)
	}
}
