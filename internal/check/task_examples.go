package check

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// part is what a task has changed in one directory and one language.
type part struct {
	module Module
	tests  []step.File
}

// partsOf are the sources of some changes, with those of their exports that are wanted and the tests that use them.
func (p *taskProof) partsOf(changes []Change, wanted func(Change, step.Export) bool) []part {
	var out []part
	beside := pathsOf(those(p.changes, func(ch Change) bool { return p.besides(ch.Path) }))
	for _, ch := range changes {
		chain, ok := p.chainOf(ch.Path)
		if ch.Status == 'D' || !toolchain.IsSource(ch.Path) || onlyTypes(ch.Path) || !ok {
			continue
		}
		lang := toolchain.LanguageOf(ch.Path)
		at := slices.IndexFunc(out, func(x part) bool { return x.module.Dir == path.Dir(ch.Path) && x.module.Place.Language == lang })
		if at < 0 {
			at = len(out)
			m := p.moduleAt(ch.Path, chain)
			m.Besides = beside
			out = append(out, part{module: m})
		}
		x := &out[at]
		x.module.Place.Sources = append(x.module.Place.Sources, ch.Path)
		x.module.Exports = append(x.module.Exports, those(exportsOf(ch), func(e step.Export) bool { return wanted(ch, e) })...)
		x.tests = addNew(x.tests, p.testsOf(ch.Path)...)
		if len(testsBeside(ch.Path, ch.New)) > 0 {
			x.tests = addNew(x.tests, step.File{Path: ch.Path, ID: ch.NewID})
		}
	}
	return out
}

// moduleAt is the module that a source is in, without any source.
func (p *taskProof) moduleAt(file string, chain toolchain.Found) Module {
	return Module{
		Dir: path.Dir(file), Chain: chain, Base: p.t.Base, Said: p.t.text(), Known: p.t.Known,
		Place: toolchain.Placement{Dir: path.Dir(file), Language: toolchain.LanguageOf(file)},
	}
}

// examples calls what a task has written with the values that its sentences have, "sub(3, 2) returns 1", and with those of the tests.
func (p *taskProof) examples(ctx context.Context) error {
	if p.failed || Rejected(p.proof.Findings) {
		return nil
	}
	said, uncalled := p.said()
	text := p.t.text() // what is shown by examples only is a rule, unless they say what everything else gives
	for _, e := range said {
		text = strings.ReplaceAll(text, e.Text, "")
		switch {
		case p.declares(e.Symbol()) != "":
		case !slices.ContainsFunc(p.t.Chains, func(c toolchain.Found) bool { return c.Ecosystem != toolchain.Unknown }):
			uncalled = append(uncalled, notCalled(e, "code of this language is not called"))
		default:
			uncalled = append(uncalled, notCalled(e, fmt.Sprintf("the change exports no function %s, or several", e.Symbol())))
		}
	}
	parts := p.partsOf(p.changes, p.declaring)
	if len(parts) == 0 {
		var err error
		if parts, err = p.unchanged(ctx); err != nil {
			return err
		}
	}
	for i, held := range p.heldOutOf(parts) {
		parts[i].module.HeldOut = held
	}
	for _, x := range parts {
		x.module.Examples, x.module.SpecText, x.module.Recorded = p.saidOf(x.module, said), text, p.recorded
		called, err := p.called(ctx, x.module, x.tests, "The agreed behavior is")
		if err != nil {
			return err
		}
		if p.keeps() { // what it gives was compared with what the code gave before
			called.Findings = slices.DeleteFunc(called.Findings, func(f step.Finding) bool { return f.Rule == "answer-table" })
		}
		for i, f := range called.Findings {
			if f.Rule == "test-detection" { // a request names less than a spec has to
				called.Findings[i].Severity = step.Fix
			}
		}
		if err := p.sameBefore(ctx, x.module, called.Examples); err != nil {
			return err
		}
		p.proof.Examples, p.proof.Callable = append(p.proof.Examples, called.Examples...), p.proof.Callable || called.Any
		p.add(called.Findings...)
	}
	p.proof.Examples = append(p.proof.Examples, uncalled...)
	p.recited()
	return p.commands(ctx)
}

// unchanged is a part that has changed nothing, and that held-out calls are of: what it reads may have changed.
func (p *taskProof) unchanged(ctx context.Context) ([]part, error) {
	called := map[string]bool{}
	for _, h := range without(p.t.HeldOut, isCommand) {
		if e, why := example.ReadCall(h.Call, h.Result()); why == "" {
			called[e.Symbol()] = true
		}
	}
	if len(called) == 0 {
		return nil, nil
	}
	files, err := p.c.readFiles(ctx, p.proof.Tree, func(e git.Entry) bool {
		_, ok := p.chainOf(e.Path)
		return ok && toolchain.IsSource(e.Path) && !toolchain.IsTest(e.Path) && !onlyTypes(e.Path)
	})
	if err != nil {
		return nil, err
	}
	by, names := map[string][]string{}, slices.Sorted(maps.Keys(called))
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(files[file], []byte(name)) }) {
			continue
		}
		for _, x := range source.Parse(file, files[file]).Exports {
			if name := x.Called(); x.Owner == "" && called[name] {
				by[name] = append(by[name], file)
			}
		}
	}
	for _, name := range names {
		found := slices.DeleteFunc(by[name], handsOn)
		if len(found) != 1 { // nobody knows which is meant
			continue
		}
		file := found[0]
		chain, _ := p.chainOf(file)
		return []part{{module: p.moduleAt(file, chain)}}, nil
	}
	return nil, nil
}

// declaring reports whether no other changed source declares an export: else nobody knows which is meant.
func (p *taskProof) declaring(ch Change, e step.Export) bool { return p.declares(e.Name) == ch.Path }

// saidOf are the examples of what a module declares.
func (p *taskProof) saidOf(m Module, said []example.Example) []example.Example {
	return those(said, func(e example.Example) bool { return slices.Contains(m.Place.Sources, p.declares(e.Symbol())) })
}

// called calls a module with its examples. says is who says what they are to give.
func (p *taskProof) called(ctx context.Context, m Module, tests []step.File, says string) (Called, error) {
	called, err := p.c.Examples(ctx, m, p.proof.Tree, tests)
	if err != nil {
		return called, err
	}
	called, err = p.demanded(ctx, m, called)
	for i, f := range called.Findings {
		if f.Rule == "example-failed" {
			called.Findings[i].Path, called.Findings[i].Line = m.where(), 0
			called.Findings[i].Message = strings.Replace(f.Message, "The spec says", says, 1)
		}
	}
	return called, err
}

// sameBefore marks the examples of a module that hold without the change, too. Where a test fails without it that is of no interest.
func (p *taskProof) sameBefore(ctx context.Context, m Module, results []step.Example) (err error) {
	if len(p.proof.Red) > 0 || !slices.ContainsFunc(results, shows) {
		return nil
	}
	u, err := p.c.userOf(ctx, m, p.before)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, u.place) }()
	given, err := u.try(ctx, m.Examples, true)
	for i, o := range given {
		e := m.Examples[i]
		if o.Cannot != "" || !e.Want.Holds(o) {
			continue
		}
		for j, r := range results {
			if shows(r) && r.Item == e.Item && r.Text == e.Text {
				results[j].Before = true
			}
		}
	}
	return err
}

// commands runs the commands that the author of the plan has kept, in the project as a whole.
func (p *taskProof) commands(ctx context.Context) error {
	code := those(p.changes, doesSomething)
	if len(code) == 0 {
		return nil
	}
	p.proof.Callable = p.proof.Callable || p.c.confined()
	chains := p.t.chains()
	m := Module{Base: p.t.Base, Chain: chains[0], HeldOut: p.t.HeldOut, Place: toolchain.Placement{Sources: pathsOf(code)}}
	run, wrong, err := p.c.commands(ctx, m, p.proof.Tree, chains[1:]...)
	p.proof.Examples = append(p.proof.Examples, run...)
	p.add(wrong...)
	return err
}

// recited finds values of held-out calls that the author was told in what he wrote: such code may answer these calls and no others.
func (p *taskProof) recited() {
	for _, h := range those(p.t.HeldOut, func(h step.HeldOut) bool { return h.Told }) {
		e, _ := example.ReadCall(h.Call, h.Result())
		for _, ch := range those(p.changes, func(ch Change) bool { return ch.Status != 'D' && toolchain.IsSource(ch.Path) }) {
			for _, t := range written(ch, source.Parse(ch.Path, ch.New)) {
				v, ok := example.Literal(t.Text)
				if ok && peculiar(v) && slices.Contains(e.Inputs(), v.Text) && !hasWord(p.t.text(), v.Text) {
					p.add(fix("special-case", ch.Path, t.Line, fmt.Sprintf("The code has %s, a value of the call %s. Compute the result for every input.", t.Text, h.Call)))
				}
			}
		}
	}
}

// peculiar reports whether a value is one that code for all values hardly has: a number that is neither small nor round, a text of some length.
func peculiar(v example.Value) bool {
	digits := strings.TrimLeft(v.Text, "-")
	return v.Kind == example.Number && len(digits) > 2 && !strings.HasSuffix(digits, "00") || v.Kind == example.String && len(v.Text) > 3
}

// requested is the item of an example of the request that no sentence of the task has.
const requested = "request"

// said are the examples that the sentences of a task have, and those of the request that they leave out. Uncalled are those of the request
// that contradict each other or the plan, and calls of what has changed of which nobody can read what they are to give.
func (p *taskProof) said() (said []example.Example, uncalled []step.Example) {
	planned, unread := example.InText(p.t.Says)
	asked, more := example.InText(p.t.Asked)
	for i := range planned {
		planned[i].Item = fmt.Sprintf("example %d", i+1)
	}
	said = slices.Clone(planned)
	for _, e := range asked {
		same := func(o example.Example) bool { return o.Calls() == e.Calls() }
		other := func(o example.Example) bool { return same(o) && o.String() != e.String() }
		switch {
		case slices.ContainsFunc(asked, other):
			uncalled = append(uncalled, notCalled(e, "the request gives several results for this call"))
		case slices.ContainsFunc(planned, other):
			uncalled = append(uncalled, notCalled(e, "the plan gives another result for this call"))
		case !slices.ContainsFunc(said, same):
			e.Item = requested
			said = append(said, e)
		}
	}
	for _, e := range slices.Concat(unread, more) {
		known := slices.ContainsFunc(said, func(o example.Example) bool { return o.Calls() == e.Calls() })
		known = known || slices.ContainsFunc(uncalled, func(u step.Example) bool { return u.Text == e.Text })
		if !known && p.declares(e.Symbol()) != "" {
			uncalled = append(uncalled, notCalled(e, "the expected result cannot be read"))
		}
	}
	return said, uncalled
}

func notCalled(e example.Example, why string) step.Example {
	return step.Example{Item: e.Item, Text: e.Text, State: step.ExampleNotRun, Why: why}
}

// demanded takes back what was found of examples that only the request has and that held before the change, where the sentence speaks of what
// the code does now, as people do when they want something else. Others that held only send the code back.
func (p *taskProof) demanded(ctx context.Context, m Module, called Called) (Called, error) {
	failed := func(e step.Example) bool { return e.Item == requested && e.State == step.ExampleFails }
	if !slices.ContainsFunc(called.Examples, failed) {
		return called, nil
	}
	m.HeldOut, m.Examples = nil, those(m.Examples, func(e example.Example) bool { return e.Item == requested })
	before, err := p.c.Examples(ctx, m, p.before, nil)
	if err != nil {
		return called, err
	}
	for i, e := range called.Examples {
		had := func(o step.Example) bool { return o.Text == e.Text && o.State == step.ExampleHolds }
		if !failed(e) || !slices.ContainsFunc(before.Examples, had) {
			continue
		}
		about := func(f step.Finding) bool {
			return f.Rule == "example-failed" && strings.HasPrefix(f.Message, "The spec says: "+strings.TrimSuffix(e.Text, ".")+".")
		}
		fails := slices.ContainsFunc(m.Examples, func(x example.Example) bool { return x.Text == e.Text && x.Want.Error })
		if fails || p.ofNow(e.Text) { // nobody asks for an error that is there
			called.Examples[i].State, called.Examples[i].Why = step.ExampleNotRun, fmt.Sprintf("true before the change, which gives %s", e.Why)
			called.Findings = slices.DeleteFunc(called.Findings, about)
			continue
		}
		for k, f := range called.Findings {
			if about(f) {
				called.Findings[k].Severity = step.Fix
			}
		}
	}
	return called, nil
}

// ofNow reports whether the sentence of an example says what the code does now.
func (p *taskProof) ofNow(text string) bool {
	return slices.ContainsFunc(sentence().Split(p.t.Asked, -1), func(s string) bool {
		return strings.Contains(s, strings.TrimRight(text, ". ")) && doesNow().MatchString(s)
	})
}

// doesNow is how people say what their code does, and should not.
var doesNow = re.New(`(?i)\b(currently|today|now|at present|at the moment|instead|wrong(ly)?|bug|but|used to|so far|crash\w*|fails?)\b|지금|현재|대신|잘못|버그`)

// heldOutOf are the calls that the author of the plan has kept, by the part whose exports they call; calls of what is as it was are with
// the first one.
func (p *taskProof) heldOutOf(parts []part) [][]step.HeldOut {
	out := make([][]step.HeldOut, len(parts))
	for _, h := range without(p.t.HeldOut, isCommand) {
		e, _ := example.ReadCall(h.Call, h.Result())
		at := slices.IndexFunc(parts, func(x part) bool { return e.Call != nil && x.module.unqualified(e).Call != nil })
		if len(parts) > 0 {
			out[max(at, 0)] = append(out[max(at, 0)], h)
		}
	}
	return out
}

// testsOf are the tests that use a source, changed ones and those near it: the ones of its directory in Go, those that import it in
// other languages.
func (p *taskProof) testsOf(file string) []step.File {
	name := stem(path.Base(file))
	if handsOn(file) {
		name = path.Base(path.Dir(file))
	}
	uses := func(test string, src []byte) bool {
		switch toolchain.LanguageOf(file) {
		case toolchain.LangRust:
			chain, _ := p.chainOf(file)
			m := Module{Chain: chain, Place: toolchain.Placement{Sources: []string{file}}}
			return slices.ContainsFunc(source.Parse(test, src).Imports, func(i source.Import) bool { return m.holds(strings.Split(i.From, "::")) })
		case toolchain.LangGo:
			return path.Dir(test) == path.Dir(file)
		case toolchain.LangJava, toolchain.LangKotlin: // a package needs no import of its own classes
			return hasWord(string(src), name) || toolchain.JVMPackage(path.Dir(test)) == toolchain.JVMPackage(path.Dir(file))
		}
		return slices.ContainsFunc(source.Parse(test, src).Imports, func(i source.Import) bool {
			from := path.Base(strings.ReplaceAll(i.From, ".", "/"))
			if strings.Contains(i.From, "/") { // ./cart.js
				from = stem(path.Base(i.From))
			}
			return from == name || from == "index" && path.Dir(test) == path.Dir(file)
		})
	}
	tests := map[string]testFile{}
	maps.Copy(tests, p.near)
	for _, ch := range p.changes {
		if delete(tests, ch.Path); ch.Status != 'D' && toolchain.IsTest(ch.Path) {
			tests[ch.Path] = testFile{ch.NewID, ch.New}
		}
	}
	using := those(slices.Sorted(maps.Keys(tests)), func(name string) bool { return ecosystemOf(name) == ecosystemOf(file) && uses(name, tests[name].src) })
	return each(using, func(name string) step.File { return step.File{Path: name, ID: tests[name].id} })
}

// exportsOf are the exports of a source that a task has changed. A function that is as it was is none, unless something else has changed
// that it may use.
func exportsOf(ch Change) []step.Export {
	var out []step.Export
	exports := source.Parse(ch.Path, ch.New).Exports
	before, now := functions(ch.Path, ch.Old), functions(ch.Path, ch.New)
	inside := false
	for name, text := range now {
		inside = inside || text != before[name] && !slices.ContainsFunc(exports, func(e source.Export) bool { return e.Called() == name })
	}
	for _, e := range exports {
		name := e.Called()
		if same := now[name] != "" && now[name] == before[name]; e.Owner == "" && (inside || !same) {
			out = append(out, step.Export{Kind: e.Kind, Name: name, Signature: e.Signature})
		}
	}
	return out
}

// declares is the one changed source that exports a name, "" where there is none or there are several. The face of a package only hands
// on what its files declare.
func (p *taskProof) declares(name string) string {
	found := pathsOf(those(p.changes, func(ch Change) bool {
		return ch.Status != 'D' && toolchain.IsSource(ch.Path) && !onlyTypes(ch.Path) && slices.ContainsFunc(exportsOf(ch), func(e step.Export) bool { return e.Name == name })
	}))
	if len(found) > 1 {
		found = slices.DeleteFunc(found, handsOn)
	}
	found = spare(found, p.besides)
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// besides reports whether the author named a file that the plan had not.
func (p *taskProof) besides(file string) bool { return p.t.Extra != nil && p.t.Extra(file) }

// chainOf is the toolchain that a file is of, the nearest.
func (p *taskProof) chainOf(file string) (best toolchain.Found, ok bool) {
	for _, chain := range p.t.Chains {
		if chain.Ecosystem == ecosystemOf(file) && below(chain.Root, file) && (!ok || len(chain.Root) > len(best.Root)) {
			best, ok = chain, true
		}
	}
	return best, ok
}
