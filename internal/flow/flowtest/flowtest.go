// Package flowtest is the suite that every runtime of package flow passes.
//
// A runtime's own tests call Exercise and Kills with a function that opens it,
// and hand the command line of child processes to Child:
//
//	func TestMain(m *testing.M) {
//		if spec, ok := flowtest.IsChild(os.Args); ok {
//			os.Exit(flowtest.Child(context.Background(), spec, open))
//		}
//		os.Exit(m.Run())
//	}
//
// The suite uses nothing but flow.Runtime, so it knows no storage.
package flowtest

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Options is what a story asks of a runtime.
type Options struct {
	Workflows []flow.Runnable
	Handlers  []flow.Handler
	Limits    flow.Limits
	Clock     flow.Clock // nil = the system's
	Blobs     flow.Blobs
	Driver    string
	Version   string
	Accept    bool
	MaxWait   time.Duration
	Committed func(n int) // called after every append with its number
}

// Runtime is a runtime that can be closed; its runs stay in the store.
type Runtime interface {
	flow.Runtime
	Close() error
}

// Open opens a runtime over the store in a folder, which holds what earlier
// runtimes of this and other processes left there.
type Open func(ctx context.Context, dir string, o Options) (Runtime, error)

// Exercise runs every story against a runtime, each with a store of its own.
func Exercise(t *testing.T, open Open) {
	t.Helper()
	stories := map[string]func(*testing.T, *lab){
		"KeysNotPositions": keysNotPositions, "BranchesWaitForSiblings": branchesWait, "AllNeverFailsFast": allJoins,
		"StartOnce": startOnce, "EndedStaysEnded": endedStaysEnded,
		"GateAcrossRuntimes": gateAcrossRuntimes, "GateAnsweredWhileDriven": gateWhileDriven, "BadSignals": badSignals,
		"NearTimer": nearTimer, "FarTimerParks": farTimer, "TimerDoesNotMove": timerDoesNotMove,
		"CancelBeforeStart": cancelBefore, "CancelRunning": cancelRunning, "CancelManyRunning": cancelManyRunning, "CancelledStarted": cancelledStarted,
		"CancelPaused": cancelPaused, "Pause": pause, "RetryIsNewKey": retryIsNewKey, "OrderlyStopNotCounted": orderlyStop,
		"RoundLimitAcrossCrash": roundLimit, "WastedAfterThreeStarts": wastedAfterThree, "ProgressResets": progressResets,
		"BigOutput": bigOutput, "LaneLimits": laneLimits, "OpenBranches": openBranches, "OpenBranchesAcrossCrash": openAcrossCrash,
		"UnchangedDefinition": unchanged, "ChangedDefinition": changed, "ChangedFinishedBranch": changedFinished, "ChangedShape": changedShape, "ChangedGate": changedGate,
		"BugIsNotRecorded": bugNotRecorded, "BugLosesNothing": bugLosesNothing, "MissingHandler": missingHandler,
		"TwoDrivers": twoDrivers, "Deadlock": deadlock, "NotesOnceEventsInOrder": notesAndEvents,
	}
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, newLab(t, open))
		})
	}
}

// lab is one story's store, clock and count of handler calls.
type lab struct {
	t     *testing.T
	open  Open
	dir   string
	clock *Clock
	mu    sync.Mutex
	calls map[string]int // by key
	order []string
}

const run = "r1"

// hung is when what goes on counts as something that never ends. It judges no speed: nothing takes a tenth of it.
const hung = 10 * time.Minute

func newLab(t *testing.T, open Open) *lab {
	t.Helper()
	return &lab{t: t, open: open, dir: t.TempDir(), clock: NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), calls: map[string]int{}}
}

// fresh is a lab of its own for a part of a story.
func (l *lab) fresh(t *testing.T) *lab {
	t.Helper()
	return newLab(t, l.open)
}

// runtime opens one more runtime over the store, as another process would.
func (l *lab) runtime(o Options) Runtime {
	l.t.Helper()
	if o.Clock == nil {
		o.Clock = l.clock
	}
	rt, err := l.open(l.t.Context(), l.dir, o)
	if err != nil {
		l.t.Fatalf("open: %v", err)
	}
	l.t.Cleanup(func() { _ = rt.Close() })
	return rt
}

// begin starts the run of the first workflow of o and returns its runtime.
func (l *lab) begin(o Options, in string) Runtime {
	l.t.Helper()
	rt := l.runtime(o)
	if err := rt.Start(l.t.Context(), flow.NewRun{ID: run, Def: o.Workflows[0].Def(), In: json.RawMessage(in)}); err != nil {
		l.t.Fatalf("start: %v", err)
	}
	return rt
}

// drive carries the run on in the calling goroutine.
func (l *lab) drive(rt Runtime) flow.Status {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), hung)
	defer cancel()
	st, err := rt.Drive(ctx, run)
	if err != nil {
		l.t.Fatalf("drive: %v", err)
	}
	if ctx.Err() != nil {
		l.t.Fatalf("drive: no end within %s: %+v", hung, st)
	}
	return st
}

// driven is a call of Drive that goes on in the background.
type driven struct {
	l    *lab
	stop context.CancelFunc
	st   flow.Status
	err  error
	done chan struct{}
}

func (l *lab) background(rt Runtime) *driven {
	ctx, cancel := context.WithTimeout(l.t.Context(), hung)
	d := &driven{l: l, stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		d.st, d.err = rt.Drive(ctx, run)
	}()
	l.t.Cleanup(func() { cancel(); <-d.done })
	return d
}

func (d *driven) wait() flow.Status {
	d.l.t.Helper()
	<-d.done
	if d.err != nil {
		d.l.t.Fatalf("drive: %v", d.err)
	}
	return d.st
}

func (l *lab) signal(rt Runtime, s flow.Signal) {
	l.t.Helper()
	if err := rt.Signal(l.t.Context(), run, s); err != nil {
		l.t.Fatalf("signal %s: %v", s.Verb, err)
	}
}

// want compares a status with a state and the JSON of the output.
func (l *lab) want(st flow.Status, state flow.RunState, out string) {
	l.t.Helper()
	if st.State != state || out != "" && string(st.Out) != out {
		l.t.Fatalf("status = %s out %s err %v waits %v, want %s out %s", st.State, st.Out, st.Err, st.Waits, state, out)
	}
}

// called records a call of a handler.
func (l *lab) called(j flow.Job) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[j.Key]++
	l.order = append(l.order, j.Key)
	return l.calls[j.Key]
}

func (l *lab) count(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls[key]
}

func (l *lab) wantCalls(want map[string]int) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, n := range want {
		if l.calls[k] != n {
			l.t.Errorf("handler calls for %s = %d, want %d (all: %v)", k, l.calls[k], n, l.calls)
		}
	}
	for k, n := range l.calls {
		if _, ok := want[k]; !ok {
			l.t.Errorf("%d unexpected handler calls for %s", n, k)
		}
	}
}

// eventually polls until ok holds.
func (l *lab) eventually(what string, ok func() bool) {
	l.t.Helper()
	deadline := time.NewTimer(hung)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			l.t.Fatalf("not within %s: %s", hung, what)
		}
	}
}

func (l *lab) events(rt Runtime) []flow.Event {
	l.t.Helper()
	es, err := rt.Events(l.t.Context(), run, 0)
	if err != nil {
		l.t.Fatalf("events: %v", err)
	}
	return es
}

// keys lists the keys of the events of one type, in order.
func keys(es []flow.Event, typ flow.EventType) []string {
	var out []string
	for _, e := range es {
		if e.Type == typ {
			out = append(out, e.Key)
		}
	}
	return out
}

func counted(list []string) map[string]int {
	out := map[string]int{}
	for _, s := range list {
		out[s]++
	}
	return out
}

// work is the plain step of the stories: it answers its input and a mark.
var work = flow.Step[string, string]{Name: "work", Lane: "work"} //nolint:gochecknoglobals // a constant

// worker is a handler of work that counts its calls.
func (l *lab) worker() flow.Handler {
	return flow.Handle(work, func(_ context.Context, j flow.Job, in string) (string, error) {
		l.called(j)
		return in + "!", nil
	})
}

// blocker is a handler of work that blocks until its context ends or release
// is closed; started says when it is at work.
func (l *lab) blocker(release <-chan struct{}) flow.Handler {
	return flow.Handle(work, func(ctx context.Context, j flow.Job, in string) (string, error) {
		l.called(j)
		select {
		case <-release:
			return in + "!", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	})
}

// define makes a workflow without input.
func define[O any](name string, fn func(*flow.Ctx) (O, error)) flow.Workflow[any, O] {
	return flow.Workflow[any, O]{Name: name, Fn: func(c *flow.Ctx, _ any) (O, error) { return fn(c) }}
}

func self(s string) string { return s }

// sequence does a list of steps with keys of their own.
func sequence(c *flow.Ctx, names ...string) (string, error) {
	out := ""
	for _, n := range names {
		v, err := flow.Do(c, n, work, n)
		if err != nil {
			return out, err
		}
		out += v
	}
	return out, nil
}
