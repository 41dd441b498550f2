package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/flow"
)

func newLog(a *app) *cobra.Command {
	var follow, all bool
	c := &cobra.Command{
		Use: "log [RUN]", Short: "print the events of a run", Args: oneArgument("run"),
		Example: "  jacquard log -f k3v9",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onRun(c, args, func(ctx context.Context, p *project, rt keeper, r flow.Run) error {
				return p.log(ctx, rt, r, follow, all)
			})
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "follow the run until it ends or waits")
	c.Flags().BoolVar(&all, "all", false, "print all events")
	return c
}

func (p *project) log(ctx context.Context, rt keeper, r flow.Run, follow, all bool) error {
	var last int64
	enc := json.NewEncoder(p.a.Out)
	every := redraw
	if r.Engine != "" { // each look is a question to a server
		every = time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	collected := []flow.Event{}
	still := false
	for {
		events, err := rt.Events(ctx, r.ID, last)
		if err != nil {
			return err
		}
		for _, e := range events {
			last = e.Seq
			switch {
			case p.a.json && follow:
				if err := enc.Encode(e); err != nil {
					return err
				}
			case p.a.json:
				collected = append(collected, e)
			case all:
				fmt.Fprintf(p.a.Out, "%s  %-6s %s %s\n", e.At.Local().Format(time.TimeOnly), e.Type, e.Key, e.Data)
			default:
				at, said := e.At.Local().Format(time.TimeOnly), line(p.a.lang(), r.Def, e, true)
				if wide, _, tty := terminal(p.a.Out); tty {
					said = fitted(said, wide-10, 2)
				}
				for text := range strings.Lines(said) {
					fmt.Fprintf(p.a.Out, "%-8s  %s", at, text)
					at = ""
				}
			}
		}
		if !follow || still && len(events) == 0 {
			break
		}
		now, err := find(ctx, rt, r.ID)
		if err != nil {
			return err
		}
		if still = now.State != flow.Running; still {
			continue // for what has come since
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if p.a.json && !follow {
		p.a.print(map[string]any{"run": r.ID, "events": collected})
	}
	return nil
}
