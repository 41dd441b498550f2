package check

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// noTest sends code back that no test sees, once the author has not said why.
func (p *taskProof) noTest(what string) {
	switch {
	case p.t.Untested != "":
		p.add(p.excused(reject("no-test", "", 0, what+" Write one that fails without the change and passes with it, unless no test can see the change; that it is obvious is no reason. The agent says: "+strings.TrimRight(p.t.Untested, ". ")+".")))
	case p.t.Unplanned: // nobody is there to be asked
		p.add(warn("no-test", "", 0, what))
	default:
		f := fix("no-test", "", 0, what+" Write one that fails without the change and passes with it; if no test can show the change, say why in `untested`.")
		if !p.keeps() {
			f.Severity = step.Asks
		}
		p.add(f)
	}
}

// excused is what rejects a change, and of which its author says that no test can show otherwise. That counts for nothing by itself: a person decides, unless
// the change keeps what the code does.
func (p *taskProof) excused(f step.Finding) step.Finding {
	if p.t.Untested == "" || f.Severity != step.Rejects {
		return f
	}
	if f.Severity = step.Asks; p.keeps() {
		f.Severity = step.Warn
	}
	return f
}

// keeps reports whether the task changes how code works and not what it does. Where it is all that was asked for, its type, which an agent chose,
// is not enough: the request has to say so, too.
func (p *taskProof) keeps() bool {
	return p.t.Keeps && (p.t.Asked == "" || tidies().MatchString(p.t.Request))
}

// tidies are the words of a request for work that keeps what code does.
var tidies = re.New(`(?i)\b(refactor|renam|clean|tid(y|ies)|re?format|lint|bump|upgrad|updat|mov(e|es|ed|ing)\b|extract|simplif|restructur|reorgani|typo|chore|dead|unused|comment|doc(s|string|umentation)?\b|moderni|dedup|duplicat|type (hint|annotation))|리팩|정리|옮기|단순|추출|주석|문서`)

// otherCode reports whether a change of a source file is one of its code, and not of tests, comments and layout alone.
func otherCode(ch Change) bool {
	bare := func(src []byte) string {
		return textOf(source.Tokens(ch.Path, codeOf(ch.Path, src)), func(t source.Token) bool { return t.Kind != source.Comment && !docstring(ch.Path, t) })
	}
	was, is := bare(ch.Old), bare(ch.New)
	return was != is && (unparted(was) != unparted(is) || !source.SameShape(ch.Path, codeOf(ch.Path, ch.Old), codeOf(ch.Path, ch.New)))
}

// unparted is code without what formatters add and take away, and with one kind of quotes. Where more is another, nobody need read both texts for their shape.
func unparted(code string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(strings.ReplaceAll(code, "'", `"`)), func(t string) bool { return len(t) == 1 && strings.Contains("(),;", t) }), " ")
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

// fresh are the new and changed tests of the task; one that only moved to another file is neither.
func (p *taskProof) fresh(pl *place) []test {
	left := map[string]string{} // bodies of the tests that are gone from their files
	for _, ch := range p.changes {
		now := bodies(ch.Path, ch.New)
		for name, text := range bodies(ch.Path, ch.Old) {
			if _, stayed := now[name]; !stayed && mayTest(ch.Path) {
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
	run, err := pl.settled(ctx, toolchain.Selection{Files: filesOf(fresh)}, fresh)
	if err != nil {
		return false, err
	}
	one := Proof{Tree: p.proof.Tree}
	one.judge(Module{}, fresh, run)
	if !slices.ContainsFunc(fresh, func(t test) bool { return bad(t.in(run.results)) }) || one.Passed { // what did not run may need the others
		return false, nil
	}
	p.takeIn(run)
	p.add(one.Findings...)
	p.failed = true
	return true, nil
}

// changedTests are tests of the files that the task has changed; of says which of a file, by name and body, nil for none.
func (p *taskProof) changedTests(pl *place, of func(Change) func(name, text string) bool) []test {
	var out []test
	for _, ch := range p.changes {
		if ch.Status == 'D' || !pl.ours(ch.Path) || !mayTest(ch.Path) || pl.endToEnd(ch.New) || !pl.compiled(ch.Path) {
			continue
		}
		counts := of(ch)
		if counts == nil {
			continue
		}
		f := source.Parse(ch.Path, ch.New)
		out = append(out, those(testsIn(f), func(t test) bool { return counts(t.Name, body(f, t.Test)) })...)
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

// passing are the tests of a toolchain that pass with the change.
func (p *taskProof) passing(pl *place) []test {
	return those(pl.testsOf(pl.testFiles()), func(t test) bool { return t.in(p.proof.Results) == step.Pass })
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
	return textOf(source.Code((sourceFile{File: f}).code()), func(t source.Token) bool { return !in(f, t) })
}

// openAlone is a place with the tree before the change and the tests of the change, and their data. A test that is gone is gone there too.
func (p *taskProof) openAlone(ctx context.Context, chain toolchain.Found) (*place, error) {
	var edits []git.Edit
	for _, ch := range p.changes {
		if (mayTest(ch.Path) || toolchain.IsTestData(ch.Path)) && !strings.HasPrefix(ch.Path, "../") {
			e, err := p.onlyTests(ctx, ch, false)
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		}
	}
	return p.c.openEdited(ctx, step.OnWithout, p.before, edits, cmp.Or(p.t.Base, p.before), chain)
}

// testedAlone is what new tests give without the change: those that pass, that cannot be loaded, and that fail. One that is skipped there, or
// with the change, shows nothing, and neither does one that stands where tests cannot be told from code.
type testedAlone struct {
	run                    testRun
	passing, lost, failing []test
	invalid                string // that the run does not count; those are lost then that it says so of
}

// endless reports whether they ran into a limit of time.
func (a testedAlone) endless() bool {
	return slices.ContainsFunc(a.run.records, func(r step.Record) bool {
		return strings.HasPrefix(r.Ended, string(proc.TotalLimit)) || strings.HasPrefix(r.Ended, string(proc.IdleLimit))
	})
}

// runAlone runs new tests in a place without the change.
func (p *taskProof) runAlone(ctx context.Context, pl *place, sel toolchain.Selection, tests []test) (a testedAlone, err error) {
	a.run, err = p.proof.noted(pl.runTests(ctx, sel, tests))
	if err != nil {
		return a, err
	}
	for _, f := range a.run.findings {
		if f.Rule == "check-invalid" {
			a.invalid, a.lost = "The new tests could not be run without the change: "+f.Message, uncompiled(a.run.invalid, tests, p.changes)
			return a, nil
		}
	}
	for _, t := range tests {
		rs := resultsOf(t, a.run.results)
		switch st := status(rs); {
		case st == step.Pass:
			a.passing = append(a.passing, t)
		case st == step.Skip, p.skips(t, rs), st == "" && p.lostThere(t, a.run):
		case st == "" || absent().MatchString(worst(rs).Message):
			a.lost = append(a.lost, t)
		default:
			a.failing = append(a.failing, t)
		}
	}
	return a, nil
}

// onlyTests is the edit that gives a file the tests of the change, or with back those that it had, and leaves the code beside them as the
// other version has it.
func (p *taskProof) onlyTests(ctx context.Context, ch Change, back bool) (git.Edit, error) {
	e, code, tests := asItIs(ch), ch.Old, ch.New
	if back {
		e, code, tests = asItWas(ch), ch.New, ch.Old
	}
	if !toolchain.IsSource(ch.Path) {
		return e, nil
	}
	_, apart := source.Parse(ch.Path, tests).Split()
	id, err := p.c.repo.WriteBlob(ctx, slices.Concat(codeOf(ch.Path, code), apart))
	return git.Edit{Path: ch.Path, Mode: cmp.Or(ch.OldMode, ch.NewMode), ID: id}, err
}

// untested says that code of a toolchain has changed and no test.
func (p *taskProof) untested(pl *place) string {
	if code := p.code(p.mine(pl)); len(code) > 0 {
		return "There is no new or changed test for the change of " + someOf(code) + "."
	}
	return "There is no new or changed test for this change."
}

// without runs the new tests on the tree that the task began with: none of them may pass there, or they prove nothing. Where there are
// none, those are run of which something beside them is new. Where the code is of another toolchain, this one is charged with nothing.
func (p *taskProof) without(ctx context.Context, with *place, fresh []test, owned bool) (err error) {
	anew := len(fresh) > 0
	if !anew {
		fresh = p.beside(with)
	}
	sel := toolchain.Selection{Files: filesOf(fresh)}
	data := func(ch Change) bool { return toolchain.IsTestData(ch.Path) && below(with.chain.Root, ch.Path) }
	if len(fresh) == 0 && slices.ContainsFunc(p.changes, data) { // which tests read it is not known
		fresh = p.passing(with)
	}
	if len(fresh) == 0 {
		if !owned {
			return nil
		}
		return p.noNewTest(ctx, with, p.untested(with))
	}
	pl, err := p.openAlone(ctx, with.chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	a, err := p.runAlone(ctx, pl, sel, fresh)
	if err != nil {
		return err
	}
	p.proof.Red = append(p.proof.Red, idsOf(a.failing)...)
	p.failing = p.failing || len(a.failing) > 0
	red := p.needing(a.lost) // cannot be loaded without the change, because of what they name
	if len(red) == 0 {
		red = a.lost
	}
	p.proof.Red = append(p.proof.Red, idsOf(red)...)
	if a.invalid != "" {
		switch {
		case len(a.lost) > 0:
		case !owned, a.endless(): // what the change mends may be that they have no end
			p.add(warn("check-invalid", "", 0, a.invalid))
		default:
			p.noTest(a.invalid)
		}
		return nil
	}
	passing := a.passing
	if !anew {
		passing = nil
	}
	shown, by := len(a.failing)+len(a.lost) > 0, ""
	if !shown {
		if by, err = p.failsWithout(ctx, pl); err != nil {
			return err
		}
		shown = by != ""
	}
	if !shown && !owned {
		p.passWithout(passing, true, "")
		return nil
	}
	if !shown && !anew {
		return p.noNewTest(ctx, with, p.untested(with))
	}
	if !shown && p.t.Keeps { // what works as before is shown by tests that pass without it, if they notice a fault of it
		return p.noNewTest(ctx, with, "The new tests pass without the change as well.")
	}
	if !shown && (p.t.Untested != "" || p.t.Unplanned) {
		p.noTest("The new tests pass without the change as well.")
		shown = true
	}
	if !shown && len(passing) == 0 {
		p.noTest("The new tests are skipped here, so nothing proves the change.")
		return nil
	}
	p.passWithout(passing, shown, by)
	if shown && !Rejected(p.proof.Findings) {
		pl.recordFailures()
	}
	return nil
}

// passWithout says of new tests that they pass without the change; shown is whether something else shows it, by what it says of that.
func (p *taskProof) passWithout(passing []test, shown bool, by string) {
	for _, t := range passing {
		p.proof.Satisfied = append(p.proof.Satisfied, t.ID)
		if shown {
			p.add(warn("test-passes-without", t.File, t.Line, "The test "+t.Name+" passes without the change as well."+by))
		} else {
			p.add(reject("test-passes-without", t.File, t.Line, "The test "+t.Name+" passes without the change as well, and no other new test fails without it, so nothing proves the change. Assert what is new; if no test can show it, say why in `untested` (a command of the task, such as one with the race detector, counts too)."))
		}
	}
}

// lostThere reports whether a test beside code of before is not in the tree without the change although its file is there and compiles: it
// stands where tests cannot be told from code.
func (p *taskProof) lostThere(t test, run testRun) bool {
	_, broken := loadError(t, run.results)
	return !broken && toolchain.IsSource(t.File) && slices.ContainsFunc(p.changes, func(ch Change) bool { return ch.Path == t.File && ch.Old != nil })
}

// skips reports whether a test was skipped with the change, and none of its cases shows anything: fails without the change, and passes
// with it. One that holds others is no case. A test that is missing without the change can be so for that reason.
func (p *taskProof) skips(t test, without []step.TestResult) bool {
	with := resultsOf(t, p.proof.Results)
	return status(with) == step.Skip && !slices.ContainsFunc(without, func(r step.TestResult) bool {
		passes := slices.ContainsFunc(with, func(o step.TestResult) bool { return o.ID == r.ID && o.Status == step.Pass })
		return bad(r.Status) && passes && !slices.ContainsFunc(with, func(o step.TestResult) bool { return strings.HasPrefix(o.ID, r.ID+"/") })
	})
}
