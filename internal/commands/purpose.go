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
	"tsup", "rollup", "esbuild", "unbuild", "tsdown", "microbundle", "bunchee", "pkgroll", "swc", "babel", "webpack", "zshy", "tshy", "parcel", "ncc", "del-cli", "rimraf", "cmake", "ninja", "meson", "configure", "autoreconf", "autogen.sh", "bootstrap.sh", "vite-build", "bob", "kcd-scripts-build", "napi",
}

// installers install what the project needs.
var installers = []string{"pip", "pip3", "pipenv", "bundle", "composer", "npm", "pnpm", "yarn", "bun", "uv", "poetry", "pdm", "go", "conda", "pipx"}

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

// severalPurposes is for programs that do several things, by their first argument.
func severalPurposes(name, first string, argv []string, has func(...string) bool) (Purpose, []string) {
	switch name {
	case "go":
		switch first {
		case "test":
			if has("-bench", "-fuzz") && has("-run") || has("-exec") {
				return "", nil
			}
			return Test, argv
		case "vet":
			return Lint, argv
		case "build":
			return Build, argv
		case "mod":
			return Install, argv
		}
	case "tsc":
		if has("-w", "--watch") {
			return "", nil
		}
		if has("--noEmit") {
			return Types, argv
		}
		return Build, argv
	case "node", "tsx", "ts-node":
		if has("--test") && !has("--watch") {
			return Test, argv
		}
	case "bun":
		if first == "test" {
			return Test, argv
		}
	case "deno":
		switch first {
		case "test":
			return Test, argv
		case "lint":
			return Lint, argv
		case "check":
			return Types, argv
		}
	case "vite":
		if first == "build" {
			return Build, argv
		}
	}
	return builderPurpose(name, first, argv, has)
}

// builderPurpose is for programs that build, and for those that install.
func builderPurpose(name, first string, argv []string, has func(...string) bool) (Purpose, []string) {
	switch name {
	case "cargo":
		return cargoPurpose(argv, first, has)
	case "cross":
		return cargoPurpose(append([]string{"cargo"}, argv[1:]...), first, has)
	case "mvn", "mvnw":
		if has("test", "verify", "package", "install") && !has("-DskipTests", "-Dmaven.test.skip") {
			return Test, argv
		}
		if has("compile", "test-compile", "package", "install") {
			return Build, argv
		}
	case "gradle", "gradlew":
		if has("test", "check", "build", "allTests", "jvmTest") && !has("-x") {
			return Test, argv
		}
		if has("assemble", "classes", "testClasses") {
			return Build, argv
		}
	case "rake":
		if first == "" || first == "test" || first == "spec" {
			return Test, argv
		}
		if first == "rubocop" || first == "lint" || first == "standard" {
			return Lint, argv
		}
	case "mix":
		switch first {
		case "test":
			return Test, argv
		case "format":
			if has("--check-formatted") {
				return Lint, argv
			}
		case "credo":
			return Lint, argv
		case "compile":
			return Build, argv
		case "deps.get":
			return Install, argv
		case "dialyzer":
			return Types, argv
		}
	case "dotnet":
		switch first {
		case "test":
			return Test, argv
		case "build":
			return Build, argv
		case "restore":
			return Install, argv
		}
	}
	if slices.Contains(installers, name) && (first == "install" || first == "ci" || first == "i" || first == "sync" || first == "add" || name == "yarn" && first == "" || first == "pip") {
		return Install, argv
	}
	return "", nil
}

func cargoPurpose(argv []string, first string, has func(...string) bool) (Purpose, []string) {
	switch first {
	case "test", "t":
		if has("--no-run") {
			return Build, argv
		}
		return Test, argv
	case "nextest":
		return Test, argv
	case "build", "b", "check", "c":
		return Build, argv
	case "clippy":
		return Lint, without(argv, "--fix")
	case "fmt":
		if has("--check") || slices.Contains(argv, "--check") {
			return Lint, argv
		}
	}
	return "", nil
}

func without(argv []string, words ...string) []string {
	return slices.DeleteFunc(slices.Clone(argv), func(a string) bool { return slices.Contains(words, a) })
}
