package agent

import (
	"encoding/json"
	"fmt"
	"slices"
)

// strictSchema returns a schema in the dialect that OpenAI holds its models to:
// all properties are required, those that were not may be null, no others are
// taken, and everything has a type. withoutNulls undoes it in the answer.
func strictSchema(schema json.RawMessage) (json.RawMessage, error) {
	var s map[string]any
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("read the schema of a turn: %w", err)
	}
	data, err := json.Marshal(strict(s))
	if err != nil {
		return nil, fmt.Errorf("write the schema of a turn: %w", err)
	}
	return data, nil
}

func strict(s map[string]any) map[string]any {
	if _, typed := s["type"]; !typed && s["enum"] != nil {
		s["type"] = "string"
	}
	if items, ok := s["items"].(map[string]any); ok {
		s["items"] = strict(items)
	}
	if s["type"] != "object" {
		return s
	}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	names := make([]string, 0, len(properties))
	for name, p := range properties {
		names = append(names, name)
		property, ok := p.(map[string]any)
		if !ok {
			continue
		}
		property = strict(property)
		if !slices.Contains(required, any(name)) {
			property = nullable(property)
		}
		properties[name] = property
	}
	slices.Sort(names)
	s["required"], s["additionalProperties"] = names, false
	return s
}

func nullable(s map[string]any) map[string]any {
	if kind, ok := s["type"].(string); ok {
		s["type"] = []string{kind, "null"}
	}
	if list, ok := s["enum"].([]any); ok {
		s["enum"] = append(list, nil)
	}
	return s
}

// withoutNulls takes out of an answer the nulls of properties that need not be
// there.
func withoutNulls(schema, answer json.RawMessage) (json.RawMessage, error) {
	var s map[string]any
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("read the schema of a turn: %w", err)
	}
	var a any
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	data, err := json.Marshal(present(s, a))
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return data, nil
}

func present(s map[string]any, value any) any {
	switch v := value.(type) {
	case map[string]any:
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for name, field := range v {
			if field == nil && !slices.Contains(required, any(name)) {
				delete(v, name)
			} else if property, ok := properties[name].(map[string]any); ok {
				v[name] = present(property, field)
			}
		}
	case []any:
		if items, ok := s["items"].(map[string]any); ok {
			for i := range v {
				v[i] = present(items, v[i])
			}
		}
	}
	return value
}
