package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Thread is the time that this thread has had a processor. Who compares two of its answers locks its goroutine to the thread.
func Thread() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err
}
