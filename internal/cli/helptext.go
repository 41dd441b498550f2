package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jacquard-build/jacquard/internal/report"
)

// columns is the width of help: that of a terminal of old, which fits in every window.
const columns = 80

// speakHelp shows help in the language of the person. Commands and flags say in English what they are for, where they are defined;
// tables of Korean have the rest.
func (a *app) speakHelp(root *cobra.Command) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if a.stray = strayWord(c); a.stray != nil {
			return
		}
		l := a.lang()
		if text := cmp.Or(c.Long, c.Short); text != "" {
			fmt.Fprintf(c.OutOrStdout(), "%s\n\n", wrapped(l, text))
		}
		fmt.Fprint(c.OutOrStdout(), usageOf(l, c))
	})
	root.SetUsageFunc(func(c *cobra.Command) error {
		fmt.Fprint(c.OutOrStderr(), usageOf(a.lang(), c))
		return nil
	})
}

// usageOf is how a command is called: its lines of usage, examples, commands below it, flags.
func usageOf(l report.Lang, c *cobra.Command) string {
	var b strings.Builder
	b.WriteString(l.T("Usage") + ":")
	if c.Runnable() {
		b.WriteString("\n  " + strings.Replace(c.UseLine(), "[flags]", l.T("[flags]"), 1))
	}
	more := l.T("--help --all: everything.")
	if c.HasAvailableSubCommands() {
		b.WriteString("\n  " + c.CommandPath() + " COMMAND")
		more = fmt.Sprintf(l.T("%s COMMAND --help: help for a command."), c.CommandPath()) + "  " + more
	}
	if c.HasExample() {
		b.WriteString("\n\n" + l.T("Examples") + ":\n" + c.Example)
	}
	b.WriteString(commandsOf(l, c))
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n\n" + l.T("Flags") + ":" + flagsOf(l, c, c.LocalFlags()))
	}
	if c.HasAvailableInheritedFlags() {
		b.WriteString("\n\n" + l.T("Global flags") + ":" + flagsOf(l, c, c.InheritedFlags()))
	}
	return b.String() + "\n\n" + more + "\n"
}

// commandsOf lists the commands below one, in their groups.
func commandsOf(l report.Lang, c *cobra.Command) string {
	var b strings.Builder
	list := func(title, group string) {
		head := "\n\n" + title + ":"
		for _, sub := range c.Commands() {
			if sub.GroupID == group && (sub.IsAvailableCommand() || sub.Name() == "help" && group != "") {
				fmt.Fprintf(&b, "%s\n  %-*s  %s", head, sub.NamePadding(), sub.Name(), l.Wording(sub.Short))
				head = ""
			}
		}
	}
	for _, g := range c.Groups() {
		list(l.Wording(g.Title), g.ID)
	}
	if len(c.Groups()) > 0 {
		list(l.T("Also"), "")
	} else {
		list(l.T("Commands"), "")
	}
	return b.String()
}

// flagsOf lists flags of a command, their texts set beside their names in lines that fit.
func flagsOf(l report.Lang, c *cobra.Command, flags *pflag.FlagSet) string {
	var names, texts []string
	widest := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, text := flagText(l, c, f)
		names, texts = append(names, name), append(texts, text)
		widest = max(widest, report.Width(name))
	})
	var b strings.Builder
	for i, name := range names {
		text := strings.TrimLeft(filled(texts[i], widest+3, columns), " ")
		fmt.Fprintf(&b, "\n%s%s%s", name, strings.Repeat(" ", widest+3-report.Width(name)), text)
	}
	return b.String()
}

// flagText is a flag as it is typed, and what it is for.
func flagText(l report.Lang, c *cobra.Command, f *pflag.Flag) (name, text string) {
	said := *f
	said.Usage = l.Wording(f.Usage)
	if f.Name == "help" {
		said.Usage = fmt.Sprintf(l.T("help for %s"), c.Name())
	}
	value, text := pflag.UnquoteUsage(&said)
	name = "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		name += " " + l.Wording(value)
	}
	switch f.DefValue {
	case "", "false", "0", "0s", "[]":
	default:
		text += fmt.Sprintf(l.T(" (default %s)"), f.DefValue)
	}
	return name, text
}

// wrapped sets a text in lines that fit, in a language. What is indented is a list and stays as it is.
func wrapped(l report.Lang, text string) string {
	var out []string
	for _, part := range paragraphs(text) {
		if part = l.Wording(part); !strings.HasPrefix(part, " ") {
			part = filled(part, 0, columns)
		}
		out = append(out, part)
	}
	return strings.Join(out, "\n")
}

// paragraphs takes a text apart: paragraphs without their ends of lines, empty lines, and the lines of lists, which are indented.
func paragraphs(text string) []string {
	var out, open []string // open are the lines of a paragraph
	end := func() {
		if len(open) > 0 {
			out, open = append(out, strings.Join(open, " ")), nil
		}
	}
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\n")
		if l != "" && !strings.HasPrefix(l, " ") {
			open = append(open, l)
			continue
		}
		end()
		out = append(out, l)
	}
	end()
	return out
}
