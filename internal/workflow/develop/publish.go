package develop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// published is a pull request on its way. Nothing here merges it.
type published struct {
	w      *work
	branch string
	head   step.HeadOut // of the run's branch
	tree   string       // of the project that it has, without the design's document
	mine   []string     // commits that were pushed
	did    []string     // what authors have done about CI
}

// publish pushes what was verified to a branch of its own, opens a pull request, and waits for its CI.
func (w *work) publish(c *flow.Ctx, head step.HeadOut) error {
	p := &published{w: w, branch: cmp.Or(w.in.Pull.Branch, "feat/"+w.name), head: head, tree: w.tree}
	end, err := p.open(c)
	if err == nil && end.Reason == "" {
		end, err = p.ci(c)
	}
	if err == nil && end.Reason == "" {
		err = p.ready(c)
	}
	if err != nil {
		return err
	}
	w.out.Files = w.changes[:min(len(w.changes), 100)]
	w.out.Enter(c.Now().UnixMilli(), string(w.phase))
	if end.Reason == "" {
		w.enter(c, checkpoint.Done)
		return nil
	}
	end.Phase = string(w.phase)
	w.out.End, w.out.Verified = end, false
	if w.out.Pull != nil {
		w.out.Why = fmt.Sprintf("the pull request stays as it is: %s", w.out.Pull.URL)
	}
	return nil
}

// ready says that the pull request is a draft no more: CI has nothing against it, or a person has taken it as it is.
func (p *published) ready(c *flow.Ctx) error {
	if p.w.out.Pull.State != "open" { // a person has merged it
		p.w.out.Pull.Draft = false
		return nil
	}
	in := *p.w.in.Pull
	in.Number, in.Branch = p.w.out.Pull.Number, p.branch
	out, err := turn.Ready(c, in, true)
	if err == nil {
		out.Checks = p.w.out.Pull.Checks
		p.w.out.Pull = out
	}
	return err
}

// open pushes for the first time, and opens the pull request as a draft.
func (p *published) open(c *flow.Ctx) (step.End, error) {
	w := p.w
	if end, err := p.push(c); err != nil || end.Reason != "" {
		return end, err
	}
	out, err := turn.Open(c, *w.in.Pull, p.branch, turn.Pull{Body: w.pullText(), Draft: true})
	if err != nil {
		return step.End{}, err
	}
	w.out.Pull = out
	flow.Note(c, "opened", step.DevelopNote{Pull: w.out.Pull, Usage: w.out.Usage})
	return step.End{}, nil
}

// push pushes the head of the run's branch.
func (p *published) push(c *flow.Ctx) (step.End, error) {
	in := step.ForgePushIn{Commit: p.head.Commit, Branch: p.branch, Fixed: p.w.in.Pull.Branch != "", Base: p.w.in.Pull.Base}
	if n := len(p.mine); n > 0 {
		in.Was = p.mine[n-1]
	}
	out, err := turn.Reach(c, "push", step.ForgePush, in)
	if err != nil {
		return step.End{}, err
	}
	if out.Why != "" {
		p.w.out.Why = out.Why
		return step.End{Reason: needsDecision, Detail: out.Why}, nil
	}
	if out.Note != "" {
		p.w.out.Warnings = append(p.w.out.Warnings, out.Note)
	}
	p.branch, p.mine = out.Branch, append(p.mine, in.Commit)
	p.w.out.Ref, p.w.out.Commit = "refs/heads/"+out.Branch, in.Commit
	return step.End{}, nil
}

// ci waits until CI has nothing against it. What it has goes to an author, three runs in all; then a person decides.
func (p *published) ci(c *flow.Ctx) (step.End, error) {
	w := p.w
	hint := ""
	for n, c := range flow.Rounds(c, "asked", 1+turn.MaxHints) {
		end, err := p.runs(c, hint)
		if err != nil || w.in.Yes || !slices.Contains([]string{ciFailed, ciTimeout, turn.NoProgress}, end.Reason) {
			return end, err
		}
		if left := slices.Concat(w.open, turn.Texts([]string{w.reply})); end.Reason == turn.NoProgress && len(left) > 0 {
			end.Detail = turn.Clip(end.Detail+"\n"+fmt.Sprintf(w.say("에이전트: %s", "The agent says: %s"), strings.Join(left, "; ")), 2000)
		}
		text := fmt.Sprintf(w.say("풀 리퀘스트 %s 의 CI (%s):\n%s", "CI of the pull request %s (%s):\n%s"), w.out.Pull.URL, end.Reason, end.Detail)
		what, said, err := turn.Escalate(c, text, w.say("답: retry (CI를 다시 기다리고 실패하면 다시 고침), skip (그대로 완료), abort, 또는 다음 시도를 위한 힌트. 풀 리퀘스트는 열려 있습니다.",
			"Answer: retry (wait for CI and fix it again), skip (finish as it is), abort, or a hint for the next attempts. The pull request stays open."), true)
		switch {
		case err != nil:
			return step.End{}, err
		case what == turn.Skip:
			w.out.Accepted = append(w.out.Accepted, turn.Clip("CI: "+end.Detail, 1000))
			return step.End{}, nil
		case what == turn.Abort || n > turn.MaxHints:
			return step.End{Reason: aborted, Detail: end.Detail}, nil
		}
		hint = said
	}
	return step.End{Reason: turn.Limit, N: turn.MaxHints}, nil
}

// runs waits for CI of what was pushed, and mends what it has found, three times.
func (p *published) runs(c *flow.Ctx, hint string) (step.End, error) {
	w := p.w
	for n, c := range flow.Rounds(c, "run", ciRuns) {
		failed, end, err := p.wait(c.Sub("wait"))
		if w.out.Open = nil; err != nil || end.Reason != "" || len(failed) == 0 {
			return end, err
		}
		w.out.Open = checkNames(failed)
		detail := turn.Clip(strings.Join(w.out.Open, "; "), 500)
		mend := slices.DeleteFunc(slices.Clone(failed), func(k step.CICheck) bool { return !k.Mendable })
		if n >= ciRuns || len(mend) == 0 {
			return step.End{Reason: ciFailed, N: n, Detail: detail}, nil
		}
		before := w.tree
		ok, err := w.fix(c, fixing{why: checkNames(mend), hint: hint, ci: p.ciText(mend)})
		if err != nil {
			return step.End{}, err
		}
		if !ok {
			return step.End{Reason: turn.NoProgress, N: n, Detail: detail}, nil
		}
		w.mended = append(w.mended, checkNames(mend)...)
		p.did = append(p.did, w.reply)
		for _, left := range w.open {
			w.out.Warnings = append(w.out.Warnings, turn.Clip("CI: not fixed: "+left, 600))
		}
		if end, err := w.merge(c.Sub("again"), false); err != nil || end.Reason != "" {
			w.tree = before // the rest of it is in no commit
			return end, err
		}
		names := step.Each(mend, func(k step.CICheck) string { return pdca.Line(k.Name) })
		p.head, err = turn.Do(c, "commit", step.AutoCommit, step.AutoCommitIn{
			From: p.head.Commit, Base: p.tree, Tree: w.tree, Feature: w.name, Type: "fix", Title: turn.Clip("fix "+strings.Join(names, ", ")+" in CI", 120),
		})
		if err != nil {
			return step.End{}, err
		}
		p.tree = w.tree
		if end, err := p.push(c); err != nil || end.Reason != "" {
			return end, err
		}
	}
	return step.End{Reason: turn.Limit, N: ciRuns}, nil
}

// wait looks at CI until everything has ended; nil for what has nothing against it. A look is a step and a pause a timer, so
// that waiting costs nothing and outlives the process.
func (p *published) wait(c *flow.Ctx) (failed []step.CICheck, end step.End, err error) {
	w := p.w
	w.out.Rounds.CI++
	began, pause, told := c.Now(), turn.NextPause(0), ""
	commit := p.mine[len(p.mine)-1]
	for _, c := range flow.Rounds(c, "poll", polls) {
		out, err := turn.Reach(c, "checks", step.ForgeChecks, step.ForgeChecksIn{Number: w.out.Pull.Number, Commit: commit, Onto: w.s.Onto.Commit})
		if err != nil {
			return nil, step.End{}, err
		}
		res := *w.out.Pull
		res.State, res.Checks = out.Pull.State, untold(out.Checks)
		w.out.Pull = &res
		failed, pending := p.left(out.Checks)
		if line := fmt.Sprint(res.State, len(out.Checks), len(failed), pending); line != told {
			told = line
			flow.Note(c, "ci", step.DevelopNote{Pull: &res, Round: w.out.Rounds.CI, Usage: w.out.Usage})
		}
		took := c.Now().Sub(began)
		left := time.Duration(w.in.Pull.Wait)*time.Millisecond - took
		switch {
		case res.State == "merged": // a person was content with it
			return nil, step.End{}, nil
		case res.State != "open":
			return nil, step.End{Reason: aborted, Detail: "the pull request was closed"}, nil
		case !slices.Contains(p.mine, out.Pull.Head): // it may still be at the one before
			return nil, step.End{Reason: needsDecision, Detail: "someone else pushed to " + p.branch}, nil
		case len(out.Checks) > 0 && pending == 0:
			p.known(out.Checks)
			return failed, step.End{}, nil
		case len(out.Checks) == 0:
			if left = min(left, time.Duration(w.in.Pull.Start)*time.Millisecond-took); left <= 0 {
				w.out.Warnings = append(w.out.Warnings, "the forge has no checks for it, so Jacquard did not wait")
				return nil, step.End{}, nil
			}
		case left <= 0:
			return nil, step.End{Reason: ciTimeout, Detail: fmt.Sprintf("%d of %d checks have not ended after %s", pending, len(out.Checks), time.Duration(w.in.Pull.Wait)*time.Millisecond)}, nil
		}
		if err := flow.Until(c, "pause", c.Now().Add(min(pause, left))); err != nil {
			return nil, step.End{}, err
		}
		pause = turn.NextPause(pause)
	}
	return nil, step.End{Reason: ciTimeout, Detail: "it was checked too often"}, nil
}

// left are the checks that failed because of the work, and how many have not ended.
func (p *published) left(list []step.CICheck) (failed []step.CICheck, pending int) {
	for _, k := range list {
		switch {
		case k.Status == step.CIPending:
			pending++
		case k.Status == step.CIFailed && !k.Before:
			failed = append(failed, k)
		}
	}
	return failed, pending
}

// known notes what failed before the work as well: it is nobody's.
func (p *published) known(list []step.CICheck) {
	for _, k := range list {
		text := fmt.Sprintf("CI: %s also fails without the change", pdca.Line(k.Name))
		if k.Before && !slices.Contains(p.w.out.Warnings, text) {
			p.w.out.Warnings = append(p.w.out.Warnings, text)
		}
	}
}

// untold are checks without what they say.
func untold(list []step.CICheck) []step.CICheck {
	out := slices.Clone(list)
	for i := range out {
		out[i].Text = ""
	}
	return out
}

func checkNames(list []step.CICheck) []string {
	return step.Each(list, func(k step.CICheck) string { return fmt.Sprintf("CI: %s: %s", pdca.Line(k.Name), k.Conclusion) })
}

// ciText is what the checks that failed say, for who mends it, and what was done about it before. It is data.
func (p *published) ciText(list []step.CICheck) string {
	var b strings.Builder
	for _, k := range list {
		fmt.Fprintf(&b, "%s: %s\n%s\n\n", pdca.Line(k.Name), k.Conclusion, k.Text)
	}
	text := turn.Clip(b.String(), 26_000)
	for i, s := range p.did {
		text += fmt.Sprintf("\nBefore run %d an author has done this about it, and it is in the tree: %s\n", i+2, s)
	}
	return text
}

// pullText is the body of the pull request: what a reviewer wants to know first.
func (w *work) pullText() string {
	var b strings.Builder
	for _, i := range w.req.Functional {
		fmt.Fprintf(&b, "- %s\n", pdca.Line(i.Text))
	}
	b.WriteString(w.say("\n## 체크포인트\n\n", "\n## Checkpoints\n\n"))
	for _, l := range w.lines() {
		fmt.Fprintf(&b, "- %s\n", pdca.Line(l))
	}
	title := w.say("\n## 검사\n\n", "\n## Checks\n\n")
	for _, g := range w.out.Goals {
		if g.Status != step.GoalSkip {
			fmt.Fprintf(&b, "%s- %s: %s\n", title, g.Goal, g.Status)
			title = ""
		}
	}
	fmt.Fprintf(&b, w.say("\n설계: `%s`\n", "\nDesign: `%s`\n"), w.out.Document)
	turn.List(&b, w.say("\n무시하기로 한 이의", "\nOverruled"), w.out.Accepted)
	turn.List(&b, w.say("\n경고", "\nWarnings"), w.out.Warnings)
	return b.String()
}
