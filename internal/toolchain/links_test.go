package toolchain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"":                                     "pub mod a;\npub mod b;\n",
		"//! Doc.\n":                           "//! Doc.\n\npub mod a;\npub mod b;\n",
		"//! Doc.\n\nuse x::y;\n":              "//! Doc.\n\npub mod a;\npub mod b;\n\nuse x::y;\n",
		"mod a;\n\nfn f() {}\n":                "mod a;\npub mod b;\n\nfn f() {}\n",
		"pub(crate) mod b;\npub mod a;":        "pub(crate) mod b;\npub mod a;",
		"/// Of f.\nfn f() {}\n":               "pub mod a;\npub mod b;\n\n/// Of f.\nfn f() {}\n",
		"#![allow(dead_code)]\nmod c;\nmod d;": "#![allow(dead_code)]\nmod c;\nmod d;\npub mod a;\npub mod b;\n",
	} {
		got := string(toolchain.WithLinks([]byte(before), []string{"pub mod a;", "pub mod b;"}))
		if got != want {
			t.Errorf("%q becomes %q, want %q", before, got, want)
		}
		if again := string(toolchain.WithLinks([]byte(got), []string{"pub mod a;", "pub mod b;"})); again != got {
			t.Errorf("%q changes again to %q", got, again)
		}
		lines, only := toolchain.NewLinks([]byte(before), []byte(got))
		if !only || slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(before, strings.TrimPrefix(l, "pub ")) }) {
			t.Errorf("new links of %q: %q, only %v", before, lines, only)
		}
	}
	if lines, only := toolchain.NewLinks([]byte("mod a;\n"), []byte("mod a;\npub mod b;\nfn f() {}\n")); only || !slices.Equal(lines, []string{"pub mod b;"}) {
		t.Errorf("links beside code: %q, only %v", lines, only)
	}
	if !toolchain.OnlyLinks("src/a/mod.rs", []byte("//! A.\n\npub mod b;\n")) || toolchain.OnlyLinks("src/a/mod.rs", []byte("mod b;\nuse x;\n")) || toolchain.OnlyLinks("a.py", nil) {
		t.Error("OnlyLinks")
	}
}
