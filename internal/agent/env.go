package agent

import (
	"maps"
	"slices"
	"strings"
)

// steering are the beginnings of names that decide whom an agent asks, who pays
// and what it may do.
var steering = []string{"ANTHROPIC_", "CLAUDE", "AWS_", "GOOGLE_APPLICATION_", "VERTEX_", "OPENAI_", "CODEX_", "OPENCODE", "IS_SANDBOX", "NODE_OPTIONS", "DISABLE_"}

// environment returns base with what is set in place of it, in order of names.
// Behind a gateway nothing of base may steer the agent; with the user's own
// log-in only the folder of its configuration may.
func environment(base []string, set map[string]string, gateway bool) []string {
	all := map[string]string{}
	for _, kv := range base {
		name, value, ok := strings.Cut(kv, "=")
		steers := slices.ContainsFunc(steering, func(s string) bool { return strings.HasPrefix(strings.ToUpper(name), s) })
		if !ok || name == "" || (steers && (gateway || name != "CLAUDE_CONFIG_DIR" && name != "CODEX_HOME")) {
			continue
		}
		all[name] = value
	}
	maps.Copy(all, set)
	out := make([]string, 0, len(all))
	for name, value := range all {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// withoutProxy adds to set what keeps a proxy from standing before the gateway,
// which is on this machine.
func withoutProxy(set map[string]string, env []string) {
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		set[name] = "127.0.0.1"
		for _, kv := range env {
			if value, ok := strings.CutPrefix(kv, name+"="); ok && value != "" {
				set[name] += "," + value
			}
		}
	}
}
