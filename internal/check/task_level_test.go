package check_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestTaskLevels: where no test fails without the change, an agreed call proves it only if it gave something else before.
func TestTaskLevels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked, code string
		want        step.Level
		before      int // examples that hold without it, too
	}{
		"a call that gave something else":     {"Total([]) returns 0", cartRight, step.Proved, 0},
		"a call that gave the same":           {"Total([1, 2]) returns 3", cartRight, step.Covered, 1},
		"one of each":                         {"Total([]) returns 0 and Total([1, 2]) returns 3", cartRight, step.Proved, 1},
		"a call of a function that was added": {"Half([4, 4]) returns 1", cartGo + "\n// Half counts every second one.\nfunc Half(prices []int) int { return len(prices) / 2 }\n", step.Proved, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			base := l.tree("", map[string]string{"go.mod": "module shop\n\ngo 1.22\n", "cart/cart.go": cartGo, "cart/cart_test.go": cartTests})
			p, _, err := l.checker.Task(t.Context(), check.Task{
				Chains: []toolchain.Found{l.module(base, "cart").Chain}, Owns: owns("cart/cart.go"), Base: base, Asked: c.asked,
			}, base, l.tree(base, map[string]string{"cart/cart.go": c.code}))
			if err != nil || !p.Passed {
				t.Fatalf("%+v, %v", p.Findings, err)
			}
			before := 0
			for _, e := range p.Examples {
				if e.State != step.ExampleHolds {
					t.Errorf("%s: %s (%s)", e.Text, e.State, e.Why)
				}
				if e.Before {
					before++
				}
			}
			if p.Level() != c.want || before != c.before || len(p.Examples) != strings.Count(c.asked, "returns") {
				t.Errorf("%s, %d of %d before; want %s, %d", p.Level(), before, len(p.Examples), c.want, c.before)
			}
		})
	}
}

// TestTaskElsewhere: what the request says of a call is true in each time zone; what only a test says goes back once.
func TestTaskElsewhere(t *testing.T) {
	t.Parallel()
	for asked, passed := range map[string]bool{"Day(1767182400) returns 31": false, "Day is the day of the month": true} {
		t.Run(asked, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			base := l.tree("", map[string]string{"go.mod": "module shop\n\ngo 1.22\n", "day/doc.go": "// Package day reads days.\npackage day\n"})
			p, _, err := l.checker.Task(t.Context(), check.Task{
				Chains: []toolchain.Found{l.module(base, "day").Chain}, Owns: owns("day/day.go", "day/day_test.go"), Base: base, Asked: asked, Says: asked,
			}, base, l.tree(base, map[string]string{
				"day/day.go":      "package day\n\nimport \"time\"\n\n// Day is the day of the month.\nfunc Day(at int64) int { return time.Unix(at, 0).Day() }\n",
				"day/day_test.go": "package day\n\nimport \"testing\"\n\nfunc TestDay(t *testing.T) {\n\tif got := Day(1767182400); got != 31 {\n\t\tt.Error(got)\n\t}\n}\n",
			}))
			want(t, asked, p, err, passed, "ambient-state")
		})
	}
}
