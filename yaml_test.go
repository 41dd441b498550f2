package jacquard_test

import (
	"errors"
	"io"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestYAML: each YAML file of the repository can be read. A service that cannot read its file says so only after a release, or not
// at all.
func TestYAML(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--", "*.yml", "*.yaml").Output()
	if err != nil {
		t.Skipf("the files are not in a repository: %v", err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	if !slices.Contains(files, "action.yml") {
		t.Errorf("action.yml is not among %v", files)
	}
	for _, file := range files {
		d := yaml.NewDecoder(strings.NewReader(read(t, file)))
		for {
			var document any
			if err := d.Decode(&document); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v", file, err)
				break
			}
		}
	}
}

// action is an action of GitHub, with the keys that ours uses.
type action struct {
	Name, Author, Description string
	Branding                  struct{ Icon, Color string }
	Inputs                    map[string]struct{ Description, Default string }
	Outputs                   map[string]struct{ Description, Value string }
	Runs                      struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID, If, Shell, Run string
	Dir                string `yaml:"working-directory"`
	Env                map[string]string
}

var (
	inputName    = regexp.MustCompile(`\binputs\.([\w-]+)`)
	stepName     = regexp.MustCompile(`\bsteps\.([\w-]+)\.`)
	variableName = regexp.MustCompile(`\$\{?([A-Z][A-Z0-9_]+)`)
	actionScript = regexp.MustCompile(`^sh "\$GITHUB_ACTION_PATH/(\S+)"$`)
)

// givenByRunner are variables of the scripts that no input has: those of the runner and its machine, one that a workflow may set, and one for tests.
var givenByRunner = regexp.MustCompile(`^(GITHUB_\w+|RUNNER_\w+|PATH|KUBERNETES_SERVICE_HOST|JACQUARD_SANDBOX|JACQUARD_RELEASES)$`)

// TestAction: action.yml has the form that GitHub wants of a composite action, declares the inputs that it uses, and gives its
// scripts the variables that they read, and no others.
func TestAction(t *testing.T) {
	t.Parallel()
	text := read(t, "action.yml")
	var a action
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Errorf("name %q, description %q, using %q, %d steps: want a composite action", a.Name, a.Description, a.Runs.Using, len(a.Runs.Steps))
	}
	used := map[string]bool{}
	for _, m := range inputName.FindAllStringSubmatch(text, -1) {
		if used[m[1]] = true; a.Inputs[m[1]].Description == "" {
			t.Errorf("the input %s is used, and not declared with a description", m[1])
		}
	}
	for name := range a.Inputs {
		if !used[name] {
			t.Errorf("the input %s is declared, and nothing uses it", name)
		}
	}
	for _, m := range stepName.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(a.Runs.Steps, func(s actionStep) bool { return s.ID == m[1] }) {
			t.Errorf("no step has the id %s", m[1])
		}
	}
	for _, s := range a.Runs.Steps {
		checkActionStep(t, s)
	}
}

func checkActionStep(t *testing.T, s actionStep) {
	t.Helper()
	m := actionScript.FindStringSubmatch(s.Run)
	if s.Shell == "" || m == nil {
		t.Errorf("step %q: shell %q, run %q: want both, and a script of the action", s.ID, s.Shell, s.Run)
		return
	}
	reads := map[string]bool{}
	for _, v := range variableName.FindAllStringSubmatch(read(t, path.Clean(m[1])), -1) {
		if reads[v[1]] = true; s.Env[v[1]] == "" && !givenByRunner.MatchString(v[1]) {
			t.Errorf("%s reads %s, and action.yml does not set it", m[1], v[1])
		}
	}
	for name := range s.Env {
		if !reads[name] {
			t.Errorf("action.yml sets %s, and %s does not read it", name, m[1])
		}
	}
}
