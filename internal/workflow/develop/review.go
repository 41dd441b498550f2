package develop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// The severities of issues.
const (
	blocking = "Blocking"
	warning  = "Warning"
	info     = "Info"
)

// severities are the words that reviewers have for them, in small letters: also those of two other vocabularies.
// One that nobody knows is blocking.
var severities = map[string]string{
	"blocking": blocking, "critical": blocking, "warning": warning, "important": warning, "info": info, "nice": info, "nice-to-have": info, "nice to have": info,
}

// reviewed is what one reviewer has said.
type reviewed struct {
	Issues []step.Issue   `json:"issues"`
	Spent  step.RoleUsage `json:"spent"`
	Failed bool           `json:"failed,omitempty"`
}

// review lets the panel review the design, or the code, side by side. Code counts: what is blocking is returned once a
// second reviewer agrees; everything else is a warning of the report.
func (w *work) review(c *flow.Ctx, about string) ([]step.Issue, error) {
	r := request{role: about + "-reviewer", prompt: reviewPrompts[about], schema: reviewSchema, task: w.reviewText(about), docs: w.diff.List()}
	rounds := w.out.Rounds.CodeReview
	if about == "design" {
		r.tree, rounds = w.s.Tree, w.out.Rounds.Review
	}
	list, err := flow.All(c, "reviewer", w.seats(), seatKey, func(c *flow.Ctx, s seat) (reviewed, error) {
		t := w.turn(r)
		t.Attempt, t.Model = (rounds-1)*len(w.seats())+s.n, s.name
		out, answered, err := turn.Try(c.Sub("as").Sub(r.role), t)
		if !answered {
			return reviewed{Failed: true}, err
		}
		ans := reviewed{Spent: step.Turned(r.role, out)}
		return ans, turn.Decode(out.Answer, &ans)
	})
	if err != nil {
		return nil, err
	}
	var all []step.Issue
	valid := 0
	for i, a := range list {
		if a.Failed {
			w.out.Warnings = append(w.out.Warnings, fmt.Sprintf("reviewer %d of the %s has not answered", i+1, about))
			continue
		}
		valid++
		w.out.Spend(a.Spent)
		all = append(all, issues(a.Issues, i+1)...)
	}
	if valid == 0 { // who does not answer has not approved
		all = []step.Issue{{Severity: blocking, Message: "no reviewer has answered"}}
	} else if all, err = w.confirmed(c, r, all); err != nil {
		return nil, err
	}
	flow.Note(c, "reviewed", step.DevelopNote{About: about, Issues: all, Usage: w.out.Usage})
	var out []step.Issue
	for _, x := range all {
		if x.Severity == blocking {
			out = append(out, x)
		} else if text := strings.TrimSpace(x.String() + " " + refuted(x)); x.Severity == warning && !slices.Contains(w.out.Warnings, text) {
			w.out.Warnings = append(w.out.Warnings, text)
		}
	}
	w.out.Warnings = w.out.Warnings[:min(len(w.out.Warnings), 60)]
	return out, nil
}

// refuted says why an issue is not blocking, "" where nobody has said so.
func refuted(x step.Issue) string {
	if x.Refuted == "" {
		return ""
	}
	return "(not blocking: " + x.Refuted + ")"
}

// maxIssues bounds what is taken of one reviewer.
const maxIssues = 30

// issues are those of one reviewer, as code reads them.
func issues(list []step.Issue, by int) []step.Issue {
	var out []step.Issue
	for _, x := range list[:min(len(list), maxIssues)] {
		severity, known := severities[strings.ToLower(strings.TrimSpace(x.Severity))]
		if !known {
			severity = blocking
		}
		out = append(out, step.Issue{Severity: severity, Path: turn.Clip(x.Path, 300), Line: x.Line, About: turn.Clip(x.About, 60), Message: turn.Clip(strings.TrimSpace(x.Message), 600), By: by})
	}
	return out
}

// confirmed lets a second reviewer look at each blocking issue: the next of the panel, else one with fresh eyes. What he
// refutes with a reason is a warning; where he says nothing, it stands.
func (w *work) confirmed(c *flow.Ctx, r request, all []step.Issue) ([]step.Issue, error) {
	seats := w.seats()
	for _, s := range seats {
		var mine []int
		for i, x := range all {
			if x.By == s.n && x.Severity == blocking {
				mine = append(mine, i)
			}
		}
		if len(mine) == 0 {
			continue
		}
		var b strings.Builder
		b.WriteString(r.task + "\nAnother reviewer says these are blocking:\n")
		for j, i := range mine {
			fmt.Fprintf(&b, "- B-%d %s\n", j+1, all[i])
		}
		q := r
		q.role, q.prompt, q.schema, q.task, q.seat = "confirm", confirmPrompt, confirmSchema, b.String(), seats[s.n%len(seats)].name
		var ans struct {
			Items []struct {
				ID    string `json:"id"`
				Holds bool   `json:"holds"`
				Why   string `json:"why"`
			} `json:"items"`
		}
		if _, err := w.ask(c.Sub("confirm").Sub(fmt.Sprint(s.n)), q, &ans); err != nil && turn.EndsRun(err) {
			return nil, err // who does not answer has refuted nothing
		}
		for j, i := range mine {
			for _, k := range ans.Items {
				if k.ID == fmt.Sprintf("B-%d", j+1) && !k.Holds && strings.TrimSpace(k.Why) != "" {
					all[i].Severity, all[i].Refuted = warning, turn.Line(k.Why, 400)
				}
			}
		}
	}
	return all, nil
}

// issueText is a list of issues for people and authors.
func issueText(list []step.Issue) string {
	return strings.Join(append(texts(list), ""), "\n")
}

// texts are issues as lines.
func texts(list []step.Issue) []string { return step.Each(list, step.Issue.String) }
