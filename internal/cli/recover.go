package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
)

func newRecover(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "recover", Short: "list work saved on refs: agent calls, runs, checkouts", Args: cobra.NoArgs,
		RunE: a.inProject(func(ctx context.Context, p *project, _ []string) error {
			kept, err := act.Kept(ctx, p.repo)
			if err != nil {
				return err
			}
			if a.asJSON(map[string]any{"refs": kept}) {
				return nil
			}
			for _, k := range kept {
				fmt.Fprintf(a.Out, "%s  %s  %s\n", k.Commit[:min(12, len(k.Commit))], k.Ref, k.Subject)
			}
			if len(kept) == 0 {
				fmt.Fprintln(a.Err, a.lang().T("nothing is saved"))
			}
			return nil
		}),
	}
}
