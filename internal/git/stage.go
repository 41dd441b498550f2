package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// stage writes the new files under temporary names, next to where they will be.
func (a *apply) stage(ctx context.Context) error {
	a.temps = make([]string, len(a.files))
	var ids []string
	for i, f := range a.files {
		if a.results[i].State == "" && f.New != "" {
			ids = append(ids, f.New)
		}
	}
	blobs, err := a.r.ReadBlobs(ctx, ids)
	if err != nil {
		return err
	}
	for i, f := range a.files {
		if a.results[i].State != "" {
			continue
		}
		dir, err := a.nearest(f.Path)
		if err != nil {
			return err
		}
		a.temps[i] = path.Join(dir, tempName(f.Path))
		if err = a.root.Remove(a.temps[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		switch {
		case f.New == "": // only whether names in this directory may change
			err = errors.Join(a.write(a.temps[i], nil, modeFile, seen{}), a.root.Remove(a.temps[i]))
			a.temps[i] = ""
		case f.Mode == modeLink:
			target := string(blobs[f.New])
			if leaves(map[string]string{f.Path: target}, f.Path) {
				return fmt.Errorf("%q: the link leaves the project: %w", f.Path, ErrPath)
			}
			err = a.root.Symlink(filepath.FromSlash(target), a.temps[i])
		default:
			err = a.write(a.temps[i], blobs[f.New], f.Mode, a.seen[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tempName depends on the path alone, so that a repetition replaces what a crash left.
func tempName(p string) string {
	sum := sha256.Sum256([]byte(p))
	return tempPrefix + hex.EncodeToString(sum[:8])
}

const tempPrefix = ".jacquard-"

func isTemp(p string) bool {
	rest, ok := strings.CutPrefix(path.Base(p), tempPrefix)
	return ok && len(rest) == 16 && strings.Trim(rest, "0123456789abcdef") == ""
}

// nearest is the closest directory above p that exists.
func (a *apply) nearest(p string) (string, error) {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		info, err := a.root.Lstat(dir)
		if err == nil && info.IsDir() {
			return dir, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			return "", err
		}
	}
	return ".", nil
}

func (a *apply) write(name string, b []byte, mode string, old seen) error {
	perm := fs.FileMode(0o666) // what remains of it is the user's umask
	if mode == modeExec {
		perm = 0o777
	}
	f, err := a.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	if old.kind == "file" {
		perm = old.perm &^ 0o111
		if mode == modeExec {
			perm |= perm & 0o444 >> 2
		}
		err = f.Chmod(perm)
	}
	if err == nil {
		_, err = f.Write(b)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// again looks once more, as close to the renames as can be.
func (a *apply) again() error {
	for i, f := range a.files {
		if a.results[i].State != "" {
			continue
		}
		s, err := a.look(f.Path)
		if err != nil {
			return err
		}
		if s.kind != a.seen[i].kind || s.id != a.seen[i].id || s.mode != a.seen[i].mode {
			a.results[i].State, a.results[i].Reason = Conflicting, f.Path+" was changed meanwhile"
		}
	}
	return nil
}

// commit makes the change visible: removals, then renames, then the disk.
func (a *apply) commit() error {
	dirs := map[string]bool{}
	for i, f := range a.files {
		if a.results[i].State != "" || f.New != "" {
			continue
		}
		if err := a.root.Remove(f.Path); err != nil {
			return err
		}
		a.results[i].State = Deleted
		dir := path.Dir(f.Path)
		for dir != "." && a.root.Remove(dir) == nil { // only what is empty goes
			dir = path.Dir(dir)
		}
		dirs[dir] = true
	}
	for i, f := range a.files {
		if a.results[i].State != "" {
			continue
		}
		dir := path.Dir(f.Path)
		if err := a.root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := a.root.Rename(a.temps[i], f.Path); err != nil {
			return err
		}
		a.temps[i] = ""
		a.results[i].State = Written
		for ; !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		if err := a.sync(dir); err != nil {
			return err
		}
	}
	return nil
}

func (a *apply) sync(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := a.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// clean removes temporary files that did not get their place.
func (a *apply) clean() {
	for _, t := range a.temps {
		if t != "" {
			_ = a.root.Remove(t)
		}
	}
}
