package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/report"
)

func newGC(a *app) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "gc", Short: "remove checkouts, logs and refs of ended runs", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			keep := map[string]bool{}
			runs, err := p.runs(ctx)
			if err != nil {
				return err
			}
			for _, r := range runs {
				keep[r.ID] = !r.State.Ended()
			}
			freed, err := act.New(p.planOptions()).Collect(ctx, keep, all)
			if err != nil {
				return err
			}
			refs := 0
			if all {
				if refs, err = p.forgetAtHub(ctx, runs); err != nil {
					return err
				}
			}
			if a.json {
				a.print(map[string]any{"freed_bytes": freed, "hub_refs": refs})
				return nil
			}
			if refs > 0 {
				fmt.Fprint(a.Out, report.Countf(a.lang().T("%d refs of ended runs deleted at the hub\n"), refs))
			}
			if freed == 0 {
				fmt.Fprintln(a.Out, a.lang().T("nothing to free"))
				return nil
			}
			fmt.Fprintf(a.Out, a.lang().T("freed %s\n"), report.Size(freed))
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also remove environments that can be reinstalled, and refs of ended runs, here and on the hub")
	return c
}
