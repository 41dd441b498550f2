package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// manyCalls are made in one process to see whether the first ones change what later ones give.
const manyCalls = 600

// remembered is what specs say where calls change what later ones give.
var remembered = re.New(`(?i)again|\bnext|previous|already|\bsince|twice|each time|every time|so far|how often|\bcalls?\b|\bcalled\b|\bafter\b|\bbefore\b|remember|\bkeep|\bkept|cache|memo|\bshar|global|counter|sequence|unique|\bids?\b|random|increment|histor|regist|\bstor|\badds?\b|\bsets?\b|\bclear|reset|\bnow\b|\btime\b|다음|이전|이미|기억|저장|등록|누적|횟수|고유|무작위`)

// remembers reports whether the spec speaks of what the module keeps from one call to the next.
func (u *user) remembers() bool {
	return remembered().MatchString(toAdd().ReplaceAllString(inQuotes().ReplaceAllString(u.m.Said, ""), ""))
}

// toAdd is how a request begins that wants something new: it does not speak of what the code adds.
var toAdd = re.New(`(?im)(?:^|[.!?:\])]\s)\W*add\b`)

// inQuotes are texts that specs quote: values, which say nothing of calls.
var inQuotes = re.New(`"[^"` + "`" + `\n]*"`)

var (
	// inCommon is what specs say where objects have something in common.
	inCommon = re.New(`(?i)\bshar|global|singleton|registr|\bpool|counter|unique|\bids?\b|identif|sequence|random|clock|\btime|\bnow\b|per process|across|\bfiles?\b|\bdisk|persist|databas|\bsave|공유|파일|저장|전역|고유|무작위|시각|시간`)
	// denied is in what specs say of what is not so.
	denied = re.New(`(?i)\b(not|never|neither|nothing|no|none|without|own|independent\w*|separate\w*|n't)\b|않|없|독립`)
)

// alone are the calls that each make objects of their own, of a module that says of no object that it knows another.
func (u *user) alone(all []example.Example) []example.Example {
	if len(sentencesOf(u.m.Said, inCommon, denied)) > 0 {
		return nil
	}
	stranger := func(links []example.Link) bool { return !links[0].Var && !u.makes(&links[0]) }
	return those(all, func(e example.Example) bool { return len(e.Call) >= 2 && !slices.ContainsFunc(e.Chains(), stranger) })
}

// makes reports whether a call makes an object.
func (u *user) makes(l *example.Link) bool {
	return l.New || strings.HasPrefix(l.Name, "New") && u.chain.Ecosystem == toolchain.Go ||
		slices.ContainsFunc(u.m.Exports, func(x step.Export) bool { return x.Name == l.Name && x.Kind == "class" })
}

// charge is a finding by the words of a spec. A request names less, and may speak of something else: it only goes back.
func (m Module) charge(rule, path string, line int, message string) step.Finding {
	if m.requested() {
		return fix(rule, path, line, message)
	}
	return reject(rule, path, line, message)
}

// again is [user.again] on a tree.
func (c *Checker) again(ctx context.Context, m Module, tree string, calls []example.Example) (found []step.Finding, err error) {
	u, err := c.userOf(ctx, m, tree)
	if err != nil {
		return nil, err
	}
	defer func() { err = joinClose(err, u.place) }()
	return u.again(ctx, calls)
}

// again makes the same calls many times in one process. What gives something else then depends on the calls before it, of which its
// spec has to speak.
func (u *user) again(ctx context.Context, all []example.Example) ([]step.Finding, error) {
	if u.remembers() {
		all = u.alone(all)
	}
	if len(all) == 0 || u.chain.Ecosystem == toolchain.Rust { // Rust keeps nothing without saying so
		return nil, nil
	}
	calls := all
	all = slices.Concat(each(withOthers(all), func(e example.Example) []example.Example { return []example.Example{e, e} })...)
	list := slices.Repeat(all, max(2, manyCalls/len(all)))
	first, err := u.try(ctx, list, false)
	if err != nil {
		return nil, err
	}
	at := func(i int) int { return i % len(all) &^ 1 } // where the call is made first: each is made twice, one after the other
	var later []int                                    // calls that gave something else than they did at first
	for i := range list {
		if !sameOutcome(first[at(i)], first[i]) {
			later = append(later, i)
		}
	}
	if len(later) == 0 {
		return u.inOrder(ctx, calls)
	}
	second, err := u.try(ctx, list, false)
	if err != nil {
		return nil, err
	}
	for _, i := range later { // chance differs from itself
		if sameOutcome(first[at(i)], second[at(i)]) && sameOutcome(first[i], second[i]) {
			return u.dependent(list[i], first[at(i)], first[i], i), nil
		}
	}
	return nil, nil
}

// mostOrdered is how many functions are called in two orders.
const mostOrdered = 4

// inOrder makes the calls of each function of several arguments in two orders, with calls that have arguments of two of them: what gives something
// else then depends on the calls before it, such as an answer that is kept for some of the arguments alone.
func (u *user) inOrder(ctx context.Context, calls []example.Example) ([]step.Finding, error) {
	byName, tried := groups(calls, example.Example.Symbol), 0
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		crossed := example.Crossed(byName[name])
		if len(crossed) == 0 {
			continue
		}
		if tried++; tried > mostOrdered {
			return nil, nil
		}
		found, err := u.backwards(ctx, append(slices.Clone(byName[name]), crossed...))
		if len(found) > 0 || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// backwards makes calls in both orders.
func (u *user) backwards(ctx context.Context, list []example.Example) ([]step.Finding, error) {
	var given [3][]example.Outcome
	for n := range given { // twice in the other order: chance differs from itself
		if n == 1 {
			slices.Reverse(list)
		}
		got, err := u.try(ctx, list, false)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			got = slices.Clone(got)
			slices.Reverse(got)
		}
		if given[n] = got; n > 0 && len(differing(given[0], got)) == 0 {
			return nil, nil
		}
	}
	for _, i := range differing(given[0], given[1]) {
		if sameOutcome(given[1][i], given[2][i]) {
			few, many, others := given[0][i], given[1][i], len(list)-1-i
			if i > others { // the other way round, more calls are before it
				few, many, others = many, few, i
			}
			return u.dependent(list[len(list)-1-i], few, many, others), nil
		}
	}
	return nil, nil
}

// dependent is a finding that a call gives something else after some others.
func (u *user) dependent(e example.Example, first, later example.Outcome, others int) []step.Finding {
	say := func(format string) string {
		return fmt.Sprintf(format, e.Calls(), first.Given(), later.Given(), others)
	}
	if u.m.requested() {
		return []step.Finding{fix("ambient-state", u.m.Dir, 0, say("%s gives %s, but %s after %d other calls. Compute the result from the arguments alone."))}
	}
	return []step.Finding{reject("ambient-state", u.m.Dir, 0,
		say("%s gives %s, but %s after %d other calls. Compute the result from the arguments alone, or say in the spec what state the module keeps."))}
}

var (
	// leftAlone is what specs say of what a call is given and does not change, given what that is called.
	leftAlone = re.New(`(?i)\b(not|never|neither|nor|no|without|n't)\b[^.\n]{0,40}\b(chang|modif|mutat|touch|alter)|\b(unchanged|untouched|unmodified|immutabl|pure)|\b(stays?|remains?|(is|are) (left|kept))\b[^.\n]{0,10}\b(as (it|they) (is|are|was|were)|alone|intact)|(변경|수정|바꾸|바뀌)[^.\n]{0,6}않`)
	givenWord = re.New(`(?i)\b(arguments?|inputs?|given|originals?|caller'?s|passed|parameters?)\b|인자|입력|원본`)
	ofFace    = re.New(`(?i)\b(signatures?|API|interfaces?|types?|functions?|methods?)\b`) // what people speak of that is no value
	inPlace   = re.New(`(?i)\bin[ -]place\b|제자리`)
)

// changes finds calls that change what they are given, where the spec says that nothing does.
func (u *user) changes(all []example.Example, got []example.Outcome) []step.Finding {
	says := slices.DeleteFunc(sentencesOf(u.m.Said, leftAlone, ofFace), func(s string) bool { return !givenWord().MatchString(s) })
	if inPlace().MatchString(u.m.Said) || len(says) == 0 {
		return nil
	}
	names := func(s string) bool { // exports: then it is about these
		return slices.ContainsFunc(u.m.Exports, func(x step.Export) bool { return hasWord(s, x.Name) })
	}
	for i, e := range all {
		about := func(s string) bool { return !names(s) || hasWord(s, e.Symbol()) }
		if got[i].Changed && slices.ContainsFunc(says, about) {
			return []step.Finding{reject("argument-changed", u.m.Dir, 0, e.Calls()+" changes its argument. The spec says that arguments stay unchanged; work on a copy.")}
		}
	}
	return nil
}

var (
	// ownResult is what specs say of results that nobody else has, ownAll of those of which nobody else has anything.
	ownResult = re.New(`(?i)\b(cop(y|ies)|belongs? to (the|its) caller|(fresh|new|independent) (list|slice|array|map|object|dict))\b|사본|복사본`)
	ownAll    = re.New(`(?i)\bshares? (nothing|no )|\bdeep(ly)?.?cop|깊은 복사`)
	uncopied  = re.New(`(?i)\b(without|no|not|never)\b[^.\n]{0,20}\bcop|n't[^.\n]{0,20}\bcop`)
)

// keeps finds calls whose results somebody else has as well, where the spec says that they are their caller's: each is made twice.
func (u *user) keeps(ctx context.Context, calls []example.Example) ([]step.Finding, error) {
	own, all := len(sentencesOf(u.m.Said, ownResult, uncopied)) > 0, len(sentencesOf(u.m.Said, ownAll, uncopied)) > 0
	if !own && !all || len(calls) == 0 || u.chain.Ecosystem == toolchain.Rust {
		return nil, nil
	}
	calls = without(calls, func(e example.Example) bool { // an object has what it was made of
		return u.makes(e.First()) || slices.ContainsFunc(e.Call, func(l example.Link) bool { return l.Field })
	})
	got, err := u.try(ctx, slices.Concat(calls, calls), false)
	if err != nil {
		return nil, err
	}
	for i, o := range got {
		if e := calls[i%len(calls)]; (o.Same && own || o.Shared && all) && o.Cannot == "" && o.Error == nil {
			return []step.Finding{u.m.charge("shared-result", u.m.Dir, 0, e.Calls()+" returns an object that an earlier call returned, or that it got as an argument. "+
				"The spec says that results are not shared; return a copy.")}, nil
		}
	}
	return nil, nil
}
