package target

import (
	"path"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// finish adds what concerns all modules together and sorts.
func (r *run) finish() {
	if r.f.NoGit {
		r.res.Warnings = append(r.res.Warnings, Warning{"no-git-repo", "Not a git repository. Use --all for full compilation."})
	}
	isTarget := map[string]bool{}
	for i := range r.res.Targets {
		isTarget[r.res.Targets[i].Dir] = true
	}
	for i := range r.res.Targets {
		m := r.byDir[r.res.Targets[i].Dir]
		r.parse(m)
		if m.doc != nil {
			r.res.Docs[m.dir] = m.doc
			r.res.inputs[m.dir] = r.entry(m)
		}
		r.leftOut(m.dir, isTarget)
		r.behind(m.dir, isTarget)
	}
	r.res.Problems = spec.SortProblems(r.res.Problems)
	broken := map[string]bool{}
	for _, p := range r.res.Problems {
		if p.Severity == spec.Error {
			broken[path.Dir(p.Path)] = true
		}
	}
	for i := range r.res.Targets {
		t := &r.res.Targets[i]
		switch cycle, doc := r.res.Index.Refused(t.Dir), r.res.Docs[t.Dir]; {
		case cycle != "":
			t.Refused = "dependency cycle: " + cycle
		case broken[t.Dir]:
			t.Refused = "the spec has errors"
		case doc != nil && doc.Purpose == spec.Placeholder:
			t.Refused = Undescribed
		}
	}
}

// Undescribed is why a spec that decompile wrote cannot be built: nobody has read it yet.
const Undescribed = "its Purpose is not described yet"

// gone names modules of the lock that lost their spec.
func (r *run) gone() {
	r.res.Gone = r.f.Lock.Gone(
		func(dir string) bool { _, is := r.res.Index.Module(dir); return is },
		func(file string) bool { return r.files[file] != "" },
	)
	for _, d := range r.res.Gone {
		r.res.Problems = append(r.res.Problems, spec.Problem{
			Path: path.Join(d, spec.Name), Severity: spec.Error, Text: "the spec is gone, but the code built from it is still there",
			Hint: "restore the spec, or remove its code too, or write a new one: jacquard decompile " + d,
		})
	}
}

// leftOut warns of direct dependents of a target that the run does not build.
func (r *run) leftOut(dir string, isTarget map[string]bool) {
	var left []string
	for _, d := range r.res.Index.Dependents(dir) {
		if m := r.byDir[d]; !isTarget[d] && m != nil && !m.node {
			left = append(left, d)
		}
	}
	if len(left) > 0 {
		r.res.DependencyWarnings = append(r.res.DependencyWarnings, DependencyWarning{
			ChangedDep: dir, AffectedDependents: left,
			Message: dir + " changed; " + strings.Join(left, ", ") + " may need recompilation",
		})
	}
}

// behind warns when a target needs a module that is out of date too and outside of the run.
func (r *run) behind(dir string, isTarget map[string]bool) {
	for _, n := range r.res.Index.Needs(dir) {
		if m := r.byDir[n.Dir]; m != nil && m.stale && !isTarget[n.Dir] {
			r.res.Warnings = append(r.res.Warnings, Warning{
				"stale-dependency", dir + " needs " + n.Dir + ", which is out of date and outside this run",
			})
		}
	}
}

// entry is the record of a module as it is to be built now.
func (r *run) entry(m *module) Entry {
	e := Entry{
		Dir: m.dir, State: Built, Spec: m.id, Content: spec.ContentHash(m.doc), Interface: spec.InterfaceHash(m.doc),
		Conventions: r.convention(m.dir), Own: spec.ConventionHash(m.doc), PlanID: m.planID,
		Exports: spec.SymbolHashes(m.doc), Items: map[string]string{},
	}
	if m.planID != "" {
		if src, err := r.f.Read(m.planPath); err == nil {
			e.Plan = spec.PlanningHash(src)
		}
	}
	for _, it := range spec.Items(m.doc) {
		e.Items[it.ID] = it.Hash
	}
	for _, n := range r.res.Index.Needs(m.dir) {
		dep, _ := r.res.Index.Module(n.Dir)
		u := Use{Path: n.Path, Soft: n.Soft}
		if n.Dir == n.Path {
			u.Path = dep.Path
		}
		if len(n.Symbols) == 0 {
			u.Hash = r.interfaceOf(n.Dir)
		} else {
			u.Symbols = map[string]string{}
			for _, s := range n.Symbols {
				u.Symbols[s] = dep.Symbols[s]
			}
		}
		e.Uses = append(e.Uses, u)
	}
	return e
}

// Narrow limits the record of a use of the module dep, declared without symbols, to the symbols
// that the code really imports: symbols holds the hashes of the dependency's exports.
func (e *Entry) Narrow(dep string, imports []string, symbols map[string]string) {
	for i := range e.Uses {
		u := &e.Uses[i]
		if u.Dir() != dep || len(u.Symbols) > 0 || len(imports) == 0 {
			continue
		}
		u.Symbols, u.Hash = map[string]string{}, ""
		for _, s := range imports {
			u.Symbols[s] = symbols[s]
		}
	}
}
