package git

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's format, not a safeguard
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The modes of entries in a tree.
const (
	modeFile   = "100644"
	modeExec   = "100755"
	modeLink   = "120000"
	modeModule = "160000"
)

// now is a file as it is in the work tree.
type now struct{ id, mode string }

// present computes ids of files in the work tree as git would store them, its filters
// included; of what cannot be read, because we may not or it is a pipe or a device, the id is empty. Files that are not there, and
// directories, are left out.
func (r *Repo) present(ctx context.Context, paths []string) (map[string]now, error) {
	found := make(map[string]now, len(paths))
	var ask []string
	for _, p := range paths {
		full := filepath.Join(r.Root(), filepath.FromSlash(p))
		info, err := os.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist) || isNotDir(err):
		case err != nil:
			return nil, err
		case info.Mode().IsRegular():
			found[p] = now{mode: fileMode(info)}
			ask = append(ask, p)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(full)
			if err != nil {
				return nil, err
			}
			found[p] = now{id: r.hash([]byte(filepath.ToSlash(target))), mode: modeLink}
		case !info.IsDir():
			found[p] = now{mode: modeFile}
		}
	}
	ids, err := r.hashFiles(ctx, ask)
	if errors.Is(err, fs.ErrPermission) { // of one of them
		ask = slices.DeleteFunc(ask, func(p string) bool { return !mayRead(filepath.Join(r.Root(), filepath.FromSlash(p))) })
		ids, err = r.hashFiles(ctx, ask)
	}
	if err != nil {
		return nil, err
	}
	for i, p := range ask {
		found[p] = now{id: ids[i], mode: found[p].mode}
	}
	return found, nil
}

func mayRead(name string) bool {
	f, err := os.Open(name)
	if err == nil {
		_ = f.Close()
	}
	return !errors.Is(err, fs.ErrPermission)
}

// hashFiles asks git for the ids of regular files, in order.
func (r *Repo) hashFiles(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, p := range paths {
		in.WriteString(quote(r.prefix+p) + "\n")
	}
	out, err := r.in(ctx, call{args: []string{"hash-object", "--stdin-paths"}, in: strings.NewReader(in.String())})
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(out))
	if len(ids) != len(paths) {
		return nil, fmt.Errorf("git hash-object: %d ids for %d files", len(ids), len(paths))
	}
	return ids, nil
}

func isNotDir(err error) bool {
	pe, ok := errors.AsType[*fs.PathError](err)
	return ok && strings.Contains(pe.Err.Error(), "not a directory")
}

func fileMode(info fs.FileInfo) string {
	if info.Mode()&0o100 != 0 {
		return modeExec
	}
	return modeFile
}

// hash is the id of a blob with these bytes.
func (r *Repo) hash(b []byte) string {
	h := r.hasher(kindBlob, int64(len(b)))
	_, _ = h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// hashFrom is the id of a blob with the size bytes that src gives.
func (r *Repo) hashFrom(src io.Reader, size int64) (string, error) {
	h := r.hasher(kindBlob, size)
	n, err := io.Copy(h, src)
	if err == nil && n != size {
		err = errChanged
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

func (r *Repo) hasher(kind string, size int64) hash.Hash {
	h := r.newHash()
	fmt.Fprintf(h, "%s %d\x00", kind, size)
	return h
}

// newHash is what the repository's ids are made with.
func (r *Repo) newHash() hash.Hash {
	if r.store.size == sha256.Size {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's format, not a safeguard
}

// isAnswer reports whether err is an exit code that the caller allowed.
func isAnswer(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.answer
}
