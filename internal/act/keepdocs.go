package act

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/works"
)

// What jacquard.yaml may say of the documents of a run.
const (
	CommitDocuments = "commit"
	KeepDocuments   = "keep"
)

// documentsIn is the folder, below the project, that documents of a run are in: the project itself, "", where it has some of
// them in one of these folders or says that they are committed; else the one that is never committed.
func (a *Actor) documentsIn(v *view, homes []string) string {
	has := slices.ContainsFunc(v.paths(), func(p string) bool {
		return slices.ContainsFunc(homes, func(h string) bool { return strings.HasPrefix(p, h+"/") })
	})
	if a.o.Documents == CommitDocuments || has && a.o.Documents != KeepDocuments {
		return ""
	}
	return works.Kept
}

// kept are the documents that belong to a commit of a run's branch: their own commit and its tree; "" for none.
func (a *Actor) kept(ctx context.Context, run, commit string) (id, tree string, err error) {
	id, err = a.o.Repo.Ref(ctx, docsRef(run))
	if errors.Is(err, git.ErrNoRef) {
		return "", "", nil
	}
	if err != nil {
		return "", "", machinery(err)
	}
	tree, parents, err := a.o.Repo.ReadCommit(ctx, id)
	if err == nil && parents[0] != commit && len(parents) > 1 { // what it belongs to has not landed
		id = parents[1]
		tree, _, err = a.o.Repo.ReadCommit(ctx, id)
	}
	return id, tree, machinery(err)
}

// keepDocuments sets the documents that belong to a commit which is to land, after those with the id.
func (a *Actor) keepDocuments(ctx context.Context, run, commit, after, tree string) error {
	old, err := a.o.Repo.Ref(ctx, docsRef(run))
	if err != nil && !errors.Is(err, git.ErrNoRef) {
		return machinery(err)
	}
	c := a.commit(run, "", "documents")
	if c.Tree, c.Parents = tree, []string{commit}; after != "" {
		c.Parents = append(c.Parents, after)
	}
	id, err := a.o.Repo.CommitTree(ctx, c)
	if err != nil {
		return machinery(err)
	}
	return machinery(a.effect("documents", func() error { return a.o.Repo.SetRef(ctx, docsRef(run), id, old) }))
}

// beginDocuments takes the documents that are kept for a run that begins at a commit, and gives their tree. What an earlier run
// has landed up to that commit, and not handed over, goes before what is on the disk.
func (a *Actor) beginDocuments(ctx context.Context, run, commit string, from bool) (string, error) {
	if _, tree, err := a.kept(ctx, run, commit); err != nil || tree != "" {
		return tree, err
	}
	tree, err := a.keptNow(ctx)
	if err != nil {
		return "", err
	}
	if from {
		log, err := a.o.Repo.Log(ctx, commit, "", 1)
		if err != nil {
			return "", machinery(err)
		}
		earlier, _ := runOf(log[0])
		_, theirs, err := a.kept(ctx, earlier, commit)
		if err != nil {
			return "", err
		}
		if theirs != "" {
			entries, err := a.o.Repo.ReadTree(ctx, theirs)
			if err != nil {
				return "", machinery(err)
			}
			if tree, err = a.o.Repo.EditTree(ctx, tree, step.Each(entries, func(e git.Entry) git.Edit { return git.Edit(e) })); err != nil {
				return "", machinery(err)
			}
		}
	}
	return tree, a.keepDocuments(ctx, run, commit, "", tree)
}

// keptNow is a tree of the documents that are kept, as they are on the disk.
func (a *Actor) keptNow(ctx context.Context) (string, error) {
	files := map[string][]byte{}
	for _, p := range KeptWorks(a.o.State) {
		var err error
		if files[p], err = os.ReadFile(a.keptFile(p)); err != nil {
			return "", machinery(err)
		}
	}
	return a.withFiles(ctx, "", files)
}

// keptFile is the file of a document that is kept.
func (a *Actor) keptFile(p string) string {
	return filepath.Join(a.o.State, filepath.FromSlash(strings.TrimPrefix(p, works.Kept+"/")))
}

// KeptWorks lists the documents of WORKs that a project keeps in the folder of its state and does not commit, relative to the
// project.
func KeptWorks(state string) []string {
	var out []string
	_ = filepath.WalkDir(filepath.Join(state, filepath.Base(works.KeptHome)), func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if rel, err := filepath.Rel(state, p); err == nil {
				out = append(out, path.Join(works.Kept, filepath.ToSlash(rel)))
			}
		}
		return nil // what is not there has no documents
	})
	return out
}

// with is a view that has the documents of a tree besides.
func (a *Actor) with(ctx context.Context, v *view, tree string) (*view, error) {
	if tree == "" {
		return v, nil
	}
	docs, err := a.tree(ctx, tree, nil)
	if err != nil {
		return nil, err
	}
	out := *v
	out.files = append(slices.DeleteFunc(slices.Clone(v.files), func(f target.File) bool { return works.IsKept(f.Path) }), docs.files...)
	out.ids = map[string]string{}
	for _, f := range out.files {
		out.ids[f.Path] = f.ID
	}
	out.read = func(p string) ([]byte, error) {
		if works.IsKept(p) {
			return docs.read(p)
		}
		return v.read(p)
	}
	return &out, nil
}

// writeDocuments puts what a run has written of the documents that are kept where people find it. It is done once what they tell of
// is in the user's tree; doing it twice is doing it once.
func (a *Actor) writeDocuments(ctx context.Context, run string) error {
	tip, err := a.o.Repo.Ref(ctx, RunRef(run))
	if err != nil {
		return machinery(err)
	}
	id, tree, err := a.kept(ctx, run, tip)
	if err != nil || id == "" {
		return err
	}
	first, err := a.firstDocuments(ctx, id)
	if err != nil {
		return err
	}
	changes, err := a.o.Repo.Diff(ctx, first, tree)
	if err != nil {
		return machinery(err)
	}
	for _, ch := range changes {
		data, err := a.o.Repo.ReadBlob(ctx, ch.NewID)
		if err != nil {
			return machinery(err)
		}
		if path.Base(ch.Path) == path.Base(works.ListPath) {
			if data, err = a.rowsInto(ctx, ch, data); err != nil {
				return err
			}
		}
		if err := a.writeKept(ch.Path, data); err != nil {
			return err
		}
	}
	return nil
}

// rowsInto puts the rows of a list that a run has changed into the list that is there: others may have changed theirs.
func (a *Actor) rowsInto(ctx context.Context, ch git.Change, mine []byte) ([]byte, error) {
	there, err := os.ReadFile(a.keptFile(ch.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return mine, nil
	}
	if err != nil {
		return nil, machinery(err)
	}
	var before []byte
	if ch.OldID != "" {
		if before, err = a.o.Repo.ReadBlob(ctx, ch.OldID); err != nil {
			return nil, machinery(err)
		}
	}
	was, _ := works.ParseList(ch.Path, before)
	now, _ := works.ParseList(ch.Path, mine)
	for _, row := range now.Rows {
		if slices.ContainsFunc(was.Rows, func(o works.Row) bool { return o.Same(row) }) {
			continue
		}
		if text, _ := works.UpdateList(there, row, ""); text != nil {
			there = text
		}
	}
	return there, nil
}

// writeKept writes one document that is kept.
func (a *Actor) writeKept(p string, data []byte) error {
	file := a.keptFile(p)
	return machinery(a.effect("document", func() error { return writeVia(a.o.State, file, data) }))
}

// WriteKept writes those of some files that are documents which are kept.
func (a *Actor) WriteKept(files map[string][]byte) error {
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if !works.IsKept(p) {
			continue
		}
		if err := a.writeKept(p, files[p]); err != nil {
			return err
		}
	}
	return nil
}

// Documents are what a run has written for people to read, by path: of its WORK, or of its feature; wherever they are.
func (a *Actor) Documents(ctx context.Context, run, feature string) (map[string][]byte, error) {
	out := map[string][]byte{}
	take := func(from, to string, ours func(string) bool) error {
		changes, err := a.o.Repo.Diff(ctx, from, to)
		for _, ch := range changes {
			if err == nil && ch.NewID != "" && ours(ch.Path) {
				out[ch.Path], err = a.o.Repo.ReadBlob(ctx, ch.NewID)
			}
		}
		return machinery(err)
	}
	base, err := a.o.Repo.Ref(ctx, baseRef(run))
	if err != nil {
		return out, nil //nolint:nilerr // it has not begun
	}
	tip, err := a.o.Repo.Ref(ctx, RunRef(run))
	if err != nil {
		return out, nil //nolint:nilerr // nothing has landed
	}
	homes := append([]string{"works", checkpoint.Home}, pdca.Homes...)
	if err := take(base, tip, func(p string) bool {
		return slices.ContainsFunc(homes, func(h string) bool { return strings.HasPrefix(p, h+"/") })
	}); err != nil {
		return nil, err
	}
	id, _, err := a.kept(ctx, run, tip)
	if err != nil {
		return nil, err
	}
	if id != "" {
		first, err := a.firstDocuments(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := take(first, id, works.IsKept); err != nil {
			return nil, err
		}
	}
	if feature == "" {
		return out, nil
	}
	for _, p := range []string{pdca.PlanPath(feature), pdca.DesignPath(feature), pdca.GapPath(feature), pdca.ReportPath(feature), checkpoint.DesignPath(feature)} {
		p = path.Join(works.Kept, p)
		if text, err := os.ReadFile(a.keptFile(p)); err == nil {
			out[p] = text
		}
	}
	return out, nil
}

// firstDocuments are the documents that a run began with.
func (a *Actor) firstDocuments(ctx context.Context, id string) (string, error) {
	for {
		_, parents, err := a.o.Repo.ReadCommit(ctx, id)
		if err != nil || len(parents) < 2 {
			return id, machinery(err)
		}
		id = parents[1]
	}
}
