package auto

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// The attempts of authors of code.
type (
	loop    = turn.Attempts[turn.Built]
	attempt = turn.Attempt[turn.Built]
)

// builds gets the feature implemented and proved. A size without a design is promoted after its attempts, and gets one.
func (f *feature) builds(c *flow.Ctx) (step.End, error) {
	size := f.size()
	var begin *step.TurnOut // what is there already
	var err error
	if f.design != nil && size.Parts && len(f.design.Parts) > 1 {
		if end, err := f.inParts(c); err != nil || end.Reason != "" {
			return end, err
		}
		begin = &step.TurnOut{Tree: f.tree}
	} else if begin, err = f.begin(c.Sub("left")); err != nil {
		return step.End{}, err
	}
	who := f.who(f.name)
	end, given, err := f.implement(c.Sub("first"), size.Attempts, loop{Begin: begin, Who: who})
	if err == nil && end.Reason != "" && end.Reason != turn.Blocked && end.Reason != turn.Untested && !given && !size.Design && f.promote(c, fmt.Sprintf("%d attempts have failed", size.Attempts)) {
		end = step.End{}
		if f.size().Design {
			end, err = f.designs(c.Sub("design"))
		}
		if err == nil && end.Reason == "" {
			end, _, err = f.implement(c.Sub("again"), f.size().Attempts, loop{Back: f.back, Who: who})
		}
	}
	if err != nil || end.Reason != "" {
		return end, err
	}
	n := 0
	for _, ch := range f.look.Files {
		if !pdca.Beside(ch.Path) {
			n++
		}
	}
	if n >= largeDiff || f.larger() {
		if f.promote(c.Sub("diff"), fmt.Sprintf("%d files have changed", n)) && f.design == nil && f.size().Design { // what comes next looks for it
			if end, err := f.designs(c.Sub("backfill")); err != nil || end.Reason != "" {
				return end, err
			}
		}
	}
	return f.agreed(c, phaseDo)
}

// begin is what an earlier run for the same request has left. Its held-out calls count again; as the plan is another one, they are worked
// out again where they fail.
func (f *feature) begin(c *flow.Ctx) (*step.TurnOut, error) {
	if left := f.in.Left; left != nil && left.For == f.in.Request {
		f.held = turn.AddCalls(step.Each(left.HeldOut, func(h step.HeldOut) step.HeldOut { h.Sure = false; return h }), f.held)
	}
	return turn.Restart(c, f.in.Left, f.s.Tree)
}

// larger reports whether what has really changed scores higher than the mode.
func (f *feature) larger() bool {
	files := step.Each(f.look.Files, func(ch step.Change) task.File { return task.File{Path: ch.Path} })
	again := pdca.Rate(pdca.Estimate{Files: files}, f.in.Request, f.in.Heavy, f.s.Roots)
	return again.Mode.Above(f.out.Mode)
}

// implement lets an author work until the proof holds, or a limit ends it; l says what there is already, and who is asked.
// given: a person has ended it.
func (f *feature) implement(c *flow.Ctx, most int, l loop) (end step.End, given bool, err error) {
	l.Key, l.Limit, l.Same = "try", most, sameFailures
	res, err := f.author(c, l, func(a *attempt) (role, text string) {
		f.out.Attempts++
		return "implement", f.buildText(a)
	})
	if res.End.Reason != "" && res.Back != nil {
		f.out.Open = []string{res.Back.Brief()}
	}
	return res.End, res.Aborted, err
}

// author lets a role write on the present tree; ask says which, and what it is told.
func (f *feature) author(c *flow.Ctx, l loop, ask func(a *attempt) (role, text string)) (turn.Result[turn.Built], error) {
	l.Phase, l.Base, l.Tree, l.Usage, l.Prove = f.phase, f.s.Tree, f.tree, &f.out.Usage, f.prove
	l.Write = func(c *flow.Ctx, a *attempt) (step.TurnOut, error) {
		f.tree = a.Before
		role, text := ask(a)
		return f.turn(c, request{role: role, prompt: implementPrompt, schema: builtSchema, task: text}, nil)
	}
	res, err := l.Run(c)
	if err == nil && res.End.Reason == "" {
		f.accept(res.Last.Sent.Findings)
	}
	return res, err
}

// who decides about attempts that another one would not make better.
func (f *feature) who(name string) *turn.Person {
	if f.in.Yes {
		return nil
	}
	say := func(korean, english string) string { return turn.Say(f.s.Language, korean, english) }
	return &turn.Person{Say: say, Head: func(why string) string {
		if why == turn.Untested {
			return fmt.Sprintf(say("%s: 사람이 승인해야 할 것이 있습니다. 검사 결과:", "%s: a person has to accept what was found. Findings:"), name)
		}
		return fmt.Sprintf(say("%s: 통과하지 못함 (%s). 다음 시도도 같을 것입니다. 검사 결과:", "%s does not pass (%s), and another attempt would end the same way. Findings:"), name, why)
	}}
}

// prove proves what an author has left against the tree that the work began with: audit, build, tests (new ones fail without the
// work), linter, the plan's commands, and what the checklist names.
func (f *feature) prove(c *flow.Ctx, a *attempt) error {
	f.tree = a.Tree
	in := step.TaskIn{Private: f.s.Private, Base: f.s.Tree, Tree: f.tree, Task: step.Owned(f.owned(), f.name, f.commands()), Request: f.in.Request, Asked: f.in.Request, Coverage: true}
	in.Task.Type, in.Task.HeldOut = f.plan.Type, f.held
	for _, p := range f.guided {
		in.More = append(in.More, task.File{Path: p, Action: task.Modify})
	}
	in = a.Answer.Proof(in)
	proof, look, spent, err := turn.ProveAll(c, &in, checklist, f.checklist(), f.recheck)
	f.held, f.look = in.Task.HeldOut, look
	a.HeldOut, a.For = f.held, f.in.Request
	f.out.Spend(spent...)
	if err != nil {
		return err
	}
	proof.Findings = append(proof.Findings, turn.Untouched(f.plan.Files, f.look.Files)...)
	a.Judge(proof)
	back := a.Sent
	f.back, f.out.Tests = &back, proof.Counts
	return nil
}

// recheck is the turn of who has no part in the work, see turn.Examine.
func (f *feature) recheck() step.Turn {
	return step.Turn{Module: f.name, Tree: f.s.Tree, Docs: slices.Concat(f.s.Docs, f.in.Context), Task: f.goal().String(), Private: f.s.Private, Budget: f.in.Budget, Model: f.tier("recheck")}
}

// accept takes an attempt: what should be better is a warning of the report.
func (f *feature) accept(list []step.Finding) {
	f.out.Open = nil
	for _, text := range turn.Left("", list) {
		if !slices.Contains(f.out.Warnings, text) {
			f.out.Warnings = append(f.out.Warnings, text)
		}
	}
}

// checklist is what code looks for in a tree, as authors know it.
const checklist = "design's checklist"

func (f *feature) checklist() []pdca.Check {
	if f.design == nil {
		return nil
	}
	return f.design.Checklist
}

// fixing is what one fix is for.
type fixing struct {
	why    []string
	guide  string
	domain string
	goals  []step.Goal
}

// fix lets an author mend what a judge or a goal has found, and takes the result only when its proof holds. False: the tree
// is as it was.
func (f *feature) fix(c *flow.Ctx, x fixing) (bool, error) {
	start := f.tree
	f.guided = append(f.guided, f.named(x.guide+"\n"+strings.Join(x.why, "\n"))...)
	res, err := f.author(c, loop{Key: "fix", Limit: fixAttempts, MustChange: true, Listed: true}, func(a *attempt) (role, text string) {
		return fixers[x.domain], f.fixText(x, a.Back)
	})
	f.reply = turn.Line(res.Last.Answer.Summary, 600)
	if err != nil || res.End.Reason != "" {
		f.tree = start
		return false, err
	}
	return true, nil
}

// said is what the author of the last fix has answered, for a person who decides.
func (f *feature) said() string {
	if f.reply == "" {
		return ""
	}
	return "\nThe agent says: " + f.reply
}

// fixers are the roles that write, by the domain that a judge names. Who reviews security cannot write: an executor
// gets the guide.
var fixers = map[string]string{"UI": "designer", "build": "build-fixer", "test": "executor", "security": "executor", "logic": "executor", "other": "executor"}

// domain is the domain of an answer; what is not known is "other".
func domain(s string) string {
	s = strings.TrimSpace(s)
	for known := range fixers {
		if strings.EqualFold(s, known) {
			return known
		}
	}
	return "other"
}

// gated reports whether the architect judges the code before its checks.
func (f *feature) gated() bool {
	return f.size().Design && slices.Contains(f.size().Judges, pdca.Architect)
}

// gate is the architect's: two rejections, then a person decides.
func (f *feature) gate(c *flow.Ctx) (step.End, error) {
	for n, c := range flow.Rounds(c, "round", gateRejections) {
		v, err := f.verify(c)
		if err != nil {
			return step.End{}, err
		}
		if v.Verdict == approve {
			break
		}
		mended := false
		if n < gateRejections {
			if mended, err = f.fix(c, fixing{why: v.Reasons, guide: v.Guide, domain: v.Domain}); err != nil {
				return step.End{}, err
			}
		}
		if !mended {
			text := strings.Join(v.Reasons, "\n") + f.said()
			ok, err := f.decide(c, fmt.Sprintf("The architect rejected %s %d times:\n%s", f.name, n, text))
			if err != nil || !ok {
				f.out.Open = v.Reasons
				return step.End{Reason: needsDecision, N: n, Detail: turn.Clip(text, 500)}, err
			}
			f.judged.Verdict = overruled // of this tree he is not asked again
			break
		}
	}
	return step.End{}, nil
}

// verify asks the architect for a verdict on the present tree, unless he has approved of this very tree, or somebody has
// overruled him there.
func (f *feature) verify(c *flow.Ctx) (step.ReviewResult, error) {
	if f.judged.Verdict != reject && f.judged.Tree == f.tree {
		return f.judged, nil
	}
	v, err := f.verdict(c, request{role: "architect", prompt: architectPrompt, schema: verdictSchema, judge: true, task: f.architectText(), docs: f.look.Diff.List()}, [2]string{approve, reject})
	if err != nil {
		return v, err
	}
	for _, i := range v.Items { // of the plan's criteria: those of a design are measured
		said := func(reason string) bool { return i.Why != "" && strings.Contains(reason, i.Why) }
		if strings.HasPrefix(i.ID, "K-") && !i.Matches && !slices.ContainsFunc(v.Reasons, said) {
			v.Verdict = reject
			v.Reasons = append(v.Reasons, turn.Clip(i.ID+": "+i.Why, 600))
		}
	}
	f.judged = v
	f.log(v)
	flow.Note(c, "reviewed", step.PhaseNote{Phase: f.phase, Round: v.Round, Reviews: &v})
	return v, nil
}
