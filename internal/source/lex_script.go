package source

import "strings"

// scriptLexer cuts JavaScript and TypeScript into tokens. Whether a slash begins a regular expression is decided by the
// token before it; a quote without its partner on the line (as in JSX text) is taken as a lone character.
type scriptLexer struct {
	src    []byte
	i      int
	line   int
	out    []Token
	parens []bool // for each open parenthesis: a condition follows if, while, for, with
	closed bool   // the last closing parenthesis ended such a condition
	braces []bool // for each open brace: it opened inside a template
}

func lexScript(src []byte) []Token {
	l := &scriptLexer{src: src, line: 1}
	if strings.HasPrefix(string(src), "#!") {
		l.comment(l.lineEnd(0))
	}
	for l.i < len(l.src) {
		l.next()
	}
	return l.out
}

func (l *scriptLexer) lineEnd(from int) int {
	if n := strings.IndexByte(string(l.src[from:]), '\n'); n >= 0 {
		return from + n
	}
	return len(l.src)
}

func (l *scriptLexer) emit(k Kind, end int) {
	text := string(l.src[l.i:end])
	l.out = append(l.out, Token{Kind: k, Text: text, Line: l.line, Off: l.i, End: end, Indent: -1})
	l.line += strings.Count(text, "\n")
	l.i = end
}

func (l *scriptLexer) comment(end int) { l.emit(Comment, end) }

func (l *scriptLexer) peek(n int) byte {
	if l.i+n < len(l.src) {
		return l.src[l.i+n]
	}
	return 0
}

func (l *scriptLexer) next() {
	c := l.src[l.i]
	switch {
	case c == '\n':
		l.line++
		l.i++
	case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
		l.i++
	case c == '/' && l.peek(1) == '/':
		l.comment(l.lineEnd(l.i))
	case c == '/' && l.peek(1) == '*':
		end := len(l.src)
		if n := strings.Index(string(l.src[l.i+2:]), "*/"); n >= 0 {
			end = l.i + 2 + n + 2
		}
		l.comment(end)
	case c == '"' || c == '\'':
		l.quoted(c)
	case c == '`':
		l.template(l.i + 1)
	case c == '/' && l.regexAllowed():
		l.regex()
	case identStart(c):
		l.emit(Ident, l.scan(identPart))
	case c == '#' && identStart(l.peek(1)):
		l.i++
		end := l.scan(identPart)
		l.i--
		l.emit(Ident, end)
	case c >= '0' && c <= '9' || c == '.' && l.peek(1) >= '0' && l.peek(1) <= '9':
		l.number()
	default:
		l.punct()
	}
}

func identStart(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func identPart(c byte) bool { return identStart(c) || c >= '0' && c <= '9' }

func (l *scriptLexer) scan(ok func(byte) bool) int {
	j := l.i
	for j < len(l.src) && ok(l.src[j]) {
		j++
	}
	return j
}

func (l *scriptLexer) number() {
	j := l.i
	for j < len(l.src) {
		c := l.src[j]
		sign := (c == '+' || c == '-') && j > l.i && (l.src[j-1] == 'e' || l.src[j-1] == 'E') &&
			!strings.HasPrefix(string(l.src[l.i:j]), "0x")
		if !identPart(c) && c != '.' && !sign {
			break
		}
		j++
	}
	l.emit(Number, j)
}

func (l *scriptLexer) quoted(q byte) {
	for j := l.i + 1; j < len(l.src); j++ {
		switch l.src[j] {
		case '\\':
			j++
		case q:
			l.emit(String, j+1)
			return
		case '\n':
			l.emit(Punct, l.i+1)
			return
		}
	}
	l.emit(Punct, l.i+1)
}

// template reads the text of a template up to its end or to the next ${, whose code is then read as code.
func (l *scriptLexer) template(from int) {
	for j := from; j < len(l.src); j++ {
		switch {
		case l.src[j] == '\\':
			j++
		case l.src[j] == '`':
			l.emit(String, j+1)
			return
		case l.src[j] == '$' && j+1 < len(l.src) && l.src[j+1] == '{':
			if j > l.i {
				l.emit(String, j)
			}
			l.braces = append(l.braces, true)
			l.emit(Punct, j+2)
			return
		}
	}
	l.emit(String, len(l.src))
}

func (l *scriptLexer) regexAllowed() bool {
	var prev Token
	for k := len(l.out) - 1; k >= 0; k-- {
		if l.out[k].Kind != Comment {
			prev = l.out[k]
			break
		}
	}
	switch prev.Kind {
	case Number, String, Regex:
		return false
	case Ident:
		switch prev.Text {
		case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "instanceof",
			"yield", "await", "default", "":
			return true
		}
		return false
	case Punct, Comment:
	}
	switch prev.Text {
	case ")":
		return l.closed
	case "]", "}", "++", "--":
		return false
	}
	return true
}

func (l *scriptLexer) regex() {
	class := false
	for j := l.i + 1; j < len(l.src); j++ {
		switch c := l.src[j]; {
		case c == '\\':
			j++
		case c == '\n':
			l.emit(Punct, l.i+1)
			return
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for j++; j < len(l.src) && identPart(l.src[j]); j++ {
				continue
			}
			l.emit(Regex, j)
			return
		}
	}
	l.emit(Punct, l.i+1)
}

// scriptPuncts are the operators of several characters, longest first.
var scriptPuncts = []string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**",
}

func (l *scriptLexer) punct() {
	rest := string(l.src[l.i:min(l.i+4, len(l.src))])
	for _, p := range scriptPuncts {
		if strings.HasPrefix(rest, p) {
			l.emit(Punct, l.i+len(p))
			return
		}
	}
	switch l.src[l.i] {
	case '(':
		cond := false
		if n := len(l.out); n > 0 && l.out[n-1].Kind == Ident {
			switch l.out[n-1].Text {
			case "if", "while", "for", "with":
				cond = true
			}
		}
		l.parens = append(l.parens, cond)
	case ')':
		l.closed = false
		if n := len(l.parens); n > 0 {
			l.closed, l.parens = l.parens[n-1], l.parens[:n-1]
		}
	case '{':
		l.braces = append(l.braces, false)
	case '}':
		if n := len(l.braces); n > 0 {
			inTemplate := l.braces[n-1]
			l.braces = l.braces[:n-1]
			if inTemplate {
				l.emit(Punct, l.i+1)
				if l.i < len(l.src) {
					l.template(l.i)
				}
				return
			}
		}
	}
	l.emit(Punct, l.i+1)
}
