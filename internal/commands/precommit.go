package commands

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Hook is a program that pre-commit runs before a commit (pre-commit.com, "Adding pre-commit plugins to your project").
type Hook struct {
	ID             string
	Args           []string
	Files, Exclude string
	Stages         []string
	Requires       []string `yaml:"additional_dependencies"`
	// Version is that of the repository it comes from, "" where that is no version of the program.
	Version string `yaml:"-"`
}

var hookVersion = re.New(`^(?:# frozen: )?v?(\d+(?:\.\d+)+[a-z0-9.]*)$`)

// Hooks are those of a directory whose program has a version that is known. read gives nil for a file that is not there.
func Hooks(dir string, read func(string) []byte) []Hook {
	var config struct {
		Files, Exclude string
		Repos          []struct {
			Rev   yaml.Node
			Hooks []Hook
		}
	}
	for _, name := range []string{".pre-commit-config.yaml", ".pre-commit-config.yml"} {
		if err := yaml.Unmarshal(read(path.Join(dir, name)), &config); err != nil {
			return nil
		}
	}
	var out []Hook
	for _, repo := range config.Repos {
		for _, version := range []string{repo.Rev.Value, repo.Rev.LineComment} { // a commit has its tag beside it
			m := hookVersion().FindStringSubmatch(version)
			if m == nil {
				continue
			}
			for _, h := range repo.Hooks {
				h.Version, h.Files, h.Exclude = m[1], config.Files+h.Files, config.Exclude+h.Exclude
				out = append(out, h)
			}
			break
		}
	}
	return out
}

// hooked are the commands of hooks that judge the whole project and change nothing.
var hooked = map[string][]string{
	"ruff": {"ruff", "check", "--no-fix"}, "ruff-check": {"ruff", "check", "--no-fix"}, "ruff-format": {"ruff", "format", "--check"},
	"black": {"black", "--check"}, "isort": {"isort", "--check-only"}, "flake8": {"flake8"},
}

// preCommit adds the linters that pre-commit runs. What is for some files only is left out.
func (r *reader) preCommit(where at) {
	for _, h := range Hooks(where.dir, func(name string) []byte { return []byte(r.text(name)) }) {
		argv := hooked[h.ID]
		if argv == nil || h.Files+h.Exclude != "" || len(h.Stages) > 0 && !slices.ContainsFunc(h.Stages, func(s string) bool { return strings.HasSuffix(s, "commit") }) {
			continue
		}
		args := slices.DeleteFunc(slices.Clone(h.Args), func(a string) bool { return strings.Contains(a, "fix") })
		r.command(Lint, slices.Concat(argv, args, []string{"."}), where.in(".pre-commit-config.yaml: "+h.ID))
	}
}
