package act_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/act"
)

// TestCommandLines: what a plan may name as a command, and what it may not.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"go test ./...":                 "[go test ./...]",
		"go  test\t./a && go vet ./a":   "[go test ./a] [go vet ./a]",
		`pytest -k "one and two" 'a b'`: "[pytest -k one and two a b]",
		`npm test -- --run ''`:          "[npm test -- --run ]",
		"":                              "it is empty",
		"  ":                            "it is empty",
		"&& go test":                    "there is nothing before &&",
		"go test &&":                    "it is empty",
		"go test | tee x":               `no "|"`,
		"go test > x":                   `no ">"`,
		"go test; rm x":                 `no ";"`,
		"go test & rm x":                `no "&"`,
		"cat $HOME/x":                   `no "$"`,
		`go test "$HOME"`:               "no variables",
		"go test `id`":                  "no \"`\"",
		"ls *.go":                       `no "*"`,
		"FOO=1 go test":                 "no variables before the program",
		`go test "a`:                    "a quote is not closed",
		"go test\nrm x":                 "no control characters",
		"go \x1b[8mtest":                "no control characters",
		`go test \x`:                    `no "\\"`,
		"go test # not this":            `no "#"`,
	} {
		argvs, err := act.CommandLine(line)
		got := strings.Trim(fmt.Sprint(argvs), "[]")
		if err != nil {
			got = err.Error()
		} else {
			got = "[" + strings.ReplaceAll(got, "] [", "] [") + "]"
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q gives %s, want %s", line, got, want)
		}
	}
	for line, why := range map[string]string{
		"go test ./...": "", "python3 -m pytest": "", "node --test": "", "npm run build": "", "cargo test --workspace": "", "node scripts/check.js": "",
		"rm -rf x": "not allowed in checks", "git push": "not allowed in checks", "curl http://x": "not allowed in checks", "sh -c 'echo hi'": "runs other commands", "bash x.sh": "runs other commands",
		"sh test/run.sh": "", "bash ./test/run.sh -v": "", "sh test/run.sh /etc": "outside the project", "sh -e test/run.sh": "runs other commands",
		"env A=1 go test": "runs other commands", "xargs rm": "runs other commands", "python3 -c 'x'": "write a test", "node -e 1": "write a test", "node --eval 1": "write a test",
		"cat /etc/passwd": "outside the project", "cat ../x": "outside the project", "cat a/../../x": "outside the project", "touch x": "not allowed in checks",
	} {
		argvs, err := act.CommandLine(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if got := act.Forbidden(argvs[0], func(p string) bool { return p == "test/run.sh" }); why == "" && got != "" || !strings.Contains(got, why) {
			t.Errorf("%q: %q, want %q", line, got, why)
		}
	}
}

// TestLogsAreInOrder: lines of tasks that were built side by side are sorted by time, and none is lost.
func TestLogsAreInOrder(t *testing.T) {
	t.Parallel()
	got := string(act.InOrder([]byte("[2026-03-18T10:00:00]_A_INIT_a\nno time\n[2026-03-18T10:05:00]_A_BUILD_b\n[2026-03-18T10:01:00]_B_INIT_c\n")))
	if want := "[2026-03-18T10:00:00]_A_INIT_a\nno time\n[2026-03-18T10:01:00]_B_INIT_c\n[2026-03-18T10:05:00]_A_BUILD_b\n"; got != want {
		t.Errorf("sorted:\n%swant:\n%s", got, want)
	}
}
