package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// broken are the uses of a module that nobody touched, which were good before and are not any more.
func (p *Project) broken(after *Project, dir string) []spec.Problem {
	good := map[string]bool{}
	for _, r := range p.references(dir) {
		if r.Valid {
			good[r.Anchor] = true
		}
	}
	var out []spec.Problem
	for _, r := range after.references(dir) {
		if !r.Valid && good[r.Anchor] && r.Section == "Dependencies" {
			to, _, _ := strings.Cut(r.Anchor, "#")
			out = append(out, spec.Problem{
				Path: after.docs[dir].Path, Line: r.Line, Severity: spec.Error,
				Text: "it uses " + r.Symbol + " of " + to + ", which would no longer export it", Hint: "specify the change of " + shown(dir) + " too, or keep the export",
			})
		}
	}
	return out
}

// unsound is what is wrong with one spec in its project: by itself, in what it uses of others, breaches of boundaries that
// it did not have before, and cycles.
func (p *Project) unsound(before *Project, dir string) []spec.Problem {
	d := p.docs[dir]
	var out []spec.Problem
	for _, pr := range append(slices.Clone(d.problems), spec.Check(d.Document)...) {
		if pr.Severity == spec.Error || strings.Contains(pr.Text, "cannot be read") {
			pr.Severity = spec.Error
			out = append(out, pr)
		}
	}
	add := func(line int, text, hint string) {
		out = append(out, spec.Problem{Path: d.Path, Line: line, Severity: spec.Error, Text: text, Hint: hint})
	}
	for _, dep := range d.Dependencies.Internal {
		if _, ok := p.index.Locate(dir, dep.Path); !ok {
			hint := "name a module that exists, or specify that one too; for code without a spec, leave the dependency out and name the file in the approach"
			for _, other := range p.dirs {
				if path.Base(other) == path.Base(dep.Path) && other != dir {
					hint = "did you mean " + other + "? " + hint
					break
				}
			}
			add(dep.Line, "it depends on "+dep.Ref+", but there is no such module", hint)
		}
	}
	for _, r := range p.references(dir) {
		if !r.Valid && r.Section == "Dependencies" {
			if to, _, _ := strings.Cut(r.Anchor, "#"); p.docs[path.Dir(to)] != nil {
				hint := "use what the module exports, or add it to its exports"
				for _, e := range p.docs[path.Dir(to)].Exports {
					if slices.Contains(e.Variants, lastPart(r.Symbol)) {
						hint = "name the enum instead of its member: " + e.Name
					}
				}
				add(r.Line, "it uses "+r.Symbol+" of "+to+", which does not export it", hint)
			}
		}
	}
	had := before.Boundary(dir).Violations
	for _, v := range p.Boundary(dir).Violations {
		if !slices.ContainsFunc(had, func(b BoundaryBreach) bool { return b.Reference == v.Reference && b.Type == v.Type }) {
			add(v.Line, "it depends on "+v.Reference+", which is beyond its boundary", v.Reason)
		}
	}
	for _, c := range p.Graph().Cycles {
		if len(c) > 0 && c[0] == shown(dir) || slices.Contains(c, shown(dir)) && !slices.Contains(p.dirs, c[0]) {
			add(0, "modules depend on each other in a cycle: "+strings.Join(c, " → "), "remove one of these dependencies")
		}
	}
	return out
}
