package hub_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jacquard-build/jacquard/internal/blob"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/hub"
	"github.com/jacquard-build/jacquard/internal/hub/s3test"
)

// world is a hub of one kind with machines around it.
type world struct {
	t     *testing.T
	base  string
	place func(repo *git.Repo, temp string) hub.Place
	away  func()            // the hub cannot be reached any more
	files func() []string   // what a store has
	env   map[string]string // of a bucket
}

// machine is a clone with a blob store.
type machine struct {
	repo  *git.Repo
	blobs flow.Blobs
	hub   *hub.Hub
	place hub.Place
	dir   string
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// kinds runs a test on hubs of each kind; stores leaves out git remotes.
func kinds(t *testing.T, test func(w *world)) {
	t.Helper()
	t.Run("remote", func(t *testing.T) {
		t.Parallel()
		test(remoteWorld(t))
	})
	stores(t, test)
}

func stores(t *testing.T, test func(w *world)) {
	t.Helper()
	for name, make := range map[string]func(*testing.T) *world{"folder": folderWorld, "bucket": bucketWorld} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(make(t))
		})
	}
}

func remoteWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, base: t.TempDir()}
	run(t, w.base, "init", "-q", "--bare", "-b", "main", "hub.git")
	w.place = func(repo *git.Repo, _ string) hub.Place {
		run(t, repo.Root(), "remote", "add", "hub", filepath.Join(w.base, "hub.git"))
		return hub.Remote(repo, "hub", git.Login{})
	}
	w.away = func() { move(t, filepath.Join(w.base, "hub.git")) }
	return w
}

func storeWorld(t *testing.T, base, address string, env map[string]string) *world {
	t.Helper()
	return &world{t: t, base: base, env: env, place: func(repo *git.Repo, temp string) hub.Place {
		p, err := hub.Store(repo, hub.StoreOptions{Address: address, Project: "host/team/shop", Temp: temp, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}}
}

func folderWorld(t *testing.T) *world {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "share")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w := storeWorld(t, base, "file://"+dir, nil)
	w.away = func() { move(t, dir) }
	w.files = func() []string { return bundles(t, dir) }
	return w
}

func bucketWorld(t *testing.T) *world {
	t.Helper()
	base := t.TempDir()
	s, err := s3test.Start(base+"/s3", 0)
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		t.Skip(s3test.ProgramName + " names no store: make s3 builds it, make test sets it")
	}
	t.Cleanup(s.Kill)
	w := storeWorld(t, base, "s3://"+s3test.Bucket+"/some/where", s.Env())
	w.away = s.Kill
	w.files = func() []string { return bundles(t, base+"/s3/"+s3test.Bucket+"/some/where") }
	return w
}

func move(t *testing.T, dir string) {
	t.Helper()
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
}

func bundles(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(dir + "/*/*/*.bundle")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(dir + "/*/*/steps/*")
	if err != nil {
		t.Fatal(err)
	}
	return append(list, more...)
}

// machine makes a repository that has nothing, and a way to the hub.
func (w *world) machine(t *testing.T, name string) machine {
	t.Helper()
	run(t, w.base, "init", "-q", "-b", "main", name)
	dir, temp := filepath.Join(w.base, name), t.TempDir()
	run(t, dir, "config", "user.name", "someone")
	run(t, dir, "config", "user.email", "someone@example.com")
	return w.open(t, dir, temp)
}

func (w *world) open(t *testing.T, dir, temp string) machine {
	t.Helper()
	repo, err := git.Open(t.Context(), git.Options{Dir: dir, Env: os.Environ(), Temp: temp})
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.Open(filepath.Join(temp, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	place := w.place(repo, temp)
	return machine{repo, blobs, hub.New(repo, place, blobs), place, dir}
}

// tree makes a tree with one file.
func (m machine) tree(t *testing.T, path, text string) (tree, blob string) {
	t.Helper()
	blob, err := m.repo.WriteBlob(t.Context(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	tree, err = m.repo.EditTree(t.Context(), "", []git.Edit{{Path: path, Mode: "100644", ID: blob}})
	if err != nil {
		t.Fatal(err)
	}
	return tree, blob
}

// keep shares a result that names these ids.
func (m machine) keep(t *testing.T, run, key string, ids ...string) []byte {
	t.Helper()
	raw, err := json.Marshal(ids)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.hub.Keep(t.Context(), run, key, []byte(`{}`), raw); string(got) != string(raw) || err != nil {
		t.Fatalf("kept %s, %v", got, err)
	}
	return raw
}

func (m machine) has(t *testing.T, ids ...string) {
	t.Helper()
	here, err := m.repo.Here(t.Context(), ids)
	for _, id := range ids {
		if err != nil || !here[id] {
			t.Errorf("%s is not here: %v", id, err)
		}
	}
}

// TestResultTravels: what a result refers to, also through a blob, is on the other machine when it is asked for; who ends a
// step second gets the first result; what nobody has is no error; a hub that is away has its class.
func TestResultTravels(t *testing.T) {
	t.Parallel()
	kinds(t, func(w *world) {
		t := w.t
		ctx := t.Context()
		one, two := w.machine(t, "one"), w.machine(t, "two")
		tree, blob := one.tree(t, "f", "text\n")
		inner, err := json.Marshal(map[string]string{"tree": tree})
		if err != nil {
			t.Fatal(err)
		}
		ref, err := one.blobs.Put(inner, "application/json")
		if err != nil {
			t.Fatal(err)
		}
		result, err := json.Marshal(map[string]any{"out": map[string]any{"records": ref, "unknown": "0123456789abcdef0123456789abcdef01234567"}})
		if err != nil {
			t.Fatal(err)
		}
		if had, err := two.hub.Find(ctx, "r1", "k"); had != nil || err != nil {
			t.Errorf("found before it was there: %s, %v", had, err)
		}
		if got, err := one.hub.Keep(ctx, "r1", "k", []byte(`{}`), result); string(got) != string(result) || err != nil {
			t.Fatalf("kept %s, %v", got, err)
		}
		if err := two.hub.Bring(ctx, "r1", result); err != nil {
			t.Fatal(err)
		}
		two.has(t, tree, blob)
		if data, err := two.blobs.Get(ref); string(data) != string(inner) || err != nil {
			t.Errorf("blob = %s, %v", data, err)
		}
		if got, err := two.hub.Keep(ctx, "r1", "k", nil, []byte(`{"out":"late"}`)); string(got) != string(result) || err != nil {
			t.Errorf("the second result: %s, %v, want the first", got, err)
		}
		if got, err := two.hub.Find(ctx, "r1", "k"); string(got) != string(result) || err != nil {
			t.Errorf("found %s, %v", got, err)
		}
		if n, err := two.hub.Forget(ctx, []string{"r1", "r2"}); n != 1 || err != nil {
			t.Errorf("forgot %d, %v", n, err)
		}
		if err := one.place.Check(ctx); err != nil {
			t.Errorf("check: %v", err)
		}
		w.away()
		if _, err := one.hub.Keep(ctx, "r1", "other", nil, result); !errors.Is(err, &flow.Failure{Class: flow.Environment}) {
			t.Errorf("a hub that is away: %v", err)
		}
		if err := one.place.Check(ctx); err == nil {
			t.Error("a hub that is away was checked")
		}
	})
}

// TestOneIsFirst: machines that end the same step at the same time agree on one result.
func TestOneIsFirst(t *testing.T) {
	t.Parallel()
	kinds(t, func(w *world) {
		t := w.t
		const machines = 4
		var all []machine
		for i := range machines {
			all = append(all, w.machine(t, "m"+string(rune('0'+i))))
		}
		for _, key := range []string{"a", "b", "c"} {
			got := make([]string, machines)
			var wg sync.WaitGroup
			for i, m := range all {
				wg.Go(func() {
					mine, _ := json.Marshal(map[string]int{"machine": i})
					counts, err := m.hub.Keep(t.Context(), "r1", key, nil, mine)
					if err != nil {
						t.Errorf("machine %d: %v", i, err)
					}
					got[i] = string(counts)
				})
			}
			wg.Wait()
			for i := range got {
				if got[i] == "" || got[i] != got[0] {
					t.Errorf("%s: the results differ: %v", key, got)
					break
				}
			}
		}
	})
}

// TestHistoryTravels: commits come with their histories to a repository that has nothing, later runs add what is new, and what
// another step of the run brought is not sent again.
func TestHistoryTravels(t *testing.T) {
	t.Parallel()
	kinds(t, func(w *world) {
		t := w.t
		one, two := w.machine(t, "one"), w.machine(t, "two")
		commit := func(name, text string) string {
			t.Helper()
			if err := os.WriteFile(filepath.Join(one.dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			run(t, one.dir, "add", ".")
			run(t, one.dir, "commit", "-q", "-m", name)
			return run(t, one.dir, "rev-parse", "HEAD")
		}
		first := commit("large", noise(100_000))
		second := commit("f", "1\n")
		snapshot := func(run string) string {
			t.Helper()
			head, err := one.repo.Revision(t.Context(), "HEAD")
			if err != nil {
				t.Fatal(err)
			}
			top, _, err := one.repo.ReadCommit(t.Context(), head)
			if err != nil {
				t.Fatal(err)
			}
			id, err := one.repo.CommitTree(t.Context(), git.Commit{Tree: top, Parents: []string{head}, Message: "snapshot of " + run, Name: "j", Email: "j@j"})
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		base := snapshot("r1")
		raw := one.keep(t, "r1", "k1", base)
		if err := two.hub.Bring(t.Context(), "r1", raw); err != nil {
			t.Fatal(err)
		}
		two.has(t, first, second, base)
		tree, _ := one.tree(t, "new", noise(50_000))
		landed, err := one.repo.CommitTree(t.Context(), git.Commit{Tree: tree, Parents: []string{base}, Message: "landed", Name: "j", Email: "j@j"})
		if err != nil {
			t.Fatal(err)
		}
		in, err := json.Marshal(base)
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal([]string{landed, tree})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := one.hub.Keep(t.Context(), "r1", "k2", in, out); err != nil {
			t.Fatal(err)
		}
		if err := two.hub.Bring(t.Context(), "r1", out); err != nil {
			t.Fatal(err)
		}
		two.has(t, landed, tree)
		if err := two.hub.Bring(t.Context(), "r1", out); err != nil {
			t.Fatal(err)
		}
		// The next step names a tree that the run has already.
		if _, err := two.hub.Keep(t.Context(), "r1", "k3", out, []byte(`["`+tree+`"]`)); err != nil {
			t.Fatal(err)
		}
		third := commit("g", "3\n")
		one = w.again(t, one)
		raw = one.keep(t, "r2", "k1", snapshot("r2"))
		three := w.machine(t, "three")
		if err := three.hub.Bring(t.Context(), "r2", raw); err != nil {
			t.Fatal(err)
		}
		three.has(t, first, second, third)
		run(t, three.dir, "fsck", "--connectivity-only")
		if w.files == nil {
			return
		}
		large := 0
		for _, f := range w.files() {
			run(t, one.dir, "bundle", "verify", "-q", f) // it is what git calls a bundle
			if info, err := os.Stat(f); err != nil {
				t.Error(err)
			} else if info.Size() > 40_000 {
				large++
			} else if info.Size() > 1500 {
				t.Errorf("%s has %d bytes", f, info.Size())
			}
		}
		if large != 2 {
			t.Errorf("%d large bundles, want those of the history and of the new tree: %v", large, w.files())
		}
	})
}

// again opens a machine as another process does.
func (w *world) again(t *testing.T, m machine) machine {
	t.Helper()
	place := m.place
	if w.files != nil {
		place = w.place(m.repo, t.TempDir())
	}
	return machine{m.repo, m.blobs, hub.New(m.repo, place, m.blobs), place, m.dir}
}

// noise is text that does not get smaller.
func noise(n int) string {
	b, x := make([]byte, n), uint64(88172645463325252)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return string(b)
}
