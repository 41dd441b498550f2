//go:build linux && (amd64 || arm64)

package confine_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// attempts is the table of ways out. Files first.
var attempts = append(append(append(fileAttempts, processAttempts...), networkAttempts...), kernelAttempts...)

var errNothing = errors.New("nothing came of it")

// reads succeeds when the secret comes.
func reads(path func(w world) string) func(w world) error {
	return func(w world) error {
		b, err := os.ReadFile(path(w))
		if err == nil && !strings.Contains(string(b), w.Secret) {
			err = errNothing
		}
		return err
	}
}

// has looks from outside whether a file holds what an attempt wrote.
func has(path func(w world) string) func(t *testing.T, w world) bool {
	return func(_ *testing.T, w world) bool {
		b, err := os.ReadFile(path(w))
		return err == nil && strings.Contains(string(b), "planted")
	}
}

func writes(path func(w world) string) func(w world) error {
	return func(w world) error {
		f, err := os.OpenFile(path(w), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o700)
		if err != nil {
			return err
		}
		_, err = f.WriteString("planted")
		return errors.Join(err, f.Close())
	}
}

// opens succeeds when a file of the machine can be opened so. Nothing is read or written.
func opens(path string, flags int) func(w world) error {
	return func(world) error {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err == nil {
			// The sandbox puts /dev/null in front of some.
			var st unix.Stat_t
			if err = unix.Fstat(fd, &st); err == nil && st.Rdev == unix.Mkdev(1, 3) {
				err = errNothing
			}
			_ = unix.Close(fd)
		}
		return err
	}
}

func home(name string) func(w world) string {
	return func(w world) string { return w.Home + "/" + name }
}

func below(name string) func(w world) string {
	return func(w world) string { return w.Dir + "/" + name }
}

// cached is a file of the cache as the environment says where that is.
func cached(name string) func(w world) string {
	return func(world) string { return os.Getenv("CACHE") + "/" + name }
}

func written(name string, path func(w world) string) attempt {
	return attempt{name: name, try: writes(path), judge: has(path)}
}

// honest is what every build or test may do.
var honest = []attempt{
	{name: "write the work folder", try: writes(func(w world) string { return w.Work + "/out" }), judge: has(func(w world) string { return w.Work + "/out" })},
	{name: "write and read /tmp", try: func(w world) error { return fill("/tmp/"+w.Token, 1<<20) }},
	{name: "write shared memory", try: func(w world) error { return fill("/dev/shm/"+w.Token+".own", 1<<20) }},
	{name: "move between folders", try: func(w world) error {
		return errors.Join(os.Mkdir(w.Work+"/a", 0o700), writes(func(w world) string { return w.Work + "/f" })(w), os.Rename(w.Work+"/f", w.Work+"/a/f"))
	}},
	{name: "write and read a cache", try: func(w world) error {
		if err := writes(cached("archive"))(w); err != nil {
			return err
		}
		b, err := os.ReadFile(cached("archive")(w))
		if err == nil && !strings.HasSuffix(string(b), "planted") {
			err = errNothing
		}
		return err
	}},
	{name: "make and replace files of a cache", try: func(w world) error {
		in, err := os.ReadFile(cached("d/deep")(w))
		if err == nil && string(in) != w.Secret {
			err = errNothing
		}
		return errors.Join(err, writes(cached("d/new"))(w), os.Rename(cached("d/new")(w), cached("archive")(w)))
	}},
	{name: "talk to itself by loopback", try: func(world) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return err
		}
		return errors.Join(c.Close(), l.Close())
	}},
	{name: "talk to itself by a socket in a folder", try: func(w world) error {
		l, err := net.Listen("unix", "/tmp/"+w.Token)
		if err != nil {
			return err
		}
		c, err := net.Dial("unix", "/tmp/"+w.Token)
		if err != nil {
			return err
		}
		return errors.Join(c.Close(), l.Close())
	}},
	{name: "start and end a process", try: func(world) error {
		c := exec.Command("/bin/sleep", "60")
		return errors.Join(c.Start(), c.Process.Kill())
	}},
	{name: "trace a process of its own", try: func(world) error {
		c := exec.Command("/bin/true")
		c.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
		return c.Start()
	}},
	{name: "make a terminal", try: opens("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY)},
	{name: "read random numbers", try: opens("/dev/urandom", unix.O_RDONLY)},
	{name: "know its user", try: func(world) error {
		return exec.Command("/usr/bin/id", "-un").Run()
	}},
}

var fileAttempts = []attempt{
	{name: "read a private key", try: reads(home(".ssh/id_ed25519"))},
	{name: "read cloud credentials", try: reads(home(".aws/credentials"))},
	{name: "read cookies of a browser", try: reads(home(".mozilla/cookies"))},
	{name: "read .netrc", try: reads(home(".netrc"))},
	{name: "read another project", try: reads(below("other/main.go"))},
	{name: "read the repository's configuration", try: reads(below("repo/.git/config"))},
	{name: "read by a path upwards", try: reads(func(world) string { return "../secret" })},
	{name: "read by the root of a process", try: reads(func(w world) string { return fmt.Sprintf("/proc/self/root%s/secret", w.Dir) })},
	{name: "read by the root of process 1", try: reads(func(w world) string { return "/proc/1/root" + w.Dir + "/secret" })},
	{name: "read by the folder of a process", try: reads(func(w world) string { return fmt.Sprintf("/proc/%d/cwd/.netrc", w.Victim) })},
	{name: "read by the root of the driver", try: reads(func(w world) string { return fmt.Sprintf("/proc/%d/root%s/secret", w.Driver, w.Dir) })},
	{name: "read by a symbolic link", try: func(w world) error {
		if err := os.Symlink(w.Dir+"/secret", w.Work+"/link"); err != nil {
			return err
		}
		return reads(func(w world) string { return w.Work + "/link" })(w)
	}},
	{name: "read by a hard link", try: func(w world) error {
		if err := os.Link(w.Dir+"/secret", w.Work+"/hard"); err != nil {
			return err
		}
		return reads(func(w world) string { return w.Work + "/hard" })(w)
	}},
	{name: "move a secret into the work folder", try: func(w world) error { return os.Rename(w.Dir+"/secret", w.Work+"/moved") }},
	{name: "list the home folder", try: func(w world) error {
		list, err := os.ReadDir(w.Home)
		if err == nil && len(list) == 0 {
			return errNothing
		}
		return err
	}},
	{name: "open by file handle", as: "Shocker, Docker 2014", try: func(w world) error {
		h, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, w.Work, 0)
		_ = mount
		if err != nil {
			return err
		}
		dir, err := unix.Open(w.Work, unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(dir, h, unix.O_RDONLY)
		return err
	}},
	{name: "leave by chroot", try: func(w world) error {
		if err := unix.Chroot(w.Work); err != nil {
			return err
		}
		return reads(func(w world) string { return "../secret" })(w)
	}},
	{name: "open /etc/shadow", try: opens("/etc/shadow", unix.O_RDONLY)},
	{name: "open /etc/gshadow", try: opens("/etc/gshadow", unix.O_RDONLY)},
	{name: "list /run", try: func(world) error {
		list, err := os.ReadDir("/run")
		if err == nil && len(list) == 0 {
			return errNothing
		}
		return err
	}},
	written("write a file of the shell", home(".bashrc")),
	written("write beside the work folder", below("beside")),
	{name: "write a folder whose name begins as that of the work folder", as: "CVE-2025-53110, a server of files", judge: has(beginsAlike), try: writes(beginsAlike)},
	written("write the repository's configuration", below("repo/.git/config")),
	written("plant a hook", below("repo/.git/hooks/pre-commit")),
	written("write shared memory files", func(w world) string { return w.Shared }),
	written("write /var/tmp", func(w world) string { return w.Dir + "/../" + w.Token + "-planted" }),
	written("write below /usr", func(w world) string { return "/usr/" + w.Token }),
	written("write below /etc", func(w world) string { return "/etc/" + w.Token }),
	written("write by the root of process 1", func(w world) string { return "/proc/1/root" + w.Dir + "/root" }),
	{name: "write by a hard link", judge: has(below("secret")), try: func(w world) error {
		return errors.Join(os.Link(w.Dir+"/secret", w.Work+"/h"), writes(func(w world) string { return w.Work + "/h" })(w))
	}},
	{name: "write by a symbolic link", judge: has(below("secret")), try: func(w world) error {
		return errors.Join(os.Symlink("../secret", w.Work+"/s"), writes(func(w world) string { return w.Work + "/s" })(w))
	}},
	{name: "link a nameless file outside", judge: has(below("nameless")), try: func(w world) error {
		fd, err := unix.Open(w.Work, unix.O_TMPFILE|unix.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, _ = unix.Write(fd, []byte("planted"))
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, w.Dir+"/nameless", unix.AT_SYMLINK_FOLLOW)
	}},
	{name: "move a file out", judge: has(home("out")), try: func(w world) error {
		return errors.Join(writes(func(w world) string { return w.Work + "/in" })(w), os.Rename(w.Work+"/in", w.Home+"/out"))
	}},
	{name: "change rights of a file outside", try: func(w world) error { return os.Chmod(w.Dir+"/secret", 0o644) }, judge: func(_ *testing.T, w world) bool {
		info, err := os.Stat(w.Dir + "/secret")
		return err == nil && info.Mode().Perm() == 0o644
	}},
	{name: "cut a file outside", try: func(w world) error { return os.Truncate(w.Dir+"/secret", 0) }, judge: func(_ *testing.T, w world) bool {
		info, err := os.Stat(w.Dir + "/secret")
		return err == nil && info.Size() == 0
	}},
	{name: "delete a file outside", try: func(w world) error { return os.Remove(w.Dir + "/secret") }, judge: func(_ *testing.T, w world) bool {
		_, err := os.Stat(w.Dir + "/secret")
		return err != nil
	}},
	{name: "change times outside", try: func(w world) error { return os.Chtimes(w.Dir+"/secret", time.Unix(1, 0), time.Unix(1, 0)) }, judge: func(_ *testing.T, w world) bool {
		info, err := os.Stat(w.Dir + "/secret")
		return err == nil && info.ModTime().Unix() == 1
	}},
	written("poison a cache", func(w world) string { return w.Cache + "/archive" }),
	written("add to a cache", func(w world) string { return w.Cache + "/d/new" }),
	{name: "delete from a cache", try: func(w world) error { return os.RemoveAll(w.Cache + "/d") }, judge: func(_ *testing.T, w world) bool {
		_, err := os.Stat(w.Cache + "/d/deep")
		return err != nil
	}},
	{name: "poison a cache by a hard link", judge: has(func(w world) string { return w.Cache + "/archive" }), try: func(w world) error {
		return errors.Join(os.Link(w.Cache+"/archive", w.Cache+"/other"), writes(func(w world) string { return w.Cache + "/other" })(w))
	}},
	{name: "poison a cache by its copy", try: writes(cached("d/deep")), judge: has(func(w world) string { return w.Cache + "/d/deep" })},
	{name: "make a device", try: func(w world) error { return unix.Mknod(w.Work+"/dev", unix.S_IFBLK|0o600, int(unix.Mkdev(254, 0))) }},
	{name: "open memory of the machine", try: opens("/dev/mem", unix.O_RDONLY)},
	{name: "open a disk", try: opens("/dev/vda", unix.O_RDONLY)},
	{name: "open the log of the kernel", try: opens("/dev/kmsg", unix.O_RDONLY)},
	{name: "open /dev/kvm", try: opens("/dev/kvm", unix.O_RDWR)},
	{name: "open /dev/net/tun", try: opens("/dev/net/tun", unix.O_RDWR)},
	{name: "open /dev/fuse", try: opens("/dev/fuse", unix.O_RDWR)},
	{name: "open /dev/loop-control", try: opens("/dev/loop-control", unix.O_RDWR)},
	{name: "open /proc/kcore", as: "CVE-2025-31133, runc", try: opens("/proc/kcore", unix.O_RDONLY)},
	{name: "open /proc/kmsg", try: opens("/proc/kmsg", unix.O_RDONLY)},
	{name: "open core_pattern to write", as: "CVE-2025-52881, runc", try: opens("/proc/sys/kernel/core_pattern", unix.O_WRONLY)},
	{name: "open modprobe to write", try: opens("/proc/sys/kernel/modprobe", unix.O_WRONLY)},
	{name: "open sysrq-trigger to write", try: opens("/proc/sysrq-trigger", unix.O_WRONLY)},
	{name: "open uevent_helper to write", try: opens("/sys/kernel/uevent_helper", unix.O_WRONLY)},
	{name: "open release_agent to write", try: opens("/sys/fs/cgroup/pids/release_agent", unix.O_WRONLY)},
	{name: "open binfmt_misc to write", try: opens("/proc/sys/fs/binfmt_misc/register", unix.O_WRONLY)},
	{name: "write the program of the stage", as: "CVE-2019-5736, runc", try: func(w world) error {
		link, err := os.Readlink("/proc/1/exe")
		if err == nil && link == "" {
			return errNothing
		}
		return err
	}},
	{name: "leave by a leaked folder", as: "CVE-2024-21626, runc", try: func(w world) error {
		for fd := 3; fd < 64; fd++ {
			if _, err := os.ReadFile(fmt.Sprintf("/proc/self/fd/%d/../secret", fd)); err == nil {
				return nil
			}
		}
		return reads(func(w world) string { return "/proc/self/cwd/../secret" })(w)
	}},
	{name: "fill memory by files", try: func(w world) error { return fill("/dev/shm/"+w.Token+".big", 200<<20) }},
	{name: "write a file without end", try: func(w world) error { return fill(w.Work+"/big", 64<<20) }},
}

func beginsAlike(w world) string { return w.Work + "-other/planted" }

// fill writes a file of n bytes and removes it.
func fill(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	defer f.Close()
	for b := make([]byte, 1<<20); n > 0; n -= len(b) {
		if _, err := f.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// daemon starts a process that is to outlive the attempt, known by its name.
func daemon(w world) error {
	c := &exec.Cmd{Path: "/bin/sleep", Args: []string{w.Token + "-daemon", "600"}, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	return c.Start()
}
