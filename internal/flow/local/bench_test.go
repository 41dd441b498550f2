package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

// BenchmarkFdatasync is the floor: a record of 500 bytes made durable.
func BenchmarkFdatasync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	rec := make([]byte, 500)
	for b.Loop() {
		if _, err := f.Write(rec); err != nil {
			b.Fatal(err)
		}
		if err := datasync(f); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStep is a step from its start to its outcome in the journal, one
// after the other, with a result of 500 bytes: two commits, since the outcome of
// one and the start of the next share theirs, about one each.
func BenchmarkStep(b *testing.B) {
	n := b.N
	w := flow.Workflow[any, int]{Name: "w", Fn: func(c *flow.Ctx, _ any) (int, error) {
		rs, err := flow.All(c, "g", make([]struct{}, (n+6)/7), counter(), func(c *flow.Ctx, _ struct{}) (int, error) {
			for i, c := range flow.Rounds(c, "r", 7) {
				if _, err := flow.Do(c, "x", benchWork, benchStep{Text: strconv.Itoa(i)}); err != nil {
					return 0, err
				}
			}
			return 1, nil
		})
		return len(rs), err
	}}
	text := string(make([]byte, 80)) // 480 bytes as JSON
	h := flow.Handle(benchWork, func(context.Context, flow.Job, benchStep) (benchStep, error) {
		return benchStep{Text: text, OK: true}, nil
	})
	rt := benchOpen(b, b.TempDir(), w, h, flow.Limits{Lanes: map[string]int{"work": 1}, Branches: 1})
	b.ResetTimer()
	st, err := rt.Drive(b.Context(), "r1")
	if err != nil || st.State != flow.Done {
		b.Fatal(st, err)
	}
}

// counter names the items of a list by number, the same on every pass.
func counter() func(struct{}) string {
	n := -1
	return func(struct{}) string { n++; return strconv.Itoa(n) }
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
