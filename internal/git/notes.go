package git

import (
	"context"
	"errors"
	"fmt"
)

// Note is what the notes of a full ref name say of a commit, nil for nothing.
func (r *Repo) Note(ctx context.Context, ref, commit string) ([]byte, error) {
	if err := r.checkID(commit); err != nil {
		return nil, fmt.Errorf("read a note: %w", err)
	}
	out, err := r.in(ctx, call{args: []string{"notes", "--ref", ref, "show", commit}, ok: []int{1}})
	if isAnswer(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a note: %w", err)
	}
	return out, nil
}

// noteTries bounds how often notes are written again because somebody else has written some.
const noteTries = 20

// SetNotes lets the notes of a full ref name say something of commits, instead of what they said. c says who writes them, and when.
func (r *Repo) SetNotes(ctx context.Context, ref string, notes map[string][]byte, c Commit) error {
	var edits []Edit
	for commit, text := range notes {
		id, err := r.WriteBlob(ctx, text)
		if err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
		edits = append(edits, Edit{Path: commit, Mode: modeFile, ID: id})
	}
	for range noteTries {
		old, err := r.Ref(ctx, ref)
		if err != nil && !errors.Is(err, ErrNoRef) {
			return fmt.Errorf("write notes: %w", err)
		}
		c.Parents = nil
		if old != "" {
			c.Parents = []string{old}
		}
		if c.Tree, err = r.edit(ctx, old, edits); err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
		id, err := r.CommitTree(ctx, c)
		if err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
		if err = r.SetRef(ctx, ref, id, old); !errors.Is(err, ErrMoved) {
			return err
		}
	}
	return fmt.Errorf("write notes: %w", ErrMoved)
}
