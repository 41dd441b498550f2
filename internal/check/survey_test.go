package check_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
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

// TestSurveyWithoutConda: where CI installs with conda and no environment of it is active, what stands for it is said, with what to do.
func TestSurveyWithoutConda(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("its programs are found in other ways")
	}
	needs(t, "python3")
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		programs []string
		folder   string
		want     string
	}{
		"no conda":                {[]string{"python3"}, "x", "conda is not installed, so the tests only see packages that pip installs"},
		"conda":                   {[]string{"python3", "mamba"}, "x", "no environment of conda is active, so"},
		"an environment of conda": {[]string{"python3"}, "conda-meta", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, folder := range []string{"bin", c.folder} {
				if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, program := range c.programs {
				if err := os.Symlink(python, filepath.Join(dir, "bin", program)); err != nil {
					t.Fatal(err)
				}
			}
			made := false // an environment, of this Python
			l := newLab(t, func(o *check.Options) {
				o.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin", "HOME=" + os.Getenv("HOME"), "PYENV_ROOT=" + os.Getenv("PYENV_ROOT")}
				o.Runs = func(what string) { made = made || strings.HasPrefix(what, "setup: python3 -m venv") }
			})
			base := l.tree("", map[string]string{
				"setup.cfg": "[metadata]\nname = lab\n", "test_a.py": "import unittest\n\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        assert 1 + 1 == 2\n",
				".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{uses: conda-incubator/setup-miniconda@v3, with: {environment-file: environment.yml}}, {run: python -m unittest}]}}\n",
			})
			all, err := l.checker.Survey(t.Context(), l.module(base, ".").Chain, base, func(string, string) {})
			if err != nil || len(all) == 0 {
				t.Fatal(all, err)
			}
			first := all[0]
			if said := first.Command == "conda env create -f environment.yml" && first.State == step.Useless && !first.Blocks(); said != (c.want != "") || !strings.HasPrefix(first.Text, c.want) {
				t.Errorf("%+v, want %q", first, c.want)
			}
			if !made {
				t.Error("the environment is that of another Python")
			}
			if last := all[len(all)-1]; last.Purpose != "test" || last.State != step.Passes {
				t.Errorf("%+v", last)
			}
		})
	}
}
