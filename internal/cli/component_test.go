package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"
)

// component is what a component of GitLab's CI can have that ours uses: what it has besides is a mistake.
type component struct {
	Spec struct {
		Inputs map[string]struct {
			Description, Type string
			Default           any
		}
	}
	Prove struct {
		Stage     string
		Rules     []map[string]string
		Variables map[string]string
		Script    []string
		Artifacts struct {
			When     string
			ExposeAs string `yaml:"expose_as"`
			Paths    []string
			Reports  map[string]string
		}
	} `yaml:"jacquard-prove"`
}

var inputOf = regexp.MustCompile(`\$\[\[ inputs\.(\w+) \]\]`)

// gitlabJob writes the script of a component's job as GitLab runs it, and sets its variables: gitlabJob FILE SCRIPT [INPUT=VALUE].
func gitlabJob(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: gitlabJob FILE SCRIPT [INPUT=VALUE]")
	}
	raw, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	header, job, ok := strings.Cut(string(raw), "\n---\n")
	if !ok {
		ts.Fatalf("%s has no header", args[0])
	}
	var c component
	read := func(text string) {
		d := yaml.NewDecoder(bytes.NewReader([]byte(text)))
		d.KnownFields(true)
		ts.Check(d.Decode(&c))
	}
	read(header)
	given, used := map[string]string{}, map[string]bool{}
	for _, a := range args[2:] {
		k, v, _ := strings.Cut(a, "=")
		given[k] = v
	}
	job = inputOf.ReplaceAllStringFunc(job, func(m string) string {
		name := inputOf.FindStringSubmatch(m)[1]
		in, ok := c.Spec.Inputs[name]
		if !ok || in.Description == "" && in.Default == nil {
			ts.Fatalf("%s is no input", name)
		}
		used[name] = true
		if v, ok := given[name]; ok {
			return v
		}
		return fmt.Sprint(in.Default)
	})
	if len(used) != len(c.Spec.Inputs) {
		ts.Fatalf("of the inputs %v only %v are used", c.Spec.Inputs, used)
	}
	read(job)
	for k, v := range c.Prove.Variables {
		ts.Setenv(k, v)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(c.Prove.Script, "\n")), 0o644))
}
