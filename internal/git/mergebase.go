package git

import (
	"context"
	"fmt"
	"strings"
)

// MergeBase is the best commit that two commits both come from. The error is ErrNoRef where there is none, as in a clone that was cut off
// before it.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.in(ctx, call{args: []string{"merge-base", "--end-of-options", a, b}, ok: []int{1}})
	if isAnswer(err) {
		return "", fmt.Errorf("find where %s and %s part: %w", a, b, ErrNoRef)
	}
	if err != nil {
		return "", fmt.Errorf("find where %s and %s part: %w", a, b, err)
	}
	return strings.TrimSpace(string(out)), nil
}
