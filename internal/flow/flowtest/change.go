package flowtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// twoBranches is a workflow at a gate: branch a has ended, b waits.
func twoBranches(fn func(c *flow.Ctx, item string) (string, error)) flow.Runnable {
	return define("w", func(c *flow.Ctx) (string, error) {
		rs, err := flow.All(c, "p", []string{"a", "b"}, self, func(c *flow.Ctx, item string) (string, error) {
			v, err := fn(c, item)
			if err != nil || item == "a" {
				return v, err
			}
			_, err = flow.Ask(c, "gate", flow.Question{Text: "go on?"})
			return v, err
		})
		return strings.Join(rs, " "), err
	})
}

func original(c *flow.Ctx, item string) (string, error) { return sequence(c, "one-"+item, "two") }

// changedRun drives the original to its gate and tells what Drive says of
// another definition, then accepts it.
func (l *lab) changedRun(name string, second func(c *flow.Ctx, item string) (string, error)) (flow.Diff, Runtime) {
	l.t.Helper()
	o := Options{Workflows: []flow.Runnable{twoBranches(original)}, Handlers: []flow.Handler{l.worker()}, Version: "1"}
	l.want(l.drive(l.begin(o, "null")), flow.Waiting, "")
	o.Workflows, o.Version = []flow.Runnable{twoBranches(second)}, "2"
	rt := l.runtime(o)
	_, err := rt.Drive(l.t.Context(), run)
	var changed *flow.ChangedError
	if !errors.As(err, &changed) {
		l.t.Fatalf("%s: drive = %v, want ChangedError", name, err)
	}
	if !strings.Contains(changed.Error(), "changed") || changed.Diff.Empty() {
		l.t.Errorf("%s: %v %+v", name, changed, changed.Diff)
	}
	o.Accept = true
	return changed.Diff, l.runtime(o)
}

func unchanged(t *testing.T, l *lab) {
	t.Helper()
	o := Options{Workflows: []flow.Runnable{twoBranches(original)}, Handlers: []flow.Handler{l.worker()}, Version: "1"}
	rt := l.begin(o, "null")
	l.want(l.drive(rt), flow.Waiting, "")
	// Written in another way, and with more to do after the gate.
	o.Version = "2"
	o.Workflows = []flow.Runnable{define("w", func(c *flow.Ctx) (string, error) {
		v, err := twoBranches(func(c *flow.Ctx, item string) (string, error) {
			first, err := flow.Do(c, "one-"+item, work, "one-"+item)
			if err != nil {
				return "", err
			}
			second, err := flow.Do(c, "two", work, "two")
			return first + second, err
		}).(flow.Workflow[any, string]).Fn(c, nil)
		if err != nil {
			return "", err
		}
		return flow.Do(c, "more", work, v)
	})}
	rt = l.runtime(o)
	l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "p/b:gate"})
	l.want(l.drive(rt), flow.Done, `"one-a!two! one-b!two!!"`)
	l.wantCalls(map[string]int{"p/a:one-a": 1, "p/a:two": 1, "p/b:one-b": 1, "p/b:two": 1, "more": 1})
}

func changed(t *testing.T, l *lab) {
	t.Helper()
	// Another input of one step, another key for the second.
	diff, rt := l.changedRun("changed", func(c *flow.Ctx, item string) (string, error) {
		v, err := flow.Do(c, "one-"+item, work, "ONE")
		if err != nil {
			return "", err
		}
		second, err := flow.Do(c, "three", work, "three")
		return v + second, err
	})
	words := strings.Join(diff.Changed, "\n")
	for _, w := range []string{"p/a:one-a was asked with another input", "p/b:one-b was asked with another input", "branch p/a had ended and now goes on"} {
		if !strings.Contains(words, w) {
			t.Errorf("changed = %q, want %q in it", words, w)
		}
	}
	if !slices.Equal(diff.Unused, []string{"p/a:two", "p/b:two"}) || !slices.Equal(diff.Lost, []string{"p/b:gate"}) {
		t.Errorf("unused = %q lost = %q", diff.Unused, diff.Lost)
	}
	// Accepted: the outcomes that are there are used, what is new is done.
	l.want(l.drive(rt), flow.Waiting, "")
	l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "p/b:gate"})
	l.want(l.drive(rt), flow.Done, `"one-a!three! one-b!three!"`)
	l.wantCalls(map[string]int{"p/a:one-a": 1, "p/a:two": 1, "p/b:one-b": 1, "p/b:two": 1, "p/a:three": 1, "p/b:three": 1})
}

// changedFinished makes more of the same records in a branch that has ended.
func changedFinished(t *testing.T, l *lab) {
	t.Helper()
	diff, rt := l.changedRun("result", func(c *flow.Ctx, item string) (string, error) {
		v, err := original(c, item)
		return strings.ToUpper(v), err
	})
	if !slices.Equal(diff.Changed, []string{"branch p/a had another result"}) || diff.Unused != nil || diff.Lost != nil {
		t.Errorf("diff = %+v", diff)
	}
	l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "p/b:gate"})
	l.want(l.drive(rt), flow.Done, `"ONE-A!TWO! ONE-B!TWO!"`)
	l.wantCalls(map[string]int{"p/a:one-a": 1, "p/a:two": 1, "p/b:one-b": 1, "p/b:two": 1})
	if n := counted(keys(l.events(rt), flow.EventFold))["p/a"]; n != 1 {
		t.Errorf("ends of branch p/a told = %d, want 1", n)
	}
}

// changedShape adds a field to an output (found, can be accepted) and renames
// one (found, never decoded as zero).
func changedShape(t *testing.T, l *lab) {
	t.Helper()
	type v1 struct{ Passed bool }
	type v2 struct {
		Passed bool
		Count  int
	}
	type renamed struct{ Good bool }
	ask := func(c *flow.Ctx) error {
		_, err := flow.Ask(c, "gate", flow.Question{})
		return err
	}
	quick := func(j flow.Job) { l.called(j) }
	s1, s2, s3 := flow.Step[any, v1]{Name: "check"}, flow.Step[any, v2]{Name: "check"}, flow.Step[any, renamed]{Name: "check"}
	o := Options{Version: "1", Workflows: []flow.Runnable{define("w", func(c *flow.Ctx) (string, error) {
		for _, c := range flow.Rounds(c, "x", 2) {
			if v, err := flow.Do(c, "check", s1, nil); err != nil || !v.Passed {
				return "failed", err
			}
		}
		return "passed", ask(c)
	})}, Handlers: []flow.Handler{flow.Handle(s1, func(_ context.Context, j flow.Job, _ any) (v1, error) { quick(j); return v1{true}, nil })}}
	l.want(l.drive(l.begin(o, "null")), flow.Waiting, "")
	signalled := l.runtime(o)
	l.signal(signalled, flow.Signal{Verb: flow.Approve, Gate: "gate"})

	o.Version, o.Accept = "2", true
	o.Workflows = []flow.Runnable{define("w", func(c *flow.Ctx) (string, error) {
		if v, err := flow.Do(c.Sub("x").Sub("1"), "check", s3, nil); err != nil || !v.Good {
			return "failed", err
		}
		return "passed", ask(c)
	})}
	_, err := l.runtime(o).Drive(t.Context(), run)
	var changed *flow.ChangedError
	if !errors.As(err, &changed) || changed.Diff.Bug == nil || !strings.Contains(changed.Error(), "unknown field") {
		t.Fatalf("drive with a renamed field = %v, want ChangedError with the bug, even if accepted", err)
	}
	o.Workflows = []flow.Runnable{define("w", func(c *flow.Ctx) (string, error) {
		for _, c := range flow.Rounds(c, "x", 2) {
			if v, failure := flow.Do(c, "check", s2, nil); failure != nil || !v.Passed || v.Count != 0 {
				return "failed", failure
			}
		}
		return "passed", ask(c)
	})}
	o.Accept = false
	_, err = l.runtime(o).Drive(t.Context(), run)
	if !errors.As(err, &changed) || len(changed.Diff.Changed) != 2 || changed.Diff.Bug != nil {
		t.Fatalf("drive with a new field = %v, want two changed shapes", err)
	}
	o.Accept = true
	l.want(l.drive(l.runtime(o)), flow.Done, `"passed"`)
	l.wantCalls(map[string]int{"x/1/check": 1, "x/2/check": 1})
}

// changedGate stores an approval and then has another definition, which is
// accepted, show another tree at the gate: the approval is void.
func changedGate(t *testing.T, l *lab) {
	t.Helper()
	gate := func(tree string) []flow.Runnable {
		return []flow.Runnable{define("w", func(c *flow.Ctx) (string, error) {
			a, err := flow.Ask(c, "gate", flow.Question{Text: "?", Tree: tree})
			return a.Verb + " " + a.Tree, err
		})}
	}
	o := Options{Workflows: gate("t1"), Version: "1"}
	rt := l.begin(o, "null")
	l.want(l.drive(rt), flow.Waiting, "")
	l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "gate", Tree: "t1"})
	o.Workflows, o.Version, o.Accept = gate("t2"), "2", true
	rt = l.runtime(o)
	st := l.drive(rt)
	l.want(st, flow.Waiting, "")
	if len(st.Gates) != 1 || st.Gates[0].Question.Tree != "t2" {
		t.Errorf("gates = %+v, want one for t2", st.Gates)
	}
	l.signal(rt, flow.Signal{Verb: flow.Approve, Gate: "gate", Tree: "t2"})
	l.want(l.drive(rt), flow.Done, `"approve t2"`)
}
