package check_test

import (
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
)

// TestLimitsAreLearned: a suite that takes long gets more time than it has ever taken, and one that is short ends soon.
func TestLimitsAreLearned(t *testing.T) {
	t.Parallel()
	c := newLab(t, func(o *check.Options) { o.Cache = t.TempDir() }).checker
	for _, x := range []struct {
		dir        string
		took, want time.Duration
	}{
		{"slow", 0, 30 * time.Minute},
		{"slow", time.Hour, 4 * time.Hour},
		{"slow", time.Minute, 4 * time.Hour}, // a run of one test says nothing of all
		{"fast", time.Second, 10 * time.Minute},
		{"other", 0, 30 * time.Minute},
	} {
		if got := c.Limit(x.dir, x.took); got != x.want {
			t.Errorf("%s after %s: %s, want %s", x.dir, x.took, got, x.want)
		}
	}
	if got := newLab(t, func(o *check.Options) { o.Limit = time.Minute }).checker.Limit("slow", time.Hour); got != time.Minute {
		t.Errorf("with a limit of the configuration: %s", got)
	}
}
