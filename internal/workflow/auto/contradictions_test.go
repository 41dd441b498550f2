package auto_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestContradictions: how contradictions of the description that pdca comes from were resolved, as far as they are no limits: those are
// in TestLimits. TestEveryContradictionHasATest says what A20 is.
func TestContradictions(t *testing.T) {
	t.Parallel()
	reject := func(domain string) map[string]any {
		return map[string]any{"verdict": "REJECT", "reasons": []string{"no"}, "guide": "a/x.go: do it", "domain": domain, "items": []any{}}
	}
	wide := func(what string, nth int) any { // the work touches five files of one module
		if what != step.AutoLook.Name {
			return nil
		}
		out := step.AutoLookOut{}
		for i := range 5 {
			out.Files = append(out.Files, step.Change{Path: []string{"a/x.go", fmt.Sprintf("a/f%d.go", i)}[min(i, 1)], Status: "M"})
		}
		for i := range 20 {
			out.Found = append(out.Found, pdca.Presence{ID: fmt.Sprintf("D-%02d", i+1), Path: true, Symbol: true, Test: true})
		}
		return out
	}
	for name, tt := range map[string]tale{
		"A20 3: counters survive a process that dies at every step":      {mode: pdca.Standard, say: both(goals(2, other), times("architect", 1, reject("logic"))), end: "passed", calls: map[string]int{step.AutoQA.Name: 3, "diagnose": 2, "architect": 3}},
		"A20 7: five files promote by one step, at the end of the phase": {mode: pdca.Light, say: wide, end: "passed", mode2: pdca.Standard, calls: map[string]int{"design": 1, "implement": 1}},
		"A20 8: who finds a hole does not close it":                      {mode: pdca.Standard, say: times("architect", 1, reject("security")), end: "passed", calls: map[string]int{"executor": 1, "security-reviewer": 0}},
		"A20 8: what is about the build is for who fixes builds":         {mode: pdca.Standard, say: times("architect", 1, reject("build")), end: "passed", calls: map[string]int{"build-fixer": 1, "executor": 0}},
		"A20 22: words like PATH in the output of a test end nothing":    {mode: pdca.Standard, say: goals(1, func(int) string { return "Permission denied: PATH is not set, command not found" }), end: "passed", calls: map[string]int{step.AutoQA.Name: 2}},
		"A20 24: each fix of a goal has a diagnosis before it":           {mode: pdca.Heavy, say: goals(3, other), end: "passed", calls: map[string]int{"diagnose": 3, step.AutoQA.Name: 4}},
		"A20 26: a run that fails has a report as well":                  {mode: pdca.Standard, say: goals(9, always), end: "same_failure(2) qa", calls: map[string]int{step.AutoKeep.Name: 3, step.AutoCommit.Name: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for crash := range 3 {
				tt.play(t, crash)
			}
		})
	}
	t.Run("A20 28: what critics say is capped by code", func(t *testing.T) {
		t.Parallel()
		long := map[string]any{"verdict": "REVISE", "reasons": slices.Repeat([]string{strings.Repeat("word ", 2000)}, 50), "items": []any{}}
		most := 0
		tale{mode: pdca.Heavy, say: times("critic", 5, long), end: "needs_decision(5) plan", seen: func(in step.Turn) {
			if in.Role == "plan" {
				most = max(most, len(in.Task))
			}
		}}.play(t, 0)
		if most < 2000 || most > 60_000 {
			t.Errorf("the author of a plan is told %d bytes", most)
		}
	})
}

// TestEveryContradictionHasATest: the description that pdca comes from contradicts itself in 28 places. It is not in the repository; A20 is its
// list of them, and each of the 28 rows is the name, or stands in a comment, of a test or a story that shows what was chosen.
func TestEveryContradictionHasATest(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile(`A20 ([0-9]+)(?: and ([0-9]+))?`)
	found := map[string]string{}
	err := filepath.WalkDir("../..", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, "_test.go") && !strings.HasSuffix(p, ".txtar") {
			return err
		}
		raw, err := os.ReadFile(p)
		for _, m := range row.FindAllStringSubmatch(string(raw), -1) {
			found[m[1]], found[m[2]] = p, p
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 28 {
		if found[fmt.Sprint(n+1)] == "" {
			t.Errorf("no test is named after row %d", n+1)
		}
	}
}
