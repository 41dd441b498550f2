package conformance_test

import (
	"fmt"
	"testing"

	"github.com/jacquard-build/jacquard/internal/conformance"
)

// TestPartsAreAll: the parts together run everything, what takes long once and what takes turns at least once, and all is all.
func TestPartsAreAll(t *testing.T) {
	const parts, things, points = 16, 100, 235
	count := func() (has, turns [things]int, tried [points]int, slice int) {
		for i := range things {
			if conformance.Has(fmt.Sprint("Test", i)) {
				has[i]++
			}
			if conformance.TurnOf(i, 5) {
				turns[i]++
			}
		}
		every, from := conformance.Every(32)
		for i := from; i < points; i += every {
			tried[i]++
		}
		first, end := conformance.Slice(things)
		return has, turns, tried, end - first
	}
	var has, turns [things]int
	var tried [points]int
	slices := 0
	for k := range parts {
		t.Setenv(conformance.Variable, fmt.Sprintf("%d/%d", k+1, parts))
		h, tu, tr, s := count()
		inRow := 0
		for i := range things {
			has[i] += h[i]
			turns[i] += tu[i]
			if inRow += tu[i]; i%5 == 4 {
				if inRow != 1 {
					t.Errorf("part %d runs %d of the row that ends with %d, want 1", k+1, inRow, i)
				}
				inRow = 0
			}
		}
		for i := range points {
			tried[i] += tr[i]
		}
		slices += s
	}
	for i := range things {
		if has[i] != 1 || turns[i] == 0 {
			t.Errorf("%d is run %d times by the parts, has %d turns", i, has[i], turns[i])
		}
	}
	for i, n := range tried {
		if n == 0 {
			t.Errorf("no part tries point %d", i)
		}
	}
	if slices != things {
		t.Errorf("the slices of the parts have %d things, want %d", slices, things)
	}
	t.Setenv(conformance.Variable, "all")
	has, turns, tried, slice := count()
	for i := range things {
		if has[i] != 1 || turns[i] != 1 || tried[i] != 1 {
			t.Errorf("all does not run %d", i)
		}
	}
	if slice != things {
		t.Errorf("all has %d of %d", slice, things)
	}
	t.Setenv(conformance.Variable, "")
	if none, _, _, slice := count(); none != [things]int{} || slice != 0 {
		t.Error("without a part something runs that takes long")
	}
}
