package step

import "slices"

// PhaseUsage is what one phase took.
type PhaseUsage struct {
	Phase    string `json:"phase"`
	Sessions int    `json:"sessions"`
	Millis   int64  `json:"millis"`
	Usage    Usage  `json:"usage"`
}

// RoleUsage is what one role took of one agent with one model.
type RoleUsage struct {
	Seat

	Role  string `json:"role"`
	Calls int    `json:"calls"`
	Usage Usage  `json:"usage"`
}

// Turned is one turn of a role for an account.
func Turned(role string, out TurnOut) RoleUsage {
	return RoleUsage{Role: role, Seat: Seat{Agent: out.Agent, Model: out.Model}, Calls: 1, Usage: out.Usage}
}

// AddRole adds what a role took to a list, in which each role has one place for each seat.
func AddRole(list []RoleUsage, u RoleUsage) []RoleUsage {
	i := slices.IndexFunc(list, func(have RoleUsage) bool { return have.Role == u.Role && have.Seat == u.Seat })
	if i < 0 {
		return append(list, u)
	}
	list[i].Calls += u.Calls
	list[i].Usage = list[i].Usage.Add(u.Usage)
	return list
}

// Spent is what a run has spent: in all, by phase and by role.
type Spent struct {
	Sessions int          `json:"sessions"` // turns of agents
	Usage    Usage        `json:"usage"`
	Phases   []PhaseUsage `json:"phases,omitempty"`
	Roles    []RoleUsage  `json:"roles,omitempty"`

	phase string
	since int64
}

// Enter begins a phase at a time in milliseconds, and closes the account of the one before.
func (s *Spent) Enter(now int64, phase string) {
	if s.phase != "" {
		s.of(s.phase).Millis += now - s.since
	}
	s.phase, s.since = phase, now
	s.of(phase)
}

// Spend puts turns of roles on the account of the present phase, of the roles and of the run.
func (s *Spent) Spend(list ...RoleUsage) {
	for _, r := range list {
		if r.Calls == 0 {
			continue
		}
		p := s.of(s.phase)
		p.Sessions += r.Calls
		s.Sessions += r.Calls
		p.Usage, s.Usage = p.Usage.Add(r.Usage), s.Usage.Add(r.Usage)
		s.Roles = AddRole(s.Roles, r)
	}
}

func (s *Spent) of(phase string) *PhaseUsage {
	for i := range s.Phases {
		if s.Phases[i].Phase == phase {
			return &s.Phases[i]
		}
	}
	s.Phases = append(s.Phases, PhaseUsage{Phase: phase, Usage: Usage{Known: true}})
	return &s.Phases[len(s.Phases)-1]
}
