//go:build linux && (amd64 || arm64)

package confine

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// view is the file system that a command sees. While it is made, what was there before is at /old and what will be is at /new.
type view struct {
	o order
}

// fixed are the places that every command may write.
var fixed = []string{"/tmp", "/var/tmp", "/dev", "/proc"}

// temporary are the file systems in memory that it may fill.
var temporary = []string{"/tmp", "/var/tmp", "/dev/shm"}

// writable lists what the command may change.
func (v *view) writable() []string {
	out := fixed
	for _, b := range v.o.Binds {
		if b.Write {
			out = append(out, b.Path)
		}
	}
	for _, l := range v.o.Overlays {
		out = append(out, l.Path)
	}
	return out
}

func (v *view) make() {
	// Nothing of what is mounted here reaches the rest of the machine.
	must("make mounts private", unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""))
	must("mount a place to build in", unix.Mount("sandbox", "/tmp", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=512m"))
	for _, d := range []string{"/tmp/old", "/tmp/new"} {
		must("make "+d, os.Mkdir(d, 0o755))
	}
	must("mount the new root", unix.Mount("sandbox", "/tmp/new", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=16m"))
	must("change the root", unix.PivotRoot("/tmp", "/tmp/old"))
	must("change the root", os.Chdir("/"))
	v.system()
	for _, b := range v.o.Binds {
		v.bind(b)
	}
	for i, l := range v.o.Overlays {
		v.overlay(i, l)
	}
	for at, target := range v.o.Links {
		if _, err := os.Lstat("/new" + at); err != nil {
			must("make folder for "+at, os.MkdirAll("/new"+filepath.Dir(at), 0o755))
			must("make link "+at, os.Symlink(target, "/new"+at))
		}
	}
	v.names()
	v.users()
	must("enter the new root", os.Chdir("/new"))
	must("enter the new root", unix.PivotRoot(".", "."))
	must("leave the old root", unix.Unmount(".", unix.MNT_DETACH))
	must("enter the new root", os.Chdir("/"))
	must("protect the new root", unix.MountSetattr(-1, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}))
}

// system makes what each command has of its own.
func (v *view) system() {
	temp := "mode=1777"
	if v.o.Limits.Temp > 0 {
		temp += ",size=" + strconv.FormatInt(v.o.Limits.Temp, 10)
	}
	for _, m := range []struct {
		at, kind, options string
		flags             uintptr
	}{
		{"/proc", "proc", "", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{"/dev", "tmpfs", "mode=0755,size=1m", unix.MS_NOSUID},
		{"/dev/pts", "devpts", "newinstance,ptmxmode=0666,mode=0620", unix.MS_NOSUID | unix.MS_NOEXEC},
		{"/dev/shm", "tmpfs", temp, unix.MS_NOSUID | unix.MS_NODEV},
		{"/tmp", "tmpfs", temp, unix.MS_NOSUID | unix.MS_NODEV},
		{"/var/tmp", "tmpfs", temp, unix.MS_NOSUID | unix.MS_NODEV},
	} {
		must("make "+m.at, os.MkdirAll("/new"+m.at, 0o755))
		must("mount "+m.at, unix.Mount("sandbox", "/new"+m.at, m.kind, m.flags, m.options))
	}
	for _, d := range []string{"/run", "/home"} {
		must("make "+d, os.MkdirAll("/new"+d, 0o755))
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		v.mount("/dev/"+name, "/dev/"+name, true, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC)
	}
	for at, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		must("make /dev/"+at, os.Symlink(target, "/new/dev/"+at))
	}
	v.kernel()
}

// kernel hides what of /proc belongs to the machine. For uid 0 its files are writable whatever rights were given up.
func (v *view) kernel() {
	if n := v.o.Limits.Processes; n > 0 && os.Getuid() == 0 {
		// The limit of a user does not hold for uid 0. Since Linux 6.14 each namespace has a largest process id of its own.
		_ = os.WriteFile("/new/proc/sys/kernel/pid_max", []byte(strconv.Itoa(max(n, 301))), 0o600)
	}
	const shut = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV | unix.MOUNT_ATTR_NOEXEC
	for _, name := range []string{"sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr"} {
		at := "/new/proc/" + name
		if _, err := os.Lstat(at); err != nil {
			continue
		}
		must("protect /proc/"+name, unix.Mount(at, at, "", unix.MS_BIND|unix.MS_REC, ""))
		must("protect /proc/"+name, unix.MountSetattr(-1, at, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: shut}))
	}
	for _, name := range []string{"kcore", "keys", "key-users", "kmsg", "timer_list", "sched_debug", "kallsyms", "vmallocinfo", "slabinfo", "pagetypeinfo", "kpagecount", "kpageflags", "kpagecgroup"} {
		at := "/new/proc/" + name
		if _, err := os.Lstat(at); err == nil {
			must("hide /proc/"+name, unix.Mount("/old/dev/null", at, "", unix.MS_BIND, ""))
		}
	}
}

func (v *view) bind(b bind) {
	info, err := os.Stat("/old" + b.Path)
	if err != nil {
		if !b.Write && errors.Is(err, os.ErrNotExist) {
			return
		}
		must("bind "+b.Path, err)
	}
	attr := uint64(unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV)
	if !b.Write {
		attr |= unix.MOUNT_ATTR_RDONLY
	}
	v.mount(b.Path, b.Path, !info.IsDir(), attr)
}

// mount binds a place of before to one of the new root, and everything that is mounted below it.
func (v *view) mount(from, to string, file bool, attr uint64) {
	at := "/new" + to
	v.place(at, file)
	must("bind "+from, unix.Mount("/old"+from, at, "", unix.MS_BIND|unix.MS_REC, ""))
	must("protect "+to, unix.MountSetattr(-1, at, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attr}))
}

// place makes what something can be mounted on.
func (v *view) place(at string, file bool) {
	if _, err := os.Lstat(at); err == nil {
		return
	}
	if !file {
		must("make "+strings.TrimPrefix(at, "/new"), os.MkdirAll(at, 0o755))
		return
	}
	must("make folder of "+strings.TrimPrefix(at, "/new"), os.MkdirAll(filepath.Dir(at), 0o755))
	must("make "+strings.TrimPrefix(at, "/new"), os.WriteFile(at, nil, 0o644))
}

// overlay lays a folder of changes over one that stays as it is.
func (v *view) overlay(i int, l Overlay) {
	upper := "/old" + l.Upper
	if l.Upper == "" { // in the place that only we see, and that goes with the old root
		upper = "/upper" + strconv.Itoa(i)
	}
	for _, d := range []string{upper + "/changes", upper + "/work"} {
		must("lay over "+l.Path, os.MkdirAll(d, 0o755))
	}
	quote := strings.NewReplacer(`\`, `\\`, `,`, `\,`, `:`, `\:`).Replace
	options := "userxattr,lowerdir=" + quote("/old"+l.Path) + ",upperdir=" + quote(upper+"/changes") + ",workdir=" + quote(upper+"/work")
	at := "/new" + l.Path
	v.place(at, false)
	must("lay over "+l.Path, unix.Mount("sandbox", at, "overlay", unix.MS_NOSUID|unix.MS_NODEV, options))
}

// users says that the home folder of who runs the command is the one of its environment, as it is outside of a sandbox.
func (v *view) users() {
	table, err := os.ReadFile("/old/etc/passwd")
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	must("read /etc/passwd", err)
	home := ""
	for _, kv := range v.o.Env {
		if value, ok := strings.CutPrefix(kv, "HOME="); ok && !strings.ContainsAny(value, ":\n") {
			home = value
		}
	}
	lines := strings.SplitAfter(string(table), "\n")
	for i, line := range lines {
		if f := strings.Split(line, ":"); home != "" && len(f) == 7 && f[2] == strconv.Itoa(os.Getuid()) {
			f[5] = home
			lines[i] = strings.Join(f, ":")
		}
	}
	must("write /etc/passwd", os.WriteFile("/new/etc/passwd", []byte(strings.Join(lines, "")), 0o644))
}

// names says where names are looked up. Without a network there is nobody to ask, and a program that waits for a server that
// does not answer takes seconds to find out.
func (v *view) names() {
	if v.o.Network {
		return
	}
	at := "/new/etc/resolv.conf"
	must("make /etc/resolv.conf", os.MkdirAll(filepath.Dir(at), 0o755))
	must("make /etc/resolv.conf", os.WriteFile(at, []byte("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"), 0o644))
}
