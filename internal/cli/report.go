package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// newReport writes a run as a page.
func newReport(a *app) *cobra.Command {
	var out string
	show := false
	c := &cobra.Command{
		Use: "report [RUN]", Short: "write an HTML report of a run", Args: oneArgument("run"),
		Long: "Writes one self-contained file: verdict, timeline, attempts and findings, commands and exit codes, changes, questions, cost. " +
			"Without -o it is kept with the run; in a pipe, the run is printed as text, like jacquard show.",
		Example: "  jacquard report --open\n  jacquard report k3v9 -o run.html",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onRun(c, args, func(ctx context.Context, p *project, rt keeper, r flow.Run) error {
				if _, _, seen := terminal(a.Out); !seen && !show && !a.json && out == "" {
					rep, err := reportOf(ctx, rt, r)
					if err != nil {
						return err
					}
					fmt.Fprintf(a.Err, a.lang().T("this is the text of jacquard show; for the page, run: jacquard report %s --open, or -o FILE (- is stdout)\n"), r.ID)
					return p.showText(ctx, rt, r, rep)
				}
				page, err := a.page(ctx, p, rt, r)
				if err != nil {
					return err
				}
				text, err := page.HTML()
				if err != nil {
					return err
				}
				if out == "-" {
					fmt.Fprint(a.Out, text)
					return nil
				}
				out = cmp.Or(out, filepath.Join(p.state, "runs", r.ID, "report.html"))
				if err := os.WriteFile(out, []byte(text), 0o644); err != nil { //nolint:gosec // a page for others to read
					return environment("write %s", err, out)
				}
				if !a.asJSON(map[string]any{"run": r.ID, "report": out}) {
					fmt.Fprintf(a.Err, a.lang().T("report: %s\n"), out)
				}
				if show {
					return a.browse(ctx, out)
				}
				return nil
			})
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write the report to a `file`; - is stdout")
	c.Flags().BoolVar(&show, "open", false, "open the report in the browser")
	return c
}

// page is a run for browsers.
func (a *app) page(ctx context.Context, pr *project, rt keeper, r flow.Run) (report.Page, error) {
	l := a.lang()
	rep, err := reportOf(ctx, rt, r)
	if err != nil {
		return report.Page{}, err
	}
	events, err := rt.Events(ctx, r.ID, 0)
	if err != nil {
		return report.Page{}, err
	}
	steps, err := rt.Steps(ctx, r.ID)
	if err != nil {
		return report.Page{}, err
	}
	if err := errors.Join(pr.settle(ctx, rep), pr.store()); err != nil {
		return report.Page{}, err
	}
	rep.TakenBack = pr.takenBack(r.ID)
	if rep.NotDelivered, err = pr.leftOn(ctx, r); err != nil {
		return report.Page{}, err
	}
	p := report.NewPage(l, rep, events, steps, pr.ran(steps), time.Now())
	p.Title = "jacquard " + requested(r)
	if p.Summary = report.Ending(l, rep, act.RunRef(r.ID)); p.Summary == "" && r.Err != nil {
		p.Summary = r.Err.Error()
	}
	p.Summary += report.WhatIsLeft(l, rep) + pr.waitsFor(l, r, rep.Waits())
	actor := act.New(pr.planOptions())
	if changed, err := actor.Changes(ctx, r.ID); err == nil { // one that has changed nothing has no patch
		patch, err := actor.Patch(ctx, changed)
		if err != nil {
			return p, err
		}
		p.Changed(strings.ToValidUTF8(string(patch), "\uFFFD"))
	}
	for _, e := range events {
		if text := strings.Trim(line(l, r.Def, e, true), "\n"); text != "" {
			p.Say(events[0].At, e.At, text)
		}
	}
	rows, total, cut, err := costs(ctx, pr, rt, r.ID)
	var weights []float64
	for _, row := range rows {
		weights = append(weights, row.Usage.USD+float64(row.Usage.Input+row.Usage.Output+row.Usage.CacheRead+row.Usage.CacheWrite)/1e9)
	}
	p.Account(costCells(l, rows), weights, strings.TrimSpace(totalText(l, total, cut)))
	return p, err
}

// ran are the commands of the proofs of a run, by module or task; those whose evidence was cleared away are missing.
func (p *project) ran(steps []flow.StepRow) map[string][]step.Record {
	out := map[string][]step.Record{}
	for _, s := range steps {
		if name, ok := report.ModuleOf(s.Branch); ok {
			out[name] = append(out[name], p.evidence(s).Records...)
		}
	}
	return out
}

// browse opens a file as the desktop does.
func (a *app) browse(ctx context.Context, file string) error {
	name := map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS]
	if name == "" {
		name = "xdg-open"
	}
	program, err := proc.LookPath(name, a.env["PATH"])
	if err != nil {
		return environment("--open", words("%s is not installed; open %s in your browser", name, file))
	}
	if err := proc.Interactive(ctx, []string{program, file}, filepath.Dir(file), a.Env); err != nil {
		return environment("--open", words("%s: %v; open %s in your browser", name, err, file))
	}
	return nil
}
