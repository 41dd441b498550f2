package cli

import (
	"strings"
	"testing"
)

// TestCommandsStayWhole: a command that a person copies is not broken in two where a line is; where it alone is longer than a line, it is
// left as it is.
func TestCommandsStayWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, want string }{
		{"nothing: no changes; to check the last commit, run: jacquard prove HEAD~1..HEAD", "nothing: no changes; to check\n  the last commit, run:\n  jacquard prove HEAD~1..HEAD"},
		{"To continue it, run: jacquard resume k3v9. To end it, run: jacquard stop --now k3v9", "To continue it, run:\n  jacquard resume k3v9. To end\n  it, run:\n  jacquard stop --now k3v9"},
		{"unknown; for more time, run: jacquard prove --limit 15m (or --full)", "unknown; for more time, run:\n  jacquard prove --limit 15m\n  (or --full)"},
		{"nothing is committed. First run: git add -A && git commit -m \"Start here (now)\"", "nothing is committed. First\n  run:\n  git add -A && git commit -m \"Start here (now)\""},
		{"    keep it: git merge --squash refs/jacquard/k3v9/turns/build", "    keep it:\n      git merge --squash refs/jacquard/k3v9/turns/build"},
		{"A command failed: `go test ./...  -run 'A b'` exited with 1.", "A command failed:\n  `go test ./...  -run 'A b'`\n  exited with 1."},
		{"no runs yet, start with: jacquard do \"…\" or jacquard build", "no runs yet, start with:\n  jacquard do \"…\" or jacquard build"},
		{"no runs yet: to begin, start with jacquard do \"a long request\"", "no runs yet: to begin, start\n  with\n  jacquard do \"a long request\""},
		{"   npm install -g @anthropic-ai/claude-code", "   npm install -g @anthropic-ai/claude-code"},
		{"계속하려면 다음을 실행하세요: jacquard resume k3v9", "계속하려면 다음을 실행하세요:\n  jacquard resume k3v9"},
		{"git 노트 대신 이 파일에 있는 증명 기록과", "git 노트 대신 이 파일에 있는\n  증명 기록과"},
		{"git is too old to be of any use: install 2.38 or newer", "git is too old to be of any\n  use: install 2.38 or newer"},
	} {
		if got := broken(c.line, 30, 2); got != c.want {
			t.Errorf("%q is broken into\n%s\nwant\n%s", c.line, got, c.want)
		}
		if got := broken(c.line+"\n", 30, 2); got != c.want+"\n" {
			t.Errorf("%q loses the end of its line: %q", c.line, got)
		}
	}
	if got, want := filled("First commit it:\ngit add -A && git commit, then try again", 2, 30), "  First commit it:\n  git add -A && git commit,\n  then try again"; got != want {
		t.Errorf("it is filled as\n%s\nwant\n%s", got, want)
	}
	if long := strings.Repeat("x", 40); broken(long, 30, 2) != long {
		t.Error("a long word is broken")
	}
}
