package local

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// loaded is a run as it stands in the journal.
type loaded struct {
	def, version string
	state        *flow.State
	paused       bool
	fence        int64
	done         *flow.Status
	starts       map[string]int   // starts so far of steps that are open
	stops        map[string][]int // those that an orderly stop has ended
}

// load reads a run. all also reads the outcomes that folds made unnecessary
// (for Compare).
func (r *Runtime) load(ctx context.Context, run string, all bool) (*loaded, error) {
	l := &loaded{state: &flow.State{}, starts: map[string]int{}, stops: map[string][]int{}}
	l.state.Init()
	var state string
	var out, fail, in []byte
	err := r.db.QueryRowContext(ctx, "SELECT def, version, input, started, cancelled, paused, fence, state, out, err FROM runs WHERE id=?", run).
		Scan(&l.def, &l.version, &in, &l.state.Start, &l.state.Cancelled, &l.paused, &l.fence, &state, &out, &fail)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%w: %s", flow.ErrNoRun, run)
	}
	if err != nil {
		return nil, damaged(err)
	}
	l.state.Def, l.state.In = l.def, in
	if s := flow.RunState(state); s.Ended() {
		l.done = &flow.Status{State: s, Out: out, Err: failure(fail)}
	}
	if err := r.loadSteps(ctx, run, l, all); err != nil {
		return nil, err
	}
	if err := r.loadNotes(ctx, run, l); err != nil {
		return nil, err
	}
	return l, r.loadFolds(ctx, run, l)
}

// rows calls each with a reader of the columns for every row of a query.
func (r *Runtime) rows(ctx context.Context, each func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := r.db.QueryContext(ctx, query, args...)
	if err != nil {
		return damaged(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return damaged(err)
		}
	}
	return damaged(rows.Err())
}

func (r *Runtime) loadSteps(ctx context.Context, run string, l *loaded, all bool) error {
	q := "SELECT key, kind, step, hash, starts, stops, ended, out, err FROM steps WHERE run=?"
	if !all {
		q += " AND folded=0"
	}
	return r.rows(ctx, func(scan func(...any) error) error {
		var key, step, stops string
		var kind flow.Kind
		var hash, ended int64
		var starts int
		var out, fail []byte
		if err := scan(&key, &kind, &step, &hash, &starts, &stops, &ended, &out, &fail); err != nil {
			return err
		}
		switch {
		case ended != 0:
			l.state.Recs[key] = &flow.Rec{Step: step, In: uint64(hash), Out: out, Err: failure(fail), At: ended}
		case starts > 0 || kind != flow.KindStep:
			l.state.Open[key] = flow.Start{Step: step, In: uint64(hash)}
			l.starts[key], l.stops[key] = starts, numbers(stops)
		}
		return nil
	}, q, run)
}

func numbers(s string) []int {
	var out []int
	for _, f := range strings.Fields(s) {
		if n, err := strconv.Atoi(f); err == nil {
			out = append(out, n)
		}
	}
	return out
}

func (r *Runtime) loadNotes(ctx context.Context, run string, l *loaded) error {
	return r.rows(ctx, func(scan func(...any) error) error {
		var key string
		if err := scan(&key); err != nil {
			return err
		}
		l.state.Notes[key] = true
		return nil
	}, "SELECT key FROM events WHERE run=? AND type='note'", run)
}

func (r *Runtime) loadFolds(ctx context.Context, run string, l *loaded) error {
	return r.rows(ctx, func(scan func(...any) error) error {
		var path string
		var at int64
		var out, fail []byte
		if err := scan(&path, &at, &out, &fail); err != nil {
			return err
		}
		l.state.Folds[path] = &flow.Rec{Out: out, Err: failure(fail), At: at}
		return nil
	}, "SELECT path, at, out, err FROM folds WHERE run=? AND stale=0", run)
}

// attemptDir is the folder of one start of a step. Names are short and safe on
// every system: a readable tail plus a hash that makes them unique.
func (r *Runtime) attemptDir(run, key string, n int) string {
	sum := sha256.Sum256([]byte(key))
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, key)
	if len(safe) > 40 {
		safe = safe[len(safe)-40:]
	}
	return filepath.Join(r.o.Dir, "runs", run, "attempts", safe+"-"+hex.EncodeToString(sum[:4]), strconv.Itoa(n))
}

func mark(run, key string, n int) string {
	sum := sha256.Sum256([]byte(key))
	return fmt.Sprintf("%s.%s.%d", run, hex.EncodeToString(sum[:6]), n)
}

// Steps lists the steps of a run with their outcomes, in order of starting.
func (r *Runtime) Steps(ctx context.Context, run string) (out []flow.StepRow, err error) {
	err = r.rows(ctx, func(scan func(...any) error) error {
		var s flow.StepRow
		var fail, o []byte
		var stops string
		if err := scan(&s.Key, &s.Kind, &s.Step, &s.Branch, &s.Starts, &stops, &s.Started, &s.Ended, &o, &fail); err != nil {
			return err
		}
		s.Step, _, _ = strings.Cut(s.Step, "@")
		s.Out, s.Err, s.Interrupted = o, failure(fail), len(numbers(stops))
		out = append(out, s)
		return nil
	}, "SELECT key, kind, step, branch, starts, stops, started, ended, out, err FROM steps WHERE run=? ORDER BY started, key", run)
	return out, err
}
