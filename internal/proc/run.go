package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
)

// running is a started command with its streams.
type running struct {
	c       Command
	cmd     *exec.Cmd
	group   group
	process *Process
	sandbox *sandbox
	began   time.Time
	active  atomic.Int64 // time of the last output, as nanoseconds since began
	out     *stream
	errs    *stream
	meter   *meter
	exited  chan struct{} // closed when the process is over, reaped or not
	waited  bool          // whether waitErr is known; read after exited
	waitErr error
	swept   []int
}

// start starts c. Streams are pipes of our own, not of os/exec, so that a grandchild
// that keeps one open cannot hold us.
func start(c Command) (*running, error) {
	cmd, box, err := c.command()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		box.close()
		return nil, err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		_, _ = outR.Close(), outW.Close()
		box.close()
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = outW, errW
	began := time.Now()
	err = begin(c.Mark, func() (int, error) {
		if err := startBusy(cmd); err != nil {
			if box != nil {
				err = box.stage.NotStarted(err)
			}
			return 0, err
		}
		return cmd.Process.Pid, nil
	})
	_, _ = outW.Close(), errW.Close()
	var g group
	if err == nil {
		if g, err = join(cmd, c.limits()); err == nil {
			err = box.begin()
		}
		if err != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			over(c.Mark, cmd.Process.Pid)
		}
	}
	if err != nil {
		_, _ = outR.Close(), errR.Close()
		box.close()
		return nil, classify(err)
	}
	r := &running{c: c, cmd: cmd, group: g, sandbox: box, began: began, exited: make(chan struct{})}
	id, _ := Identify(cmd.Process.Pid) // empty when it is gone already
	id.Pid = cmd.Process.Pid
	r.process = &Process{ID: id, finished: make(chan struct{})}
	keep := c.Tail
	if keep == 0 {
		keep = 64 << 10
	}
	touch := func() { r.active.Store(int64(time.Since(r.began))) }
	r.meter = &meter{most: c.limits().Output, full: make(chan struct{})}
	r.out = newStream(outR, keep, c.Output, c.Line, touch, r.meter)
	r.errs = newStream(errR, keep, c.Errors, nil, touch, r.meter)
	return r, nil
}

// read starts the readers and the one goroutine that waits for the process.
func (r *running) read() {
	go r.out.read()
	go r.errs.read()
	go func() {
		defer close(r.exited)
		if !r.group.awaitExit() {
			r.waitErr, r.waited = r.cmd.Wait(), true
		}
	}()
}

// watch returns when the process is over, by itself or because a limit was reached.
func (r *running) watch(ctx context.Context) End {
	total, stopTotal := timer(r.c.Total)
	defer stopTotal()
	linger, stopLinger := timer(0)
	defer func() { stopLinger() }()
	idle, stopIdle := timer(r.c.Idle)
	defer func() { stopIdle() }()
	finished := r.process.finished
	if r.c.Linger == 0 {
		finished = nil
	}
	for {
		select {
		case <-r.exited:
			return Exited
		case <-ctx.Done():
			return r.stop(Cancelled)
		case <-total:
			return r.stop(TotalLimit)
		case <-r.meter.full:
			return r.stop(OutputLimit)
		case <-linger:
			return r.stop(LingerLimit)
		case <-finished:
			finished = nil
			linger, stopLinger = timer(r.c.Linger)
		case <-idle:
			silent := time.Since(r.began) - time.Duration(r.active.Load())
			if silent >= r.c.Idle {
				return r.stop(IdleLimit)
			}
			idle, stopIdle = timer(r.c.Idle - silent)
		}
	}
}

// timer is a channel that is ready after d, or never when d is 0.
func timer(d time.Duration) (c <-chan time.Time, stop func()) {
	if d <= 0 {
		return nil, func() {}
	}
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// stop climbs the ladder until the process is over.
func (r *running) stop(why End) End {
	ladder := r.c.Stop
	if ladder == nil {
		ladder = []Stop{{Signal: Terminate, Wait: 2 * time.Second}}
	}
	for _, rung := range ladder {
		if rung.Signal == Kill {
			break
		}
		r.group.signal(rung.Signal)
		t := time.NewTimer(rung.Wait)
		select {
		case <-r.exited:
			t.Stop()
			return why
		case <-t.C:
		}
	}
	// Scanned while the process still lives: its children are then found as such.
	r.swept = r.group.end(r.c.Mark)
	<-r.exited
	return why
}

// finish ends what is left, takes the rest of the output and reaps the process.
func (r *running) finish(ended End) (Result, error) {
	// On Linux the process is not reaped yet, so that its ids cannot belong to
	// anybody else while its group is killed.
	r.swept = append(r.swept, r.group.end(r.c.Mark)...)
	if r.c.Mark != "" {
		r.swept = append(r.swept, endOrphans()...)
	}
	r.out.drain()
	r.errs.drain()
	<-r.out.done
	<-r.errs.done
	if !r.waited {
		r.waitErr = r.cmd.Wait()
	}
	over(r.c.Mark, r.process.Pid)
	r.group.close()
	defer r.sandbox.close()
	res := Result{
		Started: r.began, Duration: time.Since(r.began), Ended: ended, Swept: r.swept, Pid: r.process.Pid,
		Stdout: r.out.tail.result(), Stderr: r.errs.tail.result(),
	}
	if r.cmd.ProcessState == nil {
		return res, fmt.Errorf("wait: %w", r.waitErr)
	}
	res.Exit, res.Signal = exitOf(r.cmd.ProcessState)
	r.sandbox.end(&res)
	if r.meter.most > 0 && r.meter.used.Load() > r.meter.most { // it may have ended by itself meanwhile, and not all was kept
		res.Ended, res.Limit = OutputLimit, confine.Over("output", r.meter.used.Load(), r.meter.most)
	}
	if err := errors.Join(r.out.err, r.errs.err); err != nil {
		return res, fmt.Errorf("copy output: %w", err)
	}
	return res, nil
}
