package blob_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/jacquard-build/jacquard/internal/blob"
)

// TestFullDisk needs the right to mount a file system of its own.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		// A process that another test starts at this moment may still hold what it has inherited.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s, err := blob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	small, err := s.Put([]byte("small"), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(make([]byte, 1<<20), ""); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Put on a full disk = %v, want %v", err, syscall.ENOSPC)
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("files = %v, want the small one", got)
	}
	if b, err := s.Get(small); err != nil || string(b) != "small" {
		t.Errorf("Get = %q, %v", b, err)
	}
	if _, err := s.Put(make([]byte, 1<<10), ""); err != nil {
		t.Errorf("Put after there is space again = %v", err)
	}
}
