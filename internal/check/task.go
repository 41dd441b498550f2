package check

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Task is what the proof of a task needs to know. Unlike a module it may touch any part of the project.
type Task struct {
	// Chains are the toolchains of the project. Those that a change lies in are built and tested.
	Chains []toolchain.Found
	// Owns says which paths the task may touch, Taken which belong to other tasks.
	Owns, Taken func(path string) bool
	// Extra says which of the paths that it owns the plan does not name.
	Extra func(path string) bool
	// Files are the paths that the plan says the task changes.
	Files []string
	// Deletes says which paths the plan says are to go.
	Deletes func(path string) bool
	// Config are paths of configuration that the plan names.
	Config []string
	// Verify are the task's own commands, as argv.
	Verify [][]string
	// Screen is a program that has to show something in a terminal, as a goal of quality; nil for none.
	Screen *Screen
	// VerifyOnly says that nothing is to change.
	VerifyOnly bool
	// Base is the tree whose lock files decide what is installed.
	Base string
	// Known are ids of tests that failed before the task.
	Known []string
	// Text is what was asked for, in words. Tables of it are no answers that were copied from tests.
	Text string
	// Coverage says that new tests have to reach the lines that have changed.
	Coverage bool
	// Report is the author's own text, Untested his reason why no test can see the change.
	Report, Untested string
}

// The checks of a task, by the names that its documents have for them.
const (
	CheckFiles  = "files"
	CheckAudit  = "audit"
	CheckBuild  = "build"
	CheckLint   = "lint"
	CheckTests  = "tests"
	CheckVerify = "task-specific"
)

// Ran is which checks had something to run, and of which a program was not installed, with what is said of it.
type Ran struct {
	Checks  []string
	Missing map[string]string
}

// Task proves the tree of a task, which an author made from before: it changes what it may and nothing else, the project
// builds, the linter has nothing to say, all tests of the toolchains that it touches pass, its own commands succeed, and
// its new tests fail without it.
func (c *Checker) Task(ctx context.Context, t Task, before, tree string) (proof Proof, ran Ran, err error) {
	changes, err := Changes(ctx, c.repo, before, tree)
	if err != nil {
		return Proof{}, Ran{}, fmt.Errorf("prove task: %w", err)
	}
	near, err := c.testsNear(ctx, changes, before)
	if err != nil {
		return Proof{}, Ran{}, fmt.Errorf("prove task: %w", err)
	}
	p := taskProof{c: c, t: t, before: before, changes: changes, proof: Proof{Tree: tree, Findings: t.scope(changes, near)}}
	defer func() { err = p.close(err) }()
	p.ran(CheckFiles)
	p.ran(CheckAudit)
	if Rejected(p.proof.Findings) && len(changes) == 0 {
		return p.proof, p.done, nil
	}
	for _, chain := range p.touched() {
		if err := p.chain(ctx, chain); err != nil {
			return p.proof, p.done, fmt.Errorf("prove task: %w", err)
		}
	}
	if err := p.verify(ctx, false); err != nil {
		return p.proof, p.done, fmt.Errorf("prove task: %w", err)
	}
	p.proof.Findings = folded(p.proof.Findings)
	p.proof.Passed = !p.failed && !Rejected(p.proof.Findings)
	return p.proof, p.done, nil
}

// folded puts tests that did not run into the finding that says why: a run that failed as a whole is one thing to mend.
func folded(list []step.Finding) []step.Finding {
	cause := slices.IndexFunc(list, func(f step.Finding) bool {
		return f.Severity == step.Rejects && slices.Contains([]string{"no-tests-ran", "check-invalid", "runner-failed", "build-failed"}, f.Rule)
	})
	if cause < 0 {
		return list
	}
	missing := func(f step.Finding) bool { return f.Rule == "test-missing" }
	why := list[cause]
	if n := len(list) - len(slices.DeleteFunc(slices.Clone(list), missing)); n > 0 {
		why.Message = fmt.Sprintf("%s\nTests that did not run because of it: %d.", strings.TrimRight(why.Message, "\n"), n)
	}
	out := slices.Clone(list)
	out[cause] = why
	return slices.DeleteFunc(out, missing)
}

// mostNear is how many tests are read to find answers that were copied from them.
const mostNear = 60

// testsNear are the test files of before that lie beside or below changed sources, or are named after one.
func (c *Checker) testsNear(ctx context.Context, changes []Change, before string) (map[string][]byte, error) {
	var sources []string
	touched := map[string]bool{}
	for _, ch := range changes {
		touched[ch.Path] = true
		if ch.Status != 'D' && toolchain.IsSource(ch.Path) {
			sources = append(sources, ch.Path)
		}
	}
	if len(sources) == 0 {
		return nil, nil
	}
	entries, err := c.repo.ReadTree(ctx, before)
	if err != nil {
		return nil, err
	}
	ids, paths := []string{}, map[string]string{}
	for _, e := range entries {
		if len(ids) == mostNear {
			break
		}
		near := func(src string) bool {
			stem := strings.TrimSuffix(path.Base(src), path.Ext(src))
			return path.Dir(src) == path.Dir(e.Path) || path.Dir(src) != "." && strings.HasPrefix(e.Path, path.Dir(src)+"/") || strings.Contains(path.Base(e.Path), stem)
		}
		if toolchain.IsTest(e.Path) && !touched[e.Path] && slices.ContainsFunc(sources, near) {
			ids = append(ids, e.ID)
			paths[e.Path] = e.ID
		}
	}
	blobs, err := c.repo.ReadBlobs(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for name, id := range paths {
		out[name] = blobs[id]
	}
	return out, nil
}

// scope is what a task has changed against what it may. The tests are some that it leaves alone.
func (t Task) scope(changes []Change, tests map[string][]byte) []step.Finding {
	if len(changes) == 0 {
		if t.VerifyOnly {
			return nil
		}
		return []step.Finding{reject("no-changes", "", 0, "no files changed"+t.toChange())}
	}
	audit := Audit{Changes: changes, Config: t.Config, Report: t.Report, Tests: tests, SpecText: t.Text}
	gone := goneExports(changes)
	for _, ch := range changes { // tests that go with what they test, or with a file that the plan deletes
		if !t.Owns(ch.Path) || !toolchain.IsTest(ch.Path) || ch.Old == nil {
			continue
		}
		f := source.Parse(ch.Path, ch.Old)
		for _, x := range f.Tests {
			words := strings.Fields(body(f, x))
			if ch.Status == 'D' && t.Deletes(ch.Path) || slices.ContainsFunc(words, func(w string) bool { return gone[w] }) {
				audit.Removable = append(audit.Removable, ch.Path+"::"+x.Name)
			}
		}
	}
	out := audit.Findings()
	for _, ch := range changes {
		known := slices.ContainsFunc(out, func(f step.Finding) bool { return f.Path == ch.Path && f.Severity == step.Rejects })
		switch {
		case strings.HasPrefix(ch.Path, "../") || strings.HasPrefix(ch.Path, "works/"): // whoever says that he owns it
			out = append(out, reject("out-of-scope", ch.Path, 0, "This file is not yours. Leave it as it was."))
		case t.Owns(ch.Path) || known:
		case t.VerifyOnly:
			out = append(out, reject("out-of-scope", ch.Path, 0, "The task changes nothing. Leave this file as it was."))
		case t.Taken(ch.Path):
			out = append(out, reject("out-of-scope", ch.Path, 0, "This file belongs to another task. Leave it as it was."))
		case beside(t, ch, changes):
		default:
			back := "Put it back as it was"
			if ch.Status == 'A' {
				back = "Delete it"
			}
			out = append(out, reject("undeclared-file", ch.Path, 0, "The task does not name this file. "+back+", or name it in `more_files` with the reason why the work cannot be done without it."))
		}
	}
	return out
}

// toChange says what a task is to change.
func (t Task) toChange() string {
	if len(t.Files) == 0 {
		return ""
	}
	return "; the task is to change " + strings.Join(t.Files[:min(len(t.Files), 10)], ", ")
}

// goneExports are the names that the sources of a change exported before, and that none of them does now.
func goneExports(changes []Change) map[string]bool {
	gone := map[string]bool{}
	for _, ch := range changes {
		if toolchain.IsSource(ch.Path) {
			for _, e := range source.Parse(ch.Path, ch.Old).Exports {
				gone[e.Name] = true
			}
		}
	}
	for _, ch := range changes {
		if toolchain.IsSource(ch.Path) && ch.Status != 'D' {
			for _, e := range source.Parse(ch.Path, ch.New).Exports {
				delete(gone, e.Name)
			}
		}
	}
	return gone
}

// beside reports whether a file is a new test, or data of tests, next to what the task owns: a plan need not name each.
func beside(t Task, ch Change, changes []Change) bool {
	if ch.Status != 'A' || !toolchain.IsTest(ch.Path) && !toolchain.IsTestData(ch.Path) {
		return false
	}
	return slices.ContainsFunc(changes, func(o Change) bool {
		return t.Owns(o.Path) && (path.Dir(o.Path) == path.Dir(ch.Path) || strings.HasPrefix(ch.Path, path.Dir(o.Path)+"/"))
	})
}

type taskProof struct {
	c       *Checker
	t       Task
	before  string
	changes []Change
	proof   Proof
	done    Ran
	failed  bool
	places  map[string]*place // of the tree before
	bare    *place            // the same for the task's own commands
}

func (p *taskProof) ran(name string) {
	if !slices.Contains(p.done.Checks, name) {
		p.done.Checks = append(p.done.Checks, name)
	}
}

// missed notes what findings of a check say of programs that are not installed.
func (p *taskProof) missed(name string, found []step.Finding) {
	for _, f := range found {
		if f.Rule != "tool-missing" {
			continue
		}
		if p.done.Missing == nil {
			p.done.Missing = map[string]string{}
		}
		p.done.Missing[name] = f.Message
	}
}

func (p *taskProof) add(f ...step.Finding) { p.proof.Findings = append(p.proof.Findings, f...) }

// touched are the toolchains that a changed file lies in, also of nested ones. A task that only verifies touches all.
func (p *taskProof) touched() []toolchain.Found {
	if p.t.VerifyOnly {
		return p.t.Chains
	}
	var out []toolchain.Found
	for _, chain := range p.t.Chains {
		if slices.ContainsFunc(p.changes, func(ch Change) bool { return below(chain.Root, ch.Path) }) {
			out = append(out, chain)
		}
	}
	return out
}

func below(root, p string) bool {
	return root == "." || root == "" || strings.HasPrefix(p, root+"/")
}

// chain builds, lints and tests what one toolchain is for.
func (p *taskProof) chain(ctx context.Context, chain toolchain.Found) (err error) {
	pl, err := p.c.open(ctx, "task", p.proof.Tree, firstNonEmpty(p.t.Base, p.proof.Tree), chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	if err := p.builds(ctx, pl); err != nil {
		return err
	}
	mine := p.mine(pl)
	if (len(mine) > 0 || chain.Ecosystem == toolchain.Unknown) && len(chain.Lint(mine)) > 0 {
		found, records, err := p.lints(ctx, pl, mine)
		if err != nil {
			return err
		}
		if len(records) > 0 {
			p.ran(CheckLint)
		}
		p.missed(CheckLint, found)
		p.add(found...)
		p.proof.Records = append(p.proof.Records, records...)
	}
	if Rejected(p.proof.Findings) { // what does not build has no tests to run
		return nil
	}
	if chain.Ecosystem == toolchain.Unknown {
		return p.unknownTests(ctx, pl)
	}
	return p.tests(ctx, pl, mine)
}

// mine are the files of a toolchain that have changed and are still there.
func (p *taskProof) mine(pl *place) []string {
	var mine []string
	for _, ch := range p.changes {
		if ch.Status != 'D' && pl.ours(ch.Path) {
			mine = append(mine, ch.Path)
		}
	}
	return mine
}

// tests runs all tests of a toolchain, and the new ones also without the task.
func (p *taskProof) tests(ctx context.Context, pl *place, mine []string) error {
	files := pl.testFiles()
	code := slices.ContainsFunc(p.changes, func(ch Change) bool {
		return slices.Contains(mine, ch.Path) && !toolchain.IsTest(ch.Path) && otherCode(ch)
	})
	if pl.chain.Own.Elsewhere { // its members' tests are theirs
		if code && slices.ContainsFunc(mine, func(file string) bool { return !p.memberOwns(pl.chain, file) }) {
			p.noTest("No test sees what was changed outside of the members of the workspace.")
		}
		return nil
	}
	fresh := p.fresh(pl)
	for _, t := range fresh {
		p.proof.Changed = append(p.proof.Changed, t.ID)
	}
	if len(files) == 0 {
		if code {
			p.noTest("No test sees what was changed.")
		}
		return nil
	}
	expected := pl.testsOf(files)
	run, err := pl.runTests(ctx, toolchain.Selection{}, expected)
	if err == nil {
		err = pl.settle(ctx, &run)
	}
	p.ran(CheckTests)
	p.proof.Records = append(p.proof.Records, run.records...)
	p.proof.Results = append(p.proof.Results, run.results...)
	p.add(run.findings...)
	if err != nil {
		return err
	}
	if expected, err = p.ranBefore(ctx, pl, expected, fresh, run); err != nil {
		return err
	}
	flaky, err := p.flaky(ctx, pl, expected, fresh, run)
	if err != nil {
		return err
	}
	for i, t := range expected { // whether old tests may be skipped is seen where they ran before
		expected[i].MaySkip = t.MaySkip || !among(fresh)(t)
	}
	one := Proof{Tree: p.proof.Tree}
	one.judge(Module{Known: append(flaky, p.t.Known...)}, expected, run)
	p.add(one.Findings...)
	if err := errors.Join(p.skippedNow(ctx, pl, expected, run), p.vanished(ctx, pl), p.bent(ctx, pl, fresh)); err != nil {
		return err
	}
	p.failed = p.failed || !one.Passed
	if !code || p.failed || Rejected(p.proof.Findings) {
		return nil
	}
	if p.t.Coverage {
		err := pl.coverage(ctx, func(file string) bool { return toolchain.IsSource(file) && slices.Contains(mine, file) }, p.before, nil, &p.proof)
		if err != nil {
			return err
		}
	}
	if len(fresh) == 0 {
		p.noTest("There is no new or changed test for what was changed.")
		return nil
	}
	if err := p.without(ctx, pl, fresh); err != nil || Rejected(p.proof.Findings) {
		return err
	}
	return p.notices(ctx, pl, mine, fresh)
}

// fewMutants is how many have to be unnoticed before tests are told to compare nothing: one may be no change at all.
const fewMutants = 2

// notices rejects new tests that notice no small change of the new code. That they fail without it says little: the name that they
// use is missing there. One that is noticed is enough.
func (p *taskProof) notices(ctx context.Context, pl *place, mine []string, fresh []test) error {
	if p.t.Untested != "" || len(p.proof.Red) == 0 {
		return nil
	}
	old, now := map[string][]byte{}, map[string][]byte{}
	for _, ch := range p.changes {
		if slices.Contains(mine, ch.Path) && !toolchain.IsTest(ch.Path) {
			old[ch.Path], now[ch.Path] = ch.Old, ch.New
		}
	}
	var files []string
	for _, t := range fresh {
		if !slices.Contains(files, t.File) {
			files = append(files, t.File)
		}
	}
	short, cancel := context.WithTimeoutCause(ctx, MaxMutate, errMutateTime)
	defer cancel()
	tried := 0
	for _, x := range mutantsOf(old, now) {
		switch killed, valid, err := pl.mutant(short, x, files, fresh, &p.proof); {
		case killed, errors.Is(err, errMutateTime):
			return nil
		case err != nil:
			return err
		case valid:
			tried++
		}
	}
	if tried >= fewMutants {
		p.add(reject("compares-nothing", files[0], 0, fmt.Sprintf(
			"No new test fails when the new code is changed: %d small changes were tried, such as giving nothing instead of a value. Compare what the code gives with what is expected.", tried)))
	}
	return nil
}

// noTest sends code back that no test sees, once the author has not said why.
func (p *taskProof) noTest(what string) {
	if p.t.Untested != "" {
		p.add(warn("no-test", "", 0, what+" The author says: "+p.t.Untested))
		return
	}
	p.add(fix("no-test", "", 0, what+" Write one that fails without the change and passes with it; where no test can see the change, say why in `untested`."))
}

// otherCode reports whether a change of a source file is one of its code, and not of comments and layout alone.
func otherCode(ch Change) bool {
	bare := func(src []byte) string {
		var b strings.Builder
		for _, t := range source.Parse(ch.Path, src).Tokens {
			if t.Kind != source.Comment && !docstring(ch.Path, t) {
				b.WriteString(t.Text + " ")
			}
		}
		return b.String()
	}
	return bare(ch.Old) != bare(ch.New)
}

// docstring reports whether a token is a text in three quotes, as Python documents with.
func docstring(file string, t source.Token) bool {
	return toolchain.LanguageOf(file) == toolchain.LangPython && t.Kind == source.String && (strings.HasPrefix(t.Text, `"""`) || strings.HasPrefix(t.Text, `'''`))
}

// fresh are the new and changed tests of the task; one that only moved to another file is neither.
func (p *taskProof) fresh(pl *place) []test {
	left := map[string]string{} // bodies of the tests that are gone from their files
	for _, ch := range p.changes {
		now := bodies(ch.Path, ch.New)
		for name, text := range bodies(ch.Path, ch.Old) {
			if _, stayed := now[name]; !stayed && toolchain.IsTest(ch.Path) {
				left[name] = text
			}
		}
	}
	var out []test
	for _, ch := range p.changes {
		if ch.Status == 'D' || !pl.ours(ch.Path) || !toolchain.IsTest(ch.Path) || pl.endToEnd(ch.New) || !pl.compiled(ch.Path) {
			continue
		}
		old := bodies(ch.Path, ch.Old)
		f := source.Parse(ch.Path, ch.New)
		for _, t := range f.Tests {
			if text := body(f, t); old[t.Name] != text && left[t.Name] != text {
				out = append(out, test{Test: t, ID: ch.Path + "::" + t.Name, File: ch.Path})
			}
		}
	}
	return out
}

// without runs the new tests on the tree that the task began with: none of them may pass there, or they prove nothing.
func (p *taskProof) without(ctx context.Context, with *place, fresh []test) (err error) {
	var edits []git.Edit
	for _, ch := range p.changes {
		if (toolchain.IsTest(ch.Path) || toolchain.IsTestData(ch.Path)) && !strings.HasPrefix(ch.Path, "../") { // one that is gone goes here too
			edits = append(edits, git.Edit{Path: ch.Path, Mode: ch.NewMode, ID: ch.NewID})
		}
	}
	tree, err := p.c.repo.EditTree(ctx, p.before, edits)
	if err != nil {
		return err
	}
	pl, err := p.c.open(ctx, "without", tree, firstNonEmpty(p.t.Base, p.before), with.chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	var files []string
	for _, t := range fresh {
		if !slices.Contains(files, t.File) {
			files = append(files, t.File)
		}
	}
	run, err := pl.runTests(ctx, toolchain.Selection{Files: files}, fresh)
	p.proof.Records = append(p.proof.Records, run.records...)
	if err != nil {
		return err
	}
	for _, f := range run.findings {
		if f.Rule == "check-invalid" {
			p.add(warn("check-invalid", "", 0, "The new tests could not be run without the change: "+f.Message))
			return nil
		}
	}
	var passing []test
	shown, by := false, ""
	for _, t := range fresh {
		switch st, ok := status(resultsOf(t, run.results)); {
		case ok && st == step.Pass:
			passing = append(passing, t)
		case ok && st == step.Skip || p.skips(t): // it shows nothing here
		default:
			p.proof.Red, shown = append(p.proof.Red, t.ID), true
		}
	}
	if !shown {
		if by, err = p.failsWithout(ctx, pl); err != nil {
			return err
		}
		shown = by != ""
	}
	if !shown && p.t.Untested != "" {
		p.noTest("The new tests pass without the change as well.")
		shown = true
	}
	if !shown && len(passing) == 0 {
		p.noTest("The new tests are skipped here, so nothing shows that the change does anything.")
		return nil
	}
	for _, t := range passing {
		p.proof.Satisfied = append(p.proof.Satisfied, t.ID)
		if shown {
			p.add(warn("test-passes-without", t.File, t.Line, "The test "+t.Name+" passes without the change as well."+by))
		} else {
			p.add(reject("test-passes-without", t.File, t.Line, "The test "+t.Name+" passes without the change as well, and no other new test fails without it: nothing shows that the change does anything. Assert what is new; where no test can tell, say why in `untested` (the race detector and the like count where the task names a command for them)."))
		}
	}
	if shown && !Rejected(p.proof.Findings) {
		pl.recordFailures()
	}
	return nil
}

// skips reports whether a test was skipped with the change: without it, it can be missing for that reason.
func (p *taskProof) skips(t test) bool {
	st, ran := status(resultsOf(t, p.proof.Results))
	return ran && st == step.Skip
}

// failsWithout names one of the task's own commands that run tests which fails on the tree that has the new tests and not
// the change: a race is seen by none but go test -race.
func (p *taskProof) failsWithout(ctx context.Context, without *place) (string, error) {
	for _, argv := range p.t.Verify {
		if tests, _ := toolchain.TestCommand(argv); !tests {
			continue
		}
		out, err := without.exec(ctx, verifyCommand(argv), false)
		var missing *EnvironmentError
		if errors.As(err, &missing) { // said when it is run on the change
			continue
		}
		if err != nil {
			return "", err
		}
		p.proof.Records = append(p.proof.Records, out.Record)
		if out.problem == "" && out.Record.Exit != 0 {
			return " What shows the change is `" + strings.Join(argv, " ") + "`, which fails without it.", nil
		}
	}
	return "", nil
}

func verifyCommand(argv []string) toolchain.Command {
	return toolchain.Command{Name: "verify", Argv: argv, Dir: ".", Report: toolchain.ReportExit}
}

// root is a clean checkout for what belongs to the project and not to one of its toolchains; all of them are furnished there.
func (p *taskProof) root(ctx context.Context) (*place, error) {
	chains := p.t.Chains
	if len(chains) == 0 {
		chains = []toolchain.Found{{}}
	}
	return p.c.open(ctx, "verify", p.proof.Tree, firstNonEmpty(p.t.Base, p.proof.Tree), chains[0], chains[1:]...)
}

// verify runs the task's own commands in the root of the project.
func (p *taskProof) verify(ctx context.Context, persons bool) (err error) {
	if len(p.t.Verify) == 0 || p.failed || Rejected(p.proof.Findings) {
		return nil
	}
	pl, err := p.root(ctx)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	p.ran(CheckVerify)
	for _, argv := range p.t.Verify {
		line := strings.Join(argv, " ")
		cmd := verifyCommand(argv)
		out, err := pl.exec(ctx, cmd, false)
		var missing *EnvironmentError
		if errors.As(err, &missing) && (!persons || strings.Contains(argv[0], "/")) { // what lies in the project is the author's
			p.add(reject("verify-failed", "", 0, "The command `"+line+"` cannot be run: "+missing.Error()))
			continue
		}
		if err != nil {
			return err
		}
		p.proof.Records = append(p.proof.Records, out.Record)
		if out.problem != "" {
			p.add(reject("verify-failed", "", 0, "The command `"+line+"` is no evidence: "+out.problem))
		} else if out.Record.Exit != 0 {
			lines, _ := pl.said(out)
			p.add(commandFinding("verify-failed", step.Rejects, "A command that has to succeed", cmd, out, compared{fresh: lines}))
		} else if tests, _ := toolchain.TestCommand(argv); tests && selectsNone(string(out.output)) {
			p.add(reject("verify-failed", "", 0, "The command `"+line+"` runs no test at all, so it shows nothing. It selects tests that do not exist."))
		} else if idle, err := p.idle(ctx, argv); err != nil {
			return err
		} else if idle {
			p.proof.Idle = append(p.proof.Idle, line)
		}
	}
	return nil
}

// noTests is what runners say that have run nothing, and anyTest what they say of what they ran.
var (
	noTests = re.New(`(?m)\[no tests to run\]|^testing: warning: no tests to run|^# tests 0$|^Ran 0 tests|^running 0 tests|^\s*0 passing|^collected 0 items|\[no test files\]`)
	anyTest = re.New(`(?m)^ok\s+\S+\s+(?:[\d.]+s|\(cached\))\s*$|^# tests [1-9]|^Ran [1-9]|^running [1-9]|^\s*[1-9]\d* passing|^collected [1-9]`)
)

// selectsNone reports whether a runner says that it has run no test.
func selectsNone(output string) bool {
	return noTests().MatchString(output) && !anyTest().MatchString(output)
}

// idle reports whether a command succeeds on the tree that the task began with. One that runs tests is not asked: what the new ones
// show is known.
func (p *taskProof) idle(ctx context.Context, argv []string) (bool, error) {
	if tests, _ := toolchain.TestCommand(argv); tests || len(p.changes) == 0 || len(p.t.Chains) == 0 {
		return false, nil
	}
	if p.bare == nil {
		pl, err := p.c.open(ctx, "before", p.before, firstNonEmpty(p.t.Base, p.before), p.t.Chains[0], p.t.Chains[1:]...)
		if err != nil {
			return false, err
		}
		p.bare = pl
	}
	out, err := p.bare.exec(ctx, verifyCommand(argv), false)
	var missing *EnvironmentError
	if errors.As(err, &missing) {
		return false, nil
	}
	return err == nil && out.clean(), err
}
