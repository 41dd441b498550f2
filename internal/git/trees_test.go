package git_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/git"
)

func TestBlobsAndTrees(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"p/a": "1", "p/dir/b": "2", "p/dir/c": "3", "x": "outside"})
	r := s.open("r/p")
	ctx := t.Context()
	big := bytes.Repeat([]byte("big\x00\n"), 3<<20)
	ids := []string{blobText(t, r, "one\n"), blobText(t, r, ""), must[string](t)(r.WriteBlob(ctx, big))}
	got := must[map[string][]byte](t)(r.ReadBlobs(ctx, append(ids, ids[0])))
	if string(got[ids[0]]) != "one\n" || len(got[ids[1]]) != 0 || !bytes.Equal(got[ids[2]], big) {
		t.Error("blobs are not what was written")
	}
	base := s.tree("r", "HEAD")
	tree := must[string](t)(r.EditTree(ctx, base, []git.Edit{
		{Path: "dir", Mode: "100755", ID: ids[0]}, // a file instead of a directory
		{Path: "dir/b"},
		{Path: "dir/c"},
		{Path: "a/deep/모듈", Mode: "100644", ID: ids[1]}, // a directory instead of a file
		{Path: "a"},
		{Path: "../y", Mode: "120000", ID: ids[0]},
		{Path: "never was"},
	}))
	equal(t, "tree", listing(t, r, tree), []string{"100644 a/deep/모듈", "100755 dir"})
	equal(t, "changes", changes(must[[]git.Change](t)(r.Diff(ctx, base, tree))), []string{
		"D a", "A a/deep/모듈", "A dir", "D dir/b", "D dir/c", "A ../y",
	})
	if again := must[string](t)(r.EditTree(ctx, tree, nil)); again != tree {
		t.Errorf("no edits give %s", again)
	}
	empty := must[string](t)(r.EditTree(ctx, "", nil))
	equal(t, "from nothing", changes(must[[]git.Change](t)(r.Diff(ctx, empty, base))), []string{"A a", "A dir/b", "A dir/c", "A ../x"})
	for _, p := range []string{".git/config", "a/.GIT/x", "../../x", "/x", "", "..", "git~1", "a/.git ", ".g\u200cit/x", "x\x00y"} {
		if _, err := r.EditTree(ctx, base, []git.Edit{{Path: p, Mode: "100644", ID: ids[0]}}); !errors.Is(err, git.ErrPath) {
			t.Errorf("EditTree with %q = %v, want %v", p, err, git.ErrPath)
		}
	}
	none := strings.Repeat("1", 40)
	for name, call := range map[string]func() error{
		"read tree":     func() error { _, err := r.ReadTree(ctx, none); return err },
		"read an name":  func() error { _, err := r.ReadTree(ctx, "HEAD"); return err },
		"read blob":     func() error { _, err := r.ReadBlob(ctx, none); return err },
		"read a tree":   func() error { _, err := r.ReadBlob(ctx, base); return err },
		"edit tree":     func() error { _, err := r.EditTree(ctx, none, nil); return err },
		"set to it":     func() error { _, err := r.EditTree(ctx, base, []git.Edit{{"q", "100644", none}}); return err },
		"diff":          func() error { _, err := r.Diff(ctx, base, none); return err },
		"clone":         func() error { _, err := r.Clone(ctx, s.path("c"), none); return err },
		"check out":     func() error { _, err := r.Checkout(ctx, none, s.path("d")); return err },
		"lines":         func() error { _, err := r.AddedLines(ctx, none, base); return err },
		"an option, eh": func() error { _, err := r.Diff(ctx, "--output=/tmp/x", base); return err },
	} {
		if err := call(); !errors.Is(err, git.ErrMissing) {
			t.Errorf("%s = %v, want %v", name, err, git.ErrMissing)
		}
	}
}

func TestDiffStatuses(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"m": "1", "d": "1", "t": "1", "x": "1", "renamed": strings.Repeat("same\n", 50)})
	r := s.open("r")
	head := s.tree("r", "HEAD")
	s.file("r/m", "2")
	s.remove("r/d")
	s.remove("r/t")
	s.link("r/t", "m")
	s.exec("r/x", "1")
	s.file("r/a", "1")
	s.git("r", "mv", "renamed", "name")
	_, tree := snapshot(t, r)
	list := must[[]git.Change](t)(r.Diff(t.Context(), head, tree))
	equal(t, "changes", changes(list), []string{"A a", "D d", "M m", "A name", "D renamed", "T t", "M x"})
	for _, c := range list {
		if (c.OldID == "") != (c.Status == 'A') || (c.NewMode == "") != (c.Status == 'D') {
			t.Errorf("%+v", c)
		}
	}
	if x := list[6]; x.OldMode != "100644" || x.NewMode != "100755" || x.OldID != x.NewID {
		t.Errorf("mode change = %+v", x)
	}
}

func TestAddedLines(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{
		"m": "1\n2\n3\n4\n5", "d": "only\n", "t": "was file\n", "x": "1", "bin": "a\x00b", "tricky": "-- a\n++ b\n",
		".gitattributes": "hidden.go -diff\n*.enc working-tree-encoding=UTF-16 diff=no\n",
	})
	r := s.open("r")
	head := s.tree("r", "HEAD")
	s.file("r/m", "1\nzwei\n3\n4\n5\n6\r\n")
	s.remove("r/d")
	s.remove("r/t")
	s.link("r/t", "m")
	s.exec("r/x", "1")
	s.file("r/bin", "a\x00c")
	s.file("r/empty", "")
	s.file("r/hidden.go", "package evil\n")
	s.file("r/tricky", "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/x\n+++ b/x\nBinary files a and b differ\n\\ No newline\n")
	s.file("r/huge.txt", strings.Repeat("0123456789\n", 600_000))
	s.file("r/long.txt", strings.Repeat("y", 3<<20)+"\n")
	_, tree := snapshot(t, r)
	got := map[string]git.FileDiff{}
	for _, f := range must[[]git.FileDiff](t)(r.AddedLines(t.Context(), head, tree)) {
		got[f.Path] = f
	}
	text := func(lines []git.Line) string {
		var b strings.Builder
		for _, l := range lines {
			fmt.Fprintf(&b, "%d:%s|", l.N, l.Text)
		}
		return b.String()
	}
	for p, want := range map[string]struct{ removed, added string }{
		"m":         {"2:2|5:5|", "2:zwei|5:5|6:6\r|"},
		"d":         {"1:only|", ""},
		"t":         {"1:was file|", "1:m|"},
		"x":         {"", ""},
		"empty":     {"", ""},
		"hidden.go": {"", "1:package evil|"},
		"tricky": {
			"1:-- a|2:++ b|",
			"1:diff --git a/x b/x|2:@@ -1 +1 @@|3:--- a/x|4:+++ b/x|5:Binary files a and b differ|6:\\ No newline|",
		},
		"bin":      {"", ""},
		"huge.txt": {"", ""},
	} {
		f, ok := got[p]
		if !ok || text(f.Removed) != want.removed || text(f.Added) != want.added {
			t.Errorf("%s: removed %q, added %q", p, text(f.Removed), text(f.Added))
		}
	}
	if l := got["long.txt"]; len(l.Added) != 1 || len(l.Added[0].Text) != 3<<20 {
		t.Errorf("long line: %d lines", len(l.Added))
	}
	if len(got) != 10 {
		t.Errorf("%d files", len(got))
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{"p/f": "1\n2\n3\n4\n5\n", "p/g": "1\n", "p/h": "1\n", "q": "1\n"})
	r := s.open("r/p")
	ctx := t.Context()
	base := s.tree("r", "HEAD")
	edit := func(files map[string]string) string {
		var edits []git.Edit
		for p, text := range files {
			e := git.Edit{Path: p, Mode: "100644"}
			if text != "" {
				e.ID = must[string](t)(r.WriteBlob(ctx, []byte(text)))
			}
			edits = append(edits, e)
		}
		return must[string](t)(r.EditTree(ctx, base, edits))
	}
	ours := edit(map[string]string{"f": "1x\n2\n3\n4\n5\n", "new ours": "o"})
	theirs := edit(map[string]string{"f": "1\n2\n3\n4\n5x\n", "../new": "t"})
	tree, conflicts, err := r.Merge(ctx, base, ours, theirs)
	if err != nil || conflicts != nil {
		t.Fatalf("merge = %v, %v", conflicts, err)
	}
	if b := must[[]byte](t)(r.ReadBlob(ctx, blobOf(t, r, tree, "f"))); string(b) != "1x\n2\n3\n4\n5x\n" {
		t.Errorf("merged = %q", b)
	}
	equal(t, "merged", changes(must[[]git.Change](t)(r.Diff(ctx, ours, tree))), []string{"A ../new", "M f"})
	if again, _, _ := r.Merge(ctx, base, ours, theirs); again != tree {
		t.Error("the same merge gives another tree")
	}

	ours = edit(map[string]string{"f": "ours\n", "g": "ours\n", "h": "", "both [a]": "o\n", "../q": "o\n"})
	theirs = edit(map[string]string{"f": "theirs\n", "g": "", "h": "", "both [a]": "t\n", "../q": "t\n"})
	_, conflicts, err = r.Merge(ctx, base, ours, theirs)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(conflicts)
	equal(t, "conflicts", conflicts, []string{"../q", "both [a]", "f", "g"})
}

func TestCheckout(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("r", map[string]string{
		"a.txt": "1\n", "dir/모듈": "2", ".gitattributes": "* text eol=crlf\na.txt filter=evil ident\n", ".gitignore": "ignored\n",
	})
	s.git("r", "config", "filter.evil.smudge", "touch "+s.path("ran")+"; cat")
	s.git("r", "config", "core.autocrlf", "true")
	s.exec("r/run.sh", "#!/bin/sh\n")
	s.link("r/good", "dir/모듈")
	s.link("r/dir/up", "../a.txt")
	s.link("r/absolute", "/etc/passwd")
	s.link("r/out", "../../secret")
	s.link("r/here", ".")
	s.link("r/sly", "here/../x")
	s.git("r", "add", "-f", ".")
	s.git("r", "commit", "-q", "-m", "x")
	r := s.open("r")
	head := s.git("r", "rev-parse", "HEAD")
	skipped := must[[]string](t)(r.Checkout(t.Context(), head, s.path("check")))
	equal(t, "skipped", skipped, []string{"absolute", "out", "sly"})
	equal(t, "files", diskFiles(t, s.path("check")), []string{
		".gitattributes", ".gitignore", "a.txt", "dir/up", "dir/모듈", "good", "here", "run.sh",
	})
	if s.read("check/a.txt") != "1\n" || s.has("ran") || s.has("check/.git") {
		t.Errorf("a.txt = %q, filter ran %v", s.read("check/a.txt"), s.has("ran"))
	}
	info, err := os.Stat(s.path("check/run.sh"))
	if err != nil || info.Mode()&0o111 != 0o111 {
		t.Errorf("run.sh: %v, %v", info.Mode(), err)
	}
	if target, err := os.Readlink(s.path("check/good")); err != nil || target != "dir/모듈" {
		t.Errorf("good -> %q, %v", target, err)
	}
	if _, err := r.Checkout(t.Context(), head, s.path("check")); err == nil {
		t.Error("a directory that is not empty is taken")
	}
	if left := diskFiles(t, s.path("temp")); left != nil {
		t.Errorf("left in the temporary directory: %q", left)
	}
}
