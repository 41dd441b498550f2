package commands

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// manifest is what a package.json says of scripts.
type manifest struct {
	Name    string            `json:"name"`
	Scripts map[string]string `json:"scripts"`
	Uses    map[string]any    `json:"dependencies"`
	Dev     map[string]any    `json:"devDependencies"`
	Peer    map[string]any    `json:"peerDependencies"`
}

func (r *reader) manifest(dir string) (m manifest, ok bool) {
	text := r.text(path.Join(dir, "package.json"))
	return m, text != "" && json.Unmarshal([]byte(text), &m) == nil
}

// npmScript follows a script of package.json with those that npm runs before and after it.
func (r *reader) npmScript(name string, where at) bool {
	m, ok := r.manifest(where.dir)
	if !ok || m.Scripts[name] == "" || where.depth > deepest {
		return false
	}
	file := path.Join(where.dir, "package.json")
	for _, each := range []string{"pre" + name, name, "post" + name} {
		if m.Scripts[each] == "" {
			continue
		}
		args := where.args
		if each != name {
			args = nil
		}
		inner := where.in(each, args...)
		if where.from == file {
			inner.from = file + ": " + each
		}
		inner.script = each
		before := len(r.out)
		r.shell(m.Scripts[each], inner)
		if each == "post"+name && name != "test" { // what looks at the result of a build is no test of the project
			r.out = append(r.out[:before], slices.DeleteFunc(r.out[before:], func(c Command) bool { return c.Purpose == Test })...)
		}
	}
	return true
}

// packages says in which packages of a workspace a line runs: in those of a directory, or in all below it.
type packages struct {
	dir        string
	named, all bool // one is named; there are several
}

// flag reads a flag that chooses packages, and says how many words that takes: none if it is another flag.
func (p *packages) flag(r *reader, argv []string) int {
	flag, value, joined := strings.Cut(argv[0], "=")
	switch flag {
	case "-r", "--recursive", "--workspaces", "-ws", "--parallel":
		p.all = !p.named
		return 1
	case "--filter", "-F", "--workspace", "-w", "-C", "--dir", "--prefix", "--cwd":
	default:
		return 0
	}
	n := 1
	if !joined && len(argv) > 1 {
		value, n = argv[1], 2
	}
	d, ok := r.member(value, p.dir)
	switch {
	case ok:
		p.dir, p.named, p.all = d, true, false
	case flag == "-w" && !joined: // pnpm: at the root
		return 1
	case flag == "--filter" || flag == "-F":
		p.all = true
	}
	return n
}

// front takes the flags off the front of a line.
func (p *packages) front(r *reader, argv []string) []string {
	for len(argv) > 0 && strings.HasPrefix(argv[0], "-") {
		argv = argv[max(1, p.flag(r, argv)):]
	}
	return argv
}

// packageManager follows npm, pnpm, yarn, bun and what runs scripts of several packages.
func (r *reader) packageManager(name string, argv []string, where at) {
	in := packages{dir: where.dir}
	argv = in.front(r, argv)
	where.dir = in.dir
	if len(argv) == 0 {
		if name == "yarn" {
			r.add([]string{"yarn"}, where)
		}
		return
	}
	verb, rest := argv[0], argv[1:]
	switch verb {
	case "run", "run-script", "rum", "urn":
		if rest = in.front(r, rest); len(rest) == 0 {
			return
		}
		verb, rest = rest[0], rest[1:]
	case "test", "t", "tst":
		if name == "bun" { // its own runner
			r.add(append([]string{"bun"}, argv...), where)
			return
		}
		verb = "test"
	case "exec", "dlx", "x":
		r.npx(rest, where)
		return
	case "install", "ci", "i", "add", "install-test", "it", "cit":
		r.add(append([]string{name}, argv...), where)
		return
	case "workspace":
		if len(rest) > 1 {
			if d, ok := r.member(rest[0], where.dir); ok {
				where.dir = d
			}
			r.packageManager(name, rest[1:], where)
		}
		return
	case "workspaces", "foreach":
		for i, a := range rest {
			if a == "run" && i+1 < len(rest) {
				r.members(rest[i+1], where)
			}
		}
		return
	}
	runs := name == "lerna" || name == "turbo" || name == "nx" || name == "rush"
	var args []string
	for len(rest) > 0 && rest[0] != "--" {
		n := 0
		if runs || name == "npm" { // the others hand all that stands behind a script to it
			n = in.flag(r, rest)
		}
		if n == 0 {
			n = 1
			if rest[0] != "--if-present" && (name != "npm" || !strings.HasPrefix(rest[0], "-")) { // what npm does not know it keeps to itself
				args = append(args, rest[0])
			}
		}
		rest = rest[n:]
	}
	where.dir, rest = in.dir, append(args, rest[min(1, len(rest)):]...)
	switch {
	case runs, in.all:
		r.members(verb, where)
	default:
		where.args = append(slices.Clone(rest), where.args...)
		switch {
		case r.npmScript(verb, where):
		case name == "npm":
			r.strange++
		default: // a program of node_modules
			where.args = where.args[len(rest):]
			r.run(append([]string{verb}, rest...), where)
		}
	}
}

// member finds the package of a workspace by its name or its directory.
func (r *reader) member(name, dir string) (string, bool) {
	if name == "" {
		return "", false
	}
	if d := path.Join(dir, name); r.files[path.Join(d, "package.json")] {
		return d, true
	}
	for _, d := range r.packages {
		if m, ok := r.manifest(d); ok && m.Name == name {
			return d, true
		}
	}
	return "", false
}

// members follows a script in all packages below one directory that have it.
func (r *reader) members(script string, where at) {
	top := where.dir
	for _, d := range r.inOrder(r.packages) {
		if d == top || top != "." && !strings.HasPrefix(d, top+"/") {
			continue
		}
		inner := where
		inner.dir = d
		r.npmScript(script, inner)
	}
}

// inOrder are packages of a workspace, each after those that it depends on: what one builds another needs (pnpm.io, "pnpm -r").
func (r *reader) inOrder(dirs []string) []string {
	at, of := map[string]string{}, map[string]manifest{}
	for _, d := range dirs {
		of[d], _ = r.manifest(d)
		at[of[d].Name] = d
	}
	var out []string
	begun := map[string]bool{}
	var add func(d string)
	add = func(d string) {
		if begun[d] {
			return
		}
		begun[d] = true
		for _, uses := range []map[string]any{of[d].Uses, of[d].Dev, of[d].Peer} {
			for _, name := range slices.Sorted(maps.Keys(uses)) {
				if other, ok := at[name]; ok {
					add(other)
				}
			}
		}
		out = append(out, d)
	}
	for _, d := range dirs {
		add(d)
	}
	return out
}

// npx is a program of node_modules.
func (r *reader) npx(argv []string, where at) {
	argv = flagless(argv, "-p", "--package")
	if len(argv) == 0 {
		return
	}
	name := version().ReplaceAllString(argv[0], "")
	r.run(append([]string{name}, argv[1:]...), where)
}

// several are scripts that are run one after another or side by side.
func (r *reader) several(name string, argv []string, where at) {
	m, _ := r.manifest(where.dir)
	for _, a := range argv {
		if strings.HasPrefix(a, "-") {
			continue
		}
		a = strings.TrimSuffix(strings.TrimPrefix(a, "{glob:"), "}")
		script, found := strings.CutPrefix(a, "npm:")
		if name != "concurrently" {
			script, found = a, true
		}
		if !found {
			r.shell(a, where.in(name))
			continue
		}
		for _, each := range slices.Sorted(maps.Keys(m.Scripts)) {
			if ok, err := path.Match(strings.ReplaceAll(strings.ReplaceAll(script, "**", "*"), ":", "/"), strings.ReplaceAll(each, ":", "/")); err == nil && ok {
				r.npmScript(each, where)
			}
		}
	}
}

// composer follows PHP's scripts.
func (r *reader) composer(argv []string, where at) {
	argv = flagless(argv)
	if len(argv) > 1 && (argv[0] == "run" || argv[0] == "run-script" || argv[0] == "exec") {
		argv = flagless(argv[1:])
	}
	if len(argv) == 0 {
		return
	}
	var m struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	if json.Unmarshal([]byte(r.text(path.Join(where.dir, "composer.json"))), &m) != nil || m.Scripts[argv[0]] == nil {
		r.add(append([]string{"composer"}, argv...), where)
		return
	}
	var one string
	var list []string
	if json.Unmarshal(m.Scripts[argv[0]], &one) == nil {
		list = []string{one}
	} else if json.Unmarshal(m.Scripts[argv[0]], &list) != nil {
		return
	}
	for _, line := range list {
		if other, ok := strings.CutPrefix(line, "@"); ok && !strings.HasPrefix(other, "php ") {
			r.composer(strings.Fields(other), where.in(other))
		} else {
			r.shell(strings.TrimPrefix(line, "@php "), where.in(argv[0]))
		}
	}
}

var (
	noEmit   = re.New(`"noEmit"\s*:\s*(true|false)`)
	extended = re.New(`"extends"\s*:\s*"(\.[^"]*)"`)
)

// tsconfig is the configuration that a call of tsc names, or finds.
func tsconfig(argv []string) string {
	for i, a := range argv[:len(argv)-1] {
		if a == "-p" || a == "--project" {
			return argv[i+1]
		}
	}
	return "."
}

// writesNothing reports whether a configuration of the TypeScript compiler, or one that it extends, lets it only check.
func (r *reader) writesNothing(config, dir string, depth int) bool {
	name := path.Join(dir, config)
	if path.Ext(name) != ".json" {
		if r.files[name+".json"] {
			name += ".json"
		} else {
			name = path.Join(name, "tsconfig.json")
		}
	}
	text := string(PlainJSON([]byte(r.text(name))))
	if m := noEmit().FindStringSubmatch(text); m != nil {
		return m[1] == "true"
	}
	m := extended().FindStringSubmatch(text)
	return m != nil && depth < deepest && r.writesNothing(m[1], path.Dir(name), depth+1)
}
