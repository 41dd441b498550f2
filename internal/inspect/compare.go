package inspect

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
)

// sameParts compares two types of TypeScript that are put together of others, word by word. It says false only where all
// words of both are known to mean one thing: the language's own types, names that both have, fields.
func sameParts(want, is string) bool {
	a, sureA := wordsOfType(want)
	b, sureB := wordsOfType(is)
	return !sureA || !sureB || slices.Equal(a.names, b.names) && slices.Equal(a.fields, b.fields) && a.lists == b.lists || !slices.Equal(a.names, b.names) && !a.onlyBasic(b)
}

// typeWords are what a type is written with.
type typeWords struct {
	names, fields []string // sorted; each field with its mark
	lists         int
}

// onlyBasic reports whether what two types differ in is the language's own.
func (w typeWords) onlyBasic(o typeWords) bool {
	differ := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(n string) bool { return !slices.Contains(b, n) && !basicTypes[n] && n[0] != '"' })
	}
	return !differ(w.names, o.names) && !differ(o.names, w.names)
}

var basicTypes = map[string]bool{"string": true, "number": true, "boolean": true, "bigint": true, "symbol": true, "null": true, "undefined": true, "void": true, "never": true}

// wordsOfType lists the words of a type; sure is false where it holds more than names, fields, lists, | and &.
func wordsOfType(text string) (w typeWords, sure bool) {
	ts := source.Tokens("t.ts", []byte("type T = "+text+";"))
	for i := 3; i < len(ts)-1; i++ {
		next := ts[i+1].Text
		switch t := ts[i]; {
		case t.Kind == source.Ident && (next == ":" || next == "?" && i+2 < len(ts) && ts[i+2].Text == ":"):
			w.fields = append(w.fields, t.Text+next)
		case t.Kind == source.Ident && (t.Text == "readonly" && ts[i+1].Kind == source.Ident):
		case t.Kind == source.Ident:
			switch t.Text {
			case "keyof", "typeof", "infer", "is", "in", "extends", "any", "unknown", "object", "unique", "asserts":
				return w, false
			}
			w.names = append(w.names, t.Text)
		case t.Kind == source.String, t.Kind == source.Number:
			w.names = append(w.names, `"`+t.Value())
		case t.Text == "[" && next == "]":
			w.lists++
		case strings.Contains("{}|&;,:?]", t.Text):
		default: // a function, a generic type, an index
			return w, false
		}
	}
	slices.Sort(w.names)
	slices.Sort(w.fields)
	return w, true
}
