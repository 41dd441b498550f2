// Package commands reads from a project's own files how its people install, build, lint and test it: what its CI runs, its
// scripts and its targets. Nothing is run, and what is found is never a shell line: it is the programs that the lines run in
// the end, with npm's scripts, Make's targets and the environments of tox followed. Programs that the table of this package does
// not know are left out, so that no file of a project can name one to be run.
package commands

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Purpose is what a command is for.
type Purpose string

// The purposes of commands.
const (
	Install Purpose = "install"
	Build   Purpose = "build"
	Types   Purpose = "types"
	Lint    Purpose = "lint"
	Test    Purpose = "test"
)

// Command is one program that the project's own people run.
type Command struct {
	Purpose Purpose
	// Argv is the program and its arguments, without what only calls it (npx, npm run, uv run). An argument {glob:PATTERN}
	// stands for the files that a shell would put there.
	Argv []string
	Env  []string // NAME=value that the line sets
	Dir  string   // where it runs, relative to the project's root
	From string   // where the project says so, for people
	Line int      // of the script or the job, in the order in which they run; commands of one line belong together
	CI   bool     // the project's CI runs it
	// Partial says that a word is missing that only CI can tell.
	Partial bool
	// Script is the path of the project's own script that the command is, and Runs the program that it runs, or XTask; else both are "".
	Script, Runs string
}

// Program is the name of the program without its directory, that of the module for python -m, and what a script runs.
func (c Command) Program() string { return cmp.Or(c.Runs, program(c.Argv)) }

// above are a directory of the project and those above it, the nearest first, "." last; none for one outside of it.
func above(dir string) (out []string) {
	for dir = path.Clean(dir); !strings.HasPrefix(dir, "..") && !path.IsAbs(dir); dir = path.Dir(dir) {
		if out = append(out, dir); dir == "." {
			break
		}
	}
	return out
}

func program(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	if Bundled(argv) {
		return program(argv[2:])
	}
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(argv[0]), ".js"), ".cmd")
	if strings.HasPrefix(name, "python") || name == "py" {
		for i := 1; i < len(argv)-1; i++ {
			if argv[i] == "-m" {
				return argv[i+1]
			}
			if !strings.HasPrefix(argv[i], "-") {
				break
			}
		}
		return "python"
	}
	return name
}

// Bundled reports whether a command runs with the gems of a Gemfile: bundle exec and the rest.
func Bundled(argv []string) bool { return len(argv) > 2 && argv[0] == "bundle" && argv[1] == "exec" }

// Read gives the commands of a project, given its files (relative paths with slashes) and their bytes: those of its CI first,
// then those of scripts and targets that CI does not run, by their usual names.
func Read(files []string, read func(string) []byte) []Command {
	r := newReader(files, read)
	r.ci()
	ci := len(r.out)
	r.scripts()
	return onlyNew(r.out, ci)
}

// Follow gives the programs that a line of shell runs in the end, in the root of a project.
func Follow(line, from string, files []string, read func(string) []byte) []Command {
	r := newReader(files, read)
	r.shell(line, at{dir: ".", from: from})
	return r.out
}

// Words are those of a line that is one simple command; ok is false for what only a shell can run.
func Words(line string) (argv []string, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 || file.Stmts[0].Background || len(file.Stmts[0].Redirs) > 0 {
		return nil, false
	}
	call, is := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !is || len(call.Assigns) > 0 {
		return nil, false
	}
	w := walker{own: map[string]string{}}
	for _, word := range call.Args {
		plain := true
		syntax.Walk(word, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
				plain = false
			}
			return true
		})
		if !plain {
			return nil, false
		}
		argv = append(argv, w.words(word)...)
	}
	return argv, len(argv) > 0
}

// onlyNew leaves out lines that run what an earlier one runs, and what scripts run that CI runs as well.
func onlyNew(all []Command, ci int) []Command {
	same := func(a, b Command) bool {
		return a.Purpose == b.Purpose && a.Dir == b.Dir && slices.Equal(a.Argv, b.Argv)
	}
	lines := map[int][]Command{}
	var order []int
	for _, c := range all {
		if lines[c.Line] == nil {
			order = append(order, c.Line)
		}
		if !slices.ContainsFunc(lines[c.Line], func(o Command) bool { return same(o, c) }) {
			lines[c.Line] = append(lines[c.Line], c)
		}
	}
	var out []Command
	for i, n := range order {
		seen := slices.ContainsFunc(order[:i], func(m int) bool { return slices.EqualFunc(lines[m], lines[n], same) })
		if seen {
			continue
		}
		for _, c := range lines[n] {
			if c.CI || !slices.ContainsFunc(all[:ci], func(o Command) bool { return same(o, c) }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// reader collects the commands of one project.
type reader struct {
	files     map[string]bool
	read      func(string) []byte
	packages  []string // directories with a package.json
	makefiles map[string]makefile
	out       []Command
	line      int
	inCI      bool
	strange   int // programs whose purpose is not known
}

func newReader(files []string, read func(string) []byte) *reader {
	r := &reader{files: map[string]bool{}, read: read, makefiles: map[string]makefile{}}
	for _, f := range files {
		r.files[f] = true
		if d := path.Dir(f); path.Base(f) == "package.json" && !strings.Contains(f, "node_modules/") {
			r.packages = append(r.packages, d)
		}
	}
	slices.Sort(r.packages)
	return r
}

// holds reports whether a directory has files of the project.
func (r *reader) holds(dir string) bool {
	for f := range r.files {
		if strings.HasPrefix(f, dir+"/") {
			return true
		}
	}
	return false
}

// text is a file's text, "" if it is not there.
func (r *reader) text(name string) string {
	if !r.files[name] {
		return ""
	}
	return string(r.read(name))
}

// at is where a line of shell runs.
type at struct {
	dir   string
	env   map[string]string
	from  string
	depth int      // of scripts that call scripts
	args  []string // that the caller adds at the end

	script string // of package.json, "" for another line

	partial bool // something in the line can only be told by CI
}

const deepest = 8 // scripts that call each other in a circle end there

func (a at) in(from string, args ...string) at {
	a.from, a.depth, a.args, a.script = a.from+" → "+from, a.depth+1, args, ""
	return a
}

// scripts reads what CI does not name, by the names that projects give to such scripts and targets.
func (r *reader) scripts() {
	each := func(where at, follow func(name string, where at), names ...string) {
		for _, name := range names {
			r.line++
			follow(name, where)
		}
	}
	for _, dir := range r.packages {
		each(at{dir: dir, from: path.Join(dir, "package.json")}, func(name string, where at) { r.npmScript(name, where) },
			"test", "build", "lint", "typecheck", "type-check", "types", "check-types", "check:types", "tsc")
	}
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
		each(at{dir: ".", from: name}, func(target string, where at) { r.target(name, target, where) },
			"test", "tests", "check", "lint", "vet", "typecheck", "mypy")
	}
	each(at{dir: ".", from: "tox"}, func(_ string, where at) { r.tox(nil, where) }, "")
	each(at{dir: ".", from: "noxfile.py"}, func(_ string, where at) { r.nox(nil, where) }, "")
	r.pyprojectScripts()
	each(at{dir: ".", from: "pre-commit"}, func(_ string, where at) { r.preCommit(where) }, "")
	for _, config := range DenoConfigs {
		if r.files[config] {
			each(at{dir: ".", from: config}, r.denoTask, "test", "lint", "check")
		}
	}
	each(at{dir: ".", from: "justfile"}, r.just, "test", "tests", "lint", "check", "typecheck")
	each(at{dir: ".", from: "Taskfile"}, r.taskfile, "test", "lint", "check", "build")
	if r.files["composer.json"] {
		each(at{dir: ".", from: "composer.json"}, func(script string, where at) { r.composer([]string{script}, where) },
			"test", "tests", "lint", "analyse", "phpstan")
	}
	for _, c := range usual {
		if r.has(c.file) && strings.Contains(r.text(c.file), c.text) {
			r.line++
			line := c.line
			if r.files["Gemfile"] && slices.Contains(ofRuby, strings.Fields(line)[0]) {
				line = "bundle exec " + line
			}
			r.shell(line, at{dir: ".", from: c.file})
		}
	}
}

// has reports whether a file is there that a pattern fits.
func (r *reader) has(pattern string) bool {
	if !strings.Contains(pattern, "*") {
		return r.files[pattern]
	}
	for name := range r.files {
		if fits, err := path.Match(pattern, name); fits && err == nil {
			return true
		}
	}
	return false
}

// ofRuby are programs that run with the gems of the project's Gemfile.
var ofRuby = []string{"rspec", "rake"}

// usual is how projects are tested whose files say enough, where nobody wrote a command down.
var usual = []struct{ file, text, line string }{ // a file is a pattern
	{"CMakeLists.txt", "enable_testing", "cmake -S . -B build && cmake --build build && ctest --test-dir build"},
	{"CMakeLists.txt", "include(CTest)", "cmake -S . -B build && cmake --build build && ctest --test-dir build"},
	{".rspec", "", "rspec"},
	{"spec/spec_helper.rb", "", "rspec"},
	{"spec/*_spec.rb", "", "rspec"},
	{"Rakefile", "TestTask", "rake test"},
	{"composer.json", "phpunit/phpunit", "vendor/bin/phpunit"},
	{"phpunit.xml", "", "phpunit"},
	{"phpunit.xml.dist", "", "phpunit"},
	{"mix.exs", "", "mix test"},
}

// add takes a command whose purpose is known.
func (r *reader) add(argv []string, where at) {
	argv = append(slices.Clone(argv), where.args...)
	name := program(argv)
	purpose, argv := purposeOf(argv)
	if purpose == "" {
		if !slices.Contains(ofFiles, name) {
			r.strange++
		}
		return
	}
	if purpose == Build && program(argv) == "tsc" && r.writesNothing(tsconfig(argv), where.dir, 0) {
		purpose = Types
	}
	r.command(purpose, slices.DeleteFunc(argv, func(a string) bool { return placeholder().MatchString(a) }), where)
}

func (r *reader) command(purpose Purpose, argv []string, where at) {
	if dir := path.Clean(where.dir); path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") {
		return
	}
	var env []string
	for _, name := range slices.Sorted(maps.Keys(where.env)) {
		if variable().MatchString(name) && !secret(name) {
			env = append(env, name+"="+where.env[name])
		}
	}
	r.out = append(r.out, Command{
		Purpose: purpose, Argv: argv, Env: env, Dir: path.Clean(where.dir), From: where.from, Line: r.line, CI: r.inCI, Partial: where.partial || chooses(argv),
	})
}

// nameFlags are the flags with which runners are given the names of the tests to run. Those of pytest can name what is left out.
var nameFlags = map[string][]string{
	"pytest": {"-k"}, "unittest": {"-k"}, "go": {"-run"}, "jest": {"-t", "--testNamePattern"}, "vitest": {"-t", "--testNamePattern"},
	"node": {"--test-name-pattern"}, "mocha": {"-g", "--grep", "-f", "--fgrep"}, "mvn": {"-Dtest"}, "gradle": {"--tests"},
}

// chooses reports whether a runner is given the names of the few tests to run.
func chooses(argv []string) bool {
	for i, runner := range argv {
		flags, ok := nameFlags[path.Base(runner)]
		if !ok {
			continue
		}
		for j, a := range argv[i+1:] {
			name, value, joined := strings.Cut(a, "=")
			if !joined && i+j+2 < len(argv) {
				value = argv[i+j+2]
			}
			switch {
			case slices.Contains(flags, name) && value != "" && !strings.HasPrefix(strings.TrimSpace(value), "not "):
				return true
			case runner == "pytest" && strings.Contains(a, "::"), runner == "unittest" && testClass().MatchString(a):
				return true
			}
		}
	}
	return false
}

var (
	testClass   = re.New(`^\w+(?:\.\w+)*\.[A-Z]\w*(?:\.\w+)?$`) // as unittest is given one, or a test of it
	variable    = re.New(`^[A-Z_][A-Z0-9_]*$`)
	placeholder = re.New(`^\{(?:args|posargs|root|env_?[\w]*)[^}]*\}$`) // of hatch and tox
)
