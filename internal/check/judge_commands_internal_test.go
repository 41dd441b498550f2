package check

import "testing"

// TestChooses: of files with many settings, only what can say which tests run is compared.
func TestChooses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, was, is string
		other         bool
	}{
		"a version":              {"pyproject.toml", "[project]\nversion = \"1\"\n[tool.pytest.ini_options]\na = 1\n", "[project]\nversion = \"2\"\n[tool.pytest.ini_options]\na = 1\n", false},
		"options of pytest":      {"a/pyproject.toml", "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\naddopts = \"--ignore=a\"\n", true},
		"of tox":                 {"tox.ini", "[testenv]\ndeps = a\n", "[testenv]\ndeps = b\n", false},
		"pytest in tox.ini":      {"tox.ini", "[pytest]\n", "[pytest]\ntestpaths = a\n", true},
		"pytest.ini":             {"pytest.ini", "[pytest]\n", "[pytest]\naddopts = -q\n", true},
		"a dependency":           {"package.json", `{"dependencies":{}}`, `{"dependencies":{"a":"1"}}`, false},
		"jest in package.json":   {"package.json", `{"jest":{}}`, `{"jest":{"testPathIgnorePatterns":["a"]}}`, true},
		"settings of vitest":     {"vitest.config.ts", "a", "b", true},
		"of vite":                {"web/vite.config.ts", "a", "b", true},
		"of a linter":            {".eslintrc", "a", "b", false},
		"a crate":                {"Cargo.toml", "[dependencies]\n", "[dependencies]\na = \"1\"\n", false},
		"no tests of a crate":    {"Cargo.toml", "[package]\n", "[package]\nautotests = false\n", true},
		"a fixture":              {"tests/conftest.py", "", "def a(): pass\n", false},
		"what conftest collects": {"tests/conftest.py", "", "collect_ignore = ['a.py']\n", true},
	} {
		if got := chooses(c.file, []byte(c.was)) != chooses(c.file, []byte(c.is)); got != c.other {
			t.Errorf("%s: other = %v", name, got)
		}
	}
}
