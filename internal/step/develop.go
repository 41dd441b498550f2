package step

import (
	"fmt"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
)

// DevelopIn is what a run of develop is asked for.
type DevelopIn struct {
	Request  string `json:"request"`
	Named    string `json:"named,omitempty"`    // the style of the project's own that it was begun with
	Feature  string `json:"feature,omitempty"`  // its name, where the user gives one
	Language string `json:"language"`           // of documents where the project names none
	Yes      bool   `json:"yes,omitempty"`      // nobody is asked: defaults hold, and what needs a person fails
	Strategy string `json:"strategy,omitempty"` // instead of the one that code chooses
	// Panel are the seats (agent/model) that propose a design and review, side by side; none: the run's agent alone.
	Panel []string `json:"panel,omitempty"`
	// From is what an earlier run of the same has landed and not delivered, Onto the commit that it followed; Feature is then
	// its name, and nobody else's.
	From string `json:"from,omitempty"`
	Onto string `json:"onto,omitempty"`
	// Prior is what a state file says of a run that has no journal, or has ended.
	Prior    *checkpoint.State `json:"prior,omitempty"`
	Delivery Delivery          `json:"delivery"`
	Pull     *PullIn           `json:"pull,omitempty"` // it ends with a pull request, and nothing of the user's is moved
	Budget   Budget            `json:"budget"`
}

// ContractIn asks what the author of contracts has made.
type ContractIn struct {
	Base  string            `json:"base"` // tree that he began with
	Tree  string            `json:"tree"` // with the tests of all checkpoints
	Tests []checkpoint.Test `json:"tests"`
}

// ContractOut says what is wrong with it. Diff is what he has written, for reviewers.
type ContractOut struct {
	Findings []Finding `json:"findings,omitempty"`
	Tree     string    `json:"tree"`              // with what he has deleted of others put back
	Support  []string  `json:"support,omitempty"` // data of tests and helpers that come with them
	Diff     Doc       `json:"diff"`
}

// Contract checks the tests of contracts: they are all there, each asserts something, and nothing else was changed.
var Contract = flow.Step[ContractIn, ContractOut]{Name: "develop.contract", Lane: Checks}

// HoldIn asks for a tree with the tests of one checkpoint in it, as its contract has them.
type HoldIn struct {
	Tree     string   `json:"tree"`
	Contract string   `json:"contract"`         // tree that has the tests
	Base     string   `json:"base"`             // tree that the author of the contracts began with
	Others   []string `json:"others,omitempty"` // test files of other checkpoints, which stay out
}

// HoldOut is that tree, and the files that were not as the contract has them.
type HoldOut struct {
	Tree    string   `json:"tree"`
	Changed []string `json:"changed,omitempty"`
}

// Hold puts a checkpoint's tests into a tree: before its author begins, and after he has ended. Whatever he has made of
// them is gone.
var Hold = flow.Step[HoldIn, HoldOut]{Name: "develop.hold", Lane: Landing}

// SquashIn asks for one commit of all that a run has landed.
type SquashIn struct {
	Base    string   `json:"base"` // commit that it follows
	Head    HeadOut  `json:"head"` // of the run's branch
	Feature string   `json:"feature"`
	Type    string   `json:"type"`
	Title   string   `json:"title"`
	Lines   []string `json:"lines,omitempty"` // body
}

// Squash replaces the run's branch by one commit. The commits of the checkpoints stay on a ref beside it.
var Squash = flow.Step[SquashIn, HeadOut]{Name: "develop.squash", Lane: Landing}

// CheckpointResult is the end of one checkpoint: that of its task, and what only checkpoints have.
type CheckpointResult struct {
	TaskResult

	Iteration int         `json:"iteration"`          // of the last round
	Rounds    int         `json:"rounds"`             // 1, and one more for each retry that a person has asked for
	Open      []string    `json:"open,omitempty"`     // what failed in the end
	Hints     []string    `json:"hints,omitempty"`    // what a person has said of it
	Roles     []RoleUsage `json:"roles,omitempty"`    // what they took
	Contract  string      `json:"contract,omitempty"` // tree with its tests, where they were mended on the way
}

// Issue is what a reviewer of develop objects to.
type Issue struct {
	Severity string `json:"severity"` // Blocking, Warning, Info
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
	By       int    `json:"by,omitempty"`      // number of the reviewer
	Refuted  string `json:"refuted,omitempty"` // why a second reviewer does not agree that it is blocking
	About    string `json:"about,omitempty"`   // checkpoint or requirement, of a design
}

// String is the issue in one line: [Blocking] cp-1 cart/cart.go:5 what is wrong.
func (x Issue) String() string {
	place := x.Path
	if x.Line > 0 {
		place = fmt.Sprintf("%s:%d", x.Path, x.Line)
	}
	return fmt.Sprintf("[%s] %s", x.Severity, pdca.Line(x.About+"\n"+place+"\n"+x.Message))
}

// DevelopNote is the fact noted when a run of develop moves on: what the state file says, and what people want to know.
type DevelopNote struct {
	Phase       checkpoint.Phase        `json:"phase,omitempty"`
	Feature     string                  `json:"feature,omitempty"` // name
	Strategy    string                  `json:"strategy,omitempty"`
	Why         string                  `json:"why,omitempty"`
	Checkpoints []TaskLine              `json:"checkpoints,omitempty"`
	Progress    *checkpoint.Progress    `json:"progress,omitempty"`
	Contracts   *checkpoint.Design      `json:"contracts,omitempty"`
	Issues      []Issue                 `json:"issues,omitempty"`
	Round       int                     `json:"round,omitempty"`
	About       string                  `json:"about,omitempty"` // design, code
	Goals       []Goal                  `json:"goals,omitempty"`
	Text        string                  `json:"text,omitempty"`
	Result      *CheckpointResult       `json:"result,omitempty"`
	Requirement *checkpoint.Requirement `json:"requirement,omitempty"`
	Pull        *PullResult             `json:"pull,omitempty"`
	Usage       Usage                   `json:"usage"`
}

// DevelopOut is the end of a run of develop.
type DevelopOut struct {
	Outcome

	Feature     string             `json:"feature"`
	Strategy    string             `json:"strategy,omitempty"`
	Checkpoints []CheckpointResult `json:"checkpoints,omitempty"`
	Rounds      DevelopRounds      `json:"rounds"`
}

// DevelopRounds counts the loops of a run.
type DevelopRounds struct {
	Design     int `json:"design"`      // designs that were written
	Review     int `json:"review"`      // of the design
	FullTests  int `json:"full_tests"`  // runs of all goals on the merged head
	CodeReview int `json:"code_review"` // of the merged code
	Fixes      int `json:"fixes"`
	CI         int `json:"ci,omitempty"` // runs of CI that were waited for
}
