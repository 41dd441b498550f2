package git_test

import (
	"errors"
	"testing"

	"github.com/jacquard-build/jacquard/internal/git"
)

// TestPush: a branch is made and moved forward, and nothing else; what is somewhere else stays there, and no hook runs.
func TestPush(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1"})
	s.git("", "clone", "-q", "--bare", "r", "bare")
	s.git("r", "remote", "add", "origin", s.path("bare"))
	s.git("r", "tag", "-a", "-m", "t", "v1")
	s.git("r", "config", "push.followTags", "true")
	s.exec("r/.git/hooks/pre-push", "#!/bin/sh\nexit 1\n")
	r := s.open("r")
	one := head(t, r)
	s.git("r", "commit", "-q", "--allow-empty", "-m", "two")
	two := head(t, r)
	at := func(want string) {
		t.Helper()
		if id, err := r.RemoteBranch(t.Context(), "origin", "feat/x", git.Login{}); id != want || err != nil {
			t.Errorf("the remote branch is at %q, %v, want %q", id, err, want)
		}
	}
	at("")
	for _, id := range []string{one, two, two} {
		if err := r.Push(t.Context(), "origin", id, "feat/x", git.Login{Server: "https://example.com", Token: "never"}); err != nil {
			t.Errorf("push %s: %v", id, err)
		}
		at(id)
	}
	s.git("r", "commit", "-q", "--amend", "--allow-empty", "-m", "another two")
	if err := r.Push(t.Context(), "origin", head(t, r), "feat/x", git.Login{}); !errors.Is(err, git.ErrRejected) {
		t.Errorf("a push that would need force: %v", err)
	}
	at(two)
	if err := r.Push(t.Context(), "origin", two, "--force", git.Login{}); !errors.Is(err, git.ErrRefused) {
		t.Errorf("a branch that looks like an option: %v", err)
	}
	if err := r.Push(t.Context(), "nowhere", two, "feat/y", git.Login{}); !errors.Is(err, git.ErrRefused) {
		t.Errorf("a remote that is not there: %v", err)
	}
	if tags := s.git("bare", "tag", "--list"); tags != "" {
		t.Errorf("tags were pushed: %s", tags)
	}
}

func head(t *testing.T, r *git.Repo) string {
	t.Helper()
	h, err := r.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h.Commit
}
