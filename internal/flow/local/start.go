package local

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// start runs the handler of a want; its start is durable already.
func (d *driver) start(w flow.Want) {
	n := d.l.starts[w.Key]
	ctx, cancel := context.WithCancelCause(d.ctx)
	d.running[w.Key] = cancel
	if d.l.state.Cancelled != 0 {
		cancel(flow.ErrCancelled)
	}
	h := flow.HandlerOf(d.r.o.Handlers, w.Step)
	j := d.r.job(d.run, w.Key, n)
	j.Branch, j.Blobs, j.Beat = w.Branch, d.r.o.Blobs, d.beat(w, n)
	go func() {
		o := outcome{want: w, n: n}
		o.out, o.err = h.Call(ctx, j, w.In)
		if ctx.Err() != nil {
			o.gone = context.Cause(ctx)
		}
		d.results <- o
	}()
}

// beat marks progress durably enough (a file) and passes it on, lossy. A
// handler may call it from several goroutines.
func (d *driver) beat(w flow.Want, n int) func(any) {
	var once sync.Once
	return func(progress any) {
		once.Do(func() { d.r.progress(d.run, w.Key, n) })
		if d.r.o.Progress == nil {
			return
		}
		raw, err := json.Marshal(progress)
		if err != nil {
			return
		}
		d.r.o.Progress(flow.Event{Run: d.run, At: d.r.o.Clock.Now(), Type: flow.EventProgress, Key: w.Key, Branch: w.Branch, Data: raw})
	}
}

// job is a start of a step with its folders.
func (r *Runtime) job(run, key string, n int) flow.Job {
	j := flow.Job{Run: run, Key: key, Start: n, Dir: r.attemptDir(run, key, n), Mark: mark(run, key, n)}
	for i := n - 1; i >= 1; i-- {
		j.Previous = append(j.Previous, r.attemptDir(run, key, i))
	}
	return j
}

const progressFile = "progress"

// progress notes that a start has made progress.
func (r *Runtime) progress(run, key string, n int) {
	dir := r.attemptDir(run, key, n)
	if os.MkdirAll(dir, 0o755) == nil {
		_ = os.WriteFile(filepath.Join(dir, progressFile), nil, 0o644)
	}
}

func (r *Runtime) progressed(run, key string, n int) bool {
	_, err := os.Stat(filepath.Join(r.attemptDir(run, key, n), progressFile))
	return err == nil
}

// hopeless takes the steps that kept ending with their driver out of starts.
func (d *driver) hopeless(starts *[]flow.Want) []flow.Want {
	var bad []flow.Want
	*starts = slices.DeleteFunc(*starts, func(w flow.Want) bool {
		is := d.l.starts[w.Key] >= flow.MaxWasted && d.wasted(w.Key) >= flow.MaxWasted
		if is {
			bad = append(bad, w)
		}
		return is
	})
	return bad
}

// wasted counts the starts of an open step since the last one that made
// progress; those that were stopped in good order do not count.
func (d *driver) wasted(key string) int {
	n := 0
	for i := d.l.starts[key]; i >= 1; i-- {
		if d.r.progressed(d.run, key, i) {
			break
		}
		if !slices.Contains(d.l.stops[key], i) {
			n++
		}
	}
	return n
}
