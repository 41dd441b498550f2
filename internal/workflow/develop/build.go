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
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// built is the end of a checkpoint, with the calls that its proofs have settled: the merged tree is judged by them as well.
type built struct {
	step.CheckpointResult
	HeldOut []step.HeldOut `json:"held_out,omitempty"`
}

// settle takes over what the proofs of a checkpoint have decided about the calls that it was offered: also that some do not count.
func (w *work) settle(k checkpoint.Checkpoint, r built) {
	offered := k.Offered(w.held)
	kept := slices.DeleteFunc(slices.Clone(w.held), func(h step.HeldOut) bool { return !h.Settled() && slices.Contains(offered, h) })
	settled := slices.DeleteFunc(slices.Clone(r.HeldOut), func(h step.HeldOut) bool { return !h.Settled() })
	w.held = turn.AddCalls(turn.AddCalls(settled, kept), r.HeldOut)
}

// implement builds the checkpoints: those that wait for nothing side by side, each landed by itself.
func (w *work) implement(c *flow.Ctx) (step.End, error) {
	note := step.DevelopNote{Contracts: &w.design}
	for _, k := range w.design.Checkpoints {
		note.Checkpoints = append(note.Checkpoints, step.TaskLine{ID: k.ID, Title: turn.Line(k.Title, 80), Needs: checkpoint.Waits(w.design.Checkpoints, w.out.Strategy, k.ID)})
	}
	flow.Note(c, "planned", note)
	results, err := flow.All(c, "task", w.design.Checkpoints, func(k checkpoint.Checkpoint) string { return k.ID }, func(c *flow.Ctx, k checkpoint.Checkpoint) (built, error) {
		b := builder{w: w, k: k}
		res, err := b.run(c)
		return built{res, b.held}, err
	})
	if err != nil {
		return step.End{}, err
	}
	w.out.Checkpoints = step.Each(results, func(r built) step.CheckpointResult { return r.CheckpointResult })
	end := step.End{}
	for i, r := range results {
		w.settle(w.design.Checkpoints[i], r)
		for _, u := range r.Roles {
			w.out.Spend(u)
		}
		w.landed = w.landed || r.Commit != ""
		for _, h := range r.Hints {
			w.decided = append(w.decided, r.ID+": "+h)
		}
		switch {
		case r.Status == step.Success:
			w.out.Warnings = append(w.out.Warnings, turn.Left(r.ID, r.Findings)...)
		case r.Reason == turn.Skip || strings.HasPrefix(r.Reason, needs):
			w.out.Warnings = append(w.out.Warnings, fmt.Sprintf("%s is not part of it: %s", r.ID, r.Reason))
		case end.Reason == "" || r.Reason == aborted:
			end = step.End{Reason: escalated, N: r.Iteration, Detail: turn.Clip(r.ID+": "+cmp.Or(strings.Join(r.Open, "; "), r.Reason), 500)}
			if r.Reason == aborted {
				end.Reason = aborted
			}
		}
		if r.Status != step.Success {
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
	if end.Reason == "" && !slices.ContainsFunc(results, func(r built) bool { return r.Status == step.Success }) {
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
		if w.contract, err = w.hold(c, "amended/"+r.ID, w.contract, r.Contract, w.testFiles(func(id string) bool { return id != r.ID })); err != nil {
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
	tree  string     // that the next attempt starts from
	begun string     // tree without what was built of it, that git compares with
	hints []string   // of a person
	back  *turn.Sent // what was found in tree; nil: nobody has looked
	said  string     // of the oracle
	res   step.CheckpointResult

	contract string         // tree with the tests of the contract
	support  []string       // files that come with them
	held     []step.HeldOut // calls of what it offers that its author does not know
}

func (b *builder) run(c *flow.Ctx) (step.CheckpointResult, error) {
	b.contract, b.support, b.held = b.w.contract, b.w.support, b.k.Offered(b.w.held)
	b.res.TaskResult = step.TaskResult{ID: b.k.ID, Title: turn.Line(b.k.Title, 80), Usage: step.Usage{Known: true}}
	for _, n := range checkpoint.Waits(b.w.design.Checkpoints, b.w.out.Strategy, b.k.ID) {
		r, err := flow.Wait[built](c, n)
		if err != nil {
			return b.res, err
		}
		if r.Status != step.Success && (slices.Contains(b.k.Needs, n) || r.Reason == aborted) {
			return b.end(c, step.Warning, needs+n)
		}
	}
	if ok, err := b.there(c.Sub("there")); err != nil || ok {
		return b.res, err
	}
	for n, c := range flow.Rounds(c, "round", 1+turn.MaxHints) {
		b.res.Rounds = n
		class, err := b.attempts(c)
		if err != nil {
			return b.res, err
		}
		if class == "" {
			return b.end(c, step.Success, "")
		}
		b.res.Open = b.res.Open[:0]
		open := cmp.Or(b.back.Brief(), class)
		if slices.Contains(immediate, class) {
			open = class + ": " + turn.Line(b.res.Summary, 400)
		}
		b.res.Open = append(b.res.Open, open)
		b.progress(c, checkpoint.Escalated)
		if b.w.in.Yes {
			return b.end(c, step.Warning, class)
		}
		what, hint, err := turn.Escalate(c, b.escalation(class), b.w.say("답: retry, skip (이 체크포인트와 이것이 필요한 것을 제외), abort, 또는 다음 시도를 위한 힌트.", "Answer: retry, skip (leaves out this checkpoint and all that need it), abort, or a hint for the next attempts."), true)
		if err != nil {
			return b.res, err
		}
		switch what {
		case turn.Skip:
			return b.end(c, step.Warning, turn.Skip)
		case turn.Abort:
			return b.end(c, step.Warning, aborted)
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
			b.back = nil
		} else if hint != "" {
			b.hints = append(b.hints, hint)
		}
	}
	return b.end(c, step.Warning, turn.Limit)
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
	proof, err := b.proved(c, &in)
	if err != nil || !proof.Passed || step.Has(proof.Findings, step.Rejects) {
		return false, err
	}
	b.res.Tests = proof.Counts
	if !in.Task.VerifyOnly {
		land, err := b.land(c, in, proof, "tests of what was built before")
		if err != nil || !land.Passed {
			return false, err
		}
		b.res.Commit, b.res.Files = land.Commit, land.Files
	}
	_, err = b.end(c, step.Success, "")
	return true, err
}

// start takes the head of the run's branch with the tests of the contract in it.
func (b *builder) start(c *flow.Ctx) (err error) {
	if b.base, err = turn.Do(c, "head", step.Head, step.HeadIn{Fallback: b.w.s.Commit}); err != nil {
		return err
	}
	b.tree, err = b.hold(c, "begin", b.base.Tree)
	b.begun = b.tree
	return err
}

// hold puts the tests of the contract into a tree, as they are there.
func (b *builder) hold(c *flow.Ctx, key, tree string) (string, error) {
	return b.w.hold(c, key, tree, b.contract, b.others())
}

// others are the files of tests of other checkpoints.
func (b *builder) others() []string {
	return b.w.testFiles(func(id string) bool { return id != b.k.ID })
}

// progress says where the checkpoint stands, for the state file.
func (b *builder) progress(c *flow.Ctx, s checkpoint.Status) {
	flow.Note(c, "progress-"+string(s), step.DevelopNote{Progress: &checkpoint.Progress{ID: b.k.ID, Status: s, Iteration: b.res.Iteration}})
}

func (b *builder) end(c *flow.Ctx, s step.Status, reason string) (step.CheckpointResult, error) {
	b.res.Status, b.res.Reason = s, reason
	at := checkpoint.Escalated
	if s == step.Success {
		at, b.res.Open = checkpoint.Passed, nil
	}
	flow.Note(c, "result", step.DevelopNote{Result: &b.res, Progress: &checkpoint.Progress{ID: b.k.ID, Status: at, Iteration: b.res.Iteration}})
	return b.res, nil
}

// escalation is what a person is asked.
func (b *builder) escalation(class string) string {
	var s strings.Builder
	fmt.Fprintf(&s, b.w.say("%s (%s) 통과하지 못함: %s, 시도 횟수 %d.\n", "%s (%s) did not pass: %s, attempts: %d.\n"), b.k.ID, b.res.Title, class, b.res.Iteration)
	if b.back != nil {
		turn.Findings(&s, "", turn.Short(b.back.Findings), b.back.Failures)
	}
	switch {
	case class == designMismatch:
		s.WriteString(b.w.say("힌트는 먼저 테스트를 쓰는 에이전트에게 전달됩니다.\n", "A hint goes first to the agent that writes the tests.\n"))
	case b.res.Summary != "" && !slices.Contains(immediate, class):
		fmt.Fprintf(&s, b.w.say("에이전트: %s\n", "The agent says: %s\n"), pdca.Line(b.res.Summary))
	}
	return s.String()
}
