package toolchain_test

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

func project(files map[string]string) (list []string, read func(string) []byte) {
	for p := range files {
		list = append(list, p)
	}
	slices.Sort(list)
	return list, func(p string) []byte {
		if s, ok := files[p]; ok {
			return []byte(s)
		}
		return nil
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	monorepo := map[string]string{
		"go.mod": "module example.org/m\n\nrequire (\n\tgopkg.in/yaml.v3 v3.0.1\n)\n", "go.sum": "x", "cmd/a/main.go": "package main",
		"web/package.json": `{"name":"web","devDependencies":{"vitest":"4","typescript":"5"}}`, "web/pnpm-lock.yaml": "", "web/tsconfig.json": "{}",
		"web/src/a.ts": "", "tools/pyproject.toml": "[project]\nname = \"tools\"\ndependencies = [\n  \"requests>=2\",  # http\n]\n[dependency-groups]\ndev = [\"pytest>=8\"]\n",
		"tools/uv.lock": "", "tools/src/tools/x.py": "",
	}
	for _, c := range []struct {
		name, dir string
		files     map[string]string
		want      string // language ecosystem root manager runner, or the choices
	}{
		{"go", "cmd/a", monorepo, "go go . go go"},
		{"nearest manifest", "web/src", monorepo, "typescript node web pnpm vitest"},
		{"new directory beside typescript", "web/src/new", monorepo, "typescript node web pnpm vitest"},
		{"new directory below a manifest", "web/other/new", monorepo, "typescript node web pnpm vitest"},
		{"python", "tools/src/tools", monorepo, "python python tools uv pytest"},
		{"unknown", "brandnew", monorepo, "? [go python typescript]"},
		{"own manifest against sources elsewhere", "a", map[string]string{"a/go.mod": "module x\n", "web/index.js": "", "web/package.json": "{}"}, "go go a go go"},
		{"empty go project", "a", map[string]string{"go.mod": "module x\n"}, "go go . go go"},
		{"empty typescript project", "src/a", map[string]string{"package.json": `{"devDependencies":{"typescript":"5","jest":"30"}}`, "package-lock.json": ""}, "typescript node . npm jest"},
		{"javascript", "a", map[string]string{"package.json": "{}", "a/x.mjs": ""}, "javascript node . npm node"},
		{"yarn", ".", map[string]string{"package.json": `{"scripts":{"test":"jest"}}`, "yarn.lock": "# yarn lockfile v1\n", "i.js": ""}, "javascript node . yarn jest"},
		{"berry", ".", map[string]string{"package.json": "{}", "yarn.lock": "__metadata:\n  version: 8\n", "i.js": ""}, "javascript node . yarn-berry node"},
		{"bun", ".", map[string]string{"package.json": "{}", "bun.lock": "", "i.ts": ""}, "typescript node . bun bun"},
		{"deno", ".", map[string]string{"deno.jsonc": "{/* a */ \"imports\": {},}", "i.ts": ""}, "typescript node . deno deno"},
		{"deno beside npm", ".", map[string]string{"deno.json": "{}", "package.json": "{}", "package-lock.json": "", "i.ts": ""}, "typescript node . npm node"},
		{"workspace lock above", "packages/a", map[string]string{"package.json": `{"devDependencies":{"vitest":"4"},"workspaces":["packages/*"]}`, "package-lock.json": "", "packages/a/package.json": `{"name":"a"}`, "packages/a/x.ts": ""}, "typescript node packages/a npm vitest"},
		{"broken package.json", ".", map[string]string{"package.json": "{", "i.ts": ""}, "typescript node . npm node"},
		{"poetry", ".", map[string]string{"pyproject.toml": "[tool.poetry.dependencies]\npython = \"^3.11\"\nhttpx = \"*\"\n[tool.poetry.group.dev.dependencies]\npytest = \"*\"\n", "poetry.lock": "", "a.py": ""}, "python python . poetry pytest"},
		{"unittest", ".", map[string]string{"setup.py": "", "a.py": "", "test_a.py": "import unittest\n"}, "python python . pip unittest"},
		{"pytest by its tests", ".", map[string]string{"requirements.txt": "requests\n", "test_a.py": "def test_a():\n    assert 1\n"}, "python python . pip pytest"},
		{"what documentation needs", "docs", map[string]string{"pyproject.toml": "", "a.py": "", "docs/requirements.txt": "sphinx\n", "docs/conf.py": ""}, "python python . pip pytest"},
		{"what a service needs", "web", map[string]string{"pyproject.toml": "", "a.py": "", "web/requirements.txt": "flask\n", "web/test_app.py": "import pytest\n"}, "python python web pip pytest"},
		{"own sources win over the majority", "scripts", map[string]string{"go.mod": "module x", "a.go": "", "b.go": "", "scripts/x.py": ""}, "python python . pip pytest"},
		{"configuration is no source", "new", map[string]string{"pyproject.toml": "", "src/a.py": "", "eslint.config.js": ""}, "python python . pip pytest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files, read := project(c.files)
			f, ok := toolchain.NewProject(files, read).Detect(c.dir)
			got := strings.Join([]string{f.Language, f.Ecosystem, f.Root, f.Manager, f.Runner}, " ")
			if !ok {
				got = "? [" + strings.Join(f.Choices, " ") + "]"
			}
			if got != c.want {
				t.Errorf("Detect(%s) = %s, want %s", c.dir, got, c.want)
			}
		})
	}
	files, read := project(monorepo)
	if f, ok := toolchain.NewProject(files, read).DetectAs("brandnew", "go"); !ok || f.Runner != "go" || f.Module != "example.org/m" || !f.Has("gopkg.in/yaml.v3") {
		t.Errorf("DetectAs = %+v, %v", f, ok)
	}
	if f, _ := toolchain.NewProject(files, read).Detect("tools/src/tools"); !f.Has("requests") || !f.Has("pytest") || f.SourceDir != "src" {
		t.Errorf("python declares %q, source directory %q", f.Declared, f.SourceDir)
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]toolchain.Class{
		"a/b.go": toolchain.Source, "a/b_test.go": toolchain.Test, "a/testdata/x.go": toolchain.TestData, "a/testdata/go.mod": toolchain.TestData,
		"src/a.ts": toolchain.Source, "src/a.test.ts": toolchain.Test, "src/a.spec.tsx": toolchain.Test, "src/__tests__/a.ts": toolchain.Test,
		"src/__snapshots__/a.test.ts.snap": toolchain.TestData, "tests/helper.ts": toolchain.Test, "tests/data.json": toolchain.TestData,
		"a.py": toolchain.Source, "test_a.py": toolchain.Test, "test.py": toolchain.Test, "a/test.py": toolchain.Source, "test.js": toolchain.Test, "packages/a/test.ts": toolchain.Test, "test-slow.js": toolchain.Test, "lib/test-slow.js": toolchain.Source, "lib/test.js": toolchain.Source, "tests/util.py": toolchain.Test, "conftest.py": toolchain.Test, "latest.py": toolchain.Source,
		"contest/a.py": toolchain.Source, "README.md": toolchain.Other, "attest.go": toolchain.Source, "src/testing.go": toolchain.Source,
		"go.mod": toolchain.Config, "sub/Makefile": toolchain.Config, "MAKEFILE": toolchain.Config, ".github/workflows/x.yml": toolchain.Config,
		".claude/settings.json": toolchain.Config, "pkg/.eslintrc.cjs": toolchain.Config, ".vscode/launch.json": toolchain.Config,
		"vitest.config.mts": toolchain.Config, "requirements-dev.txt": toolchain.Config, ".husky/_/pre-push": toolchain.Config, ".env.test": toolchain.Config,
		"league/fixtures/a.go": toolchain.Source, "league/fixtures/a_test.go": toolchain.Test, "golden/a.go": toolchain.Source, "test/fixtures/a.go": toolchain.Source,
		"a/testdata/fixtures/x.go": toolchain.TestData, "__fixtures__/x.go": toolchain.TestData, "golden/_old/x.go": toolchain.TestData, "golden/a.txt": toolchain.TestData,
		"internal/a/testdata/b.test.ts": toolchain.TestData, "internal/a/testdata/b.ts": toolchain.Source, "src/fixtures/a.js": toolchain.Source, "src/a/test_data/b.ts": toolchain.Source, "lib/golden/a.rb": toolchain.TestData, "packages/a/lib/fixtures/b.js": toolchain.Source,
		"shop/fixtures/a.py": toolchain.Source, "shop/fixtures/test_a.py": toolchain.Test, "crates/a/src/golden/mod.rs": toolchain.Source, "src/main/java/a/fixtures/B.java": toolchain.Source,
		"tests/fixtures/a.py": toolchain.TestData, "test/fixtures/a.js": toolchain.TestData, "src/__tests__/fixtures/a.ts": toolchain.TestData, "src/a/__fixtures__/b.ts": toolchain.TestData,
		"shop/tests/fixtures/a.py": toolchain.TestData, "fixtures/a.py": toolchain.TestData, "unit-tests/src/fixtures/a.ts": toolchain.TestData, "packages/a/fixtures/b.js": toolchain.TestData,
		"packages/a/fixtures/b.py": toolchain.TestData, "src/integrationTest/java/a/fixtures/B.java": toolchain.TestData, "src/fixtures/a.json": toolchain.TestData,
		"CLAUDE.md": toolchain.Other, "src/config.ts": toolchain.Source, "src/makefile_parser.py": toolchain.Source, "environment.ts": toolchain.Source,
	} {
		if got := toolchain.Classify(p); got != want {
			t.Errorf("Classify(%s) = %s, want %s", p, got, want)
		}
	}
	for p, want := range map[string]toolchain.ConfigKind{
		"go.sum": toolchain.LockConfig, "a/pnpm-lock.yaml": toolchain.LockConfig, ".gitattributes": toolchain.AttributesConfig,
		".pre-commit-config.yaml": toolchain.HooksConfig, "jacquard.yaml": toolchain.EngineConfig, "tsconfig.base.json": toolchain.TypeConfig,
		"pyproject.toml": toolchain.ManifestConfig, "pytest.ini": toolchain.RunnerConfig, ".mcp.json": toolchain.AgentConfig, "a.go": toolchain.NoConfig,
	} {
		if got := toolchain.ConfigKindOf(p); got != want {
			t.Errorf("ConfigKindOf(%s) = %q, want %q", p, got, want)
		}
	}
}

// TestE2E: end-to-end tests are run where a package declares Playwright and configures it beside its manifest.
func TestE2E(t *testing.T) {
	t.Parallel()
	declares := `{"devDependencies":{"@playwright/test":"1"}}`
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"declared and configured": {map[string]string{"web/package.json": declares, "web/playwright.config.ts": "", "web/a.ts": ""}, "node {bin:@playwright/test#playwright} test --reporter=list in web"},
		"not configured":          {map[string]string{"web/package.json": declares, "web/a.ts": ""}, ""},
		"configured above":        {map[string]string{"package.json": declares, "playwright.config.js": "", "web/package.json": "{}", "web/a.ts": ""}, ""},
		"not declared":            {map[string]string{"web/package.json": "{}", "web/playwright.config.js": "", "web/a.ts": ""}, ""},
		"no such ecosystem":       {map[string]string{"web/go.mod": "module x", "web/playwright.config.js": "", "web/a.go": ""}, ""},
	} {
		files, read := project(c.files)
		f, _ := toolchain.NewProject(files, read).Detect("web")
		got := ""
		for _, cmd := range f.E2E() {
			got += strings.Join(cmd.Argv, " ") + " in " + cmd.Dir
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func argvs(cs []toolchain.Command) string {
	var out []string
	for _, c := range cs {
		for i, a := range c.Argv {
			if strings.HasPrefix(a, "--test-reporter=data:") {
				c.Argv[i] = "--test-reporter=…"
			}
		}
		out = append(out, c.Dir+": "+strings.Join(c.Argv, " "))
	}
	return strings.Join(out, " && ")
}

func TestCommands(t *testing.T) {
	t.Parallel()
	detect := func(dir string, files map[string]string) toolchain.Found {
		list, read := project(files)
		f, ok := toolchain.NewProject(list, read).Detect(dir)
		if !ok {
			t.Fatalf("not detected: %+v", f)
		}
		return f
	}
	goProject := detect("svc/a", map[string]string{"svc/go.mod": "module m\nrequire x v1\n", "svc/go.sum": "", "svc/a/a.go": "", "svc/.golangci.yml": ""})
	vitest := detect("web/src", map[string]string{"web/package.json": `{"devDependencies":{"vitest":"4","typescript":"5","eslint":"9","prettier":"3","@vitest/coverage-v8":"4"}}`, "web/package-lock.json": "", "web/tsconfig.json": "", "web/eslint.config.js": "", "web/.prettierrc": "", "web/src/a.ts": ""})
	pytest := detect("src/a", map[string]string{"pyproject.toml": "[project]\nname='a_b'\ndependencies=[\"x>=1.2; python_version > '3'\"] # why\n[project.optional-dependencies]\nall = [\n  'a.b[most]', # its own\n]\n[dependency-groups]\ndev=[{include-group = 'y'}]\n[tool.ruff]\n[tool.mypy]\n", "requirements.txt": "x\npytest\npytest-cov\n", "src/a/a.py": ""})
	node := detect(".", map[string]string{"package.json": "{}", "a.js": ""})
	jest := detect(".", map[string]string{"package.json": `{"devDependencies":{"jest":"30"}}`, "yarn.lock": "", "a.js": ""})
	uv := detect(".", map[string]string{"pyproject.toml": "[project]\nname='a'\n[dependency-groups]\ndev=['pytest']\n", "uv.lock": "", "a.py": ""})
	for _, c := range []struct {
		name string
		got  []toolchain.Command
		want string
	}{
		{"go setup", goProject.Setup(), "svc: go mod download"},
		{"go build", goProject.Build("svc/a"), "svc: go build ./a/..."},
		{"go all", goProject.Test(toolchain.Selection{}), "svc: go test -json -count=1 ./..."},
		{"go dir", goProject.Test(toolchain.Selection{Dir: "svc/a"}), "svc: go test -json -count=1 ./a/..."},
		{"go files", goProject.Test(toolchain.Selection{Files: []string{"svc/a/x_test.go", "svc/a/y_test.go", "svc/z_test.go"}}), "svc: go test -json -count=1 ./a ."},
		{"go ids", goProject.Test(toolchain.Selection{IDs: []string{"svc/a/x_test.go::TestA/b", "svc/a/x_test.go::TestC"}}), "svc: go test -json -count=1 -vet=off -run ^(TestA|TestC)$ ./a"},
		{"go lint", goProject.Lint([]string{"svc/a/a.go"}), "svc: go vet ./a && svc: golangci-lint run ./a"},
		{"go format", goProject.Format([]string{"svc/a/a.go"}), "svc: gofmt -w a/a.go"},
		{"go coverage", goProject.Coverage(toolchain.Selection{Dir: "svc/a"}), "svc: go test -count=1 -coverprofile={report} ./a/..."},
		{"npm setup", vitest.Setup(), "web: npm ci --no-audit --no-fund"},
		{"tsc", vitest.Build("web/src"), "web: node {bin:typescript#tsc} --noEmit --pretty false"},
		{"vitest files", vitest.Test(toolchain.Selection{Files: []string{"web/src/a.test.ts"}}), "web: node {bin:vitest} run --reporter=json --outputFile={report} --retry=0 --bail=0 src/a.test.ts"},
		{"eslint", vitest.Lint([]string{"web/src/a.ts"}), "web: node {bin:eslint} src/a.ts"},
		{"prettier", vitest.Format([]string{"web/src/a.ts"}), "web: node {bin:prettier} --write src/a.ts && web: node {bin:eslint} --fix src/a.ts"},
		{"vitest coverage", vitest.Coverage(toolchain.Selection{Dir: "web/src"}), "web: node {bin:vitest} run --coverage.enabled --coverage.reporter=lcovonly --coverage.reportsDirectory={report} --coverage.reportOnFailure src/"},
		{"jest", jest.Test(toolchain.Selection{IDs: []string{"a.test.js::x > y"}}), ".: node {jest} {bin:jest} --ci --json --outputFile={report} --bail=0 --runTestsByPath a.test.js"},
		{"yarn setup", jest.Setup(), ".: yarn install --frozen-lockfile --non-interactive"},
		{"node", node.Test(toolchain.Selection{}), ".: node --test --test-reporter=… --test-reporter-destination={report}"},
		{"node has nothing to install", node.Setup(), ""},
		{"pip setup", pytest.Setup(), ".: python3 -m venv {env} && .: python -m pip install --quiet -r requirements.txt x>=1.2; python_version > '3'"},
		{"uv setup", uv.Setup(), ".: python3 -m venv {env} && .: uv sync --inexact --frozen --all-groups --all-extras"},
		{"pytest ids", pytest.Test(toolchain.Selection{IDs: []string{"src/a/test_a.py::test_x"}}), ".: python -m pytest -q -o junit_family=xunit1 --junitxml={report} -p no:cacheprovider --continue-on-collection-errors src/a/test_a.py::test_x"},
		{"mypy", pytest.Build("src/a"), ".: python -m mypy ."},
		{"ruff", pytest.Format([]string{"src/a/a.py"}), ".: python -m ruff check --fix --exit-zero --quiet src/a/a.py && .: python -m ruff format --quiet src/a/a.py"},
		{"ruff lint", pytest.Lint([]string{"src/a/a.py"}), ".: python -m ruff check --no-fix --output-format=concise src/a/a.py"},
		{"pytest coverage", pytest.Coverage(toolchain.Selection{}), ".: python -m pytest -q -p no:cacheprovider --cov --cov-report=lcov:{report}"},
	} {
		if got := argvs(c.got); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
		for _, cmd := range c.got {
			if len(cmd.Needs) == 0 || cmd.Needs[0].Install == "" || cmd.Report == "" {
				t.Errorf("%s: command %v does not say what it needs or reports", c.name, cmd.Argv)
			}
		}
	}
	if env := pytest.Test(toolchain.Selection{})[0].Env; !slices.Contains(env, "PYTHONPATH={root}/src") {
		t.Errorf("environment of pytest = %q", env)
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	deps := []toolchain.Dependency{{Name: "a", Version: "1.2"}, {Name: "b", Version: ">=2"}, {Name: "c"}, {Name: "d", Version: "^3.1"}, {Name: "e", Version: "==4"}}
	add := func(ecosystem, manager string) string {
		a := toolchain.Found{Ecosystem: ecosystem, Manager: manager, Root: "."}.Add(deps)
		return argvs(a.Commands) + a.File + " " + strings.Join(a.Lines, " ")
	}
	for _, c := range []struct{ got, want string }{
		{add(toolchain.Go, "go"), ".: go get a@v1.2 b@>=2 c@latest d@^3.1 e@==4 "},
		{add(toolchain.Node, "npm"), ".: npm install --save --ignore-scripts --no-audit --no-fund a@1.2 b@>=2 c d@^3.1 e@4 "},
		{add(toolchain.Node, "yarn-berry"), ".: yarn add --mode=update-lockfile a@1.2 b@>=2 c d@^3.1 e@4 "},
		{add(toolchain.Python, "pip"), "requirements.txt a==1.2 b>=2 c d>=3.1 e==4"},
		{add(toolchain.Python, "uv"), ".: uv add --no-sync a==1.2 b>=2 c d>=3.1 e==4 "},
		{add(toolchain.Python, "poetry"), ".: poetry add --lock --no-interaction a==1.2 b>=2 c d>=3.1 e==4 "},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

// What decides about an installation is more than the manifest and the lock file.
func TestInstalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		files      map[string]string
	}{
		{"yarn", "package.json .yarnrc.yml .yarn/patches/x.patch .yarn/releases/yarn-4.cjs yarn.lock", map[string]string{
			"package.json": `{"dependencies":{"x":"1"}}`, "yarn.lock": "__metadata:\n", ".yarnrc.yml": "yarnPath: .yarn/releases/yarn-4.cjs\n",
			".yarn/releases/yarn-4.cjs": "", ".yarn/patches/x.patch": "", ".yarn/cache/x.zip": "", "src/a.js": "",
		}},
		{"pnpm", "web/package.json web/.pnpmfile.cjs package.json pnpm-workspace.yaml patches/x.patch pnpm-lock.yaml", map[string]string{
			"package.json": "{}", "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "", "patches/x.patch": "", "web/package.json": "{}", "web/.pnpmfile.cjs": "", "web/src/a.js": "",
		}},
		{"pip", "pyproject.toml requirements.txt deps/base.txt deps/pins.txt", map[string]string{
			"pyproject.toml": "", "requirements.txt": "-r deps/base.txt\n", "deps/base.txt": "x\n--constraint=pins.txt # why\n-r ../requirements.txt\n-r nowhere.txt\n", "deps/pins.txt": "y==1\n", "src/a.py": "",
		}},
	} {
		dir := "src"
		if c.name == "pnpm" {
			dir = "web/src"
		}
		list, read := project(c.files)
		f, ok := toolchain.NewProject(list, read).Detect(dir)
		if got := strings.Join(f.Installs, " "); !ok || got != c.want {
			t.Errorf("%s: installs %s\nwant %s", c.name, got, c.want)
		}
		if c.name == "pip" && !slices.Equal(f.Declared, []string{"x"}) {
			t.Errorf("declared = %q: what is only constrained is not", f.Declared)
		}
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, dir, structure string
		files                map[string]string
		newFile, newTest     string
		why                  string
		yes, no              []string // tests allowed and not
	}{
		{"go", "calc", "", map[string]string{"go.mod": "module m"}, "calc/calc.go", "calc/calc_test.go", "convention", []string{"calc/x_test.go", "calc/testdata/a.txt"}, []string{"other/x_test.go", "calc/x.go", "calc/sub/y_test.go"}},
		{"ts convention", "src/auth", "", map[string]string{"package.json": `{"devDependencies":{"typescript":"5"}}`}, "src/auth/index.ts", "src/auth/index.test.ts", "convention", []string{"src/auth/token.test.ts"}, []string{"src/auth/token.ts", "src/auth/vitest.config.ts"}},
		{"ts pattern", "src/auth", "", map[string]string{"package.json": "{}", "src/user/user.ts": "", "src/user/user.spec.ts": ""}, "src/auth/auth.ts", "src/auth/auth.spec.ts", "pattern", nil, nil},
		{"ts mirror", "src/auth", "", map[string]string{"package.json": "{}", "src/user/index.ts": "", "tests/user/index.test.ts": ""}, "src/auth/index.ts", "tests/auth/index.test.ts", "pattern", []string{"tests/auth/x.test.ts", "src/auth/x.test.ts"}, []string{"tests/user/x.test.ts"}},
		{"ts structure wins", "src/auth", "```\nsrc/\n├── user/\n└── __tests__/   # *.spec.ts\n```", map[string]string{"package.json": "{}", "src/user/index.ts": "", "tests/user/index.test.ts": ""}, "src/auth/index.ts", "src/auth/__tests__/index.spec.ts", "structure", nil, nil},
		{"python beside", "calc", "", map[string]string{"pyproject.toml": ""}, "calc/__init__.py", "calc/test_calc.py", "convention", []string{"calc/test_x.py", "calc/conftest.py"}, []string{"calc/x.py", "tests/test_calc.py"}},
		{"python tests", "app/calc", "- `app/`: code\n- `tests/`: tests", map[string]string{"pyproject.toml": "", "app/__init__.py": "", "app/user/__init__.py": ""}, "app/calc/__init__.py", "tests/app/calc/test_calc.py", "structure", []string{"tests/app/calc/test_x.py", "tests/test_calc.py"}, []string{"tests/test_user.py"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			list, read := project(c.files)
			f, ok := toolchain.NewProject(list, read).Detect(c.dir)
			if !ok {
				lang := map[bool]string{true: "typescript", false: "python"}[c.files["package.json"] != ""]
				f, _ = toolchain.NewProject(list, read).DetectAs(c.dir, lang)
			}
			p := f.Place(toolchain.NewProject(list, read), toolchain.Layout{Dir: c.dir, Structure: c.structure, Modules: []string{c.dir, c.dir + "/sub"}})
			if p.NewFile != c.newFile || p.NewTest != c.newTest || p.Why != c.why {
				t.Errorf("Place = %s, %s by %s; want %s, %s by %s", p.NewFile, p.NewTest, p.Why, c.newFile, c.newTest, c.why)
			}
			if !p.AllowsSource(p.NewFile) || !p.AllowsTest(p.NewTest) || p.AllowsSource(p.NewTest) {
				t.Errorf("the new files are not allowed: %+v", p)
			}
			for _, y := range c.yes {
				if !p.AllowsTest(y) {
					t.Errorf("AllowsTest(%s) = false (%v)", y, p.Tests)
				}
			}
			for _, n := range c.no {
				if p.AllowsTest(n) {
					t.Errorf("AllowsTest(%s) = true (%v)", n, p.Tests)
				}
			}
		})
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a/**/*.go", "a/x.go", true},
		{"a/**/*.go", "a/b/c/x.go", true},
		{"a/**/*.go", "b/x.go", false},
		{"*.go", "a/x.go", false},
		{"**", "a/b", true},
		{"a/*", "a/b/c", false},
		{"모듈/**/*.ts", "모듈/x.ts", true},
	} {
		if got := toolchain.Match(c.pattern, c.path); got != c.want {
			t.Errorf("Match(%s, %s) = %v", c.pattern, c.path, got)
		}
	}
}

func TestStubsAreDeclarations(t *testing.T) {
	t.Parallel()
	for _, s := range []toolchain.Symbol{
		{Name: "Div", Kind: "function", Signature: "Div(a, b int) (int, error)"},
		{Name: "Div", Kind: "function", Signature: "func Div(a, b int) (q int, err error)"},
		{Name: "Map", Kind: "function", Signature: "func Map[T, U any](in []T, f func(T) U) []U"},
		{Name: "Close", Kind: "method", Owner: "Store", Signature: "Close(ctx context.Context) error"},
		{Name: "Close", Kind: "method", Owner: "Store", Signature: "Store.Close(ctx context.Context) error"},
		{Name: "Error", Kind: "method", Owner: "StoreError", Signature: "StoreError.Error() string"},
		{Name: "Get", Kind: "method", Owner: "Store", Signature: "func (s *Store) Get(k string) (v []byte, ok bool)"},
		{Name: "Token", Kind: "type", Signature: "type Token struct { ID string; N int }"},
		{Name: "Claims", Kind: "type", Signature: "Claims { Sub: string, N: int }"},
		{Name: "Doer", Kind: "interface", Signature: "interface { Do() error }"},
		{Name: "ID", Kind: "type", Signature: "string"},
		{Name: "ErrZero", Kind: "variable", Signature: "ErrZero"},
		{Name: "Limit", Kind: "constant", Signature: "Limit int = 3"},
		{Name: "ErrOpen", Kind: "type", Signature: "ErrOpen"},
	} {
		for _, decl := range []string{toolchain.FailingStub("go", s), toolchain.EmptyStub("go", s)} {
			if decl == "" || !strings.Contains(decl, s.Name) {
				t.Errorf("no stub for %+v: %q", s, decl)
			}
			if _, err := parser.ParseFile(token.NewFileSet(), "x.go", "package p\n"+decl, 0); err != nil {
				t.Errorf("stub of %s: %v\n%s", s.Name, err, decl)
			}
		}
		if s.Kind == "function" && !strings.Contains(toolchain.FailingStub("go", s), toolchain.StubMark) {
			t.Errorf("the failing stub of %s has no mark", s.Name)
		}
	}
	if got := toolchain.EmptyStub("go", toolchain.Symbol{Name: "F", Kind: "function", Signature: "F("}); got != "" {
		t.Errorf("stub of a broken signature = %q", got)
	}
	if got := toolchain.GoStubImports("func F(ctx context.Context, r *http.Request) {}\n"); !slices.Equal(got, []string{"context", "net/http"}) {
		t.Errorf("imports = %q", got)
	}
	if got := toolchain.EmptyStub("go", toolchain.Symbol{Name: "ErrOpen", Kind: "type", Signature: "ErrOpen"}); !strings.HasPrefix(got, "var ErrOpen = error(") {
		t.Errorf("an error that only has a name is %q", got)
	}
	if got := toolchain.EmptyStub("javascript", toolchain.Symbol{Name: "OpenError", Kind: "type", Signature: "OpenError"}); got != "export class OpenError extends Error {}\n" {
		t.Errorf("an error that only has a name is %q", got)
	}
	for signature, want := range map[string]string{"Status: NEW | PAID": `Enum("Status", "NEW PAID")`, "Status: enum (NEW, PAID)": `Enum("Status", "NEW PAID")`, "Status": "def __init__", "Status: str": "def __init__"} {
		if got := toolchain.FailingStub("python", toolchain.Symbol{Name: "Status", Kind: "enum", Signature: signature}); !strings.Contains(got, want) {
			t.Errorf("the stub of %s is %q", signature, got)
		}
	}
	if got := toolchain.FailingStub("python", toolchain.Symbol{Name: "Late", Kind: "class", Signature: "Late(at: int)", Raised: true}); !strings.HasPrefix(got, "class Late(Exception):") {
		t.Errorf("what is raised is %q", got)
	}
	for lang, want := range map[string]string{"typescript": "export function f(", "python": "def f("} {
		if got := toolchain.FailingStub(lang, toolchain.Symbol{Name: "f", Kind: "function"}); !strings.HasPrefix(got, want) {
			t.Errorf("%s stub = %q", lang, got)
		}
	}
	for lang, want := range map[string]string{"typescript": "export function 원_가(", "python": "def 원_가("} {
		if got := toolchain.EmptyStub(lang, toolchain.Symbol{Name: "원_가", Kind: "function"}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: a name in Korean gives %q, want %q…", lang, got, want)
		}
	}
}

// TestUnittestStarts: tests in directories without __init__.py, which unittest does not look into, are run as well; those of another project
// are not.
func TestUnittestStarts(t *testing.T) {
	t.Parallel()
	const test = "import unittest\n"
	for want, files := range map[string]map[string]string{
		"unittest": {"setup.py": "", "a.py": "", "pkg/__init__.py": "", "pkg/test_a.py": test, "test_b.py": test},
		"unittest discover -s tests": {
			"setup.py": "", "a.py": "", "tests/test_a.py": test, "tests/sub/__init__.py": "", "tests/sub/test_b.py": test, "tests/helper.py": "",
		},
		"unittest discover -s tests | unittest": {"setup.py": "", "tests/test_a.py": test, "tests_b.py": "", "zest/__init__.py": "", "zest/test_c.py": test},
		"unittest discover -s spec":             {"p/setup.py": "", "p/a.py": "", "p/spec/test_a.py": test, "p/more/setup.py": "", "p/more/tests/test_b.py": test},
	} {
		names, read := project(files)
		f, _ := toolchain.NewProject(names, read).Detect(map[bool]string{true: "p", false: "."}[strings.HasSuffix(want, "spec")])
		got := []string{}
		for _, c := range f.Test(toolchain.Selection{}) {
			got = append(got, strings.Join(append([]string{"unittest"}, c.Argv[4:]...), " "))
		}
		if text := strings.Join(got, " | "); text != want {
			t.Errorf("of %v\ngot  %s\nwant %s", names, text, want)
		}
	}
}
