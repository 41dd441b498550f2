package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestCallbacks: the events of a run are told in the fields of the protocol, each under a key of its own, and the same
// events give the same messages.
func TestCallbacks(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 18, 0, 43, 3, 0, time.FixedZone("", 9*3600))
	note := func(v any) json.RawMessage {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	const branch = "task/TASK-00"
	events := []flow.Event{
		{Seq: 1, Type: flow.EventStart, Key: "requirement/draft/1/try/1/turn"},
		{Seq: 2, Type: flow.EventNote, Key: "planned", Data: note(step.WorkNote{Work: "WORK-07"})},
		{Seq: 3, Type: flow.EventStart, Branch: branch, Key: branch + ":build/2/try/1/turn"},
		{Seq: 4, Type: flow.EventStart, Branch: branch, Key: branch + ":build/2/prove"},
		{Seq: 5, Type: flow.EventNote, Branch: branch, Key: branch + ":build/2/judged", Data: note(step.AttemptNote{Attempt: 2, Findings: []step.Finding{{Rule: "lint"}}, Counts: step.Counts{Total: 3, Passed: 3}})},
		{Seq: 6, Type: flow.EventStart, Branch: branch, Key: branch + ":build/3/land"},
		{Seq: 7, Type: flow.EventNote, Branch: branch, Key: branch + ":result", Data: note(step.TaskResult{
			ID: "TASK-00", Status: step.Success, Commit: "abc", Files: []step.Change{{Path: "a \"b\".go"}}, Handoff: step.Handoff{What: "line\nline"},
		})},
		{Seq: 8, Type: flow.EventNote, Branch: "task/TASK-01", Key: "task/TASK-01:result", Data: note(step.TaskResult{ID: "TASK-01", Status: step.Blocked, Reason: "blocked: x"})},
		{Seq: 9, Type: flow.EventEnd, Branch: branch, Key: branch + ":head"},
	}
	tell := func() string {
		c := report.NewCallbacks("run")
		var b strings.Builder
		keys := map[string]bool{}
		for _, e := range events {
			e.At = at
			for _, m := range c.Apply(e) {
				if keys[m.Key] || m.Seq != e.Seq || !json.Valid(m.Body) {
					t.Errorf("%s of %d: %s", m.Key, m.Seq, m.Body)
				}
				keys[m.Key] = true
				fmt.Fprintf(&b, "%s %s %s\n", m.Kind, m.Key, m.Body)
			}
		}
		return b.String()
	}
	want := `stage run-1-SPECIFIER {"event":"START","stage":"SPECIFIER","taskId":"","workId":""}
stage run-2-PLANNER {"event":"DONE","stage":"PLANNER","taskId":"","workId":"WORK-07"}
stage run-3-BUILDER {"event":"START","stage":"BUILDER","taskId":"TASK-00","workId":"WORK-07"}
progress TASK-00-2026-03-17T15:43:03.000Z-3 {"checklist":[],"currentReasoning":"attempt 2 began","status":"IN_PROGRESS","taskId":"TASK-00","timestamp":"2026-03-17T15:43:03.000Z","workId":"WORK-07"}
stage run-4-VERIFIER {"event":"START","stage":"VERIFIER","taskId":"TASK-00","workId":"WORK-07"}
stage run-5-BUILDER {"event":"DONE","stage":"BUILDER","taskId":"TASK-00","workId":"WORK-07"}
stage run-5-VERIFIER {"event":"FAILED","stage":"VERIFIER","taskId":"TASK-00","workId":"WORK-07"}
progress TASK-00-2026-03-17T15:43:03.000Z-5 {"checklist":[{"item":"tests","done":true},{"item":"checks","done":false}],"currentReasoning":"the checks sent attempt 2 back: 1 findings, 0 failing tests","status":"IN_PROGRESS","taskId":"TASK-00","timestamp":"2026-03-17T15:43:03.000Z","workId":"WORK-07"}
stage run-6-COMMITTER {"event":"START","stage":"COMMITTER","taskId":"TASK-00","workId":"WORK-07"}
stage run-7-COMMITTER {"event":"DONE","stage":"COMMITTER","taskId":"TASK-00","workId":"WORK-07"}
progress TASK-00-2026-03-17T15:43:03.000Z-7 {"checklist":[],"currentReasoning":"","status":"COMPLETED","taskId":"TASK-00","timestamp":"2026-03-17T15:43:03.000Z","workId":"WORK-07"}
task abc {"caution":"","commitHash":"abc","filesChanged":["a \"b\".go"],"incomplete":"","status":"SUCCESS","taskId":"TASK-00","timestamp":"2026-03-17T15:43:03.000Z","what":"line\nline","why":"","workId":"WORK-07"}
stage run-8-COMMITTER {"event":"FAILED","stage":"COMMITTER","taskId":"TASK-01","workId":"WORK-07"}
progress TASK-01-2026-03-17T15:43:03.000Z-8 {"checklist":[],"currentReasoning":"","status":"FAILED","taskId":"TASK-01","timestamp":"2026-03-17T15:43:03.000Z","workId":"WORK-07"}
task run-8 {"caution":"","filesChanged":[],"incomplete":"","reason":"blocked: x","status":"FAILED","taskId":"TASK-01","timestamp":"2026-03-17T15:43:03.000Z","what":"","why":"","workId":"WORK-07"}
`
	got := tell()
	if got != want {
		t.Errorf("told:\n%s\nwant:\n%s", got, want)
	}
	if again := tell(); again != got {
		t.Errorf("told the second time:\n%s", again)
	}
}
