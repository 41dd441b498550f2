package check

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// failsWithout names one of the task's own commands that run tests which fails on the tree that has the new tests and not
// the change: a race is seen by none but go test -race.
func (p *taskProof) failsWithout(ctx context.Context, without *place) (string, error) {
	for _, argv := range p.t.Verify {
		if tests, _ := toolchain.TestCommand(argv); !tests {
			continue
		}
		out, err := without.exec(ctx, verifyCommand(argv), false)
		if _, ok := errors.AsType[*EnvironmentError](err); ok { // said when it is run on the change
			continue
		}
		if err != nil {
			return "", err
		}
		p.proof.Records = append(p.proof.Records, out.Record)
		if out.problem == "" && out.Record.Exit != 0 {
			return " The command `" + strings.Join(argv, " ") + "` proves the change: it fails without it.", nil
		}
	}
	return "", nil
}

func verifyCommand(argv []string) toolchain.Command {
	return toolchain.Command{Name: "verify", Argv: argv, Dir: ".", Report: toolchain.ReportExit}
}

// root is a clean checkout for what belongs to the project and not to one of its toolchains; all of them are furnished there.
func (p *taskProof) root(ctx context.Context) (*place, error) {
	chains := p.nearest()
	return p.c.open(ctx, step.OnVerify, p.proof.Tree, cmp.Or(p.t.Base, p.proof.Tree), chains[0], chains[1:]...)
}

// nearest are the toolchains of the project, those first that the change lies in.
func (p *taskProof) nearest() []toolchain.Found {
	return toolchain.NearestFirst(p.t.chains(), func(f toolchain.Found) bool {
		return slices.ContainsFunc(p.changes, func(ch Change) bool { return strings.HasPrefix(ch.Path, f.Root+"/") })
	})
}

// verify runs the task's own commands in the root of the project.
func (p *taskProof) verify(ctx context.Context, persons bool) (err error) {
	if len(p.t.Verify) == 0 || p.failed || Rejected(p.proof.Findings) {
		return nil
	}
	pl, err := p.root(ctx)
	if err != nil {
		return err
	}
	defer func() { err = joinClose(err, pl) }()
	p.ran(CheckVerify)
	var built testRun // what fails of it, the tests have told
	if err := pl.before(ctx, &built, p.nearest()[1:]...); err != nil {
		return err
	}
	p.proof.Records = append(p.proof.Records, built.records...)
	for _, argv := range p.t.Verify {
		line := strings.Join(argv, " ")
		cmd := verifyCommand(argv)
		out, err := pl.exec(ctx, cmd, false)
		if missing, ok := errors.AsType[*EnvironmentError](err); ok && (!persons || strings.Contains(argv[0], "/")) { // what lies in the project is the author's
			p.add(reject("verify-failed", "", 0, "The command `"+line+"` cannot be run: "+missing.Error()))
			continue
		}
		if err != nil {
			return err
		}
		p.proof.Records = append(p.proof.Records, out.Record)
		if out.problem != "" {
			p.add(reject("verify-failed", "", 0, "The command `"+line+"` does not count: "+out.problem))
		} else if out.Record.Exit != 0 {
			if failed, err := p.failsAsBefore(ctx, argv, out, persons); err != nil {
				return err
			} else if failed != nil {
				p.add(stillFails(line, failed))
				continue
			}
			lines, _ := pl.said(out)
			p.add(commandFinding("verify-failed", step.Rejects, "A required command failed", cmd, out, compared{fresh: lines}))
		} else if tests, _ := toolchain.TestCommand(argv); tests && noTests().Match(out.output) && !anyTest().Match(out.output) {
			p.add(reject("verify-failed", "", 0, "The command `"+line+"` runs no test, so it proves nothing. It selects tests that do not exist."))
		} else if idle, err := p.idle(ctx, argv, persons); err != nil {
			return err
		} else if idle {
			p.proof.Idle = append(p.proof.Idle, line)
		}
	}
	return nil
}

// noTests is what runners say that have run nothing, and anyTest what they say of what they ran.
var (
	noTests = re.New(`(?m)\[no tests to run\]|^testing: warning: no tests to run|^# tests 0$|^Ran 0 tests|^running 0 tests|^\s*0 passing|^collected 0 items|\[no test files\]|^All examples were filtered out|^0 (?:examples|runs|tests), |^No tests were found|^No tests executed|^There are no tests to run`)
	anyTest = re.New(`(?m)^ok\s+\S+\s+(?:[\d.]+s|\(cached\))\s*$|^# tests [1-9]|^Ran [1-9]|^running [1-9]|^\s*[1-9]\d* passing|^collected [1-9]|^[1-9]\d* (?:examples?|runs?|tests?), |^OK \([1-9]|^\d+% tests passed, \d+ tests? failed out of [1-9]`)
)

// idle reports whether a command succeeds on the tree that the task began with. One that runs tests is not asked: what the new ones
// show is known.
func (p *taskProof) idle(ctx context.Context, argv []string, persons bool) (bool, error) {
	if tests, _ := toolchain.TestCommand(argv); tests || persons || len(p.changes) == 0 || len(p.t.Chains) == 0 {
		return false, nil
	}
	out, ok, err := p.began(ctx, argv)
	return ok && out.clean(), err
}
