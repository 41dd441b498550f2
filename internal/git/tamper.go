package git

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Tamper is one thing that was changed in the git folder of a clone.
type Tamper struct {
	// Kind is commit, branch, tag, stash, ref, head, config, hook or other.
	Kind string
	// Name says which: a ref, a line of the configuration, a file.
	Name string
}

// tampered compares the clone's git folder with what was put there. The folder is read
// as plain files; running git in it would obey it. What an agent does by looking around
// (a refreshed index, logs, loose objects) does not count.
func (c *Clone) tampered() []Tamper {
	dir := filepath.Join(c.Dir, ".git")
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return []Tamper{{Kind: "other", Name: ".git"}}
	}
	var list []Tamper
	add := func(kind, name string) { list = append(list, Tamper{Kind: kind, Name: name}) }
	for _, f := range gitDirFiles(c.r.format, "") {
		text, ok := plain(dir, f.name)
		switch {
		case f.name == "info/exclude" || (ok && text == f.text): // nobody reads that list
		case f.name == "HEAD":
			add("head", strings.TrimSpace(text))
		case f.name == "config":
			add("config", newLines(f.text, text))
		default:
			add("other", f.name)
		}
	}
	want := c.planted()
	if text, ok := plain(dir, "objects/info/alternates"); !ok || text != want["objects/info/alternates"] {
		add("other", "objects/info/alternates")
	}
	for _, name := range []string{"config.worktree", "commondir", "gitdir", "worktrees", "modules", "reftable", "refs/replace"} {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			kind := "other"
			if name == "config.worktree" {
				kind = "config"
			}
			add(kind, name)
		}
	}
	hooks, _ := os.ReadDir(filepath.Join(dir, "hooks")) // none is the usual case
	for _, h := range hooks {
		if !strings.HasSuffix(h.Name(), ".sample") {
			add("hook", h.Name())
		}
	}
	return append(list, c.refs(dir)...)
}

// refs names every ref that the clone did not begin with.
func (c *Clone) refs(dir string) []Tamper {
	refs := map[string]string{}
	packed, _ := plain(dir, "packed-refs")
	for line := range strings.Lines(packed) {
		if id, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && line[0] != '#' && line[0] != '^' {
			refs[name] = id
		}
	}
	_ = filepath.WalkDir(filepath.Join(dir, "refs"), func(full string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // what cannot be read is not a ref for git either
		}
		rel, err := filepath.Rel(dir, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		text, _ := plain(dir, name)
		refs[name] = strings.TrimSpace(text)
		return nil
	})
	var list []Tamper
	if refs["refs/heads/work"] != c.base {
		list = append(list, Tamper{Kind: "commit", Name: refs["refs/heads/work"]})
	}
	delete(refs, "refs/heads/work")
	for name := range refs {
		kind := "ref"
		switch {
		case strings.HasPrefix(name, "refs/heads/"):
			kind = "branch"
		case strings.HasPrefix(name, "refs/tags/"):
			kind = "tag"
		case name == "refs/stash":
			kind = "stash"
		}
		list = append(list, Tamper{Kind: kind, Name: strings.TrimPrefix(strings.TrimPrefix(name, "refs/heads/"), "refs/tags/")})
	}
	slices.SortFunc(list, func(a, b Tamper) int { return strings.Compare(a.Kind+a.Name, b.Kind+b.Name) })
	return list
}

// plain reads a small regular file; a link, a pipe or something huge is not read.
func plain(dir, name string) (string, bool) {
	full := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Lstat(full)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return "", false
	}
	b, err := os.ReadFile(full)
	return string(b), err == nil
}

// newLines are the lines of now that before does not have, to name what was set.
func newLines(before, now string) string {
	var added []string
	for line := range strings.Lines(now) {
		if !strings.Contains(before, line) {
			line = strings.TrimSpace(line)
			added = append(added, strings.ToValidUTF8(line[:min(len(line), 200)], ""))
		}
	}
	switch n := len(added); {
	case n == 0:
		return "lines removed"
	case n > 20:
		added = append(added[:20], "…")
	}
	return strings.Join(added, "; ")
}
