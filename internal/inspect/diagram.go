package inspect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Components draws the modules with their exports and who uses whom, as a Mermaid
// flowchart.
func (p *Project) Components() string {
	var b strings.Builder
	b.WriteString("flowchart TB\n")
	for _, dir := range p.dirs {
		id := diagramID(dir)
		fmt.Fprintf(&b, "  subgraph %s[%s]\n    direction LR\n", id, quoted(dir))
		for i, e := range p.docs[dir].Exports {
			fmt.Fprintf(&b, "    %s_e%d([%s])\n", id, i, quoted(e.Name))
		}
		if len(p.docs[dir].Exports) == 0 {
			fmt.Fprintf(&b, "    %s_none[ ]\n", id)
		}
		b.WriteString("  end\n")
	}
	for _, e := range p.Graph().Edges {
		if e.Type != "spec" || !e.Valid && p.docs[e.To] == nil {
			continue
		}
		if len(e.Symbols) > 0 {
			fmt.Fprintf(&b, "  %s -->|%s| %s\n", diagramID(e.From), quoted(strings.Join(e.Symbols, ", ")), diagramID(e.To))
		} else {
			fmt.Fprintf(&b, "  %s --> %s\n", diagramID(e.From), diagramID(e.To))
		}
	}
	return b.String()
}

// States draws the state machine of a document; false when it has none.
func States(d *spec.Document) (string, bool) {
	if len(d.Protocol.States)+len(d.Protocol.Transitions) == 0 {
		return "", false
	}
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	name := func(s string) string { return diagramID(s) }
	for _, s := range d.Protocol.States {
		fmt.Fprintf(&b, "  state %s as %s\n", quoted(s.Text), name(s.Text))
	}
	switch {
	case len(d.Protocol.States) > 0:
		fmt.Fprintf(&b, "  [*] --> %s\n", name(d.Protocol.States[0].Text))
	default:
		fmt.Fprintf(&b, "  [*] --> %s\n", name(d.Protocol.Transitions[0].From))
	}
	for _, t := range d.Protocol.Transitions {
		fmt.Fprintf(&b, "  %s --> %s : %s\n", name(t.From), name(t.To), strings.ReplaceAll(t.Trigger, ":", "#58;"))
	}
	return b.String(), true
}

// UseCases draws who does what: actors and use cases of the second schema, or one user and
// the behaviours.
func UseCases(d *spec.Document) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	if len(d.UseCases) == 0 {
		b.WriteString("  User((User))\n")
		for i, x := range d.Behaviors {
			fmt.Fprintf(&b, "  UC%d[%s]\n  User --> UC%d\n", i+1, quoted(x.Input+" → "+x.Output), i+1)
		}
		return b.String()
	}
	for _, a := range d.Actors {
		fmt.Fprintf(&b, "  %s((%s))\n", diagramID(a.Name), quoted(a.Name))
	}
	for _, u := range d.UseCases {
		fmt.Fprintf(&b, "  %s[%s]\n", diagramID(u.ID), quoted(u.Name))
	}
	for _, u := range d.UseCases {
		if u.Actor != "" {
			fmt.Fprintf(&b, "  %s --> %s\n", diagramID(u.Actor), diagramID(u.ID))
		}
		for _, i := range u.Includes {
			fmt.Fprintf(&b, "  %s -.include.-> %s\n", diagramID(u.ID), diagramID(i))
		}
		for _, e := range u.Extends {
			fmt.Fprintf(&b, "  %s -.extend.-> %s\n", diagramID(u.ID), diagramID(e))
		}
	}
	return b.String()
}

// diagramID is a name that Mermaid takes for one word. Different names give different ids.
func diagramID(name string) string {
	var b strings.Builder
	b.WriteString("n_")
	for _, r := range name {
		switch {
		case r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r == '/':
			b.WriteString("__")
		default:
			fmt.Fprintf(&b, "_%x_", r)
		}
	}
	return b.String()
}

// quoted is a text in Mermaid's quotes.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`"`, "#quot;", "\n", " ", "<", "&lt;", ">", "&gt;").Replace(s) + `"`
}

// ErrNoStates says that there is nothing to draw.
var ErrNoStates = errors.New("no Protocol section with states/transitions found")

// Diagram draws a kind of diagram: component for the project, state or usecase for the
// spec of a file. The error says what is missing; it is ErrNoStates where a spec has no states.
func (p *Project) Diagram(kind, file string) (string, error) {
	if kind == "component" {
		return p.Components(), nil
	}
	d := p.docs[strings.TrimSuffix(strings.TrimSuffix(file, specFile), "/")]
	if file == specFile {
		d = p.docs["."]
	}
	switch {
	case kind != "state" && kind != "usecase":
		return "", fmt.Errorf("--type %q: want usecase, state or component", kind)
	case file == "":
		return "", fmt.Errorf("--file is required for %s diagram", kind)
	case d == nil:
		return "", fmt.Errorf("cannot read file '%s'", file)
	case kind == "usecase":
		return UseCases(d.Document), nil
	}
	text, ok := States(d.Document)
	if !ok {
		return "", ErrNoStates
	}
	return text, nil
}
