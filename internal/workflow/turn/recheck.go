package turn

import (
	_ "embed" // the prompt
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

//go:embed recheck.md
var recheckPrompt string

//go:embed challenge.md
var challengePrompt string

var callsSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["held_out"],"properties":{"held_out":` + HeldOutSchema + `}}`)

// recheck lets an author who has no part in the work work out again calls of which two say different things: whoever kept or objected
// with them did so by hand. It is told neither result. held are all calls, t says where the work is and what it is about. What the author
// says of a call that was kept is sure from then on, one that it leaves out is forgotten; an objection counts where both say the same.
// A turn that fails by itself changes nothing, and took no call.
func recheck(c *flow.Ctx, t step.Turn, held, doubtful, objections []step.HeldOut) (out []step.HeldOut, spent []step.RoleUsage, err error) {
	var b strings.Builder
	List(&b, "\nCalls to work out", step.Each(AddCalls(doubtful, objections), func(h step.HeldOut) string { return h.Call }))
	t.Role, t.Instructions = "recheck", recheckPrompt
	t.Task += b.String()
	said, spent, err := judgeCalls(c, t)
	if err != nil || len(spent) == 0 { // the calls stay as they are
		return held, spent, err
	}
	for _, h := range AddCalls(held, doubtful) {
		i := slices.IndexFunc(said, func(x step.HeldOut) bool { return x.Call == h.Call })
		switch {
		case !slices.Contains(doubtful, h):
			out = append(out, h)
		case i >= 0:
			out = append(out, step.HeldOut{Call: h.Call, Gives: said[i].Gives, Sure: true})
		}
	}
	for _, h := range objections {
		i := slices.IndexFunc(said, func(x step.HeldOut) bool { return x.Call == h.Call })
		if i < 0 {
			continue
		}
		if gives := agreed(h.Result(), said[i].Result()); gives != "" {
			out = append(out, step.HeldOut{Call: h.Call, Gives: gives, Sure: true})
		}
	}
	return out, spent, nil
}

// challenge lets such an author look for calls of a tree that has passed whose results contradict what was asked. It sees the change,
// and the engine makes no use of a call before another one has worked it out, see recheck. t is as for recheck.
func challenge(c *flow.Ctx, t step.Turn, base, tree string) ([]step.HeldOut, []step.RoleUsage, error) {
	look, err := Do(c, "look", step.AutoLook, step.AutoLookIn{Base: base, Tree: tree})
	if err != nil {
		return nil, nil, err
	}
	t.Docs = append(slices.Clone(t.Docs), look.Diff) // a judge runs no command
	var languages []string
	for _, f := range look.Files {
		if l := toolchain.LanguageOf(f.Path); l != "" {
			languages = append(languages, l)
		}
	}
	t.Role, t.Instructions, t.Base, t.Tree = "challenge", challengePrompt+callRules(languages), base, tree
	return judgeCalls(c, t)
}

// judgeCalls are the calls that a judge answers with. One that fails by itself has no account.
func judgeCalls(c *flow.Ctx, t step.Turn) ([]step.HeldOut, []step.RoleUsage, error) {
	t.Attempt, t.Judge, t.Schema = 1, true, callsSchema
	turned, answered, err := Try(c, t)
	var ans struct {
		HeldOut []step.HeldOut `json:"held_out"`
	}
	if !answered || json.Unmarshal(turned.Answer, &ans) != nil {
		return nil, nil, err
	}
	return ans.HeldOut, []step.RoleUsage{step.Turned(t.Role, turned)}, nil
}

// agreed is what two say that a call gives, "" where they say different things. Of an error one may say less: its name, or no more than that it is one.
func agreed(a, b string) string {
	first, one := literal(a)
	second, two := literal(b)
	const anyError = "error"
	name := func(s string) string { bare, _, _ := strings.Cut(s, "("); return bare }
	isError := func(s string) bool { return s == anyError || errorNamed().MatchString(name(s)) }
	switch {
	case a == b, one && two && reflect.DeepEqual(first, second):
		return a
	case one || two || !isError(a) || !isError(b):
	case a == anyError || b == anyError:
		return anyError
	case name(a) == name(b) && (name(a) == a || name(b) == b): // one says what it says
		return name(a)
	}
	return ""
}

// errorNamed is what people call errors by.
var errorNamed = re.New(`^(?:\w+[.:]+)*(?:Err[A-Z]\w*|\w*(?:Error|Exception|panic))$`)

// literal is the value that a text is of JSON; numbers are compared by their digits, as a float cannot tell large ones apart.
func literal(text string) (v any, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	ok = d.Decode(&v) == nil && !d.More()
	return plainNumbers(v), ok
}

// plainNumbers are numbers without the zeros that say nothing: 1.50 is 1.5.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return json.Number(r.RatString())
		}
	case []any:
		return step.Each(v, plainNumbers)
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = plainNumbers(x)
		}
		return out
	}
	return v
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

// Examine lets others object to code that has passed and that the engine can call, and decides about its held-out calls: by gives the
// turn of who has no part in the work, base and tree are what the change is between. Calls that gave something else, and those with which
// a challenge objects, are worked out again. The calls that count from then on are returned, and whether the tree has to be proved with
// them.
func Examine(c *flow.Ctx, by func() step.Turn, base, tree string, callable bool, held, doubtful []step.HeldOut) (out []step.HeldOut, again bool, spent []step.RoleUsage, err error) {
	if !callable && len(held)+len(doubtful) == 0 { // whatever they say, nobody could see whether it is so
		return held, false, nil, nil
	}
	objections, spent, err := challenge(c.Sub("as").Sub("challenge"), by(), base, tree)
	known := AddCalls(held, doubtful) // decided, or asked for anyway
	objections = AddCalls(known, objections)[len(known):]
	if err != nil || len(objections) == 0 && len(doubtful) == 0 {
		return held, false, spent, err
	}
	out, more, err := recheck(c.Sub("held-out").Sub("as").Sub("recheck"), by(), held, doubtful, objections)
	return out, !slices.Equal(out, held), append(spent, more...), err
}

// Prove proves a task's tree, and examines it: in has the calls that count from then on. by is as for Examine.
func Prove(c *flow.Ctx, in *step.TaskIn, by func() step.Turn) (proof step.TaskProof, spent []step.RoleUsage, err error) {
	defer func() { in.Task.HeldOut = told(in.Task.HeldOut, proof.Findings) }()
	proof, err = Do(c, "prove", step.ProveTask, *in)
	if err != nil || !proof.Passed {
		return proof, nil, err
	}
	held, again, spent, err := Examine(c, by, in.Base, in.Tree, proof.Callable, in.Task.HeldOut, proof.Doubtful)
	if err != nil || !again {
		return proof, spent, err
	}
	in.Task.HeldOut = held
	proof, err = Do(c.Sub("held-out").Sub("again"), "prove", step.ProveTask, *in)
	return proof, spent, err
}

// told are held-out calls with those marked that findings tell the author of the code.
func told(held []step.HeldOut, findings []step.Finding) []step.HeldOut {
	return step.Each(held, func(h step.HeldOut) step.HeldOut {
		h.Told = h.Told || slices.ContainsFunc(findings, func(f step.Finding) bool { return strings.Contains(f.Message, h.String()) })
		return h
	})
}

// ProveAll proves a task's tree as Prove does, and looks for the items of a checklist in it: what is missing is a finding. of is
// what the checklist is called.
func ProveAll(c *flow.Ctx, in *step.TaskIn, of string, list []pdca.Check, by func() step.Turn) (proof step.TaskProof, look step.AutoLookOut, spent []step.RoleUsage, err error) {
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
