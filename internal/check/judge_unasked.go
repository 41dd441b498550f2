package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Limits of the calls that are made with and without a change.
const (
	mostUnusual = 60
	mostDiffer  = 3 // that are told, of one file
)

// unasked calls functions that were there before with inputs that no test has, on the code with and without the change, and tells where they
// give something else now although no test that fails without the change names them: nobody has asked for that.
func (x *chainJudge) unasked(ctx context.Context) error {
	if !x.q.Calls || x.known.broken > 0 || !slices.Contains([]string{toolchain.Go, toolchain.Node, toolchain.Python}, x.chain.Ecosystem) {
		return nil
	}
	for _, ch := range x.changes {
		if ch.Status != 'M' || kindOf(ch) != codeKind || !x.mineIn(x.chain, ch) || onlyTypes(ch.Path) {
			continue
		}
		err := x.differing(ctx, ch)
		_, missing := errors.AsType[*EnvironmentError](err)
		_, compiled := errors.AsType[*compileError](err)
		switch {
		case err == nil, missing, compiled, errors.Is(err, ErrSetup):
		case late(ctx, err):
			return nil // it is told besides
		default:
			return err
		}
	}
	return nil
}

// differing tells of the functions of one file that give something else than before.
func (x *chainJudge) differing(ctx context.Context, ch Change) error {
	m := Module{Dir: path.Dir(ch.Path), Chain: x.chain, Place: toolchain.Placement{Dir: path.Dir(ch.Path), Language: toolchain.LanguageOf(ch.Path), Sources: []string{ch.Path}}}
	was := map[string]string{}
	for _, e := range source.Parse(ch.Path, ch.Old).Exports {
		was[e.Called()] = e.Signature
	}
	for _, e := range exportsOf(ch) {
		if was[e.Name] == e.Signature {
			m.Exports = append(m.Exports, e)
		}
	}
	asked, err := x.c.asked(ctx, m, x.proof.Tree, x.testsNear(ch.Path))
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, t := range x.fresh {
		if slices.ContainsFunc(x.out.Red, func(r RedTest) bool { return r.ID == t.ID }) {
			for name := range mentions(source.Parse(t.File, x.files[t.File]), t.Test) {
				named[name] = true
			}
		}
	}
	asked = slices.DeleteFunc(asked, func(e example.Example) bool { return named[bareName(e.Call[len(e.Call)-1].Name)] })
	list := example.Unusual(asked, mostUnusual)
	if len(list) == 0 {
		return nil
	}
	now, err := x.c.outcomes(ctx, m, x.proof.Tree, list)
	if err != nil {
		return err
	}
	old, err := x.c.outcomes(ctx, m, x.before, list)
	if err != nil {
		return err
	}
	told := 0
	for i, e := range list {
		if told < mostDiffer && !sameOutcome(old[i], now[i]) {
			told++
			x.say(warn("behavior-changed", ch.Path, 0, fmt.Sprintf("%s gives %s now, and gave %s before the change. No test that fails without the change names it.",
				e.Calls(), now[i].Given(), old[i].Given())), nil)
		}
	}
	return nil
}

// testsNear are the files of tests that come near a source, as they are now.
func (x *chainJudge) testsNear(file string) (out []step.File) {
	r := reach(x.chain, x.files, x.holdsTests, []string{file})
	for _, name := range x.runnable(slices.Concat(r.near, r.far)) {
		out = append(out, step.File{Path: name, ID: x.pl.entries[name].ID})
	}
	return out[:min(mostFar, len(out))]
}

// outcomes is what calls give on a tree, each time they are made; what differs from itself is as if it could not be called.
func (c *Checker) outcomes(ctx context.Context, m Module, tree string, list []example.Example) (out []example.Outcome, err error) {
	bare, without, err := c.withoutTests(ctx, tree)
	if err != nil {
		return nil, err
	}
	p, err := c.open(ctx, step.OnExamples, bare, cmp.Or(m.Base, tree), m.Chain)
	if err != nil {
		return nil, err
	}
	defer func() { err = joinClose(err, p) }()
	u := &user{place: p, m: m, without: without}
	if out, err = u.try(ctx, list, true); err != nil {
		return nil, err
	}
	again, err := u.try(ctx, list, true)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if !sameOutcome(out[i], again[i]) {
			out[i] = example.Outcome{Cannot: "it gives something else each time"}
		}
	}
	return out, nil
}
