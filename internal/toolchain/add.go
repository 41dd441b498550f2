package toolchain

import "strings"

// Dependency is a package that a spec authorises. Version is as the spec writes it, "" for the newest.
type Dependency struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// Addition is how packages are added to a project: by commands, or by lines at the end of a file.
type Addition struct {
	Commands []Command
	File     string
	Lines    []string
}

// Add says how the packages become dependencies of the project, in manifest and lock file. The commands reach the
// registry and run no script of a package.
func (f Found) Add(deps []Dependency) Addition {
	switch f.Ecosystem {
	case Go:
		argv := []string{"go", "get"}
		for _, d := range deps {
			v := d.Version
			if v == "" {
				v = "latest"
			} else if v[0] >= '0' && v[0] <= '9' {
				v = "v" + v
			}
			argv = append(argv, d.Name+"@"+v)
		}
		return Addition{Commands: []Command{f.addCommand(argv...)}}
	case Node:
		verb := map[string][]string{
			"npm": {"npm", "install", "--save", "--ignore-scripts", "--no-audit", "--no-fund"}, "pnpm": {"pnpm", "add", "--ignore-scripts"},
			"yarn": {"yarn", "add", "--ignore-scripts"}, "yarn-berry": {"yarn", "add", "--mode=skip-build"}, "bun": {"bun", "add", "--ignore-scripts"},
		}[f.Manager]
		return Addition{Commands: []Command{f.addCommand(append(verb, versioned(deps, "@")...)...)}}
	case Python:
		switch f.Manager {
		case "uv":
			return Addition{Commands: []Command{f.addCommand(append([]string{"uv", "add"}, versioned(deps, "==")...)...)}}
		case "poetry":
			return Addition{Commands: []Command{f.addCommand(append([]string{"poetry", "add"}, versioned(deps, "==")...)...)}}
		}
		return Addition{File: join(f.Root, "requirements.txt"), Lines: versioned(deps, "==")}
	}
	return Addition{}
}

func (f Found) addCommand(argv ...string) Command {
	return Command{Name: "add", Argv: argv, Dir: f.Root, Report: ReportExit}
}

func versioned(deps []Dependency, sep string) []string {
	out := make([]string, len(deps))
	for i, d := range deps {
		out[i] = d.Name
		if v := strings.TrimLeft(d.Version, "="); v != "" {
			out[i] += sep + v
		}
	}
	return out
}
