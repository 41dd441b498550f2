package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mostAtOnce is how many files of tests are run by one command. The new tests come before the others where there are more.
const mostAtOnce = 20

// near runs the new tests and those that the change reaches at once. Of those for which there is no time, it runs what matters most.
func (x *chainJudge) near(ctx context.Context) error {
	fresh := filesOf(x.fresh)
	others := without(x.reached.near, func(f string) bool { return slices.Contains(fresh, f) })
	if len(fresh)+len(others) <= mostAtOnce {
		fresh, others = slices.Concat(fresh, others), nil
	}
	before, told, all := len(x.proof.Records), len(x.out.NotRun), x.runnable(slices.Concat(fresh, others))
	var err error
	if known, is := x.knownSlow(all), partTime(ctx); is > 0 && is < known*3/2 { // to try them again would take that time from what can be run
		x.out.NotRun = append(x.out.NotRun, fmt.Sprintf(slowTests, len(all), known/time.Second))
	} else if err = x.inTurn(ctx, slices.Concat([][]string{x.runnable(fresh)}, batches(x.runnable(others), mostAtOnce)), nearTests); err == nil {
		if len(x.out.NotRun) == told {
			is = 0
		}
		x.noteSlow(all, is)
	}
	if err == nil && len(x.out.NotRun) > told {
		left := func() []string { return without(slices.Concat(fresh, others), func(f string) bool { return x.ran[f] }) }
		if err = x.closest(ctx, x.runnable(left()), told); err == nil {
			err = x.narrow(ctx, left())
		}
	}
	x.timed(before)
	x.known.late = x.known.late || len(x.out.NotRun) > told
	return err
}

// closest runs, of tests that together take too long, those in the folders of what has changed. What is left says the entry at in NotRun.
func (x *chainJudge) closest(ctx context.Context, all []string, at int) error {
	dirs := setOf(each(x.changed, path.Dir))
	files := those(all, func(f string) bool { return dirs[path.Dir(f)] })
	part := partTime(ctx)
	if len(files) == 0 || len(files) == len(all) || part < x.knownSlow(files)*3/2 {
		return nil
	}
	told := len(x.out.NotRun)
	if err := x.inTurn(ctx, [][]string{files}, nearTests); err != nil {
		return err
	}
	if len(x.out.NotRun) > told {
		x.out.NotRun = x.out.NotRun[:told]
		x.noteSlow(files, part)
		return nil
	}
	x.noteSlow(files, 0)
	x.out.NotRun[at] = fmt.Sprintf(nearTests, len(all)-len(files))
	return nil
}

// timed notes how long the commands took together that were run since there were so many records.
func (x *chainJudge) timed(before int) {
	took := time.Duration(0)
	for _, r := range x.proof.Records[before:] {
		if r.Tree == x.proof.Tree {
			took += time.Duration(r.Millis) * time.Millisecond
		}
	}
	x.took = max(x.took, took)
}

// longest is how long the slowest of some commands took.
func longest(records []step.Record) (took time.Duration) {
	for _, r := range records {
		took = max(took, time.Duration(r.Millis)*time.Millisecond)
	}
	return took
}

// slowAfter is when a run with a small change has become an endless loop, by how long one without takes.
func slowAfter(took time.Duration) time.Duration { return max(20*time.Second, 5*took) }

// far runs the tests that the change reaches by way of other files, the nearest first.
func (x *chainJudge) far(ctx context.Context) error {
	files := x.runnable(x.reached.far)
	if x.chosen != nil && len(files) > 0 { // those at hand took too long
		x.out.NotRun = append(x.out.NotRun, fmt.Sprintf(farTests, len(files)))
		return nil
	}
	return x.inTurn(ctx, batches(files, mostAtOnce/2), farTests)
}

// inTurn runs batches of files of tests one after the other, for a part of the time that is left. What it is over before is said.
func (x *chainJudge) inTurn(ctx context.Context, list [][]string, what string) error {
	short, cancel := partOf(ctx)
	defer cancel()
	for i, some := range list {
		if err := x.runUntil(ctx, short, some); errors.Is(err, errFar) || late(ctx, err) {
			x.out.NotRun = append(x.out.NotRun, fmt.Sprintf(what, len(slices.Concat(list[i:]...))))
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// batches splits files of tests for one run after the other, those of a package of Go together.
func batches(files []string, atOnce int) (out [][]string) {
	for len(files) > 0 {
		n := min(atOnce, len(files))
		for n < len(files) && path.Ext(files[n]) == ".go" && path.Dir(files[n]) == path.Dir(files[n-1]) {
			n++
		}
		out, files = append(out, files[:n]), files[n:]
	}
	return out
}

// rest builds the project, and runs all other tests where everything is asked for.
func (x *chainJudge) rest(ctx context.Context) error {
	if x.known.code {
		before := len(x.proof.Findings)
		if err := x.builds(ctx, x.pl); err != nil {
			return x.orLate(ctx, err, "the build")
		}
		for _, f := range x.proof.Findings[before:] {
			if f.Severity == step.Rejects && f.Rule == "build-failed" && x.known.broken == 0 {
				x.known.doubt++
				sure, err := x.buildFails(ctx)
				if err != nil {
					return err
				}
				x.known.doubt--
				if !sure {
					x.say(warn(f.Rule, f.Path, f.Line, "The build failed and then succeeded on the same tree. It does not count against the change."), nil)
					continue
				}
				f.Path, f.Line = x.pointedAt(f.Message, f.Path)
				x.breaks(f, &testRun{records: x.proof.Records})
			} else if f.Severity != step.Rejects {
				x.say(f, nil)
			}
		}
	}
	files := x.testFiles()
	if x.q.Full {
		if err := x.run(ctx, files); err != nil {
			return err
		}
	}
	all := !slices.ContainsFunc(files, func(f string) bool { return !x.ran[f] })
	if x.known.broken > 0 || !all || x.batches < 2 || !x.q.Full && x.took > longTests { // what one command has run was run together
		return nil
	}
	return x.together(ctx)
}

// together runs all tests in one run, as people do: one may fail for what another has left behind. It counts where it fails each time, and not
// without the change.
func (x *chainJudge) together(ctx context.Context) error {
	ids := func(run testRun, is func(step.TestResult) bool) map[string]bool {
		return setOf(each(those(run.results, is), func(r step.TestResult) string { return r.ID }))
	}
	fails := func(r step.TestResult) bool { return bad(r.Status) && x.passing[r.ID] }
	now, err := x.proof.noted(x.pl.runOnce(ctx, toolchain.Selection{}))
	if err != nil || !slices.ContainsFunc(now.results, fails) {
		return err
	}
	was, err := x.whole(ctx, x.before, x.chain)
	if err != nil {
		return err
	}
	defer x.pl.again()()
	again, err := x.pl.runOnce(ctx, toolchain.Selection{})
	if err != nil {
		return err
	}
	passed, still := ids(was, func(r step.TestResult) bool { return r.Status == step.Pass }), ids(again, fails)
	failing := those(slices.Sorted(maps.Keys(ids(now, fails))), func(id string) bool { return still[id] && passed[id] })
	if len(failing) > 0 {
		x.breaksSome(len(failing), reject("test-broken", "", 0, "Tests pass alone and fail when all run together, and did not before the change: "+someOf(failing)+"."), &now)
	}
	return nil
}

// testFiles are the files with tests of the toolchain.
func (x *chainJudge) testFiles() []string {
	return those(slices.Sorted(maps.Keys(x.files)), func(f string) bool { return x.holdsTests(f) && x.owns(x.chain, f) })
}

// buildFails builds once more, and reports whether that fails again.
func (x *chainJudge) buildFails(ctx context.Context) (bool, error) {
	defer x.pl.again()()
	before := len(x.proof.Findings)
	err := x.builds(ctx, x.pl)
	return slices.ContainsFunc(x.proof.Findings[before:], func(f step.Finding) bool { return f.Severity == step.Rejects && f.Rule == "build-failed" }), err
}

// run runs test files that were not run yet, those that fail once more, and finds out what that says of the change.
func (x *chainJudge) run(ctx context.Context, files []string) error {
	return x.runUntil(ctx, ctx, files)
}

// runUntil is run as far as short lasts: what it says of the change is found out in any case.
func (x *chainJudge) runUntil(ctx, short context.Context, files []string) error {
	files = slices.DeleteFunc(x.runnable(files), func(f string) bool { return x.ran[f] })
	if len(files) == 0 {
		return nil
	}
	return x.runTests(ctx, short, toolchain.Selection{Files: files}, x.pl.testsOf(files))
}

// runTests runs tests until short ends, those that fail once more, and finds out what that says of the change.
func (x *chainJudge) runTests(ctx, short context.Context, sel toolchain.Selection, expected []test) error {
	run, err := x.proof.noted(x.pl.settled(short, sel, expected))
	if err != nil {
		return err
	}
	x.batches++
	for _, f := range sel.Files {
		x.ran[f] = true
	}
	if len(run.results) == 0 {
		x.silent = append(x.silent, sel.Files...)
	}
	for _, t := range x.fresh {
		if slices.Contains(x.pl.mute, t.File) && slices.Contains(sel.Files, t.File) && t.in(run.results) == "" {
			x.known.failing++
			x.say(fix("new-test-fails", t.File, t.Line, "The new test "+t.Name+" does not run: its file ends the runner before any test has run."), &run)
		}
	}
	x.results = append(x.results, run.results...)
	x.known.ran += x.count(run)
	for _, r := range run.results {
		x.passing[r.ID] = x.passing[r.ID] || r.Status == step.Pass
	}
	return errors.Join(x.broken(ctx, run, expected), x.outsideTests(ctx, run))
}

// count adds the tests of a run to those that are told, and gives how many of them passed.
func (j *judge) count(run testRun) (passed int) {
	one := Proof{Results: run.results}
	n, t := one.Counts(), &j.out.Tests
	t.Total, t.Passed, t.Failed, t.Skipped, t.Flaky = t.Total+n.Total, t.Passed+n.Passed, t.Failed+n.Failed, t.Skipped+n.Skipped, t.Flaky+n.Flaky
	return n.Passed
}

// outsideTests finds files, or packages of Go, that fail although each of their tests passes, and did not before: what a test began fails
// after its end, or what ends them all does.
func (x *chainJudge) outsideTests(ctx context.Context, run testRun) error {
	within := func(r step.TestResult, whole string) bool {
		file, name := toolchain.SplitID(r.ID)
		return name != "" && (file == whole || path.Dir(file) == whole && path.Ext(file) == ".go")
	}
	for _, r := range run.results {
		whole, name := toolchain.SplitID(r.ID)
		if name != "" || !bad(r.Status) {
			continue
		}
		tests := those(run.results, func(o step.TestResult) bool { return within(o, whole) })
		if len(tests) == 0 || slices.ContainsFunc(tests, func(o step.TestResult) bool { return bad(o.Status) }) {
			continue
		}
		base, err := x.place(ctx, x.chain)
		if err != nil {
			return err
		}
		files := those(addNew(nil, each(tests, func(o step.TestResult) string { return o.File })...), func(f string) bool { return base.entries[f].ID != "" })
		if len(files) > 0 {
			was, err := x.proof.noted(base.runTests(ctx, toolchain.Selection{Files: files}, base.testsOf(files)))
			if err != nil {
				return err
			}
			if slices.ContainsFunc(was.results, func(o step.TestResult) bool { return o.ID == r.ID && bad(o.Status) }) {
				continue
			}
		}
		x.known.failing++
		x.say(fix("new-test-fails", whole, 0, "This fails although its tests pass: something fails after their end, or outside of them. "+firstLines(r.Message, 4)), &run)
	}
	return nil
}

// failing are the tests of a run that fail, one by one or because nothing of their file or of the whole could be run.
func (x *chainJudge) failing(run testRun, expected []test) (out []test) {
	whole := len(run.results) == 0 && slices.ContainsFunc(run.findings, func(f step.Finding) bool { return f.Rule == "runner-failed" || f.Rule == "build-failed" })
	for _, t := range expected {
		_, broken := loadError(t, run.results)
		switch st := t.in(run.results); {
		case st == step.Flake:
			x.say(warn("flaky-test", t.File, t.Line, "The test "+t.Name+" failed and then passed on the same tree. It does not count against the change."), &run)
		case bad(st), st == "" && (broken || whole):
			out = append(out, t)
		}
	}
	for _, r := range run.results { // of tests that are made while they run
		file, name := toolchain.SplitID(r.ID)
		if r.Status == step.Fail && name != "" && !slices.ContainsFunc(expected, func(t test) bool { return t.has(r.ID) }) {
			out = append(out, testOf(file, source.Test{Name: name}))
		}
	}
	return out
}

// runnerFails finds out whether a runner of all tests fails with the change although all of them pass, and does not without it: something
// fails outside of them.
func (x *chainJudge) runnerFails(ctx context.Context, f step.Finding) (told bool, err error) {
	was, err := x.whole(ctx, x.before, x.chain)
	if err != nil || !was.good() {
		return false, err
	}
	now, err := x.whole(ctx, x.proof.Tree, x.chain)
	if err != nil || !slices.ContainsFunc(now.findings, func(o step.Finding) bool { return o.Rule == f.Rule }) {
		return false, err
	}
	x.breaks(reject("test-broken", "", 0, firstLines(f.Message, 1)+" Without the change it succeeds: something fails outside of the tests, such as a promise that nobody waits for."), nil)
	return true, nil
}

// broken finds out which of the tests that fail pass without the change. Those are run again, here and there, before it is charged
// with them.
func (x *chainJudge) broken(ctx context.Context, run testRun, expected []test) error {
	failing := x.failing(run, expected)
	if len(failing) == 0 {
		for _, f := range run.findings {
			switch {
			case f.Rule == "runner-failed" && len(run.results) > 0:
				if told, err := x.runnerFails(ctx, f); told || err != nil {
					return err
				}
				x.known.unknown = brief(f.Message)
			case f.Rule != "no-tests-ran":
				x.known.unknown = brief(f.Message)
			case len(expected) > 0 && len(run.results) == 0:
				x.known.silent, x.known.dead = brief(f.Message), x.known.dead || run.dead()
			}
		}
		return nil
	}
	x.known.doubt += len(failing)
	was, there, err := x.asBefore(ctx, x.chain, failing)
	if err != nil {
		return err
	}
	x.known.dead = x.known.dead || run.dead() && was.dead()
	var loaded, asserts []test
	var also []step.TestResult // of tests that fail without the change too
	for _, t := range failing {
		switch st := t.in(was.results); {
		case !there[t.ID] && st == "":
			x.known.failing++
			x.say(fix("new-test-fails", t.File, t.Line, "The new test "+t.Name+" fails. "+tellingLines(messageOf(t, run), 4)), &run)
		case onlyNewRows(resultsOf(t, was.results), resultsOf(t, run.results)):
			x.known.failing++
			x.say(fix("new-test-fails", t.File, t.Line, "New rows of the test "+t.Name+" fail. "+tellingLines(messageOf(t, run), 4)), &run)
		case st != step.Pass:
			x.out.FailedBefore = append(x.out.FailedBefore, t.ID)
			also = append(also, resultsOf(t, run.results)...)
			x.known.silent = cmp.Or(x.known.silent, t.ID+" fails without the change as well: "+brief(messageOf(t, run)))
		case t.in(run.results) != "":
			asserts = append(asserts, t)
		default:
			loaded = append(loaded, t)
		}
	}
	for _, r := range single(run.results) {
		if bad(r.Status) && slices.ContainsFunc(also, func(o step.TestResult) bool { return o.ID == r.ID }) {
			x.out.Tests.Failed--
			x.out.AlsoBefore++
		}
	}
	if asserts, err = x.surely(ctx, asserts); err != nil {
		return err
	}
	if loaded, err = x.surely(ctx, loaded); err != nil {
		return err
	}
	x.known.doubt -= len(failing)
	if run.exit != nil && len(asserts) > 0 { // which of them it is, nobody says
		x.breaks(reject("test-broken", "", 0, "The tests pass without the change and fail with it: "+firstLines(messageOf(expected[0], run), 12)), &run)
		return nil
	}
	for _, t := range asserts {
		x.breaks(reject("test-broken", t.File, t.Line, "The test "+t.Name+" passes without the change and fails with it. "+tellingLines(messageOf(t, run), 6)), &run)
	}
	same := groups(loaded, func(t test) string { return messageOf(t, run) })
	for _, t := range loaded {
		text := messageOf(t, run)
		if same[text] == nil {
			continue
		}
		n := len(same[text])
		delete(same, text) // it is told once
		at, line := x.pointedAt(text, t.File)
		x.breaksSome(n, reject("build-failed", at, line, "Tests that pass without the change cannot be run with it. "+firstLines(text, 8)), &run)
	}
	return nil
}

// pointedAt are the file and the line that the first line of a compiler speaks of, otherwise without a line.
func (x *chainJudge) pointedAt(said, otherwise string) (string, int) {
	for l := range strings.Lines(said) {
		if d := diagnosed(l); d != nil && !path.IsAbs(d[1]) {
			return path.Join(x.chain.Root, d[1]), atoi(d[2])
		}
	}
	return otherwise, 0
}

// dead reports whether a runner ended with an error, and without a result of any test.
func (t testRun) dead() bool {
	return len(t.results) == 0 && slices.ContainsFunc(t.records, func(r step.Record) bool { return r.Exit != 0 })
}

// onlyNewRows reports whether a test has all rows that passed before, they pass, and only others fail.
func onlyNewRows(was, now []step.TestResult) bool {
	for _, r := range was {
		same := func(o step.TestResult) bool { return o.ID == r.ID }
		worse := func(o step.TestResult) bool { return same(o) && o.Status != step.Pass }
		if r.Status != step.Pass || !slices.ContainsFunc(now, same) || slices.ContainsFunc(now, worse) {
			return false
		}
	}
	return len(was) > 0 && len(now) > len(was)
}

// surely are those of the tests that fail with the change whenever they are run, and pass without it.
func (x *chainJudge) surely(ctx context.Context, tests []test) ([]test, error) {
	if len(tests) == 0 {
		return nil, nil
	}
	base, err := x.place(ctx, x.chain)
	if err != nil {
		return nil, err
	}
	defer x.pl.again()()
	defer base.again()()
	run, err := x.pl.runThese(ctx, tests)
	if err != nil {
		return nil, err
	}
	was, err := base.runThese(ctx, tests)
	if err != nil {
		return nil, err
	}
	return without(tests, func(t test) bool {
		sure := t.in(run.results) != step.Pass && t.in(was.results) == step.Pass
		if !sure {
			x.say(warn("flaky-test", t.File, t.Line, "The test "+t.Name+" fails with the change, but not every time. It does not count against the change."), &run)
		}
		return !sure
	}), nil
}

// sampled are how many old test files are asked whether tests can be run here at all.
const sampled = 3

// askOthers finds out whether any old test passes here, where new ones fail and no other test comes near the change: if none does, that
// they fail says nothing of them.
func (x *chainJudge) askOthers(ctx context.Context) error {
	if x.known.ran > 0 || x.known.failing == 0 || x.known.silent != "" {
		return nil
	}
	base, err := x.place(ctx, x.chain)
	if err != nil {
		return err
	}
	files := base.testFiles()
	files = files[:min(sampled, len(files))]
	old := base.testsOf(files)
	if len(old) == 0 {
		return nil
	}
	run, err := x.proof.noted(base.runTests(ctx, toolchain.Selection{Files: files}, old))
	if err != nil {
		return err
	}
	if slices.ContainsFunc(old, func(t test) bool { return t.in(run.results) == step.Pass }) {
		return nil
	}
	x.known.silent = old[0].ID + " fails without the change as well: " + brief(messageOf(old[0], run))
	return nil
}

// messageOf is what the runner said of a test that failed, or of what kept it from running.
func messageOf(t test, run testRun) string {
	for _, r := range resultsOf(t, run.results) {
		if r.Message != "" {
			return r.Message
		}
	}
	if r, ok := loadError(t, run.results); ok {
		return r.Message
	}
	for _, f := range run.findings {
		return f.Message
	}
	return run.tail
}

// tellingLines are the first n lines of what a test said that say why it failed: of pytest those with the error, of a traceback what is below
// its last call, of a stack what is the project's.
func tellingLines(message string, n int) string {
	var kept, errors, end []string
	traced := strings.HasPrefix(message, "Traceback (most recent call last)")
	for line := range strings.Lines(message) {
		line = strings.TrimRight(line, "\r\n")
		if foreign().MatchString(line) {
			continue
		}
		kept = append(kept, line)
		if said, ok := strings.CutPrefix(line, "E  "); ok {
			errors = addNew(errors, strings.TrimSpace(said))
		}
		if strings.HasPrefix(line, "  File \"") {
			end = end[:0]
		} else if traced && line != "" && !strings.HasPrefix(line, " ") {
			end = append(end, line)
		}
	}
	switch {
	case len(errors) > 0:
		message = strings.Join(errors, "\n")
	case len(end) > 0:
		message = strings.Join(end, "\n")
	case len(kept) > 0:
		message = strings.Join(kept, "\n")
	}
	return firstLines(message, n)
}

// foreign is a frame of a stack of JavaScript that is in a package or in Node itself.
var foreign = re.New(`^\s*at .*(?:node_modules/|\(?node:)`)
