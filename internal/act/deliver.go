package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
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
		out.Why = fmt.Sprintf("the work started on branch %s, which is no longer checked out; the result is on %s. To take it, run:\ngit switch %s\ngit merge %s", in.On, out.Ref, in.On, out.Ref)
		if _, err := a.o.Repo.Ref(ctx, "refs/heads/"+in.On); errors.Is(err, git.ErrNoRef) && in.On != detached {
			out.Why = fmt.Sprintf("the work started on branch %s, which no longer exists; the result is on %s. To bring it back, run:\ngit branch %s %s", in.On, out.Ref, in.On, out.Ref)
		}
		return out, nil
	}
	out.Ref = "HEAD"
	out.Moved = &step.Moved{Branch: head.Branch, From: head.Commit, To: commit}
	if head.Commit == commit { // an earlier start has moved it
		out.Moved.From = in.Base
	}
	if err := a.effect("deliver", func() error { return a.o.Repo.FastForward(ctx, commit) }); err != nil {
		out.Moved, out.Ref = nil, RunRef(j.Run)
		out.Why = a.notMoved(ctx, head, commit, out.Ref, err)
		return out, nil
	}
	return out, a.writeDocuments(ctx, j.Run)
}

// notMoved says why the checked-out branch was not moved to the result of a run, and how a person takes it.
func (a *Actor) notMoved(ctx context.Context, head git.Head, commit, ref string, err error) string {
	branch := cmp.Or(head.Branch, "HEAD")
	var files *git.InTheWayError
	switch base, parted := a.o.Repo.MergeBase(ctx, head.Commit, commit); {
	case errors.As(err, &files) && files.Untracked:
		return fmt.Sprintf("%s could not be moved: it would overwrite untracked files: %s; the result is on %s. To take it, move them away, then run:\ngit merge %s",
			branch, strings.Join(files.Paths, ", "), ref, ref)
	case errors.As(err, &files):
		return fmt.Sprintf("%s could not be moved: it would overwrite what is not committed in %s; the result is on %s. To take it, run:\ngit stash --include-untracked\ngit merge %s\ngit stash pop\nIf that says CONFLICT, resolve it, then run: git stash drop",
			branch, strings.Join(files.Paths, ", "), ref, ref)
	case errors.Is(parted, git.ErrNoRef):
		return fmt.Sprintf("%s could not be moved: its history is another one than when the run began; the result is on %s. To look at it, run:\ngit log -p %s", branch, ref, ref)
	case parted == nil && base != head.Commit:
		return fmt.Sprintf("%s could not be moved: it has new commits since the run began; the result is on %s. To take it, run:\ngit merge %s", branch, ref, ref)
	}
	return fmt.Sprintf("%s could not be moved (%v); the result is on %s. To take it, run:\ngit merge %s", branch, err, ref, ref)
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

// apply is the step compile.apply: a landed module appears in the user's
// tree, all of it or nothing of it.
func (a *Actor) apply(ctx context.Context, j flow.Job, in step.ApplyIn) (step.ApplyOut, error) {
	files, err := a.deliveries(ctx, in)
	if err != nil {
		return step.ApplyOut{}, err
	}
	written, conflicts, err := a.write(ctx, "apply", files)
	out := step.ApplyOut{Applied: len(written), Conflicts: conflicts}
	if err != nil || len(conflicts) > 0 {
		return out, err
	}
	return out, a.writeDocuments(ctx, j.Run)
}

// write puts files into the user's tree, all of them or none: then conflicts are those that are in the way.
func (a *Actor) write(ctx context.Context, effect string, files []git.Delivery) (written, conflicts []string, err error) {
	var res []git.Delivered
	err = a.effect(effect, func() (err error) {
		res, err = a.o.Repo.Apply(ctx, files)
		return err
	})
	for _, r := range res {
		if r.State == git.Conflicting {
			conflicts = append(conflicts, r.Path)
		} else {
			written = append(written, r.Path)
		}
	}
	if len(conflicts) > 0 {
		written = nil
	}
	return written, conflicts, machinery(err)
}

// deliveries are the files of a landed commit. The lock is not taken as a
// whole: only the module's line goes into the lock that is there, because
// modules land and are applied in any order.
func (a *Actor) deliveries(ctx context.Context, in step.ApplyIn) ([]git.Delivery, error) {
	_, parents, err := a.o.Repo.ReadCommit(ctx, in.Commit)
	if err != nil || len(parents) == 0 {
		return nil, errors.Join(machinery(err), errors.New("the landed commit is not there"))
	}
	changes, err := a.o.Repo.Diff(ctx, parents[0], in.Commit)
	if err != nil {
		return nil, machinery(err)
	}
	var out []git.Delivery
	for _, ch := range changes {
		d := git.Delivery{Path: ch.Path, Old: ch.OldID, New: ch.NewID, Mode: ch.NewMode}
		if ch.Path == target.LockName {
			if d, err = a.lockDelivery(ctx, in.Module, in.Commit); err != nil {
				return nil, err
			}
		} else if toolchain.LanguageOf(ch.Path) == toolchain.LangRust {
			if d, err = a.linkDelivery(ctx, d); err != nil {
				return nil, err
			}
		}
		out = append(out, d)
	}
	return out, nil
}

func (a *Actor) lockDelivery(ctx context.Context, dir, tree string) (git.Delivery, error) {
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return git.Delivery{}, err
	}
	landed, _ := target.ParseLock(v.bytes(target.LockName))
	d := git.Delivery{Path: target.LockName, Mode: "100644"}
	present, err := os.ReadFile(filepath.Join(a.o.Repo.Root(), target.LockName))
	if err == nil {
		if d.Old, err = a.o.Repo.WriteBlob(ctx, present); err != nil {
			return d, machinery(err)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return d, machinery(err)
	}
	lock, _ := target.ParseLock(present)
	if e, ok := landed.Entry(dir); ok {
		lock.Put(e)
	}
	d.New, err = a.o.Repo.WriteBlob(ctx, lock.Bytes())
	return d, machinery(err)
}

// linkDelivery is that of a file in which only links are new. They go into the file that is there, because modules are applied in any order.
func (a *Actor) linkDelivery(ctx context.Context, d git.Delivery) (git.Delivery, error) {
	blobs, err := a.o.Repo.ReadBlobs(ctx, slices.DeleteFunc([]string{d.Old, d.New}, func(id string) bool { return id == "" }))
	if err != nil {
		return d, machinery(err)
	}
	lines, only := toolchain.NewLinks(blobs[d.Old], blobs[d.New])
	present, err := os.ReadFile(filepath.Join(a.o.Repo.Root(), filepath.FromSlash(d.Path)))
	if !only || len(lines) == 0 || d.New == "" || err != nil {
		return d, nil //nolint:nilerr // a file that is not there is delivered like any other
	}
	if d.Old, err = a.o.Repo.WriteBlob(ctx, present); err != nil {
		return d, machinery(err)
	}
	d.New, err = a.o.Repo.WriteBlob(ctx, toolchain.WithLinks(present, lines))
	return d, machinery(err)
}
