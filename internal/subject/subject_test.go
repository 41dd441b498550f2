package subject_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/subject"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	histories := map[string][]string{
		"new":          {"Initial commit", "feat: begin"},
		"sentences":    {"Add a cart", "Fix the total", "start", "Say how it is used"},
		"lower":        {"add a cart", "fix the total", "say how it is used"},
		"conventional": {"feat(cart)!: add discounts", "fix: the total", "docs: say it", "Merge things"},
		"upper types":  {"feat: Add discounts", "fix: The total", "docs: Say it"},
		"go":           {"cart: add discounts", "net/http, cart: fix it", "all: go fmt", "Release 1.2"},
		"short go":     {"cart: add discounts", "shop: fix it", "all: go fmt"},
		"tickets":      {"SHOP-1: add discounts", "SHOP-2: fix it", "SHOP-3: go fmt"},
		"korean":       {"할인 추가", "합계 수정", "설명"},
		"half":         {"feat: a", "fix: b", "c d", "e f"},
	}
	code, tests, docs := []string{"shop/cart/cart.go", "shop/cart/cart_test.go"}, []string{"a/a_test.go", "a/testdata/x.json"}, []string{"README.md"}
	for _, c := range []struct {
		history, kind, sentence string
		files                   []string
		want                    string
	}{
		{"new", "feat", "Add a discount.", code, "Add a discount"},
		{"sentences", "feat", "add a discount", code, "Add a discount"},
		{"lower", "fix", "Total of an empty cart is 0", code, "total of an empty cart is 0"},
		{"lower", "fix", "HTTP errors are told", code, "HTTP errors are told"},
		{"sentences", "feat", "getUser takes an id", code, "getUser takes an id"},
		{"sentences", "feat", "max_items is 5", code, "max_items is 5"},
		{"conventional", "feat", "Add a discount", code, "feat: add a discount"},
		{"conventional", "fix", "Add a discount", tests, "test: add a discount"},
		{"conventional", "feat", "Say how", docs, "docs: say how"},
		{"conventional", "feat", "Pin it", []string{"requirements.txt"}, "feat: pin it"},
		{"conventional", "refactor", "Cut it", code, "refactor: cut it"},
		{"upper types", "fix", "cut it", code, "fix: Cut it"},
		{"go", "feat", "Add a discount", code, "shop/cart: add a discount"},
		{"go", "feat", "Add a discount", []string{"shop/cart/a.go", "shop/x/b.go"}, "shop: add a discount"},
		{"go", "feat", "Add a discount", []string{"shop/cart/a.go", "shopping/b.go"}, "add a discount"},
		{"short go", "feat", "Add a discount", code, "cart: add a discount"},
		{"tickets", "feat", "Add a discount", code, "Add a discount"},
		{"korean", "feat", "장바구니  할인", code, "장바구니 할인"},
		{"half", "feat", "Add it", code, "add it"},
		{"sentences", subject.WIP, "Carts are not finished", tests, "wip: Carts are not finished"},
	} {
		if got := subject.Of(histories[c.history]).Write(c.kind, c.sentence, c.files); got != c.want {
			t.Errorf("%s: %q (%s) is %q, want %q", c.history, c.sentence, c.kind, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	conventional := []string{"feat: a", "fix: b", "docs: c"}
	for text, want := range map[string]string{
		strings.Repeat("word ", 30):                    "feat: " + strings.TrimSpace(strings.Repeat("word ", 13)),
		strings.Repeat("할", 100):                       "feat: " + strings.Repeat("할", 66),
		strings.Repeat("x", 66) + " more":              "feat: " + strings.Repeat("x", 66),
		strings.Repeat("word ", 12) + "and, then more": "feat: " + strings.Repeat("word ", 12) + "and",
	} {
		got := subject.Of(conventional).Write("feat", text, nil)
		if got != want || utf8.RuneCountInString(got) > 72 {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}

func TestRevert(t *testing.T) {
	t.Parallel()
	plain, typed := subject.Of(nil), subject.Of([]string{"feat: a", "fix: b", "docs: c"})
	got := []string{
		plain.Revert([]string{"Add it"}), plain.Revert([]string{"Add it", "Say it"}), typed.Revert([]string{"feat: add it", "docs: say it"}),
		plain.Revert([]string{strings.Repeat("word ", 14), "b"}),
	}
	want := []string{`Revert "Add it"`, `Revert "Add it" and others`, "revert: add it and others", `Revert "` + strings.TrimSpace(strings.Repeat("word ", 10)) + `" and others`}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
