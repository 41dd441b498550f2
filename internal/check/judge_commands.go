package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// leftOut finds old tests, also far from the change, that the project's own commands ran before and leave out now: a setting or a script
// has changed. All of a toolchain are asked for, with and without the change, and only where what says which tests run is another.
func (j *judge) leftOut(ctx context.Context) error {
	scripts := scriptsOf(j.q.Chains)
	if j.q.Now == nil || !slices.ContainsFunc(j.changes, func(ch Change) bool { // most changes are not of any file that could say it
		return configures(ch.Path, scripts) != toolchain.NoConfig || path.Base(ch.Path) == conftest
	}) {
		return nil
	}
	short, cancel := partOf(ctx)
	defer cancel()
	lines := j.q.Now()
	for _, chain := range j.q.Chains {
		if chain.Own.Elsewhere || chain.Override["test"] != "" || !slices.Contains(judged, chain.Ecosystem) {
			continue
		}
		now := those(lines, chain.Same)
		if len(chain.Own.Test) == 0 { // the project has said of none that it is run
			now = []toolchain.Found{chain}
		}
		idle := j.idleScript(chain, lines)
		if idle == "" && (len(now) == 0 || !j.retuned(chain, now)) {
			continue
		}
		err := j.leftOutOf(short, chain, now, idle)
		switch {
		case err == nil, unable(err): // what cannot be run has been said where it matters
		case errors.Is(err, errFar), late(ctx, err):
			j.out.NotRun = append(j.out.NotRun, "all tests of "+chain.Root+", to see whether its commands still run them")
		default:
			return err
		}
	}
	return nil
}

// idleScript is the script or target that led to tests before and does nothing now, with its file, where no command of the project runs the
// tests of a toolchain any more.
func (j *judge) idleScript(chain toolchain.Found, lines []toolchain.Found) string {
	if len(chain.Own.Test) == 0 || slices.ContainsFunc(lines, func(f toolchain.Found) bool {
		return f.Ecosystem == chain.Ecosystem && len(f.Own.Test) > 0 && (f.Same(chain) || below(f.Root, chain.Root))
	}) {
		return ""
	}
	for _, ch := range j.changes {
		if dir := path.Dir(ch.Path); dir != chain.Root && !below(dir, chain.Root) {
			continue
		}
		was, is, found := commands.Scripts(ch.Path, ch.Old), commands.Scripts(ch.Path, ch.New), ""
		for _, name := range slices.Sorted(maps.Keys(is)) {
			switch {
			case was[name] == is[name]:
			case is[name].Tests(ch.Path, ch.New): // they have moved
				return ""
			case found == "" && commands.Idle(is[name].Text) && was[name].Tests(ch.Path, ch.Old):
				found = ch.Path + ": " + name
			}
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// retuned reports whether what says which tests a toolchain runs is another with the change: no line of the project has the command of
// before, or the settings of its runner differ.
func (j *judge) retuned(chain toolchain.Found, now []toolchain.Found) bool {
	text := func(f toolchain.Found) string {
		return strings.Join(each(f.Test(toolchain.Selection{}), func(c toolchain.Command) string {
			return c.Dir + " " + strings.Join(c.Env, " ") + " " + strings.Join(c.Argv, " ")
		}), "\n")
	}
	was := text(chain)
	return !slices.ContainsFunc(now, func(f toolchain.Found) bool { return text(f) == was }) ||
		slices.ContainsFunc(j.changes, func(ch Change) bool {
			return (below(chain.Root, ch.Path) || below(path.Dir(ch.Path), chain.Root)) && chooses(ch.Path, ch.Old) != chooses(ch.Path, ch.New)
		})
}

const conftest = "conftest.py"

// chooses is the part of a file that can say which tests run.
func chooses(name string, text []byte) string {
	switch base := path.Base(name); base {
	case "package.json":
		var m map[string]json.RawMessage
		_ = json.Unmarshal(text, &m) // what cannot be read chooses nothing
		out := ""
		for _, key := range []string{"jest", "mocha", "ava", "tap", "vitest"} {
			out += string(m[key])
		}
		return out
	case "pyproject.toml", "setup.cfg", "tox.ini":
		return linesOf(text, func(section, _ string) bool { return strings.Contains(section, "pytest") })
	case "Cargo.toml":
		return linesOf(text, func(section, line string) bool { return strings.Contains(section+line, "test") })
	case conftest:
		return linesOf(text, func(_, line string) bool { return strings.Contains(line, "collect") })
	default:
		if toolchain.ConfigKindOf(name) == toolchain.RunnerConfig || strings.HasPrefix(base, "vite.config.") {
			return string(text)
		}
	}
	return ""
}

// linesOf are the lines of a file in sections that are wanted.
func linesOf(text []byte, want func(section, line string) bool) string {
	section, out := "", ""
	for line := range strings.Lines(string(text)) {
		if sectionHeader().MatchString(line) {
			section = line
		}
		if want(section, line) {
			out += line
		}
	}
	return out
}

var sectionHeader = re.New(`^\[[^"'\]]+\]`)

// leftOutOf asks one toolchain which tests its command runs without the change, and each of its lines which it runs with it. Where one of
// them cannot say, nothing is known. With an idle script none is run.
func (j *judge) leftOutOf(ctx context.Context, chain toolchain.Found, lines []toolchain.Found, idle string) error {
	base, err := j.place(ctx, chain)
	if err != nil {
		return err
	}
	was, ok, err := j.listed(ctx, base)
	if err != nil || !ok {
		return err
	}
	left := slices.DeleteFunc(base.testsOf(base.testFiles()), func(t test) bool { return t.Skipped || t.in(was.results) != step.Pass || among(j.unrun)(t) })
	if idle != "" {
		lines = nil
		left = slices.DeleteFunc(left, func(t test) bool {
			return slices.ContainsFunc(j.changes, func(ch Change) bool {
				return ch.Path == t.File && byName(source.Parse(t.File, ch.New))[t.Name].Name == ""
			})
		})
	}
	stands := map[string]bool{}
	for _, line := range lines {
		if len(left) == 0 {
			return nil
		}
		pl, err := j.c.open(ctx, step.OnJudged, j.proof.Tree, j.proof.Tree, line)
		if err != nil {
			return err
		}
		now, ok, err := j.listed(ctx, pl)
		silent := func(t test) bool {
			return t.silent(now.results) || executed(now.results) == 0 && t.in(now.results) == step.Skip
		}
		if now.silent && line.Runner != chain.Runner { // another runner, whose report is not where it should be
			ok = false
		}
		if ok && len(chain.Collect()) == 0 && slices.ContainsFunc(left, silent) { // a run can be cut short by what it runs
			end := pl.again()
			var again testRun
			again, ok, err = j.listed(ctx, pl)
			now.results = append(now.results, again.results...)
			end()
		}
		for _, t := range pl.testsOf(filesOf(left)) {
			stands[t.ID] = !t.Skipped
		}
		if err = joinClose(err, pl); err != nil || !ok {
			return err
		}
		left = slices.DeleteFunc(left, func(t test) bool { return !stands[t.ID] || !silent(t) })
	}
	if len(left) > 0 && len(chain.Collect()) > 0 { // whether they pass is to be seen
		was, err = j.proof.noted(base.runTests(ctx, toolchain.Selection{Files: filesOf(left)}, left))
		if err != nil {
			return err
		}
	}
	left = slices.DeleteFunc(left, func(t test) bool { return t.in(was.results) != step.Pass })
	if idle != "" && len(left) > 0 {
		file, name, _ := strings.Cut(idle, ": ")
		j.weakens(reject("test-deleted", file, 0, fmt.Sprintf(
			"The script %s does nothing now, and no other command of the project runs its tests, which ran and passed before (%d), such as %s. Let it run them again.", name, len(left), left[0].Name)), &was)
		return nil
	}
	j.noLonger(groups(each(left, stays), func(m moved) string { return m.is.File }), was)
	return nil
}

// listed is what the commands for the whole of a toolchain run, by asking them, or by running all where there is no other way. ok is false
// where they do not say it test by test.
func (j *judge) listed(ctx context.Context, pl *place) (run testRun, ok bool, err error) {
	cmds := pl.chain.Collect()
	if len(cmds) == 0 {
		run, err = j.proof.noted(pl.runOnce(ctx, toolchain.Selection{}))
		none := len(run.results) == 0 && len(run.records) > 0 && !slices.ContainsFunc(run.records, func(r step.Record) bool { return r.Exit != 0 })
		return run, err == nil && run.exit == nil && (run.silent || run.invalid == "" && (none || len(run.results) > 0)), err
	}
	for _, cmd := range cmds {
		out, err := pl.exec(ctx, cmd, false)
		if err != nil {
			return run, false, err
		}
		run.records, run.results = append(run.records, out.Record), append(run.results, out.Results...)
		if out.problem != "" {
			return run, false, nil
		}
	}
	j.proof.Records = append(j.proof.Records, run.records...)
	return run, true, nil
}
