package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// drive carries a run on, shows it, and turns its end into an exit code.
func (p *project) drive(ctx context.Context, e *engine, run flow.Run, blocks bool) error {
	quiet := context.WithoutCancel(ctx)
	others := p.tellOthers(quiet, e.keeper, run)
	defer others.stop()
	if err := p.a.announce(run.ID); err != nil {
		return err
	}
	for {
		w := p.watch(e, run)
		if err := w.catchUp(ctx); err != nil {
			return err
		}
		p.served(ctx, e)
		w.start(quiet)
		p.a.driving.Store(run.ID)
		st, err := e.Drive(ctx, run.ID)
		w.stop(quiet)
		if err == nil {
			err = w.failed
		}
		if err != nil {
			return err
		}
		if st.State != flow.Waiting || repairClass(st.Gates) != "" || !p.a.converses() {
			return p.finish(quiet, e, run.ID, st, w.rep, blocks)
		}
		if err := p.converse(ctx, e, run, st.Gates); errors.Is(err, errQuit) {
			return p.finish(quiet, e, run.ID, st, w.rep, blocks)
		} else if err != nil {
			return err
		}
	}
}

// finish prints the answer of a run that stands still, with what there is of what did not pass, and returns its code.
func (p *project) finish(ctx context.Context, e *engine, id string, st flow.Status, rep *report.Run, blocks bool) error {
	rep.State = st.State
	if st.State == flow.Done { // then it says whether it was verified
		if err := rep.End(st.Out); err != nil {
			return words("read the result of run %s: %w", rep.ID, err)
		}
	}
	if err := p.settle(ctx, rep); err != nil {
		return err
	}
	if st.State == flow.Done {
		committed := rep.Result != nil && rep.Result.Ended().Ref != ""
		var delivered []string // into the working tree
		for _, m := range rep.Modules {
			if m.Result != nil && m.Result.Delivered && !committed {
				delivered = append(delivered, m.Dir)
			}
		}
		var err error
		if rep.Altered, err = e.actor.Altered(ctx, id, delivered); err != nil {
			return err
		}
		if err := p.attest(ctx, e, e.actor, rep); err != nil { // the commits stand without it
			fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ the attestation of the commits could not be written: %v\n"), err)
		} else if err := p.pushProofs(ctx, e.actor, rep); err != nil { // a server may take branches and no notes
			fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ the attestation of the commits was not pushed: %s\n"), oneLineOf(err.Error(), 200))
		}
	}
	if !p.a.json { // how it ended, and where to read more, is said last
		fmt.Fprint(p.a.Err, report.WhatIsLeft(p.a.lang(), rep))
	}
	err := p.answered(ctx, e, id, st, rep, blocks)
	if err == nil {
		err = proved(len(rep.Altered) == 0)
	}
	return err
}

// settle finds what a run has cost in all, and where the things are that one which has ended has left.
func (p *project) settle(ctx context.Context, rep *report.Run) error {
	if err := p.counted(rep); err != nil || len(rep.Left) == 0 {
		return err
	}
	ref, err := act.KeptTree(ctx, p.repo)
	if err == nil {
		rep.Settle(ref)
	}
	return err
}

// answered prints the answer of a run that stands still and returns its code.
func (p *project) answered(ctx context.Context, e *engine, id string, st flow.Status, rep *report.Run, blocks bool) error {
	events, err := e.Events(ctx, id, 0)
	if err != nil {
		return err
	}
	if processOf(rep.Workflow).modules {
		if err := e.actor.Project(ctx, id, events); err != nil {
			return err
		}
	}
	rep.State, rep.Error, rep.Gates = st.State, st.Err, st.Gates
	code := exitOK
	switch st.State {
	case flow.Done:
		return processOf(rep.Workflow).end(p, e, rep, blocks)
	case flow.Errored, flow.Stopped:
		code = codeOfClass(flow.ClassOf(st.Err))
		if st.State == flow.Stopped {
			code = exitInternal
		}
	case flow.CancelledOK, flow.Interrupted:
		code = exitInterrupted
	case flow.Waiting, flow.Paused:
		code = exitWaits
		if c := repairClass(st.Gates); c != "" {
			code = codeOfClass(c)
		}
	case flow.Parked:
		code = exitLimit
	case flow.Running:
		return words("the run was stopped")
	}
	if p.a.json {
		if _, rep.Usage, _, err = costs(ctx, p, e, id); err != nil {
			return err
		}
		p.a.print(rep)
	}
	fmt.Fprint(p.a.Err, p.standstill(p.a.lang(), id, st, rep.Pause))
	return silent(code)
}

// standstill says why a run is not done and what to do next.
func (p *project) standstill(l report.Lang, id string, st flow.Status, pause *step.Pause) string {
	var b strings.Builder
	switch st.State {
	case flow.Errored:
		fmt.Fprintf(&b, l.T("jacquard: run %s failed: %s\n"), id, st.Err.Msg)
		fmt.Fprintf(&b, l.T("It is over. To see how far it came, run: jacquard show %s; to try again, start it again\n"), id)
	case flow.Stopped:
		fmt.Fprintf(&b, l.T("jacquard: run %s is stuck: %s\n"), id, st.Err.Msg)
		fmt.Fprintf(&b, l.T("Your work is saved. Once the bug is fixed, run: jacquard resume %s\n"), id)
	case flow.CancelledOK:
		fmt.Fprintf(&b, l.T("run %s was cancelled\n"), id)
	case flow.Interrupted:
		fmt.Fprintf(&b, l.T("interrupted; to continue, run: jacquard resume %s\n"), id)
	case flow.Paused:
		fmt.Fprintf(&b, l.T("paused; to continue, run: jacquard resume %s\n"), id)
	case flow.Parked:
		why := ""
		if pause != nil {
			why = pause.Why
		}
		b.WriteString(parked(l, id, why, st.ResumeAt))
	case flow.Waiting:
		for _, q := range repairs(st.Gates) {
			fmt.Fprintf(&b, l.T("jacquard: run %s is blocked: %s\n"), id, q.Text)
		}
		switch repairClass(st.Gates) {
		case "":
		case flow.Budget:
			fmt.Fprintf(&b, l.T("Your work is saved. To continue with a higher budget, run: jacquard resume %s --budget %s\n"), id, p.higher(id, st.Gates))
		default:
			fmt.Fprintf(&b, l.T("Your work is saved. Fix it, then run: jacquard resume %s\n"), id)
		}
		b.WriteString(p.questions(l, id, slices.DeleteFunc(slices.Clone(st.Gates), func(g flow.Gate) bool { return g.Question.Class != "" })))
		if repairClass(st.Gates) == "" {
			fmt.Fprintf(&b, l.T("then run: jacquard resume %s\n"), id)
		}
	case flow.Done, flow.Running:
	}
	return b.String()
}

// repairClass is why a run waits for a repair, "" when it only asks questions.
func repairClass(gates []flow.Gate) flow.Class {
	for _, g := range gates {
		if g.Question.Class == "" {
			return ""
		}
	}
	if len(gates) == 0 {
		return ""
	}
	return gates[0].Question.Class
}

// repairs are the different things to mend.
func repairs(gates []flow.Gate) []flow.Question {
	var out []flow.Question
	for _, g := range gates {
		if g.Question.Class != "" && !slices.ContainsFunc(out, func(q flow.Question) bool { return q.Text == g.Question.Text }) {
			out = append(out, g.Question)
		}
	}
	return out
}

// higher is a budget that a run which has used up its own can go on with: twice that, and enough for each call that was refused.
func (p *project) higher(id string, gates []flow.Gate) string {
	account, err := p.account(id)
	if err != nil || account.Budget.Tokens == 0 && account.Budget.USD == 0 { // it ran on another machine
		return "40usd"
	}
	need := gateway.Amount{MicroUSD: 1e6, Tokens: 2e5} // that pay for a call, where nobody says what it takes
	for _, g := range gates {
		if most := gateway.Refused(g.Question.Text); g.Question.Class == flow.Budget {
			need = gateway.Amount{MicroUSD: max(need.MicroUSD, most.MicroUSD), Tokens: max(need.Tokens, most.Tokens)}
		}
	}
	need = need.Plus(account.Spent).Plus(account.Reserved)
	if n := account.Budget.Tokens; n > 0 {
		return strconv.FormatFloat(math.Ceil(max(2*float64(n), float64(need.Tokens))/1e4)/100, 'f', -1, 64) + "Mtok"
	}
	const cent = 0.01 // what a text has rounded off
	return strconv.FormatFloat(max(2*account.Budget.USD, math.Ceil(float64(need.MicroUSD)/1e6+cent)), 'f', -1, 64) + "usd"
}

// account is what a run may spend and has spent.
func (p *project) account(id string) (act.Account, error) { return act.AccountOf(p.ledger(id)) }

// rebudget gives a run another budget than what it began with.
func (p *project) rebudget(id string, first, b step.Budget) error {
	if err := os.MkdirAll(filepath.Dir(p.ledger(id)), 0o755); err != nil {
		return err
	}
	return act.Rebudget(p.ledger(id), first, b)
}

// ledger is the file of what a run may spend and has spent.
func (p *project) ledger(id string) string {
	return filepath.Join(p.state, "runs", id, "ledger.jsonl")
}

// compiled prints the answer of a build on stdout.
func (p *project) compiled(_ *engine, rep *report.Run, blocks bool) error {
	if p.a.asJSON(rep) {
		return proved(rep.Verified())
	}
	if blocks {
		for _, m := range rep.Modules {
			if m.Result != nil {
				dir := stateDir + "/runs/" + rep.ID + "/" + m.Dir
				fmt.Fprint(p.a.Out, report.Blocks(*m.Result, dir+"/result.json", dir+"/spec.json"))
			}
		}
	}
	out := rep.Result.(*step.CompileOut) //nolint:forcetypeassert // it is of a build
	if l := p.a.lang(); out.Modules+out.Broken > 0 && p.a.compiles {
		fmt.Fprint(p.a.Out, report.Generated(l, rep))
	} else if out.Modules+out.Broken > 0 {
		fmt.Fprint(p.a.Out, report.Ending(l, rep, ""))
	}
	if out.Ref != "" && out.Ref != "HEAD" { // that it has moved is said above
		fmt.Fprintf(p.a.Out, "%s\n", out.Ref)
	}
	return proved(out.Verified)
}

// attest writes down how the commits of a run were proved, so that it goes where they go.
func (p *project) attest(ctx context.Context, rt flow.Runtime, actor *act.Actor, rep *report.Run) error {
	items := map[string][]step.ItemLevel{}
	for _, m := range rep.Modules {
		if m.Result != nil {
			items[m.Dir] = m.Result.Items
		}
	}
	return actor.Attest(ctx, rep.ID, rep.Result.Ended().Ref, items, func() (map[string][]act.Proved, error) {
		steps, err := rt.Steps(ctx, rep.ID)
		if err != nil {
			return nil, err
		}
		proofs := map[string][]act.Proved{}
		for _, s := range steps {
			e := p.evidence(s)
			if e.Tree == "" || len(e.Records) == 0 {
				continue
			}
			said, err := report.Decode[struct{ Counts step.Counts }](s.Out)
			if err != nil {
				return nil, err
			}
			proofs[e.Tree] = append(proofs[e.Tree], act.Proved{Key: s.Key, Counts: said.Counts, Records: e.Records, Shown: e.Shown})
		}
		return proofs, nil
	})
}

// pushProofs pushes what is attested of the commits of a run that has ended with a pull request.
func (p *project) pushProofs(ctx context.Context, actor *act.Actor, rep *report.Run) error {
	if rep.Result.Ended().Pull == nil {
		return nil
	}
	return actor.ShareProofs(ctx, rep.ID)
}

// announce writes the run that is driven where who has started this process looks for it.
func (a *app) announce(run string) error {
	if a.env[announced] == "" {
		return nil
	}
	if err := os.WriteFile(a.env[announced], []byte(run), 0o600); err != nil {
		return environment("say which run is driven", err)
	}
	return nil
}

// announced is the variable that names a file into which a command writes the run that it drives, before it does anything in it.
const announced = "JACQUARD_ANNOUNCE"

// evidence is what the blob of a proof has.
type evidence struct {
	Tree    string
	Records []step.Record
	Shown   []step.Shown
}

// evidence is what a step has proved; nothing where it was cleared away.
func (p *project) evidence(s flow.StepRow) evidence {
	ref, err := report.Decode[struct{ Records flow.Blob }](s.Out)
	if err != nil || ref.Records.IsZero() || strings.HasSuffix(s.Key, "/mutate") { // mutants are counted; that tests fail with them is the point
		return evidence{}
	}
	raw, err := p.blobs.Get(ref.Records)
	if err != nil {
		return evidence{}
	}
	e, err := report.Decode[evidence](raw)
	if err != nil {
		return evidence{}
	}
	return e
}
