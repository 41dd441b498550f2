package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
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
	prefix := ""
	if len(args) > 0 {
		prefix = args[0]
	}
	if prefix == "" && fits != nil {
		if prefix, err = theOne(ctx, rt, fits, c.CommandPath()); err != nil {
			return err
		}
	}
	r, err := find(ctx, rt, prefix)
	if err != nil {
		return err
	}
	return fn(ctx, p, rt, r)
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
			commands = append(commands, fmt.Sprintf("  %s %s  (%s, %s)", command, r.ID, r.Def, r.State))
		}
	}
	if len(commands) > 1 {
		return "", usage("say which of %d runs is meant:\n%s", len(commands), strings.Join(commands, "\n"))
	}
	return id, nil
}

// goesOn, asks and wantsApproval are what commands fit that change a run, answer it, and edit what it asks about.
func goesOn(r flow.Run) bool { return !r.State.Ended() }

func asks(r flow.Run) bool {
	return slices.ContainsFunc(r.Gates, func(g flow.Gate) bool { return g.Question.Class == "" })
}

func wantsApproval(r flow.Run) bool { return slices.ContainsFunc(r.Gates, approval) }

func newPs(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "ps", Short: "list the runs of this project", Args: cobra.NoArgs,
		Example: "  jacquard ps --json",
		RunE: func(c *cobra.Command, _ []string) error {
			ctx := c.Context()
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			runs, err := p.runs(ctx)
			if err != nil {
				return err
			}
			if a.json {
				list := []judgedRun{}
				for _, r := range runs {
					list = append(list, judgedRun{r, verified(r)})
				}
				a.print(map[string]any{"runs": list})
				return nil
			}
			l := a.lang()
			rows := [][]string{{l.T("RUN"), l.T("WORKFLOW"), l.T("STATE"), l.T("STARTED"), l.T("TOOK")}}
			for _, r := range runs {
				end := r.Ended
				if end.IsZero() {
					end = time.Now()
				}
				state := string(r.State)
				if v := verified(r); v != nil && !*v {
					state += l.T(", not verified")
				}
				rows = append(rows, []string{r.ID, r.Def, state, r.Started.Local().Format(time.DateTime), report.Took(end.Sub(r.Started))})
			}
			fmt.Fprint(a.Out, report.Table(rows, 0))
			return nil
		},
	}
}

// runs are those of the project, the newest first; none where there is no journal.
func (p *project) runs(ctx context.Context) ([]flow.Run, error) {
	if !p.exists() {
		return []flow.Run{}, nil
	}
	rt, err := p.journal(ctx)
	if err != nil {
		return nil, err
	}
	runs, err := rt.Runs(ctx)
	return runs, errors.Join(err, rt.Close())
}

// judgedRun is a run in a list.
type judgedRun struct {
	flow.Run

	// Verified says whether a run that is done has done what it was to do; nil where its workflow proves nothing.
	Verified *bool `json:"verified,omitempty"`
}

// verified is what a run that is done says of itself: to come to an end is not to succeed.
func verified(r flow.Run) *bool {
	var out struct {
		Verified *bool `json:"verified"`
	}
	if r.State != flow.Done || json.Unmarshal(r.Out, &out) != nil {
		return nil
	}
	return out.Verified
}

func newLog(a *app) *cobra.Command {
	var follow, all bool
	c := &cobra.Command{
		Use: "log [RUN]", Short: "print what happened in a run", Args: cobra.MaximumNArgs(1),
		Example: "  jacquard log -f k3v9",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onRun(c, args, func(ctx context.Context, p *project, rt keeper, r flow.Run) error {
				return p.log(ctx, rt, r, follow, all)
			})
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run stands still")
	c.Flags().BoolVar(&all, "all", false, "every event, not only what is of interest")
	return c
}

func (p *project) log(ctx context.Context, rt keeper, r flow.Run, follow, all bool) error {
	var last int64
	enc := json.NewEncoder(p.a.Out)
	every := redraw
	if r.Engine != "" { // each look is a question to a server
		every = time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	collected := []flow.Event{}
	still := false
	for {
		events, err := rt.Events(ctx, r.ID, last)
		if err != nil {
			return err
		}
		for _, e := range events {
			last = e.Seq
			switch {
			case p.a.json && follow:
				if err := enc.Encode(e); err != nil {
					return err
				}
			case p.a.json:
				collected = append(collected, e)
			case all:
				fmt.Fprintf(p.a.Out, "%s  %-6s %s %s\n", e.At.Local().Format(time.TimeOnly), e.Type, e.Key, e.Data)
			default:
				fmt.Fprint(p.a.Out, line(p.a.lang(), r.Def, e, true))
			}
		}
		if !follow || still && len(events) == 0 {
			break
		}
		now, err := find(ctx, rt, r.ID)
		if err != nil {
			return err
		}
		if still = now.State != flow.Running; still {
			continue // for what has come since
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if p.a.json && !follow {
		p.a.print(map[string]any{"run": r.ID, "events": collected})
	}
	return nil
}

func newResume(a *app) *cobra.Command {
	var o driveOptions
	var blocks bool
	c := &cobra.Command{
		Use: "resume [RUN]", Short: "carry an interrupted, parked or waiting run on", Args: cobra.MaximumNArgs(1),
		Example: "  jacquard resume k3v9",
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			rt, err := p.journal(ctx)
			if err != nil {
				return err
			}
			prefix := ""
			if len(args) > 0 {
				prefix = args[0]
			}
			r, err := unfinished(ctx, rt, prefix)
			if cerr := rt.Close(); err == nil {
				err = cerr
			}
			if err != nil {
				return err
			}
			return p.resume(ctx, r, o, blocks)
		},
	}
	driveFlags(c, &o)
	_ = c.Flags().MarkHidden("on") // a run goes on where it is
	c.Flags().BoolVar(&blocks, "blocks", false, "print result blocks for scripts")
	c.Flags().StringVar(&o.budget, "budget", "", "a new budget for a run that has used its own up: 40usd or 4Mtok")
	return c
}

// unfinished finds a run by prefix; without one, the newest that has not ended.
func unfinished(ctx context.Context, rt flow.Runtime, prefix string) (flow.Run, error) {
	if prefix != "" {
		return find(ctx, rt, prefix)
	}
	runs, err := rt.Runs(ctx)
	if err != nil {
		return flow.Run{}, err
	}
	for _, r := range runs {
		if !r.State.Ended() {
			return r, nil
		}
	}
	return flow.Run{}, usage("no run is unfinished: jacquard ps lists them all")
}

func (p *project) resume(ctx context.Context, r flow.Run, o driveOptions, blocks bool) (err error) {
	if meta, err := decode[runMeta](r.Meta); err == nil {
		fill := func(dst *string, v string) {
			if *dst == "" {
				*dst = v
			}
		}
		fill(&o.agent, meta.Agent)
		fill(&o.model, meta.Model)
		fill(&o.scenario, meta.Scenario)
		fill(&o.mailbox, meta.Mailbox)
		if o.jobs == 0 {
			o.jobs = meta.Jobs
		}
	}
	where := cmp.Or(r.Engine, onLocal)
	if o.on != "" && o.on != where {
		return usage("run %s is on %s and goes on there", r.ID, where)
	}
	o.on = where
	e, err := p.engine(ctx, o, nil)
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
		fmt.Fprintf(p.a.Err, p.a.lang().T("run %s goes on: %d of %d are done\n"), r.ID, done, len(rep.Modules))
	}
	return p.drive(ctx, e, r, blocks)
}

// unblock says to a run what its resuming means: a pause is over, and what had
// to be mended is mended. A new budget travels with the latter.
func (p *project) unblock(ctx context.Context, e *engine, r flow.Run, budget string) error {
	if r.State.Ended() {
		return nil
	}
	text := ""
	if budget != "" {
		b, err := parseBudget(budget)
		if err != nil {
			return err
		}
		text = fmt.Sprintf("%dtok", b.Tokens)
		if b.USD > 0 {
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

func driveFlags(c *cobra.Command, o *driveOptions) {
	f := c.Flags()
	f.IntVarP(&o.jobs, "jobs", "j", 0, "modules at once (default 4, on a pool of workers 16, or jobs in jacquard.yaml)")
	f.StringVar(&o.on, "on", "", "where the run is kept: local, or temporal for a cluster (default local, or engine in jacquard.yaml)")
	f.StringVar(&o.pool, "pool", "", "`name` of the workers that carry out turns and checks of a run on a cluster (jacquard worker; default pool in jacquard.yaml, or this machine alone)")
	f.StringVar(&o.agent, "agent", "", "agent: claude, codex, opencode or scripted")
	f.StringVar(&o.model, "model", "", "`name` of the model for the agent")
	f.StringVar(&o.scenario, "scenario", "", "`file` with the model's answers instead of a provider, for tests and demos")
	f.StringVar(&o.mailbox, "mailbox", "", "`directory` where each model request waits for an answer file")
	f.StringVar(&o.record, "record", "", "record the model's answers to `file`")
	f.StringVar(&o.replay, "replay", "", "answer from a recorded `file`")
	f.BoolVar(&o.accept, "accept-changes", false, "go on although the workflow definition has changed")
	f.BoolVar(&o.follow, "follow", false, "with --json: print every event as one object a line while it goes on, and the answer last")
	f.BoolVar(&o.fresh, "fresh", false, "run every check, also those that are on record for the same tree, command, tools and environment")
	f.BoolVar(&o.wait, "wait", false, "wait for usage limits to reset instead of parking the run")
}

// budgetFlag is for commands that begin a run.
func budgetFlag(c *cobra.Command, o *driveOptions) {
	c.Flags().StringVar(&o.budget, "budget", "", "most that the run may spend: 5usd or 2Mtok (default "+defaultBudget+")")
}

func signalRun(a *app, verb, use, short string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.MaximumNArgs(1),
		Example: "  jacquard " + verb + " k3v9",
		RunE: func(c *cobra.Command, args []string) error {
			return a.onThe(c, args, goesOn, func(ctx context.Context, _ *project, rt keeper, r flow.Run) error {
				if r.State.Ended() {
					return usage("run %s has ended (%s)", r.ID, r.State)
				}
				if err := rt.Signal(ctx, r.ID, flow.Signal{Verb: verb, By: a.who()}); err != nil {
					return err
				}
				if verb == flow.CancelRun && r.Driver == "" {
					if r.Engine != "" { // workers may have to end their part first, and there may be none
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, 2*reach)
						defer cancel()
					}
					if st, err := rt.Drive(ctx, r.ID); err == nil {
						r.State = st.State
					}
				}
				if a.json {
					a.print(map[string]any{"run": r.ID, "signal": verb})
					return nil
				}
				said := a.lang().T("run %s starts nothing new; jacquard resume carries it on\n")
				if verb == flow.CancelRun {
					said = a.lang().T("run %s is being cancelled; its work stays on refs/jacquard\n")
				}
				fmt.Fprintf(a.Err, said, r.ID)
				return nil
			})
		},
	}
}

func newPause(a *app) *cobra.Command {
	return signalRun(a, flow.Pause, "pause [RUN]", "start nothing new in a run; what runs is finished")
}

func newCancel(a *app) *cobra.Command {
	return signalRun(a, flow.CancelRun, "cancel [RUN]", "end a run; its work stays on its refs")
}

func newGate(a *app, verb string) *cobra.Command {
	var gate, why string
	short := map[string]string{
		flow.Approve: "approve what a run asks",
		flow.Reject:  "reject what a run asks",
		flow.Reply:   "answer a question of a run",
	}[verb]
	c := &cobra.Command{
		Use: verb + " [RUN] [TEXT]", Short: short, Args: cobra.MaximumNArgs(2),
		Example: map[bool]string{false: "  jacquard " + verb + " k3v9", true: "  jacquard answer k3v9 \"per client\""}[verb == flow.Reply],
		RunE: func(c *cobra.Command, args []string) error {
			text := why
			if len(args) == 2 {
				text = args[1]
			}
			if verb == flow.Reply && len(args) == 1 {
				text, args = args[0], nil // the run that asks is meant
			}
			return a.onThe(c, args, asks, func(ctx context.Context, _ *project, rt keeper, r flow.Run) error {
				if verb == flow.Reply {
					runs, err := rt.Runs(ctx)
					if err != nil {
						return err
					}
					if slices.ContainsFunc(runs, func(other flow.Run) bool { return other.ID == text }) { // it was named, and nothing was said
						return usage("answer what? jacquard answer %s TEXT", text)
					}
				}
				g, err := gateOf(r, gate)
				if err != nil {
					return err
				}
				if verb == flow.Reject && text == "" && approval(g) { // its author is told nothing else
					return usage("say what has to be different: jacquard reject %s --why \"…\"", r.ID)
				}
				if verb == flow.Reply && text == "" {
					return usage("answer what? jacquard answer %s TEXT", r.ID)
				}
				if verb == flow.Reply && len(g.Question.Options) > 0 && !slices.Contains(g.Question.Options, text) {
					return usage("%q is not one of %s", text, strings.Join(g.Question.Options, ", "))
				}
				err = rt.Signal(ctx, r.ID, flow.Signal{Verb: verb, Gate: g.Key, Tree: g.Question.Tree, Text: text, By: a.who()})
				if err != nil {
					return err
				}
				if a.json {
					a.print(map[string]any{"run": r.ID, "gate": g.Key, "signal": verb})
					return nil
				}
				fmt.Fprintf(a.Err, a.lang().T("noted; go on with: jacquard resume %s\n"), r.ID)
				return nil
			})
		},
	}
	c.Flags().StringVar(&gate, "gate", "", "`key` of the question, when a run asks more than one")
	if verb == flow.Reject {
		c.Flags().StringVar(&why, "why", "", "the reason, for whoever tries again")
	}
	return c
}

func gateOf(r flow.Run, key string) (flow.Gate, error) {
	if len(r.Gates) == 0 {
		return flow.Gate{}, usage("run %s asks nothing", r.ID)
	}
	var keys []string
	for _, g := range r.Gates {
		if g.Key == key || key == "" && len(r.Gates) == 1 {
			return g, nil
		}
		keys = append(keys, "  "+g.Key+": "+g.Question.Text)
	}
	return flow.Gate{}, usage("run %s asks %d questions; choose one with --gate:\n%s", r.ID, len(keys), strings.Join(keys, "\n"))
}

// who is the person at this terminal, for records.
func (a *app) who() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "somebody"
}
