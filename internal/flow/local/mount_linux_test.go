package local_test

import (
	"syscall"
	"testing"
)

// mountSmall mounts a file system of 4 MB, if this process may.
func mountSmall(t *testing.T, dir string) bool {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		return false
	}
	t.Cleanup(func() {
		// A process that another test starts at this moment may still hold what it has inherited.
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return true
}
