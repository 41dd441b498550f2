package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// TestMistakes are mistakes that are easily made and would go unseen.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const begin, end = "# m\n## Purpose\nAdds.\n## Exports\n- `add(n: number): number`\n## Behavior\n- `add(2)` → 4\n", "## Contract\nNone\n## Protocol\nNone\n## Domain Context\nNone\n"
	for text, want := range map[string]string{
		begin + end:                                  "",
		begin + "- add(2) → `5`\n" + end:             "8 add(2) has two outcomes, 4 and 5",
		begin + "- `add(3) → 6\n" + end:              "8 a backtick is not closed in this behavior, so nothing can be tested: `add(3) → 6",
		begin + end + "## Constrains\n- x":           "14 `## Constrains` is not a known section and is not read; did you mean `## Constraints`?",
		begin + end + "## Behaviro\n- x":             "14 `## Behaviro` is not a known section and is not read; did you mean `## Behavior`?",
		begin + end + "## Notes\n- x":                "",
		strings.Replace(begin, "Adds.", "", 1) + end: "2 Purpose is empty",
	} {
		d, ps := spec.Parse("a/CLAUDE.md", []byte(text))
		got := ""
		for _, p := range append(ps, spec.Check(d)...) {
			got += fmt.Sprintf("%d %s", p.Line, p.Text)
		}
		if got != want {
			t.Errorf("%s\ngives %q, want %q", text, got, want)
		}
	}
}
