package commands

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/re"
)

// ci reads what the project's CI runs on Linux when somebody pushes: GitHub Actions, GitLab CI, CircleCI.
func (r *reader) ci() {
	r.inCI = true
	defer func() { r.inCI = false }()
	var workflows []string
	for f := range maps.Keys(r.files) {
		if ok, err := path.Match(".github/workflows/*.y*ml", f); err == nil && ok {
			workflows = append(workflows, f)
		}
	}
	rank := map[string]int{}
	for _, f := range workflows {
		if rank[f] = rankOf(f); ofPart(r.text(f)) {
			rank[f] += 3
		}
	}
	slices.SortFunc(workflows, func(a, b string) int {
		if rank[a] != rank[b] {
			return rank[a] - rank[b]
		}
		return strings.Compare(a, b)
	})
	for _, f := range workflows {
		r.github(f)
	}
	r.gitlab()
	r.circle()
}

// ofPart reports whether a workflow runs only when something in one folder changes: it says how that part is checked, not the project.
func ofPart(text string) bool {
	var w struct {
		On map[string]yaml.Node `yaml:"on"`
	}
	if yaml.Unmarshal([]byte(text), &w) != nil {
		return false
	}
	folder, found := "", false
	for _, event := range []string{"push", "pull_request"} {
		n, ok := w.On[event]
		if !ok {
			continue
		}
		found = true
		var on struct {
			Paths []string `yaml:"paths"`
		}
		if n.Decode(&on) != nil || len(on.Paths) == 0 || slices.ContainsFunc(on.Paths, func(p string) bool {
			if strings.HasPrefix(p, ".github/") { // the workflow itself
				return false
			}
			first, _, inFolder := strings.Cut(strings.TrimPrefix(p, "!"), "/")
			folder = cmp.Or(folder, first)
			return !inFolder || first != folder || strings.Contains(first, "*") // as "**.go" and "go.mod"
		}) {
			return false
		}
	}
	return found
}

// rankOf puts the workflows that are named for tests before the others.
func rankOf(file string) int {
	name := strings.ToLower(path.Base(file))
	for i, words := range [][]string{{"test", "ci."}, {"ci", "build", "check", "main", "go", "python", "node", "rust"}} {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) }) {
			return i
		}
	}
	return 2
}

// scalars is a map whose values are texts; others count as empty.
type scalars map[string]string

func (s *scalars) UnmarshalYAML(n *yaml.Node) error {
	*s = scalars{}
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i+1].Kind == yaml.ScalarNode {
			(*s)[n.Content[i].Value] = n.Content[i+1].Value
		}
	}
	return nil
}

// merged are variables, of which the later ones win.
func merged(list ...scalars) map[string]string {
	out := map[string]string{}
	for _, m := range list {
		maps.Copy(out, m)
	}
	return out
}

// visible are merged variables without those that no check may see.
func visible(list ...scalars) map[string]string {
	out := merged(list...)
	maps.DeleteFunc(out, func(k, _ string) bool { return secret(k) })
	return out
}

type githubRun struct {
	Run struct {
		Dir   string `yaml:"working-directory"`
		Shell string `yaml:"shell"`
	} `yaml:"run"`
}

type githubJob struct {
	Name     string    `yaml:"name"`
	RunsOn   yaml.Node `yaml:"runs-on"`
	If       string    `yaml:"if"`
	Env      scalars   `yaml:"env"`
	Defaults githubRun `yaml:"defaults"`
	Uses     string    `yaml:"uses"`
	Strategy struct {
		Matrix yaml.Node `yaml:"matrix"`
	} `yaml:"strategy"`
	Steps []struct {
		Name  string  `yaml:"name"`
		Uses  string  `yaml:"uses"`
		Run   string  `yaml:"run"`
		If    string  `yaml:"if"`
		Dir   string  `yaml:"working-directory"`
		Shell string  `yaml:"shell"`
		Env   scalars `yaml:"env"`
		With  scalars `yaml:"with"`
	} `yaml:"steps"`
}

func (r *reader) github(file string) {
	var w struct {
		On       yaml.Node            `yaml:"on"`
		Env      scalars              `yaml:"env"`
		Defaults githubRun            `yaml:"defaults"`
		Jobs     map[string]githubJob `yaml:"jobs"`
	}
	if yaml.Unmarshal([]byte(r.text(file)), &w) != nil || !pushed(&w.On) {
		return
	}
	for _, name := range sortedJobs(w.Jobs, r.text(file)) {
		j := w.Jobs[name]
		if never(j.If) {
			continue
		}
		for _, values := range matrix(&j.Strategy.Matrix) {
			if elsewhere(&j.RunsOn, values) {
				continue
			}
			r.line++
			env := merged(w.Env, j.Env)
			root := "." // of the project
			for _, s := range j.Steps {
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["repository"] == "" {
					root = path.Clean(fill(s.With["path"], values, env))
				}
				dir := path.Clean(fill(cmp.Or(s.Dir, j.Defaults.Run.Dir, w.Defaults.Run.Dir, "."), values, env))
				if below, is := strings.CutPrefix(dir+"/", root+"/"); is {
					dir = path.Clean(below)
				}
				where := at{dir: dir, env: map[string]string{}, from: file + ": " + name}
				for k, v := range merged(env, s.Env) {
					where.env[k] = fill(v, values, env)
				}
				maps.DeleteFunc(where.env, func(k, v string) bool { return secret(k) || v == "" || strings.Contains(v, unknown) })
				switch {
				case never(s.If):
				case strings.HasPrefix(s.Uses, "golangci/golangci-lint-action"):
					if d := s.With["working-directory"]; d != "" {
						where.dir = path.Clean(fill(d, values, env))
					}
					where.from += ": golangci-lint-action"
					r.shell("golangci-lint run "+fill(s.With["args"], values, env), where)
				case strings.HasPrefix(s.Uses, "pre-commit/action"), strings.HasPrefix(s.Uses, "j178/prek-action"):
					r.preCommit(where)
				case s.Run != "" && !strings.Contains(cmp.Or(s.Shell, j.Defaults.Run.Shell, w.Defaults.Run.Shell), "pwsh") && s.Shell != "cmd" && s.Shell != "python":
					r.shell(fill(s.Run, values, env), where)
				}
			}
		}
	}
}

// secret reports whether a variable is of no use to a check, or must not reach it.
func secret(name string) bool {
	switch name {
	case "PATH", "HOME", "SHELL", "GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE": // places of that machine
		return true
	}
	for _, w := range []string{"TOKEN", "SECRET", "PASSWORD", "_KEY", "CODECOV", "GITHUB_", "COVERALLS", "LD_", "DYLD_"} {
		if strings.Contains(strings.ToUpper(name), w) {
			return true
		}
	}
	return false
}

// pushed reports whether a workflow runs for a push or a pull request.
func pushed(on *yaml.Node) bool {
	is := func(s string) bool {
		return s == "push" || s == "pull_request" || s == "merge_group" || s == "workflow_call"
	}
	if on.Kind != yaml.MappingNode {
		return is(on.Value) || slices.ContainsFunc(on.Content, func(n *yaml.Node) bool { return is(n.Value) })
	}
	for i := 0; i+1 < len(on.Content); i += 2 {
		name, v := on.Content[i].Value, on.Content[i+1]
		tags := v.Kind == yaml.MappingNode && len(v.Content) == 2 && v.Content[0].Value == "tags"
		if is(name) && !tags {
			return true
		}
	}
	return false
}

// sortedJobs lists the jobs in the order in which the file has them.
func sortedJobs[J any](jobs map[string]J, text string) []string {
	out := slices.Sorted(maps.Keys(jobs))
	slices.SortStableFunc(out, func(a, b string) int {
		return strings.Index(text, "\n  "+a+":") - strings.Index(text, "\n  "+b+":")
	})
	return out
}

// never reports whether a condition keeps a step from a usual run on Linux.
func never(cond string) bool {
	c := strings.ToLower(strings.Join(strings.Fields(cond), " "))
	if c == "" {
		return false
	}
	for _, w := range []string{"failure()", "cancelled()", "startswith(github.ref, 'refs/tags", "schedule", "workflow_dispatch", "release'", "secrets."} {
		if strings.Contains(c, w) && !strings.Contains(c, "!=") {
			return true
		}
	}
	for _, w := range []string{"windows", "macos", "mac'"} {
		if strings.Contains(c, w) && strings.Contains(c, "==") || strings.Contains(c, "contains(") && strings.Contains(c, w) && !strings.Contains(c, "!contains") {
			return true
		}
	}
	return c == "false" || c == "${{ false }}"
}

// elsewhere reports whether a job runs on another system than Linux.
func elsewhere(on *yaml.Node, values map[string]string) bool {
	text := on.Value
	for _, n := range on.Content {
		text += " " + n.Value
	}
	text = strings.ToLower(fill(text, values, nil))
	return strings.Contains(text, "windows") || strings.Contains(text, "macos")
}

// mostPlaces is how many combinations of a matrix are looked at; jobs differ in what they run in few values.
const mostPlaces = 12

// matrix gives the values of a job's matrix: the first of each list, that of Linux for systems; then one for each further value
// of a list of names (environments of tox, tasks), and for each entry of include.
func matrix(n *yaml.Node) []map[string]string {
	base := map[string]string{}
	type list struct {
		name   string
		values []map[string]string
	}
	var lists []list
	var include []*yaml.Node
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			name, v := n.Content[i].Value, n.Content[i+1]
			if v.Kind != yaml.SequenceNode || name == "exclude" {
				continue
			}
			if name == "include" {
				include = v.Content
				continue
			}
			l := list{name: name}
			for _, c := range v.Content {
				l.values = append(l.values, flat("matrix."+name, c))
			}
			slices.SortStableFunc(l.values, func(a, b map[string]string) int { return notLinux(a) - notLinux(b) })
			if len(l.values) > 0 {
				maps.Copy(base, l.values[0])
				lists = append(lists, l)
			}
		}
	}
	var out []map[string]string
	if len(base) > 0 || len(include) == 0 {
		out = append(out, base)
	}
	add := func(more map[string]string) {
		m := maps.Clone(base)
		maps.Copy(m, more)
		if notLinux(m) == 0 && len(out) < mostPlaces {
			out = append(out, m)
		}
	}
	for _, c := range include {
		more := map[string]string{}
		if c.Kind == yaml.MappingNode {
			for i := 0; i+1 < len(c.Content); i += 2 {
				maps.Copy(more, flat("matrix."+c.Content[i].Value, c.Content[i+1]))
			}
		}
		add(more)
	}
	for _, l := range lists {
		for _, v := range l.values[min(1, len(l.values)):] {
			add(v)
		}
	}
	return out
}

// flat names the values in a node.
func flat(name string, n *yaml.Node) map[string]string {
	out := map[string]string{}
	if n.Kind == yaml.ScalarNode {
		out[name] = n.Value
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			maps.Copy(out, flat(name+"."+n.Content[i].Value, n.Content[i+1]))
		}
	}
	return out
}

func notLinux(values map[string]string) int {
	for _, v := range values {
		if v = strings.ToLower(v); strings.HasPrefix(v, "windows") || strings.HasPrefix(v, "macos") {
			return 1
		}
	}
	return 0
}

var expression = re.New(`\$\{\{\s*(.*?)\s*\}\}`)

// fill replaces the expressions whose value can be told.
func fill(text string, values, env map[string]string) string {
	return expression().ReplaceAllStringFunc(text, func(e string) string {
		name := expression().FindStringSubmatch(e)[1]
		if v, ok := values[name]; ok {
			return v
		}
		if v, ok := strings.CutPrefix(name, "env."); ok {
			if strings.Contains(env[v], "${{") {
				return unknown
			}
			return env[v]
		}
		if name == "github.workspace" {
			return "."
		}
		if i := strings.LastIndex(name, "||"); i >= 0 { // the preset of an input
			if preset := strings.TrimSpace(name[i+2:]); len(preset) > 1 && preset[0] == '\'' {
				return strings.Trim(preset, "'")
			}
		}
		return unknown
	})
}

// unknown stands for a value that only CI can tell.
const unknown = "__UNKNOWN__"

// gitlabJob is a job of GitLab CI; what stands at the top of the file holds for all.
type gitlabJob struct {
	Before    lines   `yaml:"before_script"`
	Script    lines   `yaml:"script"`
	Variables scalars `yaml:"variables"`
	Extends   lines   `yaml:"extends"`
}

// gitlab reads the scripts of .gitlab-ci.yml.
func (r *reader) gitlab() {
	const file = ".gitlab-ci.yml"
	var doc map[string]yaml.Node
	if yaml.Unmarshal([]byte(r.text(file)), &doc) != nil {
		return
	}
	var top gitlabJob
	_ = yaml.Unmarshal([]byte(r.text(file)), &top) // what is not there is empty
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		node := doc[name]
		var j gitlabJob
		if strings.HasPrefix(name, ".") || node.Decode(&j) != nil || len(j.Script) == 0 {
			continue
		}
		for _, e := range j.Extends {
			var parent gitlabJob
			if n, ok := doc[e]; ok && n.Decode(&parent) == nil && len(j.Before) == 0 {
				j.Before = parent.Before
			}
		}
		if len(j.Before) == 0 {
			j.Before = top.Before
		}
		r.line++
		env := visible(top.Variables, j.Variables)
		r.shell(strings.Join(append(slices.Clone(j.Before), j.Script...), "\n"), at{dir: ".", env: env, from: file + ": " + name})
	}
}

// lines is a text or a list of texts, nested as anchors make them.
type lines []string

func (l *lines) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return l.UnmarshalYAML(n.Alias)
	}
	if n.Kind == yaml.ScalarNode {
		*l = append(*l, n.Value)
		return nil
	}
	for _, c := range n.Content {
		if err := l.UnmarshalYAML(c); err != nil {
			return fmt.Errorf("line %d: %w", c.Line, err)
		}
	}
	return nil
}

// circle reads the run steps of CircleCI's jobs.
func (r *reader) circle() {
	const file = ".circleci/config.yml"
	var w struct {
		Jobs map[string]struct {
			Dir   string      `yaml:"working_directory"`
			Env   scalars     `yaml:"environment"`
			Steps []yaml.Node `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if yaml.Unmarshal([]byte(r.text(file)), &w) != nil {
		return
	}
	for _, name := range sortedJobs(w.Jobs, r.text(file)) {
		j := w.Jobs[name]
		r.line++
		for _, s := range j.Steps {
			var step struct {
				Run yaml.Node `yaml:"run"`
			}
			if s.Decode(&step) != nil {
				continue
			}
			var run struct {
				Command string `yaml:"command"`
				Dir     string `yaml:"working_directory"`
			}
			if step.Run.Kind == yaml.ScalarNode {
				run.Command = step.Run.Value
			} else if step.Run.Decode(&run) != nil {
				continue
			}
			dir := strings.TrimPrefix(cmp.Or(run.Dir, "."), "~/project")
			if path.IsAbs(dir) || strings.HasPrefix(dir, "~") {
				dir = "."
			}
			r.shell(run.Command, at{dir: path.Clean("./" + dir), env: visible(j.Env), from: file + ": " + name})
		}
	}
}
