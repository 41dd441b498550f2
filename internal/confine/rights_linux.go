//go:build linux && (amd64 || arm64)

package confine

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// limit sets what the kernel can bound for each process.
func limit(l Limits) {
	set := func(what string, resource int, n uint64) {
		must("limit "+what, unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n}))
	}
	set("core files", unix.RLIMIT_CORE, 0)
	if l.Processes > 0 {
		set("processes", unix.RLIMIT_NPROC, uint64(l.Processes)) // of this user in this namespace
	}
	if l.File > 0 {
		set("files", unix.RLIMIT_FSIZE, uint64(l.File))
	}
}

// dropRights gives up every capability, for good and for what is executed.
func dropRights() {
	must("forbid new privileges", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	for c := range uintptr(64) {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			break // there are no more
		}
	}
	must("give up ambient rights", unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	must("give up rights", unix.Capset(&header, &none[0]))
}

// grants are what Landlock lets a command do: files, and TCP where a list of ports is there.
type grants struct {
	read, write []string
	ports       []int // that it may connect to and listen at; nil = all
}

// knownLandlock is the version that this kernel has; 0 = none.
func knownLandlock() uintptr {
	version, _, no := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if no != 0 {
		return 0
	}
	return version
}

// Layers are the parts of the kernel that keep a command in, as people call them: those that this machine has.
func Layers(partial bool) []string {
	var out []string
	if !partial {
		out = append(out, "namespaces")
	}
	if out = append(out, "seccomp"); knownLandlock() > 0 {
		out = append(out, fmt.Sprint("Landlock ", knownLandlock()))
	}
	return out
}

// landlock says the same about files as the mounts do, by another part of the kernel. An older kernel knows less of it, or nothing:
// version is what it knows.
func landlock(g grants) (version uintptr) {
	if version = knownLandlock(); version == 0 {
		return 0
	}
	read := uint64(unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR)
	all := uint64(1)<<13 - 1
	if version >= 2 {
		all |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		all |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 5 {
		all |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: all}
	size := unsafe.Offsetof(attr.Scoped) // what older kernels know of it
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
		size += unsafe.Sizeof(attr.Scoped)
	}
	if g.ports != nil {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	ruleset, _, no := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	must("make Landlock's rules", known(no))
	allow := func(path string, access uint64) {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		must("open "+path, err)
		var st unix.Stat_t
		must("look at "+path, unix.Fstat(fd, &st))
		if st.Mode&unix.S_IFMT != unix.S_IFDIR {
			access &= unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
				unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
		}
		rule := unix.LandlockPathBeneathAttr{Allowed_access: access & all, Parent_fd: int32(fd)}
		_, _, no = unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
		must("allow "+path, known(no))
		_ = unix.Close(fd)
	}
	for _, path := range g.read {
		allow(path, read)
	}
	for _, path := range g.write {
		allow(path, all)
	}
	for _, port := range g.ports {
		allowPort(ruleset, port)
	}
	_, _, no = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0)
	must("apply Landlock's rules", known(no))
	_ = unix.Close(int(ruleset))
	return version
}

func known(no unix.Errno) error {
	if no == 0 {
		return nil
	}
	return no
}

// each calls f for each process but the stage.
func each(f func(pid string)) {
	dir, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer dir.Close() //nolint:errcheck // it was only read
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return
	}
	for _, name := range names {
		if name[0] > '0' && name[0] <= '9' && name != "1" {
			f(name)
		}
	}
}

// others counts the living processes besides the stage.
func others() (n int) {
	each(func(pid string) {
		b, err := os.ReadFile("/proc/" + pid + "/stat")
		if i := strings.LastIndexByte(string(b), ')'); err == nil && i >= 0 && i+2 < len(b) && b[i+2] != 'Z' {
			n++
		}
	})
	return n
}

var errEscaped = errors.New("it worked")
