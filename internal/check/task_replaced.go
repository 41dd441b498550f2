package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
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
			r.calls[ch.Path+"::"+t.Name] = f.reaches(t)
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
	told, used := map[string][]test{}, map[string]bool{} // a test takes the place of one
	for _, id := range slices.Sorted(maps.Keys(p.leaving)) {
		g := p.leaving[id]
		if i := slices.IndexFunc(g.heirs, func(h test) bool { return red(h.ID) && !used[h.ID] }); i >= 0 {
			used[g.heirs[i].ID] = true
			p.add(warn("test-deleted", g.File, g.heirs[i].Line, "The test "+g.heirs[i].Name+" takes the place of "+g.Name+", which passes with the change as well."))
			delete(p.leaving, id)
		} else if g.fails && p.anew.takeOver(g.old, g.Test, red) {
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
	heirs []test // it passes with the change: new tests that ask what it asked, and perhaps more
}

// goneAndPasses rejects a test that is gone although it passes with the change.
func goneAndPasses(t test) step.Finding {
	return reject("test-deleted", t.File, 0, "The test "+t.Name+" is gone, but it passes with the change. Put it back; a test may go only if the behavior that it checks has changed.")
}

// heirs are the new tests of a file that an old one of it may go on as, with another name and further expectations: they have most of its words
// and of its code, all its values, as what it expects still holds, and assert no less. Whether one says what is new is seen when it is run
// without the change.
func (p *taskProof) heirs(old test) []test {
	for _, ch := range p.changes {
		if ch.Path != old.File || ch.NewID == "" {
			continue
		}
		f := newFile(ch)
		before := byName(f.old)
		was := strings.Fields(body(f.old, before[old.Name]))
		return those(testsIn(f.new), func(t test) bool {
			return succeeds(t.Test, before[old.Name], before) && mostly(wordsOf(old.Name), wordsOf(t.Name)) && mostly(was, strings.Fields(body(f.new, t.Test))) &&
				keepsValues(f, before[old.Name], t.Test)
		})
	}
	return nil
}

// goneStill rejects tests that are gone and in whose place none has come.
func (p *taskProof) goneStill() {
	if p.failed || Rejected(p.proof.Findings) {
		return // it is not known yet
	}
	for _, id := range slices.Sorted(maps.Keys(p.leaving)) {
		if g := p.leaving[id]; len(g.heirs) > 0 {
			p.add(goneAndPasses(g.test))
		} else {
			p.add(gone(g.File, g.Name))
		}
	}
}

// renamed are the tests of a file that went on under another name, by the name that they had.
func (p *taskProof) renamed(f *file) map[string]source.Test {
	before, still := byName(f.old), byName(f.new)
	gone := without(f.old.Tests, func(t source.Test) bool { _, there := still[t.Name]; return there })
	if len(gone) == 0 {
		return nil
	}
	if p.names == nil {
		p.names = Audit{SpecText: p.t.text()}.functions(each(p.changes, newFile))
	}
	out, used := map[string]source.Test{}, map[string]bool{}
	for _, t := range gone {
		if now, ok := rewritten(f, t, before, used, p.names, true); ok {
			out[t.Name] = now
		}
	}
	return out
}
