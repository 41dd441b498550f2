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

// uncommitted is the verdict of a spec that is not committed, false for one that is.
func (m *module) uncommitted() (verdict, bool) {
	switch m.change {
	case IsStaged:
		return stale(Staged, path.Base(m.path)+" staged for commit"), true
	case IsModified:
		return stale(Modified, path.Base(m.path)+" modified but not staged"), true
	case IsUntracked:
		return stale(Untracked, path.Base(m.path)+" not yet tracked by git"), true
	case Clean:
	}
	return verdict{}, false
}

// judge decides on one module and adds it to the result.
func (r *run) judge(m *module) {
	var v verdict
	switch {
	case m.unreadable:
		v = stale(Unreadable, m.why)
	case m.node:
		v = verdict{false, NothingToBuild, "Nothing to export and no source files"}
	case len(m.rows) > 0:
		v = r.byRecord(m)
	default:
		v = r.byGit(m)
	}
	if r.f.All && !v.stale && !m.node {
		v = stale(All, "Full compilation requested")
	}
	m.stale = v.stale
	if !r.within(m.dir) {
		return
	}
	if !v.stale {
		r.res.Skipped = append(r.res.Skipped, Skipped{m.dir, v.reason, v.details})
		return
	}
	r.res.Targets = append(r.res.Targets, Target{
		ClaudeMdPath: m.file(), ImplementsMdPath: path.Join(m.dir, planFile),
		Dir: m.dir, Reason: v.reason, Details: v.details,
	})
}

// found is how the files of a record are now.
type found struct {
	missing []string // generated files
	gone    []string // frozen tests
	edited  []string // of both, those that differ
	there   int      // generated files that are there
}

// byRecord compares a module with its records. After a merge there may be two: one that fits is
// enough, since both were true when they were written.
func (r *run) byRecord(m *module) verdict {
	best, edited, at := verdict{}, []string(nil), -1
	for i := range m.rows {
		now := r.filesOf(m, &m.rows[i])
		v := r.compare(m, &m.rows[i], now)
		if at < 0 || best.stale && !v.stale || best.reason == Edited && v.reason == UpToDate {
			best, edited, at = v, now.edited, i
		}
	}
	if len(edited) > 0 && m.rows[at].state != Kept {
		r.res.Drift[m.dir] = edited
		if r.within(m.dir) {
			r.res.Warnings = append(r.res.Warnings, Warning{"drift", m.dir + ": " + editedText + strings.Join(edited, ", ")})
		}
	}
	return best
}

// shown is a file as a person is told of it: by its path in its module, else by that in the project.
func shown(dir, file string) string { return strings.TrimPrefix(relative(dir, file), "/") }

const editedText = "files were edited by hand since the last compile: "

// filesOf compares the files of a record with the listing.
func (r *run) filesOf(m *module, w *row) found {
	var f found
	look := func(list string, missing *[]string) (there int) {
		for file, id := range pairs(list, m.dir) {
			now, ok := r.files[file]
			if !ok {
				*missing = append(*missing, shown(m.dir, file))
				continue
			}
			if there++; now != id && (r.f.Same == nil || !r.f.Same(file, id)) {
				f.edited = append(f.edited, shown(m.dir, file))
			}
		}
		return there
	}
	f.there = look(w.files, &f.missing)
	if w.state != Kept { // then its tests were not delivered
		look(w.tst, &f.gone)
	}
	slices.Sort(f.edited) // a file may be in both lists
	f.edited = slices.Compact(f.edited)
	return f
}

// compare looks for the first thing that is not as it was recorded.
func (r *run) compare(m *module, w *row, now found) verdict {
	if m.doc != nil && spec.ContentHash(m.doc) != w.content || m.doc == nil && m.id != w.spec {
		if v, ok := m.uncommitted(); ok {
			return v
		}
		if !m.hasSource {
			return stale(NoSourceCode, "No source code files found (first compile)")
		}
		return stale(SpecNewer, "Spec changed since its last compile")
	}
	if now.there == 0 && !m.hasSource {
		return stale(NoSourceCode, "No source code files found (first compile)")
	}
	if len(now.missing) > 0 {
		return stale(NoSourceCode, "Generated files are missing: "+strings.Join(now.missing, ", "))
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
		if len(now.edited) > 0 {
			return stale(SpecNewer, "Kept files changed: "+strings.Join(now.edited, ", "))
		}
		if r.f.Overwrite {
			return stale(SpecNewer, "Kept files are to be written again")
		}
		return verdict{false, Conflict, w.why}
	case Built, Unchecked:
	}
	if len(now.gone) > 0 {
		return stale(TestsGone, "Frozen tests are missing: "+strings.Join(now.gone, ", "))
	}
	if len(now.edited) > 0 {
		return verdict{false, Edited, editedText + strings.Join(now.edited, ", ")}
	}
	details := "Source code is up-to-date with spec"
	if m.change != Clean && !r.f.NoGit {
		details += fmt.Sprintf(" (%s, equal to the last compile)", m.change)
	} else if m.id != w.spec {
		details += " (only text outside the contract sections changed)"
	}
	if w.state == Unchecked {
		details += " (adopted without checks)"
	}
	return verdict{false, UpToDate, details}
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
	return spec.HashSymbols(mod.Symbols)
}

// byGit is the rule for modules without a record: a spec that is not committed is work to do. Of code beside any other nobody
// knows whether it does what the spec says, and nothing that git knows can tell.
func (r *run) byGit(m *module) verdict {
	if v, ok := m.uncommitted(); ok && !r.f.NoGit {
		return v
	}
	if !m.hasSource {
		return stale(NoSourceCode, "No source code files found (first compile)")
	}
	return verdict{false, Unverified, "Nothing records that this code was checked against its spec"}
}
