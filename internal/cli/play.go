package cli

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/scenario"
)

// newAgentPlay is the scripted agent: a process of its own, so that it can be
// killed like any other.
func newAgentPlay(a *app) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "agent-play", Hidden: true, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := readScenario(file)
			if err != nil {
				return err
			}
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			stage := scenario.Stage{Prompt: a.In, Dir: wd, Out: a.Out, Shell: agent.Shell(a.Env), Now: time.Now}
			if code := scenario.Play(c.Context(), s, stage); code != 0 {
				return &exitError{code: code}
			}
			return nil
		},
	}
	c.Flags().StringVar(&file, "scenario", "", "scenario file")
	return c
}

// killAt lets the kill tests end this process without any warning: right after
// the nth append to the journal (JACQUARD_KILL=append:n), or at the nth side of
// a side effect (JACQUARD_KILL=effect:n) or of a callback (JACQUARD_KILL=callback:n). It returns nil in production.
func (a *app) killAt(what string) func(n int) {
	kind, number, _ := strings.Cut(a.env["JACQUARD_KILL"], ":")
	n, err := strconv.Atoi(number)
	if kind != what || err != nil {
		return nil
	}
	return func(i int) {
		if i != n {
			return
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {} // the kill is on its way
	}
}

// effects numbers the sides of side effects for killAt: of all, or of those of one name ("after push:1").
func (a *app) effects() func(string) {
	kind, _, ok := strings.Cut(a.env["JACQUARD_KILL"], ":")
	kill := a.killAt(kind)
	if !ok || kill == nil {
		return nil
	}
	var n atomic.Int64
	return func(name string) {
		if kind == "effect" || kind == name {
			kill(int(n.Add(1)))
		}
	}
}
