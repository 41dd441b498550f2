package toolchain

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
	"github.com/jacquard-build/jacquard/internal/re"
)

// Unknown is the ecosystem of a project that the table has no row for: all is as the project says, and judged by a report that
// is recognised or by the exit code.
const Unknown = "unknown"

// reporters are the flags with which runners that no row is for write a report that is recognised, in {report} or on stdout.
var reporters = map[string][]string{
	"ctest":   {"--output-junit", "{report}"}, // since 3.21
	"phpunit": {"--log-junit", "{report}"},
	"rspec":   {"--format", "progress", "--format", "json", "--out", "{report}"},
	"stestr":  {"--subunit"},
}

// reports lets a command write its report by some flags.
func (c *Command) reports(flags []string) { c.Argv, c.Unsaid = slices.Concat(c.Argv, flags), flags }

func unknownRow() ecosystem {
	e := emptyRow()
	e.name, e.setup = Unknown, othersSetup
	e.build = func(f Found, _ string) []Command {
		if len(f.Own.Test) > 0 && f.Override["test"] == "" { // they are built to be tested
			return nil
		}
		return f.allAsIs("build", f.Own.Before)
	}
	e.lint = func(f Found, _ []string) []Command { return f.allAsIs("lint", slices.Concat(f.Own.Lint, f.Own.Types)) }
	e.test = func(f Found, _ Selection) []Command {
		out := f.allAsIs("test", f.Own.Test)
		for i, c := range f.Own.Test {
			out[i].Report, out[i].Written = ReportAny, f.Own.Written
			out[i].reports(reporters[c.Program()])
		}
		return out
	}
	return e
}

// DetectOther gives the commands of a project, or of the part of it, that no row of the table is for; false when it names none.
func (p *Project) DetectOther() (Found, bool) {
	f := Found{Ecosystem: Unknown, Root: ".", Runner: "command", Manager: "the project's commands"}
	f.adopt(p)
	for _, x := range installers {
		if p.set[x.manifest] && x.wanted(p, f) {
			f.Tools = append(f.Tools, x.name)
			f.Installs = append(append(f.Installs, x.manifest), p.match(".", x.beside...)...)
		}
	}
	return f, len(f.Own.Test)+len(f.Own.Before) > 0 || len(f.Override) > 0
}

// installer installs the packages of a project that no row of the table is for.
type installer struct {
	name     string // among the tools of a toolchain
	manifest string
	beside   []string // patterns of the other files that say what is installed
	command  []string
	orElse   []string // what does the same without a network, where the packages are there already
	env      []string // of this and of all commands of the project
	makes    string   // the folder of the project that the packages lie in; "" = {env}
	builds   string   // the folder of the project that its tools build in, "" for none
	get      string   // how a person gets the program
	wanted   func(*Project, Found) bool
}

// installers are in the order in which they run.
var installers = []installer{
	{
		name: "bundler", manifest: "Gemfile", beside: []string{"Gemfile.lock", "*.gemspec", ".ruby-version"}, command: []string{"bundle", "install"}, orElse: []string{"bundle", "install", "--local"},
		env: []string{"BUNDLE_PATH={env}/gems", "BUNDLE_APP_CONFIG={env}/bundle"}, get: "gem install bundler",
		wanted: func(_ *Project, f Found) bool {
			for _, line := range f.Override {
				if strings.Contains(line, "bundle exec ") {
					return true
				}
			}
			return slices.ContainsFunc(slices.Concat(f.Own.Before, f.Own.Test, f.Own.Lint), func(c commands.Command) bool { return commands.Bundled(c.Argv) })
		},
	},
	{
		name: "composer", manifest: "composer.json", beside: []string{"composer.lock"}, command: []string{"composer", "install", "--no-interaction", "--no-progress", "--no-scripts"}, makes: "vendor",
		get:    "install Composer from https://getcomposer.org",
		wanted: func(p *Project, _ Found) bool { return p.holds(".php") },
	},
	{
		name: "hex", manifest: "mix.exs", command: []string{"mix", "local.hex", "--force", "--if-missing"}, env: ofMix, get: elixir,
		wanted: func(p *Project, _ Found) bool { return hexPackage().Match(p.read("mix.exs")) },
	},
	{
		name: "mix", manifest: "mix.exs", beside: []string{"mix.lock"}, command: []string{"mix", "deps.get"}, makes: "deps", builds: "_build", env: ofMix, get: elixir,
		wanted: func(*Project, Found) bool { return true },
	},
}

const elixir = "install Elixir from https://elixir-lang.org"

var ofMix = []string{"MIX_HOME={env}/mix", "HEX_HOME={env}/hex"}

// hexPackage is a dependency of Elixir with a version: those from elsewhere have only options.
var hexPackage = re.New(`\{:\w+,\s*"`)

// holds reports whether the project has a file with an extension.
func (p *Project) holds(ext string) bool {
	return slices.ContainsFunc(p.files, func(f string) bool { return path.Ext(f) == ext })
}

// used are the installers that a toolchain without a row has.
func (f Found) used() []installer {
	if f.Ecosystem != Unknown {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(installers), func(x installer) bool { return !f.Uses(x.name) })
}

func othersSetup(f Found) []Command {
	var out []Command
	for _, x := range f.used() {
		out = append(out, Command{Name: "setup", Argv: x.command, Dir: f.Root, Env: x.env, Report: ReportExit, OrElse: x.orElse, Needs: []Need{{Tool: x.command[0], Install: x.get}}})
	}
	return out
}

// MadeBeside are the folders that tools fill beside a manifest, with what they install and build.
func MadeBeside(manifest string) []string {
	var out []string
	for _, x := range installers {
		if x.manifest == manifest {
			out = append(out, x.makes, x.builds)
		}
	}
	return slices.DeleteFunc(out, func(dir string) bool { return dir == "" })
}

// Makes are the folders that Setup fills in the project's tree, where its programs look for packages.
func (f Found) Makes() []string {
	var out []string
	for _, x := range f.used() {
		if x.makes != "" {
			out = append(out, x.makes)
		}
	}
	return out
}
