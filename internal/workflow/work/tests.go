package work

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// reproduced is the answer of an author of tests that come before their code.
type reproduced struct {
	Summary string `json:"summary"`
	Blocked string `json:"blocked"`
}

// testsFirst gets the tests of the task written and sees them fail, before anybody writes its code. Not ok: it could not be done, and the
// task has ended. What an earlier run has left has its tests.
func (b *builder) testsFirst(c *flow.Ctx) (ok bool, err error) {
	if _, left := b.w.in.Left[b.t.ID]; !b.w.in.TestsFirst || b.t.VerifyOnly || left {
		return true, nil
	}
	tree := b.base.Tree
	var back *turn.Sent
	why := notReproduced
	for n, c := range flow.Rounds(c, step.TestsPhase, buildRounds) {
		out, err := turn.Ask(c, step.Turn{
			Role: "reproduce", Module: b.t.ID, Attempt: n, Tree: tree, Base: b.base.Tree, Instructions: reproducePrompt, Docs: b.w.s.Docs, Task: b.testsText(back),
			Schema: reproduceSchema, Commands: b.commands(), Private: b.w.s.Private, Budget: b.w.in.Budget,
		})
		if err != nil {
			if turn.EndsRun(err) {
				return false, err
			}
			flow.Note(c, "judged", step.AttemptNote{Phase: step.TestsPhase, Attempt: n, Usage: b.res.Usage, Text: turn.Clip(flow.AsFailure(err).Error(), 300)})
			continue
		}
		b.res.TestTurns++
		b.res.Usage = b.res.Usage.Add(out.Usage)
		var ans reproduced
		if err := json.Unmarshal(out.Answer, &ans); err != nil {
			return false, flow.Failf(flow.Schema, "read the answer of an author of tests: %v", err)
		}
		proof, err := turn.Do(c, "prove", step.ProveTests, step.TaskIn{Private: b.w.s.Private, Base: b.base.Tree, Tree: out.Tree, Task: b.t, Request: b.w.in.Request})
		if err != nil {
			return false, err
		}
		b.res.Summary = oneLine(ans.Summary, 1000)
		b.judge(c, step.TestsPhase, n, proof.Passed, proof, nil)
		if proof.Passed {
			b.tests, b.onto, b.red, b.tree = out.Tree, b.base.Tree, proof.Failures, out.Tree
			for _, f := range proof.Files {
				b.extra = append(b.extra, task.File{Path: f.Path, Action: task.Modify, Description: cameFirst})
			}
			b.say(c, "BUILDER", "TESTS", fmt.Sprintf("%s: %d tests fail as the code is", b.t.ID, proof.Counts.Red))
			return true, nil
		}
		if ans.Blocked != "" { // another attempt would say so again
			why += ": " + oneLine(ans.Blocked, 400)
			break
		}
		back, tree = &turn.Sent{Findings: proof.Findings, Said: ans.Summary}, out.Tree
	}
	_, err = b.end(step.Warning, why)
	return false, err
}

// notReproduced is the end of a task for which nobody could write a test that fails.
const notReproduced = "not reproduced"

// freeze puts the tests that came first back as they were written.
func (b *builder) freeze(c *flow.Ctx, out *step.TurnOut) error {
	if b.tests == "" {
		return nil
	}
	held, err := turn.Do(c, "hold", step.Hold, step.HoldIn{Tree: out.Tree, Contract: b.tests, Base: b.onto})
	if err != nil {
		return err
	}
	out.Tree = held.Tree
	for _, path := range held.Changed {
		out.Findings = append(out.Findings, step.Finding{Rule: "frozen-test", Severity: step.Warn, Path: path, Message: "This file has the tests that came first. It was put back as their author wrote it."})
	}
	return nil
}

// testsText is the task as the author of its tests gets it.
func (b *builder) testsText(back *turn.Sent) string {
	var s strings.Builder
	t := b.t
	fmt.Fprintf(&s, "Work: %s: %s\nTask: %s: %s\nLanguage of what you return: %s\n", b.w.s.Work, b.w.plan.Requirement.Title, t.ID, t.Title, b.w.s.Language)
	if t.Type == "fix" {
		s.WriteString("It is a fix: your tests run on the code as it is, and fail at what they assert. Call only what is there.\n")
	} else {
		s.WriteString("What it adds may be missing still: your tests may call what the task says will be there.\n")
	}
	s.WriteString("What a person has asked for:\n" + turn.Fenced("request", b.w.in.Request))
	s.WriteString("What will be done about it, by somebody else:\n" + turn.Fenced("request", t.Scope))
	b.requirement(&s)
	b.w.decided(&s)
	turn.List(&s, turn.MayRun, b.commands())
	if back != nil {
		back.Again(&s)
	}
	return s.String()
}

// closed reports whether a file holds tests that came first.
func (b *builder) closed(path string) bool {
	return b.tests != "" && slices.ContainsFunc(b.extra, func(f task.File) bool { return f.Path == path && f.Description == cameFirst })
}

// cameFirst is what is said of files of tests that came before the code.
const cameFirst = "tests that came first"

// frozen tells the author of the code of the tests that came first.
func (b *builder) frozen(s *strings.Builder) {
	if b.tests == "" {
		return
	}
	var files []string
	for _, f := range b.extra {
		if b.closed(f.Path) {
			files = append(files, f.Path)
		}
	}
	fmt.Fprintf(s, "Another author has written tests for this task, in %s. They fail now; make them pass. These files are closed to you: where a text above asks for tests there, they count as written. "+
		"Add a test only for a behaviour that they miss, in a file of its own.\n", strings.Join(files, ", "))
	var lines []string
	for _, t := range b.red[:min(len(b.red), 10)] {
		lines = append(lines, t.ID+": "+turn.Clip(t.Message, 600))
	}
	turn.List(s, "How they fail", lines)
}
