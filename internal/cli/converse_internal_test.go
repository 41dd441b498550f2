package cli

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/report"
)

// TestFoldedPlan: a plan that is higher than the screen counts the details of its tasks, and each can be opened.
func TestFoldedPlan(t *testing.T) {
	t.Parallel()
	const ask = "? WORK-01: Shop\n  TASK-00  feat: Cart\n      sums up\n      MODIFY cart.go\n      $ go test ./cart\n  TASK-01 ← TASK-00  docs: Say it\n      README\nadded: nothing\n"
	const short = "? WORK-01: Shop\n  TASK-00  feat: Cart\n      … 3 more lines\n  TASK-01 ← TASK-00  docs: Say it\n      … 1 more lines\nadded: nothing\n(TASK-00 shows it in full, ? shows everything)\n"
	flat := strings.Repeat("a line\n", 30)
	for name, c := range map[string]struct {
		ask   string
		lines int
		want  string
	}{
		"it fits":         {ask, 24, ask},
		"it is too high":  {ask, 8, short},
		"nothing to fold": {flat, 24, flat},
	} {
		if got := foldedTo(report.English, c.ask, c.lines); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
	for name, want := range map[string]string{
		"TASK-00": "  TASK-00  feat: Cart\n      sums up\n      MODIFY cart.go\n      $ go test ./cart\n",
		"task-01": "  TASK-01 ← TASK-00  docs: Say it\n      README\n",
		"TASK-02": "", "": "", "y": "", "?": "", "added:": "",
	} {
		if got := detailsOf(ask, name); got != want {
			t.Errorf("%q opens\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestBrokenLines: a long line is broken between words, and nothing of it is lost.
func TestBrokenLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, want string }{
		{"short\n", "short\n"},
		{"one two three four five\n", "one two\n  three\n  four five\n"},
		{"  indented  with a table\n", "  indented\n    with a\n    table\n"},
		{"/a/path/that/is/longer/than/a/line\n", "/a/path/that/is/longer/than/a/line\n"},
		{"see /a/path/that/is/longer now\n", "see\n  /a/path/that/is/longer\n  now\n"},
		{"한국어 문장도 나눈다\n", "한국어\n  문장도\n  나눈다\n"},
	} {
		if got := broken(c.line, 11, 2); got != c.want {
			t.Errorf("%q is broken into\n%s\nwant\n%s", c.line, got, c.want)
		}
	}
}

// TestHangingCells: the last cell of a row goes on below itself, and where its column has no place for words a little further in.
func TestHangingCells(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"run", "k3v9 waiting: it wants to know which sign zero has"}, {"", "answer it, then go on"}}
	for wide, want := range map[int]string{
		80: "run  k3v9 waiting: it wants to know which sign zero has\n     answer it, then go on\n",
		30: "run  k3v9 waiting: it wants to\n     know which sign zero has\n     answer it, then go on\n",
		20: "run  k3v9 waiting:\n    it wants to know\n    which sign zero\n    has\n     answer it, then\n     go on\n",
	} {
		if got := hanging(report.Table(rows, 0), rows, wide); got != want {
			t.Errorf("at %d cells it is\n%s\nwant\n%s", wide, got, want)
		}
	}
}

// TestColours: the word that says how something ended has a color, and nothing else.
func TestColours(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"✓ tax: passed (tests: 2)":            green + "✓" + plain + " tax: passed (tests: 2)",
		"  ✗ TASK-00: failed":                 "  " + red + "✗" + plain + " TASK-00: failed",
		"    ⚠ a.go:3: [flaky-test] The test": "    " + yellow + "⚠" + plain + " a.go:3: [flaky-test] The test",
		"  · tax GREEN 1: rejected, tests 1":  "  · tax GREEN 1: " + yellow + "rejected" + plain + ", tests 1",
		"  · tax GREEN 2: passed":             "  · tax GREEN 2: " + green + "passed" + plain,
		"unproved: no test":                   yellow + "unproved" + plain + ": no test",
		"broken: 1 passing test fails":        red + "broken" + plain + ": 1 passing test fails",
		"The tests passed: ✓":                 "The tests passed: ✓",
		"  • tax started":                     "  • tax started",
	} {
		if got := coloured(line); got != want {
			t.Errorf("%q is shown as %q, want %q", line, got, want)
		}
	}
}
