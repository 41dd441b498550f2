//go:build unix

package cli

import (
	"os"
	"syscall"
)

// ownDir reports whether a directory is one of this user's that nobody else can write to, and no link to another one.
func ownDir(name string) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
