package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Limits of the proof of strength, for one module.
const (
	MaxMutants = 8
	MaxMutate  = 60 * time.Second
)

var errMutateTime = errors.New("time for mutants is used up")

// Mutants measures whether the frozen tests notice small changes of the functions that differ between before and tree.
// It passes when at least one mutant was noticed, or when there was nothing to mutate. Where the project has a tool for it,
// the findings also say when the tests reach less than 80 % of the changed lines.
func (c *Checker) Mutants(ctx context.Context, m Module, before, tree string, frozen []step.File) (proof Proof, err error) {
	proof = Proof{Tree: tree}
	old, err := c.sources(ctx, m, before)
	if err != nil {
		return proof, fmt.Errorf("measure strength: %w", err)
	}
	now, err := c.sources(ctx, m, tree)
	if err != nil {
		return proof, fmt.Errorf("measure strength: %w", err)
	}
	chosen, rest := mutantsOf(old, now)
	if len(chosen)+len(m.Chain.Coverage(toolchain.Selection{Dir: m.Dir})) == 0 {
		proof.Passed = true
		return proof, nil
	}
	p, err := c.open(ctx, step.OnMutants, tree, cmp.Or(m.Base, tree), m.Chain)
	if err != nil {
		return proof, fmt.Errorf("measure strength: %w", err)
	}
	defer func() { err = joinClose(err, p) }()
	files := frozenTests(p, frozen)
	if len(files) == 0 {
		return proof, nil
	}
	if err = p.coverage(ctx, m.Place.AllowsSource, before, files, &proof); err != nil {
		return proof, fmt.Errorf("measure strength: %w", err)
	}
	short, cancel := context.WithTimeoutCause(ctx, MaxMutate, errMutateTime)
	defer cancel()
	values, killed, err := p.tryMutants(short, chosen, files, &proof)
	if err != nil {
		return proof, fmt.Errorf("measure strength: %w", err)
	}
	tests, none := p.testsOf(files), values.none()
	for _, x := range values.unseen(func(name string) bool { return none || m.exports(name) && p.named(tests, name) }) {
		seen, err := p.seen(short, x, rest, files, nil, &proof)
		if err != nil {
			return proof, fmt.Errorf("measure strength: %w", err)
		}
		if !seen {
			proof.Findings = append(proof.Findings, compareNothing(x, files[0]))
		}
	}
	if proof.Passed = proof.Tried == 0 || proof.Killed > 0; proof.Killed > 0 {
		missing, err := p.untaken(ctx, untested(old, now, killed), func(string) []string { return files }, &proof)
		for _, b := range missing {
			f := b.warning("No test takes the branch `%s` of %s, which changes what it does. Test what the spec says of this case; if it says nothing, the branch should not be there.")
			f.Severity = step.Fix
			proof.Findings = append(proof.Findings, f)
		}
		if err != nil {
			return proof, fmt.Errorf("measure strength: %w", err)
		}
		p.recordFailures()
	}
	return proof, nil
}

// noticed is of each function the first mutant that gives something else than its value, and whether a test noticed one of these.
type noticed map[string]*values

type values struct {
	first  mutantAt
	killed bool
}

func (n noticed) add(x mutantAt, killed bool) {
	if !x.Value() {
		return
	}
	key := x.file + " " + x.Func
	if n[key] == nil {
		n[key] = &values{first: x}
	}
	n[key].killed = n[key].killed || killed
}

// killed reports whether a test noticed another value of the function of a mutant.
func (n noticed) killed(x mutantAt) bool {
	v := n[x.file+" "+x.Func]
	return v != nil && v.killed
}

// unseen are the functions that could give any value and that tests are for.
func (n noticed) unseen(tested func(name string) bool) (out []mutantAt) {
	for _, key := range slices.Sorted(maps.Keys(n)) {
		if v := n[key]; !v.killed && tested(v.first.Func) {
			out = append(out, v.first)
		}
	}
	return out
}

// none reports whether tests notice another value of no function at all.
func (n noticed) none() bool {
	return len(n) > 0 && !slices.ContainsFunc(slices.Collect(maps.Values(n)), func(v *values) bool { return v.killed })
}

// seen reports whether a test notices another value that a function could give, where it gives one at other places as well, or
// whether there was no time to find out.
func (p *place) seen(ctx context.Context, first mutantAt, rest []mutantAt, files []string, counting []test, proof *Proof) (bool, error) {
	for _, x := range rest {
		if x.file != first.file || x.Func != first.Func || !x.Value() {
			continue
		}
		killed, _, err := p.mutant(ctx, x, files, counting, proof)
		if killed || errors.Is(err, errMutateTime) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return errors.Is(context.Cause(ctx), errMutateTime), nil // of those that were chosen some may not have been tried
}

// named reports whether the files of tests use a function by its name: some call it by a helper.
func (p *place) named(tests []test, name string) bool {
	name = bareName(name)
	return slices.ContainsFunc(filesOf(tests), func(file string) bool {
		f := source.Parse(file, p.read(file))
		return slices.ContainsFunc((sourceFile{File: f}).code(), func(t source.Token) bool { return t.Kind == source.Ident && t.Text == name })
	})
}

func compareNothing(x mutantAt, test string) step.Finding {
	what := "another value"
	if x.What == source.ReturnNothing {
		what = "nothing, or the zero value of its type"
	}
	return reject("compares-nothing", test, 0, fmt.Sprintf(
		"No test fails when %s returns %s (%s:%d). Compare its result with the expected value.", x.Func, what, x.file, x.Line))
}

// tryMutants runs the tests on one mutant after the other, as long as there is time, and gives those that were noticed.
func (p *place) tryMutants(ctx context.Context, chosen []mutantAt, files []string, proof *Proof) (values noticed, dead []mutantAt, err error) {
	values = noticed{}
	for _, x := range chosen {
		killed, valid, err := p.mutant(ctx, x, files, nil, proof)
		if errors.Is(err, errMutateTime) {
			break
		}
		if err != nil {
			return values, nil, err
		}
		if !valid {
			continue
		}
		proof.Tried++
		if values.add(x, killed); killed {
			proof.Killed++
			dead = append(dead, x)
			continue
		}
		if x.Limit() {
			proof.Limits++
		}
		proof.Survived = append(proof.Survived, fix("mutant-survived", x.file, x.Line,
			fmt.Sprintf("`%s` (%s): no test fails when %s.", shortLine(x), x.Func, describe(x.Mutant))))
	}
	return values, dead, nil
}

func describe(m source.Mutant) string {
	if from, to, ok := strings.Cut(m.What, " to "); ok {
		return "`" + from + "` becomes `" + to + "`"
	}
	if value, ok := strings.CutPrefix(m.What, "change constant "); ok {
		return "`" + value + "` becomes `" + m.New + "`"
	}
	return map[string]string{
		"negate condition": "the condition is negated", "drop statement": "the statement is dropped", source.ReturnText: "another string is returned",
		source.ReturnNothing: "nothing is returned", source.ReturnOther: "another value is returned",
	}[m.What]
}

// shortLine is the beginning of the line that a mutant is in.
func shortLine(x mutantAt) string {
	from := bytes.LastIndexByte(x.src[:x.Off], '\n') + 1
	line, _, _ := bytes.Cut(x.src[from:], []byte("\n"))
	return clipped(strings.TrimSpace(string(line)), 100)
}

type mutantAt struct {
	source.Mutant
	file string
	src  []byte
	anew bool // in a line that is not as it was
}

// mutant runs the tests of some files on one mutation, of which the given ones count, or all. It is valid when the mutated source could
// be loaded at all.
func (p *place) mutant(ctx context.Context, x mutantAt, files []string, counting []test, proof *Proof) (killed, valid bool, err error) {
	run, err := p.mutated(ctx, x, toolchain.Selection{Files: files}, proof)
	if err != nil {
		return false, false, err
	}
	killed, valid = run.noticed(counting)
	return killed, valid, nil
}

// noticed reports whether tests that count, or all, fail on a mutant, and whether it could be loaded at all.
func (run testRun) noticed(counting []test) (killed, valid bool) {
	ran, died := false, false
	for _, r := range run.results {
		_, name := toolchain.SplitID(r.ID)
		if name != "" && counting != nil && !slices.ContainsFunc(counting, func(t test) bool { return t.has(r.ID) }) {
			continue
		}
		// A test that ends with an exception of its own has noticed as well; without a name it is a file that cannot be loaded.
		noticed := r.Status == step.Fail || r.Status == step.Error && name != ""
		ran = ran || noticed || name != "" && r.Status == step.Pass
		killed = killed || noticed
		died = died || r.Status == step.Error && name == ""
	}
	if slices.ContainsFunc(run.records, func(r step.Record) bool { return r.Ended != "" }) { // an endless loop was noticed as well
		return true, true
	}
	if died && !killed {
		return false, false
	}
	return killed, ran || killed
}

// mutated runs tests on one mutation, and puts the source back. What stands beside the code here, such as the tests of a file as they were,
// stays.
func (p *place) mutated(ctx context.Context, x mutantAt, sel toolchain.Selection, proof *Proof) (testRun, error) {
	if now := p.read(x.file); !bytes.Equal(now, x.src) {
		if m, ok := source.Parse(x.file, x.src).Moved(x.Mutant, source.Parse(x.file, now)); ok {
			x.Mutant, x.src = m, now
		}
	}
	return proof.noted(asMutant(p.runWith(ctx, map[string][]byte{x.file: x.Apply(x.src)}, sel)))
}

// asMutant says of a run that it was one of a mutant.
func asMutant(run testRun, err error) (testRun, error) {
	for i := range run.records {
		run.records[i].Name, run.records[i].Shows = "mutant", step.OnMutants
	}
	return run, err
}

// runWith runs tests with other texts of files, and puts them back.
func (p *place) runWith(ctx context.Context, texts map[string][]byte, sel toolchain.Selection) (run testRun, err error) {
	s := &stubber{p: p, before: map[string][]byte{}}
	defer func() { err = errors.Join(err, s.undo()) }()
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		if err = s.put(file, texts[file]); err != nil {
			return run, err
		}
	}
	return p.runOnce(ctx, sel)
}

// errSlow ends the run of a mutant that takes much longer than the code as it is. It may have become an endless loop, or the machine has other
// things to do: it shows nothing.
var errSlow = errors.New("the mutant takes much longer than the code as it is")

// mutatedWithin is [place.mutated] with a limit of time: slow says that it was reached.
func (p *place) mutatedWithin(ctx context.Context, limit time.Duration, x mutantAt, sel toolchain.Selection, proof *Proof) (run testRun, slow bool, err error) {
	short, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	run, err = p.mutated(short, x, sel, proof)
	if !errors.Is(err, errSlow) {
		return run, false, err
	}
	return testRun{}, true, context.Cause(ctx)
}

// mutantsOf takes mutants from the functions that differ in two versions of some files, those in lines that are new before others; the ones
// that are not taken are the rest.
func mutantsOf(old, now map[string][]byte) (chosen, rest []mutantAt) {
	byFunc := map[string][]mutantAt{}
	var order []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		was := functions(name, old[name])
		f := source.Parse(name, now[name])
		is := functions(name, now[name])
		lines := newLines(old[name], now[name])
		for _, x := range f.Mutants() {
			if was[x.Func] == is[x.Func] && (is[x.Func] != "" || !lines[x.Line]) {
				continue
			}
			key := name + " " + x.Func
			if byFunc[key] == nil {
				order = append(order, key)
			}
			byFunc[key] = append(byFunc[key], mutantAt{x, name, now[name], lines[x.Line]})
		}
	}
	for _, k := range order {
		anew := func(x mutantAt) bool { return x.anew }
		byFunc[k] = append(spread(those(byFunc[k], anew)), spread(without(byFunc[k], anew))...)
	}
	var all []mutantAt
	for round, more := 0, true; more; round++ {
		more = false
		for _, k := range order {
			if round < len(byFunc[k]) {
				more, all = true, append(all, byFunc[k][round])
			}
		}
	}
	return all[:min(MaxMutants, len(all))], all[min(MaxMutants, len(all)):]
}

// spread puts mutants of different kinds first, those that give another value before all.
func spread(ms []mutantAt) []mutantAt {
	type ranked struct {
		mutantAt
		rank int
	}
	seen := map[string]int{}
	list := make([]ranked, len(ms))
	for i, m := range ms {
		kind := m.What
		if strings.HasPrefix(kind, "change constant") {
			kind = "change constant"
		}
		if m.Value() {
			kind = source.ReturnOther
		}
		if list[i] = (ranked{m, seen[kind]}); m.Value() && seen[kind] == 0 {
			list[i].rank = -1
		}
		seen[kind]++
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return a.rank - b.rank })
	return each(list, func(m ranked) mutantAt { return m.mutantAt })
}

// changedNames are the names of the functions that differ in two versions of some files, without those of their types; anew says that none of
// them was there before.
func changedNames(old, now map[string][]byte) (names map[string]bool, anew bool) {
	names, anew = map[string]bool{}, true
	for file, src := range now {
		was := functions(file, old[file])
		for name, code := range functions(file, src) {
			if was[name] != code {
				names[bareName(name)], anew = true, anew && was[name] == ""
			}
		}
	}
	return names, anew
}

// functions maps a file's functions to their code, those of one name to all of it.
func functions(name string, src []byte) map[string]string {
	out := map[string]string{}
	f := source.Parse(name, src)
	for _, fn := range f.Funcs {
		out[fn.Name] += body(f, source.Test{Off: fn.Off, Stop: fn.Stop})
	}
	return out
}
