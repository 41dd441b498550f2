package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// featureStyle is that of runs that plan, design, do and check a feature.
var featureStyle = style{
	defs: []string{"auto"},
	begin: func(r *Run, of flow.Run) {
		if in, err := Decode[step.AutoIn](of.In); err == nil {
			r.asked = in.Request
		}
	},
	result: func() step.Result { return &step.AutoOut{} },
	start: func(r *Run, e flow.Event) bool {
		if _, ok := ModuleOf(e.Branch); ok {
			return false
		}
		r.Feature = cmp.Or(r.Feature, &Feature{Name: "auto", Phase: "estimate"})
		phase, _, what := Split(e.Key)
		if r.Feature.Step = what; what == "turn" {
			r.Feature.Step = phase
		}
		return true
	},
	note: (*Run).featureNote,
	next: func(r *Run) string { return "jacquard auto " + Word(r.asked) },
}

// scored is the block that says how complex a request is.
func scored(l Lang, n step.PhaseNote) string {
	names := map[string]string{
		pdca.PointFiles: l.T("files:        "), pdca.PointArchitecture: l.T("architecture: "), pdca.PointDependencies: l.T("dependencies: "), pdca.PointModules: l.T("modules:      "),
		pdca.PointExplicit: l.T("requested:    "),
	}
	var b strings.Builder
	fmt.Fprintln(&b, l.T("=== complexity ==="))
	for _, p := range n.Score.Points {
		fmt.Fprintf(&b, l.T("%s%d"), names[p.Name], p.Value)
		if p.Reason != "" {
			fmt.Fprintf(&b, " (%s)", pdca.Line(p.Reason))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, l.T("total: %d/5 -> %s\n"), n.Score.Total, n.Mode)
	b.WriteString("===================\n")
	return b.String()
}

// FeatureLine says where a feature stands.
func FeatureLine(l Lang, f Feature) string {
	if f.Mode == "" { // it has no name yet, nor a way
		return fmt.Sprintf(l.T("phase %s\n"), f.Phase)
	}
	return fmt.Sprintf(l.T("%s (%s): phase %s, attempts %d\n"), f.Name, f.Mode, f.Phase, f.Attempts)
}

// Phase is the text of a note of a run of auto.
func Phase(l Lang, n step.PhaseNote) string {
	switch {
	case n.Score != nil:
		return scored(l, n)
	case n.Reviews != nil:
		return review(l, n)
	case len(n.Goals) > 0:
		return goals(l, n.Round, n.Goals)
	case n.Gap != nil:
		return fmt.Sprintf(l.T("  · %d %% of the design is implemented\n"), *n.Gap)
	case n.Text != "":
		return fmt.Sprintf("  · %s: %s\n", n.Phase, pdca.Line(n.Text))
	case n.Phase != "":
		return fmt.Sprintf(l.T("• phase %s (%s)\n"), n.Phase, n.Mode)
	}
	return ""
}

// goals is a line with what checks of a round have shown.
func goals(l Lang, round int, list []step.Goal) string {
	said := step.Each(list, func(g step.Goal) string { return g.Goal + " " + string(g.Status) })
	return fmt.Sprintf(l.T("  · checks %d: %s\n"), round, strings.Join(said, ", "))
}

func review(l Lang, n step.PhaseNote) string {
	var b strings.Builder
	r := n.Reviews
	fmt.Fprintf(&b, l.T("  · %s %d: %s\n"), r.Role, n.Round, r.Verdict)
	for _, s := range r.Reasons {
		fmt.Fprintf(&b, "    %s\n", l.Asked(pdca.Line(s)))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "    [%s] %s:%d %s\n", f.Severity, f.Path, f.Line, pdca.Line(l.Finding(f.Message)))
	}
	return b.String()
}

// featureEnd is the text at the end of a run of auto, whose branch is ref.
func featureEnd(l Lang, r *Run, o *step.AutoOut, ref string) string {
	if o.End.Reason == "" { // nothing but the score was asked for
		return ""
	}
	e := r.ended(l, o.End.Reason == "passed")
	if o.End.Reason == "passed" {
		e.done = Countf(l.T("%s (%s): done (commit %s, %d files, %d tests)"), o.Feature, o.Mode, clip7(o.Commit), len(o.Files), o.Tests.Passed)
		e.undelivered(l)
		e.proof = lines(Shown(l, o.Tests))
	} else {
		e.done = fmt.Sprintf(l.T("%s (%s): not done: %s"), o.Feature, o.Mode, o.End)
		e.open = append(step.Each(o.Open, pdca.Line), e.open...)
		if o.End.Reason == "untested" {
			e.open = append(e.open, l.T("to accept it without a test, or to say how to test it, run the same request again without --yes: it continues from here"))
		}
	}
	e.cost[0] += Countf(l.T(", %d attempts, %d check cycles, %d fixes"), o.Attempts, o.QA, o.Fixes)
	e.document(l, o.Document, ref, o.Verified)
	for _, d := range o.Context {
		e.result = append(e.result, fmt.Sprintf(l.T("context: %s"), d.Path))
	}
	if o.Issue != "" {
		e.result = append(e.result, fmt.Sprintf(l.T("issue: %s"), o.Issue))
	}
	return e.text(l)
}

// Feature is where a run of auto stands.
type Feature struct {
	Name       string    `json:"feature"`
	Mode       pdca.Mode `json:"mode,omitempty"`
	Phase      string    `json:"phase"` // estimate, plan, design, do, gate, qa, verify, act, report
	Gap        *int      `json:"gap,omitempty"`
	Iterations int       `json:"iterations"`     // entries into act
	Attempts   int       `json:"attempts"`       // of the implementation
	Step       string    `json:"step,omitempty"` // what runs now: a role, prove, goals
	Remaining  []string  `json:"remaining,omitempty"`
	Building   string    `json:"building,omitempty"`
	Documents  string    `json:"documents,omitempty"` // folder that they are in; "" is the project
	Without    []string  `json:"without,omitempty"`   // documents that the style does not write
}

// featureNote takes a fact of a run of auto.
func (r *Run) featureNote(e flow.Event) {
	r.Feature = cmp.Or(r.Feature, &Feature{})
	f := r.Feature
	if strings.HasSuffix(e.Key, "/ended") {
		var o step.AutoOut
		if json.Unmarshal(e.Data, &o) == nil {
			r.Usage = o.Usage
		}
		return
	}
	if strings.HasSuffix(e.Key, "judged") || strings.HasSuffix(e.Key, "/landing") {
		var a step.AttemptNote
		if json.Unmarshal(e.Data, &a) != nil {
			return
		}
		r.Usage = a.Usage
		_, part, _ := strings.Cut(e.Branch, "task/")
		r.leaves(path.Join(f.Name, part), a)
		if a.Phase != "do" {
			return
		}
		f.Attempts, f.Remaining, f.Building = a.Attempt, nil, "in_progress"
		if a.Passed {
			f.Building = "completed"
		}
		for _, x := range a.Findings {
			if !a.Passed && x.Severity != step.Warn {
				f.Remaining = append(f.Remaining, strings.TrimSpace("["+x.Rule+"] "+x.Path))
			}
		}
		for _, t := range a.Failures {
			f.Remaining = append(f.Remaining, t.ID)
		}
		return
	}
	var n step.PhaseNote
	if json.Unmarshal(e.Data, &n) != nil || n.Phase == "" {
		return
	}
	if n.Feature != "" {
		f.Name, f.Phase, f.Documents, f.Without = n.Feature, n.Phase, n.Documents, n.Without
		if n.Phase == "act" {
			f.Iterations++
		}
	}
	f.Mode, f.Gap = cmp.Or(n.Mode, f.Mode), cmp.Or(n.Gap, f.Gap)
}

// State is what the status file says of the feature. verified says how a run that has ended did.
func (f Feature) State(started time.Time, ended, verified bool) pdca.FeatureState {
	at := func(p string) string { return path.Join(f.Documents, p) }
	s := pdca.FeatureState{
		Name: f.Name, MatchRate: f.Gap, Iterations: f.Iterations, Started: started, Attempts: f.Attempts, Building: f.Building, Remaining: f.Remaining,
		Phase: map[string]string{
			"estimate": pdca.StatusPlan, "plan": pdca.StatusPlan, "design": pdca.StatusDesign, "do": pdca.StatusDo, "gate": pdca.StatusDo, "qa": pdca.StatusCheck, "verify": pdca.StatusCheck,
			"act": pdca.StatusAct, "report": pdca.StatusAct,
		}[f.Phase],
		Documents: map[string]string{pdca.PlanDoc: at(pdca.PlanPath(f.Name))},
	}
	if f.Mode.Above(pdca.Light) {
		s.Documents[pdca.DesignDoc], s.Documents[pdca.AnalysisDoc] = at(pdca.DesignPath(f.Name)), at(pdca.GapPath(f.Name))
	}
	if f.Phase == "report" {
		s.Documents[pdca.ReportDoc] = at(pdca.ReportPath(f.Name))
	}
	for _, d := range f.Without {
		delete(s.Documents, d)
	}
	if ended && verified {
		s.Phase = pdca.StatusCompleted
	}
	if ended && !verified && s.Building == "in_progress" {
		s.Building = "failed"
	}
	return s
}

// Discovered says what a project needs, by the tiers of discovery.
func Discovered(l Lang, tier int, finds []string) string {
	var b strings.Builder
	fmt.Fprintln(&b, map[int]string{
		0: l.T("nothing to do: checks pass, there are no TODOs, nothing is staged"), 2: l.T("tier 2, urgent: checks fail"), 3: l.T("tier 3, work: there are open TODOs"),
		4: l.T("tier 4, support: changes are staged, or the linter reports findings"), 5: l.T("tier 5, a proposal: long functions"),
	}[tier])
	for _, f := range finds {
		fmt.Fprintf(&b, "  %s\n", f)
	}
	return b.String()
}
