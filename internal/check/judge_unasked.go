package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Limits of the calls that are made with and without a change.
const (
	mostUnusual = 60 // of each file
	mostDiffer  = 3  // that are told, of each file
)

// unasked calls functions that were there before with inputs that no test has, on the code with and without the change, and tells where they
// give something else now although no test that fails without the change names them: nobody has asked for that.
func (x *chainJudge) unasked(ctx context.Context) error {
	if !x.q.Calls || x.known.broken > 0 || !slices.Contains([]string{toolchain.Go, toolchain.Node, toolchain.Python}, x.chain.Ecosystem) {
		return nil
	}
	var mine []Change
	was := map[[2]string]string{} // signatures, by file and name
	for _, ch := range x.changes {
		if ch.Status == 'M' && kindOf(ch) == codeKind && x.mineIn(x.chain, ch) {
			mine = append(mine, ch)
			for _, e := range source.Parse(ch.Path, ch.Old).Exports {
				was[[2]string{ch.Path, e.Called()}] = e.Signature
			}
		}
	}
	for _, p := range x.partsOf(mine, func(ch Change, e step.Export) bool {
		signature, there := was[[2]string{ch.Path, e.Name}]
		return there && signature == e.Signature
	}) {
		err := x.differing(ctx, p.module)
		switch {
		case err == nil, unable(err):
		case late(ctx, err):
			x.out.NotRun = append(x.out.NotRun, "calls of functions of "+p.module.Dir+" with unusual inputs")
			return nil
		default:
			return err
		}
	}
	return nil
}

// differing tells of the functions of a module that give something else than before.
func (x *chainJudge) differing(ctx context.Context, m Module) error {
	tests := each(x.looking(m.Place.Sources...), func(name string) step.File { return step.File{Path: name, ID: x.pl.entries[name].ID} })
	asked, err := x.c.asked(ctx, m, x.proof.Tree, tests)
	if err != nil {
		return err
	}
	named := x.mentionedBy(x.redTests())
	asked = slices.DeleteFunc(asked, func(e example.Example) bool { return named[bareName(e.Call[len(e.Call)-1].Name)] })
	var own []example.Value
	for _, file := range m.Place.Sources {
		own = append(own, asksFor(x.change(file))...)
	}
	list := append(example.Near(fewOfEach(asked), mostUnusual*len(m.Place.Sources), own), example.Unusual(asked, mostUnusual*len(m.Place.Sources))...)
	tested := len(list) // by what tests call
	list = append(list, x.plain(m, own, func(name string) bool {
		return named[name] || slices.ContainsFunc(asked, func(e example.Example) bool { return e.Symbol() == name })
	})...)
	if len(list) == 0 {
		return nil
	}
	now, err := x.c.outcomes(ctx, m, x.proof.Tree, list)
	if err != nil {
		return err
	}
	m.Base = x.before // with what was installed then
	old, err := x.c.outcomes(ctx, m, x.before, list)
	if err != nil {
		return err
	}
	told := map[string]int{}
	for _, failing := range []bool{true, false} { // what fails now comes first
		for i, e := range list {
			file := x.declaring(m, e.Symbol())
			if told[file] >= mostDiffer || sameOutcome(old[i], now[i]) || failing != failsNow(old[i], now[i]) {
				continue
			}
			told[file]++
			f := warn("behavior-changed", file, 0, fmt.Sprintf("%s gives %s now, and gave %s before the change. No test that fails without the change names it.",
				e.Calls(), now[i].Given(), old[i].Given()))
			if failing && i < tested {
				f.Severity = step.Fix
				x.out.FailsNow = append(x.out.FailsNow, e.Calls())
			}
			x.say(f, nil)
		}
	}
	return nil
}

// strange are packages that act on the machine or on others. Nobody calls a function with inputs of his own where these are near.
var strange = re.New(`^(node:)?(os|os/.*|syscall|net|net/.*|io/ioutil|database/.*|plugin|unsafe|.*/sys|.*/(unix|windows)|` +
	`subprocess|shutil|socket|signal|pathlib|tempfile|glob|ctypes|multiprocessing|threading|asyncio|urllib.*|http.*|ftplib|smtplib|requests|sqlite3|` +
	`fs|fs/.*|child_process|process|cluster|worker_threads|tls|dgram|dns)$`)

// acting are names of a toolchain's language that do so.
var acting = map[string]re.Regexp{
	toolchain.Python: re.New(`^(open|exec|eval|compile|input|__import__)$`),
	toolchain.Node:   re.New(`^(eval|fetch|require|process|Deno|Bun|globalThis|window|document)$`),
}

// plain are calls, with values of the types that they take, of functions that no test calls with literals. They read and write nothing
// outside of the program, as far as their file says.
func (x *chainJudge) plain(m Module, own []example.Value, skip func(name string) bool) (out []example.Example) {
	acts := func(name string) bool {
		names := acting[x.chain.Ecosystem]
		return names != nil && names().MatchString(name)
	}
	for _, file := range m.Place.Sources {
		f := source.Parse(file, x.change(file).New)
		if slices.ContainsFunc(f.Imports, func(i source.Import) bool { return strange().MatchString(i.From) }) ||
			slices.ContainsFunc(f.Tokens, func(t source.Token) bool { return t.Kind == source.Ident && acts(t.Text) }) {
			continue
		}
		var calls [][]example.Example
		for _, e := range f.Exports {
			if e.Kind == "function" && e.Owner == "" && m.exports(e.Called()) && !skip(e.Called()) {
				calls = append(calls, example.Plain(e.Called(), e.Signature, f.Lang, own))
			}
		}
		list := example.InTurn(calls)
		out = append(out, list[:min(len(list), mostUnusual)]...)
	}
	return out
}

// fewOfEach are two calls of each function.
func fewOfEach(list []example.Example) []example.Example {
	seen := map[string]int{}
	return those(list, func(e example.Example) bool {
		seen[e.Symbol()]++
		return seen[e.Symbol()] <= 2
	})
}

// mostOwn and longOwn bound the values that are taken from changed code.
const mostOwn, longOwn = 6, 40

// asksFor are the literals in the lines that a change wrote.
func asksFor(ch Change) (out []example.Value) {
	known := map[string]bool{}
	for _, t := range written(ch, source.Parse(ch.Path, ch.New)) {
		if v, ok := example.Literal(t.Text); ok && (t.Kind == source.String || t.Kind == source.Number) && len(t.Text) <= longOwn && !known[t.Text] && len(out) < mostOwn {
			known[t.Text] = true
			out = append(out, v)
		}
	}
	return out
}

// failsNow reports whether a call that gave a value before gives an error now.
func failsNow(old, now example.Outcome) bool {
	return now.Error != nil && old.Error == nil && old.Cannot == ""
}

// declaring is the source of a module that exports a name.
func (x *chainJudge) declaring(m Module, name string) string {
	i := slices.IndexFunc(m.Place.Sources, func(file string) bool {
		return slices.ContainsFunc(source.Parse(file, x.change(file).New).Exports, func(e source.Export) bool { return e.Called() == name })
	})
	return m.Place.Sources[max(0, i)]
}

// outcomes is what calls give on a tree, each time they are made; what differs from itself is as if it could not be called.
func (c *Checker) outcomes(ctx context.Context, m Module, tree string, list []example.Example) (out []example.Outcome, err error) {
	u, err := c.userOf(ctx, m, tree)
	if err != nil {
		return nil, err
	}
	defer func() { err = joinClose(err, u.place) }()
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
