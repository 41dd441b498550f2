package cli

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// TestCommandOf: a run is called by the command that began it.
func TestCommandOf(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]flow.Run{
		"bug":             {Def: workDef, In: json.RawMessage(`{"request": "x", "tests_first": true}`)},
		"do":              {Def: workDef, In: json.RawMessage(`{"request": "x"}`)},
		"build":           {Def: compileDef, In: json.RawMessage(`{}`)},
		"do --style pdca": {Def: autoDef},
	} {
		if got := commandOf(r); got != want {
			t.Errorf("%s was begun with %q, want %q", r.Def, got, want)
		}
	}
}

// TestStoodStill: the time that a run takes is without that in which it waited, or nobody drove it.
func TestStoodStill(t *testing.T) {
	t.Parallel()
	at := func(minute int) time.Time { return time.Unix(int64(minute*60), 0) }
	state := func(minute int, name string) flow.Event {
		return flow.Event{Type: flow.EventRun, At: at(minute), Data: json.RawMessage(`{"state": "` + name + `"}`)}
	}
	step := flow.Event{Type: flow.EventStart, At: at(2)}
	waited := []flow.Event{state(1, "running"), step, state(3, "waiting"), {Type: flow.EventAnswer, At: at(9)}, state(10, "running")}
	for _, c := range []struct {
		name    string
		events  []flow.Event
		now     time.Time
		minutes int
	}{
		{"waited", append(waited, state(11, "done")), time.Time{}, 7},
		{"waits", waited[:3], at(20), 17},
		{"was killed and went on", []flow.Event{state(1, "running"), step, state(6, "running"), state(7, "done")}, time.Time{}, 4},
		{"was killed", []flow.Event{state(1, "running"), step}, at(12), 10},
		{"works", waited, time.Time{}, 7},
	} {
		if got := stoodStill(c.events, c.now); got != time.Duration(c.minutes)*time.Minute {
			t.Errorf("a run that %s stood still for %v, want %d minutes", c.name, got, c.minutes)
		}
	}
}
