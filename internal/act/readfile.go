package act

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Readable is the size in bytes up to which documents are read. Specs are far smaller; what is larger was made by a program.
const Readable = 8_000_000

// ReadFile reads a file that is one: no device and no pipe, of at most so many bytes, and not by a symbolic link that leads out of
// root ("" is no bound). Any other is a *spec.Unreadable; one that is not there is fs.ErrNotExist.
func ReadFile(name, root string, most int64) ([]byte, error) {
	st, err := os.Lstat(name)
	if err == nil && st.Mode()&fs.ModeSymlink != 0 {
		if err := leads(name, root); err != nil {
			return nil, err
		}
		st, err = os.Stat(name)
	}
	switch {
	case err != nil:
		return nil, denied(err)
	case st.IsDir():
		return nil, &spec.Unreadable{Why: "it is a directory", Hint: "name a file in it, or let git ignore it"}
	case !st.Mode().IsRegular():
		return nil, &spec.Unreadable{Why: "it is not a file", Hint: "remove it, or let git ignore it"}
	case st.Size() > most:
		return nil, TooLarge(st.Size())
	}
	b, err := os.ReadFile(name)
	return b, denied(err)
}

// TooLarge says of a document that it has more than Readable bytes.
func TooLarge(size int64) error {
	return &spec.Unreadable{
		Why:  fmt.Sprintf("it has %.1f MB, and files over %.1f MB are not read", float64(size)/1e6, Readable/1e6),
		Hint: "split it, or let git ignore it",
	}
}

// leads refuses a symbolic link that leads nowhere, to itself, or out of root.
func leads(name, root string) error {
	const hint = "remove it, or point it to a file"
	if _, err := os.Stat(name); errors.Is(err, syscall.ELOOP) {
		return &spec.Unreadable{Why: "it is a symbolic link that points back to itself", Hint: hint}
	}
	to, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		to, _ = os.Readlink(name)
		return &spec.Unreadable{Why: "it is a symbolic link to " + to + ", which does not exist", Hint: hint}
	}
	if err != nil {
		return denied(err)
	}
	if root == "" {
		return nil
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return denied(err)
	}
	if rel, err := filepath.Rel(root, to); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return &spec.Unreadable{Why: "it is a symbolic link that points outside the project", Hint: "remove it, or put the file itself here"}
	}
	return nil
}

// denied says what to do about a file that is there and that we may not read.
func denied(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &spec.Unreadable{Why: "permission denied", Hint: "make it readable for you"}
	}
	return err
}

// document reads a file of the working tree: of documents no more than anybody wrote, and never what is no file.
func (a *Actor) document(p string) ([]byte, error) {
	root, most := a.o.Repo.Root(), int64(math.MaxInt64)
	if strings.HasSuffix(p, ".md") {
		most = Readable
	}
	return ReadFile(filepath.Join(root, filepath.FromSlash(p)), root, most)
}

func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// remove deletes a folder and says how much it held. Module caches are
// read-only, so permissions are given back first.
func remove(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is removed all the same
		}
		if d.IsDir() {
			return os.Chmod(p, 0o755)
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		return n, err
	}
	return n, os.RemoveAll(dir)
}
