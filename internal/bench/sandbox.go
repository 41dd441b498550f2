package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/proc"
)

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
	b.row("start of a confined command", median(times[0]), 25*time.Millisecond, "goal")
	if err := b.killed(); err != nil {
		return err
	}
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

// killed measures how long what a run has started in its sandbox outlives a kill -9 of the program.
func (b *bench) killed() error {
	dir := filepath.Join(b.dir, "killed")
	play, err := b.sleeping(dir, 1, "1h")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, b.bin, "compile", "--scenario", play)
	run.Dir, run.Env = dir, append(os.Environ(), "HOME="+filepath.Join(b.dir, "home"), "XDG_CACHE_HOME="+filepath.Join(b.dir, "cache"))
	if err := run.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	var all []string
	for !slices.ContainsFunc(all, isAgent) {
		select {
		case err := <-ended:
			return fmt.Errorf("the run ended before its agent began: %w", err)
		case <-time.After(time.Millisecond):
			all = below(strconv.Itoa(run.Process.Pid))
		}
	}
	began := time.Now()
	if err := run.Process.Kill(); err != nil {
		return err
	}
	if err := <-ended; err == nil {
		return errors.New("the run ended by itself")
	}
	for slices.ContainsFunc(all, runs) {
		if ctx.Err() != nil {
			return errors.New("processes of the sandbox outlive the program")
		}
		time.Sleep(time.Millisecond)
	}
	b.row(fmt.Sprintf("until %d processes have ended after kill -9", len(all)), time.Since(began), 2*time.Second, "goal")
	return nil
}

// below are the processes that one has started, and those that they have.
func below(pid string) (all []string) {
	lists, _ := filepath.Glob("/proc/" + pid + "/task/*/children") // the pattern is right
	for _, list := range lists {
		raw, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(raw)) {
			all = append(append(all, child), below(child)...)
		}
	}
	return all
}

// runs reports whether a process is there, and no zombie that nobody has asked for yet.
func runs(pid string) bool {
	raw, err := os.ReadFile("/proc/" + pid + "/stat")
	_, rest, _ := strings.Cut(string(raw), ") ")
	return err == nil && !strings.HasPrefix(rest, "Z")
}

// isAgent reports whether a process is an agent of a scenario.
func isAgent(pid string) bool {
	raw, _ := os.ReadFile("/proc/" + pid + "/cmdline")
	return strings.Contains(string(raw), "\x00agent-play\x00")
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
	fmt.Fprintf(b.out, "%s\t%v\tunconfined %v, goal 1.05 times\t%.2f\n", what, round(median(times[0])), round(median(times[1])), ratios[len(ratios)/2])
	return nil
}
