package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/step"
)

// fewAsked is how many different calls of a function make one answer remarkable.
const fewAsked = 3

// constant tells of functions that give one and the same number, text or list to all that the spec and the tests ask, and to inputs that
// nobody asked for: what they are given makes no difference. Yes and no, and texts that the spec has, may be all there is to say.
func (u *user) constant(ctx context.Context, all []example.Example, given []example.Outcome) ([]step.Finding, error) {
	calls, values := map[string][]example.Example{}, map[string]map[string]bool{}
	for i, e := range all {
		name := e.Symbol()
		if values[name] == nil {
			values[name] = map[string]bool{}
		}
		if !slices.ContainsFunc(calls[name], func(x example.Example) bool { return x.Calls() == e.Calls() }) {
			calls[name] = append(calls[name], e)
		}
		values[name][u.remarkable(given[i])] = true
	}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		if len(calls[name]) < fewAsked || len(values[name]) > 1 || values[name][""] {
			continue
		}
		others := example.Others(calls[name])
		if len(others) < fewOthers {
			continue
		}
		got, err := u.try(ctx, others, true)
		if err != nil {
			return nil, err
		}
		for _, o := range got {
			values[name][u.remarkable(o)] = true
		}
		if len(values[name]) > 1 {
			continue
		}
		for value := range values[name] {
			return []step.Finding{warn("ignored-parameter", u.m.Dir, 0, fmt.Sprintf(
				"%s gives %s for all of %d inputs, such as %s and %s. Compute the result from what it is given.",
				name, value, len(calls[name])+len(others), calls[name][fewAsked-1].Calls(), others[0].Calls()))}, nil
		}
	}
	return nil, nil
}

// remarkable is a value that a call gave, "" for one that says little, and for none.
func (u *user) remarkable(o example.Outcome) string {
	if o.Cannot != "" || o.Error != nil || len(o.Value) == 0 || !strings.ContainsAny(string(o.Value[:1]), `"[-0123456789`) {
		return ""
	}
	if text := strings.Trim(string(o.Value), `"`); text == "" || text == "[]" || hasWord(u.m.Said, text) || o.Value[0] == '"' && strings.Contains(u.m.Said, text) {
		return ""
	}
	return o.Given()
}
