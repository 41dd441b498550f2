package compile

import "encoding/json"

// Conforms lets tests check answers against the schemas of the roles.
func Conforms(role, answer string) error {
	schema := map[string]json.RawMessage{"red": redSchema, "green": greenSchema, "refactor": refactorSchema}[role]
	return conforms(schema, json.RawMessage(answer))
}
