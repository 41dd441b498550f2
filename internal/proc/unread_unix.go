//go:build unix

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// Unread reports whether nobody can read any more what is written to a file, because the other end of its pipe is closed.
func Unread(f *os.File) bool {
	ends := []unix.PollFd{{Fd: int32(f.Fd())}} //nolint:gosec // a file descriptor
	n, err := unix.Poll(ends, 0)
	return err == nil && n > 0 && ends[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
