package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// missed is a function of which the tests of its own toolchain notice nothing, and where it stands among all.
type missed struct {
	chain toolchain.Found
	trial *trial
	at    int
}

func newTested(results []step.TestResult) *tested {
	return &tested{results: results, passing: map[string]bool{}, ran: map[string]bool{}}
}

// testedBy is what was run by a toolchain so far.
func (j *judge) testedBy(chain toolchain.Found) *tested {
	key := chain.Ecosystem + " " + chain.Root
	if j.runs[key] == nil {
		j.runs[key] = newTested(nil)
	}
	return j.runs[key]
}

// across asks the tests of other toolchains about functions that they are built with: in a workspace the tests of a module may lie in
// another one. Those that have changed themselves come first.
func (j *judge) across(ctx context.Context) error {
	chains := j.concerned()
	proved := slices.ContainsFunc(j.out.Red, func(r RedTest) bool { return r.By == RedByAssert })
	for i, chain := range slices.Concat(chains, j.q.Chains) {
		if i >= len(chains) && slices.ContainsFunc(chains, chain.Same) {
			continue
		}
		with := toolchain.BuiltWith(j.q.Chains, chain)
		open := those(j.missed, func(m missed) bool { return m.trial.Noticed == 0 && slices.ContainsFunc(with, m.chain.Same) })
		if len(open) == 0 || chain.Own.Elsewhere {
			continue
		}
		if i >= len(chains) && proved { // whether others notice is worth no time then
			for _, m := range open {
				m.trial.Unreached = false
				j.out.Functions[m.at] = m.trial.Function
			}
			continue
		}
		if err := j.askedOf(ctx, chain, with, open); err != nil {
			return err
		}
	}
	return nil
}

// askedOf asks the tests of one toolchain about functions of those that it is built with.
func (j *judge) askedOf(ctx context.Context, chain toolchain.Found, with []toolchain.Found, open []missed) (err error) {
	x := &chainJudge{judge: j, chain: chain, tested: j.testedBy(chain)}
	if err := x.look(ctx, with...); err != nil {
		return err
	}
	if x.pl, err = j.c.open(ctx, step.OnJudged, j.proof.Tree, j.proof.Tree, chain); err != nil {
		return err
	}
	defer func() { err = joinClose(err, x.pl) }()
	x.freshTests()
	for i, m := range open {
		r := reach(chain, x.files, x.holdsTests, []string{m.trial.Path}, with...)
		files := x.runnable(those(slices.Concat(r.near, r.far), func(f string) bool { return x.owns(chain, f) }))
		if files = files[:min(mostFar, len(files))]; len(files) == 0 {
			continue
		}
		before := len(x.proof.Records)
		err := x.run(ctx, files)
		x.timed(before)
		m.trial.Unreached = m.trial.Unreached && err != nil
		for round, mutant := range m.trial.mutants[:min(mostTries, len(m.trial.mutants))] { // until a test notices one
			if err == nil && m.trial.Noticed == 0 && (round == 0 || x.tried < x.q.Mutants) {
				err = x.mutate(ctx, m.trial, mutant, files)
			}
		}
		j.out.Functions[m.at] = m.trial.Function
		if late(ctx, err) {
			for _, m := range open[i:] {
				m.trial.Unreached, m.trial.unsure = false, true
				j.out.Functions[m.at] = m.trial.Function
			}
			j.known.late = true
			j.out.NotRun = append(j.out.NotRun, fmt.Sprintf("mutants of functions: %d of %d functions", len(open)-i, len(j.out.Functions)))
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
