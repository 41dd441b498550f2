package temporal

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Drive carries a run on with this process as its worker; see flow.Runtime.
func (r *Runtime) Drive(ctx context.Context, run string) (flow.Status, error) {
	release, err := r.box.Take(ctx, run, r.o.Driver)
	if err != nil {
		return flow.Status{}, err
	}
	defer release()
	h, err := r.load(ctx, run)
	if err != nil {
		return flow.Status{}, err
	}
	if h.m.Status.Ended() {
		return flow.Status{State: h.m.Status, Out: h.m.Out, Err: h.m.Err}, nil
	}
	begin := message{Drive: uuid.NewString(), Now: r.o.now()}
	if h.m.Version != r.o.Version {
		if err := r.compare(h, &begin); err != nil {
			return flow.Status{}, err
		}
	}
	if err := r.send(ctx, run, begin); err != nil {
		return flow.Status{}, err
	}
	w := r.worker(h.m.Queue, 0, h.m.Pool == "", true)
	w.drive, w.owner = begin.Drive, run
	if err := r.report(ctx, run); err != nil {
		return flow.Status{}, err
	}
	if err := w.start(); err != nil {
		return flow.Status{}, err
	}
	defer w.stop()
	return r.watch(ctx, run, begin.Drive)
}

// compare says what differs for another definition, and has it take over when
// nothing does or the differences are accepted.
func (r *Runtime) compare(h *history, begin *message) error {
	w := flow.WorkflowOf(r.o.Workflows, h.m.State.Def)
	if w == nil {
		return flow.Failf(flow.Definition, "no workflow %q", h.m.State.Def)
	}
	diff := flow.Compare(w, h.m.all(), (&brain{o: r.o}).blob)
	if !diff.Empty() && (!r.o.Accept || diff.Bug != nil) {
		return &flow.ChangedError{Diff: diff}
	}
	begin.Adopt, begin.Version, begin.Rebase, begin.Again = true, r.o.Version, diff.Rebase, !diff.Empty()
	return nil
}

// report tells the server of what an earlier process of this machine ended
// and could not report, and of what it did not survive: nobody has to wait
// until its heartbeat is missed.
func (r *Runtime) report(ctx context.Context, owner string) error {
	left, err := r.box.Left(ctx, owner)
	if err != nil {
		return err
	}
	for _, e := range left {
		if r.o.Sweep != nil {
			r.o.Sweep(r.box.Job(e.Run, e.Key, e.Start).Mark)
		}
		if e.Result != nil && e.In != nil && r.o.Hub != nil {
			if e.Result, err = r.keep(ctx, ctx.Done(), e); err != nil {
				return err
			}
		}
		if e.Result != nil {
			err = r.tell(ctx, e, decoded(e.Result), nil)
		} else {
			err = r.tell(ctx, e, nil, lostError(r.box.Progressed(e.Run, e.Key, e.Start)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// watch follows a run that is driven until it ends, or until nothing can
// happen without a person or before a timer that is far away.
func (r *Runtime) watch(ctx context.Context, run, drive string) (flow.Status, error) {
	watched, cancel := context.WithCancel(ctx)
	defer cancel()
	type step struct {
		st   flow.Status
		over bool
		wake int64
	}
	steps := make(chan step, 1)
	failed := make(chan error, 1)
	h := newHistory(r.conv)
	r.mu.Lock()
	r.read[run] = &reading{h: h, live: true}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if h.m != nil && h.m.Status.Ended() { // nothing more happens in it
			r.read[run] = &reading{h: h}
			return
		}
		delete(r.read, run)
	}()
	go func() {
		failed <- r.follow(watched, run, true, h, func() bool {
			if h.m == nil {
				return false
			}
			var s step
			if h.m.Status.Ended() || h.drives[drive] && h.settled() {
				s.st, s.wake, s.over = r.status(h.m)
			}
			select {
			case <-steps:
			default:
			}
			steps <- s
			return s.over
		})
	}()
	var last step
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return flow.Status{State: flow.Interrupted}, nil
		case s := <-steps:
			if s.over {
				return s.st, nil
			}
			if r.o.Clock != nil && s.wake != last.wake {
				due = nil
				if s.wake != 0 {
					due = r.o.Clock.After(time.UnixMilli(s.wake))
				}
			}
			last = s
		case <-due:
			due = nil
			last.wake = 0
			if err := r.send(ctx, run, message{Now: r.o.now()}); err != nil {
				return flow.Status{}, err
			}
		case err := <-failed:
			if ctx.Err() != nil {
				return flow.Status{State: flow.Interrupted}, nil
			}
			select {
			case s := <-steps:
				if s.over {
					return s.st, nil
				}
			default:
			}
			return last.st, err
		}
	}
}

// status says where a run stands, when the next near timer is due (Unix
// milliseconds), and whether a driver is done with it.
func (r *Runtime) status(m *record) (st flow.Status, wake int64, over bool) {
	st = flow.Status{State: m.Status, Out: m.Out, Err: m.Err, Waits: m.Waits}
	switch m.Status {
	case flow.Waiting, flow.Parked:
	case flow.Running, flow.Interrupted:
		return st, m.next(), false
	case flow.Stopped, flow.Paused, flow.Done, flow.Errored, flow.CancelledOK:
		return st, 0, true
	}
	if at := m.next(); at != 0 {
		st.ResumeAt = time.UnixMilli(at).UTC()
		if r.o.MaxWait == 0 || at-r.o.now() <= r.o.MaxWait.Milliseconds() {
			return st, at, false
		}
	}
	st.Gates = flow.Gates(m.Gates)
	return st, 0, true
}

// pollers is one worker of this process on one queue.
type pollers struct {
	slots    chan struct{} // how much of its lane goes on at once; nil = as much as the queue gives
	draining atomic.Bool   // it takes no more
	own      bool          // of this worker alone
	gone     chan struct{} // closed when nobody waits for it any more
	owner    string        // of what it begins, in the outbox
	host     string        // queue of this worker alone
	drive    string
	r        *Runtime
	w        worker.Worker
	ctx      context.Context //nolint:containedctx // of the steps: it ends with an orderly stop
	end      context.CancelCauseFunc
}

// worker makes a worker of a queue, which decides, carries out, or both.
func (r *Runtime) worker(queue string, slots int, decides, carries bool) *pollers {
	p := &pollers{r: r, gone: make(chan struct{})}
	p.ctx, p.end = context.WithCancelCause(context.Background())
	p.w = worker.New(r.c, queue, worker.Options{
		Identity: r.o.Driver, DisableRegistrationAliasing: true,
		MaxConcurrentActivityExecutionSize: slots, DisableWorkflowWorker: !decides, LocalActivityWorkerOnly: !carries,
		// What a process that is gone was given comes back after these.
		StickyScheduleToStartTimeout: min(5*time.Second, r.o.Decision), DeadlockDetectionTimeout: 30 * time.Second,
		WorkerStopTimeout: 24 * time.Hour, // what runs is told by us
	})
	if decides {
		p.w.RegisterWorkflowWithOptions(r.o.run, workflow.RegisterOptions{Name: workflowType})
	}
	if carries {
		p.w.RegisterDynamicActivity(p.carryOut, activity.DynamicRegisterOptions{})
	}
	return p
}

// of has a worker share its places with others of the same lane.
func (p *pollers) of(room chan struct{}) *pollers {
	p.slots = room
	return p
}

func (p *pollers) start() error { return serverError(p.w.Start()) }

// lastReports is how long a server that cannot be reached is told what steps came to that were stopped. The outbox has it as well.
const lastReports = time.Minute

// stop ends what runs in good order: it is told, and what it came to is reported.
func (p *pollers) stop() {
	p.end(flow.ErrStopped)
	late := time.AfterFunc(lastReports, func() { close(p.gone) })
	p.w.Stop()
	late.Stop()
}

// Work serves pools until ctx ends: decisions of their runs, steps that any
// worker may take, and those of branches whose files are here, at most so many
// at once of each lane in slots. Then it takes no more, waits up to drain for
// what runs, and stops the rest in good order.
func (r *Runtime) Work(ctx context.Context, pools []string, slots map[string]int, drain time.Duration) error {
	release, err := r.box.Take(ctx, workerLock, r.o.Driver)
	if ctx.Err() != nil && err != nil {
		return nil // it was told to stop before it had begun
	}
	if err != nil {
		return err
	}
	defer release()
	host := "jacquard/" + r.o.Project + "/host/" + r.o.Host
	var all []*pollers
	for _, pool := range pools {
		all = append(all, r.worker(r.poolQueue(pool), 0, true, false))
	}
	for _, lane := range slices.Sorted(maps.Keys(slots)) {
		room := make(chan struct{}, slots[lane])
		for _, pool := range pools {
			all = append(all, r.worker(laneQueue(r.poolQueue(pool), lane), slots[lane], false, true).of(room))
		}
		own := r.worker(laneQueue(host, lane), slots[lane], false, true).of(room)
		own.own = true
		all = append(all, own)
	}
	for _, p := range all {
		p.owner, p.host = workerLock, host
	}
	if err := r.report(ctx, workerLock); err != nil {
		if ctx.Err() != nil {
			return nil // it was told to stop before it had begun
		}
		return err
	}
	for _, p := range all {
		if err := p.start(); err != nil {
			return err
		}
	}
	<-ctx.Done()
	// Nothing is promised to this machine any more; then it takes nothing from
	// all, and at last nothing of its own.
	for _, p := range all {
		p.draining.Store(true)
	}
	late := time.AfterFunc(drain, func() {
		for _, p := range all {
			p.end(flow.ErrStopped)
		}
	})
	defer late.Stop()
	tooLate := time.AfterFunc(drain+min(drain, lastReports), func() {
		for _, p := range all {
			close(p.gone)
		}
	})
	defer tooLate.Stop()
	for _, own := range []bool{false, true} {
		var stopped sync.WaitGroup
		for _, p := range all {
			if p.own == own {
				stopped.Go(p.w.Stop) // it returns when what runs has ended
			}
		}
		stopped.Wait()
	}
	for _, p := range all {
		p.end(flow.ErrStopped)
	}
	return nil
}

// workerLock is held by the one worker of a folder.
const workerLock = "worker"

// Served reports whether any worker of a pool has asked for work of late.
func (r *Runtime) Served(ctx context.Context, pool string) (bool, error) {
	d, err := r.c.DescribeTaskQueue(ctx, r.poolQueue(pool), enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return false, serverError(err)
	}
	return len(d.GetPollers()) > 0, nil
}
