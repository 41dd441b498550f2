package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// manyCalls are made in one process to see whether the first ones change what later ones give.
const manyCalls = 600

// remembered is what specs say where calls change what later ones give.
var remembered = re.New(`(?i)again|\bnext|previous|already|\bsince|twice|each time|every time|so far|how often|\bcalls?\b|\bcalled\b|\bafter\b|\bbefore\b|remember|\bkeep|\bkept|cache|memo|shared|global|counter|sequence|unique|\bids?\b|random|increment|histor|regist|\bstor|\badds?\b|\bsets?\b|\bclear|reset|\bnow\b|\btime\b|다음|이전|이미|기억|저장|등록|누적|횟수|고유|무작위`)

// again makes the same calls many times in one process. What gives something else then depends on the calls before it, of which its
// spec has to speak.
func (u *user) again(ctx context.Context, all []example.Example) ([]step.Finding, error) {
	if len(all) == 0 || u.chain.Ecosystem == toolchain.Rust || remembered().MatchString(u.m.Said) { // Rust keeps nothing without saying so
		return nil, nil
	}
	all = withOthers(all)
	list := slices.Repeat(all, max(2, manyCalls/len(all)))
	first, err := u.try(ctx, list, false)
	if err != nil {
		return nil, err
	}
	var later []int // calls that gave something else than they did at first
	for i := range list {
		if !sameOutcome(first[i%len(all)], first[i]) {
			later = append(later, i)
		}
	}
	if len(later) == 0 {
		return nil, nil
	}
	second, err := u.try(ctx, list, false)
	if err != nil {
		return nil, err
	}
	for _, i := range later { // chance differs from itself
		if at := i % len(all); sameOutcome(first[at], second[at]) && sameOutcome(first[i], second[i]) {
			say := reject
			if u.m.requested() { // a request names less than a spec has to
				say = fix
			}
			return []step.Finding{say("ambient-state", u.m.Dir, 0, fmt.Sprintf(
				"%s gives %s, and %s after %d other calls. Compute it from its arguments alone, or let the spec say what it remembers.",
				list[i].Calls(), first[at].Given(), first[i].Given(), i))}, nil
		}
	}
	return nil, nil
}
