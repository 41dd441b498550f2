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

// part is one part of a HEAVY design on its way. Parts are built side by side, so each counts for itself.
type part struct {
	f     *feature
	p     pdca.Part
	id    string
	files []task.File
	res   partResult
	hints []string // of a person
}

// partResult is the end of one part.
type partResult struct {
	Attempts int        `json:"attempts"`
	Sessions int        `json:"sessions"`
	Seat     step.Seat  `json:"seat,omitzero"` // who has built it
	Usage    step.Usage `json:"usage"`
	End      step.End   `json:"end"`
}

// inParts builds the parts of the design side by side, each from the same commit and landed one at a time. What they make
// together is then proved, and mended, as a whole.
func (f *feature) inParts(c *flow.Ctx) (step.End, error) {
	parts := make([]part, len(f.design.Parts))
	for i, p := range f.design.Parts {
		parts[i] = part{f: f, p: p, id: fmt.Sprintf("part-%d", i+1), res: partResult{Usage: step.Usage{Known: true}}}
		for _, file := range f.owned() {
			if p.Holds(file.Path) {
				parts[i].files = append(parts[i].files, file)
			}
		}
	}
	results, err := flow.All(c, "task", parts, func(p part) string { return p.id }, func(c *flow.Ctx, p part) (partResult, error) { return p.build(c) })
	if err != nil {
		return step.End{}, err
	}
	end := step.End{}
	for i, r := range results {
		f.out.Attempts += r.Attempts
		f.out.Spend(step.RoleUsage{Role: "implement", Seat: r.Seat, Calls: r.Sessions, Usage: r.Usage})
		if r.End.Reason != "" && end.Reason == "" { // one that fails, fails the whole; the others stay on the branch
			end = r.End
			end.Detail = parts[i].p.Title + ": " + end.Detail
			f.out.Open = []string{end.Detail}
		}
	}
	head, err := turn.Do(c, "head", step.Head, step.HeadIn{Fallback: f.s.Commit})
	if err != nil {
		return step.End{}, err
	}
	f.tree, f.head = head.Tree, head
	return end, nil
}

// build lets an author work on a part until it has landed, or its limit ends it.
func (p *part) build(c *flow.Ctx) (partResult, error) {
	base, err := turn.Do(c, "head", step.Head, step.HeadIn{Fallback: p.f.s.Commit})
	if err != nil {
		return p.res, err
	}
	tree := base.Tree
	var back turn.Sent
	var failed pdca.Cycles
	p.res.End = step.End{Reason: limit}
	for n, c := range flow.Rounds(c, "try", attempts) {
		p.res.Attempts, p.res.End.N = n, n
		out, err := turn.Ask(c.Sub("as").Sub("implement"), step.Turn{
			Role: "implement", Module: p.f.name + "/" + p.id, Attempt: n, Tree: tree, Base: base.Tree, Instructions: implementPrompt, Docs: slices.Concat(p.f.s.Docs, p.f.in.Context), Task: p.text(back), Schema: builtSchema,
			Commands: p.f.allowed(), Private: p.f.s.Private, Budget: p.f.in.Budget, Model: p.f.tier("implement"),
		})
		if err != nil {
			if turn.EndsRun(err) {
				return p.res, err
			}
			p.res.End.Detail = string(flow.ClassOf(err))
			continue
		}
		p.res.Sessions++
		p.res.Seat = step.Seat{Agent: out.Agent, Model: out.Model}
		p.res.Usage = p.res.Usage.Add(out.Usage)
		var ans turn.Built
		if err := turn.Decode(out.Answer, &ans); err != nil {
			return p.res, err
		}
		proof, err := turn.Do(c, "prove", step.ProveTask, p.task(base.Tree, out.Tree, ans))
		if err != nil {
			return p.res, err
		}
		look, err := turn.Do(c, "look", step.AutoLook, step.AutoLookIn{Base: base.Tree, Tree: out.Tree, Checklist: p.checklist()})
		if err != nil {
			return p.res, err
		}
		proof.Findings = slices.Concat(out.Findings, proof.Findings, turn.Missing("design's checklist", p.checklist(), look.Found))
		back = turn.Sent{Findings: proof.Findings, Failures: proof.Failures, Said: ans.Words()}
		more := n < attempts
		ok := proof.Passed && back.Good(!more)
		p.note(c, n, ok, proof, ans, turn.Left(ok, base.Tree, out.Tree, back.Said, out.Answer))
		if ok {
			land, err := turn.Do(c, "land", step.LandTask, step.LandTaskIn{TaskIn: p.task(base.Tree, out.Tree, ans), From: base.Commit, Summary: turn.Clip(pdca.Line(ans.Summary), 500)})
			if err != nil {
				return p.res, err
			}
			if land.Passed {
				p.res.End = step.End{}
				return p.res, nil
			}
			base, tree = land.Head, land.Start
			back = turn.Sent{Findings: land.Proof.Findings, Failures: land.Proof.Failures, Said: ans.Words(), Merged: true}
		} else {
			stop := step.End{N: n, Detail: back.Brief()}
			switch {
			case strings.TrimSpace(ans.Blocked) != "":
				stop.Reason = turn.Blocked
			case out.Tree == tree && n > 1:
				stop.Reason = turn.NoProgress
			}
			if tree = out.Tree; stop.Reason != "" {
				what, hint, err := p.f.stuck(c, p.f.name+"/"+p.id, stop.Reason, back, more)
				if err != nil || what == turn.Abort {
					p.res.End = stop
					return p.res, err
				}
				if failed = nil; hint != "" {
					p.hints = append(p.hints, hint)
				}
			}
		}
		p.res.End.Detail = back.Brief()
		failed = append(failed, back.Signatures())
		if times, _ := failed.Repeated(); times >= sameFailures && more {
			p.res.End = step.End{Reason: sameFailure, N: times, Detail: p.res.End.Detail}
			return p.res, nil
		}
	}
	return p.res, nil
}

// task is what a part's author may do. Its commands are those of the plan that run tests of its own files only: what needs
// the other parts is asked of the whole.
func (p *part) task(base, tree string, ans turn.Built) step.TaskIn {
	t := step.Owned(p.files, p.p.Title, nil)
	t.ID = p.f.name + "/" + p.id
	in := ans.Proof(step.TaskIn{Private: p.f.s.Private, Base: base, Tree: tree, Task: t, Request: p.f.in.Request, Coverage: true})
	for _, file := range p.f.owned() {
		if !p.p.Holds(file.Path) {
			in.Taken = append(in.Taken, file.Path)
		}
	}
	return in
}

// checklist are the items of the design that are in the part's files.
func (p *part) checklist() []pdca.Check {
	return slices.DeleteFunc(slices.Clone(p.f.design.Checklist), func(k pdca.Check) bool { return !p.p.Holds(k.Path) })
}

func (p *part) note(c *flow.Ctx, n int, ok bool, proof step.TaskProof, ans turn.Built, left *step.Left) {
	flow.Note(c, "judged", step.AttemptNote{
		Phase: p.id, Attempt: n, Passed: ok, Counts: proof.Counts, Findings: turn.Short(proof.Findings), Failures: proof.Failures, Usage: p.res.Usage, Summary: turn.Clip(ans.Summary, 1000), Left: left,
	})
}

func (p *part) text(back turn.Sent) string {
	b := p.f.goal()
	fmt.Fprintf(b, "Others build the other parts at the same time, from the same start. All of it means for you all of your part: %s\nYour files:\n", pdca.Line(p.p.Title))
	for _, file := range p.files {
		fmt.Fprintf(b, "- %s %s\n", file.Action, file.Path)
	}
	b.WriteString("What is in other files of the design is not there yet, and not yours: build against its signatures only where the project builds without it.\n")
	p.f.rulesFor(b, "a program runs them when all parts are there")
	turn.Hints(b, p.hints)
	back.Again(b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}
