//go:build linux && (amd64 || arm64)

package confine

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A filter of system calls is a program for a small machine that reads struct seccomp_data: the number of the call at 0, the
// architecture at 4, the arguments from 16, eight bytes each, low half first.
const (
	dataCall = 0
	dataArch = 4
	dataArgs = 16

	tiocLinux = 0x541c
	newUser   = unix.CLONE_NEWUSER
)

// program is a filter that is being written.
type program []unix.SockFilter

func (p *program) load(at uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at})
}

// when compares what was loaded, and answers if it is equal.
func (p *program) when(value, answer uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: value}, ret(answer))
}

// unless answers if what was loaded is none of the values.
func (p *program) unless(answer uint32, values ...uint32) {
	for i, v := range values {
		*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(len(values) - i), K: v}) //nolint:gosec // a handful
	}
	*p = append(*p, ret(answer))
}

// and keeps some bits of what was loaded.
func (p *program) and(bits uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: bits})
}

// any answers if one of some bits of what was loaded is set.
func (p *program) any(bits, answer uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: bits}, ret(answer))
}

// call has what body writes done for one system call only; after it the number is not loaded any more.
func (p *program) call(number uint32, body func(*program)) {
	var inner program
	body(&inner)
	inner = append(inner, ret(unix.SECCOMP_RET_ALLOW))
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(len(inner)), K: number}) //nolint:gosec // a handful
	*p = append(*p, inner...)
}

func ret(answer uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: answer}
}

func refuse(no unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(no) } //nolint:gosec // an errno

// refused are calls that nothing which is built or tested needs: they change what is seen of the machine, or are where ways out
// of sandboxes were found.
var refused = []uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_FANOTIFY_INIT,
}

// absent are calls that programs do without when the system does not know them.
var absent = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// rules are the filter of this machine's architecture.
func rules() program {
	var p program
	p.load(dataArch)
	p.unless(unix.SECCOMP_RET_KILL_PROCESS, auditArch) // calls of another one have other numbers
	p.load(dataCall)
	if largest > 0 { // x32 has the same architecture
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 1, K: largest}, ret(refuse(unix.ENOSYS)))
	}
	for _, n := range append(append([]uint32{}, refused...), refusedHere...) {
		p.when(n, refuse(unix.EPERM))
	}
	for _, n := range absent {
		p.when(n, refuse(unix.ENOSYS))
	}
	p.call(unix.SYS_CLONE, func(p *program) {
		p.load(dataArgs)
		p.any(newUser, refuse(unix.EPERM))
	})
	p.call(unix.SYS_IOCTL, func(p *program) { // the kernel looks at the low half only
		p.load(dataArgs + 8)
		p.when(unix.TIOCSTI, refuse(unix.EPERM))
		p.when(tiocLinux, refuse(unix.EPERM))
	})
	p.call(unix.SYS_SOCKET, func(p *program) {
		p.load(dataArgs)
		p.unless(refuse(unix.EAFNOSUPPORT), unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)
		p.unless(unix.SECCOMP_RET_ALLOW, unix.AF_NETLINK)
		p.load(dataArgs + 16)
		p.unless(refuse(unix.EPROTONOSUPPORT), unix.NETLINK_ROUTE)
	})
	p.call(unix.SYS_SOCKETPAIR, func(p *program) {
		p.load(dataArgs)
		p.unless(refuse(unix.EAFNOSUPPORT), unix.AF_UNIX)
	})
	return append(p, ret(unix.SECCOMP_RET_ALLOW))
}

// filter puts rules in force for this thread and what it starts.
func filter(p program) error {
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]} //nolint:gosec // a few hundred
	_, _, no := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	return known(no)
}
