package git_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
)

func deliver(t *testing.T, r *git.Repo, path, old, next string) git.Delivery {
	t.Helper()
	d := git.Delivery{Path: path, Mode: "100644"}
	if old != "" {
		d.Old = blobText(t, r, old)
	}
	if next != "" {
		d.New = blobText(t, r, next)
	}
	return d
}

func states(list []git.Delivered) string {
	var s []string
	for _, d := range list {
		s = append(s, string(d.State))
	}
	return strings.Join(s, " ")
}

// disk is every path below dir with its kind and content.
func disk(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	for _, p := range diskFiles(t, dir) {
		full := filepath.Join(dir, p)
		info, err := os.Lstat(full)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(full)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		} else {
			text, _ = os.Readlink(full)
		}
		list = append(list, fmt.Sprintf("%s %s %q", info.Mode(), p, text))
	}
	return list
}

func TestApply(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"p/m": "1", "p/gone/deep/f": "1", "p/kept/f": "1", "p/kept/g": "1", "p/x": "1"})
	if err := os.Chmod(s.path("r/p/m"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.link("r/p/link", "m")
	r := s.open("r/p")
	ctx := t.Context()
	files := []git.Delivery{
		deliver(t, r, "m", "1", "2"), deliver(t, r, "new/deep/모듈", "", "n"), deliver(t, r, "gone/deep/f", "1", ""),
		deliver(t, r, "kept/f", "1", ""), deliver(t, r, "x", "1", "1"), deliver(t, r, "link", "m", "x"), deliver(t, r, "run", "", "#!"),
		deliver(t, r, "link2", "", "kept/g"),
	}
	files[4].Mode, files[5].Mode, files[6].Mode, files[7].Mode = "100755", "120000", "100755", "120000"
	got := must[[]git.Delivered](t)(r.Apply(ctx, files))
	if want := "written written deleted deleted written written written written"; states(got) != want {
		t.Fatalf("states = %s (%+v)\nwant %s", states(got), got, want)
	}
	want := []string{
		`-rw-r--r-- kept/g "1"`, `Lrwxrwxrwx link "x"`, `Lrwxrwxrwx link2 "kept/g"`, `-rw------- m "2"`, `-rw-r--r-- new/deep/모듈 "n"`,
		`-rwxr-xr-x run "#!"`, `-rwxr-xr-x x "1"`,
	}
	equal(t, "files", disk(t, s.path("r/p")), want)
	if s.has("r/p/gone") {
		t.Error("an empty directory is left")
	}
	again := must[[]git.Delivered](t)(r.Apply(ctx, files))
	if want := strings.TrimSpace(strings.Repeat("already ", len(files))); states(again) != want {
		t.Errorf("repeated = %s", states(again))
	}
	equal(t, "files", disk(t, s.path("r/p")), want)
}

// TestApplyIsAllOrNothing: one file of each call is not as expected.
func TestApplyIsAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(s *sandbox)
		bad   [3]string // path, old, new
		why   string
	}{
		"changed":               {func(s *sandbox) { s.file("r/m", "user") }, [3]string{"m", "1", "2"}, "m was changed meanwhile"},
		"deleted":               {func(s *sandbox) { s.remove("r/m") }, [3]string{"m", "1", "2"}, "m was deleted meanwhile"},
		"appeared":              {func(s *sandbox) { s.file("r/n", "user") }, [3]string{"n", "", "2"}, "n appeared meanwhile"},
		"to delete":             {func(s *sandbox) { s.file("r/m", "user") }, [3]string{"m", "1", ""}, "m was changed meanwhile"},
		"directory":             {func(s *sandbox) { s.file("r/n/f", "user") }, [3]string{"n", "", "2"}, "n is directory"},
		"link":                  {func(s *sandbox) { s.remove("r/m"); s.link("r/m", "other") }, [3]string{"m", "1", "2"}, "m was changed meanwhile"},
		"through a link":        {func(s *sandbox) { s.dir("outside"); s.link("r/d", "../outside") }, [3]string{"d/f", "", "2"}, "d/f is behind the symbolic link d"},
		"through a link inside": {func(s *sandbox) { s.link("r/d", "sub") }, [3]string{"d/f", "", "2"}, "d/f is behind the symbolic link d"},
		"behind a file":         {func(s *sandbox) { s.file("r/d", "user") }, [3]string{"d/f", "", "2"}, "d/f is behind the file d"},
		"pipe": {func(s *sandbox) {
			if err := syscall.Mkfifo(s.path("r/n"), 0o600); err != nil {
				s.t.Fatal(err)
			}
		}, [3]string{"n", "", "2"}, "n is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.repo("r", map[string]string{"m": "1", "other": "1", "sub/del": "1"})
			r := s.open("r")
			c.spoil(s)
			before := disk(t, s.path("r"))
			bad := deliver(t, r, c.bad[0], c.bad[1], c.bad[2])
			got := must[[]git.Delivered](t)(r.Apply(t.Context(), []git.Delivery{
				deliver(t, r, "other", "1", "2"), bad, deliver(t, r, "sub/del", "1", ""), deliver(t, r, "fresh/f", "", "2"),
			}))
			if states(got) != "held conflict held held" || got[1].Reason != c.why {
				t.Errorf("results = %+v", got)
			}
			equal(t, "files", disk(t, s.path("r")), before)
			if s.has("outside/f") || s.has("r/fresh") {
				t.Error("something was written")
			}
		})
	}
}

func TestApplyRefusesPaths(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"p/a": "1"})
	r := s.open("r/p")
	before := s.read("r/.git/config")
	for _, p := range []string{
		"../b", "/etc/x", "..", ".", "", "a/../b", "a//b", "./a", ".git/config", "sub/.GIT/hooks/x", ".Git", "git~1/x", ".git./x",
		".g\u200dit/x", ".jacquard/x", ".git:x/y", "a\x00b",
	} {
		d := deliver(t, r, p, "", "2")
		got, err := r.Apply(t.Context(), []git.Delivery{deliver(t, r, "fine", "", "2"), d})
		if !errors.Is(err, git.ErrPath) || got != nil {
			t.Errorf("Apply to %q = %+v, %v, want %v", p, got, err, git.ErrPath)
		}
	}
	for name, list := range map[string][]git.Delivery{
		"twice":     {deliver(t, r, "x", "", "2"), deliver(t, r, "x", "", "3")},
		"submodule": {{Path: "x", New: blobText(t, r, "2"), Mode: "160000"}},
		"link out":  {{Path: "x", New: blobText(t, r, "../../y"), Mode: "120000"}},
		"link root": {{Path: "x", New: blobText(t, r, "/etc"), Mode: "120000"}},
	} {
		if got, err := r.Apply(t.Context(), list); !errors.Is(err, git.ErrPath) {
			t.Errorf("%s = %+v, %v", name, got, err)
		}
	}
	equal(t, "files", diskFiles(t, s.path("r/p")), []string{"a"})
	if s.read("r/.git/config") != before {
		t.Error("the configuration was written")
	}
	missing := git.Delivery{Path: "x", New: strings.Repeat("1", 40), Mode: "100644"}
	if _, err := r.Apply(t.Context(), []git.Delivery{deliver(t, r, "fine", "", "2"), missing}); !errors.Is(err, git.ErrMissing) || s.has("r/p/fine") {
		t.Errorf("a missing blob = %v", err)
	}
}

func TestApplyChangesKinds(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"file": "1", "dir/a": "1", "dir/b/c": "1", "full/a": "1", "full/user": "1"})
	r := s.open("r")
	files := []git.Delivery{
		deliver(t, r, "file/inside/f", "", "n"), deliver(t, r, "file", "1", ""),
		deliver(t, r, "dir", "", "n"), deliver(t, r, "dir/a", "1", ""), deliver(t, r, "dir/b/c", "1", ""),
	}
	if got := must[[]git.Delivered](t)(r.Apply(t.Context(), files)); states(got) != "written deleted written deleted deleted" {
		t.Errorf("results = %+v", got)
	}
	equal(t, "files", diskFiles(t, s.path("r")), []string{"dir", "file/inside/f", "full/a", "full/user"})
	if got := must[[]git.Delivered](t)(r.Apply(t.Context(), files)); states(got) != "already already already already already" {
		t.Errorf("repeated = %+v", got)
	}
	// A directory that keeps a file of the user is no place for a file.
	got := must[[]git.Delivered](t)(r.Apply(t.Context(), []git.Delivery{deliver(t, r, "full", "", "n"), deliver(t, r, "full/a", "1", "")}))
	if states(got) != "conflict held" || !s.has("r/full/a") {
		t.Errorf("results = %+v", got)
	}
}

func TestApplyKnowsFilters(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{".gitattributes": "*.txt text eol=crlf\n", "a.txt": "1\n", "b.txt": "2\n"})
	s.file("r/a.txt", "1\r\n") // as git itself would check it out
	s.file("r/b.txt", "2\r\n")
	r := s.open("r")
	got := must[[]git.Delivered](t)(r.Apply(t.Context(), []git.Delivery{
		deliver(t, r, "a.txt", "1\n", "changed\n"), deliver(t, r, "b.txt", "old\n", "2\n"),
	}))
	if states(got) != "written already" {
		t.Errorf("results = %+v", got)
	}
}

// TestApplyAfterACrash repeats a call that got to every possible point.
func TestApplyAfterACrash(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"m": "1", "d": "1"})
	r := s.open("r")
	files := []git.Delivery{deliver(t, r, "m", "1", "2"), deliver(t, r, "sub/n", "", "2"), deliver(t, r, "d", "1", "")}
	must[[]git.Delivered](t)(r.Apply(t.Context(), files))
	want := disk(t, s.path("r"))
	for i := range 1 << 3 {
		s.file("r/m", "1")
		s.file("r/d", "1")
		s.remove("r/sub")
		var done []git.Delivery
		for j, f := range files {
			if i&(1<<j) != 0 {
				done = append(done, f)
			}
		}
		must[[]git.Delivered](t)(r.Apply(t.Context(), done))
		// What a crash leaves beside the files, with the mode of the worst moment.
		_, before := snapshot(t, r)
		for _, f := range diskTemps(t, r, files) {
			s.file("r/"+f, "half")
		}
		if _, tree := snapshot(t, r); tree != before {
			t.Errorf("%03b: what a crash left is in a snapshot: %v", i, changes(must[[]git.Change](t)(r.Diff(t.Context(), before, tree))))
		}
		for _, st := range must[[]git.Status](t)(r.Status(t.Context())) {
			if strings.Contains(st.Path, ".jacquard") {
				t.Errorf("%03b: what a crash left is in the status: %+v", i, st)
			}
		}
		got := must[[]git.Delivered](t)(r.Apply(t.Context(), files))
		if strings.Contains(states(got), "conflict") {
			t.Errorf("%03b: results = %+v", i, got)
		}
		left := slices.DeleteFunc(disk(t, s.path("r")), func(p string) bool { return strings.Contains(p, `"half"`) })
		equal(t, fmt.Sprintf("%03b", i), left, want)
	}
}

// diskTemps finds the temporary names of files by a call that cannot finish.
func diskTemps(t *testing.T, r *git.Repo, files []git.Delivery) []string {
	t.Helper()
	var names []string
	for _, f := range files {
		if f.New != "" && !strings.Contains(f.Path, "/") {
			names = append(names, git.TempName(f.Path))
		}
	}
	return names
}

// TestWithoutPermission runs as another user, because root may do everything.
func TestWithoutPermission(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		runAsNobody(t)
		return
	}
	s := newSandbox(t)
	s.repo("r", map[string]string{"open/a": "1", "closed/b": "1"})
	r := s.open("r")
	files := []git.Delivery{deliver(t, r, "open/a", "1", "2"), deliver(t, r, "closed/b", "1", "2"), deliver(t, r, "open/n", "", "2")}
	if err := os.Chmod(s.path("r/closed"), 0o500); err != nil { //nolint:gosec // read-only on purpose
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(s.path("r/closed"), 0o700) })
	before := disk(t, s.path("r"))
	if _, err := r.Apply(t.Context(), files); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Apply = %v, want no permission", err)
	}
	equal(t, "files", disk(t, s.path("r")), before)
	if err := os.Chmod(s.path("r/.git/objects"), 0o500); err != nil { //nolint:gosec // read-only on purpose
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(s.path("r/.git/objects"), 0o700) })
	if _, err := r.WriteBlob(t.Context(), []byte("never written before")); !errors.Is(err, os.ErrPermission) {
		t.Errorf("WriteBlob = %v, want no permission", err)
	}
}

// runAsNobody runs the present test again in a process of another user.
func runAsNobody(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "nobody-") //nolint:usetesting // parents of t.TempDir are closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	bin := filepath.Join(dir, "test")
	self, err := os.Executable()
	if err == nil {
		err = errors.Join(os.Chown(dir, 65534, 65534), os.Chmod(dir, 0o755)) //nolint:gosec // for another user
	}
	if err != nil {
		t.Fatal(err)
	}
	// Copied by another program: a file that we write ourselves can be busy for a moment.
	res, err := proc.Run(t.Context(), proc.Command{Argv: []string{"cp", self, bin}, Dir: dir, Env: []string{"PATH=" + pathValue}})
	if err != nil || res.Exit != 0 {
		t.Fatalf("copy the test: %v %s", err, res.Stderr.Text)
	}
	res, err = proc.Run(t.Context(), proc.Command{
		Argv: []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", bin, "-test.run=^" + t.Name() + "$", "-test.v"},
		Dir:  dir, Env: []string{"PATH=" + pathValue, "HOME=" + dir, "TMPDIR=" + dir},
	})
	if errors.Is(err, proc.ErrNotFound) {
		t.Skip("setpriv is not installed")
	}
	if err != nil || res.Exit != 0 || !strings.Contains(res.Stdout.Text, "--- PASS: "+t.Name()) {
		t.Errorf("as another user: %v\n%s%s", err, res.Stdout.Text, res.Stderr.Text)
	}
}

// TestApplyLooksAgain: a filter of the user's changes a file after it was looked at.
func TestApplyLooksAgain(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"m": "1", "b.txt": "1\n"})
	r := s.open("r")
	files := []git.Delivery{deliver(t, r, "m", "1", "2"), deliver(t, r, "b.txt", "filtered", "2"), deliver(t, r, "n", "", "2")}
	s.file("r/.git/info/attributes", "*.txt filter=f\n")
	s.git("r", "config", "filter.f.clean", "echo user > '"+s.path("r/m")+"'; printf filtered")
	got := must[[]git.Delivered](t)(r.Apply(t.Context(), files))
	if states(got) != "conflict held held" {
		t.Errorf("results = %+v", got)
	}
	equal(t, "files", diskFiles(t, s.path("r")), []string{"b.txt", "m"})
	if s.read("r/m") != "user\n" || s.read("r/b.txt") != "1\n" {
		t.Error("a file was written")
	}
}

func TestSHA256Repository(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.dir("r")
	s.git("r", "init", "-q", "--object-format=sha256")
	s.repo("r", map[string]string{"a": "1"})
	s.file("r/b", "2")
	r := s.open("r")
	ctx := t.Context()
	_, tree := snapshot(t, r)
	c := must[*git.Clone](t)(r.Clone(ctx, s.path("clone"), tree))
	s.file("clone/a", "2")
	s.link("clone/l", "a")
	if got := s.git("clone", "status", "--porcelain"); got != " M a\n?? l" {
		t.Errorf("status = %q", got)
	}
	got := must[git.Capture](t)(c.Capture(ctx))
	equal(t, "changes", changes(must[[]git.Change](t)(r.Diff(ctx, tree, got.Tree))), []string{"M a", "A l"})
	if len(got.Tree) != 64 || got.Tampered != nil {
		t.Errorf("capture = %+v", got)
	}
	f := must[map[string]git.File](t)(r.Listing(ctx, nil))
	if f["b"].ID != blobText(t, r, "2") {
		t.Errorf("listing = %+v", f)
	}
	if d := must[[]git.Delivered](t)(r.Apply(ctx, []git.Delivery{deliver(t, r, "a", "1", "2")})); states(d) != "written" {
		t.Errorf("apply = %+v", d)
	}
}

func TestSnapshotLeavesOutOtherRepositories(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"p/a": "1"})
	s.repo("r/other [1]", map[string]string{"x": "1"})
	s.dir("r/p/unborn")
	s.git("r/p/unborn", "init", "-q")
	s.file("r/p/unborn/y", "1")
	s.file("r/p/b", "1")
	r := s.open("r/p")
	head := s.tree("r", "HEAD")
	_, tree := snapshot(t, r)
	equal(t, "changes", changes(must[[]git.Change](t)(r.Diff(t.Context(), head, tree))), []string{"A b"})
	if f := must[map[string]git.File](t)(r.Listing(t.Context(), nil)); len(f) != 2 {
		t.Errorf("listing = %+v", f)
	}
}
