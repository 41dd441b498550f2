package git_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/git"
)

// TestParcel sends objects of each kind, which are on no ref, and a file from one repository to another. A ref is made once:
// the same again is nothing, something else is refused and changes nothing.
func TestParcel(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a", map[string]string{"one": "1"})
	s.git("", "clone", "-q", "--bare", "a", "hub")
	s.git("", "clone", "-q", "hub", "b")
	s.git("a", "remote", "add", "origin", s.path("hub"))
	a, b := s.open("a"), s.open("b")
	ctx := t.Context()
	blob, err := a.WriteBlob(ctx, []byte("on no branch\n"))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := a.EditTree(ctx, "", []git.Edit{{Path: "d/f", Mode: "100644", ID: blob}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := a.EditTree(ctx, tree, []git.Edit{{Path: "d/g", Mode: "100644", ID: blob}})
	if err != nil {
		t.Fatal(err)
	}
	commit, err := a.CommitTree(ctx, git.Commit{Tree: other, Parents: []string{head(t, a)}, Message: "c", Name: "n", Email: "e@x", Time: time.Unix(1_000_000, 0)})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := a.WriteBlob(ctx, []byte("alone\n"))
	if err != nil {
		t.Fatal(err)
	}
	missing := string(bytes.Repeat([]byte("ab"), a.IDLength()/2))
	p := git.Parcel{Objects: []string{tree, commit, alone, missing, tree}, Files: map[string][]byte{"result": []byte("{}"), "x": []byte("data")}}
	id, err := a.Pack(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := a.Pack(ctx, p); again != id || err != nil {
		t.Errorf("packed again: %s, %v, want %s", again, err, id)
	}
	const ref = "refs/jacquard/r1/steps/s1"
	for range 2 {
		if err := a.PushNew(ctx, "origin", ref, id, git.Login{}); err != nil {
			t.Fatal(err)
		}
	}
	rival, err := b.Pack(ctx, git.Parcel{Files: map[string][]byte{"result": []byte("other")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.PushNew(ctx, "origin", ref, rival, git.Login{}); !errors.Is(err, git.ErrRejected) {
		t.Errorf("another one at the same ref: %v, want ErrRejected", err)
	}
	if at, err := b.RemoteRef(ctx, "origin", ref, git.Login{}); at != id || err != nil {
		t.Errorf("the ref is at %s, %v, want %s", at, err, id)
	}
	want := []string{tree, other, commit, blob, alone}
	if here, err := b.Here(ctx, want); err != nil || here[tree] || here[commit] {
		t.Fatalf("here before: %v, %v", here, err)
	}
	if err := b.FetchRefs(ctx, "origin", "refs/jacquard/r1/steps/", git.Login{}); err != nil {
		t.Fatal(err)
	}
	here, err := b.Here(ctx, append(want, missing))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range want {
		if !here[id] {
			t.Errorf("%s did not come along", id)
		}
	}
	if here[missing] {
		t.Errorf("%s is nowhere and here", missing)
	}
	unpacked, err := b.Unpack(ctx, id)
	if err != nil || len(unpacked.Files) != 2 {
		t.Fatalf("files = %v, %v", unpacked.Files, err)
	}
	if data, err := b.ReadBlob(ctx, unpacked.Files["x"]); string(data) != "data" || err != nil {
		t.Errorf("file = %q, %v", data, err)
	}
	if out := s.git("b", "fsck", "--no-dangling"); out != "" {
		t.Errorf("fsck: %s", out)
	}
	if n, err := b.DropRemoteRefs(ctx, "origin", "refs/jacquard/r1/steps/", git.Login{}); n != 1 || err != nil {
		t.Errorf("dropped %d, %v", n, err)
	}
	if at, err := a.RemoteRef(ctx, "origin", ref, git.Login{}); at != "" || err != nil {
		t.Errorf("after the drop the ref is at %s, %v", at, err)
	}
	if _, err := a.Pack(ctx, git.Parcel{Files: map[string][]byte{"../x": nil}}); err == nil {
		t.Error("a name with a slash was packed")
	}
	if err := a.PushNew(ctx, "nowhere", ref, id, git.Login{}); !errors.Is(err, git.ErrRefused) {
		t.Errorf("a remote that is not there: %v", err)
	}
}
