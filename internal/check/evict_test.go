package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
)

func TestOldInstallationsGoFirst(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	start := time.Now()
	install := func(name string, age time.Duration, size int, done bool) {
		dir := filepath.Join(cache, name)
		if err := os.MkdirAll(filepath.Join(dir, "tree"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "tree", "big"), make([]byte, size), 0o444); err != nil {
			t.Fatal(err)
		}
		if !done {
			return
		}
		if err := os.WriteFile(filepath.Join(dir, "done"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, "done"), start, start.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	left := func() []string {
		list, err := os.ReadDir(cache)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range list {
			names = append(names, e.Name())
		}
		return names
	}
	install("old", 5*time.Hour, 5000, true) // two blocks, as each of these
	install("older", 9*time.Hour, 5000, true)
	install("used", time.Minute, 5000, true)
	install("go-build", 99*time.Hour, 100, false) // no installation
	install("older.gradle", 0, 0, false)          // a part of it
	all := left()
	install("installing-1", 0, 1, false)
	install("installing-2.cache", 0, 1, false)
	install("cut.gradle", 0, 1, false)
	for _, name := range []string{"installing-2.cache", "cut.gradle", "older.gradle"} {
		if err := os.Chtimes(filepath.Join(cache, name), start, start.Add(-30*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	check.Evict(cache, 3*8<<10, time.Hour)
	if got, want := left(), []string{"go-build", "installing-1", "old", "older", "older.gradle", "used"}; !slices.Equal(got, want) {
		t.Errorf("what was cut long ago goes: %v are left, want %v", got, want)
	}
	if err := os.RemoveAll(filepath.Join(cache, "installing-1")); err != nil {
		t.Fatal(err)
	}
	if got := left(); !slices.Equal(got, all) {
		t.Errorf("within the limit: %v are left, want %v", got, all)
	}
	check.Evict(cache, 3*8<<10-1, time.Hour)
	if got, want := left(), []string{"go-build", "old", "used"}; !slices.Equal(got, want) {
		t.Errorf("one too many: %v are left, want %v", got, want)
	}
	check.Evict(cache, 0, time.Hour)
	if got, want := left(), []string{"go-build", "used"}; !slices.Equal(got, want) {
		t.Errorf("all too many: %v are left, want %v: what was used just now stays", got, want)
	}
}
