package check

import (
	"reflect"
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
)

// Runners of JavaScript take several tests of one name, and give a result of each by the same id.
func TestReplace(t *testing.T) {
	t.Parallel()
	const one, two = "a.test.js::adds", "a.test.js::takes"
	pass, fail, skip := step.TestResult{ID: one, Status: step.Pass}, step.TestResult{ID: one, Status: step.Fail, Message: "m"}, step.TestResult{ID: one, Status: step.Skip}
	other := step.TestResult{ID: two, Status: step.Pass}
	for _, c := range []struct {
		name              string
		have, later, want []step.TestResult
	}{
		{"one fails", []step.TestResult{other, pass}, []step.TestResult{fail}, []step.TestResult{other, fail}},
		{"one is skipped", []step.TestResult{pass, other}, []step.TestResult{skip}, []step.TestResult{skip, other}},
		{"the last of one name fails", []step.TestResult{pass, pass}, []step.TestResult{pass, fail}, []step.TestResult{fail, fail}},
		{"the first of one name fails", []step.TestResult{pass, pass}, []step.TestResult{fail, pass}, []step.TestResult{fail, fail}},
		{"nothing later", []step.TestResult{pass, other}, nil, []step.TestResult{pass, other}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := testRun{results: c.have}
			if run.replace(c.later); !reflect.DeepEqual(run.results, c.want) {
				t.Errorf("got %v, want %v", run.results, c.want)
			}
		})
	}
}
