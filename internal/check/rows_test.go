package check_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// The tests of the files rows*_test.go run the rows of the toolchain table with the real tools. The tools come from their
// package registries, in the versions named here, once into the cache of these tests; so do the lock files that the tools
// write for the sample projects. Where no registry answers, the tests that need one are skipped and say so.

// absent says in one line what a test cannot run without.
func absent(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// answers are functions of what was asked of the surroundings before, which say once what went wrong.
var answers sync.Map

func ask(what string, f func() error) error {
	once, _ := answers.LoadOrStore(what, sync.OnceValue(f))
	return once.(func() error)()
}

// once makes a directory of the cache by fill. What was made before is taken as it is.
func once(dir string, fill func(dir string) error) error {
	return ask(dir, func() error {
		done := filepath.Join(dir, "done")
		if _, err := os.Stat(done); err == nil {
			return nil
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := fill(dir); err != nil {
			return err
		}
		return os.WriteFile(done, nil, 0o644)
	})
}

// run runs a program to set a test up.
func run(t *testing.T, dir string, env []string, argv ...string) error {
	t.Helper()
	dirs := ""
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); strings.EqualFold(k, "PATH") {
			dirs = v
		}
	}
	program, err := proc.LookPath(argv[0], dirs)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(t.Context(), program, argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		said := strings.Join(strings.Fields(string(out)), " ")
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, said[max(0, len(said)-200):])
	}
	return nil
}

// reaches says whether a registry answers: packages cannot be added without. It asks once for each question.
func reaches(t *testing.T, bin string, argv ...string) {
	t.Helper()
	err := ask(strings.Join(argv, " "), func() error { return run(t, t.TempDir(), onPath(bin), argv...) })
	if err != nil {
		absent(t, "no registry answers: %v", err)
	}
}

// npmTool gives the directory of the programs of an npm package.
func npmTool(t *testing.T, spec string) string {
	t.Helper()
	needs(t, "npm")
	dir := filepath.Join(cache(t), "tools", strings.NewReplacer("/", "+", "@", "+").Replace(spec))
	err := once(dir, func(dir string) error {
		return run(t, dir, os.Environ(), "npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--no-package-lock", spec)
	})
	if err != nil {
		absent(t, "%s cannot be installed: %v", spec, err)
	}
	return filepath.Join(dir, "node_modules", ".bin")
}

// pyTool gives the directory of the programs of a Python package, in an environment of its own.
func pyTool(t *testing.T, spec string) string {
	t.Helper()
	needs(t, "python3")
	dir := filepath.Join(cache(t), "tools", "py+"+spec)
	bin := filepath.Join(dir, "venv", "bin")
	if os.PathSeparator == '\\' {
		bin = filepath.Join(dir, "venv", "Scripts")
	}
	err := once(dir, func(dir string) error {
		if err := run(t, dir, os.Environ(), "python3", "-m", "venv", "venv"); err != nil {
			return err
		}
		return run(t, dir, onPath(bin), "python", "-m", "pip", "install", "--quiet", spec)
	})
	if err != nil {
		absent(t, "%s cannot be installed: %v", spec, err)
	}
	return bin
}

// onPath is the environment of the tests with a directory before the others on PATH; "" is none.
func onPath(dir string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(strings.ToUpper(kv), "PATH=") })
	return append(env, "PATH="+strings.TrimPrefix(dir+string(os.PathListSeparator), string(os.PathListSeparator))+os.Getenv("PATH"))
}

// tools puts a directory on the PATH of the checks.
func tools(dir string) func(*check.Options) {
	return func(o *check.Options) { o.Env = onPath(dir) }
}

// lock has a tool, of the directory bin, write a lock file for a project, once.
func lock(t *testing.T, bin string, files map[string]string, file string, argv ...string) string {
	t.Helper()
	h := sha256.New()
	fmt.Fprintf(h, "%q %s\n", argv, strings.TrimPrefix(bin, cache(t)))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %q\n", name, files[name])
	}
	dir := filepath.Join(cache(t), "locks", file+"-"+hex.EncodeToString(h.Sum(nil))[:16])
	err := once(dir, func(dir string) error {
		home := t.TempDir()
		for name, text := range files {
			at := filepath.Join(home, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
				return err
			}
		}
		if err := run(t, home, append(onPath(bin), "YARN_ENABLE_TELEMETRY=0", "UV_PYTHON_DOWNLOADS=never"), argv...); err != nil {
			return err
		}
		b, err := os.ReadFile(filepath.Join(home, file))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, file), b, 0o644)
	})
	if err != nil {
		absent(t, "no lock file of %s: %v", argv[0], err)
	}
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// proveRow takes a sample through RED and GREEN: the right code passes, the wrong code fails the test that it should.
func proveRow(t *testing.T, l *lab, s sample, toolchain, failing string) {
	t.Helper()
	ctx := t.Context()
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	if got := m.Chain.Manager + " " + m.Chain.Runner; got != toolchain {
		t.Fatalf("toolchain = %s, want %s", got, toolchain)
	}
	red := l.tree(base, s.test)
	p, err := l.checker.Red(ctx, m, base, red, nil)
	want(t, "red", p, err, true)
	slices.Sort(p.Red)
	if ids := slices.Sorted(slices.Values(s.ids)); !slices.Equal(p.Red, ids) {
		t.Fatalf("red tests = %q, want %q", p.Red, ids)
	}
	frozen := p.Frozen
	p, err = l.checker.Green(ctx, m, red, l.tree(red, s.right), frozen)
	want(t, "right code", p, err, true)
	if c := p.Counts(); c.Passed < len(s.ids) || c.Passed != c.Total {
		t.Errorf("counts of the right code = %+v", c)
	}
	p, err = l.checker.Green(ctx, m, red, l.tree(red, s.wrong), frozen)
	want(t, "wrong code", p, err, false)
	if f := p.Failures(); len(f) != 1 || f[0].ID != failing || f[0].Message == "" {
		t.Errorf("failures of the wrong code = %+v, want %s", f, failing)
	}
}

// proveAdd adds a package to a project: the files that changed are exactly those, code that uses it passes, and a version
// that cannot be had ("" for none) is a finding.
func proveAdd(t *testing.T, l *lab, base map[string]string, dep toolchain.Dependency, none string, changed []string, use map[string]string) {
	t.Helper()
	tree := l.tree("", base)
	m := l.module(tree, ".")
	p, err := l.checker.Add(t.Context(), m.Chain, tree, []toolchain.Dependency{dep})
	want(t, "a package", p, err, true)
	diff, err := l.repo.Diff(t.Context(), tree, p.Tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range diff {
		got = append(got, c.Path)
	}
	if slices.Sort(got); !slices.Equal(got, changed) {
		t.Errorf("changed %v, want %v", got, changed)
	}
	if after := l.module(p.Tree, "."); !after.Chain.Has(dep.Name) {
		t.Errorf("%s is not declared: %+v", dep.Name, after.Chain)
	}
	used := l.tree(p.Tree, use)
	p, err = l.checker.Baseline(t.Context(), l.module(used, ".").Chain, used)
	want(t, "code with the package", p, err, true)
	if c := p.Counts(); c.Passed != 1 || c.Total != 1 {
		t.Errorf("counts = %+v of %+v", c, p.Results)
	}
	if none == "" {
		return
	}
	p, err = l.checker.Add(t.Context(), m.Chain, tree, []toolchain.Dependency{{Name: dep.Name, Version: none}})
	want(t, "a version that is not there", p, err, false, "package-missing")
	if p.Tree != tree {
		t.Error("a package that cannot be had changed the tree")
	}
}

// TestRowGoVet has the linter that comes with Go.
func TestRowGoVet(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir)
	code := "package calc\n\nimport \"fmt\"\n\nfunc F() {\n\tfmt.Printf(\"%%d\\n\", \"x\")\n}\n"
	p, _, err := l.checker.Format(t.Context(), m, l.tree(base, map[string]string{"calc/calc.go": strings.ReplaceAll(code, "%%", "%")}), []string{"calc/calc.go"})
	want(t, "vet", p, err, true, "lint")
	lints(t, p, "calc/calc.go:6 Printf")
}

func TestAddPackagesGo(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	reaches(t, "", "go", "list", "-m", "-versions", "github.com/google/uuid")
	l := newLab(t)
	proveAdd(
		t, l, map[string]string{"go.mod": "module example.org/lab\n\ngo 1.24\n", "a.go": "package lab\n"},
		toolchain.Dependency{Name: "github.com/google/uuid", Version: "1.6.0"}, "99.0.0", []string{"go.mod", "go.sum"},
		map[string]string{"a_test.go": "package lab\n\nimport (\n\t\"testing\"\n\n\t\"github.com/google/uuid\"\n)\n\nfunc TestID(t *testing.T) {\n\tif uuid.New().Version() != 4 {\n\t\tt.Fatal()\n\t}\n}\n"},
	)
}
