package flowtest

import (
	"errors"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

func gated() flow.Runnable {
	return define("w", func(c *flow.Ctx) (flow.Answer, error) {
		if _, err := flow.Do(c, "plan", work, "plan"); err != nil {
			return flow.Answer{}, err
		}
		return flow.Ask(c, "gate", flow.Question{Text: "go on?", Tree: "abc"})
	})
}

func gateAcrossRuntimes(t *testing.T, outer *lab) {
	t.Helper()
	for verb, out := range map[string]string{
		flow.Approve: `{"verb":"approve","text":"fine","by":"kim","tree":"abc"}`,
		flow.Reject:  `{"verb":"reject","text":"fine","by":"kim","tree":"abc"}`,
		flow.Reply:   `{"verb":"answer","text":"fine","by":"kim","tree":"abc"}`,
	} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			l := outer.fresh(t)
			o := Options{Workflows: []flow.Runnable{gated()}, Handlers: []flow.Handler{l.worker()}}
			first := l.begin(o, "null")
			st := l.drive(first)
			l.want(st, flow.Waiting, "")
			if len(st.Gates) != 1 || st.Gates[0].Key != "gate" || st.Gates[0].Question.Tree != "abc" {
				t.Fatalf("gates = %+v", st.Gates)
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			// No driver is alive: the answer is stored. Twice is once.
			person := l.runtime(o)
			rs, err := person.Runs(t.Context())
			if err != nil || len(rs) != 1 || rs[0].State != flow.Waiting || len(rs[0].Gates) != 1 || rs[0].Gates[0].Question.Text != "go on?" {
				t.Fatalf("runs = %+v, %v", rs, err)
			}
			s := flow.Signal{Verb: verb, Gate: "gate", Tree: "abc", Text: "fine", By: "kim"}
			l.signal(person, s)
			l.signal(person, s)
			other := flow.Signal{Verb: flow.Reject, Gate: "gate", Tree: "abc", Text: "no!"}
			if err := person.Signal(t.Context(), run, other); !errors.Is(err, flow.ErrNoGate) {
				t.Errorf("second answer = %v, want ErrNoGate", err)
			}
			last := l.runtime(o)
			l.want(l.drive(last), flow.Done, out)
			if n := counted(keys(l.events(last), flow.EventAnswer))["gate"]; n != 1 {
				t.Errorf("answers = %d, want 1", n)
			}
			l.signal(last, s) // the same one after the end is nothing
			l.wantCalls(map[string]int{"plan": 1})
		})
	}
}

func gateWhileDriven(t *testing.T, l *lab) {
	t.Helper()
	release := make(chan struct{})
	w := define("w", func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "p", []string{"long", "gate"}, self, func(c *flow.Ctx, item string) (string, error) {
			if item == "long" {
				return flow.Do(c, "x", work, "x")
			}
			a, err := flow.Ask(c, "q", flow.Question{Text: "?"})
			return a.Verb, err
		})
	})
	o := Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.blocker(release)}}
	d := l.background(l.begin(o, "null"))
	other := l.runtime(o)
	l.eventually("the gate is open", func() bool { return len(keys(l.events(other), flow.EventGate)) == 1 })
	l.signal(other, flow.Signal{Verb: flow.Approve, Gate: "p/gate:q"})
	l.eventually("the answer is seen while a step runs", func() bool { return len(keys(l.events(other), flow.EventAnswer)) == 1 })
	close(release)
	l.want(d.wait(), flow.Done, `["x!","approve"]`)
}

func badSignals(t *testing.T, l *lab) {
	t.Helper()
	o := Options{Workflows: []flow.Runnable{gated()}, Handlers: []flow.Handler{l.worker()}}
	rt := l.begin(o, "null")
	l.want(l.drive(rt), flow.Waiting, "")
	for name, c := range map[string]struct {
		run  string
		s    flow.Signal
		want error
	}{
		"wrong tree":   {run, flow.Signal{Verb: flow.Approve, Gate: "gate", Tree: "abd"}, flow.ErrTree},
		"no tree":      {run, flow.Signal{Verb: flow.Approve, Gate: "gate"}, flow.ErrTree},
		"unknown gate": {run, flow.Signal{Verb: flow.Approve, Gate: "plan"}, flow.ErrNoGate},
		"unknown run":  {"r9", flow.Signal{Verb: flow.CancelRun}, flow.ErrNoRun},
		"no gate":      {run, flow.Signal{Verb: flow.Approve}, nil},
		"unknown verb": {run, flow.Signal{Verb: "nod", Gate: "gate", Tree: "abc"}, nil},
		"timeout":      {run, flow.Signal{Verb: "timeout", Gate: "gate", Tree: "abc"}, nil},
	} {
		err := rt.Signal(t.Context(), c.run, c.s)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: signal = %v, want %v", name, err, c.want)
		}
	}
	l.want(l.drive(rt), flow.Waiting, "")
}

// sleeper does a step, sleeps, and does another one.
func sleeper(d time.Duration) flow.Runnable {
	return define("w", func(c *flow.Ctx) (string, error) {
		if _, err := flow.Do(c, "a", work, "a"); err != nil {
			return "", err
		}
		if err := flow.Until(c, "sleep", c.Now().Add(d)); err != nil {
			return "", err
		}
		_, err := flow.Do(c, "b", work, "b")
		return c.Now().Format(time.TimeOnly), err
	})
}

func nearTimer(t *testing.T, l *lab) {
	t.Helper()
	o := Options{Workflows: []flow.Runnable{sleeper(10 * time.Minute)}, Handlers: []flow.Handler{l.worker()}, MaxWait: time.Hour}
	at := l.clock.Now().Add(10 * time.Minute)
	d := l.background(l.begin(o, "null"))
	l.eventually("the driver waits", func() bool { return l.clock.Waiting(at) > 0 })
	l.wantCalls(map[string]int{"a": 1})
	l.clock.Advance(10 * time.Minute)
	l.want(d.wait(), flow.Done, `"03:14:05"`)
	l.wantCalls(map[string]int{"a": 1, "b": 1})
}

func farTimer(t *testing.T, l *lab) {
	t.Helper()
	o := Options{Workflows: []flow.Runnable{sleeper(72 * time.Hour)}, Handlers: []flow.Handler{l.worker()}, MaxWait: time.Hour}
	rt := l.begin(o, "null")
	at := l.clock.Now().Add(72 * time.Hour)
	for range 2 {
		st := l.drive(rt)
		l.want(st, flow.Parked, "")
		if !st.ResumeAt.Equal(at) {
			t.Fatalf("resume at %v, want %v", st.ResumeAt, at)
		}
		l.clock.Advance(30 * time.Hour)
	}
	l.clock.Advance(24 * time.Hour)
	l.want(l.drive(l.runtime(o)), flow.Done, `"15:04:05"`)
	l.wantCalls(map[string]int{"a": 1, "b": 1})
}

// timerDoesNotMove stops drivers while they wait: the deadline that was
// derived from Now is the same for each of them.
func timerDoesNotMove(t *testing.T, l *lab) {
	t.Helper()
	o := Options{Workflows: []flow.Runnable{sleeper(10 * time.Minute)}, Handlers: []flow.Handler{l.worker()}, MaxWait: time.Hour}
	at := l.clock.Now().Add(10 * time.Minute)
	rt := l.begin(o, "null")
	for range 3 {
		before := l.clock.Waiting(at)
		d := l.background(rt)
		l.eventually("the driver waits for the same time", func() bool { return l.clock.Waiting(at) > before })
		d.stop()
		l.want(d.wait(), flow.Interrupted, "")
		l.clock.Advance(3 * time.Minute)
		rt = l.runtime(o)
	}
	l.clock.Advance(time.Minute)
	l.want(l.drive(rt), flow.Done, `"03:14:05"`)
}
