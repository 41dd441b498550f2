package works

import (
	"cmp"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Task is a TASK-NN.md: all that its builder and verifier are held to.
type Task struct {
	ID         string // TASK-00
	Title      string
	Work       string // WORK-01
	WorkTitle  string
	DependsOn  []string
	Scope      string
	Files      []File
	Acceptance []Criterion
	Verify     string // commands, as a shell script
}

// Format writes the document.
func (t *Task) Format() []byte {
	var w writer
	w.title(named(t.ID, t.Title))
	w.section("", "WORK")
	w.text(named(t.Work, t.WorkTitle))
	w.section("", "Dependencies")
	for _, d := range t.DependsOn {
		w.line("- " + inline(d) + " (required)")
	}
	if len(t.DependsOn) == 0 {
		w.line("- (none)")
	}
	w.section("", "Scope")
	w.text(t.Scope)
	w.section("", "Files")
	w.line(row("Path", "Action", "Description"))
	w.line(rule(6, 8, 13))
	for _, f := range t.Files {
		if inline(f.Path) != "" {
			w.line(row(code(f.Path), string(f.Action), f.Note))
		}
	}
	w.section("", "Acceptance Criteria")
	w.criteria(t.Acceptance)
	w.section("", "Verify")
	if script := block(t.Verify); script != "" {
		w.line(fence("bash", script))
	} else {
		w.line("None")
	}
	return w.bytes()
}

// ParseTask reads a TASK-NN.md. The document is never nil.
func ParseTask(path string, src []byte) (*Task, []spec.Problem) {
	p := newPage(path, src)
	t := &Task{}
	title, _, rest := p.document()
	t.Title = title.title
	if m := taskTitleRE().FindStringSubmatch(title.title); m != nil {
		t.ID, t.Title = taskID(m[1]), m[2]
	} else if title.no > 0 {
		p.warn(title.no, "the title names no TASK", "write '# TASK-NN: title'")
	}
	for _, s := range rest {
		switch name, _ := known(s.title); name {
		case "WORK":
			first, _, _ := strings.Cut(prose(s.body), "\n")
			if m := taskWorkRE().FindStringSubmatch(first); m != nil {
				t.Work, t.WorkTitle = workID(m[1]), m[2]
			}
		case "Dependencies":
			t.DependsOn = taskIDs(strings.Join(texts(s.body), "\n"))
		case "Scope":
			t.Scope = prose(s.body)
		case "Files":
			t.Files = append(t.Files, fileTable(s.body)...)
		case "Acceptance Criteria":
			t.Acceptance = append(t.Acceptance, criteria(s.body)...)
		case "Verify", "Verification":
			t.Verify = script(s.body)
		}
	}
	return t, p.problems()
}

var taskWorkRE = re.New(`^(?:[-*]\s+)?(WORK-\d{1,6})\b\s*(?:[:：—–]|--?)?\s*(.*)$`)

// fileTable reads the files of a TASK, as a table or as a list.
func fileTable(lines []line) []File {
	var out []File
	for _, r := range tableRows(lines) {
		f := readFile(r.cell(0), false)
		f.Note = r.cell(2)
		if f.Action, _ = readAction(r.cell(1)); f.Action == "" && r.cell(1) != "" {
			f.Note = inline(r.cell(1) + " " + f.Note)
		}
		if f.Path != "" {
			out = append(out, f)
		}
	}
	list, _ := items(lines)
	for _, it := range list {
		if f := readFile(it.oneLine(), true); f.Path != "" && !isNone(f.Path) {
			out = append(out, f)
		}
	}
	return out
}

// script reads the commands of a section: its fenced blocks, or its lines if it has none.
func script(lines []line) string {
	var fenced, bare []string
	for _, l := range lines {
		switch l.code {
		case fenceBody:
			fenced = append(fenced, l.text)
		case fenceClose:
			fenced = append(fenced, "")
		case noFence:
			if m := itemRE().FindStringSubmatch(l.text); m != nil {
				l.text = strings.Trim(m[2], "`")
			}
			bare = append(bare, l.text)
		case fenceOpen:
		}
	}
	if len(fenced) > 0 {
		return block(strings.Join(fenced, "\n"))
	}
	return block(strings.Join(bare, "\n"))
}

// TaskProgress is a TASK-NN_progress.md: what the builder says about its work.
type TaskProgress struct {
	Task    string // TASK-00
	Status  Status
	Started time.Time // zero: not started
	Updated time.Time
	Files   []File
}

// Format writes the document.
func (t *TaskProgress) Format() []byte {
	var w writer
	w.title(inline(t.Task + " Progress"))
	w.b.WriteByte('\n')
	w.line("- Status: " + inline(string(t.Status)))
	const notStarted = "(not started)"
	w.line("- Started: " + cmp.Or(when(t.Started, time.RFC3339), notStarted))
	w.line("- Updated: " + cmp.Or(when(t.Updated, time.RFC3339), notStarted))
	w.line("- Files changed:")
	for _, f := range t.Files {
		w.file("  ", f)
	}
	return w.bytes()
}

// ParseTaskProgress reads a TASK-NN_progress.md. The document is never nil. Files changed may be an
// item of the list or a section; where the status is said several times the last one counts.
func ParseTaskProgress(path string, src []byte) (*TaskProgress, []spec.Problem) {
	p := newPage(path, src)
	t := &TaskProgress{Status: Pending}
	title, _, _ := p.document()
	t.Task = taskID(title.title)
	inFiles := false
	var entries []line
	for _, l := range p.lines {
		text := strings.TrimSpace(l.text)
		if l.level > 0 {
			name, _ := known(strings.TrimLeft(text, "# "))
			inFiles = name == "Files Changed"
			continue
		}
		if l.code != noFence {
			continue
		}
		it := itemRE().FindStringSubmatch(l.text)
		if it != nil {
			text = it[2]
		}
		key, value, ok := keyed(strings.TrimPrefix(text, "> "))
		if !ok || it != nil && inFiles && it[1] != "" {
			key = ""
		}
		switch f := (field{key, value, l.no}); key {
		case "status", "상태":
			t.Status = p.status(f, Pending)
			inFiles = false
		case "started", "시작":
			t.Started, inFiles = p.time(f, time.RFC3339), false
		case "updated", "last updated", "갱신", "업데이트":
			t.Updated, inFiles = p.time(f, time.RFC3339), false
		case "files changed", "변경 파일", "変更ファイル":
			inFiles = true
			t.Files = append(t.Files, files(value, nil, true)...)
		default:
			if inFiles {
				entries = append(entries, l)
			}
		}
	}
	t.Files = append(t.Files, files("", entries, true)...)
	for _, f := range t.Files {
		if f.Action == "" {
			p.warn(0, "the entry "+f.Path+" does not say what happened to the file", "append '— CREATE', '— MODIFY' or '— DELETE'")
		}
	}
	return t, p.problems()
}

// status reads a status and reports one that is none.
func (p *page) status(f field, otherwise Status) Status {
	if st := readStatus(f.value); st != "" {
		return st
	}
	p.warn(f.no, "unknown status '"+f.value+"'", "write PENDING, STARTED, IN_PROGRESS or COMPLETED")
	return otherwise
}
