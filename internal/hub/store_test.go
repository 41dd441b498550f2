package hub_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/hub"
	"github.com/jacquard-build/jacquard/internal/hub/s3test"
)

// TestDamagedStore: what is damaged, cut short, of another step, or not ours at all is an error that names it, and nothing of it
// is taken; once it is deleted the rest comes.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	stores(t, func(w *world) {
		t := w.t
		ctx := t.Context()
		one := w.machine(t, "one")
		tree, _ := one.tree(t, "f", noise(3000))
		other, _ := one.tree(t, "g", "other\n")
		raw := one.keep(t, "r1", "damaged", tree)
		one.keep(t, "r1", "whole", other)
		file, whole := w.file("damaged"), w.file("whole")
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		flipped := []byte(string(good))
		flipped[len(flipped)-1500] ^= 1
		foreign, err := os.ReadFile(whole)
		if err != nil {
			t.Fatal(err)
		}
		alone, commit := hollow(t, one.dir, good)
		for name, bad := range map[string][]byte{
			"empty": {}, "not": []byte("hello\n"), "cut": good[:len(good)-100], "flipped": flipped, "foreign": foreign, "incomplete": alone,
			"escape": []byte(strings.Replace(string(good), "refs/jacquard/r1/steps/", "refs/heads/", 1)),
			"large":  nil, "needs": []byte(strings.Replace(string(good), "# v2 git bundle\n", "# v2 git bundle\n-0123456789abcdef0123456789abcdef01234567\n", 1)),
		} {
			write(t, file, bad)
			if name == "large" { // a file with a hole
				if err := os.Truncate(file, 1<<30+1); err != nil {
					t.Fatal(err)
				}
			}
			two := w.machine(t, "two-"+name)
			err := two.hub.Bring(ctx, "r1", raw)
			if !errors.Is(err, &flow.Failure{Class: flow.Environment}) || !strings.Contains(err.Error(), filepath.Base(file)) {
				t.Errorf("%s: %v", name, err)
			}
			if name == "large" && !strings.Contains(err.Error(), "more than 1073741824 bytes") {
				t.Errorf("%s: %v", name, err)
			}
			if here, err := two.repo.Here(ctx, []string{tree, commit}); err != nil || here[tree] || here[commit] {
				t.Errorf("%s: it was taken: %v", name, err)
			}
			if refs := run(t, two.dir, "for-each-ref", "refs/heads", "refs/jacquard/r1/steps/"+strings.TrimSuffix(filepath.Base(file), ".bundle")); refs != "" {
				t.Errorf("%s: refs %s", name, refs)
			}
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		three := w.machine(t, "three")
		if got, err := three.hub.Find(ctx, "r1", "whole"); !strings.Contains(string(got), other) || err != nil {
			t.Errorf("the rest: %s, %v", got, err)
		}
		write(t, filepath.Join(filepath.Dir(whole), "not ours.txt"), []byte("x"))
		if _, err := three.hub.Find(ctx, "r1", "whole"); err == nil || !strings.Contains(err.Error(), "not ours.txt") {
			t.Errorf("something else: %v", err)
		}
	})
}

// TestWhoIsToBlame: of bundles that need each other the error names the one that is wrong, and what is only whole with something
// that nobody has is not taken, whatever bundles say that they need.
func TestWhoIsToBlame(t *testing.T) {
	t.Parallel()
	stores(t, func(w *world) {
		t := w.t
		ctx := t.Context()
		one := w.machine(t, "one")
		tree, _ := one.tree(t, "f", "text\n")
		one.keep(t, "r1", "zz-wrong", tree)
		one.keep(t, "r1", "a-needs", tree)
		wrong := w.file("zz-wrong")
		good, err := os.ReadFile(wrong)
		if err != nil {
			t.Fatal(err)
		}
		alone, _ := hollow(t, one.dir, good)
		write(t, wrong, alone)
		two := w.machine(t, "two")
		if _, err := two.hub.Find(ctx, "r1", "a-needs"); err == nil || !strings.Contains(err.Error(), filepath.Base(wrong)) || strings.Contains(err.Error(), "a-needs") {
			t.Errorf("the error: %v", err)
		}
		write(t, wrong, good)
		if got, err := two.hub.Find(ctx, "r1", "a-needs"); !strings.Contains(string(got), tree) || err != nil {
			t.Errorf("mended: %s, %v", got, err)
		}

		p := run(t, one.dir, "commit-tree", "-m", "p", tree)
		q := run(t, one.dir, "commit-tree", "-m", "q", "-p", p, tree)
		steps := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(wrong))), "r2", "steps")
		if err := os.MkdirAll(steps, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, c := range [][3]string{{"p", p, q}, {"q", q, p}} {
			write(t, filepath.Join(steps, c[0]+".bundle"), []byte("# v2 git bundle\n-"+c[2]+"\n"+c[1]+" refs/jacquard/r2/steps/"+c[0]+"\n\n"+packed(t, one.dir, c[1])))
		}
		three := w.machine(t, "three")
		if _, err := three.hub.Find(ctx, "r2", "x"); !errors.Is(err, &flow.Failure{Class: flow.Environment}) {
			t.Errorf("bundles that need each other and lack the same: %v", err)
		}
		if refs := run(t, three.dir, "for-each-ref"); refs != "" {
			t.Errorf("refs %s", refs)
		}
		if here, err := three.repo.Here(ctx, []string{p, q}); err != nil || here[p] || here[q] {
			t.Errorf("they were taken: %v, %v", here, err)
		}
	})
}

// TestManySteps: a machine that comes late takes in what hundreds of steps of two others brought, parts of it twice.
func TestManySteps(t *testing.T) {
	t.Parallel()
	stores(t, func(w *world) {
		t := w.t
		one, two, late := w.machine(t, "one"), w.machine(t, "two"), w.machine(t, "late")
		var all []string
		for i := range 60 {
			for j, m := range []machine{one, two} {
				tree, blob := m.tree(t, "f", noise(2000)+fmt.Sprint(i+j)) // what one makes now, the other makes next
				all = append(all, tree, blob)
				m.keep(t, "r1", fmt.Sprintf("%d-%d", i, j), tree, blob)
			}
		}
		if err := late.hub.Bring(t.Context(), "r1", []byte(`["`+strings.Join(all, `", "`)+`"]`)); err != nil {
			t.Fatal(err)
		}
		late.has(t, all...)
		run(t, late.dir, "fsck", "--strict")
		left, err := filepath.Glob(filepath.Join(late.dir, ".git/objects/tmp_*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
}

// file is the bundle in the store whose name has these words.
func (w *world) file(words string) string {
	w.t.Helper()
	for _, f := range w.files() {
		if strings.Contains(filepath.Base(f), words) {
			return f
		}
	}
	w.t.Fatalf("no %s among %v", words, w.files())
	return ""
}

// hollow is a bundle with its commit alone, without what that points at.
func hollow(t *testing.T, dir string, bundle []byte) (text []byte, commit string) {
	t.Helper()
	head, _, _ := strings.Cut(string(bundle), "PACK")
	commit = head[len("# v2 git bundle\n"):][:40]
	return []byte(head + packed(t, dir, commit)), commit
}

// packed is a pack with one object, without what it points at.
func packed(t *testing.T, dir, id string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", "-C", dir, "pack-objects", "--stdout", "-q")
	c.Stdin = strings.NewReader(id + "\n")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWhoMayNot: a store that refuses is a matter of permission and says what to do, without the secret; nothing is sent in
// clear to other machines.
func TestWhoMayNot(t *testing.T) {
	t.Parallel()
	w := bucketWorld(t)
	m := w.machine(t, "one")
	check := func(address string, change map[string]string) error {
		env := maps.Clone(w.env)
		maps.Copy(env, change)
		p, err := hub.Store(m.repo, hub.StoreOptions{Address: address, Project: "p", Temp: t.TempDir(), Env: env})
		if err != nil {
			return err
		}
		return p.Check(t.Context())
	}
	home := t.TempDir()
	if err := os.Mkdir(home+"/.aws", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, home+"/.aws/credentials", []byte("[default]\naws_access_key_id = nobody\naws_secret_access_key = s3cr3t-of-nobody\n[tester]\naws_access_key_id = "+
		w.env["AWS_ACCESS_KEY_ID"]+"\naws_secret_access_key = "+w.env["AWS_SECRET_ACCESS_KEY"]+"\n"))
	auth, env := &flow.Failure{Class: flow.Auth}, &flow.Failure{Class: flow.Environment}
	at := "s3://" + s3test.Bucket + "/x"
	for _, c := range []struct {
		name, at string
		change   map[string]string
		want     error
		says     string
	}{
		{"right", at, nil, nil, ""},
		{"no prefix", "s3://" + s3test.Bucket, nil, nil, ""},
		{"wrong secret", at, map[string]string{"AWS_SECRET_ACCESS_KEY": "s3cr3t-and-wrong"}, auth, "AWS_ACCESS_KEY_ID"},
		{"nobody", at, map[string]string{"AWS_ACCESS_KEY_ID": ""}, auth, "AWS_ACCESS_KEY_ID"},
		{"profile", at, map[string]string{"AWS_ACCESS_KEY_ID": "", "HOME": home, "AWS_PROFILE": "tester"}, nil, ""},
		{"other profile", at, map[string]string{"AWS_ACCESS_KEY_ID": "", "HOME": home}, auth, "AWS_PROFILE"},
		{"no bucket", "s3://elsewhere/x", nil, auth, "Create the bucket"},
		{"no server", at, map[string]string{"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1"}, env, "cannot be reached"},
		{"in clear", at, map[string]string{"AWS_ENDPOINT_URL_S3": "http://example.com"}, env, "http:// is for this machine only"},
		{"no address", at, map[string]string{"AWS_ENDPOINT_URL_S3": "https://u:s3cr3t@example.com"}, env, "https://HOST:PORT"},
		{"no store", "ftp://x/y", nil, env, "s3://BUCKET/PREFIX"},
		{"no folder", "file://x/y", nil, env, "file:///FOLDER"},
		{"not mounted", "file://" + home + "/share", nil, env, "mounted"},
	} {
		err := check(c.at, c.change)
		if c.want == nil && err != nil || c.want != nil && (!errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: a secret is shown: %v", c.name, err)
		}
	}
}

// TestStoreThatReplaces: a store that takes no notice of the condition, or knows none, is no hub; that is found before anything is sent.
func TestStoreThatReplaces(t *testing.T) {
	t.Parallel()
	m := remoteWorld(t).machine(t, "one")
	for says, answer := range map[string]int{"ignores conditional writes": http.StatusOK, "does not support conditional writes": http.StatusNotImplemented} {
		var sent atomic.Bool
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ".bundle") {
				sent.Store(true)
			}
			if r.Method == http.MethodDelete {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			w.WriteHeader(answer)
		}))
		t.Cleanup(s.Close)
		p, err := hub.Store(m.repo, hub.StoreOptions{Address: "s3://bucket", Project: "p", Temp: t.TempDir(), Env: map[string]string{
			"AWS_ENDPOINT_URL": s.URL, "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y",
		}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = hub.New(m.repo, p, m.blobs).Keep(t.Context(), "r1", "k", nil, []byte(`{}`))
		if !errors.Is(err, &flow.Failure{Class: flow.Environment}) || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q: %v", says, err)
		}
		if sent.Load() {
			t.Error("a result was sent")
		}
	}
}
