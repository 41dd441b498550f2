package example

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
)

// nodeTest reads a test of JavaScript or TypeScript: its title, and a function. One that is run with the rows of a table is read with each.
func (r *reader) nodeTest(args []source.Token) {
	params, body := nodeFunction(args)
	rows := r.test.Rows
	if rows[0] == rows[1] {
		r.block(body)
		return
	}
	if len(params) == 0 {
		return
	}
	p := &parser{s: strings.Trim(string(r.src[rows[0]:rows[1]]), "()"), env: r.env}
	table, ok := p.value()
	if !ok || !p.end() || table.Kind != List {
		return
	}
	for i, row := range table.List { // a row is a list of arguments
		if row.Kind == List && len(row.List) >= len(params) {
			table.List[i].List = row.List[:len(params)]
			if len(params) == 1 {
				table.List[i] = row.List[0]
			}
		}
	}
	r.each(params, table, func() { r.block(body) })
}

// nodeFunction is the function that tokens end with: the names of its parameters, and its body.
func nodeFunction(args []source.Token) (params []string, body []source.Token) {
	last := len(args) - 1
	head := 0
	for i, t := range args {
		if t.Text == "{" && closing(args, i) == last && i > 0 && (args[i-1].Text == "=>" || args[i-1].Text == ")") {
			head, body = i, args[i+1:last]
			break
		}
	}
	if head == 0 {
		if head = index(args, "=>"); head < 0 {
			return nil, nil
		}
		depth := 0
		body = args[head+1:] // one expression
		if end := slices.IndexFunc(body, func(t source.Token) bool {
			depth += nesting(t)
			return depth < 0
		}); end >= 0 {
			body = body[:end]
		}
	}
	if head > 0 && args[head-1].Text == "=>" {
		head--
	}
	from := head - 1
	for depth := 0; from > 0; from-- { // to what opens the parameters
		if depth -= nesting(args[from]); depth == 0 {
			break
		}
	}
	names := args[max(0, from):head]
	if len(names) > 1 && names[0].Text == "(" {
		names = names[1 : len(names)-1]
	}
	if slices.ContainsFunc(names, func(t source.Token) bool { return t.Text == "{" || t.Text == "[" }) { // which takes values apart
		return nil, body
	}
	for _, list := range split(names) {
		for _, t := range list { // the first name of each, and not its type
			if t.Kind == source.Ident {
				params = append(params, t.Text)
				break
			}
		}
	}
	return params, body
}

// closing is the index of the bracket that closes the one at i, -1 without.
func closing(ts []source.Token, i int) int {
	depth := 0
	for k := i; k < len(ts); k++ {
		if depth += nesting(ts[k]); depth == 0 {
			return k
		}
	}
	return -1
}

// block reads statements of JavaScript, Java, Kotlin or Rust.
func (r *reader) block(ts []source.Token) {
	read, loop := r.nodeStatement, r.nodeFor
	switch r.lang {
	case source.Java, source.Kotlin:
		read = r.jvmStatement
	case source.Rust:
		read, loop = r.rustStatement, r.rustFor
	}
	for len(ts) > 0 {
		if ts[0].Text == ";" {
			ts = ts[1:]
			continue
		}
		if ts[0].Text == "for" {
			if rest, ok := loop(ts); ok {
				ts = rest
				continue
			}
		}
		n := max(1, statement(ts))
		if !read(ts[:n]) {
			r.skip(ts[:n])
		}
		ts = ts[n:]
	}
}

// statement is how many tokens the first statement has: up to a semicolon, or to a line that does not go on with it.
func statement(ts []source.Token) int {
	depth := 0
	for i, t := range ts {
		if depth == 0 && i > 0 && (t.Text == ";" || t.Line > ts[i-1].Line && t.Text != "." && t.Text != "?." && ts[i-1].Text != "=" && ts[i-1].Text != "," && !operator[t.Text] && !operator[ts[i-1].Text]) {
			return i
		}
		depth += nesting(t)
	}
	return len(ts)
}

// operator are marks that a statement goes on after, or with, in another line.
var operator = map[string]bool{"+": true, "-": true, "*": true, "/": true, "?": true, ":": true, "&&": true, "||": true, "??": true, "=>": true, "|": true, "&": true}

func (r *reader) nodeStatement(ts []source.Token) bool {
	text := textsOf(ts)
	switch {
	case (text(0) == "const" || text(0) == "let") && text(2) == "=":
		return r.bind(text(1), ts[3:])
	case text(0) == "expect" && text(1) == "(":
		end := closing(ts, 1)
		if end < 0 || text(end+1) != "." || text(end+3) != "(" || closing(ts, end+3) != len(ts)-1 {
			return false
		}
		return r.expect(text(end+2), ts[2:end], ts[end+4:len(ts)-1])
	case (text(0) == "assert" || text(0) == "t") && text(1) == "." && text(3) == "(" && closing(ts, 3) == len(ts)-1:
		return r.assert(text(2), split(ts[4:len(ts)-1]))
	case text(1) == "(" && closing(ts, 1) == len(ts)-1:
		return r.assert(text(0), split(ts[2:len(ts)-1]))
	}
	return false
}

func (r *reader) expect(matcher string, given, wanted []source.Token) bool {
	nothing := map[string]string{"toBeNull": "null", "toBeUndefined": "undefined"}[matcher]
	switch {
	case matcher == "toBe" || matcher == "toEqual" || matcher == "toStrictEqual":
		return len(given) > 0 && r.says(given, wanted)
	case nothing != "":
		return len(given) > 0 && r.says(given, word(nothing))
	case matcher == "toThrow" || matcher == "toThrowError":
		return r.throws(given, wanted)
	}
	return false
}

func (r *reader) assert(function string, args [][]source.Token) bool {
	switch function {
	case "equal", "strictEqual", "deepEqual", "deepStrictEqual", "is", "same", "strictSame":
		if len(args) >= 2 && len(args[1]) == 1 && (args[1][0].Text == "null" || args[1][0].Text == "undefined") { // which are equal, or not
			return false
		}
		return len(args) >= 2 && len(args[0]) > 0 && len(args[1]) > 0 && r.says(args[0], args[1])
	case "throws":
		var class []source.Token
		if len(args) > 1 {
			class = args[1]
		}
		return len(args) > 0 && r.throws(args[0], class)
	}
	return false
}

// throws reads () => f(1), and the class of the error where only that is given.
func (r *reader) throws(function, class []source.Token) bool {
	i := index(function, "=>")
	if i < 0 || i+1 >= len(function) {
		return false
	}
	w := Want{Error: true}
	if len(class) == 1 && class[0].Kind == source.Ident && errorClass().MatchString(class[0].Text) {
		w.Type = class[0].Text
	}
	return r.onlyCall(function[i+1:], w)
}

// onlyCall reads a body that is one call, in braces or not.
func (r *reader) onlyCall(body []source.Token, w Want) bool {
	if len(body) > 0 && body[0].Text == "{" && closing(body, 0) == len(body)-1 {
		body = body[1 : len(body)-1]
	}
	for len(body) > 0 && body[len(body)-1].Text == ";" {
		body = body[:len(body)-1]
	}
	if len(body) == 0 {
		return false
	}
	c, ok := r.call(body)
	return ok && r.add(body[0].Line, c, w)
}

// nodeFor reads for (const [a, b] of table) { … }, and gives what follows.
func (r *reader) nodeFor(ts []source.Token) ([]source.Token, bool) {
	if len(ts) < 2 || ts[1].Text != "(" {
		return nil, false
	}
	end := closing(ts, 1)
	if end < 0 || end+1 >= len(ts) || ts[end+1].Text != "{" {
		return nil, false
	}
	last := closing(ts, end+1)
	head := ts[2:end]
	of := index(head, "of")
	if last < 0 || of < 2 || head[1].Text == "{" { // by the names of fields
		return nil, false
	}
	return ts[last+1:], r.loop(head[1:of], head[of+1:], func() { r.block(ts[end+2 : last]) })
}
