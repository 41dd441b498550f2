//go:build unix

package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
)

const bulkSteps = 40

// bulk writes outputs of 50 KB, one after the other.
func bulk(dir string) local.Options {
	step := flow.Step[int, string]{Name: "bulk"}
	w := flow.Workflow[any, int]{Name: "bulk", Fn: func(c *flow.Ctx, _ any) (int, error) {
		total := 0
		for i, c := range flow.Rounds(c, "r", bulkSteps) {
			v, err := flow.Do(c, "x", step, i)
			if err != nil {
				return 0, err
			}
			total += len(v)
		}
		return total, nil
	}}
	h := flow.Handle(step, func(_ context.Context, _ flow.Job, i int) (string, error) {
		return strings.Repeat(string(rune('a'+i%26)), 50_000), nil
	})
	return local.Options{Dir: dir, Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{h}}
}

// full drives until the disk is full and says how: the class of the error and
// how many outcomes the journal had.
func full(ctx context.Context, dir string) (string, error) {
	rt, err := local.Open(ctx, bulk(dir))
	if err != nil {
		return "", err
	}
	defer rt.Close()
	if err = rt.Start(ctx, flow.NewRun{ID: "r1", Def: "bulk"}); err != nil {
		return "", err
	}
	st, err := rt.Drive(ctx, "r1")
	return fmt.Sprint(st.State, flow.ClassOf(err)), nil
}

// afterFull reads what a full disk left and goes on with space.
func afterFull(t *testing.T, dir string, free func()) {
	t.Helper()
	rt, err := local.Open(t.Context(), bulk(dir))
	if err != nil {
		t.Fatalf("open on the full disk: %v", err)
	}
	defer rt.Close()
	before, err := rt.Steps(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]int64{}
	for _, r := range before {
		if r.Ended != 0 {
			done[r.Key] = r.Ended
			var out string
			if json.Unmarshal(r.Out, &out) != nil || len(out) != 50_000 {
				t.Errorf("outcome of %s is half written: %d bytes", r.Key, len(r.Out))
			}
		}
	}
	if len(done) == 0 || len(done) >= bulkSteps {
		t.Fatalf("outcomes on the full disk = %d, want some of %d", len(done), bulkSteps)
	}
	es, err := rt.Events(t.Context(), "r1", 0)
	if err != nil {
		t.Fatal(err)
	}
	ends := 0
	for _, e := range es {
		if e.Type == flow.EventEnd {
			ends++
		}
	}
	if ends != len(done) {
		t.Errorf("%d ends in the events, %d outcomes", ends, len(done))
	}
	free()
	st, err := rt.Drive(t.Context(), "r1")
	if err != nil || st.State != flow.Done || string(st.Out) != fmt.Sprint(bulkSteps*50_000) {
		t.Fatalf("after space was freed: %+v, %v", st, err)
	}
	after, err := rt.Steps(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range after {
		if at, ok := done[r.Key]; ok && (at != r.Ended || r.Starts != 1) {
			t.Errorf("%s had its outcome and was run again: %+v", r.Key, r.Starts)
		}
	}
}

// TestFileSizeLimit needs no privilege: a child process may not write files of
// more than 800 KB, so its log is "full".
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), exe, "full-disk", dir).CombinedOutput()
	if err != nil || string(out) != "environment" {
		t.Fatalf("drive in the child = %q, %v, want the class environment", out, err)
	}
	afterFull(t, dir, func() {})
}

func fullChild(dir string) int {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 800_000, Max: 800_000}); err != nil {
		fmt.Println(err)
		return 1
	}
	got, err := full(context.Background(), dir)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Print(got)
	return 0
}

// TestSpaceFreedTooLate has the log full while another step is at work, which
// frees space and ends well: the call fails, but both outcomes are kept.
func TestSpaceFreedTooLate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), exe, "full-disk-freed", dir).CombinedOutput()
	if err != nil || string(out) != "environment" {
		t.Fatalf("drive in the child = %q, %v, want the class environment", out, err)
	}
	o, calls := freed(dir, func() {})
	rt, err := local.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	rows, err := rt.Steps(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Ended == 0 {
			t.Errorf("the outcome of %s was lost", r.Key)
		}
	}
	if st, err := rt.Drive(t.Context(), "r1"); err != nil || string(st.Out) != `[2000000,5]` || calls.Load() != 0 {
		t.Errorf("after space was freed: %s, %v, %d calls of the one that freed it", st.Out, err, calls.Load())
	}
}

// freed is bulk beside a step that frees space when it is told to stop.
func freed(dir string, free func()) (local.Options, *atomic.Int64) {
	o := bulk(dir)
	inner := o.Workflows[0].(flow.Workflow[any, int])
	saver := flow.Step[int, string]{Name: "saver"}
	calls := &atomic.Int64{}
	o.Workflows = []flow.Runnable{flow.Workflow[any, []int]{Name: "bulk", Fn: func(c *flow.Ctx, _ any) ([]int, error) {
		return flow.All(c, "p", []string{"bulk", "saver"}, strings.Clone, func(c *flow.Ctx, s string) (int, error) {
			if s == "bulk" {
				return inner.Fn(c, nil)
			}
			v, err := flow.Do(c, "x", saver, 0)
			return len(v), err
		})
	}}}
	o.Handlers = append(o.Handlers, flow.Handle(saver, func(ctx context.Context, _ flow.Job, _ int) (string, error) {
		calls.Add(1)
		<-ctx.Done()
		free()
		return "saved", nil
	}))
	return o, calls
}

func freedChild(dir string) int {
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return 1
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 800_000, Max: was.Max}); err != nil {
		return 1
	}
	o, _ := freed(dir, func() { _ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was) })
	ctx := context.Background()
	rt, err := local.Open(ctx, o)
	if err != nil {
		return 1
	}
	defer rt.Close()
	if err = rt.Start(ctx, flow.NewRun{ID: "r1", Def: "bulk"}); err != nil {
		return 1
	}
	_, err = rt.Drive(ctx, "r1")
	fmt.Print(flow.ClassOf(err))
	return 0
}

// TestFullDisk uses a file system of its own where the test may mount one;
// TestFileSizeLimit is the same story where it may not.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if !mountSmall(t, dir) {
		t.Log("no privilege to mount a file system: see TestFileSizeLimit")
		return
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 3<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "state")
	got, err := full(t.Context(), state)
	if err != nil || got != "environment" {
		t.Fatalf("drive = %q, %v, want the class environment", got, err)
	}
	if _, err := full(t.Context(), filepath.Join(dir, "other")); flow.ClassOf(err) != flow.Environment {
		t.Errorf("open on a full disk = %v, want the class environment", err)
	}
	afterFull(t, state, func() {
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	})
}
