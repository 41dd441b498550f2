package source

import "slices"

// blocks are the words with which a statement begins that may return, or after which nothing follows.
var blocks = []string{"return", "throw", "raise", "if", "for", "while", "do", "switch", "try", "with", "match", "async", "@"}

// forEffect reports whether a function of Python or JavaScript is called for what it does: it ends without a result, and what it returns
// before is nothing, or a call: `if (!id) return fail("no id")`. What such a call gives, nobody asks.
func forEffect(fn Func, ts []Token, python bool) bool {
	from, end := firstAt(ts, fn.Body), firstAt(ts, fn.Stop)
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
	if last >= end || slices.Contains(blocks, ts[last].Text) {
		return false
	}
	for i := from; i < end; i++ {
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
	i := 0
	if isWord(ts[0], "await") {
		i++
	}
	called := false
	for ; i < len(ts); i++ {
		switch t := ts[i]; {
		case isPunct(t, "("):
			i, called = closing(ts, i), true
		case t.Kind == Ident, isPunct(t, "."), isPunct(t, "?."):
			called = false
		default:
			return false
		}
	}
	return called
}
