package work_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/work"
)

// person is how the gates of a run are answered.
type person string

const (
	dice    person = "dice"    // approves, edits, rejects, or is too late
	never   person = "never"   // does not answer; the run waits
	against person = "against" // rejects whatever is shown
	nobody  person = "nobody"  // is asked: --yes
)

// world answers the steps of a run of work by the dice: every outcome that a step can have, in any order, with crashes in
// between. What it is asked for, and what it has answered, is checked against what has to hold at any time.
type world struct {
	t     *testing.T
	seed  int
	rnd   *rand.Rand
	good  float64 // how often things go well
	who   person
	in    step.WorkIn
	blobs map[string][]byte

	known    step.WorkPlan // of a WORK that was there
	had      []string      // its tasks that have landed
	plan     *step.WorkPlan
	shown    map[string]string // what the gates showed last, by document
	approved map[string]bool   // whether that was approved
	complain map[string]string // what a person said against a document, until one is shown again
	turns    map[string]int    // build turns, by task: the highest attempt
	asked    int               // turns that gave an answer or were build attempts
	paid     int               // turns that gave an answer
	landed   map[string]int
	warned   map[string]bool // landed, but not in the user's tree as it should be
	next     map[string]string
	base     map[string]step.HeadOut
	results  map[string]step.TaskResult
	dirty    map[string][]step.Finding // what the last turn of a task did to the repository besides
	proved   map[string]bool           // whether the last proof allows that a task lands
	drafts   map[string]int            // that were judged, by phase
	tried    map[string]bool           // tasks without an author whose tree has been proved
	blocked  map[string]string         // what the author of the last attempt holds to be in his way
	sent     map[string]string         // how the last attempt failed, "" for not at all
	tree     map[string]string         // that the last attempt began with
	mild     map[string]bool           // what was sent back could have stayed as it is
	been     map[string][]string       // trees that attempts have left, since somebody else has landed
	round    map[string]bool           // the last attempt is one of those
	stuck    map[string]bool           // a person has to be asked before another attempt
	again    map[string]string         // tree that is to be proved again, since a person says so
	hint     map[string]string         // of a person, for the next attempts
	left     map[string]int            // attempts until a person gives more
	given    map[string]bool           // a person has given the task up
	begun    map[string]bool           // what an earlier run has left is to be proved
	frozen   map[string]string         // tree with the tests that came first
	testing  map[string]string         // tree that their author goes on with
	retried  int                       // how often a person had the same proved again
	circles  int                       // how often an attempt was one of those before
	delivers int
	why      string // of the delivery
}

func newWorld(t *testing.T, seed int) *world {
	t.Helper()
	w := &world{
		t: t, seed: seed, rnd: rand.New(rand.NewPCG(uint64(seed), 11)), good: []float64{0.4, 0.7, 0.85, 0.95, 1}[seed%5],
		who: []person{nobody, dice, dice, never, against, nobody, dice}[seed%7], blobs: map[string][]byte{},
		shown: map[string]string{}, approved: map[string]bool{}, complain: map[string]string{}, turns: map[string]int{}, landed: map[string]int{}, warned: map[string]bool{},
		next: map[string]string{}, base: map[string]step.HeadOut{}, results: map[string]step.TaskResult{},
		dirty: map[string][]step.Finding{}, proved: map[string]bool{}, drafts: map[string]int{}, tried: map[string]bool{},
		blocked: map[string]string{}, sent: map[string]string{}, tree: map[string]string{}, mild: map[string]bool{}, been: map[string][]string{}, round: map[string]bool{}, stuck: map[string]bool{}, again: map[string]string{}, hint: map[string]string{},
		left: map[string]int{}, given: map[string]bool{}, begun: map[string]bool{}, frozen: map[string]string{}, testing: map[string]string{},
	}
	w.in = step.WorkIn{
		Request: "r", Original: "r", Yes: w.who == nobody, Language: "en", Router: step.Router{DirectRequirements: 2, DirectCriteria: 3, PipelineTasks: 1 + w.rnd.IntN(3)},
		Delivery: []step.Delivery{step.ToCommit, step.ToBranch, step.ToTree}[w.rnd.IntN(3)], TestsFirst: w.rnd.IntN(3) == 0,
	}
	if seed%4 == 3 { // a WORK that is known from its files: nobody is asked again
		w.in.Work = "WORK-01"
		w.known = step.WorkPlan{Work: "WORK-01", Mode: step.FullMode, Requirement: step.Requirement{Title: "known"}, Tasks: w.graph()}
		for _, id := range task.Order(w.known.Tasks) {
			if w.rnd.IntN(3) == 0 && !slices.ContainsFunc(w.task(id, w.known.Tasks).Needs, func(n string) bool { return !slices.Contains(w.had, n) }) {
				w.had = append(w.had, id)
			}
		}
		if w.rnd.IntN(4) == 0 { // files may name what is not there
			t := &w.known.Tasks[w.rnd.IntN(len(w.known.Tasks))]
			if t.Needs = append(t.Needs, "TASK-77"); slices.Contains(w.had, t.ID) {
				t.Needs = nil
			}
		}
		if w.rnd.IntN(3) == 0 { // an earlier run has landed what is not on the branch yet
			w.in.From = "c9"
		}
		if w.rnd.IntN(4) == 0 {
			w.in.Task = w.known.Tasks[w.rnd.IntN(len(w.known.Tasks))].ID
		}
		if id := w.known.Tasks[w.rnd.IntN(len(w.known.Tasks))].ID; w.rnd.IntN(2) == 0 {
			w.in.Left = map[string]step.Left{id: {Base: "t7", Tree: "left", Said: "s", Answer: json.RawMessage([]string{`{"summary": "s"}`, `{"summary": "s", "blocked": "the disk"}`}[w.rnd.IntN(2)])}}
		}
	}
	return w
}

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

func (w *world) task(id string, of []task.Task) task.Task {
	w.t.Helper()
	i := slices.IndexFunc(of, func(t task.Task) bool { return t.ID == id })
	if i < 0 {
		w.fatalf("%s is no task of the plan", id)
	}
	return of[i]
}

// graph is a plan of up to twelve tasks that need each other, own the same files, or only verify something.
func (w *world) graph() []task.Task {
	var out []task.Task
	most, row := 12, w.rnd.IntN(3) == 0 // a few in a row are a pipeline
	if row {
		most = 3
	}
	for i := range 1 + w.rnd.IntN(most) {
		t := task.Task{ID: fmt.Sprintf("TASK-%02d", i), Type: "feat", Title: fmt.Sprintf("title %d", w.rnd.IntN(1000)), Scope: "s", Covers: []string{"FR-01", "FR-02", "FR-03", "AC-01"}}
		for j := range i {
			if row && j == i-1 || w.rnd.IntN(4) == 0 {
				t.Needs = append(t.Needs, fmt.Sprintf("TASK-%02d", j))
			}
		}
		for f := range 4 {
			if w.rnd.IntN(4) == 0 {
				t.Files = append(t.Files, task.File{Path: fmt.Sprintf("f%d.go", f), Action: task.Modify})
			}
		}
		if t.VerifyOnly = len(t.Files) == 0; t.VerifyOnly {
			t.Verify = []string{"go vet"}
		}
		out = append(out, t)
	}
	return out
}

func (w *world) findings(at float64) []step.Finding {
	if w.rnd.Float64() < at {
		return nil
	}
	return []step.Finding{{Rule: "dice", Severity: []step.Severity{step.Rejects, step.Fix, step.Warn}[w.rnd.IntN(3)], Message: "no luck"}}
}

// answer is the outcome of one want.
func (w *world) answer(want flow.Want) (any, *flow.Failure) {
	w.t.Helper()
	id := strings.TrimPrefix(want.Branch, "task/")
	name, _, _ := strings.Cut(want.Step, "@")
	if id != "" && name != step.AgentTurn.Name && w.rnd.IntN(60) == 0 && !w.ok() { // a person mends it, or does not
		w.warned[id] = w.warned[id] || name == step.Apply.Name // until a person has mended it
		return nil, flow.Failf(flow.Environment, "dice")
	}
	switch name {
	case step.WorkSurvey.Name:
		out := step.WorkSurveyOut{ProjectFacts: step.ProjectFacts{Commit: "c0", Tree: "t0", Language: "en"}, Work: "WORK-01", Landed: w.had}
		if w.in.Work != "" {
			out.Plan = w.put(w.known)
		}
		return out, nil
	case step.AgentTurn.Name:
		return w.turn(want)
	case step.WorkDocs.Name:
		if in := flowtest.In[step.WorkDocsIn](w.t, want); in.Tree != w.base[id].Tree {
			w.fatalf("%s: documents of %s, the task begins with %s", want.Key, in.Tree, w.base[id].Tree)
		}
		return step.WorkDocsOut{}, nil
	case step.PlanCheck.Name:
		return w.check(flowtest.In[step.PlanCheckIn](w.t, want)), nil
	case step.KeepPlan.Name:
		p := flowtest.In[step.WorkPlan](w.t, want)
		if strings.Contains(want.Key, "/ask/") { // for who edits at the gate
			return step.KeepPlanOut{Plan: w.put(p)}, nil
		}
		return w.keep(p), nil
	case step.Head.Name:
		if id == "" { // for the delivery of what an earlier run has landed
			if w.in.From == "" || len(w.landed) > 0 {
				w.fatalf("%s: for what?", want.Key)
			}
			return step.HeadOut{Commit: "c9"}, nil
		}
		w.mayBuild(want.Key, id)
		w.base[id] = step.HeadOut{Commit: fmt.Sprint("c", w.rnd.IntN(100)), Tree: fmt.Sprint("t", w.rnd.IntN(100))}
		w.next[id], w.left[id], w.testing[id] = w.base[id].Tree, 3, w.base[id].Tree
		return w.base[id], nil
	case step.Restart.Name:
		in := flowtest.In[step.RestartIn](w.t, want)
		if in.Head != w.base[id].Tree || in.Left.Tree != w.in.Left[id].Tree || len(w.turns) > 0 && w.turns[id] > 0 {
			w.fatalf("%s: goes on from %+v", want.Key, in)
		}
		out := step.RestartOut{Tree: w.base[id].Tree}
		if w.ok() {
			out.Tree = "restarted " + id
			w.again[id], w.begun[id] = out.Tree, true
			var said struct{ Blocked string }
			if err := json.Unmarshal(in.Left.Answer, &said); err != nil {
				w.fatalf("%v", err)
			}
			w.blocked[id] = said.Blocked
		}
		return out, nil
	case step.ProveTask.Name:
		return w.prove(id, flowtest.In[step.TaskIn](w.t, want)), nil
	case step.ProveTests.Name:
		in := flowtest.In[step.TaskIn](w.t, want)
		if in.Tree != w.testing[id] || in.Base != w.base[id].Tree || w.frozen[id] != "" {
			w.fatalf("%s: proved is %+v, its author left %s", want.Key, in, w.testing[id])
		}
		out := step.TaskProof{Passed: w.ok(), Failures: []step.TestResult{{ID: "x", Status: step.Fail}}}
		if out.Passed {
			w.frozen[id], w.next[id] = in.Tree, in.Tree
		}
		return out, nil
	case step.Hold.Name:
		in := flowtest.In[step.HoldIn](w.t, want)
		if in.Contract != w.frozen[id] || in.Base == "" {
			w.fatalf("%s: %+v is held, the tests are %s", want.Key, in, w.frozen[id])
		}
		if w.rnd.IntN(3) > 0 || in.Tree == w.next[id] {
			return step.HoldOut{Tree: in.Tree}, nil
		}
		return step.HoldOut{Tree: "held " + in.Tree, Changed: []string{"f_test.go"}}, nil
	case step.LandTask.Name:
		return w.land(want, id), nil
	case step.Apply.Name:
		out := step.ApplyOut{Applied: 1}
		if w.warned[id] = !w.ok(); w.warned[id] {
			out.Conflicts = []string{"f0.go"}
		}
		return out, nil
	case step.Deliver.Name:
		if w.delivers++; w.delivers > 1 || len(w.landed) == 0 && w.in.From == "" || w.in.Delivery == step.ToTree {
			w.fatalf("delivered %d times as %s with %v landed", w.delivers, w.in.Delivery, w.landed)
		}
		if !w.ok() {
			w.why = "the branch has moved"
		}
		return step.DeliverOut{Ref: "refs/x", Why: w.why}, nil
	}
	w.fatalf("no answer for step %s", name)
	return nil, nil
}

// check is what the program says of a plan: the real check, and whatever the dice find besides.
func (w *world) check(in step.PlanCheckIn) step.PlanCheckOut {
	var tasks []task.Task
	if err := json.Unmarshal(in.Tasks, &tasks); err != nil {
		w.fatalf("%v", err)
	}
	f := task.Facts{Exists: func(string) bool { return true }, Runs: func(string) string { return "" }, Known: []string{"FR-01", "FR-02", "FR-03", "NFR-01", "AC-01", "AC-02"}}
	commands := map[string]string{}
	for i, k := range in.Requirement.Criteria {
		if k.Command != "" {
			commands[fmt.Sprintf("AC-%02d", i+1)] = k.Command
		}
	}
	tasks, accepting := task.Accept(tasks, commands, func(string) bool { return len(tasks)%2 == 0 })
	plan, added, problems := task.Check(tasks, f)
	if len(problems) > 0 || w.rnd.Float64() > 0.5+w.good/2 {
		return step.PlanCheckOut{Findings: []step.Finding{{Rule: "plan", Severity: step.Fix, Message: fmt.Sprint(problems)}}}
	}
	out := step.PlanCheckOut{Tasks: w.put(plan), Added: accepting}
	for _, e := range added {
		out.Added = append(out.Added, e.From+" needs "+e.To)
	}
	return out
}

// keep checks that what is built from now on is what a person has seen last and agreed to.
func (w *world) keep(p step.WorkPlan) step.KeepPlanOut {
	w.t.Helper()
	document := "plan"
	if p.Mode == step.DirectMode {
		document = "requirement"
		if len(p.Tasks) != 1 {
			w.fatalf("%d tasks without a plan", len(p.Tasks))
		}
	}
	if w.who != nobody && len(w.had) < len(p.Tasks) { // else nothing is left to agree to
		if w.in.Work == "" && !w.approved["requirement"] || !w.approved[document] {
			w.fatalf("a plan is kept, approved are %v", w.approved)
		}
		for _, t := range p.Tasks {
			line := t.ID
			if len(t.Needs) > 0 {
				line += " ← " + strings.Join(t.Needs, ", ")
			}
			if line += "  feat: " + t.Title; !strings.Contains(w.shown[document], line) {
				w.fatalf("%q is to be built, shown was:\n%s", line, w.shown[document])
			}
		}
		for i, text := range p.Requirement.Functional[:len(p.Requirement.Functional)*boolInt(w.in.Work == "")] {
			if line := fmt.Sprintf("FR-%02d  %s\n", i+1, text); !strings.Contains(w.shown["requirement"], line) {
				w.fatalf("%q is required, shown was:\n%s", line, w.shown["requirement"])
			}
		}
	}
	if r := p.Requirement; w.plan != nil || r.Title == "" || w.in.Work == "" && (len(r.Functional) == 0 || len(r.Criteria) == 0) || len(p.Tasks) == 0 {
		w.fatalf("a second plan is kept, or one that is not sound: %+v", p)
	}
	w.plan = &p
	return step.KeepPlanOut{Plan: w.put(p)}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mayBuild checks that nothing of a task begins before a plan is agreed on and all that the task needs has landed.
func (w *world) mayBuild(key, id string) {
	w.t.Helper()
	if w.plan == nil {
		w.fatalf("%s: there is no plan yet", key)
	}
	if slices.Contains(w.had, id) || w.in.Task != "" && id != w.in.Task {
		w.fatalf("%s: it has landed already, or was not asked for", key)
	}
	for _, n := range w.task(id, w.plan.Tasks).Needs {
		if w.landed[n] == 0 && !slices.Contains(w.had, n) {
			w.fatalf("%s: %s has not landed", key, n)
		}
	}
}

func (w *world) prove(id string, in step.TaskIn) step.TaskProof {
	w.t.Helper()
	if w.proved[id] {
		w.fatalf("%s is proved again, and was good", id)
	}
	if w.tried[id] && in.Task.VerifyOnly { // a pass of the second time would be a flake
		w.fatalf("%s changes nothing and is proved again on the same tree", id)
	}
	w.tried[id] = true
	if in.Base != w.base[id].Tree {
		w.fatalf("%s is proved against %s, its author began with %s", id, in.Base, w.base[id].Tree)
	}
	if in.Task.VerifyOnly && in.Tree != in.Base {
		w.fatalf("%s changes nothing and is proved as %s, not %s", id, in.Tree, in.Base)
	}
	others := map[string]bool{}
	for _, t := range w.plan.Tasks {
		for _, f := range t.Files {
			if !in.Task.Owns(f.Path) && !slices.Contains(w.had, t.ID) {
				others[f.Path] = true
			}
		}
	}
	if taken := slices.Sorted(slices.Values(in.Taken)); !slices.Equal(taken, slices.Sorted(maps.Keys(others))) {
		w.fatalf("%s: taken are %v, want %v", id, taken, others)
	}
	out := step.TaskProof{Passed: w.ok(), Findings: w.findings(w.good), Counts: step.Counts{Total: 2, Passed: 2}}
	if !out.Passed {
		out.Failures = []step.TestResult{{ID: "x", Status: step.Fail}}
	}
	again := w.again[id] != ""
	if again && in.Tree != w.again[id] {
		w.fatalf("%s: %s is proved, to be proved again is %s", id, in.Tree, w.again[id])
	}
	w.again[id] = ""
	same := !in.Task.VerifyOnly && in.Tree == w.next[id] && !again
	if !again {
		w.tree[id] = w.next[id]
	}
	if !in.Task.VerifyOnly {
		w.next[id] = in.Tree
	}
	all := slices.Concat(w.dirty[id], out.Findings)
	has := func(s step.Severity) bool {
		return slices.ContainsFunc(all, func(f step.Finding) bool { return f.Severity == s })
	}
	sent := fmt.Sprint(len(out.Failures), has(step.Rejects) || has(step.Fix)) // all that the dice can find
	twice := sent == w.sent[id] && sent != fmt.Sprint(0, false)
	insists := w.mild[id] && in.Tree == w.tree[id] // its author saw only what should be better, and left it as it was
	last := w.left[id] == 0 || in.Task.VerifyOnly || twice || insists
	w.proved[id] = out.Passed && !has(step.Rejects) && (last || !has(step.Fix))
	w.stuck[id] = !w.proved[id] && !again && !in.Task.VerifyOnly && (w.blocked[id] != "" || w.sent[id] != "" && (same || twice))
	w.round[id] = false
	if !w.proved[id] && !again && !in.Task.VerifyOnly {
		w.round[id] = !w.stuck[id] && slices.Contains(w.been[id], in.Tree)
		w.been[id] = append(w.been[id], in.Tree)
	}
	if w.round[id] {
		w.stuck[id] = true
		w.circles++
	}
	if w.begun[id] {
		w.stuck[id], w.begun[id] = !w.proved[id] && w.blocked[id] != "", false
	}
	w.mild[id] = len(out.Failures) == 0 && !has(step.Rejects)
	if w.sent[id] = sent; w.proved[id] {
		w.sent[id] = ""
	}
	return out
}

func (w *world) land(want flow.Want, id string) step.LandTaskOut {
	w.t.Helper()
	in := flowtest.In[step.LandTaskIn](w.t, want)
	w.mayBuild(want.Key, id)
	if !w.proved[id] {
		w.fatalf("%s: it lands, and no proof has passed", want.Key)
	}
	w.proved[id] = false
	if in.From != w.base[id].Commit || in.Base != w.base[id].Tree || len(in.Log) == 0 {
		w.fatalf("%s lands from %s (%s), its author began with %v", id, in.From, in.Base, w.base[id])
	}
	out := step.LandTaskOut{Passed: w.ok(), Start: fmt.Sprint("s", w.rnd.IntN(100)), Head: step.HeadOut{Commit: fmt.Sprint("h", w.rnd.IntN(100)), Tree: "ht"}}
	if out.Passed {
		if w.landed[id]++; w.landed[id] > 1 {
			w.fatalf("%s has landed twice", id)
		}
		out.Commit, out.Files = fmt.Sprint("commit of ", id), []step.Change{{Path: "f", Status: "M"}}
		return out
	}
	if w.ok() {
		out.Conflicts = []string{"f0.go"}
	}
	out.Proof.Findings, w.tried[id] = w.findings(0.2), false
	has := func(s step.Severity) bool {
		return slices.ContainsFunc(out.Proof.Findings, func(f step.Finding) bool { return f.Severity == s })
	}
	w.sent[id], w.mild[id] = fmt.Sprint(0, has(step.Rejects) || has(step.Fix)), !has(step.Rejects)
	w.base[id], w.next[id], w.been[id] = out.Head, out.Start, nil
	return out
}

// turn is what an author answers.
func (w *world) turn(want flow.Want) (any, *flow.Failure) {
	w.t.Helper()
	in := flowtest.In[step.Turn](w.t, want)
	if _, left := w.in.Left[in.Module]; in.Role == "reproduce" {
		w.mayBuild(want.Key, in.Module)
		if !w.in.TestsFirst || left || w.turns[in.Module] > 0 || w.frozen[in.Module] != "" || w.task(in.Module, w.plan.Tasks).VerifyOnly || in.Tree != w.testing[in.Module] {
			w.fatalf("%s: who asks for tests, from %s?", want.Key, in.Tree)
		}
	} else if in.Role == "build" {
		w.mayBuild(want.Key, in.Module)
		if w.in.TestsFirst && !left && w.frozen[in.Module] == "" {
			w.fatalf("%s: code before its tests", want.Key)
		}
		if w.task(in.Module, w.plan.Tasks).VerifyOnly {
			w.fatalf("%s changes nothing and has an author", in.Module)
		}
		if strings.HasSuffix(want.Key, "/try/1/turn") {
			w.turns[in.Module]++
			w.left[in.Module]--
			w.asked++
		}
		if in.Attempt != w.turns[in.Module] || w.left[in.Module] < 0 {
			w.fatalf("%s: attempt %d is asked for as attempt %d", want.Key, w.turns[in.Module], in.Attempt)
		}
		if w.stuck[in.Module] || w.given[in.Module] || w.again[in.Module] != "" {
			w.fatalf("%s: another attempt is paid for, and nobody was asked", want.Key)
		}
		if in.Base != w.base[in.Module].Tree || !strings.Contains(in.Task, w.hint[in.Module]) {
			w.fatalf("%s: compared with %s, the hint is %q:\n%s", want.Key, in.Base, w.hint[in.Module], in.Task)
		}
		if w.proved[in.Module] {
			w.fatalf("%s: the attempt before it was good", want.Key)
		}
		if in.Tree != w.next[in.Module] {
			w.fatalf("%s begins with %s, the attempt before it left %s", want.Key, in.Tree, w.next[in.Module])
		}
	}
	if said := w.complain[map[string]string{"specify": "requirement", "plan": "plan"}[in.Role]]; !strings.Contains(in.Task, said) {
		w.fatalf("%s: a person said %q, and the author is not told:\n%s", want.Key, said, in.Task)
	}
	if w.rnd.Float64() > 0.5+w.good/2 {
		classes := []flow.Class{
			flow.Transient, flow.Limit, flow.Crashed, flow.Stuck, flow.Schema, flow.MaxTurns, flow.Refusal, flow.ContextLimit, flow.Denied,
			flow.Environment, flow.Budget, flow.Auth, flow.Billing,
		}
		if w.rnd.IntN(3) == 0 {
			classes = []flow.Class{flow.MaxTurns, flow.Refusal}
		}
		return nil, flow.Failf(classes[w.rnd.IntN(len(classes))], "dice")
	}
	w.paid++
	if in.Model != "" || !slices.Contains(step.Roles(), in.Role) {
		w.fatalf("%s: a turn of %s, with the model %q", want.Key, in.Role, in.Model)
	}
	if in.Role != "build" {
		w.asked++
	}
	out := step.TurnOut{Tree: fmt.Sprint("turn", w.rnd.IntN(1000)), Usage: step.Usage{Known: true, Requests: 1}}
	switch in.Role {
	case "specify":
		out.Answer = w.requirement()
	case "plan":
		tasks := w.graph()
		if !w.ok() {
			tasks[0].Needs = []string{tasks[len(tasks)-1].ID}
		}
		out.Answer = flowtest.JSON(w.t, map[string]any{"goal": "g", "tasks": tasks})
	case "reproduce":
		w.testing[in.Module] = out.Tree
		out.Answer = flowtest.JSON(w.t, map[string]string{"summary": "s", "blocked": []string{"", "", "", "it works"}[w.rnd.IntN(4)]})
	default:
		out.Findings = w.findings(0.5 + w.good/2)
		w.dirty[in.Module] = out.Findings
		if w.blocked[in.Module] = ""; w.rnd.IntN(3) == 0 {
			w.blocked[in.Module] = "mypy reads the whole tree"
		}
		if !w.ok() && w.rnd.IntN(3) == 0 { // he changes nothing
			out.Tree = in.Tree
		} else if been := w.been[in.Module]; len(been) > 1 && w.rnd.IntN(2) == 0 { // or what he has done before
			out.Tree = been[w.rnd.IntN(len(been))]
		}
		out.Answer = flowtest.JSON(w.t, map[string]string{"summary": "s", "what": "w", "why": "y", "caution": "None", "incomplete": "None", "blocked": w.blocked[in.Module]})
	}
	return out, nil
}

func (w *world) requirement() json.RawMessage {
	r := map[string]any{
		"title": fmt.Sprint("title ", w.rnd.IntN(1000)), "type": "feat", "functional": []string{"f1", "f2", "f3"}[:w.rnd.IntN(4)],
		"criteria": []step.Criterion{{Text: "k", Command: "go vet"}}, "task": map[string]any{"title": "t", "scope": "s", "files": []task.File{{Path: "f0.go", Action: task.Modify}}},
	}
	if w.rnd.IntN(4) == 0 {
		r["nonfunctional"] = []string{"n"}
	}
	if !w.ok() {
		r["questions"] = []map[string]string{{"question": "why?", "default": "so"}, {"question": "how?", "default": "like this"}}
	}
	return flowtest.JSON(w.t, r)
}

// said is what a person says at a gate.
func (w *world) said(want flow.Want) flow.Answer {
	w.t.Helper()
	q := flowtest.In[flow.Question](w.t, want)
	if q.Class != "" {
		return flow.Answer{Verb: []string{flow.Approve, flow.Approve, flow.Approve, flow.Reject}[w.rnd.IntN(4)], Text: "40usd"}
	}
	if w.who == nobody {
		w.fatalf("%s: nobody is to be asked", want.Key)
	}
	if strings.HasSuffix(want.Key, "/escalated") {
		return w.decides(strings.TrimPrefix(want.Branch, "task/"), want.Key, q.Text)
	}
	if !gate(want) {
		return flow.Answer{Verb: flow.Reply, Text: "because"}
	}
	document := "requirement"
	if strings.HasPrefix(want.Key, "plan/") {
		document = "plan"
	}
	w.shown[document], w.approved[document], w.complain[document] = q.Text, false, ""
	a := flow.Answer{Verb: flow.Reject}
	if w.who == dice {
		edits := []string{
			`{"functional": ["edited"], "criteria": [{"text": "k", "command": "go vet"}]}`, `{"functional": []}`, `{"tasks": [{"id": "a:b", "title": "x"}, {"id": "a:b"}]}`,
			`{"tasks": []}`, `{"goal": "g", "tasks": ` + string(flowtest.JSON(w.t, w.graph())) + `}`, `{"goal": "g", "tasks": ` + string(flowtest.JSON(w.t, w.graph())) + `}`,
		}
		a = []flow.Answer{
			{Verb: flow.Approve},
			{Verb: flow.Approve},
			{Verb: flow.Reply, Text: "approve"},
			{Verb: flow.Reject, Text: "not in this way"},
			{Verb: "yes"},
			{Verb: flow.Reply, Text: "make it blue"},
			{Verb: flow.Reply, Text: "{not approved"},
			{Verb: flow.Reply, Text: edits[w.rnd.IntN(len(edits))]},
			{Verb: flow.Reply, Text: edits[w.rnd.IntN(len(edits))]},
			{Verb: "yes"},
			{},
		}[w.rnd.IntN(11)]
	}
	if a.Verb == flow.Reject || a.Verb == flow.Reply && !strings.HasPrefix(a.Text, `{"`) && a.Text != flow.Approve {
		w.complain[document] = a.Text
	}
	w.approved[document] = a.Verb == flow.Approve || a.Verb == flow.Reply && a.Text == flow.Approve
	return a
}

// decides is what a person says of an attempt that another one would not make better.
func (w *world) decides(id, key, text string) flow.Answer {
	w.t.Helper()
	if !w.stuck[id] || !strings.Contains(text, w.blocked[id]) || !strings.Contains(text, "The agent says: s") {
		w.fatalf("%s: a person is asked; stuck %v, blocked %q:\n%s", key, w.stuck[id], w.blocked[id], text)
	}
	w.stuck[id], w.left[id] = false, 3
	switch w.rnd.IntN(3) {
	case 0:
		w.given[id] = true
		return []flow.Answer{{Verb: flow.Reply, Text: "abort"}, {Verb: flow.Reject}}[w.rnd.IntN(2)]
	case 1:
		w.retried++
		w.again[id] = w.next[id]
		return []flow.Answer{{Verb: flow.Reply, Text: "retry"}, {Verb: flow.Approve}, {Verb: flow.Reply}}[w.rnd.IntN(3)]
	}
	w.hint[id] = fmt.Sprint("look at ", w.rnd.IntN(1000))
	return flow.Answer{Verb: flow.Reply, Text: w.hint[id]}
}

// gate reports whether a want asks for an approval.
func gate(want flow.Want) bool {
	return want.Kind == flow.KindAsk && strings.HasSuffix(want.Key, "/approve")
}

// TestAnyOutcomes plays runs with any outcome at any place and crashes in between. What has to hold while they run is
// checked by the world; how they end, here.
func TestAnyOutcomes(t *testing.T) {
	t.Parallel()
	seeds, enough := flowtest.Seeds(200, 700)
	runs := len(seeds)
	ends := map[string]int{}
	for _, seed := range seeds {
		w := newWorld(t, seed)
		r := w.play()
		switch {
		case r.Waits:
			ends["waits"]++
			if w.plan != nil || len(w.turns) > 0 {
				w.fatalf("a gate that nobody has answered, and a plan %v, turns %v", w.plan, w.turns)
			}
			continue
		case r.Err != nil:
			ends["failed"]++
			if w.delivers > 0 {
				w.fatalf("it failed with %v and was delivered", r.Err)
			}
		case w.plan == nil:
			ends["no plan"]++
			if len(w.turns)+len(w.landed)+w.delivers > 0 || r.out.Why == "" || r.out.Verified || r.out.Done > 0 {
				w.fatalf("without a plan: turns %v, landed %v, out %+v", w.turns, w.landed, r.out)
			}
		default:
			w.judge(r.out)
			ends[fmt.Sprint("verified ", r.out.Verified)]++
			if r.out.Blocked > 0 {
				ends["blocked"]++
			}
			for _, r := range w.results {
				if strings.HasPrefix(r.Reason, "not reproduced") {
					ends["not reproduced"]++
				}
			}
			for what, n := range map[string]int{"stuck, and nobody is there": len(w.stuck), "given up": len(w.given), "a hint": len(w.hint), "once more": w.retried, "in circles": w.circles} {
				if n > 0 && (what[0] != 's' || w.who == nobody && slices.Contains(slices.Collect(maps.Values(w.stuck)), true)) {
					ends[what]++
				}
			}
			ends[string(r.out.Mode)]++
		}
		if w.who == against && w.in.Work == "" && w.plan != nil {
			w.fatalf("all was rejected, and built is %v", w.landed)
		}
		clear(w.drafts)
		w.dice().Replay(r.Played)
	}
	t.Logf("%d runs: %v", runs, ends)
	if !enough {
		return
	}
	for _, end := range []string{"stuck, and nobody is there", "given up", "a hint", "once more", "not reproduced"} {
		if ends[end] < runs/200 {
			t.Errorf("only %d of %d runs had this: %s", ends[end], runs, end)
		}
	}
	for _, end := range []string{"waits", "failed", "no plan", "verified true", "verified false", "blocked", "direct", "pipeline", "full"} {
		if ends[end] < runs/70 {
			t.Errorf("only %d of %d runs ended as %q: the dice do not reach it", ends[end], runs, end)
		}
	}
}

// judge compares the end of a run that was built with what has happened in it.
func (w *world) judge(out step.WorkOut) {
	w.t.Helper()
	done, failed, blocked := len(w.had), 0, 0
	for _, t := range w.plan.Tasks {
		if slices.Contains(w.had, t.ID) || w.in.Task != "" && w.in.Task != t.ID {
			continue
		}
		r, ok := w.results[t.ID]
		if !ok {
			w.fatalf("%s has no end", t.ID)
		}
		// What cannot be built is what needs something that was not, and nothing else.
		stop := slices.ContainsFunc(t.Needs, func(n string) bool { return w.landed[n] == 0 && !slices.Contains(w.had, n) })
		want := step.Warning
		switch {
		case stop:
			want = step.Blocked
			blocked++
		case w.landed[t.ID] == 0 || w.warned[t.ID]:
			failed++
		default:
			want = step.Success
			done++
		}
		if r.Status != want || (r.Commit != "") != (w.landed[t.ID] > 0) || r.Attempts != w.turns[t.ID] || want == step.Warning && r.Reason == "" {
			w.fatalf("%s ended as %+v, want %s after %d turns; landed %v", t.ID, r, want, w.turns[t.ID], w.landed)
		}
	}
	for id, stuck := range w.stuck {
		why := "no_progress"
		switch {
		case w.blocked[id] != "":
			why = "blocked"
		case w.round[id]:
			why = "oscillation"
		}
		if r := w.results[id]; stuck && (w.who != nobody || r.Reason != why && !strings.HasPrefix(r.Reason, "stopped: ")) || w.given[id] && r.Reason != why {
			w.fatalf("%s was stuck (%v, given up %v) and ended as %+v, want %s", id, stuck, w.given[id], r, why)
		}
	}
	sent := 0
	if (len(w.landed) > 0 || w.in.From != "") && w.in.Delivery != step.ToTree {
		sent = 1
	}
	if out.Tasks != len(w.plan.Tasks) || out.Done != done || out.Failed != failed || out.Blocked != blocked || w.delivers != sent {
		w.fatalf("%+v with %d deliveries, want %d done, %d failed, %d blocked and %d deliveries", out, w.delivers, done, failed, blocked, sent)
	}
	if out.Sessions != w.asked || out.Usage.Requests != w.paid {
		w.fatalf("%d sessions with %d requests, want %d with %d", out.Sessions, out.Usage.Requests, w.asked, w.paid)
	}
	if want := failed+blocked == 0 && w.why == ""; out.Verified != want {
		w.fatalf("verified is %v: %+v", out.Verified, out)
	}
}

// played is the end of a run, with all that it takes to play it again.
type played struct {
	flowtest.Played

	out step.WorkOut
}

func (w *world) dice() flowtest.Dice {
	d := flowtest.Dice{
		T: w.t, Seed: w.seed, Rnd: w.rnd, Workflow: work.Workflow, In: w.in, Crash: 20, Most: 5000, Answer: w.answer, Said: w.said, Noted: w.noted,
		Blobs: func(b flow.Blob) ([]byte, error) { return w.blobs[b.SHA256], nil },
	}
	if w.who == never {
		d.Waits = gate
	}
	return d
}

// play drives one run to its end.
func (w *world) play() played {
	w.t.Helper()
	r := played{Played: w.dice().Play()}
	if r.Err == nil && !r.Waits {
		if err := json.Unmarshal(r.Out, &r.out); err != nil {
			w.fatalf("%v", err)
		}
	}
	return r
}

func (w *world) noted(n flow.NoteRec) {
	w.t.Helper()
	if n.Branch == "" && strings.HasSuffix(n.Key, "/judged") {
		phase, _, _ := strings.Cut(n.Key, "/")
		var judged step.AttemptNote
		if err := json.Unmarshal(n.Fact, &judged); err != nil {
			w.fatalf("%v", err)
		}
		if w.drafts[phase]++; judged.Passed { // a person reads it; what he rejects is begun anew
			w.drafts[phase] = 0
		}
		if w.drafts[phase] > 3 {
			w.fatalf("%s: %d drafts in a row were sent back, the limit is 3", n.Key, w.drafts[phase])
		}
	}
	if id, ok := strings.CutPrefix(n.Branch, "task/"); ok && strings.HasSuffix(n.Key, ":result") {
		var r step.TaskResult
		if err := json.Unmarshal(n.Fact, &r); err != nil {
			w.fatalf("%v", err)
		}
		w.results[id] = r
	}
}
