package inspect

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// machine joins the states and transitions that there are with those of the specification.
func (g *merging) machine(m *SpecifiedModule) {
	if len(m.States)+len(m.Transitions)+len(g.gone) == 0 {
		return
	}
	g.undeclared(m)
	was := g.d.Protocol.Machines
	if len(was) == 0 {
		was = []spec.Machine{{States: g.d.Protocol.States, Transitions: g.d.Protocol.Transitions}}
	}
	parts := g.parts(m, was)
	var now AnalysisProtocol
	same := len(g.gone) == 0
	for i := range was {
		have := g.kept(&was[i])
		x := parts[i].machine(have)
		same = same && len(x.States) == len(have.States) && len(x.Transitions) == len(have.Transitions)
		if now.States = append(now.States, x.States...); len(was) > 1 {
			now.Machines = append(now.Machines, AnalysisMachine{Name: was[i].Name, States: x.States, transitions: x.Transitions})
		} else {
			now.Transitions = x.Transitions
		}
	}
	if same {
		return
	}
	for _, l := range g.d.Protocol.Lifecycle {
		l.Method = strings.TrimSuffix(l.Method, "()")
		now.Lifecycle = append(now.Lifecycle, l)
	}
	if !g.e.rewrite("Protocol", strings.Split(strings.TrimRight(protocolText(now), "\n"), "\n")) {
		g.refuse("the section Protocol is missing")
		return
	}
	if len(m.States)+len(m.Transitions) > 0 {
		g.note("states and transitions")
	}
	for _, s := range slices.Sorted(maps.Keys(g.gone)) {
		g.note("without state %s", s)
	}
}

// kept is what of a machine does not go.
func (g *merging) kept(m *spec.Machine) AnalysisProtocol {
	var have AnalysisProtocol
	for _, s := range m.States {
		if !g.gone[s.Text] {
			have.States = append(have.States, s.Text)
		}
	}
	for _, t := range m.Transitions {
		trigger, _, _ := strings.Cut(t.Trigger, "(")
		if !g.gone[t.From] && !g.gone[t.To] {
			have.Transitions = append(have.Transitions, AnalysisTransition{From: t.From, To: t.To, Trigger: trigger})
		}
	}
	return have
}

// parts are the states and transitions of a specification by the machine that they belong to: the one that has a state
// of theirs. What belongs to none or to several goes back.
func (g *merging) parts(m *SpecifiedModule, machines []spec.Machine) []SpecifiedModule {
	if len(machines) == 1 {
		return []SpecifiedModule{{States: m.States, Transitions: m.Transitions}}
	}
	out := make([]SpecifiedModule, len(machines))
	var names []string
	of := map[string][]int{}
	for i := range machines {
		names = append(names, cmp.Or(machines[i].Name, "the first"))
		for _, s := range machines[i].States {
			of[s.Text] = append(of[s.Text], i)
		}
		for _, t := range machines[i].Transitions { // a machine may have no list of its states
			for _, s := range []string{t.From, t.To} {
				if !slices.Contains(of[s], i) {
					of[s] = append(of[s], i)
				}
			}
		}
	}
	for left := slices.Clone(m.Transitions); len(left) > 0; { // a state that is new is known by one that has a place
		var next []AnalysisTransition
		for _, t := range left {
			from, to := oneLine(t.From), oneLine(t.To)
			at := of[from]
			if known := of[to]; len(at) == 0 {
				at = known
			} else if len(known) > 0 {
				at = slices.DeleteFunc(slices.Clone(at), func(i int) bool { return !slices.Contains(known, i) })
			}
			if len(at) != 1 {
				next = append(next, t)
				continue
			}
			for _, s := range []string{from, to} {
				if len(of[s]) == 0 {
					of[s] = at
				}
			}
			out[at[0]].Transitions = append(out[at[0]].Transitions, t)
		}
		if len(next) == len(left) {
			for _, t := range left {
				g.send(0, "the transition "+oneLine(t.From)+" + "+oneLine(t.Trigger)+" → "+oneLine(t.To)+" belongs to none of the machines "+strings.Join(names, ", "),
					"use states of one machine, and at least one that no other machine has")
			}
			break
		}
		left = next
	}
	for _, s := range m.States {
		switch at := of[oneLine(s)]; {
		case len(at) == 0:
			g.send(0, "the state "+oneLine(s)+" belongs to none of the machines "+strings.Join(names, ", "), "add a transition that connects it to a state of one of them")
		case len(at) == 1:
			out[at[0]].States = append(out[at[0]].States, s)
		}
	}
	return out
}

// undeclared sends back transitions of states that nobody has declared.
func (g *merging) undeclared(m *SpecifiedModule) {
	var known []string
	for _, s := range g.d.Protocol.States {
		if !g.gone[s.Text] {
			known = append(known, s.Text)
		}
	}
	for _, s := range m.States {
		known = append(known, oneLine(s))
	}
	if len(known) == 0 {
		return
	}
	for _, t := range m.Transitions {
		for _, s := range []string{oneLine(t.From), oneLine(t.To)} {
			if !slices.Contains(known, s) {
				g.send(0, "the transition "+oneLine(t.From)+" + "+oneLine(t.Trigger)+" → "+oneLine(t.To)+" uses "+s+", which is not a state", "use one of "+strings.Join(known, ", ")+", or add it to `states`")
			}
		}
	}
}

// protocolText is a state machine and a life cycle as a spec writes them; several machines stand apart, each under its
// name.
func protocolText(p AnalysisProtocol) string {
	var b strings.Builder
	states := func(list []string) { b.WriteString("States: `" + strings.Join(list, "` | `") + "`\n") }
	transitions := func(list []AnalysisTransition) {
		if len(list) > 0 {
			b.WriteString("\nTransitions:\n\n")
		}
		for _, t := range list {
			b.WriteString("- `" + t.From + "` + `" + t.Trigger + "()` → `" + t.To + "`\n")
		}
	}
	left := p.Transitions
	if len(p.States)+len(p.Machines) > 0 {
		b.WriteString("### State Machine\n\n")
	}
	if len(p.Machines) < 2 && len(p.States) > 0 {
		states(p.States)
	}
	for i, m := range p.Machines {
		if i > 0 {
			b.WriteString("\n")
		}
		if m.Name != "" {
			b.WriteString("#### " + m.Name + "\n\n")
		}
		if len(m.States) > 0 {
			states(m.States)
		}
		own, others := slices.Clone(m.transitions), []AnalysisTransition(nil)
		for _, t := range left {
			if slices.Contains(m.States, t.From) && slices.Contains(m.States, t.To) {
				own = append(own, t)
			} else {
				others = append(others, t)
			}
		}
		transitions(own)
		left = others
	}
	transitions(left)
	if len(p.Lifecycle) > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString("### Lifecycle\n\n")
		for i, l := range p.Lifecycle {
			text := ""
			if l.Description != "" {
				text = " - " + l.Description
			}
			b.WriteString(strconv.Itoa(i+1) + ". `" + l.Method + "()`" + text + "\n")
		}
	}
	return b.String()
}
