package act

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
)

// sessionID is what an agent's session may be called: it becomes a part of a ref.
var sessionID = re.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// sessionsKept is how long the begin of a session is kept: who has not come back by then begins anew.
const sessionsKept = 30 * 24 * time.Hour

// BeginSession keeps the working tree as it is for a session of an agent. A session that is resumed keeps the begin that it had.
func (a *Actor) BeginSession(ctx context.Context, id string) error {
	if !IsSession(id) {
		return &InputError{"the session has no name that a ref can have"}
	}
	_, err := a.o.Repo.Ref(ctx, SessionRef(id))
	if !errors.Is(err, git.ErrNoRef) {
		return machinery(err)
	}
	commit, _, err := a.o.Repo.Snapshot(ctx, a.commit(judgeRun, "", "a session begins"))
	if err != nil {
		return machinery(err)
	}
	if err := a.o.Repo.SetRef(ctx, SessionRef(id), commit, ""); err != nil && !errors.Is(err, git.ErrMoved) {
		return machinery(err)
	}
	return a.oldSessions(ctx)
}

// oldSessions forgets sessions that began long ago.
func (a *Actor) oldSessions(ctx context.Context) error {
	refs, err := a.o.Repo.Refs(ctx, SessionRef(""))
	if err != nil {
		return machinery(err)
	}
	for ref, id := range refs {
		log, err := a.o.Repo.Log(ctx, id, "", 1)
		if err != nil || len(log) == 0 || a.o.Now().Sub(log[0].Time) < sessionsKept {
			continue
		}
		if err := a.o.Repo.DeleteRef(ctx, ref, id); err != nil && !errors.Is(err, git.ErrMoved) {
			return machinery(err)
		}
	}
	return nil
}

// IsSession reports whether a session of an agent can be kept by its name.
func IsSession(id string) bool { return sessionID().MatchString(id) }

// FileIn is a file of a tree, nil where there is none.
func (a *Actor) FileIn(ctx context.Context, tree, name string) ([]byte, error) {
	list, err := a.o.Repo.ReadTree(ctx, tree)
	if err != nil {
		return nil, machinery(err)
	}
	i := slices.IndexFunc(list, func(e git.Entry) bool { return e.Path == name })
	if i < 0 {
		return nil, nil
	}
	raw, err := a.o.Repo.ReadBlob(ctx, list[i].ID)
	return raw, machinery(err)
}

// SessionTrees are the tree that a session began with, and the working tree as it is. began is "" for a session of which nothing is known.
func (a *Actor) SessionTrees(ctx context.Context, id string) (began, now string, err error) {
	if !IsSession(id) {
		return "", "", nil
	}
	at, err := a.standsAt(ctx, SessionRef(id))
	if errors.Is(err, git.ErrNoRef) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	_, now, err = a.o.Repo.Snapshot(ctx, a.commit(judgeRun, "", "prove"))
	return at.Tree, now, machinery(err)
}
