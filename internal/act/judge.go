package act

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// JudgeIn says which change is judged, and how long that may take.
type JudgeIn struct {
	Range   string // of commits, A..B; "" is what the working tree holds
	Base    string // revision that the working tree is compared with; "" is found out
	Session string // of an agent: its base comes before what is found out
	Quick   bool   // fewer small changes of the code
	Full    bool   // all tests
	Limit   time.Duration
}

// Judged is a judgement with what it is about.
type Judged struct {
	check.Judgement

	// Base says in words what the change was compared with.
	Base string `json:"base"`
	// Sandbox is the level that everything was run at.
	Sandbox confine.Level `json:"sandbox"`
	Millis  int64         `json:"millis"`
	Limit   int64         `json:"limit_millis"`
	Shallow bool          `json:"shallow,omitempty"`
	Quick   bool          `json:"quick,omitempty"`

	// Since is the default branch where nothing was found and commits since that branch were not looked at; Single says that nothing
	// was found and HEAD has no parent.
	Since  string `json:"-"`
	Single bool   `json:"-"`
}

// How many small changes of the code a judgement tries.
const (
	quickMutants = 16
	mostMutants  = 40
	fullMutants  = 120
)

// Judge finds out what can be said of a change without any plan of it, and without an agent.
func (a *Actor) Judge(ctx context.Context, in JudgeIn) (Judged, error) {
	begun := a.o.Now()
	of, err := a.judgedTrees(ctx, in)
	if err != nil {
		return Judged{}, err
	}
	out, err := a.judgeTrees(ctx, in, of)
	out.Base, out.Sandbox, out.Millis, out.Limit, out.Shallow = of.base, a.o.Level, a.o.Now().Sub(begun).Milliseconds(), in.Limit.Milliseconds(), a.o.Repo.Shallow()
	out.Quick = in.Quick
	if err == nil {
		err = a.edited(ctx, &out)
	}
	if err == nil && out.Verdict == check.VerdictNothing && in.Range+in.Base == "" && of.base == "HEAD" {
		err = a.beside(ctx, &out)
	}
	return out, err
}

// Warm prepares for judging what is changed in the working tree from now on: what checks need is installed and compiled. A toolchain that
// cannot be prepared is left to the judgement, which says why.
func (a *Actor) Warm(ctx context.Context) error {
	_, tree, err := a.o.Repo.Snapshot(ctx, a.commit(judgeRun, "", "prove"))
	if err != nil {
		return machinery(err)
	}
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return err
	}
	c, err := a.checker(judgeRun)
	if err != nil {
		return err
	}
	for _, chain := range a.checked(v) {
		if ctx.Err() == nil {
			err = errors.Join(err, c.Warm(ctx, chain, tree))
		}
	}
	return a.checkError(err)
}

// edited says which modules were as their specs record them, and are not any more: only verify calls the examples of a spec.
func (a *Actor) edited(ctx context.Context, out *Judged) error {
	in := func(tree string) (map[string]string, error) {
		v, err := a.tree(ctx, tree, nil)
		if err != nil || v.ids[target.LockName] == "" {
			return nil, err
		}
		p, err := a.planOf(ctx, step.CompileIn{Phase: step.Full, Conflict: step.KeepFiles}, v)
		if err != nil {
			return nil, nil //nolint:nilerr // a lock that cannot be read records nothing
		}
		found := map[string]string{}
		for _, s := range p.res.Skipped {
			if s.Reason == target.Edited {
				mod, _ := p.res.Index.Module(s.Dir)
				found[s.Dir] = mod.Path
			}
		}
		return found, nil
	}
	now, err := in(out.Tree)
	if err != nil || len(now) == 0 {
		return err
	}
	was, err := in(out.Before)
	if err != nil {
		return err
	}
	for _, dir := range slices.Sorted(maps.Keys(now)) {
		if _, known := was[dir]; !known {
			out.Findings = append(out.Findings, check.Fact{Finding: step.Finding{
				Rule: "spec-drift", Severity: step.Warn, Path: now[dir],
				Message: "Files that were verified against this spec changed, and the spec did not. To call its examples, run: jacquard verify " + dir,
			}})
		}
	}
	return nil
}

// beside says of a working tree without a change of code what else could be judged.
func (a *Actor) beside(ctx context.Context, out *Judged) error {
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return machinery(err)
	}
	_, parents, err := a.o.Repo.ReadCommit(ctx, head.Commit)
	if err != nil {
		return machinery(err)
	}
	out.Single = len(parents) == 0 && out.Before == out.Tree
	branch, err := a.o.Repo.DefaultBranch(ctx)
	if err != nil { // nothing has branched off
		return nil //nolint:nilerr // as the base is found
	}
	id, err := a.o.Repo.Revision(ctx, branch)
	if err != nil {
		return machinery(err)
	}
	if id, err = a.parting(ctx, id, head.Commit); err == nil && id != head.Commit {
		out.Since = branch
	}
	return nil // a clone that is cut off knows no more
}

func (a *Actor) judgeTrees(ctx context.Context, in JudgeIn, of judged) (out Judged, err error) {
	before, tree := of.before, of.tree
	if in.Limit > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, in.Limit, check.ErrLate)
		defer cancel()
	}
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return out, err
	}
	q := check.Question{Mutants: mostMutants, Full: in.Full, Calls: !in.Quick}
	if q.Says, err = a.messages(ctx, of); err != nil {
		return out, err
	}
	switch {
	case in.Quick:
		q.Mutants = quickMutants
	case in.Full:
		q.Mutants = fullMutants
	}
	if q.Chains, err = a.chainsFrom(ctx, before, v); err != nil {
		return out, err
	}
	q.Now = func() (out []toolchain.Found) {
		pr := a.commanded(v)
		for _, f := range pr.All() {
			out = append(out, pr.Lines(f)...)
		}
		return out
	}
	q.Then = func() ([]toolchain.Found, error) {
		old, err := a.tree(ctx, before, nil)
		if err != nil {
			return nil, err
		}
		return a.chains(old), nil
	}
	c, err := a.checker(judgeRun)
	if err != nil {
		return out, err
	}
	if out.Judgement, err = c.Judge(ctx, q, before, tree); err != nil {
		return out, a.checkError(err)
	}
	return out, a.unrun(ctx, before, v, &out.Judgement)
}

// unrun says of which programs that run the tests the project's commands know nothing any more.
func (a *Actor) unrun(ctx context.Context, before string, v *view, out *check.Judgement) error {
	var changed []string
	for _, f := range out.Findings {
		if f.Rule == "config-changed" {
			changed = append(changed, f.Path)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	file := changed[0]
	if len(changed) > 1 { // which of them it was is not known
		file = ""
	}
	old, err := a.tree(ctx, before, nil)
	if err != nil {
		return err
	}
	now := a.chains(v)
	for _, was := range a.chains(old) {
		runs := map[string]bool{}
		for _, f := range now {
			for _, c := range f.Own.Test {
				runs[c.Argv[0]] = runs[c.Argv[0]] || was.Same(f)
			}
		}
		for _, c := range was.Own.Test {
			if program := c.Argv[0]; !runs[program] {
				runs[program] = true
				out.Findings = append(out.Findings, check.Fact{Finding: step.Finding{
					Rule: "config-changed", Severity: step.Fix, Path: file, Message: fmt.Sprintf("The project's own commands run its tests with %s no longer.", program),
				}})
			}
		}
	}
	return nil
}

// judged is what a judgement is about.
type judged struct {
	before, tree string // trees
	base         string // what the first one is, in words
	from, to     string // commits, "" where there is none
}

// messages are those of the commits of a change, each paragraph in one line.
func (a *Actor) messages(ctx context.Context, of judged) (string, error) {
	const most = 50
	if of.from == "" || of.to == "" || of.from == of.to {
		return "", nil
	}
	log, err := a.o.Repo.Log(ctx, of.to, of.from, most)
	if err != nil {
		return "", machinery(err)
	}
	var text strings.Builder
	for _, c := range log {
		for _, paragraph := range strings.Split(c.Message, "\n\n") {
			text.WriteString(strings.Join(strings.Fields(paragraph), " ") + "\n")
		}
	}
	return text.String(), nil
}

// judgedTrees are the two trees of a change, and the commits that it is between.
func (a *Actor) judgedTrees(ctx context.Context, in JudgeIn) (of judged, err error) {
	if in.Range != "" {
		return a.rangeTrees(ctx, in)
	}
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return of, machinery(err)
	}
	of.to = head.Commit
	if _, of.tree, err = a.o.Repo.Snapshot(ctx, a.commit(judgeRun, "", "prove")); err != nil {
		return of, machinery(err)
	}
	if of.from, of.base, err = a.judgedBase(ctx, in, head, of.tree); err != nil {
		return of, err
	}
	if of.from == "" {
		of.before, err = a.o.Repo.EditTree(ctx, "", nil)
		return of, machinery(err)
	}
	at, err := a.at(ctx, of.from)
	of.before = at.Tree
	return of, err
}

// NoCommit is what all of a project is compared with where nothing is committed.
const NoCommit = "nothing: there is no commit yet"

// rangeTrees are those of a range: from where its ends part.
func (a *Actor) rangeTrees(ctx context.Context, in JudgeIn) (of judged, err error) {
	if in.Base != "" {
		return of, &InputError{"a range already has a start: leave --base out"}
	}
	not, tip, ok, err := a.Range(ctx, in.Range)
	if err != nil {
		return of, err
	}
	if !ok {
		return of, &InputError{fmt.Sprintf("%s is not a commit range: give one such as main..HEAD, or --base %s for changes since that commit", in.Range, in.Range)}
	}
	if not, err = a.parting(ctx, not, tip); err != nil {
		return of, err
	}
	from, err := a.at(ctx, not)
	if err != nil {
		return of, err
	}
	to, err := a.at(ctx, tip)
	return judged{before: from.Tree, tree: to.Tree, base: "commit " + not[:10], from: not, to: tip}, err
}

// judgedBase is the commit that the working tree is compared with, "" where there is none yet.
func (a *Actor) judgedBase(ctx context.Context, in JudgeIn, head git.Head, tree string) (commit, words string, err error) {
	if in.Base != "" {
		id, err := a.o.Repo.Revision(ctx, in.Base)
		if errors.Is(err, git.ErrNoRef) {
			return "", "", &InputError{fmt.Sprintf("--base %s: no such commit here. In a shallow clone, run git fetch --unshallow", in.Base)}
		}
		return id, in.Base, machinery(err)
	}
	began, err := a.began(ctx, in.Session)
	if err != nil {
		return "", "", err
	}
	if began.ID != "" {
		if id, err := a.sessionBase(ctx, began); !errors.Is(err, ErrUnclear) {
			return id, "the start of the session", err
		}
	}
	if head.Unborn {
		return "", NoCommit, nil
	}
	at, err := a.at(ctx, head.Commit)
	if err != nil {
		return "", "", err
	}
	if at.Tree != tree {
		return head.Commit, "HEAD", nil
	}
	branch, err := a.o.Repo.DefaultBranch(ctx)
	if err != nil { // without one there is nothing else to compare with
		return head.Commit, "HEAD", a.rooted(ctx, head.Commit)
	}
	id, err := a.o.Repo.Revision(ctx, branch)
	if err != nil {
		return "", "", machinery(err)
	}
	if id, err = a.parting(ctx, id, head.Commit); err != nil {
		return "", "", err
	}
	if id == head.Commit {
		return id, "HEAD", a.rooted(ctx, id)
	}
	return id, "where it branched off " + branch, nil
}

// parting is the commit that two come from.
func (a *Actor) parting(ctx context.Context, x, y string) (string, error) {
	id, err := a.o.Repo.MergeBase(ctx, x, y)
	if errors.Is(err, git.ErrNoRef) && a.o.Repo.Shallow() {
		return "", cutOff()
	}
	if errors.Is(err, git.ErrNoRef) { // histories that have nothing in common
		return x, nil
	}
	return id, machinery(err)
}

// rooted is an error where a clone has a commit, but not what came before it: a job that has only that would find no change for ever.
func (a *Actor) rooted(ctx context.Context, commit string) error {
	if !a.o.Repo.Shallow() {
		return nil
	}
	_, parents, err := a.o.Repo.ReadCommit(ctx, commit)
	if err != nil || len(parents) == 0 {
		return machinery(err)
	}
	if _, _, err := a.o.Repo.ReadCommit(ctx, parents[0]); errors.Is(err, git.ErrMissing) {
		return cutOff()
	}
	return nil
}

func cutOff() error {
	return flow.Failf(flow.Environment, "the commit that the change starts from is not in this clone: fetch the missing history with git fetch --unshallow (in CI, a checkout with fetch-depth: 0), or give --base")
}
