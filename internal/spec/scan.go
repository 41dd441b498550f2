package spec

import (
	"strings"
	"sync"
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

// line is one line of a file. Offsets are bytes in the scanned text: the line is text[start:stop], and end includes the
// line end.
type line struct {
	start, stop, end int32
	indent           int32
	text             int32 // where its text starts, behind the marks of containers that hold it
	level            uint8
	kind             lineKind
	setext           bool
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
	width int32 // of a list item: the columns that what is in it is indented by
	empty bool  // of a list item: it opened without text, and nothing came since
}

// deepest is how many containers can be open at once. Without a limit the time to read a file
// would grow with the square of its size.
const deepest = 64

// scanner holds the state of the one pass over the lines.
type scanner struct {
	src    string
	lines  []line
	hidden map[int]string // lines with comments in them: without

	in      [deepest]container // outermost first
	depth   int                // how many are open
	leaf    leaf
	top     int    // the first line of the leaf
	fence   string // what opened the fence: only its marks
	htmlEnd string // what ends the HTML block; "\n" is a blank line
}

// scan splits text into lines and finds the block structure that matters here: headings, fences,
// HTML blocks and comments. It follows CommonMark except that headings inside list items and
// quotes are plain text: they never cut a section.
func scan(text string) *scanner { return scanFrom(text, 0) }

// scanFrom scans what is behind an offset.
func scanFrom(text string, off int) *scanner {
	s, ok := scanners.Get().(*scanner)
	if !ok {
		s = &scanner{}
	}
	s.src = text
	for off < len(text) {
		stop, next := len(text), len(text)
		if i := strings.IndexByte(text[off:], '\n'); i >= 0 {
			stop, next = off+i, off+i+1
			if stop > off && text[stop-1] == '\r' {
				stop--
			}
		}
		s.lines = append(s.lines, line{start: int32(off), stop: int32(stop), end: int32(next), text: int32(stop)})
		s.classify(len(s.lines) - 1)
		off = next
	}
	return s
}

// scanners are those that were released: their memory is used again, because most of the time that a scan takes would
// be the collector's.
var scanners sync.Pool

// release gives up the scanner; nobody may use it any more.
func (s *scanner) release() {
	s.src, s.lines, s.hidden, s.depth, s.leaf, s.fence, s.htmlEnd = "", s.lines[:0], nil, 0, noLeaf, "", ""
	scanners.Put(s)
}

// at is the text of a line.
func (s *scanner) at(i int) string {
	if text, ok := s.hidden[i]; ok {
		return text
	}
	return s.src[s.lines[i].start:s.lines[i].stop]
}

// title is what the heading says that starts at a line.
func (s *scanner) title(i int) string {
	if !s.lines[i].setext {
		return atxTitle(s.words(i))
	}
	return strings.Join(s.paragraph(i, s.under(i)-1), " ")
}

// under is the first line behind the heading that starts at a line.
func (s *scanner) under(i int) int {
	i++
	for i < len(s.lines) && s.lines[i].kind == kindUnderline {
		i++
	}
	return i
}

// words is the text of a line without the white space around it and the marks of containers.
func (s *scanner) words(i int) string {
	l := &s.lines[i]
	if text, ok := s.hidden[i]; ok {
		return trimEnd(text[l.text-l.start:])
	}
	return trimEnd(s.src[l.text:l.stop])
}

// paragraph is the text of the lines [from, to).
func (s *scanner) paragraph(from, to int) []string {
	out := make([]string, 0, to-from)
	for ; from < to; from++ {
		out = append(out, s.words(from))
	}
	return out
}

// unclosed returns what would close the fence or comment that swallows the rest of the file, and
// the index of the line that opens it; "" when there is none.
func (s *scanner) unclosed() (string, int) {
	switch {
	case s.depth > 0:
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
	text     string // the whole line
	off, col int
}

// next is the width of the white space at the cursor, and what follows it without the white space
// at the line's end.
func (c *cursor) next() (int, string) {
	col := c.col
	for i := c.off; i < len(c.text); i++ {
		switch c.text[i] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return col - c.col, trimEnd(c.text[i:])
		}
	}
	return col - c.col, ""
}

// trimEnd drops the white space at a line's end.
func trimEnd(s string) string {
	for s != "" && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}

// skip moves over at most n columns of white space.
func (c *cursor) skip(n int) {
	for n > 0 && c.off < len(c.text) {
		width := 1
		switch c.text[c.off] {
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
		c.off, c.col, n = c.off+1, c.col+width, n-width
	}
}

// pass moves over white space, then n bytes, then white space of the given width.
func (c *cursor) pass(indent, n, width int) {
	c.skip(indent)
	c.off, c.col = c.off+n, c.col+n
	c.skip(width)
}

func (s *scanner) classify(n int) {
	l := &s.lines[n]
	c := cursor{text: s.src[l.start:l.stop]}
	switch { // most lines of most files, at once
	case s.leaf > paragraph:
	case c.text == "" && (s.depth == 0 || s.depth == 1 && !s.in[0].quote && !s.in[0].empty):
		l.kind, s.leaf = kindBlank, noLeaf
		return
	case c.text != "" && s.depth == 0 && starters[c.text[0]] == plainText:
		if l.text = l.start; s.leaf != paragraph {
			s.leaf, s.top = paragraph, n
		}
		return
	}
	indent, rest := c.next()
	l.indent = int32(indent)
	blank := rest == ""
	held := 0
	if s.depth > 0 {
		if held = s.match(&c); held > 0 {
			indent, rest = c.next()
		}
	}
	switch {
	case s.leaf > paragraph && held == s.depth && s.goesOn(l, indent, rest):
	case rest == "":
		s.depth, s.leaf = held, noLeaf
		if blank {
			l.kind = kindBlank
		}
	default:
		s.open(n, &c, indent, rest, held)
	}
}

// starter says what a first byte may start.
type starter uint8

const (
	plainText starter = iota
	space
	mayHold // a quote or list item, a rule or an underline
	mayBe   // a heading, rule, underline, fence or HTML block
)

var starters = [256]starter{
	' ': space, '\t': space, '\r': space,
	'>': mayHold, '-': mayHold, '*': mayHold, '+': mayHold,
	'0': mayHold, '1': mayHold, '2': mayHold, '3': mayHold, '4': mayHold,
	'5': mayHold, '6': mayHold, '7': mayHold, '8': mayHold, '9': mayHold,
	'_': mayBe, '#': mayBe, '`': mayBe, '~': mayBe, '<': mayBe, '=': mayBe,
}

// match takes the line through the open containers and returns how many of them hold it.
func (s *scanner) match(c *cursor) int {
	for i := range s.depth {
		in := &s.in[i]
		indent, rest := c.next()
		switch {
		case in.quote && indent < 4 && strings.HasPrefix(rest, ">"):
			c.pass(indent, 1, 1)
		case in.quote:
			return i
		case rest == "" && !in.empty:
		case rest != "" && indent >= int(in.width):
			c.skip(int(in.width))
			in.empty = false
		default:
			return i
		}
	}
	return s.depth
}

// goesOn handles a line while a fence or HTML block is open.
func (s *scanner) goesOn(l *line, indent int, rest string) bool {
	var kind lineKind
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
	for i := range s.depth {
		if s.in[i].quote {
			return
		}
	}
	l.kind = kind
}

// open finds what the rest of a line opens, inside the containers that hold it. The rest is what is at the cursor,
// behind white space.
func (s *scanner) open(n int, c *cursor, indent int, rest string, held int) {
	lazy := s.leaf == paragraph       // the text of a paragraph may go on without the marks of its containers
	direct := lazy && held == s.depth // it has them all: only what may interrupt a paragraph ends it
	for opened := false; rest != "" && indent < 4 && starters[rest[0]] != plainText; opened = true {
		if starters[rest[0]] == mayHold && held < deepest {
			if in, mark, space, ok := opens(c.col, indent, rest, direct); ok {
				s.in[held] = in
				held++
				s.depth = held
				c.pass(indent, mark, space)
				s.leaf, lazy, direct = noLeaf, false, false
				indent, rest = c.next()
				continue
			}
		}
		if direct && s.underline(n, rest) {
			return
		}
		lazy = lazy && s.leaf == paragraph
		if s.starts(n, indent, rest, held, opened, lazy) {
			return
		}
		break
	}
	l := &s.lines[n]
	c.skip(indent)
	l.text = l.start + int32(c.off)
	switch {
	case rest == "": // an item or quote that opens without text
	case lazy:
	case indent > 3: // indented code
		s.depth, s.leaf = held, noLeaf
	default:
		s.depth, s.leaf, s.top = held, paragraph, n
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
	return container{width: int32(indent + mark + space), empty: inner == ""}, mark, space, true
}

// starts handles a heading, rule, fence or HTML block.
func (s *scanner) starts(n, indent int, rest string, held int, opened, lazy bool) bool {
	kind, leaf, level := kindText, noLeaf, uint8(0)
	switch rest[0] {
	case '#':
		if level = atx(rest); level == 0 {
			return false
		}
		if held == 0 {
			kind = kindHeading
		}
	case '`', '~':
		length, ok := openFence(rest)
		if !ok {
			return false
		}
		kind, leaf, s.fence = kindFence, fenced, rest[:length]
	case '<':
		end, ok := htmlStart(rest, lazy)
		if !ok {
			return false
		}
		kind, s.htmlEnd = kindHTML, end
		if !endsHTML(rest, end) {
			leaf = html
		}
	default:
		if !isRule(rest) {
			return false
		}
		kind = kindRule
	}
	s.depth, s.leaf, s.top = held, leaf, n
	if l := &s.lines[n]; !opened {
		s.name(l, kind)
		if l.kind == kindHeading {
			l.level, l.text = level, l.start+int32(indent) // no tab fits in
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
	skip := definitions(s.paragraph(s.top, n))
	if skip == n-s.top {
		return false
	}
	if s.depth > 0 {
		s.name(&s.lines[n], kindRule)
		return true
	}
	first := s.top + skip
	h := &s.lines[first]
	h.kind, h.level, h.setext = kindHeading, level, true
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
	if s == "" || s[0] != '`' && s[0] != '~' {
		return 0, false
	}
	n := runLength(s, s[0])
	if n < 3 || s[0] == '`' && strings.IndexByte(s[n:], '`') >= 0 {
		return 0, false
	}
	return n, true
}

// atx is the level of a heading, 0 where there is none.
func atx(s string) uint8 {
	n := runLength(s, '#')
	if n > 6 || len(s) > n && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return uint8(n) //nolint:gosec // at most 6
}

// atxTitle is what a heading says, without the marks at both ends.
func atxTitle(s string) string {
	title := strings.Trim(strings.TrimLeft(s, "#"), " \t")
	if cut := strings.TrimRight(title, "#"); cut == "" || cut[len(cut)-1] == ' ' || cut[len(cut)-1] == '\t' {
		title = strings.TrimRight(cut, " \t")
	}
	return title
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
