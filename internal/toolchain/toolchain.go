// Package toolchain knows, as data, how each ecosystem is recognised, set up, built, tested, linted and formatted,
// which files are its tests and which are its configuration.
//
// Everything here is a pure function of file names and file contents: nothing is run, nothing is read from disk.
// An ecosystem is one row of a table (see ecosystems); adding one adds a row and changes no caller.
//
// Commands are argv templates. The following parts are replaced by whoever runs them:
//
//	{report}      a file outside the tree that the tool writes its machine-readable result to
//	{root}        the absolute path of the directory that the command runs in
//	{env}         the directory of the prepared environment (a Python venv, Cargo's home, Maven's repository)
//	{home}        the home directory of the command
//	{settings}    a file with Maven's settings for an installation
//	{jest}        a file with [JestProgram]
//	{gradle}      a file with [GradleScript]
//	{bin:PKG}     the script that the installed npm package PKG runs; {bin:PKG#NAME} when it has several
package toolchain

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
)

// Ecosystems that the table has rows for.
const (
	Go     = "go"
	Node   = "node"
	Python = "python"
	Rust   = "rust"
	JVM    = "jvm" // Java and Kotlin
)

// Languages that the table knows.
const (
	LangGo         = "go"
	LangTypeScript = "typescript"
	LangJavaScript = "javascript"
	LangPython     = "python"
	LangRust       = "rust"
	LangJava       = "java"
	LangKotlin     = "kotlin"
)

// Found is the toolchain of one directory of a project.
type Found struct {
	Ecosystem      string   `json:"ecosystem"`
	Language       string   `json:"language"`                  // of the directory; "" when it cannot be told
	Choices        []string `json:"choices,omitempty"`         // the project's languages, when Language is ""
	Root           string   `json:"root"`                      // directory of the nearest manifest, "." for the project's root
	Manifest       string   `json:"manifest,omitempty"`        // its path; "" when there is none
	Lock           string   `json:"lock,omitempty"`            // path of the lock file; "" when there is none
	ManagerVersion string   `json:"manager_version,omitempty"` // where the project says one
	Manager        string   `json:"manager"`                   // go, npm, pnpm, yarn, yarn-berry, bun, deno, uv, poetry, pip, cargo, maven, gradle
	Runner         string   `json:"runner"`                    // go, vitest, jest, node, bun, deno, pytest, unittest, cargo, surefire, gradle
	Module         string   `json:"module,omitempty"`          // go: the module path; node and python: the package's name; rust: that of the library

	// Declared names the packages that the manifest and the files beside it declare, without versions.
	Declared []string          `json:"declared,omitempty"`
	versions map[string]string // of those of which the manifest says one
	guessed  bool              // nothing names the runner
	// Tools are the linters, formatters and type checkers that the project configures.
	Tools []string `json:"tools,omitempty"`
	// Installs are the files (manifests, locks) whose bytes decide what setup installs.
	Installs []string `json:"installs,omitempty"`
	// Requires are the requirements in pyproject.toml as it writes them, with versions: pip does not read them there.
	Requires []string `json:"requires,omitempty"`
	// Override are command lines of the project that replace those of the table: build, test, lint, format. {files} stands
	// for the selected files; a test command must write the report that the runner of the table writes.
	Override map[string]string `json:"override,omitempty"`
	// Own are the commands of the project's own people.
	Own Own `json:"own,omitzero"`
	// SourceDir is "src" for a Python project with that layout; imports start there.
	SourceDir string `json:"source_dir,omitempty"`
	// Starts are the directories that unittest begins in to find all tests, where the project has no command of its own.
	Starts []string `json:"starts,omitempty"`
	// Builds says that a Python project can be installed itself, Compiles which sources are only compiled by that, by their endings.
	Builds   bool     `json:"builds,omitempty"`
	Compiles []string `json:"compiles,omitempty"`
	// Workspace is the directory that Cargo's messages are relative to, that Maven runs in, and that uv installs all packages of; Edition is Rust's.
	Workspace string `json:"workspace,omitempty"`
	Edition   string `json:"edition,omitempty"`
	// Features are those that a crate of Rust has.
	Features []string `json:"features,omitempty"`
	// Fetches says that a package of Rust, or another one of its workspace, which Cargo reads with it, has dependencies.
	Fetches bool `json:"fetches,omitempty"`
	// Programs says of a package of Rust that it has no library.
	Programs bool `json:"programs,omitempty"`
	// Modules are the directories of the modules that a pom.xml builds, below it as well.
	Modules []string `json:"modules,omitempty"`
	// Apart says that a module of Go lies in a workspace whose go.work leaves it out.
	Apart bool `json:"apart,omitempty"`
	// Engine is the range of versions of Node.js that a package asks for, as npm writes it.
	Engine string `json:"engine,omitempty"`
	// EngineWas is that before the change that is judged.
	EngineWas string `json:"engine_was,omitempty"`
	// Untested says that it has no tests of its own.
	Untested bool `json:"untested,omitempty"`
	// Members are the roots of other toolchains of the project whose sources this one's are built with.
	Members []string `json:"members,omitempty"`
}

// Has reports whether the project declares the package name as a dependency.
func (f Found) Has(name string) bool { return slices.Contains(f.Declared, name) }

// Uses reports whether the project configures the tool (eslint, prettier, biome, ruff, black, mypy, tsc, golangci-lint).
func (f Found) Uses(tool string) bool { return slices.Contains(f.Tools, tool) }

// Report says in which form a command gives its result.
type Report string

// The forms of results. ReportExit has nothing but the exit code.
const (
	ReportExit     Report = "exit"
	ReportGoTest   Report = "go-test-json"   // go test -json on stdout
	ReportJest     Report = "jest-json"      // jest and vitest: one JSON object in {report}
	ReportNode     Report = "node-ndjson"    // node --test: one JSON object a line in {report}
	ReportJUnit    Report = "junit-xml"      // pytest (xunit1: with files) in {report}
	ReportBun      Report = "bun-junit"      // bun test: junit-xml in {report}, and on stderr what it leaves out there
	ReportDeno     Report = "deno-junit"     // deno test: junit-xml in {report}, and in what it prints the files that could not be loaded
	ReportUnittest Report = "unittest-jsonl" // unittest: one JSON object a line in {report}
	// ReportCollected is what pytest would run, as ReportUnittest.
	ReportCollected Report = "pytest-collected"
	ReportCargo     Report = "cargo-json"   // cargo test: messages of the compiler and the text of the tests on stdout, the crates on stderr
	ReportSurefire  Report = "surefire-xml" // JUnit's XML, a file for each class, below target (Maven) or build (Gradle); the compiler on stdout
	ReportGoCover   Report = "go-cover"     // a Go cover profile in {report}
	ReportLCOV      Report = "lcov"         // LCOV tracefile in {report}
	ReportMocha     Report = "mocha-json"   // mocha: one JSON object in {report}; on stdout before version 9.2
	ReportTAP       Report = "tap"          // the Test Anything Protocol on stdout: ava, tap, tape, borp
	ReportAny       Report = "any"          // a report in {report}, in files or on stdout in a form that is recognised, else the exit code alone
)

// Need is a program that a command cannot do without.
type Need struct {
	Tool    string `json:"tool"`    // the program's name, looked for on PATH, or "npm:PKG", "py:MODULE"
	Install string `json:"install"` // the command that a person installs it with
}

// Command is one command of a toolchain.
type Command struct {
	Name   string   `json:"name"` // setup, build, test, lint, format, coverage
	Argv   []string `json:"argv"`
	Dir    string   `json:"dir"` // relative to the project's root
	Env    []string `json:"env,omitempty"`
	Report Report   `json:"report"`
	// Written says where in the project the command writes its reports, as a pattern; "" = into {report} or nowhere.
	Written string `json:"written,omitempty"`
	// Complains is the exit code, besides 0, of a formatter that did its work and still has something to say; 0 for none.
	Complains int `json:"complains,omitempty"`
	// Refuse says why the table knows no such command, and what to do; it is said instead of running anything.
	Refuse string `json:"refuse,omitempty"`
	Needs  []Need `json:"needs,omitempty"`
	From   string `json:"from,omitempty"` // where the project says so; "" is the table
	// Unsaid are arguments that say where results go, or keep quiet what is no part of a proof. People are shown the command without.
	Unsaid []string `json:"unsaid,omitempty"`
	// Instead are the commands that do the same where the program is not installed; nil where only a person can help.
	Instead [][]string `json:"instead,omitempty"`
	// OrElse is what is run where the command fails.
	OrElse []string `json:"or_else,omitempty"`
	// Optional says that a project can be worked on where the program is not installed: it is said, and nobody is charged.
	Optional bool `json:"optional,omitempty"`
}

// Selection says which tests to run. The zero value is all of them. Paths are relative to the project's root.
// Only one of the fields is used: IDs before Files before Dir.
type Selection struct {
	Dir   string   // the tests directly in and below this directory
	Files []string // these test files
	IDs   []string // these tests: path::name
}

// ecosystem is a row of the table.
type ecosystem struct {
	name      string
	languages []string
	manifests []string // in order of preference
	locks     []lock   // in order of preference
	inspect   func(*Found, *Project)
	setup     func(Found) []Command
	build     func(Found, string) []Command
	test      func(Found, Selection) []Command
	lint      func(Found, []string) []Command
	format    func(Found, []string) []Command
	coverage  func(Found, Selection) []Command
	place     func(Placement, *Project) Placement
	stub      func(s Symbol, fails bool) string
	need      Need
}

type lock struct{ file, manager string }

// ecosystems is the table. The order is the order of preference where two manifests lie in one directory and the
// language of the directory does not decide.
func ecosystems() []ecosystem {
	return []ecosystem{goRow(), nodeRow(), pythonRow(), rustRow(), jvmRow()}
}

func rowOf(name string) (ecosystem, bool) {
	for _, e := range append(ecosystems(), unknownRow()) {
		if e.name == name {
			return e, true
		}
	}
	return ecosystem{}, false
}

// languageRows say of each language which extensions its files have, the usual one first, and which of them are tests: by their paths, and for
// people.
var languageRows = map[string]struct {
	extensions []string
	isTest     func(string) bool
	tests      string
}{
	LangGo:         {[]string{".go"}, func(p string) bool { return strings.HasSuffix(p, "_test.go") }, "*_test.go"},
	LangTypeScript: {[]string{".ts", ".tsx", ".mts", ".cts"}, isNodeTest, "*.test.ts *.spec.ts __tests__/**"},
	LangJavaScript: {[]string{".js", ".jsx", ".mjs", ".cjs"}, isNodeTest, "*.test.js *.spec.js __tests__/**"},
	LangPython:     {[]string{".py"}, isPythonTest, "test_*.py *_test.py conftest.py"},
	LangRust:       {[]string{".rs"}, isRustTest, "tests/** *_test.rs tests.rs"},
	LangJava:       {[]string{".java"}, isJVMTest, "src/test/** *Test.java"},
	LangKotlin:     {[]string{".kt", ".kts"}, isJVMTest, "src/test/** *Test.kt"},
}

// languages is the language of each extension.
var languages = func() map[string]string {
	out := map[string]string{".pyi": LangPython} // which says what is in another file
	for name, row := range languageRows {
		for _, ext := range row.extensions {
			out[ext] = name
		}
	}
	return out
}()

// isRustTest: files below tests are crates of tests; a module of tests beside the code has the name tests.rs or ends in _test.rs.
func isRustTest(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, "_test.rs") || strings.HasSuffix(base, "_tests.rs") || base == "tests.rs" || base == "test.rs" || strings.Contains("/"+p, "/tests/")
}

// isJVMTest: Maven and Gradle keep tests in src/test; elsewhere the name of the class says it.
func isJVMTest(p string) bool {
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	for _, end := range []string{"Test", "Tests", "TestCase", "IT"} {
		rest, ok := strings.CutSuffix(stem, end)
		if ok && rest != "" && (end != "IT" || rest[len(rest)-1] < 'A' || rest[len(rest)-1] > 'Z') { // AUDIT is a word
			return true
		}
	}
	return strings.Contains("/"+p, "/src/test/")
}

// LanguageOf is the language of a source file by its name, "" if it is none that the table knows.
func LanguageOf(p string) string { return languages[strings.ToLower(path.Ext(p))] }

// Languages lists the languages that the table knows.
func Languages() []string {
	var out []string
	for _, e := range ecosystems() {
		out = append(out, e.languages...)
	}
	return out
}

// Extensions lists the file extensions of a language, the usual one first.
func Extensions(language string) []string { return slices.Clone(languageRows[language].extensions) }

// Env is the environment that all commands of the toolchain share, as NAME=value.
func (f Found) Env() []string {
	switch f.Ecosystem {
	case Go:
		if f.Apart {
			return []string{"GOFLAGS=-buildvcs=false", "GOWORK=off"}
		}
		return []string{"GOFLAGS=-buildvcs=false"}
	case Node:
		return append([]string{"CI=1"}, f.denoEnv()...)
	case Rust:
		if f.ManagerVersion != "" { // the toolchain alone: rustup would install components that a file asks for, and cannot here
			return []string{"RUSTUP_TOOLCHAIN=" + f.ManagerVersion}
		}
	case JVM:
		if f.Manager == "gradle" {
			return []string{"GRADLE_USER_HOME={env}"}
		}
	case Python:
		env := []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0"}
		if f.SourceDir != "" {
			env = append(env, "PYTHONPATH={root}/"+f.SourceDir)
		}
		return env
	}
	var env []string
	for _, x := range f.used() {
		env = append(env, x.env...)
	}
	return env
}

// Setup are the commands that install what the lock file (or, without one, the manifest) names. They may reach the
// network; nothing after them needs to. Empty when there is nothing to install.
func (f Found) Setup() []Command { return f.row().setup(f) }

// OnSources are the commands that install where those of Setup end with an error, with the project's own sources, given by path, in their
// place: a plug-in of Maven looks for something there, and a module of a workspace of Go may name another one that no registry has. Empty where
// that is of no use.
func (f Found) OnSources(setup []Command, sources []string) []Command {
	switch {
	case f.Manager == "maven":
		return onSources(setup, sources)
	case f.Ecosystem == Go && f.Workspace != "":
		return []Command{f.goCommand("setup", ReportExit, "go", "list", "-deps", "-test", "./...")}
	}
	return nil
}

// Build are the commands that compile or type-check dir, or the whole project where the tool knows no less; empty for a
// language that does neither.
func (f Found) Build(dir string) []Command {
	return f.override("build", []string{dir}, f.row().build(f, dir))
}

// Before are the builds that the project's own people run before the tests, because these need what they make.
func (f Found) Before() []Command { return f.allAsIs(PrepareName, f.Own.Before) }

// Scripts are the paths of the project's own scripts among them, which decide what the tests see.
func (f Found) Scripts() []string {
	var out []string
	for _, c := range f.Own.Before {
		if c.Script != "" {
			out = append(out, c.Script)
		}
	}
	return out
}

// PrepareName is the name of commands that make what tests need. They may write into the tree.
const PrepareName = "prepare"

// TypeCheck are the commands that compile or type-check the selected tests with what they use, and run none of them;
// empty where the language or the project has no way to. Node's check the whole project.
func (f Found) TypeCheck(s Selection) []Command {
	switch f.Ecosystem {
	case Go:
		args := append([]string{"go", "test", "-json", "-count=1", "-run=^$", "-vet=off", "-gcflags=-e"}, f.goPackages(s)...)
		return []Command{f.goCommand("compile", ReportGoTest, args...)}
	case Node:
		return f.tsc()
	case Rust:
		c := rustTest(f, s)[0]
		c.Name, c.Report, c.Argv = "compile", ReportExit, append([]string{"cargo", "test", "--no-run"}, c.Argv[3:]...)
		return []Command{c}
	case JVM:
		if f.Manager != "maven" {
			return nil
		}
		c := mavenTest(f, Selection{})[0]
		c.Name, c.Report = "compile", ReportExit
		c.Argv[len(c.Argv)-1] = "test-compile"
		return []Command{c}
	}
	return nil
}

// Test are the commands that run the selected tests with a machine-readable report.
func (f Found) Test(s Selection) []Command {
	files := s.files()
	if len(files) == 0 && s.Dir != "" {
		files = []string{s.Dir}
	}
	return f.override("test", files, f.row().test(f, s))
}

// Lint are the commands of the linters that the project configures, for the given files (none: the whole project).
func (f Found) Lint(files []string) []Command {
	return f.override("lint", files, f.row().lint(f, files))
}

// Format are the commands that rewrite the given files with the project's formatter.
func (f Found) Format(files []string) []Command {
	return f.override("format", files, f.row().format(f, files))
}

// Coverage are the commands that run the selected tests and report which lines they reached; empty when the project
// has no tool for it.
func (f Found) Coverage(s Selection) []Command { return f.row().coverage(f, s) }

// E2E are the commands that run the end-to-end tests that the project configures; empty when it has none.
func (f Found) E2E() []Command {
	if f.Ecosystem != Node || !f.Uses(Playwright) {
		return nil
	}
	return []Command{f.nodeCommand("e2e", ReportExit, Playwright+"#playwright", "test", "--reporter=list")}
}

// override puts the project's own command line in the place of the table's.
func (f Found) override(name string, files []string, table []Command) []Command {
	line := f.Override[name]
	if line == "" {
		return table
	}
	c := Command{Name: name, Dir: f.Root, Report: ReportExit, Env: f.Env(), From: From + ": checks." + name}
	if f.Ecosystem == Rust { // what it runs of Cargo finds what setup has fetched
		c.Env = f.cargo(name, ReportExit).Env
	}
	if name == "test" {
		c.Report, c.Written = ReportAny, f.Own.Written
		if len(table) > 0 && (table[0].Report == ReportSurefire || strings.Contains(line, "{report}")) {
			c.Report = table[0].Report
		}
	}
	for _, word := range Argv(strings.ReplaceAll(line, "{files}", "'{files}'")) {
		if word == "{files}" {
			c.Argv = append(c.Argv, files...)
			continue
		}
		c.Argv = append(c.Argv, word)
	}
	if flags := reporters[(commands.Command{Argv: c.Argv}).Program()]; name == "test" && f.Own.Written == "" && len(flags) > 0 && !slices.Contains(c.Argv, flags[0]) {
		c.reports(flags)
	}
	return []Command{c}
}

// Argv is a line that a person wrote as a program with its arguments: what only a shell can run is given to one.
func Argv(line string) []string {
	if argv, ok := commands.Words(line); ok {
		return argv
	}
	return []string{"sh", "-c", line}
}

// Locks are the names of the lock files that the project's package manager may write.
func (f Found) Locks() []string {
	var out []string
	for _, l := range f.row().locks {
		if l.manager == strings.TrimSuffix(f.Manager, "-berry") {
			out = append(out, l.file)
		}
	}
	return out
}

// Need is the program without which nothing of the ecosystem runs.
func (f Found) Need() Need { return f.row().need }

func (f Found) row() ecosystem {
	e, ok := rowOf(f.Ecosystem)
	if !ok {
		return emptyRow()
	}
	return e
}

func emptyRow() ecosystem {
	none := func(Found) []Command { return nil }
	files := func(Found, []string) []Command { return nil }
	sel := func(Found, Selection) []Command { return nil }
	return ecosystem{
		setup: none, build: func(Found, string) []Command { return nil }, test: sel, lint: files, format: files, coverage: sel,
		place: func(p Placement, _ *Project) Placement { return p },
		stub:  func(Symbol, bool) string { return "" },
	}
}

// rel gives p relative to the toolchain's root, which it must lie in.
func (f Found) rel(p string) string {
	if f.Root == "." || f.Root == "" {
		return p
	}
	if p == f.Root {
		return "."
	}
	return strings.TrimPrefix(p, f.Root+"/")
}

func (f Found) rels(ps []string) []string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = f.rel(p)
	}
	return out
}

// SplitID takes a test id (path::name) apart.
func SplitID(id string) (file, name string) {
	file, name, _ = strings.Cut(id, "::")
	return file, name
}

// files are the files that a selection names, by ids each once and in their order.
func (s Selection) files() []string {
	if len(s.IDs) == 0 {
		return s.Files
	}
	var out []string
	for _, id := range s.IDs {
		if f, _ := SplitID(id); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// addOnce adds those that a list does not have yet.
func addOnce(list []string, more ...string) []string {
	for _, s := range more {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
