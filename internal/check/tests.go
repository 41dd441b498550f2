package check

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// testRun is what running tests gave, put together from one or more runs.
type testRun struct {
	records  []step.Record
	results  []step.TestResult
	findings []step.Finding
	tail     string
	invalid  string       // what a run printed that does not count
	silent   bool         // a runner found no test, and has a report otherwise
	exit     *step.Record // of a command that gives no report: every test is as it ended
}

// noted keeps the records of a run of tests, also of one that an error has ended.
func (pr *Proof) noted(run testRun, err error) (testRun, error) {
	pr.Records = append(pr.Records, run.records...)
	return run, err
}

// test is a test of a file with what the source says about it.
type test struct {
	source.Test
	ID, File string
}

// testsIn are the tests of a file.
func testsIn(f source.File) []test {
	return each(f.Tests, func(t source.Test) test { return testOf(f.Path, t) })
}

func testOf(file string, t source.Test) test { return test{t, file + "::" + t.Name, file} }

// testsOf reads the tests of files in the place.
func (p *place) testsOf(files []string) []test {
	return slices.Concat(each(files, func(f string) []test { return testsIn(source.Parse(f, p.read(f))) })...)
}

// resultsOf lists the results that belong to a test: itself, its parameter sets and its subtests.
func resultsOf(t test, rs []step.TestResult) []step.TestResult {
	return those(rs, func(r step.TestResult) bool { return t.has(r.ID) })
}

// has reports whether an id is that of the test, of one of its parameter sets or of a subtest.
func (t test) has(id string) bool {
	file, name := toolchain.SplitID(id)
	return file == t.File && name != "" && t.Matches(name)
}

// loadError finds the result that says why the file of a test, or its package, could not be loaded, or died before the test ran.
func loadError(t test, rs []step.TestResult) (step.TestResult, bool) {
	for _, r := range rs {
		file, name := toolchain.SplitID(r.ID)
		if name == "" && (file == t.File || file == path.Dir(t.File)) && (r.Status == step.Error || r.Status == step.Fail) {
			return r, true
		}
	}
	for _, r := range rs { // what these languages compile is one piece: if a part of it is wrong, nothing runs
		if _, name := toolchain.SplitID(r.ID); name == "" && r.Status == step.Error && toolchain.FileStubs(toolchain.LanguageOf(t.File)) {
			return r, true
		}
	}
	return step.TestResult{}, false
}

// status sums the results of one test: the worst counts. It is "" when it did not run.
func status(rs []step.TestResult) (st step.TestStatus) {
	rank := map[step.TestStatus]int{step.Pass: 1, step.Skip: 2, step.Flake: 3, step.Error: 4, step.Fail: 5}
	for _, r := range rs {
		if rank[r.Status] > rank[st] {
			st = r.Status
		}
	}
	return st
}

// in is the status of a test by some results.
func (t test) in(rs []step.TestResult) step.TestStatus { return status(resultsOf(t, rs)) }

// fileOfID is the file that an id names.
func fileOfID(id string) string {
	file, _ := toolchain.SplitID(id)
	return file
}

// silent reports whether some results say nothing of a test, not even why it could not run.
func (t test) silent(rs []step.TestResult) bool {
	_, broken := loadError(t, rs)
	return t.in(rs) == "" && !broken
}

// runTests runs the selected tests once. Tests that a dying runner hid are run again without the one that killed it; where a file may
// have kept it from running any, those that the project's own command names are run without the others.
func (p *place) runTests(ctx context.Context, sel toolchain.Selection, expected []test) (testRun, error) {
	run, err := p.runOnce(ctx, sel)
	if err == nil && len(run.results) == 0 && run.exit == nil {
		run, err = p.runNamed(ctx, sel.Files, run)
	}
	if run.exit != nil {
		run.byExit(expected)
	}
	if err != nil || p.chain.Ecosystem != toolchain.Go && p.chain.Ecosystem != toolchain.Rust {
		return run, err
	}
	const most = 40
	for range most {
		hidden := those(expected, func(t test) bool { return t.silent(run.results) })
		if len(hidden) == 0 || len(run.findings) > 0 && len(run.results) == 0 {
			break
		}
		again, err := p.runThese(ctx, hidden)
		if err != nil {
			return run, err
		}
		run.records = append(run.records, again.records...)
		if !run.add(again.results) {
			break
		}
	}
	return run, nil
}

// runNamed runs files that gave no result together once more: those that the project's own command names, then the others, which are mute
// where they give none then either. What cannot be built is not asked again.
func (p *place) runNamed(ctx context.Context, files []string, whole testRun) (testRun, error) {
	named := p.chain.Named(files)
	if len(named) == 0 || len(named) == len(files) || slices.ContainsFunc(whole.findings, func(f step.Finding) bool { return f.Rule == "build-failed" }) {
		return whole, nil
	}
	run, err := p.runOnce(ctx, toolchain.Selection{Files: named})
	run.records = append(whole.records, run.records...)
	if err != nil || len(run.results) == 0 {
		return run, err
	}
	rest := without(files, func(f string) bool { return slices.Contains(named, f) })
	others, err := p.runOnce(ctx, toolchain.Selection{Files: rest})
	if run.records = append(run.records, others.records...); !run.add(others.results) {
		p.mute = append(p.mute, rest...)
	}
	return run, err
}

// byExit gives every test without a result that of the command that ran them all: without a report nothing more is known.
func (t *testRun) byExit(expected []test) {
	st, msg := step.Pass, ""
	if t.exit.Exit != 0 {
		st, msg = step.Fail, fmt.Sprintf("`%s` exited with %d and wrote no report, so no test is known to have passed. %s", strings.Join(t.exit.Argv, " "), t.exit.Exit, t.tail)
	}
	var all []step.TestResult
	for _, x := range expected {
		all = append(all, step.TestResult{ID: x.ID, File: x.File, Status: st, Message: msg})
		msg = "" // once is enough
	}
	if len(expected) == 0 {
		all = append(all, step.TestResult{ID: strings.Join(t.exit.Argv, " "), Status: st, Message: msg})
	}
	t.add(all)
}

// add takes over results of tests that have none yet, and reports whether there were any.
func (t *testRun) add(rs []step.TestResult) bool {
	have := setOf(each(t.results, func(r step.TestResult) string { return r.ID }))
	more := those(rs, func(r step.TestResult) bool { return !have[r.ID] })
	t.results = append(t.results, more...)
	return len(more) > 0
}

// replace puts what tests gave later in the place of what they gave. Where several have one name it is not known which gave what: a failure
// counts before all else.
func (t *testRun) replace(later []step.TestResult) {
	for i, have := range t.results {
		same := those(later, func(r step.TestResult) bool { return r.ID == have.ID })
		failed := those(same, func(r step.TestResult) bool { return bad(r.Status) })
		if all := append(failed, same...); len(all) > 0 {
			t.results[i] = all[0]
		}
	}
}

func (p *place) runOnce(ctx context.Context, sel toolchain.Selection) (testRun, error) {
	var run testRun
	if err := p.before(ctx, &run); err != nil || Rejected(run.findings) {
		return run, err
	}
	for _, cmd := range p.chain.Test(sel) {
		out, err := p.exec(ctx, cmd, false)
		if err != nil {
			return run, err
		}
		if out.problem == "" && len(out.Results) == 0 && (cmd.Report == toolchain.ReportExit || cmd.Report == toolchain.ReportAny) {
			out.Record.Level = step.ByExit
			if run.exit == nil || run.exit.Exit == 0 { // the first that fails counts
				_, said, _ := strings.Cut(string(p.unplaced(out.output)), "\n") // all of it: what failed can be anywhere
				run.exit, run.tail = &out.Record, shorten(fromTree.Replace(lastPart(said, "")))
			}
			run.records = append(run.records, out.Record)
			continue
		}
		run.records, run.silent = append(run.records, out.Record), run.silent || out.silent()
		if run.exit == nil {
			run.tail = out.tail
		}
		run.results = append(run.results, out.Results...)
		failed := slices.ContainsFunc(out.Results, func(r step.TestResult) bool { return bad(r.Status) })
		switch {
		case out.problem != "":
			run.invalid = string(out.output)
			run.findings = append(run.findings, reject("check-invalid", "", 0, "The test run `"+CommandText(cmd)+"` does not count: "+out.problem+"."))
		case executed(out.Results) == 0 && !failed:
			run.findings = append(run.findings, p.runFinding("no-tests-ran", "The test runner ran no test", cmd, out))
		case out.Record.Exit != 0 && !failed:
			run.findings = append(run.findings, p.runFinding("runner-failed", "The test runner failed although no test did", cmd, out))
		case out.Record.Exit == 0 && failed && !out.streamed:
			run.findings = append(run.findings, reject("exit-swallowed", "", 0,
				"Tests failed, but the test runner exited with 0: something swallows its exit code."))
		}
	}
	if run.exit != nil && len(sel.Files)+len(sel.IDs) > 0 {
		run.byExit(append(p.testsOf(sel.Files), each(sel.IDs, func(id string) test {
			file, name := toolchain.SplitID(id)
			return testOf(file, source.Test{Name: name})
		})...))
	}
	return run, nil
}

var foundNone = re.New(`(?i)\bno tests? (files? )?(were )?found\b`)

// silent reports whether a runner that writes a report has found no test.
func (o outcome) silent() bool {
	if o.unreported {
		return o.Record.Exit == 0 || foundNone().Match(o.output)
	}
	return o.problem == "" && len(o.report) > 0 && len(o.Results) == 0
}

// runFinding is a run of tests that shows nothing of any of them.
func (p *place) runFinding(rule, what string, cmd toolchain.Command, out outcome) step.Finding {
	lines, _ := p.said(out)
	return commandFinding(rule, step.Rejects, what, cmd, out, compared{fresh: lines})
}

// before makes, once in a place, what the project's own people build before they test, also for more toolchains.
func (p *place) before(ctx context.Context, run *testRun, more ...toolchain.Found) error {
	if p.built {
		return nil
	}
	p.built = true
	for _, cmd := range slices.Concat(each(slices.Concat([]toolchain.Found{p.chain}, more), toolchain.Found.Before)...) {
		out, err := p.exec(ctx, cmd, false)
		if err != nil {
			p.built = false
			return err
		}
		run.records = append(run.records, out.Record)
		if out.clean() {
			continue
		}
		p.built = false
		run.findings = append(run.findings, p.runFinding("build-failed", "What the tests need cannot be built", cmd, out))
		break
	}
	return nil
}

// mostNames are bytes of names of tests in one command: Linux takes arguments of 128 KiB, in which names stand with what they are matched by.
const mostNames = 64 << 10

// settled runs the selected tests, and those that fail once more.
func (p *place) settled(ctx context.Context, sel toolchain.Selection, expected []test) (testRun, error) {
	run, err := p.runTests(ctx, sel, expected)
	if err == nil {
		err = p.settle(ctx, &run)
	}
	return run, err
}

// settle runs failing tests once more on the same tree. One that passes now is a flake: labelled, never a pass.
func (p *place) settle(ctx context.Context, run *testRun) error {
	var ids []string
	own := 0 // that no other test has ended
	for _, r := range run.results {
		_, name := toolchain.SplitID(r.ID)
		if r.Status == step.Fail && name != "" && (p.chain.Ecosystem != toolchain.Go || name == top(name)) {
			if ids = append(ids, r.ID); !strings.HasPrefix(r.Message, unfinished) {
				own++
			}
		}
	}
	const most = 50 // more failures than this are no flakes
	if len(ids) == 0 || own > most {
		return nil
	}
	if !slices.ContainsFunc(run.records, func(r step.Record) bool { return r.Reused.Proof == "" }) {
		return nil // it was settled before it was recorded
	}
	p.rerun = true
	these := toolchain.Selection{IDs: ids}
	if len(strings.Join(ids, " ")) > mostNames {
		these = toolchain.Selection{Files: addNew(nil, each(ids, fileOfID)...)}
	}
	again, err := p.runOnce(ctx, these)
	p.rerun = false
	if err != nil {
		return err
	}
	run.records = append(run.records, again.records...)
	passed := mapOf(again.results, func(r step.TestResult) (string, bool) { return r.ID, r.Status == step.Pass })
	for i, r := range run.results {
		if r.Status == step.Fail && passed[r.ID] {
			p.failed = nil // these runs say nothing
			run.results[i].Status = step.Flake
			run.results[i].Message = "failed, then passed on the same tree: " + r.Message
		}
	}
	return nil
}

// again lets what is run be run once more, until the function that it gives is called; else what the last run gave would be taken.
func (p *place) again() (end func()) {
	p.rerun, p.round = true, forSure
	return func() { p.rerun, p.round = false, "" }
}

func idsOf(tests []test) []string { return each(tests, func(t test) string { return t.ID }) }

// filesOf are the files of tests, in their order.
func filesOf(tests []test) []string {
	return addNew(nil, each(tests, func(t test) string { return t.File })...)
}

// runThese runs some tests once.
func (p *place) runThese(ctx context.Context, tests []test) (testRun, error) {
	return p.runOnce(ctx, toolchain.Selection{IDs: idsOf(tests)})
}

// failAgain runs tests four times more and gives those that fail at least once.
func (p *place) failAgain(ctx context.Context, tests []test) ([]test, error) {
	if len(tests) == 0 {
		return nil, nil
	}
	p.rerun = true
	defer func() { p.rerun, p.round = false, "" }()
	var failing []test
	for i := range 4 {
		p.round = fmt.Sprintf(" %d", i) // else what the last run gave would be taken
		run, err := p.runThese(ctx, tests)
		if err != nil {
			return nil, err
		}
		for _, t := range tests {
			if t.in(run.results) != step.Pass && !among(failing)(t) {
				failing = append(failing, t)
			}
		}
	}
	return failing, nil
}

// forSure names a run that is done once more before something blocks.
const forSure = " for sure"

func among(tests []test) func(test) bool {
	return func(t test) bool { return slices.ContainsFunc(tests, func(o test) bool { return o.ID == t.ID }) }
}
