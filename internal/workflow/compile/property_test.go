package compile_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/compile"
)

// world answers the steps of a compile run by the dice: every outcome that a
// step can have, in any order, with crashes in between.
type world struct {
	rnd   *rand.Rand
	blobs map[string][]byte
	turns map[string]int  // turns asked, by "module role"
	land  map[string]int  // landings that passed, by module
	asked map[string]int  // hearings of disputes, by module
	red   map[string]bool // ids of frozen files that a proof of RED which passed has given
	green map[string]bool // ids of frozen files that a proof of GREEN has passed with
	good  float64         // how often things go well
	flags bool            // the first attempt of GREEN passes and goes back for a red flag
}

func (w *world) put(v any) flow.Blob {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	id := fmt.Sprintf("blob%d", len(w.blobs))
	w.blobs[id] = raw
	return flow.Blob{SHA256: id, Size: int64(len(raw))}
}

func (w *world) ok() bool { return w.rnd.Float64() < w.good }

// answer is the outcome of one want.
func (w *world) answer(t *testing.T, want flow.Want) (any, *flow.Failure) {
	t.Helper()
	name, _, _ := strings.Cut(want.Step, "@")
	module := strings.TrimPrefix(want.Branch, "module/")
	finding := func() []step.Finding {
		if w.ok() {
			return nil
		}
		sev := []step.Severity{step.Rejects, step.Fix, step.Warn}[w.rnd.IntN(3)]
		return []step.Finding{{Rule: "dice", Severity: sev, Message: "no luck"}}
	}
	switch name {
	case step.AgentTurn.Name:
		return w.turn(t, want, module)
	case step.Head.Name:
		return step.HeadOut{Commit: "c", Tree: "t0"}, nil
	case step.ProveRed.Name:
		id := fmt.Sprint(w.rnd.IntN(4))
		out := step.RedOut{Passed: w.ok(), Tree: "red", Findings: finding(), Written: 2, Strong: 1 + w.rnd.IntN(2), Frozen: []step.File{{Path: "x_test.go", ID: module + id}}}
		w.red[module+id] = w.red[module+id] || out.Passed
		if w.ok() {
			out.Covered = []string{"B:1", "E:x"}
		}
		return out, nil
	case step.ProveGreen.Name:
		var in step.GreenIn
		if err := json.Unmarshal(want.In, &in); err != nil {
			t.Fatal(err)
		}
		out := step.GreenOut{Passed: w.ok(), Tree: "green", Findings: finding(), Counts: step.Counts{Total: 2, Passed: 2}}
		if w.flags && strings.HasSuffix(want.Key, ":green/1/prove") {
			out.Passed, out.Findings = true, []step.Finding{{Rule: "dice", Severity: step.Fix, Message: "a red flag"}}
		}
		if !out.Passed {
			out.Counts.Failed = 1
			out.Failures = []step.TestResult{{ID: "x_test.go::TestX/case", File: "x_test.go", Status: step.Fail}}
		}
		if !strings.Contains(want.Key, "refactor") { // which may be undone
			w.green[in.Frozen[0].ID] = w.green[in.Frozen[0].ID] || out.Passed
		}
		return out, nil
	case step.Format.Name:
		return step.FormatOut{Tree: []string{"green", "formatted"}[w.rnd.IntN(2)], Findings: finding()}, nil
	case step.Mutate.Name:
		return step.MutateOut{Tried: 4, Killed: w.rnd.IntN(5)}, nil
	case step.Land.Name:
		var in step.LandIn
		if err := json.Unmarshal(want.In, &in); err != nil {
			t.Fatal(err)
		}
		if len(in.Frozen) != 1 || !w.red[in.Frozen[0].ID] || !w.green[in.Frozen[0].ID] {
			t.Fatalf("%s: lands with tests that no proof of RED, or none of GREEN, has passed: %v", want.Key, in.Frozen)
		}
		out := step.LandOut{Passed: w.ok(), Commit: "l", Tree: "landed", Start: "again"}
		if out.Passed {
			w.land[module]++
		} else if w.ok() {
			out.Conflicts = []string{"go.mod"}
		}
		return out, nil
	case step.Apply.Name:
		return step.ApplyOut{Applied: 1}, nil
	}
	t.Fatalf("no answer for step %s", name)
	return nil, nil
}

func (w *world) turn(t *testing.T, want flow.Want, module string) (any, *flow.Failure) {
	t.Helper()
	var in step.Turn
	if err := json.Unmarshal(want.In, &in); err != nil {
		t.Fatal(err)
	}
	if in.Model != "" || !slices.Contains(step.Roles(), in.Role) {
		t.Fatalf("%s: a turn of %s, with the model %q", want.Key, in.Role, in.Model)
	}
	if strings.Contains(want.Key, "/try/1/") {
		w.turns[module+" "+in.Role]++
		if got := w.turns[module+" "+in.Role]; in.Attempt != got {
			t.Fatalf("%s: attempt %d of %s is asked for as attempt %d", want.Key, got, in.Role, in.Attempt)
		}
		if strings.Contains(want.Key, "/dispute/") {
			w.asked[module]++
		}
	}
	if !w.ok() {
		classes := []flow.Class{flow.Transient, flow.Limit, flow.Crashed, flow.Stuck, flow.Schema, flow.MaxTurns, flow.Refusal, flow.Environment, flow.Budget}
		return nil, &flow.Failure{Class: classes[w.rnd.IntN(len(classes))], Msg: "dice"}
	}
	answer := `{"tests": [{"item": "B:1", "tests": ["x"]}, {"item": "E:x", "tests": ["x"]}]}`
	switch in.Role {
	case "green":
		answer = `{"summary": "s", "implements": {}}`
		if w.rnd.IntN(4) > 0 {
			answer = `{"summary": "s", "implements": {}, "disputed": [{"test": "x_test.go::TestX", "reason": "r"}, {"test": "y_test.go::TestY", "reason": "r"}]}`
		}
	case "refactor":
		answer = `{"summary": "s"}`
	}
	return step.TurnOut{Tree: "turn", Answer: json.RawMessage(answer), Usage: step.Usage{Known: true, Requests: 1}}, nil
}

// TestAnyOutcomes plays thousands of runs with any outcome at any place and
// crashes in between: each ends, no limit is exceeded, no module lands twice,
// and a result that is called verified was delivered.
func TestAnyOutcomes(t *testing.T) {
	t.Parallel()
	seeds, enough := flowtest.Seeds(200, 1400)
	runs := len(seeds)
	ends, heard := map[string]int{}, 0
	for _, seed := range seeds {
		w := &world{
			rnd: rand.New(rand.NewPCG(uint64(seed), 7)), blobs: map[string][]byte{}, turns: map[string]int{}, land: map[string]int{},
			asked: map[string]int{}, red: map[string]bool{}, green: map[string]bool{},
			flags: seed%3 == 0,
			good:  []float64{0.3, 0.6, 0.8, 0.95, 1}[seed%5],
		}
		out, failed := w.play(t, seed)
		for who, n := range w.turns {
			_, role, _ := strings.Cut(who, " ")
			// GREEN: three attempts, and three more each time that a landing or a
			// better test sends the module back to its author. RED: one more when a
			// test is disputed.
			limit := map[string]int{"red": 3 + 1, "green": 3 * 4, "refactor": 1, "strength": 1}[role]
			if n > limit {
				t.Fatalf("seed %d: %d turns of %s, the limit is %d", seed, n, who, limit)
			}
		}
		for m, n := range w.asked {
			if heard += n; n > 1 {
				t.Fatalf("seed %d: the tests of %s were disputed %d times, want once", seed, m, n)
			}
		}
		for m, n := range w.land {
			if n > 1 {
				t.Fatalf("seed %d: %s landed %d times", seed, m, n)
			}
		}
		switch {
		case failed:
			ends["failed"]++
		case out.Verified:
			ends["verified"]++
			if out.Succeeded+out.Warned != out.Modules || out.Blocked > 0 {
				t.Fatalf("seed %d: verified with %+v", seed, out)
			}
		default:
			ends["not verified"]++
		}
	}
	t.Logf("%d runs: %v, %d disputes heard", runs, ends, heard)
	if !enough {
		return
	}
	for _, end := range []string{"verified", "not verified"} {
		if ends[end] < runs/20 {
			t.Errorf("only %d of %d runs ended %s: the dice do not reach it", ends[end], runs, end)
		}
	}
	if heard < runs/20 {
		t.Errorf("only %d disputes were heard in %d runs: the dice do not reach it", heard, runs)
	}
}

// play drives one run to its end.
func (w *world) play(t *testing.T, seed int) (step.CompileOut, bool) {
	t.Helper()
	facts := func(dir string) flow.Blob {
		return w.put(step.Facts{Dir: dir, Spec: dir + "/CLAUDE.md", Items: []step.Item{
			{ID: "B:1", Kind: "behavior", Category: "error", State: "new"}, {ID: "E:x", Kind: "export", State: "new"},
		}, Convention: seed%2 == 0, Docs: []step.Doc{}})
	}
	plan := step.PlanOut{Commit: "c", Tree: "t0", Count: 3, Modules: w.put([]step.PlanModule{
		{Dir: "a", Facts: facts("a")}, {Dir: "b", Facts: facts("b"), Needs: []string{"a"}}, {Dir: "c", Facts: facts("c"), Needs: []string{"a", "b"}},
	})}
	p := flowtest.Dice{
		T: t, Seed: seed, Rnd: w.rnd, Workflow: compile.Workflow, In: step.CompileIn{Phase: step.Full, Conflict: step.KeepFiles, Delivery: step.ToTree}, Crash: 20, Most: 5000,
		Blobs: func(b flow.Blob) ([]byte, error) { return w.blobs[b.SHA256], nil },
		Answer: func(want flow.Want) (any, *flow.Failure) {
			if want.Key == "plan" {
				return plan, nil
			}
			return w.answer(t, want)
		},
		Said: func(flow.Want) flow.Answer {
			return flow.Answer{Verb: []string{flow.Approve, flow.Approve, flow.Reject}[w.rnd.IntN(3)]}
		},
	}.Play()
	var out step.CompileOut
	if p.Err == nil {
		if err := json.Unmarshal(p.Out, &out); err != nil {
			t.Fatal(err)
		}
	}
	return out, p.Err != nil
}
