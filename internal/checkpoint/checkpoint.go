package checkpoint

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Item is one requirement with its priority.
type Item struct {
	Text     string `json:"text"`
	Priority string `json:"priority"` // MUST, SHOULD, COULD
}

// Requirement is a request as it was understood. Items are numbered by their positions: FR-01, NFR-01.
type Requirement struct {
	Title         string   `json:"title"`
	Type          string   `json:"type"` // of the commit, see task.Types
	Functional    []Item   `json:"functional"`
	NonFunctional []Item   `json:"nonfunctional,omitempty"`
	Constraints   []string `json:"constraints,omitempty"`
	SideEffects   []string `json:"side_effects,omitempty"`
}

// Component is a part of the software that is built or changed.
type Component struct {
	Name string `json:"name"`
	Path string `json:"path"` // file, or directory; "" for one outside of the project
	Does string `json:"does"`
}

// Choice is a technology, and why it is taken.
type Choice struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Difference is where proposals contradicted each other, and what was taken.
type Difference struct {
	Topic   string   `json:"topic"`
	Options []string `json:"options"`
	Chosen  string   `json:"chosen"`
	Why     string   `json:"why"`
}

// Proposal is the architecture that one designer would build.
type Proposal struct {
	Components []Component `json:"components"`
	Flow       string      `json:"flow"`
	Stack      []Choice    `json:"stack,omitempty"`
	Risks      []string    `json:"risks,omitempty"`
}

// Design is the architecture that is built, cut into checkpoints.
type Design struct {
	Proposal

	Agreements  []string     `json:"agreements,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	Checkpoints []Checkpoint `json:"checkpoints"`
}

// Interface is one signature of a contract, and the test that shows it.
type Interface struct {
	Path      string `json:"path"`
	Symbol    string `json:"symbol"` // bare name that the file declares
	Signature string `json:"signature"`
	Does      string `json:"does"`
	Test      string `json:"test"` // name of one of the contract's tests
}

// Test is one test of a contract.
type Test struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Shows string `json:"shows"`
}

// Checkpoint is one piece of work with its contract: what it offers, the tests that show it, and the command that has to
// succeed.
type Checkpoint struct {
	ID         string      `json:"id"` // cp-1
	Title      string      `json:"title"`
	Scope      string      `json:"scope"`
	Covers     []string    `json:"covers"` // ids of requirements
	Interfaces []Interface `json:"interfaces,omitempty"`
	Tests      []Test      `json:"tests,omitempty"`
	Validation string      `json:"validation"` // command line
	Expected   string      `json:"expected"`
	Files      []task.File `json:"files"`               // that it may change; its tests need not be named
	Forbidden  []string    `json:"forbidden,omitempty"` // that it must not change whatever happens
	Needs      []string    `json:"needs,omitempty"`     // ids of checkpoints
}

// Most is how many checkpoints a design may have.
const Most = 20

// ID is the name of the nth checkpoint, from 0.
func ID(n int) string { return "cp-" + strconv.Itoa(n+1) }

// TestFiles are the files of a checkpoint's contract, each once.
func (k Checkpoint) TestFiles() []string {
	var out []string
	for _, t := range k.Tests {
		if !slices.Contains(out, t.Path) {
			out = append(out, t.Path)
		}
	}
	return out
}

// Offered are those of held-out calls that begin with something that the checkpoint offers.
func (k Checkpoint) Offered(calls []task.HeldOut) []task.HeldOut {
	return slices.DeleteFunc(slices.Clone(calls), func(h task.HeldOut) bool {
		return !slices.ContainsFunc(k.Interfaces, func(x Interface) bool { return first(h.Call) == first(x.Symbol) })
	})
}

// first is the first name of a call or of a symbol.
func first(s string) string {
	name, _, _ := strings.Cut(s, "(")
	name, _, _ = strings.Cut(strings.TrimSpace(name), ".")
	return name
}

// Checklist is what has to be found in the tree when the checkpoint is done.
func (k Checkpoint) Checklist() []pdca.Check {
	var out []pdca.Check
	for i, x := range k.Interfaces {
		out = append(out, pdca.Check{ID: fmt.Sprintf("%s/%d", k.ID, i+1), Path: x.Path, Symbol: x.Symbol, Behaviour: x.Does})
	}
	return out
}

// Check says what a program can see to be wrong with a design: every component has an interface, every interface a test,
// every checkpoint a command and what is expected of it, and no file is allowed and forbidden. Whether the paths, needs and
// commands are right, task.Check says of Tasks.
func Check(d Design) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(d.Checkpoints) == 0 {
		say("There is no checkpoint.")
	}
	if len(d.Checkpoints) > Most {
		say("%d checkpoints are more than %d; make larger ones.", len(d.Checkpoints), Most)
	}
	if strings.TrimSpace(d.Flow) == "" {
		say("`flow` is empty: say what goes in, where it passes, what comes out.")
	}
	owner := map[string]string{} // of test files
	for _, k := range d.Checkpoints {
		for _, p := range checkOne(k) {
			say("%s: %s", k.ID, p)
		}
		for _, f := range k.TestFiles() {
			if o := owner[f]; o != "" {
				say("%s: the test file %s also belongs to %s; put the tests of two checkpoints in two files.", k.ID, f, o)
			}
			owner[f] = k.ID
		}
	}
	for _, c := range d.Components {
		if strings.TrimSpace(c.Name) == "" || strings.TrimSpace(c.Does) == "" {
			say("A component has no name, or does not say what it does.")
		}
		if c.Path != "" && toolchain.IsSource(c.Path) && !d.offers(c.Path) {
			say("The component %s (%s) has no interface in any checkpoint.", c.Name, c.Path)
		}
	}
	return out
}

// offers reports whether a checkpoint has an interface in a file.
func (d Design) offers(file string) bool {
	return slices.ContainsFunc(d.Checkpoints, func(k Checkpoint) bool {
		return slices.ContainsFunc(k.Interfaces, func(i Interface) bool { return i.Path == file })
	})
}

func checkOne(k Checkpoint) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	owns := func(p string) bool {
		return slices.ContainsFunc(k.Files, func(f task.File) bool { return f.Path == p })
	}
	if strings.TrimSpace(k.Scope) == "" {
		say("`scope` is empty: say what is built.")
	}
	if strings.TrimSpace(k.Validation) == "" || strings.TrimSpace(k.Expected) == "" {
		say("It has no validation: give a command and its expected result.")
	}
	for _, i := range k.Interfaces {
		switch {
		case strings.TrimSpace(i.Symbol) == "" || strings.TrimSpace(i.Signature) == "":
			say("An interface in %s has no symbol or no signature.", i.Path)
		case !name().MatchString(i.Symbol):
			say("The symbol %q is not a plain name: write Total, or Cart.Total for a method.", i.Symbol)
		case !owns(i.Path):
			say("The interface %s is in %s, which is not one of its files.", i.Symbol, i.Path)
		case !slices.ContainsFunc(k.Tests, func(t Test) bool { return t.Name == i.Test }):
			say("The interface %s names the test %q, which is not one of its tests.", i.Symbol, i.Test)
		}
	}
	for _, t := range k.Tests {
		switch {
		case strings.TrimSpace(t.Name) == "" || strings.TrimSpace(t.Shows) == "":
			say("A test in %s has no name, or does not say what it shows.", t.Path)
		case !toolchain.IsTest(t.Path):
			say("%s is not a test file, by its name and folder.", t.Path)
		}
	}
	for _, p := range k.Forbidden {
		if slices.ContainsFunc(k.Files, func(f task.File) bool { return Holds(p, f.Path) }) {
			say("%s is forbidden, but one of its files should change.", p)
		}
	}
	return out
}

// Holds reports whether a path is what a pattern names: the file, or a directory that it is in.
func Holds(pattern, file string) bool {
	pattern = strings.TrimSuffix(pattern, "/**")
	return file == pattern || strings.HasPrefix(file, strings.TrimSuffix(pattern, "/")+"/")
}

// Numbered gives the checkpoints their names by their positions, and cleans their paths. Needs that name another kind of id
// (checkpoint-1, CP 1) are read.
func (d *Design) Numbered() {
	for i := range d.Checkpoints {
		k := &d.Checkpoints[i]
		k.ID = ID(i)
		for j, n := range k.Needs {
			if m := anyID().FindStringSubmatch(n); m != nil {
				k.Needs[j] = "cp-" + m[1]
			}
		}
		for j := range k.Files {
			k.Files[j].Path = clean(k.Files[j].Path)
		}
		for j := range k.Tests {
			k.Tests[j].Path = clean(k.Tests[j].Path)
		}
		for j := range k.Interfaces {
			k.Interfaces[j].Path, k.Interfaces[j].Symbol = clean(k.Interfaces[j].Path), bare(k.Interfaces[j].Symbol)
		}
		k.Files = slices.DeleteFunc(k.Files, func(f task.File) bool { return slices.Contains(k.TestFiles(), f.Path) })
	}
}

// bare is the name of a symbol as code looks for it: Fake.Reset for (f *Fake) Reset() error.
func bare(s string) string {
	s = strings.TrimSpace(s)
	if m := receiver().FindStringSubmatch(s); m != nil {
		s = m[1] + "." + m[2]
	}
	return strings.TrimSuffix(s, "()")
}

func clean(p string) string {
	if p = strings.TrimSpace(p); p == "" {
		return ""
	}
	return strings.TrimPrefix(path.Clean(p), "./")
}

var (
	anyID    = re.New(`(?i)^(?:cp|checkpoint)[-_ ]?0*([1-9][0-9]*)$`)
	receiver = re.New(`^\(\s*(?:\w+\s+)?\*?\s*(\w+)(?:\[[^\]]*\])?\s*\)\s*\.?\s*(\w+)`)
	name     = re.New(`^[\p{L}_$#][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$#][\p{L}\p{N}_$]*)*[?!]?$`)
	oneTask  = re.New(`\btask(s?)\b`)
	taskID   = re.New(`TASK-0*([1-9][0-9]*)`)
)

// Tasks are the checkpoints as task.Check takes them: TASK-01 for cp-1. Their contracts' tests are files like any other;
// what exists of them is changed and what does not is created.
func (d Design) Tasks(exists func(path string) bool) []task.Task {
	id := func(cp string) string {
		if n, err := strconv.Atoi(strings.TrimPrefix(cp, "cp-")); err == nil {
			return fmt.Sprintf("TASK-%02d", n)
		}
		return cp
	}
	var out []task.Task
	for _, k := range d.Checkpoints {
		t := task.Task{ID: id(k.ID), Title: k.Title, Scope: k.Scope, Covers: k.Covers, Files: slices.Clone(k.Files), Verify: []string{k.Validation}}
		for _, p := range k.TestFiles() {
			f := task.File{Path: p, Action: task.Create}
			if exists(p) {
				f.Action = task.Modify
			}
			t.Files = append(t.Files, f)
		}
		for _, n := range k.Needs {
			t.Needs = append(t.Needs, id(n))
		}
		out = append(out, t)
	}
	return out
}

// Ordered takes the needs over that code has added to Tasks: of two checkpoints that change one file the later one waits.
func (d *Design) Ordered(tasks []task.Task) {
	for _, t := range tasks {
		i := slices.IndexFunc(d.Checkpoints, func(k Checkpoint) bool { return k.ID == Renamed(t.ID) })
		if i < 0 {
			continue
		}
		d.Checkpoints[i].Needs = nil
		for _, n := range t.Needs {
			d.Checkpoints[i].Needs = append(d.Checkpoints[i].Needs, Renamed(n))
		}
	}
}

// Renamed is a text about Tasks in the names of checkpoints.
func Renamed(text string) string {
	return oneTask().ReplaceAllString(taskID().ReplaceAllString(text, "cp-$1"), "checkpoint$1")
}

// The strategies of the state file: how the checkpoints are built.
const (
	Direct     = "direct"      // one after the other
	Subagent   = "subagent"    // side by side, as far as their needs and files allow
	AgentTeams = "agent-teams" // the same, for many
)

// Strategies are all of them.
var Strategies = []string{Direct, Subagent, AgentTeams}

// manyCheckpoints is from where a design is one for teams.
const manyCheckpoints = 5

// Strategy chooses how checkpoints are built, and says why. The first rule that holds counts: one, or all on one file, are
// direct; five or more are for teams; the rest is built side by side.
func Strategy(list []Checkpoint) (strategy, why string) {
	if len(list) == 1 {
		return Direct, "one checkpoint"
	}
	if p := common(list); p != "" {
		return Direct, "all change " + p
	}
	if len(list) >= manyCheckpoints {
		return AgentTeams, fmt.Sprintf("%d checkpoints", len(list))
	}
	return Subagent, fmt.Sprintf("%d checkpoints on different files", len(list))
}

// common is a file that all checkpoints change, "" for none.
func common(list []Checkpoint) string {
	if len(list) == 0 {
		return ""
	}
	for _, f := range list[0].Files {
		all := !slices.ContainsFunc(list, func(k Checkpoint) bool {
			return !slices.ContainsFunc(k.Files, func(o task.File) bool { return o.Path == f.Path })
		})
		if all {
			return f.Path
		}
	}
	return ""
}

// Waits are the checkpoints that one waits for: those that it needs, and with the direct strategy the one before it.
func Waits(list []Checkpoint, strategy, id string) []string {
	i := slices.IndexFunc(list, func(k Checkpoint) bool { return k.ID == id })
	if i < 0 {
		return nil
	}
	out := slices.Clone(list[i].Needs)
	if order := InOrder(list); strategy == Direct {
		if at := slices.Index(order, id); at > 0 && !slices.Contains(out, order[at-1]) {
			out = append(out, order[at-1])
		}
	}
	return out
}

// InOrder are the ids in an order in which they can be built.
func InOrder(list []Checkpoint) []string {
	var out []string
	for _, t := range task.Order(Design{Checkpoints: list}.Tasks(func(string) bool { return false })) {
		out = append(out, Renamed(t))
	}
	return out
}

// Configures reports whether a file says how a project is built, tested or checked: nobody changes one because a machine's
// output names it.
func Configures(p string) bool { return toolchain.ConfigKindOf(p) != toolchain.NoConfig }
