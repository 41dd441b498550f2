package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Revision is the commit that people mean by a revision such as HEAD~2, a branch or a tag.
// The error is ErrNoRef when there is no such commit.
func (r *Repo) Revision(ctx context.Context, rev string) (string, error) {
	out, err := r.in(ctx, call{args: []string{"rev-parse", "-q", "--verify", "--end-of-options", rev + "^{commit}"}, ok: []int{1, 128}})
	if isAnswer(err) {
		return "", fmt.Errorf("read revision %q: %w", rev, ErrNoRef)
	}
	if err != nil {
		return "", fmt.Errorf("read revision %q: %w", rev, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Ancestor is a commit of a history, as far as it says who has made it.
type Ancestor struct {
	ID      string
	Parents []string
	Email   string // the committer's
}

// Ancestors are the commits that tip reaches and none of not does, children before parents. All are ids.
func (r *Repo) Ancestors(ctx context.Context, tip string, not ...string) (list []Ancestor, err error) {
	args := []string{"log", "-z", "--topo-order", "--format=%H %ce%x09%P", tip}
	for _, id := range not {
		args = append(args, "^"+id)
	}
	for _, id := range append([]string{tip}, not...) {
		if err := r.checkID(id); err != nil {
			return nil, fmt.Errorf("read history: %w", err)
		}
	}
	out, err := r.user(ctx, append(args, "--")...)
	if err != nil {
		return nil, fmt.Errorf("read history: %w", missing(err))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		who, parents, _ := strings.Cut(line, "\t")
		if id, email, ok := strings.Cut(who, " "); ok {
			list = append(list, Ancestor{ID: id, Parents: strings.Fields(parents), Email: email})
		}
	}
	return list, nil
}

// Fetched are the newest commits that fetches, and no pushes from here, have brought to the branches of remotes, as far as git has noted it.
func (r *Repo) Fetched(ctx context.Context) ([]string, error) {
	refs, err := r.Refs(ctx, "refs/remotes/")
	if err != nil {
		return nil, err
	}
	var ids []string
	for name := range refs {
		out, err := r.in(ctx, call{args: []string{"log", "-g", "--format=%H %gs", "--end-of-options", name, "--"}, ok: []int{128}})
		if err != nil && !isAnswer(err) {
			return nil, fmt.Errorf("read the log of %s: %w", name, err)
		}
		for line := range strings.Lines(string(out)) {
			id, how, _ := strings.Cut(line, " ")
			if strings.HasPrefix(how, "fetch") || strings.HasPrefix(how, "pull") || strings.HasPrefix(how, "clone") {
				ids = append(ids, id)
				break
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(ids))), nil
}

// Index lists the files that are staged below the root, sorted. file is the index to read
// where git works with another one than usual, as it does for "git commit FILE" and tells
// hooks in GIT_INDEX_FILE; "" is the usual one.
func (r *Repo) Index(ctx context.Context, file string) ([]Entry, error) {
	c := call{args: r.lsFiles()}
	if file != "" {
		if !filepath.IsAbs(file) {
			file = filepath.Join(r.top, filepath.FromSlash(file))
		}
		c.env = append(c.env, "GIT_INDEX_FILE="+file)
	}
	out, err := r.in(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	var list []Entry
	for _, e := range parseList(out) {
		if p := r.outside(e.path); strings.HasPrefix(e.path, r.prefix) && !ours(p) {
			list = append(list, Entry{Path: p, Mode: e.mode, ID: e.id})
		}
	}
	return list, nil
}

// Identity is the name and the address that the user commits with here, "" where none is set: those of the environment come first, as in git.
func (r *Repo) Identity(ctx context.Context) (name, email string, err error) {
	if name, email = r.variable("GIT_AUTHOR_NAME"), r.variable("GIT_AUTHOR_EMAIL"); name == "" {
		name, err = r.Setting(ctx, "user.name")
	}
	if email == "" && err == nil {
		email, err = r.Setting(ctx, "user.email")
	}
	return name, email, err
}

// Setting is what git is configured to here, "" where it is not set.
func (r *Repo) Setting(ctx context.Context, key string) (string, error) {
	out, err := r.user(ctx, "config", "--get", key)
	if none, ok := errors.AsType[*failure](err); ok && none.exit == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", key, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// HooksDir is the directory in which git looks for hooks: that of core.hooksPath, or the
// repository's own.
func (r *Repo) HooksDir(ctx context.Context) (string, error) {
	out, err := r.settings(ctx)
	if err != nil {
		return "", fmt.Errorf("find the hooks: %w", err)
	}
	dir := r.guardConfig(out, Guard{})
	if rest, ok := strings.CutPrefix(dir, filepath.Join(r.top, "~")+string(filepath.Separator)); ok {
		if home := r.variable("HOME"); home != "" {
			dir = filepath.Join(home, rest)
		}
	}
	return dir, nil
}

// Inside reports whether a path lies in the work tree or in the repository's own files.
func (r *Repo) Inside(path string) bool {
	for _, dir := range []string{r.top, r.common, r.gitDir} {
		if rel, err := filepath.Rel(dir, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// Files lists the files below the root that git sees: tracked and there, or untracked and
// not ignored; on demand also those of submodules that are checked out. It opens none of
// them, so that one that cannot be read is listed as well.
func (r *Repo) Files(ctx context.Context, submodules bool) ([]string, error) {
	list, err := r.staged(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	dirty, err := r.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	gone := map[string]bool{}
	var files []string
	for _, s := range dirty {
		switch {
		case s.Index == '?' && !strings.HasSuffix(s.Path, "/"):
			files = append(files, s.Path)
		case s.Work == 'D':
			gone[s.Path] = true
		}
	}
	for _, e := range list {
		p := r.outside(e.path)
		switch {
		case !strings.HasPrefix(e.path, r.prefix) || ours(p) || gone[p]:
		case e.mode != modeModule:
			files = append(files, p)
		case submodules:
			more, err := r.submoduleFiles(ctx, p)
			if err != nil {
				return nil, fmt.Errorf("list files of submodule %s: %w", p, err)
			}
			files = append(files, more...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

func (r *Repo) submoduleFiles(ctx context.Context, at string) ([]string, error) {
	m, err := r.openSubmodule(ctx, at)
	if m == nil || err != nil {
		return nil, err
	}
	files, err := m.Files(ctx, true)
	for i := range files {
		files[i] = at + "/" + files[i]
	}
	return files, err
}
