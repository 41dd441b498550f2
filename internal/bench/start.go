package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/step"
)

// start measures the cold start: the time to the first output of a trivial
// command, beside the smallest thing a process can do.
func (b *bench) start() error {
	mine, theirs, err := b.paired(15, b.dir, []string{b.bin, "version"}, []string{"git", "version"})
	if err != nil {
		return err
	}
	b.row("cold start (jacquard version)", mine, theirs, "git version")
	if err := b.confined(); err != nil {
		return err
	}
	release := os.Getenv("JACQUARD_BENCH_RELEASE")
	if release == "" {
		return nil
	}
	st, err := os.Stat(release)
	if err != nil {
		return err
	}
	if err := b.runStart(release); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "binary as released\t%.1f MB\tlimit 64 MB\t%.2f\n", float64(st.Size())/1e6, float64(st.Size())/64e6)
	return nil
}

// confined measures what a sandbox adds to the start of a command.
func (b *bench) confined() error {
	if err := proc.ProbeSandbox(context.Background(), b.dir, confine.Policy{}); err != nil {
		fmt.Fprintf(b.out, "start of a confined command\tnot measured: %v\t\t\n", err)
		return nil
	}
	var times [2][]time.Duration
	for range 50 {
		for k, policy := range []*confine.Policy{{Write: []string{b.dir}}, nil} {
			res, err := proc.Run(context.Background(), proc.Command{Argv: []string{"/bin/true"}, Dir: b.dir, Confine: policy})
			if err != nil {
				return err
			}
			times[k] = append(times[k], res.Duration)
		}
	}
	b.row("start of a confined command", median(times[0]), median(times[1]), "unconfined")
	if err := b.confinedTests(); err != nil {
		return err
	}
	return b.confinedRuns()
}

// confinedTests measures a run of tests, of a package of this repository, as a check runs it: the compiler's cache is full and lies
// below an overlay.
func (b *bench) confinedTests() error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	said, err := proc.Run(b.ctx, proc.Command{Argv: []string{"go", "env", "GOCACHE", "GOMODCACHE", "GOROOT"}, Dir: here, Env: os.Environ()})
	if err != nil {
		return err
	}
	at := strings.Fields(said.Stdout.Text)
	env := append(os.Environ(), "GOCACHE="+at[0], "GOMODCACHE="+at[1], "GOFLAGS=-buildvcs=false", "TMPDIR="+b.dir)
	policy := &confine.Policy{
		Read: append(confine.Programs(env, os.Getenv("HOME")), here, at[1], at[2]), Write: []string{b.dir}, Overlays: []confine.Overlay{{Path: at[0]}},
	}
	return b.pairs("go test in a sandbox", func(level confine.Level) error {
		c := proc.Command{Argv: []string{"go", "test", "-count=1", "./internal/spec"}, Dir: here, Env: env}
		if level == confine.Full {
			c.Confine = policy
		}
		res, err := proc.Run(b.ctx, c)
		if err == nil && res.Exit != 0 {
			err = fmt.Errorf("go test ended with %d: %s%s", res.Exit, res.Stdout.Text, res.Stderr.Text)
		}
		return err
	})
}

// confinedRuns measures whole runs of a module that has next to nothing to do: what the sandbox costs beside the engine.
func (b *bench) confinedRuns() error {
	n := 0
	return b.pairs("a run of a tiny module in the sandbox", func(level confine.Level) error {
		n++
		dir := filepath.Join(b.dir, fmt.Sprintf("sandbox%d", n))
		play, err := b.sleeping(dir, 1, "0s")
		if err != nil {
			return err
		}
		_, _, err = b.command(dir, nil, b.bin, "compile", "--scenario", play, "--fresh", "--sandbox", string(level))
		return err
	})
}

// pairs measures what something takes in the sandbox and without. The ratio is the median of those of the pairs.
func (b *bench) pairs(what string, run func(confine.Level) error) error {
	var times [2][]time.Duration
	var ratios []float64
	for i := range map[bool]int{true: 6, false: 16}[b.short] {
		var pair [2]time.Duration
		for k, level := range []confine.Level{confine.Full, confine.Off} {
			began := time.Now()
			if err := run(level); err != nil {
				return err
			}
			pair[k] = time.Since(began)
		}
		if i == 0 { // it fills the caches
			continue
		}
		times[0], times[1] = append(times[0], pair[0]), append(times[1], pair[1])
		ratios = append(ratios, float64(pair[0])/float64(pair[1]))
	}
	slices.Sort(ratios)
	fmt.Fprintf(b.out, "%s\t%v\tunconfined %v\t%.2f\n", what, round(median(times[0])), round(median(times[1])), ratios[len(ratios)/2])
	return nil
}

// runStart measures how long a run on this machine takes to its first turn, beside the program as it was before it could use
// a cluster.
func (b *bench) runStart(release string) error {
	before := os.Getenv("JACQUARD_BENCH_BEFORE")
	if there, _ := os.Stat(before); there == nil {
		fmt.Fprintln(b.out, "start of a local run, to its first turn\tnot measured: JACQUARD_BENCH_BEFORE names no program (make before)\t\t")
		return nil
	}
	var times [2][]time.Duration
	for i := range 16 {
		for k, program := range []string{release, before} {
			took, err := b.firstTurn(program, fmt.Sprintf("start%d-%d", i, k))
			if err != nil {
				return err
			}
			if i > 0 { // the first pair warms the caches
				times[k] = append(times[k], took)
			}
		}
	}
	b.row("start of a local run, to its first turn", median(times[0]), median(times[1]), "before it could use a cluster")
	return nil
}

// firstTurn compiles one module and says when its first turn began.
func (b *bench) firstTurn(program, name string) (time.Duration, error) {
	dir := filepath.Join(b.dir, name)
	play, err := b.sleeping(dir, 1, "0s")
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if _, _, err := b.command(dir, nil, program, "compile", "--scenario", play); err != nil {
		return 0, err
	}
	steps, err := b.steps(dir, program)
	if err != nil {
		return 0, err
	}
	for _, s := range steps {
		if s.Step == step.AgentTurn.Name {
			return time.UnixMilli(s.Started).Sub(began), nil
		}
	}
	return 0, fmt.Errorf("the run of %s has no turn", program)
}
