package turn_test

import (
	"fmt"
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// TestUntouched: a planned file that has not changed goes back once; one that was to go and is still there needs a person.
func TestUntouched(t *testing.T) {
	t.Parallel()
	planned := []task.File{{Path: "a.go", Action: task.Modify}, {Path: "b.go", Action: task.Create}, {Path: "c.go", Action: task.Delete}, {Path: "d.go", Action: task.Delete}}
	got := ""
	for _, f := range turn.Untouched(planned, []step.Change{{Path: "a.go", Status: "M"}, {Path: "d.go", Status: "D"}}) {
		got += fmt.Sprint(f.Rule, " ", f.Path, " ", f.Severity, "; ")
	}
	if want := "planned-file b.go fix; planned-file c.go ask; "; got != want {
		t.Errorf("untouched are %q, want %q", got, want)
	}
}
