package source

import "slices"

// Branch is code that runs under a condition of its own.
type Branch struct {
	Func       string // in which function
	Line       int
	Head       int // of the if
	Off, End   int // of the condition
	Body, Stop int // of what runs when it holds, with its braces
	lang       string
	cond       string
}

// decided are the words of languages that make a condition hold, those that make it not hold, and those with which the program fails
// where it holds.
var decided = map[string][3]string{
	Go:         {" || true", " && false", ` && func() bool { panic("mutant") }()`},
	Rust:       {" || true", " && false", ` && panic!("mutant")`},
	JavaScript: {" || true", " && false", ` && (() => { throw new Error("mutant"); })()`},
	TypeScript: {" || true", " && false", ` && (() => { throw new Error("mutant"); })()`},
	Python:     {" or True", " and False", ` and (_ for _ in ()).throw(BaseException("mutant"))`},
}

// Taken is a mutant that always takes the branch.
func (b Branch) Taken() Mutant { return b.mutant("take branch", decided[b.lang][0]) }

// Left is a mutant that never takes the branch.
func (b Branch) Left() Mutant { return b.mutant("leave branch", decided[b.lang][1]) }

// Fails is a mutant that fails where the branch is taken: a test that passes with it does not take the branch, or waits for a failure.
func (b Branch) Fails() Mutant { return b.mutant("crash", decided[b.lang][2]) }

func (b Branch) mutant(what, more string) Mutant {
	return Mutant{Func: b.Func, Line: b.Line, What: what, Off: b.Off, End: b.End, New: "(" + b.cond + ")" + more}
}

// Branches are those of functions that an if begins, in the order of the file: not those of tests, conditions that bind names, and
// languages whose conditions cannot be made to hold.
func (f File) Branches() (out []Branch) {
	if _, ok := decided[f.Lang]; !ok {
		return nil
	}
	ts := Code(f.Tokens)
	seen := map[int]bool{}
	for n := len(f.Funcs) - 1; n >= 0; n-- { // those within others first
		fn := f.Funcs[n]
		for i := firstAt(ts, fn.Body); i < len(ts) && ts[i].End <= fn.Stop; i++ {
			if seen[i] || !isWord(ts[i], "if") && !isWord(ts[i], "elif") {
				continue
			}
			seen[i] = true
			from, to, last := branchAt(ts, i, f.Lang)
			if from >= to || last >= len(ts) || ts[last].End > fn.Stop || f.TestsFrom(ts[i].Off) > 0 {
				continue
			}
			b := Branch{Func: fn.Name, Line: ts[i].Line, Head: ts[i].Off, Off: ts[from].Off, End: ts[to-1].End, Body: ts[to].Off, Stop: ts[last].End, lang: f.Lang}
			b.cond = string(f.src(b.Off, b.End))
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b Branch) int { return a.Off - b.Off })
	return out
}

// branchAt gives where the condition of the if at i begins and ends, and the last token of what runs when it holds.
func branchAt(ts []Token, i int, lang string) (from, to, last int) {
	none := len(ts)
	switch lang {
	case Python:
		if ts[i].Indent < 0 {
			return none, none, none
		}
		to = headerEnd(ts, i)
		for last = to; last+1 < len(ts) && (ts[last+1].Indent < 0 || ts[last+1].Indent > ts[i].Indent); {
			last++
		}
		return i + 1, to, last
	case Go, Rust:
		from = i + 1
		for to = from; to < len(ts) && !isPunct(ts[to], "{"); to++ {
			switch {
			case isWord(ts[to], "let"), isPunct(ts[to], "=>"):
				return none, none, none
			case isPunct(ts[to], ";"):
				from = to + 1
			case isPunct(ts[to], "("), isPunct(ts[to], "["):
				to = closing(ts, to)
			}
		}
		return from, to, closing(ts, to)
	}
	if i+1 >= len(ts) || !isPunct(ts[i+1], "(") {
		return none, none, none
	}
	end := closing(ts, i+1)
	if end+1 >= len(ts) {
		return none, none, none
	}
	if last = statementEnd(ts, end+1, false); isPunct(ts[end+1], "{") {
		last = closing(ts, end+1)
	}
	return i + 2, end, last
}
