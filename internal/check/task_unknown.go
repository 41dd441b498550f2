package check

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// A project in a language that no row of the table is for is proved by its own commands. Nobody reads its sources, so which of
// its files are tests is told by their names, and whether a change is tested by running the tests without it.

// unknownTests runs the project's own test command, and runs it again on the tree before with the new tests: there it has to fail.
func (p *taskProof) unknownTests(ctx context.Context, pl *place) (err error) {
	if len(pl.chain.Test(toolchain.Selection{})) == 0 {
		if slices.ContainsFunc(p.changes, func(ch Change) bool { return IsCode(ch.Path) }) && !Rejected(p.proof.Findings) {
			p.noTest("The project has no tests.")
		}
		return nil
	}
	run, err := pl.runTests(ctx, toolchain.Selection{}, nil)
	if err != nil {
		return err
	}
	p.takeIn(run)
	one := Proof{Tree: p.proof.Tree}
	one.judge(Module{Known: p.t.Known}, nil, run)
	p.failed = p.failed || !one.Passed
	if err := p.gone(ctx, pl, run); err != nil {
		return err
	}
	tests := those(p.changes, func(ch Change) bool { return bringsTests(ch.Path) })
	code := slices.ContainsFunc(p.changes, func(ch Change) bool { return !bringsTests(ch.Path) && IsCode(ch.Path) })
	switch {
	case !code || p.failed || Rejected(p.proof.Findings):
		return nil
	case !slices.ContainsFunc(tests, func(ch Change) bool { return looksLikeTest(ch.Path) }):
		p.noTest("There is no new or changed test for this change.")
		return nil
	}
	was, err := p.withTests(ctx, pl.chain, tests)
	if err != nil {
		return err
	}
	failing := slices.ContainsFunc(was.results, func(r step.TestResult) bool { return bad(r.Status) && !slices.Contains(p.t.Known, r.ID) })
	if failing || slices.ContainsFunc(was.findings, func(f step.Finding) bool { return f.Rule != "check-invalid" }) {
		p.proof.Red = append(p.proof.Red, p.failsThere(run, was)...)
		return nil
	}
	if p.t.Untested != "" {
		p.noTest("The new tests pass without the change as well.")
		return nil
	}
	p.add(reject("test-passes-without", tests[0].Path, 0, "The tests pass without the change as well, so nothing proves it. Assert what is new; if no test can show it, say why in `untested`."))
	return nil
}

// failsThere are the tests that pass with the change, and without it fail or, where something could not be loaded, are missing.
func (p *taskProof) failsThere(with, without testRun) (ids []string) {
	was, is := statuses(without), statuses(with)
	unloaded := slices.ContainsFunc(without.results, func(r step.TestResult) bool { return bad(r.Status) && is[r.ID] == "" })
	for _, r := range with.results {
		st, ran := was[r.ID]
		if r.Status == step.Pass && testNameOf(r) != "" && !slices.Contains(p.t.Known, r.ID) && (bad(st) || unloaded && !ran) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// statuses are the results of a run by their ids.
func statuses(run testRun) map[string]step.TestStatus {
	return mapOf(run.results, func(r step.TestResult) (string, step.TestStatus) { return r.ID, r.Status })
}

// gone rejects tests that ran and passed before and do not now.
func (p *taskProof) gone(ctx context.Context, pl *place, run testRun) error {
	if run.exit != nil || len(run.results) == 0 || p.before == p.proof.Tree || p.t.VerifyOnly {
		return nil
	}
	if cmp.Or(p.t.Base, p.before) == p.before {
		if _, all, err := p.c.allGoOn(ctx, pl.chain, p.before, run); err != nil || all {
			return err
		}
	}
	base, err := p.place(ctx, pl.chain)
	if err != nil {
		return err
	}
	was, err := base.runTests(ctx, toolchain.Selection{}, nil)
	if err != nil {
		return err
	}
	lost, err := p.dropped(ctx, pl.chain, was, run)
	p.add(lost...)
	return err
}

// allGoOn gives the run of all tests that is kept of a tree, and reports whether they all passed in it and do so in a good run on another tree: none
// is gone. What commands reach outside may decide which tests there are, so this is believed of commands that reach nothing.
func (c *Checker) allGoOn(ctx context.Context, chain toolchain.Found, tree string, now testRun) (was testRun, all bool, err error) {
	key, err := c.baseKey(ctx, chain, tree)
	was, ok := c.keptTests(key)
	if was.exit != nil {
		was.results = nil // they are the command
	}
	is := statuses(now)
	missed := func(r step.TestResult) bool { return r.Status != step.Pass || is[r.ID] != step.Pass }
	return was, ok && c.closed() && now.good() && !slices.ContainsFunc(was.results, missed), err
}

// dropped are tests that ran and passed before, and are skipped or missing now. Nobody reads their sources: the reports of both trees say
// so. Where their files have changed, these are put back. A test that fails then may go: what it asserts holds no more.
func (p *taskProof) dropped(ctx context.Context, chain toolchain.Found, was, now testRun) (out []step.Finding, err error) {
	is, before := statuses(now), statuses(was)
	moved := setOf(each(those(now.results, func(r step.TestResult) bool { return before[r.ID] == "" }), testNameOf))
	lost := those(was.results, func(r step.TestResult) bool {
		st, ran := is[r.ID]
		return r.Status == step.Pass && (st == step.Skip || !ran && !moved[testNameOf(r)]) && (p.t.Deletes == nil || !p.t.Deletes(r.File))
	})
	back := those(p.changes, func(ch Change) bool { return ch.OldID != "" && looksLikeTest(ch.Path) })
	if len(lost)*len(back) > 0 {
		run, err := p.withOldTests(ctx, chain, back)
		if err != nil {
			return nil, err
		}
		passes := statuses(run)
		lost = those(lost, func(r step.TestResult) bool {
			changed := r.File == "" || slices.Contains(pathsOf(back), r.File)
			return passes[r.ID] == step.Pass || !changed
		})
	}
	skipped := func(r step.TestResult) bool { return is[r.ID] == step.Skip }
	at := groups(lost, func(r step.TestResult) string { return r.File })
	for _, file := range slices.Sorted(maps.Keys(at)) {
		if list := those(at[file], skipped); len(list) > 0 {
			out = append(out, reject("test-skipped", file, 0, "Tests that passed before are skipped now: "+someOf(each(list, testNameOf))+". Remove the skip."))
		}
		if list := without(at[file], skipped); len(list) > 0 {
			out = append(out, reject("test-deleted", file, 0, "Tests that passed before no longer run: "+someOf(each(list, testNameOf))+". Put them back; if the behavior changed, change what they assert."))
		}
	}
	return out, nil
}

// withTests runs all tests of a toolchain as some changes have them, on the tree before.
func (p *taskProof) withTests(ctx context.Context, chain toolchain.Found, tests []Change) (testRun, error) {
	return p.allEdited(ctx, step.OnWithout, p.before, each(tests, asItIs), cmp.Or(p.t.Base, p.before), chain)
}

// withOldTests runs all tests of a toolchain as they were before some changes, on the tree of the change.
func (p *taskProof) withOldTests(ctx context.Context, chain toolchain.Found, tests []Change) (testRun, error) {
	return p.allEdited(ctx, step.OnRestored, p.proof.Tree, each(tests, asItWas), p.proof.Tree, chain)
}

// allEdited runs all tests of a toolchain on a tree with edits.
func (p *taskProof) allEdited(ctx context.Context, shows step.Shows, tree string, edits []git.Edit, base string, chain toolchain.Found) (run testRun, err error) {
	pl, err := p.c.openEdited(ctx, shows, tree, edits, base, chain)
	if err != nil {
		return run, err
	}
	defer func() { err = joinClose(err, pl) }()
	return p.proof.noted(pl.runTests(ctx, toolchain.Selection{}, nil))
}
