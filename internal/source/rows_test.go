package source_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestRows finds what decides with what a test is run, which stands before its body.
func TestRows(t *testing.T) {
	t.Parallel()
	for file, c := range map[string]struct{ src, rows string }{
		"test_a.py":    {"import pytest\n\n@pytest.mark.parametrize(\"n\", [3, 40])\n@slow\ndef test_cap(n):\n    assert n\n", "@pytest.mark.parametrize(\"n\", [3, 40])\n@slow"},
		"test_b.py":    {"@first\ndef helper():\n    pass\n\ndef test_cap():\n    assert helper()\n", ""},
		"a.test.js":    {"test.each([[1, 2]])(\"adds %i\", (a, b) => { expect(a).toBe(b) })\n", "([[1, 2]])"},
		"b.test.js":    {"describe.each`a | b\n${1} | ${2}`(\"of $a\", ({ a, b }) => { it(\"adds\", () => { expect(a).toBe(b) }) })\n", "`a | b\n${1} | ${2}`"},
		"c.test.js":    {"test(\"adds\", () => { expect(1).toBe(1) })\n", ""},
		"src/lib.rs":   {"#[cfg(test)]\nmod tests {\n    #[test_case(1)]\n    #[test_case(2)]\n    fn caps(n: u8) {\n        assert!(n > 0);\n    }\n}\n", "#[test_case(1)]\n    #[test_case(2)]\n    "},
		"CapTest.java": {"class CapTest {\n  @ParameterizedTest\n  @ValueSource(ints = {1, 2})\n  void caps(int n) { assertTrue(n > 0); }\n}\n", "@ParameterizedTest\n  @ValueSource(ints = {1, 2})"},
		"CapTest.kt":   {"class CapTest {\n    @ParameterizedTest\n    @ValueSource(ints = [1, 2])\n    fun caps(n: Int) { assertTrue(n > 0) }\n}\n", "@ParameterizedTest\n    @ValueSource(ints = [1, 2])"},
		"cap_test.go":  {"package cap\n\nimport \"testing\"\n\nfunc TestCap(t *testing.T) { t.Error(1) }\n", ""},
	} {
		f := source.Parse(file, []byte(c.src))
		if len(f.Tests) != 1 {
			t.Errorf("%s: %d tests", file, len(f.Tests))
			continue
		}
		if r := f.Tests[0].Rows; c.src[r[0]:r[1]] != c.rows {
			t.Errorf("%s: rows %q, want %q", file, c.src[r[0]:r[1]], c.rows)
		}
	}
}
