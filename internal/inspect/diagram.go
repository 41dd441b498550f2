package inspect

import (
	"errors"
	"fmt"
	"path"
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

// States draws the state machines of a document, each by itself; none when it has none.
func States(d *spec.Document) []Drawing {
	machines := d.Protocol.Machines
	if len(machines) == 0 {
		machines = []spec.Machine{{States: d.Protocol.States, Transitions: d.Protocol.Transitions}}
	}
	var out []Drawing
	for _, m := range machines {
		if len(m.States)+len(m.Transitions) > 0 {
			out = append(out, Drawing{m.Name, stateDiagram(m)})
		}
	}
	return out
}

func stateDiagram(m spec.Machine) string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	for _, s := range m.States {
		fmt.Fprintf(&b, "  state %s as %s\n", quoted(s.Text), diagramID(s.Text))
	}
	var first string
	if len(m.States) > 0 {
		first = m.States[0].Text
	} else {
		first = m.Transitions[0].From
	}
	fmt.Fprintf(&b, "  [*] --> %s\n", diagramID(first))
	for _, t := range m.Transitions {
		fmt.Fprintf(&b, "  %s --> %s : %s\n", diagramID(t.From), diagramID(t.To), strings.ReplaceAll(t.Trigger, ":", "#58;"))
	}
	return b.String()
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

// Drawing is one picture in Mermaid; Name tells it from others of the same document.
type Drawing struct {
	Name    string `json:"name"`
	Mermaid string `json:"mermaid"`
}

// Drawings is the text of drawings: one as it is, several as blocks of Markdown under their names, because a text in
// Mermaid is one picture.
func Drawings(list []Drawing) string {
	if len(list) == 1 {
		return list[0].Mermaid
	}
	var b strings.Builder
	for i, d := range list {
		if i > 0 {
			b.WriteString("\n")
		}
		if d.Name != "" {
			b.WriteString("## " + d.Name + "\n\n")
		}
		b.WriteString("```mermaid\n" + d.Mermaid + "```\n")
	}
	return b.String()
}

// Diagram draws a kind of diagram: component for the project, state (each machine by itself) or usecase for the
// spec of a file. The error says what is missing; it is ErrNoStates where a spec has no states.
func (p *Project) Diagram(kind, file string) ([]Drawing, error) {
	if kind == "component" {
		return []Drawing{{Mermaid: p.Components()}}, nil
	}
	dir, _ := spec.Dir(file)
	d := p.docs[path.Clean(dir)]
	switch {
	case kind != "state" && kind != "usecase":
		return nil, fmt.Errorf("--type %q: must be usecase, state or component", kind)
	case file == "":
		return nil, fmt.Errorf("--file is required for %s diagram", kind)
	case d == nil:
		return nil, fmt.Errorf("cannot read file '%s'", file)
	case kind == "usecase":
		return []Drawing{{Mermaid: UseCases(d.Document)}}, nil
	}
	list := States(d.Document)
	if len(list) == 0 {
		return nil, ErrNoStates
	}
	return list, nil
}
