package step

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// shape is the part of JSON Schema that our schemas use.
type shape struct {
	Type       string           `json:"type"`
	Required   []string         `json:"required"`
	Properties map[string]shape `json:"properties"`
	Items      *shape           `json:"items"`
}

// Misfit says what is not as a schema has it in an answer, all of it up to five; "" when nothing is, and when there is no schema.
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
	wrong := s.refuses("answer", value)
	return strings.Join(wrong[:min(len(wrong), 5)], "; "), nil
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

// refuses says what of a value does not have the shape.
func (s shape) refuses(at string, value any) (wrong []string) {
	switch s.Type {
	case "object":
		fields, ok := value.(map[string]any)
		if !ok {
			return []string{at + ": want an object"}
		}
		return s.refusesObject(at, fields)
	case "array":
		list, ok := value.([]any)
		if !ok {
			return []string{at + ": want a list"}
		}
		for i, v := range list {
			if s.Items != nil {
				wrong = append(wrong, s.Items.refuses(fmt.Sprintf("%s[%d]", at, i), v)...)
			}
		}
	case "string":
		if _, ok := value.(string); !ok {
			return []string{at + ": want a text"}
		}
	}
	return wrong
}

// refusesObject takes an optional field that is null for one that is not there.
func (s shape) refusesObject(at string, fields map[string]any) (wrong []string) {
	for _, name := range s.Required {
		if _, ok := fields[name]; !ok {
			wrong = append(wrong, at+": "+name+" is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		want, known := s.Properties[name]
		switch {
		case !known:
			wrong = append(wrong, at+": "+name+" was not asked for")
		case fields[name] != nil || slices.Contains(s.Required, name):
			wrong = append(wrong, want.refuses(at+"."+name, fields[name])...)
		}
	}
	return wrong
}
