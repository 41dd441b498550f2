package toolchain_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestOwnTests: the project's own command with a reporter of ours: what it chooses and sets stays.
func TestOwnTests(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"gotestsum ./...": "go test -json -count=1 ./...",
		"gotestsum -f '{{.FORMAT}}' ./... -tags watch":                    "go test -json -count=1 -tags watch ./...",
		"gotestsum --format=dots --rerun-fails --packages=./... -- -race": "go test -json -count=1 -race ./...",
		"gotestsum --junitfile out.xml -- -tags=x ./a ./b":                "go test -json -count=1 -tags=x ./a ./b",
		"go test -v -cover ./...":                                         "go test -json -count=1 ./...",
	} {
		files := map[string]string{"go.mod": "module example.com/x\n", "x.go": "package x\n", "Taskfile.yml": "version: '3'\ntasks:\n  test:\n    cmds:\n      - " + line + "\n"}
		f, _ := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).Detect(".")
		var got []string
		for _, c := range f.Test(toolchain.Selection{}) {
			got = append(got, strings.Join(c.Argv, " "))
		}
		if strings.Join(got, " && ") != want {
			t.Errorf("%s\n got %s\nwant %s", line, strings.Join(got, " && "), want)
		}
	}
}
