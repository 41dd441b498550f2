package commands

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/jacquard-build/jacquard/internal/re"
)

// pythonManager follows the programs that run others in an environment.
func (r *reader) pythonManager(name string, argv []string, where at) {
	if argv = directed(argv, &where); len(argv) == 0 {
		return
	}
	switch name {
	case "uvx", "pipx":
		if argv = flagless(argv, "--from", "--with", "-p", "--python", "--spec"); len(argv) > 0 && argv[0] == "run" {
			argv = flagless(argv[1:], "--spec")
		}
		if len(argv) > 0 {
			r.run(append([]string{version().ReplaceAllString(argv[0], "")}, argv[1:]...), where)
		}
		return
	case "hatch":
		r.hatch(argv, where)
		return
	}
	verb, rest := argv[0], argv[1:]
	if name == "uv" && verb == "tool" && len(rest) > 0 {
		verb, rest = rest[0], rest[1:]
	}
	switch verb {
	case "run":
		flags := rest
		rest = directed(rest, &where)
		if flags = flags[:len(flags)-len(rest)]; name == "uv" && slices.ContainsFunc(flags, syncFlag().MatchString) {
			r.command(Install, append([]string{"uv", "sync"}, flags...), where)
		}
		if len(rest) == 0 {
			return
		}
		if table := r.pyproject(where.dir); name == "pdm" && r.tomlScript(table, []string{"tool", "pdm", "scripts"}, rest, where) {
			return
		}
		r.run(rest, where)
	case "sync", "install", "add", "pip":
		r.add(append([]string{name}, argv...), where)
	default:
		if name == "pdm" {
			r.tomlScript(r.pyproject(where.dir), []string{"tool", "pdm", "scripts"}, argv, where)
		}
	}
}

// directed takes the flags at the beginning off, of which one says where all else runs.
func directed(argv []string, where *at) []string {
	rest := flagless(
		argv, "--group", "--extra", "--with", "-w", "--with-editable", "--python", "-p", "--with-requirements", "--only-group", "--no-group", "--no-extra", "--package", "--directory", "--project", "-e", "-m", "--module", "--from",
		"--env-file", "--index", "--default-index", "-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-P", "--upgrade-package", "--resolution", "--prerelease", "--exclude-newer", "--link-mode", "--color", "--cache-dir", "--config-file",
	)
	for i, flag := range argv[:len(argv)-len(rest)] {
		dir, joined := strings.CutPrefix(flag, "--directory=")
		if flag == "--directory" && i+1 < len(argv) {
			dir = argv[i+1]
		}
		if joined || flag == "--directory" {
			where.dir = path.Join(where.dir, dir)
		}
	}
	return rest
}

// pyproject is pyproject.toml of a directory, nil without one.
func (r *reader) pyproject(dir string) map[string]any {
	var t map[string]any
	if _, err := toml.Decode(r.text(path.Join(dir, "pyproject.toml")), &t); err != nil {
		return nil
	}
	return t
}

// look goes down in tables.
func look(t any, keys ...string) any {
	for _, k := range keys {
		m, ok := t.(map[string]any)
		if !ok {
			return nil
		}
		t = m[k]
	}
	return t
}

// tomlScript follows a script of a table of scripts: a text, a list of texts, or a table with cmd, shell, composite or sequence.
func (r *reader) tomlScript(table map[string]any, keys, argv []string, where at) bool {
	script := look(table, append(slices.Clone(keys), argv[0])...)
	if script == nil || where.depth > deepest {
		return false
	}
	inner := where.in("pyproject.toml: "+argv[0], append(slices.Clone(argv[1:]), where.args...)...)
	var follow func(v any)
	follow = func(v any) {
		switch v := v.(type) {
		case string:
			first, _, _ := strings.Cut(v, " ")
			if look(table, append(slices.Clone(keys), first)...) != nil && first != argv[0] {
				r.tomlScript(table, keys, strings.Fields(v), inner)
				return
			}
			r.shell(v, inner)
		case []any:
			for _, each := range v {
				follow(each)
			}
		case map[string]any:
			inner.env = merged(inner.env)
			env, _ := v["env"].(map[string]any)
			for k, val := range env {
				if s, ok := val.(string); ok {
					inner.env[k] = s
				}
			}
			for _, k := range []string{"cmd", "shell", "composite", "sequence", "chain"} {
				if v[k] != nil {
					follow(v[k])
				}
			}
		}
	}
	follow(script)
	return true
}

// pyprojectScripts are scripts of tables in pyproject.toml, by their usual names.
func (r *reader) pyprojectScripts() {
	t := r.pyproject(".")
	names := []string{"test", "tests", "lint", "check", "typing", "types", "typecheck", "mypy"}
	tables := [][]string{{"tool", "poe", "tasks"}, {"tool", "pdm", "scripts"}, {"tool", "taskipy", "tasks"}}
	if envs, ok := look(t, "tool", "hatch", "envs").(map[string]any); ok {
		for _, e := range slices.Sorted(maps.Keys(envs)) {
			tables = append(tables, []string{"tool", "hatch", "envs", e, "scripts"})
		}
	}
	for _, n := range names {
		for _, keys := range tables {
			r.line++
			r.tomlScript(t, keys, []string{n}, at{dir: ".", from: "pyproject.toml"})
		}
	}
}

// section is one of an ini file.
type section map[string]string

func ini(text string) map[string]section {
	out := map[string]section{}
	name, key := "", ""
	for raw := range strings.Lines(text) {
		line := strings.TrimRight(raw, "\r\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, ";"):
		case strings.HasPrefix(line, "["):
			name, key = strings.Trim(trimmed, "[]"), ""
			if out[name] == nil {
				out[name] = section{}
			}
		case out[name] != nil && (line[0] == ' ' || line[0] == '\t') && key != "":
			out[name][key] += "\n" + trimmed
		case out[name] != nil:
			k, v, ok := strings.Cut(line, "=")
			if !ok {
				continue
			}
			key = strings.TrimSpace(k)
			out[name][key] = strings.TrimSpace(v)
		}
	}
	return out
}

var (
	syncFlag    = re.New(`^--(?:(?:only-)?group|package|all-packages)\b`)
	toxVariable = re.New(`\{\[([^\]]+)\](\w+)\}`)
	toxArgs     = re.New(`\{posargs(?::(?:[^{}]|\{[^{}]*\})*)?\}`)
	toxDefault  = re.New(`\{env:\w+:([^{}]*)\}`)
	toxOther    = re.New(`\{[^{}]*\}`)
	toxFactor   = re.New(`^!?([\w.-]+(?:,[\w.-]+)*):\s`)
)

// tox follows the commands of the environments that are named with -e, else those of the one that tests are run in.
func (r *reader) tox(argv []string, where at) {
	if where.depth > deepest {
		return
	}
	sections := ini(r.text(path.Join(where.dir, "tox.ini")))
	from := "tox.ini"
	if len(sections) == 0 {
		sections, from = r.toxOfTOML(where.dir)
	}
	if len(sections) == 0 {
		return
	}
	envs, rest := toxArguments(argv)
	if e := where.env["TOXENV"]; len(envs) == 0 && e != "" {
		envs = strings.Split(e, ",")
	}
	if len(envs) == 0 {
		envs = []string{"py"}
		if where.depth == 0 { // nobody has named one: what the project has is shown
			for name := range maps.Keys(sections) {
				if e, ok := strings.CutPrefix(name, "testenv:"); ok {
					envs = append(envs, e)
				}
			}
			slices.Sort(envs[1:])
		}
	}
	for _, e := range envs {
		env := toxEnv{e, sections}
		r.toxInstalls(env, where.in(from+": "+e))
		inner, root := where.in(from+": "+e, where.args...), "."
		if to := path.Clean(cmp.Or(env.get("changedir", "change_dir"), ".")); to != "." && r.holds(path.Join(where.dir, to)) {
			inner.dir, root = path.Join(where.dir, to), strings.Repeat("../", strings.Count(to, "/"))+".."
		}
		inner.env = merged(inner.env, env.sets(root))
		lines := strings.ReplaceAll(env.get("commands"), "\\\n", " ")
		lines = toxArgs().ReplaceAllStringFunc(lines, func(m string) string {
			if len(rest) > 0 {
				return strings.Join(rest, " ")
			}
			_, preset, _ := strings.Cut(m[1:len(m)-1], ":")
			return strings.Join(strings.Fields(preset), " ")
		})
		lines = toxDefault().ReplaceAllString(lines, "$1") // the variable is set for other environments
		for line := range strings.Lines(lines) {
			line = strings.TrimLeft(strings.TrimSpace(line), "-!")
			bare, ok := env.factored(line)
			if !ok && !strings.HasPrefix(line, "py:") {
				continue
			}
			line = toxOther().ReplaceAllStringFunc(bare, func(m string) string {
				switch m {
				case "{envpython}":
					return "python"
				case "{toxinidir}", "{tox_root}":
					return root
				case "{/}", "{:}":
					return m[1:2]
				case "{envsitepackagesdir}", "{env_site_packages_dir}": // tox installs the project; here it is where it lies
					if src := path.Join(where.dir, "src"); r.holds(src) && !r.files[src+"/__init__.py"] {
						return path.Join(root, "src")
					}
					return root
				}
				if strings.HasSuffix(m, "dir}") && !strings.HasSuffix(m, "bindir}") && !strings.HasPrefix(m, "{env:") { // one of tox's own
					return path.Join(root, ".tox")
				}
				return ""
			})
			r.shell(line, inner)
		}
	}
}

// toxEnv is an environment of tox.
type toxEnv struct {
	name     string
	sections map[string]section
}

// get is what an environment says under one of some keys, else what all say, with what it takes from other sections.
func (e toxEnv) get(keys ...string) string {
	text := ""
	for _, s := range []string{"testenv:" + e.name, "testenv"} {
		for _, k := range keys {
			text = cmp.Or(text, e.sections[s][k])
		}
	}
	return toxVariable().ReplaceAllStringFunc(text, func(m string) string {
		g := toxVariable().FindStringSubmatch(m)
		return e.sections[g[1]][g[2]]
	})
}

// sets are the variables that an environment sets, but for those whose values only tox knows.
func (e toxEnv) sets(root string) map[string]string {
	out := map[string]string{}
	for raw := range strings.Lines(e.get("set_env", "setenv")) {
		line, ok := e.factored(strings.TrimSpace(raw))
		if !ok {
			continue
		}
		line = toxDefault().ReplaceAllString(line, "$1")
		line = strings.NewReplacer("{toxinidir}", root, "{tox_root}", root).Replace(line)
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); ok && variable().MatchString(name) && !strings.ContainsAny(value, "{}") {
			out[name] = strings.TrimSpace(value)
		}
	}
	return out
}

// toxInstalls are the packages that an environment has.
func (r *reader) toxInstalls(env toxEnv, where at) {
	var packages []string
	for dep := range strings.Lines(env.get("deps")) {
		dep = strings.TrimSpace(dep) // what has a factor is of an environment for one version
		if dep != "" && !strings.ContainsAny(dep, "{#") && !toxFactor().MatchString(dep) {
			packages = append(packages, strings.Fields(strings.Replace(dep, "-r", "-r ", 1))...)
		}
	}
	for _, extra := range strings.Fields(strings.ReplaceAll(env.get("extras"), ",", " ")) {
		packages = append(packages, ".["+extra+"]")
	}
	if len(packages) > 0 {
		r.command(Install, append([]string{"pip", "install"}, packages...), where)
	}
	for raw := range strings.Lines(env.get("dependency_groups")) {
		group, ok := env.factored(strings.TrimSpace(raw))
		if !ok {
			continue
		}
		for _, g := range strings.FieldsFunc(group, func(r rune) bool { return r == ',' || r == ' ' }) {
			r.command(Install, []string{"uv", "sync", "--group", g}, where)
		}
	}
}

// factored is a line without the factors that it is for; ok says that it is for the environment (tox.wiki, "Conditional settings").
func (e toxEnv) factored(line string) (rest string, ok bool) {
	m := toxFactor().FindStringSubmatch(line)
	if m == nil {
		return line, true
	}
	return line[len(m[0]):], slices.ContainsFunc(strings.Split(m[1], ","), func(f string) bool {
		return strings.Contains("-"+e.name+"-", "-"+f+"-")
	})
}

// toxArguments are the environments that are named, and what is passed on.
func toxArguments(argv []string) (envs, rest []string) {
	for i := 0; i < len(argv); i++ {
		switch a := argv[i]; {
		case a == "--":
			return envs, argv[i+1:]
		case a == "-e" || a == "-f" || a == "-m":
			if i++; i < len(argv) {
				envs = append(envs, strings.Split(argv[i], ",")...)
			}
		case strings.HasPrefix(a, "-e"):
			envs = append(envs, strings.Split(strings.TrimPrefix(a, "-e"), ",")...)
		}
	}
	return envs, nil
}

// toxOfTOML reads tox's settings where they stand in pyproject.toml (as they are in tox 4, or as the text of an ini file), or
// in setup.cfg.
func (r *reader) toxOfTOML(dir string) (map[string]section, string) {
	t := r.pyproject(dir)
	if text, ok := look(t, "tool", "tox", "legacy_tox_ini").(string); ok {
		return ini(text), "pyproject.toml: tox"
	}
	if cfg := ini(r.text(path.Join(dir, "setup.cfg"))); cfg["tox:tox"] != nil || cfg["testenv"] != nil {
		return cfg, "setup.cfg: tox"
	}
	native := look(t, "tool", "tox")
	if native == nil {
		var own map[string]any
		if _, err := toml.Decode(r.text(path.Join(dir, "tox.toml")), &own); err != nil || own == nil {
			return nil, ""
		}
		native = own
	}
	out := map[string]section{}
	take := func(name string, v any) {
		env, ok := v.(map[string]any)
		if !ok {
			return
		}
		out[name] = section{}
		lines, _ := env["commands"].([]any)
		for _, l := range lines {
			words, _ := l.([]any)
			var line []string
			for _, w := range words {
				switch w := w.(type) {
				case string:
					line = append(line, w)
				case map[string]any: // {replace = "posargs", default = [...], extend = true}
					preset, _ := w["default"].([]any)
					for _, p := range preset {
						if s, ok := p.(string); ok {
							line = append(line, s)
						}
					}
				}
			}
			out[name]["commands"] += strings.Join(line, " ") + "\n"
		}
		sets, _ := env["set_env"].(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(sets)) {
			if value, ok := sets[k].(string); ok {
				out[name]["set_env"] += k + "=" + value + "\n"
			}
		}
	}
	take("testenv", look(native, "env_run_base"))
	if envs, ok := look(native, "env").(map[string]any); ok {
		for k, v := range envs {
			take("testenv:"+k, v)
		}
	}
	return out, "tox"
}

var (
	noxSession = re.New(`(?m)^@(?:nox\.)?session[^\n]*(?:\n(?:[ \t)@][^\n]*)?)*?\ndef (\w+)\([^)]*\)[^\n]*:\n((?:[ \t]+[^\n]*\n|\n)*)`)
	noxInstall = re.New(`session\.install\(((?:[^()]|\([^()]*\))*)\)`)
	noxRun     = re.New(`session\.run(?:_always)?\(((?:[^()]|\([^()]*\))*)\)`)

	pythonArgument = re.New(`^\s*((?:"[^"\\]*"|'[^'\\]*'|[^,"'()\[\]{}]|\([^()]*\)|\[[^\]]*\]|\{[^}]*\})+),?`)
	pythonConstant = re.New(`(?m)^([A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?=[ \t]*([^=\s][^\n]*)$`)
	pythonText     = re.New(`^(?:"([^"\\]*)"|'([^'\\]*)')$`)
	pythonHere     = re.New(`^(?:pathlib\.)?(?:Path\.cwd\(\)|Path\(__file__\)(?:\.(?:parent|resolve\(\)|absolute\(\)))*)$`)
	pythonAround   = re.New(`^(?:str|(?:pathlib\.)?Path)\((.+)\)$`)
	pythonKeyword  = re.New(`^\w+\s*=[^=]`)
)

// nox follows the calls of session.run in a noxfile: of the sessions that are named with -s, else of all.
func (r *reader) nox(argv []string, where at) {
	var wanted []string
	for i, a := range argv {
		if (a == "-s" || a == "-e" || a == "--session" || a == "--sessions") && i+1 < len(argv) {
			name, _, _ := strings.Cut(argv[i+1], "-")
			wanted = append(wanted, name, argv[i+1])
		}
	}
	text := r.text(path.Join(where.dir, "noxfile.py")) + "\n"
	known := constants{}
	for _, m := range pythonConstant().FindAllStringSubmatch(text, -1) {
		if v, ok := known.value(m[2]); ok {
			known[m[1]] = v
		}
	}
	for _, m := range noxSession().FindAllStringSubmatch(text, -1) {
		if len(wanted) > 0 && !slices.Contains(wanted, m[1]) {
			continue
		}
		for _, call := range noxInstall().FindAllStringSubmatch(m[2], -1) {
			if words := known.arguments(call[1]); len(words) > 0 {
				r.command(Install, append([]string{"pip", "install"}, words...), where.in("noxfile.py: "+m[1]))
			}
		}
		for _, call := range noxRun().FindAllStringSubmatch(m[2], -1) {
			r.run(known.arguments(call[1]), where.in("noxfile.py: "+m[1]))
		}
	}
}

// constants are the texts and paths that the top of a file of Python gives names.
type constants map[string]string

// value is what an expression of a text, a path or the name of one stands for. Paths are relative to the file.
func (c constants) value(expr string) (string, bool) {
	expr = strings.TrimSpace(expr)
	if m := pythonText().FindStringSubmatch(expr); m != nil {
		return m[1] + m[2], true
	}
	if v, ok := c[expr]; ok {
		return v, true
	}
	if pythonHere().MatchString(expr) {
		return ".", true
	}
	if m := pythonAround().FindStringSubmatch(expr); m != nil {
		return c.value(m[1])
	}
	left, right, joined := strings.Cut(expr, " / ")
	if !joined {
		return "", false
	}
	a, known := c.value(left)
	b, also := c.value(right)
	return path.Join(a, b), known && also
}

// arguments are the values of those of a call. What cannot be told is left out, with the flag that it is for.
func (c constants) arguments(args string) []string {
	var out []string
	for {
		m := pythonArgument().FindStringSubmatch(args)
		if m == nil {
			return out
		}
		args = args[len(m[0]):]
		if strings.HasPrefix(m[1], "*") || pythonKeyword().MatchString(m[1]) {
			continue
		}
		if v, ok := c.value(m[1]); ok {
			out = append(out, v)
		} else if n := len(out); n > 1 && strings.HasPrefix(out[n-1], "-") && !strings.Contains(out[n-1], "=") {
			out = out[:n-1]
		}
	}
}
