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
		"bug":             {Def: workDef, In: json.RawMessage(`{"request": "x", "tests_first": true, "bug": true}`)},
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
	begun, again := flow.Event{Type: flow.EventStart, Key: "a", At: at(1)}, flow.Event{Type: flow.EventStart, Key: "a", At: at(9)}
	for _, c := range []struct {
		name      string
		events    []flow.Event
		sign, now time.Time
		minutes   int
	}{
		{"waited", append(waited, state(11, "done")), time.Time{}, time.Time{}, 7},
		{"waits", waited[:3], at(2), at(20), 17},
		{"was killed and went on", []flow.Event{state(1, "running"), step, state(6, "running"), state(7, "done")}, time.Time{}, time.Time{}, 4},
		{"was killed", []flow.Event{state(1, "running"), step}, time.Time{}, at(12), 10},
		{"works", waited, time.Time{}, time.Time{}, 7},
		{"was killed in its first turn", []flow.Event{begun}, at(3), at(12), 9},
		{"was killed and began its turn again", []flow.Event{begun, again, state(11, "done")}, time.Time{}, time.Time{}, 8},
		{"was blocked and ended for good", []flow.Event{begun, state(3, "waiting"), state(20, "cancelled")}, time.Time{}, time.Time{}, 17},
		{"waited, with nothing that says that it runs again", []flow.Event{begun, state(3, "waiting"), again, state(11, "done")}, time.Time{}, time.Time{}, 6},
	} {
		if got := stoodStill(c.events, c.sign, c.now); got != time.Duration(c.minutes)*time.Minute {
			t.Errorf("a run that %s stood still for %v, want %d minutes", c.name, got, c.minutes)
		}
	}
}
