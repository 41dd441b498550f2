package inspect

import (
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// stale is what a change has probably left behind in a spec: sentences about names that are gone, enumerations that do
// not know a new state, errors that no scenario shows. They are warnings, because a program does not understand sentences.
func (m *SpecifiedModule) stale(before, after *document) []spec.Problem {
	var out []spec.Problem
	say := func(line int, text, hint string) {
		out = append(out, spec.Problem{Path: after.Path, Line: line, Severity: spec.Warning, Text: text, Hint: hint})
	}
	given := m.texts()
	for _, name := range goneNames(before, after) {
		for _, e := range after.Exports {
			if hasName(e.Signature, name) {
				say(e.Line, "the signature of "+e.Name+" still uses "+name+", which is removed: "+e.Signature, "give "+e.Name+" again, or keep "+name)
			}
		}
		for _, s := range sentences(after.Document) {
			if given[oneLine(s.Text)] { // said now, with the change in mind
				continue
			}
			for end := range wordEnds(s.Text, name) {
				if strings.HasSuffix(s.Text[:end-len(name)], ".") && !strings.HasSuffix(s.Text[:end-len(name)], " .") { // of something else: Other.Name
					continue
				}
				say(s.Line, "it still mentions "+name+", which is removed: "+s.Text, "write it again, or name it in `remove`; leave it if something else is meant")
				break
			}
		}
	}
	for _, s := range m.States {
		state := oneLine(s)
		if slices.ContainsFunc(before.Protocol.States, func(c spec.Clause) bool { return c.Text == state }) {
			continue
		}
		for _, e := range after.Exports {
			shared := 0
			for _, c := range fellows(after.Protocol, state) {
				if slices.Contains(e.Variants, c.Text) {
					shared++
				}
			}
			if shared >= 2 && !slices.Contains(e.Variants, state) {
				say(e.Line, e.Name+" lists the states, but not "+state, "give "+e.Name+" with it")
			}
		}
	}
	for _, x := range m.Exports {
		group, sig, ok := x.read()
		name := exportName(group, sig)
		if !ok || !strings.HasPrefix(name, "Err") && !strings.HasSuffix(name, "Error") || len(name) < 4 {
			continue
		}
		if !slices.ContainsFunc(after.Behaviors, func(b spec.Behavior) bool { return hasName(b.Output, name) }) {
			say(0, "no scenario has the error "+name, "add one with the category error, or remove the error")
		}
	}
	return out
}

// fellows are the states of the machine that has a state.
func fellows(p spec.Protocol, state string) []spec.Clause {
	for _, m := range p.Machines {
		if m.Has(state) {
			return m.States
		}
	}
	return p.States
}

// texts are the sentences that a specification gives.
func (m *SpecifiedModule) texts() map[string]bool {
	out := map[string]bool{oneLine(m.Purpose): true}
	for _, list := range [][]string{m.Decisions, m.Constraints, m.Compat} {
		for _, s := range list {
			out[oneLine(s)] = true
		}
	}
	for _, c := range m.Contracts {
		for _, s := range slices.Concat(c.Preconditions, c.Postconditions, c.Throws, c.Invariants) {
			out[oneLine(s)] = true
		}
	}
	for _, b := range m.Behaviors {
		out[oneLine(value(b.Input)+" → "+value(b.Output))] = true
	}
	for _, e := range m.Exports {
		out[oneLine(e.Description)] = true
	}
	delete(out, "")
	return out
}

// goneNames are the exports and states that a spec had and has no more.
func goneNames(before, after *document) []string {
	var out []string
	for _, e := range before.Exports {
		if !slices.ContainsFunc(after.Exports, func(x spec.Export) bool { return x.Name == e.Name }) {
			out = append(out, e.Name)
		}
	}
	for _, s := range before.Protocol.States {
		if !slices.ContainsFunc(after.Protocol.States, func(x spec.Clause) bool { return x.Text == s.Text }) && !slices.Contains(out, s.Text) {
			out = append(out, s.Text)
		}
	}
	return out
}

// sentences is what a spec says in words.
func sentences(d *spec.Document) []spec.Clause {
	out := []spec.Clause{{Text: d.Purpose}}
	for _, e := range d.Exports {
		out = append(out, spec.Clause{Text: e.Description, Line: e.Line})
	}
	for _, b := range d.Behaviors {
		out = append(out, spec.Clause{Text: b.Input + " → " + b.Output, Line: b.Line})
	}
	for _, c := range d.Contracts {
		out = slices.Concat(out, c.Preconditions, c.Postconditions, c.Throws, c.Invariants)
	}
	return slices.Concat(out, d.Context.Rationale, d.Context.Constraints, d.Context.Compatibility)
}

// lost is what the merge of a specification did not write as it was given, or changed without being told to. It is the
// proof of the writer: where a document has a form that it does not master, nothing is written.
func (m *SpecifiedModule) lost(before, after *document) []spec.Problem {
	var out []spec.Problem
	have := map[string]string{}
	for _, c := range after.Contracts {
		have[c.Function] += promises(c)
	}
	check := func(function, want string) {
		if have[function] != want {
			out = append(out, spec.Problem{
				Path: after.Path, Severity: spec.Error, Text: "the contract of " + function + " cannot be edited in this document automatically",
				Hint: "leave the contracts of this module out; a person must change them",
			})
		}
	}
	given := map[string]bool{}
	for _, c := range m.Contracts {
		name := oneLine(c.Function)
		doc, _ := spec.Parse("m/CLAUDE.md", []byte("# m\n\n## Contract\n\n"+c.text()))
		want := ""
		for _, x := range doc.Contracts {
			want += promises(x)
		}
		if !given[name] {
			check(name, want)
		}
		given[name] = true
	}
	gone := goneNames(before, after)
	kept := map[string]string{}
	for _, c := range before.Contracts {
		if !given[c.Function] && !slices.Contains(gone, c.Function) {
			kept[c.Function] += promises(c)
		}
	}
	for _, function := range slices.Sorted(maps.Keys(kept)) {
		check(function, kept[function])
	}
	return out
}

// promises are what a contract says, whatever its layout.
func promises(c spec.Contract) string {
	var b strings.Builder
	for _, part := range [][]spec.Clause{c.Preconditions, c.Postconditions, c.Throws, c.Invariants} {
		for _, x := range part {
			b.WriteString(oneLine(x.Text) + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}
