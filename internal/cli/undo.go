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
			"the run. RUN defaults to the newest run with changes.",
		Example: "  jacquard undo\n  jacquard undo k3v9",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onRun(c, args, func(ctx context.Context, p *project, rt keeper, r flow.Run) error {
				runs := []flow.Run{r}
				if len(args) == 0 {
					var err error
					if runs, err = rt.Runs(ctx); err != nil {
						return err
					}
				}
				if !runs[0].State.Ended() {
					return usage("run %s is not done (%s). Continue it with jacquard resume %s, or end it for good with jacquard stop --now %s", runs[0].ID, runs[0].State, runs[0].ID, runs[0].ID)
				}
				return p.takeBack(ctx, func(actor *act.Actor) (out act.RolledBack, err error) {
					for i, r := range runs {
						if out, err = actor.Undo(ctx, r.ID); err != nil || !out.Nothing {
							break
						}
						if pull := pullOf(r); pull != nil {
							out.Refused = fmt.Sprintf("run %s is the pull request %s: close it there, then delete its branch: git push origin --delete %s && git branch -D %s", r.ID, pull.URL, pull.Branch, pull.Branch)
							break
						}
						if p.takenBack(r.ID) { // those before it were not meant
							out.Refused = "run " + r.ID + " is already undone"
							if i+1 < len(runs) {
								out.Refused += "; for one before it name it: jacquard undo RUN (jacquard status lists them)"
							}
							break
						}
					}
					return out, err
				})
			})
		},
	}
}

// pullOf is the pull request that a run has ended with, nil for none.
func pullOf(r flow.Run) *step.PullResult {
	out, err := report.Decode[struct{ Pull *step.PullResult }](r.Out)
	if err != nil { // it has no output yet
		return nil
	}
	return out.Pull
}

// takenBackFile, in the folder of a run, says that it was taken back.
const takenBackFile = "taken-back"

// takenBack reports whether a run was taken back.
func (p *project) takenBack(id string) bool {
	return exists(filepath.Join(p.state, "runs", id, takenBackFile))
}

// takeBack takes something back and says what became of it.
func (p *project) takeBack(ctx context.Context, how func(*act.Actor) (act.RolledBack, error)) (err error) {
	if err := errors.Join(p.trusted(), p.store()); err != nil {
		return err
	}
	o := p.planOptions()
	o.Blobs, o.Effect = p.blobs, p.a.effects()
	if o.Name, o.Email, err = p.repo.Identity(ctx); err != nil {
		return err
	}
	out, err := how(act.New(o))
	if err != nil {
		return err
	}
	if out.Run != "" && out.Refused == "" {
		if err := os.WriteFile(filepath.Join(p.state, "runs", out.Run, takenBackFile), []byte(out.Commit+"\n"), 0o600); err != nil {
			return environment("record that run %s is undone", err, out.Run)
		}
	}
	l := p.a.lang()
	name := cmp.Or(out.Work, fmt.Sprintf(l.T("run %s"), out.Run))
	switch {
	case p.a.json:
		p.a.print(out)
	case out.Refused != "":
		for _, f := range out.Findings {
			fmt.Fprintf(p.a.Err, "    [%s] %s %s\n", f.Rule, f.Path, l.Finding(f.Message))
		}
		fmt.Fprintf(p.a.Err, "jacquard: %s\n", out.Refused)
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
