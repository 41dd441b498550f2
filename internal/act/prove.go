package act

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// evidence keeps the records and all results of a proof as a blob.
func (a *Actor) evidence(p check.Proof) (flow.Blob, error) {
	return put(a.o.Blobs, map[string]any{"tree": p.Tree, "records": p.Records, "results": p.Results, "shown": p.Shown})
}

func (a *Actor) proveRed(ctx context.Context, j flow.Job, in step.RedIn) (step.RedOut, error) {
	f, pv, c, err := a.moduleFor(j, in.Facts)
	if err != nil {
		return step.RedOut{}, err
	}
	if in.From != "" {
		if in.Tree, err = a.carry(ctx, in.From, in.Tree, in.Base); err != nil {
			return step.RedOut{}, err
		}
	}
	pv.Module.Base, pv.Module.HeldOut, pv.Module.Disputed = in.Base, in.HeldOut, in.Disputed
	pv.Module.Changed = slices.DeleteFunc(pv.Module.Changed, func(id string) bool { return slices.Contains(in.Unclear, id) })
	proof, err := c.Red(ctx, pv.Module, in.Base, in.Tree, in.Claims)
	if err != nil {
		return step.RedOut{}, a.checkError(err)
	}
	out := step.RedOut{
		Passed: proof.Passed, Tree: proof.Tree, Findings: bound(proof.Findings, 60), Satisfied: bound(proof.Satisfied, 100),
		Covered: proof.Covered, Proved: proof.Proved, Unread: bound(proof.Unread, 50), Written: proof.Fresh, Strong: proof.Strong, Counts: proof.Counts(), Failures: short(proof.Failures()),
		Frozen: proof.Frozen, Skipped: bound(proof.Restored, 100),
	}
	if len(f.Frozen) > 0 {
		// Tests of earlier builds cover what has not changed since.
		for _, id := range pv.Unchanged {
			if !slices.Contains(out.Covered, id) {
				out.Covered = append(out.Covered, id)
			}
		}
	}
	if len(proof.Covers) > 0 {
		if out.Covers, err = put(a.o.Blobs, proof.Covers); err != nil {
			return out, err
		}
	}
	out.Records, err = a.evidence(proof)
	return out, err
}

// prune is the step compile.prune.
func (a *Actor) prune(ctx context.Context, j flow.Job, in step.PruneIn) (step.PruneOut, error) {
	f, _, c, err := a.moduleFor(j, in.Facts)
	if err != nil {
		return step.PruneOut{}, err
	}
	var out step.PruneOut
	if out.Tree, out.Removed, err = c.Prune(ctx, in.Tree, f.Obsolete); err != nil {
		return out, a.checkError(err)
	}
	v, err := a.tree(ctx, out.Tree, nil)
	if err != nil {
		return out, err
	}
	for _, fr := range f.Frozen {
		if id := v.ids[fr.Path]; id != "" {
			out.Frozen = append(out.Frozen, step.File{Path: fr.Path, ID: id})
		}
	}
	return out, nil
}

func (a *Actor) proveGreen(ctx context.Context, j flow.Job, in step.GreenIn) (step.GreenOut, error) {
	f, pv, c, err := a.moduleFor(j, in.Facts)
	if err != nil {
		return step.GreenOut{}, err
	}
	m := pv.Module
	m.Base, m.HeldOut = in.Base, in.HeldOut
	prove := func() (check.Proof, error) {
		if in.Before != "" {
			return c.Refactor(ctx, m, in.Before, in.Tree, in.Frozen)
		}
		return c.Green(ctx, m, in.Base, in.Tree, in.Frozen)
	}
	proof, err := prove()
	if err != nil {
		return step.GreenOut{}, a.checkError(err)
	}
	known, err := a.known(ctx, c, f, pv, in.Frozen, proof)
	if err != nil {
		return step.GreenOut{}, err
	}
	if len(known) > 0 {
		m.Known = slices.Collect(maps.Keys(known))
		if proof, err = prove(); err != nil {
			return step.GreenOut{}, a.checkError(err)
		}
	}
	if proof.Passed && in.Before == "" {
		missing, err := a.constants(ctx, f, pv, proof.Tree)
		if err != nil {
			return step.GreenOut{}, err
		}
		proof.Findings = append(proof.Findings, missing...)
	}
	var called check.Called
	if proof.Passed {
		if called, err = c.Examples(ctx, m, proof.Tree, in.Frozen); err != nil {
			return step.GreenOut{}, a.checkError(err)
		}
		proof.Findings, proof.Passed = append(proof.Findings, called.Findings...), !check.Rejected(called.Findings)
	}
	proof.Findings = append(proof.Findings, check.Audit{Report: in.Report}.Findings()...)
	out := step.GreenOut{
		Passed: proof.Passed, Tree: proof.Tree, Findings: bound(proof.Findings, 60), Counts: proof.Counts(),
		Skipped: bound(proof.Restored, 100), Examples: bound(called.Examples, 100), Callable: called.Any,
	}
	for _, t := range proof.Failures() {
		if text := known[t.ID]; text != "" {
			out.Baseline = append(out.Baseline, text)
		} else {
			out.Failures = append(out.Failures, t)
		}
	}
	out.Failures, out.Baseline = short(out.Failures), bound(out.Baseline, 50)
	out.Records, err = a.evidence(proof)
	return out, err
}

// constants looks for the values that the Domain Context fixes in the
// module's sources and tests.
func (a *Actor) constants(ctx context.Context, f step.Facts, pv private, tree string) ([]step.Finding, error) {
	if len(pv.Constants) == 0 {
		return nil, nil
	}
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, file := range v.files {
		if pv.Module.Place.AllowsSource(file.Path) || pv.Module.Place.AllowsTest(file.Path) {
			text.Write(v.bytes(file.Path))
			text.WriteByte('\n')
		}
	}
	var out []step.Finding
	for _, k := range pv.Constants {
		if k.Value == "" || k.In(text.String()) {
			continue
		}
		out = append(out, step.Finding{
			Rule: "constant-missing", Severity: step.Fix, Path: f.Spec, Line: k.Line,
			Message: cmp.Or(k.Name, "the limit") + " = " + strings.TrimSpace(k.Value+" "+k.Unit) + " of the Domain Context does not appear in the module's code; make it a named constant or limit",
		})
	}
	return bound(out, 20), nil
}

func (a *Actor) format(ctx context.Context, j flow.Job, in step.FormatIn) (step.FormatOut, error) {
	_, pv, c, err := a.moduleFor(j, in.Facts)
	if err != nil {
		return step.FormatOut{}, err
	}
	files, err := a.changedSources(ctx, pv, in.Tree)
	if err != nil {
		return step.FormatOut{}, err
	}
	pv.Module.Base = in.Tree
	proof, changed, err := c.Format(ctx, pv.Module, in.Tree, files)
	if err != nil {
		return step.FormatOut{}, a.checkError(err)
	}
	out := step.FormatOut{Tree: proof.Tree, Changed: bound(changed, 100), Findings: bound(proof.Findings, 40)}
	out.Records, err = a.evidence(proof)
	return out, err
}

// changedSources lists the module's sources that differ from the tree that
// the run began with: only what this run wrote is formatted.
func (a *Actor) changedSources(ctx context.Context, pv private, tree string) ([]string, error) {
	changes, err := a.o.Repo.Diff(ctx, pv.Module.Base, tree)
	if err != nil {
		return nil, machinery(err)
	}
	var out []string
	for _, ch := range changes {
		if ch.NewID != "" && pv.Module.Place.AllowsSource(ch.Path) {
			out = append(out, ch.Path)
		}
	}
	return out, nil
}

func (a *Actor) mutate(ctx context.Context, j flow.Job, in step.MutateIn) (step.MutateOut, error) {
	_, pv, c, err := a.moduleFor(j, in.Facts)
	if err != nil {
		return step.MutateOut{}, err
	}
	pv.Module.Base = in.Base
	proof, err := c.Mutants(ctx, pv.Module, in.Base, in.Tree, in.Frozen)
	if err != nil {
		return step.MutateOut{}, a.checkError(err)
	}
	out := step.MutateOut{Tried: proof.Tried, Killed: proof.Killed, Survived: bound(proof.Survived, 8), Findings: bound(proof.Findings, 8), Limits: proof.Limits}
	out.Records, err = a.evidence(proof)
	return out, err
}

// short bounds what a proof says about failures.
func short(ts []step.TestResult) []step.TestResult {
	ts = slices.Clone(bound(ts, 20))
	for i := range ts {
		ts[i].Message = clip(ts[i].Message, 1500)
	}
	return ts
}

// furnish puts installed dependencies into an agent's clone, so that it can run what checks run, and says how they are
// found.
func (a *Actor) furnish(ctx context.Context, j flow.Job, clone *git.Clone, t step.Turn) (check.Furnished, error) {
	if t.Private.IsZero() {
		return check.Furnished{}, nil
	}
	pv, err := load[private](a.o.Blobs, t.Private)
	if err != nil {
		return check.Furnished{}, err
	}
	c, err := a.checkerFor(j)
	if err != nil {
		return check.Furnished{}, err
	}
	chains := pv.Chains
	if chains == nil {
		chains = []toolchain.Found{pv.Module.Chain}
	}
	named := t.Task + strings.Join(t.Commands, " ")
	chains = toolchain.NearestFirst(chains, func(f toolchain.Found) bool { return hasPath(named, f.Root+"/") })
	f, err := c.Furnish(ctx, chains, t.Tree, filepath.Dir(clone.Dir), clone.Root())
	return f, a.checkError(err)
}

// hasPath reports whether a text has a path that begins so, and not as a part of another one.
func hasPath(text, begin string) bool {
	found, err := regexp.MatchString(`(?:^|[^\pL\d_./-])`+regexp.QuoteMeta(begin), text)
	return found && err == nil
}
