package cli

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jacquard-build/jacquard/internal/report"
)

// TestDocsCommands: what the pages for users have people type is a command that there is, with flags that it has; and each command and each
// key of the settings stands in its page of reference.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	a := &app{Streams: Streams{Out: io.Discard, Err: io.Discard}}
	a.spoken.Store(report.English)
	root := newRoot(a)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	typed := regexp.MustCompile("(?m)(?:^(?:\\$ |  )?|`)jacquard ([^`\n#|]*)")
	docs := filepath.Join("..", "..")
	found := 0
	for _, page := range pages(t, docs) {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range typed.FindAllStringSubmatch(string(raw), -1) {
			words := strings.Fields(m[1])
			c, rest, err := root.Find(words)
			if err != nil || c == root && len(words) > 0 && !strings.HasPrefix(words[0], "-") && regexp.MustCompile(`^[a-z]+$`).MatchString(words[0]) {
				t.Errorf("%s: there is no command jacquard %s", page, m[1])
				continue
			}
			found++
			for _, w := range rest {
				name, _, _ := strings.Cut(strings.Trim(w, "[](),.\"'…"), "=")
				long, isLong := strings.CutPrefix(name, "--")
				if name == "--" {
					break
				}
				if isLong && !known(c, long) {
					t.Errorf("%s: jacquard %s: %s has no flag %s", page, m[1], c.CommandPath(), name)
				}
			}
		}
	}
	if found < 150 {
		t.Errorf("only %d commands were found in the pages", found)
	}
	reference := ""
	for _, name := range []string{"commands.md", "spec-tools.md", "exit-codes.md", "configuration.md"} {
		raw, err := os.ReadFile(filepath.Join(docs, "docs", "reference", name))
		if err != nil {
			t.Fatal(err)
		}
		reference += string(raw)
	}
	for _, c := range root.Commands() {
		if !c.Hidden && !strings.Contains(reference, "`"+c.Name()) {
			t.Errorf("docs/reference does not name jacquard %s", c.Name())
		}
	}
	config := reflect.TypeFor[config]()
	for i := range config.NumField() {
		key, _, _ := strings.Cut(config.Field(i).Tag.Get("yaml"), ",")
		if !strings.Contains(reference, "| `"+key+"` |") {
			t.Errorf("docs/reference/configuration.md does not name the key %s", key)
		}
	}
	for _, code := range []int{exitOK, exitNotVerified, exitUsage, exitWaits, exitEnvironment, exitBudget, exitLimit, exitInternal, exitDriven, exitInterrupted} {
		if !strings.Contains(reference, "| "+strconv.Itoa(code)+" |") {
			t.Errorf("docs/reference/exit-codes.md does not explain %d", code)
		}
	}
}

func known(c *cobra.Command, flag string) bool {
	has := func(fs *pflag.FlagSet) bool { return fs.Lookup(flag) != nil }
	return has(c.Flags()) || has(c.InheritedFlags()) || has(c.PersistentFlags()) || flag == "help" || flag == "all" || flag == "version"
}

// pages are those for users, and what a program of theirs reads.
func pages(t *testing.T, root string) []string {
	t.Helper()
	out := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".md") && filepath.Base(path) != "differences.md" {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
