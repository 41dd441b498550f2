package auto_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/auto"
)

// The limits that no run may pass, written down here once more and not taken from the code.
const (
	maxAttempts   = 2 + 10 // LIGHT, then STANDARD; each part of a HEAVY design has as many as STANDARD
	maxFixes      = 5
	maxReentries  = 3
	maxCycles     = 5 * (1 + maxReentries)
	maxCritics    = 5
	maxRejections = 2
)

// world answers the steps of a run by the dice: every outcome that a step can have, in any order, with crashes in between.
// What it is asked for is checked against what has to hold at any time.
type world struct {
	t     *testing.T
	seed  int
	rnd   *rand.Rand
	good  float64 // how often things go well
	in    step.AutoIn
	blobs map[string][]byte

	// script answers instead of the dice: the nth call of a step, or turn of a role; nil leaves it to them.
	script func(what string, nth int) any
	calls  map[string]int
	seen   func(step.Turn)
	crash  int    // a process dies once in so many steps
	refuse bool   // a person overrules nothing
	words  string // with which he rejects what is shown between the phases
	lax    bool   // the script says what is evidence

	turns    map[string]int // by role
	answers  int            // turns that gave an answer
	trees    int
	claimed  bool
	proofs   map[string]step.TaskProof
	proved   map[string]bool // trees whose proof holds
	checked  map[string]bool // trees whose goals of quality were all reached, the last time they were run
	approved map[string]bool // trees that the architect approves of
	reviewed map[string]bool // trees in which the reviewer found nothing severe
	gap      map[string]int  // percent, by tree
	light    bool            // no design was asked for
	found    []pdca.Presence
	looked   string // tree of found
	items    map[string][]pdca.Judgement
	overrule int // objections that a person has overruled
	refused  int // and those that ended the run
	commits  []step.AutoCommitIn
	delivers int
	landed   int
	head     step.HeadOut // of the run's branch, while parts are built
	parts    int
	critics  int
	planned  []task.File
	gates    int             // verdicts before the first commit
	mode     pdca.Mode       // that the run has said it is in
	asked    map[string]bool // roles
	tells    int             // that the forge was asked to tell of it
	told     bool
	broken   map[string]bool // trees of which an end-to-end test failed
	blocked  string          // what the author of the last attempt holds to be in his way
	hint     string          // of a person, for the implementation
	stuck    int             // how often a person was asked about an attempt
	given    int             // how often he ended it there
}

func newWorld(t *testing.T, seed int) *world {
	t.Helper()
	w := &world{
		t: t, seed: seed, rnd: rand.New(rand.NewPCG(uint64(seed), 7)), good: []float64{0.3, 0.6, 0.8, 0.9, 0.97, 1}[seed%6], blobs: map[string][]byte{},
		crash: 20, calls: map[string]int{}, turns: map[string]int{}, proofs: map[string]step.TaskProof{}, proved: map[string]bool{}, checked: map[string]bool{}, approved: map[string]bool{}, reviewed: map[string]bool{}, gap: map[string]int{},
		asked: map[string]bool{}, broken: map[string]bool{}, light: true, head: step.HeadOut{Commit: "c0", Tree: "t0"}, items: map[string][]pdca.Judgement{},
	}
	w.in = step.AutoIn{
		Request: "do it", Language: []string{"en", "ko"}[w.rnd.IntN(2)], Eco: seed%7 == 1, Heavy: seed%7 == 2, Accept: seed%5 == 3, Opus: seed%3 == 1 && seed%7 != 1, DryRun: seed%40 == 9, Delivery: step.ToCommit,
	}
	w.in.Yes = seed%6 == 2 || seed%5 == 0
	if seed%10 == 4 {
		w.in.Left = &step.Left{Base: "t7", Tree: "left", Said: "s", Answer: json.RawMessage([]string{`{"summary": "s"}`, `{"summary": "s", "blocked": "the disk"}`}[seed%3%2])}
	}
	w.in.SkipE2E, w.in.Strict, w.in.Gates = seed%8 == 3, seed%8 == 5, seed%9 == 4
	if seed%4 == 1 {
		w.in.Issue = &step.IssueIn{Number: seed % 3}
	}
	return w
}

func (w *world) fatalf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d: %s", w.seed, fmt.Sprintf(format, args...))
}

func (w *world) ok() bool { return w.rnd.Float64() < w.good }

func (w *world) mostly() bool { return w.ok() || w.rnd.Float64() < w.good }

func (w *world) put(v any) flow.Blob {
	id := fmt.Sprintf("blob%d", len(w.blobs))
	w.blobs[id] = flowtest.JSON(w.t, v)
	return flow.Blob{SHA256: id, Size: int64(len(w.blobs[id]))}
}

// scripted is what the script says of a call; nil where it says nothing.
func (w *world) scripted(what string) any {
	if w.script == nil {
		return nil
	}
	w.calls[what]++
	return w.script(what, w.calls[what])
}

func (w *world) newTree() string {
	if w.script == nil && w.trees > 0 && w.rnd.IntN(8) == 0 { // what an author left before
		return fmt.Sprint("t", w.rnd.IntN(w.trees))
	}
	w.trees++
	return fmt.Sprint("t", w.trees)
}

func (w *world) answer(want flow.Want) (any, *flow.Failure) {
	w.t.Helper()
	name, _, _ := strings.Cut(want.Step, "@")
	if name != step.AgentTurn.Name && w.rnd.IntN(80) == 0 && !w.ok() { // a person mends it, or does not
		return nil, flow.Failf(flow.Environment, "dice")
	}
	if v := w.scripted(name); v != nil {
		if goals, ok := v.(step.AutoQAOut); ok {
			w.checked[flowtest.In[step.AutoQAIn](w.t, want).Tree] = !slices.ContainsFunc(goals.Goals, func(g step.Goal) bool { return g.Status == step.GoalFail })
		}
		if proof, ok := v.(step.TaskProof); ok {
			w.proved[flowtest.In[step.TaskIn](w.t, want).Tree] = proof.Passed
		}
		return v, nil
	}
	switch name {
	case step.AutoSurvey.Name:
		return step.AutoSurveyOut{
			ProjectFacts: step.ProjectFacts{Commit: "c0", Tree: "t0", Branch: "main", Language: w.in.Language, Docs: []step.Doc{}}, Files: w.put([]string{"a/x.go", "b/y.go", "b/z.go"}), Roots: []string{"."},
		}, nil
	case step.AutoClaim.Name:
		if w.claimed || w.in.DryRun {
			w.fatalf("a name is claimed, twice or for a dry run")
		}
		w.claimed = true
		return step.AutoClaimOut{Feature: flowtest.In[step.AutoClaimIn](w.t, want).Feature}, nil
	case step.AgentTurn.Name:
		return w.turn(want)
	case step.PlanCheck.Name:
		if w.ok() {
			return step.PlanCheckOut{}, nil
		}
		return step.PlanCheckOut{Findings: []step.Finding{{Rule: "plan", Severity: step.Fix, Message: "it cannot be run"}}}, nil
	case step.ProveTask.Name:
		in := flowtest.In[step.TaskIn](w.t, want)
		if in.Base != "t0" && want.Branch == "" || len(in.Task.Files) == 0 && want.Branch == "" {
			w.fatalf("%s: it is proved against %s, files %v", want.Key, in.Base, in.Task.Files)
		}
		if out, ok := w.proofs[in.Tree]; ok { // a proof says of one tree always the same
			return out, nil
		}
		out := step.TaskProof{Passed: w.ok(), Findings: w.findings(), Counts: step.Counts{Total: 1, Passed: 1}}
		if !out.Passed {
			out.Failures = []step.TestResult{{ID: fmt.Sprint("x", w.rnd.IntN(4)), Status: step.Fail, Message: "no"}}
		}
		w.proved[in.Tree] = out.Passed && !slices.ContainsFunc(out.Findings, func(f step.Finding) bool { return f.Severity == step.Rejects })
		w.proofs[in.Tree] = out
		return out, nil
	case step.WorkDocs.Name:
		if in := flowtest.In[step.WorkDocsIn](w.t, want); in.Tree == "t0" {
			w.fatalf("%s: the documents of the start are there", want.Key)
		}
		return step.WorkDocsOut{}, nil
	case step.Restart.Name:
		if in := flowtest.In[step.RestartIn](w.t, want); in.Head != "t0" || in.Left.Tree != "left" || w.turns["implement"] > 0 {
			w.fatalf("%s: %+v after %d turns", want.Key, in, w.turns["implement"])
		}
		return step.RestartOut{Tree: []string{"t0", w.newTree()}[w.rnd.IntN(2)]}, nil
	case step.AutoLook.Name:
		return w.look(flowtest.In[step.AutoLookIn](w.t, want)), nil
	case step.AutoQA.Name:
		return w.goals(flowtest.In[step.AutoQAIn](w.t, want)), nil
	case step.AutoKeep.Name:
		var out step.AutoKeepOut
		for _, d := range flowtest.In[step.AutoKeepIn](w.t, want).Docs {
			if d.Text == "" || !strings.HasPrefix(d.Path, "docs/") {
				w.fatalf("document %s: %q", d.Path, d.Text)
			}
			out.Docs = append(out.Docs, step.DocFile{Path: d.Path, Blob: w.put(d.Text)})
		}
		return out, nil
	case step.AutoCommit.Name:
		in := flowtest.In[step.AutoCommitIn](w.t, want)
		if in.Type != "wip" && in.Tree != "t0" && !w.proved[in.Tree] {
			w.fatalf("%s is committed as %s and was never proved", in.Tree, in.Type)
		}
		w.commits = append(w.commits, in)
		return step.HeadOut{Commit: fmt.Sprint("c", len(w.commits)), Tree: "with documents"}, nil
	case step.Head.Name:
		return w.head, nil
	case step.LandTask.Name:
		in := flowtest.In[step.LandTaskIn](w.t, want)
		if !w.proved[in.Tree] || in.Plan.SHA256 != "" || len(in.Taken) == 0 {
			w.fatalf("%s lands: proved %v, taken %v", in.Task.ID, w.proved[in.Tree], in.Taken)
		}
		if !w.ok() {
			return step.LandTaskOut{Head: w.head, Start: w.newTree(), Conflicts: []string{"a/x.go"}, Proof: step.TaskProof{Findings: []step.Finding{{Rule: "merge-conflict", Severity: step.Rejects, Message: fmt.Sprint(w.rnd.IntN(9))}}}}, nil
		}
		w.landed++
		w.head = step.HeadOut{Commit: fmt.Sprint("l", w.landed), Tree: w.newTree()}
		return step.LandTaskOut{Passed: true, Commit: w.head.Commit, Tree: w.head.Tree}, nil
	case step.AutoE2E.Name:
		in := flowtest.In[step.AutoQAIn](w.t, want)
		if w.in.SkipE2E || w.light || !w.approved[in.Tree] && w.script == nil && w.overrule == 0 && !w.in.Accept {
			w.fatalf("end-to-end tests of %s are run", in.Tree)
		}
		if w.seed%3 == 0 {
			return step.AutoQAOut{}, nil // it has none
		}
		g := step.Goal{Goal: "e2e", Status: step.GoalPass}
		if !w.ok() || w.seed%9 == 4 && w.rnd.IntN(4) > 0 {
			g.Status, g.Failures = step.GoalFail, []pdca.Failure{{Goal: "e2e", Message: fmt.Sprint("no ", w.rnd.IntN(3))}}
		}
		w.broken[in.Tree] = g.Status == step.GoalFail
		return step.AutoQAOut{Goals: []step.Goal{g}}, nil
	case step.ForgeIssue.Name:
		in := flowtest.In[step.ForgeIssueIn](w.t, want)
		if w.tells++; w.tells > 3 || w.told || in.Label != "auto" || in.Number != w.in.Issue.Number || !strings.Contains(in.Body, ".plan.md") {
			w.fatalf("it is told %d times, told %v: %+v", w.tells, w.told, in)
		}
		if !w.ok() {
			return nil, flow.Failf([]flow.Class{flow.Transient, flow.Transient, flow.Auth, flow.Limit, flow.Environment, flow.Failed, flow.Denied}[w.rnd.IntN(7)], "dice")
		}
		w.told = true
		return step.ForgeIssueOut{Number: 7, URL: "http://forge/7", Opened: in.Number == 0}, nil
	case step.Deliver.Name:
		if w.delivers++; w.delivers > 1 {
			w.fatalf("delivered twice")
		}
		w.evidence()
		return step.DeliverOut{Ref: "HEAD", Commit: "c9"}, nil
	}
	w.fatalf("no answer for step %s", name)
	return nil, nil
}

// evidence is what has to be there before anything is delivered.
func (w *world) evidence() {
	w.t.Helper()
	if w.lax {
		return
	}
	tree := w.commits[len(w.commits)-1].Tree
	if !w.proved[tree] || !w.checked[tree] {
		w.fatalf("%s is delivered: proved %v, checked %v", tree, w.proved[tree], w.checked[tree])
	}
	if w.broken[tree] && w.overrule == 0 && !w.in.Accept {
		w.fatalf("%s is delivered, and an end-to-end test fails", tree)
	}
	if !w.approved[tree] && w.overrule == 0 && !w.in.Accept {
		w.fatalf("%s is delivered, and the architect has not approved of it", tree)
	}
	if !w.light && w.overrule == 0 && !w.in.Accept && (!w.reviewed[tree] || w.gap[tree] < 90) {
		w.fatalf("%s is delivered: reviewed %v, %d %% of the design", tree, w.reviewed[tree], w.gap[tree])
	}
}

func (w *world) findings() []step.Finding {
	if w.ok() {
		return nil
	}
	return []step.Finding{{Rule: "dice", Severity: []step.Severity{step.Rejects, step.Fix, step.Warn}[w.rnd.IntN(3)], Path: fmt.Sprint(w.rnd.IntN(5)), Message: "no luck"}}
}

func (w *world) look(in step.AutoLookIn) step.AutoLookOut {
	out := step.AutoLookOut{Diff: step.Doc{Title: "diff", Blob: w.put("diff")}}
	for _, k := range in.Checklist {
		out.Found = append(out.Found, pdca.Presence{ID: k.ID, Path: w.mostly(), Symbol: w.mostly(), Test: true})
	}
	w.found, w.looked = out.Found, in.Tree
	for _, x := range w.planned {
		if w.mostly() {
			out.Files = append(out.Files, step.Change{Path: x.Path, Status: "M"})
		}
	}
	for i := range w.rnd.IntN(3) {
		out.Files = append(out.Files, step.Change{Path: fmt.Sprintf("%c/f%d.go", 'a'+rune(w.rnd.IntN(3)), i), Status: "M"})
	}
	return out
}

func (w *world) goals(in step.AutoQAIn) step.AutoQAOut {
	w.t.Helper()
	if !w.proved[in.Tree] {
		w.fatalf("the goals of %s are run, which was never proved", in.Tree)
	}
	out := step.AutoQAOut{}
	all := true
	for _, name := range []string{"lint", "test", "build", "custom"} {
		g := step.Goal{Goal: name, Status: step.GoalPass}
		if w.rnd.IntN(3) == 0 && !w.ok() || name == "test" && w.seed%11 == 5 && w.rnd.IntN(3) > 0 { // some projects are sick
			all, g.Status = false, step.GoalFail
			if w.rnd.IntN(4) > 0 {
				g.Failures = []pdca.Failure{{Goal: name, Test: fmt.Sprint("x", w.rnd.IntN(2)), Message: "no"}}
			}
		}
		out.Goals = append(out.Goals, g)
	}
	w.checked[in.Tree] = all
	return out
}

func (w *world) turn(want flow.Want) (any, *flow.Failure) {
	w.t.Helper()
	in := flowtest.In[step.Turn](w.t, want)
	if w.seen != nil {
		w.seen(in)
	}
	if !strings.HasSuffix(want.Key, "/turn") || !strings.Contains(want.Key, "/as/"+in.Role+"/") {
		w.fatalf("%s: a turn of %s", want.Key, in.Role)
	}
	who := in.Role + want.Branch
	if strings.HasSuffix(want.Key, "/try/1/turn") {
		w.turns[who]++
	}
	if in.Attempt != w.turns[who] {
		w.fatalf("%s: it is the turn %d of %s, and is called %d", want.Key, w.turns[who], in.Role, in.Attempt)
	}
	writes := slices.Contains([]string{"implement", "executor", "build-fixer", "designer"}, in.Role)
	w.judgeTier(in)
	if in.Judge == writes {
		w.fatalf("%s: %s reads only: %v", want.Key, in.Role, in.Judge)
	}
	if w.in.DryRun && in.Role != "estimate" {
		w.fatalf("a dry run asks %s", in.Role)
	}
	if w.rnd.IntN(12) == 0 && !w.ok() {
		return nil, flow.Failf([]flow.Class{flow.Transient, flow.Crashed, flow.Schema, flow.MaxTurns, flow.Refusal, flow.Budget}[w.rnd.IntN(6)], "dice")
	}
	w.answers++
	out := step.TurnOut{Tree: in.Tree, Agent: "dice", Usage: step.Usage{Known: true, Requests: 1}}
	if writes {
		out.Tree, out.Findings = w.newTree(), nil
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
	verdict := func(good, bad string) string {
		switch {
		case w.ok():
			return good
		case w.rnd.IntN(3) == 0:
			return good + " or " + bad
		default:
			return "VERDICT: " + bad
		}
	}
	switch in.Role {
	case "estimate":
		return map[string]any{"feature": []string{"Some Feature", "한글"}[w.rnd.IntN(2)], "files": w.files(), "new_pattern": !w.ok(), "pattern": "p", "summary": "s"}
	case "plan":
		p := pdca.Plan{
			Background: "There is nothing of it today, and users miss it.", Items: []pdca.Item{{Text: "It is there", Criteria: []task.Criterion{{Text: "It returns 1"}, {Text: "It returns 2"}}}},
			Files: w.files(), Risks: []string{"None that is known to us"}, EdgeCases: []string{"one", "two"}, Steps: []pdca.Step{{Text: "Do it", Done: "It is done"}},
		}
		if !w.ok() {
			p.EdgeCases = []string{}
		}
		w.planned = p.Files
		return p
	case "feasibility":
		return map[string]any{"notes": []string{"fine"}}
	case "critic":
		if w.critics++; w.critics > 2*maxCritics { // each may be asked once more for its verdict
			w.fatalf("%d turns of critics", w.critics)
		}
		return map[string]any{"verdict": verdict("APPROVE", "REVISE"), "reasons": []string{"so"}, "items": w.judge([]string{"K-01", "K-02"})}
	case "design":
		w.light = false
		d := pdca.Design{
			Files: w.files(), Interfaces: []pdca.Interface{{Path: "a/x.go", Signature: "func X()"}}, DataFlow: "It goes in and comes out again.", Tests: "One test for each of the functions.", Risks: []string{"none"},
		}
		for range 1 + w.rnd.IntN(12) {
			d.Checklist = append(d.Checklist, pdca.Check{Path: "a/x.go", Symbol: "X", Behaviour: "does it"})
		}
		if !w.ok() {
			d.DataFlow = ""
		}
		if w.rnd.IntN(2) == 0 && len(d.Files) > 2 {
			d.Parts = []pdca.Part{{Title: "one", Paths: []string{"a/"}}, {Title: "two", Paths: []string{"b/"}}, {Title: "three", Paths: []string{"c/"}}}
		}
		w.parts = max(w.parts, len(d.Parts))
		return d
	case "architect":
		if len(w.commits) == 0 {
			if w.gates++; w.gates > 2*maxRejections {
				w.fatalf("%d turns of the architect before anything is committed", w.gates)
			}
		}
		ids := []string{}
		for _, l := range strings.Split(in.Task, "\n") {
			if f := strings.Fields(strings.TrimPrefix(l, "- ")); len(f) > 0 && (strings.HasPrefix(f[0], "D-") || strings.HasPrefix(f[0], "K-")) && strings.HasPrefix(l, "- ") {
				ids = append(ids, strings.TrimSuffix(f[0], ":"))
			}
		}
		v, items := verdict("APPROVE", "REJECT"), w.judge(ids)
		w.items[in.Tree] = items
		all := !slices.ContainsFunc(items, func(j pdca.Judgement) bool { return !j.Matches && strings.HasPrefix(j.ID, "K-") })
		w.approved[in.Tree] = v == "APPROVE" && all
		w.rate(in.Tree)
		return map[string]any{"verdict": v, "reasons": []string{"so"}, "domain": "UI", "guide": "a/x.go", "items": items}
	case "diagnose":
		return map[string]any{"diagnosis": "d", "guide": []string{"a/x.go: do it", "try things"}[w.rnd.IntN(2)], "domain": "build"}
	case "reviewer":
		w.rate(in.Tree)
		severe := !w.ok()
		w.reviewed[in.Tree] = !severe
		if severe {
			return map[string]any{"findings": []step.ReviewFinding{{Severity: []string{"CRITICAL", "HIGH", "nobody knows"}[w.rnd.IntN(3)], Message: "m"}}}
		}
		return map[string]any{"findings": []step.ReviewFinding{{Severity: "LOW", Message: "m"}}}
	default:
		if in.Base == "" || in.Role == "implement" && !strings.Contains(in.Task, w.hint) && !strings.Contains(in.Module, "/") {
			w.fatalf("%s: compared with %q, the hint is %q:\n%s", in.Role, in.Base, w.hint, in.Task)
		}
		if w.blocked = ""; w.script == nil && w.rnd.IntN(8) == 0 {
			w.blocked = "the linter is not there"
		}
		return map[string]any{"summary": "s", "blocked": w.blocked}
	}
}

// rate computes the gap anew: an item counts when code has found its path, symbol and test, and a judge that it matches.
func (w *world) rate(tree string) {
	n := 0
	for _, p := range w.found {
		j := slices.IndexFunc(w.items[tree], func(j pdca.Judgement) bool { return j.ID == p.ID })
		if p.Path && p.Symbol && p.Test && j >= 0 && w.items[tree][j].Matches {
			n++
		}
	}
	if w.looked == tree && len(w.found) > 0 {
		w.gap[tree] = 100 * n / len(w.found)
	}
}

func (w *world) judge(ids []string) []pdca.Judgement {
	out := []pdca.Judgement{}
	for _, id := range ids {
		if w.rnd.IntN(20) > 0 || w.ok() {
			out = append(out, pdca.Judgement{ID: id, Matches: w.mostly(), Why: "w"})
		}
	}
	return out
}

func (w *world) files() []task.File {
	list := []task.File{{Path: "a/x.go", Action: task.Modify}, {Path: "b/y.go", Action: task.Modify}, {Path: "b/z.go", Action: task.Modify}, {Path: "c/n.go", Action: task.Create}}
	return list[:1+w.rnd.IntN(len(list))]
}

func (w *world) decide(want flow.Want) flow.Answer {
	w.t.Helper()
	q := flowtest.In[flow.Question](w.t, want)
	if q.Class != "" {
		return flow.Answer{Verb: []string{flow.Approve, flow.Approve, flow.Approve, flow.Reject}[w.rnd.IntN(4)], Text: "40usd"}
	}
	if strings.HasSuffix(want.Key, "/next") {
		return w.next(want)
	}
	if strings.HasSuffix(want.Key, "/escalated") {
		return w.decides(want.Key, q.Text)
	}
	if w.in.Accept || w.in.Yes {
		w.fatalf("%s: nobody is to be asked", want.Key)
	}
	if w.refuse {
		w.refused++
		return flow.Answer{Verb: flow.Reject, Text: "no"}
	}
	a := []flow.Answer{{Verb: flow.Approve}, {Verb: flow.Reply, Text: "approve"}, {Verb: flow.Reject, Text: "no"}, {Verb: flow.Reject}, {Verb: flow.Reply, Text: "hm"}, {}}[w.rnd.IntN(6)]
	if a.Verb == flow.Approve || a.Text == "approve" {
		w.overrule++
	} else {
		w.refused++
	}
	return a
}

// decides is what a person says of an attempt that another one would not make better.
func (w *world) decides(key, text string) flow.Answer {
	w.t.Helper()
	if w.stuck++; w.in.Yes || !strings.Contains(text, "does not pass (") && w.in.Language == "en" || !strings.Contains(text, ": s\n") {
		w.fatalf("%s: a person is asked:\n%s", key, text)
	}
	switch {
	case w.refuse, w.rnd.IntN(3) == 0:
		w.given++
		return flow.Answer{Verb: flow.Reject}
	case w.rnd.IntN(2) == 0:
		return flow.Answer{Verb: flow.Reply, Text: "retry"}
	}
	if !strings.Contains(key, "task/") {
		w.hint = fmt.Sprint("look at ", w.rnd.IntN(1000))
		return flow.Answer{Verb: flow.Reply, Text: w.hint}
	}
	return flow.Answer{Verb: flow.Reply, Text: "another way"}
}

// next answers what is asked between the phases with --interactive.
func (w *world) next(want flow.Want) flow.Answer {
	w.t.Helper()
	improve := strings.HasSuffix(want.Key, "choose/next")
	switch {
	case !w.in.Gates:
		w.fatalf("%s: nobody is to be asked between the phases", want.Key)
	case w.refuse, w.rnd.IntN(12) == 0:
		w.refused++
		return flow.Answer{Verb: flow.Reject, Text: w.words}
	case improve && w.rnd.IntN(4) == 0:
		w.overrule++
		return flow.Answer{Verb: flow.Reply, Text: "skip"}
	case improve && w.rnd.IntN(2) == 0:
		return flow.Answer{Verb: flow.Reject, Text: "mend it in a/x.go"}
	}
	return flow.Answer{Verb: flow.Approve}
}

type played struct {
	flowtest.Played

	out step.AutoOut
}

func (w *world) dice() flowtest.Dice {
	return flowtest.Dice{
		T: w.t, Seed: w.seed, Rnd: w.rnd, Workflow: auto.Workflow, In: w.in, Crash: w.crash, Most: 3000, Answer: w.answer, Said: w.decide,
		Blobs: func(b flow.Blob) ([]byte, error) { return w.blobs[b.SHA256], nil }, Noted: w.noted,
	}
}

func (w *world) play() played {
	w.t.Helper()
	r := played{Played: w.dice().Play()}
	if r.Err == nil {
		if err := json.Unmarshal(r.Out, &r.out); err != nil {
			w.fatalf("%v", err)
		}
	}
	return r
}

// reasons are all the ends that a run may have.
var reasons = []string{"passed", "same_failure", "no_progress", "oscillation", "limit", "needs_decision", "e2e_failed", "blocked"}

// judgeEnd looks at the end of a run.
func (w *world) judgeEnd(o step.AutoOut) string {
	w.t.Helper()
	if w.in.DryRun {
		if o.End.Reason != "" || len(w.commits)+w.delivers > 0 || o.Score.Mode == "" {
			w.fatalf("a dry run ended as %+v with %d commits", o, len(w.commits))
		}
		return "dry run"
	}
	if !slices.Contains(reasons, o.End.Reason) || o.Verified != (o.End.Reason == "passed") || o.Verified != (w.delivers == 1) {
		w.fatalf("it ended as %+v, verified %v, delivered %d times", o.End, o.Verified, w.delivers)
	}
	if !o.Verified && (o.End.Phase == "" || o.Why == "") {
		w.fatalf("it ended as %+v and does not say where and why: %q", o.End, o.Why)
	}
	if o.Attempts > maxAttempts+10*w.parts || o.Fixes > maxFixes || o.Reentries > maxReentries || o.E2E > 2 || w.in.Strict && o.E2E > 0 || o.QA > maxCycles || o.Mode == pdca.Light && o.QA > 1+maxReentries {
		w.fatalf("a limit is passed: %+v", o)
	}
	if w.in.Eco && (o.Mode != pdca.Light || len(o.Promotions) > 0) || w.in.Heavy && !w.in.Eco && o.Mode != pdca.Heavy {
		w.fatalf("the mode is %s after %v, eco %v, heavy %v", o.Mode, o.Promotions, w.in.Eco, w.in.Heavy)
	}
	if len(o.Promotions) > 2 || o.Sessions != w.answers {
		w.fatalf("%d promotions, %d sessions of %d", len(o.Promotions), o.Sessions, w.answers)
	}
	if last := w.commits[len(w.commits)-1]; !slices.ContainsFunc(last.Docs, func(d step.DocFile) bool { return d.Path == o.Document }) || o.Commit == "" {
		w.fatalf("the report %s is not in the last commit %+v", o.Document, last)
	}
	if w.refused > 0 && o.End.Reason != "needs_decision" && o.End.Phase != "act" || len(o.Accepted) < w.overrule {
		w.fatalf("%d refusals, %d overruled, it ended as %+v with %v", w.refused, w.overrule, o.End, o.Accepted)
	}
	stuck := []string{"blocked", "no_progress", "oscillation", "same_failure"}
	if w.parts > 0 { // the first of them that has failed is named, and it may be another
		stuck = append(stuck, "limit")
	}
	if w.given > 0 && !slices.Contains(stuck, o.End.Reason) {
		w.fatalf("a person has given up, and it ended as %+v", o.End)
	}
	w.judgeRoles(o)
	return o.End.Reason
}

// TestAnyOutcomes: whatever happens, a run ends, for a reason that has a name, within its limits, and nothing is delivered
// without evidence for the very tree that is delivered.
// It takes longer than ten seconds: it plays hundreds of whole runs.
func TestAnyOutcomes(t *testing.T) {
	t.Parallel()
	seeds, enough := flowtest.Seeds(200, 1400)
	runs := len(seeds)
	ends, went := map[string]int{}, map[string]int{}
	for _, seed := range seeds {
		w := newWorld(t, seed)
		r := w.play()
		if r.Err != nil {
			ends["failed"]++
			if w.delivers > 0 {
				w.fatalf("it failed with %v and was delivered", r.Err)
			}
		} else {
			ends[w.judgeEnd(r.out)]++
			ends[string(r.out.Mode)]++
			if len(r.out.Promotions) > 0 {
				ends["promoted"]++
			}
			if w.landed > 0 {
				ends["parts"]++
			}
		}
		for _, way := range taken(r) {
			went[way]++
			if !slices.Contains(ways(), way) {
				w.fatalf("%s is not in the table of transitions", way)
			}
		}
		if seed%10 == 0 {
			w.dice().Replay(r.Played)
		}
	}
	t.Logf("%d runs: %v\n%v", runs, ends, went)
	if !enough {
		return
	}
	for _, end := range append(slices.Clone(reasons), "failed", "dry run", "LIGHT", "STANDARD", "HEAVY", "promoted", "parts") {
		if ends[end] < runs/300 {
			t.Errorf("only %d of %d runs ended as %q: the dice do not reach it", ends[end], runs, end)
		}
	}
	for _, way := range ways() { // the rarest is gone once in some thousand runs
		if went[way] == 0 && runs > 10_000 {
			t.Errorf("no run went %s", way)
		}
	}
}
