package local

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Outbox is what a machine keeps of steps that it carries out for a runtime
// elsewhere: a result is durable here before it is reported, so that a crash
// between the two never has a step done again. It lies in the same file as
// the journal of local runs.
type Outbox struct{ r *Runtime }

// Entry is one start of a step that this machine took on.
type Entry struct {
	Run, Key string
	Start    int
	Owner    string // who on this machine: two of its processes may work for one run
	In       []byte // the step's input
	Token    []byte // what the other runtime knows it by
	Result   []byte // nil: it has not ended, or its process did not survive
}

const outboxSchema = `
CREATE TABLE IF NOT EXISTS hosted (run TEXT PRIMARY KEY, driver TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS outbox (
  run TEXT NOT NULL, key TEXT NOT NULL, start INTEGER NOT NULL, owner TEXT NOT NULL, input BLOB, token BLOB NOT NULL, result BLOB, reported INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run, key, start)) WITHOUT ROWID;
`

// OpenOutbox opens or makes the outbox in a folder.
func OpenOutbox(ctx context.Context, dir string) (*Outbox, error) {
	r, err := Open(ctx, Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	// Many steps end at once. Here they wait for each other without an end; connections of their own would wait by chance,
	// with pauses, and the unlucky ones would be told "database is locked" although nobody else uses the file.
	r.db.SetMaxOpenConns(1)
	if _, err := r.db.ExecContext(ctx, outboxSchema); err != nil {
		_ = r.Close()
		return nil, damaged(err)
	}
	return &Outbox{r}, nil
}

// Close closes the outbox.
func (o *Outbox) Close() error { return o.r.Close() }

// Take makes this process the one on this machine that carries a run on, until
// release is called or the process dies. Another one is a *flow.DrivenError.
func (o *Outbox) Take(ctx context.Context, run, driver string) (release func(), err error) {
	lock, err := o.r.lockPatiently(ctx, run)
	if errors.Is(err, errLocked) {
		return nil, &flow.DrivenError{Run: run, Driver: o.driver(ctx, run)}
	}
	if err != nil {
		return nil, err
	}
	if _, err := o.r.db.ExecContext(ctx, "INSERT OR REPLACE INTO hosted (run, driver) VALUES (?,?)", run, driver); err != nil {
		lock.release()
		return nil, damaged(err)
	}
	return lock.release, nil
}

// Driver says which process of this machine carries a run on now; "" is none.
func (o *Outbox) Driver(ctx context.Context, run string) string {
	if !o.r.alive(run) {
		return ""
	}
	return o.driver(ctx, run)
}

func (o *Outbox) driver(ctx context.Context, run string) (who string) {
	_ = o.r.db.QueryRowContext(ctx, "SELECT driver FROM hosted WHERE run=?", run).Scan(&who)
	return who
}

// Know remembers that a run was started from here.
func (o *Outbox) Know(ctx context.Context, run string) error {
	_, err := o.r.db.ExecContext(ctx, "INSERT OR IGNORE INTO hosted (run) VALUES (?)", run)
	return damaged(err)
}

// Knows reports whether a run was started or carried on here.
func (o *Outbox) Knows(ctx context.Context, run string) (bool, error) {
	var n int
	err := o.r.db.QueryRowContext(ctx, "SELECT count(*) FROM hosted WHERE run=?", run).Scan(&n)
	return n > 0, damaged(err)
}

// Known lists the runs that were started or carried on here.
func (o *Outbox) Known(ctx context.Context) (runs []string, err error) {
	err = o.r.rows(ctx, func(scan func(...any) error) error {
		var run string
		if err := scan(&run); err != nil {
			return err
		}
		runs = append(runs, run)
		return nil
	}, "SELECT run FROM hosted ORDER BY run")
	return runs, err
}

// Hosted reports whether this machine has started or carried on runs of a
// runtime elsewhere.
func (r *Runtime) Hosted(ctx context.Context) (bool, error) {
	var n int
	if err := r.db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master WHERE name='hosted'").Scan(&n); err != nil || n == 0 {
		return false, damaged(err)
	}
	err := r.db.QueryRowContext(ctx, "SELECT count(*) FROM hosted").Scan(&n)
	return n > 0, damaged(err)
}

// Begin makes a start durable, before the act. It returns the result that an
// earlier start of the same step has left: it was paid for and stands.
func (o *Outbox) Begin(ctx context.Context, e Entry) (result []byte, err error) {
	err = o.r.db.QueryRowContext(ctx, "SELECT result FROM outbox WHERE run=? AND key=? AND result IS NOT NULL ORDER BY start DESC LIMIT 1", e.Run, e.Key).Scan(&result)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return result, damaged(err)
	}
	_, err = o.r.db.ExecContext(ctx, "INSERT OR REPLACE INTO outbox (run, key, start, owner, input, token) VALUES (?,?,?,?,?,?)", e.Run, e.Key, e.Start, e.Owner, e.In, e.Token)
	return nil, damaged(err)
}

// Finish makes a result durable, before it is reported. A result that does not
// count (the start was stopped) is nil: nothing is left of it.
func (o *Outbox) Finish(ctx context.Context, e Entry) error {
	if e.Result == nil {
		_, err := o.r.db.ExecContext(ctx, "DELETE FROM outbox WHERE run=? AND key=? AND start=?", e.Run, e.Key, e.Start)
		return damaged(err)
	}
	_, err := o.r.db.ExecContext(ctx, "UPDATE outbox SET result=? WHERE run=? AND key=? AND start=?", e.Result, e.Run, e.Key, e.Start)
	return damaged(err)
}

// Left lists what an earlier process of an owner began and nobody has
// reported.
func (o *Outbox) Left(ctx context.Context, owner string) (out []Entry, err error) {
	err = o.r.rows(ctx, func(scan func(...any) error) error {
		var e Entry
		if err := scan(&e.Run, &e.Key, &e.Start, &e.Owner, &e.In, &e.Token, &e.Result); err != nil {
			return err
		}
		out = append(out, e)
		return nil
	}, "SELECT run, key, start, owner, input, token, result FROM outbox WHERE owner=? AND reported=0 ORDER BY key, start", owner)
	return out, err
}

// Reported says that the other runtime knows of the end of a start; with keep
// it did not want to, and the result waits for the next start of the step.
func (o *Outbox) Reported(ctx context.Context, e Entry, keep bool) error {
	q := "DELETE FROM outbox WHERE run=? AND key=? AND start=?"
	if keep {
		q = "UPDATE outbox SET reported=1 WHERE run=? AND key=? AND start=?"
	}
	_, err := o.r.db.ExecContext(ctx, q, e.Run, e.Key, e.Start)
	return damaged(err)
}

// Job is a start of a step with its folders on this machine, and its mark.
func (o *Outbox) Job(run, key string, start int) flow.Job { return o.r.job(run, key, start) }

// Progress notes that a start has made progress.
func (o *Outbox) Progress(run, key string, start int) { o.r.progress(run, key, start) }

// Progressed reports whether a start had made progress.
func (o *Outbox) Progressed(run, key string, start int) bool {
	return o.r.progressed(run, key, start)
}
