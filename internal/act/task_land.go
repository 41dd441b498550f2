package act

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/works"
)

// landTask is the step work.land: merge, prove the merged tree, write the documents and commit on the run's branch. It
// looks for its trailer first, so that a commit is never made twice.
func (a *Actor) landTask(ctx context.Context, j flow.Job, in step.LandTaskIn) (step.LandTaskOut, error) {
	head, from, err := a.sides(ctx, j.Run, in.From)
	if err != nil {
		return step.LandTaskOut{}, err
	}
	var plan step.WorkPlan
	what := j.Key
	if !in.Plan.IsZero() { // it is of a WORK
		if plan, err = load[step.WorkPlan](a.o.Blobs, in.Plan); err != nil {
			return step.LandTaskOut{}, err
		}
		what = plan.Work + "/" + in.Task.ID // as TaskOf reads it
	}
	if out, ok, err := landedAs(ctx, a, j, what, head.Commit, func(c git.LogEntry) (step.LandTaskOut, error) {
		out := step.LandTaskOut{Passed: true, Commit: c.ID, Tree: c.Tree}
		if plan.Work != "" {
			out.Result = (&workFiles{plan: plan, in: in}).resultPath()
		}
		out.Files, err = a.landedFiles(ctx, c, cmp.Or(c.Trailer(trailerTree), c.Tree)) // without the documents
		return out, err
	}); ok || err != nil {
		return out, err
	}
	tree, start, conflicts, err := a.onto(ctx, from.Tree, head.Tree, in.Tree)
	out := step.LandTaskOut{Head: head, Conflicts: conflicts, Start: start}
	if err != nil {
		return out, err
	}
	if len(conflicts) > 0 {
		out.Proof.Findings, err = a.bothSides(ctx, from.Tree, in.Tree, conflicts)
		return out, err
	}
	if tree != in.Tree {
		if out.Proof, err = a.taskProof(ctx, j, in.TaskIn, head.Tree, tree); err != nil || !out.Proof.Passed || !in.Accepted && step.Has(out.Proof.Findings, step.Asks) {
			return out, err
		}
	}
	return a.commitTask(ctx, j, plan, what, in, head, tree, out)
}

// onto merges what an author has made of base with the head, where others have landed. start is where he goes on: the same, with the files in
// conflict as they have them.
func (a *Actor) onto(ctx context.Context, base, head, mine string) (tree, start string, conflicts []string, err error) {
	tree, conflicts, err = a.merge(ctx, base, head, mine)
	if err != nil || len(conflicts) == 0 {
		return tree, tree, nil, err
	}
	entries, err := a.o.Repo.ReadTree(ctx, head)
	if err != nil {
		return "", "", nil, machinery(err)
	}
	theirs := map[string]git.Edit{}
	for _, e := range entries {
		theirs[e.Path] = git.Edit(e)
	}
	var edits []git.Edit
	for _, p := range conflicts {
		edits = append(edits, cmp.Or(theirs[p], git.Edit{Path: p}))
	}
	start, err = a.o.Repo.EditTree(ctx, tree, edits)
	return tree, start, conflicts, machinery(err)
}

// bothSides tells an author of his own changes of files that somebody else has changed at the same place; the others'
// are in the tree.
func (a *Actor) bothSides(ctx context.Context, from, mine string, paths []string) ([]step.Finding, error) {
	diff, err := a.o.Repo.AddedLines(ctx, from, mine)
	if err != nil {
		return nil, machinery(err)
	}
	var out []step.Finding
	for _, p := range paths {
		var b strings.Builder
		b.WriteString("Another task changed the same place in this file. The tree has the version of that task; redo your change on top of it, and keep theirs.")
		for _, d := range diff {
			if d.Path != p {
				continue
			}
			b.WriteString(" Your change was:\n")
			for _, l := range d.Removed {
				fmt.Fprintf(&b, "-%s\n", l.Text)
			}
			for _, l := range d.Added {
				fmt.Fprintf(&b, "+%s\n", l.Text)
			}
		}
		out = append(out, step.Finding{Rule: "merge-conflict", Severity: step.Rejects, Path: p, Message: clip(b.String(), 2500)})
	}
	return out, nil
}

// commitTask commits a task's merged tree; one of a WORK has its documents in the same commit.
func (a *Actor) commitTask(ctx context.Context, j flow.Job, plan step.WorkPlan, what string, in step.LandTaskIn, head step.HeadOut, merged string, out step.LandTaskOut) (step.LandTaskOut, error) {
	changes, err := a.o.Repo.Diff(ctx, head.Tree, merged)
	if err != nil {
		return out, machinery(err)
	}
	out.Files = files(changes, mostFiles)
	style, err := a.style(ctx, j.Run)
	if err != nil {
		return out, err
	}
	kind, lines := in.Task.Type, in.Lines
	if kind == "feat" && plan.Request != "" && works.ParseRequest(plan.Request).IsFix() {
		kind = "fix"
	}
	if len(lines) == 0 {
		lines = whatChanged(out.Files)
	}
	c := a.landedCommit(j.Run, what, message(style, kind, in.Task.Title, step.Each(changes, pathOf), lines), merged)
	c.Parents = []string{head.Commit}
	if c.Tree, err = a.recorded(ctx, head.Tree, merged); err != nil {
		return out, err
	}
	keptID, kept, err := a.kept(ctx, j.Run, head.Commit)
	if err != nil {
		return out, err
	}
	if plan.Work != "" {
		docs, err := a.workFilesOf(ctx, j, plan, in, head, merged, kept, &out)
		if err != nil {
			return out, err
		}
		to := &c.Tree
		if plan.Documents != "" {
			to = &kept
		}
		if *to, err = a.withFiles(ctx, *to, docs); err != nil {
			return out, err
		}
	}
	if out.Commit, err = a.o.Repo.CommitTree(ctx, c); err != nil {
		return out, machinery(err)
	}
	if keptID != "" {
		if err := a.keepDocuments(ctx, j.Run, out.Commit, keptID, kept); err != nil {
			return out, err
		}
	}
	out.Tree, out.Passed = c.Tree, true
	return out, a.landOn(ctx, j, head.Commit, out.Commit, out)
}

// workFilesOf are the documents of a task of a WORK.
func (a *Actor) workFilesOf(ctx context.Context, j flow.Job, plan step.WorkPlan, in step.LandTaskIn, head step.HeadOut, merged, kept string, out *step.LandTaskOut) (map[string][]byte, error) {
	hashes, err := a.taskHashes(ctx, j.Run, head.Commit)
	if err != nil {
		return nil, err
	}
	v, err := a.tree(ctx, merged, nil)
	if err != nil {
		return nil, err
	}
	if v, err = a.with(ctx, v, kept); err != nil {
		return nil, err
	}
	if len(out.Proof.Checks) > 0 { // what was proved is the merged tree
		in.Checks, in.Idle = out.Proof.Checks, out.Proof.Idle
	}
	w := workFiles{plan: plan, in: in, files: out.Files, hashes: hashes, now: a.o.Now(), read: v.bytes, paths: v.paths()}
	docs := w.documents()
	out.Result = w.resultPath()
	return docs, nil
}

// landOn moves the run's branch to a commit, once it is written down what the step has to say of it.
func (a *Actor) landOn(ctx context.Context, j flow.Job, from, to string, out any) error {
	if err := writeFile(filepath.Join(j.Dir, landFile), mustJSON(out)); err != nil {
		return machinery(err)
	}
	return machinery(a.effect("land", func() error { return a.o.Repo.SetRef(ctx, RunRef(j.Run), to, from) }))
}

// whatChanged says what became of files.
func whatChanged(files []step.Change) []string {
	words := map[string]string{"A": "add", "M": "change", "D": "delete", "T": "change"}
	return step.Each(bound(files, 20), func(f step.Change) string { return words[f.Status] + " " + f.Path })
}

// taskHashes are the commits of a run's tasks, by id.
func (a *Actor) taskHashes(ctx context.Context, run, tip string) (map[string]string, error) {
	log, err := a.landedLog(ctx, run, tip)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, c := range log {
		if _, id := TaskOf(c); id != "" {
			out[id] = c.ID
		}
	}
	return out, nil
}

// landedAs finds the commit that a landing step has made already, with what that start had to say of it. It looks whatever the
// journal knows of earlier starts: one that was taken from a backup is older than the run's branch.
func landedAs[T any](ctx context.Context, a *Actor, j flow.Job, what, tip string, bare func(git.LogEntry) (T, error)) (T, bool, error) {
	var none T
	log, err := a.landedLog(ctx, j.Run, tip)
	if err != nil {
		return none, false, err
	}
	for _, c := range log {
		if !isStep(c, j.Run, what, j.Key) {
			continue
		}
		for _, dir := range j.Previous {
			var out T
			var of step.HeadOut
			raw, err := os.ReadFile(filepath.Join(dir, landFile))
			if err == nil && json.Unmarshal(raw, &of) == nil && of.Commit == c.ID && json.Unmarshal(raw, &out) == nil {
				return out, true, nil
			}
		}
		out, err := bare(c)
		return out, err == nil, err
	}
	return none, false, nil
}

// landedHead is landedAs for steps that say nothing else of their commit.
func (a *Actor) landedHead(ctx context.Context, j flow.Job, tip string) (step.HeadOut, bool, error) {
	return landedAs(ctx, a, j, j.Key, tip, func(c git.LogEntry) (step.HeadOut, error) { return step.HeadOut{Commit: c.ID, Tree: c.Tree}, nil })
}

// landHead makes the commit of such a step and moves the run's branch to it.
func (a *Actor) landHead(ctx context.Context, j flow.Job, tip string, c git.Commit) (out step.HeadOut, err error) {
	out.Tree = c.Tree
	if out.Commit, err = a.o.Repo.CommitTree(ctx, c); err != nil {
		return out, machinery(err)
	}
	return out, a.landOn(ctx, j, tip, out.Commit, out)
}

// landedFiles are the files of a commit that was found, from its parent to a tree.
func (a *Actor) landedFiles(ctx context.Context, c git.LogEntry, tree string) ([]step.Change, error) {
	if len(c.Parents) == 0 {
		return nil, nil
	}
	from, err := a.at(ctx, c.Parents[0])
	if err != nil {
		return nil, err
	}
	changes, err := a.o.Repo.Diff(ctx, from.Tree, tree)
	return files(changes, mostFiles), machinery(err)
}

// mostFiles is how many files the result of a proof or a landing lists.
const mostFiles = 200

// files are changes as results list them.
func files(changes []git.Change, most int) []step.Change {
	return step.Each(bound(changes, most), func(ch git.Change) step.Change { return step.Change{Path: ch.Path, Status: string(ch.Status)} })
}
