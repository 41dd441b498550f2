package compile_test

import (
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/compile"
)

func TestDisputed(t *testing.T) {
	t.Parallel()
	failed := func(ids ...string) step.GreenOut {
		out := step.GreenOut{Counts: step.Counts{Failed: len(ids)}}
		for _, id := range ids {
			out.Failures = append(out.Failures, step.TestResult{ID: id, Status: step.Fail})
		}
		return out
	}
	with := func(p step.GreenOut, fs ...step.Finding) step.GreenOut {
		p.Findings = fs
		return p
	}
	unbuilt := func(id, message string) step.GreenOut {
		return step.GreenOut{Counts: step.Counts{Failed: 1}, Failures: []step.TestResult{{ID: id, Status: step.Error, Message: message}}}
	}
	reject := func(rule, path string) step.Finding {
		return step.Finding{Rule: rule, Severity: step.Rejects, Path: path}
	}
	more := failed("m/a_test.go::TestA")
	more.Counts.Failed = 30 // of which the proof names only some
	known := failed("m/a_test.go::TestA")
	known.Counts.Failed, known.Baseline = 2, []string{"m/b_test.go::TestOld"}
	a, b := "m/a_test.go::TestA", "m/b_test.go::TestB"
	for _, c := range []struct {
		name  string
		tests []string
		proof step.GreenOut
		heard []string
		all   bool
	}{
		{"all that fails", []string{a}, failed(a), []string{a}, true},
		{"said twice", []string{a, a}, failed(a), []string{a}, true},
		{"one of two", []string{a}, failed(a, b), []string{a}, false},
		{"two of two", []string{a, b}, failed(a, b), []string{a, b}, true},
		{"its cases", []string{a}, failed(a+"/one", a+"/two"), []string{a}, true},
		{"one of its cases", []string{a + "/one"}, failed(a+"/one", a+"/two"), []string{a + "/one"}, false},
		{"a title", []string{"m/x.test.js::outer"}, failed("m/x.test.js::outer > inner"), []string{"m/x.test.js::outer"}, true},
		{"a name that begins alike", []string{a}, failed(a + "Long"), nil, false},
		{"it passes", []string{b}, failed(a), nil, false},
		{"no file", []string{"TestA", "m/a_test.go", "m/a_test.go::"}, failed(a), nil, false},
		{"no frozen file", []string{"m/c_test.go::TestC"}, failed("m/c_test.go::TestC"), nil, false},
		{"an attempt that broke a rule", []string{a}, with(failed(a), reject("frozen-changed", "m/a_test.go")), nil, false},
		{"code that does not compile", []string{a}, with(failed(a), reject("build-failed", "m/a.go")), []string{a}, false},
		{"a type check of the test", []string{a}, with(failed(), reject("build-failed", "m/a_test.go")), []string{a}, true},
		{"a type check of another test", []string{a}, with(failed(), reject("build-failed", "m/b_test.go")), nil, false},
		{"its package does not build for it", []string{a}, unbuilt("m", "package m does not build:\nm/a_test.go:3: undefined: X"), []string{a}, true},
		{"its package does not build for another", []string{a}, unbuilt("m", "package m does not build:\nm/b_test.go:3: undefined: X"), nil, false},
		{"another package does not build", []string{a}, unbuilt("n", "n/a_test.go:3: undefined: X"), nil, false},
		{"its file cannot be loaded", []string{"m/test_x.py::test_x"}, unbuilt("m/test_x.py", "ImportError"), []string{"m/test_x.py::test_x"}, true},
		{"more fails than is named", []string{a}, more, []string{a}, false},
		{"what failed before is nobody's", []string{a}, known, []string{a}, true},
		{"nothing is disputed", nil, failed(a), nil, false},
	} {
		var frozen []step.File
		for _, p := range []string{"m/a_test.go", "m/b_test.go", "m/test_x.py", "m/x.test.js"} {
			frozen = append(frozen, step.File{Path: p, ID: "1"})
		}
		if heard, all := compile.Disputed(c.tests, c.proof, frozen); !slices.Equal(heard, c.heard) || all != c.all {
			t.Errorf("%s: heard %v, all %v, want %v, %v", c.name, heard, all, c.heard, c.all)
		}
	}
}
