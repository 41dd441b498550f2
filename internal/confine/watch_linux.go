//go:build linux && (amd64 || arm64)

package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watcher ends the sandbox when what is in it uses more than it may together.
type watcher struct {
	limits Limits
	places []string // on disk, that the command may change
	began  time.Time
	ended  chan<- string

	free   map[string]int64 // of each place, when it was measured
	walked time.Time
	took   time.Duration

	mostMemory, mostProcesses atomic.Int64 // that were there at once
}

// used is the most that was seen so far.
func (w *watcher) used() Used {
	return Used{Memory: w.mostMemory.Load(), Processes: int(w.mostProcesses.Load())}
}

// raise keeps the larger number.
func raise(most *atomic.Int64, n int64) {
	for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
	}
}

// now is the time: nobody can give the stage a clock.
func now() time.Time { return time.Now() } //nolint:forbidigo // as above

// watched are the places of an order whose disk is used up.
func watched(o order) (out []string) {
	for _, b := range o.Binds {
		if b.Write {
			out = append(out, b.Path)
		}
	}
	for _, l := range o.Overlays {
		if l.Upper != "" { // the others are in memory, and bounded there
			out = append(out, l.Path)
		}
	}
	return out
}

// watch looks at memory ten times a second, at the rest twice.
func (w *watcher) watch() {
	w.free = map[string]int64{}
	w.walked = w.began
	for _, at := range w.places {
		w.free[at], _ = FreeAt(at)
	}
	for n := 0; ; n++ {
		pause := unix.NsecToTimespec(int64(100 * time.Millisecond))
		_ = unix.Nanosleep(&pause, nil)
		over := w.memory()
		if over == "" && n%5 == 4 {
			if over = w.full(); over == "" {
				over = w.disk()
			}
		}
		if over != "" {
			w.ended <- over
			_ = unix.Kill(-1, unix.SIGKILL)
			return
		}
	}
}

// memory says that there is too much of it. What processes share counts for none of them; files in memory are bounded by their file
// systems.
func (w *watcher) memory() string {
	page := int64(os.Getpagesize())
	var used int64
	each(func(pid string) {
		b, err := os.ReadFile("/proc/" + pid + "/statm")
		if f := strings.Fields(string(b)); err == nil && len(f) > 2 {
			resident, _ := strconv.ParseInt(f[1], 10, 64)
			shared, _ := strconv.ParseInt(f[2], 10, 64)
			used += (resident - shared) * page
		}
	})
	raise(&w.mostMemory, used)
	if w.limits.Memory <= 0 || used <= w.limits.Memory {
		return ""
	}
	return Over("memory", used, w.limits.Memory)
}

// spare is how many processes may be missing where a system call says that there can be no more: those that just end.
const spare = 16

// full says that the processes or the temporary files of the sandbox are as many as there may be.
func (w *watcher) full() string {
	n := threads()
	raise(&w.mostProcesses, int64(n))
	if most := w.limits.Processes; most > 0 {
		if os.Getuid() == 0 { // see view.kernel
			most = max(most, 301)
		}
		if n >= most-spare {
			return Over("pids", int64(n), int64(w.limits.Processes))
		}
	}
	for _, at := range temporary {
		var st unix.Statfs_t
		if err := unix.Statfs(at, &st); err == nil && st.Blocks > 0 && st.Bavail == 0 {
			size := int64(st.Blocks) * st.Bsize //nolint:gosec // of a file system in memory
			return Over("temp", size, size)
		}
	}
	return ""
}

// threads counts those of all processes here, the stage among them: the kernel does.
func threads() (n int) {
	count := func(pid string) {
		b, err := os.ReadFile("/proc/" + pid + "/stat")
		i := strings.LastIndexByte(string(b), ')')
		if err != nil || i < 0 {
			return
		}
		if f := strings.Fields(string(b[i+1:])); len(f) > 17 {
			own, _ := strconv.Atoi(f[17])
			n += max(own, 1)
		}
	}
	count("1")
	each(count)
	return n
}

// disk says that the command has written too much. A folder is walked when its file system has lost half of what the command may
// write, and now and then.
func (w *watcher) disk() string {
	if w.limits.Disk <= 0 {
		return ""
	}
	due := time.Since(w.walked) > max(10*time.Second, 50*w.took)
	for _, at := range w.places {
		left, _ := FreeAt(at)
		due = due || w.free[at]-left > w.limits.Disk/2
	}
	if !due {
		return ""
	}
	begun := now()
	var used int64
	for _, at := range w.places {
		w.free[at], _ = FreeAt(at)
		_ = filepath.WalkDir(at, func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // it has gone
			}
			if info, err := e.Info(); err == nil {
				used += w.written(info)
			}
			return nil
		})
	}
	each(func(pid string) { // what has no name any more
		open, _ := filepath.Glob("/proc/" + pid + "/fd/*") // the pattern is right
		for _, fd := range open {
			if info, err := os.Stat(fd); err == nil && info.Mode().IsRegular() && links(info) == 0 {
				used += w.written(info)
			}
		}
	})
	w.walked, w.took = now(), time.Since(begun)
	if used <= w.limits.Disk {
		return ""
	}
	return Over("disk", used, w.limits.Disk)
}

// written is what a file has on disk if the command can have written it. Others may link to the same file meanwhile, which is no change
// of what is in it.
func (w *watcher) written(info fs.FileInfo) int64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() || time.Unix(st.Ctim.Unix()).Before(w.began) || st.Nlink > 1 && info.ModTime().Before(w.began) {
		return 0
	}
	return st.Blocks * 512
}

func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink) //nolint:unconvert // it is of another size on arm64
	}
	return 1
}
