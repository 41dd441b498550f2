package compile

import (
	"encoding/json"

	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// Conforms lets tests check answers against the schemas of the roles.
func Conforms(role, answer string) error {
	schema := map[string]json.RawMessage{"red": redSchema, "green": greenSchema, "refactor": refactorSchema}[role]
	return turn.Conforms(schema, json.RawMessage(answer))
}

// Disputed lets tests see which disputes of these tests are heard, and whether they explain all that fails.
func Disputed(tests []string, proof step.GreenOut, frozen []step.File) (heard []string, all bool) {
	var ds []dispute
	for _, id := range tests {
		ds = append(ds, dispute{Test: id, Reason: "r"})
	}
	kept, all := disputed(ds, proof, frozen)
	for _, d := range kept {
		heard = append(heard, d.Test)
	}
	return heard, all
}
