package act_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestUnmentioned: a path with an @ before it would be read by an agent's program without a tool; code with an @ stays as it is.
func TestUnmentioned(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "CLAUDE.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"See @CLAUDE.md for more, and @CLAUDE.md.": "See CLAUDE.md for more, and CLAUDE.md.",
		"@CLAUDE.md#L1-2 @CLAUDE.md":               "CLAUDE.md#L1-2 CLAUDE.md",
		"key: @/etc/passwd\n@~/.ssh/id":            "key: /etc/passwd\n~/.ssh/id",
		"@\"/etc/a b\"":                            "\"/etc/a b\"",
		"up @../CLAUDE.md":                         "up @../CLAUDE.md",
		"\u00a0@/etc/passwd":                       "\u00a0/etc/passwd",
		"@pytest.fixture\n\t@Override me@x.org":    "@pytest.fixture\n\t@Override me@x.org",
		"import a from '@/lib/a'":                  "import a from '@/lib/a'",
	} {
		if got := act.Unmentioned(text, root); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(root), "beside"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := act.Unmentioned("@../beside", root); got != "../beside" {
		t.Errorf("a file beside the project: %q", got)
	}
}

// TestHowTestsAreRun: all tests as a person would run them, and one of them by a command that authors may run.
func TestHowTestsAreRun(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files    map[string]string
		all, one string
	}{
		"go":             {map[string]string{"go.mod": "module x\n\ngo 1.26\n", "x.go": "package x\n"}, "go test ./...", "go test ./DIR -run '^NAME$'"},
		"pytest":         {map[string]string{"pyproject.toml": "[project]\nname = \"x\"\n[dependency-groups]\ndev = [\"pytest\"]\n", "tests/test_x.py": "import pytest\n"}, "python -m pytest", "python -m pytest FILE::NAME"},
		"node":           {map[string]string{"package.json": `{"scripts":{"test":"node --test"}}`, "x.test.js": ""}, "node --test", "node --test --test-name-pattern=NAME FILE"},
		"node, its own":  {map[string]string{"package.json": `{"scripts":{"test":"node --import=tsx/esm --test test/*.ts"},"devDependencies":{"tsx":"4"}}`, "test/x.ts": ""}, "node --import=tsx/esm --test test/*.ts", "node --import=tsx/esm --test --test-name-pattern=NAME FILE"},
		"vitest":         {map[string]string{"package.json": `{"devDependencies":{"vitest":"3"}}`, "x.test.ts": ""}, "npx vitest run", "npx vitest run FILE -t NAME"},
		"cargo":          {map[string]string{"Cargo.toml": "[package]\nname = \"x\"\n", "src/lib.rs": ""}, "cargo test", "cargo test NAME"},
		"another runner": {map[string]string{"package.json": `{"scripts":{"test":"uvu"},"devDependencies":{"uvu":"1"}}`, "test/x.js": ""}, "uvu", ""},
	} {
		var paths []string
		for p := range tt.files {
			paths = append(paths, p)
		}
		found, ok := toolchain.NewProject(paths, func(p string) []byte { return []byte(tt.files[p]) }).Detect(".")
		if !ok {
			t.Errorf("%s: no toolchain", name)
			continue
		}
		if all, one := act.AllTests(found), act.OneTest(found); all != tt.all || one != tt.one {
			t.Errorf("%s: all %q, one %q; want %q and %q", name, all, one, tt.all, tt.one)
		}
	}
}

// TestChecksText: authors learn which checks are not run here, and which build one test needs before it.
func TestChecksText(t *testing.T) {
	t.Parallel()
	files := map[string]string{"package.json": `{"scripts":{"build":"tsc","lint":"eslint .","test":"npm run build && node --test dist/x.test.js"},"devDependencies":{"typescript":"5","eslint":"9"}}`, "x.test.ts": "", "tsconfig.json": "{}"}
	var paths []string
	for p := range files {
		paths = append(paths, p)
	}
	chains := toolchain.NewProject(paths, func(p string) []byte { return []byte(files[p]) }).All()
	got := act.ChecksText(chains, func(_ toolchain.Found, line string) bool { return strings.Contains(line, "eslint") })
	for _, want := range []string{"eslint . (not installed here, so it is not run)", "one test: node --test --test-name-pattern=NAME FILE (after tsc)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in:\n%s", want, got)
		}
	}
}

// TestRepeats: of conventions that say the same twice, or only where they stand, authors are shown one.
func TestRepeats(t *testing.T) {
	t.Parallel()
	shown := map[string]string{"CLAUDE.md": "# Rules\n\nTests first.", "code-convention.md": ""}
	for text, want := range map[string]bool{
		"# Rules\n\nTests first.":                        true,
		"# AGENTS.md\n\nSee @CLAUDE.md.":                 true,
		"# Rules\n\nTests last.":                         false,
		"See CLAUDE.md. " + strings.Repeat("More. ", 40): false,
		"": false,
	} {
		if got := act.Repeats(text, shown); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
