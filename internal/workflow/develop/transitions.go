package develop

import (
	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// Transitions are all ways that a run of develop can take; TestAnyOutcomes holds the runs to it, and docs/internals/develop.md shows it.
var Transitions = []turn.Transition{
	{From: string(checkpoint.DesignPhase), When: "the design and its contracts pass the checks, and a person agrees (`--yes`: nobody is asked)", To: string(checkpoint.Review)},
	{From: string(checkpoint.DesignPhase), When: "3 requirements, designs or contracts were sent back by code", To: turn.Limit},
	{From: string(checkpoint.DesignPhase), When: "a person rejects it without a reason, or for the 20th time", To: needsDecision},
	{From: string(checkpoint.Review), When: "nothing is blocking, or a person overrules it", To: string(checkpoint.Implement)},
	{From: string(checkpoint.Review), When: "something is blocking, for the first or second time", To: string(checkpoint.DesignPhase)},
	{From: string(checkpoint.Review), When: "something is blocking for the third time, and nobody overrules it", To: needsDecision},
	{From: string(checkpoint.Implement), When: "all checkpoints have passed, or were skipped by a person", To: string(checkpoint.Merge)},
	{From: string(checkpoint.Implement), When: "`--yes`: a checkpoint has not passed in 3 attempts, or its author is blocked", To: escalated},
	{From: string(checkpoint.Implement), When: "a person ends it, or skips all", To: aborted},
	{From: string(checkpoint.Merge), When: "all goals are reached, nothing is blocking (or it is overruled), and a person agrees; with `--pr` CI has nothing against it, or there is none, or a person takes it as it is, or has merged it", To: string(checkpoint.Done)},
	{From: string(checkpoint.Merge), When: "`--yes`: the goals were missed in 3 runs", To: turn.Limit},
	{From: string(checkpoint.Merge), When: "`--yes`: a fix of the goals, or of what CI has found, is not proved", To: turn.NoProgress},
	{From: string(checkpoint.Merge), When: "a person ends it after the goals were missed, or CI has failed; or closes the pull request", To: aborted},
	{From: string(checkpoint.Merge), When: "something is blocking after 2 fixes, or a fix is not proved, and nobody overrules it; or a person rejects the result without a reason, or for the 20th time; or somebody else pushes to the branch of the pull request", To: needsDecision},
	{From: string(checkpoint.Merge), When: "`--pr --yes`: CI has failed in 3 runs, or in a way that code cannot mend", To: ciFailed},
	{From: string(checkpoint.Merge), When: "`--pr --yes`: CI does not end in its time", To: ciTimeout},
}
