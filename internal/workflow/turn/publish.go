package turn

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Pull is the pull request that a run ends with.
type Pull struct {
	Type  string // of its commits: the first part of the branch's name
	Name  string // the rest of it, made of any text; "" = the run has no name of its own
	Title string // "" = the subject of the last commit
	Body  string
	Draft bool // something of it is not verified
}

// maxPull is how long the text of a pull request may be, in bytes. The server takes 65,536 characters.
const maxPull = 20_000

// Branch is the branch that it gets, if nobody has chosen one and the name is free.
func (p Pull) Branch() string {
	return cmp.Or(p.Type, "feat") + "/" + cmp.Or(pdca.Feature(p.Name), "jacquard")
}

// HandOver ends a run: with a pull request where one is asked for, else as in says.
func HandOver(c *flow.Ctx, pull *step.PullIn, in step.DeliverIn, p Pull) (d step.Delivered, err error) {
	if pull != nil {
		d.Pull, d.Ref, d.Why, err = Publish(c, *pull, in.Base, p)
		return d, err
	}
	out, err := Do(c, "deliver", step.Deliver, in)
	return step.Delivered{Moved: out.Moved, Ref: out.Ref, Why: out.Why}, err
}

// Publish ends a run with a pull request: what it has landed on base goes to a branch of its own at the remote, and the user's
// branch stays where it is. why says what kept it from being published; then the result is on ref.
func Publish(c *flow.Ctx, in step.PullIn, base string, p Pull) (out *step.PullResult, ref, why string, err error) {
	push := step.ForgePushIn{Branch: cmp.Or(in.Branch, p.Branch()), Fixed: in.Branch != "", Base: in.Base}
	if in.Number > 0 { // base is its head
		push.Number, push.Was, base = in.Number, base, ""
	}
	d, err := Do(c, "deliver", step.Deliver, step.DeliverIn{How: step.ToPull, Base: base})
	if err != nil {
		return nil, "", "", err
	}
	push.Commit = d.Commit
	pushed, err := Reach(c, "push", step.ForgePush, push)
	if err != nil || pushed.Why != "" {
		return nil, d.Ref, pushed.Why, err
	}
	if in.Number > 0 {
		out, err = Ready(c, in, !p.Draft && !in.Draft)
	} else {
		out, err = Open(c, in, pushed.Branch, p)
	}
	return out, "refs/heads/" + pushed.Branch, "", err
}

// Open opens the pull request of a branch that was pushed, or finds the one that the run has opened.
func Open(c *flow.Ctx, in step.PullIn, branch string, p Pull) (*step.PullResult, error) {
	o, err := Reach(c, "pull", step.ForgePull, step.ForgePullIn{Branch: branch, Base: in.Base, Title: p.Title, Body: Clip(p.Body, maxPull), Draft: p.Draft})
	if err != nil {
		return nil, err
	}
	return &step.PullResult{Number: o.Number, URL: o.URL, Branch: branch, Base: in.Base, State: o.State, Draft: p.Draft}, nil
}

// Ready looks at the pull request that was there already; one of which all is verified is a draft no more.
func Ready(c *flow.Ctx, in step.PullIn, verified bool) (*step.PullResult, error) {
	o, err := Reach(c, "ready", step.ForgeReady, step.ForgeReadyIn{Number: in.Number, Verified: verified})
	if err != nil {
		return nil, err
	}
	return &step.PullResult{Number: o.Pull.Number, URL: o.Pull.URL, Branch: in.Branch, Base: in.Base, State: o.Pull.State, Draft: o.Draft, Note: o.Why}, nil
}

// Between two looks at a forge it is waited so long, each time twice as long as before. A minute is what a driver waits for by
// itself.
const (
	firstPause   = 5 * time.Second
	longestPause = time.Minute
)

// NextPause is how long to wait before the next look at a forge, after the pause before it; 0 = there was none.
func NextPause(before time.Duration) time.Duration {
	return max(firstPause, min(2*before, longestPause))
}

// PullBody is the text of a pull request: what was asked for, what shows each piece of work, and what no program has checked.
func PullBody(language string, asked, proof, open, warnings []string) string {
	var b strings.Builder
	for _, s := range asked {
		fmt.Fprintf(&b, "- %s\n", s)
	}
	List(&b, Say(language, "\n증명", "\nProof"), proof)
	List(&b, Say(language, "\n자동으로 확인하지 않은 것", "\nNot checked automatically"), open)
	List(&b, Say(language, "\n경고", "\nWarnings"), warnings)
	return strings.TrimLeft(b.String(), "\n")
}

// Proof says how much tests show of a piece of work.
func Proof(language, work string, t step.Counts) string {
	say := func(korean, english string) string { return work + ": " + Say(language, korean, english) }
	switch {
	case t.Level == step.Proved && t.Red > 0:
		return fmt.Sprintf(say("증명됨, 이 변경 없이는 테스트 %d개가 실패합니다", "proved, tests fail without it (%d)"), t.Red)
	case t.Level == step.Proved:
		return say("증명됨, 호출하면 합의한 값을 반환합니다", "proved, calling it returns the agreed values")
	case t.Level == step.Covered:
		return say("테스트가 통과하지만 이 변경 없이도 통과합니다", "covered, tests pass with it and without it")
	case t.Level == step.ByExit:
		return say("테스트 명령이 성공했습니다", "by exit code, the test command succeeds")
	}
	return say("확인 안 됨, 다루는 테스트가 없습니다", "not checked, no test covers it")
}
