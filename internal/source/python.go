package source

import (
	"bytes"
	"sort"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// pyLine is a logical line.
type pyLine struct {
	from, to int // tokens
	indent   int
}

type pyFile struct {
	f       *File
	ts      []Token // without comments
	lines   []pyLine
	helpers map[string]Test // functions and methods of this file: what they assert
	classes map[string]bool // of this file
	objects map[string]bool // names for objects of these, or what a function of that name gives
}

func parsePython(f *File, src []byte) {
	t := parseTree(f, src, syntax.Python, pythonAtoms)
	if t == nil {
		return
	}
	f.Tokens = t.all()
	t.indent(f.Tokens)
	p := &pyFile{f: f, ts: Code(f.Tokens), helpers: map[string]Test{}, classes: map[string]bool{}, objects: map[string]bool{}}
	for i, t := range p.ts {
		if t.Indent >= 0 || i == 0 {
			p.lines = append(p.lines, pyLine{from: i, to: len(p.ts), indent: max(t.Indent, 0)})
			if n := len(p.lines); n > 1 {
				p.lines[n-2].to = i
			}
		}
	}
	readPython(t)
	p.functions(t.root)
	if !isPythonTestName(f.Path) {
		constantMutants(f, src, Python)
	}
	p.tests()
	f.hollow(p.helpers)
}

// indent gives the first token of each logical line its column. A line goes on within brackets and behind a backslash.
func (t *treeFile) indent(ts []Token) {
	depth, end, fresh := 0, 0, true
	for i := range ts {
		x := &ts[i]
		between := string(t.src[end:x.Off])
		fresh = fresh || strings.Contains(between, "\n") && !strings.Contains(between, `\`)
		if end = x.End; x.Kind == Comment {
			continue
		}
		if fresh && depth == 0 {
			x.Indent = column(t.src, x.Off)
		}
		fresh, depth = false, max(0, depth+nesting(*x))
	}
}

// column counts a tab up to the next multiple of eight, as Python does.
func column(src []byte, at int) int {
	col := 0
	for _, c := range src[bytes.LastIndexByte(src[:at], '\n')+1 : at] {
		if col++; c == '\t' {
			col = (col + 7) / 8 * 8
		}
	}
	return col
}

func (p *pyFile) toks(l int) []Token { return p.ts[p.lines[l].from:p.lines[l].to] }

// end gives the line after the block whose header is line l.
func (p *pyFile) end(l, limit int) int {
	for k := l + 1; k < limit; k++ {
		if p.lines[k].indent <= p.lines[l].indent {
			return k
		}
	}
	return limit
}

// header skips async and gives the words of a def or class.
func header(ts []Token) (kind, name string) {
	if len(ts) > 0 && isWord(ts[0], "async") {
		ts = ts[1:]
	}
	if len(ts) >= 2 && (isWord(ts[0], "def") || isWord(ts[0], "class")) && ts[1].Kind == Ident {
		return ts[0].Text, ts[1].Text
	}
	return "", ""
}

// functions finds the functions of the file: those that are defined, and those that are bound to a name, as in
// area = lambda r: r * r. Their names are qualified by what is around them.
func (p *pyFile) functions(root syntax.Node) {
	type scope struct {
		name string
		end  int
	}
	around := []scope{{end: root.End()}}
	for c := range root.Within(nil) { // expressions may be nested too deep to call oneself
		for len(around) > 1 && around[len(around)-1].end <= c.Start() {
			around = around[:len(around)-1]
		}
		outer := around[len(around)-1].name
		switch a := c.Child("assignment"); {
		case c.Kind() == "class_definition" || c.Kind() == "function_definition":
			name := dotted(outer, c.At("name").Text())
			around = append(around, scope{name, c.End()})
			if c.Kind() == "function_definition" {
				p.note(name, c, c.Child(":"))
			}
		case a.At("left").Kind() == "identifier" && a.At("right").Kind() == "lambda":
			p.note(dotted(outer, a.At("left").Text()), c, a.At("right").Child(":"))
		}
	}
}

// note adds a function with the colon before its body, and, but of tests, its mutants.
func (p *pyFile) note(name string, n, colon syntax.Node) {
	if !colon.OK() { // of code with mistakes
		return
	}
	last := p.ts[max(firstAt(p.ts, n.End())-1, 0)]
	fn := Func{Name: name, Line: n.Line(), End: lastLine(last), Off: n.Start(), Stop: last.End, Body: colon.End()}
	p.f.Funcs = append(p.f.Funcs, fn)
	if !isPythonTestName(p.f.Path) {
		tokenMutants(p.f, fn, p.ts, true)
	}
}

func (p *pyFile) lineAt(off int) int {
	l := sort.Search(len(p.lines), func(l int) bool { return p.ts[p.lines[l].from].Off >= off })
	if l == len(p.lines) || p.ts[p.lines[l].from].Off != off {
		return 0
	}
	return l
}

// literal reports whether an expression of a script language holds no name whose value could differ.
func literal(ts []Token) bool {
	for _, t := range ts {
		if t.Kind != Ident {
			continue
		}
		switch t.Text {
		case "True", "False", "None", "not", "and", "or", "in", "is", "true", "false", "null", "undefined", "NaN", "Infinity":
		default:
			return false
		}
	}
	return len(ts) > 0
}

func hasCallTokens(ts []Token) bool {
	for i := 1; i < len(ts); i++ {
		if isPunct(ts[i], "(") && ts[i-1].Kind == Ident {
			return true
		}
	}
	return false
}

// atLevel finds an operator outside all brackets, -1 without.
func atLevel(ts []Token, op string) int {
	depth := 0
	for i, t := range ts {
		if depth += nesting(t); depth == 0 && t.Text == op && t.Kind != String {
			return i
		}
	}
	return -1
}
