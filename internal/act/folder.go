package act

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// ofTools are dependencies and caches of tools.
var ofTools = []string{
	"node_modules/", ".venv/", "__pycache__/", ".pytest_cache/", "*.pyc", ".hypothesis/", ".eslintcache", ".vitest/", ".npm/", ".coverage",
	"target/classes/", "target/test-classes/", "target/surefire-reports/", "target/maven-status/", "target/generated-sources/", "target/generated-test-sources/", "target/kotlin-ic/",
}

// leftOut is what a capture leaves out besides what the tree ignores: what is of tools, and folders that the tools of its
// manifests fill, unless the project keeps files there.
func (a *Actor) leftOut(ctx context.Context, tree string) ([]string, error) {
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(ofTools)
	for _, f := range v.files {
		for _, dir := range toolchain.MadeBeside(path.Base(f.Path)) {
			dir = path.Join(path.Dir(f.Path), dir) + "/"
			if !slices.ContainsFunc(v.files, func(o target.File) bool { return strings.HasPrefix(o.Path, dir) }) {
				out = append(out, "/"+a.o.Repo.Prefix()+dir)
			}
		}
	}
	return out, nil
}

// openClone is a clone that an agent worked in.
func (a *Actor) openClone(ctx context.Context, dir string, t step.Turn) (*git.Clone, error) {
	out, err := a.leftOut(ctx, t.Base)
	if err != nil {
		return nil, err
	}
	clone, err := a.o.Repo.OpenClone(ctx, dir, t.Base, t.Left, out...)
	return clone, machinery(err)
}

// begin makes the folder that an agent is to work in.
func (a *Actor) begin(ctx context.Context, j flow.Job, t step.Turn, seat step.Seat) (*git.Clone, error) {
	dir := a.workDir(j)
	if err := os.RemoveAll(dir); err != nil { // a leftover of this very attempt; nothing of it was paid for
		return nil, machinery(err)
	}
	for _, d := range []string{j.Dir, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, machinery(err)
		}
	}
	out, err := a.leftOut(ctx, t.Base)
	if err != nil {
		return nil, err
	}
	var clone *git.Clone
	err = a.effect("clone", func() (err error) {
		clone, err = a.o.Repo.CloneSince(ctx, filepath.Join(dir, "tree"), t.Base, t.Left, out...)
		return err
	})
	if err != nil {
		return nil, machinery(err)
	}
	tools, err := a.furnish(ctx, j, clone, t)
	if err != nil {
		return nil, err
	}
	guard, err := a.o.Repo.Guard(ctx)
	if err != nil {
		return nil, machinery(err)
	}
	heads, err := a.o.Repo.Refs(ctx, headsPrefix)
	if err != nil {
		return nil, machinery(err)
	}
	return clone, machinery(writeFile(filepath.Join(j.Dir, placeFile), mustJSON(place{Dir: dir, Guard: guard, Heads: heads, Seat: seat, Tools: tools})))
}

// place is where an agent works, which one, and how the user's repository was when it began.
type place struct {
	Dir   string            `json:"dir"`
	Guard git.Guard         `json:"guard"`
	Heads map[string]string `json:"heads,omitempty"` // the branches
	Seat  step.Seat         `json:"seat,omitzero"`
	Tools check.Furnished   `json:"tools,omitzero"`
}

func readPlace(dir string) (place, error) {
	var p place
	raw, err := os.ReadFile(filepath.Join(dir, placeFile))
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	return p, err
}
