package pdca_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/pdca"
)

// TestOpenFeatures: what another tool has begun, as its status file and its documents say together.
func TestOpenFeatures(t *testing.T) {
	t.Parallel()
	there := func(p string) bool {
		return slices.Contains([]string{"docs/01-plan/cart.plan.md", "docs/02-design/cart.design.md", "docs/01-plan/pay.plan.md", "docs/01-plan/scripts.plan.md", "docs/old/ship.md", "docs/01-plan/done.plan.md", "main.go"}, p)
	}
	for name, c := range map[string]struct{ file, want string }{
		"two, the primary one first":            {`{"primaryFeature": "pay", "features": {"cart": {"phase": "do", "implManagerIteration": 4, "implManagerRemainingIssues": ["a", "b"]}, "pay": {"phase": "plan"}}}`, "pay plan 0 [] plan; cart do 4 [a b] plan design"},
		"a primary one that is a directory":     {`{"primaryFeature": ".claude", "features": {".claude": {"phase": "do"}, "tests": {"phase": "do"}, "cart": {"phase": "design"}}}`, "cart design 0 [] plan design"},
		"one that is completed":                 {`{"primaryFeature": "done", "features": {"done": {"phase": "completed"}}}`, ""},
		"a document at another place":           {`{"features": {"ship": {"phase": "plan", "documents": {"plan": "docs/old/ship.md", "design": null}}}}`, "ship plan 0 [] plan"},
		"a document outside of docs":            {`{"features": {"out": {"phase": "plan", "documents": {"plan": "docs/../main.go"}}}}`, ""},
		"a phase that its documents contradict": {`{"features": {"pay": {"phase": "check"}}}`, "pay plan 0 [] plan"},
		"a phase that nobody knows":             {`{"features": {"pay": {"phase": "archived?"}}}`, "pay plan 0 [] plan"},
		"a feature that is no object":           {`{"features": {"pay": 7}}`, ""},
		"no features":                           {`{}`, ""},
		"no JSON":                               {`phase: do`, "error"},
	} {
		list, err := pdca.OpenFeatures([]byte(c.file), there)
		var got []string
		for _, f := range list {
			var docs []string
			for _, kind := range []string{"plan", "design", "analysis"} {
				if f.Documents[kind] != "" {
					docs = append(docs, kind)
				}
			}
			got = append(got, fmt.Sprint(f.Name, " ", f.Phase, " ", f.Attempts, " ", f.Remaining, " ", strings.Join(docs, " ")))
		}
		if err != nil {
			got = []string{"error"}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", name, strings.Join(got, "; "), c.want)
		}
	}
	text := pdca.FeatureState{Name: "cart", Phase: "do", Attempts: 4, Remaining: []string{"a\nb"}, Documents: map[string]string{"plan": "docs/p.md"}}.Resume(false)
	for _, s := range []string{"feature cart", "phase do", "plan: docs/p.md", "implementation: 4", "Left open: a b"} {
		if !strings.Contains(text, s) {
			t.Errorf("Resume = %q, without %q", text, s)
		}
	}
}
