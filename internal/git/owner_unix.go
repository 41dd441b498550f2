//go:build unix

package git

import (
	"os"
	"syscall"
)

// mine reports whether a file belongs to the user who runs this.
func mine(name string) bool {
	info, err := os.Lstat(name)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
