package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// The goals of quality, in the order in which they are run and listed.
const (
	GoalLint      = "lint"
	GoalTest      = "test"
	GoalBuild     = "build"
	GoalTypeCheck = "typecheck"
	GoalCustom    = "custom"
)

// Goal is the end of one goal. Ran is false where the project has nothing to run for it; it is then neither reached nor
// missed.
type Goal struct {
	Name     string
	Ran      bool
	Failed   bool
	Findings []step.Finding    // of the linter, and of a run of tests that is no evidence
	Results  []step.TestResult // of the tests
	Tail     string            // the end of what failed commands said
	Before   bool              // it failed in the same way before the task
}

// Goals runs the goals of quality on a tree that was made from before, each of them whatever the others say. Nothing is
// changed: linters only look. The linter is asked about what has changed, the others about all of the toolchains that the
// change lies in; custom commands run in the root of the project.
func (c *Checker) Goals(ctx context.Context, t Task, before, tree string) (goals []Goal, records []step.Record, err error) {
	changes, err := Changes(ctx, c.repo, before, tree)
	if err != nil {
		return nil, nil, fmt.Errorf("run goals: %w", err)
	}
	p := taskProof{c: c, t: t, before: before, changes: changes, proof: Proof{Tree: tree}}
	defer func() { err = p.close(err) }()
	goals = each([]string{GoalLint, GoalTest, GoalBuild, GoalTypeCheck, GoalCustom}, func(name string) Goal { return Goal{Name: name} })
	for _, chain := range p.touched() {
		if err := p.goals(ctx, chain, goals); err != nil {
			return goals, p.proof.Records, fmt.Errorf("run goals: %w", err)
		}
	}
	if len(t.Verify) > 0 {
		one := taskProof{c: c, t: t, before: before, changes: changes, proof: Proof{Tree: tree}}
		if err := one.verify(ctx, true); err != nil {
			return goals, p.proof.Records, fmt.Errorf("run goals: %w", err)
		}
		p.proof.Records = append(p.proof.Records, one.proof.Records...)
		g := &goals[4]
		g.Ran, g.Findings, g.Failed = true, one.proof.Findings, len(one.proof.Findings) > 0
	}
	if t.Screen != nil {
		g := Goal{Name: GoalInteractive}
		err := p.screen(ctx, &g)
		if goals = append(goals, g); err != nil {
			return goals, p.proof.Records, fmt.Errorf("run goals: %w", err)
		}
	}
	return goals, p.proof.Records, nil
}

// goals are those of one toolchain.
func (p *taskProof) goals(ctx context.Context, chain toolchain.Found, goals []Goal) (err error) {
	pl, err := p.c.open(ctx, step.OnGoals, p.proof.Tree, cmp.Or(p.t.Base, p.proof.Tree), chain)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	mine := p.mine(pl)
	if len(mine) > 0 {
		found, records, err := p.lints(ctx, pl, mine)
		if err != nil {
			return err
		}
		p.proof.Records = append(p.proof.Records, records...)
		g := &goals[0]
		g.Ran, g.Findings = g.Ran || len(records) > 0, append(g.Findings, found...)
		g.Failed = g.Failed || slices.ContainsFunc(found, func(f step.Finding) bool { return f.Severity != step.Warn })
	}
	if err := p.goalTest(ctx, pl, &goals[1]); err != nil {
		return err
	}
	build := chain.Build(chain.Root)
	if err := p.goalRun(ctx, pl, build, &goals[2]); err != nil {
		return err
	}
	if types := chain.TypeCheck(toolchain.Selection{}); !reflect.DeepEqual(types, build) && chain.Ecosystem != toolchain.Go { // its tests are compiled to be run
		return p.goalRun(ctx, pl, types, &goals[3])
	}
	return nil
}

func (p *taskProof) goalTest(ctx context.Context, pl *place, g *Goal) error {
	files := pl.testFiles()
	if len(files) == 0 && (pl.chain.Ecosystem != toolchain.Unknown || len(pl.chain.Test(toolchain.Selection{})) == 0) {
		return nil
	}
	expected := pl.testsOf(files)
	run, err := pl.settled(ctx, toolchain.Selection{}, expected)
	if err != nil {
		return err
	}
	p.proof.Records = append(p.proof.Records, run.records...)
	fresh := p.fresh(pl)
	if expected, err = p.ranBefore(ctx, pl, expected, fresh, run); err != nil {
		return err
	}
	p.maySkip(expected, fresh)
	one := Proof{Tree: p.proof.Tree}
	one.judge(Module{Known: p.t.Known}, expected, run)
	skipped, err := p.skippedNow(ctx, pl, expected, run)
	if err != nil {
		return err
	}
	g.Ran = true
	g.Results = append(g.Results, run.results...)
	g.Findings = append(g.Findings, slices.Concat(run.findings, one.Findings, skipped)...)
	g.Failed = g.Failed || !one.Passed || len(skipped) > 0
	return nil
}

func (p *taskProof) goalRun(ctx context.Context, pl *place, cmds []toolchain.Command, g *Goal) error {
	for _, cmd := range cmds {
		c, out, err := p.compare(ctx, pl, cmd)
		if missing, ok := errors.AsType[*EnvironmentError](err); ok && (g.Name == GoalTypeCheck || cmd.Optional) { // one that the project does not have is not missed
			g.Findings = append(g.Findings, warn("tool-missing", "", 0, missing.Error()))
			continue
		}
		if err != nil {
			return err
		}
		g.Ran = true
		p.proof.Records = append(p.proof.Records, out.Record)
		if c.clean {
			continue
		}
		old := len(c.fresh) == 0
		g.Before = g.Before || old
		g.Failed = g.Failed || !old
		out.tail = commandFinding("", step.Rejects, "It fails", cmd, out, c).Message
		g.Tail = strings.TrimSpace(g.Tail + "\n" + out.tail)
	}
	return nil
}
