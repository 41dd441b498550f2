package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// checkpointStyle is that of runs that build checkpoints against contracts.
var checkpointStyle = style{
	defs:   []string{"develop"},
	begin:  func(r *Run, of flow.Run) { r.Develop = developOf(of) },
	result: func() step.Result { return &step.DevelopOut{} },
	start:  (*Run).developStarted,
	note:   (*Run).developNote,
	next:   func(*Run) string { return "jacquard develop --resume" },
}

// Develop is where a run of develop stands: what its state file says, and the name of its feature.
type Develop struct {
	checkpoint.State

	Name string `json:"name,omitempty"`
	Step string `json:"step,omitempty"` // what runs now: a role, prove, goals
}

// maxFeature is how much of a request the state file repeats, in characters.
const maxFeature = 120

// developOf is where a run of develop begins.
func developOf(r flow.Run) *Develop {
	d := &Develop{}
	d.Phase, d.Started = checkpoint.DesignPhase, r.Started
	var in step.DevelopIn
	if json.Unmarshal(r.In, &in) == nil {
		text := []rune(pdca.Line(in.Request))
		if len(text) > maxFeature {
			text = append(text[:maxFeature-1], '…')
		}
		if d.Feature = string(text); in.Prior != nil && !in.Prior.Started.IsZero() {
			d.Started = in.Prior.Started
		}
	}
	return d
}

// developStarted notes what runs now: a role, or a step of code, of a checkpoint or of the whole.
func (r *Run) developStarted(e flow.Event) bool {
	_, id, _ := strings.Cut(e.Branch, "task/")
	role, _, what := Split(strings.TrimPrefix(strings.TrimPrefix(e.Key, e.Branch), ":"))
	if what != "turn" {
		role = what
	}
	if id == "" {
		r.Develop.Step = role
		return true
	}
	m := r.Module(id)
	if m.Started.IsZero() {
		m.Started = e.At
	}
	if what == "head" { // it has not begun
		return true
	}
	m.Phase, m.Step = role, ""
	for _, k := range r.Develop.Checkpoints {
		if k.ID == id {
			m.Attempt = k.Iteration
		}
	}
	return true
}

// developNote takes a fact of a run of develop.
func (r *Run) developNote(e flow.Event) {
	if strings.HasSuffix(e.Key, "judged") || strings.HasSuffix(e.Key, "/landing") {
		var a step.AttemptNote
		if json.Unmarshal(e.Data, &a) != nil {
			return
		}
		if m, _ := r.place(e); m != nil {
			m.Attempts = append(m.Attempts, told(a))
			r.leaves(m.Dir, a)
			r.cost(m, a.Usage)
		}
		return
	}
	var n step.DevelopNote
	if json.Unmarshal(e.Data, &n) != nil {
		return
	}
	d := r.Develop
	if n.Phase != "" {
		d.Phase = n.Phase
		if n.Phase == checkpoint.DesignPhase {
			d.Checkpoints = nil
		}
	}
	d.Name, d.Strategy = cmp.Or(n.Feature, d.Name), cmp.Or(n.Strategy, d.Strategy)
	for _, k := range n.Checkpoints {
		d.Checkpoints = append(d.Checkpoints, checkpoint.Progress{ID: k.ID, Status: checkpoint.Pending})
		r.expect(k.ID, k.Title, k.Needs)
	}
	if p := n.Progress; p != nil {
		for i := range d.Checkpoints {
			if d.Checkpoints[i].ID == p.ID {
				d.Checkpoints[i] = *p
			}
		}
	}
	if m, rest := r.place(e); m != nil && rest == "result" && n.Result != nil {
		r.built(m, e, n.Result.TaskResult)
	}
}

// EarlierDevelop says where an earlier run of develop stands.
func EarlierDevelop(l Lang, d Develop) string {
	return fmt.Sprintf(l.T("earlier run: '%s', phase %s\n"), d.Feature, d.Phase) + checkpointsOf(l, d)
}

// DevelopLine says where a run of develop stands.
func DevelopLine(l Lang, d Develop) string {
	return fmt.Sprintf(l.T("phase %s\n"), d.Phase) + checkpointsOf(l, d)
}

func checkpointsOf(l Lang, d Develop) string {
	if len(d.Checkpoints) == 0 {
		return ""
	}
	return fmt.Sprintf(l.T("checkpoints: %s\n"), d.Line())
}

// DevelopFact is the text of a note of a run of develop; id is the checkpoint that it is about, "" for none.
func DevelopFact(l Lang, id string, n step.DevelopNote) string {
	var b strings.Builder
	switch {
	case n.Requirement != nil:
		fmt.Fprintf(&b, "  · %s: %s\n", n.Feature, pdca.Line(n.Requirement.Title))
	case n.Phase != "":
		fmt.Fprintf(&b, l.T("• phase %s\n"), n.Phase)
	case n.Strategy != "":
		fmt.Fprintf(&b, l.T("  · strategy %s: %s\n"), n.Strategy, n.Why)
	case len(n.Checkpoints) > 0:
		fmt.Fprint(&b, Countf(l.T("%d checkpoints:\n"), len(n.Checkpoints)))
		for _, k := range n.Checkpoints {
			fmt.Fprintf(&b, "  %s %s", k.ID, k.Title)
			if len(k.Needs) > 0 {
				fmt.Fprintf(&b, l.T(" (after %s)"), strings.Join(k.Needs, ", "))
			}
			b.WriteByte('\n')
		}
	case n.Result != nil:
		b.WriteString(Task(l, n.Result.TaskResult))
	case n.About != "":
		blocking := 0
		for _, x := range n.Issues {
			if x.Severity == "Blocking" {
				blocking++
			}
		}
		if n.About == "design" {
			fmt.Fprintf(&b, l.T("  · design review: %d blocking, %d in total\n"), blocking, len(n.Issues))
		} else {
			fmt.Fprintf(&b, l.T("  · code review: %d blocking, %d in total\n"), blocking, len(n.Issues))
		}
		for _, x := range n.Issues {
			fmt.Fprintf(&b, "    %s\n", x)
			if x.Refuted != "" {
				fmt.Fprintf(&b, l.T("      not blocking: %s\n"), x.Refuted)
			}
		}
	case len(n.Goals) > 0:
		b.WriteString(goals(l, n.Round, n.Goals))
	case n.Pull != nil:
		b.WriteString(pullFact(l, *n.Pull, n.Round))
	case n.Text != "":
		fmt.Fprintf(&b, "  · %s\n", pdca.Line(n.Text))
	case n.Progress != nil && n.Progress.Status == checkpoint.InProgress:
		fmt.Fprintf(&b, l.T("  • %s - iteration %d of 3\n"), id, n.Progress.Iteration)
	}
	return b.String()
}

// pullFact says where a pull request and its CI stand; round 0 is its beginning.
func pullFact(l Lang, p step.PullResult, round int) string {
	if round == 0 {
		return fmt.Sprintf(l.T("  · pull request %s (%s → %s)\n"), p.URL, p.Branch, p.Base)
	}
	count := map[step.CIStatus]int{}
	text := ""
	for _, k := range p.Checks {
		if count[k.Status]++; k.Status == step.CIFailed {
			text += fmt.Sprintf("    %s: %s\n", pdca.Line(k.Name), k.Conclusion)
		}
	}
	return fmt.Sprintf(l.T("  · CI %d: %d passed, %d failed, %d pending\n"), round, count[step.CIPassed], count[step.CIFailed], count[step.CIPending]) + text
}

// checkpointsEnd is the text at the end of a run of develop, whose branch is ref.
func checkpointsEnd(l Lang, r *Run, o *step.DevelopOut, ref string) string {
	e := r.ended(l, o.End.Reason == "passed")
	var shown []step.Level
	for _, k := range o.Checkpoints {
		if k.Status == step.Success {
			shown = append(shown, k.Tests.Level)
		}
	}
	if o.End.Reason == "passed" {
		e.done = Countf(l.T("%s: done (commit %s, %d of %d checkpoints, %d files)"), o.Feature, clip7(o.Commit), len(shown), len(o.Checkpoints), len(o.Files))
		e.undelivered(l)
	} else {
		e.done = fmt.Sprintf(l.T("%s: not done: %s"), o.Feature, o.End)
		open := slices.DeleteFunc(step.Each(o.Open, pdca.Line), func(s string) bool { return s == "" || s == pdca.Line(o.End.Detail) })
		e.open = append(open, e.open...)
	}
	e.proof = lines(levels(l, l.T("checkpoints"), shown, len(o.Checkpoints)))
	if o.Pull != nil {
		ref = o.Ref
	}
	e.document(l, o.Document, ref, o.Verified && o.Pull == nil)
	return e.text(l)
}
