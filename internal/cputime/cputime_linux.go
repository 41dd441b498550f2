package cputime

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Thread is the time that this thread has had a processor. Who compares two of its answers locks its goroutine to the thread.
func Thread(tb testing.TB) time.Duration {
	tb.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(t.Nano())
}
