package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
)

func newShow(a *app) *cobra.Command {
	var format, document string
	c := &cobra.Command{
		Use: "show [RUN]", Short: "show a run: attempts, findings and proof", Args: oneArgument("run"),
		Example: "  jacquard show k3v9\n  jacquard show k3v9 --document PLAN.md",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onRun(c, args, func(ctx context.Context, p *project, rt keeper, r flow.Run) error {
				rep, err := reportOf(ctx, rt, r)
				if err != nil {
					return err
				}
				if document != "" {
					return p.showDocument(ctx, r, rep, document)
				}
				switch format {
				case "text":
				case "xml":
					return p.showXML(ctx, r, rep)
				default:
					return usage("--format %q: must be text or xml", format)
				}
				return p.showText(ctx, rt, r, rep)
			})
		},
	}
	c.Flags().StringVar(&document, "document", "", "print a `document` of the run, given its path or the end of the path")
	c.Flags().StringVar(&format, "format", "text", "text, or xml (a run of work in the format of the WORK pipeline)")
	return c
}

// showText prints a run: attempts, findings and proof; with --json an object.
func (p *project) showText(ctx context.Context, rt keeper, r flow.Run, rep *report.Run) (err error) {
	if err := p.settle(ctx, rep); err != nil {
		return err
	}
	rep.TakenBack, rep.Refused = p.takenBack(r.ID), p.refused(r.ID)
	if rep.NotDelivered, err = p.leftOn(ctx, r); err != nil {
		return err
	}
	if p.a.json {
		steps, err := rt.Steps(ctx, r.ID)
		if err != nil {
			return err
		}
		p.a.print(struct {
			*report.Run
			Steps []flow.StepRow `json:"steps"`
		}{rep, steps})
		return nil
	}
	l := p.a.lang()
	state := r.State
	if failed(r) {
		state = flow.Errored
	}
	fmt.Fprintf(p.a.Out, l.T("%s  %s  %s  started %s\n"), r.ID, commandOf(r), l.State(string(state)), r.Started.Local().Format(time.DateTime))
	if rep.TakenBack {
		fmt.Fprint(p.a.Out, l.T("its changes were undone\n"))
	}
	if rep.Sandbox != "" {
		fmt.Fprintf(p.a.Out, l.T("sandbox: %s")+"\n", rep.Sandbox)
	}
	for _, line := range rep.Refused {
		fmt.Fprintf(p.a.Out, "  ⚠ %s\n", line)
	}
	if r.Driver != "" {
		fmt.Fprintf(p.a.Out, l.T("running in %s\n"), r.Driver)
	}
	for _, n := range rep.Drafts {
		fmt.Fprint(p.a.Out, report.Attempt(l, cmp.Or(processOf(r.Def).style, r.Def), n))
	}
	for _, m := range rep.Modules {
		for _, n := range m.Attempts {
			fmt.Fprint(p.a.Out, report.Attempt(l, m.Dir, n))
		}
		if m.Result != nil {
			fmt.Fprint(p.a.Out, report.Result(l, *m.Result))
		} else if m.Task != nil {
			fmt.Fprint(p.a.Out, report.Task(l, *m.Task))
		} else if processOf(r.Def).modules || !r.State.Ended() {
			fmt.Fprintf(p.a.Out, "  … %s: %s\n", m.Dir, m.Phase)
		}
	}
	docs, err := p.documents(ctx, r, rep)
	if err != nil {
		return err
	}
	if names := slices.Sorted(maps.Keys(docs)); len(names) > 0 {
		fmt.Fprintf(p.a.Out, l.T("documents: %s (to read one: --document NAME)\n"), strings.Join(names, ", "))
	}
	fmt.Fprint(p.a.Out, p.waitsFor(l, r, rep.Waits()))
	if r.Err != nil {
		fmt.Fprintf(p.a.Out, l.T("failed: %s\n"), r.Err.Msg)
	}
	left, end := report.WhatIsLeft(l, rep), report.Ending(l, rep, act.RunRef(r.ID))
	switch {
	case rep.Result == nil && rep.Feature != nil:
		end = report.FeatureLine(l, *rep.Feature)
	case rep.Result == nil && rep.Develop != nil:
		end = report.DevelopLine(l, *rep.Develop)
	default:
		left += report.Documents(l, rep)
	}
	fmt.Fprint(p.a.Out, left+end)
	return nil
}

// documents are those that a run has written.
func (p *project) documents(ctx context.Context, r flow.Run, rep *report.Run) (map[string][]byte, error) {
	if !processOf(r.Def).documents {
		return nil, nil
	}
	feature := "" // they are kept under its name as well
	switch {
	case rep.Feature != nil:
		feature = rep.Feature.Name
	case rep.Develop != nil:
		feature = rep.Develop.Name
	}
	return act.New(p.planOptions()).Documents(ctx, r.ID, feature)
}

// showDocument prints one document of a run.
func (p *project) showDocument(ctx context.Context, r flow.Run, rep *report.Run, name string) error {
	docs, err := p.documents(ctx, r, rep)
	if err != nil {
		return err
	}
	for _, at := range slices.Sorted(maps.Keys(docs)) {
		if at == name || strings.HasSuffix(at, "/"+name) {
			_, err := p.a.Out.Write(docs[at])
			return err
		}
	}
	return usage("run %s has no document %s: jacquard show %s lists them", r.ID, name, r.ID)
}

// refused are the lines about hosts that installations of a run asked for in vain, each once.
func (p *project) refused(run string) []string {
	raw, _ := os.ReadFile(filepath.Join(p.state, "runs", run, act.Refused)) // where nothing was refused there is none
	return slices.Compact(slices.Sorted(strings.FieldsFuncSeq(string(raw), func(r rune) bool { return r == '\n' })))
}
