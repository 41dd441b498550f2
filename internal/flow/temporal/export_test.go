package temporal

import (
	"context"
	"encoding/json"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Play carries the first workflow out in Temporal's own test suite, which skips time, and sends a signal twice after a while.
func Play(o *Options, s flow.Signal, after time.Duration) (flow.RunState, json.RawMessage, error) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(o.run, workflow.RegisterOptions{Name: workflowType})
	env.RegisterDynamicActivity(func(ctx context.Context, args converter.EncodedValues) (outcome, error) {
		var in task
		if err := args.Get(&in); err != nil {
			return outcome{}, err
		}
		out, err := flow.HandlerOf(o.Handlers, in.Step).Call(ctx, flow.Job{Key: in.Key}, in.In)
		return outcome{Out: out}, err
	}, activity.DynamicRegisterOptions{})
	for range 2 {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(signalName, message{Signal: &s}) }, after)
	}
	start := env.Now().UnixMilli()
	p, err := pack(&record{
		Run: "r1", Queue: "q", Now: start, Status: flow.Interrupted, State: &flow.State{Def: o.Workflows[0].Def(), In: json.RawMessage("null"), Start: start},
		Limits: limits{Events: 8000, Bytes: maxBytes, Beat: 30_000},
	})
	if err != nil {
		return "", nil, err
	}
	env.ExecuteWorkflow(workflowType, p)
	var got result
	err = env.GetWorkflowResult(&got)
	return got.Status, got.Out, err
}

// Kept are the steps of a run that ended on this machine, and that the server does not know of.
func (r *Runtime) Kept(ctx context.Context, run string) []string {
	var out []string
	for _, owner := range []string{run, workerLock} {
		left, err := r.box.Left(ctx, owner)
		if err != nil {
			panic(err)
		}
		for _, e := range left {
			if e.Run == run && e.Result != nil {
				out = append(out, e.Key)
			}
		}
	}
	return out
}
