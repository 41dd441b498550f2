package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
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
	// NewCode says that the task is a feature or a fix, and that its plan names code to change.
	NewCode bool
	// Keeps says that the task changes how the code works and not what it does, so that no test has to fail without it.
	Keeps bool
	// VerifyOnly says that nothing is to change.
	VerifyOnly bool
	// Unplanned says that nobody has planned the change: what it may touch is not asked.
	Unplanned bool
	// Base is the tree whose lock files decide what is installed.
	Base string
	// Compared is the tree whose failures are nobody's, "" for the one before the change.
	Compared string
	// Known are ids of tests that failed before the task.
	Known []string
	// Says are the sentences that say what the code of the task does: its title, its scope, its criteria.
	Says string
	// HeldOut are calls that the author of the plan has kept from the author of the code.
	HeldOut []step.HeldOut
	// Asked is what a person wants to hold when the task is done, "" where other tasks are for the same request.
	Asked string
	// Request is what a person has asked for. Tables of it are no answers that were copied from tests.
	Request string
	// Coverage says that new tests have to reach the lines that have changed.
	Coverage bool
	// Report is the author's own text, Untested his reason why no test can see the change.
	Report, Untested string
}

// text is all that says what the code of the task does.
func (t Task) text() string { return t.Request + "\n" + t.Says }

// chains are the toolchains of the project, at least one that is none.
func (t Task) chains() []toolchain.Found {
	if len(t.Chains) == 0 {
		return []toolchain.Found{{}}
	}
	return t.Chains
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
	p := taskProof{c: c, t: t, before: cmp.Or(t.Compared, before), changes: changes, near: near, proof: Proof{Tree: tree}}
	defer func() { err = p.close(err) }()
	if !t.Unplanned {
		p.add(p.scope(near)...)
		p.ran(CheckFiles)
		p.ran(CheckAudit)
	}
	if Rejected(p.proof.Findings) && len(changes) == 0 {
		return p.proof, p.done, nil
	}
	if t.NewCode && len(changes) > 0 && !slices.ContainsFunc(changes, doesSomething) {
		p.add(reject("no-code", "", 0, "Only tests, documents and comments were changed, but the task is a feature or a fix, and its plan names code. Write the requested code."))
	}
	for _, chain := range p.inOrder(p.touched()) {
		if err := p.chain(ctx, chain); err != nil {
			return p.proof, p.done, fmt.Errorf("prove task: %w", err)
		}
	}
	p.unprovedYet()
	p.goneStill()
	err = p.verify(ctx, false)
	if err == nil {
		err = p.examples(ctx)
	}
	if err == nil {
		err = p.unwanted(ctx)
	}
	if err != nil {
		return p.proof, p.done, fmt.Errorf("prove task: %w", err)
	}
	p.proof.Findings = folded(p.proof.Findings)
	if p.proof.Passed = !p.failed && !Rejected(p.proof.Findings); p.proof.Passed {
		p.proof.Shown = p.shown()
	}
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
	out := slices.Clone(list)
	if n := len(those(list, missing)); n > 0 {
		out[cause].Message = fmt.Sprintf("%s\nTests that did not run because of it: %d.", strings.TrimRight(list[cause].Message, "\n"), n)
	}
	return slices.DeleteFunc(out, missing)
}

type taskProof struct {
	c       *Checker
	t       Task
	before  string
	changes []Change
	near    map[string]testFile
	proof   Proof
	done    Ran
	failed  bool
	failing bool                              // a new test ran without the change and failed
	open    []unproved                        // what no test of its own toolchain shows
	redIn   []toolchain.Found                 // where new tests fail without the change
	anew    replacements                      // new and changed tests
	names   map[string]bool                   // of functions of the changed code, once they are asked for
	leaving map[string]goneTest               // in whose place new ones may have come, by id
	places  map[string]*place                 // of the tree before
	bare    *place                            // the same for the task's own commands
	then    func() ([]toolchain.Found, error) // Question.Then

	recorded  []example.Example // calls of new tests
	manifests []string          // changed files with which something else is installed, for [taskProof.installs]
}

func (p *taskProof) ran(name string) {
	p.done.Checks = addNew(p.done.Checks, name)
}

// takeIn adds what a run of tests gave to the proof.
func (p *taskProof) takeIn(run testRun) {
	p.ran(CheckTests)
	p.proof.Records = append(p.proof.Records, run.records...)
	p.proof.Results = append(p.proof.Results, run.results...)
	p.add(run.findings...)
}

// checked adds what a check found, and notes whether it ran and which programs are not installed.
func (p *taskProof) checked(name string, found []step.Finding, records []step.Record) {
	if len(records) > 0 {
		p.ran(name)
	}
	for _, f := range found {
		if f.Rule != "tool-missing" {
			continue
		}
		if p.done.Missing == nil {
			p.done.Missing = map[string]string{}
		}
		p.done.Missing[name] = f.Message
	}
	p.add(found...)
	p.proof.Records = append(p.proof.Records, records...)
}

func (p *taskProof) add(f ...step.Finding) { p.proof.Findings = append(p.proof.Findings, f...) }

// touched are the toolchains that the change can matter to. A task that only verifies touches all.
func (p *taskProof) touched() []toolchain.Found {
	if p.t.VerifyOnly {
		return p.t.Chains
	}
	return toolchain.Affected(p.t.Chains, pathsOf(p.changes))
}

// chain builds, lints and tests what one toolchain is for.
func (p *taskProof) chain(ctx context.Context, chain toolchain.Found) (err error) {
	pl, err := p.c.open(ctx, step.OnTask, p.proof.Tree, cmp.Or(p.t.Base, p.proof.Tree), chain)
	if failed, ok := errors.AsType[*compileError](err); ok {
		p.add(failed.at)
		return nil
	}
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
		if rest := beyondBuild(p.proof.Findings, found); len(rest) == len(found) {
			p.checked(CheckLint, found, records)
		} else { // it compiles the same, and looks at nothing else
			p.add(rest...)
			p.proof.Records = append(p.proof.Records, records...)
		}
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
	return pathsOf(those(p.changes, func(ch Change) bool { return ch.Status != 'D' && pl.ours(ch.Path) }))
}

// code are those of some files of which more has changed than tests, comments and layout.
func (p *taskProof) code(files []string) []string {
	return pathsOf(those(p.changes, func(ch Change) bool { return slices.Contains(files, ch.Path) && !ofTests(ch.Path) && otherCode(ch) }))
}

// someOf names the first of some files.
func someOf(files []string) string {
	const few = 3
	if len(files) <= few {
		return strings.Join(files, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(files[:few], ", "), len(files)-few)
}

// failedBefore reports whether a test failed before the task, or one of its cases did: it proves nothing of it.
func (p *taskProof) failedBefore(t test) bool {
	return slices.ContainsFunc(p.t.Known, t.has)
}

// tests runs all tests of a toolchain, and the new ones also without the task.
func (p *taskProof) tests(ctx context.Context, pl *place, mine []string) error {
	files := pl.testFiles()
	code := p.code(mine)
	if pl.chain.Own.Elsewhere {
		if len(code) > 0 && slices.ContainsFunc(mine, func(file string) bool { return !p.testedIn(pl.chain, file) }) {
			p.unshown(pl, "No test covers the change of "+someOf(code)+": the tests of this project are elsewhere.")
		}
		return nil
	}
	fresh := p.fresh(pl)
	p.proof.Changed = append(p.proof.Changed, idsOf(fresh)...)
	fresh = slices.DeleteFunc(fresh, p.failedBefore)
	if len(files) == 0 {
		if len(code) > 0 {
			p.unshown(pl, "No test covers the change of "+someOf(code)+".")
		}
		return nil
	}
	if failed, err := p.freshFirst(ctx, pl, fresh); err != nil || failed {
		return err
	}
	expected := pl.testsOf(files)
	run, err := pl.settled(ctx, toolchain.Selection{}, expected)
	p.takeIn(run)
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
	p.maySkip(expected, fresh)
	one := Proof{Tree: p.proof.Tree}
	one.judge(Module{Known: append(flaky, p.t.Known...)}, expected, run)
	p.add(one.Findings...)
	skipped, err := p.skippedNow(ctx, pl, expected, run)
	p.add(skipped...)
	if err := errors.Join(err, p.vanished(ctx, pl), p.bent(ctx, pl, fresh)); err != nil {
		return err
	}
	p.failed = p.failed || !one.Passed
	if p.failed || Rejected(p.proof.Findings) {
		return nil
	}
	if err := p.looser(ctx, pl); err != nil || Rejected(p.proof.Findings) {
		return err
	}
	return p.seen(ctx, pl, mine, code, fresh)
}

// seen finds out what tests that pass notice: new ones fail without the task, and on mutants.
func (p *taskProof) seen(ctx context.Context, pl *place, mine, code []string, fresh []test) error {
	others := p.openIn(pl.chain)
	if len(code)+len(others) == 0 {
		return p.testsAlone(ctx, pl, fresh)
	}
	if p.t.Coverage && len(code) > 0 {
		err := pl.coverage(ctx, func(file string) bool { return toolchain.IsSource(file) && slices.Contains(mine, file) }, p.before, nil, &p.proof)
		if err != nil {
			return err
		}
	}
	shown := len(p.proof.Red)
	if err := p.without(ctx, pl, fresh, len(code) > 0); err != nil {
		return err
	}
	p.replaced()
	if len(p.proof.Red) > shown {
		p.redIn = append(p.redIn, pl.chain)
	}
	if Rejected(p.proof.Findings) || len(fresh) == 0 || len(code) == 0 && len(p.proof.Red) == shown {
		return nil
	}
	files := slices.Concat(mine, others)
	if err := errors.Join(p.notices(ctx, pl, files, fresh), p.careless(ctx, pl, files, fresh), p.substituted(ctx, pl, files, fresh), p.record(ctx, pl, files, fresh)); err != nil {
		return err
	}
	if err := p.unnoticed(ctx, pl, mine, fresh); err != nil {
		return err
	}
	return p.branches(ctx, pl, files, fresh)
}
