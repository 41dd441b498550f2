package inspect_test

import (
	"strings"
	"testing"
)

// TestBehavioursOfTests: calls with literals become behaviours, what a test computes does not.
func TestBehavioursOfTests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"python": {map[string]string{
			"m/__init__.py": "def cents(text: str) -> int:\n    return int(text)\n\n\ndef _own(a):\n    return a\n",
			"m/test_m.py":   "import pytest\nfrom . import cents, _own\n\n\ndef test_a():\n    assert cents(\"12\") == 12\n    assert cents(str(3)) == 3\n    assert _own(1) == 1\n    with pytest.raises(ValueError):\n        cents(\"x\")\n",
		}, "### Success\n\n- `cents(\"12\")` → `12`\n\n### Error\n\n- `cents(\"x\")` → `ValueError`\n"},
		"typescript": {map[string]string{
			"m/index.ts":      "export function add(a: number, b: number): number { return a + b; }\n",
			"m/add.test.ts":   "import { add } from './index';\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3);\n  expect(() => add(0, 0)).toThrow(RangeError);\n});\n",
			"m/n/CLAUDE.md":   spec1("None", "None", ""),
			"m/n/add.test.ts": "test('other', () => {\n  expect(add(5, 5)).toBe(11);\n});\n",
		}, "### Success\n\n- `add(1, 2)` → `3`\n\n### Error\n\n- `add(0, 0)` → `RangeError`\n"},
		"go": {map[string]string{
			"go.mod": "module x\n", "m/m.go": "package m\n\nfunc Add(a, b int) int { return a + b }\n",
			"m/m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(1, 2); got != 3 {\n\t\tt.Fatal(got)\n\t}\n}\n",
		}, "- `Add(1, 2)` → `3`\n"},
		"rust": {map[string]string{
			"m/lib.rs": "pub fn add(a: u8, b: u8) -> u8 { a + b }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn adds() { assert_eq!(add(1, 2), 3); }\n}\n",
		}, "- `add(1, 2)` → `3`\n"},
		"node, a table, elsewhere": {map[string]string{
			"package.json":      "{\"type\": \"module\"}\n",
			"m/slug.js":         "export function slug(text) { return text }\n",
			"test/slug.test.js": "import test from 'node:test'\nimport assert from 'node:assert'\nimport { slug } from '../m/slug.js'\ntest('a', () => {\n  for (const [a, b] of [['A b', 'a-b'], ['C', 'c']]) {\n    assert.equal(slug(a), b)\n  }\n  assert.throws(() => slug(null), TypeError)\n})\n",
		}, "### Success\n\n- `slug(\"A b\")` → `\"a-b\"`\n- `slug(\"C\")` → `\"c\"`\n\n### Error\n\n- `slug(null)` → `TypeError`\n"},
		"python, elsewhere, as it writes literals": {map[string]string{
			"m/__init__.py":   "def late(days: int, grace: bool) -> int | None:\n    return days\n",
			"tests/test_m.py": "from m import late\n\n\ndef test_a():\n    assert late(0, True) is None\n    assert late(1, False) == 10\n    assert late(2, False) == 20\n    assert late(3, False) == 30\n    with pytest.raises(ValueError):\n        late(-1, True)\n",
		}, "### Success\n\n- `late(0, True)` → `None`\n- `late(1, False)` → `10`\n- `late(2, False)` → `20`\n\n### Error\n\n- `late(-1, True)` → `ValueError`\n"},
		"python, lists": {map[string]string{
			"m/__init__.py": "def flags(a):\n    return a\n",
			"m/test_m.py":   "from m import flags\n\n\ndef test_a():\n    assert flags([True, False]) == [False, True]\n    assert flags({\"a\": None}) == []\n",
		}, "- `flags([True, False])` → `[False, True]`\n- `flags({\"a\": None})` → `[]`\n"},
		"java": {map[string]string{
			"pom.xml": "<project/>\n", "m/Main.java": "package m;\npublic class Main { public static int twice(int n) { return 2 * n; } public int own() { return 1; } }\n",
			"m/MainTest.java": "package m;\nclass MainTest {\n  @Test void twice() { assertEquals(4, Main.twice(2)); assertThat(Main.twice(3)).isEqualTo(6); assertEquals(1, new Main().own()); }\n}\n",
		}, "- `Main.twice(2)` → `4`\n- `Main.twice(3)` → `6`\n"},
		"nothing that a test computes": {map[string]string{
			"m/__init__.py": "def f(a: int) -> int:\n    return a\n", "m/test_m.py": "from . import f\n\n\ndef test_a(x):\n    assert f(x) == 3\n    assert f(1) == x\n",
		}, "None\n"},
	} {
		text := ""
		for _, d := range project(c.files).Decompile(".") {
			if d.Dir == "m" {
				text = string(d.Text)
			}
		}
		_, got, _ := strings.Cut(text, "## Behavior\n\n")
		if got, _, _ = strings.Cut(got, "\n## "); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestNoContractIsGuessed: what no code and no documentation says is no contract.
func TestNoContractIsGuessed(t *testing.T) {
	t.Parallel()
	for file, code := range map[string]string{
		"m.go":   "package m\n\nfunc ErrText(errText string) string {\n\tif errText != \"\" {\n\t\treturn errText\n\t}\n\treturn \"none\"\n}\n",
		"n.go":   "package m\n\nfunc Trim(n int) error {\n\tn, err := half(n)\n\tif n < 0 {\n\t\treturn err\n\t}\n\treturn nil\n}\n",
		"m.py":   "def f(n: int) -> int:\n    n = abs(n)\n    if n < 3:\n        raise ValueError\n    return n\n",
		"lib.rs": "pub fn f(n: i32) -> Result<i32, Bad> {\n    let n = n.abs();\n    if n < 3 {\n        return Err(Bad);\n    }\n    Ok(n)\n}\n",
	} {
		for _, c := range project(map[string]string{"m/" + file: code}).Analyze("m", nil).Contracts {
			t.Errorf("%s: %+v", file, c)
		}
	}
}
