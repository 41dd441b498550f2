package git_test

import (
	"errors"
	"strings"
	"testing"
	"time"

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
		if id, err := r.RemoteRef(t.Context(), "origin", "refs/heads/feat/x", git.Login{}); id != want || err != nil {
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

// TestShareNotes: notes of two places come together at a remote, without force, and one that refuses them is said.
func TestShareNotes(t *testing.T) {
	t.Parallel()
	const ref = "refs/notes/proof"
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1"})
	s.git("r", "commit", "-q", "--allow-empty", "-m", "two")
	s.git("", "clone", "-q", "--bare", "r", "bare")
	s.git("", "clone", "-q", "bare", "other")
	s.git("r", "remote", "add", "origin", s.path("bare"))
	mine, others := s.open("r"), s.open("other")
	two := head(t, mine)
	one := strings.TrimSpace(s.git("r", "rev-parse", "HEAD~1"))
	by := git.Commit{Name: "T", Email: "t@localhost", Message: "notes", Time: time.Unix(1, 0)}
	say := func(r *git.Repo, commit, text string) {
		t.Helper()
		if err := r.SetNotes(t.Context(), ref, map[string][]byte{commit: []byte(text)}, by); err != nil {
			t.Fatal(err)
		}
	}
	share := func(r *git.Repo) error { return r.ShareNotes(t.Context(), "origin", ref, by, git.Login{}) }
	say(others, one, "first")
	say(others, two, "theirs")
	if err := share(others); err != nil {
		t.Fatal(err)
	}
	say(mine, two, "mine")
	for range 2 { // what is there already is there
		if err := share(mine); err != nil {
			t.Fatal(err)
		}
	}
	for commit, want := range map[string]string{one: "first", two: "mine"} {
		if got := s.git("bare", "notes", "--ref", ref, "show", commit); strings.TrimSpace(got) != want {
			t.Errorf("the note of %s is %q, want %q", commit, got, want)
		}
	}
	s.exec("bare/hooks/pre-receive", "#!/bin/sh\nexit 1\n")
	say(mine, two, "more")
	if err := share(mine); !errors.Is(err, git.ErrRefused) {
		t.Errorf("a remote that refuses: %v", err)
	}
}
