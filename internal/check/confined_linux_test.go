package check_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestChecksAreConfined: code under test gets no file and no service of the machine, and what it does to the compiler's cache
// reaches no other check. Without a sandbox the same code does all of it.
func TestChecksAreConfined(t *testing.T) {
	t.Parallel()
	if policy() == nil {
		t.Skip("no sandbox on this machine: jacquard doctor says why")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, confined := range []bool{true, false} {
		bait := filepath.Join(t.TempDir(), "bait")
		if err := os.WriteFile(bait, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		lab := newLab(t, func(o *check.Options) {
			if !confined {
				o.Confine = nil
			}
		})
		plant := filepath.Base(filepath.Dir(filepath.Dir(bait))) + ".planted"
		s := goSample()
		base := lab.tree("", s.base)
		m := lab.module(base, s.dir)
		tree := lab.tree(base, map[string]string{"calc/calc.go": "package calc\n", "calc/calc_test.go": fmt.Sprintf(attackGo, plant, bait, l.Addr().String())})
		p, err := lab.checker.Green(t.Context(), m, tree, tree, frozenOf(t, lab, tree, []step.File{{Path: "calc/calc_test.go"}}))
		if err != nil {
			t.Fatal(err)
		}
		if p.Passed != confined {
			t.Errorf("confined %v: passed = %v, failures %+v, findings %+v", confined, p.Passed, p.Failures(), p.Findings)
		}
		planted := filepath.Join(cache(t), "go-build", plant)
		if _, err := os.Stat(planted); (err == nil) == confined {
			t.Errorf("confined %v: the cache that checks share: %v", confined, err)
		}
		_ = os.Remove(planted)
	}
}

// attackGo passes where nothing can be reached, and a server of its own can.
const attackGo = `package calc

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestAttack(t *testing.T) {
	if err := os.WriteFile(filepath.Join(os.Getenv("GOCACHE"), %q), []byte("planted"), 0o600); err != nil {
		t.Error("the cache cannot be written:", err)
	}
	if _, err := os.ReadFile(%q); err == nil {
		t.Error("a file of the machine can be read")
	}
	if _, err := net.Dial("tcp", %q); err == nil {
		t.Error("a service of the machine can be reached")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err != nil {
		t.Error("a service of its own cannot be reached:", err)
	}
}
`
