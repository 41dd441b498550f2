package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
)

// TestCopyTree: several files at a time are copied or linked, with their modes and links, and an error of one of them is told.
func TestCopyTree(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	for i := range 200 {
		file := filepath.Join(from, fmt.Sprint("d", i%7), fmt.Sprint("f", i))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(file), 0o600|os.FileMode(i%2)<<6); err != nil { //nolint:gosec // every second can be executed
			t.Fatal(err)
		}
	}
	if err := os.Symlink("d0", filepath.Join(from, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, link := range []bool{false, true} {
		to := filepath.Join(t.TempDir(), "copy")
		if err := check.CopyTree(from, to, link); err != nil {
			t.Fatal(err)
		}
		if at, err := os.Readlink(filepath.Join(to, "link")); err != nil || at != "d0" {
			t.Errorf("the link leads to %q (%v)", at, err)
		}
		for i := range 200 {
			name := filepath.Join(fmt.Sprint("d", i%7), fmt.Sprint("f", i))
			was, err := os.Stat(filepath.Join(from, name))
			if err != nil {
				t.Fatal(err)
			}
			is, err := os.Stat(filepath.Join(to, name))
			if err != nil || is.Mode() != was.Mode() || is.Size() != was.Size() || os.SameFile(is, was) != link {
				t.Errorf("links %t: %s is %v (%v), want %v", link, name, is, err, was)
			}
		}
	}
	taken := t.TempDir()
	if err := os.MkdirAll(filepath.Join(taken, "d1", "f1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if check.CopyTree(from, taken, false) == nil {
		t.Error("a file cannot be written where a folder is, and nothing is said")
	}
}
