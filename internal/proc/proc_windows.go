package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/jacquard-build/jacquard/internal/confine"
)

// group is the job object that a command and everything it starts belongs to. The
// system ends them all when the last handle closes, also when we die.
type group struct {
	job windows.Handle
	pid uint32
}

func configure(cmd *exec.Cmd) {
	// Suspended until it is in the job, so that nothing it starts can be outside.
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED,
		HideWindow:    true,
	}
}

func join(cmd *exec.Cmd, l confine.Limits) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{}, fmt.Errorf("create job object: %w", err)
	}
	g := group{job: job, pid: uint32(cmd.Process.Pid)}
	if err := g.adopt(l); err != nil {
		g.close()
		return group{}, err
	}
	return g, nil
}

// adopt puts the process into the job, which bounds memory and processes of all that it starts.
func (g group) adopt(l confine.Limits) error {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if l.Memory > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		info.JobMemoryLimit = uintptr(l.Memory)
	}
	if l.Processes > 0 {
		info.BasicLimitInformation.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
		info.BasicLimitInformation.ActiveProcessLimit = uint32(l.Processes)
	}
	_, err := windows.SetInformationJobObject(g.job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return fmt.Errorf("limit job object: %w", err)
	}
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, g.pid)
	if err != nil {
		return fmt.Errorf("open process: %w", err)
	}
	defer windows.CloseHandle(p) //nolint:errcheck // nothing to do about it
	if err := windows.AssignProcessToJobObject(g.job, p); err != nil {
		return fmt.Errorf("assign to job object: %w", err)
	}
	return resume(g.pid)
}

// resume starts the threads of a process that was created suspended.
func resume(pid uint32) error {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer windows.CloseHandle(snap) //nolint:errcheck // nothing to do about it
	row := windows.ThreadEntry32{}
	row.Size = uint32(unsafe.Sizeof(row))
	for err = windows.Thread32First(snap, &row); err == nil; err = windows.Thread32Next(snap, &row) {
		if row.OwnerProcessID != pid {
			continue
		}
		t, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, row.ThreadID)
		if err != nil {
			return fmt.Errorf("open thread: %w", err)
		}
		_, err = windows.ResumeThread(t)
		_ = windows.CloseHandle(t)
		if err != nil {
			return fmt.Errorf("resume thread: %w", err)
		}
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return fmt.Errorf("list threads: %w", err)
	}
	return nil
}

func (g group) awaitExit() bool { return false }

func (g group) signal(s Signal) {
	if s == Interrupt {
		_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, g.pid)
		return
	}
	_ = windows.TerminateJobObject(g.job, 1)
}

// end ends the whole job. Which processes were left is not asked.
func (g group) end(string) []int {
	_ = windows.TerminateJobObject(g.job, 1)
	return nil
}

func (g group) close() { _ = windows.CloseHandle(g.job) }

// Sweep has nothing to do on Windows: what a dead driver started ended with its job.
func Sweep(string) []int { return nil }

func endTree(id ID) []int {
	p, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(id.Pid))
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(p) //nolint:errcheck // nothing to do about it
	if windows.TerminateProcess(p, 1) != nil {
		return nil
	}
	return []int{id.Pid}
}

// Identify returns the identity of the living process pid.
func Identify(pid int) (ID, error) {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return ID{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	defer windows.CloseHandle(p) //nolint:errcheck // nothing to do about it
	if s, err := windows.WaitForSingleObject(p, 0); err == nil && s == windows.WAIT_OBJECT_0 {
		return ID{}, fmt.Errorf("identify process %d: %w", pid, os.ErrProcessDone)
	}
	var created, exit, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(p, &created, &exit, &kernel, &user); err != nil {
		return ID{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return ID{Pid: pid, Start: strconv.FormatInt(created.Nanoseconds(), 10)}, nil
}

func exitOf(s *os.ProcessState) (code int, signal string) { return s.ExitCode(), "" }

// candidates adds the extensions of programs; one that is given comes first.
func signalName(n int) string { return strconv.Itoa(n) }

func candidates(file string) []string {
	list := []string{file + ".com", file + ".exe", file + ".bat", file + ".cmd"}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".com", ".exe", ".bat", ".cmd":
		return append([]string{file}, list...)
	}
	return list
}

func executable(fs.FileInfo) bool { return true }

func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }
