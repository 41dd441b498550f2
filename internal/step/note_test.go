package step_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
)

// TestReadable: what hides something is shown, and what programs indent with is no such thing.
func TestReadable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"\tgo get example.com/h\n": "    go get example.com/h\n",
		"a\x1b[2Jb\r":              "a�[2Jb�",
		"값 é":                      "값 é",
	} {
		if got := step.Readable(in); got != want {
			t.Errorf("Readable(%q) = %q, want %q", in, got, want)
		}
	}
}
