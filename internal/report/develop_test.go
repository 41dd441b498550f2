package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestDevelopState: the state file and the live view follow the notes of a run, and a design that goes back forgets its
// checkpoints.
func TestDevelopState(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := report.New(flow.Run{ID: "x", Def: "develop", Started: start, In: raw(t, step.DevelopIn{Request: "Expire sessions\n  after an hour " + strings.Repeat("가", 200)})})
	if got := []rune(r.Develop.Feature); !strings.HasPrefix(string(got), "Expire sessions after an hour 가") || len(got) > 120 || r.Develop.Phase != checkpoint.DesignPhase {
		t.Errorf("it begins as %+v", r.Develop)
	}
	seq := int64(0)
	apply := func(kind flow.EventType, key, branch string, v any) {
		seq++
		r.Apply(flow.Event{Seq: seq, At: start.Add(time.Minute), Type: kind, Key: key, Branch: branch, Data: raw(t, v)})
	}
	note := func(key, branch string, n step.DevelopNote) { apply(flow.EventNote, key, branch, n) }
	note("planned", "", step.DevelopNote{Checkpoints: []step.TaskLine{{ID: "cp-1", Title: "One"}, {ID: "cp-2", Title: "Two", Needs: []string{"cp-1"}}}})
	note("strategy", "", step.DevelopNote{Strategy: checkpoint.Subagent})
	note("enter-implement", "", step.DevelopNote{Phase: checkpoint.Implement, Feature: "sessions"})
	note("task/cp-1:round/1/try/2/progress-in_progress", "task/cp-1", step.DevelopNote{Progress: &checkpoint.Progress{ID: "cp-1", Status: checkpoint.InProgress, Iteration: 2}})
	apply(flow.EventStart, "task/cp-1:round/1/try/2/as/implement/try/1/turn", "task/cp-1", nil)
	if got := r.Develop.Line(); got != "cp-1 in_progress (iter 2/3), cp-2 pending" || r.Develop.Strategy != checkpoint.Subagent {
		t.Errorf("the state is %q (%s)", got, r.Develop.Strategy)
	}
	live := report.Live("en", r, "do · run r", 80, 20, start.Add(2*time.Minute), false)
	if !strings.Contains(live, "  cp-1 IMPLEMENT  agent starting  ") || !strings.Contains(live, "  cp-2            waits for cp-1\n") || !strings.Contains(live, "do · run r · sessions · IMPLEMENT · 2m00s") || !strings.Contains(live, "\n0 done, 1 running, 1 waiting\n") {
		t.Errorf("the live view is\n%s", live)
	}
	note("enter-design", "", step.DevelopNote{Phase: checkpoint.DesignPhase})
	apply(flow.EventStart, "design/round/2/write/1/as/design/try/1/turn", "", nil)
	if live = report.Live("en", r, "do · run r", 80, 20, start.Add(2*time.Minute), false); len(r.Develop.Checkpoints) != 0 || !strings.Contains(live, "do · run r · sessions · DESIGN · ") {
		t.Errorf("after the design went back: %v\n%s", r.Develop.Checkpoints, live)
	}
}
