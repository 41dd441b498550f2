package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/explain"
	"github.com/jacquard-build/jacquard/internal/report"
)

func newExplain(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "explain [CODE]", Short: "explain a code: meaning, reason and fix",
		Long: "Explains what Jacquard prints: findings such as [mutant-survived], exit codes, run states, failure classes, levels of " +
			"proof and end reasons. Without CODE, it lists all codes. Case and brackets do not matter. Works outside projects.",
		Example: "  jacquard explain\n  jacquard explain mutant-survived\n  jacquard explain 3\n  jacquard explain secret --json",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			groups, _ := explain.Groups(string(a.lang()))
			return codesOf(groups), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			groups, err := explain.Groups(string(a.lang()))
			if err != nil {
				return err
			}
			if len(args) == 0 {
				a.listCodes(groups)
				return nil
			}
			return a.explain(groups, strings.Join(args, " "))
		},
	}
}

// explain shows what there is about one code.
func (a *app) explain(groups []explain.Group, code string) error {
	found := explain.Find(groups, code)
	if len(found) == 0 {
		if list := similar(groups, code); len(list) > 0 {
			return usage("unknown code %q; did you mean %s? jacquard explain lists them all", code, strings.Join(list, ", "))
		}
		return usage("unknown code %q: jacquard explain lists them all", code)
	}
	if a.asJSON(map[string]any{"codes": found}) {
		return nil
	}
	l := a.lang()
	for i, e := range found {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		of := slices.IndexFunc(groups, func(g explain.Group) bool { return g.Name == e.Group })
		fmt.Fprintf(a.Out, "%s · %s\n\n%s\n", e.Code, groups[of].Title, filled(e.Means, 2, a.wide()))
		fmt.Fprintf(a.Out, l.T("  Why\n%s\n"), filled(e.Why, 4, a.wide()))
		fmt.Fprintf(a.Out, l.T("  Fix\n%s\n"), filled(e.Fix, 4, a.wide()))
		fmt.Fprintf(a.Out, l.T("  Example\n%s\n"), indented(e.Example, 4))
	}
	return nil
}

// codesOf are the codes of all groups.
func codesOf(groups []explain.Group) (out []string) {
	for _, g := range groups {
		for _, e := range g.Codes {
			out = append(out, e.Code)
		}
	}
	return out
}

// mostSimilar is how many codes are offered for one that does not exist.
const mostSimilar = 3

// similar are the codes that one may be meant to be: the nearest one, and those that contain it.
func similar(groups []explain.Group, code string) []string {
	code = strings.ToLower(strings.Trim(code, "[]`'\" "))
	var out []string
	names := codesOf(groups)
	if near, ok := nearest(code, names); ok {
		out = append(out, near)
	}
	for _, n := range names {
		if len(code) > 2 && len(out) < mostSimilar && strings.Contains(strings.ToLower(n), code) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// listCodes lists all codes with a line each.
func (a *app) listCodes(groups []explain.Group) {
	if a.asJSON(map[string]any{"groups": groups}) {
		return
	}
	for _, g := range groups {
		fmt.Fprintf(a.Out, "%s\n%s\n", g.Title, filled(g.Intro, 2, a.wide()))
		wide := 0
		for _, e := range g.Codes {
			wide = max(wide, report.Width(e.Code))
		}
		for _, e := range g.Codes {
			if a.wide()-wide < narrow { // no place beside it
				fmt.Fprintf(a.Out, "  %s\n%s\n", e.Code, filled(e.Line, 4, a.wide()))
				continue
			}
			pad := strings.Repeat(" ", wide-report.Width(e.Code))
			fmt.Fprintf(a.Out, "  %s%s  %s\n", e.Code, pad, strings.TrimLeft(filled(e.Line, wide+4, a.wide()), " "))
		}
		fmt.Fprintln(a.Out)
	}
	fmt.Fprint(a.Out, a.lang().T("To look up one code, run: jacquard explain CODE\n"))
}

// indented puts spaces before each line.
func indented(text string, indent int) string {
	space := strings.Repeat(" ", indent)
	return space + strings.ReplaceAll(text, "\n", "\n"+space)
}
