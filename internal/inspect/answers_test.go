package inspect_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// TestCheckLooksDependenciesUp: a spec that names what is not there is not valid, or with strict not.
func TestCheckLooksDependenciesUp(t *testing.T) {
	t.Parallel()
	p := project(map[string]string{
		"a/CLAUDE.md":    spec1("- `A(x: int): int`", "None", ""),
		"gone/CLAUDE.md": spec1("None", "None", "## Dependencies\n\n- internal:\n  - `nowhere/CLAUDE.md`: X\n"),
		"less/CLAUDE.md": spec1("None", "None", "## Dependencies\n\n- internal:\n  - `a/CLAUDE.md`: B\n"),
		"out/CLAUDE.md":  spec1("None", "None", "## Dependencies\n\n- internal: ../../x\n"),
	})
	for file, want := range map[string][2]string{ // the error_type about Dependencies, without and with strict
		"a/CLAUDE.md": {"", ""}, "gone/CLAUDE.md": {"UnresolvedDependency", "UnresolvedDependency"},
		"less/CLAUDE.md": {"", "UnresolvedDependency"}, "out/CLAUDE.md": {"ForbiddenReference", "ForbiddenReference"},
	} {
		for i, strict := range []bool{false, true} {
			v := p.Check(file, strict)
			var kinds []string
			for _, e := range v.Errors {
				if e.Section == "Dependencies" {
					kinds = append(kinds, e.Type)
				}
				if e.Suggestion == "" || e.Line == 0 {
					t.Errorf("%s: no place or no suggestion: %+v", file, e)
				}
			}
			if got := strings.Join(kinds, " "); got != want[i] || !strict && v.Valid != (got == "") {
				t.Errorf("%s, strict %t: %q, want %q", file, strict, got, want[i])
			}
		}
	}
	v := p.Check("out/CLAUDE.md", false)
	of := v.Problems[len(v.Problems)-1]
	if n := slices.IndexFunc(v.Problems, func(pr spec.Problem) bool { return pr.Line == of.Line }); n != len(v.Problems)-1 {
		t.Errorf("one reference is told of more than once: %v", v.Problems)
	}
}

// TestParsedAnswer: types have their kinds, enums their variants, and what cannot be read is said.
func TestParsedAnswer(t *testing.T) {
	t.Parallel()
	raw, ok := project(map[string]string{"m/CLAUDE.md": spec1(
		"### Structs\n- `S { a: i32 }`\n\n### Types\n- `I { a: int }`\n- `type A = B`\n- `On = (a: number) => void`\n- `data class P(a: Int)`\n\n### Records\n- `record R(int a)`\n\n### Enums\n- `E`\n\n### Functions\n- `this is (none`", "None", "",
	)}).Parse("m/CLAUDE.md")
	var got struct {
		Exports struct {
			Types []struct{ Name, Kind string } `json:"types"`
			Enums []map[string]any              `json:"enums"`
		} `json:"exports"`
		Warnings []string `json:"warnings"`
	}
	if err := json.Unmarshal(raw, &got); !ok || err != nil {
		t.Fatal(ok, err)
	}
	var kinds []string
	for _, x := range got.Exports.Types {
		kinds = append(kinds, x.Name+" "+x.Kind)
	}
	if want := []string{"S struct", "I interface", "A type_alias", "On type_alias", "P data_class", "R record"}; !slices.Equal(kinds, want) {
		t.Errorf("kinds %q, want %q", kinds, want)
	}
	if len(got.Exports.Enums) != 1 || got.Exports.Enums[0]["variants"] == nil {
		t.Errorf("enums %v", got.Exports.Enums)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "this export cannot be read") || !strings.HasPrefix(got.Warnings[0], "Line ") {
		t.Errorf("warnings %q", got.Warnings)
	}
}

// TestScanTakesTheFirstParagraph of a purpose.
func TestScanTakesTheFirstParagraph(t *testing.T) {
	t.Parallel()
	s := project(map[string]string{"m/CLAUDE.md": "# m\n\n## Purpose\n\nline one\nline two\n\nmore\n\n## Exports\n\nNone\n"}).Scan()
	if s.Entries[0].Purpose != "line one line two" {
		t.Errorf("purpose %q", s.Entries[0].Purpose)
	}
}

// TestMigrateKeepsTheHeaderFirst: YAML in front of a document has to begin it.
func TestMigrateKeepsTheHeaderFirst(t *testing.T) {
	t.Parallel()
	for head, first := range map[string]string{"---\nname: x\n---\n": "---\nname: x\n---\n<!-- schema: 2.0 -->\n", "": "<!-- schema: 2.0 -->\n"} {
		m, out := inspect.Migrate("m/CLAUDE.md", []byte(head+spec1("None", "None", "")))
		if !strings.HasPrefix(string(out), first) || !m.Migrated {
			t.Errorf("%q becomes %q", head, out)
		}
		if again, _ := inspect.Migrate("m/CLAUDE.md", out); again.Migrated || again.From != "2.0" {
			t.Errorf("%q is not seen as migrated: %+v", head, again)
		}
	}
}
