package git

import (
	"context"
	"errors"
	"strings"
)

// RemoteURL is where a remote of the user's repository is; "" when there is no such remote.
func (r *Repo) RemoteURL(ctx context.Context, name string) (string, error) {
	out, err := r.user(ctx, "config", "--get", "remote."+name+".url")
	if _, ok := errors.AsType[*failure](err); ok {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}
