//go:build linux && (amd64 || arm64)

package confine

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// partialName is the name that the stage of a partial sandbox is started by. It becomes the command itself.
const partialName = "jacquard: partial sandbox"

// leastLandlock is the version that knows of ports, since Linux 6.7.
const leastLandlock = 4

// shared is what a partial sandbox has of the machine, where others have one of their own.
var shared = grants{
	read:  []string{"/proc", "/etc/passwd"},
	write: []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm"},
}

// partial gives up what it can without namespaces, and becomes the command.
func partial(o order) {
	must("go to "+o.Dir, os.Chdir(o.Dir))
	limit(Limits{File: o.Limits.File}) // others count what is not of the command
	dropRights()
	g := grants{read: there(shared.read), write: there(shared.write), ports: o.Ports}
	for _, b := range o.Binds {
		if b.Write {
			g.write = append(g.write, b.Path)
		} else {
			g.read = append(g.read, b.Path)
		}
	}
	if landlock(g) < leastLandlock {
		must("restrict files and ports", errors.New("this kernel has no Landlock that can: Linux 6.7 has"))
	}
	must("filter system calls", filter(rules()))
	must("filter system calls", filter(further(o.Ports != nil)))
	if o.Test != nil {
		o.Test.run(true)
		tell(report{})
		tell(report{Ended: &Ended{}})
		unix.Exit(0)
	}
	tell(report{})
	err := syscall.Exec(o.Path, o.Argv, o.Env) //nolint:gosec // the command
	panic(failure{step: "start " + o.Path, err: err, exec: true})
}

// there are the paths that exist.
func there(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}

// further are rules besides the usual ones, for what namespaces would keep apart: Unix sockets, System V's and other named things in
// memory, and how other processes of the user are scheduled. Where only some ports may be reached it is by TCP.
func further(narrow bool) program {
	var p program
	p.load(dataCall)
	for _, n := range []uint32{
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMCTL, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP,
		unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	} {
		p.when(n, refuse(unix.ENOSYS))
	}
	p.when(unix.SYS_IOPRIO_SET, refuse(unix.EPERM))
	for _, n := range []uint32{unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR} {
		p.call(n, func(p *program) { // of itself
			p.load(dataArgs)
			p.unless(refuse(unix.EPERM), 0)
		})
	}
	p.call(unix.SYS_SETPRIORITY, func(p *program) {
		p.load(dataArgs)
		p.unless(refuse(unix.EPERM), unix.PRIO_PROCESS)
		p.load(dataArgs + 8)
		p.unless(refuse(unix.EPERM), 0)
	})
	p.call(unix.SYS_SOCKETPAIR, func(p *program) { // a datagram can be sent to any name
		p.load(dataArgs + 8)
		p.and(sockType)
		p.unless(refuse(unix.EACCES), unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
	})
	p.call(unix.SYS_SOCKET, func(p *program) {
		p.load(dataArgs)
		p.when(unix.AF_UNIX, refuse(unix.EACCES))
		if !narrow {
			return
		}
		p.when(unix.AF_NETLINK, unix.SECCOMP_RET_ALLOW)
		p.load(dataArgs + 8)
		p.and(sockType)
		p.unless(refuse(unix.EACCES), unix.SOCK_STREAM)
		p.load(dataArgs + 16)
		p.unless(refuse(unix.EPROTONOSUPPORT), 0, unix.IPPROTO_TCP)
	})
	if narrow { // a connection without connect, which is what Landlock looks at
		for n, flags := range map[uint32]uint32{unix.SYS_SENDTO: 3, unix.SYS_SENDMSG: 2, unix.SYS_SENDMMSG: 3} {
			p.call(n, func(p *program) {
				p.load(dataArgs + 8*flags)
				p.any(unix.MSG_FASTOPEN, refuse(unix.EOPNOTSUPP))
			})
		}
	}
	return append(p, ret(unix.SECCOMP_RET_ALLOW))
}

// sockType is the part of socket's second argument that is a type; the rest are flags.
const sockType = 0xf

// netPort is struct landlock_net_port_attr.
type netPort struct{ access, port uint64 }

const ruleNetPort = 2

func allowPort(ruleset uintptr, port int) {
	rule := netPort{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP | unix.LANDLOCK_ACCESS_NET_BIND_TCP, uint64(port)} //nolint:gosec // a port
	_, _, no := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, ruleNetPort, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	must("allow a port", known(no))
}
