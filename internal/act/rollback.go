package act

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/works"
)

// RolledBack is what became of taking a WORK back.
type RolledBack struct {
	Work     string           `json:"work"`
	Reverted []RevertedCommit `json:"reverted"`
	Commit   string           `json:"commit,omitempty"`
	Refused  string           `json:"refused,omitempty"` // why nothing was changed
	Findings []step.Finding   `json:"findings,omitempty"`
}

// RevertedCommit is a commit of a task that is taken back.
type RevertedCommit struct {
	Commit string `json:"commit"`
	Task   string `json:"task"`
	Title  string `json:"title"`
}

// Rollback takes the commits of a WORK on the checked-out branch back, newest first, in one new commit; with to, those
// that landed after that task. It refuses what others have built upon, and says who; the project has to build and pass
// its tests as before.
func (a *Actor) Rollback(ctx context.Context, work, to string) (RolledBack, error) {
	out := RolledBack{Work: works.WorkID(max(0, works.WorkNumber(work))), Reverted: []RevertedCommit{}}
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return out, machinery(err)
	}
	if head.Unborn {
		out.Refused = "there is no commit yet"
		return out, nil
	}
	log, err := a.o.Repo.Log(ctx, head.Commit, "", 0)
	if err != nil {
		return out, machinery(err)
	}
	mine, why := commitsOf(log, out.Work, to)
	if why != "" {
		out.Refused = why
		return out, nil
	}
	at, err := a.at(ctx, head.Commit)
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
	if out.Findings, err = a.soundWithout(ctx, at.Tree, tree); err != nil {
		return out, err
	}
	if len(out.Findings) > 0 {
		out.Refused = out.Work + " cannot be taken back: what is left does not pass its checks, so others have built upon it"
		return out, nil
	}
	return a.commitRollback(ctx, out, head.Commit, tree)
}

// commitsOf are the commits of a WORK that were not taken back yet, newest first; with to, those after that task.
func commitsOf(log []git.LogEntry, work, to string) (out []git.LogEntry, why string) {
	gone := map[string]bool{}
	for _, c := range log {
		if gone[c.ID] { // what it took back is there again
			continue
		}
		for _, id := range reverted(c) {
			gone[id] = true
		}
	}
	found := false
	for _, c := range log {
		of, id := TaskOf(c)
		if of != work || gone[c.ID] {
			continue
		}
		if to != "" && id == to {
			found = true
			break
		}
		out = append(out, c)
	}
	seen := map[string]string{}
	for _, c := range out {
		_, id := TaskOf(c)
		if other, twice := seen[id]; twice {
			return nil, fmt.Sprintf("%s of %s has two commits, %s and %s: two WORKs have this number, and one of them may be somebody else's; take them back with git revert", id, work, other[:7], c.ID[:7])
		}
		seen[id] = c.ID
	}
	switch {
	case to != "" && !found:
		return nil, fmt.Sprintf("%s has no commit of %s on this branch", work, to)
	case len(out) == 0:
		return nil, fmt.Sprintf("%s has no commit on this branch that could be taken back", work)
	}
	return out, ""
}

// undo takes what a commit has changed, apart from the documents, out of a tree.
func (a *Actor) undo(ctx context.Context, tree string, c git.LogEntry) (string, []string, error) {
	if len(c.Parents) == 0 {
		return tree, nil, inputError("the first commit of a history cannot be taken back")
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
	merged, conflicts, err := a.o.Repo.Merge(ctx, c.Tree, tree, before)
	if err != nil {
		return "", nil, machinery(err)
	}
	var paths []string
	for _, x := range conflicts {
		paths = append(paths, x.Path)
	}
	return merged, paths, nil
}

// inputError is an error of what a person asked for.
func inputError(text string) error { return &InputError{text} }

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
	return fmt.Sprintf("%s cannot be taken back: %s was changed at the same place since, by %s", id, strings.Join(bound(paths, 5), ", "), strings.Join(bound(who, 5), "; ")), nil
}

// soundWithout are the failures of a tree that the tree before it had not.
func (a *Actor) soundWithout(ctx context.Context, before, tree string) ([]step.Finding, error) {
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return nil, err
	}
	c, err := a.checker("rollback")
	if err != nil {
		return nil, err
	}
	nobody := func(string) bool { return false }
	t := check.Task{Chains: a.chains(v), VerifyOnly: true, Owns: nobody, Taken: nobody, Base: tree}
	proof, _, err := c.Task(ctx, t, tree, tree)
	if err != nil {
		return nil, a.checkError(err)
	}
	if proof.Passed {
		return nil, nil
	}
	known, err := a.failedBefore(ctx, c, t, before, proof)
	if err != nil {
		return nil, err
	}
	var out []step.Finding
	for _, f := range proof.Findings {
		if f.Severity == step.Rejects {
			out = append(out, f)
		}
	}
	for _, f := range proof.Failures() {
		if known[f.ID] == "" {
			out = append(out, step.Finding{Rule: "test-fails", Severity: step.Rejects, Path: f.ID, Message: clip(f.Message, 500)})
		}
	}
	return bound(out, 20), nil
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
	c := a.landedCommit("rollback", out.Work, style.Revert(titles)+"\n\n"+body.String(), tree)
	c.Parents = []string{head}
	if c.Tree, err = a.o.Repo.EditTree(ctx, tree, edits); err != nil {
		return out, machinery(err)
	}
	if out.Commit, err = a.o.Repo.CommitTree(ctx, c); err != nil {
		return out, machinery(err)
	}
	if err := a.effect("rollback", func() error { return a.o.Repo.FastForward(ctx, out.Commit) }); err != nil {
		return out, machinery(err)
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
