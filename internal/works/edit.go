package works

import (
	"slices"
	"strings"
)

// editor changes lines of a file and keeps the bytes of all others.
type editor struct {
	page *page
	bom  string
	raw  []string // the lines with their ends; one for each of the page
	eol  string
}

func newEditor(src []byte) *editor {
	e := &editor{page: newPage("", src), eol: "\n"}
	text := string(src)
	if rest, ok := strings.CutPrefix(text, "\uFEFF"); ok {
		e.bom, text = "\uFEFF", rest
	}
	e.raw = slices.Collect(strings.Lines(text))
	if len(e.raw) > 0 && strings.HasSuffix(e.raw[0], "\r\n") {
		e.eol = "\r\n"
	}
	return e
}

func (e *editor) bytes() []byte { return []byte(e.bom + strings.Join(e.raw, "")) }

// text is a line without its end.
func (e *editor) text(i int) string { return strings.TrimRight(e.raw[i], "\r\n") }

// set replaces the text of a line.
func (e *editor) set(i int, text string) { e.raw[i] = text + e.raw[i][len(e.text(i)):] }

// insert puts lines in front of line i.
func (e *editor) insert(i int, lines ...string) {
	for j, l := range lines {
		lines[j] = l + e.eol
	}
	if i == len(e.raw) && i > 0 && !strings.HasSuffix(e.raw[i-1], "\n") {
		e.raw[i-1] += e.eol
	}
	e.raw = slices.Insert(e.raw, i, lines...)
}

// setCell replaces what stands in a cell of a row and keeps the space around it.
func setCell(l string, i int, text string) string {
	spans := cellSpans(l)
	if i >= len(spans) {
		l = strings.TrimRight(l, " \t")
		if !strings.HasSuffix(l, "|") {
			l += " |"
		}
		return l + strings.Repeat(" |", i-len(spans)) + " " + text + " |"
	}
	old := l[spans[i][0]:spans[i][1]]
	trimmed := strings.TrimSpace(old)
	if trimmed == "" {
		return l[:spans[i][0]] + " " + text + " " + l[spans[i][1]:]
	}
	at := spans[i][0] + strings.Index(old, trimmed)
	return l[:at] + text + l[at+len(trimmed):]
}

// setRow brings status and completion into the row at line i.
func (e *editor) setRow(i int, cols layout, r, have Row) {
	l := e.text(i)
	if r.Status != "" && r.Status != have.Status {
		l = setCell(l, cols.status, string(r.Status))
	}
	if cols.completed >= 0 && !r.Completed.IsZero() && date(r.Completed) != date(have.Completed) {
		l = setCell(l, cols.completed, date(r.Completed))
	}
	e.set(i, l)
}

// addRow puts a new row behind line last; if the list has no table it gets one at its end.
func (e *editor) addRow(last int, cols layout, r Row) {
	lines := []string{}
	if last < 0 {
		last = len(e.raw) - 1
		lines = append(lines, "", row(listHead["en"]...), rule(6, 6, 6, 8, 8))
	}
	cs := make([]string, max(cols.width, 1))
	for i, text := range map[int]string{
		0: workID(r.Work), cols.title: r.Title, cols.status: string(r.Status), cols.created: date(r.Created), cols.completed: date(r.Completed),
	} {
		if i >= 0 && i < len(cs) {
			cs[i] = text
		}
	}
	e.insert(last+1, append(lines, row(cs...))...)
	e.headLast()
}

// headLast gives a list without LAST_WORK_ID that line.
func (e *editor) headLast() {
	if !slices.ContainsFunc(e.page.lines, func(l line) bool { return lastRE().MatchString(l.text) }) {
		e.insert(0, "LAST_WORK_ID: WORK-00", "")
	}
}

// raiseLast sets LAST_WORK_ID where it is below a number.
func (e *editor) raiseLast(n int) {
	for i := range e.raw {
		l := e.text(i)
		at := lastRE().FindStringSubmatchIndex(l)
		switch {
		case at == nil || number(lastRE().FindStringSubmatch(l)) >= n:
		case at[2] < 0: // no number
			e.set(i, strings.TrimRight(l[:at[1]], " \t")+" "+WorkID(n)+l[at[1]:])
		default:
			e.set(i, strings.TrimSuffix(l[:at[2]], "WORK-")+WorkID(n)+l[at[3]:])
		}
	}
}

// mendRow repairs a row that has more cells than its header: a cell without text goes, or the
// pipes of a title are escaped. What is not one of these stays.
func mendRow(l string, cols layout) (string, bool) {
	spans := cellSpans(l)
	if len(spans) <= cols.width || len(spans) > 4*cols.width || cols.title < 0 {
		return l, false
	}
	at := -1
	for i, c := range cells(l) {
		if workStatus(c) == "" {
			continue
		}
		if at >= 0 {
			return l, false
		}
		at = i
	}
	switch surplus := len(spans) - cols.width; {
	case at == cols.status+surplus && cols.status == cols.title+1:
		title := l[spans[cols.title][0]:spans[at-1][1]]
		return l[:spans[cols.title][0]] + strings.ReplaceAll(strings.ReplaceAll(title, `\|`, "|"), "|", `\|`) + l[spans[at-1][1]:], true
	case at == cols.status:
		for i := len(spans) - 1; i > at && surplus > 0; i-- {
			if strings.TrimSpace(l[spans[i][0]:spans[i][1]]) == "" {
				l = l[:spans[i][0]-1] + l[spans[i][1]:]
				surplus--
			}
		}
		return l, surplus == 0
	}
	return l, false
}

func rowHint(l string, cols layout) string {
	if _, ok := mendRow(l, cols); ok {
		return "remove the extra cell or escape the pipe in the title; --fix repairs this"
	}
	return "write it like the header: id, title, IN_PROGRESS or DONE, dates as YYYY-MM-DD"
}
