package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
)

// finding is one line of doctor.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Need bool   `json:"needed"` // a problem here stops compile
	Text string `json:"text"`
}

func newDoctor(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "check what a run needs: git, agent, account, toolchains, project", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list := a.examine(c.Context())
			bad := false
			for _, f := range list {
				bad = bad || f.Need && !f.OK
			}
			if a.json {
				a.print(map[string]any{"ok": !bad, "findings": list})
			} else {
				for _, f := range list {
					mark := "✓"
					if !f.OK {
						mark = "⚠"
						if f.Need {
							mark = "✗"
						}
					}
					fmt.Fprintf(a.Out, "%s %-10s %s\n", mark, f.What, f.Text)
				}
			}
			if bad {
				return silent(exitEnvironment)
			}
			return nil
		},
	}
}

func (a *app) examine(ctx context.Context) []finding {
	var out []finding
	add := func(what string, ok, need bool, format string, args ...any) {
		out = append(out, finding{what, ok, need, fmt.Sprintf(format, args...)})
	}
	if v, err := git.Version(ctx, a.Env); err != nil {
		add("git", false, true, "%v: install git 2.38 or newer", err)
	} else {
		ok := newer(v, 2, 38)
		add("git", ok, true, "%s%s", v, map[bool]string{false: " is too old: install 2.38 or newer"}[ok])
	}
	p, err := a.open(ctx)
	if err != nil {
		add("project", false, true, "%v", err)
		return out
	}
	kind := "git repository"
	if p.noGit {
		kind = "no git repository; a private one is kept in " + stateDir
	}
	add("project", true, true, "%s (%s)", p.root, kind)
	a.examineAgent(ctx, p, add)
	for _, t := range []struct{ tool, use, install string }{
		{"go", "Go modules", "https://go.dev/dl"}, {"node", "TypeScript and JavaScript modules", "https://nodejs.org"}, {"python3", "Python modules", "https://www.python.org"},
	} {
		if path, err := proc.LookPath(t.tool, a.env["PATH"]); err == nil {
			add(t.tool, true, false, "%s", path)
		} else {
			add(t.tool, false, false, "not installed; needed for %s: %s", t.use, t.install)
		}
	}
	probe := filepath.Join(p.cache, "tmp", "probe")
	if err := os.WriteFile(probe, []byte("x"), 0o600); err != nil {
		add("cache", false, true, "%s is not writable: %v", p.cache, err)
	} else {
		_ = os.Remove(probe)
		add("cache", true, true, "%s", p.cache)
	}
	if err := p.trusted(driveOptions{}); err != nil {
		add("trust", false, true, "%s", strings.ReplaceAll(err.Error(), "\n", " "))
	}
	if p.exists() {
		a.examineRuns(ctx, p, add)
	}
	if list, err := act.Quarantine(p.state, time.Now()); err != nil {
		add("tests", false, false, "read the quarantine: %v", err)
	} else if len(list) > 0 {
		var ids []string
		for _, q := range list {
			ids = append(ids, q.Test+" until "+q.Until.Format(time.DateOnly))
		}
		add("tests", false, false, "in quarantine because they flake; mend them: %s", strings.Join(ids, ", "))
	}
	return out
}

func (a *app) examineAgent(ctx context.Context, p *project, add func(string, bool, bool, string, ...any)) {
	program, err := proc.LookPath("claude", a.env["PATH"])
	if a.env["JACQUARD_CLAUDE"] != "" {
		program, err = a.env["JACQUARD_CLAUDE"], nil
	}
	if err != nil {
		add("agent", false, true, "Claude Code is not installed: npm install -g @anthropic-ai/claude-code (jacquard demo works without)")
		return
	}
	key := a.env["ANTHROPIC_API_KEY"] != "" || a.env["CLAUDE_CODE_OAUTH_TOKEN"] != ""
	found := agent.NewClaude(program).Detect(ctx, agent.Auth(p.conf.Auth), key, a.Env, p.root)
	if found.Problem.Class != agent.OK {
		add("agent", false, true, "%s", found.Problem.Message)
		return
	}
	add("agent", true, true, "Claude Code %s at %s", found.Version, program)
	add("account", true, true, "paid by %s; budget of a run: %s", found.Pays, p.conf.Budget)
}

func (a *app) examineRuns(ctx context.Context, p *project, add func(string, bool, bool, string, ...any)) {
	rt, err := p.journal(ctx)
	if err != nil {
		text := err.Error()
		if errors.Is(err, flow.ErrDamaged) {
			text += ": move " + filepath.Join(p.state, "journal.db") + " away; work is kept on refs, see jacquard recover"
		}
		add("journal", false, true, "%s", text)
		return
	}
	defer func() { _ = rt.Close() }()
	runs, err := rt.Runs(ctx)
	if err != nil {
		add("journal", false, true, "%v", err)
		return
	}
	open := 0
	for _, r := range runs {
		if !r.State.Ended() {
			open++
		}
	}
	add("journal", true, true, "%d runs, %d unfinished", len(runs), open)
}

// newer compares the first two numbers of a version.
func newer(v string, major, minor int) bool {
	var x, y int
	if n, err := fmt.Sscanf(v, "%d.%d", &x, &y); err != nil || n != 2 {
		return false
	}
	return x > major || x == major && y >= minor
}
