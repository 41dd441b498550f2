package check

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// weakened finds old tests that show less than before, and new ones that show nothing. What the text of a test says is only a suspicion: it
// blocks where runs of the old and of the new test differ.
func (x *chainJudge) weakened(ctx context.Context) error {
	for _, ch := range x.changes {
		if ch.Status == 'D' || !mayTest(ch.Path) || !x.mineIn(x.chain, ch) || !x.pl.compiled(ch.Path) {
			continue
		}
		f := newFile(ch)
		before := byName(f.old)
		for _, t := range f.new.Tests {
			old, existed := before[t.Name]
			same := old.Skipped || body(f.old, old) == body(f.new, t) && old.Skipped == t.Skipped && old.Only == t.Only
			now := testOf(ch.Path, t)
			st := now.in(x.results)
			if existed && (same || bad(st)) || !existed && !among(x.fresh)(now) { // a failing one shows what it shows
				continue
			}
			said := existed || st != step.Skip
			for _, found := range judgeTest(f, t, old, existed) {
				switch {
				case existed:
					if err := x.suspect(ctx, f, now, old, found); err != nil {
						return err
					}
				case found.Rule == "test-skipped" && (t.MaySkip || st != "" && st != step.Skip), found.Rule == "test-empty" && likeOthers(f, t):
				default:
					said = said || found.Rule == "test-skipped"
					found.Severity = step.Fix
					x.say(found, nil)
				}
			}
			if !said {
				x.say(warn("test-skipped", ch.Path, t.Line, "The new test "+t.Name+" is skipped here, so it shows nothing."), nil)
			}
		}
		for _, found := range hollowHelpers(f) {
			if x.anew {
				x.say(found, nil)
			}
		}
	}
	return nil
}

// suspect looks closer at what the text of a changed test says.
func (x *chainJudge) suspect(ctx context.Context, f *file, t test, old source.Test, found step.Finding) error {
	switch found.Rule {
	case "test-skipped":
		st := t.in(x.results)
		whole := st == "" && slices.ContainsFunc(x.results, func(r step.TestResult) bool { return r.ID == t.File && r.Status == step.Skip }) // of its file
		skipped, run, err := false, testRun{}, error(nil)
		if st == step.Skip || whole || st != "" && t.Fails { // or has to fail
			skipped, run, err = x.passedBefore(ctx, t)
		}
		if err != nil {
			return err
		}
		if found.Severity = step.Fix; skipped && !t.MaySkip {
			found.Severity, found.Message = step.Rejects, "The test "+t.Name+" ran before and is skipped now. Remove the skip."
			if t.Fails {
				found.Message = "The test " + t.Name + " passed before and is marked to fail now. Remove the mark."
			}
			x.weakens(found, &run)
			return nil
		}
	case "test-empty", "test-always-true", "test-weakened":
		m, err := x.blind(ctx, f, moved{testOf(t.File, old), t}, found.Rule != "test-weakened")
		if err != nil {
			return err
		}
		if m != nil {
			found.Severity = step.Rejects
			found.Message = fmt.Sprintf("%s Its old version kills a mutant in line %d of %s (%s), which it does not any more.", found.Message, m.Line, m.file, describe(m.Mutant))
			x.weakens(found, nil)
			return nil
		}
		if found.Rule == "test-empty" && likeOthers(f, t.Test) {
			return nil
		}
	}
	found.Severity = step.Fix
	x.say(found, nil)
	return nil
}

// passedBefore reports whether a test passes without the change.
func (x *chainJudge) passedBefore(ctx context.Context, t test) (bool, testRun, error) {
	run, _, err := x.asBefore(ctx, x.chain, []test{t})
	return t.in(run.results) == step.Pass, run, err
}

// deleted finds tests that are gone, went on nowhere, and say something when they are put back: they pass with the change, or they fail
// with it and did not before. One that cannot be built any more says nothing. Where new or changed tests name
// all that such a test called, it may have become a part of them.
func (x *chainJudge) deleted(ctx context.Context) error {
	gone, edits, err := x.lost(ctx, x.pl)
	if err != nil || len(gone) == 0 {
		return err
	}
	goesOn := map[string]bool{} // under another name, but without the values that it had
	gone = slices.DeleteFunc(gone, func(t test) bool {
		f := newFile(changeOf(x.changes, t.File))
		now, ok := x.renamed(f)[t.Name]
		ok = ok && x.namedStill(t, x.fresh)
		goesOn[t.ID] = ok
		return !x.owns(x.chain, t.File) || ok && keepsValues(f, t.Test, now) || x.wentAlong(t)
	})
	if len(gone) == 0 {
		return nil
	}
	run, err := x.putBack(ctx, x.pl, edits, gone, "")
	if err != nil {
		return err
	}
	if run.dead() && x.known.silent == "" {
		if _, was, err := x.passedBefore(ctx, gone[0]); err != nil || was.dead() {
			x.known.silent, x.known.dead = brief(messageOf(gone[0], run)), true
			return err
		}
	}
	for _, t := range gone {
		results := resultsOf(t, run.results)
		text, advice := "The test "+t.Name+" is gone, but it passes with the change. ", "Put it back."
		switch status(results) {
		case step.Pass:
		case step.Fail:
			if goesOn[t.ID] {
				continue
			}
			passed, _, err := x.passedBefore(ctx, t)
			if err != nil {
				return err
			}
			if !passed || x.subjectGone(results) {
				continue
			}
			x.known.doubt++
			again, err := x.putBack(ctx, x.pl, edits, []test{t}, forSure)
			if err != nil {
				return err
			}
			x.known.doubt--
			if t.in(again.results) == step.Pass {
				x.say(warn("flaky-test", t.File, 0, "The test "+t.Name+" is gone. It fails with the change, but not every time."), &run)
				continue
			}
			text = "The test " + t.Name + " is gone. It passes without the change, but fails with it: " + firstMessage(results) + ". "
			advice = "Put it back and fix the code, or write a test for the new behavior."
		default:
			continue
		}
		by := x.fresh
		if status(results) == step.Fail { // it expected something else
			by = x.redTests()
		}
		if x.anew && len(x.namedIn(t)) > 0 && x.namedStill(t, by) {
			x.say(fix("test-deleted", t.File, 0, text+"New or changed tests mention everything that it called."), &run)
			continue
		}
		x.weakens(reject("test-deleted", t.File, 0, text+advice), &run)
	}
	return nil
}

// wentAlong reports whether a test is in another file now as it was, and calls what went to another module: only where its names are from is
// another.
func (x *chainJudge) wentAlong(t test) bool {
	old := source.Parse(t.File, changeOf(x.changes, t.File).Old)
	was := fromNowhere(body(old, t.Test))
	return slices.ContainsFunc(x.fresh, func(o test) bool {
		if o.File == t.File || bareName(o.Name) != bareName(t.Name) {
			return false
		}
		f := source.Parse(o.File, x.files[o.File])
		return fromNowhere(body(f, o.Test)) == was
	})
}

// fromNowhere is code without what its names belong to.
func fromNowhere(code string) string {
	words := strings.Fields(code)
	var out []string
	for i, w := range words {
		if belongs := i+1 < len(words) && words[i+1] == "." && word().MatchString(w); !belongs && w != "." {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// firstMessage is the first line of what a test said when it failed.
func firstMessage(results []step.TestResult) string {
	line := tellingLines(worst(results).Message, 1)
	return cmp.Or(strings.TrimRight(clipped(line, maxBrief), "."), "it gives no message")
}

// redTests are the new and changed tests that fail without the change.
func (x *chainJudge) redTests() []test {
	return those(x.fresh, func(t test) bool { return slices.ContainsFunc(x.out.Red, func(r RedTest) bool { return r.ID == t.ID }) })
}

// redIDs are the ids of these.
func (x *chainJudge) redIDs() map[string]bool {
	return setOf(each(x.redTests(), func(t test) string { return t.ID }))
}

// namedStill reports whether some tests name all functions of the project that a test which is gone named.
func (x *chainJudge) namedStill(t test, by []test) bool {
	now := x.mentionedBy(by)
	return !slices.ContainsFunc(x.namedIn(t), func(name string) bool { return !now[name] })
}

// namedIn are the functions of the project that an old test names: those that it calls, and those that it gives to others to call.
func (x *chainJudge) namedIn(t test) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(mentions(source.Parse(t.File, changeOf(x.changes, t.File).Old), t.Test))) {
		for file, src := range x.files {
			if toolchain.IsSource(file) && bytes.Contains(src, []byte(name)) &&
				slices.ContainsFunc(source.Parse(file, src).Funcs, func(fn source.Func) bool { return bareName(fn.Name) == name }) {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// mentionedBy are the names that stand in some tests.
func (x *chainJudge) mentionedBy(tests []test) map[string]bool {
	out := map[string]bool{}
	for _, t := range tests {
		maps.Copy(out, mentions(source.Parse(t.File, x.files[t.File]), t.Test))
	}
	return out
}

// mentions are the names that stand in a test.
func mentions(f source.File, t source.Test) map[string]bool {
	return namesIn(within(f.Tokens, t.Off, t.Stop))
}

// mostBlind is how many small changes of the code are tried to find one that only the old version of a test notices.
const mostBlind = 6

// blind looks for a small change of the code that the old version of a test notices and the new one does not, nor (unless alone) any
// other test near it. Where the old version fails with the change, it is said what that means.
func (x *chainJudge) blind(ctx context.Context, f *file, t moved, alone bool) (less *mutantAt, err error) {
	was, err := x.withOldFile(ctx, f)
	if err != nil {
		return nil, err
	}
	defer func() { err = joinClose(err, was) }()
	run, left, err := x.stillPassing(ctx, f, was, []moved{t})
	if err != nil || len(left) == 0 {
		return nil, err
	}
	less, _, _, err = x.lessKilled(ctx, f, was, left, slowAfter(longest(run.records)), alone)
	return less, err
}
