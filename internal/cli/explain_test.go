package cli_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/cli"
	"github.com/jacquard-build/jacquard/internal/explain"
)

var (
	quoted = regexp.MustCompile("`([^`]*)`")
	option = regexp.MustCompile(`^--[a-z-]+$`)
)

// TestExplainNamesCommands runs through the texts of explain: the commands and flags that they tell people to type exist.
func TestExplainNamesCommands(t *testing.T) {
	t.Parallel()
	root := cli.Commands()
	root.InitDefaultHelpFlag()
	groups, err := explain.Groups("en")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, g := range groups {
		for _, e := range g.Codes {
			for _, m := range quoted.FindAllStringSubmatch(e.Means+" "+e.Why+" "+e.Fix, -1) {
				words := strings.Fields(m[1])
				switch {
				case len(words) > 1 && words[0] == "jacquard":
					n++
					command(t, root, g.Name+" "+e.Code, groups, words[1:])
				case len(words) > 0 && option.MatchString(words[0]) && !anyHas(root, words[0][2:]):
					t.Errorf("%s %s: no command has the flag %s", g.Name, e.Code, words[0])
				}
			}
		}
	}
	if n < 50 {
		t.Errorf("%d commands, want those of all texts", n)
	}
}

// command checks a command line without the program's name.
func command(t *testing.T, root *cobra.Command, at string, groups []explain.Group, words []string) {
	t.Helper()
	if strings.ToUpper(words[0]) == words[0] { // COMMAND
		return
	}
	c, rest, err := root.Find(words)
	if err != nil || c == root {
		t.Errorf("%s: there is no command jacquard %s: %v", at, strings.Join(words, " "), err)
		return
	}
	top := c
	for top.Parent() != root {
		top = top.Parent()
	}
	former := top.Hidden && !slices.Contains([]string{"work", "develop"}, top.Name()) // messages still lead to these
	if former || top.Name() != words[0] {
		t.Errorf("%s: jacquard %s is a former word: %s", at, words[0], top.Name())
	}
	if c.Name() == "explain" && len(rest) > 0 && strings.ToUpper(rest[0]) != rest[0] && len(explain.Find(groups, rest[0])) == 0 {
		t.Errorf("%s: there is no code %s", at, rest[0])
	}
	for _, w := range rest {
		if w == "-f" {
			w = "--follow"
		}
		if option.MatchString(w) && c.Flags().Lookup(w[2:]) == nil && c.InheritedFlags().Lookup(w[2:]) == nil {
			t.Errorf("%s: jacquard %s has no flag %s", at, c.Name(), w)
		}
	}
}

// anyHas reports whether a command, or one below it, has a flag.
func anyHas(c *cobra.Command, name string) bool {
	return c.Flags().Lookup(name) != nil || c.PersistentFlags().Lookup(name) != nil || slices.ContainsFunc(c.Commands(), func(c *cobra.Command) bool { return anyHas(c, name) })
}
