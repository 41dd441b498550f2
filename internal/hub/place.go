package hub

import (
	"context"
	"errors"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
)

// Place is where the refs of runs are that machines share.
type Place interface {
	// Fetch brings the refs of a run to this machine, under the same names.
	Fetch(ctx context.Context, run string) error
	// Make makes a ref of a run once; the error is git.ErrRejected when somebody was first. The commit may have objects in common
	// with others of the run that are there; near names them.
	Make(ctx context.Context, run, ref, commit string, near []string) error
	// Drop deletes the refs of a run and returns how many there were.
	Drop(ctx context.Context, run string) (int, error)
	// Check says what is wrong with the place; nil = it can be used.
	Check(ctx context.Context) error
}

// Remote is a git remote of a repository as a place.
func Remote(repo *git.Repo, name string, login git.Login) Place {
	return &remote{repo: repo, name: name, login: login}
}

type remote struct {
	repo  *git.Repo
	name  string // name or address
	login git.Login
}

func (r *remote) Fetch(ctx context.Context, run string) error {
	return trouble(r.repo.FetchRefs(ctx, r.name, prefix(run), r.login))
}

func (r *remote) Make(ctx context.Context, _, ref, commit string, _ []string) error {
	return trouble(r.repo.PushNew(ctx, r.name, ref, commit, r.login))
}

func (r *remote) Drop(ctx context.Context, run string) (int, error) {
	n, err := r.repo.DropRemoteRefs(ctx, r.name, prefix(run), r.login)
	return n, trouble(err)
}

func (r *remote) Check(ctx context.Context) error {
	_, err := r.repo.RemoteRef(ctx, r.name, "HEAD", r.login)
	return err
}

// trouble gives an error of the remote its class.
func trouble(err error) error {
	switch {
	case errors.Is(err, git.ErrOffline), errors.Is(err, git.ErrAbsent):
		return flow.Failf(flow.Environment, "the hub cannot be reached: %v", err)
	case errors.Is(err, git.ErrRefused):
		return flow.Failf(flow.Auth, "the hub refuses: %s. Every worker needs write access to refs/jacquard/", strings.TrimRight(err.Error(), ".\n"))
	}
	return err
}
