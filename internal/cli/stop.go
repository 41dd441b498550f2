package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/flow"
)

func newStop(a *app) *cobra.Command {
	now := false
	c := &cobra.Command{
		Use: "stop [RUN]", Aliases: []string{"pause"}, Short: "stop a run after its running steps finish", Args: oneArgument("run"),
		Long: "A stopped run keeps its work; jacquard resume continues it. With --now the run ends for good, and its work is kept on " +
			"refs/jacquard/RUN.",
		Example: "  jacquard stop\n  jacquard stop k3v9 --now",
		RunE: func(c *cobra.Command, args []string) error {
			if now {
				return a.signal(c, args, flow.CancelRun)
			}
			return a.signal(c, args, flow.Pause)
		},
	}
	c.Flags().BoolVar(&now, "now", false, "end the run for good; its work is kept on refs")
	return c
}

// newCancel is the former name of stop --now.
func newCancel(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "cancel [RUN]", Short: "stop --now", Args: oneArgument("run"),
		RunE: func(c *cobra.Command, args []string) error { return a.signal(c, args, flow.CancelRun) },
	}
}

// signal pauses a run, or ends it.
func (a *app) signal(c *cobra.Command, args []string, verb string) error {
	return a.onThe(c, args, goesOn, func(ctx context.Context, _ *project, rt keeper, r flow.Run) error {
		if r.State.Ended() {
			return usage("run %s has ended (%s)", r.ID, stateNoun(r.State))
		}
		if err := rt.Signal(ctx, r.ID, flow.Signal{Verb: verb, By: a.who()}); err != nil {
			return err
		}
		if verb == flow.CancelRun && r.Driver == "" {
			if r.Engine != "" { // workers may have to end their part first, and there may be none
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 2*reach)
				defer cancel()
			}
			if st, err := rt.Drive(ctx, r.ID); err == nil {
				r.State = st.State
			}
		}
		if a.asJSON(map[string]any{"run": r.ID, "signal": verb}) {
			return nil
		}
		said := a.lang().T("run %s is pausing: running steps will finish. To continue, run: jacquard resume %s\n")
		switch {
		case verb != flow.CancelRun && r.Driver == "":
			said = a.lang().T("run %s is not running. To continue it, run: jacquard resume %s. To end it, run: jacquard stop --now %[1]s\n")
		case verb != flow.CancelRun:
		case r.State.Ended():
			said = a.lang().T("run %s has ended; its work is kept on refs/jacquard/%s\n")
		default:
			said = a.lang().T("run %s is being cancelled; its work is kept on refs/jacquard/%s\n")
		}
		fmt.Fprintf(a.Err, said, r.ID, r.ID)
		return nil
	})
}
