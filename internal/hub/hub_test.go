package hub_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/hub"
)

// machine is a clone with a blob store.
type machine struct {
	repo  *git.Repo
	blobs flow.Blobs
	hub   *hub.Hub
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func newMachine(t *testing.T, base, name string) machine {
	t.Helper()
	dir := filepath.Join(base, name)
	run(t, base, "clone", "-q", "hub.git", name)
	temp := t.TempDir()
	repo, err := git.Open(t.Context(), git.Options{Dir: dir, Env: os.Environ(), Temp: temp})
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := act.OpenBlobs(filepath.Join(temp, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	return machine{repo, blobs, hub.New(repo, "origin", git.Login{}, blobs)}
}

// TestResultTravels: what a result refers to, also through a blob, is on the other machine when it is asked for; who ends a
// step second gets the first result; what nobody has is no error; a hub that is away has its class.
func TestResultTravels(t *testing.T) {
	t.Parallel()
	base, ctx := t.TempDir(), t.Context()
	run(t, base, "init", "-q", "--bare", "-b", "main", "hub.git")
	one, two := newMachine(t, base, "one"), newMachine(t, base, "two")
	blob, err := one.repo.WriteBlob(ctx, []byte("text\n"))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := one.repo.EditTree(ctx, "", []git.Edit{{Path: "f", Mode: "100644", ID: blob}})
	if err != nil {
		t.Fatal(err)
	}
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
	if here, err := two.repo.Here(ctx, []string{tree, blob}); err != nil || !here[tree] || !here[blob] {
		t.Errorf("here = %v, %v", here, err)
	}
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
	if err := os.Rename(filepath.Join(base, "hub.git"), filepath.Join(base, "away")); err != nil {
		t.Fatal(err)
	}
	if _, err := one.hub.Keep(ctx, "r1", "other", nil, result); !errors.Is(err, &flow.Failure{Class: flow.Auth}) && !errors.Is(err, &flow.Failure{Class: flow.Environment}) {
		t.Errorf("a hub that is away: %v", err)
	}
}
