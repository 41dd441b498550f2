package act

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
)

// KeptRef is a ref that keeps work alive.
type KeptRef struct {
	Ref     string `json:"ref"`
	Commit  string `json:"commit"`
	Subject string `json:"subject"`
}

// Kept lists everything that is kept on refs, sorted by name.
func Kept(ctx context.Context, repo *git.Repo) ([]KeptRef, error) {
	refs, err := repo.Refs(ctx, keptPrefix)
	if err != nil {
		return nil, machinery(err)
	}
	out := []KeptRef{}
	for name, id := range refs {
		if strings.Contains(name, "/steps/") { // what machines of a cluster share; nothing of it is kept there alone
			continue
		}
		k := KeptRef{Ref: name, Commit: id}
		if log, err := repo.Log(ctx, id, "", 1); err == nil && len(log) > 0 {
			k.Subject = subjectOf(log[0])
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b KeptRef) int { return strings.Compare(a.Ref, b.Ref) })
	return out, nil
}

// Collected is what Collect has removed, and what it has left of what projects share.
type Collected struct {
	Freed   int64 // bytes
	Removed int   // installed environments
	Kept    int   // those that a project has used lately
}

// Collect removes what runs that have ended left behind: checkouts, attempt
// folders, and with all set refs, but those of keep, and environments that no
// project has used for a month. open says which runs have not ended; nothing
// of theirs is touched. A checkout of an unknown run is captured on a salvage
// ref before it is removed. say is told each folder before it is removed; when
// ctx ends, no other one is.
func (a *Actor) Collect(ctx context.Context, open map[string]bool, all bool, keep []string, say func(dir string)) (out Collected, err error) {
	drop := func(dir string) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		say(dir)
		n, err := remove(dir)
		out.Freed += n
		return err
	}
	work := filepath.Join(a.trees(), "runs")
	for _, run := range names(work) {
		isOpen, known := open[run]
		if isOpen || lives(run) {
			continue
		}
		if !known {
			if err := a.salvage(ctx, run); err != nil {
				return out, err
			}
		}
		if err := drop(filepath.Join(work, run)); err != nil {
			return out, machinery(err)
		}
	}
	for run, isOpen := range open {
		if isOpen {
			continue
		}
		if err := drop(filepath.Join(a.runDir(run), "attempts")); err != nil {
			return out, machinery(err)
		}
		if all {
			if err := a.dropRefs(ctx, run, keep); err != nil {
				return out, err
			}
		}
	}
	n, err := check.PruneRecord(a.record())
	if out.Freed += n; err != nil || !all {
		return out, machinery(err)
	}
	if err := a.unused(&out, drop); err != nil {
		return out, machinery(err)
	}
	for _, d := range []string{filepath.Join(a.o.Cache, "readings"), filepath.Join(a.o.Cache, "tmp")} {
		if err := drop(d); err != nil {
			return out, machinery(err)
		}
	}
	return out, machinery(os.MkdirAll(filepath.Join(a.o.Cache, "tmp"), 0o755))
}

// unusedFor is how long no project has used what is removed of what all share.
const unusedFor = 30 * 24 * time.Hour

// unused removes installed environments that no project has used for long. Which project has used one is not recorded, only when.
func (a *Actor) unused(out *Collected, drop func(string) error) error {
	for _, x := range check.Installations(filepath.Join(a.o.Shared, "deps")) {
		if a.o.Now().Sub(x.Used) < unusedFor {
			out.Kept++
			continue
		}
		dirs, err := x.Retire()
		if err != nil {
			return err
		}
		out.Removed++
		for _, d := range dirs {
			if err := drop(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// KeptTree gives for a tree the newest ref of a run that keeps it, "" for none.
func KeptTree(ctx context.Context, repo *git.Repo) (func(tree string) string, error) {
	refs, err := repo.Refs(ctx, keptPrefix)
	if err != nil {
		return nil, machinery(err)
	}
	of := map[string]string{}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if !strings.Contains(ref, "/turns/") {
			continue
		}
		tree, _, err := repo.ReadCommit(ctx, refs[ref])
		if err != nil {
			return nil, machinery(err)
		}
		of[tree] = ref
	}
	return func(tree string) string { return of[tree] }, nil
}

// salvage stores the trees of a run that no journal knows.
func (a *Actor) salvage(ctx context.Context, run string) error {
	dir := filepath.Join(a.trees(), "runs", run)
	for _, n := range names(dir) {
		path := filepath.Join(dir, n, "tree")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		empty, err := a.o.Repo.EditTree(ctx, "", nil)
		if err != nil {
			return machinery(err)
		}
		clone, err := a.o.Repo.OpenClone(ctx, path, empty, empty, ofTools...)
		if err != nil {
			return machinery(err)
		}
		got, err := clone.Capture(ctx)
		if err != nil {
			return machinery(err)
		}
		c := a.commit(run, "", "salvaged checkout "+n)
		c.Tree = got.Tree
		id, err := a.o.Repo.CommitTree(ctx, c)
		if err != nil {
			return machinery(err)
		}
		if err := a.o.Repo.SetRef(ctx, keptPrefix+run+"/salvage/"+n, id, ""); err != nil {
			return machinery(err)
		}
	}
	return nil
}

func (a *Actor) dropRefs(ctx context.Context, run string, keep []string) error {
	refs, err := a.o.Repo.Refs(ctx, keptPrefix+run+"/")
	if err != nil {
		return machinery(err)
	}
	for name, id := range refs {
		if slices.Contains(keep, name) {
			continue
		}
		if err := a.o.Repo.DeleteRef(ctx, name, id); err != nil {
			return machinery(err)
		}
	}
	return nil
}
