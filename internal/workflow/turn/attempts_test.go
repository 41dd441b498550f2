package turn_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// round is one attempt as a test tells of it: "TREE FAILURE FAILURE …"; "~" before a failure is one that only should be
// mended, "?" one that a person may accept, and "TREE" alone passes.
type round struct {
	left    string
	blocked string
	excuse  string     // why no test shows it
	fails   flow.Class // the turn itself
	lands   bool       // on a tree that others have changed, where it fails so
	stop    string
}

// told is how attempts have gone.
type told struct {
	End   string
	Tree  string
	Said  []string // what each author was given: tree, what was found, hints
	Proof []string // trees
	Notes []string
}

// loop is what a test sets of turn.Attempts.
type loop struct {
	limit, same int
	change      bool
	back        string // what was found in the first tree
	begin       *round
	more        int
	answers     []string // of a person; nil: nobody is there
	rounds      []round
	want        told
}

func sent(fails []string) (out step.TaskProof) {
	out.Passed = true
	for _, f := range fails {
		if soft, ok := strings.CutPrefix(f, "~"); ok {
			out.Findings = append(out.Findings, step.Finding{Rule: soft, Severity: step.Fix, Message: soft})
			continue
		}
		if asked, ok := strings.CutPrefix(f, "?"); ok {
			out.Findings = append(out.Findings, step.Finding{Rule: asked, Severity: step.Asks, Message: asked})
			continue
		}
		out.Passed = false
		out.Failures = append(out.Failures, step.TestResult{ID: f, Status: step.Fail, Message: f})
	}
	return out
}

// run plays the rounds.
func (l loop) run(t *testing.T) told {
	t.Helper()
	w := flow.Workflow[int, told]{Name: "loop", Fn: func(c *flow.Ctx, _ int) (told, error) {
		var out told
		now := round{}
		turned := func(r round) step.TurnOut {
			now = r
			tree, _, _ := strings.Cut(r.left, " ")
			return step.TurnOut{Tree: tree, Answer: flowtest.JSON(t, turn.Built{Summary: "done", Blocked: r.blocked, Untested: r.excuse})}
		}
		a := turn.Attempts[turn.Built]{
			Key: "try", Phase: "do", Limit: l.limit, Same: l.same, MustChange: l.change, Base: "t0", Tree: "t0", Usage: &step.Usage{},
			Write: func(_ *flow.Ctx, a *turn.Attempt[turn.Built]) (step.TurnOut, error) {
				was := ""
				if a.Back != nil {
					was = a.Back.Brief()
				}
				out.Said = append(out.Said, strings.TrimSpace(fmt.Sprintf("%s<%s %s %s", a.Before, a.Base, was, strings.Join(a.Hints, "+"))))
				r := l.rounds[a.N-1]
				if r.fails != "" {
					return step.TurnOut{}, flow.Failf(r.fails, "dice")
				}
				return turned(r), nil
			},
			Prove: func(_ *flow.Ctx, a *turn.Attempt[turn.Built]) error {
				out.Proof = append(out.Proof, a.Tree)
				a.Stop = now.stop
				fails := strings.Fields(now.left)[1:]
				if now.lands || strings.HasPrefix(a.Tree, "m") { // it is the merged tree that fails
					fails = nil
				}
				a.Judge(sent(fails))
				return nil
			},
			Land: func(_ *flow.Ctx, a *turn.Attempt[turn.Built]) (step.LandTaskOut, error) {
				if !now.lands {
					return step.LandTaskOut{Passed: true}, nil
				}
				now.lands = false
				return step.LandTaskOut{Head: step.HeadOut{Tree: "h" + a.Tree}, Start: "m" + a.Tree, Proof: sent(strings.Fields(now.left)[1:])}, nil
			},
		}
		if l.back != "" {
			b := turn.Sent{Failures: sent([]string{l.back}).Failures}
			a.Back = &b
		}
		if l.begin != nil {
			b := turned(*l.begin)
			a.Begin = &b
		}
		if l.answers != nil {
			a.Who = &turn.Person{Say: func(_, english string) string { return english }, Head: func(why string) string { return "why: " + why }, More: l.more}
		}
		res, err := a.Run(c)
		out.End, out.Tree = strings.TrimSpace(fmt.Sprintf("%s %d %s %s", res.End.Reason, res.End.N, res.End.Detail, res.Failed)), res.Tree
		if res.Aborted {
			out.End += " by a person"
		}
		return out, err
	}}
	asked := 0
	p := flowtest.Dice{
		T: t, Rnd: rand.New(rand.NewPCG(1, 1)), Workflow: w, Crash: 3, Most: 100,
		Said: func(want flow.Want) flow.Answer {
			if asked++; asked > len(l.answers) {
				t.Fatalf("%s: a person is asked once more", want.Key)
			}
			return flow.Answer{Verb: flow.Reply, Text: l.answers[asked-1]}
		},
	}.Play()
	if p.Err != nil {
		t.Fatal(p.Err)
	}
	if asked < len(l.answers) {
		t.Errorf("a person was asked %d times, want %d", asked, len(l.answers))
	}
	var out told
	if err := json.Unmarshal(p.Out, &out); err != nil {
		t.Fatal(err)
	}
	for _, key := range p.Order {
		var n step.AttemptNote
		if err := json.Unmarshal([]byte(p.Notes[key]), &n); err != nil {
			t.Fatal(err)
		}
		left := ""
		if n.Left != nil {
			left = " left " + n.Left.Tree + "<" + n.Left.Base
		}
		out.Notes = append(out.Notes, strings.TrimSpace(fmt.Sprintf("%s %d %v%s %s", n.Phase, n.Attempt, n.Passed, left, n.Text)))
	}
	return out
}

// TestAttempts: each rule by which attempts end, one step before it and at it.
func TestAttempts(t *testing.T) {
	t.Parallel()
	is := func(list ...string) (out []round) {
		for _, s := range list {
			out = append(out, round{left: s})
		}
		return out
	}
	for name, l := range map[string]loop{
		"passed at once":          {limit: 3, rounds: is("t1"), want: told{End: "0", Tree: "t1"}},
		"passed at the last":      {limit: 2, rounds: is("t1 a", "t2"), want: told{End: "0", Tree: "t2", Said: []string{"t0<t0", "t1<t0 a"}}},
		"the limit":               {limit: 2, rounds: is("t1 a", "t2 a"), want: told{End: "limit 2 a", Tree: "t2"}},
		"a turn counts":           {limit: 2, rounds: []round{{left: "t1 a"}, {fails: flow.Refusal}}, want: told{End: "limit 2 refusal refusal", Tree: "t1", Notes: []string{"do 1 false left t1<t0", "do 2 false refusal: dice"}}},
		"and forgets nothing":     {limit: 3, rounds: []round{{left: "t1 a"}, {fails: flow.Refusal}, {left: "t2"}}, want: told{End: "0", Tree: "t2", Said: []string{"t0<t0", "t1<t0 a", "t1<t0 a"}}},
		"nothing else ends it":    {limit: 3, rounds: is("t1 a", "t1 a", "t1 a"), want: told{End: "limit 3 a", Tree: "t1"}},
		"blocked":                 {limit: 3, rounds: []round{{left: "t1 a", blocked: "the disk"}}, want: told{End: "blocked 1 a", Tree: "t1"}},
		"blocked by a blank":      {limit: 1, rounds: []round{{left: "t1 a", blocked: " \n"}}, want: told{End: "limit 1 a", Tree: "t1"}},
		"blocked, and it passes":  {limit: 3, rounds: []round{{left: "t1", blocked: "the disk"}}, want: told{End: "0", Tree: "t1"}},
		"a proof ends it":         {limit: 3, rounds: []round{{left: "t1 a", stop: "ENV"}}, want: told{End: "ENV 1 a", Tree: "t1"}},
		"unless it passes":        {limit: 3, rounds: []round{{left: "t1 ~a", stop: "ENV"}}, want: told{End: "0", Tree: "t1"}},
		"a person is not asked":   {limit: 3, answers: []string{}, rounds: []round{{left: "t1 a", stop: "ENV"}}, want: told{End: "ENV 1 a", Tree: "t1"}},
		"the tree as it was":      {limit: 5, same: 3, rounds: is("t1 a", "t1 b"), want: told{End: "no_progress 2 b", Tree: "t1"}},
		"but not at first":        {limit: 1, same: 3, rounds: is("t0 a"), want: told{End: "limit 1 a", Tree: "t0", Notes: []string{"do 1 false"}}},
		"if nobody had looked":    {limit: 3, same: 3, back: "x", rounds: is("t0 a"), want: told{End: "no_progress 1 a", Tree: "t0"}},
		"a tree of before":        {limit: 5, same: 3, rounds: is("t1 a", "t2 b", "t1 c"), want: told{End: "oscillation 3 c", Tree: "t1"}},
		"not the one it began by": {limit: 2, same: 3, rounds: is("t1 a", "t0 b"), want: told{End: "limit 2 b", Tree: "t0"}},
		"twice in the same way":   {limit: 5, same: turn.Twice, rounds: is("t1 a b", "t2 b a"), want: told{End: "no_progress 2 b, a", Tree: "t2"}},
		"not in the same way":     {limit: 2, same: turn.Twice, rounds: is("t1 a b", "t2 b"), want: told{End: "limit 2 b", Tree: "t2"}},
		"one failure thrice":      {limit: 5, same: 3, rounds: is("t1 a", "t2 b a", "t3 c", "t4 a"), want: told{End: "same_failure 3 a", Tree: "t4"}},
		"not at the last":         {limit: 3, same: 3, rounds: is("t1 a", "t2 a", "t3 a"), want: told{End: "limit 3 a", Tree: "t3"}},

		"what should be better goes back": {limit: 5, rounds: is("t1 ~a", "t2"), want: told{End: "0", Tree: "t2", Said: []string{"t0<t0", "t1<t0 [a]"}}},
		"once":                            {limit: 5, same: 3, rounds: is("t1 ~a", "t1 ~a"), want: told{End: "0", Tree: "t1", Notes: []string{"do 1 false left t1<t0", "do 2 true"}}},
		"also when more is found":         {limit: 5, same: 3, rounds: is("t1 ~a", "t1 ~a ~b"), want: told{End: "0", Tree: "t1", Notes: []string{"do 1 false left t1<t0", "do 2 true"}}},
		"but not what then fails":         {limit: 5, same: 3, rounds: is("t1 ~a", "t1 b"), want: told{End: "no_progress 2 b", Tree: "t1"}},
		"but not what fails beside it":    {limit: 2, rounds: is("t1 ~a b", "t2 ~a b"), want: told{End: "limit 2 [a], b", Tree: "t2"}},
		"not from the last":               {limit: 1, rounds: is("t1 ~a"), want: told{End: "0", Tree: "t1"}},

		"what no test shows goes back, too":       {limit: 3, same: 3, rounds: is("t1 ?a", "t2"), want: told{End: "0", Tree: "t2", Said: []string{"t0<t0", "t1<t0 [a]"}}},
		"then nobody is there to accept it":       {limit: 3, same: 3, rounds: is("t1 ?a", "t1 ?a"), want: told{End: "untested 2 [a]", Tree: "t1"}},
		"who is sent back and says that none can": {limit: 3, same: 3, rounds: []round{{left: "t1 b"}, {left: "t1 ?a", excuse: "It is a rename."}}, want: told{End: "untested 2 [a]", Tree: "t1"}},
		"but with nothing said it is no progress": {limit: 3, same: 3, rounds: is("t1 b", "t1 ?a"), want: told{End: "no_progress 2 [a]", Tree: "t1"}},

		"nothing is changed":       {limit: 3, change: true, rounds: is("t0 a"), want: told{End: "no_progress 1", Tree: "t0", Notes: []string{"do 1 false nothing was changed: done"}}},
		"all is taken back":        {limit: 3, change: true, rounds: is("t1 a", "t0"), want: told{End: "no_progress 2 a", Tree: "t1", Proof: []string{"t1"}}},
		"what was there passes":    {limit: 3, begin: &round{left: "t7"}, want: told{End: "0", Tree: "t7"}},
		"what was there fails":     {limit: 3, begin: &round{left: "t7 a"}, rounds: is("t8"), want: told{End: "0", Tree: "t8", Said: []string{"t7<t0 a"}}},
		"what was there blocks":    {limit: 3, begin: &round{left: "t7 a", blocked: "the disk"}, want: told{End: "blocked 0 a", Tree: "t7"}},
		"what was there, as it is": {limit: 3, same: 3, begin: &round{left: "t7 a"}, rounds: is("t7 b"), want: told{End: "no_progress 1 b", Tree: "t7"}},

		"merged, and it goes on": {limit: 3, same: turn.Twice, rounds: []round{{left: "t1 a", lands: true}, {left: "t2"}}, want: told{
			End: "0", Tree: "t2", Said: []string{"t0<t0", "mt1<ht1 a"}, Notes: []string{"do 1 true", "land 1 false left t1<t0", "do 2 true"},
		}},
		"merged, nobody is asked":  {limit: 2, same: turn.Twice, answers: []string{}, rounds: []round{{left: "t1 a", lands: true, blocked: "it"}, {left: "t2 b", lands: true}}, want: told{End: "limit 2 b", Tree: "mt2"}},
		"merged, trees are others": {limit: 3, same: 3, rounds: []round{{left: "t1 b"}, {left: "t2 a", lands: true}, {left: "t1 c"}}, want: told{End: "limit 3 c", Tree: "t1"}},
		"merged thrice":            {limit: 5, same: 3, rounds: []round{{left: "t1 a", lands: true}, {left: "t2 a", lands: true}, {left: "t3 a", lands: true}}, want: told{End: "same_failure 3 a", Tree: "mt3"}},

		"a person ends it":         {limit: 3, same: 3, more: 3, answers: []string{"abort"}, rounds: is("t1 a", "t1 a"), want: told{End: "no_progress 2 a by a person", Tree: "t1"}},
		"a hint":                   {limit: 3, same: 3, answers: []string{"so"}, rounds: is("t1 a", "t1 a", "t2"), want: told{End: "0", Tree: "t2", Said: []string{"t0<t0", "t1<t0 a", "t1<t0 a so"}}},
		"hints count no attempts":  {limit: 3, same: 3, answers: []string{"so"}, rounds: is("t1 a", "t1 a", "t2 a"), want: told{End: "limit 3 a", Tree: "t2"}},
		"or give new ones":         {limit: 2, same: turn.Twice, more: 2, answers: []string{"so"}, rounds: is("t1 a", "t1 a", "t2 b", "t3 c"), want: told{End: "limit 4 c", Tree: "t3"}},
		"no question at the end":   {limit: 2, same: turn.Twice, answers: []string{}, rounds: is("t1 a", "t1 a"), want: told{End: "no_progress 2 a", Tree: "t1"}},
		"counting begins anew":     {limit: 9, same: 3, answers: []string{"so", "abort"}, rounds: is("t1 a", "t2 a", "t3 a", "t4 a", "t5 a", "t6 a"), want: told{End: "same_failure 3 a by a person", Tree: "t6"}},
		"retry proves again":       {limit: 3, same: 3, answers: []string{"retry"}, rounds: is("t1 a", "t1 a", "t2"), want: told{End: "0", Tree: "t2", Proof: []string{"t1", "t1", "t1", "t2"}}},
		"also what was there":      {limit: 3, answers: []string{"retry"}, begin: &round{left: "t7 a", blocked: "it"}, rounds: is("t1"), want: told{End: "0", Tree: "t1", Proof: []string{"t7", "t7", "t1"}}},
		"and what was merged last": {limit: 9, same: 3, answers: []string{"retry"}, rounds: []round{{left: "t1 a", lands: true}, {left: "t2 a", lands: true}, {left: "t3 a", lands: true}}, want: told{End: "0", Tree: "mt3", Proof: []string{"t1", "t2", "t3", "mt3"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := l.run(t)
			if l.want.End != got.End || l.want.Tree != got.Tree {
				t.Errorf("it ended as %q with %s, want %q with %s", got.End, got.Tree, l.want.End, l.want.Tree)
			}
			for _, x := range [][2][]string{{got.Said, l.want.Said}, {got.Proof, l.want.Proof}, {got.Notes, l.want.Notes}} {
				if x[1] != nil && !slices.Equal(x[0], x[1]) {
					t.Errorf("got %q, want %q", x[0], x[1])
				}
			}
		})
	}
}
