package act

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/forge"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
)

// originName is the remote that is pushed to.
const originName = "origin"

// forge is the server that the project is published on.
func (a *Actor) forge(ctx context.Context) (*forge.Client, error) {
	if a.o.Forge == nil {
		return nil, flow.Failf(flow.Environment, "%v", forge.ErrNoToken)
	}
	c, err := a.o.Forge(ctx)
	if err != nil {
		return nil, flow.Failf(flow.Environment, "%v", err)
	}
	return c, nil
}

// forgeError is a failure of a forge as a run takes it: what a person can mend does not end it.
func forgeError(err error) error {
	if class := flow.ClassOf(err); class == flow.Denied || class == flow.Failed {
		return flow.Failf(flow.Environment, "%s", flow.AsFailure(err).Msg)
	}
	return err
}

// pushError gives an error of git at a remote its class.
func pushError(err error) error {
	switch {
	case errors.Is(err, git.ErrOffline), errors.Is(err, git.ErrRejected): // the latter is looked at again
		return flow.Failf(flow.Transient, "%v", err)
	case errors.Is(err, git.ErrRefused):
		return flow.Failf(flow.Environment, "%v. Fix it (push rights, a branch rule, a login), then resume", err)
	}
	return machinery(err)
}

// maxNames bounds how many names of a branch are tried.
const maxNames = 50

// forgePush is the step forge.push. The branch of the user's repository is set first: it says whose the remote one is.
func (a *Actor) forgePush(ctx context.Context, _ flow.Job, in step.ForgePushIn) (step.ForgePushOut, error) {
	c, err := a.forge(ctx)
	if err != nil {
		return step.ForgePushOut{}, err
	}
	var login git.Login
	login.Server, login.Token = c.Credential()
	for n := 1; n <= maxNames; n++ {
		out := step.ForgePushOut{Branch: in.Branch}
		if n > 1 {
			out.Branch = fmt.Sprintf("%s-%d", in.Branch, n)
		}
		if out.Branch == in.Base {
			return out, flow.Failf(flow.Failed, "%s is the base branch; Jacquard does not push to it", in.Base)
		}
		there, err := a.o.Repo.RemoteRef(ctx, originName, "refs/heads/"+out.Branch, login)
		if err != nil {
			return out, pushError(err)
		}
		first := in.Was == "" && !in.Fixed
		ours := there == in.Commit || there == in.Was || in.Fixed && in.Was == "" && there == a.branchAt(ctx, out.Branch)
		if !ours && first {
			continue
		}
		if !ours && there == "" {
			out.Why = fmt.Sprintf("the branch %s is gone from %s", out.Branch, originName)
			return out, nil
		}
		if !ours {
			out.Why = fmt.Sprintf("someone else pushed to %s, which is now at %s", out.Branch, there[:min(len(there), 7)])
			return out, nil
		}
		if in.Number > 0 && there != in.Commit {
			p, err := c.ReadPull(ctx, in.Number)
			if err != nil {
				return out, forgeError(err)
			}
			if p.State != "open" {
				out.Why = fmt.Sprintf("the pull request %s is %s", p.URL, p.State)
				return out, nil
			}
		}
		out.Note, err = a.localBranch(ctx, out.Branch, in.Commit, in.Was)
		switch {
		case errors.Is(err, git.ErrMoved) && first:
			continue
		case errors.Is(err, git.ErrMoved):
			out.Why = fmt.Sprintf("the branch %s is no longer checked out, and points elsewhere", out.Branch)
			return out, nil
		case err != nil:
			return out, err
		case out.Note != "" && in.Fixed && in.Was == "": // what is checked out goes before what is published
			out.Why = out.Note
			return out, nil
		case there == in.Commit:
			return out, nil
		}
		return out, pushError(a.effect("push", func() error { return a.o.Repo.Push(ctx, originName, in.Commit, out.Branch, login) }))
	}
	return step.ForgePushOut{}, flow.Failf(flow.Environment, "%d branches like %s are there already; delete some", maxNames, in.Branch)
}

// localBranch sets a branch of the user's. note says why it is not where it should be, once it is ours.
func (a *Actor) localBranch(ctx context.Context, branch, commit, was string) (note string, err error) {
	head, err := a.o.Repo.Head(ctx)
	if err != nil {
		return "", machinery(err)
	}
	if head.Branch == branch {
		if head.Commit != commit {
			err = a.o.Repo.FastForward(ctx, commit)
		}
		if err != nil {
			note = fmt.Sprintf("the branch %s is checked out and could not be moved (%v)", branch, err)
		}
		return note, nil
	}
	err = a.o.Repo.SetRef(ctx, "refs/heads/"+branch, commit, was)
	if errors.Is(err, git.ErrMoved) && was != "" {
		return fmt.Sprintf("the branch %s was moved here; the remote has the newer one", branch), nil
	}
	return "", machinery(err)
}

// branchAt is the commit that a branch of the user's is at, "" for none.
func (a *Actor) branchAt(ctx context.Context, branch string) string {
	id, err := a.o.Repo.Ref(ctx, "refs/heads/"+branch)
	if err != nil {
		return ""
	}
	return id
}

// forgePull is the step forge.pull.
func (a *Actor) forgePull(ctx context.Context, j flow.Job, in step.ForgePullIn) (step.ForgePullOut, error) {
	c, err := a.forge(ctx)
	if err != nil {
		return step.ForgePullOut{}, err
	}
	if in.Title == "" {
		tip, err := a.o.Repo.Ref(ctx, RunRef(j.Run))
		if err != nil {
			return step.ForgePullOut{}, machinery(err)
		}
		log, err := a.o.Repo.Log(ctx, tip, "", 1)
		if err != nil {
			return step.ForgePullOut{}, machinery(err)
		}
		in.Title = subjectOf(log[0])
	}
	template, err := a.pullTemplate(ctx, c, in.Base)
	if err != nil {
		return step.ForgePullOut{}, err
	}
	body := fmt.Sprintf("%s\n\nSandbox: %s. Check it and its evidence again: `git fetch %s %s:%s`, then `jacquard verify %s/%s..%s/%s`.",
		in.Body, a.o.Level, originName, proofNotes, proofNotes, originName, in.Base, originName, in.Branch)
	var p forge.Pull
	err = a.effect("pull", func() error {
		p, err = c.OpenPull(ctx, forge.PullAsk{
			Branch: in.Branch, Base: in.Base, Title: a.redacted(in.Title), Draft: in.Draft, Body: forge.Plain(a.redacted(forge.Filled(template, body))), Marker: forge.Marker(j.Run, "pull"),
		})
		return err
	})
	return pullOut(p), forgeError(err)
}

// mostTemplate bounds a template of pull requests, in bytes.
const mostTemplate = 16 << 10

// pullTemplate is the text that pull requests of the project begin with, as the branch has it that they go to: no run writes its own.
func (a *Actor) pullTemplate(ctx context.Context, c *forge.Client, base string) (string, error) {
	tip, err := a.o.Repo.Ref(ctx, "refs/remotes/"+originName+"/"+base)
	if errors.Is(err, git.ErrNoRef) { // it was never fetched
		tip, err = a.branchAt(ctx, base), nil
	}
	if err != nil || tip == "" {
		return "", machinery(err)
	}
	tree, err := a.o.Repo.WholeTree(ctx, tip)
	if err != nil {
		return "", machinery(err)
	}
	ids := map[string]string{}
	for _, e := range tree {
		ids[e.Path] = e.ID
	}
	id := ids[c.Template(slices.Collect(maps.Keys(ids)))]
	if id == "" {
		return "", nil
	}
	text, err := a.o.Repo.ReadBlob(ctx, id)
	return clip(string(text), mostTemplate), machinery(err)
}

// forgeReady is the step forge.ready. That a draft cannot be made ready stops no run: a person has a button for it.
func (a *Actor) forgeReady(ctx context.Context, _ flow.Job, in step.ForgeReadyIn) (step.ForgeReadyOut, error) {
	c, err := a.forge(ctx)
	if err != nil {
		return step.ForgeReadyOut{}, err
	}
	p, err := c.ReadPull(ctx, in.Number)
	out := step.ForgeReadyOut{Pull: pullOut(p), Draft: p.Draft}
	if err != nil || !in.Verified || !p.Draft || p.State != "open" {
		return out, forgeError(err)
	}
	err = a.effect("ready", func() error { return c.MarkReady(ctx, p) })
	switch class := flow.ClassOf(err); class {
	case "":
		out.Draft = false
	case flow.Transient, flow.Limit, flow.Cancelled:
		return out, err
	default:
		out.Why = flow.AsFailure(err).Msg
	}
	return out, nil
}

func pullOut(p forge.Pull) step.ForgePullOut {
	return step.ForgePullOut{Number: p.Number, URL: p.URL, State: p.State, Head: p.Head}
}

// How much is said of checks that failed: so many, each so long. The rest is on the forge.
const (
	maxExplained = 6
	maxExplain   = 4000
	maxCI        = 100
)

// forgeChecks is the step forge.checks.
func (a *Actor) forgeChecks(ctx context.Context, _ flow.Job, in step.ForgeChecksIn) (step.ForgeChecksOut, error) {
	var out step.ForgeChecksOut
	c, err := a.forge(ctx)
	if err != nil {
		return out, err
	}
	p, err := c.ReadPull(ctx, in.Number)
	if err != nil {
		return out, forgeError(err)
	}
	out.Pull = pullOut(p)
	list, err := c.Checks(ctx, in.Commit)
	if err != nil {
		return out, forgeError(err)
	}
	is := func(s forge.State) func(forge.Check) bool { return func(k forge.Check) bool { return k.State == s } }
	final := !slices.ContainsFunc(list, is(forge.Pending))
	var before []forge.Check
	if final && slices.ContainsFunc(list, is(forge.Failed)) {
		if before, err = c.Checks(ctx, in.Onto); err != nil { // a commit that was never pushed has none
			before = nil
		}
	}
	slices.SortStableFunc(list, func(x, y forge.Check) int { return rank(x.State) - rank(y.State) })
	told := 0
	for _, k := range bound(list, maxCI) {
		r := step.CICheck{Name: clip(a.redacted(k.Name), 200), Status: step.CIStatus(k.State), Conclusion: k.Conclusion, Mendable: k.Mendable()}
		r.Before = k.FailsIn(before)
		if final && r.Mendable && !r.Before && told < maxExplained {
			told++
			r.Text = clip(c.Explain(ctx, k, maxExplain, a.redacted), maxExplain+200)
		}
		out.Checks = append(out.Checks, r)
	}
	return out, nil
}

// rank puts first what is to be read first.
func rank(s forge.State) int {
	return slices.Index([]forge.State{forge.Failed, forge.Pending, forge.Passed}, s)
}

// forgeIssue is the step forge.issue.
func (a *Actor) forgeIssue(ctx context.Context, j flow.Job, in step.ForgeIssueIn) (step.ForgeIssueOut, error) {
	c, err := a.forge(ctx)
	if err != nil {
		return step.ForgeIssueOut{}, err
	}
	var i forge.Issue
	err = a.effect("issue", func() error {
		i, err = c.SayIssue(ctx, forge.IssueAsk{
			Number: in.Number, Title: forge.Plain(a.redacted(in.Title)), Body: forge.Plain(a.redacted(in.Body)), Label: in.Label, Marker: forge.Marker(j.Run, "issue"),
		})
		return err
	})
	return step.ForgeIssueOut{Number: i.Number, URL: i.URL, Opened: i.Number != in.Number}, err
}
