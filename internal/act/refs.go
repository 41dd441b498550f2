package act

import (
	"context"

	"github.com/jacquard-build/jacquard/internal/step"
)

// keptPrefix is where everything is kept that no branch of a person has.
const keptPrefix = "refs/jacquard/"

// RunRef is the run's branch.
func RunRef(run string) string { return keptPrefix + run + "/head" }

// baseRef keeps the snapshot that a run began with.
func baseRef(run string) string { return keptPrefix + run + "/base" }

// SessionRef is where the tree is kept that a session of an agent began with.
func SessionRef(id string) string { return keptPrefix + "session/" + id }

// judgeRun is what checks of judgements are called; one judges at a time in a project.
const judgeRun = "prove"

// docsRef holds the documents of a run's WORK that are not committed, as commits: each has the commit of the run's branch that it
// belongs to as its first parent, and the documents before it as its second. It is set before the branch is, so that it may be one
// step ahead of it.
func docsRef(run string) string { return keptPrefix + run + "/documents" }

// standsAt is where a ref stands; the error is git.ErrNoRef where there is none.
func (a *Actor) standsAt(ctx context.Context, ref string) (step.HeadOut, error) {
	id, err := a.o.Repo.Ref(ctx, ref)
	if err != nil {
		return step.HeadOut{}, machinery(err)
	}
	return a.at(ctx, id)
}

// at is a commit with its tree.
func (a *Actor) at(ctx context.Context, id string) (step.HeadOut, error) {
	tree, _, err := a.o.Repo.ReadCommit(ctx, id)
	return step.HeadOut{Commit: id, Tree: tree}, machinery(err)
}

// tip is where the run's branch stands, once there is one.
func (a *Actor) tip(ctx context.Context, run string) (step.HeadOut, error) {
	return a.standsAt(ctx, RunRef(run))
}
