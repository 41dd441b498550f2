package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var errLocked = errors.New("locked")

// runLock is the operating system's lock of one run; the kernel frees it when
// the process dies, however it dies.
type runLock struct{ f *os.File }

func (r *Runtime) lockPath(run string) string {
	return filepath.Join(r.o.Dir, "runs", run+".lock")
}

// Alone waits for the lock of a file and holds it until it is released or the process dies: for what is looked at and then done,
// and must not change in between.
func Alone(ctx context.Context, path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, environment(err)
	}
	err = patiently(ctx, func() error { return lockFile(f, false) }, func(_ int, err error) bool { return errors.Is(err, errLocked) })
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// lock takes the lock for a driver; a shared one only looks whether it is
// free, so that those who list runs do not take each other for a driver.
func (r *Runtime) lock(run string, shared bool) (*runLock, error) {
	f, err := os.OpenFile(r.lockPath(run), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, environment(err)
	}
	if err := lockFile(f, shared); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &runLock{f}, nil
}

// lockPatiently tries for a moment: somebody who lists runs holds the lock
// for the blink of an eye to see whether it is free. It tries longer when the
// driver that has it is gone: a child that the dead process was about to
// start keeps the lock until it has become another program.
func (r *Runtime) lockPatiently(ctx context.Context, run string) (l *runLock, err error) {
	err = patiently(ctx, func() (err error) {
		l, err = r.lock(run, false)
		return err
	}, func(n int, err error) bool {
		return errors.Is(err, errLocked) && (n < 15 || n < 500 && r.orphaned(run))
	})
	if err != nil {
		return nil, err
	}
	if err := l.sign(); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// patiently does something until it succeeds, again says of its nth failure that it is not to be tried again, or ctx ends.
func patiently(ctx context.Context, do func() error, again func(n int, err error) bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 1; ; n++ {
		err := do()
		if err == nil || !again(n, err) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sign writes the driver's process id into the lock file.
func (l *runLock) sign() error {
	if err := l.f.Truncate(0); err != nil {
		return environment(err)
	}
	if _, err := l.f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0); err != nil {
		return environment(err)
	}
	return nil
}

// signed names the process that signed the lock.
func (r *Runtime) signed(run string) string {
	raw, err := os.ReadFile(r.lockPath(run))
	if err != nil || len(raw) == 0 {
		return "another process"
	}
	return "process " + string(raw)
}

// orphaned reports whether the process that signed the lock is gone.
func (r *Runtime) orphaned(run string) bool {
	raw, err := os.ReadFile(r.lockPath(run))
	if err != nil {
		return false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	return err == nil && gone(pid)
}

func (l *runLock) release() { _ = l.f.Close() }

// alive reports whether some process drives the run now.
func (r *Runtime) alive(run string) bool {
	l, err := r.lock(run, true)
	if err == nil {
		l.release()
		return false
	}
	return errors.Is(err, errLocked) && !r.orphaned(run)
}
