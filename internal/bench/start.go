package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

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
