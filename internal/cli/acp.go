package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// acpConf is a program that speaks the Agent Client Protocol, as jacquard.yaml names it.
type acpConf struct {
	Command []string `yaml:"command"` // the program and its arguments; agent.ModelMark in them is the model of the turn
	Env     []string `yaml:"env"`     // names of the user's variables that it gets
}

var (
	acpName = re.New(`^[a-z][a-z0-9-]{0,30}$`)
	envName = re.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// moreAgents are the names of the agents of the configuration.
func (c config) moreAgents() []string { return slices.Sorted(maps.Keys(c.ACP)) }

// agentNames are all real agents, for messages.
func (c config) agentNames() string {
	var names []string
	for _, m := range makers() {
		names = append(names, m.name)
	}
	return strings.Join(append(names, c.moreAgents()...), ", ")
}

func (c config) checkACP() error {
	var errs []error
	for _, name := range c.moreAgents() {
		a := c.ACP[name]
		if !acpName().MatchString(name) || slices.Contains(step.AgentNames(), name) || slices.Contains(step.Tiers(), name) {
			errs = append(errs, usage("%s: acp: %q is not a valid agent name: use a-z, 0-9 and -, and none of %s", configFile, name, strings.Join(slices.Concat(step.AgentNames(), step.Tiers()), ", ")))
		}
		if len(a.Command) == 0 || a.Command[0] == "" {
			errs = append(errs, usage("%s: acp: %s has no command: add a list with the program and its arguments", configFile, name))
		}
		for _, v := range a.Env {
			if !envName().MatchString(v) {
				errs = append(errs, usage("%s: acp: %s: env %q: must be the name of an environment variable", configFile, name, v))
			}
		}
	}
	return errors.Join(errs...)
}

// asks is what a person has to allow before the program may run.
func (a acpConf) asks(name string) string {
	out := strings.Join(a.Command, " ")
	if len(a.Env) > 0 {
		out += " with your " + strings.Join(a.Env, ", ")
	}
	return out + " (the agent " + name + ", which connects to its model directly: the budget does not apply)"
}

// configured sets up an agent of the configuration. It has the user's own log-in, and the variables that it is allowed.
func (p *project) configured(name string, o driveOptions) (act.Agent, error) {
	c := p.conf.ACP[name]
	if o.scenario+o.mailbox+o.replay+o.record != "" {
		return act.Agent{}, usage("%s connects to its model directly: --scenario, --mailbox, --replay and --record work only with claude, codex and opencode", name)
	}
	argv := slices.Clone(c.Command)
	var err error
	if argv[0], err = p.installed(name); err != nil {
		return act.Agent{}, fail(flow.Environment, "%s is not installed: %q is not on PATH (acp in %s)", name, c.Command[0], configFile)
	}
	out := act.Agent{Program: agent.NewACP(name, argv), Home: p.a.env["HOME"], Network: true}
	out.Reads = confine.Program(argv[0], out.Home)
	for _, arg := range argv[1:] { // files that it is told of
		if info, err := os.Stat(arg); err == nil && filepath.IsAbs(arg) && info.Mode().IsRegular() {
			out.Reads = append(out.Reads, arg)
		}
	}
	for _, v := range c.Env {
		if value, ok := p.a.env[v]; ok {
			out.Env = append(out.Env, v+"="+value)
		}
	}
	fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ %s connects to its model directly: its cost is unknown, and the budget does not apply\n"), name)
	return out, nil
}

// installed is where the program of an agent of the configuration is. A path is one of the project, and never of the clone
// that an agent may have written.
func (p *project) installed(name string) (string, error) {
	program := p.conf.ACP[name].Command[0]
	if strings.ContainsRune(program, '/') && !filepath.IsAbs(program) {
		program = filepath.Join(p.root, filepath.FromSlash(program))
	}
	if filepath.IsAbs(program) {
		return proc.LookPath(filepath.Base(program), filepath.Dir(program))
	}
	return proc.LookPath(program, p.a.env["PATH"])
}
