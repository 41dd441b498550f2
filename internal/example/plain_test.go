package example_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/example"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang, signature, has string
		count                int
	}{
		{"python", "def f(c: str) -> bool", `f("a b") f("")`, 7},
		{"python", "def f(c: str, n: int = 3)", `f("12")`, 7},
		{"python", "def f(c)", `f("a b") f(2) f([]) f(["a b", ""])`, 15},
		{"python", "def f(c, n: bool)", `f("a b", true) f("a b", false) f(0, true)`, 18},
		{"python", "def f(c: list[int] | None)", `f([2, 0]) f([])`, 3},
		{"python", "def f(c: Path)", "", 0},
		{"python", "def f()", "", 0},
		{"python", "def f(*c)", "", 0},
		{"python", "def f(*, c: str)", "", 0},
		{"python", "def f(self)", "", 0},
		{"go", "func F(s string, n int) (string, error)", `F("a b", 2) F("", 2) F("a b", -1)`, 11},
		{"go", "func F(list []string)", `F([])`, 3},
		{"go", "func F(ctx context.Context, s string)", "", 0},
		{"go", "func F(r io.Reader)", "", 0},
		{"typescript", "function f(s: string, kind: 'a' | 'b', more?: Options): number", `f("a b", "a") f("a b", "b")`, 8},
		{"typescript", "function f(s: Options): number", "", 0},
	} {
		var got []string
		name := "f"
		if tt.lang == "go" {
			name = "F"
		}
		for _, e := range example.Plain(name, tt.signature, tt.lang, nil) {
			got = append(got, e.Calls())
		}
		for _, want := range strings.SplitAfter(tt.has, ") ") {
			if want = strings.TrimSpace(want); want != "" && !strings.Contains(strings.Join(got, "\n"), want) {
				t.Errorf("%s: no %s in %s", tt.signature, want, got)
			}
		}
		if n := len(got); tt.count != n {
			t.Errorf("%s: %d calls, want %d: %s", tt.signature, n, tt.count, got)
		}
	}
}

// TestNear: values that a change asks for are tried in the place of others of their kind, with what is next to them; none that names a place.
func TestNear(t *testing.T) {
	t.Parallel()
	own := []example.Value{{Kind: example.String, Text: "rem"}, {Kind: example.String, Text: "/etc"}, {Kind: example.Number, Text: "10"}}
	var got []string
	list, _ := example.InText("f('a', 2) is 3")
	for _, e := range example.Near(list, 20, own) {
		got = append(got, e.Calls())
	}
	want := `f("rem", 2) f("a", 10) f("rema", 2) f("a", 9) f("a", 11)`
	if text := strings.Join(got, " "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
	got = nil
	for _, e := range example.Plain("f", "def f(n: int) -> int", "python", own) {
		got = append(got, e.Calls())
	}
	if text := strings.Join(got, " "); !strings.Contains(text, "f(10) f(9) f(11)") || strings.Contains(text, "rem") {
		t.Error(text)
	}
}
