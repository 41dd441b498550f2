package check

import (
	"maps"
	"slices"

	"github.com/jacquard-build/jacquard/internal/source"
)

// replacements are the new and changed tests of a change, as those that may have taken the place of old ones: what such a test expected may be
// expected no longer.
type replacements struct {
	names map[string]bool            // what the changed sources declare
	calls map[string]map[string]bool // by the test's id
}

// replacementsIn reads the tests of a change that can fail.
func replacementsIn(audit Audit) replacements {
	r := replacements{calls: map[string]map[string]bool{}}
	var files []*file
	for _, ch := range audit.Changes {
		f := newFile(ch)
		files = append(files, f)
		if !mayTest(ch.Path) {
			continue
		}
		before := bodies(ch.Path, ch.Old)
		for _, t := range f.new.Tests {
			if t.Skipped || t.Empty() || t.AlwaysTrue() || before[t.Name] == body(f.new, t) {
				continue
			}
			r.calls[ch.Path+"::"+t.Name] = calls(f.new, t)
		}
	}
	r.names = Audit{SpecText: audit.SpecText}.functions(files)
	return r
}

// takeOver reports whether those of some tests call all that an old test called of the changed code.
func (r replacements) takeOver(f source.File, old source.Test, by func(id string) bool) bool {
	now := map[string]bool{}
	for id, called := range r.calls {
		if by(id) {
			maps.Copy(now, called)
		}
	}
	some := false
	for name := range calls(f, old) {
		if r.names[name] && !now[name] {
			return false
		}
		some = some || r.names[name]
	}
	return some
}

// replaced decides on old tests that are gone and fail with the change, once it is known which new ones fail without it: a test that does and calls
// what the old one called says what is expected now. A person is told.
func (p *taskProof) replaced() {
	red := func(id string) bool { return slices.Contains(p.proof.Red, id) }
	told := map[string][]test{}
	for _, id := range slices.Sorted(maps.Keys(p.leaving)) {
		if g := p.leaving[id]; g.fails && p.anew.takeOver(g.old, g.Test, red) {
			told[g.File] = append(told[g.File], g.test)
			delete(p.leaving, id)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(told)) {
		p.add(warn("expectation-changed", file, 0, otherExpectations(told[file])))
	}
}

// goneTest is an old test in whose place new ones may have come, and whether its old version fails with the change.
type goneTest struct {
	test
	old   source.File
	fails bool
}

// goneStill rejects tests that are gone and in whose place none has come.
func (p *taskProof) goneStill() {
	if p.failed || Rejected(p.proof.Findings) {
		return // it is not known yet
	}
	for _, id := range slices.Sorted(maps.Keys(p.leaving)) {
		p.add(gone(p.leaving[id].File, p.leaving[id].Name))
	}
}
