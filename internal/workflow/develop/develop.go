// Package develop decides how a request becomes contracts, checkpoints that are built against them, and one reviewed
// commit: DESIGN, REVIEW, IMPLEMENT, MERGE. All limits are here.
//
// It is pure, like every decider: it asks for steps, judges their outcomes and notes what people want to know.
package develop

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// Workflow is `jacquard develop`.
var Workflow = flow.Workflow[step.DevelopIn, step.DevelopOut]{Name: "develop", Fn: run}

// Limits, as docs/internals/develop.md has them. Each is compared as used >= max before the act.
const (
	questionRounds = 2  // of questions about the request
	drafts         = 3  // of a design, or of its contracts, that code sends back
	redesigns      = 2  // after blocking findings of reviewers; then a person decides
	maxRejections  = 20 // of a design, or of the result, by a person
	iterations     = 3  // of a checkpoint; then a person decides
	fullRuns       = 3  // of all goals on the merged head; then a person decides
	reviewFixes    = 2  // after blocking findings in the code; then a person decides
	fixAttempts    = 2  // of one fix, until its proof holds
	panelists      = 3  // who propose and review side by side
	ciRuns         = 3  // of CI on the pull request; then a person decides
	polls          = 3000
)

// The reasons why a run ends, beside those of turn.Attempts.
const (
	passed        = "passed"
	needsDecision = "needs_decision"
	escalated     = "escalated"  // a checkpoint did not pass, and nobody was there to decide
	aborted       = "aborted"    // by a person
	ciFailed      = "ci_failed"  // CI of the pull request; it stays open
	ciTimeout     = "ci_timeout" // it does not end
)

// work is one request on its way; its fields are derived anew on every re-run.
type work struct {
	in     step.DevelopIn
	s      step.AutoSurveyOut
	exists map[string]bool

	name     string
	req      checkpoint.Requirement
	answers  []step.QA
	design   checkpoint.Design
	proposed []checkpoint.Proposal
	draft    string         // the first answer to the request, once questions were answered
	decided  []string       // what a person has said since, the newest last
	mended   []string       // what was found in the code and mended
	layout   []step.Doc     // of the merged tree, for those who read it
	contract string         // tree with the tests of all checkpoints
	left     []string       // test files of the design before
	support  []string       // files that come with them
	held     []step.HeldOut // calls that their author keeps from the authors of the code
	objected string         // what reviewers said last of a design that went back
	reply    string         // of the author of the last fix
	open     []string       // what he has left, with his reasons
	diff     step.Doc       // what the contracts have put there
	tree     string         // of the project with what was built
	head     step.HeadOut
	landed   bool
	changes  []step.Change
	reviewed string         // tree whose review is over
	asked    map[string]int // turns, by role
	phase    checkpoint.Phase
	out      step.DevelopOut
}

func run(c *flow.Ctx, in step.DevelopIn) (step.DevelopOut, error) {
	s, exists, err := turn.Survey(c, step.SurveyIn{Request: in.Request, Homes: []string{checkpoint.Home}, Language: in.Language, From: in.From, Onto: in.Onto})
	if err != nil {
		return step.DevelopOut{}, err
	}
	in.Panel = in.Panel[:min(len(in.Panel), panelists)]
	w := &work{in: in, s: s, tree: s.Tree, exists: exists, asked: map[string]int{}}
	w.out.Usage.Known = true
	end, err := w.phases(c)
	if err != nil {
		return w.out, err
	}
	w.out.End = end
	if end.Reason != passed && end.Phase == "" {
		w.out.End.Phase = string(w.phase)
	}
	return w.out, w.finish(c.Sub("end"))
}

// phases carries the request through; an end that is not "passed" says where it stopped.
func (w *work) phases(c *flow.Ctx) (step.End, error) {
	w.enter(c, checkpoint.DesignPhase)
	if end, err := w.requirement(c.Sub("requirement")); err != nil || end.Reason != "" {
		return end, err
	}
	if end, err := w.designs(c.Sub("design")); err != nil || end.Reason != "" {
		return end, err
	}
	why := "asked for"
	if w.out.Strategy = w.in.Strategy; w.out.Strategy == "" {
		w.out.Strategy, why = checkpoint.Strategy(w.design.Checkpoints)
	}
	flow.Note(c, "strategy", step.DevelopNote{Strategy: w.out.Strategy, Why: why})
	w.enter(c, checkpoint.Implement)
	if end, err := w.implement(c); err != nil || end.Reason != "" {
		return end, err
	}
	w.enter(c, checkpoint.Merge)
	if end, err := w.merge(c.Sub("merge"), true); err != nil || end.Reason != "" {
		return end, err
	}
	return step.End{Reason: passed}, nil
}

// enter begins a phase.
func (w *work) enter(c *flow.Ctx, phase checkpoint.Phase) {
	w.phase = phase
	w.out.Enter(c.Now().UnixMilli(), string(phase))
	flow.Note(c, "enter-"+strings.ToLower(string(phase)), step.DevelopNote{Phase: phase, Feature: w.name, Usage: w.out.Usage})
}

// finish ends the run: the design's document, the last commit, and what was verified as one commit on the user's branch.
func (w *work) finish(c *flow.Ctx) error {
	w.out.Feature, w.out.Title, w.out.Verified = w.name, w.req.Title, w.out.End.Reason == passed
	w.out.Files = w.changes[:min(len(w.changes), 100)]
	w.out.Enter(c.Now().UnixMilli(), string(w.phase))
	if len(w.design.Checkpoints) == 0 || !w.out.Verified && !w.landed { // there is nothing to keep
		return nil
	}
	w.out.Document = w.designPath()
	docs, err := turn.Do(c, "keep", step.AutoKeep, step.AutoKeepIn{Docs: []step.TextFile{{Path: w.out.Document, Text: string(w.document().Design(w.req, w.design))}}})
	if err != nil {
		return err
	}
	kind, title := "docs", "design of "+w.name
	if !w.out.Verified {
		kind, title = "wip", w.name+" is not finished: "+w.out.End.Reason
	}
	head, err := turn.Do(c, "commit", step.AutoCommit, step.AutoCommitIn{
		From: w.head.Commit, Base: w.head.Tree, Tree: w.tree, Feature: w.name, Type: kind, Title: title, Docs: docs.Docs,
	})
	if err != nil {
		return err
	}
	w.out.Commit = head.Commit
	if !w.out.Verified {
		w.out.Why = "it is not verified: " + w.out.End.Reason
		return nil
	}
	if head, err = turn.Do(c, "squash", step.Squash, step.SquashIn{Base: w.s.Onto.Commit, Head: head, Feature: w.name, Type: w.kind(), Title: w.req.Title, Lines: w.lines()}); err != nil {
		return err
	}
	w.out.Commit = head.Commit
	if w.in.Pull != nil {
		return w.publish(c.Sub("pull"), head)
	}
	if w.out.Delivered, err = turn.HandOver(c, nil, step.DeliverIn{How: w.in.Delivery, Base: w.s.Onto.Commit, On: w.s.Branch}, turn.Pull{}); err != nil {
		return err
	}
	if w.out.Why != "" { // it is not where the user looks for it
		w.out.Verified = false
		return nil
	}
	w.enter(c, checkpoint.Done)
	return nil
}

// kind is the type of the commit.
func (w *work) kind() string { return task.TypeOf(w.req.Type) }

// lines are the body of the commit: the checkpoints.
func (w *work) lines() []string {
	return step.Each(w.out.Checkpoints, func(r step.CheckpointResult) string {
		text := r.ID + ": " + r.Title
		if r.Status != step.Success {
			text += " (not part of it: " + r.Reason + ")"
		}
		return text
	})
}

// document is the design as those who work with it read it.
func (w *work) document() checkpoint.Document {
	return checkpoint.Document{Feature: w.name, Korean: w.s.Language == "ko", Decided: w.decided}
}

// designPath is where the document of the design is.
func (w *work) designPath() string { return path.Join(w.s.Documents, checkpoint.DesignPath(w.name)) }

// say is a text for people, in the language of the documents.
func (w *work) say(korean, english string) string {
	return turn.Say(w.s.Language, korean, english)
}

// request is one turn of a role.
type request struct {
	role   string
	prompt string
	schema []byte
	task   string
	tree   string
	writes bool
	seat   string // agent and model; "" = by its role
	docs   []step.Doc
}

// ask asks a role; to is what its answer is read into, nil where the caller does that.
func (w *work) ask(c *flow.Ctx, r request, to any) (step.TurnOut, error) {
	w.asked[r.role]++
	t := w.turn(r)
	t.Attempt = w.asked[r.role]
	out, err := turn.Ask(c.Sub("as").Sub(r.role), t)
	if err != nil {
		return out, err
	}
	if w.out.Spend(step.Turned(r.role, out)); to == nil {
		return out, nil
	}
	return out, turn.Decode(out.Answer, to)
}

// turn is the turn of a role.
func (w *work) turn(r request) step.Turn {
	docs := w.s.Docs
	if w.layout != nil {
		docs = w.layout
	}
	t := step.Turn{
		Role: r.role, Module: w.name, Tree: r.tree, Instructions: r.prompt, Docs: slices.Concat(docs, r.docs), Task: r.task, Schema: r.schema, Judge: !r.writes,
		Budget: w.in.Budget, Model: r.seat,
	}
	if t.Tree == "" {
		t.Tree = w.tree
	}
	if t.Module == "" {
		t.Module = "develop"
	}
	if r.writes {
		t.Base = w.s.Tree
		t.Commands, t.Private = w.allowed(), w.s.Private
	}
	return t
}

// allowed are the command lines that an author may run: those of the toolchains, and those that have to succeed.
func (w *work) allowed() []string {
	return turn.Allowed(w.s.Commands, w.validations())
}

// validations are the commands of all checkpoints.
func (w *work) validations() []string {
	return step.Each(w.design.Checkpoints, func(k checkpoint.Checkpoint) string { return k.Validation })
}

// decide asks a person whether an objection stops the run. Where nobody is asked it does.
func (w *work) decide(c *flow.Ctx, objection string) (goOn bool, err error) {
	if w.in.Yes {
		return false, nil
	}
	what, _, err := turn.Gate(c, "decide", turn.Clip(objection, 6000))
	if err != nil || what != flow.Approve {
		return false, err
	}
	w.out.Accepted = append(w.out.Accepted, turn.Clip(objection, 1000))
	return true, nil
}

// agreed asks a person whether what was made is what he wants; why is what he wants to be different.
func (w *work) agreed(c *flow.Ctx, text string) (ok bool, why string, err error) {
	if w.in.Yes {
		return true, "", nil
	}
	what, said, err := turn.Gate(c, "agree", turn.Clip(text, 12_000))
	if err != nil || what == flow.Approve {
		return err == nil, "", err
	}
	return false, turn.Line(said, 4000), nil
}
