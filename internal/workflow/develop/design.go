package develop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// requirement gets the request understood. A person is asked where it can be read in two ways, all at once and at most
// twice.
func (w *work) requirement(c *flow.Ctx) (step.End, error) {
	var ans required
	problem := ""
	ok, err := turn.Drafts{
		Limit: drafts, Questions: questionRounds, Yes: w.in.Yes,
		Write: func(c *flow.Ctx, _ int) ([]turn.Question, error) {
			ans = required{}
			out, err := w.ask(c, request{role: "requirements", prompt: requirementsPrompt, schema: requirementsSchema, task: w.requirementText(problem)}, &ans)
			w.draft = string(out.Answer)
			return slices.DeleteFunc(ans.Questions, func(q turn.Question) bool { // answered already
				return slices.ContainsFunc(w.answers, func(a step.QA) bool {
					return strings.HasPrefix(a.Question, turn.Clip(strings.TrimSpace(q.Question), 800))
				})
			}), err
		},
		Answered: func(_ *flow.Ctx, asked []turn.Question, said []step.QA) bool {
			w.answers = append(w.answers, said...)
			if w.in.Yes {
				w.out.Assumed = append(w.out.Assumed, said...)
			}
			return w.in.Yes || turn.Defaults(asked, said)
		},
		Check: func(*flow.Ctx, int) (bool, error) {
			problem = ans.problem()
			return problem == "", nil
		},
	}.Run(c)
	if err != nil {
		return step.End{}, err
	}
	if !ok {
		return step.End{Reason: turn.Limit, N: drafts, Detail: "no valid requirement was written: " + problem}, nil
	}
	w.req = ans.Requirement
	w.req.Title = title(w.req.Title)
	return step.End{}, w.claim(c, ans.Feature)
}

// claim gets the run a name that nobody else has.
func (w *work) claim(c *flow.Ctx, proposed string) error {
	if w.in.From != "" { // it has one
		w.name = w.in.Feature
		flow.Note(c, "required", step.DevelopNote{Feature: w.name, Requirement: &w.req})
		return nil
	}
	for _, name := range []string{w.in.Feature, proposed, w.req.Title, "feature"} { // it gets a number where that is taken
		if w.name = pdca.Feature(name); w.name != "" {
			break
		}
	}
	got, err := turn.Do(c, "claim", step.AutoClaim, step.AutoClaimIn{Feature: w.name, Tree: w.s.Tree})
	w.name = got.Feature
	flow.Note(c, "required", step.DevelopNote{Feature: w.name, Requirement: &w.req})
	return err
}

// maxTitle is how long the first line of a commit may be, without its type and the name of the feature.
const maxTitle = 72

func title(s string) string {
	s = strings.TrimRight(pdca.Line(s), ".")
	if r := []rune(s); len(r) > maxTitle {
		s = strings.TrimSpace(string(r[:maxTitle]))
	}
	return s
}

// designs gets a design that code lets pass, that a person agrees to, and in which reviewers find nothing blocking. Two
// times what they find goes back by itself; then a person decides.
func (w *work) designs(c *flow.Ctx) (step.End, error) {
	var back []string // what is to be different, the newest last
	rejected, returned := 0, 0
	for n, c := range flow.Rounds(c, "round", 1+maxRejections+redesigns) {
		w.out.Rounds.Design = n
		if w.phase != checkpoint.DesignPhase {
			w.enter(c, checkpoint.DesignPhase)
		}
		if end, err := w.designed(c, back); err != nil || end.Reason != "" {
			return end, err
		}
		ok, why, err := w.agreed(c, w.banner())
		if err != nil {
			return step.End{}, err
		}
		if !ok {
			if rejected++; rejected >= maxRejections || why == "" {
				return step.End{Reason: needsDecision, N: rejected, Detail: "a person rejected the design"}, nil
			}
			back = append(back, "A person: "+why)
			w.decided = append(w.decided, why)
			continue
		}
		w.enter(c, checkpoint.Review)
		w.out.Rounds.Review++
		blocking, err := w.review(c.Sub("review"), "design")
		if err != nil || len(blocking) == 0 {
			return step.End{}, err
		}
		text := issueText(blocking)
		if returned >= redesigns {
			ok, err := w.decide(c, fmt.Sprintf(w.say("%s 설계에서 리뷰어가 Blocking 문제를 %d번 발견했습니다:\n%s", "Reviewers found blocking issues in the design of %s %d times:\n%s"), w.name, w.out.Rounds.Review, text))
			if err != nil || !ok {
				w.out.Open = texts(blocking)
				return step.End{Reason: needsDecision, N: w.out.Rounds.Review, Phase: string(checkpoint.Review), Detail: turn.Line(text, 500)}, err
			}
			return step.End{}, nil
		}
		returned++
		w.objected = text
		back = append(back, "Reviewers:\n"+text)
	}
	return step.End{Reason: turn.Limit}, nil
}

// designed gets a design with its contracts, as code lets them pass.
func (w *work) designed(c *flow.Ctx, back []string) (step.End, error) {
	if w.proposed == nil && len(w.in.Panel) > 1 {
		if err := w.propose(c); err != nil {
			return step.End{}, err
		}
	}
	var problems []string
	before := ""
	if len(back) > 0 {
		raw, err := json.Marshal(w.design)
		if err != nil {
			return step.End{}, err
		}
		before = string(raw)
	}
	for n, c := range flow.Rounds(c, "write", drafts) {
		var ans checkpoint.Design
		out, err := w.ask(c, request{role: "design", prompt: designPrompt, schema: designSchema, task: w.designText(before, problems, back), tree: w.s.Tree}, &ans)
		if err != nil {
			return step.End{}, err
		}
		before = string(out.Answer)
		ans.Numbered()
		if w.in.Prior != nil {
			w.there(&ans)
		}
		problems = checkpoint.Check(ans)
		more, err := w.planned(c, &ans)
		if err != nil {
			return step.End{}, err
		}
		problems = append(problems, more...)
		problems = append(problems, w.contradicted(ans)...)
		problems = problems[:min(len(problems), 40)]
		w.noteProblems(c, "design", n, problems)
		if len(problems) > 0 {
			continue
		}
		w.design = ans
		return w.contracts(c.Sub("contracts"))
	}
	w.out.Open = problems
	return step.End{Reason: turn.Limit, N: drafts, Detail: turn.Clip("no valid design was written: "+strings.Join(problems, " "), 500)}, nil
}

// there corrects what happens to files that an earlier run has made: they are changed and not created.
func (w *work) there(d *checkpoint.Design) {
	for i := range d.Checkpoints {
		for j := range d.Checkpoints[i].Files {
			if f := &d.Checkpoints[i].Files[j]; f.Action == task.Create && w.exists[f.Path] {
				f.Action = task.Modify
			}
		}
	}
}

func (w *work) noteProblems(c *flow.Ctx, phase string, n int, problems []string) {
	list := step.Each(problems, func(p string) step.Finding {
		return step.Finding{Rule: phase, Severity: step.Fix, Message: turn.Clip(p, 400)}
	})
	flow.Note(c, "judged", step.AttemptNote{Phase: phase, Attempt: n, Passed: len(problems) == 0, Findings: turn.Short(list), Usage: w.out.Usage})
}

// planned says what is wrong with the paths, the needs and the commands of a design. Where nothing is, it takes the needs
// over that code has added.
func (w *work) planned(c *flow.Ctx, d *checkpoint.Design) ([]string, error) {
	raw, err := json.Marshal(d.Tasks(func(p string) bool { return w.exists[p] }))
	if err != nil {
		return nil, err
	}
	text := func(i checkpoint.Item) string { return i.Text }
	req := step.Requirement{Title: w.req.Title, Functional: step.Each(w.req.Functional, text), NonFunctional: step.Each(w.req.NonFunctional, text)}
	out, err := turn.Do(c, "check", step.PlanCheck, step.PlanCheckIn{Tree: w.s.Tree, Requirement: req, Tasks: raw})
	if err != nil {
		return nil, err
	}
	problems := step.Each(out.Findings, func(f step.Finding) string { return checkpoint.Renamed(f.Message) })
	if len(problems) > 0 || out.Tasks.IsZero() {
		return problems, nil
	}
	tasks, err := flow.Load[[]task.Task](c, out.Tasks)
	d.Ordered(tasks)
	return nil, err
}

// contradicted says where a design and the state file of an earlier run contradict each other: what has passed has to be
// in the design, by its name.
func (w *work) contradicted(d checkpoint.Design) []string {
	if w.in.Prior == nil {
		return nil
	}
	var out []string
	for _, p := range w.in.Prior.Checkpoints {
		if p.Status == checkpoint.Passed && !slices.ContainsFunc(d.Checkpoints, func(k checkpoint.Checkpoint) bool { return k.ID == p.ID }) {
			out = append(out, p.ID+" has passed in the run before, and the design has no checkpoint at that place.")
		}
	}
	return out
}

// propose asks each seat of the panel for a design, side by side and with the same words. Who does not answer is left out.
func (w *work) propose(c *flow.Ctx) error {
	type answer struct {
		Proposal *checkpoint.Proposal `json:"proposal,omitempty"`
		Spent    step.RoleUsage       `json:"spent"`
	}
	r := request{role: "proposal", prompt: proposalPrompt, schema: proposalSchema, task: w.goal().String(), tree: w.s.Tree}
	list, err := flow.All(c, "proposal", w.seats(), seatKey, func(c *flow.Ctx, s seat) (answer, error) {
		t := w.turn(r)
		t.Attempt, t.Model = s.n, s.name
		out, answered, err := turn.Try(c.Sub("as").Sub("proposal"), t)
		if !answered {
			return answer{}, err
		}
		a := answer{Proposal: &checkpoint.Proposal{}, Spent: step.Turned(r.role, out)}
		return a, turn.Decode(out.Answer, a.Proposal)
	})
	if err != nil {
		return err
	}
	w.proposed = []checkpoint.Proposal{}
	for i, a := range list {
		if a.Proposal == nil {
			w.out.Warnings = append(w.out.Warnings, fmt.Sprintf("%s has proposed no design", w.in.Panel[i]))
			continue
		}
		w.out.Spend(a.Spent)
		w.proposed = append(w.proposed, *a.Proposal)
	}
	flow.Note(c, "proposed", step.DevelopNote{Text: fmt.Sprintf("%d of %d proposals", len(w.proposed), len(list))})
	return nil
}

// seat is one of the panel.
type seat struct {
	n    int // from 1
	name string
}

func seatKey(s seat) string { return fmt.Sprint(s.n) }

// seats are those of the panel; without one, the run's agent alone.
func (w *work) seats() []seat {
	if len(w.in.Panel) == 0 {
		return []seat{{n: 1}}
	}
	var out []seat
	for i, name := range w.in.Panel {
		out = append(out, seat{n: i + 1, name: name})
	}
	return out
}

// banner is what a person reads before he agrees to a design.
func (w *work) banner() string {
	tests := ""
	if w.contract != w.s.Tree {
		tests = fmt.Sprintf(w.say("계약 테스트: git diff HEAD %s\n", "Contract tests: git diff HEAD %s\n"), w.contract)
	}
	return fmt.Sprintf(w.say("%s 설계입니다. 승인하시겠습니까? 거절하면 그 이유와 함께 에이전트에게 되돌아갑니다.\n%s\n%s", "Approve the design of %s? If you reject it, it goes back to the agent with your reason.\n%s\n%s"), w.name, tests, w.document().Design(w.req, w.design))
}
