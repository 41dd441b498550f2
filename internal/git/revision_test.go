package git_test

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/git"
)

// TestFilesAreThoseOfTheListing: Files has what Listing has, without opening any of it.
func TestFilesAreThoseOfTheListing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("lib", map[string]string{"l.go": "l"})
	s.repo("r", map[string]string{"clean": "c", "modified": "1", "gone": "1", "rmcached": "1", "rm": "1", "sub/x": "1", "모듈/명세.md": "k"})
	s.git("r", "submodule", "add", "-q", s.path("lib"), "mod")
	s.git("r", "commit", "-q", "-m", "second")
	s.file("r/.gitignore", "*.log\n")
	s.file("r/modified", "2")
	s.file("r/new/untracked", "u")
	s.file("r/x.log", "ignored")
	s.file("r/.jacquard/journal", "engine")
	s.file("r/mod/more", "m")
	s.remove("r/gone")
	s.git("r", "rm", "-q", "rm")
	s.git("r", "rm", "-q", "--cached", "rmcached")
	s.dir("r/nested")
	s.git("r/nested", "init", "-q")
	if runtime.GOOS != "windows" {
		s.link("r/loop", "loop")
	}
	for _, dir := range []string{"r", "r/sub"} {
		r := s.open(dir)
		var all, own []string
		for p, f := range must[map[string]git.File](t)(r.Listing(t.Context(), nil)) {
			if f.Deleted || f.Mode == "160000" {
				continue
			}
			all = append(all, p)
			if !strings.HasPrefix(p, "mod/") {
				own = append(own, p)
			}
		}
		slices.Sort(all)
		slices.Sort(own)
		equal(t, dir, must[[]string](t)(r.Files(t.Context(), true)), all)
		equal(t, dir+" without submodules", must[[]string](t)(r.Files(t.Context(), false)), own)
	}
	if got := must[[]string](t)(s.open("r").Files(t.Context(), true)); !slices.Contains(got, "mod/more") || slices.Contains(got, "gone") {
		t.Errorf("files %q", got)
	}
}

func TestRevision(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1"})
	first := s.git("r", "rev-parse", "HEAD")
	s.git("r", "tag", "-a", "-m", "x", "v1")
	s.file("r/a", "2")
	s.git("r", "commit", "-q", "-a", "-m", "second")
	r := s.open("r")
	for rev, want := range map[string]string{"HEAD~1": first, "v1": first, first[:8]: first, "main": s.git("r", "rev-parse", "HEAD")} {
		if got := must[string](t)(r.Revision(t.Context(), rev)); got != want {
			t.Errorf("%s is %s, want %s", rev, got, want)
		}
	}
	for _, rev := range []string{"", "nowhere", "--all", "HEAD:a", "-h", "main..HEAD", "HEAD\nHEAD"} {
		if got, err := r.Revision(t.Context(), rev); !errors.Is(err, git.ErrNoRef) {
			t.Errorf("%q is %q, %v", rev, got, err)
		}
	}
	s.dir("empty")
	s.git("empty", "init", "-q")
	if _, err := s.open("empty").Revision(t.Context(), "HEAD"); !errors.Is(err, git.ErrNoRef) {
		t.Errorf("HEAD without commits: %v", err)
	}
}

func TestIndexAndHooks(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1", "sub/b": "1"})
	s.file("r/sub/b", "2")
	s.git("r", "add", "sub/b")
	s.file("r/sub/b", "3")
	s.file("r/a", "2")
	r := s.open("r/sub")
	id := must[string](t)(r.WriteBlob(t.Context(), []byte("2")))
	equal(t, "index", must[[]git.Entry](t)(r.Index(t.Context(), "")), []git.Entry{{Path: "b", Mode: "100644", ID: id}})
	first := must[string](t)(r.WriteBlob(t.Context(), []byte("1")))
	s.git("r", "read-tree", "--index-output=other", "HEAD")
	equal(t, "another index", must[[]git.Entry](t)(r.Index(t.Context(), "other")), []git.Entry{{Path: "b", Mode: "100644", ID: first}})
	equal(t, "another index by its full path", must[[]git.Entry](t)(r.Index(t.Context(), s.path("r/other"))), []git.Entry{{Path: "b", Mode: "100644", ID: first}})

	hooks := func(want string, inside bool) {
		t.Helper()
		r := s.open("r")
		got := must[string](t)(r.HooksDir(t.Context()))
		if got != want || r.Inside(got) != inside {
			t.Errorf("hooks are in %s (inside %t), want %s", got, r.Inside(got), want)
		}
	}
	hooks(s.path("r/.git/hooks"), true)
	s.git("r", "config", "core.hooksPath", ".githooks")
	hooks(s.path("r/.githooks"), true)
	s.git("r", "config", "core.hooksPath", "~/hooks")
	hooks(filepath.Join(s.path("home"), "hooks"), false)
	s.git("r", "config", "core.hooksPath", s.path("elsewhere"))
	hooks(s.path("elsewhere"), false)
}
