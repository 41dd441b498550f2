package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// pair is an input and the answer that code gives for it without computing anything.
type pair struct {
	key, value string
	line       int
}

// answers finds implementations that return a table of the tests' own inputs.
func (a Audit) answers(files []*file) []step.Finding {
	known := map[string]bool{}
	for p, b := range a.Tests {
		maps.Copy(known, pairsOfTest(source.Parse(p, b)))
	}
	for _, f := range files {
		if f.class == toolchain.Test && f.Status != 'D' {
			maps.Copy(known, pairsOfTest(f.new))
		}
	}
	if len(known) == 0 {
		return nil
	}
	var out []step.Finding
	for _, f := range files {
		if f.class != toolchain.Source || f.Status == 'D' {
			continue
		}
		for _, group := range tables(f) {
			if a.copied(group, known) {
				out = append(out, reject("answer-table", f.Path, group[0].line, fmt.Sprintf(
					"This returns the expected values of the tests (%s gives %s, …) instead of computing them. Implement the behavior for every input. If this table is part of the spec, put it in Domain Context or Protocol.",
					group[0].key, group[0].value)))
			}
		}
	}
	return out
}

// copied reports whether nearly all pairs of a table are pairs of the tests and not of the spec.
func (a Audit) copied(group []pair, known map[string]bool) bool {
	const least = 3
	stated := func(v string) bool { return v != "" && strings.Contains(a.SpecText, v) }
	distinct := addNew(nil, each(group, func(p pair) pair { return pair{key: p.key, value: p.value} })...)
	fromTests := those(distinct, func(p pair) bool { return known[p.key+"\x00"+p.value] })
	fromSpec := those(distinct, func(p pair) bool { return stated(p.key) && stated(p.value) })
	n := len(distinct)
	return n >= least && len(fromTests)*10 >= n*8 && len(fromSpec)*2 < n
}

// literalAt reads the literal at i, also a negative number, and gives the index after it.
func literalAt(ts []source.Token, i int) (string, int, bool) {
	switch {
	case i >= len(ts):
	case ts[i].Text == "-" && i+1 < len(ts) && ts[i+1].Kind == source.Number:
		return "-" + ts[i+1].Text, i + 2, true
	case ts[i].Kind == source.String || ts[i].Kind == source.Number:
		return ts[i].Value(), i + 1, true
	case slices.Contains([]string{"true", "True", "false", "False"}, ts[i].Text):
		return strings.ToLower(ts[i].Text), i + 1, true
	}
	return "", i, false
}

// pairsOfTest lists what stands together in a test: any two literals within three lines, in both orders.
func pairsOfTest(f source.File) map[string]bool {
	const window = 2
	var lits []line
	ts := source.Code(f.Tokens)
	for i := 0; i < len(ts); i++ {
		if v, next, ok := literalAt(ts, i); ok {
			lits = append(lits, line{ts[i].Line, v})
			i = next - 1
		}
	}
	out := map[string]bool{}
	for i, x := range lits {
		for j := i + 1; j < len(lits) && lits[j].n-x.n <= window; j++ {
			out[x.text+"\x00"+lits[j].text], out[lits[j].text+"\x00"+x.text] = true, true
		}
	}
	return out
}

// tables groups the literal pairs of a file: by function, or by the table outside of functions that they stand in. A table
// that a loop walks through, or a choice made inside a loop, is used to compute and is none; nor is one that had pairs before.
func tables(f *file) [][]pair {
	groups := map[string][]pair{}
	var order []string
	loops, had := loopLines(f.code), map[string]bool{}
	old := source.Code(f.old.Tokens)
	for i := range old {
		if _, ok := pairAt(old, i); ok {
			had[tableName(old, i)] = true
		}
	}
	for i := range f.code {
		p, ok := pairAt(f.code, i)
		if !ok || !f.added[p.line] || boring(p) || loops[p.line] {
			continue
		}
		name := tableName(f.code, i)
		if name != "" && (had[name] || walked(f.code, name)) {
			continue
		}
		key := "table " + name
		if fn, in := f.new.FuncAt(p.line); in {
			key = fn.Name
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], p)
	}
	return each(order, func(k string) []pair { return groups[k] })
}

// loopLines are the lines inside the bodies of loops.
func loopLines(ts []source.Token) map[int]bool {
	out := map[int]bool{}
	for i, t := range ts {
		if t.Kind != source.Ident || t.Text != "for" && t.Text != "while" {
			continue
		}
		last := t.Line
		if t.Indent >= 0 { // Python: what is indented deeper
			for k := i + 1; k < len(ts) && (ts[k].Indent < 0 || ts[k].Indent > t.Indent); k++ {
				last = ts[k].Line
			}
		} else {
			depth := 0
			for k := i + 1; k < len(ts); k++ {
				if ts[k].Text == "{" || ts[k].Text == "(" {
					depth++
				}
				if ts[k].Text == "}" || ts[k].Text == ")" {
					depth--
					if last = ts[k].Line; depth <= 0 && ts[k].Text == "}" {
						break
					}
				}
			}
		}
		for n := t.Line; n <= last; n++ {
			out[n] = true
		}
	}
	return out
}

// boring pairs say nothing: a word that is true or false is a set, not an answer.
func boring(p pair) bool {
	if p.value == "true" || p.value == "false" {
		return p.key == "" || p.key[0] < '0' || p.key[0] > '9'
	}
	return p.key == "" && p.value == ""
}

// pairAt recognises case K: return V; K: V in braces; == K … return V; K => V; K -> V; [K, V]; K ? V.
func pairAt(ts []source.Token, i int) (pair, bool) {
	text := textAt(ts, 0)
	key, next, ok := literalAt(ts, i)
	if !ok {
		return pair{}, false
	}
	before := text(i - 1)
	line := ts[i].Line
	switch {
	case before == "case" && text(next) != "->", before == "==" || before == "===", before == "," && caseBefore(ts, i):
		if v, found := returned(ts, next); found {
			return pair{key, v, line}, true
		}
	case (before == "{" || before == ",") && text(next) == ":":
		if v, end, is := literalAt(ts, next+1); is && (text(end) == "," || text(end) == "}" || text(end) == "") {
			return pair{key, v, line}, true
		}
	case (slices.Contains([]string{"{", "}", ",", ";", "case"}, before) || i > 0 && ts[i-1].Line < ts[i].Line) && (text(next) == "=>" || text(next) == "->"):
		if v, end, is := literalAt(ts, next+1); is && slices.Contains([]string{",", "}", ";", ".", ""}, text(end)) || is && ts[end].Line > ts[end-1].Line {
			return pair{key, v, line}, true
		}
	case before == "[" && text(next) == ",":
		if v, end, is := literalAt(ts, next+1); is && text(end) == "]" && (text(i-2) == "[" || text(i-2) == "," || text(i-2) == "(") {
			return pair{key, v, line}, true
		}
	}
	return pair{}, false
}

func caseBefore(ts []source.Token, i int) bool {
	for k := i - 1; k >= 0 && k > i-12; k-- {
		switch ts[k].Text {
		case "case":
			return true
		case ":", "{", "(":
			return false
		}
	}
	return false
}

// returned finds the literal that is returned right after a condition.
func returned(ts []source.Token, i int) (string, bool) {
	const far = 6
	for k := i; k < len(ts) && k < i+far; k++ {
		switch ts[k].Text {
		case "return", "?":
			v, end, ok := literalAt(ts, k+1)
			if !ok || end < len(ts) && ts[end].Line == ts[k].Line && ts[end].Kind == source.Punct && strings.Contains("+-*/%.[(", ts[end].Text) {
				return "", false
			}
			return v, true
		case ")", "{", ":", ",", "&&", "and":
		default:
			if ts[k].Kind == source.String || ts[k].Kind == source.Number {
				continue
			}
			return "", false
		}
	}
	return "", false
}

// tableName is the variable that the table around i is bound to.
func tableName(ts []source.Token, i int) string {
	depth := 0
	for k := i; k >= 0; k-- {
		switch ts[k].Text {
		case "}", ")", "]":
			depth++
		case "{", "(", "[":
			depth--
		case "=":
			if depth < 0 {
				for n := k - 1; n >= 0 && n > k-12; n-- {
					if ts[n].Text == "const" || ts[n].Text == "var" || ts[n].Text == "let" {
						return ts[n+1].Text
					}
					if ts[n].Indent == 0 {
						return ts[n].Text
					}
				}
				return ""
			}
		}
	}
	return ""
}

// walked reports whether a table is gone through by a loop.
func walked(ts []source.Token, name string) bool {
	for i, t := range ts {
		text := textAt(ts, i)
		switch {
		case t.Text != name, text(-1) == "in" && !loopIn(ts, i):
		case slices.Contains([]string{"range", "of", "in"}, text(-1)),
			text(-1) == "(" && slices.Contains([]string{"entries", "keys", "reversed", "sorted", "enumerate"}, text(-2)),
			text(1) == "." && slices.Contains([]string{"items", "map", "reduce", "forEach", "find", "filter", "entries", "some"}, text(2)):
			return true
		}
	}
	return false
}

// loopIn reports whether the in before i belongs to a for.
func loopIn(ts []source.Token, i int) bool {
	for k := i - 2; k >= 0 && k > i-12; k-- {
		if ts[k].Text == "for" || ts[k].Indent >= 0 {
			return ts[k].Text == "for"
		}
	}
	return false
}
