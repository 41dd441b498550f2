package works

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Plan is a PLAN.md. The drawing of its graph is made from the tasks when it is written and is not
// read.
type Plan struct {
	Work        string // WORK-01
	Title       string
	Created     time.Time // the day
	Requirement string    // where the requirement is, or its text
	Mode        Mode
	Project     string
	Stack       string
	Language    string
	Status      Status // PLANNED, as nobody ever changes it
	Goal        string
	Tasks       []Step
	Trace       []Trace
}

// Step is a TASK as its plan announces it; the rest is in the TASK's own file.
type Step struct {
	ID        string // TASK-00
	Title     string
	DependsOn []string
	Scope     string
	Files     []File // without actions
}

// Trace says which TASKs a requirement or criterion ends in.
type Trace struct {
	Item  string // FR-01, NFR-01, AC-01
	Tasks []string
}

const dateLayout = "2006-01-02"

// Format writes the document.
func (p *Plan) Format() []byte {
	var w writer
	w.title(named(p.Work, p.Title))
	w.b.WriteByte('\n')
	w.meta("Created", date(p.Created))
	w.meta("Requirement", p.Requirement)
	mode, _ := readMode(string(p.Mode))
	w.meta("Execution-Mode", string(mode))
	w.meta("Project", p.Project)
	w.meta("Tech Stack", p.Stack)
	w.meta("Language", p.Language)
	w.meta("Status", string(p.Status))
	w.section("", "Goal")
	w.text(p.Goal)
	w.section("", "Task Dependency Graph")
	w.line(fence("", drawing(p.Tasks)))
	w.section("", "Tasks")
	for i, s := range p.Tasks {
		if i > 0 {
			w.b.WriteByte('\n')
		}
		w.line("### " + named(s.ID, s.Title))
		depends := "(none)"
		if len(s.DependsOn) > 0 {
			depends = inline(strings.Join(s.DependsOn, ", "))
		}
		w.line("- **Depends on**: " + depends)
		w.field("Scope", s.Scope)
		w.line("- **Files**:")
		for _, f := range s.Files {
			w.file("  ", f)
		}
	}
	if len(p.Trace) > 0 {
		w.section("", "Traceability")
		w.line(row("Requirement", "Tasks"))
		w.line(rule(13, 7))
		for _, t := range p.Trace {
			w.line(row(t.Item, strings.Join(t.Tasks, ", ")))
		}
	}
	return w.bytes()
}

func date(t time.Time) string { return when(t, dateLayout) }

var planTitleRE = re.New(`(?i)^(PLAN\s*[:：—-]?\s*)?(WORK-\d{1,6})\b\s*(?:[:：—–]|--?)?\s*(.*)$`)

// planFields are the metadata that a plan must have, in this order, with other names they have.
var planFields = [][]string{
	{"Created", "생성일", "작성일"},
	{"Requirement", "요구사항"},
	{"Execution-Mode", "Execution Mode", "실행 모드"},
	{"Project", "프로젝트"},
	{"Tech Stack", "기술 스택"},
	{"Language", "언어"},
	{"Status", "상태"},
}

// ParsePlan reads a PLAN.md. The document is never nil.
func ParsePlan(path string, src []byte) (*Plan, []spec.Problem) {
	p := newPage(path, src)
	d := &Plan{Mode: Full}
	title, head, rest := p.document()
	d.Title = title.title
	switch m := planTitleRE().FindStringSubmatch(title.title); {
	case m == nil && title.no > 0:
		p.fail(title.no, "the title names no WORK", "write '# WORK-NN: title'")
	case m != nil:
		d.Work, d.Title = workID(m[2]), m[3]
		if m[1] != "" {
			p.fail(title.no, "'PLAN' precedes the WORK's id; the original tools reject it", "write '# "+d.Work+": "+d.Title+"'; --fix repairs this")
		}
	}
	p.planMeta(d, meta(head.body), title.no)
	for _, s := range rest {
		switch name, _ := known(s.title); {
		case name == "Goal":
			d.Goal = prose(s.body)
		case name == "Tasks":
			p.planTasks(d, s)
		case name == "Traceability":
			for _, r := range tableRows(s.body) {
				d.Trace = append(d.Trace, Trace{inline(r.cell(0)), taskIDs(r.cell(1))})
			}
		case taskID(s.title) != "" && taskTitleRE().MatchString(s.title):
			p.fail(s.no, "H2_TASK_EMBEDDING: "+taskID(s.title)+" has a heading of level 2", "write '### ' before it; --fix repairs this")
			d.Tasks = append(d.Tasks, p.step(s))
		}
	}
	if len(d.Tasks) == 0 {
		p.fail(0, "the plan has no TASK", "add '### TASK-00: title' under '## Tasks'")
	}
	p.planGraph(d)
	return d, p.problems()
}

func (p *page) planMeta(d *Plan, fs []field, line int) {
	values := make([]string, len(planFields))
	for i, names := range planFields {
		f, ok := find(fs, names...)
		if !ok {
			hint := "add '> " + names[0] + ": …' to the head"
			if names[0] == "Execution-Mode" {
				hint += "; until then it is full"
			}
			p.warn(line, "the plan has no field "+names[0], hint)
			continue
		}
		values[i] = f.value
		if names[0] == "Created" && f.value != "" {
			d.Created = p.time(f, dateLayout)
		}
		if mode, known := readMode(f.value); names[0] == "Execution-Mode" {
			d.Mode = mode
			if !known {
				p.warn(f.no, "unknown execution mode '"+f.value+"', treated as full", "write direct, pipeline or full")
			}
		}
	}
	d.Requirement, d.Project, d.Stack, d.Language = values[1], values[3], values[4], values[5]
	d.Status = cmp.Or(readStatus(values[6]), Status(values[6]))
}

var taskTitleRE = re.New(`(?i)^(?:WORK-\d{1,6}-)?(TASK-\d{1,6})\b\s*(?:[:：—–]|--?)?\s*(.*)$`)

func (p *page) planTasks(d *Plan, tasks section) {
	_, subs := split(tasks.body, 3)
	for _, s := range subs {
		if taskTitleRE().MatchString(s.title) {
			d.Tasks = append(d.Tasks, p.step(s))
		}
	}
	if len(subs) > 0 {
		return
	}
	for _, r := range tableRows(tasks.body) { // as later versions write it: id, title, dependencies
		if id := taskID(r.cell(0)); id != "" {
			d.Tasks = append(d.Tasks, Step{ID: id, Title: inline(r.cell(1)), DependsOn: taskIDs(r.cell(2))})
		}
	}
}

// step reads a TASK of a plan.
func (p *page) step(s section) Step {
	m := taskTitleRE().FindStringSubmatch(s.title)
	t := Step{ID: taskID(m[1]), Title: m[2]}
	list, _ := items(s.body)
	for _, it := range list {
		key, value, _ := keyed(it.text)
		switch key {
		case "depends on", "dependencies", "의존성", "의존", "선행":
			t.DependsOn = taskIDs(value + " " + strings.Join(texts(it.below), " "))
		case "scope", "범위", "작업 범위":
			t.Scope = it.block(value)
		case "files", "파일", "변경 파일":
			t.Files = files(value, it.below, false)
		}
	}
	return t
}

// planGraph reports ids that are there twice, dependencies on nothing, and cycles.
func (p *page) planGraph(d *Plan) {
	have := map[string]bool{}
	for _, t := range d.Tasks {
		if have[t.ID] {
			p.fail(0, t.ID+" is planned twice", "give each TASK its own number")
		}
		have[t.ID] = true
	}
	for _, t := range d.Tasks {
		for _, dep := range t.DependsOn {
			if !have[dep] {
				p.fail(0, t.ID+" depends on "+dep+", which is not in the plan", "add it or remove the dependency")
			}
		}
	}
	if loop := unordered(d.Tasks); len(loop) > 0 && !hasUnknown(d.Tasks, have) {
		p.fail(0, "the dependencies of "+strings.Join(loop, ", ")+" form a cycle", "remove one of them")
	}
}

func hasUnknown(tasks []Step, have map[string]bool) bool {
	return slices.ContainsFunc(tasks, func(t Step) bool {
		return slices.ContainsFunc(t.DependsOn, func(dep string) bool { return !have[dep] })
	})
}
