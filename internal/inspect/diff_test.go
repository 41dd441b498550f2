package inspect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

// TestDiffOfExports: what kinds of exports can change, and what of it breaks.
func TestDiffOfExports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, before, after string
		change              string // change_type and name, - or + and name
		breaking            bool
		reason              string
	}{
		{"m.ts", "- `f(a: string)`", "- `f( b:string )` — other words", "", false, ""},
		{"m.ts", "- `f(a: string)`", "#### f\n\n`f(a: string)`\n\nmore", "", false, ""},
		{"m.py", "- `f(a: int) -> int`", "- `f(b: int) -> int`", "signature_changed f", true, "renamed"},
		{"m.ts", "- `f(a: string)`", "### Variables\n\n- `f: string`", "kind_changed f", true, "Variable 'f' was a function"},
		{"m.ts", "### Classes\n\n- `K(a: string)`", "### Classes\n\n- `K(a: string, b: string)`", "signature_changed K", true, "Class 'K' added required parameter 'b'"},
		{"m.ts", "### Types\n\n- `T { a: string }`", "### Types\n\n- `T { a: string, b: string }`", "definition_changed T", true, "added required field 'b'"},
		{"m.ts", "### Types\n\n- `T { a: string }`", "### Types\n\n- `T { a: string; b?: string }`", "definition_changed T", false, ""},
		{"m.go", "### Types\n\n- `T { A int }`", "### Types\n\n- `T { A int, B int }`", "definition_changed T", false, ""},
		{"m.ts", "### Types\n\n- `T { a: string, b: string }`", "### Types\n\n- `T { a: string }`", "definition_changed T", true, "removed field 'b'"},
		{"m.ts", "### Types\n\n- `T { a: string }`", "### Types\n\n- `T { a?: string }`", "definition_changed T", true, "may be absent"},
		{"m.ts", "### Types\n\n- `T`", "### Types\n\n- `T { a: string }`", "", false, ""},
		{"m.ts", "### Enums\n\n- `E: A | B`", "### Enums\n\n- `E: A`", "variants_changed E", true, "removed variant 'B'"},
		{"m.ts", "### Enums\n\n- `E: A`", "### Enums\n\n- `E: B | A`", "variants_changed E", false, ""},
		{"m.ts", "### Variables\n\n- `MAX = 3`", "### Variables\n\n- `MAX = 4`", "value_changed MAX", false, ""},
		{"m.ts", "### Variables\n\n- `MAX: number`", "### Variables\n\n- `MAX: string`", "value_changed MAX", true, "type changed from 'number' to 'string'"},
		{"m.go", "- `T.M(a int)`", "- `T.N(a int)`", "- T.M, + T.N", true, "Function 'T.M' removed"},
		{"m.ts", "- `f(a: string)`", "None", "- f", true, "Function 'f' removed"},
		{"m.ts", "None", "- `f(a: string)`", "+ f", false, ""},
		{"m.go", "- `F(a int)`", "- `F(a int) error`", "signature_changed F", true, "Function 'F' return type changed from '()' to 'error'"},
		{"m.go", "- `F(a int)`", "- `F(a string)`", "signature_changed F", true, "Function 'F' parameter 'a' type changed from 'int' to 'string'"},
		{"m.go", "- `F(…) int`", "- `F(a int) int`", "", false, ""},
	} {
		make := func(exports string) *inspect.Project {
			return project(map[string]string{"m/CLAUDE.md": spec1(exports, "None", ""), "m/" + c.file: ""})
		}
		d := inspect.Diff(make(c.before), make(c.after), "a", "b")
		var got []string
		reasons := ""
		for _, m := range d.Modules {
			for _, x := range m.Changes.Removed {
				got = append(got, "- "+x.Name)
			}
			for _, x := range m.Changes.Added {
				got = append(got, "+ "+x.Name)
			}
			for _, x := range m.Changes.Modified {
				got = append(got, x.Type+" "+x.Name)
			}
			reasons = strings.Join(m.Reasons, "; ")
		}
		if s := strings.Join(got, ", "); s != c.change || d.Breaking != c.breaking || !strings.Contains(reasons, c.reason) {
			t.Errorf("%s\n  to %s\n  %q, breaking %t: %q\n  want %q, %t: %q", c.before, c.after, s, d.Breaking, reasons, c.change, c.breaking, c.reason)
		}
	}
}

func TestDiffFindsWhomItConcerns(t *testing.T) {
	t.Parallel()
	deps := func(list ...string) string {
		return "## Dependencies\n\n- internal:\n  - " + strings.Join(list, "\n  - ") + "\n"
	}
	before := map[string]string{
		"core/CLAUDE.md":  spec1("- `Lost(a: int): int`\n- `Kept(a: int): int`\n- `Soft(a: int): int`", "None", ""),
		"gone/CLAUDE.md":  spec1("- `G(a: int): int`", "None", ""),
		"a/CLAUDE.md":     spec1("None", "None", deps("`core/CLAUDE.md`: Lost, Kept")),
		"b/CLAUDE.md":     spec1("None", "None", deps("`core/CLAUDE.md`: Kept")),
		"c/CLAUDE.md":     spec1("None", "None", deps("`core/CLAUDE.md`")),
		"d/CLAUDE.md":     spec1("None", "None", deps("`core/CLAUDE.md`: Soft")),
		"e/CLAUDE.md":     spec1("None", "None", deps("`gone/CLAUDE.md`: G")),
		"far/CLAUDE.md":   spec1("None", "None", deps("`a/CLAUDE.md`", "`near dir/CLAUDE.md`")),
		"away/CLAUDE.md":  spec1("None", "None", deps("`far/CLAUDE.md`")),
		"alone/CLAUDE.md": spec1("- `X(a: int): int`", "None", ""),
		"near dir/CLAUDE.md": "<!-- schema: 2.0 -->\n" +
			spec1("None", "None", "It calls core/CLAUDE.md#Lost.\n"),
	}
	after := map[string]string{}
	for f, text := range before {
		after[f] = text
	}
	after["core/CLAUDE.md"] = spec1("- `Kept(a: int): int`\n- `Soft(a: int, b?: int): int`", "None", "")
	delete(after, "gone/CLAUDE.md")
	d := inspect.Diff(project(before), project(after), "a", "b")
	var got []string
	for _, i := range d.Impact {
		line := i.Changed + ":"
		for _, dep := range i.Dependents {
			line += fmt.Sprintf(" %s %s %v;", dep.Path, dep.Level, dep.Imports)
		}
		got = append(got, line+" "+strings.Join(i.Transitive, " "))
	}
	want := []string{
		"core: a high [Kept Lost]; b low [Kept]; c high []; d medium [Soft]; near dir high [Lost]; away far",
		"gone: e high [G]; ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("impact\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want := []string{"a", "c", "e", "near dir"}; !slices.Equal(d.Recommendation.Required, want) {
		t.Errorf("required %q, want %q", d.Recommendation.Required, want)
	}
	if want := []string{"away", "d", "far"}; !slices.Equal(d.Recommendation.Suggested, want) {
		t.Errorf("suggested %q, want %q", d.Recommendation.Suggested, want)
	}
	if c := d.Recommendation.Commands[3]; c != "jacquard build 'near dir'" {
		t.Errorf("command %s", c)
	}
	if want := (inspect.ImpactSummary{Modules: 10, Changed: 2, Breaking: 2, Direct: 6, Transitive: 2}); d.Summary != want {
		t.Errorf("summary %+v, want %+v", d.Summary, want)
	}
	first, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, err := json.Marshal(inspect.Diff(project(before), project(after), "a", "b")); err != nil || string(again) != string(first) {
			t.Fatalf("another answer: %v", err)
		}
	}
}
