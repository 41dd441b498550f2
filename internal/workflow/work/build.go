package work

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// builder is one task on its way into a commit.
type builder struct {
	w    *request
	c    *flow.Ctx // of the branch
	plan flow.Blob
	t    task.Task
	seen []seen // of the tasks before
	base step.HeadOut
	log  []step.LogLine
	res  step.TaskResult

	tests  *step.TestsFirst  // that were written before the code; nil for none
	extra  []task.File       // their files
	red    []step.TestResult // how they fail
	issues []string          // what was sent back, for the result's document
	began  int64             // Unix milliseconds
}

// seen is a task before this one, with what is told of it.
type seen struct {
	task.Seen

	result step.TaskResult
}

func (b *builder) run(c *flow.Ctx) (step.TaskResult, error) {
	b.res = step.TaskResult{ID: b.t.ID, Title: b.t.Title, Status: step.Success, Files: []step.Change{}, Usage: step.Usage{Known: true}}
	blocked, err := b.wait(c)
	if err != nil {
		return b.res, err
	}
	if blocked != "" {
		return b.end(step.Blocked, "blocked: "+blocked+" was not built")
	}
	if b.base, err = turn.Do(c, "head", step.Head, step.HeadIn{Fallback: b.w.s.Commit}); err != nil {
		return b.res, err
	}
	b.began = c.Now().UnixMilli()
	b.say(c, "BUILDER", "INIT", b.t.ID+" started")
	begin, err := b.begin(c.Sub("left"))
	if err != nil {
		return b.res, err
	}
	tree, err := b.testsFirst(c)
	if err != nil || tree == "" {
		return b.res, err
	}
	res, err := turn.Attempts[built]{
		Key: "build", Phase: "build", Limit: buildRounds, Same: turn.Twice, Base: b.base.Tree, Tree: tree, Begin: begin, Tests: b.tests, Who: b.who(), Usage: &b.res.Usage,
		Write: b.write, Prove: b.prove, Land: b.land,
	}.Run(c)
	if err != nil || res.End.Reason == "" {
		return b.res, err
	}
	why := res.End.Reason
	switch {
	case why != turn.Limit:
	case res.Failed != "":
		why = string(res.Failed)
	case res.Back.Merged:
		why = "land"
	default:
		why = checks
	}
	return b.end(step.Warning, why)
}

// checks is the reason of a task that does not pass.
const checks = "checks"

// begin is what an earlier run has left of the task. What was in its way may be mended.
func (b *builder) begin(c *flow.Ctx) (*step.TurnOut, error) {
	if left, ok := b.w.in.Left[b.t.ID]; ok && !b.t.VerifyOnly {
		if left.For == b.words() {
			b.t.HeldOut = left.HeldOut
		}
		return turn.Restart(c, &left, b.base.Tree)
	}
	return nil, nil
}

// words are what held-out calls of the task are worked out from.
func (b *builder) words() string {
	return strings.Join(append([]string{b.t.Title, b.t.Scope}, b.w.plan.Requirement.Functional...), "\n")
}

// who decides about attempts that another one would not make better.
func (b *builder) who() *turn.Person {
	if b.w.in.Yes {
		return nil
	}
	who := &turn.Person{Say: b.w.words, Head: b.whyStuck, More: buildRounds}
	if len(b.t.Commands()) > 0 {
		who.Command = b.replace
	}
	return who
}

// replace puts a command line of a person in place of the task's commands that findings name. A wrong one is no fault of the author.
func (b *builder) replace(line string, found []step.Finding) bool {
	named := func(old string) bool {
		return slices.ContainsFunc(strings.Split(old, "&&"), func(part string) bool {
			part = strings.TrimSpace(part)
			return part != "" && slices.ContainsFunc(found, func(f step.Finding) bool { return f.Rule == "verify-failed" && strings.Contains(f.Message, "`"+part) })
		})
	}
	done := false
	put := func(command *string) {
		if named(*command) {
			*command, done = line, true
		}
	}
	b.t.Verify, b.t.Criteria = slices.Clone(b.t.Verify), slices.Clone(b.t.Criteria)
	for i := range b.t.Verify {
		put(&b.t.Verify[i])
	}
	for i := range b.t.Criteria {
		put(&b.t.Criteria[i].Command)
	}
	return done
}

// prove proves what an author has left.
func (b *builder) prove(c *flow.Ctx, a *turn.Attempt[built]) error {
	b.res.Summary = turn.Line(a.Answer.Summary, 1000)
	if b.t.VerifyOnly { // the tree would be the same again
		a.Stop = checks
	}
	in := b.proofOf(a)
	proof, spent, err := turn.Prove(c, &in, b.recheck)
	b.t.HeldOut, a.HeldOut, a.For = in.Task.HeldOut, in.Task.HeldOut, b.words()
	for _, u := range spent {
		b.res.Others += u.Calls
		b.res.Usage = b.res.Usage.Add(u.Usage)
	}
	if err != nil {
		return err
	}
	going := slices.DeleteFunc(slices.Clone(b.t.Files), func(f task.File) bool { return f.Action != task.Delete }) // what a plan names too much is no harm
	proof.Findings = append(proof.Findings, turn.Untouched(going, proof.Files)...)
	if !a.Judge(proof) && !a.Asks {
		b.issue(c, a.N, a.Sent)
	}
	b.res.Findings, b.res.Failures, b.res.Tests = turn.Short(a.Sent.Findings), proof.Failures, proof.Counts
	return nil
}

// land makes a commit of an attempt that has passed. It is sent back where it conflicts with another task, or where checks
// fail on the merged tree.
func (b *builder) land(c *flow.Ctx, a *turn.Attempt[built]) (step.LandTaskOut, error) {
	ans, proof := a.Answer, a.Proof
	if ans.Blocked != "" { // the proof says otherwise
		b.issues = append(b.issues, "The agent reported it as blocked: "+turn.Line(ans.Blocked, 500))
	}
	if a.Accepted {
		b.issues = append(b.issues, "A person accepted it without a test.")
	}
	b.say(c, "BUILDER", "BUILD", shown(proof.Checks, "build", "lint"))
	b.say(c, "VERIFIER", "BUILD", shown(proof.Checks, "tests", "task-specific", "files"))
	b.res.Checks, b.res.Idle, b.res.Called, b.res.Handoff = proof.Checks, proof.Idle, proof.Called, clipped(ans.Handoff)
	land, err := turn.Do(c, "land", step.LandTask, step.LandTaskIn{
		TaskIn: b.proofOf(a), Accepted: a.Accepted, From: b.base.Commit, Plan: b.plan, Handoff: b.res.Handoff, Checks: proof.Checks, Idle: proof.Idle, Log: b.log, Began: b.began,
		Summary: turn.Line(ans.Summary, 500), Lines: lines(ans.Changes[:min(len(ans.Changes), 20)]), Issues: b.issues,
	})
	switch {
	case err != nil:
	case land.Passed:
		err = b.landed(c, land)
	default:
		b.base = land.Head
		b.issue(c, a.N, turn.Sent{Findings: land.Proof.Findings, Failures: land.Proof.Failures})
		b.res.Findings, b.res.Failures = turn.Short(land.Proof.Findings), land.Proof.Failures
	}
	return land, err
}

// recheck is the turn of who has no part in the work on the task, see turn.Examine.
func (b *builder) recheck() step.Turn {
	var s strings.Builder
	fmt.Fprintf(&s, "Task: %s: %s\nWhat to do:\n%s", b.t.ID, b.t.Title, turn.Fenced("request", b.t.Scope))
	b.asked(&s)
	b.requirement(&s)
	b.w.decided(&s)
	return step.Turn{Module: b.t.ID, Tree: b.base.Tree, Docs: b.w.s.Docs, Task: s.String(), Private: b.w.s.Private, Budget: b.w.in.Budget}
}

// whyStuck says why a person is asked.
func (b *builder) whyStuck(why string) string {
	switch why {
	case turn.Untested:
		return fmt.Sprintf(b.w.words("%s (%s): 사람이 승인해야 할 것이 있습니다. 검사 결과:", "%s (%s): a person has to accept what was found. Findings:"), b.t.ID, b.t.Title)
	case turn.Blocked:
		return fmt.Sprintf(b.w.words("%s (%s): 에이전트는 자신이 고칠 수 없다고 합니다. 검사 결과:", "%s (%s) does not pass, and the agent says that it can't be fixed in this project. Findings:"), b.t.ID, b.t.Title)
	}
	return fmt.Sprintf(b.w.words("%s (%s): 두 번 같은 결과입니다. 다음 시도도 같을 것입니다. 검사 결과:", "%s (%s) failed twice in the same way. Findings:"), b.t.ID, b.t.Title)
}

// wait lets the tasks that this one needs end. blocked is one that was not built.
func (b *builder) wait(c *flow.Ctx) (blocked string, err error) {
	for _, n := range b.t.Needs { // files of a WORK may name what is not there
		if !slices.Contains(b.w.s.Landed, n) && !slices.ContainsFunc(b.w.plan.Tasks, func(t task.Task) bool { return t.ID == n }) {
			return n, nil
		}
	}
	for _, s := range task.Window(b.w.plan.Tasks, b.t.ID) {
		if slices.Contains(b.w.s.Landed, s.ID) {
			for _, r := range b.w.s.Before {
				if r.ID == s.ID {
					b.seen = append(b.seen, seen{s, r})
				}
			}
			continue
		}
		if b.w.in.Task != "" { // only this one was asked for
			if s.Detail == task.Full {
				return s.ID, nil
			}
			continue
		}
		r, err := flow.Wait[step.TaskResult](c, s.ID)
		if err != nil {
			return "", err
		}
		if s.Detail == task.Full && r.Commit == "" {
			return s.ID, nil
		}
		b.seen = append(b.seen, seen{s, r})
	}
	return "", nil
}

// write lets the author work. A task that changes nothing has none.
func (b *builder) write(c *flow.Ctx, a *turn.Attempt[built]) (step.TurnOut, error) {
	if b.t.VerifyOnly {
		a.Answer.Handoff = step.Handoff{What: "Verified: " + b.t.Title, Incomplete: "None"}
		return step.TurnOut{Tree: b.base.Tree}, nil
	}
	out, err := b.author(c, step.Turn{Role: "build", Attempt: a.N, Tree: a.Before, Instructions: buildPrompt, Task: b.text(a), Schema: buildSchema})
	if err == nil {
		err = b.freeze(c, &out)
	}
	return out, err
}

// author asks an author of the task.
func (b *builder) author(c *flow.Ctx, t step.Turn) (out step.TurnOut, err error) {
	t.Module, t.Base, t.Commands, t.Private, t.Budget = b.t.ID, b.base.Tree, b.commands(), b.w.s.Private, b.w.in.Budget
	if t.Docs, err = turn.Docs(c, b.w.s.ProjectFacts, b.base.Tree, b.w.in.Request); err != nil {
		return out, err
	}
	if t.Role == "build" { // also one that fails by itself
		b.res.Attempts = t.Attempt
	}
	if out, err = turn.Ask(c, t); err == nil {
		b.res.Usage = b.res.Usage.Add(out.Usage)
	}
	return out, err
}

func (b *builder) proofOf(a *turn.Attempt[built]) step.TaskIn {
	in := a.Answer.Proof(step.TaskIn{Private: b.w.s.Private, Base: a.Base, Tree: a.Tree, Task: b.t, Taken: b.taken(), Request: b.w.in.Request})
	if len(b.w.plan.Tasks) == 1 {
		in.Asked = b.w.in.Asked()
	}
	in.More = append(in.More, b.extra...)
	return in
}

// taken are the files that other tasks own and this one does not.
func (b *builder) taken() []string {
	var out []string
	for _, t := range b.w.plan.Tasks {
		if t.ID == b.t.ID || slices.Contains(b.w.s.Landed, t.ID) {
			continue
		}
		for _, f := range t.Files {
			if !b.t.Owns(f.Path) && !slices.Contains(out, f.Path) {
				out = append(out, f.Path)
			}
		}
	}
	return out
}

// commands are what the author may run: what the toolchains have, and the task's own commands.
func (b *builder) commands() []string {
	return turn.Allowed(b.w.s.Commands, b.t.Commands())
}

// issue notes what an attempt was sent back for.
func (b *builder) issue(c *flow.Ctx, n int, p turn.Sent) {
	var what []string
	for _, f := range p.Findings {
		if f.Severity != step.Warn && !slices.Contains(what, f.Rule) {
			what = append(what, f.Rule)
		}
	}
	for _, t := range p.Failures[:min(len(p.Failures), 3)] {
		what = append(what, t.ID)
	}
	text := fmt.Sprintf("Attempt %d was sent back: %s", n, strings.Join(what, ", "))
	if n == 0 {
		text = "What an earlier run left was sent back: " + strings.Join(what, ", ")
	}
	b.issues = append(b.issues, text)
	b.say(c, "VERIFIER", "BUILD", b.t.ID+": "+text)
}

// shown says how checks ended.
func shown(list []step.CheckResult, names ...string) string {
	var out []string
	for _, k := range list {
		if slices.Contains(names, k.Name) {
			out = append(out, k.Name+" "+k.Status)
		}
	}
	return strings.Join(out, ", ")
}

func (b *builder) landed(c *flow.Ctx, land step.LandTaskOut) error {
	b.res.Commit, b.res.Result = land.Commit, land.Result
	b.res.Files = land.Files
	if land.Proof.Counts.Total > 0 {
		b.res.Tests = land.Proof.Counts
	}
	if b.w.in.Delivery == step.ToTree {
		a, err := turn.Do(c, "apply", step.Apply, step.ApplyIn{Module: b.t.ID, Commit: land.Commit})
		if err != nil {
			return err
		}
		if len(a.Conflicts) > 0 {
			_, err = b.end(step.Warning, "edited: "+strings.Join(a.Conflicts, ", "))
			return err
		}
	}
	_, err := b.end(step.Success, "")
	return err
}

func (b *builder) end(s step.Status, reason string) (step.TaskResult, error) {
	b.res.Status, b.res.Reason = s, reason
	if s == step.Success {
		b.res.Failures = nil
	}
	b.res.Files = b.res.Files[:min(len(b.res.Files), 100)]
	flow.Note(b.c, "result", b.res)
	return b.res, nil
}

func (b *builder) say(c *flow.Ctx, agent, stage, text string) {
	b.log = append(b.log, step.LogLine{At: c.Now().UnixMilli(), Agent: agent, Stage: stage, Text: text})
}

func clipped(h step.Handoff) step.Handoff {
	return step.Handoff{What: turn.Clip(h.What, 1500), Why: turn.Clip(h.Why, 1500), Caution: turn.Clip(h.Caution, 1000), Incomplete: turn.Clip(h.Incomplete, 1000)}
}
