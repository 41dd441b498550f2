package act

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

const landFile = "land.json"

// head is the step that says where the run's branch stands; the first one
// makes it.
func (a *Actor) head(ctx context.Context, j flow.Job, in step.HeadIn) (step.HeadOut, error) {
	id, err := a.o.Repo.Ref(ctx, RunRef(j.Run))
	if errors.Is(err, git.ErrNoRef) {
		id = in.Fallback
		err = a.effect("branch", func() error { return a.o.Repo.SetRef(ctx, RunRef(j.Run), id, "") })
	}
	if err != nil {
		return step.HeadOut{}, machinery(err)
	}
	return a.at(ctx, id)
}

// sides are the run's branch as it is now, and the commit that something to land was made from.
func (a *Actor) sides(ctx context.Context, run, base string) (head, from step.HeadOut, err error) {
	if head, err = a.tip(ctx, run); err == nil {
		from, err = a.at(ctx, base)
	}
	return head, from, err
}

// land is the step compile.land: merge, check the merged tree, commit on the
// run's branch. It looks for its trailer first, so that a commit is never made
// twice.
func (a *Actor) land(ctx context.Context, j flow.Job, in step.LandIn) (step.LandOut, error) {
	head, from, err := a.sides(ctx, j.Run, in.From)
	if err != nil {
		return step.LandOut{}, err
	}
	f, pv, err := a.module(in.Facts)
	if err != nil {
		return step.LandOut{}, err
	}
	if out, ok, err := landedAs(ctx, a, j, f.Dir, head.Commit, func(c git.LogEntry) (step.LandOut, error) {
		files, err := a.landedFiles(ctx, c, c.Tree)
		written := slices.ContainsFunc(files, func(ch step.Change) bool { return ch.Path == f.Implements })
		return step.LandOut{Passed: true, Commit: c.ID, Tree: c.Tree, Files: files, Implement: written}, err
	}); ok || err != nil {
		return out, err
	}
	c, err := a.checkerFor(j)
	if err != nil {
		return step.LandOut{}, err
	}
	mine, err := c.Unlink(ctx, pv.Module, from.Tree, in.Tree)
	if err != nil {
		return step.LandOut{}, machinery(err)
	}
	tree, start, conflicts, err := a.onto(ctx, from.Tree, head.Tree, mine)
	out := step.LandOut{Head: head, Conflicts: conflicts, Start: start}
	if err != nil || len(conflicts) > 0 {
		return out, err
	}
	if tree, err = c.Link(ctx, pv.Module, tree); err != nil {
		return out, machinery(err)
	}
	if err := a.checkMerged(ctx, j, in, f, pv, tree, &out); err != nil || !out.Passed {
		return out, err
	}
	return a.commitLanded(ctx, j, in, f, pv, landing{from: from.Tree, head: head, merged: tree, out: out})
}

// carry puts what changed from one tree to another onto a third.
func (a *Actor) carry(ctx context.Context, from, to, onto string) (string, error) {
	changes, err := a.o.Repo.Diff(ctx, from, to)
	if err != nil {
		return "", machinery(err)
	}
	var edits []git.Edit
	for _, ch := range changes {
		if !strings.HasPrefix(ch.Path, "../") {
			edits = append(edits, git.Edit{Path: ch.Path, Mode: ch.NewMode, ID: ch.NewID})
		}
	}
	out, err := a.o.Repo.EditTree(ctx, onto, edits)
	return out, machinery(err)
}

// restart is the step restart: what an earlier run has left, as far as nobody has changed the same places since.
func (a *Actor) restart(ctx context.Context, _ flow.Job, in step.RestartIn) (step.RestartOut, error) {
	out := step.RestartOut{Tree: in.Head}
	if !a.has(ctx, in.Left.Base) || !a.has(ctx, in.Left.Tree) {
		return out, nil
	}
	var err error
	_, out.Tree, _, err = a.onto(ctx, in.Left.Base, in.Head, in.Left.Tree)
	return out, err
}

type landing struct {
	from   string
	head   step.HeadOut
	merged string
	out    step.LandOut
}

// checkMerged proves the merged tree, unless it is the very tree that was
// proved already.
func (a *Actor) checkMerged(ctx context.Context, j flow.Job, in step.LandIn, f step.Facts, pv private, merged string, out *step.LandOut) error {
	out.Passed = true
	if in.State != string(target.Built) {
		return nil
	}
	c, err := a.checkerFor(j)
	if err != nil {
		return err
	}
	if merged != in.Tree {
		m := pv.Module
		m.Base = merged
		proof, err := c.Merged(ctx, m, merged, in.Frozen)
		if err != nil {
			return a.checkError(err)
		}
		known, err := a.known(ctx, c, f, pv, in.Frozen, proof)
		if err != nil {
			return err
		}
		if len(known) > 0 {
			m.Known = slices.Collect(maps.Keys(known))
			if proof, err = c.Merged(ctx, m, merged, in.Frozen); err != nil {
				return a.checkError(err)
			}
		}
		out.Passed, out.Counts = proof.Passed, proof.Counts()
		out.Findings, out.Failures = bound(proof.Findings, 30), short(proof.Failures())
	}
	for _, d := range pv.Users {
		if !out.Passed {
			break
		}
		if err := a.brokenUsers(ctx, c, d, pv.Module, merged, out); err != nil {
			return err
		}
		out.Passed = len(out.Broken) == 0
	}
	return nil
}

// brokenUsers runs the tests of a module that uses the landing one and is not
// built in this run. Those that did not fail on the untouched tree are broken.
func (a *Actor) brokenUsers(ctx context.Context, c *check.Checker, u user, landing check.Module, merged string, out *step.LandOut) error {
	u.Module.Base = merged
	proof, err := c.Merged(ctx, u.Module, merged, u.Frozen)
	if err != nil || proof.Passed {
		return a.checkError(err)
	}
	failed := proof.Failures()
	for _, t := range failed {
		text, err := a.excuse(ctx, c, u.Module.Chain, landing.Base, t, failed)
		if err != nil {
			return err
		}
		if text != "" {
			out.Baseline = append(out.Baseline, u.Module.Dir+": "+text)
		} else {
			out.Broken = append(out.Broken, u.Module.Dir+": "+t.ID)
		}
	}
	if len(failed) == 0 {
		out.Broken = append(out.Broken, u.Module.Dir+": its checks no longer pass")
	}
	out.Broken, out.Baseline = bound(out.Broken, 20), bound(out.Baseline, 20)
	return nil
}

// commitLanded writes IMPLEMENTS.md and the lock into the merged tree and
// moves the run's branch.
func (a *Actor) commitLanded(ctx context.Context, j flow.Job, in step.LandIn, f step.Facts, pv private, l landing) (step.LandOut, error) {
	out := l.out
	tree, err := a.projections(ctx, in, f, pv, l)
	if err != nil {
		return out, err
	}
	text, err := a.messageOf(ctx, j.Run, "feat", in.Title, l.head.Tree, l.merged)
	if err != nil {
		return out, err
	}
	c := a.landedCommit(j.Run, f.Dir, text, l.merged)
	c.Tree, c.Parents = tree, []string{l.head.Commit}
	if out.Commit, err = a.o.Repo.CommitTree(ctx, c); err != nil {
		return out, machinery(err)
	}
	out.Tree = tree
	changes, err := a.o.Repo.Diff(ctx, l.head.Tree, tree)
	if err != nil {
		return out, machinery(err)
	}
	out.Files = files(changes, mostFiles)
	out.Implement = slices.ContainsFunc(changes, func(ch git.Change) bool { return ch.Path == f.Implements })
	return out, a.landOn(ctx, j, l.head.Commit, out.Commit, out)
}

// projections are the files that the engine writes itself: IMPLEMENTS.md and
// the lock.
func (a *Actor) projections(ctx context.Context, in step.LandIn, f step.Facts, pv private, l landing) (string, error) {
	v, err := a.tree(ctx, l.merged, nil)
	if err != nil {
		return "", err
	}
	var edits []git.Edit
	write := func(p string, data []byte) (string, error) {
		id, err := a.o.Repo.WriteBlob(ctx, data)
		edits = append(edits, git.Edit{Path: p, Mode: "100644", ID: id})
		return id, machinery(err)
	}
	planID := v.ids[f.Implements]
	if in.State == string(target.Built) {
		if planID, err = write(f.Implements, implements(v, f, in)); err != nil {
			return "", err
		}
	}
	e, err := a.entry(ctx, in, f, pv, l, v)
	if err != nil {
		return "", err
	}
	e.PlanID = planID
	lock, _ := target.ParseLock(v.bytes(target.LockName))
	lock.Put(e)
	if _, err := write(target.LockName, lock.Bytes()); err != nil {
		return "", err
	}
	tree, err := a.o.Repo.EditTree(ctx, l.merged, edits)
	return tree, machinery(err)
}

var dated = re.New(`^\s*[-*]?\s*\d{4}-\d{2}-\d{2}:?\s*`)

// implements is the IMPLEMENTS.md of a module after its build.
func implements(v *view, f step.Facts, in step.LandIn) []byte {
	src := v.bytes(f.Implements)
	if src == nil {
		doc, _ := spec.Parse(f.Spec, v.bytes(f.Spec))
		src = spec.DefaultImplements(doc)
	}
	if in.Notes == nil {
		return src
	}
	n := spec.Notes{
		Algorithm: in.Notes.Algorithm,
		State:     spec.NoteState{Initial: in.Notes.State.Initial, Persistence: in.Notes.State.Persistence, Cleanup: in.Notes.State.Cleanup},
	}
	for _, c := range in.Notes.Constants {
		n.Constants = append(n.Constants, spec.NoteConstant(c))
	}
	for _, e := range in.Notes.Errors {
		n.Errors = append(n.Errors, spec.NoteError(e))
	}
	for _, g := range in.Notes.Guide {
		g = dated().ReplaceAllString(g, "") // the program writes the date
		if g == "" || bytes.Contains(src, []byte(g)) {
			continue
		}
		n.Guide = append(n.Guide, spec.NoteGuide{Date: in.Today, Change: g})
	}
	return spec.UpdateImplements(src, n)
}

// covers are the tests of the module with the items that they were proved for: in this
// build, or in an earlier one as far as neither has changed.
func (a *Actor) covers(pv private, in step.LandIn, e target.Entry) (map[string][]string, error) {
	out := map[string][]string{}
	add := func(test, item string) {
		file, _ := toolchain.SplitID(test)
		if e.Tests[file] != "" && e.Items[item] != "" && !slices.Contains(out[test], item) {
			out[test] = append(out[test], item)
		}
	}
	for test, items := range pv.Old.Covers {
		for _, it := range items {
			if e.Items[it] == pv.Old.Items[it] {
				add(test, it)
			}
		}
	}
	for _, ref := range in.Covers {
		proved, err := load[map[string][]string](a.o.Blobs, ref)
		if err != nil {
			return nil, err
		}
		for test, items := range proved {
			for _, it := range items {
				add(test, it)
			}
		}
	}
	return out, nil
}

// entry is the module's line of the lock: what it was built from, as planned,
// and the files that came of it.
func (a *Actor) entry(ctx context.Context, in step.LandIn, f step.Facts, pv private, l landing, v *view) (target.Entry, error) {
	e := pv.Entry
	e.State, e.Why, e.Tool = target.State(in.State), in.Why, "jacquard "+a.o.Version
	e.Files, e.Tests = map[string]string{}, map[string]string{}
	changed := map[string]bool{}
	changes, err := a.o.Repo.Diff(ctx, l.from, in.Tree)
	if err != nil {
		return e, machinery(err)
	}
	for _, ch := range changes {
		changed[ch.Path] = true
	}
	for p, id := range v.ids {
		_, was := pv.Old.Files[p]
		if toolchain.IsSource(p) && (changed[p] || was) && pv.Module.Place.AllowsSource(p) {
			e.Files[p] = id
		}
	}
	for _, t := range in.Frozen {
		e.Tests[t.Path] = t.ID
	}
	a.narrow(&e, v)
	if e.Covers, err = a.covers(pv, in, e); err != nil {
		return e, err
	}
	if in.State == string(target.Kept) {
		// What is kept is what the refusal is about: a change of it is a reason to try again.
		for _, p := range append(slices.Clone(f.Sources), f.Tests...) {
			e.Files[p] = v.ids[p]
		}
	}
	return e, nil
}
