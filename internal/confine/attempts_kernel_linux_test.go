//go:build linux && (amd64 || arm64)

package confine_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func call(number uintptr, args ...uintptr) func(w world) error {
	return func(world) error {
		var a [6]uintptr
		copy(a[:], args)
		_, _, no := unix.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
		return reached(no)
	}
}

// started starts a child in namespaces of its own, as most exploits of the kernel begin.
func started(flags uintptr) func(w world) error {
	return func(world) error {
		c := exec.Command("/bin/true")
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
		return c.Run()
	}
}

var kernelAttempts = []attempt{
	{name: "make a user namespace", try: started(unix.CLONE_NEWUSER)},
	{name: "make a user and a mount namespace", as: "CVE-2021-3493, overlayfs", try: started(unix.CLONE_NEWUSER | unix.CLONE_NEWNS)},
	{name: "leave for a user namespace by unshare", as: "CVE-2018-18955, user namespaces", try: func(world) error { return exec.Command("/usr/bin/unshare", "-U", "/bin/true").Run() }},
	{name: "make a user namespace by clone3", as: "CVE-2021-41133, Flatpak", try: func(world) error {
		args := [11]uint64{unix.CLONE_NEWUSER, 0, 0, 0, uint64(unix.SIGCHLD)}
		pid, _, no := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
		if no == 0 && pid == 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return known(no)
	}},
	{name: "mount cgroups in a user namespace", as: "CVE-2022-0492, cgroups", try: func(world) error {
		return exec.Command("/usr/bin/unshare", "-UrmC", "/bin/sh", "-c", "mkdir cg; mount -t cgroup -o pids x cg").Run()
	}},
	{name: "mount in a mount namespace", try: func(w world) error {
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			return err
		}
		return unix.Mount("x", w.Work, "tmpfs", 0, "")
	}},
	{name: "open a file system", as: "CVE-2022-0185, fsconfig", try: func(world) error {
		_, err := unix.Fsopen("tmpfs", 0)
		return err
	}},
	{name: "clone a tree of mounts", as: "CVE-2021-41133, Flatpak", try: func(w world) error {
		_, err := unix.OpenTree(unix.AT_FDCWD, w.Work, unix.OPEN_TREE_CLONE)
		return err
	}},
	{name: "enter the namespaces of the driver", try: func(w world) error {
		fd, err := unix.Open(fmt.Sprintf("/proc/%d/ns/uts", w.Driver), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, 0)
	}},
	{name: "enter a namespace of its own", try: func(world) error {
		fd, err := unix.Open("/proc/self/ns/net", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return unix.Setns(fd, 0)
	}},
	{name: "keep rights as root", try: func(world) error {
		b, err := os.ReadFile("/proc/self/status")
		if err == nil && strings.Contains(string(b), "CapEff:\t0000000000000000") {
			err = errNothing
		}
		return err
	}},
	{name: "get rights by a setuid program", try: func(world) error {
		on, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		if err == nil && on != 0 {
			err = errNothing
		}
		return err
	}},
	{name: "add a key", try: func(w world) error {
		_, err := unix.AddKey("user", w.Key, []byte("planted"), unix.KEY_SPEC_PROCESS_KEYRING)
		return err
	}},
	{name: "join a keyring", as: "CVE-2016-0728, keyrings", try: func(world) error {
		_, err := unix.KeyctlJoinSessionKeyring("")
		return err
	}},
	{name: "use io_uring", as: "CVE-2022-29582, io_uring", try: func(world) error {
		var params [120]byte
		fd, _, no := unix.Syscall(unix.SYS_IO_URING_SETUP, 8, uintptr(unsafe.Pointer(&params)), 0)
		if no == 0 {
			_ = unix.Close(int(fd))
		}
		return known(no)
	}},
	{name: "use userfaultfd", try: func(world) error {
		fd, _, no := unix.Syscall(unix.SYS_USERFAULTFD, 1, 0, 0) // for itself only
		if no == 0 {
			_ = unix.Close(int(fd))
		}
		return known(no)
	}},
	{name: "make a map of bpf", as: "CVE-2020-8835, bpf", try: func(world) error {
		attr := [16]uint32{2, 4, 4, 1}
		fd, _, no := unix.Syscall(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
		if no == 0 {
			_ = unix.Close(int(fd))
		}
		return known(no)
	}},
	{name: "measure by perf", as: "CVE-2013-2094, perf", try: func(world) error {
		fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: unix.PERF_ATTR_SIZE_VER0, Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}, 0, -1, -1, 0)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}},
	{name: "load a module", try: call(unix.SYS_FINIT_MODULE, ^uintptr(0))},
	{name: "open by handle at all", try: call(unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(0), 0, 0)},
	{name: "read the log of the kernel", try: call(unix.SYS_SYSLOG, 10)},
	{name: "watch all files", try: call(unix.SYS_FANOTIFY_INIT, 0, 0)},
	{name: "see quotas", try: call(unix.SYS_QUOTACTL, 0x80000100)},
	{name: "type into a terminal", as: "CVE-2017-5226, bubblewrap", try: func(world) error { return pushBack(unix.TIOCSTI) }},
	{name: "type into a terminal by a longer number", as: "CVE-2019-10063, Flatpak", try: func(world) error { return pushBack(1<<32 | unix.TIOCSTI) }},
	{name: "paste into a console", as: "CVE-2023-28100, Flatpak", try: func(world) error {
		fd, err := unix.Open("/dev/tty0", unix.O_RDWR, 0)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}},
}

// pushBack puts a character into the input of a terminal.
func pushBack(request uintptr) error {
	master, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	n, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		return err
	}
	if _, err := unix.Setsid(); err != nil && os.Getpid() != syscall.Getpgrp() {
		return err
	}
	slave, err := unix.Open("/dev/pts/"+strconv.Itoa(n), unix.O_RDWR, 0)
	if err != nil {
		return err
	}
	c := byte('x')
	_, _, no := unix.Syscall(unix.SYS_IOCTL, uintptr(slave), request, uintptr(unsafe.Pointer(&c)))
	return known(no)
}
