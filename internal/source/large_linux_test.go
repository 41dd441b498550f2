package source_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/cputime"
	"github.com/jacquard-build/jacquard/internal/source"
)

// TestLargeFilesAreLinear: eight times as much source takes about eight times the work, in every language. What counts is
// what this thread has worked, not how long it had to wait for others.
func TestLargeFilesAreLinear(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for file, unit := range map[string]string{
		"a.ts":      "export const N = 3;\nexport function f(a: number): number { if (a > 1) { return a + 1; } return a; }\n",
		"a.test.ts": "test('a', () => { expect(f(1)).toBe(2); });\nfunction helper() { expect(1).toBe(1); }\n",
		"a.js":      "exports.f = function (a) { return a + 1; };\nclass C { m(a) { return a; } }\n",
		"a.py":      "N = 3\n\ndef f(a: int) -> int:\n    if a > 1:\n        return a + 1\n    return a\n\nclass C:\n    def m(self):\n        pass\n",
		"test_a.py": "def test_f():\n    assert f(1) == 2\n\ndef helper():\n    assert True\n",
		"a.rs":      "pub const N: u8 = 3;\nmod m { pub fn g() {} }\n/// Says.\npub fn f(a: u8) -> u8 { if a > 1 { return crate::x::g(a) + 1; } a }\n",
		"A.java":    "class C { static final int N = 3; public int f(int a) { if (a > 1) { return a + 1; } return a; } }\n",
		"a.kt":      "const val N = 3\nfun f(a: Int): Int { if (a > 1) { return a + 1 }\n return a }\n",
		"a.go":      "const n = 3\n\nfunc f(a int) int {\n\tif a > 1 {\n\t\treturn a + 1\n\t}\n\treturn a\n}\n",
	} {
		head := ""
		if strings.HasSuffix(file, ".go") {
			head = "package a\n"
		}
		took := func(size int) time.Duration {
			src := []byte(head + strings.Repeat(unit, size/len(unit)))
			began := cputime.Thread(t)
			if f := source.Parse(file, src); len(f.Funcs)+len(f.Tests) < size/len(unit) {
				t.Errorf("%s: %d functions of %d", file, len(f.Funcs)+len(f.Tests), size/len(unit))
			}
			return cputime.Thread(t) - began
		}
		took(1 << 10) // the grammar is made ready
		small, large := took(1<<15), took(1<<18)
		t.Logf("%s: 32 kB %v, 256 kB %v", file, small, large)
		for try := 0; large > 25*small; try++ { // eight times the size; quadratic would be 64 times
			if try == 5 { // it is not that the machine did something else
				t.Errorf("%s: 32 kB took %v, 256 kB took %v", file, small, large)
				break
			}
			small, large = min(small, took(1<<15)), min(large, took(1<<18))
		}
	}
}

// TestTooLarge: a file of data is not read at all.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"a.ts", "a.py", "a.rs", "A.java", "a.kt"} {
		f := source.Parse(file, make([]byte, 5<<20))
		if f.Problem == "" || len(f.Tokens) > 0 {
			t.Errorf("%s: %q, %d tokens", file, f.Problem, len(f.Tokens))
		}
	}
}
