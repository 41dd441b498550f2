package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// completed gives a command and those below it what a shell completes: values of flags that are one of a few, and runs where the first
// argument is one. What they are for is said in the language of the person.
func (a *app) completed(c *cobra.Command) {
	levels := make([]string, 0, len(confine.Levels))
	for _, level := range confine.Levels {
		levels = append(levels, string(level))
	}
	values := map[string][]string{
		"agent": step.AgentNames(), "style": styleNames(), "lang": {"en", "ko"}, "phase": {string(step.Full), string(step.Red), string(step.GreenRefactor)},
		"conflict": {string(step.KeepFiles), string(step.Overwrite)}, "on": {onLocal, onTemporal}, "sandbox": levels, "documents": {"commit", "keep"}, "budget": {"5usd", "20usd", "2Mtok"},
		"language": toolchain.Languages(),
	}
	l := a.lang()
	c.Short = l.Wording(c.Short)
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = l.Wording(f.Usage) })
	var f doFlags
	for _, x := range f.settings() {
		values[x.flag] = x.all()
	}
	for name, list := range values {
		if c.Flags().Lookup(name) != nil || c.PersistentFlags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		}
	}
	if c.ValidArgsFunction == nil && takesRun().MatchString(c.Use) {
		c.ValidArgsFunction = a.completeRuns
	}
	if c.ValidArgsFunction == nil && slices.Contains(forModules, c.Name()) {
		c.ValidArgsFunction = a.completeModules
	}
	for _, sub := range c.Commands() {
		a.completed(sub)
	}
}

// takesRun finds that the first argument of a command is a run.
var takesRun = re.New(`^\S+ \[?RUN\b`)

// forOpen are the commands for runs that have not ended.
var forOpen = []string{"answer", "edit", "resume", "stop", "approve", "reject", "cancel"}

// forModules are the commands whose argument is a module, or a folder with some.
var forModules = []string{"build", "verify", "validate", "adopt", "targets"}

// completeModules are the modules that have a spec, and what a shell has for paths.
func (a *app) completeModules(c *cobra.Command, _ []string, _ string) (out []string, _ cobra.ShellCompDirective) {
	p, err := a.open(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	plan, err := act.New(p.planOptions()).PlanCompile(c.Context(), step.CompileIn{All: true, Phase: step.Full, Conflict: step.KeepFiles})
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	for _, t := range plan.Targets().Targets {
		out = append(out, t.Dir)
	}
	return out, cobra.ShellCompDirectiveDefault
}

// completeRuns are the runs of the project, with what was asked.
func (a *app) completeRuns(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var runs []flow.Run
	p, err := a.open(c.Context())
	if err == nil {
		runs, err = p.runs(c.Context())
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, r := range runs {
		if r.State.Ended() && slices.Contains(forOpen, c.Name()) {
			continue
		}
		out = append(out, r.ID+"\t"+string(r.State)+", "+requested(r))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
