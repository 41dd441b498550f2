package spec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// What stands in code keeps its blanks: two behaviours that differ only there are two.
func TestCodeKeepsItsBlanks(t *testing.T) {
	t.Parallel()
	d := parse(t, "## Behavior\n- `slugify(\"a  --  b\")` → `\"a-b\"`\n- `slugify(\"a -- b\")`   →  `\"a-b\"`\n\n## Contract\n### f\n- **Postconditions**: never   `a  b`\n")
	items := spec.Items(d)
	var texts []string
	for _, it := range items {
		texts = append(texts, it.Text)
	}
	want := []string{"`slugify(\"a  --  b\")` → `\"a-b\"`", "`slugify(\"a -- b\")` → `\"a-b\"`", "Postcondition: never `a  b`"}
	if !slices.Equal(texts, want) {
		t.Errorf("items = %q, want %q", texts, want)
	}
	laid := spec.Items(parse(t, "## Behavior\n- `f( x )`   of   `y`  → `1`\n"))
	plain := spec.Items(parse(t, "## Behavior\n- `f( x )` of `y` → `1`\n"))
	if laid[0].ID != plain[0].ID || laid[0].Hash != plain[0].Hash {
		t.Error("white space outside of code changed an item")
	}
}

// A sign belongs to the value, not to the arrow before it.
func TestAnArrowTakesNoSign(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"f(1) → -60":        "f(1) | -60",
		"f(1) -> -1.5":      "f(1) | -1.5",
		"f(1) → > 5":        "f(1) | > 5",
		"f(1) → >5":         "f(1) | >5",
		"f(1) ⇒ -7":         "f(1) | -7",
		"f(1)--> -7":        "f(1) | -7",
		"f(1)->-7":          "f(1) | -7",
		"-5 → 25":           "-5 | 25",
		"i-- → i is less":   "i-- | i is less",
		"`-5 -> -25`":       "-5 | -25",
		"`f(1) → -60`":      "f(1) | -60",
		"`f(1) -> > 5`":     "f(1) | > 5",
		"`f(1)` → `-60`":    "`f(1)` | `-60`",
		"f(1) -> - nothing": "f(1) | - nothing",
	} {
		d := parse(t, "## Behavior\n- "+line+"\n")
		if len(d.Behaviors) != 1 || d.Behaviors[0].Input+" | "+d.Behaviors[0].Output != want {
			t.Errorf("%s: %+v, want %s", line, d.Behaviors, want)
		}
	}
}

// FuzzSigns writes a value behind each arrow: it comes out as it went in, and its sign is part of what the item is known by.
func FuzzSigns(f *testing.F) {
	f.Add(int64(60), uint8(0))
	f.Add(int64(-1), uint8(5))
	f.Fuzz(func(t *testing.T, n int64, form uint8) {
		marks := []string{" → ", " -> ", "->", " ⇒ ", "→", " --> "}
		mark := marks[int(form)%len(marks)]
		item := func(n int64) (string, string) {
			d := parse(t, fmt.Sprintf("## Behavior\n- f(1)%s%d\n", mark, n))
			items := spec.Items(d)
			if len(items) != 1 {
				t.Fatalf("%d behind %q: %+v", n, mark, items)
			}
			return d.Behaviors[0].Output, items[0].Hash
		}
		out, hash := item(n)
		if out != fmt.Sprint(n) {
			t.Errorf("%d behind %q is read as %q", n, mark, out)
		}
		if _, other := item(-n); n != 0 && n != -n && hash == other {
			t.Errorf("%d and %d behind %q are one item", n, -n, mark)
		}
	})
}

// What the root says to everybody is all that is in no section with a meaning.
func TestRules(t *testing.T) {
	t.Parallel()
	const free = "# P\n\nWe write for the blind.\n\n## Testing\n\n<!-- not this -->\n- titles in Korean\n\n### Naming\n\n- by behaviour\n\n"
	for _, c := range []struct{ path, src, want string }{
		{"CLAUDE.md", free, "We write for the blind.\n\n## Testing\n\n- titles in Korean\n\n### Naming\n\n- by behaviour"},
		{"CLAUDE.md", free + "## Code Convention\n\n- tabs\n\n## Structure\n\n- a/\n\n## Safety\n\n- no eval\n", "We write for the blind.\n\n## Testing\n\n- titles in Korean\n\n### Naming\n\n- by behaviour\n\n## Safety\n\n- no eval"},
		{"CLAUDE.md", "# P\n\n## Purpose\n\nx\n\n## Exports\n\n- `f(): void`\n", ""},
		{"CLAUDE.md", "# P\n\n## Later\n", ""},
		{"m/CLAUDE.md", free, ""},
	} {
		d, _ := spec.Parse(c.path, []byte(c.src))
		if got := d.Rules(); got != c.want {
			t.Errorf("%s %q: rules %q, want %q", c.path, c.src, got, c.want)
		}
	}
}

func TestMembersAreExports(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"`Ticket.state -> str`", "`Ticket.state: str`", "`Ticket.state → str`", "Ticket.state: str", "Ticket.state -> str"} {
		for _, group := range []string{"", "### Classes\n", "### Types\n"} {
			d, problems := spec.Parse("CLAUDE.md", []byte("# t\n\n## Purpose\nx\n\n## Exports\n"+group+"- `class Ticket`\n- "+line+"\n"))
			if len(d.Exports) != 2 || d.Exports[1].Name != "Ticket.state" || d.Exports[1].Kind != spec.Variable || len(problems) > 0 {
				t.Errorf("%s%s: exports = %+v, problems %v", group, line, d.Exports, problems)
			}
		}
	}
}

func TestNamesThatASpecGivesAway(t *testing.T) {
	t.Parallel()
	d, problems := spec.Parse("CLAUDE.md", []byte("# t\n\n## Purpose\nx\n\n## Exports\n- `class Ticket`\n- `the state of it ??? due_at`\n\n"+
		"## Behavior\n- `Ticket(\"secret word\", t0).owner` → `\"wanted\"`\n- an empty thing, assign_to and Total() → what was expected\n"))
	names := spec.Names(d)
	for _, n := range []string{"Ticket", "state", "due_at", "owner", "assign_to", "Total"} {
		if !slices.Contains(names, n) {
			t.Errorf("%s is missing in %q", n, names)
		}
	}
	for _, n := range []string{"wanted", "secret", "word", "empty", "thing", "expected"} {
		if slices.Contains(names, n) {
			t.Errorf("%s is in %q", n, names)
		}
	}
	hint := false
	for _, p := range problems {
		hint = hint || strings.Contains(p.Hint, "`Name.field: type`")
	}
	if !hint {
		t.Errorf("no hint how to write a member: %v", problems)
	}
}

func TestConstantsAsProgramsWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The largest amount is 1,000,000.00":                        "1000000.00  1000000 100000000",
		"제목은 100자까지: 문자 메시지 알림에 들어가야 한다.":                           "100  ",
		"Slugs are at most 60 characters, also those with a number": "60  ",
		"At most 10 different items.":                               "10  ",
		"답변은 최대 48시간":                                               "48 h 2d",
		"MAX_PENALTY = 20_000":                                      "20000  ",
	} {
		list := spec.Constants(parse(t, "## Domain Context\n### Constraints\n- "+text+"\n"))
		if len(list) != 1 {
			t.Errorf("%s: %d constants %+v", text, len(list), list)
			continue
		}
		parts := strings.SplitN(want, " ", 3)
		k := list[0]
		if k.Value != parts[0] || k.Unit != parts[1] || k.Text != text {
			t.Errorf("%s: %+v", text, k)
		}
		for _, f := range strings.Fields(parts[2]) {
			if !slices.ContainsFunc(k.Forms, func(have spec.Form) bool { return have.String() == f }) {
				t.Errorf("%s: %s is not in %q", text, f, k.Forms)
			}
		}
	}
}

// TestMergeConflict: two versions of a spec are none.
func TestMergeConflict(t *testing.T) {
	t.Parallel()
	const conflict = "## Purpose\n\nDoubles.\n\n## Behavior\n\n<<<<<<< HEAD\n- 2 → 4\n=======\n- 2 → 5\n>>>>>>> other\n"
	for src, want := range map[string]int{conflict: 7, strings.ReplaceAll(conflict, ">>>>>>> other", "end"): 0, "```\n" + conflict + "```\n": 8} {
		_, ps := spec.Parse("a/CLAUDE.md", []byte(src))
		line := 0
		for _, p := range ps {
			if strings.Contains(p.Text, "merge conflict") && p.Severity == spec.Error {
				line = p.Line
			}
		}
		if line != want {
			t.Errorf("a conflict in line %d, want %d:\n%s", line, want, src)
		}
	}
}

// TestSettledTexts: no character is taken for text that would be collapsed, and what specs are full of is recognised.
func TestSettledTexts(t *testing.T) {
	t.Parallel()
	for r := range rune(0x20000) {
		for _, s := range []string{"a" + string(r) + "b", string(r), "a " + string(r)} {
			if spec.Settled(s) && strings.Join(strings.Fields(s), " ") != s {
				t.Fatalf("%q (%U) has white space to collapse", s, r)
			}
		}
	}
	for _, s := range []string{"", "a b", "x → y", "a — b", "토큰을 검증한다"} {
		if !spec.Settled(s) {
			t.Errorf("%q has nothing to collapse", s)
		}
	}
}
