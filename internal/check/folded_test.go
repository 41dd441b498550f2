package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestFolded: what follows from one cause is one finding; what does not stays.
func TestFolded(t *testing.T) {
	t.Parallel()
	finding := func(rule string, s step.Severity) step.Finding {
		return step.Finding{Rule: rule, Severity: s, Message: "said of " + rule}
	}
	missing := []step.Finding{finding("test-missing", step.Rejects), finding("test-missing", step.Rejects), finding("test-missing", step.Rejects)}
	for name, tt := range map[string]struct {
		in   []step.Finding
		want []string
		says string
	}{
		"no test ran":               {slices.Concat([]step.Finding{finding("undeclared-file", step.Rejects), finding("no-tests-ran", step.Rejects)}, missing), []string{"undeclared-file", "no-tests-ran"}, "said of no-tests-ran\nTests that did not run because of it: 3."},
		"the run is no evidence":    {slices.Concat(missing, []step.Finding{finding("check-invalid", step.Rejects)}), []string{"check-invalid"}, "because of it: 3."},
		"the build":                 {slices.Concat(missing[:1], []step.Finding{finding("build-failed", step.Rejects)}), []string{"build-failed"}, "because of it: 1."},
		"nothing follows":           {[]step.Finding{finding("no-tests-ran", step.Rejects)}, []string{"no-tests-ran"}, "said of no-tests-ran"},
		"a warning is no cause":     {slices.Concat([]step.Finding{finding("build-failed", step.Warn)}, missing[:1]), []string{"build-failed", "test-missing"}, ""},
		"tests that are just gone":  {missing[:2], []string{"test-missing", "test-missing"}, ""},
		"two causes, one is enough": {slices.Concat([]step.Finding{finding("check-invalid", step.Rejects), finding("runner-failed", step.Rejects)}, missing[:2]), []string{"check-invalid", "runner-failed"}, "said of check-invalid\nTests that did not run because of it: 2."},
	} {
		var rules, said []string
		for _, f := range check.Folded(tt.in) {
			rules, said = append(rules, f.Rule), append(said, f.Message)
		}
		if !slices.Equal(rules, tt.want) || !strings.Contains(strings.Join(said, "\x00"), tt.says) || strings.Count(strings.Join(said, " "), "because of it") > 1 {
			t.Errorf("%s: %q saying %q, want %q saying %q", name, rules, said, tt.want, tt.says)
		}
	}
}
