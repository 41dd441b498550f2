package pdca

import "slices"

// Style is how far a request is carried, as data: what each size gets, and which documents are written.
type Style struct {
	Sizes     map[Mode]Size `json:"sizes"`
	Documents []string      `json:"documents"`
}

// Size is what a request of one size gets.
type Size struct {
	Judges      []string `json:"judges"`      // of what was built, in the order in which they are asked
	Design      bool     `json:"design"`      // is written before the code; then an architect judges the code before the checks, and end-to-end tests run
	Critics     int      `json:"critics"`     // reviews of the plan. The revision after a single one is judged by code; after the last of several a person decides
	Feasibility bool     `json:"feasibility"` // an architect looks at the plan before its critic does
	Parts       bool     `json:"parts"`       // of a design may be built side by side
	Attempts    int      `json:"attempts"`    // of the implementation
	Cycles      int      `json:"cycles"`      // of checks and fixes; where there is one, what fails is reported and not fixed
}

// Those who judge what was built.
const (
	Architect = "architect" // a verdict
	Match     = "match"     // code counts how much of the design is there
	Reviewer  = "reviewer"  // findings by severity
)

// Judges are all of them.
func Judges() []string { return []string{Architect, Reviewer, Match} }

// The documents of a feature.
const (
	PlanDoc     = "plan"
	DesignDoc   = "design"
	AnalysisDoc = "analysis"
	ReportDoc   = "report"
)

// Documents are all of them.
func Documents() []string { return []string{PlanDoc, DesignDoc, AnalysisDoc, ReportDoc} }

// OwnStyle is the style where nobody has another one. docs/concepts/styles.md has it as a table.
func OwnStyle() Style {
	return Style{
		Sizes: map[Mode]Size{
			Light:    {Attempts: 2, Cycles: 1, Judges: []string{Architect}},
			Standard: {Attempts: 10, Cycles: 3, Judges: Judges(), Critics: 1, Design: true},
			Heavy:    {Attempts: 10, Cycles: 5, Judges: Judges(), Critics: 5, Design: true, Feasibility: true, Parts: true},
		},
		Documents: Documents(),
	}
}

// Without are the documents that are not written.
func (s Style) Without() []string {
	return slices.DeleteFunc(Documents(), func(d string) bool { return slices.Contains(s.Documents, d) })
}

// MostCycles is the largest number of cycles of any size: a promotion may lengthen a loop.
func (s Style) MostCycles() (n int) {
	for _, z := range s.Sizes {
		n = max(n, z.Cycles)
	}
	return n
}

// Modes are the sizes from small to large.
func Modes() []Mode { return []Mode{Light, Standard, Heavy} }
