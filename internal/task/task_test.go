package task_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/task"
)

// project is a project with files in which every program but "nowhere" is there.
func project(files ...string) task.Facts {
	return task.Facts{
		Exists: func(p string) bool { return slices.Contains(files, p) },
		Runs: func(line string) string {
			if strings.HasPrefix(line, "nowhere") {
				return "there is no program nowhere"
			}
			return ""
		},
	}
}

// of makes a task that needs others and touches files, each written as "C path", "M path" or "D path".
func of(n int, needs string, files ...string) task.Task {
	t := task.Task{ID: id(n), Type: "feat", Title: "a title"}
	for _, f := range strings.Fields(needs) {
		t.Needs = append(t.Needs, "TASK-0"+f)
	}
	for _, f := range files {
		kind, p, _ := strings.Cut(f, " ")
		t.Files = append(t.Files, task.File{Path: p, Action: map[string]task.Action{"C": task.Create, "M": task.Modify, "D": task.Delete}[kind]})
	}
	return t
}

func id(n int) string { return fmt.Sprintf("TASK-%02d", n) }

// with changes a task.
func with(t task.Task, change func(*task.Task)) task.Task {
	change(&t)
	return t
}

func many(n int) []task.Task {
	var out []task.Task
	for i := range n {
		out = append(out, of(i, "", fmt.Sprintf("C f%d.go", i)))
	}
	return out
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const self = "a.go"
	verifies := task.Task{ID: id(0), Title: "a title", VerifyOnly: true, Verify: []string{"go vet"}}
	for _, c := range []struct {
		name  string
		tasks []task.Task
		facts func(*task.Facts)
		want  []string // "TASK-00: text"; none: the plan is sound
	}{
		{name: "sound", tasks: []task.Task{of(0, "", "C b.go"), of(1, "0", "M b.go", "M a.go"), of(2, "1", "D b.go")}},
		{name: "no task", want: []string{": there is no task"}},
		{name: "200 tasks", tasks: many(200)},
		{name: "201 tasks", tasks: many(201), want: []string{": 201 tasks are more than 200; make larger ones, or ask for less at once"}},
		{name: "an id twice", tasks: []task.Task{of(0, "", "C b.go"), of(0, "", "C c.go")}, want: []string{"TASK-00: the id appears twice"}},
		{
			// Ids become names of files and keys of the run: an edited plan may say anything.
			name: "ids of another form",
			tasks: []task.Task{
				with(of(0, "", "C b.go"), func(t *task.Task) { t.ID = "../../etc" }), with(of(0, "", "C c.go"), func(t *task.Task) { t.ID = "" }),
				with(of(0, "", "C d.go"), func(t *task.Task) { t.ID = "TASK-1" }), with(of(0, "", "C e.go"), func(t *task.Task) { t.ID = "TASK-0x" }),
			},
			want: []string{
				"../../etc: the id is not of the form TASK-00", ": the id is not of the form TASK-00", "TASK-1: the id is not of the form TASK-00",
				"TASK-0x: the id is not of the form TASK-00",
			},
		},
		{name: "three digits", tasks: []task.Task{with(of(0, "", "C b.go"), func(t *task.Task) { t.ID = "TASK-100" })}},
		{name: "no title", tasks: []task.Task{with(of(0, "", "C b.go"), func(t *task.Task) { t.Title = " \t" })}, want: []string{"TASK-00: it has no title"}},
		{name: "no type", tasks: []task.Task{with(of(0, "", "C b.go"), func(t *task.Task) { t.Type = "" })}},
		{
			name: "unknown type", tasks: []task.Task{with(of(0, "", "C b.go"), func(t *task.Task) { t.Type = "magic" })},
			want: []string{`TASK-00: the type "magic" is not one of feat, fix, test, docs, refactor, chore`},
		},
		{name: "no files", tasks: []task.Task{of(0, "")}, want: []string{"TASK-00: it names no files; a task that changes nothing says verify_only"}},
		{name: "61 files", tasks: []task.Task{with(of(0, ""), func(t *task.Task) {
			for i := range task.MaxFiles + 1 {
				t.Files = append(t.Files, task.File{Path: fmt.Sprint("f", i), Action: task.Create})
			}
		})}, want: []string{"TASK-00: 61 files are more than 60; split it"}},
		{name: "verify only", tasks: []task.Task{verifies}},
		{name: "verify only without a command", tasks: []task.Task{with(verifies, func(t *task.Task) { t.Verify = nil })}, want: []string{"TASK-00: it is verify_only, but has no verify command"}},
		{name: "verify only with files", tasks: []task.Task{with(verifies, func(t *task.Task) { t.Files = of(0, "", "M a.go").Files })}, want: []string{"TASK-00: it is verify_only, but names files"}},
		{
			name: "a command that cannot be run", tasks: []task.Task{with(of(0, "", "C b.go"), func(t *task.Task) { t.Verify = []string{"go vet", "nowhere x"} })},
			want: []string{`TASK-00: the command "nowhere x" cannot be run: there is no program nowhere`},
		},
		{name: "needs itself", tasks: []task.Task{of(0, "0", "C b.go")}, want: []string{"TASK-00: it needs itself"}},
		{name: "needs an unknown one", tasks: []task.Task{of(0, "7", "C b.go")}, want: []string{"TASK-00: it needs TASK-07, which is not a task of the plan"}},
		{name: "needs one that has landed", tasks: []task.Task{of(0, "7", "C b.go")}, facts: func(f *task.Facts) { f.Landed = []string{"TASK-07"} }},
		{
			name: "a circle", tasks: []task.Task{of(0, "", "C b.go"), of(1, "0 3", "C c.go"), of(2, "1", "C d.go"), of(3, "2", "C e.go"), of(4, "3", "C f.go")},
			want: []string{": the tasks depend on each other in a cycle: TASK-01 → TASK-03 → TASK-02 → TASK-01"},
		},
		{
			// The first task that cannot be ordered is below the circle and no part of it.
			name: "a circle above", tasks: []task.Task{of(0, "2", "C b.go"), of(1, "2", "C c.go"), of(2, "1", "C d.go")},
			want: []string{": the tasks depend on each other in a cycle: TASK-02 → TASK-01 → TASK-02"},
		},
		{name: "covered", tasks: []task.Task{with(of(0, "", "C b.go"), func(t *task.Task) { t.Covers = []string{"FR-01", "NFR-01"} })}, facts: func(f *task.Facts) {
			f.Items, f.Known = []string{"FR-01"}, []string{"NFR-01"}
		}},
		{name: "not covered", tasks: []task.Task{of(0, "", "C b.go")}, facts: func(f *task.Facts) { f.Items = []string{"FR-01"} }, want: []string{": no task covers FR-01"}},
		{
			name: "covers what is not there", tasks: []task.Task{with(of(0, "", "C b.go"), func(t *task.Task) { t.Covers = []string{"FR-02"} })},
			want: []string{"TASK-00: it covers FR-02, which the requirement does not have"},
		},
		{
			// Both are told at once, so that an author does not come back for the second.
			name: "shape and coverage", tasks: []task.Task{of(0, "")}, facts: func(f *task.Facts) { f.Items = []string{"AC-01"} },
			want: []string{"TASK-00: it names no files; a task that changes nothing says verify_only", ": no task covers AC-01"},
		},
		{name: "a file twice", tasks: []task.Task{of(0, "", "C b.go", "C b.go")}, want: []string{"TASK-00: b.go appears twice"}},
		{name: "an unknown action", tasks: []task.Task{of(0, "", "X b.go")}, want: []string{`TASK-00: b.go: the action "" is not one of CREATE, MODIFY, DELETE`}},
		{name: "create what is there", tasks: []task.Task{of(0, "", "C a.go")}, want: []string{"TASK-00: a.go is marked CREATE but already exists; use MODIFY"}},
		{name: "modify what is not there", tasks: []task.Task{of(0, "", "M b.go")}, want: []string{"TASK-00: b.go does not exist, and no task before this one creates it"}},
		{name: "delete what is not there", tasks: []task.Task{of(0, "", "D b.go")}, want: []string{"TASK-00: b.go does not exist, and no task before this one creates it"}},
		{
			// They would be built side by side: the second gets a need, and then finds the file.
			name: "create in two tasks", tasks: []task.Task{of(0, "", "C b.go"), of(1, "", "C b.go")},
			want: []string{"TASK-01: b.go is marked CREATE but already exists; use MODIFY"},
		},
		{name: "modify what an ancestor creates", tasks: []task.Task{of(0, "", "C b.go"), of(1, "0", "C c.go"), of(2, "1", "M b.go")}},
		{name: "create what an ancestor deletes", tasks: []task.Task{of(0, "", "D a.go"), of(1, "0", "C a.go")}},
		{
			name: "modify what an ancestor deletes", tasks: []task.Task{of(0, "", "D a.go"), of(1, "0", "M a.go")},
			want: []string{"TASK-01: a.go does not exist, and no task before this one creates it"},
		},
		{
			// The last one needs the creator itself as well: what counts is not who is nearest in
			// the graph, but who is built last.
			name: "created, deleted, created", tasks: []task.Task{of(0, "", "C b.go"), of(1, "0", "D b.go"), of(2, "0 1", "C b.go")},
		},
		{
			name: "created, deleted, modified", tasks: []task.Task{of(0, "", "C b.go"), of(1, "0", "D b.go"), of(2, "0 1", "M b.go")},
			want: []string{"TASK-02: b.go does not exist, and no task before this one creates it"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := project(self)
			if c.facts != nil {
				c.facts(&f)
			}
			plan, _, problems := task.Check(c.tasks, f)
			var got []string
			for _, p := range problems {
				got = append(got, p.Task+": "+p.Text)
			}
			if !slices.Equal(got, c.want) {
				t.Fatalf("problems:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if (len(plan) == 0) != (len(c.want) > 0) {
				t.Errorf("%d tasks of a plan with the problems %q", len(plan), got)
			}
		})
	}
}

// TestPaths: a plan names files inside the project only, and never git's or our own.
func TestTypeOf(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{"fix": "fix", "perf": "refactor", "ci": "chore", "improvement": "feat", "": "feat"} {
		if got := task.TypeOf(said); got != want {
			t.Errorf("%q is %s, want %s", said, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		"", ".", "..", "/etc/passwd", "../a.go", "a/../b.go", "a/../../b.go", "./a.go", "a//b.go", "a/", `a\b.go`, "a\nb", "a\x00b",
		".git/hooks/pre-commit", ".git", "sub/.git/config", ".GIT/config", ".jacquard/journal.db", "works", "works/WORK-01/PLAN.md", "Works/WORK-01/PLAN.md",
	} {
		_, _, problems := task.Check([]task.Task{{ID: id(0), Title: "x", Files: []task.File{{Path: p, Action: task.Create}}}}, project())
		want := fmt.Sprintf("%q is not a file path inside the project, relative to its root", p)
		if len(problems) != 1 || problems[0].Text != want {
			t.Errorf("%q: %v, want %q", p, problems, want)
		}
	}
	for _, p := range []string{"a.go", "a/b.go", ".gitignore", ".github/workflows/ci.yml", "worksheet/a.go", "src/works/a.go", "a..b", "..a/b"} {
		if _, _, problems := task.Check([]task.Task{{ID: id(0), Title: "x", Files: []task.File{{Path: p, Action: task.Create}}}}, project()); len(problems) > 0 {
			t.Errorf("%q: %v, want none", p, problems)
		}
	}
}

func TestAddedNeeds(t *testing.T) {
	t.Parallel()
	given := []task.Task{of(0, "", "M a.go"), of(1, "", "M a.go", "M b.go"), of(2, "0", "M b.go"), of(3, "2", "M a.go")}
	plan, added, problems := task.Check(given, project("a.go", "b.go"))
	want := []task.Edge{
		{From: id(1), To: id(0), Path: "a.go"},
		{From: id(3), To: id(1), Path: "a.go"},
		{From: id(2), To: id(1), Path: "b.go"},
	}
	if len(problems) > 0 || !slices.Equal(added, want) {
		t.Fatalf("added %v (%v), want %v", added, problems, want)
	}
	if got := plan[2].Needs; !slices.Equal(got, []string{id(0), id(1)}) {
		t.Errorf("the needs of %s are %v, want both", plan[2].ID, got)
	}
	if len(given[1].Needs)+len(given[3].Needs) != 1 {
		t.Errorf("the plan that was given has been changed: %v", given)
	}
	// What has landed is in the project; nothing waits for it on account of its files.
	f := project("a.go", "b.go")
	f.Landed = []string{id(0)}
	if _, added, _ := task.Check(given[:2], f); len(added) > 0 {
		t.Errorf("added %v for a task that has landed", added)
	}
}

// random is an acyclic plan of at most most tasks, in any order, whose tasks own any of a few files.
func random(rnd *rand.Rand, most int) []task.Task {
	n := 1 + rnd.IntN(most)
	name := rnd.Perm(n) // the order of ids is not that of the needs
	out := make([]task.Task, n)
	for i := range n {
		t := task.Task{ID: id(name[i]), Title: "x"}
		for j := range i {
			if rnd.IntN(4) == 0 {
				t.Needs = append(t.Needs, id(name[j]))
			}
		}
		for f := range 5 {
			if rnd.IntN(4) == 0 || f == 0 && i%3 == 0 {
				t.Files = append(t.Files, task.File{Path: fmt.Sprintf("f%d", f), Action: task.Modify})
			}
		}
		if t.VerifyOnly = len(t.Files) == 0; t.VerifyOnly {
			t.Verify = []string{"go vet"}
		}
		out[name[i]] = t
	}
	return out
}

// reach are all tasks that a task needs, directly or not.
func reach(plan []task.Task, from string) map[string]bool {
	out := map[string]bool{}
	var walk func(string)
	walk = func(at string) {
		i := slices.IndexFunc(plan, func(t task.Task) bool { return t.ID == at })
		for _, n := range plan[i].Needs {
			if !out[n] {
				out[n] = true
				walk(n)
			}
		}
	}
	walk(from)
	return out
}

// TestAddedNeedsOfAnyPlan: needs are only added where two tasks own one file and nothing orders them, afterwards all
// owners of a file stand in one row, and no circle is ever closed.
func TestAddedNeedsOfAnyPlan(t *testing.T) {
	t.Parallel()
	edges := 0
	for seed := range 1500 {
		given := random(rand.New(rand.NewPCG(uint64(seed), 1)), 14)
		plan, added, problems := task.Check(given, project("f0", "f1", "f2", "f3", "f4"))
		if len(problems) > 0 {
			t.Fatalf("seed %d: %v", seed, problems)
		}
		edges += len(added)
		if order := task.Order(plan); len(order) != len(given) {
			t.Fatalf("seed %d: a circle is closed: %v of %v", seed, order, plan)
		}
		for i, was := range given {
			if !slices.Equal(plan[i].Needs[:len(was.Needs)], was.Needs) {
				t.Fatalf("seed %d: %s needed %v, and now %v", seed, was.ID, was.Needs, plan[i].Needs)
			}
		}
		for i, a := range plan {
			for _, b := range plan[i+1:] {
				if slices.ContainsFunc(a.Files, func(f task.File) bool { return b.Owns(f.Path) }) && !reach(plan, a.ID)[b.ID] && !reach(plan, b.ID)[a.ID] {
					t.Fatalf("seed %d: %s and %s own one file and have no order", seed, a.ID, b.ID)
				}
			}
		}
		for _, e := range added {
			if reach(given, e.From)[e.To] {
				t.Fatalf("seed %d: %v was there already", seed, e)
			}
		}
	}
	if edges < 1500 {
		t.Errorf("only %d needs were added: the dice do not reach it", edges)
	}
}

// TestOrderOfAnyPlan: each task follows what it needs, and the longest way through the plan is counted.
func TestOrderOfAnyPlan(t *testing.T) {
	t.Parallel()
	for seed := range 500 {
		plan := random(rand.New(rand.NewPCG(uint64(seed), 2)), 14)
		deep, most := map[string]int{}, 0
		order := task.Order(plan)
		for _, at := range order {
			i := slices.IndexFunc(plan, func(t task.Task) bool { return t.ID == at })
			deep[at] = 1
			for _, n := range plan[i].Needs {
				if deep[n] == 0 {
					t.Fatalf("seed %d: %s comes before %s, which it needs", seed, at, n)
				}
				deep[at] = max(deep[at], deep[n]+1)
			}
			most = max(most, deep[at])
		}
		if got := task.Depth(plan); len(order) != len(plan) || got != most {
			t.Fatalf("seed %d: depth %d, want %d; %d of %d tasks", seed, got, most, len(order), len(plan))
		}
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	plan := []task.Task{of(0, "2"), of(1, ""), of(2, ""), of(3, "1 2")}
	if got, want := task.Order(plan), []string{id(1), id(2), id(3), id(0)}; !slices.Equal(got, want) {
		t.Errorf("order = %v, want %v", got, want)
	}
	if got := task.Depth(plan); got != 2 {
		t.Errorf("depth = %d, want 2", got)
	}
	if got := task.Depth(nil); got != 0 {
		t.Errorf("depth of nothing = %d", got)
	}
	if got := task.Order([]task.Task{of(0, "1"), of(1, "0"), of(2, "")}); !slices.Equal(got, []string{id(2)}) {
		t.Errorf("order with a circle = %v, want only what is outside of it", got)
	}
	if of(0, "", "M a.go").Owns("b.go") || !of(0, "", "M a.go").Owns("a.go") {
		t.Error("a task owns its files and no others")
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	full := func(n int) task.Seen { return task.Seen{ID: id(n), Detail: task.Full} }
	short := func(n int) task.Seen { return task.Seen{ID: id(n), Detail: task.Summary} }
	row := []task.Task{of(0, ""), of(1, "0"), of(2, "1"), of(3, "2")}
	diamond := []task.Task{of(0, ""), of(1, "0"), of(2, "0"), of(3, "2 1"), of(4, "3 0")}
	for _, c := range []struct {
		name string
		plan []task.Task
		of   int
		want []task.Seen
	}{
		{"the first", row, 0, nil},
		{"the last alone", row, 1, []task.Seen{full(0)}},
		{"the last, and the one before", row, 2, []task.Seen{full(1), short(0)}},
		{"older ones are dropped", row, 3, []task.Seen{full(2), short(1)}},
		{"two parents, one before both", diamond, 3, []task.Seen{full(2), full(1), short(0)}},
		{"a parent that is before another parent is told in full", diamond, 4, []task.Seen{full(3), full(0), short(2), short(1)}},
		{"a need that is named twice is told once", []task.Task{of(0, ""), of(1, "0 0")}, 1, []task.Seen{full(0)}},
		{"a need that is not in the plan", []task.Task{of(0, ""), of(1, "7 0")}, 1, []task.Seen{full(0)}},
		{"an unknown task", row, 9, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := task.Window(c.plan, id(c.of)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("window = %v, want %v", got, c.want)
			}
		})
	}
}

// TestAccept: a command that shows a criterion runs when all is in place that it is about; one that holds after each task
// orders nothing.
func TestAccept(t *testing.T) {
	t.Parallel()
	covers := func(tk task.Task, ids ...string) task.Task { tk.Covers = ids; return tk }
	always := func(c string) bool { return c == "go test ./..." }
	for _, c := range []struct {
		name     string
		plan     []task.Task
		commands map[string]string
		needs    [][]string // of each task afterwards
		runs     [][]string
		added    int
	}{
		{"nobody covers it", []task.Task{of(0, "")}, map[string]string{"AC-01": "x"}, [][]string{nil}, [][]string{nil}, 0},
		{"one covers it", []task.Task{covers(of(0, ""), "AC-01")}, map[string]string{"AC-01": "x"}, [][]string{nil}, [][]string{{"x"}}, 0},
		{
			"two side by side",
			[]task.Task{covers(of(0, ""), "AC-01"), covers(of(1, ""), "AC-01")},
			map[string]string{"AC-01": "x"},
			[][]string{nil, {id(0)}},
			[][]string{nil, {"x"}},
			1,
		},
		{
			"two in a row",
			[]task.Task{covers(of(0, "1"), "AC-01"), covers(of(1, ""), "AC-01")},
			map[string]string{"AC-01": "x"},
			[][]string{{id(1)}, nil},
			[][]string{{"x"}, nil},
			0,
		},
		{
			"all tests",
			[]task.Task{covers(of(0, ""), "AC-01"), covers(of(1, ""), "AC-01"), of(2, "")},
			map[string]string{"AC-01": "go test ./..."},
			[][]string{nil, nil, nil},
			[][]string{{"go test ./..."}, {"go test ./..."}, nil},
			0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan, added := task.Accept(c.plan, c.commands, always)
			for i := range plan {
				if !slices.Equal(plan[i].Needs, c.needs[i]) || !slices.Equal(plan[i].Commands(), c.runs[i]) {
					t.Errorf("%s needs %v and runs %v, want %v and %v", plan[i].ID, plan[i].Needs, plan[i].Commands(), c.needs[i], c.runs[i])
				}
			}
			if len(added) != c.added {
				t.Errorf("added %q, want %d", added, c.added)
			}
		})
	}
	own := covers(of(0, ""), "AC-01")
	own.Criteria = []task.Criterion{{Text: "x holds", Command: "x"}, {Text: "a person sees it"}}
	if plan, _ := task.Accept([]task.Task{own}, map[string]string{"AC-01": "x"}, always); !slices.Equal(plan[0].Commands(), []string{"x"}) {
		t.Errorf("a command that the task has already is there twice: %v", plan[0].Commands())
	}
}
