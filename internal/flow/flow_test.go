package flow_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
)

var double = flow.Step[int, int]{Name: "double", Lane: "work"}

// run drives an engine with instant handlers, one outcome a decision.
func run(t *testing.T, w flow.Runnable, s *flow.State) flow.Decision {
	t.Helper()
	e := flow.NewEngine(w, s, nil)
	var backlog []flow.Want
	for range 100_000 {
		d := e.Decide()
		if d.Bug != nil {
			t.Fatalf("bug: %v", d.Bug)
		}
		if d.Done || d.Stuck != nil {
			return d
		}
		backlog = append(backlog, d.Wants...)
		w := backlog[0]
		backlog = backlog[1:]
		var in int
		if err := json.Unmarshal(w.In, &in); err != nil {
			t.Fatal(err)
		}
		e.Started(w.Key)
		e.Record(w.Key, &flow.Rec{Out: fmt.Appendf(nil, "%d", 2*in), At: 1})
	}
	t.Fatal("does not end")
	return flow.Decision{}
}

func TestBranchesWaitForEachOther(t *testing.T) {
	t.Parallel()
	w := flow.Workflow[int, int]{Name: "w", Fn: func(c *flow.Ctx, in int) (int, error) {
		n, err := flow.Do(c, "first", double, in)
		if err != nil {
			return 0, err
		}
		rs, err := flow.All(c, "part", []int{1, 2, 3}, func(i int) string { return fmt.Sprint(i) }, func(c *flow.Ctx, i int) (int, error) {
			base := n
			if i < 3 {
				v, failure := flow.Wait[int](c, fmt.Sprint(i+1))
				if failure != nil {
					return 0, failure
				}
				base = v
			}
			for _, c := range flow.Rounds(c, "round", 2) {
				v, failure := flow.Do(c, "x", double, base)
				if failure != nil {
					return 0, failure
				}
				base = v
			}
			return base, nil
		})
		if err != nil {
			return 0, err
		}
		return rs[0], nil
	}}
	d := run(t, w, &flow.State{Def: "w", In: json.RawMessage("5")})
	if string(d.Out) != "640" {
		t.Fatalf("got %s, want 640", d.Out)
	}
}
