package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/report"
)

func newGC(a *app) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use: "gc", Short: "remove checkouts, logs and refs of ended runs", Args: cobra.NoArgs,
		RunE: a.inProject(func(ctx context.Context, p *project, _ []string) error {
			open := map[string]bool{}
			kept := []string{} // refs of results that are on no branch
			runs, err := p.runs(ctx)
			if err != nil {
				return err
			}
			for _, r := range runs {
				open[r.ID] = !r.State.Ended()
				if ref, err := p.leftOn(ctx, r); err != nil {
					return err
				} else if ref != "" && all {
					kept = append(kept, ref)
				}
			}
			l, said := a.lang(), time.Now()
			got, err := act.New(p.planOptions()).Collect(ctx, open, all, kept, func(dir string) {
				if time.Since(said) > time.Second && !a.json {
					fmt.Fprintf(a.Err, l.T("removing %s\n"), dir)
					said = time.Now()
				}
			})
			if err != nil {
				return err
			}
			refs := 0
			if all {
				if refs, err = p.forgetAtHub(ctx, runs); err != nil {
					return err
				}
			}
			if a.asJSON(map[string]any{"freed_bytes": got.Freed, "hub_refs": refs, "kept_refs": kept, "environments": got.Removed}) {
				return nil
			}
			for _, ref := range kept {
				fmt.Fprintf(a.Err, l.T("kept %s: its result is not on the branch. To take it, run: git merge %[1]s. To drop it, run: git update-ref -d %[1]s\n"), ref)
			}
			if got.Kept > 0 {
				fmt.Fprintf(a.Err, l.T("kept installed dependencies that a project has used in the last 30 days: %d, in %s\n"), got.Kept, filepath.Join(p.share, "deps"))
			}
			if got.Removed > 0 {
				fmt.Fprintf(a.Out, l.T("removed installed dependencies that no project has used for 30 days: %d\n"), got.Removed)
			}
			if refs > 0 {
				fmt.Fprint(a.Out, report.Countf(l.T("%d refs of ended runs deleted at the hub\n"), refs))
			}
			if got.Freed == 0 {
				fmt.Fprintln(a.Out, l.T("nothing to free"))
				return nil
			}
			fmt.Fprintf(a.Out, l.T("freed %s\n"), report.Size(got.Freed))
			return nil
		}),
	}
	c.Flags().BoolVar(&all, "all", false, "also remove refs of ended runs whose result is on the branch, here and on the hub, and dependencies that no project has used for 30 days")
	return c
}
