package step

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// PlanNote is the fact noted when a compile plan is known.
type PlanNote struct {
	Count    int        `json:"count"`
	UpToDate int        `json:"up_to_date"`
	Modules  []string   `json:"modules,omitempty"` // at most 200
	Reasons  []string   `json:"reasons,omitempty"` // one a module
	Needs    [][]string `json:"needs,omitempty"`   // of each module, those of the plan that come first
	Warnings []string   `json:"warnings,omitempty"`
	Problems []Finding  `json:"problems,omitempty"`

	LeftOut
}

// Verified reports whether the plan leaves nothing but what is up to date: no module that nobody has proved, no error.
func (p PlanNote) Verified() bool {
	return p.Sum() == 0 && !slices.ContainsFunc(p.Problems, func(f Finding) bool { return f.Severity == Rejects })
}

// AttemptNote is the fact noted when an attempt of a phase was judged by code.
type AttemptNote struct {
	Phase    string       `json:"phase"` // red, green, refactor, strength, land
	Attempt  int          `json:"attempt"`
	Passed   bool         `json:"passed"`
	Score    int          `json:"score,omitempty"`
	Counts   Counts       `json:"counts"`
	Findings []Finding    `json:"findings,omitempty"`
	Failures []TestResult `json:"failures,omitempty"`
	Usage    Usage        `json:"usage"`
	Text     string       `json:"text,omitempty"`
	Summary  string       `json:"summary,omitempty"` // the author's own words; nothing is decided on them
	Left     *Left        `json:"left,omitempty"`    // of an attempt that did not pass
}

// Left is what an attempt that did not pass has left: for a person to look at, and for a later run to begin with.
type Left struct {
	Base   string          `json:"base"`             // tree that it changes
	Tree   string          `json:"tree"`             // with what it has changed
	Said   string          `json:"said,omitempty"`   // by its author, for people
	Answer json.RawMessage `json:"answer,omitempty"` // of its author
	Tests  *TestsFirst     `json:"tests,omitempty"`
	// HeldOut are the calls that counted for it in the end, worked out from the words For.
	HeldOut []HeldOut `json:"held_out,omitempty"`
	For     string    `json:"for,omitempty"`
}

// TestsFirst are tests that another author has written before the code, and that stay as they are.
type TestsFirst struct {
	Base  string   `json:"base"` // tree without them
	Tree  string   `json:"tree"` // with them, and without the code
	Files []string `json:"files"`
	Says  string   `json:"says,omitempty"` // their author
}

// CameFirst is the description of a file with such tests among the files of a task: its author cannot change them.
const CameFirst = "tests that came first"

// Readable is a text of somebody else for a terminal: what cannot be printed is shown as such, so that nothing hides what is
// read. A tab, which programs indent with, is spaces.
func Readable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return '�'
		}
		return r
	}, strings.ReplaceAll(s, "\t", "    "))
}

// Status is the end of a module.
type Status string

// The ends of a module.
const (
	Success Status = "success"
	Warning Status = "warning" // not delivered, or delivered with something to look at: see Reason
	Blocked Status = "blocked" // something it needs was not built
)

// ModuleResult is the end of one module. The JSON names are those of the
// result files.
type ModuleResult struct {
	Dir         string       `json:"target_dir"`
	Spec        string       `json:"claude_md_path"`
	Implements  string       `json:"implements_md_path"`
	Language    string       `json:"detected_language"`
	Phase       Phase        `json:"phase"`
	Status      Status       `json:"status"`
	Delivered   bool         `json:"delivered"`
	Reason      string       `json:"reason,omitempty"` // red, green, conflict, land, blocked, budget, …
	Generated   []string     `json:"generated_files"`
	Skipped     []string     `json:"skipped_files"`
	Overwritten []string     `json:"overwritten_files"`
	TestFiles   []string     `json:"test_files"`
	Tests       Counts       `json:"tests"`
	RetryCount  int          `json:"retry_count"`
	Updated     bool         `json:"implements_md_updated"`
	Score       int          `json:"review_score"`
	Commit      string       `json:"commit,omitempty"`
	Tree        string       `json:"tree,omitempty"`
	Findings    []Finding    `json:"findings,omitempty"`
	Failures    []TestResult `json:"failures,omitempty"`
	Baseline    []string     `json:"baseline,omitempty"`  // tests that failed before the run and still do; charged to nobody
	NotRun      []string     `json:"not_run,omitempty"`   // linters and formatters that the project has and this machine has not
	Summary     string       `json:"summary,omitempty"`   // the author's own words
	Unclear     []Unclear    `json:"unclear,omitempty"`   // where the spec left the author of the tests in doubt
	Disputed    []Finding    `json:"disputed,omitempty"`  // tests that the author of the code held to be wrong, and what came of it
	Unproved    bool         `json:"unproved,omitempty"`  // something that is new or has changed has neither a test nor a call
	Conflicts   []string     `json:"conflicts,omitempty"` // files that the user changed during the run
	Mutants     Mutants      `json:"mutants"`
	HeldOut     Called       `json:"held_out"`        // calls that the author of the code did not know
	Items       []ItemLevel  `json:"items,omitempty"` // what is known of each item of the spec, of delivered code
	Usage       Usage        `json:"usage"`
}

// Mutants is the measured strength of a module's tests.
type Mutants struct {
	Tried  int `json:"tried"`
	Killed int `json:"killed"`
}

// Called counts held-out calls: those that were written, those of them that could be made, and those that gave what was wanted.
type Called struct {
	Written int    `json:"written"`
	Made    int    `json:"made"`
	Held    int    `json:"held"`
	Why     string `json:"why,omitempty"` // the first that could not be made, and why, in one line
}

// CountCalls counts held-out calls by their results. One that is written twice is one.
func CountCalls(written []HeldOut, results []Example) Called {
	state := map[string]Example{}
	for _, e := range results {
		if old, ok := state[e.Text]; e.HeldOut && (!ok || old.State == ExampleNotRun) { // another module may have made it
			state[e.Text] = e
		}
	}
	var out Called
	seen := map[string]bool{}
	for _, h := range written {
		if seen[h.String()] {
			continue
		}
		seen[h.String()] = true
		out.Written++
		e, ok := state[h.String()]
		if !ok {
			e = Example{State: ExampleNotRun, Why: "it calls nothing that has changed"}
		}
		if e.State == ExampleNotRun {
			out.Why = cmp.Or(out.Why, oneLine(h.Call+": "+e.Why, 300))
			continue
		}
		out.Made++
		if e.State == ExampleHolds {
			out.Held++
		}
	}
	return out
}

// Uncalled are the first of the examples that could not be called and were not kept from anybody.
func Uncalled(results []Example) []Example {
	const most = 10
	var out []Example
	for _, e := range results {
		if !e.HeldOut && e.State == ExampleNotRun && len(out) < most {
			e.Text, e.Why = oneLine(e.Text, 200), oneLine(e.Why, 200)
			out = append(out, e)
		}
	}
	return out
}

// oneLine is a text in one line of at most n letters.
func oneLine(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}

// CompileOut is the end of a compile run.
type CompileOut struct {
	Outcome
	LeftOut

	Modules   int `json:"modules"`
	Succeeded int `json:"succeeded"`
	Warned    int `json:"warned"`
	Weak      int `json:"weak"` // of those that warned: delivered all the same, with items that no test is for, or weak tests
	Blocked   int `json:"blocked"`
	Broken    int `json:"broken"` // left out because of spec problems
	UpToDate  int `json:"up_to_date"`
	Generated int `json:"generated_files"`
	Skipped   int `json:"skipped_files"`
	Passed    int `json:"tests_passed"`
	Failed    int `json:"tests_failed"`
}
