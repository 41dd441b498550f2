package check

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Installed dependencies are thousands of small files, and each proof needs them; copying them took longer than most tests
// run. So a check tree gets directories of its own whose files are hard links to those in the cache. What keeps a check
// from changing them for the next one:
//
//   - The files in the cache are read-only, so writing through a link fails, and replacing or adding a file happens in the
//     check tree's own directory.
//   - A process with rights beyond that, or one that takes the protection away, is noticed: sizes, times and modes of all
//     files are kept when they are sealed and compared before each use; an entry that differs is installed anew.
//   - Authors and the project's own setup commands get real copies, because they may have reasons to write.
//
// On Windows taking the protection from one link takes it from all, so files are copied there.

// mayLink reports whether check trees may share files with the cache.
func (c *Checker) mayLink() bool { return runtime.GOOS != "windows" && len(c.o.Setup) == 0 }

// seal makes the files of an installation read-only and notes their state, or, when that was done before, reports whether
// they are still in it.
func (d prepared) seal() (sound bool, err error) {
	note := filepath.Join(d.dir, "sealed")
	want, err := os.ReadFile(note)
	if err == nil {
		have, err := d.state(false)
		return bytes.Equal(have, want), err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("%w: %w", ErrSetup, err)
	}
	have, err := d.state(true)
	if err != nil {
		return false, err
	}
	if err := WriteWhole(note, have); err != nil {
		return false, fmt.Errorf("%w: %w", ErrSetup, err)
	}
	return true, nil
}

// WriteWhole writes a file that others read at the same time: they see all of it or what was there before.
func WriteWhole(name string, b []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), "writing-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// state lists all files that check trees get with size, time and mode.
func (d prepared) state(protect bool) ([]byte, error) {
	tops := make([]string, 0, 1+len(d.copies))
	if d.env {
		tops = append(tops, filepath.Join(d.dir, "venv"))
	}
	tops = append(tops, each(d.copies, func(c string) string { return filepath.Join(d.dir, "tree", filepath.FromSlash(c)) })...)
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	for _, top := range tops {
		err := filepath.WalkDir(top, func(p string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			mode := info.Mode()
			if protect && mode.IsRegular() && mode&0o222 != 0 {
				mode &^= 0o222
				if err := os.Chmod(p, mode.Perm()); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(w, "%s %d %d %o\n", strings.TrimPrefix(p, d.dir), info.Size(), info.ModTime().UnixNano(), mode)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSetup, err)
		}
	}
	err := w.Flush()
	return out.Bytes(), err
}
