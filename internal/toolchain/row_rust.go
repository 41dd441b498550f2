package toolchain

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

func rustRow() ecosystem {
	return ecosystem{
		name:      Rust,
		languages: []string{LangRust},
		manifests: []string{"Cargo.toml"},
		locks:     []lock{{"Cargo.lock", "cargo"}},
		inspect:   inspectRust,
		setup:     rustSetup,
		build: func(f Found, _ string) []Command {
			return []Command{f.cargo("build", ReportExit, append([]string{"build", "--message-format=short"}, f.chosenFeatures()...)...)}
		},
		test:     rustTest,
		lint:     rustLint,
		format:   rustFormat,
		coverage: func(Found, Selection) []Command { return nil },
		place:    placeRust,
		stub:     func(Symbol, bool) string { return "" }, // a whole file at once, see Stubs
		need:     rustNeed(),
	}
}

// cargoFile is what a Cargo.toml says, as far as it matters here (doc.rust-lang.org/cargo, "The Manifest Format").
type cargoFile struct {
	Features map[string]any
	Package  struct {
		Name    string
		Edition any
	}
	Lib struct{ Name, Path string }
	cargoDependencies
	Target    map[string]cargoDependencies
	Lints     cargoLints
	Workspace *struct {
		Package struct{ Edition string }
		Lints   cargoLints
	}
}

type cargoDependencies struct {
	Dependencies map[string]any
	Dev          map[string]any `toml:"dev-dependencies"`
	Build        map[string]any `toml:"build-dependencies"`
}

type cargoLints struct{ Clippy map[string]any }

// readCargo reads a Cargo.toml; what is no TOML says nothing.
func readCargo(text []byte) cargoFile {
	var c cargoFile
	if err := toml.Unmarshal(text, &c); err != nil {
		return cargoFile{}
	}
	return c
}

// declared are the dependencies, with their versions where the file itself says them.
func (c cargoFile) declared() []Dependency {
	var out []Dependency
	all := []cargoDependencies{c.cargoDependencies}
	for _, target := range sortedKeys(c.Target) {
		all = append(all, c.Target[target])
	}
	for _, d := range all {
		for _, table := range []map[string]any{d.Dependencies, d.Dev, d.Build} {
			for _, name := range sortedKeys(table) {
				version, _ := table[name].(string)
				if t, ok := table[name].(map[string]any); ok {
					version, _ = t["version"].(string)
				}
				out = append(out, Dependency{name, version})
			}
		}
	}
	return out
}

// optional reports whether a dependency is one, which makes it a feature.
func (c cargoFile) optional(name string) bool {
	t, _ := c.Dependencies[name].(map[string]any)
	is, _ := t["optional"].(bool)
	return is
}

// inspectRust: Module is the name that tests use the library by.
func inspectRust(f *Found, p *Project) {
	f.Manager, f.Runner = "cargo", "cargo"
	c := readCargo(p.read(f.Manifest))
	f.Module = cmp.Or(c.Lib.Name, strings.ReplaceAll(c.Package.Name, "-", "_"))
	for _, d := range c.declared() {
		f.declare(d.Name, d.Version)
		if c.optional(d.Name) {
			f.Features = append(f.Features, d.Name)
		}
	}
	f.Features = append(f.Features, sortedKeys(c.Features)...)
	_, lib := p.has(f.Root, "src/lib.rs")
	f.Programs = !lib && c.Lib.Path == ""
	f.Workspace, f.Fetches = f.Root, len(f.Declared) > 0
	f.Edition, _ = c.Package.Edition.(string) // or {workspace = true}
	lints := len(c.Lints.Clippy) > 0
	for _, d := range parents(f.Root) {
		m, ok := p.has(d, "Cargo.toml")
		if !ok {
			continue
		}
		f.Installs = addOnce(f.Installs, m)
		if up := readCargo(p.read(m)).Workspace; up != nil {
			f.Workspace = d
			lints = lints || len(up.Lints.Clippy) > 0
			f.Edition = cmp.Or(f.Edition, up.Package.Edition)
			f.Fetches = f.Fetches || slices.ContainsFunc(p.files, func(file string) bool {
				return path.Base(file) == "Cargo.toml" && under(file, d) && !p.foreign(file) && len(readCargo(p.read(file)).declared()) > 0
			})
			break
		}
	}
	f.Edition = cmp.Or(f.Edition, "2015") // as Cargo reads it
	for _, d := range parents(f.Root) {
		f.Installs = addOnce(f.Installs, p.match(join(d, ".cargo"), "config.toml", "config")...)
		for _, file := range p.match(d, "rust-toolchain", "rust-toolchain.toml") {
			f.Installs = addOnce(f.Installs, file)
			f.ManagerVersion = cmp.Or(f.ManagerVersion, channelOf(string(p.read(file))))
		}
		lints = lints || len(p.match(d, "clippy.toml", ".clippy.toml")) > 0
	}
	f.Installs = addOnce(f.Installs, f.Lock)
	if lints {
		f.Tools = append(f.Tools, "clippy")
	}
}

// channelOf is the toolchain that a rust-toolchain file names (rust-lang.github.io/rustup, "Overrides"): stable where it names none, ""
// where it lies in a folder.
func channelOf(text string) string {
	var t struct {
		Toolchain struct{ Channel, Path string }
	}
	if _, err := toml.Decode(text, &t); err != nil {
		return strings.TrimSpace(text) // the older form
	}
	if t.Toolchain.Path != "" {
		return ""
	}
	return cmp.Or(t.Toolchain.Channel, "stable")
}

// rustSetup fetches into {env}, which is Cargo's home in all other commands.
func rustSetup(f Found) []Command {
	if !f.Fetches {
		return nil
	}
	args := []string{"fetch"}
	if f.Lock != "" {
		args = append(args, "--locked")
	}
	c := f.cargo("setup", ReportExit, args...)
	c.Env = append(f.Env(), "CARGO_HOME={env}")
	return []Command{c}
}

// Cargo is a command of Cargo that reaches no network and reports by its exit code, with the features that the project tests with.
func (f Found) Cargo(name string, args ...string) Command {
	return f.cargo(name, ReportExit, append(args, f.chosenFeatures()...)...)
}

// cargo makes a command of Cargo that reaches no network.
func (f Found) cargo(name string, r Report, args ...string) Command {
	c := Command{
		Name: name, Argv: append([]string{"cargo"}, args...), Dir: f.Root, Report: r, Needs: []Need{rustNeed()},
		Env: append(f.Env(), "CARGO_NET_OFFLINE=true", "CARGO_TERM_COLOR=never"),
	}
	if f.Fetches {
		c.Env = append(c.Env, "CARGO_HOME={env}")
	}
	return c
}

func rustNeed() Need { return Need{Tool: "cargo", Install: "install Rust from https://rustup.rs/"} }

// RustModule is the path of the module that a file of Rust is, below its crate, "" for the root of a crate; and the crate: "lib", "bin:NAME" or
// "test:NAME". file is relative to the package's directory.
func RustModule(file string) (crate, module string) {
	file = strings.TrimSuffix(file, ".rs")
	switch {
	case file == "src/lib":
		return "lib", ""
	case file == "src/main":
		return "bin:", ""
	case strings.HasPrefix(file, "src/bin/"):
		name, rest, _ := strings.Cut(strings.TrimPrefix(file, "src/bin/"), "/")
		return "bin:" + name, modulePath(strings.TrimPrefix(rest, "main"))
	case strings.HasPrefix(file, "src/"):
		return "lib", modulePath(strings.TrimPrefix(file, "src/"))
	case strings.HasPrefix(file, "tests/"):
		name, rest, _ := strings.Cut(strings.TrimPrefix(file, "tests/"), "/")
		return "test:" + name, modulePath(strings.TrimPrefix(rest, "main"))
	}
	return "lib", ""
}

func modulePath(p string) string {
	p = strings.TrimSuffix(p, "/mod")
	if p == "mod" {
		p = ""
	}
	return strings.ReplaceAll(p, "/", "::")
}

// rustTargets are the arguments that select the crates of files.
func (f Found) rustTargets(files []string) []string {
	var out []string
	for _, file := range f.rels(files) {
		crate, _ := RustModule(file)
		kind, name, _ := strings.Cut(crate, ":")
		switch {
		case kind == "test":
			out = addOnce(out, "--test="+name)
		case kind == "bin" && name != "":
			out = addOnce(out, "--bin="+name)
		case kind == "bin", f.Programs:
			out = addOnce(out, "--bins")
		default:
			out = addOnce(out, "--lib")
		}
	}
	return out
}

// rustTest: the compiler's messages are JSON, and on standard output with what the tests print.
func rustTest(f Found, s Selection) []Command {
	flags, harness := f.ownCargo()
	args := append([]string{"test", "--no-fail-fast", "--message-format=json"}, flags...)
	switch {
	case len(s.IDs) > 0:
		args = append(args, f.rustTargets(s.files())...)
		harness = addOnce(harness, "--exact")
		for _, id := range s.IDs {
			file, name := SplitID(id)
			_, module := RustModule(f.rel(file))
			harness = addOnce(harness, strings.TrimPrefix(module+"::"+name, "::"))
		}
	case len(s.Files) > 0:
		args = append(args, f.rustTargets(s.Files)...)
	}
	if len(harness) > 0 {
		args = append(append(args, "--"), harness...)
	}
	c := f.cargo("test", ReportCargo, args...)
	if len(f.Own.Test) > 0 {
		c.Env, c.From = slices.Concat(f.Own.Test[0].Env, c.Env), f.Own.Test[0].From
	}
	return []Command{c}
}

func rustLint(f Found, _ []string) []Command {
	own := f.ownCargoLint()
	if !f.Uses("clippy") || slices.ContainsFunc(own, func(c Command) bool { return slices.Contains(c.Argv, "clippy") }) {
		return own
	}
	c := f.cargo("lint", ReportExit, "clippy", "--all-targets", "--no-deps", "--message-format=short", "--", "-D", "warnings")
	c.Needs = append(c.Needs, Need{Tool: "cargo-clippy", Install: "rustup component add clippy"})
	return append(own, c)
}

func rustFormat(f Found, files []string) []Command {
	if len(files) == 0 {
		return nil
	}
	return []Command{{
		Name: "format", Argv: append([]string{"rustfmt", "--edition", f.Edition}, f.rels(files)...), Dir: f.Root, Report: ReportExit,
		Needs: []Need{{Tool: "rustfmt", Install: "rustup component add rustfmt"}},
	}}
}

// placeRust: tests are crates of their own below tests, which use the library as others do. So they can be written before the code, and a
// phase that writes tests touches no file of the code. Where the code of the module is not yet part of the library, links say what makes it so.
func placeRust(p Placement, pr *Project) Placement {
	f, _ := pr.DetectAs(p.Dir, LangRust)
	rel := f.rel(p.Dir)
	tests := join(f.Root, "tests")
	p.Data = append(p.Data, join(tests, "fixtures/**"), join(tests, "testdata/**"))
	if rel == "." || rel == "src" || p.Dir == f.Root {
		p.NewFile, p.NewTest = join(f.Root, "src/lib.rs"), join(tests, cmp.Or(f.Module, "lib")+"_test.rs")
		p.Tests = []string{join(p.Dir, "**/*.rs"), join(tests, "*.rs"), join(tests, "*/*.rs")}
		return p
	}
	inner := strings.TrimPrefix(rel, "src/")
	name := strings.NewReplacer("/", "_", "-", "_").Replace(inner)
	p.NewFile = join(p.Dir, "mod.rs")
	if _, flat := pr.has(path.Dir(p.Dir), path.Base(p.Dir)+".rs"); flat {
		p.NewFile = p.Dir + ".rs"
	}
	p.Sources = append(p.Sources, p.Dir+".rs")
	p.NewTest = join(tests, name+"_test.rs")
	p.Tests = []string{join(p.Dir, "**/*.rs"), join(tests, name+".rs"), join(tests, name+"_*.rs"), join(tests, name+"/**/*.rs")}
	p.Data = append(p.Data, join(tests, name+"/**"))
	if strings.HasPrefix(rel, "src/") {
		p.Links = rustLinks(pr, f, inner)
	}
	return p
}

// rustLinks are the lines by which the modules above name the one in the directory inner below src.
func rustLinks(pr *Project, f Found, inner string) []Link {
	var out []Link
	at := "src"
	parent := join(f.Root, "src/lib.rs")
	for name := range strings.SplitSeq(inner, "/") {
		out = append(out, Link{File: parent, Line: "pub mod " + name + ";"})
		at += "/" + name
		parent = join(f.Root, at+"/mod.rs")
		if flat := join(f.Root, at+".rs"); pr.set[flat] {
			parent = flat
		}
	}
	return out
}

// rustImport is how a test names the module.
func (f Found) rustImport(p Placement) string {
	rel := f.rel(p.Dir)
	if inner, ok := strings.CutPrefix(rel, "src/"); ok {
		return strings.ReplaceAll(f.Module+"::"+strings.ReplaceAll(inner, "-", "_"), "/", "::")
	}
	return f.Module
}
