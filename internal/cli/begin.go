package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// newRun is what a run is to be started from. Unfinished looks for one to go on with instead; its error refuses to begin.
type newRun struct {
	driveOptions

	def        string
	in         json.RawMessage
	cost       step.Budget
	blocks     bool
	unfinished func(context.Context) (old flow.Run, found bool, err error)
}

// askedFor is what a request comes with, whatever the style.
type askedFor struct {
	driveOptions
	file, feature     string
	yes, worktree, pr bool
	named             string // the style of the project's own that was chosen
}

// start is what a run of a request begins with, whatever the style: the project, or a work tree of its own.
type start struct {
	*project
	pull   *step.PullIn // where its pull request goes, nil for none
	budget step.Budget
}

// request begins a run of a style. input makes its input; nil: there is nothing to begin.
func (p *project) request(ctx context.Context, def, text string, q askedFor, input func(start) (any, error)) (err error) {
	if err := p.a.byPerson(q.yes, "--yes"); err != nil {
		return err
	}
	if q.feature != "" && pdca.Feature(q.feature) != q.feature {
		return usage("%q is not a valid feature name: use a-z, 0-9 and -, at most 40 characters", q.feature)
	}
	if processOf(def).git {
		err = p.needsGit(def)
	} else if q.worktree && p.noGit {
		err = usage("--worktree needs a git repository: run git init first")
	}
	s := start{project: p}
	if err == nil && q.pr {
		s.pull, err = p.pullIn(ctx)
	}
	if err != nil {
		return err
	}
	if q.worktree {
		var end func() error
		if s.project, end, err = p.worktree(ctx, q.feature, text, s.pull); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
	}
	if s.budget, err = s.project.budget(q.budget); err != nil {
		return err
	}
	in, err := input(s)
	if in == nil || err != nil {
		return err
	}
	return s.run(ctx, def, in, s.budget, q.driveOptions)
}

// needsGit refuses a folder without git for a process that cannot do without.
func (p *project) needsGit(def string) error {
	if p.noGit {
		return usage("not a git repository: %s works with branches and commits; run git init first", def)
	}
	return nil
}

// begin starts a run and drives it, or goes on with one that somebody else has begun in the meantime.
func (p *project) begin(ctx context.Context, n newRun) error {
	e, err := p.engine(ctx, n.driveOptions, p.a.heard.add)
	if err != nil {
		return err
	}
	if !processOf(n.def).unpaid { // after the agent was found: it takes longer
		end, err := p.ready(ctx, n.driveOptions)
		defer end()
		if err != nil {
			return errors.Join(err, e.close())
		}
	}
	r, begun, err := p.startRun(ctx, e, n)
	if begun {
		fmt.Fprintf(p.a.Err, p.a.lang().T("run %s · budget %s · Ctrl-C is safe; to continue, run: jacquard resume %s\n"), r.ID, budgetText(p.a.lang(), n.cost), r.ID)
		err = p.drive(ctx, e, r, n.blocks)
	}
	if err = errors.Join(err, e.close()); err != nil || begun {
		return err
	}
	return p.goOn(ctx, r, n.driveOptions, n.blocks)
}

// startRun makes a run durable and gives it, or one that is unfinished. Of two who begin at once the second sees the run of the
// first: they look and start one after the other.
func (p *project) startRun(ctx context.Context, e *engine, n newRun) (r flow.Run, begun bool, err error) {
	scenario := n.scenario
	if scenario != "" {
		if scenario, err = filepath.Abs(scenario); err != nil {
			return r, false, usage("--scenario: %v", err)
		}
	}
	level, _, err := p.sandbox(n.sandbox)
	if err != nil {
		return r, false, err
	}
	meta, err := json.Marshal(runMeta{Agent: n.agent, Model: n.model, Scenario: scenario, Mailbox: n.mailbox, Jobs: n.jobs, Sandbox: string(level), By: p.a.who(), Command: n.def, Fresh: n.fresh})
	if err != nil {
		return r, false, err
	}
	release, err := local.Alone(ctx, filepath.Join(p.state, "begin.lock"))
	if err != nil {
		return r, false, err
	}
	defer release()
	old, found, err := n.unfinished(ctx)
	if found || err != nil {
		return old, false, err
	}
	id := newID()
	if err := e.Start(ctx, flow.NewRun{ID: id, Def: n.def, In: n.in, Meta: meta}); err != nil {
		return r, false, err
	}
	r, err = find(ctx, e, id)
	return r, err == nil, err
}

// goOn carries an unfinished run on instead of beginning one.
func (p *project) goOn(ctx context.Context, r flow.Run, o driveOptions, blocks bool) error {
	fmt.Fprintf(p.a.Err, p.a.lang().T("run %s is unfinished; resuming it\n"), r.ID)
	return p.resume(ctx, r, o, blocks)
}

// run starts a run of a workflow, or goes on with the one that was asked for the same.
func (p *project) run(ctx context.Context, def string, in any, budget step.Budget, o driveOptions) error {
	if err := p.inProject(); err != nil {
		return err
	}
	kind := processOf(def)
	if x, ok := in.(step.AutoIn); kind.style != "" && (!ok || x.Wants == "") { // what is wanted of messages alone begins nowhere
		if err := p.leaveAlone(ctx); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	n := newRun{driveOptions: o, def: def, in: raw, cost: budget}
	n.unfinished = func(ctx context.Context) (flow.Run, bool, error) {
		old, found, err := p.unfinishedOf(ctx, def, raw)
		switch same := string(old.In) == string(raw); {
		case err != nil || !found:
			return old, false, err
		case !same && kind.several && (requestOf(raw) == "" || requestOf(old.In) != requestOf(raw)):
			return old, false, nil
		case old.Driver != "":
			return old, false, &flow.DrivenError{Run: old.ID, Driver: old.Driver}
		case !same && kind.several:
			return old, false, usage("unfinished run %s has the same request, with other settings. To continue it, run: jacquard resume %s. To end it, run: jacquard stop --now %s", old.ID, old.ID, old.ID)
		case !same:
			return old, false, usage("unfinished run %s has a different request. To continue it, run: jacquard resume %s. To end it, run: jacquard stop --now %s", old.ID, old.ID, old.ID)
		}
		return old, true, nil
	}
	if old, found, err := n.unfinished(ctx); err != nil {
		return err
	} else if found {
		return p.goOn(ctx, old, o, false)
	}
	if err := p.trusted(); err != nil {
		return err
	}
	return p.begin(ctx, n)
}

// unfinishedOf finds a run of a workflow that has not ended, first one with the same input, then one with the same request.
func (p *project) unfinishedOf(ctx context.Context, def string, in []byte) (flow.Run, bool, error) {
	runs, err := p.runs(ctx)
	open := slices.DeleteFunc(runs, func(r flow.Run) bool { return r.Def != def || r.State.Ended() })
	if len(open) == 0 {
		return flow.Run{}, false, err
	}
	i := slices.IndexFunc(open, func(r flow.Run) bool { return string(r.In) == string(in) })
	if i < 0 {
		i = slices.IndexFunc(open, func(r flow.Run) bool { return requestOf(r.In) == requestOf(in) })
	}
	return open[max(i, 0)], true, err
}

// requestOf is what a run was asked for, without its settings; "" for one of specs.
func requestOf(in []byte) string {
	x, _ := report.Decode[struct {
		Request string `json:"request"`
	}](in)
	return x.Request
}

// begun refuses a repository without a commit: there is nothing to begin at, and no branch to move.
func (p *project) begun(ctx context.Context) error {
	head, err := p.repo.Head(ctx)
	if err != nil || !head.Unborn {
		return err
	}
	empty, err := p.empty(ctx)
	if empty {
		err = fail(flow.Environment, "the repository is empty, and the work starts at a commit. Add a file, such as a README, then run: git add -A && git commit -m \"Start\"")
	} else if err == nil {
		err = fail(flow.Environment, "nothing is committed yet, and the work starts at the last commit. First run: git add -A && git commit -m \"Start\"")
	}
	return err
}

// leaveAlone says which files have changes that are not committed, or that nothing can be committed. The work begins at the last commit, because what is proved there is
// what gets committed; in the end the branch moves where git can do it without touching these files.
func (p *project) leaveAlone(ctx context.Context) error {
	if p.noGit {
		fmt.Fprint(p.a.Err, p.a.lang().T("⚠ not a git repository: results are written to files, not committed. For commits, run git init first\n"))
		return nil
	}
	if err := p.begun(ctx); err != nil {
		return err
	}
	list, err := p.repo.Status(ctx)
	list = slices.DeleteFunc(list, func(s git.Status) bool { return s.Index == '?' && toolchain.LanguageOf(s.Path) == "" }) // notes and output
	if err == nil && len(list) > 0 {
		names := step.Each(list[:min(3, len(list))], func(s git.Status) string { return s.Path })
		if len(list) > len(names) {
			names = append(names, "…")
		}
		fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ working from the last commit; your uncommitted changes are left alone: %s\n"), strings.Join(names, ", "))
	}
	return err
}

// empty reports whether there is no file that could be committed.
func (p *project) empty(ctx context.Context) (bool, error) {
	list, err := p.repo.Listing(ctx, nil)
	return err == nil && len(list) == 0, err
}
