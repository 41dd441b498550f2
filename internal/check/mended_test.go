package check_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
)

// shop is a Go project with a module that others use.
func shop(l *lab) string {
	return l.tree("", map[string]string{
		"go.mod":         "module example.com/shop\n\ngo 1.24\n",
		"money/money.go": "package money\n\n// Cents is an amount.\ntype Cents int64\n",
	})
}

func cartExports() []step.Export {
	return []step.Export{
		{Kind: "type", Name: "Cart", Signature: "type Cart struct"},
		{Kind: "function", Name: "New", Signature: "func New(o Options) *Cart"},
		{Kind: "function", Name: "Cart.Add", Signature: "func (c *Cart) Add(name string, price string, qty int) error"},
		{Kind: "function", Name: "Cart.Total", Signature: "func (c *Cart) Total() money.Cents"},
		{Kind: "variable", Name: "ErrFull", Signature: "var ErrFull error"},
	}
}

const cartTest = `package cart_test

import (
	"errors"
	"testing"

	"example.com/shop/cart"
)

func TestTotal(t *testing.T) {
	c := cart.New(cart.Options{})
	_ = c.Add("tea", "2.50", 2)
	if got := c.Total(); got != 500 {
		t.Fatalf("Total() = %d", got)
	}
}

func TestParts(t *testing.T) {
	t.Run("full", func(t *testing.T) {
		if err := cart.New(cart.Options{}).Add("eleventh", "1", 1); !errors.Is(err, cart.ErrFull) {
			t.Fatal(err)
		}
	})
}

func TestAlways(t *testing.T) {
	var c *cart.Cart
	if c != nil {
		t.Fatal(c)
	}
}
`

// A type without a body, types of other modules and types that only signatures name do not keep tests from running.
func TestRedWithOpaqueTypesAndDependencies(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	l := newLab(t)
	base := shop(l)
	m := l.module(base, "cart", cartExports()...)
	claims := []step.Claim{{Item: "B:total", Tests: []string{"cart/cart_test.go::TestTotal"}}, {Item: "B:always", Tests: []string{"cart/cart_test.go::TestAlways"}}}
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"cart/cart_test.go": cartTest}), claims)
	want(t, "red", p, err, true, "already-passes")
	if !slices.Equal(p.Red, []string{"cart/cart_test.go::TestTotal", "cart/cart_test.go::TestParts"}) ||
		!slices.Equal(p.Satisfied, []string{"cart/cart_test.go::TestAlways"}) {
		t.Errorf("red = %q, satisfied = %q", p.Red, p.Satisfied)
	}
	if !slices.Equal(p.Covered, []string{"B:total"}) {
		t.Errorf("covered = %q", p.Covered)
	}
	if c := p.Counts(); c.Total != 3 || c.Failed != 2 {
		t.Errorf("counts = %+v of %+v: neither the package nor the test around a subtest counts", c, p.Results)
	}

	// A mistake of one test is named with its place, and the others are judged all the same.
	wrong := strings.Replace(cartTest, "got != 500", "got != wanted", 1)
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"cart/cart_test.go": wrong}), claims)
	want(t, "an undefined name", p, err, false, "red-unrelated-failure", "already-passes")
	if f := p.Findings[0]; f.Path != "cart/cart_test.go" || f.Line != 13 || !strings.Contains(f.Message, "wanted") || !strings.Contains(f.Message, "TestTotal") {
		t.Errorf("finding = %+v", f)
	}
	if len(p.Covered) > 0 || !slices.Equal(p.Red, []string{"cart/cart_test.go::TestParts"}) {
		t.Errorf("covered = %q, red = %q: a test that did not run covers nothing", p.Covered, p.Red)
	}
	wrong = strings.Replace(cartTest, "_ = c.Add(\"tea\", \"2.50\", 2)", "_ = c.Add(\"tea\", 250)", 1)
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"cart/cart_test.go": wrong}), nil)
	want(t, "a call that the spec does not allow", p, err, false, "red-unrelated-failure")
}

// Where no stub can be made for an export, the tests that need it are red by themselves, and the others run.
// It takes longer than ten seconds: what cannot be compiled is found by compiling again and again.
func TestRedCutsOutWhatCannotCompileYet(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	l := newLab(t)
	base := shop(l)
	m := l.module(base, "cart", step.Export{Kind: "function", Name: "Parse", Signature: "Parse <text> gives cents"}, step.Export{Kind: "function", Name: "Zero", Signature: "Zero() money.Cents"})
	test := "package cart\n\nimport (\n\t\"strconv\"\n\t\"testing\"\n)\n\nfunc parsed(s string) int { return int(Parse(s)) }\n\n" +
		"func TestParse(t *testing.T) {\n\tif parsed(strconv.Itoa(1)) != 100 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestZero(t *testing.T) {\n\tif Zero() != 1 {\n\t\tt.Fatal()\n\t}\n}\n\n" +
		"func TestZeroIsZero(t *testing.T) {\n\tif Zero() != 0 {\n\t\tt.Fatal()\n\t}\n}\n"
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"cart/cart_test.go": test}), []step.Claim{{Item: "B:1", Tests: []string{"TestParse"}}})
	want(t, "red", p, err, true)
	if len(p.Red) != 3 || len(p.Satisfied) != 0 || len(p.Results) != 3 || !slices.Equal(p.Covered, []string{"B:1"}) {
		t.Errorf("red = %q, satisfied = %q, results %+v, covered %q", p.Red, p.Satisfied, p.Results, p.Covered)
	}
	for _, r := range p.Results {
		if ran := r.Status == step.Fail; ran == strings.HasSuffix(r.ID, "::TestParse") {
			t.Errorf("%s is %s: %s", r.ID, r.Status, r.Message)
		}
	}

	// Nobody can say what is in a file that cannot be parsed, but the other file is judged.
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{
		"cart/cart_test.go": test, "cart/more_test.go": "package cart\n\nfunc TestMore(t *testing.T) {\n\tif Zero() != 2 {\n",
	}), []step.Claim{{Item: "B:1", Tests: []string{"cart/more_test.go::TestOther"}}})
	want(t, "a file that cannot be parsed", p, err, false, "red-unrelated-failure")
	if slices.Contains(rules(p.Findings), "claim-unknown") || !slices.Equal(p.Unread, []string{"cart/more_test.go"}) || len(p.Red) != 3 {
		t.Errorf("findings = %+v, unread = %q, red = %q", p.Findings, p.Unread, p.Red)
	}
}

// What commands leave behind is taken away; what means something is not.
func TestStrays(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	clean := l.tree(base, s.test)
	p, err := l.checker.Red(t.Context(), m, base, l.tree(clean, map[string]string{"out.txt": "x\n", "calc/notes.md": "x\n"}), nil)
	want(t, "leftovers", p, err, true, "stray-removed")
	if p.Tree != clean || len(p.Findings) != 2 {
		t.Errorf("findings = %+v", p.Findings)
	}
	for name, text := range map[string]string{
		"calc/CLAUDE.md": "# x\n", "AGENTS.md": "# x\n", "calc/help.go": "package calc\n", "calc/data.bin": "\x00\x01", "Makefile": "all:\n",
	} {
		p, err = l.checker.Red(t.Context(), m, base, l.tree(clean, map[string]string{name: text}), nil)
		if err != nil || p.Passed {
			t.Errorf("%s is taken for a leftover (%v): %+v", name, err, p.Findings)
		}
		if name == "calc/help.go" && !strings.Contains(p.Findings[0].Message, "*_test.go") {
			t.Errorf("finding = %+v: it does not say which names are tests", p.Findings[0])
		}
	}
	p, err = l.checker.Red(t.Context(), m, base, l.tree(clean, map[string]string{"run.sh": "go test ./... || true\n"}), nil)
	want(t, "a script that swallows", p, err, false, "exit-swallowed")
}

func TestUnlistedExports(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	red := l.tree(base, s.test)
	frozen := frozenOf(t, l, red, []step.File{{Path: "calc/calc_test.go"}})
	more := s.right["calc/calc.go"] + "\n// Factor is a number.\nconst Factor = 2\n\n// Twice doubles.\nfunc Twice(n int) int { return n * Factor }\n\nfunc half(n int) int { return n / Factor }\n"
	p, err := l.checker.Green(t.Context(), m, red, l.tree(red, map[string]string{"calc/calc.go": more}), frozen)
	want(t, "more exports", p, err, true, "export-unlisted")
	if len(p.Findings) != 2 || p.Findings[0].Severity != step.Warn || p.Findings[1].Severity != step.Fix || !strings.Contains(p.Findings[1].Message, "Twice") {
		t.Errorf("findings = %+v", p.Findings)
	}
}

func TestClaimsOfUnknownItems(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s := goSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	m.Items = []string{"b1"}
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, s.test), []step.Claim{{Item: "b1", Tests: s.ids}, {Item: "X:nonsense", Tests: []string{"calc/calc_test.go::TestNope"}}})
	want(t, "an item that is not there", p, err, true, "claim-unknown")
	if f := p.Findings[0]; len(p.Findings) != 1 || f.Path != "calc/calc_test.go" || !strings.Contains(f.Message, "Item X:nonsense is not in the list") {
		t.Errorf("findings = %+v", p.Findings)
	}
}

func TestRedPython(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "python3")
	l := newLab(t)
	base := l.tree("", map[string]string{"pyproject.toml": "[project]\nname = \"desk\"\nversion = \"1\"\n\n[tool.pytest.ini_options]\ntestpaths = [\".\"]\n"})
	m := l.module(base, "ticket", step.Export{Kind: "class", Name: "Ticket", Signature: "class Ticket"}, step.Export{Kind: "class", Name: "Refused", Signature: "class Refused(TicketError)"})
	const test = "import pytest\n\nfrom ticket.ticket import Refused, Ticket\n\n\ndef test_new():\n    assert Ticket('x').state == 'New'\n\n\ndef test_refused():\n    with pytest.raises(Refused):\n        Ticket('')\n"
	files := map[string]string{"ticket/test_ticket.py": test, "ticket/__init__.py": "\n", "out.txt": "1 failed\n"}
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, files), nil)
	want(t, "a member that the spec does not give away", p, err, false, "red-unrelated-failure", "stray-removed")
	for _, f := range p.Findings {
		if f.Rule == "red-unrelated-failure" && !strings.Contains(f.Message, "has no attribute 'state'") {
			t.Errorf("finding = %+v: the line with the error is missing", f)
		}
	}
	m.Names = []string{"state"}
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, files), nil)
	want(t, "a member that Behavior names", p, err, true, "stray-removed")
	if len(p.Findings) != 1 || len(p.Red) != 2 {
		t.Errorf("findings = %+v, red %q: the package's __init__.py is needed", p.Findings, p.Red)
	}
	m.Names, m.SpecText = nil, "- `Ticket.state ??? str`\n"
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, files), nil)
	want(t, "a member in a line that cannot be read", p, err, true, "stray-removed")
	needless := map[string]string{"ticket/test_ticket.py": strings.Replace(test, "ticket.ticket", "ticket", 1), "docs/__init__.py": "\n", "ticket/__init__.py": "x = 1\n"}
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, needless), nil)
	want(t, "an __init__.py with code", p, err, false, "out-of-scope", "stray-removed")
	for _, f := range p.Findings {
		if f.Rule == "out-of-scope" && (f.Path != "ticket/__init__.py" || !strings.Contains(f.Message, "test_*.py, *_test.py, conftest.py")) {
			t.Errorf("finding = %+v", f)
		}
	}
}

func TestTypesOfTypeScriptTests(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	needs(t, "npm")
	l := newLab(t)
	s := tsSample(t)
	s.base["tsconfig.json"] = "{\"compilerOptions\": {\"strict\": true, \"module\": \"NodeNext\", \"moduleResolution\": \"NodeNext\", \"target\": \"es2022\", \"noEmit\": true, \"skipLibCheck\": true}, \"include\": [\"src/calc\"]}\n"
	base := l.tree("", s.base)
	m := l.module(
		base, s.dir,
		step.Export{Kind: "function", Name: "slugify", Signature: "slugify(title: string, options?: SlugOptions): string"},
		step.Export{Kind: "type", Name: "SlugOptions", Signature: "interface SlugOptions { maxLength?: number; owner?: Nobody }"},
		step.Export{Kind: "class", Name: "SlugError", Signature: "class SlugError extends Error { readonly code: \"EMPTY\" | \"BAD_LENGTH\" }"},
		step.Export{Kind: "class", Name: "Registry", Signature: "class Registry"},
		step.Export{Kind: "function", Name: "Registry.reserve", Signature: "Registry.reserve(title: string): string"},
		step.Export{Kind: "function", Name: "odd", Signature: "odd(what ever)"},
	)
	const test = "import { it, expect } from 'vitest';\nimport { slugify, SlugError, Registry, odd, type SlugOptions } from './index.js';\n\nconst short: SlugOptions = { maxLength: 3 };\n\n" +
		"it('cuts', () => {\n  const out: string = slugify('one two', short);\n  expect(out).toBe('one');\n});\n" +
		"it('keeps', () => {\n  const r = new Registry('x');\n  expect(r.reserve('A b').length + odd(1)).toBe(3);\n});\n" +
		"it('fails', () => {\n  try {\n    slugify('');\n    expect.unreachable();\n  } catch (e) {\n    expect(e).toBeInstanceOf(SlugError);\n    expect((e as SlugError).code).toBe('EMPTY');\n  }\n});\n"
	red := l.tree(base, map[string]string{"src/calc/index.test.ts": test})
	p, err := l.checker.Red(t.Context(), m, base, red, nil)
	want(t, "good types", p, err, true)
	frozen := p.Frozen

	bad := strings.NewReplacer("./index.js", "./index", "const out: string", "const out: number").Replace(test)
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"src/calc/index.test.ts": bad}), nil)
	want(t, "bad import", p, err, false, "test-types")
	if f := p.Findings[0]; f.Line != 2 || !strings.Contains(f.Message, "TS2835") {
		t.Errorf("finding = %+v", f)
	}
	bad = strings.Replace(test, "const out: string", "const out: number", 1)
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"src/calc/index.test.ts": bad}), nil)
	want(t, "bad type", p, err, false, "test-types")
	if f := p.Findings[0]; f.Line != 7 {
		t.Errorf("finding = %+v", f)
	}

	// Code with other types than the spec's breaks the build in the frozen test, although the runner is content.
	const code = "export interface SlugOptions { maxLength?: number }\nexport class SlugError extends Error {\n  readonly code: \"EMPTY\" | \"BAD_LENGTH\" = 'EMPTY';\n}\n" +
		"export function slugify(title: string, options?: SlugOptions): string {\n  if (title === '') throw new SlugError('empty');\n  return title.slice(0, options?.maxLength ?? title.length);\n}\n" +
		"export function odd(n: number): number { return n - 1; }\nexport class Registry {\n  constructor(_name: string) {}\n  reserve(title: string): string { return title; }\n}\n"
	green := l.tree(red, map[string]string{"src/calc/index.ts": code})
	p, err = l.checker.Green(t.Context(), m, red, green, frozen)
	want(t, "code that fits", p, err, true)
	p, err = l.checker.Green(t.Context(), m, red, l.tree(red, map[string]string{"src/calc/index.ts": strings.Replace(code, "constructor(_name: string)", "constructor(_name: number)", 1)}), frozen)
	want(t, "code that does not fit", p, err, false, "build-failed")
	if f := p.Findings[0]; f.Path != "src/calc/index.test.ts" || !strings.Contains(f.Message, "own frozen test") || len(p.Failures()) > 0 {
		t.Errorf("finding = %+v, failures %+v", f, p.Failures())
	}
}

// Check trees share the files of installed packages and cannot change them for each other.
func TestSharedPackages(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files are copied there")
	}
	cache := t.TempDir()
	file := filepath.Join("node_modules", "a", "index.js")
	if err := os.MkdirAll(filepath.Join(cache, "tree", filepath.Dir(file)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cache, "tree", file), []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := check.NewShared(cache)
	sound := func(want bool) {
		t.Helper()
		if ok, err := s.Sound(); err != nil || ok != want {
			t.Fatalf("sound = %v, %v; want %v", ok, err, want)
		}
	}
	sound(true)
	root := t.TempDir()
	if err := s.Into(root); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(root, file)
	a, err := os.Stat(linked)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.Stat(filepath.Join(cache, "tree", file))
	if err != nil || !os.SameFile(a, b) || a.Mode().Perm()&0o222 != 0 {
		t.Fatalf("%v is no read-only link (%v)", a.Mode(), err)
	}
	// Replacing, adding and removing files stays in the check tree.
	if err := os.WriteFile(filepath.Join(filepath.Dir(linked), "more.js"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(filepath.Dir(linked), "more.js"), linked); err != nil {
		t.Fatal(err)
	}
	sound(true)
	// Who takes the protection away and writes is noticed.
	other := t.TempDir()
	if err := s.Into(other); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(other, file), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, file), []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	sound(false)
}
