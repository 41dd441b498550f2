package main

import "testing"

func TestKind(t *testing.T) {
	for subject, want := range map[string]string{
		"feat: a thing": "feat", "Add a thing": "feat", "fix: it": "fix", "Fix the lexer": "fix", "Fixed it": "fix", "fixture for it": "feat", "chore(deps)!: up": "chore",
		"refactor: it": "refactor", "Refactor pager": "refactor", "perf: faster": "refactor", "docs: fix typos": "docs", "ci: use node 20": "chore", "lint: silence": "refactor",
	} {
		if got := kind(subject); got != want {
			t.Errorf("kind(%q) = %q, want %q", subject, got, want)
		}
	}
}
