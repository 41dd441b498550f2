package act

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
	"github.com/jacquard-build/jacquard/internal/works"
)

// workSurvey is the step work.survey: where the work begins, what its authors have to know, and its id.
func (a *Actor) workSurvey(ctx context.Context, j flow.Job, in step.WorkIn) (step.WorkSurveyOut, error) {
	facts, v, err := a.projectFacts(ctx, j, in.From, in.Language, in.Request, "works")
	out := step.WorkSurveyOut{ProjectFacts: facts}
	if err != nil {
		return out, err
	}
	if out.Documents != "" || in.From != "" || len(KeptWorks(a.o.State)) > 0 {
		docs, err := a.beginDocuments(ctx, j.Run, facts.Commit, in.From != "")
		if err != nil {
			return out, err
		}
		if v, err = a.with(ctx, v, docs); err != nil {
			return out, err
		}
	}
	if in.Work != "" {
		return out, a.workKnown(ctx, v, in, &out)
	}
	if in.From == "" && !a.o.NoGit {
		dirty, err := a.status(ctx)
		if err != nil {
			return out, err
		}
		const most = 500
		out.Dirty = slices.Sorted(maps.Keys(dirty))
		out.Dirty = out.Dirty[:min(len(out.Dirty), most)]
	}
	tree := works.Read(v.paths(), v.bytes, facts.Language)
	landed, err := a.landedWorks(ctx, facts.Commit)
	if err != nil {
		return out, err
	}
	out.Work, err = a.claim(ctx, j, claimPrefix, func(taken []string) string { return tree.NextWork(append(taken, landed...)...) })
	return out, err
}

// landedWorks are the ids of WORKs that commits of a history name: other clones may keep their documents.
func (a *Actor) landedWorks(ctx context.Context, commit string) ([]string, error) {
	log, err := a.o.Repo.Log(ctx, commit, "", 1000)
	var out []string
	for _, c := range log {
		if work, _ := TaskOf(c); work != "" {
			out = append(out, work)
		}
	}
	return out, machinery(err)
}

// projectFacts are the facts of the project at the commit where a run begins, and its files. homes are where it has documents as
// the run writes them, if it has any.
func (a *Actor) projectFacts(ctx context.Context, j flow.Job, from, language, request string, homes ...string) (step.ProjectFacts, *view, error) {
	var out step.ProjectFacts
	commit, tree, err := a.workBase(ctx, j.Run, from)
	if err != nil {
		return out, nil, err
	}
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return out, nil, err
	}
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return out, nil, machinery(err)
	}
	lang := works.ReadLanguages(nil, v.bytes("CLAUDE.md"), language)
	out = step.ProjectFacts{
		Commit: commit, Tree: tree, Branch: cmp.Or(head.Branch, detached), Language: lang.Output, Commits: lang.Commit, Comments: lang.Comment, Project: filepath.Base(a.o.Repo.Root()),
		Documents: a.documentsIn(v, homes),
	}
	chains := a.chains(v)
	pv := private{Chains: chains}
	if len(chains) > 0 {
		pv.Module.Dir, pv.Module.Chain = chains[0].Root, chains[0]
	}
	var stack []string
	for _, c := range chains {
		if !slices.Contains(out.Code, c.Language) {
			out.Code = append(out.Code, c.Language)
		}
		parts := []string{c.Language}
		for _, p := range []string{c.Manager, c.Runner} {
			if !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
		stack = append(stack, strings.Join(parts, ", "))
		for _, cmd := range a.offered(c) {
			if !slices.Contains(out.Commands, cmd) {
				out.Commands = append(out.Commands, cmd)
			}
		}
	}
	out.Stack = cmp.Or(strings.Join(slices.Compact(stack), "; "), "none yet")
	if out.Private, err = put(a.o.Blobs, pv); err != nil {
		return out, v, err
	}
	out.Docs, err = a.workDocs(v, request)
	return out, v, err
}

// workBase is the commit that a run of work begins at: what is checked out, since its commits are to follow that one, or
// where an earlier run has stopped.
func (a *Actor) workBase(ctx context.Context, run, from string) (commit, tree string, err error) {
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return "", "", machinery(err)
	}
	if a.o.NoGit || head.Unborn {
		return a.snapshot(ctx, run)
	}
	err = a.o.Repo.SetRef(ctx, baseRef(run), cmp.Or(from, head.Commit), "")
	if err != nil && !errors.Is(err, git.ErrMoved) {
		return "", "", machinery(err)
	}
	at, err := a.standsAt(ctx, baseRef(run)) // that of an earlier start, where there was one
	return at.Commit, at.Tree, err
}

const claimPrefix = keptPrefix + "works/"

// claim gives the run a name that nobody else has or had, below a prefix of refs: next chooses one that is not taken. A
// claim is a ref that may only be created, so that two runs never get the same.
func (a *Actor) claim(ctx context.Context, j flow.Job, prefix string, next func(taken []string) string) (string, error) {
	for {
		claims, err := a.o.Repo.Refs(ctx, prefix)
		if err != nil {
			return "", machinery(err)
		}
		var taken []string
		for ref, id := range claims {
			name := strings.TrimPrefix(ref, prefix)
			if mine, err := a.claimedBy(ctx, id, j); err != nil || mine {
				return name, err
			}
			taken = append(taken, name)
		}
		name := next(taken)
		c := a.commit(j.Run, "", "the name "+name+" is taken")
		if c.Tree, err = a.o.Repo.EditTree(ctx, "", nil); err != nil {
			return "", machinery(err)
		}
		id, err := a.o.Repo.CommitTree(ctx, c)
		if err != nil {
			return "", machinery(err)
		}
		err = a.effect("claim", func() error { return a.o.Repo.SetRef(ctx, prefix+name, id, "") })
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, git.ErrMoved) { // else another run was faster
			return "", machinery(err)
		}
	}
}

// claimedBy reports whether an earlier start of this very step made a claim.
func (a *Actor) claimedBy(ctx context.Context, claim string, j flow.Job) (bool, error) {
	if len(j.Previous) == 0 {
		return false, nil
	}
	log, err := a.o.Repo.Log(ctx, claim, "", 1)
	if err != nil {
		return false, machinery(err)
	}
	if len(log) != 1 {
		return false, nil
	}
	run, _ := runOf(log[0])
	return run == j.Run, nil
}

// workDocsOf is the step work.docs.
func (a *Actor) workDocsOf(ctx context.Context, _ flow.Job, in step.WorkDocsIn) (step.WorkDocsOut, error) {
	v, err := a.tree(ctx, in.Tree, nil)
	if err != nil {
		return step.WorkDocsOut{}, err
	}
	docs, err := a.workDocs(v, in.Request)
	return step.WorkDocsOut{Docs: docs}, err
}

// showing adds texts to what authors are shown, empty ones left out, until there is an error.
func (a *Actor) showing(docs *[]step.Doc, err *error) func(title, text string) {
	return func(title, text string) {
		if text = strings.TrimSpace(text); text == "" || *err != nil {
			return
		}
		var ref flow.Blob
		ref, *err = a.o.Blobs.Put([]byte(text), "text/plain")
		*docs = append(*docs, step.Doc{Title: title, Blob: ref})
	}
}

// workDocs are what all authors of a request are shown: the conventions, how it is checked, the files, and the sources that it is about.
func (a *Actor) workDocs(v *view, request string) (out []step.Doc, err error) {
	doc := a.showing(&out, &err)
	conventions, shown := []string{"code-convention.md", "CLAUDE.md", "AGENTS.md"}, map[string]string{}
	texts := map[string]string{}
	for _, f := range conventions {
		texts[f] = rules(string(v.bytes(f)))
	}
	for _, f := range conventions {
		text := texts[f]
		if !repeats(text, shown) && !pointsTo(text, texts) {
			doc(f, text)
			shown[f] = text
		}
	}
	chains := a.chains(v)
	if len(chains) > 1 { // examples and tools have no tests of their own
		chains = slices.DeleteFunc(chains, func(c toolchain.Found) bool { return c.Untested })
	}
	doc("how the project is built, linted and tested", checksText(chains, a.missing))
	affected, dirs := relevant(request, v.paths(), v.bytes)
	doc("project files, without settings and lock files", fileMap(v.paths(), dirs...))
	a.specDocs(v, request, dirs, doc)
	doc("source files the request may affect, and their declarations", affected)
	return out, machinery(err)
}

// repeats reports whether a document is the same as one that is shown, or says little more than its name.
func repeats(text string, shown map[string]string) bool {
	const pointer = 200 // letters
	for name, other := range shown {
		if other != "" && (text == other || len(text) < pointer && strings.Contains(text, name)) {
			return true
		}
	}
	return false
}

// pointsTo reports whether a document is nothing but the name of another one that is there.
func pointsTo(text string, there map[string]string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(strings.Trim(text, "` \t\n"), "@"), "./")
	return there[name] != "" && there[name] != text
}

// keepPlan is the step work.keep.
func (a *Actor) keepPlan(_ context.Context, _ flow.Job, in step.WorkPlan) (step.KeepPlanOut, error) {
	ref, err := put(a.o.Blobs, in)
	return step.KeepPlanOut{Plan: ref}, err
}
