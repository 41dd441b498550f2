package local

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// pollEvery is how often signals of other processes are looked for.
const pollEvery = 200 * time.Millisecond

// driver is one process that carries one run on.
type driver struct {
	r       *Runtime
	run     string
	l       *loaded
	eng     *flow.Engine
	queue   *flow.Queue
	db      context.Context //nolint:containedctx // for the journal: an orderly stop still writes
	ctx     context.Context //nolint:containedctx // for handlers: lives as long as one call of Drive
	stop    context.CancelCauseFunc
	running map[string]context.CancelCauseFunc
	results chan outcome
	asks    map[string]flow.Want
	timers  map[string]flow.Want
	tick    *time.Ticker
	poll    *sql.Conn // sees what other connections write
	version int64     // data_version last seen
	peek    bool      // there may be signals to read
	seen    int64     // the last signal that was read
	w       *writer
	commits int
	stopped bool
	batch   batch
}

type outcome struct {
	want flow.Want
	n    int
	out  json.RawMessage
	err  error
	gone error // cause of the cancelled context, if it was
}

// Drive carries a run on; see flow.Runtime.
func (r *Runtime) Drive(ctx context.Context, run string) (flow.Status, error) {
	lock, err := r.lockPatiently(ctx, run)
	if errors.Is(err, errLocked) {
		var who string
		_ = r.db.QueryRowContext(ctx, "SELECT driver FROM runs WHERE id=?", run).Scan(&who)
		who = cmp.Or(who, r.signed(run)) // it has just begun
		return flow.Status{}, &flow.DrivenError{Run: run, Driver: who}
	}
	if err != nil {
		return flow.Status{}, err
	}
	defer lock.release()
	l, err := r.load(ctx, run, false)
	if err != nil {
		return flow.Status{}, err
	}
	if l.done != nil {
		return *l.done, nil
	}
	w := flow.WorkflowOf(r.o.Workflows, l.def)
	if w == nil {
		return flow.Status{}, fmt.Errorf("drive run %s: no workflow %q", run, l.def)
	}
	if l.version != r.o.Version {
		if l, err = r.adopt(ctx, run, w); err != nil {
			return flow.Status{}, err
		}
	}
	d := &driver{
		r: r, run: run, l: l, queue: flow.NewQueue(r.o.Limits, l.state.OpenBranches()...), running: map[string]context.CancelCauseFunc{},
		results: make(chan outcome, 1), asks: map[string]flow.Want{}, timers: map[string]flow.Want{}, peek: true,
		// What was started is told to stop, not torn away from the journal.
		db: context.WithoutCancel(ctx),
	}
	return d.drive(ctx, w)
}

func (r *Runtime) blob(b flow.Blob) ([]byte, error) {
	if r.o.Blobs == nil {
		return nil, errors.New("this runtime has no blob store")
	}
	return r.o.Blobs.Get(b)
}

func (d *driver) drive(ctx context.Context, w flow.Runnable) (st flow.Status, err error) {
	if err = d.takeOver(ctx); err != nil {
		return flow.Status{}, err
	}
	if d.poll, err = d.r.db.Conn(ctx); err != nil {
		return flow.Status{}, damaged(err)
	}
	defer func() { _ = d.poll.Close() }()
	if d.w, err = newWriter(d.db, d.r.db, d.run); err != nil { //nolint:contextcheck // ctx without its end, see Drive
		return flow.Status{}, damaged(err)
	}
	defer d.w.close()
	d.ctx, d.stop = context.WithCancelCause(d.db)
	defer d.stop(flow.ErrStopped)
	// Whatever ended this call: what still runs is stopped, and what it gives
	// is durable before anybody is told.
	defer func() {
		d.drain()
		if _, e := d.commit(flow.Decision{}, nil, nil); err == nil {
			err = e
		}
	}()
	d.tick = time.NewTicker(pollEvery)
	defer d.tick.Stop()
	d.eng = flow.NewEngine(w, d.l.state, d.r.blob)
	for {
		if err := d.look(); err != nil {
			return flow.Status{}, err
		}
		st, over, err := d.decide() //nolint:contextcheck // handlers get the context of the call, d.ctx
		if over || err != nil {
			return st, err
		}
		if d.eng.Ready() {
			continue
		}
		if err := d.wait(ctx); err != nil {
			return flow.Status{}, err
		}
	}
}

// takeOver raises the fence and ends what a dead driver left running.
func (d *driver) takeOver(ctx context.Context) error {
	err := d.r.db.QueryRowContext(ctx, "UPDATE runs SET fence=fence+1, driver=?, state=?, out=NULL, err=NULL WHERE id=? RETURNING fence",
		d.r.o.Driver, string(flow.Running), d.run).Scan(&d.l.fence)
	if err != nil {
		return damaged(err)
	}
	if d.r.o.Sweep == nil {
		return nil
	}
	for key := range d.l.state.Open {
		for n := d.l.starts[key]; n >= 1; n-- {
			d.r.o.Sweep(mark(d.run, key, n))
		}
	}
	return nil
}

// drain waits for every handler; nothing that this driver started goes on
// after it has returned.
func (d *driver) drain() {
	d.stop(flow.ErrStopped)
	for len(d.running) > 0 {
		d.take(<-d.results)
	}
}

// decide makes one decision durable and starts what it admits.
func (d *driver) decide() (st flow.Status, over bool, err error) {
	dec := d.eng.Decide()
	if dec.Bug != nil {
		return d.broken(dec.Bug)
	}
	d.admit(dec)
	var starts []flow.Want
	if !d.stopped && !d.l.paused {
		starts = d.queue.Next()
	}
	for _, w := range starts {
		if flow.HandlerOf(d.r.o.Handlers, w.Step) == nil {
			return d.broken(flow.Failf(flow.Definition, "no handler for step %s, which %s asks for", w.Step, w.Key))
		}
	}
	hopeless := d.hopeless(&starts)
	st, over = d.status(dec, starts)
	over = over && len(hopeless) == 0
	if over && st.State.Ended() {
		_, err := d.commit(dec, nil, &st)
		return st, true, err
	}
	if _, err := d.commit(dec, starts, nil); err != nil {
		return st, true, err
	}
	for _, w := range starts {
		d.start(w)
	}
	for _, w := range hopeless {
		d.queue.Done(w)
		d.record(w, &flow.Rec{Err: flow.Wasted(w.Key, flow.MaxWasted), At: d.now()})
	}
	if !over {
		return st, false, nil
	}
	return d.settle(st)
}

// settle hands back to the caller, unless a signal came meanwhile. It looks in
// the transaction that says so: who signals later finds a run without a driver.
func (d *driver) settle(st flow.Status) (flow.Status, bool, error) {
	if !d.stopped {
		n, err := d.signals()
		if n > 0 || err != nil {
			return st, err != nil, err
		}
	}
	over, err := d.commit(flow.Decision{}, nil, &st)
	d.peek = !over
	return st, over || err != nil, err
}

// broken ends the call at a bug of the definition: nothing of the decision is
// written, but what has happened is.
func (d *driver) broken(bug *flow.Failure) (flow.Status, bool, error) {
	d.drain()
	st := flow.Status{State: flow.Stopped, Err: bug}
	d.stopped = true
	_, err := d.commit(flow.Decision{}, nil, &st)
	return st, true, err
}

// admit sorts the wants of a decision into the queue, gates and timers.
func (d *driver) admit(dec flow.Decision) {
	for _, w := range dec.Wants {
		switch w.Kind {
		case flow.KindAsk:
			d.asks[w.Key] = w
			d.peek = true
		case flow.KindTimer:
			d.timers[w.Key] = w
		case flow.KindStep:
			d.queue.Add(w)
		}
	}
	for _, f := range dec.Folds {
		d.queue.Ended(f.Path)
	}
}

// status says whether this call of Drive is over: nothing goes on by itself, and no timer is near.
func (d *driver) status(dec flow.Decision, starts []flow.Want) (flow.Status, bool) {
	st := dec.Stands(flow.Standing{
		Running: len(d.running), Starting: len(starts), Queued: d.queue.Len(), Gates: len(d.asks),
		Cancelled: d.l.state.Cancelled != 0, Paused: d.l.paused, Held: d.stopped,
	})
	switch {
	case st.State == flow.Running:
		return flow.Status{}, false
	case st.State != flow.Waiting && st.State != flow.Parked:
		return st, true
	}
	if at := flow.NextDue(d.timers); at != 0 {
		if st.ResumeAt = time.UnixMilli(at); d.r.o.MaxWait == 0 || st.ResumeAt.Sub(d.r.o.Clock.Now()) <= d.r.o.MaxWait {
			return flow.Status{}, false
		}
	}
	st.Waits, st.Gates = d.eng.Waits(20), flow.Gates(d.asks)
	return st, true
}

func (d *driver) now() int64 { return d.r.o.Clock.Now().UnixMilli() }
