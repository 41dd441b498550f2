package act

import (
	"context"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// before runs all tests of a toolchain on a tree that this run has not changed.
func (a *Actor) before(ctx context.Context, c *check.Checker, chain toolchain.Found, tree string) (map[string]string, error) {
	key := tree + " " + chain.Root + " " + chain.Ecosystem
	a.mu.Lock()
	b := a.baselines[key]
	if b == nil {
		b = &baseline{}
		a.baselines[key] = b
	}
	a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.taken {
		return b.red, nil
	}
	proof, err := c.Baseline(ctx, chain, tree)
	if err != nil {
		return nil, a.checkError(err)
	}
	b.taken, b.red = true, map[string]string{}
	for _, t := range proof.Failures() {
		b.red[t.ID] = t.Message
	}
	return b.red, nil
}

// known are those failures of a proof that are not the author's, by id with how they
// are listed: tests of an earlier build, unchanged since, that fail without this run as
// well, or flake.
func (a *Actor) known(ctx context.Context, c *check.Checker, f step.Facts, pv private, frozen []step.File, proof check.Proof) (map[string]string, error) {
	if proof.Passed || pv.Old.State != target.Built {
		return nil, nil
	}
	old := map[string]func(string) bool{}
	out := map[string]string{}
	for _, t := range proof.Failures() {
		same, ok := old[t.File]
		if !ok {
			var err error
			if same, err = a.unchanged(ctx, f, pv, frozen, t.File); err != nil {
				return nil, err
			}
			old[t.File] = same
		}
		if same == nil || !same(t.ID) {
			continue
		}
		text, err := a.excuse(ctx, c, pv.Module.Chain, pv.Module.Base, t)
		if err != nil {
			return nil, err
		}
		if text != "" {
			out[t.ID] = text
		}
	}
	return out, nil
}

// excuse says why nobody is charged with the failure of a test that nobody changed: how
// it is listed, or nothing when somebody is. tree is the untouched one.
func (a *Actor) excuse(ctx context.Context, c *check.Checker, chain toolchain.Found, tree string, t step.TestResult) (string, error) {
	until, err := a.isolate(t)
	if err != nil {
		return "", err
	}
	if !until.IsZero() {
		return t.ID + " (flaky, in quarantine until " + until.Format(time.DateOnly) + ")", nil
	}
	red, err := a.before(ctx, c, chain, tree)
	if _, failed := red[t.ID]; err != nil || !failed {
		return "", err
	}
	return t.ID, nil
}

// excuseChanged excuses the failure of a test that its author has changed, if it failed before with the same message.
func (a *Actor) excuseChanged(ctx context.Context, c *check.Checker, chain toolchain.Found, tree string, t step.TestResult) (string, error) {
	red, err := a.before(ctx, c, chain, tree)
	if message, failed := red[t.ID]; err != nil || !failed || !check.SameMessage(message, t.Message) {
		return "", err
	}
	return t.ID, nil
}

// unchanged tells which tests of a file are as the last build left them. nil: none,
// the file is new or somebody has changed it since.
func (a *Actor) unchanged(ctx context.Context, f step.Facts, pv private, frozen []step.File, file string) (func(string) bool, error) {
	id := func(list []step.File) string {
		for _, x := range list {
			if x.Path == file {
				return x.ID
			}
		}
		return ""
	}
	before, now := id(f.Frozen), id(frozen)
	if before == "" || now == "" || pv.Old.Tests[file] != before {
		return nil, nil
	}
	texts, err := a.o.Repo.ReadBlobs(ctx, []string{before, now})
	if err != nil {
		return nil, machinery(err)
	}
	return check.Unchanged(file, texts[before], texts[now]), nil
}
