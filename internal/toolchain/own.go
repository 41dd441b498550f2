package toolchain

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
)

// Own are the commands with which the project's own people check what belongs to one toolchain, as its CI, its scripts and its
// targets say. What is empty is for the table to know.
type Own struct {
	Before []commands.Command `json:"before,omitempty"` // builds that the tests need
	Test   []commands.Command `json:"test,omitempty"`   // of one line and one runner
	Types  []commands.Command `json:"types,omitempty"`
	Lint   []commands.Command `json:"lint,omitempty"`
	// Built: the files that the tests' command names are none of the project's: what runs before compiles them.
	Built bool `json:"built,omitempty"`
	// Elsewhere: other parts of the project are tested, and this one is not: the root of a workspace, an example.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Written is where tests write their reports: checks.report of jacquard.yaml.
	Written string `json:"written,omitempty"`
	// Packages are what pip installs before the tests, as its arguments.
	Packages []string `json:"packages,omitempty"`
	// Members are the packages of a workspace that uv installs before the tests, as its arguments.
	Members []string `json:"members,omitempty"`
	// Peers are the options with which the project's people have npm take dependencies that do not fit each other.
	Peers []string `json:"peers,omitempty"`
	// Checkers are linters and type checkers that their own lines have pip install: the environment is used without one that cannot be.
	Checkers []string `json:"checkers,omitempty"`
	// Conda is how the project's people install packages that pip does not know of.
	Conda []commands.Command `json:"conda,omitempty"`
	// Without are groups of dependencies that the project's tests do not have and that would change them.
	Without []string `json:"without,omitempty"`
}

// checks reports whether a checker is among those that are installed for their own lines, or by pre-commit.
func (o Own) checks(tool string) bool {
	return slices.ContainsFunc(o.Checkers, isOf(tool))
}

// runners says which runner of which ecosystem a program is.
var runners = map[string]struct{ ecosystem, runner string }{
	"go": {Go, "go"}, "gotestsum": {Go, "go"},
	"vitest": {Node, "vitest"}, "jest": {Node, "jest"}, "mocha": {Node, "mocha"}, "ava": {Node, "ava"}, "tap": {Node, "tap"}, "tape": {Node, "tape"}, "node": {Node, "node"}, "tsx": {Node, "node"},
	"borp": {Node, "borp"}, "uvu": {Node, "uvu"}, "jasmine": {Node, "jasmine"}, "bun": {Node, "bun"}, deno: {Node, deno}, "lab": {Node, "lab"},
	"pytest": {Python, "pytest"}, "py.test": {Python, "pytest"}, "unittest": {Python, "unittest"},
	"cargo": {Rust, "cargo"}, "mvn": {JVM, "surefire"}, "mvnw": {JVM, "surefire"}, "gradle": {JVM, "gradle"}, "gradlew": {JVM, "gradle"},
}

// ecosystemsOf says which ecosystem a tool that is no runner of tests belongs to.
var ecosystemsOf = map[string]string{
	"tsc": Node, "vue-tsc": Node, "tsd": Node, "eslint": Node, "xo": Node, "standard": Node, "ts-standard": Node, "oxlint": Node, "biome": Node, "prettier": Node, "dprint": Node, "tslint": Node, "jshint": Node,
	"stylelint": Node, "semistandard": Node,
	"tsup": Node, "rollup": Node, "esbuild": Node, "unbuild": Node, "tsdown": Node, "microbundle": Node, "bunchee": Node, "pkgroll": Node, "swc": Node, "babel": Node, "uglifyjs": Node, "terser": Node, "webpack": Node, "zshy": Node, "tshy": Node, "vite": Node,
	"del-cli": Node, "rimraf": Node,
	"mypy": Python, "pyright": Python, "basedpyright": Python, "pytype": Python, "ty": Python, "pyrefly": Python, "ruff": Python, "black": Python, "isort": Python, "flake8": Python, "pylint": Python, "pyflakes": Python,
	"pycodestyle": Python, "pydocstyle": Python, "bandit": Python, "vulture": Python,
	commands.XTask:  Rust,
	"golangci-lint": Go, "staticcheck": Go, "gofmt": Go, "gofumpt": Go, "goimports": Go, "golint": Go, "errcheck": Go, "revive": Go,
}

func ecosystemOf(c commands.Command) string {
	name := c.Program()
	if e := ecosystemsOf[name]; e != "" {
		return e
	}
	if r, ok := runners[name]; ok {
		return r.ecosystem
	}
	return Unknown
}

// commands are those that the project names, read once.
func (p *Project) commands() []commands.Command {
	if p.named == nil {
		p.named = commands.Read(p.files, p.read)
		if p.named == nil {
			p.named = []commands.Command{}
		}
	}
	return p.named
}

// From is where a line of the configuration stands.
const From = "jacquard.yaml"

// adopt takes what the project says of this toolchain. A line of jacquard.yaml that ends in programs that are known is
// followed to them; another one is run as it stands.
func (f *Found) adopt(p *Project) {
	var mine []commands.Command
	purposes := map[string]commands.Purpose{"test": commands.Test, "lint": commands.Lint, "build": commands.Types}
	for _, name := range sortedKeys(p.Checks) {
		line := p.Checks[name]
		if name == "report" {
			continue
		}
		var followed []commands.Command
		if !strings.Contains(line, "{") && f.Ecosystem != JVM { // Maven and Gradle write reports whatever the line
			for _, c := range commands.Follow(line, From+": checks."+name, p.files, p.read) {
				if ecosystemOf(c) == f.Ecosystem && f.Ecosystem != Unknown && p.rootOf(f, c.Dir) == f.Root && (c.Purpose == purposes[name] || c.Purpose == commands.Build) {
					followed = append(followed, c)
				}
			}
		}
		is := func(c commands.Command) bool { return c.Purpose == purposes[name] && (name != "test" || f.isTest(c)) }
		if !slices.ContainsFunc(followed, is) {
			if f.Override == nil {
				f.Override = map[string]string{}
			}
			f.Override[name] = line
			continue
		}
		mine = append(mine, followed...)
	}
	said := len(mine)
	defer func() {
		for name, purpose := range purposes { // what the configuration says is all there is
			if p.Checks[name] == "" {
				continue
			}
			own := only(mine[:said], purpose)
			switch purpose {
			case commands.Types:
				f.Own.Types = own
			case commands.Lint:
				f.Own.Lint = own
			case commands.Install, commands.Build, commands.Test:
			}
		}
	}()
	mine = append(mine, p.commandsOf(f)...)
	f.Own = Own{Types: only(mine, commands.Types), Lint: only(mine, commands.Lint), Written: p.Checks["report"]}
	f.Own.Elsewhere = p.workspace(f.Root) && !slices.ContainsFunc(mine, f.isTest) && p.testsElsewhere(f)
	whole := slices.ContainsFunc(mine, func(c commands.Command) bool { return f.isTest(c) && !c.Partial })
	for i, c := range mine {
		r, known := runners[c.Program()]
		if f.Ecosystem == Rust || !f.isTest(c) || whole && c.Partial {
			continue
		}
		if known {
			f.Runner = r.runner
		}
		f.Own.Test = append(f.Own.Test, ofLine(mine, c)...)
		if f.Ecosystem == Python {
			f.Own.Packages, f.Own.Members = p.packages(c.Line), p.uvMembers(f, c)
			f.Own.Without = p.groupsWithout(f.Root, c)
			for _, a := range f.Own.Packages {
				switch {
				case p.set[a]:
					f.readRequirements(p, a)
				case !strings.HasPrefix(a, "-"):
					f.declare(requirementOf(a))
				}
			}
		}
		for _, o := range p.earlier(mine, i) {
			if o.Line == c.Line && o.Purpose == commands.Build && ecosystemOf(o) == f.Ecosystem && (f.Ecosystem == Node || f.Ecosystem == Unknown) {
				f.Own.Before = append(f.Own.Before, o)
			}
		}
		break
	}
	f.Own.Built, f.Own.Peers = f.compiles(p), p.peers()
	switch f.Ecosystem {
	case Python:
		f.Own.Checkers, f.Own.Conda = p.checkers(f), p.conda(f)
	case Rust:
		f.adoptCargo(p, mine)
	}
}

// peers are the options that Own.Peers has.
func (p *Project) peers() (out []string) {
	for _, c := range p.commands() {
		for _, option := range []string{"--legacy-peer-deps", "--force"} {
			if c.Purpose == commands.Install && c.Program() == "npm" && slices.Contains(c.Argv, option) && !slices.Contains(out, option) {
				out = append(out, option)
			}
		}
	}
	return out
}

// compiles reports whether the tests that the project's own command names are made by what runs before it.
func (f *Found) compiles(p *Project) bool {
	_, chosen, _, dir, _ := f.ownTest(0)
	there := func(word string) bool {
		if !strings.Contains(word, "/") { // the name of a project, or of a test
			return true
		}
		return slices.ContainsFunc(p.files, chosenBy(dir, word))
	}
	return f.Ecosystem == Node && len(chosen) > 0 && len(f.Own.Before) > 0 && !slices.ContainsFunc(chosen, there)
}

// testsElsewhere reports whether other parts of the project of the same ecosystem are tested.
func (p *Project) testsElsewhere(f *Found) bool {
	return slices.ContainsFunc(p.commands(), func(c commands.Command) bool {
		return ecosystemOf(c) == f.Ecosystem && f.isTest(c) && p.rootOf(f, c.Dir) != f.Root
	})
}

// earlier are the commands that run before the i-th of a toolchain's: also those of other members, which it may be tested with.
func (p *Project) earlier(mine []commands.Command, i int) []commands.Command {
	all := p.commands()
	at := slices.IndexFunc(all, func(o commands.Command) bool {
		return o.Line == mine[i].Line && o.From == mine[i].From && o.Dir == mine[i].Dir && slices.Equal(o.Argv, mine[i].Argv)
	})
	if at < 0 { // of jacquard.yaml
		return mine[:i]
	}
	return all[:at]
}

// workspace reports whether the package in a directory is the root of a workspace of npm, pnpm, yarn or bun.
func (p *Project) workspace(dir string) bool {
	if _, pnpm := p.has(dir, "pnpm-workspace.yaml"); pnpm {
		return true
	}
	name, ok := p.has(dir, "package.json")
	return ok && len(readPackage(p.read(name)).Workspaces) > 0
}

// isTest reports whether a command runs tests that can be counted here.
func (f *Found) isTest(c commands.Command) bool {
	_, known := runners[c.Program()]
	return c.Purpose == commands.Test && (known || f.Ecosystem == Unknown)
}

// only are the commands for one purpose: those of CI, else those of scripts.
func only(all []commands.Command, purpose commands.Purpose) []commands.Command {
	var out []commands.Command
	for _, ci := range []bool{true, false} {
		for _, c := range all {
			same := func(o commands.Command) bool { return o.Dir == c.Dir && slices.Equal(o.Argv, c.Argv) }
			if c.CI == ci && c.Purpose == purpose && !slices.ContainsFunc(out, same) {
				out = append(out, c)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// rootOf is the directory of the toolchain that something in dir belongs to: the nearest with a manifest of its kind.
func (p *Project) rootOf(f *Found, dir string) string {
	e, _ := rowOf(f.Ecosystem)
	root, _ := p.manifest(e, dir)
	return root
}

// asIs is one of the project's own commands as it stands, by its exit code.
func (f Found) asIs(name string, c commands.Command) Command {
	argv := c.Argv
	if path.Base(path.Dir(argv[0])) == ".bin" {
		argv = append([]string{path.Base(argv[0])}, argv[1:]...)
	}
	return Command{
		Name: name, Argv: argv, Dir: c.Dir, Env: append(f.Env(), c.Env...), Report: ReportExit, From: c.From, Optional: name != PrepareName && name != "test",
		Needs: []Need{{Tool: argv[0], Install: f.addTool(argv[0])}},
	}
}

// text is a command of the project as its people type it in the folder root.
func text(c commands.Command, root string) string {
	words := slices.Clone(c.Argv)
	for i, w := range words {
		if pattern, ok := strings.CutPrefix(w, "{glob:"); ok {
			words[i] = strings.TrimSuffix(pattern, "}")
		} else if w == "" || strings.ContainsAny(w, " *?$'\"") {
			words[i] = "'" + w + "'"
		}
	}
	text := strings.Join(words, " ")
	if dir, err := filepath.Rel(root, c.Dir); err == nil && dir != "." {
		return "(cd " + filepath.ToSlash(dir) + " && " + text + ")"
	}
	return text
}

// Texts are commands that run one after the other, in one line.
func Texts(list []commands.Command, root string) string {
	var out []string
	for _, c := range list {
		out = append(out, text(c, root))
	}
	return strings.Join(out, " && ")
}

// Beginnings are how command lines begin that run a command of the project, also for one file or one test of it.
func Beginnings(f Found, c commands.Command) []string {
	if commands.Bundled(c.Argv) { // bundle exec alone runs anything
		c.Argv = c.Argv[2:]
		list := Beginnings(f, c)
		for i := range list {
			list[i] = "bundle exec " + list[i]
		}
		return list
	}
	name := path.Base(c.Argv[0])
	switch name {
	case "node", "tsx", "python", "python3", "go", "cargo", "bun", "deno", "make", "mix", "rake", "dotnet", "php": // alone they run anything
		n := 1
		for n < len(c.Argv) && (strings.HasPrefix(c.Argv[n], "-") || n == 1) && !strings.HasPrefix(c.Argv[n], "{glob:") {
			n++
		}
		if n == 1 {
			return nil
		}
		return []string{strings.Join(c.Argv[:n], " ")}
	case "sh", "bash", "env":
		return nil
	}
	if f.Ecosystem == Node {
		return []string{name, "npx " + name}
	}
	return []string{name}
}

// addTool says how a person gets a program that a command of the project names.
func (f Found) addTool(name string) string {
	switch {
	case name == deno:
		return denoNeed().Install
	case f.Ecosystem == Node:
		return f.addPackage(name)
	case f.Ecosystem == Python:
		return f.addPython(name)
	}
	if i := slices.IndexFunc(installers, func(x installer) bool { return x.command[0] == name }); i >= 0 {
		return installers[i].get
	}
	if strings.Contains(name, "/") {
		return "a command under `setup` in " + From + " can make it"
	}
	return "install " + name + " and put it on PATH"
}

func (f Found) allAsIs(name string, list []commands.Command) []Command {
	var out []Command
	for _, c := range list {
		out = append(out, f.asIs(name, c))
	}
	return out
}

// valued are the flags of runners that take the next word as their value.
var valued = map[string][]string{
	"pytest": {
		"-k", "-m", "-n", "-c", "-o", "-p", "-r", "-W", "--tb", "--ignore", "--ignore-glob", "--deselect", "--rootdir", "--basetemp", "--durations", "--maxfail", "--dist", "--cov", "--cov-config", "--cov-report", "--timeout",
		"--numprocesses", "--import-mode", "--junitxml", "--junit-xml", "--log-level", "--asyncio-mode", "--reruns", "--confcutdir", "--color", "--override-ini", "--pyargs", "--capture", "--maxprocesses", "--random-order-bucket",
	},
	"node": {
		"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--test-concurrency", "--test-timeout", "--test-reporter", "--test-reporter-destination", "--test-name-pattern", "--test-skip-pattern",
		"--env-file", "--test-global-setup", "--test-isolation", "--tsconfig",
	},
	"mocha": {
		"-r", "--require", "--import", "-t", "--timeout", "-s", "--slow", "-u", "--ui", "-g", "--grep", "-f", "--fgrep", "-R", "--reporter", "-O", "--reporter-option", "--reporter-options", "--config", "--package", "--file", "--extension",
		"--exclude", "--ignore", "--spec", "--retries", "--jobs", "-j", "--loader", "-n", "--node-option", "--experimental-loader",
	},
	"vitest": {
		"-c", "--config", "--root", "-r", "--dir", "--project", "-t", "--testNamePattern", "--environment", "--env", "--pool", "--reporter", "--outputFile", "--testTimeout", "--hookTimeout", "--maxWorkers", "--minWorkers", "--mode",
		"--exclude", "--shard", "--retry", "--bail",
	},
	"jest": {
		"-c", "--config", "-t", "--testNamePattern", "-w", "--maxWorkers", "--env", "--testEnvironment", "--rootDir", "--roots", "--testPathPattern", "--testPathPatterns", "--testPathIgnorePatterns", "--selectProjects", "--reporters",
		"--testTimeout", "--outputFile", "--shard", "--coverageDirectory", "--coverageReporters", "--collectCoverageFrom",
	},
	"ava":  {"--match", "-m", "--timeout", "-T", "--concurrency", "-c", "--config", "--node-arguments"},
	"tape": {"-r", "--require", "-i", "--ignore", "--import", "--ignore-pattern"},
	"tap":  {"-t", "--timeout", "-j", "--jobs", "-R", "--reporter", "--coverage-report", "--node-arg", "-o", "--output-file"},
	"go": {
		"-run", "-skip", "-tags", "-timeout", "-count", "-p", "-parallel", "-cpu", "-bench", "-benchtime", "-coverprofile", "-covermode", "-coverpkg", "-gcflags", "-ldflags", "-vet", "-shuffle", "-mod", "-modfile", "-o", "-exec", "-C",
	},
	"cargo": {
		"-p", "--package", "--exclude", "--features", "-F", "--target", "--target-dir", "--manifest-path", "--profile", "-j", "--jobs", "--test", "--bin", "--example", "--bench", "--config", "-Z", "--color", "--message-format",
	},
	deno:       {"-c", "--config", "--import-map", "--lock", "--cert", "-L", "--log-level", "--location", "--filter", "--reporter", "--junit-path", "--ext", "--seed", "--conditions", "--preload"},
	"unittest": {"-s", "--start-directory", "-p", "--pattern", "-t", "--top-level-directory", "-k"},
}

// replaced are flags of runners that say where and how results go, what is measured besides, or that only a person wants.
var replaced = map[string][]string{
	"pytest": {"--cov", "--cov-config", "--cov-report", "--cov-append", "--cov-branch", "--no-cov", "--cov-fail-under", "--cov-context", "--junitxml", "--junit-xml", "-x", "--exitfirst", "--maxfail", "--pdb", "--basetemp", "-s", "--lf", "--ff", "--codspeed", "--color"},
	"node":   {"--test-reporter", "--test-reporter-destination", "--experimental-test-coverage", "--test-coverage-include", "--test-coverage-exclude", "--test-coverage-lines", "--test-coverage-branches", "--test-coverage-functions", "--watch", "--test"},
	"mocha":  {"-R", "--reporter", "-O", "--reporter-option", "--reporter-options", "-w", "--watch", "-b", "--bail", "-C", "--no-color", "--no-colors", "-c", "--color", "--colors", "--parallel", "-p"},
	"vitest": {"--reporter", "--outputFile", "--coverage", "-w", "--watch", "--ui", "--bail", "--retry", "--run", "run", "--silent", "--typecheck.only", "--no-color", "--no-watch"},
	"jest":   {"--reporters", "--json", "--outputFile", "--coverage", "--coverageDirectory", "--coverageReporters", "--collectCoverageFrom", "--watch", "--watchAll", "--bail", "-b", "--ci", "--verbose", "--silent", "--no-coverage", "--collectCoverage", "--colors", "--no-colors", "-u", "--updateSnapshot"},
	"ava":    {"--tap", "-t", "--watch", "-w", "--verbose", "-v", "--fail-fast", "-u", "--update-snapshots", "--color", "--no-color"},
	"tape":   {},
	"tap":    {"-R", "--reporter", "--coverage-report", "-c", "--color", "--no-color", "-b", "--bail", "-o", "--output-file", "--watch", "-w"},
	"go":     {"-json", "-v", "-count", "-coverprofile", "-covermode", "-coverpkg", "-cover", "-bench", "-benchtime", "-benchmem", "-o", "-failfast", "-x", "-C"},
	deno:     {"--junit-path", "--reporter", "--coverage", "--coverage-raw-data-only", "--watch", "--fail-fast", "-q", "--quiet", "--check", "--no-check", "--permit-no-files"},
	"cargo":  {"--no-fail-fast", "--message-format", "--color", "-q", "--quiet", "-v", "--verbose", "-vv", "--locked", "--frozen", "--offline", "--target-dir"},
}

// split takes a runner's arguments apart: the flags that stay, each with its value, and what they choose. What stands behind
// "--" belongs to neither.
func split(runner string, args []string) (flags, chosen []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			break
		}
		if !strings.HasPrefix(a, "-") {
			if slices.Contains(replaced[runner], a) {
				continue
			}
			chosen = append(chosen, a)
			continue
		}
		name, _, joined := strings.Cut(a, "=")
		base, _, _ := strings.Cut(name, ".") // --coverage.enabled
		short := name
		if len(name) > 2 && name[1] != '-' && runner == "pytest" { // -rA, -n4
			short = name[:2]
		}
		takes := !joined && slices.Contains(valued[runner], name)
		drop := slices.ContainsFunc([]string{name, base, short}, func(n string) bool { return slices.Contains(replaced[runner], n) })
		if runner == "pytest" && short == "-x" && len(name) > 2 {
			drop = true
		}
		if !drop {
			flags = append(flags, a)
		}
		if takes && i+1 < len(args) {
			if i++; !drop {
				flags = append(flags, args[i])
			}
		}
	}
	return flags, chosen
}

// ownTest takes the project's own test command at i apart: its flags, what it chooses, the variables it sets, where it runs and
// who says so. Without one all is empty, and the directory is that of the toolchain.
func (f Found) ownTest(i int) (flags, chosen, env []string, dir, from string) {
	if i >= len(f.Own.Test) {
		return nil, nil, nil, f.Root, ""
	}
	c := f.Own.Test[i]
	args := c.Argv[1:]
	switch name := path.Base(c.Argv[0]); {
	case strings.HasPrefix(name, "python"):
		args = c.Argv[slices.Index(c.Argv, "-m")+2:]
	case name == "gotestsum":
		args = ofGotestsum(args)
	case name == "go", name == "cargo", name == "bun", name == deno: // go test
		args = args[min(1, len(args)):]
	}
	flags, chosen = split(f.Runner, args)
	return flags, chosen, c.Env, c.Dir, c.From
}

// Named are those of some files that the project's own commands name: themselves, a folder above them, or by a pattern.
func (f Found) Named(files []string) []string {
	var named []func(string) bool
	for i := range f.Own.Test {
		_, chosen, _, dir, _ := f.ownTest(i)
		for _, word := range chosen {
			named = append(named, chosenBy(dir, word))
		}
	}
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		return !slices.ContainsFunc(named, func(is func(string) bool) bool { return is(file) })
	})
}

// chosenBy reports of files whether an argument of a runner in a directory chooses them.
func chosenBy(dir, word string) func(file string) bool {
	pattern := path.Join(dir, strings.TrimSuffix(strings.TrimPrefix(word, "{glob:"), "}"))
	return func(file string) bool { return file == pattern || under(file, pattern) || Match(pattern, file) }
}

// ofGotestsum are the arguments that gotestsum hands to go test: what stands behind --, or behind its own flags. Those that take no
// value are its boolean ones (gotestsum --help).
func ofGotestsum(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[i+1:]
	}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		alone := strings.Contains(args[0], "=") || slices.Contains([]string{
			"--debug", "--format-hide-empty-pkg", "--rerun-fails-abort-on-data-race", "--watch-clear", "--junitfile-hide-empty-pkg", "--junitfile-hide-skipped-tests", "--no-color", "--raw-command", "--rerun-fails", "--rerun-fails-run-root-test", "--watch", "--watch-chdir",
		}, args[0])
		n := 2
		if alone {
			n = 1
		}
		args = args[min(n, len(args)):]
	}
	return args
}

// within is the toolchain as it is seen from a directory that one of its commands runs in.
func (f Found) within(dir string) Found {
	f.Root = dir
	return f
}

// all reports whether nothing is selected.
func (s Selection) all() bool { return len(s.IDs)+len(s.Files) == 0 && (s.Dir == "" || s.Dir == ".") }
