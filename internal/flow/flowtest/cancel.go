package flowtest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// cancellable has a branch at work, one behind it in the lane, one at a gate and one at a timer; the workflow tells what each one got.
func cancellable() flow.Runnable {
	return define("w", func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "p", []string{"runs", "queued", "gate", "timer"}, self, func(c *flow.Ctx, item string) (string, error) {
			var err error
			switch item {
			case "gate":
				_, err = flow.Ask(c, "q", flow.Question{Text: "?"})
			case "timer":
				err = flow.Until(c, "t", c.Now().AddDate(0, 0, 9))
			default:
				_, err = flow.Do(c, "x", work, item)
			}
			if errors.Is(err, flow.ErrCancelled) {
				return item + " cancelled", nil
			}
			return item + " ended", nil
		})
	})
}

const allCancelled = `["runs cancelled","queued cancelled","gate cancelled","timer cancelled"]`

func cancelBefore(t *testing.T, l *lab) {
	t.Helper()
	o := Options{Workflows: []flow.Runnable{cancellable()}, Handlers: []flow.Handler{l.worker()}}
	rt := l.begin(o, "null")
	l.signal(rt, flow.Signal{Verb: flow.CancelRun})
	l.want(l.drive(rt), flow.CancelledOK, allCancelled)
	l.wantCalls(map[string]int{})
	l.want(l.drive(l.runtime(o)), flow.CancelledOK, allCancelled)
}

func cancelRunning(t *testing.T, l *lab) {
	t.Helper()
	o := Options{
		Workflows: []flow.Runnable{cancellable()}, Handlers: []flow.Handler{l.blocker(nil)},
		Limits: flow.Limits{Lanes: map[string]int{"work": 1}},
	}
	d := l.background(l.begin(o, "null"))
	l.eventually("the first one is at work", func() bool { return l.count("p/runs:x") == 1 })
	other := l.runtime(o)
	l.signal(other, flow.Signal{Verb: flow.CancelRun})
	l.signal(other, flow.Signal{Verb: flow.CancelRun, By: "somebody else"})
	l.want(d.wait(), flow.CancelledOK, allCancelled)
	l.wantCalls(map[string]int{"p/runs:x": 1})
	rs, err := other.Runs(t.Context())
	if err != nil || rs[0].State != flow.CancelledOK || len(rs[0].Gates) != 0 {
		t.Errorf("runs = %+v, %v", rs, err)
	}
	if err := other.Signal(t.Context(), run, flow.Signal{Verb: flow.Approve, Gate: "p/gate:q"}); !errors.Is(err, flow.ErrNoGate) {
		t.Errorf("approve after the cancel = %v, want ErrNoGate", err)
	}
}

// cancelManyRunning cancels a run with many steps at work: what they were told is in an order that
// whoever goes on with the run finds again.
func cancelManyRunning(t *testing.T, l *lab) {
	t.Helper()
	calls, want := map[string]int{}, []string{}
	var items []string
	for i := range 40 {
		items = append(items, strconv.Itoa(i))
		calls["p/"+items[i]+":x"] = 1
		want = append(want, `"cancelled"`)
	}
	w := define("w", func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "p", items, self, func(c *flow.Ctx, item string) (string, error) {
			_, err := flow.Do(c, "x", work, item)
			return string(flow.ClassOf(err)), nil
		})
	})
	o := Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.blocker(nil)}}
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
	o := Options{Workflows: []flow.Runnable{cancellable()}, Handlers: []flow.Handler{l.worker()}}
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
