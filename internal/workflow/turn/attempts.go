package turn

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Why attempts end without a result.
const (
	Blocked     = "blocked"      // their author says that it is not in his hands
	NoProgress  = "no_progress"  // an attempt is the one before once more
	Oscillation = "oscillation"  // it has left a tree that was there before
	SameFailure = "same_failure" // one failure was in too many of them
	Limit       = "limit"        // all were made
	Untested    = "untested"     // a person has to accept what was found, and nobody has
)

// Twice is a value of Attempts.Same: two attempts in a row that fail in exactly the same ways are no progress.
const Twice = 2

// Attempts let an author write until a proof holds and the result has landed, or until another attempt would not help.
type Attempts[A Answer] struct {
	Key   string // of the rounds in the journal
	Phase string // in the notes
	Limit int
	// Same is how many attempts may fail in the same way: Twice, or more of them with one failure in common. Where it is given,
	// one that leaves its tree as it was is no progress, and one that leaves an earlier tree is an oscillation.
	Same       int
	MustChange bool // who leaves the tree that the first attempt begins with has not done it: nothing is proved
	Listed     bool // what no test shows is listed, and nobody is asked: tests came first, or what is mended was proved before

	Base  string           // tree without the work, that Left is compared with; "" where nothing is left for a later run
	Tree  string           // that the first attempt begins with
	Back  *Sent            // what was found in it; nil: nobody has looked
	Begin *step.TurnOut    // what is there already: it is proved before anybody is paid
	Tests *step.TestsFirst // that came first, and are left with the work
	Who   *Person          // is asked before an attempt that would not help; nil: nobody is there
	Usage *step.Usage      // what was spent so far, for the notes

	// Write lets the author work. A turn that fails by itself counts as an attempt.
	Write func(c *flow.Ctx, a *Attempt[A]) (step.TurnOut, error)
	// Prove finds out what the attempt is worth, and has it judged: see Attempt.Judge.
	Prove func(c *flow.Ctx, a *Attempt[A]) error
	// Land merges an attempt that has passed with the work of others; nil: there is nothing to land on.
	Land func(c *flow.Ctx, a *Attempt[A]) (step.LandTaskOut, error)
}

// Answer is what an author says of his work: Built, or what has one in it.
type Answer interface {
	Words() string
	built() Built
}

// Person is who decides about attempts that another one would not make better.
type Person struct {
	Say   func(korean, english string) string
	Head  func(why string) string // what he reads first
	More  int                     // attempts that his answer gives; 0: none, so that he is asked only while there is one
	Hints []string                // that he has given
	// Command takes a command line of his in place of those that a finding names, and reports whether there are any; nil where the work has
	// none. The same tree is proved once more.
	Command func(line string, found []step.Finding) bool
}

// Attempt is one turn of an author, and what was found in it.
type Attempt[A Answer] struct {
	N      int      // from 1; 0 is what was there already
	Last   bool     // there is none after it
	Base   string   // tree without the work
	Before string   // tree that it began with
	Back   *Sent    // what was found in that
	Hints  []string // of a person

	Turn   step.TurnOut
	Answer A
	Tree   string // with what was written; Prove may set another
	Proof  step.TaskProof
	Sent   Sent // what was found in it
	Passed bool
	Asks   bool   // it would pass if a person accepts what nothing shows
	Stop   string // Prove says why there is to be no other attempt where this one does not pass

	Accepted bool // what no test shows of it, by a person

	HeldOut []step.HeldOut // Prove says which calls count from now on, and
	For     string         // what they were worked out from

	asked bool // somebody is there to be asked
}

// Judge takes a proof of an attempt and says whether it passes: nothing rejects it, and what only should be better goes back
// to its author once, while there is another attempt. An author who leaves the tree as it was has answered, even if another look at it,
// which has limits of time, finds more of that kind.
func (a *Attempt[A]) Judge(p step.TaskProof) bool {
	a.Proof = p
	a.Sent = Sent{Findings: slices.Concat(a.Turn.Findings, p.Findings), Failures: p.Failures, Said: a.Answer.Words()}
	last := a.Last || a.Stop != "" || a.Back != nil && (a.Sent.as(*a.Back) || a.Tree == a.Before && a.Back.good(true) && len(a.Back.Failures) == 0)
	good := p.Passed && a.Sent.good(last)
	asks := !a.Accepted && step.Has(a.Sent.Findings, step.Asks)
	excused := a.Answer.built().excuse() != ""
	told := a.Back != nil && (step.Has(a.Back.Findings, step.Asks) || excused && a.Tree == a.Before) || a.N == 0 && a.asked && excused
	a.Asks = good && asks && (last || told) // else its author may write a test
	a.Passed = good && !asks
	return a.Passed
}

// Result is how attempts have ended.
type Result[A Answer] struct {
	End     step.End   // its reason is "" where the last attempt has passed, and landed
	Last    Attempt[A] // that an author has answered; zero: none
	Tree    string     // that another attempt would begin with
	Back    *Sent      // what was found in it; nil: nobody has looked
	Failed  flow.Class // of the last turn, where it gave no answer
	Aborted bool       // a person has ended it
}

// Run makes the attempts.
func (l Attempts[A]) Run(c *flow.Ctx) (Result[A], error) {
	r := attempts[A]{Attempts: l, left: l.Limit, seen: map[string]bool{}, res: Result[A]{Tree: l.Tree, Back: l.Back, End: step.End{Reason: Limit}}}
	if l.Begin != nil {
		a := r.next(0)
		a.Turn = *l.Begin
		if done, err := r.take(c.Sub("left"), a); done || err != nil {
			return r.res, err
		}
	}
	most := l.Limit
	if l.Who != nil {
		most += l.Who.More * MaxHints
	}
	for n, c := range flow.Rounds(c, l.Key, most) {
		if r.left == 0 {
			break
		}
		r.left--
		if done, err := r.attempt(c, r.next(n)); done || err != nil {
			return r.res, err
		}
	}
	return r.res, nil
}

// attempts are some on their way.
type attempts[A Answer] struct {
	Attempts[A]

	left   int // attempts
	failed pdca.Cycles
	seen   map[string]bool // trees
	res    Result[A]
}

func (r *attempts[A]) next(n int) *Attempt[A] {
	a := &Attempt[A]{N: n, Last: r.left == 0, Base: r.Base, Before: r.res.Tree, Back: r.res.Back, Accepted: r.Listed, asked: r.Who != nil}
	if r.Who != nil {
		a.Hints = r.Who.Hints
	}
	return a
}

func (r *attempts[A]) attempt(c *flow.Ctx, a *Attempt[A]) (done bool, err error) {
	r.res.End.N, r.res.Failed = a.N, ""
	if a.Turn, err = r.Write(c, a); err == nil {
		return r.take(c, a)
	}
	if EndsRun(err) {
		return false, err
	}
	f := flow.AsFailure(err)
	r.res.Failed, r.res.End.Detail = f.Class, string(f.Class)
	flow.Note(c, "judged", step.AttemptNote{Phase: r.Phase, Attempt: a.N, Usage: *r.Usage, Text: Clip(f.Error(), 300)})
	return false, nil
}

// take tries what an author has left. Where another attempt would end in the same way a person decides first.
func (r *attempts[A]) take(c *flow.Ctx, a *Attempt[A]) (done bool, err error) {
	if a.Tree = a.Turn.Tree; len(a.Turn.Answer) > 0 { // else nobody was asked
		if err := Decode(a.Turn.Answer, &a.Answer); err != nil {
			return false, err
		}
	}
	if r.MustChange && a.Tree == r.Tree {
		said := Line(a.Answer.built().Summary, 600)
		flow.Note(c, "judged", step.AttemptNote{Phase: r.Phase, Attempt: a.N, Usage: *r.Usage, Text: "nothing was changed: " + said})
		r.res.Last = *a
		return r.stop(NoProgress, a.N)
	}
	if done, err := r.try(c, a); done || err != nil {
		return done, err
	}
	if a.Asks { // a person has said how to go on
		return false, nil
	}
	why, times := r.stuck(a)
	switch {
	case why == "":
		return false, nil
	case r.Who == nil || a.Stop != "" || a.Last && r.Who.More == 0:
		return r.stop(why, times)
	}
	what, hint, err := Escalate(c, a.Sent.Question(r.Who.Say, r.Who.Head(why)), r.Who.answers(), false)
	if err != nil {
		return false, err
	}
	if what == Abort {
		r.res.Aborted = true
		return r.stop(why, times)
	}
	if r.failed = nil; r.Who.More > 0 {
		r.left = r.Who.More
	}
	if line, ok := strings.CutPrefix(hint, commandWord); ok && r.Who.Command != nil && r.Who.Command(strings.TrimSpace(line), a.Sent.Findings) {
		hint = ""
	}
	if hint != "" {
		r.Who.Hints = append(r.Who.Hints, hint)
		return false, nil
	}
	a.Back, a.Last = r.res.Back, r.left == 0
	return r.try(c.Sub("again"), a)
}

// accept asks a person about an attempt that no test shows: it is taken as it is, or goes back to its author with a reason.
func (r *attempts[A]) accept(c *flow.Ctx, a *Attempt[A]) (done bool, err error) {
	if r.Who == nil {
		return r.stop(Untested, a.N)
	}
	words := r.Who.Say("승인하면 증명 없이 그대로 반영합니다. 거부하면 끝납니다.", "Approve to accept it without proof, or reject it.")
	if r.left+r.Who.More > 0 {
		words = r.Who.Say("승인하면 증명 없이 그대로 반영합니다. 이유를 적어 거부하면 에이전트가 다시 시도하고, 이유가 abort이면 그만둡니다.", "Approve to accept it without proof. Reject with a reason, and the agent tries again; with the reason abort, it gives up.")
	}
	what, said, err := Gate(c, "agree", step.Readable(Clip(a.Sent.Question(r.Who.Say, r.Who.Head(Untested)), 6000))+"\n"+words)
	switch {
	case err != nil:
		return false, err
	case what == flow.Approve:
		a.Accepted, a.Asks, a.Passed = true, false, true
		return r.settle(c.Sub("accepted"), a)
	case said == "", strings.EqualFold(said, Abort), r.left+r.Who.More == 0:
		r.res.Aborted = true
		return r.stop(Untested, a.N)
	}
	r.Who.Hints = append(r.Who.Hints, Clip(said, 4000))
	if r.left == 0 {
		r.left = r.Who.More
	}
	return false, nil
}

// try proves an attempt and lands it. Not done: what was found goes back.
func (r *attempts[A]) try(c *flow.Ctx, a *Attempt[A]) (done bool, err error) {
	if err := r.Prove(c, a); err != nil {
		return false, err
	}
	if done, err := r.settle(c, a); done || err != nil || !a.Asks {
		return done, err
	}
	return r.accept(c, a)
}

// settle takes what an attempt is worth.
func (r *attempts[A]) settle(c *flow.Ctx, a *Attempt[A]) (done bool, err error) {
	left := &step.Left{Base: a.Base, Tree: a.Tree, Said: a.Answer.Words(), Answer: a.Turn.Answer, Tests: r.Tests, HeldOut: a.HeldOut, For: a.For}
	if a.Base == "" || a.Tree == a.Base {
		left = nil
	}
	note := step.AttemptNote{
		Phase: r.Phase, Attempt: a.N, Passed: a.Passed, Counts: a.Proof.Counts, Findings: Short(a.Sent.Findings), Failures: a.Proof.Failures,
		Usage: *r.Usage, Summary: Clip(a.Answer.built().Summary, 1000),
	}
	if !a.Passed {
		note.Left = left
	}
	flow.Note(c, "judged", note)
	if a.Passed && r.Land != nil {
		land, err := r.Land(c, a)
		if err != nil {
			return false, err
		}
		if !land.Passed {
			r.merged(c, a, land, left)
		}
	}
	if r.res.Last = *a; a.Passed {
		r.res.Tree, r.res.End = a.Tree, step.End{}
		return true, nil
	}
	sent := a.Sent
	r.res.Tree, r.res.Back, r.res.End.Detail = a.Tree, &sent, sent.Brief()
	return false, nil
}

// merged takes what was found when an attempt was merged with what others have landed: it goes on from there.
func (r *attempts[A]) merged(c *flow.Ctx, a *Attempt[A], land step.LandTaskOut, left *step.Left) {
	p := land.Proof
	a.Passed, a.Sent = false, Sent{Findings: p.Findings, Failures: p.Failures, Said: a.Sent.Said, Merged: true}
	flow.Note(c, "landing", step.AttemptNote{
		Phase: "land", Attempt: a.N, Counts: p.Counts, Findings: Short(p.Findings), Failures: p.Failures, Usage: *r.Usage, Text: strings.Join(land.Conflicts, ", "), Left: left,
	})
	r.Base, a.Base, a.Tree = land.Head.Tree, land.Head.Tree, land.Start
	clear(r.seen)
}

// stuck says why the attempt after this one would end as this one did, "" where it may not, and which attempt it is, or how
// many have failed in the same way.
func (r *attempts[A]) stuck(a *Attempt[A]) (why string, n int) {
	r.failed = append(r.failed, a.Sent.signatures())
	if !a.Sent.Merged { // else others have landed meanwhile: nothing is as it was
		seen := r.seen[a.Tree]
		r.seen[a.Tree] = true
		switch {
		case a.Stop != "":
			return a.Stop, a.N
		case strings.TrimSpace(a.Answer.built().Blocked) != "":
			return Blocked, a.N
		case r.Same > 0 && a.Back != nil && (a.Tree == a.Before || r.Same == Twice && a.Sent.as(*a.Back)):
			return NoProgress, a.N
		case r.Same > 0 && seen:
			return Oscillation, a.N
		}
	}
	if times := r.failed.Repeated(); r.Same > Twice && times >= r.Same && !a.Last {
		return SameFailure, times
	}
	return "", 0
}

// stop ends the attempts.
func (r *attempts[A]) stop(why string, n int) (done bool, err error) {
	r.res.End.Reason, r.res.End.N = why, n
	return true, nil
}

// as reports whether two attempts failed in exactly the same ways.
func (s Sent) as(before Sent) bool { return pdca.Cycles{before.signatures(), s.signatures()}.Stuck() }

// Restart is what an earlier run has left of a piece of work, as it is on the present head; nil for nothing.
func Restart(c *flow.Ctx, left *step.Left, head string) (*step.TurnOut, error) {
	if left == nil {
		return nil, nil
	}
	out, err := Do(c, "restart", step.Restart, step.RestartIn{Left: *left, Head: head})
	if err != nil || out.Tree == head {
		return nil, err
	}
	t := &step.TurnOut{Tree: out.Tree, Answer: left.Answer}
	if err := Decode(t.Answer, &Built{}); err != nil { // of an earlier version
		t.Answer, err = json.Marshal(map[string]string{"summary": left.Said})
		return t, err
	}
	return t, nil
}
