package step

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/task"
)

// CompileIn is what a compile run is asked for.
type CompileIn struct {
	Paths     []string          `json:"paths,omitempty"` // only modules in these directories and below
	All       bool              `json:"all,omitempty"`
	Phase     Phase             `json:"phase"`
	Conflict  Conflict          `json:"conflict"`
	Languages map[string]string `json:"languages,omitempty"` // directory -> language
	TestFiles []string          `json:"test_files,omitempty"`
	SpecJSON  string            `json:"spec_json,omitempty"`
	Feedback  string            `json:"feedback,omitempty"` // text of the file of --feedback
	Budget    Budget            `json:"budget"`
	Delivery  Delivery          `json:"delivery"`
	Branch    string            `json:"branch,omitempty"`
	Pull      *PullIn           `json:"pull,omitempty"` // it ends with a pull request
	Today     string            `json:"today"`          // date for dated entries, YYYY-MM-DD
}

// Below is the list of one directory, none for the whole project.
func Below(dir string) []string {
	if dir == "" {
		return nil
	}
	return []string{dir}
}

// Limits reports whether a file is outside of what the run is limited to.
func (in CompileIn) Limits(file string) bool {
	return len(in.Paths) > 0 && !slices.ContainsFunc(in.Paths, func(dir string) bool { return file == dir || strings.HasPrefix(file, dir+"/") })
}

// Phase says which part of the work a run does.
type Phase string

// The phases of compile.
const (
	Full          Phase = "full"
	Red           Phase = "red"
	GreenRefactor Phase = "green-refactor"
)

// Conflict says what happens to files that exist and are not ours.
type Conflict string

// The ways to treat existing files.
const (
	KeepFiles Conflict = "skip"
	Overwrite Conflict = "overwrite"
)

// Delivery says how the result reaches the user.
type Delivery string

// The ways to deliver.
const (
	ToTree   Delivery = "tree"   // uncommitted, in the working tree
	ToCommit Delivery = "commit" // a commit on the user's branch
	ToBranch Delivery = "branch" // a branch of its own
	ToPull   Delivery = "pr"     // nowhere: it is published, see PullIn
)

// PlanOut is a compile plan: what is stale, in an order that can be built.
type PlanOut struct {
	Commit   string    `json:"commit"` // snapshot of the user's tree
	Tree     string    `json:"tree"`
	Modules  flow.Blob `json:"modules"` // []PlanModule
	Count    int       `json:"count"`
	UpToDate int       `json:"up_to_date"`
	Problems []Finding `json:"problems,omitempty"` // spec problems, bounded
	Broken   int       `json:"broken,omitempty"`   // modules left out because of problems
	Warnings []string  `json:"warnings,omitempty"`

	LeftOut
}

// LeftOut counts modules that a plan neither builds nor, but for the last kind, calls up to date: nobody has seen that
// what is there does what its spec says.
type LeftOut struct {
	Kept       int      `json:"kept,omitempty"`               // existing files stay although they fail
	Unverified int      `json:"unverified,omitempty"`         // there is code that the lock does not know
	Edited     int      `json:"edited,omitempty"`             // code or frozen tests were edited since they were proved
	Names      []string `json:"unverified_modules,omitempty"` // of those that are unverified, at most 20
	Unchecked  int      `json:"unchecked,omitempty"`          // up to date, by a record that somebody made without running anything
}

// Sum is how many modules are neither stale nor up to date.
func (l LeftOut) Sum() int { return l.Kept + l.Unverified + l.Edited }

// PlanModule is one module of a plan.
type PlanModule struct {
	Dir     string    `json:"dir"` // "." is the root
	Reason  string    `json:"reason"`
	Needs   []string  `json:"needs,omitempty"`   // modules of this run that come first
	Blocked string    `json:"blocked,omitempty"` // why it cannot be built at all
	Facts   flow.Blob `json:"facts"`             // Facts
}

// Item is one element of a spec that tests must cover.
type Item struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"` // behavior, contract, state, transition, export
	Text     string   `json:"text"`
	Category string   `json:"category,omitempty"` // success or error, for behaviours
	State    string   `json:"state,omitempty"`    // new, changed or unchanged since the last build
	Before   string   `json:"before,omitempty"`   // the text of a changed item at the last build, where it is known
	Tests    []string `json:"tests,omitempty"`    // ids of tests that were proved for it
}

// Limit reports whether it is a value or a limit that the code must hold: tests of it are asked for, and not every one can have one.
func (i Item) Limit() bool {
	return i.Kind == "constraint" || i.Kind == "constant" || i.Kind == "rationale" || i.Kind == "compatibility"
}

// Facts is everything about a module that its steps and prompts need.
type Facts struct {
	Dir        string    `json:"dir"`
	Name       string    `json:"name"`
	Spec       string    `json:"spec"`       // path of its CLAUDE.md
	Implements string    `json:"implements"` // path of its IMPLEMENTS.md
	Language   string    `json:"language"`
	Choices    []string  `json:"choices,omitempty"` // when the language cannot be told
	Toolchain  string    `json:"toolchain"`
	Items      []Item    `json:"items,omitempty"`
	Limits     []Item    `json:"limits,omitempty"`   // values and limits that are as they were: a test of one is recorded
	Removed    []string  `json:"removed,omitempty"`  // items that the spec no longer has
	Gone       []string  `json:"gone,omitempty"`     // the same for people: with their texts, where those are known
	Notes      *Doc      `json:"notes,omitempty"`    // implementation part of IMPLEMENTS.md
	Import     string    `json:"import,omitempty"`   // how the tests of a new module import it
	Links      []string  `json:"links,omitempty"`    // lines in files of others that make a new module part of the program
	Finish     []string  `json:"finish,omitempty"`   // commands that have to succeed beside the tests
	Obsolete   []string  `json:"obsolete,omitempty"` // tests of earlier builds that test nothing else
	Guarded    []string  `json:"guarded,omitempty"`  // tests of which every item is as it was
	Exports    []Export  `json:"exports,omitempty"`
	Constants  []Const   `json:"constants,omitempty"`
	Packages   []string  `json:"packages,omitempty"` // external packages that the spec names
	Missing    []string  `json:"missing,omitempty"`  // those that are not declared yet
	Tests      []string  `json:"tests,omitempty"`    // existing test files
	Sources    []string  `json:"sources,omitempty"`  // existing source files
	Kept       []string  `json:"kept,omitempty"`     // existing files that this run may not change
	TestPaths  []string  `json:"test_paths"`         // where new tests may go (globs)
	SrcPaths   []string  `json:"src_paths"`          // where new sources may go (globs)
	Example    []string  `json:"example,omitempty"`  // paths as a new file would be named
	Frozen     []File    `json:"frozen,omitempty"`   // tests that earlier builds froze
	Docs       []Doc     `json:"docs"`               // stable first: conventions, interfaces, the spec
	Convention bool      `json:"convention"`         // a convention asks for something a tool cannot do
	Commands   []string  `json:"commands,omitempty"` // commands that an agent may run
	RedDone    bool      `json:"red_done,omitempty"` // the lock has this module's tests as proved red
	Private    flow.Blob `json:"private"`            // what only the carrying out needs: paths, toolchain, lock line
}

// Export is a name that the spec promises.
type Export struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Signature string `json:"signature,omitempty"`
}

// Const is a constant or limit of the Domain Context that code must hold.
type Const struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Line  int    `json:"line,omitempty"`
}

// Beside reports whether two values are of the same sentence of a spec.
func (k Const) Beside(other Const) bool { return k.Line == other.Line && k.Name == other.Name }

// File is a file by its content.
type File struct {
	Path string `json:"path"`
	ID   string `json:"id"` // git's id of the raw bytes
}

// Plan finds what is stale and in which order to build it.
var Plan = flow.Step[CompileIn, PlanOut]{Name: "compile.plan", Lane: Landing}

// LanguageIn asks for a module's facts in a language that a person has said.
type LanguageIn struct {
	Compile  CompileIn `json:"compile"`
	Tree     string    `json:"tree"` // the snapshot that the plan was made for
	Dir      string    `json:"dir"`
	Language string    `json:"language"`
}

// LanguageOut holds the facts.
type LanguageOut struct {
	Facts flow.Blob `json:"facts"`
}

// Language makes a module's facts again, for another language.
var Language = flow.Step[LanguageIn, LanguageOut]{Name: "compile.language", Lane: Landing}

// PackagesIn asks for the external packages that a module's spec names.
type PackagesIn struct {
	Facts flow.Blob `json:"facts"`
}

// PackagesOut is the run's branch with the packages, and the module's facts
// with them. Commit is empty when nothing had to be added; findings say what
// cannot be had.
type PackagesOut struct {
	Head     HeadOut   `json:"head"`
	Commit   string    `json:"commit,omitempty"`
	Facts    flow.Blob `json:"facts"`
	Findings []Finding `json:"findings,omitempty"`
}

// Packages adds packages to manifest and lock file.
var Packages = flow.Step[PackagesIn, PackagesOut]{Name: "compile.packages", Lane: Landing}

// Claim is an author's statement that tests cover an item.
type Claim struct {
	Item  string   `json:"item"`
	Tests []string `json:"tests"`
}

// Unclear is a place where the spec left an author of tests in doubt.
type Unclear struct {
	Item     string `json:"item"`
	Question string `json:"question"`
	Reading  string `json:"reading"`
}

// PruneIn asks for a tree without a module's obsolete tests.
type PruneIn struct {
	Facts flow.Blob `json:"facts"`
	Tree  string    `json:"tree"`
}

// PruneOut is that tree, and the frozen files as they are in it.
type PruneOut struct {
	Tree    string   `json:"tree"`
	Frozen  []File   `json:"frozen,omitempty"`
	Removed []string `json:"removed,omitempty"` // ids of tests
}

// Prune removes the tests of items that the spec no longer has.
var Prune = flow.Step[PruneIn, PruneOut]{Name: "compile.prune", Lane: Checks}

// RedIn asks for the proof that tests fail for want of the implementation.
type RedIn struct {
	Facts   flow.Blob `json:"facts"`
	Base    string    `json:"base"`           // tree without the implementation
	From    string    `json:"from,omitempty"` // tree that the author worked on, when it is another one
	Tree    string    `json:"tree"`
	Claims  []Claim   `json:"claims,omitempty"`
	Unclear []string  `json:"unclear,omitempty"` // items of which the author says that the spec is in doubt, or worded anew
	HeldOut []HeldOut `json:"held_out,omitempty"`
	// Disputed are tests that may be corrected although what they test is as it was.
	Disputed []string `json:"disputed,omitempty"`
}

// RedOut is the proof of RED.
type RedOut struct {
	Passed    bool         `json:"passed"` // no rejecting finding, and at least one new test that fails or is already satisfied
	Tree      string       `json:"tree"`   // with kept files and removed tests put right
	Findings  []Finding    `json:"findings,omitempty"`
	Covered   []string     `json:"covered,omitempty"`   // items with a test that ran, is not empty and fails (or is frozen from before)
	Proved    []string     `json:"proved,omitempty"`    // those of them of which a test fails without the implementation
	Unread    []string     `json:"unread,omitempty"`    // test files that cannot be parsed
	Satisfied []string     `json:"satisfied,omitempty"` // tests that pass already
	Written   int          `json:"written"`             // new and changed tests
	Strong    int          `json:"strong"`              // those of them with a real assertion
	Counts    Counts       `json:"counts"`
	Failures  []TestResult `json:"failures,omitempty"`
	Frozen    []File       `json:"frozen,omitempty"`
	Skipped   []string     `json:"skipped,omitempty"` // kept files that the author changed and code put back
	Covers    flow.Blob    `json:"covers"`            // map from ids of tests to the items that they were proved for
	Records   flow.Blob    `json:"records"`
}

// ProveRed runs the new tests on the tree without the implementation.
var ProveRed = flow.Step[RedIn, RedOut]{Name: "compile.red", Lane: Checks}

// GreenIn asks for the proof that frozen tests pass.
type GreenIn struct {
	Facts   flow.Blob `json:"facts"`
	Base    string    `json:"base"`
	Tree    string    `json:"tree"`
	Frozen  []File    `json:"frozen"`
	HeldOut []HeldOut `json:"held_out,omitempty"`
	Before  string    `json:"before,omitempty"` // REFACTOR: the green tree whose exports must stay
	Report  string    `json:"report,omitempty"` // the author's own words, in which doubts are looked for
}

// HeldOut is a call that the author of the code does not see before it fails, with what it is to give.
type HeldOut = task.HeldOut

// Doubtful are the held-out calls that gave something else, of those that were worked out once only or not at all.
func Doubtful(held []HeldOut, results []Example) []HeldOut {
	out := slices.DeleteFunc(slices.Clone(held), func(h HeldOut) bool {
		return h.Sure || !slices.ContainsFunc(results, func(e Example) bool { return e.HeldOut && e.State == ExampleFails && e.Text == h.String() })
	})
	for _, e := range results {
		if e.Earlier != nil && !slices.ContainsFunc(held, func(h HeldOut) bool { return h.Call == e.Earlier.Call }) {
			out = append(out, *e.Earlier)
		}
	}
	return out
}

// Shown is a piece of code that has changed, FILE::FUNCTION or a file, and the tests that show it.
type Shown struct {
	Name  string   `json:"name"`
	Level Level    `json:"level"`
	Red   []string `json:"red,omitempty"`   // they fail without the change and pass with it
	Green []string `json:"green,omitempty"` // they pass with it
}

// ItemLevel is what is known of one item of a spec.
type ItemLevel struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Level Level  `json:"level"`
	Why   string `json:"why,omitempty"` // WhyCalled, WhyRed, or why it was not called
}

// Why an item is proved.
const (
	WhyCalled = "called"    // a program of the engine called the code with the values of the spec
	WhyRed    = "red-green" // a test fails without the code and passes with it
)

// What became of an example.
const (
	ExampleHolds  = "holds"
	ExampleFails  = "fails"
	ExampleNotRun = "not-run"
)

// Example is a behavior of the spec that was called with its literals, or could not be.
type Example struct {
	Item    string `json:"item"` // "" of a held-out call
	Text    string `json:"text"`
	State   string `json:"state"`         // holds, fails, not-run
	Why     string `json:"why,omitempty"` // what it gave, or why it was not run
	HeldOut bool   `json:"held_out,omitempty"`
	Before  bool   `json:"before,omitempty"` // it holds without the change, too, and so does not show it
	// Earlier is set where the call is a held-out one whose question is asked earlier, too, and gave something else: nobody has worked it out.
	Earlier *HeldOut `json:"earlier,omitempty"`
}

// GreenOut is the proof of GREEN or REFACTOR.
type GreenOut struct {
	Passed   bool         `json:"passed"`
	Tree     string       `json:"tree"`
	Findings []Finding    `json:"findings,omitempty"`
	Counts   Counts       `json:"counts"`
	Failures []TestResult `json:"failures,omitempty"`
	Skipped  []string     `json:"skipped,omitempty"`
	Baseline []string     `json:"baseline,omitempty"` // tests that failed before the run and still do; not in Failures
	Examples []Example    `json:"examples,omitempty"`
	Callable bool         `json:"callable,omitempty"` // the engine could call the code
	Records  flow.Blob    `json:"records"`
}

// ProveGreen builds, and runs the frozen tests on the tree.
var ProveGreen = flow.Step[GreenIn, GreenOut]{Name: "compile.green", Lane: Checks}

// FormatIn asks for formatter and linter on a module.
type FormatIn struct {
	Facts  flow.Blob `json:"facts"`
	Tree   string    `json:"tree"`
	Frozen []File    `json:"frozen"`
}

// FormatOut is the formatted tree.
type FormatOut struct {
	Tree     string    `json:"tree"`
	Changed  []string  `json:"changed,omitempty"`
	Findings []Finding `json:"findings,omitempty"` // what the linter says that no tool mends
	Records  flow.Blob `json:"records"`
}

// Format runs the project's formatter and linter.
var Format = flow.Step[FormatIn, FormatOut]{Name: "compile.format", Lane: Checks}

// MutateIn asks whether the frozen tests notice small changes.
type MutateIn struct {
	Facts  flow.Blob `json:"facts"`
	Base   string    `json:"base"` // functions that differ from here are mutated
	Tree   string    `json:"tree"`
	Frozen []File    `json:"frozen"`
}

// MutateOut says which mutants the tests noticed.
type MutateOut struct {
	Tried    int       `json:"tried"`
	Killed   int       `json:"killed"`
	Survived []Finding `json:"survived,omitempty"`
	Findings []Finding `json:"findings,omitempty"` // changed lines that the tests do not reach
	Limits   int       `json:"limits,omitempty"`   // survivors that change a limit only: < to <=
	Records  flow.Blob `json:"records"`
}

// Mutate measures the strength of tests.
var Mutate = flow.Step[MutateIn, MutateOut]{Name: "compile.mutate", Lane: Checks}

// Over are the newer notes, with the sections of n where the newer ones say nothing.
func (n Notes) Over(newer Notes) *Notes {
	if len(newer.Algorithm) == 0 {
		newer.Algorithm = n.Algorithm
	}
	if len(newer.Constants) == 0 {
		newer.Constants = n.Constants
	}
	if len(newer.Errors) == 0 {
		newer.Errors = n.Errors
	}
	if newer.State == (StateNote{}) {
		newer.State = n.State
	}
	newer.Guide = append(slices.Clone(n.Guide), newer.Guide...)
	return &newer
}

// Notes is what the author tells about an implementation, for IMPLEMENTS.md.
type Notes struct {
	Algorithm []string    `json:"algorithm,omitempty"`
	Constants []ConstNote `json:"constants,omitempty"`
	Errors    []ErrorNote `json:"errors,omitempty"`
	State     StateNote   `json:"state"`
	Guide     []string    `json:"guide,omitempty"`
}

// ConstNote is a row of Key Constants.
type ConstNote struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Rationale string `json:"rationale"`
	Affects   string `json:"affects,omitempty"`
}

// ErrorNote is a row of Error Handling.
type ErrorNote struct {
	Error    string `json:"error"`
	Retry    string `json:"retry"`
	Recovery string `json:"recovery"`
	LogLevel string `json:"log_level,omitempty"`
}

// StateNote is the State Management section.
type StateNote struct {
	Initial     string `json:"initial,omitempty"`
	Persistence string `json:"persistence,omitempty"`
	Cleanup     string `json:"cleanup,omitempty"`
}

// LandIn asks for a module's tree to be merged into the run's branch.
type LandIn struct {
	Facts  flow.Blob   `json:"facts"`
	From   string      `json:"from"` // commit that the work started at
	Tree   string      `json:"tree"`
	Frozen []File      `json:"frozen"`
	State  string      `json:"state"` // of the lock: built, red, kept
	Why    string      `json:"why,omitempty"`
	Notes  *Notes      `json:"notes,omitempty"`
	Covers []flow.Blob `json:"covers,omitempty"` // of the proofs of RED, see RedOut
	Today  string      `json:"today"`
	Title  string      `json:"title"`
}

// LandOut says whether the merged tree is proved and where it is.
type LandOut struct {
	Passed    bool         `json:"passed"`
	Commit    string       `json:"commit"`
	Tree      string       `json:"tree"`
	Conflicts []string     `json:"conflicts,omitempty"`
	Findings  []Finding    `json:"findings,omitempty"`
	Failures  []TestResult `json:"failures,omitempty"`
	Counts    Counts       `json:"counts"`
	Files     []Change     `json:"files,omitempty"`    // bounded
	Broken    []string     `json:"broken,omitempty"`   // tests of modules that use this one and fail with it
	Baseline  []string     `json:"baseline,omitempty"` // of those, the ones that failed before the run
	Implement bool         `json:"implements_updated"`
	Head      HeadOut      `json:"head"`  // of the run's branch, when it did not pass
	Start     string       `json:"start"` // then: that tree with the module's own files, without those in conflict
}

// Change is one file of a landed commit.
type Change struct {
	Path   string `json:"path"`
	Status string `json:"status"` // A, M, D, T
}

// Land merges, checks the merged tree and commits it on the run's branch.
var Land = flow.Step[LandIn, LandOut]{Name: "compile.land", Lane: Landing}

// ApplyIn asks for a landed commit to appear in the user's tree.
type ApplyIn struct {
	Module string `json:"module"`
	Commit string `json:"commit"`
}

// ApplyOut says what was written; a module with one file that changed
// meanwhile is not applied at all.
type ApplyOut struct {
	Applied   int      `json:"applied"`
	Conflicts []string `json:"conflicts,omitempty"`
}

// Apply writes a landed module into the user's working tree.
var Apply = flow.Step[ApplyIn, ApplyOut]{Name: "compile.apply", Lane: Landing}

// DeliverIn asks for the run's branch to be handed over.
type DeliverIn struct {
	How     Delivery `json:"how"`
	Branch  string   `json:"branch,omitempty"`
	Modules []string `json:"modules,omitempty"`
	Base    string   `json:"base"`         // snapshot that the run began with; "" = it began at a commit that others have
	On      string   `json:"on,omitempty"` // the branch that has to be checked out, where that matters
}

// DeliverOut says where the result is.
type DeliverOut struct {
	Ref    string `json:"ref"`
	Commit string `json:"commit"`
	Why    string `json:"why,omitempty"` // why it is not on the user's branch
	Moved  *Moved `json:"moved,omitempty"`
}

// Moved is what became of a branch of the user's.
type Moved struct {
	Branch string `json:"branch"` // "" for none that is checked out
	From   string `json:"from"`
	To     string `json:"to"`
	New    bool   `json:"new,omitempty"` // the branch was made, From is what it follows
}

// Deliver hands the run's branch over as commit or branch.
var Deliver = flow.Step[DeliverIn, DeliverOut]{Name: "compile.deliver", Lane: Landing}
