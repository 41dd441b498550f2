package git

import (
	"context"
	"errors"
	"fmt"
)

// Clone is CloneSince with the same tree in its commit.
func (r *Repo) Clone(ctx context.Context, dir, tree string, exclude ...string) (*Clone, error) {
	return r.CloneSince(ctx, dir, tree, tree, exclude...)
}

// Close ends what the repository keeps running to answer questions.
func (r *Repo) Close() error {
	var errs []error
	for _, t := range []*talk{&r.store.reader, &r.store.refs} {
		t.mu.Lock()
		errs = append(errs, t.close())
		t.mu.Unlock()
	}
	return errors.Join(errs...)
}

// TempName is for the test of a crash.
var TempName = tempName

// Index is the index as it is read without git, as lines of "git ls-files -s".
func Index(r *Repo) (lines []string, ok bool) {
	list, ok := r.readIndex(nil)
	for _, e := range list {
		lines = append(lines, fmt.Sprintf("%s %s\t%s", e.mode, e.id, e.path))
	}
	return lines, ok
}
