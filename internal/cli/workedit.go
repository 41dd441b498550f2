package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

func newEdit(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "edit [RUN]", Short: "edit a requirement or plan before approving it", Args: oneArgument("run"),
		Long:    "Opens the documents in git's editor. The edited version is checked and shown again; it takes effect only after you approve it.",
		Example: "  jacquard edit k3v9",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onThe(c, args, wantsApproval, func(ctx context.Context, p *project, rt keeper, r flow.Run) error {
				if changed, err := p.edit(ctx, rt, r); errors.Is(err, flow.ErrNoGate) {
					return noLonger(r)
				} else if err != nil || !changed {
					return err
				}
				fmt.Fprintf(a.Err, a.lang().T("answer saved; to continue, run: jacquard resume %s\n"), r.ID)
				return nil
			})
		},
	}
}

// edit lets a person edit the documents of a gate and tells the run what they say then, unless they are as they were.
func (p *project) edit(ctx context.Context, rt flow.Runtime, r flow.Run) (changed bool, err error) {
	i := slices.IndexFunc(r.Gates, approval)
	if i < 0 {
		return false, usage("run %s is not waiting for approval", r.ID)
	}
	rep, err := reportOf(ctx, rt, r)
	if err != nil {
		return false, err
	}
	if rep.Request == nil || rep.Request.Plan.IsZero() {
		return false, usage("run %s has nothing to edit", r.ID)
	}
	plan, err := p.planOf(rep)
	if err != nil {
		return false, err
	}
	requirement := strings.HasPrefix(r.Gates[i].Key, "requirement/")
	dir := filepath.Join(p.state, "runs", r.ID, "edit")
	files := act.EditFiles(plan, requirement)
	names, err := toEdit(dir, r.Gates[i], files)
	if err != nil {
		return false, environment("edit", err)
	}
	if err := p.editor(ctx, dir, names); err != nil {
		return false, err
	}
	after, err := readAll(dir)
	if err != nil {
		return false, environment("edit", err)
	}
	if maps.EqualFunc(files, after, bytes.Equal) {
		fmt.Fprint(p.a.Err, p.a.lang().T("nothing changed, no answer saved\n"))
		return false, nil
	}
	said, problems := act.ReadEdited(plan, requirement, after)
	for _, pr := range problems {
		fmt.Fprintln(p.a.Err, pr.String())
	}
	return true, rt.Signal(ctx, r.ID, flow.Signal{Verb: flow.Reply, Gate: r.Gates[i].Key, Tree: r.Gates[i].Question.Tree, Text: string(said), By: p.a.who()})
}

// planOf is what a run of work has planned.
func (p *project) planOf(rep *report.Run) (step.WorkPlan, error) {
	raw, err := p.blobs.Get(rep.Request.Plan)
	if err != nil {
		return step.WorkPlan{}, err
	}
	return report.Decode[step.WorkPlan](raw)
}

// toEdit puts the documents of a gate into a folder. What a person has edited there for the same gate, or for one that could
// not take it, stays as it is.
func toEdit(dir string, g flow.Gate, files map[string][]byte) (names []string, err error) {
	mark := filepath.Join(dir, "gate")
	before, err := os.ReadFile(mark)
	if again := err == nil && (string(before) == g.Key || strings.HasPrefix(g.Question.Text, step.EditRefused)); !again {
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil { //nolint:gosec // a document for its reader
				return nil, err
			}
		}
	}
	if err := os.WriteFile(mark, []byte(g.Key), 0o644); err != nil { //nolint:gosec // no secret
		return nil, err
	}
	have, err := readAll(dir)
	return slices.Sorted(maps.Keys(have)), err
}

func readAll(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if !e.Type().IsRegular() || filepath.Ext(e.Name()) != ".md" {
			continue
		}
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// editAsGit opens files in the editor that git opens for a commit, with git's own shell: GIT_EDITOR, core.editor, VISUAL, EDITOR or vi.
// Git puts the files behind an alias by itself.
const editAsGit = `alias.edit-as-git=!f() { e=$(git var GIT_EDITOR) && eval "$e \"\$@\""; }; f`

// editor opens files in the person's editor and waits for its end.
func (p *project) editor(ctx context.Context, dir string, names []string) error {
	git, err := proc.LookPath("git", p.a.env["PATH"])
	if err != nil {
		return environment("open the editor", err)
	}
	argv := []string{git, "-c", editAsGit, "edit-as-git"}
	for _, n := range names {
		argv = append(argv, filepath.Join(dir, n))
	}
	fmt.Fprintf(p.a.Err, p.a.lang().T("opening in your editor: %s\n"), strings.Join(names, ", "))
	env := p.a.Env
	if _, _, tty := terminal(os.Stdin); !tty {
		env = append(slices.Clone(env), "TERM=dumb") // then git does not fall back to vi, which would wait for keys
	}
	if err := proc.Interactive(ctx, argv, dir, env); err != nil {
		return environment("edit", words("the editor exited with an error: %v; nothing was changed. git var GIT_EDITOR shows which editor is used", err))
	}
	return nil
}
