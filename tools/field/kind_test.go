package main

import "testing"

func TestKind(t *testing.T) {
	for subject, want := range map[string]string{
		"feat: a thing": "feat", "Add a thing": "feat", "fix: it": "fix", "Fix the lexer": "fix", "Fixed it": "fix", "fixture for it": "feat", "chore(deps)!: up": "chore",
		"refactor: it": "refactor", "Refactor pager": "refactor", "perf: faster": "refactor", "docs: fix typos": "docs", "ci: use node 20": "chore", "lint: silence": "refactor", "apply prettier formatting to all files": "refactor", "[pre-commit.ci] auto fixes from hooks": "refactor", "lint": "refactor", "Formatting of dates": "refactor", "Add a formatter": "feat",
	} {
		if got := kind(subject); got != want {
			t.Errorf("kind(%q) = %q, want %q", subject, got, want)
		}
	}
}

func TestSays(t *testing.T) {
	for diff, want := range map[string]bool{
		"--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n+// a note\n+\n+ * more\n": false, "@@ -1 +1 @@\n-# old\n+x = 1 # new\n": true, "": false, "-return 1\n": true,
	} {
		if got := says(diff); got != want {
			t.Errorf("says(%q) = %t, want %t", diff, got, want)
		}
	}
}
