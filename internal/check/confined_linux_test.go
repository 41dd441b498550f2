package check_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
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

// TestCompilersCacheIsNotPoisoned: code under test overwrites all that the compiler's cache has. The next check compiles with what was there
// before; without a sandbox it cannot. It takes longer than ten seconds: two caches are filled with the standard library.
func TestCompilersCacheIsNotPoisoned(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	if policy() == nil {
		t.Skip("no sandbox on this machine: jacquard doctor says why")
	}
	for _, confined := range []bool{true, false} {
		lab := newLab(t, func(o *check.Options) {
			if o.Cache, o.Record = t.TempDir(), ""; !confined {
				o.Confine = nil
			}
		})
		s := goSample()
		base := lab.tree("", s.base)
		m := lab.module(base, s.dir)
		passes := func(files ...map[string]string) bool {
			tree := base
			for _, f := range files {
				tree = lab.tree(tree, f)
			}
			p, err := lab.checker.Green(t.Context(), m, tree, tree, frozenOf(t, lab, tree, []step.File{{Path: "calc/calc_test.go"}}))
			if err != nil {
				t.Fatal(err)
			}
			return p.Passed
		}
		if !passes(s.right, s.test) {
			t.Fatal("what is right does not pass")
		}
		compiled := filesOf(t, filepath.Join(lab.options.Cache, "go-build"))
		if len(compiled) < 50 {
			t.Fatalf("%d files are compiled", len(compiled))
		}
		if !passes(map[string]string{"calc/calc.go": "package calc\n", "calc/calc_test.go": poisonGo}) {
			t.Fatal("the cache cannot be overwritten")
		}
		poisoned := 0
		for name, sum := range filesOf(t, filepath.Join(lab.options.Cache, "go-build")) {
			if was, had := compiled[name]; had && was != sum {
				poisoned++
			}
		}
		if confined != (poisoned == 0) {
			t.Errorf("confined %t: %d files of the cache that checks share are overwritten", confined, poisoned)
		}
		if passes(s.refactor, s.test) != confined {
			t.Errorf("confined %t: the next check, of what is right, passes: %t", confined, !confined)
		}
	}
}

// filesOf are sums of the files of a folder, by their paths.
func filesOf(t *testing.T, dir string) map[string][sha256.Size]byte {
	t.Helper()
	out := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		out[path] = sha256.Sum256(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// poisonGo leaves the size of each file as it is, so that go takes it for what it has compiled.
const poisonGo = `package calc

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestPoison(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("GOCACHE"), "*", "*-d"))
	if err != nil || len(files) == 0 {
		t.Fatal("nothing is compiled", err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		_ = os.Chmod(f, 0o644)
		if err := os.WriteFile(f, bytes.Repeat([]byte("x"), int(info.Size())), 0o644); err != nil {
			t.Error(err)
		}
	}
}
`

// TestEndedByALimit: a check that uses more than it may is no evidence, and says which limit it was, with the figure.
func TestEndedByALimit(t *testing.T) {
	t.Parallel()
	if policy() == nil {
		t.Skip("no sandbox on this machine: jacquard doctor says why")
	}
	lab := newLab(t, func(o *check.Options) {
		o.Confine = policy()
		o.Confine.Limits.Output = 1 << 20
	})
	base := lab.tree("", map[string]string{"README": "one\n"})
	tree := lab.tree(base, map[string]string{"README": "two\n"})
	task := check.Task{Owns: owns("README"), Taken: owns(), Deletes: owns(), Base: base, Verify: [][]string{{"yes"}}}
	p, _, err := lab.checker.Task(t.Context(), task, base, tree)
	if want := "ended: more than 1 MiB of output ("; err != nil || p.Passed || !strings.Contains(fmt.Sprint(p.Findings, p.Failures()), want) {
		t.Errorf("Task = %+v, %v, want %s", p.Findings, err, want)
	}
}

// TestLearnedLimitGrows: what uses much more than it ever has is ended, and may use more the next time.
func TestLearnedLimitGrows(t *testing.T) {
	t.Parallel()
	if policy() == nil {
		t.Skip("no sandbox on this machine: jacquard doctor says why")
	}
	lab := newLab(t, func(o *check.Options) {
		o.Cache, o.Record, o.Confine = t.TempDir(), "", policy()
		o.Confine.Limits.Output = 1 << 30
	})
	base := lab.tree("", map[string]string{"README": "one\n"})
	tree := lab.tree(base, map[string]string{"README": "two\n"})
	for _, x := range []struct {
		bytes string
		ended bool
	}{{"1000", false}, {"50000000", true}, {"50000000", false}} {
		task := check.Task{Owns: owns("README"), Taken: owns(), Deletes: owns(), Base: base, Verify: [][]string{{"head", "-c", x.bytes, "/dev/zero"}}}
		p, _, err := lab.checker.Task(t.Context(), task, base, tree)
		if ended := strings.Contains(fmt.Sprint(p.Findings, p.Failures()), "ended: more than 32 MiB of output ("); err != nil || ended != x.ended {
			t.Errorf("%s bytes: %v, ended = %t, %+v", x.bytes, err, ended, p.Findings)
		}
	}
}

// TestWarmCache: a check in the sandbox finds the standard library compiled and vetted, though what checks add to the compiler's
// cache is thrown away. It takes longer than ten seconds: its cache is empty, and the standard library is compiled.
func TestWarmCache(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	if policy() == nil {
		t.Skip("no sandbox on this machine: jacquard doctor says why")
	}
	l := newLab(t, func(o *check.Options) { o.Cache, o.Record = t.TempDir(), "" })
	base := l.tree("", shopFiles())
	tree := l.tree(base, map[string]string{"cart/cart.go": cartRight})
	task := check.Task{
		Chains: []toolchain.Found{l.module(base, "cart").Chain}, Owns: owns("cart/cart.go"), Taken: owns(), Deletes: owns(), Base: base,
		Verify: [][]string{{"go", "vet", "-x", "./cart"}, {"go", "build", "-x", "./cart"}},
	}
	if _, _, err := l.checker.Task(t.Context(), task, base, tree); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, out := range l.outputs {
		if !strings.Contains(out, "-x ./cart") {
			continue
		}
		ran++
		if n := strings.Count(out, "vet.cfg") + strings.Count(out, "/compile -o"); n > 6 {
			t.Errorf("%d packages are vetted or compiled for a change of one:\n%s", n, out)
		}
	}
	if ran < 2 {
		t.Errorf("%d commands were kept, want 2: %q", ran, l.outputs)
	}
}

// TestWarmPlaces: a later check stands where an earlier one stood, and finds the project's own packages compiled.
// It takes longer than ten seconds: its cache is empty.
func TestWarmPlaces(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	if policy() == nil {
		t.Skip("no sandbox on this machine: jacquard doctor says why")
	}
	l := newLab(t, func(o *check.Options) { o.Cache, o.Record = t.TempDir(), "" })
	base := l.tree("", shopFiles())
	chain := l.module(base, "cart").Chain
	chain.Override = map[string]string{"build": "go build -x ./...", "test": "go version"}
	if err := l.checker.Warm(t.Context(), chain, base); err != nil {
		t.Fatal(err)
	}
	if _, err := l.checker.Survey(t.Context(), chain, base, func(string, string) {}); err != nil {
		t.Fatal(err)
	}
	builds := slices.Collect(maps.Values(l.outputs))
	builds = slices.DeleteFunc(builds, func(out string) bool { return !strings.Contains(out, "mkdir -p $WORK") })
	if len(builds) != 1 || strings.Contains(builds[0], "/compile -o") {
		t.Errorf("what was compiled is compiled again: %q", builds)
	}
	notes, err := filepath.Glob(filepath.Join(l.options.Cache, "warm-*"))
	if err != nil || len(notes) != 1 {
		t.Fatal(notes, err)
	}
	if text, err := os.ReadFile(notes[0]); err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("it was compiled in more than one folder: %s %v", text, err)
	}
}

// TestCompilersCacheStaysFresh: what a check may need does not look unused, so that go leaves its times alone; what nobody has used for
// days does, so that go removes it.
func TestCompilersCacheStaysFresh(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(o *check.Options) { o.Cache = t.TempDir() })
	dir := filepath.Join(l.options.Cache, "go-build", "ab")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	age := func(name string, age time.Duration) string {
		name = filepath.Join(dir, name)
		at := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(name, []byte("compiled"), 0o644), os.Chtimes(name, at, at)); err != nil {
			t.Fatal(err)
		}
		return name
	}
	fresh := func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && time.Since(info.ModTime()) < time.Hour
	}
	used, unused := age("used", 20*time.Hour), age("unused", 200*time.Hour)
	l.checker.KeepFresh()
	later := age("later", 2*time.Hour)
	l.checker.KeepFresh()
	if !fresh(used) || fresh(unused) || fresh(later) {
		t.Errorf("fresh are used %t, unused %t, and later, in the same half hour, %t", fresh(used), fresh(unused), fresh(later))
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
