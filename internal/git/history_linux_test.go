package git_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
)

const t0 = 1_600_000_000

func TestSnapshotTouchesNothing(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"branch", "detached", "unborn", "linked"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			dir := prepareSnapshot(s, state)
			r := s.open(dir)
			guard := must[git.Guard](t)(r.Guard(t.Context()))
			// Something that a status would refresh in the index.
			later := time.Now().Add(-time.Hour)
			s.git(dir, "add", ".gitignore")
			if err := os.Chtimes(s.path(dir+"/.gitignore"), later, later); err != nil {
				t.Fatal(err)
			}
			status := s.git(dir, "--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall", "--branch")
			index := s.read(s.index(dir))
			must[map[string]git.File](t)(r.Listing(t.Context(), nil))

			commit, tree := snapshot(t, r)
			equal(t, "tree", listing(t, r, tree), []string{
				"100644 .gitignore", "100755 exec.sh", "120000 link", "100644 modified", "100644 staged", "100644 untracked/모듈 [1].txt",
			})
			if s.read(s.index(dir)) != index {
				t.Error("the index has other bytes")
			}
			if changed := guard.Changed(must[git.Guard](t)(r.Guard(t.Context()))); changed != nil {
				t.Errorf("changed: %q", changed)
			}
			if now := s.git(dir, "--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall", "--branch"); now != status {
				t.Errorf("status was %q\nis %q", status, now)
			}
			log := must[[]git.LogEntry](t)(r.Log(t.Context(), commit, "", 0))
			head := must[git.Head](t)(r.Head(t.Context()))
			if log[0].Tree != tree || log[0].Message != "snapshot" || strings.Join(log[0].Parents, "") != head.Commit {
				t.Errorf("commit = %+v, HEAD = %+v", log[0], head)
			}
			if c2, t2 := snapshot(t, r); c2 != commit || t2 != tree {
				t.Errorf("the second snapshot is another: %s %s", c2, t2)
			}
			for path, want := range map[string]string{"modified": "work", "staged": "later than staged"} {
				if b := must[[]byte](t)(r.ReadBlob(t.Context(), blobOf(t, r, tree, path))); string(b) != want {
					t.Errorf("%s = %q, want %q", path, b, want)
				}
			}
		})
	}
}

func prepareSnapshot(s *sandbox, state string) (dir string) {
	s.t.Helper()
	if state == "unborn" {
		s.dir("r")
		s.git("r", "init", "-q")
	} else {
		s.repo("r", map[string]string{"modified": "1", "staged": "1", "gone": "1", "rm": "1", "exec.sh": "#!"})
	}
	dir = "r"
	switch state {
	case "detached":
		s.git("r", "checkout", "-q", "--detach")
	case "linked":
		s.git("r", "worktree", "add", "-q", "-b", "other", "../linked")
		dir = "linked"
	}
	if state != "unborn" {
		s.file(dir+"/modified", "to stash")
		s.git(dir, "stash", "-q")
		s.git(dir, "rm", "-q", "rm")
		s.remove(dir + "/gone")
	}
	s.file(dir+"/staged", "staged")
	s.git(dir, "add", "staged")
	s.file(dir+"/staged", "later than staged")
	s.file(dir+"/modified", "work")
	s.exec(dir+"/exec.sh", "#!")
	s.file(dir+"/untracked/모듈 [1].txt", "u")
	s.link(dir+"/link", "untracked/모듈 [1].txt")
	s.file(dir+"/.gitignore", "*.log\n")
	s.file(dir+"/x.log", "ignored")
	s.file(dir+"/.jacquard/journal", "engine")
	return dir
}

func (s *sandbox) index(dir string) string {
	s.t.Helper()
	return strings.TrimPrefix(s.git(dir, "rev-parse", "--path-format=absolute", "--git-path", "index"), s.base+"/")
}

// TestSnapshotSeesRacyChange: same size, same time as in the index; only the fact that
// the index is not newer tells git to look.
func TestSnapshotSeesRacyChange(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"f": "old"})
	when := time.Unix(1_700_000_000, 0)
	if err := os.Chtimes(s.path("r/f"), when, when); err != nil {
		t.Fatal(err)
	}
	s.git("r", "config", "core.trustctime", "false")
	s.git("r", "config", "core.checkStat", "minimal")
	s.git("r", "update-index", "--refresh")
	s.file("r/f", "new")
	for _, p := range []string{"r/f", "r/.git/index"} {
		if err := os.Chtimes(s.path(p), when, when); err != nil {
			t.Fatal(err)
		}
	}
	r := s.open("r")
	_, tree := snapshot(t, r)
	if b := must[[]byte](t)(r.ReadBlob(t.Context(), blobOf(t, r, tree, "f"))); string(b) != "new" {
		t.Errorf("snapshot has %q", b)
	}
}

func TestSnapshotOfEmptyAndSubdirectory(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.dir("empty")
	s.git("empty", "init", "-q")
	r := s.open("empty")
	_, tree := snapshot(t, r)
	if got := listing(t, r, tree); got != nil {
		t.Errorf("tree = %q", got)
	}
	s.repo("r", map[string]string{"p[1]/a": "1", "other/b": "1"})
	s.file("r/other/b", "2")
	s.file("r/p[1]/.jacquard/x", "engine")
	s.file("r/p1/.jacquard/x", "not ours")
	r = s.open("r/p[1]")
	_, tree = snapshot(t, r)
	head := must[git.Head](t)(r.Head(t.Context())).Commit
	equal(t, "project", listing(t, r, tree), []string{"100644 a"})
	equal(t, "changes", changes(must[[]git.Change](t)(r.Diff(t.Context(), head, tree))), []string{"M ../other/b", "A ../p1/.jacquard/x"})
}

func TestSnapshotUsesTheUsersFilters(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{".gitattributes": "*.txt text eol=crlf\n", "a.txt": "1\n"})
	s.file("r/a.txt", "1\r\n2\r\n")
	r := s.open("r")
	_, tree := snapshot(t, r)
	id := blobOf(t, r, tree, "a.txt")
	if b := must[[]byte](t)(r.ReadBlob(t.Context(), id)); string(b) != "1\n2\n" {
		t.Errorf("snapshot has %q", b)
	}
	if f := must[map[string]git.File](t)(r.Listing(t.Context(), nil))["a.txt"]; f.ID != id {
		t.Errorf("listing %+v and snapshot %s differ", f, id)
	}
}

func TestUsersHooksAndMonitorsDoNotRun(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1"})
	s.exec("evil.sh", "#!/bin/sh\ntouch '"+s.path("ran")+"'\ncat\n")
	evil := s.path("evil.sh")
	for _, hook := range []string{"pre-commit", "post-commit", "reference-transaction", "post-index-change", "post-checkout"} {
		s.exec("r/.git/hooks/"+hook, "#!/bin/sh\ntouch '"+s.path("ran")+"'\n")
	}
	for k, v := range map[string]string{
		"core.fsmonitor": evil, "diff.external": evil, "gpg.program": evil, "commit.gpgsign": "true", "core.pager": evil,
		"core.editor": evil, "diff.d.textconv": evil, "merge.m.driver": evil, "core.hooksPath": s.path("r/.git/hooks"),
	} {
		s.git("r", "config", k, v)
	}
	s.file("r/.gitattributes", "* diff=d merge=m\n")
	s.remove("ran")
	r := s.open("r")
	ctx := t.Context()
	s.file("r/a", "2")
	must[map[string]git.File](t)(r.Listing(ctx, nil))
	commit, tree := snapshot(t, r)
	head := must[git.Head](t)(r.Head(ctx)).Commit
	d := must[[]git.FileDiff](t)(r.AddedLines(ctx, head, tree))
	if len(d) != 2 || len(d[1].Added) != 1 {
		t.Errorf("lines = %+v", d)
	}
	if err := r.SetRef(ctx, "refs/jacquard/x", commit, ""); err != nil {
		t.Error(err)
	}
	base, other := s.tree("r", head), must[string](t)(r.EditTree(ctx, tree, []git.Edit{{Path: "a", Mode: "100644", ID: blobText(t, r, "3")}}))
	if _, c, err := r.Merge(ctx, base, tree, other); err != nil || len(c) != 1 {
		t.Errorf("merge = %v, %v", c, err)
	}
	must[*git.Clone](t)(r.Clone(ctx, s.path("clone"), tree))
	must[[]string](t)(r.Checkout(ctx, tree, s.path("check")))
	must[git.Guard](t)(r.Guard(ctx))
	if s.has("ran") {
		t.Error("something of the user's configuration was run")
	}
}

func TestValidBranch(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", nil)
	r := s.open("r")
	for name, want := range map[string]bool{"a": true, "jacquard/모듈": true, "": false, "-d": false, "a b": false, "a..b": false, "a.lock": false, "a\nb": false} {
		if got := must[bool](t)(r.ValidBranch(t.Context(), name)); got != want {
			t.Errorf("ValidBranch(%q) = %v", name, got)
		}
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", nil)
	r := s.open("r")
	ctx := t.Context()
	a := s.git("r", "rev-parse", "HEAD")
	b, _ := snapshot(t, r)
	const name = "refs/jacquard/run/모듈"
	if _, err := r.Ref(ctx, name); !errors.Is(err, git.ErrNoRef) {
		t.Errorf("Ref = %v", err)
	}
	for _, c := range []struct {
		id, old string
		want    error
	}{
		{a, b, git.ErrMoved}, // does not exist
		{a, "", nil},
		{a, "", nil}, // twice is once
		{b, "", git.ErrMoved},
		{b, a, nil},
		{b, a, nil}, // twice is once
		{a, a, git.ErrMoved},
	} {
		if err := r.SetRef(ctx, name, c.id, c.old); !errors.Is(err, c.want) {
			t.Errorf("SetRef(%s, %s) = %v, want %v", c.id, c.old, err, c.want)
		}
	}
	if id, err := r.Ref(ctx, name); err != nil || id != b {
		t.Errorf("Ref = %s, %v, want %s", id, err, b)
	}
	if got := must[map[string]string](t)(r.Refs(ctx, "refs/jacquard/")); len(got) != 1 || got[name] != b {
		t.Errorf("Refs = %v", got)
	}
	if err := r.DeleteRef(ctx, name, a); !errors.Is(err, git.ErrMoved) {
		t.Errorf("DeleteRef of another value = %v", err)
	}
	for range 2 {
		if err := r.DeleteRef(ctx, name, b); err != nil {
			t.Errorf("DeleteRef = %v", err)
		}
	}
	for _, bad := range []string{"HEAD", "refs/x y", "refs/x\x00", "-d", ""} {
		if err := r.SetRef(ctx, bad, a, ""); err == nil {
			t.Errorf("SetRef(%q) is no error", bad)
		}
	}
	if err := r.SetRef(ctx, "refs/jacquard/y", strings.Repeat("1", 40), ""); err == nil {
		t.Error("a ref to a missing object is no error")
	}
}

func TestCommitsAndTrailers(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1"})
	r := s.open("r")
	ctx := t.Context()
	head := s.git("r", "rev-parse", "HEAD")
	c := git.Commit{
		Tree: s.tree("r", "HEAD"), Parents: []string{head}, Message: "모듈: build it\n\nBody: not a trailer, but text.\n\nSecond.",
		Trailers: []git.Trailer{{"Result", "done"}, {"Jacquard-Run", "r1\ninjected: x"}, {"Result", "again"}},
		Name:     "J", Email: "j@x", Time: time.Unix(t0, 0).In(time.FixedZone("", 9*3600)),
	}
	id := must[string](t)(r.CommitTree(ctx, c))
	if again := must[string](t)(r.CommitTree(ctx, c)); again != id {
		t.Error("the same commit has two ids")
	}
	if got := s.git("r", "log", "-1", "--format=%an %ae %cn %ad %s", "--date=raw", id); got != fmt.Sprintf("J j@x J %d +0900 모듈: build it", t0) {
		t.Errorf("commit = %q", got)
	}
	log := must[[]git.LogEntry](t)(r.Log(ctx, id, head, 0))
	want := []git.Trailer{{"Result", "done"}, {"Jacquard-Run", "r1 injected: x"}, {"Result", "again"}}
	if len(log) != 1 || !slices.Equal(log[0].Trailers, want) || log[0].Trailer("result") != "done" || log[0].Trailer("none") != "" {
		t.Fatalf("log = %+v", log)
	}
	e := log[0]
	if e.ID != id || e.Tree != c.Tree || !slices.Equal(e.Parents, c.Parents) || !e.Time.Equal(c.Time) || e.Name != "J" || !strings.HasPrefix(e.Message, c.Message) {
		t.Errorf("entry = %+v", e)
	}
	next := c
	next.Parents, next.Trailers, next.Message = []string{id}, nil, "plain"
	tip := must[string](t)(r.CommitTree(ctx, next))
	if log := must[[]git.LogEntry](t)(r.Log(ctx, tip, "", 2)); len(log) != 2 || log[0].ID != tip || log[0].Trailers != nil || log[1].ID != id {
		t.Errorf("log = %+v", log)
	}
	for _, bad := range []string{"HEAD", "--all", "", strings.Repeat("1", 40)} {
		if _, err := r.Log(ctx, bad, "", 0); err == nil {
			t.Errorf("Log(%q) is no error", bad)
		}
	}
	c.Tree = strings.Repeat("1", 40)
	if _, err := r.CommitTree(ctx, c); !errors.Is(err, git.ErrMissing) {
		t.Errorf("commit of a missing tree = %v", err)
	}
}

func TestFullDiskHasItsName(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	small := s.dir("small")
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		// A process that another test starts at this moment may still hold what it has inherited.
		if err := syscall.Unmount(small, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s.repo("small", map[string]string{"a": "1"})
	r := s.open("small")
	noise := make([]byte, 4<<20)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	if _, err := r.WriteBlob(t.Context(), noise); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("WriteBlob = %v, want %v", err, syscall.ENOSPC)
	}
}

func TestFastForward(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1", "mine": "1"})
	s.exec("r/.git/hooks/post-merge", "#!/bin/sh\ntouch '"+s.path("ran")+"'\n")
	first := s.git("r", "rev-parse", "HEAD")
	s.git("r", "commit", "-q", "--allow-empty", "-m", "second")
	r := s.open("r")
	ctx := t.Context()
	head := s.git("r", "rev-parse", "HEAD")
	tree := must[string](t)(r.EditTree(ctx, s.tree("r", "HEAD"), []git.Edit{
		{Path: "a", Mode: "100644", ID: blobText(t, r, "2")}, {Path: "모듈/n", Mode: "100644", ID: blobText(t, r, "n")},
	}))
	next := must[string](t)(r.CommitTree(ctx, git.Commit{Tree: tree, Parents: []string{head}, Message: "x", Name: "j", Email: "j@x", Time: time.Unix(t0, 0)}))
	aside := must[string](t)(r.CommitTree(ctx, git.Commit{
		Tree: s.tree("r", "HEAD"), Parents: []string{first}, Message: "y", Name: "j", Email: "j@x", Time: time.Unix(t0, 0),
	}))
	s.file("r/mine", "not committed")
	s.file("r/a", "in the way")
	for name, id := range map[string]string{"a changed file in the way": next, "another history": aside, "no id": "HEAD"} {
		if err := r.FastForward(ctx, id); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if now := s.git("r", "rev-parse", "HEAD", "main"); now != head+"\n"+head || s.read("r/a") != "in the way" {
		t.Errorf("a refused move changed %q", now)
	}
	s.git("r", "checkout", "-q", "a")
	for range 2 { // twice is once
		if err := r.FastForward(ctx, next); err != nil {
			t.Fatal(err)
		}
		if now := s.git("r", "rev-parse", "HEAD", "main"); now != next+"\n"+next {
			t.Errorf("moved to %q, want %s", now, next)
		}
	}
	if s.read("r/a") != "2" || s.read("r/모듈/n") != "n" || s.read("r/mine") != "not committed" || s.has("ran") {
		t.Error("the work tree is not the commit with the user's changes, or a hook ran")
	}
}
