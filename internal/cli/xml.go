package cli

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
)

// The elements of the XML protocol of the WORK pipeline.
type (
	xmlDispatch struct {
		XMLName     xml.Name    `xml:"dispatch"`
		To          string      `xml:"to,attr"`
		Work        string      `xml:"work,attr"`
		Task        string      `xml:"task,attr"`
		Mode        string      `xml:"execution-mode,attr"`
		Project     string      `xml:"context>project"`
		Language    string      `xml:"context>language"`
		PlanFile    string      `xml:"context>plan-file"`
		TaskFile    string      `xml:"task-spec>file"`
		Title       string      `xml:"task-spec>title"`
		Action      string      `xml:"task-spec>action"`
		Description string      `xml:"task-spec>description"`
		Results     []xmlText   `xml:"previous-results>result"`
		Contexts    []xmlHanded `xml:"previous-results>context-handoff"`
	}
	xmlResult struct {
		XMLName    xml.Name     `xml:"task-result"`
		Work       string       `xml:"work,attr"`
		Task       string       `xml:"task,attr"`
		Agent      string       `xml:"agent,attr"`
		Status     string       `xml:"status,attr"`
		Summary    string       `xml:"summary"`
		Files      []xmlText    `xml:"files-changed>file"`
		Checks     []xmlText    `xml:"verification>check"`
		Handoff    xmlHanded    `xml:"context-handoff"`
		Failures   []xmlFailure `xml:"failure-details>failure"`
		Commit     *xmlCommit   `xml:"commit"`
		ResultFile string       `xml:"result-file,omitempty"`
		Done       int          `xml:"progress>done"`
		Total      int          `xml:"progress>total"`
		Reason     string       `xml:"reason,omitempty"`
	}
	// xmlText is a text about something: an earlier task, a file, a check.
	xmlText struct {
		Task   string `xml:"task,attr,omitempty"`
		Name   string `xml:"name,attr,omitempty"`
		Status string `xml:"status,attr,omitempty"`
		Count  int    `xml:"count,attr,omitempty"`
		Action string `xml:"action,attr,omitempty"`
		Path   string `xml:"path,attr,omitempty"`
		Text   string `xml:",chardata"`
	}
	xmlHanded struct {
		From       string `xml:"from,attr"`
		Task       string `xml:"task,attr"`
		Detail     string `xml:"detail-level,attr"`
		What       string `xml:"what,omitempty"`
		Why        string `xml:"why,omitempty"`
		Caution    string `xml:"caution,omitempty"`
		Incomplete string `xml:"incomplete,omitempty"`
	}
	xmlFailure struct {
		Check string `xml:"check,attr"`
		Error string `xml:"error"`
		File  string `xml:"file,omitempty"`
	}
	xmlCommit struct {
		Hash    string `xml:"hash"`
		Message string `xml:"message"`
		Type    string `xml:"type"`
	}
)

// Words of the protocol.
const (
	xmlPass, xmlFail = "PASS", "FAIL"
	xmlReferences    = "REFERENCES_DIR=.claude/agents"
)

// writeXML writes an element, and a line that is empty.
func writeXML(w io.Writer, element any) error {
	text, err := xml.MarshalIndent(element, "", "  ")
	if err != nil {
		return fmt.Errorf("write a run as XML: %w", err)
	}
	fmt.Fprintf(w, "%s\n\n", text)
	return nil
}

// showXML prints a run of work in the XML protocol of the WORK pipeline: for each task the dispatch to its builder and,
// once it has ended, the result that its committer would have returned.
func (p *project) showXML(ctx context.Context, r flow.Run, rep *report.Run) error {
	if !processOf(r.Def).works || rep.Request == nil || rep.Request.Plan.IsZero() {
		return usage("--format xml works only for runs of work that have a plan")
	}
	plan, err := p.planOf(rep)
	if err != nil {
		return err
	}
	ended := map[string]step.TaskResult{}
	done := 0
	for _, m := range rep.Modules {
		if m.Task != nil {
			ended[m.Dir] = *m.Task
			if m.Task.Commit != "" {
				done++
			}
		}
	}
	for _, t := range plan.Tasks {
		fmt.Fprint(p.a.Out, xmlReferences+"\n\n")
		if err := writeXML(p.a.Out, dispatchOf(plan, t, ended)); err != nil {
			return err
		}
		if res, ok := ended[t.ID]; ok {
			if err := writeXML(p.a.Out, resultOf(plan, t, res, p.subject(ctx, res.Commit), done)); err != nil {
				return err
			}
		}
	}
	return nil
}

// subject is the first line of a commit's message, "" where it is gone.
func (p *project) subject(ctx context.Context, commit string) string {
	log, err := p.repo.Log(ctx, commit, "", 1)
	if err != nil || len(log) == 0 {
		return ""
	}
	s, _, _ := strings.Cut(log[0].Message, "\n")
	return s
}

func dispatchOf(plan step.WorkPlan, t task.Task, ended map[string]step.TaskResult) xmlDispatch {
	dir := path.Join(plan.Documents, "works", plan.Work) + "/"
	d := xmlDispatch{
		To: "builder", Work: plan.Work, Task: t.ID, Mode: string(plan.Mode), Project: plan.Project, Language: plan.Language,
		PlanFile: dir + "PLAN.md", TaskFile: dir + t.ID + ".md", Title: t.Title, Action: "implement", Description: t.Scope,
	}
	for _, s := range task.Window(plan.Tasks, t.ID) {
		r, ok := ended[s.ID]
		if !ok {
			continue
		}
		x := xmlHanded{From: "prev-task", Task: s.ID, Detail: string(s.Detail), What: r.Handoff.What}
		if s.Detail == task.Summary {
			x.From = "prev-prev-task"
		} else {
			x.Why, x.Caution, x.Incomplete = r.Handoff.Why, r.Handoff.Caution, r.Handoff.Incomplete
		}
		status := xmlPass
		if r.Commit == "" {
			status = xmlFail
		}
		d.Results, d.Contexts = append(d.Results, xmlText{Task: s.ID, Status: status, Text: r.Summary}), append(d.Contexts, x)
	}
	return d
}

// xmlActions are the protocol's words for what git says of a file.
var xmlActions = map[string]string{"A": "created", "M": "modified", "T": "modified", "D": "deleted"}

func resultOf(plan step.WorkPlan, t task.Task, r step.TaskResult, subject string, done int) xmlResult {
	out := xmlResult{
		Work: plan.Work, Task: t.ID, Agent: "committer", Status: xmlPass, Summary: r.Summary, ResultFile: r.Result, Done: done, Total: len(plan.Tasks),
		Handoff: xmlHanded{"builder", t.ID, string(task.Full), r.Handoff.What, r.Handoff.Why, r.Handoff.Caution, r.Handoff.Incomplete},
	}
	for _, f := range r.Files {
		out.Files = append(out.Files, xmlText{Action: xmlActions[f.Status], Path: f.Path})
	}
	for _, k := range r.Checks {
		out.Checks = append(out.Checks, xmlText{Name: k.Name, Status: k.Status, Count: k.Count, Text: k.Output})
	}
	if r.Commit != "" {
		out.Commit = &xmlCommit{r.Commit, subject, t.Type}
		return out
	}
	out.Status, out.Reason = xmlFail, r.Reason
	for _, f := range r.Findings {
		if f.Rule == "no-changes" {
			out.Reason = f.Message // in the words of the WORK pipeline
		}
		out.Failures = append(out.Failures, xmlFailure{f.Rule, f.Message, f.Path})
	}
	return out
}
