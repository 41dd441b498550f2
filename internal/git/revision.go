package git

import (
	"context"
	"fmt"
	"strings"
)

// Revision is the commit that people mean by a revision such as HEAD~2, a branch or a tag.
// The error is ErrNoRef when there is no such commit.
func (r *Repo) Revision(ctx context.Context, rev string) (string, error) {
	out, err := r.in(ctx, call{args: []string{"rev-parse", "-q", "--verify", "--end-of-options", rev + "^{commit}"}, ok: []int{1, 128}})
	if isAnswer(err) {
		return "", fmt.Errorf("read revision %q: %w", rev, ErrNoRef)
	}
	if err != nil {
		return "", fmt.Errorf("read revision %q: %w", rev, err)
	}
	return strings.TrimSpace(string(out)), nil
}
