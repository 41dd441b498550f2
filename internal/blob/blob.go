// Package blob keeps bytes by their SHA-256 in a directory.
//
// A blob is complete and durable once Put has returned, whatever happens to the
// process or the machine afterwards; it never changes, and storing it twice is the
// same as storing it once. Several processes may use one directory.
package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// ErrDamaged says that stored bytes are not the ones their name promises.
var ErrDamaged = errors.New("blob is damaged")

// Store is a directory of blobs; it is a flow.Blobs.
type Store struct{ dir string }

// Open returns the store in dir and makes the directory when there is none.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o700); err != nil {
		return nil, fmt.Errorf("open blob store: %w", err)
	}
	return &Store{dir: dir}, nil
}

// Put stores data, which is of a media type. Without space or permission the error is the system's (for example syscall.ENOSPC, syscall.EROFS)
// and nothing is left behind.
func (s *Store) Put(data []byte, typ string) (flow.Blob, error) {
	ref := flow.Blob{SHA256: sum(data), Size: int64(len(data)), Type: typ}
	if err := s.put(ref, data); err != nil {
		return flow.Blob{}, fmt.Errorf("store blob: %w", err)
	}
	return ref, nil
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

func (s *Store) put(ref flow.Blob, data []byte) (err error) {
	path, err := s.path(ref)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Join(s.dir, "tmp"), "put-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(data); err != nil {
		return err
	}
	// The data has to be on the disk before the name is: a name without its data
	// would be a damaged blob after a power failure.
	if err = tmp.Sync(); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	if err := s.shelf(filepath.Dir(path)); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
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

// Get returns the bytes of the blob after it has verified them. The error is
// ErrDamaged when they are not those of ref, fs.ErrNotExist when there are none.
func (s *Store) Get(ref flow.Blob) ([]byte, error) {
	path, err := s.path(ref)
	if err != nil {
		return nil, fmt.Errorf("read blob: %w", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read blob: %w", err)
	}
	if int64(len(data)) != ref.Size || sum(data) != ref.SHA256 {
		return nil, fmt.Errorf("read blob: %s: %w", ref.SHA256, ErrDamaged)
	}
	return data, nil
}

// path checks ref, which may come from a file that anybody can edit.
func (s *Store) path(ref flow.Blob) (string, error) {
	raw, err := hex.DecodeString(ref.SHA256)
	if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != ref.SHA256 {
		return "", fmt.Errorf("%q is not a SHA-256: %w", ref.SHA256, fs.ErrInvalid)
	}
	return filepath.Join(s.dir, ref.SHA256[:2], ref.SHA256[2:]), nil
}

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
