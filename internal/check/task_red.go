package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TaskRed proves tests of a task that are written before its code: nothing but tests and their data has changed, no old test is bent,
// and each new one fails on the code as it is. With runs they have to run and to fail at what they assert; without, what they
// call may still be missing, so that they do not even compile. [Proof.Red] are the tests that failed.
func (c *Checker) TaskRed(ctx context.Context, t Task, before, tree string, runs bool) (proof Proof, err error) {
	changes, err := Changes(ctx, c.repo, before, tree)
	if err != nil {
		return Proof{}, fmt.Errorf("prove tests: %w", err)
	}
	p := taskProof{c: c, t: t, before: before, changes: changes, proof: Proof{Tree: tree}}
	defer func() { err = p.close(err) }()
	for _, ch := range changes {
		if !ofTests(ch.Path) && (slices.Contains(judged, ecosystemOf(ch.Path)) || !bringsTests(ch.Path)) {
			p.add(reject("out-of-scope", ch.Path, 0, "Write only tests and test data now. Undo your change to this file; another agent writes the code later."))
		}
	}
	p.add(Audit{Changes: changes}.Findings()...)
	if Rejected(p.proof.Findings) {
		return p.proof, nil
	}
	found := 0
	for _, chain := range p.touched() {
		n, err := p.red(ctx, chain, runs)
		if err != nil {
			return p.proof, fmt.Errorf("prove tests: %w", err)
		}
		found += n
	}
	if found == 0 && !Rejected(p.proof.Findings) {
		p.add(reject("no-test", "", 0, "The project's own test command runs no new or changed test. Write one that fails without the requested change."))
	}
	p.proof.Passed = !Rejected(p.proof.Findings)
	return p.proof, nil
}

// red runs the new tests of a toolchain, and gives their number.
func (p *taskProof) red(ctx context.Context, chain toolchain.Found, runs bool) (n int, err error) {
	pl, err := p.c.open(ctx, step.OnRed, p.proof.Tree, cmp.Or(p.t.Base, p.before), chain)
	if err != nil {
		return 0, err
	}
	defer func() { err = joinClose(err, pl) }()
	if chain.Ecosystem == toolchain.Unknown {
		return p.unknownRed(ctx, pl, runs)
	}
	fresh := p.fresh(pl)
	if len(fresh) == 0 {
		return 0, nil
	}
	run, err := p.proof.noted(pl.runTests(ctx, toolchain.Selection{Files: filesOf(fresh)}, fresh))
	p.proof.Results = append(p.proof.Results, run.results...)
	if err != nil {
		return 0, err
	}
	why := cmp.Or(each(run.findings, func(f step.Finding) string { return f.Message })...)
	for _, t := range fresh {
		p.redOf(t, t.in(run.results), runs, why)
	}
	if len(p.proof.Red) > 0 {
		pl.recordFailures()
	}
	return len(fresh), nil
}

// redOf says what a new test shows that ended so on the code as it is.
func (p *taskProof) redOf(t test, st step.TestStatus, runs bool, why string) {
	switch {
	case st == step.Pass:
		p.add(reject("test-passes-already", t.File, t.Line, "The test "+t.Name+" passes with the current code, so it does not show what is wrong or missing. Assert what should happen but does not."))
	case st == step.Skip:
		p.add(reject("test-skipped", t.File, t.Line, "The test "+t.Name+" is skipped here, so it proves nothing."))
	case st == step.Fail, !runs:
		p.proof.Red = append(p.proof.Red, t.ID)
	default:
		p.add(reject("check-invalid", t.File, t.Line, "The test "+t.Name+" did not reach its assertions. It must run with the current code: use only what exists. "+clipped(why, 1500)))
	}
}

// unknownRed runs all tests of a project whose sources nobody reads, with the new tests and without them, and gives the number of the new ones:
// those that the report names for the first time, and those that passed before and do not now. Where there is no report, the command has to
// fail now.
func (p *taskProof) unknownRed(ctx context.Context, pl *place, runs bool) (n int, err error) {
	base, err := p.place(ctx, pl.chain)
	if err != nil {
		return 0, err
	}
	was, err := base.runTests(ctx, toolchain.Selection{}, nil)
	if err != nil {
		return 0, err
	}
	now, err := p.proof.noted(pl.runTests(ctx, toolchain.Selection{}, nil))
	p.proof.Results = append(p.proof.Results, now.results...)
	if err != nil {
		return 0, err
	}
	lost, err := p.dropped(ctx, pl.chain, was, now)
	p.add(lost...)
	before := statuses(was)
	for _, r := range now.results {
		if st, ran := before[r.ID]; !ran || st == step.Pass && bad(r.Status) {
			n++
			p.redOf(test{Test: source.Test{Name: cmp.Or(testNameOf(r), r.ID)}, ID: r.ID, File: r.File}, r.Status, runs, r.Message)
		}
	}
	return n, err
}
