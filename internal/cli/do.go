package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/inbox"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Settings of do. A style is a named set of them.
const (
	askNever  = "never"
	askPlan   = "plan"
	askPhases = "phases"

	deliverCommits = "commits"
	deliverOne     = "one"
	deliverPull    = "pr"

	testsWith  = "with"
	testsFirst = "first"

	reviewNone  = "none"
	reviewOne   = "one"
	reviewPanel = "panel"
)

// style is a way to carry a request out: which values of the settings of do it has. The first of a list is its own.
type style struct {
	name, def, about                        string
	ask, deliver, tests, review, size, from []string

	begin func(p *project, ctx context.Context, given string, f doFlags) error
}

// styles are those that there are, the default one first.
func styles() []style {
	return []style{
		{
			name: "work", def: workDef, about: "a requirement, a plan of tasks, one verified commit per task",
			ask: []string{askPlan, askNever}, deliver: []string{deliverCommits, deliverPull}, tests: []string{testsWith, testsFirst}, review: []string{reviewNone},
			size: []string{"auto", "s", "m"}, from: []string{"file", "issue"}, begin: (*project).doWork,
		},
		{
			name: "pdca", def: autoDef, about: "plan, design, build, check and improve, with critics and an architect",
			ask: []string{askPlan, askNever, askPhases}, deliver: []string{deliverCommits, deliverPull}, tests: []string{testsWith}, review: []string{reviewOne},
			size: []string{"auto", "s", "l"}, from: []string{"file", "issue", "slack", "gmail"}, begin: (*project).doAuto,
		},
		{
			name: "develop", def: developDef, about: "contracts and tests first, checkpoints, review, one commit or PR",
			ask: []string{askPlan, askNever}, deliver: []string{deliverOne, deliverPull}, tests: []string{testsFirst}, review: []string{reviewOne, reviewPanel},
			size: []string{"auto", "s"}, from: []string{"file", "issue"}, begin: (*project).doDevelop,
		},
	}
}

// styleNames are the names of the styles, the default one first.
func styleNames() (out []string) {
	for _, s := range styles() {
		out = append(out, s.name)
	}
	return out
}

// doFlags are the settings of do, "" for what nobody has set.
type doFlags struct {
	askedFor
	style, size, ask, tests, review, deliver, documents, from, expected string

	dryRun, bug bool
	configured  []string // settings of which the file of settings has the value
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
	fl.StringVar(&f.style, "style", "", "style `name`: "+strings.Join(styleNames(), ", "))
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
	f := doFlags{askedFor: q, style: name}
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
	f := doFlags{style: "work", tests: testsFirst, bug: true}
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

// setting is one of do, with the values that a style has for it.
type setting struct {
	flag  string
	value *string
	of    func(style) []string
}

// all are the values that any style has.
func (x setting) all() (out []string) {
	for _, s := range styles() {
		for _, v := range x.of(s) {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

func (f *doFlags) settings() []setting {
	return []setting{
		{"ask", &f.ask, func(s style) []string { return s.ask }},
		{"deliver", &f.deliver, func(s style) []string { return s.deliver }},
		{"tests", &f.tests, func(s style) []string { return s.tests }},
		{"review", &f.review, func(s style) []string { return s.review }},
		{"size", &f.size, func(s style) []string { return s.size }},
	}
}

// chosen is the style that has all that was asked for.
func (f *doFlags) chosen() (style, error) {
	name := f.style
	kind, _, _ := strings.Cut(f.from, ":")
	for _, x := range f.settings() {
		if all := x.all(); *x.value != "" && !slices.Contains(all, *x.value) {
			return style{}, usage("--%s %q: must be one of %s", x.flag, *x.value, strings.Join(all, ", "))
		}
	}
	if f.from != "" && !slices.Contains([]string{"file", "issue", "slack", "gmail"}, kind) {
		return style{}, badFrom(f.from)
	}
	var refused []error
	for _, s := range styles() {
		if name != "" && s.name != name {
			continue
		}
		why := f.lacks(s, kind)
		if why == nil {
			return s, nil
		}
		refused = append(refused, why)
	}
	if len(refused) == 0 {
		return style{}, usage("--style %q: must be one of %s", name, strings.Join(styleNames(), ", "))
	}
	return style{}, &usageError{errors.Join(refused...)}
}

// lacks says which setting a style does not have, and what to remove; nil where it has all. kind is where the request is from.
func (f *doFlags) lacks(s style, kind string) error {
	for _, x := range append(f.settings(), setting{"from", &kind, func(s style) []string { return s.from }}) {
		if *x.value == "" || slices.Contains(x.of(s), *x.value) {
			continue
		}
		remove := f.given(x.flag, *x.value)
		if f.style != "" && !f.bug {
			remove = words("%v or %v", f.given("style", f.style), remove)
		}
		return words("style %s supports --%s %s, not %s: remove %v", s.name, x.flag, strings.Join(x.of(s), ", "), *x.value, remove)
	}
	return nil
}

// given is a setting as a person has given it, with the file that it stands in.
func (f *doFlags) given(flag, value string) any {
	switch {
	case slices.Contains(f.configured, flag):
		return words("%s in %s", "do: "+flag+": "+value, configFile)
	case flag == "ask" && f.yes:
		return "--yes"
	case flag == "from":
		value = f.from
	}
	return "--" + flag + " " + value
}

// do begins a run of the style that a request asks for, or goes on with one.
func (a *app) do(ctx context.Context, flags *pflag.FlagSet, given string, f doFlags) error {
	a.documents = f.documents
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(f.fill(flags, p.conf.Do), p.knows(f.agent)); err != nil {
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
	return s.begin(p, ctx, given, f)
}

// doWork begins a run of style work.
func (p *project) doWork(ctx context.Context, given string, f doFlags) error {
	size := map[string]step.Mode{"s": step.DirectMode, "m": step.PipelineMode}[f.size]
	return p.work(ctx, given, workFlags{askedFor: f.askedFor, size: size, testsFirst: f.tests == testsFirst, bug: f.bug, expected: f.expected})
}

// doAuto begins a run of style pdca.
func (p *project) doAuto(ctx context.Context, given string, f doFlags) error {
	g := autoFlags{askedFor: f.askedFor, eco: f.size == "s", heavy: f.size == "l", interactive: f.ask == askPhases}
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
func (f *doFlags) fill(flags *pflag.FlagSet, conf doConfig) error {
	if f.yes {
		if f.ask != "" && f.ask != askNever {
			return conflict("--yes", "--ask "+f.ask)
		}
		f.ask = askNever
	}
	if f.bug { // of bug nothing else can be set
		conf = doConfig{Ask: conf.Ask}
	}
	said := map[string]string{"style": conf.Style, "ask": conf.Ask, "deliver": conf.Deliver, "tests": conf.Tests, "review": conf.Review, "size": conf.Size}
	for _, x := range append(f.settings(), setting{flag: "style", value: &f.style}) {
		if v := said[x.flag]; v != "" && *x.value == "" && !flags.Changed(x.flag) {
			*x.value, f.configured = v, append(f.configured, x.flag)
		}
	}
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

func badFrom(from string) error {
	return usage("--from %q: must be file:PATH, issue:N, slack:CHANNEL or gmail:QUERY", from)
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
	}{s.name, text, own(f.ask, s.ask), own(f.tests, s.tests), own(f.review, s.review), own(f.size, s.size), own(f.deliver, s.deliver), seats.Run.Agent, seats.Run.Model, budget, nil}
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

// UnmarshalYAML reads settings that some style has.
func (c *doConfig) UnmarshalYAML(n *yaml.Node) error {
	allowed := map[string][]string{"style": styleNames()}
	for _, x := range new(doFlags).settings() {
		allowed[x.flag] = x.all()
	}
	if err := knownKeys(n, "do", slices.Sorted(maps.Keys(allowed))...); err != nil {
		return err
	}
	for i := 1; i < len(n.Content); i += 2 {
		key, v := n.Content[i-1].Value, n.Content[i]
		if values := allowed[key]; v.Kind == yaml.ScalarNode && v.Value != "" && values != nil && !slices.Contains(values, v.Value) {
			return words("line %d: do: %s %q: must be one of %s", v.Line, key, v.Value, strings.Join(values, ", "))
		}
	}
	type plain doConfig
	return n.Decode((*plain)(c))
}
