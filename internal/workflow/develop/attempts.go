package develop

import (
	"slices"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// attempts let an author work on the checkpoint until it has landed, three times at most. It returns the class of the failure
// that is left, "" for none.
func (b *builder) attempts(c *flow.Ctx) (class string, err error) {
	if b.res.Rounds == 1 {
		err = b.start(c)
	} else { // what there is goes on
		b.tree, err = b.hold(c, "begin", b.tree)
	}
	if err != nil {
		return "", err
	}
	res, err := turn.Attempts[turn.Built]{
		Key: "try", Phase: "checkpoint", Limit: iterations, Listed: true, Base: b.begun, Tree: b.tree, Back: b.back, Usage: &b.res.Usage,
		Write: b.write, Prove: b.prove, Land: b.lands,
	}.Run(c)
	if err != nil || res.End.Reason == "" {
		return "", err
	}
	b.tree, b.back = res.Tree, res.Back
	switch {
	case slices.Contains(immediate, res.End.Reason):
		return res.End.Reason, nil
	case res.Failed != "":
		return failed, nil
	case b.back.Merged:
		return mergeConflict, nil
	}
	return classOf(*b.back), nil
}

// write asks the author of the checkpoint, and puts the tests of the contract back as they are there.
func (b *builder) write(c *flow.Ctx, a *turn.Attempt[turn.Built]) (step.TurnOut, error) {
	b.res.Iteration, b.tree, b.back = a.N, a.Before, a.Back
	b.progress(c, checkpoint.InProgress)
	if a.Last && a.N > 1 && a.Back != nil {
		if err := b.oracle(c); err != nil {
			return step.TurnOut{}, err
		}
	}
	b.res.Attempts++
	t := b.w.turn(request{role: "implement", prompt: implementPrompt, schema: builtSchema, task: b.text(), tree: a.Before, writes: true})
	t.Module, t.Attempt, t.Base = b.w.name+"/"+b.k.ID, b.res.Attempts, a.Base
	var err error
	if t.Docs, err = turn.Docs(c, b.w.s.ProjectFacts, b.base.Tree, b.w.in.Request); err != nil {
		return step.TurnOut{}, err
	}
	out, err := turn.Ask(c.Sub("as").Sub("implement"), t)
	if err != nil {
		return out, err
	}
	b.spend(step.Turned("implement", out))
	err = b.w.undo(c, &out, b.contract, b.others(), step.Finding{Severity: step.Fix, Message: "This test is part of the contract. Your change to it was undone; make the code pass it. If the test is wrong, leave it, and say so in `blocked` and `summary`."})
	return out, err
}

// prove proves what an author has left. What he cannot mend by trying again is not proved: a person is asked at once.
func (b *builder) prove(c *flow.Ctx, a *turn.Attempt[turn.Built]) error {
	if b.res.Summary = turn.Clip(a.Answer.Summary, 1000); slices.Contains(immediate, a.Answer.Blocked) {
		a.Stop = a.Answer.Blocked
		a.Judge(step.TaskProof{Findings: []step.Finding{{Rule: a.Answer.Blocked, Severity: step.Rejects, Message: turn.Clip(a.Answer.Summary, 600)}}})
		return nil
	}
	in := b.proofIn(a.Tree, a.Answer)
	proof, err := b.proved(c, &in)
	a.Judge(proof)
	b.res.Tests, b.res.Findings = proof.Counts, turn.Short(a.Sent.Findings)
	return err
}

// lands lands an attempt that has passed. Who goes on after a conflict finds the tests of the contract in the merged tree.
func (b *builder) lands(c *flow.Ctx, a *turn.Attempt[turn.Built]) (step.LandTaskOut, error) {
	land, err := b.land(c, b.proofIn(a.Tree, a.Answer), a.Proof, a.Answer.Summary)
	if b.res.Commit, b.res.Files = land.Commit, land.Files; err != nil || land.Passed {
		return land, err
	}
	b.base = land.Head
	if b.begun, err = b.hold(c, "merged", b.base.Tree); err != nil {
		return land, err
	}
	land.Head.Tree = b.begun
	land.Start, err = b.hold(c, "again", land.Start)
	return land, err
}

// proofIn is what is asked of a tree of the checkpoint.
func (b *builder) proofIn(tree string, ans turn.Built) step.TaskIn {
	in := step.TaskIn{Private: b.w.s.Private, Base: b.base.Tree, Tree: tree, Request: b.w.in.Request, Coverage: true, Task: task.Task{ID: b.w.name + "/" + b.k.ID, Type: b.w.kind(), Title: b.res.Title, Verify: []string{b.k.Validation}, Files: slices.Clone(b.k.Files), HeldOut: b.held}}
	for _, p := range slices.Concat(b.k.TestFiles(), b.support) {
		in.Task.Files = append(in.Task.Files, task.File{Path: p, Action: task.Create})
	}
	in = ans.Proof(in)
	for _, k := range b.w.design.Checkpoints {
		if k.ID == b.k.ID {
			continue
		}
		for _, p := range slices.Concat(k.TestFiles(), task.Paths(k.Files)) {
			if !slices.Contains(task.Paths(b.k.Files), p) {
				in.Taken = append(in.Taken, p)
			}
		}
	}
	in.More = slices.DeleteFunc(in.More, func(f task.File) bool {
		return slices.ContainsFunc(b.k.Forbidden, func(p string) bool { return checkpoint.Holds(p, f.Path) })
	})
	return in
}

// proved runs the checks of a tree of the checkpoint, and looks for what its contract offers.
func (b *builder) proved(c *flow.Ctx, in *step.TaskIn) (step.TaskProof, error) {
	proof, _, spent, err := turn.ProveAll(c, in, "contract", b.k.Checklist(), func() step.Turn { return b.w.recheck(b.k.ID, b.base.Tree) })
	b.held = in.Task.HeldOut
	for _, u := range spent {
		b.spend(u)
	}
	return proof, err
}

func (b *builder) land(c *flow.Ctx, in step.TaskIn, proof step.TaskProof, summary string) (step.LandTaskOut, error) {
	return turn.Do(c, "land", step.LandTask, step.LandTaskIn{TaskIn: in, From: b.base.Commit, Checks: proof.Checks, Summary: turn.Line(summary, 500)})
}

// The classes of what did not pass.
const (
	notImplemented = "NOT_IMPLEMENTED"
	logicError     = "LOGIC_ERROR"
	typeError      = "TYPE_ERROR"
	designMismatch = "DESIGN_MISMATCH"
	envIssue       = "ENV_ISSUE"
	security       = "SECURITY"
	mergeConflict  = "MERGE_CONFLICT"
	checks         = "CHECKS" // the audit, coverage, files that are not its own
	failed         = "FAILED" // the turn itself
)

// immediate are the classes that an author cannot mend by trying again: a person is asked at once.
var immediate = []string{designMismatch, envIssue, security}

func (b *builder) spend(u step.RoleUsage) {
	if u.Calls > 0 {
		b.res.Roles, b.res.Usage = step.AddRole(b.res.Roles, u), b.res.Usage.Add(u.Usage)
	}
}

// classOf tells of which class a failed attempt is.
func classOf(s turn.Sent) string {
	has := func(rules ...string) bool {
		return slices.ContainsFunc(s.Findings, func(f step.Finding) bool { return f.Severity != step.Warn && slices.Contains(rules, f.Rule) })
	}
	switch {
	case has("build-failed"):
		return typeError
	case has("checklist", "no-changes"):
		return notImplemented
	case len(s.Failures) > 0 || has("verify-failed"):
		return logicError
	default:
		return checks
	}
}

// oracle lets somebody who has not built it find out why it fails, before the last attempt.
func (b *builder) oracle(c *flow.Ctx) error {
	t := b.w.turn(request{role: "oracle", prompt: oraclePrompt, schema: diagnosisSchema, task: b.oracleText(), tree: b.tree})
	t.Module, t.Attempt = b.w.name+"/"+b.k.ID, b.res.Rounds
	out, answered, err := turn.Try(c.Sub("as").Sub("oracle"), t)
	if !answered {
		return err
	}
	b.spend(step.Turned("oracle", out))
	var ans diagnosis
	if err := turn.Decode(out.Answer, &ans); err != nil {
		return err
	}
	b.said = ans.text()
	flow.Note(c, "diagnosed", step.DevelopNote{Text: turn.Clip(b.k.ID+": "+pdca.Line(b.said), 1000)})
	return nil
}
