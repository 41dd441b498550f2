package example

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unusual are calls like those of a list, each with one input that people forget: nothing, a negative or a large number, other blanks and letters,
// a list the other way round. There are at most n, of all calls and inputs in turn.
func Unusual(list []Example, n int) []Example { return varied(list, n, unusual) }

// Alike are calls like those of a list, each with one input of the same form: other digits, other letters. There are at most n.
func Alike(list []Example, n int) []Example { return varied(list, n, shifted) }

// shifted are values of the same form as another: each digit and each letter of the alphabet is one of the next.
func shifted(v Value) (out []Value) {
	if v.Kind != Number && v.Kind != String {
		return nil
	}
	for by := range rune(3) {
		if text := turned(v.Text, by+1, v.Kind == String); text != v.Text {
			out = append(out, Value{Kind: v.Kind, Text: text, Big: v.Big})
		}
	}
	return out
}

// Near are calls like those of a list, each with one of some values in the place of another, or with one next to it. None names a place on
// the machine: what a test calls may act there. There are at most n.
func Near(list []Example, n int, values []Value) []Example {
	values = slices.DeleteFunc(slices.Clone(values), func(v Value) bool { return abroad(v.Text) })
	return varied(list, n, func(v Value) []Value { return near(v.Kind, values) })
}

// varied are calls like those of a list, each with another value in the place of one.
func varied(list []Example, n int, others func(Value) []Value) []Example {
	known := map[string]bool{}
	for _, e := range list {
		known[e.Calls()] = true
	}
	var out []Example
	for i := 0; len(out) < n; i++ {
		more := false
		for _, e := range list {
			if slices.ContainsFunc(e.Inputs(), abroad) {
				continue
			}
			for k, arg := range e.arguments() {
				values := others(*arg)
				if i >= len(values) {
					continue
				}
				more = true
				o := Example{Item: e.Item, Before: e.Before, Call: e.Call}.Clone()
				*o.arguments()[k] = values[i]
				if o.Text = o.Calls(); !known[o.Text] && len(out) < n {
					known[o.Text] = true
					out = append(out, o)
				}
			}
		}
		if !more {
			break
		}
	}
	return out
}

// near are the values of a kind among some, and those that are next to them: a text that goes on, a number on each side.
func near(kind Kind, own []Value) (out []Value) {
	for _, v := range own {
		if v.Kind != kind {
			continue
		}
		out = append(out, v)
		if n, err := strconv.ParseInt(v.Text, 10, 32); kind == Number && err == nil {
			out = append(out, each(Number, strconv.FormatInt(n-1, 10), strconv.FormatInt(n+1, 10))...)
		} else if kind == String {
			out = append(out, Value{Kind: String, Text: v.Text + "a"})
		}
	}
	return out
}

// arguments are those of all links.
func (e Example) arguments() (out []*Value) {
	for _, l := range slices.Concat(e.Chains()...) {
		for k := range l.Args {
			out = append(out, &l.Args[k])
		}
	}
	return out
}

// unusual are other values in the place of one.
func unusual(v Value) (out []Value) {
	switch v.Kind {
	case Number:
		opposite := "-" + v.Text
		if rest, negative := strings.CutPrefix(v.Text, "-"); negative {
			opposite = rest
		}
		for _, text := range []string{opposite, "0", "1", v.Text + "7", v.Text + "007"} {
			out = append(out, Value{Kind: Number, Text: text, Big: v.Big})
		}
	case String:
		half := len(v.Text) / 2
		for half > 0 && v.Text[half]&0xC0 == 0x80 { // within a letter
			half--
		}
		for _, text := range []string{
			v.Text[:half] + "\t" + v.Text[half:], " " + v.Text + " ", "", strings.ToUpper(v.Text), v.Text[:half] + "é" + v.Text[half:], v.Text + v.Text, "-" + v.Text,
			v.Text + lastLetter(v.Text), v.Text + lastPart(v.Text),
		} {
			out = append(out, Value{Kind: String, Text: text})
		}
	case List:
		if len(v.List) > 0 {
			back := slices.Clone(v.List)
			slices.Reverse(back)
			for _, list := range [][]Value{back, nil, slices.Concat(v.List, v.List[:1]), eachOnce(v.List)} {
				out = append(out, Value{Kind: List, Text: v.Text, List: list})
			}
		}
	case Null, Bool, Object, Name, Made, Code:
	}
	return out
}

// eachOnce are the values of a list without those that it has already.
func eachOnce(list []Value) (out []Value) {
	for _, v := range list {
		if !slices.ContainsFunc(out, func(o Value) bool { return o.String() == v.String() }) {
			out = append(out, v)
		}
	}
	return out
}

// lastPart is what follows the last mark of a text, with it: "=1" of "a=1".
func lastPart(s string) string {
	i := strings.LastIndexFunc(s, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) })
	return s[max(i, 0):]
}

func lastLetter(s string) string {
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}
