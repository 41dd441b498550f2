package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Checkout writes the files of a tree (or a commit's tree) into dir, which must be empty
// or not exist: the raw bytes, execute bits and symbolic links, without any git folder.
// Links that leave the tree are not made; their paths are returned. Submodules are left
// out.
func (r *Repo) Checkout(ctx context.Context, tree, dir string) (skipped []string, err error) {
	dir, err = emptyDir(dir)
	if err != nil {
		return nil, fmt.Errorf("check out: %w", err)
	}
	if _, skipped, err = r.unpack(ctx, dir, tree); err != nil {
		return nil, fmt.Errorf("check out: %w", err)
	}
	for i := range skipped {
		skipped[i] = r.outside(skipped[i])
	}
	return skipped, nil
}

// emptyDir makes dir, or makes sure that nothing is in it.
func emptyDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	list, err := os.ReadDir(dir)
	if err == nil && len(list) > 0 {
		err = fmt.Errorf("%s is not empty", dir)
	}
	return dir, err
}

// unpack writes the files of a tree into dir, which is empty. It returns the tree's
// entries and the links that were not made because they leave the tree.
func (r *Repo) unpack(ctx context.Context, dir, tree string) (entries []Entry, skipped []string, err error) {
	if entries, err = r.entries(ctx, tree); err != nil {
		return nil, nil, err
	}
	links, err := r.links(ctx, entries)
	if err != nil {
		return nil, nil, err
	}
	// Directories are made here and are new, and files must not exist, so that nothing
	// is written through a link. Links come last.
	made := map[string]bool{"": true}
	for _, e := range entries {
		if err := mkdirs(dir, parent(e.Path), made); err != nil {
			return nil, nil, err
		}
		full := filepath.Join(dir, filepath.FromSlash(e.Path))
		switch e.Mode {
		case modeLink:
		case modeModule:
			err = os.Mkdir(full, 0o777)
		default:
			err = r.writeOut(ctx, full, e)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for _, e := range entries {
		if e.Mode != modeLink {
			continue
		}
		if leaves(links, e.Path) {
			skipped = append(skipped, e.Path)
			continue
		}
		if err := os.Symlink(filepath.FromSlash(links[e.Path]), filepath.Join(dir, filepath.FromSlash(e.Path))); err != nil {
			return nil, nil, err
		}
	}
	return entries, skipped, nil
}

func mkdirs(top, dir string, made map[string]bool) error {
	if made[dir] {
		return nil
	}
	if err := mkdirs(top, parent(dir), made); err != nil {
		return err
	}
	made[dir] = true
	return os.Mkdir(filepath.Join(top, filepath.FromSlash(dir)), 0o777)
}

// writeOut writes the raw bytes of one file.
func (r *Repo) writeOut(ctx context.Context, full string, e Entry) error {
	perm := fs.FileMode(0o666) // what remains of it is the user's umask
	if e.Mode == modeExec {
		perm = 0o777
	}
	return r.get(ctx, e.ID, func(kind string, size int64, body io.Reader) error {
		if kind != kindBlob {
			return fmt.Errorf("%s: %s is a %s: %w", e.Path, e.ID, kind, ErrMissing)
		}
		f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if err != nil {
			return err
		}
		n, err := io.Copy(f, body)
		if err == nil && n != size {
			err = io.ErrUnexpectedEOF
		}
		return errors.Join(err, f.Close())
	})
}

// links reads the targets of the symbolic links among entries.
func (r *Repo) links(ctx context.Context, entries []Entry) (map[string]string, error) {
	var ids []string
	for _, e := range entries {
		if e.Mode == modeLink {
			ids = append(ids, e.ID)
		}
	}
	blobs, err := r.ReadBlobs(ctx, ids)
	if err != nil {
		return nil, err
	}
	links := make(map[string]string, len(ids))
	for _, e := range entries {
		if e.Mode == modeLink {
			links[e.Path] = string(blobs[e.ID])
		}
	}
	return links, nil
}

// Clone is a throw-away repository for one agent: the files of a tree, one commit on a
// branch named work, and nothing of the user's configuration, hooks, refs or remotes.
// Older objects are borrowed from the main repository.
type Clone struct {
	// Dir is the top of the clone.
	Dir     string
	r       *Repo
	tree    string
	base    string // the one commit
	exclude []string
}

// Root is the directory of the project in the clone.
func (c *Clone) Root() string { return filepath.Join(c.Dir, filepath.FromSlash(c.r.prefix)) }

// CloneSince makes a clone of a tree (or a commit's tree) in dir, which must be empty or not
// exist. Files are raw bytes; links that leave the tree and the files of submodules are
// not made. The tree before is in its commit: where that is another one, what is in dir is
// staged as a change of it, and git diff HEAD shows it. Exclude are patterns in the notation
// of .gitignore for what Capture leaves out beside what the tree itself ignores.
func (r *Repo) CloneSince(ctx context.Context, dir, before, tree string, exclude ...string) (*Clone, error) {
	dir, err := emptyDir(dir)
	if err != nil {
		return nil, fmt.Errorf("make clone: %w", err)
	}
	c, err := r.OpenClone(ctx, dir, before, tree, exclude...)
	if err != nil {
		return nil, fmt.Errorf("make clone: %w", err)
	}
	if err := c.fill(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("make clone: %w", err), os.RemoveAll(dir))
	}
	return c, nil
}

// OpenClone returns a clone that CloneSince made earlier with the same arguments, for example
// in a process that has died. Nothing in dir is read or changed.
func (r *Repo) OpenClone(ctx context.Context, dir, before, tree string, exclude ...string) (*Clone, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open clone: %w", err)
	}
	if tree, err = r.treeOf(ctx, tree); err != nil {
		return nil, fmt.Errorf("open clone: %w", err)
	}
	if before, err = r.treeOf(ctx, before); err != nil {
		return nil, fmt.Errorf("open clone: %w", err)
	}
	c := &Clone{Dir: dir, r: r, tree: tree, exclude: exclude}
	// The same tree always gives the same commit, so that it need not be remembered.
	c.base, err = r.CommitTree(ctx, own(before, "base"))
	if err != nil {
		return nil, fmt.Errorf("open clone: %w", err)
	}
	return c, nil
}

func (c *Clone) fill(ctx context.Context) error {
	gitDir := filepath.Join(c.Dir, ".git")
	exclude, err := c.excludes()
	if err != nil {
		return err
	}
	if err = writeGitDir(gitDir, c.r.format, exclude); err != nil {
		return err
	}
	for name, text := range c.planted() {
		if err = os.WriteFile(filepath.Join(gitDir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	entries, skipped, err := c.r.unpack(ctx, c.Dir, c.tree)
	if err != nil {
		return err
	}
	bad := map[string]bool{}
	for _, p := range skipped {
		bad[p] = true
	}
	return c.r.writeIndex(filepath.Join(gitDir, "index"), c.Dir, entries, bad)
}

// planted are the files of the clone's git folder that only this clone has.
func (c *Clone) planted() map[string]string {
	return map[string]string{
		"refs/heads/work":         c.base + "\n",
		"objects/info/alternates": filepath.ToSlash(filepath.Join(c.r.common, "objects")) + "\n",
	}
}

// excludes is what is ignored in the clone beside the .gitignore files of its tree.
func (c *Clone) excludes() (string, error) {
	text, err := c.r.excludes()
	for _, p := range c.exclude {
		text += p + "\n"
	}
	return text, err
}

// excludes is the user's own list for this repository, and what belongs to the engine.
func (r *Repo) excludes() (string, error) {
	b, err := os.ReadFile(filepath.Join(r.common, "info", "exclude"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return string(b) + "\n.jacquard/\n", nil
}
