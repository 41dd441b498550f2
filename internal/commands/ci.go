package commands

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// ci reads what the project's CI runs on Linux when somebody pushes: GitHub Actions, GitLab CI, CircleCI.
func (r *reader) ci() {
	r.inCI = true
	defer func() { r.inCI = false }()
	r.workflows()
	r.gitlab()
	r.circle()
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

// sortedJobs lists the jobs in the order in which the file has them.
func sortedJobs[J any](jobs map[string]J, text string) []string {
	out := slices.Sorted(maps.Keys(jobs))
	slices.SortStableFunc(out, func(a, b string) int {
		return strings.Index(text, "\n  "+a+":") - strings.Index(text, "\n  "+b+":")
	})
	return out
}

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
