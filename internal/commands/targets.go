package commands

import (
	"cmp"
	"maps"
	"path"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/re"
)

// makefile is what is read of one: variables that are plain texts, and the targets with what they need and run.
type makefile struct {
	variables map[string]string
	targets   map[string]rule
	first     string
}

type rule struct {
	needs []string
	lines []string
}

var (
	makeVariable = re.New(`^(?:export\s+)?([\w.-]+)\s*(?:::?|\?|\+)?=\s*(.*)$`)
	makeTarget   = re.New(`^([^\s#:=][^:=]*?)\s*::?\s*([^=]*)$`)
)

func parseMakefile(text string) makefile {
	m := makefile{variables: map[string]string{}, targets: map[string]rule{}}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\\\n", " ")
	var current []string
	for line := range strings.SplitSeq(text, "\n") {
		if recipe, ok := strings.CutPrefix(line, "\t"); ok {
			for _, t := range current {
				r := m.targets[t]
				r.lines = append(r.lines, strings.TrimLeft(strings.TrimSpace(recipe), "@-+"))
				m.targets[t] = r
			}
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if v := makeVariable().FindStringSubmatch(line); v != nil {
			if _, set := m.variables[v[1]]; !set {
				m.variables[v[1]] = strings.TrimSpace(v[2])
			}
			current = nil
			continue
		}
		t := makeTarget().FindStringSubmatch(line)
		if t == nil {
			if strings.TrimSpace(line) == "" {
				continue
			}
			current = nil
			continue
		}
		needs, inline, _ := strings.Cut(t[2], ";")
		needs, _, _ = strings.Cut(needs, "#")
		current = strings.Fields(t[1])
		for _, name := range current {
			r := m.targets[name]
			r.needs = append(r.needs, strings.Fields(needs)...)
			if inline = strings.TrimSpace(inline); inline != "" {
				r.lines = append(r.lines, inline)
			}
			m.targets[name] = r
			if m.first == "" && !strings.HasPrefix(name, ".") {
				m.first = name
			}
		}
	}
	return m
}

// fill replaces variables that are plain texts, and the functions that only join texts; what only Make can tell becomes nothing.
func (m makefile) fill(line string, given map[string]string, depth int) string {
	var out strings.Builder
	for {
		before, use, found := strings.Cut(line, "$")
		out.WriteString(before)
		if !found || use == "" {
			return out.String()
		}
		var inner string
		switch c := use[0]; c {
		case '(', '{':
			end := outside(use[1:], ")}")
			if end < 0 {
				return out.String()
			}
			inner, line = use[1:end+1], use[end+2:]
		case '$':
			out.WriteByte('$')
			line = use[1:]
			continue
		case '@':
			out.WriteString("$@")
			line = use[1:]
			continue
		default:
			inner, line = use[:1], use[1:]
		}
		if depth < deepest {
			out.WriteString(m.value(inner, given, depth+1))
		}
	}
}

// value is what $(inner) stands for.
func (m makefile) value(inner string, given map[string]string, depth int) string {
	if name, rest, ok := strings.Cut(inner, " "); ok {
		args := arguments(rest)
		switch {
		case name == "foreach" && len(args) == 3:
			var texts []string
			each := map[string]string{}
			maps.Copy(each, given)
			for word := range strings.FieldsSeq(m.fill(args[1], given, depth)) {
				each[strings.TrimSpace(args[0])] = word
				texts = append(texts, m.fill(args[2], each, depth))
			}
			return strings.Join(texts, " ")
		case (name == "addprefix" || name == "addsuffix") && len(args) == 2:
			words, part := strings.Fields(m.fill(args[1], given, depth)), m.fill(args[0], given, depth)
			for i, word := range words {
				if words[i] = part + word; name == "addsuffix" {
					words[i] = word + part
				}
			}
			return strings.Join(words, " ")
		case name == "strip" || name == "sort":
			return strings.Join(strings.Fields(m.fill(rest, given, depth)), " ")
		}
		return ""
	}
	if v, ok := given[inner]; ok {
		return v
	}
	switch inner {
	case "MAKE":
		return "make"
	case "CURDIR", "PWD":
		return "."
	}
	return m.fill(m.variables[inner], given, depth)
}

// outside is the place of the first of some characters that stands in no brackets, -1 for none.
func outside(text, chars string) int {
	deep := 0
	for i, c := range text {
		switch {
		case deep == 0 && strings.ContainsRune(chars, c):
			return i
		case c == '(' || c == '{':
			deep++
		case c == ')' || c == '}':
			deep--
		}
	}
	return -1
}

// arguments splits those of a function at its commas.
func arguments(text string) []string {
	var out []string
	for {
		comma := outside(text, ",")
		if comma < 0 {
			return append(out, text)
		}
		out, text = append(out, text[:comma]), text[comma+1:]
	}
}

// make follows the targets of a Makefile.
func (r *reader) make(argv []string, where at) {
	given := map[string]string{}
	var targets []string
	file := ""
	for i := 0; i < len(argv); i++ {
		a := argv[i]
		k, v, assigned := strings.Cut(a, "=")
		switch {
		case (a == "-C" || a == "--directory") && i+1 < len(argv):
			i++
			where.dir = path.Join(where.dir, argv[i])
		case (a == "-f" || a == "--file") && i+1 < len(argv):
			i++
			file = argv[i]
		case a == "-j":
			if i+1 < len(argv) && strings.Trim(argv[i+1], "0123456789") == "" {
				i++
			}
		case strings.HasPrefix(a, "-"):
		case assigned:
			given[k] = v
		default:
			targets = append(targets, a)
		}
	}
	for _, name := range []string{file, "GNUmakefile", "makefile", "Makefile"} {
		if name == "" || !r.files[path.Join(where.dir, name)] {
			continue
		}
		m := r.makefile(path.Join(where.dir, name))
		if len(targets) == 0 {
			targets = []string{m.first}
		}
		for _, t := range targets {
			known := len(r.out)
			r.rule(m, t, given, where.in(name+": "+t), map[string]bool{})
			if len(r.out) == known { // programs of the project itself
				r.made(t, t == m.first, argv, where)
			}
		}
		return
	}
	if where.dir != "." && !r.inCI {
		return
	}
	if len(targets) == 0 { // what a configuration has generated
		r.made("all", true, argv, where)
	}
	for _, t := range targets {
		r.made(t, false, argv, where)
	}
}

// made takes a call of Make as it is: by the names of its targets.
func (r *reader) made(target string, first bool, argv []string, where at) {
	if purpose := targetPurpose(target, first); purpose != "" {
		r.command(purpose, append([]string{"make"}, withoutDir(argv)...), where)
	}
}

// withoutDir takes -C DIR off: the command runs there.
func withoutDir(argv []string) []string {
	var out []string
	for i := 0; i < len(argv); i++ {
		if argv[i] == "-C" || argv[i] == "--directory" {
			i++
			continue
		}
		out = append(out, argv[i])
	}
	return out
}

// targetPurpose is what a target is for by its name.
func targetPurpose(name string, first bool) Purpose {
	switch {
	case name == "test" || name == "tests" || name == "check" || name == "distcheck":
		return Test
	case name == "lint":
		return Lint
	case name == "all" || name == "build" || first:
		return Build
	}
	return ""
}

func (r *reader) makefile(name string) makefile {
	m, ok := r.makefiles[name]
	if !ok {
		m = parseMakefile(r.text(name))
		r.makefiles[name] = m
	}
	return m
}

// target is one of the Makefile at the root.
func (r *reader) target(file, target string, where at) {
	if m := r.makefile(file); m.targets[target].lines == nil && m.targets[target].needs == nil {
		return
	}
	r.make([]string{target}, where)
}

func (r *reader) rule(m makefile, target string, given map[string]string, where at, seen map[string]bool) {
	t, ok := m.targets[target]
	if !ok || seen[target] || where.depth > deepest {
		return
	}
	seen[target] = true
	for _, need := range t.needs {
		for n := range strings.FieldsSeq(m.fill(need, given, 0)) {
			r.rule(m, n, given, where, seen)
		}
	}
	for _, line := range t.lines {
		r.shell(strings.ReplaceAll(m.fill(line, given, 0), "$@", target), where)
	}
}

var (
	justRecipe   = re.New(`^@?([\w-]+)((?:\s+[^:=]*)?):([^=].*|)$`)
	justVariable = re.New(`\{\{[^}]*\}\}`)
)

// just follows a recipe of a justfile.
func (r *reader) just(recipe string, where at) {
	if where.depth > deepest {
		return
	}
	for _, name := range []string{"justfile", "Justfile", ".justfile"} {
		text := r.text(path.Join(where.dir, name))
		if text == "" {
			continue
		}
		in := false
		for line := range strings.SplitSeq(text, "\n") {
			body := strings.TrimLeft(line, " \t")
			switch {
			case body == "" || strings.HasPrefix(body, "#") || strings.HasPrefix(body, "["):
			case len(body) < len(line):
				if in {
					r.shell(justVariable().ReplaceAllString(strings.TrimLeft(body, "@-"), ""), where.in(name+": "+recipe))
				}
			default:
				m := justRecipe().FindStringSubmatch(line)
				if in = m != nil && m[1] == recipe; in {
					for need := range strings.FieldsSeq(m[3]) {
						if need != recipe && !strings.ContainsAny(need, "()&") {
							inner := where
							inner.depth++
							r.just(need, inner)
						}
					}
				}
			}
		}
		return
	}
}

// taskStep is one of a task: a command, or another task.
type taskStep struct{ Task, Cmd string }

func (s *taskStep) UnmarshalYAML(n *yaml.Node) error {
	type fields taskStep
	if s.Cmd = n.Value; n.Kind == yaml.MappingNode {
		_ = n.Decode((*fields)(s)) // of what is none of these, such as defer, nothing is run
	}
	return nil
}

// taskfile follows a task of a Taskfile.
func (r *reader) taskfile(task string, where at) {
	if where.depth > deepest {
		return
	}
	for _, name := range []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"} {
		text := r.text(path.Join(where.dir, name))
		if text == "" {
			continue
		}
		var f struct {
			Tasks map[string]yaml.Node `yaml:"tasks"`
		}
		if yaml.Unmarshal([]byte(text), &f) != nil {
			return
		}
		node, ok := f.Tasks[task]
		if !ok {
			return
		}
		inner := where.in(name + ": " + task)
		var t struct {
			Cmd        string
			Cmds, Deps []taskStep
			Dir        string
		}
		switch node.Kind {
		case yaml.ScalarNode:
			t.Cmd = node.Value
		case yaml.SequenceNode:
			_ = node.Decode(&t.Cmds) // each of them is read, whatever it is
		default:
			if node.Decode(&t) != nil {
				return
			}
		}
		if t.Dir != "" && !strings.Contains(t.Dir, "{{") {
			inner.dir = path.Join(where.dir, t.Dir)
		}
		for _, dep := range t.Deps {
			r.taskfile(cmp.Or(dep.Task, dep.Cmd), inner)
		}
		for _, step := range append([]taskStep{{Cmd: t.Cmd}}, t.Cmds...) {
			if step.Task != "" {
				r.taskfile(step.Task, inner)
				continue
			}
			r.shell(justVariable().ReplaceAllString(step.Cmd, ""), inner)
		}
		return
	}
}
