package temporal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/temporal"
	"github.com/jacquard-build/jacquard/internal/flow/temporal/temporaltest"
)

// TestSearch: where the namespace has the attributes, a run is found by project, branch, requester, state and phase, from its
// start and after its history was continued as a new one, and says where it stands when it is asked.
func TestSearch(t *testing.T) {
	t.Parallel()
	needServer(t)
	var more []string
	for _, name := range []string{"Project", "Workflow", "Branch", "Requester", "State", "Phase"} {
		more = append(more, "--search-attribute", "Jacquard"+name+"=Keyword")
	}
	s, err := temporaltest.Start(":memory:", 0, more...)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	o := options(t, t.TempDir())
	o.Client = client.Options{HostPort: s.Address, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))}
	o.Project, o.Events, o.Pool, o.Hub = "team/shop", 8, "default", &sharing{results: map[string][]byte{}}
	o.Describe = func(_ context.Context, n flow.NewRun) (branch, requester string) { return "main", "ann@" + n.ID }
	o.Phase = func(n flow.NoteRec) string {
		var v string
		_ = json.Unmarshal(n.Fact, &v) // other notes begin no phase
		return v
	}
	o.Workflows = []flow.Runnable{flow.Workflow[any, string]{Name: "w", Fn: func(c *flow.Ctx, _ any) (string, error) {
		for i, phase := range []string{"plan", "build", "check"} {
			at := c.Sub(fmt.Sprint(i))
			flow.Note(at, "enter", phase)
			if _, err := flow.Ask(at, "go", flow.Question{Text: phase, Options: []string{flow.Approve}}); err != nil {
				return "", err
			}
		}
		return "done", nil
	}}}
	rt, err := temporal.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	if missing, err := rt.Unsearchable(t.Context()); err != nil || len(missing) > 0 {
		t.Fatalf("missing: %v, %v", missing, err)
	}
	if err := rt.Start(t.Context(), flow.NewRun{ID: "r1", Def: "w"}); err != nil {
		t.Fatal(err)
	}
	c, err := client.DialContext(t.Context(), o.Client)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	find := func(want int64, query string) {
		t.Helper()
		query += " and JacquardProject = 'team/shop' and JacquardWorkflow = 'w' and JacquardBranch = 'main' and JacquardRequester = 'ann@r1'"
		var found int64
		for range 200 { // what can be searched comes a little later
			n, err := c.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Query: query})
			if err != nil {
				t.Fatal(err)
			}
			if found = n.GetCount(); found == want {
				return
			}
			<-time.After(20 * time.Millisecond)
		}
		t.Errorf("%d runs are found by %s, want %d", found, query, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- rt.Work(ctx, []string{"default"}, map[string]int{"agents": 1}, 0) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	for i, phase := range []string{"plan", "build", "check"} {
		find(1, "JacquardState = 'waiting' and JacquardPhase = '"+phase+"'")
		gate := fmt.Sprint(i) + "/go"
		answer, err := c.QueryWorkflow(t.Context(), "team/shop/r1", "", "status")
		var at temporal.Standing
		if err == nil {
			err = answer.Get(&at)
		}
		if err != nil || at.State != flow.Waiting || at.Phase != phase || strings.Join(at.Gates, " ") != gate {
			t.Errorf("it stands at %+v, %v", at, err)
		}
		if err := rt.Signal(t.Context(), "r1", flow.Signal{Gate: gate, Verb: flow.Approve}); err != nil {
			t.Fatal(err)
		}
	}
	find(1, "JacquardState = 'done' and JacquardPhase = 'check'")
	find(2, "ExecutionStatus = 'ContinuedAsNew'")
}

// TestHeartbeat: before a step is at work the server knows that it has begun, and before the step goes on, that there is
// progress and what: a process may die right then. Of the run it knows what it is and who began it.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	o := options(t, t.TempDir())
	c, err := client.DialContext(t.Context(), o.Client)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	known := func() (a *workflowpb.PendingActivityInfo, memo map[string]string) {
		d, err := c.DescribeWorkflowExecution(t.Context(), o.Project+"/r1", "")
		if err != nil || len(d.GetPendingActivities()) != 1 {
			t.Errorf("the server has %d activities, %v", len(d.GetPendingActivities()), err)
			return nil, nil
		}
		memo = map[string]string{}
		for name, v := range d.GetWorkflowExecutionInfo().GetMemo().GetFields() {
			var text string
			if err := converter.GetDefaultDataConverter().FromPayload(v, &text); err != nil {
				t.Error(err)
			}
			memo[name] = text
		}
		return d.GetPendingActivities()[0], memo
	}
	var begun, made bool
	var id string
	var limit int32
	var last, memo map[string]string
	o.Handlers = []flow.Handler{flow.Handle(build, func(_ context.Context, j flow.Job, in int) (int, error) {
		a, _ := known()
		begun = len(a.GetHeartbeatDetails().GetPayloads()) == 1
		j.Beat(map[string]string{"session": "s-1"})
		a, memo = known()
		id, limit = a.GetActivityId(), a.GetMaximumAttempts()
		return in, converter.GetDefaultDataConverter().FromPayloads(a.GetHeartbeatDetails(), &made, &last)
	})}
	o.Workflows = []flow.Runnable{flow.Workflow[any, int]{Name: "w", Fn: func(c *flow.Ctx, _ any) (int, error) { return flow.Do(c, "a", build, 1) }}}
	rt := started(t, o, "r1", "w")
	defer rt.Close()
	if st, err := rt.Drive(t.Context(), "r1"); err != nil || st.State != flow.Done || !begun || !made || last["session"] != "s-1" {
		t.Errorf("%+v, %v: the server knew begun %v, progress %v %v", st, err, begun, made, last)
	}
	if id != "a" || limit != 1 {
		t.Errorf("the activity is %q, tried %d times at most", id, limit)
	}
	if memo["project"] != o.Project || memo["workflow"] != "w" || memo["driver"] != o.Driver {
		t.Errorf("memo = %v", memo)
	}
}
