package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Errors of a push that callers branch on.
var (
	ErrRejected = errors.New("the remote has something else there")
	ErrOffline  = errors.New("the remote cannot be reached")
	ErrRefused  = errors.New("the remote refuses it")
	ErrAbsent   = fmt.Errorf("%w: there is no repository", ErrRefused) // a wrong address, or a folder that is away
)

// Login is how git gets in at a server over HTTP: with a token. It is for no other server, and git keeps it nowhere.
type Login struct {
	Server string // https://github.com; "" = the user's own way alone
	Token  string
}

// tokenName is the variable that the token is in. It is in no argument, so that no list of processes shows it.
const tokenName = "JACQUARD_FORGE_TOKEN"

// remote runs git as the user would, so that his keys and helpers apply; at the server of the login it uses that.
func (r *Repo) remote(ctx context.Context, l Login, args ...string) ([]byte, error) {
	c := call{remote: true}
	if l.Server != "" && l.Token != "" {
		key := "credential." + strings.TrimRight(l.Server, "/") + ".helper"
		c.args = []string{"-c", key + "=", "-c", key + `=!f() { test "$1" = get && echo username=x-access-token && echo "password=$` + tokenName + `"; }; f`}
		c.env = []string{tokenName + "=" + l.Token}
	}
	c.args = append(c.args, args...)
	out, err := r.in(ctx, c)
	if f, ok := errors.AsType[*failure](err); ok && f.class == nil {
		if l.Token != "" {
			f.text = strings.ReplaceAll(f.text, l.Token, "…")
		}
		f.class = remoteCause(f.text)
	}
	return out, err
}

// remoteCause recognises in git's words why a remote did not do what it was asked for.
func remoteCause(text string) error {
	for _, s := range []string{"Could not resolve host", "Connection refused", "Connection timed out", "Failed to connect", "Couldn't connect", "Connection reset", "Network is unreachable", "No route to host", "early EOF", "The requested URL returned error: 5"} {
		if strings.Contains(text, s) {
			return ErrOffline
		}
	}
	for _, s := range []string{"[rejected]", "non-fast-forward", "fetch first", "failed to update ref", "cannot lock ref"} {
		if strings.Contains(text, s) {
			return ErrRejected
		}
	}
	if strings.Contains(text, "does not appear to be a git repository") {
		return ErrAbsent
	}
	return ErrRefused
}

// What pushes and fetches begin with: no hook runs, and nothing comes along that is not named.
var (
	pushAlone  = []string{"push", "--quiet", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed"}
	fetchAlone = []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--refmap=", "--no-auto-maintenance"}
)

// FetchBranch brings the commits of a branch of a remote. No ref moves.
func (r *Repo) FetchBranch(ctx context.Context, remote, branch string, l Login) error {
	if _, err := r.remote(ctx, l, slices.Concat(fetchAlone, []string{"--", remote, "refs/heads/" + branch})...); err != nil {
		return fmt.Errorf("fetch %s from %s: %w", branch, remote, err)
	}
	return nil
}

// Push lets a branch of a remote be at a commit that follows what it is at now. It is never forced, pushes nothing else, and
// runs no hook. The error is ErrRejected when the branch is somewhere else.
func (r *Repo) Push(ctx context.Context, remote, commit, branch string, l Login) error {
	if err := r.checkID(commit); err != nil {
		return fmt.Errorf("push to %s: %w", branch, err)
	}
	if ok, err := r.ValidBranch(ctx, branch); err != nil || !ok {
		return fmt.Errorf("push to %q: that is not a valid branch name: %w", branch, errors.Join(ErrRefused, err))
	}
	if _, err := r.remote(ctx, l, slices.Concat(pushAlone, []string{"--", remote, commit + ":refs/heads/" + branch})...); err != nil {
		return fmt.Errorf("push to %s of %s: %w", branch, remote, err)
	}
	return nil
}

// quietFor are the settings of a call: what is asked of a remote may use the user's own log-in.
func (c call) quietFor() []string {
	if !c.remote {
		return quiet
	}
	return slices.DeleteFunc(slices.Clone(quiet), func(kv string) bool { return kv == "credential.helper=" })
}
