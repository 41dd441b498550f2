package act_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/blob"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/local"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/workflow/work"
)

// part is one task of a random plan, and how its author goes about it.
type part struct {
	task   task.Task
	needs  []int
	value  int    // that its function gives
	listed bool   // adds a line to the list, at the place where all do
	heavy  bool   // adds a weight: alone it is within the limit, two together are not
	adds   int    // the earlier part to whose file it adds a function, -1 = none
	first  string // what is wrong with its first attempt, "" = nothing
	never  bool   // its author never gets it right
}

// parts is a random plan of tasks that need each other's functions.
func parts(rnd *rand.Rand) []part {
	var out []part
	for i := range 3 + rnd.IntN(3) {
		p := part{
			value: 1, listed: rnd.IntN(2) == 0, heavy: rnd.IntN(2) == 0, adds: -1, never: i > 0 && rnd.IntN(10) == 0,
			first: []string{"", "", "", "fails", "stray", "deletes", "breaks"}[rnd.IntN(7)],
			task:  task.Task{ID: fmt.Sprintf("TASK-%02d", i), Type: "feat", Title: fmt.Sprintf("Part %d", i), Scope: "s", Covers: []string{"FR-01", "FR-02", "FR-03", "AC-01"}},
		}
		for j := range i {
			if rnd.IntN(3) == 0 {
				p.needs, p.value = append(p.needs, j), p.value+out[j].value
				p.task.Needs = append(p.task.Needs, out[j].task.ID)
				if rnd.IntN(3) == 0 {
					p.adds = j
				}
			}
		}
		p.task.Files = []task.File{{Path: fmt.Sprintf("m%d/m%d.js", i, i), Action: task.Create}, {Path: fmt.Sprintf("m%d/m%d.test.js", i, i), Action: task.Create}}
		if p.heavy {
			p.task.Files = append(p.task.Files, task.File{Path: fmt.Sprintf("reg/r%d.js", i), Action: task.Create})
		}
		if p.adds >= 0 { // two that add to one file own it both: the program puts them in a row
			p.task.Files = append(p.task.Files, task.File{Path: fmt.Sprintf("m%d/m%d.js", p.adds, p.adds), Action: task.Modify})
		}
		out = append(out, p)
	}
	return out
}

// simulated is the agent: it knows the plan, and carries each part out as its author would.
type simulated struct {
	parts []part
	mu    sync.Mutex
	again int // turns whose work was sent back when it was to be merged
	bad   error
}

var marker = regexp.MustCompile(`turn role="(\w+)" module="([^"]*)" attempt="(\d+)"`)

// Run does one turn.
func (s *simulated) Run(_ context.Context, t agent.Turn, _ func(agent.Event)) agent.Outcome {
	m := marker.FindStringSubmatch(t.Prompt)
	if m == nil {
		return agent.Outcome{Class: agent.Crashed, Message: "no turn is asked for"}
	}
	var answer any
	switch m[1] {
	case "specify":
		answer = map[string]any{
			"title": "Parts", "type": "feat", "functional": []string{"a", "b", "c"}, "criteria": []step.Criterion{{Text: "k"}},
			"task": map[string]any{"title": "t", "scope": "s", "files": []task.File{{Path: "README.md", Action: task.Modify}}},
		}
	case "plan":
		var tasks []task.Task
		for _, p := range s.parts {
			tasks = append(tasks, p.task)
		}
		answer = map[string]any{"goal": "g", "tasks": tasks}
	default:
		var more []map[string]string
		n, err := strconv.Atoi(strings.TrimPrefix(m[2], "TASK-"))
		if err == nil {
			more, err = s.parts[n].build(n, m[3] == "1", t.Dir)
		}
		s.mu.Lock()
		if err != nil {
			s.bad = err
		}
		if strings.Contains(t.Prompt, "merging your work with the work of others") {
			s.again++
		}
		s.mu.Unlock()
		answer = map[string]any{"summary": "s", "more_files": more, "what": "w", "why": "y", "caution": "None", "incomplete": "None"}
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return agent.Outcome{Class: agent.Crashed, Message: err.Error()}
	}
	return agent.Outcome{Class: agent.OK, Answer: raw, Usage: agent.Usage{Known: true}}
}

// function is the text of a part's function.
func (p part) function(n int) string {
	sum := "1"
	for _, j := range p.needs {
		sum += fmt.Sprintf(" + require('../m%d/m%d.js').f%d()", j, j, j)
	}
	return fmt.Sprintf("exports.f%d = () => %s;\n", n, sum)
}

func (p part) test(n int) string {
	text := "const test = require('node:test');\nconst assert = require('node:assert');\n" +
		fmt.Sprintf("test('part %d', () => { assert.strictEqual(require('./m%d.js').f%d(), %d); });\n", n, n, n, p.value)
	if p.listed {
		text += fmt.Sprintf("test('part %d is listed', () => { assert.ok(require('../list.js').list.includes('part %d')); });\n", n, n)
	}
	if p.adds >= 0 {
		text += fmt.Sprintf("test('part %d adds', () => { assert.strictEqual(require('../m%d/m%d.js').by%d(), 'part %d'); });\n", n, p.adds, p.adds, n, n)
	}
	return text
}

// lines are what a part leaves in the project, by file: none of them may be lost once it has landed.
func (p part) lines(n int) map[string]string {
	out := map[string]string{fmt.Sprintf("m%d/m%d.js", n, n): p.function(n), fmt.Sprintf("m%d/m%d.test.js", n, n): p.test(n)}
	if p.listed {
		out["list.js"] = fmt.Sprintf("  'part %d',\n", n)
	}
	if p.heavy {
		out[fmt.Sprintf("reg/r%d.js", n)] = "exports.weight = "
	}
	if p.adds >= 0 {
		out[fmt.Sprintf("m%d/m%d.js", p.adds, p.adds)] = fmt.Sprintf("exports.by%d = () => 'part %d';\n", n, n)
	}
	return out
}

// build writes the part into a directory, as its author does who looks at what is there. more are the files that it names
// besides those of the plan.
func (p part) build(n int, first bool, dir string) (more []map[string]string, err error) {
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	read := func(name string) string {
		b, rerr := os.ReadFile(at(name))
		if rerr != nil && err == nil {
			err = rerr
		}
		return string(b)
	}
	write := func(name, text string) {
		werr := os.MkdirAll(filepath.Dir(at(name)), 0o755)
		if werr == nil {
			werr = os.WriteFile(at(name), []byte(text), 0o644)
		}
		if werr != nil && err == nil {
			err = werr
		}
	}
	own, wrong := fmt.Sprintf("m%d/m%d.js", n, n), first && p.first == "fails" || p.never
	text := p.function(n)
	if wrong {
		text = strings.Replace(text, "=> 1", "=> 2", 1)
	}
	write(own, text)
	write(fmt.Sprintf("m%d/m%d.test.js", n, n), p.test(n))
	insert := func(name, after, line string) {
		if was := read(name); !strings.Contains(was, line) {
			write(name, strings.Replace(was, after, after+line, 1))
		}
	}
	if p.listed {
		insert("list.js", "exports.list = [\n", fmt.Sprintf("  'part %d',\n", n))
		more = append(more, map[string]string{"path": "list.js", "reason": "all parts are listed"})
	}
	if p.adds >= 0 {
		name := fmt.Sprintf("m%d/m%d.js", p.adds, p.adds)
		if line := p.lines(n)[name]; !strings.Contains(read(name), line) {
			write(name, read(name)+line)
		}
	}
	if p.heavy { // where another is there already, this one has to be light
		weight := 1
		for j := range 10 {
			if b, rerr := os.ReadFile(at(fmt.Sprintf("reg/r%d.js", j))); rerr == nil && j != n && strings.Contains(string(b), "weight = 1") {
				weight = 0
			}
		}
		write(fmt.Sprintf("reg/r%d.js", n), fmt.Sprintf("exports.weight = %d;\n", weight))
	}
	if first {
		switch p.first {
		case "stray":
			write("README.md", read("README.md")+fmt.Sprintf("part %d\n", n))
		case "deletes":
			write("reg/reg.test.js", "")
		case "breaks": // the test of others
			write("reg/r9.js", "exports.weight = 5;\n")
		}
	} else if p.first == "breaks" {
		err = os.RemoveAll(at("reg/r9.js"))
	}
	if !first && p.first == "stray" {
		write("README.md", strings.ReplaceAll(read("README.md"), fmt.Sprintf("part %d\n", n), ""))
	}
	if !first && p.first == "deletes" {
		write("reg/reg.test.js", limitTest)
	}
	return more, err
}

const limitTest = "const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\n" +
	"test('the weights are within the limit', () => {\n  let sum = 0;\n  for (const f of fs.readdirSync(__dirname)) {\n" +
	"    if (/^r\\d+.js$/.test(f)) { sum += require('./' + f).weight; }\n  }\n  assert.ok(sum <= 1, 'the weights are ' + sum);\n});\n"

// lab is a project in a repository of its own, with what carries out steps there.
type lab struct {
	project string
	state   string
	blobs   flow.Blobs
	actor   *act.Actor
}

func newLab(t *testing.T, files map[string]string, a agent.Agent) lab {
	t.Helper()
	base := t.TempDir()
	l := lab{project: filepath.Join(base, "project"), state: filepath.Join(base, "state")}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(l.project, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(l.project, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init -q -b main", "config user.name x", "config user.email x@localhost", "add -A", "commit -qm start"} {
		gitOf(t, l.project, strings.Fields(args)...)
	}
	temp := filepath.Join(base, "temp")
	if err := os.MkdirAll(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	repo, err := git.Open(t.Context(), git.Options{Dir: l.project, Env: os.Environ(), Temp: temp})
	if err != nil {
		t.Fatal(err)
	}
	if l.blobs, err = blob.Open(filepath.Join(l.state, "blobs")); err != nil {
		t.Fatal(err)
	}
	l.actor = act.New(act.Options{
		Repo: repo, State: l.state, Cache: filepath.Join(base, "cache"), Shared: filepath.Join(base, "shared"), Env: []string{"PATH=" + os.Getenv("PATH")}, Now: time.Now,
		Blobs: l.blobs, Agents: map[string]act.Agent{step.Scripted: {Program: a}}, Seats: step.Seats{Run: step.Seat{Agent: step.Scripted}}, Redact: gateway.NewRedactor(), Checks: act.Checks{Timeout: time.Minute},
	})
	t.Cleanup(func() { _ = l.actor.Close() })
	return l
}

// run drives a plan to its end in a project of its own: the real kernel, real git, real checks. Only the agent is simulated.
func (s *simulated) run(t *testing.T) (project string, out step.WorkOut, ends map[string]step.TaskResult) {
	t.Helper()
	l := newLab(t, map[string]string{
		"package.json": "{\"name\": \"parts\", \"private\": true, \"scripts\": {\"test\": \"node --test\"}}\n", "README.md": "# parts\n",
		"list.js": "exports.list = [\n  'nothing',\n];\n", "reg/reg.test.js": limitTest, "reg/names.js": "exports.name = 'weights';\n",
	}, s)
	rt, err := local.Open(t.Context(), local.Options{
		Dir: l.state, Workflows: []flow.Runnable{work.Workflow}, Handlers: l.actor.Handlers(), Blobs: l.blobs,
		Limits: flow.Limits{Lanes: map[string]int{"agents": 4, "checks": 2, "landing": 1}, Branches: 8}, Driver: "test", Version: "1", MaxWait: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close() })
	in, err := json.Marshal(step.WorkIn{Request: "r", Original: "r", Yes: true, Language: "en", Delivery: step.ToCommit, Budget: step.Budget{USD: 1}, Router: step.Router{PipelineTasks: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Start(t.Context(), flow.NewRun{ID: "run", Def: "work", In: in}); err != nil {
		t.Fatal(err)
	}
	st, err := rt.Drive(t.Context(), "run")
	if err != nil || st.State != flow.Done {
		t.Fatalf("the run ended as %+v, %v", st, err)
	}
	events, err := rt.Events(t.Context(), "run", 0)
	if err != nil {
		t.Fatal(err)
	}
	ends = map[string]step.TaskResult{}
	for _, e := range events {
		if e.Type != flow.EventNote {
			continue
		}
		if strings.HasSuffix(e.Key, ":result") {
			r := decode[step.TaskResult](t, e.Data)
			ends[r.ID] = r
		}
		if e.Key == "planned" { // with the needs that the program has added
			for _, l := range decode[step.WorkNote](t, e.Data).Tasks {
				i := slices.IndexFunc(s.parts, func(p part) bool { return p.task.ID == l.ID })
				s.parts[i].task.Needs = l.Needs
			}
		}
	}
	return l.project, decode[step.WorkOut](t, st.Out), ends
}

func decode[T any](t *testing.T, raw []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func gitOf(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestPlansLand builds random plans with authors who are wrong at first, who change one file at one place, and whose works
// are each green alone and red together. Every commit of the branch is green, and nothing that has landed is lost again. It takes
// longer than ten seconds: each plan is a run with real git and real tests.
func TestPlansLand(t *testing.T) { //nolint:tparallel // the plans are parallel; their group ends before its figures are looked at
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
			t.Fatal("node is not installed")
		}
		t.Skip("node is not installed: the sample projects are JavaScript, because its tests start fastest")
	}
	var mu sync.Mutex
	plans := 4
	if conformance.Has(t.Name()) {
		plans = 40
	}
	played, again, ended := 0, 0, map[step.Status]int{}
	t.Run("plans", func(t *testing.T) { // the group ends before its figures are looked at
		for seed := range plans {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				s := &simulated{parts: parts(rand.New(rand.NewPCG(uint64(seed), 3)))}
				project, out, ends := s.run(t)
				if s.bad != nil {
					t.Fatalf("the author itself failed: %v", s.bad)
				}
				s.judge(t, project, out, ends)
				mu.Lock()
				defer mu.Unlock()
				played++
				again += s.again
				for _, r := range ends {
					ended[r.Status]++
				}
			})
		}
	})
	t.Logf("ends %v, %d works sent back at landing", ended, again)
	if played < plans { // only some were asked for, or one failed
		return
	}
	if again < plans/3 || ended[step.Success] < 2*plans || ended[step.Warning] < plans/10 || ended[step.Blocked] < plans/20 {
		t.Errorf("ends %v, %d works sent back at landing: the dice do not reach what is to be seen", ended, again)
	}
}

// judge looks at the branch of a run, commit by commit.
func (s *simulated) judge(t *testing.T, project string, out step.WorkOut, ends map[string]step.TaskResult) {
	t.Helper()
	if dirt := gitOf(t, project, "status", "--porcelain"); dirt != "" {
		t.Errorf("the user's tree is not clean:\n%s", dirt)
	}
	landed := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(gitOf(t, project, "log", "--reverse", "--format=%H %(trailers:key=Jacquard-Run,valueonly,separator=%x2C)")), "\n")[1:] {
		commit, id, _ := strings.Cut(line, " ")
		id = path.Base(id)
		n, err := strconv.Atoi(strings.TrimPrefix(id, "TASK-"))
		if err != nil || landed[id] || ends[id].Commit != commit || s.parts[n].never {
			t.Fatalf("the commit %s is of %q, which ended as %+v; landed before: %v", commit, id, ends[id], landed)
		}
		for _, need := range s.parts[n].task.Needs {
			if !landed[need] {
				t.Errorf("%s landed before %s, which it needs", id, need)
			}
		}
		landed[id] = true
		gitOf(t, project, "checkout", "-q", commit)
		cmd := exec.Command("node", "--test")
		cmd.Dir = project
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("the commit of %s is red:\n%s", id, text)
		}
		for i, p := range s.parts {
			for name, text := range p.lines(i) {
				b, err := os.ReadFile(filepath.Join(project, name))
				if landed[p.task.ID] && !strings.Contains(string(b), text) {
					t.Errorf("the commit of %s lacks in %s what %s has brought (%v): %q in\n%s", id, name, p.task.ID, err, text, b)
				}
			}
		}
	}
	gitOf(t, project, "checkout", "-q", "main")
	for i, p := range s.parts {
		r := ends[p.task.ID]
		stop := slices.ContainsFunc(p.task.Needs, func(n string) bool { return !landed[n] })
		if (r.Commit != "") != landed[p.task.ID] || (r.Status == step.Success) != landed[p.task.ID] || stop != (r.Status == step.Blocked) {
			t.Errorf("%s ended as %+v, landed are %v", p.task.ID, r, landed)
		}
		if _, err := os.Stat(filepath.Join(project, fmt.Sprintf("m%d", i))); (err == nil) != landed[p.task.ID] {
			t.Errorf("%s landed: %v, its folder: %v", p.task.ID, landed[p.task.ID], err)
		}
	}
	if out.Done != len(landed) || out.Verified != (len(landed) == len(s.parts)) {
		t.Errorf("%+v with %v landed", out, landed)
	}
}
