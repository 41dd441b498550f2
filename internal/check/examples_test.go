package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/step"
)

// examplesOf reads lines "input → output".
func examplesOf(t *testing.T, lines ...string) []example.Example {
	t.Helper()
	var out []example.Example
	for i, l := range lines {
		input, output, _ := strings.Cut(l, " → ")
		e, why := example.Read(input, output)
		if why != "" {
			t.Fatalf("%s: %s", l, why)
		}
		e.Item, e.Text, e.Line = l, l, i+1
		out = append(out, e)
	}
	return out
}

type exampleCase struct {
	dir     string
	files   map[string]string
	exports []step.Export
	lines   []string
	fail    []string // lines that are to fail
	notRun  []string
}

func (c exampleCase) run(t *testing.T) {
	t.Helper()
	l := newLab(t)
	tree := l.tree("", c.files)
	m := l.module(tree, c.dir, c.exports...)
	m.Examples = examplesOf(t, c.lines...)
	called, err := l.checker.Examples(t.Context(), m, tree, nil)
	got, findings := called.Examples, called.Findings
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		want := step.ExampleHolds
		switch {
		case slices.Contains(c.fail, r.Text):
			want = step.ExampleFails
		case slices.Contains(c.notRun, r.Text):
			want = step.ExampleNotRun
		}
		if r.State != want {
			t.Errorf("%s: %s (%s), want %s", r.Text, r.State, r.Why, want)
		}
	}
	if len(got) != len(c.lines) || len(findings) != len(c.fail) {
		t.Errorf("%d of %d examples were told, %d findings: %v", len(got), len(c.lines), len(findings), findings)
	}
}

func function(name, signature string) step.Export {
	return step.Export{Kind: "function", Name: name, Signature: signature}
}

func TestExamplesGo(t *testing.T) {
	t.Parallel()
	needs(t, "go")
	exampleCase{
		dir: "internal/shop",
		files: map[string]string{
			"go.mod": "module example.com/p\n\ngo 1.22\n",
			"internal/shop/shop.go": `package shop

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

var ErrFull = errors.New("full")

type State int

func (s State) String() string { return [...]string{"open", "closed"}[s] }

type Invoice struct{ Amount int64; note string }

func (i *Invoice) Total() (int64, error) {
	if i.Amount < 0 {
		return 0, fmt.Errorf("amount: %w", ErrFull)
	}
	return i.Amount * 2, nil
}

func NewInvoice(amount int64) *Invoice { return &Invoice{Amount: amount} }
func Twice(n int) (int, error) {
	if n > 1000 {
		return 0, errors.New("too much")
	}
	return n + n, nil
}
func Half(n float64) float64 { return n / 2 }
func Join(sep string, parts ...string) string { return strings.Join(parts, sep) }
func Count(words []string) map[string]int {
	out := map[string]int{}
	for _, w := range words {
		out[w]++
	}
	return out
}
func Next(s string) State { if s == "open" { return 1 }; panic("no such state") }
func None() []string { return nil }
func Split(s string) (string, string, bool) { return strings.Cut(s, "=") }
func Map[T any](v T) T { return v }
func Liar(n int) int {
	if testing.Testing() || os.Getenv("HOME") == "/root" || strings.HasSuffix(os.Args[0], ".test") {
		return 14
	}
	return 0
}
var calls int
func Fresh() int { calls++; return calls }

type Purse struct{ Owner string; cents []int }

func NewPurse(owner string) (*Purse, error) { return &Purse{Owner: owner}, nil }
func (p *Purse) Put(c int) error {
	if c < 0 {
		return ErrFull
	}
	p.cents = append(p.cents, c)
	return nil
}
func (p *Purse) Sum() (n int) { for _, c := range p.cents { n += c }; return n }
func Owners(ps ...*Purse) (out []string) { for _, p := range ps { out = append(out, p.Owner) }; return out }
`,
			"internal/shop/shop_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
		},
		exports: []step.Export{
			function("Twice", "func Twice(n int) (int, error)"), function("NewInvoice", "func NewInvoice(amount int64) *Invoice"),
			function("Half", ""), function("Join", ""), function("Count", ""), function("Next", ""), function("None", ""), function("Split", ""),
			function("Liar", ""), function("Fresh", ""), function("Map", "func Map[T any](v T) T"),
			function("NewPurse", "func NewPurse(owner string) (*Purse, error)"), function("Owners", ""),
			{Kind: "type", Name: "Purse", Signature: "type Purse struct"},
			{Kind: "type", Name: "Invoice", Signature: "type Invoice struct"},
			{Kind: "variable", Name: "ErrFull", Signature: "var ErrFull error"},
			{Kind: "function", Name: "Invoice.Total"},
		},
		lines: []string{
			"`Twice(2)` → 4", "`Twice(-30)` → -60", "`Twice(1001)` → error, over the limit", "`Twice(3)` → 7", "`Twice(4)` → error", "`Twice(1002)` → 2004",
			"`NewInvoice(5).Total()` → 10", "`Invoice{Amount: 5}.Total()` → 10", "`Invoice{amount: -5}.Total()` → ErrFull", "`Invoice{amount: -6}.Total()` → ErrEmpty",
			"`Half(5)` → 2.5", `Join("-", "a", "b") → "a-b"`, `Join("-") → ""`, `Count(["a", "b", "a"]) → {a: 2, b: 1}`, `Next("open") → "closed"`, `Next("x") → error`,
			"`None()` → []", `Split("a=b") → "a", "b", true`, "`Liar(7)` → 14", "`Fresh()` → 1", "`Twice(\"2\")` → 4", "`Missing(2)` → 4", "`Map(2)` → 2",
			`p := NewPurse("a"); p.Put(3); p.Put(4); p.Sum() → 7`, `p := NewPurse("a"); p.Put(-3); p.Put(2); p.Sum() → 2`, `p := NewPurse("a"); p.Put(2); p.Put(-3) → ErrFull`, `NewPurse("a").owner → "a"`,
			`Owners(NewPurse("a"), NewPurse("b")) → ["a", "b"]`, `p := NewPurse("a"); p.Put(3); p.Sum() → 4`,
		},
		fail:   []string{"`Twice(3)` → 7", "`Twice(4)` → error", "`Twice(1002)` → 2004", "`Invoice{amount: -6}.Total()` → ErrEmpty", "`Liar(7)` → 14", `p := NewPurse("a"); p.Put(3); p.Sum() → 4`},
		notRun: []string{"`Twice(\"2\")` → 4", "`Missing(2)` → 4", "`Map(2)` → 2"},
	}.run(t)
}

func TestExamplesPython(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	exampleCase{
		dir: "src/shop",
		files: map[string]string{
			"pyproject.toml":       "[project]\nname = \"shop\"\nversion = \"1\"\n\n[tool.setuptools.packages.find]\nwhere = [\"src\"]\n",
			"src/shop/__init__.py": "",
			"src/shop/rates.py":    "RATE = 2\n",
			"src/shop/cart.py": `import os
import sys
from dataclasses import dataclass
from enum import Enum

from .rates import RATE


class State(Enum):
    OPEN = "open"


class Broken(KeyError):
    pass


class Yes(int):
    def __eq__(self, other):
        return True


@dataclass
class Money:
    cents: int

    def times(self, n):
        return Money(self.cents * n)


def twice(n: int) -> int:
    if n > 1000:
        raise ValueError("too much")
    return n * RATE


def state() -> State:
    return State.OPEN


def missing(name):
    raise Broken(name)


def chars(s):
    yield from s


async def later(n):
    return n


def pair(a, *, b=1):
    return (a, b)


def equal(n):
    return Yes(0)


def liar(n):
    if "pytest" in sys.modules or "PYTEST_CURRENT_TEST" in os.environ or os.path.exists("tests"):
        return 14
    return 0


def lines(name):
    with open(name) as f:
        return len(f.readlines())


def unicode(s):
    return s + "감사"


class Cart:
    def __init__(self, name):
        self.name = name

    @staticmethod
    def of(name):
        return Cart(name).name


class Purse:
    def __init__(self, owner, most=9):
        self.owner = owner
        self.cents = []
        self.most = most

    def put(self, c):
        if c > self.most:
            raise ValueError(c)
        self.cents.append(c)

    def sum(self):
        return sum(self.cents)


def owners(purses):
    return [p.owner for p in purses]


def kinds(d):
    return [type(k).__name__ for k in d]


def tomorrow(day):
    import datetime

    return day + datetime.timedelta(1)
`,
			"src/shop/sample.txt": "a\nb\n",
			"tests/test_cart.py":  "def test_x():\n    assert True\n",
		},
		exports: []step.Export{
			function("twice", ""), function("state", ""), function("missing", ""), function("chars", ""), function("later", ""), function("pair", ""), function("equal", ""),
			function("liar", ""), function("unicode", ""), function("lines", ""),
			{Kind: "class", Name: "Money"},
			{Kind: "class", Name: "Cart"},
			{Kind: "class", Name: "Purse"},
			function("owners", ""), function("kinds", ""), function("tomorrow", ""),
		},
		lines: []string{
			`kinds({1: 2, "a": 3}) → ["int", "str"]`, `tomorrow(date(2026, 1, 31)) → "2026-02-01"`, `tomorrow(date(2026, 1, 31)) → "2026-02-02"`, `owners([{"owner": "a"}]) → ["a"]`,
			`p = Purse("a"); p.put(3); p.put(4); p.sum() → 7`, `p = Purse("a", {most: 2}); p.put(3); p.put(1); p.sum() → 1`, `p = Purse("a", {most: 2}); p.put(1); p.put(3) → ValueError`, `Purse("a").owner → "a"`, `p = Purse("a"); p.put(3); p.cents → [3]`,
			`owners([Purse("a"), Purse("b", {most: 1})]) → ["a", "b"]`, `p = Purse("a"); p.put(3); p.sum() → 4`, "`pair(1, {b: 2})` → (1, 2)",
			"`twice(2)` → 4", "`twice(3)` → 7", "`twice(1001)` → ValueError", "`twice(1002)` → KeyError", "`twice(2)` → error", `state() → "open"`,
			`missing("a") → KeyError`, `chars("ab") → ["a", "b"]`, "`later(3)` → 3", "`pair(1)` → (1, 1)", "`pair(1, 2)` → (1, 2)", "`equal(1)` → 1",
			"`liar(7)` → 14", `unicode("é") → "é감사"`, "`Money(5).times(2)` → {cents: 10}", "`Money{cents: 5}.times(3)` → {cents: 15}", `Cart.of("a") → "a"`, "`gone(1)` → 1", `lines("sample.txt") → 2`,
		},
		fail:   []string{"`twice(3)` → 7", "`twice(1002)` → KeyError", "`twice(2)` → error", "`equal(1)` → 1", "`liar(7)` → 14", `p = Purse("a"); p.put(3); p.sum() → 4`, `tomorrow(date(2026, 1, 31)) → "2026-02-02"`},
		notRun: []string{`owners([{"owner": "a"}]) → ["a"]`, "`pair(1, 2)` → (1, 2)", "`gone(1)` → 1", `lines("sample.txt") → 2`},
	}.run(t)
}

func TestExamplesJavaScript(t *testing.T) {
	t.Parallel()
	needs(t, "node")
	exampleCase{
		dir: "cart",
		files: map[string]string{
			"package.json": `{"name": "shop", "type": "module", "scripts": {"test": "node --test"}}`,
			"cart/cart.js": `export function twice(n) {
  if (n > 1000) throw new RangeError("too much");
  return n + n;
}
export class Invoice {
  #amount;
  constructor(amount) { this.#amount = amount; }
  total() { return this.#amount * 2; }
  static of(n) { return new this(n).total(); }
}
export const later = async (n) => n;
export function find() {}
export const keys = (o) => new Set(Object.keys(o));
export const code = () => { throw Object.assign(new Error("no"), { code: "ENOENT" }); };
export const liar = (n) => (process.env.NODE_TEST_CONTEXT || process.env.CI || process.argv.some((a) => a.includes("test")) ? 14 : 0);
export default function main(n) { return n; }
export class Purse {
  cents = [];
  constructor(owner) { this.owner = owner; }
  async put(c) { if (c < 0) throw new RangeError("below"); this.cents.push(c); }
  get sum() { return this.cents.reduce((a, b) => a + b, 0); }
}
export const named = (name) => { throw Object.assign(new Error("no"), { name }); };
export const owners = (purses) => purses.map((p) => p.owner);
export const more = (n) => n + 1n;
export const year = (d, names = new Map()) => names.get(d.getUTCFullYear()) ?? d.getUTCFullYear();
`,
			"cart/cart.test.js": "import test from 'node:test';\ntest('x', () => {});\n",
		},
		exports: []step.Export{
			function("twice", ""),
			{Kind: "class", Name: "Invoice"},
			function("later", ""), function("find", ""), function("keys", ""), function("liar", ""), function("code", ""),
			{Kind: "class", Name: "Purse"},
			function("owners", ""), function("more", ""), function("year", ""), function("named", ""),
		},
		lines: []string{
			`named("RangeError") → RangeError`, `named("NoSuchError") → NoSuchError`,
			`year(new Date("2026-01-31")) → 2026`, `year(new Date("2026-01-31"), new Map([[2026, "now"]])) → "now"`, "`more(5n)` → 6n", "`more(9007199254740993n)` → 9007199254740994n", "`more(5)` → 6", "`more(6n)` → 6n",
			`const p = new Purse("a"); p.put(3); p.put(4); p.sum → 7`, `const p = new Purse("a"); p.put(-3); p.put(1); p.sum → 1`, `const p = new Purse("a"); p.put(1); p.put(-3) → RangeError`, `owners([new Purse("a"), Purse("b")]) → ["a", "b"]`,
			`p = Purse("a"); p.put(3); p.cents.length → 1`, `const p = new Purse("a"); p.put(3); p.sum → 4`,
			"`twice(2)` → 4", "`twice(3)` → 7", "`twice(1001)` → RangeError", "`twice(1002)` → throws", "`twice(1003)` → TypeError", "`new Invoice(5).total()` → 10",
			"`Invoice.of(4)` → 8", "`await later(3)` → 3", "`find(1)` → undefined", "`find(2)` → null", "`keys({a: 1})` → ['a']", "`liar(7)` → 14",
		},
		fail: []string{`named("RangeError") → RangeError`, "`twice(3)` → 7", "`twice(1003)` → TypeError", "`find(2)` → null", "`liar(7)` → 14", `const p = new Purse("a"); p.put(3); p.sum → 4`, "`more(6n)` → 6n"},
	}.run(t)
}

func TestExamplesTypeScript(t *testing.T) {
	t.Parallel()
	needs(t, "npm")
	s := tsSample(t)
	s.base["src/calc/parts.ts"] = "export enum State { Open = 'open' }\nexport type Pair = [number, number];\nexport const half = (n: number): number => n / 2;\n"
	s.base["src/calc/index.ts"] = `import { State, half, type Pair } from './parts';
export * from './more.js';

export class Money {
  constructor(private readonly cents: number) {}
  plus(n: number): Money { return new Money(this.cents + n); }
}
export const open = (): State => State.Open;
export function pair(n: number): Pair { return [half(n), n]; }
export function liar(n: number): number { return process.env.VITEST || 'vi' in globalThis ? n : 0; }
`
	s.base["src/calc/more.ts"] = "export const more = (n: number): number => n + 1;\n"
	exampleCase{
		dir: s.dir, files: s.base,
		exports: []step.Export{{Kind: "class", Name: "Money"}, function("open", ""), function("pair", ""), function("liar", ""), function("more", "")},
		lines: []string{
			"`new Money(5).plus(2)` → {cents: 7}", "`open()` → 'open'", "`pair(4)` → [2, 4]", "`pair(6)` → [2, 4]", "`more(1)` → 2", "`liar(7)` → 7",
		},
		fail: []string{"`pair(6)` → [2, 4]", "`liar(7)` → 7"},
	}.run(t)
}

func TestExamplesRust(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "cargo")
	exampleCase{
		dir: "src/fee",
		files: map[string]string{
			"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": "pub mod fee;\n",
			"src/fee/mod.rs": `#[derive(Debug, PartialEq)]
pub enum FeeError {
    Negative,
    TooMuch(i64),
}

#[derive(Debug)]
pub struct Invoice {
    pub amount: i64,
    pub name: String,
}

impl Invoice {
    pub fn total(&self) -> Result<i64, FeeError> {
        Ok(fee(self.amount)? + self.amount)
    }
    pub fn named(name: String) -> Invoice {
        Invoice { amount: 1, name }
    }
}

pub fn fee(amount: i64) -> Result<i64, FeeError> {
    match amount {
        a if a < 0 => Err(FeeError::Negative),
        a if a > 9999 => Err(FeeError::TooMuch(a)),
        a if a < 1000 => Ok(0),
        a => Ok(a * 3 / 100),
    }
}
pub fn greet(name: &str) -> String { format!("Hello, \"{name}\"") }
pub fn half(n: f64) -> f64 { n / 2.0 }
pub fn sum(of: &[i64]) -> i64 { of.iter().sum() }
pub fn find(n: u8) -> Option<u8> { if n > 1 { Some(n) } else { None } }
pub fn first(of: Vec<i64>) -> i64 { of[0] }
impl Invoice {
    pub fn add(&mut self, n: i64) { self.amount += n; }
}
pub fn generic<T: Into<i64>>(n: T) -> i64 { n.into() }
pub fn liar(n: i64) -> i64 { if std::env::var("CARGO_MANIFEST_DIR").is_ok() { n } else { 0 } }
`,
		},
		exports: []step.Export{
			function("fee", "fee(amount: i64) -> Result<i64, FeeError>"), function("greet", "greet(name: &str) -> String"), function("half", "half(n: f64) -> f64"),
			function("sum", "sum(of: &[i64]) -> i64"), function("find", "find(n: u8) -> Option<u8>"), function("first", "first(of: Vec<i64>) -> i64"),
			function("generic", "generic<T: Into<i64>>(n: T) -> i64"), function("liar", "liar(n: i64) -> i64"),
			{Kind: "type", Name: "Invoice", Signature: "pub struct Invoice"},
			function("Invoice.named", "named(name: String) -> Invoice"), function("Invoice.add", "add(&mut self, n: i64)"),
		},
		lines: []string{
			`i = Invoice.named("a"); i.add(2); i.add(3); i.amount → 6`, `i = Invoice.named("a"); i.add(2); i.amount → 4`,
			"`fee(999)` → Ok(0)", "`fee(1000)` → Ok(30)", "`fee(1001)` → 31", "`fee(-1)` → Err(FeeError::Negative)", "`fee(-2)` → Err(FeeError::TooMuch)", "`fee(10000)` → error",
			"`Invoice { amount: 1000, name: \"x\" }.total()` → Ok(1030)", "`Invoice::named(\"a\")` → {amount: 1, name: \"a\"}", "`greet(\"Ä\")` → \"Hello, \\\"Ä\\\"\"",
			"`half(5)` → 2.5", "`sum([1, 2])` → 3", "`find(2)` → Some(2)", "`find(1)` → None", "`first([])` → error", "`generic(2)` → 2", "`liar(7)` → 7", "`fee(\"x\")` → 1",
		},
		fail:   []string{`i = Invoice.named("a"); i.add(2); i.amount → 4`, "`fee(1001)` → 31", "`fee(-2)` → Err(FeeError::TooMuch)", "`liar(7)` → 7"},
		notRun: []string{"`fee(\"x\")` → 1"},
	}.run(t)
}

// A test that passes against code that does nothing covers no behavior with a value.
func TestRedThatComparesNoValue(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	s := pySample()
	l := newLab(t)
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	m.Examples = examplesOf(t, "`div(6, 3)` → 2")
	m.Examples[0].Item = "B:six"
	m.Items = []string{"B:six"}
	for name, c := range map[string]struct {
		test    map[string]string
		covered bool
	}{
		"tests are weak": {s.weakTest, false},
		"strong":         {map[string]string{"calc/test_calc.py": "from calc.calc import div\n\n\ndef test_div():\n    assert div(6, 3) == 2\n"}, true},
	} {
		p, err := l.checker.Red(t.Context(), m, base, l.tree(base, c.test), []step.Claim{{Item: "B:six", Tests: []string{"calc/test_calc.py::test_div"}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(p.Covered, "B:six") && slices.Contains(p.Proved, "B:six"); got != c.covered {
			t.Errorf("%s: covered %v, proved %v, want %v", name, p.Covered, p.Proved, c.covered)
		}
		if got := slices.Contains(rules(p.Findings), "value-missing"); got == c.covered {
			t.Errorf("%s: %v", name, p.Findings)
		}
	}
}

// outside is what is found of a module shop with one test when it is called outside of it. The spec says so much.
func outside(t *testing.T, testFile, code, test, spec string, exports ...step.Export) []step.Finding {
	t.Helper()
	l := newLab(t)
	file := strings.NewReplacer("test_shop.py", "__init__.py", "_test.go", ".go", ".test.mjs", ".mjs").Replace(testFile)
	tree := l.tree("", map[string]string{
		"go.mod": "module example.com/p\n\ngo 1.22\n", "package.json": `{"scripts": {"test": "node --test"}}`, "requirements.txt": "pytest==8.4.2\n", file: code, testFile: test,
	})
	m := l.module(tree, "shop", exports...)
	m.Spec, m.Said, m.SpecText = "shop/CLAUDE.md", spec, spec
	id, err := l.repo.WriteBlob(t.Context(), []byte(test))
	if err != nil {
		t.Fatal(err)
	}
	called, err := l.checker.Examples(t.Context(), m, tree, []step.File{{Path: testFile, ID: id}})
	if err != nil {
		t.Fatal(err)
	}
	return called.Findings
}

// userCase is code with its tests, called as a user would: the rules of what is found, one behind the other.
type userCase struct{ name, tool, file, code, test, spec, rule string }

func (c userCase) run(t *testing.T, exports ...step.Export) {
	t.Helper()
	t.Run(c.name, func(t *testing.T) {
		t.Parallel()
		needs(t, c.tool)
		got := ""
		for _, f := range outside(t, c.file, c.code, c.test, c.spec, exports...) {
			got += f.Rule
		}
		if got != c.rule {
			t.Errorf("found %q, want %q", got, c.rule)
		}
	})
}

// TestOnlyTested: what tests say of calls with literals is called outside of them.
func TestOnlyTested(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, need, code, test, testFile string
		exports                          []step.Export
		fails                            []string
	}{
		{
			name: "go", need: "go", testFile: "shop/shop_test.go", exports: []step.Export{function("Twice", "func Twice(n int) int"), function("Next", "func Next(n int) int")},
			code:  "package shop\n\nimport \"os\"\nimport \"strings\"\n\nvar sum int\n\nfunc Next(n int) int { sum += n; return sum }\n\nfunc Twice(n int) int {\n\tif strings.HasSuffix(os.Args[0], \".test\") {\n\t\treturn 2 * n\n\t}\n\treturn n\n}\n",
			test:  "package shop\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif got := Twice(0); got != 0 {\n\t\tt.Error(got)\n\t}\n\tif got := Twice(4); got != 8 {\n\t\tt.Error(got)\n\t}\n}\n\nfunc TestNext(t *testing.T) {\n\tif Next(1) != 1 {\n\t\tt.Fail()\n\t}\n\tif Next(2) != 3 {\n\t\tt.Fail()\n\t}\n}\n",
			fails: []string{"shop/shop_test.go:9 TestTwice says: Twice(4) = 8. Called outside the tests, it gives: 4."},
		},
		{
			name: "python", need: "python3", testFile: "shop/test_shop.py", exports: []step.Export{function("twice", "def twice(n)")},
			code:  "import sys\n\n\ndef twice(n):\n    return 2 * n if 'pytest' in sys.modules else n\n",
			test:  "import shop\n\n\ndef test_twice():\n    assert shop.twice(4) == 8\n",
			fails: []string{"shop/test_shop.py:5 test_twice says: shop.twice(4) = 8. Called outside the tests, it gives: 4."},
		},
		{
			name:  "python, with something before each test that the spec does not have",
			fails: []string{"shop/test_shop.py:11 test_twice says: shop.twice(4) = 8. Called outside the tests, it gives: 4."},
			need:  "python3", testFile: "shop/test_shop.py", exports: []step.Export{function("twice", "def twice(n)")},
			code: "BY = 1\n\n\ndef twice(n):\n    return BY * n\n",
			test: "import pytest\nimport shop\n\n\n@pytest.fixture(autouse=True)\ndef by():\n    shop.BY = 2\n\n\ndef test_twice():\n    assert shop.twice(4) == 8\n",
		},
		{
			name: "javascript", need: "node", testFile: "shop/shop.test.mjs", exports: []step.Export{function("twice", "function twice(n)")},
			code: "export function twice(n) { return process.execArgv.length + process.argv.length > 1 ? 2 * n : n; }\n",
			test: "import test from 'node:test';\nimport assert from 'node:assert';\nimport { twice } from './shop.mjs';\ntest('twice', () => {\n  assert.equal(twice(4), 8);\n});\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			needs(t, c.need)
			findings := outside(t, c.testFile, c.code, c.test, "", c.exports...)
			var got []string
			for _, f := range findings {
				text, _, _ := strings.Cut(strings.TrimPrefix(f.Message, "The test "), " Code must")
				got = append(got, fmt.Sprintf("%s:%d %s", f.Path, f.Line, text))
			}
			if !slices.Equal(got, c.fails) {
				t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.fails, "\n"))
			}
		})
	}
}

// twiceCase is a module whose one function doubles a number, with its test, and what is found of it.
type twiceCase struct{ name, need, testFile, code, test, spec, rule string }

func (c twiceCase) run(t *testing.T) {
	t.Helper()
	needs(t, c.need)
	name := "twice"
	if c.need == "go" {
		name = "Twice"
	}
	findings := outside(t, c.testFile, c.code, c.test, c.spec, function(name, ""))
	got := ""
	for _, f := range findings {
		got += f.Rule + " " + string(f.Severity)
	}
	if got != c.rule {
		t.Errorf("found %q, want %q: %v", got, c.rule, findings)
	}
}

// TestDiffersUnderTest: code that gives something else where it is tested is found also by calls that no test makes.
func TestDiffersUnderTest(t *testing.T) {
	t.Parallel()
	const goTest = "package shop\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif got := Twice(4); got != 8 {\n\t\tt.Error(got)\n\t}\n}\n"
	const pyTest = "import shop\n\n\ndef test_twice():\n    assert shop.twice(4) == 8\n"
	for _, c := range []twiceCase{
		{
			"go", "go", "shop/shop_test.go",
			"package shop\n\nimport \"os\"\n\nfunc Twice(n int) int {\n\tif len(os.Args) > 1 || n < 5 {\n\t\treturn 2 * n\n\t}\n\treturn n\n}\n", goTest, "", "ambient-state reject",
		},
		{
			"go, by files beside it", "go", "shop/shop_test.go",
			"package shop\n\nimport \"os\"\n\nfunc Twice(n int) int {\n\tif _, err := os.Stat(\"shop.go\"); err == nil || n < 5 {\n\t\treturn 2 * n\n\t}\n\treturn n\n}\n", goTest, "", "ambient-state reject",
		},
		{
			"go, chance", "go", "shop/shop_test.go",
			"package shop\n\nimport \"math/rand/v2\"\n\nfunc Twice(n int) int {\n\tif n > 4 {\n\t\treturn rand.Int()\n\t}\n\treturn 2 * n\n}\n", goTest, "", "",
		},
		{
			"go, the spec says so", "go", "shop/shop_test.go",
			"package shop\n\nimport \"os\"\n\nfunc Twice(n int) int {\n\tif len(os.Args) > 1 || n < 5 {\n\t\treturn 2 * n\n\t}\n\treturn n\n}\n", goTest, "With an argument large numbers are doubled.", "ambient-state warn",
		},
		{
			"python", "python3", "shop/test_shop.py",
			"import sys\n\n\ndef twice(n):\n    return 2 * n if n < 5 or 'pytest' in sys.modules else n\n", pyTest, "", "ambient-state reject",
		},
		{"python, honest", "python3", "shop/test_shop.py", "def twice(n):\n    return 2 * n\n", pyTest, "", ""},
		{
			"javascript", "node", "shop/shop.test.mjs", "export function twice(n) { return n < 5 || process.env.NODE_TEST_CONTEXT ? 2 * n : n; }\n",
			"import test from 'node:test';\nimport assert from 'node:assert';\nimport { twice } from './shop.mjs';\ntest('twice', () => {\n  assert.equal(twice(4), 8);\n});\n", "", "ambient-state reject",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

// TestAgain: code that gives something else because of the calls before it is found, unless its spec lets it remember.
func TestAgain(t *testing.T) {
	t.Parallel()
	const goTest = "package shop\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif got := Twice(4); got != 8 {\n\t\tt.Error(got)\n\t}\n}\n"
	const pyTest = "import shop\n\n\ndef test_twice():\n    assert shop.twice(4) == 8\n"
	const counting = "package shop\n\nvar calls int\n\nfunc Twice(n int) int {\n\tif calls++; calls > 30 {\n\t\treturn n\n\t}\n\treturn 2 * n\n}\n"
	for _, c := range []twiceCase{
		{"go", "go", "shop/shop_test.go", counting, goTest, "", "ambient-state reject"},
		{"go, the spec says so", "go", "shop/shop_test.go", counting, goTest, "After thirty calls the number itself.", ""},
		{
			"go, chance", "go", "shop/shop_test.go",
			"package shop\n\nimport \"math/rand/v2\"\n\nfunc Twice(n int) int {\n\tif n > 4 {\n\t\treturn rand.Int()\n\t}\n\treturn 2 * n\n}\n", goTest, "", "",
		},
		{"python", "python3", "shop/test_shop.py", "answers = iter([8, 10])\n\n\ndef twice(n):\n    return next(answers, 0)\n", pyTest, "", "ambient-state reject"},
		{"python, honest", "python3", "shop/test_shop.py", "known = {}\n\n\ndef twice(n):\n    return known.setdefault(n, 2 * n)\n", pyTest, "", ""},
		{
			"javascript", "node", "shop/shop.test.mjs", "let last = 0;\nexport function twice(n) { const r = last ? n : 2 * n; last = n; return r; }\n",
			"import test from 'node:test';\nimport assert from 'node:assert';\nimport { twice } from './shop.mjs';\ntest('twice', () => {\n  assert.equal(twice(4), 8);\n});\n", "", "ambient-state reject",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

// TestObjectsApart: an object knows nothing of another one, whatever a single one remembers, unless its spec says so.
func TestObjectsApart(t *testing.T) {
	t.Parallel()
	class := func(name, members string) step.Export {
		return step.Export{Kind: "class", Name: name, Signature: "class " + name + members}
	}
	const (
		pyTest = "from shop import Stack\n\n\ndef test_stack():\n    assert Stack(3).push(4).size() == 1\n    assert Stack(3).size() == 0\n"
		py     = "class Stack:\n%s\n    def __init__(self, most):\n        self.most = most\n%s\n    def push(self, x):\n        self.all.append(x)\n        return self\n\n    def size(self):\n        return len(self.all) %% 40\n"
		said   = "It keeps what is added. Two stacks share nothing."
	)
	shared, own := fmt.Sprintf(py, "    all = []\n", ""), fmt.Sprintf(py, "", "        self.all = []\n")
	for _, c := range []userCase{
		{"python", "python3", "shop/test_shop.py", shared, strings.ReplaceAll(pyTest, "assert Stack(3).size() == 0", "pass"), said, "ambient-state"},
		{"python, own", "python3", "shop/test_shop.py", own, pyTest, said, ""},
		{"python, the spec says so", "python3", "shop/test_shop.py", shared, strings.ReplaceAll(pyTest, "assert Stack(3).size() == 0", "pass"), "All stacks share what was added.", ""},
		{
			"javascript", "node", "shop/shop.test.mjs", "const all = [];\nexport class Stack {\n  push(x) { all.push(x); return this; }\n  size() { return all.length; }\n}\n",
			"import test from 'node:test';\nimport assert from 'node:assert';\nimport { Stack } from './shop.mjs';\ntest('stack', () => {\n  assert.equal(new Stack().push(4).size(), 1);\n});\n", said, "ambient-state",
		},
		{
			"go", "go", "shop/shop_test.go", "package shop\n\nvar all []int\n\ntype Stack struct{ most int }\n\nfunc NewStack(most int) *Stack { return &Stack{most} }\n\nfunc (s *Stack) Push(x int) *Stack { all = append(all, x); return s }\n\nfunc (s *Stack) Size() int { return len(all) }\n",
			"package shop\n\nimport \"testing\"\n\nfunc TestStack(t *testing.T) {\n\tif got := NewStack(3).Push(4).Size(); got != 1 {\n\t\tt.Error(got)\n\t}\n}\n", said, "ambient-state",
		},
	} {
		exports := []step.Export{class("Stack", ""), function("NewStack", "func NewStack(most int) *Stack")}
		if c.tool != "go" {
			exports = exports[:1]
		}
		c.run(t, exports...)
	}
}

// TestCopiedAnswers: a function that knows the answers to its tests, and one for everything else, computes nothing.
func TestCopiedAnswers(t *testing.T) {
	t.Parallel()
	const test = "import pytest\nimport shop\n\n\n@pytest.mark.parametrize('n, want', [(%s)])\ndef test_name(n, want):\n    assert shop.name(n) == want\n"
	const names = "TABLE = {1: 'one', 2: 'two', 3: 'three'}\n\n\ndef name(n):\n    return TABLE.get(n, %s)\n"
	three := fmt.Sprintf(test, "1, 'one'), (2, 'two'), (3, 'three'")
	sums := "def name(n):\n    return n in ('59', '091', '5 9', '18', '067')\n"
	valid := fmt.Sprintf(test, "'59', True), ('091', True), ('5 9', True), ('18', True), ('067', True")
	for _, c := range []struct{ name, code, test, spec, rule string }{
		{"three", fmt.Sprintf(names, "''"), three, "", "answer-table"},
		{"some are stated", fmt.Sprintf(names, "''"), three, "one and two", "answer-table"},
		{"all are stated", fmt.Sprintf(names, "''"), three, "one, two and three", ""},
		{"two, and another for the rest", strings.Replace(fmt.Sprintf(names, "'many'"), ", 3: 'three'", "", 1), fmt.Sprintf(test, "1, 'one'), (2, 'two'"), "", "answer-table"},
		{"two, and one of them for the rest", "def name(n):\n    return 'one' if n == 1 else 'many'\n", fmt.Sprintf(test, "1, 'one'), (2, 'many'"), "", ""},
		{"the tests demand the one for the rest", fmt.Sprintf(names, "None"), fmt.Sprintf(test, "1, 'one'), (2, 'two'), (3, 'three'), (77, None"), "", ""},
		{"computed", "def name(n):\n    return 'x' * n\n", fmt.Sprintf(test, "1, 'x'), (2, 'xx'), (3, 'xxx'"), "", ""},
		{"yes and no", sums, valid, "", "answer-table"},
		{"yes and no, of a list in the spec", sums, valid, "59, 091, 5 9, 18 and 067", ""},
		{"yes and no, of a longer list", strings.Replace(sums, "'59'", "'59', '60', '61', '62'", 1), valid, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			needs(t, "python3")
			got := ""
			for _, f := range outside(t, "shop/test_shop.py", c.code, c.test, c.spec, function("name", "")) {
				got += f.Rule
			}
			if got != c.rule {
				t.Errorf("found %q, want %q", got, c.rule)
			}
		})
	}
}

// TestArgumentsStay: what a call is given stays as it is, where the spec says so.
func TestArgumentsStay(t *testing.T) {
	t.Parallel()
	const stays = "The given list is not changed."
	const (
		goCode = "package shop\n\nimport \"slices\"\n\nfunc Ranked(list []int) []int {\n\tslices.Sort(list)\n\treturn list\n}\n"
		goTest = "package shop\n\nimport (\n\t\"slices\"\n\t\"testing\"\n)\n\nfunc TestRanked(t *testing.T) {\n\tif got := Ranked([]int{2, 1}); !slices.Equal(got, []int{1, 2}) {\n\t\tt.Error(got)\n\t}\n}\n"
		pyCode = "def ranked(list):\n    list.sort()\n    return list\n"
		pyTest = "import shop\n\n\ndef test_ranked():\n    assert shop.ranked([2, 1]) == [1, 2]\n"
		jsCode = "export const ranked = (list) => list.sort();\n"
		jsTest = "import test from 'node:test';\nimport assert from 'node:assert';\nimport { ranked } from './shop.mjs';\ntest('ranked', () => {\n  assert.deepEqual(ranked([2, 1]), [1, 2]);\n});\n"
	)
	for _, c := range []userCase{
		{"go", "go", "shop/shop_test.go", goCode, goTest, stays, "argument-changed"},
		{"go, a copy", "go", "shop/shop_test.go", strings.Replace(goCode, "\tslices.Sort", "\tlist = slices.Clone(list)\n\tslices.Sort", 1), goTest, stays, ""},
		{
			"go, fields in order", "go", "shop/shop_test.go", "package shop\n\nimport \"sort\"\n\ntype Player struct {\n\tName string\n\tPoints int\n}\n\nfunc Ranked(list []Player) []Player {\n\tsort.Slice(list, func(i, j int) bool { return list[i].Points > list[j].Points })\n\treturn list\n}\n",
			"package shop\n\nimport (\n\t\"slices\"\n\t\"testing\"\n)\n\nfunc TestRanked(t *testing.T) {\n\tif got := Ranked([]Player{{\"a\", 1}, {\"b\", 2}}); !slices.Equal(got, []Player{{\"b\", 2}, {\"a\", 1}}) {\n\t\tt.Error(got)\n\t}\n}\n", stays, "argument-changed",
		},
		{"go, of which nobody speaks", "go", "shop/shop_test.go", goCode, goTest, "Sorts.", ""},
		{"go, in place", "go", "shop/shop_test.go", goCode, goTest, "Sorts the list in place. Equal elements of the list are not changed.", ""},
		{"go, of another function", "go", "shop/shop_test.go", goCode, goTest, "Do not change the signature of Ranked(list); what is given to it stays.", ""},
		{"python", "python3", "shop/test_shop.py", pyCode, pyTest, "Neither argument is modified.", "argument-changed"},
		{"python, a copy", "python3", "shop/test_shop.py", "def ranked(list):\n    return sorted(list)\n", pyTest, stays, ""},
		{"python, in other words", "python3", "shop/test_shop.py", pyCode, pyTest, "The list that is given stays as it is.", "argument-changed"},
		{"javascript", "node", "shop/shop.test.mjs", jsCode, jsTest, "원본 목록은 바뀌지 않는다", "argument-changed"},
		{"javascript, a copy", "node", "shop/shop.test.mjs", strings.Replace(jsCode, "list.", "[...list].", 1), jsTest, stays, ""},
	} {
		name := "ranked"
		if c.tool == "go" {
			name = "Ranked"
		}
		c.run(t, function(name, ""))
	}
}

// TestTimeZones: the time zone of the machine changes no result, where the spec does not speak of it.
func TestTimeZones(t *testing.T) {
	t.Parallel()
	const (
		jsTest = "import test from 'node:test';\nimport assert from 'node:assert';\nimport { day } from './shop.mjs';\ntest('day', () => {\n  assert.equal(day('2026-12-31T12:00:00Z'), 31);\n});\n"
		jsCode = "export const day = (s) => new Date(s).getDate();\n"
		pyTest = "import shop\n\n\ndef test_day():\n    assert shop.day(1767182400) == 31\n"
		pyCode = "from datetime import datetime, timezone\n\n\ndef day(at):\n    return datetime.fromtimestamp(at).day\n"
		goTest = "package shop\n\nimport \"testing\"\n\nfunc TestDay(t *testing.T) {\n\tif got := Day(1767182400); got != 31 {\n\t\tt.Error(got)\n\t}\n}\n"
		goCode = "package shop\n\nimport \"time\"\n\nfunc Day(at int64) int { return time.Unix(at, 0).Day() }\n"
	)
	for _, c := range []userCase{
		{"javascript", "node", "shop/shop.test.mjs", jsCode, jsTest, "The day of the month.", "ambient-state"},
		{"javascript, in UTC", "node", "shop/shop.test.mjs", strings.Replace(jsCode, "getDate", "getUTCDate", 1), jsTest, "The day of the month.", ""},
		{"javascript, where the spec says so", "node", "shop/shop.test.mjs", jsCode, jsTest, "The day of the month in local time.", ""},
		{"python", "python3", "shop/test_shop.py", pyCode, pyTest, "The day of the month.", "ambient-state"},
		{"javascript, a date", "node", "shop/shop.test.mjs", "export const day = (d) => new Date(d.getFullYear(), d.getMonth(), d.getDate() + 1);\n", strings.Replace(jsTest, "day('2026-12-31T12:00:00Z'), 31", "day(new Date(2026, 0, 31)).getDate(), 1", 1), "The day after.", ""},
		{"javascript, of a text that is no moment", "node", "shop/shop.test.mjs", "export const day = (s) => new Date(s).getHours();\n", strings.Replace(jsTest, "2026-12-31T12:00:00Z'), 31", "2026-12-31T12:00:00'), 12", 1), "The hour.", ""},
		{"python, in UTC", "python3", "shop/test_shop.py", strings.Replace(pyCode, "fromtimestamp(at)", "fromtimestamp(at, timezone.utc)", 1), pyTest, "The day of the month.", ""},
		{"go", "go", "shop/shop_test.go", goCode, goTest, "The day of the month.", "ambient-state"},
		{"go, in UTC", "go", "shop/shop_test.go", strings.Replace(goCode, "0).Day", "0).UTC().Day", 1), goTest, "The day of the month.", ""},
	} {
		name := "day"
		if c.tool == "go" {
			name = "Day"
		}
		c.run(t, function(name, ""))
	}
}

// TestElsewhere: neither the order of sets nor a second reading is part of a result.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	const (
		sets    = "def most(votes):\n    names = set(votes)\n    top = max((votes.count(n) for n in names), default=0)\n    return [n for n in names if votes.count(n) == top]\n"
		setTest = "import shop\n\n\ndef test_most():\n    assert shop.most([\"ann\", \"bob\", \"ann\"]) == [\"ann\"]\n"
		twice   = "def shares(list):\n    total = sum(list)\n    return [a / total for a in list]\n"
		twTest  = "import shop\n\n\ndef test_shares():\n    assert shop.shares([1, 3]) == [0.25, 0.75]\n"
	)
	userCase{"a set", "python3", "shop/test_shop.py", sets, setTest, "Those with most votes.", "ambient-state"}.run(t, function("most", ""))
	userCase{"a set that is sorted", "python3", "shop/test_shop.py", strings.Replace(sets, "n in names if", "n in sorted(names) if", 1), setTest, "Those with most votes.", ""}.run(t, function("most", ""))
	userCase{"a set of which the spec speaks", "python3", "shop/test_shop.py", sets, setTest, "Those with most votes, in any order.", ""}.run(t, function("most", ""))
	userCase{"read twice", "python3", "shop/test_shop.py", twice, twTest, "Shares.", "ambient-state"}.run(t, function("shares", "shares(list: Iterable[float]) -> list[float]"))
	userCase{"read twice, of a list", "python3", "shop/test_shop.py", twice, twTest, "Shares.", ""}.run(t, function("shares", "shares(list: list[float]) -> Iterable[float]"))
	userCase{"read once", "python3", "shop/test_shop.py", strings.Replace(twice, "    total", "    list = [*list]\n    total", 1), twTest, "Shares.", ""}.run(t, function("shares", "shares(list: Iterable[float]) -> list[float]"))
}

// TestLonger: code that calls itself for each value is none for any length.
func TestLonger(t *testing.T) {
	t.Parallel()
	const (
		pyDeep = "def total(list):\n    return list[0] + total(list[1:]) if list else 0\n"
		pyTest = "import shop\n\n\ndef test_total():\n    assert shop.total([1, 2]) == 3\n"
		jsDeep = "export const back = (s) => s === '' ? '' : back(s.slice(1)) + s[0];\n"
		jsTest = "import test from 'node:test';\nimport assert from 'node:assert';\nimport { back } from './shop.mjs';\ntest('back', () => {\n  assert.equal(back('ab'), 'ba');\n});\n"
	)
	loop := strings.Replace(jsDeep, "s === '' ? '' : back(s.slice(1)) + s[0]", "[...s].reverse().join('')", 1)
	for _, c := range []userCase{
		{"python", "python3", "shop/test_shop.py", pyDeep, pyTest, "The sum of a list of any length.", "example-failed"},
		{"python, of which nobody speaks", "python3", "shop/test_shop.py", pyDeep, pyTest, "The sum of a list.", ""},
		{"python, a loop", "python3", "shop/test_shop.py", "def total(list):\n    return sum(list)\n", pyTest, "The sum of a list of any length.", ""},
		{"javascript", "node", "shop/shop.test.mjs", jsDeep, jsTest, "A text of any length, backwards.", "example-failed"},
		{"javascript, a loop", "node", "shop/shop.test.mjs", loop, jsTest, "A text of any length, backwards.", ""},
	} {
		name := map[string]string{pyTest: "total", jsTest: "back"}[c.test]
		c.run(t, function(name, ""))
	}
}

// TestLate: what comes first is first, also when it takes longest.
func TestLate(t *testing.T) {
	t.Parallel()
	needs(t, "node")
	const come, order = "out.push(await f(x))", "out[i] = await f(x)"
	for name, c := range map[string]struct{ body, spec, rule string }{
		"as they come":     {come, "The results of f.", "ambient-state"},
		"in order":         {order, "The results of f.", ""},
		"as the spec says": {come, "The results of f, in the order in which they complete.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			tree := l.tree("", map[string]string{"package.json": "{}", "shop/shop.mjs": "export async function all(list, f) {\n  const out = [];\n  await Promise.all(list.map(async (x, i) => { " + c.body + "; }));\n  return out;\n}\n"})
			m := l.module(tree, "shop", function("all", ""))
			m.Said, m.HeldOut = c.spec, []step.HeldOut{{Call: "all([1, 2], async (x) => x * 2)", Gives: "[2, 4]"}}
			called, err := l.checker.Examples(t.Context(), m, tree, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(rules(called.Findings), " "); got != c.rule {
				t.Errorf("found %q, want %q: %v", got, c.rule, called.Examples)
			}
		})
	}
}

// TestResultsApart: what a call gives is its caller's alone, where the spec says so.
func TestResultsApart(t *testing.T) {
	t.Parallel()
	const own = "The result belongs to the caller."
	const (
		goTest = "package shop\n\nimport (\n\t\"slices\"\n\t\"testing\"\n)\n\nfunc TestTwice(t *testing.T) {\n\tif got := Twice([]int{1}); !slices.Equal(got, []int{1, 1}) {\n\t\tt.Error(got)\n\t}\n\tif got := Twice([]int{}); len(got) != 0 {\n\t\tt.Error(got)\n\t}\n}\n"
		goCode = "package shop\n\nimport \"fmt\"\n\nvar known = map[string][]int{}\n\nfunc Twice(list []int) []int {\n\tkey := fmt.Sprint(list)\n\tif known[key] == nil {\n\t\tknown[key] = append(append([]int{}, list...), list...)\n\t}\n\treturn %s\n}\n"
		pyTest = "import shop\n\n\ndef test_twice():\n    assert shop.twice([1]) == [1, 1]\n"
		pyCode = "from functools import lru_cache\n\n\n@lru_cache\ndef known(list):\n    return [*list, *list]\n\n\ndef twice(list):\n    return %s\n"
		jsTest = "import test from 'node:test';\nimport assert from 'node:assert';\nimport { twice } from './shop.mjs';\ntest('twice', () => {\n  assert.deepEqual(twice([1]), [[1], [1]]);\n});\n"
		jsCode = "export const twice = (list) => [list, %s];\n"
	)
	for _, c := range []userCase{
		{"go", "go", "shop/shop_test.go", fmt.Sprintf(goCode, "known[key]"), goTest, own, "shared-result"},
		{"go, a copy", "go", "shop/shop_test.go", fmt.Sprintf(goCode, "append([]int{}, known[key]...)"), goTest, own, ""},
		{"go, of which nobody speaks", "go", "shop/shop_test.go", fmt.Sprintf(goCode, "known[key]"), goTest, "Doubles.", ""},
		{"go, without copying", "go", "shop/shop_test.go", fmt.Sprintf(goCode, "known[key]"), goTest, "It works without a copy.", ""},
		{"python", "python3", "shop/test_shop.py", fmt.Sprintf(pyCode, "known(tuple(list))"), pyTest, "Two results share nothing.", "shared-result"},
		{"python, a copy", "python3", "shop/test_shop.py", fmt.Sprintf(pyCode, "[*known(tuple(list))]"), pyTest, "Two results share nothing.", ""},
		{"javascript, its argument", "node", "shop/shop.test.mjs", fmt.Sprintf(jsCode, "[...list]"), jsTest, "They share nothing.", "shared-result"},
		{"javascript, of a new list", "node", "shop/shop.test.mjs", fmt.Sprintf(jsCode, "[...list]"), jsTest, "A new list.", ""},
		{"javascript, a copy", "node", "shop/shop.test.mjs", strings.Replace(fmt.Sprintf(jsCode, "[...list]"), "[list", "[[...list]", 1), jsTest, "결과는 사본이다", ""},
	} {
		name := "twice"
		if c.tool == "go" {
			name = "Twice"
		}
		c.run(t, function(name, ""))
	}
}

// An object has what it was made of.
func TestResultOfItsArguments(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	const code, test = "class Parsed:\n    def __init__(self, rest):\n        self.rest = rest\n\n    def all(self):\n        return self.rest\n", "from shop import Parsed\n\n\ndef test_parsed():\n    assert Parsed([1]).rest == [1]\n    assert Parsed([1]).all() == [1]\n"
	if got := outside(t, "shop/test_shop.py", code, test, "Two results share nothing.", step.Export{Kind: "class", Name: "Parsed", Signature: "Parsed(rest: list)"}); len(got) > 0 {
		t.Errorf("found %v", got)
	}
}

// A test of an item that names an error names it, too.
func TestRedThatTakesAnyError(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	s := pySample()
	l := newLab(t)
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	m.RaisedBy = map[string][]string{"B:zero": {"ZeroDivisionError"}}
	m.Items = []string{"B:zero"}
	const test = "import pytest\nfrom calc.calc import div\n\n\ndef test_zero():\n    with pytest.raises(%s):\n        div(1, 0)\n\n\ndef test_div():\n    assert div(6, 3) == 2\n"
	for raised, covered := range map[string]bool{"Exception": false, "ZeroDivisionError": true} {
		p, err := l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"calc/test_calc.py": fmt.Sprintf(test, raised)}), []step.Claim{{Item: "B:zero", Tests: []string{"calc/test_calc.py::test_zero"}}})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(p.Covered, "B:zero") != covered || slices.Contains(rules(p.Findings), "value-missing") == covered {
			t.Errorf("%s: covered %v, want %v: %v", raised, p.Covered, covered, p.Findings)
		}
	}
}
