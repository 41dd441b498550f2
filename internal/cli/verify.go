package cli

import (
	"context"
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/report"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	format string
	fresh  bool
}

func newVerify(a *app) *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use: "verify [PATH]", Short: "prove the modules of jacquard.lock again, without an agent; exit 1 when one is not as it was built", Args: cobra.MaximumNArgs(1),
		Long: "Compares the files with jacquard.lock, builds, runs the frozen tests, and calls the code as the examples of the specs do.\n" +
			"It asks no agent and needs no key, so it is what CI can run.",
		Example: "  jacquard verify\n  jacquard verify src/auth\n  jacquard verify --format junit > verified.xml",
		RunE: func(c *cobra.Command, args []string) error {
			return a.verify(c.Context(), first(args, "", ""), o)
		},
	}
	c.Flags().StringVar(&o.format, "format", "text", "text, json, sarif or junit")
	c.Flags().BoolVar(&o.fresh, "fresh", false, "run every check, also those that are on record for the same tree, command, tools and environment")
	return c
}

func (a *app) verify(ctx context.Context, given string, o verifyOptions) error {
	if err := drawn(o.format); err != nil {
		return err
	}
	if a.json {
		o.format = "json"
	}
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	dir, err := p.inside(given)
	if err != nil {
		return err
	}
	if err := p.trusted(); err != nil {
		return err
	}
	if err := p.store(); err != nil {
		return err
	}
	opts := p.planOptions()
	opts.Blobs, opts.Checks.Fresh = p.blobs, o.fresh
	all, good := []act.Verification{}, 0
	err = act.New(opts).Verify(ctx, dir, func(m act.Verification) {
		all = append(all, m)
		if m.Standing == act.Verified {
			good++
		}
		if o.format == "text" {
			showVerification(a, m)
		}
	})
	if err != nil {
		return err
	}
	ok := good == len(all) && good > 0 // of none nothing is verified
	switch o.format {
	case "text":
		if len(all) == 0 {
			err = p.tellNoSpecs(ctx, dir)
		} else {
			fmt.Fprintf(a.Out, a.lang().T("%d of %d modules are verified\n"), good, len(all))
		}
	case "json":
		a.print(map[string]any{"modules": all, "verified": ok})
	default:
		err = write(a, o.format, asValidation(p.root, all))
	}
	if err != nil {
		return err
	}
	return proved(ok)
}

func showVerification(a *app, m act.Verification) {
	l := a.lang()
	if m.Standing == act.Verified {
		fmt.Fprintf(a.Out, l.T("✓ %s: %d tests passed, %d examples hold\n"), m.Dir, m.Tests.Passed, m.Examples)
		return
	}
	mark := "⚠"
	if m.Standing == act.Failing {
		mark = "✗"
	}
	fmt.Fprintf(a.Out, "%s %s: %s: %s\n", mark, m.Dir, m.Standing, m.Reason)
	for _, f := range m.Findings {
		fmt.Fprintln(a.Out, report.Finding(f))
	}
	for _, t := range m.Failures {
		fmt.Fprint(a.Out, report.Failure(t))
	}
	fmt.Fprintf(a.Out, l.T("    next: jacquard %s\n"), m.Next)
}

// asValidation puts what was found into the shape of which reports for other programs are made.
func asValidation(root string, all []act.Verification) inspect.Validation {
	v := inspect.Validation{Root: root}
	for _, m := range all {
		d := inspect.ModuleDrift{Directory: m.Dir, Valid: true}
		if m.Standing != act.Verified {
			d.Issues = append(d.Issues, inspect.Drift{
				Type: inspect.NotVerified, File: path.Join(m.Dir, "CLAUDE.md"), Symbol: string(m.Standing), Message: fmt.Sprintf("%s: %s. Next: jacquard %s", m.Standing, m.Reason, m.Next),
			})
		}
		v.Modules = append(v.Modules, d)
	}
	return v
}
