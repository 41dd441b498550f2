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

// builds gets the feature implemented and proved. LIGHT has two attempts, then it is promoted and gets a design.
func (f *feature) builds(c *flow.Ctx) (step.End, error) {
	limit := attempts
	if f.out.Mode == pdca.Light {
		limit = lightAttempts
	}
	var end step.End
	var back turn.Sent
	var done bool
	var err error
	if f.out.Mode == pdca.Heavy && len(f.design.Parts) > 1 {
		if end, err = f.inParts(c); err != nil || end.Reason != "" {
			return end, err
		}
		back, done, err = f.prove(c.Sub("whole"), 0, true, step.TurnOut{}, turn.Built{})
	} else if f.in.Left != nil {
		back, done, end, err = f.restart(c.Sub("left"))
	}
	if err == nil && end.Reason != "" {
		return end, nil
	}
	if err == nil && !done {
		end, err = f.implement(c.Sub("first"), limit, back)
	}
	if err == nil && end.Reason != "" && end.Reason != turn.Blocked && !f.given && f.out.Mode == pdca.Light && f.promote(c, fmt.Sprintf("%d attempts have failed", lightAttempts)) {
		if end, err = f.designs(c.Sub("design")); err == nil && end.Reason == "" {
			end, err = f.implement(c.Sub("again"), attempts, f.back)
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
		small := f.out.Mode == pdca.Light
		if f.promote(c.Sub("diff"), fmt.Sprintf("%d files have changed", n)) && small { // what comes next looks for a design
			if end, err := f.designs(c.Sub("backfill")); err != nil || end.Reason != "" {
				return end, err
			}
		}
	}
	return f.agreed(c, phaseDo)
}

// restart goes on with what the last run of the same request has left. It is proved before anybody is paid: what was in its
// way may be mended.
func (f *feature) restart(c *flow.Ctx) (back turn.Sent, done bool, end step.End, err error) {
	out, err := turn.Do(c, "restart", step.Restart, step.RestartIn{Left: *f.in.Left, Head: f.s.Tree})
	if err != nil || out.Tree == f.s.Tree {
		return back, false, end, err
	}
	var ans turn.Built
	if err := turn.Decode(f.in.Left.Answer, &ans); err != nil {
		ans = turn.Built{Summary: f.in.Left.Said}
	}
	f.tree = out.Tree
	was := step.TurnOut{Answer: f.in.Left.Answer}
	if back, done, err = f.prove(c, 0, true, was, ans); done || err != nil || strings.TrimSpace(ans.Blocked) == "" {
		return back, done, end, err
	}
	what, hint, err := f.stuck(c, f.name, turn.Blocked, back, true)
	switch {
	case err != nil || what == turn.Abort:
		f.out.Open = []string{back.Brief()}
		return back, false, step.End{Reason: turn.Blocked, Detail: back.Brief()}, err
	case hint != "":
		f.hints = append(f.hints, hint)
	default:
		back, done, err = f.prove(c.Sub("again"), 0, true, was, ans)
	}
	return back, done, end, err
}

// larger reports whether what has really changed scores higher than the mode.
func (f *feature) larger() bool {
	var files []task.File
	for _, ch := range f.look.Files {
		files = append(files, task.File{Path: ch.Path})
	}
	again := pdca.Rate(pdca.Estimate{Files: files}, f.in.Request, f.in.Heavy, f.s.Roots)
	return again.Mode.Above(f.out.Mode)
}

// implement lets an author work until the proof holds, or a limit ends it; back is what was found in what is there. The
// conditions are those of ruling 35.
func (f *feature) implement(c *flow.Ctx, most int, back turn.Sent) (step.End, error) {
	var failed pdca.Cycles
	seen := map[string]bool{}
	end := step.End{Reason: limit}
	for n, c := range flow.Rounds(c, "try", most) {
		end.N = n
		f.out.Attempts++
		var ans turn.Built
		before := f.tree
		out, err := f.turn(c, request{role: "implement", prompt: implementPrompt, schema: builtSchema, task: f.buildText(back)}, &ans)
		if err != nil {
			if turn.EndsRun(err) {
				return step.End{}, err
			}
			flow.Note(c, "judged", step.AttemptNote{Phase: phaseDo, Attempt: n, Usage: f.out.Usage, Text: turn.Clip(flow.AsFailure(err).Error(), 300)})
			end.Detail = string(flow.AsFailure(err).Class)
			continue
		}
		f.tree = out.Tree
		var ok bool
		if back, ok, err = f.prove(c, n, n < most, out, ans); err != nil || ok {
			return step.End{}, err
		}
		ids := back.Signatures()
		if back.Soft && len(failed) > 0 && slices.Equal(ids, failed[len(failed)-1]) { // the author has seen it, and lets it be
			f.accept(back.Findings)
			return step.End{}, nil
		}
		end.Detail = back.Brief()
		f.out.Open = []string{end.Detail}
		failed = append(failed, ids)
		stop := step.End{N: n, Detail: end.Detail}
		switch times, _ := failed.Repeated(); {
		case strings.TrimSpace(ans.Blocked) != "":
			stop.Reason = turn.Blocked
		case out.Tree == before && n > 1:
			stop.Reason = turn.NoProgress
		case seen[out.Tree]:
			stop.Reason = oscillation
		case times >= sameFailures && n < most:
			stop.Reason, stop.N = sameFailure, times
		}
		if seen[out.Tree] = true; stop.Reason == "" {
			continue
		}
		what, hint, err := f.stuck(c, f.name, stop.Reason, back, n < most)
		f.given = what == turn.Abort && n < most && !f.in.Yes
		if err != nil || what == turn.Abort {
			return stop, err
		}
		failed = nil
		if hint != "" {
			f.hints = append(f.hints, hint)
		} else if back, ok, err = f.prove(c.Sub("again"), n, n < most, out, ans); err != nil || ok {
			return step.End{}, err
		}
	}
	return end, nil
}

// stuck asks a person about an attempt that another one would not make better. Where nobody is there, or no attempt is left, it
// ends.
func (f *feature) stuck(c *flow.Ctx, name, why string, back turn.Sent, more bool) (what, hint string, err error) {
	if f.in.Yes || !more {
		return turn.Abort, "", nil
	}
	say := func(korean, english string) string { return turn.Say(f.s.Language, korean, english) }
	return turn.Escalate(c, back.Question(say, fmt.Sprintf(say("%s: 통과하지 못함 (%s). 다음 시도도 같을 것입니다. 검사 결과:", "%s does not pass (%s), and another attempt would end in the same way. What was found:"), name, why)), turn.Answers(say), false)
}

// prove proves the present tree against the one that the work began with: audit, build, tests (new ones fail without the
// work), linter, the plan's commands, and what the checklist names. more says that the author has another attempt: then
// what is only to be fixed goes back to him.
func (f *feature) prove(c *flow.Ctx, n int, more bool, out step.TurnOut, ans turn.Built) (turn.Sent, bool, error) {
	in := step.TaskIn{Private: f.s.Private, Base: f.s.Tree, Tree: f.tree, Task: step.Owned(f.owned(), f.name, f.commands()), Request: f.in.Request, Coverage: true}
	in.Task.HeldOut = f.held
	for _, p := range f.guided {
		in.More = append(in.More, task.File{Path: p, Action: task.Modify})
	}
	in = ans.Proof(in)
	proof, spent, err := turn.Prove(c, &in, f.recheck)
	f.held = in.Task.HeldOut
	f.out.Spend(spent)
	if err != nil {
		return turn.Sent{}, false, err
	}
	all := slices.Concat(out.Findings, proof.Findings)
	if f.look, err = f.looked(c); err != nil {
		return turn.Sent{}, false, err
	}
	if f.design != nil {
		all = append(all, turn.Missing("design's checklist", f.design.Checklist, f.look.Found)...)
	}
	all = append(all, f.untouched()...)
	back := turn.Sent{Findings: all, Failures: proof.Failures, Said: ans.Words()}
	back.Soft = proof.Passed && !back.Has(step.Rejects)
	f.back = back
	ok := proof.Passed && back.Good(!more)
	f.out.Tests = proof.Counts
	if ok {
		f.accept(all)
	}
	flow.Note(c, "judged", step.AttemptNote{
		Phase: f.phase, Attempt: n, Passed: ok, Counts: proof.Counts, Findings: turn.Short(all), Failures: proof.Failures, Usage: f.out.Usage, Summary: turn.Clip(ans.Summary, 1000),
		Left: turn.Left(ok, f.s.Tree, f.tree, back.Said, out.Answer),
	})
	return back, ok, nil
}

// recheck is the turn of who works out again held-out calls.
func (f *feature) recheck() step.Turn {
	return step.Turn{Module: f.name, Tree: f.s.Tree, Docs: slices.Concat(f.s.Docs, f.in.Context), Task: f.goal().String(), Private: f.s.Private, Budget: f.in.Budget, Model: f.tier("recheck")}
}

// accept takes an attempt: what should be better is a warning of the report.
func (f *feature) accept(list []step.Finding) {
	f.out.Open = nil
	for _, x := range list {
		if text := fmt.Sprintf("[%s] %s %s", x.Rule, x.Path, turn.Clip(x.Message, 200)); x.Severity == step.Fix && !slices.Contains(f.out.Warnings, text) {
			f.out.Warnings = append(f.out.Warnings, text)
		}
	}
}

// untouched are files of the plan that should be changed and were not.
func (f *feature) untouched() []step.Finding {
	var out []step.Finding
	for _, x := range f.plan.Files {
		if !slices.ContainsFunc(f.look.Files, func(ch step.Change) bool { return ch.Path == x.Path }) {
			out = append(out, step.Finding{Rule: "planned-file", Severity: step.Fix, Path: x.Path, Message: "The plan says that this file changes, and it has not. Do what is planned there, or say in `summary` why there is nothing to do."})
		}
	}
	return out
}

func (f *feature) looked(c *flow.Ctx) (step.AutoLookOut, error) {
	in := step.AutoLookIn{Base: f.s.Tree, Tree: f.tree}
	if f.design != nil {
		in.Checklist = f.design.Checklist
	}
	return turn.Do(c, "look", step.AutoLook, in)
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
	var back turn.Sent
	start := f.tree
	f.guided = append(f.guided, f.named(x.guide+"\n"+strings.Join(x.why, "\n"))...)
	for n, c := range flow.Rounds(c, "fix", fixAttempts) {
		var ans turn.Built
		out, err := f.turn(c, request{role: fixers[x.domain], prompt: implementPrompt, schema: builtSchema, task: f.fixText(x, back)}, &ans)
		if err != nil {
			if turn.EndsRun(err) {
				return false, err
			}
			continue
		}
		f.reply = turn.Clip(pdca.Line(ans.Summary), 600)
		if out.Tree == f.tree { // nothing was done; why, the author says
			flow.Note(c, "judged", step.AttemptNote{Phase: f.phase, Attempt: n, Usage: f.out.Usage, Text: "nothing was changed: " + f.reply})
			if f.tree == start {
				break
			}
			continue
		}
		f.tree = out.Tree
		var ok bool
		if back, ok, err = f.prove(c, n, n < fixAttempts, out, ans); err != nil {
			return false, err
		}
		if ok && f.tree != start {
			return true, nil
		}
	}
	f.tree = start
	return false, nil
}

// said is what the author of the last fix has answered, for a person who decides.
func (f *feature) said() string {
	if f.reply == "" {
		return ""
	}
	return "\nThe author says: " + f.reply
}

// fixers are the roles that write, by the domain that a judge names (A8). Who reviews security cannot write: an executor
// gets the guide (A20, row 8).
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

// gate is the architect's: two rejections, then a person decides (A20, row 4).
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
			ok, err := f.decide(c, fmt.Sprintf("The architect has rejected %s %d times:\n%s", f.name, n, text))
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
	v, err := f.verdict(c, request{role: "architect", prompt: architectPrompt, schema: verdictSchema, judge: true, task: f.architectText(), docs: f.diff()}, [2]string{approve, reject})
	if err != nil {
		return v, err
	}
	for _, i := range v.Items { // of the plan's criteria: those of a design are measured
		if strings.HasPrefix(i.ID, "K-") && !i.Matches && v.Verdict == approve {
			v.Verdict = reject
			v.Reasons = append(v.Reasons, turn.Clip(i.ID+": "+i.Why, 600))
		}
	}
	f.judged = v
	f.log(v)
	flow.Note(c, "reviewed", step.PhaseNote{Phase: f.phase, Round: v.Round, Reviews: &v})
	return v, nil
}

// diff is what has changed, for those who judge.
func (f *feature) diff() []step.Doc {
	if f.look.Diff.Blob.IsZero() {
		return nil
	}
	return []step.Doc{f.look.Diff}
}
