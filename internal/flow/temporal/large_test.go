package temporal_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/temporal"
)

var tasks = flag.Int("tasks", 60, "tasks of the large run")

// sharing is the hub of workers on one machine whose steps refer to nothing: only the result that is first counts.
type sharing struct {
	mu      sync.Mutex
	results map[string][]byte
}

func (s *sharing) Bring(context.Context, string, []byte) error      { return nil }
func (s *sharing) Fetch(context.Context, string, []flow.Blob) error { return nil }

func (s *sharing) Keep(_ context.Context, run, key string, _, result []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.results[run+key] == nil {
		s.results[run+key] = result
	}
	return s.results[run+key], nil
}

func (s *sharing) Find(_ context.Context, run, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.results[run+key], nil
}

// fan is a plan of n tasks, each built and landed.
func fan(n int) flow.Runnable {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	return flow.Workflow[any, int]{Name: "fan", Fn: func(c *flow.Ctx, _ any) (int, error) {
		rs, err := flow.All(c, "t", items, strconv.Itoa, func(c *flow.Ctx, i int) (landed, error) {
			if _, err := flow.Do(c, "build", build, i); err != nil {
				return landed{}, err
			}
			return flow.Do(c, "land", land, i)
		})
		sum := 0
		for _, r := range rs {
			sum += r.N
		}
		return sum, err
	}}
}

var (
	build = flow.Step[int, int]{Name: "build", Lane: "agents"}
	land  = flow.Step[int, landed]{Name: "land", Lane: "landing"}
)

// landed is as large as the result of a module: the ids of its files hardly get smaller.
type landed struct {
	N   int
	IDs string
}

func (l landed) of(n int) landed {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "%x", sha256.Sum256([]byte(fmt.Sprint(n, i))))
	}
	return landed{n, b.String()}
}

// counting are handlers that count how often each step came to its end.
func counting(ended *sync.Map, took time.Duration) []flow.Handler {
	do := func(ctx context.Context, j flow.Job, in int) (int, error) {
		select {
		case <-time.After(took):
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
		n, _ := ended.LoadOrStore(j.Key, new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
		return in, nil
	}
	return []flow.Handler{flow.Handle(build, do), flow.Handle(land, func(ctx context.Context, j flow.Job, in int) (landed, error) {
		_, err := do(ctx, j, in)
		return landed{}.of(in), err
	})}
}

func options(t *testing.T, dir string) temporal.Options {
	t.Helper()
	needServer(t)
	return temporal.Options{
		Client: client.Options{HostPort: server()}, Project: filepath.Base(filepath.Dir(t.TempDir())), Dir: dir, Driver: "driver",
		Limits: flow.Limits{Lanes: map[string]int{"agents": 32, "landing": 4}, Branches: 64}, Beat: 2 * time.Second, Decision: 5 * time.Second,
	}
}

// started opens a runtime and starts a run of a workflow; the caller closes it.
func started(t *testing.T, o temporal.Options, id, def string) *temporal.Runtime {
	t.Helper()
	rt, err := temporal.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Start(t.Context(), flow.NewRun{ID: id, Def: def}); err != nil {
		_ = rt.Close()
		t.Fatal(err)
	}
	return rt
}

// TestLargeRun continues histories as new ones on the way, and says how much of Temporal's limits a run takes.
func TestLargeRun(t *testing.T) {
	t.Parallel()
	n := *tasks
	if conformance.Has(t.Name()) {
		n = max(n, 200)
	}
	var ended sync.Map
	o := options(t, t.TempDir())
	o.Workflows, o.Handlers, o.Events = []flow.Runnable{fan(n)}, counting(&ended, 0), min(1000, 4*n)
	rt := started(t, o, "large", "fan")
	defer rt.Close()
	began := time.Now()
	// It judges nothing: should the run ever stand still, its history says what it waits for.
	still := time.AfterFunc(5*time.Minute, func() { toldHistory(o.Project + "/large") })
	defer still.Stop()
	st, err := rt.Drive(t.Context(), "large")
	if want := strconv.Itoa(n * (n - 1) / 2); err != nil || st.State != flow.Done || string(st.Out) != want {
		t.Fatalf("%+v %v, want %s", st, err, want)
	}
	took := time.Since(began)
	ended.Range(func(k, v any) bool {
		if v.(*atomic.Int64).Load() != 1 {
			t.Errorf("%s was done %d times", k, v.(*atomic.Int64).Load())
		}
		return true
	})
	es, err := rt.Events(t.Context(), "large", 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range es {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
	}
	c, err := client.Dial(client.Options{HostPort: server()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: fmt.Sprintf("WorkflowId = %q", o.Project+"/large")})
	if err != nil {
		t.Fatal(err)
	}
	executions, events, bytes, longest := 0, int64(0), int64(0), int64(0)
	for _, e := range list.GetExecutions() {
		executions++
		events += e.GetHistoryLength()
		bytes += e.GetHistorySizeBytes()
		longest = max(longest, e.GetHistoryLength())
	}
	t.Logf("%d tasks, %d steps: %d executions, %d events (%.1f a step), %d kB; in one history they would be %.0f %% of 51,200 events and %.0f %% of 50 MB; the longest has %d; %.1f ms a step",
		n, 2*n, executions, events, float64(events)/float64(2*n), bytes/1000, float64(events)/512, float64(bytes)/500_000, longest, float64(took.Milliseconds())/float64(2*n))
	if n <= 500 && (events > 51_200/4 || bytes > 50_000_000/4) {
		t.Errorf("%d events and %d bytes are more than a quarter of what one history may have", events, bytes)
	}
	if longest > 51_200/4 {
		t.Errorf("the longest history has %d events", longest)
	}
	if executions < 2 {
		t.Errorf("executions = %d, want the history continued as a new one", executions)
	}
}

// TestRollingRestart stops and starts three workers in turn while two hundred steps are at work. Every step comes to its end
// once, though some are begun more often.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	const n = 200
	var ended sync.Map
	o := options(t, t.TempDir())
	o.Workflows, o.Handlers = []flow.Runnable{fan(n)}, counting(&ended, 300*time.Millisecond)
	o.Limits = flow.Limits{Lanes: map[string]int{"agents": n}}
	o.Pool, o.Far, o.Hub, o.Place = "default", []string{"agents"}, &sharing{results: map[string][]byte{}}, time.Second
	home := started(t, o, "roll", "fan")
	defer home.Close()
	type worker struct {
		dir  string
		stop context.CancelFunc
		done chan error
	}
	begin := func(w *worker, host string) {
		wo := o
		wo.Dir, wo.Host, wo.Driver = w.dir, host, host
		rt, err := temporal.Open(t.Context(), wo)
		if err != nil {
			t.Error(err)
			return
		}
		ctx, cancel := context.WithCancel(t.Context())
		w.stop, w.done = cancel, make(chan error, 1)
		go func() {
			err := rt.Work(ctx, []string{"default"}, map[string]int{"agents": 8}, 10*time.Millisecond)
			_ = rt.Close()
			w.done <- err
		}()
	}
	workers := make([]*worker, 3)
	for i := range workers {
		workers[i] = &worker{dir: t.TempDir()}
		begin(workers[i], fmt.Sprint("host", i))
	}
	over := make(chan flow.Status, 1)
	go func() {
		st, err := home.Drive(t.Context(), "roll")
		if err != nil {
			t.Error(err)
		}
		over <- st
	}()
	restarts := 0
	var st flow.Status
	for st.State == "" {
		select {
		case st = <-over:
		case <-time.After(700 * time.Millisecond):
			if restarts == 9 { // each worker three times
				continue
			}
			w := workers[restarts%3]
			w.stop()
			if err := <-w.done; err != nil {
				t.Error(err)
			}
			begin(w, fmt.Sprint("host", restarts%3))
			restarts++
		}
	}
	for _, w := range workers {
		w.stop()
		<-w.done
	}
	if want := strconv.Itoa(n * (n - 1) / 2); st.State != flow.Done || string(st.Out) != want {
		t.Errorf("status = %+v, want %s", st, want)
	}
	count := 0
	ended.Range(func(k, v any) bool {
		count++
		if v.(*atomic.Int64).Load() != 1 {
			t.Errorf("%s was done %d times", k, v.(*atomic.Int64).Load())
		}
		return true
	})
	if count != 2*n || restarts < 3 {
		t.Errorf("%d steps, %d restarts, want %d and some", count, restarts, 2*n)
	}
	t.Logf("%d restarts", restarts)
}

// TestSignalsAcrossHistories answers gates while history after history is continued as a new one, each twice at once: no
// answer is lost between two histories, and none counts twice.
func TestSignalsAcrossHistories(t *testing.T) {
	t.Parallel()
	const n = 24
	var ended sync.Map
	o := options(t, t.TempDir())
	o.Project, o.Events, o.Pool, o.Far, o.Hub = "signals", 12, "signals", []string{"agents"}, &sharing{results: map[string][]byte{}}
	o.Handlers = counting(&ended, time.Millisecond)
	o.Workflows = []flow.Runnable{flow.Workflow[any, int]{Name: "gated", Fn: func(c *flow.Ctx, _ any) (int, error) {
		items := make([]int, n)
		for i := range items {
			items[i] = i
		}
		rs, err := flow.All(c, "t", items, strconv.Itoa, func(c *flow.Ctx, i int) (int, error) {
			for k := range 2 {
				at := c.Sub(strconv.Itoa(k))
				if a, err := flow.Ask(at, "go", flow.Question{Text: "go on?", Options: []string{flow.Approve}}); err != nil || a.Verb != flow.Approve {
					return 0, err
				}
				if _, err := flow.Do(at, "build", build, i); err != nil {
					return 0, err
				}
			}
			return 1, nil
		})
		return len(rs), err
	}}}
	rt := started(t, o, "r1", "gated")
	defer rt.Close()
	ctx, stop := context.WithCancel(t.Context())
	worked := make(chan error, 1)
	go func() { worked <- rt.Work(ctx, []string{"signals"}, map[string]int{"agents": 4}, 0) }()
	var people sync.WaitGroup
	for asked := map[string]bool{}; len(asked) < 2*n && !t.Failed(); {
		es, err := rt.Events(t.Context(), "r1", 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range es {
			if e.Type != flow.EventGate || asked[e.Key] {
				continue
			}
			asked[e.Key] = true
			for range 2 {
				people.Go(func() {
					err := rt.Signal(t.Context(), "r1", flow.Signal{Gate: e.Key, Verb: flow.Approve})
					if err != nil && !errors.Is(err, flow.ErrNoGate) { // the other one was first
						t.Errorf("%s: %v", e.Key, err)
					}
				})
			}
		}
	}
	people.Wait()
	c, err := client.Dial(client.Options{HostPort: server()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.GetWorkflow(t.Context(), "signals/r1", "").Get(t.Context(), nil); err != nil {
		t.Error(err)
	}
	stop()
	if err := <-worked; err != nil {
		t.Error(err)
	}
	es, err := rt.Events(t.Context(), "r1", 0)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]int{}
	for _, e := range es {
		if e.Type == flow.EventAnswer {
			answers[e.Key]++
		}
	}
	for gate, times := range answers {
		if times != 1 {
			t.Errorf("%s was answered %d times", gate, times)
		}
	}
	list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: `WorkflowId = "signals/r1"`})
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != 2*n || len(list.GetExecutions()) < 3 {
		t.Errorf("%d of %d gates were answered in %d histories", len(answers), 2*n, len(list.GetExecutions()))
	}
}

// toldHistory prints the last events of a run, and what the server holds to be at work.
func toldHistory(id string) {
	ctx := context.Background()
	c, err := client.Dial(client.Options{HostPort: server()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer c.Close()
	d, err := c.DescribeWorkflowExecution(ctx, id, "")
	fmt.Fprintln(os.Stderr, "the run stands still:", d.GetPendingActivities(), d.GetPendingWorkflowTask(), err)
	var last []string
	for it := c.GetWorkflowHistory(ctx, id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); it.HasNext(); {
		e, err := it.Next()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		text := fmt.Sprint(e)
		last = append(last, text[:min(len(text), 400)])
	}
	fmt.Fprintln(os.Stderr, strings.Join(last[max(0, len(last)-40):], "\n"))
}
