package check

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Audit is a difference and what it was allowed to be. Its Findings are a pure function of it.
type Audit struct {
	Changes []Change
	// Allows says which paths the task may touch; nil allows all.
	Allows func(path string) bool
	// Frozen are test files that must not differ.
	Frozen []step.File
	// Tests are the contents of tests that the difference does not touch (frozen ones), for finding copied answers.
	Tests map[string][]byte
	// Removable are ids of tests whose items the spec no longer has; they may go.
	Removable []string
	// Replaced reports, where it is set, whether new tests may have taken the place of one that is gone: then its old version is run, and
	// nothing is said of it here.
	Replaced func(f *file, old source.Test) bool
	// Config are patterns of configuration files that the task says may change.
	Config []string
	// Scripts are those of the project that build what the tests see.
	Scripts []string
	// Packages are dependencies that the spec or the task names.
	Packages []string
	// SpecText is where literal tables and names of the environment may come from, Said all that says what the code does.
	SpecText, Said string
	// Spec is the path of the module's spec, "" where a request says what the code does.
	Spec string
	// Raises are errors that the spec names where it says what goes wrong.
	Raises []string
	// BeforeCode says that tests are written before the code is.
	BeforeCode bool
	// Report is the author's own text.
	Report string

	testsNow map[string][]byte // see testTexts
}

// audit audits what the author of a module's code has changed.
func (c *Checker) audit(ctx context.Context, m Module, changes []Change, frozen []step.File, allows func(string) bool) ([]step.Finding, error) {
	tests, err := c.texts(ctx, frozen)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	raises := slices.Sorted(maps.Keys(setOf(slices.Concat(slices.Collect(maps.Values(m.RaisedBy))...))))
	return Audit{
		Changes: changes, Allows: allows, Frozen: frozen, Tests: tests, Scripts: m.Chain.Scripts(), Packages: m.Packages, SpecText: m.SpecText, Said: m.Said, Spec: m.Spec, Raises: raises,
	}.Findings(), nil
}

// merge adds the findings of an audit to those of a proof. Where both speak of one thing the proof's stays, except that
// the audit's more exact rule replaces a plain out-of-scope.
func merge(proof, audit []step.Finding) []step.Finding {
	const scope = "out-of-scope"
	exact := those(audit, func(f step.Finding) bool { return f.Rule != scope && f.Severity == step.Rejects })
	named := setOf(each(exact, func(f step.Finding) string { return f.Path }))
	out := without(proof, func(f step.Finding) bool { return f.Rule == scope && named[f.Path] })
	about := func(f step.Finding) string { return f.Rule + " " + f.Path }
	have := setOf(each(out, about))
	return append(out, without(audit, func(f step.Finding) bool { return have[about(f)] })...)
}

// file is a change while it is audited.
type file struct {
	Change
	class    toolchain.Class
	old, new source.File
	added    map[int]bool
	lines    []line // added
	code     []source.Token
	reached  map[string]map[string]bool // by the names of new tests, see reaches
}

// Findings audits the difference. They are sorted by path, line and rule.
func (a Audit) Findings() []step.Finding {
	a.testsNow = a.testTexts()
	var out []step.Finding
	files := each(a.Changes, newFile)
	for _, f := range files {
		out = append(out, a.paths(f)...)
		if f.Status == 'D' || f.NewMode == linkMode || f.NewMode == moduleMode {
			continue
		}
		out = append(out, contents(f)...)
		switch f.class {
		case toolchain.Source:
			out = append(out, a.sourceRules(f)...)
		case toolchain.Test:
			out = append(out, testFileRules(f)...)
		default:
		}
	}
	out = append(out, a.testRules(files)...)
	out = append(out, a.unraised(files)...)
	out = append(out, a.unguarded(files)...)
	out = append(out, a.answers(files)...)
	if m := unsure().FindString(a.Report); m != "" {
		out = append(out, warn("uncertain-report", "", 0, "The agent's report says \""+m+"\"."))
	}
	slices.SortStableFunc(out, func(x, y step.Finding) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), x.Line-y.Line, strings.Compare(x.Rule, y.Rule))
	})
	return slices.Compact(out)
}

func newFile(ch Change) *file {
	f := &file{Change: ch, class: toolchain.Classify(ch.Path), old: source.Parse(ch.Path, ch.Old)}
	if ch.NewMode == linkMode || ch.NewMode == moduleMode || binary(ch.New) || len(ch.New) > hugeFile {
		return f
	}
	f.new, f.lines = source.Parse(ch.Path, ch.New), added(ch.Old, ch.New)
	f.added, f.code = numbersOf(f.lines), source.Code(f.new.Tokens)
	return f
}

const hugeFile = 1 << 20

func binary(b []byte) bool { return slices.Contains(b[:min(len(b), 64<<10)], 0) }

// paths are the rules about where a change is.
func (a Audit) paths(f *file) []step.Finding {
	p := f.Path
	if slices.ContainsFunc(a.Frozen, func(fr step.File) bool { return fr.Path == p && f.NewID != fr.ID }) {
		return []step.Finding{frozenChanged(f.Change)}
	}
	if f.NewMode == linkMode && escapes(p, string(f.New)) {
		return []step.Finding{reject("symlink-escape", p, 0, "This symbolic link points outside the project ("+string(f.New)+"). Remove it.")}
	}
	if f.NewMode == moduleMode {
		return []step.Finding{reject("submodule-added", p, 0, "A submodule was added. Remove it.")}
	}
	if finding, is := a.config(f); is {
		return finding
	}
	if a.Allows != nil && !a.Allows(p) {
		return []step.Finding{reject("out-of-scope", p, 0, "This file is outside the scope of the task. Undo your change.")}
	}
	return nil
}

func frozenChanged(ch Change) step.Finding {
	what := map[bool]string{true: "deleted", false: "changed"}[ch.Status == 'D']
	return reject("frozen-changed", ch.Path, 0, "This test file is frozen and was "+what+". Change the code so that the test passes unchanged.")
}

// escapes reports whether a link at p with this target leads out of the project or into git's folder.
func escapes(p, target string) bool {
	target = strings.ReplaceAll(target, `\`, "/")
	if path.IsAbs(target) || len(target) > 1 && target[1] == ':' {
		return true
	}
	to := path.Join(path.Dir(p), target)
	return to == ".." || strings.HasPrefix(to, "../") || slices.Contains(strings.Split(strings.ToLower(to), "/"), ".git")
}

// scriptsOf are the scripts that build what the tests of toolchains see.
func scriptsOf(chains []toolchain.Found) []string {
	return slices.Concat(each(chains, toolchain.Found.Scripts)...)
}

// configures is what a file configures, which a script that builds does as well.
func configures(file string, scripts []string) toolchain.ConfigKind {
	kind := toolchain.ConfigKindOf(file)
	if kind == toolchain.NoConfig && slices.Contains(scripts, file) {
		return toolchain.BuildConfig
	}
	return kind
}

// config are the rules about configuration. The second result says that the path is one and nothing else need be said.
func (a Audit) config(f *file) ([]step.Finding, bool) {
	kind := configures(f.Path, a.Scripts)
	if kind == toolchain.NoConfig {
		return nil, false
	}
	if slices.ContainsFunc(a.Config, func(pat string) bool { return toolchain.Match(pat, f.Path) }) {
		return nil, true
	}
	rule, what := "config-changed", "The task does not allow changes to this file ("+string(kind)+"). Undo your change."
	switch kind {
	case toolchain.LockConfig:
		rule = "lockfile-changed"
		if len(a.Packages) > 0 {
			return []step.Finding{warn("new-dependency", f.Path, 0, "The lock file changed because of packages listed in the spec.")}, true
		}
		what = "The lock file was changed. Jacquard installs the dependencies; undo your change."
	case toolchain.HooksConfig:
		rule = "hooks-changed"
	case toolchain.AttributesConfig:
		rule = "gitattributes-changed"
	case toolchain.AgentConfig, toolchain.EditorConfig:
		rule = "agent-settings-changed"
	case toolchain.ManifestConfig:
		if out, is := a.manifest(f); is {
			return out, true
		}
	default:
	}
	return []step.Finding{reject(rule, f.Path, 0, what)}, true
}

// manifest allows added lines that only name authorised packages, and names a replace directive for what it is.
func (a Audit) manifest(f *file) ([]step.Finding, bool) {
	only := len(f.lines) > 0 && f.Status == 'M'
	for _, l := range f.lines {
		text := strings.TrimSpace(l.text)
		if path.Base(f.Path) == "go.mod" && (strings.HasPrefix(text, "replace ") || strings.Contains(text, "=>")) {
			return []step.Finding{reject("gomod-replace", f.Path, l.n, "A replace directive was added to go.mod. Remove it.")}, true
		}
		named := text == "" || strings.Trim(text, "(){}[],") == "" || text == "require ("
		for _, p := range a.Packages {
			named = named || strings.Contains(text, `"`+p+`"`) || strings.HasPrefix(strings.TrimPrefix(text, "require "), p+" ") ||
				strings.HasPrefix(strings.ToLower(strings.Trim(text, `"' `)), strings.ToLower(p))
		}
		only = only && named
	}
	bare := func(l line) string { return strings.TrimRight(strings.TrimSpace(l.text), ",") } // a comma that moved is no removal
	now := setOf(append(each(f.lines, bare), ""))
	only = only && !slices.ContainsFunc(added(f.New, f.Old), func(l line) bool { return !now[bare(l)] })
	if only {
		return []step.Finding{warn("new-dependency", f.Path, f.lines[0].n, "A package listed in the spec was added.")}, true
	}
	return nil, false
}
