package act

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
)

// LandedFile is one file that a run has changed.
type LandedFile struct {
	Path    string     `json:"path"`
	Status  string     `json:"status"` // A, M, D, T
	Removed []git.Line `json:"removed,omitempty"`
	Added   []git.Line `json:"added,omitempty"`
}

// Changes is what a run has changed: from the tree that it began with to that of its branch.
type Changes struct {
	From, To string // trees
	// Ref is the newest turn of a run that has landed nothing, which To is the tree of; else "".
	Ref string
}

// Landed reports whether a step of the run has landed what changes a file.
func (c Changes) Landed() bool { return c.Ref == "" && c.From != c.To }

// Changes finds what a run has changed so far.
func (a *Actor) Changes(ctx context.Context, run string) (Changes, error) {
	base, err := a.o.Repo.Ref(ctx, baseRef(run))
	if err != nil {
		return Changes{}, &InputError{"run " + run + " has changed nothing"}
	}
	from, err := a.at(ctx, base)
	if err != nil {
		return Changes{}, err
	}
	out := Changes{From: from.Tree, To: from.Tree}
	if tip, err := a.o.Repo.Ref(ctx, RunRef(run)); err == nil {
		to, err := a.at(ctx, tip)
		if out.To = to.Tree; err != nil || out.To != out.From {
			return out, err
		}
	}
	turns, err := a.o.Repo.Refs(ctx, keptPrefix+run+"/turns/")
	if err != nil {
		return out, machinery(err)
	}
	var newest git.LogEntry
	for _, ref := range slices.Sorted(maps.Keys(turns)) {
		log, err := a.o.Repo.Log(ctx, turns[ref], "", 1)
		if err != nil {
			return out, machinery(err)
		}
		if c := log[0]; c.Tree != from.Tree && !c.Time.Before(newest.Time) {
			newest, out.To, out.Ref = c, c.Tree, ref
		}
	}
	return out, nil
}

// Patch is what git apply takes of it.
func (a *Actor) Patch(ctx context.Context, c Changes) ([]byte, error) {
	out, err := a.o.Repo.Patch(ctx, c.From, c.To)
	return out, machinery(err)
}

// Files lists the files of it with their lines.
func (a *Actor) Files(ctx context.Context, c Changes) ([]LandedFile, error) {
	diff, err := a.o.Repo.AddedLines(ctx, c.From, c.To)
	if err != nil {
		return nil, machinery(err)
	}
	out := []LandedFile{}
	for _, d := range diff {
		out = append(out, LandedFile{Path: d.Path, Status: string(d.Status), Removed: d.Removed, Added: d.Added})
	}
	return out, nil
}

// landedLog lists the commits of a run up to a tip, newest first.
func (a *Actor) landedLog(ctx context.Context, run, tip string) ([]git.LogEntry, error) {
	base, err := a.o.Repo.Ref(ctx, baseRef(run))
	if errors.Is(err, git.ErrNoRef) || base == tip {
		return nil, nil
	}
	if err != nil {
		return nil, machinery(err)
	}
	log, err := a.o.Repo.Log(ctx, tip, base, 0)
	return log, machinery(err)
}

// Take writes a module that was left on its ref into the working tree, over
// what is there. What is overwritten is kept on a ref first.
func (a *Actor) Take(ctx context.Context, run, module string) ([]string, error) {
	tip, err := a.o.Repo.Ref(ctx, RunRef(run))
	if err != nil {
		return nil, &InputError{"run " + run + " has landed nothing"}
	}
	log, err := a.landedLog(ctx, run, tip)
	if err != nil {
		return nil, err
	}
	for _, c := range log {
		if isModule(c, module) {
			return a.take(ctx, run, step.ApplyIn{Module: module, Commit: c.ID})
		}
	}
	return nil, &InputError{fmt.Sprintf("run %s has not landed a module %s", run, module)}
}

func (a *Actor) take(ctx context.Context, run string, in step.ApplyIn) ([]string, error) {
	commit, _, err := a.o.Repo.Snapshot(ctx, a.commit(run, "", "working tree before diff --apply"))
	if err != nil {
		return nil, machinery(err)
	}
	if err := a.o.Repo.SetRef(ctx, fmt.Sprintf("%s%s/salvage/%s", keptPrefix, run, commit[:12]), commit, ""); err != nil {
		return nil, machinery(err)
	}
	files, err := a.deliveries(ctx, in)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range files {
		f := &files[i]
		if f.Path == target.LockName {
			continue
		}
		f.Old = ""
		if have, err := os.ReadFile(filepath.Join(a.o.Repo.Root(), filepath.FromSlash(f.Path))); err == nil {
			if f.Old, err = a.o.Repo.WriteBlob(ctx, have); err != nil {
				return nil, machinery(err)
			}
		}
		out = append(out, f.Path)
	}
	res, err := a.o.Repo.Apply(ctx, files)
	if err != nil {
		return nil, machinery(err)
	}
	for _, r := range res {
		if r.State == git.Conflicting {
			return nil, fmt.Errorf("write %s: it changed just now; try again", r.Path)
		}
	}
	return out, nil
}
