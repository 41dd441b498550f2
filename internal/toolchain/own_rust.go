package toolchain

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
)

// adoptCargo takes how the project's own people test this crate: of all their commands that one which runs most, without what says which
// packages and targets are tested, as each crate is tested by itself.
func (f *Found) adoptCargo(p *Project, mine []commands.Command) {
	if f.Workspace != f.Root {
		for _, c := range p.commands() {
			if ecosystemOf(c) == Rust && p.rootOf(f, c.Dir) == f.Workspace {
				mine = append(mine, c)
			}
		}
	}
	best := 0
	for _, c := range mine {
		own, worth := f.cargoTest(c)
		if worth > best {
			best, f.Own.Test = worth, []commands.Command{own}
		}
	}
}

// cargoTest is a command for tests as it tests this crate, and what it is worth: 0 for one that does not test it, or not all of it, or with
// a toolchain or a configuration of the compiler of its own.
func (f *Found) cargoTest(c commands.Command) (own commands.Command, worth int) {
	at := slices.IndexFunc(c.Argv, func(a string) bool { return slices.Contains([]string{"test", "t", "nextest"}, a) })
	if !f.isTest(c) || at < 0 || strings.HasPrefix(c.Argv[1], "+") {
		return c, 0
	}
	args, handed := cutAt(c.Argv[at+1:])
	nextest := c.Argv[at] == "nextest"
	if nextest && len(args) > 0 && args[0] == "run" {
		args = args[1:]
	}
	var flags, packages []string
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if !strings.HasPrefix(name, "-") { // the name of a test
			return c, 0
		}
		if short := name[:min(2, len(name))]; len(name) > 2 && (short == "-F" || short == "-p") {
			name, value, joined = short, args[i][2:], true
		}
		if !joined && slices.Contains(valued["cargo"], name) && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch name {
		case "--all-features", "--no-default-features", "--release":
			flags = append(flags, name)
		case "--profile":
			if !nextest { // which has profiles of its own
				flags = append(flags, "--profile="+value)
			}
		case "--features", "-F":
			if mine := f.cargoFeatures(value); mine != "" {
				flags = append(flags, "--features="+mine)
			}
		case "-p", "--package":
			packages = append(packages, value)
		case "--exclude":
			if f.isCrate(value) {
				return c, 0
			}
		case "--target": // another system
			return c, 0
		case "--manifest-path":
			if join(c.Dir, path.Dir(value)) != f.Root {
				return c, 0
			}
		}
	}
	if len(packages) > 0 && !slices.ContainsFunc(packages, f.isCrate) {
		return c, 0
	}
	harness, all := harnessArgs(handed)
	if !all {
		return c, 0
	}
	own = c
	own.Argv = slices.Concat([]string{"cargo", "test"}, flags)
	if len(harness) > 0 {
		own.Argv = slices.Concat(own.Argv, []string{"--"}, harness)
	}
	own.Dir, own.Env = f.Root, nil
	for _, v := range c.Env {
		switch name, value, _ := strings.Cut(v, "="); {
		case name == "RUSTFLAGS" && strings.Contains(value, "--cfg"):
			return c, 0
		case name != "RUSTFLAGS" && !strings.HasPrefix(name, "CARGO_"): // which deny warnings, or say how Cargo prints
			own.Env = append(own.Env, v)
		}
	}
	switch {
	case slices.Contains(flags, "--all-features"):
		worth = 4
	case !slices.Contains(flags, "--no-default-features"):
		worth = 2
	default:
		worth = 1
	}
	if !c.Partial {
		worth += 4
	}
	return own, worth
}

// cutAt are the arguments of Cargo, and those that it hands on.
func cutAt(args []string) (own, handed []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// harnessArgs are the arguments of the program of tests that say how its tests run, and whether it runs all of them that are run
// by default (doc.rust-lang.org/rustc, "Tests").
func harnessArgs(args []string) (out []string, all bool) {
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		takes := !joined && slices.Contains([]string{"--test-threads", "--skip", "--format", "--color", "--logfile", "-Z", "--shuffle-seed"}, name) && i+1 < len(args)
		switch {
		case !strings.HasPrefix(name, "-"), name == "--ignored", name == "--list", name == "--bench":
			return nil, false
		case slices.Contains([]string{"--test-threads", "--skip", "--include-ignored", "--exact"}, name):
			out = append(out, args[i])
			if takes {
				out = append(out, args[i+1])
			}
		}
		if takes {
			i++
		}
	}
	return out, true
}

// isCrate reports whether a name of a package, with a version or without, is that of this one.
func (f *Found) isCrate(name string) bool {
	name, _, _ = strings.Cut(name, "@")
	return strings.ReplaceAll(name, "-", "_") == f.Module || path.Base(f.Root) == name
}

// cargoFeatures are those of a list of features that this crate has: a command can name features of others of its workspace.
func (f *Found) cargoFeatures(list string) string {
	var out []string
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		crate, feature, of := strings.Cut(name, "/")
		switch {
		case of && f.isCrate(crate):
			out = append(out, feature)
		case of && f.Has(strings.TrimSuffix(crate, "?")), !of && slices.Contains(f.Features, name):
			out = append(out, name)
		}
	}
	return strings.Join(out, ",")
}

// chosenFeatures are the arguments of Cargo by which the project's own people choose features.
func (f Found) chosenFeatures() []string {
	flags, _ := f.ownCargo()
	return slices.DeleteFunc(flags, func(a string) bool { return a == "--release" || strings.HasPrefix(a, "--profile=") })
}

// ownCargo are the arguments of the project's own command for tests: those of Cargo, and those of the program of tests.
func (f Found) ownCargo() (flags, harness []string) {
	if len(f.Own.Test) == 0 {
		return nil, nil
	}
	flags, harness = cutAt(f.Own.Test[0].Argv[2:])
	return slices.Clone(flags), slices.Clone(harness)
}

// ownCargoLint are the linters that the project's own people run on this crate, with what finds their findings: clippy says where in one
// line. What they run with another toolchain or for another system cannot be run here.
func (f Found) ownCargoLint() []Command {
	var out []Command
	for _, own := range f.Own.Lint {
		if slices.ContainsFunc(own.Argv, func(a string) bool {
			return strings.HasPrefix(a, "+") || strings.HasPrefix(a, "--target") || strings.HasPrefix(a, "--manifest-path")
		}) {
			continue
		}
		c := f.asIs("lint", own)
		if own.Argv[0] == "cargo" && len(own.Argv) > 1 {
			tool := own.Argv[1]
			component := tool
			if tool == "fmt" {
				component = "rustfmt"
			}
			c.Env = slices.Concat(own.Env, f.cargo("", ReportExit).Env)
			if c.Needs = []Need{rustNeed()}; own.Runs == "" {
				c.Needs = append(c.Needs, Need{Tool: "cargo-" + tool, Install: "rustup component add " + component})
			}
			if tool == "clippy" && !slices.ContainsFunc(c.Argv, func(a string) bool { return strings.HasPrefix(a, "--message-format") }) {
				c.Argv = slices.Insert(slices.Clone(c.Argv), 2, "--message-format=short")
			}
		}
		out = append(out, c)
	}
	return out
}
