package source

import (
	"slices"

	"github.com/jacquard-build/jacquard/internal/re"
)

// asserting are words of assertions.
var asserting = re.New(`(?i)^(assert|expect|should|raises|fail|verify|check|must|equal|throws|rejects)`)

// CrashInLoops is a mutant of a test that fails where the body of one of its loops begins that asserts something; all says that it
// asserts nothing outside of them. ok is false where no loop asserts, or such a mutant cannot be written: what the test asserts is
// looked at in any case then, as far as is known.
func (f File) CrashInLoops(t Test) (m Mutant, all, ok bool) {
	ts := Code(f.Tokens)
	ts = ts[firstAt(ts, t.Off):firstAt(ts, t.Stop)]
	var bodies [][2]int // of loops: from which token, to which
	for i := range ts {
		if from, to, is := f.loopBody(ts, i); is {
			bodies = append(bodies, [2]int{from, to})
		}
	}
	var asserts []int
	for i, x := range ts {
		if x.Kind != Ident || !asserting().MatchString(x.Text) || i+1 == len(ts) {
			continue
		}
		whole := slices.Contains([]string{"assert", "expect", "should"}, x.Text) // else a variable may be called so
		if next := ts[i+1].Text; whole || next == "(" || next == "!" {
			asserts = append(asserts, i)
		}
	}
	in := func(b [2]int) func(int) bool { return func(i int) bool { return b[0] <= i && i < b[1] } }
	all = !slices.ContainsFunc(asserts, func(i int) bool {
		return !slices.ContainsFunc(bodies, func(b [2]int) bool { return in(b)(i) })
	})
	bodies = slices.DeleteFunc(bodies, func(b [2]int) bool { return !slices.ContainsFunc(asserts, in(b)) })
	crash := crashes[f.Lang]
	if len(bodies) == 0 || crash == "" {
		return m, false, false
	}
	text, last := "", t.Off
	for _, b := range bodies {
		at := ts[b[0]].Off
		text += string(f.src(last, at)) + crash + "; "
		last = at
	}
	return Mutant{Func: t.Name, Line: t.Line, What: "crash", Off: t.Off, End: t.Stop, New: text + string(f.src(last, t.Stop))}, all, true
}

// loopBody is what a loop that begins with a token repeats: from which token, up to which. It is read where a body begins in no other way.
func (f File) loopBody(ts []Token, i int) (from, to int, ok bool) {
	switch {
	case f.Lang == Python && ts[i].Text == "for" && ts[i].Indent >= 0:
		colon := headerEnd(ts, i)
		if colon == 0 {
			return 0, 0, false
		}
		from, to = colon+1, colon+1
		for to < len(ts) && (ts[to].Indent < 0 || ts[to].Indent > ts[i].Indent) {
			to++
		}
	case (f.Lang == JavaScript || f.Lang == TypeScript || f.Lang == Java || f.Lang == Kotlin) && ts[i].Text == "for" && i+1 < len(ts) && ts[i+1].Text == "(":
		open := closing(ts, i+1) + 1
		if open >= len(ts) || ts[open].Text != "{" {
			return 0, 0, false
		}
		from, to = open+1, closing(ts, open)
	case f.Lang == Rust && ts[i].Text == "for":
		open := i + slices.IndexFunc(ts[i:], func(t Token) bool { return t.Text == "{" })
		if open < i {
			return 0, 0, false
		}
		from, to = open+1, closing(ts, open)
	}
	return from, to, from > 0 && from < to && from < len(ts)
}
