package check

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Limits of what counts as a staircase.
const (
	wideGap     = 8   // between two inputs: where they are nearer, a step says nothing
	fewSteps    = 2   // in wide gaps
	mostBetween = 200 // calls
	plainResult = 9   // small numbers are counts and levels
)

// series are calls that differ in one whole number only, and give numbers.
type series struct {
	call  example.Example // one of them
	arg   int             // the argument in which they differ
	gives map[int64]float64
}

func (s *series) at(x int64) example.Example {
	e := example.Example{Before: s.call.Before, Call: s.call.Call}.Clone()
	e.Call[0].Args[s.arg] = example.Value{Kind: example.Number, Text: strconv.FormatInt(x, 10)}
	e.Text = e.Calls()
	return e
}

// seriesOf are the series of some calls by what they have in common.
func seriesOf(all []example.Example, given []example.Outcome) map[string]*series {
	out := map[string]*series{}
	for i, e := range all {
		var y float64
		if len(e.Call) != 1 || len(e.Call[0].Fields) > 0 || given[i].Value == nil || json.Unmarshal(given[i].Value, &y) != nil || string(given[i].Value) == "null" {
			continue
		}
		for arg, v := range e.Call[0].Args {
			x, err := strconv.ParseInt(v.Text, 10, 64)
			if v.Kind != example.Number || v.Big || err != nil {
				continue
			}
			s := &series{call: e, arg: arg, gives: map[int64]float64{}}
			key := fmt.Sprint(arg) + " " + s.at(0).Text
			if out[key] == nil {
				out[key] = s
			}
			out[key].gives[x] = y
		}
	}
	return out
}

// staircase finds functions that give one result for all inputs between two of the tests, and another from one to the next: they know the
// points of the tests and compute nothing. Steps that a spec speaks of are its own.
func (u *user) staircase(ctx context.Context, all []example.Example, given []example.Outcome) ([]step.Finding, error) {
	if speaksOfSteps().MatchString(u.m.Said) {
		return nil, nil
	}
	byKey := seriesOf(all, given)
	keys := slices.Sorted(maps.Keys(byKey))
	keys = slices.DeleteFunc(keys, func(k string) bool { return len(byKey[k].wide()) < fewSteps })
	var calls []example.Example
	for _, k := range keys {
		calls = append(calls, each(byKey[k].asks(), byKey[k].at)...)
	}
	if len(calls) == 0 || len(calls) > mostBetween {
		return nil, nil
	}
	got, err := u.try(ctx, calls, true)
	if err != nil {
		return nil, err
	}
	said := u.numbersSaid(all)
	invented := map[string]map[float64]bool{} // results that the spec does not have, by function
	for _, k := range keys {
		s := byKey[k]
		n := len(s.asks())
		name := s.call.Symbol()
		if side := s.side(got[:n]); side >= 0 && !s.statedBy(said) {
			if invented[name] == nil {
				invented[name] = map[float64]bool{}
			}
			for _, y := range s.gives {
				if !said[y] && y > plainResult {
					invented[name][y] = true
				}
			}
			if len(invented[name]) >= fewSteps {
				g := s.wide()[0]
				return []step.Finding{reject("answer-table", u.m.Dir, 0, fmt.Sprintf(
					"For every input tried between two of the tests, %s gives the result of one of them: %s gives %s, as %s does. Compute the result for every input. If the spec wants such steps, name them there.",
					name, s.at(between(g)[1]).Text, got[1].Given(), s.at(g[side]).Text))}, nil
			}
		}
		got = got[n:]
	}
	return nil, nil
}

// wide are the gaps between inputs that give different results and lie far from each other.
func (s *series) wide() (gaps [][2]int64) {
	xs := slices.Sorted(maps.Keys(s.gives))
	for i := 1; i < len(xs); i++ {
		if xs[i]-xs[i-1] >= wideGap && s.gives[xs[i]] != s.gives[xs[i-1]] {
			gaps = append(gaps, [2]int64{xs[i-1], xs[i]})
		}
	}
	return gaps
}

// between are three inputs in a gap.
func between(gap [2]int64) []int64 {
	return []int64{gap[0] + 1, gap[0] + (gap[1]-gap[0])/2, gap[1] - 1}
}

// asks are inputs in the wide gaps, three in each, and then three beyond all.
func (s *series) asks() (out []int64) {
	out = slices.Concat(each(s.wide(), between)...)
	last := min(slices.Max(slices.Collect(maps.Keys(s.gives))), 1<<49) // what is beyond can be said in each language
	return append(out, last+1, last+wideGap*wideGap, 10*max(last, 1)+7)
}

// side is 0 where all inputs in each gap give what the tested one below them gives, 1 where they give what the one above gives, and what is
// beyond the last gives the same as that; else -1.
func (s *series) side(got []example.Outcome) int {
	gives := func(o example.Outcome, y float64) bool {
		var v float64
		return o.Value != nil && json.Unmarshal(o.Value, &v) == nil && v == y
	}
	for side := range 2 {
		all := true
		for i, g := range s.wide() {
			for _, o := range got[3*i : 3*i+3] {
				all = all && gives(o, s.gives[g[side]])
			}
		}
		last := s.gives[slices.Max(slices.Collect(maps.Keys(s.gives)))]
		for _, o := range got[len(got)-3:] { // beyond what it knows, it may refuse
			all = all && (gives(o, last) || side == 1 && o.Error != nil)
		}
		if all {
			return side
		}
	}
	return -1
}

// statedBy reports whether the place of a step stands in the spec.
func (s *series) statedBy(said map[float64]bool) bool {
	stated := func(x int64) bool { return x > plainResult && said[float64(x)] }
	return slices.ContainsFunc(s.wide(), func(g [2]int64) bool {
		return slices.ContainsFunc([]int64{g[0] - 1, g[0], g[0] + 1, g[1] - 1, g[1], g[1] + 1}, stated)
	})
}

// speaksOfSteps finds words of specs whose results go by steps, or that have numbers as words or in units.
var speaksOfSteps = re.New(`(?i)\b(tier|level|band|bracket|step|range|class|grade|slab|zone|stage|interval|threshold|limit|bucket)s?\b|\b(up to|at least|at most|below|above|over|under|more than|less than|fewer than|greater than|between|or more|until|starting|started|beyond|exceed\w*|full|each|every|nearest|round\w* up|per|dozen|hundred|thousand|million|kilo\w*|kg|km|kB|MB|minutes?|hours?|days?|weeks?|months?|years?)\b|[≤≥]|[<>]=?\s*\d|\d\s*(k|M)\b|구간|단계|등급|이상|이하|미만|초과|까지|부터|마다|백|천|만`)

// number is one in a text.
var number = re.New(`\d[\d_,]*(?:\.\d+)?`)

// numbersSaid are those of the spec. The inputs of its examples are no steps, but what they give is stated.
func (u *user) numbersSaid(all []example.Example) map[float64]bool {
	text := u.m.Said
	out := map[float64]bool{}
	for _, e := range all {
		if e.Test == "" {
			text = strings.ReplaceAll(text, e.Text, "")
			if n, err := strconv.ParseFloat(e.Want.Value.Text, 64); err == nil && e.Want.Value.Kind == example.Number {
				out[n] = true
			}
		}
	}
	for _, w := range number().FindAllString(text, -1) {
		if n, err := strconv.ParseFloat(strings.NewReplacer("_", "", ",", "").Replace(w), 64); err == nil {
			out[n] = true
		}
	}
	return out
}
