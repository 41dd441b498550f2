package flow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// MaxOutput is the largest output of a step or branch in bytes; anything
// larger travels as a Blob. Both runtimes enforce it.
const MaxOutput = 64 << 10

// Workflow is a named definition.
type Workflow[I, O any] struct {
	Name string
	Fn   func(*Ctx, I) (O, error)
}

// Runnable is any Workflow, whatever its types.
type Runnable interface {
	// Def names the definition in journals.
	Def() string
	enter(c *Ctx, in json.RawMessage) (json.RawMessage, error)
}

// WorkflowOf is the workflow of a list with a name, nil for none.
func WorkflowOf(list []Runnable, def string) Runnable {
	for _, w := range list {
		if w.Def() == def {
			return w
		}
	}
	return nil
}

// Def returns the name of the workflow.
func (w Workflow[I, O]) Def() string { return w.Name }

func (w Workflow[I, O]) enter(c *Ctx, in json.RawMessage) (json.RawMessage, error) {
	var i I
	if err := decodeStrict(in, &i); err != nil {
		c.b.e.bug("input of workflow %s: %v", w.Name, err)
	}
	o, err := w.Fn(c, i)
	if err != nil {
		return nil, err
	}
	return json.Marshal(o)
}

// Step is typed work with a handler. Lane is the capacity-limited class that
// it belongs to ("" is unlimited).
type Step[I, O any] struct {
	Name string
	Lane string
}

// ID is the step's name with a hash of its output's shape: a record written
// by another shape is found instead of read as zero values.
func (s Step[I, O]) ID() string {
	return s.Name + "@" + schemaHash(reflect.TypeFor[O]())
}

// Blob refers to bytes in the blob store. Outputs over MaxOutput travel as one.
type Blob struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Type   string `json:"type,omitempty"`
}

// IsZero reports whether the blob refers to nothing.
func (b Blob) IsZero() bool { return b.SHA256 == "" }

func decodeStrict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

// decodeOnce decodes an output and keeps the value for the next re-run, if it
// is one that a workflow cannot change: a copy of it shares no memory.
func decodeOnce[T any](kept *any, raw []byte) (T, error) {
	if v, ok := (*kept).(T); ok {
		return v, nil
	}
	var out T
	if err := decodeStrict(raw, &out); err != nil {
		return out, err
	}
	if immutable(reflect.TypeFor[T]()) {
		*kept = out
	}
	return out, nil
}

func immutable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return false
	case reflect.Array:
		return immutable(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !immutable(t.Field(i).Type) {
				return false
			}
		}
	default:
	}
	return true
}

var schemas sync.Map // reflect.Type -> string; a cache of a pure function

func schemaHash(t reflect.Type) string {
	if h, ok := schemas.Load(t); ok {
		return h.(string)
	}
	var b strings.Builder
	describe(&b, t, map[reflect.Type]bool{})
	f := fnv.New64a()
	f.Write([]byte(b.String()))
	h := strconv.FormatUint(f.Sum64(), 36)
	schemas.Store(t, h)
	return h
}

// describe writes the JSON shape of a type: field names, kinds and nesting,
// not Go names, so that renaming a Go type changes nothing.
func describe(b *strings.Builder, t reflect.Type, seen map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer:
		b.WriteByte('*')
		describe(b, t.Elem(), seen)
	case reflect.Slice, reflect.Array:
		b.WriteString("[]")
		describe(b, t.Elem(), seen)
	case reflect.Map:
		b.WriteString("map[")
		describe(b, t.Key(), seen)
		b.WriteByte(']')
		describe(b, t.Elem(), seen)
	case reflect.Struct:
		if seen[t] {
			b.WriteString("rec:" + t.Name())
			return
		}
		seen[t] = true
		defer delete(seen, t)
		describeStruct(b, t, seen)
	default:
		b.WriteString(t.Kind().String())
	}
}

func describeStruct(b *strings.Builder, t reflect.Type, seen map[reflect.Type]bool) {
	var fields []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		flat := f.Anonymous && name == "" // its fields are visible themselves
		if flat || !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		var fb strings.Builder
		describe(&fb, f.Type, seen)
		fields = append(fields, name+" "+fb.String())
	}
	sort.Strings(fields)
	fmt.Fprintf(b, "{%s}", strings.Join(fields, ";"))
}
