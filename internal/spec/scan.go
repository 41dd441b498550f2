package spec

import (
	"strings"
	"unicode/utf8"
)

// lineKind is what a line is to the block structure of Markdown.
type lineKind uint8

const (
	kindText      lineKind = iota // paragraph, list item, table row, quote
	kindBlank                     //
	kindHeading                   // ATX, or the first line of a setext heading
	kindUnderline                 // the other lines of a setext heading
	kindFence                     // opening or closing line of a fenced block
	kindCode                      // inside a fenced block
	kindHTML                      // part of an HTML block or comment
	kindRule                      // thematic break
)

// line is one line of a file. Offsets are bytes in the scanned text; end includes the line end.
type line struct {
	text       string
	title      string
	start, end int
	indent     int
	level      uint8
	kind       lineKind
	setext     bool
}

// leaf is the block that the text of the line before belongs to, where the next line may go on with it.
type leaf uint8

const (
	noLeaf leaf = iota
	paragraph
	fenced
	html
)

// container is an open quote or list item.
type container struct {
	quote bool
	width int  // of a list item: the columns that what is in it is indented by
	empty bool // of a list item: it opened without text, and nothing came since
}

// deepest is how many containers can be open at once. Without a limit the time to read a file
// would grow with the square of its size.
const deepest = 64

// scanner holds the state of the one pass over the lines.
type scanner struct {
	lines []line

	in      []container // outermost first
	leaf    leaf
	top     int      // the first line of the leaf
	para    []string // the lines of an open paragraph, without indentation
	fence   string   // what opened the fence: only its marks
	htmlEnd string   // what ends the HTML block; "\n" is a blank line
}

// scan splits text into lines and finds the block structure that matters here: headings, fences,
// HTML blocks and comments. It follows CommonMark except that headings inside list items and
// quotes are plain text: they never cut a section.
func scan(text string) *scanner {
	s := &scanner{lines: make([]line, 0, strings.Count(text, "\n")+1)}
	for off := 0; off < len(text); {
		end, next := len(text), len(text)
		if i := strings.IndexByte(text[off:], '\n'); i >= 0 {
			end, next = off+i, off+i+1
			if end > off && text[end-1] == '\r' {
				end--
			}
		}
		s.lines = append(s.lines, line{text: text[off:end], start: off, end: next})
		s.classify(len(s.lines) - 1)
		off = next
	}
	return s
}

// unclosed returns what would close the fence or comment that swallows the rest of the file, and
// the index of the line that opens it; "" when there is none.
func (s *scanner) unclosed() (string, int) {
	switch {
	case len(s.in) > 0:
	case s.leaf == fenced:
		return s.fence, s.top
	case s.leaf == html && s.htmlEnd != "\n":
		return s.htmlEnd, s.top
	}
	return "", 0
}

// cursor is a place in a line. A tab reaches to the next column that four divides, and only a
// part of it may belong to a container.
type cursor struct {
	text string
	col  int
}

// next is the width of the white space at the cursor, and what follows it without the white space
// at the line's end.
func (c *cursor) next() (int, string) {
	col := c.col
	for i := range len(c.text) {
		switch c.text[i] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return col - c.col, strings.TrimRight(c.text[i:], " \t\r")
		}
	}
	return col - c.col, ""
}

// skip moves over at most n columns of white space.
func (c *cursor) skip(n int) {
	for n > 0 && c.text != "" {
		width := 1
		switch c.text[0] {
		case ' ':
		case '\t':
			width = 4 - c.col%4
		default:
			return
		}
		if width > n {
			c.col += n
			return
		}
		c.text, c.col, n = c.text[1:], c.col+width, n-width
	}
}

// pass moves over white space, then n bytes, then white space of the given width.
func (c *cursor) pass(indent, n, width int) {
	c.skip(indent)
	c.text, c.col = c.text[n:], c.col+n
	c.skip(width)
}

func (s *scanner) classify(n int) {
	l := &s.lines[n]
	c := cursor{text: l.text}
	indent, rest := c.next()
	l.indent = indent
	blank := rest == ""
	held := s.match(&c)
	if held > 0 {
		indent, rest = c.next()
	}
	switch {
	case held == len(s.in) && s.goesOn(l, indent, rest):
	case rest == "":
		s.in, s.leaf = s.in[:held], noLeaf
		if blank {
			l.kind = kindBlank
		}
	default:
		s.open(n, &c, held)
	}
}

// match takes the line through the open containers and returns how many of them hold it.
func (s *scanner) match(c *cursor) int {
	for i := range s.in {
		in := &s.in[i]
		indent, rest := c.next()
		switch {
		case in.quote && indent < 4 && strings.HasPrefix(rest, ">"):
			c.pass(indent, 1, 1)
		case in.quote:
			return i
		case rest == "" && !in.empty:
		case rest != "" && indent >= in.width:
			c.skip(in.width)
			in.empty = false
		default:
			return i
		}
	}
	return len(s.in)
}

// goesOn handles a line while a fence or HTML block is open.
func (s *scanner) goesOn(l *line, indent int, rest string) bool {
	kind := kindText
	switch {
	case s.leaf == fenced:
		kind = kindCode
		if run := runLength(rest, s.fence[0]); run >= len(s.fence) && indent < 4 && isBlank(rest[run:]) {
			kind, s.leaf = kindFence, noLeaf
		}
	case s.leaf == html && (s.htmlEnd != "\n" || rest != ""):
		kind = kindHTML
		if endsHTML(rest, s.htmlEnd) {
			s.leaf = noLeaf
		}
	default:
		return false
	}
	s.name(l, kind)
	return true
}

// name gives a line its kind. What is in a quote is plain text to the readers of sections.
func (s *scanner) name(l *line, kind lineKind) {
	for i := range s.in {
		if s.in[i].quote {
			return
		}
	}
	l.kind = kind
}

// open finds what the rest of a line opens, inside the containers that hold it.
func (s *scanner) open(n int, c *cursor, held int) {
	lazy := s.leaf == paragraph         // the text of a paragraph may go on without the marks of its containers
	direct := lazy && held == len(s.in) // it has them all: only what may interrupt a paragraph ends it
	for opened := false; ; opened = true {
		indent, rest := c.next()
		if rest != "" && indent < 4 {
			if in, mark, space, ok := opens(c.col, indent, rest, direct); ok && held < deepest {
				s.in = append(s.in[:held], in)
				held++
				c.pass(indent, mark, space)
				s.leaf, lazy, direct = noLeaf, false, false
				continue
			}
			if direct && s.underline(n, rest) {
				return
			}
			direct, lazy = direct && s.leaf == paragraph, lazy && s.leaf == paragraph
			if s.starts(n, rest, held, opened, lazy) {
				return
			}
		}
		switch {
		case rest == "": // an item or quote that opens without text
		case lazy:
			s.para = append(s.para, rest)
		case indent > 3: // indented code
			s.in, s.leaf = s.in[:held], noLeaf
		default:
			s.in, s.leaf, s.top = s.in[:held], paragraph, n
			s.para = append(s.para[:0], rest)
		}
		return
	}
}

// opens reports whether a text, indented from a column, opens a quote or list item: the container,
// the length of its mark and the width of the space behind that.
func opens(col, indent int, s string, direct bool) (in container, mark, space int, ok bool) {
	if s[0] == '>' {
		return container{quote: true}, 1, 1, true
	}
	mark = markerLength(s)
	if mark == 0 || isRule(s) {
		return container{}, 0, 0, false
	}
	after := cursor{text: s[mark:], col: col + indent + mark}
	space, inner := after.next()
	if direct && !interrupts(s, inner) {
		return container{}, 0, 0, false
	}
	if space > 4 || inner == "" {
		space = 1
	}
	return container{width: indent + mark + space, empty: inner == ""}, mark, space, true
}

// starts handles a heading, rule, fence or HTML block.
func (s *scanner) starts(n int, rest string, held int, opened, lazy bool) bool {
	kind, leaf := kindText, noLeaf
	level, title, isHeading := atx(rest)
	if isHeading {
		if held == 0 {
			kind = kindHeading
		}
	} else if isRule(rest) {
		kind = kindRule
	} else if length, ok := openFence(rest); ok {
		kind, leaf, s.fence = kindFence, fenced, rest[:length]
	} else if end, ok := htmlStart(rest, lazy); ok {
		kind, s.htmlEnd = kindHTML, end
		if !endsHTML(rest, end) {
			leaf = html
		}
	} else {
		return false
	}
	s.in, s.leaf, s.top = s.in[:held], leaf, n
	if l := &s.lines[n]; !opened {
		s.name(l, kind)
		if l.kind == kindHeading {
			l.level, l.title = level, title
		}
	}
	return true
}

// underline turns the open paragraph and the line n under it into a heading. A paragraph that
// only defines the targets of links is none; it is closed then.
func (s *scanner) underline(n int, rest string) bool {
	level := uint8(2)
	if rest[0] == '=' {
		level = 1
	} else if rest[0] != '-' {
		return false
	}
	if runLength(rest, rest[0]) != len(rest) {
		return false
	}
	s.leaf = noLeaf
	skip := definitions(s.para)
	if skip == len(s.para) {
		return false
	}
	if len(s.in) > 0 {
		s.name(&s.lines[n], kindRule)
		return true
	}
	first := s.top + skip
	h := &s.lines[first]
	h.kind, h.level, h.title, h.setext = kindHeading, level, strings.Join(s.para[skip:], " "), true
	for i := first + 1; i <= n; i++ {
		s.lines[i].kind = kindUnderline
	}
	return true
}

// splitIndent returns the column of the first character that is not a space or tab, and the rest
// of the line from there without trailing space.
func splitIndent(text string) (int, string) {
	c := cursor{text: text}
	return c.next()
}

func runLength(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

// openFence returns the length of the marks that open a fenced block.
func openFence(s string) (int, bool) {
	if s[0] != '`' && s[0] != '~' {
		return 0, false
	}
	n := runLength(s, s[0])
	if n < 3 || s[0] == '`' && strings.IndexByte(s[n:], '`') >= 0 {
		return 0, false
	}
	return n, true
}

func atx(s string) (uint8, string, bool) {
	n := runLength(s, '#')
	if n == 0 || n > 6 || len(s) > n && s[n] != ' ' && s[n] != '\t' {
		return 0, "", false
	}
	title := strings.Trim(s[n:], " \t")
	if cut := strings.TrimRight(title, "#"); cut == "" || cut[len(cut)-1] == ' ' || cut[len(cut)-1] == '\t' {
		title = strings.TrimRight(cut, " \t")
	}
	return uint8(n), title, true //nolint:gosec // n is at most 6
}

func isRule(s string) bool {
	c := s[0]
	if c != '-' && c != '*' && c != '_' {
		return false
	}
	n := 0
	for i := range len(s) {
		switch s[i] {
		case c:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// markerLength is the length of a list marker without the space after it, 0 when there is none.
func markerLength(s string) int {
	n := 0
	switch c := s[0]; {
	case c == '-' || c == '*' || c == '+':
		n = 1
	case c >= '0' && c <= '9':
		for n < len(s) && n < 10 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n > 9 || n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return n
}

// listMarker returns the width of a list marker with the space after it, and what follows.
func listMarker(s string) (int, string, bool) {
	n := markerLength(s)
	if n == 0 {
		return 0, "", false
	}
	space, inner := splitIndent(s[n:])
	if space > 4 || inner == "" {
		space = 1
	}
	return n + space, inner, true
}

// interrupts reports whether a list item may end a paragraph: it has text, and an ordered one
// starts at 1.
func interrupts(s, inner string) bool {
	if inner == "" {
		return false
	}
	return s[0] < '0' || s[0] > '9' || ordinal(s) == 1
}

// column returns the 1-based character column of byte i in text.
func column(text string, i int) int {
	return utf8.RuneCountInString(text[:min(i, len(text))]) + 1
}
