package report_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/report"
)

// TestCountf: nouns and verbs agree with the number before them, values stay as they are, and Korean has nothing to agree.
func TestCountf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%d files, %d tests passed", []any{1, 2}, "1 file, 2 tests passed"},
		{"%d files, %d tests passed", []any{0, 1}, "0 files, 1 test passed"},
		{", %d new tests fail as expected, review %d/100", []any{1, 1}, ", 1 new test fails as expected, review 1/100"},
		{", %d new tests fail as expected", []any{11}, ", 11 new tests fail as expected"},
		{"%d new tests fail without the change and pass with it", []any{1}, "1 new test fails without the change and passes with it"},
		{"%d new tests fail without the change and pass with it", []any{2}, "2 new tests fail without the change and pass with it"},
		{"✓ %s: %d tests passed, %d examples match\n", []any{"%d tests", 1, 1}, "✓ %d tests: 1 test passed, 1 example matches\n"},
		{"%d agent sessions, %d check cycles, %d fixes; %s", []any{1, 1, 1, "1 tests"}, "1 agent session, 1 check cycle, 1 fix; 1 tests"},
		{"%d of %d checkpoints, %d files", []any{1, 1, 1}, "1 of 1 checkpoints, 1 file"},
		{"%s, %[3]d tests, %[2]d files, %d %%", []any{"a", 1, 2, 1}, "a, 2 tests, 1 file, 2 %"},
		{"%d tests, %d failed, %d skipped", []any{1, 1, 0}, "1 test, 1 failed, 0 skipped"},
		{"테스트 %d개", []any{1}, "테스트 1개"},
		{"테스트 %d passed", []any{1}, "테스트 1 passed"},
	} {
		if got := report.Countf(c.format, c.args...); got != c.want {
			t.Errorf("Countf(%q, %v) = %q, want %q", c.format, c.args, got, c.want)
		}
	}
}
