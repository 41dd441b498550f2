package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
)

func newSpec(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "spec", Short: "work with specs; no agent needed", Args: cobra.NoArgs,
		Long: "Work with specs. No agent needed, except for spec new. The commands of earlier tools work too: jacquard spec help lists their names.",
		RunE: func(c *cobra.Command, _ []string) error {
			if !a.json {
				return c.Help()
			}
			names := map[string]string{}
			for _, n := range oldNames {
				names[n[0]] = n[1]
			}
			a.print(map[string]any{"commands": names})
			return nil
		},
	}
	c.AddCommand(newTargets(a), newSpecNew(a))
	c.AddCommand(newSpecTools(a)...)
	c.AddCommand(&cobra.Command{
		Use: "help [COMMAND]", Short: "list commands of earlier tools and their names here", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				if err := c.RunE(c, nil); err != nil || a.json {
					return err
				}
				fmt.Fprint(a.Out, a.lang().T("\nCommands of earlier tools and their names here:\n"))
				for _, n := range oldNames {
					fmt.Fprintf(a.Out, "  %-27s %s\n", n[0], n[1])
				}
				return nil
			}
			of, _, err := c.Find(args)
			if err != nil || of == c {
				return usage("unknown command %s (jacquard spec help lists them all)", args[0])
			}
			return of.Help()
		},
	})
	return c
}

func newTargets(a *app) *cobra.Command {
	var in step.CompileIn
	var given string
	var exitZero bool
	t := &specTool{a: a}
	c := &cobra.Command{
		Use: "targets [PATH]", Aliases: []string{"diff-compile-targets"}, Short: "show which modules are stale and why", Args: cobra.MaximumNArgs(1),
		Example: "  jacquard spec targets --json",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			dir, err := p.inside(first(args, given, ""))
			if err != nil {
				return err
			}
			in.Paths = step.Below(dir)
			in.Phase, in.Conflict = step.Full, step.KeepFiles
			plan, err := act.New(p.planOptions()).PlanCompile(ctx, in)
			if err != nil {
				return err
			}
			res := plan.Targets()
			return t.judge(plan.Sound() || exitZero, res, func() {
				if plan.Specs() == 0 {
					fmt.Fprint(a.Err, p.planned(plan))
				}
				printTargets(a, res)
			})
		}),
	}
	c.Flags().BoolVar(&in.All, "all", false, "all modules, even if up to date")
	c.Flags().StringVar(&given, "path", "", "only modules under this `directory`")
	t.outputFlag(c)
	c.Flags().BoolVar(&exitZero, "exit-zero", false, "exit 0 even if specs have errors")
	return c
}

func printTargets(a *app, res *target.Result) {
	for _, p := range res.Problems {
		fmt.Fprintln(a.Err, p.String())
	}
	for _, w := range res.Warnings {
		fmt.Fprintf(a.Err, "⚠ %s\n", a.lang().Placed(w.Message))
	}
	for _, t := range res.Targets {
		fmt.Fprintf(a.Out, "✓ %s — %s: %s\n", t.Dir, t.Reason, a.lang().Asked(t.Details))
		if t.Refused != "" {
			fmt.Fprintf(a.Out, a.lang().T("  cannot be built: %s\n"), t.Refused)
		}
	}
	for _, s := range res.Skipped {
		fmt.Fprintf(a.Out, "  %s — %s: %s\n", s.Dir, s.Reason, a.lang().Asked(s.Details))
	}
	for _, w := range res.DependencyWarnings {
		fmt.Fprintf(a.Err, "⚠ %s\n", a.lang().Placed(w.Message))
	}
}

func newAdopt(a *app) *cobra.Command {
	var unchecked bool
	c := &cobra.Command{
		Use: "adopt [PATH]", Short: "record existing code as built from its spec, if its tests pass", Args: cobra.MaximumNArgs(1),
		Long: "Builds each module, runs its tests and calls the code with the examples of its spec. What passes is recorded in " +
			"jacquard.lock, so that jacquard build leaves it alone until it changes. With --unchecked nothing is built, run or called: " +
			"the lock only records what the spec and the code are now.",
		Example: "  jacquard adopt\n  jacquard adopt src/legacy --unchecked",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			path, err := p.inside(first(args, "", ""))
			if err != nil {
				return err
			}
			if err := p.store(); err != nil {
				return err
			}
			if !unchecked {
				if err := p.trusted(); err != nil {
					return err
				}
			}
			mods, err := act.New(p.planOptions()).Adopt(ctx, path, unchecked)
			if err != nil {
				return err
			}
			if len(mods) == 0 && !a.json {
				if err := p.tellNoSpecs(ctx, path, a.lang().T("nothing to adopt: all is built and up to date\n")); err != nil {
					return err
				}
			}
			bad := 0
			for _, m := range mods {
				if m.Problem != "" {
					bad++
				}
			}
			if !a.asJSON(map[string]any{"modules": mods}) {
				for _, m := range mods {
					if m.Problem != "" {
						fmt.Fprintf(a.Out, a.lang().T("⚠ %s: not adopted: %s\n"), m.Dir, a.lang().Finding(m.Problem))
						for _, t := range m.Failures {
							fmt.Fprintf(a.Out, "    %s: %s\n", t.ID, t.Status)
						}
						continue
					}
					if unchecked {
						fmt.Fprintf(a.Out, a.lang().T("✓ %s: unchecked (spec and code recorded as they are; nothing was run)\n"), m.Dir)
						continue
					}
					fmt.Fprint(a.Out, report.Countf(a.lang().T("✓ %s: %s (%d tests passed)\n"), m.Dir, a.lang().State(string(m.State)), m.Tests.Passed))
				}
				if unchecked && bad < len(mods) {
					fmt.Fprint(a.Err, a.lang().T("verified: only that the specs have no errors. Not verified: that the code builds, that tests pass, that the code does what its spec says. To verify all of it, run: jacquard verify\n"))
				}
			}
			return proved(bad == 0)
		}),
	}
	c.Flags().BoolVar(&unchecked, "unchecked", false, "record without building, running or comparing anything; the lock marks it as unchecked")
	return c
}
