package example

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// says are the words and marks between a call and what it gives, in sentences.
var says = []string{
	"→", "⇒", "->", "=>", "===", "==", "=", "is", "gives", "returns", "equals", "yields", "must return", "should return", "should be", "must be", "must give", "should give", "must equal", "should equal", "throws", "raises", "fails with",
}

// InText finds the examples in a text: a call with literals, a word such as "returns", a literal. Of a call with literals of which the text
// says something else, unread has the call alone.
func InText(text string) (list, unread []Example) {
	for line := range strings.Lines(text) {
		read, rest := inLine(strings.TrimRight(line, "\r\n"))
		list, unread = append(list, read...), append(unread, rest...)
	}
	return list, slices.DeleteFunc(unread, func(u Example) bool {
		return slices.ContainsFunc(list, func(e Example) bool { return e.Calls() == u.Calls() })
	})
}

// span is where a call stands in a line.
type span struct {
	from, to int
	call     []Link
}

func inLine(line string) (list, unread []Example) {
	calls := callsIn(line)
	for i, c := range calls {
		end := len(line)
		if i+1 < len(calls) {
			end = calls[i+1].from
		}
		rest := strings.TrimLeft(strings.TrimPrefix(line[c.to:], "`"), " ")
		rest = line[len(line)-len(rest) : max(end, len(line)-len(rest))]
		w, ok := said(rest, i+1 < len(calls))
		if e := (Example{Text: strings.TrimRight(strings.TrimSpace(line[c.from:end]), " ,;`"), Call: c.call, Want: w}); ok {
			list = append(list, e)
		} else if slices.ContainsFunc(c.call, func(l Link) bool { return len(l.Args) > 0 }) {
			unread = append(unread, e)
		}
	}
	return list, unread
}

// callsIn finds calls with literals that begin where a word does.
func callsIn(line string) []span {
	var out []span
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		if !letter(r) {
			i += n
			continue
		}
		p := &parser{s: line, i: i}
		if call, ok := p.chain(); ok && strings.ContainsAny(line[i:p.i], "({") {
			out, i = append(out, span{i, p.i, call}), p.i
			continue
		}
		for i < len(line) { // over the word
			r, n := utf8.DecodeRuneInString(line[i:])
			if !letter(r) && !unicode.IsDigit(r) && r != '.' {
				break
			}
			i += n
		}
	}
	return out
}

// said reads what a text says that a call gives. more says that another call follows, which an "and" may lead to.
func said(s string, more bool) (Want, bool) {
	for _, w := range says {
		rest, ok := cutWord(s, w)
		if !ok {
			continue
		}
		rest = strings.TrimSpace(rest)
		if more {
			rest = strings.TrimRight(rest, " `(")
			for _, and := range []string{" and", " while", ",", ";"} {
				rest = strings.TrimRight(strings.TrimSuffix(rest, and), " ")
			}
		}
		rest = strings.TrimSuffix(rest, ".")
		if w == "throws" || w == "raises" || w == "fails with" {
			got, ok := want(w + " " + rest)
			if !ok {
				got, ok = want(rest)
			}
			return got, ok && got.Error
		}
		if got, ok := want(rest); ok {
			return got, true
		}
	}
	return saidInKorean(s)
}

// cutWord takes a word or a mark off the beginning.
func cutWord(s, w string) (string, bool) {
	rest, ok := strings.CutPrefix(s, w)
	if !ok {
		return "", false
	}
	first, _ := utf8.DecodeRuneInString(w)
	next, _ := utf8.DecodeRuneInString(rest)
	if letter(first) && letter(next) {
		return "", false
	}
	return rest, true
}
