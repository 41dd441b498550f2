package step

import (
	"cmp"
	"slices"
	"strings"
)

// The tiers of models. What they are is configured; a workflow asks for a tier, and only code decides for which.
const (
	Low    = "low"
	Medium = "medium"
	High   = "high"
)

// Tiers returns the names of the tiers.
func Tiers() []string { return []string{Low, Medium, High} }

// Scripted is the name of the agent that asks no model.
const Scripted = "scripted"

// AgentNames returns the agents that a seat can name.
func AgentNames() []string { return []string{"claude", "codex", "opencode", Scripted} }

// Roles returns the roles that turns have, in all workflows.
func Roles() []string {
	return []string{
		"analyst", "architect", "build", "build-fixer", "challenge", "code-reviewer", "confirm", "contracts", "critic", "describe", "design", "design-reviewer", "designer", "diagnose", "estimate",
		"executor", "feasibility", "fix", "green", "implement", "oracle", "plan", "proposal", "recheck", "red", "refactor", "reproduce", "requirements", "reviewer", "specify", "strength",
	}
}

// Seat is who does a turn: an agent, and its model; "" = its own default.
type Seat struct {
	Agent string `json:"agent"`
	Model string `json:"model,omitempty"`
}

// String is the seat as it is written: codex/gpt-6.1-sol, codex.
func (s Seat) String() string {
	if s.Model == "" {
		return s.Agent
	}
	return s.Agent + "/" + s.Model
}

// Seats say who does which role. Texts are seats (agent/model, agent, or model of the run's agent); in Roles they may be
// tiers as well.
type Seats struct {
	Run   Seat              // who does what nothing else is said of
	More  []string          // agents of the configuration, besides those of AgentNames
	Tiers map[string]string // seats of tiers; one that is missing is that of the run
	Roles map[string]string // tiers or seats of roles
}

// Of returns who does a turn of a role for which the workflow asks a tier, or a seat; "" = medium. A seat that is asked for
// holds, then what is said of the role, then the tier. A scripted run is scripted in all its turns.
func (s Seats) Of(role, asked string) Seat {
	if asked == "" || slices.Contains(Tiers(), asked) {
		asked = cmp.Or(s.Roles[role], asked, Medium)
	}
	if slices.Contains(Tiers(), asked) {
		asked = s.Tiers[asked]
	}
	seat := s.read(asked)
	if s.Run.Agent == Scripted {
		seat.Agent = Scripted
	}
	return seat
}

// read reads a seat. A text that begins with no agent is a model of the run's, whatever it looks like.
func (s Seats) read(text string) Seat {
	agent, model, _ := strings.Cut(text, "/")
	switch {
	case text == "", text == s.Run.Agent:
		return s.Run
	case slices.Contains(AgentNames(), agent), slices.Contains(s.More, agent):
		return Seat{Agent: agent, Model: model}
	}
	return Seat{Agent: s.Run.Agent, Model: text}
}

// Agents returns the agents that have a turn to do, that of the run first. more are seats besides those of roles and tiers.
func (s Seats) Agents(more ...string) []string {
	list := []string{s.Run.Agent}
	add := func(text string) {
		if a := s.Of("", text).Agent; !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	for _, role := range Roles() {
		add(s.Roles[role])
	}
	for _, tier := range Tiers() {
		add(tier)
	}
	for _, text := range more {
		add(text)
	}
	return list
}
