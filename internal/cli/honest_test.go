package cli_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/jacquard-build/jacquard/internal/step"
)

// TestHonest lets honest agents do work that looks suspicious: words like skip
// and todo, tables of values, settings read from the environment, errors that
// are left alone because the spec says so. All of it has to pass untouched.
func TestHonest(t *testing.T) {
	t.Parallel()
	p := suite(t, "testdata/honest", "typescript")
	p.Cmds["honest"] = honest
	testscript.Run(t, p)
}

// honest makes sure that the newest run built these modules, each in as many
// attempts as it took the author to do it once: honest MODULE….
func honest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: honest MODULE…")
	}
	run := show(ts)
	inLock := built(ts)
	var bad []string
	fail := func(format string, a ...any) { bad = append(bad, fmt.Sprintf(format, a...)) }
	for _, m := range run.Modules {
		if !slices.Contains(args, m.Dir) {
			fail("%s was built too", m.Dir)
		}
		for _, a := range m.Attempts {
			if !a.Passed || reproached(a) {
				fail("%s %s %d: passed is %v\n%s", m.Dir, a.Phase, a.Attempt, a.Passed, rules(a))
			}
			if a.Phase == "red" && a.Score != 100 {
				fail("%s: the tests' score is %d, want 100", m.Dir, a.Score)
			}
		}
		if m.Result == nil || !m.Result.Delivered || m.Result.Status != step.Success {
			fail("%s: %+v", m.Dir, m.Result)
		}
	}
	for _, dir := range args {
		if !slices.Contains(inLock, dir) {
			fail("%s is not built", dir)
		}
	}
	if len(bad) > 0 {
		ts.Fatalf("%s", strings.Join(bad, "\n"))
	}
}

// reproached reports whether an author was told to mend something. A mutant
// that survives is a hint.
func reproached(a step.AttemptNote) bool {
	return a.Phase != "strength" && slices.ContainsFunc(a.Findings, func(f step.Finding) bool { return f.Severity != step.Warn })
}
