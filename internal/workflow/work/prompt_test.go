package work_test

import (
	"reflect"
	"testing"

	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/work"
)

// TestRenumbered: tasks get ids in the order in which they came, and needs follow; a need of a task that is not there stays
// one, even where its name is the new id of another.
func TestRenumbered(t *testing.T) {
	t.Parallel()
	given := []task.Task{{ID: "b", Title: "  two\nlines  "}, {ID: "a", Needs: []string{"b", "TASK-00"}}, {ID: "b", Needs: []string{"a"}}}
	got := work.Renumbered(given)
	want := []task.Task{
		{ID: "TASK-00", Title: "two lines"},
		{ID: "TASK-01", Needs: []string{"TASK-00", `"TASK-00"`}},
		{ID: "TASK-00", Needs: []string{"TASK-01"}}, // the checker says that it is there twice
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("renumbered\n%v\nwant\n%v", got, want)
	}
	if given[1].Needs[0] != "b" {
		t.Errorf("the answer itself has been changed: %v", given)
	}
	plan := []task.Task{{ID: "a", Title: "x", Files: []task.File{{Path: "a.go", Action: task.Modify}}}, {ID: "b", Title: "x", Needs: []string{"TASK-00"}, Files: []task.File{{Path: "b.go", Action: task.Modify}}}}
	_, _, problems := task.Check(work.Renumbered(plan), task.Facts{Exists: func(string) bool { return true }, Runs: func(string) string { return "" }})
	if want := []task.Problem{{Task: "TASK-01", Text: `it needs "TASK-00", which is not a task of the plan`}}; !reflect.DeepEqual(problems, want) {
		t.Errorf("problems = %v, want %v", problems, want)
	}
}
