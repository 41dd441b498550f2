package source

import "strings"

// lexPython cuts Python into tokens. The first token of each logical line carries its column in Indent; lines inside
// brackets and after a backslash continue the logical line.
func lexPython(src []byte) []Token {
	l := &pythonLexer{src: string(src), line: 1, fresh: true}
	for l.i < len(l.src) {
		l.next()
	}
	return l.out
}

type pythonLexer struct {
	src   string
	i     int
	line  int
	depth int
	bol   int  // offset of the current line's beginning
	fresh bool // the next code token begins a logical line
	out   []Token
}

func (l *pythonLexer) emit(k Kind, end int) {
	t := Token{Kind: k, Text: l.src[l.i:end], Line: l.line, Off: l.i, End: end, Indent: -1}
	if l.fresh && k != Comment {
		t.Indent, l.fresh = l.column(), false
	}
	l.out = append(l.out, t)
	if n := strings.Count(t.Text, "\n"); n > 0 {
		l.line += n
		l.bol = l.i + strings.LastIndex(t.Text, "\n") + 1
	}
	l.i = end
}

// column counts a tab up to the next multiple of eight, as Python does.
func (l *pythonLexer) column() int {
	col := 0
	for _, c := range l.src[l.bol:l.i] {
		if c == '\t' {
			col += 8 - col%8
		} else {
			col++
		}
	}
	return col
}

func (l *pythonLexer) next() {
	c := l.src[l.i]
	switch {
	case c == '\n':
		l.line++
		l.i++
		l.bol = l.i
		if l.depth == 0 {
			l.fresh = true
		}
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		l.i++
	case c == '\\' && strings.HasPrefix(strings.TrimPrefix(l.src[l.i+1:], "\r"), "\n"):
		l.i += strings.IndexByte(l.src[l.i:], '\n') + 1
		l.line++
		l.bol = l.i
	case c == '#':
		end := len(l.src)
		if n := strings.IndexByte(l.src[l.i:], '\n'); n >= 0 {
			end = l.i + n
		}
		l.emit(Comment, end)
	case l.stringStart() >= 0:
		l.str(l.stringStart())
	case identStart(c) && c != '$':
		j := l.i
		for j < len(l.src) && identPart(l.src[j]) && l.src[j] != '$' {
			j++
		}
		l.emit(Ident, j)
	case c >= '0' && c <= '9' || c == '.' && l.i+1 < len(l.src) && l.src[l.i+1] >= '0' && l.src[l.i+1] <= '9':
		l.number()
	case c == ';' && l.depth == 0:
		l.emit(Punct, l.i+1)
	default:
		l.punct()
	}
}

// stringStart gives the length of the prefix when a string begins here, else -1.
func (l *pythonLexer) stringStart() int {
	for n := 0; n <= 2 && l.i+n < len(l.src); n++ {
		switch c := l.src[l.i+n]; {
		case c == '"' || c == '\'':
			return n
		case !strings.ContainsRune("rRbBuUfFtT", rune(c)):
			return -1
		}
	}
	return -1
}

func (l *pythonLexer) str(prefix int) {
	raw := strings.ContainsAny(l.src[l.i:l.i+prefix], "rR")
	q := l.src[l.i+prefix : l.i+prefix+1]
	body := l.i + prefix + 1
	triple := strings.HasPrefix(l.src[l.i+prefix:], strings.Repeat(q, 3))
	if triple {
		q, body = strings.Repeat(q, 3), body+2
	}
	for j := body; j < len(l.src); j++ {
		switch {
		case l.src[j] == '\\' && (!raw || j+1 < len(l.src)):
			j++
		case strings.HasPrefix(l.src[j:], q):
			l.emit(String, j+len(q))
			return
		case l.src[j] == '\n' && !triple:
			l.emit(Punct, l.i+prefix+1)
			return
		}
	}
	if triple {
		l.emit(String, len(l.src))
		return
	}
	l.emit(Punct, l.i+prefix+1)
}

func (l *pythonLexer) number() {
	j := l.i
	for j < len(l.src) {
		c := l.src[j]
		sign := (c == '+' || c == '-') && (l.src[j-1] == 'e' || l.src[j-1] == 'E') &&
			!strings.HasPrefix(strings.ToLower(l.src[l.i:j]), "0x")
		if j > l.i && sign {
			j++
			continue
		}
		if !identPart(c) && c != '.' {
			break
		}
		j++
	}
	l.emit(Number, j)
}

var pythonPuncts = []string{
	"**=", "//=", ">>=", "<<=", "...", "==", "!=", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	"**", "//", "<<", ">>", "@=",
}

func (l *pythonLexer) punct() {
	for _, p := range pythonPuncts {
		if strings.HasPrefix(l.src[l.i:], p) {
			l.emit(Punct, l.i+len(p))
			return
		}
	}
	switch l.src[l.i] {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		l.depth = max(0, l.depth-1)
	}
	l.emit(Punct, l.i+1)
}
