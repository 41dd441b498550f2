package develop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// implement builds the checkpoints: those that wait for nothing side by side, each landed by itself.
func (w *work) implement(c *flow.Ctx) (step.End, error) {
	note := step.DevelopNote{Contracts: &w.design}
	for _, k := range w.design.Checkpoints {
		note.Checkpoints = append(note.Checkpoints, step.TaskLine{ID: k.ID, Title: turn.Clip(pdca.Line(k.Title), 80), Needs: checkpoint.Waits(w.design.Checkpoints, w.out.Strategy, k.ID)})
	}
	flow.Note(c, "planned", note)
	results, err := flow.All(c, "task", w.design.Checkpoints, func(k checkpoint.Checkpoint) string { return k.ID }, func(c *flow.Ctx, k checkpoint.Checkpoint) (step.CheckpointResult, error) {
		b := builder{w: w, k: k}
		return b.run(c)
	})
	if err != nil {
		return step.End{}, err
	}
	w.out.Checkpoints = results
	end := step.End{}
	for _, r := range results {
		for _, u := range r.Roles {
			w.out.Spend(u)
		}
		w.landed = w.landed || r.Commit != ""
		for _, h := range r.Hints {
			w.decided = append(w.decided, r.ID+": "+h)
		}
		switch {
		case r.Status == checkpoint.Passed:
		case r.Reason == turn.Skip || strings.HasPrefix(r.Reason, needs):
			w.out.Warnings = append(w.out.Warnings, fmt.Sprintf("%s is not part of it: %s", r.ID, r.Reason))
		case end.Reason == "" || r.Reason == aborted:
			end = step.End{Reason: escalated, N: r.Iteration, Detail: turn.Clip(r.ID+": "+cmp.Or(strings.Join(r.Open, "; "), r.Reason), 500)}
			if r.Reason == aborted {
				end.Reason = aborted
			}
		}
		if r.Status != checkpoint.Passed {
			w.out.Open = append(w.out.Open, strings.TrimSuffix(r.ID+": "+strings.Join(r.Open, "; "), ": "))
		}
	}
	head, err := turn.Do(c, "head", step.Head, step.HeadIn{Fallback: w.s.Commit})
	if err != nil {
		return step.End{}, err
	}
	w.tree, w.head = head.Tree, head
	if err := w.amended(c); err != nil {
		return step.End{}, err
	}
	if end.Reason == "" && !slices.ContainsFunc(results, func(r step.CheckpointResult) bool { return r.Status == checkpoint.Passed }) {
		end = step.End{Reason: aborted, Detail: "no checkpoint has passed"}
	}
	return end, nil
}

// amended takes over what has become of the contracts while they were built against.
func (w *work) amended(c *flow.Ctx) error {
	for _, r := range w.out.Checkpoints {
		if r.Contract == "" {
			continue
		}
		var err error
		if w.contract, _, err = w.hold(c, "amended/"+r.ID, w.contract, r.Contract, w.testFiles(func(id string) bool { return id != r.ID })); err != nil {
			return err
		}
	}
	return nil
}

// needs begins the reason of a checkpoint that waits for one which did not pass.
const needs = "needs "

// builder is one checkpoint on its way. Checkpoints are built side by side, so each counts for itself.
type builder struct {
	w     *work
	k     checkpoint.Checkpoint
	base  step.HeadOut
	tree  string // that the next attempt starts from
	begun string // tree without what was built of it, that git compares with
	hints []string
	back  turn.Sent
	said  string // of the oracle
	res   step.CheckpointResult

	contract string         // tree with the tests of the contract
	support  []string       // files that come with them
	held     []step.HeldOut // calls of what it offers that its author does not know
}

func (b *builder) run(c *flow.Ctx) (step.CheckpointResult, error) {
	b.contract, b.support, b.held = b.w.contract, b.w.support, b.k.Offered(b.w.held)
	b.res = step.CheckpointResult{ID: b.k.ID, Title: turn.Clip(pdca.Line(b.k.Title), 80), Status: checkpoint.Pending, Usage: step.Usage{Known: true}}
	for _, n := range checkpoint.Waits(b.w.design.Checkpoints, b.w.out.Strategy, b.k.ID) {
		r, err := flow.Wait[step.CheckpointResult](c, n)
		if err != nil {
			return b.res, err
		}
		if r.Status != checkpoint.Passed && (slices.Contains(b.k.Needs, n) || r.Reason == aborted) {
			return b.end(c, checkpoint.Escalated, needs+n)
		}
	}
	if ok, err := b.there(c.Sub("there")); err != nil || ok {
		return b.res, err
	}
	for n, c := range flow.Rounds(c, "round", 1+turn.MaxHints) {
		b.res.Rounds = n
		class, err := b.ralph(c)
		if err != nil {
			return b.res, err
		}
		if class == "" {
			return b.end(c, checkpoint.Passed, "")
		}
		b.res.Open = b.res.Open[:0]
		open := cmp.Or(b.back.Brief(), class)
		if slices.Contains(immediate, class) {
			open = class + ": " + turn.Clip(pdca.Line(b.res.Summary), 400)
		}
		b.res.Open = append(b.res.Open, open)
		b.progress(c, checkpoint.Escalated)
		if b.w.in.Yes {
			return b.end(c, checkpoint.Escalated, class)
		}
		what, hint, err := turn.Escalate(c, b.escalation(class), b.w.say("답: retry, skip (이 체크포인트와 이것이 필요한 것을 제외), abort, 또는 다음 시도를 위한 힌트.", "Answer: retry, skip (it is left out, and what needs it), abort, or a hint for the next attempts."), true)
		if err != nil {
			return b.res, err
		}
		switch what {
		case turn.Skip:
			return b.end(c, checkpoint.Escalated, turn.Skip)
		case turn.Abort:
			return b.end(c, checkpoint.Escalated, aborted)
		}
		if hint != "" {
			b.res.Hints = append(b.res.Hints, turn.Clip(hint, 1000))
		}
		amended := false
		if hint != "" && class == designMismatch {
			if amended, err = b.amend(c.Sub("amend"), hint); err != nil {
				return b.res, err
			}
		}
		if amended { // what was found is settled
			b.back = turn.Sent{}
		} else if hint != "" {
			b.hints = append(b.hints, hint)
		}
	}
	return b.end(c, checkpoint.Escalated, limit)
}

// there takes a checkpoint that has passed in a run before, when its contract holds: nobody builds it again.
func (b *builder) there(c *flow.Ctx) (bool, error) {
	if p := b.w.in.Prior; p == nil || !slices.ContainsFunc(p.Checkpoints, func(o checkpoint.Progress) bool { return o.ID == b.k.ID && o.Status == checkpoint.Passed }) {
		return false, nil
	}
	if err := b.start(c); err != nil {
		return false, err
	}
	in := b.proofIn(b.tree, turn.Built{Summary: "It was built before."})
	if in.Task.VerifyOnly = b.tree == b.base.Tree; in.Task.VerifyOnly {
		in.Task.Files = nil
	}
	proof, look, err := b.prove(c, &in)
	if err != nil || !proof.Passed || len(look) > 0 || (turn.Sent{Findings: proof.Findings}).Has(step.Rejects) {
		return false, err
	}
	b.res.Tests = proof.Counts
	if !in.Task.VerifyOnly {
		land, err := b.land(c, in, proof, "tests of what was built before")
		if err != nil || !land.Passed {
			return false, err
		}
		b.res.Commit = land.Commit
	}
	_, err = b.end(c, checkpoint.Passed, "")
	return true, err
}

// start takes the head of the run's branch with the tests of the contract in it.
func (b *builder) start(c *flow.Ctx) (err error) {
	if b.base, err = turn.Do(c, "head", step.Head, step.HeadIn{Fallback: b.w.s.Commit}); err != nil {
		return err
	}
	b.tree, _, err = b.hold(c, "begin", b.base.Tree)
	b.begun = b.tree
	return err
}

// hold puts the tests of the contract into a tree, as they are there.
func (b *builder) hold(c *flow.Ctx, key, tree string) (string, []string, error) {
	return b.w.hold(c, key, tree, b.contract, b.w.testFiles(func(id string) bool { return id != b.k.ID }))
}

// testFiles are those of the checkpoints that are asked for.
func (w *work) testFiles(of func(id string) bool) []string {
	var out []string
	for _, k := range w.design.Checkpoints {
		if of(k.ID) {
			out = append(out, k.TestFiles()...)
		}
	}
	return out
}

// hold puts the tests of a contract into a tree, without those of others.
func (w *work) hold(c *flow.Ctx, key, tree, contract string, others []string) (string, []string, error) {
	if contract == w.s.Tree {
		return tree, nil, nil
	}
	out, err := turn.Do(c, key, step.Hold, step.HoldIn{Tree: tree, Contract: contract, Base: w.s.Tree, Others: others})
	return out.Tree, out.Changed, err
}

// amend lets the author of the contracts mend the tests of this checkpoint, which its author holds to be wrong and of which
// a person has said what they should be. Where he makes nothing that code lets pass, the contract stays as it is.
func (b *builder) amend(c *flow.Ctx, hint string) (bool, error) {
	var back turn.Sent
	tree := b.contract
	for n, c := range flow.Rounds(c, "write", drafts) {
		t := b.w.turn(request{role: "contracts", prompt: contractsPrompt + turn.HeldOutRules, schema: contractsSchema, task: b.amendText(hint, back), tree: tree, writes: true})
		t.Module, t.Attempt = b.w.name+"/"+b.k.ID, n
		out, err := turn.Ask(c.Sub("as").Sub("contracts"), t)
		if err != nil {
			if turn.EndsRun(err) {
				return false, err
			}
			continue
		}
		b.spend("contracts", out)
		var ans contracted
		if err := turn.Decode(out.Answer, &ans); err != nil {
			return false, err
		}
		k, err := turn.Do(c, "check", step.Contract, step.ContractIn{Base: b.w.s.Tree, Tree: out.Tree, Tests: b.w.tests()})
		if err != nil {
			return false, err
		}
		tree, back = k.Tree, turn.Sent{Findings: slices.Concat(out.Findings, k.Findings), Said: ans.Summary}
		if !back.Has(step.Rejects) {
			b.contract, b.res.Contract, b.support, b.held = tree, tree, k.Support, b.k.Offered(ans.HeldOut)
			return true, nil
		}
	}
	return false, nil
}

// ralph lets an author work on the checkpoint until it has landed, three times at most. It returns the class of the failure
// that is left, "" for none.
func (b *builder) ralph(c *flow.Ctx) (class string, err error) {
	if b.res.Rounds == 1 {
		err = b.start(c)
	} else { // what there is goes on
		b.tree, _, err = b.hold(c, "begin", b.tree)
	}
	if err != nil {
		return "", err
	}
	for n, c := range flow.Rounds(c, "try", iterations) {
		b.res.Iteration = n
		b.progress(c, checkpoint.InProgress)
		if n == iterations && n > 1 && len(b.back.Findings)+len(b.back.Failures) > 0 {
			if err := b.oracle(c); err != nil {
				return "", err
			}
		}
		var ans turn.Built
		b.res.Attempts++
		out, ok, err := b.author(c, &ans)
		if err != nil {
			return "", err
		}
		if !ok {
			class = failed
			continue
		}
		if b.res.Summary = turn.Clip(ans.Summary, 1000); slices.Contains(immediate, ans.Blocked) {
			b.back = turn.Sent{Findings: []step.Finding{{Rule: ans.Blocked, Severity: step.Rejects, Message: turn.Clip(ans.Summary, 600)}}}
			b.tree = out.Tree
			b.note(c, n, false, step.TaskProof{}, turn.Left(false, b.begun, out.Tree, ans.Words(), out.Answer))
			return ans.Blocked, nil
		}
		if class, err = b.judge(c, n, out, ans); err != nil || class == "" {
			return "", err
		}
	}
	return class, nil
}

// author asks the author of the checkpoint. False: the turn failed by itself, which counts.
func (b *builder) author(c *flow.Ctx, ans *turn.Built) (step.TurnOut, bool, error) {
	t := b.w.turn(request{role: "implement", prompt: implementPrompt, schema: builtSchema, task: b.text(), tree: b.tree, writes: true})
	t.Module, t.Attempt, t.Base = b.w.name+"/"+b.k.ID, b.res.Attempts, b.begun
	if b.base.Tree != b.w.s.Tree { // others have landed since the work began
		d, err := turn.Do(c, "docs", step.WorkDocs, step.WorkDocsIn{Tree: b.base.Tree, Request: b.w.in.Request})
		if err != nil {
			return step.TurnOut{}, false, err
		}
		t.Docs = d.Docs
	}
	out, err := turn.Ask(c.Sub("as").Sub("implement"), t)
	if err != nil {
		if turn.EndsRun(err) {
			return out, false, err
		}
		f := flow.AsFailure(err)
		b.back = turn.Sent{}
		flow.Note(c, "judged", step.AttemptNote{Phase: "checkpoint", Attempt: b.res.Iteration, Usage: b.res.Usage, Text: turn.Clip(f.Error(), 300)})
		return out, false, nil
	}
	b.spend("implement", out)
	return out, true, turn.Decode(out.Answer, ans)
}

// judge proves what an author has left, and lands it.
func (b *builder) judge(c *flow.Ctx, n int, out step.TurnOut, ans turn.Built) (class string, err error) {
	tree, changed, err := b.hold(c, "hold", out.Tree)
	if err != nil {
		return "", err
	}
	list := out.Findings
	for _, p := range changed {
		list = append(list, step.Finding{Rule: "contract-test", Severity: step.Fix, Path: p, Message: "This test belongs to the contract. Your change of it was undone; make the code fulfil it. If the test is wrong, leave it, and say so in `blocked` and `summary`."})
	}
	in := b.proofIn(tree, ans)
	proof, missing, err := b.prove(c, &in)
	if err != nil {
		return "", err
	}
	proof.Findings = slices.Concat(list, proof.Findings, missing)
	b.back = turn.Sent{Findings: proof.Findings, Failures: proof.Failures, Said: ans.Words()}
	ok := proof.Passed && b.back.Good(n == iterations)
	b.res.Tests = proof.Counts
	b.note(c, n, ok, proof, turn.Left(ok, b.begun, out.Tree, b.back.Said, out.Answer))
	if !ok {
		b.tree = tree
		return classOf(b.back), nil
	}
	land, err := b.land(c, in, proof, ans.Summary)
	if err != nil {
		return "", err
	}
	if land.Passed {
		b.res.Commit = land.Commit
		return "", nil
	}
	b.base = land.Head
	b.back = turn.Sent{Findings: land.Proof.Findings, Failures: land.Proof.Failures, Said: ans.Words(), Merged: true}
	flow.Note(c, "landing", step.AttemptNote{
		Phase: "land", Attempt: n, Counts: land.Proof.Counts, Findings: turn.Short(land.Proof.Findings), Failures: land.Proof.Failures, Usage: b.res.Usage, Text: strings.Join(land.Conflicts, ", "),
	})
	if b.begun, _, err = b.hold(c, "merged", b.base.Tree); err != nil {
		return "", err
	}
	b.tree, _, err = b.hold(c, "again", land.Start)
	return mergeConflict, err
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
		for _, p := range slices.Concat(k.TestFiles(), filePaths(k.Files)) {
			if !slices.Contains(filePaths(b.k.Files), p) {
				in.Taken = append(in.Taken, p)
			}
		}
	}
	in.More = slices.DeleteFunc(in.More, func(f task.File) bool {
		return slices.ContainsFunc(b.k.Forbidden, func(p string) bool { return checkpoint.Holds(p, f.Path) })
	})
	return in
}

func filePaths(list []task.File) []string {
	var out []string
	for _, f := range list {
		out = append(out, f.Path)
	}
	return out
}

// prove runs the checks of a tree of the checkpoint, and looks for what its contract offers.
func (b *builder) prove(c *flow.Ctx, in *step.TaskIn) (step.TaskProof, []step.Finding, error) {
	proof, spent, err := turn.Prove(c, in, func() step.Turn { return b.w.recheck(b.k.ID, b.base.Tree) })
	b.held = in.Task.HeldOut
	b.took(spent)
	if err != nil {
		return proof, nil, err
	}
	look, err := turn.Do(c, "look", step.AutoLook, step.AutoLookIn{Base: in.Base, Tree: in.Tree, Checklist: b.k.Checklist()})
	return proof, turn.Missing("contract", b.k.Checklist(), look.Found), err
}

func (b *builder) land(c *flow.Ctx, in step.TaskIn, proof step.TaskProof, summary string) (step.LandTaskOut, error) {
	return turn.Do(c, "land", step.LandTask, step.LandTaskIn{TaskIn: in, From: b.base.Commit, Checks: proof.Checks, Summary: turn.Clip(pdca.Line(summary), 500)})
}

// The classes of what did not pass (B4).
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

func (b *builder) spend(role string, out step.TurnOut) { b.took(step.Turned(role, out)) }

func (b *builder) took(u step.RoleUsage) {
	if u.Calls > 0 {
		b.res.Roles, b.res.Sessions, b.res.Usage = step.AddRole(b.res.Roles, u), b.res.Sessions+u.Calls, b.res.Usage.Add(u.Usage)
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
	out, err := turn.Ask(c.Sub("as").Sub("oracle"), t)
	if err != nil {
		if turn.EndsRun(err) {
			return err
		}
		return nil
	}
	b.spend("oracle", out)
	var ans diagnosis
	if err := turn.Decode(out.Answer, &ans); err != nil {
		return err
	}
	b.said = ans.text()
	flow.Note(c, "diagnosed", step.DevelopNote{Text: turn.Clip(b.k.ID+": "+pdca.Line(b.said), 1000)})
	return nil
}

// note says how an attempt did.
func (b *builder) note(c *flow.Ctx, n int, ok bool, proof step.TaskProof, left *step.Left) {
	flow.Note(c, "judged", step.AttemptNote{
		Phase: "checkpoint", Attempt: n, Passed: ok, Counts: proof.Counts, Findings: turn.Short(b.back.Findings), Failures: b.back.Failures, Usage: b.res.Usage, Summary: b.res.Summary, Left: left,
	})
}

// progress says where the checkpoint stands, for the state file.
func (b *builder) progress(c *flow.Ctx, s checkpoint.Status) {
	b.res.Status = s
	flow.Note(c, "progress-"+string(s), step.DevelopNote{Progress: &checkpoint.Progress{ID: b.k.ID, Status: s, Iteration: b.res.Iteration}})
}

func (b *builder) end(c *flow.Ctx, s checkpoint.Status, reason string) (step.CheckpointResult, error) {
	b.res.Status, b.res.Reason = s, reason
	if s == checkpoint.Passed {
		b.res.Open = nil
	}
	flow.Note(c, "result", step.DevelopNote{Result: &b.res, Progress: &checkpoint.Progress{ID: b.k.ID, Status: s, Iteration: b.res.Iteration}})
	return b.res, nil
}

// escalation is what a person is asked.
func (b *builder) escalation(class string) string {
	var s strings.Builder
	fmt.Fprintf(&s, b.w.say("%s (%s) 통과하지 못함: %s, 시도 횟수 %d.\n", "%s (%s) did not pass: %s, attempts: %d.\n"), b.k.ID, b.res.Title, class, b.res.Iteration)
	turn.Findings(&s, turn.Short(b.back.Findings), b.back.Failures)
	switch {
	case class == designMismatch:
		s.WriteString(b.w.say("힌트는 먼저 테스트 작성자에게 전달됩니다.\n", "A hint goes first to the author of the tests.\n"))
	case b.res.Summary != "" && !slices.Contains(immediate, class):
		fmt.Fprintf(&s, b.w.say("작성자: %s\n", "The author says: %s\n"), pdca.Line(b.res.Summary))
	}
	return s.String()
}
