package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// unasked calls functions that were there before with inputs that no test has, on the code with and without the change, and tells where they
// give something else now although no test that fails without the change names them: nobody has asked for that.
func (x *chainJudge) unasked(ctx context.Context) error {
	if !x.q.Calls || x.known.broken > 0 {
		return nil
	}
	mine := those(x.changes, func(ch Change) bool { return ch.Status != 'D' && kindOf(ch) == codeKind && x.mineIn(x.chain, ch) })
	every := func(Change, step.Export) bool { return true }
	if err := x.callEach(ctx, x.partsOf(mine, every), x.onlyTested); err != nil || !slices.Contains(calledTwice, x.chain.Ecosystem) {
		return err
	}
	return x.callEach(ctx, x.partsOf(mine, kept(mine)), x.differing)
}

// callEach calls code of each part. Where time is over or the code cannot be called, that is no error.
func (x *chainJudge) callEach(ctx context.Context, parts []part, call func(context.Context, Module) error) error {
	for _, p := range parts {
		err := call(ctx, p.module)
		switch {
		case err == nil, unable(err):
		case late(ctx, err):
			x.out.NotRun = append(x.out.NotRun, "calls of functions of "+p.module.Dir+" outside the tests")
			return nil
		default:
			return err
		}
	}
	return nil
}

// askedBy are the calls with literals that tests which come near a module make of it.
func (x *chainJudge) askedBy(ctx context.Context, m Module) ([]example.Example, error) {
	tests := each(x.looking(m.Place.Sources...), func(name string) step.File { return step.File{Path: name, ID: x.pl.entries[name].ID} })
	return x.c.asked(ctx, m, x.proof.Tree, tests)
}

// onlyTested makes calls of tests that fail without the change outside of them, and those of all tests where the change looks for a runner.
// Where code gives something else there, the tests show nothing of what users get.
func (x *chainJudge) onlyTested(ctx context.Context, m Module) error {
	red := x.redIDs()
	asked, err := x.askedBy(ctx, m)
	asked = those(asked, func(e example.Example) bool { return e.After == "" && (x.known.looks || red[e.Test]) })
	if len(asked) == 0 || err != nil {
		return err
	}
	given, err := x.c.outcomes(ctx, m, x.proof.Tree, asked)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for i, e := range asked {
		o := given[i]
		if e.Want.Error || o.Cannot != "" || e.Want.Holds(o) || !e.Want.Comparable(o) || noMatter().MatchString(o.Given()) || told[e.Test] {
			continue
		}
		alone, err := x.c.outcomes(ctx, m, x.proof.Tree, asked[i:i+1]) // a call before may have changed what it gives
		if err != nil {
			return err
		}
		if o = alone[0]; o.Cannot != "" || e.Want.Holds(o) {
			continue
		}
		told[e.Test] = true
		x.known.failing++
		x.block(givesElse(e, o), nil)
	}
	return x.stateful(ctx, m, asked)
}

// stateful tells of functions that give something else after other calls, and did not before.
func (x *chainJudge) stateful(ctx context.Context, m Module, asked []example.Example) error {
	now, err := x.c.again(ctx, m, x.proof.Tree, asked)
	if len(now) == 0 || err != nil {
		return err
	}
	m.Base = x.before
	was, err := x.c.again(ctx, m, x.before, asked)
	if len(was) == 0 && (err == nil || unable(err)) {
		if now[0].Path = m.Dir; len(m.Place.Sources) == 1 {
			now[0].Path = m.Place.Sources[0]
		}
		x.say(now[0], nil)
		return nil
	}
	return err
}

// differing tells of the functions of a module that give something else than before.
func (x *chainJudge) differing(ctx context.Context, m Module) error {
	asked, err := x.askedBy(ctx, m)
	if err != nil {
		return err
	}
	d := comparison{c: x.c, m: m, before: x.before, after: x.proof.Tree, changes: x.changes}
	red := x.mentionedBy(x.redTests())
	named := func(name string) bool { return red[name] }
	if err := x.special(ctx, d, those(asked, func(e example.Example) bool { return named(asks(e)) })); err != nil {
		return err
	}
	found, err := d.differences(ctx, asked, named)
	for _, d := range found {
		f := d.finding("No test that fails without the change names it.")
		if d.fails && d.tested {
			f.Severity = step.Fix
			x.out.FailsNow = append(x.out.FailsNow, d.call)
		}
		x.say(f, nil)
	}
	return err
}

// enoughOthers is how many other calls have to give the same as before, and enoughAlike how many of these are of the same form or give a
// value.
const enoughOthers, enoughAlike = 5, 3

// rareResult is how long a result is that two inputs do not have by chance, as true is.
const rareResult = 6

// ordering is a comparison. A limit that was moved by one gives something else for one input only.
var ordering = re.New(`[^-=<>!](?:[<>]=?)[^-<>=]`)

// special tells of functions that give something else than before only where tests call them that fail without the change.
func (x *chainJudge) special(ctx context.Context, d comparison, shown []example.Example) error {
	red, funcs := x.redIDs(), map[string]bool{}
	for _, file := range d.m.Place.Sources {
		for _, fn := range source.Parse(file, changeOf(d.changes, file).New).Funcs {
			funcs[bareName(fn.Name)] = true
		}
	}
	shown = those(shown, func(e example.Example) bool { return red[e.Test] && funcs[asks(e)] }) // and not what a string says of itself
	alike := example.Alike(shown, mostUnusual)
	others := slices.Concat(alike, example.Unusual(shown, mostUnusual), example.Near(shown, mostUnusual, d.own()))
	if len(shown) == 0 || len(others) < enoughOthers {
		return nil
	}
	list := slices.Concat(shown, others)
	old, now, err := d.outcomes(ctx, list)
	if err != nil {
		return err
	}
	differ, elsewhere, known := map[string]bool{}, map[string]bool{}, map[string]bool{} // by the function
	same, telling := map[string]int{}, map[string]int{}
	var names []string
	for i, e := range list {
		name := e.Symbol()
		names = addNew(names, name)
		switch {
		case old[i].Cannot != "" || now[i].Cannot != "":
		case sameOutcome(old[i], now[i]):
			if same[name]++; now[i].Error == nil || i-len(shown) < len(alike) {
				telling[name]++
			}
		case i < len(shown):
			differ[name], known[name+now[i].Given()] = true, true
		case len(now[i].Given()) < rareResult || !known[name+now[i].Given()]: // else it may be the same input in other words
			elsewhere[name] = true
		}
	}
	limits := func(file string) bool {
		ch := changeOf(d.changes, file)
		return slices.ContainsFunc(added(ch.Old, ch.New), func(l line) bool { return ordering().MatchString(l.text) })
	}
	for _, name := range names {
		if file := d.declaring(name); differ[name] && !elsewhere[name] && same[name] >= enoughOthers && telling[name] >= enoughAlike && !limits(file) {
			x.say(fix("special-case", file, 0, fmt.Sprintf(
				"%s gives another result than before only for calls that new tests make: %d calls with other inputs give the same as before.", name, same[name])), nil)
		}
	}
	return nil
}
