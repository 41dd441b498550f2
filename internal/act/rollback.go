package act

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/works"
)

// Rollback takes the commits of a WORK on the checked-out branch back, newest first, in one new commit; with to, those
// that landed after that task. It refuses what others have built upon, and says who; the project has to build and pass
// its tests as before.
func (a *Actor) Rollback(ctx context.Context, work, to string) (RolledBack, error) {
	out := RolledBack{Work: works.WorkID(max(0, works.WorkNumber(work))), Reverted: []RevertedCommit{}}
	head, log, err := a.history(ctx)
	if err != nil || head == "" {
		out.Refused = "there is no commit yet"
		return out, err
	}
	mine, why := commitsOf(log, out.Work, to)
	if why != "" {
		out.Refused = why
		return out, nil
	}
	return a.takeBack(ctx, out, head, log, mine)
}

// Undo takes back what a run has done: its commits on the checked-out branch, as [Actor.Rollback] does, or what it has put into the
// working tree, unless that was changed since. One that has moved a branch has put nothing there.
func (a *Actor) Undo(ctx context.Context, run string, moved bool) (RolledBack, error) {
	out := RolledBack{Run: run, Reverted: []RevertedCommit{}}
	head, log, err := a.history(ctx)
	if err != nil {
		return out, err
	}
	mine := standing(log, func(c git.LogEntry) bool {
		by, _ := runOf(c)
		return by == run
	})
	if len(mine) == 0 && moved {
		out.Nothing, out.Refused = true, "no commit of it is on this branch"
		return out, nil
	}
	if len(mine) == 0 {
		return a.undoTree(ctx, out)
	}
	out.Work, _ = TaskOf(mine[0])
	return a.takeBack(ctx, out, head, log, mine)
}

// RunsOnBranch are the runs that have commits on the checked-out branch, by id; those that were reverted since count too.
func (a *Actor) RunsOnBranch(ctx context.Context) (map[string]bool, error) {
	_, log, err := a.history(ctx)
	out := map[string]bool{}
	for _, c := range log {
		run, _ := runOf(c)
		out[run] = true
	}
	return out, err
}

// history is the checked-out commit and those before it, "" where there is none.
func (a *Actor) history(ctx context.Context) (string, []git.LogEntry, error) {
	head, err := a.o.Repo.Head(ctx)
	if err != nil || head.Unborn {
		return "", nil, machinery(err)
	}
	log, err := a.o.Repo.Log(ctx, head.Commit, "", 0)
	return head.Commit, log, machinery(err)
}

// undoTree takes what a run has put into the working tree out of it.
func (a *Actor) undoTree(ctx context.Context, out RolledBack) (RolledBack, error) {
	did, err := a.Changes(ctx, out.Run)
	var none *InputError
	if errors.As(err, &none) {
		out.Nothing, out.Refused = true, none.Error()
		return out, nil
	}
	if err != nil {
		return out, err
	}
	if !did.Landed() {
		out.Nothing, out.Refused = true, "the run delivered nothing"
		return out, nil
	}
	_, now, err := a.o.Repo.Snapshot(ctx, a.commit(out.Run, "", "undo"))
	if err != nil {
		return out, machinery(err)
	}
	want, conflicts, err := a.merge(ctx, did.To, now, did.From)
	if err != nil {
		return out, err
	}
	if len(conflicts) > 0 {
		out.Refused = "the same place was changed since: " + strings.Join(bound(conflicts, 5), ", ")
		return out, nil
	}
	changes, err := a.o.Repo.Diff(ctx, now, want)
	if err != nil {
		return out, machinery(err)
	}
	var files []git.Delivery
	for _, ch := range changes {
		files = append(files, git.Delivery{Path: ch.Path, Old: ch.OldID, New: ch.NewID, Mode: ch.NewMode})
		out.Files = append(out.Files, ch.Path)
	}
	if len(files) == 0 {
		out.Nothing, out.Refused = true, "nothing of it is on this branch or in the working tree"
		return out, nil
	}
	done, err := a.o.Repo.Apply(ctx, files)
	if err != nil {
		return out, machinery(err)
	}
	for _, d := range done {
		if d.State == git.Conflicting {
			out.Refused, out.Files = fmt.Sprintf("%s: %s", d.Path, d.Reason), nil
		}
	}
	return out, nil
}

// takeBack makes one commit that takes others back.
func (a *Actor) takeBack(ctx context.Context, out RolledBack, head string, log, mine []git.LogEntry) (RolledBack, error) {
	at, err := a.at(ctx, head)
	if err != nil {
		return out, err
	}
	tree := at.Tree
	for _, c := range mine {
		_, id := TaskOf(c)
		out.Reverted = append(out.Reverted, RevertedCommit{Commit: c.ID, Task: id, Title: subjectOf(c)})
		var conflicts []string
		if tree, conflicts, err = a.undo(ctx, tree, c); err != nil {
			return out, err
		}
		if len(conflicts) > 0 {
			out.Refused, err = a.builtUpon(ctx, log, c, mine, conflicts)
			return out, err
		}
	}
	if out.Findings, out.StillFails, err = a.soundWithout(ctx, at.Tree, tree); err != nil {
		return out, err
	}
	if len(out.Findings) > 0 {
		out.Refused = out.name() + " cannot be undone: without it, checks fail that pass now"
		return out, nil
	}
	return a.commitRollback(ctx, out, head, tree)
}

// name is the WORK, or else the run, that is taken back.
func (r RolledBack) name() string { return cmp.Or(r.Work, "run "+r.Run) }

// undo takes what a commit has changed, apart from the documents, out of a tree.
func (a *Actor) undo(ctx context.Context, tree string, c git.LogEntry) (string, []string, error) {
	if len(c.Parents) == 0 {
		return tree, nil, &InputError{"the first commit of a history cannot be undone"}
	}
	changes, err := a.o.Repo.Diff(ctx, c.Parents[0], c.ID)
	if err != nil {
		return "", nil, machinery(err)
	}
	var edits []git.Edit
	for _, ch := range changes {
		if !strings.HasPrefix(ch.Path, "works/") && !strings.HasPrefix(ch.Path, "../") {
			edits = append(edits, git.Edit{Path: ch.Path, Mode: ch.OldMode, ID: ch.OldID})
		}
	}
	before, err := a.o.Repo.EditTree(ctx, c.Tree, edits)
	if err != nil {
		return "", nil, machinery(err)
	}
	return a.merge(ctx, c.Tree, tree, before)
}

// builtUpon says who has changed the files since, at the same places.
func (a *Actor) builtUpon(ctx context.Context, log []git.LogEntry, c git.LogEntry, mine []git.LogEntry, paths []string) (string, error) {
	var who []string
	for _, x := range log {
		if x.ID == c.ID {
			break
		}
		if len(x.Parents) == 0 || slices.ContainsFunc(mine, func(m git.LogEntry) bool { return m.ID == x.ID }) {
			continue
		}
		changes, err := a.o.Repo.Diff(ctx, x.Parents[0], x.ID)
		if err != nil {
			return "", machinery(err)
		}
		if slices.ContainsFunc(changes, func(ch git.Change) bool { return slices.Contains(paths, ch.Path) }) {
			who = append(who, fmt.Sprintf("%s %q by %s", x.ID[:7], subjectOf(x), x.Name))
		}
	}
	_, id := TaskOf(c)
	id = cmp.Or(id, c.ID[:7])
	return fmt.Sprintf("%s cannot be undone: %s was changed in the same place later, by %s", id, strings.Join(bound(paths, 5), ", "), strings.Join(bound(who, 5), "; ")), nil
}

// soundWithout are the failures of a tree that the tree before it had not, and the commands that build neither.
func (a *Actor) soundWithout(ctx context.Context, before, tree string) (found []step.Finding, still []string, err error) {
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return nil, nil, err
	}
	c, err := a.checker(alone("rollback"))
	if err != nil {
		return nil, nil, err
	}
	nobody := func(string) bool { return false }
	t := check.Task{Chains: a.chains(v), VerifyOnly: true, Owns: nobody, Taken: nobody, Base: tree, Compared: before}
	proof, _, err := c.Task(ctx, t, tree, tree)
	if err != nil {
		return nil, nil, a.checkError(err)
	}
	for _, f := range proof.Findings {
		if command := check.FailedBefore(f); command != "" {
			still = append(still, command)
		}
	}
	if proof.Passed {
		return nil, still, nil
	}
	known, err := a.failedBefore(ctx, c, t, before, proof)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range proof.Findings {
		if f.Severity == step.Rejects {
			found = append(found, f)
		}
	}
	for _, f := range proof.Failures() {
		if known[f.ID] == "" {
			found = append(found, step.Finding{Rule: "test-fails", Severity: step.Rejects, Path: f.ID, Message: clip(f.Message, 500)})
		}
	}
	return bound(found, 20), still, nil
}

func (a *Actor) commitRollback(ctx context.Context, out RolledBack, head, tree string) (RolledBack, error) {
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return out, err
	}
	docs, err := a.keptNow(ctx)
	if err != nil {
		return out, err
	}
	if v, err = a.with(ctx, v, docs); err != nil {
		return out, err
	}
	var edits []git.Edit
	kept := map[string][]byte{}
	for p, data := range rolledBackDocuments(v, out, a.o.Now()) {
		if works.IsKept(p) {
			kept[p] = data
			continue
		}
		e := git.Edit{Path: p}
		if data != nil {
			e.Mode = "100644"
			if e.ID, err = a.o.Repo.WriteBlob(ctx, data); err != nil {
				return out, machinery(err)
			}
		}
		edits = append(edits, e)
	}
	style, err := a.styleAt(ctx, head)
	if err != nil {
		return out, err
	}
	var titles []string
	var body strings.Builder
	for _, r := range out.Reverted {
		titles = append(titles, r.Title)
		fmt.Fprintf(&body, "This reverts commit %s (%s).\n", r.Commit, r.Title)
	}
	c := a.landedCommit("rollback", cmp.Or(out.Work, out.Run), style.Revert(titles)+"\n\n"+body.String(), tree)
	if len(out.StillFails) > 0 {
		c.Trailers = c.Trailers[:1] // nothing was proved
	}
	c.Parents = []string{head}
	if c.Tree, err = a.o.Repo.EditTree(ctx, tree, edits); err != nil {
		return out, machinery(err)
	}
	if out.Commit, err = a.o.Repo.CommitTree(ctx, c); err != nil {
		return out, machinery(err)
	}
	if err := a.effect("rollback", func() error { return a.o.Repo.FastForward(ctx, out.Commit) }); err != nil {
		out.Refused, out.Commit = fmt.Sprintf("not undone: %s; commit or stash your changes first", strings.TrimPrefix(err.Error(), "fast-forward: ")), ""
		return out, nil
	}
	for p, data := range kept {
		if data == nil {
			err = os.Remove(a.keptFile(p))
		} else {
			err = a.writeKept(p, data)
		}
		if err != nil {
			return out, machinery(err)
		}
	}
	return out, nil
}
