package auto

import "github.com/jacquard-build/jacquard/internal/workflow/turn"

// Transitions are all ways that a run of auto can take; TestTransitions holds the runs to it, and docs/internals/pdca.md shows it.
var Transitions = []turn.Transition{
	{From: "estimate", When: "the score is known", To: phasePlan},
	{From: phasePlan, When: "the plan passes its gates and its critic; LIGHT", To: phaseDo},
	{From: phasePlan, When: "the plan passes its gates and its critic; STANDARD, HEAVY", To: phaseDesign},
	{From: phasePlan, When: "a gate of code fails twice (STANDARD, HEAVY), or the critic sends it back 5 times (HEAVY), or a person rejects it", To: needsDecision},
	{From: phaseDesign, When: "the design passes its gate", To: phaseDo},
	{From: phaseDesign, When: "its gate fails twice, or a person rejects it", To: needsDecision},
	{From: phaseDo, When: "the proof holds; LIGHT", To: phaseQA},
	{From: phaseDo, When: "the proof holds; STANDARD, HEAVY", To: phaseGate},
	{From: phaseDo, When: "10 attempts (LIGHT with --eco: 2) have failed", To: turn.Limit},
	{From: phaseDo, When: "3 attempts have failed in the same way, and `--yes`, or a person ends it", To: turn.SameFailure},
	{From: phaseDo, When: "its author says that it is not in his hands, and `--yes`, or a person ends it", To: turn.Blocked},
	{From: phaseDo, When: "a person has to accept what was found, and `--yes`, or a person ends it", To: turn.Untested},
	{From: phaseDo, When: "an attempt changes nothing, and `--yes`, or a person ends it", To: turn.NoProgress},
	{From: phaseDo, When: "an attempt is one of those before, and `--yes`, or a person ends it", To: turn.Oscillation},
	{From: phaseDo, When: "a person rejects the design that a promotion needs", To: needsDecision},
	{From: phaseGate, When: "the architect approves, or is overruled", To: phaseQA},
	{From: phaseGate, When: "the architect rejects twice, or once and the fix is not proved, and nobody overrules him", To: needsDecision},
	{From: phaseQA, When: "all goals of quality are reached", To: phaseVerify},
	{From: phaseQA, When: "LIGHT: a goal is missed; STANDARD: in cycle 3 (then promoted: 5); HEAVY: in cycle 5; or 5 fixes were made", To: turn.Limit},
	{From: phaseQA, When: "a goal fails in the same way in 3 cycles; STANDARD: two cycles in a row fail in exactly the same ways", To: turn.SameFailure},
	{From: phaseQA, When: "a fix is not proved", To: turn.NoProgress},
	{From: phaseVerify, When: "the architect approves, nothing CRITICAL or HIGH is found, 90 % of the design is there, and no end-to-end test fails", To: phaseReport},
	{From: phaseVerify, When: "STANDARD, HEAVY: an end-to-end test fails after 2 fixes (`--strict`: at once)", To: e2eFailed},
	{From: phaseVerify, When: "otherwise", To: phaseAct},
	{From: phaseAct, When: "the fix is proved", To: phaseQA},
	{From: phaseAct, When: "it was entered 3 times, or 5 fixes were made", To: turn.Limit},
	{From: phaseAct, When: "a fix is not proved, and nobody overrules what was found", To: turn.NoProgress},
	{From: phaseAct, When: "a fix is not proved, and somebody overrules what was found; or a person leaves it as it is (`--interactive`)", To: phaseReport},
	{From: phaseAct, When: "`--interactive`: a person rejects what was found, without a reason", To: needsDecision},
}
