package auto

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// check runs the goals of quality and the verification, and improves what they find, until nothing is found or a limit is
// reached: three entries after the first, five fixes in all.
func (f *feature) check(c *flow.Ctx) (step.End, error) {
	if err := f.commit(c, f.kind(), f.title()); err != nil {
		return step.End{}, err
	}
	for entry, c := range flow.Rounds(c, "entry", 1+maxReentries) {
		if entry > 1 {
			f.enter(c, phaseQA)
		}
		if end, err := f.qa(c.Sub(phaseQA)); err != nil || end.Reason != "" {
			return end, err
		}
		f.enter(c, phaseVerify)
		found, err := f.verified(c.Sub(phaseVerify), entry)
		if err != nil {
			return step.End{}, err
		}
		if len(found.why) == 0 {
			var end step.End
			if found, end, err = f.e2e(c.Sub("e2e"), entry); err != nil || end.Reason != "" {
				return end, err
			}
		}
		if len(found.why) == 0 {
			return step.End{}, f.commitFixes(c)
		}
		f.enter(c, phaseAct)
		f.out.Open = found.why
		detail := turn.Clip(strings.Join(found.why, "; "), 500)
		switch {
		case f.out.Reentries >= maxReentries:
			return step.End{Reason: turn.Limit, N: maxReentries, Detail: "re-entries: " + detail}, nil
		case f.out.Fixes >= maxFixes:
			return step.End{Reason: turn.Limit, N: maxFixes, Detail: "fixes: " + detail}, nil
		}
		if done, end, err := f.chosen(c.Sub("choose"), &found); err != nil || done || end.Reason != "" {
			return end, err
		}
		f.out.Reentries++
		f.out.Fixes++
		ok, err := f.fix(c.Sub(phaseAct), found)
		if err != nil {
			return step.End{}, err
		}
		if !ok { // the author could not, or would not: a person decides who is right
			goOn, err := f.decide(c, "The findings in "+f.name+" are not fixed:\n"+strings.Join(found.why, "\n")+f.said())
			if err != nil || !goOn {
				return step.End{Reason: turn.NoProgress, N: f.out.Fixes, Detail: detail}, err
			}
			f.out.Open = nil
			return step.End{}, f.commitFixes(c)
		}
		f.mended = found.why
	}
	return step.End{Reason: turn.Limit, N: maxReentries}, nil
}

// commitFixes commits what fixes have changed, if anything.
func (f *feature) commitFixes(c *flow.Ctx) error {
	if f.tree == f.head.Tree {
		return nil
	}
	return f.commit(c, "fix", "fix what the checks of "+f.name+" found")
}

// chosen asks a person, with --interactive, what becomes of what was found: it is mended, as it is or as he says, or it
// stays, and is done.
func (f *feature) chosen(c *flow.Ctx, found *fixing) (done bool, end step.End, err error) {
	if !f.in.Gates {
		return false, step.End{}, nil
	}
	what, text, err := turn.Gate(c, "next", f.findings(found.why), turn.Skip)
	switch {
	case err != nil || what == flow.Approve:
		return false, step.End{}, err
	case what == turn.Skip:
		f.out.Accepted = append(f.out.Accepted, turn.Clip(strings.Join(found.why, "; "), 1000))
		f.out.Open = nil
		return true, step.End{}, f.commitFixes(c)
	case text != "":
		found.guide = strings.TrimSpace(found.guide + "\n\nA person says, and this overrides everything else: " + turn.Clip(text, 4000))
		return false, step.End{}, nil
	}
	return false, step.End{Reason: needsDecision, Phase: f.phase, Detail: "a person rejected the findings without a reason"}, nil
}

// findings is what a person reads before it is mended.
func (f *feature) findings(why []string) string {
	return turn.Clip(fmt.Sprintf("The checks of %s (%s) found the following. Fix it? skip leaves it and finishes; a rejection with a reason is fixed as the reason says.\n\n- %s", f.name, f.out.Mode, strings.Join(why, "\n- ")), 12_000)
}

// e2e runs the end-to-end tests, where the project has some, on what has passed everything else. What fails is diagnosed
// first, and mended twice at most.
func (f *feature) e2e(c *flow.Ctx, entry int) (fixing, step.End, error) {
	if f.in.SkipE2E || !f.size().Design {
		return fixing{}, step.End{}, nil
	}
	out, err := turn.Do(c, "run", step.AutoE2E, step.AutoQAIn{Private: f.s.Private, Base: f.s.Tree, Tree: f.tree})
	if err != nil || len(out.Goals) == 0 {
		return fixing{}, step.End{}, err
	}
	f.out.Goals = append(slices.Clone(f.out.Goals), out.Goals...)
	flow.Note(c, "goals", step.PhaseNote{Phase: phaseVerify, Round: entry, Goals: out.Goals})
	for _, s := range out.Baseline {
		f.out.Warnings = append(f.out.Warnings, s+" also fails without the change")
	}
	open, ids := turn.Failing(out.Goals)
	if len(ids) == 0 {
		return fixing{}, step.End{}, nil
	}
	f.story = append(f.story, "e2e: "+turn.Clip(strings.Join(open, "; "), 600))
	most := e2eFixes
	if f.in.Strict {
		most = 0
	}
	if f.out.E2E >= most {
		f.out.Open = open
		return fixing{}, step.End{Reason: e2eFailed, N: f.out.E2E, Detail: turn.Clip(strings.Join(open, "; "), 500)}, nil
	}
	f.out.E2E++
	x, err := f.diagnose(c, entry, out.Goals)
	x.why = append(x.why, open...)
	return x, step.End{}, err
}

// qa runs the goals of quality in cycles; each ends with a run of the goals and never with a fix. Where there is one, what fails is reported.
func (f *feature) qa(c *flow.Ctx) (step.End, error) {
	var failed pdca.Cycles
	most := f.size().Cycles
	for n, c := range flow.Rounds(c, "cycle", f.style.MostCycles()) {
		out, err := turn.Do(c, "goals", step.AutoQA, step.AutoQAIn{Private: f.s.Private, Base: f.s.Tree, Tree: f.tree, Custom: f.in.Custom, Screen: f.in.Screen, Expect: f.in.Expect})
		if err != nil {
			return step.End{}, err
		}
		f.out.QA++
		f.out.Goals = out.Goals
		flow.Note(c, "goals", step.PhaseNote{Phase: phaseQA, Round: f.out.QA, Goals: out.Goals})
		var ids []string
		f.out.Open, ids = turn.Failing(out.Goals)
		if len(ids) == 0 {
			return step.End{}, nil
		}
		f.story = append(f.story, fmt.Sprintf("checks %d: %s", f.out.QA, turn.Clip(strings.Join(f.out.Open, "; "), 600)))
		failed = append(failed, ids)
		detail := turn.Clip(strings.Join(f.out.Open, "; "), 500)
		times := failed.Repeated()
		switch {
		case most == 1:
			return step.End{Reason: turn.Limit, N: 1, Detail: detail}, nil
		case most <= sameFailures && failed.Stuck(): // no failure can be there three times before the end
			return step.End{Reason: turn.SameFailure, N: 2, Detail: detail}, nil
		case times >= sameFailures:
			return step.End{Reason: turn.SameFailure, N: times, Detail: detail}, nil
		}
		if n >= most {
			if !f.promote(c, fmt.Sprintf("%d cycles of checks have failed", n)) || n >= f.size().Cycles { // a larger size may allow no more cycles
				return step.End{Reason: turn.Limit, N: n, Detail: detail}, nil
			}
			most = f.size().Cycles
		}
		if f.out.Fixes >= maxFixes {
			return step.End{Reason: turn.Limit, N: maxFixes, Detail: "fixes: " + detail}, nil
		}
		x, err := f.diagnose(c, n, out.Goals)
		if err != nil {
			return step.End{}, err
		}
		f.out.Fixes++
		ok, err := f.fix(c, x)
		if err != nil {
			return step.End{}, err
		}
		if !ok { // the same tree again could pass only as a flake
			return step.End{Reason: turn.NoProgress, N: n, Detail: detail}, nil
		}
	}
	return step.End{Reason: turn.Limit, N: most}, nil
}

// diagnose asks the architect for the cause of what failed, and for a guide that names a place. One that names none is
// asked for once more.
func (f *feature) diagnose(c *flow.Ctx, cycle int, goals []step.Goal) (fixing, error) {
	x := fixing{goals: goals, domain: "other"}
	for n, c := range flow.Rounds(c, "diagnose", 2) {
		var ans diagnosis
		r := request{role: "diagnose", prompt: diagnosePrompt, schema: diagnosisSchema, judge: true, task: f.diagnoseText(goals, n > 1), docs: f.look.Diff.List()}
		if err := f.ask(c, r, &ans); err != nil {
			return x, err
		}
		x.why, x.guide, x.domain = turn.Texts([]string{ans.Diagnosis}), turn.Clip(ans.Guide, 3000), domain(ans.Domain)
		if len(f.named(ans.Guide)) > 0 {
			break
		}
	}
	flow.Note(c, "diagnosed", step.PhaseNote{Phase: phaseQA, Round: cycle, Text: turn.Clip(strings.Join(x.why, " ")+" → "+x.guide, 1000)})
	return x, nil
}

// named are the files of the project that a text names.
func (f *feature) named(text string) []string {
	var out []string
	for _, ch := range f.look.Files {
		if strings.Contains(text, ch.Path) {
			out = append(out, ch.Path)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(f.exists)) {
		if strings.Contains(text, p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// verified lets the judges of the size look at what was built: any of them sends it back.
func (f *feature) verified(c *flow.Ctx, entry int) (fixing, error) {
	var err error
	if f.look, err = turn.Do(c, "look", step.AutoLook, step.AutoLookIn{Base: f.s.Tree, Tree: f.tree, Checklist: f.checklist()}); err != nil {
		return fixing{}, err
	}
	x := fixing{domain: "other"}
	for _, judge := range f.size().Judges {
		var why []string
		switch judge {
		case pdca.Architect:
			var v step.ReviewResult
			if v, err = f.verify(c); v.Verdict == reject {
				why, x.guide, x.domain = v.Reasons, v.Guide, v.Domain
			}
		case pdca.Reviewer:
			why, err = f.review(c)
		case pdca.Match:
			why, err = f.match(c, entry)
		}
		if err != nil {
			return x, err
		}
		x.why = append(x.why, why...)
	}
	x.why = x.why[:min(len(x.why), maxWhy)]
	return x, nil
}

// maxWhy is how many findings of judges go back at once.
const maxWhy = 30

// match counts how much of the design is there, by what code finds and the architect has said of it. Too little is a finding for each
// item that is missing.
func (f *feature) match(c *flow.Ctx, entry int) (why []string, err error) {
	if f.design == nil {
		return nil, nil
	}
	gap := pdca.MeasureGap(f.design.Checklist, f.look.Found, f.judged.Items)
	f.out.Gap = gap.Rate
	if err := f.keep(c, pdca.AnalysisDoc, pdca.GapPath(f.name), f.document().Gap(gap)); err != nil {
		return nil, err
	}
	flow.Note(c, "gap", step.PhaseNote{Phase: phaseVerify, Round: entry, Gap: &gap.Rate})
	if gap.Rate >= pdca.GapThreshold {
		return nil, nil
	}
	for _, i := range gap.Items {
		if !i.Matches {
			why = append(why, strings.TrimSpace(fmt.Sprintf("%s of the design (%s): missing %s. %s", i.Check.ID, turn.Clip(i.Check.Behaviour, 200), strings.Join(i.Missing, ", "), i.Judgment)))
		}
	}
	return why, nil
}

// review asks for findings; those that are CRITICAL or HIGH are returned, the others are warnings of the report.
func (f *feature) review(c *flow.Ctx) ([]string, error) {
	var ans reviewed
	if err := f.ask(c.Sub("review"), request{role: "reviewer", prompt: reviewPrompt, schema: reviewSchema, judge: true, task: f.reviewText(), docs: f.look.Diff.List()}, &ans); err != nil {
		return nil, err
	}
	r := step.ReviewResult{Role: "reviewer", Round: f.asked["reviewer"], Tree: f.tree, Verdict: approve}
	var severe []string
	for _, x := range ans.Findings[:min(len(ans.Findings), 50)] {
		x.Severity, x.Message = strings.ToUpper(strings.TrimSpace(x.Severity)), turn.Clip(x.Message, 600)
		r.Findings = append(r.Findings, x)
		text := strings.TrimSpace(fmt.Sprintf("[%s] %s:%d %s", x.Severity, x.Path, x.Line, x.Message))
		if slices.Contains([]string{"MEDIUM", "LOW"}, x.Severity) {
			if !slices.Contains(f.out.Warnings, text) {
				f.out.Warnings = append(f.out.Warnings, text)
			}
			continue
		}
		severe = append(severe, text) // also one whose severity nobody knows
		r.Verdict = reject
	}
	f.out.Warnings = f.out.Warnings[:min(len(f.out.Warnings), 60)]
	r.Reasons = severe
	f.log(r)
	r.Reasons = nil
	flow.Note(c, "reviewed-code", step.PhaseNote{Phase: phaseVerify, Round: r.Round, Reviews: &r})
	return severe, nil
}
