//go:build linux && (amd64 || arm64)

package confine

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Bait is what a self-test tries to get from inside.
type Bait struct {
	File  string // a file that exists outside; "" where the policy lets it be read
	Write string // a file that does not exist outside; "" as above
	Port  int    // somebody listens there on the loopback interface
	Work  string // a folder that the policy lets it write
	Cache string // a folder that is laid over; "" for none
}

// selfTest is done in place of a command, by the thread that a command would be forked from.
type selfTest struct{ Bait Bait }

// StartTest prepares a stage that starts nothing, but tries to get out.
func StartTest(p Policy, b Bait) (*Stage, error) {
	s, err := Start(p, "/proc/self/exe", nil, "/", nil)
	if err == nil {
		s.order.Test = &selfTest{Bait: b}
	}
	return s, err
}

func (t *selfTest) run(partial bool) {
	const self = "self-test: "
	for _, dir := range []string{t.Bait.Work, t.Bait.Cache} {
		if dir != "" {
			must(self+"write in "+dir, os.WriteFile(filepath.Join(dir, ProbeFile), nil, 0o600))
		}
	}
	refused := func(what string, err error) {
		if err == nil {
			must(self+what, errEscaped)
		}
	}
	if t.Bait.File != "" {
		_, err := os.ReadFile(t.Bait.File)
		refused("read a file outside", err)
		// A place of this name may be in the sandbox too: who started it looks whether the file is outside.
		_ = os.WriteFile(t.Bait.Write, nil, 0o600)
	}
	const usr = "/usr/" + ProbeFile
	err := os.WriteFile(usr, nil, 0o600)
	_ = os.Remove(usr) // where it was written
	refused("write below /usr", err)
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	must(self+"make a socket", err)
	err = unix.Connect(fd, &unix.SockaddrInet4{Port: t.Bait.Port, Addr: [4]byte{127, 0, 0, 1}})
	if errors.Is(err, unix.EINPROGRESS) {
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(time.Second/time.Millisecond)) //nolint:gosec // a descriptor
		no, failed := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		if err = failed; no != 0 {
			err = unix.Errno(no) //nolint:gosec // an errno
		}
	}
	refused("connect to a service outside", err)
	refused("make a user namespace", unix.Unshare(unix.CLONE_NEWUSER))
	refused("mount", unix.Mount("x", "/tmp", "tmpfs", 0, ""))
	if !partial && others() > 0 {
		must(self+"see processes outside", errEscaped)
	}
}
