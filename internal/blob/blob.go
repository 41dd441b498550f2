// Package blob keeps bytes by their SHA-256 in a directory.
//
// A blob is complete and durable once Put has returned, whatever happens to the
// process or the machine afterwards; it never changes, and storing it twice is the
// same as storing it once. Several processes may use one directory.
package blob

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// ErrDamaged says that stored bytes are not the ones their name promises.
var ErrDamaged = errors.New("blob is damaged")

// Ref names a blob.
type Ref struct {
	// SHA256 is the hash of the bytes as 64 lower-case hexadecimal digits.
	SHA256 string `json:"sha256"`
	// Size is the number of bytes.
	Size int64 `json:"size"`
	// Type is what the bytes are, as a media type.
	Type string `json:"type"`
}

// Store is a directory of blobs.
type Store struct{ dir string }

// Open returns the store in dir and makes the directory when there is none.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o700); err != nil {
		return nil, fmt.Errorf("open blob store: %w", err)
	}
	return &Store{dir: dir}, nil
}

// Put stores b. Without space or permission the error is the system's (for example
// syscall.ENOSPC, syscall.EROFS) and nothing is left behind.
func (s *Store) Put(b []byte, mediaType string) (Ref, error) {
	return s.PutFrom(bytes.NewReader(b), mediaType)
}

// PutFrom stores everything that r gives; it does not hold it in memory. Errors are
// those of Put, or the reader's.
func (s *Store) PutFrom(r io.Reader, mediaType string) (Ref, error) {
	ref, err := s.put(r)
	if err != nil {
		return Ref{}, fmt.Errorf("store blob: %w", err)
	}
	ref.Type = mediaType
	return ref, nil
}

func (s *Store) put(r io.Reader) (ref Ref, err error) {
	tmp, err := os.CreateTemp(filepath.Join(s.dir, "tmp"), "put-*")
	if err != nil {
		return Ref{}, err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	h := sha256.New()
	ref.Size, err = io.Copy(io.MultiWriter(tmp, h), r)
	if err != nil {
		return Ref{}, err
	}
	ref.SHA256 = hex.EncodeToString(h.Sum(nil))
	// The data has to be on the disk before the name is: a name without its data
	// would be a damaged blob after a power failure.
	if err = tmp.Sync(); err != nil {
		return Ref{}, err
	}
	if err = tmp.Close(); err != nil {
		return Ref{}, err
	}
	path, err := s.path(ref)
	if err != nil {
		return Ref{}, err
	}
	if err := s.shelf(filepath.Dir(path)); err != nil {
		return Ref{}, err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return Ref{}, err
	}
	return ref, syncDir(filepath.Dir(path))
}

// shelf makes the directory of the first two digits durable.
func (s *Store) shelf(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(s.dir)
}

// Has reports whether the blob is there with its size. It does not read it.
func (s *Store) Has(ref Ref) bool {
	path, err := s.path(ref)
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == ref.Size
}

// Open returns a reader of the blob. Instead of io.EOF it ends with ErrDamaged when
// the bytes were not those of ref. A blob that is not there is fs.ErrNotExist.
func (s *Store) Open(ref Ref) (io.ReadCloser, error) {
	path, err := s.path(ref)
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	return &reader{f: f, ref: ref, hash: sha256.New()}, nil
}

// Read returns the bytes of the blob after it has verified them. The error is
// ErrDamaged when they are not those of ref, fs.ErrNotExist when there are none.
func (s *Store) Read(ref Ref) ([]byte, error) {
	r, err := s.Open(ref)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read blob: %w", err)
	}
	return b, nil
}

// path checks ref, which may come from a file that anybody can edit.
func (s *Store) path(ref Ref) (string, error) {
	raw, err := hex.DecodeString(ref.SHA256)
	if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != ref.SHA256 {
		return "", fmt.Errorf("%q is not a SHA-256: %w", ref.SHA256, fs.ErrInvalid)
	}
	return filepath.Join(s.dir, ref.SHA256[:2], ref.SHA256[2:]), nil
}

// reader verifies what it has given when it comes to the end.
type reader struct {
	f    *os.File
	ref  Ref
	hash hash.Hash
	size int64
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.f.Read(p)
	r.size += int64(n)
	_, _ = r.hash.Write(p[:n])
	if err == io.EOF && (r.size != r.ref.Size || hex.EncodeToString(r.hash.Sum(nil)) != r.ref.SHA256) { //nolint:errorlint // a file gives io.EOF itself
		err = fmt.Errorf("%s: %w", r.ref.SHA256, ErrDamaged)
	}
	return n, err
}

func (r *reader) Close() error { return r.f.Close() }

// syncDir makes the names in dir durable. Windows has no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
