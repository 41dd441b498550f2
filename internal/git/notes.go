package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// ShareNotes lets the notes of a full ref name at a remote say what those here say; what they say of other commits comes here. Nothing is
// forced. c says who joins the two.
func (r *Repo) ShareNotes(ctx context.Context, remote, ref string, c Commit, l Login) error {
	for range noteTries {
		there, err := r.RemoteRef(ctx, remote, ref, l)
		if err != nil {
			return err
		}
		if there != "" {
			if err := r.takeNotes(ctx, remote, ref, there, c, l); err != nil {
				return fmt.Errorf("take %s of %s: %w", ref, remote, err)
			}
		}
		here, err := r.Ref(ctx, ref)
		if err != nil || here == there {
			return err
		}
		_, err = r.remote(ctx, l, slices.Concat(pushAlone, []string{"--", remote, here + ":" + ref})...)
		if err == nil {
			return nil
		}
		if !errors.Is(err, ErrRejected) {
			return fmt.Errorf("push %s to %s: %w", ref, remote, err)
		}
	}
	return fmt.Errorf("push %s to %s: %w", ref, remote, ErrRejected)
}

// takeNotes adds notes of a remote to those here, which hold where both say something of one commit.
func (r *Repo) takeNotes(ctx context.Context, remote, ref, there string, c Commit, l Login) error {
	if _, err := r.remote(ctx, l, slices.Concat(fetchAlone, []string{"--", remote, ref})...); err != nil {
		return err
	}
	_, err := r.in(ctx, call{args: []string{"-c", "user.name=" + c.Name, "-c", "user.email=" + c.Email, "notes", "--ref", ref, "merge", "--quiet", "--strategy", "ours", there}})
	return err
}
