package check_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// lab is a repository with trees made from maps of files, and a checker for it.
type lab struct {
	t       *testing.T
	repo    *git.Repo
	checker *check.Checker
	temp    string
	mu      sync.Mutex
	outputs map[string]string
	options check.Options
}

// cache is shared by all tests and runs, as an engine's is: installing takes long.
func cache(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "jacquard-check-test")
}

// record is shared by the tests of this process: the same check of the same files runs once.
var record = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "jacquard-record")
	if err != nil {
		return "" // nothing is recorded then
	}
	return dir
})

func TestMain(m *testing.M) {
	if os.Getenv("JACQUARD_TEST_COMPLETE") != "" && confine.Default == confine.Full && !confines() {
		fmt.Fprintln(os.Stderr, "no sandbox can be made on this machine: jacquard doctor says why")
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(record())
	os.Exit(code)
}

// policy confines all checks of the tests where the machine can do that, as users have it. Each caller gets one of its own to change.
func policy() *confine.Policy {
	if !confines() {
		return nil
	}
	return &confine.Policy{Write: []string{outsides}, Limits: confine.Limits{Processes: 4096, Memory: 8 << 30}}
}

var confines = sync.OnceValue(func() bool {
	return proc.ProbeSandbox(context.Background(), os.TempDir(), confine.Policy{}) == nil && os.MkdirAll(outsides, 0o755) == nil
})

// outsides are folders that checks of the tests may write although they are outside of their trees.
var outsides = filepath.Join(os.TempDir(), "jacquard-check-test")

// kept is such a folder: what is kept there tells one run from the next.
func kept(t *testing.T) string {
	t.Helper()
	policy()
	if err := os.MkdirAll(outsides, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(outsides, "") //nolint:usetesting // a place that the policy names
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func newLab(t *testing.T, change ...func(*check.Options)) *lab {
	t.Helper()
	base := t.TempDir()
	project := filepath.Join(base, "project")
	temp := filepath.Join(base, "t")
	for _, d := range []string{project, temp} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	repo, err := git.Private(t.Context(), git.Options{Dir: project, Env: os.Environ(), Temp: temp}, filepath.Join(base, "git"))
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, repo: repo, temp: filepath.Join(base, "checks"), outputs: map[string]string{}}
	o := check.Options{
		Repo: repo, Env: os.Environ(), Cache: cache(t), Temp: l.temp, Record: record(), Confine: policy(),
		Store: func(b []byte) (string, error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			key := string(rune('a'+len(l.outputs)%26)) + strings.Repeat("0", 8)
			l.outputs[key] = string(b)
			return key, nil
		},
	}
	for _, f := range change {
		f(&o)
	}
	l.options = o
	if l.checker, err = check.New(o); err != nil {
		t.Fatal(err)
	}
	return l
}

// tree makes a tree from base and files; an empty text removes a file.
func (l *lab) tree(base string, files map[string]string) string {
	l.t.Helper()
	var edits []git.Edit
	for p, text := range files {
		e := git.Edit{Path: p, Mode: "100644"}
		if text != "" {
			id, err := l.repo.WriteBlob(l.t.Context(), []byte(text))
			if err != nil {
				l.t.Fatal(err)
			}
			e.ID = id
		}
		edits = append(edits, e)
	}
	tree, err := l.repo.EditTree(l.t.Context(), base, edits)
	if err != nil {
		l.t.Fatal(err)
	}
	return tree
}

// project is what a tree says of itself.
func (l *lab) project(tree string) *toolchain.Project {
	l.t.Helper()
	entries, err := l.repo.ReadTree(l.t.Context(), tree)
	if err != nil {
		l.t.Fatal(err)
	}
	ids := map[string]string{}
	var files []string
	for _, e := range entries {
		files = append(files, e.Path)
		ids[e.Path] = e.ID
	}
	read := func(p string) []byte {
		if ids[p] == "" {
			return nil
		}
		b, err := l.repo.ReadBlob(l.t.Context(), ids[p])
		if err != nil {
			l.t.Fatal(err)
		}
		return b
	}
	return toolchain.NewProject(files, read)
}

// module detects what there is to know about a directory in a tree.
func (l *lab) module(tree, dir string, exports ...step.Export) check.Module {
	l.t.Helper()
	project := l.project(tree)
	chain, ok := project.Detect(dir)
	if !ok {
		l.t.Fatalf("no toolchain for %s: %+v", dir, chain)
	}
	return check.Module{
		Dir: dir, Chain: chain, Exports: exports, Base: tree,
		Place: chain.Place(project, toolchain.Layout{Dir: dir}),
	}
}

func rules(fs []step.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Rule)
	}
	return out
}

func want(t *testing.T, what string, p check.Proof, err error, passed bool, wantRules ...string) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	got := rules(p.Findings)
	ok := p.Passed == passed && (len(wantRules) > 0 || !passed || len(p.Findings) == 0)
	for _, r := range wantRules {
		ok = ok && slices.Contains(got, r)
	}
	if !ok {
		t.Fatalf("%s: passed = %v, findings %+v, failures %+v; want passed = %v with %v", what, p.Passed, p.Findings, p.Failures(), passed, wantRules)
	}
	for _, r := range p.Records {
		if r.Tree == "" || len(r.Argv) == 0 || r.Started == 0 || r.Output.SHA256 == "" || !slices.Contains(r.Env, "HOME") {
			t.Fatalf("%s: incomplete record %+v", what, r)
		}
	}
}

// sample is one small project in one language.
type sample struct {
	name      string
	base      map[string]string
	dir       string
	exports   []step.Export
	test      map[string]string // RED
	ids       []string          // of its tests
	wrong     map[string]string // an implementation that fails one test
	right     map[string]string
	cheat     map[string]string // what changes a frozen test
	refactor  map[string]string // same exports
	breaking  map[string]string // another signature
	weakTest  map[string]string // a test that notices nothing
	broken    map[string]string // RED that fails for another reason
	satisfied map[string]string // RED that passes without the implementation
}

func goSample() sample {
	const impl = "package calc\n\nimport \"errors\"\n\n// ErrZero is returned for a division by zero.\nvar ErrZero = errors.New(\"zero\")\n\n// Div divides.\nfunc Div(a, b int) (int, error) {\n\tif b == 0 {\n\t\treturn 0, ErrZero\n\t}\n\treturn a / b, nil\n}\n"
	return sample{
		name: "go", dir: "calc",
		base:      map[string]string{"go.mod": "module example.org/sample\n\ngo 1.24\n", "other/other.go": "package other\n\nfunc One() int { return 1 }\n", "other/other_test.go": "package other\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal()\n\t}\n}\n"},
		exports:   []step.Export{{Kind: "function", Name: "Div", Signature: "Div(a, b int) (int, error)"}, {Kind: "variable", Name: "ErrZero", Signature: "ErrZero error"}},
		test:      map[string]string{"calc/calc_test.go": "package calc\n\nimport (\n\t\"errors\"\n\t\"testing\"\n)\n\nfunc TestDiv(t *testing.T) {\n\tgot, err := Div(6, 3)\n\tif got != 2 || err != nil {\n\t\tt.Fatalf(\"%d %v\", got, err)\n\t}\n}\n\nfunc TestDivZero(t *testing.T) {\n\tif _, err := Div(1, 0); !errors.Is(err, ErrZero) {\n\t\tt.Fatal(err)\n\t}\n}\n\nfunc TestDivOfZeroIsZero(t *testing.T) {\n\tif got, _ := Div(0, 3); got != 0 {\n\t\tt.Fatal(got)\n\t}\n}\n"},
		ids:       []string{"calc/calc_test.go::TestDiv", "calc/calc_test.go::TestDivZero", "calc/calc_test.go::TestDivOfZeroIsZero"},
		right:     map[string]string{"calc/calc.go": impl},
		wrong:     map[string]string{"calc/calc.go": strings.Replace(impl, "0, ErrZero", "0, nil", 1)},
		cheat:     map[string]string{"calc/calc.go": strings.Replace(impl, "0, ErrZero", "0, nil", 1), "calc/calc_test.go": "package calc\n"},
		refactor:  map[string]string{"calc/calc.go": strings.Replace(strings.Replace(impl, "func Div", "func div", 1), "// Div divides.", "// Div divides.\nfunc Div(a, b int) (int, error) { return div(a, b) }\n", 1)},
		breaking:  map[string]string{"calc/calc.go": strings.Replace(impl, "func Div(a, b int)", "func Div(a, b int, _ ...int)", 1)},
		weakTest:  map[string]string{"calc/calc_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestDiv(t *testing.T) {\n\tif got, _ := Div(0, 3); got > 1000 {\n\t\tt.Fatal(got)\n\t}\n}\n"},
		broken:    map[string]string{"calc/calc_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestDiv(t *testing.T) {\n\tif got, _ := Div(6, 3); got != undefinedHelper() {\n\t\tt.Fatal(got)\n\t}\n}\n"},
		satisfied: map[string]string{"calc/calc_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestDiv(t *testing.T) {\n\tif got, _ := Div(6, 3); got != 2 {\n\t\tt.Fatal(got)\n\t}\n}\n\nfunc TestNothing(t *testing.T) {\n\tif 1+len(\"a\") != 2 {\n\t\tt.Fatal()\n\t}\n}\n"},
	}
}

func pySample() sample {
	const impl = "class ZeroError(Exception):\n    pass\n\n\ndef div(a, b):\n    if b == 0:\n        raise ZeroError('zero')\n    return a // b\n"
	const test = "import pytest\n\nfrom calc.calc import ZeroError, div\n\n\ndef test_div():\n    assert div(6, 3) == 2\n\n\n@pytest.mark.parametrize('n', [1, 2])\ndef test_self(n):\n    assert div(n, n) == 1\n\n\nclass TestErrors:\n    def test_zero(self):\n        with pytest.raises(ZeroError):\n            div(1, 0)\n"
	return sample{
		name: "python", dir: "calc",
		base:      map[string]string{"pyproject.toml": "[project]\nname = \"sample\"\nversion = \"1\"\n\n[tool.pytest.ini_options]\ntestpaths = [\".\"]\n", "calc/__init__.py": "# calc\n", "other/__init__.py": "# other\n", "other/other.py": "def one():\n    return 1\n", "other/test_other.py": "from other.other import one\n\n\ndef test_one():\n    assert one() == 1\n"},
		exports:   []step.Export{{Kind: "function", Name: "div", Signature: "div(a: int, b: int) -> int"}, {Kind: "class", Name: "ZeroError", Signature: "ZeroError(Exception)"}},
		test:      map[string]string{"calc/test_calc.py": test},
		ids:       []string{"calc/test_calc.py::test_div", "calc/test_calc.py::test_self", "calc/test_calc.py::TestErrors::test_zero"},
		right:     map[string]string{"calc/calc.py": impl},
		wrong:     map[string]string{"calc/calc.py": strings.Replace(impl, "raise ZeroError('zero')", "return 0", 1)},
		cheat:     map[string]string{"calc/calc.py": strings.Replace(impl, "raise ZeroError('zero')", "return 0", 1), "calc/test_calc.py": "def test_div():\n    assert True\n"},
		refactor:  map[string]string{"calc/calc.py": strings.Replace(impl, "    return a // b\n", "    return _quotient(a, b)\n\n\ndef _quotient(a, b):\n    return a // b\n", 1)},
		breaking:  map[string]string{"calc/calc.py": strings.Replace(impl, "def div(a, b)", "def div(a, b, c=None)", 1)},
		weakTest:  map[string]string{"calc/test_calc.py": "from calc.calc import div\n\n\ndef test_div():\n    assert div(0, 3) != 1000\n"},
		broken:    map[string]string{"calc/test_calc.py": "from calc.calc import div\nfrom nowhere_at_all import x\n\n\ndef test_div():\n    assert div(6, 3) == x\n"},
		satisfied: map[string]string{"calc/test_calc.py": "from calc.calc import div\n\n\ndef test_div():\n    assert div(6, 3) == 2\n\n\ndef test_nothing():\n    assert len('a') == 1\n"},
	}
}

func tsSample(t *testing.T) sample {
	t.Helper()
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("testdata", "vitest", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const impl = "export class ZeroError extends Error {}\n\nexport function div(a: number, b: number): number {\n  if (b === 0) {\n    throw new ZeroError('zero');\n  }\n  return Math.floor(a / b);\n}\n"
	const test = "import { describe, it, expect } from 'vitest';\nimport { div, ZeroError } from './index';\n\ndescribe('div', () => {\n  it('divides', () => {\n    expect(div(6, 3)).toBe(2);\n  });\n  it.each([1, 2])('%i by itself', (n) => {\n    expect(div(n, n)).toBe(1);\n  });\n  it('throws', () => {\n    expect(() => div(1, 0)).toThrow();\n  });\n  it('throws its own error', () => {\n    expect(() => div(1, 0)).toThrow(ZeroError);\n  });\n});\n"
	return sample{
		name: "typescript", dir: "src/calc",
		base: map[string]string{
			"package.json": read("package.json"), "package-lock.json": read("package-lock.json"),
			"tsconfig.json":      "{\"compilerOptions\": {\"strict\": true, \"module\": \"esnext\", \"moduleResolution\": \"bundler\", \"target\": \"es2022\", \"noEmit\": true, \"skipLibCheck\": true}, \"include\": [\"src\"]}\n",
			"src/other/index.ts": "export const one = (): number => 1;\n", "src/other/index.test.ts": "import { test, expect } from 'vitest';\nimport { one } from './index';\ntest('one', () => { expect(one()).toBe(1); });\n",
		},
		exports:   []step.Export{{Kind: "function", Name: "div", Signature: "div(a: number, b: number): number"}, {Kind: "class", Name: "ZeroError", Signature: "class ZeroError extends Error"}},
		test:      map[string]string{"src/calc/index.test.ts": test},
		ids:       []string{"src/calc/index.test.ts::div > divides", "src/calc/index.test.ts::div > %i by itself", "src/calc/index.test.ts::div > throws", "src/calc/index.test.ts::div > throws its own error"},
		right:     map[string]string{"src/calc/index.ts": impl},
		wrong:     map[string]string{"src/calc/index.ts": strings.Replace(impl, "throw new ZeroError('zero');", "return 0;", 1)},
		cheat:     map[string]string{"src/calc/index.ts": strings.Replace(impl, "throw new ZeroError('zero');", "return 0;", 1), "src/calc/index.test.ts": "import { test, expect } from 'vitest';\ntest('x', () => { expect(true).toBe(true); });\n"},
		refactor:  map[string]string{"src/calc/index.ts": strings.Replace(impl, "return Math.floor(a / b);", "return quotient(a, b);", 1) + "\nfunction quotient(a: number, b: number): number {\n  return Math.floor(a / b);\n}\n"},
		breaking:  map[string]string{"src/calc/index.ts": strings.Replace(impl, "b: number): number", "b: number, c = 0): number", 1)},
		weakTest:  map[string]string{"src/calc/index.test.ts": "import { it, expect } from 'vitest';\nimport { div } from './index';\nit('divides', () => { expect(div(0, 3)).not.toBe(1000); });\n"},
		broken:    map[string]string{"src/calc/index.test.ts": "import { it, expect } from 'vitest';\nimport { div } from './index';\nimport { x } from 'nowhere-at-all';\nit('divides', () => { expect(div(6, 3)).toBe(x); });\n"},
		satisfied: map[string]string{"src/calc/index.test.ts": "import { it, expect } from 'vitest';\nimport { div } from './index';\nit('divides', () => { expect(div(6, 3)).toBe(2); });\nit('nothing', () => { expect('a'.length).toBe(1); });\n"},
	}
}

func needs(t *testing.T, tool string) {
	t.Helper()
	if _, err := proc.LookPath(tool, os.Getenv("PATH")); err != nil {
		absent(t, "%s is not installed", tool)
	}
}

// TestProofsGo takes longer than ten seconds: it compiles and runs tests with stubs, with the code, and with mutants.
func TestProofsGo(t *testing.T) {
	t.Parallel()
	prove(t, goSample())
}

func TestProofsPython(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "python3")
	prove(t, pySample())
}

// TestProofsTypeScript takes longer than ten seconds: vitest and the compiler of TypeScript take one to start.
func TestProofsTypeScript(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "npm")
	prove(t, tsSample(t))
}

func prove(t *testing.T, s sample) {
	t.Helper()
	l := newLab(t)
	ctx := t.Context()
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)

	p, err := l.checker.Baseline(ctx, m.Chain, base)
	want(t, "baseline", p, err, true)
	if c := p.Counts(); c.Passed == 0 || c.Failed > 0 {
		t.Fatalf("baseline counts %+v", c)
	}

	// RED
	red := l.tree(base, s.test)
	p, err = l.checker.Red(ctx, m, base, red, []step.Claim{{Item: "b1", Tests: s.ids}})
	want(t, "red", p, err, true)
	slices.Sort(p.Red)
	ids := slices.Sorted(slices.Values(s.ids))
	if !slices.Equal(p.Red, ids) || len(p.Satisfied) > 0 || p.Strong != len(ids) {
		t.Fatalf("red tests = %q (satisfied %q), want %q", p.Red, p.Satisfied, ids)
	}
	frozen := p.Frozen
	if len(frozen) != len(s.test) {
		t.Fatalf("frozen = %v", frozen)
	}
	t.Cleanup(func() {
		if list, err := os.ReadDir(l.temp); err != nil || len(list) > 0 {
			t.Errorf("check trees are left behind: %v (%v)", list, err)
		}
	})
	t.Run("red", func(t *testing.T) {
		t.Parallel()
		proveRed(t, l, s, m, base, red)
	})
	t.Run("green", func(t *testing.T) {
		t.Parallel()
		proveGreen(t, l, s, m, red, frozen)
	})
	t.Run("after", func(t *testing.T) {
		t.Parallel()
		proveAfter(t, l, s, m, red, frozen)
	})
}

// proveRed tries tests that prove less.
func proveRed(t *testing.T, l *lab, s sample, m check.Module, base, red string) {
	t.Helper()
	ctx := t.Context()
	p, err := l.checker.Red(ctx, m, base, red, []step.Claim{{Item: "b1", Tests: []string{s.ids[0] + "x"}}})
	want(t, "a claim of a test that is not there", p, err, false, "claim-unknown")
	p, err = l.checker.Red(ctx, m, base, red, []step.Claim{{Item: "b1", Tests: []string{s.ids[0] + "x"}}, {Item: "b1", Tests: s.ids}})
	want(t, "a claim of a test that is not there beside those that are", p, err, true, "claim-unknown")
	p, err = l.checker.Red(ctx, m, base, l.tree(red, s.right), nil)
	want(t, "sources in red", p, err, false, "out-of-scope")
	p, err = l.checker.Red(ctx, m, base, l.tree(base, s.broken), nil)
	want(t, "broken test", p, err, false, "red-unrelated-failure")
	mixed := l.tree(base, s.satisfied)
	p, err = l.checker.Red(ctx, m, base, mixed, nil)
	want(t, "test that passes already", p, err, true, "already-passes")
	if len(p.Satisfied) != 1 || len(p.Red) != 1 {
		t.Fatalf("satisfied = %q, red = %q", p.Satisfied, p.Red)
	}
	p, err = l.checker.Red(ctx, m, base, mixed, []step.Claim{{Item: "b1", Tests: p.Satisfied}, {Item: "b2", Tests: p.Red}})
	want(t, "test that passes already", p, err, true, "already-passes")
	if !slices.Equal(p.Covered, []string{"b2"}) {
		t.Errorf("covered = %q: a test that does not depend on the code covers nothing", p.Covered)
	}
}

// proveGreen tries code that does not do, and more than code.
func proveGreen(t *testing.T, l *lab, s sample, m check.Module, red string, frozen []step.File) {
	t.Helper()
	ctx := t.Context()
	p, err := l.checker.Green(ctx, m, red, l.tree(red, s.wrong), frozen)
	want(t, "wrong implementation", p, err, false)
	if f := p.Failures(); len(f) == 0 || f[0].Message == "" {
		t.Fatalf("failures without a message: %+v", f)
	}
	p, err = l.checker.Green(ctx, m, red, l.tree(red, s.cheat), frozen)
	want(t, "changed test", p, err, false, "frozen-changed")
	if len(p.Failures()) == 0 {
		t.Fatal("the frozen tests were not put back before they ran")
	}
	green := l.tree(red, s.right)
	const key = "-----BEGIN RSA PRIVATE" + " KEY-----\n"
	p, err = l.checker.Green(ctx, m, red, l.tree(green, map[string]string{"go.sum": key, ".claude/settings.json": key, s.dir + "/key.pem": key}), frozen)
	want(t, "green with more than code", p, err, false, "lockfile-changed", "agent-settings-changed", "secret")
	p, err = l.checker.Green(ctx, m, red, green, frozen)
	want(t, "right implementation", p, err, true)
	stranger := "other/new" + filepath.Ext(slices.Collect(maps.Keys(s.right))[0])
	p, err = l.checker.Green(ctx, m, red, l.tree(green, map[string]string{stranger: "x"}), frozen)
	want(t, "a source of another module", p, err, false, "out-of-scope")
	p, err = l.checker.Green(ctx, m, red, l.tree(green, map[string]string{"other/new.md": "x"}), frozen)
	want(t, "what a command left behind", p, err, true, "stray-removed")
	if p.Tree != green {
		t.Fatal("what a command left behind is in the proved tree")
	}
}

// proveAfter goes on with code that does: refactoring, strength, landing.
func proveAfter(t *testing.T, l *lab, s sample, m check.Module, red string, frozen []step.File) {
	t.Helper()
	ctx := t.Context()
	green := l.tree(red, s.right)
	p, err := l.checker.Refactor(ctx, m, green, l.tree(green, s.refactor), frozen)
	want(t, "refactoring", p, err, true)
	p, err = l.checker.Refactor(ctx, m, green, l.tree(green, s.breaking), frozen)
	want(t, "changed signature", p, err, false, "export-changed")
	p, err = l.checker.Mutants(ctx, m, red, green, frozen)
	want(t, "strength", p, err, true, rules(p.Findings)...)
	if p.Tried < 3 || p.Killed == 0 || p.Tried > check.MaxMutants {
		t.Fatalf("mutants: %d of %d killed", p.Killed, p.Tried)
	}
	weak := l.tree(green, s.weakTest)
	p, err = l.checker.Mutants(ctx, m, red, weak, frozenOf(t, l, weak, frozen))
	if err != nil || p.Passed && p.Killed == p.Tried {
		t.Fatalf("weak tests kill %d of %d mutants (%v)", p.Killed, p.Tried, err)
	}
	if len(p.Survived) == 0 || p.Survived[0].Line == 0 {
		t.Fatalf("survived = %+v", p.Survived)
	}
	p, err = l.checker.Merged(ctx, m, l.tree(green, map[string]string{"README.md": "x"}), frozen)
	want(t, "merged", p, err, true)
	p, err = l.checker.Merged(ctx, m, weak, frozen)
	want(t, "merged with another test", p, err, false, "frozen-changed")
}

func frozenOf(t *testing.T, l *lab, tree string, like []step.File) []step.File {
	t.Helper()
	entries, err := l.repo.ReadTree(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	var out []step.File
	for _, e := range entries {
		for _, f := range like {
			if f.Path == e.Path {
				out = append(out, step.File{Path: e.Path, ID: e.ID})
			}
		}
	}
	return out
}

func TestRedOnExistingCode(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := goSample()
	base := l.tree("", s.base)
	base = l.tree(l.tree(base, s.right), s.test)
	m := l.module(base, s.dir, s.exports...)
	m.Tests = []string{"calc/calc_test.go"}
	more := s.test["calc/calc_test.go"] + "\nfunc TestNegative(t *testing.T) {\n\tif got, err := Div(-6, 3); got != -2 || err != nil {\n\t\tt.Fatal(got)\n\t}\n}\n\nfunc TestRounds(t *testing.T) {\n\tif got, _ := Div(-1, 2); got != -1 {\n\t\tt.Fatal(got)\n\t}\n}\n"
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"calc/calc_test.go": more}), nil)
	want(t, "red on existing code", p, err, true, "already-passes")
	if !slices.Equal(p.Red, []string{"calc/calc_test.go::TestRounds"}) || !slices.Equal(p.Satisfied, []string{"calc/calc_test.go::TestNegative"}) {
		t.Errorf("red = %q, satisfied = %q", p.Red, p.Satisfied)
	}
}

func TestGoPanicsHideNoTests(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir, step.Export{Kind: "function", Name: "New", Signature: "New() *Thing"}, step.Export{Kind: "type", Name: "Thing", Signature: "struct { N int }"})
	test := "package calc\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif New().N != 1 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestB(t *testing.T) {\n\tif New().N != 2 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestC(t *testing.T) {\n\tif New() == nil {\n\t\tt.Fatal()\n\t}\n}\n"
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"calc/calc_test.go": test}), nil)
	want(t, "red with panics", p, err, true)
	if len(p.Red) != 3 {
		t.Errorf("red = %q", p.Red)
	}
}

func TestFlakesAreLabelled(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	marker := filepath.Join(kept(t), "marker")
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir)
	test := "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestFlaky(t *testing.T) {\n\tif err := os.Mkdir(" + "`" + marker + "`" + ", 0o755); err == nil {\n\t\tt.Fatal(\"first time\")\n\t}\n}\n"
	tree := l.tree(base, map[string]string{"calc/calc_test.go": test, "calc/calc.go": "package calc\n"})
	p, err := l.checker.Green(t.Context(), m, tree, tree, frozenOf(t, l, tree, []step.File{{Path: "calc/calc_test.go"}}))
	want(t, "flake", p, err, false, "flaky-test")
	if c := p.Counts(); c.Flaky != 1 || c.Passed != 0 {
		t.Errorf("counts = %+v", c)
	}
}

// TestManyThatDidNotFinish: a panic in one test ends all others of its binary, however many. They are run once more as well, also where their
// names are more than a command can hold.
func TestManyThatDidNotFinish(t *testing.T) {
	t.Parallel()
	for _, more := range []string{"", strings.Repeat("x", 2300)} {
		t.Run(fmt.Sprint(len(more)), func(t *testing.T) {
			t.Parallel()
			manyUnfinished(t, more)
		})
	}
}

func manyUnfinished(t *testing.T, more string) {
	t.Helper()
	l := newLab(t)
	marker := filepath.Join(kept(t), "marker")
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir)
	test := strings.Builder{}
	test.WriteString("package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tgo func() {\n\t\t<-begun\n\t\tif os.Mkdir(`" + marker + "`, 0o755) == nil {\n\t\t\tpanic(\"too slow\")\n\t\t}\n\t\tclose(free)\n\t}()\n\tos.Exit(m.Run())\n}\n\nvar begun, free = make(chan bool, 100), make(chan bool)\n")
	for i := range 60 {
		fmt.Fprintf(&test, "\nfunc Test%d%s(t *testing.T) {\n\tt.Parallel()\n\tbegun <- true\n\t<-free\n\tif Two() != 2 {\n\t\tt.Fatal(Two())\n\t}\n}\n", i, more)
	}
	tree := l.tree(base, map[string]string{"calc/calc_test.go": test.String(), "calc/calc.go": "package calc\n\nfunc Two() int { return 2 }\n"})
	p, err := l.checker.Green(t.Context(), m, tree, tree, frozenOf(t, l, tree, []step.File{{Path: "calc/calc_test.go"}}))
	want(t, "flake", p, err, false, "flaky-test")
	if c := p.Counts(); c.Flaky != 60 || c.Failed != 0 {
		t.Errorf("counts = %+v", c)
	}
}

func TestRunsThatAreNoEvidence(t *testing.T) {
	t.Parallel()
	s := goSample()
	for _, c := range []struct{ name, test, rule string }{
		{"changes a tracked file", "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) {\n\tif err := os.WriteFile(\"../go.mod\", []byte(\"module x\\n\"), 0o644); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n", "check-invalid"},
		{"runs nothing", "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n\nfunc TestA(t *testing.T) {\n\tt.Fatal()\n}\n", "no-tests-ran"},
		{"skips at run time", "package calc\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\thide(t)\n\tt.Fatal()\n}\n\nfunc hide(t testing.TB) { t.SkipNow() }\n", "test-skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			base := l.tree("", s.base)
			m := l.module(base, s.dir)
			tree := l.tree(base, map[string]string{"calc/calc_test.go": c.test, "calc/calc.go": "package calc\n"})
			p, err := l.checker.Green(t.Context(), m, tree, tree, frozenOf(t, l, tree, []step.File{{Path: "calc/calc_test.go"}}))
			want(t, c.name, p, err, false, c.rule)
			if c.rule == "check-invalid" && strings.HasPrefix(c.name, "changes") && p.Records[len(p.Records)-1].TreeAfter == "" {
				t.Errorf("the record does not say what the tree became: %+v", p.Records)
			}
		})
	}
}

// TestHungRunIsNoEvidence: a run that does not end is ended with all that it has started. The runner is Node's, which has nothing
// to compile before it hangs.
func TestHungRunIsNoEvidence(t *testing.T) {
	t.Parallel()
	c := newCounted(t, "  require('node:child_process').spawnSync('sleep', ['1000']);\n", func(o *check.Options) { o.Limit = 2 * time.Second })
	p, _ := c.prove(c.tree)
	want(t, "a run that hangs with a child", p, nil, false, "check-invalid")
}

func TestMissingToolIsEnvironment(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(o *check.Options) { o.Env = []string{"PATH=/nowhere"} })
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir)
	_, err := l.checker.Baseline(t.Context(), m.Chain, base)
	var missing *check.EnvironmentError
	if !errors.As(err, &missing) || missing.Tool != "go" || !strings.Contains(missing.Install, "go.dev") {
		t.Errorf("error = %v", err)
	}
}

func TestChecksSeeAnEnvironmentOfTheirOwn(t *testing.T) {
	t.Parallel()
	l := newLab(t, func(o *check.Options) { o.Env = append(os.Environ(), "SECRET_TOKEN=abc", "HOME=/root/real") })
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir)
	test := "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestEnv(t *testing.T) {\n\tif os.Getenv(\"SHELL\") != \"/bin/bash\" || os.Getenv(\"SECRET_TOKEN\") != \"\" || os.Getenv(\"HOME\") == \"/root/real\" {\n\t\tt.Fatal(os.Environ())\n\t}\n\tif _, err := os.Stat(\"../.git\"); err == nil {\n\t\tt.Fatal(\"a git folder\")\n\t}\n}\n"
	tree := l.tree(base, map[string]string{"calc/calc_test.go": test, "calc/calc.go": "package calc\n"})
	p, err := l.checker.Green(t.Context(), m, tree, tree, frozenOf(t, l, tree, []step.File{{Path: "calc/calc_test.go"}}))
	want(t, "environment", p, err, true)
}

// TestLowCoverageIsAFinding takes longer than ten seconds: coverage compiles everything once more.
func TestLowCoverageIsAFinding(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	l := newLab(t)
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	longer := strings.Replace(s.right["calc/calc.go"], "\treturn a / b, nil\n", "\tq := a / b\n\tif q < 0 {\n\t\tq = -q\n\t}\n\treturn q, nil\n", 1)
	tree := l.tree(base, map[string]string{"calc/calc.go": longer, "calc/calc_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n\tif _, err := Div(1, 0); err == nil {\n\t\tt.Fatal()\n\t}\n}\n"})
	p, err := l.checker.Mutants(t.Context(), m, base, tree, frozenOf(t, l, tree, []step.File{{Path: "calc/calc_test.go"}}))
	want(t, "coverage", p, err, true, "low-coverage")
	if f := p.Findings[0]; f.Path != "calc/calc.go" || f.Line != 13 || !strings.Contains(f.Message, "%") {
		t.Errorf("finding = %+v", f)
	}
}

func TestFormatChangesOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir)
	tree := l.tree(base, map[string]string{"calc/calc.go": "package calc\nfunc  F( )  int {\nreturn 1}\n"})
	p, changed, err := l.checker.Format(t.Context(), m, tree, []string{"calc/calc.go", "other/other.go"})
	want(t, "format", p, err, true)
	if !slices.Equal(changed, []string{"calc/calc.go"}) || p.Tree == tree {
		t.Errorf("changed = %q", changed)
	}
}

// nodeSample is the TypeScript sample for node's own runner: JavaScript, no package installed.
func nodeSample(t *testing.T) sample {
	t.Helper()
	plain := strings.NewReplacer(
		": number", "", "import { describe, it, expect } from 'vitest';", "import { describe, it } from 'node:test';\nimport assert from 'node:assert/strict';",
		"import { it, expect } from 'vitest';", "import { it } from 'node:test';\nimport assert from 'node:assert/strict';",
		"import { test, expect } from 'vitest';", "import { test } from 'node:test';\nimport assert from 'node:assert/strict';",
		"./index'", "./index.js'",
	)
	expect := strings.NewReplacer(
		"expect(div(6, 3)).toBe(2)", "assert.equal(div(6, 3), 2)", "expect(() => div(1, 0)).toThrow(ZeroError)", "assert.throws(() => div(1, 0), ZeroError)",
		"expect(() => div(1, 0)).toThrow()", "assert.throws(() => div(1, 0))", "expect(true).toBe(true)", "assert.ok(true)",
		"expect(div(6, 3)).toBe(x)", "assert.equal(div(6, 3), x)", "expect('a'.length).toBe(1)", "assert.equal('a'.length, 1)",
		"expect(div(0, 3)).not.toBe(1000)", "assert.notEqual(div(0, 3), 1000)", "expect(one()).toBe(1)", "assert.equal(one(), 1)",
		"it.each([1, 2])('%i by itself', (n) => {\n    expect(div(n, n)).toBe(1);", "it('by itself', () => {\n    assert.equal(div(5, 5), 1);",
	)
	s := tsSample(t)
	s.name = "node"
	convert := func(files map[string]string) map[string]string {
		out := map[string]string{}
		for p, text := range files {
			out[strings.TrimSuffix(p, ".ts")+".js"] = plain.Replace(expect.Replace(text))
		}
		return out
	}
	s.base = map[string]string{
		"package.json":            "{\"name\": \"sample\", \"type\": \"module\", \"scripts\": {\"test\": \"node --test\"}}\n",
		"src/other/index.js":      "export const one = () => 1;\n",
		"src/other/index.test.js": "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\nimport { one } from './index.js';\ntest('one', () => { assert.equal(one(), 1); });\n",
	}
	for _, m := range []*map[string]string{&s.test, &s.right, &s.wrong, &s.cheat, &s.refactor, &s.breaking, &s.weakTest, &s.broken, &s.satisfied} {
		*m = convert(*m)
	}
	s.ids = []string{"src/calc/index.test.js::div > divides", "src/calc/index.test.js::div > by itself", "src/calc/index.test.js::div > throws", "src/calc/index.test.js::div > throws its own error"}
	return s
}

func TestProofsNode(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "node")
	prove(t, nodeSample(t))
}

// TestRedWithSnapshots: what no check writes has to be there before the code is.
func TestRedWithSnapshots(t *testing.T) {
	t.Parallel()
	needs(t, "node")
	s := nodeSample(t)
	l := newLab(t)
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	test := s.test["src/calc/index.test.js"]
	written := func(assertion string) map[string]string {
		return map[string]string{"src/calc/index.test.js": test + "it('keeps', (t) => { " + assertion + " });\n"}
	}
	const snap = "src/calc/__snapshots__/index.test.js.snap"
	for name, c := range map[string]struct {
		files map[string]string
		more  string // a file beside the test
		lacks bool
	}{
		"of node":         {files: written("t.assert.snapshot(div(6, 3));"), lacks: true},
		"of jest":         {files: written("expect(div(6, 3)).toMatchSnapshot();"), lacks: true},
		"inline":          {files: written("expect(div(6, 3)).toMatchInlineSnapshot();"), lacks: true},
		"of another test": {files: written("expect(div(6, 3)).toMatchSnapshot();"), more: "exports[`other 1`] = `2`;\n", lacks: true},
		"that is there":   {files: written("expect(div(6, 3)).toMatchSnapshot();"), more: "exports[`keeps 1`] = `2`;\n"},
		"inline value":    {files: written("expect(div(6, 3)).toMatchInlineSnapshot(`2`);")},
		"none":            {files: written("assert.equal(div(6, 3), 2);")},
	} {
		if c.more != "" {
			c.files[snap] = c.more
		}
		p, err := l.checker.Red(t.Context(), m, base, l.tree(base, c.files), nil)
		if err != nil {
			t.Fatal(err)
		}
		if has := slices.Contains(rules(p.Findings), "snapshot-missing"); has != c.lacks || has && p.Passed {
			t.Errorf("%s: findings %+v, passed %v", name, p.Findings, p.Passed)
		}
	}
}

// TestProofsUnittest proves the Python sample with the runner that every Python has.
func TestProofsUnittest(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "python3")
	s := pySample()
	s.name = "unittest"
	s.base = map[string]string{
		"setup.py": "from setuptools import setup\nsetup(name='sample')\n", "calc/__init__.py": "# calc\n", "other/__init__.py": "# other\n", "other/other.py": "def one():\n    return 1\n",
		"other/test_other.py": "import unittest\n\nfrom other.other import one\n\n\nclass OneTest(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(one(), 1)\n",
	}
	class := func(imports, body string) map[string]string {
		return map[string]string{"calc/test_calc.py": "import unittest\n\n" + imports + "\n\nclass CalcTest(unittest.TestCase):\n" + body}
	}
	const div = "    def test_div(self):\n        self.assertEqual(div(6, 3), 2)\n"
	s.test = class("from calc.calc import ZeroError, div\n", div+"\n    def test_zero(self):\n        with self.assertRaises(ZeroError):\n            div(1, 0)\n\n    def test_self(self):\n        for n in (1, 2):\n            with self.subTest(n=n):\n                self.assertEqual(div(n, n), 1)\n")
	s.ids = []string{"calc/test_calc.py::CalcTest::test_div", "calc/test_calc.py::CalcTest::test_zero", "calc/test_calc.py::CalcTest::test_self"}
	s.cheat["calc/test_calc.py"] = class("", "    def test_div(self):\n        self.assertTrue(True)\n")["calc/test_calc.py"]
	s.weakTest = class("from calc.calc import div\n", "    def test_div(self):\n        self.assertNotEqual(div(0, 3), 1000)\n")
	s.broken = class("from calc.calc import div\nfrom nowhere_at_all import x\n", "    def test_div(self):\n        self.assertEqual(div(6, 3), x)\n")
	s.satisfied = class("from calc.calc import div\n", div+"\n    def test_nothing(self):\n        self.assertEqual(len('a'), 1)\n")
	prove(t, s)
}

// A changed signature does not compile against the present code; the tests fail one by one all the same.
func TestRedOfAChangedSignature(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := goSample()
	code := "package calc\n\nimport \"example.com/lab/unit\"\n\n// Add sums.\nfunc Add(a, b int) int { return a + b }\n\n" +
		"// Twice doubles.\nfunc Twice(a int) int { return Add(a, a) }\n\ntype Sum struct{ N int }\n\nfunc (s *Sum) Plus(n int) { s.N = Add(s.N, n) }\n\n" +
		"func In(u unit.Unit) int { return int(u) }\n"
	base := l.tree("", map[string]string{
		"go.mod": "module example.com/lab\n\ngo 1.24\n", "unit/unit.go": "package unit\n\ntype Unit int\n", "calc/calc.go": code,
		"calc/calc_test.go": "package calc\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
	})
	m := l.module(
		base, s.dir, step.Export{Kind: "function", Name: "Add", Signature: "Add(a int, b int, c int) (int, error)"},
		step.Export{Kind: "function", Name: "Twice", Signature: "Twice(x int) int"},
		step.Export{Kind: "function", Name: "In", Signature: "In(u unit.Unit, m unit.Unit) int"},
		step.Export{Kind: "method", Name: "Sum.Plus", Signature: "Plus(n int, m int)"},
	)
	m.Tests = []string{"calc/calc_test.go"}
	test := "package calc\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif Twice(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n\n" +
		"func TestAdd(t *testing.T) {\n\tif got, err := Add(1, 2, 3); err != nil || got != 6 {\n\t\tt.Fatal(got, err)\n\t}\n}\n\n" +
		"func TestIn(t *testing.T) {\n\tif In(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n\n" +
		"func TestPlus(t *testing.T) {\n\ts := Sum{}\n\ts.Plus(1, 2)\n\tif s.N != 3 {\n\t\tt.Fatal(s.N)\n\t}\n}\n"
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"calc/calc_test.go": test}), nil)
	want(t, "red", p, err, true)
	if len(p.Red) != 3 || len(p.Satisfied) != 0 {
		t.Errorf("red %v, satisfied %v", p.Red, p.Satisfied)
	}
	wrong := strings.Replace(test, "Add(1, 2, 3)", "Add(1, 2, 3, 4)", 1)
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"calc/calc_test.go": wrong}), nil)
	want(t, "a call that the spec does not allow", p, err, false, "red-unrelated-failure")
}

// Adding a package changes the manifest and nothing else; one that cannot be had is a finding.
func TestAddPackages(t *testing.T) {
	t.Parallel()
	needs(t, "npm")
	l := newLab(t)
	base := l.tree("", map[string]string{
		"package.json": `{"name": "lab", "private": true}` + "\n", "index.js": "exports.a = 1;\n",
		"parts/small/package.json": `{"name": "small", "version": "1.0.0"}` + "\n",
	})
	m := l.module(base, ".")
	p, err := l.checker.Add(t.Context(), m.Chain, base, []toolchain.Dependency{{Name: "small", Version: "file:./parts/small"}})
	want(t, "a package", p, err, true)
	changes, err := l.repo.Diff(t.Context(), base, p.Tree)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	if !slices.Equal(paths, []string{"package-lock.json", "package.json"}) {
		t.Errorf("changed %v", paths)
	}
	p, err = l.checker.Add(t.Context(), m.Chain, base, []toolchain.Dependency{{Name: "none", Version: "file:./parts/none.tgz"}})
	want(t, "no package", p, err, false, "package-missing")
	if p.Tree != base {
		t.Error("a package that cannot be had changed the tree")
	}
}

// Tests that all pass without the code prove nothing, unless there is nothing but declarations to prove.
func TestRedThatDependsOnNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := goSample()
	base := l.tree("", s.base)
	test := l.tree(base, map[string]string{"calc/calc_test.go": "package calc\n\nimport \"testing\"\n\n" +
		"func TestSum(t *testing.T) {\n\tif s := (Sum{N: 2}); s.N != 2 {\n\t\tt.Fatal(s)\n\t}\n}\n"})
	m := l.module(base, s.dir, step.Export{Kind: "type", Name: "Sum", Signature: "type Sum struct { N int }"})
	p, err := l.checker.Red(t.Context(), m, base, test, []step.Claim{{Item: "E:Sum", Tests: []string{"calc/calc_test.go::TestSum"}}})
	want(t, "a type", p, err, true, "already-passes")
	if !slices.Equal(p.Covered, []string{"E:Sum"}) {
		t.Errorf("covered = %q, want the type", p.Covered)
	}
	m.Exports = append(m.Exports, step.Export{Kind: "function", Name: "Add", Signature: "Add(a, b int) int"})
	p, err = l.checker.Red(t.Context(), m, base, test, nil)
	want(t, "a function that no test needs", p, err, false, "already-passes")
}

// TestPrograms: the programs that dependencies bring are found without a check.
func TestPrograms(t *testing.T) {
	t.Parallel()
	s := tsSample(t)
	l := newLab(t)
	base := l.tree("", s.base)
	dirs, err := l.checker.Programs(t.Context(), base, []toolchain.Found{l.module(base, s.dir, s.exports...).Chain})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proc.LookPath("vitest", strings.Join(dirs, string(filepath.ListSeparator))); err != nil {
		t.Errorf("in %q: %v", dirs, err)
	}
}

// TestRefactorMayHide: what the spec does not list may become private, what it lists and a default export may not.
func TestRefactorMayHide(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	const code = "export const LIMIT = 5;\nexport function twice(n) { return 2 * n; }\nexport default twice;\n"
	tree := l.tree("", map[string]string{
		"package.json": `{"type": "module"}`, "calc/calc.js": code,
		"calc/calc.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { twice } from './calc.js';\ntest('twice', () => { assert.equal(twice(2), 4); });\n",
	})
	m := l.module(tree, "calc", function("twice", "twice(n: number): number"))
	frozen := frozenOf(t, l, tree, []step.File{{Path: "calc/calc.test.js"}})
	for old, rules := range map[string][]string{"export const": nil, "export default twice;": {"export-changed"}} {
		p, err := l.checker.Refactor(t.Context(), m, tree, l.tree(tree, map[string]string{"calc/calc.js": strings.Replace(code, old, strings.TrimPrefix(strings.TrimPrefix(old, "export "), "default twice;"), 1)}), frozen)
		want(t, old, p, err, rules == nil, rules...)
	}
}
