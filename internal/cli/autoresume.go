package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/works"
)

// takeUp begins a run with a feature that another tool has begun, as the status file says, when no run of auto is meant: none
// is unfinished, and none has the name that was given. taken is false when a run is.
func (p *project) takeUp(ctx context.Context, name string, o driveOptions) (taken bool, err error) {
	runs, err := p.runs(ctx)
	meant := func(r flow.Run) bool {
		return r.Def == autoDef && (name != "" && strings.HasPrefix(r.ID, name) || name == "" && !r.State.Ended())
	}
	if err != nil || slices.ContainsFunc(runs, meant) {
		return false, err
	}
	raw, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(pdca.StatusPath)))
	if errors.Is(err, fs.ErrNotExist) || p.noGit {
		return false, nil
	}
	if err != nil {
		return false, environment("read %s", err, pdca.StatusPath)
	}
	head, err := p.repo.Head(ctx)
	if err != nil || head.Unborn {
		return false, err
	}
	files, err := p.repo.ReadTree(ctx, head.Commit)
	if err != nil {
		return false, err
	}
	find := func(path string) int {
		return slices.IndexFunc(files, func(e git.Entry) bool { return e.Path == path })
	}
	list, err := pdca.OpenFeatures(raw, func(path string) bool { return find(path) >= 0 })
	if err != nil {
		return false, usage("%v: fix or delete the file", err)
	}
	i := 0
	if name != "" {
		i = slices.IndexFunc(list, func(f pdca.FeatureState) bool { return f.Name == name })
	}
	if i < 0 || len(list) == 0 {
		return false, nil
	}
	f := list[i]
	fmt.Fprintf(p.a.Err, p.a.lang().T("%s: started by another tool, now in phase %s; continuing it\n"), f.Name, f.Phase)
	in := step.AutoIn{Feature: f.Name, Own: true, Delivery: step.ToCommit}
	text := ""
	for _, kind := range []string{"plan", "design", "analysis"} {
		if path := f.Documents[kind]; path != "" {
			doc, err := p.repo.ReadBlob(ctx, files[find(path)].ID)
			if err != nil {
				return true, err
			}
			text += string(doc)
			if in.Context, err = p.addContext(in.Context, path, string(doc)); err != nil {
				return true, err
			}
		}
	}
	korean := works.LanguageOf(text) == "ko"
	in.Request, in.Language = f.Resume(korean), cmp.Or(works.LanguageOf(text), string(p.a.lang()))
	if in.Budget, err = p.budget(o.budget); err != nil {
		return true, err
	}
	return true, p.run(ctx, autoDef, in, in.Budget, o)
}
