package check

import (
	"fmt"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestShown: each piece of a change is shown by the tests that name it, or what calls it, and by no other.
func TestShown(t *testing.T) {
	t.Parallel()
	old := "package shop\n\nfunc Old() int { return 1 }\n"
	now := "package shop\n\nfunc Old() int { return 2 }\n\nfunc Total(n int) int { return half(n) }\n\nfunc half(n int) int { return n / 2 }\n\nfunc Alone() int { return 3 }\n"
	tests := "package shop\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(4) != 2 {\n\t\tt.Error()\n\t}\n}\n\nfunc TestOld(t *testing.T) {\n\tif Old() == 0 {\n\t\tt.Error()\n\t}\n}\n"
	p := taskProof{
		changes: []Change{{Path: "shop/shop.go", Status: 'M', Old: []byte(old), New: []byte(now)}, {Path: "shop/shop_test.go", Status: 'A', New: []byte(tests)}},
		proof: Proof{Red: []string{"shop/shop_test.go::TestTotal"}, Results: []step.TestResult{
			{ID: "shop/shop_test.go::TestTotal", Status: step.Pass}, {ID: "shop/shop_test.go::TestOld", Status: step.Pass},
		}},
	}
	const want = "[{shop/shop.go::Old covered [] [shop/shop_test.go::TestOld]} {shop/shop.go::Total proved [shop/shop_test.go::TestTotal] []} " +
		"{shop/shop.go::half proved [shop/shop_test.go::TestTotal] []} {shop/shop.go::Alone not checked [] []}]"
	if got := fmt.Sprint(p.shown()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := callersIn(source.Parse("a.py", []byte("def a():\n    return b()\n\ndef b():\n    return a()\n\ndef c():\n    return 1\n")), "a"); !got["b"] || got["c"] {
		t.Errorf("callers of a: %v", got)
	}
}

// TestNoTests is what runners print that have run nothing although they succeed, and what they print otherwise.
func TestNoTests(t *testing.T) {
	t.Parallel()
	for out, none := range map[string]bool{
		"Run options: include {:full_description=>/split/}\n\nAll examples were filtered out\n\n0 examples, 0 failures\n": true, // RSpec
		"Finished in 0.1 seconds\n4 examples, 0 failures\n":                                                               false,
		"Run options: -n /split/ --seed 1\n\n0 runs, 0 assertions, 0 failures, 0 errors, 0 skips\n":                       true, // Minitest
		"2 runs, 3 assertions, 0 failures, 0 errors, 0 skips\n":                                                           false,
		"Test project /build\nNo tests were found!!!\n":                                                                   true, // CTest
		"100% tests passed, 0 tests failed out of 2\n":                                                                    false,
		"No tests executed!\n":                                       true, // PHPUnit
		"OK (2 tests, 3 assertions)\n":                               false,
		"There are no tests to run\n":                                true, // ExUnit
		"ok  \texample.com/a\t0.1s [no tests to run]\n":              true,
		"ok  \texample.com/a\t0.1s [no tests to run]\nok  \tb\t1s\n": false,
	} {
		if got := noTests().MatchString(out) && !anyTest().MatchString(out); got != none {
			t.Errorf("%q: no tests %t, want %t", out, got, none)
		}
	}
}
