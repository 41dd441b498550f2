package proc

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// awaitExit cannot wait without reaping here.
func awaitExit(int) bool { return false }

func stat(pid int) (entry, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return entry{}, err
	}
	return row(k), nil
}

// keepFiles does nothing: the system has no call for it.
func keepFiles() {}

// boot is empty: start times here are times of day.
func boot() string { return "" }

func row(k *unix.KinfoProc) entry {
	t := k.Proc.P_starttime
	return entry{
		pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid),
		zombie: k.Proc.P_stat == zombie,
		start:  strconv.FormatInt(t.Sec, 10) + "." + strconv.Itoa(int(t.Usec)),
	}
}

// processes lists all processes. The table does not tell sessions; process groups and
// the marks in the environment have to do.
func processes() []entry {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	table := make([]entry, 0, len(all))
	for i := range all {
		table = append(table, row(&all[i]))
	}
	return table
}

// marked looks into arguments and environment, which the system gives as one block.
func marked(pid int, mark string) bool {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && bytes.Contains(b, wanted(mark))
}
