package inspect_test

import (
	"strings"
	"testing"
)

// TestWhatASpecCannotMean: what a spec contradicts in itself is named, and only that.
func TestWhatASpecCannotMean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ exports, behavior, rest, want string }{
		"number of arguments": {"- `Half(n int) int`", "- `Half(3, 4)` → 1\n- `Half()` → 1", "", "Half(3, 4) cannot be called: the number of arguments is 2, Half takes 1; Half() cannot be called: the number of arguments is 0, Half takes 1"},
		"types":               {"- `Half(n int) int`\n- `Say(s string, ok bool) string`\n- `Sum(ns []int) int`", "- `Half(\"x\")` → 2\n- `Say(3, true)` → \"x\"\n- `Say(\"a\", \"b\")` → \"x\"\n- `Sum(3)` → 3", "", "Half(\"x\") cannot be called: n of Half is int, the example gives it \"x\"; Say(3, true) cannot be called: s of Say is string, the example gives it 3; Say(\"a\", \"b\") cannot be called: ok of Say is bool, the example gives it \"b\"; Sum(3) cannot be called: ns of Sum is []int, the example gives it 3"},
		"types of python":     {"- `half(n: int) -> int`", "- `half(\"x\")` → 2\n- `half(True)` → 0\n- `half(1.5)` → 0", "", "half(\"x\") cannot be called: n of half is int, the example gives it \"x\""},
		"it is to fail":       {"- `half(n: int) -> int`", "- `half(\"x\")` → TypeError\n\n### Error\n\n- `half()` → TypeError", "", ""},
		"arguments that may be left out": {
			"- `a(n: int, m: int = 2) -> int`\n- `b(*ns: int) -> int`\n- `c(n?: number): number`\n- `d(n: int, *, m: int = 1) -> int`\n- `e(…)`\n- `F(ctx context.Context, n int) int`\n- `G(ns ...int) int`\n- `h(n: Optional[int]) -> int`",
			"- `a(1)` → 2\n- `a(1, 2)` → 2\n- `b()` → 0\n- `b(1, 2, 3)` → 6\n- `c()` → 1\n- `d(1)` → 1\n- `e(1, 2)` → 3\n- `F(1)` → 1\n- `G(1, 2)` → 1\n- `h()` → 1", "", "",
		},
		"one of several":             {"- `f(a: string): string`\n- `f(a: number): number`\n- `f(a: number, b: number): number`", "- `f(1)` → 1\n- `f(\"a\")` → \"a\"\n- `f(1, 2)` → 3", "", ""},
		"types that are not known":   {"- `f(a: Money, b: T): T`\n- `G(r rune, d time.Duration) int`\n- `int k(char c)`", "- `f(1, \"x\")` → 1\n- `G('a', 5)` → 1\n- `k('c')` → 1", "", ""},
		"methods and fields":         {"### Classes\n\n- `Stack(size: number)`\n- `Stack.push(n: number): number`", "- `new Stack(1).push(2)` → 1\n- `push(3)` → 1\n- `pop()` → 1", "", ""},
		"a name that is not there":   {"- `Half(n int) int`", "- `Sub(3, 1)` → 2\n- `Hlaf(4)` → 2\n- `len(Half(4))` → 2\n- a full moon → 3", "", "the example calls Sub, which Exports do not list; the example calls Hlaf, which Exports do not list"},
		"no exports":                 {"None", "- `Sub(3, 1)` → 2", "## Contract\n\n### Sub\n\n- **Preconditions**: n\n", ""},
		"a contract of another name": {"- `Half(n int) int`\n- `Stack.Push(n int) int`", "None", "## Contract\n\n### Hlaf\n\n- **Preconditions**: n\n\n### half\n\n- **Preconditions**: n\n\n### Push\n\n- **Preconditions**: n\n\n### All functions\n\n- **Preconditions**: n\n\n### Half(n)\n\n- **Throws**: n\n", "the contract is of Hlaf, which Exports do not list; the contract is of half, which Exports do not list"},
		"an export twice":            {"- `Half(n int) int`\n- `Half(n  int) int`\n- `F(n int) int`\n- `F(n string) int`", "None", "", "export Half appears again"},
		"lines that cannot be read":  {"- `Half(n int) int`\n- `Twice(n int int`\n- `Third(n int)) int`\n- `four(f: (a: number) => void, s = \")\"): void`\n- `fn five<'a>(x: &'a str, f: fn() -> u8) -> &'a str`\n\n| Signature | What |\n|---|---|\n| `Six(n int) int` | six |\n| `Seven(n int int` | seven |", "None", "", "this export cannot be read: `Twice(n int int`; this export is not read as a whole, its brackets () do not fit: Third(n int)) int; this export cannot be read: Seven(n int int"},
	} {
		var got []string
		for _, p := range project(map[string]string{"m/CLAUDE.md": spec1(c.exports, c.behavior, c.rest)}).Check("m/CLAUDE.md", false).Problems {
			if !strings.HasPrefix(p.Text, "Missing required section") && !strings.HasPrefix(p.Text, "Export may be missing") {
				got = append(got, p.Text)
			}
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, text, c.want)
		}
	}
}
