package check_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestTasksAcrossModules: in a workspace of Go the tests of a module may lie in another one, and show what changes there.
func TestTasksAcrossModules(t *testing.T) {
	t.Parallel()
	needs(t, "go")
	const (
		wrong = "package lib\n\n// Max is the larger one.\nfunc Max(x, y int) int {\n\treturn x\n}\n"
		first = "package t\n\nimport (\n\t\"testing\"\n\n\t\"example.com/lib\"\n)\n\nfunc TestFirst(t *testing.T) {\n\tif lib.Max(2, 1) != 2 {\n\t\tt.Error()\n\t}\n}\n"
	)
	right := strings.Replace(wrong, "\treturn x\n", "\tif x < y {\n\t\treturn y\n\t}\n\treturn x\n", 1)
	of := func(name, call string) string {
		return "\nfunc " + name + "(t *testing.T) {\n\tif lib.Max(" + call + ") != 2 {\n\t\tt.Error()\n\t}\n}\n"
	}
	for _, how := range []string{"go.work", "replace"} {
		files := map[string]string{
			"lib/go.mod": "module example.com/lib\n\ngo 1.24\n", "lib/lib.go": wrong, "t/t_test.go": first,
			"t/go.mod": "module example.com/t\n\ngo 1.24\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ../lib\n",
		}
		if how == "go.work" {
			files["go.work"] = "go 1.24\n\nuse (\n\t./lib\n\t./t\n)\n"
		}
		all := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(f string) []byte { return []byte(files[f]) }).All()
		for _, c := range []taskCase{
			{name: "a test that fails without it", files: map[string]string{"lib/lib.go": right, "t/t_test.go": first + of("TestSecond", "1, 2")}, passed: true},
			{name: "no test", files: map[string]string{"lib/lib.go": right}, passed: true, rules: []string{"no-test"}},
			{name: "a test that passes without it", files: map[string]string{"lib/lib.go": right, "t/t_test.go": first + of("TestAgain", "2, 0")}, passed: true, rules: []string{"no-test", "test-passes-without"}},
			{name: "a test that breaks", files: map[string]string{"lib/lib.go": strings.Replace(wrong, "return x", "return y", 1), "t/t_test.go": first + of("TestSecond", "1, 2")}},
		} {
			t.Run(how+", "+c.name, func(t *testing.T) {
				t.Parallel()
				l := newLab(t)
				base := l.tree("", files)
				task := check.Task{Chains: all, NewCode: true, Owns: owns("lib/lib.go", "t/t_test.go"), Taken: owns(), Deletes: owns(), Base: base}
				p, _, err := l.checker.Task(t.Context(), task, base, l.tree(base, c.files))
				want(t, c.name, p, err, c.passed, c.rules...)
				if !c.passed && len(p.Findings) > 0 {
					t.Errorf("%+v", p.Findings)
				}
				if len(c.rules) == 0 && c.passed && (len(p.Findings) > 0 || !slices.Equal(p.Red, []string{"t/t_test.go::TestSecond"})) {
					t.Errorf("%+v; red %v", p.Findings, p.Red)
				}
			})
		}
	}
}
