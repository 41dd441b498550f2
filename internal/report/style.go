package report

import (
	"slices"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// style is how the runs of one definition are read, beyond what all runs share.
type style struct {
	defs []string // names of definitions, as journals have them

	begin  func(r *Run, of flow.Run)              // takes what was asked for
	result func() step.Result                     // an empty one, to read the output of the run into
	start  func(r *Run, e flow.Event) (mine bool) // a step begins; what is not its own is one of a module
	note   func(r *Run, e flow.Event)             // takes a fact
	lacks  func(m *Module) bool                   // reports whether a module ended without a result
	next   func(r *Run) string                    // the command that goes on with what is left, "" for none
}

// styles are those of all definitions.
var styles = []style{buildStyle, requestStyle, featureStyle, checkpointStyle, documentStyle}

// styleOf is the style of a definition; one that is not known is read as what writes documents is.
func styleOf(def string) style {
	for _, s := range styles {
		if slices.Contains(s.defs, def) {
			return s
		}
	}
	return documentStyle
}
