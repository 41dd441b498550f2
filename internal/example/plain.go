package example

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
)

// plain are values of each class of types that nobody needs to know a project for. None names a place on the machine.
var plain = map[string][]Value{
	"string": each(String, "a b", "", "12", "a=b", "-1", "A", "É"),
	"int":    each(Number, "2", "0", "-1", "1", "100"),
	"float":  each(Number, "2", "0", "-1", "0.5", "100"),
	"bool":   {{Kind: Bool, Text: "true"}, {Kind: Bool, Text: "false"}},
}

// each are literals of one kind.
func each(kind Kind, list ...string) (out []Value) {
	for _, text := range list {
		out = append(out, Value{Kind: kind, Text: text})
	}
	return out
}

// Plain are calls of a function with plain values of the types in its signature, none of them if it takes anything else. What may be left
// out is left out; a parameter without a type is once a text, once a number and once a list. The first calls are the usual ones, then one
// argument after the other is another value. Values own are tried as well, where their kind fits: code that asks for a value does something
// with it.
func Plain(name, declaration, lang string, own []Value) []Example {
	s, ok := signature.Parse(declaration, lang)
	if !ok || s.Open || s.Method {
		return nil
	}
	var out []Example
	for _, unsaid := range []string{"string", "int", "list"} {
		var values [][]Value
		any := false
		for _, p := range s.Params {
			if p.Optional || p.Default != "" || p.Variadic {
				break
			}
			list := unsaidValues(unsaid, own)
			if p.Type != nil && p.Type.Class != "any" {
				list = valuesOf(*p.Type, own)
			} else {
				any = true
			}
			if len(list) == 0 || p.Keyword {
				return nil
			}
			values = append(values, list)
		}
		out = append(out, callsOf(name, values)...)
		if !any {
			break
		}
	}
	return out
}

// callsOf are the calls with the first value of each argument, and those in which one argument is another value.
func callsOf(name string, values [][]Value) []Example {
	if len(values) == 0 {
		return nil
	}
	usual := make([]Value, len(values))
	for i, list := range values {
		usual[i] = list[0]
	}
	others := make([][]Example, len(values))
	for i, list := range values {
		for _, v := range list[1:] {
			args := slices.Clone(usual)
			args[i] = v
			others[i] = append(others[i], callOf(name, args))
		}
	}
	return append([]Example{callOf(name, usual)}, InTurn(others)...)
}

// InTurn are the elements of lists: the first of each, then the second of each.
func InTurn[T any](lists [][]T) (out []T) {
	for n, more := 0, true; more; n++ {
		more = false
		for _, list := range lists {
			if n < len(list) {
				out, more = append(out, list[n]), true
			}
		}
	}
	return out
}

func callOf(name string, args []Value) Example {
	e := Example{Call: []Link{{Name: name, Args: args}}}
	e.Text = e.Calls()
	return e
}

func unsaidValues(class string, own []Value) []Value {
	if class == "list" {
		return listsOf(plain["string"])
	}
	return ofClass(class, own)
}

// ofClass are the values of a class: the usual one, those near own ones, the others.
func ofClass(class string, own []Value) []Value {
	list := plain[class]
	if len(list) == 0 {
		return nil
	}
	whole := func(v Value) bool { return !strings.Contains(v.Text, ".") }
	if class == "int" {
		own = slices.DeleteFunc(slices.Clone(own), func(v Value) bool { return v.Kind == Number && !whole(v) })
	}
	return slices.Concat(list[:1], near(list[0].Kind, own), list[1:])
}

// valuesOf are plain values of a type, none where it has none.
func valuesOf(t signature.Type, own []Value) (out []Value) {
	switch {
	case t.Form == signature.Basic:
		return ofClass(t.Class, own)
	case t.Form == signature.Optional && len(t.Args) == 1:
		return valuesOf(t.Args[0], own)
	case t.Form == signature.List && len(t.Args) == 1:
		return listsOf(valuesOf(t.Args[0], own))
	case t.Form == signature.Union:
		for _, member := range t.Args {
			out = append(out, valuesOf(member, own)...)
		}
	case t.Form == signature.Literal:
		if v, ok := Literal(t.Name); ok {
			out = append(out, v)
		}
	}
	return out
}

// listsOf are lists of some of the values.
func listsOf(values []Value) []Value {
	if len(values) < 2 {
		return nil
	}
	return []Value{{Kind: List, List: values[:2]}, {Kind: List}, {Kind: List, List: slices.Concat(values[len(values)-1:], values[:1], values[:1])}}
}
