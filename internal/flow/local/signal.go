package local

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Signal stores a signal; a driver, now or later, applies it. The first
// answer of a gate counts; another one is ErrNoGate, the same one is nothing.
func (r *Runtime) Signal(ctx context.Context, run string, s flow.Signal) error {
	if err := s.Check(run); err != nil {
		return err
	}
	body, err := json.Marshal(s)
	if err != nil {
		return err
	}
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return damaged(err)
	}
	defer tx.Rollback()
	var state flow.RunState
	if err = tx.QueryRowContext(ctx, "SELECT state FROM runs WHERE id=?", run).Scan(&state); errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: %s", flow.ErrNoRun, run)
	} else if err != nil {
		return damaged(err)
	}
	if s.ID == "" {
		if s.ID, err = signalID(ctx, tx, run, s, body); err != nil {
			return damaged(err)
		}
	}
	var known int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM signals WHERE run=? AND id=?", run, s.ID).Scan(&known); err != nil || known > 0 {
		return damaged(err)
	}
	if s.Gate != "" {
		if err := checkGate(ctx, tx, run, state, s); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO signals (run, id, verb, gate, body, at) VALUES (?,?,?,?,?,?)",
		run, s.ID, s.Verb, s.Gate, body, r.o.Clock.Now().UnixMilli()); err != nil {
		return damaged(err)
	}
	return damaged(tx.Commit())
}

// signalID makes the same signal idempotent. Pause and unpause may alternate,
// so the same one in a row is the same signal.
func signalID(ctx context.Context, tx *sql.Tx, run string, s flow.Signal, body []byte) (string, error) {
	if s.Verb != flow.Pause && s.Verb != flow.Unpause {
		sum := sha256.Sum256(body)
		return hex.EncodeToString(sum[:8]), nil
	}
	var n int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM signals WHERE run=? AND verb IN (?,?) AND verb<>?", run, flow.Pause, flow.Unpause, s.Verb).Scan(&n)
	return fmt.Sprintf("%s-%d", s.Verb, n), err
}

func checkGate(ctx context.Context, tx *sql.Tx, run string, state flow.RunState, s flow.Signal) error {
	var in []byte
	var ended int64
	err := tx.QueryRowContext(ctx, "SELECT input, ended FROM steps WHERE run=? AND key=? AND kind=? AND folded=0", run, s.Gate, string(flow.KindAsk)).Scan(&in, &ended)
	if errors.Is(err, sql.ErrNoRows) || err == nil && state.Ended() {
		return fmt.Errorf("%w: %s", flow.ErrNoGate, s.Gate)
	}
	if err != nil {
		return damaged(err)
	}
	var q flow.Question
	if err := json.Unmarshal(in, &q); err != nil {
		return fmt.Errorf("read gate %s: %w", s.Gate, err)
	}
	if q.Tree != s.Tree {
		return fmt.Errorf("%w: it shows %q, the answer is for %q", flow.ErrTree, q.Tree, s.Tree)
	}
	var before int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM signals WHERE run=? AND gate=? AND applied=0", run, s.Gate).Scan(&before); err != nil {
		return damaged(err)
	}
	if before > 0 || ended != 0 {
		return fmt.Errorf("%w: %s has its answer", flow.ErrNoGate, s.Gate)
	}
	return nil
}
