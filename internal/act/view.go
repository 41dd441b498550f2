package act

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/target"
)

// view is the project's files as they are at one moment: in the working tree,
// or in a snapshot of it.
type view struct {
	files []target.File
	ids   map[string]string // raw ids; for a working tree those of clean files
	read  func(path string) ([]byte, error)
}

// paths lists all files, sorted.
func (v *view) paths() []string {
	out := make([]string, len(v.files))
	for i, f := range v.files {
		out[i] = f.Path
	}
	slices.Sort(out)
	return out
}

// bytes reads a file; a missing one is nil.
func (v *view) bytes(path string) []byte {
	b, err := v.read(path)
	if err != nil {
		return nil
	}
	return b
}

// worktree is the user's working tree as a listing has it.
func (a *Actor) worktree(list map[string]git.File) *view {
	v := &view{ids: make(map[string]string, len(list)), files: make([]target.File, 0, len(list))}
	for p, f := range list {
		if f.Deleted || f.Mode == "160000" {
			continue
		}
		v.files = append(v.files, target.File{Path: p, ID: f.ID, Change: change(f)})
		if f.ID != "" { // else we may not read it
			v.ids[p] = f.ID
		}
	}
	v.read = a.document
	root := a.o.Repo.Root()
	v.follow(func(p string) string {
		if list[p].Mode != "120000" {
			return ""
		}
		to, _ := os.Readlink(filepath.Join(root, filepath.FromSlash(p)))
		return to
	})
	return v
}

// follow makes specs that are symbolic links within the project what they lead to, by their ids as well, so that a change there is
// one of the spec. leads is where a link leads, "" for what is none. It returns the specs that lead nowhere.
func (v *view) follow(leads func(p string) string) (lost map[string]bool) {
	for i := range v.files {
		f := &v.files[i]
		if !spec.IsName(f.Path) {
			continue
		}
		p := f.Path
		for range 8 { // links to links
			to := leads(p)
			if to == "" {
				break
			}
			p = path.Join(path.Dir(p), filepath.ToSlash(to))
		}
		if id := v.ids[p]; p != f.Path && id != "" && leads(p) == "" {
			f.ID, v.ids[f.Path] = id, id
		} else if p != f.Path {
			if lost == nil {
				lost = map[string]bool{}
			}
			lost[f.Path] = true
		}
	}
	return lost
}

func change(f git.File) target.Change {
	switch {
	case f.Untracked:
		return target.IsUntracked
	case f.Modified:
		return target.IsModified
	case f.Staged:
		return target.IsStaged
	}
	return target.Clean
}

// tree is the project as a tree object has it. status says what git thought
// of the files when the snapshot was taken; nil means clean.
func (a *Actor) tree(ctx context.Context, id string, status map[string]target.Change) (*view, error) {
	entries, err := a.o.Repo.ReadTree(ctx, id)
	if err != nil {
		return nil, machinery(err)
	}
	v := &view{ids: make(map[string]string, len(entries)), files: make([]target.File, 0, len(entries))}
	links := map[string]string{}
	for _, e := range entries {
		if e.Mode == "120000" {
			links[e.Path] = e.ID
		}
		if e.Mode == "160000" || strings.HasPrefix(e.Path, "../") {
			continue
		}
		v.files = append(v.files, target.File{Path: e.Path, ID: e.ID, Change: status[e.Path]})
		v.ids[e.Path] = e.ID
	}
	lost := v.follow(func(p string) string {
		if links[p] == "" {
			return ""
		}
		to, _ := a.o.Repo.ReadBlob(ctx, links[p])
		return string(to)
	})
	v.read = func(p string) ([]byte, error) {
		id, ok := v.ids[p]
		if lost[p] {
			return nil, &spec.Unreadable{Why: "it is a symbolic link that points to no file of the project", Hint: "remove it, or put the file itself here"}
		}
		if !ok {
			return nil, fmt.Errorf("%s: %w", p, os.ErrNotExist)
		}
		return a.o.Repo.ReadBlob(ctx, id)
	}
	return v, nil
}

// status is what git says about dirty files.
func (a *Actor) status(ctx context.Context) (map[string]target.Change, error) {
	list, err := a.o.Repo.Status(ctx)
	if err != nil {
		return nil, machinery(err)
	}
	out := map[string]target.Change{}
	for _, s := range list {
		switch {
		case s.Index == '?':
			out[s.Path] = target.IsUntracked
		case s.Work != '.':
			out[s.Path] = target.IsModified
		default:
			out[s.Path] = target.IsStaged
		}
	}
	return out, nil
}
