package cli

import "golang.org/x/sys/unix"

// flushInput forgets what was typed at a terminal and not read yet.
func flushInput(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
