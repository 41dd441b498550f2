package act

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// contract is the step develop.contract.
func (a *Actor) contract(ctx context.Context, _ flow.Job, in step.ContractIn) (step.ContractOut, error) {
	out := step.ContractOut{Tree: in.Tree}
	changes, err := check.Changes(ctx, a.o.Repo, in.Base, in.Tree)
	if err != nil {
		return out, machinery(err)
	}
	named, dirs := map[string]bool{}, map[string]bool{}
	for _, t := range in.Tests {
		named[t.Path], dirs[path.Dir(t.Path)] = true, true
	}
	if changes, err = a.putBack(ctx, changes, named, &out.Tree); err != nil {
		return out, err
	}
	v, err := a.tree(ctx, out.Tree, nil)
	if err != nil {
		return out, err
	}
	out.Findings = check.Audit{Changes: changes}.Findings()
	for _, ch := range changes {
		known := slices.ContainsFunc(out.Findings, func(f step.Finding) bool { return f.Path == ch.Path && f.Severity == step.Rejects })
		tests := toolchain.IsTest(ch.Path) && len(source.Parse(ch.Path, ch.New).Tests) > 0 // a helper has none
		beside := ch.Status == 'A' && !tests && (toolchain.IsTestData(ch.Path) || toolchain.IsTest(ch.Path) && dirs[path.Dir(ch.Path)])
		switch {
		case known || named[ch.Path]:
		case beside:
			out.Support = append(out.Support, ch.Path)
		case tests && ch.Status == 'A':
			out.Findings = append(out.Findings, step.Finding{Rule: "out-of-scope", Severity: step.Rejects, Path: ch.Path, Message: "No contract lists this test file; it may be left over from an earlier design. Delete it, and move what is still needed to where the design says."})
		default:
			out.Findings = append(out.Findings, step.Finding{Rule: "out-of-scope", Severity: step.Rejects, Path: ch.Path, Message: "No contract lists this file, and it is not test data next to a contract test. Undo your change; if you created the file, delete it."})
		}
	}
	out.Support = bound(out.Support, 60)
	paths, parsed := v.paths(), map[string]source.File{}
	for _, t := range in.Tests {
		f, ok := parsed[t.Path]
		if !ok {
			f = source.Parse(t.Path, v.bytes(t.Path))
			parsed[t.Path] = f
		}
		tests := map[string]bool{}
		for _, x := range f.Tests {
			tests[t.Path+"::"+x.Name] = true
		}
		switch {
		case !slices.Contains(paths, t.Path):
			out.Findings = append(out.Findings, step.Finding{Rule: "contract-missing", Severity: step.Rejects, Path: t.Path, Message: "This file does not exist. It should contain the test " + t.Name + "."})
		case f.Problem != "":
			out.Findings = append(out.Findings, step.Finding{Rule: "contract-syntax", Severity: step.Rejects, Path: t.Path, Message: "The file cannot be parsed: " + clip(f.Problem, 300)})
		case !hasTest(tests, t.Path+"::"+t.Name) && !hasTest(tests, t.Name):
			out.Findings = append(out.Findings, step.Finding{Rule: "contract-missing", Severity: step.Rejects, Path: t.Path, Message: "There is no test " + t.Name + " in it. It has: " + strings.Join(step.Each(bound(f.Tests, 20), func(x source.Test) string { return x.Name }), ", ")})
		}
	}
	out.Findings = bound(out.Findings, 60)
	out.Diff, err = a.diffDoc(ctx, in.Base, out.Tree)
	return out, err
}

// putBack undoes what an author of contracts has deleted and no contract names: he cannot get it back himself.
func (a *Actor) putBack(ctx context.Context, changes []check.Change, named map[string]bool, tree *string) ([]check.Change, error) {
	var edits []git.Edit
	for _, ch := range changes {
		if ch.Status == 'D' && !named[ch.Path] {
			edits = append(edits, git.Edit{Path: ch.Path, Mode: ch.OldMode, ID: ch.OldID})
		}
	}
	if len(edits) == 0 {
		return changes, nil
	}
	var err error
	*tree, err = a.o.Repo.EditTree(ctx, *tree, edits)
	return slices.DeleteFunc(changes, func(ch check.Change) bool { return ch.Status == 'D' && !named[ch.Path] }), machinery(err)
}

// hold is the step develop.hold.
func (a *Actor) hold(ctx context.Context, _ flow.Job, in step.HoldIn) (step.HoldOut, error) {
	out := step.HoldOut{Tree: in.Tree}
	changes, err := a.o.Repo.Diff(ctx, in.Base, in.Contract)
	if err != nil {
		return out, machinery(err)
	}
	now, err := a.o.Repo.ReadTree(ctx, in.Tree)
	if err != nil {
		return out, machinery(err)
	}
	var edits []git.Edit
	for _, ch := range changes {
		if ch.NewID == "" || slices.Contains(in.Others, ch.Path) {
			continue
		}
		if slices.ContainsFunc(now, func(e git.Entry) bool { return e.Path == ch.Path && e.ID == ch.NewID }) {
			continue
		}
		out.Changed = append(out.Changed, ch.Path)
		edits = append(edits, git.Edit{Path: ch.Path, Mode: ch.NewMode, ID: ch.NewID})
	}
	if len(edits) == 0 {
		return out, nil
	}
	out.Changed = bound(out.Changed, 100)
	out.Tree, err = a.o.Repo.EditTree(ctx, in.Tree, edits)
	return out, machinery(err)
}

// squash is the step develop.squash. It looks for its trailer first, so that the branch is never replaced twice.
func (a *Actor) squash(ctx context.Context, j flow.Job, in step.SquashIn) (step.HeadOut, error) {
	tip, err := a.head(ctx, j, step.HeadIn{Fallback: in.Head.Commit})
	if err != nil {
		return step.HeadOut{}, err
	}
	if out, ok, err := a.landedHead(ctx, j, tip.Commit); ok || err != nil {
		return out, err
	}
	ref := keptPrefix + j.Run + "/checkpoints"
	if have, err := a.o.Repo.Ref(ctx, ref); err != nil || have != tip.Commit {
		if err := a.o.Repo.SetRef(ctx, ref, tip.Commit, ""); err != nil {
			return step.HeadOut{}, machinery(err)
		}
	}
	text, err := a.messageOf(ctx, j.Run, in.Type, in.Title, in.Base, tip.Tree, in.Lines...)
	if err != nil {
		return step.HeadOut{}, err
	}
	c := a.landedCommit(j.Run, j.Key, text, tip.Tree)
	c.Parents, c.Tree = []string{in.Base}, tip.Tree
	return a.landHead(ctx, j, tip.Commit, c)
}

// WriteState writes the state file of develop. It is local: git does not see it.
func (a *Actor) WriteState(s checkpoint.State) error {
	file := filepath.Join(a.o.Repo.Root(), filepath.FromSlash(checkpoint.StatePath))
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := a.o.Repo.ExcludeLocally(checkpoint.StateDir + "/"); err != nil {
			return machinery(err)
		}
	}
	s.Updated = a.o.Now()
	return machinery(writeVia(a.o.State, file, s.Bytes()))
}
