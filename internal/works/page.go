package works

import (
	"strings"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// page is a file on its way into a document: its lines and what is wrong with them.
type page struct {
	path  string
	lines []line
	ps    []spec.Problem
}

// line is a line of a file without its end.
type line struct {
	text  string
	no    int // counts from 1
	level int // of a heading, 0 for any other line
	code  fenceMark
}

// section is a heading with the lines up to the next heading of its level or above. What stands
// before the first one has the level 0.
type section struct {
	line
	title string
	body  []line
}

func newPage(path string, src []byte) *page {
	p := &page{path: path}
	if !utf8.Valid(src) {
		p.warn(0, "the file is not UTF-8", "save it as UTF-8; what cannot be read is shown as �")
	}
	text := strings.TrimPrefix(strings.ToValidUTF8(string(src), "\uFFFD"), "\uFEFF")
	raw := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range raw {
		raw[i] = strings.TrimSuffix(l, "\r")
	}
	for i, m := range fences(raw) {
		l := line{text: raw[i], no: i + 1, code: m}
		if m == noFence {
			if n, _ := fenceRun(l.text); n > 0 {
				p.warn(l.no, "this fence is never closed; it is read as text", "close it with the same marks")
			}
			l.level = headingLevel(l.text)
		}
		p.lines = append(p.lines, l)
	}
	return p
}

// headingLevel is the level of a heading in ATX form, 0 for any other line.
func headingLevel(s string) int {
	t := strings.TrimLeft(s, " ")
	rest := strings.TrimLeft(t, "#")
	n := len(t) - len(rest)
	if len(s)-len(t) > 3 || n > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0
	}
	return n
}

// split cuts lines at the headings of at most the given level.
func split(lines []line, level int) (head section, rest []section) {
	at := &head
	for i, l := range lines {
		if l.level == 0 || l.level > level {
			at.body = append(at.body, lines[i])
			continue
		}
		rest = append(rest, section{line: l, title: strings.Trim(strings.TrimLeft(strings.TrimLeft(l.text, " "), "#"), " \t")})
		at = &rest[len(rest)-1]
	}
	return head, rest
}

// document cuts a file into its title, the lines under it and its sections of level 2. A damaged
// file may have its title anywhere or nowhere.
func (p *page) document() (title, head section, rest []section) {
	head, all := split(p.lines, 2)
	for _, s := range all {
		if s.level == 1 && title.no == 0 {
			title = s
			head.body = append(head.body, s.body...)
			continue
		}
		rest = append(rest, s)
	}
	if title.no == 0 {
		p.warn(1, "the file has no title", "start it with '# '")
	}
	return title, head, rest
}

func (p *page) problem(sev spec.Severity, line int, text, hint string) {
	col := 0
	if line > 0 {
		col = 1
	}
	p.ps = append(p.ps, spec.Problem{Path: p.path, Line: line, Col: col, Severity: sev, Text: text, Hint: hint})
}

func (p *page) warn(line int, text, hint string) { p.problem(spec.Warning, line, text, hint) }
func (p *page) fail(line int, text, hint string) { p.problem(spec.Error, line, text, hint) }

func (p *page) problems() []spec.Problem { return spec.SortProblems(p.ps) }

func texts(lines []line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.text
	}
	return out
}

// prose is the text of lines as its author gave it.
func prose(lines []line) string { return block(unescape(texts(lines))) }

// item is a list item: its text on one line and, as written, the lines that are indented under it.
type item struct {
	text  string
	no    int
	below []line
}

var itemRE = re.New(`^(\s*)(?:[-*+]|\d{1,9}[.)])(?:\s+(.*))?$`)

// items reads the list items of lines that are indented at most as deep as the first one. Lines
// that belong to none are given to the caller, because a damaged list may have lost its marks.
func items(lines []line) (list []item, other []line) {
	margin := -1
	for _, l := range lines {
		m := itemRE().FindStringSubmatch(l.text)
		if l.code != noFence || l.level > 0 || structureOnly(l.text) {
			m = nil
		}
		switch indent := len(l.text) - len(strings.TrimLeft(l.text, " \t")); {
		case m != nil && (margin < 0 || indent <= margin):
			margin = indent
			list = append(list, item{text: strings.TrimSpace(m[2]), no: l.no})
		case len(list) > 0 && (indent > margin || l.text == "" || l.code != noFence):
			list[len(list)-1].below = append(list[len(list)-1].below, l)
		case l.text != "":
			other = append(other, l)
		}
	}
	return list, other
}

// structureOnly reports whether a line that looks like an item is a rule.
func structureOnly(s string) bool { return len(strings.Trim(s, " \t-*_")) == 0 && len(s) >= 3 }

// oneLine is an item with what continues it on one line, for lists whose items have no parts.
func (it item) oneLine() string { return inline(it.text + " " + strings.Join(texts(it.below), " ")) }

// block is an item as a block: what follows the key, then what is under it.
func (it item) block(first string) string {
	below := texts(it.below)
	for i, l := range below {
		for range 2 {
			l = strings.TrimPrefix(l, " ")
		}
		below[i] = l
	}
	return block(first + "\n" + unescape(below))
}

// listed reads a list; one that says that it is empty has no items.
func listed(lines []line) []item {
	list, other := items(lines)
	if len(list) == 1 && isNone(list[0].text) && len(list[0].below) == 0 {
		return nil
	}
	if len(list) > 0 {
		return list
	}
	for _, l := range other { // lines that lost their marks
		if !isNone(l.text) && l.code == noFence {
			list = append(list, item{text: strings.TrimSpace(l.text), no: l.no})
		}
	}
	return list
}

// field is a "key: value" of a head or a list.
type field struct {
	key, value string // the key in lower case
	no         int
}

var (
	metaRE = re.New(`^\s*>\s*\**([^:：*]{1,40}?)\**\s*[:：]\**\s*(.*?)\s*$`)
	keyRE  = re.New(`^(?:\*\*|__)?([^:：*_\x60]{1,40}?)(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*(.*)$`)
)

// meta reads the lines "> Key: value" of a head.
func meta(lines []line) []field {
	var out []field
	for _, l := range lines {
		if m := metaRE().FindStringSubmatch(l.text); m != nil && l.code == noFence {
			out = append(out, field{strings.ToLower(m[1]), m[2], l.no})
		}
	}
	return out
}

// find returns the first field with one of the keys, whatever their case.
func find(fs []field, keys ...string) (field, bool) {
	for _, k := range keys {
		for _, f := range fs {
			if f.key == strings.ToLower(k) {
				return f, true
			}
		}
	}
	return field{}, false
}

// keyed splits "**Key**: value".
func keyed(s string) (key, value string, ok bool) {
	m := keyRE().FindStringSubmatch(s)
	if m == nil {
		return "", s, false
	}
	return strings.ToLower(strings.TrimSpace(m[1])), m[2], true
}

// tableRows reads the rows of the tables in lines, without header and rule.
func tableRows(lines []line) []tableRow {
	var rows []tableRow
	nth := 0 // line of its table; only the first two can be header and rule
	for i, l := range lines {
		if l.code != noFence || len(cellSpans(l.text)) == 0 {
			nth = 0
			continue
		}
		nth++
		if nth <= 2 && isRule(l.text) || nth == 1 && i+1 < len(lines) && isRule(lines[i+1].text) {
			continue
		}
		rows = append(rows, tableRow{cells(l.text), l.no})
	}
	return rows
}

type tableRow struct {
	cells []string
	no    int
}

// cell is the text of a cell that may be missing.
func (r tableRow) cell(i int) string {
	if i < 0 || i >= len(r.cells) {
		return ""
	}
	return r.cells[i]
}

func isRule(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "|") && strings.Contains(s, "-") && strings.Trim(s, "|-: \t") == ""
}
