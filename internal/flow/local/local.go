// Package local is the runtime for one machine: a journal in one SQLite file.
//
// One transaction holds everything of a decision: outcomes, next starts,
// notes and folds. A start is recorded before the act. A run has one driver:
// an operating system lock plus a fence number in the run's row. Signals are
// rows, so they work with no driver alive.
package local

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite" // also registers the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Options is what a runtime needs.
type Options struct {
	Dir       string // holds journal.db, blobs/ and runs/
	Workflows []flow.Runnable
	Handlers  []flow.Handler
	Limits    flow.Limits
	Clock     flow.Clock // nil = the system's
	Blobs     flow.Blobs // nil = runs that use no blobs
	Driver    string     // who drives, for people: "pid 123 on host"
	Version   string     // of the definitions; another one is compared at resume
	Accept    bool       // go on with a changed definition
	// MaxWait is the longest wait for a timer when nothing else can happen;
	// a later one parks the run. 0 = never park.
	MaxWait time.Duration
	// Sweep ends what a dead driver left running under a mark; nil = nothing to end.
	Sweep func(mark string)
	// Committed is called after every append with its number, for tests that
	// kill the process there; nil in production.
	Committed func(n int)
	// Progress receives lossy progress of running steps; nil = dropped.
	Progress func(flow.Event)
}

// Runtime is a flow.Runtime over one SQLite file.
type Runtime struct {
	o  Options
	db *sql.DB
}

var _ flow.Runtime = (*Runtime)(nil)

// Open opens or makes the journal in o.Dir.
func Open(ctx context.Context, o Options) (*Runtime, error) {
	if o.Clock == nil {
		o.Clock = systemClock{}
	}
	if err := os.MkdirAll(filepath.Join(o.Dir, "runs"), 0o755); err != nil {
		return nil, environment(fmt.Errorf("make the state folder: %w", err))
	}
	q := url.Values{"_pragma": {
		"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(10000)", "fullfsync(1)", "cache_size(-16000)",
	}, "_txlock": {"immediate"}}
	path := filepath.Join(o.Dir, "journal.db")
	if err := notEmptied(path, filepath.Join(o.Dir, "runs")); err != nil {
		return nil, err
	}
	// A path may hold what has a meaning in a URI.
	escaped := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(path))
	db, err := sql.Open("sqlite", "file:"+escaped+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	r := &Runtime{o: o, db: db}
	if err := r.migratePatiently(ctx); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open the journal in %s: %w", o.Dir, damaged(err))
	}
	return r, nil
}

// notEmptied refuses a journal of no bytes beside the traces of runs: SQLite
// would take it for a new one.
func notEmptied(journal, runs string) error {
	st, err := os.Stat(journal)
	if err != nil || st.Size() > 0 {
		return nil //nolint:nilerr // no journal yet, or SQLite says what is wrong with it
	}
	if traces, err := os.ReadDir(runs); err == nil && len(traces) > 0 {
		return fmt.Errorf("open the journal: %w: %s is empty, but there are runs in %s", flow.ErrDamaged, journal, runs)
	}
	return nil
}

// Close closes the journal; runs that are driven must have returned.
func (r *Runtime) Close() error { return r.db.Close() }

// migratePatiently tries again while another process makes the same journal:
// SQLite's own patience does not cover the switch to a write-ahead log.
func (r *Runtime) migratePatiently(ctx context.Context) error {
	return patiently(ctx, func() error { return r.migrate(ctx) }, func(n int, err error) bool {
		var e *sqlite.Error
		return n <= 500 && errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
	})
}

func (r *Runtime) migrate(ctx context.Context) error {
	var v int
	if err := r.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v); err != nil {
		return err
	}
	switch {
	case v == schemaVersion:
		return nil
	case v > schemaVersion:
		return flow.Failf(flow.Environment, "it was written by a newer version (format %d, this one knows %d): update jacquard", v, schemaVersion)
	}
	if _, err := r.db.ExecContext(ctx, schema); err != nil {
		return err
	}
	_, err := r.db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
	return err
}

// damaged gives SQLite's corruption errors their sentinel and a full or
// read-only disk its class.
func damaged(err error) error {
	if err == nil {
		return nil
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ {
		return fmt.Errorf("%w: %w", flow.ErrDamaged, err)
	}
	switch e.Code() & 0xff { // without the extended part
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", flow.ErrDamaged, err)
	case sqlite3.SQLITE_FULL:
		return environment(fmt.Errorf("the disk that holds the runs is full; free some space, then resume: %w", err))
	case sqlite3.SQLITE_IOERR:
		return environment(fmt.Errorf("the disk that holds the runs is full or does not work; free some space (df -h shows how much there is), then try again: %w", err))
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return environment(fmt.Errorf("the journal cannot be written: its folder is read-only, or no space or inode is left (df -h, df -i); make it writable, then try again: %w", err))
	}
	return err
}

func environment(err error) error {
	return fmt.Errorf("%w", &flow.Failure{Class: flow.Environment, Msg: err.Error()})
}

// Start makes a run durable.
func (r *Runtime) Start(ctx context.Context, n flow.NewRun) error {
	if err := n.Check(r.o.Workflows); err != nil {
		return err
	}
	now := r.o.Clock.Now().UnixMilli()
	res, err := r.db.ExecContext(ctx, `INSERT OR IGNORE INTO runs (id, def, version, input, meta, state, started) VALUES (?,?,?,?,?,?,?)`,
		n.ID, n.Def, r.o.Version, []byte(n.In), []byte(n.Meta), string(flow.Interrupted), now)
	if err != nil {
		return fmt.Errorf("start run %s: %w", n.ID, damaged(err))
	}
	if rows, _ := res.RowsAffected(); rows == 0 {
		return fmt.Errorf("%w: %s", flow.ErrExists, n.ID)
	}
	return nil
}

// Events returns the events of a run after a sequence number.
func (r *Runtime) Events(ctx context.Context, run string, after int64) (out []flow.Event, err error) {
	err = r.rows(ctx, func(scan func(...any) error) error {
		e := flow.Event{Run: run}
		var at int64
		var data []byte
		if err := scan(&e.Seq, &at, &e.Type, &e.Key, &e.Branch, &data); err != nil {
			return err
		}
		e.At, e.Data = time.UnixMilli(at).UTC(), data
		out = append(out, e)
		return nil
	}, "SELECT seq, at, type, key, branch, data FROM events WHERE run=? AND seq>? ORDER BY seq", run, after)
	return out, err
}

// Runs lists all runs, newest first.
func (r *Runtime) Runs(ctx context.Context) (out []flow.Run, err error) {
	err = r.rows(ctx, func(scan func(...any) error) error {
		var x flow.Run
		var started, ended int64
		var in, meta, o, fail []byte
		if err := scan(&x.ID, &x.Def, &x.State, &started, &ended, &in, &meta, &o, &fail, &x.Driver); err != nil {
			return err
		}
		x.Started, x.In, x.Meta, x.Out = time.UnixMilli(started).UTC(), in, meta, o
		if ended > 0 {
			x.Ended = time.UnixMilli(ended).UTC()
		}
		x.Err = failure(fail)
		out = append(out, x)
		return nil
	}, "SELECT id, def, state, started, ended, input, meta, out, err, driver FROM runs ORDER BY started DESC, id DESC")
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].State.Ended() {
			out[i].Driver = ""
			continue
		}
		if !r.alive(out[i].ID) {
			out[i].Driver = ""
			if out[i].State == flow.Running {
				out[i].State = flow.Interrupted
			}
		}
		if out[i].Gates, err = r.gates(ctx, out[i].ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *Runtime) gates(ctx context.Context, run string) (out []flow.Gate, err error) {
	err = r.rows(ctx, func(scan func(...any) error) error {
		var g flow.Gate
		var in []byte
		if err := scan(&g.Key, &in); err != nil {
			return err
		}
		if err := json.Unmarshal(in, &g.Question); err != nil {
			return err
		}
		out = append(out, g)
		return nil
	}, `SELECT key, input FROM steps WHERE run=? AND kind=? AND ended=0 AND folded=0
		AND NOT EXISTS (SELECT 1 FROM signals WHERE signals.run=steps.run AND signals.gate=steps.key AND applied=0) ORDER BY key`, run, string(flow.KindAsk))
	return out, err
}

func failure(raw []byte) *flow.Failure {
	if len(raw) == 0 {
		return nil
	}
	var f flow.Failure
	if json.Unmarshal(raw, &f) != nil {
		return flow.Failf(flow.Crashed, "unreadable failure %q", raw)
	}
	return &f
}

func failureJSON(f *flow.Failure) []byte {
	if f == nil {
		return nil
	}
	raw, _ := json.Marshal(f)
	return raw
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() } //nolint:forbidigo // this is the clock that others are given
func (systemClock) After(t time.Time) <-chan time.Time {
	return time.After(time.Until(t)) //nolint:forbidigo // this is the clock that others are given
}
