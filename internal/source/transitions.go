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
	line int
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
	for _, p := range []string{"this.", "self.", "this->"} {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return !strings.ContainsAny(text, ".([ ")
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
		t.f.Transitions = append(t.f.Transitions, Transition{from, m.name, to, m.line})
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
			t.f.Transitions = append(t.f.Transitions, Transition{from, m.name, to, m.line})
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

// branches reads a switch, match or when.
func (t *treeFile) branches(n syntax.Node) (subject string, arms []arm) {
	switch n.Kind() {
	case "switch_statement": // TypeScript
		for _, c := range n.At("body").NamedChildren() {
			a := arm{}
			for p := range c.All() {
				if p.Field() == "value" {
					a.labels = append(a.labels, p)
				} else if p.Named() {
					a.body = append(a.body, p)
				}
			}
			arms = append(arms, a)
		}
		return t.flat(bare(n.At("value"))), joined(arms)
	case "switch_expression": // Java
		for _, c := range n.At("body").NamedChildren() {
			a := arm{}
			for _, p := range withoutComments(c) {
				if p.Kind() == "switch_label" {
					a.labels = append(a.labels, withoutComments(p)...)
				} else {
					a.body = append(a.body, p)
				}
			}
			arms = append(arms, a)
		}
		return t.flat(bare(n.At("condition"))), joined(arms)
	case "match_expression": // Rust
		for _, c := range n.At("body").NamedChildren() {
			if c.Kind() == "match_arm" {
				pattern := withoutComments(c.At("pattern"))
				arms = append(arms, arm{pattern, []syntax.Node{c.At("value")}})
			}
		}
		return t.flat(n.At("value")), arms
	case "match_statement": // Python
		for _, c := range n.At("body").NamedChildren() {
			if c.Kind() == "case_clause" && !c.At("guard").OK() {
				a := arm{body: []syntax.Node{c.At("consequence")}}
				for _, p := range c.NamedChildren() {
					if p.Kind() == "case_pattern" {
						a.labels = append(a.labels, p)
					}
				}
				arms = append(arms, a)
			}
		}
		return t.flat(n.At("subject")), arms
	case "when_expression": // Kotlin
		if s := n.Child("when_subject"); s.OK() {
			if parts := withoutComments(s); len(parts) > 0 { // when (val now = this.state)
				subject = t.flat(parts[len(parts)-1])
			}
		}
		for _, c := range n.NamedChildren() {
			if c.Kind() != "when_entry" {
				continue
			}
			a := arm{}
			for p := range c.All() {
				if p.Field() == "condition" {
					a.labels = append(a.labels, p)
				} else if p.Named() {
					a.body = append(a.body, p)
				}
			}
			arms = append(arms, a)
		}
		return subject, arms
	}
	return "", nil
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
