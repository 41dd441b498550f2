package proc

import (
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// orphans finds what a command has left behind that lost its group, its session and its environment: while commands with a mark run,
// this process becomes the parent of everything below it that loses its own.
var orphans struct {
	sync.RWMutex // held for reading while something is started, for writing while the table is read

	on       bool
	marked   int          // commands with a mark that run
	children map[int]bool // that this process has started itself
	known    sync.Mutex
}

// AdoptOrphans has every marked command end also what it started and what hides from its mark. It is for a program all of whose
// processes are started by this package.
func AdoptOrphans() {
	orphans.Lock()
	defer orphans.Unlock()
	orphans.on, orphans.children = true, map[int]bool{}
}

// begin starts something as a child that is known.
func begin(mark string, start func() (pid int, err error)) error {
	orphans.RLock()
	defer orphans.RUnlock()
	if !orphans.on {
		_, err := start()
		return err
	}
	orphans.known.Lock()
	if mark != "" {
		if orphans.marked++; orphans.marked == 1 {
			_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // an old kernel knows no such thing
		}
	}
	orphans.known.Unlock()
	pid, err := start()
	orphans.known.Lock()
	defer orphans.known.Unlock()
	if err == nil {
		orphans.children[pid] = true
	} else {
		release(mark)
	}
	return err
}

// over forgets a child that was waited for.
func over(mark string, pid int) {
	orphans.RLock()
	defer orphans.RUnlock()
	if !orphans.on {
		return
	}
	orphans.known.Lock()
	defer orphans.known.Unlock()
	delete(orphans.children, pid)
	release(mark)
}

func release(mark string) {
	if mark == "" {
		return
	}
	if orphans.marked--; orphans.marked == 0 {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	}
}

// endOrphans kills what lost its parent and carries no mark, with all below it, and gives the ids. What carries one belongs to a command
// that may still run, and ends with it.
func endOrphans() []int {
	orphans.Lock()
	defer orphans.Unlock()
	if !orphans.on {
		return nil
	}
	var pids []int
	for deadline := time.Now().Add(sweepTime); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		found := lost()
		if len(found) == 0 {
			break
		}
		for _, e := range found {
			e.kill()
			if !slices.Contains(pids, e.pid) {
				pids = append(pids, e.pid)
			}
		}
	}
	return pids
}

// lost lists the adopted processes without a mark that live, and everything below them. Dead ones are reaped.
func lost() []entry {
	table, self := processes(), os.Getpid()
	in := map[int]bool{}
	for _, e := range table {
		switch {
		case e.parent != self || orphans.children[e.pid]:
		case e.zombie:
			_, _ = unix.Wait4(e.pid, nil, unix.WNOHANG, nil)
		case !marked(e.pid, "*"):
			in[e.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, e := range table {
			if !in[e.pid] && in[e.parent] && !e.zombie {
				in[e.pid], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(table, func(e entry) bool { return !in[e.pid] })
}
