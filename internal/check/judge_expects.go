package check

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mostPieces is how many pieces of a change are undone one by one.
const mostPieces = 8

// otherNow tells which old tests expect something else now. One whose new version passes without the change as well does not expect it: it
// only does not see any more what the change broke.
func (x *chainJudge) otherNow(ctx context.Context, f *file, was *place, others []moved, run *testRun) error {
	if len(others) == 0 {
		return nil
	}
	e, err := x.swapped(ctx, f, others)
	if err != nil {
		return err
	}
	loose, err := x.loosened(ctx, []git.Edit{e}, was, others)
	if err != nil {
		return err
	}
	loose = without(loose, func(m moved) bool { return converts(body(f.old, m.was.Test), body(f.new, m.is.Test)) })
	wanted, err := x.demanded(ctx, was, loose)
	if err != nil && !late(ctx, err) {
		return err
	}
	loose = without(loose, piece{tests: wanted}.has)
	for _, m := range loose {
		x.weakens(reject("test-weakened", f.Path, m.is.Line, wasLoosened(m.is.Name)), run)
	}
	loosened := among(after(loose))
	if others = without(others, func(m moved) bool { return loosened(m.is) }); len(others) == 0 {
		return nil
	}
	then, _, err := x.asBefore(ctx, x.chain, before(others))
	if err != nil {
		return err
	}
	others = those(others, func(m moved) bool { return !bad(m.was.in(then.results)) }) // else it failed before the change
	if len(others) > 0 {
		x.say(fix("expectation-changed", f.Path, others[0].is.Line, otherExpectations(after(others))), run)
	}
	return nil
}

// wasLoosened says of a test that it does not see any more what the change broke.
func wasLoosened(name string) string {
	return "The test " + name +
		" was loosened. Its old version passes without the change and fails with it; its new version passes with and without it. Restore it and fix the code, or assert what is expected now."
}

// converts reports whether a test only takes what it is given in another form than before, and asserts the same of it: all of what can be
// iterated, what is waited for. That does for both forms, so such a test passes with and without the change.
func converts(was, is string) bool {
	before, had := unconverted(strings.Fields(was))
	after, has := unconverted(strings.Fields(is))
	return has > had && slices.Equal(before, after)
}

// unconverted is the code of a test without conversions, and how many there were: list(…), tuple(…), Array.from(…), [...…], await,
// asyncio.run(…).
func unconverted(tokens []string) (out []string, n int) {
	var open []bool // of each bracket that is open, whether it belongs to a conversion
	for i := 0; i < len(tokens); i++ {
		rest := tokens[i:]
		begins := func(words ...string) bool { return len(rest) > len(words) && slices.Equal(rest[:len(words)], words) }
		bare := i == 0 || tokens[i-1] != "."
		switch t := tokens[i]; {
		case t == "await" || t == "async":
			n++
		case bare && (begins("list", "(") || begins("tuple", "(")), begins("[", "..."):
			open, n, i = append(open, true), n+1, i+1
		case bare && (begins("Array", ".", "from", "(") || begins("asyncio", ".", "run", "(")):
			open, n, i = append(open, true), n+1, i+3
		case t == "(" || t == "[" || t == "{":
			open, out = append(open, false), append(out, t)
		case t == ")" || t == "]" || t == "}":
			last := len(open) - 1
			if last < 0 || !open[last] {
				out = append(out, t)
			}
			open = open[:max(0, last)]
		default:
			out = append(out, t)
		}
	}
	return out, n
}

// swapped is the old file with some of its tests as they are now.
func (x *chainJudge) swapped(ctx context.Context, f *file, changed []moved) (git.Edit, error) {
	text := f.Old
	for _, m := range slices.SortedFunc(slices.Values(changed), func(a, b moved) int { return b.was.Off - a.was.Off }) { // the last first
		head := headOf
		if retabled(f, m.was.Test, m.is.Test) {
			head = tableFrom
		}
		text = slices.Concat(text[:head(f.old, m.was.Test)], f.New[head(f.new, m.is.Test):m.is.Stop], text[m.was.Stop:])
	}
	id, err := x.c.repo.WriteBlob(ctx, text)
	return git.Edit{Path: f.Path, Mode: f.OldMode, ID: id}, err
}

// loosened are those of some tests that fail as they were, each time, passed before the change, and pass there as the edits make them, or with
// all that the change did to tests.
func (x *chainJudge) loosened(ctx context.Context, edits []git.Edit, was *place, failing []moved) (loose []moved, err error) {
	pl, err := x.c.openEdited(ctx, step.OnWithout, x.before, edits, cmp.Or(x.t.Base, x.proof.Tree), x.chain)
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
		pl    *place
		tests func([]moved) []test
		want  step.TestStatus
	}{{pl, after, step.Pass}, {base, before, step.Pass}, {was, before, step.Fail}} {
		if len(failing) == 0 {
			return nil, nil
		}
		tests := again.tests(failing)
		run, err := x.proof.noted(again.pl.runThese(ctx, tests))
		if err != nil {
			return nil, err
		}
		failing = without(failing, func(m moved) bool {
			t := again.tests([]moved{m})[0]
			return t.in(run.results) != again.want && (again.pl != pl || !among(x.alike)(t))
		})
	}
	return failing, nil
}

// piece is a piece of the change, undone, and the old tests that pass without it alone.
type piece struct {
	mutantAt

	tests []moved
}

// demanded are those of some old tests that fail only because of what a new test demands: without each piece of the change that makes them
// fail, a new test fails too. What the code does there was changed on purpose.
func (x *chainJudge) demanded(ctx context.Context, was *place, old []moved) ([]moved, error) {
	red := x.redTests()
	if len(old) == 0 || len(red) == 0 {
		return nil, nil
	}
	because, err := x.because(ctx, was, old, x.pieces())
	if err != nil {
		return nil, err
	}
	var shown, not []moved
	for _, p := range because {
		run, err := x.pl.mutated(ctx, p.mutantAt, toolchain.Selection{Files: filesOf(red)}, &x.proof)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(red, func(t test) bool { return t.in(run.results) == step.Fail }) {
			shown = append(shown, p.tests...)
		} else {
			not = append(not, p.tests...)
		}
	}
	return without(shown, piece{tests: not}.has), nil
}

func (p piece) has(m moved) bool { return among(before(p.tests))(m.was) }

// because are the pieces without which an old test passes, as small as they can be.
func (x *chainJudge) because(ctx context.Context, was *place, old []moved, pieces []mutantAt) (out []piece, err error) {
	for _, m := range pieces[:min(mostPieces, len(pieces))] {
		run, err := was.mutated(ctx, m, toolchain.Selection{IDs: idsOf(before(old))}, &x.proof)
		if err != nil {
			return nil, err
		}
		back := without(old, func(o moved) bool { return o.was.in(run.results) != step.Pass })
		if len(back) == 0 {
			continue
		}
		if smaller := m.smaller(); len(smaller) > 1 {
			inner, err := x.because(ctx, was, back, smaller)
			if err != nil {
				return nil, err
			}
			out = append(out, inner...)
			for _, p := range inner {
				back = without(back, p.has)
			}
		}
		if len(back) > 0 {
			out = append(out, piece{m, back})
		}
	}
	return out, nil
}

// pieces undo the pieces of the change in code that was there before, one each.
func (x *chainJudge) pieces() (out []mutantAt) {
	for _, ch := range x.changes {
		if ch.Status == 'M' && x.kindOf(ch) == codeKind && x.mineIn(x.chain, ch) {
			lines := undone(strings.SplitAfter(string(ch.Old), "\n"), strings.SplitAfter(string(ch.New), "\n"))
			out = append(out, each(lines, func(m source.Mutant) mutantAt { return mutantAt{m, ch.Path, ch.New, true} })...)
		}
	}
	return out
}

// smaller are the pieces of a piece, word by word.
func (m mutantAt) smaller() (out []mutantAt) {
	for _, part := range undone(words().FindAllString(m.New, -1), words().FindAllString(string(m.src[m.Off:m.End]), -1)) {
		part.Off, part.End = part.Off+m.Off, part.End+m.Off
		out = append(out, mutantAt{Mutant: part, file: m.file, src: m.src, anew: m.anew})
	}
	return out
}

// words takes a text apart without losing any of it.
var words = re.New(`\w+|\s+|[^\w\s]`)

// undone are the pieces in which two texts differ, each as what makes it again what it was.
func undone(from, to []string) (out []source.Mutant) {
	gone, fresh := numbersOf(addedTo(to, from)), numbersOf(addedTo(from, to))
	off := 0
	for i, j := 0, 0; i < len(from) || j < len(to); i, j = i+1, j+1 {
		m := source.Mutant{Off: off}
		for ; gone[i+1]; i++ {
			m.New += from[i]
		}
		for ; fresh[j+1]; j++ {
			off += len(to[j])
		}
		if m.End = off; m.New != "" || m.End > m.Off {
			out = append(out, m)
		}
		if (i < len(from)) != (j < len(to)) || i < len(from) && from[i] != to[j] {
			return nil // the two comparisons do not see the same pieces
		}
		if j < len(to) {
			off += len(to[j])
		}
	}
	return out
}
