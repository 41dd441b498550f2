package spec

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// section is a heading with everything under it, up to the next heading of its level or above.
type section struct {
	title string // as written, without markup
	key   string // lower case, without emphasis and trailing colon: what names are compared with
	level int
	line  int // index of the heading line; -1 for the whole file
	first int // first line of its own text
	body  int // end of its own text: the first child, or end
	end   int // end of everything
	kids  []*section
}

// tree nests the headings of a scanned file. Its root has level 0.
func tree(s *scanner) *section {
	root := &section{line: -1, body: len(s.lines), end: len(s.lines)}
	open := []*section{root}
	for i := range s.lines {
		l := &s.lines[i]
		if l.kind != kindHeading {
			continue
		}
		sec := &section{
			title: plain(s.title(i)), key: headingKey(s.title(i)), level: int(l.level),
			line: i, first: s.under(i), body: len(s.lines), end: len(s.lines),
		}
		for open[len(open)-1].level >= sec.level {
			open[len(open)-1].close(i)
			open = open[:len(open)-1]
		}
		parent := open[len(open)-1]
		if len(parent.kids) == 0 {
			parent.body = i
		}
		parent.kids = append(parent.kids, sec)
		open = append(open, sec)
	}
	return root
}

func (s *section) close(at int) {
	s.end = at
	s.body = min(s.body, at)
}

// walk calls f for a section and every one below it, parents first.
func (s *section) walk(f func(*section)) {
	f(s)
	for _, k := range s.kids {
		k.walk(f)
	}
}

// headingKey is the form in which titles are compared.
func headingKey(title string) string {
	return strings.TrimRight(squeeze(strings.ToLower(plain(title))), ":： ")
}

// plain drops code marks and emphasis around a text.
func plain(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "`", ""))
	if s == "" || s[0] != '*' && s[0] != '_' {
		return s
	}
	for _, mark := range []string{"**", "__"} {
		if strings.HasPrefix(s, mark) && strings.HasSuffix(s, mark) && len(s) > 2*len(mark) {
			s = s[len(mark) : len(s)-len(mark)]
		}
	}
	return strings.TrimSpace(s)
}

// text returns the lines [from, to) as written, without comments and surrounding blank lines.
func (s *scanner) text(from, to int) string {
	var b strings.Builder
	comment := false
	for i := from; i < to; i++ {
		line := s.at(i)
		if s.lines[i].kind == kindHTML {
			rest := ""
			if rest, comment = uncommented(line, comment); rest == "" && rest != line {
				continue
			}
			line = rest
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return strings.Trim(b.String(), "\n")
}

// uncommented drops comments from a line of HTML; inside says whether one has begun before it, and after it.
func uncommented(line string, inside bool) (rest string, still bool) {
	if !inside && !strings.Contains(line, "<!--") {
		return line, false
	}
	var b strings.Builder
	for line != "" {
		if !inside {
			before, after, begins := strings.Cut(line, "<!--")
			b.WriteString(before)
			if line = after; !begins {
				break
			}
		}
		_, after, ends := strings.Cut(line, "-->")
		if line, inside = after, !ends; !ends {
			break
		}
	}
	return strings.TrimSpace(b.String()), inside
}

// blockKind is the form of one block of text inside a section.
type blockKind uint8

const (
	blockPara  blockKind = iota // one line of a paragraph
	blockItem                   // a list item with its continuation lines
	blockTable                  // rows; the first is the header
	blockCode                   // a fenced block
)

// block is a piece of a section's own text.
type block struct {
	kind   blockKind
	text   string
	line   int // 1-based
	col    int // 1-based, of the text behind the marker
	indent int
	num    int // number of an ordered item, 0 for a bullet
	kids   []*block
	rows   []row
	info   string
	code   []string
}

// row is a line of a table.
type row struct {
	cells []string
	line  int
}

// blocks reads the lines [from, to) as a tree: items hold what is indented under them.
func (s *scanner) blocks(from, to int) []*block {
	var top []*block
	var open []*block // chain of items
	gap := false
	add := func(b *block, indent int) {
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			top = append(top, b)
		} else {
			p := open[len(open)-1]
			p.kids = append(p.kids, b)
		}
	}
	for i := from; i < to; i++ {
		l := &s.lines[i]
		switch l.kind {
		case kindBlank, kindHeading, kindUnderline, kindHTML, kindRule, kindCode:
			gap = true
			continue
		case kindFence:
			b, next := s.codeBlock(i, to)
			add(b, int(l.indent))
			i = next
		case kindText:
			_, rest := splitIndent(s.at(i))
			start := len(s.at(i)) - len(strings.TrimLeft(s.at(i), " \t"))
			if width, inner, ok := listMarker(rest); ok {
				b := &block{kind: blockItem, text: inner, line: i + 1, indent: int(l.indent), num: ordinal(rest)}
				b.col = column(s.at(i), start+min(width, len(rest)))
				add(b, int(l.indent))
				open = append(open, b)
				if _, fence := openFence(inner); fence {
					b.text = ""
				}
				break
			}
			if b, next, ok := s.table(i, to); ok {
				add(b, int(l.indent))
				i = next
				break
			}
			if n := len(open); n > 0 && !gap && int(l.indent) > open[n-1].indent && len(open[n-1].kids) == 0 {
				open[n-1].text += " " + rest
				break
			}
			b := &block{kind: blockPara, text: rest, line: i + 1, indent: int(l.indent)}
			b.col = column(s.at(i), start)
			add(b, int(l.indent))
		}
		gap = false
	}
	return top
}

func ordinal(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	v, _ := strconv.Atoi(s[:n])
	return v
}

// codeBlock reads the fenced block that opens at line i.
func (s *scanner) codeBlock(i, to int) (*block, int) {
	l := &s.lines[i]
	b := &block{kind: blockCode, line: i + 1, col: 1, indent: int(l.indent)}
	b.info = strings.ToLower(strings.TrimSpace(strings.Trim(strings.TrimSpace(s.at(i)), "`~")))
	for i++; i < to && s.lines[i].kind == kindCode; i++ {
		b.code = append(b.code, s.at(i))
	}
	if i >= to || s.lines[i].kind != kindFence {
		i--
	}
	return b, i
}

// table reads a table that starts at line i: a row with a pipe and a delimiter row under it.
func (s *scanner) table(i, to int) (*block, int, bool) {
	if i+1 >= to || !strings.Contains(s.at(i), "|") || !isDelimiterRow(s.at(i+1)) {
		return nil, i, false
	}
	b := &block{kind: blockTable, line: i + 1, col: 1, indent: int(s.lines[i].indent)}
	b.rows = append(b.rows, row{cells: cells(s.at(i)), line: i + 1})
	for i += 2; i < to && s.lines[i].kind == kindText && strings.Contains(s.at(i), "|"); i++ {
		b.rows = append(b.rows, row{cells: cells(s.at(i)), line: i + 1})
	}
	return b, i - 1, true
}

func isDelimiterRow(s string) bool {
	s = strings.TrimSpace(s)
	return strings.Contains(s, "-") && strings.Contains(s, "|") && strings.Trim(s, "|-: \t") == ""
}

// cells splits a table row at its pipes; a pipe inside a code span or behind a backslash is text.
func cells(s string) []string {
	s = strings.TrimSpace(s)
	s = strings.TrimPrefix(s, "|")
	var out []string
	var cell strings.Builder
	ticks := strings.Count(s, "`")%2 == 0
	code := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && s[i+1] == '|':
			cell.WriteByte('|')
			i++
		case c == '`' && ticks:
			code = !code
			cell.WriteByte(c)
		case c == '|' && !code:
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(c)
		}
	}
	if last := strings.TrimSpace(cell.String()); last != "" || len(out) == 0 {
		out = append(out, last)
	}
	return out
}

// cell returns cell i of a row, or "".
func (r row) cell(i int) string {
	if i < 0 || i >= len(r.cells) {
		return ""
	}
	return r.cells[i]
}

// columns finds the first header cell that matches one of the words, or -1.
func (r row) column(words ...string) int {
	return slices.IndexFunc(r.cells, func(c string) bool { return hasAny(headingKey(c), words...) })
}

// hasAny reports whether a text contains one of the words.
func hasAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// isNoneText reports whether all that a section says, below its headings as well, is that there is nothing.
func isNoneText(s string) bool {
	none := false
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if none = isNone(line); !none {
			return false
		}
	}
	return none
}

// isNone reports whether a text is one of the markers that mean "deliberately empty", also as the one item of a list.
func isNone(s string) bool {
	if s = strings.TrimSpace(s); s == "" {
		return false
	}
	if _, inner, ok := listMarker(s); ok && inner != "" {
		s = inner
	}
	switch strings.ToLower(strings.Trim(plain(s), ".() ")) {
	case "none", "n/a", "-", "—", "없음", "해당 없음":
		return true
	}
	return false
}

// noneBlocks reports whether the blocks are exactly one None marker.
func noneBlocks(bs []*block) bool {
	return len(bs) == 1 && (bs[0].kind == blockPara || bs[0].kind == blockItem) && len(bs[0].kids) == 0 && isNone(bs[0].text)
}

// codeSpan splits a text that starts with a code span into the span's content and the rest.
func codeSpan(s string) (string, string, bool) {
	n := runLength(s, '`')
	if n == 0 {
		return "", s, false
	}
	mark := s[:n]
	end := strings.Index(s[n:], mark)
	if end < 0 {
		return "", s, false
	}
	return strings.TrimSpace(s[n : n+end]), s[n+end+n:], true
}

// describe cleans what follows a code span or name: the dash or colon, then prose.
func describe(s string) string {
	s = strings.TrimSpace(s)
	for _, sep := range []string{"—", "–", "-", ":"} {
		if t, ok := strings.CutPrefix(s, sep); ok {
			return strings.TrimSpace(t)
		}
	}
	return s
}

// squeeze collapses white space. Most texts have none to collapse and are returned as they are.
func squeeze(s string) string {
	if settled(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// settled reports whether a text surely has no white space to collapse.
func settled(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c > ' ' && c < utf8.RuneSelf, c >= 0xEA:
		case c == ' ' && i > 0 && i+1 < len(s) && s[i-1] != ' ':
		case c >= 0x80 && c < 0xC0: // the inside of a character
		case c == 0xE2 && i+2 < len(s) && (s[i+1] > 0x81 || s[i+1] == 0x80 && s[i+2] >= 0x90 && s[i+2] < 0xA8): // dashes, arrows, quotes
		default:
			return false
		}
	}
	return true
}

// tidy collapses white space like squeeze, but leaves what stands in code or in double quotes as it is: there every blank may count.
func tidy(s string) string {
	if settled(s) {
		return s
	}
	var b strings.Builder
	prose := func(t string) {
		words := strings.Fields(t)
		if len(t) > 0 && isBlank(t[:1]) && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Join(words, " "))
		if len(words) > 0 && isBlank(t[len(t)-1:]) {
			b.WriteByte(' ')
		}
	}
	for from := 0; ; {
		open := strings.IndexAny(s[from:], "`\"")
		if open < 0 {
			break
		}
		open += from
		end := literalEnd(s, open)
		if end < 0 {
			from = open + 1
			continue
		}
		prose(s[:open])
		b.WriteString(strings.ReplaceAll(s[open:end], "\n", " "))
		s, from = s[end:], 0
	}
	prose(s)
	return strings.TrimSpace(b.String())
}

// literalEnd is where the code or the quoted text ends that begins at a position, -1 where it does not end.
func literalEnd(s string, open int) int {
	if s[open] == '`' {
		ticks := s[open : open+len(s[open:])-len(strings.TrimLeft(s[open:], "`"))]
		length := strings.Index(s[open+len(ticks):], ticks)
		if length < 0 {
			return -1
		}
		return open + 2*len(ticks) + length
	}
	for i := open + 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// isIdent reports whether s is a name: letters, digits, "_" and "$", and "." or "::" inside.
func isIdent(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isWord(r) && (i == 0 || i+n == len(s) || r != '.' && r != ':' && r != '#') {
			return false
		}
		i += n
	}
	return true
}

func isWord(r rune) bool {
	return r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' ||
		r >= 0x80 && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
