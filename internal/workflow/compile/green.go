package compile

import (
	"encoding/json"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// greenAnswer is what an author of code returns.
type greenAnswer struct {
	Summary    string     `json:"summary"`
	Implements step.Notes `json:"implements"`
}

// judged is what the next attempt is told about the one before.
type judged struct {
	findings []step.Finding
	failures []step.TestResult
	score    int
	text     string
	tree     string
	honest   bool // nothing of it was rejected, so it can be built upon
}

// green gets code that passes the frozen tests, in at most three attempts.
func (w *work) green(c *flow.Ctx) (bool, error) {
	if w.maySatisfy() {
		// The present code may do already: asking costs a check, not a turn.
		proof, err := do(c, "present", step.ProveGreen, w.greenIn(w.tree))
		if err != nil {
			return false, err
		}
		if proof.Passed {
			w.tree, w.res.Tests = proof.Tree, proof.Counts
			return true, nil
		}
	}
	return w.attempt(c, nil)
}

// maySatisfy reports whether the tree may already pass: sources exist and
// nothing asks for them to be written anew.
func (w *work) maySatisfy() bool {
	return len(w.f.Sources) > 0 && w.m.Reason != "plan-changed" && !w.rewrite()
}

// rewrite reports whether the user asked for existing files to be written anew.
func (w *work) rewrite() bool {
	return w.in.Conflict == step.Overwrite && w.in.All
}

func (w *work) greenIn(tree string) step.GreenIn {
	return step.GreenIn{Facts: w.m.Facts, Base: w.tested, Tree: tree, Frozen: w.frozen}
}

// attempt runs GREEN turns until the frozen tests pass. fb is what an earlier
// phase has to say; nil at first.
func (w *work) attempt(c *flow.Ctx, fb *judged) (bool, error) {
	start := w.tree
	for i, c := range flow.Rounds(c, "green", greenRounds) {
		tree := start
		if fb != nil && fb.honest && fb.tree != "" {
			tree = fb.tree
		}
		out, err := turn(c, w.ask("green", tree, greenSchema, greenTask(w, fb)))
		if err != nil {
			if endsRun(err) {
				return false, err
			}
			w.failedTurn(c, "green", err)
			continue
		}
		w.res.Usage = w.res.Usage.Add(out.Usage)
		proof, err := do(c, "prove", step.ProveGreen, w.greenIn(out.Tree))
		if err != nil {
			return false, err
		}
		proof.Findings = append(proof.Findings, out.Findings...)
		honest := !rejected(proof.Findings)
		w.res.Findings, w.res.Failures, w.res.Tests = proof.Findings, proof.Failures, proof.Counts
		w.res.Skipped = merge(w.res.Skipped, proof.Skipped)
		w.res.RetryCount = w.attempts["green"] - 1
		ok := proof.Passed && honest
		flow.Note(c, "judged", step.AttemptNote{
			Phase: "green", Attempt: w.attempts["green"], Passed: ok, Counts: proof.Counts,
			Findings: clipped(proof.Findings, 20), Failures: failures(proof.Failures, 10), Usage: w.res.Usage,
		})
		// Red flags go back once more while there is an attempt left; they
		// do not fail a module whose tests pass.
		if ok && (i == greenRounds || !fixable(proof.Findings)) {
			w.tree, w.res.Failures = proof.Tree, nil
			var ans greenAnswer
			if json.Unmarshal(out.Answer, &ans) == nil {
				w.notes = &ans.Implements
			}
			return true, nil
		}
		fb = &judged{findings: proof.Findings, failures: proof.Failures, tree: proof.Tree, honest: honest}
	}
	w.res.Reason = "green"
	return false, nil
}

func fixable(fs []step.Finding) bool {
	for _, f := range fs {
		if f.Severity == step.Fix {
			return true
		}
	}
	return false
}

func merge(a, b []string) []string {
	seen := map[string]bool{}
	out := []string{}
	for _, list := range [][]string{a, b} {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// refactor runs formatter and linter, then one turn for conventions that no
// tool can apply. Any regression rolls the whole phase back.
func (w *work) refactor(c *flow.Ctx) error {
	c = c.Sub("refactor")
	formatted, err := do(c, "format", step.Format, step.FormatIn{Facts: w.m.Facts, Tree: w.tree, Frozen: w.frozen})
	if err != nil {
		return err
	}
	tree := formatted.Tree
	var usage step.Usage
	usage.Known = true
	if w.f.Convention || len(formatted.Findings) > 0 {
		out, err := turn(c, w.ask("refactor", tree, refactorSchema, refactorTask(formatted.Findings)))
		if err != nil && endsRun(err) {
			return err
		}
		if err == nil && !rejected(out.Findings) {
			tree, usage = out.Tree, out.Usage
		}
	}
	w.res.Usage = w.res.Usage.Add(usage)
	if tree == w.tree {
		return nil
	}
	in := w.greenIn(tree)
	in.Before = w.tree
	proof, err := do(c, "prove", step.ProveGreen, in)
	if err != nil {
		return err
	}
	ok := proof.Passed && !rejected(proof.Findings)
	text := ""
	if !ok {
		text = "rolled back"
	}
	flow.Note(c, "judged", step.AttemptNote{
		Phase: "refactor", Attempt: 1, Passed: ok, Counts: proof.Counts, Text: text,
		Findings: clipped(proof.Findings, 20), Failures: failures(proof.Failures, 10), Usage: w.res.Usage,
	})
	if ok {
		w.tree = proof.Tree
	}
	return nil
}

// strength mutates the new code a little. When no test notices any change,
// the tests are weak: one more RED round is asked for, then it is said.
func (w *work) strength(c *flow.Ctx) error {
	c = c.Sub("strength")
	m, err := do(c, "mutate", step.Mutate, step.MutateIn{Facts: w.m.Facts, Base: w.base.Tree, Tree: w.tree, Frozen: w.frozen})
	if err != nil {
		return err
	}
	w.res.Mutants = step.Mutants{Tried: m.Tried, Killed: m.Killed}
	if m.Tried == 0 || m.Killed > 0 || w.in.Phase == step.GreenRefactor {
		return nil
	}
	better, err := w.stronger(c, m)
	if err != nil {
		return err
	}
	if !better {
		w.res.Reason = "weak-tests"
		w.res.Findings = append(w.res.Findings, m.Survived...)
	}
	return nil
}

// stronger asks for better tests, proves them red without the code and green
// with it, and measures again.
func (w *work) stronger(c *flow.Ctx, m step.MutateOut) (bool, error) {
	fb := &judged{findings: m.Survived}
	base := w.base.Tree
	proof, _, err := w.redRound(c.Sub("red"), base, fb)
	if err != nil || proof == nil || !proof.Passed {
		return false, err
	}
	in := w.greenIn(w.tree)
	in.Frozen = proof.Frozen
	green, err := do(c, "prove", step.ProveGreen, in)
	if err != nil || !green.Passed {
		return false, err
	}
	again, err := do(c, "again", step.Mutate, step.MutateIn{Facts: w.m.Facts, Base: base, Tree: green.Tree, Frozen: proof.Frozen})
	if err != nil || again.Killed == 0 {
		return false, err
	}
	w.tree, w.frozen = green.Tree, proof.Frozen
	w.res.Mutants = step.Mutants{Tried: again.Tried, Killed: again.Killed}
	w.res.Tests, w.res.TestFiles = green.Counts, paths(proof.Frozen)
	return true, nil
}
