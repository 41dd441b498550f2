package check_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestTasksSubstitute: a new test that passes when a call of the new code gives another value is told by name, though other tests compare all
// that the code gives; those that compare something of it are not.
func TestTasksSubstitute(t *testing.T) {
	t.Parallel()
	for lang, c := range map[string]struct {
		needs, dir  string
		base, files map[string]string
		weak        []string // a person decides on those that compare nothing at all
	}{
		"go": {
			"go", "age",
			map[string]string{"go.mod": "module shop\n\ngo 1.22\n", "age/age.go": "// Package age reads ages.\npackage age\n", "age/age_test.go": "package age\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {\n\tif 1+1 != 2 {\n\t\tt.Fatal()\n\t}\n}\n"},
			map[string]string{"age/parse.go": goAges, "age/parse_test.go": goAgeTests},
			[]string{"TestEither", "TestGrown"},
		},
		"python": {
			"python3", ".",
			map[string]string{"pyproject.toml": "[project]\nname = \"shop\"\nversion = \"0.1\"\nrequires-python = \">=3.9\"\n", "old.py": "X = 1\n", "test_old.py": "import unittest\n\nimport old\n\n\nclass TestOld(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(old.X, 1)\n"},
			map[string]string{"age.py": pyAges, "test_age.py": pyAgeTests},
			[]string{"TestAge::test_any_of_two", "TestAge::test_grown", "TestAge::test_half in part"},
		},
		"javascript": {
			"node", ".",
			map[string]string{"package.json": "{\"name\":\"shop\",\"type\":\"module\",\"scripts\":{\"test\":\"node --test\"}}\n", "old.js": "export const x = 1;\n", "old.test.js": "import test from \"node:test\";\nimport assert from \"node:assert\";\nimport { x } from \"./old.js\";\n\ntest(\"old\", () => {\n  assert.equal(x, 1);\n});\n"},
			map[string]string{"age.js": jsAges, "age.test.js": jsAgeTests},
			[]string{"grown", "read"},
		},
		"rust": {
			"cargo", "src",
			map[string]string{"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": rustOld},
			map[string]string{"src/lib.rs": rustAges + rustOld + rustAgeTests},
			[]string{"tests::either"},
		},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			needs(t, c.needs)
			conformance.InTurn(t, 16)
			l := newLab(t)
			base := l.tree("", c.base)
			task := check.Task{Chains: []toolchain.Found{l.module(base, c.dir).Chain}, Owns: owns(slices.Collect(maps.Keys(c.files))...), Taken: owns(), Deletes: owns(), Base: base, NewCode: true}
			p, _, err := l.checker.Task(t.Context(), task, base, l.tree(base, c.files))
			if err != nil {
				t.Fatal(err)
			}
			var weak []string
			for _, f := range p.Findings {
				m := regexp.MustCompile(`^The test (.*) passes when .* gives another value`).FindStringSubmatch(f.Message)
				if f.Rule != "compares-nothing" || m == nil {
					t.Errorf("%+v", f)
					continue
				}
				weak = append(weak, m[1]+map[step.Severity]string{step.Fix: " in part"}[f.Severity])
			}
			if slices.Sort(weak); !slices.Equal(weak, c.weak) {
				t.Errorf("these compare nothing: %q, want %q", weak, c.weak)
			}
		})
	}
}

const (
	goAges = `package age

import (
	"errors"
	"strconv"
)

// ErrAge is what is no age.
var ErrAge = errors.New("no age")

// Age counts years.
type Age struct{ years int }

// New is an age of some years.
func New(years int) *Age { return &Age{years} }

// Years are its years.
func (a *Age) Years() int { return a.years }

// Parse reads an age.
func Parse(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, ErrAge
	}
	return n, nil
}

// Find finds the age of one.
func Find(ages map[string]float64, name string) (float64, bool) {
	age, ok := ages[name]
	return age, ok
}

// Check finds what is no age.
func Check(s string) error {
	_, err := Parse(s)
	return err
}

// All are the ages up to one.
func All(n int) []string {
	var out []string
	for i := range n {
		out = append(out, strconv.Itoa(i+1))
	}
	return out
}
`
	goAgeTests = `package age

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse("7")
	if err != nil || got != 7 {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := Parse("x"); err == nil {
		t.Error("an age")
	}
}

func TestCheck(t *testing.T) {
	if err := Check("x"); !errors.Is(err, ErrAge) {
		t.Error(err)
	}
	if Check("7") != nil {
		t.Error("no age")
	}
}

func TestAll(t *testing.T) {
	if got := strings.Join(All(3), " "); got != "1 2 3" {
		t.Error(got)
	}
	if len(All(2)) != 2 {
		t.Error("two")
	}
}

func TestNew(t *testing.T) {
	for _, years := range []int{1, 2} {
		a := New(years)
		if a.Years() != years {
			t.Error(a)
		}
	}
}

func TestHas(t *testing.T) {
	if got, ok := Find(map[string]float64{}, "x"); ok {
		t.Error(got)
	}
	if got, ok := Find(map[string]float64{"x": 294}, "x"); !ok || math.Abs(got-295) > 2 {
		t.Error(got)
	}
	if got, _ := Find(map[string]float64{"x": math.NaN()}, "x"); !math.IsNaN(got) {
		t.Error(got)
	}
}

func TestGrown(t *testing.T) {
	n, _ := Parse("70")
	if n < 18 {
		t.Error(n)
	}
}

func TestEither(t *testing.T) {
	if n, err := Parse("y"); err == nil && n != 0 {
		t.Error(n)
	}
}
`
	pyAges = `import secrets


def parse(text):
    """Reads an age."""
    if not text.isdigit():
        raise ValueError(text)
    return int(text)


def main(args):
    """Ends the program."""
    if args:
        raise SystemExit(2)
    return 343_556.0


async def note(log):
    """Notes something."""
    log.append(1)


def find(ages, age):
    """Finds an age."""
    for a in ages:
        if a == age:
            return a
    return None


def token():
    """Is random."""
    return secrets.token_hex(4)


class Person:
    """Has an age."""

    def __init__(self, age):
        self.age = age

    async def years(self):
        """Tells it."""
        return self.age
`
	pyAgeTests = `import asyncio
import unittest

import age
from age import Person, find


class TestAge(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(age.parse("7"), 7)
        with self.assertRaises(ValueError):
            age.parse("x")
        self.assertRaises(ValueError, lambda: age.parse("y"))

    def test_find(self):
        found = find([1, 2], 2)
        self.assertEqual(found, 2)
        self.assertIsNone(find([1, 2], 3))

    def test_grown(self):
        self.assertGreater(age.parse("70"), 18)

    def test_token(self):
        self.assertEqual(len(age.token()), 8)
        self.assertNotEqual(age.token(), age.token())

    def test_main(self):
        with self.assertRaises(SystemExit):
            print(age.main(["--bad"]))
        self.assertTrue(abs(age.main([]) - 343_000) < 1000)

    def test_half(self):
        self.assertEqual(age.parse("7"), 7)
        self.assertGreater(age.parse("8"), 7)

    def test_any_of_two(self):
        n = age.parse("7")
        self.assertIn(n, (7, 8))


class TestPerson(unittest.IsolatedAsyncioTestCase):
    async def test_note(self):
        log = []
        await asyncio.gather(age.note(log), age.note(log))
        self.assertEqual(log, [1, 1])

    async def test_years(self):
        p = Person(3)
        self.assertEqual(await p.years(), 3)
`
	jsAges = `/** Reads an age. */
export function parse(text) {
  if (!/^\d+$/.test(text)) {
    throw new RangeError(text);
  }
  return Number(text);
}

/** Is silent about an age. */
export function check(text) {
  parse(text);
}

/** Is it one of an old person? */
export function old(text) {
  return parse(text) > 60;
}

/** Loads an age. */
export async function load(text) {
  return parse(text);
}
`
	jsAgeTests = `import test from "node:test";
import assert from "node:assert";
import { check, load, old, parse } from "./age.js";

test("parses", async () => {
  assert.equal(parse("7"), 7);
  assert.throws(() => parse("x"), RangeError);
  assert.throws(() => {
    parse("y");
  });
  const loaded = await load("8");
  assert.equal(loaded, 8);
  assert.equal(await load("9"), 9);
  await assert.rejects(load("x"));
});

test("checks", async (t) => {
  assert.doesNotThrow(() => check("7"));
  assert.throws(() => check("x"));
  await Promise.all([check("8")]);
  await t.test("all of them", () => {
    assert.equal(old("70"), true);
  });
});

test("grown", () => {
  assert.ok(parse("70") > 18);
});

test("read", async () => {
  assert.ok(await load("7"));
});
`
	rustOld      = "/// One.\npub fn one() -> u32 {\n    1\n}\n\n#[test]\nfn is_one() {\n    assert_eq!(one(), 1);\n}\n"
	rustAges     = "/// Reads an age.\npub fn parse(text: &str) -> Result<u32, String> {\n    text.parse().map_err(|_| format!(\"no age: {text}\"))\n}\n\n/// Is the mean.\npub fn mean(ages: &[f64]) -> f64 {\n    ages.iter().sum::<f64>() / ages.len() as f64\n}\n\n/// Finds an age.\npub fn find(ages: &[u32], age: u32) -> Option<usize> {\n    ages.iter().position(|a| *a == age)\n}\n\n"
	rustAgeTests = `
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses() {
        assert_eq!(parse("7"), Ok(7));
        assert!(parse("x").is_err());
        let n = parse("8").unwrap();
        assert_eq!(n, 8);
    }

    #[test]
    fn finds() {
        assert_eq!(find(&[1, 2], 2), Some(1));
        assert!(find(&[1, 2], 3).is_none());
    }

    #[test]
    fn means() {
        assert_eq!(mean(&[2.0, 4.0]), 3.0);
        assert!(mean(&[]).is_nan());
        assert!((mean(&[343_000.0]) - 343_100.0).abs() < 500.0);
    }

    #[test]
    fn either() {
        assert!(parse("y").is_ok() || parse("y").is_err());
    }
}
`
)
