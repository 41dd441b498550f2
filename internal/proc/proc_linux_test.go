package proc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/proc"
)

// env is a minimal environment in which a shell finds its tools.
func env(extra ...string) []string {
	return append([]string{"PATH=/usr/local/bin:/usr/bin:/bin"}, extra...)
}

func sh(t *testing.T, script string, args ...string) proc.Command {
	t.Helper()
	return proc.Command{Argv: append([]string{"sh", "-c", script, "sh"}, args...), Dir: t.TempDir(), Env: env()}
}

func run(t *testing.T, c proc.Command) proc.Result {
	t.Helper()
	r, err := proc.Run(t.Context(), c)
	if err != nil {
		t.Fatalf("Run(%q) = %v", c.Argv, err)
	}
	return r
}

// eventually polls until ok, since death is asynchronous.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("still not: %s", what)
}

func gone(pid int) func() bool {
	return func() bool { _, err := proc.Identify(pid); return err != nil }
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatalf("pid %q: %v", text, err)
	}
	return n
}

func TestExitCodeIsAResult(t *testing.T) {
	t.Parallel()
	r := run(t, sh(t, "echo out; echo err >&2; exit 3"))
	if r.Exit != 3 || r.Signal != "" || r.Ended != proc.Exited {
		t.Errorf("exit, signal, ended = %d, %q, %q, want 3, none, exited", r.Exit, r.Signal, r.Ended)
	}
	if r.Stdout.Text != "out\n" || r.Stderr.Text != "err\n" || r.Stdout.Truncated || r.Stdout.Total != 4 {
		t.Errorf("streams = %+v, %+v", r.Stdout, r.Stderr)
	}
	if r.Pid == 0 || r.Started.IsZero() || r.Duration <= 0 {
		t.Errorf("pid, started, duration = %d, %v, %v", r.Pid, r.Started, r.Duration)
	}
	if r := run(t, sh(t, "kill -KILL $$")); r.Exit != -1 || r.Signal != "SIGKILL" {
		t.Errorf("after kill: exit, signal = %d, %q, want -1, SIGKILL", r.Exit, r.Signal)
	}
}

func TestStartErrorsHaveAClass(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	script := filepath.Join(dir, "script")
	if err := errors.Join(
		os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600),
		os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		c    proc.Command
		want error
	}{
		"unknown name":       {proc.Command{Argv: []string{"no-such-program"}, Dir: dir, Env: env()}, proc.ErrNotFound},
		"no path":            {proc.Command{Argv: []string{"sh"}, Dir: dir}, proc.ErrNotFound},
		"unknown file":       {proc.Command{Argv: []string{"./nothing"}, Dir: dir}, proc.ErrNotFound},
		"no interpreter":     {proc.Command{Argv: []string{script}, Dir: dir}, proc.ErrNotFound},
		"not executable":     {proc.Command{Argv: []string{"./plain"}, Dir: dir}, proc.ErrPermission},
		"not executable, by": {proc.Command{Argv: []string{"plain"}, Dir: dir, Env: []string{"PATH=" + dir}}, proc.ErrPermission},
		"empty":              {proc.Command{Dir: dir}, proc.ErrNotFound},
	} {
		if _, err := proc.Run(t.Context(), c.c); !errors.Is(err, c.want) {
			t.Errorf("%s: error = %v, want %v", name, err, c.want)
		}
	}
	_, err := proc.Run(t.Context(), proc.Command{Argv: []string{"/bin/sh"}, Dir: filepath.Join(dir, "none")})
	if err == nil || errors.Is(err, proc.ErrNotFound) {
		t.Errorf("missing directory: error = %v, want one that does not blame the program", err)
	}
	if _, err := proc.Run(t.Context(), proc.Command{Argv: []string{"/bin/sh"}}); err == nil {
		t.Error("no directory given: no error")
	}
}

func TestEnvironmentIsGivenNotInherited(t *testing.T) {
	t.Setenv("JACQUARD_PROC_TEST", "leaked")
	t.Setenv(proc.MarkName, "outer")
	c := proc.Command{Argv: []string{"/usr/bin/env"}, Dir: t.TempDir(), Env: []string{"A=1", proc.MarkName + "=forged"}, Mark: "m"}
	if got := run(t, c).Stdout.Text; got != "A=1\n"+proc.MarkName+"=m\n" {
		t.Errorf("environment = %q, want A and the mark only", got)
	}
	c.Env, c.Mark = nil, ""
	if got := run(t, c).Stdout.Text; got != "" {
		t.Errorf("environment = %q, want none", got)
	}
}

func TestOpenFilesAreNotInherited(t *testing.T) {
	t.Parallel()
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inherited, err := syscall.Dup(int(f.Fd())) // as if we had been started with it
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(inherited)
	got := run(t, sh(t, "ls /proc/$$/fd")).Stdout.Text
	if slices.Contains(strings.Fields(got), strconv.Itoa(inherited)) {
		t.Errorf("open files of a child = %q, with %d among them", got, inherited)
	}
}

func TestStdin(t *testing.T) {
	t.Parallel()
	c := sh(t, "cat")
	if r := run(t, c); r.Stdout.Text != "" {
		t.Errorf("cat of nothing = %q", r.Stdout.Text)
	}
	c.Stdin = strings.NewReader("given")
	if r := run(t, c); r.Stdout.Text != "given" {
		t.Errorf("cat = %q, want given", r.Stdout.Text)
	}
	// A child that does not read what it is given is no error.
	c = sh(t, "exit 0")
	c.Stdin = bytes.NewReader(make([]byte, 1<<20))
	if r := run(t, c); r.Exit != 0 {
		t.Errorf("exit = %d", r.Exit)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		want   []int // lengths
	}{
		"plain":           {`printf 'a\nbb\n'`, []int{1, 2}},
		"empty lines":     {`printf '\n\nx'`, []int{0, 0, 1}},
		"no last newline": {`printf 'a\nbb'`, []int{1, 2}},
		"nothing":         {`true`, nil},
		"5 MB":            {`head -c 5000000 /dev/zero | tr '\0' x; printf '\nlast\n'`, []int{5000000, 4}},
		"at the limit":    {`head -c 16777216 /dev/zero | tr '\0' x; printf '\nlast\n'`, []int{proc.MaxLine, 4}},
		"over the limit":  {`head -c 40000000 /dev/zero | tr '\0' x; printf '\nlast\n'`, []int{proc.MaxLine, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []int
			cmd := sh(t, c.script)
			cmd.Line = func(b []byte) { got = append(got, len(b)) }
			run(t, cmd)
			if !slices.Equal(got, c.want) {
				t.Errorf("lengths of lines = %v, want %v", got, c.want)
			}
		})
	}
}

func TestTailAndCopies(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	c := sh(t, `i=0; while [ $i -lt 2000 ]; do echo "한글 $i"; i=$((i+1)); done; echo e >&2`)
	c.Output, c.Errors, c.Tail = &out, &errs, 100
	r := run(t, c)
	if !strings.HasSuffix(out.String(), "한글 1999\n") || strings.Count(out.String(), "\n") != 2000 || errs.String() != "e\n" {
		t.Errorf("copies have %d and %d bytes", out.Len(), errs.Len())
	}
	if !r.Stdout.Truncated || r.Stdout.Total != int64(out.Len()) || len(r.Stdout.Text) > 100 || len(r.Stdout.Text) < 97 ||
		!strings.HasSuffix(out.String(), r.Stdout.Text) || strings.ToValidUTF8(r.Stdout.Text, "?") != r.Stdout.Text {
		t.Errorf("tail = %+v", r.Stdout)
	}
}

// TestTailProperty compares the tail with the plain definition for many ways of writing.
func TestTailProperty(t *testing.T) {
	t.Parallel()
	for keep := 1; keep < 40; keep += 3 {
		for size := 1; size < 90; size += 7 {
			var script strings.Builder // of what the shell does itself: a process for each piece takes longer
			for i := range 9 {
				script.WriteString("printf " + strings.Repeat(strconv.Itoa(i), size) + "\n")
			}
			c := sh(t, script.String())
			var all bytes.Buffer
			c.Output, c.Tail = &all, keep
			r := run(t, c)
			want := all.String()[max(0, all.Len()-keep):]
			if r.Stdout.Text != want {
				t.Fatalf("keep %d of %d: %q, want %q", keep, all.Len(), r.Stdout.Text, want)
			}
		}
	}
}

func TestFloodIsBounded(t *testing.T) {
	t.Parallel()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := sh(t, "head -c 300000000 /dev/zero; head -c 300000000 /dev/zero >&2")
	r := run(t, c)
	runtime.ReadMemStats(&after)
	if r.Stdout.Total != 300000000 || r.Stderr.Total != 300000000 || len(r.Stdout.Text) != 64<<10 {
		t.Errorf("totals = %d, %d, kept %d", r.Stdout.Total, r.Stderr.Total, len(r.Stdout.Text))
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 200<<20 {
		t.Errorf("heap grew by %d MiB for a flood of 600 MB", grown>>20)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestCopyErrorKeepsTheResult(t *testing.T) {
	t.Parallel()
	full := errors.New("disk is full")
	lines := 0
	c := sh(t, "echo a; sleep 0.1; echo b; exit 4")
	c.Output, c.Line = failing{full}, func([]byte) { lines++ }
	r, err := proc.Run(t.Context(), c)
	if !errors.Is(err, full) || r.Exit != 4 || lines != 2 || r.Stdout.Text != "a\nb\n" {
		t.Errorf("Run = %+v, %v after %d lines", r, err, lines)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		set    func(*proc.Command)
		want   proc.End
	}{
		"total": {"for i in $(seq 3000); do echo x; sleep 0.02; done", func(c *proc.Command) { c.Total = 300 * time.Millisecond }, proc.TotalLimit},
		"idle":  {"echo x; sleep 60", func(c *proc.Command) { c.Idle = 300 * time.Millisecond }, proc.IdleLimit},
		"idle is not reached by a talker on stderr": {
			"for i in 1 2 3 4 5 6 7 8 9 0; do echo x >&2; sleep 0.1; done",
			func(c *proc.Command) { c.Idle = 600 * time.Millisecond }, proc.Exited,
		},
		"linger": {"echo result; sleep 60", func(c *proc.Command) {
			var p *proc.Process
			c.Started = func(q *proc.Process) { p = q }
			c.Line = func([]byte) { p.Finished(); p.Finished() }
			c.Linger = 200 * time.Millisecond
		}, proc.LingerLimit},
		"output": {"while :; do echo line; done", func(c *proc.Command) { c.Limits.Output = 1 << 20 }, proc.OutputLimit},
		"linger does not count before the result": {"sleep 0.5", func(c *proc.Command) { c.Linger = time.Millisecond }, proc.Exited},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := sh(t, c.script)
			c.set(&cmd)
			r := run(t, cmd)
			if r.Ended != c.want || r.Duration > 20*time.Second {
				t.Errorf("ended %q after %v, want %q", r.Ended, r.Duration, c.want)
			}
		})
	}
}

func TestLadderReachesKill(t *testing.T) {
	t.Parallel()
	c := sh(t, `trap 'echo int' INT; trap 'echo term' TERM; n=$(seq 1200); echo ready; for i in $n; do sleep 0.05; done`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.Line = func(b []byte) {
		if string(b) == "ready" {
			cancel()
		}
	}
	c.Stop = []proc.Stop{{proc.Interrupt, 400 * time.Millisecond}, {proc.Terminate, 400 * time.Millisecond}}
	r, err := proc.Run(ctx, c)
	if err != nil || r.Ended != proc.Cancelled || r.Signal != "SIGKILL" || r.Stdout.Text != "ready\nint\nterm\n" {
		t.Errorf("Run = %+v, %v, want cancelled by SIGKILL after int and term", r, err)
	}
	// One that obeys the first rung gives its exit code.
	c = sh(t, `trap 'echo flushed; exit 7' INT; n=$(seq 1200); echo ready; for i in $n; do sleep 0.05; done`)
	c.Total, c.Stop = 400*time.Millisecond, []proc.Stop{{proc.Interrupt, 20 * time.Second}, {proc.Kill, 0}}
	if r := run(t, c); r.Exit != 7 || r.Ended != proc.TotalLimit || r.Stdout.Text != "ready\nflushed\n" {
		t.Errorf("Run = %+v, want exit 7", r)
	}
	if _, err := proc.Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("Run with a dead context = %v", err)
	}
}

func TestGroupEndsWithItsCommand(t *testing.T) {
	t.Parallel()
	r := run(t, sh(t, "sleep 60 & echo $!"))
	eventually(t, "grandchild gone", gone(number(t, r.Stdout.Text)))
	if r.Duration > 20*time.Second {
		t.Errorf("took %v although the command had ended", r.Duration)
	}
}

// TestPipeHeldOpen: without a mark a process in another session is not known to us,
// and it holds our pipe. We must return all the same, with everything that was said.
func TestPipeHeldOpen(t *testing.T) {
	t.Parallel()
	c := sh(t, `setsid `+daemon+` &`+known+`; exit 5`)
	c.Stdin = strings.NewReader("x")
	r := run(t, c)
	if r.Exit != 5 || r.Duration > 20*time.Second {
		t.Errorf("Run = %+v", r)
	}
	pid := number(t, r.Stdout.Text)
	if id, err := proc.Identify(pid); err != nil || len(id.End()) == 0 {
		t.Errorf("process %d was expected to live: %v", pid, err)
	}
	eventually(t, "ended by its identity", gone(pid))
}

// daemon is a process that tells who it is in a file; known waits for that and prints it.
const (
	daemon = `sh -c 'echo $$ >pid; exec sleep 60'`
	known  = ` while [ ! -s pid ]; do sleep 0.01; done; cat pid`
)

func TestMarkedProcessesAreSwept(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"own session":                      `setsid ` + daemon + ` &` + known,
		"nohup setsid":                     `nohup setsid ` + daemon + ` >/dev/null 2>&1 &` + known,
		"double fork":                      `(setsid ` + daemon + ` &);` + known,
		"ignores TERM and HUP":             `setsid sh -c 'trap "" TERM HUP INT; echo $$ >pid; for i in $(seq 600); do sleep 0.1; done' &` + known,
		"no environment, but same session": `exec bash -c 'set -m; env -i /bin/sleep 60 & echo $!'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := sh(t, script)
			c.Mark = t.TempDir() // no other run of this test has it
			r := run(t, c)
			pid := number(t, strings.Split(r.Stdout.Text, "\n")[0])
			if !slices.Contains(r.Swept, pid) {
				t.Errorf("swept %v, want %d among them", r.Swept, pid)
			}
			if _, err := proc.Identify(pid); err == nil {
				t.Errorf("process %d still runs after Run", pid)
			}
			if left := proc.Sweep(c.Mark); len(left) != 0 {
				t.Errorf("left after Run: %v", left)
			}
		})
	}
}

// TestStoppedTreeIsScannedAlive: a child that dropped the mark and moved to its own
// session is still found when the command is ended from outside, as a descendant.
func TestStoppedTreeIsScannedAlive(t *testing.T) {
	t.Parallel()
	c := sh(t, `trap '' TERM; env -i setsid /bin/sleep 60 & echo $!; wait`)
	c.Mark, c.Total, c.Stop = t.TempDir(), 500*time.Millisecond, []proc.Stop{{Signal: proc.Kill}}
	r := run(t, c)
	pid := number(t, r.Stdout.Text)
	if r.Ended != proc.TotalLimit || !slices.Contains(r.Swept, pid) {
		t.Errorf("Run = %+v, want %d swept", r, pid)
	}
	eventually(t, "descendant gone", gone(pid))
}

func TestSweepKeepsOtherMarks(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	mine, other := base+"/1", base+"/11"
	pids := map[string]int{}
	for _, mark := range []string{mine, other} {
		// The inner command is unknown to Run, as if the driver had died.
		c := sh(t, `env `+proc.MarkName+`='`+mark+`' setsid `+daemon+` >/dev/null 2>&1 &`+known)
		pids[mark] = number(t, run(t, c).Stdout.Text)
	}
	if got := proc.Sweep(mine); !slices.Equal(got, []int{pids[mine]}) {
		t.Errorf("Sweep(%q) = %v, want %d", mine, got, pids[mine])
	}
	if !gone(pids[mine])() || gone(pids[other])() {
		t.Error("Sweep ended another mark, or not its own")
	}
	if got := proc.Sweep(other); !slices.Equal(got, []int{pids[other]}) {
		t.Errorf("Sweep(%q) = %v, want %d", other, got, pids[other])
	}
	if got := proc.Sweep(""); got != nil {
		t.Errorf("Sweep of no mark = %v", got)
	}
}

func TestSweepOfAllMarksWithAPrefix(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	var pids []int
	for _, mark := range []string{base + "/check.1", base + "/check.22", base + "/other"} {
		c := sh(t, `env `+proc.MarkName+`='`+mark+`' setsid `+daemon+` >/dev/null 2>&1 &`+known)
		pids = append(pids, number(t, run(t, c).Stdout.Text))
	}
	got := proc.Sweep(base + "/check.*")
	slices.Sort(got)
	want := slices.Sorted(slices.Values(pids[:2]))
	if !slices.Equal(got, want) {
		t.Errorf("Sweep of a prefix = %v, want %v", got, want)
	}
	if gone(pids[2])() {
		t.Error("a mark without the prefix was swept")
	}
	proc.Sweep(base + "/other")
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	var id proc.ID
	var alive, forged bool
	c := sh(t, "echo x; sleep 0.3")
	c.Started = func(p *proc.Process) { id = p.ID }
	c.Line = func([]byte) {
		alive = id.Alive()
		forged = proc.ID{Pid: id.Pid, Start: id.Start + "1"}.Alive()
	}
	r := run(t, c)
	if id.Pid != r.Pid || !alive || forged {
		t.Errorf("id %+v of pid %d: alive %v, with another start %v", id, r.Pid, alive, forged)
	}
	if id.Alive() || id.End() != nil || (proc.ID{}).Alive() {
		t.Error("an ended process counts as alive")
	}
}

func TestZombieIsDead(t *testing.T) {
	t.Parallel()
	// The child ends after its parent has become a program that never waits for it.
	c := sh(t, `sh -c 'while [ ! -e go ]; do sleep 0.01; done' & echo $!; exec sleep 60`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var parent int
	c.Started = func(p *proc.Process) { parent = p.Pid }
	done := make(chan struct{})
	c.Line = func(b []byte) {
		pid, _ := strconv.Atoi(string(b))
		go func() {
			defer close(done)
			defer cancel()
			for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
				if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent)); string(name) == "sleep\n" {
					break
				}
			}
			if err := os.WriteFile(filepath.Join(c.Dir, "go"), nil, 0o600); err != nil {
				t.Error(err)
			}
			zombieIsDead(t, pid)
		}()
	}
	r, err := proc.Run(ctx, c)
	<-done
	if err != nil || r.Ended != proc.Cancelled {
		t.Errorf("Run = %+v, %v", r, err)
	}
}

func zombieIsDead(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Errorf("zombie %d vanished: %v", pid, err)
			return
		}
		if strings.Contains(string(b), ") Z ") {
			if _, err := proc.Identify(pid); err == nil {
				t.Error("a zombie counts as alive")
			}
			return
		}
	}
	t.Error("no zombie came")
}

func TestLookPath(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(a, "tool"), nil, 0o600),
		os.WriteFile(filepath.Join(b, "tool"), nil, 0o700),
		os.Mkdir(filepath.Join(a, "dir"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	list := func(dirs ...string) string { return strings.Join(dirs, string(os.PathListSeparator)) }
	if got, err := proc.LookPath("tool", list("", ".", a, b)); err != nil || got != filepath.Join(b, "tool") {
		t.Errorf("LookPath = %q, %v", got, err)
	}
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(cwd, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		want       error
	}{
		{"tool", list(a), proc.ErrPermission},
		{"tool", relative, proc.ErrNotFound},
		{"dir", list(a), proc.ErrNotFound},
		{"tool", "", proc.ErrNotFound},
		{"./tool", list(b), proc.ErrNotFound},
		{"", list(b), proc.ErrNotFound},
	} {
		if got, err := proc.LookPath(c.name, c.path); !errors.Is(err, c.want) {
			t.Errorf("LookPath(%q, %q) = %q, %v, want %v", c.name, c.path, got, err, c.want)
		}
	}
	if got, _ := proc.LookPath("tool", list(a)); got != filepath.Join(a, "tool") {
		t.Errorf("LookPath = %q, want what may not be executed", got)
	}
}

// TestBusyProgramStarts: another goroutine that forks can hold a fresh program open for
// writing a moment longer.
func TestBusyProgramStarts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("#!/bin/sh\necho hi\n"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(30*time.Millisecond, func() { _ = f.Close() })
	if r := run(t, proc.Command{Argv: []string{path}, Dir: t.TempDir(), Env: env()}); r.Stdout.Text != "hi\n" {
		t.Errorf("stdout = %q", r.Stdout.Text)
	}
}
