package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// history reads what a run has come to from what the server recorded. It does
// with a record what the workflow does, so it needs no worker and no
// definition. It can be followed while the run goes on.
type history struct {
	conv    converter.DataConverter
	fail    converter.FailureConverter
	m       *record
	arrived []message          // of this execution
	took    map[int]bool       // of arrived
	outs    map[string]outcome // ends that are not taken in
	keys    map[int64]task     // by the event that scheduled it
	next    string             // execution that goes on, "" = none
	drives  map[string]bool    // ids of drivers that were taken in
	events  []flow.Event
	rows    map[string]*flow.StepRow
	order   []string
}

func newHistory(conv converter.DataConverter) *history {
	return &history{
		conv: conv, fail: temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: conv}),
		drives: map[string]bool{}, rows: map[string]*flow.StepRow{},
	}
}

// read takes in one event of the server.
func (h *history) read(e *historypb.HistoryEvent) error {
	switch e.GetEventType() {
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
		return h.began(e)
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
		var msg message
		if err := h.decode(e.GetWorkflowExecutionSignaledEventAttributes().GetInput(), &msg); err != nil {
			return err
		}
		h.arrived = append(h.arrived, msg)
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		a := e.GetActivityTaskScheduledEventAttributes()
		var t task
		if err := h.decode(a.GetInput(), &t); err != nil {
			return err
		}
		h.keys[e.GetEventId()] = t
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		a := e.GetActivityTaskCompletedEventAttributes()
		var o outcome
		if err := h.decode(a.GetResult(), &o); err != nil {
			return err
		}
		h.outs[h.keys[a.GetScheduledEventId()].Key] = o
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_FAILED:
		a := e.GetActivityTaskFailedEventAttributes()
		h.lost(a.GetScheduledEventId(), h.fail.FailureToError(a.GetFailure()))
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:
		a := e.GetActivityTaskTimedOutEventAttributes()
		h.lost(a.GetScheduledEventId(), h.fail.FailureToError(a.GetFailure()))
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCELED:
		a := e.GetActivityTaskCanceledEventAttributes()
		h.lost(a.GetScheduledEventId(), temporal.NewCanceledError())
	case enumspb.EVENT_TYPE_MARKER_RECORDED:
		return h.marker(e.GetMarkerRecordedEventAttributes())
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
		h.next = e.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:
		h.m.apply(answer{At: h.m.Now, Status: flow.CancelledOK, Err: flow.Failf(flow.Cancelled, "the server was told to terminate the run: %s", e.GetWorkflowExecutionTerminatedEventAttributes().GetReason())})
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
		if !h.m.Status.Ended() {
			err := h.fail.FailureToError(e.GetWorkflowExecutionFailedEventAttributes().GetFailure())
			h.m.apply(answer{At: h.m.Now, Status: flow.Errored, Err: flow.Failf(flow.Crashed, "the workflow of the server failed: %v", err)})
		}
	default:
	}
	return nil
}

func (h *history) decode(p *commonpb.Payloads, into any) error {
	if err := h.conv.FromPayloads(p, into); err != nil {
		return fmt.Errorf("read the history of a run: %w", err)
	}
	return nil
}

func (h *history) lost(scheduled int64, err error) {
	t := h.keys[scheduled]
	h.outs[t.Key] = lost(err, t.Start)
}

// began is the start of an execution; one that continues another brings the
// same record along.
func (h *history) began(e *historypb.HistoryEvent) error {
	var p []byte
	if err := h.decode(e.GetWorkflowExecutionStartedEventAttributes().GetInput(), &p); err != nil {
		return err
	}
	m, err := unpack(p)
	if err != nil {
		return fmt.Errorf("read the history of a run: %w", err)
	}
	m.init()
	if h.m != nil {
		m.Folded = h.m.Folded
	}
	m.events = h.happened
	h.m, h.arrived, h.took, h.outs, h.keys, h.next = &m, nil, map[int]bool{}, map[string]outcome{}, map[int64]task{}, ""
	return nil
}

// happened keeps an event, and what it says of a step.
func (h *history) happened(e flow.Event) {
	h.events = append(h.events, e)
	switch e.Type {
	case flow.EventStart, flow.EventGate, flow.EventEnd, flow.EventAnswer:
	default:
		return
	}
	row := h.rows[e.Key]
	if row == nil {
		row = &flow.StepRow{Key: e.Key, Branch: e.Branch, Kind: flow.KindStep}
		h.rows[e.Key], h.order = row, append(h.order, e.Key)
	}
	at := e.At.UnixMilli()
	if e.Type == flow.EventStart {
		row.Starts, row.Started = row.Starts+1, at
		row.Step, _, _ = strings.Cut(h.m.Running[e.Key].Step, "@")
	}
	if e.Type == flow.EventGate {
		row.Kind, row.Step = flow.KindAsk, string(flow.KindAsk)
	}
	if rec := h.m.State.Recs[e.Key]; rec != nil && row.Ended == 0 {
		row.Ended, row.Out, row.Err = at, rec.Out, rec.Err
		if row.Starts == 0 && row.Kind == flow.KindStep {
			row.Kind = flow.KindTimer
		}
		row.Step, _, _ = strings.Cut(rec.Step, "@")
	}
}

func (h *history) marker(a *historypb.MarkerRecordedEventAttributes) error {
	if a.GetMarkerName() != "SideEffect" {
		return nil
	}
	var made answer
	if err := h.decode(a.GetDetails()["data"], &made); err != nil {
		return err
	}
	var msgs []message
	for _, n := range made.Took {
		if n < 0 {
			msgs = append(msgs, message{Signal: &flow.Signal{Verb: flow.CancelRun}})
			continue
		}
		if n >= len(h.arrived) {
			return errors.New("read the history of a run: a message that was taken in is not there")
		}
		h.took[n] = true
		msgs = append(msgs, h.arrived[n])
		h.drives[h.arrived[n].Drive] = true
	}
	outs := map[string]outcome{}
	for _, k := range made.Ended {
		outs[k] = h.outs[k]
		if row := h.rows[k]; row != nil && outs[k].Stopped {
			row.Interrupted++
		}
		delete(h.outs, k)
	}
	h.m.take(made.At, msgs, outs)
	if len(made.Missing) == 0 {
		h.m.apply(made)
	}
	return nil
}

// waiting are the signals that have come and were not taken in.
func (h *history) waiting() []flow.Signal {
	var out []flow.Signal
	for n, msg := range h.arrived {
		if !h.took[n] && msg.Signal != nil {
			out = append(out, *msg.Signal)
		}
	}
	return out
}

// settled reports that everything that has come was taken in and decided on.
func (h *history) settled() bool { return len(h.took) == len(h.arrived) && len(h.outs) == 0 }

// load reads a run from its beginning to what is there now.
func (r *Runtime) load(ctx context.Context, run string) (*history, error) {
	h := newHistory(r.conv)
	err := r.follow(ctx, run, false, h, nil)
	return h, err
}

// look gives what a run has come to: as it is followed by this process, or as
// the server has it.
func (r *Runtime) look(ctx context.Context, run string, fn func(*history)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	had := r.read[run]
	if had != nil && had.h.m != nil && (had.live || had.h.m.Status.Ended()) {
		fn(had.h)
		return nil
	}
	d, err := r.describe(ctx, run)
	if err != nil {
		return unknown(run, err)
	}
	info := d.GetWorkflowExecutionInfo()
	if had == nil || had.live || had.id != info.GetExecution().GetRunId() || had.length != info.GetHistoryLength() {
		h, err := r.load(ctx, run)
		if err != nil {
			return err
		}
		had = &reading{h: h, id: info.GetExecution().GetRunId(), length: info.GetHistoryLength()}
		r.read[run] = had
	}
	fn(had.h)
	return nil
}

// follow reads a run; with wait it goes on as long as the run does and until
// stop says so after an event.
func (r *Runtime) follow(ctx context.Context, run string, wait bool, h *history, stop func() bool) error {
	d, err := r.describe(ctx, run)
	if err != nil {
		return unknown(run, err)
	}
	info := d.GetWorkflowExecutionInfo()
	for id := cmp.Or(info.GetFirstRunId(), info.GetExecution().GetRunId()); id != ""; id = h.next {
		done, err := r.execution(ctx, run, id, wait, h, stop)
		if done || err != nil {
			return err
		}
	}
	return nil
}

// execution reads one execution of a run; done says that stop was reached.
func (r *Runtime) execution(ctx context.Context, run, id string, wait bool, h *history, stop func() bool) (done bool, err error) {
	var last int64
	for tries := 0; ; tries++ {
		it := r.c.GetWorkflowHistory(ctx, r.workflowID(run), id, wait, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		var next *historypb.HistoryEvent
		for it.HasNext() {
			if next, err = it.Next(); err != nil {
				break
			}
			// A task that is tried again is shown with numbers that other events
			// get later; it says nothing to us.
			if t := next.GetEventType(); t == enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED || t == enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED || next.GetEventId() <= last {
				continue
			}
			last, tries = next.GetEventId(), 0
			if wait {
				r.mu.Lock() // others look at what is followed
			}
			err = h.read(next)
			over := err == nil && stop != nil && stop()
			if wait {
				r.mu.Unlock()
			}
			if over || err != nil {
				return over, err
			}
		}
		// The server refuses to go on with a page when the run was written to
		// in certain ways meanwhile: the reading begins anew.
		var stale *serviceerror.InvalidArgument
		gone, most := away(err), mostFollowed
		if gone && !wait {
			most = mostAsked
		}
		if err == nil || tries >= most || !gone && (last == 0 || !errors.As(err, &stale)) {
			return false, unknown(run, err)
		}
		if gone && !pause(ctx) {
			return false, unknown(run, err)
		}
	}
}

// unknown gives an error of the server its meaning.
func unknown(run string, err error) error {
	if err == nil {
		return nil
	}
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return fmt.Errorf("%w: %s", flow.ErrNoRun, run)
	}
	return serverError(err)
}

// serverError says what broke between here and the server.
func serverError(err error) error {
	if err == nil {
		return nil
	}
	var denied *serviceerror.PermissionDenied
	var nowhere *serviceerror.NamespaceNotFound
	switch {
	case errors.As(err, &nowhere):
		return &flow.Failure{Class: flow.Environment, Msg: fmt.Sprintf("the Temporal server has no namespace %q: make it, or set TEMPORAL_NAMESPACE", nowhere.Namespace)}
	case errors.As(err, &denied):
		return &flow.Failure{Class: flow.Auth, Msg: "the Temporal server refuses: " + err.Error()}
	case away(err):
		return &flow.Failure{Class: flow.Environment, Msg: "the Temporal server cannot be reached: " + err.Error()}
	}
	return fmt.Errorf("ask the Temporal server: %w", err)
}

// How often a server that does not answer is asked again. It was there when the runtime was opened; one that restarts ends no run that is
// followed.
const (
	mostAsked    = 2
	mostFollowed = 20
)

// describe asks the server where a run stands.
func (r *Runtime) describe(ctx context.Context, run string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return asked(ctx, func() (*workflowservice.DescribeWorkflowExecutionResponse, error) {
		return r.c.DescribeWorkflowExecution(ctx, r.workflowID(run), "")
	})
}

// asked asks the server, and again while it does not answer: what is asked must be harmless when it came through twice.
func asked[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	for tries := 0; ; tries++ {
		got, err := ask()
		if err == nil || !away(err) || tries == mostAsked || !pause(ctx) {
			return got, err
		}
	}
}

// pause waits before a server is asked again; false: ctx is over.
func pause(ctx context.Context) bool {
	t := time.NewTimer(time.Second)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// away reports whether the server did not answer.
func away(err error) bool {
	var gone *serviceerror.Unavailable
	var late *serviceerror.DeadlineExceeded
	return errors.As(err, &gone) || errors.As(err, &late)
}
