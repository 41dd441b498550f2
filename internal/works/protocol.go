package works

import (
	"strconv"
	"strings"
)

// Dispatch asks an agent for a stage of a TASK.
type Dispatch struct {
	ReferencesDir string // first line of the prompt
	To            string // specifier, planner, scheduler, builder, verifier or committer
	Work          string // WORK-01
	Task          string // TASK-00
	Mode          Mode   // missing: full
	Project       string
	Language      string
	PlanFile      string
	TaskFile      string
	Title         string
	Action        string // implement, verify, commit, plan or route
	Description   string
	Results       []Previous // of the TASKs before
	Contexts      []Context  // of the TASKs before
	Handoffs      []Context  // of the stages before
	CacheHint     []string   // names of sections
}

// Previous is the result of a TASK that came before.
type Previous struct {
	Task    string
	Status  Verdict
	Summary string
}

// Detail is how much of a context is handed on: all of it to the next, only what was done to the
// one after that, nothing further on.
type Detail string

// The levels of detail.
const (
	FullDetail Detail = "FULL"
	Short      Detail = "SUMMARY"
	Drop       Detail = "DROP"
)

// Context is a Handoff on its way to another stage or TASK.
type Context struct {
	From   string // the stage, prev-task or prev-prev-task
	Task   string
	Detail Detail
	Handoff
}

// TaskResult is what an agent answers.
type TaskResult struct {
	Work      string // WORK-01
	Task      string // TASK-00
	Agent     string
	Status    Verdict // PASS or FAIL
	Summary   string
	Files     []File
	Checks    []Check
	Handoffs  []Context
	Notes     string
	SelfCheck []Check   // of a builder
	Failures  []Failure // of a verifier
	// Of a committer:
	Commit     Commit
	ResultFile string
	Done       int
	Total      int // 0 where it is not said
	Next       []NextTask
	Reason     string // why the gate refused
}

// Failure is a check that failed, and what to do.
type Failure struct{ Check, Error, File, Fix string }

// Commit is a commit of a TASK; without a repository it is empty.
type Commit struct{ Hash, Message, Type string }

// NextTask is a TASK that comes next.
type NextTask struct {
	Task   string
	Status Status
	Title  string
}

// Format writes the prompt: the line of the references, then the element.
func (d *Dispatch) Format() []byte {
	mode, _ := readMode(string(d.Mode))
	e := elem("dispatch", "to", d.To, "work", d.Work, "task", d.Task, "execution-mode", string(mode))
	e.add(
		elem("context").add(leaf("project", d.Project), leaf("language", d.Language), leaf("plan-file", d.PlanFile)),
		elem("task-spec").add(leaf("file", d.TaskFile), leaf("title", d.Title), leaf("action", d.Action), leaf("description", d.Description)),
	)
	previous := elem("previous-results")
	for _, r := range d.Results {
		previous.add(elem("result", "task", r.Task, "status", string(r.Status)).with(r.Summary))
	}
	e.add(previous.add(contexts(d.Contexts)...))
	e.add(contexts(d.Handoffs)...)
	e.add(elem("cache-hint", "sections", strings.Join(d.CacheHint, ",")))
	out := e.format()
	if dir := inline(d.ReferencesDir); dir != "" {
		out = append([]byte("REFERENCES_DIR="+dir+"\n\n"), out...)
	}
	return out
}

// contexts writes what each level of detail lets through.
func contexts(list []Context) []*element {
	var out []*element
	for _, c := range list {
		if c.Detail == Drop {
			continue
		}
		e := elem("context-handoff", "from", c.From, "task", c.Task, "detail-level", string(c.Detail)).add(leaf("what", c.What))
		if c.Detail != Short {
			e.add(leaf("why", c.Why), leaf("caution", c.Caution), leaf("incomplete", c.Incomplete))
		}
		out = append(out, e)
	}
	return out
}

// ParseDispatch reads the last dispatch of a text, whatever prose or fence is around it.
func ParseDispatch(src []byte) (*Dispatch, error) {
	e, err := findElement(src, "dispatch")
	if err != nil {
		return nil, err
	}
	context, task := e.child("context"), e.child("task-spec")
	mode, _ := readMode(e.attr("execution-mode"))
	d := &Dispatch{
		ReferencesDir: e.get("references-dir"), To: e.attr("to"), Work: idOr(e.attr("work"), workID), Task: idOr(e.attr("task"), taskID), Mode: mode,
		Project: context.get("project"), Language: context.get("language"), PlanFile: context.get("plan-file"),
		TaskFile: task.get("file"), Title: task.get("title"), Action: task.get("action"), Description: task.get("description"),
		Contexts: readContexts(e.child("previous-results")), Handoffs: readContexts(e),
	}
	for l := range strings.Lines(string(src)) {
		if dir, ok := strings.CutPrefix(strings.TrimSpace(l), "REFERENCES_DIR="); ok {
			d.ReferencesDir = inline(dir)
			break
		}
	}
	for _, r := range e.child("previous-results").all("result") {
		d.Results = append(d.Results, Previous{idOr(r.attr("task"), taskID), verdict(r), r.text})
	}
	for s := range strings.SplitSeq(e.child("cache-hint").attr("sections"), ",") {
		if s = strings.TrimSpace(s); s != "" {
			d.CacheHint = append(d.CacheHint, s)
		}
	}
	return d, nil
}

// idOr is the id in a text without what is around it (a TASK may not have the WORK's id in front),
// or the text where there is none.
func idOr(s string, id func(string) string) string {
	if found := id(s); found != "" {
		return found
	}
	return s
}

func verdict(e *element) Verdict { return Verdict(strings.ToUpper(e.attr("status"))) }

func readContexts(e *element) []Context {
	var out []Context
	for _, c := range e.all("context-handoff") {
		x := Context{From: c.attr("from"), Task: idOr(c.attr("task"), taskID), Detail: Detail(strings.ToUpper(c.attr("detail-level")))}
		x.Handoff = Handoff{c.get("what"), c.get("why"), c.get("caution"), c.get("incomplete")}
		if x.Handoff == (Handoff{}) {
			x.What = c.text
		}
		out = append(out, x)
	}
	return out
}

var fileActions = map[Action]string{Create: "created", Modify: "modified", Delete: "deleted"}

// Format writes the element.
func (r *TaskResult) Format() []byte {
	e := elem("task-result", "work", r.Work, "task", r.Task, "agent", r.Agent, "status", string(r.Status)).add(leaf("summary", r.Summary))
	changed := elem("files-changed")
	for _, f := range r.Files {
		changed.add(elem("file", "action", fileActions[f.Action], "path", f.Path).with(f.Note))
	}
	e.add(changed, checkElements("verification", r.Checks))
	e.add(contexts(r.Handoffs)...)
	e.add(leaf("notes", r.Notes), checkElements("self-check", r.SelfCheck))
	details := elem("failure-details")
	for _, f := range r.Failures {
		details.add(elem("failure", "check", f.Check).add(leaf("error", f.Error), leaf("file", f.File), leaf("suggested-fix", f.Fix)))
	}
	e.add(details)
	e.add(elem("commit").add(leaf("hash", r.Commit.Hash), leaf("message", r.Commit.Message), leaf("type", r.Commit.Type)), leaf("result-file", r.ResultFile))
	if r.Total > 0 {
		e.add(elem("progress").add(leaf("done", strconv.Itoa(r.Done)), leaf("total", strconv.Itoa(r.Total))))
	}
	next := elem("next-tasks")
	for _, n := range r.Next {
		next.add(elem("task", "id", n.Task, "status", string(n.Status)).with(n.Title))
	}
	return e.add(next, leaf("reason", r.Reason)).format()
}

func checkElements(name string, list []Check) *element {
	e := elem(name)
	for _, c := range list {
		e.add(elem("check", "name", c.Name, "status", string(c.Status), "count", positive(c.Count)).with(c.Output))
	}
	return e
}

// ParseTaskResult reads the last task-result of a text, whatever prose or fence is around it.
func ParseTaskResult(src []byte) (*TaskResult, error) {
	e, err := findElement(src, "task-result")
	if err != nil {
		return nil, err
	}
	commit, progress := e.child("commit"), e.child("progress")
	r := &TaskResult{
		Work: idOr(e.attr("work"), workID), Task: idOr(e.attr("task"), taskID), Agent: e.attr("agent"), Status: verdict(e), Summary: e.get("summary"),
		Checks: readChecks(e.child("verification")), Handoffs: readContexts(e), Notes: e.get("notes"), SelfCheck: readChecks(e.child("self-check")),
		Commit: Commit{commit.get("hash"), commit.get("message"), commit.get("type")}, ResultFile: e.get("result-file"),
		Done: count(progress.get("done")), Total: count(progress.get("total")), Reason: e.get("reason"),
	}
	for _, f := range e.child("files-changed").all("file") {
		action, _ := readAction(f.attr("action"))
		r.Files = append(r.Files, File{f.attr("path"), action, f.text})
	}
	for _, f := range e.child("failure-details").all("failure") {
		r.Failures = append(r.Failures, Failure{f.attr("check"), f.get("error"), f.get("file"), f.get("suggested-fix")})
	}
	for _, n := range e.child("next-tasks").all("task") {
		r.Next = append(r.Next, NextTask{idOr(n.attr("id"), taskID), Status(strings.ToUpper(n.attr("status"))), n.text})
	}
	return r, nil
}

func readChecks(e *element) []Check {
	var out []Check
	for _, c := range e.all("check") {
		out = append(out, Check{c.attr("name"), verdict(c), count(c.attr("count")), c.text})
	}
	return out
}
