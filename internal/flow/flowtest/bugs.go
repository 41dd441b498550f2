package flowtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// bugNotRecorded gives a run definitions with a bug after its first step. None
// leaves a trace, and a repaired one goes on.
func bugNotRecorded(t *testing.T, outer *lab) {
	t.Helper()
	var impure atomic.Int64
	cases := map[string]struct {
		words string
		fn    func(c *flow.Ctx, v string) (string, error)
	}{
		"panic": {"panic in the workflow: oh", func(*flow.Ctx, string) (string, error) { panic("oh") }},
		"key twice": {"key a is used twice", func(c *flow.Ctx, v string) (string, error) {
			return flow.Do(c, "a", work, v)
		}},
		"note twice": {"note n is made twice", func(c *flow.Ctx, v string) (string, error) {
			flow.Note(c, "n", 1)
			flow.Note(c, "n", 2)
			return v, nil
		}},
		"foreign context": {"a context of the workflow is used by branch p/x", func(c *flow.Ctx, v string) (string, error) {
			rs, err := flow.All(c, "p", []string{"x", "y"}, self, func(_ *flow.Ctx, item string) (string, error) {
				return flow.Do(c, "in-"+item, work, v)
			})
			return fmt.Sprint(rs), err
		}},
		"impure input": {"b was asked with another input before", func(c *flow.Ctx, _ string) (string, error) {
			in := fmt.Sprint(impure.Add(1))
			return flow.Do(c, "b", work, in)
		}},
		"unknown sibling": {`unknown sibling "z"`, func(c *flow.Ctx, _ string) (string, error) {
			rs, err := flow.All(c, "p", []string{"x"}, self, func(c *flow.Ctx, _ string) (string, error) { return flow.Wait[string](c, "z") })
			return fmt.Sprint(rs), err
		}},
		"swallowed": {"key a is used twice", func(c *flow.Ctx, v string) (string, error) {
			defer func() { _ = recover() }()
			return flow.Do(c, "a", work, v)
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := outer.fresh(t)
			o := Options{Workflows: []flow.Runnable{define("w", func(c *flow.Ctx) (string, error) {
				v, err := flow.Do(c, "a", work, "a")
				if err != nil {
					return "", err
				}
				return tc.fn(c, v)
			})}, Handlers: []flow.Handler{l.worker()}, Version: "same"}
			rt := l.begin(o, "null")
			for range 2 {
				st := l.drive(rt)
				l.want(st, flow.Stopped, "")
				if st.Err == nil || st.Err.Class != flow.Definition || !strings.Contains(st.Err.Msg, tc.words) {
					t.Fatalf("error = %v, want %q in it", st.Err, tc.words)
				}
			}
			if rs, err := rt.Runs(t.Context()); err != nil || rs[0].State != flow.Stopped {
				t.Errorf("runs = %+v, %v", rs, err)
			}
			if ends, notes := keys(l.events(rt), flow.EventEnd), keys(l.events(rt), flow.EventNote); len(notes) != 0 || !slices.Equal(ends, []string{"a"}) && name != "impure input" {
				t.Errorf("ends = %v notes = %v, want a alone", ends, notes)
			}
			if name == "impure input" {
				return // its second step did run: the repaired one would have to ask for the same
			}
			o.Workflows = []flow.Runnable{define("w", func(c *flow.Ctx) (string, error) { return sequence(c, "a", "c") })}
			l.want(l.drive(l.runtime(o)), flow.Done, `"a!c!"`)
			l.wantCalls(map[string]int{"a": 1, "c": 1})
		})
	}
}

// bugLosesNothing lets a bug come up by one outcome while another step is at
// work that ends well all the same: both outcomes are kept.
func bugLosesNothing(t *testing.T, l *lab) {
	t.Helper()
	atWork := make(chan struct{})
	make := func(bad bool) flow.Runnable {
		return define("w", func(c *flow.Ctx) (string, error) {
			rs, err := flow.All(c, "p", []string{"bad", "slow"}, self, func(c *flow.Ctx, item string) (string, error) {
				v, err := flow.Do(c, "x", work, item)
				if err == nil && item == "bad" && bad {
					panic("bug")
				}
				return v, err
			})
			return strings.Join(rs, " "), err
		})
	}
	h := flow.Handle(work, func(ctx context.Context, j flow.Job, in string) (string, error) {
		if l.called(j); in == "slow" {
			close(atWork)
			<-ctx.Done() // the bug stops the driver; this turn was paid for
			return in, nil
		}
		<-atWork
		return in, nil
	})
	o := Options{Workflows: []flow.Runnable{make(true)}, Handlers: []flow.Handler{h}}
	l.want(l.drive(l.begin(o, "null")), flow.Stopped, "")
	o.Workflows = []flow.Runnable{make(false)}
	rt := l.runtime(o)
	l.want(l.drive(rt), flow.Done, `"bad slow"`)
	l.wantCalls(map[string]int{"p/bad:x": 1, "p/slow:x": 1})
}

func missingHandler(t *testing.T, l *lab) {
	t.Helper()
	o := Options{Workflows: []flow.Runnable{define("w", func(c *flow.Ctx) (string, error) { return sequence(c, "a") })}}
	st := l.drive(l.begin(o, "null"))
	l.want(st, flow.Stopped, "")
	if st.Err == nil || st.Err.Class != flow.Definition || !strings.Contains(st.Err.Msg, "no handler for step work@") {
		t.Errorf("error = %v", st.Err)
	}
	o.Handlers = []flow.Handler{l.worker()}
	l.want(l.drive(l.runtime(o)), flow.Done, `"a!"`)
}

func twoDrivers(t *testing.T, l *lab) {
	t.Helper()
	release := make(chan struct{})
	o := Options{
		Workflows: []flow.Runnable{define("w", func(c *flow.Ctx) (string, error) { return sequence(c, "a") })},
		Handlers:  []flow.Handler{l.blocker(release)}, Driver: "pid 7 on loom",
	}
	d := l.background(l.begin(o, "null"))
	l.eventually("the step is at work", func() bool { return l.count("a") == 1 })
	o.Driver = "pid 8"
	other := l.runtime(o)
	_, err := other.Drive(t.Context(), run)
	var driven *flow.DrivenError
	if !errors.As(err, &driven) || driven.Driver != "pid 7 on loom" || driven.Run != run {
		t.Errorf("second driver: %v, want DrivenError with pid 7 on loom", err)
	}
	rs, err := other.Runs(t.Context())
	if err != nil || rs[0].State != flow.Running || rs[0].Driver != "pid 7 on loom" {
		t.Errorf("runs = %+v, %v", rs, err)
	}
	close(release)
	l.want(d.wait(), flow.Done, `"a!"`)
	l.wantCalls(map[string]int{"a": 1})
}

func deadlock(t *testing.T, l *lab) {
	t.Helper()
	w := define("w", func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "g", []string{"a", "b", "c"}, self, func(c *flow.Ctx, item string) (string, error) {
			if item == "c" {
				return flow.Do(c, "x", work, "c")
			}
			_, err := flow.Wait[string](c, map[string]string{"a": "b", "b": "a"}[item])
			if errors.Is(err, flow.ErrCancelled) {
				return item + " cancelled", nil
			}
			return item + " freed", err
		})
	})
	o := Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.worker()}}
	rt := l.begin(o, "null")
	for range 2 {
		st := l.drive(rt)
		l.want(st, flow.Stopped, "")
		if !slices.Contains(st.Waits, "/g/a waits for g/b") || !slices.Contains(st.Waits, "/g/b waits for g/a") || st.Err == nil || st.Err.Class != flow.Stuck {
			t.Errorf("waits = %q error = %v", st.Waits, st.Err)
		}
	}
	l.signal(rt, flow.Signal{Verb: flow.CancelRun})
	l.want(l.drive(l.runtime(o)), flow.CancelledOK, `["a cancelled","b freed","c!"]`)
	l.wantCalls(map[string]int{"g/c:x": 1})
}

func notesAndEvents(t *testing.T, l *lab) {
	t.Helper()
	release := make(chan struct{})
	w := define("w", func(c *flow.Ctx) (string, error) {
		flow.Note(c, "begin", map[string]int{"n": 1})
		for i, c := range flow.Rounds(c, "r", 3) {
			if _, err := flow.Do(c, "x", work, "x"); err != nil {
				return "", err
			}
			flow.Note(c, "did", i)
		}
		if _, err := flow.Ask(c, "gate", flow.Question{Text: "?"}); err != nil {
			return "", err
		}
		flow.Note(c, "end", "of it")
		return "done", nil
	})
	o := Options{Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{l.blocker(release)}}
	rt := l.begin(o, "null")
	d := l.background(rt)
	l.eventually("the step is at work", func() bool { return l.count("r/1/x") == 1 })
	d.stop()
	l.want(d.wait(), flow.Interrupted, "")
	close(release)
	l.want(l.drive(l.runtime(o)), flow.Waiting, "")
	l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "gate", Text: "yes"})
	l.want(l.drive(rt), flow.Done, `"done"`)
	var got []string
	var last int64
	for _, e := range l.events(rt) {
		if e.Seq <= last || e.Run != run || e.At.IsZero() {
			t.Errorf("event %+v after %d", e, last)
		}
		last = e.Seq
		line := string(e.Type) + " " + e.Key
		if e.Type == flow.EventNote || e.Type == flow.EventRun || e.Type == flow.EventAnswer {
			line += " " + string(e.Data)
		}
		got = append(got, line)
	}
	want := []string{
		`note begin {"n":1}`, "start r/1/x", `run  {"state":"interrupted"}`, "start r/1/x", "end r/1/x",
		"note r/1/did 1", "start r/2/x", "end r/2/x", "note r/2/did 2", "start r/3/x", "end r/3/x", "note r/3/did 3",
		"gate gate", `run  {"state":"waiting"}`, `answer gate {"verb":"approve","text":"yes"}`, `note end "of it"`, `run  {"state":"done"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	tail, err := rt.Events(t.Context(), run, last-1)
	if err != nil || len(tail) != 1 || tail[0].Seq != last {
		t.Errorf("events after %d = %+v, %v", last-1, tail, err)
	}
}
