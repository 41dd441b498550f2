package toolchain

import (
	"path"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
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
			return []Command{f.cargo("build", ReportExit, "build", "--message-format=short")}
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

var (
	tomlTable   = re.New(`^\[+\s*([^\]]+?)\s*\]+`)
	tomlVersion = re.New(`^\{.*\bversion\s*=\s*["']([^"']+)["']`)
	tomlKey     = re.New(`^["']?([\w.-]+)["']?\s*=`)
	rustDeps    = re.New(`^(?:target\..+\.)?(?:dev-|build-)?dependencies(?:\.["']?([\w-]+)["']?)?$|^workspace\.dependencies$`)
)

// cargoFile is what a Cargo.toml says, as far as it matters here.
type cargoFile struct {
	name, lib, edition string
	declared           []Dependency
	workspace, lints   bool
}

// readCargo reads lines, not TOML: what it cannot read it leaves out.
func readCargo(text string) cargoFile {
	var c cargoFile
	section := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if m := tomlTable().FindStringSubmatch(line); m != nil {
			section = m[1]
			c.workspace = c.workspace || section == "workspace" || strings.HasPrefix(section, "workspace.")
			c.lints = c.lints || strings.HasSuffix(section, "lints.clippy")
			if d := rustDeps().FindStringSubmatch(section); d != nil && d[1] != "" {
				c.declared = append(c.declared, Dependency{Name: d[1]})
			}
			continue
		}
		m := tomlKey().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		_, value, _ := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(stripTOMLComment(value)), `"'`)
		switch {
		case section == "package" && m[1] == "name":
			c.name = value
		case (section == "package" || section == "workspace.package") && m[1] == "edition":
			c.edition = value
		case section == "lib" && m[1] == "name":
			c.lib = value
		case rustDeps().MatchString(section) && !strings.HasPrefix(section, "workspace") && !strings.Contains(section+".", "dependencies."+m[1]+"."):
			if d := rustDeps().FindStringSubmatch(section); d[1] == "" {
				name, key, _ := strings.Cut(m[1], ".") // serde.workspace = true
				if v := tomlVersion().FindStringSubmatch(value); v != nil {
					value = v[1]
				} else if key != "" && key != "version" {
					value = ""
				}
				c.declared = append(c.declared, Dependency{name, value})
			}
		}
	}
	return c
}

// inspectRust: Module is the name that tests use the library by.
func inspectRust(f *Found, p *Project) {
	f.Manager, f.Runner = "cargo", "cargo"
	c := readCargo(string(p.read(f.Manifest)))
	f.Module = c.lib
	if f.Module == "" {
		f.Module = strings.ReplaceAll(c.name, "-", "_")
	}
	for _, d := range c.declared {
		f.declare(d.Name, d.Version)
	}
	f.Workspace, f.Edition = f.Root, c.edition
	lints := c.lints
	for _, d := range parents(f.Root) {
		m, ok := p.has(d, "Cargo.toml")
		if !ok {
			continue
		}
		f.Installs = addOnce(f.Installs, m)
		up := readCargo(string(p.read(m)))
		if up.workspace {
			f.Workspace = d
			lints = lints || up.lints
			if f.Edition == "" || f.Edition == "true" {
				f.Edition = up.edition
			}
			break
		}
	}
	if f.Edition == "" {
		f.Edition = "2015" // as Cargo reads it
	}
	for _, d := range parents(f.Root) {
		for _, file := range append(p.match(join(d, ".cargo"), "config.toml", "config"), p.match(d, "rust-toolchain", "rust-toolchain.toml")...) {
			f.Installs = addOnce(f.Installs, file)
		}
		lints = lints || len(p.match(d, "clippy.toml", ".clippy.toml")) > 0
	}
	f.Installs = addOnce(f.Installs, f.Lock)
	if lints {
		f.Tools = append(f.Tools, "clippy")
	}
}

// rustSetup fetches into {env}, which is Cargo's home in all other commands.
func rustSetup(f Found) []Command {
	if len(f.Declared) == 0 {
		return nil
	}
	args := []string{"fetch"}
	if f.Lock != "" {
		args = append(args, "--locked")
	}
	c := f.cargo("setup", ReportExit, args...)
	c.Env = []string{"CARGO_HOME={env}"}
	return []Command{c}
}

// Cargo is a command of Cargo that reaches no network and reports by its exit code.
func (f Found) Cargo(name string, args ...string) Command { return f.cargo(name, ReportExit, args...) }

// cargo makes a command of Cargo that reaches no network.
func (f Found) cargo(name string, r Report, args ...string) Command {
	c := Command{
		Name: name, Argv: append([]string{"cargo"}, args...), Dir: f.Root, Report: r, Needs: []Need{rustNeed()},
		Env: []string{"CARGO_NET_OFFLINE=true", "CARGO_TERM_COLOR=never"},
	}
	if len(f.Declared) > 0 {
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
		case kind == "bin":
			out = addOnce(out, "--bins")
		default:
			out = addOnce(out, "--lib")
		}
	}
	return out
}

// rustTest: the compiler's messages are JSON, and on standard output with what the tests print.
func rustTest(f Found, s Selection) []Command {
	args := []string{"test", "--no-fail-fast", "--message-format=json"}
	switch {
	case len(s.IDs) > 0:
		args = append(args, f.rustTargets(filesOfIDs(s.IDs))...)
		args = append(args, "--", "--exact")
		for _, id := range s.IDs {
			file, name := SplitID(id)
			_, module := RustModule(f.rel(file))
			args = addOnce(args, strings.TrimPrefix(module+"::"+name, "::"))
		}
	case len(s.Files) > 0:
		args = append(args, f.rustTargets(s.Files)...)
	}
	return []Command{f.cargo("test", ReportCargo, args...)}
}

func rustLint(f Found, _ []string) []Command {
	if !f.Uses("clippy") {
		return nil
	}
	c := f.cargo("lint", ReportExit, "clippy", "--all-targets", "--no-deps", "--message-format=short", "--", "-D", "warnings")
	c.Needs = append(c.Needs, Need{Tool: "cargo-clippy", Install: "rustup component add clippy"})
	return []Command{c}
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
		name := f.Module
		if name == "" {
			name = "lib"
		}
		p.NewFile, p.NewTest = join(f.Root, "src/lib.rs"), join(tests, name+"_test.rs")
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
