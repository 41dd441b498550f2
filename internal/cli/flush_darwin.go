package cli

import "golang.org/x/sys/unix"

// flushInput forgets what was typed at a terminal and not read yet.
func flushInput(fd int) {
	const read = 1 // FREAD of sys/fcntl.h
	_ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}
