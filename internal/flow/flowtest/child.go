package flowtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// childName is the first argument of a child process.
const childName = "flowtest-child"

// order is what a child process is told to do.
type order struct {
	Fixture string // which definition and handlers
	Dir     string // where the store and the files of the fixture are
	Append  int    // die at this append of this process; 0 = do not
	Wait    bool   // wait for every timer instead of parking
}

// IsChild reports whether a command line is that of a child process which a
// story started, and what to give to Child.
func IsChild(args []string) (spec string, ok bool) {
	if len(args) == 3 && args[1] == childName {
		return args[2], true
	}
	return "", false
}

// Child drives a run in a process that may be killed, and returns its exit
// code. Each fixture is made anew, as another process would.
func Child(ctx context.Context, spec string, open Open) int {
	var o order
	if err := json.Unmarshal([]byte(spec), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	opt := fixtures()[o.Fixture](o.Dir, true)
	opt.Committed = func(n int) {
		if n == o.Append {
			die()
		}
	}
	rt, err := open(ctx, o.Dir, opt)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = rt.Close() }()
	if _, err := rt.Drive(ctx, run); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// die ends this process as kill -9 does: nothing of it runs any more.
func die() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = p.Kill()
	}
	select {} // the signal is on its way
}

// fixtures are what child processes drive, by name. The handlers of a fixture
// kill their process only when child is set.
func fixtures() map[string]func(dir string, child bool) Options {
	return map[string]func(string, bool) Options{
		"rounds": roundsFixture, "poison": poisonFixture, "half": halfFixture, "weave": weaveFixture,
	}
}

// child runs this test binary again with an order and reports whether it was
// killed.
func (l *lab) child(o order) (killed bool) {
	l.t.Helper()
	o.Dir = l.dir
	spec, err := json.Marshal(o)
	if err != nil {
		l.t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		l.t.Fatal(err)
	}
	p, err := os.StartProcess(exe, []string{exe, childName, string(spec)}, &os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}})
	if err != nil {
		l.t.Fatalf("start a child process: %v", err)
	}
	watch := time.AfterFunc(hung, func() { _ = p.Kill() })
	defer watch.Stop()
	st, err := p.Wait()
	if err != nil {
		l.t.Fatal(err)
	}
	if st.Exited() && st.ExitCode() != 0 {
		l.t.Fatalf("child %s: %v", spec, st)
	}
	return !st.Success()
}

// appendLine adds a line to a file and has it on disk when it returns.
func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(line + "\n"); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// once does a thing the first time it is called for a name in a folder,
// however many processes call it.
func once(dir, name string, do func()) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	_ = f.Close()
	do()
}

// dirBlobs is a blob store good enough for stories.
type dirBlobs struct{ dir string }

func (b dirBlobs) Put(data []byte, typ string) (flow.Blob, error) {
	ref := flow.Blob{SHA256: sum(data), Size: int64(len(data)), Type: typ}
	return ref, os.WriteFile(filepath.Join(b.dir, ref.SHA256), data, 0o644)
}

func (b dirBlobs) Get(ref flow.Blob) ([]byte, error) {
	return os.ReadFile(filepath.Join(b.dir, ref.SHA256))
}

// lines reads a file that appendLine wrote.
func lines(t *testing.T, path string) []string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return splitLines(string(raw))
}
