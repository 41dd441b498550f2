package cli

import (
	"regexp"
	"slices"
	"testing"

	"github.com/jacquard-build/jacquard/internal/report"
)

// TestPermissionsHaveKorean: all that jacquard.yaml can ask for is said in Korean; commands of the project, and what is kept of it, stay as
// they are.
func TestPermissionsHaveKorean(t *testing.T) {
	t.Parallel()
	p := &project{root: "/p", a: &app{env: map[string]string{}}}
	c := &p.conf
	c.Copy, c.PR, c.Issue, c.Pool, c.Hub, c.Budget = []string{".env"}, true, true, "fast", "https://hub.example/x", "600usd"
	c.ACP = map[string]acpConf{"one": {Command: []string{"one", "acp"}}, "two": {Command: []string{"two"}, Env: []string{"KEY"}}}
	s := &c.Sandbox
	s.Level, s.Workers, s.Read, s.Write, s.Connect, s.Install = "off", "partial", []string{"/a"}, []string{"/b"}, []string{"127.0.0.1:5432"}, []string{"example.com"}
	s.Limits.Memory, s.Limits.Pids = "900GiB", 100000
	asked := slices.Concat(p.trustCommands(), p.spends(), []string{"send task results to https://x.example"})
	s.Level = "partial"
	asked = append(asked, p.trustCommands()...)
	if len(asked) < 25 {
		t.Fatalf("%d permissions, want one of each: %q", len(asked), asked)
	}
	korean := regexp.MustCompile(`\p{Hangul}`)
	for _, en := range asked {
		if ko := report.Korean.Permission(en); !korean.MatchString(ko) {
			t.Errorf("%q is not said in Korean", en)
		}
		if got := report.English.Permission(en); got != en {
			t.Errorf("%q is said as %q in English", en, got)
		}
	}
	if got := (permissions{"go test ./...", "copy .env", "copy \x1b[8m"}).in(report.Korean); got != "go test ./...\n  파일 복사: .env\n  \"copy \\x1b[8m\"" {
		t.Errorf("they are shown as %q", got)
	}
}
