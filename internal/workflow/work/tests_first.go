package work

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// testsFirst gets the tests of the task written and sees them fail, before anybody writes its code, who begins with the tree that it
// returns. "" is none: it could not be done, and the task has ended. What an earlier run has left has its tests.
func (b *builder) testsFirst(c *flow.Ctx) (tree string, err error) {
	left, ok := b.w.in.Left[b.t.ID]
	if ok && left.Tests != nil {
		b.cameFirst(left.Tests)
	}
	if !b.w.in.TestsFirst || b.t.VerifyOnly || ok {
		return b.base.Tree, nil
	}
	res, err := turn.Attempts[turn.Built]{
		Key: step.TestsPhase, Phase: step.TestsPhase, Limit: buildRounds, Tree: b.base.Tree, Usage: &b.res.Usage,
		Write: func(c *flow.Ctx, a *turn.Attempt[turn.Built]) (step.TurnOut, error) {
			out, err := b.author(c, step.Turn{Role: "reproduce", Attempt: a.N, Tree: a.Before, Instructions: reproducePrompt, Task: b.testsText(a.Back), Schema: reproduceSchema})
			if err == nil {
				b.res.Others++
			}
			return out, err
		},
		Prove: func(c *flow.Ctx, a *turn.Attempt[turn.Built]) error {
			proof, err := turn.Do(c, "prove", step.ProveTests, step.TaskIn{Private: b.w.s.Private, Base: b.base.Tree, Tree: a.Tree, Task: b.t, Request: b.w.in.Request})
			a.Judge(proof)
			a.Sent.Failures = nil // that they fail is what is wanted
			b.res.Summary = turn.Line(a.Answer.Summary, 1000)
			b.res.Findings, b.res.Failures, b.res.Tests = turn.Short(a.Sent.Findings), proof.Failures, proof.Counts
			return err
		},
	}.Run(c)
	if err != nil {
		return "", err
	}
	if res.End.Reason != "" {
		why := step.NotReproduced
		if res.End.Reason == turn.Blocked { // another attempt would say so again
			why += ": " + turn.Line(res.Last.Answer.Blocked, 400)
		}
		_, err = b.end(step.Warning, why)
		return "", err
	}
	proof := res.Last.Proof
	b.red = proof.Failures
	b.cameFirst(&step.TestsFirst{Base: b.base.Tree, Tree: res.Tree, Files: step.Each(proof.Files, func(f step.Change) string { return f.Path }), Says: turn.Line(res.Last.Answer.Summary, 1000)})
	b.say(c, "BUILDER", "TESTS", fmt.Sprintf("%s: %d tests fail with the current code", b.t.ID, proof.Counts.Red))
	return res.Tree, nil
}

// cameFirst takes tests for ones that nobody may change.
func (b *builder) cameFirst(tests *step.TestsFirst) {
	b.tests = tests
	b.extra = step.Each(tests.Files, func(file string) task.File {
		return task.File{Path: file, Action: task.Modify, Description: step.CameFirst}
	})
}

// freeze puts the tests that came first back as they were written.
func (b *builder) freeze(c *flow.Ctx, out *step.TurnOut) error {
	if b.tests == nil {
		return nil
	}
	return turn.Hold(c, out, step.HoldIn{Contract: b.tests.Tree, Base: b.tests.Base}, step.Finding{
		Rule: "frozen-test", Severity: step.Warn, Message: "This file has the tests that were written first. Your change to it was undone.",
	})
}

// testsText is the task as the author of its tests gets it.
func (b *builder) testsText(back *turn.Sent) string {
	var s strings.Builder
	t := b.t
	fmt.Fprintf(&s, "Work: %s: %s\nTask: %s: %s\nLanguage of your answer: %s\n", b.w.s.Work, b.w.plan.Requirement.Title, t.ID, t.Title, b.w.s.Language)
	if t.Type == "fix" {
		s.WriteString("This is a fix: your tests run on the current code and fail at their assertions. Call only what exists.\n")
	} else {
		s.WriteString("What the task adds may not exist yet: your tests may call what it says will be there.\n")
	}
	s.WriteString("The request of a person:\n" + turn.Fenced("request", b.w.in.Request))
	s.WriteString("What somebody else will do about it:\n" + turn.Fenced("request", t.Scope))
	b.requirement(&s)
	b.w.decided(&s)
	turn.List(&s, turn.MayRun, b.commands())
	back.Again(&s)
	return s.String()
}

// closed reports whether a file holds tests that came first.
func (b *builder) closed(path string) bool {
	return slices.Contains(task.Paths(b.extra), path)
}

// frozen tells the author of the code of the tests that came first.
func (b *builder) frozen(s *strings.Builder) {
	if b.tests == nil {
		return
	}
	fmt.Fprintf(s, "Another author wrote the tests for this task, in %s. They fail without your work; make them pass. You cannot change these files: if a text above asks for tests in them, these count as written. "+
		"Add a test only for behavior they miss, in a new file.\n", strings.Join(task.Paths(b.extra), ", "))
	if b.tests.Says != "" {
		s.WriteString("What that author says:\n" + turn.Fenced("answer", b.tests.Says))
	}
	turn.List(s, "How they fail", step.Each(b.red[:min(len(b.red), 10)], func(t step.TestResult) string { return t.ID + ": " + turn.Clip(t.Message, 600) }))
}
