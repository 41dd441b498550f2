package check

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// moved is an old test, and where it stands now.
type moved struct{ was, is test }

// stays is a test that is as it was.
func stays(t test) moved { return moved{t, t} }

// uncollected finds old tests that stand in the project and run no more: their file has another name or a build constraint, a setting leaves
// them out, a line takes them away, the code lets them be skipped. One that ran and passed before the change blocks, as one that was
// deleted does.
func (x *chainJudge) uncollected(ctx context.Context) error {
	if err := x.run(ctx, x.beneathMain()); err != nil {
		return err
	}
	list := x.standing()
	if x.chosen != nil { // what there was no time for
		list = those(list, func(m moved) bool { return x.ran[m.is.File] })
	}
	silent := func() []moved {
		return those(list, func(m moved) bool { return m.is.silent(x.results) || x.pl.unnamed(m.was.File, m.is.File) })
	}
	if err := x.run(ctx, those(filesOf(after(silent())), x.collects)); err != nil {
		return err
	}
	skips := func(m moved) bool { return counted(m.is, x.results, step.Skip) > 0 }
	left := append(silent(), those(list, skips)...)
	if len(left) == 0 {
		return nil
	}
	olds := before(left)
	base, err := x.place(ctx, x.chain)
	if err != nil {
		return err
	}
	run, err := x.proof.noted(base.runTests(ctx, toolchain.Selection{Files: filesOf(olds)}, olds))
	if err != nil {
		return err
	}
	skip := those(after(those(left, skips)), func(t test) bool { return skippedSince(t, run, x.results) > 0 }) // with the change, and not without it
	gone := those(without(left, skips), func(m moved) bool { return m.was.in(run.results) == step.Pass })
	mine := func(m moved) bool { return x.owns(x.chain, m.is.File) }
	x.away, x.ranAway = append(x.away, without(gone, mine)...), run
	at := groups(those(gone, mine), func(m moved) string { return m.is.File })
	if err := x.blockSkipped(ctx, skip, run); err != nil {
		return err
	}
	if err := x.stillSilent(ctx, at); err != nil {
		return err
	}
	x.noLonger(at, run)
	return nil
}

// lostAway finds those among tests that moved to another toolchain that pass with none.
func (j *judge) lostAway(context.Context) error {
	lost := without(j.away, func(m moved) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(j.runs)), func(t *tested) bool { return m.is.in(t.results) == step.Pass })
	})
	j.noLonger(groups(lost, func(m moved) string { return m.is.File }), j.ranAway)
	return nil
}

// fewer finds old tests of which a setting or a hook leaves cases out: with it as it was, more of them run.
func (x *chainJudge) fewer(ctx context.Context) (err error) {
	scripts := scriptsOf(x.q.Chains)
	settings := those(x.changes, func(ch Change) bool {
		runs := slices.Contains([]toolchain.ConfigKind{toolchain.RunnerConfig, toolchain.ManifestConfig, toolchain.BuildConfig}, configures(ch.Path, scripts))
		return runs && x.owns(x.chain, ch.Path) || path.Base(ch.Path) == conftest && x.mineIn(x.chain, ch)
	})
	tests := those(after(x.standing()), func(t test) bool { return t.in(x.results) == step.Pass })
	if tests = tests[:min(len(tests), mostFar)]; len(settings)*len(tests) == 0 {
		return nil
	}
	base, err := x.place(ctx, x.chain)
	if err != nil {
		return err
	}
	// more leaves those of which more cases run in a place than with the change.
	more := func(pl *place) (testRun, error) {
		run, err := x.proof.noted(pl.runThese(ctx, tests))
		tests = those(tests, func(t test) bool { return len(resultsOf(t, run.results)) > len(resultsOf(t, x.results)) })
		return run, err
	}
	run, err := more(base)
	tests = those(tests, func(t test) bool { return counted(t, run.results, step.Pass) > len(resultsOf(t, x.results)) })
	if len(tests) == 0 || err != nil {
		return err
	}
	was, err := x.c.openEdited(ctx, step.OnRestored, x.proof.Tree, each(settings, asItWas), x.proof.Tree, x.chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, was) }()
	if _, err = more(was); err != nil {
		return err
	}
	for _, t := range tests {
		ran := counted(t, run.results, step.Pass)
		x.weakens(reject("test-deleted", t.File, t.Line, fmt.Sprintf("The test %s runs fewer cases since %s changed: %d of %d no longer run. Let them run again.",
			t.Name, someOf(pathsOf(settings)), ran-len(resultsOf(t, x.results)), ran)), &run)
	}
	return nil
}

// stillSilent takes out of some tests those that pass with the change where no more than their files are run, as it was without it: what was
// run beside them had kept all from running.
func (x *chainJudge) stillSilent(ctx context.Context, at map[string][]moved) error {
	files := slices.DeleteFunc(slices.Sorted(maps.Keys(at)), func(f string) bool { return !slices.Contains(x.silent, f) })
	if len(files) == 0 {
		return nil
	}
	defer x.pl.again()()
	run, err := x.proof.noted(x.pl.runTests(ctx, toolchain.Selection{Files: files}, x.pl.testsOf(files)))
	for _, f := range files {
		at[f] = slices.DeleteFunc(at[f], func(m moved) bool { return m.is.in(run.results) == step.Pass })
	}
	maps.DeleteFunc(at, func(_ string, list []moved) bool { return len(list) == 0 })
	return err
}

// noLonger blocks a change with which tests run no more, that ran and passed before.
func (j *judge) noLonger(at map[string][]moved, run testRun) {
	for _, file := range slices.Sorted(maps.Keys(at)) {
		j.unrun = append(j.unrun, before(at[file])...)
		n := len(at[file])
		text := "The test " + at[file][0].is.Name + " ran and passed before, and no longer runs. Let it run again."
		if n > 1 {
			text = fmt.Sprintf("The tests %s ran and passed before, and no longer run (%d). Let them run again.", firstNames(after(at[file])), n)
		}
		j.weakens(reject("test-deleted", file, at[file][0].is.Line, text), &run)
	}
}

// blockSkipped blocks a change with which tests are skipped that passed before, where they are skipped again.
func (x *chainJudge) blockSkipped(ctx context.Context, tests []test, before testRun) error {
	if len(tests) == 0 {
		return nil
	}
	defer x.pl.again()()
	run, err := x.pl.runThese(ctx, tests)
	if err != nil {
		return err
	}
	tests = slices.DeleteFunc(tests, func(t test) bool { return skippedSince(t, before, run.results) <= 0 })
	mayBe := slices.ContainsFunc(x.changes, func(ch Change) bool {
		return toolchain.IsTest(ch.Path) && skipsUnder().Match(ch.New) && !skipsUnder().Match(ch.Old)
	})
	for _, file := range filesOf(tests) {
		here := those(tests, func(t test) bool { return t.File == file })
		n, all := skippedSince(here[0], before, run.results), len(resultsOf(here[0], run.results))
		text := fmt.Sprintf("The test %s passes without the change and is skipped with it (cases: %d of %d). Let it run again.", here[0].Name, n, all)
		if len(here) > 1 {
			text = fmt.Sprintf("%d tests pass without the change and are skipped with it, such as %s (cases: %d of %d). Let them run again.", len(here), here[0].Name, n, all)
		}
		if mayBe {
			x.say(fix("test-skipped", file, here[0].Line, text), &run)
			continue
		}
		x.weakens(reject("test-skipped", file, here[0].Line, text), &run)
	}
	return nil
}

// skippedSince is how many cases of a test, 1 for one without, passed before and are skipped now. They are counted: what a case is
// called can depend on what it is given.
func skippedSince(t test, before testRun, now []step.TestResult) int {
	return min(counted(t, now, step.Skip), counted(t, before.results, step.Pass)-counted(t, now, step.Pass))
}

// counted is how many cases of a test have a status.
func counted(t test, results []step.TestResult, st step.TestStatus) int {
	return len(those(resultsOf(t, results), func(r step.TestResult) bool { return r.Status == st }))
}

// beneathMain are the test files of packages of Go whose TestMain is new or has changed: it decides whether they run.
func (x *chainJudge) beneathMain() (files []string) {
	for _, ch := range x.changes {
		if x.chain.Ecosystem != toolchain.Go || !toolchain.IsTest(ch.Path) || !bytes.Contains(ch.New, []byte("TestMain")) || !x.mineIn(x.chain, ch) {
			continue
		}
		files = append(files, those(slices.Sorted(maps.Keys(x.files)), func(file string) bool { return path.Dir(file) == path.Dir(ch.Path) && x.holdsTests(file) })...)
	}
	return files
}

// standing are the old tests of files that have changed and of those that were run, as far as they are there now.
func (x *chainJudge) standing() (out []moved) {
	anew := map[string]test{} // by their id, and by what they say
	for _, ch := range x.changes {
		f := source.Parse(ch.Path, ch.New)
		for _, now := range testsIn(f) {
			anew[now.ID], anew[nameless(now.Name, body(f, now.Test))] = now, now
		}
	}
	for _, ch := range x.changes {
		if ch.Old == nil || !mayTest(ch.Path) || !x.owns(x.chain, ch.Path) {
			continue
		}
		f := source.Parse(ch.Path, ch.Old)
		for _, was := range testsIn(f) {
			is, ok := anew[was.ID]
			if !ok {
				is, ok = anew[nameless(was.Name, body(f, was.Test))]
			}
			if ok && !was.Skipped && !is.Skipped {
				out = append(out, moved{was, is})
			}
		}
	}
	changed := setOf(pathsOf(x.changes))
	same := those(x.pl.testsOf(slices.Sorted(maps.Keys(x.ran))), func(t test) bool { return !changed[t.File] && !t.Skipped })
	return append(out, each(same, stays)...)
}

// collects reports whether the project's own command finds a file of tests by its name.
func (x *chainJudge) collects(file string) bool {
	aside := x.chain.Ecosystem == toolchain.Go && slices.Contains(strings.Split(file, "/"), "testdata")
	return mayTest(file) && !aside && len(x.runnable([]string{file})) > 0
}
