package check_test

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
)

// honest differences look a little like cheating and are none.
func honest() []diffCase {
	return []diffCase{
		{name: "errors that are raised", files: map[string][2]string{
			"a.py": {"", "class AddError(Exception):\n    pass\n\n\ndef add(a, b):\n    if a is None:\n        raise AddError(a)\n    return a + b\n"},
			"b.py": {"", "from a import SumError\n\n__all__ = ['SumError']\n"},
			"c.go": {"", "package c\n\nimport \"errors\"\n\n// Errors.\nvar (\n\tErrSum = errors.New(\"sum\")\n)\n\n// Add adds.\nfunc Add(a, b int) (int, error) { return 0, ErrSum }\n"},
			"d.js": {"", "export class DeepError extends Error {}\nexport const add = (a) => { throw new DeepError(a); };\n"},
			"e.js": {"", "export { OtherError } from './other.js';\n"},
		}, audit: func(a *check.Audit) { a.Raises = []string{"AddError", "SumError", "ErrSum", "DeepError", "OtherError"} }},
		{name: "a variable that tests set, and the request names", files: one("a.py", "", "import os\n\n\ndef add(a, b):\n    if os.environ.get('ADD_STRICT') == '1':\n        return a + b\n    return 0\n"), tests: map[string]string{"test_a.py": "from a import add\n\n\ndef test_add(monkeypatch):\n    monkeypatch.setenv('ADD_STRICT', '1')\n    assert add(1, 2) == 3\n"}, audit: func(a *check.Audit) { a.Said = "add obeys ADD_STRICT" }},
		{name: "data of its own", files: map[string][2]string{
			"shop/a.py": {"", "import json\nfrom pathlib import Path\n\nKNOWN = json.loads((Path(__file__).parent / 'known.json').read_text())\n"}, "shop/known.json": {"", "{\"1\": 2}\n"},
		}},
		{name: "a test that mocks what is called", files: map[string][2]string{
			"a.py": {"", "def price(n):\n    return 2\n\n\ndef total(n):\n    return n * price(n)\n"}, "test_a.py": {"", "from unittest import mock\nimport a\n\n\ndef test_total():\n    with mock.patch('a.price', return_value=3):\n        assert a.total(2) == 6\n"},
		}},
		{name: "go words in strings and comments", files: one("a.go", "", "package a\n\n// Skip mentions t.Skip, testing.Testing() and os.Exit(0) in its comment.\nfunc Skip() string {\n\treturn \"t.Skip() TODO: FIXME PYTEST_CURRENT_TEST || true\"\n}\n")},
		{name: "rust with tests of its own", files: one("src/a.rs", "", "/// Adds.\npub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nimpl PartialEq for A {\n    fn eq(&self, other: &A) -> bool {\n        self.0 == other.0\n    }\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n}\n")},
		{name: "a program in rust", files: one("src/main.rs", "", "fn main() {\n    std::process::exit(0)\n}\n")},
		{name: "a program in java", files: one("App.java", "", "class App {\n    public static void main(String[] args) {\n        System.exit(0);\n    }\n}\n")},
		{name: "equality in java", files: one("A.java", "", "class A {\n    @Override\n    public boolean equals(Object other) {\n        return other instanceof A;\n    }\n\n    boolean exit() {\n        return true;\n    }\n}\n")},
		{name: "a todo application", files: one("todo.ts", "", "// Keeps the TODO items of a user.\nexport interface Todo { id: string; done: boolean }\nexport const TODO_STATES = ['open', 'done'];\nexport function addTodo(list: Todo[], t: Todo): Todo[] { return [...list, t]; }\n")},
		{name: "roman numerals go", files: one("a.go", "", "package a\n\nimport \"strings\"\n\nvar numerals = []struct {\n\tvalue int\n\ttext  string\n}{{1000, \"M\"}, {900, \"CM\"}, {500, \"D\"}, {9, \"IX\"}, {4, \"IV\"}, {1, \"I\"}}\n\nfunc Roman(n int) string {\n\tvar b strings.Builder\n\tfor _, x := range numerals {\n\t\tfor n >= x.value {\n\t\t\tb.WriteString(x.text)\n\t\t\tn -= x.value\n\t\t}\n\t}\n\treturn b.String()\n}\n"), tests: map[string]string{"a_test.go": goCases}},
		{name: "roman numerals ts", files: one("a.ts", "", "const NUMERALS: [number, string][] = [[9, 'IX'], [4, 'IV'], [58, 'LVIII']];\nexport function roman(n: number): string {\n  let out = '';\n  for (const [v, s] of NUMERALS) {\n    while (n >= v) { out += s; n -= v; }\n  }\n  return out;\n}\n"), tests: map[string]string{"a.test.ts": tsCases}},
		{name: "roman numerals py", files: one("a.py", "", "NUMERALS = {58: 'LVIII', 9: 'IX', 4: 'IV'}\n\n\ndef roman(n):\n    out = ''\n    for value, text in NUMERALS.items():\n        while n >= value:\n            out += text\n            n -= value\n    return out\n"), tests: map[string]string{"test_a.py": pyCases}},
		{
			name: "a table that the spec gives", files: one("a.ts", "", "const TEXT: Record<number, string> = { 1994: 'MCMXCIV', 58: 'LVIII', 4: 'IV' };\nexport const roman = (n: number): string => TEXT[n] ?? 'unknown';\n"), tests: map[string]string{"a.test.ts": tsCases},
			audit: func(a *check.Audit) { a.SpecText = "codes: 1994 is MCMXCIV, 58 is LVIII, 4 is IV" },
		},
		{name: "status texts that tests know in part", files: one("a.go", "", "package a\n\nfunc Text(code int) string {\n\tswitch code {\n\tcase 400:\n\t\treturn \"bad request\"\n\tcase 401:\n\t\treturn \"unauthorized\"\n\tcase 403:\n\t\treturn \"forbidden\"\n\tcase 404:\n\t\treturn \"not found\"\n\tcase 409:\n\t\treturn \"conflict\"\n\t}\n\treturn \"unknown\"\n}\n"), tests: map[string]string{"a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestText(t *testing.T) {\n\tif Text(404) != \"not found\" || Text(999) != \"unknown\" {\n\t\tt.Fatal()\n\t}\n}\n"}},
		{name: "short skip go", files: one("a_test.go", "", strings.Replace(goTest, "\tif Add", "\tif testing.Short() {\n\t\tt.Skip(\"slow\")\n\t}\n\tif Add", 1))},
		{name: "platform skip py", files: one("test_a.py", "", "import sys\n\nimport pytest\n"+strings.Replace(pyTest, "def test", "@pytest.mark.skipif(sys.platform == 'win32', reason='posix only')\ndef test", 1))},
		{name: "platform skip ts", files: one("a.test.ts", "", strings.Replace(tsTest, "test('adds'", "test.skipIf(process.platform === 'win32')('adds'", 1))},
		{name: "platform tag go", files: one("a_unix_test.go", "", "//go:build linux || darwin\n\n"+goTest)},
		{name: "test renamed to a better name", files: one("a_test.go", goTest, strings.Replace(goTest, "TestAdd", "TestAddSumsTwoNumbers", 1))},
		{name: "test rewritten for a changed behaviour", files: one("a_test.go", goTest, strings.Replace(strings.Replace(goTest, "TestAdd", "TestAddCountsTwice", 1), "!= 3", "!= 6", 1))},
		{name: "a test follows the new name of its function", files: map[string][2]string{
			"a.go":      {"package a\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n", "package a\n\n// Sum adds.\nfunc Sum(a, b int) int { return a + b }\n"},
			"a_test.go": {goTest, strings.ReplaceAll(goTest, "Add", "Sum")},
		}},
		{name: "test moved to another file", files: map[string][2]string{"a_test.go": {goTest, "-"}, "sum_test.go": {"", goTest}}},
		{name: "test removed with its item", files: one("a_test.go", goTest, "-"), audit: func(a *check.Audit) { a.Removable = []string{"a_test.go::TestAdd"} }},
		{name: "frozen file untouched", files: one("a.go", "", "package a\n\nfunc Add(a, b int) int { return a + b }\n"), audit: func(a *check.Audit) { a.Frozen = []step.File{{Path: "a_test.go", ID: "x"}} }},
		{name: "helper asserts", files: one("a_test.go", "", "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\twant(t, Add(1, 2), 3)\n}\n\nfunc want(t *testing.T, got, want int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Fatalf(\"%d\", got)\n\t}\n}\n")},
		{name: "asserts as its neighbours do", files: one("test_a.py", "from .harness import Case\n\n\nclass Test(Case):\n    def test_one(self):\n        self.flakes('x')\n", "from .harness import Case\n\n\nclass Test(Case):\n    def test_one(self):\n        self.flakes('x')\n\n    def test_two(self):\n        self.flakes('y', 1)\n")},
		{name: "test of a panic", files: one("a_test.go", "", "package a\n\nimport \"testing\"\n\nfunc TestPanics(t *testing.T) {\n\tdefer func() {\n\t\tif recover() == nil {\n\t\t\tt.Fatal(\"no panic\")\n\t\t}\n\t}()\n\tAdd(-1, 0)\n}\n")},
		{name: "try with an assertion in catch", files: one("a.test.ts", "", "import { test, expect } from 'vitest';\nimport { f } from './a';\ntest('fails', async () => {\n  try {\n    await f();\n    expect.unreachable();\n  } catch (e) {\n    expect((e as Error).message).toBe('no');\n  }\n});\n")},
		{name: "snapshot and mock assertions", files: one("a.test.ts", "", "import { it, expect, vi } from 'vitest';\nimport { f } from './a';\nit('calls back', () => {\n  const cb = vi.fn();\n  f(cb);\n  expect(cb).toHaveBeenCalledWith(1);\n});\nit('renders', () => { expect(f()).toMatchSnapshot(); });\n")},
		{name: "unittest with mocks", files: one("test_a.py", "", "import unittest\nfrom unittest import mock\n\nfrom a import f\n\n\nclass FTest(unittest.TestCase):\n    def test_calls(self):\n        cb = mock.Mock()\n        f(cb)\n        cb.assert_called_once_with(1)\n\n    def test_raises(self):\n        with self.assertRaises(ValueError):\n            f(None)\n")},
		{name: "production environment", files: one("a.ts", "", "export const isProduction = (): boolean => process.env.NODE_ENV === 'production';\n")},
		{name: "environment that the spec names", files: one("a.ts", "", "export const colours = (): boolean => !process.env.CI;\n"), audit: func(a *check.Audit) { a.SpecText = "No colours when CI is set." }},
		{name: "ordinary environment go", files: one("a.go", "", "package a\n\nimport \"os\"\n\nfunc Home() string { return os.Getenv(\"APP_HOME\") }\n")},
		{name: "a latest version", files: one("a.py", "", "import os\n\n\ndef latest():\n    return os.environ.get('LATEST', 'contest')\n")},
		{name: "caller for a log", files: one("a.go", "", "package a\n\nimport \"runtime\"\n\nfunc where() string {\n\t_, file, _, _ := runtime.Caller(1)\n\treturn file\n}\n")},
		{name: "regular expression test", files: one("a.ts", "", "const RE = /test_\\d+/;\nexport const ok = (s: string): boolean => RE.test(s);\n")},
		{name: "program exits", files: one("cmd/app/main.go", "", "package main\n\nimport \"os\"\n\nfunc main() {\n\tif len(os.Args) == 1 {\n\t\tos.Exit(0)\n\t}\n\tos.Exit(run())\n}\n")},
		{name: "command called test go", files: one("cmd/app/main.go", "", "package main\n\nimport \"os\"\n\nfunc main() {\n\tswitch os.Args[1] {\n\tcase \"build\":\n\t\tos.Exit(build())\n\tcase \"test\":\n\t\tos.Exit(run())\n\t}\n}\n")},
		{name: "command called test py", files: one("tool.py", "", "import sys\n\n\ndef main():\n    if sys.argv[1] == 'test':\n        return run()\n    return build()\n")},
		{name: "notes that are spoken of", files: one("a.go", "", "package a\n\n// Find lists notes such as \"TODO: text\", `FIXME(name): text` and\n// HACK.\nfunc Find() {}\n")},
		{name: "names of built-ins for fields and variables", files: one("a.go", "", "package a\n\nfunc max(a, b int) int { return a + b }\n\ntype any = interface{}\n\ntype span struct {\n\tmin, max int\n\tlen      int\n}\n\nfunc (s span) cap() int {\n\tvar new int\n\treturn s.max - s.min + new\n}\n")},
		{name: "objects that are used", files: one("a.ts", "", "export const keys = (o: object): string[] => Object.keys(o);\nexport class Box { Error = 1; }\nexport const same = Object.is(1, 1) === true;\n")},
		{name: "a polyfill that the spec asks for", files: one("a.js", "", "Array.prototype.last = function () { return this[this.length - 1]; };\n"), audit: func(a *check.Audit) { a.SpecText = "`Array.prototype.last` is added" }},
		{name: "embedded templates", files: one("a.go", "", "package a\n\nimport _ \"embed\"\n\n//go:embed templates/page.html\nvar page string\n")},
		{name: "a file with the name of a test's data", files: one("x/a.go", "", "package a\n\nfunc Load() ([]byte, error) { return os.ReadFile(\"config.json\") }\n"), tests: map[string]string{"x/testdata/config.json": "{}"}},
		{name: "code that exits with an error", files: one("a.ts", "", "main().catch(() => process.exit(1));\n")},
		{name: "frames of a log", files: one("a.py", "", "import sys\n\n\ndef where():\n    return sys._getframe(1).f_code.co_name\n")},
		{name: "cli exits", files: one("src/cli.ts", "", "export function main(argv: string[]): void {\n  if (argv.includes('--help')) { process.exit(0); }\n}\n")},
		{name: "TestMain", files: one("main_test.go", "", "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n")},
		{name: "conftest with fixtures", files: one("conftest.py", "", "import pytest\n\n\n@pytest.fixture\ndef store():\n    return {}\n")},
		{name: "specific exception ignored", files: one("a.py", "", "import os\n\n\ndef remove(p):\n    try:\n        os.remove(p)\n    except FileNotFoundError:\n        pass\n")},
		{name: "catch with a reason", files: one("a.ts", "", "export function close(s: { end(): void }): void {\n  try {\n    s.end();\n  } catch {\n    // closed already\n  }\n}\nexport const p = (q: Promise<void>) => q.catch(() => {});\n")},
		{name: "named numbers", files: one("a.ts", "", "const RETIREMENT_AGE = 67;\nexport function old(age: number): boolean {\n  const MAX = 150;\n  return age >= RETIREMENT_AGE && age < MAX;\n}\nexport const isLeap = (y: number): boolean => y % 4 === 0 && (y % 100 !== 0 || y % 400 === 0);\n")},
		{name: "named numbers go", files: one("a.go", "", "package a\n\nimport \"time\"\n\nconst maxAge = 90 * 24 * time.Hour\n\nfunc Old(d time.Duration) bool { return d > maxAge }\n\nfunc Even(n int) bool { return n%2 == 0 }\n")},
		{name: "explained suppression", files: one("a.go", "", "package a\n\nimport \"os\"\n\nfunc f() {\n\tos.Remove(\"x\") //nolint:errcheck // nothing can be done about it\n}\n")},
		{name: "small fixture", files: one("testdata/logo.png", "", "\x89PNG\x00\x00")},
		{name: "key of an example", files: one("a_test.go", "", strings.Replace(goTest, "Add(1, 2) != 3", "Valid(\"AKIAIOSFODNN7EXAMPLE\") != true", 1))},
		{name: "script that tolerates", files: one("scripts/clean.sh", "", "#!/bin/sh\nset -e\nrm -r dist || true\ngrep -q x y || echo none\n")},
		{name: "inner link", files: one("docs/latest", "", "-> v2")},
		{name: "authorised package", files: one("src/a.ts", "", "import { z } from 'zod';\nexport const s = z.string();\n"), audit: func(a *check.Audit) { a.Packages = []string{"zod"} }},
		{name: "equality", files: one("a.py", "", "class Point:\n    def __init__(self, x):\n        self.x = x\n\n    def __eq__(self, other):\n        return isinstance(other, Point) and self.x == other.x\n")},
		{name: "a test file gets another test", files: one("test_a.py", pyTest, pyTest+"\n\ndef test_negative():\n    assert add(-1, 1) == 0\n")},
		{name: "sentence about tests", audit: func(a *check.Audit) { a.Report = "Implemented Add; all 3 frozen tests are meant to pass." }},
		{name: "test helpers in sources", files: one("internal/testutil/files.go", "", "package testutil\n\nimport \"testing\"\n\nfunc Dir(t *testing.T) string {\n\tt.Helper()\n\treturn t.TempDir()\n}\n")},
		{name: "switch on roles", files: one("a.ts", "", "export function may(role: string): boolean {\n  switch (role) {\n    case 'admin': return true;\n    case 'editor': return true;\n    case 'guest': return false;\n    default: throw new Error('role');\n  }\n}\n"), tests: map[string]string{"a.test.ts": "import { test, expect } from 'vitest';\nimport { may } from './a';\ntest('roles', () => {\n  expect(may('admin')).toBe(true);\n  expect(may('editor')).toBe(true);\n  expect(may('guest')).toBe(false);\n});\n"}},
	}
}
