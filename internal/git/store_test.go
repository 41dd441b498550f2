package git_test

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
)

// TestAgreesWithGit compares what is read and written without git with what git makes
// of it: random trees, differences, merges, commits and clones, loose and packed.
func TestAgreesWithGit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.dir("r")
			s.git("r", "init", "-q", "--object-format="+format)
			s.git("r", "commit", "-q", "--allow-empty", "-m", "first")
			o := oracle{t: t, s: s, r: s.open("r"), rand: rand.New(rand.NewPCG(1, 2))}
			o.base = s.tree("r", "HEAD")
			o.commit = s.git("r", "rev-parse", "HEAD")
			for i := range 24 {
				o.round(i)
				if i%8 == 5 {
					s.git("r", "update-ref", "refs/keep", o.commit)
					s.git("r", "repack", "-a", "-d", "-q")
					s.git("r", "prune-packed")
					o.r = s.open("r") // remembers nothing
				}
			}
			if out := s.git("r", "fsck", "--strict", "--full", "--no-dangling"); strings.Contains(out, "error") {
				t.Errorf("git fsck: %s", out)
			}
		})
	}
}

type oracle struct {
	t            *testing.T
	s            *sandbox
	r            *git.Repo
	rand         *rand.Rand
	base, commit string
	flat         map[string]string // path to "mode id" of base
}

// path is one of few, so that files and directories get into each other's way. Their
// order is where comparing names is not comparing paths.
func (o *oracle) path() string {
	names := []string{"a", "a.b", "a-b", "a0", "모듈", "b c", "[x]"}
	p := names[o.rand.IntN(len(names))]
	for o.rand.IntN(2) == 0 {
		p += "/" + names[o.rand.IntN(len(names))]
	}
	return p
}

// edits are random and say the same to a flat list of files.
func (o *oracle) edits(flat map[string]string) []git.Edit {
	var list []git.Edit
	used := map[string]bool{}
	for range 1 + o.rand.IntN(6) {
		p := o.path()
		if slices.ContainsFunc(list, func(e git.Edit) bool {
			return strings.HasPrefix(e.Path+"/", p+"/") || strings.HasPrefix(p+"/", e.Path+"/")
		}) || used[p] {
			continue
		}
		used[p] = true
		e := git.Edit{Path: p}
		if o.rand.IntN(3) > 0 {
			e.Mode = []string{"100644", "100755", "120000"}[o.rand.IntN(3)]
			e.ID = blobText(o.t, o.r, fmt.Sprint("text ", o.rand.IntN(5), "\n"))
		}
		list = append(list, e)
		delete(flat, p)
		if e.ID == "" {
			continue
		}
		for q := range flat {
			if strings.HasPrefix(q, p+"/") {
				delete(flat, q)
			}
		}
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			delete(flat, d)
		}
		flat[p] = e.Mode + " blob " + e.ID
	}
	return list
}

func clone(m map[string]string) map[string]string {
	c := map[string]string{}
	for k, v := range m {
		c[k] = v
	}
	return c
}

func (o *oracle) round(i int) {
	t, ctx := o.t, o.t.Context()
	if o.flat == nil {
		o.flat = map[string]string{}
	}
	var trees [2]string
	var flats [2]map[string]string
	for n := range trees {
		flats[n] = clone(o.flat)
		edits := o.edits(flats[n])
		trees[n] = must[string](t)(o.r.EditTree(ctx, o.base, edits))
		var want []string
		for p, e := range flats[n] {
			want = append(want, e+"\t"+p)
		}
		slices.SortFunc(want, func(a, b string) int { return strings.Compare(a[strings.Index(a, "\t"):], b[strings.Index(b, "\t"):]) })
		got := strings.Split(strings.TrimSuffix(o.s.git("r", "ls-tree", "-r", "-z", trees[n]), "\x00"), "\x00")
		if len(want) == 0 {
			want = []string{""}
		}
		slices.SortFunc(got, func(a, b string) int {
			return strings.Compare(a[max(0, strings.Index(a, "\t")):], b[max(0, strings.Index(b, "\t")):])
		})
		equal(t, fmt.Sprintf("round %d: tree after %v", i, edits), got, want)
		o.diff(o.base, trees[n])
	}
	o.diff(trees[0], trees[1])
	o.merge(trees[0], trees[1])
	o.cloned(i, trees[1])
	c := git.Commit{
		Tree: trees[1], Parents: []string{o.commit}, Message: "round\n\nbody", Trailers: []git.Trailer{{Key: "K", Value: "v"}},
		Name: ", Ann <x>.", Email: "a@x", Time: time.Unix(int64(i), 0).In(time.FixedZone("", 9*3600)),
	}
	o.commit = must[string](t)(o.r.CommitTree(ctx, c))
	want := o.gitCommit(c)
	if o.commit != want {
		t.Errorf("commit is %s, git's is %s:\n%s", o.commit, want, o.s.git("r", "cat-file", "-p", o.commit))
	}
	if tree, parents, err := o.r.ReadCommit(ctx, o.commit); tree != trees[1] || !slices.Equal(parents, c.Parents) || err != nil {
		t.Errorf("commit = %s %v, %v, want %s %v", tree, parents, err, trees[1], c.Parents)
	}
	o.base, o.flat = trees[1], flats[1]
}

func (o *oracle) gitCommit(c git.Commit) string {
	o.t.Helper()
	date := fmt.Sprintf("@%d +0900", c.Time.Unix())
	s := *o.s
	s.env = append(slices.Clone(s.env),
		"GIT_AUTHOR_NAME="+c.Name, "GIT_COMMITTER_NAME="+c.Name, "GIT_AUTHOR_EMAIL="+c.Email, "GIT_COMMITTER_EMAIL="+c.Email,
		"GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	return s.git("r", "commit-tree", "-p", c.Parents[0], "-m", "round\n\nbody\n\nK: v", c.Tree)
}

func (o *oracle) diff(a, b string) {
	o.t.Helper()
	var got, want []string
	for _, c := range must[[]git.Change](o.t)(o.r.Diff(o.t.Context(), a, b)) {
		none := strings.Repeat("0", len(a))
		or := func(s, other string) string {
			if s == "" {
				return other
			}
			return s
		}
		got = append(got, fmt.Sprintf(":%s %s %s %s %c %s", or(c.OldMode, "000000"), or(c.NewMode, "000000"), or(c.OldID, none), or(c.NewID, none), c.Status, c.Path))
	}
	f := strings.Split(o.s.git("r", "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", a, b), "\x00")
	for i := 0; i+1 < len(f); i += 2 {
		want = append(want, f[i]+" "+f[i+1])
	}
	byPath := func(a, b string) int {
		x, y := strings.SplitN(a, " ", 6)[5], strings.SplitN(b, " ", 6)[5]
		return strings.Compare(x, y)
	}
	slices.SortFunc(want, byPath)
	equal(o.t, "changes", got, want)
}

// merge compares a merge with git's, which is right by definition where it finds no conflict.
func (o *oracle) merge(ours, theirs string) {
	o.t.Helper()
	tree, conflicts, err := o.r.Merge(o.t.Context(), o.base, ours, theirs)
	if err != nil {
		o.t.Fatal(err)
	}
	var ids []string
	for _, tr := range []string{o.base, ours, theirs} {
		args := []string{"commit-tree", "-m", "m", tr}
		if len(ids) > 0 {
			args = append(args, "-p", ids[0])
		}
		ids = append(ids, o.s.gitAt("r", "1700000000", args...))
	}
	out := o.s.git("r", "-c", "merge.directoryRenames=false", "-c", "alias.mt=!git merge-tree --write-tree --no-messages --name-only \"$@\" || true; :", "mt", ids[1], ids[2])
	want, rest, conflicted := strings.Cut(strings.TrimSpace(out), "\n")
	if conflicted != (len(conflicts) > 0) || (!conflicted && tree != want) {
		o.t.Errorf("merge = %s with %v, git says %s with %q", tree, conflicts, want, rest)
	}
}

// cloned compares what is written to a clone with what git thinks of it.
func (o *oracle) cloned(i int, tree string) {
	o.t.Helper()
	dir := fmt.Sprintf("clone%d", i)
	c := must[*git.Clone](o.t)(o.r.Clone(o.t.Context(), o.s.path(dir), tree))
	if out := o.s.git(dir, "status", "--porcelain"); out != "" {
		o.t.Errorf("git status in a new clone: %s", out)
	}
	if out := o.s.git(dir, "write-tree"); out != tree {
		o.t.Errorf("the index is of tree %s, want %s", out, tree)
	}
	o.s.file(dir+"/new", "x")
	o.s.git(dir, "add", "-A")
	if got := must[git.Capture](o.t)(c.Capture(o.t.Context())); got.Tree == tree || len(got.Tampered) > 0 {
		o.t.Errorf("capture = %+v", got)
	}
}

// TestIndexIsReadAsGitReadsIt compares the reading of indexes of all kinds with git's.
func TestIndexIsReadAsGitReadsIt(t *testing.T) {
	t.Parallel()
	many := map[string]string{"a/b/c.txt": "1", "a/b/d.txt": "2", "a/e": "3", "z": "4", strings.Repeat("long/", 60) + "name": "5"}
	for _, n := range odd {
		many["odd/"+n] = n
	}
	for name, c := range map[string]struct {
		format string
		do     func(s *sandbox)
		asked  bool // git has to be asked
	}{
		"plain":         {do: func(*sandbox) {}},
		"sha256":        {format: "sha256", do: func(*sandbox) {}},
		"empty":         {do: func(s *sandbox) { s.git("r", "rm", "-rq", "--cached", ".") }},
		"none":          {do: func(s *sandbox) { s.remove("r/.git/index") }},
		"version 4":     {do: func(s *sandbox) { s.git("r", "update-index", "--index-version", "4") }},
		"version 3":     {do: func(s *sandbox) { s.git("r", "update-index", "--skip-worktree", "z", "a/e") }},
		"announced":     {do: func(s *sandbox) { s.file("r/new", "n"); s.git("r", "add", "-N", "new") }},
		"exec and link": {do: func(s *sandbox) { s.exec("r/x", "#!"); s.link("r/l", "z"); s.git("r", "add", "-A") }},
		"untracked cache": {do: func(s *sandbox) {
			s.git("r", "update-index", "--force-untracked-cache")
			s.git("r", "status")
		}},
		"conflict": {do: func(s *sandbox) {
			s.git("r", "checkout", "-q", "-b", "side")
			s.file("r/z", "side")
			s.git("r", "commit", "-qam", "side")
			s.git("r", "checkout", "-q", "main")
			s.file("r/z", "main")
			s.git("r", "commit", "-qam", "main")
			s.git("r", "-c", "alias.m=!git merge -q side || true", "m")
		}},
		"split": {asked: true, do: func(s *sandbox) { s.git("r", "update-index", "--split-index") }},
		"damaged": {asked: true, do: func(s *sandbox) {
			s.file("r/.git/index", "DIRC\x00\x00\x00\x09 and what not, long enough to look like one")
		}},
		"sparse": {asked: true, do: func(s *sandbox) {
			s.git("r", "sparse-checkout", "set", "--cone", "--sparse-index", "odd")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.dir("r")
			if c.format != "" {
				s.git("r", "init", "-q", "--object-format="+c.format)
			}
			s.repo("r", many)
			c.do(s)
			got, ok := git.Index(s.open("r"))
			if ok == c.asked {
				t.Fatalf("read: %v, want %v", ok, !c.asked)
			}
			if c.asked {
				return
			}
			var want []string
			for rec := range strings.SplitSeq(s.git("r", "ls-files", "-s", "-z"), "\x00") {
				meta, p, found := strings.Cut(rec, "\t")
				if f := strings.Fields(meta); found {
					want = append(want, f[0]+" "+f[1]+"\t"+p)
				}
			}
			equal(t, "index", got, want)
		})
	}
}
