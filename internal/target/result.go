package target

import (
	"github.com/jacquard-build/jacquard/internal/index"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Reason says why a module is a target.
type Reason string

// The reasons, in the order in which they are looked for; the first that holds is given.
const (
	Unreadable        Reason = "unreadable" // nobody knows what the spec says, so it cannot be built
	Staged            Reason = "staged"
	Modified          Reason = "modified"
	Untracked         Reason = "untracked"
	NoSourceCode      Reason = "no-source-code"
	SpecNewer         Reason = "spec-newer"
	ConventionChanged Reason = "convention-changed"
	PlanChanged       Reason = "plan-changed"
	DependencyChanged Reason = "dependency-changed"
	TestsGone         Reason = "tests-gone" // frozen tests are missing
	All               Reason = "all"        // everything was asked for, and nothing else holds
)

// The reasons for which a module is skipped.
const (
	UpToDate       Reason = "up-to-date"
	Unverified     Reason = "unverified"    // the lock does not know it, and there is code beside its spec
	Edited         Reason = "edited"        // code or frozen tests differ from what was proved
	Conflict       Reason = "conflict"      // existing files were kept and do not fulfil the spec
	NothingToBuild Reason = "nothing-to-do" // a node of the tree: no exports and no sources
)

// Result says what is out of date. Its JSON is the answer of `spec targets`.
type Result struct {
	Root               string              `json:"root"`
	Targets            []Target            `json:"targets"` // sorted by directory
	Skipped            []Skipped           `json:"skipped"` // sorted by directory
	Warnings           []Warning           `json:"warnings"`
	DependencyWarnings []DependencyWarning `json:"dependency_warnings"`
	Ignored            int                 `json:"ignored"`  // files with the name of a spec that are none
	Problems           []spec.Problem      `json:"problems"` // of the specs that were read, of the whole, of the lock

	FreeForm []string `json:"-"` // paths of files within the run that have the name of a spec and are none, sorted; that of the root as well

	Index *index.Index              `json:"-"` // all modules
	Docs  map[string]*spec.Document `json:"-"` // those that were read: all targets and some more
	Drift map[string][]string       `json:"-"` // generated files and frozen tests that were edited since, by module

	Gone []string `json:"-"` // modules of the lock whose code is there and whose spec is not, sorted: each is one of the Problems, too

	inputs map[string]Entry
}

// Target is a module that is out of date.
type Target struct {
	ClaudeMdPath     string `json:"claude_md_path"` // from the root
	ImplementsMdPath string `json:"implements_md_path"`
	Dir              string `json:"dir"`
	Reason           Reason `json:"reason"`
	Details          string `json:"details"`
	Refused          string `json:"refused,omitempty"` // why it cannot be built: errors of its spec, a cycle
}

// Skipped is a module that is not built.
type Skipped struct {
	Dir     string `json:"dir"`
	Reason  Reason `json:"reason"`
	Details string `json:"details"`
}

// Warning is something about the whole that people should know.
type Warning struct {
	Type    string `json:"warning_type"` // no-git-repo, drift, stale-dependency
	Message string `json:"message"`
}

// DependencyWarning names the dependents of a target that the run leaves out.
type DependencyWarning struct {
	ChangedDep         string   `json:"changed_dep"`
	AffectedDependents []string `json:"affected_dependents"`
	Message            string   `json:"message"`
}

// Entry returns what the lock is to say of a target once it is built: everything that it is built
// from, as it was when the result was computed. The caller adds State, Why, Tool, Files, Tests and
// PlanID, and narrows Uses where it knows the real imports ([Entry.Narrow]).
func (r *Result) Entry(dir string) (Entry, bool) {
	e, ok := r.inputs[nfc(dir)]
	return e, ok
}
