package act

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
)

// KeptRef is a ref that keeps work alive.
type KeptRef struct {
	Ref     string `json:"ref"`
	Commit  string `json:"commit"`
	Subject string `json:"subject"`
}

const keptPrefix = "refs/jacquard/"

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
			k.Subject, _, _ = strings.Cut(log[0].Message, "\n")
		}
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b KeptRef) int { return strings.Compare(a.Ref, b.Ref) })
	return out, nil
}

// Collect removes what runs that have ended left behind: checkouts, attempt
// folders, and with all set refs and installed environments too. open says
// which runs have not ended; nothing of theirs is touched. A checkout of an
// unknown run is captured on a salvage ref before it is removed. The result
// is the number of bytes freed.
func (a *Actor) Collect(ctx context.Context, open map[string]bool, all bool) (int64, error) {
	var freed int64
	work := filepath.Join(a.trees(), "runs")
	for _, run := range names(work) {
		if ended, known := open[run]; known && ended {
			continue
		}
		if _, known := open[run]; !known {
			if err := a.salvage(ctx, run); err != nil {
				return freed, err
			}
		}
		n, err := remove(filepath.Join(work, run))
		freed += n
		if err != nil {
			return freed, machinery(err)
		}
	}
	for run, isOpen := range open {
		if isOpen {
			continue
		}
		n, err := remove(filepath.Join(a.runDir(run), "attempts"))
		freed += n
		if err != nil {
			return freed, machinery(err)
		}
		if all {
			if err := a.dropRefs(ctx, run); err != nil {
				return freed, err
			}
		}
	}
	if !all {
		n, err := check.PruneRecord(a.record())
		return freed + n, machinery(err)
	}
	for _, d := range []string{a.record(), filepath.Join(a.o.Shared, "deps"), filepath.Join(a.o.Shared, "agent"), filepath.Join(a.o.Cache, "readings"), filepath.Join(a.o.Cache, "tmp")} {
		n, err := remove(d)
		freed += n
		if err != nil {
			return freed, machinery(err)
		}
	}
	return freed, machinery(os.MkdirAll(filepath.Join(a.o.Cache, "tmp"), 0o755))
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
		clone, err := a.o.Repo.OpenClone(ctx, path, empty, empty, leftOut...)
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

func (a *Actor) dropRefs(ctx context.Context, run string) error {
	refs, err := a.o.Repo.Refs(ctx, keptPrefix+run+"/")
	if err != nil {
		return machinery(err)
	}
	for name, id := range refs {
		if err := a.o.Repo.DeleteRef(ctx, name, id); err != nil {
			return machinery(err)
		}
	}
	return nil
}

func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// remove deletes a folder and says how much it held. Module caches are
// read-only, so permissions are given back first.
func remove(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is removed all the same
		}
		if d.IsDir() {
			return os.Chmod(p, 0o755)
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		return n, err
	}
	return n, os.RemoveAll(dir)
}
