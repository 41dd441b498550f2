package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/commands"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Warm installs what checks of a tree by a toolchain need, and fills the caches that they share. It runs none of them.
func (c *Checker) Warm(ctx context.Context, chain toolchain.Found, tree string) error {
	_, err := c.prepare(ctx, tree, chain)
	if err == nil {
		err = (&place{c: c, chain: chain}).warm(ctx, tree)
	}
	if err != nil {
		return fmt.Errorf("warm up %s: %w", chain.Root, err)
	}
	return nil
}

// Survey runs what a toolchain of the project is checked with on a tree that nobody has worked on: it installs, builds, lints
// and tests, each whatever the others give. heard is told of each command, and of its folder, before it runs. What is kept of it is not run.
func (c *Checker) Survey(ctx context.Context, chain toolchain.Found, tree string, heard func(command, dir string)) (all []step.Standing, err error) {
	setup, begun := "", time.Now() //nolint:forbidigo // how old the record is; people are told
	if steps := chain.Setup(); len(steps) > 0 {
		setup = CommandText(steps[len(steps)-1])
		heard(setup, chain.Root)
	}
	key, err := c.baseKey(ctx, chain, tree)
	if all = c.keptStandings(key); all != nil {
		return all, nil
	}
	var p *place
	if err == nil {
		p, err = c.open(ctx, step.OnBaseline, tree, tree, chain)
	}
	if s, told := unusable("install", setup, chain.Root, err); told {
		return []step.Standing{s}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", chain.Root, err)
	}
	defer func() { err = joinClose(err, p) }()
	if text, err := p.unfit(ctx, chain.Engine); err != nil {
		return nil, fmt.Errorf("look at %s: %w", chain.Root, err)
	} else if text != "" {
		all = append(all, step.Standing{Purpose: "engine", Command: "node --version", Dir: chain.Root, From: chain.Manifest, State: step.Useless, Text: text})
	}
	if conda := chain.Own.Conda; len(conda) > 0 {
		if text := p.withoutConda(); text != "" {
			all = append(all, step.Standing{Purpose: "install", Command: toolchain.Texts(conda, chain.Root), Dir: chain.Root, From: conda[0].From, State: step.Useless, Text: text})
		}
	}
	failed := p.deps.failed
	if failed.command != "" {
		all = append(all, step.Standing{Purpose: "install", Command: failed.command, Dir: chain.Root, State: step.Fails, Text: brief(failed.cause())})
	}
	if setup != "" && setup != failed.command {
		all = append(all, step.Standing{Purpose: "install", Command: setup, Dir: chain.Root, State: step.Passes})
	}
	builds, tests := chain.Build(chain.Root), key
	for i, cmd := range slices.Concat(builds, chain.Lint(nil)) {
		heard(CommandText(cmd), cmd.Dir)
		s, err := p.standing(ctx, cmd)
		if err != nil {
			return all, err
		}
		all = append(all, s)
		if i < len(builds) && !lastingly(s) {
			tests = ""
		}
	}
	if text := TestText(chain); text != "" {
		heard(text, chain.Root)
	}
	s, kept, err := p.testStanding(ctx, tests)
	if err != nil {
		return all, err
	}
	all = append(all, s...)
	p.keepStandings(key, all, kept, begun)
	return all, nil
}

// withoutConda says what stands for the environment of conda that the project is tested in, where none is active; "" where one is.
func (p *place) withoutConda() string {
	path := p.c.lookup("PATH")
	if python, err := proc.LookPath("python3", path); err == nil && isDir(filepath.Join(filepath.Dir(filepath.Dir(python)), "conda-meta")) {
		return ""
	}
	what, do := "conda is not installed", "install conda from https://conda-forge.org/download, create its environment, activate it"
	if slices.ContainsFunc(commands.Condas, func(name string) bool { _, err := proc.LookPath(name, path); return err == nil }) {
		what, do = "no environment of conda is active", "create the environment with this command, activate it"
	}
	return what + ", so the tests only see packages that " + p.chain.Manager + " installs; if they need others, " + do + ", and start jacquard again"
}

// unusable is the standing of a command that could not be run.
func unusable(purpose, command, dir string, err error) (step.Standing, bool) {
	s := step.Standing{Purpose: purpose, Command: command, Dir: dir, State: step.Fails}
	var missing *EnvironmentError
	var failed *setupError
	switch {
	case errors.As(err, &missing):
		s.State, s.Text = step.Missing, missing.Error()
	case errors.As(err, &failed): // its command, which can be long, is named beside it
		s.Text = brief(failed.cause())
	case errors.Is(err, ErrSetup):
		s.Text = brief(err.Error())
	default:
		return step.Standing{}, false
	}
	return s, true
}

func (p *place) standing(ctx context.Context, cmd toolchain.Command) (step.Standing, error) {
	out, err := p.exec(ctx, cmd, false)
	if s, told := unusable(cmd.Name, CommandText(cmd), cmd.Dir, err); told {
		s.From = cmd.From
		return s, nil
	}
	if err != nil {
		return step.Standing{}, err
	}
	return p.standingOf(cmd, out), nil
}

// standingOf is how a command stands by what it gave.
func (p *place) standingOf(cmd toolchain.Command, out outcome) step.Standing {
	s := step.Standing{Purpose: cmd.Name, Command: CommandText(cmd), Dir: cmd.Dir, From: cmd.From, State: step.Passes, Millis: out.Record.Millis, Reused: out.Record.Reused}
	switch {
	case out.problem != "":
		s.State, s.Text = step.Useless, out.problem
	case bytes.Contains(out.output, []byte(`matched no packages`)): // Go: there is no code yet, so nothing to look at
	case !out.clean() && (cmd.Complains == 0 || out.Record.Exit != cmd.Complains):
		lines, _ := p.said(out)
		at := atPlaces(lines)
		if s.State, s.Text = step.Fails, blind(lines, at, out.Record.Exit); s.Text == "" {
			s.Old, s.Text = len(at), fmt.Sprintf("exit %d: %s", out.Record.Exit, strings.Join(at[:min(3, len(at))], "; "))
		}
	}
	return s
}

var (
	crashLine  = re.New(`^(?:(?:[A-Z]\w*)?Error: |Traceback \(most recent|panic: )`)
	raised     = re.New(`^[A-Za-z_][\w.]*(?:Error|Exception)\b`)
	dependency = re.New(`(?:^|/)(?:node_modules|site-packages)/`)
)

// blind says why a linter or type checker that fails may not have looked at the project's own files at all; "" where it has.
func blind(lines, at []string, exit int) string {
	for i, l := range lines {
		if crashLine().MatchString(l) {
			if at := slices.IndexFunc(lines[i:], func(l string) bool { return raised().MatchString(l) }); at > 0 {
				l = lines[i+at] // behind the traceback
			}
			return fmt.Sprintf("it crashes (exit %d), so it checks nothing: %s", exit, brief(l))
		}
	}
	if len(at) == 0 || slices.ContainsFunc(at, func(l string) bool { return !dependency().MatchString(l) }) {
		return ""
	}
	return fmt.Sprintf("%d findings, all in dependencies, so it may not look at your files: %s", len(at), brief(at[0]))
}

// TestText is what runs all tests of a toolchain, as its people write it.
func TestText(chain toolchain.Found) string {
	if len(chain.Own.Test) > 0 && chain.Override["test"] == "" {
		return toolchain.Texts(slices.Concat(chain.Own.Before, chain.Own.Test), chain.Root)
	}
	return strings.Join(each(chain.Test(toolchain.Selection{}), CommandText), " && ")
}

// testStanding runs all tests as the project does, and keeps what they give under a key, unless it is kept there. kept says that it is.
func (p *place) testStanding(ctx context.Context, key string) (list []step.Standing, kept bool, err error) {
	if p.chain.Own.Elsewhere {
		return nil, true, nil
	}
	files := p.testFiles()
	s := step.Standing{Purpose: "test", Command: TestText(p.chain), Dir: p.chain.Root}
	switch own := p.chain.Own.Test; {
	case p.chain.Override["test"] != "":
		s.From = toolchain.From + ": checks.test"
	case len(own) > 0:
		s.From = own[0].From
	}
	none := len(files) == 0 && (p.chain.Ecosystem != toolchain.Unknown || s.Command == "")
	if none && !p.chain.NamesPackages() {
		s.State, s.Text = step.Useless, step.NoTests
		for _, cmd := range p.chain.Test(toolchain.Selection{}) {
			if _, err := os.Stat(filepath.Join(p.full(cmd.Dir), cmd.Argv[0])); inTree(cmd.Argv[0]) && errors.Is(err, fs.ErrNotExist) {
				s.State, s.Text = step.Missing, missingTool(toolchain.Command{}, cmd.Argv[0], err).Error()
			}
		}
		return []step.Standing{s}, s.Text == step.NoTests, nil
	}
	run, kept := p.c.keptTests(key)
	if !kept {
		run, err = p.settled(ctx, toolchain.Selection{}, p.testsOf(files))
		kept = err == nil && p.keepTests(key, run)
	}
	if u, told := unusable(s.Purpose, s.Command, s.Dir, err); told {
		u.From = s.From
		return []step.Standing{u}, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for _, r := range run.records {
		s.Millis += r.Millis
	}
	s.Reused = reused(run.records)
	hint := ""
	if out := p.c.unreached(run.said()); out != "" {
		hint = "; " + out
	}
	if run.exit != nil {
		if judgedByExit(&s, run.exit.Exit, p.chain.Own.Written); s.State != "" {
			s.Text += hint
			return []step.Standing{s}, kept, nil
		}
	}
	if none && len(run.results) == 0 {
		s.State, s.Text = step.Useless, step.NoTests
		return []step.Standing{s}, kept, nil
	}
	var failed []string
	for _, r := range run.results {
		switch r.Status {
		case step.Pass:
			s.Tests++
		case step.Skip:
			s.Skipped++
		case step.Fail, step.Error, step.Flake:
			s.Tests++
			s.Failed++
			failed = append(failed, r.ID)
		}
	}
	s.State = step.Passes
	if s.Failed > 0 {
		s.State, s.Text = step.Fails, "already failed before the change: "+strings.Join(failed[:min(5, len(failed))], ", ")
	}
	switch {
	case executed(run.results) == 0 && s.Failed > 0:
		s.Text = brief("no test could be run: " + cmp.Or(run.results[0].Message, run.tail))
	case executed(run.results) == 0:
		s.State = step.Useless
	}
	for _, f := range run.findings {
		if s.Text = brief(f.Message); s.State == step.Passes || f.Rule == "build-failed" {
			s.State = map[bool]step.Verdict{true: step.Fails, false: step.Useless}[f.Rule == "build-failed"]
		}
	}
	if s.State != step.Passes {
		s.Text += hint
	}
	return []step.Standing{s}, kept, nil
}

// judgedByExit says of tests without a report why they have none; where they fail, nothing can be proved by them. report is checks.report.
func judgedByExit(s *step.Standing, exit int, report string) {
	s.Level = string(step.ByExit)
	why, do := "writes no report", "let it write a report: {report} in checks.test"
	if report != "" {
		s.Text = "no file that checks.report names (" + report + ") has a report of tests"
		why, do = s.Text, "correct checks.report"
	}
	if exit != 0 {
		s.State, s.Text = step.Useless, fmt.Sprintf("it already fails without any change (exit %d) and %s, so it cannot tell whether a change breaks something. Fix it, or %s", exit, why, do)
	}
}

// said is what a run printed about what failed.
func (run testRun) said() string {
	failed := those(run.results, func(r step.TestResult) bool { return bad(r.Status) })
	return strings.Join(append([]string{run.tail}, each(failed, func(r step.TestResult) string { return r.Message })...), "\n")
}
