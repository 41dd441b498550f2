package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

func rustSample() sample {
	const impl = "//! Divides.\n\n/// Why a division is not possible.\n#[derive(Debug, Clone, PartialEq)]\npub enum DivError {\n    Zero,\n}\n\n/// Divides whole numbers.\npub fn div(a: i64, b: i64) -> Result<i64, DivError> {\n    if b == 0 {\n        return Err(DivError::Zero);\n    }\n    if a < 0 && b < 0 {\n        return div(-a, -b);\n    }\n    Ok(a / b)\n}\n"
	const test = "use sample::calc::{div, DivError};\n\n#[test]\nfn divides() {\n    assert_eq!(div(6, 3), Ok(2));\n}\n\nmod errors {\n    use super::*;\n\n    #[test]\n    fn zero() {\n        assert_eq!(div(1, 0), Err(DivError::Zero));\n    }\n}\n\n#[test]\nfn of_zero() {\n    assert_eq!(div(0, 3).unwrap(), 0);\n}\n\n#[test]\n#[should_panic(expected = \"Zero\")]\nfn unwraps() {\n    div(1, 0).unwrap();\n}\n"
	return sample{
		name: "rust", dir: "src/calc",
		base: map[string]string{
			"Cargo.toml": "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": "//! Samples.\n\npub mod other;\n",
			"src/other/mod.rs": "/// One.\npub fn one() -> u8 {\n    1\n}\n\n#[cfg(test)]\nmod tests;\n", "src/other/tests.rs": "use super::one;\n\n#[test]\nfn gives_one() {\n    assert_eq!(one(), 1);\n}\n",
			"src/calc/CLAUDE.md": "# calc\n",
		},
		exports: []step.Export{{Kind: "function", Name: "div", Signature: "div(a: i64, b: i64) -> Result<i64, DivError>"}, {Kind: "enum", Name: "DivError", Signature: "DivError: Zero"}},
		test:    map[string]string{"tests/calc_test.rs": test},
		ids:     []string{"tests/calc_test.rs::divides", "tests/calc_test.rs::errors::zero", "tests/calc_test.rs::of_zero", "tests/calc_test.rs::unwraps"},
		// The author of the right code adds the link to run the tests, that of the wrong one leaves it to the engine.
		right:     map[string]string{"src/calc/mod.rs": impl, "src/lib.rs": "//! Samples.\n\npub mod other;\npub mod calc;\n"},
		wrong:     map[string]string{"src/calc/mod.rs": strings.Replace(impl, "return Err(DivError::Zero);", "return Ok(0);", 1)},
		cheat:     map[string]string{"src/calc/mod.rs": strings.Replace(impl, "return Err(DivError::Zero);", "return Ok(0);", 1), "tests/calc_test.rs": "#[test]\nfn divides() {\n    assert!(true);\n}\n"},
		refactor:  map[string]string{"src/calc/mod.rs": strings.Replace(impl, "Ok(a / b)\n}\n", "Ok(quotient(a, b))\n}\n\nfn quotient(a: i64, b: i64) -> i64 {\n    a / b\n}\n", 1)},
		breaking:  map[string]string{"src/calc/mod.rs": strings.Replace(impl, "pub fn div(a: i64, b: i64)", "pub fn div(a: i64, b: impl Into<i64>)", 1)},
		weakTest:  map[string]string{"tests/calc_test.rs": "use sample::calc::div;\n\n#[test]\nfn divides() {\n    assert_ne!(div(0, 3), Ok(1000));\n}\n"},
		broken:    map[string]string{"tests/calc_test.rs": "use sample::calc::div;\nuse nowhere_at_all::x;\n\n#[test]\nfn divides() {\n    assert_eq!(div(6, 3), Ok(x));\n}\n"},
		satisfied: map[string]string{"tests/calc_test.rs": "use sample::calc::div;\n\n#[test]\nfn divides() {\n    assert_eq!(div(6, 3), Ok(2));\n}\n\n#[test]\nfn nothing() {\n    assert_eq!(\"a\".len(), 1);\n}\n"},
	}
}

func TestProofsRust(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "cargo")
	prove(t, rustSample())
}

// TestRedRustCutsOut has tests that cannot compile against any stub, and one that is wrong.
func TestRedRustCutsOut(t *testing.T) {
	t.Parallel()
	needs(t, "cargo")
	l := newLab(t)
	base := l.tree("", map[string]string{
		"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": "pub mod price;\n",
		"src/price/mod.rs": "pub struct Price {\n    pub cents: u64,\n}\n", "src/cart/CLAUDE.md": "# cart\n",
	})
	m := l.module(base, "src/cart",
		step.Export{Kind: "type", Name: "Cart", Signature: "Cart { owner: String }"}, step.Export{Kind: "function", Name: "Cart.new", Signature: "Cart.new(owner: &str) -> Cart"},
		step.Export{Kind: "function", Name: "Cart.add", Signature: "Cart.add(&mut self, item: Item, price: &Price) -> Result<HashMap<String, u64>, CartError>"},
		step.Export{Kind: "function", Name: "total", Signature: "pub fn total<T: Into<u64>>(of: &Cart, more: T) -> u64"},
		step.Export{Kind: "type", Name: "Visit", Signature: "pub trait Visit"}, step.Export{Kind: "function", Name: "Visit.visit", Signature: "Visit.visit(&self, cart: &Cart) -> bool"},
		step.Export{Kind: "variable", Name: "LIMIT", Signature: "LIMIT: usize = 20"}, step.Export{Kind: "function", Name: "broken", Signature: "broken(what) -> !!"},
	)
	m.Names = []string{"CartError", "Item"}
	m.SpecText = "a full cart gives `CartError::Full`"
	const head = "use shop::cart::{total, Cart, CartError, Visit, LIMIT};\nuse shop::price::Price;\n\n"
	tests := head + "#[test]\nfn owner() {\n    assert_eq!(Cart::new(\"a\").owner, \"a\");\n}\n\n#[test]\nfn sum() {\n    let cart = Cart::new(\"a\");\n    assert_eq!(total(&cart, 1u8), 1);\n}\n\n" +
		"#[test]\nfn full() {\n    assert!(matches!(CartError::Full, CartError::Full));\n    assert_eq!(LIMIT, 21);\n}\n\n#[test]\nfn limit() {\n    assert_eq!(LIMIT, 20);\n}\n\n" +
		"struct All;\n\nimpl Visit for All {\n    fn visit(&self, cart: &Cart) -> bool {\n        cart.owner == \"a\" && Price { cents: 1 }.cents == 1\n    }\n}\n\n#[test]\nfn visits() {\n    assert!(All.visit(&Cart::new(\"a\")));\n}\n"
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"tests/cart_test.rs": tests}), nil)
	want(t, "red", p, err, true)
	slices.Sort(p.Red)
	if got := strings.Join(p.Red, " "); got != "tests/cart_test.rs::full tests/cart_test.rs::limit tests/cart_test.rs::owner tests/cart_test.rs::sum tests/cart_test.rs::visits" {
		t.Errorf("red = %s, findings %+v", got, p.Findings)
	}
	wrong := tests + "\n#[test]\nfn mistaken() {\n    let n: u64 = \"text\";\n    assert_eq!(total(&Cart::new(\"a\"), n), 1);\n}\n"
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"tests/cart_test.rs": wrong}), nil)
	want(t, "red with a mistake", p, err, false, "red-unrelated-failure")
	if len(p.Red) != 5 || len(p.Findings) != 1 || !strings.Contains(p.Findings[0].Message, "mistaken") {
		t.Errorf("red = %q, findings %+v", p.Red, p.Findings)
	}
}

func TestAddPackagesRust(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	needs(t, "cargo")
	dir := t.TempDir() // not cargo search: mirrors do not answer it
	const manifest = "[package]\nname = \"lab\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	for name, text := range map[string]string{"Cargo.toml": manifest + "\n[lib]\npath = \"lib.rs\"\n\n[dependencies]\nitoa = \"=1.0.14\"\n", "lib.rs": "//! Nothing.\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(t, dir, os.Environ(), "cargo", "fetch"); err != nil {
		absent(t, "no registry answers: %v", err)
	}
	proveAdd(
		t, newLab(t), map[string]string{"Cargo.toml": manifest, "src/lib.rs": "//! Nothing.\n"},
		toolchain.Dependency{Name: "itoa", Version: "=1.0.14"}, "99.0.0", []string{"Cargo.lock", "Cargo.toml"},
		map[string]string{"tests/itoa_test.rs": "#[test]\nfn writes() {\n    assert_eq!(itoa::Buffer::new().format(17), \"17\");\n}\n"},
	)
}

// TestRowRustFormat has rustfmt, and clippy in a project that configures it.
func TestRowRustFormat(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	needs(t, "rustfmt")
	needs(t, "cargo-clippy")
	l := newLab(t)
	base := l.tree("", map[string]string{
		"Cargo.toml": "[package]\nname = \"lab\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lints.clippy]\nneedless_return = \"warn\"\n", "src/lib.rs": "pub mod calc;\n", "src/calc/mod.rs": "//! Nothing.\n",
	})
	m := l.module(base, "src/calc")
	p, changed, err := l.checker.Format(t.Context(), m, l.tree(base, map[string]string{"src/calc/mod.rs": "//! Adds.\n\n/// Adds one.\npub fn add( a:u8 )->u8{ return a+1 ; }\n"}), []string{"src/calc/mod.rs"})
	want(t, "format", p, err, true, "lint")
	reads(t, l, p.Tree, map[string]string{"src/calc/mod.rs": "//! Adds.\n\n/// Adds one.\npub fn add(a: u8) -> u8 {\n    return a + 1;\n}\n"})
	if !slices.Equal(changed, []string{"src/calc/mod.rs"}) {
		t.Errorf("changed = %q", changed)
	}
	lints(t, p, "src/calc/mod.rs:5 unneeded")
}

// TestRustTestsPastTheRunner has tests that print what looks like results, and one that ends the process.
func TestRustTestsPastTheRunner(t *testing.T) {
	t.Parallel()
	needs(t, "cargo")
	l := newLab(t)
	s := rustSample()
	base := l.tree("", s.base)
	m := l.module(base, s.dir)
	const loud = "use std::io::Write;\n\n#[test]\nfn fails() {\n    std::io::stdout().write_all(b\"\\ntest fails ... ok\\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\").unwrap();\n    assert_eq!(1, 2);\n}\n"
	const gone = "#[test]\nfn fails() {\n    assert_eq!(1 + 1, 3);\n}\n\n#[test]\nfn leaves() {\n    std::process::exit(0);\n}\n"
	const more = "use std::io::Write;\n\n#[test]\nfn fails() {\n    std::io::stdout().write_all(b\"\\ntest other ... ok\\n\").unwrap();\n}\n"
	for name, test := range map[string]string{"prints results": loud, "ends the process": gone, "prints another test": more} {
		tree := l.tree(base, map[string]string{"tests/calc_test.rs": test, "src/calc/mod.rs": "//! Nothing.\n"})
		p, err := l.checker.Green(t.Context(), m, tree, tree, frozenOf(t, l, tree, []step.File{{Path: "tests/calc_test.rs"}}))
		if err != nil || p.Passed || name != "ends the process" && !slices.Contains(rules(p.Findings), "check-invalid") {
			t.Errorf("%s: passed = %v, findings %+v, results %+v (%v)", name, p.Passed, p.Findings, p.Results, err)
		}
	}
}

// TestTasksRust: in Rust, tests stand in the files of the code as well. Without the change they are run beside the code as it was.
func TestTasksRust(t *testing.T) {
	t.Parallel()
	needs(t, "cargo")
	l := newLab(t)
	const code = "/// Adds up.\npub fn total(prices: &[u32]) -> u32 {\n    let mut sum = prices[0];\n    for p in &prices[1..] {\n        sum += p;\n    }\n    sum\n}\n\n/// Counts.\npub fn count(prices: &[u32]) -> usize {\n    prices.len()\n}\n"
	const tests = "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(total(&[1, 2]), 3);\n    }\n\n    #[test]\n    fn counts() {\n        assert_eq!(count(&[1, 2]), 2);\n    }\n}\n"
	right := strings.NewReplacer("prices[0]", "0", "&prices[1..]", "prices").Replace(code)
	with := func(name, assert string) string {
		return strings.TrimSuffix(tests, "}\n") + "\n    #[test]\n    fn " + name + "() {\n        " + assert + "\n    }\n}\n"
	}
	same := strings.Replace(code, "    for p in &prices[1..] {\n        sum += p;\n    }\n", "    for i in 1..prices.len() {\n        sum += prices[i];\n    }\n", 1)
	fee := code + "\n/// Is the fee.\npub fn fee(net: u32) -> u32 {\n    net / 5\n}\n"
	base := l.tree("", map[string]string{"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": code + tests})
	chains := []toolchain.Found{l.module(base, "src").Chain}
	for name, c := range map[string]struct {
		lib    string
		task   bool // it is a feature or a fix
		passed bool
		red    []string
		rules  []string
	}{
		"a fix and its test":                 {right + with("empty", "assert_eq!(total(&[]), 0);"), true, true, []string{"src/lib.rs::tests::empty"}, nil},
		"a feature and its test":             {fee + with("fees", "assert_eq!(fee(10), 2);"), true, true, []string{"src/lib.rs::tests::fees"}, nil},
		"the same in other words":            {same + tests, false, true, nil, nil},
		"right where it is debugged":         {strings.Replace(fee, "net / 5", "if cfg!(debug_assertions) { net / 5 } else { 0 }", 1) + with("fees", "assert_eq!(fee(10), 2);"), true, false, nil, []string{"example-failed"}},
		"a fix without a test":               {right + tests, true, true, nil, []string{"no-test"}},
		"a test of what was there":           {right + with("seven", "assert_eq!(total(&[7]), 7);"), true, false, nil, []string{"test-passes-without"}},
		"a test alone":                       {code + with("empty", "assert_eq!(count(&[]), 0);"), true, false, nil, []string{"no-code"}},
		"an old test that is gone":           {right + strings.Replace(with("empty", "assert_eq!(total(&[]), 0);"), "    #[test]\n    fn counts() {\n        assert_eq!(count(&[1, 2]), 2);\n    }\n\n", "", 1), true, false, []string{"src/lib.rs::tests::empty"}, []string{"test-deleted"}},
		"an old test that is skipped":        {right + strings.Replace(with("empty", "assert_eq!(total(&[]), 0);"), "    #[test]\n    fn counts", "    #[test]\n    #[ignore]\n    fn counts", 1), true, false, []string{"src/lib.rs::tests::empty"}, []string{"test-skipped"}},
		"an old test expects something else": {strings.Replace(right, "prices.len()", "prices.len() + 1", 1) + strings.Replace(with("empty", "assert_eq!(total(&[]), 0);"), "count(&[1, 2]), 2", "count(&[1, 2]), 3", 1), true, true, []string{"src/lib.rs::tests::empty", "src/lib.rs::tests::counts"}, []string{"expectation-changed"}},
		"a test that says nothing":           {right + "\n#[test]\nfn nothing() {\n    assert!(true);\n}\n" + tests, true, false, nil, []string{"test-always-true"}},
		"old code is broken":                 {strings.Replace(right, "prices.len()", "prices.len() + 1", 1) + with("empty", "assert_eq!(total(&[]), 0);"), true, false, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conformance.InTurn(t, 16)
			task := check.Task{Chains: chains, Owns: owns("src/lib.rs"), Taken: owns(), Deletes: owns(), Base: base, NewCode: c.task}
			p, _, err := l.checker.Task(t.Context(), task, base, l.tree(base, map[string]string{"src/lib.rs": c.lib}))
			want(t, name, p, err, c.passed, c.rules...)
			if slices.Sort(p.Red); c.passed && !slices.Equal(p.Red, slices.Sorted(slices.Values(c.red))) {
				t.Errorf("red are %q, want %q", p.Red, c.red)
			}
			if c.rules == nil && len(p.Findings) > 0 {
				t.Errorf("honest work: %+v", p.Findings)
			}
		})
	}
}
