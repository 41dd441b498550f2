package check

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// besides finds tests that are as they were and see less than before, because of what is beside them: helpers, fixtures, data. With these as
// they were they fail and did not before, or they kill a mutant that nothing kills now.
func (x *chainJudge) besides(ctx context.Context) (err error) {
	helps := func(ch Change) bool {
		return ch.Status == 'M' && x.kindOf(ch) == testKind && x.mineIn(x.chain, ch) && len(changedHelpers(newFile(ch))) > 0
	}
	var aside []Change
	asked := false // what tests assert may be other code now
	for _, ch := range x.changes {
		helper := helps(ch)
		if asked = asked || helper || x.kindOf(ch) == codeKind; helper || x.standsBeside(ch) {
			aside = append(aside, ch)
		}
	}
	if len(aside) == 0 || !asked {
		return nil
	}
	files := slices.DeleteFunc(x.testedBeside(aside), func(f string) bool { return slices.Contains(pathsOf(aside), f) })
	tests := slices.DeleteFunc(x.pl.testsOf(files), func(t test) bool { return t.in(x.results) != step.Pass || among(x.fresh)(t) })
	if len(tests) == 0 {
		return nil
	}
	edits := each(aside, asItWas)
	was, err := x.c.openEdited(ctx, step.OnRestored, x.proof.Tree, edits, x.proof.Tree, x.chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, was) }()
	run, err := x.proof.noted(was.runTests(ctx, toolchain.Selection{Files: filesOf(tests)}, tests))
	if err == nil {
		err = x.failingBeside(ctx, aside, was, tests, &run)
	}
	if err == nil {
		passing := those(tests, func(t test) bool { return t.in(run.results) == step.Pass })
		err = x.blindBeside(ctx, aside, was, passing, &run)
	}
	return x.orLate(ctx, err, "mutants for the tests beside "+someOf(pathsOf(aside)))
}

// ofTestLibraries finds that code is for tests: it imports what tests are written with.
var ofTestLibraries = re.New(`(?m)^\s*(?:import\s+)?"testing"$|^\s*(?:import|from)\s+(?:pytest|unittest)\b|\b(?:from|require\()\s*['"](?:node:test|chai|vitest|@jest/globals)['"]`)

// standsBeside reports whether a change is one of what tests use: of their helpers, of their data.
func (x *chainJudge) standsBeside(ch Change) bool {
	was := ch.Status == 'M' || ch.Status == 'A' && path.Base(ch.Path) == conftest // which is there for all tests
	helps := x.kindOf(ch) == testKind || x.kindOf(ch) == codeKind && ofTestLibraries().Match(ch.Old)
	return helps && was && x.mineIn(x.chain, ch) && len(source.Parse(ch.Path, ch.New).Tests) == 0
}

// testedBeside are the test files that ran, those first that come near what stands beside them.
func (x *chainJudge) testedBeside(aside []Change) []string {
	near := reach(x.chain, x.files, x.holdsTests, pathsOf(aside))
	passed := those(x.results, func(r step.TestResult) bool { return r.Status == step.Pass })
	files := addNew(slices.Concat(near.near, near.far), each(passed, func(r step.TestResult) string { return r.File })...)
	files = those(files, x.holdsTests)
	return files[:min(mostFar, len(files))]
}

func pathsOf(changes []Change) []string {
	return each(changes, func(ch Change) string { return ch.Path })
}

// failingBeside says which tests fail beside what was there before. Where they pass with what is there now also without the change, and no
// test notices a small change of some function that was changed, or what is there now comes between them and their runner, they only do not
// see any more what it broke.
func (x *chainJudge) failingBeside(ctx context.Context, aside []Change, was *place, tests []test, run *testRun) (err error) {
	failing := each(those(tests, func(t test) bool {
		rs := resultsOf(t, run.results)
		return status(rs) == step.Fail && !absent().MatchString(worst(rs).Message)
	}), stays)
	if len(failing) == 0 {
		return nil
	}
	// They may use what is new. New code may be what was moved, and then it is twice in one package.
	anew := those(x.changes, func(ch Change) bool { return ch.Status == 'A' && !slices.Contains(pathsOf(aside), ch.Path) })
	noCode := those(anew, func(ch Change) bool { return x.kindOf(ch) != codeKind })
	var loose []moved
	for _, more := range [][]Change{noCode, anew} {
		edits := each(slices.Concat(aside, more), asItIs)
		if loose, err = x.loosened(ctx, edits, was, failing); err != nil {
			return err
		}
		if len(loose) > 0 || len(noCode) == len(anew) {
			break
		}
	}
	if len(loose) > 0 {
		return x.looseBeside(ctx, aside, loose, run)
	}
	x.say(fix("expectation-changed", aside[0].Path, 0, "Existing tests expect something else now. With the change, but with "+
		someOf(pathsOf(aside))+" as before, they fail: "+firstNames(after(failing))+"."), run)
	return nil
}

// looseBeside says that what tests use was loosened. It blocks where nothing else sees what they saw; of a task, nothing of it may land unseen.
func (x *chainJudge) looseBeside(ctx context.Context, aside []Change, loose []moved, run *testRun) error {
	if len(x.out.Functions) == 0 {
		if err := x.functions(ctx); err != nil {
			return err
		}
	}
	unseen := func(f Function) bool {
		return x.chosen == nil && f.existed && f.Noticed == 0 && (f.Tried > 0 || f.Unreached)
	}
	f := reject("test-weakened", aside[0].Path, 0, "What tests use was loosened. With it as before, they pass without the change and fail with it: "+
		firstNames(after(loose))+". With it as it is now, they pass with and without the change. Restore it and fix the code.")
	switch {
	case slices.ContainsFunc(aside, intervenes) || slices.ContainsFunc(x.out.Functions, unseen):
		x.weakens(f, run)
		return nil
	case x.t.Unplanned:
		f.Severity = step.Fix
	default:
		f.Severity = step.Asks
	}
	x.say(f, run)
	return nil
}

// comesBetween is what stands between tests and their runner: a hook of pytest, a fixture that looks at the test that it is for.
var comesBetween = re.New(`\bdef pytest_\w+|\brequest\.(?:node|module|function|cls|instance)\b|\bfuncargs\b|\bcallspec\b`)

// intervenes reports whether a change puts something between tests and their runner.
func intervenes(ch Change) bool {
	return slices.ContainsFunc(added(ch.Old, ch.New), func(l line) bool { return comesBetween().MatchString(l.text) })
}

// blindBeside looks for a small change of the code that tests notice beside what was there before, and nothing that comes near it now.
func (x *chainJudge) blindBeside(ctx context.Context, aside []Change, was *place, tests []test, run *testRun) error {
	words, data := map[string]bool{}, false
	for _, ch := range aside {
		f := newFile(ch)
		maps.Copy(words, changedHelpers(f))
		data = data || len(f.old.Tokens) == 0 && len(added(ch.New, ch.Old)) > 0
	}
	limit := slowAfter(longest(run.records))
	asked := 0
	for _, file := range filesOf(tests) {
		f := newFile(Change{Path: file, Status: 'M', Old: x.files[file], New: x.files[file]})
		here := those(tests, func(t test) bool { return t.File == file && (data || share(mentions(f.new, t.Test), words)) })
		using := each(here, stays)
		if len(using) == 0 {
			continue
		}
		if asked++; asked > mostLooser {
			x.out.NotRun = append(x.out.NotRun, "mutants for some of the tests beside "+someOf(pathsOf(aside)))
			return nil
		}
		m, others, still, err := x.lessKilled(ctx, f, was, using, limit, false)
		if err != nil {
			return err
		}
		switch {
		case m != nil:
			x.weakens(reject("test-weakened", aside[0].Path, 0, fmt.Sprintf(
				"What tests use sees less than before. With it as it was, tests in %s kill a mutant in line %d of %s (%s). No test kills it now.", file, m.Line, m.file, describe(m.Mutant))), nil)
			return nil
		case others != nil && !still && !data:
			x.weakens(killNone(file, after(using), *others), nil)
			return nil
		case others != nil:
			x.say(fix("test-weakened", aside[0].Path, 0, fmt.Sprintf(
				"What tests use sees less than before. With it as it was, tests in %s kill a mutant in line %d of %s (%s). Of the tests that are there now, only others do.", file, others.Line, others.file, describe(others.Mutant))), nil)
			return nil
		}
	}
	return nil
}
