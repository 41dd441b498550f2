package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestBuilt: what the linker says comes first, then what Go knows of a fetched module or of a clone, and nothing is made up.
func TestBuilt(t *testing.T) {
	t.Parallel()
	here := runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
			{Key: "vcs.time", Value: "2026-11-23T23:30:00-05:00"},
			{Key: "vcs.modified", Value: modified},
		}
	}
	for name, c := range map[string]struct {
		linked build
		info   debug.BuildInfo
		want   string
	}{
		"release": {
			build{Version: "1.2.3", Commit: "fedcba9876543210", Date: "2026-11-23T10:00:00Z"},
			debug.BuildInfo{Main: debug.Module{Version: "v0.0.1", Sum: "h1:"}, Settings: vcs("true")},
			"jacquard 1.2.3 (commit fedcba987654, 2026-11-23, " + here,
		},
		"go install":  {build{}, debug.BuildInfo{Main: debug.Module{Version: "v1.2.3", Sum: "h1:"}}, "jacquard 1.2.3 (" + here},
		"clone":       {build{}, debug.BuildInfo{Main: debug.Module{Version: "v1.2.4-0.2026"}, Settings: vcs("false")}, "jacquard dev (commit 0123456789ab, 2026-11-24, " + here},
		"changed":     {build{}, debug.BuildInfo{Settings: vcs("true")}, "jacquard dev (commit 0123456789ab with changes, 2026-11-24, " + here},
		"no metadata": {build{}, debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "jacquard dev (" + here},
		"short hash":  {build{Version: "1", Commit: "abc"}, debug.BuildInfo{}, "jacquard 1 (commit abc, " + here},
	} {
		if got := buildOf(c.linked, &c.info).String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
