package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
)

type benchStep struct {
	Text string
	OK   bool
}

var benchWork = flow.Step[benchStep, benchStep]{Name: "work", Lane: "work"}

// floor writes records of 500 bytes and makes each durable: what the file
// system allows at best. It returns the time of one.
func floor(b *testing.B, f *os.File, n int) time.Duration {
	b.Helper()
	rec := make([]byte, 500)
	began := time.Now()
	for range n {
		if _, err := f.Write(rec); err != nil {
			b.Fatal(err)
		}
		if err := datasync(f); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(began) / time.Duration(n)
}

// BenchmarkFdatasync is a hundred durable records of 500 bytes an iteration.
func BenchmarkFdatasync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var total time.Duration
	for b.Loop() {
		total += floor(b, f, 100)
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "ns/fdatasync")
}

// BenchmarkStep is a run of 700 steps, one after the other, each with a result
// of 500 bytes. The outcome of one and the start of the next share a commit.
// The floor is measured between the runs, so that both see the same load.
func BenchmarkStep(b *testing.B) {
	const branches, rounds = 100, 7
	items := make([]string, branches)
	for i := range items {
		items[i] = strconv.Itoa(i)
	}
	w := flow.Workflow[any, int]{Name: "w", Fn: func(c *flow.Ctx, _ any) (int, error) {
		rs, err := flow.All(c, "g", items, strings.Clone, func(c *flow.Ctx, _ string) (int, error) {
			for i, c := range flow.Rounds(c, "r", rounds) {
				if _, err := flow.Do(c, "x", benchWork, benchStep{Text: strconv.Itoa(i)}); err != nil {
					return 0, err
				}
			}
			return 1, nil
		})
		return len(rs), err
	}}
	text := strings.Repeat("x", 480)
	h := flow.Handle(benchWork, func(context.Context, flow.Job, benchStep) (benchStep, error) {
		return benchStep{Text: text, OK: true}, nil
	})
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var steps, syncs time.Duration
	for b.Loop() {
		syncs += floor(b, f, 100)
		rt := benchOpen(b, b.TempDir(), w, h, flow.Limits{Lanes: map[string]int{"work": 1}, Branches: 1})
		began := time.Now()
		st, err := rt.Drive(b.Context(), "r1")
		if err != nil || st.State != flow.Done {
			b.Fatal(st, err)
		}
		steps += time.Since(began) / (branches * rounds)
	}
	b.ReportMetric(float64(steps.Nanoseconds())/float64(b.N), "ns/step")
	b.ReportMetric(float64(syncs.Nanoseconds())/float64(b.N), "ns/fdatasync")
	b.ReportMetric(float64(steps)/float64(syncs), "fdatasyncs/step")
}

func benchOpen(b *testing.B, dir string, w flow.Runnable, h flow.Handler, l flow.Limits) *local.Runtime {
	b.Helper()
	rt, err := local.Open(b.Context(), local.Options{Dir: dir, Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{h}, Limits: l})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = rt.Close() })
	err = rt.Start(b.Context(), flow.NewRun{ID: "r1", Def: w.Def(), In: json.RawMessage("null")})
	if err != nil && !errors.Is(err, flow.ErrExists) {
		b.Fatal(err)
	}
	return rt
}

// BenchmarkResume10000 is the time from opening the journal to the first step
// at work, in the middle of a run of 10,000 modules with seven steps each.
func BenchmarkResume10000(b *testing.B) {
	const modules = 10_000
	items := make([]string, modules)
	for i := range items {
		items[i] = fmt.Sprintf("src/pkg%05d", i)
	}
	w := flow.Workflow[any, int]{Name: "w", Fn: func(c *flow.Ctx, _ any) (int, error) {
		rs, err := flow.All(c, "module", items, func(s string) string { return s }, func(c *flow.Ctx, m string) (string, error) {
			in := benchStep{Text: m}
			for _, c := range flow.Rounds(c, "r", 7) {
				v, err := flow.Do(c, "x", benchWork, in)
				if err != nil {
					return "", err
				}
				in.Text = v.Text
			}
			return in.Text, nil
		})
		return len(rs), err
	}}
	limits := flow.Limits{Lanes: map[string]int{"work": 16}, Branches: 64}
	dir := b.TempDir()
	begin := time.Now()
	ended, half := 0, make(chan struct{})
	count := make(chan struct{}, 64)
	go func() {
		for range count {
			if ended++; ended == modules*7/2 {
				close(half)
			}
		}
	}()
	run := func(at func()) {
		ctx, stop := context.WithCancel(b.Context())
		defer stop()
		h := flow.Handle(benchWork, func(ctx context.Context, _ flow.Job, in benchStep) (benchStep, error) {
			if at != nil {
				at()
				stop()
				return in, ctx.Err()
			}
			count <- struct{}{}
			return benchStep{Text: "tree " + in.Text[:min(16, len(in.Text))], OK: true}, nil
		})
		rt := benchOpen(b, dir, w, h, limits)
		if at == nil {
			go func() { <-half; stop() }()
		}
		if st, err := rt.Drive(ctx, "r1"); err != nil || st.State != flow.Interrupted {
			b.Fatal(st.State, err)
		}
		if err := rt.Close(); err != nil {
			b.Fatal(err)
		}
	}
	run(nil)
	b.Logf("first half of %d steps: %v", ended*2, time.Since(begin))
	var total time.Duration
	for b.Loop() {
		began, first := time.Now(), make(chan time.Duration, 64)
		run(func() {
			select {
			case first <- time.Since(began):
			default:
			}
		})
		total += <-first
	}
	b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms-to-first-step")
}
