package commands

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/re"
)

// ofPart reports whether a workflow runs only when something in one folder changes: it says how that part is checked, not the project.
func ofPart(on *yaml.Node) bool {
	var events map[string]yaml.Node
	if on.Decode(&events) != nil {
		return false
	}
	folder, found := "", false
	for _, event := range []string{"push", "pull_request"} {
		n, ok := events[event]
		if !ok {
			continue
		}
		found = true
		var limits struct {
			Paths []string `yaml:"paths"`
		}
		if n.Decode(&limits) != nil || len(limits.Paths) == 0 || slices.ContainsFunc(limits.Paths, func(p string) bool {
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

type githubRun struct {
	Run struct {
		Dir   string `yaml:"working-directory"`
		Shell string `yaml:"shell"`
	} `yaml:"run"`
}

type githubWorkflow struct {
	On       yaml.Node            `yaml:"on"`
	Env      scalars              `yaml:"env"`
	Defaults githubRun            `yaml:"defaults"`
	Jobs     map[string]githubJob `yaml:"jobs"`
}

type githubJob struct {
	Name     string    `yaml:"name"`
	RunsOn   yaml.Node `yaml:"runs-on"`
	If       string    `yaml:"if"`
	Env      scalars   `yaml:"env"`
	Defaults githubRun `yaml:"defaults"`
	Uses     string    `yaml:"uses"`
	With     scalars   `yaml:"with"`
	Strategy struct {
		Matrix yaml.Node `yaml:"matrix"`
	} `yaml:"strategy"`
	Steps []githubStep `yaml:"steps"`
}

type githubStep struct {
	Name  string  `yaml:"name"`
	Uses  string  `yaml:"uses"`
	Run   string  `yaml:"run"`
	If    string  `yaml:"if"`
	Dir   string  `yaml:"working-directory"`
	Shell string  `yaml:"shell"`
	Env   scalars `yaml:"env"`
	With  scalars `yaml:"with"`
}

// githubInputs are those that an action or a workflow declares.
type githubInputs map[string]struct {
	Default yaml.Node `yaml:"default"`
}

// given are the inputs by the names that expressions have for them: what the caller gives, else their presets.
func (declared githubInputs) given(with scalars, values, env map[string]string) map[string]string {
	out := map[string]string{}
	for name, input := range declared {
		out["inputs."+name] = input.Default.Value
	}
	for name, v := range with {
		out["inputs."+name] = fill(v, values, env)
	}
	return out
}

// githubAt is where steps run.
type githubAt struct {
	values     map[string]string // of expressions
	env        map[string]string
	dir, shell string // of a step that names none
	root       string // of the project in the folder that the job runs in
	from       string
	within     []string // the workflows and actions that use this one
}

// deepestUse is how many workflows and actions of the project may use each other; none uses itself.
const deepestUse = 4

// inside is where the steps of a file are that this one uses; false where that goes too deep.
func (j githubAt) inside(file string) (githubAt, bool) {
	in := githubAt{root: ".", from: j.from + " → " + file, within: append(slices.Clone(j.within), file)}
	return in, len(j.within) < deepestUse && !slices.Contains(j.within, file)
}

// workflows reads those of GitHub Actions that run for a push or a pull request, and those that other workflows can call and none of these does.
func (r *reader) workflows() {
	files, rank, called := map[string]githubWorkflow{}, map[string]int{}, map[string]bool{}
	for f := range maps.Keys(r.files) {
		if ok, err := path.Match(".github/workflows/*.y*ml", f); err != nil || !ok {
			continue
		}
		w, ok := r.workflow(f)
		if !ok || !triggered(&w.On, "push", "pull_request", "merge_group", "workflow_call") {
			continue
		}
		files[f] = w
		for _, j := range w.Jobs {
			called[path.Clean(j.Uses)] = true
		}
		if rank[f] = rankOf(f); ofPart(&w.On) {
			rank[f] += 3
		}
	}
	for _, f := range slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		if rank[a] != rank[b] {
			return rank[a] - rank[b]
		}
		return strings.Compare(a, b)
	}) {
		if w := files[f]; !called[f] || triggered(&w.On, "push", "pull_request", "merge_group") {
			r.github(f, w, githubAt{from: f, within: []string{f}})
		}
	}
}

func (r *reader) workflow(file string) (w githubWorkflow, ok bool) {
	return w, yaml.Unmarshal([]byte(r.text(file)), &w) == nil
}

// github reads the jobs of a workflow. Those that another workflow of the project stands for are its jobs.
func (r *reader) github(file string, w githubWorkflow, in githubAt) {
	for _, name := range sortedJobs(w.Jobs, r.text(file)) {
		j := w.Jobs[name]
		if never(j.If) {
			continue
		}
		for _, values := range matrix(&j.Strategy.Matrix) {
			maps.Copy(values, in.values)
			if elsewhere(&j.RunsOn, values) {
				continue
			}
			job := githubAt{
				values: values, env: merged(w.Env, j.Env), root: ".", from: in.from + ": " + name, within: in.within,
				dir: cmp.Or(j.Defaults.Run.Dir, w.Defaults.Run.Dir), shell: cmp.Or(j.Defaults.Run.Shell, w.Defaults.Run.Shell),
			}
			if local, is := strings.CutPrefix(j.Uses, "./"); is {
				r.called(path.Clean(local), j.With, job)
				continue
			}
			r.line++
			r.steps(j.Steps, job)
		}
	}
}

// called reads the workflow of the project that a job calls.
func (r *reader) called(file string, with scalars, job githubAt) {
	w, ok := r.workflow(file)
	in, fits := job.inside(file)
	if !ok || !fits {
		return
	}
	var on struct {
		Call struct {
			Inputs githubInputs `yaml:"inputs"`
		} `yaml:"workflow_call"`
	}
	_ = w.On.Decode(&on) // what declares none has none
	in.values = on.Call.Inputs.given(with, job.values, job.env)
	r.github(file, w, in)
}

// steps reads those of a job, or of an action of the project.
func (r *reader) steps(list []githubStep, j githubAt) {
	inRoot := func(dir string) string {
		if below, is := strings.CutPrefix(path.Clean(dir)+"/", j.root+"/"); is {
			return path.Clean(below)
		}
		return path.Clean(dir)
	}
	for _, s := range list {
		if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["repository"] == "" {
			j.root = path.Clean(fill(s.With["path"], j.values, j.env))
		}
		where := at{dir: inRoot(fill(cmp.Or(s.Dir, j.dir, "."), j.values, j.env)), env: map[string]string{}, from: j.from}
		for k, v := range merged(j.env, s.Env) {
			where.env[k] = fill(v, j.values, j.env)
		}
		inner := maps.Clone(where.env)
		maps.DeleteFunc(where.env, func(k, v string) bool { return secret(k) || v == "" || strings.Contains(v, unknown) })
		switch {
		case never(s.If):
		case strings.HasPrefix(s.Uses, "golangci/golangci-lint-action"):
			if d := s.With["working-directory"]; d != "" {
				where.dir = path.Clean(fill(d, j.values, j.env))
			}
			where.from += ": golangci-lint-action"
			r.shell("golangci-lint run "+fill(s.With["args"], j.values, j.env), where)
		case strings.HasPrefix(s.Uses, "pre-commit/action"), strings.HasPrefix(s.Uses, "j178/prek-action"):
			r.preCommit(where)
		case strings.HasPrefix(s.Uses, "conda-incubator/setup-miniconda"), strings.HasPrefix(s.Uses, "mamba-org/"):
			if file := fill(s.With["environment-file"], j.values, j.env); file != "" && !strings.Contains(file, unknown) {
				r.command(Install, []string{"conda", "env", "create", "-f", file}, where)
			}
		case strings.HasPrefix(s.Uses, "./"):
			r.action(inRoot(s.Uses), s.With, inner, j)
		case s.Run != "" && !strings.Contains(cmp.Or(s.Shell, j.shell), "pwsh") && s.Shell != "cmd" && s.Shell != "python":
			r.shell(fill(s.Run, j.values, j.env), where)
		}
	}
}

// action reads the steps of one of the project's own, which is of them alone.
func (r *reader) action(dir string, with scalars, env map[string]string, j githubAt) {
	for _, name := range []string{"action.yml", "action.yaml"} {
		file := path.Join(dir, name)
		in, fits := j.inside(file)
		var a struct {
			Inputs githubInputs `yaml:"inputs"`
			Runs   struct {
				Steps []githubStep `yaml:"steps"`
			} `yaml:"runs"`
		}
		if yaml.Unmarshal([]byte(r.text(file)), &a) != nil || !fits {
			continue
		}
		in.values, in.env, in.root = maps.Clone(j.values), env, j.root
		maps.DeleteFunc(in.values, func(k, _ string) bool { return strings.HasPrefix(k, "inputs.") })
		maps.Copy(in.values, a.Inputs.given(with, j.values, j.env))
		in.values["github.action_path"] = "./" + dir
		r.steps(a.Runs.Steps, in)
	}
}

// triggered reports whether a workflow runs for some of these events, of pushes for those that are not of tags alone.
func triggered(on *yaml.Node, events ...string) bool {
	is := func(s string) bool { return slices.Contains(events, s) }
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
		if v := values[strings.TrimSpace(strings.Split(name, "||")[0])]; v != "" {
			return v
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
