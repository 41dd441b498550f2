//go:build unix

package confine

import "golang.org/x/sys/unix"

// FreeAt is how many bytes the user may still write to the file system of a folder. ok is false where that is not known.
func FreeAt(dir string) (n int64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true //nolint:gosec,unconvert // their types differ by system
}
