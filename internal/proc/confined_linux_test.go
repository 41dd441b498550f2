package proc_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/proc"
)

// confined is a command of the shell in a sandbox that may write its folder only.
func confined(t *testing.T, script string) proc.Command {
	t.Helper()
	if err := proc.ProbeSandbox(t.Context(), t.TempDir(), confine.Policy{}); err != nil && os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
		t.Fatalf("no sandbox on this machine: %v", err)
	} else if err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	c := sh(t, script)
	c.Confine = &confine.Policy{Write: []string{c.Dir}}
	return c
}

// TestProbeSandbox: the policy is tried too, and what a person lets be read is no escape.
func TestProbeSandbox(t *testing.T) {
	t.Parallel()
	confined(t, "")
	dir := t.TempDir()
	for _, p := range []confine.Policy{{}, {Write: []string{dir}}, {Read: []string{filepath.Dir(dir)}}, {Read: []string{filepath.Join(dir, "nowhere")}}} {
		if err := proc.ProbeSandbox(t.Context(), dir, p); err != nil {
			t.Errorf("ProbeSandbox of %+v: %v", p, err)
		}
	}
	missing := filepath.Join(dir, "missing")
	var failed *confine.StepError
	if err := proc.ProbeSandbox(t.Context(), dir, confine.Policy{Write: []string{missing}}); !errors.As(err, &failed) || failed.Step != "make "+missing+" writable" {
		t.Errorf("ProbeSandbox of a folder that is not there = %v", err)
	}
}

// TestProbeSandboxWhereThereIsNone: in a sandbox, which denies user namespaces as some containers do, the step that fails is named, and
// a partial one can be had.
func TestProbeSandboxWhereThereIsNone(t *testing.T) {
	if os.Getenv("JACQUARD_PROC_NESTED") != "" { // inside
		err := proc.ProbeSandbox(t.Context(), os.TempDir(), confine.Policy{})
		var failed *confine.StepError
		if !errors.As(err, &failed) || failed.Step != "make namespaces" {
			t.Errorf("ProbeSandbox = %v, want that namespaces cannot be made", err)
		}
		if !confine.Inside() {
			t.Error("it is not known that this is a sandbox")
		}
		if err := proc.ProbeSandbox(t.Context(), os.TempDir(), confine.Policy{Partial: true}); err != nil {
			t.Errorf("a partial sandbox in one: %v", err)
		}
		return
	}
	t.Parallel()
	if confine.Inside() {
		t.Error("a sandbox is seen where none is")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := confined(t, "")
	c.Argv, c.Env = []string{self, "-test.run", "^TestProbeSandboxWhereThereIsNone$"}, env("JACQUARD_PROC_NESTED=1", "TMPDIR="+c.Dir)
	c.Confine.Read = []string{self}
	if r := run(t, c); r.Exit != 0 {
		t.Errorf("inside: exit %d: %s%s", r.Exit, r.Stdout.Text, r.Stderr.Text)
	}
}

func TestConfinedExitAndStreams(t *testing.T) {
	t.Parallel()
	r := run(t, confined(t, "echo out; echo err >&2; exit 3"))
	if r.Exit != 3 || r.Signal != "" || r.Ended != proc.Exited || r.Stdout.Text != "out\n" || r.Stderr.Text != "err\n" {
		t.Errorf("Run = %+v", r)
	}
	if r := run(t, confined(t, "kill -KILL $$")); r.Exit != -1 || r.Signal != "SIGKILL" {
		t.Errorf("after kill: exit, signal = %d, %q, want -1, SIGKILL", r.Exit, r.Signal)
	}
}

// TestConfinedHome: the table of users says the same of the home folder as the environment, so that no program can tell by it where it runs.
func TestConfinedHome(t *testing.T) {
	t.Parallel()
	c := confined(t, `while IFS=: read -r name _ id _ _ home _; do [ "$id" = "$(id -u)" ] && printf '%s %s' "$name" "$home"; done < /etc/passwd; : > /etc/passwd`)
	c.Env = env("HOME=" + c.Dir)
	r := run(t, c)
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if want := who.Username + " " + c.Dir; r.Stdout.Text != want {
		t.Errorf("the table of users says %q, want %q", r.Stdout.Text, want)
	}
	if r.Exit == 0 {
		t.Error("the table of users can be written")
	}
}

func TestConfinedStartErrors(t *testing.T) {
	t.Parallel()
	c := confined(t, "")
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "tool"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var failed *confine.StepError
	c.Argv = []string{filepath.Join(c.Dir, "none")}
	if _, err := proc.Run(t.Context(), c); !errors.Is(err, proc.ErrNotFound) || errors.As(err, &failed) {
		t.Errorf("a program that is not there: %v", err)
	}
	c.Argv = []string{filepath.Join(outside, "tool")}
	if _, err := proc.Run(t.Context(), c); !errors.As(err, &failed) || !strings.Contains(err.Error(), "sandbox: {read") {
		t.Errorf("a program outside: %v", err)
	}
	c.Argv, c.Dir = []string{"true"}, outside
	if _, err := proc.Run(t.Context(), c); !errors.As(err, &failed) || !strings.Contains(failed.Step, outside) {
		t.Errorf("a folder outside: %v", err)
	}
	c.Confine.Write = []string{filepath.Join(outside, "none")}
	if _, err := proc.Run(t.Context(), c); !errors.As(err, &failed) {
		t.Errorf("a writable folder that is not there: %v", err)
	}
}

// TestConfinedLeavesNothing: neither a daemon nor what the driver was killed over is there afterwards.
func TestConfinedLeavesNothing(t *testing.T) {
	t.Parallel()
	c := confined(t, `setsid sleep 60 & setsid sh -c 'env -i sleep 60' & echo started; wait`)
	c.Total = 300 * time.Millisecond
	c.Mark = t.TempDir()
	var id proc.ID
	c.Started = func(p *proc.Process) { id = p.ID }
	r := run(t, c)
	if r.Ended != proc.TotalLimit || r.Pid != id.Pid || id.Alive() || len(proc.Sweep(c.Mark)) > 0 {
		t.Errorf("Run = %+v, alive %v", r, id.Alive())
	}
	c = confined(t, `setsid sleep 60 & echo started`)
	if r := run(t, c); r.Left != 1 || r.Exit != 0 || r.Duration > 30*time.Second {
		t.Errorf("a daemon: %+v, want one that was left", r)
	}
}

// TestConfinedEndsWithItsDriver: a driver that is killed cannot tell anybody, and what it ran ends all the same.
func TestConfinedEndsWithItsDriver(t *testing.T) {
	if ready := os.Getenv("JACQUARD_PROC_DRIVER"); ready != "" { // the driver
		c := confined(t, `setsid sleep 600 & echo ready; sleep 600`)
		c.Line = func([]byte) { _ = os.WriteFile(ready, []byte(strconv.Itoa(os.Getpid())), 0o600) }
		run(t, c)
		return
	}
	t.Parallel()
	confined(t, "")
	ready := filepath.Join(t.TempDir(), "ready")
	driver := exec.Command(os.Args[0], "-test.run", "^TestConfinedEndsWithItsDriver$")
	driver.Env = append(os.Environ(), "JACQUARD_PROC_DRIVER="+ready, "TMPDIR="+filepath.Dir(ready)) // it is killed and removes nothing
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it runs", func() bool { _, err := os.Stat(ready); return err == nil })
	below := children(driver.Process.Pid)
	if len(below) < 3 { // the stage and two that sleep
		t.Errorf("the driver has %v", below)
	}
	if err := driver.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = driver.Wait()
	for _, pid := range below {
		eventually(t, fmt.Sprintf("process %d gone", pid), gone(pid))
	}
}

// children are all processes below one.
func children(parent int) (out []int) {
	list, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range list {
		b, _ := os.ReadFile(f)
		_, rest, _ := strings.Cut(string(b), ") ") // no name here has a bracket
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			out = append(append(out, pid), children(pid)...)
		}
	}
	return out
}

func TestConfinedLadder(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := confined(t, `trap 'echo asked; exit 7' TERM; echo ready; while :; do sleep 0.05; done`)
	c.Line = func([]byte) { cancel() }
	r, err := proc.Run(ctx, c)
	if err != nil || r.Exit != 7 || r.Stdout.Text != "ready\nasked\n" {
		t.Errorf("Run = %+v, %v, want that the command hears the signal", r, err)
	}
}

// TestStageHasItsThreads: when the command has used up all processes the stage could make no thread, so it has them before.
func TestStageHasItsThreads(t *testing.T) {
	t.Parallel()
	r := run(t, confined(t, `sed -n 's/^Threads:\t//p' /proc/1/status`))
	if n, err := strconv.Atoi(strings.TrimSpace(r.Stdout.Text)); err != nil || n < 12 {
		t.Errorf("the stage has %q threads: %+v", r.Stdout.Text, r)
	}
}

// TestConfinedLimits: what is more than a command may use ends it, and is said with the figure.
func TestConfinedLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		limits       confine.Limits
		want         string
	}{
		{"memory", `exec awk 'BEGIN { s = "x"; while (1) s = s s }'`, confine.Limits{Memory: 64 << 20}, `^memory: more than 64 MiB of memory \([0-9.]+ [MG]iB\)$`},
		{"processes", `while :; do sleep 60 & done`, confine.Limits{Processes: 320}, `^pids: as many as 320 processes and threads \(3[0-9]+\)$`},
		{"file", `head -c 8M /dev/zero >big; exit 3`, confine.Limits{File: 4 << 20}, ""},
		{"file of the command", `exec head -c 8M /dev/zero >big`, confine.Limits{File: 4 << 20}, `^file: more than 4 MiB in one file$`},
		{"temporary files", `head -c 8M /dev/zero >/tmp/big`, confine.Limits{Temp: 4 << 20}, `^temp: more than 4 MiB of temporary files$`},
		{"disk", `n=0; while :; do n=$((n+1)); head -c 1M /dev/zero >f$n; done`, confine.Limits{Disk: 16 << 20}, `^disk: more than 16 MiB written to disk \([0-9.]+ [MG]iB\)$`},
		{"disk without names", `exec 3>f 4>g; rm f g; while :; do head -c 1M /dev/zero >&3; done`, confine.Limits{Disk: 16 << 20}, `^disk: more than 16 MiB written to disk \([0-9.]+ [MG]iB\)$`},
		{"output", `while :; do echo line; echo error >&2; done`, confine.Limits{Output: 1 << 20}, `^output: more than 1 MiB of output \([0-9.]+ MiB\)$`},
		{"none of them", `head -c 1M /dev/zero >f; head -c 1M /dev/zero >/tmp/f; head -c 1000 /dev/zero; exit 4`, confine.Limits{Memory: 1 << 30, Processes: 400, File: 2 << 20, Temp: 2 << 20, Disk: 1 << 30, Output: 1001}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := confined(t, c.script)
			cmd.Confine.Limits = c.limits
			cmd.Total = time.Minute
			var kept strings.Builder
			cmd.Output = &kept
			r := run(t, cmd)
			if !regexp.MustCompile(c.want).MatchString(r.Limit) || (c.want == "") != (r.Limit == "") || r.Ended == proc.TotalLimit {
				t.Errorf("limit %q, want %s: %+v", r.Limit, c.want, r)
			}
			if kept.Len() > 1<<20 {
				t.Errorf("%d bytes of output were kept", kept.Len())
			}
		})
	}
}

// TestConfinedUse: how much a command and what it starts have used is known when it is over. It lasts for two seconds, so that it is seen.
func TestConfinedUse(t *testing.T) {
	t.Parallel()
	r := run(t, confined(t, `for i in 1 2 3 4 5 6 7 8; do sleep 60 & done; exec awk 'BEGIN { s = "x"; while (length(s) < 32e6) s = s s; system("sleep 2") }'`))
	if r.Exit != 0 || r.Used.Memory < 32<<20 || r.Used.Memory > 1<<30 || r.Used.Processes < 10 || r.Used.Processes > 200 {
		t.Errorf("Run = %+v, want more than 32 MiB and 10 processes", r)
	}
}

func TestConfinedPorts(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, "hello\n")
			conn.Close()
		}
	}()
	port := l.Addr().(*net.TCPAddr).Port
	script := fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%d && cat <&3`, port)
	c := confined(t, "")
	c.Argv = []string{"bash", "-c", script}
	if r := run(t, c); r.Exit == 0 {
		t.Errorf("a service outside was reached: %+v", r)
	}
	c.Confine.Ports = []int{port}
	if r := run(t, c); r.Stdout.Text != "hello\n" {
		t.Errorf("a port that is passed in was not reached: %+v", r)
	}
}

// TestConfinedDoor: what is served at the door is reached from inside, and by nobody else.
func TestConfinedDoor(t *testing.T) {
	t.Parallel()
	c := confined(t, "")
	c.Argv = []string{"bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/25777 && cat <&3"}
	c.Confine.Door = 25777
	c.Serve = func(l net.Listener) {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if other, err := net.Dial("tcp", "127.0.0.1:25777"); err == nil {
			other.Close()
			fmt.Fprint(conn, "the door is open to all\n")
		}
		fmt.Fprint(conn, "hello\n")
	}
	if r := run(t, c); r.Stdout.Text != "hello\n" {
		t.Errorf("Run = %+v, want a greeting", r)
	}
}
