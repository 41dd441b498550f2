// Package proc runs child processes and ends everything that they started.
//
// A command gets exactly the environment, directory and input that it is given.
// Each one runs in a session of its own; when it is over, whatever it left behind is
// ended too, also daemons that moved to another session (found by a mark in their
// environment). Memory is bounded whatever a child prints. The package is the only
// importer of os/exec. Linux is proven; macOS and Windows compile and are not.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
)

// MarkName is the environment variable that carries Command.Mark.
const MarkName = "JACQUARD_TURN"

// MaxLine is the length in bytes at which a line given to Command.Line is cut.
const MaxLine = 16 << 20

// ErrNotFound says that the program to run does not exist.
var ErrNotFound = errors.New("program not found")

// ErrPermission says that the program to run exists and may not be executed.
var ErrPermission = errors.New("program may not be executed")

// Signal is one way of asking a process group to end.
type Signal string

// The signals of a ladder. Windows knows only Interrupt (Ctrl-Break) and Kill, which
// stands for Terminate as well.
const (
	Interrupt Signal = "interrupt"
	Terminate Signal = "terminate"
	Kill      Signal = "kill"
)

// Stop is one rung of the ladder that ends a command: send Signal to its process
// group, then give it Wait before the next rung.
type Stop struct {
	Signal Signal
	Wait   time.Duration
}

// Command says what to run and within which limits.
type Command struct {
	// Argv is the program and its arguments. A name without a separator is looked up
	// in the PATH of Env; a relative path is relative to Dir.
	Argv []string
	// Dir is the working directory. It has to be given.
	Dir string
	// Env is the whole environment as KEY=value; nothing is inherited.
	Env []string
	// Stdin is read until it ends; nil is an empty input. It must not block for ever.
	Stdin io.Reader
	// Line is called for every line of stdout without its newline, from one goroutine.
	// A line longer than MaxLine is cut and the reader goes on. The bytes are valid
	// during the call only. Nil means that nobody wants lines.
	Line func(line []byte)
	// Output and Errors receive complete copies of stdout and stderr, if not nil.
	Output, Errors io.Writer
	// Tail is how many bytes of the end of each stream Result keeps; 0 means 64 KiB.
	Tail int
	// Total limits the whole run, Idle the silence on both streams, Linger the time
	// that is left after Process.Finished. 0 means no limit.
	Total, Idle, Linger time.Duration
	// Stop is the ladder that ends the command early; nil means Terminate, 2 s, Kill.
	// It always ends with Kill.
	Stop []Stop
	// Mark is put into the environment as MarkName. Everything that carries it is
	// ended when the command is over. Without a mark only the process group is.
	Mark string
	// Confine is the sandbox that the command runs in, nil for none. Result.Pid is then that of the sandbox: what is inside has
	// other numbers there, and ends with it. A sandbox that cannot be made is a confine.StepError, and nothing has run.
	Confine *confine.Policy
	// Limits bound a command without Confine as far as that goes: its output, and on Windows memory and processes.
	Limits confine.Limits
	// Serve serves the listener of Confine.Door until that is closed, which happens when the command is over.
	Serve func(net.Listener)
	// Started is called once the process runs and before any of its output is read.
	Started func(p *Process)
}

// Process is a command that runs.
type Process struct {
	ID
	once     sync.Once
	finished chan struct{}
}

// Finished says that the command has given its result and should end on its own;
// from now on Command.Linger counts. It may be called more than once.
func (p *Process) Finished() { p.once.Do(func() { close(p.finished) }) }

// End says why a command is over.
type End string

// The ends of a command: on its own, by one of its limits, or by the context.
const (
	Exited      End = "exited"
	TotalLimit  End = "total"
	IdleLimit   End = "idle"
	LingerLimit End = "linger"
	OutputLimit End = "output"
	Cancelled   End = "cancelled"
)

// Tail is the end of a stream. Total counts all bytes that went by.
type Tail struct {
	Text      string
	Total     int64
	Truncated bool
}

// Result is what became of a command that could be started.
type Result struct {
	// Exit is the exit code, or -1 when Signal ended the process.
	Exit int
	// Signal names the signal that ended the process, such as SIGKILL, or is empty.
	Signal         string
	Started        time.Time
	Duration       time.Duration
	Stdout, Stderr Tail
	Ended          End
	// Swept are the process ids of what the command left running and was ended with
	// it. They are known only for a command with a mark.
	Swept []int
	Pid   int
	// Limit is the limit of Limits that ended the command, as confine.Over says it, or empty. Left is how many processes the
	// command left running in its sandbox; they ended with it. Used is what it has used there, for the level full.
	Limit string
	Left  int
	Used  confine.Used
}

// Run carries out c and returns when it and everything it started is over. An exit
// code other than 0 is a result. An error means that the command could not be started
// (ErrNotFound, ErrPermission, or another cause, with an empty Result), or that a copy
// of its streams could not be written (with a complete Result).
func Run(ctx context.Context, c Command) (Result, error) {
	if err := context.Cause(ctx); err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.name(), err)
	}
	r, err := start(c) //nolint:contextcheck // what goes through the doors of a sandbox ends with it
	if err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.name(), err)
	}
	if c.Started != nil {
		c.Started(r.process)
	}
	r.read()
	ended := r.watch(ctx)
	res, err := r.finish(ended)
	if err != nil {
		return res, fmt.Errorf("run %s: %w", c.name(), err)
	}
	return res, nil
}

// limits are those that hold.
func (c Command) limits() confine.Limits {
	if c.Confine != nil {
		return c.Confine.Limits
	}
	return c.Limits
}

func (c Command) name() string {
	if len(c.Argv) == 0 {
		return "nothing"
	}
	return filepath.Base(c.Argv[0])
}

// command resolves the program and builds the description for os/exec.
func (c Command) command() (*exec.Cmd, *sandbox, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, nil, fmt.Errorf("empty command: %w", ErrNotFound)
	}
	if c.Dir == "" {
		return nil, nil, errors.New("no working directory given")
	}
	if _, err := os.Stat(c.Dir); err != nil {
		return nil, nil, fmt.Errorf("working directory: %w", err)
	}
	path, err := c.program()
	if err != nil {
		return nil, nil, err
	}
	env := make([]string, 0, len(c.Env)+1)
	for _, kv := range c.Env {
		if !strings.HasPrefix(kv, MarkName+"=") {
			env = append(env, kv)
		}
	}
	if c.Mark != "" {
		env = append(env, MarkName+"="+c.Mark)
	}
	cmd := &exec.Cmd{Path: path, Args: c.Argv, Dir: c.Dir, Env: env, Stdin: c.Stdin}
	// A grandchild that holds the input pipe must not keep Wait.
	cmd.WaitDelay = time.Second
	configure(cmd)
	if c.Confine == nil {
		return cmd, nil, nil
	}
	s, err := confined(cmd, c.Confine)
	if s != nil {
		s.door, s.serve = c.Confine.Door, c.Serve
	}
	return cmd, s, err
}

func (c Command) program() (string, error) {
	name := c.Argv[0]
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.ContainsRune(filepath.ToSlash(name), '/') {
		return filepath.Join(c.Dir, name), nil
	}
	var path string
	for _, kv := range c.Env {
		if k, v, ok := strings.Cut(kv, "="); ok && sameVariable(k, "PATH") {
			path = v
		}
	}
	return LookPath(name, path)
}

// classify turns the error of a start into one that callers can tell apart.
func classify(err error) error {
	var failed *confine.StepError
	switch {
	case errors.As(err, &failed): // no word about the program
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%w: %w", ErrPermission, err)
	}
	return err
}

// startBusy starts cmd. A program that was written a moment ago can be busy because
// another goroutine forked while its file was open for writing; that passes.
func startBusy(cmd *exec.Cmd) error {
	for try := 0; ; try++ {
		err := cmd.Start()
		if try == 20 || !errors.Is(err, syscall.ETXTBSY) {
			return err
		}
		time.Sleep(time.Duration(try+1) * time.Millisecond)
		*cmd = exec.Cmd{ // one that failed to start cannot be started again
			Path: cmd.Path, Args: cmd.Args, Dir: cmd.Dir, Env: cmd.Env, Stdin: cmd.Stdin,
			Stdout: cmd.Stdout, Stderr: cmd.Stderr, SysProcAttr: cmd.SysProcAttr, ExtraFiles: cmd.ExtraFiles, WaitDelay: cmd.WaitDelay,
		}
	}
}
