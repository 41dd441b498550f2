package check

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// zones are time zones in which it is another hour than in most, and often another day. seeds order the sets of Python.
var (
	zones = []string{"TZ=UTC", "TZ=Pacific/Chatham", "TZ=Pacific/Marquesas"}
	seeds = []string{"PYTHONHASHSEED=1", "PYTHONHASHSEED=2", "PYTHONHASHSEED=3", "PYTHONHASHSEED=4", "PYTHONHASHSEED=5"}
)

var (
	// ofTime are names in code that has to do with dates and times, ofSets those of sets of Python.
	ofTime = re.New(`^(Date|Intl|datetime|date|time|Time|localtime|gmtime|strftime|chrono|Calendar|ZoneId|(Local|Zoned|Offset)(Date|Time|DateTime)|SimpleDateFormat)$`)
	ofSets = re.New(`^(set|frozenset)$`)
	// ofZone is what specs and requests say where the zone counts, ofOrder where the order does not.
	ofZone  = re.New(`(?i)time ?-?zones?|\blocal\b|\btz\b|\bhere\b|현지|시간대|로컬`)
	ofOrder = re.New(`(?i)(any|no|some|arbitrary|random|undefined|unspecified) (particular )?order|order (is|does|may|can|has)\b|unordered|\bsets?\b|random|순서`)
	// iterable is a signature of Python whose first parameter may be read once.
	iterable = re.New(`^[^(]*\(\s*\w+\s*:\s*["']?(?:(?:typing|t|collections\.abc|abc)\.)?(?:Iterable|Iterator)\b`)
)

// surrounded makes calls once more where a user may be: in another time zone, in a process that orders sets in another way. Neither changes a
// result, unless the spec speaks of it.
func (u *user) surrounded(ctx context.Context, all []example.Example) ([]step.Finding, error) {
	if len(all) == 0 {
		return nil, nil
	}
	has := func(name re.Regexp) bool {
		return slices.ContainsFunc(u.sources(), func(f sourceFile) bool {
			return slices.ContainsFunc(f.Tokens, func(t source.Token) bool { return t.Kind == source.Ident && name().MatchString(t.Text) })
		})
	}
	if u.chain.Ecosystem != toolchain.Rust && has(ofTime) && !ofZone().MatchString(u.m.Said) { // Rust's own library knows no zone
		given := those(all, func(e example.Example) bool { // what is given nothing may speak of today
			return len(e.Inputs()) > 0 && !slices.ContainsFunc(slices.Concat(e.Chains()...), made)
		})
		if d, err := u.under(ctx, given, zones); err != nil || d != nil {
			return u.charged(d, "%s gives %s, but %s in another time zone. Compute it from what is given and in UTC, or say in the spec which time zone counts."), err
		}
	}
	if u.chain.Ecosystem != toolchain.Python {
		return nil, nil
	}
	if has(ofSets) && !ofOrder().MatchString(u.m.Said) {
		more := append(slices.Clone(all), example.Unusual(all, mostUnusual)...)
		if d, err := u.under(ctx, more, seeds); err != nil || d != nil {
			return u.charged(d, "%s gives %s, but %s in another process: sets have no order. Sort what comes from one, or keep the order of the input."), err
		}
	}
	return u.once(ctx, all)
}

// made reports whether a call is given what is no plain value: a date is another moment in each zone.
func made(l example.Link) bool {
	var is func(v example.Value) bool
	is = func(v example.Value) bool {
		return slices.Contains([]example.Kind{example.Made, example.Code, example.Name}, v.Kind) || slices.ContainsFunc(v.List, is) ||
			slices.ContainsFunc(v.Fields, func(f example.Field) bool { return is(f.Value) })
	}
	return l.New || slices.ContainsFunc(l.Args, is) || slices.ContainsFunc(l.Fields, func(f example.Field) bool { return is(f.Value) })
}

// moment is in a result that is a date, and no text of one.
var moment = re.New(`"\$type":\s*"(?:[\w.]*\.)?(Date|datetime|date|time|Time|Month|Weekday|Instant|Local\w*|Zoned\w*|Offset\w*)"`)

// charged is the finding that a call gives something else there, nil for none. What was said of a call is true everywhere.
func (u *user) charged(d *difference, format string) []step.Finding {
	if d == nil {
		return nil
	}
	if slices.ContainsFunc(u.m.Examples, func(e example.Example) bool { return e.Calls() == d.call }) {
		return []step.Finding{reject("ambient-state", u.m.Dir, 0, fmt.Sprintf(format, d.call, d.old, d.now))}
	}
	return []step.Finding{u.m.charge("ambient-state", u.m.Dir, 0, fmt.Sprintf(format, d.call, d.old, d.now))}
}

// under makes calls with each of some variables of the environment, and gives one that differs from what it gives with the first.
func (u *user) under(ctx context.Context, list []example.Example, vars []string) (*difference, error) {
	with := func(v string) ([]example.Outcome, error) {
		u.more = v
		defer func() { u.more = "" }()
		return u.try(ctx, list, false)
	}
	was, err := with(vars[0])
	if hangs := func(o example.Outcome) bool { return strings.HasPrefix(o.Cannot, notReturned) }; err != nil || len(list) == 0 || slices.ContainsFunc(was, hangs) {
		return nil, err
	}
	var again []example.Outcome // with the first once more
	for _, v := range vars[1:] {
		got, err := with(v)
		if err != nil {
			return nil, err
		}
		for _, i := range differing(was, got) {
			if moment().Match(was[i].Value) {
				continue
			}
			if again == nil {
				if again, err = with(vars[0]); err != nil {
					return nil, err
				}
			}
			if sameOutcome(was[i], again[i]) { // else it is another one each time
				return &difference{call: list[i].Calls(), old: was[i].Given(), now: got[i].Given()}, nil
			}
		}
	}
	return nil, nil
}

// once gives what can be read only once to functions of Python that take that by their signature, and that lists are given.
func (u *user) once(ctx context.Context, all []example.Example) ([]step.Finding, error) {
	takes := map[string]bool{}
	for _, x := range u.m.Exports {
		takes[x.Name] = iterable().MatchString(x.Signature)
	}
	var lists, read []example.Example
	for _, e := range all {
		o := e.Clone()
		if first := o.Call[0]; !takes[first.Name] || len(first.Args) == 0 {
			continue
		}
		arg := &o.Call[0].Args[0]
		if text, ok := listOf(*arg); ok {
			*arg = example.Value{Kind: example.Code, Text: "iter([" + text + "])"}
			lists, read = append(lists, e), append(read, o)
		}
	}
	if len(lists) == 0 {
		return nil, nil
	}
	got, err := u.try(ctx, slices.Concat(lists, read), false)
	if err != nil {
		return nil, err
	}
	list, once := got[:len(lists)], got[len(lists):]
	if at := differing(list, once); len(at) > 0 {
		i := at[0]
		return u.charged(&difference{call: lists[i].Calls(), old: list[i].Given(), now: once[i].Given()}, "%s gives %s, but %s for an iterator of the same values. Its signature takes any iterable: read it once."), nil
	}
	return nil, nil
}

// differing are the calls that were made both times and gave something else the second time.
func differing(was, now []example.Outcome) (at []int) {
	for i := range was {
		if was[i].Cannot == "" && now[i].Cannot == "" && !sameOutcome(was[i], now[i]) {
			at = append(at, i)
		}
	}
	return at
}

// listOf is what stands in a list of numbers and texts, as Python and JavaScript write it.
func listOf(v example.Value) (string, bool) {
	if v.Kind != example.List || v.Text != "" {
		return "", false
	}
	var out []string
	for _, x := range v.List {
		text, ok := literalOf(x)
		if !ok {
			return "", false
		}
		out = append(out, text)
	}
	return strings.Join(out, ", "), true
}

// literalOf is a number or a text, as Python and JavaScript write it.
func literalOf(v example.Value) (string, bool) {
	switch v.Kind {
	case example.Number:
		return v.Text, true
	case example.String:
		text, err := json.Marshal(v.Text)
		return string(text), err == nil
	default:
		return "", false
	}
}
