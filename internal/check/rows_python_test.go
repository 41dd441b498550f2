package check_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// The versions of what these tests install.
const (
	uvPackage     = "uv==0.13.8"
	poetryPackage = "poetry==2.5.1"
	stestrPackage = "stestr==4.2.1"
	// Pytest with all that it needs.
	pytestPins = "pytest==8.4.2\niniconfig==2.3.0\npackaging==26.3\npluggy==1.7.0\npygments==2.21.0\n"
	ruffPins   = "ruff==0.17.5\n"
	lintPins   = ruffPins + "black==26.10.1\nclick==8.5.1\npathspec==1.1.1\nplatformdirs==4.14.5\npytokens==0.4.1\nmypy==2.4.1\nmypy_extensions==1.2.0\ntyping_extensions==4.16.0\nlibrt==0.16.0\nast_serialize==0.13.1\n"
)

// titleSample is a module that needs the package inflection, so its code runs only where the project's packages are installed.
func titleSample() sample {
	const right = "import inflection\n\n\ndef title(name):\n    if not name:\n        raise ValueError('no name')\n    return inflection.titleize(name)\n"
	return sample{
		dir:     "names",
		base:    map[string]string{"names/__init__.py": "# names\n"},
		exports: []step.Export{{Kind: "function", Name: "title", Signature: "title(name: str) -> str"}},
		test: map[string]string{"names/test_title.py": "import pytest\n\nfrom names.title import title\n\n\ndef test_words():\n    assert title('some_words') == 'Some Words'\n\n\n" +
			"class TestNothing:\n    def test_raises(self):\n        with pytest.raises(ValueError):\n            title('')\n"},
		ids:   []string{"names/test_title.py::TestNothing::test_raises", "names/test_title.py::test_words"},
		right: map[string]string{"names/title.py": right},
		wrong: map[string]string{"names/title.py": strings.Replace(right, "raise ValueError('no name')", "return ''", 1)},
	}
}

const titleFails = "names/test_title.py::TestNothing::test_raises"

// addSix adds a small package to a project of a package manager.
func addSix(t *testing.T, l *lab, base map[string]string, none string, changed ...string) {
	t.Helper()
	reaches(t, pyTool(t, "pip==25.3"), "python", "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "six==1.17.0")
	proveAdd(t, l, base, toolchain.Dependency{Name: "six", Version: "1.17.0"}, none, changed,
		map[string]string{"names/test_six.py": "import six\n\n\ndef test_six():\n    assert six.PY3\n"})
}

// TestRowPip has requirements in several files and in pyproject.toml.
func TestRowPip(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	pyTool(t, "pip==25.3") // says whether packages can be had at all
	s := titleSample()
	s.base["pyproject.toml"] = "[project]\nname = \"lab\"\nversion = \"1.0.0\"\ndependencies = [\n    \"inflection>=0.5.0, <0.6\", # with a comma\n]\n\n[project.optional-dependencies]\nall = [\"lab[none]\"]\n"
	s.base["requirements.txt"] = "-c deps/pins.txt\n-r deps/test.txt\n"
	s.base["deps/pins.txt"] = "inflection==0.5.1\n"
	s.base["deps/test.txt"] = pytestPins
	l := newLab(t)
	proveRow(t, l, s, "pip pytest", titleFails)
	addSix(t, l, s.base, "99.0.0", "requirements.txt")
	delete(s.base, "requirements.txt")
	delete(s.base, "deps/pins.txt")
	delete(s.base, "deps/test.txt")
	s.base["pyproject.toml"] = "[project]\nname = \"lab\"\nversion = \"1.0.0\"\ndependencies = [\n    \"" + strings.Join(strings.Fields(pytestPins), "\",\n    \"") + "\",\n]\n"
	addSix(t, l, s.base, "", "requirements.txt")
}

func TestRowUv(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	bin := pyTool(t, uvPackage)
	s := titleSample()
	s.base["pyproject.toml"] = "[project]\nname = \"lab\"\nversion = \"1.0.0\"\nrequires-python = \">=3.10\"\ndependencies = [\"inflection==0.5.1\"]\n\n" +
		"[dependency-groups]\ndev = [{include-group = \"test\"}]\ntest = [\"" + strings.Join(strings.Fields(pytestPins), "\", \"") + "\"]\n"
	s.base["uv.lock"] = lock(t, bin, map[string]string{"pyproject.toml": s.base["pyproject.toml"]}, "uv.lock", "uv", "lock", "--exclude-newer", packageDay)
	l := newLab(t, tools(bin))
	proveRow(t, l, s, "uv pytest", titleFails)
	addSix(t, l, s.base, "99.0.0", "pyproject.toml", "uv.lock")
}

// TestRowUvWorkspace: a package of a workspace is tested with what the workspace's root has for tests, beside the sources of those that it uses.
func TestRowUvWorkspace(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	bin := pyTool(t, uvPackage)
	const build = "[build-system]\nrequires = [\"setuptools==82.0.1\"]\nbuild-backend = \"setuptools.build_meta\"\n"
	base := map[string]string{
		"pyproject.toml":               "[tool.uv.workspace]\nmembers = [\"packages/*\"]\n\n[dependency-groups]\ndev = [\"" + strings.Join(strings.Fields(pytestPins), "\", \"") + "\"]\n",
		"packages/core/pyproject.toml": "[project]\nname = \"core\"\nversion = \"1.0.0\"\nrequires-python = \">=3.10\"\n" + build,
		"packages/app/pyproject.toml":  "[project]\nname = \"app\"\nversion = \"1.0.0\"\nrequires-python = \">=3.10\"\ndependencies = [\"core\"]\n[tool.uv.sources]\ncore = {workspace = true}\n" + build,
	}
	base["uv.lock"] = lock(t, bin, base, "uv.lock", "uv", "lock", "--exclude-newer", packageDay)
	base["packages/core/src/core/__init__.py"] = "def one():\n    return 1\n"
	base["packages/app/src/app/__init__.py"] = "from core import one\n\n\ndef two():\n    return one() + 1\n"
	base["packages/app/tests/test_app.py"] = "import pytest\n\nfrom app import two\n\n\ndef test_two():\n    assert two() == 2\n    assert pytest.__version__ == '8.4.2'\n"
	l := newLab(t, tools(bin))
	tree := l.tree("", base)
	chain, _ := l.project(tree).Detect("packages/app")
	if p, err := l.checker.Baseline(t.Context(), chain, tree); err != nil || p.Counts().Passed != 1 {
		t.Errorf("%+v, %+v (%v)", p.Results, p.Findings, err)
	}
	changed := l.tree(tree, map[string]string{"packages/core/src/core/__init__.py": "def one():\n    return 2\n"})
	if p, err := l.checker.Baseline(t.Context(), chain, changed); err != nil || len(p.Failures()) != 1 {
		t.Errorf("with another core: %+v, %+v (%v)", p.Results, p.Findings, err)
	}
}

func TestRowPoetry(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	bin := pyTool(t, poetryPackage)
	index := registry(t, bin)
	s := titleSample()
	s.base["pyproject.toml"] = "[project]\nname = \"lab\"\nversion = \"1.0.0\"\nrequires-python = \">=3.10,<4\"\ndependencies = [\"inflection (==0.5.1)\"]\n\n" +
		"[tool.poetry]\npackage-mode = false\n\n[tool.poetry.group.dev.dependencies]\n" + strings.ReplaceAll(strings.ReplaceAll(pytestPins, "==", " = \""), "\n", "\"\n") +
		// A source by its plain pages: a mirror need not have the newer interface that Poetry wants of the one it knows by itself.
		"\n[[tool.poetry.source]]\nname = \"registry\"\nurl = \"" + index + "\"\npriority = \"primary\"\n"
	s.base["poetry.lock"] = lock(t, bin, map[string]string{"pyproject.toml": s.base["pyproject.toml"]}, "poetry.lock", "poetry", "lock", "--no-interaction")
	l := newLab(t, tools(bin))
	proveRow(t, l, s, "poetry pytest", titleFails)
	addSix(t, l, s.base, "99.0.0", "poetry.lock", "pyproject.toml")
}

// TestRowStestr has stestr as the project's own command, whose report is a stream of SubUnit on stdout.
func TestRowStestr(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	l := newLab(t, tools(pyTool(t, stestrPackage)))
	tree := l.tree("", map[string]string{
		".stestr.conf": "[DEFAULT]\ntest_path=./tests\ntop_dir=./\n", "setup.cfg": "[metadata]\nname = lab\n", ".gitignore": ".stestr/\n", "tests/__init__.py": "# tests\n",
		"tests/test_sums.py": "import unittest\n\n\nclass TestSums(unittest.TestCase):\n    def test_right(self):\n        assert 1 + 1 == 2\n\n    def test_wrong(self):\n        assert 1 + 1 == 3, 'no'\n",
	})
	project := l.project(tree)
	project.Checks = map[string]string{"test": "stestr run"}
	chain, _ := project.Detect(".")
	p, err := l.checker.Baseline(t.Context(), chain, tree)
	if err != nil {
		t.Fatal(err)
	}
	if c := p.Counts(); c.Passed != 1 || c.Total != 2 {
		t.Errorf("counts = %+v of %+v, %+v", c, p.Results, p.Findings)
	}
	if f := p.Failures(); len(f) != 1 || f[0].ID != "tests/test_sums.py::TestSums::test_wrong" || !strings.Contains(f[0].Message, "AssertionError: no") {
		t.Errorf("failures = %+v", f)
	}
	if slices.Contains(rules(p.Findings), "exit-swallowed") {
		t.Errorf("findings = %+v", p.Findings)
	}
}

// registry is the address of the registry that pip uses.
func registry(t *testing.T, bin string) string {
	t.Helper()
	python := filepath.Join(bin, "python")
	out, err := exec.CommandContext(t.Context(), python, "-m", "pip", "config", "get", "global.index-url").Output()
	if err != nil { // none is configured
		out, err = exec.CommandContext(t.Context(), python, "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)").Output()
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(strings.TrimSpace(string(out)), "/") + "/"
}

// TestRowsPythonFormat has Black as the formatter, Ruff as the linter and mypy as the type checker.
func TestRowsPythonFormat(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	pyTool(t, "pip==25.3")
	l := newLab(t)
	base := l.tree("", map[string]string{
		"pyproject.toml":   "[project]\nname = \"lab\"\nversion = \"1.0.0\"\n\n[tool.black]\nline-length = 60\n\n[tool.ruff.lint]\nselect = [\"F\"]\n\n[tool.mypy]\ndisallow_untyped_defs = true\nexclude = [\"test_\"]\n",
		"requirements.txt": pytestPins + lintPins, "calc/__init__.py": "", "calc/old.py": "def old(a) -> int :\n    return a\n",
	})
	base = l.tree(base, map[string]string{"calc/__init__.py": "# calc\n"})
	m := l.module(base, "calc", step.Export{Kind: "function", Name: "twice", Signature: "twice(n: int) -> int"})
	if got := slices.Sorted(slices.Values(m.Chain.Tools)); !slices.Equal(got, []string{"black", "mypy", "ruff"}) {
		t.Fatalf("tools = %q", got)
	}
	const ugly = "def twice( n : int )->int :\n    unused=[ 'a',\n      'b' ]\n    return n*2\n"
	const pretty = "def twice(n: int) -> int:\n    unused = [\"a\", \"b\"]\n    return n * 2\n"
	p, changed, err := l.checker.Format(t.Context(), m, l.tree(base, map[string]string{"calc/calc.py": ugly}), []string{"calc/calc.py"})
	want(t, "format", p, err, true, "lint")
	if !slices.Equal(changed, []string{"calc/calc.py"}) {
		t.Errorf("changed = %q", changed)
	}
	reads(t, l, p.Tree, map[string]string{"calc/calc.py": pretty})
	lints(t, p, "calc/calc.py:2 F841")

	red := l.tree(base, map[string]string{"calc/test_calc.py": "from calc.calc import twice\n\n\ndef test_twice():\n    assert twice(2) == 4\n"})
	frozen := frozenOf(t, l, red, []step.File{{Path: "calc/test_calc.py"}})
	good := strings.Replace(pretty, "    unused = [\"a\", \"b\"]\n", "", 1)
	p, err = l.checker.Green(t.Context(), m, red, l.tree(red, map[string]string{"calc/calc.py": good, "calc/old.py": "def old(a: int) -> int:\n    return a\n"}), frozen)
	want(t, "code with the right types", p, err, true)
	p, err = l.checker.Green(t.Context(), m, red, l.tree(red, map[string]string{"calc/calc.py": strings.Replace(good, "-> int", "-> str", 1), "calc/old.py": "def old(a: int) -> int:\n    return a\n"}), frozen)
	want(t, "code with a wrong type", p, err, false, "build-failed")
	if f := p.Findings[0]; len(p.Findings) != 1 || f.Path != "calc/calc.py" || f.Line != 2 || len(p.Failures()) > 0 {
		t.Errorf("findings = %+v, failures %+v", p.Findings, p.Failures())
	}
}

// TestRowRuffFormat has Ruff alone.
func TestRowRuffFormat(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	pyTool(t, "pip==25.3")
	l := newLab(t)
	base := l.tree("", map[string]string{
		"ruff.toml": "[lint]\nselect = [\"F\", \"I\"]\n", "requirements.txt": pytestPins + ruffPins, "calc/__init__.py": "# calc\n",
	})
	m := l.module(base, "calc")
	const ugly = "import sys\nimport os\n\nprint( os.name,sys.path )\n\ndef f():\n    return missing\n"
	p, changed, err := l.checker.Format(t.Context(), m, l.tree(base, map[string]string{"calc/calc.py": ugly}), []string{"calc/calc.py"})
	want(t, "format", p, err, true, "lint")
	if !slices.Equal(changed, []string{"calc/calc.py"}) {
		t.Errorf("changed = %q", changed)
	}
	reads(t, l, p.Tree, map[string]string{"calc/calc.py": "import os\nimport sys\n\nprint(os.name, sys.path)\n\n\ndef f():\n    return missing\n"})
	lints(t, p, "calc/calc.py:8 F821")
}
