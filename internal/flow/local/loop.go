package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
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
	if at, ok := d.nextTimer(); ok {
		due = d.r.o.Clock.After(at)
	}
	done := ctx.Done()
	if d.stopped {
		done = nil
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
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
		case <-tick.C:
			changed, err := d.changed()
			if err != nil {
				return err
			}
			if changed {
				return nil
			}
		}
	}
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
func (d *driver) take(o outcome) {
	j := d.running[o.want.Key]
	j.cancel(nil)
	delete(d.running, o.want.Key)
	d.queue.Done(o.want)
	rec := &flow.Rec{Out: o.out, At: d.now()}
	if o.err != nil {
		rec.Out, rec.Err = nil, flow.AsFailure(o.err)
		switch {
		case errors.Is(o.gone, flow.ErrStopped):
			d.batch.interrupted = append(d.batch.interrupted, o.want.Key)
			return
		case errors.Is(o.gone, flow.ErrCancelled):
			rec.Err = &flow.Failure{Class: flow.Cancelled, Msg: o.err.Error()}
		case errors.Is(o.err, context.Canceled), errors.Is(o.err, context.DeadlineExceeded):
			rec.Err.Class = flow.Crashed
		}
	}
	d.record(o.want, rec)
}

func (d *driver) record(w flow.Want, rec *flow.Rec) {
	rec.Step, rec.In = w.Step, w.Hash
	if d.eng.Record(w.Key, rec) {
		d.batch.ended = append(d.batch.ended, ended{w, rec})
	}
	delete(d.asks, w.Key)
	delete(d.timers, w.Key)
}

// fire records every timer and gate timeout that is due.
func (d *driver) fire() {
	now := d.now()
	for _, w := range d.timers {
		if w.Until > now {
			continue
		}
		out := json.RawMessage("null")
		if w.Kind == flow.KindAsk {
			out, _ = json.Marshal(flow.Answer{Verb: flow.Timeout})
		}
		d.record(w, &flow.Rec{Out: out, At: now})
	}
}

// changed asks the dedicated connection whether another one has written.
func (d *driver) changed() (bool, error) {
	var v int64
	if err := d.poll.QueryRowContext(d.ctx, "PRAGMA data_version").Scan(&v); err != nil {
		return false, damaged(err)
	}
	was := d.version
	d.version = v
	return v != was, nil
}

// signals applies the rows that other processes (or this one) wrote.
func (d *driver) signals() error {
	rows, err := d.poll.QueryContext(d.ctx, "SELECT seq, body, at FROM signals WHERE run=? AND applied=0 ORDER BY seq", d.run)
	if err != nil {
		return damaged(err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq, at int64
		var body []byte
		if err := rows.Scan(&seq, &body, &at); err != nil {
			return damaged(err)
		}
		var s flow.Signal
		if err := json.Unmarshal(body, &s); err != nil {
			return fmt.Errorf("read signal %d: %w", seq, err)
		}
		if d.apply(s, at) {
			d.batch.applied = append(d.batch.applied, seq)
		}
	}
	return damaged(rows.Err())
}

// apply carries out a signal; false leaves it for later (its gate is not open
// in this driver yet).
func (d *driver) apply(s flow.Signal, at int64) bool {
	switch s.Verb {
	case flow.CancelRun:
		d.eng.Cancel(at)
		d.queue.Drop()
		d.batch.cancelled = true
		for _, j := range d.running {
			if !j.want.Cleanup {
				j.cancel(flow.ErrCancelled)
			}
		}
		for _, m := range []map[string]flow.Want{d.asks, d.timers} {
			for k := range m {
				delete(m, k)
			}
		}
		return true
	case flow.Pause, flow.Unpause:
		on := s.Verb == flow.Pause
		d.l.paused, d.batch.pause = on, &on
		return true
	}
	w, ok := d.asks[s.Gate]
	if !ok {
		return false
	}
	out, _ := json.Marshal(flow.Answer{Verb: s.Verb, Text: s.Text, By: s.By, Tree: s.Tree})
	d.record(w, &flow.Rec{Out: out, At: at})
	return true
}

// commit writes the batch and the decision in one transaction.
func (d *driver) commit(dec flow.Decision, starts []flow.Want, st flow.Status) error {
	b := d.batch
	d.batch = batch{}
	if len(b.ended)+len(b.interrupted)+len(b.applied)+len(starts)+len(dec.Notes)+len(dec.Folds)+len(dec.Wants) == 0 &&
		b.state == "" && !b.cancelled && b.pause == nil {
		return nil
	}
	ctx := context.WithoutCancel(d.ctx)
	tx, err := d.r.db.BeginTx(ctx, nil)
	if err != nil {
		return damaged(err)
	}
	defer tx.Rollback()
	t := &writer{ctx: ctx, tx: tx, run: d.run, now: d.now()}
	t.fence(d.l.fence, d.r.o.Driver)
	t.outcomes(b)
	t.decision(dec)
	for _, w := range starts {
		d.l.starts[w.Key]++
		d.l.counted[w.Key]++
		d.eng.Started(w.Key, t.now)
		t.start(w, d.l.starts[w.Key])
	}
	t.state(b, st)
	if t.err != nil {
		return fmt.Errorf("write the journal: %w", damaged(t.err))
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write the journal: %w", damaged(err))
	}
	d.commits++
	if d.r.o.Committed != nil {
		d.r.o.Committed(d.commits)
	}
	return nil
}

func (d *driver) finish(s flow.RunState) error {
	_, err := d.r.db.ExecContext(context.WithoutCancel(d.ctx), "UPDATE runs SET state=? WHERE id=? AND fence=?", string(s), d.run, d.l.fence)
	return damaged(err)
}

// writer collects the first error of a transaction.
type writer struct {
	ctx context.Context //nolint:containedctx // lives exactly as long as one transaction
	tx  *sql.Tx
	run string
	now int64
	err error
}

func (t *writer) exec(q string, args ...any) sql.Result {
	if t.err != nil {
		return nil
	}
	var res sql.Result
	res, t.err = t.tx.ExecContext(t.ctx, q, args...)
	return res
}

func (t *writer) event(typ flow.EventType, key, branch string, data []byte) {
	t.exec("INSERT INTO events (run, at, type, key, branch, data) VALUES (?,?,?,?,?,?)", t.run, t.now, string(typ), key, branch, data)
}

// fence refuses to write when another driver has taken the run over.
func (t *writer) fence(n int64, driver string) {
	res := t.exec("UPDATE runs SET driver=? WHERE id=? AND fence=?", driver, t.run, n)
	if t.err == nil {
		if rows, _ := res.RowsAffected(); rows == 0 {
			t.err = &flow.DrivenError{Run: t.run, Driver: "another driver that took it over"}
		}
	}
}

func (t *writer) outcomes(b batch) {
	for _, e := range b.ended {
		w, rec := e.want, e.rec
		t.exec(`INSERT INTO steps (run, key, kind, step, lane, branch, input, hash, ended, out, err) VALUES (?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT (run, key) DO UPDATE SET ended=excluded.ended, out=excluded.out, err=excluded.err`,
			t.run, w.Key, string(w.Kind), w.Step, w.Lane, w.Branch, []byte(w.In), int64(w.Hash), rec.At, []byte(rec.Out), failureJSON(rec.Err))
		typ, data := flow.EventEnd, []byte("{}")
		if w.Kind == flow.KindAsk && rec.Err == nil {
			typ, data = flow.EventAnswer, rec.Out
		} else if rec.Err != nil {
			data, _ = json.Marshal(map[string]any{"error": rec.Err})
		}
		t.event(typ, w.Key, w.Branch, data)
	}
	for _, key := range b.interrupted {
		t.exec("UPDATE steps SET interrupted=interrupted+1 WHERE run=? AND key=?", t.run, key)
	}
	for _, seq := range b.applied {
		t.exec("UPDATE signals SET applied=1 WHERE seq=?", seq)
	}
}

func (t *writer) decision(dec flow.Decision) {
	for _, n := range dec.Notes {
		t.event(flow.EventNote, n.Key, n.Branch, n.Fact)
	}
	for _, f := range dec.Folds {
		t.exec("INSERT OR REPLACE INTO folds (run, path, at, out, err) VALUES (?,?,?,?,?)", t.run, f.Path, f.Rec.At, []byte(f.Rec.Out), failureJSON(f.Rec.Err))
		for _, k := range f.Keys {
			t.exec("UPDATE steps SET folded=1 WHERE run=? AND key=?", t.run, k)
		}
		data := []byte("{}")
		if f.Rec.Err != nil {
			data, _ = json.Marshal(map[string]any{"error": f.Rec.Err})
		}
		t.event(flow.EventFold, f.Path, f.Path, data)
	}
	for _, w := range dec.Wants {
		if w.Kind == flow.KindStep {
			continue
		}
		res := t.exec("INSERT OR IGNORE INTO steps (run, key, kind, step, lane, branch, input, hash, until) VALUES (?,?,?,?,?,?,?,?,?)",
			t.run, w.Key, string(w.Kind), w.Step, w.Lane, w.Branch, []byte(w.In), int64(w.Hash), w.Until)
		if t.err != nil {
			return
		}
		if rows, _ := res.RowsAffected(); rows == 1 && w.Kind == flow.KindAsk {
			t.event(flow.EventGate, w.Key, w.Branch, w.In)
		}
	}
}

func (t *writer) start(w flow.Want, n int) {
	t.exec(`INSERT INTO steps (run, key, kind, step, lane, branch, input, hash, starts, started) VALUES (?,?,?,?,?,?,?,?,1,?)
		ON CONFLICT (run, key) DO UPDATE SET starts=starts+1, started=excluded.started`,
		t.run, w.Key, string(w.Kind), w.Step, w.Lane, w.Branch, []byte(w.In), int64(w.Hash), t.now)
	t.event(flow.EventStart, w.Key, w.Branch, fmt.Appendf(nil, `{"step":%q,"n":%d}`, w.Step, n))
}

func (t *writer) state(b batch, st flow.Status) {
	if b.cancelled {
		t.exec("UPDATE runs SET cancelled=? WHERE id=? AND cancelled=0", t.now, t.run)
	}
	if b.pause != nil {
		t.exec("UPDATE runs SET paused=? WHERE id=?", *b.pause, t.run)
	}
	if b.state == "" {
		return
	}
	ended := int64(0)
	if b.state.Ended() {
		ended = t.now
	}
	t.exec("UPDATE runs SET state=?, ended=?, out=?, err=? WHERE id=?", string(b.state), ended, []byte(st.Out), failureJSON(st.Err), t.run)
	t.event(flow.EventRun, "", "", fmt.Appendf(nil, `{"state":%q}`, b.state))
}
