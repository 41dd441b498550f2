package works

import (
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// List is a WORK-LIST.md.
type List struct {
	Last int // the number behind LAST_WORK_ID:, 0 without that line
	Rows []Row
}

// Row is a WORK in a List.
type Row struct {
	Work      string // WORK-01
	Title     string
	Status    Status // "" where it cannot be read
	Created   time.Time
	Completed time.Time // zero: not yet
	line      int
}

// row is the first row of a WORK; the list may be nil.
func (l *List) row(id string) *Row {
	if l != nil {
		for i := range l.Rows {
			if l.Rows[i].Work == id {
				return &l.Rows[i]
			}
		}
	}
	return nil
}

// highest is the number of the highest WORK that has a row, 0 without any.
func (l *List) highest() int {
	top := 0
	for _, r := range l.Rows {
		top = max(top, WorkNumber(r.Work))
	}
	return top
}

// take adds the rows of another list, which may be nil, of WORKs that this one does not have.
func (l *List) take(other *List) {
	if other == nil {
		return
	}
	for _, r := range other.Rows {
		if l.row(r.Work) == nil {
			l.Rows = append(l.Rows, r)
		}
	}
	l.Last = max(l.Last, other.Last)
}

// Same reports whether two rows say the same of the same WORK.
func (r Row) Same(o Row) bool {
	r.line, o.line = 0, 0
	return r == o
}

var lastRE = re.New(`^\s*LAST_WORK_ID\s*:\s*(?:(?:WORK-)?(\d{1,9}))?`)

// listHead are the columns of a list by language; the last two are created and completed.
var listHead = map[string][]string{
	"en": {"WORK ID", "Title", "Status", "Created", "Completed"},
	"ko": {"WORK", "제목", "상태", "생성일", "완료일"},
	"ja": {"WORK", "タイトル", "状態", "作成日", "完了日"},
}

// ParseList reads a WORK-LIST.md of any version. A row that cannot be read as a whole is still in
// the list with its id, and is reported.
func ParseList(path string, src []byte) (*List, []spec.Problem) {
	l, p := readList(path, src)
	return l, p.problems()
}

func readList(path string, src []byte) (*List, *page) {
	p := newPage(path, src)
	l := &List{}
	cols := columns(p.lines)
	seen := map[string]int{}
	found := false
	for _, ln := range p.lines {
		if m := lastRE().FindStringSubmatch(ln.text); m != nil && ln.code == noFence {
			l.Last, found = max(l.Last, number(m)), true
			if number(m) < 0 {
				p.warn(ln.no, "LAST_WORK_ID has no number", "write 'LAST_WORK_ID: WORK-NN' with the highest WORK; --fix repairs this")
			}
		}
		r, why := readRow(ln, cols)
		if r == nil {
			continue
		}
		switch first := seen[r.Work]; {
		case why != "":
			p.warn(ln.no, why, rowHint(ln.text, cols))
		case first > 0:
			p.fail(ln.no, "id mix: "+r.Work+" appears twice", "give one of the two WORKs another number")
		}
		seen[r.Work] = ln.no
		l.Rows = append(l.Rows, *r)
	}
	for _, r := range l.Rows {
		if found && WorkNumber(r.Work) > l.Last {
			p.warn(r.line, r.Work+" is above LAST_WORK_ID", "set LAST_WORK_ID to the highest WORK; --fix repairs this")
			break
		}
	}
	if !found && len(l.Rows) > 0 {
		p.warn(1, "the list has no line LAST_WORK_ID", "start it with 'LAST_WORK_ID: WORK-NN'; --fix repairs this")
	}
	return l, p
}

// layout says where the columns of a list are; -1 is not there.
type layout struct{ title, status, created, completed, width int }

// columns reads the header of a list. Without one it is the header of 1.3.2.
func columns(lines []line) layout {
	for _, l := range lines {
		cs := cells(l.text)
		if len(cs) < 3 || l.code != noFence || workID(cs[0]) != "" {
			continue
		}
		out := layout{-1, -1, -1, -1, len(cs)}
		for i, c := range cs {
			switch strings.ToLower(strings.Trim(c, "* ")) {
			case "title", "제목", "タイトル":
				out.title = i
			case "status", "상태", "状態":
				out.status = i
			case "created", "생성일", "작성일", "作成日":
				out.created = i
			case "completed", "완료일", "完了日":
				out.completed = i
			}
		}
		if out.status >= 0 && out.title >= 0 {
			return out
		}
	}
	return layout{1, 2, 3, 4, 5}
}

// readRow reads a row; nil where the line is none, and why where it cannot be read as a whole.
func readRow(ln line, cols layout) (r *Row, why string) {
	cs := cells(ln.text)
	if len(cs) == 0 || ln.code != noFence || workID(cs[0]) == "" {
		return nil, ""
	}
	at := tableRow{cells: cs}.cell
	r = &Row{Work: workID(cs[0]), Title: at(cols.title), Status: workStatus(at(cols.status)), line: ln.no}
	var ok bool
	if r.Created, ok = rowDate(at(cols.created)); !ok {
		why = "'" + at(cols.created) + "' is not a date"
	}
	if r.Completed, ok = rowDate(at(cols.completed)); !ok {
		why = "'" + at(cols.completed) + "' is not a date"
	}
	switch {
	case r.Status == "":
		why = "the status of " + r.Work + " cannot be read"
	case len(cs) > cols.width:
		why = r.Work + " has more cells than the header"
	}
	return r, why
}

// workStatus are the words of the status column; the row of a list may have no other.
func workStatus(s string) Status {
	if st := readStatus(s); st == InProgress || st == Done || st == Completed {
		return st
	}
	return ""
}

func rowDate(s string) (time.Time, bool) {
	if isNone(s) {
		return time.Time{}, true
	}
	return readTime(s)
}

// newList is an empty list with the header of a language.
func newList(language string) []byte {
	head, ok := listHead[language]
	if !ok {
		head = listHead["en"]
	}
	return []byte("LAST_WORK_ID: WORK-00\n\n# WORK-LIST\n\n" + row(head...) + "\n" + rule(6, 6, 6, 8, 8) + "\n")
}

// UpdateList brings the row of one WORK into a list and keeps every byte that it does not change.
// A WORK without a row gets one under the last; of one that has a row, the status and the date of
// completion are set and nothing else. LAST_WORK_ID is raised where the WORK is above it. Where
// the row is damaged so that its cells cannot be told apart, it stays as it is, and a problem says
// so. A list that does not exist yet is made in the language.
func UpdateList(src []byte, r Row, language string) ([]byte, []spec.Problem) {
	if len(strings.TrimSpace(string(src))) == 0 {
		src = newList(language)
	}
	e := newEditor(src)
	cols := columns(e.page.lines)
	id := workID(r.Work)
	at, last, top := -1, -1, WorkNumber(id)
	var have Row
	for i, ln := range e.page.lines {
		if last < 0 && ln.code == noFence && isRule(ln.text) {
			last = i
		}
		row, _ := readRow(ln, cols)
		if row == nil {
			continue
		}
		last, top = i, max(top, WorkNumber(row.Work))
		if row.Work == id && (at < 0 || have.Title != r.Title && row.Title == r.Title) {
			at, have = i, *row
		}
	}
	if at < 0 {
		e.addRow(last, cols, r)
		e.raiseLast(top)
		return e.bytes(), nil
	}
	ln := e.page.lines[at]
	if _, why := readRow(ln, cols); have.Status == "" || len(cellSpans(ln.text)) > cols.width {
		return src, []spec.Problem{{Line: ln.no, Col: 1, Severity: spec.Warning, Text: why + "; it was left as it is", Hint: rowHint(ln.text, cols)}}
	}
	e.setRow(at, cols, r, have)
	e.raiseLast(top)
	return e.bytes(), nil
}
