package git

import (
	"context"
	"fmt"
	"strings"
)

// FastForward moves the checked-out branch (or a detached HEAD) to a commit that has it as an
// ancestor, with index and work tree. Files that the user changed and the move would overwrite
// stop it, and nothing changes.
func (r *Repo) FastForward(ctx context.Context, commit string) error {
	if err := r.checkID(commit); err != nil {
		return fmt.Errorf("fast-forward: %w", err)
	}
	if _, err := r.user(ctx, "merge", "--ff-only", "--no-verify", "--no-autostash", "--quiet", commit); err != nil {
		if paths := inTheWay(err.Error()); len(paths) > 0 {
			return fmt.Errorf("fast-forward: %w", &InTheWayError{paths, strings.Contains(err.Error(), "untracked working tree files")})
		}
		return fmt.Errorf("fast-forward: %w", err)
	}
	return nil
}

// InTheWayError are files that are not committed and would be overwritten.
type InTheWayError struct {
	Paths     []string
	Untracked bool // git does not know them: a stash that holds them cannot be taken back over the result
}

func (e *InTheWayError) Error() string {
	return "it would overwrite what is not committed in " + strings.Join(e.Paths, ", ")
}

// inTheWay are the files that git names in "would be overwritten by merge", one a line behind a tab.
func inTheWay(said string) (paths []string) {
	if !strings.Contains(said, "would be overwritten by merge") {
		return nil
	}
	for line := range strings.Lines(said) {
		if path, ok := strings.CutPrefix(line, "\t"); ok {
			paths = append(paths, strings.TrimSpace(path))
		}
	}
	return paths
}
