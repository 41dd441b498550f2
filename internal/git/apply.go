package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Delivery is one file that is to change in the user's work tree.
type Delivery struct {
	Path string
	// Old is the id of what has to be there now, empty for nothing; New the id of what
	// is to be there, empty for nothing. Mode is that of New.
	Old, New, Mode string
}

// State says what became of a delivery.
type State string

// The states of a delivery.
const (
	// Written: the file has its new content. Deleted: it is gone.
	Written State = "written"
	Deleted State = "deleted"
	// Already: it was as wanted before.
	Already State = "already"
	// Conflicting: something else is there. Held: another file of the call conflicts.
	Conflicting State = "conflict"
	Held        State = "held"
)

// Delivered is the result for one file.
type Delivered struct {
	Path  string
	State State
	// Reason is a sentence for the user when the state is Conflicting.
	Reason string
}

// Apply changes files in the user's work tree, all or none: when one is neither as Old
// nor as New says, nothing is written, and the result names it. Present files are
// compared by content, with git's filters and without. New files come by rename, never
// through a symbolic link, never out of the root. Repeating a call that was cut short
// completes it. The error is ErrPath for a path that must not be written; after another
// error, such as a full disk, all files are as before unless it came from the very last
// step, and then a repetition completes or reports it.
func (r *Repo) Apply(ctx context.Context, files []Delivery) ([]Delivered, error) {
	results, err := r.apply(files, func(a *apply) error { return a.all(ctx) })
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	return results, nil
}

// Differing lists the files of deliveries that are not as New says. It changes nothing.
func (r *Repo) Differing(ctx context.Context, files []Delivery) ([]string, error) {
	results, err := r.apply(files, func(a *apply) error { return errors.Join(a.check(), a.classify(ctx)) })
	if err != nil {
		return nil, fmt.Errorf("compare files: %w", err)
	}
	var out []string
	for _, d := range results {
		if d.State != Already {
			out = append(out, d.Path)
		}
	}
	return out, nil
}

// apply is one call. A result without a state is one that is still to be written.
type apply struct {
	r       *Repo
	root    *os.Root
	files   []Delivery
	results []Delivered
	seen    []seen
	temps   []string // by index; empty when there is none
}

// seen is what is at a path now.
type seen struct {
	kind string // "", file, link, directory, or what else it is
	id   string // of the raw bytes
	mode string
	perm fs.FileMode
}

const behindFile = "behind the file "

// apply lets a call do its work on the files of the user.
func (r *Repo) apply(files []Delivery, do func(*apply) error) ([]Delivered, error) {
	root, err := os.OpenRoot(r.Root())
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written through it
	a := &apply{r: r, root: root, files: files, results: make([]Delivered, len(files)), seen: make([]seen, len(files))}
	err = do(a)
	return a.results, err
}

// all carries out the call: nothing, when one file conflicts.
func (a *apply) all(ctx context.Context) error {
	if err := a.check(); err != nil {
		return err
	}
	if err := a.classify(ctx); err != nil || a.conflict() {
		return err
	}
	defer a.clean()
	if err := a.stage(ctx); err != nil {
		return err
	}
	if err := a.again(); err != nil || a.conflict() {
		return err
	}
	return a.commit()
}

// check refuses the whole call for a path that must never be written.
func (a *apply) check() error {
	names := map[string]bool{}
	for _, f := range a.files {
		if _, err := a.r.inside(f.Path); err != nil {
			return err
		}
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) || path.Clean(f.Path) != f.Path || ours(f.Path) || names[f.Path] {
			return fmt.Errorf("%q: %w", f.Path, ErrPath)
		}
		names[f.Path] = true
		if f.New != "" && f.Mode != modeFile && f.Mode != modeExec && f.Mode != modeLink {
			return fmt.Errorf("%q: mode %q: %w", f.Path, f.Mode, ErrPath)
		}
	}
	return nil
}

func (a *apply) classify(ctx context.Context) error {
	var ask []string // files whose raw bytes are not it; git's filters may explain that
	for i, f := range a.files {
		a.results[i].Path = f.Path
		s, err := a.look(f.Path)
		if err != nil {
			return err
		}
		a.seen[i] = s
		if s.kind == "file" && s.id != f.Old && s.id != f.New {
			ask = append(ask, f.Path)
		}
	}
	filtered, err := a.r.present(ctx, ask)
	if err != nil {
		return err
	}
	for i, f := range a.files {
		ids := []string{a.seen[i].id}
		if p, ok := filtered[f.Path]; ok {
			ids = append(ids, p.id)
		}
		a.judge(i, ids)
	}
	return nil
}

// judge decides about one file by the ids that its present bytes may have.
func (a *apply) judge(i int, ids []string) {
	f, s, res := a.files[i], a.seen[i], &a.results[i]
	conflict := func(reason string) { res.State, res.Reason = Conflicting, f.Path+" "+reason }
	switch {
	case f.New == "" && (s.kind == "" || s.kind == "directory" || strings.HasPrefix(s.kind, behindFile)):
		res.State = Already // there is no such file
	case s.kind == "" && f.Old != "":
		conflict("was deleted meanwhile")
	case s.kind == "":
	case s.kind == "directory" && f.Old == "" && f.New != "" && a.emptied(f.Path):
	case s.kind != "file" && s.kind != "link":
		conflict("is " + s.kind)
	case f.New != "" && slices.Contains(ids, f.New) && sameMode(s.mode, f.Mode):
		res.State = Already
	case f.New != "" && slices.Contains(ids, f.New) && s.kind == "file" && f.Mode != modeLink:
	case f.Old == "":
		conflict("appeared meanwhile")
	case !slices.Contains(ids, f.Old):
		conflict("was changed meanwhile")
	}
}

// sameMode ignores execute bits where the system has none.
func sameMode(a, b string) bool {
	return a == b || (runtime.GOOS == "windows" && a != modeLink && b != modeLink)
}

// emptied reports whether this call deletes every file below the directory p.
func (a *apply) emptied(p string) bool {
	gone := map[string]bool{}
	for _, f := range a.files {
		gone[f.Path] = f.New == ""
	}
	return fs.WalkDir(a.root.FS(), p, func(q string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !gone[q] {
			err = fs.ErrExist
		}
		return err
	}) == nil
}

// look describes what is at p. Parents that are links or not directories are conflicts,
// except a file that this call deletes.
func (a *apply) look(p string) (seen, error) {
	for i := range len(p) {
		if p[i] != '/' {
			continue
		}
		dir := p[:i]
		info, err := a.root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return seen{}, nil
		case err != nil:
			return seen{}, err
		case info.Mode()&fs.ModeSymlink != 0:
			return seen{kind: "behind the symbolic link " + dir}, nil
		case !info.IsDir():
			if slices.ContainsFunc(a.files, func(f Delivery) bool { return f.New == "" && f.Path == dir }) {
				return seen{}, nil
			}
			return seen{kind: behindFile + dir}, nil
		}
	}
	info, err := a.root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist) || isNotDir(err):
		return seen{}, nil
	case err != nil:
		return seen{}, err
	case info.IsDir():
		return seen{kind: "directory"}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, linkErr := a.root.Readlink(p)
		return seen{kind: "link", id: a.r.hash([]byte(filepath.ToSlash(target))), mode: modeLink}, linkErr
	case !info.Mode().IsRegular():
		return seen{kind: "not a regular file"}, nil
	}
	src, err := a.root.Open(p)
	if err != nil {
		return seen{}, err
	}
	defer src.Close() //nolint:errcheck // it was only read
	id, err := a.r.hashFrom(src, info.Size())
	return seen{kind: "file", id: id, mode: fileMode(info), perm: info.Mode().Perm()}, err
}

// conflict holds everything back when one file conflicts.
func (a *apply) conflict() bool {
	if !slices.ContainsFunc(a.results, func(d Delivered) bool { return d.State == Conflicting }) {
		return false
	}
	for i := range a.results {
		if a.results[i].State == "" {
			a.results[i].State = Held
		}
	}
	return true
}
