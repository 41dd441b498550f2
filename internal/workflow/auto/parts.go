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
	held  []step.HeldOut // calls that proofs have settled
	res   partResult
}

// partResult is the end of one part.
type partResult struct {
	Attempts int              `json:"attempts"`
	Roles    []step.RoleUsage `json:"roles,omitempty"`
	Usage    step.Usage       `json:"usage"`
	HeldOut  []step.HeldOut   `json:"held_out,omitempty"`
	End      step.End         `json:"end"`
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
	f.out.Open = nil
	for i, r := range results {
		f.out.Attempts += r.Attempts
		f.out.Spend(r.Roles...)
		f.held = turn.AddCalls(r.HeldOut, f.held)
		if r.End.Reason == "" {
			continue
		}
		r.End.Detail = parts[i].p.Title + ": " + r.End.Detail
		f.out.Open = append(f.out.Open, r.End.Detail)
		if end.Reason == "" { // one that fails, fails the whole; the others stay on the branch
			end = r.End
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
	res, err := loop{
		Key: "try", Phase: p.id, Limit: p.f.size().Attempts, Same: sameFailures, Base: base.Tree, Tree: base.Tree, Who: p.f.who(p.f.name + "/" + p.id), Usage: &p.res.Usage,
		Write: p.write,
		Prove: func(c *flow.Ctx, a *attempt) error {
			in := p.task(a)
			proof, _, spent, err := turn.ProveAll(c, &in, checklist, p.checklist(), p.f.recheck)
			p.held = in.Task.HeldOut
			for _, u := range spent {
				p.spend(u)
			}
			a.Judge(proof)
			return err
		},
		Land: func(c *flow.Ctx, a *attempt) (step.LandTaskOut, error) {
			land, err := turn.Do(c, "land", step.LandTask, step.LandTaskIn{TaskIn: p.task(a), From: base.Commit, Accepted: a.Accepted, Summary: turn.Line(a.Answer.Summary, 500)})
			base = land.Head
			return land, err
		},
	}.Run(c)
	p.res.HeldOut, p.res.End = p.held, res.End
	return p.res, err
}

func (p *part) spend(u step.RoleUsage) {
	if u.Calls > 0 {
		p.res.Roles, p.res.Usage = step.AddRole(p.res.Roles, u), p.res.Usage.Add(u.Usage)
	}
}

func (p *part) write(c *flow.Ctx, a *attempt) (step.TurnOut, error) {
	p.res.Attempts = a.N
	docs, err := turn.Docs(c, p.f.s.ProjectFacts, a.Base, p.f.in.Request)
	if err != nil {
		return step.TurnOut{}, err
	}
	out, err := turn.Ask(c.Sub("as").Sub("implement"), step.Turn{
		Role: "implement", Module: p.f.name + "/" + p.id, Attempt: a.N, Tree: a.Before, Base: a.Base, Instructions: implementPrompt, Docs: slices.Concat(docs, p.f.in.Context), Task: p.text(a), Schema: builtSchema,
		Commands: p.f.allowed(), Private: p.f.s.Private, Budget: p.f.in.Budget, Model: p.f.tier("implement"),
	})
	if err == nil {
		p.spend(step.Turned("implement", out))
	}
	return out, err
}

// task is what a part's author may do. Its commands are those of the plan that run tests of its own files only: what needs
// the other parts is asked of the whole.
func (p *part) task(a *attempt) step.TaskIn {
	t := step.Owned(p.files, p.p.Title, nil)
	t.ID, t.Type, t.HeldOut = p.f.name+"/"+p.id, p.f.plan.Type, p.held
	in := a.Answer.Proof(step.TaskIn{Private: p.f.s.Private, Base: a.Base, Tree: a.Tree, Task: t, Request: p.f.in.Request, Coverage: true})
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

func (p *part) text(a *attempt) string {
	b := p.f.goal()
	fmt.Fprintf(b, "Others build the other parts at the same time, from the same start. Build all of your part and nothing else: %s\nYour files:\n", pdca.Line(p.p.Title))
	for _, file := range p.files {
		fmt.Fprintf(b, "- %s %s\n", file.Action, file.Path)
	}
	b.WriteString("The other files of the design do not exist yet and are not yours: build against their signatures only where the project builds without them.\n")
	p.f.rulesFor(b, "the engine runs them when all parts are there")
	turn.Hints(b, a.Hints)
	a.Back.Again(b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}
