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
