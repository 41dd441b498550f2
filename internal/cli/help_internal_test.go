package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/report"
)

// TestHelpFits: the help of every command, with all that is hidden, fits into a terminal of 80 columns, in each language.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	for _, l := range []report.Lang{report.English, report.Korean} {
		var out bytes.Buffer
		a := &app{Streams: Streams{Out: &out, Err: &out}, all: true}
		a.spoken.Store(l)
		root := newRoot(a)
		root.SetOut(&out)
		var walk func(c *cobra.Command)
		walk = func(c *cobra.Command) {
			if c.Short == "" && c.Hidden {
				return
			}
			out.Reset()
			if err := c.Help(); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if line = strings.TrimRight(line, "\n"); report.Width(line) > columns {
					t.Errorf("%s --help, %s: %d columns: %s", c.CommandPath(), l, report.Width(line), line)
				}
			}
			for _, sub := range c.Commands() {
				walk(sub)
			}
		}
		walk(root)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"build", "compile", "status", "show", "dry-run", "jobs", "answer"}
	for word, want := range map[string]string{
		"biuld": "build", "compil": "compile", "statsu": "status", "dryrun": "dry-run", "dry_run": "dry-run", "jbos": "jobs", "awnser": "answer", "Show": "show",
		"frobnicate": "", "x": "", "do": "",
	} {
		if got, _ := nearest(word, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"a", "a", 0}, {"빌드", "빌트", 1}} {
		if got, back := distance(c.a, c.b), distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("distance(%q, %q) = %d, and back %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
