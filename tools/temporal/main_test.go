package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// asServer in the environment makes the test binary the server.
const asServer = "TEMPORAL_TEST_SERVER_SELF"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		main()
	}
	os.Exit(m.Run())
}

type process struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	stderr  *buffer
	address string
	ended   chan struct{}
}

// launch starts the program: the one that JACQUARD_TEST_TEMPORAL names, or this binary.
func launch(t *testing.T, args ...string) (*process, bool) {
	t.Helper()
	path := os.Getenv("JACQUARD_TEST_TEMPORAL")
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	p := &process{cmd: exec.Command(path, append([]string{"-stdin"}, args...)...), stderr: &buffer{}, ended: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), asServer+"=1")
	p.cmd.Stderr = p.stderr
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdin, p.cmd.Stdout = stdin, w
	err = p.cmd.Start()
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	begun := time.Now()
	line, _ := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	t.Logf("%q after %s", line, time.Since(begun).Round(time.Millisecond))
	p.address = address
	return p, ok
}

func serving(t *testing.T, args ...string) *process {
	t.Helper()
	p, ok := launch(t, args...)
	if !ok {
		p.wait(t)
		t.Fatalf("the server did not start:\n%s", p.stderr)
	}
	return p
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

func (p *process) wait(t *testing.T) int {
	t.Helper()
	<-p.ended // one that does not end is shown by the time limit of all tests
	return p.cmd.ProcessState.ExitCode()
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func dial(t *testing.T, p *process) client.Client {
	t.Helper()
	c, err := client.DialContext(t.Context(), client.Options{HostPort: p.address, Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

type quiet struct{}

func (quiet) Debug(string, ...any)               {}
func (quiet) Info(string, ...any)                {}
func (quiet) Warn(string, ...any)                {}
func (quiet) Error(string, ...any)               {}
func (q quiet) With(...any) sdklog.Logger        { return q }
func (q quiet) WithCallerSkip(int) sdklog.Logger { return q }

const queue = "tests"

var project = temporal.NewSearchAttributeKeyKeyword("Project")

// steps is a workflow of n activities, which then waits for a signal if it is asked to.
func steps(ctx workflow.Context, n int, waits bool) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	for range n {
		if err := workflow.ExecuteActivity(ctx, "act").Get(ctx, nil); err != nil {
			return "", err
		}
	}
	word := "done"
	if waits {
		workflow.GetSignalChannel(ctx, "go").Receive(ctx, &word)
	}
	return word, nil
}

// work runs a worker until the test ends and counts the activities.
func work(t *testing.T, c client.Client) *atomic.Int32 {
	t.Helper()
	var acts atomic.Int32
	w := worker.New(c, queue, worker.Options{WorkerStopTimeout: time.Second})
	w.RegisterWorkflow(steps)
	w.RegisterActivityWithOptions(func(context.Context) error {
		acts.Add(1)
		return nil
	}, activity.RegisterOptions{Name: "act"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return &acts
}

func begin(t *testing.T, c client.Client, id string, n int, waits bool) client.WorkflowRun {
	t.Helper()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: id, TaskQueue: queue, TypedSearchAttributes: temporal.NewSearchAttributes(project.ValueSet(id)),
	}, steps, n, waits)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func result(t *testing.T, run client.WorkflowRun) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var word string
	if err := run.Get(ctx, &word); err != nil {
		t.Fatal(err)
	}
	return word
}

// eventually polls; the text of the last failure is reported.
func eventually(t *testing.T, what string, do func() error) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Minute)
	for {
		err := do()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestKilledServerContinues(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "temporal.db")
	first := serving(t, "-db", db, "-search-attribute", "Project=Keyword")
	c := dial(t, first)
	acts := work(t, c)
	if got := result(t, begin(t, c, "before", 1, false)); got != "done" {
		t.Fatalf("the first workflow said %q", got)
	}
	run := begin(t, c, "over", 1, true)
	eventually(t, "the activity has run", func() error {
		n, err := completedActivities(t, c, "over")
		if err == nil && n != 1 {
			err = fmt.Errorf("%d completed activities", n)
		}
		return err
	})
	first.kill()

	_, port, _ := strings.Cut(first.address, ":")
	second := serving(t, "-db", db, "-port", port, "-search-attribute", "Project=Keyword", "-search-attribute", "Phase=Keyword")
	if second.address != first.address {
		t.Fatalf("second start at %s, want %s", second.address, first.address)
	}
	eventually(t, "signal", func() error {
		return c.SignalWorkflow(t.Context(), "over", run.GetRunID(), "go", "signalled")
	})
	if got := result(t, run); got != "signalled" {
		t.Errorf("the workflow said %q", got)
	}
	if got := acts.Load(); got != 2 {
		t.Errorf("%d activities ran, want 2", got)
	}
	if n, err := completedActivities(t, c, "over"); n != 1 || err != nil {
		t.Errorf("history has %d completed activities (%v), want 1", n, err)
	}
	eventually(t, "one closed run is listed", func() error {
		list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Query: "Project = 'over' and ExecutionStatus = 'Completed'",
		})
		if err == nil && len(list.GetExecutions()) != 1 {
			err = fmt.Errorf("%d executions", len(list.GetExecutions()))
		}
		return err
	})
	if err := second.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := second.wait(t); code != 0 {
		t.Errorf("SIGTERM: exit %d\n%s", code, second.stderr)
	}
	third, ok := launch(t, "-db", db, "-search-attribute", "Phase=Int")
	if code := third.wait(t); ok || code == 0 || !strings.Contains(third.stderr.String(), "Phase is a Keyword") {
		t.Errorf("another type for Phase: ready %v, exit %d\n%s", ok, code, third.stderr)
	}
}

func completedActivities(t *testing.T, c client.Client, id string) (int, error) {
	t.Helper()
	n := 0
	events := c.GetWorkflowHistory(t.Context(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			return n, err
		}
		if e.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			n++
		}
	}
	return n, nil
}

func TestSideBySide(t *testing.T) {
	t.Parallel()
	for range 2 {
		p := serving(t, "-search-attribute", "Project=Keyword", "-dynamic-config", "limit.maxIDLength=200")
		c := dial(t, p)
		acts := work(t, c)
		begun := time.Now()
		result(t, begin(t, c, "many", 50, false))
		t.Logf("50 activities in %s", time.Since(begun).Round(time.Millisecond))
		if got := acts.Load(); got != 50 {
			t.Errorf("%d activities ran, want 50", got)
		}
		t.Cleanup(func() {
			_ = p.stdin.Close()
			if code := p.wait(t); code != 0 {
				t.Errorf("end of stdin: exit %d", code)
			}
			if s := p.stderr.String(); s != "" {
				t.Logf("stderr: %s", s)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "temporal.db")
	holder := serving(t, "-db", db, "-search-attribute", "Project=Keyword")
	_, port, _ := strings.Cut(holder.address, ":")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"database in use":   {[]string{"-db", db}, "locked"},
		"port in use":       {[]string{"-port", port}, "address already in use"},
		"unknown type":      {[]string{"-search-attribute", "A=Word"}, `"Word" is not a type`},
		"unknown setting":   {[]string{"-dynamic-config", "a.b=1"}, "unregistered key"},
		"bad setting":       {[]string{"-dynamic-config", "limit.maxIDLength=many"}, "validation failed"},
		"missing directory": {[]string{"-db", filepath.Join(db, "none", "x.db")}, "create tables"},
		"no port":           {[]string{"-port", "70000"}, "not a port"},
		"unknown flag":      {[]string{"-ui"}, "not defined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ok := launch(t, c.args...)
			if ok {
				t.Fatal("the server started")
			}
			if code := p.wait(t); code == 0 || !strings.Contains(p.stderr.String(), c.want) {
				t.Errorf("exit %d, want a failure that says %q:\n%s", code, c.want, p.stderr)
			}
		})
	}
}
