package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// careless sends back new tests that pass whatever the changed functions that they name do: when these fail at each call, and when they do nothing.
// They do not wait for what they call, or do not compare what it gives. That they fail without the change says only that a name is missing there.
func (p *taskProof) careless(ctx context.Context, pl *place, mine []string, fresh []test) error {
	if len(fresh) < 2 || Rejected(p.proof.Findings) { // one alone notices a mutant, or was told
		return nil
	}
	d := p.disabled(mine)
	names := slices.Sorted(maps.Keys(d.names))
	named := map[string][]string{} // by test
	for _, file := range filesOf(fresh) {
		f := source.Parse(file, pl.read(file))
		for _, t := range those(fresh, func(t test) bool { return t.File == file }) {
			said := mentions(f, t.Test)
			named[t.ID] = those(names, func(n string) bool { return said[n] })
		}
	}
	still := those(fresh, func(t test) bool {
		names := named[t.ID]
		return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return d.open[n] }) && t.in(p.proof.Results) == step.Pass
	})
	short, cancel := context.WithTimeoutCause(ctx, MaxMutate, errMutateTime)
	defer cancel()
	for _, texts := range d.texts {
		if len(still) == 0 {
			return nil
		}
		run, err := p.proof.noted(asMutant(pl.runWith(short, texts, toolchain.Selection{IDs: idsOf(still)})))
		if errors.Is(err, errMutateTime) {
			return nil
		}
		if err != nil {
			return err
		}
		still = those(still, func(t test) bool { return t.in(run.results) == step.Pass })
	}
	for _, t := range still {
		f := fix("compares-nothing", t.File, t.Line, fmt.Sprintf(
			"The test %s passes when %s fails at each call, and when it does nothing. Wait for what it calls, and compare the result with the expected value.", t.Name, strings.Join(named[t.ID], " or ")))
		if d.anew {
			f.Severity = step.Asks
		}
		p.add(f)
	}
	return nil
}

// unmissed sends back new functions that nobody misses: the tests pass when one does nothing. seen are those of which a mutant was noticed.
func (p *taskProof) unmissed(ctx context.Context, pl *place, old, now map[string][]byte, files []string, seen map[string]bool) error {
	asked := 0
	for _, file := range slices.Sorted(maps.Keys(now)) {
		was, f := functions(file, old[file]), source.Parse(file, now[file])
		for _, fn := range f.Funcs {
			mutants := f.Disabled(fn, now[file])
			if was[fn.Name] != "" || seen[file+" "+fn.Name] || len(mutants) == 0 {
				continue
			}
			if asked++; asked > mostDisabled {
				return nil
			}
			killed, valid, err := pl.mutant(ctx, mutantAt{Mutant: mutants[1], file: file, src: now[file]}, files, nil, &p.proof)
			if errors.Is(err, errMutateTime) {
				return nil
			}
			if err != nil {
				return err
			}
			if valid && !killed {
				p.add(fix("unnoticed-change", file, fn.Line, "No new test fails when "+fn.Name+" does nothing. Test what it does, or remove it."))
			}
		}
	}
	return nil
}

// disabling is what a change does to functions, undone in two ways.
type disabling struct {
	names map[string]bool      // of changed functions
	open  map[string]bool      // of those that cannot be disabled
	texts [2]map[string][]byte // the files in which they do nothing, and those in which they fail at each call: that may end the run of other tests
	anew  bool                 // none was there before
}

func (p *taskProof) disabled(mine []string) disabling {
	old, now := p.sources(mine)
	d := disabling{open: map[string]bool{}, texts: [2]map[string][]byte{{}, {}}}
	d.names, d.anew = changedNames(old, now)
	for file, src := range now {
		was, is, f := functions(file, old[file]), functions(file, src), source.Parse(file, src)
		var mutants [2][]source.Mutant
		for _, fn := range f.Funcs {
			if was[fn.Name] == is[fn.Name] {
				continue
			}
			if ms := f.Disabled(fn, src); len(ms) == len(mutants) {
				mutants[0], mutants[1] = append(mutants[0], ms[1]), append(mutants[1], ms[0])
			} else {
				d.open[bareName(fn.Name)] = true
			}
		}
		for i, ms := range mutants {
			if len(ms) > 0 {
				d.texts[i][file] = applied(src, ms)
			}
		}
	}
	return d
}

// applied is a source with several mutants, which do not overlap.
func applied(src []byte, mutants []source.Mutant) []byte {
	slices.SortFunc(mutants, func(a, b source.Mutant) int { return cmp.Compare(b.Off, a.Off) }) // the last first
	for _, m := range mutants {
		src = m.Apply(src)
	}
	return src
}
