package git

import (
	"context"
	"fmt"
)

// FastForward moves the checked-out branch (or a detached HEAD) to a commit that has it as an
// ancestor, with index and work tree. Files that the user changed and the move would overwrite
// stop it, and nothing changes.
func (r *Repo) FastForward(ctx context.Context, commit string) error {
	if err := r.checkID(commit); err != nil {
		return fmt.Errorf("fast-forward: %w", err)
	}
	if _, err := r.user(ctx, "merge", "--ff-only", "--no-verify", "--no-autostash", "--quiet", commit); err != nil {
		return fmt.Errorf("fast-forward: %w", err)
	}
	return nil
}
