package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
)

// TestErrorsInALanguage: an error is said in the language of the person, with the errors among its values; as an error it is English,
// and what it is does not change.
func TestErrorsInALanguage(t *testing.T) {
	t.Parallel()
	full := environment("write %s", errors.New("disk full"), "a.go")
	for _, c := range []struct {
		err            error
		english, korea string
		code           int
	}{
		{usage("--jobs %d: must be between 1 and %d", 0, maxJobs), "--jobs 0: must be between 1 and 256", "--jobs 0: 1부터 256까지 쓸 수 있습니다", exitUsage},
		{usage("--feedback: %v", words("%s does not exist", "x")), "--feedback: x does not exist", "--feedback: 없는 경로입니다: x", exitUsage},
		{full, "write a.go: disk full", "a.go을(를) 저장하지 못했습니다: disk full", exitEnvironment},
		{words("find the project: %w", full), "find the project: write a.go: disk full", "프로젝트를 찾지 못했습니다: a.go을(를) 저장하지 못했습니다: disk full", exitEnvironment},
		{
			errors.Join(usage("%s does not exist", "x"), usage("%s does not exist", "y")),
			"x does not exist\ny does not exist", "없는 경로입니다: x\n없는 경로입니다: y", exitUsage,
		},
		{exit(exitNotVerified, "%s exited with code %d", noun("the second run"), 3), "the second run exited with code 3", "두 번째 실행: 종료 코드 3(으)로 끝났습니다", exitNotVerified},
		{&flow.DrivenError{Run: "k3", Driver: "process 7"}, "run k3 is already running in process 7", "실행 k3은(는) 이미 진행 중입니다: process 7", exitDriven},
		{flow.Failf(flow.Auth, "log in first"), "log in first", "log in first", exitEnvironment},
		{fmt.Errorf("write: %w", flow.Failf(flow.Environment, "the disk is full")), "write: the disk is full", "write: the disk is full", exitEnvironment},
		{
			environment("write %s", syscall.ENOSPC, "a.go"), "write a.go: no space left on device. Free some space, then try again",
			"a.go을(를) 저장하지 못했습니다: no space left on device. 공간을 확보한 뒤 다시 시도하세요", exitEnvironment,
		},
		{
			environment("write %s", syscall.EROFS, "a.go"), "write a.go: read-only file system. Make the folder writable or use another one, then try again",
			"a.go을(를) 저장하지 못했습니다: read-only file system. 폴더를 쓸 수 있게 하거나 다른 폴더를 쓴 뒤 다시 시도하세요", exitEnvironment,
		},
		{fmt.Errorf("others: %w", errors.New("so")), "others: so", "others: so", exitNotVerified},
	} {
		if got := inLang(report.English, c.err); got != c.english {
			t.Errorf("English: %q, want %q", got, c.english)
		}
		if got := inLang(report.Korean, c.err); got != c.korea {
			t.Errorf("Korean: %q, want %q", got, c.korea)
		}
		if strings.ContainsAny(c.err.Error(), "가은을하") {
			t.Errorf("%q is not English", c.err)
		}
		if got := codeOf(c.err); got != c.code {
			t.Errorf("%q: exit code %d, want %d", c.err, got, c.code)
		}
	}
}

// TestOverhear: the language of help and of errors of usage is known before a command line is taken apart.
func TestOverhear(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// What is wrong in it is told later, and in its language.
	if err := os.WriteFile(filepath.Join(dir, configFile), []byte("lang: ko\njobs: many\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ko, en := report.Korean, report.English
	for _, c := range []struct {
		args   string
		locale string
		want   report.Lang
	}{
		{"--help", "", en},
		{"--help", "ko_KR.UTF-8", ko},
		{"--help --lang en", "ko_KR.UTF-8", en},
		{"--lang ko --help", "", ko},
		{"--lang=ko biuld", "", ko},
		{"build --jobs lots --frobnicate=3 -qz --lang ko", "", ko},
		{"do text -- --lang ko", "", en},
		{"status --root " + dir, "", ko},
		{"status -r" + dir, "C", ko},
		{"status --lang en -r " + dir, "ko_KR", en},
		{"--lang", "ko_KR.UTF-8", ko},
	} {
		a := &app{env: map[string]string{"LANG": c.locale}}
		if a.overhear(strings.Fields(c.args)); a.lang() != c.want {
			t.Errorf("%s with LANG=%q: %s, want %s", c.args, c.locale, a.lang(), c.want)
		}
	}
}
