package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/report"
)

func (t *specTool) prompts() *cobra.Command {
	var c *cobra.Command
	c = t.onFiles("prompts", "check skills and agents, here and in .claude", cobra.NoArgs, func(_ *project, x *inspect.Project, _ []string) error {
		var known []string
		for _, n := range oldNames {
			name, _, _ := strings.Cut(n[0], " ")
			known = append(known, name)
		}
		for _, other := range c.Parent().Commands() {
			known = append(known, other.Name())
		}
		v := x.Prompts(known)
		return t.judge(v.Valid, v, func() {
			for _, i := range v.Issues {
				fmt.Fprintf(t.a.Out, "%s:%d: %s: %s\n", i.File, i.Line, strings.ToLower(i.Severity), i.Message)
			}
			for _, i := range v.Tools {
				for _, tool := range i.NotUsed {
					fmt.Fprintf(t.a.Out, t.a.lang().T("%s:1: note: it declares %s but never uses it\n"), i.File, tool)
				}
				for _, tool := range i.NotDeclared {
					fmt.Fprintf(t.a.Out, t.a.lang().T("%s:1: note: it uses %s but does not declare it\n"), i.File, tool)
				}
			}
			if v.Valid {
				fmt.Fprint(t.a.Out, report.Countf(t.a.lang().T("✓ %d skills and %d agents valid\n"), v.Skills, v.Agents))
			}
		})
	})
	return c
}
