package check

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mostLooser is how many files of changed tests are asked what they no longer see.
const mostLooser = 4

// looser finds old tests that were changed although they pass as they were, and that let something pass now which they noticed. Their
// text does not tell: they assert as often as before. It comes last, and what there is no time for is left.
func (x *chainJudge) looser(ctx context.Context) error {
	var files []*file
	changed := map[string][]moved{}
	for _, ch := range x.changes {
		if ch.Status != 'M' || !mayTest(ch.Path) || !x.mineIn(x.chain, ch) || !x.pl.compiled(ch.Path) {
			continue
		}
		f := newFile(ch)
		if changed[f.Path] = x.rewordedIn(f); len(changed[f.Path]) > 0 {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b *file) int { return reformed(b) - reformed(a) })
	for i, f := range files {
		var err error
		if i < mostLooser {
			same := func(m moved) bool { return m.same(f) } // of which what they call has changed
			for _, tests := range [][]moved{without(changed[f.Path], same), without(changed[f.Path], func(m moved) bool { return !same(m) })} {
				if len(tests) > 0 && err == nil {
					err = x.looserIn(ctx, f, tests)
				}
			}
		}
		switch {
		case i == mostLooser:
			x.out.NotRun = append(x.out.NotRun, fmt.Sprintf("mutants for the changed tests of %d more files", len(files)-i))
			return nil
		case late(ctx, err):
			x.outOfTime()
			x.out.NotRun = append(x.out.NotRun, "mutants for the changed tests of "+f.Path)
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// reformed is how many words of a file's tests are no longer there, texts and numbers aside: where those alone are others, it asserts as before.
func reformed(f *file) int {
	words := func(in source.File) []string {
		code := those(source.Code(in.Tokens), func(t source.Token) bool { return t.Kind != source.String && t.Kind != source.Number })
		return each(code, func(t source.Token) string { return t.Text })
	}
	return len(without(words(f.old), oneFor(words(f.new))))
}

// rewordedIn are the tests of a file that were changed, or what they are run with was, and of which nothing was said yet.
func (x *chainJudge) rewordedIn(f *file) (out []moved) {
	now, renamed, helpers := byName(f.new), x.renamed(f), changedHelpers(f)
	for _, old := range f.old.Tests {
		t, still := now[old.Name]
		if !still {
			t, still = renamed[old.Name], renamed[old.Name].Name != ""
		}
		m := moved{testOf(f.Path, old), testOf(f.Path, t)}
		same := m.same(f) // of another one it was asked before what its text shows
		if still && !old.Skipped && m.is.in(x.results) == step.Pass && x.otherwise(f, m, helpers) && (same || len(judgeTest(f, t, old, true)) == 0) {
			out = append(out, m)
		}
	}
	return out
}

// otherwise reports whether a test is another one than before: itself, the rows that it is run with, a helper that it calls, or what its name
// means.
func (x *chainJudge) otherwise(f *file, m moved, helpers map[string]bool) bool {
	if nameless(m.was.Name, body(f.old, m.was.Test)) != nameless(m.is.Name, body(f.new, m.is.Test)) || retabled(f, m.was.Test, m.is.Test) {
		return true
	}
	return share(mentions(f.new, m.is.Test), helpers) || m.was.Name == m.is.Name && elsewhere(f.new, m.is.Test) > elsewhere(f.old, m.was.Test)
}

// elsewhere is how often the name of a test stands in its file outside of the test.
func elsewhere(f source.File, t source.Test) (n int) {
	for _, tok := range f.Tokens {
		if tok.Kind == source.Ident && tok.Text == t.Name && (tok.Off < t.Off || tok.End > t.Stop) {
			n++
		}
	}
	return n
}

// changedHelpers are the functions of a file that were there before and are others now, and those that call such.
func changedHelpers(f *file) map[string]bool {
	was, is := functions(f.Path, f.Old), functions(f.Path, f.New)
	for _, t := range f.old.Tests {
		delete(was, t.Name)
	}
	changed := map[string]bool{}
	for name, text := range was {
		if is[name] != text {
			changed[bareName(name)] = true
		}
	}
	for more := len(changed) > 0; more; {
		more = false
		for name, text := range was {
			last := bareName(name)
			if !changed[last] && slices.ContainsFunc(strings.Fields(text), func(word string) bool { return changed[word] }) {
				changed[last], more = true, true
			}
		}
	}
	return changed
}

// retabled reports whether what stands before a test is something else now: the rows that it is run with (test.each, parametrize), a helper.
func retabled(f *file, old, now source.Test) bool {
	return tableOf(f.old, old) != tableOf(f.new, now)
}

// tableOf is the code between a test and what ends before it.
func tableOf(f source.File, t source.Test) string {
	return body(f, source.Test{Off: behindOthers(f, t), Stop: t.Off})
}

// looserIn looks for a small change of the code that old versions of tests notice, and nothing that comes near it now. One that only other
// tests notice now is told, and blocks nothing, unless a test ends early: what was asserted may have moved to them.
func (x *chainJudge) looserIn(ctx context.Context, f *file, changed []moved) (err error) {
	was, err := x.withOldFile(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, was) }()
	run, changed, err := x.stillPassing(ctx, f, was, changed)
	if err != nil || len(changed) == 0 {
		return err
	}
	limit := slowAfter(longest(run.records))
	unnoticed, others, still, err := x.lessKilled(ctx, f, was, changed, limit, false)
	if err == nil && unnoticed != nil {
		if flaky, err := was.failAgain(ctx, before(changed)); err != nil || len(flaky) > 0 { // what fails now and then kills any mutant
			return err
		}
	}
	switch {
	case err != nil:
		return err
	case unnoticed != nil:
		x.weakens(reject("test-weakened", f.Path, changed[0].is.Line, fmt.Sprintf("%s No test kills it now.", killedBefore(changed, *unnoticed))), nil)
	case others != nil && changed[0].same(f) && !still:
		x.weakens(killNone(f.Path, after(changed), *others), nil)
	case others != nil:
		if early, err := x.endingEarly(ctx, f, was, changed[:min(mostLooser, len(changed))], limit); err != nil || early {
			return err
		}
		x.say(fix("test-weakened", f.Path, changed[0].is.Line, fmt.Sprintf("%s Of the tests that are there now, only others do.", killedBefore(changed, *others))), nil)
	}
	return nil
}

// stillPassing are the tests of a file that pass as they were. Of those that do not, it says why.
func (x *chainJudge) stillPassing(ctx context.Context, f *file, was *place, changed []moved) (testRun, []moved, error) {
	run, err := was.runThese(ctx, before(changed))
	if err != nil {
		return run, nil, err
	}
	var others, left []moved
	for _, m := range changed {
		switch st := m.was.in(run.results); {
		case st == step.Pass:
			left = append(left, m)
		case st == step.Fail && !x.subjectGone(resultsOf(m.was, run.results)):
			others = append(others, m)
		}
	}
	return run, left, x.otherNow(ctx, f, was, others, &run)
}

// before and after are changed tests as they were, and as they are.
func before(changed []moved) []test { return each(changed, func(m moved) test { return m.was }) }

func after(changed []moved) []test { return each(changed, func(m moved) test { return m.is }) }

// firstNames names the first of some tests.
func firstNames(tests []test) string {
	return strings.Join(each(tests[:min(len(tests), 5)], func(t test) string { return t.Name }), ", ")
}

// lessKilled is a mutant that some tests of a file killed as they were, and that no test kills now (or, alone, they do not), one that only others
// do, and whether they still kill any.
func (x *chainJudge) lessKilled(ctx context.Context, f *file, was *place, changed []moved, limit time.Duration, alone bool) (unnoticed, others *mutantAt, still bool, err error) {
	for _, m := range x.mutantsFor(f, each(changed, func(m moved) source.Test { return m.was.Test })...) {
		blind, kills, err := x.blindTo(ctx, was, m, changed, limit)
		if err != nil {
			return nil, nil, false, err
		}
		if still = still || kills; !blind {
			continue
		}
		if alone {
			return &m, nil, still, nil
		}
		killed, valid, err := x.killedNear(ctx, m, f.Path, limit)
		switch {
		case err != nil:
			return nil, nil, false, err
		case killed:
			others = cmp.Or(others, &m)
		case valid:
			return &m, others, still, nil
		}
	}
	return nil, others, still, nil
}

// endingEarly finds, among changed tests that notice less than before, those that pass before they come to their end, which their old
// versions reached: nothing that they assert there is looked at.
func (x *chainJudge) endingEarly(ctx context.Context, f *file, was *place, changed []moved, limit time.Duration) (found bool, err error) {
	for _, t := range changed {
		now, ok := f.new.CrashAtEnd(t.is.Test)
		old, okOld := f.old.CrashAtEnd(t.was.Test)
		if !ok || !okOld {
			continue
		}
		ends, valid, err := x.kills(ctx, x.pl, mutantAt{Mutant: now, file: f.Path, src: f.New}, []string{f.Path}, []test{t.is}, limit)
		if err != nil {
			return false, err
		}
		if ends || !valid {
			continue
		}
		ended, _, err := x.kills(ctx, was, mutantAt{Mutant: old, file: f.Path, src: f.Old}, []string{f.Path}, []test{t.was}, limit)
		if err != nil {
			return false, err
		}
		if ended {
			found = true
			x.weakens(reject("test-weakened", f.Path, t.is.Line, "The test "+t.is.Name+" passes before it comes to its end, which its old version reached. Remove what ends it early."), nil)
		}
	}
	return found, nil
}

// same reports whether the text of a test is as it was: only what it calls can have changed.
func (m moved) same(f *file) bool { return body(f.old, m.was.Test) == body(f.new, m.is.Test) }

// killNone says of tests that they do not kill any mutant since what they call was changed: it asserts nothing any more.
func killNone(file string, tests []test, m mutantAt) step.Finding {
	text := "What the test %s calls was changed. With its old version, the test kills a mutant in line %d of %s (%s). Now it kills none."
	if len(tests) > 1 {
		text = "What the tests %s call was changed. With its old version, they kill a mutant in line %d of %s (%s). Now they kill none."
	}
	return reject("test-weakened", file, tests[0].Line, fmt.Sprintf(text, firstNames(tests), m.Line, m.file, describe(m.Mutant)))
}

// killedBefore says of a mutant that the old versions of changed tests kill it.
func killedBefore(changed []moved, m mutantAt) string {
	if len(changed) == 1 {
		return fmt.Sprintf("The test %s was changed. Its old version passes and kills a mutant in line %d of %s (%s).", changed[0].is.Name, m.Line, m.file, describe(m.Mutant))
	}
	return fmt.Sprintf("The tests %s were changed. Their old versions pass and kill a mutant in line %d of %s (%s).", firstNames(after(changed)), m.Line, m.file, describe(m.Mutant))
}

// tableFrom is where what stands before a test begins: behind what closes the test before.
func tableFrom(f source.File, t source.Test) int {
	from := behindOthers(f, t)
	return from + max(0, bytes.IndexByte(f.Source()[from:t.Off], '\n'))
}

// withOldFile is the change with the tests of one file as they were before.
func (x *chainJudge) withOldFile(ctx context.Context, f *file) (*place, error) {
	e, err := x.onlyTests(ctx, f.Change, true)
	if err != nil {
		return nil, err
	}
	return x.c.openEdited(ctx, step.OnRestored, x.proof.Tree, []git.Edit{e}, x.proof.Tree, x.chain)
}

// looking are the test files that come near sources.
func (x *chainJudge) looking(sources ...string) []string {
	r := reach(x.chain, x.files, x.holdsTests, sources)
	files := x.runnable(slices.Concat(r.near, r.far))
	return files[:min(mostFar, len(files))]
}

// killedNear is [chainJudge.kills] by the tests that come near a small change, and those in one more file.
func (x *chainJudge) killedNear(ctx context.Context, m mutantAt, more string, limit time.Duration) (killed, valid bool, err error) {
	files := x.looking(m.file)
	if !slices.Contains(files, more) {
		files = append(files, more)
	}
	return x.kills(ctx, x.pl, m, files, nil, max(limit, slowAfter(x.took)))
}

// blindTo reports whether old versions of tests notice a small change of the code, each time they are run, and what they are now does not,
// or still does.
func (x *chainJudge) blindTo(ctx context.Context, was *place, m mutantAt, changed []moved, limit time.Duration) (blind, still bool, err error) {
	old, now := before(changed), after(changed)
	noticed, _, err := x.kills(ctx, was, m, filesOf(old), old, limit)
	if err != nil || !noticed {
		return false, false, err
	}
	still, valid, err := x.kills(ctx, x.pl, m, filesOf(now), now, limit)
	if err != nil || !valid || still {
		return false, still, err
	}
	defer was.again()()
	blind, _, err = x.kills(ctx, was, m, filesOf(old), old, limit)
	return blind, false, err
}

// kills is [place.mutant] with a limit of time: what takes much longer shows nothing.
func (x *chainJudge) kills(ctx context.Context, pl *place, m mutantAt, files []string, counting []test, limit time.Duration) (killed, valid bool, err error) {
	run, slow, err := pl.mutatedWithin(ctx, limit, m, toolchain.Selection{Files: files}, &x.proof)
	if err != nil || slow {
		return false, false, err
	}
	killed, valid = run.noticed(counting)
	return killed, valid, nil
}
