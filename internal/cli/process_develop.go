package cli

import (
	"cmp"
	"fmt"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// developLine is the text of a note of a run of develop; id is the checkpoint that it is about.
func developLine(l report.Lang, e flow.Event, id string) string {
	if isAttempt(e) {
		return attemptLine(l, e, cmp.Or(id, "develop"))
	}
	return worded(l, e, func(l report.Lang, n step.DevelopNote) string { return report.DevelopFact(l, id, n) })
}

// developed prints the answer of a run of develop.
func (p *project) developed(e *engine, rep *report.Run, blocks bool) error {
	p.a.tellState(e.actor, rep.Develop.State)
	return p.ended(e, rep, blocks)
}

// tellState writes the state file. That it cannot be written ends no run: it is a copy of what the journal has.
func (a *app) tellState(actor *act.Actor, s checkpoint.State) {
	if err := actor.WriteState(s); err != nil {
		fmt.Fprintf(a.Err, a.lang().T("⚠ %s could not be written: %v\n"), checkpoint.StatePath, err)
	}
}

// agreeGate ends the key of a gate whose rejection goes back to the author.
const agreeGate = "/agree"
