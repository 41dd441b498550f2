package act

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/toolchain"
	"github.com/jacquard-build/jacquard/internal/works"
)

// workKnown takes a WORK over that is known from its files, or of which a plan was agreed on and nothing has landed.
func (a *Actor) workKnown(ctx context.Context, v *view, in step.WorkIn, out *step.WorkSurveyOut) error {
	all := works.Read(v.paths(), v.bytes, in.Language)
	i := slices.IndexFunc(all.Works, func(w *works.Work) bool { return w.ID == in.Work && !w.Archived })
	out.Work = in.Work
	var plan step.WorkPlan
	var err error
	switch {
	case i >= 0:
		plan = fromFiles(all, all.Works[i], in, out)
		if plan.Documents = ""; works.IsKept(all.Works[i].Folder) { // as it was begun
			plan.Documents = works.Kept
		}
		if plan.Landed, err = a.landedBefore(ctx, *out); err == nil && !in.Plan.IsZero() {
			var before step.WorkPlan
			before, err = load[step.WorkPlan](a.o.Blobs, in.Plan)
			out.Agreed = !in.Ask && sameRest(plan, before, out.Landed)
		}
	case !in.Plan.IsZero():
		plan, err = load[step.WorkPlan](a.o.Blobs, in.Plan)
		out.Agreed = !in.Ask
	default:
		err = &InputError{in.Work + " is neither in works/ of what is checked out nor in " + works.KeptHome}
	}
	if err != nil {
		return err
	}
	if len(plan.Tasks) == 0 {
		return &InputError{in.Work + " has no tasks to resume; start the request again"}
	}
	if in.Task != "" && (slices.Contains(out.Landed, in.Task) || !slices.ContainsFunc(plan.Tasks, func(t task.Task) bool { return t.ID == in.Task })) {
		return &InputError{in.Work + " has no " + in.Task + " that is left to do"}
	}
	if err := a.soundRest(ctx, out.Tree, v, &plan, out.Landed); err != nil {
		return err
	}
	out.Plan, err = put(a.o.Blobs, plan)
	return err
}

// fromFiles is the plan of a WORK as its documents have it, with what has landed.
func fromFiles(all *works.Tree, w *works.Work, in step.WorkIn, out *step.WorkSurveyOut) step.WorkPlan {
	plan := step.WorkPlan{Work: w.ID, Language: w.Languages.Output, Commits: w.Languages.Commit, Project: out.Project, Stack: out.Stack, Auto: in.Yes}
	plan.Requirement.Title, plan.Requirement.Type, plan.Mode = all.Title(w), "feat", step.FullMode
	if w.Plan != nil {
		plan.Mode, plan.Goal, plan.Created = step.Mode(w.Plan.Mode), w.Plan.Goal, w.Plan.Created.UnixMilli()
	}
	if r := w.Requirement; r != nil {
		plan.Request, plan.Requirement = r.Request, requirementOf(r, plan.Requirement.Title, plan.Requirement.Type)
	}
	if w.Decisions != nil {
		for _, d := range w.Decisions.List {
			if d.Status == works.Resolved {
				plan.Decisions = append(plan.Decisions, step.Decision{
					At: d.At.UnixMilli(), Stage: d.Stage, Question: clip(d.Background, 500), Answer: clip(d.Chosen, 1000), By: d.By, Options: d.Options, Advice: d.Advice,
				})
			}
		}
	}
	for _, t := range w.Tasks {
		if t.State == works.Done {
			out.Landed = append(out.Landed, t.ID)
		}
		if r := t.Result; r != nil {
			before := step.TaskResult{ID: t.ID, Title: t.Title, Status: step.Success, Summary: clip(r.Summary, 500), Files: []step.Change{}}
			before.Handoff = step.Handoff{
				What: clip(cmp.Or(r.Builder, r.Summary), 1500), Why: told(r.Verifier.Why), Caution: told(r.Verifier.Caution), Incomplete: told(r.Verifier.Incomplete),
			}
			for _, f := range bound(r.Files, 30) {
				before.Files = append(before.Files, step.Change{Path: f.Path, Status: map[works.Action]string{works.Create: "A", works.Modify: "M", works.Delete: "D"}[f.Action]})
			}
			out.Before = append(out.Before, before)
		}
		plan.Tasks = append(plan.Tasks, taskOf(w, t))
	}
	return plan
}

// sameRest reports whether the tasks that are left of a plan say what they said in another one. What no document has, and what is derived,
// does not count.
func sameRest(plan, before step.WorkPlan, landed []string) bool {
	said := func(p step.WorkPlan) string {
		var list []task.Task
		for _, t := range p.Tasks {
			if !slices.Contains(landed, t.ID) {
				list = append(list, task.Task{ID: t.ID, Title: t.Title, Scope: t.Scope, Files: t.Files, Criteria: t.Criteria, Verify: t.Verify})
			}
		}
		raw, err := json.Marshal(list)
		if err != nil {
			panic(err)
		}
		return strings.Join(strings.Fields(strings.ReplaceAll(string(raw), `\n`, " ")), " ")
	}
	return said(plan) == said(before)
}

// told is what a result's document has of a builder's words.
func told(s string) string { return clip(strings.TrimPrefix(s, theBuilder), 1500) }

// landedBefore are the commits of the tasks that are done, by id: those of the history that were not taken back.
func (a *Actor) landedBefore(ctx context.Context, s step.WorkSurveyOut) (map[string]string, error) {
	log, err := a.o.Repo.Log(ctx, s.Commit, "", 10_000)
	if err != nil {
		return nil, machinery(err)
	}
	out := map[string]string{}
	mine, _ := commitsOf(log, s.Work, "")
	for _, c := range mine {
		if _, t := TaskOf(c); slices.Contains(s.Landed, t) {
			out[t] = c.ID
		}
	}
	return out, nil
}

// soundRest says what is wrong with the tasks that are left of a plan, and adds the needs that they lack.
func (a *Actor) soundRest(ctx context.Context, tree string, v *view, plan *step.WorkPlan, landed []string) error {
	open := slices.DeleteFunc(slices.Clone(plan.Tasks), func(t task.Task) bool { return slices.Contains(landed, t.ID) })
	facts := a.planFacts(ctx, tree, v, open)
	facts.Landed, facts.Most = landed, 5000 // nobody has to be kept from writing them
	for _, t := range open {
		facts.Known = append(facts.Known, t.Covers...)
	}
	checked, added, problems := task.Check(open, facts)
	if len(problems) > 0 {
		var b strings.Builder
		for _, p := range bound(problems, 20) {
			fmt.Fprintf(&b, "\n  %s: %s", p.Task, p.Text)
		}
		return &InputError{plan.Work + " has invalid files; fix them:" + b.String()}
	}
	for _, e := range added {
		plan.Added = append(plan.Added, fmt.Sprintf("%s needs %s: both own %s", e.From, e.To, e.Path))
	}
	for _, t := range checked {
		plan.Tasks[slices.IndexFunc(plan.Tasks, func(x task.Task) bool { return x.ID == t.ID })] = t
	}
	return nil
}

// taskOf is a task as its files have it.
func taskOf(w *works.Work, t *works.WorkTask) task.Task {
	out := task.Task{ID: t.ID, Title: t.Title, Needs: t.DependsOn}
	if d := t.Task; d != nil {
		out.Scope = d.Scope
		for _, f := range d.Files {
			out.Files = append(out.Files, task.File{Path: f.Path, Action: task.Action(cmp.Or(f.Action, works.Modify)), Description: f.Note})
		}
		out.Criteria, out.Verify = criteria(d.Acceptance), commandLines(d.Verify)
	}
	out.VerifyOnly = len(out.Files) == 0 && len(out.Commands()) > 0 // no document says it
	out.Type = typeOf(out, w.Requirement)
	if w.Plan != nil {
		for _, tr := range w.Plan.Trace {
			if slices.Contains(tr.Tasks, t.ID) {
				out.Covers = append(out.Covers, tr.Item)
			}
		}
	}
	return out
}

// typeOf is the type of a task's commit, which no file of a WORK says: by what it touches, else by the tags of the request.
func typeOf(t task.Task, r *works.Requirement) string {
	all := func(is func(string) bool) bool {
		return len(t.Files) > 0 && !slices.ContainsFunc(t.Files, func(f task.File) bool { return !is(f.Path) })
	}
	switch {
	case all(func(p string) bool { return slices.Contains([]string{".md", ".rst", ".txt", ".adoc"}, path.Ext(p)) }):
		return "docs"
	case all(toolchain.IsTest):
		return "test"
	case all(func(p string) bool { return toolchain.ConfigKindOf(p) != toolchain.NoConfig }):
		return "chore"
	case r != nil:
		for _, tag := range works.ParseRequest(r.Request).Tags {
			switch strings.ToLower(strings.Trim(tag, "[]")) {
			case "bugfix", "버그수정", "오류수정":
				return "fix"
			case "refactoring", "리팩토링":
				return "refactor"
			}
		}
	}
	return "feat"
}
