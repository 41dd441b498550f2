package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/report"
)

// readable is the size up to which the spec tools read a file. Specs and sources are far
// smaller; what is larger was made by a program.
const readable = 8 << 20

// files opens the project and lists what is in it now.
func (t *specTool) files(ctx context.Context) (*project, *inspect.Project, error) {
	p, err := t.a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	x, err := t.workTree(ctx, p, true)
	return p, x, err
}

// workTree is the project as it is on disk, on demand without its submodules.
func (t *specTool) workTree(ctx context.Context, p *project, submodules bool) (*inspect.Project, error) {
	list, err := p.repo.Listing(ctx, func(string) bool { return true })
	if err != nil {
		return nil, err
	}
	var files []string
	for f, x := range list {
		if !x.Deleted && x.Mode != "160000" && (submodules || x.Submodule == "") {
			files = append(files, f)
		}
	}
	return inspect.New(p.root, files, t.reader(p)), nil
}

// reader reads files of the project, and notes those that it cannot read.
func (t *specTool) reader(p *project) func(string) []byte {
	return func(f string) []byte {
		b, err := readFile(filepath.Join(p.root, filepath.FromSlash(f)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.cannotRead(f, err)
		}
		return b
	}
}

// commit is the project as it was committed; only the files that keep wants can be read.
func (t *specTool) commit(ctx context.Context, p *project, commit string, keep func(path string) bool) (*inspect.Project, error) {
	entries, err := p.repo.ReadTree(ctx, commit)
	if err != nil {
		return nil, err
	}
	return t.entries(ctx, p, entries, keep)
}

// entries is a project whose files are in the object store.
func (t *specTool) entries(ctx context.Context, p *project, entries []git.Entry, keep func(path string) bool) (*inspect.Project, error) {
	ids := map[string]string{}
	var files []string
	for _, e := range entries {
		if e.Mode == "160000" || e.Mode == "120000" {
			continue
		}
		files = append(files, e.Path)
		if keep(e.Path) {
			ids[e.Path] = e.ID
		}
	}
	return inspect.New(p.root, files, func(f string) []byte {
		id, ok := ids[f]
		if !ok {
			return nil
		}
		b, err := p.repo.ReadBlob(ctx, id)
		if err == nil && len(b) > readable {
			b, err = nil, tooLarge(int64(len(b)))
		}
		if err != nil {
			t.cannotRead(f, err)
		}
		return b
	}), nil
}

// staged is the project as the next commit would have it, and the modules in which that
// differs from the last one.
func (t *specTool) staged(ctx context.Context, p *project) (*inspect.Project, map[string]bool, error) {
	if p.noGit {
		return nil, nil, usage("%s is in no git repository, so nothing can be staged: leave --staged out", p.root)
	}
	now, err := p.repo.Index(ctx, t.a.env["GIT_INDEX_FILE"])
	if err != nil {
		return nil, nil, err
	}
	before := map[string]string{}
	head, err := p.repo.Head(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !head.Unborn {
		entries, err := p.repo.ReadTree(ctx, head.Commit)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range entries {
			before[e.Path] = e.ID
		}
	}
	x, err := t.entries(ctx, p, now, func(string) bool { return true })
	if err != nil {
		return nil, nil, err
	}
	var changed []string
	for _, e := range now {
		if before[e.Path] != e.ID {
			changed = append(changed, e.Path)
		}
		delete(before, e.Path)
	}
	changed = slices.AppendSeq(changed, maps.Keys(before))
	touched := map[string]bool{}
	for _, f := range changed {
		if dir, ok := x.Owner(f); ok {
			touched[dir] = true
		}
	}
	return x, touched, nil
}

func tooLarge(size int64) error {
	return fmt.Errorf("it has %s, and files of more than %s are not read: split it, or let git ignore it", report.Size(size), report.Size(readable))
}

// readFile reads a file that is one: no device, and of a size that people write.
func readFile(name string) ([]byte, error) {
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return nil, errors.New("it is a symbolic link that leads back to itself: remove it, or let it lead to a file")
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("it is no file: remove it, or let git ignore it")
	case st.Size() > readable:
		return nil, tooLarge(st.Size())
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil, errors.New("permission denied: give yourself the right to read it")
	}
	return b, err
}

func (t *specTool) cannotRead(file string, err error) {
	if t.unread == nil {
		t.unread = map[string]string{}
	}
	t.unread[file] = err.Error()
}

// unreadable lists the files that could not be read, in a directory and below it.
func (t *specTool) unreadable(dir string) []inspect.Unreadable {
	out := []inspect.Unreadable{}
	for _, f := range slices.Sorted(maps.Keys(t.unread)) {
		if dir == "." || strings.HasPrefix(f, dir+"/") {
			out = append(out, inspect.Unreadable{File: f, Message: "Cannot read file: " + t.unread[f]})
		}
	}
	return out
}

// complain says at the end what could not be read.
func (t *specTool) complain() {
	for _, u := range t.unreadable(".") {
		fmt.Fprintf(t.a.Err, "⚠ %s: %s\n", u.File, u.Message)
	}
}
