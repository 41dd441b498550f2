package step

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	return s.refuses("answer", answer), nil
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
func (s shape) refuses(at string, value json.RawMessage) string {
	switch s.Type {
	case "object":
		return s.refusesObject(at, value)
	case "array":
		var list []json.RawMessage
		if !decodes(value, &list) {
			return at + ": want a list"
		}
		for i, v := range list {
			if s.Items == nil {
				break
			}
			if why := s.Items.refuses(fmt.Sprintf("%s[%d]", at, i), v); why != "" {
				return why
			}
		}
	case "string":
		var text string
		if !decodes(value, &text) {
			return at + ": want a text"
		}
	}
	return ""
}

// refusesObject takes an optional field that is null for one that is not there.
func (s shape) refusesObject(at string, value json.RawMessage) string {
	var fields map[string]json.RawMessage
	if !decodes(value, &fields) {
		return at + ": want an object"
	}
	for _, name := range s.Required {
		if _, ok := fields[name]; !ok {
			return at + ": " + name + " is missing"
		}
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		want, known := s.Properties[name]
		if !known {
			return at + ": " + name + " was not asked for"
		}
		if null(fields[name]) && !slices.Contains(s.Required, name) {
			continue
		}
		if why := want.refuses(at+"."+name, fields[name]); why != "" {
			return why
		}
	}
	return ""
}

func null(value json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(value), []byte("null")) }

func decodes(value json.RawMessage, to any) bool {
	return !null(value) && json.Unmarshal(value, to) == nil
}
