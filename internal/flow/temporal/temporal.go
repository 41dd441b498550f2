// Package temporal is the runtime for many machines: the same definitions on
// a Temporal cluster, through Temporal's SDK only.
//
// One generic workflow type carries out every definition. A decision is made
// in workflow.SideEffect, and everything it changes is applied from its
// recorded answer: a history is replayed without any definition, so that a
// changed one never makes it nondeterministic. The same record is built by
// whoever reads a history, so that lists, events and states need no worker.
package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
)

// Options is what a runtime needs.
type Options struct {
	Client    client.Options // where the cluster is
	Project   string         // runs of one project are listed together
	Dir       string         // on this machine: the outbox and the folders of starts
	Workflows []flow.Runnable
	Handlers  []flow.Handler
	Limits    flow.Limits
	Clock     flow.Clock // nil = the server's time; tests give their own
	Blobs     flow.Blobs // nil = runs that use no blobs
	// Pool is the name of the workers that new runs are given to, "" = whoever
	// drives a run carries it out alone. Far are the lanes that workers take; the
	// others stay on the machine where the run was started. Hub is how these
	// machines share what steps refer to.
	Pool string
	Far  []string
	Hub  Hub
	// Place is how long a step waits for the worker that has the files of its
	// branch before any other gets it; 0 = 2 min.
	Place time.Duration
	// Warn is told what this machine waits for; nil = nobody.
	Warn func(error)
	Host string // names this machine among workers; the same after a restart
	// Begun is told of each step that this process begins, and what it returns
	// of the step's end; nil = nobody.
	Begun func(lane string) (ended func(failed bool))
	// Admit says whether this machine may carry out a step of a run that was started elsewhere, by the run's Meta; an error ends the step. nil = it may.
	Admit     func(meta json.RawMessage) error
	Driver    string
	Version   string // of the definitions; another one is compared when a run goes on
	Accept    bool
	MaxWait   time.Duration // see flow/local
	Sweep     func(mark string)
	Committed func(n int) // for tests that kill the process after a decision or a result
	Progress  func(flow.Event)
	// Describe says for which git branch a new run is and who asked for it, so
	// that people find it; nil = nobody knows.
	Describe func(ctx context.Context, n flow.NewRun) (branch, requester string)
	// Phase reads the phase that a note begins, "" = none. It is asked when a
	// decision is made, never on replay.
	Phase func(n flow.NoteRec) string
	// Beat is after how long without a heartbeat a step of a worker is lost;
	// 0 = 30 s.
	Beat time.Duration
	// Decision is after how long a decision of a worker is lost; 0 = 10 s.
	Decision time.Duration
	// Events is after how many events a history is continued as a new one;
	// 0 = 8,000, of the 51,200 that a server allows.
	Events int

	commits *atomic.Int64
}

// Hub carries what steps refer to between machines; see package hub.
type Hub interface {
	// Bring makes everything that a value refers to be on this machine.
	Bring(ctx context.Context, run string, raw []byte) error
	// Keep makes a result durable for all machines and returns the one that counts.
	Keep(ctx context.Context, run, key string, in, result []byte) ([]byte, error)
	// Find gives the result that any machine has made durable; nil = none.
	Find(ctx context.Context, run, key string) ([]byte, error)
	// Fetch brings blobs near.
	Fetch(ctx context.Context, run string, refs []flow.Blob) error
}

// maxBytes is when a history is continued as a new one: a server allows 50 MB.
const maxBytes = 16 << 20

func (o *Options) committed() { o.Committed(int(o.commits.Add(1))) }

func (o *Options) now() int64 {
	if o.Clock != nil {
		return o.Clock.Now().UnixMilli()
	}
	return time.Now().UnixMilli() //nolint:forbidigo // for lists only: a run has the server's time
}

// Runtime is a flow.Runtime over a Temporal cluster.
type Runtime struct {
	o    *Options
	c    client.Client
	conv converter.DataConverter
	box  *local.Outbox

	mu     sync.Mutex
	read   map[string]*reading // by run
	atWork sync.Map            // of *atWork by run and key
}

// reading is what was last read of a run.
type reading struct {
	h      *history
	id     string // of the execution
	length int64  // of its history
	live   bool   // it is followed
}

var _ flow.Runtime = (*Runtime)(nil)

// Open connects to the cluster and opens the outbox of this machine.
func Open(ctx context.Context, o Options) (*Runtime, error) { //nolint:gocritic // copied once
	o.Beat = cmp.Or(o.Beat, 30*time.Second)
	o.Decision = cmp.Or(o.Decision, 10*time.Second)
	o.Place = cmp.Or(o.Place, 2*time.Minute)
	o.Events = cmp.Or(o.Events, 8000)
	o.commits = new(atomic.Int64)
	if o.Client.Logger == nil {
		o.Client.Logger = quiet{}
	}
	if o.Client.DataConverter == nil {
		o.Client.DataConverter = converter.GetDefaultDataConverter()
	}
	if o.Client.FailureConverter == nil && o.Client.DataConverter != converter.GetDefaultDataConverter() {
		// What went wrong is as private as what was done.
		o.Client.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: o.Client.DataConverter, EncodeCommonAttributes: true})
	}
	c, err := client.DialContext(ctx, o.Client)
	if err != nil {
		return nil, serverError(err)
	}
	box, err := local.OpenOutbox(ctx, o.Dir)
	if err != nil {
		c.Close()
		return nil, err
	}
	return &Runtime{o: &o, c: c, conv: o.Client.DataConverter, box: box, read: map[string]*reading{}}, nil
}

// Close ends the connection; what this process drives must have returned.
func (r *Runtime) Close() error {
	r.c.Close()
	return r.box.Close()
}

func (r *Runtime) workflowID(run string) string { return r.o.Project + "/" + run }

func (r *Runtime) poolQueue(pool string) string { return "jacquard/" + r.o.Project + "/pool/" + pool }

// Start makes a run durable; a driver or a worker carries it on.
func (r *Runtime) Start(ctx context.Context, n flow.NewRun) error {
	if err := n.Check(r.o.Workflows); err != nil {
		return err
	}
	now := r.o.now()
	queue := "jacquard/" + r.workflowID(n.ID)
	m := record{
		Run: n.ID, Meta: n.Meta, Queue: queue, Manual: r.o.Clock != nil, Version: r.o.Version, Now: now, Began: now, Status: flow.Interrupted,
		Limits: limits{Events: r.o.Events, Bytes: maxBytes, Beat: r.o.Beat.Milliseconds(), Place: r.o.Place.Milliseconds()},
		State:  &flow.State{Def: n.Def, In: n.In, Start: now},
	}
	if r.o.Pool != "" {
		m.Pool, m.Far, m.Admission = r.poolQueue(r.o.Pool), r.o.Far, &r.o.Limits
		queue = m.Pool
	}
	attributes := r.searched(ctx, n)
	m.Searched = len(attributes) > 0
	p, err := pack(&m)
	if err != nil {
		return fmt.Errorf("start run %s: %w", n.ID, err)
	}
	_, err = r.c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: r.workflowID(n.ID), TaskQueue: queue, WorkflowTaskTimeout: r.o.Decision,
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		StaticSummary:                            n.Def,
		TypedSearchAttributes:                    temporal.NewSearchAttributes(attributes...),
		Memo:                                     map[string]any{"project": r.o.Project, "workflow": n.Def, "driver": r.o.Driver},
	}, workflowType, p)
	var exists *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &exists) {
		return fmt.Errorf("%w: %s", flow.ErrExists, n.ID)
	}
	if err != nil {
		return serverError(err)
	}
	return r.box.Know(ctx, n.ID)
}

// Signal sends a signal; who carries the run on, now or later, applies it. The
// first answer of a gate counts; another one is ErrNoGate, the same is nothing.
func (r *Runtime) Signal(ctx context.Context, run string, s flow.Signal) error {
	if err := s.Check(run); err != nil {
		return err
	}
	h, err := r.load(ctx, run)
	if err != nil {
		return err
	}
	waiting := h.waiting()
	if s.ID == "" {
		s.ID = signalID(s, h.arrived)
	}
	if h.m.Seen[s.ID] {
		return nil
	}
	for _, w := range waiting {
		if w.ID == s.ID {
			return nil
		}
	}
	if s.Gate != "" {
		if err := checkGate(h, waiting, s); err != nil {
			return err
		}
	}
	if h.m.Status.Ended() {
		return nil // there is nothing left to cancel or to pause
	}
	return r.send(ctx, run, message{Signal: &s, Now: r.o.now()})
}

// signalID makes the same signal idempotent. Pause and unpause may alternate,
// so the same one in a row is the same signal.
func signalID(s flow.Signal, arrived []message) string {
	if s.Verb != flow.Pause && s.Verb != flow.Unpause {
		raw, _ := json.Marshal(s)
		return uuid.NewSHA1(uuid.NameSpaceOID, raw).String()
	}
	n := 0
	for _, msg := range arrived {
		if msg.Signal != nil && (msg.Signal.Verb == flow.Pause || msg.Signal.Verb == flow.Unpause) && msg.Signal.Verb != s.Verb {
			n++
		}
	}
	return fmt.Sprintf("%s-%d", s.Verb, n)
}

func checkGate(h *history, waiting []flow.Signal, s flow.Signal) error {
	w, open := h.m.Gates[s.Gate]
	if !open || h.m.Status.Ended() {
		return fmt.Errorf("%w: %s", flow.ErrNoGate, s.Gate)
	}
	if tree := w.Question().Tree; tree != s.Tree {
		return fmt.Errorf("%w: it shows %q, the answer is for %q", flow.ErrTree, tree, s.Tree)
	}
	for _, before := range waiting {
		if before.Gate == s.Gate {
			return fmt.Errorf("%w: %s has its answer", flow.ErrNoGate, s.Gate)
		}
	}
	return nil
}

// send sends a message to a run that is known; one that has ended meanwhile
// needs none.
func (r *Runtime) send(ctx context.Context, run string, msg message) error {
	signal := func() (struct{}, error) {
		return struct{}{}, r.c.SignalWorkflow(ctx, r.workflowID(run), "", signalName, msg)
	}
	var err error
	if msg.Adopt { // another definition takes over once
		_, err = signal()
	} else {
		_, err = asked(ctx, signal)
	}
	if err = unknown(run, err); errors.Is(err, flow.ErrNoRun) {
		return nil
	}
	return err
}

// Events returns what happened in a run after a sequence number, in order.
func (r *Runtime) Events(ctx context.Context, run string, after int64) ([]flow.Event, error) {
	var out []flow.Event
	err := r.look(ctx, run, func(h *history) {
		for i, e := range h.events {
			if e.Seq > after {
				out = slices.Clone(h.events[i:])
				return
			}
		}
	})
	return out, err
}

// Steps lists the steps of a run with their outcomes, in order of starting.
func (r *Runtime) Steps(ctx context.Context, run string) ([]flow.StepRow, error) {
	var out []flow.StepRow
	err := r.look(ctx, run, func(h *history) {
		for _, k := range h.order {
			out = append(out, *h.rows[k])
		}
	})
	return out, err
}

// Runs lists the runs of the project, newest first: those of this machine and
// those that the server's list knows.
func (r *Runtime) Runs(ctx context.Context) ([]flow.Run, error) {
	ids, err := r.box.Known(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
	}
	prefix := r.o.Project + "/"
	var token []byte
	for {
		res, err := asked(ctx, func() (*workflowservice.ListWorkflowExecutionsResponse, error) {
			return r.c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
				Query: fmt.Sprintf("WorkflowType = %q AND WorkflowId STARTS_WITH %q", workflowType, prefix), NextPageToken: token,
			})
		})
		if err != nil {
			return nil, serverError(err)
		}
		for _, e := range res.GetExecutions() {
			id := strings.TrimPrefix(e.GetExecution().GetWorkflowId(), prefix)
			if !known[id] {
				known[id] = true
				ids = append(ids, id)
			}
		}
		if token = res.GetNextPageToken(); len(token) == 0 {
			break
		}
	}
	out := make([]flow.Run, 0, len(ids))
	for _, id := range ids {
		x, err := r.run(ctx, id)
		if errors.Is(err, flow.ErrNoRun) {
			continue // the server forgets runs some time after their end
		}
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b flow.Run) int { return cmp.Or(b.Started.Compare(a.Started), strings.Compare(b.ID, a.ID)) })
	return out, nil
}

// run is one line of the list.
func (r *Runtime) run(ctx context.Context, id string) (flow.Run, error) {
	var x flow.Run
	var queue string
	err := r.look(ctx, id, func(h *history) {
		m := h.m
		queue = m.Queue
		x = flow.Run{
			Engine: "temporal", ID: id, Def: m.State.Def, State: m.Status, Started: time.UnixMilli(m.Began).UTC(), In: m.State.In, Meta: m.Meta, Out: m.Out, Err: m.Err,
		}
		if m.Status.Ended() {
			x.Ended = time.UnixMilli(m.Now).UTC()
			return
		}
		x.Gates = flow.Gates(m.Gates)
	})
	if err != nil || x.State.Ended() {
		return x, err
	}
	if x.Driver, err = r.driver(ctx, id, queue); err != nil {
		return flow.Run{}, err
	}
	switch {
	case x.Driver == "" && x.State == flow.Running:
		x.State = flow.Interrupted
	case x.Driver != "" && x.State == flow.Interrupted:
		x.State = flow.Running
	}
	return x, nil
}

// polled is how long after it was last asked for work a queue counts as served:
// one poll takes a minute.
const polled = 70 * time.Second

// driver says who drives a run: a process of this machine, or, for one that
// was started elsewhere, whoever asks for the steps of its own queue or has one
// of its steps. What the server takes for started may be of a process that is
// gone, so it is not asked about ours.
func (r *Runtime) driver(ctx context.Context, run, queue string) (string, error) {
	who := r.box.Driver(ctx, run)
	ours, err := r.box.Knows(ctx, run)
	if who != "" || ours || err != nil {
		return who, err
	}
	q, err := asked(ctx, func() (*workflowservice.DescribeTaskQueueResponse, error) {
		return r.c.DescribeTaskQueue(ctx, queue, enumspb.TASK_QUEUE_TYPE_ACTIVITY)
	})
	if err != nil {
		return "", serverError(err)
	}
	for _, p := range q.GetPollers() {
		if p.GetIdentity() != r.o.Client.Identity && time.Since(p.GetLastAccessTime().AsTime()) < polled {
			return p.GetIdentity(), nil
		}
	}
	d, err := r.describe(ctx, run)
	if err != nil {
		return "", unknown(run, err)
	}
	for _, a := range d.GetPendingActivities() {
		if a.GetState() == enumspb.PENDING_ACTIVITY_STATE_STARTED && a.GetLastWorkerIdentity() != r.o.Client.Identity {
			return a.GetLastWorkerIdentity(), nil
		}
	}
	return "", nil
}
