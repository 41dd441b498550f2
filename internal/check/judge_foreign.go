package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// unread judges a change in a language that nobody reads here: all that can be asked is whether the project's own tests, which passed before,
// fail now or no longer run.
func (j *judge) unread(ctx context.Context) error {
	code := those(j.changes, j.foreign)
	passed, cut := false, false
	for _, chain := range j.q.Chains {
		if chain.Own.Elsewhere || slices.Contains(judged, chain.Ecosystem) || !slices.ContainsFunc(j.changes, func(ch Change) bool { return j.concerns(chain, ch) }) {
			continue
		}
		good, err := j.stillGood(ctx, chain)
		if err != nil && !j.excused(ctx, err) {
			return err
		}
		passed, cut = passed || good, cut || late(ctx, err)
	}
	if len(code) == 0 {
		return nil
	}
	what := "Jacquard does not read the language of " + code[0].Path + ", and found no tests to run. To run the project's tests, set checks.test in jacquard.yaml"
	mutants := "mutants are made only of Go, JavaScript, TypeScript, Python, Rust, Java and Kotlin"
	if slices.Contains(judged, ecosystemOf(code[0].Path)) {
		mutants = fmt.Sprintf("mutants are made only where the tests run with a runner of the language of %s", code[0].Path)
	}
	switch n := j.shownBy; {
	case cut:
		what = timeOver
	case passed && n > 0:
		what = fmt.Sprintf("new or changed tests fail without the change and pass with it (%d), but whether they notice more is unknown: %s", n, mutants)
	case passed:
		what = fmt.Sprintf("the project's own tests pass, but whether they see the change is unknown: %s", mutants)
	}
	if !j.known.code { // else the verdict is about what can be read
		j.known.unknown = cmp.Or(j.known.unknown, what)
	}
	return nil
}

// concerns reports whether a toolchain whose language nobody reads has to do with a change: with its code, its tests, how these are run.
func (j *judge) concerns(chain toolchain.Found, ch Change) bool {
	if !below(chain.Root, ch.Path) {
		return false
	}
	tests := (bringsTests(ch.Path) || toolchain.ConfigKindOf(ch.Path) == toolchain.RunnerConfig) && !j.tests(ecosystemOf(ch.Path))
	return tests || j.foreign(ch)
}

// stillGood reports whether all tests of a toolchain pass with the change. Where they pass without it, and fail with it each time, it blocks.
func (j *judge) stillGood(ctx context.Context, chain toolchain.Found) (bool, error) {
	now, err := j.whole(ctx, j.proof.Tree, chain)
	j.count(now)
	if err != nil {
		return false, err
	}
	was, err := j.wholeBefore(ctx, chain, now)
	if err != nil {
		return false, err
	}
	if now.good() {
		lost, err := j.dropped(ctx, chain, was, now)
		for _, f := range lost {
			j.weakens(f, &now)
		}
		if err == nil {
			err = j.shows(ctx, chain, was, now)
		}
		return len(now.results) > 0 || now.exit != nil, err
	}
	again, err := j.whole(ctx, j.proof.Tree, chain)
	if err != nil || again.good() {
		return false, err
	}
	in := func(run testRun, id string, want func(step.TestStatus) bool) bool {
		return slices.ContainsFunc(run.results, func(r step.TestResult) bool { return r.ID == id && want(r.Status) })
	}
	surely := those(again.results, func(r step.TestResult) bool { return bad(r.Status) && in(now, r.ID, bad) })
	fails := those(surely, func(r step.TestResult) bool {
		return in(was, r.ID, func(s step.TestStatus) bool { return s == step.Pass })
	})
	before := statuses(was)
	anew := those(surely, func(r step.TestResult) bool { return len(before) > 0 && before[r.ID] == "" })
	switch {
	case len(fails) > 0:
		j.known.broken += len(fails)
		for _, r := range fails[:min(len(fails), 5)] {
			at, name := toolchain.SplitID(r.ID)
			j.block(reject("test-broken", at, 0, "The test "+name+" passes without the change and fails with it. "+tellingLines(r.Message, 6)), &again)
		}
	case len(anew) > 0:
		j.known.failing += len(anew)
		for _, r := range anew[:min(len(anew), 5)] {
			at, name := toolchain.SplitID(r.ID)
			j.say(fix("new-test-fails", at, 0, "The new test "+name+" fails. "+tellingLines(r.Message, 4)), &again)
		}
		j.known.unknown = "new tests fail"
	case len(again.results) > 0:
		j.known.unknown = "tests fail, and none of them passed without the change"
	case was.good():
		j.breaks(reject("test-broken", "", 0, "The tests pass without the change and fail with it: "+firstLines(again.why(), 12)), &again)
	default:
		j.known.unknown = fmt.Sprintf("the project's own tests fail without the change as well: %s", firstLines(was.why(), 3))
	}
	return false, nil
}

// shows runs changed tests without the code of a change, and what they were with it: some fail without it, and some expect something else now.
func (j *judge) shows(ctx context.Context, chain toolchain.Found, was, now testRun) error {
	tests := those(j.changes, func(ch Change) bool { return bringsTests(ch.Path) })
	if len(tests) == 0 || now.exit != nil || !slices.ContainsFunc(j.changes, j.foreign) {
		return nil
	}
	without, err := j.withTests(ctx, chain, tests)
	if err != nil {
		return err
	}
	red := j.failsThere(now, without)
	j.shownBy += len(red)
	old := those(tests, func(ch Change) bool { return ch.Status == 'M' })
	if len(old) == 0 {
		return nil
	}
	back, err := j.withOldTests(ctx, chain, old)
	if err != nil {
		return err
	}
	before, kept := statuses(was), statuses(back)
	for _, r := range now.results {
		switch {
		case before[r.ID] != step.Pass || r.Status != step.Pass || !bad(kept[r.ID]):
		case slices.Contains(red, r.ID):
			j.say(fix("expectation-changed", r.File, 0, otherExpectations([]test{{Test: source.Test{Name: testNameOf(r)}}})), &back)
		default:
			j.say(fix("test-weakened", r.File, 0, wasLoosened(testNameOf(r))), &back)
		}
	}
	return nil
}

// whole runs all tests of a toolchain on a tree.
func (j *judge) whole(ctx context.Context, tree string, chain toolchain.Found) (run testRun, err error) {
	pl, err := j.c.open(ctx, step.OnJudged, tree, tree, chain)
	if failed, ok := errors.AsType[*compileError](err); ok {
		run.findings = append(run.findings, failed.at)
		return run, nil
	}
	if err != nil {
		return run, err
	}
	defer func() { err = joinClose(err, pl) }()
	run, err = j.proof.noted(pl.runOnce(ctx, toolchain.Selection{}))
	if err == nil && tree == j.before && run.good() && len(chain.Build(chain.Root)) == 0 { // as a baseline runs them
		key, failed := j.c.baseKey(ctx, chain, tree)
		kept := run
		if kept.exit != nil {
			kept.byExit(nil)
		}
		pl.keepTests(key, kept)
		err = failed
	}
	return run, err
}

// wholeBefore runs all tests of a toolchain without the change, unless what is kept of that says enough.
func (j *judge) wholeBefore(ctx context.Context, chain toolchain.Found, now testRun) (testRun, error) {
	if was, all, err := j.c.allGoOn(ctx, chain, j.before, now); err != nil || all {
		return j.proof.noted(was, err)
	}
	return j.whole(ctx, j.before, chain)
}

// good reports whether a run passed.
func (t testRun) good() bool {
	return !Rejected(t.findings) && (t.exit == nil || t.exit.Exit == 0) && !slices.ContainsFunc(t.results, func(r step.TestResult) bool { return bad(r.Status) })
}

// why is what a run that did not pass says.
func (t testRun) why() string {
	if len(t.findings) > 0 {
		return t.findings[0].Message
	}
	return t.tail
}
