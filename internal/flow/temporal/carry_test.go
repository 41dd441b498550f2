package temporal_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// TestHeartbeatsGetLost: a step whose heartbeats do not arrive goes on, whether the server still waits for it or has begun it
// again: what it comes to is done once, and counts.
func TestHeartbeatsGetLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lost int64
		beat time.Duration // each that is lost takes a second of it
	}{"one": {1, 8 * time.Second}, "until the server has given up": {4, 2 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var beats, starts atomic.Int64
			told := make(chan struct{}, 100)
			o := options(t, t.TempDir())
			o.Beat = c.beat
			o.Client.ConnectionOptions.DialOptions = []grpc.DialOption{grpc.WithUnaryInterceptor(
				func(ctx context.Context, method string, req, reply any, to *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
					beat := method == "/temporal.api.workflowservice.v1.WorkflowService/RecordActivityTaskHeartbeat"
					if beat && beats.Add(1) <= c.lost {
						<-ctx.Done() // as a server that does not answer in time
						return serviceerror.NewDeadlineExceeded("no answer")
					}
					err := invoke(ctx, method, req, reply, to, opts...)
					if beat {
						told <- struct{}{}
					}
					return err
				})}
			o.Handlers = []flow.Handler{flow.Handle(build, func(ctx context.Context, _ flow.Job, in int) (int, error) {
				starts.Add(1)
				for range 2 { // the answer to the first has been taken in
					select {
					case <-told:
					case <-ctx.Done():
						return 0, errors.Join(errors.New("the step was ended"), context.Cause(ctx))
					}
				}
				return in, nil
			})}
			o.Workflows = []flow.Runnable{flow.Workflow[any, int]{Name: "w", Fn: func(c *flow.Ctx, _ any) (int, error) { return flow.Do(c, "a", build, 1) }}}
			rt := started(t, o, "r1", "w")
			defer rt.Close()
			st, err := rt.Drive(t.Context(), "r1")
			if err != nil || st.State != flow.Done || starts.Load() != 1 {
				t.Errorf("%+v %v, and the step was done %d times", st, err, starts.Load())
			}
			es, err := rt.Events(t.Context(), "r1", 0)
			if err != nil {
				t.Fatal(err)
			}
			began := 0
			for _, e := range es {
				if e.Type == flow.EventStart {
					began++
				}
			}
			if again := began > 1; again != (c.lost > 1) {
				t.Errorf("the server has begun the step %d times", began)
			}
		})
	}
}
