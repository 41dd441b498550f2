package git_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jacquard-build/jacquard/internal/git"
)

// cloned is a repository with a clone of its HEAD.
func cloned(t *testing.T, files map[string]string, exclude ...string) (*sandbox, *git.Repo, *git.Clone, string) {
	t.Helper()
	s := newSandbox(t)
	s.repo("r", files)
	r := s.open("r")
	c, err := r.Clone(t.Context(), s.path("clone"), s.git("r", "rev-parse", "HEAD"), exclude...)
	if err != nil {
		t.Fatal(err)
	}
	return s, r, c, s.tree("r", "HEAD")
}

func TestCloneIsARepository(t *testing.T) {
	t.Parallel()
	s, _, c, tree := cloned(t, map[string]string{"a": "1", "모듈/x [1].txt": "2", ".gitattributes": "* text eol=crlf\n"})
	if got := s.git("clone", "status", "--porcelain", "--branch"); got != "## work" {
		t.Errorf("status in the clone = %q", got)
	}
	if got := s.git("clone", "log", "--format=%T %an", "--all"); got != tree+" jacquard" {
		t.Errorf("history of the clone = %q", got)
	}
	if got := s.git("clone", "remote"); got != "" {
		t.Errorf("remotes = %q", got)
	}
	if s.read("clone/a") != "1" || s.has("clone/.git/hooks") {
		t.Error("the clone has other files or hooks")
	}
	s.file("clone/a", "2")
	if got := s.git("clone", "diff", "--stat"); !strings.Contains(got, "a | 2 +-") {
		t.Errorf("diff in the clone = %q", got)
	}
	if got := must[git.Capture](t)(c.Capture(t.Context())); got.Tampered != nil {
		t.Errorf("looking around counts as tampering: %+v", got.Tampered)
	}
}

func TestCapture(t *testing.T) {
	t.Parallel()
	s, r, c, tree := cloned(t, map[string]string{
		"keep": "1", "m": "1", "d/gone": "1", "x": "1", "t": "1", "f": "1", "dir/a": "1", ".gitattributes": "*.txt text eol=crlf\n",
	})
	ctx := t.Context()
	if got := must[git.Capture](t)(c.Capture(ctx)); got.Tree != tree || got.Tampered != nil || got.Nested != nil || got.Skipped != nil || got.Leaving != nil {
		t.Errorf("untouched = %+v, want %s", got, tree)
	}
	s.file("clone/m", "2")
	s.remove("clone/d")
	s.exec("clone/x", "1")
	s.remove("clone/t")
	s.link("clone/t", "keep")
	s.remove("clone/f")
	s.file("clone/f/now a directory", "1")
	s.remove("clone/dir")
	s.file("clone/dir", "now a file")
	s.file("clone/crlf.txt", "raw\r\nbytes\r\n")
	s.file("clone/big", strings.Repeat("0123456789abcdef", 1<<20))
	s.file("clone/.gitignore", "*\n") // hides nothing
	s.file("clone/deep/.git", "gitdir: /elsewhere\n")
	s.file("clone/deep/file", "1")
	s.file("clone/nested/.git/config", "[core]\n")
	s.file("clone/nested/file", "1")
	s.file("clone/shout/.GIT/config", "[core]\n")
	s.file("clone/.jacquard/journal", "engine")
	if err := syscall.Mkfifo(s.path("clone/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := must[git.Capture](t)(c.Capture(ctx))
	equal(t, "changes", changes(must[[]git.Change](t)(r.Diff(ctx, tree, got.Tree))), []string{
		"A .gitignore", "A big", "A crlf.txt", "D d/gone", "A deep/file", "A dir", "D dir/a", "D f", "A f/now a directory",
		"M m", "A nested/file", "T t", "M x",
	})
	equal(t, "nested", got.Nested, []string{"deep/.git", "nested/.git", "shout/.GIT"})
	equal(t, "skipped", got.Skipped, []string{"pipe"})
	if b := must[[]byte](t)(r.ReadBlob(ctx, blobOf(t, r, got.Tree, "crlf.txt"))); string(b) != "raw\r\nbytes\r\n" {
		t.Errorf("crlf.txt = %q, want the raw bytes", b)
	}
	if again := must[git.Capture](t)(c.Capture(ctx)); again.Tree != got.Tree {
		t.Errorf("a second capture gives %s", again.Tree)
	}
	// Another process after a crash sees the same.
	other := must[*git.Clone](t)(s.open("r").OpenClone(ctx, s.path("clone"), tree, tree))
	if again := must[git.Capture](t)(other.Capture(ctx)); again.Tree != got.Tree || again.Tampered != nil {
		t.Errorf("after opening again: %+v", again)
	}
	s.remove("clone")
	must[[]string](t)(r.Checkout(ctx, got.Tree, s.path("check")))
	if len(s.read("check/big")) != 16<<20 {
		t.Error("the tree does not live in the main repository")
	}
}

func TestCaptureIgnoresWhatTheBaseIgnores(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{
		".gitignore": "/build/\n*.o\n:odd\n", "sub/.gitignore": "!keep.o\nlocal\n", "src/a": "1",
	})
	s.file("r/forced.o", "tracked")
	s.git("r", "add", "-f", "forced.o")
	s.git("r", "commit", "-q", "-m", "x")
	s.file("r/.git/info/exclude", "private\n")
	r := s.open("r")
	tree := s.tree("r", "HEAD")
	ignored := must[[]string](t)(r.Ignored(t.Context(), tree, []string{"x.o", "private", "local", ":odd", "sub/keep.o", "sub/local"}))
	equal(t, "ignored", ignored, []string{"x.o", "private", ":odd", "sub/local"})
	equal(t, "ignored below", must[[]string](t)(s.open("r/sub").Ignored(t.Context(), tree, []string{"keep.o", "local"})), []string{"local"})
	c := must[*git.Clone](t)(r.Clone(t.Context(), s.path("clone"), tree, "__pycache__/", "/only-top"))
	for _, p := range []string{
		"build/out", "x.o", "sub/x.o", "sub/local", "private", "src/__pycache__/a.pyc", "only-top", ":odd", // ignored
		"src/build/x", "sub/keep.o", "local", "src/only-top", // not
	} {
		s.file("clone/"+p, "new")
	}
	for _, p := range []string{"src/.ruff_cache/CACHEDIR.TAG", "src/CACHEDIR.TAG"} { // that of a directory with files of the tree marks nothing
		s.file("clone/"+p, "Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n")
	}
	s.file("clone/src/.ruff_cache/0.12/1", "x")
	s.file("clone/src/.ruff_cache/.gitignore", "*\n")
	s.file("clone/other/CACHEDIR.TAG", "no signature")
	s.file("clone/forced.o", "changed")
	s.file("clone/.gitignore", "src\n")          // the agent's list is only a file
	s.file("clone/src/.gitignore", "*\n!hidden") // and so is a new one
	got := must[git.Capture](t)(c.Capture(t.Context()))
	equal(t, "changes", changes(must[[]git.Change](t)(r.Diff(t.Context(), tree, got.Tree))), []string{
		"M .gitignore", "M forced.o", "A local", "A other/CACHEDIR.TAG", "A src/.gitignore", "A src/CACHEDIR.TAG", "A src/build/x", "A src/only-top", "A sub/keep.o",
	})
}

func TestCaptureRunsNothingThatWasPlanted(t *testing.T) {
	t.Parallel()
	s, r, c, tree := cloned(t, map[string]string{"a.txt": "1", "b": "1", "CLAUDE.md": "x"})
	evil := s.path("evil.sh")
	s.exec("evil.sh", "#!/bin/sh\ntouch '"+s.path("ran")+"'\ncat\n")
	for k, v := range map[string]string{
		"core.fsmonitor": evil, "filter.evil.clean": evil, "filter.evil.smudge": evil, "filter.evil.process": evil,
		"filter.evil.required": "true", "core.hooksPath": s.path("clone/.git/hooks"), "diff.external": evil,
		"core.sshCommand": evil, "core.worktree": s.path("elsewhere"), "include.path": s.path("clone/evil.inc"),
	} {
		s.git("r", "config", "-f", s.path("clone/.git/config"), k, v)
	}
	s.file("clone/.gitattributes", "* filter=evil diff=evil merge=evil text working-tree-encoding=UTF-16\n")
	s.file("clone/.git/info/attributes", "* filter=evil\n")
	for _, hook := range []string{"pre-commit", "post-index-change", "reference-transaction", "post-checkout"} {
		s.exec("clone/.git/hooks/"+hook, "#!/bin/sh\ntouch '"+s.path("ran")+"'\n")
	}
	s.file("clone/a.txt", "hello\n")
	got := must[git.Capture](t)(c.Capture(t.Context()))
	if s.has("ran") {
		t.Fatal("something that was planted was run")
	}
	equal(t, "changes", changes(must[[]git.Change](t)(r.Diff(t.Context(), tree, got.Tree))), []string{"A .gitattributes", "M a.txt"})
	must[[]git.FileDiff](t)(r.AddedLines(t.Context(), tree, got.Tree))
	must[[]string](t)(r.Checkout(t.Context(), got.Tree, s.path("check")))
	if _, _, err := r.Merge(t.Context(), tree, got.Tree, tree); err != nil {
		t.Error(err)
	}
	next := must[*git.Clone](t)(r.Clone(t.Context(), s.path("next"), got.Tree))
	if again := must[git.Capture](t)(next.Capture(t.Context())); again.Tree != got.Tree || again.Tampered != nil {
		t.Errorf("a clone of it = %+v", again)
	}
	if s.has("ran") || s.read("check/a.txt") != "hello\n" {
		t.Error("a planted filter applies to what comes after")
	}
	var kinds []string
	for _, m := range got.Tampered {
		kinds = append(kinds, m.Kind+" "+m.Name)
	}
	joined := strings.Join(kinds, "\n")
	for _, want := range []string{"config ", "fsmonitor = " + evil, "other info/attributes", "hook pre-commit", "hook post-checkout"} {
		if !strings.Contains(joined, want) {
			t.Errorf("tampering %q does not name %q", joined, want)
		}
	}
	// And the same for a user who runs git there: the plant is real.
	s.git("r", "-c", "core.fsmonitor="+evil, "status")
	if !s.has("ran") {
		t.Error("the planted program would never have run; the test proves nothing")
	}
}

func TestTampering(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(s *sandbox)
		want string // kinds
	}{
		"commit":         {func(s *sandbox) { s.git("clone", "commit", "-q", "--allow-empty", "-m", "x") }, "commit"},
		"branch":         {func(s *sandbox) { s.git("clone", "branch", "mine") }, "branch"},
		"switch":         {func(s *sandbox) { s.git("clone", "checkout", "-q", "-b", "mine/x") }, "head branch"},
		"tag":            {func(s *sandbox) { s.git("clone", "tag", "v1") }, "tag"},
		"stash":          {func(s *sandbox) { s.file("clone/a", "2"); s.git("clone", "stash", "-q") }, "stash"},
		"note":           {func(s *sandbox) { s.git("clone", "notes", "add", "-m", "x") }, "ref"},
		"packed branch":  {func(s *sandbox) { s.git("clone", "branch", "mine"); s.git("clone", "pack-refs", "--all") }, "branch"},
		"only packed":    {func(s *sandbox) { s.git("clone", "pack-refs", "--all") }, ""},
		"remote":         {func(s *sandbox) { s.git("clone", "remote", "add", "o", "x") }, "config"},
		"identity":       {func(s *sandbox) { s.git("clone", "config", "user.name", "x") }, "config"},
		"hook":           {func(s *sandbox) { s.exec("clone/.git/hooks/pre-push", "#!") }, "hook"},
		"samples":        {func(s *sandbox) { s.exec("clone/.git/hooks/pre-push.sample", "#!") }, ""},
		"work tree":      {func(s *sandbox) { s.git("clone", "worktree", "add", "-q", "--detach", "../wt") }, "other"},
		"replaced":       {func(s *sandbox) { s.remove("clone/.git"); s.git("clone", "init", "-q", "-b", "work") }, "config other other commit"},
		"removed":        {func(s *sandbox) { s.remove("clone/.git") }, "other"},
		"looking around": {func(s *sandbox) { s.git("clone", "add", "-A"); s.git("clone", "gc", "-q"); s.git("clone", "reflog") }, ""},
		"commit and reset": {func(s *sandbox) {
			s.git("clone", "commit", "-q", "--allow-empty", "-m", "x")
			s.git("clone", "reset", "-q", "--hard", "HEAD~")
		}, ""},
		"config as a pipe": {func(s *sandbox) {
			s.remove("clone/.git/config")
			if err := syscall.Mkfifo(s.path("clone/.git/config"), 0o600); err != nil {
				s.t.Fatal(err)
			}
		}, "config"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, clone, tree := cloned(t, map[string]string{"a": "1"})
			clean := *s
			clean.t = t
			c.do(&clean)
			got := must[git.Capture](t)(clone.Capture(t.Context()))
			var kinds []string
			for _, m := range got.Tampered {
				kinds = append(kinds, m.Kind)
			}
			if strings.Join(kinds, " ") != c.want || got.Tree != tree {
				t.Errorf("tampered = %+v, tree %s, want %q, %s", got.Tampered, got.Tree, c.want, tree)
			}
		})
	}
}

func TestLinksThatLeave(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"dir/a": "1"})
	s.link("r/users own", "/etc/hosts")
	s.git("r", "add", "-A")
	s.git("r", "commit", "-q", "-m", "x")
	r := s.open("r/dir")
	tree := s.tree("r", "HEAD")
	c := must[*git.Clone](t)(r.Clone(t.Context(), s.path("clone"), tree))
	if s.has("clone/users own") {
		t.Error("a link out of the tree was made")
	}
	if out := s.git("clone", "status", "--porcelain"); out != "" {
		t.Errorf("a link that was not made counts as removed: %s", out)
	}
	if got := must[git.Capture](t)(c.Capture(t.Context())); got.Tree != tree || got.Leaving != nil {
		t.Errorf("untouched = %+v, want %s", got, tree)
	}
	s.link("clone/inside", "dir/a")
	s.link("clone/dir/up", "../dir/a")
	s.link("clone/here", ".")
	s.link("clone/dangling", "nowhere")
	s.link("clone/dir/out", "../../x")
	s.link("clone/abs", "/tmp")
	s.link("clone/sly", "here/../y")
	s.link("clone/loop", "loop")
	got := must[git.Capture](t)(c.Capture(t.Context()))
	want := []git.Link{{"../abs", "/tmp"}, {"../loop", "loop"}, {"../sly", "here/../y"}, {"out", "../../x"}}
	if !slices.Equal(got.Leaving, want) {
		t.Errorf("leaving = %+v, want %+v", got.Leaving, want)
	}
	if c.Root() != s.path("clone/dir") {
		t.Errorf("root of the clone = %s", c.Root())
	}
}

func TestCaptureOpensWhatWasClosed(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		// The capture itself has to run without the rights of root; see the chown below.
		runAsNobody(t)
		return
	}
	captureClosed(t)
}

func captureClosed(t *testing.T) {
	t.Helper()
	s, r, c, tree := cloned(t, map[string]string{"a": "1", "dir/b": "1"})
	s.file("clone/dir/new", "1")
	s.file("clone/a", "2")
	for _, p := range []string{"clone/dir", "clone/a"} {
		if err := os.Chmod(s.path(p), 0); err != nil {
			t.Fatal(err)
		}
	}
	got := must[git.Capture](t)(c.Capture(t.Context()))
	equal(t, "changes", changes(must[[]git.Change](t)(r.Diff(t.Context(), tree, got.Tree))), []string{"M a", "A dir/new"})
}

func TestGuard(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1"})
	s.git("r", "config", "--add", "x.multi", "1")
	s.git("r", "branch", "old")
	s.exec("r/.git/hooks/pre-push", "#!/bin/sh\n")
	s.exec("r/.githooks/pre-commit", "#!/bin/sh\n")
	s.git("r", "config", "core.hooksPath", ".githooks")
	r := s.open("r")
	ctx := t.Context()
	before := must[git.Guard](t)(r.Guard(ctx))
	check := func(what string, want ...string) {
		t.Helper()
		after := must[git.Guard](t)(r.Guard(ctx))
		equal(t, what, before.Changed(after), want)
		before = after
	}
	check("nothing")
	id, _ := snapshot(t, r)
	for _, name := range []string{"refs/jacquard/run/1", "refs/heads/jacquard/run"} {
		if err := r.SetRef(ctx, name, id, ""); err != nil {
			t.Fatal(err)
		}
	}
	s.file("r/a", "2")
	s.git("r", "add", "a")
	check("our own refs, files, index")
	s.git("r", "commit", "-q", "-m", "x")
	s.git("r", "branch", "-q", "-D", "old")
	s.git("r", "checkout", "-q", "-b", "other")
	check("refs and HEAD, which the user may change")
	s.git("r", "config", "core.fsmonitor", "evil")
	s.git("r", "config", "--add", "x.multi", "2")
	s.git("r", "config", "--global", "user.name", "Other")
	check("config", "config core.fsmonitor created", "config user.name (global) changed", "config x.multi changed")
	s.git("r", "config", "--replace-all", "x.multi", "9", "^1$")
	check("one of several values", "config x.multi changed")
	s.file("r/.git/hooks/pre-push", "#!/bin/sh\nevil\n")
	s.exec("r/.githooks/post-commit", "#!")
	s.remove("r/.githooks/pre-commit")
	s.file("r/.git/info/attributes", "* filter=x\n")
	check("hooks", "file info/attributes created", "hook post-commit created", "hook pre-commit removed", "hook pre-push changed")
	s.file("home/more", "[core]\n\tpager = less\n")
	s.git("r", "config", "--global", "include.path", s.path("home/more"))
	check("include", "config core.pager (global) created", "config include.path (global) created")
	s.file("home/more", "[core]\n\tpager = evil\n")
	check("included file", "config core.pager (global) changed")
	for name := range before {
		if strings.Contains(fmt.Sprint(name, before[name]), "evil") {
			t.Errorf("a value is kept in the open: %q", name)
		}
	}
}

func TestCloneErrors(t *testing.T) {
	t.Parallel()
	s, r, _, tree := cloned(t, map[string]string{"a": "1"})
	if _, err := r.Clone(t.Context(), s.path("clone"), tree); err == nil {
		t.Error("a directory that is not empty is taken")
	}
	o := s.options("r")
	o.Temp = s.path("none")
	broken := must[*git.Repo](t)(git.Open(t.Context(), o))
	s.file("r/b", "what is to be stored")
	if _, _, err := broken.Snapshot(t.Context(), git.Commit{Message: "x", Name: "j", Email: "j@x"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a temporary directory: %v", err)
	}
	if must[git.Capture](t)(must[*git.Clone](t)(r.Clone(t.Context(), s.path("c2"), tree)).Capture(t.Context())).Tree != tree {
		t.Error("capture differs")
	}
}
