package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestSymbolsOfManyProcesses has processes build and read the kept index of symbols at once: each answers rightly, none
// ever sees a half, and no file is left over.
func TestSymbolsOfManyProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const specs = 200
	for i := range specs {
		name := filepath.Join(dir, "p", fmt.Sprintf("m%03d", i), "CLAUDE.md")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("# m\n\n## Purpose\n\nx\n\n## Exports\n\n- `Shared(n int) int`\n- `Only%d(n int) int`\n\n## Behavior\n\nNone\n", i)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "--quiet", filepath.Join(dir, "p")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	find := func(args ...string) (string, string, error) {
		var out, errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Args = append([]string{"jacquard", "--root", filepath.Join(dir, "p"), "spec", "find", "Shared"}, args...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "LANG=C")
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		return out.String(), errs.String(), err
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 5 {
				var flags []string
				if i%2 == 0 {
					flags = []string{"--no-cache"} // writes each time
				}
				out, errs, err := find(flags...)
				if err != nil || errs != "" || strings.Count(out, "\n") != specs {
					t.Errorf("%v, %d symbols, %q", err, strings.Count(out, "\n"), errs)
				}
			}
		})
	}
	wg.Wait()
	kept, err := filepath.Glob(filepath.Join(dir, "cache", "jacquard", "*", "symbols*"))
	if err != nil || len(kept) != 1 || filepath.Base(kept[0]) != "symbols" {
		t.Errorf("kept: %q, %v", kept, err)
	}
}
