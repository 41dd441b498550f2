package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestGoals runs the goals of quality on real trees: they come from a table, and check only. Each runs whatever the others say, what the
// project has no command for is not run, and what failed before in the same way is nobody's.
func TestGoals(t *testing.T) {
	// A20 21: see TestEveryContradictionHasATest in internal/workflow/auto.
	t.Parallel()
	conformance.InTurn(t, 16)
	l := newLab(t)
	base := l.tree("", shopFiles())
	chains := []toolchain.Found{l.module(base, "cart").Chain}
	red := l.tree(base, map[string]string{"tools/touch/main.go": "package main\n\nfunc main() { return 1 }\n"})
	for name, c := range map[string]struct {
		from   string
		files  map[string]string
		verify [][]string
		want   string // of each goal: + reached, - missed, . not run
		known  bool   // a build failed before
	}{
		"all is well":                   {base, honestly(nil), nil, "+++..", false},
		"a test fails":                  {base, honestly(map[string]string{"cart/cart.go": strings.Replace(cartRight, "sum := 0", "sum := 1", 1)}), nil, "+-+..", false},
		"it does not build":             {base, honestly(map[string]string{"cart/cart.go": cartRight + "\nfunc X() int { return \"x\" }\n"}), nil, "---..", false},
		"vet complains":                 {base, honestly(map[string]string{"cart/cart.go": "package cart\n\nimport \"fmt\"\n\n// Say says.\nfunc Say() { fmt.Printf(\"%d\", \"x\") }\n" + strings.TrimPrefix(cartRight, "package cart\n")}), nil, "-?+..", false},
		"a command succeeds":            {base, honestly(nil), [][]string{{"go", "version"}}, "+++.+", false},
		"a command updates a lock file": {base, honestly(map[string]string{"go.work.sum": "one\n"}), [][]string{{"sh", "-c", "echo two >> go.work.sum"}}, "+++.+", false},
		"a command fails":               {base, honestly(nil), [][]string{{"go", "run", "./nowhere"}}, "+++.-", false},
		"the build was broken before":   {red, honestly(nil), nil, "?-+..", true}, // which of the failures is new, the caller says,
		"nothing but a text is changed": {base, map[string]string{"NOTES.md": "# other\n"}, nil, ".++..", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goals, records, err := l.checker.Goals(t.Context(), check.Task{Chains: chains, Base: c.from, Verify: c.verify}, c.from, l.tree(c.from, c.files))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			before := false
			for i, g := range goals {
				s := map[bool]string{true: "-", false: "+"}[g.Failed]
				if !g.Ran {
					s = "."
				}
				if i < len(c.want) && c.want[i] == '?' {
					s = "?"
				}
				got += s
				before = before || g.Before
				if g.Failed && len(g.Findings)+len(g.Tail)+failing(g.Results) == 0 {
					t.Errorf("%s fails and says nothing", g.Name)
				}
			}
			if want := strings.TrimSpace(strings.Replace(c.want, "+++..", "+++..", 1)); got != want || before != c.known {
				t.Errorf("goals %s, want %s; broken before: %v\n%s", got, c.want, before, fmt.Sprint(goals))
			}
			for _, r := range records {
				if r.TreeAfter != "" {
					t.Errorf("%v changed the tree", r.Argv)
				}
			}
		})
	}
}

func failing(list []step.TestResult) int {
	n := 0
	for _, r := range list {
		if r.Status == step.Fail || r.Status == step.Error {
			n++
		}
	}
	return n
}
