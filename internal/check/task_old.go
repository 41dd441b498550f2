package check

import (
	"bytes"
	"cmp"
	"context"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Old tests are those of the tree that nobody has touched: what is wrong with them without a change is charged to nobody.

// ranBefore leaves out tests that the project's own command does not run: those of the sources that did not run before either.
func (p *taskProof) ranBefore(ctx context.Context, pl *place, expected, fresh []test, run testRun) ([]test, error) {
	mine := among(fresh)
	if p.before == p.proof.Tree || !slices.ContainsFunc(expected, func(t test) bool { return t.silent(run.results) && !mine(t) }) {
		return expected, nil
	}
	base, err := p.place(ctx, pl.chain)
	if err != nil {
		return nil, err
	}
	was, err := base.runTests(ctx, toolchain.Selection{}, base.testsOf(base.testFiles()))
	if err != nil {
		return nil, err
	}
	return without(expected, func(t test) bool { return !mine(t) && t.silent(run.results) && t.silent(was.results) }), nil
}

// asBefore runs tests as they are without the change. there are those that its sources have.
func (p *taskProof) asBefore(ctx context.Context, chain toolchain.Found, tests []test) (run testRun, there map[string]bool, err error) {
	base, err := p.place(ctx, chain)
	if err != nil {
		return run, nil, err
	}
	files := those(filesOf(tests), func(f string) bool { return base.entries[f].Path != "" })
	old := base.testsOf(files)
	there = setOf(idsOf(old))
	if len(files) == 0 {
		return run, there, nil
	}
	old = those(old, among(tests))
	ids := idsOf(those(tests, func(t test) bool { return slices.Contains(files, t.File) }))
	const many = 20 // names on a command line
	sel := toolchain.Selection{IDs: ids}
	if len(ids) > many || len(ids) > len(old) { // a runner may run nothing where it does not find a name
		sel = toolchain.Selection{Files: files}
	}
	run, err = p.proof.noted(base.runTests(ctx, sel, old))
	return run, there, err
}

// flaky are the tests that nobody has touched, failed, and passed when they were run again: they are charged to nobody. One that goes on
// failing now and then is, unless it does so without the task as well: else code that works now and then would land.
func (p *taskProof) flaky(ctx context.Context, pl *place, expected, fresh []test, run testRun) ([]string, error) {
	mine := among(fresh)
	old := those(expected, func(t test) bool { return t.in(run.results) == step.Flake && !mine(t) })
	failing, err := pl.failAgain(ctx, old)
	if err == nil && len(failing) > 0 {
		var base *place
		if base, err = p.place(ctx, pl.chain); err == nil {
			var before []test
			before, err = base.failAgain(ctx, failing)
			failing = slices.DeleteFunc(failing, among(before))
		}
	}
	if err != nil {
		return nil, err
	}
	old = slices.DeleteFunc(old, among(failing))
	for _, t := range old {
		p.add(warn("flaky-test", t.File, t.Line, "The test "+t.Name+" failed and then passed on the same tree. It existed before and does not count against the change."))
	}
	return idsOf(old), nil
}

// testedIn reports whether a file belongs to another toolchain, which has tests: to a member of the workspace, or to the root
// that tests its members.
func (p *taskProof) testedIn(other toolchain.Found, file string) bool {
	return slices.ContainsFunc(p.t.Chains, func(c toolchain.Found) bool {
		return c.Ecosystem == other.Ecosystem && c.Root != other.Root && !c.Own.Elsewhere && below(c.Root, file)
	})
}

// existed reports whether a test had its name in its file before the change.
func (p *taskProof) existed(t test) bool {
	return slices.ContainsFunc(p.changes, func(ch Change) bool {
		return ch.Path == t.File && slices.ContainsFunc(source.Parse(t.File, ch.Old).Tests, func(o source.Test) bool { return o.Name == t.Name })
	})
}

// maySkip lets tests of before be skipped: whether they may is seen by [taskProof.skippedNow], where they ran before.
func (p *taskProof) maySkip(expected, fresh []test) {
	for i, t := range expected {
		expected[i].MaySkip = t.MaySkip || !among(fresh)(t) || p.existed(t)
	}
}

// skippedNow rejects tests that are skipped and passed without the task: what a mark says is not asked, what ran is.
func (p *taskProof) skippedNow(ctx context.Context, pl *place, expected []test, run testRun) ([]step.Finding, error) {
	skipped := those(expected, func(t test) bool { return t.in(run.results) == step.Skip })
	if len(skipped) == 0 || p.before == p.proof.Tree {
		return nil, nil
	}
	was, _, err := p.asBefore(ctx, pl.chain, skipped)
	passed := those(skipped, func(t test) bool { return t.in(was.results) == step.Pass })
	return each(passed, func(t test) step.Finding {
		return reject("test-skipped", t.File, t.Line, "The test "+t.Name+" ran before and is skipped now. Remove the skip.")
	}), err
}

// vanished rejects tests that are gone although they pass on the new code: it is put beside the old version of their file, and they are
// run. Nothing is asked of a test that went on under another name or in another file as it was, nor of a file that the plan deletes. Of one that
// went on in other words and fails as it was, a person is told.
func (p *taskProof) vanished(ctx context.Context, pl *place) error {
	gone, edits, err := p.lost(ctx, pl)
	if err != nil || len(gone) == 0 {
		return err
	}
	run, err := p.putBack(ctx, pl, edits, gone, "")
	if err != nil {
		return err
	}
	if p.leaving == nil {
		p.leaving = map[string]goneTest{}
	}
	renamed, other := map[string]map[string]source.Test{}, map[string][]test{}
	for _, t := range gone {
		if renamed[t.File] == nil {
			renamed[t.File] = p.renamed(newFile(changeOf(p.changes, t.File)))
		}
		now, still := renamed[t.File][t.Name]
		switch g, waits := p.leaving[t.ID]; {
		case t.in(run.results) == step.Fail && still:
			t.Line = now.Line
			other[t.File] = append(other[t.File], t)
			delete(p.leaving, t.ID)
		case t.in(run.results) == step.Pass && still && titleOf(now.Name) == titleOf(t.Name): // it is asked what it notices no more, as of one that stays
			delete(p.leaving, t.ID)
		case t.in(run.results) == step.Pass:
			if g.heirs = p.heirs(t); len(g.heirs) > 0 {
				g.test = t
				p.leaving[t.ID] = g
				continue
			}
			delete(p.leaving, t.ID)
			p.add(goneAndPasses(t))
		case waits:
			g.fails = true
			p.leaving[t.ID] = g
		}
	}
	for _, file := range slices.Sorted(maps.Keys(other)) {
		p.expectsOther(file, other[file])
	}
	return nil
}

// bent tells which old tests were changed and fail now as they were: what was expected is expected no longer. It may be what the task is
// about, so a person is told; in a file that the plan does not name its author is asked first.
func (p *taskProof) bent(ctx context.Context, pl *place, fresh []test) error {
	var old []test
	var edits []git.Edit
	for _, ch := range p.changes {
		if ch.OldID == "" || ch.NewID == "" {
			continue
		}
		f := newFile(ch)
		was := byName(f.old)
		changed := those(testsIn(f.new), func(now test) bool {
			o, there := was[now.Name]
			return there && (among(fresh)(now) || retabled(f, o, now.Test)) && !slices.Contains(p.t.Known, now.ID)
		})
		if old = append(old, changed...); len(changed) > 0 {
			e, err := p.onlyTests(ctx, ch, true)
			if err != nil {
				return err
			}
			edits = append(edits, e)
		}
	}
	if len(old) == 0 {
		return nil
	}
	run, err := p.withOld(ctx, pl, edits, old, "")
	if err != nil {
		return err
	}
	for _, e := range edits {
		failing := those(old, func(t test) bool {
			st := t.in(run.results)
			return t.File == e.Path && (st == "" || bad(st))
		})
		if len(failing) == 0 {
			continue
		}
		if !takesAway().MatchString(p.t.Request) {
			p.bentAndWeak(those(failing, func(t test) bool { return bad(t.in(run.results)) }))
		}
		p.expectsOther(e.Path, failing)
	}
	return nil
}

// expectsOther tells a person that tests of a file expect something else now. Where the plan does not name the file its author is asked first.
func (p *taskProof) expectsOther(file string, tests []test) {
	line, text := tests[len(tests)-1].Line, otherExpectations(tests)
	if p.t.Extra != nil && p.t.Extra(file) {
		p.add(fix("expectation-changed", file, line, text+" The plan does not name this file. Put the old tests back, or, if the request requires the new expectations, leave them and give the sentence that requires them as the reason of the file in `more_files`."))
	} else {
		p.add(warn("expectation-changed", file, line, text))
	}
}

// bentAndWeak rejects tests that assert less than before, of those whose old versions fail with the change: what they expected is
// expected no longer, and nothing takes its place.
func (p *taskProof) bentAndWeak(failing []test) {
	for _, t := range failing {
		for i, f := range p.proof.Findings {
			if f.Rule == "test-weakened" && f.Path == t.File && f.Message == assertsLess(t.Name) {
				p.proof.Findings[i] = reject(f.Rule, f.Path, f.Line, "The test "+t.Name+" asserts less than before, and its old version fails with the change. Assert as much of the new behavior.")
			}
		}
	}
}

// otherExpectations says that old versions of tests fail now.
func otherExpectations(tests []test) string {
	return "Existing tests expect something else now. Their old versions fail with the change: " + firstNames(tests) + "."
}

// maxLooser is how long is looked for what old tests do not notice any more, and longerLooser how many times as long as the longest command
// of the proof: on a slow machine the same has to be found.
const (
	maxLooser    = 30 * time.Second
	longerLooser = 10
)

// looser rejects changes of old tests after which no test kills a mutant that they killed. Where the task is not about new code, tests may be
// what it is about: then a person is told.
func (p *taskProof) looser(ctx context.Context, pl *place) error {
	if !slices.ContainsFunc(p.changes, func(ch Change) bool {
		return ch.Status == 'M' && (mayTest(ch.Path) && pl.ours(ch.Path) || ofTests(ch.Path) || ofTestLibraries().Match(ch.Old))
	}) {
		return nil
	}
	x := &chainJudge{judge: &judge{taskProof: *p, q: Question{Chains: p.t.Chains}}, chain: pl.chain, pl: pl, tested: newTested(p.proof.Results)}
	short, cancel := context.WithTimeoutCause(ctx, max(maxLooser, longerLooser*longest(p.proof.Records)), ErrLate)
	defer cancel()
	err := x.look(short)
	for _, stage := range []func(context.Context) error{x.weakened, x.looser, x.besides} {
		if err == nil {
			err = stage(short)
		}
	}
	if ctx.Err() == nil && late(short, err) {
		err = nil
	}
	*p = x.taskProof
	for _, f := range x.out.Findings {
		if !f.Blocks && f.Severity != step.Asks {
			continue
		}
		p.proof.Findings = slices.DeleteFunc(p.proof.Findings, func(o step.Finding) bool { return o.Rule == f.Rule && o.Path == f.Path && o.Line == f.Line })
		if f.Blocks && !p.t.NewCode {
			f.Finding = warn(f.Rule, f.Path, f.Line, f.Message)
		}
		p.add(f.Finding)
	}
	return err
}

// putBack runs tests that are gone on the new code: beside the old versions of their files, and those that cannot be run there, because
// something else of the file does not fit the new code, alone in the new version.
func (p *taskProof) putBack(ctx context.Context, pl *place, edits []git.Edit, tests []test, round string) (testRun, error) {
	run, err := p.withOld(ctx, pl, edits, tests, round)
	if err != nil {
		return run, err
	}
	left := without(tests, func(t test) bool {
		st := status(resultsOf(t, run.results))
		return st != "" && st != step.Error
	})
	left, edits, err = p.alone(ctx, left)
	if err != nil || len(left) == 0 {
		return run, err
	}
	again, err := p.withOld(ctx, pl, edits, left, round)
	run.records, run.results = append(run.records, again.records...), append(again.results, run.results...)
	return run, err
}

// alone are those of some tests that stand on their own and name nothing that the change took away, and how they get into the new versions of
// their files.
func (p *taskProof) alone(ctx context.Context, tests []test) (back []test, edits []git.Edit, err error) {
	was := slices.Clone(p.changes)
	for i, ch := range p.changes {
		was[i].Old, was[i].New = ch.New, ch.Old
	}
	taken := newNames(was)
	for _, ch := range p.changes {
		old, text, first := source.Parse(ch.Path, ch.Old), string(ch.New), len(back)
		for _, t := range tests {
			within := strings.Contains(t.Name, "::") || strings.Contains(t.Name, " > ")
			if t.File == ch.Path && len(ch.New) > 0 && !within && !needs(t, ch.Old, taken) {
				back, text = append(back, t), text+"\n"+string(ch.Old[headOf(old, t.Test):t.Stop])+"\n"
			}
		}
		if len(back) == first {
			continue
		}
		id, err := p.c.repo.WriteBlob(ctx, []byte(withImports(text, importsOf(ch, text))))
		if err != nil {
			return nil, nil, err
		}
		edits = append(edits, git.Edit{Path: ch.Path, Mode: "100644", ID: id})
	}
	return back, edits, nil
}

// importsOf are the imports of the old version of a file of Go that the new one does not have and a text needs.
func importsOf(ch Change, text string) string {
	f, err := parser.ParseFile(token.NewFileSet(), ch.Path, ch.Old, parser.ImportsOnly)
	if path.Ext(ch.Path) != ".go" || err != nil {
		return ""
	}
	head := ""
	for _, i := range f.Imports {
		name, line := path.Base(strings.Trim(i.Path.Value, `"`)), "import "
		if i.Name != nil {
			name, line = i.Name.Name, line+i.Name.Name+" "
		}
		if !bytes.Contains(ch.New, []byte(i.Path.Value)) && strings.Contains(text, name+".") {
			head += line + i.Path.Value + "\n"
		}
	}
	return head
}

// withOld runs tests on the new code beside old versions of their files; round is a name where that is done once more.
func (p *taskProof) withOld(ctx context.Context, pl *place, edits []git.Edit, tests []test, round string) (run testRun, err error) {
	restored, err := p.c.openEdited(ctx, step.OnRestored, p.proof.Tree, edits, cmp.Or(p.t.Base, p.before), pl.chain)
	if err != nil {
		return run, err
	}
	restored.rerun, restored.round = round != "", round
	run, err = restored.runThese(ctx, tests)
	return run, joinClose(err, restored)
}

// lost are the tests that were in changed files and are in none now, and how their files are put back.
func (p *taskProof) lost(ctx context.Context, pl *place) (gone []test, edits []git.Edit, err error) {
	named := map[string]bool{}
	bodies := map[string]bool{}
	back := map[string]string{} // the files that tests are put back into
	for _, ch := range p.changes {
		f := source.Parse(ch.Path, ch.New)
		for _, t := range testsIn(f) {
			named[t.ID], bodies[nameless(t.Name, body(f, t.Test))] = true, true
		}
	}
	for _, ch := range p.changes {
		if ch.OldID == "" || !pl.ours(ch.Path) || !mayTest(ch.Path) || !pl.compiled(ch.Path) || p.t.Deletes != nil && p.t.Deletes(ch.Path) {
			continue
		}
		f := source.Parse(ch.Path, ch.Old)
		here := those(testsIn(f), func(t test) bool {
			return !named[t.ID] && !bodies[nameless(t.Name, body(f, t.Test))] && !t.Skipped && !slices.Contains(p.t.Known, t.ID)
		})
		if gone = append(gone, here...); len(here) == 0 {
			continue
		}
		e, err := p.onlyTests(ctx, ch, true)
		if err != nil {
			return nil, nil, err
		}
		edits = append(edits, e)
		for _, t := range f.Tests {
			back[path.Join(path.Dir(ch.Path), t.Name)] = ch.Path
		}
	}
	for _, ch := range p.changes { // what moved from there to another file would be declared twice
		f := source.Parse(ch.Path, ch.New)
		if toolchain.IsTest(ch.Path) && slices.ContainsFunc(f.Tests, func(t source.Test) bool {
			from := back[path.Join(path.Dir(ch.Path), t.Name)]
			return from != "" && from != ch.Path
		}) {
			e, err := p.onlyTests(ctx, ch, true)
			if err != nil {
				return nil, nil, err
			}
			edits = append(edits, e)
		} else if ch.Old == nil && slices.ContainsFunc(f.Funcs, func(fn source.Func) bool { return back[path.Join(path.Dir(ch.Path), fn.Name)] != "" }) {
			edits = append(edits, git.Edit{Path: ch.Path}) // under a name that no test has
		}
	}
	return gone, edits, nil
}
