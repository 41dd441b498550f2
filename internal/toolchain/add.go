package toolchain

import "strings"

// Dependency is a package that a spec authorises. Version is as the spec writes it, "" for the newest.
type Dependency struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// Addition is how packages are added to a project: by commands, or by lines in a file.
type Addition struct {
	Commands []Command
	File     string
	Lines    []string
	Edit     func(src []byte) []byte // of File, in place of lines at its end
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
		names := versioned(deps, "@")
		for i, name := range names {
			if f.Manager == deno && !strings.Contains(name, ":") {
				names[i] = "npm:" + name
			}
		}
		c := f.addCommand(append(nodeAdd(f.Manager), names...)...)
		if f.Manager == "yarn-berry" {
			c.Env = berryEnv()
		}
		return Addition{Commands: []Command{c}}
	case Python:
		switch f.Manager {
		case "uv":
			c := f.addCommand(append([]string{"uv", "add", "--no-sync"}, versioned(deps, "==")...)...)
			c.Env = uvEnv()
			return Addition{Commands: []Command{c}}
		case "poetry":
			return Addition{Commands: []Command{f.addCommand(append([]string{"poetry", "add", "--lock", "--no-interaction"}, versioned(deps, "==")...)...)}}
		}
		return Addition{File: join(f.Root, packageList), Lines: versioned(deps, "==")}
	case Rust:
		c := f.addCommand(append([]string{"cargo", "add"}, versioned(deps, "@")...)...)
		c.Env = []string{"CARGO_TERM_COLOR=never"}
		lock := f.addCommand("cargo", "generate-lockfile")
		if f.Lock != "" {
			lock = f.addCommand("cargo", "update", "--workspace")
		}
		return Addition{Commands: []Command{c, lock}}
	case JVM:
		if f.Manager == "maven" {
			return Addition{File: f.Manifest, Edit: func(src []byte) []byte { return withDependencies(src, deps) }}
		}
		return Addition{Commands: []Command{{Name: "add", Dir: f.Root, Report: ReportExit, Refuse: "packages cannot be added to a project with Gradle; add what the specification names to " + f.Manifest}}}
	}
	return Addition{}
}

// nodeAdd adds without installing where the manager can: the manifest and the lock file are all that is kept. Where it
// cannot, it may not take packages that are there for a reason to ask. pnpm and Yarn 1 refuse to add to the root of a
// workspace unless they are told that it is meant.
func nodeAdd(manager string) []string {
	switch manager {
	case "pnpm":
		return []string{"pnpm", "add", "--lockfile-only", "--ignore-scripts", "--ignore-workspace-root-check"}
	case "yarn":
		return []string{"yarn", "add", "--ignore-scripts", "--ignore-workspace-root-check", "--non-interactive"}
	case "yarn-berry":
		return []string{"yarn", "add", "--mode=update-lockfile"}
	case "bun":
		return []string{"bun", "add", "--lockfile-only", "--ignore-scripts"}
	case deno:
		return []string{deno, "add"}
	}
	return []string{"npm", "install", "--save", "--ignore-scripts", "--no-audit", "--no-fund"}
}

func (f Found) addCommand(argv ...string) Command {
	return Command{Name: "add", Argv: argv, Dir: f.Root, Report: ReportExit}
}

func versioned(deps []Dependency, sep string) []string {
	out := make([]string, len(deps))
	for i, d := range deps {
		out[i] = d.Name
		v := strings.TrimLeft(d.Version, "=")
		switch {
		case v == "":
		case sep == "==" && strings.ContainsAny(v[:1], "<>~!"): // a comparison of Python's own
			out[i] += v
		case sep == "==" && v[0] == '^': // Poetry's word for it; the others know the lower end only
			out[i] += ">=" + v[1:]
		default:
			out[i] += sep + v
		}
	}
	return out
}
