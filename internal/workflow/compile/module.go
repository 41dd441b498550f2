package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// work is one module on its way; its fields are derived anew on every re-run.
type work struct {
	in        step.CompileIn
	plan      step.PlanOut
	m         step.PlanModule
	f         step.Facts
	base      step.HeadOut // where the run's branch stood when the module began
	frozen    []step.File
	heldOut   []step.HeldOut // calls that the author of the tests keeps from the author of the code
	covered   []string       // items with a test that asserts something
	proved    []string       // those of them of which a test fails without the code
	examples  []step.Example // what the spec's examples gave on the tree
	covers    []flow.Blob    // what the tests were proved for
	uncovered []step.Finding // what RED's review missed in the tests that were taken
	tested    string         // tree with the frozen tests that the code is written on
	bare      string         // tree that this run's tests were written on; empty when their author is not to be asked again
	strong    int            // tests of this run that assert something
	older     bool           // all tests are of an earlier build
	heard     bool           // the author of the tests was asked about disputed ones
	final     bool           // nobody can be asked about what they say
	mended    bool           // and changed some
	tree      string         // best tree so far
	res       step.ModuleResult
	attempts  map[string]int // turns asked so far, by role
	notes     *step.Notes
}

func module(c *flow.Ctx, in step.CompileIn, plan step.PlanOut, m step.PlanModule) (step.ModuleResult, error) {
	f, err := flow.Load[step.Facts](c, m.Facts)
	if err != nil {
		return step.ModuleResult{}, err
	}
	w := &work{in: in, plan: plan, m: m, f: f, attempts: map[string]int{}}
	w.res = step.ModuleResult{
		Dir: m.Dir, Spec: f.Spec, Implements: f.Implements, Language: f.Language, Phase: in.Phase, Status: step.Success,
		Generated: []string{}, Skipped: []string{}, Overwritten: []string{}, TestFiles: []string{},
	}
	w.res.Usage.Known = true
	if len(f.Choices) > 0 {
		if known, err := w.language(c); err != nil || !known {
			return w.res, err
		}
	}
	if m.Blocked != "" {
		return w.end(c, step.Blocked, "blocked: "+m.Blocked)
	}
	for _, need := range m.Needs {
		r, err := flow.Wait[step.ModuleResult](c, need)
		if err != nil {
			return step.ModuleResult{}, err
		}
		if !built(r) {
			return w.end(c, step.Blocked, fmt.Sprintf("blocked: %s was not built", need))
		}
	}
	if w.base, err = turn.Do(c, "head", step.Head, step.HeadIn{Fallback: plan.Commit}); err != nil {
		return step.ModuleResult{}, err
	}
	if len(w.f.Missing) > 0 && in.Phase != step.GreenRefactor {
		ok, err := w.packages(c)
		if err != nil {
			return step.ModuleResult{}, err
		}
		if !ok {
			return w.end(c, step.Warning, "packages")
		}
	}
	w.tree, w.tested = w.base.Tree, w.base.Tree
	return w.phases(c)
}

// packages adds the external packages that the spec names, before any test is
// written: they are authorised by the spec, and by nothing else.
func (w *work) packages(c *flow.Ctx) (bool, error) {
	p, err := turn.Do(c, "packages", step.Packages, step.PackagesIn{Facts: w.m.Facts})
	if err != nil {
		return false, err
	}
	w.base = p.Head
	if err := w.use(c, p.Facts); err != nil {
		return false, err
	}
	if len(p.Findings) > 0 {
		w.res.Findings = p.Findings
		return false, nil
	}
	if p.Commit == "" || w.in.Delivery != step.ToTree {
		return true, nil
	}
	a, err := turn.Do(c, "apply-packages", step.Apply, step.ApplyIn{Module: w.m.Dir, Commit: p.Commit})
	w.res.Conflicts = a.Conflicts
	return err == nil && len(a.Conflicts) == 0, err
}

// use takes newer facts of the module.
func (w *work) use(c *flow.Ctx, facts flow.Blob) error {
	f, err := flow.Load[step.Facts](c, facts)
	if err != nil {
		return err
	}
	w.m.Facts, w.f, w.res.Language = facts, f, f.Language
	return nil
}

func (w *work) phases(c *flow.Ctx) (step.ModuleResult, error) {
	red, err := w.red(c)
	if err != nil || !red {
		return w.stop(c, err)
	}
	if w.in.Phase == step.Red {
		return w.land(c, "red")
	}
	if len(w.frozen) == 0 { // the tests that were named are of other modules
		return w.end(c, step.Warning, "no-tests")
	}
	if w.bare == "" && w.in.Phase != step.GreenRefactor { // tests of an earlier build
		w.bare, w.older = w.tested, true
	}
	green, err := w.green(c)
	if err != nil || !green {
		return w.stop(c, err)
	}
	if err := w.refactor(c); err != nil {
		return step.ModuleResult{}, err
	}
	if ok, err := w.strength(c); err != nil || !ok {
		return w.stop(c, err)
	}
	return w.land(c, "built")
}

// built reports whether other modules can build on a result: it is on the
// run's branch, whether or not the user's tree could take it.
func built(r step.ModuleResult) bool { return r.Commit != "" && r.Reason != "conflict" }

// stop ends a module that has no green tree. A failure of the machinery ends
// the run; the module's own failure is its result.
func (w *work) stop(c *flow.Ctx, err error) (step.ModuleResult, error) {
	if err != nil {
		return step.ModuleResult{}, err
	}
	if len(w.f.Kept) > 0 && w.res.Reason == "green" {
		// Files that we may not touch are in the way: say so, and remember it.
		w.res.Reason = "conflict"
		w.tree, w.frozen = w.base.Tree, w.f.Frozen
		return w.land(c, "kept")
	}
	return w.end(c, step.Warning, w.res.Reason)
}

// end notes and returns the module's result.
func (w *work) end(c *flow.Ctx, s step.Status, reason string) (step.ModuleResult, error) {
	w.res.Status, w.res.Reason = s, reason
	r := &w.res
	r.Generated, r.Skipped = bound(r.Generated, 200), bound(r.Skipped, 100)
	r.Overwritten, r.TestFiles = bound(r.Overwritten, 100), bound(r.TestFiles, 100)
	r.Findings, r.Failures, r.Conflicts = clipped(r.Findings, 30), failures(r.Failures, 10), bound(r.Conflicts, 50)
	r.Baseline = bound(r.Baseline, 50)
	if r.Commit != "" && r.Phase != step.Red && r.Reason != "conflict" {
		r.Items = w.levels()
		r.HeldOut = step.CountCalls(w.heldOut, w.examples)
	}
	if len(r.Disputed) > 0 {
		r.Disputed = clipped(r.Disputed, 20)
	}
	flow.Note(c, "result", w.res)
	return w.res, nil
}

// levels is what is known of each item of the spec. Tests that notice hardly any change of the code prove nothing.
func (w *work) levels() []step.ItemLevel {
	called := map[string]step.Example{}
	for _, e := range w.examples {
		called[e.Item] = e
	}
	out := []step.ItemLevel{}
	for _, it := range w.f.Items {
		l := step.ItemLevel{ID: it.ID, Text: turn.Clip(it.Text, 160), Level: step.NotChecked}
		e := called[it.ID]
		switch {
		case e.State == step.ExampleHolds:
			l.Level, l.Why = step.Proved, step.WhyCalled
		case slices.Contains(w.proved, it.ID) && w.res.Reason != "weak-tests":
			l.Level, l.Why = step.Proved, step.WhyRed
		case slices.Contains(w.covered, it.ID), it.State == "unchanged" && len(it.Tests) > 0: // by tests of an earlier build, which passed again
			l.Level = step.Covered
		}
		if l.Level != step.Proved && e.State == step.ExampleNotRun {
			l.Why = turn.Clip(e.Why, 160)
		}
		out = append(out, l)
	}
	return bound(out, 200)
}

// land merges the module into the run's branch. A conflict, or red on the
// merged tree, goes back to the author with what happened.
func (w *work) land(c *flow.Ctx, state string) (step.ModuleResult, error) {
	var out step.LandOut
	var err error
	for i, rc := range flow.Rounds(c, "land", landRounds) {
		out, err = turn.Do(rc, "land", step.Land, step.LandIn{
			Facts: w.m.Facts, From: w.base.Commit, Tree: w.tree, Frozen: w.frozen, State: state, Why: w.why(state),
			Notes: w.notes, Covers: w.covers, Today: w.in.Today, Title: "compile " + w.m.Dir,
		})
		if err != nil {
			return step.ModuleResult{}, err
		}
		if out.Passed {
			break
		}
		flow.Note(rc, "judged", step.AttemptNote{
			Phase: "land", Attempt: i, Counts: out.Counts, Findings: clipped(out.Findings, 20), Failures: failures(out.Failures, 10),
			Text: strings.Join(bound(out.Conflicts, 20), ", "),
		})
		if i == landRounds || len(out.Broken) > 0 {
			break
		}
		again, err := w.again(rc, out)
		if err != nil {
			return step.ModuleResult{}, err
		}
		if !again {
			break
		}
	}
	if !out.Passed {
		w.res.Findings, w.res.Failures, w.res.Tests = out.Findings, out.Failures, out.Counts
		if len(out.Broken) > 0 {
			w.res.Findings = nil
			for _, id := range bound(out.Broken, 20) {
				w.res.Findings = append(w.res.Findings, step.Finding{Rule: "breaks-dependent", Severity: step.Rejects, Message: id})
			}
			return w.end(c, step.Warning, "dependents")
		}
		return w.end(c, step.Warning, "land")
	}
	return w.deliver(c, state, out)
}

func (w *work) why(state string) string {
	if state != "kept" {
		return ""
	}
	ids := step.Each(bound(w.res.Failures, 5), func(t step.TestResult) string { return t.ID })
	return "conflict: existing files do not pass " + strings.Join(ids, ", ")
}

// again gives the module back to its author on top of the branch as it is now.
func (w *work) again(c *flow.Ctx, out step.LandOut) (bool, error) {
	feedback := judged{findings: out.Findings, failures: out.Failures}
	for _, p := range out.Conflicts {
		feedback.findings = append(feedback.findings, step.Finding{
			Rule: "merge-conflict", Severity: step.Fix, Path: p,
			Message: "another module changed this file in the same place; redo your change on top of the current file",
		})
	}
	w.base = out.Head
	w.tree, w.tested, w.bare = out.Start, out.Start, "" // the code has passed the tests
	return w.attempt(c, &feedback)
}

func (w *work) deliver(c *flow.Ctx, state string, out step.LandOut) (step.ModuleResult, error) {
	w.res.Commit, w.res.Tree, w.res.Updated = out.Commit, out.Tree, out.Implement
	if out.Counts.Total > 0 {
		w.res.Tests = out.Counts
	}
	w.res.TestFiles = paths(w.frozen)
	w.res.Baseline = merge(w.res.Baseline, out.Baseline)
	for _, f := range out.Files {
		w.classify(f)
	}
	if state != "red" { // what was there and is not ours is the code as it stands
		kept := slices.DeleteFunc(slices.Clone(w.f.Kept), func(p string) bool { return !slices.Contains(w.f.Sources, p) })
		w.res.Skipped = merge(w.res.Skipped, kept)
	}
	if w.in.Delivery == step.ToTree {
		a, err := turn.Do(c, "apply", step.Apply, step.ApplyIn{Module: w.m.Dir, Commit: out.Commit})
		if err != nil {
			return step.ModuleResult{}, err
		}
		w.res.Conflicts = a.Conflicts
	}
	if state == "kept" {
		return w.end(c, step.Warning, "conflict")
	}
	w.res.Delivered = len(w.res.Conflicts) == 0
	if w.res.Reason == "" && state == "built" && w.unproved() {
		w.res.Reason, w.res.Unproved = incomplete, true
	}
	switch {
	case len(w.res.Conflicts) > 0:
		return w.end(c, step.Warning, "edited")
	case w.res.Reason == incomplete:
		w.res.Findings = append(w.uncovered, w.res.Findings...)
		return w.end(c, step.Warning, w.res.Reason)
	case w.res.Reason != "":
		return w.end(c, step.Warning, w.res.Reason)
	}
	return w.end(c, step.Success, "")
}

// unproved reports whether an item that is new or has changed has neither a test nor a call. Where this run writes no tests nothing is
// known of that.
func (w *work) unproved() bool {
	if w.in.Phase == step.GreenRefactor || w.f.RedDone {
		return false
	}
	levels := w.levels()
	for i, it := range w.f.Items[:len(levels)] {
		if it.State != "unchanged" && levels[i].Level == step.NotChecked {
			w.uncovered = append(w.uncovered, uncovered(it))
		}
	}
	return len(w.uncovered) > 0
}

// classify puts a landed file into the lists of the result.
func (w *work) classify(ch step.Change) {
	if ch.Path == "jacquard.lock" || ch.Path == w.f.Implements {
		return
	}
	w.res.Generated = append(w.res.Generated, ch.Path)
	if ch.Status == "M" && w.in.Conflict == step.Overwrite {
		w.res.Overwritten = append(w.res.Overwritten, ch.Path)
	}
}

func clipped(fs []step.Finding, n int) []step.Finding {
	fs = append([]step.Finding{}, bound(fs, n)...)
	for i := range fs {
		fs[i].Message = turn.Clip(fs[i].Message, 400)
	}
	return fs
}

func failures(ts []step.TestResult, n int) []step.TestResult {
	ts = append([]step.TestResult{}, bound(ts, n)...)
	for i := range ts {
		ts[i].Message = turn.Clip(ts[i].Message, 800)
	}
	return ts
}
