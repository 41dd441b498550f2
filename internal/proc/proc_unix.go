//go:build unix

package proc

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/jacquard-build/jacquard/internal/confine"
)

// sweepTime bounds how long a sweep runs after something that starts processes faster
// than they can be ended.
const sweepTime = 10 * time.Second

// group is the session that a command leads. Its id is the process id of the leader.
type group struct{ leader int }

func configure(cmd *exec.Cmd) {
	keepFiles()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func join(cmd *exec.Cmd, _ confine.Limits) (group, error) { return group{leader: cmd.Process.Pid}, nil }

func (g group) awaitExit() bool { return awaitExit(g.leader) }

func (g group) signal(s Signal) {
	sig := syscall.SIGTERM
	switch s {
	case Interrupt:
		sig = syscall.SIGINT
	case Terminate:
	case Kill:
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-g.leader, sig)
}

func (g group) end(mark string) []int {
	if mark == "" {
		_ = syscall.Kill(-g.leader, syscall.SIGKILL)
		return nil
	}
	return sweep(mark, g.leader)
}

func (g group) close() {}

func endTree(id ID) []int { return sweep("", id.Pid) }

// Identify returns the identity of the living process pid.
func Identify(pid int) (ID, error) {
	e, err := stat(pid)
	if err == nil && e.zombie {
		err = os.ErrProcessDone
	}
	if err != nil {
		return ID{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return ID{Pid: pid, Start: boot() + ":" + e.start}, nil
}

// Sweep ends every process that carries mark in its environment, for example what a
// dead driver left running, and returns the process ids that were ended. A mark that
// ends in a star stands for all marks that begin so.
func Sweep(mark string) []int {
	if mark == "" {
		return nil
	}
	return sweep(mark, 0)
}

// wanted is what the environment of a process with a mark holds.
func wanted(mark string) []byte {
	if prefix, ok := strings.CutSuffix(mark, "*"); ok {
		return []byte("\x00" + MarkName + "=" + prefix)
	}
	return []byte("\x00" + MarkName + "=" + mark + "\x00")
}

// sweep kills what carries mark, what belongs to the session of leader, and what
// descends from one of these, until nothing is left. The pids exclude the leader
// when it is named together with a mark.
func sweep(mark string, leader int) []int {
	var ended []entry
	for deadline := time.Now().Add(sweepTime); ; time.Sleep(2 * time.Millisecond) {
		left := find(mark, leader)
		if leader > 0 {
			_ = syscall.Kill(-leader, syscall.SIGKILL)
		}
		for _, e := range left {
			e.kill()
			if !slices.ContainsFunc(ended, func(o entry) bool { return o.pid == e.pid }) {
				ended = append(ended, e)
			}
		}
		// A process that dies loses its environment before it is gone, so that the table
		// alone could say too early that nothing is left.
		dying := slices.ContainsFunc(ended, entry.alive)
		if (len(left) == 0 && !dying) || time.Now().After(deadline) {
			break
		}
	}
	var pids []int
	for _, e := range ended {
		if mark == "" || e.pid != leader {
			pids = append(pids, e.pid)
		}
	}
	return pids
}

// entry is one row of the system's table of processes.
type entry struct {
	pid, parent, group, session int
	zombie                      bool
	start                       string
}

// kill ends the process unless its id belongs to another one by now. The handle of
// os.Process is bound to the process where the system can do that.
func (e entry) kill() {
	p, err := os.FindProcess(e.pid)
	if err != nil {
		return
	}
	if e.alive() {
		_ = p.Kill()
	}
	_ = p.Release()
}

func (e entry) alive() bool {
	now, err := stat(e.pid)
	return err == nil && !now.zombie && now.start == e.start
}

// find lists the living processes that belong to mark or to leader, and their descendants.
func find(mark string, leader int) []entry {
	table := processes()
	self := os.Getpid()
	in := map[int]bool{}
	for _, e := range table {
		switch {
		case e.zombie || e.pid == self || e.pid == 1:
		case leader > 0 && (e.pid == leader || e.session == leader || e.group == leader):
			in[e.pid] = true
		case mark != "" && marked(e.pid, mark):
			in[e.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, e := range table {
			if !in[e.pid] && in[e.parent] && !e.zombie && e.pid != self {
				in[e.pid], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(table, func(e entry) bool { return !in[e.pid] })
}

func exitOf(s *os.ProcessState) (code int, signal string) {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return -1, unix.SignalName(w.Signal())
	}
	return s.ExitCode(), ""
}

func signalName(n int) string { return unix.SignalName(syscall.Signal(n)) }

func candidates(file string) []string { return []string{file} }

func executable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

func sameVariable(a, b string) bool { return a == b }
