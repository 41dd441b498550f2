package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Link is a symbolic link and where it points.
type Link struct{ Path, Target string }

// Capture is what an agent left in its clone.
type Capture struct {
	// Tree is everything in the clone as a tree of the main repository.
	Tree string
	// Tampered is what was changed in the clone's git folder.
	Tampered []Tamper
	// Nested are git folders elsewhere in the clone, by any name that a file system
	// takes for .git. They are not in Tree.
	Nested []string
	// Skipped are other paths that are not in Tree: pipes, sockets, devices, and what
	// was put into a submodule.
	Skipped []string
	// Leaving are symbolic links in Tree that point out of it and did not before.
	Leaving []Link
}

// Capture stores everything in the clone as a tree in the main repository. What the tree
// that the clone was made from ignores is left out, unless it was in that tree; ignore
// files that the agent wrote or changed count only as files. A new directory that a tool has
// marked as its cache is left out. The folder is read as plain files: no filter, hook,
// attribute or setting in it is obeyed. Everything that could still write to it must have ended.
func (c *Clone) Capture(ctx context.Context) (Capture, error) {
	s := &scan{c: c, disk: map[string]fs.FileInfo{}, links: map[string]string{}}
	if err := s.run(ctx); err != nil {
		return Capture{}, fmt.Errorf("capture %s: %w", c.Dir, err)
	}
	s.got.Tampered = c.tampered()
	for _, list := range [][]string{s.got.Nested, s.got.Skipped} {
		for i := range list {
			list[i] = c.r.outside(list[i])
		}
	}
	return s.got, nil
}

// scan is one capture. Its paths are relative to the top.
type scan struct {
	c     *Clone
	base  map[string]Entry
	dirs  map[string]bool        // of base
	disk  map[string]fs.FileInfo // files and links that are to be in the tree
	links map[string]string
	edits []Edit
	write []int // edits whose blobs are still to be written
	got   Capture
}

func (s *scan) run(ctx context.Context) error {
	r := s.c.r
	entries, err := r.entries(ctx, s.c.tree)
	if err != nil {
		return err
	}
	s.base, s.dirs = make(map[string]Entry, len(entries)), map[string]bool{}
	for _, e := range entries {
		s.base[e.Path] = e
		for dir := path.Dir(e.Path); dir != "." && !s.dirs[dir]; dir = path.Dir(dir) {
			s.dirs[dir] = true
		}
	}
	before, err := r.links(ctx, entries)
	if err != nil {
		return err
	}
	if err = filepath.WalkDir(s.c.Dir, s.visit); err != nil {
		return err
	}
	if err = s.dropIgnored(ctx, entries); err != nil {
		return err
	}
	if err = s.compare(before); err != nil {
		return err
	}
	s.leaving(before)
	if err = s.store(); err != nil {
		return err
	}
	s.got.Tree, err = r.edit(ctx, s.c.tree, s.edits)
	return err
}

// visit collects one path of the clone.
func (s *scan) visit(full string, e fs.DirEntry, err error) error {
	if full == s.c.Dir {
		return err
	}
	if errors.Is(err, fs.ErrPermission) && e != nil && e.IsDir() {
		// An agent must not be able to hide a directory by its mode.
		if os.Chmod(full, 0o700) == nil { //nolint:gosec // a directory has to be searched
			return filepath.WalkDir(full, s.visit)
		}
	}
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(s.c.Dir, full)
	if err != nil {
		return err
	}
	p := filepath.ToSlash(rel)
	if isDotGit(e.Name()) {
		if p != ".git" {
			s.got.Nested = append(s.got.Nested, p)
		}
		return skip(e)
	}
	if e.IsDir() {
		if !s.dirs[p] && cacheDir(full) {
			return fs.SkipDir
		}
		if s.base[p].Mode != modeModule {
			return nil
		}
		if list, dirErr := os.ReadDir(full); dirErr != nil || len(list) > 0 {
			s.got.Skipped = append(s.got.Skipped, p)
		}
		return fs.SkipDir
	}
	info, err := e.Info()
	if err != nil {
		return err
	}
	switch {
	case info.Mode().IsRegular():
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(full)
		if err != nil {
			return err
		}
		s.links[p] = filepath.ToSlash(target)
	default:
		s.got.Skipped = append(s.got.Skipped, p)
		return nil
	}
	s.disk[p] = info
	return nil
}

// cacheDir reports whether a tool has marked a directory as its cache: https://bford.info/cachedir.
func cacheDir(dir string) bool {
	const signature = "Signature: 8a477f597d28d172789f06886806bc55"
	f, err := os.Open(filepath.Join(dir, "CACHEDIR.TAG"))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(signature))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == signature
}

func skip(e fs.DirEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// dropIgnored forgets new files that the base ignores.
func (s *scan) dropIgnored(ctx context.Context, entries []Entry) error {
	var ask []string
	for p := range s.disk {
		if _, ok := s.base[p]; !ok {
			ask = append(ask, p)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	exclude, err := s.c.excludes()
	if err != nil {
		return err
	}
	ignored, err := s.c.r.ignored(ctx, entries, exclude, ask)
	for _, p := range ignored {
		delete(s.disk, p)
		delete(s.links, p)
	}
	return err
}

// compare finds what differs from the base by content; times and sizes prove nothing.
func (s *scan) compare(before map[string]string) error {
	for p, info := range s.disk {
		e := Edit{Path: p, Mode: modeLink}
		if target, ok := s.links[p]; ok {
			e.ID = s.c.r.hash([]byte(target))
		} else {
			id, err := s.hashFile(p, info)
			if err != nil {
				return err
			}
			e.ID, e.Mode = id, fileMode(info)
			if old := s.base[p].Mode; runtime.GOOS == "windows" && (old == modeFile || old == modeExec) {
				e.Mode = old // the system has no execute bits
			}
		}
		if old := s.base[p]; old.ID == e.ID && old.Mode == e.Mode {
			continue
		}
		if s.base[p].ID != e.ID {
			s.write = append(s.write, len(s.edits))
		}
		s.edits = append(s.edits, e)
	}
	for p, e := range s.base {
		if _, ok := s.disk[p]; ok {
			continue
		}
		// The clone was made without these, so that their absence says nothing.
		if e.Mode == modeModule || (e.Mode == modeLink && leaves(before, p)) {
			continue
		}
		s.edits = append(s.edits, Edit{Path: p})
	}
	return nil
}

func (s *scan) hashFile(p string, info fs.FileInfo) (string, error) {
	full := filepath.Join(s.c.Dir, filepath.FromSlash(p))
	f, err := os.Open(full)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(full, info.Mode().Perm()|0o400) == nil {
		f, err = os.Open(full)
	}
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return s.c.r.hashFrom(f, info.Size())
}

// store writes the changed files as blobs of the main repository.
func (s *scan) store() error {
	for _, i := range s.write {
		e := &s.edits[i]
		var id string
		var err error
		if e.Mode == modeLink {
			id, err = s.c.r.put(kindBlob, []byte(s.links[e.Path]))
		} else {
			id, err = s.storeFile(e.Path)
		}
		if err == nil && id != e.ID {
			err = fmt.Errorf("%s: %w", e.Path, errChanged)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *scan) storeFile(p string) (string, error) {
	f, err := os.Open(filepath.Join(s.c.Dir, filepath.FromSlash(p)))
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return s.c.r.putFrom(kindBlob, f, s.disk[p].Size())
}

// leaving finds links that point out of the tree and did not do so in the base.
func (s *scan) leaving(before map[string]string) {
	for p, target := range s.links {
		if leaves(s.links, p) && (before[p] != target || !leaves(before, p)) {
			s.got.Leaving = append(s.got.Leaving, Link{Path: s.c.r.outside(p), Target: target})
		}
	}
	slices.SortFunc(s.got.Leaving, func(a, b Link) int { return strings.Compare(a.Path, b.Path) })
}
