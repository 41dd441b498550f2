package develop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// merge checks what the checkpoints are together: all goals of quality on the merged head, a review of the code, and a
// person who agrees, where asked for. Each change after one of them goes through all of them again.
func (w *work) merge(c *flow.Ctx, ask bool) (step.End, error) {
	returned, rejected := 0, 0
	for _, c := range flow.Rounds(c, "pass", 1+reviewFixes+maxRejections) {
		var err error
		if w.layout, err = turn.Docs(c, w.s.ProjectFacts, w.tree, w.in.Request); err != nil {
			return step.End{}, err
		}
		if end, err := w.goals(c.Sub("goals")); err != nil || end.Reason != "" {
			return end, err
		}
		if w.reviewed != w.tree { // a verdict is of one tree
			list, err := w.codeReview(c.Sub("review"))
			if err != nil {
				return step.End{}, err
			}
			if len(list) > 0 && returned < reviewFixes {
				returned++
				ok, err := w.fix(c.Sub("fix"), fixing{why: texts(list)})
				if err != nil {
					return step.End{}, err
				}
				if ok && (len(w.open) == 0 || w.in.Yes) {
					w.mended = append(w.mended, texts(list)...)
					continue
				}
				if ok { // some of it the author holds to be wrong
					goOn, err := w.decide(c.Sub("left"), fmt.Sprintf(w.say("에이전트가 고치지 않은 지적입니다. 그대로 둘까요?\n%s", "The agent did not fix these findings and gives a reason. Accept them as they are?\n%s"), strings.Join(w.open, "\n")))
					if err != nil || !goOn {
						w.out.Open = w.open
						return step.End{Reason: needsDecision, N: w.out.Rounds.CodeReview, Detail: turn.Clip(strings.Join(w.open, "; "), 500)}, err
					}
					w.stays(strings.Join(w.open, "; "))
					continue
				}
			}
			if len(list) > 0 {
				text := issueText(list)
				if w.reply != "" {
					text += fmt.Sprintf(w.say("에이전트: %s\n", "The agent says: %s\n"), w.reply)
				}
				ok, err := w.decide(c, fmt.Sprintf(w.say("%s 코드에서 리뷰어가 Blocking 문제를 발견했습니다:\n%s", "Reviewers found blocking issues in the code of %s:\n%s"), w.name, text))
				if err != nil || !ok {
					w.out.Open = texts(list)
					return step.End{Reason: needsDecision, N: w.out.Rounds.CodeReview, Detail: turn.Line(text, 500)}, err
				}
				w.stays(issueText(list))
			}
			w.reviewed = w.tree
		}
		if !ask {
			return step.End{}, nil
		}
		ok, why, err := w.agreed(c, w.summary())
		if err != nil || ok {
			return step.End{}, err
		}
		if rejected++; rejected >= maxRejections || why == "" {
			return step.End{Reason: needsDecision, N: rejected, Detail: "a person rejected the result"}, nil
		}
		w.decided = append(w.decided, why)
		if ok, err = w.fix(c.Sub("change"), fixing{why: []string{"A person: " + why}}); err != nil {
			return step.End{}, err
		}
		if !ok {
			w.out.Warnings = append(w.out.Warnings, "a requested change could not be made: "+turn.Clip(why, 300))
		}
	}
	return step.End{Reason: turn.Limit, N: maxRejections}, nil
}

// stays notes what a person has decided to leave as it is, for those who judge after him.
func (w *work) stays(objection string) {
	w.decided = append(w.decided, "Accepted although a reviewer said: "+turn.Line(objection, 1000))
}

// codeReview lets the panel review the merged tree.
func (w *work) codeReview(c *flow.Ctx) ([]step.Issue, error) {
	look, err := turn.Do(c, "look", step.AutoLook, step.AutoLookIn{Base: w.s.Onto.Tree, Tree: w.tree})
	if err != nil {
		return nil, err
	}
	w.changes, w.diff = look.Files, look.Diff
	w.out.Rounds.CodeReview++
	return w.review(c, "code")
}

// goals runs all goals of quality on the merged tree until they are reached: three times, each time with a diagnosis and a
// fix in between; then a person decides.
func (w *work) goals(c *flow.Ctx) (step.End, error) {
	var hint string
	for n, c := range flow.Rounds(c, "asked", 1+turn.MaxHints) {
		end, err := w.goalRuns(c, hint)
		if err != nil || end.Reason == "" || w.in.Yes {
			return end, err
		}
		text := fmt.Sprintf(w.say("전체 검사 실패, 실행 %d회 (%s):\n%s", "The checks of the whole project fail after %d runs (%s):\n%s"), end.N, end.Reason, strings.Join(w.out.Open, "\n"))
		what, said, err := turn.Escalate(c, text, w.say("답: retry, abort, 또는 다음 시도를 위한 힌트.", "Answer: retry, abort, or a hint for the next attempts."), false)
		if err != nil {
			return step.End{}, err
		}
		if what == turn.Abort || n > turn.MaxHints {
			return step.End{Reason: aborted, Detail: end.Detail}, nil
		}
		hint = said
	}
	return step.End{Reason: turn.Limit, N: turn.MaxHints}, nil
}

func (w *work) goalRuns(c *flow.Ctx, hint string) (step.End, error) {
	for n, c := range flow.Rounds(c, "run", fullRuns) {
		out, err := turn.Do(c, "goals", step.AutoQA, step.AutoQAIn{Private: w.s.Private, Base: w.s.Onto.Tree, Tree: w.tree})
		if err != nil {
			return step.End{}, err
		}
		w.out.Rounds.FullTests++
		w.out.Goals = out.Goals
		flow.Note(c, "goals", step.DevelopNote{Goals: out.Goals, Round: w.out.Rounds.FullTests, Usage: w.out.Usage})
		if w.out.Open, _ = turn.Failing(out.Goals); len(w.out.Open) == 0 {
			return step.End{}, nil
		}
		detail := turn.Clip(strings.Join(w.out.Open, "; "), 500)
		if n >= fullRuns {
			return step.End{Reason: turn.Limit, N: n, Detail: detail}, nil
		}
		var ans diagnosis
		if _, err := w.ask(c, request{role: "oracle", prompt: oraclePrompt, schema: diagnosisSchema, task: w.diagnoseText(out.Goals)}, &ans); err != nil {
			return step.End{}, err
		}
		ok, err := w.fix(c, fixing{why: w.out.Open, hint: hint, guide: ans.text(), goals: out.Goals})
		if err != nil {
			return step.End{}, err
		}
		if !ok { // the same tree again could pass only as a flake
			return step.End{Reason: turn.NoProgress, N: n, Detail: detail}, nil
		}
	}
	return step.End{Reason: turn.Limit, N: fullRuns}, nil
}

// fixing is what one fix is for.
type fixing struct {
	why   []string
	guide string
	goals []step.Goal
	ci    string // what checks of the forge say
	hint  string // of a person
}

// names are the texts that may name files to be changed. What a forge prints names everything, its own configuration before
// all; of it only files that are none count.
func (x fixing) names() (all, code string) {
	if x.ci == "" {
		return strings.Join(x.why, "\n") + "\n" + x.hint, ""
	}
	return x.hint, strings.Join(x.why, "\n") + "\n" + x.ci
}

// fix lets an author mend what was found in the merged tree, and takes the result only when its proof holds. False: the
// tree is as it was.
func (w *work) fix(c *flow.Ctx, x fixing) (bool, error) {
	start := w.tree
	w.out.Rounds.Fixes++
	res, err := turn.Attempts[fixed]{
		Key: "fix", Phase: "fix", Limit: fixAttempts, MustChange: true, Listed: true, Tree: start, Usage: &w.out.Usage,
		Write: func(c *flow.Ctx, a *turn.Attempt[fixed]) (step.TurnOut, error) {
			out, err := w.ask(c, request{role: "fix", prompt: fixPrompt, schema: fixSchema, task: w.fixText(x, a.Back), tree: a.Before, writes: true}, nil)
			if err != nil {
				return out, err
			}
			others := w.testFiles(func(id string) bool { return !w.passed(id) })
			err = w.undo(c, &out, w.contract, others, step.Finding{Severity: step.Warn, Message: "This test is part of the contract; a change to it was undone."})
			return out, err
		},
		Prove: func(c *flow.Ctx, a *turn.Attempt[fixed]) error {
			in := a.Answer.Proof(step.TaskIn{Private: w.s.Private, Base: start, Tree: a.Tree, Task: w.whole(x), Request: w.in.Request, Coverage: true})
			in.Task.HeldOut = w.held
			proof, spent, err := turn.Prove(c, &in, func() step.Turn { return w.recheck("", w.s.Tree) })
			w.held = in.Task.HeldOut
			w.out.Spend(spent...)
			a.Judge(proof)
			return err
		},
	}.Run(c)
	w.reply, w.open = turn.Line(res.Last.Answer.Summary, 600), res.Last.Answer.open()
	if err != nil || res.End.Reason != "" {
		return false, err
	}
	w.tree = res.Tree
	return true, nil
}

// passed reports whether a checkpoint is part of what was built.
func (w *work) passed(id string) bool {
	return slices.ContainsFunc(w.out.Checkpoints, func(r step.CheckpointResult) bool { return r.ID == id && r.Status == step.Success })
}

// whole is all that was built as one task: what a fix may touch, and the files that its reasons name.
func (w *work) whole(x fixing) task.Task {
	t := step.Owned(nil, w.name, nil)
	all, code := x.names()
	for _, p := range slices.Sorted(maps.Keys(w.exists)) { // who names a file may have it changed
		if strings.Contains(all, p) || strings.Contains(code, p) && !checkpoint.Configures(p) {
			t.Files = append(t.Files, task.File{Path: p, Action: task.Modify})
		}
	}
	for _, k := range w.design.Checkpoints {
		if w.passed(k.ID) {
			t.Verify = append(t.Verify, k.Validation)
			t.Files = append(t.Files, k.Files...)
		}
	}
	for _, p := range slices.Concat(w.testFiles(w.passed), w.support) {
		t.Files = append(t.Files, task.File{Path: p, Action: task.Create})
	}
	for _, ch := range w.changes { // what the authors had to touch besides
		t.Files = append(t.Files, task.File{Path: ch.Path, Action: task.Modify})
	}
	return t
}

// summary is what a person reads before the result becomes a commit.
func (w *work) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, w.say("%s (%s) 구현과 리뷰가 끝났습니다. 커밋 하나로 만들까요? 거절하면 그 이유와 함께 에이전트에게 되돌아갑니다.\n\n", "%s (%s) is built and reviewed. Commit it? If you reject it, it goes back to an agent with your reason.\n\n"), w.req.Title, w.name)
	for _, r := range w.out.Checkpoints {
		fmt.Fprintf(&b, "- %s\n", pdca.Line(fmt.Sprintf("%s %s: %s %s", r.ID, r.Title, r.Status, r.Reason)))
	}
	for _, g := range w.out.Goals {
		fmt.Fprintf(&b, "- %s: %s\n", g.Goal, g.Status)
	}
	for _, ch := range w.changes[:min(len(w.changes), 100)] {
		fmt.Fprintf(&b, "%s %s\n", ch.Status, ch.Path)
	}
	fmt.Fprintf(&b, "A %s\n", w.designPath())
	fmt.Fprintf(&b, w.say("\n전체 변경: git diff HEAD %s\n", "\nFull diff: git diff HEAD %s\n"), w.tree)
	turn.List(&b, w.say("\n무시하기로 한 이의", "\nOverruled"), w.out.Accepted)
	turn.List(&b, w.say("\n경고", "\nWarnings"), w.out.Warnings)
	return b.String()
}
