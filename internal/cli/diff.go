package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
)

func (a *app) diff(c *cobra.Command, args []string, o diffOptions) error {
	return a.onRun(c, args, func(ctx context.Context, p *project, _ keeper, r flow.Run) error {
		actor := act.New(p.planOptions())
		if o.apply != "" {
			mod, err := p.inside(o.apply)
			if err != nil {
				return err
			}
			mod = root(mod)
			files, err := actor.Take(ctx, r.ID, mod)
			if err != nil {
				return err
			}
			if a.asJSON(map[string]any{"run": r.ID, "module": mod, "files": files}) {
				return nil
			}
			for _, f := range files {
				fmt.Fprintf(a.Out, a.lang().T("wrote %s\n"), f)
			}
			return nil
		}
		changed, err := actor.Changes(ctx, r.ID)
		if err != nil {
			return err
		}
		if changed.Ref != "" {
			fmt.Fprintf(a.Err, a.lang().T("nothing has landed yet; showing the last agent turn: %s\n"), changed.Ref)
		}
		if !a.json && !o.stat {
			patch, err := actor.Patch(ctx, changed)
			if err == nil && len(patch) == 0 {
				fmt.Fprintf(a.Err, a.lang().T("run %s has changed nothing yet\n"), r.ID)
			}
			if err == nil {
				_, err = a.Out.Write(patch)
			}
			return err
		}
		files, err := actor.Files(ctx, changed)
		if err != nil {
			return err
		}
		if a.asJSON(map[string]any{"run": r.ID, "files": files}) {
			return nil
		}
		for _, f := range files {
			fmt.Fprintf(a.Out, "%s %s\n", f.Status, f.Path)
		}
		return nil
	})
}

// diffOptions is what diff shows.
type diffOptions struct {
	apply string
	stat  bool
}

func newDiff(a *app) *cobra.Command {
	var o diffOptions
	c := &cobra.Command{
		Use: "diff [RUN]", Short: "print the changes of a run as a patch", Args: oneArgument("run"),
		Example: "  jacquard diff k3v9 | git apply --stat\n  jacquard diff --apply src/auth",
		RunE: func(c *cobra.Command, args []string) error {
			return a.diff(c, args, o)
		},
	}
	c.Flags().StringVar(&o.apply, "apply", "", "overwrite the working tree with the landed files of this `module`")
	c.Flags().BoolVar(&o.stat, "stat", false, "print only file names")
	return c
}
