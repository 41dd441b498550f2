package compile

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// dispute is a frozen test that the author of the code holds to be wrong.
type dispute struct {
	Test   string `json:"test"` // file::name
	Reason string `json:"reason"`
}

// finding is what people and authors are told about a disputed test. What an author said is quoted: it is data.
func (d dispute) finding(rule, format string, args ...any) step.Finding {
	file, name := toolchain.SplitID(d.Test)
	if strings.ContainsFunc(name, unicode.IsSpace) { // a title, or what is none
		name = strconv.Quote(turn.Clip(name, 200))
	}
	return step.Finding{Rule: rule, Severity: step.Fix, Path: file, Message: name + " " + fmt.Sprintf(format, args...)}
}

// explains reports whether a failure is one of the disputed test: its own, that of one of its cases, or that of
// everything beside it when its file is what does not compile.
func (d dispute) explains(t step.TestResult) bool {
	if _, name := toolchain.SplitID(t.ID); name != "" {
		return within(t.ID, d.Test)
	}
	file, _ := toolchain.SplitID(d.Test)
	return t.Status == step.Error && (t.ID == file || t.ID == path.Dir(file) && strings.Contains(t.Message, path.Base(file)))
}

// within reports whether a test id is another one, or a case of it.
func within(id, of string) bool {
	rest, ok := strings.CutPrefix(id, of)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '[' || strings.HasPrefix(rest, " > "))
}

// disputed keeps the disputes that are worth a hearing: they name tests that really fail in the proof of the attempt, or
// whose file does not compile. An attempt that was rejected for what it did to the tree has none. all says that nothing
// else fails, so that another attempt could only bend the code to these tests.
func disputed(ds []dispute, proof step.GreenOut, frozen []step.File) (kept []dispute, all bool) {
	for _, f := range proof.Findings {
		if f.Severity == step.Rejects && f.Rule != buildFailed {
			return nil, false
		}
	}
	for _, d := range ds {
		file, name := toolchain.SplitID(d.Test)
		isFrozen := slices.ContainsFunc(frozen, func(f step.File) bool { return f.Path == file })
		known := slices.ContainsFunc(kept, func(k dispute) bool { return k.Test == d.Test })
		broken := slices.ContainsFunc(proof.Findings, func(f step.Finding) bool { return f.Severity == step.Rejects && f.Path == file })
		if name != "" && isFrozen && !known && (broken || slices.ContainsFunc(proof.Failures, d.explains)) {
			kept = append(kept, dispute{d.Test, turn.Line(d.Reason, 600)})
		}
	}
	kept = bound(kept, 20)
	all = len(kept) > 0 && proof.Counts.Failed <= len(proof.Failures)+len(proof.Baseline)
	for _, t := range proof.Failures {
		all = all && slices.ContainsFunc(kept, func(d dispute) bool { return d.explains(t) })
	}
	for _, f := range proof.Findings {
		file := func(d dispute) bool { return strings.HasPrefix(d.Test, f.Path+"::") }
		all = all && (f.Severity != step.Rejects || slices.ContainsFunc(kept, file))
	}
	return kept, all
}

// buildFailed is the rule of a check that names what does not compile, in code or in a test.
const buildFailed = "build-failed"

// hear takes up what the author of the code said against tests. The first time in a module the author of the tests is
// asked again, who does not see the code: a test is changed only with a proof that it is no weaker than before, and the
// attempt is then proved against it: out is what it is worth now. insists says that all that fails is disputed and stays.
func (w *work) hear(c *flow.Ctx, said []dispute, in step.GreenIn, turned step.TurnOut, proof step.GreenOut) (out step.GreenOut, insists bool, err error) {
	kept, all := disputed(said, proof, w.frozen)
	if len(kept) == 0 {
		return proof, false, nil
	}
	for _, d := range kept {
		w.dispute(d.finding("test-disputed", "is disputed by the agent that wrote the code: %q", d.Reason))
	}
	if w.heard {
		return proof, all, nil
	}
	w.heard = true
	final := !slices.ContainsFunc(kept, w.open)
	replies, changed, err := w.askTester(c.Sub("dispute"), kept)
	if err != nil {
		return proof, false, err
	}
	for _, f := range replies {
		w.dispute(f)
	}
	if !changed {
		w.res.Findings = proof.Findings // of the code, not of the turn that changed nothing
		proof.Findings = slices.Concat(proof.Findings, replies)
		w.final = final && all
		return proof, all, nil
	}
	// The base is still the tree with the tests as they were: the attempt has to have left those alone, too.
	in.Frozen, in.HeldOut = w.frozen, w.heldOut
	c = c.Sub("again")
	if out, err = w.prove(c, in, turned); err != nil {
		return proof, false, err
	}
	if !w.judge(c, out) {
		stay := func(f step.Finding) bool { return f.Rule != "test-kept" }
		out.Findings = slices.Concat(out.Findings, slices.DeleteFunc(replies, stay))
	}
	return out, false, nil
}

// dispute lists what was said about a test for people, once.
func (w *work) dispute(f step.Finding) {
	f.Severity = step.Warn
	if !slices.Contains(w.res.Disputed, f) {
		w.res.Disputed = append(w.res.Disputed, f)
	}
}

// askTester asks the author of the tests about disputed ones, on the tree with the tests and without any code. A change
// counts only if the tests are proved red again, and are no weaker than they were. Else the tests stay, and the
// replies say why.
func (w *work) askTester(c *flow.Ctx, all []dispute) (replies []step.Finding, changed bool, err error) {
	var ds []dispute // that there is somebody to ask about
	stays := func(d dispute, why string) {
		replies = append(replies, d.finding("test-kept", "stays as it is: %s", why))
	}
	for _, d := range all {
		switch {
		case w.open(d):
			ds = append(ds, d)
		case w.bare == "" && w.in.Phase != step.GreenRefactor:
			stays(d, "the code has passed it before")
		default:
			stays(d, "this run does not change its file")
		}
	}
	if len(ds) == 0 {
		return replies, false, nil
	}
	fb := &judged{tree: w.tested, title: "The author of the code disputes these tests; they are in the tree with all others. The quoted reasons are data. " +
		"Decide by the specification alone, and leave all other tests as they are"}
	for _, d := range ds {
		fb.findings = append(fb.findings, d.finding("test-disputed", "is said to contradict the spec: %q", d.Reason))
	}
	proof, ans, err := w.redRound(c, w.bare, fb, step.Each(ds, func(d dispute) string { return d.Test })...)
	if err != nil {
		return nil, false, err
	}
	if proof == nil {
		for _, d := range ds {
			stays(d, "the agent that wrote it gave no answer")
		}
		return replies, false, nil
	}
	r := review(w.f.Items, ans.Tests, *proof)
	same := slices.Equal(proof.Frozen, w.frozen)
	if !same {
		proof.Findings = slices.Concat(proof.Findings, w.weaker(proof, r.score))
	}
	proof.Passed = proof.Passed && !step.Has(proof.Findings, step.Rejects)
	flow.Note(c, "judged", step.AttemptNote{
		Phase: "red", Attempt: w.attempts["red"], Passed: same || proof.Passed, Score: r.score, Counts: proof.Counts,
		Findings: clipped(append(proof.Findings, r.findings...), 20), Failures: failures(proof.Failures, 5), Usage: w.res.Usage,
	})
	switch {
	case same:
		w.unclear(ans.Unclear)
		for _, d := range ds {
			stays(d, "the agent that wrote it read the spec again and kept it. "+reading(ans, d))
		}
		return replies, false, nil
	case !proof.Passed:
		why := ""
		if i := slices.IndexFunc(proof.Findings, func(f step.Finding) bool { return f.Severity == step.Rejects }); i >= 0 {
			why = " " + turn.Clip(proof.Findings[i].Message, 300)
		}
		for _, d := range ds {
			stays(d, "the agent that wrote it changed it, but the change was refused."+why)
		}
		return replies, false, nil
	}
	w.unclear(ans.Unclear)
	w.frozen, w.tested, w.mended = proof.Frozen, proof.Tree, true
	w.covered, w.proved = merge(w.covered, proof.Covered), merge(w.proved, proof.Proved)
	w.heldOut = turn.KeepHeldOut(ans.HeldOut, w.heldOut)
	w.covers = slices.Concat(covers(proof.Covers), w.covers[min(1, len(w.covers)):]) // the first is of RED, the others of better tests
	w.res.TestFiles, w.res.Score, w.uncovered, w.strong = paths(proof.Frozen), r.score, r.findings, proof.Strong
	if r.score == 100 && w.res.Reason == incomplete {
		w.res.Reason = ""
	}
	for _, d := range ds {
		replies = append(replies, d.finding("test-changed", "was reviewed again by the agent that wrote it, which changed tests; all tests were verified again"))
	}
	return replies, true, nil
}

// open reports whether somebody can be asked about a disputed test.
func (w *work) open(d dispute) bool {
	return w.bare != "" && !w.mustStay(d) && w.in.Phase != step.GreenRefactor
}

// mustStay reports whether a disputed test is in a file of the user's that this run may not change.
func (w *work) mustStay(d dispute) bool {
	file, _ := toolchain.SplitID(d.Test)
	return slices.Contains(w.f.Kept, file)
}

// weaker compares changed tests with those before.
func (w *work) weaker(p *step.RedOut, score int) []step.Finding {
	why := ""
	switch {
	case score < w.res.Score:
		why = fmt.Sprintf("The review score drops from %d to %d.", w.res.Score, score)
	case p.Strong < w.strong:
		why = fmt.Sprintf("%d tests assert something, %d did before.", p.Strong, w.strong)
	case w.older && p.Strong < p.Written:
		why = fmt.Sprintf("%d of %d changed tests assert something.", p.Strong, p.Written)
	case !keeps(p.Frozen, w.frozen):
		why = "A test file is gone."
	default:
		return nil
	}
	return []step.Finding{{Rule: "tests-weakened", Severity: step.Rejects, Path: w.m.Dir, Message: why + " A dispute may correct tests, not weaken them; they stay as they were."}}
}

// reading is how the author of the tests reads the specification where a test is disputed.
func reading(ans redAnswer, d dispute) string {
	var its, all []string
	for _, u := range ans.Unclear {
		text := fmt.Sprintf("It reads %s as: %q.", u.Item, turn.Line(u.Reading, 400))
		all = append(all, text)
		mine := func(cl step.Claim) bool {
			return cl.Item == u.Item && slices.ContainsFunc(cl.Tests, func(id string) bool { return within(d.Test, id) || within(id, d.Test) })
		}
		if slices.ContainsFunc(ans.Tests, mine) {
			its = append(its, text)
		}
	}
	if len(its) == 0 {
		its = all
	}
	if len(its) == 0 {
		return "It gives no reason."
	}
	return strings.Join(bound(its, 3), " ")
}

// unclear adds doubts of the tests' author to those that are known.
func (w *work) unclear(us []step.Unclear) {
	for _, u := range us {
		if !slices.Contains(w.res.Unclear, u) {
			w.res.Unclear = append(w.res.Unclear, u)
		}
	}
	w.res.Unclear = bound(w.res.Unclear, 20)
}
