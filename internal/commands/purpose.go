package commands

import (
	"slices"
	"strings"
)

// testers are programs that run tests, whatever their arguments.
var testers = []string{
	"pytest", "py.test", "unittest", "vitest", "jest", "mocha", "ava", "tap", "tape", "uvu", "jasmine", "lab", "gotestsum", "ctest", "rspec", "phpunit", "pest", "bats", "prove", "nose2", "stestr",
	"minitest", "borp", "poku", "japa",
}

// linters are programs that look at sources and change nothing, or can be told so.
var linters = []string{
	"eslint", "xo", "standard", "ts-standard", "semistandard", "oxlint", "tslint", "jshint", "flake8", "pylint", "pyflakes", "pycodestyle", "pydocstyle", "golangci-lint", "staticcheck", "revive", "rubocop", "standardrb",
	"credo", "phpcs", "shellcheck", "stylelint", "bandit", "vulture", "golint", "errcheck",
}

// formatters only look where one of these arguments is given.
var formatters = map[string][]string{
	"black": {"--check", "--diff"}, "isort": {"--check", "--check-only", "-c", "--diff"}, "prettier": {"--check", "-c", "-l", "--list-different"},
	"dprint": {"check"}, "gofmt": {"-l", "-d"}, "gofumpt": {"-l", "-d"}, "goimports": {"-l", "-d"}, "php-cs-fixer": {"--dry-run"}, "biome": {"check", "ci", "lint", "format"}, "clang-format": {"--dry-run", "-n"},
}

// typeCheckers look at types only.
var typeCheckers = []string{"mypy", "pyright", "basedpyright", "pytype", "tsd", "vue-tsc", "phpstan", "psalm", "dialyzer", "ty", "pyrefly"}

// builders make something that tests may need.
var builders = []string{
	"tsup", "rollup", "esbuild", "unbuild", "tsdown", "microbundle", "bunchee", "pkgroll", "swc", "babel", "webpack", "zshy", "tshy", "parcel", "ncc", "uglifyjs", "terser", "del-cli", "rimraf", "cmake", "ninja", "meson", "configure", "autoreconf", "autogen.sh", "bootstrap.sh", "vite-build", "bob", "kcd-scripts-build", "napi",
}

// installers install what the project needs.
var installers = []string{"pip", "pip3", "pipenv", "bundle", "composer", "npm", "pnpm", "yarn", "bun", "uv", "poetry", "pdm", "go", "pipx"}

// Condas are the programs that have the packages of conda.
var Condas = []string{"conda", "mamba", "micromamba"}

// purposeOf says what a program with its arguments is for, "" when nobody knows, and gives the arguments back, those of
// formatters that would write without what makes them write.
func purposeOf(argv []string) (Purpose, []string) {
	if Bundled(argv) {
		purpose, rest := purposeOf(argv[2:])
		return purpose, append([]string{"bundle", "exec"}, rest...)
	}
	name := program(argv)
	rest := argv[min(1, len(argv)):]
	has := func(words ...string) bool {
		return slices.ContainsFunc(rest, func(a string) bool {
			k, _, _ := strings.Cut(a, "=")
			return slices.Contains(words, a) || slices.Contains(words, k)
		})
	}
	first := ""
	for _, a := range rest {
		if !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "+") {
			first = a
			break
		}
	}
	if has("--version", "--help", "-h", "--init", "--clear-cache", "--clearCache") {
		return "", nil
	}
	switch {
	case slices.Contains(testers, name):
		if name == "vitest" && (first == "bench" || has("bench")) || has("--collect-only", "--benchmark-only", "--list", "--listTests", "--codspeed") {
			return "", nil
		}
		return Test, argv
	case slices.Contains(typeCheckers, name):
		return Types, argv
	case name == "ruff":
		if first == "check" && !has("--fix", "--fix-only", "--exit-zero") || first == "format" && has("--check", "--diff") {
			return Lint, argv
		}
		if first == "check" { // a fixer finds first
			return Lint, without(argv, "--fix", "--fix-only", "--exit-zero", "--unsafe-fixes")
		}
		return "", nil
	case slices.Contains(linters, name):
		if name == "golangci-lint" && first != "run" {
			return "", nil
		}
		return Lint, without(argv, "--fix", "--write", "--cache")
	case formatters[name] != nil:
		if has(formatters[name]...) && !has("--write", "-w", "--apply") {
			return Lint, argv
		}
		return "", nil
	case slices.Contains(builders, name):
		return Build, argv
	}
	return severalPurposes(name, first, argv, has)
}

// ofFiles are programs that a build may run besides: they change files of the project, or say something.
var ofFiles = []string{
	"echo", "printf", "mkdir", "cp", "mv", "rm", "ln", "touch", "cat", "find", "sed", "chmod", "set", "test", "[", "true", "dirname", "basename", "pwd", "ls", "tar", "export", "exit", "head", "grep",
}

// byFirst is what programs that do several things are for, by their first argument.
var byFirst = map[string]map[string]Purpose{
	"go":     {"test": Test, "vet": Lint, "build": Build, "mod": Install},
	"bun":    {"test": Test},
	"deno":   {"test": Test, "lint": Lint, "check": Types, "fmt": Lint},
	"vite":   {"build": Build},
	"cargo":  {"test": Test, "t": Test, "nextest": Test, "build": Build, "b": Build, "check": Build, "c": Build, "clippy": Lint, "fmt": Lint},
	"rake":   {"": Test, "test": Test, "spec": Test, "rubocop": Lint, "lint": Lint, "standard": Lint},
	"mix":    {"test": Test, "format": Lint, "credo": Lint, "compile": Build, "deps.get": Install, "dialyzer": Types},
	"dotnet": {"test": Test, "build": Build, "restore": Install},
}

// severalPurposes is for programs that do several things: by their first argument, unless others say something else.
func severalPurposes(name, first string, argv []string, has func(...string) bool) (Purpose, []string) {
	if name == "cross" {
		name, argv = "cargo", append([]string{"cargo"}, argv[1:]...)
	}
	purpose := byFirst[name][first]
	switch name {
	case "go":
		if purpose == Test && (has("-bench", "-fuzz") && has("-run") || has("-exec")) {
			purpose = ""
		}
	case "cargo":
		switch {
		case purpose == Test && first != "nextest" && has("--no-run"):
			purpose = Build
		case first == "fmt" && !has("--check"):
			purpose = ""
		case first == "clippy":
			argv = without(argv, "--fix")
		}
	case "deno":
		switch {
		case purpose == Test && has("--no-run"):
			purpose = Types
		case first == "fmt" && !has("--check"):
			purpose = ""
		case first == "lint":
			argv = without(argv, "--fix")
		}
	case "conda", "mamba", "micromamba":
		if has("create", "update", "install") {
			purpose = Install
		}
	case "mix":
		if first == "format" && !has("--check-formatted") {
			purpose = ""
		}
	case "tsc":
		switch {
		case has("-w", "--watch"):
		case has("--noEmit"):
			purpose = Types
		default:
			purpose = Build
		}
	case "node", "tsx", "ts-node":
		if has("--test") && !has("--watch") {
			purpose = Test
		}
	case "mvn", "mvnw":
		switch {
		case has("test", "verify", "package", "install") && !has("-DskipTests", "-Dmaven.test.skip"):
			purpose = Test
		case has("compile", "test-compile", "package", "install"):
			purpose = Build
		}
	case "gradle", "gradlew":
		switch {
		case has("test", "check", "build", "allTests", "jvmTest") && !has("-x"):
			purpose = Test
		case has("assemble", "classes", "testClasses"):
			purpose = Build
		}
	}
	if slices.Contains(installers, name) && (slices.Contains([]string{"install", "ci", "i", "sync", "add", "pip"}, first) || name == "yarn" && first == "") {
		purpose = Install
	}
	if purpose == "" {
		return "", nil
	}
	return purpose, argv
}

func without(argv []string, words ...string) []string {
	return slices.DeleteFunc(slices.Clone(argv), func(a string) bool { return slices.Contains(words, a) })
}
