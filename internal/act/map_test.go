package act_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/act"
)

// TestMap: of a project of many sources an author is shown those that the request is about, and the names of the others.
func TestMap(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"shop/cart.go":      "package shop\n\n// Cart holds what is bought.\ntype Cart struct{}\n\n// Total adds up.\nfunc (c *Cart) Total() int { return 0 }\n\n// Discount lowers a price.\nfunc Discount(price int) int { return price }\n",
		"shop/cart_test.go": "package shop\n",
		"shop/parcel.go":    "package shop\n\n// Parcel is sent.\ntype Parcel struct{}\n",
		"mail/letter.go":    "package mail\n\n// Letter is written.\ntype Letter struct{}\n",
		"tools/weigh.go":    "package main\n\nfunc main() { balance() }\n\n// balance asks the scale.\nfunc balance() { println(\"the scale is silent\") }\n",
		"README.md":         "# Shop\n",
	}
	for i := range 300 {
		files[fmt.Sprintf("made/part%03d/price_of_part.go", i)] = fmt.Sprintf("package part\n\n// Price%d is a price.\nfunc Price%d() int { return %d }\n", i, i, i)
	}
	var paths []string
	for p := range files {
		paths = append(paths, p)
	}
	read := func(p string) []byte { return []byte(files[p]) }
	for request, want := range map[string]struct{ first, not string }{
		"Discount shall never raise a price":       {"shop/cart.go", "Parcel"},
		"parcels are weighed before they are sent": {"shop/parcel.go", "Letter"},
		"write letters": {"mail/letter.go", "Cart"},
		"`the scale is silent` is printed when the scale works": {"tools/weigh.go", "Cart"},
		"Price17 is wrong": {"made/part017/price_of_part.go", "Letter"},
		"the sum that `Cart.Total` returns is too low": {"shop/cart.go", "Parcel"},
		"nothing of this is there":                     {"", "shop"},
	} {
		got := act.Relevant(request, paths, read)
		if first, _, _ := strings.Cut(got, "\n"); first != want.first {
			t.Errorf("%s: %q comes first, want %q", request, first, want.first)
		}
		if strings.Contains(got, want.not) || len(got) > 5_000 {
			t.Errorf("%s: %d bytes:\n%s", request, len(got), got)
		}
	}
	shown := map[string]string{"shop/cart.go": files["shop/cart.go"], "docs/examples/cart.go": "package main\n\n// Cart is shown.\ntype Cart struct{}\n"}
	both := []string{"docs/examples/cart.go", "shop/cart.go"}
	look := func(p string) []byte { return []byte(shown[p]) }
	if got := act.Relevant("a cart has a total", both, look); strings.Contains(got, "docs/") {
		t.Errorf("an example is among what a change is about:\n%s", got)
	}
	if got := act.Relevant("the examples in the docs shall have a cart", both, look); !strings.Contains(got, "docs/examples/cart.go") {
		t.Errorf("the example that was asked for is missing:\n%s", got)
	}
	limits := map[string]string{"a.go": "package a\n\nconst MaxWeight = 30_000\n", "b.py": "MAX_WEIGHT = 30_000\n", "c.ts": "export const MAX_WEIGHT = 30_000;\n"}
	if got := act.Relevant("a greater max weight", []string{"a.go", "b.py", "c.ts"}, func(p string) []byte { return []byte(limits[p]) }); strings.Count(got, "= 30_000") != 3 {
		t.Errorf("what the limits are is not shown:\n%s", got)
	}
	many := "package stock\n"
	for i := range 80 {
		many += fmt.Sprintf("\n// Shelf%d is one of many.\nfunc Shelf%d(width, height int) (weight int) { return width * height }\n", i, i)
	}
	many += "\n// Reserve sets goods aside.\nfunc Reserve(n int) error { return backorder(n) }\n\nfunc backorder(int) error { return nil }\n"
	got := act.Relevant("a backorder has a date", []string{"stock/stock.go"}, func(string) []byte { return []byte(many) })
	if _, second, _ := strings.Cut(got, "\n"); !strings.HasPrefix(second, "  func Reserve(") || !strings.Contains(got, "more\n") || len(got) > 1_700 {
		t.Errorf("what does it in its code does not come first, or all is shown (%d bytes):\n%s", len(got), got)
	}
	list := act.FileMap(paths)
	if len(list) > 3_100 || !strings.Contains(list, "more directories") {
		t.Errorf("%d bytes:\n%s", len(list), list)
	}
	if got := act.FileMap([]string{"README.md", "a/one.go", "a/two_test.go", "go.mod", "a/b/notes.md", "a/picture.png"}); got != ".: README.md go.mod\na: one.go two_test.go\n" {
		t.Errorf("got %q", got)
	}
}
