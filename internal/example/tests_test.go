package example_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/example"
)

func TestInTests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, src, want string }{
		{"go, single", "a/a_test.go", `package a
func TestA(t *testing.T) {
	t.Parallel()
	if got := Twice(2); got != 4 { t.Errorf("Twice = %d", got) }
	if Twice(-3) != -6 { t.Fail() }
	got, err := Parse("x=1")
	if err != nil { t.Fatal(err) }
	if want := []int{1}; !reflect.DeepEqual(got, want) { t.Errorf("no") }
	if _, err := Parse(""); err == nil { t.Error("no error") }
	if _, err := Parse("?"); !errors.Is(err, ErrMark) { t.Error("no mark") }
	if !Valid("a") { t.Error("not valid") }
	if Valid("") { t.Error("valid") }
}`, `Twice(2) = 4; Twice(-3) = -6; Parse("x=1") = [1]; Parse("") = error; Parse("?") = error ErrMark; Valid("a") = true; Valid("") = false`},
		{"java", "src/test/java/a/FeesTest.java", `package a;
import static org.junit.jupiter.api.Assertions.*;
class FeesTest {
    @Test
    void fees() {
        assertEquals(50L, Fees.late(4));
        Assertions.assertEquals("a-b", Fees.slug("A b"));
        int days = 6;
        assertEquals(150, Fees.late(days));
        long fee = Fees.late(23);
        assertEquals(1000, fee);
        assertTrue(Fees.free(2));
        assertFalse(Fees.free(4));
        assertNull(Fees.name(""));
        assertThrows(IllegalArgumentException.class, () -> Fees.late(-1));
        assertThrows(RuntimeException.class, () -> { Fees.late(-2); });
        assertEquals(new Fees(2).sum(3), 5);
        assertThat(Fees.late(5)).isEqualTo(100);
    }
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void given(int n) { assertEquals(0, Fees.late(n)); }
}`, `Fees.late(4) = 50; Fees.slug("A b") = "a-b"; Fees.late(6) = 150; Fees.late(23) = 1000; Fees.free(2) = true; Fees.free(4) = false; Fees.name("") = null; ` +
			`Fees.late(-1) = error IllegalArgumentException; Fees.late(-2) = error RuntimeException; new Fees(2).sum(3) = 5; Fees.late(5) = 100`},
		{"kotlin", "src/test/kotlin/a/FeesTest.kt", `package a
class FeesTest {
    @Test
    fun fees() {
        assertEquals(50, late(4))
        val fee = late(23)
        assertEquals(1000L, fee)
        assertTrue(free(2), "free")
        assertFailsWith<IllegalArgumentException> { late(-1) }
        assertThrows<ArithmeticException> { late(-2) }
    }
}`, `late(4) = 50; late(23) = 1000; free(2) = true; late(-1) = error IllegalArgumentException; late(-2) = error ArithmeticException`},
		{"go, fields in order, copies", "a/a_test.go", `package a
var league = []Player{{"Cy", 7}, {"Ann", 9}}
func TestA(t *testing.T) {
	if got := Top(slices.Clone(league), 1); !slices.Equal(got, []Player{{"Ann", 9}}) { t.Error(got) }
	if got := First(league); got != (Player{"Cy", 7}) { t.Error(got) }
}`, `Top([["Cy", 7], ["Ann", 9]], 1) = [["Ann", 9]]; First([["Cy", 7], ["Ann", 9]]) = ["Cy", 7]`},
		{"go, table", "a/a_test.go", `package a_test
import "x/a"
func TestA(t *testing.T) {
	tests := []struct { name string; in []int; want int; wantErr bool }{
		{"empty", nil, 0, false},
		{name: "two", in: []int{1, 2}, want: 3},
		{name: "bad", in: []int{-1}, wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := a.Sum(tt.in)
			if (err != nil) != tt.wantErr { t.Fatalf("err = %v", err) }
			if tt.wantErr { return }
			if got != tt.want { t.Errorf("got %d", got) }
		})
	}
}`, `Sum(null) = 0; Sum([1, 2]) = 3; Sum([-1]) = error`},
		{"go, map and testify", "a/a_test.go", `package a
import "github.com/stretchr/testify/require"
func TestA(t *testing.T) {
	for in, want := range map[string]string{"a": "A"} {
		require.Equal(t, want, Upper(in))
	}
	require.ErrorIs(t, Check(""), ErrEmpty)
}`, `Upper("a") = "A"; Check("") = error ErrEmpty`},
		{"go, a value beside an error that cannot be read", "a/a_test.go", `package a
func TestA(t *testing.T) {
	for _, tc := range []struct { in string; want Amount; err error }{{"EUR 1", Amount{1, "EUR"}, nil}, {"EUR", Amount{}, ErrFormat}} {
		got, err := Parse(tc.in)
		if got != tc.want || !errors.Is(err, tc.err) { t.Error("no") }
	}
}`, `Parse("EUR 1") = [1, "EUR"]`},
		{"go, what is readable in two ways", "a/a_test.go", `package a
func TestA(t *testing.T) {
	tests := []struct { in string; want int; wantErr error }{{"1", 1, nil}, {"", 0, ErrEmpty}, {"x", 0, io.EOF}}
	for _, tt := range tests {
		got, err := Parse(tt.in)
		if (err != nil) != (tt.wantErr != nil) { t.Errorf("err = %v", err) }
		if !errors.Is(err, tt.wantErr) { t.Fatal(err) }
		if got != tt.want { t.Errorf("got %d", got) }
	}
}
func TestB(t *testing.T) {
	got, err := Parse("?")
	if err == nil { t.Fatal("no error") }
	if got != 0 { t.Fatal("a value") }
	s := NewStack(3)
	if s == nil { t.Fatal("nil") }
	words := Words("b a")
	sort.Strings(words)
	if !reflect.DeepEqual(words, []string{"a", "b"}) { t.Error(words) }
	if !Available("gpu") { return }
	if _, err := Add("a"); err != nil { t.Fatal(err) }
	if _, err := Add("a"); err == nil { t.Fatal("twice") }
	if got := Count("a"); !maps.Equal(got, Counts{"a": 1}) { t.Error(got) }
}`, `Add("a") = error after if s == nil { t.Fatal("nil") }; sort.Strings(words); if !reflect.DeepEqual(words, []string{"a", "b"}) { t.Error(words) }; if !Available("gpu") { return }; Add("a"); Count("a") = {"a": 1} after if s == nil { t.Fatal("nil") }; sort.Strings(words); if !reflect.DeepEqual(words, []string{"a", "b"}) { t.Error(words) }; if !Available("gpu") { return }; Add("a")`},
		{"go, up to what is not understood", "a/a_test.go", `package a
func TestA(t *testing.T) {
	if got := Twice(2); got != 4 { t.Errorf("no") }
	s := NewStore(t.TempDir())
	if got := Twice(3); got != 6 { t.Errorf("no") }
}
func TestB(t *testing.T) {
	for i := range 3 { if Twice(i) != 2*i { t.Error("no") } }
}
func TestC(t *testing.T) {
	if len(Split("a b")) != 2 { t.Error("no") }
}`, `Twice(2) = 4; Twice(3) = 6 after s := NewStore(t.TempDir())`},
		{"go, something runs before", "a/a_test.go", `package a
func TestMain(m *testing.M) { os.Exit(m.Run()) }
func TestA(t *testing.T) { if Twice(2) != 4 { t.Fail() } }`, `Twice(2) = 4 after func TestMain(m *testing.M) { os.Exit(m.Run()) }`},
		{"python", "test_a.py", `import pytest
from a import f, Ledger

CASES = [(1, "I"), (4, "IV")]

def test_plain():
    """Says what it does."""
    assert f(2) == 4
    assert f(0) is None
    got = f([1, 2], key="x")
    assert f({"a": 1}) == {1, 2}
    assert [3] == f(-1)

def test_raises():
    with pytest.raises(ValueError, match="no"):
        f(-1)
    with pytest.raises(Exception):
        f(-2)

@pytest.mark.parametrize("n, want", [(1, 2), (2, 4)])
def test_rows(n, want):
    assert f(n) == want

@pytest.mark.parametrize(("n", "want"), CASES)
def test_cases(n, want):
    assert f(n) == want

def test_loop():
    for n, want in [(5, 6)]:
        assert f(n) == want

def test_fixture(tmp_path):
    assert f(9) == 9

def test_chain():
    assert Ledger().add(3).balance() == 3
    x = Ledger()
    x.add(2)
    assert x.balance() == 2
`, `f(2) = 4; f(0) = null; f({"a": 1}) = [1, 2] after got = f([1, 2], key="x"); f(-1) = [3] after got = f([1, 2], key="x"); f(-1) = error ValueError; f(-2) = error; f(1) = 2; f(2) = 4; f(1) = "I"; f(4) = "IV"; f(5) = 6; f(9) = 9 after (tmp_path); Ledger().add(3).balance() = 3`},
		{"python, what is readable in two ways", "test_a.py", `import pytest
@pytest.mark.parametrize("n, want", [(1, 2), (-1, None)])
def test_a(n, want):
    if want is None:
        with pytest.raises(ValueError) as exc:
            f(n)
    else:
        assert f(n) == want

def test_b():
    with pytest.raises(IOError) as exc:
        f(3)
    assert f(4) == (
        "x"
    )
    assert g((1, 2)) == 3
    assert g({1: 2}) == 3
    xs = [1]
    xs.append(2)
    assert g(xs) == 3
    p = f(5)
    assert p.parse("x") == 1
`, `f(3) = error; f(4) = "x"; g([1, 2]) = 3`},
		{"python, fixture for all", "test_a.py", `import pytest
@pytest.fixture(autouse=True)
def clock(monkeypatch): ...
def test_a():
    assert f(1) == 1
`, `f(1) = 1 after @ pytest.fixture( autouse = True ) def clock( monkeypatch ) : ...`},
		{"tuples and sets", "test_a.py", `def test_a():
    assert f([(1, 2)], {"a"}) == (3, 4)
`, `f([[1, 2]], ["a"]) = [3, 4]`},
		{"unittest", "test_a.py", `import unittest
class TestA(unittest.TestCase):
    def test_a(self):
        self.assertEqual(f(1), 2)
        with self.assertRaises(KeyError):
            f("x")
        self.assertTrue(f(2))
        self.assertEqual(f(3), 4)
`, `f(1) = 2; f("x") = error KeyError; f(3) = 4 after self.assertTrue(f(2))`},
		{"typescript", "a.test.ts", `import { expect, test } from "vitest";
import { f, Stack } from "./a";
test("plain", async () => {
  expect(f(1)).toBe(2);
  expect(await f("a b")).toEqual({ a: [1, 2] })
  expect(new Stack().push(1).size()).toStrictEqual(1);
  const got = f(2);
  expect(got).toBeNull();
  expect(() => f(-1)).toThrow(RangeError);
  expect(() => { f(-2); }).toThrow("negative");
  for (const [n, want] of [[10, "X"], [4, "IV"]]) {
    expect(f(n)).toBe(want);
  }
  expect(f(3)).not.toBe(4);
  expect(f(5)).toBe(6);
});
describe("x", () => { it("y", () => { expect(f(7)).toBe(8); }); });
`, `f(1) = 2; f("a b") = {"a": [1, 2]}; new Stack().push(1).size() = 1; f(2) = null; f(-1) = error RangeError; f(-2) = error; f(10) = "X"; f(4) = "IV"; f(5) = 6 after expect(f(3)).not.toBe(4); f(7) = 8`},
		{"node", "a.test.mjs", `import test from "node:test";
import assert from "node:assert/strict";
import { f } from "./a.mjs";
test("a", () => {
  assert.equal(f(1), 2);
  assert.deepEqual(f([]), [1], "empty");
  assert.throws(() => f(-1), RangeError);
});
`, `f(1) = 2; f([]) = [1]; f(-1) = error RangeError`},
		{"node, bodies of one expression", "a.test.mjs", `test("a", () => assert.equal(f(1), 2));
test("b", async (t) => expect(await f(2)).toBe(3))
test("c", () =>
  assert.throws(() => f(-1), RangeError));
`, `f(1) = 2; f(2) = 3; f(-1) = error RangeError`},
		{"rust", "src/fee.rs", `pub fn half(n: u32) -> u32 { n / 2 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        assert_eq!(half(4u32), 2, "of {}", 4);
        assert_eq!(3, crate::fee::half(6));
        assert!(even(&[1, 2]));
        assert!(!fee::Table::new("a".to_string()).full());
        assert!(parse("x").is_err());
        let got: Option<u32> = find(vec![1, 2], 'b');
        assert_eq!(got, Some(1));
        for (n, want) in [(1, "I"), (4, "IV")].iter() {
            assert_eq!(roman(n), want);
        }
        assert!((ratio(1) - 0.5).abs() < 0.1);
        assert!(half(1_000) == 500);
    }

    #[test]
    #[should_panic]
    fn panics() {
        assert_eq!(half(1), 7);
    }
}
`, `half(4) = 2; crate.fee.half(6) = 3; even([1, 2]) = true; fee.Table.new("a").full() = false; parse("x").is_err() = true; find([1, 2], "b") = 1; roman(1) = "I"; roman(4) = "IV"; half(1000) = 500 after assert!((ratio(1) - 0.5).abs() < 0.1)`},
		{"node, rows of a table", "a.test.ts", `it.each([["a", 1], ["b", 2]])("has %s", (z: string, n: number) => {
  expect(f(z)).toBe(n);
});
test.each(["", "mars"])("rejects %s", z => expect(() => g(z)).toThrow(RangeError));
it.each([[3], [4]])("one %d", async function (n) { expect(await h(n)).toBe("h"); });
it.each([{ price: -1 }])("taken apart", ({ price }) => { expect(h(price)).toBe(1); });
it.each([[rows]])("unread", (n) => { expect(h(n)).toBe(1); });
`, `f("a") = 1; f("b") = 2; g("") = error RangeError; g("mars") = error RangeError; h(3) = "h"; h(4) = "h"`},
		{"node, something runs before", "a.test.mjs", `beforeEach(() => reset());
test("a", () => { assert.equal(f(1), 2); });
`, `f(1) = 2 after beforeEach(( ) => reset( ) ) ; ) ;`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, e := range example.InTests(c.file, []byte(c.src)) {
				text := e.String()
				if e.After != "" {
					text += " after " + e.After
				}
				got = append(got, text)
			}
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("read\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}

func TestOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ call, want string }{
		{"f(1)", "f(2); f(29); f(38); f(5); f(10)"},
		{"f(-1, 0.5)", "f(0, 0.75); f(3, 1.5); f(12, 1.75); f(3, 1); f(8, 1.25)"},
		{`f("1h30m")`, `f("2h40m"); f("5h70m5h70m5h70m5h70m"); f("6h80m6h80m6h80m6h80m6h80m"); f("3h50m"); f("4h60m")`},
		{`f("Zoe")`, `f("Apf"); f("Dsi Dsi Dsi Dsi"); f("Etj Etj Etj Etj Etj"); f("Bqg"); f("Crh")`},
		{`f([1, 2], {"a": 1})`, `f([2, 3], {"a": 2}); f([29, 42, 29, 42, 29, 42], {"a": 29}); f([38, 51, 38, 51, 38, 51, 38, 51], {"a": 38}); f([5], {"a": 5}); f([10], {"a": 10})`},
		{"f(true, null)", ""},
		{"f(1000)", "f(1001); f(13016); f(13025); f(1004); f(1009)"},
		{"new A().add(1).sum()", "new A().add(2).sum(); " +
			"new A().add(29).add(29).add(29).add(29).sum(); new A().add(38).add(38).add(38).add(38).add(38).sum(); new A().add(5).sum(); new A().add(10).sum()"},
		{"a = A(); a.add(1); a.sum()", "a = A(); a.add(2); a.sum(); " +
			"a = A(); a.add(29); a.add(29); a.add(29); a.add(29); a.sum(); a = A(); a.add(38); a.add(38); a.add(38); a.add(38); a.add(38); a.sum(); a = A(); a.add(5); a.sum(); a = A(); a.add(10); a.sum()"},
		{"a = A(1); b = A(a); b.take(a); b.sum()", "a = A(2); b = A(a); b.take(a); b.sum(); a = A(29); b = A(a); b.take(a); b.sum(); " +
			"a = A(38); b = A(a); b.take(a); b.sum(); a = A(5); b = A(a); b.take(a); b.sum(); a = A(10); b = A(a); b.take(a); b.sum()"},
		{`f(1, "a")`, `f(2, "b"); f(29, "e e e e"); f(38, "a"); f(5, "c"); f(10, "d")`},
		{`new A(1).f("")`, `new A(2).f(""); new A(29).f(""); new A(38).f(""); new A(5).f(""); new A(10).f("")`},
	} {
		e, why := example.Read(c.call, "1")
		if why != "" {
			t.Fatal(why)
		}
		var got []string
		for _, o := range example.Others([]example.Example{e}) {
			got = append(got, o.Calls())
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %s, want %s", c.call, text, c.want)
		}
	}
}

// FuzzInTests looks for a text that makes the reader of tests fail.
func FuzzInTests(f *testing.F) {
	f.Add("a_test.go", "package a\nfunc TestA(t *testing.T) { if F(1) != 2 { t.Fail() } }")
	f.Add("test_a.py", "def test_a():\n    assert f(1) == 2\n")
	f.Add("src/lib.rs", "#[test]\nfn a() { let v = vec![1]; assert_eq!(f(&v), Some(1)); for (a, b) in [(1, 2)] { assert!(!g(a)); } }")
	f.Add("a.test.ts", "test('a', () => { expect(f(1)).toBe(2); });")
	f.Add("src/test/java/ATest.java", "class ATest { @Test void a() { x = y; assertEquals(2, F.f(1)); assertThrows(E.class, () -> F.f(0)); } }")
	f.Add("src/test/kotlin/ATest.kt", "class ATest { @Test fun a() { x.y(z); assertFailsWith<E> { f(0) }; assertThat(f(1)).isEqualTo(2) } }")
	f.Fuzz(func(t *testing.T, file, src string) {
		if !slices.Contains([]string{"a_test.go", "test_a.py", "a.test.ts", "src/test/java/ATest.java", "src/test/kotlin/ATest.kt"}, file) {
			t.Skip()
		}
		for _, e := range example.InTests(file, []byte(src)) {
			if len(e.Call) == 0 || e.Test == "" {
				t.Errorf("%+v is no example", e)
			}
		}
	})
}
