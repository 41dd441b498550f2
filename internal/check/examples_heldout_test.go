package check_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

func TestHeldOut(t *testing.T) {
	t.Parallel()
	needs(t, "go")
	const right = "package square\n\nimport \"errors\"\n\n// Root is the root of a square.\nfunc Root(n int) (int, error) {\n" +
		"\tfor i := 0; i*i <= n; i++ {\n\t\tif i*i == n {\n\t\t\treturn i, nil\n\t\t}\n\t}\n\treturn 0, errors.New(\"no square\")\n}\n\n" +
		"// Pair is a point.\ntype Pair struct{ X, Y int }\n\n// Twin is a point of two like numbers.\nfunc Twin(n int) Pair { return Pair{n, n} }\n\n// Half is the half of n.\nfunc Half(n int) int { return n / 2 }\n\n" +
		"// Sum adds up.\ntype Sum struct{ n int }\n\n// NewSum is an empty one.\nfunc NewSum() Sum { return Sum{} }\n\n// Add adds.\nfunc (s *Sum) Add(n int) { s.n += n }\n\n// Total is the sum.\nfunc (s *Sum) Total() int { return s.n }\n"
	wrong := strings.Replace(right, "return i, nil", "if i > 3 {\n\t\t\t\ti++\n\t\t\t}\n\t\t\treturn i, nil", 1)
	calls := func(lines ...string) (out []step.HeldOut) {
		for _, l := range lines {
			call, gives, _ := strings.Cut(l, " → ")
			out = append(out, step.HeldOut{Call: call, Gives: gives})
		}
		return out
	}
	for name, c := range map[string]struct {
		code  string
		calls []step.HeldOut
		want  string // states in order, then the severity of a finding
	}{
		"all hold":              {right, calls("Root(16) → 4", "Root(17) → error", "square.Root(0) → 0"), "holds holds holds"},
		"an object by value":    {right, calls("s = NewSum(); s.Add(2); s.Add(30); s.Total() → 32", "s = NewSum(); s.Total() → 0", "s = square.NewSum(); s.Add(2); s.Total() → 2"), "holds holds holds"},
		"for another system":    {right, calls("Root(16) → 4", "Windows(3) → 3"), "holds not-run"},
		"a wrong function":      {right, calls("Root(16) → 4", "Half(func(x int) int { return y }) → 1"), "holds not-run"},
		"an old module":         {right, calls("Root(16) → 4"), "holds"},
		"most fail":             {wrong, calls("Root(16) → 4", "Root(25) → 5", "Root(36) → 6", "Root(1) → 1"), "fails fails fails holds reject"},
		"one was computed ill":  {right, calls("Root(16) → 4", "Root(25) → 5", "Root(36) → 7", "Root(1) → 1"), "holds holds fails holds fix"},
		"two alone show little": {wrong, calls("Root(16) → 4", "Root(25) → 5"), "fails fails fix"},
		"its author is sure":    {wrong, []step.HeldOut{{Call: "Root(16)", Gives: "4", Sure: true}, {Call: "Root(0)", Gives: "0"}}, "fails holds reject"},
		"most of one function":  {wrong, calls("Root(16) → 4", "Root(25) → 5", "Root(36) → 6", "Half(8) → 4", "Half(2) → 1", "Half(6) → 3"), "fails fails fails holds holds holds reject"},
		"an error for a value":  {right, calls("Root(2) → 1"), "fails fix"},
		"known, unknown, twice": {right, calls("Root(9) → 4", "Root(4) → 9", "Other(1) → 1", "Root(n) → 1", "Root(16) → 4", "Root(16) → 5"), "not-run holds not-run not-run not-run"},
		"of another kind":       {right, calls("Twin(1) → \"1 1\"", "Root(1, 2, 3) → 1"), "not-run not-run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			version := "1.24"
			if name == "an old module" {
				version = "1.16" // which has neither any nor min
			}
			tree := l.tree("", map[string]string{
				"go.mod": "module example.com/p\n\ngo " + version + "\n", "square/square.go": c.code,
				"square/square_windows.go": "package square\n\n// Windows is for another system.\nfunc Windows(n int) int { return n }\n",
				"square/square_test.go":    "package square\n\nimport \"testing\"\n\nfunc TestRoot(t *testing.T) {\n\tif got, _ := Root(4); got != 2 {\n\t\tt.Error(got)\n\t}\n\tif _, err := Root(5); err == nil {\n\t\tt.Error(\"5 is no square\")\n\t}\n}\n",
			})
			m := l.module(tree, "square", function("Root", "Root(n int) (int, error)"), function("Twin", "Twin(n int) Pair"), function("Half", "Half(n int) int"),
				function("NewSum", "NewSum() Sum"), step.Export{Kind: "struct", Name: "Sum", Signature: "type Sum struct"})
			m.Examples = examplesOf(t, "Root(9) → 3")
			m.HeldOut = c.calls
			tests := frozenOf(t, l, tree, []step.File{{Path: "square/square_test.go"}})
			called, err := l.checker.Examples(t.Context(), m, tree, tests)
			got, findings := called.Examples, called.Findings
			if err != nil {
				t.Fatal(err)
			}
			var states []string
			for _, e := range got {
				if e.HeldOut {
					states = append(states, e.State)
				}
			}
			for _, f := range findings {
				states = append(states, string(f.Severity))
			}
			if have := strings.Join(states, " "); have != c.want {
				t.Errorf("%s, want %s: %v %v", have, c.want, got, findings)
			}
			if told := slices.DeleteFunc(got, func(e step.Example) bool { return e.HeldOut }); len(told) != 1 || told[0].State != step.ExampleHolds {
				t.Errorf("the spec's own example: %v", told)
			}
		})
	}
}

// TestHeldOutUnread: a call that nobody can make is told to its author; where all are such, the tests do not count.
func TestHeldOutUnread(t *testing.T) {
	t.Parallel()
	m := check.Module{Spec: "square/CLAUDE.md", Exports: []step.Export{function("Root", "Root(n int) (int, error)"), {Name: "Pair.Swap", Kind: "method"}}}
	for _, c := range []struct {
		calls, want string
	}{
		{"", ""},
		{"Root(16) → 4; square.Root(0) → 0; Pair(1, 2).Swap().X → 2", ""},
		{"Root(16) → 4; Rooot(1) → 1", "fix: 1 of 2 calls in held_out cannot be made: Rooot(1) → 1 (it does not call an export). Write calls of these exports with literals: Root, Pair.Swap."},
		{"Root(n) → 1; Root(2) → about 1", "reject: 2 of 2 calls in held_out cannot be made: Root(n) → 1 (the input is not a call with literals); " +
			"Root(2) → about 1 (the output is not a literal). Write calls of these exports with literals: Root, Pair.Swap."},
	} {
		m.HeldOut = nil
		for l := range strings.SplitSeq(c.calls, "; ") {
			if call, gives, ok := strings.Cut(l, " → "); ok {
				m.HeldOut = append(m.HeldOut, step.HeldOut{Call: call, Gives: gives})
			}
		}
		got := ""
		for _, f := range m.UnreadHeldOut() {
			got += string(f.Severity) + ": " + f.Message
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.calls, got, c.want)
		}
	}
}

// TestHeldOutOfDefaultExports: people call a default export by the name of its declaration.
func TestHeldOutOfDefaultExports(t *testing.T) {
	t.Parallel()
	const js, test = "function twice(n) { return n === 2 ? 4 : 3 * n; }\n", "import test from 'node:test';\nimport assert from 'node:assert';\nimport twice from './index.js';\ntest('twice', () => { assert.equal(twice(2), 4); });\n"
	for name, c := range map[string]struct{ manifest, code, test, call string }{
		"a function":            {`{"type": "module"}`, "export default " + js, test, "twice(21)"},
		"a function, later":     {`{"type": "module"}`, js + "export default twice;\n", test, "twice(21)"},
		"a class":               {`{"type": "module"}`, js + "export default class Twice { of(n) { return twice(n); } }\n", strings.ReplaceAll(test, "assert.equal(twice(2), 4)", "assert.equal(new twice().of(2), 4)"), "t = Twice(); t.of(21)"},
		"the exports of a file": {`{}`, js + "module.exports = twice;\n", strings.NewReplacer("import test from 'node:test'", "const test = require('node:test')", "import assert from 'node:assert'", "const assert = require('node:assert')", "import twice from './index.js'", "const twice = require('./index.js')").Replace(test), "twice(21)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			base := l.tree("", map[string]string{"package.json": c.manifest, "README.md": "# twice\n"})
			files := map[string]string{"index.js": c.code, "index.d.ts": "export default function twice(n: number): number;\n", "index.test.js": c.test}
			p, _, err := l.checker.Task(t.Context(), check.Task{
				Chains: []toolchain.Found{l.module(base, ".").Chain}, Owns: owns("index.js", "index.d.ts", "index.test.js"), Base: base,
				HeldOut: []step.HeldOut{{Call: c.call, Gives: "42", Sure: true}},
			}, base, l.tree(base, files))
			want(t, name, p, err, false, "held-out-failed")
		})
	}
}

// TestHeldOutOfOthers: held-out calls of a request are made with objects and constants of any module of the project, with chains, with
// objects of a sequence, and of code that has not changed.
func TestHeldOutOfOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool   string
		base   map[string]string
		change map[string]string
		right  string // in the change, and what stands there in wrong code
		wrong  string
		calls  []string
		fail   []string // where the code is wrong
	}{
		"go": {
			tool: "go",
			base: map[string]string{
				"go.mod":         "module example.com/p\n\ngo 1.24\n",
				"money/money.go": "package money\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n\n// ErrNegative is wrapped.\nvar ErrNegative = errors.New(\"negative\")\n\n// Kind says what it is for.\ntype Kind int\n\n// The kinds.\nconst (\n\tPlain Kind = iota\n\tDouble\n)\n\n// Money is an amount.\ntype Money struct{ Cents int }\n\n// New is an amount.\nfunc New(cents int) (Money, error) {\n\tif cents < 0 {\n\t\treturn Money{}, fmt.Errorf(\"%d: %w\", cents, ErrNegative)\n\t}\n\treturn Money{cents}, nil\n}\n\n// Plus adds.\nfunc (m Money) Plus(cents int) Money { return Money{m.Cents + cents} }\n\n// Set holds things.\ntype Set[T any] struct{ All []T }\n",
				"cart/cart.go":   "package cart\n\nimport \"errors\"\n\n// Cart holds prices.\ntype Cart struct{ prices []int }\n\n// ErrNegative is another one.\nvar ErrNegative = errors.New(\"no price\")\n\n// New is an empty cart.\nfunc New() *Cart { return &Cart{} }\n\n// Add adds a price.\nfunc (c *Cart) Add(price int) { c.prices = append(c.prices, price) }\n\n// Len counts.\nfunc (c *Cart) Len() int { return len(c.prices) }\n",
			},
			change: map[string]string{
				"cart/pay.go":      "package cart\n\nimport (\n\t\"strconv\"\n\t\"time\"\n\n\t\"example.com/p/money\"\n)\n\n// Old says whether it is later than at.\nfunc (c *Cart) Old(now func() time.Time, at time.Time) bool { return now().After(at) }\n\n// Later is how many seconds pass between two looks at a clock.\nfunc (c *Cart) Later(now func() time.Time) int {\n\tfirst := now()\n\treturn int(now().Sub(first).Seconds())\n}\n\n// Sum adds up.\nfunc (c *Cart) Sum() int {\n\tn := 0\n\tfor _, p := range c.prices {\n\t\tn += p\n\t}\n\treturn n\n}\n\n// First is the first price, if there is one.\nfunc (c *Cart) First() (int, bool) {\n\tif len(c.prices) == 0 {\n\t\treturn 0, false\n\t}\n\treturn c.prices[0], true\n}\n\n// Adder adds one price after the other.\nfunc (c *Cart) Adder() func(int) int {\n\treturn func(price int) int {\n\t\tc.Add(price)\n\t\treturn c.Sum()\n\t}\n}\n\n// Take takes what another cart has.\nfunc (c *Cart) Take(other *Cart) { c.prices = append(c.prices, other.prices...) }\n\n// All are the prices.\nfunc (c *Cart) All() []int { return c.prices }\n\n// Count counts equal prices.\nfunc (c *Cart) Count() map[string]int {\n\tout := map[string]int{}\n\tfor _, p := range c.prices {\n\t\tout[strconv.Itoa(p)]++\n\t}\n\treturn out\n}\n\n// Those counts the prices that ok takes.\nfunc (c *Cart) Those(ok func(int, money.Kind) bool) int {\n\tn := 0\n\tfor _, p := range c.prices {\n\t\tif ok(p, money.Double) {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n\n}\n\n// Left is what is left of m.\nfunc (c *Cart) Left(m money.Money, kind money.Kind) int {\n\tif kind == money.Double {\n\t\treturn 2 * (m.Cents - c.Sum())\n\t}\n\treturn m.Cents - c.Sum()\n}\n",
				"cart/pay_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tc := New()\n\tc.Add(1)\n\tif c.Sum() != 1 {\n\t\tt.Error()\n\t}\n\td := New()\n\td.Take(c)\n\tif d.Sum() != 1 {\n\t\tt.Error()\n\t}\n}\n\nfunc TestLeft(t *testing.T) {\n\tif m := New().Left(struct{ Cents int }{4}, 0); m != 4 {\n\t\tt.Error(m)\n\t}\n\tif m := New().Left(struct{ Cents int }{4}, 1); m != 8 {\n\t\tt.Error(m)\n\t}\n}\n",
			},
			right: "n += p\n", wrong: "n += min(p, 9)\n",
			calls: []string{
				"c = New(); c.Add(20); c.Sum() → 20", "c = cart.New(); c.Add(20); c.Left(money.New(30), money.Plain) → 10", "c = cart.New(); c.Add(20); c.Left(Money{Cents: 30}.Plus(5), Double) → 30",
				"a = New(); a.Add(20); b = New(); b.Take(a); b.Take(a); a.Take(b); a.Sum() → 60", "m = Money{Cents: 1}; m.Plus(2); m.Cents → 1", "c = New(); c.Add(4); c.All()[0] → 4", "c = New(); c.Add(4); c.First()[1] → true", "c = New(); c.Add(4); c.First()[0] → 4", "c = New(); c.Add(4); c.Count()[\"4\"] → 1", "money.New(-1) → ErrNegative", "money.New(-2) → ErrOther", "New().Len() → 0", "c = New(); c.Add(3); c.Those(func(p int, k money.Kind) bool { return p > 2 && k == money.Double }) → 1", "money.New(-3) → error", "Nothing(1) → 2", "New().Left(Set{All: [1]}, 0) → 4",
				"New().Old(func() time.Time { return time.Unix(9, 0).Add(time.Second) }, time.Unix(5, 0)) → true",
				"New().Later(func() func() time.Time { n := int64(0); return func() time.Time { n += 60; return time.Unix(n, 0) } }()) → 60",
				"New().Adder()(20) → 20", "New().Len()(1) → 0",
			},
			fail: []string{"fails", "fails", "fails", "fails", "holds", "holds", "holds", "holds", "holds", "holds", "wrong", "holds", "holds", "holds", "not-run", "not-run", "holds", "holds", "fails", "not-run"},
		},
		"python": {
			tool: "python3",
			base: map[string]string{
				"pyproject.toml": "[project]\nname = \"shop\"\nversion = \"1\"\n", "shop/__init__.py": "",
				"shop/money.py": "import enum\n\n\nclass Kind(enum.Enum):\n    PLAIN = 1\n    DOUBLE = 2\n\n\nclass Money:\n    def __init__(self, cents):\n        self.cents = cents\n\n    def plus(self, cents):\n        return Money(self.cents + cents)\n\n\ndef parse(text):\n    return Money(int(text))\n",
			},
			change: map[string]string{
				"shop/cart.py":       "class Cart:\n    def __init__(self):\n        self.prices = []\n\n    def add(self, price):\n        self.prices.append(price)\n\n    def take(self, other):\n        self.prices.extend(other.prices)\n\n    def total(self):\n        return sum(self.prices)\n\n    def adder(self):\n        return lambda price: self.add(price) or self.total()\n\n\nRULES = {\"total\": lambda cart: cart.total()}\n\n\ndef those(prices, ok):\n    return [p for p in prices if ok(p, 2)]\n\n\ndef left(cart, money, kind):\n    return (money.cents - cart.total()) * kind.value\n",
				"tests/test_cart.py": "import unittest\n\nfrom shop.cart import Cart, left\nfrom shop.money import Kind, Money\n\n\nclass CartTest(unittest.TestCase):\n    def test_left(self):\n        cart, other = Cart(), Cart()\n        other.add(1)\n        cart.take(other)\n        self.assertEqual(cart.total(), 1)\n        self.assertEqual(left(cart, Money(4), Kind.PLAIN), 3)\n        self.assertEqual(left(cart, Money(4), Kind.DOUBLE), 6)\n",
			},
			right: "return sum(self.prices)", wrong: "return sum(min(p, 9) for p in self.prices)",
			calls: []string{
				"c = Cart(); c.add(20); left(c, Money(30), Kind.PLAIN) → 10", "c = Cart(); c.add(20); m = parse(\"30\"); left(c, m.plus(5), Kind.DOUBLE) → 30",
				"a = Cart(); a.add(20); b = Cart(); b.take(a); b.take(a); a.take(b); a.total() → 60", "parse(\"3\").cents → 3", "Kind.DOUBLE.value → 2", "those([1, 3], lambda p, q: p > q)[-1] → 3", "those([1], (p) => p) → [1]", "nothing(1) → 2", "c = Cart(); c.add(2); those([1, 3], lambda p, q: p > c.total()) → [3]",
				"seen = list(); those([1, 3], lambda p, q: seen.append(p)); seen[1] → 3", "seen = list(); those([1, 3], lambda p, q: seen.append(p)); len(seen) → 2", "seen = dict(); seen.update({\"a\": 1}); c = Cart(); c.add(20); c.take(c); seen.update({\"b\": c.total()}); seen → {\"a\": 1, \"b\": 40}",
				"Cart().adder()(20) → 20", "Cart().total()(1) → 0", "c = Cart(); c.add(20); RULES[\"total\"](c) → 20",
			},
			fail: []string{"fails", "fails", "fails", "holds", "holds", "holds", "not-run", "not-run", "holds", "holds", "holds", "fails", "fails", "wrong", "fails"},
		},
		"node": {
			tool: "node",
			base: map[string]string{
				"package.json": `{"type": "module"}`,
				"money.js":     "export const Kind = { PLAIN: 1, DOUBLE: 2 };\nexport class Money { constructor(cents) { this.cents = cents; } plus(cents) { return new Money(this.cents + cents); } }\nexport async function parse(text) { return new Money(Number(text)); }\n",
			},
			change: map[string]string{
				"cart.js":      "export class Cart {\n  prices = [];\n  add(price) { this.prices.push(price); }\n  take(other) { this.prices.push(...other.prices); }\n  total() { return this.prices.reduce((a, b) => a + b, 0); }\n  adder() { return (price) => { this.add(price); return this.total(); }; }\n}\nexport const rules = { least: 0, sum(cart) { return this.least + cart.total(); } };\nexport function those(prices, ok) { return prices.filter((p) => ok(p, 2)); }\nexport function left(cart, money, kind) { return (money.cents - cart.total()) * kind; }\n",
				"cart.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { Cart, left, rules } from './cart.js';\nimport { Money } from './money.js';\ntest('left', () => {\n  const cart = new Cart(), other = new Cart();\n  other.add(1);\n  cart.take(other);\n  assert.equal(rules.sum(cart), 1);\n  assert.equal(left(cart, new Money(4), 1), 3);\n  assert.equal(left(cart, new Money(4), 2), 6);\n});\n",
			},
			right: "a + b", wrong: "a + Math.min(b, 9)",
			calls: []string{
				"c = Cart(); c.add(20); left(c, Money(30), Kind.PLAIN) → 10", "c = new Cart(); c.add(20); m = parse(\"30\"); left(c, m.plus(5), Kind.DOUBLE) → 30",
				"a = Cart(); a.add(20); b = Cart(); b.take(a); b.take(a); a.take(b); a.total() → 60", "parse(\"3\").cents → 3", "those([1, 3], (p, q) => p > q)[0] → 3", "c = new Cart(); c.add(2); those([1, 3], (p) => p > c.total()) → [3]", "those([1], lambda p: p) → [1]", "nothing(1) → 2",
				"seen = Map([]); those([1, 3], (p) => seen.set(\"a\", p)); seen.get(\"a\") → 3", "seen = new Array(); c = Cart(); c.add(20); those([1, 3], (p) => seen.push(p, c.total())); seen → [1, 20, 3, 20]",
				"Cart().adder()(20) → 20", "Cart().total()(1) → 0", "c = Cart(); c.add(20); rules[\"sum\"](c) → 20",
			},
			fail: []string{"fails", "fails", "fails", "holds", "holds", "holds", "not-run", "not-run", "holds", "fails", "fails", "wrong", "fails"},
		},
		"rust": {
			tool: "cargo",
			base: map[string]string{
				"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": "mod cart;\nmod money;\n\npub use crate::cart::*;\npub use money::{name, Kind, Money};\n",
				"Cargo.lock":   "version = 3\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n",
				"src/money.rs": "#[derive(Debug, PartialEq)]\npub enum Kind {\n    Plain,\n    Double,\n    Named(String),\n}\n\npub fn name(kind: Kind) -> Result<String, String> {\n    match kind {\n        Kind::Named(name) => Ok(name),\n        _ => Err(\"none\".to_string()),\n    }\n}\n\n#[derive(Debug)]\npub struct Money {\n    pub cents: i64,\n}\n\nimpl Money {\n    pub fn new(cents: i64) -> Result<Money, String> {\n        if cents < 0 {\n            return Err(\"negative\".to_string());\n        }\n        Ok(Money { cents })\n    }\n\n    pub fn plus(&self, cents: i64) -> Money {\n        Money { cents: self.cents + cents }\n    }\n}\n",
				"src/cart.rs":  "#[derive(Debug, Default)]\npub struct Cart {\n    prices: Vec<i64>,\n}\n\nimpl Cart {\n    pub fn new() -> Cart {\n        Cart { prices: Vec::new() }\n    }\n\n    pub fn add(&mut self, price: i64) {\n        self.prices.push(price);\n    }\n}\n",
			},
			change: map[string]string{
				"src/cart.rs": "use crate::money::{Kind, Money};\n\n#[derive(Debug, Default)]\npub struct Cart {\n    prices: Vec<i64>,\n}\n\nimpl Cart {\n    pub fn new() -> Cart {\n        Cart { prices: Vec::new() }\n    }\n\n    pub fn add(&mut self, price: i64) {\n        self.prices.push(price);\n    }\n\n    pub fn take(&mut self, other: &Cart) {\n        self.prices.extend(&other.prices);\n    }\n\n    pub fn total(&self) -> i64 {\n        self.prices.iter().sum()\n    }\n}\n\npub fn adder(from: i64) -> impl Fn(i64) -> i64 {\n    move |price| from + price\n}\n\npub fn those(prices: &[i64], ok: impl Fn(i64, i64) -> bool) -> Vec<i64> {\n    prices.iter().copied().filter(|p| ok(*p, 2)).collect()\n}\n\npub fn left(cart: &Cart, money: Money, kind: Kind) -> Option<i64> {\n    let left = money.cents - cart.total();\n    Some(if kind == Kind::Double { 2 * left } else { left })\n}\n\n" +
					"#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn lefts() {\n        let (mut cart, mut other) = (Cart::new(), Cart::new());\n        other.add(1);\n        cart.take(&other);\n        assert_eq!(cart.total(), 1);\n        assert_eq!(left(&cart, Money { cents: 4 }, Kind::Plain), Some(3));\n        assert_eq!(left(&cart, Money { cents: 4 }, Kind::Double), Some(6));\n    }\n}\n",
			},
			right: "self.prices.iter().sum()", wrong: "if cfg!(debug_assertions) { self.prices.iter().sum() } else { 9 }", // in what is released
			calls: []string{
				"c = Cart::new(); c.add(20); left(c, Money{cents: 30}, Kind::Plain) → 10", "c = Cart::new(); c.add(20); left(c, Money::new(30).plus(5), Kind::Double) → 30",
				"a = Cart::new(); a.add(20); b = Cart::new(); b.take(a); b.take(a); a.take(b); a.total() → 60", "Money::new(3).cents → 3", "Money::new(-3) → error", "those([1, 3], |p, q| p > q)[0] → 3", "m = Money::new(3); n = name(Kind::Named(\"a\")); n.len() → 1", "nothing(1) → 2", "adder(4)(20) → 24",
			},
			fail: []string{"fails", "fails", "fails", "holds", "holds", "holds", "holds", "not-run", "holds"},
		},
		"java": {
			tool: "mvn",
			base: map[string]string{
				"pom.xml": mavenPom("", ""),
				"src/main/java/org/example/money/Money.java": "package org.example.money;\n\npublic record Money(long cents) {\n    public Money {\n        if (cents < 0) {\n            throw new IllegalArgumentException(\"negative\");\n        }\n    }\n\n    public static Money parse(String text) {\n        return new Money(Long.parseLong(text));\n    }\n\n    public Money plus(long more) {\n        return new Money(cents + more);\n    }\n}\n",
				"src/main/java/org/example/money/Kind.java":  "package org.example.money;\n\npublic enum Kind {\n    PLAIN, DOUBLE\n}\n",
				"src/main/java/org/example/cart/Cart.java":   "package org.example.cart;\n\nimport java.util.ArrayList;\nimport java.util.List;\n\npublic class Cart {\n    private final List<Long> prices = new ArrayList<>();\n\n    public void add(long price) {\n        prices.add(price);\n    }\n\n    public int size() {\n        return prices.size();\n    }\n}\n",
			},
			change: map[string]string{
				"src/main/java/org/example/cart/Cart.java":     "package org.example.cart;\n\nimport java.util.ArrayList;\nimport java.util.List;\nimport java.util.Optional;\nimport org.example.money.Kind;\nimport org.example.money.Money;\n\npublic class Cart {\n    private final List<Long> prices = new ArrayList<>();\n\n    public void add(long price) {\n        prices.add(price);\n    }\n\n    public int size() {\n        return prices.size();\n    }\n\n    public void take(Cart other) {\n        prices.addAll(other.prices);\n    }\n\n    public long total() {\n        return prices.stream().mapToLong(p -> p).sum();\n    }\n\n    public static Optional<Long> left(Cart cart, Money money, Kind kind) {\n        long left = money.cents() - cart.total();\n        return Optional.of(kind == Kind.DOUBLE ? 2 * left : left);\n    }\n}\n",
				"src/test/java/org/example/cart/CartTest.java": "package org.example.cart;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport java.util.Optional;\nimport org.example.money.Kind;\nimport org.example.money.Money;\nimport org.junit.jupiter.api.Test;\n\nclass CartTest {\n    @Test\n    void left() {\n        Cart cart = new Cart();\n        Cart other = new Cart();\n        other.add(1);\n        cart.take(other);\n        assertEquals(1, cart.total());\n        assertEquals(Optional.of(3L), Cart.left(cart, new Money(4), Kind.PLAIN));\n        assertEquals(Optional.of(6L), Cart.left(cart, new Money(4), Kind.DOUBLE));\n    }\n}\n",
			},
			right: "mapToLong(p -> p)", wrong: "mapToLong(p -> Math.min(p, 9))",
			calls: []string{
				"c = new Cart(); c.add(20); Cart.left(c, new Money(30), Kind.PLAIN) → 10", "c = Cart(); c.add(20); m = Money.parse(\"30\"); Cart.left(c, m.plus(5), Kind.DOUBLE) → 30",
				"a = Cart(); a.add(20); b = Cart(); b.take(a); b.take(a); a.take(b); a.total() → 60", "Money.parse(\"3\").cents → 3", "Money(-3) → IllegalArgumentException", "Nothing.of(1) → 2",
			},
			fail: []string{"fails", "fails", "fails", "holds", "holds", "not-run"},
		},
		"kotlin": {
			tool: "mvn",
			base: map[string]string{
				"pom.xml": kotlinPom(),
				"src/main/kotlin/org/example/money/Money.kt": "package org.example.money\n\nenum class Kind { PLAIN, DOUBLE }\n\ndata class Money(val cents: Long) {\n    fun plus(more: Long) = Money(cents + more)\n\n    companion object {\n        fun parse(text: String) = Money(text.toLong())\n    }\n}\n",
			},
			change: map[string]string{
				"src/main/kotlin/org/example/cart/Cart.kt":     "package org.example.cart\n\nimport org.example.money.Kind\nimport org.example.money.Money\n\nclass Cart {\n    private val prices = mutableListOf<Long>()\n\n    fun add(price: Long) {\n        prices += price\n    }\n\n    fun take(other: Cart) {\n        prices += other.prices\n    }\n\n    fun total(): Long = prices.sumOf { it }\n}\n\nfun left(cart: Cart, money: Money, kind: Kind): Long? {\n    val left = money.cents - cart.total()\n    return if (kind == Kind.DOUBLE) 2 * left else left\n}\n",
				"src/test/kotlin/org/example/cart/CartTest.kt": "package org.example.cart\n\nimport kotlin.test.Test\nimport kotlin.test.assertEquals\nimport org.example.money.Kind\nimport org.example.money.Money\n\nclass CartTest {\n    @Test\n    fun left() {\n        val cart = Cart()\n        val other = Cart()\n        other.add(1)\n        cart.take(other)\n        assertEquals(1, cart.total())\n        assertEquals(3L, left(cart, Money(4), Kind.PLAIN))\n        assertEquals(6L, left(cart, Money(4), Kind.DOUBLE))\n    }\n}\n",
			},
			right: "sumOf { it }", wrong: "sumOf { minOf(it, 9L) }",
			calls: []string{
				"c = Cart(); c.add(20); left(c, Money(30), Kind.PLAIN) → 10", "c = Cart(); c.add(20); m = Money.parse(\"30\"); left(c, m.plus(5), Kind.DOUBLE) → 30",
				"a = Cart(); a.add(20); b = Cart(); b.take(a); b.take(a); a.take(b); a.total() → 60", "Money.parse(\"3\").cents → 3", "nothing(1) → 2",
			},
			fail: []string{"fails", "fails", "fails", "holds", "not-run"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if needs(t, c.tool); c.tool == "mvn" { // its starts take seconds
				conformance.Only(t)
			}
			l := newLab(t)
			base := l.tree("", c.base)
			task := check.Task{Chains: []toolchain.Found{l.module(base, ".").Chain}, Base: base, Owns: func(string) bool { return true }}
			for _, call := range c.calls {
				made, gives, _ := strings.Cut(call, " → ")
				task.HeldOut = append(task.HeldOut, step.HeldOut{Call: made, Gives: gives})
			}
			for _, right := range []bool{true, false} {
				files := maps.Clone(c.change)
				wanted := strings.Join(c.fail, " ")
				if right {
					wanted = strings.ReplaceAll(wanted, "fails", "holds")
				}
				wanted = strings.ReplaceAll(wanted, "wrong", "fails") // its author was wrong
				for f, text := range files {
					if !right {
						files[f] = strings.Replace(text, c.right, c.wrong, 1)
					}
				}
				p, _, err := l.checker.Task(t.Context(), task, base, l.tree(base, files))
				if err != nil {
					t.Fatal(err)
				}
				var states []string
				for _, h := range task.HeldOut {
					i := slices.IndexFunc(p.Examples, func(e step.Example) bool { return e.HeldOut && e.Text == h.String() })
					if i < 0 {
						t.Fatalf("nothing is said of %s: %v %v", h, p.Examples, p.Findings)
					}
					states = append(states, p.Examples[i].State)
				}
				if got := strings.Join(states, " "); got != wanted {
					t.Errorf("right %v: %s, want %s: %+v %v", right, got, wanted, p.Examples, p.Findings)
				}
			}
		})
	}
}

// TestHeldOutOfData: where only data has changed, the code that reads it is called.
func TestHeldOutOfData(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	l := newLab(t)
	base := l.tree("", map[string]string{
		"pyproject.toml": "[project]\nname = \"shop\"\nversion = \"1\"\n", "shop/__init__.py": "", "shop/data/2024.csv": "1,400\n2,800\n",
		"shop/tariff.py":       "import csv\nfrom pathlib import Path\n\n\ndef price(year, kilos):\n    with open(Path(__file__).parent / 'data' / f'{year}.csv', encoding='utf-8') as f:\n        return {int(k): int(v) for k, v in csv.reader(f)}[kilos]\n",
		"tests/test_tariff.py": "import unittest\n\nfrom shop.tariff import price\n\n\nclass TariffTest(unittest.TestCase):\n    def test_2024(self):\n        self.assertEqual(price(2024, 1), 400)\n",
	})
	task := check.Task{
		Chains: []toolchain.Found{l.module(base, ".").Chain}, Base: base, Owns: func(string) bool { return true },
		HeldOut: []step.HeldOut{{Call: "price(2025, 2)", Gives: "840", Sure: true}, {Call: "price(2024, 2)", Gives: "800"}},
	}
	for data, want := range map[string]string{"1,420\n2,840\n": "holds holds", "1,420\n2,835\n": "fails holds"} {
		tree := l.tree(base, map[string]string{
			"shop/data/2025.csv": data,
			"tests/test_2025.py": "import unittest\n\nfrom shop.tariff import price\n\n\nclass NewTest(unittest.TestCase):\n    def test_2025(self):\n        self.assertEqual(price(2025, 1), 420)\n",
		})
		p, _, err := l.checker.Task(t.Context(), task, base, tree)
		if err != nil {
			t.Fatal(err)
		}
		var states []string
		for _, e := range p.Examples {
			if e.HeldOut {
				states = append(states, e.State)
			}
		}
		failed := slices.ContainsFunc(p.Findings, func(f step.Finding) bool { return f.Rule == "held-out-failed" && f.Severity == step.Rejects })
		if got := strings.Join(states, " "); got != want || failed != strings.Contains(want, "fails") {
			t.Errorf("%q: %s, want %s: %v", data, got, want, p.Findings)
		}
	}
}

// TestHeldOutEarlier: what a sequence asks at its end is asked earlier, too. Code that answers by what it has kept is given away by a call
// that nobody has written; a question that changes something accuses nobody.
func TestHeldOutEarlier(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	const right = "class Cart:\n    def __init__(self):\n        self.prices = []\n\n    def add(self, price):\n        self.prices.append(price)\n\n    def total(self):\n        return sum(self.prices)\n\n    def take(self):\n        return self.prices.pop()\n"
	stale := strings.Replace(right, "        return sum(self.prices)\n", "        if not hasattr(self, 'sum'):\n            self.sum = sum(self.prices)\n        return self.sum\n", 1)
	for name, c := range map[string]struct{ code, want string }{
		"right": {right, ""},
		"stale": {stale, `c = Cart(); c.total(); c.add(2); c.total(); c.add(3); c.total() → 5`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			base := l.tree("", map[string]string{"pyproject.toml": "[project]\nname = \"shop\"\nversion = \"1\"\n", "shop/__init__.py": ""})
			p, _, err := l.checker.Task(t.Context(), check.Task{
				Chains: []toolchain.Found{l.module(base, ".").Chain}, Base: base, Owns: func(string) bool { return true },
				HeldOut: []step.HeldOut{{Call: "c = Cart(); c.add(2); c.add(3); c.total()", Gives: "5"}, {Call: "c = Cart(); c.add(2); c.add(3); c.take()", Gives: "3"}},
			}, base, l.tree(base, map[string]string{
				"shop/cart.py": c.code, "tests/__init__.py": "",
				"tests/test_cart.py": "import unittest\n\nfrom shop.cart import Cart\n\n\nclass CartTest(unittest.TestCase):\n    def test_total(self):\n        cart = Cart()\n        cart.add(1)\n        self.assertEqual(cart.total(), 1)\n        self.assertEqual(cart.take(), 1)\n",
			}))
			if err != nil || !p.Passed {
				t.Fatalf("%v %v", err, p.Findings)
			}
			var got []string
			for _, h := range step.Doubtful(nil, p.Examples) {
				got = append(got, h.String())
			}
			if have := strings.Join(got, "; "); have != c.want {
				t.Errorf("%q, want %q: %+v", have, c.want, p.Examples)
			}
		})
	}
}
