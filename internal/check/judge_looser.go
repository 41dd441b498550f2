package check

import (
	"cmp"
	"context"
	"errors"
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
const mostLooser = 3

// looser finds old tests that were changed although they pass as they were, and that let something pass now which they noticed. Their
// text does not tell: they assert as often as before. It comes last, and what there is no time for is left.
func (x *chainJudge) looser(ctx context.Context) error {
	asked := 0
	for _, ch := range x.changes {
		if ch.Status != 'M' || !mayTest(ch.Path) || !x.mineIn(x.chain, ch) || !x.pl.compiled(ch.Path) || asked >= mostLooser {
			continue
		}
		f := newFile(ch)
		if changed := x.rewordedIn(f); len(changed) > 0 {
			asked++
			if err := x.looserIn(ctx, f, changed); late(ctx, err) {
				x.outOfTime()
				x.out.NotRun = append(x.out.NotRun, "mutants for the changed tests of "+f.Path)
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// rewordedIn are the old versions of the tests of a file that were changed and of which nothing was said yet.
func (x *chainJudge) rewordedIn(f *file) (out []test) {
	before := map[string]source.Test{}
	for _, t := range f.old.Tests {
		before[t.Name] = t
	}
	for _, t := range f.new.Tests {
		old, existed := before[t.Name]
		id := f.Path + "::" + t.Name
		st := test{Test: t, ID: id, File: f.Path}.in(x.results)
		if existed && !old.Skipped && st == step.Pass && (body(f.old, old) != body(f.new, t) || retabled(f, old, t)) && len(judgeTest(f, t, old, true)) == 0 {
			out = append(out, test{Test: old, ID: id, File: f.Path})
		}
	}
	return out
}

// retabled reports whether what stands before a test is something else now: the rows that it is run with (test.each, parametrize), a helper.
func retabled(f *file, old, now source.Test) bool {
	return tableOf(f.old, old) != tableOf(f.new, now)
}

// tableOf is the code between a test and what ends before it.
func tableOf(f source.File, t source.Test) string {
	return body(f, source.Test{Off: behindOthers(f, t), Stop: t.Off})
}

// behindOthers is where the tests before a test end.
func behindOthers(f source.File, t source.Test) int {
	from := f.TestsFrom(t.Off)
	for _, o := range f.Tests {
		if o.Stop <= t.Off {
			from = max(from, o.Stop)
		}
	}
	return from
}

// looserIn looks for a small change of the code that old versions of tests notice, and nothing that comes near it now. One that only other
// tests notice now is told, and blocks nothing, unless a test ends early: what was asserted may have moved to them.
func (x *chainJudge) looserIn(ctx context.Context, f *file, changed []test) (err error) {
	var old []source.Test
	for _, t := range changed {
		old = append(old, t.Test)
	}
	mutants := x.mutantsFor(f, old...)
	was, err := x.withOldFile(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, was) }()
	run, err := was.runThese(ctx, changed)
	if err != nil {
		return err
	}
	var others []test // that expect something else now
	changed = slices.DeleteFunc(changed, func(t test) bool {
		st := t.in(run.results)
		if st == step.Fail && !x.subjectGone(resultsOf(t, run.results)) {
			others = append(others, t)
		}
		return st != step.Pass
	})
	if err := x.otherNow(ctx, f, was, others, &run); err != nil {
		return err
	}
	if len(changed) == 0 {
		return nil
	}
	limit := slowAfter(longest(run.records))
	var elsewhere *mutantAt
	for _, m := range mutants {
		blind, err := x.blindTo(ctx, was, m, changed, limit)
		if err != nil {
			return err
		}
		if !blind {
			continue
		}
		killed, valid, err := x.killedNear(ctx, m, f.Path, limit)
		if err != nil {
			return err
		}
		if killed && elsewhere == nil {
			elsewhere = &m
		}
		if valid && !killed {
			x.known.weakened++
			x.block(reject("test-weakened", f.Path, changed[0].Line, fmt.Sprintf("%s No test kills it now.", killedBefore(changed, m))), nil)
			return nil
		}
	}
	if elsewhere != nil {
		if early, err := x.endingEarly(ctx, f, was, changed[:min(mostLooser, len(changed))], limit); err != nil || early {
			return err
		}
		x.say(fix("test-weakened", f.Path, changed[0].Line, fmt.Sprintf("%s Of the tests that are there now, only others do.", killedBefore(changed, *elsewhere))), nil)
	}
	return nil
}

// endingEarly finds, among changed tests that notice less than before, those that pass before they come to their end, which their old
// versions reached: nothing that they assert there is looked at.
func (x *chainJudge) endingEarly(ctx context.Context, f *file, was *place, changed []test, limit time.Duration) (found bool, err error) {
	for _, t := range changed {
		i := slices.IndexFunc(f.new.Tests, func(n source.Test) bool { return n.Name == t.Name })
		now, ok := f.new.CrashAtEnd(f.new.Tests[i])
		old, okOld := f.old.CrashAtEnd(t.Test)
		if !ok || !okOld {
			continue
		}
		ends, valid, err := x.kills(ctx, x.pl, mutantAt{Mutant: now, file: f.Path, src: f.New}, []string{f.Path}, []test{t}, limit)
		if err != nil {
			return false, err
		}
		if ends || !valid {
			continue
		}
		ended, _, err := x.kills(ctx, was, mutantAt{Mutant: old, file: f.Path, src: f.Old}, []string{f.Path}, []test{t}, limit)
		if err != nil {
			return false, err
		}
		if ended {
			found = true
			x.known.weakened++
			x.block(reject("test-weakened", f.Path, f.new.Tests[i].Line, "The test "+t.Name+" passes before it comes to its end, which its old version reached. Remove what ends it early."), nil)
		}
	}
	return found, nil
}

// killedBefore says of a mutant that the old versions of changed tests kill it.
func killedBefore(changed []test, m mutantAt) string {
	if len(changed) == 1 {
		return fmt.Sprintf("The test %s was changed. Its old version passes and kills a mutant in line %d of %s (%s).", changed[0].Name, m.Line, m.file, describe(m.Mutant))
	}
	var names []string
	for _, t := range changed[:min(len(changed), 5)] {
		names = append(names, t.Name)
	}
	return fmt.Sprintf("The tests %s were changed. Their old versions pass and kill a mutant in line %d of %s (%s).", strings.Join(names, ", "), m.Line, m.file, describe(m.Mutant))
}

// otherNow tells which old tests expect something else now. One whose new version passes without the change as well does not expect it: it
// only does not see any more what the change broke.
func (x *chainJudge) otherNow(ctx context.Context, f *file, was *place, others []test, run *testRun) error {
	if len(others) == 0 {
		return nil
	}
	loose, err := x.loosened(ctx, f, was, others)
	if err != nil {
		return err
	}
	for _, t := range loose {
		x.known.weakened++
		x.block(reject("test-weakened", f.Path, t.Line, "The test "+t.Name+
			" was loosened. Its old version passes without the change and fails with it; its new version passes with and without it. Restore it and fix the code, or assert what is expected now."), run)
	}
	others = slices.DeleteFunc(others, among(loose))
	if len(others) == 0 {
		return nil
	}
	var names []string
	for _, t := range others {
		names = append(names, t.Name)
	}
	x.say(fix("expectation-changed", f.Path, others[0].Line, otherExpectations(names)), run)
	return nil
}

// loosened are those of some tests that fail as they were, each time, passed before the change, and pass there as they are now.
func (x *chainJudge) loosened(ctx context.Context, f *file, was *place, failing []test) (loose []test, err error) {
	failing = slices.Clone(failing)
	text := f.Old
	for _, t := range slices.SortedFunc(slices.Values(failing), func(a, b test) int { return b.Off - a.Off }) { // the last first
		i := slices.IndexFunc(f.new.Tests, func(n source.Test) bool { return n.Name == t.Name })
		if i < 0 {
			return nil, nil
		}
		now := f.new.Tests[i]
		text = slices.Concat(text[:headOf(f.old, t.Test)], f.New[headOf(f.new, now):now.Stop], text[t.Stop:])
	}
	id, err := x.c.repo.WriteBlob(ctx, text)
	if err != nil {
		return nil, err
	}
	tree, err := x.c.repo.EditTree(ctx, x.before, []git.Edit{{Path: f.Path, Mode: f.OldMode, ID: id}})
	if err != nil {
		return nil, err
	}
	pl, err := x.c.open(ctx, step.OnWithout, tree, cmp.Or(x.t.Base, x.proof.Tree), x.chain)
	if err != nil {
		return nil, err
	}
	defer func() { err = joinClose(err, pl) }()
	base, err := x.place(ctx, x.chain)
	if err != nil {
		return nil, err
	}
	defer was.again()()
	for _, again := range []struct {
		pl   *place
		want step.TestStatus
	}{{pl, step.Pass}, {base, step.Pass}, {was, step.Fail}} {
		if len(failing) == 0 {
			return nil, nil
		}
		run, err := again.pl.runThese(ctx, failing)
		x.proof.Records = append(x.proof.Records, run.records...)
		if err != nil {
			return nil, err
		}
		failing = slices.DeleteFunc(failing, func(t test) bool { return t.in(run.results) != again.want })
	}
	return failing, nil
}

// headOf is where a test begins, with what stands before it without a blank line between: decorators, rows.
func headOf(f source.File, t source.Test) int {
	src, from := f.Source(), behindOthers(f, t)
	if i := strings.LastIndex(string(src[from:t.Off]), "\n\n"); i >= 0 {
		return from + i
	}
	return from
}

// besides finds tests that are as they were and fail beside their data and helpers as those were before: what they expect was changed there.
// It blocks nothing, as with [chainJudge.looser], and comes last.
func (x *chainJudge) besides(ctx context.Context) (err error) {
	var edits []git.Edit
	var paths []string
	for _, ch := range x.changes {
		if ch.Status == 'M' && kindOf(ch) == testKind && x.mineIn(x.chain, ch) && len(source.Parse(ch.Path, ch.New).Tests) == 0 {
			edits, paths = append(edits, git.Edit{Path: ch.Path, Mode: ch.OldMode, ID: ch.OldID}), append(paths, ch.Path)
		}
	}
	var files []string
	for _, r := range x.results {
		if file, _ := toolchain.SplitID(r.ID); r.Status == step.Pass && !slices.Contains(files, file) && x.holdsTests(file) {
			files = append(files, file)
		}
	}
	files = files[:min(mostFar, len(files))]
	if len(edits) == 0 || len(files) == 0 || !slices.ContainsFunc(x.changes, func(ch Change) bool { return kindOf(ch) == codeKind }) {
		return nil
	}
	tree, err := x.c.repo.EditTree(ctx, x.proof.Tree, edits)
	if err != nil {
		return err
	}
	pl, err := x.c.open(ctx, step.OnRestored, tree, x.proof.Tree, x.chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	tests := slices.DeleteFunc(x.pl.testsOf(files), func(t test) bool { return t.in(x.results) != step.Pass || among(x.fresh)(t) })
	run, err := pl.runTests(ctx, toolchain.Selection{Files: files}, tests)
	x.proof.Records = append(x.proof.Records, run.records...)
	if late(ctx, err) {
		return nil
	} else if err != nil {
		return err
	}
	var failing []string
	for _, t := range tests {
		rs := resultsOf(t, run.results)
		if status(rs) == step.Fail && !absent().MatchString(worst(rs).Message) {
			failing = append(failing, t.Name)
		}
	}
	if len(failing) > 0 {
		x.say(fix("expectation-changed", edits[0].Path, 0, "Existing tests expect something else now. With the change, but with "+
			someOf(paths)+" as before, they fail: "+strings.Join(failing[:min(len(failing), 5)], ", ")+"."), &run)
	}
	return nil
}

// withOldFile is the change with the tests of one file as they were before.
func (x *chainJudge) withOldFile(ctx context.Context, f *file) (*place, error) {
	e, err := x.onlyTests(ctx, f.Change, true)
	if err != nil {
		return nil, err
	}
	tree, err := x.c.repo.EditTree(ctx, x.proof.Tree, []git.Edit{e})
	if err != nil {
		return nil, err
	}
	return x.c.open(ctx, step.OnRestored, tree, x.proof.Tree, x.chain)
}

// looking are the test files that come near a source, and one more.
func (x *chainJudge) looking(file, more string) []string {
	r := reach(x.chain, x.files, x.holdsTests, []string{file})
	files := x.runnable(slices.Concat(r.near, r.far))
	if files = files[:min(mostFar, len(files))]; !slices.Contains(files, more) {
		files = append(files, more)
	}
	return files
}

// killedNear is [chainJudge.kills] by the tests that come near a small change, and those in one more file.
func (x *chainJudge) killedNear(ctx context.Context, m mutantAt, more string, limit time.Duration) (killed, valid bool, err error) {
	return x.kills(ctx, x.pl, m, x.looking(m.file, more), nil, max(limit, slowAfter(x.took)))
}

// blindTo reports whether old versions of tests notice a small change of the code, each time they are run, and what they are now does not.
func (x *chainJudge) blindTo(ctx context.Context, was *place, m mutantAt, tests []test, limit time.Duration) (bool, error) {
	noticed, _, err := x.kills(ctx, was, m, filesOf(tests), tests, limit)
	if err != nil || !noticed {
		return false, err
	}
	still, valid, err := x.kills(ctx, x.pl, m, filesOf(tests), tests, limit)
	if err != nil || !valid || still {
		return false, err
	}
	defer was.again()()
	again, _, err := x.kills(ctx, was, m, filesOf(tests), tests, limit)
	return again, err
}

// kills is [place.mutant] with a limit of time: a small change that makes an endless loop is noticed.
func (x *chainJudge) kills(ctx context.Context, pl *place, m mutantAt, files []string, counting []test, limit time.Duration) (killed, valid bool, err error) {
	short, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	killed, valid, err = pl.mutant(short, m, files, counting, &x.proof)
	if errors.Is(err, errSlow) && !late(ctx, err) {
		return true, true, nil
	}
	return killed, valid, err
}
