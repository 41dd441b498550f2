package cli

import (
	"errors"
	"maps"
	"slices"
	"strings"

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
