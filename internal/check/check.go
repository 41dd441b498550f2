// Package check runs a project's checks on clean trees, reads what the runners report, proves the phases of the work
// (baseline, RED, GREEN, REFACTOR, strength, landing) and audits differences for ways to cheat.
//
// Nobody's word counts here: a pass is a command that this package ran itself on a clean checkout of a tree, with an
// environment, a home and dependencies of its own, and whose report says that at least one test ran. A proof that is not
// passed is data, with findings that tell the author what to do; an error means that the machinery broke.
//
// With Options.Confine every command runs in a sandbox (package confine) that shows it the check tree, the system and
// toolchains, and no network; installations reach registries (package registry). Without it a check runs as the user, can read what the user can read and can
// reach the network. Go's build cache and module cache are shared between the checks of one cache directory, which sandboxes lay
// their own changes over; dependencies of the others are put into each check tree.
package check

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// EnvironmentError says that something has to be installed before a check can run, and how.
type EnvironmentError struct {
	Tool    string // what is missing; "" when Install says all
	Install string // the command that a person installs it with
	Detail  string // what was tried, when that helps
}

// Error says what is missing and what to do.
func (e *EnvironmentError) Error() string {
	text := e.Tool + " is not installed: " + e.Install
	if e.Tool == "" {
		text = e.Install
	}
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	return text
}

// ErrSetup says that installing the dependencies of the lock file ended with an error.
var ErrSetup = errors.New("install dependencies")

// unable reports whether an error says that something cannot be run here: a program is missing, or it could not be installed.
func unable(err error) bool {
	_, missing := errors.AsType[*EnvironmentError](err)
	return missing || errors.Is(err, ErrSetup)
}

// setupError is the command of an installation that ended with an error; it is an ErrSetup.
type setupError struct {
	command string
	exit    int
	said    string // at the end
	output  []byte
}

func (e *setupError) Unwrap() error { return ErrSetup }

func (e *setupError) Error() string { return fmt.Sprintf("%v: %s: %s", ErrSetup, e.command, e.cause()) }

func (e *setupError) cause() string { return fmt.Sprintf("exit %d: %s", e.exit, e.said) }

// Options are what a Checker needs from its surroundings.
type Options struct {
	// Repo holds the trees.
	Repo *git.Repo
	// Env is the surrounding environment; only names on a list are taken from it.
	Env []string
	// Cache is a directory that lasts: installed dependencies, compilers' caches.
	Cache string
	// Temp is where check trees live for the time of one proof.
	Temp string
	// Store keeps the output of a command and gives its sha256. Nil keeps nothing.
	Store func(output []byte) (sha256 string, err error)
	// Copy are files outside the tree that checks need (for example .env.test), by path in the project.
	Copy map[string][]byte
	// Setup are the project's own commands to run in a fresh check tree before anything else.
	Setup [][]string
	// Mark begins the marks of everything that checks start, so that what a dead process left can be found and ended.
	Mark string
	// Record is a directory with what checks have given before, see recorded; "" = nothing is recorded. Fresh leaves it unread.
	Record string
	Fresh  bool
	// Secret says whether a text holds what nobody may keep; nil: none does. Such a run is not recorded.
	Secret func(text []byte) bool
	// Level is what records say of the sandbox.
	Level confine.Level
	// Confine is what the policy of every command begins with; nil: commands run as the user, in no sandbox.
	Confine *confine.Policy
	// Reach are hosts that a person lets installations reach besides registries. Say is told of each that was refused to one; nil: nobody is.
	Reach []string
	Say   func(line string)
	// Runs is told of each command that begins, by more than one goroutine; nil: nobody is.
	Runs func(what string)
	// Later runs what no result waits for: the removal of folders. Nil: they are removed at once.
	Later func(remove func())
	// Limits bound commands without Confine, as far as proc can. Said are those that a person has set; where they are 0, what commands
	// may use is learned and never more than the limits of Confine (learned.go).
	Limits, Said confine.Limits
	// Limit bounds every command; 0: how long each may take is learned (learned.go).
	Limit time.Duration
}

// Module is what the proofs need to know about a module.
type Module struct {
	Dir   string
	Spec  string // path of its spec; "" for a change without one
	Chain toolchain.Found
	Place toolchain.Placement
	// Exports are the names that the spec promises.
	Exports []step.Export
	// Besides are files that the author wrote beside what was planned: where another one exports the same name, that one is meant.
	Besides []string
	// Names are further identifiers that the spec gives away (spec.Names): a test may need them.
	Names []string
	// RaisedBy are errors that the spec names where it says what goes wrong, by item (spec.Raises).
	RaisedBy map[string][]string
	// Items are the ids of the spec's items; without any a claim may name what it wants.
	Items []string
	// Examples are the behaviors of the spec that are calls with literals.
	Examples []example.Example
	// Recorded are calls that tests were seen to make; nobody has said what they give.
	Recorded []example.Example
	// HeldOut are calls that the author of the tests has kept from the author of the code.
	HeldOut []step.HeldOut
	// Tests are the module's test files that existed before RED.
	Tests []string
	// Kept are existing files that this run may not change; a change of them is put back and reported.
	Kept []string
	// Packages are the dependencies that the spec or the task authorises.
	Packages []string
	// SpecText is the part of the spec that may hold literal tables (exports, domain context); pairs found there are
	// no answers copied from tests.
	SpecText string
	// Said is all that the spec says, or what was asked for: what code may depend on has a word there.
	Said string
	// Base is the tree whose lock file decides what is installed; an agent cannot change it.
	Base string
	// Guarded are ids of tests of which every item is as it was when they were proved: they stay as they are, unless they
	// use one of Moved, the exports whose signature is another one now.
	Guarded, Moved []string
	// Disputed are tests that are said to contradict the spec: they may be corrected, and not removed.
	Disputed []string
	// Changed are items that say something else than when their tests were proved, Gone the names of exports that the spec
	// no longer has.
	Changed, Gone []string
	// Known are ids of tests that failed at the baseline; they are never charged to anybody.
	Known []string
}

// Proof is what came out of proving a phase.
type Proof struct {
	Passed   bool
	Tree     string // the tree that was proved: what was put back is back
	Findings []step.Finding
	Records  []step.Record
	Results  []step.TestResult
	Frozen   []step.File // RED: the module's tests from now on
	// Satisfied are new tests that pass without the implementation.
	Satisfied []string
	// Red are new tests that fail for want of the implementation.
	Red []string
	// Changed are the ids of tests that the author of a task wrote or changed: their failures are his.
	Changed []string
	// Fresh counts the new and changed tests, Strong those of them that assert something that can fail.
	Fresh, Strong int
	// Covered are the items of the author's map for which a test exists that asserts something.
	Covered []string
	// Proved are those of them of which a test fails without the implementation.
	Proved []string
	// Covers maps ids of tests to the items that they were proved for.
	Covers map[string][]string
	// Unread are test files of RED that cannot be parsed: nobody can say which tests are in them.
	Unread []string
	// Examples are what became of the values that the sentences of a task have.
	Examples []step.Example
	// Callable is set where the engine can call what a task has written, or run commands of it.
	Callable bool
	// Idle are the commands of a task that succeed without it as well, as they are written: they show nothing of it.
	Idle []string
	// Shown are the pieces of code that a task has changed, with the tests that show them.
	Shown []step.Shown
	// Restored are files that the author changed and that were put back.
	Restored []string
	// Tried, Killed count mutants; Survived say which the tests did not notice.
	Tried, Killed int
	Survived      []step.Finding
	// Limits counts the survivors that change a limit only: < to <=.
	Limits int
}

// Counts sums the proof's results. They are reused if all runs of tests are; the oldest counts, but that of new tests without their
// code, which is none of these results.
func (p Proof) Counts() step.Counts {
	c := count(p.Results)
	c.Reused = reused(those(p.Records, func(r step.Record) bool { return r.Name == "test" && r.Shows != step.OnWithout }))
	return c
}

func count(rs []step.TestResult) step.Counts {
	var c step.Counts
	for _, r := range single(rs) {
		c.Total++
		switch r.Status {
		case step.Pass:
			c.Passed++
		case step.Fail, step.Error:
			c.Failed++
		case step.Skip:
			c.Skipped++
		case step.Flake:
			c.Flaky++
		}
	}
	return c
}

// single leaves out the results that only sum up others: a package or file one of whose tests failed, and a test whose
// subtests say the same.
func single(rs []step.TestResult) []step.TestResult {
	failed, parts, failedParts := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range rs {
		file, name := toolchain.SplitID(r.ID)
		if name == "" {
			continue
		}
		if bad(r.Status) {
			failed[file], failed[path.Dir(file)] = true, true
		}
		if !strings.HasSuffix(file, ".go") && strings.Contains(path.Base(file), ".") {
			continue // only Go reports a test beside its subtests
		}
		for i := range len(name) {
			if name[i] == '/' {
				parts[file+"::"+name[:i]] = true
				failedParts[file+"::"+name[:i]] = failedParts[file+"::"+name[:i]] || bad(r.Status)
			}
		}
	}
	var out []step.TestResult
	for _, r := range rs {
		file, name := toolchain.SplitID(r.ID)
		switch {
		case name == "" && r.Status == step.Fail && failed[file]:
		case name != "" && parts[r.ID] && (!bad(r.Status) || failedParts[r.ID]):
		default:
			out = append(out, r)
		}
	}
	return out
}

// Failures lists the results that failed or could not run.
func (p Proof) Failures() []step.TestResult {
	return slices.DeleteFunc(single(p.Results), func(r step.TestResult) bool { return !bad(r.Status) && r.Status != step.Flake })
}

func reject(rule, path string, line int, message string) step.Finding {
	return step.Finding{Rule: rule, Severity: step.Rejects, Path: path, Line: line, Message: message}
}

func fix(rule, path string, line int, message string) step.Finding {
	return step.Finding{Rule: rule, Severity: step.Fix, Path: path, Line: line, Message: message}
}

func warn(rule, path string, line int, message string) step.Finding {
	return step.Finding{Rule: rule, Severity: step.Warn, Path: path, Line: line, Message: message}
}

// Level is how much the proof of a change shows: that it passes says the caller.
func (p Proof) Level() step.Level {
	switch {
	case len(p.Red) > 0 || slices.ContainsFunc(p.Examples, shows):
		return step.Proved
	case slices.ContainsFunc(p.Findings, func(f step.Finding) bool { return f.Rule == "no-test" }):
		return step.NotChecked
	case slices.ContainsFunc(p.Results, func(r step.TestResult) bool { return r.Status == step.Pass && testNameOf(r) != "" }):
		return step.Covered
	case slices.ContainsFunc(p.Records, func(r step.Record) bool { return r.Level == step.ByExit }):
		return step.ByExit
	}
	return step.NotChecked
}

// shows reports whether an example that everybody knows shows something of a change.
func shows(e step.Example) bool {
	return e.State == step.ExampleHolds && !e.HeldOut && !e.Before
}

// Rejected reports whether one of the findings rejects the attempt.
func Rejected(fs []step.Finding) bool {
	return step.Has(fs, step.Rejects)
}

// bad reports whether a test failed or could not run.
func bad(st step.TestStatus) bool { return st == step.Fail || st == step.Error }

func executed(rs []step.TestResult) int {
	return len(those(rs, func(r step.TestResult) bool { return r.Status == step.Pass || r.Status == step.Fail }))
}
