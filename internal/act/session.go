package act

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
)

// sessionID is what an agent's session may be called: it becomes a part of a ref.
var sessionID = re.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// SessionsKept is how long the begin of a session is kept: who has not come back by then begins anew.
const SessionsKept = 30 * 24 * time.Hour

// sessionLasts is how long a session that began is taken for the one that goes on.
const sessionLasts = 24 * time.Hour

// ErrUnclear is the error where a session's own change cannot be told from what came in meanwhile.
var ErrUnclear = errors.New("what the session began with and what came in since do not fit together")

// BeginSession keeps the working tree as it is for a session of an agent. A session that is resumed keeps the begin that it had.
func (a *Actor) BeginSession(ctx context.Context, id string) error {
	if !IsSession(id) {
		return &InputError{"the session has no name that a ref can have"}
	}
	_, err := a.o.Repo.Ref(ctx, SessionRef(id))
	if !errors.Is(err, git.ErrNoRef) {
		return machinery(err)
	}
	c, err := a.beginning(ctx)
	if err != nil {
		return err
	}
	commit, _, err := a.o.Repo.Snapshot(ctx, c)
	if err != nil {
		return machinery(err)
	}
	if err := a.o.Repo.SetRef(ctx, SessionRef(id), commit, ""); err != nil && !errors.Is(err, git.ErrMoved) {
		return machinery(err)
	}
	return a.oldSessions(ctx)
}

// beginning is the commit that a session begins with. All that branches have then are parents, so that it can be told later from what came in.
func (a *Actor) beginning(ctx context.Context) (c git.Commit, err error) {
	const most = 1000 // parents
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return c, machinery(err)
	}
	_, email, err := a.o.Repo.Identity(ctx)
	if err != nil {
		return c, machinery(err)
	}
	tips := map[string]bool{}
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		refs, err := a.o.Repo.Refs(ctx, prefix)
		if err != nil {
			return c, machinery(err)
		}
		for _, id := range refs {
			tips[id] = true
		}
	}
	delete(tips, head.Commit) // is one in any case
	c = a.commit(judgeRun, "", "a session begins")
	if !head.Unborn {
		ids := slices.Sorted(maps.Keys(tips))
		c.Parents = ids[:min(len(ids), most)]
	}
	c.Trailers = append(c.Trailers, git.Trailer{Key: trailerBranch, Value: head.Branch}, git.Trailer{Key: trailerRoot, Value: a.o.Repo.Root()}, git.Trailer{Key: trailerEmail, Value: email})
	return c, nil
}

// LastSession is the session of an agent that began last in this working tree, "" where none did within a day.
func (a *Actor) LastSession(ctx context.Context) (string, error) {
	const most = 20 // other working trees of the repository have the same refs
	refs, err := a.o.Repo.NewestRefs(ctx, SessionRef(""), most)
	if err != nil {
		return "", machinery(err)
	}
	for _, ref := range refs {
		id := strings.TrimPrefix(ref, SessionRef(""))
		began, err := a.began(ctx, id)
		if err != nil || a.o.Now().Sub(began.Time) > sessionLasts {
			return "", err
		}
		if began.Trailer(trailerRoot) == strings.Join(strings.Fields(a.o.Repo.Root()), " ") { // as a commit has it
			return id, nil
		}
	}
	return "", nil
}

// oldSessions forgets sessions that began long ago.
func (a *Actor) oldSessions(ctx context.Context) error {
	refs, err := a.o.Repo.Refs(ctx, SessionRef(""))
	if err != nil {
		return machinery(err)
	}
	for ref, id := range refs {
		log, err := a.o.Repo.Log(ctx, id, "", 1)
		if err != nil || len(log) == 0 || a.o.Now().Sub(log[0].Time) < SessionsKept {
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

// SessionTrees are the tree that a session began with, and the working tree as it is. began is "" for a session of which nothing is known. The
// error is ErrUnclear where its own change cannot be told.
func (a *Actor) SessionTrees(ctx context.Context, id string) (began, now string, err error) {
	start, err := a.began(ctx, id)
	if err != nil || start.ID == "" {
		return "", "", err
	}
	if _, err = a.sessionBase(ctx, start); err != nil {
		return "", "", err
	}
	_, now, err = a.o.Repo.Snapshot(ctx, a.commit(judgeRun, "", "prove"))
	return start.Tree, now, machinery(err)
}

// began is the commit that a session began with, without an id where nothing is known of it.
func (a *Actor) began(ctx context.Context, id string) (c git.LogEntry, err error) {
	if !IsSession(id) {
		return c, nil
	}
	start, err := a.o.Repo.Ref(ctx, SessionRef(id))
	if errors.Is(err, git.ErrNoRef) {
		return c, nil
	}
	if err != nil {
		return c, machinery(err)
	}
	log, err := a.o.Repo.Log(ctx, start, "", 1)
	if err != nil {
		return c, machinery(err)
	}
	return log[0], nil
}

// sessionBase is the commit that a session's change is compared with: the one that it began with, with what others have committed and came in
// since by pull, switch or rebase. The error is ErrUnclear where that cannot be told.
func (a *Actor) sessionBase(ctx context.Context, began git.LogEntry) (string, error) {
	head, err := a.o.Repo.Head(ctx)
	if err != nil || head.Unborn || len(began.Parents) == 0 || began.Parents[0] == head.Commit {
		return began.ID, machinery(err)
	}
	theirs, err := a.ofOthers(ctx, head.Commit, began)
	switch {
	case err != nil:
		return "", err
	case len(theirs) == 0:
		return began.ID, nil
	case len(theirs) > 1: // nobody can say what of it came first
		return "", ErrUnclear
	}
	return a.broughtTo(ctx, theirs[0], began, head)
}

// ofOthers are the newest commits below head that have come in since a session began, and that it did not make: a branch had them then, or they
// were fetched and somebody else has committed them. A head that went back to where its history had been is such a commit itself.
func (a *Actor) ofOthers(ctx context.Context, head string, began git.LogEntry) (newest []string, err error) {
	was := began.Parents[0]
	log, err := a.o.Repo.Ancestors(ctx, head, was)
	if err != nil {
		return nil, machinery(err)
	}
	if len(log) == 0 {
		return []string{head}, nil
	}
	anew, err := a.o.Repo.Ancestors(ctx, head, began.ID)
	if err != nil {
		return nil, machinery(err)
	}
	email := began.Trailer(trailerEmail)
	another := func(c git.Ancestor) bool { return email != "" && c.Email != "" && c.Email != email }
	local := anew
	if slices.ContainsFunc(anew, another) {
		fetched, err := a.o.Repo.Fetched(ctx)
		if err != nil {
			return nil, machinery(err)
		}
		if local, err = a.o.Repo.Ancestors(ctx, head, append(fetched, began.ID)...); err != nil {
			return nil, machinery(err)
		}
	}
	isNew, isLocal := idsOf(anew), idsOf(local)
	below := map[string]bool{} // those of others
	for _, c := range log {
		if !isNew[c.ID] || !isLocal[c.ID] && another(c) {
			if !below[c.ID] {
				newest = append(newest, c.ID)
			}
			below[c.ID] = true
		}
		for _, p := range c.Parents {
			below[p] = below[p] || below[c.ID]
		}
	}
	return newest, nil
}

func idsOf(list []git.Ancestor) map[string]bool {
	ids := map[string]bool{}
	for _, c := range list {
		ids[c.ID] = true
	}
	return ids
}

// broughtTo is a commit with what a session began with on top of one of others. What was committed before stays where it is below head, or where
// the same branch was put on top of something else: another branch does not have it.
func (a *Actor) broughtTo(ctx context.Context, theirs string, began git.LogEntry, head git.Head) (string, error) {
	from := began.Parents[0]
	common, err := a.o.Repo.MergeBase(ctx, from, head.Commit)
	if err != nil && !errors.Is(err, git.ErrNoRef) {
		return "", machinery(err)
	}
	if branch := began.Trailer(trailerBranch); common == from || branch != "" && branch == head.Branch {
		base, err := a.o.Repo.MergeBase(ctx, from, theirs)
		if errors.Is(err, git.ErrNoRef) {
			return "", ErrUnclear
		}
		if err != nil {
			return "", machinery(err)
		}
		from = base
	}
	base, err := a.at(ctx, from)
	if err != nil {
		return "", err
	}
	other, err := a.at(ctx, theirs)
	if err != nil {
		return "", err
	}
	tree, conflicts, err := a.o.Repo.Merge(ctx, base.Tree, other.Tree, began.Tree)
	if err != nil {
		return "", machinery(err)
	}
	if len(conflicts) > 0 {
		return "", ErrUnclear
	}
	c := a.commit(judgeRun, "", "a session begins")
	c.Tree, c.Parents = tree, []string{theirs}
	commit, err := a.o.Repo.CommitTree(ctx, c)
	return commit, machinery(err)
}
