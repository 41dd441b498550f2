package auto

import (
	"fmt"
	"slices"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// designs gets a design that the gate of code lets pass.
func (f *feature) designs(c *flow.Ctx) (step.End, error) {
	problems, err := f.designed(c, "")
	if err != nil {
		return step.End{}, err
	}
	if len(problems) > 0 {
		text := problemText(problems)
		ok, err := f.decide(c, "The design of "+f.name+" does not pass its gate:\n"+text)
		if err != nil || !ok {
			return step.End{Reason: needsDecision, Detail: turn.Clip(text, 500)}, err
		}
	}
	if err := f.keep(c, pdca.DesignDoc, pdca.DesignPath(f.name), f.document().Design(*f.design)); err != nil {
		return step.End{}, err
	}
	return f.agreed(c, phaseDesign)
}

// designed asks for a design until the gate lets it pass, at most once more. What is built already is in the tree.
func (f *feature) designed(c *flow.Ctx, why string) ([]pdca.Problem, error) {
	var problems []pdca.Problem
	before := ""
	for _, c := range flow.Rounds(c, "write", 1+repairRounds) {
		var ans pdca.Design
		out, err := f.turn(c, request{
			role: "design", prompt: designPrompt + turn.HeldOutRules(f.s.Code...), schema: designSchema, judge: true, task: f.designText(before, problems, why),
		}, &ans)
		if err != nil {
			return nil, err
		}
		before = string(out.Answer)
		for i := range ans.Checklist {
			ans.Checklist[i].ID = fmt.Sprintf("D-%02d", i+1) // what two items are called is not the author's to confuse
		}
		if f.design != nil {
			ans.HeldOut = turn.KeepHeldOut(ans.HeldOut, f.design.HeldOut)
		}
		f.design, f.held = &ans, turn.AddCalls(decided(f.held), slices.Concat(f.plan.HeldOut, ans.HeldOut))
		problems = pdca.CheckDesign(ans, f.out.Mode, func(p string) bool { return f.exists[p] })
		if len(problems) == 0 {
			if problems, err = f.runnable(c, nil, ans.Commands); err != nil {
				return nil, err
			}
		}
		flow.Note(c, "judged", step.AttemptNote{Phase: phaseDesign, Attempt: f.asked["design"], Passed: len(problems) == 0, Findings: findings(problems), Usage: f.out.Usage})
		if len(problems) == 0 {
			return nil, nil
		}
	}
	return problems, nil
}

// decided are the held-out calls that proofs have settled: code that came before the design was judged by them.
func decided(held []step.HeldOut) []step.HeldOut {
	return slices.DeleteFunc(slices.Clone(held), func(h step.HeldOut) bool { return !h.Settled() })
}
