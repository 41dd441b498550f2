package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The kinds of objects.
const (
	kindBlob   = "blob"
	kindTree   = "tree"
	kindCommit = "commit"
)

// store reads and writes the objects of a repository without a process for each: loose
// objects are files, and what is packed or borrowed is asked of one git that lives as
// long as it is used. A step of the engine would otherwise start dozens of processes.
// The formats are those of git's documentation ("gitformat-pack", "git-cat-file").
type store struct {
	dir    string // the objects folder
	size   int    // bytes of an id
	reader talk   // objects
	refs   talk   // changes of refs

	mu    sync.Mutex
	trees map[string][]node // parsed trees; they never change
	held  int               // entries in trees
}

// maxHeld is how many entries of trees are remembered, about 200 bytes each.
const maxHeld = 1 << 20

// get gives an object to use: its kind, its size and its bytes, which are valid during
// the call only. The error is ErrMissing when there is no such object.
func (r *Repo) get(ctx context.Context, id string, use func(kind string, size int64, body io.Reader) error) error {
	if err := r.checkID(id); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	f, err := os.Open(r.store.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return r.ask(id, use) //nolint:contextcheck // it serves many callers, so that none of their contexts ends it
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := loose(f, use); err != nil {
		return fmt.Errorf("object %s: %w", id, err)
	}
	return nil
}

func (s *store) path(id string) string { return filepath.Join(s.dir, id[:2], id[2:]) }

var inflaters sync.Pool

// loose reads the file of one object: deflated "kind size NUL bytes".
func loose(f io.Reader, use func(string, int64, io.Reader) error) error {
	src := bufio.NewReader(f)
	z, _ := inflaters.Get().(io.ReadCloser)
	var err error
	if z == nil {
		z, err = zlib.NewReader(src)
	} else {
		err = z.(zlib.Resetter).Reset(src, nil) //nolint:forcetypeassert // all of the pool are
	}
	if err != nil {
		return err
	}
	defer inflaters.Put(z)
	in := bufio.NewReader(z)
	head, err := in.ReadString(0)
	if err != nil {
		return err
	}
	kind, size, ok := strings.Cut(strings.TrimSuffix(head, "\x00"), " ")
	n, err := strconv.ParseInt(size, 10, 64)
	if !ok || err != nil || n < 0 {
		return fmt.Errorf("damaged heading %q", head)
	}
	return use(kind, n, io.LimitReader(in, n))
}

// read returns the bytes of an object of one kind.
func (r *Repo) read(ctx context.Context, kind, id string) ([]byte, error) {
	var b []byte
	err := r.get(ctx, id, func(k string, size int64, body io.Reader) error {
		if k != kind {
			return fmt.Errorf("%s is a %s, not a %s: %w", id, k, kind, ErrMissing)
		}
		b = make([]byte, size)
		_, err := io.ReadFull(body, b)
		return err
	})
	return b, err
}

// deflaters compress as git does loose objects; the level is a valid one.
var deflaters = sync.Pool{New: func() any {
	w, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed)
	return w
}}

// put stores an object and returns its id once it is on the disk. An object that is
// there already gets a new time, so that no clean-up takes it for an old leftover.
func (r *Repo) put(kind string, b []byte) (string, error) {
	h := r.hasher(kind, int64(len(b)))
	_, _ = h.Write(b)
	id := hex.EncodeToString(h.Sum(nil))
	if r.store.freshen(id) {
		return id, nil
	}
	return r.putFrom(kind, bytes.NewReader(b), int64(len(b)))
}

// putFrom stores the size bytes that src gives.
func (r *Repo) putFrom(kind string, src io.Reader, size int64) (string, error) {
	f, err := os.CreateTemp(r.store.dir, "tmp_obj_*") // git's clean-up knows this name
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone when all went well
	h := r.hasher(kind, size)
	z := deflaters.Get().(*zlib.Writer) //nolint:forcetypeassert // all of the pool are
	defer deflaters.Put(z)
	z.Reset(f)
	_, err = fmt.Fprintf(z, "%s %d\x00", kind, size)
	if err == nil {
		var n int64
		if n, err = io.Copy(io.MultiWriter(h, z), src); err == nil && n != size {
			err = errChanged
		}
	}
	if err == nil {
		err = z.Close()
	}
	if err == nil {
		err = f.Chmod(0o444)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	id := hex.EncodeToString(h.Sum(nil))
	return id, r.store.place(f.Name(), id)
}

var errChanged = errors.New("file changed while it was read")

// place moves a complete object to where it is looked for. A folder that is made here
// gets the permissions of the others, which several users may share.
func (s *store) place(temp, id string) error {
	full := s.path(id)
	err := os.Rename(temp, full)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(full)
	if err = os.Mkdir(dir, 0o777); err == nil {
		if info, statErr := os.Stat(s.dir); statErr == nil {
			err = os.Chmod(dir, info.Mode().Perm()|info.Mode()&fs.ModeSetgid)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(temp, full)
}

func (s *store) freshen(id string) bool {
	now := time.Now() //nolint:forbidigo // the time of a file, which git's clean-up compares with the real one
	return os.Chtimes(s.path(id), now, now) == nil
}

// has reports whether an object is there.
func (r *Repo) has(ctx context.Context, id string) (bool, error) {
	if _, err := os.Lstat(r.store.path(id)); err == nil {
		return true, nil
	}
	err := r.get(ctx, id, func(string, int64, io.Reader) error { return nil })
	if errors.Is(err, ErrMissing) {
		return false, nil
	}
	return err == nil, err
}
