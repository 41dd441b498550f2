package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Limits of what is substituted in tests.
const (
	maxSubstitute   = 30 * time.Second
	mostSubstituted = 8 // of the lines of a test
)

// substituted sends back new tests that pass when a call of a changed function gives another value than the function does. A person decides on a
// test of new functions that notices none of its calls: nothing else says what they give.
func (p *taskProof) substituted(ctx context.Context, pl *place, mine []string, fresh []test) error {
	if Rejected(p.proof.Findings) || slices.ContainsFunc(p.proof.Findings, func(f step.Finding) bool { return f.Rule == "compares-nothing" }) {
		return nil
	}
	old, now := p.sources(mine)
	changed, anew := changedNames(old, now)
	methods := methodsOf(now)
	passing := those(fresh, func(t test) bool { return t.in(p.proof.Results) == step.Pass })
	list, err := pl.substituted(ctx, passing, changed, &p.proof)
	for _, v := range list {
		severity := step.Fix
		if anew && v.all && !slices.ContainsFunc(v.lines, func(s source.Substitution) bool { return methods[bareName(s.Call)] }) {
			severity = step.Asks
		}
		p.add(v.findings(severity)...)
	}
	return err
}

// methodsOf are the names of the methods of some files: a test may call what has the same name elsewhere.
func methodsOf(files map[string][]byte) map[string]bool {
	out := map[string]bool{}
	for file, src := range files {
		for name := range functions(file, src) {
			out[bareName(name)] = out[bareName(name)] || strings.Contains(name, ".")
		}
	}
	return out
}

// vague is a test that passes when the calls of some lines, or of all that have some, give other values.
type vague struct {
	test
	lines []source.Substitution
	all   bool
}

func (v vague) findings(severity step.Severity) []step.Finding {
	return each(v.lines, func(s source.Substitution) step.Finding {
		f := fix("compares-nothing", v.File, s.Line, fmt.Sprintf(
			"The test %s passes when %s (line %d) gives another value. Compare the result with the expected value.", v.Name, s.Call, s.Line))
		f.Severity = severity
		return f
	})
}

// substituted finds tests that pass when a call of the changed functions gives another value than the function does: what they say of it may be anything.
// Other tests, or other calls of the same test, may notice mutants of the function, so only the call itself shows it.
func (p *place) substituted(ctx context.Context, tests []test, changed map[string]bool, proof *Proof) (found []vague, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxSubstitute, errMutateTime)
	defer cancel()
	s := substituter{p: p, proof: proof, files: map[string]source.File{}, subs: map[string][]source.Substitution{}}
	for _, file := range filesOf(tests) {
		f := source.Parse(file, p.read(file))
		s.files[file] = f
		for _, t := range those(tests, func(t test) bool { return t.File == file }) {
			all := f.Substitutions(t.Test, changed)
			s.subs[t.ID] = all[:min(len(all), mostSubstituted)]
		}
	}
	unnoticed := map[string][]source.Substitution{}
	for round := 0; round < mostSubstituted && err == nil; round++ {
		var passing []test
		passing, err = s.passing(ctx, round, those(tests, func(t test) bool { return len(s.subs[t.ID]) > round }))
		for _, t := range passing {
			unnoticed[t.ID] = append(unnoticed[t.ID], s.subs[t.ID][round])
		}
	}
	line := func(x source.Substitution) int { return x.Line }
	for _, t := range tests {
		tried, v := groups(s.subs[t.ID], line), vague{test: t}
		for _, some := range groups(unnoticed[t.ID], line) {
			if len(some) == len(tried[some[0].Line]) {
				v.lines = append(v.lines, some[0])
			}
		}
		if v.all = len(v.lines) == len(tried); len(v.lines) > 0 {
			slices.SortFunc(v.lines, func(a, b source.Substitution) int { return a.Line - b.Line })
			found = append(found, v)
		}
	}
	if errors.Is(err, errMutateTime) {
		err = nil
	}
	return found, err
}

type substituter struct {
	p     *place
	proof *Proof
	files map[string]source.File
	subs  map[string][]source.Substitution // by test
}

// passing are those of some tests that pass when one call in each gives another value. One that ends the run of others, and what cannot be
// compiled, says nothing of them: they run again, and alone where none has run.
func (s *substituter) passing(ctx context.Context, round int, tests []test) (passing []test, err error) {
	if len(tests) == 0 {
		return nil, nil
	}
	texts := map[string][]byte{}
	for _, file := range filesOf(tests) {
		in := those(tests, func(t test) bool { return t.File == file })
		texts[file] = s.files[file].Substituted(each(in, func(t test) source.Substitution { return s.subs[t.ID][round] }))
	}
	run, err := s.proof.noted(asMutant(s.p.runWith(ctx, texts, toolchain.Selection{IDs: idsOf(tests)})))
	passing = those(tests, func(t test) bool { return t.in(run.results) == step.Pass })
	if err != nil || len(tests) == 1 {
		return passing, err
	}
	left := [][]test{those(tests, func(t test) bool { return t.in(run.results) == "" })}
	if len(left[0]) == len(tests) {
		left = slices.Collect(slices.Chunk(tests, 1))
	}
	for _, some := range left {
		more, err := s.passing(ctx, round, some)
		if passing = append(passing, more...); err != nil {
			return passing, err
		}
	}
	return passing, nil
}
