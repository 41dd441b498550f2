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

	"github.com/jacquard-build/jacquard/internal/inspect"
)

// TestSymbolsOfManyProcesses has processes build and read the kept index of symbols at once: each answers rightly, none
// ever sees a half, and no file is left over.
// It takes longer than ten seconds: many processes build an index of many files.
func TestSymbolsOfManyProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const specs = 200
	for i := range specs {
		name := filepath.Join(dir, "p", fmt.Sprintf("m%03d", i), "CLAUDE.md")
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		text := "# m\n\n## Purpose\n\nx\n\n## Behavior\n\nNone\n\n## Exports\n\n- `Shared(n int) int`\n"
		for j := range 120 { // so much that writing it takes a while
			text += fmt.Sprintf("- `Only%dOf%d(first string, second string, third string) (int, error)`\n", j, i)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "--quiet", filepath.Join(dir, "p")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	find := func(args ...string) (string, string, error) {
		var out, errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), bin, append([]string{"--root", filepath.Join(dir, "p"), "spec", "find", "Shared"}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "LANG=C")
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		return out.String(), errs.String(), err
	}
	done := make(chan struct{})
	watched := make(chan int)
	go func() { // reads all the time, so that no half goes unseen
		n := 0
		for {
			select {
			case <-done:
				watched <- n
				return
			default:
			}
			files, _ := filepath.Glob(filepath.Join(dir, "cache", "jacquard", "*", "symbols"))
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Error(err)
				}
				if _, err := inspect.LoadSymbols(b, ""); err != nil || len(b) == 0 {
					t.Errorf("a kept index of %d bytes: %v", len(b), err)
				}
				n++
			}
		}
	}()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			rounds, flags := 8, []string(nil)
			if i < 2 {
				rounds, flags = 8, []string{"--no-cache"} // writes each time
			}
			for range rounds {
				out, errs, err := find(flags...)
				if err != nil || errs != "" || strings.Count(out, "\n") != specs {
					t.Errorf("%v, %d symbols, %q", err, strings.Count(out, "\n"), errs)
				}
			}
		})
	}
	wg.Wait()
	close(done)
	if n := <-watched; n < 10 {
		t.Errorf("only %d looks at the kept index", n)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "cache", "jacquard", "*", "symbols*"))
	if err != nil || len(kept) != 1 || filepath.Base(kept[0]) != "symbols" {
		t.Errorf("kept: %q, %v", kept, err)
	}
}
