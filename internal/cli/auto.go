package cli

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/inbox"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

type autoFlags struct {
	askedFor
	style       *pdca.Style // nil: pdca.OwnStyle
	dryRun      bool
	eco, heavy  bool
	opus        bool
	interactive bool
	accept      bool
	custom      string
	context     []string
	skip        bool
	issue       bool
	noIssue     bool
	skipE2E     bool
	strict      bool
	screen      string
	slack       string
	gmail       string
	wants       step.Wanted // taskOf finds it
	expect      string
}

func newAuto(a *app) *cobra.Command {
	var f autoFlags
	c := &cobra.Command{
		Use: "auto [TASK]", Short: "do --style pdca: plan, design, build, check, improve", Args: cobra.MaximumNArgs(2),
		Long: "Jacquard scores the size of a task (LIGHT, STANDARD, HEAVY) and runs it: a plan (with a critic and a design if " +
			"larger), a verified implementation, an architect's verdict, check and fix cycles, a review and a measured comparison " +
			"with the design. Every loop has a limit and ends with a reason. Documents go to docs/ if the project has some there, " +
			"else to .jacquard/docs/. Without a task, it looks for work in the project and proposes it.",
		Example: "  jacquard auto \"add a discount to the cart\"\n  jacquard auto --dry-run \"move the sessions to Redis\"",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			task, err := f.taskOf(args)
			if err != nil {
				return err
			}
			if task != "" || f.file != "" || f.wants != "" {
				return p.auto(ctx, task, f)
			}
			return p.discover(ctx, f)
		}),
	}
	runFlags(c, &f.driveOptions)
	c.Flags().StringVarP(&f.file, "file", "f", "", "`file` with the task; - is stdin")
	c.Flags().StringVar(&f.feature, "feature", "", "feature `name` (a-z, 0-9, -)")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "estimate the task with one agent call and write nothing")
	c.Flags().BoolVar(&f.eco, "eco", false, "force the LIGHT process")
	c.Flags().BoolVar(&f.heavy, "heavy", false, "force the HEAVY process")
	c.Flags().BoolVar(&f.opus, "opus", false, "in HEAVY, use the high model tier for design, code and reviews")
	c.Flags().BoolVar(&f.interactive, "interactive", false, "ask between the phases")
	c.Flags().BoolVar(&f.accept, "allow-unverified", false, "continue despite a reviewer's objection; it is kept in the report")
	c.AddCommand(newAutoStatus(a), newAutoResume(a), newAutoStop(a))
	c.Flags().StringArrayVar(&f.context, "context", nil, "`command` whose output is shown to agents; may be repeated")
	c.Flags().StringVar(&f.slack, "slack", "", "read messages of this Slack `channel` id first (needs SLACK_TOKEN)")
	c.Flags().StringVar(&f.gmail, "gmail", "", "read mails found by this Gmail `query` first (default: unread mails; needs GMAIL_TOKEN_FILE)")
	c.Flags().Lookup("gmail").NoOptDefVal = inbox.Unread
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask: end the run where a person must decide; without a task: do the proposed work")
	c.Flags().BoolVar(&f.skip, "skip-analysis", false, "do not show the repository's issues to agents (read with GITHUB_TOKEN or GITLAB_TOKEN)")
	c.Flags().BoolVar(&f.issue, "issue", false, "comment on the issue named in the task (#12), or open one with label auto (needs GITHUB_TOKEN or GITLAB_TOKEN)")
	c.Flags().BoolVar(&f.noIssue, "no-issue", false, "write no issue, overriding jacquard.yaml")
	worktreeFlag(c, &f.worktree)
	pullFlag(c, &f.pr)
	c.Flags().StringVar(&f.custom, "custom", "", "extra `command` that must succeed")
	c.Flags().BoolVar(&f.skipE2E, "skip-e2e", false, "skip the project's end-to-end tests (Playwright)")
	c.Flags().BoolVar(&f.strict, "strict", false, "stop at the first failing end-to-end test and fix nothing")
	c.Flags().StringVar(&f.screen, "qa-interactive", "", "`command` to run in a terminal (tmux) as a check; needs --expect")
	c.Flags().StringVar(&f.expect, "expect", "", "`regexp` that must appear on the screen of --qa-interactive")
	return c
}

func (p *project) auto(ctx context.Context, given string, f autoFlags) (err error) {
	switch {
	case f.eco && f.heavy:
		return conflict("--eco", "--heavy")
	case f.eco && f.opus:
		return conflict("--eco", "--opus")
	case f.strict && f.skipE2E:
		return conflict("--strict", "--skip-e2e")
	case f.issue && f.noIssue:
		return conflict("--issue", "--no-issue")
	}
	if (f.screen == "") != (f.expect == "") {
		return usage("--qa-interactive and --expect must be used together: a command, and the output to expect from it")
	}
	if f.screen != "" {
		if _, _, err := act.ScreenLine(f.screen, f.expect); err != nil {
			return usage("--qa-interactive: %v", err)
		}
		if _, err := proc.LookPath("tmux", p.a.env["PATH"]); err != nil {
			return environment("--qa-interactive", words("tmux is not installed: install it and put it on PATH"))
		}
	}
	seats := p.seats(f.driveOptions)
	if m, ok := findMaker(seats.Run.Agent); f.opus && ok && seats.Tiers[step.High] == "" {
		return usage("--opus: the best model of %s is unknown: set models: high: in %s", m.name, configFile)
	}
	said := given
	if f.wants != "" {
		given = ""
	} else if given, err = p.a.request(given, f.file, "--file ", "jacquard auto"); err != nil {
		return err
	}
	if err := enough(given, given); f.wants == "" && err != nil {
		return err
	}
	if f.dryRun || f.wants != "" { // nothing of the project changes
		f.pr, f.worktree = false, false
	}
	return p.request(ctx, autoDef, given, f.askedFor, func(s start) (any, error) {
		in := step.AutoIn{
			Pull: s.pull, Request: given, Named: f.named, Feature: f.feature, Sources: f.sources(), Wants: f.wants, Language: s.language(said), DryRun: f.dryRun, Style: f.style, Eco: f.eco, Heavy: f.heavy, Opus: f.opus,
			Gates: f.interactive, Yes: f.yes, Accept: f.accept, Custom: f.custom, Screen: f.screen, Expect: f.expect, SkipE2E: f.skipE2E, Strict: f.strict, Delivery: step.ToCommit, Budget: s.budget,
		}
		if in.Issue, err = s.issueIn(ctx, given, f); err != nil {
			return nil, err
		}
		return in, s.collect(ctx, &in, f)
	})
}

// collect gets what a task is given besides the project: that of its unfinished run, else it is collected anew.
func (p *project) collect(ctx context.Context, in *step.AutoIn, f autoFlags) error {
	old, found, err := p.unfinishedOf(ctx, autoDef, nil)
	if err != nil {
		return err
	}
	if was, err := report.Decode[step.AutoIn](old.In); found && err == nil {
		same := was
		same.Context, same.Sources, same.Left = nil, nil, nil
		for _, s := range was.Sources {
			same.Sources = append(same.Sources, step.Source{Kind: s.Kind, Name: s.Name})
		}
		if reflect.DeepEqual(*in, same) {
			*in = was
			return nil
		}
	}
	if in.Sources, err = p.autoSources(ctx, in.Sources); err != nil || in.Wants != "" {
		return err
	}
	if in.Left, err = p.leftOfAuto(ctx, in.Request); err != nil {
		return err
	}
	in.Context, err = p.autoContext(ctx, f.context, f.skip)
	return err
}

// leftOfAuto is what the newest run of a request has left, where it has ended and did not pass.
func (p *project) leftOfAuto(ctx context.Context, request string) (*step.Left, error) {
	runs, err := p.runs(ctx)
	i := slices.IndexFunc(runs, func(r flow.Run) bool {
		was, err := report.Decode[step.AutoIn](r.In)
		return r.Def == autoDef && err == nil && was.Request == request
	})
	if i < 0 || !runs[i].State.Ended() {
		return nil, err
	}
	rep, err := p.reportOn(ctx, runs[i])
	if err != nil || rep.Verified() || rep.Feature == nil {
		return nil, err
	}
	if left, ok := rep.Restart()[rep.Feature.Name]; ok {
		return &left, nil
	}
	return nil, nil
}

// newAutoStatus lists the features of the project.
func newAutoStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "list all features and their phases", Args: cobra.NoArgs, Example: "  jacquard auto status",
		RunE: a.inProject(func(ctx context.Context, p *project, _ []string) error {
			list, err := p.reports(ctx, autoDef)
			if err != nil {
				return err
			}
			if a.asJSON(map[string]any{"runs": list}) {
				return nil
			}
			l := a.lang()
			rows := [][]string{{l.T("RUN"), l.T("FEATURE"), l.T("MODE"), l.T("PHASE"), l.T("STATE")}}
			for _, r := range list {
				f := r.Feature
				if f == nil {
					f = &report.Feature{}
				}
				state := l.State(string(r.State))
				if r.Result != nil && r.Result.Ended().End.Reason != "" {
					end := r.Result.Ended().End
					end.Detail = ""
					state = end.String()
				}
				rows = append(rows, []string{r.ID, f.Name, string(f.Mode), f.Phase, state})
			}
			fmt.Fprint(a.Out, report.Table(rows, 0))
			return nil
		}),
	}
}

// unfinishedAuto is the run of auto that is meant: by a prefix, or the newest that has not ended.
func (p *project) unfinishedAuto(ctx context.Context, args []string) (flow.Run, error) {
	if len(args) > 0 {
		return p.find(ctx, args[0])
	}
	if r, ok, err := p.unfinishedOf(ctx, autoDef, nil); ok || err != nil {
		return r, err
	}
	return flow.Run{}, usage("no run of auto is unfinished: jacquard auto status lists them all")
}

func newAutoResume(a *app) *cobra.Command {
	var o driveOptions
	c := &cobra.Command{
		Use: "resume [RUN|FEATURE]", Short: "continue a feature, also one started by another tool", Args: cobra.MaximumNArgs(1),
		Long: "Continues an unfinished run. If there is none, starts a new run for an uncompleted feature of docs/.pdca-status.json " +
			"with a plan or design in the last commit.",
		Example: "  jacquard auto resume",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			if taken, err := p.takeUp(ctx, first(args, "", ""), o); taken || err != nil {
				return err
			}
			r, err := p.unfinishedAuto(ctx, args)
			if err != nil {
				return err
			}
			return p.resume(ctx, r, o, false)
		}),
	}
	runFlags(c, &o)
	return c
}

func newAutoStop(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "stop [RUN]", Short: "end a feature; its work is kept on refs", Args: oneArgument("run"), Example: "  jacquard auto stop",
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.open(c.Context())
			if err != nil {
				return err
			}
			r, err := p.unfinishedAuto(c.Context(), args)
			if err != nil {
				return err
			}
			return newCancel(a).RunE(c, []string{r.ID})
		},
	}
}
