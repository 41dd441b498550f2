//go:build linux && (amd64 || arm64)

package confine_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/proc"
)

// attemptName is the first argument of a test binary that is to try one attempt.
const attemptName = "try-to-escape"

// How many attempts have to be possible without a sandbox for the suite to show something, and how many of those that others have made.
const (
	leastAttempts = 60
	leastPublic   = 20
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == attemptName {
		os.Exit(try(os.Args[2], os.Args[3]))
	}
	os.Exit(m.Run())
}

// world is what lies around the sandbox, and what attempts are told of it. Everything in it was made for the test.
type world struct {
	Self   string // the test binary
	Dir    string // of everything
	Home   string // with secrets
	Work   string // the folder that a command may change
	Cache  string // a folder that is laid over
	Secret string // what is in each file that is no business of the command

	Victim         int // a process of the same user
	Driver         int // the process that starts the sandbox
	TCP, TCP6, UDP int
	Abstract       string
	Socket         string
	Shm            int // System V shared memory
	Shared         string
	Key            string
	Free           int // a port on which nobody listens
	Token          string
}

// try does one attempt: exit code 0 when it worked, 1 when it was refused, and 2 for one that is not known.
func try(name, told string) int {
	var w world
	if err := json.Unmarshal([]byte(told), &w); err != nil {
		return 2
	}
	for _, a := range append(honest, attempts...) {
		if a.name != name {
			continue
		}
		runtime.LockOSThread()
		if err := a.try(w); err != nil {
			fmt.Println("refused:", err)
			return 1
		}
		fmt.Println("it worked")
		return 0
	}
	return 2
}

// newWorld makes it, with a process that is a victim.
func newWorld(t *testing.T) world {
	t.Helper()
	// Not in /tmp, of which a sandbox has its own.
	dir, err := os.MkdirTemp("/var/tmp", "jacquard-escape-") //nolint:usetesting // where check trees are
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	token := filepath.Base(dir)
	w := world{
		Self: self, Dir: dir, Home: dir + "/home", Work: dir + "/work", Cache: dir + "/cache", Secret: "secret of " + token,
		Driver: os.Getpid(), Token: token, Abstract: "@" + token, Socket: dir + "/home/agent.sock", Shared: "/dev/shm/" + token, Key: token,
	}
	for _, name := range []string{
		w.Home + "/.ssh/id_ed25519", w.Home + "/.aws/credentials", w.Home + "/.mozilla/cookies", w.Home + "/.bashrc", w.Home + "/.netrc", dir + "/other/main.go",
		dir + "/repo/.git/config", dir + "/repo/.git/hooks/keep", w.Work + "/mine", w.Work + "-other/main.go", w.Cache + "/archive", w.Cache + "/d/deep", w.Shared, dir + "/secret",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(w.Secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Remove(w.Shared) })
	w.listen(t)
	w.share(t)
	return w
}

func (w *world) listen(t *testing.T) {
	t.Helper()
	serve := func(network, address string) net.Listener {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Logf("no %s service: %v", network, err)
			return nil
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, w.Secret+"\n")
				c.Close()
			}
		}()
		return l
	}
	if l := serve("tcp4", "127.0.0.1:0"); l != nil {
		w.TCP = l.Addr().(*net.TCPAddr).Port
	}
	if l := serve("tcp6", "[::1]:0"); l != nil {
		w.TCP6 = l.Addr().(*net.TCPAddr).Port
	}
	serve("unix", w.Socket)
	serve("unix", w.Abstract)
	u, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	w.UDP = u.LocalAddr().(*net.UDPAddr).Port
	go func() {
		buf := make([]byte, 100)
		for {
			_, from, err := u.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = u.WriteTo([]byte(w.Secret), from)
		}
	}()
	free, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.Free = free.Addr().(*net.TCPAddr).Port
	free.Close()
}

func (w *world) share(t *testing.T) {
	t.Helper()
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Logf("no System V shared memory: %v", err)
		return
	}
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	b, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	copy(b, w.Secret)
	if err := unix.SysvShmDetach(b); err != nil {
		t.Fatal(err)
	}
	w.Shm = id
}

// victim starts a process that an attempt may do something to.
func (w world) victim(t *testing.T) *exec.Cmd {
	t.Helper()
	c := exec.Command("/bin/sleep", "600")
	c.Dir, c.Env = w.Home, []string{"SECRET=" + w.Secret}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	// Until it is another program its memory is ours.
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", c.Process.Pid)); string(b) == "sleep\n" {
			break
		}
		runtime.Gosched()
	}
	return c
}

// outcome of an attempt.
type outcome struct {
	worked bool
	said   string
}

// attempt is one way out. try is done by a process of its own; judge looks from outside, where the sandbox may have a thing of
// the same name.
type attempt struct {
	name  string
	as    string // public escape from such a sandbox, or public way to attack the kernel from inside one, that it does as
	try   func(w world) error
	judge func(t *testing.T, w world) bool
}

// run does one attempt, confined or not, and judges it.
func (a attempt) run(t *testing.T, w world, policy *confine.Policy) outcome {
	t.Helper()
	v := w.victim(t)
	defer func() { _ = v.Process.Kill(); _ = v.Wait() }()
	w.Victim = v.Process.Pid
	told, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var judged chan bool
	c := proc.Command{
		Argv: []string{w.Self, attemptName, a.name, string(told)}, Dir: w.Work, Confine: policy, Stop: []proc.Stop{{Signal: proc.Kill}},
		Env: []string{"HOME=" + w.Home, "PATH=/usr/bin:/bin", "CACHE=" + w.Cache, "GODEBUG=asyncpreemptoff=1"},
	}
	if policy != nil { // some are left hanging
		c.Total = patience
	}
	if a.judge != nil {
		// Some can be seen only while the attempt waits for it.
		judged = make(chan bool, 1)
		c.Line = func(line []byte) {
			if string(line) == "look" {
				judged <- a.judge(t, w)
				cancel()
			}
		}
	}
	res, err := proc.Run(ctx, c)
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	out := outcome{worked: res.Exit == 0, said: strings.TrimSpace(res.Stdout.Text + " " + res.Limit + " " + res.Signal)}
	if res.Exit == 2 {
		t.Fatalf("%s: the attempt broke: %s%s", a.name, res.Stdout.Text, res.Stderr.Text)
	}
	if a.judge != nil {
		select {
		case out.worked = <-judged:
		default:
			out.worked = a.judge(t, w)
		}
	}
	return out
}

// needsSandbox skips a test where no sandbox can be made. One that is made and does not hold is a failure.
func needsSandbox(t *testing.T, partial bool) {
	t.Helper()
	var failed *confine.StepError
	switch err := proc.ProbeSandbox(t.Context(), t.TempDir(), confine.Policy{Partial: partial}); {
	case errors.As(err, &failed) && strings.HasPrefix(failed.Step, "self-test"):
		t.Fatalf("the sandbox does not hold: %v", err)
	case err != nil && !partial && os.Getenv("JACQUARD_TEST_COMPLETE") != "": // the other needs a newer kernel
		t.Fatalf("no sandbox on this machine: %v", err)
	case err != nil:
		t.Skipf("no sandbox on this machine: %v", err)
	}
}

// TestEscapes tries each attempt without a sandbox, which shows that it can work here, and then in one. Each try is a process of
// its own with a world of its own, and some have to wait until nothing has happened: together more than ten seconds.
func TestEscapes(t *testing.T) {
	t.Parallel()
	needsSandbox(t, false)
	var possible, public, escaped, skipped int
	for _, a := range attempts {
		free, inside := newWorld(t), newWorld(t)
		if o := a.run(t, free, nil); !o.worked {
			skipped++
			t.Logf("%s: shows nothing here: %s", a.name, o.said)
			continue
		}
		if possible++; a.as != "" {
			public++
		}
		if o := a.run(t, inside, inside.policy()); o.worked {
			escaped++
			t.Errorf("%s: it worked in the sandbox: %s", a.name, o.said)
		}
	}
	t.Logf("uid %d: %d attempts, %d possible without a sandbox, %d of them public, %d escaped, %d show nothing here", os.Getuid(), len(attempts), possible, public, escaped, skipped)
	if len(attempts) < 60 || (possible < leastAttempts || public < leastPublic) && os.Getuid() == 0 || possible < leastAttempts*2/3 {
		t.Errorf("only %d of %d attempts are possible without a sandbox: the suite shows too little", possible, len(attempts))
	}
}

// policy is what attempts are confined by.
func (w world) policy() *confine.Policy {
	return &confine.Policy{
		Read: []string{w.Self}, Write: []string{w.Work}, Overlays: []confine.Overlay{{Path: w.Cache}},
		Limits: confine.Limits{Memory: 128 << 20, Processes: 400, File: 32 << 20, Temp: 64 << 20},
	}
}

// partial is the same without namespaces, with a copy of the cache.
func (w world) partial(t *testing.T) *confine.Policy {
	t.Helper()
	p := w.policy()
	p.Partial = true
	p.Overlays[0].Upper, p.Overlays[0].Copy = t.TempDir(), true
	return p
}

// openAtPartial are the attempts that a partial sandbox does not stop, as docs/concepts/security.md says: without namespaces the names and
// attributes of files, the list of processes and /dev/shm are those of the machine, and nobody counts what is used of it.
var openAtPartial = []string{
	"change rights of a file outside", "change times outside", "read another's command line", "see other processes",
	"see others' connections", "write shared memory files", "read a file in shared memory", "start processes without end", "use memory without end",
}

// TestEscapesPartial: where there are no namespaces everything but a few named things is refused, to agents, which have a door. It takes as
// long as TestEscapes, for the same reason.
func TestEscapesPartial(t *testing.T) {
	t.Parallel()
	needsSandbox(t, true)
	for _, a := range attempts {
		if strings.HasPrefix(a.name, "leave a daemon") {
			continue // they are searched for, as without a sandbox: who hides in time is not found
		}
		free, inside := newWorld(t), newWorld(t)
		if o := a.run(t, free, nil); !o.worked {
			continue // TestEscapes counts them
		}
		p := inside.partial(t)
		p.Door = p.FreeDoor()
		switch o := a.run(t, inside, p); {
		case o.worked && !slices.Contains(openAtPartial, a.name):
			t.Errorf("%s: it worked in the sandbox: %s", a.name, o.said)
		case !o.worked && slices.Contains(openAtPartial, a.name): // as a machine that has no time for it may
			t.Logf("%s: refused, though it is said to be open: %s", a.name, o.said)
		}
	}
}

// absentAtPartial is what a command cannot do in a partial sandbox, as docs/concepts/security.md says.
var absentAtPartial = []string{"write and read a cache", "write and read /tmp", "talk to itself by a socket in a folder", "make a terminal"}

// TestHonestWork: what a command is to be able to do works in the same sandbox that nothing escapes from.
func TestHonestWork(t *testing.T) {
	t.Parallel()
	for _, partial := range []bool{false, true} {
		needsSandbox(t, partial)
		for _, a := range honest {
			w := newWorld(t)
			p := w.policy()
			if partial {
				p = w.partial(t)
			}
			if o := a.run(t, w, p); o.worked == (partial && slices.Contains(absentAtPartial, a.name)) {
				t.Errorf("%s: partial %v: it worked: %v: %s", a.name, partial, o.worked, o.said)
			}
		}
	}
}

// TestEscapesAsOrdinaryUser is the same as somebody who is not root.
func TestEscapesAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("not root, so TestEscapes has shown this")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/var/tmp", "jacquard-escape-") //nolint:usetesting // where check trees are
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const nobody = 65534
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	binary := dir + "/escape.test"
	if err := os.WriteFile(binary, b, 0o755); err != nil { //nolint:gosec // another user runs it
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/tmp", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{dir, dir + "/tmp"} {
		if err := os.Chown(p, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	var out []byte
	for try := 0; try == 0 || errors.Is(err, syscall.ETXTBSY) && try < 1000; try++ { // another test has forked meanwhile
		cmd := exec.CommandContext(t.Context(), binary, "-test.run", "^Test(Escapes|EscapesPartial|HonestWork)$", "-test.v")
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "TMPDIR=" + dir + "/tmp", "PATH=/usr/bin:/bin"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err = cmd.CombinedOutput()
	}
	if err != nil || bytes.Contains(out, []byte("--- SKIP")) {
		t.Errorf("as an ordinary user: %v\n%s", err, out)
	}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		if strings.Contains(s.Text(), " attempts, ") || strings.Contains(s.Text(), "shows nothing") {
			t.Log(strings.TrimSpace(s.Text()))
		}
	}
}

// alive reports whether a process that an attempt has started under this name is there.
func alive(name string) bool {
	found := false
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range list {
		b, _ := os.ReadFile(p)
		if bytes.HasPrefix(b, []byte(name+"\x00")) {
			found = true
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(p)))
			_ = syscall.Kill(pid, syscall.SIGKILL) // it was started by this test
		}
	}
	return found
}
