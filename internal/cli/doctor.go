package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// labelColumn is how many cells doctor has for what a line is about.
const labelColumn = 10

// finding is one line of doctor.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Need bool   `json:"needed"` // a problem here stops compile
	Text string `json:"text"`

	Absent bool `json:"-"` // nothing is wrong, and nothing is there

	Check *step.Standing `json:"check,omitempty"` // of a line about a command of the project
}

func newDoctor(a *app) *cobra.Command {
	fresh := false
	c := &cobra.Command{
		Use: "doctor", Short: "check the setup: git, agent, account, checks", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list := a.examine(c.Context(), fresh)
			bad := false
			for _, f := range list {
				bad = bad || f.Need && !f.OK
			}
			if !a.asJSON(map[string]any{"ok": !bad, "findings": list}) {
				for _, f := range folded(a.lang(), list) {
					mark := "✓"
					switch {
					case f.Absent:
						mark = "–"
					case !f.OK && f.Need:
						mark = "✗"
					case !f.OK:
						mark = "⚠"
					}
					label := a.lang().Label(f.What)
					fmt.Fprintf(a.Out, "%s %s%s %s\n", mark, label, strings.Repeat(" ", max(0, labelColumn-report.Width(label))), f.Text)
				}
			}
			if bad {
				return silent(exitEnvironment)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&fresh, "fresh", false, "run every check again, even if its result is cached")
	c.AddCommand(newDoctorWorks(a))
	return c
}

// folded is a list in which a member of the project whose commands all pass has one line.
func folded(l report.Lang, list []finding) []finding {
	member := func(f finding) string {
		if f.Check == nil || f.Check.Dir == "." {
			return ""
		}
		return f.Check.Dir
	}
	var out []finding
	for len(list) > 0 {
		n, tests, passes := 1, 0, true
		for n < len(list) && member(list[n]) != "" && member(list[n]) == member(list[0]) {
			n++
		}
		var commands []string
		for _, f := range list[:n] {
			if passes = passes && f.OK; f.Check != nil {
				commands, tests = append(commands, f.Check.Command), tests+f.Check.Tests
			}
		}
		if n == 1 || !passes {
			out = append(out, list[:n]...)
		} else {
			out = append(out, finding{What: "member", OK: true, Text: report.Countf(l.T("%s: %s: all pass, %d tests"), member(list[0]), strings.Join(commands, ", "), tests)})
		}
		list = list[n:]
	}
	return out
}

// checkup collects findings. They are data too: with --json they are English.
type checkup struct {
	l    report.Lang
	list []finding
}

func (c *checkup) add(what string, ok, need bool, format string, args ...any) {
	c.list = append(c.list, finding{What: what, OK: ok, Need: need, Text: fmt.Sprintf(format, args...)})
}

func (a *app) examine(ctx context.Context, fresh bool) []finding {
	p, err := a.open(ctx) // its configuration may choose the language
	c := &checkup{l: a.lang()}
	if a.json {
		c.l = report.English
	}
	if v, err := git.Version(ctx, a.Env); err != nil {
		c.add("git", false, true, c.l.T("%v: install git 2.38 or newer"), err)
	} else if !newer(v, 2, 38) {
		c.add("git", false, true, c.l.T("%s is too old: install 2.38 or newer"), v)
	} else {
		c.add("git", true, true, "%s", v)
	}
	if err != nil {
		c.add("project", false, true, "%s", inLang(c.l, err))
		return c.list
	}
	switch {
	case p.wide():
		c.add("project", false, true, c.l.T("%s is no project: change to the directory of your project"), p.root)
	case p.noGit:
		c.add("project", false, true, c.l.T("%s is not a git repository: git init && git add --all && git commit, then run jacquard doctor again"), p.root)
	default:
		c.add("project", true, true, "%s (%s)", p.root, c.l.T("git repository"))
	}
	if name, email, err := p.repo.Identity(ctx); err == nil && !p.noGit && (name == "" || email == "") {
		c.add("author", false, false, "%s", c.l.T("git has no user.name or no user.email, so you cannot commit, and commits of runs are by Jacquard <jacquard@localhost>: git config --global user.name \"…\" && git config --global user.email \"…\""))
	}
	var examined []string
	for _, name := range p.seats(driveOptions{}).Agents(p.conf.Panel...) {
		m, ok := findMaker(name)
		if _, more := p.conf.ACP[name]; more {
			c.configured(p, name)
			continue
		}
		if !ok { // the scripted agent needs nothing
			m = makers()[0]
		}
		if !slices.Contains(examined, m.name) {
			examined = append(examined, m.name)
			c.agent(ctx, p, m)
		}
	}
	probe := filepath.Join(p.cache, "tmp", "probe")
	if err := os.WriteFile(probe, []byte("x"), 0o600); err != nil {
		c.add("cache", false, true, c.l.T("%s is not writable: %v"), p.cache, err)
	} else {
		_ = os.Remove(probe)
		c.add("cache", true, true, "%s", p.cache)
	}
	c.space(p)
	c.specs(ctx, p)
	c.sandbox(ctx, p)
	if !p.hasTrust() {
		c.add("trust", false, true, c.l.T("%s asks for permissions that you have not allowed yet; to review them, run: jacquard trust"), configFile)
	}
	if p.exists() {
		c.runs(ctx, p)
	}
	c.quarantine(p)
	c.session(ctx, a, examined)
	if p.hasTrust() && !p.noGit {
		c.checks(ctx, p, fresh)
	}
	if p.conf.Engine == onTemporal || p.conf.Pool != "" {
		c.cluster(ctx, p)
	}
	return c.list
}

// little is how much free space makes a run fail on the way: clones, dependencies and compilers' caches are larger.
const little = 1 << 30

// space warns of a disk that is nearly full: where runs are kept, and where what they build is.
func (c *checkup) space(p *project) {
	for _, dir := range []string{p.root, p.cache} {
		if free, ok := confine.FreeAt(dir); ok && free < little {
			c.add("disk", false, free < little/16, c.l.T("only %d MiB free at %s: free some space; jacquard gc deletes what ended runs left"), free>>20, dir)
		}
	}
}

// specs reads the specs and the lock, where there are any.
func (c *checkup) specs(ctx context.Context, p *project) {
	switch s, err := countSpecs(ctx, act.New(p.planOptions())); {
	case err != nil:
		c.add("specs", false, true, "%s", inLang(c.l, err))
	case s.Invalid > 0:
		c.add("specs", false, false, c.l.T("%s; to see them, run: jacquard spec check"), s.specs(c.l))
	case s.Specs > 0:
		c.add("specs", true, false, "%s", s.specs(c.l))
	}
}

// configured looks for the program of an agent of the configuration. It is not started: before it is trusted it must not be.
func (c *checkup) configured(p *project, name string) {
	at, err := p.installed(name)
	if err != nil {
		c.add("agent", false, true, c.l.T("%s: %q is not on PATH: install it, or fix acp in %s"), name, p.conf.ACP[name].Command[0], configFile)
		return
	}
	c.add("agent", true, true, c.l.T("%s at %s, over the Agent Client Protocol; cost unknown"), name, at)
	c.open(p, name)
	for _, v := range p.conf.ACP[name].Env {
		if p.a.env[v] == "" {
			c.add("agent", false, false, c.l.T("%s is not set; %s gets it"), v, name)
		}
	}
}

// checks runs the project's own commands on what is checked out, those of which nothing is kept or all where fresh, and says of each where it was read and how it stands.
func (c *checkup) checks(ctx context.Context, p *project, fresh bool) {
	list, err := p.survey(ctx, ctx, "", fresh)
	if err != nil {
		c.add("checks", false, true, "%s", inLang(c.l, err))
		return
	}
	if err := p.begun(ctx); len(list) == 0 && err != nil {
		c.add("checks", false, true, "%s", inLang(c.l, err))
		return
	}
	if len(list) == 0 {
		c.add("checks", false, true, c.l.T("no test command found for this project: add one under checks in %s"), configFile)
	}
	for _, s := range list {
		c.list = append(c.list, finding{What: s.Purpose, OK: s.State == step.Passes, Need: s.Blocks(), Text: report.Standing(c.l, s), Check: &s})
	}
}

func (c *checkup) agent(ctx context.Context, p *project, m maker) {
	env, unneeded := p.a.env, c.l.T(" (not needed by jacquard prove, jacquard demo and the tutorial with --scenario)")
	program, err := m.find(env)
	if errors.Is(err, proc.ErrPermission) {
		c.add("agent", false, true, c.l.T("%s is not executable: run chmod +x on it, or install %s: %s"), program, m.title, m.install)
		return
	}
	if err != nil {
		c.add("agent", false, true, c.l.T("%s is not installed: %s")+unneeded, m.title, m.install)
		return
	}
	key, token := m.secrets(env)
	found := m.open(program).Detect(ctx, agent.Auth(p.conf.Auth), key+token != "", p.a.Env, p.root)
	if found.Problem.Class != agent.OK {
		c.add("agent", false, true, "%s", found.Problem.Message+unneeded)
		return
	}
	c.add("agent", true, true, c.l.T("%s %s at %s"), m.title, found.Version, program)
	pays := found.Pays
	if found.Auth == agent.Key {
		pays = c.l.T("the account of the API key or token in the environment (not tested before the first call)")
	}
	c.add("account", true, true, c.l.T("billed to %s; budget per run: %s"), pays, p.conf.Budget)
	if found.Auth == agent.Login {
		c.open(p, m.title)
	}
	c.provider(ctx, cmp.Or(env[m.base], m.home), found.Auth == agent.Key) // the program of a log-in knows ways of its own
}

// open warns of an agent that reaches its model by itself, which widens its sandbox.
func (c *checkup) open(p *project, name string) {
	if _, b, err := p.sandbox(""); err == nil && b != nil {
		c.add("agent", false, false, c.l.T("%s uses a login of its own, so what it runs reaches the whole network and can read that login. With an API key or token, claude, codex and opencode reach only their model"), name)
	}
}

// answersWithin is how long a provider may take to say anything.
const answersWithin = 5 * time.Second

// provider asks whether the address of a provider answers at all. It is told no key. need says that nothing can be built without it.
func (c *checkup) provider(ctx context.Context, address string, need bool) {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err == nil {
		var res *http.Response
		if res, err = http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
		}
	}
	if err != nil {
		c.add("network", false, need, c.l.T("no answer from %s: %v. Agents need the network: check it, HTTPS_PROXY and the address"), address, errors.Unwrap(err))
		return
	}
	c.add("network", true, need, c.l.T("%s answers"), address)
}

func (c *checkup) runs(ctx context.Context, p *project) {
	runs, err := p.runs(ctx)
	if errors.Is(err, flow.ErrDamaged) {
		c.add("journal", false, true, c.l.T("%v: move %s away; your work is kept on refs, see jacquard recover"), err, filepath.Join(p.state, "journal.db"))
		return
	}
	if err != nil {
		c.add("journal", false, true, "%s", inLang(c.l, err))
		return
	}
	open := 0
	for _, r := range runs {
		if !r.State.Ended() {
			open++
		}
	}
	c.add("journal", true, true, "%s", report.Countf(c.l.T("%d runs, %d unfinished"), len(runs), open))
}

func (c *checkup) quarantine(p *project) {
	list, err := act.Quarantine(p.state, time.Now())
	if err != nil {
		c.add("tests", false, false, c.l.T("read the quarantine: %v"), err)
		return
	}
	var ids []string
	for _, q := range list {
		ids = append(ids, fmt.Sprintf(c.l.T("%s until %s"), q.Test, q.Until.Format(time.DateOnly)))
	}
	if len(ids) > 0 {
		c.add("tests", false, false, c.l.T("quarantined flaky tests, to be fixed: %s"), strings.Join(ids, ", "))
	}
}

// newer compares the first two numbers of a version.
func newer(v string, major, minor int) bool {
	var x, y int
	if n, err := fmt.Sscanf(v, "%d.%d", &x, &y); err != nil || n != 2 {
		return false
	}
	return x > major || x == major && y >= minor
}
