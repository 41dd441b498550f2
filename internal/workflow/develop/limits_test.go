package develop_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
)

// tale is one run in which all goes well but for what it says.
type tale struct {
	yes   bool
	pull  bool // it ends with a pull request
	panel []string
	prior *checkpoint.State
	parts int // checkpoints, each needs the one before
	say   func(what string, nth int) any
	seen  func(step.Turn) // looks at each turn; nil: nobody does
	end   string
	calls map[string]int
}

// times says something the first n times.
func times(what string, n int, v any) func(string, int) any {
	return func(w string, nth int) any {
		if w == what && nth <= n {
			return v
		}
		return nil
	}
}

// both says what one of them says.
func both(list ...func(string, int) any) func(string, int) any {
	return func(what string, nth int) any {
		for _, say := range list {
			if v := say(what, nth); v != nil {
				return v
			}
		}
		return nil
	}
}

// answers are those of people to the questions of a name, one after the other.
func answers(gate string, list ...string) func(string, int) any {
	return func(what string, nth int) any {
		if what != "ask "+gate || nth > len(list) {
			return nil
		}
		switch said := list[nth-1]; said {
		case "yes":
			return flow.Answer{Verb: flow.Approve}
		case "no":
			return flow.Answer{Verb: flow.Reject, Text: "it is to be different"}
		default:
			return flow.Answer{Verb: flow.Reply, Text: said}
		}
	}
}

// asks asks another question in each of the first n answers.
func asks(n int) func(string, int) any {
	return func(what string, nth int) any {
		if what != "requirements" || nth > n {
			return nil
		}
		return map[string]any{
			"title": "Do it", "functional": []checkpoint.Item{{Text: "It", Priority: "MUST"}}, "questions": []map[string]any{{"question": fmt.Sprintf("Which %d?", nth), "default": "this"}},
		}
	}
}

var (
	badProof = step.TaskProof{Findings: []step.Finding{{Rule: "build-failed", Severity: step.Rejects, Message: "no"}}}
	badGoals = step.AutoQAOut{Goals: []step.Goal{{Goal: "test", Status: step.GoalFail, Output: "no"}}}
	bad      = map[string]any{"issues": []step.Issue{{Severity: "Blocking", Message: "bad"}}}
	holds    = times("confirm", 99, map[string]any{"items": []map[string]any{{"id": "B-1", "holds": true, "why": "so"}}})
	refutes  = times("confirm", 99, map[string]any{"items": []map[string]any{{"id": "B-1", "holds": false, "why": "not so"}}})
	vague    = checkpoint.Design{Proposal: checkpoint.Proposal{Components: []checkpoint.Component{{Name: "x", Does: "it"}}}, Checkpoints: []checkpoint.Checkpoint{{Title: "one", Covers: []string{}, Files: []task.File{}}}}
	nothing  = map[string]any{"title": "Do it", "functional": []checkpoint.Item{}}
	noTests  = step.ContractOut{Findings: []step.Finding{{Rule: "contract-missing", Severity: step.Rejects, Message: "no test"}}}
	left     = map[string]any{"summary": "s", "left": []map[string]any{{"finding": "f", "why": "it is right"}}}
	green    = step.ForgeChecksOut{Checks: []step.CICheck{{Name: "k", Status: step.CIPassed}}}
	red      = step.ForgeChecksOut{Checks: []step.CICheck{{Name: "k", Status: step.CIFailed, Conclusion: "failure", Mendable: true, Text: "no"}}}
	waits    = step.ForgeChecksOut{Checks: []step.CICheck{{Name: "k", Status: step.CIPending}}}
	never    = step.ForgeChecksOut{Checks: []step.CICheck{{Name: "k", Status: step.CIFailed, Conclusion: "cancelled"}}}
	nobodys  = step.ForgeChecksOut{Checks: []step.CICheck{{Name: "k", Status: step.CIFailed, Conclusion: "failure", Mendable: true, Before: true}}}
	blocked  = map[string]any{"summary": "the test wants 3, the design says 4", "blocked": "DESIGN_MISMATCH"}
)

// TestLimits: each limit at one less, at itself and at one more, with a process that dies now and then,
// or after every step.
func TestLimits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]tale{
		"nothing happens":                  {end: "passed", calls: map[string]int{"requirements": 1, "proposal": 0, "design": 1, "contracts": 1, "design-reviewer": 1, "confirm": 0, "implement": 1, "oracle": 0, step.AutoQA.Name: 1, "code-reviewer": 1, "fix": 0, "ask agree": 2}},
		"nothing happens, nobody is there": {yes: true, end: "passed", calls: map[string]int{"requirements": 1, "ask agree": 0}},
		"nothing happens, a panel":         {panel: []string{"a", "b", "c"}, end: "passed", calls: map[string]int{"proposal": 3, "design": 1, "design-reviewer": 3, "code-reviewer": 3}},

		"questions 2":                    {say: asks(2), end: "passed", calls: map[string]int{"requirements": 3, "ask answer": 2}},
		"questions 3: not asked again":   {say: asks(3), end: "passed", calls: map[string]int{"requirements": 3, "ask answer": 2}},
		"a question that is asked again": {say: times("requirements", 2, asks(1)("requirements", 1)), end: "passed", calls: map[string]int{"requirements": 2, "ask answer": 1}},
		"requirements 2":                 {say: times("requirements", 2, nothing), end: "passed", calls: map[string]int{"requirements": 3}},
		"requirements 3":                 {say: times("requirements", 3, nothing), end: "limit(3) DESIGN", calls: map[string]int{"requirements": 3, "design": 0}},
		"designs 2":                      {say: times("design", 2, vague), end: "passed", calls: map[string]int{"design": 3}},
		"designs 3":                      {say: times("design", 3, vague), end: "limit(3) DESIGN", calls: map[string]int{"design": 3, "contracts": 0}},
		"contracts 2":                    {say: times(step.Contract.Name, 2, noTests), end: "passed", calls: map[string]int{"contracts": 3}},
		"contracts 3":                    {say: times(step.Contract.Name, 3, noTests), end: "limit(3) DESIGN", calls: map[string]int{"contracts": 3, "implement": 0}},
		"a person rejects the design":    {say: answers("agree", "no"), end: "passed", calls: map[string]int{"design": 2, "contracts": 2, "design-reviewer": 1, "ask agree": 3}},
		"a person rejects 19 designs":    {say: answers("agree", slices.Repeat([]string{"no"}, 19)...), end: "passed", calls: map[string]int{"design": 20}},
		"a person rejects 20 designs":    {say: answers("agree", slices.Repeat([]string{"no"}, 20)...), end: "needs_decision(20) DESIGN", calls: map[string]int{"design": 20, "design-reviewer": 0}},

		"design review 1":                           {say: both(times("design-reviewer", 1, bad), holds), end: "passed", calls: map[string]int{"design": 2, "design-reviewer": 2}},
		"design review 2":                           {say: both(times("design-reviewer", 2, bad), holds), end: "passed", calls: map[string]int{"design": 3, "design-reviewer": 3}},
		"design review 3: B10 3, a person decides":  {say: both(times("design-reviewer", 3, bad), holds, answers("decide", "no")), end: "needs_decision(3) REVIEW", calls: map[string]int{"design": 3, "design-reviewer": 3, "implement": 0}},
		"design review 3, overruled":                {say: both(times("design-reviewer", 3, bad), holds, answers("decide", "yes")), end: "passed", calls: map[string]int{"implement": 1}},
		"design review 3, nobody is there: B10 3":   {yes: true, say: both(times("design-reviewer", 3, bad), holds), end: "needs_decision(3) REVIEW", calls: map[string]int{"implement": 0}},
		"a blocking issue that is refuted: B10 4":   {say: both(times("design-reviewer", 1, bad), refutes), end: "passed", calls: map[string]int{"design": 1, "confirm": 1}},
		"a blocking issue, the second says nothing": {say: both(times("design-reviewer", 1, bad), times("confirm", 9, map[string]any{"items": []any{}})), end: "passed", calls: map[string]int{"design": 2}},
		"words of another vocabulary: B10 5":        {say: both(times("design-reviewer", 1, map[string]any{"issues": []step.Issue{{Severity: "Important", Message: "m"}, {Severity: "Nice-to-have", Message: "m"}}}), holds), end: "passed", calls: map[string]int{"design": 1, "confirm": 0}},
		"a severity that nobody knows is blocking":  {say: both(times("design-reviewer", 1, map[string]any{"issues": []step.Issue{{Severity: "BAD", Message: "m"}}}), holds), end: "passed", calls: map[string]int{"design": 2, "confirm": 1}},

		"iterations 1":                   {say: times(step.ProveTask.Name, 1, badProof), end: "passed", calls: map[string]int{"implement": 2, "oracle": 0}},
		"iterations 2: the oracle":       {say: times(step.ProveTask.Name, 2, badProof), end: "passed", calls: map[string]int{"implement": 3, "oracle": 1, "ask escalated": 0}},
		"iterations 3: a person, a hint": {say: both(times(step.ProveTask.Name, 3, badProof), answers("escalated", "look at the sign")), end: "passed", calls: map[string]int{"implement": 4, "oracle": 1, "ask escalated": 1}},
		"iterations 3: skip":             {parts: 2, say: both(times(step.ProveTask.Name, 3, badProof), answers("escalated", "skip")), end: "aborted IMPLEMENT", calls: map[string]int{"implement": 3}},
		"held-out calls of what a checkpoint offers that another one waits for": {parts: 3, say: both(times("design", 9, offering(chain(3))), times("contracts", 9, map[string]any{"summary": "done", "held_out": []any{map[string]any{"call": "F()", "gives": "1"}}})), end: "passed", calls: map[string]int{"implement": 3}},

		"iterations 3: abort":                {parts: 3, say: both(times(step.ProveTask.Name, 3, badProof), answers("escalated", "abort")), end: "aborted(3) IMPLEMENT", calls: map[string]int{"implement": 3, step.AutoQA.Name: 0}},
		"iterations 3, nobody is there":      {yes: true, parts: 2, say: times(step.ProveTask.Name, 3, badProof), end: "escalated(3) IMPLEMENT", calls: map[string]int{"implement": 3, step.AutoQA.Name: 0}},
		"6 iterations, two questions":        {say: both(times(step.ProveTask.Name, 6, badProof), answers("escalated", "retry", "yes")), end: "passed", calls: map[string]int{"implement": 7, "ask escalated": 2}},
		"blocked: asked at once, and a hint": {say: both(times("implement", 1, blocked), answers("escalated", "it is 4")), end: "passed", calls: map[string]int{"implement": 2, "ask escalated": 1, "contracts": 2}},
		"blocked, retry without a hint":      {say: both(times("implement", 1, blocked), answers("escalated", "retry")), end: "passed", calls: map[string]int{"implement": 2, "contracts": 1}},
		"blocked, nobody is there":           {yes: true, say: times("implement", 1, blocked), end: "escalated(1) IMPLEMENT", calls: map[string]int{"implement": 1}},

		"full tests 1":                                 {say: times(step.AutoQA.Name, 1, badGoals), end: "passed", calls: map[string]int{step.AutoQA.Name: 2, "fix": 1, "oracle": 1}},
		"full tests 2":                                 {say: times(step.AutoQA.Name, 2, badGoals), end: "passed", calls: map[string]int{step.AutoQA.Name: 3, "fix": 2}},
		"full tests 3: a person, a hint":               {say: both(times(step.AutoQA.Name, 3, badGoals), answers("escalated", "it is the clock")), end: "passed", calls: map[string]int{step.AutoQA.Name: 4, "fix": 2, "ask escalated": 1}},
		"full tests 3: abort":                          {say: both(times(step.AutoQA.Name, 3, badGoals), answers("escalated", "abort")), end: "aborted MERGE", calls: map[string]int{"code-reviewer": 0}},
		"full tests 3, nobody is there":                {yes: true, say: times(step.AutoQA.Name, 3, badGoals), end: "limit(3) MERGE", calls: map[string]int{step.AutoQA.Name: 3, "fix": 2}},
		"code review 1: B10 10, goals again":           {say: both(times("code-reviewer", 1, bad), holds), end: "passed", calls: map[string]int{"code-reviewer": 2, "fix": 1, step.AutoQA.Name: 2}},
		"code review 2":                                {say: both(times("code-reviewer", 2, bad), holds), end: "passed", calls: map[string]int{"code-reviewer": 3, "fix": 2}},
		"code review 3: a person decides":              {say: both(times("code-reviewer", 3, bad), holds, answers("decide", "no")), end: "needs_decision(3) MERGE", calls: map[string]int{"code-reviewer": 3, "fix": 2}},
		"code review 3, overruled":                     {say: both(times("code-reviewer", 3, bad), holds, answers("decide", "yes")), end: "passed", calls: map[string]int{"code-reviewer": 3, "ask agree": 2}},
		"a fix that leaves something: a person agrees": {say: both(times("code-reviewer", 1, bad), holds, times("fix", 1, left), answers("decide", "yes")), end: "passed", calls: map[string]int{"code-reviewer": 2, "fix": 1, "ask decide": 1, step.AutoQA.Name: 2}},
		"a fix that leaves something: he does not":     {say: both(times("code-reviewer", 1, bad), holds, times("fix", 1, left), answers("decide", "no")), end: "needs_decision(1) MERGE", calls: map[string]int{"code-reviewer": 1}},
		"a person wants a change":                      {say: answers("agree", "yes", "no"), end: "passed", calls: map[string]int{"fix": 1, "code-reviewer": 2, step.AutoQA.Name: 2, "ask agree": 3}},

		"a pull request":        {pull: true, end: "passed", calls: map[string]int{"ci": 1, "fix": 0, "ask agree": 2}},
		"CI 1":                  {pull: true, say: times("ci", 1, red), end: "passed", calls: map[string]int{"ci": 2, "fix": 1, step.AutoQA.Name: 2, "code-reviewer": 2, "ask agree": 2}},
		"CI 2":                  {pull: true, say: times("ci", 2, red), end: "passed", calls: map[string]int{"ci": 3, "fix": 2}},
		"CI 3: a person, retry": {pull: true, say: both(times("ci", 3, red), answers("escalated", "retry")), end: "passed", calls: map[string]int{"ci": 4, "fix": 2, "ask escalated": 1}},
		"CI 3: skip":            {pull: true, say: both(times("ci", 3, red), answers("escalated", "skip")), end: "passed", calls: map[string]int{"ci": 3, "fix": 2}},
		"CI 3: abort":           {pull: true, say: both(times("ci", 3, red), answers("escalated", "abort")), end: "aborted MERGE", calls: map[string]int{"ci": 3}},
		"CI 6, two questions":   {pull: true, say: both(times("ci", 6, red), answers("escalated", "a hint", "retry")), end: "passed", calls: map[string]int{"ci": 7, "fix": 4}},
		"CI 3, nobody is there": {pull: true, yes: true, say: times("ci", 3, red), end: "ci_failed(3) MERGE", calls: map[string]int{"ci": 3, "fix": 2}},
		"CI that no code can mend, nobody is there": {pull: true, yes: true, say: times("ci", 1, never), end: "ci_failed(1) MERGE", calls: map[string]int{"ci": 1, "fix": 0}},
		"CI failed before as well":                  {pull: true, say: times("ci", 1, nobodys), end: "passed", calls: map[string]int{"ci": 1, "fix": 0}},
		"CI has two hours: 122 looks":               {pull: true, yes: true, say: times("ci", 122, waits), end: "passed", calls: map[string]int{"ci": 123}},
		"CI has two hours: 123 looks":               {pull: true, yes: true, say: times("ci", 123, waits), end: "passed", calls: map[string]int{"ci": 124}},
		"CI has two hours: 124 looks":               {pull: true, yes: true, say: times("ci", 124, waits), end: "ci_timeout MERGE", calls: map[string]int{"ci": 124}},
		"CI has five minutes to begin":              {pull: true, say: times("ci", 8, step.ForgeChecksOut{Pull: step.ForgePullOut{}}), end: "passed", calls: map[string]int{"ci": 9}},
		"CI does not begin":                         {pull: true, say: times("ci", 99, step.ForgeChecksOut{}), end: "passed", calls: map[string]int{"ci": 9, "fix": 0}},
		"somebody merges it":                        {pull: true, say: times("ci", 1, step.ForgeChecksOut{Pull: step.ForgePullOut{Number: 7, State: "merged"}}), end: "passed", calls: map[string]int{"ci": 1}},
		"somebody closes it":                        {pull: true, say: times("ci", 1, step.ForgeChecksOut{Pull: step.ForgePullOut{Number: 7, State: "closed"}}), end: "aborted MERGE", calls: map[string]int{"ci": 1}},
		"somebody else pushes":                      {pull: true, say: times("ci", 1, step.ForgeChecksOut{Pull: step.ForgePullOut{Number: 7, State: "open", Head: "x"}}), end: "needs_decision MERGE", calls: map[string]int{"ci": 1}},
		"what CI has found is reviewed, and is not good": {pull: true, yes: true, say: both(times("ci", 1, red), func(what string, nth int) any {
			if what == "code-reviewer" && nth > 1 {
				return bad
			}
			return nil
		}, holds), end: "needs_decision(4) MERGE", calls: map[string]int{"ci": 1, "fix": 3}},

		"passed before: nobody builds it":           {parts: 2, prior: priorState("cp-1"), end: "passed", calls: map[string]int{"implement": 1}},
		"passed before, and it is not so":           {parts: 2, prior: priorState("cp-1"), say: times(step.ProveTask.Name, 1, badProof), end: "passed", calls: map[string]int{"implement": 2}},
		"passed before, and nothing is known of it": {parts: 1, prior: priorState("cp-7"), end: "limit(3) DESIGN", calls: map[string]int{"design": 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for crash := range 3 {
				tt.play(t, crash)
			}
		})
	}
}

func priorState(id string) *checkpoint.State {
	return &checkpoint.State{Phase: checkpoint.Implement, Feature: "do it", Checkpoints: []checkpoint.Progress{{ID: id, Status: checkpoint.Passed, Iteration: 1}}}
}

func (tt tale) play(t *testing.T, crash int) {
	t.Helper()
	w := newWorld(t, 5) // everything goes well
	w.in = step.DevelopIn{Request: "do it", Language: "en", Yes: tt.yes, Panel: tt.panel, Prior: tt.prior, Delivery: step.ToCommit}
	if tt.pull {
		w.in.Pull = pullIn()
	}
	w.crash = []int{1 << 30, 3, 1}[crash]
	parts := max(tt.parts, 1)
	w.script = func(what string, nth int) any {
		if tt.say != nil {
			if v := tt.say(what, nth); v != nil {
				return v
			}
		}
		switch what {
		case "requirements":
			return map[string]any{"title": "Do it", "functional": []checkpoint.Item{{Text: "It does it", Priority: "MUST"}}}
		case "design":
			return chain(parts)
		case step.AutoQA.Name:
			return step.AutoQAOut{Goals: []step.Goal{{Goal: "test", Status: step.GoalPass}}}
		case step.ProveTask.Name:
			return step.TaskProof{Passed: true, Counts: step.Counts{Total: 1, Passed: 1}}
		case "ci":
			return green
		case "implement", "fix", "contracts":
			return map[string]any{"summary": "done"}
		case "ask agree", "ask decide":
			return flow.Answer{Verb: flow.Approve}
		case "ask answer":
			return flow.Answer{Verb: flow.Reply, Text: "that"}
		}
		return nil
	}
	w.always, w.seen = true, tt.seen
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
	if end != tt.end {
		t.Errorf("it ended %q (%s), want %q", end, o.End.Detail, tt.end)
	}
	for _, what := range slices.Sorted(maps.Keys(tt.calls)) {
		if w.calls[what] != tt.calls[what] {
			t.Errorf("%s was called %d times, want %d", what, w.calls[what], tt.calls[what])
		}
	}
	if !slices.Contains(reasons, o.End.Reason) {
		t.Errorf("%q is no reason", o.End.Reason)
	}
}

// chain is a design of n checkpoints, each of which needs the one before.
func chain(n int) checkpoint.Design {
	d := checkpoint.Design{Proposal: checkpoint.Proposal{Flow: "in and out", Components: []checkpoint.Component{{Name: "x", Does: "it"}}}}
	for i := range n {
		k := checkpoint.Checkpoint{
			Title: fmt.Sprint("part ", i+1), Scope: "all of it", Covers: []string{"FR-01"}, Validation: "go test ./a", Expected: "pass", Files: []task.File{{Path: fmt.Sprintf("a/f%d.go", i), Action: task.Create}},
			Tests: []checkpoint.Test{{Path: fmt.Sprintf("a/f%d_test.go", i), Name: "TestF", Shows: "it"}},
		}
		if i > 0 {
			k.Needs = []string{checkpoint.ID(i - 1)}
		}
		d.Checkpoints = append(d.Checkpoints, k)
	}
	return d
}

// offering lets each checkpoint of a design offer F.
func offering(d checkpoint.Design) checkpoint.Design {
	for i, k := range d.Checkpoints {
		d.Checkpoints[i].Interfaces = []checkpoint.Interface{{Path: k.Files[0].Path, Symbol: "F", Signature: "func F() int", Does: "it", Test: "TestF"}}
	}
	return d
}
