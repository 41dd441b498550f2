package works

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Progress is a PROGRESS.md: how far a WORK is.
type Progress struct {
	Work    string // WORK-01
	Title   string
	Updated time.Time
	Auto    bool // no gates
	Tasks   []TaskRow
	Log     []Entry
}

// TaskRow is a TASK in a Progress.
type TaskRow struct {
	Task, Title string
	Status      Status
	Commit      string        // "" where there is none, or not yet
	Duration    time.Duration // 0 where it is not known
	line        int
}

// Entry is a line of the log of a Progress.
type Entry struct {
	At   time.Time // of its clock only hour and minute are kept
	Text string
}

// taskCells are the states of tasks as PROGRESS.md shows them.
var taskCells = []struct {
	status Status
	cell   string
}{
	{Done, "✅ Done"}, {InProgress, "🔄 In Progress"}, {Pending, "⬜ Pending"}, {Ready, "⬜ Ready"}, {Blocked, "⬜ Blocked"}, {Failed, "❌ Failed"},
}

// Format writes the document.
func (d *Progress) Format() []byte {
	var w writer
	w.title(inline(d.Work + " Progress"))
	w.b.WriteByte('\n')
	w.meta("WORK", d.Title)
	w.meta("Last updated", when(d.Updated, time.RFC3339))
	mode := "manual"
	if d.Auto {
		mode = "auto"
	}
	w.meta("Mode", mode)
	w.b.WriteByte('\n')
	w.line(row("TASK", "Title", "Status", "Commit", "Duration"))
	w.line(rule(6, 7, 8, 8, 10))
	for _, t := range d.Tasks {
		status := string(t.Status)
		for _, c := range taskCells {
			if c.status == t.Status {
				status = c.cell
			}
		}
		w.line(row(t.Task, t.Title, status, orDash(t.Commit), orDash(duration(t.Duration))))
	}
	w.section("", "Log")
	for _, e := range d.Log {
		w.line("- [" + e.At.Format("15:04") + "] " + inline(e.Text))
	}
	return w.bytes()
}

func orDash(s string) string {
	if inline(s) == "" {
		return "—"
	}
	return s
}

func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return ""
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return fmt.Sprintf("%dmin", d/time.Minute)
}

var (
	durationRE = re.New(`(?i)(\d{1,6})\s*(h|m|s|시간|분|초)`)
	entryRE    = re.New(`^\[(\d\d:\d\d)(?::\d\d)?\]\s*(.*)$`)
)

func readDuration(s string) time.Duration {
	var d time.Duration
	for _, m := range durationRE().FindAllStringSubmatch(s, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		unit := time.Second
		switch strings.ToLower(m[2]) {
		case "h", "시간":
			unit = time.Hour
		case "m", "분":
			unit = time.Minute
		}
		d += time.Duration(n) * unit
	}
	return d
}

// ParseProgress reads a PROGRESS.md. The document is never nil.
func ParseProgress(path string, src []byte) (*Progress, []spec.Problem) {
	p := newPage(path, src)
	d := &Progress{}
	title, _, rest := p.document()
	d.Work = workID(title.title)
	fs := meta(p.lines)
	if f, ok := find(fs, "work"); ok {
		d.Title = f.value
	}
	if f, ok := find(fs, "last updated", "updated", "최종 업데이트"); ok {
		d.Updated = p.time(f, time.RFC3339)
	}
	if f, ok := find(fs, "mode", "모드"); ok {
		d.Auto = strings.EqualFold(f.value, "auto")
	}
	for _, r := range tableRows(p.lines) {
		id := taskID(r.cell(0))
		if id == "" {
			continue
		}
		t := TaskRow{Task: id, Title: r.cell(1), Status: Pending, Commit: orNone(strings.Trim(r.cell(3), "` ")), Duration: readDuration(r.cell(4)), line: r.no}
		if cell := r.cell(2); !isNone(cell) {
			t.Status = p.status(field{"status", cell, r.no}, Pending)
		}
		if t.Status == Done && strings.TrimSpace(r.cell(2)) != taskCells[0].cell {
			p.warn(t.line, t.Task+" is shown as '"+r.cell(2)+"'", "write '"+taskCells[0].cell+"'; --fix repairs this")
		}
		d.Tasks = append(d.Tasks, t)
	}
	for _, s := range rest {
		if name, _ := known(s.title); name == "Log" {
			d.Log = append(d.Log, entries(s.body)...)
		}
	}
	p.hashes(d)
	return d, p.problems()
}

// hashes reports finished TASKs without a commit. A commit cannot hold its own hash, so the one that the last line of the
// log says was committed has none.
func (p *page) hashes(d *Progress) {
	last := ""
	if n := len(d.Log); n > 0 && strings.Contains(d.Log[n-1].Text, "committed") {
		last = taskID(d.Log[n-1].Text)
	}
	for _, t := range d.Tasks {
		if t.Status == Done && t.Commit == "" && t.Task != last {
			p.warn(t.line, t.Task+" is done, but has no commit", "look for it with: git log --grep "+t.Task)
		}
	}
}

func entries(lines []line) []Entry {
	var out []Entry
	for _, it := range listed(lines) {
		e := Entry{Text: it.oneLine()}
		if m := entryRE().FindStringSubmatch(e.Text); m != nil {
			if at, err := time.Parse("15:04", m[1]); err == nil {
				e.At, e.Text = at, m[2]
			}
		}
		out = append(out, e)
	}
	return out
}
