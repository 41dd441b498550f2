package auto

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// plans gets a plan that the gates of code let pass, and that a critic approves of, where the size has one. The revision after a single
// review is judged by code; after the last of several a person decides.
func (f *feature) plans(c *flow.Ctx) (step.End, error) {
	reviews := f.size().Critics
	var history []string // what critics said, oldest first
	for n, c := range flow.Rounds(c, "draft", f.size().Critics+1) {
		problems, err := f.planned(c, history)
		if err != nil {
			return step.End{}, err
		}
		if len(problems) > 0 {
			text := problemText(problems)
			if f.size().Critics == 0 { // it has no other judge, and goes on with a warning
				f.out.Warnings = append(f.out.Warnings, "plan: "+text)
				break
			}
			ok, err := f.decide(c.Sub("gates"), "The plan of "+f.name+" does not pass its gates:\n"+text)
			if err != nil || !ok {
				return step.End{Reason: needsDecision, Detail: turn.Clip(text, 500)}, err
			}
		}
		if reviews == 0 {
			break
		}
		verdict, err := f.critic(c, history)
		if err != nil {
			return step.End{}, err
		}
		if verdict.Verdict == approve {
			break
		}
		reviews--
		history = append(history, strings.Join(verdict.Reasons, "\n"))
		if f.size().Critics > 1 && reviews == 0 {
			ok, err := f.decide(c, fmt.Sprintf("The critic did not approve the plan of %s in %d rounds:\n%s", f.name, n, history[len(history)-1]))
			if err != nil || !ok {
				return step.End{Reason: needsDecision, N: n, Detail: turn.Clip(history[len(history)-1], 500)}, err
			}
			break
		}
	}
	if err := f.keep(c, pdca.PlanDoc, pdca.PlanPath(f.name), f.document().Plan(f.plan)); err != nil {
		return step.End{}, err
	}
	if end, err := f.agreed(c, phasePlan); err != nil || end.Reason != "" {
		return end, err
	}
	if err := f.tell(c.Sub("issue")); err != nil {
		return step.End{}, err
	}
	again := pdca.Rate(pdca.Estimate{Files: f.plan.Files}, f.in.Request, f.in.Heavy, f.s.Roots)
	for i, p := range f.out.Score.Points { // what an author has judged stands
		if p.Name == pdca.PointArchitecture || p.Name == pdca.PointDependencies && p.Value > again.Points[i].Value {
			again.Total += p.Value - again.Points[i].Value
		}
	}
	if m := pdca.ModeOf(again.Total); m.Above(f.out.Mode) {
		f.promote(c, fmt.Sprintf("the plan has %d points", again.Total))
	}
	return step.End{}, nil
}

// planned asks for a plan until the gates of code let it pass, at most once more.
func (f *feature) planned(c *flow.Ctx, history []string) ([]pdca.Problem, error) {
	var problems []pdca.Problem
	before := ""
	for _, c := range flow.Rounds(c, "write", 1+repairRounds) {
		var ans pdca.Plan
		out, err := f.turn(c, request{
			role: "plan", prompt: planPrompt + turn.HeldOutRules(f.s.Code...), schema: planSchema, judge: true, task: f.planText(before, problems, history),
		}, &ans)
		if err != nil {
			return nil, err
		}
		before = string(out.Answer)
		ans.HeldOut = turn.KeepHeldOut(ans.HeldOut, f.plan.HeldOut)
		f.plan, f.held = ans, ans.HeldOut
		var warnings []pdca.Problem
		problems = nil
		for _, p := range pdca.CheckPlan(ans, f.out.Mode, func(p string) bool { return f.exists[p] }) {
			if p.Warn {
				warnings = append(warnings, p)
			} else {
				problems = append(problems, p)
			}
		}
		if len(problems) == 0 {
			if problems, err = f.runnable(c, ans.Criteria(), nil); err != nil {
				return nil, err
			}
		}
		flow.Note(c, "judged", step.AttemptNote{Phase: phasePlan, Attempt: f.asked["plan"], Passed: len(problems) == 0, Findings: findings(slices.Concat(problems, warnings)), Usage: f.out.Usage})
		if len(problems) == 0 {
			return nil, nil
		}
	}
	return problems, nil
}

// runnable says which commands cannot be run: nobody who builds could make them succeed.
func (f *feature) runnable(c *flow.Ctx, criteria []task.Criterion, commands []string) ([]pdca.Problem, error) {
	t := task.Task{ID: "TASK-00", Type: "feat", Title: f.name, Scope: f.in.Request, Files: f.owned(), Verify: commands, Covers: task.Numbered("AC", len(criteria))}
	raw, err := json.Marshal([]task.Task{t})
	if err != nil {
		return nil, err
	}
	out, err := turn.Do(c, "commands", step.PlanCheck, step.PlanCheckIn{Tree: f.s.Tree, Requirement: step.Requirement{Title: f.name, Criteria: criteria}, Tasks: raw})
	return step.Each(out.Findings, func(x step.Finding) pdca.Problem { return pdca.Problem{Gate: pdca.GateCommands, Text: x.Message} }), err
}

// critic judges a plan: whether each criterion can be measured, and what else is wrong with it. Where the size wants it, an architect
// has looked at whether it can be done; his words are the critic's to weigh.
func (f *feature) critic(c *flow.Ctx, before []string) (step.ReviewResult, error) {
	if err := f.feasible(c.Sub("feasible")); err != nil {
		return step.ReviewResult{}, err
	}
	v, err := f.verdict(c, request{role: "critic", prompt: criticPrompt, schema: criticSchema, judge: true, task: f.criticText(before)}, [2]string{approve, revise})
	if err != nil {
		return v, err
	}
	for i, k := range f.plan.Criteria() { // an approval that leaves a criterion out is none
		id := pdca.CriterionID(i)
		j := slices.IndexFunc(v.Items, func(j pdca.Judgement) bool { return j.ID == id })
		switch {
		case j < 0:
			v.Reasons = append(v.Reasons, fmt.Sprintf("%s was not judged: %s", id, turn.Clip(k.Text, 200)))
		case !v.Items[j].Matches:
			v.Reasons = append(v.Reasons, fmt.Sprintf("%s cannot be measured: %s", id, turn.Clip(v.Items[j].Why, 300)))
		default:
			continue
		}
		v.Verdict = revise
	}
	f.log(v)
	flow.Note(c, "reviewed", step.PhaseNote{Phase: phasePlan, Round: v.Round, Reviews: &v})
	return v, nil
}

// feasible lets an architect look at whether a HEAVY plan can be carried out, once for each list of files. His notes are
// for all who work on.
func (f *feature) feasible(c *flow.Ctx) error {
	files := task.Paths(f.plan.Files)
	if !f.size().Feasibility || slices.Equal(files, f.noted) {
		return nil
	}
	var ans struct {
		Notes []string `json:"notes"`
	}
	if err := f.ask(c, request{role: "feasibility", prompt: feasiblePrompt, schema: notesSchema, judge: true, task: f.goal().String()}, &ans); err != nil {
		return err
	}
	f.noted, f.notes = files, turn.Clip(strings.Join(turn.Texts(ans.Notes), "\n"), 2000)
	return nil
}

// agreed is the gate between two phases, where a person wants one. What he says goes to the author once, then he is asked
// again.
func (f *feature) agreed(c *flow.Ctx, phase string) (step.End, error) {
	if !f.in.Gates {
		return step.End{}, nil
	}
	c = c.Sub("agree")
	for n, c := range flow.Rounds(c, "ask", 2) {
		what, text, err := turn.Gate(c, "next", f.banner(phase), turn.Skip)
		switch {
		case err != nil || what == flow.Approve:
			return step.End{}, err
		case what == turn.Skip:
			f.out.Warnings = append(f.out.Warnings, phase+": skipped by a person")
			return step.End{}, nil
		case what == flow.Reject && text != "" && n == 1:
			if err := f.revise(c, phase, text); err != nil {
				return step.End{}, err
			}
		default:
			return step.End{Reason: needsDecision, Phase: phase, Detail: "a person rejected the " + phase}, nil
		}
	}
	return step.End{Reason: needsDecision, Phase: phase, Detail: "changed once, but still not approved"}, nil
}

// revise lets the author of a phase mend what a person wants.
func (f *feature) revise(c *flow.Ctx, phase, why string) error {
	switch phase {
	case phasePlan:
		if _, err := f.planned(c, []string{why}); err != nil {
			return err
		}
		return f.keep(c, pdca.PlanDoc, pdca.PlanPath(f.name), f.document().Plan(f.plan))
	case phaseDesign:
		if _, err := f.designed(c, why); err != nil {
			return err
		}
		return f.keep(c, pdca.DesignDoc, pdca.DesignPath(f.name), f.document().Design(*f.design))
	default:
		_, err := f.fix(c, fixing{why: []string{why}, domain: "other"})
		return err
	}
}

func problemText(list []pdca.Problem) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "- [%s] %s\n", p.Gate, p.Text)
	}
	return b.String()
}

func findings(list []pdca.Problem) []step.Finding {
	var out []step.Finding
	for _, p := range list[:min(len(list), 40)] {
		s := step.Fix
		if p.Warn {
			s = step.Warn
		}
		out = append(out, step.Finding{Rule: p.Gate, Severity: s, Message: p.Text})
	}
	return out
}
