package compile

import (
	"encoding/json"

	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// Conforms lets tests check answers against the schemas of the roles.
func Conforms(role, answer string) error {
	schema := map[string]json.RawMessage{"red": redSchema, "green": greenSchema, "refactor": refactorSchema}[role]
	return turn.Conforms(schema, json.RawMessage(answer))
}
