package check

import (
	"errors"
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

// Installation is an environment that is installed for checks, complete.
type Installation struct {
	Dir  string
	Used time.Time
}

// Installations are those of a folder.
func Installations(cache string) (out []Installation) {
	entries, _ := os.ReadDir(cache) // without the folder there are none
	for _, e := range entries {
		dir := filepath.Join(cache, e.Name())
		if done, err := os.Stat(filepath.Join(dir, "done")); err == nil && !strings.HasPrefix(e.Name(), "installing-") {
			out = append(out, Installation{dir, done.ModTime()})
		}
	}
	return out
}

// parts are the folders that it has, also those beside its own.
func (i Installation) parts() []string { return []string{i.Dir, i.Dir + ofGradle} }

// Retire has nobody use it any more, and returns the folders that can be removed then. It is renamed first, so that nobody takes half of it for
// the whole; what is left of it goes later.
func (i Installation) Retire() ([]string, error) {
	away := filepath.Join(filepath.Dir(i.Dir), "installing-old-"+filepath.Base(i.Dir))
	return append([]string{away}, i.parts()[1:]...), os.Rename(i.Dir, away)
}

// evict removes installations until those that are left take at most most bytes. It is
// asked after an installation, which takes longer than measuring does.
func evict(cache string, most int64, idle time.Duration) {
	now := time.Now() //nolint:forbidigo // compared with the times of files only
	removeCut(cache, now)
	list, sizes, total := Installations(cache), map[string]int64{}, int64(0)
	for _, x := range list {
		for _, dir := range x.parts() {
			sizes[x.Dir] += sizeOf(dir)
		}
		total += sizes[x.Dir]
	}
	slices.SortFunc(list, func(a, b Installation) int { return a.Used.Compare(b.Used) })
	for _, x := range list {
		if total <= most || now.Sub(x.Used) < idle {
			return
		}
		if dirs, err := x.Retire(); err == nil && errors.Join(each(dirs, removeAll)...) == nil {
			total -= sizes[x.Dir]
		}
	}
}

// removeCut removes what is left of installations whose process was killed.
func removeCut(cache string, now time.Time) {
	entries, _ := os.ReadDir(cache)
	for _, e := range entries {
		dir := filepath.Join(cache, e.Name())
		of, beside := strings.CutSuffix(dir, ofGradle)
		_, err := os.Stat(filepath.Join(of, "done"))
		cut := strings.HasPrefix(e.Name(), "installing-") || beside && err != nil
		if info, err := e.Info(); err == nil && cut && now.Sub(info.ModTime()) > longestInstall {
			_ = removeAll(dir)
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
