package check

import (
	"maps"
	"slices"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mostShown bounds what is said of the pieces of a change, and of the tests of one.
const mostShown = 100

// tester is a test with the names that stand in it.
type tester struct {
	test

	names map[string]bool
}

// shown says of each piece of code that has changed which tests show it: those that name it, or what calls it in its file.
func (p *taskProof) shown() (out []step.Shown) {
	users := map[string][]tester{} // by the files that they are in, which several pieces share
	for _, ch := range p.changes {
		if ch.Status == 'D' || !toolchain.IsSource(ch.Path) || len(p.code([]string{ch.Path})) == 0 {
			continue
		}
		using := p.usersOf(ch, users)
		naming := func(names map[string]bool) []test {
			return each(those(using, func(u tester) bool { return share(u.names, names) }), func(u tester) test { return u.test })
		}
		code := codeOf(ch.Path, ch.New)
		f, was, is := source.Parse(ch.Path, code), functions(ch.Path, codeOf(ch.Path, ch.Old)), functions(ch.Path, code)
		whole := len(out)
		for _, fn := range f.Funcs {
			if was[fn.Name] != is[fn.Name] && len(out) < mostShown {
				out = append(out, p.showing(ch.Path+"::"+fn.Name, naming(callersIn(f, fn.Name))))
			}
		}
		if len(out) == whole && len(out) < mostShown { // a constant, a type
			out = append(out, p.showing(ch.Path, naming(setOf(each(exportsOf(ch), func(e step.Export) string { return e.Name })))))
		}
	}
	return out
}

// callersIn are the last parts of the names of a function and of all that call it in its file.
func callersIn(f source.File, function string) map[string]bool {
	out := map[string]bool{bareName(function): true}
	for before := 0; len(out) > before; {
		before = len(out)
		for _, fn := range f.Funcs {
			if share(namesIn(within(f.Tokens, fn.Off, fn.Stop)), out) {
				out[bareName(fn.Name)] = true
			}
		}
	}
	return out
}

// showing is a piece of code with what its tests show of it.
func (p *taskProof) showing(name string, tests []test) step.Shown {
	red := those(tests, func(t test) bool { return slices.Contains(p.proof.Red, t.ID) })
	green := those(tests, func(t test) bool { return !slices.Contains(p.proof.Red, t.ID) && t.in(p.proof.Results) == step.Pass })
	s := step.Shown{Name: name, Level: step.NotChecked, Red: firstOf(idsOf(red)), Green: firstOf(idsOf(green))}
	switch {
	case len(red) > 0:
		s.Level = step.Proved
	case len(green) > 0:
		s.Level = step.Covered
	}
	return s
}

func firstOf(ids []string) []string { return ids[:min(len(ids), mostShown)] }

// usersOf are the tests that use a changed file; known are those that were looked at before, by their files.
func (p *taskProof) usersOf(ch Change, known map[string][]tester) (out []tester) {
	text := map[string][]byte{ch.Path: ch.New}
	for _, f := range p.testsOf(ch.Path) {
		text[f.Path] = p.near[f.Path].src
	}
	for _, other := range p.changes {
		if _, ok := text[other.Path]; ok {
			text[other.Path] = other.New
		}
	}
	for _, name := range slices.Sorted(maps.Keys(text)) {
		if _, ok := known[name]; !ok {
			f := source.Parse(name, text[name])
			known[name] = each(testsIn(f), func(t test) tester { return tester{t, mentions(f, t.Test)} })
		}
		out = append(out, known[name]...)
	}
	return out
}

// Passes reports whether a test passes: itself, or all that is a part of it.
func Passes(results []step.TestResult, id string) bool {
	file, name := toolchain.SplitID(id)
	return test{source.Test{Name: name, Open: true}, id, file}.in(results) == step.Pass
}
