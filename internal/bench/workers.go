package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/jacquard-build/jacquard/internal/flow/temporal/temporaltest"
)

// workers compiles modules whose turns only wait on a cluster, with three workers and with one, each with as many slots; and
// on this machine alone with that many jobs, which says what the cluster costs.
//
// All lies in memory where the system has a folder there: workers on machines of their own have disks of their own, and those of
// this bench would wait for one.
func (b *bench) workers() error {
	if os.Getenv(temporaltest.ProgramName) == "" {
		fmt.Fprintf(b.out, "workers\tnot measured: %s is not set (make temporal)\t\t\n", temporaltest.ProgramName)
		return nil
	}
	n, slots := 64, 2
	if b.short {
		n = 12
	}
	if dir, err := os.MkdirTemp("/dev/shm", "jacquard-bench-"); err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		inMemory := *b
		inMemory.dir = dir
		b = &inMemory
	}
	s, err := temporaltest.Start(filepath.Join(b.dir, "cluster.db"), 0)
	if err != nil {
		return err
	}
	defer s.Stop()
	one, err := b.pool(s.Address, n, 1, slots)
	if err != nil {
		return err
	}
	three, err := b.pool(s.Address, n, 3, slots)
	if err != nil {
		return err
	}
	alone, err := b.sleepers(n, "2s", slots)
	if err != nil {
		return err
	}
	events, bytes, err := b.histories(s)
	if err != nil {
		return err
	}
	steps := 2 * (1 + 9*n) // both runs, as docs/internals/cluster.md counts
	fmt.Fprintf(b.out, "history of %d steps\t%d events, %d kB\tcalculated %d, %d kB\t%.2f, %.2f\n",
		steps, events, bytes/1000, steps*76/10, steps*356/100, float64(events)/(7.6*float64(steps)), float64(bytes)/(3560*float64(steps)))
	what := fmt.Sprintf("%d independent modules, agents sleep 2s a turn, %d slots a worker", n, slots)
	fmt.Fprintf(b.out, "%s: 3 workers\t%v\t1 worker %v\t%.2f times faster\n", what, round(three), round(one), float64(one)/float64(three))
	fmt.Fprintf(b.out, "%s: 1 worker\t%v\tno cluster %v\t%.2f\n", what, round(one), round(alone), float64(one)/float64(alone))
	return nil
}

// pool compiles with so many workers, each in a clone of its own. The run has twice as many jobs as they have places: a module
// stays with its worker, and while it waits for a place there, others use those that are free elsewhere.
func (b *bench) pool(address string, n, workers, slots int) (time.Duration, error) {
	dir := filepath.Join(b.dir, fmt.Sprintf("pool%d", workers))
	play, err := b.sleeping(dir, n, "2s")
	if err != nil {
		return 0, err
	}
	hub := dir + "-hub" // a folder: they are on one machine
	if err := os.Mkdir(hub, 0o755); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, "jacquard.yaml"), []byte("project: bench/sleepers\nhub: file://"+filepath.ToSlash(hub)+"\n"), 0o644); err != nil {
		return 0, err
	}
	if err := b.commands(dir, [][]string{
		{"git", "add", "-A"}, {"git", "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "hub"}, {b.bin, "trust", "--yes"},
	}); err != nil {
		return 0, err
	}
	env := []string{"JACQUARD_ENGINE=temporal", "TEMPORAL_ADDRESS=" + address}
	var all []*exec.Cmd
	defer func() {
		for _, c := range all {
			_ = c.Process.Signal(os.Interrupt)
			_ = c.Wait()
		}
	}()
	for i := range workers {
		clone := fmt.Sprintf("%s-%d", dir, i)
		if err := b.commands(b.dir, [][]string{{"git", "clone", "-q", dir, clone}, {b.bin, "--root", clone, "trust", "--yes"}}); err != nil {
			return 0, err
		}
		c := exec.CommandContext(b.ctx, b.bin, "--root", clone, "worker", "--scenario", play, "--jobs", fmt.Sprint(slots), "--drain", "1s")
		c.Env = append(os.Environ(), append(env, "HOME="+filepath.Join(b.dir, "home"), "XDG_CACHE_HOME="+filepath.Join(b.dir, "cache"), "LANG=C")...)
		c.Stderr = new(strings.Builder)
		if err := c.Start(); err != nil {
			return 0, err
		}
		all = append(all, c)
	}
	took, _, err := b.command(dir, env, b.bin, "compile", "--pool", "default", "--scenario", play, "--jobs", fmt.Sprint(2*workers*slots))
	return took, err
}

// histories are the events and bytes of all that the service keeps of runs.
func (b *bench) histories(s *temporaltest.Server) (events, bytes int64, err error) {
	c, err := s.Dial(b.ctx)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	list, err := c.ListWorkflow(b.ctx, &workflowservice.ListWorkflowExecutionsRequest{})
	if err != nil {
		return 0, 0, err
	}
	for _, e := range list.GetExecutions() {
		events += e.GetHistoryLength()
		bytes += e.GetHistorySizeBytes()
	}
	return events, bytes, nil
}
