package toolchain

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Class is what a file is for, by its path alone.
type Class string

// The classes of files. A file has exactly one.
const (
	Source   Class = "source"
	Test     Class = "test"      // tests and what only tests use
	TestData Class = "test-data" // fixtures, golden files, snapshots
	Config   Class = "config"    // see ConfigKindOf
	Other    Class = "other"     // documents, assets, …
)

// ConfigKind says what a configuration file configures.
type ConfigKind string

// The kinds of configuration. NoConfig is the kind of a file that is none.
const (
	NoConfig         ConfigKind = ""
	RunnerConfig     ConfigKind = "test runner configuration"
	CIConfig         ConfigKind = "CI configuration"
	LintConfig       ConfigKind = "lint or format configuration"
	TypeConfig       ConfigKind = "type checker configuration"
	BuildConfig      ConfigKind = "build configuration"
	ManifestConfig   ConfigKind = "package manifest"
	LockConfig       ConfigKind = "lock file"
	HooksConfig      ConfigKind = "git hooks"
	AttributesConfig ConfigKind = "git attributes"
	GitConfig        ConfigKind = "git configuration"
	AgentConfig      ConfigKind = "agent settings"
	EditorConfig     ConfigKind = "editor settings"
	EnvConfig        ConfigKind = "environment file"
	EngineConfig     ConfigKind = "configuration of Jacquard"
)

// Classify tells what the file at p (relative, with slashes) is for.
func Classify(p string) Class {
	if ConfigKindOf(p) != NoConfig {
		return Config
	}
	lang := LanguageOf(p)
	if inTestDataDir(p) && !isCodeThere(p, lang) {
		return TestData
	}
	if lang == "" {
		if inTestDir(p) || strings.Contains("/"+path.Dir(p)+"/", "/__tests__/") {
			return TestData
		}
		return Other
	}
	if languageRows[lang].isTest(p) {
		return Test
	}
	return Source
}

// TestNames says which file names are tests in a language, for people.
func TestNames(language string) []string { return strings.Fields(languageRows[language].tests) }

// IsTest reports whether p is a test or helps only tests.
func IsTest(p string) bool { return Classify(p) == Test }

// IsTestData reports whether p is data of tests: fixtures, golden files, snapshots.
func IsTestData(p string) bool { return Classify(p) == TestData }

// IsSource reports whether p is a source file of a known language that is no test.
func IsSource(p string) bool { return Classify(p) == Source }

func inTestDataDir(p string) bool {
	above, _ := cutTestDataDir(p)
	return above != p || strings.HasSuffix(p, ".snap")
}

// cutTestDataDir splits a path at the first directory that is named for data of tests; without one, all of it is above.
func cutTestDataDir(p string) (above, name string) {
	for at, rest := 0, p; ; {
		dir, after, ok := strings.Cut(rest, "/")
		if !ok {
			return p, ""
		}
		switch dir {
		case "testdata", "__snapshots__", "fixtures", "__fixtures__", "test-data", "test_data", "golden":
			return p[:at], dir
		}
		at, rest = at+len(dir)+1, after
	}
}

// isCodeThere reports whether a source file is code although a directory of it is named for data of tests. Go compiles what it does not
// ignore. Files of other languages are samples beside tests and at the top of a project, and code among sources.
func isCodeThere(p, lang string) bool {
	above, name := cutTestDataDir(p)
	dirs := strings.Split(strings.TrimSuffix(above, "/"), "/")
	last := dirs[len(dirs)-1]
	switch {
	case lang == LangGo:
		return !slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(dir string) bool {
			return dir == "testdata" || strings.HasPrefix(dir, "_") || strings.HasPrefix(dir, ".")
		})
	case lang == "" || above == "" || strings.HasPrefix(name, "__") || slices.ContainsFunc(dirs, ofTests):
		return false
	case name == "testdata" && languageRows[lang].isTest(p): // a sample, which no runner of this project is asked for
		return false
	case slices.ContainsFunc(dirs, ofSources):
		return true
	}
	return lang == LangPython && !strings.Contains(last, "-") && (len(dirs) == 1 || dirs[len(dirs)-2] != "packages") // what a package of Python is named
}

// ofTests reports whether a word of a directory's name says that it is for tests.
func ofTests(dir string) bool {
	for word := range strings.FieldsFuncSeq(dir, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		switch word {
		case "test", "tests", "testing", "spec", "specs", "e2e":
			return true
		}
	}
	return strings.HasSuffix(dir, "Test") || strings.HasSuffix(dir, "Tests")
}

// ofSources reports whether a directory has the usual name of one that holds code.
func ofSources(dir string) bool {
	switch dir {
	case "src", "lib", "app", "pkg", "source", "sources", "internal", "cmd", "server", "client":
		return true
	}
	return false
}

// configDirs are directories that hold nothing but configuration. Their names, or those of their parents, begin with a dot.
var configDirs = map[string]ConfigKind{
	".github/workflows": CIConfig, ".github/actions": CIConfig, ".circleci": CIConfig, ".gitlab": CIConfig,
	".buildkite": CIConfig, ".teamcity": CIConfig, ".ci": CIConfig,
	".husky": HooksConfig, ".githooks": HooksConfig, ".git-hooks": HooksConfig, ".git": GitConfig,
	".claude": AgentConfig, ".cursor": AgentConfig, ".codex": AgentConfig, ".gemini": AgentConfig,
	".opencode": AgentConfig, ".aider": AgentConfig, ".windsurf": AgentConfig, ".qwen": AgentConfig, ".continue": AgentConfig,
	".yarn":  BuildConfig,
	".cargo": BuildConfig, ".mvn": BuildConfig, "buildsrc": BuildConfig,
	".vscode": EditorConfig, ".idea": EditorConfig, ".vs": EditorConfig, ".zed": EditorConfig, ".devcontainer": EditorConfig,
}

// configName is a pattern (path.Match) of base names, in lower case.
type configName struct {
	pattern string
	kind    ConfigKind
}

// configByFirst has the patterns, in their order, by the first letter of the names that
// they can match: most files are then compared with one or two.
var configByFirst = sync.OnceValue(func() [256][]configName {
	var by [256][]configName
	for _, row := range configNames {
		for pattern := range strings.FieldsSeq(row.patterns) {
			for first := range by {
				if pattern[0] == '*' || pattern[0] == byte(first) {
					by[first] = append(by[first], configName{pattern, row.kind})
				}
			}
		}
	}
	return by
})

// configNames are all patterns, in lower case, by what they configure; the first that matches decides.
var configNames = []struct {
	kind     ConfigKind
	patterns string
}{
	{EngineConfig, "jacquard.yaml jacquard.lock"},
	{AttributesConfig, ".gitattributes"},
	{GitConfig, ".gitmodules .gitconfig"},
	{LockConfig, "go.sum go.work.sum package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb uv.lock poetry.lock pipfile.lock pdm.lock " +
		"cargo.lock gradle.lockfile gemfile.lock composer.lock mix.lock deno.lock"},
	{ManifestConfig, "go.mod go.work package.json pnpm-workspace.yaml pyproject.toml requirements*.txt constraints*.txt setup.py setup.cfg pipfile cargo.toml pom.xml " +
		"build.gradle* settings.gradle* libs.versions.toml composer.json gemfile deno.json*"},
	{RunnerConfig, "vitest.config.* vitest.workspace.* vitest.setup.* jest.config.* jest.setup.* setuptests.* playwright.config.* cypress.config.* karma.conf.* .mocharc* " +
		"bunfig.toml pytest.ini ava.config.* .taprc phpunit.xml* .rspec ctesttestfile.cmake noxfile.py .pytest.ini tox.ini .coveragerc sitecustomize.py " +
		"usercustomize.py .nycrc* codecov.y*ml junit-platform.properties nextest.toml .stestr.conf"},
	{CIConfig, ".gitlab-ci.y*ml .travis.y*ml azure-pipelines*.y*ml bitbucket-pipelines.y*ml jenkinsfile* .drone.y*ml appveyor.y*ml"},
	{HooksConfig, ".pre-commit-config.y*ml lefthook.y*ml .lefthook.y*ml .lintstagedrc*"},
	{LintConfig, ".golangci.* .eslintrc* eslint.config.* .eslintignore .prettierrc* prettier.config.* .prettierignore biome.json* ruff.toml .ruff.toml .flake8 .pylintrc " +
		"pylintrc .isort.cfg .stylelintrc* rustfmt.toml .rustfmt.toml clippy.toml .clippy.toml checkstyle*.xml pmd*.xml spotbugs*.xml detekt*.y*ml"},
	{TypeConfig, "tsconfig*.json jsconfig*.json mypy.ini .mypy.ini pyrightconfig.json"},
	{BuildConfig, "rakefile mix.exs makefile gnumakefile makefile.* *.mk justfile taskfile.y*ml dockerfile* docker-compose*.y*ml compose.y*ml vite.config.* " +
		"rollup.config.* webpack.config.* tsup.config.* babel.config.* .babelrc* .swcrc turbo.json nx.json lerna.json cmakelists.txt build.rs rust-toolchain " +
		"rust-toolchain.toml gradle.properties gradle-wrapper.* gradlew* mvnw* lombok.config .npmrc .yarnrc* .pnpmfile.* .nvmrc .node-version .python-version " +
		".tool-versions mise.toml"},
	{AgentConfig, ".mcp.json .cursorrules .windsurfrules .aider*"},
	{EditorConfig, ".editorconfig"},
	{EnvConfig, ".envrc .env .env.*"},
}

// ConfigKindOf tells what the file at p configures, NoConfig if nothing. Case does not matter, because on some file
// systems makefile is Makefile. Files in test data configure nothing.
func ConfigKindOf(p string) ConfigKind {
	low := strings.ToLower(p)
	if inTestDataDir(low) {
		return NoConfig
	}
	if strings.HasPrefix(low, ".") || strings.Contains(low, "/.") { // most paths are spared the search
		for _, dir := range parents(path.Dir(low)) {
			for _, d := range []string{dir, path.Base(dir), lastTwo(dir)} {
				if k, ok := configDirs[d]; ok {
					return k
				}
			}
		}
	}
	base := path.Base(low)
	for _, c := range configByFirst()[base[0]] {
		if ok, err := path.Match(c.pattern, base); err == nil && ok {
			return c.kind
		}
	}
	return NoConfig
}

func lastTwo(dir string) string {
	return path.Base(path.Dir(dir)) + "/" + path.Base(dir)
}
