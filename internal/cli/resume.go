package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/flow"
)

func newResume(a *app) *cobra.Command {
	var o driveOptions
	var blocks, yes bool
	c := &cobra.Command{
		Use: "resume [RUN|WORK-NN]", Short: "continue a run, or the rest of a WORK", Args: oneArgument("run"),
		Long: "Continues a run that stopped or waits. If a run of work ended without all of its tasks, a new run does the rest, with the " +
			"same request, plan and flags; you are asked about the plan again only if the agent says it cannot be done.",
		Example: "  jacquard resume k3v9\n  jacquard resume WORK-03",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			prefix := first(args, "", "")
			if strings.HasPrefix(strings.ToUpper(prefix), "WORK-") {
				return p.workResume(ctx, prefix, "", workFlags{askedFor: askedFor{driveOptions: o, yes: yes}})
			}
			var r flow.Run
			if err := p.reading(ctx, func(rt keeper) (err error) {
				r, err = unfinished(ctx, rt, prefix)
				return err
			}); err != nil {
				return err
			}
			if id := workLeft(r); id != "" {
				return p.workResume(ctx, id, "", workFlags{askedFor: askedFor{driveOptions: o, yes: yes}})
			}
			return p.resumeAs(ctx, r, o, yes, blocks)
		}),
	}
	driveFlags(c, &o)
	c.Flags().BoolVar(&blocks, "blocks", false, "print result blocks for scripts")
	c.Flags().StringVar(&o.budget, "budget", "", "new budget of the whole run, lower or higher: 40usd or 4Mtok")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask about the rest of a WORK")
	return c
}
