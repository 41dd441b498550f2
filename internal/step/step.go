// Package step holds the words of a workflow: name, lane, input and output of
// every step, and the facts that workflows note for people. A decider asks in
// these words, act answers in them, report reads them.
package step

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// Lanes are the classes of work that are limited separately.
const (
	Agents  = "agents"  // paid turns
	Checks  = "checks"  // builds and tests
	Landing = "landing" // one at a time
)

// Severity says what a finding does to an attempt.
type Severity string

// The severities of findings.
const (
	Rejects Severity = "reject" // the attempt does not count
	Asks    Severity = "ask"    // goes back to the author; when it stays, the attempt counts only if a person accepts it
	Fix     Severity = "fix"    // goes back to the author; listed when it stays
	Warn    Severity = "warn"   // listed
)

// Finding is one thing that a check or the audit has to say about a tree,
// with a sentence for the next attempt.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Path     string   `json:"path,omitempty"`
	Line     int      `json:"line,omitempty"` // from 1; 0 = the whole file
	Message  string   `json:"message"`
}

// Has reports whether one of the findings is of a severity.
func Has(list []Finding, severity Severity) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Severity == severity })
}

// TestStatus is how a test ended.
type TestStatus string

// The ends of a test.
const (
	Pass  TestStatus = "pass"
	Fail  TestStatus = "fail"
	Skip  TestStatus = "skip"
	Error TestStatus = "error" // it could not run: a compile failure, a crash
	Flake TestStatus = "flake" // failed and passed on one tree; never counts as a pass
)

// TestResult is the end of one test. ID is as the runner names it, with its file.
type TestResult struct {
	ID      string     `json:"id"`
	File    string     `json:"file,omitempty"`
	Status  TestStatus `json:"status"`
	Message string     `json:"message,omitempty"`
	Millis  int64      `json:"millis,omitempty"`
}

// Counts sums test results.
type Counts struct {
	Total   int `json:"total"`
	Passed  int `json:"passed"`
	Failed  int `json:"failed"` // includes errors
	Skipped int `json:"skipped"`
	Flaky   int `json:"flaky,omitempty"`
	// Level is how much they show of a change, Red how many new ones fail without it.
	Level Level `json:"level,omitempty"`
	Red   int   `json:"red,omitempty"`
	// HeldOut are the calls that the author of the code did not know.
	HeldOut Called `json:"held_out,omitzero"`
	// Uncalled are examples in the request or in criteria that could not be called.
	Uncalled []Example `json:"uncalled,omitempty"`
	// Reused is set when none of the tests was run for it.
	Reused Reused `json:"reused,omitzero"`
}

// Begins reports whether a command line is one of those that an author may run, or begins with one.
func Begins(line string, allowed []string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool { return line == a || strings.HasPrefix(line, a+" ") })
}

// Reused says where the result of a check is from that was not run, because it had been for the same tree, command, tools and
// environment: the proof that it was a part of, and its age in milliseconds.
type Reused struct {
	Proof  string `json:"proof"`
	Millis int64  `json:"millis"`
}

// Record is one command that the engine ran itself. It is valid for its tree only.
type Record struct {
	Name      string    `json:"name"`
	Argv      []string  `json:"argv"`
	Text      string    `json:"text,omitempty"`  // the command as a person would type it
	Shows     Shows     `json:"shows,omitempty"` // on which tree of a proof it ran
	Dir       string    `json:"dir"`
	Env       []string  `json:"env,omitempty"` // names only
	Started   int64     `json:"started"`       // Unix milliseconds
	Millis    int64     `json:"millis"`
	Exit      int       `json:"exit"`
	Signal    string    `json:"signal,omitempty"`
	Ended     string    `json:"ended,omitempty"` // why it ended, when not by itself
	Output    flow.Blob `json:"output"`
	Tree      string    `json:"tree"`
	TreeAfter string    `json:"tree_after,omitempty"` // set when the command changed tracked files: then it does not count
	Toolchain string    `json:"toolchain,omitempty"`
	Version   string    `json:"version,omitempty"` // of its program, as that tells it
	Sandbox   string    `json:"sandbox,omitempty"` // what kept it from the rest of the machine: full, partial, outside or off
	Reused    Reused    `json:"reused,omitzero"`
	Level     Level     `json:"level,omitempty"` // what a run of tests shows, where that is less than each test by itself
}

// Shows is what a command of a proof was run on.
type Shows string

// What the commands of a proof are run on.
const (
	OnBaseline Shows = "baseline" // nothing has changed
	OnBefore   Shows = "before"   // the tree before the change
	OnTask     Shows = "task"     // the change of a task
	OnJudged   Shows = "judge"    // a change that nobody planned
	OnWithout  Shows = "without"  // the tests of a change without its code
	OnRed      Shows = "red"      // new tests alone, with stubs
	OnGreen    Shows = "green"    // tests and code
	OnRestored Shows = "restored" // the change, with the tests that were before
	OnExamples Shows = "examples" // the code, called with the examples of its spec
	OnVerify   Shows = "verify"   // the change, with the commands of its plan
	OnMutants  Shows = "mutants"  // small changes of the code
	OnGoals    Shows = "goals"    // the change, with commands that measure a goal
	OnEndToEnd Shows = "e2e"      // the program that was built
	OnFormat   Shows = "format"   // the formatter
	OnAdd      Shows = "add"      // a new dependency
)

// Level is how much is known of something that was asked for, or how much a run of tests shows.
type Level string

// The levels, from the most to the least.
const (
	// Proved: a program of the engine called it and it gave what the spec says, or a test fails without the code and passes with it.
	Proved Level = "proved"
	// Covered: a test looks at it and passes.
	Covered Level = "covered"
	// ByExit: a command that gives no report ended well, which says nothing of any single test.
	ByExit Level = "exit code"
	// NotChecked: no program has looked.
	NotChecked Level = "not checked"
)

// Doc is a document shown to an agent, by reference; its text is data.
type Doc struct {
	Title string    `json:"title"`
	Blob  flow.Blob `json:"blob"`
}

// List is the document alone, and empty where there is none.
func (d Doc) List() []Doc {
	if d.Blob.IsZero() {
		return nil
	}
	return []Doc{d}
}

// Usage is what a turn cost. Known is false where the agent and the gateway
// could not tell.
type Usage struct {
	Input      int64   `json:"input_tokens"`
	Output     int64   `json:"output_tokens"`
	CacheRead  int64   `json:"cache_read_tokens,omitempty"`
	CacheWrite int64   `json:"cache_write_tokens,omitempty"`
	Requests   int     `json:"requests,omitempty"`
	USD        float64 `json:"usd"`
	Known      bool    `json:"known"`
}

// Add sums two usages; the sum is known only if both are.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Requests: u.Requests + v.Requests, USD: u.USD + v.USD, Known: u.Known && v.Known,
	}
}

// Budget bounds what a run may spend; a zero field is no bound of that kind.
type Budget struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
}

// HeardCommand is the kind of what the engine runs itself: Text is its command.
const HeardCommand = "command"

// Heard is what an agent does, as a sign of life, or the engine.
type Heard struct {
	Kind    string `json:"kind"` // see agent.Kind
	Tool    string `json:"tool,omitempty"`
	Text    string `json:"text,omitempty"` // what a tool is about, or what the agent says
	Session string `json:"session,omitempty"`
}

// Pause is noted when a turn is asked again later.
type Pause struct {
	Until time.Time `json:"until"`
	Try   int       `json:"try"`
	Of    int       `json:"of,omitempty"` // the most tries; 0 for a usage limit, which is waited out
	Why   string    `json:"why"`
}

// Turn asks one agent for one piece of work on a tree.
type Turn struct {
	Role         string          `json:"role"`
	Module       string          `json:"module"`
	Attempt      int             `json:"attempt"`
	Model        string          `json:"model,omitempty"` // low, medium, high, or a seat; "" = medium
	Tree         string          `json:"tree"`
	Left         string          `json:"left,omitempty"` // tree that a try of this turn left when it was cut off: it goes on from there
	Base         string          `json:"base,omitempty"` // tree that git compares the author's work with; "" = Tree
	Instructions string          `json:"instructions"`   // the stable part of the prompt
	Docs         []Doc           `json:"docs,omitempty"`
	Task         string          `json:"task"` // the part of this attempt, last
	Schema       json.RawMessage `json:"schema"`
	Judge        bool            `json:"judge,omitempty"` // reads only
	Commands     []string        `json:"commands,omitempty"`
	Private      flow.Blob       `json:"private"` // what preparing the work tree needs
	Budget       Budget          `json:"budget"`  // of the whole run; the ledger knows what is left
}

// TurnOut is what a turn gave back: a captured tree and one JSON object. The
// text of an agent decides nothing.
type TurnOut struct {
	Tree     string          `json:"tree"`
	Changed  int             `json:"changed"` // files that differ from the tree it was given
	Answer   json.RawMessage `json:"answer"`
	Findings []Finding       `json:"findings,omitempty"` // what it did to the repository besides
	Usage    Usage           `json:"usage"`
	Agent    string          `json:"agent"`
	Model    string          `json:"model,omitempty"`
	Millis   int64           `json:"millis"`
}

// AgentTurn runs an agent.
var AgentTurn = flow.Step[Turn, TurnOut]{Name: "turn", Lane: Agents}

// HeadIn asks where the run's branch stands.
type HeadIn struct {
	Fallback string `json:"fallback"` // commit to start the branch at
}

// HeadOut is a commit of the run's branch and its tree.
type HeadOut struct {
	Commit string `json:"commit"`
	Tree   string `json:"tree"`
}

// Head reads the run's branch.
var Head = flow.Step[HeadIn, HeadOut]{Name: "head", Lane: Landing}
