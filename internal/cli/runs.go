package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// onRun opens the journal, finds a run by prefix, or the newest one, and calls fn.
func (a *app) onRun(c *cobra.Command, args []string, fn func(context.Context, *project, keeper, flow.Run) error) error {
	return a.onThe(c, args, nil, fn)
}

// onThe is onRun for what concerns some runs only: without a name the one that it fits is meant, and which has to be said where it
// fits several.
func (a *app) onThe(c *cobra.Command, args []string, fits func(flow.Run) bool, fn func(context.Context, *project, keeper, flow.Run) error) error {
	ctx := c.Context()
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	rt, err := p.journal(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = rt.Close() }()
	prefix := first(args, "", "")
	if prefix == "" && fits != nil {
		if prefix, err = theOne(ctx, rt, fits, typed(c)); err != nil {
			return err
		}
	}
	r, err := find(ctx, rt, prefix)
	if err != nil {
		return err
	}
	return fn(ctx, p, rt, r)
}

// typed is a command with the switches that were given to it.
func typed(c *cobra.Command) string {
	text := c.CommandPath()
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			text += " --" + f.Name
		}
	})
	return text
}

// theOne is the id of the only run that a command fits, "" where it fits none.
func theOne(ctx context.Context, rt flow.Runtime, fits func(flow.Run) bool, command string) (string, error) {
	runs, err := rt.Runs(ctx)
	if err != nil {
		return "", err
	}
	var id string
	var commands []string
	for _, r := range runs {
		if fits(r) {
			id = r.ID
			commands = append(commands, fmt.Sprintf("  %s %s  (%s, %s)", command, r.ID, commandOf(r), r.State))
		}
	}
	if len(commands) > 1 {
		return "", usage("%d runs match; choose one:\n%s", len(commands), strings.Join(commands, "\n"))
	}
	return id, nil
}

// goesOn, asks and wantsApproval are what commands fit that change a run, answer it, and edit what it asks about.
func goesOn(r flow.Run) bool { return !r.State.Ended() }

func asks(r flow.Run) bool {
	return slices.ContainsFunc(r.Gates, func(g flow.Gate) bool { return g.Question.Class == "" })
}

func wantsApproval(r flow.Run) bool { return slices.ContainsFunc(r.Gates, approval) }

// workLeft is the WORK of a run that has ended without all of its tasks, "" for another run.
func workLeft(r flow.Run) string {
	out, err := report.Decode[step.WorkOut](r.Out)
	if err != nil || !processOf(r.Def).works || !r.State.Ended() || out.Failed+out.Blocked == 0 {
		return ""
	}
	return out.Work
}

// answered reports whether a run has the answers that it waited for: it goes on when it is resumed.
func answered(r flow.Run) bool { return r.State == flow.Waiting && len(r.Gates) == 0 && r.Driver == "" }

// unfinished finds a run by prefix; without one, the newest that has not ended, and of those one that has its answer before others; last the
// newest of all, if it has left something.
func unfinished(ctx context.Context, rt flow.Runtime, prefix string) (flow.Run, error) {
	if prefix != "" {
		return find(ctx, rt, prefix)
	}
	runs, err := rt.Runs(ctx)
	if err != nil {
		return flow.Run{}, err
	}
	for _, fits := range []func(flow.Run) bool{answered, goesOn} {
		if i := slices.IndexFunc(runs, fits); i >= 0 {
			return runs[i], nil
		}
	}
	if len(runs) > 0 && workLeft(runs[0]) != "" {
		return runs[0], nil
	}
	return flow.Run{}, usage("no run is unfinished: jacquard status lists them all")
}

// resumeAs resumes a run, which asks as it began: who does not want to be asked now has to answer what waits.
func (p *project) resumeAs(ctx context.Context, r flow.Run, o driveOptions, yes, blocks bool) error {
	if yes && slices.ContainsFunc(r.Gates, func(g flow.Gate) bool { return g.Question.Class == "" }) {
		return usage("run %s waits for your answer, and --yes is only for the rest of a WORK: jacquard answer %s", r.ID, r.ID)
	}
	return p.resume(ctx, r, o, blocks)
}

// began takes over what a run began with where no flag says it.
func (o *driveOptions) began(meta runMeta) {
	o.agent, o.model, o.sandbox = cmp.Or(o.agent, meta.Agent), cmp.Or(o.model, meta.Model), cmp.Or(o.sandbox, meta.Sandbox)
	if o.scenario+o.mailbox == "" {
		o.scenario, o.mailbox = meta.Scenario, meta.Mailbox
	}
	o.jobs, o.fresh = cmp.Or(o.jobs, meta.Jobs), o.fresh || meta.Fresh
}

func (p *project) resume(ctx context.Context, r flow.Run, o driveOptions, blocks bool) (err error) {
	if r.Driver != "" {
		return &flow.DrivenError{Run: r.ID, Driver: r.Driver}
	}
	if p.takenBack(r.ID) {
		return usage("run %s was undone; start a new one", r.ID)
	}
	if r.State == flow.CancelledOK {
		return usage("run %s was ended for good and can't be resumed. Start a new one; jacquard recover lists what this one has made", r.ID)
	}
	if meta, err := report.Decode[runMeta](r.Meta); err == nil {
		begun, given := driveOptions{scenario: meta.Scenario, mailbox: meta.Mailbox}.models(), o.models()
		if len(begun) > 0 && len(given) > 0 && o.scenario+o.mailbox == "" {
			return usage("run %s began with %s and continues with it: remove %s", r.ID, begun[0], given[0])
		}
		o.began(meta)
	}
	where := cmp.Or(r.Engine, onLocal)
	if o.on != "" && o.on != where {
		return usage("run %s runs on %s and continues there: remove --on %s", r.ID, where, o.on)
	}
	o.on = where
	e, err := p.engine(ctx, o, p.a.heard.add)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if err := p.unblock(ctx, e, r, o.budget); err != nil {
		return err
	}
	if rep, err := reportOf(ctx, e, r); err == nil && len(rep.Modules) > 0 && !r.State.Ended() {
		done := 0
		for _, m := range rep.Modules {
			if m.Result != nil || m.Task != nil || m.Phase == "done" {
				done++
			}
		}
		fmt.Fprintf(p.a.Err, p.a.lang().T("resuming run %s: %d of %d done\n"), r.ID, done, len(rep.Modules))
	}
	return p.drive(ctx, e, r, blocks)
}

// unblock says to a run what its resuming means: a pause is over, and what had
// to be mended is mended. A new budget counts from now on; to workers, who count elsewhere, it travels with the latter.
func (p *project) unblock(ctx context.Context, e *engine, r flow.Run, budget string) error {
	if r.State.Ended() {
		return nil
	}
	more := budget != "" || slices.ContainsFunc(r.Gates, func(g flow.Gate) bool { return g.Question.Class == flow.Budget })
	if err := p.a.byPerson(more, "resume to spend more"); err != nil {
		return err
	}
	text := ""
	if budget != "" {
		b, err := parseBudget(budget)
		if err != nil {
			return err
		}
		if e.pool != "" && len(repairs(r.Gates)) == 0 {
			return usage("the workers of run %s take a new budget only while it is blocked: remove --budget", r.ID)
		}
		in, _ := report.Decode[struct{ Budget step.Budget }](r.In)
		if err := p.rebudget(r.ID, in.Budget, b); err != nil {
			return err
		}
		if text = fmt.Sprintf("%dtok", b.Tokens); b.USD > 0 {
			text = fmt.Sprintf("%gusd", b.USD)
		}
	}
	if err := e.Signal(ctx, r.ID, flow.Signal{Verb: flow.Unpause, By: p.a.who()}); err != nil {
		return err
	}
	for _, g := range r.Gates {
		if g.Question.Class == "" {
			continue
		}
		s := flow.Signal{Verb: flow.Approve, Gate: g.Key, Tree: g.Question.Tree, Text: text, By: p.a.who()}
		if err := e.Signal(ctx, r.ID, s); err != nil {
			return err
		}
	}
	return nil
}

// runFlags are those of commands that begin a run.
func runFlags(c *cobra.Command, o *driveOptions) {
	driveFlags(c, o)
	c.Flags().StringVar(&o.budget, "budget", "", "spending limit of the run: 5usd or 2Mtok (default "+defaultBudget+")")
}

func driveFlags(c *cobra.Command, o *driveOptions) {
	f := c.Flags()
	f.IntVarP(&o.jobs, "jobs", "j", 0, "modules to build in parallel (default 4, with a worker pool 16, or jobs in jacquard.yaml)")
	f.StringVar(&o.on, "on", "", "engine of the run: local, or temporal for a cluster (default local, or engine in jacquard.yaml)")
	f.StringVar(&o.pool, "pool", "", "`name` of the worker pool that runs agents and checks on a cluster (see jacquard worker; default pool in jacquard.yaml, or only this machine)")
	f.StringVar(&o.agent, "agent", "", "agent: claude, codex, opencode or scripted")
	f.StringVar(&o.model, "model", "", "model `name` for the agent")
	f.StringVar(&o.scenario, "scenario", "", "`file` with scripted model answers, for tests and demos")
	f.StringVar(&o.mailbox, "mailbox", "", "exchange model requests and answers as files in this `directory`")
	f.StringVar(&o.record, "record", "", "record the model's answers to a `file`")
	f.StringVar(&o.replay, "replay", "", "replay answers from a recorded `file`")
	f.BoolVar(&o.accept, "accept-changes", false, "continue although the workflow definition has changed")
	f.BoolVar(&o.follow, "follow", false, "with --json: stream events, one object per line, and print the result last")
	f.BoolVar(&o.fresh, "fresh", false, "run every check again, even if its result is cached")
	sandboxFlag(c, &o.sandbox)
	f.BoolVar(&o.wait, "wait", false, "wait for usage limits to reset instead of parking the run")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only questions, errors and the result")
	f.BoolVar(&o.verbose, "verbose", false, "also print the files and commands of each agent")
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		if c.Flags().Changed("jobs") && (o.jobs < 1 || o.jobs > maxJobs) {
			return usage("--jobs %d: must be between 1 and %d", o.jobs, maxJobs)
		}
		if o.quiet && o.verbose {
			return conflict("--quiet", "--verbose")
		}
		if c.Flags().Changed("budget") && o.budget == "" { // a variable of a script that is not set must not mean the default
			_, err := parseBudget(o.budget)
			return err
		}
		return nil
	}
	hide(c, "on", "pool", "scenario", "mailbox", "record", "replay", "accept-changes", "follow")
}

// sandboxFlag is for commands that run agents or checks.
func sandboxFlag(c *cobra.Command, level *string) {
	c.Flags().StringVar(level, "sandbox", "", "sandbox for agents and checks: full, partial, outside or off (default: see jacquard.yaml, else full on Linux)")
}

// who is the person at this terminal, for records.
func (a *app) who() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "somebody"
}
