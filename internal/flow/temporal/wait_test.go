package temporal

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// TestThreeDays waits three days for a person in no time: an approval after 71 hours counts, and after 72 hours the gate
// answers itself, which is never an approval. A step sleeps for a day on the way.
func TestThreeDays(t *testing.T) {
	t.Parallel()
	ask := flow.Workflow[any, string]{Name: "ask", Fn: func(c *flow.Ctx, _ any) (string, error) {
		if _, err := flow.Do(c, "plan", flow.Step[int, int]{Name: "plan"}, 1); err != nil {
			return "", err
		}
		if err := flow.Until(c, "nap", c.Now().Add(24*time.Hour)); err != nil {
			return "", err
		}
		a, err := flow.Ask(c, "gate", flow.Question{Text: "go on?", Tree: "t1", Timeout: 72 * time.Hour})
		return a.Verb + " by " + a.By, err
	}}
	plan := flow.Handle(flow.Step[int, int]{Name: "plan"}, func(context.Context, flow.Job, int) (int, error) { return 1, nil })
	for name, tc := range map[string]struct {
		after time.Duration
		want  string
	}{
		"approved in time": {(24 + 71) * time.Hour, `"approve by kim"`}, "too late": {(24 + 73) * time.Hour, `"timeout by "`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s testsuite.WorkflowTestSuite
			env := s.NewTestWorkflowEnvironment()
			o := &Options{Workflows: []flow.Runnable{ask}, Handlers: []flow.Handler{plan}}
			env.RegisterWorkflowWithOptions(o.run, workflow.RegisterOptions{Name: workflowType})
			env.RegisterDynamicActivity(func(ctx context.Context, args converter.EncodedValues) (outcome, error) {
				var in task
				if err := args.Get(&in); err != nil {
					return outcome{}, err
				}
				out, err := o.handler(in.Step).Call(ctx, flow.Job{Key: in.Key}, in.In)
				return outcome{Out: out}, err
			}, activity.DynamicRegisterOptions{})
			approve := message{Signal: &flow.Signal{ID: "s1", Verb: flow.Approve, Gate: "gate", Tree: "t1", By: "kim"}}
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(signalName, approve) }, tc.after)
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(signalName, approve) }, tc.after) // twice is once
			start := env.Now().UnixMilli()
			p, err := pack(&record{
				Run: "r1", Queue: "q", Now: start, Status: flow.Interrupted, State: &flow.State{Def: "ask", In: json.RawMessage("null"), Start: start},
				Limits: limits{Events: 8000, Bytes: maxBytes, Beat: 30_000},
			})
			if err != nil {
				t.Fatal(err)
			}
			env.ExecuteWorkflow(workflowType, p)
			var got result
			if err := env.GetWorkflowResult(&got); err != nil || got.Status != flow.Done || string(got.Out) != tc.want {
				t.Errorf("%+v %s, %v, want %s", got, got.Out, err, tc.want)
			}
		})
	}
}
