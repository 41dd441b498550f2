package proc

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the child pid is over, without reaping it.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

func processes() []entry {
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	table := make([]entry, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(name))
		if err != nil {
			continue
		}
		if e, err := stat(pid); err == nil {
			table = append(table, e)
		}
	}
	return table
}

// stat reads /proc/PID/stat: pid (name) state ppid pgrp session … starttime is the
// 22nd field. The name may contain spaces and brackets, so it is cut at the last one.
func stat(pid int) (entry, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return entry{}, err
	}
	i := bytes.LastIndexByte(b, ')')
	f := strings.Fields(string(b[i+1:]))
	if i < 0 || len(f) < 20 {
		return entry{}, fmt.Errorf("read /proc/%d/stat: unknown format", pid)
	}
	e := entry{pid: pid, zombie: f[0] == "Z" || f[0] == "X", start: f[19]}
	e.parent, _ = strconv.Atoi(f[1])
	e.group, _ = strconv.Atoi(f[2])
	e.session, _ = strconv.Atoi(f[3])
	return e, nil
}

// keepFiles keeps open files that we were started with, such as a shell's lock, from
// what we start: a process that outlives us would hold them. Go does this only for
// files that it opened itself. Older kernels do not know the call.
func keepFiles() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }

// boot tells one run of the machine from the next: start times count from the boot.
func boot() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// marked reports whether the environment of pid carries the mark. One that cannot be
// read belongs to another user and was not started by us.
func marked(pid int, mark string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	return bytes.Contains(append(append([]byte{0}, b...), 0), wanted(mark))
}
