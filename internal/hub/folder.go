package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// folder keeps objects in a folder that machines share. It has to be there: a share that is not mounted is not made anew.
type folder string

func newFolder(dir string) (*objects, error) {
	if runtime.GOOS == "windows" {
		dir = strings.TrimPrefix(dir, "/")
	}
	dir = filepath.FromSlash(dir)
	if !filepath.IsAbs(dir) {
		return nil, flow.Failf(flow.Environment, "hub file://%s: must be an absolute path, file:///FOLDER", dir)
	}
	d := folder(dir)
	return &objects{list: d.list, get: d.get, put: d.put, drop: d.drop}, nil
}

// in does something in the folder; nothing in it leads out of it.
func (d folder) in(do func(*os.Root) error) error {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return d.trouble(err)
		}
		return flow.Failf(flow.Environment, "the hub cannot be reached: %v. It must be a folder, for example on a mounted file system", err)
	}
	defer func() { _ = root.Close() }()
	return do(root)
}

func (d folder) trouble(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return flow.Failf(flow.Auth, "the hub refuses: %v. Every worker needs read and write access to %s", err, string(d))
	}
	return flow.Failf(flow.Environment, "the hub in the folder %s: %v", string(d), err)
}

func (d folder) list(_ context.Context, dir string) ([]string, error) {
	var names []string
	err := d.in(func(r *os.Root) error {
		list, err := fs.ReadDir(r.FS(), dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return d.trouble(err)
		}
		for _, e := range list {
			if !strings.HasPrefix(e.Name(), ".") { // on their way
				names = append(names, e.Name())
			}
		}
		return nil
	})
	return names, err
}

func (d folder) get(_ context.Context, name string, w io.Writer) error {
	return d.in(func(r *os.Root) error {
		f, err := r.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return errNone
		}
		if err != nil {
			return d.trouble(err)
		}
		defer func() { _ = f.Close() }()
		if info, err := f.Stat(); err == nil && info.Size() > maxBundle {
			return errTooLarge
		}
		if _, err := io.Copy(w, f); errors.Is(err, errTooLarge) {
			return err
		} else if err != nil {
			return d.trouble(err)
		}
		return nil
	})
}

// put writes beside the name and links, which fails where the name is taken; a rename would not.
func (d folder) put(_ context.Context, name string, body *os.File) error {
	return d.in(func(r *os.Root) error {
		dir, base := path.Split(name)
		temp := dir + "." + base + "-" + rand.Text()
		err := r.MkdirAll(path.Clean(dir), 0o777)
		if err == nil {
			err = copyTo(r, temp, body)
			defer func() { _ = r.Remove(temp) }()
		}
		if err == nil {
			err = r.Link(temp, name)
		}
		if errors.Is(err, fs.ErrExist) {
			return errExists
		}
		if err == nil && runtime.GOOS != "windows" {
			err = syncFolder(r, path.Clean(dir))
		}
		if err != nil {
			return d.trouble(err)
		}
		return nil
	})
}

func copyTo(r *os.Root, name string, body *os.File) error {
	f, err := r.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if _, err = body.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(f, body)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncFolder(r *os.Root, dir string) error {
	f, err := r.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d folder) drop(_ context.Context, name string) error {
	return d.in(func(r *os.Root) error {
		if err := r.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return d.trouble(err)
		}
		return nil
	})
}
