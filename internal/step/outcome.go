package step

import (
	"fmt"
	"strings"
)

// Outcome is how a run of any process ended: whether all that was asked for is verified, where it is, and what it cost. What
// only one process has stands beside it.
type Outcome struct {
	Spent
	Delivered

	Title    string    `json:"title,omitempty"` // what was asked for, in a line
	End      End       `json:"end,omitzero"`    // why the process stopped; zero for one that goes through all of its tasks
	Verified bool      `json:"verified"`
	Commit   string    `json:"commit,omitempty"`
	Files    []Change  `json:"files,omitempty"` // bounded
	Goals    []Goal    `json:"goals,omitempty"`
	Document string    `json:"document,omitempty"` // path of the one that tells of the run
	Assumed  []QA      `json:"assumed,omitempty"`  // answers of agents where nobody was asked
	Accepted []string  `json:"accepted,omitempty"` // objections that a person, or a flag, has overruled
	Open     []string  `json:"open,omitempty"`     // what is not resolved, or no command has shown
	Warnings []string  `json:"warnings,omitempty"`
	Findings []Finding `json:"findings,omitempty"` // of a draft that was never sound
}

// Delivered is where what a run has landed was handed over. Why says why the user does not have it, or why there is nothing.
type Delivered struct {
	Ref   string      `json:"ref,omitempty"`
	Moved *Moved      `json:"moved,omitempty"`
	Pull  *PullResult `json:"pull,omitempty"`
	Why   string      `json:"why,omitempty"`
}

// Result is the end of a run: its outcome, and what only its process has.
type Result interface{ Ended() *Outcome }

// Ended is the outcome.
func (o *Outcome) Ended() *Outcome { return o }

// End is why a loop, or a run, ended.
type End struct {
	Reason string `json:"reason"` // passed, same_failure, no_progress, oscillation, limit, environment, cancelled, needs_decision, checks
	N      int    `json:"n,omitempty"`
	Phase  string `json:"phase,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// String is the end in one line: passed, limit(3) qa, needs_decision gate: why.
func (e End) String() string {
	s := e.Reason
	if e.Reason != "passed" {
		if e.N > 0 {
			s += fmt.Sprintf("(%d)", e.N)
		}
		if e.Phase != "" {
			s += " " + e.Phase
		}
	}
	if e.Detail != "" {
		s += ": " + strings.Join(strings.Fields(e.Detail), " ")
	}
	return s
}
