package work

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// maxEdits bounds how often one document is edited at its gate.
const maxEdits = 20

// approval is a gate with what a person reads there.
type approval struct {
	key   string
	agent string // of the activity log
	text  func() string
	// edited takes an edited document over; the findings say why it cannot be.
	edited func(c *flow.Ctx, raw []byte) ([]step.Finding, error)
}

// gate asks a person, unless nobody is to be asked. What was edited is shown again before it runs. why is the reason of
// a rejection.
func (w *request) gate(c *flow.Ctx, a approval) (ok bool, why string, err error) {
	if w.in.Yes {
		return true, "", nil
	}
	c = c.Sub(a.key)
	note := ""
	w.edited = ""
	for _, c := range flow.Rounds(c, "ask", maxEdits) {
		kept, err := turn.Do(c, "keep", step.KeepPlan, w.plan)
		if err != nil {
			return false, "", err
		}
		flow.Note(c, "gate", step.WorkNote{Work: w.s.Work, Mode: w.plan.Mode, Reasons: w.reasons, Requirement: w.plan.Requirement, Plan: kept.Plan})
		what, text, err := turn.Gate(c, "approve", readable(note+a.text()))
		switch {
		case err != nil:
			return false, "", err
		case what == flow.Approve:
			w.say(c, a.agent, "the "+a.key+" was approved by the user")
			return true, "", nil
		case what == flow.Reply && json.Valid([]byte(text)) && strings.HasPrefix(text, "{"):
			findings, err := a.edited(c, []byte(text))
			if err != nil {
				return false, "", err
			}
			note = "edited:\n"
			if len(findings) > 0 {
				var b strings.Builder
				b.WriteString(step.EditRefused + "\n")
				for _, f := range findings {
					fmt.Fprintf(&b, "  %s\n", f.Message)
				}
				note = b.String()
			} else {
				w.edited = a.text()
			}
		default:
			if text == "" || strings.EqualFold(text, flow.Reject) {
				text = "not like this; find another way"
			}
			return false, text, nil
		}
	}
	return false, "edited too often", nil
}

// readable is a text for a terminal: what cannot be printed is shown as such, so that nothing hides what is approved.
func readable(s string) string {
	s = step.Readable(s)
	const most = 12_000
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "\n… there is more; jacquard edit shows the rest\n"
	}
	return s
}

func (w *request) requirementGate() approval {
	return approval{key: "requirement", agent: "SPECIFIER", text: w.requirementText, edited: func(c *flow.Ctx, raw []byte) ([]step.Finding, error) {
		before, proposal := w.plan, w.proposal
		var edited struct {
			step.Requirement

			Task *task.Task `json:"task"`
		}
		if err := json.Unmarshal(raw, &edited); err != nil {
			return []step.Finding{{Message: err.Error()}}, nil //nolint:nilerr // a person is told, and edits again
		}
		r := edited.Requirement
		switch {
		case edited.Task != nil:
			w.proposal = *edited.Task
		case !slices.Equal(r.Functional, before.Requirement.Functional):
			w.proposal.HeldOut = nil // they were worked out from other words
		}
		r.Title, r.Type, r.Assumed, r.Areas = before.Requirement.Title, before.Requirement.Type, before.Requirement.Assumed, before.Requirement.Areas
		w.plan.Requirement = r
		findings := soundRequirement(r)
		mode, reasons := firstMode(r, w.in)
		if len(findings) == 0 {
			var err error
			if findings, err = w.check(c, "requirement", []task.Task{w.whole()}); err != nil {
				return nil, err
			}
		}
		if len(findings) > 0 {
			w.plan, w.proposal = before, proposal
			return findings, nil
		}
		w.plan.Mode, w.reasons = mode, reasons
		return nil, nil
	}}
}

func (w *request) planGate() approval {
	return approval{key: "plan", agent: "PLANNER", text: w.planText, edited: func(c *flow.Ctx, raw []byte) ([]step.Finding, error) {
		var p planned
		if err := json.Unmarshal(raw, &p); err != nil {
			return []step.Finding{{Message: err.Error()}}, nil //nolint:nilerr // a person is told, and edits again
		}
		before := w.plan.Requirement
		w.plan.Requirement.Criteria = replaced(before.Criteria, w.plan.Tasks, p.Tasks)
		findings, err := w.check(c, "plan", p.Tasks)
		if err != nil || len(findings) > 0 {
			w.plan.Requirement = before
			return findings, err
		}
		if p.Goal != "" {
			w.plan.Goal = p.Goal
		}
		w.plan.Mode, w.reasons = planMode(w.plan.Tasks, w.in.Router)
		return nil, nil
	}}
}

// replaced are criteria after a person has edited the tasks: a command that is in none of them any more shows nothing, and
// the one that has come in its place does.
func replaced(criteria []step.Criterion, before, after []task.Task) []step.Criterion {
	gone, come := without(before, after), without(after, before)
	out := slices.Clone(criteria)
	for i, k := range out {
		n := slices.Index(gone, k.Command)
		switch {
		case n < 0:
		case len(come) == len(gone):
			out[i].Command = come[n]
		default:
			out[i].Command = ""
		}
	}
	return out
}

// without are the commands of tasks that others do not have.
func without(tasks, others []task.Task) []string {
	var out []string
	for _, t := range tasks {
		for _, line := range t.Commands() {
			if !slices.Contains(out, line) && !slices.ContainsFunc(others, func(o task.Task) bool { return slices.Contains(o.Commands(), line) }) {
				out = append(out, line)
			}
		}
	}
	return out
}

// requirementText is the requirement as a person reads it at the gate.
func (w *request) requirementText() string {
	var b strings.Builder
	r := w.plan.Requirement
	fmt.Fprintf(&b, "%s: %s\n", w.s.Work, r.Title)
	item := func(kind string, list []string) {
		for i, id := range task.Numbered(kind, len(list)) {
			fmt.Fprintf(&b, "  %s  %s\n", id, list[i])
		}
	}
	item("FR", r.Functional)
	item("NFR", r.NonFunctional)
	for i, id := range task.Numbered("AC", len(r.Criteria)) {
		fmt.Fprintf(&b, "  %s  %s\n", id, r.Criteria[i].Text)
		if c := r.Criteria[i].Command; c != "" {
			fmt.Fprintf(&b, "         $ %s\n", c)
		} else {
			b.WriteString("         no command checks it: check it yourself at the end\n")
		}
	}
	for _, d := range w.plan.Decisions {
		if d.By == "auto" && d.Question == step.Assumed {
			fmt.Fprintf(&b, "  assumed: %s\n", d.Answer)
		}
	}
	if w.plan.Mode == step.DirectMode {
		b.WriteString("task:\n")
	} else {
		b.WriteString("A plan comes next:\n")
	}
	for _, s := range w.reasons {
		fmt.Fprintf(&b, "  %s\n", s)
	}
	if w.plan.Mode == step.DirectMode {
		w.tasksText(&b)
	}
	return b.String()
}

// planText is the plan as a person reads it at the gate.
func (w *request) planText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%s\nplan:\n", w.s.Work, w.plan.Requirement.Title, w.plan.Goal)
	for _, s := range w.reasons {
		fmt.Fprintf(&b, "  %s\n", s)
	}
	w.tasksText(&b)
	for _, s := range w.plan.Added {
		fmt.Fprintf(&b, "added: %s\n", s)
	}
	return b.String()
}

func (w *request) tasksText(b *strings.Builder) {
	for _, t := range w.plan.Tasks {
		after := ""
		if len(t.Needs) > 0 {
			after = " ← " + strings.Join(t.Needs, ", ")
		}
		if slices.Contains(w.s.Landed, t.ID) {
			fmt.Fprintf(b, "  %s%s  %s: %s (done)\n", t.ID, after, t.Type, t.Title)
			continue
		}
		fmt.Fprintf(b, "  %s%s  %s: %s\n", t.ID, after, t.Type, t.Title)
		for s := range strings.Lines(turn.Clip(strings.TrimSpace(t.Scope), 3000)) {
			fmt.Fprintf(b, "      %s\n", strings.TrimRight(s, " \n"))
		}
		if len(t.Covers) > 0 && w.plan.Mode != step.DirectMode {
			fmt.Fprintf(b, "      for %s\n", strings.Join(t.Covers, ", "))
		}
		for _, f := range t.Files {
			fmt.Fprintf(b, "      %-6s %s\n", f.Action, f.Path)
		}
		for _, v := range t.Commands() {
			fmt.Fprintf(b, "      $ %s\n", v)
		}
	}
	var both []string
	for _, t := range w.plan.Tasks {
		for _, f := range t.Files {
			if slices.Contains(w.s.Dirty, f.Path) && !slices.Contains(both, f.Path) {
				both = append(both, f.Path)
			}
		}
	}
	if len(both) > 0 {
		fmt.Fprintf(b, "not committed, and changed by this plan: %s. Commit or stash it before the end, or the result is not put on your branch\n", strings.Join(both, ", "))
	}
}
