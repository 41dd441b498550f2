package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jacquard-build/jacquard/internal/blob"
	"github.com/jacquard-build/jacquard/internal/flow"
)

const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

func open(t *testing.T) (*blob.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blobs")
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// files lists everything under dir that is not a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPutAndRead(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	for range 2 { // twice is the same as once
		ref, err := s.Put([]byte("abc"), "text/plain")
		if want := (flow.Blob{SHA256: abc, Size: 3, Type: "text/plain"}); err != nil || ref != want {
			t.Fatalf("Put = %+v, %v, want %+v", ref, err, want)
		}
	}
	ref := flow.Blob{SHA256: abc, Size: 3}
	if b, err := s.Get(ref); err != nil || string(b) != "abc" {
		t.Errorf("Get = %q, %v", b, err)
	}
	if got, want := fmt.Sprint(files(t, dir)), "["+abc[:2]+"/"+abc[2:]+"]"; got != want {
		t.Errorf("files = %v, want %v", got, want)
	}
	empty, err := s.Put(nil, "")
	if b, rerr := s.Get(empty); err != nil || rerr != nil || len(b) != 0 {
		t.Errorf("empty blob = %q, %v, %v", b, err, rerr)
	}
}

func TestMissingAndInvalid(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(flow.Blob{SHA256: abc, Size: 3}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get of a missing blob = %v", err)
	}
	for _, name := range []string{"", "../secret", "..", abc[:62], abc + "00", "BA" + abc[2:], "/" + abc[1:]} {
		ref := flow.Blob{SHA256: name, Size: 1}
		if _, err := s.Get(ref); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("Get(%q) = %v, want invalid", name, err)
		}
	}
}

func TestDamageIsSeen(t *testing.T) {
	t.Parallel()
	for name, bytes := range map[string]string{"changed": "abd", "cut": "ab", "longer": "abcd", "empty": ""} {
		s, dir := open(t)
		ref, err := s.Put([]byte("abc"), "")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, abc[:2], abc[2:])
		if err := os.WriteFile(path, []byte(bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		if b, err := s.Get(ref); !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("%s: Get = %q, %v, want damaged", name, b, err)
		}
		// Storing it again repairs it.
		if _, err := s.Put([]byte("abc"), ""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(flow.Blob{SHA256: abc, Size: 2}); !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("%s: Get with another size = %v, want damaged", name, err)
		}
		if b, err := s.Get(ref); err != nil || string(b) != "abc" {
			t.Errorf("%s: after repair Get = %q, %v", name, b, err)
		}
	}
}

func TestConcurrentPuts(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			body := bytes.Repeat([]byte{byte(i % 4)}, 100_000)
			ref, err := s.Put(body, "")
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := s.Get(ref); err != nil || !bytes.Equal(got, body) {
				t.Errorf("blob %d: %d bytes, %v", i, len(got), err)
			}
		})
	}
	wg.Wait()
	if got := len(files(t, dir)); got != 4 {
		t.Errorf("%d files, want 4", got)
	}
}
