package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/step"
)

// mostHeldOut bounds how many calls of a module are kept from its author.
const mostHeldOut = 100

// heldOut is a call that the author of the code does not know.
type heldOut struct {
	example.Example

	sure bool
}

// heldOut are the calls that are kept from the author of the code: those that can be read, are of exports, and stand neither in the
// spec nor in a test, where the author of the code would have seen them. unmade are the others, with the reason. Of a call that is there
// twice the second is left out.
func (m Module) heldOut(seen []example.Example) (out []heldOut, unmade []step.Example) {
	known, tested := map[string]bool{}, setOf(each(seen, example.Example.Calls))
	for _, h := range without(m.HeldOut, isCommand) {
		e, why := m.readHeldOut(h)
		switch {
		case why != "":
		case known[e.Calls()]:
			continue
		case tested[e.Calls()]:
			why = "a test or an example has it"
		case len(out) == mostHeldOut:
			why = fmt.Sprintf("%d calls of a module are made", mostHeldOut)
		}
		if why != "" {
			unmade = append(unmade, step.Example{Text: h.String(), State: step.ExampleNotRun, Why: why, HeldOut: true})
			continue
		}
		known[e.Calls()] = true
		e.Text = h.String()
		out = append(out, heldOut{e, h.Sure})
	}
	return out, unmade
}

// isCommand reports whether a held-out call is a command: see [Checker.commands].
func isCommand(h step.HeldOut) bool {
	_, ok := h.Command()
	return ok
}

// readHeldOut is the call of an export, where a request has kept it, of any of the project; why says what is wrong with it.
func (m Module) readHeldOut(h step.HeldOut) (e example.Example, why string) {
	if e, why = example.ReadCall(h.Call, h.Result()); why != "" {
		return e, why
	}
	if own := m.unqualified(e); own.Call != nil {
		return own, ""
	}
	if m.requested() {
		return e, ""
	}
	return e, "it does not call an export"
}

// UnreadCalls are the held-out calls of a request that nobody can make, with the reason.
func UnreadCalls(held []step.HeldOut) []string { return Module{HeldOut: held}.unread() }

func (m Module) unread() (bad []string) {
	for _, h := range without(m.HeldOut, isCommand) {
		if _, why := m.readHeldOut(h); why != "" {
			bad = append(bad, fmt.Sprintf("%s (%s)", h, why))
		}
	}
	return bad
}

// unreadHeldOut tells the author of the tests which calls cannot be made. Where none can, nothing is held out at all, and it has to
// give others.
func (m Module) unreadHeldOut() []step.Finding {
	bad := m.unread()
	if len(bad) == 0 {
		return nil
	}
	names := each(m.Exports, func(x step.Export) string { return x.Name })
	f := fix("held-out-unread", m.Spec, 0, fmt.Sprintf("%d of %d calls in held_out cannot be made: %s. Write calls of these exports with literals: %s.",
		len(bad), len(m.HeldOut), strings.Join(bad[:min(len(bad), 5)], "; "), strings.Join(names[:min(len(names), 20)], ", ")))
	if len(bad) == len(m.HeldOut) {
		f.Severity = step.Rejects
	}
	return []step.Finding{f}
}

// judgeHeldOut compares what held-out calls have given. Whoever wrote them worked them out by hand, so one that gives something else
// decides only when its author is sure, or where most of those of a function do: then it answers its tests and does not compute. One is
// told to the author of the code, all others stay unknown.
func (u *user) judgeHeldOut(ctx context.Context, held []heldOut, given []example.Outcome) (out []step.Example, findings []step.Finding, err error) {
	made, wrong := map[string]int{}, map[string]int{}
	var t tally
	for i, e := range held {
		o := given[i]
		if o.Cannot == "" && !e.Want.Holds(o) { // a call before may have changed what it gives
			again, err := u.try(ctx, []example.Example{e.Example}, true)
			if err != nil {
				return nil, nil, err
			}
			o = again[0]
		}
		r := step.Example{Text: e.Text, State: step.ExampleHolds, HeldOut: true}
		switch {
		case o.Cannot != "":
			r.State, r.Why = step.ExampleNotRun, o.Cannot
		case e.Want.Holds(o):
			made[e.Symbol()]++
		case !e.Want.Comparable(o):
			r.State, r.Why = step.ExampleNotRun, "the result has another type: "+o.Given()
		default:
			r.State, r.Why = step.ExampleFails, o.Given()
			made[e.Symbol()]++
			wrong[e.Symbol()]++
		}
		t.add(r, e.sure)
		out = append(out, r)
	}
	earlier, err := u.earlier(ctx, held, out)
	if err != nil {
		return nil, nil, err
	}
	out = append(out, earlier...)
	for name, n := range wrong {
		t.decides = t.decides || n >= fewInputs && 2*n > made[name] && u.m.exports(name) // others are as they were
	}
	return out, u.m.heldOutFailed(t), nil
}

// tally counts held-out calls that were made. One of those that fail is told, rather one of which its author is sure: that decides.
type tally struct {
	failed, made int
	told         string
	decides      bool
}

func (t *tally) add(e step.Example, sure bool) {
	switch e.State {
	case step.ExampleFails:
		t.failed++
		if t.told == "" || sure && !t.decides {
			t.told = e.Text + ". It gives: " + e.Why
		}
		t.decides = t.decides || sure
	case step.ExampleNotRun:
		return
	}
	t.made++
}

// heldOutFailed is the finding that some of the held-out calls that were made give something else, nil where none does.
func (m Module) heldOutFailed(t tally) []step.Finding {
	if t.failed == 0 {
		return nil
	}
	whose := "another agent expects from the spec"
	if m.requested() {
		whose = "another agent expects from the request"
	}
	f := fix("held-out-failed", m.Spec, 0, fmt.Sprintf(
		"%d of %d calls that are in no test give a different result than %s. One of them: %s.", t.failed, t.made, whose, t.told))
	if t.decides {
		f.Severity = step.Rejects
		f.Message += " The code must work for every input, not only for those in the tests."
	} else {
		f.Message += " Work out the right result; if the code is right, leave it."
	}
	return []step.Finding{f}
}

// earlier asks what sequences ask at their end earlier, too: what is kept from then on, and is not true any more, is given again. Calls that
// give something else then have to be worked out anew, because a question may change something. Those that do so twice at the end are left
// out.
func (u *user) earlier(ctx context.Context, held []heldOut, results []step.Example) (out []step.Example, err error) {
	var calls []example.Example
	var asked []step.HeldOut
	for i, e := range held {
		if !u.m.requested() || results[i].State != step.ExampleHolds || e.Want.Error || e.Want.Value.Kind == example.Null {
			continue
		}
		call, gives, _ := strings.Cut(e.Text, " → ")
		gives = step.HeldOut{Gives: gives}.Result()
		first, twice, ok := example.Earlier(call)
		a, no := example.ReadCall(first, gives)
		b, never := example.ReadCall(twice, gives)
		if ok && no == "" && never == "" {
			asked, calls = append(asked, step.HeldOut{Call: first, Gives: gives}), append(calls, a, b)
		}
	}
	given, err := u.try(ctx, calls, true)
	if err != nil {
		return nil, err
	}
	for i, h := range asked {
		first, twice := given[2*i], given[2*i+1]
		want := calls[2*i].Want
		if first.Cannot == "" && want.Holds(twice) && !want.Holds(first) && want.Comparable(first) {
			out = append(out, step.Example{Text: h.String(), State: step.ExampleFails, Why: first.Given(), HeldOut: true, Earlier: &h})
		}
	}
	return out, nil
}
