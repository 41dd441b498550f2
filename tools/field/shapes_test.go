package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestShapes plays a commit of each small project below testdata/shapes back, as the field does with public repositories. The projects copy
// shapes that were found there: how their people test them, what fails in them, what cannot run here.
func TestShapes(t *testing.T) {
	jacquard := os.Getenv("FIELD_JACQUARD")
	if jacquard == "" {
		t.Skip("FIELD_JACQUARD is the program to try: make shapes")
	}
	shapes, err := os.ReadDir("testdata/shapes")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]string{"go-systems": "go test -json ./...", "rust-workspace": "cargo test --workspace", "node-workspaces": "npm install && npm test", "ruby-rspec": "rspec"}
	cases := map[string]string{
		"baseline": "right", "honest": "accepted", "hunk": "rejected", "tests": "rejected", "deleted": "rejected", "skipped": "rejected",
		"prove": "quiet", "prove-hunk": "named", "prove-deleted": "named",
	}
	unread := []string{"c-make", "ruby-rspec"} // nobody knows what a test is in their languages, so none is bent
	for _, s := range shapes {
		t.Run(s.Name(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			f := &field{dir: dir, work: t.TempDir(), jacquard: jacquard, program: "tried", limit: 10 * time.Minute, done: map[string]string{}, ctx: t.Context()}
			var err error
			if f.out, err = os.Create(filepath.Join(dir, "results.jsonl")); err != nil {
				t.Fatal(err)
			}
			defer f.out.Close()
			clone := filepath.Join(dir, "shape+"+s.Name())
			git := func(args ...string) string {
				out, err := f.git(clone, append([]string{"-c", "user.name=Tester", "-c", "user.email=tester@localhost"}, args...)...)
				if err != nil {
					t.Fatal(err)
				}
				return strings.TrimSpace(out)
			}
			shape := filepath.Join("testdata/shapes", s.Name())
			overwrite(t, clone, filepath.Join(shape, "before"))
			git("init", "-q")
			git("add", "-A")
			git("commit", "-q", "-m", "Begin")
			overwrite(t, clone, filepath.Join(shape, "after"))
			git("commit", "-q", "-a", "-m", "Go on")
			err = f.repository(repo{Name: "shape/" + s.Name(), Commit: git("rev-parse", "HEAD"), Own: own[s.Name()]}, 1, func(name string) bool {
				return cases[name] != ""
			})
			if err != nil {
				t.Fatal(err)
			}
			results, err := read(filepath.Join(dir, "results.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			want := maps.Clone(cases)
			if slices.Contains(unread, s.Name()) {
				want["deleted"], want["skipped"], want["prove-deleted"] = "none", "none", "none"
			}
			for _, r := range results {
				if r.Outcome != want[r.Case] {
					t.Errorf("%s: %s, want %s: %s (%d tests, its own command %d)", r.Case, r.Outcome, want[r.Case], r.Why, r.Tests, r.Own)
				}
				delete(want, r.Case)
			}
			if len(want) > 0 {
				t.Errorf("not tried: %v", want)
			}
		})
	}
}

func overwrite(t *testing.T, to, from string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, info.Mode())
	})
	if err != nil {
		t.Fatal(err)
	}
}
