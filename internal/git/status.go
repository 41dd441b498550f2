package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Head is what is checked out.
type Head struct {
	// Commit is empty when the branch has no commits yet: it is unborn.
	Commit string
	Unborn bool
	// Branch is the short name of the branch, empty when HEAD is detached.
	Branch string
}

// Head returns what is checked out.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	if h, ok := r.headFile(); ok {
		return h, nil
	}
	id, err := r.in(ctx, call{args: []string{"rev-parse", "-q", "--verify", "HEAD^{commit}"}, ok: []int{1}})
	h := Head{Commit: strings.TrimSpace(string(id)), Unborn: isAnswer(err)}
	if err != nil && !h.Unborn {
		return Head{}, fmt.Errorf("read HEAD: %w", err)
	}
	name, err := r.in(ctx, call{args: []string{"symbolic-ref", "-q", "HEAD"}, ok: []int{1}})
	h.Branch = strings.TrimPrefix(strings.TrimSpace(string(name)), "refs/heads/")
	if err != nil && !isAnswer(err) {
		return Head{}, fmt.Errorf("read HEAD: %w", err)
	}
	return h, nil
}

// headFile reads what is checked out as git's files have it. ok is false when git has to be asked; see refFile.
func (r *Repo) headFile() (h Head, ok bool) {
	text, ok := plain(r.gitDir, "HEAD")
	text, whole := strings.CutSuffix(text, "\n")
	if !ok || !whole || text != strings.TrimSpace(text) {
		return Head{}, false
	}
	name, symbolic := strings.CutPrefix(text, "ref: ")
	if !symbolic {
		return Head{Commit: text}, r.checkID(text) == nil
	}
	h.Branch, ok = strings.CutPrefix(name, "refs/heads/")
	if !ok {
		return Head{}, false
	}
	h.Commit, ok = r.refFile(name)
	h.Unborn = h.Commit == ""
	return h, ok
}

// Status is one path that is not as it was committed.
type Status struct {
	Path string
	// Index and Work are git's letters for the change from HEAD to the index and from
	// the index to the work tree: '.', 'M', 'T', 'A', 'D', 'U' (unmerged), '?' (untracked).
	Index, Work byte
	// Submodule says that the path is one. What changed in it is not looked at.
	Submodule bool
	mode      string
}

// Status lists what differs from HEAD below the root: staged, modified, deleted,
// unmerged and every untracked file that is not ignored. An untracked repository is
// listed as a directory with a slash at its end. The index is not refreshed on disk.
func (r *Repo) Status(ctx context.Context) ([]Status, error) { return r.statusOf(ctx, nil) }

// statusOf is the status of the files with one of the base names; of all, when there are none.
func (r *Repo) statusOf(ctx context.Context, names []string) ([]Status, error) {
	c := call{args: r.scope()}
	if len(names) > 0 {
		c = call{magic: true, args: []string{"--"}}
	}
	for _, name := range names {
		pattern := ":(glob)" + globbed(r.prefix) + "**/" + globbed(name)
		if plain := r.prefix + name; !strings.HasPrefix(plain, ":") && globbed(plain) == plain {
			pattern = r.prefix + "*" + name // of a pattern with one star git compares the ends alone
		}
		c.args = append(c.args, pattern)
	}
	all, err := r.status(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("read status: %w", err)
	}
	list := all[:0]
	for _, s := range all {
		if s.Path = r.outside(s.Path); !ours(s.Path) && (len(names) == 0 || slices.Contains(names, path.Base(s.Path))) {
			list = append(list, s)
		}
	}
	return list, nil
}

// globbed is a path as a pattern that matches it alone.
func globbed(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p)
}

// status gives paths relative to the top. The arguments of the call are what it is limited to.
func (r *Repo) status(ctx context.Context, c call) ([]Status, error) {
	c.args = append([]string{
		"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignored=no", "--ignore-submodules=dirty",
	}, c.args...)
	out, err := r.in(ctx, c)
	if err != nil {
		return nil, err
	}
	var list []Status
	for rest := out; len(rest) > 0; {
		var rec []byte
		rec, rest, _ = bytes.Cut(rest, []byte{0})
		s, ok := parseStatus(string(rec))
		if !ok {
			return nil, fmt.Errorf("unknown line %q of git status", rec)
		}
		if rec[0] == '2' { // a rename, which --no-renames does not give; its old path follows
			_, rest, _ = bytes.Cut(rest, []byte{0})
		}
		list = append(list, s)
	}
	return list, nil
}

// parseStatus reads one record of the second porcelain format:
//
//	1 XY sub mH mI mW hH hI path
//	2 XY sub mH mI mW hH hI score path
//	u XY sub m1 m2 m3 mW h1 h2 h3 path
//	? path
func parseStatus(rec string) (Status, bool) {
	fields, work := 0, 5
	switch {
	case strings.HasPrefix(rec, "? "):
		return Status{Path: rec[2:], Index: '?', Work: '?'}, true
	case strings.HasPrefix(rec, "1 "):
		fields = 9
	case strings.HasPrefix(rec, "2 "):
		fields = 10
	case strings.HasPrefix(rec, "u "):
		fields, work = 11, 6
	}
	f := strings.SplitN(rec, " ", fields)
	if fields == 0 || len(f) != fields || len(f[1]) != 2 {
		return Status{}, false
	}
	s := Status{Path: f[fields-1], Index: f[1][0], Work: f[1][1], Submodule: f[2] != "N...", mode: f[work]}
	if rec[0] == 'u' {
		s.Index, s.Work = 'U', 'U'
	}
	return s, true
}

// File is one file of the project as it is now.
type File struct {
	// ID is the id that git gives the present bytes, its filters included; empty when the file is deleted, and when it
	// cannot be read.
	ID string
	// Mode is 100644, 100755, 120000 (symbolic link) or 160000 (submodule).
	Mode string
	// Staged: the index differs from HEAD. Modified: the file differs from the index.
	// A clean file has none of the four.
	Staged, Modified, Untracked, Deleted bool
}

// Listing returns all files below the root, tracked or untracked and not ignored, also
// those of submodules that are checked out. Ids of dirty files are computed only where
// keep says so; nil keeps all. Ids of clean files cost nothing.
func (r *Repo) Listing(ctx context.Context, keep func(path string) bool) (map[string]File, error) {
	files, _, err := r.ListingEarly(ctx, keep, func(map[string]File) {})
	return files, err
}

// Named is ListingEarly of the files with one of some base names. Git looks at no others, so it takes about half the time.
func (r *Repo) Named(ctx context.Context, names []string, early func(map[string]File)) (found map[string]File, differs []string, err error) {
	return r.listing(ctx, names, func(p string) bool { return slices.Contains(names, path.Base(p)) }, early)
}

// ListingEarly is Listing for those who cannot wait: while git still looks for what is
// dirty, which takes most of the time, early gets the listing of a tree in which nothing
// is. differs names the paths, of those that are kept, for which that was not so or may
// not have been.
func (r *Repo) ListingEarly(ctx context.Context, keep func(path string) bool, early func(map[string]File)) (found map[string]File, differs []string, err error) {
	return r.listing(ctx, nil, keep, early)
}

// listing lists the files that keep keeps; all of them have one of the base names, if there are any.
func (r *Repo) listing(ctx context.Context, names []string, keep func(path string) bool, early func(map[string]File)) (found map[string]File, differs []string, err error) {
	var wg sync.WaitGroup
	var dirty []Status
	var statusErr error
	wg.Go(func() { dirty, statusErr = r.statusOf(ctx, names) })
	list, err := r.staged(ctx, names)
	if err != nil {
		wg.Wait()
		return nil, nil, fmt.Errorf("list files: %w", err)
	}
	files := make(map[string]File, len(list))
	var modules []string
	for _, e := range list {
		if !strings.HasPrefix(e.path, r.prefix) {
			continue
		}
		p := r.outside(e.path)
		if ours(p) || (keep != nil && !keep(p) && e.mode != modeModule) {
			continue
		}
		files[p] = File{ID: e.id, Mode: e.mode}
		if e.mode == modeModule {
			modules = append(modules, p)
		}
	}
	early(files)
	wg.Wait()
	if statusErr != nil {
		return nil, nil, fmt.Errorf("list files: %w", statusErr)
	}
	if err := r.overlay(ctx, files, dirty, keep); err != nil {
		return nil, nil, fmt.Errorf("list files: %w", err)
	}
	for _, m := range modules {
		if err := r.submodule(ctx, files, m, names, keep); err != nil {
			return nil, nil, fmt.Errorf("list files of submodule %s: %w", m, err)
		}
	}
	for _, s := range dirty {
		if keep == nil || keep(s.Path) {
			differs = append(differs, s.Path)
		}
	}
	return files, append(differs, modules...), nil
}

// overlay puts what is dirty over what the index says.
func (r *Repo) overlay(ctx context.Context, files map[string]File, dirty []Status, keep func(string) bool) error {
	var hash []string
	for _, s := range dirty {
		if (keep != nil && !keep(s.Path)) || strings.HasSuffix(s.Path, "/") {
			continue
		}
		f := files[s.Path]
		switch {
		case s.Index == '?' || (s.Index == '.' && s.Work == 'A'): // untracked, or only announced
			f = File{Untracked: true}
			hash = append(hash, s.Path)
		case s.Submodule:
			f.Staged, f.Modified = s.Index != '.', s.Work != '.'
		case s.Work == 'D' || (s.Index == 'D' && s.Work == '.'):
			if !files[s.Path].Untracked {
				f = File{Deleted: true, Staged: s.Index != '.'}
			}
		default:
			f.Staged, f.Modified = s.Index != '.' && s.Index != 'U', s.Work != '.'
			if f.Modified {
				hash = append(hash, s.Path)
			}
		}
		files[s.Path] = f
	}
	present, err := r.present(ctx, hash)
	if err != nil {
		return err
	}
	for _, p := range hash {
		f := files[p]
		if now, ok := present[p]; ok {
			f.ID, f.Mode = now.id, now.mode
		} else if f.Untracked {
			delete(files, p) // it vanished meanwhile
			continue
		} else {
			f = File{Deleted: true, Staged: f.Staged}
		}
		files[p] = f
	}
	return nil
}

// submodule adds the files of the submodule at p, if it is checked out.
func (r *Repo) submodule(ctx context.Context, files map[string]File, p string, names []string, keep func(string) bool) error {
	m, err := r.openSubmodule(ctx, p)
	if m == nil || err != nil {
		return err
	}
	list, _, err := m.listing(ctx, names, func(q string) bool { return keep == nil || keep(p+"/"+q) }, func(map[string]File) {})
	if err != nil {
		return err
	}
	for q, f := range list {
		files[p+"/"+q] = f
	}
	return nil
}

// openSubmodule returns nil for one that is not checked out.
func (r *Repo) openSubmodule(ctx context.Context, p string) (*Repo, error) {
	dir := filepath.Join(r.Root(), filepath.FromSlash(p))
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return nil, nil //nolint:nilerr,nilnil // absence is the answer
	}
	return Open(ctx, Options{Dir: dir, Env: r.env, Temp: r.temp})
}
