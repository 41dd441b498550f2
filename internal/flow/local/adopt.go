package local

import (
	"context"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// adopt compares another definition with the record, and takes it when
// nothing differs or the differences are accepted. One that cannot run over
// the record is never taken.
func (r *Runtime) adopt(ctx context.Context, run string, w flow.Runnable) (*loaded, error) {
	all, err := r.load(ctx, run, true)
	if err != nil {
		return nil, err
	}
	diff := flow.Compare(w, all.state, r.blob)
	if !diff.Empty() && (!r.o.Accept || diff.Bug != nil) {
		return nil, &flow.ChangedError{Diff: diff}
	}
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, damaged(err)
	}
	defer tx.Rollback()
	for _, b := range diff.Rebase {
		if _, err := tx.ExecContext(ctx, "UPDATE steps SET step=?, hash=? WHERE run=? AND key=?", b.Step, int64(b.In), run, b.Key); err != nil {
			return nil, damaged(err)
		}
	}
	if !diff.Empty() {
		// What finished branches returned is made again from their records:
		// the old results may lack what the new definition reads.
		for _, q := range []string{"UPDATE steps SET folded=0 WHERE run=?", "UPDATE folds SET stale=1 WHERE run=?"} {
			if _, err := tx.ExecContext(ctx, q, run); err != nil {
				return nil, damaged(err)
			}
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
