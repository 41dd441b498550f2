package git

import (
	"context"
	"fmt"
	"strings"
)

// DefaultBranch is the branch that others work from: the one that origin names, else main or master where there is one,
// else what is checked out. The result is a name that git takes as a commit.
func (r *Repo) DefaultBranch(ctx context.Context) (string, error) {
	name, err := r.in(ctx, call{args: []string{"symbolic-ref", "-q", "refs/remotes/origin/HEAD"}, ok: []int{1}})
	if err != nil && !isAnswer(err) {
		return "", fmt.Errorf("find the default branch: %w", err)
	}
	candidates := []string{strings.TrimSpace(string(name)), "refs/heads/main", "refs/heads/master"}
	for _, ref := range candidates {
		if ref == "" {
			continue
		}
		if _, err := r.Ref(ctx, ref); err == nil {
			return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/remotes/"), nil
		}
	}
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	if head.Branch == "" || head.Unborn {
		return "", fmt.Errorf("find the default branch: there is no main or master, and no branch is checked out")
	}
	return head.Branch, nil
}

// AddWorktree makes a work tree at dir, which must not be there, with a new branch that begins at start.
func (r *Repo) AddWorktree(ctx context.Context, dir, branch, start string) error {
	if _, err := r.user(ctx, "worktree", "add", "--quiet", "--no-track", "-b", branch, "--", dir, start); err != nil {
		return fmt.Errorf("add a work tree: %w", err)
	}
	return nil
}

// RemoveWorktree removes a work tree, and its branch when that is still at a commit. One that is not clean git refuses.
func (r *Repo) RemoveWorktree(ctx context.Context, dir, branch, at string) error {
	if id, err := r.Ref(ctx, "refs/heads/"+branch); err != nil || id != at {
		return fmt.Errorf("remove a work tree: the branch %s is not at %s any more", branch, at)
	}
	if _, err := r.user(ctx, "worktree", "remove", "--", dir); err != nil {
		return fmt.Errorf("remove a work tree: %w", err)
	}
	if _, err := r.user(ctx, "update-ref", "-d", "refs/heads/"+branch, at); err != nil {
		return fmt.Errorf("delete the branch %s: %w", branch, err)
	}
	return nil
}
