package check

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// fewMutants is how many have to be unnoticed before tests are told to compare nothing: one may be no change at all.
const fewMutants = 2

// notices rejects new tests that notice no small change of the new code. That they fail without it says little: the name that they
// use is missing there. One that is noticed is enough, but for what they call: of that they have to notice another value, or old tests
// where it was there before.
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
	files := filesOf(fresh)
	short, cancel := context.WithTimeoutCause(ctx, MaxMutate, errMutateTime)
	defer cancel()
	chosen, rest := mutantsOf(old, now)
	tried, any, values := 0, false, noticed{}
	for _, x := range chosen {
		if any && (!x.Value() || values.killed(x)) { // that is known
			continue
		}
		switch killed, valid, err := pl.mutant(short, x, files, fresh, &p.proof); {
		case errors.Is(err, errMutateTime):
			return nil
		case err != nil:
			return err
		case valid:
			tried++
			any = any || killed
			values.add(x, killed)
		}
	}
	if values.none() || len(values) == 0 { // what was noticed may be no more than the text of the sources
		switch found, err := p.unreached(short, pl, old, now, fresh); {
		case errors.Is(err, errMutateTime):
			return nil
		case err != nil:
			return err
		case found != "":
			p.add(reject("compares-nothing", files[0], 0, found))
			return nil
		}
	}
	if !any && tried >= fewMutants {
		found := reject("compares-nothing", files[0], 0, fmt.Sprintf(
			"No new test fails when the new code is mutated: %d mutants were tried, such as another return value, and all survived. Compare the results of the code with the expected values.", tried))
		if allKnown(chosen, old) { // the tests fail with the code as it was, which is a mutant as well
			found.Severity = step.Fix
		}
		p.add(found)
	}
	if Rejected(p.proof.Findings) {
		return nil
	}
	for _, x := range values.unseen(func(name string) bool { return pl.named(fresh, name) }) {
		more, by, counting, found := rest, files, fresh, compareNothing(x, files[0])
		if functions(x.file, old[x.file])[x.Func] != "" { // what it gives is what its old tests are for
			more, by, counting, found.Severity = slices.Concat(chosen, rest), p.withTestsOf(x.file, files), nil, step.Fix
		}
		seen, err := pl.seen(short, x, more, by, counting, &p.proof)
		if err != nil {
			return err
		}
		if !seen {
			p.add(found)
		}
	}
	return nil
}

// mostDisabled is how many functions are disabled to see whether new tests reach them.
const mostDisabled = 4

// unreached says that new tests reach none of the functions that have changed: they pass when these fail at each call, and when they do
// nothing. It is "" where a test reaches one, where one cannot be disabled, and where more has changed than functions.
func (p *taskProof) unreached(ctx context.Context, pl *place, old, now map[string][]byte, fresh []test) (string, error) {
	var names []string
	var alone toolchain.Selection // old tests that reach them would end the run
	for _, t := range fresh {
		alone.IDs = append(alone.IDs, t.ID)
	}
	for _, file := range slices.Sorted(maps(now)) {
		was, is, f := functions(file, old[file]), functions(file, now[file]), source.Parse(file, now[file])
		if outside(source.Parse(file, old[file]), inFunctions) != outside(f, inFunctions) {
			return "", nil
		}
		for _, fn := range f.Funcs {
			if was[fn.Name] == is[fn.Name] {
				continue
			}
			mutants := f.Disabled(fn, now[file])
			if len(mutants) == 0 || len(names) == mostDisabled {
				return "", nil
			}
			for _, m := range mutants {
				run, err := pl.mutated(ctx, mutantAt{Mutant: m, file: file, src: now[file]}, alone, &p.proof)
				if err != nil {
					return "", err
				}
				if killed, valid := run.noticed(fresh); killed || !valid {
					return "", nil
				}
			}
			names = append(names, fn.Name)
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return fmt.Sprintf("The new tests pass when %s fails at each call, and when it does nothing, so they do not reach it. Call the changed code, and compare its results with the expected values.", strings.Join(names, " or ")), nil
}

// allKnown reports whether all mutants are of functions that were there before.
func allKnown(list []mutantAt, old map[string][]byte) bool {
	return !slices.ContainsFunc(list, func(x mutantAt) bool { return functions(x.file, old[x.file])[x.Func] == "" })
}

// withTestsOf are files of tests, with those that use a source.
func (p *taskProof) withTestsOf(file string, files []string) []string {
	out := slices.Clone(files)
	for _, f := range p.testsOf(file) {
		if !slices.Contains(out, f.Path) {
			out = append(out, f.Path)
		}
	}
	return out
}

// noTest sends code back that no test sees, once the author has not said why.
func (p *taskProof) noTest(what string) {
	switch {
	case p.t.Untested != "":
		p.add(warn("no-test", "", 0, what+" The agent says: "+p.t.Untested))
		return
	case p.t.Unplanned: // nobody is there to be asked
		p.add(warn("no-test", "", 0, what))
		return
	}
	p.add(fix("no-test", "", 0, what+" Write one that fails without the change and passes with it; if no test can show the change, say why in `untested`."))
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

// doesSomething reports whether a change is one of code, or of a file that code or people use as it is: not of tests, documents and
// comments.
func doesSomething(ch Change) bool {
	switch toolchain.Classify(ch.Path) {
	case toolchain.Test, toolchain.TestData:
		return false
	case toolchain.Source:
		return otherCode(ch)
	case toolchain.Config, toolchain.Other:
	}
	return !slices.Contains([]string{".md", ".markdown", ".rst", ".adoc", ".txt"}, strings.ToLower(path.Ext(ch.Path)))
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
	return p.changedTests(pl, func(ch Change) func(name, text string) bool {
		old := bodies(ch.Path, ch.Old)
		return func(name, text string) bool { return old[name] != text && left[name] != text }
	})
}

// slow is how long the tests of a toolchain take that the new ones among them run before the others.
const slow = time.Minute

// freshFirst runs, where all tests take long, the new and changed ones before the others: what fails there is the author's, and he hears
// of it soon.
func (p *taskProof) freshFirst(ctx context.Context, pl *place, fresh []test) (failed bool, err error) {
	all := pl.chain.Test(toolchain.Selection{})
	if len(fresh) == 0 || !slices.ContainsFunc(all, func(cmd toolchain.Command) bool { return p.c.took(pl.learnedFile(cmd)) > slow }) {
		return false, nil
	}
	var sel toolchain.Selection
	for _, t := range fresh {
		if !slices.Contains(sel.Files, t.File) {
			sel.Files = append(sel.Files, t.File)
		}
	}
	run, err := pl.runTests(ctx, sel, fresh)
	if err == nil {
		err = pl.settle(ctx, &run)
	}
	if err != nil {
		return false, err
	}
	one := Proof{Tree: p.proof.Tree}
	one.judge(Module{}, fresh, run)
	if bad := slices.ContainsFunc(fresh, func(t test) bool {
		st, ran := status(resultsOf(t, run.results))
		return ran && (st == step.Fail || st == step.Error)
	}); !bad || one.Passed { // what did not run may need the others
		return false, nil
	}
	p.ran(CheckTests)
	p.proof.Records = append(p.proof.Records, run.records...)
	p.proof.Results = append(p.proof.Results, run.results...)
	p.add(run.findings...)
	p.add(one.Findings...)
	p.failed = true
	return true, nil
}

// changedTests are tests of the files that the task has changed; of says which of a file, by name and body, nil for none.
func (p *taskProof) changedTests(pl *place, of func(Change) func(name, text string) bool) []test {
	var out []test
	for _, ch := range p.changes {
		if ch.Status == 'D' || !pl.ours(ch.Path) || !toolchain.IsTest(ch.Path) || pl.endToEnd(ch.New) || !pl.compiled(ch.Path) {
			continue
		}
		counts := of(ch)
		if counts == nil {
			continue
		}
		f := source.Parse(ch.Path, ch.New)
		for _, t := range f.Tests {
			if counts(t.Name, body(f, t)) {
				out = append(out, test{Test: t, ID: ch.Path + "::" + t.Name, File: ch.Path})
			}
		}
	}
	return out
}

// beside are the tests whose bodies are as they were in a file where something else has changed: their tables, parameters, helpers.
func (p *taskProof) beside(pl *place) []test {
	return p.changedTests(pl, func(ch Change) func(name, text string) bool {
		if ch.Old == nil || outside(source.Parse(ch.Path, ch.Old), inTests) == outside(source.Parse(ch.Path, ch.New), inTests) {
			return nil
		}
		old := bodies(ch.Path, ch.Old)
		return func(name, text string) bool { return old[name] == text }
	})
}

// inTests and inFunctions report whether a token of a file is in one of its tests or functions.
func inTests(f source.File, t source.Token) bool {
	return slices.ContainsFunc(f.Tests, func(x source.Test) bool { return t.Off >= x.Off && t.End <= x.Stop })
}

func inFunctions(f source.File, t source.Token) bool {
	return slices.ContainsFunc(f.Funcs, func(fn source.Func) bool { return t.Off >= fn.Off && t.End <= fn.Stop })
}

// outside is the code of a file that is in none of its tests or functions.
func outside(f source.File, in func(source.File, source.Token) bool) string {
	var b strings.Builder
	for _, t := range (sourceFile{File: f}).code() {
		if t.Kind != source.Comment && !in(f, t) {
			b.WriteString(t.Text + " ")
		}
	}
	return b.String()
}

// testsAlone is the tree before the change with the tests of the change, and their data. A test that is gone is gone there too.
func (p *taskProof) testsAlone(ctx context.Context) (string, error) {
	var edits []git.Edit
	for _, ch := range p.changes {
		if (toolchain.IsTest(ch.Path) || toolchain.IsTestData(ch.Path)) && !strings.HasPrefix(ch.Path, "../") {
			edits = append(edits, git.Edit{Path: ch.Path, Mode: ch.NewMode, ID: ch.NewID})
		}
	}
	return p.c.repo.EditTree(ctx, p.before, edits)
}

// untested says that code of a toolchain has changed and no test.
func (p *taskProof) untested(pl *place) string {
	if code := p.code(p.mine(pl)); len(code) > 0 {
		return "There is no new or changed test for the change of " + someOf(code) + "."
	}
	return "There is no new or changed test for this change."
}

// without runs the new tests on the tree that the task began with: none of them may pass there, or they prove nothing. Where there are
// none, those are run of which something beside them is new.
func (p *taskProof) without(ctx context.Context, with *place, fresh []test) (err error) {
	anew := len(fresh) > 0
	if !anew {
		fresh = p.beside(with)
	}
	if len(fresh) == 0 {
		p.noTest(p.untested(with))
		return nil
	}
	tree, err := p.testsAlone(ctx)
	if err != nil {
		return err
	}
	pl, err := p.c.open(ctx, step.OnWithout, tree, firstNonEmpty(p.t.Base, p.before), with.chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	files := filesOf(fresh)
	run, err := pl.runTests(ctx, toolchain.Selection{Files: files}, fresh)
	p.proof.Records = append(p.proof.Records, run.records...)
	if err != nil {
		return err
	}
	for _, f := range run.findings {
		if f.Rule != "check-invalid" {
			continue
		}
		red := uncompiled(run.invalid, fresh, p.changes)
		for _, t := range red {
			p.proof.Red = append(p.proof.Red, t.ID)
		}
		if len(red) == 0 {
			p.add(warn("check-invalid", "", 0, "The new tests could not be run without the change: "+f.Message))
		}
		return nil
	}
	var passing []test
	shown, by := false, ""
	for _, t := range fresh {
		switch st, ok := status(resultsOf(t, run.results)); {
		case ok && st == step.Pass:
			if anew {
				passing = append(passing, t)
			}
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
	if !shown && !anew {
		p.noTest(p.untested(with))
		return nil
	}
	if !shown && (p.t.Untested != "" || p.t.Unplanned) {
		p.noTest("The new tests pass without the change as well.")
		shown = true
	}
	if !shown && len(passing) == 0 {
		p.noTest("The new tests are skipped here, so nothing proves the change.")
		return nil
	}
	for _, t := range passing {
		p.proof.Satisfied = append(p.proof.Satisfied, t.ID)
		if shown {
			p.add(warn("test-passes-without", t.File, t.Line, "The test "+t.Name+" passes without the change as well."+by))
		} else {
			p.add(reject("test-passes-without", t.File, t.Line, "The test "+t.Name+" passes without the change as well, and no other new test fails without it, so nothing proves the change. Assert what is new; if no test can show it, say why in `untested` (a command of the task, such as one with the race detector, counts too)."))
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
