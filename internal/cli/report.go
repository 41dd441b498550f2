package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
)

// newReport writes a run as a page.
func newReport(a *app) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use: "report [RUN]", Short: "write a run as one HTML page: result, timeline, cost", Args: oneArgument("run"),
		Example: "  jacquard report -o run.html\n  jacquard report k3v9 > run.html",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onRun(c, args, func(ctx context.Context, p *project, rt keeper, r flow.Run) error {
				page, err := a.page(ctx, p, rt, r)
				if err != nil {
					return err
				}
				if out == "" {
					fmt.Fprint(a.Out, page.HTML())
					return nil
				}
				if err := os.WriteFile(out, []byte(page.HTML()), 0o644); err != nil { //nolint:gosec // a page for others to read
					return environment("write "+out, err)
				}
				fmt.Fprintf(a.Err, a.lang().T("report: %s\n"), out)
				return nil
			})
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "`file` for the page instead of stdout")
	return c
}

// page is a run for browsers: the lines that were on the screen with their times, and the account.
func (a *app) page(ctx context.Context, pr *project, rt keeper, r flow.Run) (report.Page, error) {
	l := a.lang()
	p := report.Page{Lang: l, Title: "jacquard " + r.Def + " " + r.ID, Heads: report.PageHeads{Result: l.T("Result"), Timeline: l.T("Timeline"), Cost: l.T("Cost")}}
	rep, err := reportOf(ctx, rt, r)
	if err != nil {
		return p, err
	}
	fact := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, report.PageFact{Name: name, Value: value})
		}
	}
	if in, err := decode[struct {
		Request string `json:"request"`
	}](r.In); err == nil {
		fact(l.T("Request"), in.Request)
	}
	fact(l.T("State"), string(r.State))
	fact(l.T("Started"), r.Started.Local().Format(time.DateTime))
	if !r.Ended.IsZero() {
		fact(l.T("Ended"), r.Ended.Local().Format(time.DateTime))
	}
	switch {
	case rep.Auto != nil:
		p.Summary = report.AutoSummary(l, r.ID, act.RunRef(r.ID), *rep.Auto)
	case rep.Developed != nil:
		p.Summary = report.DevelopSummary(l, r.ID, act.RunRef(r.ID), *rep.Developed)
	case rep.Work != nil:
		p.Summary = report.WorkSummary(l, r.ID, *rep.Work)
	case rep.Documents != nil:
		p.Summary = report.DocumentSummary(l, r.Def, *rep.Documents)
	case rep.Result != nil:
		p.Summary = report.Summary(l, *rep.Result)
	case r.Err != nil:
		p.Summary = r.Err.Error()
	}
	if err := pr.settle(ctx, rep); err != nil {
		return p, err
	}
	p.Summary += report.WhatIsLeft(l, rep)
	events, err := rt.Events(ctx, r.ID, 0)
	if err != nil {
		return p, err
	}
	for _, e := range events {
		if text := strings.Trim(line(l, r.Def, e, true), "\n"); text != "" {
			p.Timeline = append(p.Timeline, report.PageEvent{At: e.At, Text: text})
		}
	}
	rows, total, err := costs(ctx, pr, rt, r.ID)
	p.Costs, p.Total = costCells(l, rows), strings.TrimSpace(fmt.Sprintf(l.T("total: %s\n"), report.Cost(l, total)))
	return p, err
}
