package check

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Baseline runs the build and all tests of a toolchain on a tree that nobody has worked on, or takes what is kept of that. It passes also with
// failures, as long as the runner ran.
func (c *Checker) Baseline(ctx context.Context, chain toolchain.Found, tree string) (proof Proof, err error) {
	key, err := c.baseKey(ctx, chain, tree)
	if err != nil {
		return Proof{}, fmt.Errorf("baseline: %w", err)
	}
	proof = Proof{Tree: tree}
	if run, ok := c.keptTests(key); ok {
		proof.Records, proof.Results, proof.Passed = run.records, run.results, true
		return proof, nil
	}
	p, err := c.open(ctx, step.OnBaseline, tree, tree, chain)
	if err != nil {
		return Proof{}, fmt.Errorf("baseline: %w", err)
	}
	defer func() { err = joinClose(err, p) }()
	for _, cmd := range chain.Build(chain.Root) {
		out, failed := p.exec(ctx, cmd, false)
		if missing := optional(cmd, failed); missing != nil {
			proof.Findings = append(proof.Findings, warn("tool-missing", "", 0, missing.Error()))
			continue
		}
		if failed != nil {
			return proof, fmt.Errorf("baseline: %w", failed)
		}
		proof.Records = append(proof.Records, out.Record)
		if !out.clean() {
			proof.Findings = append(proof.Findings, warn("build-failed", chain.Root, 0, "The build already fails without any change: "+out.tail))
		}
		if !lastingly(p.standingOf(cmd, out)) {
			key = ""
		}
	}
	files := p.testFiles()
	if len(files) == 0 && (chain.Ecosystem != toolchain.Unknown || len(chain.Test(toolchain.Selection{})) == 0) {
		proof.Passed = true
		return proof, nil
	}
	run, err := p.runTests(ctx, toolchain.Selection{}, p.testsOf(files))
	if run.exit != nil && run.exit.Exit != 0 { // which of them failed is not known, so none is excused
		run.results = nil
	}
	if err == nil {
		err = p.settle(ctx, &run)
	}
	proof.Records = append(proof.Records, run.records...)
	proof.Results = run.results
	for _, f := range run.findings {
		f.Severity = step.Warn
		proof.Findings = append(proof.Findings, f)
	}
	proof.Passed = executed(run.results) > 0
	if err != nil {
		return proof, fmt.Errorf("baseline: %w", err)
	}
	p.keepTests(key, run)
	return proof, nil
}

// Before is which tests failed on a tree that nobody has touched.
type Before struct {
	Failed map[string]string // what they said, by their ids
	All    bool              // all that failed are there, and not only those of the ones that were asked for
}

// FailedBefore says which of some tests that fail with a change fail, or flake, without it: on the tree that nobody has touched. Nothing that is kept
// excuses, and nothing that is kept accuses: what it says of these tests has to be so again when they are run alone. Where it is not, or they cannot be
// run alone, all tests are run.
func (c *Checker) FailedBefore(ctx context.Context, chain toolchain.Found, tree string, failing []step.TestResult) (Before, error) {
	proof, err := c.Baseline(ctx, chain, tree)
	if err != nil {
		return Before{}, err
	}
	if proof.Counts().Reused.Proof != "" {
		again, sure, err := c.confirm(ctx, chain, tree, proof, failing)
		if err != nil {
			return Before{}, fmt.Errorf("baseline: %w", err)
		}
		if sure {
			return Before{Failed: again}, nil
		}
		fresh := *c
		fresh.o.Fresh = true
		if proof, err = fresh.Baseline(ctx, chain, tree); err != nil {
			return Before{}, err
		}
	}
	return Before{mapOf(proof.Failures(), func(r step.TestResult) (string, string) { return r.ID, r.Message }), true}, nil
}

// confirm runs those of some tests once more that a baseline of some time ago has, and gives those that failed then and fail now, or that flaked and
// do so again, with what they say. sure is false where one of them does not stand as it did, or cannot be run alone.
func (c *Checker) confirm(ctx context.Context, chain toolchain.Found, tree string, was Proof, failing []step.TestResult) (failed map[string]string, sure bool, err error) {
	if slices.ContainsFunc(was.Records, func(r step.Record) bool { return r.Level == step.ByExit }) {
		return nil, len(was.Failures()) == 0, nil // where the exit code alone says that tests fail nobody is excused: it is not known which
	}
	then := groups(was.Results, func(r step.TestResult) string { return r.ID })
	before := func(id string) step.TestStatus { return status(then[id]) }
	stood, err := c.standsIn(ctx, tree, chain)
	if err != nil {
		return nil, false, err
	}
	there := those(failing, func(r step.TestResult) bool { // what is new has nothing to be confirmed
		t := testOf(r.File, source.Test{Name: testNameOf(r)})
		_, broken := loadError(t, was.Results)
		return before(r.ID) != "" || broken || t.Name == "" || stood(t)
	})
	const most = 50 // as many as are looked at for flakes
	if len(there) == 0 {
		return nil, true, nil
	}
	if chain.Ecosystem == toolchain.Unknown || len(there) > most {
		return nil, false, nil
	}
	p, err := c.open(ctx, step.OnBaseline, tree, tree, chain)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = joinClose(err, p) }()
	for _, cmd := range chain.Build(chain.Root) {
		if _, err := p.exec(ctx, cmd, false); err != nil && optional(cmd, err) == nil {
			return nil, false, err
		}
	}
	run, err := p.onceMore(ctx, there)
	if err != nil {
		return nil, false, err
	}
	now := groups(run.results, func(r step.TestResult) string { return r.ID })
	failed = map[string]string{}
	var flaky []test
	for _, r := range there {
		fails := those(now[r.ID], func(o step.TestResult) bool { return bad(o.Status) })
		switch st := before(r.ID); {
		case len(now[r.ID]) == 0 && st == step.Flake:
			return nil, false, nil
		case len(fails) > 0 && (bad(st) || st == step.Flake):
			failed[r.ID] = fails[0].Message
		case st == step.Flake:
			flaky = append(flaky, testOf(r.File, source.Test{Name: testNameOf(r)}))
		case len(fails) > 0, bad(st), st != "" && len(now[r.ID]) == 0:
			return nil, false, nil
		}
	}
	again, err := p.failAgain(ctx, flaky)
	for _, t := range again {
		failed[t.ID] = ""
	}
	return failed, len(again) == len(flaky), err
}

// standsIn reports of tests that were not run on a tree whether they stand in it all the same. Where nobody reads them, what commands could not
// reach may have kept them from running.
func (c *Checker) standsIn(ctx context.Context, tree string, chain toolchain.Found) (func(test) bool, error) {
	entries, err := c.entriesOf(ctx, tree)
	return func(t test) bool {
		if chain.Ecosystem == toolchain.Unknown {
			return !c.closed()
		}
		text, err := c.repo.ReadBlob(ctx, entries[t.File].ID)
		return err == nil && slices.ContainsFunc(testsIn(source.Parse(t.File, text)), func(o test) bool { return o.has(t.ID) })
	}, err
}

// onceMore runs tests again by their names; where one of them is a whole file or package, all tests of the files of them all.
func (p *place) onceMore(ctx context.Context, tests []step.TestResult) (testRun, error) {
	defer p.again()()
	named := those(tests, func(r step.TestResult) bool { return testNameOf(r) != "" })
	sel := toolchain.Selection{IDs: each(named, func(r step.TestResult) string { return r.ID })}
	if len(named) < len(tests) || len(strings.Join(sel.IDs, " ")) > mostNames {
		sel = toolchain.Selection{Files: those(p.testFiles(), func(f string) bool {
			return slices.ContainsFunc(tests, func(r step.TestResult) bool { return f == r.File || path.Dir(f) == r.File })
		})}
	}
	if len(sel.IDs)+len(sel.Files) == 0 {
		return testRun{}, nil
	}
	return p.runOnce(ctx, sel)
}
