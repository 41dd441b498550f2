package inspect

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Specify renders a specification into documents, merges them into those that there are, and says what is wrong with
// the project as it would be then: each spec by itself, and what they say of each other. Warnings are what the change
// has probably left behind. within bounds where modules may lie, "" for anywhere. Of a document goes only what the
// specification names.
func (p *Project) Specify(s Specification, within string, assumed [][2]string) ([]Specified, []spec.Problem) {
	var out []Specified
	var wrong []spec.Problem
	problem := func(dir, text, hint string) {
		wrong = append(wrong, spec.Problem{Path: p.SpecPath(dir), Severity: spec.Error, Text: text, Hint: hint})
	}
	changed := map[string][]byte{}
	seen := map[string]bool{}
	for i := range s.Modules {
		m := &s.Modules[i]
		dir, _ := spec.Dir(path.Clean(strings.TrimSpace(m.Dir)))
		if dir == "" || path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") || foreign(dir+"/x") || strings.ContainsAny(dir, "\\\x00\n`") {
			problem(".", fmt.Sprintf("module %q: this is not a directory of the project", m.Dir), "give directories relative to the project's root, with slashes")
			continue
		}
		if within != "" && dir != within && !strings.HasPrefix(dir, within+"/") {
			problem(dir, "this module is outside "+within, "put it in "+within+" or below")
			continue
		}
		if seen[dir] {
			problem(dir, "this module appears twice", "give each directory once")
			continue
		}
		seen[dir] = true
		m.Dir = dir
		p.called(m.Dependencies)
		for i, a := range m.Behaviors {
			for _, b := range m.Behaviors[:i] {
				if sameValue(value(a.Input), value(b.Input)) && !sameValue(value(a.Output), value(b.Output)) {
					problem(dir, "behaviors: "+value(a.Input)+" has two outcomes, "+value(b.Output)+" and "+value(a.Output), "tell them apart in the input, or keep one")
				}
			}
		}
		var x Specified
		if d := p.named(p.SpecPath(dir)); d != nil {
			var ps []spec.Problem
			x, ps = d.merge(m, assumed)
			wrong = append(wrong, ps...)
			after := d
			if len(x.Text) > 0 {
				doc, _ := spec.Parse(d.Path, x.Text)
				after = &document{Document: doc, src: x.Text}
				wrong = slices.Concat(wrong, m.lost(d, after), m.stale(d, after))
			}
			if plan := path.Join(dir, implementsFile); p.Has(plan) {
				if text, changes := m.mergePlan(p.read(plan), d.Document, after.Document); text != nil {
					out = append(out, Specified{Dir: dir, Path: plan, Changes: changes, Text: text})
				}
			} else if len(m.Approach)+len(m.Rejected)+len(m.Technologies) > 0 {
				whole := Specified{Dir: dir, Path: d.Path, Text: after.src}
				out = append(out, Specified{Dir: dir, Path: plan, Created: true, Changes: []string{"plan"}, Text: m.plan(whole)})
			}
		} else {
			m.Exports = slices.DeleteFunc(slices.Clone(m.Exports), func(e SpecifiedExport) bool {
				_, sig, ok := e.read()
				if !ok {
					problem(dir, "exports: "+sig+" cannot be read", exportForms)
				}
				return !ok
			})
			if oneLine(m.Purpose) == "" {
				problem(dir, "a new module needs a purpose", "say in one sentence what it is for")
			}
			x = Specified{Dir: dir, Path: p.SpecPath(dir), Created: true, Text: m.render(assumed)}
			plan := path.Join(dir, implementsFile)
			if !p.Has(plan) {
				out = append(out, Specified{Dir: dir, Path: plan, Created: true, Text: m.plan(x)})
			}
		}
		if len(x.Text) > 0 {
			out = append(out, x)
			changed[x.Path] = x.Text
		}
	}
	after := p.With(changed)
	for _, dir := range after.dirs {
		if seen[dir] {
			wrong = append(wrong, after.unsound(p, dir)...)
		} else if len(changed) > 0 {
			wrong = append(wrong, p.broken(after, dir)...)
		}
	}
	slices.SortStableFunc(out, func(a, b Specified) int {
		return cmp.Or(strings.Compare(a.Dir, b.Dir), cmp.Compare(a.place(), b.place()))
	})
	return out, wrong
}

// called gives the modules that a module uses the names of their specs.
func (p *Project) called(uses []SpecifiedUse) {
	for i := range uses {
		to, _ := spec.Dir(path.Clean(strings.TrimSpace(uses[i].Module)))
		uses[i].Module = p.SpecPath(to)
	}
}
