package act

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// before reports whether one of some failing tests fails on a tree that this run has not changed, with what it says there. They are all looked at at once.
func (a *Actor) before(ctx context.Context, c *check.Checker, chain toolchain.Found, tree, id string, failing []step.TestResult) (message string, failed bool, err error) {
	key := tree + " " + chain.Root + " " + chain.Ecosystem
	a.mu.Lock()
	b := a.baselines[key]
	if b == nil {
		b = &baseline{red: map[string]string{}, asked: map[string]bool{}}
		a.baselines[key] = b
	}
	a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.all && !b.asked[id] {
		failing = slices.DeleteFunc(slices.Clone(failing), func(t step.TestResult) bool { return b.asked[t.ID] })
		got, err := c.FailedBefore(ctx, chain, tree, failing)
		if err != nil {
			return "", false, a.checkError(err)
		}
		if b.all = got.All; b.all {
			clear(b.red)
		}
		maps.Copy(b.red, got.Failed)
		for _, t := range failing {
			b.asked[t.ID] = true
		}
	}
	message, failed = b.red[id]
	return message, failed, nil
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
	failures := proof.Failures()
	for _, t := range failures {
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
		text, err := a.excuse(ctx, c, pv.Module.Chain, pv.Module.Base, t, failures)
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
// it is listed, or nothing when somebody is. tree is the untouched one, failing are all that fail with it.
func (a *Actor) excuse(ctx context.Context, c *check.Checker, chain toolchain.Found, tree string, t step.TestResult, failing []step.TestResult) (string, error) {
	until, err := a.isolate(t)
	if err != nil {
		return "", err
	}
	if !until.IsZero() {
		return t.ID + " (flaky, in quarantine until " + until.Format(time.DateOnly) + ")", nil
	}
	if _, failed, err := a.before(ctx, c, chain, tree, t.ID, failing); err != nil || !failed {
		return "", err
	}
	return t.ID, nil
}

// excuseChanged excuses the failure of a test that its author has changed, if it failed before with the same message.
func (a *Actor) excuseChanged(ctx context.Context, c *check.Checker, chain toolchain.Found, tree string, t step.TestResult, failing []step.TestResult) (string, error) {
	message, failed, err := a.before(ctx, c, chain, tree, t.ID, failing)
	if err != nil || !failed || !check.SameMessage(message, t.Message) {
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
