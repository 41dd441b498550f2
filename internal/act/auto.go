package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
	"github.com/jacquard-build/jacquard/internal/works"
)

// autoSurvey is the step auto.survey.
func (a *Actor) autoSurvey(ctx context.Context, j flow.Job, in step.SurveyIn) (step.AutoSurveyOut, error) {
	facts, v, err := a.projectFacts(ctx, j, in.From, in.Language, in.Request, in.Homes...)
	out := step.AutoSurveyOut{ProjectFacts: facts, Onto: step.HeadOut{Commit: facts.Commit, Tree: facts.Tree}}
	if err != nil {
		return out, err
	}
	if in.Onto != "" {
		if out.Onto, err = a.at(ctx, in.Onto); err != nil {
			return out, err
		}
	}
	for _, c := range a.chains(v) {
		if !slices.Contains(out.Roots, c.Root) {
			out.Roots = append(out.Roots, c.Root)
		}
	}
	out.React = usesReact(v)
	out.Files, err = put(a.o.Blobs, v.paths())
	return out, err
}

// usesReact reports whether a package of the project depends on React, or is configured for Next.js.
func usesReact(v *view) bool {
	for _, p := range v.paths() {
		base := path.Base(p)
		if strings.HasPrefix(base, "next.config.") {
			return true
		}
		if base != "package.json" {
			continue
		}
		var m struct {
			Dependencies    map[string]any `json:"dependencies"`
			DevDependencies map[string]any `json:"devDependencies"`
		}
		if json.Unmarshal(v.bytes(p), &m) == nil && (m.Dependencies["react"] != nil || m.DevDependencies["react"] != nil) {
			return true
		}
	}
	return false
}

// autoClaim is the step auto.claim.
func (a *Actor) autoClaim(ctx context.Context, j flow.Job, in step.AutoClaimIn) (step.AutoClaimOut, error) {
	v, err := a.tree(ctx, in.Tree, nil)
	if err != nil {
		return step.AutoClaimOut{}, err
	}
	taken := func(p string) bool {
		_, err := os.Stat(a.keptFile(path.Join(works.Kept, p)))
		return v.ids[p] != "" || err == nil
	}
	name, err := a.claim(ctx, j, keptPrefix+"auto/", func(claimed []string) string {
		name := in.Feature
		for n := 2; slices.Contains(claimed, name) || (!in.Own || n > 2) && (taken(pdca.PlanPath(name)) || taken(checkpoint.DesignPath(name))); n++ {
			name = fmt.Sprintf("%s-%d", in.Feature, n)
		}
		return name
	})
	return step.AutoClaimOut{Feature: name}, err
}

// maxDiff bounds how much of a difference reviewers are shown, in bytes; the tree has the rest.
const maxDiff = 60_000

// autoLook is the step auto.look.
func (a *Actor) autoLook(ctx context.Context, _ flow.Job, in step.AutoLookIn) (step.AutoLookOut, error) {
	var out step.AutoLookOut
	v, err := a.tree(ctx, in.Tree, nil)
	if err != nil {
		return out, err
	}
	out.Found = presences(v, in.Checklist)
	changes, err := a.o.Repo.Diff(ctx, in.Base, in.Tree)
	if err != nil {
		return out, machinery(err)
	}
	out.Files = files(changes, 300)
	out.Diff, err = a.diffDoc(ctx, in.Base, in.Tree)
	return out, err
}

// diffDoc is the difference of two trees as a document for reviewers.
func (a *Actor) diffDoc(ctx context.Context, base, tree string) (step.Doc, error) {
	diff, err := a.o.Repo.AddedLines(ctx, base, tree)
	if err != nil {
		return step.Doc{}, machinery(err)
	}
	var b strings.Builder
	for _, d := range diff {
		fmt.Fprintf(&b, "%s\n", d.Path)
		for _, l := range d.Removed {
			fmt.Fprintf(&b, "-%d %s\n", l.N, l.Text)
		}
		for _, l := range d.Added {
			fmt.Fprintf(&b, "+%d %s\n", l.N, l.Text)
		}
	}
	out := step.Doc{Title: "the change: removed lines (-, with their old numbers) and added lines (+)"}
	out.Blob, err = a.o.Blobs.Put([]byte(clip(b.String(), maxDiff)), "text/plain")
	return out, machinery(err)
}

// presences looks for the items of a checklist: the file, the symbol that it declares, and the test that shows it.
func presences(v *view, list []pdca.Check) []pdca.Presence {
	paths := v.paths()
	tests := map[string]bool{} // names of all tests
	for _, p := range paths {
		if len(list) > 0 && toolchain.IsTest(p) {
			for _, t := range source.Parse(p, v.bytes(p)).Tests {
				tests[t.Name] = true
				tests[p+"::"+t.Name] = true
			}
		}
	}
	var out []pdca.Presence
	for _, k := range list {
		p := pdca.Presence{ID: k.ID, Path: slices.Contains(paths, path.Clean(k.Path)), Symbol: k.Symbol == "", Test: k.Test == ""}
		if p.Path && k.Symbol != "" {
			p.Symbol = declares(k.Path, v.bytes(k.Path), k.Symbol)
		}
		if k.Test != "" {
			p.Test = hasTest(tests, k.Test)
		}
		out = append(out, p)
	}
	return out
}

// declares reports whether a file declares a name, as NAME or OWNER.NAME. In a file that is no code the name has to occur.
func declares(file string, src []byte, symbol string) bool {
	f := source.Parse(file, src)
	owner, name := "", symbol
	if i := strings.LastIndexAny(symbol, ".#:"); i >= 0 {
		owner, name = strings.TrimRight(symbol[:i], ".#:"), symbol[i+1:]
	}
	name = strings.TrimSuffix(strings.TrimSpace(name), "()")
	if f.Lang == "" {
		return strings.Contains(string(src), name)
	}
	is := func(o, n string) bool {
		return n == name && (owner == "" || o == "" || strings.TrimLeft(o, "*") == strings.Trim(owner, "(*)"))
	}
	return slices.ContainsFunc(f.Exports, func(e source.Export) bool { return is(e.Owner, e.Name) }) ||
		slices.ContainsFunc(f.Funcs, func(x source.Func) bool {
			return is("", x.Name) || x.Name == symbol || strings.HasSuffix(x.Name, "."+name)
		}) ||
		declaredWord(f, name)
}

// declaredWord reports whether a name stands behind a word that declares it: types and values that are not exported.
func declaredWord(f source.File, name string) bool {
	words := []string{"func", "type", "const", "var", "let", "class", "interface", "enum", "def", "fn", "struct", "trait", "record", "object", "val", "static", "mod"}
	for i, t := range f.Tokens {
		if i > 0 && t.Text == name && slices.Contains(words, f.Tokens[i-1].Text) {
			return true
		}
	}
	return false
}

// hasTest reports whether there is a test of a name: as the runner names it, or as an author would.
func hasTest(tests map[string]bool, name string) bool {
	name = strings.TrimSuffix(strings.TrimSpace(name), "()")
	if tests[name] {
		return true
	}
	_, bare, qualified := strings.Cut(name, "::")
	if qualified {
		return hasTest(tests, bare)
	}
	for t := range tests {
		_, n, ok := strings.Cut(t, "::")
		if i := strings.LastIndex(n, "::"); i >= 0 && (n[i+2:] == name || strings.ReplaceAll(n, "::", ".") == name) { // Class::name
			return true
		}
		if ok && (strings.HasSuffix(n, " "+name) || strings.HasSuffix(n, "/"+name) || strings.HasSuffix(n, "."+name) || strings.HasSuffix(n, "> "+name)) {
			return true
		}
	}
	return false
}

// autoQA is the step auto.qa.
func (a *Actor) autoQA(ctx context.Context, j flow.Job, in step.AutoQAIn) (step.AutoQAOut, error) {
	var out step.AutoQAOut
	_, c, chains, err := a.bench(ctx, j, in.Base, in.Tree)
	if err != nil {
		return out, err
	}
	spec := step.TaskIn{Base: in.Base, Tree: in.Tree}
	if in.Custom != "" {
		spec.Task.Verify = []string{in.Custom}
	}
	t := taskCheck(spec, nil, chains, in.Base, in.Tree)
	if in.Screen != "" { // what has to be seen in a terminal
		t.Screen = &check.Screen{}
		if t.Screen.Argv, t.Screen.Expect, err = ScreenLine(in.Screen, in.Expect); err != nil {
			return out, err
		}
	}
	changes, err := a.o.Repo.Diff(ctx, in.Base, in.Tree)
	if err != nil {
		return out, machinery(err)
	}
	if slices.ContainsFunc(changes, func(ch git.Change) bool {
		kind := toolchain.ConfigKindOf(ch.Path)
		return kind == toolchain.ManifestConfig || kind == toolchain.LockConfig
	}) {
		t.Base = in.Tree // the audit has let it pass: what is installed changes
	}
	goals, records, err := c.Goals(ctx, t, in.Base, in.Tree)
	if err != nil {
		return out, a.checkError(err)
	}
	for _, g := range goals {
		goal := step.Goal{Goal: g.Name, Status: step.GoalSkip}
		known, err := a.failedBefore(ctx, c, t, in.Base, check.Proof{Results: g.Results})
		if err != nil {
			return out, err
		}
		for _, text := range known {
			out.Baseline = append(out.Baseline, text)
		}
		if g.Ran {
			goal.Status = step.GoalPass
			goal.Failures = failures(g, known)
		}
		if i := slices.IndexFunc(g.Findings, func(f step.Finding) bool { return f.Rule == "tool-missing" }); i >= 0 {
			goal.Output = clip(g.Findings[i].Message, 300)
		}
		if len(goal.Failures) > 0 {
			goal.Status, goal.Output = step.GoalFail, clip(g.Tail, 3000)
		}
		out.Goals = append(out.Goals, goal)
	}
	slices.Sort(out.Baseline)
	out.Baseline = bound(out.Baseline, 50)
	out.Records, err = put(a.o.Blobs, map[string]any{"tree": in.Tree, "records": records})
	return out, err
}

// autoE2E is the step auto.e2e.
func (a *Actor) autoE2E(ctx context.Context, j flow.Job, in step.AutoQAIn) (step.AutoQAOut, error) {
	var out step.AutoQAOut
	_, c, chains, err := a.bench(ctx, j, in.Base, in.Tree)
	if err != nil {
		return out, err
	}
	g, records, err := c.E2E(ctx, check.Task{Chains: chains, Base: in.Tree}, in.Base, in.Tree)
	if err != nil {
		return out, a.checkError(err)
	}
	if !g.Ran {
		return out, nil
	}
	goal := step.Goal{Goal: g.Name, Status: step.GoalPass}
	if g.Before {
		out.Baseline = []string{g.Name}
	}
	if g.Failed {
		goal.Status, goal.Output = step.GoalFail, tail(g.Tail, 3000)
		goal.Failures = []pdca.Failure{{Goal: g.Name, Class: g.Findings[0].Rule, Message: tail(g.Tail, 1200)}}
	}
	out.Goals = []step.Goal{goal}
	out.Records, err = put(a.o.Blobs, map[string]any{"tree": in.Tree, "records": records})
	return out, err
}

// ScreenLine reads what is run in a terminal, and what has to be seen there. Lines of the screen are lines of the expression.
func ScreenLine(line, expect string) ([]string, *regexp.Regexp, error) {
	argvs, err := CommandLine(line)
	if err != nil {
		return nil, nil, err
	}
	if len(argvs) != 1 {
		return nil, nil, fmt.Errorf("%q is more than one command", line)
	}
	rx, err := regexp.Compile("(?m)" + expect)
	return argvs[0], rx, err
}

// failures are what failed of a goal, without what failed before the work as well.
func failures(g check.Goal, known map[string]string) []pdca.Failure {
	if !g.Failed {
		return nil
	}
	var out []pdca.Failure
	for _, r := range (check.Proof{Results: g.Results}).Failures() {
		if known[r.ID] == "" {
			out = append(out, pdca.Failure{Goal: g.Name, Test: r.ID, Class: string(r.Status), Message: clip(r.Message, 1200)})
		}
	}
	for _, f := range g.Findings {
		if f.Severity != step.Warn {
			out = append(out, pdca.Failure{Goal: g.Name, Test: f.Path, Class: f.Rule, Message: clip(f.Message, 1200)})
		}
	}
	if g.Tail != "" && !g.Before && len(out) == 0 {
		out = append(out, pdca.Failure{Goal: g.Name, Class: "exit", Message: clip(g.Tail, 1200)})
	}
	return bound(out, 30)
}

// tail is the end of a text: there is what went wrong.
func tail(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "… " + string(r[len(r)-n:])
}

// contextDir is where context files are, below the folder of the project's state.
const contextDir = "context"

// autoContext is the step auto.context.
func (a *Actor) autoContext(_ context.Context, _ flow.Job, in step.AutoContextIn) (step.AutoContextOut, error) {
	var out step.AutoContextOut
	raw, err := a.o.Blobs.Get(in.Source.Messages)
	if err != nil {
		return out, machinery(err)
	}
	s := pdca.Source{Kind: in.Source.Kind, Name: in.Source.Name}
	if err := json.Unmarshal(raw, &s.List); err != nil {
		return out, fmt.Errorf("read the messages of %s: %w", in.Source.Name, err)
	}
	d := pdca.Document{Korean: in.Language == "ko"}
	// shown is what people and authors are shown of it.
	write := func(name string, text, shown []byte) error {
		text, shown = []byte(pdca.Mask(a.redacted(string(text)))), []byte(pdca.Mask(a.redacted(string(shown))))
		name = filepath.Base(name) + ".md"
		ref, err := a.o.Blobs.Put(shown, "text/markdown")
		if err == nil {
			err = a.effect("context", func() error { return writeFile(filepath.Join(a.o.State, contextDir, name), text) })
		}
		out.Files = append(out.Files, step.DocFile{Path: filepath.ToSlash(filepath.Join(filepath.Base(a.o.State), contextDir, name)), Blob: ref})
		return machinery(err)
	}
	if err := write(in.Source.File, d.ContextFile(s, in.Analysis), d.Context(s, in.Analysis)); err != nil {
		return out, err
	}
	out.Doc = step.Doc{Title: "findings from messages of " + in.Source.Kind + " " + in.Source.Name + "; decisions there hold, open points are not built", Blob: out.Files[0].Blob}
	switch in.Wants {
	case step.WantDrafts:
		text := d.Drafts(s, in.Analysis)
		err = write(in.Source.File+"-drafts", text, text)
	case step.WantTodo:
		text := d.Todo(s, in.Analysis)
		err = write(in.Source.File+"-todo", text, text)
	case step.WantAnalysis:
	}
	return out, err
}

// autoKeep is the step auto.keep.
func (a *Actor) autoKeep(_ context.Context, _ flow.Job, in step.AutoKeepIn) (step.AutoKeepOut, error) {
	var out step.AutoKeepOut
	for _, d := range in.Docs {
		ref, err := a.o.Blobs.Put([]byte(d.Text), "text/markdown")
		if err != nil {
			return out, machinery(err)
		}
		out.Docs = append(out.Docs, step.DocFile{Path: d.Path, Blob: ref})
	}
	return out, nil
}

// autoCommit is the step auto.commit: the tree with the documents, on top of the run's branch. It looks for its trailer
// first, so that a commit is never made twice.
func (a *Actor) autoCommit(ctx context.Context, j flow.Job, in step.AutoCommitIn) (step.HeadOut, error) {
	from, err := a.head(ctx, j, step.HeadIn{Fallback: in.From})
	if err != nil {
		return step.HeadOut{}, err
	}
	if out, ok, err := a.landedHead(ctx, j, from.Commit); ok || err != nil {
		return out, err
	}
	// The branch has documents that the authors' tree has not.
	tree, conflicts, err := a.merge(ctx, in.Base, from.Tree, in.Tree)
	if err != nil {
		return step.HeadOut{}, err
	}
	if len(conflicts) > 0 {
		return step.HeadOut{}, fmt.Errorf("%s is in the way of a document of the run", conflicts[0])
	}
	files := map[string][]byte{}
	for _, d := range in.Docs {
		text, err := a.o.Blobs.Get(d.Blob)
		if err != nil {
			return step.HeadOut{}, machinery(err)
		}
		if !works.IsKept(d.Path) {
			files[d.Path] = text
		} else if err := a.writeKept(d.Path, text); err != nil {
			return step.HeadOut{}, err
		}
	}
	if tree == from.Tree && len(files) == 0 { // nothing is to be committed
		return from, nil
	}
	text, err := a.messageOf(ctx, j.Run, in.Type, in.Title, from.Tree, tree)
	if err != nil {
		return step.HeadOut{}, err
	}
	c := a.landedCommit(j.Run, j.Key, text, in.Tree)
	c.Parents = []string{from.Commit}
	if tree, err = a.recorded(ctx, from.Tree, tree); err != nil {
		return step.HeadOut{}, err
	}
	if c.Tree, err = a.withFiles(ctx, tree, files); err != nil {
		return step.HeadOut{}, err
	}
	return a.landHead(ctx, j, from.Commit, c)
}

// WriteStatus puts the state of a feature into the project's status file. The file is local: git does not see it, unless
// the project has committed one. What was mended in it is returned; one that cannot be read is kept beside it.
func (a *Actor) WriteStatus(f pdca.FeatureState) (mended []string, err error) {
	file := filepath.Join(a.o.Repo.Root(), filepath.FromSlash(pdca.StatusPath))
	old, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := a.o.Repo.ExcludeLocally(pdca.StatusPath); err != nil {
			return nil, machinery(err)
		}
	case err != nil:
		return nil, machinery(err)
	}
	text, mended, broken := pdca.WriteStatus(old, f, a.o.Now())
	if broken {
		if err := writeVia(a.o.State, file+".broken", old); err != nil {
			return mended, machinery(err)
		}
	}
	return mended, machinery(writeVia(a.o.State, file, text))
}
