package check

import (
	"context"
	"fmt"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Baseline runs the build and all tests of a toolchain on a tree that nobody has worked on. Its failures are Known in
// the proofs that follow. It passes also with failures, as long as the runner ran.
func (c *Checker) Baseline(ctx context.Context, chain toolchain.Found, tree string) (proof Proof, err error) {
	p, err := c.open(ctx, step.OnBaseline, tree, tree, chain)
	if err != nil {
		return Proof{}, fmt.Errorf("baseline: %w", err)
	}
	defer func() { err = joinClose(err, p) }()
	proof = Proof{Tree: tree}
	for _, cmd := range chain.Build(chain.Root) {
		out, failed := p.exec(ctx, cmd, false)
		if missing := optional(cmd, failed); missing != nil {
			proof.Findings = append(proof.Findings, warn("tool-missing", "", 0, missing.Error()))
			continue
		}
		if failed != nil {
			return proof, fmt.Errorf("baseline: %w", failed)
		}
		proof.Records = append(proof.Records, out.Record)
		if !out.clean() {
			proof.Findings = append(proof.Findings, warn("build-failed", chain.Root, 0, "The build already fails without any change: "+out.tail))
		}
	}
	files := p.testFiles()
	if len(files) == 0 && (chain.Ecosystem != toolchain.Unknown || len(chain.Test(toolchain.Selection{})) == 0) {
		proof.Passed = true
		return proof, nil
	}
	run, err := p.runTests(ctx, toolchain.Selection{}, p.testsOf(files))
	if run.exit != nil && run.exit.Exit != 0 { // which of them failed is not known, so none is excused
		run.results = nil
	}
	if err == nil {
		err = p.settle(ctx, &run)
	}
	proof.Records = append(proof.Records, run.records...)
	proof.Results = run.results
	for _, f := range run.findings {
		f.Severity = step.Warn
		proof.Findings = append(proof.Findings, f)
	}
	proof.Passed = executed(run.results) > 0
	if err != nil {
		return proof, fmt.Errorf("baseline: %w", err)
	}
	return proof, nil
}
