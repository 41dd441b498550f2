package source

import "sort"

// pyLine is a logical line.
type pyLine struct {
	from, to int // tokens
	indent   int
}

type pyFile struct {
	f       *File
	ts      []Token // without comments
	lines   []pyLine
	helpers map[string]bool
}

func parsePython(f *File, src []byte) {
	f.Tokens = lexPython(src)
	p := &pyFile{f: f, ts: code(f.Tokens), helpers: map[string]bool{}}
	for i, t := range p.ts {
		if t.Indent >= 0 || i == 0 {
			p.lines = append(p.lines, pyLine{from: i, to: len(p.ts), indent: max(t.Indent, 0)})
			if n := len(p.lines); n > 1 {
				p.lines[n-2].to = i
			}
		}
	}
	readPython(f, src)
	p.block(0, len(p.lines), "")
	if !isPythonTestName(f.Path) {
		constantMutants(f, src, Python)
	}
	p.tests()
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
func header(ts []Token) (kind, name string, at int) {
	if len(ts) > 0 && isWord(ts[0], "async") {
		ts, at = ts[1:], 1
	}
	if len(ts) >= 2 && (isWord(ts[0], "def") || isWord(ts[0], "class")) && ts[1].Kind == Ident {
		return ts[0].Text, ts[1].Text, at
	}
	return "", "", 0
}

// block finds the functions of the lines in [from, to). outer is the qualified name of what is around them.
func (p *pyFile) block(from, to int, outer string) {
	for l := from; l < to; l++ {
		kind, name, at := header(p.toks(l))
		if kind == "" {
			p.lambda(l, outer)
			continue
		}
		end := p.end(l, to)
		name = dotted(outer, name)
		if kind == "def" {
			p.function(l, end, name, at)
		}
		p.block(l+1, end, name)
		l = end - 1
	}
}

func (p *pyFile) function(l, end int, name string, at int) {
	ts := p.toks(l)
	colon := headerEnd(p.ts, p.lines[l].from+at) - p.lines[l].from
	if colon <= 0 || colon >= len(ts) {
		colon = len(ts) - 1
	}
	p.note(name, ts[0], ts[colon], p.ts[p.lines[end-1].to-1])
}

// lambda notes a function that is bound to a name in one line, as in area = lambda r: r * r.
func (p *pyFile) lambda(l int, outer string) {
	ts := p.toks(l)
	bind := atLevel(ts, "=")
	if bind < 1 || bind+1 >= len(ts) || !isWord(ts[bind+1], "lambda") || ts[0].Kind != Ident || bind > 1 && !isPunct(ts[1], ":") {
		return
	}
	if colon := atLevel(ts[bind+1:], ":"); colon > 0 {
		p.note(dotted(outer, ts[0].Text), ts[0], ts[bind+1+colon], ts[len(ts)-1])
	}
}

// note adds the function from its first token to its last, with the colon before its body, and, but of tests, its mutants.
func (p *pyFile) note(name string, first, colon, last Token) {
	fn := Func{Name: name, Line: first.Line, End: last.Line, Off: first.Off, Stop: last.End, Body: colon.End}
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
		switch {
		case isPunct(t, "("), isPunct(t, "["), isPunct(t, "{"):
			depth++
		case isPunct(t, ")"), isPunct(t, "]"), isPunct(t, "}"):
			depth--
		case depth == 0 && t.Text == op && t.Kind != String:
			return i
		}
	}
	return -1
}
