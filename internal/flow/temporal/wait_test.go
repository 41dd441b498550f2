package temporal_test

import (
	"context"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/temporal"
)

// TestThreeDays waits three days for a person in no time. A step sleeps for a day on the way.
func TestThreeDays(t *testing.T) {
	t.Parallel()
	ask := flow.Workflow[any, string]{Name: "ask", Fn: func(c *flow.Ctx, _ any) (string, error) {
		if _, err := flow.Do(c, "plan", flow.Step[int, int]{Name: "plan"}, 1); err != nil {
			return "", err
		}
		if err := flow.Until(c, "nap", c.Now().Add(24*time.Hour)); err != nil {
			return "", err
		}
		a, err := flow.Ask(c, "gate", flow.Question{Text: "go on?", Tree: "t1"})
		return a.Verb + " by " + a.By, err
	}}
	plan := flow.Handle(flow.Step[int, int]{Name: "plan"}, func(context.Context, flow.Job, int) (int, error) { return 1, nil })
	status, out, err := temporal.Play(&temporal.Options{Workflows: []flow.Runnable{ask}, Handlers: []flow.Handler{plan}},
		flow.Signal{ID: "s1", Verb: flow.Approve, Gate: "gate", Tree: "t1", By: "kim"}, (24+71)*time.Hour)
	if want := `"approve by kim"`; err != nil || status != flow.Done || string(out) != want {
		t.Errorf("%s %s, %v, want %s", status, out, err, want)
	}
}
