package toolchain_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/commands"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestOwnTests: the project's own command with a reporter of ours: what it chooses and sets stays.
func TestOwnTests(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"gotestsum ./...": "go test -json -count=1 ./...",
		"gotestsum -f '{{.FORMAT}}' ./... -tags watch":                    "go test -json -count=1 -tags watch ./...",
		"gotestsum --format=dots --rerun-fails --packages=./... -- -race": "go test -json -count=1 -race ./...",
		"gotestsum --junitfile out.xml -- -tags=x ./a ./b":                "go test -json -count=1 -tags=x ./a ./b",
		"go test -v -cover ./...":                                         "go test -json -count=1 ./...",
		"make -f targets.mk test":                                         "go test -json -count=1 -race . ./a",
	} {
		files := map[string]string{"go.mod": "module example.com/x\n", "x.go": "package x\n", "targets.mk": "test: one two\none:\n\tgo test -race .\ntwo:\n\tgo test -race ./a\n", "Taskfile.yml": "version: '3'\ntasks:\n  test:\n    cmds:\n      - " + line + "\n"}
		f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
		var got []string
		for _, c := range f.Test(toolchain.Selection{}) {
			got = append(got, strings.Join(c.Argv, " "))
		}
		if strings.Join(got, " && ") != want {
			t.Errorf("%s\n got %s\nwant %s", line, strings.Join(got, " && "), want)
		}
	}
}

// TestOwnGroups: a group of dependencies that tests do not have is left out where it would change them.
func TestOwnGroups(t *testing.T) {
	t.Parallel()
	groups := "[project]\nname = \"x\"\nversion = \"1\"\n[dependency-groups]\ntests = [\"pytest\", \"pytest_xdist>=3\"]\ntypes = [{include-group = \"tests\"}, 'pytest-mypy-plugins; python_version > \"3\"']\n" +
		"lint = [\"ruff\"]\nround = [{include-group = \"again\"}]\nagain = [{include-group = \"round\"}, \"pytest-xdist\"]\n"
	ci := func(run string) map[string]string {
		return map[string]string{
			".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{run: '" + run + "'}]}}\n",
			"pyproject.toml":           groups, "uv.lock": "", "x.py": "", "test_x.py": "import pytest\n",
		}
	}
	byTox := ci("tox -e 3.13-types && tox -e 3.13-tests")
	byTox["tox.ini"] = "[testenv]\ndependency_groups =\n    tests: tests\n    types: types\ncommands =\n    tests: pytest {posargs:-n auto}\n    types: pytest -k types\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"tox":                  {byTox, " --no-group types"},
		"uv run":               {ci("uv run --group tests pytest"), " --no-group types"},
		"uv sync":              {ci("uv sync --group=types && uv run pytest"), ""},
		"nobody names a group": {ci("uv sync && uv run pytest"), ""},
	} {
		f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(c.files)), func(p string) []byte { return []byte(c.files[p]) }).Detect(".")
		setup := f.Setup()
		got := strings.Join(setup[len(setup)-1].Argv, " ")
		if want := "uv sync --inexact --frozen --all-groups --all-extras" + c.want; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestConda: an environment sees the packages of one of conda that is active, where the project's people have them from there.
func TestConda(t *testing.T) {
	t.Parallel()
	for run, want := range map[string]bool{"pip install pytest && pytest": false, "mamba env update -f environment.yml && conda run -n x pytest": true} {
		files := map[string]string{"pyproject.toml": "[project]\nname = 'x'\ndependencies = ['pytest']\n", "x.py": "", "environment.yml": "", ".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{run: '" + run + "'}]}}\n"}
		f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
		if got := slices.Contains(f.Setup()[0].Argv, "--system-site-packages"); got != want || len(f.Own.Test) != 1 || f.Own.Test[0].Program() != "pytest" {
			t.Errorf("%s: %q, tested by %+v", run, f.Setup()[0].Argv, f.Own.Test)
		}
	}
}

// TestCheckersAreInstalled: a linter that CI installs for its own step belongs to the environment, with its plug-ins, and nothing else of that step does.
func TestCheckersAreInstalled(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"setup.py": "", "x.py": "", "test.py": "import unittest\n",
		".github/workflows/ci.yml": "on: push\njobs:\n  lint:\n    runs-on: x\n    steps:\n      - run: |\n          pip install flake8 --upgrade\n          pip install sphinx\n          pip install flake8-pyproject pep8-naming black\n          flake8 x.py\n" +
			"  test:\n    runs-on: x\n    steps:\n      - run: pip install --group test --only-binary x pytest ruff==1 -e .\n      - run: ruff check\n      - run: pytest test.py\n",
	}
	var paths []string
	for p := range files {
		paths = append(paths, p)
	}
	f, ok := toolchain.NewProject(paths, func(p string) []byte { return []byte(files[p]) }).Detect(".")
	if !ok || !slices.Equal(f.Own.Packages, []string{"pytest", "ruff==1"}) || !slices.Equal(f.Own.Checkers, []string{"flake8", "flake8-pyproject", "pep8-naming"}) {
		t.Errorf("pip installs %v and %v", f.Own.Packages, f.Own.Checkers)
	}
	if install := f.Setup()[1]; !install.Optional || !slices.Contains(install.Argv, "flake8") {
		t.Errorf("flake8 is installed by %+v", install)
	}
}

// TestHatchInstalls: an environment of hatch has its own packages and extras, and those of the one that it takes over.
func TestHatchInstalls(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"x.py": "", "pyproject.toml": "[project]\nname = \"x\"\ndependencies = [\"click >=7\"]\noptional-dependencies.i18n = [\"babel\"]\noptional-dependencies.lowest = [\"click ==7.0; python_version < '3.9'\", \"babel ==2.9\"]\n[tool.hatch.envs.default]\ndependencies = [\"six\"]\n" +
			"[tool.hatch.envs.test]\nfeatures = [\"i18n\"]\nextra-dependencies = [\"attrs\"]\nenv-vars.MODE = \"test\"\nscripts.run = \"python -m unittest discover -s x -p '*tests.py'\"\n" +
			"[tool.hatch.envs.types]\ndetached = true\ndependencies = [\"mypy\", \"types-six\", \"sphinx\"]\nscripts.check = \"mypy x\"\n",
		".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{run: hatch run +py=3 test:run}]}, l: {runs-on: ubuntu-latest, steps: [{run: hatch run types:check}]}}\n",
	}
	f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
	if want := []string{"attrs", "six"}; !slices.Equal(f.Own.Packages, want) || !slices.Equal(f.Requires, []string{"click >=7", "babel"}) {
		t.Errorf("pip installs %q and %q, want %q and the extra i18n", f.Own.Packages, f.Requires, want)
	}
	if want := []string{"mypy", "types-six"}; !slices.Equal(f.Own.Checkers, want) {
		t.Errorf("pip installs %q for checkers, want %q", f.Own.Checkers, want)
	}
	if len(f.Own.Test) != 1 || !slices.Contains(f.Own.Test[0].Env, "MODE=test") {
		t.Errorf("tests are %+v", f.Own.Test)
	}
}

// TestPDMLock: pip installs what pdm.lock has, in its versions.
func TestPDMLock(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"x.py": "", "pyproject.toml": "[project]\nname = \"x\"\ndependencies = [\"click\"]\n[tool.pdm.dev-dependencies]\ntest = [\"pytest\"]\n",
		"pdm.lock": "[[package]]\nname = \"click\"\nversion = \"8.1\"\n[[package]]\nname = \"tomli\"\nversion = \"2.0\"\nmarker = \"python_version < \\\"3.11\\\"\"\n" +
			"[[package]]\nname = \"coverage\"\nversion = \"7\"\nextras = [\"toml\"]\n[[package]]\nname = \"y\"\nversion = \"1\"\ngit = \"https://x/y\"\n[[package]]\nname = \"pytest\"\nversion = \"8\"\n",
	}
	f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
	if want := []string{"click==8.1", `tomli==2.0; python_version < "3.11"`, "coverage[toml]==7", "pytest==8"}; !slices.Equal(f.Requires, want) || f.Runner != "pytest" {
		t.Errorf("pip installs %q for %s, want %q", f.Requires, f.Runner, want)
	}
	if !slices.Contains(f.Installs, "pdm.lock") {
		t.Error("an installation outlives its lock")
	}
}

// TestElseInstalled: what a package manager of this machine cannot install, another one can, in the same versions.
func TestElseInstalled(t *testing.T) {
	t.Parallel()
	poetry := "[[package]]\nname = \"click\"\nversion = \"8.1\"\noptional = false\nmarkers = \"python_version < \\\"4\\\"\"\n[package.extras]\ndev = [\"x\"]\n" +
		"[[package]]\nname = \"nb\"\nversion = \"1\"\noptional = true\n" +
		"[[package]]\nname = \"pytest\"\nversion = \"8\"\nmarkers = {dev = \"a\", main = \"b\"}\n" +
		"[[package]]\nname = \"y\"\nversion = \"1\"\n[package.source]\ntype = \"git\"\n[metadata]\nlock-version = "
	pip := `python -m pip install --quiet --no-deps click==8.1; python_version < "4" pytest==8; (a) or (b)`
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"poetry":       {map[string]string{"pyproject.toml": "[tool.poetry]\nname = \"x\"\n", "poetry.lock": poetry + `"2.1"`, "x.py": ""}, pip},
		"older poetry": {map[string]string{"pyproject.toml": "[tool.poetry]\nname = \"x\"\n", "poetry.lock": poetry + `"2.0"`, "x.py": ""}, ""},
		"pnpm 11": {
			map[string]string{"package.json": `{"packageManager": "pnpm@11.3.0+sha512.ab", "devDependencies": {"x": "1"}}`, "pnpm-lock.yaml": "", "x.js": ""},
			"npx --yes --package=pnpm@10 pnpm install --frozen-lockfile --config.manage-package-manager-versions=false",
		},
		"pnpm 9": {map[string]string{"package.json": `{"packageManager": "pnpm@9.3.0", "devDependencies": {"x": "1"}}`, "pnpm-lock.yaml": "", "x.js": ""}, ""},
	} {
		f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(c.files)), func(p string) []byte { return []byte(c.files[p]) }).Detect(".")
		got := ""
		for _, s := range f.Setup() {
			if s.Argv[0] == f.Manager {
				got = strings.Join(s.OrElse, " ")
			}
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// TestHooksAreInstalled: a linter that only pre-commit installs has the version of the hook; one that the project requires itself has that one.
func TestHooksAreInstalled(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"pyproject.toml": "[project]\nname = \"x\"\noptional-dependencies.dev = [\"black\"]\n[tool.black]\n[tool.ruff]\n[tool.mypy]\n", "x.py": "",
		".pre-commit-config.yaml": "repos:\n- {repo: https://x/ruff, rev: v0.15.20, hooks: [{id: ruff-check}, {id: ruff-format}]}\n- {repo: https://x/black, rev: 26.5.1, hooks: [{id: black}]}\n" +
			"- {repo: https://x/mypy, rev: v2.1.0, hooks: [{id: mypy, additional_dependencies: [types-six, --pre, \"x @ https://x/y\"]}]}\n- {repo: local, hooks: [{id: pylint}]}\n",
	}
	f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
	if want := []string{"ruff==0.15.20", "mypy==2.1.0", "types-six"}; !slices.Equal(f.Own.Checkers, want) {
		t.Errorf("pip installs %q, want %q", f.Own.Checkers, want)
	}
	if got := f.Build("."); len(got) != 1 {
		t.Errorf("types are checked by %v, want mypy", got)
	}
	files[".pre-commit-config.yaml"], files[".github/workflows/ci.yml"] = "", "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{run: ruff check x.py}]}}\n"
	f, _ = toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
	if got := f.Build("."); len(got) != 0 || len(f.Lint(nil)) != 1 {
		t.Errorf("types are checked by %v, which nobody does here", got)
	}
}

// TestTypesThatTheBuildChecks: where tsc runs before the tests, in the order of references, it is not asked a second time without them.
func TestTypesThatTheBuildChecks(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"package.json": `{"scripts":{"pretest":"tsc -b","test":"node --test"},"devDependencies":{"typescript":"5"}}`, "package-lock.json": "{}", "tsconfig.json": "{}", "src/a.ts": "", "src/a.test.ts": "",
	}
	detect := func() toolchain.Found {
		f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
		return f
	}
	if f := detect(); len(f.Before()) != 1 || len(f.Build(".")) != 0 {
		t.Errorf("before the tests %v, types by %v: want tsc -b alone", f.Before(), f.Build("."))
	}
	before := "tsc -b"
	for _, other := range []string{"esbuild src/a.ts", "tsc -p tsconfig.lib.json"} { // which check no types, or those of a part
		files["package.json"] = strings.Replace(files["package.json"], before, other, 1)
		if before = other; len(detect().Build(".")) != 1 {
			t.Errorf("%s: types by %v, want tsc", other, detect().Build("."))
		}
	}
}

// TestPackagesOfOthers: Bundler, Composer, Mix and Hex install what a project without a row needs, and nothing for one that does not use them.
func TestPackagesOfOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"Ruby", map[string]string{"Gemfile": "", "a.gemspec": "", ".rspec": ""}, []string{"bundle install"}},
		{"Ruby without settings of RSpec", map[string]string{"Gemfile": "", "spec/a_spec.rb": ""}, []string{"bundle install"}},
		{"gems for documents alone", map[string]string{"Gemfile": "", "phpunit.xml": ""}, nil},
		{"PHP", map[string]string{"composer.json": `{"scripts":{"test":["@lint","phpunit"]}}`, "a.php": ""}, []string{"composer install --no-interaction --no-progress --no-scripts"}},
		{"Elixir with packages from elsewhere", map[string]string{"mix.exs": `deps: [{:a, path: "a"}, {:b, git: "https://example.com/b"}]`}, []string{"mix deps.get"}},
		{"Elixir", map[string]string{"mix.exs": `deps: [{:a, "~> 1.0"}]`}, []string{"mix local.hex --force --if-missing", "mix deps.get"}},
	} {
		f, ok := toolchain.NewProject(slices.Sorted(maps.Keys(c.files)), func(p string) []byte { return []byte(c.files[p]) }).DetectOther()
		var got []string
		for _, cmd := range f.Setup() {
			got = append(got, strings.Join(cmd.Argv, " "))
		}
		if !ok || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestProgramsThatTheProjectMakes: a program that installing packages would make is no program of the system, and PATH does not help.
func TestProgramsThatTheProjectMakes(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"vendor/bin/phpunit": "a command under `setup` in jacquard.yaml can make it",
		"tools/phpunit":      "a command under `setup` in jacquard.yaml can make it",
		"phpunit":            "install phpunit and put it on PATH",
	} {
		files := map[string]string{"composer.json": "{}", "src/a.php": "", ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: " + command + "\n"}
		var paths []string
		for p := range files {
			paths = append(paths, p)
		}
		f, _ := toolchain.NewProject(paths, func(p string) []byte { return []byte(files[p]) }).DetectOther()
		tests := f.Test(toolchain.Selection{})
		if len(tests) == 0 || len(tests[0].Needs) == 0 || tests[0].Needs[0].Install != want {
			t.Errorf("%s: %+v, want %s", command, tests, want)
		}
	}
}

// TestBeginnings: what may follow a command of the project is for it, and for no other program.
func TestBeginnings(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{"bundle exec rspec -f d": "bundle exec rspec", "bundle exec rake test": "bundle exec rake test", "bundle exec rake": "", "rspec": "rspec", "make": ""} {
		got := toolchain.Beginnings(toolchain.Found{Ecosystem: toolchain.Unknown}, commands.Command{Argv: strings.Fields(line)})
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestOldMocha: all versions of mocha know the options that are added.
// TestPeers: dependencies that do not fit each other are installed as the project's people install them.
func TestPeers(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"package.json": `{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "^10"}}`, "a.js": "", "test/a.js": "",
		".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{run: npm install --legacy-peer-deps}, {run: npm test}]}}\n",
	}
	names := slices.Collect(maps.Keys(files))
	all := toolchain.NewProject(names, func(name string) []byte { return []byte(files[name]) }).All()
	if got := all[0].Setup()[0].Argv; !slices.Equal(got[len(got)-2:], []string{"--no-package-lock", "--legacy-peer-deps"}) {
		t.Errorf("install: %q", got)
	}
}

func TestOldMocha(t *testing.T) {
	t.Parallel()
	files := map[string]string{"package.json": `{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "^3.5.3"}}`, "index.js": ""}
	f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
	if got := strings.Join(f.Test(toolchain.Selection{})[0].Argv, " "); !strings.HasSuffix(got, " --reporter=json --reporter-options=output={report}") {
		t.Error(got)
	}
}

// TestTexts: the same command in two folders is told apart.
func TestTexts(t *testing.T) {
	t.Parallel()
	build := []string{"rollup", "--config"}
	list := []commands.Command{{Argv: build, Dir: "web/core"}, {Argv: build, Dir: "web/react"}, {Argv: []string{"jest", "a b"}, Dir: "web"}}
	for root, want := range map[string]string{
		"web": "(cd core && rollup --config) && (cd react && rollup --config) && jest 'a b'",
		".":   "(cd web/core && rollup --config) && (cd web/react && rollup --config) && (cd web && jest 'a b')",
	} {
		if got := toolchain.Texts(list, root); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestOwnCargo: crates are tested with the features and in the way that the project's own people choose, and by all tests.
func TestOwnCargo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ runs, dir, want string }{
		"names are some":  {"[{run: cargo test pass}, {run: cargo test -p x fail}, {run: cargo test -- --ignored}]", ".", "cargo test"},
		"all features":    {"[{run: cargo test}, {run: cargo test --all-features -- --test-threads=1 --nocapture}]", ".", "cargo test --all-features -- --test-threads=1"},
		"first":           {"[{run: cargo test --no-default-features}, {run: cargo test -Fstd}, {run: 'cargo test --features a,b'}]", ".", "cargo test --features=std"},
		"nextest":         {"[{run: cargo nextest run --profile ci --features std -j 2}]", ".", "cargo test --features=std"},
		"not here":        {"[{run: cargo +nightly test --all-features}, {run: RUSTFLAGS='--cfg loom' cargo test --lib}, {run: LEVEL=1 RUSTFLAGS=-Dwarnings cargo test --release}]", ".", "LEVEL=1 cargo test --release"},
		"member":          {"[{run: 'cargo test --workspace --exclude other --features in-ner/std,top/a,fast'}]", "crates/in-ner", "cargo test --features=std,fast"},
		"of a member":     {"[{run: 'cargo test --workspace --features in-ner/std'}]", ".", "cargo test"},
		"another system":  {"[{run: cargo test}, {run: cargo test --all-features --target wasm32-wasip1}]", ".", "cargo test"},
		"another member":  {"[{run: cargo test -p top --all-features}, {run: cargo test --all --no-default-features}]", "crates/in-ner", "cargo test --no-default-features"},
		"another package": {"[{run: cargo test --manifest-path crates/in-ner/Cargo.toml --all-features}]", ".", "cargo test"},
	} {
		files := map[string]string{
			"Cargo.toml": "[package]\nname = \"top\"\n[features]\nstd = []\na = []\nb = []\n[workspace]\nmembers = [\"crates/in-ner\"]\n", "src/lib.rs": "", "crates/in-ner/Cargo.toml": "[package]\nname = \"in-ner\"\n[dependencies]\nfast = {version = \"1\", optional = true}\n", "crates/in-ner/src/lib.rs": "",
			".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: " + c.runs + "}}\n",
		}
		f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(c.dir)
		cmd := f.Test(toolchain.Selection{})[0]
		words := slices.Concat(slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "CARGO_") }), slices.DeleteFunc(cmd.Argv, func(a string) bool { return a == "--no-fail-fast" || a == "--message-format=json" }))
		if got := strings.Join(words, " "); got != c.want {
			t.Errorf("%s: %s is tested by %s, want %s", name, c.dir, got, c.want)
		}
		if one := f.Test(toolchain.Selection{IDs: []string{c.dir + "/src/lib.rs::tests::a"}})[0].Argv; one[len(one)-1] != "tests::a" || !slices.Contains(one, "--lib") {
			t.Errorf("%s: one test is run by %s", name, one)
		}
	}
}

// TestOwnCargoLint: the project's own linters, in a form whose findings can be read, and those that can be run here.
func TestOwnCargoLint(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"Cargo.toml": "[package]\nname = \"x\"\n", "src/lib.rs": "",
		".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{run: cargo fmt --all --check}, {run: cargo +nightly fmt --check}, {run: cargo clippy --target x -- -D warnings}, {run: cargo clippy --all-targets -- -D warnings}, {run: cargo xtask lint}]}}\n",
		".cargo/config.toml":       "[alias]\nxtask = 'run -p xtask --'\n",
	}
	f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
	var got []string
	for _, c := range f.Lint(nil) {
		got = append(got, strings.Join(c.Argv, " ")+" needs "+c.Needs[len(c.Needs)-1].Tool)
	}
	if want := []string{"cargo fmt --all --check needs cargo-fmt", "cargo clippy --message-format=short --all-targets -- -D warnings needs cargo-clippy", "cargo xtask lint needs cargo"}; !slices.Equal(got, want) {
		t.Errorf("linted by %q, want %q", got, want)
	}
}

// TestOwnTasksOfCargo: where cargo test can be had, it tests and not a task of the project, unless jacquard.yaml says so. Then the task finds
// what was fetched.
func TestOwnTasksOfCargo(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"Cargo.toml": "[package]\nname = \"x\"\n[features]\nfast = []\n[dependencies]\nitoa = '1'\n", "src/lib.rs": "", ".cargo/config.toml": "[alias]\nxtask = 'run -p xtask --'\nt = 'test --features fast'\n",
		".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{run: cargo xtask test}]}}\n",
	}
	for line, want := range map[string]string{
		"": "cargo test --no-fail-fast --message-format=json cargo-json", "cargo t": "cargo test --no-fail-fast --message-format=json --features=fast cargo-json", "cargo xtask test": "cargo xtask test any",
	} {
		p := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) })
		if line != "" {
			p.Checks = map[string]string{"test": line}
		}
		f, _ := p.Detect(".")
		c := f.Test(toolchain.Selection{})[0]
		if got := strings.Join(c.Argv, " ") + " " + string(c.Report); got != want || !slices.Contains(c.Env, "CARGO_HOME={env}") {
			t.Errorf("%q: %q with %q, want %q", line, got, c.Env, want)
		}
	}
}
