package source_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// TestCrashInLoops: a test that asserts nothing outside of its loops can be asked whether it comes into them.
func TestCrashInLoops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, src, want string }{
		"python": {
			"test_a.py", "def test_a():\n    got = f()\n    for x in got:\n        assert x\n",
			"\n    got = f()\n    for x in got:\n        raise BaseException(\"mutant\"); assert x",
		},
		"python, one more at its end": {
			"test_a.py", "def test_a():\n    for x in f():\n        assert x\n    assert f()\n",
			"\n    for x in f():\n        raise BaseException(\"mutant\"); assert x\n    assert f()",
		},
		"python, none in its loop":               {"test_a.py", "def test_a():\n    for x in f():\n        x.g()\n    assert f()\n", ""},
		"python, what is expected is made in it": {"test_a.py", "def test_a():\n    expected = []\n    for x in f():\n        expected.append(x)\n    assert g() == expected\n", ""},
		"python, no loop":                        {"test_a.py", "def test_a():\n    assert [x for x in f()]\n", ""},
		"node": {
			"a.test.js", "test('a', () => {\n  for (const x of f()) {\n    assert.ok(x);\n  }\n});\n",
			"'a', () => {\n  for (const x of f()) {\n    throw new Error(\"mutant\"); assert.ok(x);\n  }\n}",
		},
		"rust": {
			"tests/a.rs", "#[test]\nfn a() {\n    for x in f() {\n        assert!(x > 1);\n    }\n}\n",
			"{\n    for x in f() {\n        panic!(\"mutant\"); assert!(x > 1);\n    }\n}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := source.Parse(c.file, []byte(c.src))
			if len(f.Tests) != 1 {
				t.Fatalf("%d tests", len(f.Tests))
			}
			m, all, ok := f.CrashInLoops(f.Tests[0])
			if ok != (c.want != "") || m.New != c.want || all != (ok && name != "python, one more at its end") {
				t.Errorf("%v %v, %q, want %q", ok, all, m.New, c.want)
			}
		})
	}
}
