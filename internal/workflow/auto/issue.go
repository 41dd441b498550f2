package auto

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// How often the forge is asked when it is away, and how long between. Nobody waits for an issue.
const (
	tells     = 3
	tellAgain = 15 * time.Second
)

// issueLabel is on what auto opens.
const issueLabel = "auto"

// tell says on the forge what is planned: below the issue that the task names, else in one of its own. That it
// cannot be said is a warning, and stops nothing.
func (f *feature) tell(c *flow.Ctx) error {
	if f.in.Issue == nil {
		return nil
	}
	in := step.ForgeIssueIn{Number: f.in.Issue.Number, Title: f.name + ": " + f.title(), Body: f.issueText(), Label: issueLabel}
	for n, c := range flow.Rounds(c, "try", tells) {
		out, err := flow.Do(c, "say", step.ForgeIssue, in)
		switch class := flow.ClassOf(err); {
		case err == nil:
			f.out.Issue = out.URL
			text := fmt.Sprintf("commented on issue #%d: %s", out.Number, out.URL)
			if out.Opened {
				text = fmt.Sprintf("opened issue #%d: %s", out.Number, out.URL)
			}
			flow.Note(c, "told", step.PhaseNote{Phase: phasePlan, Text: text})
			return nil
		case class == flow.Cancelled:
			return err
		case class == flow.Transient && n < tells:
			if err := flow.Until(c, "pause", c.Now().Add(tellAgain)); err != nil {
				return err
			}
			continue
		}
		text := "no issue: " + turn.Clip(flow.AsFailure(err).Msg, 300)
		f.out.Warnings = append(f.out.Warnings, text)
		flow.Note(c, "untold", step.PhaseNote{Phase: phasePlan, Text: "⚠ " + text})
		return nil
	}
	return nil
}

// issueText is what is said: where the plan is, and what is in it.
func (f *feature) issueText() string {
	var b strings.Builder
	if f.s.Documents == "" && slices.Contains(f.style.Documents, pdca.PlanDoc) { // else nobody else can read it
		fmt.Fprintf(&b, "%s: %s\n\n", turn.Say(f.s.Language, "관련 Plan", "Related plan"), pdca.PlanPath(f.name))
	}
	for _, item := range f.plan.Items {
		fmt.Fprintf(&b, "- %s\n", pdca.Line(turn.Clip(item.Text, 300)))
	}
	return turn.Clip(b.String(), 8000)
}
