package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

var (
	// anyLength is what specs say where a list or text may be as long as it likes.
	anyLength = re.New(`(?i)\b(any|every|arbitrary|whatever|unlimited|unbounded) (length|size|number of)|arbitrarily (long|large|many)|however (long|large|many)|no (upper )?limit|(very|extremely) (long|large)|\b(thousands|millions) of|길이에 (상관|관계)없이|아무리 (길|많|커)`)
	// deepCall are the errors of a stack that is full, in Python and JavaScript.
	deepCall = re.New(`^(RecursionError|RangeError: Maximum call stack|InternalError: too much recursion)`)
	// firstDone is what specs say where it counts which of several promises comes first.
	firstDone = re.New(`(?i)\brac(e|es|ing)\b|\b(fastest|soonest|timeouts?|deadlines?|debounc\w*|throttl\w*|timestamps?|elapsed|duration)\b|\b(ms|milliseconds?|seconds?|ttl|expir\w*|intervals?|poll\w*|delay\w*|retr(y|ies|ied))\b|first (one )?(to|that|which)\b|as soon as|as they (are|come|become|complet|finish|resolv|settl|arriv)|order (of|in which|that)\b[^.\n]{0,20}\b(complet|finish|settl|resol|arriv)|(complet|finish|settl|resol|arriv)\w* order|먼저|완료 ?순`)
)

// mostLong bounds how many calls are made with long values.
const mostLong = 4

// stackDepth is how often a long value holds what an example gives: more often than the stacks of Python (1,000 calls) and JavaScript (about
// 10,000) are deep.
var stackDepth = map[string]int{toolchain.Python: 3000, toolchain.Node: 20000} //nolint:gochecknoglobals // a constant

// long calls code with lists and texts of thousands of values, where the spec says that their length does not matter: code that calls itself for
// each of them dies.
func (u *user) long(ctx context.Context, all []example.Example) ([]step.Finding, error) {
	times := stackDepth[u.chain.Ecosystem]
	if times == 0 || !anyLength().MatchString(u.m.Said) {
		return nil, nil
	}
	var list []example.Example
	for _, e := range all {
		first := e.First()
		for i := range first.Args {
			code, ok := u.repeated(first.Args[i], times)
			if !ok || e.Want.Error || len(list) == mostLong {
				continue
			}
			o := e.Clone()
			o.First().Args[i] = example.Value{Kind: example.Code, Text: code}
			o.Want = example.Want{Error: true}
			list = append(list, o)
		}
	}
	got, err := u.try(ctx, list, false)
	if err != nil {
		return nil, err
	}
	for i, o := range got {
		if o.Error == nil || !slices.ContainsFunc(o.Error.Names, func(n string) bool { return deepCall().MatchString(n + ": " + o.Error.Text) }) {
			continue
		}
		return []step.Finding{u.m.charge("example-failed", u.m.Dir, 0, fmt.Sprintf("%s fails: %s. The spec says that any length will do; use a loop.", list[i].Calls(), strings.TrimSuffix(o.Error.Text, ".")))}, nil
	}
	return nil, nil
}

// repeated is code for a list or text that holds another many times.
func (u *user) repeated(v example.Value, times int) (string, bool) {
	python := u.chain.Ecosystem == toolchain.Python
	if v.Kind == example.String && v.Text != "" {
		text, ok := literalOf(v)
		if python {
			return fmt.Sprintf("%s * %d", text, times), ok
		}
		return fmt.Sprintf("%s.repeat(%d)", text, times), ok
	}
	text, ok := listOf(v)
	switch {
	case !ok || text == "":
		return "", false
	case python:
		return fmt.Sprintf("[%s] * %d", text, times), true
	}
	return fmt.Sprintf("Array(%d).fill([%s]).flat()", times, text), true
}

// late lets the functions that calls of JavaScript are given take longer for what they are given first. Results have the order of what is
// given, unless the spec says that the first one counts.
func (u *user) late(ctx context.Context, all []example.Example, given []example.Outcome) ([]step.Finding, error) {
	if u.chain.Ecosystem != toolchain.Node || firstDone().MatchString(u.m.Said) || remembered().MatchString(inQuotes().ReplaceAllString(u.m.Said, "")) {
		return nil, nil
	}
	var plain, slow []example.Example
	var was []example.Outcome // of plain
	for i, e := range all {
		o, found := e.Clone(), false
		for i, a := range o.First().Args {
			if a.Kind == example.Code && strings.HasPrefix(a.Text, "async ") {
				o.First().Args[i].Text, found = fmt.Sprintf(
					"((f, ms) => Object.defineProperty(async (...given) => { await new Promise((go) => setTimeout(go, ms = Math.max(0, ms - 5))); return f(...given); }, 'length', { value: f.length }))(%s, 30)", a.Text), true
			}
		}
		if found {
			plain, slow, was = append(plain, e), append(slow, o), append(was, given[i])
		}
	}
	got, err := u.try(ctx, slow, false)
	if err != nil {
		return nil, err
	}
	other := differing(was, got)
	if len(other) == 0 {
		return nil, nil
	}
	again, err := u.try(ctx, plain, false)
	if err != nil {
		return nil, err
	}
	for _, i := range other {
		if sameOutcome(was[i], again[i]) { // else it is another one each time
			return []step.Finding{u.m.charge("ambient-state", u.m.Dir, 0, fmt.Sprintf(
				"%s gives something else when a function that it is given takes longer for what comes first. Keep the order of the input, or say in the spec which order counts.", plain[i].Symbol()))}, nil // no call is told: held-out ones are nobody's to see
		}
	}
	return nil, nil
}
