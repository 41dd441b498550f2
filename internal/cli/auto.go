package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/works"
)

type autoFlags struct {
	driveOptions
	file        string
	feature     string
	dryRun      bool
	eco, heavy  bool
	interactive bool
	accept      bool
	custom      string
}

func newAuto(a *app) *cobra.Command {
	var f autoFlags
	c := &cobra.Command{
		Use: "auto TASK", Short: "plan, design, build, check and improve: as much of it as the task needs", Args: cobra.MaximumNArgs(1),
		Long: "The program computes how large a task is (LIGHT, STANDARD, HEAVY) and carries it through: a plan, for larger ones a\n" +
			"critic and a design, an implementation that is proved, an architect's verdict, cycles of checks and fixes, a review and\n" +
			"a measured comparison with the design. Every loop has a limit and ends with a reason. Documents are in docs/.",
		Example: "  jacquard auto \"add a discount to the cart\"\n  jacquard auto --dry-run \"move the sessions to Redis\"",
		RunE: func(c *cobra.Command, args []string) error {
			return a.auto(c.Context(), first(args, "", ""), f)
		},
	}
	driveFlags(c, &f.driveOptions)
	budgetFlag(c, &f.driveOptions)
	c.Flags().StringVarP(&f.file, "file", "f", "", "`file` with the task; - is stdin")
	c.Flags().StringVar(&f.feature, "feature", "", "`name` of the feature (a-z, 0-9, -)")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "say how large the task is, and write nothing")
	c.Flags().BoolVar(&f.eco, "eco", false, "the small way (LIGHT), whatever the score says")
	c.Flags().BoolVar(&f.heavy, "heavy", false, "the large way (HEAVY)")
	c.Flags().BoolVar(&f.interactive, "interactive", false, "ask between the phases")
	c.Flags().BoolVar(&f.accept, "allow-unverified", false, "go on when a judge objects; the objection stays in the report")
	c.Flags().StringVar(&f.custom, "custom", "", "`command` that has to succeed as well, as a goal of the checks")
	return c
}

func (a *app) auto(ctx context.Context, given string, f autoFlags) error {
	if f.eco && f.heavy {
		return usage("--eco and --heavy contradict each other: give one of them")
	}
	if f.feature != "" && pdca.Feature(f.feature) != f.feature {
		return usage("%q is no name of a feature: use a-z, 0-9 and -, at most 40 characters", f.feature)
	}
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	if given, err = (specNewFlags{file: f.file}).request(a, given); err != nil {
		return err
	}
	if len(strings.Fields(given)) < 2 {
		return usage("%q says too little to work on: say in a sentence what the software shall do", given)
	}
	if p.noGit {
		return usage("there is no git repository here, and auto works with branches and commits: git init")
	}
	if err := p.mayCommit(ctx); err != nil {
		return err
	}
	in := step.AutoIn{
		Request: given, Feature: f.feature, Language: cmp.Or(works.LanguageOf(given), string(a.lang())), DryRun: f.dryRun, Eco: f.eco, Heavy: f.heavy,
		Gates: f.interactive, Accept: f.accept, Custom: f.custom, Delivery: step.ToCommit,
	}
	if a.langFlag != "" {
		in.Language = string(a.lang())
	}
	if in.Budget, err = p.budget(f.budget); err != nil {
		return err
	}
	return p.startRun(ctx, "auto", in, in.Budget, f.driveOptions)
}

// finished prints the answer of a run of auto.
func (p *project) finished(rep *report.Run, st flow.Status) error {
	out, err := result[step.AutoOut](rep, st)
	if err != nil {
		return err
	}
	rep.Auto, rep.Usage = &out, out.Usage
	if p.a.json {
		p.a.print(rep)
	} else {
		fmt.Fprint(p.a.Err, report.AutoSummary(p.a.lang(), out))
	}
	return proved(out.Verified || out.End.Reason == "")
}

// autoLine is the text of a note of a run of auto.
func autoLine(l report.Lang, e flow.Event) string {
	switch {
	case strings.HasSuffix(e.Key, "judged") || strings.HasSuffix(e.Key, "/parked"):
		return noteLine(l, e, "auto")
	case strings.HasSuffix(e.Key, "/ended"):
		return ""
	}
	n, err := decode[step.PhaseNote](e.Data)
	if err != nil {
		return ""
	}
	if n.Score != nil {
		return report.Scored(l, n)
	}
	return report.Phase(l, n)
}
