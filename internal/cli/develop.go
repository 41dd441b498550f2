package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

type developFlags struct {
	askedFor
	strategy string
	resume   bool
	restart  bool
	prSaid   bool // the flag was given
	alone    bool // one reviewer, whatever panel there is
}

func newDevelop(a *app) *cobra.Command {
	var f developFlags
	var dry bool
	c := &cobra.Command{
		Use: "develop [REQUEST]", Short: "do --style develop: contracts, checkpoints, review", Args: cobra.MaximumNArgs(1),
		Long: "DESIGN: requirements, architecture and checkpoints, with tests written before the code; you approve it. REVIEW: " +
			"blocking issues go back to the agent. IMPLEMENT: each checkpoint has three attempts to pass its tests, interfaces and " +
			"command; if it does not pass, you decide. MERGE: all checks, a review, one commit. The state is in " +
			".develop-workflow/state.yaml.",
		Example: "  jacquard develop \"sessions expire after an hour\"\n  jacquard develop --resume",
		RunE: func(c *cobra.Command, args []string) error {
			f.prSaid = c.Flags().Changed("pr")
			return a.inProject(func(ctx context.Context, p *project, args []string) error {
				if dry {
					return p.dryStyle(ctx, "develop", first(args, "", ""), f.askedFor)
				}
				return p.develop(ctx, first(args, "", ""), f)
			})(c, args)
		},
	}
	runFlags(c, &f.driveOptions)
	c.Flags().StringVarP(&f.file, "file", "f", "", "`file` with the request; - is stdin")
	c.Flags().StringVar(&f.feature, "feature", "", "feature `name` (a-z, 0-9, -)")
	c.Flags().StringVar(&f.strategy, "strategy", "", "how to build checkpoints: direct, subagent or agent-teams (default: chosen automatically)")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask: approve designs, answer questions with their defaults, end the run where a person must decide")
	c.Flags().BoolVar(&f.resume, "resume", false, "continue the interrupted run")
	c.Flags().BoolVar(&f.restart, "restart", false, "end the interrupted run and start over; its work is kept on refs")
	c.Flags().BoolVar(&f.pr, "pr", false, "push branch feat/NAME to origin, open a pull request and wait for its CI, instead of moving your branch (needs GITHUB_TOKEN or GITLAB_TOKEN)")
	worktreeFlag(c, &f.worktree)
	dryFlag(c, &dry)
	return c
}

func (p *project) develop(ctx context.Context, given string, f developFlags) (err error) {
	switch {
	case f.worktree && (f.resume || f.restart):
		return usage("--worktree starts a new run: continue an earlier run in its own work tree")
	case f.resume && f.restart:
		return conflict("--resume", "--restart")
	case f.strategy != "" && !slices.Contains(checkpoint.Strategies, f.strategy):
		return usage("--strategy %q: must be one of %s", f.strategy, strings.Join(checkpoint.Strategies, ", "))
	}
	if given != "" || f.file != "" {
		if given, err = p.a.request(given, f.file, "--file ", "jacquard develop"); err != nil {
			return err
		}
	}
	if err := enough(given, given); f.worktree && err != nil {
		return err
	}
	if foreign, err := act.New(p.planOptions()).Foreign(ctx); err != nil {
		return err
	} else if foreign {
		return usage("develop needs tests that Jacquard reads: in Go, JavaScript, TypeScript, Python, Rust, Java or Kotlin. For this project, use jacquard do")
	}
	if !f.prSaid {
		f.pr = p.conf.PR
	}
	q := f.askedFor
	q.pr = f.pr && !f.resume
	return p.request(ctx, developDef, given, q, func(s start) (any, error) { return s.developIn(ctx, given, f) })
}

// developIn is the input of a run of develop, nil where an earlier one was carried on.
func (p start) developIn(ctx context.Context, given string, f developFlags) (any, error) {
	before, err := p.earlier(ctx)
	if err != nil {
		return nil, err
	}
	goOn := given != "" && !f.restart && before.unfinished() && given == before.request() // asked for the same again
	if !goOn && before.open() {
		if goOn, err = p.resumeMenu(ctx, before, f); err != nil {
			return nil, err
		}
		if !goOn {
			if given = cmp.Or(given, before.request()); before.unfinished() {
				if err := p.end(ctx, before.run); err != nil {
					return nil, err
				}
			}
		}
	} else if f.resume && !goOn {
		return nil, usage("nothing to resume: there is no unfinished run of develop, and none in %s", checkpoint.StatePath)
	}
	exact := goOn && before.unfinished()
	if goOn && !exact {
		given = cmp.Or(given, before.request())
	}
	if err := enough(given, given); !exact && err != nil {
		return nil, err
	}
	if err := p.forget(before, goOn); err != nil {
		return nil, err
	}
	if exact {
		if given != "" && given != before.request() {
			return nil, usage("unfinished run %s has a different request: leave the request out to continue it, or use --restart", before.run.ID)
		}
		return nil, p.resume(ctx, before.run, f.driveOptions, false)
	}
	in := step.DevelopIn{Named: f.named, Feature: f.feature, Yes: f.yes, Strategy: f.strategy, Delivery: step.ToCommit}
	if !f.alone { // who proposes and reviews side by side
		in.Panel = p.conf.Panel
	}
	if goOn {
		in.Prior = before.state
		if err := p.goesOnFrom(ctx, before.run, &in); err != nil {
			return nil, err
		}
	}
	in.Request, in.Language, in.Budget = given, p.language(given), p.budget
	if in.Pull = p.pull; f.pr && in.Pull == nil { // what is gone on with has no journal
		in.Pull, err = p.pullIn(ctx)
	}
	return in, err
}

// goesOnFrom lets a run begin with what an ended one has landed and not delivered, when the branch has not moved since.
func (p *project) goesOnFrom(ctx context.Context, r flow.Run, in *step.DevelopIn) error {
	out, err := report.Decode[step.DevelopOut](r.Out)
	if r.ID == "" || err != nil || out.Verified {
		return nil //nolint:nilerr // then there is nothing of it
	}
	was, err := report.Decode[step.DevelopIn](r.In)
	if err != nil {
		return err
	}
	from, name := out.Commit, out.Feature
	if from == "" { // it has landed nothing itself
		from, name = was.From, was.Feature
	}
	if was.Prior != nil && len(in.Prior.Checkpoints) == 0 {
		in.Prior = was.Prior
	}
	head, err := p.repo.Head(ctx)
	if from == "" || err != nil {
		return err
	}
	moved, err := p.repo.Log(ctx, head.Commit, from, 1)
	if err != nil || len(moved) > 0 {
		return err
	}
	in.From, in.Onto, in.Feature = from, head.Commit, name
	return nil
}

// earlier is what there is of a run before: its state file, its journal, or both.
type earlier struct {
	state  *checkpoint.State
	broken error    // why the state file cannot be read
	mended []string // what contradicted itself in it
	file   string   // path of the state file
	run    flow.Run // the newest of develop; no ID for none
}

// unfinished reports whether there is a run that has not ended.
func (e earlier) unfinished() bool { return e.run.ID != "" && !e.run.State.Ended() }

// open reports whether there is something to go on with.
func (e earlier) open() bool {
	return e.broken != nil || e.state != nil && e.state.Phase != checkpoint.Done || e.unfinished()
}

// request is what was asked for.
func (e earlier) request() string {
	if in, err := report.Decode[step.DevelopIn](e.run.In); err == nil && in.Request != "" && (e.unfinished() || e.state != nil) {
		return in.Request
	}
	if e.state != nil {
		return e.state.Feature
	}
	return ""
}

// earlier looks for a run before.
func (p *project) earlier(ctx context.Context) (earlier, error) {
	var out earlier
	for _, name := range []string{checkpoint.StatePath, checkpoint.OtherState} {
		out.file = filepath.Join(p.root, filepath.FromSlash(name))
		raw, err := os.ReadFile(out.file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return out, environment("read %s", err, name)
		}
		s, mended, err := checkpoint.ReadState(raw, time.Local)
		out.mended, out.broken = mended, err
		if err == nil {
			out.state = &s
		}
		break
	}
	runs, err := p.runs(ctx)
	if i := slices.IndexFunc(runs, func(r flow.Run) bool { return r.Def == developDef }); i >= 0 {
		out.run = runs[i]
	}
	return out, err
}

// resumeMenu asks whether to go on with an earlier run or to start over. Without a terminal the flags say it.
func (p *project) resumeMenu(ctx context.Context, e earlier, f developFlags) (goOn bool, err error) {
	l := p.a.lang()
	if e.broken != nil {
		if f.restart {
			return false, nil
		}
		return false, usage("%v; nothing was changed. Fix or delete the file, or start over with --restart (the file is kept as %s.broken)", e.broken, filepath.Base(e.file))
	}
	d := report.Develop{}
	switch {
	case e.unfinished(): // the journal knows more than the file
		rep, err := p.reportOn(ctx, e.run)
		if err != nil {
			return false, err
		}
		d = *rep.Develop
	case e.state != nil:
		d.State = *e.state
	}
	fmt.Fprint(p.a.Err, report.EarlierDevelop(l, d))
	for _, m := range e.mended {
		fmt.Fprintf(p.a.Err, l.T("⚠ %s was repaired: %s\n"), filepath.Base(e.file), m)
	}
	switch {
	case f.resume:
		return true, nil
	case f.restart:
		return false, nil
	case f.yes: // nobody can be asked, and nothing is thrown away
		return true, nil
	case !p.a.converses():
		fmt.Fprint(p.a.Err, l.T("To continue, run: jacquard develop --resume. To start over, run: jacquard develop --restart\n"))
		return false, silent(exitWaits)
	}
	for {
		fmt.Fprint(p.a.Err, l.T("[c]ontinue, [s]tart over, [q]uit: "))
		said, err := p.a.reads(ctx)
		switch word := strings.ToLower(said); {
		case ctx.Err() != nil:
			return false, silent(exitInterrupted)
		case err != nil || word == "q" || word == "quit":
			return false, silent(exitWaits)
		case slices.Contains([]string{"c", "continue", "이어서 진행", "이어서"}, word):
			return true, nil
		case slices.Contains([]string{"s", "start over", "처음부터"}, word):
			return false, nil
		}
	}
}

// forget takes the state file of an earlier run away, unless it is gone on with. One that cannot be read is kept beside it.
func (p *project) forget(e earlier, goOn bool) error {
	if goOn || e.state == nil && e.broken == nil {
		return nil
	}
	take := func() error { return os.Remove(e.file) }
	if e.broken != nil {
		take = func() error { return os.Rename(e.file, e.file+".broken") }
	} else if e.state.Phase == checkpoint.Done {
		fmt.Fprint(p.a.Err, p.a.lang().T("The earlier run is done. Starting a new one.\n"))
	}
	if err := take(); err != nil {
		return environment("remove the state file of the earlier run", err)
	}
	return nil
}

// end cancels a run; its work stays on its refs.
func (p *project) end(ctx context.Context, r flow.Run) error {
	if r.Driver != "" {
		return &flow.DrivenError{Run: r.ID, Driver: r.Driver}
	}
	return p.reading(ctx, func(rt keeper) error {
		err := rt.Signal(ctx, r.ID, flow.Signal{Verb: flow.CancelRun, By: p.a.who()})
		if err == nil {
			_, err = rt.Drive(ctx, r.ID)
		}
		return err
	})
}
