package develop

import (
	"slices"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// contracts gets the tests of all checkpoints written, before anybody builds.
func (w *work) contracts(c *flow.Ctx) (step.End, error) {
	all := w.tests()
	if w.contract == "" {
		w.contract = w.s.Tree
	}
	if w.contract != w.s.Tree { // what an earlier design has left and this one does not have, code takes out
		var others []string
		for _, p := range w.left {
			if !slices.ContainsFunc(all, func(t checkpoint.Test) bool { return t.Path == p }) && !w.exists[p] {
				others = append(others, p)
			}
		}
		var err error
		if w.contract, err = w.hold(c, "kept", w.s.Tree, w.contract, others); err != nil {
			return step.End{}, err
		}
	}
	w.left = step.Each(all, func(t checkpoint.Test) string { return t.Path })
	if len(all) == 0 {
		w.contract, w.diff, w.support, w.held = w.s.Tree, step.Doc{}, nil, nil
		return step.End{}, nil
	}
	res, k, err := w.writeContracts(c, w.contract, &w.out.Usage, func(c *flow.Ctx, a *turn.Attempt[contracted]) (step.TurnOut, error) {
		w.contract = a.Before
		return w.ask(c, request{role: "contracts", prompt: contractsPrompt + turn.HeldOutRules(w.s.Code...), schema: contractsSchema, task: w.contractsText(a.Back), tree: a.Before, writes: true}, nil)
	})
	if w.contract = res.Tree; err != nil {
		return step.End{}, err
	}
	if res.End.Reason != "" {
		if res.Back != nil {
			res.End.Detail = res.Back.Brief()
		}
		w.out.Open = []string{res.End.Detail}
		return step.End{Reason: turn.Limit, N: drafts, Detail: "the tests of the contracts: " + res.End.Detail}, nil
	}
	w.diff, w.support, w.held = k.Diff, k.Support, res.Last.Answer.HeldOut
	return step.End{}, nil
}

// writeContracts lets an author write the tests of contracts until code finds nothing wrong with them.
func (w *work) writeContracts(c *flow.Ctx, tree string, usage *step.Usage, write func(*flow.Ctx, *turn.Attempt[contracted]) (step.TurnOut, error)) (res turn.Result[contracted], k step.ContractOut, err error) {
	var held []step.HeldOut // the last that were given
	res, err = turn.Attempts[contracted]{
		Key: "write", Phase: step.ContractsPhase, Limit: drafts, Tree: tree, Usage: usage, Write: write,
		Prove: func(c *flow.Ctx, a *turn.Attempt[contracted]) (err error) {
			held = turn.KeepHeldOut(a.Answer.HeldOut, held)
			a.Answer.HeldOut = held
			if k, err = turn.Do(c, "check", step.Contract, step.ContractIn{Base: w.s.Tree, Tree: a.Tree, Tests: w.tests()}); err == nil {
				a.Tree = k.Tree
				a.Judge(step.TaskProof{Passed: true, Findings: k.Findings})
			}
			return err
		},
	}.Run(c)
	return res, k, err
}

// amend lets the author of the contracts mend the tests of this checkpoint, which its author holds to be wrong and of which
// a person has said what they should be. Where he makes nothing that code lets pass, the contract stays as it is.
func (b *builder) amend(c *flow.Ctx, hint string) (bool, error) {
	res, k, err := b.w.writeContracts(c, b.contract, &b.res.Usage, func(c *flow.Ctx, a *turn.Attempt[contracted]) (step.TurnOut, error) {
		t := b.w.turn(request{role: "contracts", prompt: contractsPrompt + turn.HeldOutRules(b.w.s.Code...), schema: contractsSchema, task: b.amendText(hint, a.Back), tree: a.Before, writes: true})
		t.Module, t.Attempt = b.w.name+"/"+b.k.ID, a.N
		out, err := turn.Ask(c.Sub("as").Sub("contracts"), t)
		if err == nil {
			b.spend(step.Turned("contracts", out))
		}
		return out, err
	})
	if err != nil || res.End.Reason != "" {
		return false, err
	}
	b.contract, b.res.Contract, b.support, b.held = k.Tree, k.Tree, k.Support, b.k.Offered(res.Last.Answer.HeldOut)
	return true, nil
}

// tests are those of all contracts.
func (w *work) tests() []checkpoint.Test {
	var out []checkpoint.Test
	for _, k := range w.design.Checkpoints {
		out = append(out, k.Tests...)
	}
	return out
}

// testFiles are those of the checkpoints that are asked for.
func (w *work) testFiles(of func(id string) bool) []string {
	var out []string
	for _, k := range w.design.Checkpoints {
		if of(k.ID) {
			out = append(out, k.TestFiles()...)
		}
	}
	return out
}

// hold puts the tests of a contract into a tree, without those of others.
func (w *work) hold(c *flow.Ctx, key, tree, contract string, others []string) (string, error) {
	if contract == w.s.Tree {
		return tree, nil
	}
	out, err := turn.Do(c, key, step.Hold, step.HoldIn{Tree: tree, Contract: contract, Base: w.s.Tree, Others: others})
	return out.Tree, err
}

// undo does the same with what an author has left. Each change of his is a finding.
func (w *work) undo(c *flow.Ctx, out *step.TurnOut, contract string, others []string, put step.Finding) error {
	if contract == w.s.Tree {
		return nil
	}
	put.Rule = "contract-test"
	return turn.Hold(c, out, step.HoldIn{Contract: contract, Base: w.s.Tree, Others: others}, put)
}
