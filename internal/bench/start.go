package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	if err := proc.ProbeSandbox(context.Background(), b.dir); err != nil {
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
	return b.confinedRuns()
}

// confinedRuns measures whole runs, agent and checks, with and without the sandbox. The ratio is the median of those of the pairs.
func (b *bench) confinedRuns() error {
	var times [2][]time.Duration
	var ratios []float64
	for i := range map[bool]int{true: 4, false: 10}[b.short] {
		var pair [2]time.Duration
		for k, level := range []confine.Level{confine.Full, confine.Off} {
			dir := filepath.Join(b.dir, fmt.Sprintf("sandbox%d-%s", i, level))
			play, err := b.sleeping(dir, 1, "0s")
			if err != nil {
				return err
			}
			began := time.Now()
			if _, _, err := b.command(dir, nil, b.bin, "compile", "--scenario", play, "--fresh", "--sandbox", string(level)); err != nil {
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
	fmt.Fprintf(b.out, "a run in the sandbox\t%v\tunconfined %v\t%.2f\n", round(median(times[0])), round(median(times[1])), ratios[len(ratios)/2])
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
