package auto_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
)

// modes makes the estimate and the plan score as a mode: by the number of files and modules.
func modes(m pdca.Mode) []task.File {
	list := []task.File{{Path: "a/x.go", Action: task.Modify}, {Path: "b/y.go", Action: task.Modify}, {Path: "b/z.go", Action: task.Modify}}
	if m == pdca.Light {
		return list[:1]
	}
	return list
}

// tale is a run in which everything goes well but for what it says.
type tale struct {
	mode   pdca.Mode
	accept bool
	eco    bool
	strict bool
	skip   bool   // the end-to-end tests
	words  string // with which a person rejects what is shown between the phases; "": nobody is asked there
	say    func(what string, nth int) any
	seen   func(step.Turn) // looks at each turn; nil: nobody does
	own    *pdca.Style     // of a project
	// what comes of it
	end      string // reason(n) phase
	mode2    pdca.Mode
	calls    map[string]int
	warnings int
}

func proofs(fails int, message func(n int) string) func(string, int) any {
	return func(what string, nth int) any {
		if what != step.ProveTask.Name || nth > fails {
			return nil
		}
		return step.TaskProof{Failures: []step.TestResult{{ID: "a_test.go::TestA", Status: step.Fail, Message: message(nth)}}, Counts: step.Counts{Total: 1, Failed: 1}}
	}
}

func goals(fails int, message func(n int) string) func(string, int) any {
	return func(what string, nth int) any {
		if what != step.AutoQA.Name {
			return nil
		}
		g := step.Goal{Goal: "test", Status: step.GoalPass}
		if nth <= fails {
			g.Status, g.Failures = step.GoalFail, []pdca.Failure{{Goal: "test", Test: "TestA", Message: message(nth)}}
		}
		return step.AutoQAOut{Goals: []step.Goal{g}}
	}
}

func other(n int) string { return "message " + strings.Repeat("x", n) }

func always(int) string { return "the same" }

func both(a, b func(string, int) any) func(string, int) any {
	return func(what string, nth int) any {
		if v := a(what, nth); v != nil {
			return v
		}
		return b(what, nth)
	}
}

// times answers the first n turns of a role.
func times(role string, n int, v any) func(string, int) any {
	return func(what string, nth int) any {
		if what == role && nth <= n {
			return v
		}
		return nil
	}
}

// TestLimits tells of every limit what happens below it, at it and beyond it, with a process that dies at every third step.
// TestEveryContradictionHasATest says what A20 is, which some of the names have.
func TestLimits(t *testing.T) {
	t.Parallel()
	revise := map[string]any{"verdict": "REVISE", "reasons": []string{"so"}, "items": []pdca.Judgement{{ID: "K-01", Matches: true}, {ID: "K-02", Matches: true}}}
	reject := map[string]any{"verdict": "REJECT", "reasons": []string{"so"}, "guide": "a/x.go", "domain": "logic", "items": []pdca.Judgement{}}
	echo := map[string]any{"verdict": "VERDICT: APPROVE or VERDICT: REJECT", "reasons": []string{}, "items": []pdca.Judgement{}}
	blocked := map[string]any{"summary": "s", "blocked": "the linter is not there"}
	severe := map[string]any{"findings": []step.ReviewFinding{{Severity: "HIGH", Message: "m"}}}
	badPlan := pdca.Plan{Background: "Nothing.", Items: []pdca.Item{{Text: "It is there", Criteria: []task.Criterion{{Text: "It returns 1"}}}}, Files: modes(pdca.Light), Risks: []string{"none known"}, EdgeCases: []string{}, Steps: []pdca.Step{}}
	badE2E := step.AutoQAOut{Goals: []step.Goal{{Goal: "e2e", Status: step.GoalFail, Failures: []pdca.Failure{{Goal: "e2e", Message: "no"}}}}}
	gap := func(of, matching int) func(string, int) any {
		return func(what string, nth int) any {
			switch {
			case what == "design":
				d := pdca.Design{Files: modes(pdca.Standard), Interfaces: []pdca.Interface{{Path: "a/x.go", Signature: "func X()"}}, DataFlow: "It goes in and comes out again.", Tests: "One test for each of the functions."}
				for range of {
					d.Checklist = append(d.Checklist, pdca.Check{Path: "a/x.go", Behaviour: "does it"})
				}
				return d
			case what == "architect" && nth == 1:
				items := []pdca.Judgement{}
				for i := range of {
					items = append(items, pdca.Judgement{ID: fmt.Sprintf("D-%02d", i+1), Matches: i < matching})
				}
				return map[string]any{"verdict": "APPROVE", "reasons": []string{}, "items": items}
			}
			return nil
		}
	}
	for name, tt := range map[string]tale{
		"nothing happens, LIGHT":    {mode: pdca.Light, end: "passed", calls: map[string]int{"estimate": 1, "plan": 1, "critic": 0, "design": 0, "implement": 1, "architect": 1, "reviewer": 0}},
		"nothing happens, STANDARD": {mode: pdca.Standard, end: "passed", calls: map[string]int{"plan": 1, "critic": 1, "feasibility": 0, "design": 1, "implement": 1, "architect": 1, "reviewer": 1}},
		"nothing happens, HEAVY":    {mode: pdca.Heavy, end: "passed", calls: map[string]int{"plan": 1, "critic": 1, "feasibility": 1, "design": 1, "architect": 1, "reviewer": 1}},

		"plan re-ask LIGHT 1":                   {mode: pdca.Light, say: times("plan", 1, badPlan), end: "passed", calls: map[string]int{"plan": 2}},
		"plan re-ask LIGHT 2: A20 17, it warns": {mode: pdca.Light, say: times("plan", 2, badPlan), end: "passed", calls: map[string]int{"plan": 2}, warnings: 1},
		"plan repair STANDARD 1":                {mode: pdca.Standard, say: times("plan", 1, badPlan), end: "passed", calls: map[string]int{"plan": 2}},
		"plan repair STANDARD 2":                {mode: pdca.Standard, say: times("plan", 2, badPlan), end: "needs_decision plan", calls: map[string]int{"plan": 2, "critic": 0}},

		"critic-lite 1: ruling 36, no second critic": {mode: pdca.Standard, say: times("critic", 1, revise), end: "passed", calls: map[string]int{"plan": 2, "critic": 1}},
		"critic HEAVY 4":                             {mode: pdca.Heavy, say: times("critic", 4, revise), end: "passed", calls: map[string]int{"plan": 5, "critic": 5}},
		"a rejection is none by its words":           {mode: pdca.Light, words: "approve", end: "needs_decision plan", calls: map[string]int{"plan": 2, "implement": 0}},
		"critic HEAVY 5: A20 19, no forced approval": {mode: pdca.Heavy, say: times("critic", 5, revise), end: "needs_decision(5) plan", calls: map[string]int{"plan": 5, "critic": 5, "design": 0}},
		"critic HEAVY 5, overruled":                  {mode: pdca.Heavy, accept: true, say: times("critic", 5, revise), end: "passed", calls: map[string]int{"critic": 5, "design": 1}},
		"critic echoes the template once":            {mode: pdca.Standard, say: times("critic", 1, map[string]any{"verdict": "APPROVE | REVISE", "reasons": []string{}, "items": []pdca.Judgement{}}), end: "passed", calls: map[string]int{"plan": 1, "critic": 2}},
		"critic echoes the template twice":           {mode: pdca.Standard, say: times("critic", 2, map[string]any{"verdict": "APPROVE | REVISE", "reasons": []string{}, "items": []pdca.Judgement{}}), end: "passed", calls: map[string]int{"plan": 2, "critic": 2}},

		"E2E 0":                          {mode: pdca.Standard, end: "passed", calls: map[string]int{step.AutoE2E.Name: 1, "diagnose": 0}},
		"E2E 1: A20 24, it is diagnosed": {mode: pdca.Standard, say: times(step.AutoE2E.Name, 1, badE2E), end: "passed", calls: map[string]int{step.AutoE2E.Name: 2, "diagnose": 1, "architect": 2, step.AutoQA.Name: 2}},
		"E2E 2":                          {mode: pdca.Heavy, say: times(step.AutoE2E.Name, 2, badE2E), end: "passed", calls: map[string]int{step.AutoE2E.Name: 3, "diagnose": 2}},
		"E2E 3":                          {mode: pdca.Standard, say: times(step.AutoE2E.Name, 3, badE2E), end: "e2e_failed(2) verify", calls: map[string]int{step.AutoE2E.Name: 3, "diagnose": 2}},
		"E2E strict 1":                   {mode: pdca.Standard, strict: true, say: times(step.AutoE2E.Name, 1, badE2E), end: "e2e_failed verify", calls: map[string]int{step.AutoE2E.Name: 1, "diagnose": 0}},
		"E2E, none wanted":               {mode: pdca.Standard, skip: true, say: times(step.AutoE2E.Name, 9, badE2E), end: "passed", calls: map[string]int{step.AutoE2E.Name: 0}},
		"E2E LIGHT has none":             {mode: pdca.Light, say: times(step.AutoE2E.Name, 9, badE2E), end: "passed", calls: map[string]int{step.AutoE2E.Name: 0}},
		"E2E, after the review: A20 11":  {mode: pdca.Standard, say: both(times("reviewer", 1, severe), times(step.AutoE2E.Name, 9, badE2E)), end: "e2e_failed(2) verify", calls: map[string]int{step.AutoE2E.Name: 3, "reviewer": 4}},

		"attempts LIGHT 1: A20 6":                  {mode: pdca.Light, say: proofs(1, other), end: "passed", mode2: pdca.Light, calls: map[string]int{"implement": 2, "design": 0}},
		"attempts LIGHT 2: A20 6 and 15, promoted": {mode: pdca.Light, say: proofs(2, other), end: "passed", mode2: pdca.Standard, calls: map[string]int{"implement": 3, "design": 1}},
		"attempts LIGHT 2, eco is never promoted":  {mode: pdca.Light, eco: true, say: proofs(2, other), end: "limit(2) do", mode2: pdca.Light, calls: map[string]int{"implement": 2}},
		"impl-manager 9: A20 12":                   {mode: pdca.Standard, say: proofs(9, other), end: "passed", calls: map[string]int{"implement": 10}},
		"impl-manager 10: A20 12":                  {mode: pdca.Standard, say: proofs(10, other), end: "limit(10) do", calls: map[string]int{"implement": 10, "architect": 0}},
		"same failure 2 in attempts":               {mode: pdca.Standard, say: proofs(2, always), end: "passed", calls: map[string]int{"implement": 3}},
		"same failure 3 in attempts":               {mode: pdca.Standard, say: proofs(3, always), end: "same_failure(3) do", calls: map[string]int{"implement": 3}},
		"blocked, a person ends it: no promotion":  {mode: pdca.Light, say: both(times("implement", 9, blocked), proofs(9, other)), end: "blocked(1) do", mode2: pdca.Light, calls: map[string]int{"implement": 1, "design": 0}},
		"blocked in STANDARD":                      {mode: pdca.Standard, say: both(times("implement", 9, blocked), proofs(9, other)), end: "blocked(1) do", calls: map[string]int{"implement": 1, "architect": 0}},
		"blocked, and the proof holds":             {mode: pdca.Standard, say: times("implement", 9, blocked), end: "passed", calls: map[string]int{"implement": 1}},
		"architect rejects 1: A20 4":               {mode: pdca.Standard, say: times("architect", 1, reject), end: "passed", calls: map[string]int{"architect": 2, "executor": 1}},
		"architect rejects 2: A20 4":               {mode: pdca.Standard, say: times("architect", 2, reject), end: "needs_decision(2) gate", calls: map[string]int{"architect": 2, "executor": 1, step.AutoQA.Name: 0}},
		"architect echoes the template once":       {mode: pdca.Standard, say: times("architect", 1, echo), end: "passed", calls: map[string]int{"architect": 2, "executor": 0}},
		"architect echoes the template for ever":   {mode: pdca.Standard, say: times("architect", 99, echo), end: "needs_decision(2) gate", calls: map[string]int{"architect": 4}},

		"QA cycles LIGHT 1":                             {mode: pdca.Light, say: goals(1, other), end: "limit(1) qa", calls: map[string]int{step.AutoQA.Name: 1, "diagnose": 0}},
		"QA cycles STANDARD 2":                          {mode: pdca.Standard, say: goals(2, other), end: "passed", mode2: pdca.Standard, calls: map[string]int{step.AutoQA.Name: 3, "diagnose": 2}},
		"QA cycles STANDARD 3: A20 5, promoted":         {mode: pdca.Standard, say: goals(3, other), end: "passed", mode2: pdca.Heavy, calls: map[string]int{step.AutoQA.Name: 4, "diagnose": 3}},
		"QA cycles HEAVY 4":                             {mode: pdca.Heavy, say: goals(4, other), end: "passed", calls: map[string]int{step.AutoQA.Name: 5, "diagnose": 4}},
		"QA cycles HEAVY 5: A20 13, it ends with a run": {mode: pdca.Heavy, say: goals(5, other), end: "limit(5) qa", calls: map[string]int{step.AutoQA.Name: 5, "diagnose": 4}},
		"same failure STANDARD 2: A20 14":               {mode: pdca.Standard, say: goals(9, always), end: "same_failure(2) qa", calls: map[string]int{step.AutoQA.Name: 2, "diagnose": 1}},
		"same failure HEAVY 2":                          {mode: pdca.Heavy, say: goals(2, always), end: "passed", calls: map[string]int{step.AutoQA.Name: 3}},
		"same failure HEAVY 3":                          {mode: pdca.Heavy, say: goals(9, always), end: "same_failure(3) qa", calls: map[string]int{step.AutoQA.Name: 3, "diagnose": 2}},

		"re-entries 3: A20 13":                        {mode: pdca.Standard, say: times("reviewer", 3, severe), end: "passed", calls: map[string]int{"reviewer": 4, "executor": 3, step.AutoQA.Name: 4}},
		"re-entries 4: A20 11 and 13":                 {mode: pdca.Standard, say: times("reviewer", 99, severe), end: "limit(3) act", calls: map[string]int{"reviewer": 4, "executor": 3}},
		"cumulative fixes 5: A20 13":                  {mode: pdca.Heavy, say: both(goals(4, other), times("reviewer", 1, severe)), end: "passed", calls: map[string]int{"executor": 1, "build-fixer": 4, "reviewer": 2}},
		"cumulative fixes 6":                          {mode: pdca.Heavy, say: both(goals(4, other), times("reviewer", 2, severe)), end: "limit(5) act", calls: map[string]int{"reviewer": 2}},
		"gap 90 %: A20 10":                            {mode: pdca.Standard, say: gap(10, 9), end: "passed", calls: map[string]int{"executor": 0}},
		"gap 89 %: A20 10":                            {mode: pdca.Standard, say: gap(9, 8), end: "passed", calls: map[string]int{"executor": 1, "architect": 2}},
		"a critic who leaves a criterion out: A20 10": {mode: pdca.Standard, say: times("critic", 1, map[string]any{"verdict": "APPROVE", "reasons": []string{}, "items": []pdca.Judgement{{ID: "K-01", Matches: true}}}), end: "passed", calls: map[string]int{"plan": 2}},

		"own: a critic of LIGHT, who is overruled by nobody":     {mode: pdca.Light, own: own(pdca.Size{Attempts: 1, Cycles: 1, Critics: 2}), say: times("critic", 2, revise), end: "needs_decision(2) plan", calls: map[string]int{"plan": 2, "critic": 2, "implement": 0}},
		"own: one attempt, then it is promoted":                  {mode: pdca.Light, own: own(pdca.Size{Attempts: 1, Cycles: 1}), say: proofs(1, other), end: "passed", mode2: pdca.Standard, calls: map[string]int{"implement": 2, "design": 1, "architect": 1}},
		"own: two cycles of checks in LIGHT, with a fix":         {mode: pdca.Light, own: own(pdca.Size{Attempts: 1, Cycles: 2}), say: goals(1, other), end: "passed", calls: map[string]int{step.AutoQA.Name: 2, "diagnose": 1}},
		"own: a design in LIGHT, and no judge but the reviewer":  {mode: pdca.Light, own: own(pdca.Size{Attempts: 1, Cycles: 1, Design: true, Judges: []string{pdca.Reviewer}}), end: "passed", calls: map[string]int{"design": 1, "architect": 0, "reviewer": 1, step.AutoE2E.Name: 1}},
		"own: a reviewer of LIGHT sends it back":                 {mode: pdca.Light, own: own(pdca.Size{Attempts: 1, Cycles: 1, Judges: []string{pdca.Reviewer, pdca.Architect}}), say: times("reviewer", 1, severe), end: "passed", calls: map[string]int{"reviewer": 2, "executor": 1, "architect": 2}},
		"own: no judge at all: what was built is proved":         {mode: pdca.Light, own: own(pdca.Size{Attempts: 1, Cycles: 1}), end: "passed", calls: map[string]int{"implement": 1, "architect": 0, "reviewer": 0, step.ProveTask.Name: 1}},
		"own: fewer cycles in HEAVY than STANDARD has used: end": {mode: pdca.Standard, own: &pdca.Style{Sizes: map[pdca.Mode]pdca.Size{pdca.Standard: {Attempts: 1, Cycles: 4}, pdca.Heavy: {Attempts: 1, Cycles: 2}}}, say: goals(9, other), end: "limit(4) qa", mode2: pdca.Heavy, calls: map[string]int{step.AutoQA.Name: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for crash := range 3 {
				tt.play(t, crash)
			}
		})
	}
}

// own is a style whose LIGHT is another one.
func own(light pdca.Size) *pdca.Style {
	s := pdca.OwnStyle()
	s.Sizes[pdca.Light] = light
	return &s
}

func (tt tale) play(t *testing.T, crash int) {
	t.Helper()
	w := newWorld(t, 5) // everything goes well
	w.in = step.AutoIn{Request: "do it", Language: "en", Heavy: tt.mode == pdca.Heavy, Eco: tt.eco, Strict: tt.strict, SkipE2E: tt.skip, Accept: tt.accept, Style: tt.own, Gates: tt.words != "", Delivery: step.ToCommit}
	w.words = tt.words
	w.seen = tt.seen
	w.crash = []int{1 << 30, 3, 1}[crash]
	w.refuse = true
	w.script = func(what string, nth int) any {
		if tt.say != nil {
			if v := tt.say(what, nth); v != nil {
				return v
			}
		}
		switch what {
		case "estimate":
			return map[string]any{"feature": "f", "files": modes(tt.mode), "new_pattern": false, "pattern": "p", "summary": "s"}
		case "plan":
			return pdca.Plan{
				Background: "There is nothing of it today, and users miss it.", Items: []pdca.Item{{Text: "It is there", Criteria: []task.Criterion{{Text: "It returns 1"}, {Text: "It returns 2"}}}},
				Files: modes(tt.mode), Risks: []string{"None that is known to us"}, EdgeCases: []string{"one", "two"}, Steps: []pdca.Step{{Text: "Do it", Done: "It is done"}},
			}
		case "design":
			return pdca.Design{
				Files: modes(pdca.Standard), Interfaces: []pdca.Interface{{Path: "a/x.go", Signature: "func X()"}}, DataFlow: "It goes in and comes out again.", Tests: "One test for each of the functions.",
				Risks: []string{"none"}, Checklist: []pdca.Check{{Path: "a/x.go", Behaviour: "does it"}},
			}
		case step.AutoLook.Name:
			out := step.AutoLookOut{Diff: step.Doc{Title: "diff", Blob: w.put("diff")}, Files: []step.Change{}}
			for _, x := range modes(tt.mode) {
				out.Files = append(out.Files, step.Change{Path: x.Path, Status: "M"})
			}
			for i := range 20 {
				out.Found = append(out.Found, pdca.Presence{ID: fmt.Sprintf("D-%02d", i+1), Path: true, Symbol: true, Test: true})
			}
			return out
		case "diagnose":
			return map[string]any{"diagnosis": "d", "guide": "a/x.go: do it", "domain": "build"}
		case step.AutoQA.Name:
			return step.AutoQAOut{Goals: []step.Goal{{Goal: "test", Status: step.GoalPass}}}
		case step.AutoE2E.Name:
			return step.AutoQAOut{Goals: []step.Goal{{Goal: "e2e", Status: step.GoalPass}}}
		case step.ProveTask.Name:
			return step.TaskProof{Passed: true, Counts: step.Counts{Total: 1, Passed: 1}}
		}
		return nil
	}
	w.lax = true
	r := w.play()
	if r.Err != nil {
		t.Fatalf("it failed: %v", r.Err)
	}
	o := r.out
	end := o.End.Reason
	if end != "passed" {
		if o.End.N > 0 {
			end += fmt.Sprintf("(%d)", o.End.N)
		}
		end += " " + o.End.Phase
	}
	if end != tt.end || tt.mode2 != "" && o.Mode != tt.mode2 {
		t.Errorf("it ended %q as %s (%s), want %q as %s; %v", end, o.Mode, o.End.Detail, tt.end, tt.mode2, o.Promotions)
	}
	for what, n := range tt.calls {
		if w.calls[what] != n {
			t.Errorf("%s was called %d times, want %d", what, w.calls[what], n)
		}
	}
	if len(o.Warnings) < tt.warnings {
		t.Errorf("warnings %v", o.Warnings)
	}
	if tt.accept && len(o.Accepted) == 0 {
		t.Error("an objection was overruled, and the result does not say so")
	}
	if !slices.Contains(reasons, o.End.Reason) {
		t.Errorf("%q is no reason", o.End.Reason)
	}
}
