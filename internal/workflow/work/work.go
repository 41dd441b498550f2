// Package work decides how a request becomes verified commits: a requirement, a mode that code chooses, a plan that code
// checks, gates where a person decides, then tasks that are built side by side and land one at a time.
//
// It is pure, like every decider: it asks for steps, judges their outcomes and notes what people want to know.
package work

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// Workflow is `jacquard work`.
var Workflow = flow.Workflow[step.WorkIn, step.WorkOut]{Name: "work", Fn: run}

// Limits of the loops.
const (
	draftRounds    = 3  // answers in a row that a program sent back
	maxRejections  = 20 // of one document, by people
	questionRounds = 2
	buildRounds    = 3 // attempts at one task
)

// request is one request on its way; its fields are derived anew on every re-run.
type request struct {
	in       step.WorkIn
	s        step.WorkSurveyOut
	answers  []step.QA
	plan     step.WorkPlan
	proposal task.Task // the work as one task
	reasons  []string  // of the mode
	edited   string    // what a person was asked last, once he has edited it
	out      step.WorkOut
}

func run(c *flow.Ctx, in step.WorkIn) (step.WorkOut, error) {
	s, err := turn.Do(c, "survey", step.WorkSurvey, in)
	if err != nil {
		return step.WorkOut{}, err
	}
	flow.Note(c, "taken", step.WorkNote{Work: s.Work})
	w := &request{in: in, s: s, out: step.WorkOut{Work: s.Work}}
	w.out.Usage.Known = true
	if !s.Plan.IsZero() {
		if w.plan, err = flow.Load[step.WorkPlan](c, s.Plan); err != nil {
			return w.out, err
		}
		w.out.Title, w.out.Mode = w.plan.Requirement.Title, w.plan.Mode
		if len(s.Landed) < len(w.plan.Tasks) && !s.Agreed {
			ok, why, err := w.gate(c, w.planGate())
			if err != nil || !ok {
				w.out.Why = "the plan was rejected: " + why
				return w.out, err
			}
		}
		if s.Plan, _, err = w.keep(c.Sub("known")); err != nil {
			return w.out, err
		}
		return w.build(c, s.Plan)
	}
	w.plan = step.WorkPlan{
		Work: s.Work, Request: in.Original, Language: s.Language, Commits: s.Commits, Project: s.Project, Stack: s.Stack,
		Auto: in.Yes, Created: c.Now().UnixMilli(), Documents: s.Documents,
	}
	ok, err := w.specify(c.Sub("requirement"))
	if err != nil || !ok {
		return w.out, err
	}
	tasks, ok, err := w.tasks(c.Sub("plan"))
	if err != nil || !ok {
		return w.out, err
	}
	return w.build(c, tasks)
}

// specify gets a requirement that is sound and that a person agrees to. False: there is none; the result says why.
func (w *request) specify(c *flow.Ctx) (bool, error) {
	var ans specified
	var back, told feedback
	ok, err := turn.Drafts{
		Limit: draftRounds, Questions: questionRounds, Rejections: maxRejections, Yes: w.in.Yes,
		Write: func(c *flow.Ctx, n int) ([]turn.Question, error) {
			ans, told = specified{}, back
			err := w.author(c, "specify", n, w.instructions(specifyPrompt), specifySchema, w.requestTask(back), &ans, &back)
			return ans.Questions, err
		},
		Answered: func(c *flow.Ctx, asked []turn.Question, said []step.QA) bool {
			w.answers = append(w.answers, said...)
			w.answered(c, asked, said)
			if w.in.Yes {
				w.out.Assumed = append(w.out.Assumed, said...)
			}
			if w.in.Yes || turn.Defaults(asked, said) {
				return true
			}
			told.before = back.before
			back = told // nobody has judged this answer; what was said of the one before it stands
			return false
		},
		Check: func(c *flow.Ctx, n int) (bool, error) {
			w.requirement(c, ans)
			if back.findings = soundRequirement(w.plan.Requirement); len(back.findings) == 0 {
				w.plan.Mode, w.reasons = firstMode(w.plan.Requirement, w.in)
				var err error
				if back.findings, err = w.check(c, "requirement", []task.Task{w.whole()}); err != nil {
					return false, err
				}
			}
			w.judged(c, "specify", n, back.findings)
			return len(back.findings) == 0, nil
		},
		Agree: func(c *flow.Ctx) (bool, error) {
			return w.agree(c, w.requirementGate(), &back, "specifier", step.RequirementRejected)
		},
	}.Run(c)
	if err == nil && !ok {
		w.out.Why, w.out.Findings = "no valid requirement was written", back.findings
	}
	return ok, err
}

// judged notes what is wrong with an answer.
func (w *request) judged(c *flow.Ctx, phase string, n int, findings []step.Finding) {
	flow.Note(c, "judged", step.AttemptNote{Phase: phase, Attempt: n, Passed: len(findings) == 0, Findings: findings, Usage: w.out.Usage})
}

// requirement takes an answer over.
func (w *request) requirement(c *flow.Ctx, ans specified) {
	r := step.Requirement{
		Title: turn.Line(ans.Title, 200), Type: task.TypeOf(ans.Type), Functional: lines(ans.Functional), NonFunctional: lines(ans.NonFunctional), Areas: lines(ans.Areas), Assumed: w.out.Assumed,
	}
	for _, k := range ans.Criteria {
		r.Criteria = append(r.Criteria, step.Criterion{Text: turn.Line(k.Text, 500), Command: turn.Line(k.Command, 300)})
	}
	w.plan.Requirement, w.plan.Goal = r, r.Title
	w.proposal = ans.Task
	w.out.Title = r.Title
	w.plan.Decisions = slices.DeleteFunc(w.plan.Decisions, func(d step.Decision) bool { return d.Question == step.Assumed })
	for _, a := range lines(ans.Assumptions) {
		w.plan.Decisions = append(w.plan.Decisions, step.Decision{At: c.Now().UnixMilli(), Stage: "specifier", Question: step.Assumed, Answer: a, By: "auto"})
	}
}

// whole is the work as one task.
func (w *request) whole() task.Task {
	r := w.plan.Requirement
	t := w.proposal
	t.ID, t.Needs, t.VerifyOnly = "TASK-00", nil, false
	t.Title, t.Type, t.Covers, t.Criteria = cmp.Or(turn.Line(t.Title, 200), r.Title), r.Type, r.IDs(), r.Criteria
	return t
}

// tasks gets a plan that is sound and that a person agrees to, and keeps it.
func (w *request) tasks(c *flow.Ctx) (flow.Blob, bool, error) {
	if w.plan.Mode == step.DirectMode {
		return w.keep(c)
	}
	var ans planned
	var back feedback
	ok, err := turn.Drafts{
		Limit: draftRounds, Rejections: maxRejections,
		Write: func(c *flow.Ctx, n int) ([]turn.Question, error) {
			ans = planned{}
			return nil, w.author(c, "plan", n, w.instructions(planPrompt), planSchema, w.planTask(back), &ans, &back)
		},
		Check: func(c *flow.Ctx, n int) (ok bool, err error) {
			if g := turn.Line(ans.Goal, 500); g != "" {
				w.plan.Goal = g
			}
			if back.findings, err = w.check(c, "plan", w.keepCalls(renumbered(ans.Tasks))); err != nil {
				return false, err
			}
			w.judged(c, "plan", n, back.findings)
			return len(back.findings) == 0, nil
		},
		Agree: func(c *flow.Ctx) (bool, error) {
			w.plan.Mode, w.reasons = planMode(w.plan.Tasks, w.in.Router)
			return w.agree(c, w.planGate(), &back, "planner", step.PlanRejected)
		},
	}.Run(c)
	if err != nil {
		return flow.Blob{}, false, err
	}
	if !ok {
		w.out.Why, w.out.Findings = "no valid plan was written", back.findings
		return flow.Blob{}, false, nil
	}
	return w.keep(c)
}

// keepCalls adds the held-out calls of the requirement to a plan of one task. Of several, nobody knows after which one they hold.
func (w *request) keepCalls(tasks []task.Task) []task.Task {
	if len(tasks) == 1 {
		tasks[0].HeldOut = turn.AddCalls(tasks[0].HeldOut, w.proposal.HeldOut)
	}
	return tasks
}

// check asks what is wrong with the tasks of a document, and takes them over where nothing is.
func (w *request) check(c *flow.Ctx, document string, tasks []task.Task) ([]step.Finding, error) {
	raw, err := json.Marshal(tasks)
	if err != nil {
		return nil, err
	}
	out, err := turn.Do(c, "check", step.PlanCheck, step.PlanCheckIn{Tree: w.s.Tree, Requirement: w.plan.Requirement, Tasks: raw})
	for i := range out.Findings {
		out.Findings[i].Rule = document
	}
	if err != nil || len(out.Findings) > 0 {
		return out.Findings, err
	}
	w.plan.Added = out.Added
	w.plan.Tasks, err = flow.Load[[]task.Task](c, out.Tasks)
	return nil, err
}

// keep makes the plan durable and tells people of it.
func (w *request) keep(c *flow.Ctx) (flow.Blob, bool, error) {
	w.plan.Planned = c.Now().UnixMilli()
	for _, s := range w.plan.Added {
		w.say(c, "PLANNER", s)
	}
	out, err := turn.Do(c, "keep", step.KeepPlan, w.plan)
	if err != nil {
		return flow.Blob{}, false, err
	}
	w.out.Mode = w.plan.Mode
	return out.Plan, true, nil
}

// answered notes what was asked and answered, for DECISIONS.md and for those who work on.
func (w *request) answered(c *flow.Ctx, asked []turn.Question, said []step.QA) {
	by := "user"
	if w.in.Yes {
		by = "auto"
	}
	for i, qa := range said {
		q := asked[i]
		w.plan.Decisions = append(w.plan.Decisions, step.Decision{
			At: c.Now().UnixMilli(), Stage: "specifier", Question: turn.Line(q.Question, 500), Answer: turn.Line(qa.Answer, 1000), By: by,
			Options: lines(q.Options), Advice: turn.Line(q.Default, 500),
		})
	}
}

// agree asks a person for a document. Why he does not agree is what its author is told, and those who work on.
func (w *request) agree(c *flow.Ctx, a approval, back *feedback, stage, rejected string) (bool, error) {
	ok, why, err := w.gate(c, a)
	if err != nil || ok {
		return ok, err
	}
	back.rejected, back.edited = why, w.edited
	w.plan.Decisions = append(w.plan.Decisions, step.Decision{At: c.Now().UnixMilli(), Stage: stage, Question: rejected, Answer: turn.Line(why, 1000), By: step.ByRejection})
	return false, nil
}

// say adds a line to the activity log.
func (w *request) say(c *flow.Ctx, agent, text string) {
	w.plan.Log = append(w.plan.Log, step.LogLine{At: c.Now().UnixMilli(), Agent: agent, Stage: "PLAN", Text: text})
}

// decided tells an author what was decided before.
func (w *request) decided(b *strings.Builder) {
	head := "Decided during the run:\n"
	for _, d := range w.plan.Decisions {
		switch d.Question {
		case step.Assumed:
			fmt.Fprintf(b, "%s- %s\n", head, d.Answer)
		case step.RequirementRejected, step.PlanRejected: // what came of it is in the documents
			continue
		default:
			fmt.Fprintf(b, "%s- %s\n  %s\n", head, d.Question, d.Answer)
		}
		head = ""
	}
}

// author asks one author of a document for an answer.
func (w *request) author(c *flow.Ctx, role string, n int, prompt string, schema json.RawMessage, text string, to any, back *feedback) error {
	out, err := turn.Ask(c, step.Turn{
		Role: role, Module: w.s.Work, Attempt: n, Tree: w.s.Tree, Instructions: prompt, Docs: w.s.Docs, Task: text, Schema: schema,
		Judge: true, Budget: w.in.Budget,
	})
	if err != nil {
		return err
	}
	w.out.Sessions++
	w.out.Usage = w.out.Usage.Add(out.Usage)
	*back = feedback{before: string(out.Answer), rejected: back.rejected, edited: back.edited} // what a person said stands until he is asked again
	return turn.Decode(out.Answer, to)
}

// build carries the plan out and hands over what has landed.
func (w *request) build(c *flow.Ctx, plan flow.Blob) (step.WorkOut, error) {
	list := slices.DeleteFunc(slices.Clone(w.plan.Tasks), func(t task.Task) bool {
		return slices.Contains(w.s.Landed, t.ID) || w.in.Task != "" && t.ID != w.in.Task
	})
	order := task.Order(w.plan.Tasks)
	slices.SortFunc(list, func(a, b task.Task) int { return slices.Index(order, a.ID) - slices.Index(order, b.ID) })
	w.out.Tasks = len(w.plan.Tasks)
	note := step.WorkNote{Work: w.s.Work, Mode: w.plan.Mode, Requirement: w.plan.Requirement, Plan: plan}
	if w.in.Yes { // at the gate a person has read them
		note.Reasons = w.reasons
		for _, d := range w.plan.Decisions {
			if d.Question == step.Assumed {
				w.out.Assumed = append(w.out.Assumed, step.QA{Question: d.Question, Answer: d.Answer})
			}
		}
	}
	for _, t := range list {
		note.Tasks = append(note.Tasks, step.TaskLine{ID: t.ID, Title: t.Title, Needs: t.Needs})
	}
	flow.Note(c, "planned", note)
	results, err := flow.All(c, "task", list, func(t task.Task) string { return t.ID }, func(c *flow.Ctx, t task.Task) (step.TaskResult, error) {
		b := builder{w: w, c: c, plan: plan, t: t}
		r, err := b.run(c)
		if class := flow.ClassOf(err); err == nil || class == flow.Cancelled || class == flow.Definition {
			return r, err
		}
		// What broke here is no reason to keep from people what others have landed.
		return b.end(step.Warning, "stopped: "+turn.Clip(flow.AsFailure(err).Error(), 300))
	})
	if err != nil {
		return w.out, first(err)
	}
	w.out.Done = len(w.s.Landed)
	for _, r := range results {
		w.out.Sessions += r.Attempts + r.Others
		w.out.Usage = w.out.Usage.Add(r.Usage)
		switch r.Status {
		case step.Success:
			w.out.Done++
			w.out.Warnings = append(w.out.Warnings, turn.Left(r.ID, r.Findings)...)
		case step.Blocked:
			w.out.Blocked++
		case step.Warning:
			w.out.Failed++
		}
	}
	w.out.Original = originalSessions(w.plan.Mode, w.out.Tasks)
	w.out.Verified = w.out.Failed+w.out.Blocked == 0
	w.out.Open = w.open(results)
	landed := slices.ContainsFunc(results, func(r step.TaskResult) bool { return r.Commit != "" })
	if !landed && w.in.From == "" || w.in.Delivery == step.ToTree {
		return w.out, nil
	}
	if !landed { // what is to be handed over an earlier run has landed
		if _, err := turn.Do(c, "head", step.Head, step.HeadIn{Fallback: w.s.Commit}); err != nil {
			return w.out, err
		}
	}
	d, err := turn.HandOver(c, w.in.Pull, step.DeliverIn{How: w.in.Delivery, Base: w.s.Commit, On: w.s.Branch}, w.pull(results))
	w.out.Delivered = d
	w.out.Verified = w.out.Verified && d.Why == ""
	return w.out, err
}

// called reports whether a sentence is nothing but calls that were made and gave what it says.
func called(text string, made []string) bool {
	rest := text
	for _, call := range made {
		rest = strings.ReplaceAll(rest, call, " ")
	}
	for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if word != "and" {
			return false
		}
	}
	return rest != text
}

// open are the criteria of what was built that no command and no call has shown.
func (w *request) open(results []step.TaskResult) []string {
	var out, texts []string
	add := func(id string, k step.Criterion, r step.TaskResult) {
		shown := k.Command != "" && !slices.Contains(r.Idle, k.Command) || called(k.Text, r.Called)
		if shown || slices.Contains(texts, k.Text) {
			return
		}
		texts = append(texts, k.Text)
		if k.Command != "" {
			k.Text += " ($ " + k.Command + " succeeds without the change as well)"
		}
		out = append(out, id+": "+k.Text)
	}
	for _, r := range results {
		i := slices.IndexFunc(w.plan.Tasks, func(t task.Task) bool { return t.ID == r.ID })
		if r.Status != step.Success || i < 0 {
			continue
		}
		for j, id := range task.Numbered("AC", len(w.plan.Requirement.Criteria)) {
			if slices.Contains(w.plan.Tasks[i].Covers, id) {
				add(id, w.plan.Requirement.Criteria[j], r)
			}
		}
		for _, k := range w.plan.Tasks[i].Criteria {
			add(r.ID, k, r)
		}
	}
	return out[:min(len(out), 50)]
}

// originalSessions is how many sessions of a model the WORK pipeline needed, which the documents come from (docs/differences.md):
// 3 direct, 5 for one task with a plan, 2 + 4N with a scheduler.
func originalSessions(m step.Mode, tasks int) int {
	switch {
	case m == step.DirectMode:
		return 3
	case m == step.PipelineMode && tasks == 1:
		return 5
	}
	return 2 + 4*tasks
}

// first keeps one failure of many.
func first(err error) error {
	var f *flow.Failure
	if errors.As(err, &f) {
		return f
	}
	return err
}

// words is a text for people, in the language of the documents.
func (w *request) words(korean, english string) string {
	return turn.Say(w.s.Language, korean, english)
}

func lines(list []string) []string {
	var out []string
	for _, s := range list {
		if s = turn.Line(s, 500); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// pull is the pull request of the request: each task with what shows it.
func (w *request) pull(results []step.TaskResult) turn.Pull {
	r := w.plan.Requirement
	p := turn.Pull{Type: r.Type, Name: r.Title, Draft: !w.out.Verified}
	if len(results) > 1 { // else the commit says it
		p.Title = turn.Line(r.Title, 120)
	}
	var asked, proof, warnings []string
	for _, i := range r.Functional {
		asked = append(asked, turn.Line(i, 500))
	}
	for _, t := range results {
		if t.Status == step.Success {
			proof = append(proof, turn.Proof(w.s.Language, turn.Line(t.Title, 200), t.Tests))
			continue
		}
		warnings = append(warnings, fmt.Sprintf(w.words("%s: 완료되지 않음: %s", "%s: not done: %s"), turn.Line(t.Title, 200), turn.Line(t.Reason, 300)))
	}
	p.Body = turn.PullBody(w.s.Language, asked, proof, w.out.Open, warnings)
	return p
}
