package cli

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/works"
)

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
	var b strings.Builder
	for _, t := range plan.Tasks {
		b.Write(dispatchOf(plan, t, ended).Format())
		b.WriteString("\n")
		if res, ok := ended[t.ID]; ok {
			b.Write(taskResultOf(plan, t, res, p.subject(ctx, res.Commit), done).Format())
			b.WriteString("\n")
		}
	}
	fmt.Fprint(p.a.Out, b.String())
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

func dispatchOf(plan step.WorkPlan, t task.Task, ended map[string]step.TaskResult) *works.Dispatch {
	dir := path.Join(plan.Documents, "works", plan.Work) + "/"
	d := &works.Dispatch{
		ReferencesDir: ".claude/agents", To: "builder", Work: plan.Work, Task: t.ID, Mode: works.Mode(plan.Mode), Project: plan.Project, Language: plan.Language,
		PlanFile: dir + "PLAN.md", TaskFile: dir + t.ID + ".md", Title: t.Title, Action: "implement", Description: t.Scope,
	}
	froms := []string{"prev-task", "prev-prev-task"}
	for _, s := range task.Window(plan.Tasks, t.ID) {
		r, ok := ended[s.ID]
		if !ok {
			continue
		}
		status := works.Pass
		if r.Commit == "" {
			status = works.Fail
		}
		d.Results = append(d.Results, works.Previous{Task: s.ID, Status: status, Summary: r.Summary})
		from := froms[0]
		if s.Detail == task.Summary {
			from = froms[1]
		}
		d.Contexts = append(d.Contexts, works.Context{From: from, Task: s.ID, Detail: works.Detail(s.Detail), Handoff: works.Handoff(r.Handoff)})
	}
	return d
}

func taskResultOf(plan step.WorkPlan, t task.Task, r step.TaskResult, subject string, done int) *works.TaskResult {
	out := &works.TaskResult{
		Work: plan.Work, Task: t.ID, Agent: "committer", Status: works.Pass, Summary: r.Summary, ResultFile: r.Result, Done: done, Total: len(plan.Tasks),
		Handoffs: []works.Context{{From: "builder", Task: t.ID, Detail: works.FullDetail, Handoff: works.Handoff(r.Handoff)}},
	}
	for _, f := range r.Files {
		out.Files = append(out.Files, works.File{Path: f.Path, Action: works.ActionOf(f.Status)})
	}
	for _, k := range r.Checks {
		out.Checks = append(out.Checks, works.Check{Name: k.Name, Status: works.Verdict(k.Status), Count: k.Count, Output: k.Output})
	}
	if r.Commit != "" {
		out.Commit = works.Commit{Hash: r.Commit, Message: subject, Type: t.Type}
		return out
	}
	out.Status, out.Reason = works.Fail, r.Reason
	for _, f := range r.Findings {
		if f.Rule == "no-changes" {
			out.Reason = f.Message // in the words of the WORK pipeline
		}
		out.Failures = append(out.Failures, works.Failure{Check: f.Rule, Error: f.Message, File: f.Path})
	}
	return out
}
