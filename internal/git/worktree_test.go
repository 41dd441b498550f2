package git_test

import (
	"os"
	"strings"
	"testing"
)

// TestDefaultBranch: origin's own word, then main, then master, then what is checked out.
func TestDefaultBranch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(s *sandbox)
		want string
	}{
		{"what is checked out", func(s *sandbox) { s.git("r", "branch", "-q", "-m", "work") }, "work"},
		{"master", func(s *sandbox) {
			s.git("r", "branch", "-q", "-m", "master")
			s.git("r", "checkout", "-q", "-b", "work")
		}, "master"},
		{"main before master", func(s *sandbox) {
			s.git("r", "branch", "-q", "-m", "main")
			s.git("r", "checkout", "-q", "-b", "master")
		}, "main"},
		{"origin before main", func(s *sandbox) {
			s.git("r", "branch", "-q", "-m", "main")
			s.git("r", "update-ref", "refs/remotes/origin/trunk", "HEAD")
			s.git("r", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
		}, "origin/trunk"},
		{"an origin whose branch is gone", func(s *sandbox) {
			s.git("r", "branch", "-q", "-m", "main")
			s.git("r", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
		}, "main"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.repo("r", map[string]string{"a": "1"})
			c.do(s)
			if got, err := s.open("r").DefaultBranch(t.Context()); got != c.want || err != nil {
				t.Errorf("DefaultBranch = %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestWorktree: one that is clean and merged goes with its branch; git keeps what is not.
func TestWorktree(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1"})
	r := s.open("r")
	if err := r.AddWorktree(t.Context(), s.path("one"), "feat/one", "HEAD"); err != nil {
		t.Fatal(err)
	}
	if err := r.AddWorktree(t.Context(), s.path("two"), "feat/one", "HEAD"); err == nil {
		t.Error("a branch that is there was made again")
	}
	if err := os.WriteFile(s.path("one/b"), []byte("2"), 0o600); err != nil {
		t.Fatal(err)
	}
	begun := strings.TrimSpace(s.git("r", "rev-parse", "HEAD"))
	if err := r.RemoveWorktree(t.Context(), s.path("one"), "feat/one", begun); err == nil {
		t.Error("a work tree with a file that git does not know was removed")
	}
	s.git("one", "add", "b")
	s.git("one", "commit", "-q", "-m", "two")
	if err := r.RemoveWorktree(t.Context(), s.path("one"), "feat/one", begun); err == nil {
		t.Error("a branch with a commit of its own was deleted")
	}
	if s.git("r", "branch", "--list", "feat/one") == "" {
		t.Error("the branch is gone")
	}
	if err := r.AddWorktree(t.Context(), s.path("three"), "feat/three", "HEAD"); err != nil {
		t.Fatal(err)
	}
	if err := r.RemoveWorktree(t.Context(), s.path("three"), "feat/three", begun); err != nil || s.git("r", "branch", "--list", "feat/three") != "" {
		t.Errorf("one of which nothing has come: %v", err)
	}
}
