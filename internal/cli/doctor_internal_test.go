package cli

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestFolded: a member whose commands all pass has one line in doctor, and one with a finding has all of its lines.
func TestFolded(t *testing.T) {
	t.Parallel()
	line := func(dir, command string, ok bool, tests int) finding {
		return finding{What: "test", OK: ok, Text: command, Check: &step.Standing{Dir: dir, Command: command, Tests: tests}}
	}
	got := folded(report.English, []finding{
		{What: "git", OK: true, Text: "2.39.5"},
		line(".", "make", true, 0), line(".", "make test", true, 4),
		line("a", "go build ./...", true, 0), line("a", "go test ./...", true, 3),
		line("b", "go build ./...", true, 0), line("b", "go vet ./...", false, 0), line("b", "go test ./...", true, 2),
		line("c", "go test ./...", true, 1),
	})
	want := []string{"2.39.5", "make", "make test", "a: go build ./..., go test ./...: all pass, 3 tests", "go build ./...", "go vet ./...", "go test ./...", "go test ./..."}
	for i, f := range got {
		if i >= len(want) || f.Text != want[i] {
			t.Errorf("line %d: %s", i, f.Text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
}
