package act

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
)

// Standing is what verify says of a module.
type Standing string

// The standings.
const (
	Verified   Standing = "verified"   // it is as it was recorded, and its tests and examples pass
	Failing    Standing = "failing"    // it is as it was recorded, and they do not
	EditedHere Standing = "edited"     // its code or frozen tests are not those that were recorded
	Stale      Standing = "stale"      // its spec, or what it was built from, is not what was recorded
	Unverified Standing = "unverified" // no record says anything of its code, or there is nothing that could prove it
)

// Verification is what verify has found out about one module.
type Verification struct {
	Dir      string            `json:"dir"`
	Standing Standing          `json:"status"`
	Reason   string            `json:"reason,omitempty"` // why it is not verified
	Next     string            `json:"next,omitempty"`   // the command that leads on
	Tests    step.Counts       `json:"tests"`
	Examples int               `json:"examples"` // of the spec, that were called and hold
	NotRun   int               `json:"examples_not_run,omitempty"`
	WhyNot   string            `json:"examples_not_run_reason,omitempty"` // of the first of these
	Failures []step.TestResult `json:"failures,omitempty"`
	Findings []step.Finding    `json:"findings,omitempty"`
	Spec     string            `json:"-"` // its path; "" where it is gone
}

// Verify proves the modules below dir as the lock records them, without any agent: that they are what was recorded, that
// they build, that their frozen tests pass, and that the examples of their specs hold. each is told of one after the other.
func (a *Actor) Verify(ctx context.Context, dir string, each func(Verification)) error {
	list, err := a.o.Repo.Listing(ctx, nil)
	if err != nil {
		return machinery(err)
	}
	v := a.worktree(list)
	now, err := a.planOf(ctx, step.CompileIn{Paths: step.Below(dir), Phase: step.Full, Conflict: step.KeepFiles}, v)
	if err != nil {
		return err
	}
	all, err := a.planOf(ctx, step.CompileIn{Paths: step.Below(dir), All: true, Phase: step.Full, Conflict: step.KeepFiles}, v) // which has the facts
	if err != nil {
		return err
	}
	_, tree, err := a.o.Repo.Snapshot(ctx, a.commit("verify", "", "verify"))
	if err != nil {
		return machinery(err)
	}
	b := a.builder(ctx, all, tree)
	found := now.standings()
	for _, d := range slices.Sorted(maps.Keys(found)) {
		m := found[d]
		if m.Standing == Verified || m.Standing == EditedHere {
			if err := a.verifyOne(ctx, b, v, &m); err != nil {
				return err
			}
		}
		each(m)
	}
	return nil
}

// standings are what the plan says of modules: those that are verified, or edited, have yet to be proved.
func (p *CompilePlan) standings() map[string]Verification {
	out := map[string]Verification{}
	for _, s := range p.res.Skipped {
		mod, _ := p.res.Index.Module(s.Dir)
		m := Verification{Dir: s.Dir, Reason: s.Details, Spec: mod.Path}
		switch s.Reason {
		case target.UpToDate:
			m.Standing, m.Reason = Verified, ""
		case target.Edited:
			m.Standing, m.Next = EditedHere, "adopt "+s.Dir
		case target.Unverified:
			m.Standing, m.Next = Unverified, "adopt "+s.Dir
		case target.Conflict:
			m.Standing, m.Next = Failing, "build "+s.Dir+" --conflict overwrite"
		default: // a node of the tree has nothing that could be proved
			continue
		}
		out[s.Dir] = m
	}
	for _, t := range p.res.Targets {
		m := Verification{Dir: t.Dir, Spec: t.ClaudeMdPath, Standing: Stale, Reason: string(t.Reason) + ": " + t.Details, Next: "build " + t.Dir}
		switch {
		case t.Refused != "":
			m.Reason, m.Next = t.Refused, "spec check "+t.Dir
		case t.Reason == target.TestsGone: // a test that was only moved needs no agent
			m.Next = "adopt " + t.Dir
		}
		out[t.Dir] = m
	}
	for _, d := range p.res.Gone {
		if !p.in.Limits(d) {
			out[d] = Verification{Dir: d, Standing: Stale, Reason: "its spec is gone", Next: "decompile " + d}
		}
	}
	for _, pr := range p.res.Problems {
		d := path.Dir(pr.Path)
		if m, ok := out[d]; ok && isError(pr) && m.Standing != Stale {
			m.Standing, m.Reason, m.Next = Failing, pr.String(), "spec check "+d
			out[d] = m
		}
	}
	return out
}

// verifyOne runs what proves a module.
func (a *Actor) verifyOne(ctx context.Context, b *builder, v *view, m *Verification) error {
	i := slices.IndexFunc(b.p.targets, func(t target.Target) bool { return t.Dir == m.Dir })
	if i < 0 { // all of them are targets where everything is asked for, but those with mistakes in their specs
		m.Standing, m.Reason, m.Next = Failing, "its spec has errors", "spec check "+m.Dir
		return nil
	}
	f, err := b.facts(b.p.targets[i])
	if err != nil {
		return err
	}
	fails := func(format string, args ...any) {
		if m.Standing == EditedHere {
			m.Reason += "; " + fmt.Sprintf(format, args...)
		} else {
			m.Standing, m.Reason = Failing, fmt.Sprintf(format, args...)
		}
		m.Next = "build " + m.Dir + " --all"
	}
	if len(f.Choices) > 0 {
		fails("its language is unknown")
		m.Next += " --language " + m.Dir + "=LANG"
		return nil
	}
	pv, err := load[private](a.o.Blobs, f.Private)
	if err != nil {
		return err
	}
	tests := recordedTests(f, pv.Old, v)
	if len(tests) == 0 {
		fails("it has no tests that could pass")
		m.Standing = Unverified
		return nil
	}
	c, err := a.checker(alone("verify"))
	if err != nil {
		return err
	}
	proof, err := c.Merged(ctx, pv.Module, b.tree, tests)
	if err != nil {
		return a.checkError(err)
	}
	m.Tests, m.Failures, m.Findings = proof.Counts(), short(proof.Failures()), bound(proof.Findings, 20)
	if !proof.Passed {
		fails("its checks do not pass")
		return nil
	}
	called, err := c.Examples(ctx, pv.Module, proof.Tree, tests)
	if err != nil {
		return a.checkError(err)
	}
	for _, e := range called.Examples {
		switch e.State {
		case step.ExampleHolds:
			m.Examples++
		case step.ExampleNotRun:
			m.NotRun, m.WhyNot = m.NotRun+1, cmp.Or(m.WhyNot, e.Why)
		}
	}
	if wrong := called.Findings; check.Rejected(wrong) {
		m.Findings = bound(slices.Concat(wrong, m.Findings), 20)
		fails("examples of its spec that fail: %d", len(wrong))
	}
	return nil
}

// recordedTests are the files with tests that the record of a module names, as they are now.
func recordedTests(f step.Facts, old target.Entry, v *view) []step.File {
	var out []step.File
	for _, file := range slices.Sorted(maps.Keys(old.Tests)) {
		if id := v.ids[file]; id != "" {
			out = append(out, step.File{Path: file, ID: id})
		}
	}
	for _, t := range proving(f, v) {
		if old.Files[t.Path] != "" {
			out = append(out, t)
		}
	}
	return out
}
