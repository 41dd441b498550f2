package cli

import (
	"os"
	"path/filepath"
	"regexp"
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

// TestLabelsHaveKorean: what a line of doctor is about is said in Korean, unless it is the name of a program or a protocol.
func TestLabelsHaveKorean(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:c\.add\(|What: )"([a-z]+)"`).FindAllSubmatch(src, -1) {
			labels[string(m[1])] = true
		}
	}
	if len(labels) < 15 {
		t.Errorf("%d labels, want all of doctor: %v", len(labels), labels)
	}
	for label := range labels {
		if report.Korean.Label(label) == label && label != "git" && label != "mcp" {
			t.Errorf("%s is not said in Korean", label)
		}
		if got := report.Korean.Label(label); report.Width(got) > labelColumn {
			t.Errorf("%s takes %d cells, and its column has %d", got, report.Width(got), labelColumn)
		}
	}
}
