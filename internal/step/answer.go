package step

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// shape is the part of JSON Schema that our schemas use.
type shape struct {
	Type       string           `json:"type"`
	Required   []string         `json:"required"`
	Properties map[string]shape `json:"properties"`
	Items      *shape           `json:"items"`
}

// Misfit says why an answer does not have the form of a schema; "" when it has,
// and when there is no schema.
func Misfit(schema, answer json.RawMessage) (string, error) {
	if len(schema) == 0 {
		return "", nil
	}
	s, err := shapeOf(schema)
	if err != nil {
		return "", fmt.Errorf("read the schema of a turn: %w", err)
	}
	var value any
	if err := json.Unmarshal(answer, &value); err != nil {
		value = nil // which no shape takes
	}
	return s.refuses("answer", value), nil
}

// shapes are the schemas that were read, by their text: a re-run meets the same few again and again.
var shapes sync.Map

func shapeOf(schema json.RawMessage) (shape, error) {
	if s, ok := shapes.Load(string(schema)); ok {
		return s.(shape), nil //nolint:forcetypeassert // nothing else is stored
	}
	var s shape
	if err := json.Unmarshal(schema, &s); err != nil {
		return s, err
	}
	shapes.Store(string(schema), s)
	return s, nil
}

// refuses says why a value does not have the shape; "" when it has.
func (s shape) refuses(at string, value any) string {
	switch s.Type {
	case "object":
		fields, ok := value.(map[string]any)
		if !ok {
			return at + ": want an object"
		}
		return s.refusesObject(at, fields)
	case "array":
		list, ok := value.([]any)
		if !ok {
			return at + ": want a list"
		}
		for i, v := range list {
			if s.Items == nil {
				break
			}
			if why := s.Items.refuses("", v); why != "" {
				return fmt.Sprintf("%s[%d]%s", at, i, why)
			}
		}
	case "string":
		if _, ok := value.(string); !ok {
			return at + ": want a text"
		}
	}
	return ""
}

// refusesObject takes an optional field that is null for one that is not there.
func (s shape) refusesObject(at string, fields map[string]any) string {
	for _, name := range s.Required {
		if _, ok := fields[name]; !ok {
			return at + ": " + name + " is missing"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		want, known := s.Properties[name]
		if !known {
			return at + ": " + name + " was not asked for"
		}
		if fields[name] == nil && !slices.Contains(s.Required, name) {
			continue
		}
		if why := want.refuses("", fields[name]); why != "" {
			return at + "." + name + why
		}
	}
	return ""
}
