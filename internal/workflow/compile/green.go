package compile

import (
	"encoding/json"
	"slices"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// greenAnswer is what an author of code returns.
type greenAnswer struct {
	Summary    string     `json:"summary"`
	Implements step.Notes `json:"implements"`
	Disputed   []dispute  `json:"disputed"`
}

// judged is what the next attempt is told about the one before.
type judged struct {
	findings []step.Finding
	failures []step.TestResult
	text     string
	title    string // of the findings, instead of the usual
	said     string // the author's own words about the attempt
	tree     string // what the attempt left, without what was out of its scope
}

// green gets code that passes the frozen tests, in at most three attempts.
func (w *work) green(c *flow.Ctx) (bool, error) {
	if w.maySatisfy() {
		// The present code may do already: asking costs a check, not a turn.
		proof, err := turn.Do(c, "present", step.ProveGreen, w.greenIn(w.tree))
		if err != nil {
			return false, err
		}
		if proof.Passed && !step.Has(proof.Findings, step.Fix) {
			w.tree, w.res.Tests, w.res.Baseline, w.examples = proof.Tree, proof.Counts, proof.Baseline, proof.Examples
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
	return step.GreenIn{Facts: w.m.Facts, Base: w.tested, Tree: tree, Frozen: w.frozen, HeldOut: w.heldOut}
}

// attempt runs GREEN turns until the frozen tests pass. fb is what an earlier
// phase has to say; nil at first.
func (w *work) attempt(c *flow.Ctx, fb *judged) (bool, error) {
	start := w.tree
	var passed *better
	var notes step.Notes // of the attempts before, each of which knows only itself
	for i, c := range flow.Rounds(c, "green", greenRounds) {
		tree := start
		if fb != nil && fb.tree != "" {
			tree = fb.tree
		}
		out, err := turn.Ask(c, w.ask("green", tree, greenSchema, greenTask(w, fb)))
		if err != nil {
			if turn.EndsRun(err) {
				return false, err
			}
			w.failedTurn(c, "green", err)
			continue
		}
		w.res.Usage = w.res.Usage.Add(out.Usage)
		var ans greenAnswer
		if json.Unmarshal(out.Answer, &ans) == nil {
			w.res.Summary = turn.Clip(ans.Summary, 1000)
		}
		in := w.greenIn(out.Tree)
		in.Report = turn.Clip(ans.Summary, 2000)
		proof, err := w.prove(c, in, out)
		if err != nil {
			return false, err
		}
		if passes(proof) {
			if proof, err = w.examine(c, proof, in, out); err != nil {
				return false, err
			}
		}
		ok := w.judge(c, proof)
		if !ok && passed == nil { // an attempt that passed has shown what the tests are worth
			heard, insists := w.heard, false
			if proof, insists, err = w.hear(c, ans.Disputed, in, out, proof); err != nil {
				return false, err
			}
			if insists && (heard || w.final || i == greenRounds) {
				w.res.Reason = "disputed"
				if slices.ContainsFunc(ans.Disputed, w.mustStay) {
					w.res.Reason = "green" // kept files are in the way
				}
				return false, nil
			}
			ok = passes(proof)
		}
		// Red flags go back once more while there is an attempt left; they
		// do not fail a module whose tests pass.
		if ok && (i == greenRounds || !step.Has(proof.Findings, step.Fix) || passed != nil && slices.Equal(proof.Findings, passed.res.Findings)) {
			w.tree, w.res.Failures, w.notes = proof.Tree, nil, notes.Over(ans.Implements)
			return true, nil
		}
		if ok {
			passed = &better{tree: proof.Tree, examples: proof.Examples, notes: notes.Over(ans.Implements), res: w.res}
		}
		if len(w.f.Kept) > 0 && proof.Tree == w.tested {
			break // all that it changed was kept files: another attempt cannot do better
		}
		notes = *notes.Over(ans.Implements)
		fb = &judged{findings: proof.Findings, failures: proof.Failures, tree: proof.Tree, said: ans.Summary}
	}
	if passed != nil {
		// What should have become better became worse: the red flags are left.
		w.examples = passed.examples
		usage, retries := w.res.Usage, w.res.RetryCount
		w.tree, w.notes, w.res = passed.tree, passed.notes, passed.res
		w.res.Usage, w.res.RetryCount = usage, retries
		return true, nil
	}
	w.res.Reason = "green"
	return false, nil
}

// prove runs the frozen tests on what a turn has left.
func (w *work) prove(c *flow.Ctx, in step.GreenIn, out step.TurnOut) (step.GreenOut, error) {
	proof, err := turn.Do(c, "prove", step.ProveGreen, in)
	if err != nil {
		return proof, err
	}
	proof.Findings = append(proof.Findings, out.Findings...)
	if out.Changed == 0 && !proof.Passed {
		proof.Findings = append(proof.Findings, step.Finding{
			Rule: "no-changes", Severity: step.Fix, Path: w.m.Dir, Message: "No file was changed, and the module does not pass as it is. Write the code; if a test is wrong, follow the spec and name the test in `disputed`.",
		})
	}
	return proof, nil
}

// examine lets somebody else judge the held-out calls of a tree that has passed, and proves it again where that says so.
func (w *work) examine(c *flow.Ctx, proof step.GreenOut, in step.GreenIn, turned step.TurnOut) (step.GreenOut, error) {
	by := func() step.Turn { return w.ask("recheck", w.tested, nil, "") }
	held, again, spent, err := turn.Examine(c, by, w.tested, proof.Tree, proof.Callable, w.heldOut, step.Doubtful(w.heldOut, proof.Examples))
	for _, u := range spent {
		w.res.Usage = w.res.Usage.Add(u.Usage)
	}
	if err != nil || !again {
		return proof, err
	}
	w.heldOut, in.HeldOut = held, held
	return w.prove(c.Sub("held-out").Sub("again"), in, turned)
}

// judge takes a proof of an attempt into the result and notes it.
func (w *work) judge(c *flow.Ctx, proof step.GreenOut) bool {
	w.res.Findings, w.res.Failures, w.res.Tests = proof.Findings, proof.Failures, proof.Counts
	w.res.Baseline, w.examples = proof.Baseline, proof.Examples
	w.keptBack(proof.Skipped)
	w.res.RetryCount = w.attempts["green"] - 1
	flow.Note(c, "judged", step.AttemptNote{
		Phase: "green", Attempt: w.attempts["green"], Passed: passes(proof), Counts: proof.Counts,
		Findings: clipped(proof.Findings, 20), Failures: failures(proof.Failures, 10), Usage: w.res.Usage,
		Summary: w.res.Summary,
	})
	return passes(proof)
}

func passes(proof step.GreenOut) bool { return proof.Passed && !step.Has(proof.Findings, step.Rejects) }

// better is an attempt whose tests passed and that was sent back for red flags.
type better struct {
	tree     string
	notes    *step.Notes
	res      step.ModuleResult
	examples []step.Example
}

func merge(a, b []string) []string {
	out := []string{}
	for _, s := range slices.Concat(a, b) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// refactor runs formatter and linter, then one turn for conventions that no
// tool can apply. Any regression rolls the whole phase back.
func (w *work) refactor(c *flow.Ctx) error {
	if w.attempts["green"] == 0 && w.m.Reason != "convention-changed" {
		return nil // no code was written
	}
	c = c.Sub("refactor")
	formatted, err := turn.Do(c, "format", step.Format, step.FormatIn{Facts: w.m.Facts, Tree: w.tree, Frozen: w.frozen})
	if err != nil {
		return err
	}
	tree := formatted.Tree
	var usage step.Usage
	usage.Known = true
	missing, found := turn.OfMachine(formatted.Findings)
	w.res.NotRun = missing
	if w.f.Convention || len(found) > 0 {
		out, answered, err := turn.Try(c, w.ask("refactor", tree, refactorSchema, refactorTask(found)))
		if err != nil {
			return err
		}
		if answered && !step.Has(out.Findings, step.Rejects) {
			tree, usage = out.Tree, out.Usage
		}
	}
	w.res.Usage = w.res.Usage.Add(usage)
	if tree == w.tree {
		return nil
	}
	in := w.greenIn(tree)
	in.Before = w.tree
	proof, err := turn.Do(c, "prove", step.ProveGreen, in)
	if err != nil {
		return err
	}
	ok := passes(proof)
	flow.Note(c, "judged", step.AttemptNote{
		Phase: "refactor", Attempt: 1, Passed: ok, Counts: proof.Counts,
		Findings: clipped(proof.Findings, 20), Failures: failures(proof.Failures, 10), Usage: w.res.Usage,
	})
	if ok {
		w.tree, w.examples = proof.Tree, proof.Examples
	}
	return nil
}

// strength mutates the new code a little. When tests notice less than half of
// the changes, or reach too few of the new lines, they are weak: one more round
// of tests is asked for, then it is said. False: a better test showed that the code is wrong, and it stayed so.
func (w *work) strength(c *flow.Ctx) (bool, error) {
	c = c.Sub("strength")
	m, err := turn.Do(c, "mutate", step.Mutate, step.MutateIn{Facts: w.m.Facts, Base: w.base.Tree, Tree: w.tree, Frozen: w.frozen})
	if err != nil {
		return false, err
	}
	w.res.Mutants = step.Mutants{Tried: m.Tried, Killed: m.Killed}
	flow.Note(c, "judged", step.AttemptNote{
		Phase: "strength", Attempt: 1, Passed: strong(m) && m.Limits == 0, Findings: clipped(append(m.Survived, m.Findings...), 8), Usage: w.res.Usage,
	})
	if strong(m) && m.Limits == 0 || w.in.Phase == step.GreenRefactor {
		return true, nil
	}
	was := m
	m, ok, err := w.stronger(c, m)
	if err != nil || !ok {
		return false, err
	}
	if !strong(m) && !strong(was) { // a limit alone is asked for and may make no difference
		w.res.Reason = "weak-tests"
		w.res.Findings = slices.Concat(w.res.Findings, m.Survived, m.Findings)
		if w.mended { // tests that the author of the code has talked their author into have to be strong
			w.res.Reason = "disputed"
			return false, nil
		}
		return !step.Has(m.Findings, step.Rejects), nil // tests that compare nothing show nothing
	}
	return true, nil
}

// strong reports whether the tests noticed at least half of the mutants and
// reach the lines that changed.
func strong(m step.MutateOut) bool { return 2*m.Killed >= m.Tried && len(m.Findings) == 0 }

// stronger asks for tests that notice the changes. The author works on the
// finished code with its tests and may only add; the new tests are proved
// again: red without the code, green with it. It gives what the tests notice then.
func (w *work) stronger(c *flow.Ctx, m step.MutateOut) (now step.MutateOut, ok bool, err error) {
	t := w.ask("strength", w.tree, redSchema, strengthTask(w, &judged{title: "Changes that no test noticed", findings: append(m.Survived, m.Findings...)}))
	out, err := turn.Ask(c.Sub("red"), t)
	if err != nil {
		w.failedTurn(c.Sub("turn"), "strength", err)
		if !turn.EndsRun(err) {
			err = nil // the tests stay as weak as they are, and that is said
		}
		return m, err == nil, err
	}
	w.res.Usage = w.res.Usage.Add(out.Usage)
	var ans redAnswer
	answered := json.Unmarshal(out.Answer, &ans) == nil
	if !answered || step.Has(out.Findings, step.Rejects) {
		return m, true, nil
	}
	w.res.Unclear = bound(slices.Concat(w.res.Unclear, ans.Unclear), 20)
	proof, err := turn.Do(c, "red-again", step.ProveRed, step.RedIn{
		Facts: w.m.Facts, Base: w.tested, From: w.tree, Tree: out.Tree, Claims: bound(ans.Tests, 300),
	})
	if err != nil || !proof.Passed || !keeps(proof.Frozen, w.frozen) {
		return m, true, err
	}
	in := w.greenIn(w.tree)
	in.Frozen = proof.Frozen
	green, err := turn.Do(c, "prove", step.ProveGreen, in)
	if err != nil {
		return m, false, err
	}
	w.frozen, w.tested = proof.Frozen, proof.Tree
	w.covers = append(w.covers, covers(proof.Covers)...)
	w.covered, w.proved = merge(w.covered, proof.Covered), merge(w.proved, proof.Proved)
	w.strong += proof.Strong
	if green.Passed {
		w.tree, w.res.Tests, w.examples = green.Tree, green.Counts, green.Examples
	} else {
		// The new tests are proved like all others, and the code fails them: it
		// goes back to its author.
		ok, err := w.attempt(c, &judged{findings: green.Findings, failures: green.Failures, tree: green.Tree})
		if err != nil || !ok {
			return m, false, err
		}
	}
	again, err := turn.Do(c, "again", step.Mutate, step.MutateIn{Facts: w.m.Facts, Base: w.base.Tree, Tree: w.tree, Frozen: w.frozen})
	if err != nil {
		return m, false, err
	}
	w.res.Mutants = step.Mutants{Tried: again.Tried, Killed: again.Killed}
	w.res.TestFiles = paths(w.frozen)
	return again, true, nil
}

// keeps reports whether every file of an older set of frozen tests is still there.
func keeps(now, before []step.File) bool {
	return !slices.ContainsFunc(before, func(f step.File) bool {
		return !slices.ContainsFunc(now, func(n step.File) bool { return n.Path == f.Path })
	})
}
