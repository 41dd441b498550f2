package develop_test

import (
	"encoding/json"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/develop"
)

var update = flag.Bool("update", false, "write the table of docs/internals/develop.md")

func presence(id string, there bool) pdca.Presence {
	return pdca.Presence{ID: id, Path: true, Symbol: there, Test: true}
}

type played struct {
	flowtest.Played

	out step.DevelopOut
}

func (w *world) dice() flowtest.Dice {
	return flowtest.Dice{
		T: w.t, Seed: w.seed, Rnd: w.rnd, Workflow: develop.Workflow, In: w.in, Crash: w.crash, Most: 20_000, Answer: w.answer, Said: w.decide,
		Blobs: func(b flow.Blob) ([]byte, error) { return w.blobs[b.SHA256], nil },
	}
}

func (w *world) play() played {
	w.t.Helper()
	r := played{Played: w.dice().Play()}
	if r.Err == nil {
		if err := json.Unmarshal(r.Out, &r.out); err != nil {
			w.fatalf("%v", err)
		}
	}
	return r
}

// reasons are all the ends that a run may have.
var reasons = []string{"passed", "limit", "needs_decision", "escalated", "aborted", "no_progress", "ci_failed", "ci_timeout"}

// judgeEnd looks at the end of a run.
func (w *world) judgeEnd(o step.DevelopOut) string {
	w.t.Helper()
	if !slices.Contains(reasons, o.End.Reason) || o.Verified != (o.End.Reason == "passed") || w.in.Pull == nil && o.Verified != (w.delivers == 1) || w.in.Pull != nil && w.delivers > 0 {
		w.fatalf("it ended as %+v, verified %v, delivered %d times", o.End, o.Verified, w.delivers)
	}
	if w.in.Pull != nil && o.Verified && (w.pulled != 1 || o.Pull == nil || o.Commit != w.pushed[len(w.pushed)-1] || w.redden == "red" && w.skipped == 0 && o.Pull.State != "merged") {
		w.fatalf("it is done: %d pull requests, CI is %q: %+v", w.pulled, w.redden, o)
	}
	if !o.Verified && o.End.Phase == "" {
		w.fatalf("it ended as %+v and does not say where", o.End)
	}
	r := o.Rounds
	merges := 1 + w.fixes + 1 // the last one may have no commit
	if r.Review > 1+maxReturns || r.Design > 1+maxReturns+maxPeople || r.CodeReview > (1+maxReviews)*merges+maxPeople ||
		w.in.Yes && (r.FullTests > maxFullTests*(1+maxReviews)*merges || r.CodeReview > (1+maxReviews)*merges || r.CI > maxCI || w.fixes >= maxCI) {
		w.fatalf("a limit is passed: %+v", r)
	}
	for _, k := range o.Checkpoints {
		if k.Rounds > 1+maxPeople || k.Attempts > maxAttempts*k.Rounds || k.Iteration > maxAttempts || w.in.Yes && k.Rounds > 1 {
			w.fatalf("a limit is passed: %+v", k)
		}
		if k.Status != step.Success && (k.Status != step.Warning || k.Reason == "") {
			w.fatalf("%s ended as %+v", k.ID, k)
		}
		if k.Status == step.Success && w.landed[k.ID] == 0 && !w.prior(k.ID) {
			w.fatalf("%s has passed and was never landed", k.ID)
		}
		if o.Verified && k.Status != step.Success && w.in.Yes {
			w.fatalf("%s has not passed, and nobody has skipped it", k.ID)
		}
	}
	if o.Sessions != w.answers {
		w.fatalf("%d sessions, %d answers", o.Sessions, w.answers)
	}
	if len(o.Accepted) != w.overrule+w.skipped {
		w.fatalf("%d objections were overruled, the result has %v", w.overrule, o.Accepted)
	}
	return o.End.Reason
}

// TestAnyOutcomes: whatever happens, a run ends, for a reason that has a name, within its limits, and nothing is delivered
// without evidence for the very tree that is delivered.
// It takes longer than ten seconds: it plays hundreds of whole runs.
func TestAnyOutcomes(t *testing.T) {
	t.Parallel()
	seeds, enough := flowtest.Seeds(200, 1400)
	runs := len(seeds)
	ends, went := map[string]int{}, map[string]int{}
	for _, seed := range seeds {
		w := newWorld(t, seed)
		r := w.play()
		if r.Err != nil {
			if ends["failed"]++; w.delivers > 0 {
				w.fatalf("it failed with %v and was delivered", r.Err)
			}
		} else {
			ends[w.judgeEnd(r.out)]++
		}
		for _, way := range taken(r) {
			if went[way]++; !slices.Contains(flowtest.Ways(rows()), way) {
				w.fatalf("%s is not in the table of transitions", way)
			}
		}
		if seed%10 == 0 {
			w.dice().Replay(r.Played)
		}
	}
	t.Log(ends, went)
	if !enough {
		return
	}
	for _, end := range append(slices.Clone(reasons), "failed") {
		if ends[end] < runs/300 {
			t.Errorf("only %d of %d runs ended as %q: the dice do not reach it", ends[end], runs, end)
		}
	}
	for _, way := range flowtest.Ways(rows()) {
		if went[way] == 0 && runs > 10_000 { // some ways are as rare as one in a thousand: a part of the conformance suite may miss them
			t.Errorf("no run went %s", way)
		}
	}
}

// taken are the ways that a run took, from the notes of its phases in their order.
func taken(r played) []string {
	if r.Err != nil {
		return nil
	}
	at, out := "", []string(nil)
	for _, key := range r.Order {
		if i := strings.LastIndex(key, "enter-"); i >= 0 {
			var n step.DevelopNote
			if json.Unmarshal([]byte(r.Notes[key]), &n) == nil {
				if at != "" {
					out = append(out, at+" → "+string(n.Phase))
				}
				at = string(n.Phase)
			}
		}
	}
	if r.out.End.Reason != "passed" {
		out = append(out, at+" → "+r.out.End.Reason)
	}
	return out
}

func rows() [][]string {
	var out [][]string
	for _, x := range develop.Transitions {
		out = append(out, []string{x.From, x.When, x.To})
	}
	return out
}

// TestTable: docs/internals/develop.md has the table of the code.
func TestTable(t *testing.T) {
	t.Parallel()
	flowtest.Table(t, "../../../docs/internals/develop.md", "transitions", append([][]string{{"from", "when", "to"}}, rows()...), *update)
}
