package confine_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/jacquard-build/jacquard/internal/confine"
)

var update = flag.Bool("update", false, "write the golden files")

// TestSeatbelt: the profiles of an agent, of a check and of what has the whole network, as text: no Mac has run them.
func TestSeatbelt(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]confine.Policy{
		"agent": {
			Read: []string{"/Users/a/.nvm/versions/node/v22", "/Users/a/Library/Caches/jacquard/go-build", `/Users/a/odd "folder"\x`}, Write: []string{"/private/var/tmp/jacquard-501/turn/clone", "/private/tmp/j"},
			Door: 25777, Ports: []int{5432},
			Sockets: []string{"/private/tmp/db.sock"},
		},
		"check":   {Read: []string{"/Users/a/Library/Caches/jacquard/npm"}, Write: []string{"/private/var/tmp/jacquard-501/check"}},
		"network": {Write: []string{"/private/tmp/j"}, Network: true},
	} {
		golden := filepath.Join("testdata", "seatbelt-"+name+".sb")
		got := confine.Seatbelt(p)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s (%v): the profile is\n%s", name, err, got)
		}
	}
}
