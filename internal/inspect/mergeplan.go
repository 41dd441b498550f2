package inspect

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// mergePlan brings a specification into the planning half of an IMPLEMENTS.md that is there: its dependencies follow
// those of the spec, approach, rejected alternatives and technologies are added. The text is nil when nothing changes.
func (m *SpecifiedModule) mergePlan(src []byte, before, after *spec.Document) (text []byte, changes []string) {
	e, rest := planEditor(src)
	note := func(s string) { changes = append(changes, "plan: "+s) }
	for _, u := range before.Dependencies.Internal {
		now := slices.IndexFunc(after.Dependencies.Internal, func(v spec.Internal) bool { return v.Path == u.Path })
		line := e.planned(u)
		switch {
		case line < 0 || now >= 0 && slices.Equal(u.Symbols, after.Dependencies.Internal[now].Symbols):
		case now >= 0:
			e.replaceItem(line+1, planLine(after.Dependencies.Internal[now]))
			note("uses of " + u.Spec())
		default:
			e.remove(line + 1)
			note("without " + u.Spec())
		}
	}
	for _, u := range after.Dependencies.Internal {
		known := slices.ContainsFunc(before.Dependencies.Internal, func(v spec.Internal) bool { return v.Path == u.Path })
		if !known && e.planned(u) < 0 && e.under(directions, "Internal", []string{"internal", "내부"}, []string{planLine(u)}, true) {
			note(u.Spec())
		}
	}
	add := func(title string, keys, lines []string) {
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(string(e.doc.src), l) })
		if len(lines) > 0 && e.under("Implementation Approach", title, keys, lines, true) {
			note(title)
		}
	}
	add("Strategy", []string{"strategy", "approach", "전략"}, bullets(m.Approach))
	add("Alternatives Considered", []string{"alternative", "대안"}, bullets(m.rejections()))
	if e.technologies(m.Technologies) {
		note("technologies")
	}
	e.emptied(directions)
	if len(changes) == 0 {
		return nil, nil
	}
	return append(e.bytes(), rest...), changes
}

// planEditor edits the planning half of an IMPLEMENTS.md; rest is what the compiler writes.
func planEditor(src []byte) (e *editor, rest []byte) {
	if i := bytes.Index(src, []byte("<!-- IMPLEMENTATION SECTION")); i >= 0 {
		src, rest = src[:i], src[i:]
	}
	return newEditor(&document{src: src}), rest
}

// directions is the section that says which way dependencies go.
const directions = "Dependencies Direction"

func planLine(u spec.Internal) string {
	return "- `" + u.Spec() + "`" + SpecifiedUse{Symbols: u.Symbols}.names()
}

func (m *SpecifiedModule) rejections() []string {
	var out []string
	for _, r := range m.Rejected {
		out = append(out, oneLine(cmp.Or(r.Alternative, r.Choice))+": "+oneLine(r.Reason))
	}
	return out
}

// planned is the line that names a dependency in the plan, -1 without one.
func (e *editor) planned(u spec.Internal) int {
	from, to, ok := e.section(directions)
	for i := from; ok && i < to; i++ {
		if _, item := e.bullet(i); !item || e.gone[i] {
			continue
		}
		if c := inCode().FindStringSubmatch(e.lines[i]); c != nil && isUse(u, c[1]) {
			return i
		}
	}
	return -1
}

// technologies adds rows to the table of choices, or makes it.
func (e *editor) technologies(list []SpecifiedChoice) bool {
	from, to, ok := e.section("Technology Choices")
	if !ok {
		return false
	}
	last, have := -1, ""
	for i := from; i < to; i++ {
		if strings.HasPrefix(strings.TrimSpace(e.lines[i]), "|") && !e.fenced[i] {
			last = i
		}
		have += e.lines[i]
	}
	var rows []string
	for _, t := range list {
		if row := t.row(); !strings.Contains(have, row) {
			rows = append(rows, row)
		}
	}
	switch {
	case len(rows) == 0:
		return false
	case last >= 0:
		e.put(last, rows...)
		return true
	}
	return e.extend("Technology Choices", append([]string{"| Choice | Alternative | Reason |", "|---|---|---|"}, rows...))
}

func (t SpecifiedChoice) row() string {
	return "| " + cell(t.Choice) + " | " + cell(t.Alternative) + " | " + cell(t.Reason) + " |"
}

// emptied writes None below headings of a section whose lines are all gone.
func (e *editor) emptied(section string) {
	from, to, ok := e.section(section)
	for i := from; ok && i < to; i++ {
		if level, _ := e.heading(i); level != 3 {
			continue
		}
		last, left := -1, false
		for k := i + 1; k < min(e.item(i), to); k++ {
			if e.gone[k] {
				last = k
			}
			left = left || !e.gone[k] && strings.TrimSpace(e.lines[k]) != "" || len(e.after[k])+len(e.stead[k]) > 0
		}
		if last >= 0 && !left && len(e.after[i]) == 0 {
			e.stead[last] = []string{"None"}
		}
	}
}
