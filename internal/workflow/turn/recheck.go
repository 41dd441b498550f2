package turn

import (
	_ "embed" // the prompt
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

//go:embed recheck.md
var recheckPrompt string

var recheckSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["held_out"],"properties":{"held_out":` + HeldOutSchema + `}}`)

// Recheck lets an author who has no part in the work work out again the held-out calls that gave something else: whoever kept them did so
// by hand. It is told neither result. held are all calls, t says where the work is and what it is about. What the author says of a call
// is sure from then on, one that it leaves out is forgotten. A turn that fails by itself changes nothing, and took no call.
func Recheck(c *flow.Ctx, t step.Turn, held, doubtful []step.HeldOut) (out []step.HeldOut, spent step.RoleUsage, err error) {
	spent.Usage.Known = true
	var b strings.Builder
	List(&b, "\nCalls to work out", step.Each(doubtful, func(h step.HeldOut) string { return h.Call }))
	t.Role, t.Attempt, t.Judge, t.Instructions, t.Schema = "recheck", 1, true, recheckPrompt, recheckSchema
	t.Task += b.String()
	turned, answered, err := Try(c, t)
	if !answered { // the calls stay as they are
		return held, spent, err
	}
	spent = step.Turned(t.Role, turned)
	var ans struct {
		HeldOut []step.HeldOut `json:"held_out"`
	}
	if answered = json.Unmarshal(turned.Answer, &ans) == nil; !answered {
		return held, spent, nil
	}
	for _, h := range AddCalls(held, doubtful) {
		i := slices.IndexFunc(ans.HeldOut, func(x step.HeldOut) bool { return x.Call == h.Call })
		switch {
		case !slices.Contains(doubtful, h):
			out = append(out, h)
		case i >= 0:
			out = append(out, step.HeldOut{Call: h.Call, Gives: ans.HeldOut[i].Gives, Sure: true})
		}
	}
	return out, spent, nil
}

// AddCalls are some held-out calls and those of others that are not among them.
func AddCalls(held, others []step.HeldOut) []step.HeldOut {
	out := slices.Clone(held)
	for _, h := range others {
		if !slices.ContainsFunc(out, func(x step.HeldOut) bool { return x.Call == h.Call }) {
			out = append(out, h)
		}
	}
	return out
}

// Prove proves a task's tree. Held-out calls that gave something else are worked out again first, by the turn that by gives,
// see Recheck: in has the calls that count from then on.
func Prove(c *flow.Ctx, in *step.TaskIn, by func() step.Turn) (step.TaskProof, step.RoleUsage, error) {
	proof, err := Do(c, "prove", step.ProveTask, *in)
	if err != nil || !proof.Passed || len(proof.Doubtful) == 0 {
		return proof, step.RoleUsage{}, err
	}
	c = c.Sub("held-out")
	held, spent, err := Recheck(c, by(), in.Task.HeldOut, proof.Doubtful)
	if err != nil {
		return proof, spent, err
	}
	in.Task.HeldOut = held
	proof, err = Do(c.Sub("again"), "prove", step.ProveTask, *in)
	return proof, spent, err
}

// ProveAll proves a task's tree as Prove does, and looks for the items of a checklist in it: what is missing is a finding. of is
// what the checklist is called.
func ProveAll(c *flow.Ctx, in *step.TaskIn, of string, list []pdca.Check, by func() step.Turn) (proof step.TaskProof, look step.AutoLookOut, spent step.RoleUsage, err error) {
	if proof, spent, err = Prove(c, in, by); err != nil {
		return proof, look, spent, err
	}
	look, err = Do(c, "look", step.AutoLook, step.AutoLookIn{Base: in.Base, Tree: in.Tree, Checklist: list})
	proof.Findings = slices.Concat(proof.Findings, missing(of, list, look.Found))
	return proof, look, spent, err
}

// missing are the items of a checklist that code has not found in a tree; of is what they are called.
func missing(of string, list []pdca.Check, found []pdca.Presence) []step.Finding {
	var out []step.Finding
	for _, k := range list {
		i := slices.IndexFunc(found, func(p pdca.Presence) bool { return p.ID == k.ID })
		if i >= 0 && found[i].There() {
			continue
		}
		what := "the file does not exist"
		switch {
		case i < 0 || !found[i].Path:
		case !found[i].Symbol:
			what = "the file does not declare " + k.Symbol
		default:
			what = "there is no test " + k.Test
		}
		out = append(out, step.Finding{Rule: "checklist", Severity: step.Rejects, Path: k.Path, Message: fmt.Sprintf("%s of the %s (%s): %s.", k.ID, of, Clip(k.Behaviour, 200), what)})
	}
	return out
}
