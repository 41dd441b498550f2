package local

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// batch is what the next transaction writes besides the decision. It is kept
// until a transaction has taken it.
type batch struct {
	ended     []ended
	stops     []outcome      // starts that an orderly stop has ended
	applied   map[int64]bool // signals by number
	lapsed    []string       // gates and timers that a cancel took away
	cancelled int64          // Unix milliseconds
	pause     *bool
}

type ended struct {
	want flow.Want
	rec  *flow.Rec
}

func (b batch) empty() bool {
	return len(b.ended)+len(b.stops)+len(b.applied) == 0 && b.cancelled == 0 && b.pause == nil
}

// commit writes the batch and the decision in one transaction, and st, if the
// call of Drive is over. It does not write st and returns false when a signal
// has come that nobody has read.
func (d *driver) commit(dec flow.Decision, starts []flow.Want, st *flow.Status) (bool, error) {
	gates := 0
	for _, w := range dec.Wants {
		if w.Kind != flow.KindStep {
			gates++
		}
	}
	if d.batch.empty() && len(starts)+len(dec.Notes)+len(dec.Folds)+gates == 0 && st == nil {
		return true, nil
	}
	t, settled := d.w, true
	t.now = d.now()
	err := t.transaction(func() {
		t.fence(d.l.fence)
		t.outcomes(d.batch)
		t.decision(dec)
		for _, w := range starts {
			d.l.starts[w.Key]++
			d.eng.Started(w.Key)
			t.start(w, d.l.starts[w.Key])
		}
		t.flags(d.batch)
		if st == nil {
			return
		}
		if !st.State.Ended() && !d.stopped && t.count("SELECT count(*) FROM signals WHERE run=? AND applied=0 AND seq>?", t.run, d.seen) > 0 {
			settled = false
			return
		}
		t.state(*st)
	})
	if err != nil {
		return false, fmt.Errorf("write the journal: %w", damaged(err))
	}
	d.batch = batch{}
	d.commits++
	if d.r.o.Committed != nil {
		d.r.o.Committed(d.commits)
	}
	return settled, nil
}

// writer is the connection that a driver appends with. It collects the first
// error of a transaction.
type writer struct {
	ctx   context.Context //nolint:containedctx // lives exactly as long as one call of Drive
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	run   string
	seq   int64 // of the last event
	now   int64
	err   error
}

func newWriter(ctx context.Context, db *sql.DB, run string) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	t := &writer{ctx: ctx, conn: conn, stmts: map[string]*sql.Stmt{}, run: run}
	if t.seq = t.count("SELECT coalesce(max(seq), 0) FROM events WHERE run=?", run); t.err != nil {
		t.close()
		return nil, t.err
	}
	return t, nil
}

func (t *writer) close() {
	for _, s := range t.stmts {
		_ = s.Close()
	}
	_ = t.conn.Close()
}

// transaction runs fn between BEGIN and COMMIT; after an error nothing of it
// is in the journal.
func (t *writer) transaction(fn func()) error {
	t.err = nil
	seq := t.seq
	if t.exec("BEGIN IMMEDIATE"); t.err != nil {
		return t.err
	}
	fn()
	if t.exec("COMMIT"); t.err == nil {
		return nil
	}
	err := t.err
	t.err = nil
	t.exec("ROLLBACK") // says so when a full disk has rolled back already
	t.seq = seq
	return err
}

// stmt prepares each statement once: a commit is a dozen of them.
func (t *writer) stmt(q string) *sql.Stmt {
	if t.err != nil {
		return nil
	}
	s := t.stmts[q]
	if s == nil {
		if s, t.err = t.conn.PrepareContext(t.ctx, q); t.err != nil {
			return nil
		}
		t.stmts[q] = s
	}
	return s
}

// exec returns how many rows were changed.
func (t *writer) exec(q string, args ...any) int64 {
	s := t.stmt(q) //nolint:sqlclosecheck // close does it for all
	if s == nil {
		return 0
	}
	var res sql.Result
	if res, t.err = s.ExecContext(t.ctx, args...); t.err != nil {
		return 0
	}
	n, _ := res.RowsAffected()
	return n
}

func (t *writer) count(q string, args ...any) (n int64) {
	if s := t.stmt(q); s != nil { //nolint:sqlclosecheck // close does it for all
		t.err = s.QueryRowContext(t.ctx, args...).Scan(&n)
	}
	return n
}

func (t *writer) event(typ flow.EventType, key, branch string, data []byte) {
	t.seq++
	t.exec("INSERT INTO events (run, seq, at, type, key, branch, data) VALUES (?,?,?,?,?,?,?)", t.run, t.seq, t.now, string(typ), key, branch, data)
}

// fence refuses to write when another driver has taken the run over.
func (t *writer) fence(n int64) {
	if now := t.count("SELECT fence FROM runs WHERE id=?", t.run); t.err == nil && now != n {
		t.err = &flow.DrivenError{Run: t.run, Driver: "another driver that took it over"}
	}
}

func (t *writer) outcomes(b batch) {
	for _, e := range b.ended {
		w, rec := e.want, e.rec
		n := t.exec(`INSERT INTO steps (run, key, kind, step, lane, branch, input, hash, ended, out, err) VALUES (?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT (run, key) DO UPDATE SET ended=excluded.ended, out=excluded.out, err=excluded.err WHERE ended=0`,
			t.run, w.Key, string(w.Kind), w.Step, w.Lane, w.Branch, []byte(w.In), int64(w.Hash), rec.At, []byte(rec.Out), failureJSON(rec.Err))
		if n == 0 {
			continue // written once, whatever happened to the answer of an earlier commit
		}
		typ, data := flow.EventEnd, rec.EventData()
		if w.Kind == flow.KindAsk && rec.Err == nil {
			typ, data = flow.EventAnswer, rec.Out
		}
		t.event(typ, w.Key, w.Branch, data)
	}
	for _, o := range b.stops {
		t.exec("UPDATE steps SET stops = stops || ? || ' ' WHERE run=? AND key=?", o.n, t.run, o.want.Key)
	}
	for _, key := range b.lapsed {
		t.exec("UPDATE steps SET folded=1 WHERE run=? AND key=?", t.run, key)
	}
	for seq := range b.applied {
		t.exec("UPDATE signals SET applied=1 WHERE seq=?", seq)
	}
}

func (t *writer) decision(dec flow.Decision) {
	for _, n := range dec.Notes {
		t.event(flow.EventNote, n.Key, n.Branch, n.Fact)
	}
	for _, f := range dec.Folds {
		had := t.count("SELECT count(*) FROM folds WHERE run=? AND path=?", t.run, f.Path)
		t.exec("INSERT OR REPLACE INTO folds (run, path, at, out, err) VALUES (?,?,?,?,?)", t.run, f.Path, f.Rec.At, []byte(f.Rec.Out), failureJSON(f.Rec.Err))
		// The keys of a branch, and nothing else, lie between path: and path; .
		t.exec("UPDATE steps SET folded=1 WHERE run=? AND key>=? AND key<?", t.run, f.Path+":", f.Path+";")
		if had == 0 {
			t.event(flow.EventFold, f.Path, f.Path, f.Rec.EventData())
		}
	}
	for _, w := range dec.Wants {
		if w.Kind == flow.KindStep {
			continue
		}
		n := t.exec(`INSERT INTO steps (run, key, kind, step, lane, branch, input, hash, until) VALUES (?,?,?,?,?,?,?,?,?)
			ON CONFLICT (run, key) DO UPDATE SET input=excluded.input, hash=excluded.hash, until=excluded.until WHERE input<>excluded.input AND ended=0`,
			t.run, w.Key, string(w.Kind), w.Step, w.Lane, w.Branch, []byte(w.In), int64(w.Hash), w.Until)
		if n == 1 && w.Kind == flow.KindAsk {
			t.event(flow.EventGate, w.Key, w.Branch, w.In)
		}
	}
}

func (t *writer) start(w flow.Want, n int) {
	t.exec(`INSERT INTO steps (run, key, kind, step, lane, branch, input, hash, starts, started) VALUES (?,?,?,?,?,?,?,?,1,?)
		ON CONFLICT (run, key) DO UPDATE SET starts=starts+1, started=excluded.started, step=excluded.step, input=excluded.input, hash=excluded.hash`,
		t.run, w.Key, string(w.Kind), w.Step, w.Lane, w.Branch, []byte(w.In), int64(w.Hash), t.now)
	t.event(flow.EventStart, w.Key, w.Branch, fmt.Appendf(nil, `{"step":%q,"n":%d}`, w.Step, n))
}

func (t *writer) flags(b batch) {
	if b.cancelled != 0 {
		t.exec("UPDATE runs SET cancelled=? WHERE id=? AND cancelled=0", b.cancelled, t.run)
	}
	if b.pause != nil {
		t.exec("UPDATE runs SET paused=? WHERE id=?", *b.pause, t.run)
	}
}

func (t *writer) state(st flow.Status) {
	ended := int64(0)
	if st.State.Ended() {
		ended = t.now
	}
	t.exec("UPDATE runs SET state=?, ended=?, out=?, err=? WHERE id=?", string(st.State), ended, []byte(st.Out), failureJSON(st.Err), t.run)
	t.event(flow.EventRun, "", "", fmt.Appendf(nil, `{"state":%q}`, st.State))
}
