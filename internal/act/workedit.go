package act

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/works"
)

// EditFiles are the documents that a person edits at a gate of a run of work, by name: the requirement, with the task of
// a WORK that needs no plan; or the tasks of the plan.
func EditFiles(p step.WorkPlan, requirement bool) map[string][]byte {
	out := planDocuments(p)
	for name := range out {
		_, kind, isTask := works.TaskOf(name)
		keep := isTask && kind == works.TaskFile && (!requirement || p.Mode == step.DirectMode) || requirement && name == requirementFile || !requirement && name == "PLAN.md"
		if !keep {
			delete(out, name)
		}
	}
	return out
}

// ReadEdited is what edited documents say, as the gate takes it, and what is wrong with them. A task whose file is gone
// goes, one with a new file comes; what its file does not say stays as the plan had it.
func ReadEdited(p step.WorkPlan, requirement bool, files map[string][]byte) (json.RawMessage, []spec.Problem) {
	var problems []spec.Problem
	before := map[string]task.Task{}
	for _, t := range p.Tasks {
		before[t.ID] = t
	}
	var tasks []task.Task
	for _, name := range slices.Sorted(maps.Keys(files)) {
		id, kind, ok := works.TaskOf(name)
		if !ok || kind != works.TaskFile {
			continue
		}
		d, ps := works.ParseTask(name, files[name])
		problems = append(problems, ps...)
		t := before[id]
		if t.Title != d.Title || t.Scope != d.Scope {
			t.HeldOut = nil // they were worked out from other words
		}
		t.ID, t.Title, t.Scope, t.Needs, t.Files = id, d.Title, d.Scope, d.DependsOn, nil
		for _, f := range d.Files {
			t.Files = append(t.Files, task.File{Path: f.Path, Action: task.Action(f.Action), Description: f.Note})
		}
		t.Criteria, t.Verify = criteria(d.Acceptance), commandLines(d.Verify)
		tasks = append(tasks, t)
	}
	if !requirement {
		goal := p.Goal
		if src := files["PLAN.md"]; src != nil {
			d, ps := works.ParsePlan("PLAN.md", src)
			problems = append(problems, ps...)
			goal = d.Goal
			for i := range tasks {
				tasks[i].Covers = nil
				for _, tr := range d.Trace {
					if slices.Contains(tr.Tasks, tasks[i].ID) {
						tasks[i].Covers = append(tasks[i].Covers, tr.Item)
					}
				}
			}
		}
		return mustJSON(map[string]any{"goal": goal, "tasks": tasks}), problems
	}
	d, ps := works.ParseRequirement(requirementFile, files[requirementFile])
	problems = append(problems, ps...)
	out := struct {
		step.Requirement

		Task *task.Task `json:"task,omitempty"`
	}{Requirement: requirementOf(d, p.Requirement.Title, p.Requirement.Type)}
	if len(tasks) == 1 {
		out.Task = &tasks[0]
	}
	return mustJSON(out), problems
}

// requirement is one as its document has it.
func requirementOf(d *works.Requirement, title, kind string) step.Requirement {
	text := func(x works.Item) string { return x.Text }
	return step.Requirement{Title: title, Type: kind, Functional: step.Each(d.Functional, text), NonFunctional: step.Each(d.NonFunctional, text), Criteria: criteria(d.Acceptance)}
}

func criteria(list []works.Criterion) []step.Criterion {
	return step.Each(list, func(k works.Criterion) step.Criterion { return criterion(k.Text) })
}

// criterion takes the command off a criterion, as criterionText has put it there. The $ tells a command from a name.
func criterion(text string) step.Criterion {
	if i := strings.LastIndex(text, " (`$ "); i > 0 && strings.HasSuffix(text, "`)") {
		return step.Criterion{Text: text[:i], Command: text[i+5 : len(text)-2]}
	}
	return step.Criterion{Text: text}
}

// commandLines are the commands of a script: one a line, without comments.
func commandLines(script string) []string {
	var out []string
	for l := range strings.Lines(script) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, l)
		}
	}
	return out
}
