package check

import (
	"strings"
	"testing"
)

// TestFailedIn: what runners print of a failure names it, and not when it was or how long it took.
func TestFailedIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ out, want string }{
		"go":                        {"--- FAIL: TestOld (0.02s)\n    old_test.go:5: no\n    --- FAIL: TestOld/a_b (0.00s)\nFAIL\nFAIL\texample.com/calc\t0.003s\nok  \texample.com/other\t0.1s\nFAIL\n", "--- FAIL: TestOld|--- FAIL: TestOld/a_b|FAIL\texample.com/calc"},
		"go, that does not compile": {"# example.com/calc [example.com/calc.test]\ncalc/a_test.go:5:2: undefined: x\nFAIL\texample.com/calc [build failed]\n", "# example.com/calc [example.com/calc.test]|FAIL\texample.com/calc [build failed]"},
		"pytest":                    {"tests/test_a.py F.   [100%]\nFAILED tests/test_a.py::test_x[1-2] - assert 1 == 2\nERROR tests/test_b.py - ImportError: no\n1 failed, 1 passed in 0.12s\n", "FAILED tests/test_a.py::test_x[1-2]|ERROR tests/test_b.py"},
		"unittest":                  {"FAIL: test_x (tests.test_a.A.test_x)\n----\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n", "FAIL: test_x (tests.test_a.A.test_x)"},
		"cargo":                     {"test tests::old ... FAILED\ntest tests::new ... ok\nerror: test failed, to rerun pass `--lib`\n", "test tests::old ... FAILED"},
		"node":                      {"▶ calc\n  ✖ old (1.234ms)\n  ✔ new (0.1ms)\n✖ calc (2ms)\n\n✖ failing tests:\n", "✖ old|✖ calc"},
		"node, TAP":                 {"not ok 3 - old\n  ---\n  duration_ms: 1\n", "old"},
		"jest":                      {"FAIL src/a.test.js\n  ● calc › old\n\n    expect\n", "FAIL src/a.test.js|● calc › old"},
		"vitest":                    {" FAIL  src/a.test.ts > calc > old\n × calc > old 3ms\n", "FAIL  src/a.test.ts > calc > old|× calc > old"},
		"nothing":                   {"Segmentation fault\n", ""},
	} {
		if got := strings.Join(failedIn([]byte(c.out)), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestAllKnown: what fails is nobody's where the engine's own run of the tests before the task says so, and the request does not speak of it.
func TestAllKnown(t *testing.T) {
	t.Parallel()
	known := []string{"tax/tax_test.go::TestOf", "tests/test_a.py::A::test_x", "a.test.js::calc > old"}
	for lines, want := range map[string]bool{
		"--- FAIL: TestOf|FAIL\texample.com/tax":    true,
		"--- FAIL: TestOf|--- FAIL: TestHits":       false,
		"FAIL\texample.com/tax [build failed]":      false,
		"FAILED tests/test_a.py::A::test_x":         true,
		"FAILED tests/test_a.py::A::test_y":         false,
		"✖ old|✖ calc":                              true,
		"✖ new|✖ calc":                              false,
		"FAIL  a.test.ts > calc > old|× calc > old": true,
		"": false,
	} {
		p := &taskProof{t: Task{Known: known, Request: "Let Total take an empty cart"}}
		if got := p.allKnown(strings.Split(lines, "|")); got != want {
			t.Errorf("%q: %t, want %t", lines, got, want)
		}
	}
	p := &taskProof{t: Task{Known: known, Request: "TestOf must be right"}}
	if p.allKnown([]string{"--- FAIL: TestOf"}) {
		t.Error("the request is about the test")
	}
}
