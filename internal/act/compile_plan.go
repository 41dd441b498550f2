package act

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// CompilePlan is what a compile run would do.
type CompilePlan struct {
	in      step.CompileIn
	res     *target.Result
	view    *view
	lock    *target.Lock
	targets []target.Target // those that can be built, dependencies first
	broken  []target.Target
}

// PlanCompile finds out what is stale in the working tree. It asks nobody and
// changes nothing.
func (a *Actor) PlanCompile(ctx context.Context, in step.CompileIn) (*CompilePlan, error) {
	// Mostly nothing that counts is dirty. That plan is made while git still looks, and thrown
	// away when it was the wrong one.
	var guess *CompilePlan
	early := func(list map[string]git.File) {
		if p, err := a.planOf(ctx, in, a.worktree(list)); err == nil {
			guess = p
		}
	}
	list, differs, err := a.o.Repo.ListingEarly(ctx, counts, early)
	if err != nil {
		return nil, machinery(err)
	}
	if guess != nil && len(differs) == 0 {
		return guess, nil
	}
	return a.planOf(ctx, in, a.worktree(list))
}

// counts reports whether a plan can depend on the file at a path, or on what is in the
// directory there: specs, plans, conventions, the lock, code, tests and what belongs to them.
func counts(p string) bool {
	switch path.Base(p) {
	case spec.Name, spec.OtherName, "IMPLEMENTS.md", "code-convention.md", target.LockName:
		return true
	}
	return toolchain.LanguageOf(p) != "" || toolchain.Classify(p) != toolchain.Other || path.Ext(p) == "" // code is never Other
}

// planOf is the plan of a project's files.
func (a *Actor) planOf(ctx context.Context, in step.CompileIn, v *view) (*CompilePlan, error) {
	lock, problems, err := a.readLock(v)
	if err != nil {
		return nil, err
	}
	facts := target.Facts{
		Root: a.o.Repo.Root(), Files: v.files, Lock: lock, Paths: in.Paths, All: in.All, Overwrite: in.Conflict == step.Overwrite, NoGit: a.o.NoGit,
		IsSource: toolchain.IsSource, Read: v.read, Same: a.sameButLinks(ctx, v),
	}
	res := target.Compute(facts)
	// Of what was not asked for, only what may be in the way.
	res.Problems = slices.DeleteFunc(res.Problems, func(pr spec.Problem) bool { return !isError(pr) && in.Limits(pr.Path) })
	res.Problems = append(res.Problems, problems...)
	p := &CompilePlan{in: in, res: res, view: v, lock: lock}
	byDir := map[string]target.Target{}
	var dirs []string
	for _, t := range res.Targets {
		if t.Refused != "" {
			p.broken = append(p.broken, t)
			continue
		}
		byDir[t.Dir] = t
		dirs = append(dirs, t.Dir)
	}
	for _, d := range res.Index.Order(dirs) {
		p.targets = append(p.targets, byDir[d])
	}
	return p, p.phases()
}

// sameButLinks reports of a file whether it is the recorded one but for the lines by which other modules became part of the
// program since: the engine writes those, also into files of others.
func (a *Actor) sameButLinks(ctx context.Context, v *view) func(path, id string) bool {
	return func(path, id string) bool {
		if toolchain.LanguageOf(path) != toolchain.LangRust {
			return false
		}
		was, err := a.o.Repo.ReadBlob(ctx, id)
		if err != nil {
			return false // it was never committed
		}
		_, only := toolchain.NewLinks(was, v.bytes(path))
		return only
	}
}

// phases checks what --phase green-refactor needs: tests to start from.
func (p *CompilePlan) phases() error {
	if p.in.Phase != step.GreenRefactor || len(p.in.TestFiles) > 0 {
		return nil
	}
	for _, t := range p.targets {
		e, ok := p.lock.Entry(t.Dir)
		if !ok || len(e.Tests) == 0 {
			return &InputError{fmt.Sprintf("--phase green-refactor: no tests are recorded for %s. Run --phase red first, or name them with --test-files", t.Dir)}
		}
		for _, file := range slices.Sorted(maps.Keys(e.Tests)) {
			if p.view.ids[file] == "" {
				return &InputError{fmt.Sprintf("--phase green-refactor: %s, a recorded test of %s, no longer exists. Run --phase red again, or name the tests with --test-files", file, t.Dir)}
			}
		}
	}
	return nil
}

// HasSpec reports whether a spec JSON, as --phase red wrote it, is what one of
// the specs to build says now.
func (p *CompilePlan) HasSpec(raw []byte) bool {
	return slices.ContainsFunc(p.targets, func(t target.Target) bool {
		return bytes.Equal(bytes.TrimSpace(specJSON(t.ClaudeMdPath, p.view.bytes(t.ClaudeMdPath))), bytes.TrimSpace(raw))
	})
}

// Nothing reports whether there is nothing to build and nothing to complain about.
func (p *CompilePlan) Nothing() bool { return len(p.targets) == 0 && len(p.broken) == 0 }

// Targets is the answer of `spec targets`.
func (p *CompilePlan) Targets() *target.Result { return p.res }

// Sound reports whether no error was found in the specs.
func (p *CompilePlan) Sound() bool {
	return len(p.broken) == 0 && !step.Has(p.problems(), step.Rejects)
}

// Specs counts the specs that the plan covers.
func (p *CompilePlan) Specs() int { return len(p.res.Targets) + len(p.res.Skipped) }

// Paths are the directories that the plan is limited to; none is all.
func (p *CompilePlan) Paths() []string { return p.in.Paths }

// FreeForm lists files where a spec would be that are none, sorted.
func (p *CompilePlan) FreeForm() []string { return p.res.FreeForm }

// Note is what people are told about the plan.
func (p *CompilePlan) Note() step.PlanNote {
	n := step.PlanNote{Count: len(p.targets), UpToDate: p.skipped(target.UpToDate), LeftOut: p.left(), Warnings: p.warnings(), Problems: p.problems()}
	for _, t := range bound(p.targets, 200) {
		n.Modules, n.Reasons = append(n.Modules, t.Dir), append(n.Reasons, string(t.Reason))
	}
	return n
}

// left is what the plan neither builds nor calls up to date.
func (p *CompilePlan) left() step.LeftOut {
	l := step.LeftOut{Kept: p.skipped(target.Conflict), Unverified: p.skipped(target.Unverified), Edited: p.skipped(target.Edited)}
	for _, s := range p.res.Skipped {
		switch {
		case s.Reason == target.Unverified && len(l.Names) < 20:
			l.Names = append(l.Names, s.Dir)
		case s.Reason == target.UpToDate && p.lock.State(s.Dir) == target.Unchecked:
			l.Unchecked++
		}
	}
	return l
}

func (p *CompilePlan) skipped(why target.Reason) int {
	n := 0
	for _, s := range p.res.Skipped {
		if s.Reason == why {
			n++
		}
	}
	return n
}

// warnings words what the targets say, as earlier tools did.
func (p *CompilePlan) warnings() []string {
	var out []string
	for _, w := range p.res.Warnings {
		out = append(out, "⚠ "+w.Message)
	}
	for _, s := range p.res.Skipped {
		if s.Reason == target.Conflict {
			out = append(out, fmt.Sprintf("⚠ %s: %s", s.Dir, s.Details))
		}
	}
	for _, w := range p.res.DependencyWarnings {
		out = append(out, "⚠ "+w.Message)
	}
	if len(p.res.DependencyWarnings) > 0 {
		out = append(out, "  Use --all for full compilation.")
	}
	for _, t := range p.targets {
		if t.ImplementsMdPath != "" && p.view.ids[t.ImplementsMdPath] == "" {
			out = append(out, fmt.Sprintf("  ⚠ %s missing - it will be generated", t.ImplementsMdPath))
		}
	}
	if len(out) > 50 {
		out = append(out[:50], fmt.Sprintf("… and %d more warnings", len(out)-50))
	}
	return out
}

// problems are those of the lock, the errors of all specs, and the warnings of those that are built.
func (p *CompilePlan) problems() []step.Finding {
	built := map[string]bool{}
	for _, t := range p.targets {
		built[t.ClaudeMdPath] = true
	}
	var out []step.Finding
	for _, pr := range p.res.Problems {
		sev := step.Warn
		if p.in.Limits(pr.Path) && pr.Path != target.LockName {
			continue
		}
		if isError(pr) {
			sev = step.Rejects
		} else if !built[pr.Path] && pr.Path != target.LockName {
			continue
		}
		msg := pr.Text
		if pr.Hint != "" {
			msg += " (" + pr.Hint + ")"
		}
		out = append(out, step.Finding{Rule: "spec-" + string(pr.Severity), Severity: sev, Path: pr.Path, Line: pr.Line, Message: msg})
	}
	for _, t := range p.broken {
		if slices.ContainsFunc(out, func(f step.Finding) bool { return f.Path == t.ClaudeMdPath && f.Severity == step.Rejects }) {
			continue
		}
		out = append(out, step.Finding{Rule: "spec-refused", Severity: step.Rejects, Path: t.ClaudeMdPath, Message: t.Refused})
	}
	return bound(out, 100)
}

// Order lists each module with what it waits for and why it is stale.
func (p *CompilePlan) Order() []string {
	var out []string
	for i, t := range p.targets {
		l := fmt.Sprintf("%d. %s: %s", i+1, t.Dir, t.Details)
		if needs := p.needs(t.Dir); len(needs) > 0 {
			l += " (after " + strings.Join(needs, ", ") + ")"
		}
		out = append(out, l)
	}
	return out
}

// JSON is the answer of compile --dry-run --json.
func (p *CompilePlan) JSON(b step.Budget) any {
	type module struct {
		target.Target

		After []string `json:"after"`
	}
	mods := []module{}
	for _, t := range p.targets {
		m := module{Target: t, After: p.needs(t.Dir)}
		if m.After == nil {
			m.After = []string{}
		}
		mods = append(mods, m)
	}
	return struct {
		Targets *target.Result `json:"plan"`
		Modules []module       `json:"modules"`
		Budget  step.Budget    `json:"budget"`
	}{p.res, mods, b}
}

// needs lists the modules of this run that a module comes after, also through
// modules that are up to date.
func (p *CompilePlan) needs(dir string) []string {
	inRun := map[string]bool{}
	for _, t := range p.targets {
		inRun[t.Dir] = true
	}
	seen := map[string]bool{dir: true}
	var out []string
	var walk func(string)
	walk = func(d string) {
		for _, n := range p.res.Index.After(d) {
			if seen[n] {
				continue
			}
			seen[n] = true
			if inRun[n] {
				out = append(out, n)
				continue
			}
			walk(n)
		}
	}
	walk(dir)
	slices.Sort(out)
	return out
}

// blocked says why a module cannot be built although its own spec is fine.
func (p *CompilePlan) blocked(dir string) string {
	for _, t := range p.broken {
		if slices.Contains(p.res.Index.After(dir), t.Dir) {
			return t.Dir + " cannot be built: " + t.Refused
		}
	}
	return ""
}

// SameTree reports whether the working tree is as a run found it, apart from
// what the run has delivered since.
func (a *Actor) SameTree(ctx context.Context, run string) (bool, error) {
	began, err := a.standsAt(ctx, baseRef(run))
	if errors.Is(err, git.ErrNoRef) {
		return true, nil // it had not planned yet, so it will see the tree as it is
	}
	if err != nil {
		return false, err
	}
	_, tree, err := a.o.Repo.Snapshot(ctx, a.commit(run, "", "snapshot"))
	if err != nil || tree == began.Tree {
		return err == nil, machinery(err)
	}
	return a.onlyOurs(ctx, run, began.Tree, tree)
}

// onlyOurs reports whether everything that differs between two trees is what
// the run has delivered itself.
func (a *Actor) onlyOurs(ctx context.Context, run, from, to string) (bool, error) {
	tip, err := a.o.Repo.Ref(ctx, RunRef(run))
	if errors.Is(err, git.ErrNoRef) {
		tip, err = from, nil
	}
	if err != nil {
		return false, machinery(err)
	}
	landed, err := a.tree(ctx, tip, nil)
	if err != nil {
		return false, err
	}
	changes, err := a.o.Repo.Diff(ctx, from, to)
	theirs := func(ch git.Change) bool { return ch.Path != target.LockName && landed.ids[ch.Path] != ch.NewID }
	return err == nil && !slices.ContainsFunc(changes, theirs), machinery(err)
}

// plan is the step compile.plan: a snapshot of the user's tree, what is stale
// in it, and the facts of each module.
func (a *Actor) plan(ctx context.Context, j flow.Job, in step.CompileIn) (step.PlanOut, error) {
	status, err := a.status(ctx)
	if err != nil {
		return step.PlanOut{}, err
	}
	commit, tree, err := a.snapshot(ctx, j.Run)
	if err != nil {
		return step.PlanOut{}, err
	}
	v, err := a.tree(ctx, tree, status)
	if err != nil {
		return step.PlanOut{}, err
	}
	p, err := a.planOf(ctx, in, v)
	if err != nil {
		return step.PlanOut{}, err
	}
	b := a.builder(ctx, p, tree)
	mods := make([]step.PlanModule, 0, len(p.targets))
	for _, t := range p.targets {
		f, err := b.facts(t)
		if err != nil {
			return step.PlanOut{}, err
		}
		ref, err := put(a.o.Blobs, f)
		if err != nil {
			return step.PlanOut{}, err
		}
		mods = append(mods, step.PlanModule{Dir: t.Dir, Reason: string(t.Reason), Needs: p.needs(t.Dir), Blocked: p.blocked(t.Dir), Facts: ref})
	}
	out := step.PlanOut{
		Commit: commit, Tree: tree, Count: len(mods), UpToDate: p.skipped(target.UpToDate), LeftOut: p.left(), Problems: p.problems(), Broken: len(p.broken), Warnings: p.warnings(),
	}
	out.Modules, err = put(a.o.Blobs, mods)
	return out, err
}

// language is the step compile.language: the facts of a module as the plan
// would have had them, had its language been known.
func (a *Actor) language(ctx context.Context, _ flow.Job, in step.LanguageIn) (step.LanguageOut, error) {
	v, err := a.tree(ctx, in.Tree, nil)
	if err != nil {
		return step.LanguageOut{}, err
	}
	said := in.Compile
	said.All, said.Paths, said.Languages = true, nil, map[string]string{in.Dir: in.Language}
	p, err := a.planOf(ctx, said, v)
	if err != nil {
		return step.LanguageOut{}, err
	}
	b := a.builder(ctx, p, in.Tree)
	for _, t := range p.targets {
		if t.Dir != in.Dir {
			continue
		}
		f, err := b.facts(t)
		if err != nil {
			return step.LanguageOut{}, err
		}
		ref, err := put(a.o.Blobs, f)
		return step.LanguageOut{Facts: ref}, err
	}
	return step.LanguageOut{}, fmt.Errorf("plan %s: it is not a module of the snapshot", in.Dir)
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return raw
}

// snapshot stores the user's tree once for a run: a second start of the step
// takes what the first one stored.
func (a *Actor) snapshot(ctx context.Context, run string) (commit, tree string, err error) {
	if id, err := a.o.Repo.Ref(ctx, baseRef(run)); err == nil {
		at, err := a.at(ctx, id)
		return id, at.Tree, err
	}
	commit, tree, err = a.o.Repo.Snapshot(ctx, a.commit(run, "", snapshotMessage))
	if err != nil {
		return "", "", machinery(err)
	}
	return commit, tree, machinery(a.effect("snapshot", func() error {
		return a.o.Repo.SetRef(ctx, baseRef(run), commit, "")
	}))
}
