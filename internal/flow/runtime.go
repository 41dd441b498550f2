package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Runtime drives runs durably. The command line and the conformance suite use
// nothing else, so that a laptop and a cluster are interchangeable.
type Runtime interface {
	// Start makes a run durable; it does not drive it. A run that exists is ErrExists.
	Start(ctx context.Context, r NewRun) error
	// Drive carries a run on until it ends or nothing more can happen without
	// a signal, a far timer or a person. ErrDriven: somebody else drives it.
	Drive(ctx context.Context, run string) (Status, error)
	// Signal answers a gate or asks for cancel, pause or unpause; it works
	// with no driver alive. Twice is once.
	Signal(ctx context.Context, run string, s Signal) error
	// Events returns what happened in a run after a sequence number, in order.
	Events(ctx context.Context, run string, after int64) ([]Event, error)
	// Steps lists the steps of a run with their outcomes, in order of starting.
	Steps(ctx context.Context, run string) ([]StepRow, error)
	// Runs lists all runs, newest first.
	Runs(ctx context.Context) ([]Run, error)
}

// Errors of runtimes that callers branch on.
var (
	ErrExists  = errors.New("a run with this id exists")
	ErrNoRun   = errors.New("no such run")
	ErrNoGate  = errors.New("no gate with this key waits for an answer")
	ErrDamaged = errors.New("the journal is damaged")
	ErrTree    = errors.New("the gate is about another tree now")
	// ErrStopped is the cause that a handler's context is cancelled with at an
	// orderly stop: the start is ended as interrupted and not counted.
	ErrStopped = errors.New("the driver is stopping")
)

// DrivenError says who drives the run.
type DrivenError struct{ Run, Driver string }

// Error names the run and its driver.
func (e *DrivenError) Error() string {
	return fmt.Sprintf("run %s is already running in %s", e.Run, e.Driver)
}

// ChangedError says that the definition differs from the one that wrote the record.
type ChangedError struct{ Diff Diff }

// Error counts the differences; Diff has them all.
func (e *ChangedError) Error() string {
	d := e.Diff
	s := fmt.Sprintf("the workflow definition has changed: %d outcomes unused, %d started steps lost, %d inputs, shapes or results changed",
		len(d.Unused), len(d.Lost), len(d.Changed))
	if d.Bug != nil {
		s += "; it cannot run over the record: " + d.Bug.Msg
	}
	return s
}

// NewRun is what a run starts from. Meta is for the caller (for example the
// command line and the requester) and means nothing to the runtime.
type NewRun struct {
	ID   string
	Def  string
	In   json.RawMessage
	Meta json.RawMessage
}

// Check refuses a run that cannot be named or carried out with the workflows of a runtime, and gives one without an input null.
func (n *NewRun) Check(known []Runnable) error {
	if n.ID == "" || strings.HasPrefix(n.ID, ".") || strings.ContainsAny(n.ID, "/\\:") {
		return fmt.Errorf("start a run: bad id %q", n.ID)
	}
	if WorkflowOf(known, n.Def) == nil {
		return fmt.Errorf("start a run: no workflow %q", n.Def)
	}
	if len(n.In) == 0 {
		n.In = json.RawMessage("null")
	}
	return nil
}

// Signal is what people and programs say to a run. ID makes it idempotent;
// an empty one is made from the content.
type Signal struct {
	ID   string `json:"id,omitempty"`
	Verb string `json:"verb"` // approve, reject, answer; cancel, pause, unpause
	Gate string `json:"gate,omitempty"`
	Tree string `json:"tree,omitempty"`
	Text string `json:"text,omitempty"`
	By   string `json:"by,omitempty"`
}

// Check refuses what no run understands, and clears what a verb about a run has
// no use for. run is for the message.
func (s *Signal) Check(run string) error {
	switch s.Verb {
	case CancelRun, Pause, Unpause:
		s.Gate, s.Tree = "", ""
	case Approve, Reject, Reply:
		if s.Gate == "" {
			return fmt.Errorf("signal run %s: %q needs a gate", run, s.Verb)
		}
	default:
		return fmt.Errorf("signal run %s: unknown verb %q", run, s.Verb)
	}
	return nil
}

// Answer is the outcome of a gate that the signal answers, at a time in Unix milliseconds.
func (s Signal) Answer(at int64) *Rec {
	out, _ := json.Marshal(Answer{Verb: s.Verb, Text: s.Text, By: s.By, Tree: s.Tree}) // nothing but texts
	return &Rec{Out: out, At: at}
}

// The verbs that are about a run and not about a gate.
const (
	CancelRun = "cancel"
	Pause     = "pause"
	Unpause   = "unpause"
)

// RunState is where a run stands.
type RunState string

// The states of a run.
const (
	Running     RunState = "running"     // a driver is at work, or died: see Run.Driver
	Waiting     RunState = "waiting"     // for a person
	Parked      RunState = "parked"      // for a timer that is far away
	Paused      RunState = "paused"      // on request
	Interrupted RunState = "interrupted" // its driver was stopped in good order
	Stopped     RunState = "stuck"       // branches wait for each other, or the definition has a bug
	Done        RunState = "done"        // returned a value
	Errored     RunState = "failed"      // returned an error
	CancelledOK RunState = "cancelled"   // ended after a cancel
)

// Status is how Drive ended.
type Status struct {
	State    RunState        `json:"state"`
	Out      json.RawMessage `json:"out,omitempty"`
	Err      *Failure        `json:"error,omitempty"`
	Waits    []string        `json:"waits,omitempty"`
	Gates    []Gate          `json:"gates,omitempty"`
	ResumeAt time.Time       `json:"resume_at,omitzero"`
}

// Ended reports whether the run can never go on.
func (s RunState) Ended() bool { return s == Done || s == Errored || s == CancelledOK }

// Gate is a question that waits for a person.
type Gate struct {
	Key      string   `json:"key"`
	Question Question `json:"question"`
}

// Run is one line of a list of runs.
type Run struct {
	ID      string          `json:"id"`
	Def     string          `json:"workflow"`
	State   RunState        `json:"state"`
	Started time.Time       `json:"started"`
	Ended   time.Time       `json:"ended,omitzero"`
	In      json.RawMessage `json:"-"`
	Meta    json.RawMessage `json:"meta,omitempty"`
	Out     json.RawMessage `json:"-"`
	Err     *Failure        `json:"error,omitempty"`
	Gates   []Gate          `json:"gates,omitempty"`
	Driver  string          `json:"driver,omitempty"` // "" = nobody drives it now
	Engine  string          `json:"engine,omitempty"` // where it is kept; "" = on this machine
}

// StepRow is one step of a run as it is recorded; times are Unix
// milliseconds, 0 = not yet.
type StepRow struct {
	Key         string          `json:"key"`
	Kind        Kind            `json:"kind"`
	Step        string          `json:"step"`
	Branch      string          `json:"branch,omitempty"`
	Starts      int             `json:"starts"`
	Interrupted int             `json:"interrupted,omitempty"`
	Started     int64           `json:"started"`
	Ended       int64           `json:"ended,omitempty"`
	Out         json.RawMessage `json:"out,omitempty"`
	Err         *Failure        `json:"error,omitempty"`
}

// EventType says what an event is.
type EventType string

// The events of a run; they are journaled before they are shown.
const (
	EventRun      EventType = "run"      // state of the run changed; Data: {"state":…}
	EventStart    EventType = "start"    // a step was started; Data: {"step":…,"n":…}
	EventEnd      EventType = "end"      // a step has ended; Data: {"error":…} or {}
	EventNote     EventType = "note"     // Data: the fact
	EventFold     EventType = "branch"   // a branch has ended; Data: {"error":…} or {}
	EventGate     EventType = "gate"     // a gate was opened; Data: the question
	EventAnswer   EventType = "answer"   // a gate was answered; Data: the answer
	EventProgress EventType = "progress" // what a running step reports; lossy
)

// Event is one thing that happened in a run.
type Event struct {
	Seq    int64           `json:"seq"`
	Run    string          `json:"run"`
	At     time.Time       `json:"at"`
	Type   EventType       `json:"type"`
	Key    string          `json:"key,omitempty"`
	Branch string          `json:"branch,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// Blobs stores bytes by content. Put is durable when it returns.
type Blobs interface {
	Put(data []byte, typ string) (Blob, error)
	Get(b Blob) ([]byte, error)
}

// Job is what a handler is told about the start it carries out.
type Job struct {
	Run      string
	Key      string
	Branch   string
	Start    int      // number of this start of the step, from 1
	Dir      string   // folder of this attempt, made by the handler when it needs one; it survives a crash of the driver
	Previous []string // folders of earlier starts that never ended, newest first
	Mark     string   // environment mark of every process of this attempt
	Beat     func(progress any)
	Blobs    Blobs
}

// Handler carries out one kind of step.
type Handler struct {
	step string
	call func(context.Context, Job, json.RawMessage) (json.RawMessage, error)
}

// Handle makes a handler for a step. Its error means that the machinery
// broke; a *Failure says how.
func Handle[I, O any](s Step[I, O], fn func(context.Context, Job, I) (O, error)) Handler {
	return Handler{step: s.ID(), call: func(ctx context.Context, j Job, raw json.RawMessage) (json.RawMessage, error) {
		var in I
		if err := decodeStrict(raw, &in); err != nil {
			return nil, Failf(Schema, "input of %s: %v", j.Key, err)
		}
		out, err := fn(ctx, j, in)
		if err != nil {
			return nil, err
		}
		return json.Marshal(out)
	}}
}

// Step is the identity of the step that it carries out.
func (h Handler) Step() string { return h.step }

// HandlerOf is the handler of a list for a step, by its identity; nil for none.
func HandlerOf(list []Handler, step string) *Handler {
	for i := range list {
		if list[i].step == step {
			return &list[i]
		}
	}
	return nil
}

// Call runs the handler, turns a panic into a failure and refuses an output
// over MaxOutput.
func (h Handler) Call(ctx context.Context, j Job, in json.RawMessage) (out json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, Failf(Crashed, "panic in step %s: %v", j.Key, r)
		}
	}()
	out, err = h.call(ctx, j, in)
	if err == nil && len(out) > MaxOutput {
		return nil, Failf(Schema, "output of %s is %d bytes, the limit is %d: return a blob", j.Key, len(out), MaxOutput)
	}
	return out, err
}

// Clock is the time as a runtime sees it.
type Clock interface {
	Now() time.Time
	// After is closed or sends when the time has come.
	After(t time.Time) <-chan time.Time
}
