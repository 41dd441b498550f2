package develop_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
)

// The limits that no run may pass, written down here once more and not taken from the code.
const (
	maxDrafts    = 3
	maxReturns   = 2 // of a design, after its review
	maxAttempts  = 3 // of a checkpoint, until a person says more
	maxFullTests = 3
	maxReviews   = 2 // fixes after a review of the code
	maxPeople    = 20
	maxCI        = 3 // runs of CI, until a person says more
)

// world answers the steps of a run by the dice: every outcome that a step can have, in any order, with crashes in between.
// What it is asked for is checked against what has to hold at any time.
type world struct {
	t     *testing.T
	seed  int
	rnd   *rand.Rand
	good  float64 // how often things go well
	in    step.DevelopIn
	blobs map[string][]byte
	// script answers instead of the dice: the nth call of a step, or turn of a role; nil leaves it to them.
	script func(what string, nth int) any
	calls  map[string]int
	crash  int // a process dies once in so many steps
	seen   func(step.Turn)
	always bool // authors always write something

	answers  int // turns that gave an answer
	trees    int
	contract string
	tasks    []task.Task // of the last plan
	proofs   map[string]step.TaskProof
	proved   map[string]bool // trees whose proof holds
	checked  map[string]bool // trees whose goals were all reached, the last time they were run
	blocked  map[string]bool // trees in whose code reviewers found something blocking that was confirmed
	raised   string          // tree of which blocking issues wait for a second reviewer
	head     step.HeadOut
	landed   map[string]int // by checkpoint
	tries    map[string]int // turns of authors since a person was asked, by checkpoint
	asks     int            // questions to people
	overrule int
	squashed int
	delivers int

	pushed  []string // commits, in their order
	pulled  int
	readied int    // how often it is a draft no more
	ready   string // commit that may be pushed
	redden  string // what CI has said of the last commit
	fixes   int    // commits after the squash
	looks   int    // at CI, since the last commit
	waiting int    // runs of CI since a person was asked
	skipped int    // a person takes it as CI has left it
}

func newWorld(t *testing.T, seed int) *world {
	t.Helper()
	w := &world{
		t: t, seed: seed, rnd: rand.New(rand.NewPCG(uint64(seed), 11)), good: []float64{0.3, 0.6, 0.8, 0.9, 0.97, 1}[seed%6], blobs: map[string][]byte{}, calls: map[string]int{}, crash: 20,
		proofs: map[string]step.TaskProof{}, proved: map[string]bool{}, checked: map[string]bool{}, blocked: map[string]bool{}, head: step.HeadOut{Commit: "c0", Tree: "t0"},
		landed: map[string]int{}, tries: map[string]int{},
	}
	w.in = step.DevelopIn{Request: "do it", Language: []string{"en", "ko"}[w.rnd.IntN(2)], Yes: seed%3 == 1, Delivery: step.ToCommit}
	switch seed % 5 {
	case 1:
		w.in.Panel = []string{"one", "two", "three"}
	case 2:
		w.in.Strategy = checkpoint.Direct
	case 3:
		w.in.Prior = &checkpoint.State{Phase: checkpoint.Implement, Feature: "do it", Checkpoints: []checkpoint.Progress{{ID: "cp-1", Status: checkpoint.Passed, Iteration: 1}}}
	}
	if seed%4 == 2 {
		w.in.Pull = pullIn()
	}
	return w
}

// ciFile is named by what CI prints, and is nobody's to change.
const ciFile = ".github/workflows/ci.yml"

// pullIn asks for a pull request whose CI has five minutes to begin, and two hours.
func pullIn() *step.PullIn { return &step.PullIn{Base: "main", Start: 5 * 60_000, Wait: 120 * 60_000} }

func (w *world) fatalf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d: %s", w.seed, fmt.Sprintf(format, args...))
}

func (w *world) ok() bool { return w.rnd.Float64() < w.good }

func (w *world) put(v any) flow.Blob {
	id := fmt.Sprintf("blob%d", len(w.blobs))
	w.blobs[id] = flowtest.JSON(w.t, v)
	return flow.Blob{SHA256: id, Size: int64(len(w.blobs[id]))}
}

func (w *world) scripted(what string) any {
	if w.script == nil {
		return nil
	}
	w.calls[what]++
	return w.script(what, w.calls[what])
}

// newTree is a tree that nobody has seen; "h" says that the tests of the contract are in it.
func (w *world) newTree() string {
	w.trees++
	return fmt.Sprint("t", w.trees)
}

func held(tree string) string { return strings.TrimSuffix(tree, "h") + "h" }

func (w *world) answer(want flow.Want) (any, *flow.Failure) {
	w.t.Helper()
	name, _, _ := strings.Cut(want.Step, "@")
	if name != step.AgentTurn.Name && w.rnd.IntN(80) == 0 && !w.ok() { // a person mends it, or does not
		return nil, flow.Failf(flow.Environment, "dice")
	}
	if v := w.scripted(name); v != nil {
		if k, ok := v.(step.ContractOut); ok {
			k.Tree = flowtest.In[step.ContractIn](w.t, want).Tree
			v = k
		}
		w.learn(want, v)
		return v, nil
	}
	switch name {
	case step.AutoSurvey.Name:
		return step.AutoSurveyOut{
			ProjectFacts: step.ProjectFacts{Commit: "c0", Tree: "t0", Branch: "main", Language: w.in.Language}, Files: w.put([]string{"a/x.go", "b/y.go", ciFile}), Roots: []string{"."}, Onto: step.HeadOut{Commit: "c0", Tree: "t0"},
		}, nil
	case step.AutoClaim.Name:
		return step.AutoClaimOut{Feature: flowtest.In[step.AutoClaimIn](w.t, want).Feature}, nil
	case step.AgentTurn.Name:
		return w.turn(want)
	case step.PlanCheck.Name:
		return w.plan(flowtest.In[step.PlanCheckIn](w.t, want)), nil
	case step.Contract.Name:
		in := flowtest.In[step.ContractIn](w.t, want)
		if w.ok() {
			if want.Branch == "" {
				w.contract = in.Tree
			}
			return step.ContractOut{Tree: in.Tree, Diff: step.Doc{Title: "tests", Blob: w.put("tests")}}, nil
		}
		return step.ContractOut{Tree: in.Tree, Findings: []step.Finding{{Rule: "contract-missing", Severity: []step.Severity{step.Rejects, step.Fix}[w.rnd.IntN(2)], Message: "no test"}}}, nil
	case step.Hold.Name:
		in := flowtest.In[step.HoldIn](w.t, want)
		out := step.HoldOut{Tree: held(in.Tree)}
		if w.rnd.IntN(4) == 0 && !w.ok() {
			out.Changed = []string{"a/x_test.go"}
		}
		return out, nil
	case step.ProveTask.Name:
		return w.prove(flowtest.In[step.TaskIn](w.t, want)), nil
	case step.AutoLook.Name:
		out := step.AutoLookOut{Diff: step.Doc{Title: "diff", Blob: w.put("diff")}, Files: []step.Change{{Path: "a/x.go", Status: "M"}}}
		for _, k := range flowtest.In[step.AutoLookIn](w.t, want).Checklist {
			there := w.ok()
			out.Found = append(out.Found, presence(k.ID, there))
		}
		return out, nil
	case step.WorkDocs.Name:
		return step.WorkDocsOut{}, nil
	case step.Head.Name:
		return w.head, nil
	case step.LandTask.Name:
		return w.land(want), nil
	case step.AutoQA.Name:
		out := step.AutoQAOut{Goals: []step.Goal{{Goal: "test", Status: step.GoalPass}}}
		in := flowtest.In[step.AutoQAIn](w.t, want)
		sick := w.seed%7 == 5 && w.rnd.IntN(10) > 0 // some projects are
		if w.checked[in.Tree] = w.ok() && !sick; !w.checked[in.Tree] {
			out.Goals[0].Status, out.Goals[0].Output = step.GoalFail, fmt.Sprint("no ", w.rnd.IntN(3))
		}
		return out, nil
	case step.AutoKeep.Name:
		return step.AutoKeepOut{Docs: []step.DocFile{{Path: flowtest.In[step.AutoKeepIn](w.t, want).Docs[0].Path, Blob: w.put("doc")}}}, nil
	case step.AutoCommit.Name:
		in := flowtest.In[step.AutoCommitIn](w.t, want)
		if in.Type != "wip" && (!w.proved[in.Tree] && in.Tree != w.head.Tree || !w.checked[in.Tree]) {
			w.fatalf("%s is committed as %s: proved %v, checked %v", in.Tree, in.Type, w.proved[in.Tree], w.checked[in.Tree])
		}
		if in.Type != "wip" && w.blocked[in.Tree] && w.overrule == 0 {
			w.fatalf("%s is committed, and something is blocking", in.Tree)
		}
		if w.squashed > 0 { // what CI has found
			if w.fixes++; w.redden != "red" {
				w.fatalf("CI has said %q, and it is mended", w.redden)
			}
			w.ready = fmt.Sprint("fix", w.fixes)
			return step.HeadOut{Commit: w.ready, Tree: in.Tree}, nil
		}
		return step.HeadOut{Commit: "docs", Tree: in.Tree}, nil
	case step.ForgePush.Name, step.ForgePull.Name, step.ForgeReady.Name, step.ForgeChecks.Name:
		return w.forge(want, name)
	case step.Squash.Name:
		if w.squashed++; w.squashed > 1 || flowtest.In[step.SquashIn](w.t, want).Head.Commit != "docs" {
			w.fatalf("squashed %d times", w.squashed)
		}
		w.ready = "one"
		return step.HeadOut{Commit: "one", Tree: "t"}, nil
	case step.Deliver.Name:
		if w.delivers++; w.delivers > 1 || w.squashed != 1 || w.in.Pull != nil {
			w.fatalf("delivered %d times, squashed %d", w.delivers, w.squashed)
		}
		return step.DeliverOut{Ref: "HEAD", Commit: "one"}, nil
	}
	w.fatalf("no answer for step %s", name)
	return nil, nil
}

// forge answers what is asked of a forge: a push of what was verified, one pull request, CI that ends or does not.
func (w *world) forge(want flow.Want, name string) (any, *flow.Failure) {
	w.t.Helper()
	if w.rnd.IntN(15) == 0 && !w.ok() {
		return nil, flow.Failf([]flow.Class{flow.Transient, flow.Limit, flow.Auth}[w.rnd.IntN(3)], "dice")
	}
	switch name {
	case step.ForgePush.Name:
		in := flowtest.In[step.ForgePushIn](w.t, want)
		if in.Commit != w.ready || slices.Contains(w.pushed, in.Commit) || in.Base != "main" || len(w.pushed) > 0 && in.Was != w.pushed[len(w.pushed)-1] {
			w.fatalf("%s is pushed after %v, %s is verified", in.Commit, w.pushed, w.ready)
		}
		if w.rnd.IntN(6) == 0 && !w.ok() {
			return step.ForgePushOut{Branch: in.Branch, Why: "somebody else has pushed"}, nil
		}
		w.pushed, w.looks, w.redden = append(w.pushed, in.Commit), 0, ""
		return step.ForgePushOut{Branch: in.Branch}, nil
	case step.ForgePull.Name:
		if w.pulled++; w.pulled > 1 || len(w.pushed) != 1 || !flowtest.In[step.ForgePullIn](w.t, want).Draft {
			w.fatalf("pull request %d, pushed %v", w.pulled, w.pushed)
		}
		return w.pull("open"), nil
	case step.ForgeReady.Name:
		if w.readied++; w.readied > 1 || w.redden == "red" && w.in.Yes { // a person may take it as it is
			w.fatalf("CI says %q, and the pull request is a draft no more", w.redden)
		}
		return step.ForgeReadyOut{Pull: w.pull("open")}, nil
	}
	in := flowtest.In[step.ForgeChecksIn](w.t, want)
	if in.Commit != w.pushed[len(w.pushed)-1] || in.Number != 7 || in.Onto != "c0" {
		w.fatalf("looked at %+v, pushed %v", in, w.pushed)
	}
	if strings.HasSuffix(want.Key, "/wait/poll/1/checks/1/checks") {
		if w.waiting++; w.waiting > maxCI {
			w.fatalf("run %d of CI, and no person was asked", w.waiting)
		}
	}
	if w.looks++; w.looks > 400 {
		w.fatalf("looked %d times at CI of %s", w.looks, in.Commit)
	}
	if v := w.scripted("ci"); v != nil {
		out := v.(step.ForgeChecksOut)
		if out.Pull.Number == 0 {
			out.Pull = w.pull("open")
		}
		w.redden = redden(out)
		return out, nil
	}
	out := step.ForgeChecksOut{Pull: w.pull([]string{"closed", "merged", "open", "open", "open", "open", "open", "open"}[w.rnd.IntN(8)])}
	if w.ok() {
		out.Pull.State = "open"
	}
	if w.rnd.IntN(20) == 0 && !w.ok() {
		out.Pull.Head = "somebody's"
	}
	stuck, sick := w.seed%48 == 22, w.seed%24 == 10 // in some projects it never ends, or always fails
	for i := range max(w.rnd.IntN(3), map[bool]int{true: 1}[stuck || sick]) {
		k := step.CICheck{Name: fmt.Sprint("k", i), Status: step.CIPassed}
		switch {
		case stuck || w.rnd.IntN(3) == 0:
			k.Status = step.CIPending
		case !w.ok() || sick && w.rnd.IntN(4) > 0:
			k.Name, k.Text = k.Name+" "+ciFile, ciFile+": exit 1; b/y.go:1"
			k.Status, k.Conclusion, k.Mendable, k.Before = step.CIFailed, "failure", w.rnd.IntN(5) > 0, w.rnd.IntN(5) == 0
		}
		out.Checks = append(out.Checks, k)
	}
	w.redden = redden(out)
	return out, nil
}

func (w *world) pull(state string) step.ForgePullOut {
	return step.ForgePullOut{Number: 7, URL: "http://forge/7", State: state, Head: w.pushed[len(w.pushed)-1]}
}

// redden is what CI means.
func redden(out step.ForgeChecksOut) string {
	is := func(s step.CIStatus) bool {
		return slices.ContainsFunc(out.Checks, func(k step.CICheck) bool { return k.Status == s && !k.Before })
	}
	switch {
	case len(out.Checks) == 0 || is(step.CIPending):
		return "pending"
	case is(step.CIFailed):
		return "red"
	}
	return "green"
}

// learn takes over what a script has said of a tree.
func (w *world) learn(want flow.Want, v any) {
	switch v := v.(type) {
	case step.TaskProof:
		w.proved[flowtest.In[step.TaskIn](w.t, want).Tree] = v.Passed
	case step.AutoQAOut:
		w.checked[flowtest.In[step.AutoQAIn](w.t, want).Tree] = v.Goals[0].Status == step.GoalPass
	}
}

func (w *world) plan(in step.PlanCheckIn) any {
	w.t.Helper()
	if err := json.Unmarshal(in.Tasks, &w.tasks); err != nil {
		w.fatalf("%v", err)
	}
	if !w.ok() {
		return step.PlanCheckOut{Findings: []step.Finding{{Rule: "plan", Severity: step.Fix, Message: "TASK-01: no"}}}
	}
	return step.PlanCheckOut{Tasks: w.put(w.tasks)}
}

func (w *world) prove(in step.TaskIn) step.TaskProof {
	w.t.Helper()
	if len(in.Task.Files) == 0 && !in.Task.VerifyOnly {
		w.fatalf("%s owns no files", in.Task.ID)
	}
	if slices.ContainsFunc(in.Task.Files, func(f task.File) bool { return f.Path == ciFile }) {
		w.fatalf("what CI prints lets an author change %s", ciFile)
	}
	if out, ok := w.proofs[in.Tree]; ok { // a proof says of one tree always the same
		return out
	}
	out := step.TaskProof{Passed: w.ok(), Counts: step.Counts{Total: 1, Passed: 1}}
	if !w.ok() {
		out.Findings = []step.Finding{{Rule: []string{"dice", "build-failed", "checklist"}[w.rnd.IntN(3)], Severity: []step.Severity{step.Rejects, step.Fix, step.Warn}[w.rnd.IntN(3)], Message: "no luck"}}
	}
	if !out.Passed {
		out.Failures = []step.TestResult{{ID: "x", Status: step.Fail, Message: "no"}}
	}
	w.proofs[in.Tree] = out
	w.proved[in.Tree] = out.Passed && !slices.ContainsFunc(out.Findings, func(f step.Finding) bool { return f.Severity == step.Rejects })
	return out
}

func (w *world) land(want flow.Want) any {
	w.t.Helper()
	in := flowtest.In[step.LandTaskIn](w.t, want)
	id := strings.TrimPrefix(want.Branch, "task/")
	if !w.proved[in.Tree] || w.landed[id] > 0 || len(in.Task.Verify) == 0 {
		w.fatalf("%s lands: proved %v, landed %d times, %v", id, w.proved[in.Tree], w.landed[id], in.Task.Verify)
	}
	for _, n := range w.needs(id) {
		if w.landed[n] == 0 && !w.prior(n) {
			w.fatalf("%s lands before %s, which it needs", id, n)
		}
	}
	if !w.ok() {
		return step.LandTaskOut{Head: w.head, Start: w.newTree(), Proof: step.TaskProof{Findings: []step.Finding{{Rule: "merge-conflict", Severity: step.Rejects, Message: "both"}}}}
	}
	w.landed[id]++
	w.head = step.HeadOut{Commit: "l-" + id, Tree: held(w.newTree())}
	return step.LandTaskOut{Passed: true, Commit: w.head.Commit, Tree: w.head.Tree}
}

// prior reports whether a checkpoint had passed in a run before: it may be there already.
func (w *world) prior(id string) bool { return w.in.Prior != nil && id == "cp-1" }

func (w *world) needs(id string) []string {
	for _, t := range w.tasks {
		if checkpoint.Renamed(t.ID) == id {
			var out []string
			for _, n := range t.Needs {
				out = append(out, checkpoint.Renamed(n))
			}
			return out
		}
	}
	return nil
}

func (w *world) turn(want flow.Want) (any, *flow.Failure) {
	w.t.Helper()
	in := flowtest.In[step.Turn](w.t, want)
	writes := slices.Contains([]string{"contracts", "implement", "fix"}, in.Role)
	if w.seen != nil {
		w.seen(in)
	}
	if in.Judge == writes || !slices.Contains(step.Roles(), in.Role) {
		w.fatalf("%s: %s reads only: %v", want.Key, in.Role, in.Judge)
	}
	if id, ok := strings.CutPrefix(want.Branch, "task/"); ok && in.Role == "implement" && strings.HasSuffix(want.Key, "/try/1/turn") {
		if w.tries[id]++; w.tries[id] > maxAttempts {
			w.fatalf("%s: attempt %d, and no person was asked", id, w.tries[id])
		}
	}
	if w.rnd.IntN(12) == 0 && !w.ok() {
		return nil, flow.Failf([]flow.Class{flow.Transient, flow.Crashed, flow.Schema, flow.MaxTurns, flow.Refusal, flow.Budget}[w.rnd.IntN(6)], "dice")
	}
	w.answers++
	out := step.TurnOut{Tree: in.Tree, Usage: step.Usage{Known: true, Requests: 1}, Agent: "dice"}
	if writes && (w.always || w.rnd.IntN(10) > 0) {
		out.Tree = w.newTree()
	}
	out.Answer = flowtest.JSON(w.t, w.said(in))
	return out, nil
}

// said is the answer of a role.
func (w *world) said(in step.Turn) any {
	w.t.Helper()
	if v := w.scripted(in.Role); v != nil {
		return v
	}
	switch in.Role {
	case "requirements":
		r := map[string]any{"title": "Do it.", "feature": "Some Feature", "functional": []checkpoint.Item{{Text: "It does it", Priority: "MUST"}}}
		if w.rnd.IntN(3) == 0 {
			r["questions"] = []map[string]any{{"question": "Which?", "default": "this"}}
		}
		if !w.ok() {
			r["functional"] = []checkpoint.Item{}
		}
		return r
	case "proposal":
		return checkpoint.Proposal{Flow: "in and out", Components: []checkpoint.Component{{Name: "x", Does: "it"}}}
	case "design":
		return w.design()
	case "design-reviewer", "code-reviewer":
		list := []step.Issue{{Severity: "Warning", Message: "m"}}
		if !w.ok() {
			list = append(list, step.Issue{Severity: []string{"Blocking", "Critical", "nobody knows"}[w.rnd.IntN(3)], Message: "bad"})
		}
		if in.Role == "code-reviewer" {
			if len(list) > 1 {
				w.raised = in.Tree
			}
			w.blocked[in.Tree] = w.blocked[in.Tree] && w.in.Panel != nil
		}
		return map[string]any{"issues": list}
	case "confirm":
		holds := w.rnd.IntN(2) == 0
		if strings.Contains(in.Task, "It is built, merged and in the tree") && holds {
			w.blocked[in.Tree] = true
		}
		return map[string]any{"items": []map[string]any{{"id": "B-1", "holds": holds, "why": "w"}}}
	case "oracle":
		return map[string]any{"cause": "c", "guide": "g"}
	case "fix":
		if w.rnd.IntN(4) == 0 && !w.ok() {
			return map[string]any{"summary": "s", "left": []map[string]any{{"finding": "f", "why": "w"}}}
		}
	case "implement":
		if w.rnd.IntN(10) == 0 && !w.ok() {
			return map[string]any{"summary": "s", "blocked": []string{"DESIGN_MISMATCH", "ENV_ISSUE", "SECURITY"}[w.rnd.IntN(3)]}
		}
	}
	return map[string]any{"summary": "s"}
}

// design is one of one to six checkpoints that need each other, or not.
func (w *world) design() checkpoint.Design {
	d := checkpoint.Design{Proposal: checkpoint.Proposal{Flow: "in and out", Components: []checkpoint.Component{{Name: "x", Does: "it"}}}}
	for i := range 1 + w.rnd.IntN(6) {
		k := checkpoint.Checkpoint{
			Title: fmt.Sprint("part ", i+1), Scope: "all of it", Covers: []string{"FR-01"}, Validation: "go test ./a", Expected: "pass",
			Files:      []task.File{{Path: fmt.Sprintf("a/f%d.go", i), Action: task.Create}},
			Interfaces: []checkpoint.Interface{{Path: fmt.Sprintf("a/f%d.go", i), Symbol: "F", Signature: "func F()", Does: "it", Test: "TestF"}},
			Tests:      []checkpoint.Test{{Path: fmt.Sprintf("a/f%d_test.go", i), Name: "TestF", Shows: "it"}},
		}
		if i > 0 && w.rnd.IntN(2) == 0 {
			k.Needs = []string{checkpoint.ID(w.rnd.IntN(i))}
		}
		d.Checkpoints = append(d.Checkpoints, k)
	}
	if !w.ok() {
		d.Flow = ""
	}
	return d
}

func (w *world) decide(want flow.Want) flow.Answer {
	w.t.Helper()
	q := flowtest.In[flow.Question](w.t, want)
	if q.Class != "" {
		return flow.Answer{Verb: []string{flow.Approve, flow.Approve, flow.Approve, flow.Reject}[w.rnd.IntN(4)], Text: "40usd"}
	}
	if w.in.Yes {
		w.fatalf("%s: nobody is to be asked", want.Key)
	}
	if w.asks++; w.asks > 3*maxPeople+30*(maxPeople+1) {
		w.fatalf("%d questions", w.asks)
	}
	w.tries[strings.TrimPrefix(want.Branch, "task/")] = 0
	w.waiting = 0
	if v, ok := w.scripted("ask " + want.Key[strings.LastIndexAny(want.Key, "/:")+1:]).(flow.Answer); ok {
		return v
	}
	a := []flow.Answer{
		{Verb: flow.Approve}, {Verb: flow.Reply, Text: "approve"}, {Verb: flow.Reject, Text: "no"}, {Verb: flow.Reply, Text: "hm"}, {Verb: flow.Reply, Text: "skip"}, {Verb: flow.Reject}, {Verb: flow.Reject},
	}[w.rnd.IntN(7)]
	if w.ok() && w.rnd.IntN(3) > 0 {
		a = flow.Answer{Verb: flow.Approve}
	}
	if strings.Contains(want.Key, "end/pull/") && strings.HasSuffix(want.Key, "/escalated") && a.Text == "skip" && !strings.Contains(want.Key, "/again/") {
		w.skipped++
	}
	if strings.HasSuffix(want.Key, "/decide") && (a.Verb == flow.Approve || a.Text == "approve") {
		w.overrule++
	}
	return a
}
