package check

import (
	"bytes"
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

// calledTwice are the ecosystems whose code is called with and without a change.
var calledTwice = []string{toolchain.Go, toolchain.Node, toolchain.Python, toolchain.Rust}

// kept are the exports of some changed files that were there before, and were called in the same way.
func kept(changes []Change) func(Change, step.Export) bool {
	was := map[[2]string]string{} // signatures, by file and name
	for _, ch := range changes {
		for _, e := range source.Parse(ch.Path, ch.Old).Exports {
			was[[2]string{ch.Path, e.Called()}] = e.Signature
		}
	}
	return func(ch Change, e step.Export) bool {
		signature, there := was[[2]string{ch.Path, e.Name}]
		return there && signature == e.Signature
	}
}

// comparison is what a module gives with a change and without it.
type comparison struct {
	c             *Checker
	m             Module
	before, after string // trees
	changes       []Change
}

// difference is a call that gives something else with a change.
type difference struct {
	file, call, old, now string

	fails, tested bool // with an error now; like a call of a test
}

// finding is a warning about the difference, with a sentence that says why it is told.
func (d difference) finding(why string) step.Finding {
	return warn("behavior-changed", d.file, 0, fmt.Sprintf("%s gives %s now, and gave %s before the change. %s", d.call, d.now, d.old, why))
}

// crash is an error that nobody means to give: code that gives something else now is better for it.
var crash = re.New(`^(panic: runtime error|(TypeError|AttributeError|NameError|UnboundLocalError|ReferenceError|RecursionError)\b)`)

// crashed reports whether a call before the change gave an error that its code does not raise itself.
func (d comparison) crashed(file string, o example.Outcome) bool {
	if !crash().MatchString(o.Given()) {
		return false
	}
	const enough = 12 // of a text with a value in it
	raised := o.Error != nil && len(o.Error.Text) >= enough && bytes.Contains(changeOf(d.changes, file).Old, []byte(o.Error.Text[:enough]))
	return !raised
}

// asks is the name of the function or method that an example asks in the end.
func asks(e example.Example) string { return bareName(e.Call[len(e.Call)-1].Name) }

// own are the literals in the lines that the change wrote.
func (d comparison) own() (out []example.Value) {
	for _, file := range d.m.Place.Sources {
		out = append(out, asksFor(changeOf(d.changes, file))...)
	}
	return out
}

// differences calls what was there before with other inputs than tests do. asked are calls of tests, from which those of functions that are
// named are left out.
// What fails now comes first, and of each file there are few.
func (d comparison) differences(ctx context.Context, asked []example.Example, named func(string) bool) (out []difference, err error) {
	asked = without(d.bare(asked), func(e example.Example) bool { return named(asks(e)) })
	own, most := d.own(), mostUnusual*len(d.m.Place.Sources)
	list := append(example.Near(fewOfEach(asked), most, own), example.Unusual(asked, most)...)
	tested := len(list) // by what tests call
	list = append(list, d.plain(own, func(name string) bool {
		return named(name) || slices.ContainsFunc(asked, func(e example.Example) bool { return e.Symbol() == name })
	})...)
	if len(list) == 0 {
		return nil, nil
	}
	old, now, err := d.outcomes(ctx, list)
	if err != nil {
		return nil, err
	}
	told := map[string]int{}
	for _, failing := range []bool{true, false} {
		for i, e := range list {
			file := d.declaring(e.Symbol())
			if told[file] >= mostDiffer || d.crashed(file, old[i]) || sameOutcome(old[i], now[i]) || failing != failsNow(old[i], now[i]) {
				continue
			}
			told[file]++
			out = append(out, difference{file: file, call: e.Calls(), old: old[i].Given(), now: now[i].Given(), fails: failing, tested: i < tested})
		}
	}
	return out, nil
}

// bare are calls without what is asked of their results at the end: line("a").lower() is line("a").
func (d comparison) bare(list []example.Example) (out []example.Example) {
	funcs := map[string]bool{}
	for _, file := range d.m.Place.Sources {
		for _, fn := range source.Parse(file, changeOf(d.changes, file).New).Funcs {
			funcs[bareName(fn.Name)] = true
		}
	}
	for _, e := range list {
		for e = e.Clone(); len(e.Call) > 1 && !funcs[asks(e)]; {
			e.Call, e.Want = e.Call[:len(e.Call)-1], example.Want{}
		}
		if e.Text = e.Calls(); funcs[asks(e)] {
			out = append(out, e)
		}
	}
	return out
}

// outcomes is what calls give without the change and with it.
func (d comparison) outcomes(ctx context.Context, list []example.Example) (old, now []example.Outcome, err error) {
	if now, err = d.c.outcomes(ctx, d.m, d.after, list); err != nil {
		return nil, nil, err
	}
	d.m.Base = d.before // with what was installed then
	old, err = d.c.outcomes(ctx, d.m, d.before, list)
	return old, now, err
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
func (d comparison) plain(own []example.Value, skip func(name string) bool) (out []example.Example) {
	acts := func(name string) bool {
		names := acting[d.m.Chain.Ecosystem]
		return names != nil && names().MatchString(name)
	}
	for _, file := range d.m.Place.Sources {
		f := source.Parse(file, changeOf(d.changes, file).New)
		if slices.ContainsFunc(f.Imports, func(i source.Import) bool { return strange().MatchString(i.From) }) ||
			slices.ContainsFunc(f.Tokens, func(t source.Token) bool { return t.Kind == source.Ident && acts(t.Text) }) {
			continue
		}
		var calls [][]example.Example
		for _, e := range f.Exports {
			if e.Kind == "function" && e.Owner == "" && d.m.exports(e.Called()) && !skip(e.Called()) {
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
const mostOwn, longOwn = 16, 40

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
func (d comparison) declaring(name string) string {
	i := slices.IndexFunc(d.m.Place.Sources, func(file string) bool {
		return slices.ContainsFunc(source.Parse(file, changeOf(d.changes, file).New).Exports, func(e source.Export) bool { return e.Called() == name })
	})
	return d.m.Place.Sources[max(0, i)]
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
