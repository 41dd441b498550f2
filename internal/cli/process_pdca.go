package cli

import (
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// autoLine is the text of a note of a run of auto.
func autoLine(l report.Lang, e flow.Event, _ string) string {
	switch {
	case isAttempt(e):
		return attemptLine(l, e, "auto")
	case strings.HasSuffix(e.Key, "/ended"):
		return ""
	}
	return worded(l, e, report.Phase)
}

// finished prints the answer of a run of auto.
func (p *project) finished(e *engine, rep *report.Run, blocks bool) error {
	out := rep.Result.(*step.AutoOut) //nolint:forcetypeassert // it is of auto
	if out.End.Reason != "" {
		if f := rep.Feature; f != nil {
			p.a.tellStatus(e.actor, f.State(rep.Started, true, out.Verified))
		}
		return p.ended(e, rep, blocks)
	}
	n := len(out.Context)
	if p.a.asJSON(rep) || n == 0 { // nothing but the score was asked for
		return nil
	}
	text, err := p.blobs.Get(out.Context[n-1].Blob)
	if err != nil {
		return err
	}
	_, _ = p.a.Out.Write(text)
	fmt.Fprintln(p.a.Err)
	for _, d := range out.Context {
		fmt.Fprintf(p.a.Err, p.a.lang().T("wrote %s\n"), d.Path)
	}
	return nil
}

// tellStatus writes the status file. That it cannot be written ends no run: it is a copy of what the journal has.
func (a *app) tellStatus(actor *act.Actor, s pdca.FeatureState) {
	mended, err := actor.WriteStatus(s)
	for _, m := range mended {
		fmt.Fprintf(a.Err, a.lang().T("⚠ %s was repaired: %s\n"), pdca.StatusPath, m)
	}
	if err != nil {
		fmt.Fprintf(a.Err, a.lang().T("⚠ %s could not be written: %v\n"), pdca.StatusPath, err)
	}
}
