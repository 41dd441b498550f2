// Package task is the graph of tasks that a request is cut into: who needs whom, which files each may touch, in which
// order they can be built, and what each is told of those before it. It is pure; what it has to know of the project it
// is given.
package task

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Action says what a task does to a file.
type Action string

// The actions of the plan's files.
const (
	Create Action = "CREATE"
	Modify Action = "MODIFY"
	Delete Action = "DELETE"
)

// File is one file that a task owns while it is built.
type File struct {
	Path        string `json:"path"` // from the project's root, "/" separators
	Action      Action `json:"action"`
	Description string `json:"description,omitempty"`
}

// Paths are those of files.
func Paths(files []File) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.Path
	}
	return out
}

// Criterion is what has to hold in the end, and the command that shows it, where there is one.
type Criterion struct {
	Text    string `json:"text"`
	Command string `json:"command,omitempty"`
}

// HeldOut is a call that the author of the code does not see before it fails, with what it is to give: the author of its tests, or of its
// plan, has worked it out.
type HeldOut struct {
	Call  string `json:"call"`  // an export with literals, or a command: "$ ./tally 1 2"
	Gives string `json:"gives"` // a literal, or a word for an error; of a command the text that it prints
	// Sure says that its author has worked it out twice.
	Sure bool `json:"sure,omitempty"`
	// Told says that the author of the code was told of it, because his code gave something else.
	Told bool `json:"told,omitempty"`
}

// Settled reports whether a proof has decided about it.
func (h HeldOut) Settled() bool { return h.Sure || h.Told }

// String is the call with what it is to give.
func (h HeldOut) String() string { return h.Call + " → " + h.Gives }

// amount is a number as Python and Java write those of a class for it: it equals the number, however many zeros it ends with.
var amount = re.New(`(?:\bnew )?\b(?:Big)?Decimal\(["']?(-?\d[\d.]*)["']?\)`)

// Command is the line of a command, ok is false for a call.
func (h HeldOut) Command() (line string, ok bool) {
	return strings.CutPrefix(strings.TrimSpace(h.Call), "$ ")
}

// Result is what the call is to give, with numbers as all languages write them: 1.50 for Decimal("1.50"). Of a command it is the text that
// it prints in quotes, without white space at the end, or error.
func (h HeldOut) Result() string {
	gives := strings.TrimSpace(h.Gives)
	if _, ok := h.Command(); ok {
		return printed(gives)
	}
	if strings.HasPrefix(gives, `"`) { // a text
		return gives
	}
	return amount().ReplaceAllString(gives, "$1")
}

// printed is a text that a command prints, as JSON: one may have been written without quotes.
func printed(gives string) string {
	if gives == "error" {
		return gives
	}
	var text string
	if json.Unmarshal([]byte(strings.ReplaceAll(gives, "\n", `\n`)), &text) != nil { // also with line breaks that are none of JSON
		text = gives
	}
	raw, _ := json.Marshal(strings.TrimRight(text, " \t\r\n")) // a text always is JSON
	return string(raw)
}

// Task is one piece of work that ends in one commit.
type Task struct {
	ID       string      `json:"id"`             // TASK-00
	Type     string      `json:"type,omitempty"` // of the commit: feat, fix, …
	Title    string      `json:"title"`
	Scope    string      `json:"scope"`
	Needs    []string    `json:"needs,omitempty"` // ids that have to be landed first
	Files    []File      `json:"files,omitempty"`
	Covers   []string    `json:"covers,omitempty"` // ids of requirements and criteria
	Criteria []Criterion `json:"criteria,omitempty"`
	Verify   []string    `json:"verify,omitempty"` // further command lines
	HeldOut  []HeldOut   `json:"held_out,omitempty"`
	// VerifyOnly says that the task changes nothing and only shows that something holds.
	VerifyOnly bool `json:"verify_only,omitempty"`
}

// Numbered are the ids of n items of a kind: FR-01, FR-02.
func Numbered(kind string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s-%02d", kind, i+1)
	}
	return out
}

// Text is all that the task says in words.
func (t Task) Text() string {
	out := []string{t.Title, t.Scope}
	for _, c := range t.Criteria {
		out = append(out, c.Text)
	}
	return strings.Join(out, "\n")
}

// Owns reports whether the task's files have a path.
func (t Task) Owns(p string) bool {
	return slices.ContainsFunc(t.Files, func(f File) bool { return f.Path == p })
}

// Commands are the command lines that have to succeed when the task is done: its own, and those of its criteria.
func (t Task) Commands() []string {
	out := slices.Clone(t.Verify)
	for _, k := range t.Criteria {
		if k.Command != "" && !slices.Contains(out, k.Command) {
			out = append(out, k.Command)
		}
	}
	return out
}

// Facts is what a plan is checked against.
type Facts struct {
	// Exists reports whether the project has a file at a path.
	Exists func(path string) bool
	// Runs says why a command line cannot be run, "" when it can.
	Runs func(line string) string
	// Items are the ids that have to be covered: functional requirements and acceptance criteria.
	Items []string
	// Known are further ids that may be covered.
	Known []string
	// Landed are the tasks whose files are in the project already.
	Landed []string
	// Most is how many tasks there may be, 0 for MaxTasks.
	Most int
}

// Limits of a plan.
const (
	MaxTasks = 200
	MaxFiles = 60 // of one task
)

// Problem is what is wrong with a plan. Task is empty where it is about the whole.
type Problem struct {
	Task string
	Text string
}

// Edge is a need that code has added: two tasks own one file.
type Edge struct {
	From, To string // From needs To
	Path     string
}

// Types are the types of commits that a task may have.
var Types = []string{"feat", "fix", "test", "docs", "refactor", "chore"}

// otherTypes are what people call types besides.
var otherTypes = map[string]string{
	"perf": "refactor", "performance": "refactor", "style": "refactor", "build": "chore", "ci": "chore", "deps": "chore", "bug": "fix", "bugfix": "fix", "doc": "docs", "tests": "test",
}

// TypeOf is a type of commits, feat where it is none.
func TypeOf(said string) string {
	if said = cmp.Or(otherTypes[said], said); slices.Contains(Types, said) {
		return said
	}
	return "feat"
}

// Check says what is wrong with a plan, in the order of its tasks. Where nothing is, it gives the plan with the needs that
// it lacks: of two tasks that own one file and have no order, the later one needs the earlier.
func Check(tasks []Task, f Facts) (plan []Task, added []Edge, problems []Problem) {
	c := checker{tasks: tasks, f: f, byID: map[string]int{}}
	c.shape()
	c.coverage()
	if c.broken {
		return nil, nil, c.problems
	}
	plan = clone(tasks)
	if loop := newGraph(plan).cycle(); len(loop) > 0 {
		c.say(Task{}, "the tasks depend on each other in a cycle: %s", strings.Join(loop, " → "))
		return nil, nil, c.problems
	}
	plan, added = disjoint(plan, f.Landed)
	c.tasks = plan
	c.files(newGraph(plan))
	if len(c.problems) > 0 {
		return nil, nil, c.problems
	}
	return plan, added, nil
}

func clone(tasks []Task) []Task {
	out := slices.Clone(tasks)
	for i := range out {
		out[i].Needs = slices.Clone(out[i].Needs)
	}
	return out
}

type checker struct {
	tasks    []Task
	f        Facts
	byID     map[string]int
	problems []Problem
	broken   bool // ids or needs are wrong, so that there is no graph to go on with
}

// ruin is say for what leaves no graph.
func (c *checker) ruin(t Task, format string, args ...any) {
	c.broken = true
	c.say(t, format, args...)
}

func (c *checker) say(t Task, format string, args ...any) {
	c.problems = append(c.problems, Problem{t.ID, fmt.Sprintf(format, args...)})
}

// shape checks each task by itself.
func (c *checker) shape() {
	if len(c.tasks) == 0 {
		c.ruin(Task{}, "there is no task")
	}
	if most := cmp.Or(c.f.Most, MaxTasks); len(c.tasks) > most {
		c.ruin(Task{}, "%d tasks are more than %d; make larger ones, or ask for less at once", len(c.tasks), most)
	}
	for i, t := range c.tasks {
		if _, twice := c.byID[t.ID]; !isID(t.ID) { // it becomes names of files and of branches
			c.ruin(t, "the id is not of the form TASK-00")
		} else if twice {
			c.ruin(t, "the id appears twice")
		}
		c.byID[t.ID] = i
	}
	for _, t := range c.tasks {
		if strings.TrimSpace(t.Title) == "" {
			c.say(t, "it has no title")
		}
		if t.Type != "" && !slices.Contains(Types, t.Type) {
			c.say(t, "the type %q is not one of %s", t.Type, strings.Join(Types, ", "))
		}
		if len(t.Files) == 0 && !t.VerifyOnly {
			c.say(t, "it names no files; a task that changes nothing says verify_only")
		}
		if len(t.Files) > 0 && t.VerifyOnly {
			c.say(t, "it is verify_only, but names files")
		}
		if t.VerifyOnly && len(t.Commands()) == 0 {
			c.say(t, "it is verify_only, but has no verify command")
		}
		if len(t.Files) > MaxFiles {
			c.say(t, "%d files are more than %d; split it", len(t.Files), MaxFiles)
		}
		for _, n := range t.Needs {
			if _, known := c.byID[n]; n == t.ID {
				c.ruin(t, "it needs itself")
			} else if !known && !slices.Contains(c.f.Landed, n) {
				c.ruin(t, "it needs %s, which is not a task of the plan", n)
			}
		}
		for _, v := range t.Commands() {
			if why := c.f.Runs(v); why != "" {
				c.say(t, "the command %q cannot be run: %s", v, why)
			}
		}
		c.paths(t)
	}
}

func (c *checker) paths(t Task) {
	seen := map[string]bool{}
	for _, f := range t.Files {
		switch {
		case !local(f.Path):
			c.say(t, "%q is not a file path inside the project, relative to its root", f.Path)
		case seen[f.Path]:
			c.say(t, "%s appears twice", f.Path)
		case f.Action != Create && f.Action != Modify && f.Action != Delete:
			c.say(t, "%s: the action %q is not one of CREATE, MODIFY, DELETE", f.Path, f.Action)
		}
		seen[f.Path] = true
	}
}

// isID reports whether s is TASK- with two digits or more.
func isID(s string) bool {
	digits, ok := strings.CutPrefix(s, "TASK-")
	return ok && len(digits) > 1 && strings.Trim(digits, "0123456789") == ""
}

// local reports whether p is a clean relative path of a file that is not git's or ours.
func local(p string) bool {
	if p == "" || path.IsAbs(p) || path.Clean(p) != p || p == "." || strings.ContainsFunc(p, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }) {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if low := strings.ToLower(part); part == ".." || low == ".git" || low == ".jacquard" {
			return false
		}
	}
	first, _, _ := strings.Cut(p, "/")
	return !strings.EqualFold(first, "works")
}

func (c *checker) coverage() {
	covered := map[string]bool{}
	for _, t := range c.tasks {
		for _, id := range t.Covers {
			if !slices.Contains(c.f.Items, id) && !slices.Contains(c.f.Known, id) {
				c.say(t, "it covers %s, which the requirement does not have", id)
			}
			covered[id] = true
		}
	}
	for _, id := range c.f.Items {
		if !covered[id] {
			c.say(Task{}, "no task covers %s", id)
		}
	}
}

// files checks the actions in the order of the plan: what is to be created must not be there, what is to be changed must.
func (c *checker) files(g graph) {
	order := g.order()
	for i, t := range c.tasks {
		before := g.ancestors(i)
		last := func(p string) (a Action, ok bool) { // what is done to a file last; its owners stand in one row
			for _, j := range order {
				for _, f := range c.tasks[j].Files {
					if f.Path == p && slices.Contains(before, j) {
						a, ok = f.Action, true
					}
				}
			}
			return a, ok
		}
		for _, f := range t.Files {
			if !local(f.Path) || f.Action != Create && f.Action != Modify && f.Action != Delete {
				continue // said already
			}
			there := c.f.Exists(f.Path)
			if a, ok := last(f.Path); ok {
				there = a != Delete
			}
			switch {
			case there && f.Action == Create:
				c.say(t, "%s is marked CREATE but already exists; use MODIFY", f.Path)
			case !there && f.Action != Create:
				c.say(t, "%s does not exist, and no task before this one creates it", f.Path)
			}
		}
	}
}

// disjoint adds a need where two tasks without an order between them own one file.
func disjoint(plan []Task, landed []string) (out []Task, added []Edge) {
	owners := map[string][]int{}
	for _, i := range newGraph(plan).order() {
		if slices.Contains(landed, plan[i].ID) {
			continue
		}
		for _, f := range plan[i].Files {
			owners[f.Path] = append(owners[f.Path], i)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(owners)) {
		list := owners[p]
		for k := 1; k < len(list); k++ {
			a, b := list[k-1], list[k]
			if slices.Contains(newGraph(plan).ancestors(b), a) {
				continue
			}
			plan[b].Needs = append(plan[b].Needs, plan[a].ID)
			added = append(added, Edge{From: plan[b].ID, To: plan[a].ID, Path: p})
		}
	}
	return plan, added
}

// graph is the needs of tasks by position.
type graph struct {
	tasks []Task
	needs [][]int
}

func newGraph(tasks []Task) graph {
	at := make(map[string]int, len(tasks))
	for i, t := range tasks {
		at[t.ID] = i
	}
	g := graph{tasks: tasks, needs: make([][]int, len(tasks))}
	for i, t := range tasks {
		for _, n := range t.Needs {
			if j, ok := at[n]; ok {
				g.needs[i] = append(g.needs[i], j)
			}
		}
	}
	return g
}

// order is the tasks so that each follows what it needs, else as they are given. Tasks of a circle are left out.
func (g graph) order() []int {
	var out []int
	done := make([]bool, len(g.tasks))
	for {
		more := false
		for i := range g.tasks {
			if !done[i] && !slices.ContainsFunc(g.needs[i], func(j int) bool { return !done[j] }) {
				done[i], more = true, true
				out = append(out, i)
			}
		}
		if !more {
			return out
		}
	}
}

// cycle is the ids of tasks that depend on each other in a cycle, the first one again at the end; nil without one.
func (g graph) cycle() []string {
	ordered := g.order()
	if len(ordered) == len(g.tasks) {
		return nil
	}
	at := 0
	for slices.Contains(ordered, at) {
		at++
	}
	seen := map[int]int{}
	var way []int
	for {
		if from, ok := seen[at]; ok {
			way = append(way[from:], at)
			break
		}
		seen[at] = len(way)
		way = append(way, at)
		for _, n := range g.needs[at] {
			if !slices.Contains(ordered, n) {
				at = n
				break
			}
		}
	}
	out := make([]string, len(way))
	for i, w := range way {
		out[i] = g.tasks[w].ID
	}
	return out
}

// ancestors are the tasks that come before task i.
func (g graph) ancestors(i int) (out []int) {
	for open := slices.Clone(g.needs[i]); len(open) > 0; open = open[1:] {
		if n := open[0]; n != i && !slices.Contains(out, n) {
			out, open = append(out, n), append(open, g.needs[n]...)
		}
	}
	return out
}

// Order is the ids of the tasks in an order in which they can be built.
func Order(tasks []Task) []string {
	var out []string
	for _, i := range newGraph(tasks).order() {
		out = append(out, tasks[i].ID)
	}
	return out
}

// Depth is the number of tasks on the longest way through the plan.
func Depth(tasks []Task) int {
	g := newGraph(tasks)
	deep, most := make([]int, len(tasks)), 0
	for _, i := range g.order() {
		deep[i] = 1
		for _, n := range g.needs[i] {
			deep[i] = max(deep[i], deep[n]+1)
		}
		most = max(most, deep[i])
	}
	return most
}

// Detail says how much of a task before it the author of a task is told.
type Detail string

// The details of the sliding window: the last one in full, the one before in short, older ones not at all.
const (
	Full    Detail = "FULL"
	Summary Detail = "SUMMARY"
)

// Seen is a task before another one, with how much is told of it.
type Seen struct {
	ID     string
	Detail Detail
}

// Window is what the author of a task is told of those before it: by their distance in the graph, nearest first. With
// several parents each of them is the last one.
func Window(tasks []Task, id string) []Seen {
	g := newGraph(tasks)
	at := slices.IndexFunc(tasks, func(t Task) bool { return t.ID == id })
	if at < 0 {
		return nil
	}
	var out []Seen
	add := func(i int, d Detail) {
		if !slices.ContainsFunc(out, func(o Seen) bool { return o.ID == tasks[i].ID }) {
			out = append(out, Seen{tasks[i].ID, d})
		}
	}
	for _, p := range g.needs[at] {
		add(p, Full)
	}
	for _, p := range g.needs[at] {
		for _, q := range g.needs[p] {
			add(q, Summary)
		}
	}
	return out
}

// Accept gives the command that shows a criterion to the last of the tasks that cover it, which then needs the others:
// only when all are in place can the command hold. One that holds after each task (always), such as that all tests pass,
// goes to all of them and orders nothing. commands are by the id of the criterion.
func Accept(tasks []Task, commands map[string]string, always func(command string) bool) (plan []Task, added []string) {
	plan = clone(tasks)
	order := newGraph(plan).order()
	for _, id := range slices.Sorted(maps.Keys(commands)) {
		var covering []int
		for _, i := range order {
			if slices.Contains(plan[i].Covers, id) {
				covering = append(covering, i)
			}
		}
		if len(covering) == 0 {
			continue
		}
		last := covering[len(covering)-1]
		for _, i := range covering {
			if (i == last || always(commands[id])) && !slices.Contains(plan[i].Commands(), commands[id]) {
				plan[i].Verify = append(slices.Clone(plan[i].Verify), commands[id])
			}
		}
		if always(commands[id]) {
			continue
		}
		for _, b := range covering[:len(covering)-1] {
			if !slices.Contains(newGraph(plan).ancestors(last), b) {
				plan[last].Needs = append(plan[last].Needs, plan[b].ID)
				added = append(added, fmt.Sprintf("%s needs %s: both cover %s, which is shown when both are in place", plan[last].ID, plan[b].ID, id))
			}
		}
	}
	return plan, added
}
