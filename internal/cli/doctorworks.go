package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/works"
)

func newDoctorWorks(a *app) *cobra.Command {
	var fix, exitZero bool
	c := &cobra.Command{
		Use: "works", Short: "check the files in works/; exit 1 if there are problems", Args: cobra.NoArgs,
		Example: "  jacquard doctor works\n  jacquard doctor works --fix",
		RunE:    a.inProject(func(ctx context.Context, p *project, _ []string) error { return p.doctorWorks(ctx, fix, exitZero) }),
	}
	c.Flags().BoolVar(&fix, "fix", false, "fix what can be fixed safely; no content is lost")
	c.Flags().BoolVar(&exitZero, "exit-zero", false, "exit 0 even if there are errors")
	return c
}

func (p *project) doctorWorks(ctx context.Context, fix, exitZero bool) error {
	a := p.a
	t := &specTool{a: a}
	tree, err := p.readWorks(ctx, t)
	if err != nil {
		return err
	}
	mended := []string{}
	if fix {
		repaired := works.Mend(tree)
		mine := maps.Clone(repaired)
		maps.DeleteFunc(mine, func(f string, _ []byte) bool { return works.IsKept(f) })
		if err := errors.Join(p.writeFiles(ctx, mine), act.New(p.planOptions()).WriteKept(repaired)); err != nil {
			return err
		}
		mended = append(mended, slices.Sorted(maps.Keys(repaired))...)
		if tree, err = p.readWorks(ctx, t); err != nil {
			return err
		}
	}
	t.complain()
	problems := tree.Problems
	if problems == nil {
		problems = []spec.Problem{}
	}
	if !a.asJSON(map[string]any{"works": len(tree.Works), "problems": problems, "mended": mended}) {
		for _, f := range mended {
			fmt.Fprintf(a.Out, a.lang().T("fixed: %s\n"), f)
		}
		for _, pr := range problems {
			fmt.Fprintln(a.Out, pr.String())
		}
		if len(problems) == 0 {
			fmt.Fprintf(a.Err, a.lang().T("✓ WORKs checked: %d, no problems\n"), len(tree.Works))
		}
	}
	return proved(len(problems) == 0 || exitZero)
}
