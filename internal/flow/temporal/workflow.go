package temporal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// workflowType is the one workflow that carries out every definition. What it
// does on replay is fixed by its name: another loop is another name.
const workflowType = "flow.v1"

// signalName is the one channel of messages to a run.
const signalName = "message"

// task is the input of an activity: one start of a step.
type task struct {
	Run       string          `json:"run"`
	Key       string          `json:"key"`
	Step      string          `json:"step"`
	Branch    string          `json:"branch,omitempty"`
	Lane      string          `json:"lane,omitempty"`
	Start     int             `json:"start"`
	Shared    bool            `json:"shared,omitempty"`    // what it refers to is at the hub, and what it makes goes there
	Cancelled bool            `json:"cancelled,omitempty"` // the run was cancelled: bring it to its end at once
	In        json.RawMessage `json:"in"`
	Meta      json.RawMessage `json:"meta,omitempty"` // of the run, for a worker
}

// result is what the workflow returns.
type result struct {
	Status flow.RunState   `json:"status"`
	Out    json.RawMessage `json:"out,omitempty"`
}

// loop is one execution of the workflow.
type loop struct {
	o        *Options
	m        *record
	b        *brain           // nil while a history is replayed
	ctx      workflow.Context // does not end when the server is asked to cancel: that is a message
	messages workflow.ReceiveChannel
	happens  workflow.Selector // messages, ends of starts, the timer, the server's cancel
	arrived  int               // messages so far
	first    []arrival
	outs     map[string]outcome
	cancels  map[string]workflow.CancelFunc
	timer    workflow.CancelFunc
	timerAt  int64
}

type arrival struct {
	n   int
	msg message
}

// run is the fixed loop: wait for something, take it in, have it decided
// under SideEffect, apply the recorded answer, start what it says.
func (o *Options) run(ctx workflow.Context, p []byte) (result, error) {
	m, err := unpack(p)
	if err != nil {
		return result{}, temporal.NewNonRetryableApplicationError("read the record of the run", string(flow.Schema), err)
	}
	l := &loop{o: o, m: &m, messages: workflow.GetSignalChannel(ctx, signalName), outs: map[string]outcome{}, cancels: map[string]workflow.CancelFunc{}}
	// What was started is told to stop by the loop, never torn away from it.
	l.ctx, _ = workflow.NewDisconnectedContext(ctx)
	l.listen(ctx)
	m.init()
	if err := l.answers(); err != nil {
		return result{}, err
	}
	for {
		took, ended := l.gather()
		a, err := l.decide(took, ended)
		if err != nil {
			return result{}, err
		}
		if len(a.Missing) > 0 {
			if err := l.fetch(a.Missing); err != nil {
				return result{}, err
			}
			continue
		}
		m.apply(a)
		if err := l.show(); err != nil {
			return result{}, err
		}
		for _, w := range a.Starts {
			l.start(w)
		}
		switch {
		case a.Status == flow.Errored:
			return result{}, temporal.NewNonRetryableApplicationError(a.Err.Error(), string(a.Err.Class), nil, result{Status: a.Status})
		case a.Status.Ended():
			return result{Status: a.Status, Out: a.Out}, nil
		case a.Again:
			continue
		case l.full() && len(m.Running) == 0 && !l.pending():
			p, err := pack(&m)
			if err != nil {
				return result{}, temporal.NewNonRetryableApplicationError(err.Error(), string(flow.Budget), nil)
			}
			return result{}, workflow.NewContinueAsNewError(l.ctx, workflowType, p)
		}
		l.wait()
	}
}

// listen says what the loop waits for.
func (l *loop) listen(ctx workflow.Context) {
	l.happens = workflow.NewSelector(l.ctx).AddReceive(l.messages, func(c workflow.ReceiveChannel, _ bool) {
		var msg message
		c.Receive(l.ctx, &msg)
		l.first = append(l.first, arrival{l.arrived, msg})
		l.arrived++
	})
	// A closed channel would be ready for ever.
	cancelled, set := workflow.NewFuture(l.ctx)
	workflow.Go(l.ctx, func(inner workflow.Context) {
		ctx.Done().Receive(inner, nil)
		set.SetValue(nil)
	})
	l.happens.AddFuture(cancelled, func(workflow.Future) {
		l.first = append(l.first, arrival{-1, message{Signal: &flow.Signal{Verb: flow.CancelRun}}})
	})
}

// gather takes in everything that is there. When another definition takes
// over, that alone: it decides before anything else counts.
func (l *loop) gather() (took []int, ended []string) {
	for l.happens.HasPending() {
		l.happens.Select(l.ctx)
	}
	var msgs []message
	now := l.first
	l.first = nil
	if i := slices.IndexFunc(now, func(a arrival) bool { return a.msg.Adopt }); i >= 0 {
		l.first = slices.Delete(slices.Clone(now), i, i+1)
		now = now[i : i+1]
		took, msgs = []int{now[0].n}, []message{now[0].msg}
	} else {
		for _, a := range now {
			took, msgs = append(took, a.n), append(msgs, a.msg)
		}
	}
	outs := l.outs
	l.outs = map[string]outcome{}
	for k := range outs {
		ended = append(ended, k)
		delete(l.cancels, k)
	}
	slices.Sort(ended)
	f := l.m.take(workflow.Now(l.ctx).UnixMilli(), msgs, outs)
	if f.rebuilt {
		l.b = nil
	}
	if l.b != nil {
		l.b.feed(f)
	}
	if f.cancelled != 0 {
		for _, k := range slices.Sorted(maps.Keys(l.cancels)) { // on replay in the same order
			l.cancels[k]()
		}
	}
	return took, ended
}

// decide has the decision made once and recorded.
func (l *loop) decide(took []int, ended []string) (answer, error) {
	full := l.full()
	var a answer
	err := workflow.SideEffect(l.ctx, func(workflow.Context) any {
		if flow.WorkflowOf(l.o.Workflows, l.m.State.Def) == nil {
			return l.made(bug(flow.Failf(flow.Definition, "this worker has no workflow %q", l.m.State.Def)), took, ended)
		}
		if l.b == nil {
			l.o.fits(l.m)
			l.b = newBrain(l.o, l.m)
		}
		made := l.b.decide(l.m, full)
		if made.Status == flow.Stopped || len(made.Missing) > 0 {
			defer func() { l.b = nil }()
		}
		return l.made(made, took, ended)
	}).Get(&a)
	return a, err
}

// fits fails the task of a worker of a pool that is of another version than
// what has decided so far: the server gives it to the next one. A definition
// that agrees with the record so far may still go on differently.
func (o *Options) fits(m *record) {
	if m.Pool == "" || o.Version == m.Version {
		return
	}
	err := fmt.Errorf("run %s is of version %s, and this worker of %s: it is left to others", m.Run, m.Version, o.Version)
	if o.Warn != nil {
		o.Warn(err)
	}
	panic(err)
}

func (l *loop) made(a answer, took []int, ended []string) answer {
	a.At, a.Took, a.Ended = l.m.Now, took, ended
	if l.o.Committed != nil {
		l.o.committed()
	}
	// An activity is scheduled with its input, which is not recorded twice.
	starts := slices.Clone(a.Starts)
	for i := range starts {
		starts[i].In = nil
	}
	a.Starts = starts
	return a
}

// full says that the history should be continued as a new one.
func (l *loop) full() bool {
	info := workflow.GetInfo(l.ctx)
	return info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() >= l.m.Limits.Events || info.GetCurrentHistorySize() >= l.m.Limits.Bytes
}

// pending says that something has come which is not taken in.
func (l *loop) pending() bool { return len(l.first) > 0 || l.happens.HasPending() }

func (l *loop) start(w flow.Want) {
	m := l.m
	in := task{Run: m.Run, Key: w.Key, Step: w.Step, Branch: w.Branch, Lane: w.Lane, Shared: m.Pool != "", Start: m.Starts[w.Key], Cancelled: m.State.Cancelled != 0}
	if l.b != nil {
		in.In = l.b.wants[w.Key].In
	}
	if in.Shared {
		in.Meta = m.Meta
	}
	name, _, _ := strings.Cut(w.Step, "@")
	id := w.Key
	if in.Cancelled && in.Start > 1 { // the SDK never lets go of the id of what it has asked to be cancelled
		id = fmt.Sprintf("%s#%d", id, in.Start)
	}
	queue, own := m.queueOf(w)
	var place time.Duration
	if own { // that worker may be gone
		place = time.Duration(m.Limits.Place) * time.Millisecond
	}
	ctx, cancel := workflow.WithCancel(workflow.WithActivityOptions(l.ctx, workflow.ActivityOptions{
		TaskQueue: queue, ScheduleToStartTimeout: place, ActivityID: id, Summary: w.Key, WaitForCancellation: true,
		StartToCloseTimeout: longest, HeartbeatTimeout: time.Duration(m.Limits.Beat) * time.Millisecond,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1}, // a retry is a decision
	}))
	l.cancels[w.Key] = cancel
	future := workflow.ExecuteActivity(ctx, name, in)
	l.happens.AddFuture(future, func(f workflow.Future) {
		var o outcome
		if err := f.Get(l.ctx, &o); err != nil {
			o = lost(err, in.Start)
		}
		l.outs[w.Key] = o
	})
}

// longest is how long a step may take; its handler has limits of its own.
const longest = 30 * 24 * time.Hour

// lost says what became of a start whose worker did not report. One that was
// given to a worker and never begun has sent no heartbeat.
func lost(err error, start int) outcome {
	o := outcome{Lost: true}
	var timeout *temporal.TimeoutError
	var cancelled *temporal.CanceledError
	var app *temporal.ApplicationError
	switch {
	case errors.As(err, &timeout):
		if timeout.HasLastHeartbeatDetails() {
			o.Begun = timeout.LastHeartbeatDetails(&o.Beat) == nil
		}
	case errors.As(err, &cancelled) && start == 1:
		return outcome{Err: flow.ErrCancelled}
	case errors.As(err, &app) && app.Type() == lostType:
		o.Begun = app.Details(&o.Beat) == nil
	}
	return o
}

// lostType marks the report of a worker about a start that its process did not survive.
const lostType = "lost"

// wait blocks until there is something to take in.
func (l *loop) wait() {
	m := l.m
	if at := m.next(); !m.Manual && at != l.timerAt {
		if l.timer != nil {
			l.timer()
			l.timer = nil
		}
		l.timerAt = at
		if at != 0 {
			l.sleep(at)
		}
	}
	if len(l.first) == 0 {
		l.happens.Select(l.ctx)
	}
}

func (l *loop) sleep(at int64) {
	ctx, cancel := workflow.WithCancel(l.ctx)
	l.timer = cancel
	d := time.UnixMilli(at).Sub(workflow.Now(l.ctx))
	l.happens.AddFuture(workflow.NewTimer(ctx, max(d, time.Millisecond)), func(workflow.Future) {
		if l.timerAt == at {
			l.timerAt = 0
		}
	})
}

// fetch has the worker that decides bring bytes near.
func (l *loop) fetch(refs []flow.Blob) error {
	ctx := workflow.WithLocalActivityOptions(l.ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 5 * time.Minute})
	return workflow.ExecuteLocalActivity(ctx, l.o.Hub.Fetch, l.m.Run, refs).Get(ctx, nil)
}
