package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
)

// deliver is the step compile.deliver: the run's branch becomes a branch of
// the user's, or the user's branch is moved to it. Nothing is ever forced.
func (a *Actor) deliver(ctx context.Context, j flow.Job, in step.DeliverIn) (step.DeliverOut, error) {
	tip, err := a.o.Repo.Ref(ctx, RunRef(j.Run))
	if err != nil {
		return step.DeliverOut{}, machinery(err)
	}
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return step.DeliverOut{}, machinery(err)
	}
	commit, err := a.rebased(ctx, tip, in.Base)
	if err != nil {
		return step.DeliverOut{}, err
	}
	out := step.DeliverOut{Commit: commit, Ref: RunRef(j.Run)}
	if in.How == step.ToPull {
		return out, nil
	}
	if in.How == step.ToBranch {
		out.Ref = "refs/heads/" + in.Branch
		out.Moved = &step.Moved{Branch: in.Branch, From: head.Commit, To: commit, New: true}
		err := a.o.Repo.SetRef(ctx, out.Ref, commit, "")
		if errors.Is(err, git.ErrMoved) {
			out.Moved, out.Ref, out.Why = nil, RunRef(j.Run), fmt.Sprintf("the branch %s exists already; the result is on %s", in.Branch, RunRef(j.Run))
			return out, nil
		}
		return out, machinery(err)
	}
	if in.On != "" && cmp.Or(head.Branch, detached) != in.On {
		out.Ref = RunRef(j.Run)
		out.Why = fmt.Sprintf("the work started on branch %s, which is no longer checked out; the result is on %s. To take it: git switch %s && git merge --ff-only %s", in.On, out.Ref, in.On, out.Ref)
		return out, nil
	}
	out.Ref = "HEAD"
	out.Moved = &step.Moved{Branch: head.Branch, From: head.Commit, To: commit}
	if head.Commit == commit { // an earlier start has moved it
		out.Moved.From = in.Base
	}
	if err := a.effect("deliver", func() error { return a.o.Repo.FastForward(ctx, commit) }); err != nil {
		out.Moved, out.Ref = nil, RunRef(j.Run)
		out.Why = fmt.Sprintf("the branch %s could not be moved (%v); the result is on %s. To take it: git merge %s", head.Branch, err, out.Ref, out.Ref)
		return out, nil
	}
	return out, a.writeDocuments(ctx, j.Run)
}

// rebased puts the run's commits on the commit that the user's snapshot was
// made from, when the snapshot holds nothing else.
func (a *Actor) rebased(ctx context.Context, tip, base string) (string, error) {
	if base == "" {
		return tip, nil
	}
	tree, parents, err := a.o.Repo.ReadCommit(ctx, base)
	if err != nil {
		return "", machinery(err)
	}
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return "", machinery(err)
	}
	if len(parents) == 0 || head.Commit == base { // it began at what is checked out
		return tip, nil
	}
	parent, err := a.at(ctx, parents[0])
	if err != nil {
		return "", err
	}
	if parent.Tree != tree {
		return tip, nil // uncommitted work came first: it stays a commit of its own
	}
	commits, err := a.o.Repo.Log(ctx, tip, base, 0)
	if err != nil {
		return "", machinery(err)
	}
	onto := parent.Commit
	for i := len(commits) - 1; i >= 0; i-- {
		c := commits[i]
		id, err := a.o.Repo.CommitTree(ctx, git.Commit{
			Tree: c.Tree, Parents: []string{onto}, Message: c.Message, Name: c.Name, Email: c.Email, Time: c.Time,
		})
		if err != nil {
			return "", machinery(err)
		}
		onto = id
	}
	return onto, nil
}

// Altered are the delivered files of a run that are not as they were delivered: a process that has outlived its turn may have written
// them, or a person. modules are those that were delivered into the working tree.
func (a *Actor) Altered(ctx context.Context, run string, modules []string) ([]string, error) {
	tip, err := a.o.Repo.Ref(ctx, RunRef(run))
	if errors.Is(err, git.ErrNoRef) {
		return nil, nil
	}
	if err != nil {
		return nil, machinery(err)
	}
	log, err := a.landedLog(ctx, run, tip)
	if err != nil || len(log) == 0 {
		return nil, err
	}
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return nil, machinery(err)
	}
	onBranch := false
	if !head.Unborn {
		at, err := a.at(ctx, head.Commit)
		if err != nil {
			return nil, err
		}
		onBranch = at.Tree == log[0].Tree
	}
	var files []git.Delivery
	known := map[string]bool{target.LockName: true} // of the lock only lines are delivered
	for _, c := range log {                         // the newest says how a file is
		if !onBranch && !slices.ContainsFunc(modules, func(dir string) bool { return isModule(c, dir) }) || len(c.Parents) == 0 {
			continue
		}
		changes, err := a.o.Repo.Diff(ctx, c.Parents[0], c.ID)
		if err != nil {
			return nil, machinery(err)
		}
		for _, ch := range changes {
			if !known[ch.Path] && !strings.HasPrefix(ch.Path, "../") {
				files = append(files, git.Delivery{Path: ch.Path, New: ch.NewID, Mode: ch.NewMode})
			}
			known[ch.Path] = true
		}
	}
	out, err := a.o.Repo.Differing(ctx, files)
	return out, machinery(err)
}
