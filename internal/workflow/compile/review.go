package compile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// reviewed is the judgement of a set of tests, computed from what ran.
type reviewed struct {
	score    int
	findings []step.Finding
}

// weights of the review of tests, those of earlier tools; they sum to 100.
const (
	weightBehavior = 35
	weightExport   = 25
	weightContract = 15
	weightQuality  = 15
	weightEdge     = 10
)

// review scores tests as the reviewer of earlier tools does, but from facts: an item is
// covered when a test that its author names for it ran and asserts something.
// A check without items counts 100. Protocol states and transitions count
// with the behaviours.
func review(items []step.Item, claims []step.Claim, p step.RedOut) reviewed {
	covered := map[string]bool{}
	for _, id := range p.Covered {
		covered[id] = true
	}
	tests := map[string][]string{}
	users := map[string]int{} // how many success items a test is named for
	for _, cl := range claims {
		tests[cl.Item] = append(tests[cl.Item], cl.Tests...)
	}
	for _, it := range items {
		if it.Category == "success" {
			for _, t := range tests[it.ID] {
				users[t]++
			}
		}
	}
	var r reviewed
	part := map[string][2]int{}
	count := func(check string, ok bool) {
		v := part[check]
		v[1]++
		if ok {
			v[0]++
		}
		part[check] = v
	}
	for _, it := range items {
		if it.Limit() { // not every limit can be tested
			continue
		}
		count(checkOf(it), covered[it.ID])
		if !covered[it.ID] && !unread(tests[it.ID], p.Unread) {
			r.findings = append(r.findings, uncovered(it))
		}
		if it.Category == "error" && it.State != "unchanged" {
			own := slices.ContainsFunc(tests[it.ID], func(t string) bool { return users[t] == 0 })
			count("edge", covered[it.ID] && own)
			if covered[it.ID] && !own {
				r.findings = append(r.findings, step.Finding{
					Rule: "edge-case", Severity: step.Fix,
					Message: "the error case " + it.ID + " needs a test of its own: " + turn.Clip(it.Text, 160),
				})
			}
		}
	}
	rejects := func(f step.Finding) bool { return f.Severity == step.Rejects }
	if len(p.Covered) == 0 && len(r.findings) > 1 && slices.ContainsFunc(p.Findings, rejects) { // it follows from what is wrong with the tests
		r.findings = []step.Finding{{Rule: "uncovered", Severity: step.Fix, Message: fmt.Sprintf("so none of %d items is covered yet", len(items))}}
	}
	if p.Written == 0 && len(p.Covered) == 0 {
		return r // no test: nothing is worth a point
	}
	quality := 100.0
	if p.Written > 0 {
		quality = 100 * float64(p.Strong) / float64(p.Written)
	}
	sum := weightQuality * quality
	for check, weight := range map[string]float64{"behavior": weightBehavior, "export": weightExport, "contract": weightContract, "edge": weightEdge} {
		sum += weight * percent(part[check])
	}
	r.score = int(math.Floor(min(sum, 10000)/100 + 1e-9))
	return r
}

// uncovered is the finding that an item has no test.
func uncovered(it step.Item) step.Finding {
	return step.Finding{Rule: "uncovered", Severity: step.Fix, Message: "no test that ran covers " + it.ID + " (" + it.Kind + "): " + turn.Clip(it.Text, 160)}
}

// unread reports whether one of the tests is in a file that could not be
// parsed: then the mistake in the file is the thing to say.
func unread(tests, files []string) bool {
	return slices.ContainsFunc(tests, func(id string) bool {
		file, _, _ := strings.Cut(id, "::")
		return slices.Contains(files, file)
	})
}

func percent(v [2]int) float64 {
	if v[1] == 0 {
		return 100
	}
	return 100 * float64(v[0]) / float64(v[1])
}

func checkOf(it step.Item) string {
	switch it.Kind {
	case "export", "contract":
		return it.Kind
	}
	return "behavior"
}
