package source

import (
	"slices"

	"github.com/jacquard-build/jacquard/internal/re"
)

// blocks are the words with which a part of a statement begins that may return, or after which nothing follows.
var blocks = []string{
	"return", "throw", "raise", "if", "elif", "else", "for", "while", "do", "switch", "match", "case", "try", "except", "catch", "finally", "with", "async", "yield", "@",
}

// neverReturns are words in the names of functions that do not come back.
var neverReturns = re.New(`(?i)abort|exit|never|unreachable|fail|error|die|panic|raise|throw|reject`)

// forEffect reports whether a function of Python or JavaScript is called for what it does: it ends without a result, and what it returns
// before is nothing, or a call: `if (!id) return fail("no id")`. What such a call gives, nobody asks. One that holds another function is none,
// as what that returns is not told apart.
func (f *File) forEffect(fn Func, ts []Token, python bool) bool {
	from, end := firstAt(ts, fn.Body), firstAt(ts, fn.Stop)
	if from >= end || !python && (fn.Body < 1 || f.src(fn.Body-1, fn.Body)[0] != '{') {
		return false
	}
	for end > from && !python && ts[end-1].End > fn.Stop-1 { // the brace of its body
		end--
	}
	last := from
	for i := from; i < end; {
		if !python || ts[i].Indent == ts[from].Indent {
			last = i
		}
		if i = max(statementEnd(ts, i, python), i+1); i < end && (isPunct(ts[i], ";") || isPunct(ts[i], "}")) {
			i++
		}
	}
	if last >= end || slices.Contains(blocks, ts[last].Text) || slices.ContainsFunc(ts[last:end], func(t Token) bool { return t.Kind == Ident && neverReturns().MatchString(t.Text) }) {
		return false
	}
	for i := from; i < end; i++ {
		if isPunct(ts[i], "=>") || isWord(ts[i], "function") || isWord(ts[i], "def") || isWord(ts[i], "lambda") {
			return false
		}
		if !isWord(ts[i], "return") {
			continue
		}
		to := statementEnd(ts, i, python)
		if given := ts[i+1 : min(to, end)]; len(given) > 0 && !isCall(given) {
			return false
		}
	}
	return true
}

// isCall reports whether tokens are a call of a name, or of what such a one gives: res.status(404).end().
func isCall(ts []Token) bool {
	if isWord(ts[0], "await") {
		ts = ts[1:]
	}
	called := false
	for i := 0; i < len(ts); i++ {
		named := i > 0 && (ts[i-1].Kind == Ident || isPunct(ts[i-1], ")"))
		dotted := i > 0 && (isPunct(ts[i-1], ".") || isPunct(ts[i-1], "?."))
		switch t := ts[i]; {
		case isPunct(t, "(") && named:
			i, called = closing(ts, i), true
		case t.Kind == Ident && (i == 0 || dotted), (isPunct(t, ".") || isPunct(t, "?.")) && named:
			called = false
		default:
			return false
		}
	}
	return called
}
