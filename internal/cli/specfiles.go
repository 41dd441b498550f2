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
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

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
	files, err := p.repo.Files(ctx, submodules)
	if err != nil {
		return nil, err
	}
	return p.keeping(inspect.New(p.root, files, t.reader(p)).Library(act.GoLibrary(t.a.toolEnv()))), nil
}

// reader reads files of the project, and notes those that it cannot read.
func (t *specTool) reader(p *project) func(string) []byte {
	return func(f string) []byte {
		b, err := p.file(f)
		return t.taken(f, b, err)
	}
}

// entries is a project whose files are in the object store; only those that keep wants can be read.
func (t *specTool) entries(ctx context.Context, p *project, entries []git.Entry, keep func(path string) bool) *inspect.Project {
	ids := map[string]string{}
	var files []string
	for _, e := range entries {
		if e.Mode == "160000" {
			continue
		}
		files = append(files, e.Path)
		if keep(e.Path) && e.Mode != "120000" {
			ids[e.Path] = e.ID
		}
	}
	return inspect.New(p.root, files, func(f string) []byte {
		id, ok := ids[f]
		if !ok {
			return nil
		}
		b, err := p.repo.ReadBlob(ctx, id)
		if b == nil && err == nil {
			b = []byte{}
		}
		return t.taken(f, b, err)
	}).Library(act.GoLibrary(t.a.toolEnv()))
}

// staged is the project as the next commit would have it, and the modules in which that
// differs from the last one.
func (t *specTool) staged(ctx context.Context, p *project) (*inspect.Project, map[string]bool, error) {
	if p.noGit {
		return nil, nil, usage("%s is not in a git repository, so nothing can be staged: leave --staged out", p.root)
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
	x := t.entries(ctx, p, now, func(string) bool { return true })
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

// taken is what was read of a file; nil when it cannot be used, which is noted unless the file is not there.
func (t *specTool) taken(file string, b []byte, err error) []byte {
	if err == nil && len(b) > act.Readable {
		err = act.TooLarge(int64(len(b)))
	}
	if err == nil && strings.HasSuffix(file, ".md") && !spec.IsText(b) {
		d, _ := spec.Parse(file, b)
		err = d.Legible(b)
	}
	if err == nil {
		return b
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.cannotRead(file, err)
	}
	return nil
}

// file reads a file of the project as the spec tools do.
func (p *project) file(name string) ([]byte, error) {
	return act.ReadFile(filepath.Join(p.root, filepath.FromSlash(name)), p.root, act.Readable)
}

func (t *specTool) cannotRead(file string, err error) {
	if t.unread == nil {
		t.unread = map[string]error{}
	}
	t.unread[file] = err
}

// unusable is the finding that a file which was named cannot be read, nil when it can.
func (t *specTool) unusable(p *project, name string) error {
	why := t.unread[name]
	if why == nil {
		if _, why = p.file(name); why == nil || errors.Is(why, fs.ErrNotExist) {
			return nil
		}
	}
	delete(t.unread, name) // it is said here
	return exit(exitNotVerified, "Cannot read file '%s': %v", name, why)
}

// unreadable lists the files that could not be read, in a directory and below it.
func (t *specTool) unreadable(dir string) []inspect.Unreadable {
	out := []inspect.Unreadable{}
	for _, f := range slices.Sorted(maps.Keys(t.unread)) {
		if dir == "." || strings.HasPrefix(f, dir+"/") {
			out = append(out, inspect.Unreadable{File: f, Message: "Cannot read file: " + t.unread[f].Error()})
		}
	}
	return out
}

// read reads a file of the project that was named: without one it is wrong usage, with one
// that cannot be read or is no text it is a finding.
func (p *project) read(name string) ([]byte, error) {
	src, err := p.file(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("Cannot read file '%s': there is none", name)
	case err != nil:
		return nil, exit(exitNotVerified, "Cannot read file '%s': %v", name, err)
	case !utf8.Valid(src):
		return nil, exit(exitNotVerified, "Cannot read file '%s': the file is not UTF-8: save it as UTF-8 text", name)
	}
	return src, nil
}

// strange says why a file that was named is none of the project's.
func (p *project) strange(name string) error {
	if _, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(name))); err != nil {
		return words("there is none")
	}
	return words("it is not part of project %s, because git ignores it or it belongs to another repository: remove the ignore rule, or name its project with --root", p.root)
}

// explain says in a validation why files could not be read: in the module that has one, or
// in a list of their own.
func (t *specTool) explain(v *inspect.Validation, dir string) {
	said := map[string]bool{}
	for i := range v.Modules {
		for k := range v.Modules[i].Issues {
			if d := &v.Modules[i].Issues[k]; d.Type == "UNREADABLE" && t.unread[d.File] != nil {
				d.Message += ": " + t.unread[d.File].Error()
				said[d.File] = true
			}
		}
	}
	for _, u := range t.unreadable(dir) {
		if !said[u.File] {
			v.Unreadable = append(v.Unreadable, u)
		}
	}
}

// complain says at the end what could not be read.
func (t *specTool) complain() {
	for _, u := range t.unreadable(".") {
		fmt.Fprintf(t.a.Err, "⚠ %s: %s\n", u.File, t.a.lang().Finding(u.Message))
	}
}
