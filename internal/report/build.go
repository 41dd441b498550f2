package report

import (
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

const buildDef = "compile"

// buildStyle is that of runs that build modules from their specs.
var buildStyle = style{
	defs:   []string{buildDef},
	result: func() step.Result { return &step.CompileOut{} },
	note: moduleNote(func(m *Module, res step.ModuleResult) step.Usage {
		m.Result = &res
		return res.Usage
	}),
	lacks: func(m *Module) bool { return m.Result == nil },
}

// moduleNote takes the facts of runs of modules: the plan, attempts, and the end of each, which is an R and tells what it cost.
func moduleNote[R any](end func(m *Module, res R) step.Usage) func(*Run, flow.Event) {
	return func(r *Run, e flow.Event) {
		m, rest := r.place(e)
		switch {
		case m == nil:
			r.planned(e)
		case rest == "result":
			if res, err := Decode[R](e.Data); err == nil {
				r.done(m, e, end(m, res))
			}
		default:
			r.attempt(e)
		}
	}
}

// planned takes the plan of a run of modules.
func (r *Run) planned(e flow.Event) {
	if e.Key != "planned" {
		return
	}
	p, err := Decode[step.PlanNote](e.Data)
	if err != nil {
		return
	}
	r.Plan = &p
	for i, dir := range p.Modules {
		var needs []string
		if i < len(p.Needs) { // journals of older versions have none
			needs = p.Needs[i]
		}
		r.expect(dir, p.Reasons[i], needs)
	}
}

// NothingToDo is the answer of a build that found everything up to date. why says why there is nothing that it could verify, "" where there is.
func NothingToDo(p step.PlanNote, why string) *Run {
	out := &step.CompileOut{UpToDate: p.UpToDate, LeftOut: p.LeftOut}
	out.Verified, out.Why, out.Usage.Known = p.Verified() && why == "", why, true
	return &Run{Usage: out.Usage, Workflow: buildDef, State: flow.Done, Plan: &p, Modules: []*Module{}, Result: out}
}
