package check

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What is installed for checks is kept until it is too much; then what was not used for
// the longest time goes. What was used a moment ago may be in use by another process.
const (
	mostInstalled = 10 << 30 // bytes on the disk
	inUse         = time.Hour
)

// used marks an installation as used now.
func used(dir string) {
	now := time.Now()                                    //nolint:forbidigo // compared with the times of files only
	_ = os.Chtimes(filepath.Join(dir, "done"), now, now) // without it the installation goes sooner
}

// longestInstall is more than any installation takes.
const longestInstall = 24 * time.Hour

// evict removes installations until those that are left take at most most bytes. It is
// asked after an installation, which takes longer than measuring does. What was left of installations that were cut goes as well.
func evict(cache string, most int64, idle time.Duration) {
	type installed struct {
		dir  string
		size int64
		used time.Time
	}
	now := time.Now() //nolint:forbidigo // compared with the times of files only
	var list []installed
	var total int64
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(cache, e.Name())
		done, err := os.Stat(filepath.Join(dir, "done"))
		if err != nil {
			_, made := os.Stat(filepath.Join(strings.TrimSuffix(dir, ofGradle), "done"))
			cut := strings.HasPrefix(e.Name(), "installing-") || strings.HasSuffix(e.Name(), ofGradle) && made != nil
			if info, err := e.Info(); err == nil && cut && now.Sub(info.ModTime()) > longestInstall {
				_ = removeAll(dir) // of a process that was killed
			}
			continue
		}
		x := installed{dir: dir, size: sizeOf(dir) + sizeOf(dir+ofGradle), used: done.ModTime()}
		list, total = append(list, x), total+x.size
	}
	slices.SortFunc(list, func(a, b installed) int { return a.used.Compare(b.used) })
	for _, x := range list {
		if total <= most || now.Sub(x.used) < idle {
			return
		}
		// Renamed first, so that nobody takes half of it for the whole.
		away := filepath.Join(cache, "installing-old-"+filepath.Base(x.dir))
		if os.Rename(x.dir, away) == nil && removeAll(away) == nil && removeAll(x.dir+ofGradle) == nil {
			total -= x.size
		}
	}
}

// sizeOf is what a directory takes on the disk, where a file takes whole blocks: packages are many small files.
func sizeOf(dir string) int64 {
	const block = 4 << 10
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				n += (info.Size() + block - 1) / block * block
			}
		}
		return nil
	})
	return n
}
