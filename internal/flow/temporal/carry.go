package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
)

// carryOut is one start of a step on this machine. Its result is in the outbox
// before the server is told, and the server has it before the outbox forgets.
func (p *pollers) carryOut(ctx context.Context, args converter.EncodedValues) (outcome, error) {
	var t task
	if err := args.Get(&t); err != nil {
		return outcome{}, temporal.NewNonRetryableApplicationError("read a task", string(flow.Schema), err)
	}
	o := p.do(ctx, t)
	e := local.Entry{Run: t.Run, Key: t.Key, Start: t.Start, Token: activity.GetInfo(ctx).TaskToken}
	err := p.r.patiently(p.gone, forEver, func() error { return p.r.tell(context.WithoutCancel(ctx), e, o, nil) })
	if err != nil {
		return o, nil //nolint:nilerr // the SDK may still reach the server; else the outbox has it
	}
	return o, activity.ErrResultPending
}

// tell gives the server the end of a start. It may know the start no more
// because it has given it up; then the outbox keeps the result for the next.
func (r *Runtime) tell(ctx context.Context, e local.Entry, o any, failed error) error {
	err := r.c.CompleteActivity(ctx, e.Token, o, failed)
	var unknown *serviceerror.NotFound
	if err != nil && !errors.As(err, &unknown) {
		return serverError(err)
	}
	return r.box.Reported(ctx, e, err != nil)
}

// do does one start and gives what is to be reported.
func (p *pollers) do(ctx context.Context, t task) outcome {
	r := p.r
	h := flow.HandlerOf(r.o.Handlers, t.Step)
	if h == nil && t.Shared {
		return outcome{Lost: true} // this worker is of another version: the next one may know it
	}
	if h == nil {
		return outcome{Err: flow.Failf(flow.Definition, "this worker has no handler for step %s", t.Step)}
	}
	if t.Shared && r.o.Admit != nil {
		if err := r.o.Admit(t.Meta); err != nil {
			return outcome{Err: flow.AsFailure(err)}
		}
	}
	store := context.WithoutCancel(ctx)
	e := local.Entry{Run: t.Run, Key: t.Key, Start: t.Start, Owner: p.owner, Token: activity.GetInfo(ctx).TaskToken}
	if t.Shared {
		if e.In = t.In; r.o.Hub == nil {
			return outcome{Err: flow.Failf(flow.Environment, "this machine has no remote that it shares with the workers of run %s: name one as hub in jacquard.yaml, then resume", t.Run)}
		}
	}
	// A step ends when the worker is stopped or the run is cancelled, not when
	// the server loses patience.
	work, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(p.ctx, func() { end(context.Cause(p.ctx)) })() //nolint:contextcheck // it is the worker's end that is waited for
	if t.Cancelled {
		end(flow.ErrCancelled)
	}
	b := r.beater(ctx, t, end)
	defer r.alone(work, end, t)()
	had, err := r.before(work, e)
	if err != nil {
		b.stop()
		return p.ending(nil, err, context.Cause(work))
	}
	if had != nil {
		e.Result = had
		return p.after(context.WithoutCancel(work), b, e) // also when the server has given this start up meanwhile
	}
	j := r.box.Job(t.Run, t.Key, t.Start)
	j.Branch, j.Blobs, j.Beat = t.Branch, r.o.Blobs, b.beat
	if p.slots != nil { // of all queues of the lane
		select {
		case p.slots <- struct{}{}:
			defer func() { <-p.slots }()
		case <-work.Done():
		}
	}
	ended := func(bool) {}
	if r.o.Begun != nil {
		ended = r.o.Begun(t.Lane)
	}
	out, err := h.Call(work, j, t.In)
	o := p.ending(out, err, context.Cause(work))
	ended(o.Err != nil)
	open := o.Stopped || o.Lost // it came to no end
	if !open {
		e.Result, _ = json.Marshal(o)
	}
	if err := r.box.Finish(store, e); err != nil {
		b.stop()
		return outcome{Err: flow.AsFailure(err)}
	}
	if r.o.Committed != nil && !open {
		r.o.committed()
	}
	if open {
		b.stop()
		return o
	}
	return p.after(context.WithoutCancel(work), b, e)
}

// atWork is a start in this process.
type atWork struct {
	end  context.CancelCauseFunc
	done chan struct{}
}

// alone waits until an earlier start of the same step has ended in this process,
// which the server has given up: what it comes to is what this one will find.
func (r *Runtime) alone(ctx context.Context, end context.CancelCauseFunc, t task) (release func()) {
	key, mine := t.Run+" "+t.Key, &atWork{end, make(chan struct{})}
	for {
		had, is := r.atWork.LoadOrStore(key, mine)
		if !is {
			return func() { r.atWork.Delete(key); close(mine.done) }
		}
		earlier := had.(*atWork)
		select {
		case <-earlier.done:
		case <-ctx.Done():
			earlier.end(context.Cause(ctx))
			<-earlier.done
		}
	}
}

// before makes a start durable and brings what it needs. It returns the result
// that an earlier start has left, here or on another machine: it was paid for.
func (r *Runtime) before(ctx context.Context, e local.Entry) ([]byte, error) {
	had, err := r.box.Begin(context.WithoutCancel(ctx), e)
	if err != nil || had != nil || e.In == nil {
		return had, err
	}
	err = r.patiently(ctx.Done(), maxPatience, func() (err error) {
		if e.Start > 1 {
			if had, err = r.o.Hub.Find(ctx, e.Run, e.Key); err != nil || had != nil {
				return err
			}
		}
		return r.o.Hub.Bring(ctx, e.Run, e.In)
	})
	return had, err
}

// maxPatience is how long a step waits for a hub that cannot be reached before
// a person is asked.
const maxPatience = 10 * time.Minute

// forEver is how long what was paid for is tried to be shared and reported.
const forEver = 365 * 24 * time.Hour

// longestWait is the longest pause before a hub is tried again.
const longestWait = 30 * time.Second

// patiently does a thing again after a pause, until it succeeds, stopped is
// closed, or the pauses have taken longer than most. People are told.
func (r *Runtime) patiently(stopped <-chan struct{}, most time.Duration, do func() error) error {
	wait, waited := 200*time.Millisecond, time.Duration(0)
	for {
		err := do()
		if err == nil || waited >= most {
			return err
		}
		if r.o.Warn != nil && (waited == 0 || wait == longestWait) {
			r.o.Warn(err)
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
			waited, wait = waited+wait, min(2*wait, longestWait)
		case <-stopped:
			t.Stop()
			return err
		}
	}
}

// after shares a result that is durable here before it is reported. While the
// hub cannot be reached it waits: the result must not be lost with this machine.
func (p *pollers) after(ctx context.Context, b *beater, e local.Entry) outcome {
	defer b.stop()
	o := decoded(e.Result)
	o.Host = p.name()
	if e.In == nil {
		return o
	}
	counts, err := p.r.keep(ctx, p.ctx.Done(), e)
	if err != nil {
		// It is in the outbox: the next process of this machine shares it.
		return outcome{Stopped: true, Drive: p.drive}
	}
	o = decoded(counts)
	o.Host = p.name()
	return o
}

// name is the queue of this worker, unless it is about to stop.
func (p *pollers) name() string {
	if p.draining.Load() {
		return ""
	}
	return p.host
}

// keep shares a result, trying again for as long as this process is not stopped.
func (r *Runtime) keep(ctx context.Context, stopped <-chan struct{}, e local.Entry) ([]byte, error) {
	var counts []byte
	err := r.patiently(stopped, forEver, func() (err error) {
		counts, err = r.o.Hub.Keep(ctx, e.Run, e.Key, e.In, e.Result)
		return err
	})
	return counts, err
}

// ending turns what a handler returned into an outcome. What is there counts,
// whatever was asked for meanwhile.
func (p *pollers) ending(out json.RawMessage, err, gone error) outcome {
	switch {
	case err == nil:
		return outcome{Out: out}
	case errors.Is(gone, errGivenUp):
		return outcome{Lost: true, Begun: true}
	case errors.Is(gone, flow.ErrStopped):
		return outcome{Stopped: true, Drive: p.drive}
	}
	return outcome{Err: flow.EndedBy(err, gone)}
}

func decoded(raw []byte) (o outcome) {
	if err := json.Unmarshal(raw, &o); err != nil {
		o.Err = flow.Failf(flow.Crashed, "unreadable result: %v", err)
	}
	return o
}

// lostError is what is reported of a start that its process did not survive.
func lostError(beat bool) error {
	return temporal.NewNonRetryableApplicationError("the process of the worker is gone", lostType, nil, beat)
}

// beater tells the server that a start is alive, and the start what the server
// has to say: that the run was cancelled, or that nobody waits for it any more.
// It does not leave that to the SDK, for which a server that is slow to answer
// once has given the start up.
//
// That a start has begun, and that it has made progress, the server is told
// before the start goes on: of a process that dies at once it knows both, and
// the next process may come later than the server waits.
type beater struct {
	r     *Runtime
	t     task
	token []byte
	end   context.CancelCauseFunc
	beats context.Context //nolint:containedctx // of the heartbeats: they go on while a start that was cancelled ends
	quit  context.CancelFunc
	done  chan struct{}

	once sync.Once
	mu   sync.Mutex // a heartbeat never overtakes a later one
	made atomic.Bool
	last atomic.Pointer[json.RawMessage] // what the progress was
}

// errGivenUp ends a start that the server has given up, and that another worker
// may have by now.
var errGivenUp = fmt.Errorf("the server does not wait for this start any more: %w", flow.ErrStopped)

func (r *Runtime) beater(ctx context.Context, t task, end context.CancelCauseFunc) *beater {
	info := activity.GetInfo(ctx)
	// It is alive for as long as it takes to end, also when it was cancelled.
	beats, quit := context.WithCancel(context.WithoutCancel(ctx))
	b := &beater{r: r, t: t, token: info.TaskToken, end: end, beats: beats, quit: quit, done: make(chan struct{})}
	b.tell(beats, time.Second)
	go func() {
		defer close(b.done)
		every := max(info.HeartbeatTimeout/4, 10*time.Millisecond)
		tick := time.NewTicker(every)
		defer tick.Stop()
		gone := ctx.Done()
		for {
			select {
			case <-tick.C:
				b.tell(beats, max(every, time.Second))
			case <-gone:
				gone = nil
				end(cmp.Or(reason(context.Cause(ctx)), errGivenUp))
			case <-beats.Done():
				return
			}
		}
	}()
	return b
}

// tell lets the server know that there is progress, and the last of it: an agent's
// session, for example, which whoever looks for a lost turn needs. It ends the start
// if the server says so: one that cannot be reached within a time is no reason.
func (b *beater) tell(ctx context.Context, within time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	details := []any{b.made.Load()}
	if last := b.last.Load(); last != nil {
		details = append(details, *last)
	}
	err := reason(b.r.c.RecordActivityHeartbeat(ctx, b.token, details...))
	// What nobody else can do goes on: the next start will wait for it.
	if err != nil && (b.t.Shared || !errors.Is(err, errGivenUp)) {
		b.end(err)
	}
}

// reason is why what the server has said ends a start, or nil.
func reason(said error) error {
	var cancelled *temporal.CanceledError
	var unknown *serviceerror.NotFound
	switch {
	case errors.As(said, &cancelled):
		return flow.ErrCancelled
	case errors.As(said, &unknown):
		return errGivenUp
	}
	return nil
}

// beat marks progress, and passes what it is on, lossy.
func (b *beater) beat(progress any) {
	raw, err := json.Marshal(progress)
	if err == nil {
		b.last.Store((*json.RawMessage)(&raw))
	}
	b.once.Do(func() {
		b.r.box.Progress(b.t.Run, b.t.Key, b.t.Start)
		b.made.Store(true)
		b.tell(b.beats, time.Second)
	})
	if b.r.o.Progress == nil || err != nil {
		return
	}
	b.r.o.Progress(flow.Event{
		Run: b.t.Run, At: time.UnixMilli(b.r.o.now()), Type: flow.EventProgress, Key: b.t.Key, Branch: b.t.Branch, Data: raw,
	})
}

func (b *beater) stop() {
	b.quit()
	<-b.done
}

// quiet drops what the SDK logs: what went wrong comes back as an error.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
