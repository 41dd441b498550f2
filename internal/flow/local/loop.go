package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// wait blocks until something happened: outcomes, a timer, a signal of
// another process, or the request to stop. What happened is recorded in the
// engine and the batch.
func (d *driver) wait(ctx context.Context) error {
	if d.queue.Len() > 0 && len(d.running) == 0 && !d.stopped && !d.l.paused {
		return nil
	}
	var due <-chan time.Time
	if at := flow.NextDue(d.timers); at != 0 && !d.stopped {
		due = d.r.o.Clock.After(time.UnixMilli(at))
	}
	done := ctx.Done()
	if d.stopped {
		done = nil
	}
	for !d.peek {
		select {
		case o := <-d.results:
			d.take(o)
			d.more()
			return nil
		case <-due:
			d.fire()
			return nil
		case <-done:
			d.stopped = true
			d.stop(flow.ErrStopped)
			return nil
		case <-d.tick.C:
			if err := d.changed(); err != nil {
				return err
			}
		}
	}
	return nil
}

// more takes the outcomes that are there already, so that one transaction
// holds them all.
func (d *driver) more() {
	for {
		select {
		case o := <-d.results:
			d.take(o)
		default:
			return
		}
	}
}

// take turns what a handler returned into a record. An orderly stop ends a
// start as interrupted; after a cancel an error is the outcome "cancelled".
// An outcome that is there counts whatever was asked for meanwhile.
func (d *driver) take(o outcome) {
	d.running[o.want.Key](nil)
	delete(d.running, o.want.Key)
	d.queue.Done(o.want)
	switch {
	case o.err == nil:
		d.record(o.want, &flow.Rec{Out: o.out, At: d.now()})
	case errors.Is(o.gone, flow.ErrStopped):
		d.batch.stops = append(d.batch.stops, o)
	default:
		d.record(o.want, &flow.Rec{Err: flow.EndedBy(o.err, o.gone), At: d.now()})
	}
}

func (d *driver) record(w flow.Want, rec *flow.Rec) {
	rec.Step, rec.In = w.Step, w.Hash
	if d.eng.Record(w.Key, rec) {
		d.batch.ended = append(d.batch.ended, ended{w, rec})
	}
	delete(d.asks, w.Key)
	delete(d.timers, w.Key)
}

// fire records every timer that is due.
func (d *driver) fire() {
	now := d.now()
	for _, w := range flow.Overdue(now, d.timers) {
		d.record(w, &flow.Rec{Out: json.RawMessage("null"), At: now})
	}
}

// look reads signals when there may be new ones. It asks at most once in
// pollEvery, however often the run decides.
func (d *driver) look() error {
	select {
	case <-d.tick.C:
		if err := d.changed(); err != nil {
			return err
		}
	default:
	}
	if !d.peek {
		return nil
	}
	_, err := d.signals()
	return err
}

// changed asks the dedicated connection whether another one has written.
func (d *driver) changed() error {
	var v int64
	if err := d.poll.QueryRowContext(d.db, "PRAGMA data_version").Scan(&v); err != nil {
		return damaged(err)
	}
	d.peek = d.peek || v != d.version
	d.version = v
	return nil
}

// signals applies the rows that other processes (or this one) wrote, and
// returns how many it applied.
func (d *driver) signals() (int, error) {
	d.peek = false
	rows, err := d.poll.QueryContext(d.db, "SELECT seq, body, at FROM signals WHERE run=? AND applied=0 ORDER BY seq", d.run)
	if err != nil {
		return 0, damaged(err)
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for rows.Next() {
		var seq, at int64
		var body []byte
		if err := rows.Scan(&seq, &body, &at); err != nil {
			return n, damaged(err)
		}
		d.seen = max(d.seen, seq)
		if d.batch.applied[seq] {
			continue // its transaction is not written yet
		}
		var s flow.Signal
		if err := json.Unmarshal(body, &s); err != nil {
			return n, fmt.Errorf("read signal %d: %w", seq, err)
		}
		if d.apply(s, at) {
			n++
			if d.batch.applied == nil {
				d.batch.applied = map[int64]bool{}
			}
			d.batch.applied[seq] = true
		}
	}
	return n, damaged(rows.Err())
}

// apply carries out a signal; false leaves it for later (its gate is not open
// in this driver yet).
func (d *driver) apply(s flow.Signal, at int64) bool {
	switch s.Verb {
	case flow.CancelRun:
		d.cancel(at)
		return true
	case flow.Pause, flow.Unpause:
		on := s.Verb == flow.Pause && d.l.state.Cancelled == 0
		d.l.paused, d.batch.pause = on, &on
		return true
	}
	w, ok := d.asks[s.Gate]
	if !ok {
		return false
	}
	if w.Question().Tree == s.Tree { // else the gate shows another tree by now: the answer is void
		d.record(w, s.Answer(at))
	}
	return true
}

// cancel ends what runs and drops what waits, even when
// the run was paused.
func (d *driver) cancel(at int64) {
	d.eng.Cancel(at)
	d.queue.Drop()
	off := false
	d.l.paused, d.batch.pause, d.batch.cancelled = false, &off, at
	for _, end := range d.running {
		end(flow.ErrCancelled)
	}
	for _, m := range []map[string]flow.Want{d.asks, d.timers} {
		d.batch.lapsed = slices.AppendSeq(d.batch.lapsed, maps.Keys(m))
		clear(m)
	}
}
