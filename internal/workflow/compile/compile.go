// Package compile decides how changed specs become verified code: module by
// module in the order of their dependencies, tests first (RED), then code
// that passes them (GREEN), then conventions (REFACTOR), then landing.
//
// It is pure: it asks for steps, judges their outcomes and notes what people
// want to know. Agents write code and return one JSON object; nothing that
// they say decides what happens next.
package compile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// Workflow is `jacquard build`.
var Workflow = flow.Workflow[step.CompileIn, step.CompileOut]{Name: "compile", Fn: run}

// Limits of loops. Earlier tools say "3 retries"; that is 3 attempts in all (docs/differences.md).
const (
	redRounds   = 3
	greenRounds = 3
	landRounds  = 3
	minGain     = 5 // review points a RED round must gain to be followed by another
)

func run(c *flow.Ctx, in step.CompileIn) (step.CompileOut, error) {
	plan, err := turn.Do(c, "plan", step.Plan, in)
	if err != nil {
		return step.CompileOut{}, err
	}
	mods, err := flow.Load[[]step.PlanModule](c, plan.Modules)
	if err != nil {
		return step.CompileOut{}, err
	}
	note := planNote(plan, mods)
	flow.Note(c, "planned", note)
	out := step.CompileOut{Modules: len(mods), Broken: plan.Broken, LeftOut: plan.LeftOut, UpToDate: plan.UpToDate}
	out.Usage.Known = true
	out.Verified = note.Verified()
	if len(mods) == 0 {
		return out, nil
	}
	results, err := flow.All(c, "module", mods, func(m step.PlanModule) string { return m.Dir },
		func(c *flow.Ctx, m step.PlanModule) (step.ModuleResult, error) {
			return module(c, in, plan, m)
		})
	if err != nil {
		return step.CompileOut{}, first(err)
	}
	var landed []string
	for _, r := range results {
		out = add(out, r)
		if r.Delivered {
			landed = append(landed, r.Dir)
		}
	}
	if in.Delivery == step.ToTree || len(landed) == 0 {
		return out, nil
	}
	how := step.DeliverIn{How: in.Delivery, Branch: in.Branch, Modules: bound(landed, 200), Base: plan.Commit}
	out.Delivered, err = turn.HandOver(c, in.Pull, how, pull(out, results))
	out.Verified = out.Verified && out.Why == ""
	return out, err
}

func planNote(p step.PlanOut, mods []step.PlanModule) step.PlanNote {
	n := step.PlanNote{Count: len(mods), UpToDate: p.UpToDate, LeftOut: p.LeftOut, Warnings: p.Warnings, Problems: p.Problems}
	for _, m := range bound(mods, 200) {
		n.Modules = append(n.Modules, m.Dir)
		n.Reasons = append(n.Reasons, m.Reason)
		n.Needs = append(n.Needs, m.Needs)
	}
	return n
}

// first keeps one failure of many: the run's exit code comes from its class,
// and a class that needs a person is more useful than the ones it caused.
func first(err error) error {
	order := []flow.Class{flow.Auth, flow.Billing, flow.Environment, flow.Budget, flow.Limit, flow.Cancelled}
	var all []*flow.Failure
	var walk func(error)
	walk = func(e error) {
		var many interface{ Unwrap() []error }
		if errors.As(e, &many) {
			for _, x := range many.Unwrap() {
				walk(x)
			}
			return
		}
		all = append(all, flow.AsFailure(e))
	}
	walk(err)
	for _, c := range order {
		for _, f := range all {
			if f.Class == c {
				return f
			}
		}
	}
	return all[0]
}

func add(o step.CompileOut, r step.ModuleResult) step.CompileOut {
	switch r.Status {
	case step.Success:
		o.Succeeded++
	case step.Warning:
		o.Warned++
		if r.Delivered && !r.Unproved {
			o.Weak++
		}
	case step.Blocked:
		o.Blocked++
	}
	o.Verified = o.Verified && r.Delivered && r.Status != step.Blocked && !r.Unproved
	o.Generated += len(r.Generated)
	o.Skipped += len(r.Skipped)
	o.Passed += r.Tests.Passed
	o.Failed += r.Tests.Failed
	o.Usage = o.Usage.Add(r.Usage)
	if r.Delivered {
		o.Warnings = append(o.Warnings, turn.Left(r.Dir, r.Findings)...)
	}
	return o
}

// bound cuts a list for outputs and prompts.
func bound[T any](list []T, n int) []T {
	if len(list) > n {
		return slices.Clone(list[:n])
	}
	return list
}

// pull is the pull request of a build: each module with what is known of the items of its spec.
func pull(out step.CompileOut, results []step.ModuleResult) turn.Pull {
	p := turn.Pull{Type: "build", Draft: !out.Verified}
	var built, proof, open []string
	for _, r := range results {
		if !r.Delivered {
			open = append(open, r.Dir+": "+turn.Clip(r.Reason, 300))
			continue
		}
		built = append(built, r.Dir)
		levels := map[step.Level]int{}
		for _, i := range r.Items {
			levels[i.Level]++
		}
		line := fmt.Sprintf("%s: %d tests", r.Dir, r.Tests.Passed)
		for _, l := range slices.Sorted(maps.Keys(levels)) {
			line += fmt.Sprintf(", %d items %s", levels[l], l)
		}
		if r.Mutants.Tried > 0 {
			line += fmt.Sprintf(", %d of %d mutants killed", r.Mutants.Killed, r.Mutants.Tried)
		}
		proof = append(proof, line)
	}
	p.Name = strings.Join(built, " ")
	p.Title = turn.Clip("build "+strings.Join(built, ", "), 120)
	p.Body = turn.PullBody("", nil, proof, open, nil)
	return p
}
