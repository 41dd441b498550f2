package check

import (
	"fmt"
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
	note := func(src source.File) {
		for p := range pairsOfTest(src) {
			known[p] = true
		}
	}
	for p, b := range a.Tests {
		note(source.Parse(p, b))
	}
	for _, f := range files {
		if f.class == toolchain.Test && f.Status != 'D' {
			note(f.new)
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
	distinct := map[string]bool{}
	fromTests, fromSpec := 0, 0
	for _, p := range group {
		k := p.key + "\x00" + p.value
		if distinct[k] {
			continue
		}
		distinct[k] = true
		if known[k] {
			fromTests++
		}
		if a.inSpec2(p.key) && a.inSpec2(p.value) {
			fromSpec++
		}
	}
	n := len(distinct)
	return n >= least && fromTests*10 >= n*8 && fromSpec*2 < n
}

func (a Audit) inSpec2(v string) bool {
	return a.SpecText != "" && v != "" && strings.Contains(a.SpecText, v)
}

// literalAt reads the literal at i, also a negative number, and gives the index after it.
func literalAt(ts []source.Token, i int) (string, int, bool) {
	if i >= len(ts) {
		return "", i, false
	}
	if ts[i].Text == "-" && i+1 < len(ts) && ts[i+1].Kind == source.Number {
		return "-" + ts[i+1].Text, i + 2, true
	}
	switch {
	case ts[i].Kind == source.String || ts[i].Kind == source.Number:
		return ts[i].Value(), i + 1, true
	case ts[i].Text == "true" || ts[i].Text == "True":
		return "true", i + 1, true
	case ts[i].Text == "false" || ts[i].Text == "False":
		return "false", i + 1, true
	}
	return "", i, false
}

// pairsOfTest lists what stands together in a test: any two literals within three lines, in both orders.
func pairsOfTest(f source.File) map[string]bool {
	const window = 2
	type at struct {
		v    string
		line int
	}
	var lits []at
	ts := source.Code(f.Tokens)
	for i := 0; i < len(ts); i++ {
		if v, next, ok := literalAt(ts, i); ok {
			lits = append(lits, at{v, ts[i].Line})
			i = next - 1
		}
	}
	out := map[string]bool{}
	for i, x := range lits {
		for j := i + 1; j < len(lits) && lits[j].line-x.line <= window; j++ {
			out[x.v+"\x00"+lits[j].v] = true
			out[lits[j].v+"\x00"+x.v] = true
		}
	}
	return out
}

// tables groups the literal pairs of a file: by function, or by the table outside of functions that they stand in. A table
// that a loop walks through, or a choice made inside a loop, is used to compute and is none.
func tables(f *file) [][]pair {
	groups := map[string][]pair{}
	var order []string
	loops := loopLines(f.code)
	for i := range f.code {
		p, ok := pairAt(f.code, i)
		if !ok || !f.added[p.line] || boring(p) || loops[p.line] {
			continue
		}
		name := tableName(f.code, i)
		if name != "" && walked(f.code, name) {
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
	out := make([][]pair, 0, len(order))
	for _, k := range order {
		out = append(out, groups[k])
	}
	return out
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
	switch p.value {
	case "true", "false":
		return p.key == "" || p.key[0] < '0' || p.key[0] > '9'
	}
	return p.key == "" && p.value == ""
}

// pairAt recognises case K: return V; K: V in braces; == K … return V; [K, V]; K ? V.
func pairAt(ts []source.Token, i int) (pair, bool) {
	text := textAt(ts, 0)
	key, next, ok := literalAt(ts, i)
	if !ok {
		return pair{}, false
	}
	before := text(i - 1)
	line := ts[i].Line
	switch {
	case before == "case", before == "==" || before == "===", before == "," && caseBefore(ts, i):
		if v, found := returned(ts, next); found {
			return pair{key, v, line}, true
		}
	case (before == "{" || before == ",") && text(next) == ":":
		if v, end, is := literalAt(ts, next+1); is && (text(end) == "," || text(end) == "}" || text(end) == "") {
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
		if t.Text != name || i == 0 {
			continue
		}
		switch ts[i-1].Text {
		case "range", "of", "in":
			if i >= 2 && ts[i-1].Text == "in" && !loopIn(ts, i) {
				continue
			}
			return true
		case "(":
			if i >= 2 && (ts[i-2].Text == "entries" || ts[i-2].Text == "keys" || ts[i-2].Text == "reversed" || ts[i-2].Text == "sorted" || ts[i-2].Text == "enumerate") {
				return true
			}
		}
		if i+2 < len(ts) && ts[i+1].Text == "." {
			switch ts[i+2].Text {
			case "items", "map", "reduce", "forEach", "find", "filter", "entries", "some":
				return true
			}
		}
	}
	return false
}

// loopIn reports whether the in before i belongs to a for.
func loopIn(ts []source.Token, i int) bool {
	for k := i - 2; k >= 0 && k > i-12; k-- {
		if ts[k].Text == "for" {
			return true
		}
		if ts[k].Indent >= 0 {
			return ts[k].Text == "for"
		}
	}
	return false
}
