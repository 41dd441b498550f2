package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestActivities: from the first second it is seen who is at work, on what, and how long he has said nothing; also what concerns no task.
func TestActivities(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	r := report.New(flow.Run{ID: "r", Def: "work", State: flow.Running, Started: start})
	seq := int64(0)
	apply := func(kind flow.EventType, key, branch string, after time.Duration, v any) {
		t.Helper()
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if seq++; kind == flow.EventProgress { // which no journal has
			seq--
		}
		r.Apply(flow.Event{Seq: seq, At: start.Add(after), Type: kind, Key: key, Branch: branch, Data: raw})
	}
	live := func(after time.Duration) string {
		return report.Live("en", r, "do · run r", 80, 24, start.Add(after), false)
	}
	has := func(text string, wants ...string) {
		t.Helper()
		for _, w := range wants {
			if !strings.Contains(text, w) {
				t.Errorf("there is no %q in\n%s", w, text)
			}
		}
	}
	const plan, build = "requirement/draft/1/try/1/turn", "task/TASK-00:build/2/try/1/turn"
	apply(flow.EventStart, plan, "", time.Second, nil)
	has(live(3*time.Second), "  REQUIREMENT  agent starting", " 2.0s\n", "0 done, 1 running")
	apply(flow.EventProgress, plan, "", 3*time.Second, step.Heard{Kind: step.HeardCommand, Text: "setup: npm ci"})
	has(live(3*time.Second), "  REQUIREMENT  setup: npm ci ")
	apply(flow.EventProgress, plan, "", 3*time.Second, step.Heard{Kind: "started"})
	has(live(4*time.Second), "  REQUIREMENT  waiting for the model ")
	apply(flow.EventProgress, plan, "", 4*time.Second, step.Heard{Kind: "tool_start", Tool: "Read", Text: "/tmp/clones/x/src/cart/cart.go"})
	has(live(5*time.Second), "reads src/cart/cart.go")
	apply(flow.EventEnd, plan, "", 9*time.Second, nil)
	apply(flow.EventStart, build, "task/TASK-00", 10*time.Second, nil)
	apply(flow.EventProgress, build, "task/TASK-00", 12*time.Second, step.Heard{Kind: "tool_start", Tool: "Bash", Text: "go test\n./..."})
	apply(flow.EventProgress, build, "task/TASK-00", 13*time.Second, step.Heard{Kind: "tool_end", Tool: "Bash"})
	has(live(20*time.Second), "  TASK-00 BUILD 2  runs go test ./... ")
	has(live(3*time.Minute), "silent for 2m47s  2m50s")
	said := map[string]string{}
	if text := report.Doing("en", r, said, false); text != "" {
		t.Errorf("without being asked it says what an agent does: %s", text)
	}
	const install = "task/TASK-09:build/1/try/1/turn"
	apply(flow.EventStart, install, "task/TASK-09", 20*time.Second, nil)
	apply(flow.EventProgress, install, "task/TASK-09", 20*time.Second, step.Heard{Kind: step.HeardCommand, Text: "setup: npm ci"})
	if text := report.Doing("en", r, said, false) + report.Doing("en", r, said, false); text != "    TASK-09 BUILD: setup: npm ci\n" {
		t.Errorf("of an installation it says %q", text)
	}
	apply(flow.EventEnd, install, "task/TASK-09", 20*time.Second, nil)
	has(report.Beat("en", r, start.Add(40*time.Second)), "  … TASK-00 BUILD 2: runs go test ./... for 30s\n")
	r.Spent = "$1.20 of $20.00"
	has(live(time.Minute), "$1.20 of $20.00")
	apply(flow.EventEnd, build, "task/TASK-00", 4*time.Minute, nil)
	apply(flow.EventStart, "task/TASK-00:build/2/prove", "task/TASK-00", 4*time.Minute, nil)
	has(live(5*time.Minute), "running build, lint, tests")
	apply(flow.EventProgress, "task/TASK-00:build/2/prove", "task/TASK-00", 4*time.Minute, step.Heard{Kind: step.HeardCommand, Text: "test: go test -race ./..."})
	has(live(5*time.Minute), "  TASK-00 BUILD 2  test: go test -race ./... ")
	apply(flow.EventNote, "task/TASK-00:build/3/try/1/parked", "task/TASK-00", 5*time.Minute, step.Pause{Until: start.Add(time.Hour), Try: 2, Of: 5, Why: "cannot reach it"})
	if r.Pause == nil || r.Pause.Why != "cannot reach it" {
		t.Errorf("the pause is %+v", r.Pause)
	}
	has(live(5*time.Minute), "  TASK-00 BUILD 3  cannot reach it; retry 2 of 5 at ", "\n0 done, 1 running, 1 waiting\n")
	apply(flow.EventStart, "task/TASK-00:build/3/try/2/turn", "task/TASK-00", 5*time.Minute, nil)
	has(live(5*time.Minute), "  TASK-00 BUILD 3  agent starting", "\n0 done, 2 running, 0 waiting\n")
	apply(flow.EventGate, "task/TASK-01:build/1/repair", "task/TASK-01", 5*time.Minute, flow.Question{Text: "no key\x1b[2J\nset one", Class: flow.Auth})
	has(live(5*time.Minute), "  TASK-01 BUILD    waits for you: no key�[2J ", "\n0 done, 2 running, 1 waiting\n")
	apply(flow.EventRun, "", "", 5*time.Minute, map[string]string{"state": "waiting"})
	has(live(5*time.Minute), "waits for you: no key") // it stays until it is answered
	apply(flow.EventStart, "task/TASK-00:build/3/try/2/turn", "task/TASK-00", 5*time.Minute, nil)
	apply(flow.EventStart, "task/TASK-00:build/2/prove", "task/TASK-00", 5*time.Minute, nil)
	apply(flow.EventAnswer, "task/TASK-01:build/1/repair", "task/TASK-01", 5*time.Minute, nil)
	has(live(5*time.Minute), "\n0 done, 2 running, 0 waiting\n")
	has(report.Paused("en", "TASK-00", *r.Pause), "⟳ TASK-00: cannot reach it; retry 2 of 5 at ")
	apply(flow.EventRun, "", "", 6*time.Minute, map[string]string{"state": "interrupted"})
	if text := report.Beat("en", r, start.Add(7*time.Minute)); text != "" || len(r.Activities()) > 0 {
		t.Errorf("what nobody drives is at work: %s", text)
	}
}
