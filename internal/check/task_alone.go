package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Limits of what is tried for new tests where no code has changed.
const (
	mostAlone      = 12 // mutants for the tests of a file
	mostAloneFiles = 8
	mostReached    = 3 // mutants of which is found out whether a test comes to them
)

// unchanged is code that new tests call, and that has not changed.
type unchanged struct {
	pl    *place
	files map[string][]byte // sources and tests
	graph *graph
	limit time.Duration // of one run
}

// blindTest is a new test that passes as well when what it calls gives something else.
type blindTest struct {
	test
	mutant mutantAt
}

// finding says so.
func (b blindTest) finding(severity step.Severity) step.Finding {
	return step.Finding{Rule: "compares-nothing", Severity: severity, Path: b.File, Line: b.Line, Message: fmt.Sprintf(
		"The new test %s also passes when %s returns another value (%s:%d: %s). Assert what it returns.", b.Name, b.mutant.Func, b.mutant.file, b.mutant.Line, describe(b.mutant.Mutant))}
}

// asked is a new test while mutants are tried for it.
type asked struct {
	test
	calls    func(fn string) bool // whether it looks at what a function gives
	noticed  bool
	unsure   bool // not all were tried that it may notice
	survived []mutantAt
}

// blind are those of some new tests that notice none of the mutants that change what a function gives which they call. tried counts the
// tests for which there is such a mutant.
func (u unchanged) blind(ctx context.Context, fresh []test, proof *Proof) (out []blindTest, tried int, err error) {
	files := filesOf(fresh)
	for _, file := range files[:min(len(files), mostAloneFiles)] {
		in := source.Parse(file, u.files[file])
		imported := importedBy(in)
		list := each(those(fresh, func(t test) bool { return t.File == file }), func(t test) *asked {
			return &asked{test: t, calls: calledIn(in, imported, t.Test)}
		})
		if err := u.ask(ctx, file, list, proof); err != nil {
			return nil, 0, err
		}
		for _, a := range list {
			if a.noticed {
				tried++
			}
			if a.noticed || a.unsure || expectsError(in, a.Test) {
				continue
			}
			m, err := u.reached(ctx, a.test, a.survived, proof)
			if err != nil {
				return nil, 0, err
			}
			if m != nil {
				tried++
				out = append(out, blindTest{a.test, *m})
			}
		}
	}
	return out, tried, nil
}

// ask tries mutants for the tests of a file until each has noticed one.
func (u unchanged) ask(ctx context.Context, file string, list []*asked, proof *Proof) error {
	runs := 0
	for _, m := range spread(u.mutantsFor(file, list)) {
		open := those(list, func(a *asked) bool { return !a.noticed && !a.unsure && a.calls(m.Func) })
		if len(open) == 0 {
			continue
		}
		if runs++; runs > mostAlone {
			for _, a := range open {
				a.unsure = true
			}
			continue
		}
		run, _, err := u.pl.mutatedWithin(ctx, u.limit, m, toolchain.Selection{Files: []string{file}}, proof)
		if err != nil {
			return err
		}
		for _, a := range open {
			killed, valid := run.noticed([]test{a.test})
			if a.noticed = killed; valid && !killed {
				a.survived = append(a.survived, m)
			}
		}
	}
	return nil
}

// reached is one of some mutants that a test survived, where it comes to: it fails if the code fails there.
func (u unchanged) reached(ctx context.Context, t test, survived []mutantAt, proof *Proof) (*mutantAt, error) {
	for _, m := range survived[:min(len(survived), mostReached)] {
		crash, ok := source.Parse(m.file, m.src).CrashBefore(m.Mutant)
		if !ok {
			continue
		}
		run, _, err := u.pl.mutatedWithin(ctx, u.limit, mutantAt{Mutant: crash, file: m.file, src: m.src}, toolchain.Selection{Files: []string{t.File}}, proof)
		if err != nil {
			return nil, err
		}
		if killed, _ := run.noticed([]test{t}); killed {
			return &m, nil
		}
	}
	return nil, nil //nolint:nilnil // it comes to none
}

// expectsError reports whether a test wants the code to fail: then it may not matter what it gives.
func expectsError(f source.File, t source.Test) bool {
	words := mentions(f, t)
	return slices.ContainsFunc(slices.Collect(maps.Keys(words)), errorWord().MatchString) || checksError().Match(f.Source()[t.Off:t.Stop])
}

var (
	errorWord   = re.New(`^(?:raises|assertRaises\w*|toThrow\w*|throws\w*|rejects|assertThrows\w*|expectThrows|should_panic|is_err|unwrap_err|expect_err|\w+Error\w*|Error(?:Is|As|Contains)|\w*Exception|\w*[Pp]anics?\w*|recover|wantErr\w*|fails?)$`)
	checksError = re.New(`\berr == nil\b|\.Error\(\)|\b(?:assert|require|is|must)\.Error\b`)
)

// mutantsFor are those that change what functions give that tests look at, in the files that a file of tests imports, or if they only hand on,
// in those that these import.
func (u unchanged) mutantsFor(file string, list []*asked) (out []mutantAt) {
	looks := func(fn string) bool {
		return slices.ContainsFunc(list, func(a *asked) bool { return a.calls(fn) })
	}
	for sources := range layers(u.graph, u.files, append(u.graph.imports(file), u.graph.beside(file))) {
		for _, name := range sources {
			out = append(out, those(mutantsIn(u.files, name), func(m mutantAt) bool { return m.gives() && looks(m.Func) })...)
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// gives reports whether a mutant is no more than another value that a function gives.
func (m mutantAt) gives() bool {
	line := m.src[bytes.LastIndexByte(m.src[:m.Off], '\n')+1 : m.Off]
	literal := strings.HasPrefix(m.What, "change constant") || slices.Contains([]string{"true to false", "false to true"}, strings.ToLower(m.What))
	return m.Value() || m.What == source.ReturnText || literal && string(bytes.TrimSpace(line)) == "return"
}

// calledIn tells which functions a test calls, by itself or by functions of its file. A method counts where its type stands there, too: what
// else is called of an object may be of any type.
func calledIn(f source.File, imported map[string]bool, t source.Test) func(fn string) bool {
	calls, words := callsIn(f, imported, t.Off, t.Stop), mentions(f, t)
	for more := true; more; {
		more = false
		for _, fn := range f.Funcs {
			if !calls[callName(fn.Name)] {
				continue
			}
			for name := range callsIn(f, imported, fn.Off, fn.Stop) {
				more = more || !calls[name]
				calls[name] = true
			}
			maps.Copy(words, mentions(f, source.Test{Off: fn.Off, Stop: fn.Stop}))
		}
	}
	return func(fn string) bool {
		owner, _, method := strings.Cut(fn, ".")
		return calls[callName(fn)] && (!method || words[owner] || words["New"+owner])
	}
}

// importedBy are the names by which a file knows what it imports.
func importedBy(f source.File) map[string]bool {
	imported, lines := map[string]bool{}, map[int]bool{}
	for _, i := range f.Imports {
		lines[i.Line] = true
		imported[stem(path.Base(strings.ReplaceAll(i.From, ".", "/")))] = true
		for _, name := range i.Names {
			imported[name] = true
		}
	}
	for _, t := range f.Tokens {
		if lines[t.Line] && t.Kind == source.Ident {
			imported[t.Text] = true
		}
	}
	return imported
}

// forItself reports whether the call of which a name is part is a statement of its own: nobody looks at what it gives.
func forItself(code []source.Token, at int) bool {
	for at >= 2 && slices.Contains(ofObject, code[at-1].Text) {
		if at -= 2; code[at].Text != ")" {
			continue
		}
		for depth := 0; at > 0; at-- {
			switch code[at].Text {
			case ")":
				depth++
			case "(":
				depth--
			}
			if depth == 0 {
				break
			}
		}
		at = max(at-1, 0) // what is called there
	}
	if at > 0 && code[at-1].Text == "await" {
		at--
	}
	return at == 0 || slices.Contains([]string{";", "{", "}"}, code[at-1].Text) ||
		code[at-1].Line < code[at].Line && (code[at-1].Kind != source.Punct || slices.Contains([]string{")", "]", ":"}, code[at-1].Text))
}

// ofObject is what stands between an object and what is called of it.
var ofObject = []string{".", "?.", "::"}

// callsIn are the functions that a part of a file calls to look at what they give, and those of the file itself; what is called of an object has a dot before it.
func callsIn(f source.File, imported map[string]bool, from, to int) map[string]bool {
	names, helpers := map[string]bool{}, setOf(each(f.Funcs, func(fn source.Func) string { return bareName(fn.Name) }))
	code := source.Code(within(f.Tokens, from, to))
	for i, t := range code {
		switch {
		case t.Kind != source.Ident || i+1 >= len(code) || code[i+1].Text != "(" || forItself(code, i) && !helpers[t.Text]:
		case i >= 2 && slices.Contains(ofObject, code[i-1].Text) && !imported[code[i-2].Text]:
			names["."+t.Text] = true
		default:
			names[t.Text] = true
		}
	}
	return names
}

// callName is how callsIn names a function, or a method.
func callName(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return name
}

// testsAlone rejects new tests of code that has not changed if none of them compares what it gives, and tells of single ones.
func (p *taskProof) testsAlone(ctx context.Context, pl *place, fresh []test) error {
	fresh = those(without(fresh, p.existed), func(t test) bool { return t.in(p.proof.Results) == step.Pass })
	if len(fresh) == 0 || slices.ContainsFunc(p.changes, doesSomething) {
		return nil
	}
	files, err := p.c.readCode(ctx, p.proof.Tree, pl.chain.Ecosystem, pl.ours)
	if err != nil {
		return err
	}
	short, cancel := context.WithTimeoutCause(ctx, MaxMutate, errMutateTime)
	defer cancel()
	blind, tried, err := unchanged{pl, files, newGraph(pl.chain, files), MaxMutate}.blind(short, fresh, &p.proof)
	if errors.Is(err, errMutateTime) {
		return nil
	}
	if err != nil {
		return err
	}
	severity := step.Fix
	if len(blind) == tried {
		severity = step.Rejects
	}
	for _, b := range blind {
		p.add(p.excused(b.finding(severity)))
	}
	return nil
}

// testsAlone tells which new tests of code that has not changed do not compare what it gives.
func (x *chainJudge) testsAlone(ctx context.Context) error {
	if x.known.code || !x.anew {
		return nil
	}
	fresh := those(without(x.fresh, x.existed), func(t test) bool { return t.in(x.results) == step.Pass })
	blind, tried, err := unchanged{x.pl, x.files, x.graph, slowAfter(x.took)}.blind(ctx, fresh, &x.proof)
	if late(ctx, err) {
		x.known.late = true // the verdict does not need it
		x.out.NotRun = append(x.out.NotRun, "mutants for the new tests of "+strings.Join(filesOf(fresh), ", "))
		return nil
	}
	for _, b := range blind {
		x.say(b.finding(step.Fix), nil)
	}
	x.out.NewTests.Tried += tried
	x.out.NewTests.Noticed += tried - len(blind)
	return err
}
