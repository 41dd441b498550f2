package inspect_test

import (
	"path"
	"reflect"
	"slices"
	"strings"
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

// TestModulesAreComparedAlone (rule INV-2): what is said of a module is the same whatever else is compared.
func TestModulesAreComparedAlone(t *testing.T) {
	t.Parallel()
	x := project(map[string]string{
		"m/CLAUDE.md": spec1("- `gone(): void`", "None", "## Structure\n\n- `sub/`\n- `lost.ts`\n"), "m/index.ts": "export const a = 1;\n", "m/deep/more.ts": "import { b } from '../sub';\nexport const c = b;\n",
		"m/sub/CLAUDE.md": spec1("- `b = 1`", "None", ""), "m/sub/index.ts": "export const b = 1;\nexport const d = 2;\n",
	})
	all := x.Validate(".").Modules
	if len(all) != 2 || len(all[0].Issues) < 3 || len(all[1].Issues) != 1 {
		t.Fatalf("%+v", all)
	}
	for _, m := range all {
		alone := x.ValidateModules(func(dir string) bool { return dir == m.Directory }).Modules
		if len(alone) != 1 || !reflect.DeepEqual(alone[0], m) {
			t.Errorf("%s alone is %+v, with others %+v", m.Directory, alone, m)
		}
	}
}

// TestParentReferencesAreForbidden: a way out of the directory is an error of the kind that scripts know.
func TestParentReferencesAreForbidden(t *testing.T) {
	t.Parallel()
	x := project(map[string]string{
		"m/CLAUDE.md": spec1("None", "None", "## Dependencies\n\n- internal:\n  - `../other/CLAUDE.md`\n"), "m/IMPLEMENTS.md": "", "other/CLAUDE.md": spec1("None", "None", ""),
	})
	v := x.Check("m/CLAUDE.md", false)
	if len(v.Errors) != 1 || v.Errors[0].Type != "ForbiddenReference" || v.Errors[0].Section != "Dependencies" || v.Errors[0].Line == 0 || v.Valid {
		t.Errorf("%+v", v)
	}
}

// TestNoModuleDependsOnTheOneAround (rule INV-1): but on those in it, and beside it.
func TestNoModuleDependsOnTheOneAround(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dir, on string
		want    bool
	}{{"a/b", "a", true}, {"a/b", ".", true}, {"a", "a/b", false}, {"a/b", "a/c", false}, {"a/b", "ab", false}, {"ab", "a", false}, {".", "a", false}} {
		files := map[string]string{}
		for _, d := range []string{".", "a", "a/b", "a/c", "ab"} {
			files[path.Join(d, "CLAUDE.md")] = spec1("None", "None", "")
		}
		files[path.Join(c.dir, "CLAUDE.md")] = spec1("None", "None", "## Dependencies\n\n- internal:\n  - `"+path.Join(c.on, "CLAUDE.md")+"`\n")
		files[path.Join(c.dir, "x.ts")] = "export {};\n"
		x := project(files)
		g := x.Graph()
		said := []bool{len(x.Boundary(c.dir).Violations) > 0, len(g.Violations) > 0, g.Summary.Valid == 0, len(x.Validate(c.dir).Modules[0].Notes) > 0}
		if !slices.Equal(said, []bool{c.want, c.want, c.want, c.want}) {
			t.Errorf("%s on %s: boundary, graph, edge, validate say %v, want %v", c.dir, c.on, said, c.want)
		}
	}
}

// TestCodeThatIsGone: of a module that has been compiled; what was compiled to elsewhere is no module without code, and
// what never was has nothing to miss.
func TestCodeThatIsGone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, exports string
		compiled      []string
		want          string
	}{
		{"gone", "- `a(): void`\n- `B { x: number }`", []string{"src/m/a.rs"}, "STALE a STALE B"},
		{"elsewhere", "- `a(): void`", []string{"src/m/a.rs", "src/m.rs"}, ""},
		{"never there", "- `a(): void`", nil, ""},
		{"nothing was promised", "None", []string{"src/m/a.rs"}, ""},
	} {
		x := project(map[string]string{"src/m/CLAUDE.md": spec1(c.exports, "None", ""), "src/m.rs": "pub fn a() {}\n"})
		x.Compiled(map[string][]string{"src/m": c.compiled})
		v := x.Validate(".")
		got := ""
		for _, m := range v.Modules {
			for _, d := range m.Issues {
				got += " " + d.Type + " " + d.Symbol
			}
		}
		if strings.TrimSpace(got) != c.want || v.Clean() != (c.want == "") || len(x.Mend(v)) > 0 {
			t.Errorf("%s: %q, want %q; %+v", c.name, got, c.want, v.Summary)
		}
	}
}
