// Package turn is what all workflows do with turns of agents and with steps that a person may have to mend: asking
// again when the machinery failed, waiting for limits and repairs, and checking that an answer keeps to its schema.
package turn

import (
	"github.com/jacquard-build/jacquard/internal/flow"
)

// repairs bounds how often one step is asked for again after a repair.
const repairs = 50

// repairable are the failures that a person ends: a missing tool, a full disk,
// a refused key, a budget that is used up. The run waits and loses nothing.
func repairable(err error) bool {
	switch flow.ClassOf(err) {
	case flow.Environment, flow.Auth, flow.Billing, flow.Budget:
		return true
	default:
		return false
	}
}

// Do is flow.Do for steps that a person can mend: it waits at a gate until
// somebody says that the cause is gone, and asks again under a new key.
func Do[I, O any](c *flow.Ctx, key string, s flow.Step[I, O], in I) (O, error) {
	out, err := flow.Do(c, key, s, in)
	for _, rc := range flow.Rounds(c, key+"-again", repairs) {
		if !repairable(err) {
			break
		}
		if _, gerr := mended(rc, err); gerr != nil {
			return out, gerr
		}
		out, err = flow.Do(rc, "step", s, in)
	}
	return out, err
}

// mended asks a person to mend what broke. A rejection ends the run with the
// failure itself.
func mended(c *flow.Ctx, err error) (flow.Answer, error) {
	f := flow.AsFailure(err)
	a, gerr := flow.Ask(c, "repair", flow.Question{Text: f.Msg, Class: f.Class, Options: []string{"retry"}})
	if gerr != nil {
		return a, gerr
	}
	if a.Verb == flow.Reject {
		return a, f
	}
	return a, nil
}
