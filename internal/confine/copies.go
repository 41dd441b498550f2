package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// copies does without overlays: each can be read, and has a copy that env leads to where it is to have one. The files of a copy are
// links to those that can only be read: a large cache is there at once, and a tool that wants another file makes it.
func (p *Policy) copies(env []string) ([]string, error) {
	env = slices.Clone(env)
	for _, l := range p.Overlays {
		p.Read = slices.Concat(p.Read, []string{l.Path})
		if !l.Copy || l.Upper == "" {
			continue
		}
		at := filepath.Join(l.Upper, "copy")
		if err := linked(l.Path, at); err != nil {
			return nil, &StepError{"copy " + l.Path, err}
		}
		p.Write = slices.Concat(p.Write, []string{at})
		for i, kv := range env {
			name, value, _ := strings.Cut(kv, "=")
			env[i] = name + "=" + strings.ReplaceAll(value, l.Path, at)
		}
	}
	p.Overlays = nil
	return env, nil
}

// linked makes a copy of a folder unless it is there.
func linked(from, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	made, err := os.MkdirTemp(filepath.Dir(to), "copy-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made) //nolint:errcheck // it is no more where it was made
	if from, err = filepath.EvalSymlinks(from); err != nil {
		return err
	}
	if err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = link(path, made+strings.TrimPrefix(path, from), d)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another command has made or removed it meanwhile
		}
		return err
	}); err != nil {
		return err
	}
	if err := os.Rename(made, to); err != nil {
		if _, there := os.Stat(to); there != nil {
			return err
		}
	}
	return nil
}

func link(from, to string, d fs.DirEntry) error {
	switch {
	case d.IsDir():
		return os.MkdirAll(to, 0o755)
	case d.Type()&fs.ModeSymlink == 0:
		return os.Symlink(from, to)
	}
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return os.Symlink(target, to)
}
