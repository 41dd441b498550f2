package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group is a heading of the help, with the commands below it.
type group struct {
	id, title string
	commands  []*cobra.Command
}

// arrange puts commands below their headings, in the order in which a person meets them. Former words of commands are hidden.
func arrange(root *cobra.Command, groups []group, former ...*cobra.Command) {
	cobra.EnableCommandSorting = false
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	for _, c := range former {
		c.Hidden = true
		root.AddCommand(c)
	}
	root.SetHelpCommandGroupID("setup")
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Short, c.Long = "show help for a command", ""
			c.Run, c.RunE = nil, func(_ *cobra.Command, args []string) error {
				of, rest, err := root.Find(args)
				if err != nil { // root takes no words
					of, rest = root, args
				}
				if err := unknownCommand(of, rest); err != nil {
					return err
				}
				return of.Help()
			}
		}
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			if stray := strayWord(c); stray != nil { // its flags are those of a command that there is not
				return stray
			}
			if name, near := nearestFlag(c, unknown.GetSpecifiedName()); near {
				return usage("%s has no flag --%s; did you mean --%s?", c.CommandPath(), unknown.GetSpecifiedName(), name)
			}
			return usage("%s has no flag %s; %s --help lists them", c.CommandPath(), given(unknown), c.CommandPath())
		}
		return usage("%v. See: %s --help", flagProblem(err), c.CommandPath())
	})
}

// strictCompletion refuses a shell that there is no completion for. Without it that shell is given the help, as if it were its script.
func strictCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = unknownCommand, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// flagProblem is what pflag says of a flag and its value, in words of ours.
func flagProblem(err error) error {
	var lacks *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &lacks) && lacks.GetSpecifiedShortnames() != "":
		return words("flag needs an argument: %s", "-"+lacks.GetSpecifiedName())
	case errors.As(err, &lacks):
		return words("flag needs an argument: %s", "--"+lacks.GetSpecifiedName())
	case errors.As(err, &wrong):
		why := wrong.Unwrap()
		switch wrong.GetFlag().Value.Type() {
		case "int":
			why = words("must be %v", noun("a whole number"))
		case "duration":
			why = words("must be %v", noun("a duration such as 90s or 10m"))
		case "bool":
			why = words("must be %v", noun("true or false"))
		}
		return words("--%s %q: %v", wrong.GetFlag().Name, wrong.GetValue(), why)
	}
	return err
}

// argumentProblem is what cobra says of a command line that a command does not take, in words of ours.
func argumentProblem(c *cobra.Command, err error) error {
	var want, got int
	var word, command string
	if _, no := fmt.Sscanf(err.Error(), "accepts at most %d arg(s), received %d", &want, &got); no == nil {
		return wrongNumber(c, got)
	}
	if _, no := fmt.Sscanf(err.Error(), "accepts %d arg(s), received %d", &want, &got); no == nil {
		return wrongNumber(c, got)
	}
	if _, no := fmt.Sscanf(err.Error(), "unknown command %q for %q", &word, &command); no == nil {
		if c.HasAvailableSubCommands() {
			return unknownCommand(c, []string{word})
		}
		return usage("%s takes no arguments: leave out %q", command, word)
	}
	return usage("%v", err)
}

// strayWord is the error of the first word after a command that is none of those below it, nil where there is no such word or the
// command takes it.
func strayWord(c *cobra.Command) error {
	given := c.Flags().Args()
	if len(given) == 0 || !c.HasAvailableSubCommands() {
		return nil
	}
	if err := c.ValidateArgs(given[:1]); err != nil {
		return argumentProblem(c, err)
	}
	return nil
}

func wrongNumber(c *cobra.Command, got int) error {
	return usage("%s was given %d arguments; use it like this: %s", c.CommandPath(), got, strings.TrimSpace(c.Parent().CommandPath()+" "+c.Use))
}

// given is a flag that does not exist, as it was typed.
func given(e *pflag.NotExistError) string {
	if e.GetSpecifiedShortnames() != "" {
		return "-" + e.GetSpecifiedName()
	}
	return "--" + e.GetSpecifiedName()
}

// hide takes flags for tests, scripts and clusters off the help; --help --all shows them.
func hide(c *cobra.Command, names ...string) {
	for _, n := range names {
		_ = c.Flags().MarkHidden(n)
	}
}

// everything takes --all out of a request for help, and reports that hidden commands and flags are asked for as well.
func everything(args []string) ([]string, bool) {
	help := len(args) > 0 && args[0] == "help" || slices.Contains(args, "--help") || slices.Contains(args, "-h")
	if !help || !slices.Contains(args, "--all") {
		return args, false
	}
	return slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "--all" }), true
}

// reveal shows what is hidden, but what is nobody's to call.
func reveal(c *cobra.Command) {
	c.Hidden = c.Hidden && c.Short == ""
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden && f.Usage == "" })
	for _, sub := range c.Commands() {
		reveal(sub)
	}
}

// unknownCommand refuses a word that is no command, with the command that it may be meant to be.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	now := map[string]string{} // by each name that a command has had
	for _, sub := range c.Commands() {
		for _, n := range append(sub.Aliases, sub.Name()) {
			names, now[n] = append(names, n), sub.Name()
		}
	}
	if near, ok := nearest(args[0], names); ok {
		near = now[near]
		return usage("%s has no command %q; did you mean %s %s?", c.CommandPath(), args[0], c.CommandPath(), near)
	}
	return usage("%s has no command %q; %s --help lists them", c.CommandPath(), args[0], c.CommandPath())
}

func nearestFlag(c *cobra.Command, word string) (string, bool) {
	var names []string
	add := func(f *pflag.Flag) { names = append(names, f.Name) }
	c.Flags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	return nearest(word, names)
}

// nearest is the name that a mistyped word is most likely meant to be: it begins with the word, at most a third of its letters differ,
// or it is the word without its dashes.
func nearest(word string, names []string) (string, bool) {
	best, at := len(word)/3+1, -1
	bare := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "")) }
	for i, n := range names {
		d := distance(bare(word), bare(n))
		if len(word) > 2 && strings.HasPrefix(n, word) {
			d = min(d, 1)
		}
		if d < best {
			best, at = d, i
		}
	}
	if at < 0 {
		return "", false
	}
	return names[at], true
}

// distance is how many letters have to be changed, added, removed or swapped with the next to make one word of the other (optimal
// string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			d := min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(x)][len(y)]
}

// oneArgument refuses more than one argument.
func oneArgument(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage("%s takes one %s, but %d were given: %s", c.CommandPath(), noun(what), len(args), strings.Join(args, ", "))
		}
		return nil
	}
}
