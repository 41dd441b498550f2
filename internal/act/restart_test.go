package act_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestRestart: who goes on with what an earlier run has left keeps what others have done meanwhile: at other places of a file both hold, at the
// same place theirs.
func TestRestart(t *testing.T) {
	t.Parallel()
	l := newLab(t, map[string]string{"both.txt": "first\n2\n3\n4\n5\nlast\n", "same.txt": "a\n", "mine.txt": "a\n"}, nil)
	tree := func(files map[string]string) string {
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(l.project, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		gitOf(t, l.project, "add", "-A")
		return strings.TrimSpace(gitOf(t, l.project, "write-tree"))
	}
	base := tree(nil)
	left := tree(map[string]string{"both.txt": "first, mine\n2\n3\n4\n5\nlast\n", "same.txt": "mine\n", "mine.txt": "mine\n"})
	head := tree(map[string]string{"both.txt": "first\n2\n3\n4\n5\nlast, theirs\n", "same.txt": "theirs\n", "mine.txt": "a\n"})
	raw, err := json.Marshal(step.RestartIn{Left: step.Left{Base: base, Tree: left}, Head: head})
	if err != nil {
		t.Fatal(err)
	}
	hs := l.actor.Handlers()
	i := slices.IndexFunc(hs, func(h flow.Handler) bool { return strings.HasPrefix(h.Step(), step.Restart.Name) })
	if raw, err = hs[i].Call(t.Context(), flow.Job{Run: "run", Key: "restart", Start: 1, Dir: t.TempDir(), Blobs: l.blobs}, raw); err != nil {
		t.Fatal(err)
	}
	start := decode[step.RestartOut](t, raw).Tree
	for name, want := range map[string]string{"both.txt": "first, mine\n2\n3\n4\n5\nlast, theirs\n", "same.txt": "theirs\n", "mine.txt": "mine\n"} {
		if got := gitOf(t, l.project, "show", start+":"+name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
