package flowtest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// undoable has a branch at work, one behind it in the lane, and one at a gate;
// each cleans up, and the workflow tells what each one got.
func undoable() flow.Runnable {
	undo := flow.Step[string, string]{Name: "undo"}
	return define("w", func(c *flow.Ctx) ([]string, error) {
		rs, _ := flow.All(c, "p", []string{"runs", "queued", "gate", "timer"}, self, func(c *flow.Ctx, item string) (out string, _ error) {
			var err error
			switch item {
			case "gate":
				_, err = flow.Ask(c, "q", flow.Question{Text: "?"})
			case "timer":
				err = flow.Until(c, "t", c.Now().AddDate(0, 0, 9))
			default:
				_, err = flow.Do(c, "x", work, item)
			}
			what := "ended"
			if errors.Is(err, flow.ErrCancelled) {
				what = "cancelled"
			}
			if err == nil || !c.Cancelled() {
				return item + " " + what, nil
			}
			// Parallel cleanup, which still asks for steps, gates and timers.
			us, err := flow.All(c.Cleanup(), "undo", []string{"1", "2"}, self, func(c *flow.Ctx, n string) (string, error) {
				if late := flow.Until(c, "soon", c.Now()); late != nil {
					return "", late
				}
				return flow.Do(c, "u", undo, n)
			})
			if err != nil {
				return "", err
			}
			return item + " " + what + " " + us[0] + us[1], nil
		})
		return rs, nil
	})
}

func (l *lab) undoer() flow.Handler {
	return flow.Handle(flow.Step[string, string]{Name: "undo"}, func(_ context.Context, j flow.Job, in string) (string, error) {
		l.called(j)
		return "undone" + in, nil
	})
}

func undone(branches ...string) map[string]int {
	out := map[string]int{}
	for _, b := range branches {
		out["p/"+b+":undo/1:u"], out["p/"+b+":undo/2:u"] = 1, 1
	}
	return out
}

const allCancelled = `["runs cancelled undone1undone2","queued cancelled undone1undone2","gate cancelled undone1undone2","timer cancelled undone1undone2"]`

func cancelBefore(t *testing.T, l *lab) {
	t.Helper()
	o := Options{Workflows: []flow.Runnable{undoable()}, Handlers: []flow.Handler{l.worker(), l.undoer()}}
	rt := l.begin(o, "null")
	l.signal(rt, flow.Signal{Verb: flow.CancelRun})
	l.want(l.drive(rt), flow.CancelledOK, allCancelled)
	l.wantCalls(undone("runs", "queued", "gate", "timer"))
	l.want(l.drive(l.runtime(o)), flow.CancelledOK, allCancelled)
}

func cancelRunning(t *testing.T, l *lab) {
	t.Helper()
	o := Options{
		Workflows: []flow.Runnable{undoable()}, Handlers: []flow.Handler{l.blocker(nil), l.undoer()},
		Limits: flow.Limits{Lanes: map[string]int{"work": 1}},
	}
	d := l.background(l.begin(o, "null"))
	l.eventually("the first one is at work", func() bool { return l.count("p/runs:x") == 1 })
	other := l.runtime(o)
	l.signal(other, flow.Signal{Verb: flow.CancelRun})
	l.signal(other, flow.Signal{Verb: flow.CancelRun, By: "somebody else"})
	l.want(d.wait(), flow.CancelledOK, allCancelled)
	want := undone("runs", "queued", "gate", "timer")
	want["p/runs:x"] = 1
	l.wantCalls(want)
	rs, err := other.Runs(t.Context())
	if err != nil || rs[0].State != flow.CancelledOK || len(rs[0].Gates) != 0 {
		t.Errorf("runs = %+v, %v", rs, err)
	}
	if err := other.Signal(t.Context(), run, flow.Signal{Verb: flow.Approve, Gate: "p/gate:q"}); !errors.Is(err, flow.ErrNoGate) {
		t.Errorf("approve after the cancel = %v, want ErrNoGate", err)
	}
}

// cancelManyRunning cancels a run with many steps at work, which then cleans up: what they were told is in an order that
// whoever goes on with the run finds again.
func cancelManyRunning(t *testing.T, l *lab) {
	t.Helper()
	undo := flow.Step[string, string]{Name: "undo"}
	calls, want := map[string]int{"undo": 1}, []string{}
	var items []string
	for i := range 40 {
		items = append(items, strconv.Itoa(i))
		calls["p/"+items[i]+":x"] = 1
		want = append(want, `"cancelled"`)
	}
	w := define("w", func(c *flow.Ctx) ([]string, error) {
		rs, err := flow.All(c, "p", items, self, func(c *flow.Ctx, item string) (string, error) {
			_, err := flow.Do(c, "x", work, item)
			return string(flow.ClassOf(err)), nil
		})
		if err == nil {
			_, err = flow.Do(c.Cleanup(), "undo", undo, "all")
		}
		return rs, err
	})
	o := Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.blocker(nil), l.undoer()}}
	d := l.background(l.begin(o, "null"))
	l.eventually("all are at work", func() bool {
		n := 0
		for _, i := range items {
			n += l.count("p/" + i + ":x")
		}
		return n == len(items)
	})
	l.signal(l.runtime(o), flow.Signal{Verb: flow.CancelRun})
	l.want(d.wait(), flow.CancelledOK, "["+strings.Join(want, ",")+"]")
	l.wantCalls(calls)
}

// cancelledStarted cancels a run whose started steps lost their driver and wait
// for the lane: they are brought to their end, and what just succeeded counts.
func cancelledStarted(t *testing.T, l *lab) {
	t.Helper()
	w := define("w", func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "p", []string{"a", "b"}, self, func(c *flow.Ctx, item string) (string, error) {
			v, err := flow.Do(c, "x", work, item)
			if err != nil {
				return string(flow.ClassOf(err)), nil
			}
			return v, nil
		})
	})
	o := Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.blocker(nil)}}
	d := l.background(l.begin(o, "null"))
	l.eventually("both are at work", func() bool { return l.count("p/a:x")+l.count("p/b:x") == 2 })
	d.stop()
	l.want(d.wait(), flow.Interrupted, "")
	// The next driver has room for one: the other waits when the cancel comes.
	o.Limits.Lanes = map[string]int{"work": 1}
	o.Handlers = []flow.Handler{flow.Handle(work, func(ctx context.Context, j flow.Job, in string) (string, error) {
		if l.called(j); j.Key == "p/a:x" {
			<-ctx.Done()
			return in + "landed", nil // it had landed before it was told
		}
		<-ctx.Done()
		return "", errors.New("gave up")
	})}
	rt := l.runtime(o)
	d = l.background(rt)
	l.eventually("one is at work again", func() bool { return l.count("p/a:x") == 2 })
	l.signal(l.runtime(o), flow.Signal{Verb: flow.CancelRun})
	l.want(d.wait(), flow.CancelledOK, `["alanded","cancelled"]`)
	l.wantCalls(map[string]int{"p/a:x": 2, "p/b:x": 2})
}

func cancelPaused(t *testing.T, l *lab) {
	t.Helper()
	o := Options{Workflows: []flow.Runnable{undoable()}, Handlers: []flow.Handler{l.worker(), l.undoer()}}
	rt := l.begin(o, "null")
	l.signal(rt, flow.Signal{Verb: flow.Pause})
	l.want(l.drive(rt), flow.Paused, "")
	l.signal(rt, flow.Signal{Verb: flow.CancelRun})
	l.want(l.drive(rt), flow.CancelledOK, allCancelled)
}

func pause(t *testing.T, l *lab) {
	t.Helper()
	w := define("w", func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "p", []string{"steps", "gate"}, self, func(c *flow.Ctx, item string) (string, error) {
			if item == "gate" {
				a, err := flow.Ask(c, "q", flow.Question{})
				return a.Verb, err
			}
			return sequence(c, "a", "b")
		})
	})
	release := make(chan struct{})
	o := Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.blocker(release)}}
	d := l.background(l.begin(o, "null"))
	l.eventually("a is at work", func() bool { return l.count("p/steps:a") == 1 })
	other := l.runtime(o)
	l.signal(other, flow.Signal{Verb: flow.Pause})
	l.signal(other, flow.Signal{Verb: flow.Pause})
	// Signals are applied in order: behind the answer the pause is in force.
	l.signal(other, flow.Signal{Verb: flow.Approve, Gate: "p/gate:q"})
	l.eventually("the pause is in force", func() bool { return len(keys(l.events(other), flow.EventAnswer)) == 1 })
	close(release) // what runs goes on to its end
	l.want(d.wait(), flow.Paused, "")
	l.want(l.drive(l.runtime(o)), flow.Paused, "")
	l.wantCalls(map[string]int{"p/steps:a": 1})
	l.signal(other, flow.Signal{Verb: flow.Unpause})
	l.signal(other, flow.Signal{Verb: flow.Pause})
	l.want(l.drive(other), flow.Paused, "")
	l.signal(other, flow.Signal{Verb: flow.Unpause})
	l.want(l.drive(other), flow.Done, `["a!b!","approve"]`)
	l.wantCalls(map[string]int{"p/steps:a": 1, "p/steps:b": 1})
}
