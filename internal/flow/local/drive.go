package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// maxWasted is after how many starts without progress a step counts as crashed.
const maxWasted = 3

// pollEvery is how often signals of other processes are looked for.
const pollEvery = 200 * time.Millisecond

// driver is one process that carries one run on.
type driver struct {
	r       *Runtime
	run     string
	l       *loaded
	eng     *flow.Engine
	queue   *flow.Queue
	ctx     context.Context //nolint:containedctx // lives exactly as long as one call of Drive
	stop    context.CancelCauseFunc
	running map[string]job
	results chan outcome
	asks    map[string]flow.Want
	timers  map[string]flow.Want
	commits int
	version int64 // data_version last seen
	poll    *sql.Conn
	stopped bool
	batch   batch
}

type job struct {
	want   flow.Want
	n      int
	cancel context.CancelCauseFunc
}

type outcome struct {
	want flow.Want
	n    int
	out  json.RawMessage
	err  error
	gone error // cause of the cancelled context, if it was
}

// batch is what the next transaction writes besides the decision.
type batch struct {
	ended       []ended
	interrupted []string
	applied     []int64
	state       flow.RunState
	cancelled   bool
	pause       *bool
}

type ended struct {
	want flow.Want
	rec  *flow.Rec
}

// Drive carries a run on; see flow.Runtime.
func (r *Runtime) Drive(ctx context.Context, run string) (flow.Status, error) {
	lock, err := r.lockPatiently(ctx, run)
	if errors.Is(err, errLocked) {
		var who string
		_ = r.db.QueryRowContext(ctx, "SELECT driver FROM runs WHERE id=?", run).Scan(&who)
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
	w := r.workflow(l.def)
	if w == nil {
		return flow.Status{}, fmt.Errorf("drive run %s: no workflow %q", run, l.def)
	}
	if l.version != r.o.Version {
		if l, err = r.adopt(ctx, run, w); err != nil {
			return flow.Status{}, err
		}
	}
	d := &driver{
		r: r, run: run, l: l, queue: flow.NewQueue(r.o.Limits), running: map[string]job{},
		results: make(chan outcome, 1), asks: map[string]flow.Want{}, timers: map[string]flow.Want{},
	}
	return d.drive(ctx, w)
}

// adopt compares another definition with the record, and takes it when
// nothing differs or the differences are accepted.
func (r *Runtime) adopt(ctx context.Context, run string, w flow.Runnable) (*loaded, error) {
	all, err := r.load(ctx, run, true)
	if err != nil {
		return nil, err
	}
	diff := flow.Compare(w, all.state, r.blob)
	if !diff.Empty() && !r.o.Accept {
		return nil, &flow.ChangedError{Diff: diff}
	}
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, damaged(err)
	}
	defer tx.Rollback()
	for _, b := range diff.Rebase() {
		if _, err := tx.ExecContext(ctx, "UPDATE steps SET step=?, hash=? WHERE run=? AND key=?", b.Step, int64(b.In), run, b.Key); err != nil {
			return nil, damaged(err)
		}
	}
	if _, err := tx.ExecContext(ctx, "UPDATE runs SET version=? WHERE id=?", r.o.Version, run); err != nil {
		return nil, damaged(err)
	}
	if err := tx.Commit(); err != nil {
		return nil, damaged(err)
	}
	return r.load(ctx, run, false)
}

func (r *Runtime) blob(b flow.Blob) ([]byte, error) {
	if r.o.Blobs == nil {
		return nil, errors.New("this runtime has no blob store")
	}
	return r.o.Blobs.Get(b)
}

func (d *driver) drive(ctx context.Context, w flow.Runnable) (st flow.Status, err error) {
	if err := d.takeOver(ctx); err != nil {
		return flow.Status{}, err
	}
	d.poll, err = d.r.db.Conn(ctx)
	if err != nil {
		return flow.Status{}, damaged(err)
	}
	defer d.poll.Close()
	// Handlers outlive ctx for an orderly stop: they are told by stop.
	d.ctx, d.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	defer d.stop(flow.ErrStopped)
	defer d.drain()
	d.eng = flow.NewEngine(w, d.l.state, d.r.blob)
	for {
		if err := d.signals(); err != nil {
			return flow.Status{}, err
		}
		st, over, err := d.decide()
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
	if _, err := d.r.db.ExecContext(ctx, "UPDATE runs SET fence=fence+1, driver=?, state=? WHERE id=?",
		d.r.o.Driver, string(flow.Running), d.run); err != nil {
		return damaged(err)
	}
	d.l.fence++
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
		o := <-d.results
		delete(d.running, o.want.Key)
	}
}

// decide makes one decision durable and starts what it admits.
func (d *driver) decide() (flow.Status, bool, error) {
	dec := d.eng.Decide()
	if dec.Bug != nil {
		return flow.Status{State: flow.Stopped, Err: dec.Bug}, true, d.finish(flow.Stopped)
	}
	d.admit(dec)
	var starts []flow.Want
	if !d.stopped && !d.l.paused {
		starts = d.queue.Next()
	}
	crashed := d.crashed(&starts)
	if len(d.running)+len(starts) == 0 {
		// A signal may have been waiting for a gate that was opened just now.
		if err := d.signals(); err != nil {
			return flow.Status{}, true, err
		}
	}
	st, over := d.status(dec, starts)
	over = over && len(crashed) == 0 && (!d.eng.Ready() || d.stopped)
	if over {
		d.batch.state = st.State
	}
	if err := d.commit(dec, starts, st); err != nil {
		return st, true, err
	}
	if over && len(d.running) == 0 {
		return st, true, nil
	}
	for _, w := range starts {
		d.start(w)
	}
	for _, w := range crashed {
		d.queue.Done(w)
		rec := &flow.Rec{Err: flow.Failf(flow.Crashed, "%d starts ended without progress", maxWasted), At: d.now()}
		d.record(w, rec)
	}
	return flow.Status{}, false, nil
}

// admit sorts the wants of a decision into the queue, gates and timers.
func (d *driver) admit(dec flow.Decision) {
	for _, w := range dec.Wants {
		switch w.Kind {
		case flow.KindAsk:
			d.asks[w.Key] = w
			if w.Until > 0 {
				d.timers[w.Key] = w
			}
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

// crashed takes the steps that kept killing their driver out of starts.
func (d *driver) crashed(starts *[]flow.Want) []flow.Want {
	var bad []flow.Want
	*starts = slices.DeleteFunc(*starts, func(w flow.Want) bool {
		is := d.l.starts[w.Key] > 0 && d.r.wasted(d.run, w.Key, d.l) >= maxWasted
		if is {
			bad = append(bad, w)
		}
		return is
	})
	return bad
}

// status says whether this call of Drive is over.
func (d *driver) status(dec flow.Decision, starts []flow.Want) (flow.Status, bool) {
	switch {
	case dec.Done && len(d.running) == 0:
		st := flow.Status{State: flow.Done, Out: dec.Out, Err: dec.Err}
		if dec.Err != nil {
			st.State = flow.Errored
		}
		if d.l.state.Cancelled != 0 {
			st.State = flow.CancelledOK
		}
		return st, true
	case len(d.running) > 0 || len(starts) > 0:
		return flow.Status{}, false
	case d.stopped:
		return flow.Status{State: flow.Interrupted}, true
	case len(dec.Stuck) > 0:
		return flow.Status{State: flow.Stopped, Waits: dec.Stuck, Err: flow.Failf(flow.Stuck, "branches wait for each other: %v", dec.Stuck)}, true
	case d.l.paused:
		return flow.Status{State: flow.Paused}, true
	}
	return d.idle()
}

// idle decides whether to wait for a timer or to hand back to the person.
func (d *driver) idle() (flow.Status, bool) {
	if d.queue.Len() > 0 {
		return flow.Status{}, false // the next decision starts it
	}
	at, ok := d.nextTimer()
	near := ok && (d.r.o.MaxWait == 0 || at.Sub(d.r.o.Clock.Now()) <= d.r.o.MaxWait)
	if near {
		return flow.Status{}, false
	}
	st := flow.Status{State: flow.Parked, ResumeAt: at, Waits: d.eng.Waits(20)}
	if len(d.asks) > 0 {
		st.State = flow.Waiting
		for _, w := range d.asks {
			var q flow.Question
			_ = json.Unmarshal(w.In, &q)
			st.Gates = append(st.Gates, flow.Gate{Key: w.Key, Question: q})
		}
		slices.SortFunc(st.Gates, func(a, b flow.Gate) int {
			if a.Key < b.Key {
				return -1
			}
			return 1
		})
	}
	return st, true
}

func (d *driver) nextTimer() (at time.Time, ok bool) {
	for _, w := range d.timers {
		if t := time.UnixMilli(w.Until); !ok || t.Before(at) {
			at, ok = t, true
		}
	}
	return at, ok
}

func (d *driver) now() int64 { return d.r.o.Clock.Now().UnixMilli() }

// start runs the handler of a want; its start is durable already.
func (d *driver) start(w flow.Want) {
	n := d.l.starts[w.Key]
	ctx, cancel := context.WithCancelCause(d.ctx)
	d.running[w.Key] = job{want: w, n: n, cancel: cancel}
	if d.l.state.Cancelled != 0 && !w.Cleanup {
		cancel(flow.ErrCancelled)
	}
	h := d.handler(w.Step)
	j := flow.Job{
		Run: d.run, Key: w.Key, Branch: w.Branch, Start: n, Dir: d.r.attemptDir(d.run, w.Key, n),
		Mark: mark(d.run, w.Key, n), Blobs: d.r.o.Blobs, Beat: d.beat(w, n),
	}
	for i := n - 1; i >= 1; i-- {
		j.Previous = append(j.Previous, d.r.attemptDir(d.run, w.Key, i))
	}
	go func() {
		o := outcome{want: w, n: n}
		if h == nil {
			o.err = flow.Failf(flow.Definition, "no handler for step %s", w.Step)
		} else {
			o.out, o.err = h.Call(ctx, j, w.In)
		}
		if ctx.Err() != nil {
			o.gone = context.Cause(ctx)
		}
		d.results <- o
	}()
}

func (d *driver) handler(step string) *flow.Handler {
	for i := range d.r.o.Handlers {
		if d.r.o.Handlers[i].Step() == step {
			return &d.r.o.Handlers[i]
		}
	}
	return nil
}

// beat marks progress durably enough (a file) and passes it on, lossy.
func (d *driver) beat(w flow.Want, n int) func(any) {
	dir, seen := d.r.attemptDir(d.run, w.Key, n), false
	return func(progress any) {
		if !seen {
			seen = true
			if os.MkdirAll(dir, 0o755) == nil {
				_ = os.WriteFile(filepath.Join(dir, progressFile), nil, 0o644)
			}
		}
		if d.r.o.Progress == nil {
			return
		}
		raw, err := json.Marshal(progress)
		if err != nil {
			return
		}
		d.r.o.Progress(flow.Event{Run: d.run, At: d.r.o.Clock.Now(), Type: flow.EventProgress, Key: w.Key, Branch: w.Branch, Data: raw})
	}
}
