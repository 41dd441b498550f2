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

// scanner holds the state of the one pass over the lines.
type scanner struct {
	lines []line
	lists []int // content columns of the open list items, outermost first

	fenceChar byte // 0: not in a fence
	fenceLen  int
	fenceList int // content column of the list item that holds the fence
	fenceLine int

	empty int // the line behind an item that opened without text

	htmlEnd   string // what ends the HTML block; "\n" is a blank line; "" none is open
	htmlLine  int
	paragraph bool // the line before is paragraph text, here or in a list item or quote
	quoted    bool // that text is in a quote
	first     int  // index of the first line of an open top-level paragraph, or -1
}

// scan splits text into lines and finds the block structure that matters here: headings, fences,
// HTML blocks and comments. It follows CommonMark except that headings inside list items and
// quotes are plain text: they never cut a section.
func scan(text string) *scanner {
	s := &scanner{first: -1, lines: make([]line, 0, strings.Count(text, "\n")+1)}
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

func (s *scanner) classify(n int) {
	l := &s.lines[n]
	indent, rest := splitIndent(l.text)
	l.indent = indent
	if s.fenceChar != 0 && s.inFence(l, indent, rest) {
		return
	}
	if s.htmlEnd != "" && s.inHTML(l, rest) {
		return
	}
	if rest == "" {
		l.kind, s.paragraph, s.first = kindBlank, false, -1
		if s.empty == n && len(s.lists) > 0 { // an item whose first two lines are blank is over
			s.lists = s.lists[:len(s.lists)-1]
		}
		return
	}
	direct := s.paragraph && !s.quoted && (len(s.lists) == 0 || indent >= s.lists[len(s.lists)-1])
	if s.continues(indent, rest, direct) {
		return
	}
	s.quoted = false
	for len(s.lists) > 0 && s.lists[len(s.lists)-1] > indent {
		s.lists = s.lists[:len(s.lists)-1]
	}
	s.block(n, indent, rest, direct)
}

// continues reports whether the line is the lazy continuation of a paragraph in a container.
// direct says that the line is inside all containers of the paragraph, so that only what may
// interrupt a paragraph ends it.
func (s *scanner) continues(indent int, rest string, direct bool) bool {
	if !s.paragraph || s.first >= 0 {
		return false
	}
	return indent-s.base(indent) >= 4 || !startsBlock(rest, direct)
}

// base returns the content column of the innermost open list item that a line indented like this
// belongs to.
func (s *scanner) base(indent int) int {
	for i := len(s.lists) - 1; i >= 0; i-- {
		if s.lists[i] <= indent {
			return s.lists[i]
		}
	}
	return 0
}

// block classifies a line that is not inside a fence or HTML block and continues no container.
func (s *scanner) block(n, indent int, rest string, direct bool) {
	l := &s.lines[n]
	base := s.base(indent)
	top := len(s.lists) == 0
	if indent-base >= 4 {
		if !s.paragraph { // indented code: never a heading
			s.first = -1
		}
		return
	}
	if level, ok := underline(rest); ok && top && s.first >= 0 && s.paragraph {
		s.setext(n, level)
		return
	}
	if char, length, ok := openFence(rest); ok {
		s.fenceChar, s.fenceLen, s.fenceList, s.fenceLine = char, length, base, n
		l.kind, s.paragraph, s.first = kindFence, false, -1
		return
	}
	if level, title, ok := atx(rest); ok {
		if top {
			l.kind, l.level, l.title = kindHeading, level, title
		}
		s.paragraph, s.first = false, -1
		return
	}
	if isRule(rest) {
		l.kind, s.paragraph, s.first = kindRule, false, -1
		return
	}
	if width, inner, ok := listMarker(rest); ok && (!direct || interrupts(rest, inner)) {
		s.openItem(n, indent, width, inner)
		return
	}
	if rest[0] == '>' {
		s.paragraph, s.quoted, s.first = quotesText(rest), true, -1
		return
	}
	if end, ok := htmlStart(rest, direct); ok {
		l.kind, s.paragraph, s.first = kindHTML, false, -1
		if end == "\n" || !strings.Contains(rest[htmlSkip(rest):], end) {
			s.htmlEnd, s.htmlLine = end, n
		}
		return
	}
	if top && (!s.paragraph || s.first < 0) {
		s.first = n
	}
	s.paragraph = true
}

// openItem enters a list item and whatever its first line opens.
func (s *scanner) openItem(n, indent, width int, inner string) {
	s.first = -1
	s.lists = append(s.lists, indent+width)
	s.paragraph = inner != ""
	if inner == "" {
		s.empty = n + 1
		return
	}
	if char, length, ok := openFence(inner); ok {
		s.fenceChar, s.fenceLen, s.fenceList, s.fenceLine = char, length, indent+width, n
		s.paragraph = false
		return
	}
	if _, _, ok := atx(inner); ok || isRule(inner) || inner[0] == '>' {
		s.quoted = inner[0] == '>'
		s.paragraph = s.quoted && quotesText(inner)
		return
	}
	if w, deeper, ok := listMarker(inner); ok && len(s.lists) < 64 {
		s.openItem(n, indent+width, w, deeper)
	}
}

// setext turns the open paragraph and the line n under it into a heading.
func (s *scanner) setext(n int, level uint8) {
	parts := make([]string, 0, n-s.first)
	for i := s.first; i < n; i++ {
		parts = append(parts, strings.TrimSpace(s.lines[i].text))
		s.lines[i].kind = kindUnderline
	}
	h := &s.lines[s.first]
	h.kind, h.level, h.title, h.setext = kindHeading, level, strings.Join(parts, " "), true
	s.lines[n].kind, s.paragraph, s.first = kindUnderline, false, -1
}

// inFence handles a line while a fence is open; false means that the fence's list item has ended
// and the line is an ordinary one.
func (s *scanner) inFence(l *line, indent int, rest string) bool {
	if s.fenceList > 0 && rest != "" && indent < s.fenceList {
		s.fenceChar = 0
		return false
	}
	l.kind = kindCode
	if rest == "" || indent-s.fenceList > 3 {
		return true
	}
	run := runLength(rest, s.fenceChar)
	if run >= s.fenceLen && strings.TrimSpace(rest[run:]) == "" {
		l.kind, s.fenceChar = kindFence, 0
	}
	return true
}

func (s *scanner) inHTML(l *line, rest string) bool {
	if s.htmlEnd == "\n" {
		if rest == "" {
			s.htmlEnd = ""
			return false
		}
		l.kind = kindHTML
		return true
	}
	l.kind = kindHTML
	if strings.Contains(strings.ToLower(rest), s.htmlEnd) {
		s.htmlEnd = ""
	}
	return true
}

// splitIndent returns the column of the first character that is not a space or tab, and the rest
// of the line from there without trailing space.
func splitIndent(text string) (int, string) {
	col := 0
	for i := range len(text) {
		switch text[i] {
		case ' ':
			col++
		case '\t':
			col += 4 - col%4
		default:
			return col, strings.TrimRight(text[i:], " \t\r")
		}
	}
	return col, ""
}

func runLength(s string, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}

func openFence(s string) (byte, int, bool) {
	if s[0] != '`' && s[0] != '~' {
		return 0, 0, false
	}
	n := runLength(s, s[0])
	if n < 3 || s[0] == '`' && strings.IndexByte(s[n:], '`') >= 0 {
		return 0, 0, false
	}
	return s[0], n, true
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

func underline(s string) (uint8, bool) {
	if s == "" || s[0] != '=' && s[0] != '-' || runLength(s, s[0]) != len(s) {
		return 0, false
	}
	if s[0] == '=' {
		return 1, true
	}
	return 2, true
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

// listMarker returns the width of a list marker with the space after it, and what follows.
func listMarker(s string) (int, string, bool) {
	n := 0
	switch c := s[0]; {
	case c == '-' || c == '*' || c == '+':
		n = 1
	case c >= '0' && c <= '9':
		for n < len(s) && n < 10 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n > 9 || n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0, "", false
		}
		n++
	default:
		return 0, "", false
	}
	if n == len(s) {
		return n + 1, "", true
	}
	if s[n] != ' ' && s[n] != '\t' {
		return 0, "", false
	}
	space, inner := splitIndent(s[n:])
	if space > 4 {
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
	return s[0] < '0' || s[0] > '9' || strings.HasPrefix(s, "1.") || strings.HasPrefix(s, "1)")
}

// startsBlock reports whether the text starts a block that ends a paragraph before it.
func startsBlock(s string, inParagraph bool) bool {
	if _, _, ok := openFence(s); ok {
		return true
	}
	if _, _, ok := atx(s); ok || isRule(s) || s[0] == '>' {
		return true
	}
	if _, inner, ok := listMarker(s); ok && (!inParagraph || interrupts(s, inner)) {
		return true
	}
	_, ok := htmlStart(s, true) // a lone tag never ends a paragraph
	return ok
}

// quotesText reports whether a line of a quote, or of a list item, ends in paragraph text, which
// the next line may continue without a marker.
func quotesText(s string) bool {
	for {
		indent, rest := 0, s
		if rest[0] == '>' {
			indent, rest = splitIndent(rest[1:])
		} else if _, inner, ok := listMarker(rest); ok {
			rest = inner
		} else {
			return !startsBlock(rest, false)
		}
		if rest == "" || indent > 4 {
			return false
		}
		s = rest
	}
}

// column returns the 1-based character column of byte i in text.
func column(text string, i int) int {
	return utf8.RuneCountInString(text[:min(i, len(text))]) + 1
}
