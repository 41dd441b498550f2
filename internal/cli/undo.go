package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

func newUndo(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "undo [RUN]", Short: "undo the changes of a run in one verified commit", Args: oneArgument("run"),
		Long: "Reverts the commits of a run on the current branch in one new commit, if the project builds and passes its tests " +
			"without them. Files that a build wrote to the working tree are restored. Nothing is changed if later work depends on " +
			"the run. RUN defaults to the newest run that has put something on the branch.",
		Example: "  jacquard undo\n  jacquard undo k3v9",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onRun(c, args, func(ctx context.Context, p *project, rt keeper, r flow.Run) (err error) {
				if len(args) == 0 {
					if r, err = p.newestChange(ctx, rt); err != nil {
						return err
					}
				}
				if !r.State.Ended() {
					return usage("run %s is not done (%s). To continue it, run: jacquard resume %s. To end it for good, run: jacquard stop --now %s", r.ID, stateNoun(r.State), r.ID, r.ID)
				}
				gone := p.gone(r)
				left, err := p.leftOn(ctx, r)
				if err != nil {
					return err
				}
				if left != "" {
					gone = words("there is nothing to undo: the result of run %s is not on the branch, it is on %s", r.ID, left)
				}
				if gone != nil && len(args) == 0 {
					gone = words("%v; to undo an earlier run, run: jacquard undo RUN (jacquard status lists them)", gone)
				}
				return p.takeBack(ctx, gone, func(actor *act.Actor) (act.RolledBack, error) {
					return actor.Undo(ctx, r.ID, outcomeOf(r).Moved != nil || left != "")
				})
			})
		},
	}
}

// newestChange is the newest run that has put something on the branch or into the working tree. Where newer ones have not, it is said
// which is meant.
func (p *project) newestChange(ctx context.Context, rt keeper) (flow.Run, error) {
	runs, err := rt.Runs(ctx)
	if err != nil {
		return flow.Run{}, err
	}
	actor := act.New(p.planOptions())
	taken, err := actor.RunsOnBranch(ctx) // results that were left on a ref, and merged by hand
	if err != nil {
		return flow.Run{}, err
	}
	var aside *flow.Run // the newest with a result that is not on the branch
	for i, r := range runs {
		if left, err := p.leftOn(ctx, r); err != nil {
			return r, err
		} else if left != "" {
			aside = cmp.Or(aside, &r)
			continue
		}
		changed := taken[r.ID] || p.gone(r) != nil
		if in, err := report.Decode[struct{ Delivery step.Delivery }](r.In); err == nil && !changed && (in.Delivery == "" || in.Delivery == step.ToTree) {
			did, err := actor.Changes(ctx, r.ID)
			changed = err == nil && did.Landed() // else it was stopped before its first step
		}
		if !changed {
			continue
		}
		if i > 0 && p.gone(r) == nil {
			fmt.Fprintf(p.a.Err, p.a.lang().T("undoing run %s (%s): no newer run has put anything on the branch\n"), r.ID, requested(r))
		}
		return r, nil
	}
	if aside != nil { // that is said of it
		return *aside, nil
	}
	return flow.Run{}, usage("there is nothing to undo: no run has moved a branch. Specs that spec new and decompile wrote are not committed: to drop them, delete them")
}

// gone says where the result of a run is if nothing of it is here, nil for a run that has put nothing elsewhere.
func (p *project) gone(r flow.Run) error {
	out := outcomeOf(r)
	pull, moved := out.Pull, out.Moved
	switch {
	case p.takenBack(r.ID):
		return words("run %s is already undone", r.ID)
	case pull != nil:
		return words("run %s was delivered as pull request %s: close it, then delete its branch: git push origin --delete %s && git branch -D %s", r.ID, pull.URL, pull.Branch, pull.Branch)
	case moved != nil && moved.New:
		return words("run %s was delivered as branch %s; to delete it, run: git branch -D %s", r.ID, moved.Branch, moved.Branch)
	case moved != nil:
		return words("run %s moved %s, but its commits are not, or no longer, on the branch that is checked out", r.ID, cmp.Or(moved.Branch, "HEAD"))
	}
	return nil
}

// takeBack takes something back and says what became of it. gone says why where there is nothing to take back, nil for what how says.
func (p *project) takeBack(ctx context.Context, gone error, how func(*act.Actor) (act.RolledBack, error)) (err error) {
	if err := errors.Join(p.trusted(), p.store()); err != nil {
		return err
	}
	o := p.planOptions()
	o.Effect = p.a.effects()
	if o.Name, o.Email, err = p.repo.Identity(ctx); err != nil {
		return err
	}
	out, err := how(act.New(o))
	if err != nil {
		return err
	}
	l := p.a.lang()
	refused := out.Refused
	if out.Nothing && gone != nil {
		out.Refused, refused = gone.Error(), inLang(l, gone)
	}
	if out.Run != "" && out.Refused == "" {
		if err := os.WriteFile(filepath.Join(p.state, "runs", out.Run, takenBackFile), []byte(out.Commit+"\n"), 0o600); err != nil {
			return environment("record that run %s is undone", err, out.Run)
		}
	}
	name := cmp.Or(out.Work, fmt.Sprintf(l.T("run %s"), out.Run))
	switch {
	case p.a.json:
		p.a.print(out)
	case out.Refused != "":
		for _, f := range out.Findings {
			fmt.Fprintf(p.a.Err, "    [%s] %s %s\n", f.Rule, f.Path, l.Finding(f.Message))
		}
		fmt.Fprintf(p.a.Err, "jacquard: %s\n", refused)
	default:
		for _, c := range out.Reverted {
			fmt.Fprintf(p.a.Err, l.T("  undone: %s %s\n"), c.Commit[:7], c.Title)
		}
		for _, f := range out.Files {
			text := l.T("  restored: %s\n")
			if _, err := os.Lstat(filepath.Join(p.root, filepath.FromSlash(f))); errors.Is(err, fs.ErrNotExist) {
				text = l.T("  removed: %s\n")
			}
			fmt.Fprintf(p.a.Err, text, f)
		}
		for _, c := range out.StillFails {
			fmt.Fprintf(p.a.Err, l.T("⚠ the build failed before the undo and still fails: %s\n"), c)
		}
		if out.Commit != "" {
			fmt.Fprintf(p.a.Err, l.T("✓ %s is undone by commit %s\n"), name, out.Commit[:7])
		} else {
			fmt.Fprintf(p.a.Err, l.T("✓ %s is undone in the working tree\n"), name)
		}
	}
	if out.Refused != "" {
		return silent(exitNotVerified)
	}
	return nil
}
