package git_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jacquard-build/jacquard/internal/git"
)

// TestRefsBesideOthers: refs are right whatever others do between two changes: they move refs, pack them, or end the git that
// makes the changes.
func TestRefsBesideOthers(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", nil)
	r := s.open("r")
	ctx := t.Context()
	a := s.git("r", "rev-parse", "HEAD")
	b, _ := snapshot(t, r)
	set := func(name, id, old string, want error) {
		t.Helper()
		if err := r.SetRef(ctx, name, id, old); !errors.Is(err, want) {
			t.Errorf("SetRef(%s, %.7s, %.7s) = %v, want %v", name, id, old, err, want)
		}
	}
	const x, y = "refs/jacquard/x", "refs/jacquard/y"
	set(x, a, "", nil)
	s.git("r", "pack-refs", "--all")
	set(x, a, "", nil)
	set(x, b, "", git.ErrMoved)
	set(x, b, a, nil)
	s.git("r", "update-ref", x, a, b)
	set(x, b, "", git.ErrMoved)
	set(x, b, a, nil)
	s.git("r", "update-ref", "-d", x)
	set(x, a, b, git.ErrMoved)
	set(x, a, "", nil)
	s.git("r", "update-ref", y, a)
	s.git("r", "pack-refs", "--all")
	if err := r.DeleteRef(ctx, y, a); err != nil {
		t.Error(err)
	}
	killed := killGit(t, s.path("r"), "update-ref")
	set(y, b, "", nil)
	set("refs/jacquard/z", b, "", nil)
	if killed += killGit(t, s.path("r"), "update-ref"); killed != 2 {
		t.Errorf("%d were ended, want one before and one after: is it one for many changes?", killed)
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { set(fmt.Sprintf("refs/jacquard/n/%d", i), a, "", nil) })
	}
	all.Wait()
	if got := must[map[string]string](t)(r.Refs(ctx, "refs/jacquard/")); len(got) != 23 || got[x] != a || got[y] != b {
		t.Errorf("refs %v", got)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if n := killGit(t, s.path("r"), "update-ref"); n != 0 {
		t.Errorf("%d were left after the end", n)
	}
}

// TestHeadIsWhatGitSays: however HEAD is written, it is what git takes it for.
func TestHeadIsWhatGitSays(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(s *sandbox) (dir string){
		"branch":     func(*sandbox) string { return "r" },
		"packed":     func(s *sandbox) string { s.git("r", "pack-refs", "--all"); return "r" },
		"detached":   func(s *sandbox) string { s.git("r", "checkout", "-q", "--detach"); return "r" },
		"unborn":     func(s *sandbox) string { s.git("r", "checkout", "-q", "--orphan", "new/한글"); return "r" },
		"work tree":  func(s *sandbox) string { s.git("r", "worktree", "add", "-q", "-b", "b", "../w"); return "w" },
		"bare name":  func(s *sandbox) string { s.file("r/.git/HEAD", "ref: refs/heads/main"); return "r" },
		"trailing":   func(s *sandbox) string { s.file("r/.git/HEAD", "ref: refs/heads/main\r\n"); return "r" },
		"more space": func(s *sandbox) string { s.file("r/.git/HEAD", "ref:  refs/heads/main\n"); return "r" },
		"through a ref": func(s *sandbox) string {
			s.git("r", "symbolic-ref", "refs/heads/a", "refs/heads/main")
			s.git("r", "symbolic-ref", "HEAD", "refs/heads/a")
			return "r"
		},
		"no branch": func(s *sandbox) string {
			s.git("r", "update-ref", "refs/x/y", "HEAD")
			s.git("r", "symbolic-ref", "HEAD", "refs/x/y")
			return "r"
		},
		"link": func(s *sandbox) string {
			s.remove("r/.git/HEAD")
			s.link("r/.git/HEAD", "refs/heads/main")
			return "r"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.repo("r", map[string]string{"f": "1"})
			dir := do(s)
			h := must[git.Head](t)(s.open(dir).Head(t.Context()))
			want := git.Head{Unborn: name == "unborn"}
			if !want.Unborn {
				want.Commit = s.git(dir, "rev-parse", "HEAD")
			}
			if name != "detached" {
				want.Branch = strings.TrimPrefix(s.git(dir, "symbolic-ref", "HEAD"), "refs/heads/")
			}
			if h != want {
				t.Errorf("%+v, want %+v", h, want)
			}
		})
	}
}

// killGit ends the children of this process that carry out a git command in a folder.
func killGit(t *testing.T, dir, command string) (killed int) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tasks {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		for id := range strings.FieldsSeq(string(text)) {
			argv, _ := os.ReadFile("/proc/" + id + "/cmdline")
			at, _ := os.Readlink("/proc/" + id + "/cwd")
			if at != dir || !strings.Contains(string(argv), "\x00"+command+"\x00") {
				continue
			}
			n, err := strconv.Atoi(id)
			if err == nil {
				err = syscall.Kill(n, syscall.SIGKILL)
			}
			if err != nil {
				t.Error(err)
			}
			killed++
		}
	}
	return killed
}
