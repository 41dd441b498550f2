package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	d, err := r.desk(dir, "")
	if err != nil {
		return nil, fmt.Errorf("check out: %w", err)
	}
	defer d.close()
	if skipped, err = r.unpack(ctx, d, tree); err != nil {
		return nil, fmt.Errorf("check out: %w", err)
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

// unpack writes the files of tree into the work tree of d.
func (r *Repo) unpack(ctx context.Context, d *desk, tree string) ([]string, error) {
	entries, err := r.entries(ctx, tree)
	if err != nil {
		return nil, err
	}
	links, err := r.links(ctx, entries)
	if err != nil {
		return nil, err
	}
	var bad []string
	for p := range links {
		if leaves(links, p) {
			bad = append(bad, p)
		}
	}
	slices.Sort(bad)
	if _, err := d.do(ctx, "read-tree", tree); err != nil {
		return nil, err
	}
	if len(bad) > 0 {
		in := strings.NewReader(strings.Join(bad, "\x00") + "\x00")
		if _, err := d.in(ctx, call{args: []string{"update-index", "-z", "--skip-worktree", "--stdin"}, in: in}); err != nil {
			return nil, err
		}
	}
	if len(entries) == 0 {
		return nil, nil
	}
	if _, err := d.do(ctx, "checkout-index", "-a", "-u", "-q"); err != nil {
		return nil, err
	}
	for i := range bad {
		bad[i] = r.outside(bad[i])
	}
	return bad, nil
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

// Clone makes a clone of a tree (or a commit's tree) in dir, which must be empty or not
// exist. Files are raw bytes; links that leave the tree and the files of submodules are
// not made. Exclude are patterns in the notation of .gitignore for what Capture leaves
// out beside what the tree itself ignores.
func (r *Repo) Clone(ctx context.Context, dir, tree string, exclude ...string) (*Clone, error) {
	dir, err := emptyDir(dir)
	if err != nil {
		return nil, fmt.Errorf("make clone: %w", err)
	}
	c, err := r.OpenClone(ctx, dir, tree, exclude...)
	if err != nil {
		return nil, fmt.Errorf("make clone: %w", err)
	}
	if err := c.fill(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("make clone: %w", err), os.RemoveAll(dir))
	}
	return c, nil
}

// OpenClone returns a clone that Clone made earlier with the same arguments, for example
// in a process that has died. Nothing in dir is read or changed.
func (r *Repo) OpenClone(ctx context.Context, dir, tree string, exclude ...string) (*Clone, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open clone: %w", err)
	}
	if err = r.checkID(tree); err != nil {
		return nil, fmt.Errorf("open clone: %w", err)
	}
	out, err := r.user(ctx, "rev-parse", "--verify", "-q", tree+"^{tree}")
	if err != nil {
		return nil, fmt.Errorf("open clone: %s: %w", tree, ErrMissing)
	}
	c := &Clone{Dir: dir, r: r, tree: strings.TrimSpace(string(out)), exclude: exclude}
	// The same tree always gives the same commit, so that it need not be remembered.
	c.base, err = r.CommitTree(ctx, Commit{Tree: c.tree, Message: "base", Name: "jacquard", Email: "jacquard@localhost", Time: epoch})
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
	d := &desk{tool: c.r.tool, work: c.Dir, env: append(alone(), "GIT_DIR="+gitDir, "GIT_WORK_TREE="+c.Dir)}
	_, err = c.r.unpack(ctx, d, c.tree)
	return err
}

// planted are the files of the clone's git folder that only this clone has.
func (c *Clone) planted() map[string]string {
	return map[string]string{
		"refs/heads/work":         c.base + "\n",
		"objects/info/alternates": filepath.ToSlash(filepath.Join(c.r.common, "objects")) + "\n",
	}
}

// excludes is what is ignored beside the .gitignore files of the tree: the user's own
// list for this repository, the caller's, and what belongs to the engine.
func (c *Clone) excludes() (string, error) {
	b, err := os.ReadFile(filepath.Join(c.r.common, "info", "exclude"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	var text bytes.Buffer
	text.Write(b)
	text.WriteString("\n.jacquard/\n")
	for _, p := range c.exclude {
		text.WriteString(p + "\n")
	}
	return text.String(), nil
}
