package toolchain

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
)

// builders are packages that install, build or publish others: an environment has what it needs of them.
var builders = []string{"pip", "setuptools", "wheel", "tox", "tox-uv", "nox", "hatch", "build", "uv", "poetry", "pdm", "pipenv", "twine", "coveralls", "codecov", "pre-commit", "tox-gh-actions", "tox-gh", "virtualenv", "flit"}

// pips reports whether a command is pip, or uv in its place.
func pips(argv []string) bool {
	return strings.HasPrefix(path.Base(argv[0]), "pip") || argv[0] == "uv" && slices.Contains(argv, "pip")
}

// pipValues are the options of pip install, and of uv in its place, whose value is the next argument and names no package to install
// here: groups of dependencies are in Requires (pip.pypa.io, "pip install").
var pipValues = []string{
	"-e", "--editable", "--group", "--extra", "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t", "--target", "--prefix", "--root", "--src", "-p", "--python",
	"--python-version", "--platform", "--implementation", "--abi", "-C", "--config-settings", "--no-binary", "--only-binary", "--upgrade-strategy", "--progress-bar",
	"--root-user-action", "--use-feature", "--use-deprecated", "--index-strategy", "--python-platform", "--exclude-newer", "--link-mode", "--override", "-b", "--build-constraint",
	"--timeout", "--retries", "--proxy", "--cert", "--trusted-host", "--cache-dir", "--log", "--report", "--exists-action", "--index", "--resolution", "--prerelease",
}

// packages are what one line has pip install, besides the project itself and what installs others. Its extras are in Requires.
func (p *Project) packages(line int) []string {
	var out []string
	for _, c := range p.commands() {
		at := slices.Index(c.Argv, "install")
		if c.Line != line || c.Purpose != commands.Install || at < 0 || c.Dir != "." || !pips(c.Argv) {
			continue
		}
		args := c.Argv[at+1:]
		for i := 0; i < len(args); i++ {
			switch a := args[i]; {
			case (a == "-r" || a == "-c" || a == "--requirement" || a == "--constraint") && i+1 < len(args):
				i++
				if p.set[args[i]] {
					out = append(out, a, args[i])
				}
			case slices.Contains(pipValues, a):
				i++
			case strings.HasPrefix(a, "-"), strings.HasPrefix(a, "."), strings.Contains(a, "{"), strings.Contains(a, "://"), strings.Contains(a, "git+"):
			case slices.Contains(builders, plainName(a)):
			default:
				out = append(out, a)
			}
		}
	}
	return out
}

// checkers are the linters and type checkers that their own lines have pip install, or pre-commit, and nothing else installs.
func (p *Project) checkers(f *Found) []string {
	hooks := p.hooks(f.Root)
	var out []string
	has := func(tool string) bool {
		return slices.ContainsFunc(slices.Concat(f.Own.Packages, f.Declared, out), isOf(tool))
	}
	for _, c := range slices.Concat(f.Own.Types, f.Own.Lint) {
		tool, list := c.Program(), p.packages(c.Line)
		switch i := slices.IndexFunc(list, isOf(tool)); {
		case has(tool):
		case i >= 0:
			out = append(out, list[i])
			for _, r := range list {
				if extends(r, tool) {
					out = append(out, r)
				}
			}
		default:
			out = append(out, hooks[tool]...)
		}
	}
	for _, tool := range []string{"ruff", "black", "mypy"} { // which the table runs
		if f.Uses(tool) && !has(tool) {
			out = append(out, hooks[tool]...)
		}
	}
	return out
}

// extends reports whether a requirement is a plug-in of a checker, which may read its settings and decide what it finds, or types for one.
func extends(requirement, tool string) bool {
	name := plainName(requirement)
	return strings.HasPrefix(name, tool+"-") || tool == "flake8" && name == "pep8-naming" ||
		strings.HasPrefix(name, "types-") || strings.HasSuffix(name, "-stubs")
}

// isOf reports whether a requirement is of a package.
func isOf(name string) func(requirement string) bool {
	return func(r string) bool { return plainName(r) == name }
}

// hooks are the checkers that pre-commit installs, by name, as arguments of pip: with the version of the hook, and what else its
// environment has.
func (p *Project) hooks(dir string) map[string][]string {
	out := map[string][]string{}
	for _, h := range commands.Hooks(dir, p.read) {
		tool, _, _ := strings.Cut(h.ID, "-") // ruff-check, black-jupyter
		if ecosystemsOf[tool] == Python && out[tool] == nil {
			out[tool] = []string{tool + "==" + h.Version}
			for _, r := range h.Requires {
				if requirementName(r) != "" && !strings.Contains(r, "://") { // an option or an address is nothing to hand to pip
					out[tool] = append(out[tool], r)
				}
			}
		}
	}
	return out
}

// groupsWithout are the groups of dependencies with plugins of pytest, where the project says which groups its tests have, and these are
// others: a plugin may bring tests of its own, or change how they run.
func (p *Project) groupsWithout(root string, test commands.Command) []string {
	project := readPyproject(string(p.read(join(root, "pyproject.toml"))))
	wanted := p.groupsOf(func(c commands.Command) bool { return c.Line == test.Line && c.From == test.From })
	if len(wanted) == 0 {
		wanted = p.groupsOf(func(c commands.Command) bool { return c.Line == test.Line })
	}
	if len(wanted) == 0 {
		return nil
	}
	var read func(group string, into map[string]bool) // groups, and plugins of pytest
	read = func(group string, into map[string]bool) {
		if into[group] {
			return
		}
		into[group] = true
		for _, entry := range project.Groups[group] {
			switch entry := entry.(type) {
			case string:
				if name := plainName(entry); strings.HasPrefix(name, "pytest-") {
					into[name] = true
				}
			case map[string]any:
				if other, ok := entry["include-group"].(string); ok {
					read(other, into)
				}
			}
		}
	}
	tested := map[string]bool{}
	for group := range wanted {
		read(group, tested)
	}
	var out []string
	for _, group := range sortedKeys(project.Groups) {
		has := map[string]bool{}
		read(group, has)
		for name := range has {
			if strings.HasPrefix(name, "pytest-") && !tested[name] {
				out = addOnce(out, group)
			}
		}
	}
	return out
}

// conda is the first command by which packages are installed for a toolchain that only conda has.
func (p *Project) conda(f *Found) []commands.Command {
	for _, c := range p.commands() {
		if c.Purpose == commands.Install && slices.Contains(commands.Condas, c.Program()) && p.rootOf(f, c.Dir) == f.Root {
			return []commands.Command{c}
		}
	}
	return nil
}

// uvMembers are the packages of a workspace that uv installs in the line of a test, where its root is tested.
func (p *Project) uvMembers(f *Found, test commands.Command) (out []string) {
	for _, c := range p.commands() {
		if c.Line == test.Line && c.Purpose == commands.Install && c.Argv[0] == "uv" && c.Dir == f.Root && path.Dir(f.Lock) == f.Root && f.Workspace == "" {
			out = append(out, uvPackages(c.Argv)...)
		}
	}
	return out
}

// groupsOf are the groups of dependencies that some commands have uv install.
func (p *Project) groupsOf(some func(commands.Command) bool) map[string]bool {
	out := map[string]bool{}
	for _, c := range p.commands() {
		if c.Purpose != commands.Install || c.Argv[0] != "uv" || !some(c) {
			continue
		}
		for i, a := range c.Argv {
			if group, ok := strings.CutPrefix(a, "--group="); ok {
				out[group] = true
			} else if before := c.Argv[max(0, i-1)]; before == "--group" || before == "--only-group" {
				out[a] = true
			}
		}
	}
	return out
}
