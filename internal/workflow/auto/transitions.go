package auto

// Transition is one way from a phase to the next, or to the end of a run.
type Transition struct {
	From string // a phase
	When string
	To   string // a phase, or the reason of an end
}

// Transitions are all ways that a run of auto can take; TestTransitions holds the runs to it, and docs/auto.md shows it.
var Transitions = []Transition{
	{"estimate", "the score is known", phasePlan},
	{phasePlan, "the plan passes its gates and its critic; LIGHT", phaseDo},
	{phasePlan, "the plan passes its gates and its critic; STANDARD, HEAVY", phaseDesign},
	{phasePlan, "a gate of code fails twice (STANDARD, HEAVY), or the critic sends it back 5 times (HEAVY), or a person rejects it", needsDecision},
	{phaseDesign, "the design passes its gate", phaseDo},
	{phaseDesign, "its gate fails twice, or a person rejects it", needsDecision},
	{phaseDo, "the proof holds; LIGHT", phaseQA},
	{phaseDo, "the proof holds; STANDARD, HEAVY", phaseGate},
	{phaseDo, "10 attempts (LIGHT with --eco: 2) have failed", limit},
	{phaseDo, "3 attempts have failed in the same way", sameFailure},
	{phaseDo, "an attempt changes nothing", noProgress},
	{phaseDo, "an attempt is one of those before", oscillation},
	{phaseDo, "a person rejects the design that a promotion needs", needsDecision},
	{phaseGate, "the architect approves, or is overruled", phaseQA},
	{phaseGate, "the architect rejects twice, or once and the fix is not proved, and nobody overrules him", needsDecision},
	{phaseQA, "all goals of quality are reached", phaseVerify},
	{phaseQA, "LIGHT: a goal is missed; STANDARD: in cycle 3 (then promoted: 5); HEAVY: in cycle 5; or 5 fixes were made", limit},
	{phaseQA, "a goal fails in the same way in 3 cycles; STANDARD: two cycles in a row fail in exactly the same ways", sameFailure},
	{phaseQA, "a fix is not proved", noProgress},
	{phaseVerify, "the architect approves, nothing CRITICAL or HIGH is found, 90 % of the design is there", phaseReport},
	{phaseVerify, "otherwise", phaseAct},
	{phaseAct, "the fix is proved", phaseQA},
	{phaseAct, "it was entered 3 times, or 5 fixes were made", limit},
	{phaseAct, "a fix is not proved, and nobody overrules what was found", noProgress},
	{phaseAct, "a fix is not proved, and somebody overrules what was found", phaseReport},
}
