package git_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
)

// odd are names that trip programs that quote, split or match.
var odd = []string{
	"plain.txt", "with space.txt", "app[id]/x.ts", "모듈/명세.md", "new\nline.txt", `"quoted".txt`, `back\slash`,
	"-dash", ":colon", "*.star", "tab\there", "é.txt", "#hash", "!bang", "$(touch boom)",
}

// sandbox is a directory with a HOME of its own, so that no configuration of the
// machine is seen.
type sandbox struct {
	t    *testing.T
	base string
	env  []string
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{t: t, base: base}
	home := s.dir("home")
	s.env = []string{"PATH=" + pathValue, "HOME=" + home, "LC_ALL=C"}
	s.file("home/.gitconfig", "[user]\n\tname = U\n\temail = u@x\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	return s
}

const pathValue = "/usr/local/bin:/usr/bin:/bin"

func (s *sandbox) path(p string) string { return filepath.Join(s.base, filepath.FromSlash(p)) }

func (s *sandbox) dir(p string) string {
	s.t.Helper()
	if err := os.MkdirAll(s.path(p), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return s.path(p)
}

func (s *sandbox) file(p, text string) {
	s.t.Helper()
	s.dir(filepath.ToSlash(filepath.Dir(p)))
	if err := os.WriteFile(s.path(p), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) exec(p, text string) {
	s.t.Helper()
	s.file(p, text)
	if err := os.Chmod(s.path(p), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) link(p, target string) {
	s.t.Helper()
	s.dir(filepath.ToSlash(filepath.Dir(p)))
	if err := os.Symlink(target, s.path(p)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) remove(p string) {
	s.t.Helper()
	if err := os.RemoveAll(s.path(p)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) read(p string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.path(p))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *sandbox) has(p string) bool { _, err := os.Lstat(s.path(p)); return err == nil }

// git runs the user's git in dir.
func (s *sandbox) git(dir string, args ...string) string {
	s.t.Helper()
	return s.gitAt(dir, "", args...)
}

func (s *sandbox) gitAt(dir, date string, args ...string) string {
	s.t.Helper()
	env := slices.Clone(s.env)
	if date != "" {
		env = append(env, "GIT_COMMITTER_DATE="+date+" +0000", "GIT_AUTHOR_DATE="+date+" +0000")
	}
	var out bytes.Buffer
	res, err := proc.Run(s.t.Context(), proc.Command{Argv: append([]string{"git"}, args...), Dir: s.path(dir), Env: env, Output: &out})
	if err != nil || res.Exit != 0 {
		s.t.Fatalf("git %q: exit %d, %v: %s%s", args, res.Exit, err, res.Stderr.Text, out.String())
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// repo makes a repository in dir with one commit of files.
func (s *sandbox) repo(dir string, files map[string]string) {
	s.t.Helper()
	s.dir(dir)
	s.git(dir, "init", "-q")
	for p, text := range files {
		s.file(dir+"/"+p, text)
	}
	s.git(dir, "add", "-A")
	s.git(dir, "commit", "-q", "--allow-empty", "-m", "first")
}

func (s *sandbox) open(dir string) *git.Repo {
	s.t.Helper()
	r, err := git.Open(s.t.Context(), s.options(dir))
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *sandbox) options(dir string) git.Options {
	s.t.Helper()
	return git.Options{Dir: s.path(dir), Env: s.env, Temp: s.dir("temp")}
}

func must[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// tree returns the tree of a commit by the user's git.
func (s *sandbox) tree(dir, commit string) string {
	s.t.Helper()
	return s.git(dir, "rev-parse", commit+"^{tree}")
}

// listing writes a tree as "mode path" lines.
func listing(t *testing.T, r *git.Repo, tree string) []string {
	t.Helper()
	var list []string
	for _, e := range must[[]git.Entry](t)(r.ReadTree(t.Context(), tree)) {
		list = append(list, e.Mode+" "+e.Path)
	}
	return list
}

func changes(list []git.Change) []string {
	var s []string
	for _, c := range list {
		s = append(s, string(c.Status)+" "+c.Path)
	}
	return s
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s = %v\nwant %v", what, got, want)
	}
}

// diskFiles lists what is below dir on disk, without a git folder at its top.
func diskFiles(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, p)
		if rel == ".git" {
			return fs.SkipDir
		}
		if err == nil && !e.IsDir() {
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func snapshot(t *testing.T, r *git.Repo) (commit, tree string) {
	t.Helper()
	commit, tree, err := r.Snapshot(t.Context(), git.Commit{Message: "snapshot", Name: "j", Email: "j@x", Time: time.Unix(1700000000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return commit, tree
}

func TestOpenFindsTheProject(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"sub dir/[x]/a": "1", "b": "2"})
	s.git("r", "worktree", "add", "-q", "../linked")
	for _, c := range []struct{ dir, root, prefix string }{
		{"r", "r", ""},
		{"r/sub dir/[x]", "r/sub dir/[x]", "sub dir/[x]/"},
		{"linked", "linked", ""},
		{"linked/sub dir", "linked/sub dir", "sub dir/"},
	} {
		r := s.open(c.dir)
		if r.Root() != s.path(c.root) || r.Prefix() != c.prefix {
			t.Errorf("Open(%q): root %q, prefix %q", c.dir, r.Root(), r.Prefix())
		}
	}
	s.dir("none")
	if _, err := git.Open(t.Context(), s.options("none")); !errors.Is(err, git.ErrNotRepo) {
		t.Errorf("outside: %v", err)
	}
	if _, err := git.Open(t.Context(), s.options("r/.git")); !errors.Is(err, git.ErrNotRepo) {
		t.Errorf("in the git folder: %v", err)
	}
	s.git(".", "init", "-q", "--bare", "bare")
	if _, err := git.Open(t.Context(), s.options("bare")); !errors.Is(err, git.ErrNotRepo) {
		t.Errorf("bare: %v", err)
	}
	o := s.options("r")
	o.Env = []string{"PATH=" + s.path("none")}
	if _, err := git.Open(t.Context(), o); !errors.Is(err, git.ErrNoGit) {
		t.Errorf("no git: %v", err)
	}
	if _, err := git.Open(t.Context(), s.options("missing")); err == nil {
		t.Error("a missing directory is no error")
	}
	v, err := git.Version(t.Context(), s.env)
	if err != nil || !strings.HasPrefix(v, "2.") {
		t.Errorf("Version = %q, %v", v, err)
	}
}

func TestEnvironmentIsDropped(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1"})
	s.repo("other", map[string]string{"b": "1"})
	s.env = append(s.env, "GIT_DIR="+s.path("other/.git"), "GIT_WORK_TREE="+s.path("other"),
		"GIT_INDEX_FILE=/nonexistent/index", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.bare", "GIT_CONFIG_VALUE_0=true")
	r := s.open("r")
	equal(t, "tree", listing(t, r, must[git.Head](t)(r.Head(t.Context())).Commit), []string{"100644 a"})
}

func TestHead(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.dir("r")
	s.git("r", "init", "-q")
	ctx := t.Context()
	r := s.open("r")
	if h := must[git.Head](t)(r.Head(ctx)); h != (git.Head{Branch: "main", Unborn: true}) {
		t.Errorf("unborn: %+v", h)
	}
	s.git("r", "commit", "-q", "--allow-empty", "-m", "x")
	id := s.git("r", "rev-parse", "HEAD")
	if h := must[git.Head](t)(r.Head(ctx)); h != (git.Head{Commit: id, Branch: "main"}) {
		t.Errorf("branch: %+v", h)
	}
	s.git("r", "checkout", "-q", "--detach")
	if h := must[git.Head](t)(r.Head(ctx)); h != (git.Head{Commit: id}) {
		t.Errorf("detached: %+v", h)
	}
	s.git("r", "checkout", "-q", "-b", "feat/한글")
	if h := must[git.Head](t)(r.Head(ctx)); h.Branch != "feat/한글" {
		t.Errorf("branch: %+v", h)
	}
}

func TestShallow(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"a": "1"})
	s.git("r", "commit", "-q", "--allow-empty", "-m", "x")
	s.git(".", "clone", "-q", "--depth=1", "file://"+s.path("r"), "shallow")
	for dir, want := range map[string]bool{"r": false, "shallow": true} {
		if got := s.open(dir).Shallow(); got != want {
			t.Errorf("Shallow of %s = %v", dir, got)
		}
	}
	// Everything else works on one, too.
	r := s.open("shallow")
	s.file("shallow/b", "2")
	_, tree := snapshot(t, r)
	c := must[*git.Clone](t)(r.Clone(t.Context(), s.path("clone"), tree))
	if got := must[git.Capture](t)(c.Capture(t.Context())); got.Tree != tree {
		t.Errorf("capture of a clone of a shallow repository = %+v, want %s", got, tree)
	}
}

func TestStatusAndListing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{
		"clean": "c", "staged": "1", "modified": "1", "both": "1", "gone": "1", "rmcached": "1", "rm": "1", "mode": "1",
		"ignored.log": "tracked although ignored", "sub/x": "1",
	})
	s.file("r/.gitignore", "*.log\nnode_modules/\n")
	s.git("r", "add", ".gitignore", "-f", "ignored.log")
	s.git("r", "commit", "-q", "-m", "second")
	s.file("r/staged", "2")
	s.file("r/both", "2")
	s.git("r", "add", "staged", "both")
	s.file("r/both", "3")
	s.file("r/modified", "2")
	s.remove("r/gone")
	s.git("r", "rm", "-q", "rm")
	s.git("r", "rm", "-q", "--cached", "rmcached")
	if err := os.Chmod(s.path("r/mode"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.file("r/new/deep/untracked", "u")
	s.file("r/announced", "n")
	s.git("r", "add", "-N", "announced")
	s.link("r/link", "clean")
	s.file("r/x.log", "ignored")
	s.file("r/node_modules/a/b", "ignored")
	s.file("r/.jacquard/journal", "engine")
	r := s.open("r")
	var got []string
	for _, st := range must[[]git.Status](t)(r.Status(t.Context())) {
		got = append(got, string([]byte{st.Index, st.Work})+" "+st.Path)
	}
	slices.Sort(got)
	equal(t, "status", got, []string{
		".A announced", ".D gone", ".M mode", ".M modified", "?? link", "?? new/deep/untracked", "?? rmcached",
		"D. rm", "D. rmcached", "M. staged", "MM both",
	})
	id := func(text string) string { return must[string](t)(r.WriteBlob(t.Context(), []byte(text))) }
	want := map[string]git.File{
		".gitignore":  {ID: id("*.log\nnode_modules/\n"), Mode: "100644"},
		"clean":       {ID: id("c"), Mode: "100644"},
		"sub/x":       {ID: id("1"), Mode: "100644"},
		"ignored.log": {ID: id("tracked although ignored"), Mode: "100644"},
		"staged":      {ID: id("2"), Mode: "100644", Staged: true},
		"both":        {ID: id("3"), Mode: "100644", Staged: true, Modified: true},
		"modified":    {ID: id("2"), Mode: "100644", Modified: true},
		"mode":        {ID: id("1"), Mode: "100755", Modified: true},
		"gone":        {Deleted: true},
		"rm":          {Deleted: true, Staged: true},
		"rmcached":    {ID: id("1"), Mode: "100644", Untracked: true},
		"announced":   {ID: id("n"), Mode: "100644", Untracked: true},
		"link":        {ID: id("clean"), Mode: "120000", Untracked: true},

		"new/deep/untracked": {ID: id("u"), Mode: "100644", Untracked: true},
	}
	compareListing(t, must[map[string]git.File](t)(r.Listing(t.Context(), nil)), want)
	few := must[map[string]git.File](t)(r.Listing(t.Context(), func(p string) bool { return p == "both" || p == "clean" || p == "gone" }))
	compareListing(t, few, map[string]git.File{"both": want["both"], "clean": want["clean"], "gone": want["gone"]})
}

// named is what Named finds, after it has shown what there would be if nothing were dirty.
func named(t *testing.T, r *git.Repo, name string) map[string]git.File {
	t.Helper()
	early := 0
	found, differs, err := r.Named(t.Context(), []string{name, "SPEC.md"}, func(clean map[string]git.File) { early = len(clean) })
	if err != nil || early == 0 || len(differs) == 0 {
		t.Fatalf("%d early, differs %v: %v", early, differs, err)
	}
	return found
}

func compareListing(t *testing.T, got, want map[string]git.File) {
	t.Helper()
	for p, f := range want {
		if got[p] != f {
			t.Errorf("%q = %+v, want %+v", p, got[p], f)
		}
	}
	for p, f := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("unexpected %q: %+v", p, f)
		}
	}
}

func TestOddNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the system does not allow these names")
	}
	s := newSandbox(t)
	all := map[string]string{"keep": "1"}
	for _, p := range odd {
		all["in dir/"+p] = "old " + p
	}
	s.repo("r", all)
	for _, p := range odd {
		s.file("r/in dir/"+p, "new "+p)
		s.file("r/in dir/u/"+p, "untracked "+p)
	}
	r := s.open("r/in dir")
	ctx := t.Context()
	files := must[map[string]git.File](t)(r.Listing(ctx, nil))
	head := must[git.Head](t)(r.Head(ctx)).Commit
	_, tree := snapshot(t, r)
	diff := must[[]git.FileDiff](t)(r.AddedLines(ctx, head, tree))
	byPath := map[string]git.FileDiff{}
	for _, d := range diff {
		byPath[d.Path] = d
	}
	c := must[*git.Clone](t)(r.Clone(ctx, s.path("clone"), tree))
	if got := must[git.Capture](t)(c.Capture(ctx)); got.Tree != tree || got.Tampered != nil {
		t.Errorf("capture of an untouched clone = %+v, want %s", got, tree)
	}
	var work []git.Delivery
	for _, p := range odd {
		want := must[string](t)(r.WriteBlob(ctx, []byte("new "+p)))
		if f := files[p]; f.ID != want || !f.Modified {
			t.Errorf("listing of %q = %+v", p, f)
		}
		if f := files["u/"+p]; !f.Untracked || f.ID == "" {
			t.Errorf("listing of untracked %q = %+v", p, f)
		}
		if d := byPath[p]; len(d.Added) != 1 || !strings.HasPrefix("new "+p, d.Added[0].Text) || d.Status != 'M' {
			t.Errorf("difference of %q = %+v", p, d)
		}
		s.file("clone/in dir/"+p, "agent "+p)
		next := must[string](t)(r.WriteBlob(ctx, []byte("agent "+p)))
		work = append(work, git.Delivery{Path: p, Old: want, New: next, Mode: "100644"})
	}
	captured := must[git.Capture](t)(c.Capture(ctx))
	changed := changes(must[[]git.Change](t)(r.Diff(ctx, tree, captured.Tree)))
	if len(changed) != len(odd) {
		t.Errorf("changes of the agent = %q", changed)
	}
	for _, d := range must[[]git.Delivered](t)(r.Apply(ctx, work)) {
		if d.State != git.Written || s.read("r/in dir/"+d.Path) != "agent "+d.Path {
			t.Errorf("apply = %+v", d)
		}
	}
	if s.has("r/in dir/boom") || s.has("clone/boom") {
		t.Error("a name was executed")
	}
}

func TestSubmodules(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("lib", map[string]string{"CLAUDE.md": "spec", "code": "1"})
	s.repo("r", map[string]string{"a": "1"})
	s.git("r", "submodule", "add", "-q", s.path("lib"), "libs/lib")
	s.git("r", "commit", "-q", "-m", "sub")
	r := s.open("r")
	ctx := t.Context()
	s.file("r/libs/lib/CLAUDE.md", "changed")
	files := must[map[string]git.File](t)(r.Listing(ctx, nil))
	if f := files["libs/lib/CLAUDE.md"]; !f.Modified {
		t.Errorf("spec in a submodule = %+v", f)
	}
	if f := files["libs/lib/code"]; f.Modified || f.ID == "" {
		t.Errorf("clean file in a submodule = %+v", f)
	}
	if f := files["libs/lib"]; f.Mode != "160000" {
		t.Errorf("the submodule = %+v", f)
	}
	_, tree := snapshot(t, r)
	equal(t, "snapshot", listing(t, r, tree), []string{"100644 .gitmodules", "100644 a", "160000 libs/lib"})
	c := must[*git.Clone](t)(r.Clone(ctx, s.path("clone"), tree))
	if got := must[git.Capture](t)(c.Capture(ctx)); got.Tree != tree || got.Skipped != nil {
		t.Errorf("capture = %+v, want %s", got, tree)
	}
	s.file("clone/libs/lib/planted", "x")
	if got := must[git.Capture](t)(c.Capture(ctx)); got.Tree != tree || !slices.Equal(got.Skipped, []string{"libs/lib"}) {
		t.Errorf("capture = %+v, want the submodule named", got)
	}
	if sub := s.open("r/libs/lib"); sub.Prefix() != "" {
		t.Errorf("submodule as a project: %q", sub.Prefix())
	}
	must[[]string](t)(r.Checkout(ctx, tree, s.path("check")))
	equal(t, "check tree", diskFiles(t, s.path("check")), []string{".gitmodules", "a"})
}

func TestPrivateRepository(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.file("p/a.txt", "1")
	s.file("p/.gitignore", "*.log\n")
	s.file("p/x.log", "ignored")
	s.file("p/.jacquard/state", "engine")
	ctx := t.Context()
	gitDir := s.path("p/.jacquard/git")
	r := must[*git.Repo](t)(git.Private(ctx, s.options("p"), gitDir))
	h := must[git.Head](t)(r.Head(ctx))
	if !h.Unborn {
		t.Errorf("head = %+v", h)
	}
	commit, tree := snapshot(t, r)
	equal(t, "tree", listing(t, r, tree), []string{"100644 .gitignore", "100644 a.txt"})
	files := must[map[string]git.File](t)(r.Listing(ctx, nil))
	if len(files) != 2 || !files["a.txt"].Untracked {
		t.Errorf("listing = %+v", files)
	}
	if err := r.SetRef(ctx, "refs/jacquard/run", commit, ""); err != nil {
		t.Fatal(err)
	}
	again := must[*git.Repo](t)(git.Private(ctx, s.options("p"), gitDir))
	if id := must[string](t)(again.Ref(ctx, "refs/jacquard/run")); id != commit {
		t.Errorf("ref after opening again = %s", id)
	}
	c := must[*git.Clone](t)(again.Clone(ctx, s.path("clone"), commit))
	s.file("clone/a.txt", "2")
	got := must[git.Capture](t)(c.Capture(ctx))
	equal(t, "changes", changes(must[[]git.Change](t)(r.Diff(ctx, tree, got.Tree))), []string{"M a.txt"})
	must[git.Guard](t)(r.Guard(ctx))
	if s.has("p/.git") {
		t.Error("a git folder was made in the project")
	}
}

func TestCancelledContext(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", nil)
	r := s.open("r")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := r.Listing(ctx, nil); !errors.Is(err, why) {
		t.Errorf("Listing = %v, want the cause", err)
	}
}

func blobOf(t *testing.T, r *git.Repo, tree, path string) string {
	t.Helper()
	for _, e := range must[[]git.Entry](t)(r.ReadTree(t.Context(), tree)) {
		if e.Path == path {
			return e.ID
		}
	}
	t.Fatalf("no %q in %s", path, tree)
	return ""
}

func blobText(t *testing.T, r *git.Repo, text string) string {
	t.Helper()
	return must[string](t)(r.WriteBlob(t.Context(), []byte(text)))
}

// TestNamedIsPartOfTheListing: asking for one name gives what the whole listing says of it, also below a directory that
// looks like a pattern.
func TestNamedIsPartOfTheListing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("lib", map[string]string{"CLAUDE.md": "spec", "d/CLAUDE.md": "spec", "code": "1"})
	s.repo("r", map[string]string{
		"CLAUDE.md": "0", "a/CLAUDE.md": "1", "a/code": "1", "app[id]/CLAUDE.md": "1", "app[id]/x/CLAUDE.md": "1", "appi/CLAUDE.md": "1",
		"gone/CLAUDE.md": "1", "모듈/CLAUDE.md": "1", "staged/CLAUDE.md": "1", "a/NotCLAUDE.md": "1", "CLAUDE.md.d/x": "1",
	})
	s.git("r", "submodule", "add", "-q", s.path("lib"), "libs/lib")
	s.git("r", "commit", "-q", "-m", "sub")
	s.file("r/a/CLAUDE.md", "2")
	s.file("r/app[id]/x/CLAUDE.md", "2")
	s.file("r/appi/CLAUDE.md", "2")
	s.file("r/모듈/CLAUDE.md", "2")
	s.file("r/new/deep/CLAUDE.md", "n")
	s.file("r/app[id]/new/CLAUDE.md", "n")
	s.file("r/libs/lib/d/CLAUDE.md", "2")
	s.file("r/staged/CLAUDE.md", "2")
	s.git("r", "add", "staged")
	s.remove("r/gone/CLAUDE.md")
	for _, dir := range []string{"r", "r/app[id]", "r/libs/lib"} {
		r := s.open(dir)
		want := must[map[string]git.File](t)(r.Listing(t.Context(), func(p string) bool { return path.Base(p) == "CLAUDE.md" }))
		if len(want) < 2 {
			t.Fatalf("%s: %d specs", dir, len(want))
		}
		compareListing(t, named(t, r, "CLAUDE.md"), want)
	}
}
