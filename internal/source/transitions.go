package source

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// method is a method of an exported type, to be searched for changes of state.
type method struct {
	name string
	body syntax.Node
}

// value is the state that an expression names: State.Idle, State::Idle, "idle", IDLE.
func (t *treeFile) value(text string) (string, bool) {
	text = strings.TrimSpace(text)
	quoted := len(text) > 1 && strings.ContainsRune("'\"`", rune(text[0]))
	text = strings.Trim(text, "'\"`")
	owner, name := "", text
	if i := strings.LastIndexAny(text, ".:"); i >= 0 && !quoted {
		owner, name = strings.TrimRight(text[:i], ":."), text[i+1:]
		owner = owner[strings.LastIndexAny(owner, ".:")+1:]
	}
	for _, s := range t.f.States {
		if (owner == "" || owner == s.Name) && slices.Contains(s.Values, name) {
			return name, true
		}
	}
	return "", false
}

// stateful reports whether an expression is a field of the object itself.
func stateful(text string) bool {
	own := slices.ContainsFunc([]string{"this.", "self.", "this->"}, func(p string) bool { return strings.HasPrefix(text, p) })
	return own || !strings.ContainsAny(text, ".([ ")
}

// assigned is the field and the state of an assignment.
func (t *treeFile) assigned(n syntax.Node) (field, value string, ok bool) {
	if n.Kind() != "assignment_expression" && n.Kind() != "assignment" {
		return "", "", false
	}
	parts := withoutComments(n)
	if len(parts) != 2 || strings.TrimSpace(string(t.src[parts[0].End():parts[1].Start()])) != "=" {
		return "", "", false
	}
	field = t.flat(parts[0])
	value, ok = t.value(t.flat(parts[1]))
	return field, value, ok && stateful(field)
}

// transitions finds the changes of state in the methods.
func (t *treeFile) transitions(read func(syntax.Node) statement) {
	if len(t.f.States) == 0 {
		return
	}
	for _, m := range t.methods {
		t.guarded(m, read)
		for n := range m.body.Within(nil) {
			if subject, arms := t.branches(n); subject != "" && stateful(subject) {
				t.switched(m, subject, arms)
			}
		}
	}
}

// guarded is a method that refuses all states but one and then sets another.
func (t *treeFile) guarded(m method, read func(syntax.Node) statement) {
	from, field := "", ""
	for _, n := range withoutComments(m.body) {
		s := read(n)
		if !s.guard.OK() && !s.passes && len(s.assert) == 0 {
			break
		}
		cond := bare(s.guard)
		parts := cond.NamedChildren()
		if len(parts) != 2 {
			continue
		}
		op := strings.TrimSpace(string(t.src[parts[0].End():parts[1].Start()]))
		if op != "!=" && op != "!==" && op != "is not" {
			continue
		}
		left, right := t.flat(parts[0]), t.flat(parts[1])
		if _, ok := t.value(left); ok {
			left, right = right, left
		}
		if v, ok := t.value(right); ok && stateful(left) {
			from, field = v, left
		}
	}
	if from == "" {
		return
	}
	to, n := "", 0
	for c := range m.body.Within(nil) {
		if f, v, ok := t.assigned(c); ok && f == field {
			to, n = v, n+1
		}
	}
	if n == 1 {
		t.f.Transitions = append(t.f.Transitions, Transition{from, m.name, to})
	}
}

// arm is a branch of a switch: its labels and what it does.
type arm struct {
	labels []syntax.Node
	body   []syntax.Node
}

func (t *treeFile) switched(m method, subject string, arms []arm) {
	for _, a := range arms {
		if len(a.labels) != 1 {
			continue
		}
		from, ok := t.value(t.flat(a.labels[0]))
		if !ok {
			continue
		}
		// One assignment among its statements, and none below them.
		to, direct, all := "", 0, 0
		for _, b := range a.body {
			for _, c := range statements(b) {
				if f, v, ok := t.assigned(c); ok && f == subject {
					to, direct = v, direct+1
				}
			}
			for c := range b.Within(nil) {
				if f, _, ok := t.assigned(c); ok && f == subject {
					all++
				}
			}
		}
		if direct == 1 && all == 1 {
			t.f.Transitions = append(t.f.Transitions, Transition{from, m.name, to})
		}
	}
}

// statements are what a branch does, without blocks around it and the break at its end.
func statements(n syntax.Node) []syntax.Node {
	switch n.Kind() {
	case "block", "statement_block", "control_structure_body", "expression_statement", "statements":
		var out []syntax.Node
		for _, c := range withoutComments(n) {
			out = append(out, statements(c)...)
		}
		return out
	case "break_statement", "empty_statement":
		return nil
	}
	if strings.HasSuffix(n.Kind(), "comment") {
		return nil
	}
	return []syntax.Node{n}
}

// branching says how a grammar names the parts of a switch, match or when: by field or by kind.
type branching struct {
	subject, body string // "" is the node itself
	arm           string // "" is any
	label         string
	wraps         bool // what a label holds are the labels
	falls         bool // a label without a body falls into the next branch
}

var branchings = map[string]branching{
	"switch_statement":  {subject: "value", body: "body", label: "value", falls: true},                         // TypeScript
	"switch_expression": {subject: "condition", body: "body", label: "switch_label", wraps: true, falls: true}, // Java
	"match_expression":  {subject: "value", body: "body", arm: "match_arm", label: "pattern", wraps: true},     // Rust
	"match_statement":   {subject: "subject", body: "body", arm: "case_clause", label: "case_pattern"},         // Python
	"when_expression":   {subject: "when_subject", arm: "when_entry", label: "condition"},                      // Kotlin
}

// branches reads a switch, match or when.
func (t *treeFile) branches(n syntax.Node) (subject string, arms []arm) {
	in, ok := branchings[n.Kind()]
	if !ok {
		return "", nil
	}
	if of := n.At(in.subject); of.OK() {
		subject = t.flat(bare(of))
	} else if parts := withoutComments(n.Child(in.subject)); len(parts) > 0 { // when (val now = this.state)
		subject = t.flat(parts[len(parts)-1])
	}
	if in.body != "" {
		n = n.At(in.body)
	}
	for _, c := range n.NamedChildren() {
		if in.arm != "" && c.Kind() != in.arm || c.At("guard").OK() {
			continue
		}
		a := arm{}
		for p := range c.All() {
			switch is := p.Field() == in.label || p.Kind() == in.label; {
			case is && in.wraps:
				a.labels = append(a.labels, withoutComments(p)...)
			case is:
				a.labels = append(a.labels, p)
			case p.Named() && !strings.HasSuffix(p.Kind(), "comment"):
				a.body = append(a.body, p)
			}
		}
		arms = append(arms, a)
	}
	if in.falls {
		arms = joined(arms)
	}
	return subject, arms
}

// joined gives a label without a branch of its own to the branch that it falls into.
func joined(arms []arm) []arm {
	var out []arm
	var open []syntax.Node
	for _, a := range arms {
		a.labels = append(open, a.labels...)
		open = nil
		if len(a.body) == 0 {
			open = a.labels
			continue
		}
		out = append(out, a)
	}
	return out
}
