package act

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Adopted is one module that adopt has looked at.
type Adopted struct {
	Dir      string            `json:"dir"`
	State    target.State      `json:"state,omitempty"`
	Tests    step.Counts       `json:"tests"`
	Problem  string            `json:"problem,omitempty"` // why it was not recorded
	Failures []step.TestResult `json:"failures,omitempty"`
}

// noSources is why a module without code is not adopted.
const noSources = "it has no sources to adopt; build it"

// Adopt records the present tree as built: modules under dir whose tests
// pass get a line in the lock without any agent. unchecked records them
// without running anything, and the lock says so.
func (a *Actor) Adopt(ctx context.Context, dir string, unchecked bool) ([]Adopted, error) {
	list, err := a.o.Repo.Listing(ctx, nil)
	if err != nil {
		return nil, machinery(err)
	}
	v := a.worktree(list)
	in := step.CompileIn{Paths: step.Below(dir), All: true, Phase: step.Full, Conflict: step.KeepFiles}
	p, err := a.planOf(ctx, in, v)
	if err != nil {
		return nil, err
	}
	_, tree, err := a.o.Repo.Snapshot(ctx, a.commit("adopt", "", "adopt"))
	if err != nil {
		return nil, machinery(err)
	}
	p.undescribed()
	b := a.builder(ctx, p, tree)
	lock := p.lock
	out := []Adopted{}
	for _, t := range p.broken {
		out = append(out, Adopted{Dir: t.Dir, Problem: t.Refused})
	}
	now, err := a.planOf(ctx, step.CompileIn{Paths: step.Below(dir), Phase: step.Full}, v)
	if err != nil {
		return nil, err
	}
	for _, t := range p.targets {
		if have, ok := lock.Entry(t.Dir); ok && have.State == target.Built && slices.ContainsFunc(now.res.Skipped, func(s target.Skipped) bool {
			return s.Dir == t.Dir && s.Reason == target.UpToDate
		}) {
			continue // what is built and up to date has a better record already
		}
		prove := a.adoptOne
		if unchecked {
			prove = a.asItIs
		}
		ad := Adopted{Dir: t.Dir}
		e, err := prove(ctx, b, t, &ad)
		if err != nil {
			return nil, err
		}
		if ad.Problem == "" {
			ad.State = e.State
			lock.Put(e)
		}
		out = append(out, ad)
	}
	if !slices.ContainsFunc(out, func(ad Adopted) bool { return ad.Problem == "" }) {
		return out, nil
	}
	return out, a.writeLock(ctx, lock)
}

// undescribed takes specs back into a plan that lack a purpose only: nobody builds from them, but code can be recorded.
func (p *CompilePlan) undescribed() {
	only := func(t target.Target) bool { return t.Refused == target.Undescribed }
	for _, t := range p.broken {
		if only(t) {
			p.targets = append(p.targets, t)
		}
	}
	p.broken = slices.DeleteFunc(p.broken, only)
}

// adoptOne is the record of a module whose tests pass and whose examples hold; else ad says what the problem is.
func (a *Actor) adoptOne(ctx context.Context, b *builder, t target.Target, ad *Adopted) (target.Entry, error) {
	f, err := b.facts(t)
	if err != nil {
		return target.Entry{}, err
	}
	v := b.p.view
	if f.Language == "" { // it has no private facts either
		ad.Problem = noSources
		if slices.ContainsFunc(b.owned[f.Dir], toolchain.IsSource) {
			ad.Problem = "its code is in several languages, so nothing was run; to record it as it is, use --unchecked"
		}
		return target.Entry{}, nil
	}
	pv, err := load[private](a.o.Blobs, f.Private)
	if err != nil {
		return target.Entry{}, err
	}
	e := pv.Entry
	e.State, e.Tool, e.PlanID = target.Built, "jacquard "+a.o.Version, v.ids[f.Implements]
	e.Files, e.Tests = map[string]string{}, map[string]string{}
	for _, s := range f.Sources {
		e.Files[s] = v.ids[s]
	}
	for _, t := range f.Tests {
		if toolchain.IsTest(t) {
			e.Tests[t] = v.ids[t]
		}
	}
	e.Covers = a.stillProved(ctx, pv.Old, e)
	if len(f.Sources) == 0 {
		ad.Problem = noSources
		return e, nil
	}
	return e, a.adoptCheck(ctx, pv, b.tree, proving(f, v), ad)
}

// proving are the files with tests that prove a module as it is: its tests and, in Rust, sources with tests in them.
func proving(f step.Facts, v *view) []step.File {
	var out []step.File
	for _, s := range f.Sources {
		if toolchain.LanguageOf(s) == toolchain.LangRust && len(source.Parse(s, v.bytes(s)).Tests) > 0 {
			out = append(out, step.File{Path: s, ID: v.ids[s]}) // only here: whoever builds the module may change it
		}
	}
	for _, t := range f.Tests {
		if toolchain.IsTest(t) {
			out = append(out, step.File{Path: t, ID: v.ids[t]})
		}
	}
	return out
}

// asItIs is the record of a module that nobody has checked.
func (a *Actor) asItIs(_ context.Context, b *builder, t target.Target, ad *Adopted) (target.Entry, error) {
	b.prepare()
	e, ok := b.p.res.Entry(t.Dir)
	if !ok {
		ad.Problem = "it has no record to be"
		return e, nil
	}
	e.State, e.Tool, e.PlanID = target.Unchecked, "jacquard "+a.o.Version, b.p.view.ids[path.Join(t.Dir, "IMPLEMENTS.md")]
	e.Files, e.Tests = map[string]string{}, map[string]string{}
	for _, p := range b.owned[t.Dir] {
		switch toolchain.Classify(p) {
		case toolchain.Source:
			e.Files[p] = b.p.view.ids[p]
		case toolchain.Test:
			e.Tests[p] = b.p.view.ids[p]
		case toolchain.TestData, toolchain.Config, toolchain.Other:
		}
	}
	if len(e.Files) == 0 {
		ad.Problem = noSources
	}
	return e, nil
}

// adoptCheck runs what proves a module as it is.
func (a *Actor) adoptCheck(ctx context.Context, pv private, tree string, frozen []step.File, ad *Adopted) error {
	if len(frozen) == 0 {
		ad.Problem = "it has no tests that could pass; write some, build it, or use --unchecked"
		if list := pv.Module.Place.Tests; len(list) > 0 {
			ad.Problem = fmt.Sprintf("no test file counts as its own; these would: %s. Rename its tests, write some, or use --unchecked", strings.Join(list[:min(len(list), 3)], ", "))
		}
		return nil
	}
	c, err := a.checker(alone("adopt"))
	if err != nil {
		return err
	}
	proof, err := c.Merged(ctx, pv.Module, tree, frozen)
	if err != nil {
		return a.checkError(err)
	}
	ad.Tests = proof.Counts()
	if !proof.Passed {
		ad.Problem, ad.Failures = "its checks do not pass", short(proof.Failures())
		if len(proof.Findings) > 0 {
			ad.Problem = fmt.Sprintf("its checks do not pass; %s", proof.Findings[0].Message)
		}
		return nil
	}
	called, err := c.Examples(ctx, pv.Module, proof.Tree, frozen)
	if err != nil {
		return a.checkError(err)
	}
	if wrong := called.Findings; check.Rejected(wrong) { // its tests may be older than its spec
		ad.Problem = fmt.Sprintf("examples of its spec that fail: %d; %s", len(wrong), wrong[0].Message)
	}
	return nil
}

// writeLock replaces the lock in the user's tree.
func (a *Actor) writeLock(ctx context.Context, lock *target.Lock) error {
	path := filepath.Join(a.o.Repo.Root(), target.LockName)
	d := git.Delivery{Path: target.LockName, Mode: "100644"}
	if have, err := os.ReadFile(path); err == nil {
		if d.Old, err = a.o.Repo.WriteBlob(ctx, have); err != nil {
			return machinery(err)
		}
	}
	var err error
	if d.New, err = a.o.Repo.WriteBlob(ctx, lock.Bytes()); err != nil {
		return machinery(err)
	}
	_, err = a.o.Repo.Apply(ctx, []git.Delivery{d})
	return machinery(err)
}
