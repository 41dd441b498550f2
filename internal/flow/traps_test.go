package flow_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

var text = flow.Step[string, string]{Name: "text"}

func TestTrap01PendingIsNotFailure(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *flow.Ctx) (string, error) {
		v, err := flow.Do(c, "cheap", text, "")
		if err != nil { // taken for a failure
			if v, err = flow.Do(c, "expensive", text, ""); err != nil {
				flow.Note(c, "gave up", 1)
				return "gave up", nil //nolint:nilerr // the mistake that this is about
			}
		}
		for { // swallows errors until success
			if _, err := flow.Do(c.Sub("loop"), "x", text, ""); err == nil {
				return v, nil
			}
		}
	})
	b.wantKeys("cheap")
	b.record("cheap", `"good"`, 1)
	b.wantKeys("cheap", "loop/x")
	b.record("loop/x", `"y"`, 2)
	b.wantOut(`"good"`)
	if b.notes != nil {
		t.Errorf("notes = %q", b.notes)
	}
}

// The variables that branches capture are those of the moment of All: what an
// owner does about its "error" cannot change them.
func TestTrap01NothingAfterPendingCounts(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *flow.Ctx) ([]string, error) {
		base := "right"
		rs, err := flow.All(c, "g", []string{"a", "b"}, strings.Clone, func(c *flow.Ctx, s string) (string, error) {
			return flow.Do(c, "x", text, base+s)
		})
		if err != nil || rs == nil {
			base = "wrong"
		}
		return rs[:2], nil // would panic with what a pending call could give
	})
	b.wantKeys("g/a:x", "g/b:x")
	if in := string(b.open["g/a:x"].In); in != `"righta"` {
		t.Errorf("input = %s", in)
	}
	b.record("g/a:x", `"1"`, 1)
	b.record("g/b:x", `"2"`, 2)
	b.wantOut(`["1","2"]`)
}

func TestTrap02DeferRunsAtTheEnd(t *testing.T) {
	t.Parallel()
	body := func(c *flow.Ctx) (_ string, err error) {
		defer func() {
			if _, e := flow.Do(c, "undo", text, ""); e != nil {
				err = e
			}
		}()
		if _, err := flow.Do(c, "a", text, ""); err != nil {
			return "", err
		}
		return flow.Do(c, "b", text, "")
	}
	b := newBench(t, body)
	b.record("a", `"x"`, 1)
	b.wantKeys("a", "b") // inert while something is pending
	b.record("b", `"y"`, 2)
	b.wantKeys("a", "b", "undo")
	b.record("undo", `""`, 3)
	b.wantOut(`"y"`)
}

// A deadline derived from Now is the same on every re-run and after a crash,
// and other branches do not move it.
func TestTrap03NowBelongsToTheBranch(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "g", []string{"sleeps", "works"}, strings.Clone, func(c *flow.Ctx, s string) (string, error) {
			if _, err := flow.Do(c, "first", text, ""); err != nil {
				return "", err
			}
			if s == "sleeps" {
				return c.Now().Format(time.RFC3339), flow.Until(c, "t", c.Now().Add(time.Hour))
			}
			for _, c := range flow.Rounds(c, "r", 3) {
				if _, err := flow.Do(c, "x", text, ""); err != nil {
					return "", err
				}
			}
			return "", nil
		})
	})
	b.record("g/sleeps:first", `""`, 50_000)
	const due = 50_000 + 3600_000
	if got := b.open["g/sleeps:t"].Until; got != due {
		t.Fatalf("timer at %d, want %d", got, due)
	}
	b.record("g/works:first", `""`, 60_000)
	b.record("g/works:r/1/x", `""`, 900_000)
	b.crash()
	if got := b.open["g/sleeps:t"].Until; got != due {
		t.Errorf("timer after a crash at %d, want %d", got, due)
	}
	b.record("g/works:r/2/x", `""`, 40_000) // a clock that went back
	b.record("g/works:r/3/x", `""`, 40_000)
	b.record("g/sleeps:t", `null`, due+7)
	b.wantOut(`["1970-01-01T00:00:50Z",""]`)
}

func TestTraps04To06Bugs(t *testing.T) {
	t.Parallel()
	items := []string{"a", "b"}
	for name, c := range map[string]struct {
		words string
		fn    func(*flow.Ctx) (string, error)
	}{
		"key in a loop": {"key x is used twice: a loop needs Rounds", func(c *flow.Ctx) (string, error) {
			for range 2 {
				if _, err := flow.Do(c, "x", text, ""); err != nil {
					return "", err
				}
			}
			return "", nil
		}},
		"outer context": {"a context of the workflow is used by branch g/a", func(c *flow.Ctx) (string, error) {
			_, err := flow.All(c, "g", items, strings.Clone, func(_ *flow.Ctx, s string) (string, error) { return flow.Do(c, s, text, "") })
			return "", err
		}},
		"outer context in rounds": {"a context of the workflow is used by branch g/a", func(c *flow.Ctx) (string, error) {
			_, err := flow.All(c, "g", items, strings.Clone, func(_ *flow.Ctx, _ string) (string, error) {
				for range flow.Rounds(c, "r", 2) {
					return "", nil
				}
				return "", nil
			})
			return "", err
		}},
		"outer clock": {"a context of the workflow is used by branch g/a", func(c *flow.Ctx) (string, error) {
			_, err := flow.All(c, "g", items, strings.Clone, func(_ *flow.Ctx, _ string) (string, error) { return c.Now().String(), nil })
			return "", err
		}},
		"unknown sibling": {`g/a waits for unknown sibling "z"`, func(c *flow.Ctx) (string, error) {
			_, err := flow.All(c, "g", items, strings.Clone, func(c *flow.Ctx, _ string) (string, error) { return flow.Wait[string](c, "z") })
			return "", err
		}},
		"wait outside": {"outside of a branch of All", func(c *flow.Ctx) (string, error) { return flow.Wait[string](c, "z") }},
		"panic":        {"panic in the workflow: oh", func(*flow.Ctx) (string, error) { panic("oh") }},
		"empty key":    {`key "" of the workflow`, func(c *flow.Ctx) (string, error) { return flow.Do(c, "", text, "") }},
		"colon":        {`key "a:b" of the workflow`, func(c *flow.Ctx) (string, error) { return flow.Do(c.Sub("a:b"), "x", text, "") }},
		"input is no JSON": {"input of x", func(c *flow.Ctx) (string, error) {
			return flow.Do(c, "x", flow.Step[any, string]{Name: "f"}, any(func() {}))
		}},
		"too large":         {"result of the workflow is 70002 bytes", func(*flow.Ctx) (string, error) { return strings.Repeat("x", 70_000), nil }},
		"two equal items":   {`two branches of g have the key "a"`, func(c *flow.Ctx) (string, error) { return same(c, "g", "a", "a") }},
		"paths that meet":   {"is in the groups", func(c *flow.Ctx) (string, error) { _, _ = same(c, "g", "a/b"); return same(c.Sub("g"), "a", "b") }},
		"group used twice":  {"group g is used twice", func(c *flow.Ctx) (string, error) { _, _ = same(c, "g", "a"); return same(c, "g", "a") }},
		"swallowed bug":     {"key x is used twice", func(c *flow.Ctx) (string, error) { return swallow(c) }},
		"note made of chan": {"note n", func(c *flow.Ctx) (string, error) { flow.Note(c, "n", make(chan int)); return "", nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, c.fn)
			for len(b.open) > 0 && b.last.Bug == nil {
				for k := range b.open {
					delete(b.open, k)
					b.record(k, `""`, 1)
					break
				}
			}
			b.wantBug(c.words)
		})
	}
}

// same is an All whose branches end at once.
func same(c *flow.Ctx, group string, items ...string) (string, error) {
	_, err := flow.All(c, group, items, strings.Clone, func(*flow.Ctx, string) (string, error) { return "", nil })
	return "", err
}

func swallow(c *flow.Ctx) (string, error) {
	defer func() { _ = recover() }()
	_, _ = flow.Do(c, "x", text, "")
	return flow.Do(c, "x", text, "")
}

// Trap 7: what a branch writes to captured variables is lost when it is folded;
// what it returns is not.
func TestTrap07ReturnValues(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *flow.Ctx) (string, error) {
		count := 0
		rs, err := flow.All(c, "g", []string{"a", "b"}, strings.Clone, func(c *flow.Ctx, s string) (int, error) {
			_, err := flow.Do(c, "x", text, s)
			count++
			return 1, err
		})
		if err != nil {
			return "", err
		}
		return fmt.Sprint("captured ", count, " returned ", rs[0]+rs[1]), nil
	})
	b.record("g/a:x", `""`, 1)
	b.record("g/b:x", `""`, 1)
	b.wantOut(`"captured 0 returned 2"`)
}

// Trap 8: waiting for one visited later works; a cycle is named. A branch that
// ended answers waiters of a later engine.
func TestTrap08Siblings(t *testing.T) {
	t.Parallel()
	needs := map[string]string{"a": "b", "b": "c"}
	fn := func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "g", []string{"a", "b", "c"}, strings.Clone, func(c *flow.Ctx, s string) (string, error) {
			if n := needs[s]; n != "" {
				v, err := flow.Wait[string](c, n)
				return s + v, err
			}
			return flow.Do(c, "x", text, s)
		})
	}
	b := newBench(t, fn)
	b.crash()
	b.record("g/c:x", `"c"`, 1)
	b.wantOut(`["abc","bc","c"]`)
	if len(b.last.Folds) != 3 || b.last.Folds[0].Path != "g/c" {
		t.Errorf("folds = %+v", b.last.Folds)
	}
	circle := map[string]string{"a": "b", "b": "a"}
	b = newBench(t, func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "g", []string{"a", "b"}, strings.Clone, func(c *flow.Ctx, s string) (string, error) { return flow.Wait[string](c, circle[s]) })
	})
	if want := []string{"/ waits for group g", "/g/a waits for g/b", "/g/b waits for g/a"}; !slices.Equal(b.last.Stuck, want) {
		t.Errorf("stuck = %q, want %q", b.last.Stuck, want)
	}
}

func TestTrap09AllEndsWhole(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *flow.Ctx) (string, error) {
		_, err := flow.All(c, "g", []string{"a", "b"}, strings.Clone, func(c *flow.Ctx, s string) (string, error) { return flow.Do(c, "x", text, s) })
		return "", err
	})
	b.eng.Record("g/a:x", &flow.Rec{Err: &flow.Failure{Class: flow.Limit, Msg: "used up", ResetsAt: 77}, At: 1})
	b.decide()
	if b.last.Done {
		t.Fatal("All ended before its last branch")
	}
	b.record("g/b:x", `""`, 2)
	if !b.last.Done || b.last.Err == nil || b.last.Err.Class != flow.Limit || b.last.Err.ResetsAt != 77 || b.last.Err.Msg != "a: used up" {
		t.Errorf("end = %+v %v", b.last, b.last.Err)
	}
}

func TestTrap10Cancel(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *flow.Ctx) ([]string, error) {
		return flow.All(c, "g", []string{"started", "not"}, strings.Clone, func(c *flow.Ctx, s string) (string, error) {
			if _, err := flow.Do(c, "x", text, s); err != nil {
				return fmt.Sprint(errors.Is(err, flow.ErrCancelled)), nil
			}
			_, err := flow.Do(c, "next", text, s)
			return fmt.Sprint(errors.Is(err, flow.ErrCancelled)), nil
		})
	})
	b.eng.Started("g/started:x")
	b.eng.Cancel(9)
	b.eng.Cancel(10)
	b.decide()
	if b.last.Done || len(b.last.Folds) != 1 || b.last.Folds[0].Path != "g/not" {
		t.Fatalf("decision = %+v", b.last)
	}
	b.crash() // a cancelled run stays cancelled, what was started is asked again
	b.wantKeys("g/started:x")
	if !b.open["g/started:x"].Started {
		t.Error("the want does not say that it was started")
	}
	b.record("g/started:x", `"landed"`, 11)
	b.wantOut(`["true","true"]`)
}

func TestTrap11Impurity(t *testing.T) {
	t.Parallel()
	n := 0
	fn := func(c *flow.Ctx) (string, error) {
		n++
		if _, err := flow.Do(c, "a", text, fmt.Sprint(n)); err != nil {
			return "", err
		}
		return flow.Do(c, "b", text, "")
	}
	b := newBench(t, fn)
	b.record("a", `""`, 1)
	b.wantBug("a was asked with another input before")
	// A gate and a timer that are only asked for are compared after a crash, too.
	for _, ask := range []func(c *flow.Ctx) error{
		func(c *flow.Ctx) error {
			_, err := flow.Ask(c, "k", flow.Question{Text: fmt.Sprint(n)})
			return err
		},
		func(c *flow.Ctx) error { return flow.Until(c, "k", time.UnixMilli(int64(n))) },
	} {
		b := newBench(t, func(c *flow.Ctx) (string, error) {
			n++
			return "", ask(c)
		})
		w := b.open["k"]
		b.state.Open["k"] = flow.Start{Step: w.Step, In: w.Hash}
		b.crash()
		b.wantBug("k was asked with another input before")
	}
}

func TestTrap12Shapes(t *testing.T) {
	t.Parallel()
	type a struct{ Passed bool }
	type same struct{ Passed bool }
	type renamed struct{ Good bool }
	type embedded struct{ a }
	id := flow.Step[int, a]{Name: "s"}.ID()
	if got := (flow.Step[int, same]{Name: "s"}).ID(); got != id {
		t.Errorf("another Go name changed the shape: %s, %s", got, id)
	}
	if got := (flow.Step[int, embedded]{Name: "s"}).ID(); got != id {
		t.Errorf("an embedded struct has the shape %s, want that of its fields, %s", got, id)
	}
	if got := (flow.Step[int, renamed]{Name: "s"}).ID(); got == id {
		t.Error("a renamed field did not change the shape")
	}
	b := newBench(t, func(c *flow.Ctx) (bool, error) {
		v, err := flow.Do(c, "x", flow.Step[int, a]{Name: "s"}, 1)
		return v.Passed, err
	})
	b.record("x", `{"Good":true}`, 1)
	b.wantBug(`output of x: json: unknown field "Good"`)
}

func TestTrap17NotesOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *flow.Ctx) (string, error) {
		flow.Note(c, "begin", 1)
		for i, c := range flow.Rounds(c, "r", 3) {
			if _, err := flow.Do(c, "x", text, ""); err != nil {
				return "", err
			}
			flow.Note(c, "n", i)
		}
		return "", nil
	})
	b.record("r/1/x", `""`, 1)
	b.crash()
	b.record("r/2/x", `""`, 1)
	b.crash()
	b.record("r/3/x", `""`, 1)
	if want := []string{"begin", "r/1/n", "r/2/n", "r/3/n"}; !slices.Equal(b.notes, want) {
		t.Errorf("notes = %q, want %q", b.notes, want)
	}
}
