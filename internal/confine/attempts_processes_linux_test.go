//go:build linux && (amd64 || arm64)

package confine_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// look has the test look from outside, and waits until it ends us.
func look() {
	fmt.Println("look")
	time.Sleep(time.Hour)
}

func known(no unix.Errno) error {
	if no != 0 {
		return no
	}
	return nil
}

// reached succeeds for all errors that come from behind a check of rights.
func reached(no unix.Errno) error {
	if no == unix.EPERM || no == unix.EACCES || no == unix.ENOSYS {
		return no
	}
	return nil
}

// patience is how long a loaded machine may take to answer. What is confined is refused at once.
const patience = 20 * time.Second

func connects(network string, address func(w world) string) func(w world) error {
	return func(w world) error {
		c, err := net.DialTimeout(network, address(w), patience)
		if err != nil {
			return err
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(patience))
		_, _ = c.Write([]byte("hello")) // who serves a stream may have ended it
		b := make([]byte, 100)
		n, err := c.Read(b)
		if err == nil && !strings.Contains(string(b[:n]), w.Secret) {
			err = errNothing
		}
		return err
	}
}

func socket(domain, kind, protocol int) func(w world) error {
	return func(world) error {
		fd, err := unix.Socket(domain, kind, protocol)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}
}

func ofVictim(file string) func(w world) error {
	return func(w world) error {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", w.Victim, file))
		if err == nil && len(b) == 0 {
			err = errNothing
		}
		// In the sandbox the number may be another process.
		if err == nil && file != "environ" {
			if c, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", w.Victim)); string(c) != "sleep\n" {
				err = errNothing
			}
		}
		return err
	}
}

var processAttempts = []attempt{
	{name: "read another's environment", try: ofVictim("environ")},
	{name: "read another's command line", try: ofVictim("cmdline")},
	{name: "read another's map of memory", try: ofVictim("maps")},
	{name: "open another's memory", try: func(w world) error {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", w.Victim), os.O_RDWR, 0)
		if err == nil {
			f.Close()
		}
		return err
	}},
	{name: "see other processes", try: func(w world) error {
		_, err := os.Stat(fmt.Sprintf("/proc/%d", w.Driver))
		if err == nil {
			b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", w.Driver))
			if !bytes.Contains(b, []byte("test")) {
				err = errNothing
			}
		}
		return err
	}},
	{name: "trace another process", try: func(w world) error {
		if err := unix.PtraceSeize(w.Victim); err != nil {
			return err
		}
		return nil
	}},
	{name: "trace process 1 of the sandbox", as: "CVE-2016-9962, runc", try: func(w world) error {
		if os.Getppid() != 1 { // outside it is the driver, of which the victim is the like
			return unix.PtraceSeize(w.Victim)
		}
		return unix.PtraceSeize(1)
	}},
	{name: "read memory of process 1 of the sandbox", try: func(w world) error {
		pid := w.Victim
		if os.Getppid() == 1 {
			pid = 1
		}
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
		if err == nil {
			f.Close()
		}
		return err
	}},
	{name: "read another's memory by a call", try: func(w world) error {
		b := make([]byte, 8)
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", w.Victim))
		if err != nil {
			return err
		}
		start, _, _ := strings.Cut(string(maps), "-")
		at, err := strconv.ParseUint(start, 16, 64)
		if err != nil {
			return err
		}
		local := []unix.Iovec{{Base: &b[0], Len: 8}}
		_, err = unix.ProcessVMReadv(w.Victim, local, []unix.RemoteIovec{{Base: uintptr(at), Len: 8}}, 0)
		return err
	}},
	{name: "end another process", try: func(w world) error { return unix.Kill(w.Victim, unix.SIGKILL) }, judge: ended},
	{name: "end another process by its handle", judge: ended, try: func(w world) error {
		fd, err := unix.PidfdOpen(w.Victim, 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}},
	{name: "end another thread", try: func(w world) error { return unix.Tgkill(w.Victim, w.Victim, unix.SIGKILL) }, judge: ended},
	{name: "take a descriptor of another process", try: func(w world) error {
		fd, err := unix.PidfdOpen(w.Victim, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	}},
	{name: "signal by owning a descriptor", judge: ended, try: func(w world) error {
		p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if _, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETOWN, w.Victim); err != nil {
			return err
		}
		_, _ = unix.FcntlInt(uintptr(p[0]), unix.F_SETSIG, int(unix.SIGTERM))
		_, _ = unix.FcntlInt(uintptr(p[0]), unix.F_SETFL, unix.O_ASYNC)
		_, err = unix.Write(p[1], []byte("x"))
		return err
	}},
	{name: "change another's priority", try: func(w world) error { return unix.Setpriority(unix.PRIO_PROCESS, w.Victim, 19) }},
	{name: "change another's limits", try: func(w world) error {
		return unix.Prlimit(w.Victim, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 8, Max: 8}, nil)
	}},
	{name: "change another's processors", try: func(w world) error {
		var s unix.CPUSet
		s.Set(0)
		return unix.SchedSetaffinity(w.Victim, &s)
	}},
	{name: "have another process end for want of memory", try: func(w world) error {
		return os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", w.Victim), []byte("1000"), 0)
	}},
	{name: "leave a daemon", try: daemon, judge: func(_ *testing.T, w world) bool { return alive(w.Token + "-daemon") }},
	{name: "leave a daemon without a parent", judge: func(_ *testing.T, w world) bool { return alive(w.Token + "-daemon") }, try: func(w world) error {
		c := exec.Command("/bin/sh", "-c", `(setsid bash -c 'exec -a `+w.Token+`-daemon sleep 600' >/dev/null 2>&1 &)`)
		c.Env = []string{"PATH=/usr/bin:/bin"}
		return c.Run()
	}},
	{name: "start processes without end", try: func(w world) error {
		var all []*exec.Cmd
		defer func() {
			for _, c := range all {
				_ = c.Process.Kill()
				_ = c.Wait()
			}
		}()
		for range 500 {
			c := exec.Command("/bin/sleep", "60")
			if err := c.Start(); err != nil {
				return err
			}
			all = append(all, c)
		}
		return nil
	}},
	{name: "use memory without end", try: func(world) error {
		b, err := unix.Mmap(-1, 0, 512<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return err
		}
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		time.Sleep(3 * time.Second) // memory is looked at ten times a second
		runtime.KeepAlive(b)
		return nil
	}},
}

func ended(_ *testing.T, w world) bool {
	for end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.Victim))
		if err != nil || bytes.Contains(b, []byte(") Z ")) {
			return true
		}
	}
	return false
}

var networkAttempts = []attempt{
	{name: "reach a local service", try: connects("tcp4", func(w world) string { return fmt.Sprintf("127.0.0.1:%d", w.TCP) })},
	{name: "reach a local service by IPv6", try: connects("tcp6", func(w world) string { return fmt.Sprintf("[::1]:%d", w.TCP6) })},
	{name: "reach a local service by another address", try: connects("tcp4", func(w world) string { return fmt.Sprintf("0.0.0.0:%d", w.TCP) })},
	{name: "reach a local service by UDP", try: connects("udp4", func(w world) string { return fmt.Sprintf("127.0.0.1:%d", w.UDP) })},
	{name: "reach an agent's socket", try: connects("unix", func(w world) string { return w.Socket })},
	{name: "reach an abstract socket", as: "CVE-2020-15257, containerd", try: connects("unix", func(w world) string { return w.Abstract })},
	{name: "reach a socket by the root of the driver", try: connects("unix", func(w world) string { return fmt.Sprintf("/proc/%d/root%s", w.Driver, w.Socket) })},
	{name: "be reached at an abstract socket", judge: dials("unix", func(w world) string { return w.Abstract + "-x" }), try: func(w world) error {
		return serve("unix", w.Abstract+"-x")
	}},
	{name: "be reached at a port", judge: dials("tcp4", func(w world) string { return fmt.Sprintf("127.0.0.1:%d", w.Free) }), try: func(w world) error {
		return serve("tcp4", fmt.Sprintf("127.0.0.1:%d", w.Free))
	}},
	{name: "connect while sending", try: func(w world) error { // which filters of connect do not see
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if err := unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: w.TCP, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
			return err
		}
		_, err = unix.Read(fd, make([]byte, 10))
		return err
	}},
	{name: "see others' connections", try: func(w world) error {
		b, err := os.ReadFile("/proc/net/tcp")
		if err == nil && !strings.Contains(string(b), fmt.Sprintf("0100007F:%04X", w.TCP)) {
			err = errNothing
		}
		return err
	}},
	{name: "ask the kernel for sockets", try: socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_SOCK_DIAG)},
	{name: "hear events of devices", try: socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)},
	{name: "reach the packet filter", as: "CVE-2024-1086, nf_tables", try: socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER)},
	{name: "make raw packets", as: "CVE-2017-7308, packet sockets", try: socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)},
	{name: "read all packets", as: "CVE-2016-8655, packet sockets", try: socket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
	{name: "reach the host of a virtual machine", as: "CVE-2021-26708, vsock", try: socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
	{name: "reach the kernel's ciphers", as: "CVE-2019-8912, AF_ALG", try: socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
	{name: "reach Bluetooth", try: socket(unix.AF_BLUETOOTH, unix.SOCK_RAW, 1)},
	{name: "reach TIPC", as: "CVE-2021-43267, TIPC", try: socket(unix.AF_TIPC, unix.SOCK_STREAM, 0)},
	{name: "make a pair of another family", try: func(world) error {
		_, err := unix.Socketpair(unix.AF_TIPC, unix.SOCK_STREAM, 0)
		return err
	}},
	{name: "read shared memory", try: func(w world) error {
		b, err := unix.SysvShmAttach(w.Shm, 0, unix.SHM_RDONLY)
		if err == nil && !bytes.HasPrefix(b, []byte(w.Secret)) {
			err = errNothing
		}
		return err
	}},
	{name: "read a file in shared memory", try: reads(func(w world) string { return w.Shared })},
	{name: "name the machine", try: func(world) error { // as it is called
		var u unix.Utsname
		if err := unix.Uname(&u); err != nil {
			return err
		}
		return unix.Sethostname([]byte(unix.ByteSliceToString(u.Nodename[:])))
	}},
}

func serve(network, address string) error {
	l, err := net.Listen(network, address)
	if err != nil {
		return err
	}
	look()
	return l.Close()
}

func dials(network string, address func(w world) string) func(t *testing.T, w world) bool {
	return func(_ *testing.T, w world) bool {
		c, err := net.DialTimeout(network, address(w), patience)
		if err == nil {
			c.Close()
		}
		return err == nil
	}
}
