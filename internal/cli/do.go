package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/inbox"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// doFlags are what do is asked for.
type doFlags struct {
	askedFor
	styleSettings
	documents, expected string

	dryRun, bug bool
}

func newDo(a *app) *cobra.Command {
	var f doFlags
	var about strings.Builder
	for _, s := range styles() {
		fmt.Fprintf(&about, "  %-8s %s\n", s.name, s.about)
	}
	c := &cobra.Command{
		Use: "do REQUEST", Short: "turn a request into verified commits",
		Long: "An agent turns the request into requirements and a plan of tasks. Each task is built in its own clone, verified and " +
			"committed. You approve the plan before anything is built.\n\n" +
			"Styles (--style, or do: in " + configFile + "; default: the first that supports all given flags):\n\n" + about.String(),
		Example: "  jacquard do \"add a discount to the cart\"\n  jacquard do --from issue:12 --yes --budget 5\n  jacquard do \"sessions expire after an hour\" --tests first --deliver pr",
		RunE: func(c *cobra.Command, args []string) error {
			return a.do(c.Context(), c.Flags(), strings.Join(args, " "), f)
		},
	}
	doSettings(c, &f)
	fl := c.Flags()
	fl.StringVar(&f.style, "style", "", "style `name`: "+strings.Join(styleNames(), ", ")+", or one of styles in "+configFile)
	fl.StringVar(&f.tests, "tests", "", "when tests are written: with (together with the code) or first (before the code)")
	fl.StringVar(&f.size, "size", "", "size of the process: auto, s (no plan), m (a plan) or l (plan, design and critics)")
	fl.StringVar(&f.review, "review", "", "reviewers: none, one, or panel (see "+configFile+")")
	return c
}

// doSettings are the flags of do and bug.
func doSettings(c *cobra.Command, f *doFlags) {
	runFlags(c, &f.driveOptions)
	fl := c.Flags()
	fl.StringVar(&f.ask, "ask", "", "when to ask for approval: never, plan, or phases (every phase)")
	fl.BoolVarP(&f.yes, "yes", "y", false, "same as --ask never: answer questions with their defaults and record them")
	fl.StringVar(&f.deliver, "deliver", "", "how to deliver: commits (one per task), one (commit), or pr (a pull request; needs GITHUB_TOKEN or GITLAB_TOKEN)")
	fl.StringVar(&f.from, "from", "", "read the request from file:PATH (- is stdin), issue:N, slack:CHANNEL or gmail:QUERY")
	fl.StringVar(&f.documents, "documents", "", "where to put the documents of the run: commit, or keep (in .jacquard)")
	fl.StringVar(&f.feature, "feature", "", "feature `name` for branches and documents (a-z, 0-9, -)")
	dryFlag(c, &f.dryRun)
	worktreeFlag(c, &f.worktree)
	hide(c, "feature", "documents")
}

// dryFlag is the flag of commands that can say what they would do.
func dryFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVarP(to, "dry-run", "n", false, "show what would be done, with which agent, checks and budget; call no agent, change nothing")
}

// dryStyle says what a style would do under its former name.
func (p *project) dryStyle(ctx context.Context, name, given string, q askedFor) error {
	given, err := p.a.request(given, q.file, "--file ", "jacquard "+name)
	if err != nil {
		return err
	}
	f := doFlags{askedFor: q, styleSettings: styleSettings{style: name}}
	if q.pr {
		f.deliver = deliverPull
	}
	if q.yes {
		f.ask = askNever
	}
	s, err := f.chosen()
	if err != nil {
		return err
	}
	return p.a.dryDo(ctx, p, s, given, f)
}

func newBug(a *app) *cobra.Command {
	f := doFlags{styleSettings: styleSettings{style: "work", tests: testsFirst, fixed: true}, bug: true}
	c := &cobra.Command{
		Use: "bug REPORT", Short: "reproduce a bug with a failing test, then fix it",
		Long: "First an agent writes only a test, and Jacquard checks that it fails because of the bug. Then the test is frozen and " +
			"the fix is written. The fix counts only if the test passes with it and fails without it.",
		Example: "  jacquard bug \"the total is wrong when the cart is empty\" --expected \"0.00\"\n  jacquard bug --from issue:31 --yes",
		RunE: func(c *cobra.Command, args []string) error {
			return a.do(c.Context(), c.Flags(), strings.Join(args, " "), f)
		},
	}
	doSettings(c, &f)
	c.Flags().StringVar(&f.expected, "expected", "", "`text` that describes the correct behavior")
	return c
}

// do begins a run of the style that a request asks for, or goes on with one.
func (a *app) do(ctx context.Context, flags *pflag.FlagSet, given string, f doFlags) error {
	a.documents = f.documents
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(f.fill(flags, p.conf), p.knows(f.agent)); err != nil {
		return err
	}
	s, err := f.chosen()
	if err != nil {
		return err
	}
	given, err = p.source(ctx, strings.TrimSpace(given), f.from)
	if err != nil {
		return err
	}
	if given == "" && !strings.HasPrefix(f.from, "slack:") && !strings.HasPrefix(f.from, "gmail:") {
		if f.bug {
			return usage("describe the bug: jacquard bug \"…\" --expected \"…\", or --from file:PATH")
		}
		return usage("no request given: jacquard do \"…\", or --from file:PATH")
	}
	if f.review == reviewPanel && len(p.conf.Panel) == 0 {
		return usage("--review panel: name the reviewers under panel in %s", configFile)
	}
	if f.dryRun {
		return a.dryDo(ctx, p, s, given, f)
	}
	if unchecked, err := act.New(p.planOptions()).Unchecked(ctx); err != nil {
		return err
	} else if unchecked {
		fmt.Fprintf(a.Err, a.lang().T("⚠ no test command found for this project: add one under checks in %s\n"), configFile)
	}
	f.yes, f.pr = f.ask == askNever, f.deliver == deliverPull
	begin := map[string]func(*project, context.Context, string, doFlags) error{workDef: (*project).doWork, autoDef: (*project).doAuto, developDef: (*project).doDevelop}
	return begin[s.def](p, ctx, given, f)
}

// doWork begins a run of style work.
func (p *project) doWork(ctx context.Context, given string, f doFlags) error {
	size := map[string]step.Mode{"s": step.DirectMode, "m": step.PipelineMode}[f.size]
	return p.work(ctx, given, workFlags{askedFor: f.askedFor, size: size, testsFirst: f.tests == testsFirst, bug: f.bug, expected: f.expected})
}

// doAuto begins a run of style pdca.
func (p *project) doAuto(ctx context.Context, given string, f doFlags) error {
	g := autoFlags{askedFor: f.askedFor, style: f.sizes, eco: f.size == "s", heavy: f.size == "l", interactive: f.ask == askPhases}
	if channel, ok := strings.CutPrefix(f.from, "slack:"); ok {
		g.slack = channel
	}
	if query, ok := strings.CutPrefix(f.from, "gmail:"); ok {
		g.gmail = cmp.Or(query, inbox.Unread)
	}
	return p.auto(ctx, given, g)
}

// doDevelop begins a run of style develop.
func (p *project) doDevelop(ctx context.Context, given string, f doFlags) error {
	g := developFlags{askedFor: f.askedFor, prSaid: f.deliver != "", alone: f.review == reviewOne}
	if f.size == "s" {
		g.strategy = checkpoint.Strategies[0]
	}
	return p.develop(ctx, given, g)
}

// fill takes settings of the configuration where no flag was given, and --yes as what it stands for.
func (f *doFlags) fill(flags *pflag.FlagSet, conf config) error {
	f.given = map[string]any{}
	if f.yes {
		if f.ask != "" && f.ask != askNever {
			return conflict("--yes", "--ask "+f.ask)
		}
		f.ask, f.given["ask"] = askNever, "--yes"
	}
	if f.bug { // of bug nothing else can be set
		conf = config{Do: doConfig{Ask: conf.Do.Ask}}
	}
	f.names = conf.styleNames()
	if own, ok := conf.Styles[cmp.Or(f.style, conf.Do.Style)]; ok {
		f.named, f.sizes, f.style = cmp.Or(f.style, conf.Do.Style), own.pdca(), ""
		f.take(own.settings(), "styles: "+f.named, flags.Changed)
	}
	f.take(conf.Do, "do", flags.Changed)
	switch f.documents {
	case "", "commit", "keep":
		return nil
	}
	return usage("--documents %q: must be commit or keep", f.documents)
}

// source is the text of a request, read from where --from says.
func (p *project) source(ctx context.Context, given, from string) (string, error) {
	kind, name, _ := strings.Cut(from, ":")
	switch {
	case from == "":
		return given, nil
	case kind == "file" && name != "":
		if given != "" {
			return "", usage("the request was given twice, as an argument and with %s: remove one of them", "--from "+from)
		}
		return p.a.request("", name, "--from file:", "")
	case kind == "issue":
		n, err := strconv.Atoi(name)
		if err != nil || n <= 0 {
			break
		}
		c, err := p.forge(ctx)
		if err != nil {
			return "", environment("--from %s", err, from)
		}
		issue, err := c.Issue(ctx, n)
		if err != nil {
			return "", fmt.Errorf("--from %s: %w", from, err)
		}
		return strings.TrimSpace(fmt.Sprintf("#%d: %s\n\n%s\n\n%s", n, issue.Title, issue.Body, given)), nil
	case kind == "slack" && name != "", kind == "gmail":
		return given, nil
	}
	return "", badFrom(from)
}

// dryDo says what do would do, without an agent.
func (a *app) dryDo(ctx context.Context, p *project, s style, given string, f doFlags) error {
	text, err := a.request(given, "", "", "jacquard do")
	if err == nil {
		err = enough(text, text)
	}
	if err != nil {
		return err
	}
	if _, _, err := p.sandbox(f.sandbox); err != nil {
		return err
	}
	if p.noGit && processOf(s.def).git {
		return usage("not a git repository: style %s works with branches and commits; run git init first", s.name)
	}
	if !p.noGit && !f.worktree {
		if err := p.leaveAlone(ctx); err != nil {
			return err
		}
	}
	budget, err := p.budget(f.budget)
	if err != nil {
		return err
	}
	own := func(value string, list []string) string { return cmp.Or(value, first(list, "", "")) }
	seats := p.seats(f.driveOptions)
	out := struct {
		Style   string      `json:"style"`
		Request string      `json:"request"`
		Ask     string      `json:"ask"`
		Tests   string      `json:"tests"`
		Review  string      `json:"review"`
		Size    string      `json:"size"`
		Deliver string      `json:"deliver"`
		Agent   string      `json:"agent"`
		Model   string      `json:"model,omitempty"`
		Budget  step.Budget `json:"budget"`
		Checks  []string    `json:"checks"`
	}{cmp.Or(f.named, s.name), text, own(f.ask, s.ask), own(f.tests, s.tests), own(f.review, s.review), own(f.size, s.size), own(f.deliver, s.deliver), seats.Run.Agent, seats.Run.Model, budget, nil}
	if out.Checks, err = act.New(p.planOptions()).CheckCommands(ctx); err != nil {
		return err
	}
	blocked := p.trusted() // said last: what would be done is shown all the same
	if blocked == nil && out.Deliver == deliverPull {
		if _, err := p.forge(ctx); err != nil {
			blocked = environment("no pull request can be opened", err)
		}
	}
	if a.asJSON(out) {
		return blocked
	}
	l := a.lang()
	fmt.Fprintf(a.Out, l.T("style:   %s (ask %s, tests %s, review %s, size %s)\n"), out.Style, out.Ask, out.Tests, out.Review, out.Size)
	program := strings.TrimSpace(out.Agent + " " + out.Model)
	if m, ok := findMaker(out.Agent); ok {
		if _, err := m.find(a.env); err != nil {
			program += l.T(" (not installed)")
		}
	}
	fmt.Fprintf(a.Out, l.T("agent:   %s\n"), program)
	fmt.Fprintf(a.Out, l.T("budget:  %s\n"), budgetText(l, budget))
	fmt.Fprintf(a.Out, l.T("deliver: %s\n"), out.Deliver)
	for i, c := range out.Checks {
		head := l.T("checks:  ")
		if i > 0 {
			head = strings.Repeat(" ", report.Width(head))
		}
		fmt.Fprintf(a.Out, "%s%s\n", head, c)
	}
	if len(out.Checks) == 0 {
		fmt.Fprintf(a.Out, l.T("checks:  none found; add the test command under checks in %s\n"), configFile)
	}
	fmt.Fprint(a.Out, l.T("Nothing was started. In the first step of a run, an agent estimates the size of the work.\n"))
	return blocked
}
