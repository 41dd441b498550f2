package inspect_test

import (
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// TestUseCasesThatDoNotFit: ids twice and targets that are not there are errors of the second schema, under the names that
// scripts know.
func TestUseCasesThatDoNotFit(t *testing.T) {
	t.Parallel()
	behavior := "### Actors\n\n- User: somebody\n\n### UC-1: One\n\n- Actor: User\n- Includes: UC-98\n- Extends: UC-99\n\n- a → 1\n\n### UC-1: Again\n\n- Actor: User\n\n- b → 2"
	text := spec1("#### a\n\n`a(): number`", behavior, "")
	var kinds []string
	for _, e := range project(map[string]string{"m/CLAUDE.md": "<!-- schema: 2.0 -->\n" + text}).Check("m/CLAUDE.md", false).Errors {
		kinds = append(kinds, e.Type)
	}
	slices.Sort(kinds)
	if want := []string{"DuplicateUseCaseId", "InvalidExtendTarget", "InvalidIncludeTarget"}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

// TestStrictSaysError: what strict makes an error is called one wherever it is shown.
func TestStrictSaysError(t *testing.T) {
	t.Parallel()
	x := project(map[string]string{"m/CLAUDE.md": spec1("None", "None", "")})
	for _, strict := range []bool{false, true} {
		v := x.Check("m/CLAUDE.md", strict)
		if v.Valid == strict || len(v.Problems) == 0 {
			t.Errorf("strict %v: %+v", strict, v)
		}
		for _, p := range v.Problems {
			if (p.Severity == spec.Error) != strict {
				t.Errorf("strict %v: %v", strict, p)
			}
		}
	}
}
