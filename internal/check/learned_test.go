package check_test

import (
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/confine"
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

// TestBoundsAreLearned: a command may use a multiple of what was seen, never more than the machine's bounds, and what a person has set stays.
func TestBoundsAreLearned(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	most := confine.Limits{Memory: 32 * gib, Processes: 4096, Output: 256 << 20, Disk: 16 * gib}
	c := newLab(t, func(o *check.Options) { o.Cache = t.TempDir() }).checker
	said := newLab(t, func(o *check.Options) { o.Cache, o.Said = t.TempDir(), confine.Limits{Memory: 32 * gib} }).checker
	for _, x := range []struct {
		name   string
		of     *check.Checker
		dir    string
		used   confine.Used
		output int64
		want   confine.Limits
	}{
		{"nothing is known", c, "a", confine.Used{}, 0, most},
		{"little was used", c, "a", confine.Used{Memory: 100 << 20, Processes: 20}, 1000, confine.Limits{Memory: 4 * gib, Processes: 1024, Output: 32 << 20, Disk: 16 * gib}},
		{"more", c, "a", confine.Used{Memory: 2 * gib, Processes: 500}, 20 << 20, confine.Limits{Memory: 8 * gib, Processes: 2000, Output: 80 << 20, Disk: 16 * gib}},
		{"less again", c, "a", confine.Used{Memory: 1, Processes: 1}, 1, confine.Limits{Memory: 8 * gib, Processes: 2000, Output: 80 << 20, Disk: 16 * gib}},
		{"nearly all", c, "a", confine.Used{Memory: 31 * gib, Processes: 4000}, 255 << 20, most},
		{"another folder", c, "b", confine.Used{}, 0, most},
		{"a person has set it", said, "a", confine.Used{Memory: 100 << 20, Processes: 20}, 1000, confine.Limits{Memory: 32 * gib, Processes: 1024, Output: 32 << 20, Disk: 16 * gib}},
	} {
		if got := x.of.Bounds(x.dir, x.used, x.output, most); got != x.want {
			t.Errorf("%s: %+v, want %+v", x.name, got, x.want)
		}
	}
}
