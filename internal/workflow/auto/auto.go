// Package auto decides how a request passes plan, design, implementation, check and improvement: how much of that it gets
// (code computes it), who judges what, when a loop ends, and for which reason. All limits are here.
//
// It is pure, like every decider: it asks for steps, judges their outcomes and notes what people want to know.
package auto

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// Workflow is `jacquard auto`.
var Workflow = flow.Workflow[step.AutoIn, step.AutoOut]{Name: "auto", Fn: run}

// Limits that no size changes, see pdca.Style for the others. Each is compared as used >= max before the act.
const (
	repairRounds   = 1 // of a plan or a design that a gate of code sent back
	sameFailures   = 3 // attempts or cycles with one failure
	gateRejections = 2 // of the architect
	fixAttempts    = 2 // of one fix, until its proof holds
	maxReentries   = 3 // into the check, from the act
	maxFixes       = 5 // in check and act together
	e2eFixes       = 2 // after end-to-end tests that failed; none with --strict
	largeDiff      = 5 // files that promote by one step
)

// The phases.
const (
	phasePlan   = "plan"
	phaseDesign = "design"
	phaseDo     = "do"
	phaseGate   = "gate"
	phaseQA     = "qa"
	phaseVerify = "verify"
	phaseAct    = "act"
	phaseReport = "report"
)

// The reasons why a run ends, beside those of turn.Attempts.
const (
	passed        = "passed"
	needsDecision = "needs_decision"
	e2eFailed     = "e2e_failed"
)

// feature is one request on its way; its fields are derived anew on every re-run.
type feature struct {
	in     step.AutoIn
	style  pdca.Style
	s      step.AutoSurveyOut
	exists map[string]bool

	name   string
	plan   pdca.Plan
	design *pdca.Design   // nil in LIGHT
	held   []step.HeldOut // calls that the authors of plan and design keep from the author of the code
	tree   string         // of the project with what was built
	judged step.ReviewResult
	look   step.AutoLookOut // of tree
	out    step.AutoOut
	docs   []step.DocFile // not committed yet
	head   step.HeadOut   // of the run's branch; zero before the first commit
	asked  map[string]int // turns, by role
	found  string         // what the estimate has found
	notes  string         // of an architect on a HEAVY plan
	noted  []string       // the files that they are about
	shown  string         // tree of docs
	layout []step.Doc     // of the present tree, for those who read it
	story  []string       // what was sent back, for the report
	guided []string       // files that a guide has named: who follows it may change them
	back   *turn.Sent     // what was found in the last attempt; nil before the first
	mended []string       // what judges or checks have found before, and a fix was made for
	reply  string         // of the author of the last fix
	phase  string
}

func run(c *flow.Ctx, in step.AutoIn) (step.AutoOut, error) {
	s, exists, err := turn.Survey(c, step.SurveyIn{Request: in.Request, Language: in.Language, Homes: pdca.Homes})
	if err != nil {
		return step.AutoOut{}, err
	}
	f := &feature{in: in, style: pdca.OwnStyle(), s: s, tree: s.Tree, exists: exists, asked: map[string]int{}}
	if in.Style != nil {
		f.style = *in.Style
	}
	f.out.Usage.Known = true
	end, err := f.phases(c)
	if err != nil {
		return f.out, err
	}
	if f.in.DryRun || f.in.Wants != "" {
		return f.out, nil
	}
	f.out.End = end
	return f.out, f.report(c.Sub(phaseReport))
}

// phases carries the request through; an end that is not "passed" says where it stopped.
func (f *feature) phases(c *flow.Ctx) (step.End, error) {
	if err := f.sources(c.Sub("sources")); err != nil || f.in.Wants != "" {
		return step.End{}, err
	}
	if err := f.estimate(c.Sub("estimate")); err != nil || f.in.DryRun {
		return step.End{}, err
	}
	for _, phase := range []struct {
		name string
		do   func(*flow.Ctx) (step.End, error)
	}{{phasePlan, f.plans}, {phaseDesign, f.designs}, {phaseDo, f.builds}, {phaseGate, f.gate}, {phaseQA, f.check}} {
		if phase.name == phaseDesign && !f.size().Design || phase.name == phaseGate && !f.gated() {
			continue // it has none
		}
		f.enter(c, phase.name)
		end, err := phase.do(c.Sub(phase.name))
		if err != nil || end.Reason != "" {
			if end.Phase == "" {
				end.Phase = f.phase
			}
			return end, err
		}
	}
	return step.End{Reason: passed}, nil
}

// size is what the request gets.
func (f *feature) size() pdca.Size { return f.style.Sizes[f.out.Mode] }

// estimate asks what the request will touch, and code says what that makes it.
func (f *feature) estimate(c *flow.Ctx) error {
	f.enter(c, "estimate")
	var ans estimated
	for _, c := range flow.Rounds(c, "ask", 1+repairRounds) {
		if err := f.ask(c, request{role: "estimate", prompt: estimatePrompt, schema: estimateSchema, task: f.headText().String(), judge: true}, &ans); err != nil {
			return err
		}
		if f.in.Feature != "" || pdca.Feature(ans.Feature) != "" {
			break
		}
	}
	f.name = cmp.Or(pdca.Feature(f.in.Feature), pdca.Feature(ans.Feature), "feature") // it gets a number where that is taken
	f.out.Score = pdca.Rate(ans.Estimate, f.in.Request, f.in.Heavy, f.s.Roots)
	f.out.Mode = f.out.Score.Mode
	switch {
	case f.in.Eco:
		f.out.Mode = pdca.Light
	case f.in.Heavy:
		f.out.Mode = pdca.Heavy
	}
	f.out.Feature, f.found = f.name, turn.Clip(ans.Summary, 2000)
	if !f.in.DryRun {
		got, err := turn.Do(c, "claim", step.AutoClaim, step.AutoClaimIn{Feature: f.name, Tree: f.s.Tree, Own: f.in.Own})
		if err != nil {
			return err
		}
		f.name, f.out.Feature = got.Feature, got.Feature
	}
	flow.Note(c, "scored", step.PhaseNote{Phase: "estimate", Feature: f.name, Mode: f.out.Mode, Score: &f.out.Score, Text: turn.Clip(ans.Summary, 1000)})
	if f.in.Opus && f.out.Mode != pdca.Heavy {
		flow.Note(c, "no-opus", step.PhaseNote{Phase: "estimate", Text: fmt.Sprintf("--opus is for HEAVY, but this is %s", f.out.Mode)})
	}
	return nil
}

// promote raises the mode by one step, at the end of a phase. It never goes down, and not with --eco.
func (f *feature) promote(c *flow.Ctx, why string) bool {
	if f.in.Eco || f.out.Mode == pdca.Heavy {
		return false
	}
	from := f.out.Mode
	f.out.Mode = from.Next()
	text := fmt.Sprintf("%s → %s: %s", from, f.out.Mode, why)
	f.out.Promotions = append(f.out.Promotions, text)
	flow.Note(c, "promoted", step.PhaseNote{Phase: f.phase, Mode: f.out.Mode, Text: text})
	return true
}

// enter begins a phase, and closes the account of the one before.
func (f *feature) enter(c *flow.Ctx, phase string) {
	f.out.Enter(c.Now().UnixMilli(), phase)
	f.phase = phase
	if phase != "estimate" {
		flow.Note(c, "enter-"+phase, step.PhaseNote{Phase: phase, Feature: f.name, Mode: f.out.Mode, Documents: f.s.Documents, Without: f.style.Without()})
	}
}

// request is one turn of a role.
type request struct {
	role   string
	prompt string
	schema json.RawMessage
	task   string
	judge  bool // reads only
	docs   []step.Doc
}

// ask asks a role, and reads its answer.
func (f *feature) ask(c *flow.Ctx, r request, to any) error {
	_, err := f.turn(c, r, to)
	return err
}

// turn asks a role; to is what its answer is read into, nil where the caller does that.
func (f *feature) turn(c *flow.Ctx, r request, to any) (out step.TurnOut, err error) {
	f.asked[r.role]++
	if f.tree != f.shown { // what was built is part of what they are shown
		if f.layout, err = turn.Docs(c.Sub("as").Sub(r.role), f.s.ProjectFacts, f.tree, f.in.Request); err != nil {
			return out, err
		}
		f.shown = f.tree
	}
	t := step.Turn{
		Role: r.role, Module: cmp.Or(f.name, "auto"), Attempt: f.asked[r.role], Tree: f.tree, Instructions: r.prompt, Docs: slices.Concat(f.layout, f.in.Context, r.docs),
		Task: r.task, Schema: r.schema, Judge: r.judge, Budget: f.in.Budget, Model: f.tier(r.role),
	}
	if !r.judge {
		t.Base = f.s.Tree
		t.Commands, t.Private = f.allowed(), f.s.Private
	}
	if out, err = turn.Ask(c.Sub("as").Sub(r.role), t); err != nil {
		return out, err
	}
	if f.out.Spend(step.Turned(r.role, out)); to == nil {
		return out, nil
	}
	return out, turn.Decode(out.Answer, to)
}

// tier is which models a role gets, as docs/guides/costs.md says; "" = medium.
func (f *feature) tier(role string) string {
	switch role {
	case "estimate":
		return step.Low
	case "plan":
		if f.out.Mode == pdca.Light {
			return step.Low
		}
	case "design", "implement", "architect", "reviewer":
		if f.in.Opus && f.out.Mode == pdca.Heavy {
			return step.High
		}
	}
	return ""
}

// verdict asks a judge. An answer without a verdict is asked for once more; then the cautious one holds.
func (f *feature) verdict(c *flow.Ctx, r request, words [2]string) (step.ReviewResult, error) {
	good, cautious := words[0], words[1]
	out := step.ReviewResult{Role: r.role, Tree: f.tree, Verdict: cautious, Domain: "other"}
	for n, c := range flow.Rounds(c, "verdict", 2) {
		var ans judgement
		if n > 1 {
			r.task += fmt.Sprintf("\nYour answer had no verdict that can be read. Return the whole answer again; `verdict` is exactly one word: %s or %s.\n", good, cautious)
		}
		if err := f.ask(c, r, &ans); err != nil {
			if turn.EndsRun(err) {
				return out, err
			}
			out.Reasons = []string{"no verdict: " + string(flow.ClassOf(err))} // who does not answer has not approved
			break
		}
		out.Round = f.asked[r.role]
		out.Reasons, out.Guide, out.Items, out.Domain = turn.Texts(ans.Reasons), turn.Clip(ans.Guide, 3000), ans.Items, domain(ans.Domain)
		out.Items = out.Items[:min(len(out.Items), maxItems)]
		if v, ok := turn.Verdict(ans.Verdict, good, cautious); ok {
			out.Verdict = v
			break
		}
		out.Reasons = append(out.Reasons, "no verdict could be read")
	}
	if out.Verdict == cautious && len(out.Reasons) == 0 {
		out.Reasons = []string{"no reason was given"}
	}
	return out, nil
}

// maxItems bounds what is taken of an answer's lists.
const maxItems = 200

// decide asks a person whether an objection stops the run. Where a flag says that none does, it stays in the report.
func (f *feature) decide(c *flow.Ctx, objection string) (goOn bool, err error) {
	if f.in.Yes && !f.in.Accept {
		return false, nil
	}
	if !f.in.Accept {
		what, said, err := turn.Gate(c, "decide", turn.Clip(objection, 3000))
		if err != nil {
			return false, err
		}
		if what != flow.Approve {
			if said != "" {
				f.story = append(f.story, "a person: "+turn.Line(said, 600))
			}
			return false, nil
		}
	}
	f.out.Accepted = append(f.out.Accepted, turn.Clip(objection, 1000))
	return true, nil
}

// keep makes a document durable until it is committed, where the style has it.
func (f *feature) keep(c *flow.Ctx, what, at string, text []byte) error {
	if !slices.Contains(f.style.Documents, what) {
		return nil
	}
	out, err := turn.Do(c, "keep", step.AutoKeep, step.AutoKeepIn{Docs: []step.TextFile{{Path: path.Join(f.s.Documents, at), Text: string(text)}}})
	for _, d := range out.Docs {
		f.docs = slices.DeleteFunc(f.docs, func(o step.DocFile) bool { return o.Path == d.Path })
		f.docs = append(f.docs, d)
	}
	return err
}

// commit makes a commit of the tree and of the documents that wait for one.
func (f *feature) commit(c *flow.Ctx, kind, title string) error {
	in := step.AutoCommitIn{From: f.s.Commit, Base: f.s.Tree, Tree: f.tree, Feature: f.name, Type: kind, Title: title, Docs: f.docs}
	if f.head.Commit != "" {
		in.From, in.Base = f.head.Commit, f.head.Tree
	}
	out, err := turn.Do(c, "commit", step.AutoCommit, in)
	if err == nil {
		f.head, f.docs = step.HeadOut{Commit: out.Commit, Tree: f.tree}, nil
	}
	return err
}

// title is what the commit of the feature says.
func (f *feature) title() string {
	return cmp.Or(strings.TrimRight(pdca.Line(f.plan.Title), "."), f.name)
}

// kind is the type of the feature's commit.
func (f *feature) kind() string {
	return task.TypeOf(f.plan.Type)
}

// report ends the run: documents, the last commit, and what was verified on the user's branch.
func (f *feature) report(c *flow.Ctx) error {
	f.enter(c, phaseReport)
	f.out.Verified = f.out.End.Reason == passed
	if f.in.Opus && f.out.Mode != pdca.Heavy {
		f.out.Warnings = append(f.out.Warnings, fmt.Sprintf("--opus had no effect: it applies to HEAVY only, and this run was %s", f.out.Mode))
	}
	if slices.Contains(f.style.Documents, pdca.ReportDoc) {
		f.out.Document = path.Join(f.s.Documents, pdca.ReportPath(f.name))
	}
	f.out.Files = f.look.Files[:min(len(f.look.Files), 100)]
	if err := f.keep(c, pdca.ReportDoc, pdca.ReportPath(f.name), f.reportDocument()); err != nil {
		return err
	}
	kind, title := "docs", "report of "+f.name
	if !f.out.Verified {
		kind, title = "wip", f.name+" is not finished: "+f.out.End.Reason
	}
	if err := f.commit(c, kind, title); err != nil {
		return err
	}
	f.out.Commit = f.head.Commit
	flow.Note(c, "ended", f.out)
	if !f.out.Verified {
		f.out.Why = "it is not verified: " + f.out.End.Reason
		return nil
	}
	p := turn.Pull{Type: f.kind(), Name: f.name, Title: f.title(), Body: f.pullText()}
	var err error
	f.out.Delivered, err = turn.HandOver(c, f.in.Pull, step.DeliverIn{How: f.in.Delivery, Base: f.s.Commit, On: f.s.Branch}, p)
	f.out.Verified = f.out.Why == "" // else it is not where the user looks for it
	return err
}

// owned are the files that the plan, or the design, says are touched.
func (f *feature) owned() []task.File {
	list := slices.Clone(f.plan.Files)
	if f.design != nil {
		for _, d := range f.design.Files {
			if !slices.ContainsFunc(list, func(o task.File) bool { return o.Path == d.Path }) {
				list = append(list, d)
			}
		}
	}
	return list
}

// allowed are the command lines that an author may run: those of the toolchains, and those that have to succeed.
func (f *feature) allowed() []string { return turn.Allowed(f.s.Commands, f.commands()) }

// log keeps what a judge has sent back, for the report.
func (f *feature) log(v step.ReviewResult) {
	if v.Verdict != approve {
		f.story = append(f.story, fmt.Sprintf("%s %d: %s: %s", v.Role, v.Round, v.Verdict, pdca.Line(turn.Clip(strings.Join(v.Reasons, "; "), 600))))
	}
}

// commands are those that have to succeed.
func (f *feature) commands() []string {
	var out []string
	add := func(line string) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	for _, k := range f.plan.Criteria() {
		add(k.Command)
	}
	if f.design != nil {
		for _, line := range f.design.Commands {
			add(line)
		}
	}
	return out
}
