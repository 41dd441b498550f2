package target

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// verdict is the answer for one module: a target, or skipped.
type verdict struct {
	stale   bool
	reason  Reason
	details string
}

func stale(reason Reason, details string) verdict { return verdict{true, reason, details} }

func fresh(details string) verdict { return verdict{false, UpToDate, details} }

const upToDate = "Source code is up-to-date with spec"

// judge decides on one module and adds it to the result.
func (r *run) judge(m *module) {
	var v verdict
	switch {
	case m.unreadable:
		v = stale(Unreadable, "CLAUDE.md cannot be read")
	case m.node:
		v = verdict{false, NothingToBuild, "Nothing to export and no source files"}
	case len(m.rows) > 0:
		v = r.byRecord(m)
	default:
		v = r.byTime(m)
	}
	if r.f.All && !v.stale && !m.node {
		v = stale(All, "Full compilation requested")
	}
	if !r.within(m.dir) {
		m.stale = v.stale
		return
	}
	if !v.stale {
		r.res.Skipped = append(r.res.Skipped, Skipped{m.dir, v.reason, v.details})
		return
	}
	m.stale = true
	r.res.Targets = append(r.res.Targets, Target{
		ClaudeMdPath: path.Join(m.dir, specFile), ImplementsMdPath: path.Join(m.dir, planFile),
		Dir: m.dir, Reason: v.reason, Details: v.details,
	})
}

// byRecord compares a module with its records. After a merge there may be two: one that fits is
// enough, since both were true when they were written.
func (r *run) byRecord(m *module) verdict {
	var first verdict
	for i := range m.rows {
		v := r.compare(m, &m.rows[i])
		if !v.stale {
			m.row = &m.rows[i]
			r.drift(m)
			return v
		}
		if i == 0 {
			first = v
		}
	}
	m.row = &m.rows[0]
	r.drift(m)
	return first
}

// compare looks for the first thing that is not as it was recorded.
func (r *run) compare(m *module, w *row) verdict {
	if m.doc != nil && spec.ContentHash(m.doc) != w.content || m.doc == nil && m.id != w.spec {
		switch m.change {
		case IsStaged:
			return stale(Staged, "CLAUDE.md staged for commit")
		case IsModified:
			return stale(Modified, "CLAUDE.md modified but not staged")
		case IsUntracked:
			return stale(Untracked, "CLAUDE.md not yet tracked by git")
		case Clean:
		}
		if !m.hasSource {
			return stale(NoSourceCode, "No source code files found (first compile)")
		}
		return stale(SpecNewer, "Spec changed since its last compile")
	}
	missing, changed, there := r.generated(m, w)
	if there == 0 && !m.hasSource {
		return stale(NoSourceCode, "No source code files found (first compile)")
	}
	if len(missing) > 0 {
		return stale(NoSourceCode, "Generated files are missing: "+strings.Join(missing, ", "))
	}
	if c := r.convention(m.dir); c != w.conv {
		return stale(ConventionChanged, "Conventions changed since the last compile")
	}
	if r.planChanged(m, w) {
		return stale(PlanChanged, "Planning section of IMPLEMENTS.md changed since the last compile")
	}
	if why := r.dependencyChanged(m, w); why != "" {
		return stale(DependencyChanged, why)
	}
	switch w.state {
	case Red:
		return stale(SpecNewer, "Tests are delivered, the implementation is not")
	case Kept:
		if len(changed) > 0 {
			return stale(SpecNewer, "Kept files changed: "+strings.Join(changed, ", "))
		}
		if r.f.Overwrite {
			return stale(SpecNewer, "Kept files are to be written again")
		}
		return verdict{false, Conflict, w.why}
	case Built, Unchecked:
	}
	details := upToDate
	if m.change != Clean && !r.f.NoGit {
		details += fmt.Sprintf(" (%s, equal to the last compile)", m.change)
	} else if m.id != w.spec {
		details += " (only text outside the contract sections changed)"
	}
	if w.state == Unchecked {
		details += " (adopted without checks)"
	}
	return fresh(details)
}

// generated compares the generated files with the listing: which are missing, which differ, how
// many are there.
func (r *run) generated(m *module, w *row) (missing, changed []string, there int) {
	for file, id := range pairs(w.files, m.dir) {
		now, ok := r.files[file]
		switch {
		case !ok:
			missing = append(missing, relative(m.dir, file))
			continue
		case now != id:
			changed = append(changed, relative(m.dir, file))
		}
		there++
	}
	return missing, changed, there
}

// drift notes generated files that were edited since the record.
func (r *run) drift(m *module) {
	_, changed, _ := r.generated(m, m.row)
	if len(changed) == 0 || m.row.state == Kept {
		return
	}
	r.res.Drift[m.dir] = changed
	if r.within(m.dir) {
		r.res.Warnings = append(r.res.Warnings, Warning{
			"drift", m.dir + ": generated files were edited by hand since the last compile: " + strings.Join(changed, ", "),
		})
	}
}

// planChanged compares the plan. A missing file holds no new plan.
func (r *run) planChanged(m *module, w *row) bool {
	if m.planID == "" || m.planID == w.planID {
		return false
	}
	src, err := r.f.Read(m.planPath)
	return err == nil && spec.PlanningHash(src) != w.plan
}

// dependencyChanged compares what the module uses of others with what they export now, and says
// what differs.
func (r *run) dependencyChanged(m *module, w *row) string {
	for _, u := range decodeUses(w.uses) {
		dep, ok := r.res.Index.Locate(m.dir, u.Path)
		if !ok {
			if !u.Soft {
				return u.Path + " is gone"
			}
			continue
		}
		if dep == m.dir {
			continue
		}
		if len(u.Symbols) == 0 {
			if r.interfaceOf(dep) != u.Hash {
				return dep + " changed its interface"
			}
			continue
		}
		mod, _ := r.res.Index.Module(dep)
		for _, name := range slices.Sorted(maps.Keys(u.Symbols)) {
			if mod.Symbols[name] != u.Symbols[name] {
				return dep + " changed: " + name
			}
		}
	}
	return ""
}

// interfaceOf is the hash of all that a module exports.
func (r *run) interfaceOf(dir string) string {
	if m := r.byDir[dir]; m != nil && m.doc == nil && len(m.rows) > 0 {
		return m.rows[0].iface
	}
	mod, _ := r.res.Index.Module(dir)
	return spec.HashSymbols(mod.Symbols, nil)
}

// byTime is the rule for modules without a record: what git says of the spec, then the times of
// the last commits.
func (r *run) byTime(m *module) verdict {
	switch {
	case r.f.NoGit && m.hasSource:
		return stale(Untracked, "CLAUDE.md not yet tracked by git")
	case r.f.NoGit:
		return stale(NoSourceCode, "No source code files found (first compile)")
	case m.change == IsStaged:
		return stale(Staged, "CLAUDE.md staged for commit")
	case m.change == IsModified:
		return stale(Modified, "CLAUDE.md modified but not staged")
	case m.change == IsUntracked:
		return stale(Untracked, "CLAUDE.md not yet tracked by git")
	case !m.hasSource:
		return stale(NoSourceCode, "No source code files found (first compile)")
	}
	at, ok := r.times[m.path]
	if !ok {
		return verdict{false, SpecNotCommitted, "Spec files not committed and not staged"}
	}
	var code int64
	committed := false
	for _, s := range m.sources {
		if t, has := r.times[s]; has {
			code, committed = max(code, t), true
		}
	}
	switch {
	case !committed:
		return stale(SpecNewer, fmt.Sprintf("Spec committed at %d, source not yet committed", at))
	case at > code:
		return stale(SpecNewer, fmt.Sprintf("Spec updated at %d > source at %d", at, code))
	case r.f.Shallow:
		r.hidden++
		return stale(SpecNewer, "The history is shallow: nothing says that the source is as new as the spec")
	}
	return fresh(upToDate)
}
