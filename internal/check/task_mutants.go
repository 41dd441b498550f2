package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// fewMutants is how many have to be unnoticed before tests are told to compare nothing: one may be no change at all.
const fewMutants = 2

// notices rejects new tests that notice no small change of the new code. That they fail without it says little: the name that they
// use is missing there. One that is noticed is enough, but for what they call: of that they have to notice another value, or old tests
// where it was there before.
func (p *taskProof) notices(ctx context.Context, pl *place, mine []string, fresh []test) error {
	if len(p.proof.Red) == 0 {
		return nil
	}
	old, now := p.sources(mine)
	files := filesOf(fresh)
	short, cancel := context.WithTimeoutCause(ctx, MaxMutate, errMutateTime)
	defer cancel()
	chosen, rest := mutantsOf(old, now)
	tried, any, values, seen := 0, false, noticed{}, map[string]bool{}
	for _, x := range chosen {
		if any && (!x.Value() || values.killed(x)) { // that is known
			continue
		}
		switch killed, valid, err := pl.mutant(short, x, files, fresh, &p.proof); {
		case errors.Is(err, errMutateTime):
			return nil
		case err != nil:
			return err
		case valid:
			tried++
			any = any || killed
			values.add(x, killed)
			if killed {
				seen[x.file+" "+x.Func] = true
			}
		}
	}
	if values.none() || len(values) == 0 { // what was noticed may be no more than the text of the sources
		switch found, err := p.unreached(short, pl, old, now, fresh); {
		case errors.Is(err, errMutateTime):
			return nil
		case err != nil:
			return err
		case found != "":
			p.add(p.excused(reject("compares-nothing", files[0], 0, found)))
			return nil
		}
	}
	known := !slices.ContainsFunc(chosen, func(x mutantAt) bool { return functions(x.file, old[x.file])[x.Func] == "" }) // all were there before
	if !any && tried >= fewMutants && (!known || !p.failing) {                                                           // the code as it was is a mutant as well, which they notice
		found := reject("compares-nothing", files[0], 0, fmt.Sprintf(
			"No new test fails when the new code is mutated: %d mutants were tried, such as another return value, and all survived. Compare the results of the code with the expected values.", tried))
		if known { // the tests fail with the code as it was
			found.Severity = p.unnoticedThere(files)
		}
		p.add(p.excused(found))
	}
	if Rejected(p.proof.Findings) {
		return nil
	}
	for _, x := range values.unseen(func(name string) bool { return pl.named(fresh, name) }) {
		more, by, counting, found := rest, files, fresh, compareNothing(x, files[0])
		if functions(x.file, old[x.file])[x.Func] != "" { // what it gives is what its old tests are for
			if p.failing && !x.anew { // what the new ones compare is something else that it does
				continue
			}
			more, by, counting, found.Severity = slices.Concat(chosen, rest), p.withTestsOf(pl, x.file, files), nil, p.unnoticedThere(files)
		}
		known, err := pl.seen(short, x, more, by, counting, &p.proof)
		if err != nil {
			return err
		}
		if !known {
			p.add(p.excused(found))
		}
	}
	return p.unmissed(short, pl, old, now, files, seen)
}

// unnoticedThere is how bad it is that some tests compare nothing of code that was there before: worse where old ones of them expect something else now.
func (p *taskProof) unnoticedThere(files []string) step.Severity {
	if slices.ContainsFunc(p.proof.Findings, func(f step.Finding) bool { return f.Rule == "expectation-changed" && slices.Contains(files, f.Path) }) {
		return step.Asks
	}
	return step.Fix
}

// unnoticed asks for tests of functions that were there before: of the mutants in what the change wrote they have to notice half, and one where
// new tests name the function. Else it may be a change that nobody asked for.
func (p *taskProof) unnoticed(ctx context.Context, pl *place, mine []string, fresh []test) error {
	if Rejected(p.proof.Findings) {
		return nil
	}
	short, cancel := context.WithTimeoutCause(ctx, MaxMutate, errMutateTime)
	defer cancel()
	old, now := p.sources(mine)
	chosen, rest := mutantsOf(old, now)
	passing := p.passing(pl)
	of, unseen, order := map[string]*Outcomes{}, map[string]mutantAt{}, []string(nil)
	named := func(name string) bool {
		return slices.ContainsFunc(fresh, func(t test) bool {
			return mentions(source.Parse(t.File, pl.read(t.File)), t.Test)[bareName(name)]
		})
	}
	for _, x := range slices.Concat(chosen, rest) {
		key := x.file + " " + x.Func
		if !x.anew || x.Func == "" || x.Limit() || functions(x.file, old[x.file])[x.Func] == "" || of[key] != nil && of[key].Tried == mostChanged {
			continue
		}
		near := p.withTestsOf(pl, x.file, nil)
		if len(near) == 0 { // all tests would run
			continue
		}
		killed, valid, err := pl.mutant(short, x, near, passing, &p.proof)
		if errors.Is(err, errMutateTime) {
			break
		}
		if err != nil {
			return err
		}
		if valid {
			if of[key] == nil {
				of[key], order = &Outcomes{}, append(order, key)
			}
			if of[key].add(killed); !killed {
				unseen[key] = x
			}
		}
	}
	for _, key := range order {
		n, x := of[key], unseen[key]
		if few := n.Noticed == 0 || 2*n.Noticed < n.Tried && !named(x.Func); few && n.Tried >= fewMutants {
			p.add(fix("unnoticed-change", x.file, x.Line, fmt.Sprintf(
				"Tests kill %d of %d mutants in the changed lines of %s, and not that in line %d: %s. Test this change, or undo it if the task does not need it.",
				n.Noticed, n.Tried, x.Func, x.Line, describe(x.Mutant))))
		}
	}
	return nil
}

// sources are the versions of some files, before and with the change, that are no tests.
func (p *taskProof) sources(files []string) (old, now map[string][]byte) {
	old, now = map[string][]byte{}, map[string][]byte{}
	for _, ch := range p.changes {
		if slices.Contains(files, ch.Path) && !ofTests(ch.Path) {
			old[ch.Path], now[ch.Path] = ch.Old, ch.New
		}
	}
	return old, now
}

// mostDisabled is how many functions are disabled to see whether new tests reach them.
const mostDisabled = 4

// unreached says that new tests reach none of the functions that have changed: they pass when these fail at each call, and when they do
// nothing. It is "" where a test reaches one, where one cannot be disabled, and where more has changed than functions.
func (p *taskProof) unreached(ctx context.Context, pl *place, old, now map[string][]byte, fresh []test) (string, error) {
	var names []string
	alone := toolchain.Selection{IDs: idsOf(fresh)} // old tests that reach them would end the run
	for _, file := range slices.Sorted(maps.Keys(now)) {
		was, is, f := functions(file, old[file]), functions(file, now[file]), source.Parse(file, now[file])
		if outside(source.Parse(file, old[file]), inFunctions) != outside(f, inFunctions) {
			return "", nil
		}
		for _, fn := range f.Funcs {
			if was[fn.Name] == is[fn.Name] {
				continue
			}
			mutants := f.Disabled(fn, now[file])
			if len(mutants) == 0 || len(names) == mostDisabled {
				return "", nil
			}
			for _, m := range mutants {
				run, err := pl.mutated(ctx, mutantAt{Mutant: m, file: file, src: now[file]}, alone, &p.proof)
				if err != nil {
					return "", err
				}
				if killed, valid := run.noticed(fresh); killed || !valid {
					return "", nil
				}
			}
			names = append(names, fn.Name)
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return fmt.Sprintf("The new tests pass when %s fails at each call, and when it does nothing, so they do not reach it. Call the changed code, and compare its results with the expected values.", strings.Join(names, " or ")), nil
}

// withTestsOf are files of tests, with those of a place that use a source.
func (p *taskProof) withTestsOf(pl *place, file string, files []string) []string {
	near := each(p.testsOf(file), func(f step.File) string { return f.Path })
	return append(slices.Clone(files), those(near, func(name string) bool { return pl.ours(name) && !slices.Contains(files, name) })...)
}

// goesAway are the words of a request that wants code to go.
var goesAway = re.New(`(?i)\b(remov|delet|drop|unus|dead|obsolete|deprecat)|삭제|제거|없애|지우`)

// noNewTest sends code back that no new test sees, unless it is no feature or fix and old tests notice mutants of it: a change of how the
// code works, and not of what it does. What only takes code away that has to go needs none.
func (p *taskProof) noNewTest(ctx context.Context, pl *place, what string) error {
	grows := func(ch Change) bool {
		return toolchain.IsSource(ch.Path) && otherCode(ch) && (ch.Status == 'A' || adds(ch))
	}
	watched := goesAway().MatchString(p.t.Request) && !slices.ContainsFunc(p.changes, grows)
	if !watched && !p.t.NewCode {
		var err error
		if watched, err = p.watched(ctx, pl); err != nil {
			return err
		}
	}
	if !watched {
		p.unshown(pl, what)
	}
	return nil
}

// watched reports whether tests notice at least half of the mutants of each function that has changed, in the lines that are new where they
// have some.
func (p *taskProof) watched(ctx context.Context, pl *place) (bool, error) {
	short, cancel := context.WithTimeoutCause(ctx, MaxMutate, errMutateTime)
	defer cancel()
	old, now := p.sources(p.mine(pl))
	chosen, rest := mutantsOf(old, now)
	passing := p.passing(pl)
	of, anew := map[string]*Outcomes{}, map[string]bool{}
	for _, x := range slices.Concat(chosen, rest) { // of some functions nothing may be tried
		of[x.file+" "+x.Func] = &Outcomes{}
	}
	for _, x := range chosen {
		key := x.file + " " + x.Func
		if anew[key] = anew[key] || x.anew; anew[key] && !x.anew || x.Limit() {
			continue
		}
		killed, valid, err := pl.mutant(short, x, p.withTestsOf(pl, x.file, nil), passing, &p.proof)
		if errors.Is(err, errMutateTime) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if valid {
			of[key].add(killed)
		}
	}
	unwatched := func(n *Outcomes) bool { return n.Noticed == 0 || n.Noticed*2 < n.Tried }
	return len(of) > 0 && !slices.ContainsFunc(slices.Collect(maps.Values(of)), unwatched), nil
}

// branches warns of new branches that neither new nor old tests take.
func (p *taskProof) branches(ctx context.Context, pl *place, files []string, fresh []test) error {
	if len(p.proof.Red) == 0 || Rejected(p.proof.Findings) {
		return nil
	}
	old, now := p.sources(files)
	missing, err := pl.untaken(ctx, untested(old, now, nil), func(file string) []string { return p.withTestsOf(pl, file, filesOf(fresh)) }, &p.proof)
	for _, b := range missing {
		p.add(b.warning("No test takes the branch `%s` of %s, which changes what it does. Test what the request says of this case; if it says nothing, the branch should not be there."))
	}
	return err
}
