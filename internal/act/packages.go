package act

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

const packagesFile = "packages.json"

// packages is the step compile.packages: the external packages that a spec
// names, and exactly these, become dependencies on the run's branch.
func (a *Actor) packages(ctx context.Context, j flow.Job, in step.PackagesIn) (step.PackagesOut, error) {
	head, err := a.tip(ctx, j.Run)
	if err != nil {
		return step.PackagesOut{}, err
	}
	for _, dir := range j.Previous {
		var out step.PackagesOut
		raw, err := os.ReadFile(filepath.Join(dir, packagesFile))
		if err == nil && json.Unmarshal(raw, &out) == nil && a.reaches(ctx, head.Commit, out.Head.Commit) {
			return out, nil
		}
	}
	f, pv, err := a.module(in.Facts)
	if err != nil {
		return step.PackagesOut{}, err
	}
	// Another module of this run may have added some of them meanwhile.
	v, err := a.tree(ctx, head.Tree, nil)
	if err != nil {
		return step.PackagesOut{}, err
	}
	found, _ := toolchain.NewProject(v.paths(), v.bytes).DetectAs(pv.Module.Dir, pv.Module.Chain.Language)
	var missing []toolchain.Dependency
	for _, d := range pv.Packages {
		if !found.Has(d.Name) {
			missing = append(missing, d)
		}
	}
	if len(missing) == 0 {
		out := step.PackagesOut{Head: head}
		out.Facts, err = a.withPackages(ctx, f, pv, head.Tree)
		return out, err
	}
	c, err := a.checkerFor(j)
	if err != nil {
		return step.PackagesOut{}, err
	}
	proof, err := c.Add(ctx, found, head.Tree, missing)
	if err != nil {
		return step.PackagesOut{}, a.checkError(err)
	}
	out := step.PackagesOut{Head: head, Findings: proof.Findings, Facts: in.Facts}
	if !proof.Passed || proof.Tree == head.Tree {
		return out, nil
	}
	text, err := a.messageOf(ctx, j.Run, "chore", "add the packages of "+pv.Module.Dir, head.Tree, proof.Tree)
	if err != nil {
		return out, err
	}
	commit := a.commit(j.Run, j.Key, text)
	commit.Tree, commit.Parents = proof.Tree, []string{head.Commit}
	id, err := a.o.Repo.CommitTree(ctx, commit)
	if err != nil {
		return out, machinery(err)
	}
	out.Commit, out.Head = id, step.HeadOut{Commit: id, Tree: proof.Tree}
	if out.Facts, err = a.withPackages(ctx, f, pv, proof.Tree); err != nil {
		return out, err
	}
	if err := writeFile(filepath.Join(j.Dir, packagesFile), mustJSON(out)); err != nil {
		return out, machinery(err)
	}
	return out, machinery(a.effect("packages", func() error {
		return a.o.Repo.SetRef(ctx, RunRef(j.Run), id, head.Commit)
	}))
}

// withPackages are a module's facts for a tree in which its packages are
// declared: what has to be installed is another now.
func (a *Actor) withPackages(ctx context.Context, f step.Facts, pv private, tree string) (flow.Blob, error) {
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return flow.Blob{}, err
	}
	pv.Module.Chain, _ = a.commanded(v).DetectAs(pv.Module.Dir, pv.Module.Chain.Language)
	f.Missing = nil
	if f.Private, err = put(a.o.Blobs, pv); err != nil {
		return flow.Blob{}, err
	}
	return put(a.o.Blobs, f)
}

// reaches reports whether a commit is in the history of tip.
func (a *Actor) reaches(ctx context.Context, tip, commit string) bool {
	log, err := a.o.Repo.Log(ctx, commit, tip, 1)
	return err == nil && len(log) == 0
}
