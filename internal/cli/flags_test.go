package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jacquard-build/jacquard/internal/cli"
)

// TestFlagsPage: docs/reference/flags.md has each command with its flags, as the help has them; -update writes it.
func TestFlagsPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Flags\n\nEvery command with its flags, written from the help of the program. [Commands](commands.md) is the overview.\n")
	var list func(c *cobra.Command)
	list = func(c *cobra.Command) {
		if c.Hidden || c.Short == "" {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.UseLine(), strings.ToUpper(c.Short[:1])+strings.TrimSuffix(c.Short[1:], ".")+".")
		rows := ""
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			value, use := pflag.UnquoteUsage(f)
			name := strings.TrimSpace("--" + f.Name + " " + value)
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			rows += fmt.Sprintf("| `%s` | %s |\n", name, strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(use))
		})
		if rows != "" {
			b.WriteString("\n| flag | |\n|---|---|\n" + rows)
		}
		for _, s := range c.Commands() {
			list(s)
		}
	}
	list(cli.Commands())
	file := filepath.Join("..", "..", "docs", "reference", "flags.md")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if raw, err := os.ReadFile(file); err != nil || string(raw) != b.String() {
		t.Errorf("%s is not what the help says (%v): go test ./internal/cli -run TestFlagsPage -update", file, err)
	}
}
