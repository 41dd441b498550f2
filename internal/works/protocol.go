package works

import (
	"strconv"
)

// Dispatch asks an agent for a stage of a TASK.
type Dispatch struct {
	ReferencesDir string // first line of the prompt
	To            string // builder
	Work          string // WORK-01
	Task          string // TASK-00
	Mode          Mode   // missing: full
	Project       string
	Language      string
	PlanFile      string
	TaskFile      string
	Title         string
	Action        string // implement
	Description   string
	Results       []Previous // of the TASKs before
	Contexts      []Context  // of the TASKs before
}

// Previous is the result of a TASK that came before.
type Previous struct {
	Task    string
	Status  Verdict
	Summary string
}

// Detail is how much of a context is handed on: all of it to the next, only what was done to the one after that.
type Detail string

// The levels of detail.
const (
	FullDetail Detail = "FULL"
	Short      Detail = "SUMMARY"
)

// Context is a Handoff on its way to another stage or TASK.
type Context struct {
	From   string // the stage, prev-task or prev-prev-task
	Task   string
	Detail Detail
	Handoff
}

// TaskResult is what a committer answers.
type TaskResult struct {
	Work       string // WORK-01
	Task       string // TASK-00
	Agent      string
	Status     Verdict // PASS or FAIL
	Summary    string
	Files      []File
	Checks     []Check
	Handoffs   []Context
	Failures   []Failure
	Commit     Commit
	ResultFile string
	Done       int
	Total      int
	Reason     string // why the gate refused
}

// Failure is a check that failed.
type Failure struct{ Check, Error, File string }

// Commit is a commit of a TASK; without a repository it is empty.
type Commit struct{ Hash, Message, Type string }

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
	return append([]byte("REFERENCES_DIR="+inline(d.ReferencesDir)+"\n\n"), e.format()...)
}

// contexts writes what each level of detail lets through.
func contexts(list []Context) []*element {
	var out []*element
	for _, c := range list {
		e := elem("context-handoff", "from", c.From, "task", c.Task, "detail-level", string(c.Detail)).add(leaf("what", c.What))
		if c.Detail != Short {
			e.add(leaf("why", c.Why), leaf("caution", c.Caution), leaf("incomplete", c.Incomplete))
		}
		out = append(out, e)
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
	checks := elem("verification")
	for _, c := range r.Checks {
		count := ""
		if c.Count > 0 {
			count = strconv.Itoa(c.Count)
		}
		checks.add(elem("check", "name", c.Name, "status", string(c.Status), "count", count).with(c.Output))
	}
	e.add(changed, checks).add(contexts(r.Handoffs)...)
	details := elem("failure-details")
	for _, f := range r.Failures {
		details.add(elem("failure", "check", f.Check).add(leaf("error", f.Error), leaf("file", f.File)))
	}
	return e.add(
		details,
		elem("commit").add(leaf("hash", r.Commit.Hash), leaf("message", r.Commit.Message), leaf("type", r.Commit.Type)),
		leaf("result-file", r.ResultFile),
		elem("progress").add(leaf("done", strconv.Itoa(r.Done)), leaf("total", strconv.Itoa(r.Total))),
		leaf("reason", r.Reason),
	).format()
}

// ParseTaskResult reads what a builder tells in the last task-result of a text, whatever prose or fence is around it: its summary, the
// files, and the handoffs with where they are from.
func ParseTaskResult(src []byte) (*TaskResult, error) {
	e, err := findElement(src, "task-result")
	if err != nil {
		return nil, err
	}
	r := &TaskResult{Summary: e.get("summary")}
	for _, f := range e.child("files-changed").all("file") {
		action, _ := readAction(f.attr("action"))
		r.Files = append(r.Files, File{f.attr("path"), action, f.text})
	}
	for _, c := range e.all("context-handoff") {
		x := Context{From: c.attr("from"), Handoff: Handoff{c.get("what"), c.get("why"), c.get("caution"), c.get("incomplete")}}
		if x.Handoff == (Handoff{}) {
			x.What = c.text
		}
		r.Handoffs = append(r.Handoffs, x)
	}
	return r, nil
}
