package check

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// GoalE2E is the goal of end-to-end tests.
const GoalE2E = "e2e"

// E2E runs the end-to-end tests of all toolchains of a tree that configure some. Ran is false where none does.
func (c *Checker) E2E(ctx context.Context, t Task, before, tree string) (g Goal, records []step.Record, err error) {
	g.Name = GoalE2E
	changes, err := Changes(ctx, c.repo, before, tree)
	if err != nil {
		return g, nil, fmt.Errorf("run end-to-end tests: %w", err)
	}
	p := taskProof{c: c, t: t, before: before, changes: changes, proof: Proof{Tree: tree}}
	defer func() { err = p.close(err) }()
	for _, chain := range t.Chains {
		for _, cmd := range chain.E2E() {
			if err := p.e2e(ctx, chain, cmd, &g); err != nil {
				return g, p.proof.Records, fmt.Errorf("run end-to-end tests: %w", err)
			}
		}
	}
	return g, p.proof.Records, nil
}

func (p *taskProof) e2e(ctx context.Context, chain toolchain.Found, cmd toolchain.Command, g *Goal) (err error) {
	pl, err := p.c.open(ctx, step.OnEndToEnd, p.proof.Tree, cmp.Or(p.t.Base, p.proof.Tree), chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	c, out, err := p.compare(ctx, pl, cmd)
	if err != nil {
		return err
	}
	p.proof.Records = append(p.proof.Records, out.Record)
	said := shorten(lastPart(string(out.output), ""))
	switch g.Ran = true; {
	case c.clean:
	case strings.Contains(said, "Executable doesn't exist at"): // Playwright's own words for a browser that was never fetched
		return &EnvironmentError{Tool: "a Playwright browser", Install: "npx playwright install, or set PLAYWRIGHT_BROWSERS_PATH to where the browsers are"}
	case len(c.fresh) == 0:
		g.Before = true
	default:
		g.Failed, g.Tail = true, strings.TrimPrefix(out.problem+"\n"+said, "\n")
		g.Findings = append(g.Findings, reject("e2e-failed", "", 0, g.Tail))
	}
	return nil
}
