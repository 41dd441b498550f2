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
	if testNames[lang](p) {
		return Test
	}
	return Source
}

// TestNames says which file names are tests in a language, for people.
func TestNames(language string) []string {
	switch language {
	case LangGo:
		return []string{"*_test.go"}
	case LangTypeScript:
		return []string{"*.test.ts", "*.spec.ts", "__tests__/**"}
	case LangJavaScript:
		return []string{"*.test.js", "*.spec.js", "__tests__/**"}
	case LangPython:
		return []string{"test_*.py", "*_test.py", "conftest.py"}
	case LangRust:
		return []string{"tests/**", "*_test.rs", "tests.rs"}
	case LangJava:
		return []string{"src/test/**", "*Test.java"}
	case LangKotlin:
		return []string{"src/test/**", "*Test.kt"}
	}
	return nil
}

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
	for _, c := range configNames {
		for first := range by {
			if c.pattern[0] == '*' || c.pattern[0] == byte(first) {
				by[first] = append(by[first], c)
			}
		}
	}
	return by
})

// configNames are all patterns; the first that matches decides.
var configNames = []configName{
	{"jacquard.yaml", EngineConfig},
	{"jacquard.lock", EngineConfig},
	{".gitattributes", AttributesConfig},
	{".gitmodules", GitConfig},
	{".gitconfig", GitConfig},
	{"go.sum", LockConfig},
	{"go.work.sum", LockConfig},
	{"package-lock.json", LockConfig},
	{"npm-shrinkwrap.json", LockConfig},
	{"pnpm-lock.yaml", LockConfig},
	{"yarn.lock", LockConfig},
	{"bun.lock", LockConfig},
	{"bun.lockb", LockConfig},
	{"uv.lock", LockConfig},
	{"poetry.lock", LockConfig},
	{"pipfile.lock", LockConfig},
	{"pdm.lock", LockConfig},
	{"cargo.lock", LockConfig},
	{"gradle.lockfile", LockConfig},
	{"gemfile.lock", LockConfig},
	{"composer.lock", LockConfig},
	{"go.mod", ManifestConfig},
	{"go.work", ManifestConfig},
	{"package.json", ManifestConfig},
	{"pnpm-workspace.yaml", ManifestConfig},
	{"pyproject.toml", ManifestConfig},
	{"requirements*.txt", ManifestConfig},
	{"constraints*.txt", ManifestConfig},
	{"setup.py", ManifestConfig},
	{"setup.cfg", ManifestConfig},
	{"pipfile", ManifestConfig},
	{"cargo.toml", ManifestConfig},
	{"pom.xml", ManifestConfig},
	{"build.gradle*", ManifestConfig},
	{"settings.gradle*", ManifestConfig},
	{"libs.versions.toml", ManifestConfig},
	{"vitest.config.*", RunnerConfig},
	{"vitest.workspace.*", RunnerConfig},
	{"vitest.setup.*", RunnerConfig},
	{"jest.config.*", RunnerConfig},
	{"jest.setup.*", RunnerConfig},
	{"setuptests.*", RunnerConfig},
	{"playwright.config.*", RunnerConfig},
	{"cypress.config.*", RunnerConfig},
	{"karma.conf.*", RunnerConfig},
	{".mocharc*", RunnerConfig},
	{"bunfig.toml", RunnerConfig},
	{"pytest.ini", RunnerConfig},
	{"ava.config.*", RunnerConfig},
	{".taprc", RunnerConfig},
	{"phpunit.xml*", RunnerConfig},
	{".rspec", RunnerConfig},
	{"ctesttestfile.cmake", RunnerConfig},
	{"noxfile.py", RunnerConfig},
	{"rakefile", BuildConfig},
	{"mix.exs", BuildConfig},
	{"mix.lock", LockConfig},
	{"composer.json", ManifestConfig},
	{"gemfile", ManifestConfig},
	{".pytest.ini", RunnerConfig},
	{"tox.ini", RunnerConfig},
	{".coveragerc", RunnerConfig},
	{"sitecustomize.py", RunnerConfig},
	{"usercustomize.py", RunnerConfig},
	{".nycrc*", RunnerConfig},
	{"codecov.y*ml", RunnerConfig},
	{".gitlab-ci.y*ml", CIConfig},
	{".travis.y*ml", CIConfig},
	{"azure-pipelines*.y*ml", CIConfig},
	{"bitbucket-pipelines.y*ml", CIConfig},
	{"jenkinsfile*", CIConfig},
	{".drone.y*ml", CIConfig},
	{"appveyor.y*ml", CIConfig},
	{".pre-commit-config.y*ml", HooksConfig},
	{"lefthook.y*ml", HooksConfig},
	{".lefthook.y*ml", HooksConfig},
	{".lintstagedrc*", HooksConfig},
	{".golangci.*", LintConfig},
	{".eslintrc*", LintConfig},
	{"eslint.config.*", LintConfig},
	{".eslintignore", LintConfig},
	{".prettierrc*", LintConfig},
	{"prettier.config.*", LintConfig},
	{".prettierignore", LintConfig},
	{"biome.json*", LintConfig},
	{"ruff.toml", LintConfig},
	{".ruff.toml", LintConfig},
	{".flake8", LintConfig},
	{".pylintrc", LintConfig},
	{"pylintrc", LintConfig},
	{".isort.cfg", LintConfig},
	{".stylelintrc*", LintConfig},
	{"rustfmt.toml", LintConfig},
	{".rustfmt.toml", LintConfig},
	{"clippy.toml", LintConfig},
	{".clippy.toml", LintConfig},
	{"checkstyle*.xml", LintConfig},
	{"pmd*.xml", LintConfig},
	{"spotbugs*.xml", LintConfig},
	{"detekt*.y*ml", LintConfig},
	{"tsconfig*.json", TypeConfig},
	{"jsconfig*.json", TypeConfig},
	{"mypy.ini", TypeConfig},
	{".mypy.ini", TypeConfig},
	{"pyrightconfig.json", TypeConfig},
	{"makefile", BuildConfig},
	{"gnumakefile", BuildConfig},
	{"makefile.*", BuildConfig},
	{"*.mk", BuildConfig},
	{"justfile", BuildConfig},
	{"taskfile.y*ml", BuildConfig},
	{"dockerfile*", BuildConfig},
	{"docker-compose*.y*ml", BuildConfig},
	{"compose.y*ml", BuildConfig},
	{"vite.config.*", BuildConfig},
	{"rollup.config.*", BuildConfig},
	{"webpack.config.*", BuildConfig},
	{"tsup.config.*", BuildConfig},
	{"babel.config.*", BuildConfig},
	{".babelrc*", BuildConfig},
	{".swcrc", BuildConfig},
	{"turbo.json", BuildConfig},
	{"nx.json", BuildConfig},
	{"lerna.json", BuildConfig},
	{"cmakelists.txt", BuildConfig},
	{"build.rs", BuildConfig},
	{"rust-toolchain", BuildConfig},
	{"rust-toolchain.toml", BuildConfig},
	{"gradle.properties", BuildConfig},
	{"gradle-wrapper.*", BuildConfig},
	{"gradlew*", BuildConfig},
	{"mvnw*", BuildConfig},
	{"lombok.config", BuildConfig},
	{"junit-platform.properties", RunnerConfig},
	{"nextest.toml", RunnerConfig},
	{".npmrc", BuildConfig},
	{".yarnrc*", BuildConfig},
	{".pnpmfile.*", BuildConfig},
	{".nvmrc", BuildConfig},
	{".node-version", BuildConfig},
	{".python-version", BuildConfig},
	{".tool-versions", BuildConfig},
	{"mise.toml", BuildConfig},
	{".mcp.json", AgentConfig},
	{".cursorrules", AgentConfig},
	{".windsurfrules", AgentConfig},
	{".aider*", AgentConfig},
	{".editorconfig", EditorConfig},
	{".envrc", EnvConfig},
	{".env", EnvConfig},
	{".env.*", EnvConfig},
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
