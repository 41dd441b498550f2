package check_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
)

// TestSurveyOfNestedModules: what go test ./... leaves out is not looked for: modules below, folders of examples and of test data.
func TestSurveyOfNestedModules(t *testing.T) {
	t.Parallel()
	const fails = "import \"testing\"\n\nfunc TestX(t *testing.T) { t.Error(1 + 1) }\n"
	l := newLab(t)
	base := l.tree("", map[string]string{
		"go.mod":              "module example.com/a\n\ngo 1.24\n",
		"a.go":                "package a\n\n// Two is 2.\nfunc Two() int { return 2 }\n",
		"a_test.go":           "package a\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Error(Two())\n\t}\n}\n",
		"below/go.mod":        "module example.com/a/below\n\ngo 1.24\n",
		"below/b_test.go":     "package below\n\n" + fails,
		"_examples/e_test.go": "package examples\n\n" + fails,
		"testdata/in_test.go": "package in\n\n" + fails,
		"deep/.hid/h_test.go": "package hid\n\n" + fails,
		"vendor/v/v_test.go":  "package v\n\n" + fails,
		"vendor/modules.txt":  "",
	})
	all, err := l.checker.Survey(t.Context(), l.module(base, ".").Chain, base, func(string, string) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.State != step.Passes {
			t.Errorf("%s %s: %s: %s", s.Purpose, s.Command, s.State, s.Text)
		}
		if s.Purpose == "test" && (s.Tests != 1 || s.Failed != 0) {
			t.Errorf("%d tests ran, %d failed, want 1 and 0", s.Tests, s.Failed)
		}
	}
}
