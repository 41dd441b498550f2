package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newInit(a *app) *cobra.Command {
	var hook, session, undo, yes bool
	c := &cobra.Command{
		Use: "init", Short: "write jacquard.yaml; set up a git hook or agent plugins", Args: cobra.NoArgs,
		Example: "  jacquard init\n  jacquard init --hook\n  jacquard init --session",
		RunE: func(c *cobra.Command, _ []string) error {
			if session {
				return a.initSession(c.Context(), undo, yes)
			}
			if hook && undo {
				return usage("--undo works only with --session. To undo --hook, delete the file pre-commit that it wrote: rm \"$(git rev-parse --git-path hooks)/pre-commit\"")
			}
			for _, name := range []string{"undo", "yes"} {
				if c.Flags().Changed(name) {
					return usage("--%s works only with --session: jacquard init --session --%s", name, name)
				}
			}
			p, err := a.open(c.Context())
			if err != nil {
				return err
			}
			if hook {
				return p.hook(c.Context())
			}
			path := filepath.Join(p.root, configFile)
			f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return usage("%s already exists; edit it", path)
			}
			if err != nil {
				return environment("write %s", err, configFile)
			}
			_, err = f.WriteString(initText)
			if err = cmp.Or(err, f.Close()); err != nil {
				_ = os.Remove(path) // half of it is worse than none
				return environment("write %s", err, configFile)
			}
			if err := p.makeState(); err != nil {
				_ = os.Remove(path) // all or nothing
				return err
			}
			if a.asJSON(map[string]string{"wrote": path}) {
				return nil
			}
			fmt.Fprintf(a.Out, a.lang().T("wrote %s\n"), path)
			fmt.Fprintln(a.Err, a.lang().T("next, run: jacquard doctor"))
			return nil
		},
	}
	c.Flags().BoolVar(&hook, "hook", false, "only install a pre-commit hook that validates staged modules; to remove it, delete the file")
	c.Flags().BoolVar(&session, "session", false, "let installed coding agents (Claude Code, Codex, opencode) check their sessions with prove")
	c.Flags().BoolVar(&undo, "undo", false, "with --session: remove it again")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "with --session: do not ask")
	return c
}

const initText = `# Settings of Jacquard for this project. Everything is optional.

# agent: claude            # the program that writes code: claude, codex, opencode, or one of acp
# acp:                     # other programs that speak the Agent Client Protocol (needs trust once)
#   gemini: {command: [gemini, --acp], env: [GEMINI_API_KEY]}   # env: variables of yours to pass on
# model: ""                # "" = the agent's own default
# models:                  # the three model tiers; a missing one is the model above
#   low: haiku             # agent/model, agent, or a model of the agent above
#   medium: sonnet
#   high: opus             # used by auto --opus in HEAVY
# roles:                   # a tier or a model per role (docs/guides/agents.md)
#   reviewer: codex/gpt-6.1-sol
# panel: [opus, codex/gpt-6.1-sol]   # models that design side by side, at most three
# auth: auto               # key (ANTHROPIC_API_KEY, CLAUDE_CODE_OAUTH_TOKEN; OPENAI_API_KEY for codex), login, or auto
# budget: 20usd            # spending limit per run; also 2Mtok
# jobs: 4                  # modules or tasks at once
# lang: en                 # messages: en or ko

# setup: ["npm run codegen"]   # commands that prepare a check tree (need trust once: jacquard trust)
# copy: [".env.test"]          # ignored files that checks need
# checks:                      # commands that replace those found in CI files and scripts (docs/guides/languages.md; need trust once)
#   test: make check           # {report} becomes the path for a JUnit, TAP or go test -json report
#   report: build/junit/*.xml  # or where the command writes its reports
#   lint: golangci-lint run

# limits:
#   turn: 1h               # longest agent turn
#   idle: 15m              # longest silence of an agent
#   check: 10m             # longest check; default: learned from earlier runs here
#   ci: 2h                 # longest wait for CI on a pull request
#   ci_start: 3m           # how long to wait for CI to start; after that, there is none
#   heartbeat: 30s         # longest silence of a cluster machine

# sandbox:                 # for agents and checks, Linux only (docs/concepts/security.md)
#   level: full            # full, partial, outside (Jacquard runs in a container) or off (needs trust once unless full)
#   workers: full          # level that workers must use
#   read: [../shared]      # more folders to read; write: folders to change (need trust once)
#   install: [npm.example.com]  # more hosts for installations, besides registries (needs trust once)
#   connect: ["127.0.0.1:5432"] # services on this machine, or paths of their sockets (needs trust once)
#   limits: {memory: 8GiB, pids: 4096}

# engine: temporal         # keep runs on a Temporal cluster (docs/guides/several-machines.md)
# project: team/shop       # its name there; default: from the address of origin
# pool: linux              # pool of workers that run agents and checks (needs trust once)
# hub: origin              # where workers share results: a remote, s3://BUCKET/PREFIX or file:///FOLDER (needs trust once)

# pr: true                 # style develop pushes feat/NAME and opens a pull request; your branch stays where it is (needs trust once)
# issue: true              # style pdca comments on the issue that a task names, or opens one (needs trust once)

# documents: commit        # or keep (in .jacquard); default: commit if the project already has such documents

# do:                        # defaults for jacquard do
#   style: work              # work, pdca or develop; default: the first that supports all settings
#   ask: plan                # never, plan or phases
#   tests: with              # with, or first (another agent writes failing tests before the code)
#   size: auto               # auto, s, m or l
#   review: none             # none, one or panel
#   deliver: commits         # commits, one or pr
# work:                      # limits for requests without a plan, and for pipelines
#   direct_requirements: 2
#   direct_criteria: 3
#   pipeline_tasks: 1
# callbacks:                 # a server that gets the results of work runs (needs trust once)
#   task: https://host/{{executionId}}/task-result
#   progress: https://host/{{executionId}}/task-progress
`
