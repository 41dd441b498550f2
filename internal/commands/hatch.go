package commands

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// hatch is hatch run [ENV:]SCRIPT, hatch test, hatch fmt.
func (r *reader) hatch(argv []string, where at) {
	if argv = flagless(argv, "-e", "--env"); len(argv) == 0 {
		return
	}
	t := r.pyproject(where.dir)
	switch argv[0] {
	case "test":
		r.hatchInstalls(t, "hatch-test", where.in("hatch test"), "pytest")
		r.run([]string{"pytest"}, where.in("hatch test"))
	case "fmt":
		r.add([]string{"ruff", "check"}, where.in("hatch fmt"))
	case "run":
		rest := flagless(argv[1:], "-i", "-x")
		for len(rest) > 0 && strings.HasPrefix(rest[0], "+") { // a variable of the matrix
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return
		}
		env, script, named := strings.Cut(rest[0], ":")
		envs := strings.Split(env, ",")
		if !named {
			script, envs = rest[0], []string{"default"}
			if all, ok := look(t, "tool", "hatch", "envs").(map[string]any); ok {
				envs = append(envs, slices.Sorted(maps.Keys(all))...)
			}
		}
		for _, e := range envs {
			if r.hatchScript(t, e, append([]string{script}, rest[1:]...), where) {
				return
			}
		}
		r.run(append([]string{script}, rest[1:]...), where)
	}
}

// hatchEnv are the tables of an environment and of those whose settings it takes over, its own first (hatch.pypa.io, "Inheritance").
func hatchEnv(t map[string]any, env string) []map[string]any {
	var out []map[string]any
	for range 5 {
		table, ok := look(t, "tool", "hatch", "envs", env).(map[string]any)
		if ok {
			out = append(out, table)
		}
		template, _ := table["template"].(string)
		if template = cmp.Or(template, "default"); template == env || table["detached"] == true {
			break
		}
		env = template
	}
	return out
}

// hatchScript follows a script of an environment, with what the environment has.
func (r *reader) hatchScript(t map[string]any, env string, argv []string, where at) bool {
	tables := hatchEnv(t, env)
	for _, table := range tables {
		if look(table, "scripts", argv[0]) == nil {
			continue
		}
		for _, from := range slices.Backward(tables) {
			sets, _ := from["env-vars"].(map[string]any)
			for k, v := range sets {
				if text, ok := v.(string); ok && !strings.Contains(text, "{") {
					where.env = merged(where.env, map[string]string{k: text})
				}
			}
		}
		r.hatchInstalls(t, env, where.in("pyproject.toml: "+env))
		return r.tomlScript(table, []string{"scripts"}, argv, where)
	}
	return false
}

// hatchInstalls are the packages that an environment has, besides those that all of its kind have.
func (r *reader) hatchInstalls(t map[string]any, env string, where at, packages ...string) {
	for _, table := range hatchEnv(t, env) {
		for _, key := range []string{"dependencies", "extra-dependencies", "features"} {
			list, _ := table[key].([]any)
			for _, v := range list {
				name, ok := v.(string)
				if key == "features" {
					name = ".[" + name + "]"
				}
				if ok {
					packages = append(packages, name)
				}
			}
		}
	}
	if len(packages) > 0 {
		r.command(Install, append([]string{"pip", "install"}, packages...), where)
	}
}
