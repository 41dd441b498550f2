package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// unasked calls functions that were there before with inputs that no test has, on the code with and without the change, and tells where they
// give something else now although no test that fails without the change names them: nobody has asked for that.
func (x *chainJudge) unasked(ctx context.Context) error {
	if !x.q.Calls || x.known.broken > 0 {
		return nil
	}
	mine := x.writes()
	every := func(Change, step.Export) bool { return true }
	if err := x.callEach(ctx, x.partsOf(mine, every), x.onlyTested); err != nil || !slices.Contains(calledTwice, x.chain.Ecosystem) {
		return err
	}
	return x.callEach(ctx, x.partsOf(mine, kept(mine)), x.differing)
}

// callEach calls code of each part. Where time is over or the code cannot be called, that is no error.
func (x *chainJudge) callEach(ctx context.Context, parts []part, call func(context.Context, Module) error) error {
	for _, p := range parts {
		if err := call(ctx, p.module); err != nil && !unable(err) {
			return x.orLate(ctx, err, "calls of functions of "+p.module.Dir+" outside the tests")
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
	if err == nil {
		err = x.onlyErrors(ctx, m, asked)
	}
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

// onlyErrors tells of functions that tests call only for errors, and that give nothing else.
func (x *chainJudge) onlyErrors(ctx context.Context, m Module, asked []example.Example) error {
	by := groups(asked, func(e example.Example) string { return e.Symbol() })
	red, tests := x.redIDs(), x.pl.testsOf(x.looking(m.Place.Sources...))
	// others name a function in a way that is not read.
	others := func(name string, calls []example.Example) bool {
		return slices.ContainsFunc(tests, func(t test) bool {
			return mentions(source.Parse(t.File, x.files[t.File]), t.Test)[bareName(name)] && !slices.ContainsFunc(calls, func(e example.Example) bool { return e.Test == t.ID })
		})
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		calls := by[name]
		shown := slices.ContainsFunc(calls, func(e example.Example) bool { return red[e.Test] })
		inputs := slices.Concat(example.Alike(calls, fewOthers), example.Unusual(calls, fewOthers), example.Others(calls))
		works := slices.ContainsFunc(calls, func(e example.Example) bool { return !e.Want.Error })
		if !shown || works || len(inputs) < fewOthers || others(name, calls) {
			continue
		}
		got, err := x.c.outcomes(ctx, m, x.proof.Tree, inputs)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(got, func(o example.Outcome) bool { return o.Error == nil }) {
			x.say(fix("ignored-parameter", m.where(), 0, fmt.Sprintf("%s gives an error for each of %d inputs, and tests expect nothing else. Test an input that works.", name, len(calls)+len(got))), nil)
		}
	}
	return nil
}

// stateful tells of functions that give something else after other calls, and did not before.
func (x *chainJudge) stateful(ctx context.Context, m Module, asked []example.Example) error {
	asked = those(asked, func(e example.Example) bool { return len(e.Inputs()) > 0 }) // what is given nothing can only have a state
	now, err := x.c.again(ctx, m, x.proof.Tree, asked)
	if len(now) == 0 || err != nil {
		return err
	}
	m.Base = x.before
	was, err := x.c.again(ctx, m, x.before, asked)
	if len(was) == 0 && (err == nil || unable(err)) {
		now[0].Path = m.where()
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

// ordering are comparisons. A limit that was moved by one gives something else for one input only.
var ordering = []string{"<", ">", "<=", ">="}

// special tells of functions that tests name which fail without the change: where they give something else than before only for the calls of
// these tests, and where errors became one value that no test expects.
func (x *chainJudge) special(ctx context.Context, d comparison, calls []example.Example) error {
	red := x.redIDs()
	calls = d.bare(calls)
	alike := example.Alike(calls, mostUnusual)
	list := slices.Concat(calls, alike, example.Unusual(calls, mostUnusual), example.Near(calls, mostUnusual, d.own()))
	if len(list) == 0 {
		return nil
	}
	old, now, err := d.outcomes(ctx, list)
	if err != nil {
		return err
	}
	seen := map[string]*unlike{}
	var names []string
	for i, e := range list {
		name := e.Symbol()
		if names = addNew(names, name); seen[name] == nil {
			seen[name] = &unlike{known: map[string]bool{}, silenced: map[string][]string{}}
		}
		switch u := seen[name]; {
		case old[i].Cannot != "" || now[i].Cannot != "":
		case i < len(calls) && red[e.Test]:
			u.asked(e, old[i], now[i])
		default:
			u.other(e, old[i], now[i], i >= len(calls) && i < len(calls)+len(alike))
		}
	}
	writes := func(file string, is func(source.Token) bool) bool { // the change, in its new lines
		ch := changeOf(d.changes, file)
		lines := newLines(ch.Old, ch.New)
		return slices.ContainsFunc(source.Code(source.Tokens(ch.Path, ch.New)), func(t source.Token) bool { return lines[t.Line] && is(t) })
	}
	limit := func(t source.Token) bool { return slices.Contains(ordering, t.Text) }
	for _, name := range names {
		u, file := seen[name], d.declaring(name)
		if u.differ && !u.elsewhere && u.same >= enoughOthers && u.telling >= enoughAlike && !writes(file, limit) && (u.gives || writes(file, u.names)) {
			x.say(fix("special-case", file, 0, fmt.Sprintf(
				"%s gives another result than before only for calls that new tests make: %d calls with other inputs give the same as before.", name, u.same)), nil)
		}
		for _, value := range slices.Sorted(maps.Keys(u.silenced)) {
			silent := u.silenced[value]
			wanted := slices.ContainsFunc(calls, func(e example.Example) bool { return e.Symbol() == name && e.Want.Value.String() == value })
			if len(silent) >= enoughAlike && !wanted {
				x.say(fix("behavior-changed", file, 0, fmt.Sprintf(
					"%s gives %s now where it gave an error before, such as for %s. No test expects that.", name, value, silent[0])), nil)
			}
		}
	}
	return nil
}

// unlike is what a function gives with a change that it did not give before.
type unlike struct {
	differ, elsewhere bool                // to new tests, to others
	gives             bool                // a value to new tests; else it only refuses what it took before
	inputs            []string            // of what differs
	same, telling     int                 // calls of others that give the same, those of them that could tell
	known             map[string]bool     // what new tests call, in its plain form
	silenced          map[string][]string // calls that gave errors, by the value that they give now
}

// asked takes in what a call of a new test gives.
func (u *unlike) asked(e example.Example, old, now example.Outcome) {
	if !sameOutcome(old, now) {
		u.differ, u.known[plainForm(e)] = true, true
		u.gives, u.inputs = u.gives || now.Error == nil, append(u.inputs, e.Inputs()...)
	}
}

// names reports whether a token is an input of a new test.
func (u *unlike) names(t source.Token) bool {
	return (t.Kind == source.String || t.Kind == source.Number) && slices.Contains(u.inputs, strings.Trim(t.Text, "\"'`"))
}

// plainForm is a call in small letters and digits: the same input may be written in other ways.
func plainForm(e example.Example) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, e.Calls())
}

// other takes in what another call gives, which may be of the same form as one of a new test.
func (u *unlike) other(e example.Example, old, now example.Outcome, alike bool) {
	if sameOutcome(old, now) {
		if u.same++; now.Error == nil || alike {
			u.telling++
		}
		return
	}
	u.elsewhere = u.elsewhere || !u.known[plainForm(e)]
	if old.Error != nil && now.Error == nil {
		u.silenced[now.Given()] = append(u.silenced[now.Given()], e.Calls())
	}
}
