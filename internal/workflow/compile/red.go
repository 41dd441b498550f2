package compile

import (
	"slices"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// redAnswer is what an author of tests returns.
type redAnswer struct {
	Tests   []step.Claim   `json:"tests"`
	HeldOut []step.HeldOut `json:"held_out"`
	Unclear []step.Unclear `json:"unclear"`
}

// incomplete is the reason of modules of which some items have no test.
const incomplete = "tests-incomplete"

// red gets tests that are proved to fail for want of the implementation. It
// returns false, with the reason in the result, when there are none.
func (w *work) red(c *flow.Ctx) (bool, error) {
	w.frozen = w.f.Frozen
	if err := w.prune(c); err != nil {
		return false, err
	}
	if !w.needsRed() {
		return true, nil
	}
	base := w.tree
	var fb *judged
	if w.in.Feedback != "" {
		fb = &judged{text: w.in.Feedback}
	}
	best := -1
	var held []step.HeldOut // the last that were given
	for i, c := range flow.Rounds(c, "red", redRounds) {
		proof, ans, err := w.redRound(c, base, fb)
		if err != nil {
			return false, err
		}
		if proof == nil { // the turn itself failed; the next one starts afresh
			continue
		}
		if w.onlyLimits() && noNewTests(*proof) {
			return true, nil // nothing that a caller sees depends on them
		}
		held = turn.KeepHeldOut(ans.HeldOut, held)
		r := review(w.f.Items, ans.Tests, *proof)
		if proof.Passed && r.score >= best { // of two that are as good the later one has mended something
			w.frozen, w.tree, w.tested = proof.Frozen, proof.Tree, proof.Tree
			w.bare, w.strong, w.heldOut = base, proof.Strong, held
			w.covers = covers(proof.Covers)
			w.covered, w.proved = proof.Covered, proof.Proved
			w.res.TestFiles, w.res.Unclear = paths(proof.Frozen), bound(ans.Unclear, 20)
			w.keptBack(proof.Skipped)
			w.res.Findings, w.res.Score, w.uncovered = proof.Findings, r.score, r.findings
		}
		if !proof.Passed {
			w.res.Findings = proof.Findings
		}
		flow.Note(c, "judged", step.AttemptNote{
			Phase: "red", Attempt: i, Passed: proof.Passed, Score: r.score, Counts: proof.Counts,
			Findings: clipped(append(proof.Findings, r.findings...), 20), Failures: failures(proof.Failures, 5), Usage: w.res.Usage,
		})
		gain := r.score - best
		if proof.Passed {
			best = max(best, r.score)
		}
		if proof.Passed && (r.score == 100 || (i > 1 && gain < minGain)) {
			break
		}
		fb = &judged{findings: append(proof.Findings, r.findings...), tree: proof.Tree}
		w.res.RetryCount = i
	}
	if best < 0 {
		w.res.Reason = "red"
		return false, nil
	}
	if best < 100 {
		w.res.Reason = incomplete
	}
	return true, nil
}

// prune takes tests of items that the spec no longer has out of the tree.
func (w *work) prune(c *flow.Ctx) error {
	if len(w.f.Obsolete) == 0 || w.in.Phase == step.GreenRefactor {
		return nil
	}
	out, err := turn.Do(c, "prune", step.Prune, step.PruneIn{Facts: w.m.Facts, Tree: w.tree})
	if err != nil {
		return err
	}
	w.tree, w.tested, w.frozen = out.Tree, out.Tree, out.Frozen
	return nil
}

func covers(b flow.Blob) []flow.Blob {
	if b.IsZero() {
		return nil
	}
	return []flow.Blob{b}
}

// needsRed reports whether tests have to be written: not when every item of
// the spec is covered by tests that an earlier build froze, or when this run
// takes tests that exist.
func (w *work) needsRed() bool {
	switch {
	case w.in.Phase == step.GreenRefactor:
		return false
	case w.in.Phase == step.Red:
		return true
	case w.f.RedDone:
		return false
	}
	return len(w.frozen) == 0 || slices.ContainsFunc(w.f.Items, func(it step.Item) bool { return it.State != "unchanged" })
}

// onlyLimits reports whether nothing but values and limits has changed since tests were frozen.
func (w *work) onlyLimits() bool {
	return len(w.f.Frozen) > 0 && !slices.ContainsFunc(w.f.Items, func(it step.Item) bool { return it.State != "unchanged" && !it.Limit() })
}

// noNewTests reports whether all that is wrong with tests is that there is no new one.
func noNewTests(p step.RedOut) bool {
	left := slices.DeleteFunc(slices.Clone(p.Findings), func(f step.Finding) bool { return f.Rule == "no-new-tests" || f.Severity != step.Rejects })
	return step.Has(p.Findings, step.Rejects) && len(left) == 0
}

// redRound is one turn of the tests' author and its proof. A nil proof means
// that the turn gave nothing to prove.
func (w *work) redRound(c *flow.Ctx, base string, fb *judged, disputed ...string) (*step.RedOut, redAnswer, error) {
	var ans redAnswer
	tree := base
	if fb != nil && fb.tree != "" {
		tree = fb.tree // improve on what is there: everything out of scope is gone from it
	}
	out, err := turn.Ask(c, w.ask("red", tree, redSchema, redTask(w, fb)))
	if err == nil {
		w.res.Usage = w.res.Usage.Add(out.Usage)
		err = turn.Decode(out.Answer, &ans)
	}
	if err != nil {
		if turn.EndsRun(err) {
			return nil, ans, err
		}
		w.failedTurn(c, "red", err)
		return nil, ans, nil
	}
	unclear := step.Each(bound(ans.Unclear, 100), func(u step.Unclear) string { return u.Item })
	proof, err := turn.Do(c, "prove", step.ProveRed, step.RedIn{Facts: w.m.Facts, Base: base, Tree: out.Tree, Claims: bound(ans.Tests, 300), Unclear: unclear, HeldOut: ans.HeldOut, Disputed: disputed})
	if err != nil {
		return nil, ans, err
	}
	proof.Findings = append(proof.Findings, out.Findings...)
	if step.Has(out.Findings, step.Rejects) {
		proof.Passed = false
	}
	return &proof, ans, nil
}

// keptBack remembers which kept files an author changed and code put back.
func (w *work) keptBack(restored []string) {
	var kept []string
	for _, p := range restored {
		if slices.Contains(w.f.Kept, p) {
			kept = append(kept, p)
		}
	}
	w.res.Skipped = merge(w.res.Skipped, kept)
}

// failedTurn notes a turn that ended without a result.
func (w *work) failedTurn(c *flow.Ctx, phase string, err error) {
	f := flow.AsFailure(err)
	w.res.Findings = []step.Finding{{Rule: "turn-" + string(f.Class), Severity: step.Rejects, Message: turn.Clip(f.Msg, 400)}}
	flow.Note(c, "judged", step.AttemptNote{
		Phase: phase, Attempt: w.attempts[phase], Text: f.Error(), Findings: w.res.Findings, Usage: w.res.Usage,
	})
}

func paths(fs []step.File) []string {
	out := make([]string, len(fs))
	for i, f := range fs {
		out[i] = f.Path
	}
	return out
}
