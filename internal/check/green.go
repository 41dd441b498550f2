package check

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Green proves that the frozen tests pass on tree, which an author made from before (the tree with the frozen tests).
// Frozen files that differ are a finding, and the proof runs on a tree in which they are as they were.
func (c *Checker) Green(ctx context.Context, m Module, before, tree string, frozen []step.File) (Proof, error) {
	changes, err := Changes(ctx, c.repo, before, tree)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	fixed, findings, restored, err := c.freeze(ctx, m, changes, tree, frozen)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	if fixed, err = c.Link(ctx, m, fixed); err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	allows := func(p string) bool {
		linked := func(ch Change) bool { return ch.Path == p && m.onlyLinks(ch) }
		return m.Place.AllowsSource(p) || slices.ContainsFunc(changes, linked) || slices.ContainsFunc(findings, func(f step.Finding) bool { return f.Rule == strayRule && f.Path == p })
	}
	audit, err := c.audit(ctx, m, changes, frozen, allows)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	more, err := c.moreExports(ctx, m, before, fixed)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	fewer, err := c.fewerExports(ctx, m, fixed)
	if err != nil {
		return Proof{}, fmt.Errorf("prove green: %w", err)
	}
	findings = slices.Concat(findings, more, fewer)
	audit = slices.DeleteFunc(audit, func(f step.Finding) bool { return slices.Contains(m.Kept, f.Path) })
	findings = merge(findings, audit)
	proof, err := c.passes(ctx, m, fixed, frozen)
	if err != nil {
		return proof, fmt.Errorf("prove green: %w", err)
	}
	proof.Findings, proof.Restored = append(findings, proof.Findings...), restored
	proof.Passed = proof.Passed && !Rejected(proof.Findings)
	return proof, nil
}

// Refactor proves that tree, made from the green tree, still passes the frozen tests, exports the same with the same
// signatures, and differs in nothing outside the module.
func (c *Checker) Refactor(ctx context.Context, m Module, green, tree string, frozen []step.File) (Proof, error) {
	proof, err := c.Green(ctx, m, green, tree, frozen)
	if err != nil {
		return proof, fmt.Errorf("prove refactoring: %w", err)
	}
	findings, err := c.sameExports(ctx, m, green, proof.Tree)
	if err != nil {
		return proof, fmt.Errorf("prove refactoring: %w", err)
	}
	proof.Findings = append(proof.Findings, findings...)
	proof.Passed = proof.Passed && !Rejected(findings)
	return proof, nil
}

// Merged proves a module again on the tree that merging made. Frozen files that the merge changed are a finding.
func (c *Checker) Merged(ctx context.Context, m Module, tree string, frozen []step.File) (Proof, error) {
	have, err := c.entriesOf(ctx, tree)
	if err != nil {
		return Proof{}, fmt.Errorf("prove merged tree: %w", err)
	}
	var findings []step.Finding
	for _, f := range frozen {
		if have[f.Path].ID != f.ID {
			findings = append(findings, reject("frozen-changed", f.Path, 0, "The merged tree has another version of this frozen test."))
		}
	}
	proof, err := c.passes(ctx, m, tree, frozen)
	if err != nil {
		return proof, fmt.Errorf("prove merged tree: %w", err)
	}
	proof.Findings = append(findings, proof.Findings...)
	proof.Passed = proof.Passed && !Rejected(findings)
	return proof, nil
}

// freeze puts frozen and kept files back and finds what was changed outside the module's sources.
func (c *Checker) freeze(ctx context.Context, m Module, changes []Change, tree string, frozen []step.File) (string, []step.Finding, []string, error) {
	was := setOf(each(frozen, func(f step.File) string { return f.Path }))
	modes := map[string]string{} // of frozen files that were changed, as they were
	var findings []step.Finding
	var restored []string
	var edits []git.Edit
	back := func(d Change) {
		restored = append(restored, d.Path)
		edits = append(edits, asItWas(d))
	}
	for _, d := range changes {
		switch {
		case was[d.Path]:
			findings = append(findings, frozenChanged(d))
			restored, modes[d.Path] = append(restored, d.Path), cmp.Or(d.OldMode, "100644")
		case slices.Contains(m.Kept, d.Path):
			findings = append(findings, warn("kept-changed", d.Path, 0, "This run keeps this file as it is; your change was undone."))
			back(d)
		case m.onlyLinks(d): // they are written again, and only if they are needed
			edits = append(edits, asItWas(d))
		case m.stray(d):
			findings = append(findings, strayFinding(d.Path))
			edits = append(edits, git.Edit{Path: d.Path})
		case !m.Place.AllowsSource(d.Path):
			findings = append(findings, reject("out-of-scope", d.Path, 0, fmt.Sprintf(
				"This phase may change only the source files of the module in %s (%s). Your change to this file was undone.", m.Dir, strings.Join(m.Place.Sources, ", "))))
			back(d)
		}
	}
	// A frozen file that was different before already is put right, too: the object store has it.
	have, err := c.entriesOf(ctx, tree)
	if err != nil {
		return "", nil, nil, err
	}
	for _, f := range frozen {
		if mode := modes[f.Path]; mode != "" || have[f.Path].ID != f.ID {
			edits = append(edits, git.Edit{Path: f.Path, Mode: cmp.Or(mode, "100644"), ID: f.ID})
		}
	}
	// Paths outside the project cannot be edited from its root; the finding about them rejects anyway.
	edits = slices.DeleteFunc(edits, func(e git.Edit) bool { return strings.HasPrefix(e.Path, "../") })
	fixed, err := c.repo.EditTree(ctx, tree, edits)
	return fixed, findings, restored, err
}

// passes builds and runs the frozen tests.
func (c *Checker) passes(ctx context.Context, m Module, tree string, frozen []step.File) (proof Proof, err error) {
	p, err := c.open(ctx, step.OnGreen, tree, cmp.Or(m.Base, tree), m.Chain)
	if err != nil {
		return Proof{}, err
	}
	defer func() { err = joinClose(err, p) }()
	proof = Proof{Tree: tree, Frozen: frozen}
	if err = p.build(ctx, m, &proof); err != nil {
		return proof, err
	}
	files := frozenTests(p, frozen)
	if len(files) == 0 {
		proof.Findings = append(proof.Findings, reject("no-tests-ran", m.Dir, 0, "The module has no frozen test, so nothing proves it."))
		return proof, nil
	}
	expected := p.testsOf(files)
	run, err := proof.noted(p.settled(ctx, toolchain.Selection{Files: files}, expected))
	proof.Results, proof.Findings = run.results, append(proof.Findings, run.findings...)
	if err != nil {
		return proof, err
	}
	proof.judge(m, expected, run)
	return proof, nil
}

// frozenTests are the frozen files that hold tests of the module's language. In Rust those of a unit may be in its source.
func frozenTests(p *place, frozen []step.File) []string {
	return those(each(frozen, func(f step.File) string { return f.Path }), func(name string) bool {
		return p.ours(name) && mayTest(name) && len(source.Parse(name, p.read(name)).Tests) > 0
	})
}

// judge decides whether every expected test passed.
func (pr *Proof) judge(m Module, expected []test, run testRun) {
	ok := executed(run.results) > 0
	for _, t := range expected {
		switch st := t.in(run.results); {
		case slices.Contains(m.Known, t.ID):
		case st == "":
			ok = false
			if t.silent(run.results) {
				pr.Findings = append(pr.Findings, reject("test-missing", t.File, t.Line, "The test "+t.Name+" did not run."))
			}
		case st == step.Skip && !t.MaySkip && !t.Skipped:
			ok = false
			pr.Findings = append(pr.Findings, reject("test-skipped", t.File, t.Line,
				"The test "+t.Name+" was skipped although it has no skip of its own; the code must let it run."))
		case st == step.Flake:
			ok = false
			pr.Findings = append(pr.Findings, fix("flaky-test", t.File, t.Line,
				"The test "+t.Name+" failed and then passed on the same tree. Find what differs between two runs."))
		}
	}
	charged := func(r step.TestResult) bool { return bad(r.Status) && !slices.Contains(m.Known, r.ID) }
	pr.Passed = ok && !slices.ContainsFunc(run.results, charged) && !Rejected(pr.Findings)
}

// build compiles or type-checks. Only what is wrong in the module's own sources is charged: the rest of the project may
// have been broken before, or waits for its own turn.
func (p *place) build(ctx context.Context, m Module, proof *Proof) error {
	for _, cmd := range m.Chain.Build(m.Dir) {
		out, err := p.exec(ctx, cmd, false)
		if missing := optional(cmd, err); missing != nil {
			proof.Findings = append(proof.Findings, warn("tool-missing", "", 0, missing.Error()))
			continue
		}
		if err != nil {
			return err
		}
		proof.Records = append(proof.Records, out.Record)
		if out.clean() {
			continue
		}
		charged, own := 0, 0
		for l := range strings.SplitSeq(string(out.output), "\n") {
			d := diagnosed(l)
			if d == nil {
				continue
			}
			file := path.Join(m.Chain.Root, d[1])
			if m.Chain.Ecosystem == toolchain.Rust {
				if file = path.Join(m.Chain.Workspace, d[1]); !strings.Contains(l, ": error") {
					continue // a warning
				}
			}
			switch {
			case m.Place.AllowsSource(file):
				charged++
				proof.Findings = append(proof.Findings, reject("build-failed", file, atoi(d[2]), "The build fails: "+strings.TrimSpace(l)))
			case m.ownTest(file) && !aboutTypings(l):
				own++
				text := "The build fails in the module's own frozen test: " + strings.TrimSpace(l)
				if m.Chain.Ecosystem == toolchain.Node { // RED has type-checked it, so the code is what does not fit
					proof.Findings = append(proof.Findings, reject("build-failed", file, atoi(d[2]), text+"\nMake the code fit the test; if the test is wrong, say so."))
					continue
				}
				proof.Findings = append(proof.Findings, warn("build-failed", file, atoi(d[2]), text))
			}
		}
		if charged+own == 0 {
			proof.Findings = append(proof.Findings, warn("build-failed", m.Dir, 0, "The build fails, but outside the new code: "+out.tail))
		}
	}
	return nil
}
